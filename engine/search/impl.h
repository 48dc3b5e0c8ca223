/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A question made ready to be asked. Between the files of this folder only.
 *
 * Nodes that list give keys by themselves, the greatest at or below a number, from an index in that
 * order: words, lists of the core's. They are asked in turns, each from where the last one is, so
 * that the rarest one sets the pace and nothing is read that isn't needed. Other nodes can only
 * test a document that is there already.
 */
#ifndef SOSIA_SEARCH_IMPL_H
#define SOSIA_SEARCH_IMPL_H

#include "engine/search/walk.h"

enum node_kind {
    NODE_AND,   /* drivers list, or all documents do; tests test */
    NODE_OR,    /* of kids */
    NODE_NOT,   /* of kids[0]; tests only */
    NODE_RANGE, /* keys from first to last */
    NODE_TEST,  /* the corpus's own; kids are lists that agree on what passes */
    NODE_TEXT,  /* these list: words, */
    NODE_NEAR,  /* words in an order, */
    NODE_LIST,  /* a list of the corpus's, */
    NODE_KEYS   /* given keys */
};

/* Part of what a listing node lists: everything from `from` down to the last one of keys, or to the
 * end. */
struct batch {
    int64_t *keys;
    int n, room;
    int used; /* how far it was looked at */
    int64_t from;
    bool filled, end;
};

struct search_node {
    enum node_kind kind;
    bool lists;
    struct search_node **kids; /* of NODE_AND: the drivers */
    size_t n_kids;
    struct search_node **tests; /* of NODE_AND */
    size_t n_tests;
    struct batch batch;
    const char *match; /* NODE_TEXT, NODE_NEAR: FTS5's expression */
    int distance;
    struct search_list *list; /* NODE_LIST */
    int64_t id;
    const struct search *test; /* NODE_TEST */
    int64_t first, last;       /* NODE_RANGE */
};

struct search_compiler {
    struct tx *tx;
    struct arena *a;
    const struct corpus *corpus;
    int64_t group; /* that is asked */
    void *arg;
};

/* compile.c: the node of what is asked, which lists. Conditions on the key that hold for the whole
 * narrow *first and *last. NULL: failed. */
struct search_node *search_compile(struct search_compiler *k, const struct search_ask *ask,
                                   int64_t *first, int64_t *last);

/* The words of a phrase, "w1 w2 ", and the addresses in it, "a@b c@d ", with a mark in front of
 * each. */
struct phrase {
    const char *words, *addresses;
    size_t len, addresses_len;
    bool address; /* it is an address and nothing else */
};
void search_phrase(struct arena *a, const char *text, const char *mark, struct phrase *ret);

#endif
