/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Questions about messages, as a tree that knows no vendor's syntax. A dialect makes it from its
 * own query language. Words are split by words.h here, not by the dialect.
 */
#ifndef SOSIA_MAIL_SEARCH_H
#define SOSIA_MAIL_SEARCH_H

#include "services/mail/core/mail.h"

enum search_kind {
    SEARCH_AND, /* all of kids; of none: everything */
    SEARCH_OR,  /* one of kids; of none: nothing */
    SEARCH_NOT, /* not kids[0] */
    /* text's words stand next to each other, in their order, in one of the fields. A text without
     * words matches everything. Addresses in it must be there as a whole. */
    SEARCH_PHRASE,
    SEARCH_ADDRESS,   /* text is a whole address in one of the fields */
    SEARCH_NEAR,      /* text and text2, each a phrase, with at most `distance` words between */
    SEARCH_LABEL,     /* has the label (id) */
    SEARCH_FLAGS,     /* has all these roles (FLAG_OWN_LABELS too): bits */
    SEARCH_HAS,       /* has one of these: bits of enum search_has */
    SEARCH_SIZE,      /* from <= bytes < to */
    SEARCH_DATE,      /* from <= seconds since 1970 of its coming < to */
    SEARCH_MESSAGE_ID /* text is its Message-ID; brackets optional */
};

/* Fields of SEARCH_PHRASE, ADDRESS and NEAR, as bits. */
enum search_field {
    FIELD_FROM = 1,
    FIELD_TO = 2,
    FIELD_CC = 4,
    FIELD_BCC = 8,
    FIELD_DELIVERED = 16, /* Delivered-To */
    FIELD_REPLY = 32,     /* Reply-To */
    FIELD_LIST = 64,      /* List-Id and List-Post */
    FIELD_FILE = 128,     /* names of its files */
    FIELD_SUBJECT = 256,
    FIELD_BODY = 512 /* its texts; of HTML what a reader sees */
};
#define FIELDS_ANY                                                                                 \
    (FIELD_FROM | FIELD_TO | FIELD_CC | FIELD_BCC | FIELD_FILE | FIELD_SUBJECT | FIELD_BODY)

/* What a message has, as bits (struct message). Links are those in its texts. */
enum search_has {
    HAS_FILE = 1,   /* attachments, and inline images */
    HAS_INVITE = 2, /* a calendar object */
    HAS_VIDEO = 4,  /* a link to a video on YouTube */
    HAS_DRIVE = 8,  /* a link to a file in Google Drive; also set with the next three */
    HAS_DOCUMENT = 16,
    HAS_SPREADSHEET = 32,
    HAS_PRESENTATION = 64
};

struct search {
    enum search_kind kind;
    const struct search *const *kids;
    size_t n_kids;
    unsigned fields; /* enum search_field */
    const char *text, *text2;
    int distance;
    bool ordered; /* SEARCH_NEAR: text stands before text2 */
    int64_t label;
    uint32_t bits;
    int64_t from, to;
};

#define SEARCH_MAX_NODES 4000 /* of a tree */
#define SEARCH_MAX_DEPTH 100

/* mail_list() with a query: the same contract. Fails with INVALID "tooComplex". */
int search_list(struct tx *tx, const struct mail_list *list, struct message **ret, size_t *ret_n,
                bool *ret_more);

/* A message as questions see it without the index: of one that is just coming in, so that rules
 * cost the index nothing. Read once, asked often. */
struct search_facts;
int search_facts(struct tx *tx, const struct message *m, const struct search_facts **ret);
/* Does it match? Flags and labels are those of now: in the row, and own. 1, 0, -1. */
int search_matches(struct tx *tx, const struct search *query, const struct search_facts *facts,
                   uint32_t flags, const int64_t *own, size_t n_own);

#endif
