/* SPDX-License-Identifier: Apache-2.0 */
/* What a diff calls rows of lists, calls, assistants, agents and logs. */
#include "engine/world/take.h"
#include "services/chat/core/ask.h"
#include "services/chat/core/sql.h"
#include "services/chat/slack/store.h"

static int list_key(struct tx *tx, int64_t rowid, struct json_writer *w)
{
    static struct sql_text q = SQL_TEXT("select key from slack_file where id = :id");
    return dump_key(tx, w, "id", &q, rowid);
}

/* Of what is the same: which one it is, from 0; the first has no number. */
static void write_number(struct json_writer *w, int64_t number)
{
    if (number)
        json_int(w, "number", number);
}

static int login_key(struct tx *tx, int64_t rowid, struct json_writer *w)
{
    static struct sql_text q = SQL_TEXT("select " CHAT_SQL_USER_KEY(
        "l.user") ", l.first_s, l.ip, l.agent, (select count(*) from slack_login e where "
                  "e.workspace = l.workspace and e.last_s = l.last_s and e.user = l.user and "
                  "e.first_s = l.first_s and e.ip = l.ip and e.agent = l.agent and e.id < l.id) "
                  "from slack_login l where l.id = :id");
    const char *user, *ip, *agent;
    int64_t first, number;
    int r = TX_TAKE(tx, TX_QUERY(tx, &q, rowid), &user, &first, &ip, &agent, &number);
    if (r != 1)
        return r;
    json_str(w, "user", user);
    json_int(w, "first", first);
    json_str(w, "ip", ip);
    json_str(w, "agent", agent);
    write_number(w, number);
    return 1;
}

static int app_log_key(struct tx *tx, int64_t rowid, struct json_writer *w)
{
    static struct sql_text q = SQL_TEXT("select " CHAT_SQL_USER_KEY(
        "l.user") ", l.app, l.at_s, l.change, (select count(*) from slack_app_log e where "
                  "e.workspace = l.workspace and e.at_s = l.at_s and e.user = l.user and e.app = "
                  "l.app and e.change = l.change and e.id < l.id) from slack_app_log l where l.id "
                  "= :id");
    const char *user, *change;
    int64_t app, at, number;
    int r = TX_TAKE(tx, TX_QUERY(tx, &q, rowid), &user, &app, &at, &change, &number);
    if (r != 1)
        return r;
    json_str(w, "user", user);
    if (chat_dump_app(tx, w, "app", app) < 0)
        return -1;
    json_int(w, "at", at);
    json_str(w, "change", change);
    write_number(w, number);
    return 1;
}

static int file_key(struct tx *tx, int64_t rowid, struct json_writer *w)
{
    static struct sql_text q = SQL_TEXT("select key from slack_file where id = :id");
    return dump_key(tx, w, "id", &q, rowid);
}

static int app_entity_key(struct tx *tx, int64_t rowid, struct json_writer *w)
{
    static struct sql_text q = SQL_TEXT("select key from slack_app where id = :id");
    return dump_key(tx, w, "id", &q, rowid);
}

const struct entity slack_file_entities[SLACK_FILE_ENTITIES] = {
    {.name = "chatFile",
     .table = "slack_file",
     .stored = &slack_file_stored,
     .dump = chat_file_dump,
     .parts = (const struct entity_part[]){{"chat_reaction", &chat_reaction_file}, {NULL, NULL}}},
    {.name = "canvas",
     .table = "slack_canvas",
     .key = file_key,
     .stored = &slack_canvas_stored,
     .parts =
         (const struct entity_part[]){
             {"slack_access",
              ENTITY_OWNER("select c.file from slack_access a join slack_canvas c on "
                           "c.file = a.file where a.id = ?1")},
             {NULL, NULL}}},
};

const struct entity slack_entities[SLACK_ENTITIES] = {
    {.name = "userGroup",
     .table = "slack_group",
     .stored = &slack_group_stored,
     .parts =
         (const struct entity_part[]){
             {"slack_group_user",
              ENTITY_OWNER("select member_of from slack_group_user where id = ?1")},
             {NULL, NULL}}},
    {.name = "profileField", .table = "slack_profile_field", .stored = &slack_field_stored},
    {.name = "chatEmoji", .table = "slack_emoji", .stored = &slack_emoji_stored},
    {.name = "bookmark", .table = "slack_bookmark", .stored = &slack_bookmark_stored},
    {.name = "chatStar", .table = "slack_star", .stored = &slack_star_stored},
    {.name = "chatReminder", .table = "slack_reminder", .stored = &slack_reminder_stored},
    {.name = "scheduledMessage", .table = "slack_scheduled", .stored = &slack_scheduled_stored},
    {.name = "chatQuiet",
     .table = "slack_quiet",
     .key = chat_user_key,
     .stored = &slack_quiet_stored},
    {.name = "chatApp",
     .table = "slack_app",
     .key = app_entity_key,
     .dump = chat_app_dump,
     .parts =
         (const struct entity_part[]){
             {"slack_endpoint", ENTITY_OWNER("select a.id from slack_app a where a.app = ?1")},
             {NULL, NULL}}},
    {.name = "chatGrant", .table = "slack_grant", .stored = &slack_grant_stored},
    {.name = "chatWebhook", .table = "slack_webhook", .stored = &slack_webhook_stored},
    {.name = "chatList",
     .table = "slack_list",
     .key = list_key,
     .stored = &slack_list_stored,
     .parts =
         (const struct entity_part[]){
             {"slack_list_item", ENTITY_OWNER("select list from slack_list_item where id = ?1")},
             {"slack_export", ENTITY_OWNER("select list from slack_export where id = ?1")},
             {"slack_access", ENTITY_OWNER("select l.file from slack_access a join slack_list l on "
                                           "l.file = a.file where a.id = ?1")},
             {NULL, NULL}}},
    {.name = "chatInvite", .table = "slack_invite", .stored = &slack_invite_stored},
    {.name = "chatCall", .table = "slack_call", .stored = &slack_call_stored},
    {.name = "assistantThread", .table = "slack_assist", .stored = &slack_assist_stored},
    {.name = "agentChannel",
     .table = "slack_agent_channel",
     .stored = &slack_agent_stored,
     .parts =
         (const struct entity_part[]){
             {"slack_agent", ENTITY_OWNER("select channel from slack_agent where id = ?1")},
             {"slack_agent_view",
              ENTITY_OWNER("select channel from slack_agent_view where id = ?1")},
             {"slack_agent_command",
              ENTITY_OWNER("select channel from slack_agent_command where id = ?1")},
             {NULL, NULL}}},
    {.name = "chatLogin", .table = "slack_login", .key = login_key, .stored = &slack_login_stored},
    {.name = "chatAppLog",
     .table = "slack_app_log",
     .key = app_log_key,
     .stored = &slack_app_log_stored},
};
