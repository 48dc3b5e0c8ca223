/* SPDX-License-Identifier: Apache-2.0 */
/* Changes of a world that are not requests: each has its transaction and its journal's entry. */
#include "engine/world/engine.h"

struct noting {
    struct tx *tx;
    const struct turn *turn;
    void *arg;
};

static void write_note(struct json_writer *w, void *arg)
{
    const struct noting *n = arg;
    n->turn->note(n->tx, w, n->arg);
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
    world_note(tx->engine, tx->world, tx->now_us, write_note,
               &(struct noting){.tx = tx, .turn = turn, .arg = arg});
    if (world_changed(tx->engine, tx->world, tx->err) < 0)
        return -1;
    if (turn->after)
        turn->after(tx, arg);
    parts_notify(tx);
    outbox_notify(tx);
    outbox_notify_due(tx);
    return 0;
}

int world_turn_on(struct sosia_engine *e, struct world *w, struct worker *k,
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
    int rc = w ? world_turn_on(e, w, k, turn, arg, err) : -1;
    uint64_t ticket = w ? w->ticket : 0;
    if (w)
        world_drop(w);
    worker_drop(k);
    return rc < 0 ? -1 : engine_sync(e, ticket, err);
}
