/* SPDX-License-Identifier: Apache-2.0 */
/* Which calls of a world's journal changed what: of one thing, or of all that a diff has. */
#ifndef SOSIA_CONSOLE_HISTORY_H
#define SOSIA_CONSOLE_HISTORY_H

#include "engine/base/buf.h"
#include "grading/diff.h"

#define HISTORY_LOOKS 500 /* calls that are looked at */

/* {"calls": [{"seq", "at", "actor", "method", "change"}], "next"}: the calls before number `before`
 * (0: all) that changed the thing of that name in diffs, the last one first; next: to go on
 * before. */
int history_read(struct sosia_engine *e, uint64_t world, const char *name, int64_t before,
                 int limit, struct buf *out, struct sosia_err *err);
/* A diff, as sosia_diff() gives it or, where part is not NULL, diff_part(), whose changes also have
 * the last call that had to do with them, as far as it is known: "seq", "actor", "method". */
int history_diff(struct sosia_engine *e, uint64_t from, uint64_t to, bool all,
                 const struct diff_part *part, struct buf *out, struct sosia_err *err);

/* Entries of a journal, as journal_search() gives them, each of a call that wrote with "effect":
 * how many things it "added", "changed" and "removed", consequences aside; of the first
 * HISTORY_EFFECTS such, as far as their states are kept. */
#define HISTORY_EFFECTS 200
int history_effects(struct sosia_engine *e, uint64_t world, const struct sosia_blob *entries,
                    struct buf *out, struct sosia_err *err);

#endif
