/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Gmail's search language (the parameter q, and the criteria of filters) as a question to the core.
 *
 * Terms are joined by an AND that may be left out; OR binds tighter than that; {a b} is a OR b;
 * ( ) groups; - negates. An operator's value is a word, a phrase in quotes or a group, in which it
 * holds for every term. Nothing that can be typed is an error but nesting beyond any use: what is
 * not an operator is words, and an operator whose value makes no sense finds nothing.
 */
#ifndef SOSIA_MAIL_GMAIL_QUERY_H
#define SOSIA_MAIL_GMAIL_QUERY_H

#include "services/mail/core/search.h"
#include "services/mail/gmail/label.h"

#define QUERY_MAX_DEPTH 30 /* of brackets */

/* Days begin at midnight of this time, whatever the mailbox's: seconds east of UTC. */
#define QUERY_ZONE (-8 * 3600)

struct query {
    const struct search *tree; /* in the arena */
    bool spam, trash;          /* it names these, so that messages in them are to be found */
};
/* Fails with INVALID "tooComplex". */
int gmail_query_parse(struct tx *tx, const struct mailbox *mailbox, const char *q,
                      struct query *ret);

#endif
