/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Searching mailboxes: what a message is found by, and questions as trees that know no vendor's
 * syntax. A dialect makes them from its own query language. Texts are split into words by words.h
 * here, not by the dialect.
 */
#ifndef SOSIA_MAIL_SEARCH_H
#define SOSIA_MAIL_SEARCH_H

#include "services/mail/core/mail.h"

/* ---- what a message is found by ---- */

/* Decoded texts, UTF-8 (what is none is left out); NULL: none. */
struct search_doc {
    const char *from, *to, *cc, *bcc; /* values of headers; several one a line */
    const char *reply, *list;         /* Reply-To; List-Id and List-Post */
    const char *subject;
    const char *files; /* names, one a line */
    const char *body;  /* what a reader sees: text parts, and HTML parts without their markup */
    size_t body_len;
    const char *html; /* HTML parts as they are, for the links in them */
    size_t html_len;
    uint32_t has; /* HAS_FILE, HAS_INVITE */
    int64_t size; /* bytes of the message */
};

/* The words of a message, made once for all its copies; in the arena of the transaction. */
struct search_text {
    uint32_t has; /* enum search_has, with the links that were found */
    const char *columns[8];
    size_t len[8];
};
int search_text(struct tx *tx, const struct search_doc *doc, struct search_text *ret);
/* The same for a copy with another head or size: what says nothing of those is taken from other. */
int search_text_head(struct tx *tx, const struct search_doc *doc, const struct search_text *other,
                     struct search_text *ret);
#define SEARCH_TEXT_MAX ((size_t)4 << 20) /* bytes of a body's words that are indexed */

/* Puts a message into the index, and takes it out again. delivered: to which addresses this copy
 * came, one a line; NULL: none. Both must be the same when it is taken out. */
int search_add(struct tx *tx, int64_t message, const struct search_text *text,
               const char *delivered);
int search_remove(struct tx *tx, int64_t message, const struct search_text *text,
                  const char *delivered);
/*
 * For very many at once (seeds): they are kept until there are enough of them, and go into the
 * index in the order that suits it. What is kept is not found yet, and must not be removed.
 */
struct search_bulk;
int search_bulk_begin(struct tx *tx, struct search_bulk **ret);
int search_bulk_add(struct tx *tx, struct search_bulk *bulk, int64_t message,
                    const struct search_text *text, const char *delivered);
/* Frees it, in any case; failed: what it has is given up, with the transaction. */
int search_bulk_end(struct tx *tx, struct search_bulk *bulk, bool failed);

/* ---- questions ---- */

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

#define SEARCH_MAX_NODES 8000 /* of a tree */
#define SEARCH_MAX_DEPTH 100
/* A word may stand so often in the phrases of a question: each time costs a look at each of its
 * places, of which a message may have two million. */
#define SEARCH_MAX_REPEATS 250

/* mail_list() with a query: the same contract. Fails with INVALID "tooComplex". */
int search_list(struct tx *tx, const struct mail_list *list, struct message **ret, size_t *ret_n,
                bool *ret_more);

/* A message that is just coming in, or any other. */
struct search_facts {
    const struct message *message; /* id, flags, has, at_s, size */
    const struct search_text *text;
    const char *delivered;  /* as for search_add() */
    const char *message_id; /* NULL: none */
    const int64_t *labels;  /* of its owner's */
    size_t n_labels;
};
/*
 * Which of n questions does it match? 0, -1. The index is not asked. The work grows with the sum of
 * what stands in the questions and in the message, not with their product; words near each other
 * are looked for up to a limit (phrases.h), and what could not be told behind it is no match.
 * ret_steps: how much was done, NULL: nobody asks.
 */
int search_match(struct tx *tx, const struct search *const *queries, size_t n,
                 const struct search_facts *facts, bool *ret, size_t *ret_steps);
/* One: 1, 0, -1. Fails with INVALID "tooComplex". */
int search_matches(struct tx *tx, const struct search *query, const struct search_facts *facts);

#endif
