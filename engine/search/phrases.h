/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Many phrases, looked for in a few texts at once, word by word (Aho and Corasick, "Efficient
 * string matching", 1975): the work is that of reading the phrases and the texts, however often the
 * phrases are in the texts. Between the files of the search only.
 */
#ifndef SOSIA_SEARCH_PHRASES_H
#define SOSIA_SEARCH_PHRASES_H

#include "engine/base/arena.h"
#include "engine/base/buf.h"
#include <stdint.h>

#define PHRASES_TEXTS 16 /* at most */

/* Words, "w1 w2 ". With a mark: only the words that begin with it, taken without it. */
struct phrases_text {
    const char *words, *mark;
    size_t len;
};

struct phrases {
    struct arena *a;
    struct buf words; /* of all phrases, a NUL behind each */
    uint32_t n;       /* phrases, */
    uint32_t n_words; /* words of theirs */
    bool placed;      /* somebody wants to know where they are */
    size_t steps;     /* taken so far, for tests */
    struct phrase_set *set;
};

/* The arena outlives it. */
void phrases_init(struct phrases *p, struct arena *a);
void phrases_done(struct phrases *p);
/* Adds a phrase of at least one word: its number. */
uint32_t phrases_add(struct phrases *p, const char *words, size_t len);
/* Looks for them: once, after the last was added. Who calls it looks at the arena. */
void phrases_look(struct phrases *p, const struct phrases_text *texts, unsigned n);

/* Which of the texts have the phrase, as bits. */
unsigned phrases_seen(const struct phrases *p, uint32_t phrase);
/*
 * With `placed`: are two of them in a text with at most `most` words between? ordered: x before y;
 * else in any order, or overlapping. 1, 0; -1: after PHRASES_NEAR_STEPS it is given up, for this
 * pair and all later ones.
 */
#define PHRASES_NEAR_STEPS ((size_t)1 << 25)
int phrases_near(struct phrases *p, uint32_t x, uint32_t y, unsigned text, int64_t most,
                 bool ordered);

#endif
