/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls of nobody that were refused: without a credential, or with one that is not taken. Anybody
 * can make as many as they like, so they are counted, and the last few are kept in memory, without
 * bodies: none is an entry of the journal, a byte of the world's, or a write to the disk.
 */
#ifndef SOSIA_WORLD_REFUSED_H
#define SOSIA_WORLD_REFUSED_H

#include "engine/json/json.h"

struct world;
struct refused_calls;

/* What is known of one; all borrowed. */
struct refused_call {
    int64_t at_us;
    const char *verb, *path; /* the path's end is at path_len, without a query */
    size_t path_len;
    const char *method, *why; /* NULL: not known */
    int status;
};

/* In a locked world. Without memory it is not counted. */
void refused_add(struct world *w, const struct refused_call *call);
/* The member "refused": how many there were since the world was made or reset, and the last ones.
 */
void refused_write(const struct world *w, struct json_writer *out);
void refused_clear(struct world *w);

#endif
