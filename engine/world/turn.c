/* SPDX-License-Identifier: Apache-2.0 */
/* Changes of a world that are not requests: each has its transaction and its journal's entry. */
#include "engine/base/buf.h"
#include "engine/world/engine.h"

static void write_entry(struct tx *tx, const struct turn *turn, void *arg)
{
    struct world_extra *x = world_extra(tx->world);
    struct json_writer w;
    struct buf b;
    if (!x || world_journal_mode(tx->world) == SOSIA_JOURNAL_NONE)
        return;
    buf_init(&b, 0);
    json_init(&w, &b, false, NULL);
    json_obj(&w, NULL);
    json_time(&w, "at", tx->now_us, JSON_TIME_US_Z);
    turn->note(tx, &w, arg);
    json_end(&w);
    if (!buf_failed(&b)) {
        journal_append(&x->journal, b.data, b.len);
        world_count_journal(tx->engine, &x->journal);
    }
    buf_done(&b);
}

/* In a write transaction that has begun. */
static int finish_turn(struct tx *tx, const struct turn *turn, void *arg)
{
    if (turn->work(tx, arg) < 0) {
        tx_rollback(tx);
        return -1;
    }
    if (tx_publish(tx) < 0)
        return -1;
    write_entry(tx, turn, arg);
    if (world_changed(tx->engine, tx->world, tx->err) < 0)
        return -1;
    if (turn->after)
        turn->after(tx, arg);
    parts_tell(tx);
    outbox_tell(tx);
    outbox_tell_due(tx);
    return 0;
}

static int on_locked(struct sosia_engine *e, struct world *w, struct worker *k,
                     const struct turn *turn, void *arg, struct sosia_err *err)
{
    struct tx tx;
    int64_t now = world_now(w);
    if (w->flags & WORLD_SNAPSHOT)
        return sosia_fail(err, SOSIA_E_FORBIDDEN, "readOnly", NULL, "a snapshot can't be written");
    if (world_run_due(e, w, k, now, err) < 0 || tx_begin(&tx, e, w, k, true, now, err) < 0)
        return -1;
    return finish_turn(&tx, turn, arg);
}

int world_turn(struct sosia_engine *e, uint64_t world, const struct turn *turn, void *arg,
               struct sosia_err *err)
{
    struct sosia_err local_err;
    if (!err)
        err = &local_err;
    struct worker *k = worker_take(e, err);
    if (!k)
        return -1;
    struct world *w = world_take(e, world, err);
    int rc = w ? on_locked(e, w, k, turn, arg, err) : -1;
    uint64_t ticket = w ? w->ticket : 0;
    if (w)
        world_drop(w);
    worker_drop(k);
    return rc < 0 ? -1 : engine_sync(e, ticket, err);
}
