/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/world/pass.h"
#include "engine/base/lock.h"
#include <errno.h>
#include <linux/futex.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum {
    LOOKS = 100,      /* as in engine/base/lock.c */
    SOON_NS = 100000, /* as lock_try_soon() waits */
    PLACES = 64,
    AT_ONCE = 4 /* calls of others behind one's own, whose client waits */
};

enum { LEFT, BEGUN, DONE };

/* Calls that are left, by their worlds' ids. */
static struct place {
    _Alignas(64) struct lock lock;
    _Atomic(struct pass *) first;
} places[PLACES];

static _Thread_local bool wanted;
static _Thread_local uint64_t taken;
static _Thread_local const struct lock *lock_of_taken; /* worlds keep their place */

void pass_want(bool on)
{
    wanted = on;
    if (on)
        taken = 0;
}

uint64_t pass_taken(void)
{
    return taken;
}

bool pass_try(struct lock *l, uint64_t world)
{
    if (!wanted)
        return lock_try_soon(l);
    for (int i = 0; i < LOOKS; i++) {
        if (atomic_load_explicit(&l->state, memory_order_relaxed) == 0 && lock_try(l))
            return true;
#if defined(__x86_64__) || defined(__i386__)
        __builtin_ia32_pause();
#endif
    }
    taken = world;
    lock_of_taken = l;
    return false;
}

static struct place *place_for(uint64_t world)
{
    return &places[(world * 0x9e3779b97f4a7c15u) >> 58];
}

static void put(struct pass *p)
{
    struct place *at = place_for(p->world);
    lock_take(&at->lock);
    struct pass *last = atomic_load_explicit(&at->first, memory_order_relaxed);
    while (last && last->next)
        last = last->next;
    if (last)
        last->next = p;
    else
        atomic_store_explicit(&at->first, p, memory_order_relaxed);
    lock_drop(&at->lock);
}

/* Under the place's lock; before: the one in front of it, NULL: it is the first. */
static void unlink_pass(struct place *at, struct pass *before, struct pass *p)
{
    if (before)
        before->next = p->next;
    else
        atomic_store_explicit(&at->first, p->next, memory_order_relaxed);
}

/* Takes it back unless somebody has begun. */
static bool take_back(struct pass *p)
{
    struct place *at = place_for(p->world);
    lock_take(&at->lock);
    bool left = atomic_load_explicit(&p->state, memory_order_relaxed) == LEFT;
    if (left) {
        struct pass *before = NULL, *is = atomic_load_explicit(&at->first, memory_order_relaxed);
        for (; is != p; is = is->next)
            before = is;
        unlink_pass(at, before, p);
    }
    lock_drop(&at->lock);
    return left;
}

static struct pass *take_left(struct sosia_engine *e, uint64_t world)
{
    struct place *at = place_for(world);
    lock_take(&at->lock);
    struct pass *before = NULL, *p = atomic_load_explicit(&at->first, memory_order_relaxed);
    for (; p && (p->world != world || p->engine != e); p = p->next)
        before = p;
    if (p) {
        unlink_pass(at, before, p);
        atomic_store_explicit(&p->state, BEGUN, memory_order_relaxed);
    }
    lock_drop(&at->lock);
    return p;
}

static void wait_while(struct pass *p, uint32_t state, const struct timespec *end)
{
    while (atomic_load_explicit(&p->state, memory_order_acquire) == state)
        if (syscall(SYS_futex, &p->state, FUTEX_WAIT_BITSET_PRIVATE, state, end, NULL,
                    FUTEX_BITSET_MATCH_ANY) < 0 &&
            errno == ETIMEDOUT)
            return;
}

static bool is_free(void)
{
    return atomic_load_explicit(&lock_of_taken->state, memory_order_relaxed) == 0;
}

enum pass_end pass_on(struct pass *p)
{
    struct timespec now, end;
    p->world = taken;
    p->next = NULL;
    atomic_init(&p->state, LEFT);
    put(p);
    /* Either who leaves the world sees what is left, or here it is seen that the world is free. */
    atomic_thread_fence(memory_order_seq_cst);
    if (is_free() && take_back(p))
        return PASS_AGAIN;
    clock_gettime(CLOCK_MONOTONIC, &now);
    int64_t ns = now.tv_nsec + SOON_NS;
    end = (struct timespec){now.tv_sec + ns / 1000000000, ns % 1000000000};
    wait_while(p, LEFT, &end);
    if (atomic_load_explicit(&p->state, memory_order_acquire) == LEFT && take_back(p))
        return is_free() ? PASS_AGAIN : PASS_BUSY; /* not all who have worlds serve others */
    wait_while(p, BEGUN, NULL);
    return p->end;
}

void pass_serve(struct sosia_engine *e, uint64_t world)
{
    const struct place *at = place_for(world);
    struct pass *p;
    atomic_thread_fence(memory_order_seq_cst);
    for (int i = 0; i < AT_ONCE; i++) {
        if (!atomic_load_explicit(&at->first, memory_order_relaxed) || !(p = take_left(e, world)))
            return;
        p->end = p->serve(p);
        atomic_store_explicit(&p->state, DONE, memory_order_release);
        /* It may be gone by now; to wake nobody does no harm. */
        syscall(SYS_futex, &p->state, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
    }
}
