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
    {"workspaces", chat_workspaces_seed, chat_workspaces_dump},
    {"chatApps", chat_apps_seed, chat_apps_dump},
};

static const struct section sections[] = {
    {"channels", chat_channels_seed, chat_channels_dump},
    {"sharedChannels", chat_shared_seed, chat_shared_dump},
    {"chatInvites", chat_invites_seed, chat_invites_dump},
    {"chatFiles", chat_files_seed, chat_files_dump},
    {"canvases", chat_canvases_seed, chat_canvases_dump},
    {"chatLists", chat_lists_seed, chat_lists_dump},
    {"messages", chat_messages_seed, chat_messages_dump},
    {"assistantThreads", chat_assists_seed, chat_assists_dump},
    {"agentChannels", chat_agents_seed, chat_agents_dump},
    {"chatCalls", chat_meetings_seed, chat_meetings_dump},
    {"chatLogins", chat_logins_seed, chat_logins_dump},
    {"chatAppLogs", chat_app_logs_seed, chat_app_logs_dump},
    {"profileFields", chat_fields_seed, chat_fields_dump},
    {"chatEmoji", chat_emoji_seed, chat_emojis_dump},
    {"userGroups", chat_groups_seed, chat_groups_dump},
    {"bookmarks", chat_bookmarks_seed, chat_bookmarks_dump},
    {"chatStars", chat_stars_seed, chat_stars_dump},
    {"chatReminders", chat_reminders_seed, chat_reminders_dump},
    {"scheduledMessages", chat_scheduleds_seed, chat_scheduleds_dump},
    {"chatQuiet", chat_quiets_seed, chat_quiets_dump},
    {"chatGrants", chat_grants_seed, chat_grants_dump},
    {"chatWebhooks", chat_webhooks_seed, chat_webhooks_dump},
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
};

const struct sosia_core chat_content_core = {
    .name = "chat.content",
    .schema = "",
    .sections = sections,
    .n_sections = SOSIA_LEN(sections),
    .entities = chat_content_entities,
    .n_entities = CHAT_CONTENT_ENTITIES,
};
