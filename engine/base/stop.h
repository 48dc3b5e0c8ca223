/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Work that another thread, or a signal, may end (sosia_interrupt()). Work looks now and
 * then whether it is to stop, and fails then. Work within work stops with it.
 *
 * A request to stop has the number of a turn, so that it never reaches the work behind that.
 */
#ifndef SOSIA_BASE_STOP_H
#define SOSIA_BASE_STOP_H

#include "engine/base/err.h"
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* All zero: nothing is under way. */
struct stop {
    _Atomic(const void *) of;    /* whose work it is: an engine */
    _Atomic(uint64_t) turn;      /* odd while work is under way */
    _Atomic(uint64_t) asked;     /* the turn that is to end */
    _Atomic(uint64_t) worlds[2]; /* that it was in last; 0: none */
    struct stop *outer;          /* the thread's work that this one is a part of */
};

#define STOP_TLS _Thread_local __attribute__((tls_model("initial-exec")))
extern STOP_TLS struct stop *stop_mine; /* the thread's innermost; NULL: none */

/* By the thread that works; those of a thread lie within each other. */
void stop_begin(struct stop *s, const void *of);
void stop_end(struct stop *s);

/* The work goes to a world. */
static inline void stop_in_world(uint64_t world)
{
    struct stop *s = stop_mine;
    if (!s || atomic_load_explicit(&s->worlds[0], memory_order_relaxed) == world)
        return;
    atomic_store_explicit(&s->worlds[1], atomic_load_explicit(&s->worlds[0], memory_order_relaxed),
                          memory_order_relaxed);
    atomic_store_explicit(&s->worlds[0], world, memory_order_relaxed);
}

/* Does somebody want the thread's work to stop? */
static inline bool stop_wanted(void)
{
    for (const struct stop *s = stop_mine; s; s = s->outer)
        if (atomic_load_explicit(&s->asked, memory_order_relaxed) ==
            atomic_load_explicit(&s->turn, memory_order_relaxed))
            return true;
    return false;
}
/* The failure of work that stops. */
int stop_fail(struct sosia_err *err);

/* Wants work of `of` that is under way there to stop, in a world (0: in any): 1; 0: none is. Takes
 * no lock: a signal handler may call it. */
int stop_ask(struct stop *s, const void *of, uint64_t world);

#endif
