/* SPDX-License-Identifier: Apache-2.0 */
/* The clock of a world: the only place that reads real time for a world. */
#include "engine/text/civil.h"
#include "engine/world/engine.h"
#include <time.h>

int64_t real_now_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

int64_t machine_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

/* No clock goes beyond what can be written as a date. */
static int64_t later_by(int64_t us, int64_t delta_us)
{
    if (__builtin_add_overflow(us, delta_us, &us))
        us = delta_us > 0 ? TIME_LAST_US : TIME_FIRST_US;
    return us < TIME_FIRST_US ? TIME_FIRST_US : us > TIME_LAST_US ? TIME_LAST_US : us;
}

int64_t world_now(const struct world *w)
{
    if (world_clock_mode(w) != SOSIA_CLOCK_REAL)
        return later_by(w->clock.at_us, 0);
    /* A snapshot keeps the time that it was made at. */
    return later_by(w->clock.at_us, w->flags & WORLD_SNAPSHOT ? w->created_us : real_now_us());
}

int64_t world_tick(struct world *w)
{
    if (world_clock_mode(w) == SOSIA_CLOCK_STEP && !(w->flags & WORLD_SNAPSHOT))
        w->clock.at_us = later_by(w->clock.at_us, w->clock.step_us);
    return world_now(w);
}
