/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The explorer: what would have become of a recorded run if a call had got into trouble. Each call
 * is a fork in the way; behind it the run goes on as it was recorded, once as of a client that
 * makes the call again, and once as of one that goes on without it. What the end has more or less
 * than the run as it was is an effect that happened twice, or not at all.
 */
#ifndef SOSIA_GUARD_EXPLORE_H
#define SOSIA_GUARD_EXPLORE_H

#include "engine/http/fault.h"
#include "sosia.h"

#define EXPLORE_CALLS_MAX 10000 /* entries of a run */
#define EXPLORE_SHOWN     1000  /* findings of a report */

struct explore_options {
    const char *faults; /* names of kinds, separated by commas; NULL: those that are usual */
    int depth;          /* faults in a run: 1 or 2; 0: 1 */
    unsigned threads;   /* 0: as many as there are processors */
    int64_t from, to;   /* entries whose calls get faults; 0: the world's first own, its last */
};

/* A report as JSON, which the caller frees. 0, -1. */
int explore_world(struct sosia_engine *e, uint64_t world, const struct explore_options *opt,
                  struct sosia_blob *ret_json, struct sosia_err *err);

#endif
