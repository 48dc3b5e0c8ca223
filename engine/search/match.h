/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Does a document match? The same questions without the index, many at once: for rules about what
 * just comes in. What this finds and what the index finds is the same.
 */
#ifndef SOSIA_SEARCH_MATCH_H
#define SOSIA_SEARCH_MATCH_H

#include "engine/search/corpus.h"

/* A document that is just coming in, or any other. */
struct search_facts {
    int64_t key;
    const struct search_text *text;
    /* Is a question of the corpus's own kinds true of it? */
    bool (*own)(const struct search *q, const void *arg);
    const void *arg;
};
/*
 * Which of n questions does it match? 0, -1. The work grows with the sum of what is in the
 * questions and in the document, not with their product; words near each other are looked for up to
 * a limit (phrases.h), and what is beyond it does not match. ret_steps: how much was done, NULL:
 * not asked for.
 */
int search_match(struct tx *tx, const struct corpus *corpus, const struct search *const *queries,
                 size_t n, const struct search_facts *facts, bool *ret, size_t *ret_steps);
/* One: 1, 0, -1. Fails with INVALID "tooComplex". */
int search_matches(struct tx *tx, const struct corpus *corpus, const struct search *query,
                   const struct search_facts *facts);

#endif
