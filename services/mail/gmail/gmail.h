/* SPDX-License-Identifier: Apache-2.0 */
/* Gmail API v1 on the mail core: what the files of this folder share. */
#ifndef SOSIA_MAIL_GMAIL_H
#define SOSIA_MAIL_GMAIL_H

#include "vendors/google/google.h"
#include "services/mail/core/mail.h"
#include "services/mail/gmail/label.h"

extern const struct dialect gmail_dialect;
extern const struct dialect_tools gmail_tools;
/* Pages that people open to let others use their addresses. */
extern const struct dialect gmail_pages;
extern const char gmail_methods[]; /* methods.txt */
/* Owns the watches. */
extern const struct sosia_core gmail_core;

#define GMAIL_SCOPE_ALL      "https://mail.google.com/"
#define GMAIL_SCOPE(name)    "https://www.googleapis.com/auth/gmail." name
#define GMAIL_SCOPE_METADATA GMAIL_SCOPE("metadata")

#define GMAIL_MAX_SEND   36700160 /* bytes of a message that is sent, or of a draft */
#define GMAIL_MAX_INSERT 52428800
#define GMAIL_DAEMON     "mailer-daemon@googlemail.com" /* reports failures */
#define GMAIL_MAX_JSON   (5 << 20) /* bytes of a JSON body that holds a message */

/* ---- what few people report, or one recording shows: to be changed here ---- */

/* GM-404, GM-415: the status of forwardingAddresses.list and delegates.list without any; 200 has
 * the body {}. */
#define GMAIL_NOBODY_STATUS 204
/* GM-403: a vacation that has no subject is given with an empty one. */
#define GMAIL_EMPTY_SUBJECT true
/* GM-406: insert and import refuse the label CHAT. */
#define GMAIL_CHAT_REFUSED true
/* GM-407: what is sent goes to no address without a dot in its domain, unless it is one of the
 * world's. */
#define GMAIL_DOMAIN_HAS_DOT true
/* GM-412: the size of a text is that of its bytes before they are converted to UTF-8. */
#define GMAIL_SIZE_AS_SENT true
/* GM-413: a message in a message that has no name can be fetched as an attachment. */
#define GMAIL_UNNAMED_MESSAGE_IS_FILE false
/* GM-413: an empty text has empty data. */
#define GMAIL_EMPTY_DATA true

/* ---- common.c: what all methods need ---- */

/* Opens the mailbox that the parameter userId names, for the call's actor. */
int gmail_open(struct call *c, struct mailbox *ret);
/* A failure with the reason invalidArgument. Gives -1. */
__attribute__((format(printf, 2, 3))) int gmail_invalid(struct call *c, const char *fmt, ...);
int gmail_not_found(struct call *c);
/* Puts a failure of the core into Gmail's words. Gives -1. */
int gmail_refused(struct call *c);
/* Does the token allow no more than metadata? It does when it has that scope, whatever others. */
bool gmail_metadata_only(const struct call *c);

/* Ids of messages and threads: 16 hex digits. */
const char *gmail_key(struct arena *a, int64_t key);
/* -1: it is not an id. */
int gmail_key_parse(const char *text, int64_t *ret);
/* Ids of drafts: "r" and a signed number. */
const char *gmail_draft_key(struct arena *a, int64_t key);
int gmail_draft_key_parse(const char *text, int64_t *ret);
/* Ids of history: numbers of changes, from 1. */
static inline int64_t gmail_history(int64_t change)
{
    return change + 1;
}

/* The message, thread or draft that the parameter id names. */
int gmail_message(struct call *c, const struct mailbox *mb, struct mail_message *ret);
int gmail_thread(struct call *c, const struct mailbox *mb, struct mail_thread *ret);
int gmail_draft(struct call *c, const struct mailbox *mb, struct mail_draft *ret);

/* ---- pages ---- */

/* maxResults: 100 without it, never above 500. */
size_t gmail_limit(const struct call *c);
/* The position after a page as a number of 20 digits, and back: 1 given, 0 not, -1 refused.
 * position: at most 47 bits. */
#define GMAIL_POSITION_BITS 47
const char *gmail_page_token(struct call *c, const struct mailbox *mb, int64_t position);
int gmail_page_position(struct call *c, const struct mailbox *mb, int64_t *ret);

/* A list that a method asks for: q, labelIds, includeSpamTrash, maxResults, pageToken. */
struct gmail_list {
    struct mail_message *messages;
    size_t n;
    const char *next_page; /* NULL: this is the last one */
    int64_t estimate;
};
int gmail_list(struct call *c, const struct mailbox *mb, bool threads, bool drafts,
               struct gmail_list *ret);
void gmail_write_page(struct call *c, const struct gmail_list *list);

/* ---- label ids ---- */

const char *gmail_label_id(struct arena *a, int64_t id);
/* The place that such an id names; -1: it is none. */
int64_t gmail_label_place(const char *id);
/* The label of an id as programs write it: 1 found, 0 not. */
int gmail_label_find(struct call *c, const struct mailbox *mb, const char *id,
                     struct gmail_label *ret);
/* The texts of a body's member that is a list; a single text is a list of one. */
int gmail_strings(struct call *c, const struct json *body, const char *member, const char ***ret,
                  size_t *ret_n);
/* The ids of such a list of labels; each must be there. settable: and one that may be added and
 * taken away. */
int gmail_label_list(struct call *c, const struct mailbox *mb, const struct json *body,
                     const char *member, bool settable, int64_t **ret, size_t *ret_n);

/* ---- change.c ---- */

/* What a body asks to add and to take away. */
struct gmail_change {
    int64_t *add, *remove;
    size_t n_add, n_remove;
};
int gmail_read_change(struct call *c, const struct mailbox *mb, struct gmail_change *ret);
/* To messages of one mailbox, at once. */
int gmail_apply(struct call *c, struct mail_message *list, size_t n, const struct gmail_change *ch);
/* Into the trash, or out of it. */
int gmail_trash(struct call *c, struct mail_message *list, size_t n, bool in);

/* ---- render.c ---- */

enum gmail_format { GMAIL_MINIMAL, GMAIL_FULL, GMAIL_RAW, GMAIL_METADATA };
/* The parameter format; refuses what a token for metadata may not see. */
int gmail_format(struct call *c, enum gmail_format *ret);
int gmail_write_message(struct call *c, const char *key, const struct mail_message *m,
                        enum gmail_format format);
/* id, threadId and labelIds. */
int gmail_write_stub(struct call *c, const char *key, const struct mail_message *m);
/* Everything but the payload. */
int gmail_write_changed(struct call *c, const struct mail_message *m);
/* Nothing but id and threadId. */
void gmail_write_ids(struct call *c, const char *key, const struct mail_message *m);
void gmail_write_labels(struct call *c, const char *key, const int64_t *labels, size_t n);
/* Bytes as base64url, padded. */
void gmail_write_bytes(struct json_writer *w, const char *key, const char *data, size_t len);
/* The message's snippet as it is written: escaped for HTML. */
const char *gmail_snippet(struct arena *a, const char *text);
/* The part that an attachment's id names; -1: it names none of this message. */
int gmail_attachment_part(struct arena *a, const struct mail_message *m, const struct mime *mime,
                          const char *id);

/* ---- input.c ---- */

/* The bytes of a message that a request brings, in its body's member raw (message: the object that
 * has it) or as a medium. */
int gmail_raw(struct call *c, const struct json *message, size_t max, const char **ret,
              size_t *ret_len);
/* The thread that a message asks for by threadId; *ret 0: none. It must be there. */
int gmail_wanted_thread(struct call *c, const struct mailbox *mb, const struct json *message,
                        int64_t *ret);
/* A message as it is kept once somebody sends or saves it: From, Date and Message-ID are filled in,
 * a trace is put in front. What is sent gets the date of that and a head for the others; a draft
 * that is sent keeps the rest of what it got when it was saved. Fills in raw and head of ret. */
enum gmail_way { GMAIL_SEND, GMAIL_SAVE, GMAIL_SEND_SAVED };
int gmail_prepare(struct call *c, const struct mailbox *mb, const char *raw, size_t len,
                  enum gmail_way way, struct mail_send *ret);

#endif
