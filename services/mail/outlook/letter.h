/* SPDX-License-Identifier: Apache-2.0 */
/* Messages from JSON, and messages taken apart so that they can be changed and made again. */
#ifndef SOSIA_OUTLOOK_LETTER_H
#define SOSIA_OUTLOOK_LETTER_H

#include "services/mail/core/mime/compose.h"
#include "services/mail/outlook/outlook.h"

enum outlook_field {
    LETTER_FROM,
    LETTER_SENDER,
    LETTER_TO,
    LETTER_CC,
    LETTER_BCC,
    LETTER_REPLY_TO,
    LETTER_FIELDS
};

struct outlook_people {
    struct mime_address *list;
    size_t n;
};

/* Somebody who is named in the text with an @: of /beta alone. */
struct outlook_mention {
    const char *id; /* a GUID */
    int64_t made_us;
    struct mime_address who, by; /* by: who wrote it; email NULL: whose mailbox it is */
};

struct outlook_letter {
    struct outlook_people people[LETTER_FIELDS];
    const char *subject, *topic; /* topic: of the conversation; NULL: the subject */
    const char *text, *html;     /* one of them; NULL: the other */
    struct compose_file *files;
    size_t n_files;
    struct compose_header *headers; /* further ones */
    size_t n_headers;
    struct outlook_mention *mentions;
    size_t n_mentions;
    const char *message_id, *in_reply_to, *references;
    int importance;
    unsigned receipts;
    int64_t date_s;
    int depth;               /* in how many messages it is attached */
    int replies;             /* how many messages it answers, one by one */
    int64_t thread, began_s; /* its conversation; 0: its own */
};

void outlook_letter_new(struct call *c, const struct outlook_box *b, struct outlook_letter *ret);
/* A message taken apart. 0, -1. */
int outlook_letter_of(struct call *c, const struct outlook_box *b, const struct mail_message *m,
                      struct outlook_letter *ret);
/* The same of what is of no mailbox. at_s: where its head names no date. 0, -1. */
int outlook_letter_of_body(struct call *c, const struct mail_message_body *body, int64_t at_s,
                           struct outlook_letter *ret);
/* Members of the message in a body: of what is in its bytes. 0, -1 refused. */
int outlook_letter_read(struct call *c, const struct json *message, struct outlook_letter *l);
/* Does the body have such members? */
bool outlook_letter_given(const struct json *message);
/* Its bytes, in the arena. key: of the message, whose conversation it begins if it has none. */
int outlook_letter_raw(struct call *c, const struct outlook_box *b, const struct outlook_letter *l,
                       int64_t key, const char **ret, size_t *ret_n);
/* An attachment is added. 0, -1 refused. */
int outlook_letter_attach(struct call *c, struct outlook_letter *l, const struct json *attachment);
int outlook_letter_file(struct call *c, struct outlook_letter *l, const struct compose_file *f);
/* A file, of which anybody says what it is. */
struct outlook_plain_file {
    const char *name, *type, *content_id; /* type, content_id NULL: not said */
    bool inlined;
    const char *data;
    size_t len;
};
int outlook_letter_plain(struct call *c, struct outlook_letter *l,
                         const struct outlook_plain_file *file);

/* The text with spaces in the place of bytes that would end a line or a part of a head; NULL of
 * NULL. In the arena. */
const char *outlook_one_line(struct arena *a, const char *text);

/* ---- quote.c ---- */

/* A page: a comment (NULL: none), and below a line the letter that is answered or goes on. In the
 * arena. */
const char *outlook_quoted(struct call *c, const struct outlook_letter *old, const char *comment);

/* ---- enclosed.c ---- */

/* An itemAttachment and a referenceAttachment of a body are added. 0, -1 refused. */
int outlook_enclose_item(struct call *c, struct outlook_letter *l, const struct json *attachment);
int outlook_enclose_link(struct call *c, struct outlook_letter *l, const struct json *attachment);
/* What Content-Type says of a link beside its type, from the part's bytes. In the arena. */
const char *outlook_link_params(struct arena *a, const char *data, size_t len);

/* ---- mention.c ---- */

/* The field of a message's head that has one mention, so that it goes with the message. */
#define MENTION_FIELD "X-MS-Exchange-Organization-Mention"
#define MENTION_KIND  "mention" /* of what is beside a message: one that was taken off it */
#define MAX_MENTIONS  100       /* of a message */
/* Those of a body's list take the place of the letter's. 0, -1 refused. */
int outlook_mentions_read(struct call *c, const struct json *list, struct outlook_letter *l);
/* Those that a head has, in their order; what is none is passed over. 0, -1. */
int outlook_mentions_of(struct tx *tx, const char *head, size_t len, struct outlook_mention **ret,
                        size_t *ret_n);
/* Those of a message that have not been taken off it. 0, -1. */
int outlook_item_mentions(struct tx *tx, const struct outlook_item *i, struct outlook_mention **ret,
                          size_t *ret_n);
/* Its members, into an open object; what the service does not use of messages is null. */
void outlook_write_mention(struct call *c, const struct outlook_mention *m);
/* The value of the field. In the arena. */
const char *outlook_mention_text(struct arena *a, const struct outlook_box *b,
                                 const struct outlook_mention *m);

/* ---- attachment.c ---- */

/* Saves a draft whose letter has one attachment more. *ret_part: which part that is. */
int outlook_attach(struct call *c, const struct outlook_box *b, struct outlook_item *i,
                   const struct outlook_letter *l, int *ret_part);

/* ---- drafts.c ---- */

/* What a body says of a message besides its bytes. */
struct outlook_marks {
    const struct json *message;
    bool received; /* MG-569: by the extended property 0x0E07 it is not a draft */
};
/* Makes a draft in a folder (0: Drafts); of one with marks->received a message. 0, -1. */
int outlook_draft_make(struct call *c, const struct outlook_box *b, const struct outlook_letter *l,
                       int64_t folder, struct outlook_item *ret);
/* The same of bytes. */
int outlook_draft_of_bytes(struct call *c, const struct outlook_box *b, const char *raw, size_t len,
                           int64_t key, int64_t folder, struct outlook_item *ret);
/* Other bytes take the place of a draft's. */
int outlook_draft_save(struct call *c, const struct outlook_box *b, const struct outlook_letter *l,
                       struct outlook_item *i);
/* The bytes of a body that is MIME in base64. 0, -1 refused. */
int outlook_mime_body(struct call *c, const char **ret, size_t *ret_n);
/* A Message-ID of the service's, with brackets (MG-367). */
int outlook_new_message_id(struct tx *tx, const char **ret);
/* Is it the key of a message that a draft took, whose own hides it? *ret_draft: that; 0: not known.
 */
bool outlook_is_saved(int64_t key, int64_t *ret_draft);
/* The message that a change with that key is about, a draft whatever bytes it has by now: 1; 0 it
 * is gone, ret->key is its own then (0: not known); -1. */
int outlook_item_of_change(struct tx *tx, int64_t mailbox, int64_t key, struct outlook_item *ret);
/* A key for a new message. */
int outlook_new_key(struct tx *tx, int64_t at_s, int64_t *ret);
/* Marks of a body: read, categories, flag, importance, classification, properties, extensions.
 * fresh: the message has just been made. 0, -1 refused; *ret_changed: something besides isRead. */
int outlook_mark(struct call *c, const struct outlook_box *b, const struct json *message,
                 struct outlook_item *i, bool fresh, bool *ret_changed);

#endif
