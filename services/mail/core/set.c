/* SPDX-License-Identifier: Apache-2.0 */
/* Sets of places: folders, labels and keywords that a message has, gets and loses. */
#include "services/mail/core/mail_impl.h"

static bool is_in(const int64_t *list, size_t n, int64_t id)
{
    for (size_t i = 0; i < n; i++)
        if (list[i] == id)
            return true;
    return false;
}

static int no_such(struct tx *tx)
{
    return tx_fail(tx, SOSIA_E_INVALID, "label", NULL, "the mailbox has no such label");
}

static int not_one(struct tx *tx)
{
    return tx_fail(tx, SOSIA_E_INVALID, "folder", NULL,
                   "a message of this mailbox must be in exactly one folder");
}

int mail_set_own(struct tx *tx, const struct mail_vendor *v, int64_t mailbox, const int64_t *ids,
                 size_t n, struct mail_folder_set *ret)
{
    int64_t *own = arena_alloc(tx->arena, (n + 1) * sizeof *own);
    ret->n_own = 0;
    ret->own = own;
    ret->folder = 0;
    if (arena_failed(tx->arena))
        return sosia_fail_memory(tx->err);
    for (size_t i = 0; i < n; i++) {
        struct mail_folder f;
        if (is_in(own, ret->n_own, ids[i]))
            continue;
        int r = mail_folder_is_fixed(ids[i]) ? 0 : mail_folder_get(tx, mailbox, ids[i], &f);
        if (r != 1)
            return r < 0 ? -1 : no_such(tx);
        own[ret->n_own++] = ids[i];
        if (!v->exclusive || f.kind != KIND_FOLDER)
            continue;
        if (ret->folder)
            return not_one(tx);
        ret->folder = ids[i];
    }
    return 0;
}

int mail_set_read(struct tx *tx, const struct mail_vendor *v, const struct mail_message *m,
                  struct mail_folder_set *ret)
{
    int64_t *own;
    if (mail_message_own_folders(tx, m, &own, &ret->n_own) < 0)
        return -1;
    ret->own = own;
    ret->flags = m->flags & FLAGS_FIXED;
    ret->folder = v->exclusive ? m->folder : 0;
    return 0;
}

int mail_set_of_ids(struct tx *tx, const struct mail_vendor *v, int64_t mailbox, const int64_t *ids,
                    size_t n, struct mail_folder_set *ret)
{
    int64_t *own = arena_alloc(tx->arena, (n + 1) * sizeof *own);
    const uint32_t places = n ? mail_vendor_places(v) : 0;
    size_t n_own = 0;
    ret->flags = 0;
    if (arena_failed(tx->arena))
        return sosia_fail_memory(tx->err);
    for (size_t i = 0; i < n; i++) {
        const int64_t place = mail_folder_place(ids[i]);
        if (ids[i] >> 24 != mailbox)
            return no_such(tx);
        if (place >= FOLDER_OWN)
            own[n_own++] = ids[i];
        else if (place < N_PLACES && places & FLAG(place))
            ret->flags |= FLAG(place);
        else
            return no_such(tx);
    }
    return mail_set_own(tx, v, mailbox, own, n_own, ret);
}

/* How many folders it names. */
static int folders_in(const struct mail_folder_set *set, uint32_t places)
{
    return __builtin_popcount(set->flags & places) +
           (set->folder && !mail_folder_is_fixed(set->folder));
}

int mail_set_check(struct tx *tx, const struct mail_vendor *v, int64_t mailbox,
                   struct mail_folder_set *set)
{
    if (!v->exclusive)
        return 0;
    const uint32_t places = mail_vendor_folders(v);
    if (folders_in(set, places) != 1)
        return not_one(tx);
    if (set->flags & places)
        set->folder = mail_folder_id(mailbox, __builtin_ctz(set->flags & places));
    return 0;
}

static void drop(int64_t *list, size_t *n, int64_t id)
{
    for (size_t i = 0; i < *n; i++)
        if (list[i] == id) {
            memmove(&list[i], &list[i + 1], (--*n - i) * sizeof *list);
            return;
        }
}

/* The folder that is added takes the place of the one that it was in, before all else. */
static int settle_folder(struct tx *tx, int64_t mailbox, const struct mail_vendor *v,
                         const struct mail_folder_set *old, const struct mail_folder_set *plus,
                         struct mail_folder_set *new, struct mail_folder_set *both)
{
    struct mail_folder_set *sets[] = {new, both};
    new->folder = is_in(new->own, new->n_own, old->folder) ? old->folder : 0;
    both->folder = old->folder;
    const uint32_t places = mail_vendor_folders(v);
    const int n = folders_in(plus, places);
    if (n > 1)
        return not_one(tx);
    for (size_t i = 0; n && i < SOSIA_LEN(sets); i++) {
        const bool same = plus->folder == old->folder;
        sets[i]->flags = (sets[i]->flags & ~places) | (plus->flags & places);
        sets[i]->folder = plus->folder;
        if (!same)
            drop((int64_t *)(uintptr_t)sets[i]->own, &sets[i]->n_own, old->folder);
    }
    if (mail_set_check(tx, v, mailbox, new) < 0)
        return -1;
    both->folder = new->folder;
    return 0;
}

int mail_set_change(struct tx *tx, const struct mail_vendor *v, int64_t mailbox,
                    const struct mail_folder_set *old, const struct mail_folder_set *plus,
                    const struct mail_folder_set *minus, struct mail_folder_set *ret,
                    struct mail_folder_set *ret_both)
{
    const struct mail_folder_set *const sources[] = {old, plus};
    const size_t room = old->n_own + plus->n_own;
    int64_t *own = arena_alloc(tx->arena, (2 * room + 1) * sizeof *own), *both = own + room;
    if (arena_failed(tx->arena))
        return sosia_fail_memory(tx->err);
    *ret = (struct mail_folder_set){
        .flags = mail_flags_settle(v, old->flags & ~minus->flags, plus->flags), .own = own};
    *ret_both = (struct mail_folder_set){.flags = old->flags | ret->flags, .own = both};
    for (size_t s = 0; s < SOSIA_LEN(sources); s++)
        for (size_t i = 0; i < sources[s]->n_own; i++) {
            int64_t id = sources[s]->own[i];
            if (is_in(both, ret_both->n_own, id))
                continue;
            both[ret_both->n_own++] = id;
            if (s == 1 || !is_in(minus->own, minus->n_own, id))
                own[ret->n_own++] = id;
        }
    return v->exclusive ? settle_folder(tx, mailbox, v, old, plus, ret, ret_both) : 0;
}
