/* SPDX-License-Identifier: Apache-2.0 */
/* A world of three people with mailboxes, and a transaction on it. A failure of what these
 * functions do fails the test. */
#ifndef SOSIA_TESTS_MAIL_H
#define SOSIA_TESTS_MAIL_H

#include "engine/world/engine.h"
#include "services/mail/core/mail_impl.h"
#include "services/mail/gmail/label.h"
#include "tests/support/world.h"

extern struct tx tx; /* open: between mail_begin() and mail_end() */

int mail_open_world(void **state);
int mail_close_world(void **state);
/* Another world, from this document, in place of the one before. */
void mail_use(const char *doc);
/* In the middle of a test: commits and goes on in a new transaction, later by so much. */
void mail_later(int64_t us);
/* For those that look at the world from outside. */
void mail_begin(void);
void mail_end(void);

/* Of ada@acme.example, bob and cyd: by the part before the '@'. */
struct mailbox box(const char *who);
/* A text with the message's head: lines, where '\n' is written as CRLF. */
const char *crlf(const char *text);
/* Puts a message into a mailbox. labels: words of roles and names, "INBOX UNREAD". */
struct mail_message put(const char *who, const char *text, const char *labels);
/* Somebody sends it. */
struct mail_message send_as(const char *who, const char *text);
/* All labels, sorted by place: "INBOX UNREAD Work". */
const char *labels_of(const struct mail_message *m);
/* The nth message of a mailbox, the newest first. */
struct mail_message newest(const char *who, size_t nth);
size_t count_of(const char *who);
const char *raw_of(const struct mail_message *m);
const char *header_of(const struct mail_message *m, const char *name);
int64_t label_named(const char *who, const char *name);
/* One number that a query gives. */
int64_t number(const char *query);
/* What every counter says, against what it counts. */
void check_counters(void);

#endif
