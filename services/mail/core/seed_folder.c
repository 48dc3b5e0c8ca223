/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Folders and labels in seed documents and dumps: the core's members, and behind them what the
 * mailbox's vendor keeps of a folder, by the vendor's own table.
 */
#include "services/mail/core/seed_impl.h"

#define PARENT                                                                                     \
    "{\"description\":\"The folder that it is in: one of its owner's by its number, or one at "    \
    "the top by its name\",\"type\":[\"string\",\"integer\",\"null\"]}"

/* A folder as documents say it. */
struct seed_folder {
    const char *name;
    int64_t number, parent; /* 0: the next one, or a vendor's; 0: the top, else the folder's id */
    enum mail_folder_kind kind;
    bool hidden;
};

/* ---- which one is named ---- */

int64_t mail_seed_number(const struct json *v)
{
    int64_t n;
    return v && v->type == JSON_NUMBER && json_i64(v, &n) == 0 && n > 0 && n <= FOLDER_NUMBER_MAX
               ? n
               : 0;
}

int mail_seed_named(const struct seeding *s, const struct json *v, const char *member,
                    struct mail_folder *ret)
{
    const int64_t mailbox = s->mailbox.id, number = mail_seed_number(v);
    int r = number
                ? mail_folder_get(s->tx, mailbox, mail_folder_id(mailbox, FOLDER_OWN + number), ret)
            : v->type == JSON_STRING ? mail_folder_by_name(s->tx, mailbox, 0, v->str, ret)
                                     : 0;
    return r ? r
             : doc_fail(s->doc, v, member, "there is no label \"%.80s\" in the mailbox",
                        v->type == JSON_STRING ? v->str : json_to_text(s->tx->arena, v));
}

/* ---- the members ---- */

static int read_parent(const struct form_in *in, const struct member *m, void *row)
{
    const struct json *v = json_get(in->value, m->name);
    struct seed_folder *f = row;
    struct mail_folder up;
    if (!v || v->type == JSON_NULL)
        return 0;
    if (mail_seed_named(in->of, v, m->name, &up) < 0)
        return -1;
    f->parent = up.id;
    return 0;
}

static int write_parent(const struct form_out *out, const struct member *m, const void *row)
{
    const struct seed_folder *f = row;
    struct mail_folder up;
    if (f->parent && !mail_folder_is_fixed(f->parent)) {
        json_int(out->w, m->name, mail_folder_number(f->parent));
        return 0;
    }
    int r = f->parent ? mail_folder_get(out->tx, f->parent >> 24, f->parent, &up) : 0;
    if (r == 1)
        json_str(out->w, m->name, up.name);
    return r < 0 ? -1 : 0;
}

static const char *const kinds[] = {[KIND_LABEL] = "label",
                                    [KIND_FOLDER] = "folder",
                                    [KIND_KEYWORD] = "keyword",
                                    [KIND_KEYWORD + 1] = NULL};

static const struct member label_members[] = {
    {"name", "Its name", TEXT_AT(struct seed_folder, name), .flags = MEMBER_REQUIRED},
    {"number", "Of its owner's: which one it is of them; the next one without it",
     INT_AT(struct seed_folder, number, 1, FOLDER_NUMBER_MAX)},
};
static const struct form label_form = FORM("A label", label_members);

/* What vendors with a tree have besides. */
static const struct member folder_members[] = {
    PART(&label_form),
    {"parent",
     "The folder that it is in: one of its owner's by its number, or one at the top by "
     "its name; of vendors that have folders, as what follows",
     .kind = MEMBER_OWN, .noun = "text, or a number", .schema = PARENT, .read = read_parent,
     .write = write_parent},
    {"kind", "What it is; without it a folder where a message is in one, else a label",
     ENUM_AT(struct seed_folder, kind, kinds)},
    {"hidden", "Lists do not show it", BOOL_AT(struct seed_folder, hidden)},
};
const struct form mail_folder_form = {.about = "A folder or label of its owner's",
                                      .members = folder_members,
                                      .n = SOSIA_LEN(folder_members),
                                      .open = true};

static const struct form *members_of(const struct mail_vendor *v)
{
    return v->tree ? &mail_folder_form : &label_form;
}

static struct seed_folder usual_of(const struct mail_vendor *v)
{
    return (struct seed_folder){.kind = v->exclusive ? KIND_FOLDER : KIND_LABEL};
}

/* ---- what the vendor keeps of it ---- */

/* The usual row of a folder of that id; NULL: no memory. */
static void *usual_look(struct tx *tx, const struct mail_vendor *v, const struct mail_folder *f)
{
    void *row = arena_calloc(tx->arena, 1, v->folder_form->size);
    if (arena_failed(tx->arena)) {
        sosia_fail_memory(tx->err);
        return NULL;
    }
    form_usual(v->folder_form, row);
    if (v->folder_usual)
        v->folder_usual(f, row);
    return row;
}

/* fresh: the folder was not there before. */
static int seed_look(const struct form_in *in, const struct mail_vendor *v,
                     const struct mail_folder *f, bool fresh)
{
    void *row = usual_look(in->tx, v, f);
    return !row || form_read_members(in, v->folder_form, row) < 0
               ? -1
               : v->folder_put(in->tx, f, row, fresh);
}

/* The row that is there, and what is usual. */
static int look_of(struct tx *tx, const struct mail_vendor *v, const struct mail_folder *f,
                   void **ret, void **ret_usual)
{
    void *row = usual_look(tx, v, f), *usual = usual_look(tx, v, f);
    if (!row || !usual || v->folder_get(tx, f, row) < 0)
        return -1;
    *ret = row;
    *ret_usual = usual;
    return 0;
}

/* ---- reading ---- */

/* An object with members that the core or the vendor has. */
static int is_known(const struct form_in *in, const struct mail_vendor *v)
{
    const struct member parts[] = {PART(members_of(v)), PART(v->folder_form)};
    const struct form all = {.members = parts, .n = v->folder_form ? 2 : 1};
    return form_known(in, &all);
}

int mail_seed_folder(struct seeding *s, const struct json *v)
{
    const struct form_in in = {s->tx, s->doc, v, s};
    const struct mail_vendor *vendor = mail_vendor_of(s->tx, s->mailbox.id);
    struct mail_folder old;
    if (!vendor)
        return -1;
    struct seed_folder said = usual_of(vendor);
    if (is_known(&in, vendor) < 0 || form_read_members(&in, members_of(vendor), &said) < 0)
        return -1;
    struct mail_folder f = {.mailbox = s->mailbox.id,
                            .name = said.name,
                            .parent = said.parent,
                            .kind = said.kind,
                            .hidden = said.hidden};
    int r = mail_folder_by_name(s->tx, f.mailbox, f.parent, f.name, &old);
    if (r < 0)
        return -1;
    if (r) {
        f.id = old.id;
        f.hidden = mail_folder_is_fixed(old.id) ? old.hidden : f.hidden;
        if (mail_folder_save(s->tx, &old, &f, true) < 0)
            return mail_seed_refused(s->tx, s->doc, v, "name");
    } else {
        f.id = said.number ? mail_folder_id(f.mailbox, FOLDER_OWN + said.number) : 0;
        if (mail_folder_add(s->tx, &f) < 0)
            return mail_seed_refused(s->tx, s->doc, v, said.number ? "number" : "name");
    }
    return vendor->folder_form ? seed_look(&in, vendor, &f, !r) : 0;
}

/* ---- writing ---- */

int mail_folder_said(struct tx *tx, const struct mail_vendor *v, const struct mail_folder *f)
{
    void *row, *usual;
    if (!mail_folder_is_fixed(f->id))
        return 1;
    if (!v->folder_form)
        return 0;
    return look_of(tx, v, f, &row, &usual) < 0 ? -1 : !form_same(v->folder_form, row, usual);
}

int mail_folder_write(struct tx *tx, struct json_writer *w, const struct mail_vendor *v,
                      const struct mail_folder *f)
{
    const struct seed_folder base = usual_of(v);
    struct seed_folder said = base;
    void *row, *usual;
    said.name = f->name;
    said.parent = f->parent;
    if (!mail_folder_is_fixed(f->id)) {
        said.number = mail_folder_number(f->id);
        said.kind = f->kind;
        said.hidden = f->hidden;
    }
    if (form_write(&(struct form_out){tx, w, &base}, &mail_folder_form, &said) < 0)
        return -1;
    return !v->folder_form ? 0
           : look_of(tx, v, f, &row, &usual) < 0
               ? -1
               : form_write(&(struct form_out){tx, w, usual}, v->folder_form, row);
}
