/* SPDX-License-Identifier: Apache-2.0 */
/* What is due by the clock of a world. */
#include "engine/world/number.h"
#include "engine/world/due.h"
#include "engine/world/engine.h"
#include "engine/world/places.h"
#include "engine/world/event.h"

int due_add(struct tx *tx, int64_t at_us, const char *core, const char *kind, int64_t ref)
{
    static struct sql_text q =
        SQL_TEXT("insert into due (at_us, core, kind, ref) values (:at, :core, :kind, :ref)");
    sqlite3_stmt *st = TX_QUERY(tx, &q, at_us, core, kind, ref);
    if (!st)
        return -1;
    if (at_us < tx->world->next_due_us)
        tx->world->next_due_us = at_us;
    return sql_run(tx->db, st, tx->err);
}

int due_cancel(struct tx *tx, const char *core, const char *kind, int64_t ref)
{
    static struct sql_text q =
        SQL_TEXT("delete from due where core = :core and kind = :kind and ref = :ref");
    return TX_RUN(tx, &q, core, kind, ref);
}

struct due {
    int64_t id, at_us, ref;
    const char *core, *kind;
};

/* The first entry: 1 found, 0 none. */
static int first_due(struct tx *tx, struct due *ret)
{
    static struct sql_text q =
        SQL_TEXT("select id, at_us, core, kind, ref from due order by at_us, id limit 1");
    sqlite3_stmt *st = TX_PLAIN(tx, &q);
    if (!st)
        return -1;
    int r = TX_STEP(tx, st);
    if (r == 1) {
        ret->id = sqlite3_column_int64(st, 0);
        ret->at_us = sqlite3_column_int64(st, 1);
        ret->core = arena_strdup(tx->arena, (const char *)sqlite3_column_text(st, 2));
        ret->kind = arena_strdup(tx->arena, (const char *)sqlite3_column_text(st, 3));
        ret->ref = sqlite3_column_int64(st, 4);
        sql_done(st);
    }
    return r;
}

static int write_due(struct tx *tx, struct json_writer *w, void *arg)
{
    static struct sql_text q =
        SQL_TEXT("select at_us, core, kind, count(*) over () from due order by at_us, id limit :n");
    int64_t limit = *(const int *)arg, total = 0;
    sqlite3_stmt *st = TX_QUERY(tx, &q, limit);
    int r;
    if (!st)
        return -1;
    json_obj(w, NULL);
    json_time(w, "now", tx->now_us, JSON_TIME_US_Z);
    json_arr(w, "due");
    while ((r = TX_STEP(tx, st)) == 1) {
        json_obj(w, NULL);
        json_time(w, "at", sqlite3_column_int64(st, 0), JSON_TIME_US_Z);
        json_str(w, "core", (const char *)sqlite3_column_text(st, 1));
        json_str(w, "kind", (const char *)sqlite3_column_text(st, 2));
        json_end(w);
        total = sqlite3_column_int64(st, 3);
    }
    json_end(w);
    json_int(w, "total", total);
    json_end(w);
    return r;
}

int world_due_list(struct sosia_engine *e, uint64_t world, int limit, struct sosia_blob *ret_json,
                   struct sosia_err *err)
{
    return world_read(e, world, false, write_due, &limit, ret_json, err);
}

static int remove_due(struct tx *tx, int64_t id)
{
    static struct sql_text q = SQL_TEXT("delete from due where id = :id");
    return TX_RUN(tx, &q, id);
}

static int fire(struct tx *tx, const struct due *due)
{
    for (const struct sosia_core **c = tx->engine->cores; *c; c++)
        if ((*c)->due && strcmp((*c)->name, due->core) == 0)
            return (*c)->due(tx, due->kind, due->ref) < 0 ? -1 : events_deliver(tx);
    return tx_fail(tx, SOSIA_E_INTERNAL, NULL, NULL, "nobody handles what is due for \"%s\"",
                   due->core);
}

/* What was raised, put off or added is undone with the rest: nobody is notified of it. */
static void forget(struct tx *tx)
{
    tx->later = NULL;
    tx->events = tx->last_event = NULL;
    tx->delivered = NULL;
    tx->outbox_first = tx->outbox_last = 0;
    tx->announced = tx->last_announced = NULL;
    tx->taken->n = 0;
    arena_reset(tx->arena);
    tx->undone = true;
}

/* One entry, in a transaction of its own at its own instant. 1: fired one; 0: nothing is due; the
 * world's next_due_us is right then. An entry whose core fails is dropped with its effects: time
 * must go on. */
static int run_one(struct sosia_engine *e, struct world *w, struct worker *k, struct arena *arena,
                   int64_t now_us, struct sosia_err *err)
{
    struct tx tx;
    struct due due = {0};
    if (tx_begin(&tx, e, w, k, true, now_us, err) < 0)
        return -1;
    tx.arena = arena;
    tx.fired = true;
    int r = first_due(&tx, &due);
    if (r <= 0 || due.at_us > now_us) {
        if (r >= 0)
            w->next_due_us = r ? due.at_us : US_NEVER;
        tx_rollback(&tx);
        return r < 0 ? -1 : 0;
    }
    tx.now_us = due.at_us;
    if (remove_due(&tx, due.id) < 0 || tx_savepoint(&tx) < 0) {
        tx_rollback(&tx);
        return -1;
    }
    struct sosia_err other;
    bool failed = fire(&tx, &due) < 0 || tx_is_short(&tx);
    /* Where SQLite has given up all of the transaction, what failed first says why. */
    if (failed ? tx_rollback_to(&tx, &other) : slot_release(tx.db, err)) {
        tx_rollback(&tx);
        return -1;
    }
    if (failed)
        forget(&tx); /* if it is to stop, that is seen now */
    return tx_commit(&tx) < 0 ? -1 : 1;
}

int world_run_due(struct sosia_engine *e, struct world *w, struct worker *k, int64_t now_us,
                  struct sosia_err *err)
{
    int r = 0;
    struct arena arena; /* not the worker's: it holds the call that found something due */
    arena_init(&arena, 0);
    while (w->next_due_us <= now_us && (r = run_one(e, w, k, &arena, now_us, err)) > 0)
        arena_reset(&arena);
    arena_done(&arena);
    return r;
}

int world_run_due_wholly(struct sosia_engine *e, struct world *w, struct worker *k, int64_t now_us,
                         const struct world_clock *clock, struct sosia_err *err)
{
    struct step before;
    uint64_t written = w->written, replaced = world_replaced(w), version = w->version;
    world_step_now(w, &before);
    before.clock = *clock;
    int rc = world_run_due(e, w, k, now_us, err);
    if (rc >= 0 || !stop_wanted()) {
        step_done(&before);
        return rc;
    }
    bool fired = w->version != version;
    world_take_step(w, &before);
    w->written = written;
    world_set_replaced(w, replaced);
    if (!fired)
        return -1;
    world_went_back(e, w);
    if (world_changed(e, w, err) == 0)
        stop_fail(err);
    return -1;
}
