/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Work that is left with the thread that has its world.
 *
 * A world that many threads want moves from one processor's caches to another's with each call. A
 * thread that finds it taken leaves its call with the thread that has it, and waits until that one,
 * which has all of the world at hand, has made the call as well.
 */
#ifndef SOSIA_WORLD_PASS_H
#define SOSIA_WORLD_PASS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct sosia_engine;
struct lock;

enum pass_end {
    PASS_SERVED,
    PASS_AGAIN, /* the world is free, or was when it was the call's turn: not served */
    PASS_BUSY,  /* not served; who has the world keeps it for long, or serves nothing of others */
};

struct pass {
    struct sosia_engine *engine;
    /* Serves it; by the thread that has had the world, when it has left it. */
    enum pass_end (*serve)(struct pass *p);
    /* of pass.c */
    uint64_t world;
    struct pass *next;
    enum pass_end end;
    _Atomic(uint32_t) state;
};

/* Whether the thread passes calls on, so that world_take_soon() does not wait for a world. */
void pass_want(bool on);
/* For world_take_soon(): takes the world's lock, as lock_try_soon() does or, where the thread
 * passes calls on, after a few looks. */
bool pass_try(struct lock *l, uint64_t world);
/* The world that the thread has found taken since pass_want(true); 0: none. */
uint64_t pass_taken(void);
/* The world that the thread takes next, where it passes calls on, it keeps until pass_leave() or
 * until it takes another, so that several calls are made where the world is at hand before it goes
 * to another processor: others that pass calls on wait, 0.5 ms at most. Who does not takes it all
 * the same. */
void pass_keep(void);
void pass_leave(struct sosia_engine *e);
/* The world that the thread has kept for the call that may write which it has made since it was
 * asked last; 0: there was none, or it keeps none. ret_met: whether it was another thread's when
 * this one wanted it. */
uint64_t pass_kept(bool *ret_met);
/* Leaves it with whoever has the world that the thread has found taken: waits until it is served,
 * 0.1 ms at most for somebody to begin. */
enum pass_end pass_on(struct pass *p);
/* By who has left the world just now: serves what was left for it meanwhile, a few at most. */
void pass_serve(struct sosia_engine *e, uint64_t world);

#endif
