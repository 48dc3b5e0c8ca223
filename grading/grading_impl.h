/* SPDX-License-Identifier: Apache-2.0 */
/* A grade that is being made. Between grade.c, settle.c and result.c. */
#ifndef SOSIA_GRADING_GRADING_IMPL_H
#define SOSIA_GRADING_GRADING_IMPL_H

#include "grading/episode.h"
#include "grading/calls.h"
#include "grading/deeds.h"

#define GRADING_BINDINGS 256 /* ways to bind variables that are tried */
#define GRADING_MATCHES  64  /* of an assertion that binds some */

struct result {
    struct verdict *verdicts; /* NULL: there is none yet */
    bool *covered;            /* by row */
    struct variables variables;
    double reward;
    size_t unexpected, passed;
    bool *strays; /* by deed: calls that have nothing to do with what is expected */
    size_t n_strays;
    bool good;
};

/* Of an assertion that uses no variables. */
struct known {
    struct verdict verdict;
    const bool *covered; /* by row; NULL: it was not asked yet */
};

struct grading {
    const struct sosia_suite *suite;
    const struct task *task;
    struct arena *arena;
    struct arena questions;  /* what is needed for one */
    struct arena results[2]; /* the best one, and the one that is made */
    int best_at;             /* which of them */
    const char *documents;   /* hash of those that the world was made of; NULL: of none */
    struct predicate_work work;
    struct episode ep;
    struct known *known; /* by assertion */
    struct result best;
    struct variable variables[VARIABLES_MAX];
    size_t n_variables;
    int tries;
    bool more;             /* ways to bind variables than were tried */
    uint64_t to;           /* the world */
    struct changes *whole; /* NULL: the diff is a document */
    struct calls_kept kept;
    struct deeds deeds;
    const char *reason;  /* why it can't be judged, a word for programs; NULL: it can */
    const char *lacking; /* the same for people */
};

/* ---- settle.c ---- */

/* Does a row count against the task where nothing expects it? */
bool grading_counts(const struct grading *g, size_t row);
/* Binds the variables from the kth assertion on, in the way that gives the highest reward:
 * g->best. 0, -1. */
int grading_solve(struct grading *g, size_t k);
/* Which assertions hold where nothing was done; start: the state at the beginning, NULL: the diff
 * is a document. 0, -1. */
int grading_find_guards(struct grading *g, struct tx *start);

/* ---- result.c ---- */

/* The best result as an object. 0, -1. */
int grading_write(struct grading *g, struct json_writer *w);
/* The member "versions" of results. */
void grading_write_versions(const struct grading *g, struct json_writer *w);

#endif
