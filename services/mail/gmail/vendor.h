/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SOSIA_GMAIL_VENDOR_H
#define SOSIA_GMAIL_VENDOR_H

#include "services/mail/core/vendor.h"

/* How the mail core treats Gmail's mailboxes. */
extern const struct mail_vendor gmail_vendor;

#endif
