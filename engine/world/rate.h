/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Buckets of a world's rate limits, filled by its clock. They are in the world's structure, so that
 * a read that is counted writes nothing; forks and snapshots have copies, a reset fills them, and
 * the next write keeps them in the world's rows (meta). Off by default (sosia_world_rates()).
 */
#ifndef SOSIA_WORLD_RATE_H
#define SOSIA_WORLD_RATE_H

#include "engine/world/engine.h"

/* How long until the bucket of this key has cost units, in microseconds; 0: it has. It holds limit
 * units, as many as come in in a period; a cost beyond that is never there: the whole period. */
int64_t rate_wait(const struct world *w, uint64_t key, int64_t limit, int64_t period_us,
                  int64_t cost, int64_t now_us);
/* Takes them. Without memory nothing is counted. */
void rate_take(struct world *w, uint64_t key, int64_t limit, int64_t period_us, int64_t cost,
               int64_t now_us);
/* A world that comes from another has its buckets. */
void rate_copy(struct world *to, const struct world *from);
void rate_clear(struct world *w);
/* Limits hold from now on: buckets that an earlier time has left in the world's rows don't count.
 * Without memory they do. */
void rate_begin(struct world *w);
/* What calls have taken from since rate_noted(), or rate_load() has found since, as it is now: a
 * text in the arena, "" if there is none. Calls without an entry in the journal are known by it to
 * the next one that has one. */
const char *rate_unnoted(const struct world *w, struct arena *a);
void rate_noted(struct world *w);
/* The buckets of such a text are as it says. */
void rate_set(struct world *w, const char *text);
/* Keeps the buckets with a write, and finds what was kept when the world's structure has none. */
int rate_save(struct tx *tx);
int rate_load(struct tx *tx);

#endif
