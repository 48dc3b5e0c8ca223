/* SPDX-License-Identifier: Apache-2.0 */
/* Commits: the way of changes to the disk, and who is notified of them. */
#include "engine/base/heap.h"
#include "engine/world/engine.h"
#include "engine/world/keeper.h"
#include <stdlib.h>

int world_changed(struct sosia_engine *e, struct world *w, struct sosia_err *err)
{
    return e->durable && !(w->flags & WORLD_REPLAY) ? e->keeper->put(e->durable, w, 0, err) : 0;
}

int world_changed_from(struct sosia_engine *e, struct world *w, uint64_t source,
                       struct sosia_err *err)
{
    return e->durable ? e->keeper->put(e->durable, w, source, err) : 0;
}

int tx_commit(struct tx *tx)
{
    if (tx_publish(tx) < 0 || (tx->write && world_changed(tx->engine, tx->world, tx->err) < 0))
        return -1;
    parts_notify(tx);
    outbox_notify(tx);
    return 0;
}

/* Tickets that this thread waits for later. */
static _Thread_local struct {
    uint64_t *list;
    size_t n, cap;
    bool on;
} later;

static bool put_off(uint64_t ticket)
{
    void *list = heap_grow(later.list, later.n, &later.cap, sizeof *later.list);
    if (!list)
        return false;
    later.list = list;
    later.list[later.n++] = ticket;
    return true;
}

int engine_sync(struct sosia_engine *e, uint64_t ticket, struct sosia_err *err)
{
    if (!ticket || !e->durable || (later.on && put_off(ticket)))
        return 0;
    return e->keeper->wait(e->durable, ticket, err);
}

void engine_sync_later(void)
{
    later.on = true;
}

int engine_sync_now(struct sosia_engine *e, struct sosia_err *err)
{
    struct sosia_err ignored;
    int rc = 0;
    for (size_t i = 0; i < later.n; i++)
        if (e->keeper->wait(e->durable, later.list[i], rc < 0 ? &ignored : err) < 0)
            rc = -1;
    free(later.list);
    later.list = NULL;
    later.n = later.cap = 0;
    later.on = false;
    return rc;
}
