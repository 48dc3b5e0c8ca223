/* SPDX-License-Identifier: Apache-2.0 */
/* A mutex of four bytes: a few nanoseconds when free, waits in the kernel when not (Linux futex).
 * Worlds carry one each; a pthread mutex would be ten times the size. Zero bytes are an unlocked
 * lock. */
#ifndef SOSIA_BASE_LOCK_H
#define SOSIA_BASE_LOCK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct lock {
    _Atomic(uint32_t) state; /* 0 free, 1 held, 2 held and somebody may wait */
};

void lock_wait(struct lock *l); /* for lock_take only */
void lock_wake(struct lock *l); /* for lock_drop only */

/* Takes it if it is free; false: it is not. */
static inline bool lock_try(struct lock *l)
{
    uint32_t free_state = 0;
    return atomic_compare_exchange_strong_explicit(&l->state, &free_state, 1, memory_order_acquire,
                                                   memory_order_relaxed);
}
/* Waits for it. The caller must not hold it already. */
static inline void lock_take(struct lock *l)
{
    if (__builtin_expect(!lock_try(l), 0))
        lock_wait(l);
}
/* Takes it if it is free within 0.1 ms, which is longer than holders mostly keep one: looks a
 * little, then waits in the kernel. False: it is not. The same caller. */
bool lock_try_soon(struct lock *l);
/* Frees it, by the thread that holds it. */
static inline void lock_drop(struct lock *l)
{
    if (__builtin_expect(atomic_exchange_explicit(&l->state, 0, memory_order_release) == 2, 0))
        lock_wake(l);
}

#endif
