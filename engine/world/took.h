/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How long the last calls of a world took. Journals of clocks that follow real time have it in
 * their entries; those of others are the same bytes each time, so it is kept beside them, in
 * memory alone, and is in no export, replay or hash.
 */
#ifndef SOSIA_WORLD_TOOK_H
#define SOSIA_WORLD_TOOK_H

#include <stdint.h>

#define TOOK_MAX 512 /* calls */

struct world;
struct took_calls;

/* Entry `seq` of a locked world's journal was begun and ended then, by machine_us(). Without memory
 * it is not known. */
void took_add(struct world *w, int64_t seq, int64_t began_us, int64_t ended_us);
/* -1: it is not known, or not any more. */
int64_t took_of(const struct world *w, int64_t seq);
/* When the last of them ended, by machine_us(); 0: not known. */
int64_t took_last(const struct world *w);
void took_clear(struct world *w);

#endif
