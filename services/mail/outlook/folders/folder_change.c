/* SPDX-License-Identifier: Apache-2.0 */
/* Which folders of a mailbox have changed, and in which order: rows, for their deltas. */
#include "engine/world/ids.h"
#include "services/mail/outlook/folders/folder_change.h"
#include "engine/world/event.h"
#include "services/mail/core/mail_impl.h"

static int note_folder(struct tx *tx, int64_t mailbox, int64_t folder, bool gone)
{
    static struct sql_text q = SQL_TEXT(
        "insert into outlook_folder (id, mailbox, number, gone) values (:id, :mailbox, (select "
        "coalesce(max(number), 0) + 1 from outlook_folder where mailbox = :mailbox), :gone) on "
        "conflict (id) do update set number = excluded.number, gone = excluded.gone");
    return TX_RUN(tx, &q, folder, mailbox, (int64_t)gone);
}

int outlook_folder_gone(struct tx *tx, const struct mail_folder *f)
{
    if (f->kind != KIND_FOLDER)
        return 0;
    const char *key = arena_printf(tx->arena, "%lld", (long long)mail_folder_number(f->id));
    return mail_kept_remove(tx, &outlook_settings, f->mailbox, SETTING_SEARCH, key) < 0
               ? -1
               : note_folder(tx, f->mailbox, f->id, true);
}

int outlook_folder_events(struct tx *tx, const struct world_event *first)
{
    for (const struct world_event *e = first; e; e = e->next) {
        struct mail_folder f;
        if (strcmp(e->kind, CHANGED_FOLDERS) != 0 || e->operation == OP_REMOVED || !e->entity)
            continue;
        const struct mail_vendor *v = mail_vendor_of(tx, e->scope);
        int r = v && v->folder_gone == outlook_folder_gone
                    ? mail_folder_get(tx, e->scope, e->entity, &f)
                    : 0;
        if (!v || r < 0 ||
            (r && f.kind == KIND_FOLDER && note_folder(tx, f.mailbox, f.id, false) < 0))
            return -1;
    }
    return 0;
}

int outlook_folder_number(struct tx *tx, int64_t mailbox, int64_t *ret)
{
    static struct sql_text q =
        SQL_TEXT("select coalesce(max(number), 0) from outlook_folder where mailbox = :mailbox");
    *ret = 0;
    return TX_INT(tx, &q, ret, mailbox) < 0 ? -1 : 0;
}

int outlook_folders_changed(struct tx *tx, int64_t mailbox, int64_t after, int64_t **ret,
                            size_t *ret_n)
{
    static struct sql_text q = SQL_TEXT("select id from outlook_folder where mailbox = :mailbox "
                                        "and number > :after order by number");
    return ids_all(tx, TX_QUERY(tx, &q, mailbox, after), ret, ret_n);
}
