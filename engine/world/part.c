/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/world/part.h"
#include "engine/world/keeper.h"
#include "engine/world/engine.h"

static struct own_part *find_part(struct sosia_engine *e, const struct part *kind)
{
    for (size_t i = 0; i < MAX_PARTS; i++) {
        const struct part *is = atomic_load_explicit(&e->parts[i].kind, memory_order_acquire);
        if (is == kind)
            return &e->parts[i];
        if (!is)
            break;
    }
    return NULL;
}

void *part_of(struct sosia_engine *e, const struct part *kind)
{
    struct own_part *own = find_part(e, kind);
    size_t i = 0;
    if (own)
        return own->self;
    pthread_mutex_lock(&e->mutex);
    own = find_part(e, kind);
    while (!own && i < MAX_PARTS && atomic_load(&e->parts[i].kind))
        i++;
    if (!own && i < MAX_PARTS && (e->parts[i].self = kind->make(e))) {
        own = &e->parts[i];
        atomic_store_explicit(&own->kind, kind, memory_order_release);
    }
    pthread_mutex_unlock(&e->mutex);
    return own ? own->self : NULL;
}

void part_when_kept(struct sosia_engine *e, uint64_t ticket, void (*fn)(void *arg, int rc),
                    void *arg)
{
    if (e->durable && ticket)
        e->keeper->notify(e->durable, ticket, fn, arg);
    else
        fn(arg, 0);
}

void parts_notify(const struct tx *tx)
{
    struct sosia_engine *e = tx->engine;
    for (size_t i = 0; tx->delivered && i < MAX_PARTS; i++) {
        const struct part *kind = atomic_load_explicit(&e->parts[i].kind, memory_order_acquire);
        if (!kind)
            return;
        if (kind->events)
            kind->events(e->parts[i].self, tx, tx->world->ticket);
    }
}

void parts_end_world(struct sosia_engine *e, uint64_t world)
{
    for (size_t i = 0; i < MAX_PARTS; i++) {
        const struct part *kind = atomic_load_explicit(&e->parts[i].kind, memory_order_acquire);
        if (!kind)
            return;
        if (kind->ended)
            kind->ended(e->parts[i].self, world);
    }
}

void parts_free(struct sosia_engine *e)
{
    for (size_t i = 0; i < MAX_PARTS; i++) {
        const struct part *kind = atomic_load(&e->parts[i].kind);
        if (kind)
            kind->free(e->parts[i].self);
        atomic_store(&e->parts[i].kind, NULL);
    }
}
