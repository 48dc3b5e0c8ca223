/* SPDX-License-Identifier: Apache-2.0 */
/* A new account's mailbox with the labels that every mailbox has. */
#include "services/mail/gmail/internal.h"

static int make(struct tx *tx, const struct account *account, const struct actor *actor)
{
    static struct sql_text q_mailbox = SQL_TEXT("insert into mail_mailbox (actor) values (:actor)");
    static struct sql_text q_labels = SQL_TEXT(
        "insert into mail_label (id, mailbox, name, fold, list_view, message_view) "
        "select :mailbox << 24 | r.key, :mailbox, r.value, lower(r.value), "
        "(r.key in (3, 4) or r.key > 6) * 2, r.key in (3, 4) or r.key > 6 "
        "from json_each('[\"INBOX\", \"SENT\", \"DRAFT\", \"TRASH\", \"SPAM\", \"UNREAD\", "
        "\"STARRED\", \"IMPORTANT\", \"CHAT\", \"CATEGORY_PERSONAL\", \"CATEGORY_SOCIAL\", "
        "\"CATEGORY_PROMOTIONS\", \"CATEGORY_UPDATES\", \"CATEGORY_FORUMS\"]') r");
    (void)account;
    return TX_RUN(tx, &q_mailbox, actor->id) < 0 ? -1 : TX_RUN(tx, &q_labels, tx_last_id(tx));
}

const struct provision gmail_provisions[] = {
    {"google", ACCOUNT_MAIL, "person", true, make},
    {NULL, 0, NULL, false, NULL},
};
