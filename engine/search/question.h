/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Questions as trees that name no vendor and no service. A dialect makes them from its own query
 * language; what they are asked of is a corpus (corpus.h). Strings are split into words here
 * (words.h), not by the dialect.
 */
#ifndef SOSIA_SEARCH_QUESTION_H
#define SOSIA_SEARCH_QUESTION_H

#include "engine/world/tx.h"

struct corpus;

enum search_kind {
    SEARCH_AND, /* all of kids; of none: everything */
    SEARCH_OR,  /* one of kids; of none: nothing */
    SEARCH_NOT, /* not kids[0] */
    /* text's words are next to each other, in their order, in one of the fields. A string without
     * words matches everything. Addresses in it must be there as a whole. */
    SEARCH_PHRASE,
    SEARCH_ADDRESS, /* text is a whole address in one of the fields */
    SEARCH_NEAR,    /* text and text2, each a phrase, with at most `distance` words between */
    SEARCH_HAS,     /* has one of these: bits, as in struct search_text */
    SEARCH_RANGE,   /* from <= its key < to */
    SEARCH_OWN      /* this kind and those above it are the corpus's: members mean what it says */
};

struct search {
    unsigned kind; /* enum search_kind, or SEARCH_OWN + n */
    const struct search *const *kids;
    size_t n_kids;
    unsigned fields; /* PHRASE, ADDRESS, NEAR: bits of the corpus's fields */
    const char *text, *text2;
    int distance;
    bool ordered; /* SEARCH_NEAR: text comes before text2 */
    int64_t id;
    uint32_t bits;
    int64_t from, to;
};

#define SEARCH_MAX_NODES 8000 /* of a tree */
#define SEARCH_MAX_DEPTH 100
/* How often a word may be in the phrases of a question: each time costs a look at each of its
 * places, of which a document may have two million. */
#define SEARCH_MAX_REPEATS 250

/* Is it within these limits? 0; else fails with INVALID "tooComplex". Whatever asks a question
 * looks first; who only keeps one calls this. */
int search_check(struct tx *tx, const struct search *query);

/* As JSON, {"kind": "phrase", "fields": 512, "text": "..."}: how a core keeps questions (filters,
 * saved searches). The corpus names its own kinds. */
void search_write(struct json_writer *w, const char *key, const struct corpus *corpus,
                  const struct search *s);
/* In the arena, which the caller looks at; NULL: it is none. Depth is bounded by the JSON
 * reader's. */
const struct search *search_read(struct arena *a, const struct corpus *corpus,
                                 const struct json *v);

#endif
