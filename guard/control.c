/* SPDX-License-Identifier: Apache-2.0 */
/* Policies of worlds, for whoever controls them: each change is an entry of the journal. */
#include "engine/base/handle.h"
#include "engine/base/taken.h"
#include "engine/journal/journal.h"
#include "engine/world/engine.h"
#include "guard/action.h"
#include "guard/faults/trouble.h"
#include "guard/guard.h"
#include "guard/policy.h"
#include "mcp/watch.h"

void policy_write(struct json_writer *w, const struct policy *p)
{
    json_str(w, "name", p->name);
    if (*p->version)
        json_str(w, "version", p->version);
    json_str(w, "hash", p->hash);
    json_str_opt(w, "workflow", p->workflow);
    json_str_opt(w, "tenant", p->tenant);
    json_int(w, "rules", (int64_t)p->n);
}

/* ---- changes ---- */

int policy_put(struct tx *tx, const char *text, size_t len, const char *name)
{
    static struct sql_text q_drop = SQL_TEXT("delete from guard_policy where name = :name");
    static struct sql_text q_counts = SQL_TEXT("delete from guard_count where policy = :name");
    static struct sql_text q_put =
        SQL_TEXT("insert into guard_policy (name, document, hash, set_us) values (:name, "
                 ":document, :hash, :now)");
    struct policy *p;
    if (policy_read(text, len, name, &p, tx->err) < 0)
        return -1;
    const char *document = arena_memdup(tx->arena, text, len); /* which ends where it says */
    int rc = TX_RUN(tx, &q_drop, p->name) < 0 || TX_RUN(tx, &q_counts, p->name) < 0 ||
                     TX_RUN(tx, &q_put, p->name, document, p->hash, tx->now_us) < 0
                 ? -1
                 : 0;
    if (rc == 0 && p->budget)
        rc = trouble_put_budget(tx, p->budget, p->name);
    policy_unref(p);
    guard_forget(tx->world);
    return rc;
}

struct change_of {
    const char *text; /* NULL: it is removed */
    size_t len;
    const char *name; /* of the document, or of the policy that is removed */
    struct buf *out;  /* what is known of it; NULL: nobody asks */
};

static int put(struct tx *tx, const struct change_of *c)
{
    struct json_writer w;
    struct policy *p;
    if (policy_read(c->text, c->len, c->name, &p, tx->err) < 0)
        return -1;
    if (c->out) {
        json_init(&w, c->out, true, NULL);
        json_obj(&w, NULL);
        policy_write(&w, p);
        json_end(&w);
    }
    policy_unref(p);
    /* Read once, so that forks need not. */
    return policy_put(tx, c->text, c->len, c->name) < 0 ? -1 : guard_learn(tx);
}

static int drop(struct tx *tx, const struct change_of *c)
{
    static struct sql_text q = SQL_TEXT("delete from guard_policy where name = :name");
    static struct sql_text q_counts = SQL_TEXT("delete from guard_count where policy = :name");
    if (TX_RUN(tx, &q, c->name) < 0 || TX_RUN(tx, &q_counts, c->name) < 0)
        return -1;
    guard_forget(tx->world);
    return 0;
}

static int work(struct tx *tx, void *arg)
{
    const struct change_of *c = arg;
    event_note(tx, RULES_CHANGED, OP_CHANGED, 0, 0);
    return (c->text ? put(tx, c) : drop(tx, c)) < 0 ? -1 : events_deliver(tx);
}

static void note(struct tx *tx, struct json_writer *w, void *arg)
{
    const struct change_of *c = arg;
    json_obj(w, "control");
    json_str(w, "do", "policy");
    json_str(w, "name", c->name);
    if (c->text)
        journal_body(w, "body", c->text, c->len, false, KEEP_FULL);
    json_end(w);
}

static const struct turn policy_turn = {.work = work, .note = note};

static int policy_again(struct sosia_engine *e, struct world *w, struct worker *k,
                        const struct json *control, struct sosia_err *err)
{
    const struct json *body = json_get(control, "body");
    struct change_of c = {.name = json_get_str(control, "name")};
    if (!c.name || (body && body->type != JSON_STRING))
        return sosia_fail(err, SOSIA_E_INVALID, "journal", NULL,
                          "an entry about a policy must have its name, and its document as a text");
    c.text = body ? body->str : NULL;
    c.len = body ? body->n : 0;
    return world_turn_on(e, w, k, &policy_turn, &c, err);
}

int guard_again(struct sosia_engine *e, struct world *w, struct worker *k,
                const struct json *control, struct sosia_err *err)
{
    const char *what = json_get_str(control, "do");
    return what && strcmp(what, "approval") == 0 ? action_again(e, w, k, control, err)
                                                 : policy_again(e, w, k, control, err);
}

int sosia_policy_set(struct sosia_engine *engine, uint64_t world, const char *doc, size_t len,
                     const char *name, struct sosia_blob *ret_json, struct sosia_err *err)
{
    struct sosia_err local_err;
    if (!err)
        err = &local_err;
    if (handle_check(HANDLE_ENGINE, engine, err) < 0 || taken_pointer(doc, "doc", err) < 0)
        return -1;
    struct buf out;
    buf_init(&out, 0);
    struct change_of c = {
        .text = doc, .len = len, .name = name ? name : "policy", .out = ret_json ? &out : NULL};
    int rc = world_turn(engine, world, &policy_turn, &c, err);
    if (rc == 0 && ret_json)
        rc = buf_give(&out, ret_json, err);
    buf_done(&out);
    return rc;
}

/* ---- what there is ---- */

struct asked_for {
    const char *name; /* NULL: all */
    int64_t n;
};

static int exists(struct tx *tx, struct json_writer *w, void *arg)
{
    static struct sql_text q = SQL_TEXT("select 1 from guard_policy where name = :name");
    struct asked_for *a = arg;
    return TX_INT(tx, &q, &a->n, a->name) < 0 ? -1 : 0;
}

int sosia_policy_remove(struct sosia_engine *engine, uint64_t world, const char *name,
                        struct sosia_err *err)
{
    struct sosia_err local_err;
    struct sosia_blob blob = {0};
    struct asked_for a = {.name = name};
    if (!err)
        err = &local_err;
    if (handle_check(HANDLE_ENGINE, engine, err) < 0 || taken_pointer(name, "name", err) < 0 ||
        world_read(engine, world, false, exists, &a, &blob, err) < 0)
        return -1;
    sosia_blob_free(&blob);
    if (!a.n)
        return sosia_fail(err, SOSIA_E_NOT_FOUND, "policyNotFound", "name",
                          "the world has no policy \"%.80s\"", name);
    struct change_of c = {.name = name};
    return world_turn(engine, world, &policy_turn, &c, err);
}

/* One that can't be read is listed with the reason. */
static void write_stored(struct json_writer *w, const char *name, const char *text, size_t len,
                         bool whole)
{
    struct sosia_err why = {0};
    struct policy *p;
    json_obj(w, NULL);
    if (policy_read(text, len, name, &p, &why) < 0) {
        json_str(w, "name", name);
        json_str(w, "broken", why.text);
    } else {
        policy_write(w, p);
        policy_unref(p);
    }
    if (whole)
        json_strn(w, "document", text, len);
    json_end(w);
}

static int write_all(struct tx *tx, struct json_writer *w, void *arg)
{
    static struct sql_text q = SQL_TEXT("select name, document from guard_policy where :name is "
                                        "null or name = :name order by name, id");
    struct asked_for *a = arg;
    sqlite3_stmt *st = TX_QUERY(tx, &q, a->name);
    int r = st ? 0 : -1;
    json_obj(w, NULL);
    json_arr(w, "policies");
    while (st && (r = TX_STEP(tx, st)) == 1) {
        a->n++;
        write_stored(w, (const char *)sqlite3_column_text(st, 0),
                     (const char *)sqlite3_column_text(st, 1), (size_t)sqlite3_column_bytes(st, 1),
                     a->name != NULL);
    }
    json_end(w);
    json_end(w);
    return r;
}

int sosia_policy_list(struct sosia_engine *engine, uint64_t world, const char *name,
                      struct sosia_blob *ret_json, struct sosia_err *err)
{
    struct sosia_err local_err;
    struct asked_for a = {.name = name};
    if (!err)
        err = &local_err;
    if (handle_check(HANDLE_ENGINE, engine, err) < 0 ||
        taken_pointer(ret_json, "ret_json", err) < 0 ||
        world_read(engine, world, true, write_all, &a, ret_json, err) < 0)
        return -1;
    if (name && !a.n) {
        sosia_blob_free(ret_json);
        return sosia_fail(err, SOSIA_E_NOT_FOUND, "policyNotFound", "name",
                          "the world has no policy \"%.80s\"", name);
    }
    return 0;
}

int sosia_policy_check(const char *doc, size_t len, const char *name, struct sosia_blob *ret_json,
                       struct sosia_err *err)
{
    struct sosia_err local_err;
    struct json_writer w;
    struct policy *p;
    struct buf out;
    if (!err)
        err = &local_err;
    if (taken_pointer(doc, "doc", err) < 0 || taken_pointer(ret_json, "ret_json", err) < 0 ||
        policy_read(doc, len, name ? name : "policy", &p, err) < 0)
        return -1;
    buf_init(&out, 0);
    json_init(&w, &out, true, NULL);
    json_obj(&w, NULL);
    policy_write(&w, p);
    json_end(&w);
    policy_unref(p);
    int rc = buf_give(&out, ret_json, err);
    buf_done(&out);
    return rc;
}
