/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Searching a mailbox: what a message is found by, and questions as trees without a vendor.
 *
 * Messages are found by words. A word is a run of letters, digits, "_" and "&", without case and
 * accents; a point between digits belongs to the number ("01.2047"); of scripts without blanks
 * between words each character is one. An address is found by its words and, as a whole, by itself.
 *
 * A message's number (its rowid) orders a mailbox: mailbox, time in seconds and a sequence, from
 * the high bits to the low ones (mail.h). Answers come newest first, found as they are asked for.
 */
#ifndef SOSIA_MAIL_SEARCH_H
#define SOSIA_MAIL_SEARCH_H

#include "engine/tx.h"

/* ---- what a message is found by ---- */

/* Texts are UTF-8 (what is none is left out), decoded and unfolded; NULL: none. */
struct search_doc {
    const char *from, *to, *cc, *bcc; /* header values; several one a line */
    const char *reply_to, *list_id;
    const char *subject;
    const char *body; /* what a reader sees: text parts, HTML parts without their markup */
    size_t body_len;
    const char *html; /* HTML parts as they are, for the links in them */
    size_t html_len;
    const char *files; /* names of attached and inline files, one a line */
    bool attachment;   /* it has a file, attached or inline */
    int64_t size;      /* bytes of the whole message */
};

/* The words of a message, made once for all its copies; lives in the transaction's arena. NULL: no
 * memory. */
struct search_text;
const struct search_text *search_text(struct tx *tx, const struct search_doc *doc);

/* Makes a message findable. delivered_to: to which addresses this copy was delivered, one a line;
 * NULL: to none. */
int search_index(struct tx *tx, int64_t message, const struct search_text *text,
                 const char *delivered_to);
/* Undoes it; text and delivered_to must be what it was indexed with. */
int search_forget(struct tx *tx, int64_t message, const struct search_text *text,
                  const char *delivered_to);
/* For many at once (seeding): say so before, and have the index put in order after. */
int search_bulk_begin(struct tx *tx);
int search_bulk_end(struct tx *tx);

/* ---- questions ---- */

enum search_op {
    SEARCH_ALL,     /* every message */
    SEARCH_NONE,    /* no message */
    SEARCH_AND,     /* all of the kids */
    SEARCH_OR,      /* one of the kids */
    SEARCH_NOT,     /* not the kid */
    SEARCH_WORDS,   /* text, as a phrase, in one of fields */
    SEARCH_NEAR,    /* text and other in one of fields, with at most `number` words between them */
    SEARCH_LABEL,   /* carries the label with the id `number` */
    SEARCH_FILED,   /* carries a label that a person made */
    SEARCH_LARGER,  /* number bytes or more */
    SEARCH_SMALLER, /* fewer than number bytes */
    SEARCH_SINCE,   /* at second `number` since 1970 or later */
    SEARCH_UNTIL,   /* before second `number` */
    SEARCH_MESSAGE_ID, /* its Message-ID is text, without brackets */
    SEARCH_ATTACHMENT, /* has a file */
    SEARCH_LINK        /* has a link to this host, with the first part of a path or without:
                          "youtu.be", "docs.example.com/document" */
};

/* Where words are looked for. */
enum search_field {
    SEARCH_FROM = 1,
    SEARCH_TO = 2,
    SEARCH_CC = 4,
    SEARCH_BCC = 8,
    SEARCH_SUBJECT = 16,
    SEARCH_BODY = 32,
    SEARCH_FILES = 64,
    SEARCH_DELIVERED_TO = 128,
    SEARCH_REPLY_TO = 256,
    SEARCH_LIST = 512,
    SEARCH_ANYWHERE = 127 /* where words without a field are looked for */
};

struct search {
    enum search_op op;
    bool ordered;    /* of SEARCH_NEAR: text comes first */
    unsigned fields; /* of words: enum search_field, or'ed */
    int64_t number;
    const char *text, *other; /* UTF-8 */
    struct search *kids, *next;
};

/* Nodes in the arena; never NULL. */
struct search *search_node(struct arena *a, enum search_op op);
void search_add(struct search *parent, struct search *kid); /* as its last kid */

/* ---- answers ---- */

struct search_run;

/* Searches the messages whose numbers are between first and last. NULL: failed. The tree must stay
 * as it is until the run is over; nothing may be written in between. A run needs no closing. */
struct search_run *search_open(struct tx *tx, const struct search *tree, int64_t first,
                               int64_t last);
/* The next message, newest first: 1, 0 there is none, -1. */
int search_next(struct search_run *run, int64_t *ret_message);

/* ---- one message that is in no mailbox yet ---- */

/* For rules about arriving mail. */
struct search_facts {
    const struct search_text *text;
    const char *delivered_to;
    const char *message_id;
    int64_t seconds, size;
    const int64_t *labels; /* ids */
    size_t n_labels;
    bool filed; /* one of the labels is a person's */
};
bool search_matches(struct arena *a, const struct search *tree, const struct search_facts *facts);

#endif
