/* SPDX-License-Identifier: Apache-2.0 */
/* Drafts: an id, and the message that it has now. */
#include "services/mail/core/mail_impl.h"

static int read_draft(struct tx *tx, sqlite3_stmt *st, struct mail_draft *ret)
{
    int r = TX_STEP(tx, st);
    if (r != 1)
        return r;
    int at = mail_message_read(st, &ret->message);
    ret->id = sqlite3_column_int64(st, at);
    ret->key = sqlite3_column_int64(st, at + 1);
    sql_done(st);
    return 1;
}

int mail_draft_get(struct tx *tx, int64_t mailbox, int64_t key, struct mail_draft *ret)
{
    static struct sql_text q =
        SQL_TEXT("select " MESSAGE_COLUMNS
                 ", d.id, d.key from mail_draft d join mail_message m on m.id = d.message "
                 "where d.key = :key and d.mailbox = :mailbox");
    return read_draft(tx, TX_QUERY(tx, &q, key, mailbox), ret);
}

int mail_draft_of_message(struct tx *tx, const struct mail_message *m, struct mail_draft *ret)
{
    static struct sql_text q =
        SQL_TEXT("select " MESSAGE_COLUMNS
                 ", d.id, d.key from mail_draft d join mail_message m on m.id = d.message "
                 "where d.message = :message");
    return read_draft(tx, TX_QUERY(tx, &q, m->id), ret);
}

static int new_draft_key(struct tx *tx, int64_t mailbox, int64_t *ret)
{
    struct mail_draft other;
    int r;
    do {
        if (tx_id(tx, "draft", ret, sizeof *ret) < 0)
            return -1;
        r = *ret ? mail_draft_get(tx, mailbox, *ret, &other) : 1;
    } while (r == 1);
    return r;
}

/* Puts a message in that a draft is to hold. folder: of an exclusive vendor, where it is. */
static int put_draft_message(struct tx *tx, const struct mail_message_new *in, int64_t folder,
                             struct mail_message *ret)
{
    const struct mail_vendor *v = mail_vendor_of(tx, in->mailbox->id);
    struct mail_message_new new = *in;
    if (!v)
        return -1;
    new.flags |= FLAG(KEYWORD_DRAFT);
    if (!v->exclusive || !folder) {
        new.flags |= FLAG(FOLDER_DRAFTS);
    } else if (mail_folder_is_fixed(folder)) {
        new.flags |= FLAG(mail_folder_place(folder));
    } else {
        int64_t *folders = arena_alloc(tx->arena, (in->n_folders + 1) * sizeof *folders);
        if (arena_failed(tx->arena))
            return sosia_fail_memory(tx->err);
        for (size_t i = 0; i < in->n_folders; i++)
            folders[i] = in->folders[i];
        folders[in->n_folders] = folder;
        new.folders = folders;
        new.n_folders++;
    }
    return mail_message_keep(tx, &new, ret);
}

int mail_draft_hold(struct tx *tx, const struct mail_message *m, int64_t key,
                    struct mail_draft *ret)
{
    static struct sql_text q = SQL_TEXT(
        "insert into mail_draft (key, mailbox, message) values (:key, :mailbox, :message)");
    struct mail_draft other;
    int r = key ? mail_draft_get(tx, m->mailbox, key, &other) : new_draft_key(tx, m->mailbox, &key);
    if (r)
        return r < 0 ? -1
                     : tx_fail(tx, SOSIA_E_CONFLICT, "key", "draft",
                               "there is a draft with this id already");
    if (TX_RUN(tx, &q, key, m->mailbox, m->id) < 0)
        return -1;
    *ret = (struct mail_draft){.id = tx_last_id(tx), .key = key, .message = *m};
    return 0;
}

int mail_draft_add(struct tx *tx, const struct mail_message_new *in, int64_t key,
                   struct mail_draft *ret)
{
    struct mail_message m;
    return put_draft_message(tx, in, 0, &m) < 0 ? -1 : mail_draft_hold(tx, &m, key, ret);
}

int mail_draft_save(struct tx *tx, struct mail_draft *d, const struct mail_message_new *in)
{
    static struct sql_text q = SQL_TEXT("update mail_draft set message = :message where id = :id");
    struct mail_message_new new = *in;
    struct mail_message old = d->message, m;
    struct mail_thread t;
    int r = new.thread ? 0 : mail_thread_by_id(tx, old.thread, &t);
    if (r < 0)
        return -1;
    /* Alone in its thread it stays there, and the thread is about what it is now. */
    if (r == 1 && t.messages == 1) {
        new.thread = t.key;
        new.joins = new.renames = true;
    }
    if (put_draft_message(tx, &new, old.folder, &m) < 0)
        return -1;
    if (TX_RUN(tx, &q, m.id, d->id) < 0)
        return -1;
    d->message = m;
    return mail_message_delete(tx, &old);
}

int mail_draft_delete(struct tx *tx, const struct mail_draft *d)
{
    return mail_message_delete(tx, &d->message);
}
