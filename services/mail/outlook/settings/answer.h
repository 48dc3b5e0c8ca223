/* SPDX-License-Identifier: Apache-2.0 */
/* What was set for a mailbox, as it is read. */
#ifndef SOSIA_OUTLOOK_ANSWER_H
#define SOSIA_OUTLOOK_ANSWER_H

#include "services/mail/outlook/outlook.h"

/* What was set; NULL: nothing yet. */
int outlook_mailbox_set(struct tx *tx, int64_t mailbox, const struct json **ret);
/* A member that is a text, or `otherwise`. */
const char *outlook_word_of(const struct json *v, const char *member, const char *otherwise);
/* The instant of a dateTimeTimeZone. 1, 0 there is none, -1 it is none. */
int outlook_instant_of(const struct json *v, int64_t *ret);

#endif
