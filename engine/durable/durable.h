/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The durable store: a SQLite database in WAL mode, in the data directory, that holds pages, nodes,
 * bases and the roots of worlds. Changes are handed over under the world's lock and written by one
 * thread, many worlds' changes in one transaction with one sync. What was handed over has a ticket;
 * a ticket is done when the transaction with it is on disk.
 *
 * If writing fails, every world with changes that are not on disk goes back to its last state that
 * is, their tickets fail, and so do those of changes that were derived from them (forks of such
 * worlds). A world that never was on disk ends; one that was being dropped is there again. Later
 * changes are written as if nothing had been. Reads see what is not on disk yet: whoever gives an
 * answer away waits for the ticket that the world had when it was read.
 */
#ifndef SOSIA_DURABLE_H
#define SOSIA_DURABLE_H

#include "engine/world/keeper.h"

struct durable_check;

/* Opens or creates the store in the directory, which is locked against other processes, and puts
 * its worlds into the engine's places. Before the engine has made any tree: schema cookies go on
 * where they were. A damaged directory is refused (SOSIA_E_IO); but with
 * e->check damage is noted there, what is whole is loaded, and nothing is changed. */
int durable_open(struct sosia_engine *e, const char *dir, struct durable **ret_durable,
                 struct sosia_err *err);
/* The second step, when the engine's empty world is made: starts writing. */
int durable_start(struct durable *d, struct sosia_err *err);
/* Writes what was handed over, and clocks and journals that only reads have moved, and closes. NULL
 * is fine. */
void durable_close(struct durable *d);

/* Where the change has brought many pages (a large blob), they are put on disk before it in
 * transactions of their own, in between those of others; the world's caller waits for that.
 *
 * The locked world's present state (trees, clock, journal) is to be kept: sets world->ticket.
 * source: a ticket that it hangs on besides the world's own; 0: none. Fails only for a world that
 * was never handed over, without memory. */
int durable_put(struct durable *d, struct world *w, uint64_t source, struct sosia_err *err);
/* The locked world, which was handed over before, is to end. It is marked as dropped; when its end
 * is on disk it is freed. Gives the ticket. */
uint64_t durable_drop(struct durable *d, struct world *w);
/* Is the ticket done? 1: yes; 0: not yet; -1: its write failed. Costs nothing when it was done long
 * ago. */
int durable_state(struct durable *d, uint64_t ticket);
/* Waits until the ticket is done: 0, or -1 if its write failed. Not from a function that
 * durable_notify() was given. */
int durable_wait(struct durable *d, uint64_t ticket, struct sosia_err *err);
/* Calls done(arg, 0 or -1) when the ticket is done: at once, or from the store's thread. */
void durable_notify(struct durable *d, uint64_t ticket, void (*done)(void *arg, int rc), void *arg);

/* A locked world that is parked (world_is_parked()) gets its pages and its journal. -1: they can't
 * be read, or there is no room; it stays parked. */
int durable_fetch(struct durable *d, struct world *w, struct sosia_err *err);
/* The locked world's memory is let go of, but for what others have too. False: not now, as it is
 * in use, or on its way to the disk. */
bool durable_park(struct durable *d, struct world *w);
/* What left memory with worlds that were parked, and others had then. */
void durable_tidy(struct durable *d);
/* Of a world that is parked: bytes of its journal. */
uint64_t durable_beside(const struct world *w);

/* A check of a directory: what durable_open() fills. NULL without memory. */
struct durable_check *check_new(void);
void check_free(struct durable_check *c);
/* What was found, as sosia_data_check() gives it; e: the engine that was opened for it. */
int check_report(struct durable_check *c, struct sosia_engine *e, const char *rescue_dir,
                 struct sosia_blob *ret_json, bool *ret_whole, struct sosia_err *err);

/* What it has written since it was opened. */
void durable_stats(struct durable *d, struct durable_stats *ret);

extern const struct keeper durable_keeper; /* these functions */

#endif
