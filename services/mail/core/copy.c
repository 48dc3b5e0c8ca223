/* SPDX-License-Identifier: Apache-2.0 */
/* Copies of messages in their mailbox. */
#include "services/mail/core/mail_impl.h"

int mail_message_copy(struct tx *tx, const struct mailbox *mb, const struct mail_message *m,
                      int64_t folder, struct mail_message *ret)
{
    struct mail_message_new new = {.mailbox = mb, .at_s = m->at_s};
    struct mail_property p;
    int64_t *own;
    size_t n_own;
    struct buf raw;
    const struct mail_vendor *v = mail_vendor_of(tx, mb->id);
    if (!v || mail_property_get(tx, m, &p) < 0 || mail_message_own_folders(tx, m, &own, &n_own) < 0)
        return -1;
    int64_t *folders = arena_calloc(tx->arena, n_own + 2, sizeof *folders);
    if (arena_failed(tx->arena))
        return sosia_fail_memory(tx->err);
    for (size_t i = 0; i < n_own; i++)
        if (own[i] != m->folder)
            folders[new.n_folders++] = own[i];
    new.flags = m->flags &FLAGS_FIXED & ~mail_vendor_folders(v);
    if (mail_folder_is_fixed(folder))
        new.flags |= FLAG(mail_folder_place(folder));
    else
        folders[new.n_folders++] = folder;
    new.folders = folders;
    buf_init(&raw, MAIL_MAX_SIZE);
    int rc = mail_message_raw(tx, m, &raw);
    new.raw = raw.len ? raw.data : "";
    new.len = raw.len;
    if (rc == 0)
        rc = buf_failed(&raw) ? sosia_fail_memory(tx->err) : mail_message_add(tx, &new, ret);
    buf_done(&raw);
    return rc < 0 ? -1 : mail_property_set(tx, ret, &p);
}
