/* SPDX-License-Identifier: Apache-2.0 */
/* Whom a mailbox's person knows. */
#include "services/mail/core/mail_impl.h"

int mail_rules_wrote_to(struct tx *tx, const struct mailbox *mb, const char *email)
{
    struct search to = {
        .kind = SEARCH_ADDRESS, .fields = FIELD_TO | FIELD_CC | FIELD_BCC, .text = email};
    int64_t sent = mail_folder_id(mb->id, FOLDER_SENT);
    struct mail_list list = {
        .mailbox = mb->id, .query = &to, .folders = &sent, .n_folders = 1, .limit = 1};
    struct mail_message *found;
    size_t n;
    bool more;
    return mail_list(tx, &list, &found, &n, &more) < 0 ? -1 : n > 0;
}

int mail_rules_knows(struct tx *tx, const struct mailbox *mb, const char *email)
{
    if (!*email)
        return 0;
    return strcmp(email_domain(email), email_domain(mb->email)) == 0
               ? 1
               : mail_rules_wrote_to(tx, mb, email);
}
