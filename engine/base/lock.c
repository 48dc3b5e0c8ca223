/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/base/lock.h"
#include <errno.h>
#include <linux/futex.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum {
    LOOKS = 100,     /* holders keep a lock for microseconds: spin a little before waiting */
    SOON_NS = 100000 /* the longest wait for lock_try_soon() */
};

static bool look(struct lock *l, int times)
{
    for (int i = 0; i < times; i++) {
        if (atomic_load_explicit(&l->state, memory_order_relaxed) == 0 && lock_try(l))
            return true;
#if defined(__x86_64__) || defined(__i386__)
        __builtin_ia32_pause();
#endif
    }
    return false;
}

/* Waits in the kernel until it is free, at most for so long. */
static bool wait_for(struct lock *l, int64_t ns)
{
    struct timespec now, end;
    clock_gettime(CLOCK_MONOTONIC, &now);
    ns += now.tv_nsec;
    end = (struct timespec){now.tv_sec + ns / 1000000000, ns % 1000000000};
    while (atomic_exchange_explicit(&l->state, 2, memory_order_acquire) != 0)
        if (syscall(SYS_futex, &l->state, FUTEX_WAIT_BITSET_PRIVATE, 2, &end, NULL,
                    FUTEX_BITSET_MATCH_ANY) < 0 &&
            errno == ETIMEDOUT)
            return false;
    return true;
}

bool lock_try_soon(struct lock *l)
{
    return lock_try(l) || look(l, LOOKS) || wait_for(l, SOON_NS);
}

void lock_wait(struct lock *l)
{
    if (look(l, LOOKS))
        return;
    while (atomic_exchange_explicit(&l->state, 2, memory_order_acquire) != 0)
        syscall(SYS_futex, &l->state, FUTEX_WAIT_PRIVATE, 2, NULL, NULL, 0);
}

void lock_wake(struct lock *l)
{
    syscall(SYS_futex, &l->state, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}
