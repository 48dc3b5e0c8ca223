/* SPDX-License-Identifier: Apache-2.0 */
/* Settings that act on mail that comes: rules and automatic replies, for the mail core. */
#ifndef SOSIA_OUTLOOK_ACTS_H
#define SOSIA_OUTLOOK_ACTS_H

#include "services/mail/outlook/outlook.h"

int outlook_rules(struct tx *tx, const struct mailbox *mb, struct mail_rule **ret, size_t *ret_n);
/* The rules that a mailbox has set, in their order. 0, -1. */
int outlook_rule_list(struct tx *tx, int64_t mailbox, struct kept **ret, size_t *ret_n);
int outlook_answer(struct tx *tx, const struct mailbox *mb, struct mail_auto_answer *ret);

#endif
