/* SPDX-License-Identifier: Apache-2.0 */
/* Copies of messages, and of what clients keep with them. */
#include "services/mail/core/mail_impl.h"
#include "services/mail/outlook/outlook.h"

int outlook_copy(struct tx *tx, const struct outlook_box *b, const struct mail_message *m,
                 int64_t folder, struct mail_message *ret)
{
    struct kept *extras;
    struct mail_draft d;
    size_t n;
    if (mail_kept_list(tx, &outlook_extras, m->id, NULL, &extras, &n) < 0 ||
        mail_message_copy(tx, &b->mailbox, m, folder, ret) < 0)
        return -1;
    if (m->flags & FLAG(KEYWORD_DRAFT) && mail_draft_hold(tx, ret, ret->key, &d) < 0)
        return -1;
    return outlook_extras_put(tx, ret->id, extras, n);
}
