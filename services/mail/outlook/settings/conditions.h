/* SPDX-License-Identifier: Apache-2.0 */
/* Questions of message rules and overrides about a message that comes. */
#ifndef SOSIA_OUTLOOK_CONDITIONS_H
#define SOSIA_OUTLOOK_CONDITIONS_H

#include "services/mail/outlook/outlook.h"

struct mail_incoming;

/* The message that rules are asked about, and what has been read of it: once for all of them. NULL:
 * no memory. */
struct outlook_coming;
struct outlook_coming *outlook_coming_new(struct arena *a);
/* A rule, JSON as stored, that is asked of a message. */
struct outlook_conditions {
    const struct json *rule;
    struct outlook_coming *of;
};
/* Does it meet the conditions and no exception? 1, 0, -1. */
int outlook_rule_meets(struct tx *tx, const struct mail_incoming *in, const void *conditions);
/* Is it from the sender whom an override of the focused inbox names? 1, 0, -1. */
int outlook_override_meets(struct tx *tx, const struct mail_incoming *in, const void *override);

#endif
