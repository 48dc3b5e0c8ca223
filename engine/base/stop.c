/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/base/stop.h"

STOP_TLS struct stop *stop_mine;

void stop_begin(struct stop *s, const void *of)
{
    atomic_store_explicit(&s->of, of, memory_order_relaxed);
    atomic_store_explicit(&s->worlds[0], 0, memory_order_relaxed);
    atomic_store_explicit(&s->worlds[1], 0, memory_order_relaxed);
    s->outer = stop_mine;
    stop_mine = s;
    atomic_fetch_add_explicit(&s->turn, 1, memory_order_release);
}

void stop_end(struct stop *s)
{
    struct stop **at = &stop_mine;
    while (*at && *at != s)
        at = &(*at)->outer;
    if (*at)
        *at = s->outer;
    atomic_fetch_add_explicit(&s->turn, 1, memory_order_release);
}

int stop_ask(struct stop *s, const void *of, uint64_t world)
{
    uint64_t turn = atomic_load_explicit(&s->turn, memory_order_acquire);
    if (turn % 2 == 0 || atomic_load_explicit(&s->of, memory_order_relaxed) != of ||
        (world && atomic_load_explicit(&s->worlds[0], memory_order_relaxed) != world &&
         atomic_load_explicit(&s->worlds[1], memory_order_relaxed) != world))
        return 0;
    atomic_store_explicit(&s->asked, turn, memory_order_relaxed);
    return 1;
}

int stop_fail(struct sosia_err *err)
{
    return sosia_fail(err, SOSIA_E_INTERRUPTED, "interrupted", NULL,
                      "it was interrupted, and nothing has changed");
}
