/* SPDX-License-Identifier: Apache-2.0 */
/* Values of items as the object "fields" has them: people and lookups by their numbers, in members
 * of their own ("OwnerLookupId"). */
#include "engine/base/codec.h"
#include "services/lists/sharepoint/sharepoint.h"

/* ---- out ---- */

static const char *digits(struct arena *a, int64_t number)
{
    return arena_printf(a, "%lld", (long long)number);
}

/* The number of what a value refers to, and what people see of it. 0, -1. */
static int resolve(struct sp_at *at, const struct lists_column *k, const struct json *v,
                   int64_t *ret_number, const char **ret_text)
{
    struct tx *tx = &at->c->tx;
    struct lists_list list;
    struct lists_item item;
    struct actor who;
    *ret_text = "";
    *ret_number = 0;
    if (k->kind == LISTS_PERSON) {
        int r = actor_find(tx, v->str, &who);
        if (r == 1)
            *ret_text = who.name;
        return r < 0 || sp_user_number(tx, v->str, ret_number) < 0 ? -1 : 0;
    }
    if (json_i64(v, ret_number) < 0)
        return 0;
    int r = k->target ? lists_by_key(tx, k->target, &list) : 0;
    if (r == 1)
        r = lists_item_find(tx, list.id, *ret_number, &item);
    if (r == 1) {
        const struct json *extra = NULL, *values = NULL;
        const char *shown = NULL;
        if ((k->extra && lists_values_read(tx, k->extra, &extra) < 0) ||
            lists_values_read(tx, item.values, &values) < 0)
            return -1;
        shown = extra ? json_get_str(extra, "columnName") : NULL;
        shown = json_get_str(values, shown ? shown : "Title");
        *ret_text = shown ? shown : "";
    }
    return r < 0 ? -1 : 0;
}

static int write_several(struct sp_at *at, struct json_writer *w, const struct lists_column *k,
                         const struct json *v)
{
    json_arr(w, k->name);
    for (uint32_t i = 0; i < v->n; i++) {
        const char *text;
        int64_t number;
        if (resolve(at, k, &v->items[i], &number, &text) < 0)
            return -1;
        json_obj(w, NULL);
        json_int(w, "LookupId", number);
        json_str(w, "LookupValue", text);
        if (k->kind == LISTS_PERSON)
            json_str(w, "Email", v->items[i].str);
        json_end(w);
    }
    json_end(w);
    return 0;
}

static int write_value(struct sp_at *at, struct json_writer *w, const struct lists_column *k,
                       const struct json *v)
{
    struct arena *a = at->c->tx.arena;
    const char *text;
    int64_t number;
    switch ((enum lists_kind)k->kind) {
    case LISTS_CHOICES:
        json_str(w, ARENA_JOIN(a, k->name, "@odata.type"), "Collection(Edm.String)");
        json_value(w, k->name, v);
        return 0;
    case LISTS_LOOKUP:
    case LISTS_PERSON:
        if (v->type == JSON_ARRAY)
            return write_several(at, w, k, v);
        if (resolve(at, k, v, &number, &text) < 0)
            return -1;
        json_str(w, ARENA_JOIN(a, k->name, "LookupId"), digits(a, number));
        return 0;
    case LISTS_LINK:
        json_obj(w, k->name);
        json_str(w, "Description", json_get_str(v, "text"));
        json_str(w, "Url", json_get_str(v, "url"));
        json_end(w);
        return 0;
    default:
        json_value(w, k->name, v);
        return 0;
    }
}

static int user_of(struct sp_at *at, int64_t actor, const char **ret)
{
    struct actor who;
    int64_t number = 1;
    int r = actor ? actor_by_id(&at->c->tx, actor, &who) : 0;
    if (r == 1 && sp_user_number(&at->c->tx, who.handle, &number) < 0)
        r = -1;
    *ret = digits(at->c->tx.arena, number);
    return r < 0 ? -1 : 0;
}

/* What a library's item has of its file. */
static void write_file(struct sp_at *at, struct json_writer *w)
{
    struct arena *a = at->c->tx.arena;
    const struct ms_file *f = &at->file;
    const char *dot = f->folder ? NULL : strrchr(f->name, '.');
    json_str(w, "FileLeafRef", f->name);
    if (dot && dot[1])
        json_str(w, "DocIcon", dot + 1);
    if (!f->folder)
        json_str(w, "FileSizeDisplay", digits(a, f->size));
    json_str(w, "LinkFilenameNoMenu", f->name);
    json_str(w, "LinkFilename", f->name);
}

/* What every item has. */
static int write_common(struct sp_at *at, struct json_writer *w, const struct lists_item *item,
                        const char *title)
{
    static const char *const empty[] = {"_ComplianceFlags", "_ComplianceTag",
                                        "_ComplianceTagWrittenTime", "_ComplianceTagUserId"};
    struct arena *a = at->c->tx.arena;
    const char *author, *editor;
    if (user_of(at, item->creator, &author) < 0 || user_of(at, item->modifier, &editor) < 0)
        return -1;
    json_str(w, "id", digits(a, item->number));
    json_str(w, "ContentType",
             !at->of.is_library ? "Item"
             : at->file.folder  ? "Folder"
                                : "Document");
    json_str(w, "Modified", graph_date(a, item->modified_us, 0));
    json_str(w, "Created", graph_date(a, item->created_us, 0));
    json_str(w, "AuthorLookupId", author);
    json_str(w, "EditorLookupId", editor);
    json_str(w, "_UIVersionString", arena_printf(a, "%lld.0", (long long)item->version));
    if (at->of.is_library)
        write_file(at, w);
    else
        json_bool(w, "Attachments", false);
    json_str(w, "Edit", "");
    if (title && !at->of.is_library) {
        json_str(w, "LinkTitleNoMenu", title);
        json_str(w, "LinkTitle", title);
    }
    json_str(w, "ItemChildCount", digits(a, at->of.is_library ? at->file.children : 0));
    json_str(w, "FolderChildCount", "0");
    for (size_t i = 0; i < SOSIA_LEN(empty); i++)
        json_str(w, empty[i], "");
    json_str(w, "AppAuthorLookupId", "1");
    json_str(w, "AppEditorLookupId", "1");
    return 0;
}

int sp_write_fields(struct sp_at *at, struct json_writer *w, const struct lists_item *item)
{
    struct lists_column column = {.id = 0};
    struct tx *tx = &at->c->tx;
    const struct json *values;
    int r;
    if (lists_values_read(tx, item->values, &values) < 0)
        return -1;
    json_str(w, "@odata.etag", sp_etag(tx->arena, item->key, item->version));
    while ((r = lists_column_next(tx, at->of.list.id, column.id, &column)) == 1) {
        const struct json *v = json_get(values, column.name);
        if (v && write_value(at, w, &column, v) < 0)
            return -1;
    }
    return r < 0 ? -1 : write_common(at, w, item, json_get_str(values, "Title"));
}

/* ---- in ---- */

struct taken {
    struct sp_at *at;
    struct json_writer w;
};

/* "OwnerLookupId" is of the column Owner. 1, 0, -1. */
static int column_of(struct sp_at *at, const char *name, struct lists_column *ret, bool *by_number)
{
    static const char tail[] = "LookupId";
    const size_t n = strlen(name), t = sizeof tail - 1;
    int r = lists_column_find(&at->c->tx, at->of.list.id, name, ret);
    *by_number = false;
    if (r == 1)
        return strcmp(ret->name, name) == 0;
    if (r < 0 || n <= t || strcmp(name + n - t, tail) != 0)
        return r;
    r = lists_column_find(&at->c->tx, at->of.list.id, arena_memdup(at->c->tx.arena, name, n - t),
                          ret);
    *by_number = r == 1;
    return r == 1 ? ret->kind == LISTS_LOOKUP || ret->kind == LISTS_PERSON : r;
}

/* A number, or a text that is one. */
static bool number_of(const struct json *v, int64_t *ret)
{
    return (v->type == JSON_NUMBER || v->type == JSON_STRING) && parse_i64(v->str, v->n, ret) == 0;
}

static int take_number(struct taken *t, const struct lists_column *k, const char *key,
                       const struct json *v)
{
    const char *handle;
    int64_t number;
    if (!number_of(v, &number))
        return sp_not_acceptable(t->at->c);
    if (k->kind == LISTS_LOOKUP) {
        json_int(&t->w, key, number);
        return 0;
    }
    int r = sp_user_of_number(t->at, number, &handle);
    if (r != 1)
        return r < 0 ? -1 : sp_not_acceptable(t->at->c);
    json_str(&t->w, key, handle);
    return 0;
}

static int take_numbers(struct taken *t, const struct lists_column *k, const struct json *v)
{
    if (v->type == JSON_NULL) {
        json_null(&t->w, k->name);
        return 0;
    }
    if (k->multiple != (v->type == JSON_ARRAY))
        return sp_not_acceptable(t->at->c);
    if (!k->multiple)
        return take_number(t, k, k->name, v);
    json_arr(&t->w, k->name);
    for (uint32_t i = 0; i < v->n; i++)
        if (take_number(t, k, NULL, &v->items[i]) < 0)
            return -1;
    json_end(&t->w);
    return 0;
}

static int take_link(struct taken *t, const struct lists_column *k, const struct json *v)
{
    const char *url = v->type == JSON_OBJECT ? json_get_str(v, "Url") : NULL;
    const char *text = v->type == JSON_OBJECT ? json_get_str(v, "Description") : NULL;
    if (!url)
        return sp_not_acceptable(t->at->c);
    json_obj(&t->w, k->name);
    json_str(&t->w, "url", url);
    if (text)
        json_str(&t->w, "text", text);
    json_end(&t->w);
    return 0;
}

static int take_field(struct taken *t, const struct json_member *m)
{
    struct call *c = t->at->c;
    struct lists_column k;
    bool by_number;
    int r = column_of(t->at, m->key, &k, &by_number);
    if (r < 0)
        return -1;
    if (!r && sp_is_builtin(m->key)) /* who may write these is not said by Graph (readOnly) */
        return call_fail(c, SOSIA_E_INVALID, "invalidRequest", NULL, "Field '%.100s' is read-only",
                         m->key);
    if (!r)
        return call_fail(c, SOSIA_E_INVALID, "invalidRequest", NULL,
                         "Field '%.100s' is not recognized", m->key);
    if (by_number)
        return take_numbers(t, &k, &m->value);
    if ((k.kind == LISTS_LOOKUP || k.kind == LISTS_PERSON) && m->value.type != JSON_NULL)
        return site_invalid(c, "Invalid request");
    if (k.kind == LISTS_LINK && m->value.type != JSON_NULL)
        return take_link(t, &k, &m->value);
    json_value(&t->w, k.name, &m->value);
    return 0;
}

int sp_read_fields(struct sp_at *at, const struct json *fields, const struct json **ret)
{
    struct taken t = {.at = at};
    struct buf b;
    int r = 0;
    if (fields->type != JSON_OBJECT)
        return site_invalid(at->c, "Invalid request");
    buf_init(&b, LISTS_VALUES_MOST);
    json_init(&t.w, &b, false, NULL);
    json_obj(&t.w, NULL);
    for (uint32_t i = 0; r == 0 && i < fields->n; i++)
        if (!strchr(fields->members[i].key, '@'))
            r = take_field(&t, &fields->members[i]);
    const char *text = NULL;
    if (r == 0) {
        json_end(&t.w);
        text = buf_failed(&b) ? NULL : arena_memdup(at->c->tx.arena, b.data, b.len);
        if (!text)
            r = sp_not_acceptable(at->c);
    }
    const size_t n = b.len;
    buf_done(&b);
    if (r < 0)
        return -1;
    return json_parse(at->c->tx.arena, text, n, NULL, ret, at->c->tx.err);
}
