/* SPDX-License-Identifier: Apache-2.0 */
/* Pending actions of worlds, for whoever decides on them: never the agent's own credential. */
#include "engine/base/handle.h"
#include "engine/base/codec.h"
#include "engine/base/taken.h"
#include "engine/world/engine.h"
#include "engine/http/call.h"
#include "engine/json/doc.h"
#include "guard/action.h"
#include "guard/draft.h"
#include "mcp/approve.h"

/* ---- what there is ---- */

struct asked_for {
    const char *name, *state; /* NULL: all */
    int64_t n;
};

static void write_time(struct json_writer *w, const char *name, sqlite3_stmt *st, int at)
{
    if (sqlite3_column_type(st, at) != SQLITE_NULL)
        json_time(w, name, sqlite3_column_int64(st, at), JSON_TIME_US_Z);
}

static void write_text(struct json_writer *w, const char *name, sqlite3_stmt *st, int at)
{
    json_str_opt(w, name, (const char *)sqlite3_column_text(st, at));
}

static void write_json(struct json_writer *w, const char *name, sqlite3_stmt *st, int at)
{
    if (sqlite3_column_type(st, at) != SQLITE_NULL)
        json_raw(w, name, (const char *)sqlite3_column_text(st, at),
                 (size_t)sqlite3_column_bytes(st, at));
}

static void write_action(struct json_writer *w, sqlite3_stmt *st, int64_t now_us, bool whole)
{
    const char *state = (const char *)sqlite3_column_text(st, 1);
    bool alive = sqlite3_column_int64(st, 11) <= now_us && now_us < sqlite3_column_int64(st, 12);
    bool over = !alive && strcmp(state, "held") == 0;
    json_obj(w, NULL);
    write_text(w, "action", st, 0);
    json_str(w, "state", over ? "expired" : state);
    write_text(w, "actor", st, 2);
    if (*(const char *)sqlite3_column_text(st, 3))
        write_text(w, "app", st, 3);
    write_text(w, "method", st, 4);
    write_text(w, "tool", st, 5);
    write_text(w, "policy", st, 6);
    write_text(w, "version", st, 7);
    write_text(w, "hash", st, 8);
    write_text(w, "rule", st, 9);
    write_text(w, "why", st, 10);
    write_time(w, "held", st, 11);
    write_time(w, "expires", st, 12);
    write_time(w, "decided", st, 13);
    write_text(w, "by", st, 14);
    write_text(w, "comment", st, 15);
    write_time(w, "executed", st, 16);
    write_json(w, "arguments", st, 17);
    write_json(w, "edits", st, 18);
    write_text(w, "asked", st, 20);
    write_text(w, "via", st, 21);
    if (whole) {
        write_json(w, "outcome", st, 19);
        write_json(w, "calls", st, 22);
    }
    json_end(w);
}

static int write_all(struct tx *tx, struct json_writer *w, void *arg)
{
    static struct sql_text q = SQL_TEXT(
        "select name, state, actor, app, method, tool, policy, version, hash, rule, why, held_us, "
        "expires_us, decided_us, decided_by, comment, executed_us, arguments, edits, outcome, "
        "asked, via, calls from "
        "guard_action where (:name is null or name = :name) and (:state is null or state = :state) "
        "order by id");
    struct asked_for *a = arg;
    sqlite3_stmt *st = TX_QUERY(tx, &q, a->name, a->state);
    int r = st ? 0 : -1;
    json_obj(w, NULL);
    json_arr(w, "approvals");
    while (st && (r = TX_STEP(tx, st)) == 1) {
        a->n++;
        write_action(w, st, tx->now_us, a->name != NULL);
    }
    json_end(w);
    json_end(w);
    return r;
}

int sosia_approval_list(struct sosia_engine *engine, uint64_t world, const char *action,
                        const char *state, struct sosia_blob *ret_json, struct sosia_err *err)
{
    struct sosia_err local_err;
    struct asked_for a = {.name = action, .state = state};
    if (!err)
        err = &local_err;
    if (handle_check(HANDLE_ENGINE, engine, err) < 0 ||
        taken_pointer(ret_json, "ret_json", err) < 0 ||
        world_read(engine, world, true, write_all, &a, ret_json, err) < 0)
        return -1;
    if (action && !a.n) {
        sosia_blob_free(ret_json);
        return sosia_fail(err, SOSIA_E_NOT_FOUND, "actionNotFound", "action",
                          "the world has no pending action \"%.40s\"", action);
    }
    return 0;
}

/* ---- decisions ---- */

static int work(struct tx *tx, void *arg)
{
    return action_decide(tx, arg);
}

static void note(struct tx *tx, struct json_writer *w, void *arg)
{
    const struct decision *d = arg;
    (void)tx;
    json_obj(w, "control");
    json_str(w, "do", "approval");
    json_str(w, "action", d->action);
    json_str(w, "decision", d->what);
    json_str_opt(w, "to", d->to);
    json_str_opt(w, "by", d->by);
    json_str_opt(w, "comment", d->comment);
    json_str_opt(w, "edits", d->edits);
    json_str_opt(w, "shown", d->shown);
    json_str_opt(w, "via", d->via);
    json_end(w);
}

/* Those who were asked by their clients learn that it is over. */
static void after(struct tx *tx, void *arg)
{
    (void)arg;
    approve_ask(tx->engine, tx->world);
}

static const struct turn decision_turn = {.work = work, .note = note, .after = after};

int action_again(struct sosia_engine *e, struct world *w, struct worker *k,
                 const struct json *control, struct sosia_err *err)
{
    struct decision d = {.action = json_get_str(control, "action"),
                         .what = json_get_str(control, "decision"),
                         .to = json_get_str(control, "to"),
                         .by = json_get_str(control, "by"),
                         .comment = json_get_str(control, "comment"),
                         .edits = json_get_str(control, "edits"),
                         .shown = json_get_str(control, "shown"),
                         .via = json_get_str(control, "via")};
    if (!d.action || !d.what)
        return sosia_fail(err, SOSIA_E_INVALID, "journal", NULL,
                          "an entry about an approval must have its action and the decision");
    return world_turn_on(e, w, k, &decision_turn, &d, err);
}

int action_decide_in(struct sosia_engine *e, uint64_t world, struct decision *d,
                     struct sosia_err *err)
{
    if (world_turn(e, world, &decision_turn, d, err) < 0)
        return -1;
    if (strcmp(d->what, "reject") != 0 && strcmp(d->what, "escalate") != 0)
        draft_commit(e, world, d->action);
    return 0;
}

static int check_edits(const char *edits, size_t len, struct sosia_err *err)
{
    const struct json *v;
    struct arena a;
    struct doc d;
    arena_init(&a, 0);
    int rc = doc_open(&d, &a, edits, len, "arguments", 1 << 20, &v, err);
    if (rc == 0 && (v->type != JSON_OBJECT || !v->n || v->n > 100))
        rc = doc_expect(&d, v, NULL, "an object of 1 to 100 values by path");
    for (uint32_t i = 0; rc == 0 && i < v->n; i++)
        if (!v->members[i].key_len || strchr(v->members[i].key, '*'))
            rc = doc_fail(&d, &v->members[i].value, NULL,
                          "must be paths to one value, without \"*\", not \"%.80s\"",
                          v->members[i].key);
    arena_done(&a);
    return rc;
}

/* Arguments of an escalation: {"to": NAME}, in the arena. */
static int read_to(struct arena *a, const char *text, const char **ret_to, struct sosia_err *err)
{
    static const char *const members[] = {"to", NULL};
    const struct json *v;
    struct doc d;
    if (doc_open(&d, a, text, strlen(text), "arguments", 1 << 20, &v, err) < 0 ||
        doc_object(&d, v, members) < 0 || doc_str(&d, v, "to", true, ret_to) < 0)
        return -1;
    if (!**ret_to || strlen(*ret_to) > 200)
        return doc_fail(&d, v, "to", "must have 1 to 200 bytes, has %zu", strlen(*ret_to));
    return 0;
}

int sosia_approval_decide(struct sosia_engine *engine, uint64_t world, const char *action,
                          const char *decision, const char *arguments, const char *by,
                          const char *comment, struct sosia_err *err)
{
    static const char *const words[] = {"approve", "reject", "edit", "escalate", NULL};
    struct sosia_err local_err;
    struct decision d = {.action = action, .what = decision, .by = by, .comment = comment};
    if (!err)
        err = &local_err;
    if (handle_check(HANDLE_ENGINE, engine, err) < 0 || taken_pointer(action, "action", err) < 0 ||
        taken_pointer(decision, "decision", err) < 0)
        return -1;
    int which = str_place(words, decision);
    if (which < 0)
        return sosia_fail(err, SOSIA_E_INVALID, "decision", "decision",
                          "the decision must be approve, reject, edit or escalate, not \"%.40s\"",
                          decision);
    if (!arguments != (which < 2))
        return sosia_fail(err, SOSIA_E_INVALID, "arguments", "arguments",
                          "arguments must be given for edit and escalate, and for nothing else");
    struct arena a;
    arena_init(&a, 0);
    int rc = which == 2   ? check_edits(arguments, strlen(arguments), err)
             : which == 3 ? read_to(&a, arguments, &d.to, err)
                          : 0;
    d.edits = which == 2 ? arguments : NULL;
    if (rc == 0)
        rc = action_decide_in(engine, world, &d, err);
    arena_done(&a);
    return rc;
}
