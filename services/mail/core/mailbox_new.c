/* SPDX-License-Identifier: Apache-2.0 */
/* New mailboxes, with the places that their vendor gives them. */
#include "services/mail/core/folder.h"
#include "services/mail/core/mail_impl.h"
#include "services/mail/core/vendor.h"

int mail_mailbox_make(struct tx *tx, const struct account *account, const struct mail_vendor *v)
{
    static struct sql_text q = SQL_TEXT(
        "insert into mail_mailbox (actor, vendor, account) values (:actor, :vendor, :account)");
    if (TX_RUN(tx, &q, account->actor, v->name, account->id) < 0)
        return -1;
    const int64_t mailbox = tx_last_id(tx);
    for (size_t i = 0; i < v->n_fixed; i++)
        if (mail_folder_fix(tx, mailbox, &v->fixed[i]) < 0)
            return -1;
    return 0;
}
