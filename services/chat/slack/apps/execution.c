/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of apps that somebody ran as steps of workflows, and what came of them. */
#include "engine/json/doc.h"
#include "services/chat/slack/store.h"
#include "services/chat/slack/acts/interact.h"

const char *const chat_execution_states[] = {"running", "completed", "failed", NULL};

int chat_execution_find(struct tx *tx, const char *key, struct chat_execution *ret)
{
    static struct sql_text q = SQL_TEXT("where key = :key");
    return STORED_ONE(tx, &slack_execution_stored, &q, ret, key);
}

int chat_execution_add(struct tx *tx, struct chat_execution *e)
{
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
    return stored_new(tx, &slack_execution_stored, e);
}

int chat_execution_end(struct tx *tx, struct chat_execution *e)
{
    e->ended_us = tx->now_us;
    return stored_save(tx, &slack_execution_stored, e->id, e);
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

static int check_execution(const struct form_in *in, void *row)
{
    struct chat_execution *e = row;
    if (e->created_us == CHAT_UNSAID)
        e->created_us = in->tx->now_us;
    if (!json_get(in->value, "ended"))
        e->ended_us = e->state ? e->created_us : 0;
    if (e->workflow && !is_workflow_key(e->workflow))
        return doc_fail(in->d, json_get(in->value, "workflow"), "workflow",
                        "\"%.80s\" is not an id of capitals and digits that begins with Wx",
                        e->workflow);
    return e->state || !e->ended_us
               ? 0
               : doc_fail(in->d, json_get(in->value, "ended"), "ended", "it is running");
}

static int add_execution(const struct form_in *in, void *row)
{
    return chat_execution_add(in->tx, row);
}

static const struct member execution_members[] = {
    CHAT_WORKSPACE,
    STORED_ID(struct chat_execution),
    {"id", "Its id, from Fx on", CHAT_MADE_KEY_AT(struct chat_execution, key, "Fx")},
    {"workflow", "The id of the workflow's run, from Wx on",
     TEXT_AT(struct chat_execution, workflow)},
    {"app", "The app", CHAT_APP_AT(struct chat_execution, app), .flags = MEMBER_REQUIRED},
    {"user", "The person who ran it", CHAT_USER_AT(struct chat_execution, user),
     .flags = MEMBER_REQUIRED},
    {"function", "Its callback_id", TEXT_AT(struct chat_execution, function),
     .flags = MEMBER_REQUIRED},
    {"state", "How it is", ENUM_AT(struct chat_execution, state, chat_execution_states)},
    {"inputs", "By their names", KEPT_AT(struct chat_execution, inputs, JSON_OBJECT),
     .usual_text = "{}"},
    {"outputs", "The same", KEPT_AT(struct chat_execution, outputs, JSON_OBJECT)},
    {"error", "Why it failed", TEXT_AT(struct chat_execution, error)},
    {"created", "Its time; else now", CHAT_INSTANT_AT(struct chat_execution, created_us),
     .usual = CHAT_UNSAID},
    {"ended", "When it ended", CHAT_INSTANT_AT(struct chat_execution, ended_us)},
};
STORED(slack_execution_stored, "A function of an app that a person ran", struct chat_execution,
       execution_members, check_execution, .table = "slack_execution", .key = "id",
       .add = add_execution);
