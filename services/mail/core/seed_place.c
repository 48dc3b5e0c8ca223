/* SPDX-License-Identifier: Apache-2.0 */
/* Folders and labels of seed documents, and which of them a message has. */
#include "services/mail/core/seed_impl.h"

/* The number of a folder of its owner's; 0: it is none. */
static int64_t number_of(const struct json *v)
{
    int64_t n;
    return v && v->type == JSON_NUMBER && json_i64(v, &n) == 0 && n > 0 &&
                   n <= 0xffffff - FOLDER_OWN
               ? n
               : 0;
}

/* What a member names: a folder of its owner's by its number, or one at the top by its name. */
static int folder_named(struct seeding *s, const struct json *v, const char *member,
                        struct mail_folder *ret)
{
    const int64_t mailbox = s->mailbox.id, number = number_of(v);
    int r = number
                ? mail_folder_get(s->tx, mailbox, mail_folder_id(mailbox, FOLDER_OWN + number), ret)
            : v->type == JSON_STRING ? mail_folder_by_name(s->tx, mailbox, 0, v->str, ret)
                                     : 0;
    return r ? r
             : doc_fail(s->doc, v, member, "there is no label \"%.80s\" in the mailbox",
                        v->type == JSON_STRING ? v->str : json_to_text(s->tx->arena, v));
}

/* Where a folder is, and what kind it is. */
static int read_place(struct seeding *s, const struct json *v, const struct mail_vendor *vendor,
                      struct mail_folder *ret)
{
    static const char *const kinds[] = SEED_FOLDER_KIND;
    const struct json *parent = json_get(v, "parent");
    struct mail_folder up = {.id = 0};
    int kind;
    if (doc_enum(s->doc, v, "kind", kinds, vendor->exclusive ? KIND_FOLDER : KIND_LABEL, &kind) <
            0 ||
        doc_bool(s->doc, v, "hidden", false, &ret->hidden) < 0 ||
        (parent && folder_named(s, parent, "parent", &up) < 0))
        return -1;
    ret->kind = (enum mail_folder_kind)kind;
    ret->parent = up.id;
    return 0;
}

int mail_seed_folder(struct seeding *s, const struct json *v)
{
    const char *members[16] = {"name", "number"};
    const struct mail_vendor *vendor = mail_vendor_of(s->tx, s->mailbox.id);
    struct tx *tx = s->tx;
    struct doc *d = s->doc;
    struct mail_folder f, old;
    const char *name;
    int64_t number;
    size_t n = 2;
    int r;
    if (!vendor)
        return -1;
    for (size_t i = 0; vendor->folder_members && vendor->folder_members[i]; i++)
        members[n++] = vendor->folder_members[i];
    if (vendor->tree)
        for (size_t i = 0; i < 3; i++)
            members[n++] = (const char *const[]){"parent", "kind", "hidden"}[i];
    if (doc_object(d, v, members) < 0 || doc_str(d, v, "name", true, &name) < 0 ||
        doc_int(d, v, "number", 1, 0xffffff - FOLDER_OWN, 0, &number) < 0)
        return -1;
    f = (struct mail_folder){.mailbox = s->mailbox.id, .name = name};
    if (read_place(s, v, vendor, &f) < 0 ||
        (r = mail_folder_by_name(tx, s->mailbox.id, f.parent, name, &old)) < 0)
        return -1;
    if (r) {
        f.id = old.id;
        f.hidden = mail_folder_is_fixed(old.id) ? old.hidden : f.hidden;
        if (mail_folder_save(tx, &old, &f, true) < 0)
            return mail_seed_refused(tx, d, v, "name");
    } else {
        f.id = number ? mail_folder_id(s->mailbox.id, FOLDER_OWN + number) : 0;
        if (mail_folder_add(tx, &f) < 0)
            return mail_seed_refused(tx, d, v, number ? "number" : "name");
    }
    return vendor->folder_seed ? vendor->folder_seed(tx, d, v, &f, !r) : 0;
}

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
        if (item->type != JSON_STRING && !(vendor->tree && number_of(item)))
            return doc_fail(s->doc, item, member, "must be a list of texts");
        if (place < 0 && folder_named(s, item, member, &f) < 0)
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
        if (folder_named(s, folder, "folder", &f) < 0)
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
