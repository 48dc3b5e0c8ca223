/* SPDX-License-Identifier: Apache-2.0 */
/* Workers: a connection, an arena and a buffer for the length of a call. A thread gets the one it
 * had last if it is free, so that its statements and memory are warm, and another one, the same
 * each time, for a call within a call; there are as many as calls were ever under way at once. */
#include "engine/base/handle.h"
#include "engine/world/engine.h"
#include <stdlib.h>

static _Thread_local uint32_t last_worker, inner_worker;

static bool claim(struct worker *k)
{
    bool idle = false;
    return k && !atomic_load_explicit(&k->busy, memory_order_relaxed) &&
           atomic_compare_exchange_strong_explicit(&k->busy, &idle, true, memory_order_acquire,
                                                   memory_order_relaxed);
}

static struct worker *make_worker(struct sosia_engine *e, struct sosia_err *err)
{
    struct worker *k = aligned_alloc(64, sizeof *k);
    if (!k) {
        sosia_fail_memory(err);
        return NULL;
    }
    memset(k, 0, sizeof *k);
    atomic_store(&k->busy, true);
    arena_init(&k->arena, 0);
    buf_init(&k->out, 0);
    buf_init(&k->part, 0);
    if (slot_open(e->store, &k->slot, err) < 0) {
        free(k);
        return NULL;
    }
    return k;
}

/* The thread's own, by an address that no other thread has. */
static struct worker *mine(struct worker *k)
{
    atomic_store_explicit(&k->thread, &last_worker, memory_order_relaxed);
    return k;
}

static struct worker *take_there(struct sosia_engine *e, uint32_t n, uint32_t *place)
{
    if (*place < n && claim(e->workers[*place]))
        return mine(e->workers[*place]);
    for (uint32_t i = 0; i < n; i++) {
        if (claim(e->workers[i])) {
            *place = i;
            return mine(e->workers[i]);
        }
    }
    return NULL;
}

static struct worker *take_idle(struct sosia_engine *e, struct sosia_err *err)
{
    uint32_t n = atomic_load_explicit(&e->n_workers, memory_order_acquire);
    uint32_t *place = &last_worker;
    if (last_worker < n &&
        atomic_load_explicit(&e->workers[last_worker]->thread, memory_order_relaxed) ==
            &last_worker &&
        atomic_load_explicit(&e->workers[last_worker]->busy, memory_order_relaxed))
        place = &inner_worker;
    struct worker *k = take_there(e, n, place);
    if (k)
        return k;
    pthread_mutex_lock(&e->mutex);
    n = atomic_load(&e->n_workers);
    if (n == MAX_WORKERS) {
        sosia_fail(err, SOSIA_E_LIMIT, NULL, NULL, "too many calls at once");
    } else if ((k = make_worker(e, err))) {
        e->workers[n] = mine(k);
        *place = n;
        atomic_store_explicit(&e->n_workers, n + 1, memory_order_release);
    }
    pthread_mutex_unlock(&e->mutex);
    return k;
}

struct worker *worker_take(struct sosia_engine *e, struct sosia_err *err)
{
    struct worker *k = take_idle(e, err);
    if (k)
        stop_begin(&k->stop, e);
    return k;
}

/* For all engines: few at once are long. */
static struct whole {
    _Atomic(bool) busy;
    struct stop stop;
} wholes[64];

struct whole *whole_begin(struct sosia_engine *e)
{
    for (size_t i = 0; i < SOSIA_LEN(wholes); i++) {
        bool idle = false;
        if (!atomic_compare_exchange_strong(&wholes[i].busy, &idle, true))
            continue;
        stop_begin(&wholes[i].stop, e);
        return &wholes[i];
    }
    return NULL;
}

void whole_end(struct whole *whole)
{
    if (!whole)
        return;
    stop_end(&whole->stop);
    atomic_store(&whole->busy, false);
}

int sosia_interrupt(struct sosia_engine *engine, uint64_t world)
{
    if (!handle_is_out(HANDLE_ENGINE, engine))
        return -1;
    uint32_t n = atomic_load_explicit(&engine->n_workers, memory_order_acquire);
    int asked = 0;
    for (uint32_t i = 0; i < n; i++)
        asked += stop_ask(&engine->workers[i]->stop, engine, world);
    for (size_t i = 0; i < SOSIA_LEN(wholes); i++)
        asked += stop_ask(&wholes[i].stop, engine, world);
    return asked;
}

struct worker *worker_take_second(struct sosia_engine *e, struct sosia_err *err)
{
    uint32_t first = last_worker;
    struct worker *k = worker_take(e, err);
    last_worker = first;
    return k;
}

/* A huge response does not keep its memory. */
static void empty(struct buf *b)
{
    if (b->cap > 4u << 20)
        buf_done(b);
    buf_clear(b);
}

void worker_drop(struct worker *k)
{
    stop_end(&k->stop);
    arena_reset(&k->arena);
    empty(&k->out);
    empty(&k->part);
    atomic_store_explicit(&k->busy, false, memory_order_release);
}

void worker_close_all(struct sosia_engine *e)
{
    uint32_t n = atomic_load(&e->n_workers);
    for (uint32_t i = 0; i < n; i++) {
        struct worker *k = e->workers[i];
        slot_close(k->slot);
        arena_done(&k->arena);
        buf_done(&k->out);
        buf_done(&k->part);
        free(k->tokens);
        free(k->known);
        free(k->taken.list);
        free(k->taken.last.list);
        free(k);
    }
}
