/* SPDX-License-Identifier: Apache-2.0 */
/* Which folders and labels a message of a seed document has. */
#include "services/mail/core/seed_impl.h"

/* The place of a vendor's word; -1: it is none. */
static int place_named(const struct mail_vendor *v, const char *word)
{
    for (size_t i = 0; i < v->n_fixed; i++)
        if (strcmp(v->fixed[i].name, word) == 0)
            return (int)v->fixed[i].place;
    return -1;
}

/* The labels of a message, by their names, in a member of an object; default_flags: without the
 * member. */
int mail_seed_labels(struct seeding *s, const struct json *v, const char *member,
                     uint32_t default_flags, struct mail_message_new *ret)
{
    const struct mail_vendor *vendor = mail_vendor_of(s->tx, s->mailbox.id);
    const struct json *list;
    if (!vendor || doc_list(s->doc, v, member, &list) < 0)
        return -1;
    int64_t *own = arena_alloc(s->tx->arena, ((list ? list->n : 0) + 1) * sizeof *own);
    ret->folders = own;
    if (!json_get(v, member))
        ret->flags |= default_flags;
    for (uint32_t i = 0; list && i < list->n; i++) {
        const struct json *item = &list->items[i];
        struct mail_folder f;
        int place = item->type == JSON_STRING ? place_named(vendor, item->str) : -1;
        if (item->type != JSON_STRING && !(vendor->tree && mail_seed_number(item)))
            return doc_fail(s->doc, item, member, "must be a list of texts");
        if (place < 0 && mail_seed_named(s, item, member, &f) < 0)
            return -1;
        if (place < 0 && mail_folder_is_fixed(f.id))
            place = (int)mail_folder_place(f.id);
        if (place >= 0)
            ret->flags |= FLAG(place);
        else
            own[ret->n_folders++] = f.id;
    }
    return 0;
}

/* One of the owner's, or of the vendor's, behind those that a message has already. */
static void add_named_place(const struct mail_folder *f, struct mail_message_new *new)
{
    if (mail_folder_is_fixed(f->id))
        new->flags |= FLAG(mail_folder_place(f->id));
    else
        ((int64_t *)(uintptr_t) new->folders)[new->n_folders++] = f->id;
}

/* A folder outlives the message that it is made for, and so does what notes it. */
static int add_keyword(struct seeding *s, struct mail_folder *f)
{
    struct arena *own = s->tx->arena;
    s->tx->arena = s->kept ? s->kept : own;
    int r = mail_folder_add(s->tx, f);
    s->tx->arena = own;
    return r;
}

/* Keywords by their names, which are made where the owner has none of that name yet. */
static int categories_of(struct seeding *s, const struct json *v, const struct mail_vendor *vendor,
                         struct mail_message_new *new)
{
    struct tx *tx = s->tx;
    const int64_t mailbox = s->mailbox.id;
    const char **names;
    size_t n;
    if (doc_strings(s->doc, v, "categories", &names, &n) < 0)
        return -1;
    int64_t *own = arena_alloc(tx->arena, (new->n_folders + n + 2) * sizeof *own);
    if (arena_failed(tx->arena))
        return sosia_fail_memory(tx->err);
    if (new->n_folders)
        memcpy(own, new->folders, new->n_folders * sizeof *own);
    new->folders = own;
    for (size_t i = 0; i < n; i++) {
        struct mail_folder f = {
            .mailbox = mailbox,
            .name = names[i],
            .kind = KIND_KEYWORD,
            .parent = vendor->keywords ? mail_folder_id(mailbox, vendor->keywords) : 0};
        int r = mail_folder_by_name(tx, mailbox, f.parent, names[i], &f);
        if (r < 0 || (r == 0 && add_keyword(s, &f) < 0))
            return mail_seed_refused(tx, s->doc, json_get(v, "categories"), "categories");
        add_named_place(&f, new);
    }
    return 0;
}

/* Of an exclusive vendor: the folder that a message is in, and its keywords; default_flags: where
 * it names none. */
int mail_seed_place(struct seeding *s, const struct json *v, uint32_t default_flags,
                    struct mail_message_new *new)
{
    const struct mail_vendor *vendor = mail_vendor_of(s->tx, s->mailbox.id);
    const struct json *folder = json_get(v, "folder");
    struct mail_folder f;
    if (!vendor)
        return -1;
    if (!folder && !json_get(v, "categories") && (!vendor->exclusive || !json_get(v, "labels")))
        return 0;
    if (!vendor->exclusive)
        return doc_fail(s->doc, v, folder ? "folder" : "categories",
                        "must be absent, since the mailbox has labels");
    if (categories_of(s, v, vendor, new) < 0)
        return -1;
    const uint32_t places = mail_vendor_folders(vendor);
    if (folder) {
        if (mail_seed_named(s, folder, "folder", &f) < 0)
            return -1;
        new->flags &= ~places;
        add_named_place(&f, new);
        return 0;
    }
    bool placed = new->flags &places;
    for (size_t i = 0; i < new->n_folders && !placed; i++) {
        int r = mail_folder_get(s->tx, s->mailbox.id, new->folders[i], &f);
        if (r < 0)
            return -1;
        placed = r == 1 && f.kind == KIND_FOLDER;
    }
    new->flags |= placed ? 0 : default_flags;
    return 0;
}

/* Which place says that a message is a draft. */
uint32_t mail_seed_draft_flag(struct seeding *s)
{
    const struct mail_vendor *v = mail_vendor_of(s->tx, s->mailbox.id);
    return v ? FLAG(mail_vendor_draft(v)) : 0;
}
