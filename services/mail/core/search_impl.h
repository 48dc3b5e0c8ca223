/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A question made ready to be asked. Between the files of the search only.
 *
 * Nodes that list give messages by themselves, the newest at or below a number, from an index that
 * stands in that order: words, labels. They are asked in turns, each from where the last one
 * stands, so that the rarest one sets the pace and nothing is read that isn't needed. Other nodes
 * can only test a message that is there already.
 */
#ifndef SOSIA_MAIL_SEARCH_IMPL_H
#define SOSIA_MAIL_SEARCH_IMPL_H

#include "services/mail/core/index.h"

enum node_kind {
    NODE_AND,   /* drivers list, or all messages do; tests test */
    NODE_OR,    /* of kids */
    NODE_NOT,   /* of kids[0]; tests only */
    NODE_DATE,  /* ids from first to last */
    NODE_FLAGS, /* roles; kids are their labels */
    NODE_SIZE,
    NODE_TEXT, /* these list: words, */
    NODE_NEAR, /* words in an order, */
    NODE_LABEL,
    NODE_FILED, /* messages with labels of their owner's, */
    NODE_IDS,   /* those in a list, */
    NODE_ALL    /* all */
};

/* Part of what a listing node lists: everything from `from` down to the last one of ids, or to the
 * end. */
struct batch {
    int64_t *ids;
    int n, room;
    int used; /* how far it was looked at */
    int64_t from;
    bool filled, end;
};

struct node {
    enum node_kind kind;
    bool lists;
    struct node **kids; /* of NODE_AND: the drivers */
    size_t n_kids;
    struct node **tests; /* of NODE_AND */
    size_t n_tests;
    struct batch batch;
    const char *match; /* NODE_TEXT, NODE_NEAR: FTS5's expression */
    int distance;
    int64_t label;
    uint32_t flags;
    int64_t first, last; /* NODE_DATE: ids; NODE_SIZE: bytes, last is not meant */
};

/* Where the parts of a message's number stand. */
#define ID_SECONDS 14 /* bits below the time */
#define ID_MAILBOX 47 /* bits below the mailbox */
static inline int64_t id_of(int64_t mailbox, int64_t seconds)
{
    const int64_t most = (INT64_C(1) << (ID_MAILBOX - ID_SECONDS)) - 1;
    seconds = seconds < 0 ? 0 : seconds > most ? most : seconds;
    return mailbox << ID_MAILBOX | seconds << ID_SECONDS;
}

/* compile.c: the node of a question in a mailbox. Conditions on the date that hold for the whole
 * narrow *first and *last. NULL: failed. */
struct node *search_compile(struct tx *tx, int64_t mailbox, const struct search *query,
                            int64_t *first, int64_t *last);
/* Fails with INVALID "tooComplex". */
int search_check(struct tx *tx, const struct search *query);
/* A node for messages with a label. */
struct node *search_label_node(struct arena *a, int64_t label);
/* Both of them. */
struct node *search_both(struct arena *a, struct node *x, struct node *y);
/* One that lists. */
struct node *search_listing(struct arena *a, struct node *x);

/* The words of a phrase, "w1 w2 ", and the addresses in it, "a@b c@d ", with a mark in front of
 * each. */
struct phrase {
    const char *words, *addresses;
    size_t len, addresses_len;
    bool address; /* it is an address and nothing else */
};
void search_phrase(struct arena *a, const char *text, const char *mark, struct phrase *ret);

#endif
