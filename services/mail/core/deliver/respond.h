/* SPDX-License-Identifier: Apache-2.0 */
/* People who answer mail by themselves. Between the files of the core. */
#ifndef SOSIA_MAIL_RESPOND_H
#define SOSIA_MAIL_RESPOND_H

#include "services/mail/core/mail_impl.h"

/* A message is in a mailbox: the responders of its person whose rules it keeps to begin their
 * answers. 0, -1. */
int mail_respond_to(struct tx *tx, const struct mail_incoming *in);

#endif
