/* SPDX-License-Identifier: Apache-2.0 */
/* Reports of failures (RFC 3464). Between the files of the core. */
#ifndef SOSIA_MAIL_BOUNCE_H
#define SOSIA_MAIL_BOUNCE_H

#include "services/mail/core/mail_impl.h"

/* The report to a sender that nobody has the address; in the arena. words: of the sender's vendor;
 * NULL: the core's, and then daemon is whom it is from; NULL: an address of the domain that
 * refuses.
 */
int mail_bounce_compose(struct tx *tx, const struct mail_report *words, const char *daemon,
                        const char *sender, const char *address, const char *head, size_t head_len,
                        const struct mail_letter_text *text, const char **ret_raw, size_t *ret_len);

#endif
