/* SPDX-License-Identifier: Apache-2.0 */
/* What a diff calls rows of lists, calls, assistants, agents and logs. */
#include "services/chat/core/impl.h"

static int list_key(struct tx *tx, int64_t rowid, struct json_writer *w)
{
    static struct sql_text q = SQL_TEXT("select key from chat_file where id = :id");
    return dump_key(tx, w, "id", &q, rowid);
}

static int call_key(struct tx *tx, int64_t rowid, struct json_writer *w)
{
    static struct sql_text q = SQL_TEXT("select key from chat_call where id = :id");
    return dump_key(tx, w, "id", &q, rowid);
}

/* These have no id: what they are is what they say. */
static int assist_key(struct tx *tx, int64_t rowid, struct json_writer *w)
{
    static struct sql_text q =
        SQL_TEXT("select c.key, coalesce(m.ts_us, 0), coalesce(a.app, 0) from chat_assist a join "
                 "chat_channel c on c.id = a.channel left join chat_message m on m.id = a.message "
                 "where a.id = :id");
    sqlite3_stmt *st;
    int r = TX_ROW(tx, &q, &st, rowid);
    if (r != 1)
        return r;
    json_str(w, "channel", tx_string(tx, st, 0));
    int64_t us = sqlite3_column_int64(st, 1), app = sqlite3_column_int64(st, 2);
    sql_done(st);
    if (us)
        chat_dump_ts(w, "thread", us);
    return chat_dump_app(tx, w, "app", app);
}

static int agent_key(struct tx *tx, int64_t rowid, struct json_writer *w)
{
    static struct sql_text q = SQL_TEXT("select key from chat_channel where id = :id");
    return dump_key(tx, w, "channel", &q, rowid);
}

/* Of what is the same: which one it is, from 0; the first has no number. */
static void write_number(struct json_writer *w, int64_t number)
{
    if (number)
        json_int(w, "number", number);
}

static int login_key(struct tx *tx, int64_t rowid, struct json_writer *w)
{
    static struct sql_text q = SQL_TEXT(
        "select u.key, l.first_s, l.ip, l.agent, (select count(*) from chat_login e where "
        "e.workspace = l.workspace and e.last_s = l.last_s and e.user = l.user and e.first_s = "
        "l.first_s and e.ip = l.ip and e.agent = l.agent and e.id < l.id) from chat_login l join "
        "chat_user u on u.id = l.user where l.id = :id");
    sqlite3_stmt *st;
    int r = TX_ROW(tx, &q, &st, rowid);
    if (r != 1)
        return r;
    json_str(w, "user", tx_string(tx, st, 0));
    json_int(w, "first", sqlite3_column_int64(st, 1));
    json_str(w, "ip", tx_string(tx, st, 2));
    json_str(w, "agent", tx_string(tx, st, 3));
    write_number(w, sqlite3_column_int64(st, 4));
    sql_done(st);
    return 1;
}

static int app_log_key(struct tx *tx, int64_t rowid, struct json_writer *w)
{
    static struct sql_text q = SQL_TEXT(
        "select u.key, l.app, l.at_s, l.change, (select count(*) from chat_app_log e where "
        "e.workspace = l.workspace and e.at_s = l.at_s and e.user = l.user and e.app = l.app and "
        "e.change = l.change and e.id < l.id) from chat_app_log l join chat_user u on u.id = "
        "l.user where l.id = :id");
    sqlite3_stmt *st;
    int r = TX_ROW(tx, &q, &st, rowid);
    if (r != 1)
        return r;
    const char *user = tx_string(tx, st, 0), *change = tx_string(tx, st, 3);
    int64_t app = sqlite3_column_int64(st, 1), at = sqlite3_column_int64(st, 2),
            number = sqlite3_column_int64(st, 4);
    sql_done(st);
    json_str(w, "user", user);
    if (chat_dump_app(tx, w, "app", app) < 0)
        return -1;
    json_int(w, "at", at);
    json_str(w, "change", change);
    write_number(w, number);
    return 1;
}

static int shared_key(struct tx *tx, int64_t rowid, struct json_writer *w)
{
    static struct sql_text q =
        SQL_TEXT("select c.key, o.key from chat_connect k join chat_channel c on c.id = k.channel "
                 "join chat_workspace o on o.id = k.workspace where k.id = :id");
    sqlite3_stmt *st;
    int r = TX_ROW(tx, &q, &st, rowid);
    if (r != 1)
        return r;
    json_str(w, "channel", tx_string(tx, st, 0));
    json_str(w, "with", tx_string(tx, st, 1));
    sql_done(st);
    return 1;
}

static int invite_key(struct tx *tx, int64_t rowid, struct json_writer *w)
{
    static struct sql_text q = SQL_TEXT("select key from chat_invite where id = :id");
    return dump_key(tx, w, "id", &q, rowid);
}

const struct entity chat_content_entities[CHAT_CONTENT_ENTITIES] = {
    {.name = "chatList",
     .table = "chat_list",
     .key = list_key,
     .dump = chat_list_dump,
     .members = "workspace file description.** columns.*.** subtask todo items.*.id "
                "items.*.parent items.*.fields.*.** items.*.archived items.*.deleted "
                "items.*.created items.*.updated items.*.by items.*.editor exports.*.id "
                "exports.*.at_us exports.*.archived access.*.channel access.*.user access.*.level",
     .parts =
         (const struct entity_part[]){
             {"chat_list_item", ENTITY_OWNER("select list from chat_list_item where id = ?1")},
             {"chat_export", ENTITY_OWNER("select list from chat_export where id = ?1")},
             {"chat_access", ENTITY_OWNER("select l.file from chat_access a join chat_list l on "
                                          "l.file = a.file where a.id = ?1")},
             {NULL, NULL}}},
    {.name = "sharedChannel",
     .table = "chat_connect",
     .key = shared_key,
     .dump = chat_shared_dump,
     .members = "workspace channel with limited since members.*"},
    {.name = "chatInvite",
     .table = "chat_invite",
     .key = invite_key,
     .dump = chat_invite_dump,
     .members = "workspace id channel by request email team user state limited host guest name "
                "created updated expires"},
    {.name = "chatCall",
     .table = "chat_call",
     .key = call_key,
     .dump = chat_meeting_dump,
     .members = "workspace id app external_id display_id url desktop title creator start end "
                "people.*.**"},
    {.name = "assistantThread",
     .table = "chat_assist",
     .key = assist_key,
     .dump = chat_assist_dump,
     .members = "workspace channel thread app status set loading.* prompts.** title"},
    {.name = "agentChannel",
     .table = "chat_agent_channel",
     .key = agent_key,
     .dump = chat_agent_dump,
     .members = "workspace channel app session title status origin.channel origin.ts agents.* "
                "about.** resource.** views.*.id views.*.name views.*.type commands.*.agent "
                "commands.*.name commands.*.description commands.*.hint commands.*.escape",
     .parts =
         (const struct entity_part[]){
             {"chat_agent", ENTITY_OWNER("select channel from chat_agent where id = ?1")},
             {"chat_agent_view", ENTITY_OWNER("select channel from chat_agent_view where id = ?1")},
             {"chat_agent_command",
              ENTITY_OWNER("select channel from chat_agent_command where id = ?1")},
             {NULL, NULL}}},
    {.name = "chatLogin",
     .table = "chat_login",
     .key = login_key,
     .dump = chat_login_dump,
     .members = "workspace user first last count ip agent isp country region"},
    {.name = "chatAppLog",
     .table = "chat_app_log",
     .key = app_log_key,
     .dump = chat_app_log_dump,
     .members = "workspace app user at change scopes reason"},
};
