/* SPDX-License-Identifier: Apache-2.0 */
/* Lists in the form of seed documents. */
#include "engine/json/doc.h"
#include "services/chat/slack/files/document.h"
#include "services/chat/slack/files/list.h"
#include "services/chat/slack/store.h"

/* ---- items ---- */

static int read_parent(const struct form_in *in, const struct member *m, void *row)
{
    struct chat_item *i = row, parent;
    const char *above;
    if (doc_str(in->d, in->value, m->name, false, &above) < 0)
        return -1;
    int r = above ? chat_item_find(in->tx, i->list, above, &parent) : 0;
    if (r == 1)
        i->parent = parent.id;
    return r < 0         ? -1
           : r || !above ? 0
                         : doc_fail(in->d, json_get(in->value, m->name), m->name,
                                    "there is no item \"%.40s\" before this one", above);
}

static int write_parent(const struct form_out *out, const struct member *m, const void *row)
{
    const struct chat_item *i = row;
    struct chat_item parent;
    int r = i->parent ? chat_item_get(out->tx, i->parent, &parent) : 0;
    if (r == 1)
        json_str(out->w, m->name, parent.key);
    return r < 0 ? -1 : 0;
}

/* One of the states, which the member has in min; what is gone may have been put away before. */
static int read_state(const struct form_in *in, const struct member *m, void *row)
{
    struct chat_item *i = row;
    bool is;
    if (doc_bool(in->d, in->value, m->name, false, &is) < 0)
        return -1;
    i->state = is ? (enum chat_item_state)m->min : i->state;
    return 0;
}

static int write_state(const struct form_out *out, const struct member *m, const void *row)
{
    json_bool_opt(out->w, m->name, (int64_t)((const struct chat_item *)row)->state == m->min);
    return 0;
}

#define STATE(which)                                                                               \
    .kind = MEMBER_OWN, .noun = "true or false", .min = (which), .read = read_state,               \
    .write = write_state

static int check_list_item(const struct form_in *in, void *row)
{
    struct chat_item *i = row;
    (void)in;
    i->updated_s = i->updated_s == CHAT_UNSAID ? i->created_s : i->updated_s;
    i->updated_by = i->updated_by ? i->updated_by : i->created_by;
    return 0;
}

static int add_item(const struct form_in *in, void *row)
{
    return chat_item_add(in->tx, row);
}

static const struct reference item_reference = {.noun = "the id of an item"};
static const struct member item_members[] = {
    STORED_ID(struct chat_item),
    {.kind = MEMBER_INT, MEMBER_TYPED(struct chat_item, list, int64_t)},
    {.kind = MEMBER_INT, MEMBER_TYPED(struct chat_item, place, int64_t)},
    {.kind = MEMBER_INT, MEMBER_PLACE(struct chat_item, state)},
    {"id", "Its id; made up without it", CHAT_MADE_KEY_AT(struct chat_item, key, "Rec")},
    {"parent", "The item that it is part of", .kind = MEMBER_REF, .ref = &item_reference,
     .read = read_parent, .write = write_parent, MEMBER_TYPED(struct chat_item, parent, int64_t)},
    {"fields", "Its cells", KEPT_AT(struct chat_item, fields, JSON_ARRAY), .usual_text = "[]",
     .inner = "*.**"},
    {"archived", "It is put away", STATE(CHAT_ITEM_ARCHIVED)},
    {"deleted", "It is gone", STATE(CHAT_ITEM_DELETED)},
    {"created", "When it was made; as its file without it",
     CHAT_SECOND_AT(struct chat_item, created_s), .usual = CHAT_UNSAID},
    {"updated", "When it was changed; as created without it",
     CHAT_SECOND_AT(struct chat_item, updated_s), .usual = CHAT_UNSAID},
    {"by", "Who made it; who made the file without it", CHAT_USER_AT(struct chat_item, created_by)},
    {"editor", "Who changed it; who made it without it",
     CHAT_USER_AT(struct chat_item, updated_by)},
};
STORED(slack_item_stored, "An item of a list", struct chat_item, item_members, check_list_item,
       .table = "slack_list_item", .key = "id", .add = add_item);

static int begin_item(const struct form_in *in, void *row, int64_t list)
{
    struct chat_item *i = row;
    struct chat_file f;
    if (chat_file_get(in->tx, list, &f) != 1)
        return -1;
    i->workspace = f.workspace;
    i->list = list;
    i->created_s = f.created_s;
    i->created_by = f.user;
    return 0;
}

static struct stored_rows items = {&slack_item_stored, SQL_TEXT("where list = ?1 order by place"),
                                   begin_item};

/* ---- exports ---- */

static int check_export(const struct form_in *in, void *row)
{
    struct chat_export *e = row;
    e->at_us = e->at_us < 0 ? in->tx->now_us : e->at_us;
    return 0;
}

static int add_export(const struct form_in *in, void *row)
{
    return chat_export_add(in->tx, row);
}

static const struct member export_members[] = {
    STORED_ID(struct chat_export),
    {.kind = MEMBER_INT, MEMBER_TYPED(struct chat_export, list, int64_t)},
    {"id", "Its id; made up without it", CHAT_MADE_KEY_AT(struct chat_export, key, "Le")},
    {"at_us", "When, in microseconds since 1970",
     INT_AT(struct chat_export, at_us, 0, CHAT_LAST_INSTANT), .usual = -1},
    {"archived", "Items that are put away are in it", BOOL_AT(struct chat_export, archived)},
};
STORED(slack_export_stored, "An export of a list", struct chat_export, export_members, check_export,
       .table = "slack_export", .key = "id", .add = add_export);

static int begin_export(const struct form_in *in, void *row, int64_t list)
{
    (void)in;
    ((struct chat_export *)row)->list = list;
    return 0;
}

static struct stored_rows exports = {&slack_export_stored, SQL_TEXT("where list = ?1 order by id"),
                                     begin_export};

/* ---- columns ---- */

struct column {
    const char *id, *key, *name, *type, *options;
    bool primary;
};

/* Without one it gets one behind all. */
static int read_column_id(const struct form_in *in, const struct member *m, void *row)
{
    return json_get(in->value, m->name)
               ? chat_doc_made_key(in->tx, in->d, in->value, "Col", &((struct column *)row)->id)
               : 0;
}

static const struct member column_members[] = {
    {"id", "Its id; made up without it", .read = read_column_id, TEXT_AT(struct column, id)},
    {"key", "What programs call it", TEXT_AT(struct column, key), .flags = MEMBER_REQUIRED},
    {"name", "Its name", TEXT_AT(struct column, name), .flags = MEMBER_REQUIRED},
    {"type", "What its cells hold", TEXT_AT(struct column, type), .flags = MEMBER_REQUIRED},
    {"primary", "It is the first one", BOOL_AT(struct column, primary)},
    {"options", "As the API has them", KEPT_AT(struct column, options, JSON_OBJECT)},
};
static const struct form column_form = {.about = "A column of a list",
                                        .members = column_members,
                                        .n = SOSIA_LEN(column_members),
                                        .size = sizeof(struct column)};

struct columns {
    struct column *list;
    int n;
};
static const struct member columns_members[] = {
    {"columns", "Its columns", LIST_AT(struct columns, list, n, &column_form)},
};
static const struct form columns_form = FORM("The columns of a list", columns_members);

static bool has_column(const struct columns *all, int n, const char *id)
{
    for (int i = 0; i < n; i++)
        if (all->list[i].id && strcmp(all->list[i].id, id) == 0)
            return true;
    return false;
}

/* Each has an id that no other has. */
static int name_columns(const struct form_in *in, struct columns *all, const char *list)
{
    for (int i = 0; i < all->n; i++) {
        struct column *one = &all->list[i];
        const char *made = one->id;
        if (made && has_column(all, i, made)) {
            doc_push(in->d, "columns", i);
            return doc_fail_twice(in->d, json_get(&json_get(in->value, "columns")->items[i], "id"),
                                  "id");
        }
        while (!one->id) {
            if (!(made = chat_column_key(in->tx, list)))
                return -1;
            one->id = has_column(all, all->n, made) ? NULL : made;
        }
    }
    return 0;
}

static int read_columns(const struct form_in *in, const struct member *m, void *row)
{
    const struct form_out out = {in->tx, &(struct json_writer){0}};
    struct chat_list *l = row;
    struct columns all = {0};
    struct chat_file f;
    struct buf b;
    if (form_read_member(in, &columns_form, m->name, &all) < 0)
        return -1;
    if (!all.n)
        return doc_fail(in->d, in->value, m->name, "must have at least one column");
    if (chat_file_get(in->tx, l->file, &f) != 1 || name_columns(in, &all, f.key) < 0)
        return -1;
    buf_init(&b, 0);
    json_init(out.w, &b, false, NULL);
    json_arr(out.w, NULL);
    int rc = 0;
    for (int i = 0; i < all.n && rc == 0; i++) {
        json_obj(out.w, NULL);
        rc = form_write(&out, &column_form, &all.list[i]);
        json_end(out.w);
    }
    json_end(out.w);
    l->columns = buf_keep(&b, in->tx->arena);
    return rc;
}

/* ---- lists ---- */

static int check_list(const struct form_in *in, void *row)
{
    struct chat_list *l = row;
    struct chat_file f;
    if (l->subtask)
        return 0;
    return chat_file_get(in->tx, l->file, &f) == 1 && (l->subtask = chat_column_key(in->tx, f.key))
               ? 0
               : -1;
}

static const struct member list_members[] = {
    CHAT_WORKSPACE_BY(struct chat_list, file, chat_write_workspace_of_file),
    {"file", "The id of its file", CHAT_FILE_AT(struct chat_list, file, "list"),
     .flags = MEMBER_REQUIRED},
    {"description", "What it is for, as rich text",
     KEPT_AT(struct chat_list, description, JSON_ARRAY)},
    {"columns", "Its columns", KEPT_AT(struct chat_list, columns, JSON_ARRAY), .form = &column_form,
     .read = read_columns, .inner = "*.**"},
    {"subtask", "The id of the column of parts; made up without it",
     TEXT_AT(struct chat_list, subtask)},
    {"todo", "Its items can be done", BOOL_AT(struct chat_list, todo)},
    {"items", "Its items", MEMBER_ROWS(&slack_item_stored_form, &items), .flags = MEMBER_ALWAYS},
    {"exports", "What was exported of it", MEMBER_ROWS(&slack_export_stored_form, &exports),
     .flags = MEMBER_ALWAYS},
    CHAT_ACCESS,
};
STORED(slack_list_stored, "A list: the rows of a file", struct chat_list, list_members, check_list,
       .table = "slack_list", .id = "file", .key = "file");
