/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Asking a corpus: the greatest key at or below a number that matches, again and again, until the
 * caller has what it needs. What a page shows, and what else belongs on it, is the caller's
 * business.
 */
#ifndef SOSIA_SEARCH_WALK_H
#define SOSIA_SEARCH_WALK_H

#include "engine/search/corpus.h"

struct search_walk;

/* A list of the corpus's. */
struct search_within {
    unsigned list;
    int64_t id;
};

struct search_ask {
    const struct corpus *corpus;
    const struct search *query;         /* NULL: everything */
    const struct search_within *within; /* and in all of these */
    size_t n_within;
    int64_t first, last; /* keys that are looked at, of one group */
    size_t expect;       /* matches that will be asked for; 0: unknown */
    void *arg;           /* for the corpus's compile() and test() */
};

/* Makes a question ready to be asked; everything lives in the arena of the transaction. The index
 * has what was put off (index.h). NULL: failed; INVALID "tooComplex". */
struct search_walk *search_open(struct tx *tx, const struct search_ask *ask);
/* The greatest key that matches, at or below `from`; 0: there is none, or it failed. */
int64_t search_next(struct search_walk *w, int64_t from);
/* Does this one match? Quick as long as each key is below the one before. False also when it
 * failed. */
bool search_test(struct search_walk *w, int64_t key);
bool search_failed(const struct search_walk *w);
/* The greatest key that is looked at: of ask->last, and what the question says. */
int64_t search_last(const struct search_walk *w);

#endif
