/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of lists, and their section of seed documents. */
#include "engine/state/own.h"
#include "services/chat/slack/files/list.h"
#include "engine/json/doc.h"
#include "engine/text/civil.h"
#include "services/chat/slack/forms.h"
#include "services/chat/slack/store.h"

const char *chat_long_key(struct tx *tx, const char *letters)
{
    const char *key = chat_key(tx, letters[0]);
    return key ? arena_printf(tx->arena, "%s%s", letters, key + 1) : NULL;
}

/* ---- lists ---- */

int chat_list_get(struct tx *tx, int64_t file, struct chat_list *ret)
{
    static struct sql_text q =
        SQL_TEXT("select description, columns, subtask, todo from slack_list where file = :file");
    sqlite3_stmt *st;
    int r = TX_ROW(tx, &q, &st, file);
    if (r != 1)
        return r;
    *ret = (struct chat_list){.file = file,
                              .description = tx_string(tx, st, 0),
                              .columns = tx_string(tx, st, 1),
                              .subtask = tx_string(tx, st, 2),
                              .todo = sqlite3_column_int(st, 3)};
    sql_done(st);
    return 1;
}

int chat_list_add(struct tx *tx, const struct chat_list *l)
{
    static struct sql_text q = SQL_TEXT(
        "insert into slack_list (file, description, columns, subtask, todo) values (:file, "
        ":description, :columns, :subtask, :todo)");
    return TX_RUN(tx, &q, l->file, l->description, l->columns, l->subtask, l->todo);
}

int chat_list_save(struct tx *tx, const struct chat_list *l)
{
    static struct sql_text q =
        SQL_TEXT("update slack_list set description = :description, columns = :columns, "
                 "todo = :todo where file = :file");
    return TX_RUN(tx, &q, l->description, l->columns, l->todo, l->file);
}

int chat_list_gone(struct tx *tx, int64_t file)
{
    static struct sql_text below =
        SQL_TEXT("update slack_list_item set parent = null where list = :list");
    static struct sql_text items = SQL_TEXT("delete from slack_list_item where list = :list");
    static struct sql_text exports = SQL_TEXT("delete from slack_export where list = :list");
    static struct sql_text list = SQL_TEXT("delete from slack_list where file = :list");
    return TX_RUN(tx, &below, file) < 0 || TX_RUN(tx, &items, file) < 0 ||
                   TX_RUN(tx, &exports, file) < 0 || TX_RUN(tx, &list, file) < 0
               ? -1
               : 0;
}

/* ---- items ---- */

#define ITEM                                                                                       \
    "id, list, key, parent, place, fields, state, created_s, created_by, updated_s, updated_by"

static void take_item(struct tx *tx, sqlite3_stmt *st, struct chat_item *ret)
{
    *ret = (struct chat_item){.id = sqlite3_column_int64(st, 0),
                              .list = sqlite3_column_int64(st, 1),
                              .key = tx_string(tx, st, 2),
                              .parent = sqlite3_column_int64(st, 3),
                              .place = sqlite3_column_int64(st, 4),
                              .fields = tx_string(tx, st, 5),
                              .state = (enum chat_item_state)sqlite3_column_int(st, 6),
                              .created_s = sqlite3_column_int64(st, 7),
                              .created_by = sqlite3_column_int64(st, 8),
                              .updated_s = sqlite3_column_int64(st, 9),
                              .updated_by = sqlite3_column_int64(st, 10)};
}

static int read_item(struct tx *tx, sqlite3_stmt *st, struct chat_item *ret)
{
    int r = st ? TX_STEP(tx, st) : -1;
    if (r != 1)
        return r;
    take_item(tx, st, ret);
    sql_done(st);
    return 1;
}

int chat_item_get(struct tx *tx, int64_t id, struct chat_item *ret)
{
    static struct sql_text q = SQL_TEXT("select " ITEM " from slack_list_item where id = :id");
    return read_item(tx, TX_QUERY(tx, &q, id), ret);
}

int chat_item_find(struct tx *tx, int64_t list, const char *key, struct chat_item *ret)
{
    static struct sql_text q =
        SQL_TEXT("select " ITEM " from slack_list_item where key = :key and list = :list");
    return read_item(tx, TX_QUERY(tx, &q, key, list), ret);
}

int chat_item_add(struct tx *tx, struct chat_item *i)
{
    static struct sql_text last =
        SQL_TEXT("select coalesce(max(place), 0) + 1 from slack_list_item where list = :list");
    static struct sql_text q = SQL_TEXT(
        "insert into slack_list_item (list, key, parent, place, fields, state, created_s, "
        "created_by, updated_s, updated_by) values (:list, :key, :parent, :place, :fields, :state, "
        ":created, :created_by, :updated, :updated_by)");
    if ((!i->key && !(i->key = chat_long_key(tx, "Rec"))) ||
        TX_INT(tx, &last, &i->place, i->list) < 0 ||
        TX_RUN(tx, &q, i->list, i->key, sql_int_or_null(i->parent, 0), i->place, i->fields,
               i->state, i->created_s, sql_int_or_null(i->created_by, 0), i->updated_s,
               sql_int_or_null(i->updated_by, 0)) < 0)
        return -1;
    i->id = chat_last_id(tx);
    return 0;
}

int chat_item_save(struct tx *tx, const struct chat_item *i)
{
    static struct sql_text q =
        SQL_TEXT("update slack_list_item set fields = :fields, state = :state, updated_s = "
                 ":updated, updated_by = :by where id = :id");
    return TX_RUN(tx, &q, i->fields, i->state, i->updated_s, sql_int_or_null(i->updated_by, 0),
                  i->id);
}

int chat_items(struct tx *tx, const struct chat_items_ask *ask,
               int (*fn)(void *arg, const struct chat_item *i), void *arg)
{
    static struct sql_text down = SQL_TEXT(
        "select " ITEM " from slack_list_item where list = :list and place <= :last and state = "
        ":state and (:parent = 0 or parent = :parent) order by place desc");
    static struct sql_text up = SQL_TEXT(
        "select " ITEM " from slack_list_item where list = :list and place <= :last and state = "
        ":state and (:parent = 0 or parent = :parent) order by place");
    sqlite3_stmt *st = TX_QUERY(tx, ask->ascending ? &up : &down, ask->list,
                                ask->last ? ask->last : INT64_MAX, ask->state, ask->parent);
    struct chat_item i;
    int r = st ? 1 : -1;
    while (r == 1 && (r = TX_STEP(tx, st)) == 1) {
        take_item(tx, st, &i);
        if (fn(arg, &i)) {
            sql_done(st);
            return 0;
        }
    }
    return r;
}

int chat_items_count(struct tx *tx, int64_t list, enum chat_item_state state, int64_t *ret)
{
    static struct sql_text q =
        SQL_TEXT("select count(*) from slack_list_item where list = :list and state = :state");
    return TX_INT(tx, &q, ret, list, state) < 0 ? -1 : 0;
}

/* ---- exports ---- */

static int read_export(struct tx *tx, sqlite3_stmt *st, struct chat_export *ret)
{
    int r = st ? TX_STEP(tx, st) : -1;
    if (r != 1)
        return r;
    *ret = (struct chat_export){.id = sqlite3_column_int64(st, 0),
                                .list = sqlite3_column_int64(st, 1),
                                .key = tx_string(tx, st, 2),
                                .at_us = sqlite3_column_int64(st, 3),
                                .archived = sqlite3_column_int(st, 4)};
    sql_done(st);
    return 1;
}

int chat_export_add(struct tx *tx, struct chat_export *e)
{
    static struct sql_text q = SQL_TEXT("insert into slack_export (list, key, at_us, archived) "
                                        "values (:list, :key, :at, :archived)");
    if ((!e->key && !(e->key = chat_long_key(tx, "Le"))) ||
        TX_RUN(tx, &q, e->list, e->key, e->at_us, e->archived) < 0)
        return -1;
    e->id = chat_last_id(tx);
    return 0;
}

int chat_export_find(struct tx *tx, int64_t list, const char *key, struct chat_export *ret)
{
    static struct sql_text q = SQL_TEXT("select id, list, key, at_us, archived from slack_export "
                                        "where key = :key and list = :list");
    return read_export(tx, TX_QUERY(tx, &q, key, list), ret);
}

int chat_export_last(struct tx *tx, int64_t list, struct chat_export *ret)
{
    static struct sql_text q =
        SQL_TEXT("select id, list, key, at_us, archived from slack_export where list = :list and "
                 "at_us <= :now order by id desc limit 1");
    return read_export(tx, TX_QUERY(tx, &q, list, tx->now_us - CHAT_EXPORT_US), ret);
}

/* ---- seed documents ---- */

static const struct member item_members[] = {
    OWN("id", "Its id; made up without it", "text"),
    OWN("parent", "The item that it is part of", "text"),
    OWN("fields", "Its cells", "list"),
    OWN("archived", "It is put away", "true or false"),
    OWN("deleted", "It is gone", "true or false"),
    OWN_TYPED("created", "When it was made", "time, or seconds since 1970",
              "{\"type\":[\"integer\",\"string\",\"null\"]}"),
    OWN("by", "Who made it", "text"),
    OWN_TYPED("updated", "When it was changed", "time, or seconds since 1970",
              "{\"type\":[\"integer\",\"string\",\"null\"]}"),
    OWN("editor", "Who changed it", "text"),
};
static const struct form item_form = FORM("An item of a list", item_members);

static int seed_item(struct tx *tx, struct doc *d, const struct json *v, const struct chat_file *f)
{
    struct chat_item i = {.list = f->id}, parent = {0};
    struct chat_user by, editor;
    bool archived, deleted;
    const char *above;
    if (form_known(&(struct form_in){tx, d, v}, &item_form) < 0 ||
        chat_doc_made_key(tx, d, v, "Rec", &i.key) < 0 ||
        doc_str(d, v, "parent", false, &above) < 0 ||
        doc_bool(d, v, "archived", false, &archived) < 0 ||
        doc_bool(d, v, "deleted", false, &deleted) < 0 ||
        chat_doc_second(d, v, "created", f->created_s, &i.created_s) < 0 ||
        chat_doc_second(d, v, "updated", i.created_s, &i.updated_s) < 0 ||
        chat_doc_user(tx, d, v, "by", f->workspace, &by) < 0 ||
        chat_doc_user(tx, d, v, "editor", f->workspace, &editor) < 0 ||
        chat_doc_shaped(d, v, "fields", JSON_ARRAY, &i.fields) < 0)
        return -1;
    int r = above ? chat_item_find(tx, f->id, above, &parent) : 0;
    if (r < 0 || (above && !r))
        return r < 0 ? -1
                     : doc_fail(d, json_get(v, "parent"), "parent",
                                "there is no item \"%.40s\" before this one", above);
    i.parent = parent.id;
    i.fields = i.fields ? i.fields : "[]";
    i.state = deleted ? CHAT_ITEM_DELETED : archived ? CHAT_ITEM_ARCHIVED : CHAT_ITEM_THERE;
    i.created_by = by.id ? by.id : f->user;
    i.updated_by = editor.id ? editor.id : i.created_by;
    return chat_doc_added(tx, d, v, "id", chat_item_add(tx, &i));
}

static const struct member export_members[] = {
    OWN("id", "Its id; made up without it", "text"),
    OWN_TYPED("at_us", "When, in microseconds since 1970", "number", OWN_NUMBER),
    OWN("archived", "Items that are put away are in it", "true or false"),
};
static const struct form export_form = FORM("An export of a list", export_members);

static int seed_export(struct tx *tx, struct doc *d, const struct json *v,
                       const struct chat_file *f)
{
    struct chat_export e = {.list = f->id};
    return form_known(&(struct form_in){tx, d, v}, &export_form) < 0 ||
                   chat_doc_made_key(tx, d, v, "Le", &e.key) < 0 ||
                   doc_int(d, v, "at_us", 0, CHAT_LAST_INSTANT, tx->now_us, &e.at_us) < 0 ||
                   doc_bool(d, v, "archived", false, &e.archived) < 0
               ? -1
               : chat_doc_added(tx, d, v, "id", chat_export_add(tx, &e));
}

static int seed_parts(struct tx *tx, struct doc *d, const struct json *v, const char *member,
                      const struct chat_file *f,
                      int (*one)(struct tx *, struct doc *, const struct json *,
                                 const struct chat_file *))
{
    struct doc_items it;
    if (doc_items(d, v, member, &it) < 0)
        return -1;
    for (const struct json *item; (item = doc_item(d, &it)) != NULL;)
        if (one(tx, d, item, f) < 0)
            return -1;
    return 0;
}

static bool has_column(const struct json *columns, uint32_t n, const char *id)
{
    for (uint32_t i = 0; i < n; i++) {
        const char *other = json_get_str(&columns->items[i], "id");
        if (other && strcmp(other, id) == 0)
            return true;
    }
    return false;
}

/* The id of a column; one that has none gets one that no other has. */
static int column_id(struct tx *tx, struct doc *d, const struct json *columns, uint32_t at,
                     const char *list, const char **ret)
{
    const struct json *one = &columns->items[at];
    if (json_get(one, "id")) {
        if (chat_doc_made_key(tx, d, one, "Col", ret) < 0)
            return -1;
        return has_column(columns, at, *ret) ? doc_fail_twice(d, json_get(one, "id"), "id") : 0;
    }
    do
        *ret = chat_column_key(tx, list);
    while (*ret && has_column(columns, columns->n, *ret));
    return *ret ? 0 : -1;
}

static const struct member column_members[] = {
    OWN("id", "Its id; made up without it", "text"),
    OWN_NEEDED("key", "What programs call it"),
    OWN_NEEDED("name", "Its name"),
    OWN_NEEDED("type", "What its cells hold"),
    OWN("primary", "It is the first one", "true or false"),
    OWN_TYPED("options", "As the API has them", "object", OWN_OBJECT),
};
static const struct form column_form = FORM("A column of a list", column_members);

/* Columns get ids where they have none. */
static int read_columns(struct tx *tx, struct doc *d, const struct json *v, const char *list_key,
                        struct chat_list *l)
{
    const struct json *list;
    struct json_writer w;
    struct buf b;
    int rc = 0;
    if (doc_list(d, v, "columns", &list) < 0)
        return -1;
    if (!list || !list->n)
        return doc_fail(d, v, "columns", "expected at least one column");
    buf_init(&b, 0);
    json_init(&w, &b, false, NULL);
    json_arr(&w, NULL);
    for (uint32_t i = 0; rc == 0 && i < list->n; i++) {
        const struct json *one = &list->items[i];
        const char *id, *key, *name, *type, *options;
        bool primary;
        size_t mark = doc_push(d, "columns", i);
        if (form_known(&(struct form_in){tx, d, one}, &column_form) < 0 ||
            column_id(tx, d, list, i, list_key, &id) < 0 ||
            doc_str(d, one, "key", true, &key) < 0 || doc_str(d, one, "name", true, &name) < 0 ||
            doc_str(d, one, "type", true, &type) < 0 ||
            doc_bool(d, one, "primary", false, &primary) < 0 ||
            chat_doc_shaped(d, one, "options", JSON_OBJECT, &options) < 0) {
            rc = -1;
            break;
        }
        json_obj(&w, NULL);
        json_str(&w, "id", id);
        json_str(&w, "key", key);
        json_str(&w, "name", name);
        json_str(&w, "type", type);
        json_bool_opt(&w, "primary", primary);
        chat_dump_raw(&w, "options", options);
        json_end(&w);
        doc_pop(d, mark);
    }
    json_end(&w);
    l->columns = arena_strdup(tx->arena, buf_str(&b));
    buf_done(&b);
    return rc;
}

static const struct member chat_list_members[] = {
    OWN("workspace", "The domain of the workspace, where there are several", "text"),
    OWN_NEEDED("file", "The id of its file"),
    OWN("description", "What it is for, as rich text", "list"),
    OWN_LIST("columns", "Its columns", &column_form),
    OWN("subtask", "The id of the column of parts", "text"),
    OWN("todo", "Its items can be done", "true or false"),
    OWN_LIST("items", "Its items", &item_form),
    OWN_LIST("exports", "What was exported of it", &export_form),
    OWN("access", "Who may do what with it, as of canvases", "list"),
};
const struct form chat_list_form = FORM("A list: the rows of a file", chat_list_members);

int chat_list_seed(struct tx *tx, struct doc *d, const struct json *v)
{
    struct chat_workspace w;
    struct chat_list l = {0};
    struct chat_file f;
    if (form_known(&(struct form_in){tx, d, v}, &chat_list_form) < 0 ||
        chat_doc_file(tx, d, v, "list", &w, &f) < 0 || read_columns(tx, d, v, f.key, &l) < 0 ||
        doc_str(d, v, "subtask", false, &l.subtask) < 0 ||
        doc_bool(d, v, "todo", false, &l.todo) < 0 ||
        chat_doc_shaped(d, v, "description", JSON_ARRAY, &l.description) < 0)
        return -1;
    l.file = f.id;
    if (!l.subtask && !(l.subtask = chat_column_key(tx, f.key)))
        return -1;
    return chat_doc_added(tx, d, v, "file", chat_list_add(tx, &l)) < 0 ||
                   seed_parts(tx, d, v, "items", &f, seed_item) < 0 ||
                   seed_parts(tx, d, v, "exports", &f, seed_export) < 0
               ? -1
               : chat_doc_access(tx, d, v, &f);
}

struct dumping {
    struct tx *tx;
    struct json_writer *w;
    bool failed;
};

static int dump_item(struct dumping *d, const struct chat_item *i)
{
    struct json_writer *w = d->w;
    struct chat_item parent;
    int r = i->parent ? chat_item_get(d->tx, i->parent, &parent) : 0;
    if (r < 0)
        return -1;
    json_obj(w, NULL);
    json_str(w, "id", i->key);
    if (r)
        json_str(w, "parent", parent.key);
    if (strcmp(i->fields, "[]") != 0)
        chat_dump_raw(w, "fields", i->fields);
    json_bool_opt(w, "archived", i->state == CHAT_ITEM_ARCHIVED);
    json_bool_opt(w, "deleted", i->state == CHAT_ITEM_DELETED);
    json_int(w, "created", i->created_s);
    json_int(w, "updated", i->updated_s);
    r = chat_dump_user(d->tx, w, "by", i->created_by) < 0 ||
                chat_dump_user(d->tx, w, "editor", i->updated_by) < 0
            ? -1
            : 0;
    json_end(w);
    return r;
}

static int dump_items(struct tx *tx, int64_t list, struct json_writer *w)
{
    static struct sql_text q =
        SQL_TEXT("select id from slack_list_item where list = :list order by place");
    struct dumping d = {.tx = tx, .w = w};
    sqlite3_stmt *st = TX_QUERY(tx, &q, list);
    struct chat_item i;
    int r = st ? 1 : -1;
    json_arr(w, "items");
    while (r == 1 && (r = TX_STEP(tx, st)) == 1)
        if (chat_item_get(tx, sqlite3_column_int64(st, 0), &i) < 0 || dump_item(&d, &i) < 0) {
            sql_done(st);
            return -1;
        }
    json_end(w);
    return r;
}

static int dump_exports(struct tx *tx, int64_t list, struct json_writer *w)
{
    static struct sql_text q =
        SQL_TEXT("select key, at_us, archived from slack_export where list = :list order by id");
    sqlite3_stmt *st = TX_QUERY(tx, &q, list);
    int r = st ? 1 : -1;
    json_arr(w, "exports");
    while (r == 1 && (r = TX_STEP(tx, st)) == 1) {
        json_obj(w, NULL);
        json_str(w, "id", (const char *)sqlite3_column_text(st, 0));
        json_int(w, "at_us", sqlite3_column_int64(st, 1));
        json_bool_opt(w, "archived", sqlite3_column_int(st, 2));
        json_end(w);
    }
    json_end(w);
    return r;
}

int chat_list_dump(struct tx *tx, int64_t id, struct json_writer *w)
{
    struct chat_list l;
    struct chat_file f;
    int r = chat_list_get(tx, id, &l);
    if (r == 1)
        r = chat_file_get(tx, id, &f);
    if (r != 1)
        return r;
    if (chat_dump_workspace(tx, w, f.workspace) < 0)
        return -1;
    json_str(w, "file", f.key);
    chat_dump_raw(w, "description", l.description);
    chat_dump_raw(w, "columns", l.columns);
    json_str(w, "subtask", l.subtask);
    json_bool_opt(w, "todo", l.todo);
    return dump_items(tx, id, w) < 0 || dump_exports(tx, id, w) < 0 ||
                   chat_dump_access(tx, w, id) < 0
               ? -1
               : 1;
}
