/* SPDX-License-Identifier: Apache-2.0 */
/* Questions of message rules and overrides about a message that comes. */
#ifndef SOSIA_OUTLOOK_CONDITIONS_H
#define SOSIA_OUTLOOK_CONDITIONS_H

#include "services/mail/outlook/outlook.h"

struct mail_incoming;

/* Does it meet the conditions of a rule (JSON, as stored) and none of its exceptions? 1, 0, -1. */
int outlook_rule_meets(struct tx *tx, const struct mail_incoming *in, const void *rule);
/* Is it from the sender whom an override of the focused inbox names? 1, 0, -1. */
int outlook_override_meets(struct tx *tx, const struct mail_incoming *in, const void *override);

#endif
