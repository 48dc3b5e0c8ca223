/* SPDX-License-Identifier: Apache-2.0 */
/* Views, triggers, dialogs, addresses for answers and messages for one person, in the form of seed
 * documents, and what imported rows of them must keep to. Triggers and addresses are dumped as long
 * as they are good for something, and are not a difference between worlds. */
#include "engine/json/doc.h"
#include "engine/text/civil.h"
#include "services/chat/core/sql.h"
#include "services/chat/slack/store.h"
#include "services/chat/slack/acts/interact.h"

int chat_doc_party(struct tx *tx, struct doc *d, const struct json *v, bool with_app,
                   struct chat_party *ret)
{
    if (chat_doc_workspace(tx, d, v, &ret->workspace) < 0 ||
        chat_doc_user(tx, d, v, "user", ret->workspace.id, &ret->user) < 0 ||
        chat_doc_app(tx, d, v, &ret->app) < 0)
        return -1;
    if (with_app && !ret->app)
        return doc_fail(d, v, "app", "is missing");
    return ret->user.id ? 0 : doc_fail(d, v, "user", "is missing");
}

int chat_dump_party(struct tx *tx, struct json_writer *w, int64_t workspace, const char *key,
                    int64_t app, int64_t user)
{
    if (chat_dump_workspace(tx, w, workspace) < 0)
        return -1;
    json_str_opt(w, "id", key);
    return chat_dump_app(tx, w, "app", app) < 0 ? -1 : chat_dump_user(tx, w, "user", user);
}

/* The ts of a message; absent: 0. */
static int ts_of(struct doc *d, const struct json *v, const char *member, int64_t *ret_us)
{
    const char *ts;
    *ret_us = 0;
    if (doc_str(d, v, member, false, &ts) < 0)
        return -1;
    return !ts || (chat_ts_read(ts, ret_us) == 0 && *ret_us <= CHAT_LAST_INSTANT)
               ? 0
               : doc_fail(d, json_get(v, member), member, "\"%.40s\" is not a ts", ts);
}

static int object_of(struct doc *d, const struct json *v, const char *member, const char *otherwise,
                     const char **ret)
{
    if (chat_doc_shaped(d, v, member, JSON_OBJECT, ret) < 0)
        return -1;
    if (!*ret)
        *ret = otherwise;
    return *ret ? 0 : doc_fail(d, v, member, "is missing");
}

static void dump_ts(struct json_writer *w, const char *member, int64_t us)
{
    if (us)
        chat_dump_ts(w, member, us);
}

static int dump_channel(struct tx *tx, struct json_writer *w, int64_t channel)
{
    struct chat_channel ch;
    int r = chat_channel_get(tx, channel, &ch);
    if (r == 1)
        json_str(w, "channel", ch.key);
    return r < 0 ? -1 : 0;
}

/* ---- views ---- */

static int seed_view(struct tx *tx, struct doc *d, const struct json *v)
{
    static struct sql_text hash =
        SQL_TEXT("update slack_view set hash = coalesce(:hash, hash) where id = :id");
    static const char *const members[] = {"workspace",   "id",   "app",  "user",  "place",
                                          "external_id", "hash", "body", "state", NULL};
    struct chat_party p;
    struct chat_view view = {0};
    struct chat_view there;
    const char *given;
    if (doc_object(d, v, members) < 0 || chat_doc_party(tx, d, v, true, &p) < 0 ||
        chat_doc_made_key(tx, d, v, "V", &view.key) < 0 ||
        doc_int(d, v, "place", 0, CHAT_VIEW_STACK, 0, &view.place) < 0 ||
        doc_str(d, v, "external_id", false, &view.external_id) < 0 ||
        doc_str(d, v, "hash", false, &given) < 0 || object_of(d, v, "body", NULL, &view.body) < 0 ||
        object_of(d, v, "state", "{}", &view.state) < 0)
        return -1;
    view.workspace = p.workspace.id;
    view.app = p.app;
    view.user = p.user.id;
    int r = chat_view_at(tx, view.app, view.user, view.place, &there);
    if (r)
        return r < 0 ? -1 : doc_fail(d, v, "place", "there is a view there already");
    r = view.place > 1 ? chat_view_at(tx, view.app, view.user, view.place - 1, &there) : 1;
    if (r != 1)
        return r < 0 ? -1 : doc_fail(d, json_get(v, "place"), "place", "there is no view below it");
    if (chat_doc_added(tx, d, v, "id", chat_view_add(tx, &view)) < 0)
        return -1;
    return TX_RUN(tx, &hash, given, view.id);
}

static int view_dump(struct tx *tx, int64_t id, struct json_writer *w)
{
    struct chat_view v;
    int r = chat_view_get(tx, id, &v);
    if (r != 1)
        return r;
    if (chat_dump_party(tx, w, v.workspace, v.key, v.app, v.user) < 0)
        return -1;
    if (v.place)
        json_int(w, "place", v.place);
    json_str_opt(w, "external_id", v.external_id);
    json_str(w, "hash", v.hash);
    chat_dump_raw(w, "body", v.body);
    if (strcmp(v.state, "{}") != 0)
        chat_dump_raw(w, "state", v.state);
    return 1;
}

/* ---- triggers ---- */

static int seed_trigger(struct tx *tx, struct doc *d, const struct json *v)
{
    static struct sql_text q =
        SQL_TEXT("insert into slack_trigger (key, workspace, app, user, view, channel, created_us, "
                 "used) values (:key, :workspace, :app, :user, :view, :channel, :created, :used)");
    static const char *const members[] = {"workspace", "id",      "app",  "user", "view",
                                          "channel",   "created", "used", NULL};
    struct chat_party p;
    struct chat_view view = {0};
    struct chat_channel ch = {0};
    const char *key, *of;
    int64_t created;
    bool used;
    if (doc_object(d, v, members) < 0 || chat_doc_party(tx, d, v, true, &p) < 0 ||
        doc_str(d, v, "id", true, &key) < 0 || doc_str(d, v, "view", false, &of) < 0 ||
        chat_doc_instant(d, v, "created", tx->now_us, &created) < 0 ||
        doc_bool(d, v, "used", false, &used) < 0 ||
        (json_get(v, "channel") && chat_doc_channel(tx, d, v, p.workspace.id, &ch) < 0))
        return -1;
    int r = of ? chat_view_find(tx, p.app, of, &view) : 1;
    if (r != 1)
        return r < 0 ? -1
                     : doc_fail(d, json_get(v, "view"), "view", "there is no view \"%.80s\"", of);
    return chat_doc_added(tx, d, v, "id",
                          TX_RUN(tx, &q, key, p.workspace.id, p.app, p.user.id,
                                 sql_int_or_null(view.id, 0), sql_int_or_null(ch.id, 0), created,
                                 used));
}

static int trigger_dump(struct tx *tx, int64_t id, struct json_writer *w)
{
    struct chat_trigger t;
    struct chat_view view;
    int r = chat_trigger_get(tx, id, &t);
    if (r != 1)
        return r;
    if (chat_dump_party(tx, w, t.workspace, t.key, t.app, t.user) < 0)
        return -1;
    if ((r = t.view ? chat_view_get(tx, t.view, &view) : 0) == 1)
        json_str(w, "view", view.key);
    if (r >= 0 && t.channel)
        r = dump_channel(tx, w, t.channel);
    chat_dump_instant(w, "created", t.created_us);
    json_bool_opt(w, "used", t.used);
    return r < 0 ? -1 : 1;
}

static int triggers_dump(struct tx *tx, struct json_writer *w)
{
    static struct sql_text q =
        SQL_TEXT("select id from slack_trigger where created_us > :since order by id");
    return dump_rows(tx, w, "chatTriggers", TX_QUERY(tx, &q, tx->now_us - CHAT_TRIGGER_US),
                     trigger_dump);
}

/* ---- addresses for answers ---- */

static int seed_answer(struct tx *tx, struct doc *d, const struct json *v)
{
    static struct sql_text q = SQL_TEXT(
        "insert into slack_answer (key, command, workspace, app, user, channel, message_us, "
        "ephemeral_us, thread_us, uses, created_us) values (:key, :command, :workspace, "
        ":app, :user, :channel, :message, :ephemeral, :thread, :uses, :created)");
    static const char *const members[] = {"workspace", "id",      "app",     "user",
                                          "channel",   "command", "ts",      "ephemeral_ts",
                                          "thread",    "uses",    "created", NULL};
    struct chat_party p;
    struct chat_channel ch;
    struct chat_answer a = {0};
    if (doc_object(d, v, members) < 0 || chat_doc_party(tx, d, v, true, &p) < 0 ||
        doc_str(d, v, "id", true, &a.key) < 0 ||
        chat_doc_channel(tx, d, v, p.workspace.id, &ch) < 0 ||
        doc_bool(d, v, "command", false, &a.command) < 0 || ts_of(d, v, "ts", &a.message_us) < 0 ||
        ts_of(d, v, "ephemeral_ts", &a.ephemeral_us) < 0 ||
        ts_of(d, v, "thread", &a.thread_us) < 0 ||
        doc_int(d, v, "uses", 0, CHAT_ANSWER_USES, 0, &a.uses) < 0 ||
        chat_doc_instant(d, v, "created", tx->now_us, &a.created_us) < 0)
        return -1;
    return chat_doc_added(tx, d, v, "id",
                          TX_RUN(tx, &q, a.key, a.command, p.workspace.id, p.app, p.user.id, ch.id,
                                 a.message_us, a.ephemeral_us, a.thread_us, a.uses, a.created_us));
}

static int answer_dump(struct tx *tx, int64_t id, struct json_writer *w)
{
    struct chat_answer a;
    int r = chat_answer_get(tx, id, &a);
    if (r != 1)
        return r;
    if (chat_dump_party(tx, w, a.workspace, a.key, a.app, a.user) < 0 ||
        dump_channel(tx, w, a.channel) < 0)
        return -1;
    json_bool_opt(w, "command", a.command);
    dump_ts(w, "ts", a.message_us);
    dump_ts(w, "ephemeral_ts", a.ephemeral_us);
    dump_ts(w, "thread", a.thread_us);
    if (a.uses)
        json_int(w, "uses", a.uses);
    chat_dump_instant(w, "created", a.created_us);
    return 1;
}

static int answers_dump(struct tx *tx, struct json_writer *w)
{
    static struct sql_text q =
        SQL_TEXT("select id from slack_answer where created_us > :since order by id");
    return dump_rows(tx, w, "chatAnswers", TX_QUERY(tx, &q, tx->now_us - CHAT_ANSWER_US),
                     answer_dump);
}

/* ---- messages for one person ---- */

static int seed_ephemeral(struct tx *tx, struct doc *d, const struct json *v)
{
    static struct sql_text q = SQL_TEXT("insert into slack_ephemeral (channel, user, ts_us, "
                                        "sender, app, thread_us, message) values "
                                        "(:channel, :user, :ts, :sender, :app, :thread, :message)");
    static const char *const members[] = {"workspace", "channel", "user",    "ts", "from",
                                          "app",       "thread",  "message", NULL};
    struct chat_party p;
    struct chat_channel ch;
    struct chat_user from;
    int64_t ts_us, thread_us;
    const char *message;
    if (doc_object(d, v, members) < 0 || chat_doc_party(tx, d, v, false, &p) < 0 ||
        chat_doc_channel(tx, d, v, p.workspace.id, &ch) < 0 ||
        chat_doc_user(tx, d, v, "from", p.workspace.id, &from) < 0 ||
        ts_of(d, v, "ts", &ts_us) < 0 || ts_of(d, v, "thread", &thread_us) < 0 ||
        object_of(d, v, "message", NULL, &message) < 0)
        return -1;
    if (!ts_us) {
        struct chat_ephemeral e = {.channel = ch.id,
                                   .user = p.user.id,
                                   .sender = from.id,
                                   .app = p.app,
                                   .thread_us = thread_us,
                                   .message = message};
        return chat_ephemeral_add(tx, &e);
    }
    return chat_doc_added(tx, d, v, "ts",
                          TX_RUN(tx, &q, ch.id, p.user.id, ts_us, sql_int_or_null(from.id, 0),
                                 sql_int_or_null(p.app, 0), thread_us, message));
}

static int ephemeral_dump(struct tx *tx, int64_t id, struct json_writer *w)
{
    static struct sql_text q = SQL_TEXT("select " CHAT_SQL_CHANNEL_WORKSPACE(
        "e.channel") ", e.channel, e.user, e.ts_us, e.sender, e.app, e.thread_us, e.message from "
                     "slack_ephemeral e where e.id = :id");
    sqlite3_stmt *st;
    int r = TX_ROW(tx, &q, &st, id);
    if (r != 1)
        return r;
    int64_t n[7];
    for (int i = 0; i < 7; i++)
        n[i] = sqlite3_column_int64(st, i);
    const char *message = tx_string(tx, st, 7);
    sql_done(st);
    if (chat_dump_workspace(tx, w, n[0]) < 0 || dump_channel(tx, w, n[1]) < 0 ||
        chat_dump_user(tx, w, "user", n[2]) < 0)
        return -1;
    chat_dump_ts(w, "ts", n[3]);
    if (chat_dump_user(tx, w, "from", n[4]) < 0 || chat_dump_app(tx, w, "app", n[5]) < 0)
        return -1;
    dump_ts(w, "thread", n[6]);
    chat_dump_raw(w, "message", message);
    return 1;
}

/* ---- dialogs ---- */

static int seed_dialog(struct tx *tx, struct doc *d, const struct json *v)
{
    static const char *const members[] = {"workspace", "app", "user", "channel", "body", NULL};
    struct chat_party p;
    struct chat_channel ch = {0};
    struct chat_dialog there, dialog = {0};
    if (doc_object(d, v, members) < 0 || chat_doc_party(tx, d, v, true, &p) < 0 ||
        (json_get(v, "channel") && chat_doc_channel(tx, d, v, p.workspace.id, &ch) < 0) ||
        object_of(d, v, "body", NULL, &dialog.body) < 0)
        return -1;
    int r = chat_dialog_of(tx, p.user.id, &there);
    if (r)
        return r < 0 ? -1 : doc_fail(d, v, "user", "there is a dialog there already");
    dialog.workspace = p.workspace.id;
    dialog.app = p.app;
    dialog.user = p.user.id;
    dialog.channel = ch.id;
    return chat_dialog_open(tx, &dialog);
}

static int dialog_dump(struct tx *tx, int64_t id, struct json_writer *w)
{
    struct chat_dialog d;
    int r = chat_dialog_get(tx, id, &d);
    if (r != 1)
        return r;
    if (chat_dump_party(tx, w, d.workspace, NULL, d.app, d.user) < 0 ||
        (d.channel && dump_channel(tx, w, d.channel) < 0))
        return -1;
    chat_dump_raw(w, "body", d.body);
    return 1;
}

static int dialog_key(struct tx *tx, int64_t rowid, struct json_writer *w)
{
    struct chat_dialog d;
    int r = chat_dialog_get(tx, rowid, &d);
    return r == 1 ? chat_dump_user(tx, w, "user", d.user) : r;
}

/* ---- entities and rules ---- */

static int execution_key(struct tx *tx, int64_t rowid, struct json_writer *w)
{
    static struct sql_text q = SQL_TEXT("select key from slack_execution where id = :id");
    return dump_key(tx, w, "id", &q, rowid);
}

static int view_key(struct tx *tx, int64_t rowid, struct json_writer *w)
{
    static struct sql_text q = SQL_TEXT("select key from slack_view where id = :id");
    return dump_key(tx, w, "id", &q, rowid);
}

static int ephemeral_key(struct tx *tx, int64_t rowid, struct json_writer *w)
{
    static struct sql_text q = SQL_TEXT("select channel, user, ts_us from slack_ephemeral where "
                                        "id = :id");
    sqlite3_stmt *st;
    int r = TX_ROW(tx, &q, &st, rowid);
    if (r != 1)
        return r;
    int64_t channel = sqlite3_column_int64(st, 0), user = sqlite3_column_int64(st, 1);
    int64_t ts_us = sqlite3_column_int64(st, 2);
    sql_done(st);
    if (dump_channel(tx, w, channel) < 0 || chat_dump_user(tx, w, "user", user) < 0)
        return -1;
    chat_dump_ts(w, "ts", ts_us);
    return 0;
}

static const struct entity entities[] = {
    {.name = "chatView",
     .table = "slack_view",
     .key = view_key,
     .dump = view_dump,
     .members = "workspace id app user place external_id hash body.** state.**"},
    {.name = "functionExecution",
     .table = "slack_execution",
     .key = execution_key,
     .dump = chat_execution_dump,
     .members = "workspace id workflow app user function state inputs.** outputs.** error created "
                "ended"},
    {.name = "chatPane",
     .table = "slack_pane",
     .key = chat_pane_key,
     .dump = chat_pane_dump,
     .members = "workspace id app user part url external_ref.** asked.** content.**"},
    {.name = "chatDialog",
     .table = "slack_dialog",
     .key = dialog_key,
     .dump = dialog_dump,
     .members = "workspace app user channel body.**"},
    {.name = "ephemeralMessage",
     .table = "slack_ephemeral",
     .key = ephemeral_key,
     .dump = ephemeral_dump,
     .members = "workspace channel user ts from app thread message.**"},
};

#define NO_INSTANT(column) column " not between 0 and 8589934591000000"
#define NO_OBJECT(column)                                                                          \
    "case when json_valid(" column ") then json_type(" column ") <> 'object' else 1 end"

static const struct core_rule rules[] = {
    {"slack_view", "length(key) not between 2 and 40"},
    {"slack_view", "place not between 0 and 3"},
    {"slack_view",
     "place > 1 and not exists (select 1 from slack_view b where b.app = slack_view.app "
     "and b.user = slack_view.user and b.place = slack_view.place - 1)"},
    {"slack_view", NO_OBJECT("body")},
    {"slack_view", NO_OBJECT("state")},
    {"slack_trigger", NO_INSTANT("created_us")},
    {"slack_dialog", NO_OBJECT("body")},
    {"slack_pane", "part not between 0 and 2"},
    {"slack_pane", NO_OBJECT("ref")},
    {"slack_pane", "json_valid(ref) and json_type(ref, '$.id') is not 'text'"},
    {"slack_pane", NO_OBJECT("asked")},
    {"slack_pane", "content is not null and " NO_OBJECT("content")},
    {"slack_execution",
     "length(key) not between 3 and 40 or length(workflow) not between 3 and 40"},
    {"slack_execution", "state not between 0 and 2"},
    {"slack_execution", NO_OBJECT("inputs")},
    {"slack_execution", "outputs is not null and " NO_OBJECT("outputs")},
    {"slack_execution", NO_INSTANT("created_us")},
    {"slack_execution", NO_INSTANT("ended_us")},
    {"slack_execution", "(state = 0) <> (ended_us = 0)"},
    {"slack_answer", NO_INSTANT("created_us")},
    {"slack_answer", NO_INSTANT("message_us")},
    {"slack_answer", NO_INSTANT("ephemeral_us")},
    {"slack_answer", NO_INSTANT("thread_us")},
    {"slack_answer", "uses not between 0 and 5"},
    {"slack_act", NO_INSTANT("created_us")},
    {"slack_act", "result is not null and not json_valid(result)"},
    {"slack_ephemeral", NO_INSTANT("ts_us")},
    {"slack_ephemeral", NO_INSTANT("thread_us")},
    {"slack_ephemeral", NO_OBJECT("message")},
    {NULL, NULL},
};

static const struct section sections[] = {
    {.name = "chatViews",
     .seed_one = seed_view,
     .ids = SECTION_IDS("select id from slack_view order by id"),
     .dump_one = view_dump},
    {.name = "chatTriggers", .seed_one = seed_trigger, .dump = triggers_dump},
    {.name = "chatAnswers", .seed_one = seed_answer, .dump = answers_dump},
    {.name = "ephemeralMessages",
     .seed_one = seed_ephemeral,
     .ids = SECTION_IDS("select id from slack_ephemeral order by id"),
     .dump_one = ephemeral_dump},
    {.name = "chatDialogs",
     .seed_one = seed_dialog,
     .ids = SECTION_IDS("select id from slack_dialog order by id"),
     .dump_one = dialog_dump},
    {.name = "chatPanes",
     .seed_one = chat_pane_seed,
     .ids = SECTION_IDS("select id from slack_pane order by id"),
     .dump_one = chat_pane_dump},
    {.name = "functionExecutions",
     .seed_one = chat_execution_seed,
     .ids = SECTION_IDS("select id from slack_execution order by id"),
     .dump_one = chat_execution_dump},
};

extern const char chat_interact_sql[];

const struct sosia_core chat_interact_core = {
    .name = "chat.interact",
    .schema = chat_interact_sql,
    .sections = sections,
    .n_sections = SOSIA_LEN(sections),
    .entities = entities,
    .n_entities = SOSIA_LEN(entities),
    .rules = rules,
};
