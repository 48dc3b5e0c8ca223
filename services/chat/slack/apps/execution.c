/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of apps that somebody ran as steps of workflows, and what came of them. */
#include "engine/json/doc.h"
#include "services/chat/slack/store.h"
#include "services/chat/slack/acts/interact.h"

const char *const chat_execution_states[] = {"running", "completed", "failed", NULL};

#define EXECUTION                                                                                  \
    "id, key, workflow, workspace, app, user, function, state, inputs, outputs, error, "           \
    "created_us, "                                                                                 \
    "ended_us"

static int read_execution(struct tx *tx, sqlite3_stmt *st, struct chat_execution *ret)
{
    int r = st ? TX_STEP(tx, st) : -1;
    if (r != 1)
        return r;
    *ret = (struct chat_execution){.id = sqlite3_column_int64(st, 0),
                                   .key = tx_string(tx, st, 1),
                                   .workflow = tx_string(tx, st, 2),
                                   .workspace = sqlite3_column_int64(st, 3),
                                   .app = sqlite3_column_int64(st, 4),
                                   .user = sqlite3_column_int64(st, 5),
                                   .function = tx_string(tx, st, 6),
                                   .state = (enum chat_execution_state)sqlite3_column_int(st, 7),
                                   .inputs = tx_string(tx, st, 8),
                                   .outputs = tx_string(tx, st, 9),
                                   .error = tx_string(tx, st, 10),
                                   .created_us = sqlite3_column_int64(st, 11),
                                   .ended_us = sqlite3_column_int64(st, 12)};
    sql_done(st);
    return 1;
}

int chat_execution_find(struct tx *tx, const char *key, struct chat_execution *ret)
{
    static struct sql_text q =
        SQL_TEXT("select " EXECUTION " from slack_execution where key = :key");
    return read_execution(tx, TX_QUERY(tx, &q, key), ret);
}

int chat_execution_add(struct tx *tx, struct chat_execution *e)
{
    static struct sql_text q = SQL_TEXT(
        "insert into slack_execution (key, workflow, workspace, app, user, function, state, "
        "inputs, "
        "outputs, error, created_us, ended_us) values (:key, :workflow, :workspace, :app, :user, "
        ":function, :state, :inputs, :outputs, :error, :created, :ended)");
    const char *made;
    if (!e->key) {
        if (!(made = chat_key(tx, 'F')))
            return -1;
        e->key = arena_printf(tx->arena, "Fx%s", made + 1);
    }
    if (!e->workflow) {
        if (!(made = chat_key(tx, 'W')))
            return -1;
        e->workflow = arena_printf(tx->arena, "Wx%s", made + 1);
    }
    if (TX_RUN(tx, &q, e->key, e->workflow, e->workspace, e->app, e->user, e->function,
               (int)e->state, e->inputs, e->outputs, e->error, e->created_us, e->ended_us) < 0)
        return -1;
    e->id = chat_last_id(tx);
    return 0;
}

int chat_execution_end(struct tx *tx, const struct chat_execution *e)
{
    static struct sql_text q =
        SQL_TEXT("update slack_execution set state = :state, outputs = :outputs, error = :error, "
                 "ended_us = :now where id = :id");
    return TX_RUN(tx, &q, (int)e->state, e->outputs, e->error, tx->now_us, e->id);
}

/* ---- activities ---- */

int chat_activities(struct tx *tx, const struct chat_activity_ask *ask,
                    int (*fn)(void *arg, const struct chat_activity *a), void *arg)
{
#define HAPPENED                                                                                   \
    "select workflow, function, state, error, at, number from (select workflow, function, state, " \
    "error, created_us as at, id * 2 as number from slack_execution where app = :app and "         \
    "workspace = :workspace union all select workflow, function, state, error, ended_us, id * 2 "  \
    "+ 1 from slack_execution where app = :app and workspace = :workspace and state > 0) where "   \
    "at "                                                                                          \
    "between :min and :max and (:from = 0 or (at, number) "
    static struct sql_text up = SQL_TEXT(HAPPENED "> (:from, :number)) order by at, number");
    static struct sql_text down =
        SQL_TEXT(HAPPENED "< (:from, :number)) order by at desc, number desc");
    sqlite3_stmt *st = TX_QUERY(tx, ask->ascending ? &up : &down, ask->app, ask->workspace,
                                ask->min_us, ask->max_us, ask->at_us, ask->number);
    int r = st ? 1 : -1;
    while (r == 1 && (r = TX_STEP(tx, st)) == 1) {
        struct chat_activity a = {
            .of = {.workflow = tx_string(tx, st, 0),
                   .function = tx_string(tx, st, 1),
                   .state = (enum chat_execution_state)sqlite3_column_int(st, 2),
                   .error = tx_string(tx, st, 3)},
            .at_us = sqlite3_column_int64(st, 4),
            .number = sqlite3_column_int64(st, 5)};
        a.end = a.number % 2;
        if (fn(arg, &a)) {
            sql_done(st);
            return 0;
        }
    }
    return r;
}

/* ---- seed documents ---- */

/* As those that are made: of workflow executions. */
static bool is_workflow_key(const char *key)
{
    size_t n = strlen(key);
    return n > 2 && n <= 40 && strncmp(key, "Wx", 2) == 0 &&
           strspn(key + 2, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") == n - 2;
}

int chat_execution_seed(struct tx *tx, struct doc *d, const struct json *v)
{
    static const char *const members[] = {"workspace", "id",    "workflow", "app",     "user",
                                          "function",  "state", "inputs",   "outputs", "error",
                                          "created",   "ended", NULL};
    struct chat_execution e = {0};
    struct chat_party p;
    int state;
    if (doc_object(d, v, members) < 0 || chat_doc_party(tx, d, v, true, &p) < 0 ||
        chat_doc_made_key(tx, d, v, "Fx", &e.key) < 0 ||
        doc_str(d, v, "workflow", false, &e.workflow) < 0 ||
        doc_str(d, v, "function", true, &e.function) < 0 ||
        doc_enum(d, v, "state", chat_execution_states, CHAT_RUNNING, &state) < 0 ||
        chat_doc_shaped(d, v, "inputs", JSON_OBJECT, &e.inputs) < 0 ||
        chat_doc_shaped(d, v, "outputs", JSON_OBJECT, &e.outputs) < 0 ||
        doc_str(d, v, "error", false, &e.error) < 0 ||
        chat_doc_instant(d, v, "created", tx->now_us, &e.created_us) < 0 ||
        chat_doc_instant(d, v, "ended", state ? e.created_us : 0, &e.ended_us) < 0)
        return -1;
    if (e.workflow && !is_workflow_key(e.workflow))
        return doc_fail(d, json_get(v, "workflow"), "workflow",
                        "\"%.80s\" is not an id of capitals and digits that begins with Wx",
                        e.workflow);
    if (!state && e.ended_us)
        return doc_fail(d, json_get(v, "ended"), "ended", "it is running");
    e.workspace = p.workspace.id;
    e.app = p.app;
    e.user = p.user.id;
    e.state = (enum chat_execution_state)state;
    if (!e.inputs)
        e.inputs = "{}";
    return chat_doc_added(tx, d, v, "id", chat_execution_add(tx, &e));
}

int chat_execution_dump(struct tx *tx, int64_t id, struct json_writer *w)
{
    static struct sql_text q = SQL_TEXT("select " EXECUTION " from slack_execution where id = :id");
    struct chat_execution e;
    int r = read_execution(tx, TX_QUERY(tx, &q, id), &e);
    if (r != 1)
        return r;
    if (chat_dump_workspace(tx, w, e.workspace) < 0)
        return -1;
    json_str(w, "id", e.key);
    json_str(w, "workflow", e.workflow);
    if (chat_dump_app(tx, w, "app", e.app) < 0 || chat_dump_user(tx, w, "user", e.user) < 0)
        return -1;
    json_str(w, "function", e.function);
    if (e.state != CHAT_RUNNING)
        json_str(w, "state", chat_execution_states[e.state]);
    if (strcmp(e.inputs, "{}") != 0)
        chat_dump_raw(w, "inputs", e.inputs);
    if (e.outputs)
        chat_dump_raw(w, "outputs", e.outputs);
    json_str_opt(w, "error", e.error);
    chat_dump_instant(w, "created", e.created_us);
    if (e.ended_us)
        chat_dump_instant(w, "ended", e.ended_us);
    return 1;
}
