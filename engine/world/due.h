/* SPDX-License-Identifier: Apache-2.0 */
/* What is due by the clock of a world, for whoever looks. */
#ifndef SOSIA_WORLD_DUE_H
#define SOSIA_WORLD_DUE_H

#include "sosia.h"

/* {"now", "due": [{"at", "core", "kind"}], "total"}: the next one first, of which at most `limit`
 * are listed. */
int world_due_list(struct sosia_engine *e, uint64_t world, int limit, struct sosia_blob *ret_json,
                   struct sosia_err *err);

/* The clock of a world goes on to that instant, with what falls due until then, as
 * sosia_clock_advance() has it go on; one that is there already stays as it is, and so does that of
 * a world which went back since (struct world, era). 0, -1. */
int world_advance_to(struct sosia_engine *e, uint64_t world, uint64_t era, int64_t to_us,
                     struct sosia_err *err);

#endif
