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

/* A task that each run is judged by. */
struct explore_grade {
    const struct sosia_suite *suite; /* NULL: none is judged */
    const char *task;                /* NULL: its only one */
    const char *answer;              /* that was given in the run as it was; NULL: none */
};
/* As sosia_explore(), with verdicts: that of the run as it was ("verdict"), and each run whose
 * verdict is another ("passed" of a finding). INVALID: the task asks for calls, which runs in
 * trouble leave none of. */
int explore_graded(struct sosia_engine *e, uint64_t world, const struct sosia_explore_options *opt,
                   const struct explore_grade *by, struct sosia_blob *ret_json,
                   struct sosia_err *err);

#endif
