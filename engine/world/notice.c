/* SPDX-License-Identifier: Apache-2.0 */
/* Programs that want to know are notified of new entries of the outbox. */
#include "engine/base/handle.h"
#include "engine/world/engine.h"

int sosia_engine_on_outbox(struct sosia_engine *engine,
                           void (*fn)(void *arg, uint64_t world, int64_t first, int64_t last),
                           void *arg)
{
    if (!handle_is_out(HANDLE_ENGINE, engine))
        return -1;
    /* Once this returns, the one before is not called any more. */
    pthread_rwlock_wrlock(&engine->on_outbox_lock);
    engine->on_outbox_arg = arg;
    atomic_store_explicit(&engine->on_outbox, fn, memory_order_relaxed);
    pthread_rwlock_unlock(&engine->on_outbox_lock);
    return 0;
}

void outbox_notify(const struct tx *tx)
{
    struct sosia_engine *e = tx->engine;
    if (tx->world->flags & WORLD_REPLAY)
        return;
    if (tx->announced)
        e->on_announced(e, tx->world, tx->announced);
    if (!tx->outbox_first)
        return;
    e->on_session_news(e, tx->world, tx->outbox_first, tx->outbox_last);
    outbox_notify_range(e, tx->world->id, tx->outbox_first, tx->outbox_last);
}

void outbox_notify_due(const struct tx *tx)
{
    int64_t due_us = tx->world->next_due_us;
    if (tx->write && !(tx->world->flags & WORLD_REPLAY) && due_us <= tx->now_us &&
        due_us != INT64_MIN)
        outbox_notify_range(tx->engine, tx->world->id, 0, 0);
}

void outbox_notify_range(struct sosia_engine *e, uint64_t world, int64_t first, int64_t last)
{
    if (!atomic_load_explicit(&e->on_outbox, memory_order_relaxed))
        return;
    pthread_rwlock_rdlock(&e->on_outbox_lock);
    void (*fn)(void *, uint64_t, int64_t, int64_t) =
        atomic_load_explicit(&e->on_outbox, memory_order_relaxed);
    if (fn)
        fn(e->on_outbox_arg, world, first, last);
    pthread_rwlock_unlock(&e->on_outbox_lock);
}
