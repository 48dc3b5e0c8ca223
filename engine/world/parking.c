/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/world/parking.h"
#include "engine/world/keeper.h"

enum {
    TICKS = 8,            /* in which the time is counted after which a world is parked */
    TICK_LEAST = 1000,    /* microseconds */
    TICK_USUAL = 1000000, /* where no time is given */
    OLDEST = 4096         /* ticks: those unused for so long go first when memory is short */
};

struct parking {
    struct sosia_engine *engine;
    uint16_t now;
    int64_t ticks; /* unused for so many or more */
    uint64_t over; /* while more than so many bytes are in memory; 0: whatever is */
    size_t n;
};

static int park_one(void *arg, struct world *w)
{
    struct parking *p = arg;
    if (p->over && store_resident(p->engine->store) <= p->over)
        return 1;
    if (world_is_parked(w) || (uint16_t)(p->now - w->used) < p->ticks)
        return 0;
    p->n += p->engine->keeper->park(p->engine->durable, w);
    return 0;
}

/* Each time that a tick is over. */
static bool has_ticked(struct sosia_engine *e)
{
    const struct sosia_engine_options *o = &e->options;
    int64_t tick = o->park_after_us ? o->park_after_us / TICKS : TICK_USUAL, now = machine_us();
    if (tick < TICK_LEAST)
        tick = TICK_LEAST;
    int64_t last = atomic_load(&e->ticked_us);
    if (now - last < tick || !atomic_compare_exchange_strong(&e->ticked_us, &last, now))
        return false; /* or another thread sweeps */
    atomic_fetch_add(&e->ticks, 1);
    return true;
}

void worlds_park(struct sosia_engine *e)
{
    const struct sosia_engine_options *o = &e->options;
    if (!e->durable || e->check || (!o->park_after_us && !o->park_over) || !has_ticked(e))
        return;
    struct parking p = {.engine = e, .now = (uint16_t)atomic_load(&e->ticks), .ticks = TICKS};
    if (o->park_after_us)
        world_each(e, 0, park_one, &p);
    p.over = o->park_over;
    for (p.ticks = OLDEST; p.over && p.ticks && store_resident(e->store) > p.over; p.ticks /= 8)
        world_each(e, 0, park_one, &p);
    if (p.n)
        e->keeper->tidy(e->durable);
}

bool world_park(struct sosia_engine *e, uint64_t world)
{
    struct world *w = e->durable ? world_look(e, world, NULL) : NULL;
    bool parked = w && (world_is_parked(w) || e->keeper->park(e->durable, w));
    if (w)
        world_drop(w);
    if (parked)
        e->keeper->tidy(e->durable);
    return parked;
}
