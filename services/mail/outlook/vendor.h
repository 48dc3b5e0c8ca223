/* SPDX-License-Identifier: Apache-2.0 */
/* Outlook's policies of mailboxes (services/mail/core/vendor.h), and its places. */
#ifndef SOSIA_OUTLOOK_VENDOR_H
#define SOSIA_OUTLOOK_VENDOR_H

#include "services/mail/core/vendor.h"

enum outlook_place {
    FOLDER_OUTBOX = MARK_VENDOR,
    FOLDER_CONVERSATIONS, /* Conversation History */
    FOLDER_CATEGORIES,    /* hidden: categories are in it */
    FOLDER_SEARCHES       /* hidden: search folders may be in it */
};

extern const struct mail_vendor outlook_vendor;

#endif
