/* SPDX-License-Identifier: Apache-2.0 */
/* Changes as JSON: what diffs give out, and what near misses and unexpected changes are shown as.
 */
#ifndef SOSIA_GRADING_DIFF_H
#define SOSIA_GRADING_DIFF_H

#include "engine/state/change.h"

extern const char *const change_words[]; /* by enum row_change: "added", ... */

/* The members that say which entity it is and what happened to it, into an open object. */
void change_write_head(struct json_writer *w, const struct change *c);
/* Those and what it consists of, without its consequences. */
void change_write_members(struct json_writer *w, const struct change *c);
/* The whole change as an object, without its consequences. */
void change_write(struct json_writer *w, const char *key, const struct change *c);
/* All of them with their consequences, as sosia_diff() gives them. -1 without memory. */
int diff_write(struct changes *d, struct json_writer *w);

/* Which of a diff's changes are given out. A change is of somebody, or of a kind, if it or what
 * follows from it is. */
struct diff_part {
    const char *person, *entity; /* NULL: any */
    int64_t offset, limit;       /* limit 0: all */
    bool summary;                /* without what was and is there, and what follows */
};
/* Members that a summary leaves out; NULL ends them. */
extern const char *const diff_summary_without[];
/* That part as JSON, with how many there are in all ("total") and the offset of what comes "next".
 * The arguments as sosia_diff() has them. */
int diff_part(struct sosia_engine *e, uint64_t from, uint64_t to, bool all,
              const struct diff_part *part, struct sosia_blob *ret_json, struct sosia_err *err);

/* ---- calls one after the other ---- */

/* A state that those around many calls are near to, so that not each of them is read wholly. Zeroed
 * at first; journal_near_done() in the end. */
struct journal_near {
    struct tree tree;
    int left; /* calls for which it is near enough */
};
/* As sosia_journal_changes(), for one of many calls whose numbers are close to each other. */
int journal_changes_near(struct sosia_engine *e, uint64_t world, int64_t entry,
                         struct journal_near *near, struct sosia_blob *ret_json,
                         struct sosia_err *err);
void journal_near_done(struct journal_near *near);

#endif
