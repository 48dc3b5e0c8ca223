/* SPDX-License-Identifier: Apache-2.0 */
/* What is in folders, and folders that go with it. */
#include "engine/world/event.h"
#include "services/mail/core/folder.h"
#include "services/mail/core/mail_impl.h"
#include "services/mail/core/vendor.h"

int mail_folder_size(struct tx *tx, const struct mail_folder *f, int64_t *ret)
{
    static struct sql_text q = SQL_TEXT("select coalesce(sum(m.size), 0) from mail_member x join "
                                        "mail_message m on m.id = x.message where x.folder = :id");
    *ret = 0;
    return f->id && f->messages && TX_INT(tx, &q, ret, f->id) < 0 ? -1 : 0;
}

int mail_folder_children(struct tx *tx, int64_t mailbox, int64_t parent, int64_t *ret)
{
    static struct sql_text q =
        SQL_TEXT("select count(*) from mail_folder where mailbox = :mailbox and parent = :parent "
                 "and kind = 1 and hidden = 0");
    return TX_INT(tx, &q, ret, mailbox, parent) < 0 ? -1 : 0;
}

/* The messages in it lose it, or go for good where they have no other place. */
static int empty_folder(struct tx *tx, const struct mail_folder *f)
{
    static struct sql_text q = SQL_TEXT(
        "select " MESSAGE_COLUMNS " from mail_member l join mail_message m on m.id = l.message "
        "where l.folder = :folder order by m.id");
    struct mail_message *list;
    size_t n;
    sqlite3_stmt *messages = TX_QUERY(tx, &q, f->id);
    if (!messages || mail_message_rows(tx, messages, &list, &n) < 0)
        return -1;
    for (size_t i = 0; i < n; i++)
        if (list[i].folder == f->id ? mail_message_delete(tx, &list[i]) < 0
                                    : mail_message_modify(tx, &list[i], NULL, 0, &f->id, 1) < 0)
            return -1;
    return 0;
}

int mail_folder_delete(struct tx *tx, const struct mail_folder *f)
{
    static struct sql_text q = SQL_TEXT("delete from mail_folder where id = :id");
    struct mail_folder child;
    int r = 0;
    if (mail_folder_is_fixed(f->id))
        return tx_fail(tx, SOSIA_E_INVALID, "label", NULL, "every mailbox has %s", f->name);
    const struct mail_vendor *v = mail_vendor_of(tx, f->mailbox);
    if (!v)
        return -1;
    while (f->kind == KIND_FOLDER && (r = mail_folder_first_child(tx, f, &child)) == 1)
        if (mail_folder_delete(tx, &child) < 0)
            return -1;
    if (r < 0 || empty_folder(tx, f) < 0 || (v->folder_gone && v->folder_gone(tx, f) < 0))
        return -1;
    event_note(tx, CHANGED_FOLDERS, OP_REMOVED, f->mailbox, f->id);
    return TX_RUN(tx, &q, f->id);
}
