/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parts: what a service keeps in memory beside worlds and as long as their engine, such as who
 * listens to them. It is not a part of any world: a fork has none of it, and no call's effect on
 * its world depends on it.
 */
#ifndef SOSIA_WORLD_PART_H
#define SOSIA_WORLD_PART_H

#include "engine/world/event.h"

#define MAX_PARTS 4 /* kinds, of an engine */

/* Events of a committed transaction, in batches as they were raised. */
struct delivered {
    struct delivered *next;
    const struct world_event *first;
};

struct part {
    /* NULL without memory. */
    void *(*make)(struct sosia_engine *e);
    void (*free)(void *self);
    /* A change has been committed that raised events, which the transaction has; its world is
     * locked, the transaction itself over. ticket: what others must wait for before they learn of
     * it (engine_sync()); 0: nothing. */
    void (*events)(void *self, const struct tx *tx, uint64_t ticket);
    /* The world has gone back to what it was, or is gone. Its lock may be held. */
    void (*ended)(void *self, uint64_t world);
};

/* The engine's own of a kind, made when it is first asked for. NULL: there is no memory, or the
 * engine has MAX_PARTS others. */
void *part_of(struct sosia_engine *e, const struct part *kind);

/* Calls fn when the change with this ticket is on disk, or was not written (rc -1): at once, or
 * from another thread. */
void part_when_kept(struct sosia_engine *e, uint64_t ticket, void (*fn)(void *arg, int rc),
                    void *arg);

/* ---- for the engine ---- */

/* After a commit. */
void parts_notify(const struct tx *tx);
void parts_end_world(struct sosia_engine *e, uint64_t world);
void parts_free(struct sosia_engine *e);

#endif
