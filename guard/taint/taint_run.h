/* SPDX-License-Identifier: Apache-2.0 */
/* What runs have read of outsiders' values, in memory and in rows (guard_read). */
#ifndef SOSIA_GUARD_TAINT_RUN_H
#define SOSIA_GUARD_TAINT_RUN_H

#include "engine/world/engine.h"

/* What one call has read of one row. */
struct taint_source {
    char *row, *author; /* "": of any */
    char *method;
    int64_t at_us;
    uint64_t *values;
    size_t n, cap;
    bool all; /* the answer was no text: it may have had every value that outsiders wrote */
};

struct taint_seen {
    uint64_t value; /* 0: free */
    size_t source;
};

struct taint_run {
    uint64_t key;
    struct taint_source *sources;
    size_t n, cap;
    size_t saved, kept; /* of the sources, those that are in rows; as of the last call */
    struct taint_seen *seen;
    size_t n_seen, cap_seen;
    bool all;
    uint64_t used; /* when, in calls */
    /* Hashes of texts in answers that have nothing which is not in seen, by their last bits, as
     * long as the index is at this turn; not in rows. */
    uint64_t *texts, turn;
};

struct taint_runs {
    struct taint_run **list;
    size_t n;
    uint64_t calls;
};

#define TAINT_TEXTS 1024 /* of a run */

/* The run of that key, which is made if there is none; NULL without memory. */
struct taint_run *taint_runs_find(struct taint_runs *r, uint64_t key);
void taint_runs_done(struct taint_runs *r);
int taint_runs_copy(const struct taint_runs *from, struct taint_runs *to);
int taint_runs_load(struct tx *tx, struct taint_runs *r);
int taint_runs_save(struct tx *tx, struct taint_runs *r);
/* Where the run has read a value; NULL: it has not. */
const struct taint_source *taint_run_source(const struct taint_run *run, uint64_t value);
/* The same for a new value of a source. -1 without memory. */
int taint_run_add(struct taint_run *run, size_t source, uint64_t value);
/* What runs have read since they were `before` (NULL: nothing), as items of an open list; and takes
 * such into a run. 0; -1 without memory. */
void taint_runs_since(struct json_writer *w, const struct taint_runs *now,
                      const struct taint_runs *before);
int taint_run_take(struct taint_run *run, const struct json *list);
/* A new source; its place, SIZE_MAX without memory. */
size_t taint_run_open(struct taint_run *run, const char *row, const char *author,
                      const char *method, int64_t at_us);

#endif
