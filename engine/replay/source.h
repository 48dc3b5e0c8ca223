/* SPDX-License-Identifier: Apache-2.0 */
/* What a replay runs: the entries of a world, or of a file in their place, and the states from
 * which they can run. Between the files of engine/replay. */
#ifndef SOSIA_REPLAY_SOURCE_H
#define SOSIA_REPLAY_SOURCE_H

#include "engine/replay/replay.h"

/* A world's journal with the states beside it, which stay whatever the world does. */
struct source {
    uint64_t id, ticket;
    uint32_t flags;
    const struct journal_file *file; /* the entries are in it; NULL: they are the world's */
    uint64_t like;                   /* the world; id is the one in which the entries were made */
    uint32_t like_flags;
    uint16_t step_mib, journal_mib;
    struct journal_past *past; /* all entries */
    struct step start, now;
    int64_t base, last; /* numbers of the last entry before its own, and of its last one */
    int64_t first;      /* number of the first that is there: the ones before it are gone */
};

/* That of a world. source_close() when it was opened. 0, -1. */
int source_open(struct sosia_engine *e, uint64_t world, struct source *ret, struct sosia_err *err);
/* The entries of a file (borrowed) in the place of the world's, on the state that it goes back to.
 */
void source_take(struct source *s, const struct journal_file *f);
void source_close(struct source *s);
/* The latest state that is kept at or before an entry, for the caller (step_done()). Fails with
 * NOT_FOUND "stepNotFound". */
int source_step(const struct source *s, int64_t seq, struct step *ret, struct sosia_err *err);
/* Where a replay begins without a beginning: with the world's own entries, or all of them, as far
 * as there is a way to their first state. */
int64_t source_first(const struct source *s, bool all);

#endif
