/* SPDX-License-Identifier: Apache-2.0 */
/* The chat core, as the engine sees it. */
#include "services/chat/core/corpus.h"
#include "services/chat/core/impl.h"

extern const char chat_sql[];

static int due(struct tx *tx, const char *kind, int64_t ref)
{
    return strcmp(kind, "scheduled") == 0 ? chat_scheduled_post(tx, ref) : chat_remind(tx, ref);
}

static int derive(struct tx *tx)
{
    return chat_files_derive(tx) < 0 ? -1 : chat_derive(tx);
}

static const struct section workspaces[] = {
    {.name = "workspaces",
     .seed_one = chat_workspace_seed,
     .ids = SECTION_IDS("select id from chat_workspace order by id"),
     .dump_one = chat_workspace_dump},
    {.name = "chatApps",
     .seed_one = chat_app_seed,
     .ids = SECTION_IDS("select id from chat_app order by key"),
     .dump_one = chat_app_dump},
};

static const struct section sections[] = {
    {.name = "channels",
     .seed_one = chat_channel_seed,
     .ids = SECTION_IDS("select id from chat_channel order by id"),
     .dump_one = chat_channel_dump},
    {.name = "sharedChannels",
     .seed_one = chat_shared_seed,
     .ids = SECTION_IDS("select id from chat_connect order by id"),
     .dump_one = chat_shared_dump},
    {.name = "chatInvites",
     .seed_one = chat_invite_seed,
     .ids = SECTION_IDS("select id from chat_invite order by id"),
     .dump_one = chat_invite_dump},
    {.name = "chatFiles",
     .seed_one = chat_file_seed,
     .ids = SECTION_IDS("select id from chat_file where state >= 2 order by id"),
     .dump_one = chat_file_dump},
    {.name = "canvases",
     .seed_one = chat_canvas_seed,
     .ids = SECTION_IDS("select file from chat_canvas order by file"),
     .dump_one = chat_canvas_dump},
    {.name = "chatLists",
     .seed_one = chat_list_seed,
     .ids = SECTION_IDS("select file from chat_list order by file"),
     .dump_one = chat_list_dump},
    {.name = "messages", .seed = chat_messages_seed, .dump = chat_messages_dump},
    {.name = "assistantThreads",
     .seed_one = chat_assist_seed,
     .ids = SECTION_IDS("select id from chat_assist order by id"),
     .dump_one = chat_assist_dump},
    {.name = "agentChannels",
     .seed_one = chat_agent_seed,
     .ids = SECTION_IDS("select channel from chat_agent_channel order by channel"),
     .dump_one = chat_agent_dump},
    {.name = "chatCalls",
     .seed_one = chat_meeting_seed,
     .ids = SECTION_IDS("select id from chat_call order by id"),
     .dump_one = chat_meeting_dump},
    {.name = "chatLogins",
     .seed_one = chat_login_seed,
     .ids = SECTION_IDS("select id from chat_login order by id"),
     .dump_one = chat_login_dump},
    {.name = "chatAppLogs",
     .seed_one = chat_app_log_seed,
     .ids = SECTION_IDS("select id from chat_app_log order by id"),
     .dump_one = chat_app_log_dump},
    {.name = "profileFields",
     .seed_one = chat_field_seed,
     .ids = SECTION_IDS("select id from chat_profile_field order by id"),
     .dump_one = chat_field_dump},
    {.name = "chatEmoji",
     .seed_one = chat_emoji_seed,
     .ids = SECTION_IDS("select id from chat_emoji order by workspace, name"),
     .dump_one = chat_emoji_dump},
    {.name = "userGroups",
     .seed_one = chat_group_seed,
     .ids = SECTION_IDS("select id from chat_group order by id"),
     .dump_one = chat_group_dump},
    {.name = "bookmarks",
     .seed_one = chat_bookmark_seed,
     .ids = SECTION_IDS("select id from chat_bookmark order by id"),
     .dump_one = chat_bookmark_dump},
    {.name = "chatStars",
     .seed_one = chat_star_seed,
     .ids = SECTION_IDS("select id from chat_star order by id"),
     .dump_one = chat_star_dump},
    {.name = "chatReminders",
     .seed_one = chat_reminder_seed,
     .ids = SECTION_IDS("select id from chat_reminder order by id"),
     .dump_one = chat_reminder_dump},
    {.name = "scheduledMessages",
     .seed_one = chat_scheduled_seed,
     .ids = SECTION_IDS("select id from chat_scheduled order by id"),
     .dump_one = chat_scheduled_dump},
    {.name = "chatQuiet",
     .seed_one = chat_quiet_seed,
     .ids = SECTION_IDS("select user from chat_quiet order by user"),
     .dump_one = chat_quiet_dump},
    {.name = "chatGrants",
     .seed_one = chat_grant_seed,
     .ids = SECTION_IDS("select id from chat_grant order by id"),
     .dump_one = chat_grant_dump},
    {.name = "chatWebhooks",
     .seed_one = chat_webhook_seed,
     .ids = SECTION_IDS("select id from chat_webhook order by id"),
     .dump_one = chat_webhook_dump},
};

static const struct question_view questions[] = {
    {"users", "id, email, name, bot", "select key, email, name, bot from chat_user"},
    {"channels", "id, name, archived", "select key, name, archived from chat_channel"},
    {"members", "channel, user",
     "select c.key, u.key from chat_member m join chat_channel c on c.id = m.channel join "
     "chat_user u on u.id = m.user"},
    {"posts", "channel, ts, user, text",
     "select c.key, printf('%d.%06d', m.ts_us / 1000000, m.ts_us % 1000000), u.key, m.text from "
     "chat_message m join chat_channel c on c.id = m.id >> 43 left join chat_user u on "
     "u.id = m.user"},
    {"reactions", "channel, ts, name, user",
     "select c.key, printf('%d.%06d', m.ts_us / 1000000, m.ts_us % 1000000), r.name, u.key from "
     "chat_reaction r join chat_message m on m.id = r.message join chat_channel c on c.id = "
     "m.id >> 43 join chat_user u on u.id = r.user"},
    {NULL, NULL, NULL},
};

const struct sosia_core chat_core = {
    .name = CHAT_CORE,
    .schema = chat_sql,
    .sections = workspaces,
    .n_sections = SOSIA_LEN(workspaces),
    .entities = chat_entities,
    .n_entities = CHAT_ENTITIES,
    .questions = questions,
    .due = due,
    .rules = chat_rules,
    .derive = derive,
    .secrets = "delete from chat_grant; update chat_file set upload = null, public_secret = null; "
               "update chat_webhook set secret = 'withheld' || id;",
};

const struct sosia_core chat_content_core = {
    .name = "chat.content",
    .schema = "",
    .sections = sections,
    .n_sections = SOSIA_LEN(sections),
    .entities = chat_content_entities,
    .n_entities = CHAT_CONTENT_ENTITIES,
};
