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
    KEPT_NS = 500000, /* the longest wait for who keeps a world */
    PLACES = 64,
    AT_ONCE = 4 /* calls of others behind one's own, whose client waits */
};

enum { LEFT, BEGUN, DONE };

/* Calls that are left, and who keeps a world, by the worlds' ids. */
static struct place {
    _Alignas(64) struct lock lock;
    _Atomic(struct pass *) first;
    _Atomic(uint64_t) kept; /* the world that is kept */
    /* The thread that keeps it: its number, which is even, and 1 more if somebody may wait. 0:
     * nobody. */
    _Atomic(uint32_t) keeper;
    _Atomic(uint32_t) owner; /* the thread that kept it last, by its number; 0: nobody */
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

static struct place *place_for(uint64_t world)
{
    return &places[(world * 0x9e3779b97f4a7c15u) >> 58];
}

/* ---- worlds that are kept ---- */

/* A thread that will make several calls keeps their world: it is its owner, until another keeps
 * it. Threads that will make several too wait until it is left; who has one call leaves that with
 * the owner, which serves it when it leaves the world. */

static _Thread_local bool keeping;  /* what is taken next */
static _Thread_local uint64_t mine; /* the world that the thread keeps; 0: none */
static _Thread_local uint64_t owed; /* a world that it left without serving others */

static _Thread_local bool met;           /* as pass_kept() */
static _Thread_local uint64_t kept_last; /* the same */

static uint32_t my_number(void)
{
    static _Atomic(uint32_t) last;
    static _Thread_local uint32_t number;
    while (!number)
        number = atomic_fetch_add_explicit(&last, 2, memory_order_relaxed) + 2;
    return number;
}

static struct timespec after(int64_t ns)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    ns += now.tv_nsec;
    return (struct timespec){now.tv_sec + ns / 1000000000, ns % 1000000000};
}

uint64_t pass_kept(bool *ret_met)
{
    uint64_t world = kept_last;
    *ret_met = met;
    met = false;
    kept_last = 0;
    return world;
}

void pass_keep(void)
{
    keeping = true;
}

static void leave(void)
{
    struct place *at = place_for(mine);
    if (!mine)
        return;
    owed = mine;
    mine = 0;
    uint32_t is = atomic_load_explicit(&at->keeper, memory_order_relaxed);
    while ((is | 1) == (my_number() | 1))
        if (atomic_compare_exchange_weak(&at->keeper, &is, 0)) {
            if (is & 1)
                syscall(SYS_futex, &at->keeper, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
            return;
        }
}

/* The other thread that keeps it, as in struct place; 0: none does. */
static uint32_t keeper_of(struct place *at, uint64_t world)
{
    uint32_t is = atomic_load_explicit(&at->keeper, memory_order_relaxed);
    return (is | 1) == (my_number() | 1) ||
                   atomic_load_explicit(&at->kept, memory_order_relaxed) != world
               ? 0
               : is;
}

/* Waits while another thread keeps it, and takes it from one that keeps it for long. True: it had
 * to wait, and so may others. */
static bool wait_for_keeper(struct place *at, uint64_t world)
{
    struct timespec end;
    bool waited = false;
    for (uint32_t is; (is = keeper_of(at, world)) != 0;) {
        if (!waited)
            end = after(KEPT_NS);
        waited = true;
        if (!(is & 1) && !atomic_compare_exchange_weak(&at->keeper, &is, is | 1))
            continue;
        is |= 1;
        if (syscall(SYS_futex, &at->keeper, FUTEX_WAIT_BITSET_PRIVATE, is, &end, NULL,
                    FUTEX_BITSET_MATCH_ANY) < 0 &&
            errno == ETIMEDOUT) {
            atomic_compare_exchange_strong(&at->keeper, &is, 0);
            break;
        }
    }
    return waited;
}

/* Before the thread takes it: who has it now will not have it again at once. */
static void keep(struct place *at, uint64_t world)
{
    bool waited = false, got;
    if (mine == world)
        return;
    do {
        uint32_t nobody = 0;
        waited |= wait_for_keeper(at, world);
        got = atomic_compare_exchange_strong(&at->keeper, &nobody, my_number() | waited);
    } while (!got && keeper_of(at, world));
    if (!got)
        return; /* of another world */
    atomic_store_explicit(&at->kept, world, memory_order_relaxed);
    atomic_store_explicit(&at->owner, my_number(), memory_order_relaxed);
    mine = world;
}

/* The other thread that owns it; 0: none does. */
static uint32_t owner_of(struct place *at, uint64_t world)
{
    uint32_t is = atomic_load_explicit(&at->owner, memory_order_relaxed);
    return is == my_number() || atomic_load_explicit(&at->kept, memory_order_relaxed) != world ? 0
                                                                                               : is;
}

/* It has not served what was left with it. */
static void disown(struct place *at, uint64_t world)
{
    uint32_t is = owner_of(at, world);
    if (is)
        atomic_compare_exchange_strong(&at->owner, &is, 0);
}

static bool look(struct lock *l)
{
    for (int i = 0; i < LOOKS; i++) {
        if (atomic_load_explicit(&l->state, memory_order_relaxed) == 0 && lock_try(l))
            return true;
#if defined(__x86_64__) || defined(__i386__)
        __builtin_ia32_pause();
#endif
    }
    return false;
}

bool pass_try(struct lock *l, uint64_t world)
{
    struct place *at = place_for(world);
    if (!wanted)
        return lock_try_soon(l);
    if (mine && mine != world)
        leave();
    if (owner_of(at, world))
        met = true;
    if (keeping)
        keep(at, world);
    kept_last = mine;
    if (mine ? lock_try_soon(l) : !owner_of(at, world) && look(l))
        return true;
    taken = world;
    lock_of_taken = l;
    return false;
}

/* ---- calls that are left ---- */

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
    struct place *at = place_for(taken);
    leave(); /* who waits keeps nothing */
    p->world = taken;
    p->next = NULL;
    atomic_init(&p->state, LEFT);
    put(p);
    /* Either who leaves the world sees what is left, or here it is seen that the world is free. */
    atomic_thread_fence(memory_order_seq_cst);
    if (is_free() && !owner_of(at, taken) && take_back(p))
        return PASS_AGAIN;
    struct timespec end = after(owner_of(at, taken) ? KEPT_NS : SOON_NS);
    wait_while(p, LEFT, &end);
    if (atomic_load_explicit(&p->state, memory_order_acquire) == LEFT && take_back(p)) {
        disown(at, taken);
        return is_free() ? PASS_AGAIN : PASS_BUSY; /* not all who have worlds serve others */
    }
    wait_while(p, BEGUN, NULL);
    return p->end;
}

static void serve(struct sosia_engine *e, uint64_t world)
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

void pass_serve(struct sosia_engine *e, uint64_t world)
{
    uint64_t other = owed;
    owed = 0;
    if (other && other != world)
        serve(e, other);
    if (mine != world) /* else when it is left */
        serve(e, world);
}

void pass_leave(struct sosia_engine *e)
{
    keeping = false;
    leave();
    uint64_t world = owed;
    owed = 0;
    if (world)
        serve(e, world);
}
