/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Searching mailboxes: what a message is found by, and what the mail core adds to the engine's
 * questions (engine/search). A key is a message's number, a group a mailbox.
 */
#ifndef SOSIA_MAIL_SEARCH_H
#define SOSIA_MAIL_SEARCH_H

#include "engine/search/corpus.h"
#include "services/mail/core/mail.h"

/* Who asks it says what was looked at: struct mail_asking (mail_impl.h). */
extern const struct corpus mail_corpus;

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
int mail_text(struct tx *tx, const struct search_doc *doc, struct search_text *ret);
/* The same for a copy with another head or size: what says nothing of those is taken from other. */
int mail_text_head(struct tx *tx, const struct search_doc *doc, const struct search_text *other,
                   struct search_text *ret);
/* The same for a copy that came to these addresses, one a line (NULL: none), in which its owner is
 * shown links to such files (bits of HAS_FILES). */
int mail_text_delivered(struct tx *tx, const struct search_text *other, const char *delivered,
                        uint32_t files, struct search_text *ret);

/* ---- questions ---- */

/* What only a mailbox can be asked, as kinds of struct search. */
#define SEARCH_FOLDER     (SEARCH_OWN + 0) /* has the folder (id) */
#define SEARCH_FLAGS      (SEARCH_OWN + 1) /* has all these roles (FLAG_OWN_FOLDERS too): bits */
#define SEARCH_SIZE       (SEARCH_OWN + 2) /* from <= bytes < to */
#define SEARCH_DATE       (SEARCH_OWN + 3) /* from <= seconds since 1970 of its coming < to */
#define SEARCH_MESSAGE_ID (SEARCH_OWN + 4) /* text is its Message-ID; brackets optional */
#define SEARCH_THREAD     (SEARCH_OWN + 5) /* is in the thread (id) */
/* Its row of properties has the value (id) for one of them (bits: enum mail_asked_property). What
 * is usual has none, so it is not asked for so. */
#define SEARCH_PROPERTY (SEARCH_OWN + 6)
enum mail_asked_property { ASKED_IMPORTANCE, ASKED_FLAG, ASKED_INFERENCE };

/* Fields of SEARCH_PHRASE, ADDRESS and NEAR, as bits. */
enum mail_field {
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

/* What a message has, as bits (struct mail_message). Links are those in its texts. */
enum mail_has {
    HAS_FILE = 1,   /* attachments, and inline images */
    HAS_INVITE = 2, /* a calendar object */
    HAS_VIDEO = 4,  /* a link to a video, as vendors know them */
    HAS_DRIVE = 8,  /* a link to a file that its owner could see; also set with the next three */
    HAS_DOCUMENT = 16,
    HAS_SPREADSHEET = 32,
    HAS_PRESENTATION = 64
};
#define HAS_FILES (HAS_DRIVE | HAS_DOCUMENT | HAS_SPREADSHEET | HAS_PRESENTATION)

/* A message that is just coming in, or any other. */
struct mail_facts {
    const struct mail_message *message; /* id, flags, has, at_s, size */
    const struct search_text *text;
    const char *delivered;  /* as for mail_text_delivered() */
    const char *message_id; /* NULL: none */
    const int64_t *folders; /* of its owner's */
    size_t n_folders;
    const struct mail_property *property; /* NULL: the usual */
};
/* search_match() and search_matches() of it (engine/search/match.h). */
int mail_match(struct tx *tx, const struct search *const *queries, size_t n,
               const struct mail_facts *facts, bool *ret, size_t *ret_steps);
int mail_matches(struct tx *tx, const struct search *query, const struct mail_facts *facts);

#endif
