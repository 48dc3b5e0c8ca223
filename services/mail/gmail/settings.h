/* SPDX-License-Identifier: Apache-2.0 */
/* What the methods under users/{userId}/settings share. */
#ifndef SOSIA_GMAIL_SETTINGS_H
#define SOSIA_GMAIL_SETTINGS_H

#include "services/mail/core/setting.h"
#include "services/mail/gmail/gmail.h"

/* Opens the mailbox for its settings: they are its person's alone. */
int settings_open(struct call *c, struct mailbox *ret);
/* The same for what only a service account with authority over the domain may do. */
int settings_share(struct call *c, struct mailbox *ret);

/* Members of a body. */
bool settings_bool(const struct json *body, const char *member);
const char *settings_text(const struct json *body, const char *member); /* "" without it */
bool settings_has(const struct json *body, const char *member);
/* One of words (NULL-terminated): its place; -1: absent, or the value that stands for unsaid. */
int settings_word(const struct json *body, const char *member, const char *const *words);

/* An address as it is kept; fails as for an invalid one. */
int settings_address(struct call *c, const char *text, const char *name, const char **ret);
/* The answer to a method that gives nothing back. */
int settings_nothing(struct call *c);

/* Filters by what programs say of them: the query that a filter's criteria are. */
int settings_criteria(struct call *c, const struct mailbox *mb, const struct json *criteria,
                      const struct search **ret);

/* Sends a mail to an address that the mailbox wants to use, with a page by which its owner agrees,
 * and fills in what that page is known by. */
int settings_ask_sender(struct call *c, const struct mailbox *mb, struct sender *s);
int settings_ask_forward(struct call *c, const struct mailbox *mb, struct forward *f);

#endif
