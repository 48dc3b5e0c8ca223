/* SPDX-License-Identifier: Apache-2.0 */
/* A new account's mailbox with the labels that every mailbox has. */
#include "services/mail/gmail/internal.h"
#include "services/mail/gmail/vendor.h"

static int make(struct tx *tx, const struct account *account, const struct actor *actor)
{
    (void)actor;
    return mail_mailbox_make(tx, account, &gmail_vendor);
}

const struct provision gmail_provisions[] = {
    {"google", ACCOUNT_MAIL, "person", true, make},
    {NULL, 0, NULL, false, NULL},
};
