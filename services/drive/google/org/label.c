/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/state/own.h"
#include "services/drive/google/org/label.h"
#include "engine/json/doc.h"
#include "engine/world/core.h"
#include "engine/world/take.h"

static const struct json *parse(struct tx *tx, const char *text)
{
    const struct json *v;
    struct sosia_err err;
    return text && json_parse(tx->arena, text, strlen(text), NULL, &v, &err) == 0 ? v : NULL;
}

/* The next one: 1, 0, -1. */
static int read_label(struct tx *tx, sqlite3_stmt *st, struct gdrive_label *ret)
{
    const char *definition, *content;
    int r = TX_TAKE_NEXT(tx, st, &ret->id, &ret->key, &ret->revision, &ret->name, &definition,
                         &content);
    if (r == 1) {
        ret->fields = json_get(parse(tx, definition), "fields");
        ret->content = parse(tx, content);
    }
    return r;
}

int gdrive_labels_of(struct tx *tx, int64_t item, int64_t after, size_t limit,
                     struct gdrive_label **ret, size_t *ret_n)
{
    static struct sql_text q = SQL_TEXT("select l.id, l.key, l.revision, l.name, l.definition, "
                                        "d.content from gdrive_labelled d join "
                                        "gdrive_label l on l.id = d.label where d.item = :item and "
                                        "l.id > :after order by l.id limit "
                                        ":limit");
    struct gdrive_label *list = arena_calloc(tx->arena, limit + 1, sizeof *list);
    sqlite3_stmt *st = TX_QUERY(tx, &q, item, after, (int64_t)limit);
    size_t n = 0;
    int r;
    while ((r = read_label(tx, st, &list[n])) == 1)
        n++;
    *ret = list;
    *ret_n = n;
    return r;
}

int gdrive_label(struct tx *tx, int64_t item, const char *key, struct gdrive_label *ret)
{
    static struct sql_text q = SQL_TEXT(
        "select l.id, l.key, l.revision, l.name, l.definition, d.content from gdrive_label l left "
        "join gdrive_labelled d on d.label = l.id and d.item = :item where l.key = :key");
    sqlite3_stmt *st = TX_QUERY(tx, &q, item, key);
    int r = read_label(tx, st, ret);
    if (r == 1)
        sql_done(st);
    return r;
}

int gdrive_label_put(struct tx *tx, int64_t item, const struct gdrive_label *l, const char *content)
{
    static struct sql_text q_put = SQL_TEXT("insert or replace into gdrive_labelled (item, label, "
                                            "content) values (:item, :label, :content)");
    static struct sql_text q_drop =
        SQL_TEXT("delete from gdrive_labelled where item = :item and label = :label");
    return content ? TX_RUN(tx, &q_put, item, l->id, content) : TX_RUN(tx, &q_drop, item, l->id);
}

const struct json *gdrive_label_field(const struct gdrive_label *l, const char *id)
{
    for (uint32_t i = 0; l->fields && l->fields->type == JSON_ARRAY && i < l->fields->n; i++) {
        const char *known = json_get_str(&l->fields->items[i], "id");
        if (known && strcmp(known, id) == 0)
            return &l->fields->items[i];
    }
    return NULL;
}

/* ---- the member labels of files ---- */

static bool is_texts(const struct json *v)
{
    for (uint32_t i = 0; v->type == JSON_ARRAY && i < v->n; i++)
        if (v->items[i].type != JSON_STRING)
            return false;
    return v->type == JSON_ARRAY;
}

int gdrive_labelled_seed(struct tx *tx, struct doc *d, const struct json *v, struct drive_item *it)
{
    static const char *const names[] = {"id", "fields", NULL};
    const struct json *fields = json_get(v, "fields");
    const char *key;
    struct gdrive_label l;
    if (doc_object(d, v, names) < 0 || doc_str(d, v, "id", true, &key) < 0)
        return -1;
    int r = gdrive_label(tx, it->id, key, &l);
    if (r < 1)
        return r < 0 ? -1
                     : doc_refuse(d, v, "id", "there is no label \"%.80s\" in driveLabels", key);
    if (fields && fields->type != JSON_OBJECT)
        return doc_fail(d, fields, "fields", "must be an object");
    for (uint32_t i = 0; fields && i < fields->n; i++) {
        const struct json_member *m = &fields->members[i];
        if (!gdrive_label_field(&l, m->key))
            return doc_fail(d, &m->value, "fields", "the label has no field \"%.80s\"", m->key);
        if (!is_texts(&m->value))
            return doc_fail(d, &m->value, "fields", "\"%.80s\" must be a list of texts", m->key);
    }
    return gdrive_label_put(tx, it->id, &l, fields ? json_to_text(tx->arena, fields) : "{}");
}

int gdrive_labelled_dump(struct tx *tx, struct json_writer *w, const struct drive_item *it)
{
    enum { AT_ONCE = 100 };
    struct gdrive_label *list;
    int64_t after = 0;
    bool any = false;
    size_t n;
    do {
        if (gdrive_labels_of(tx, it->id, after, AT_ONCE, &list, &n) < 0)
            return -1;
        if (n && !any)
            json_arr(w, "labels");
        any = any || n;
        for (size_t i = 0; i < n; i++) {
            json_obj(w, NULL);
            json_str(w, "id", list[i].key);
            if (list[i].content && list[i].content->n)
                json_value(w, "fields", list[i].content);
            json_end(w);
            after = list[i].id;
        }
    } while (n == AT_ONCE);
    if (any)
        json_end(w);
    return 0;
}

/* ---- the section driveLabels ---- */

static const struct member label_field_members[] = {
    OWN_NEEDED("id", "Its id"),
    OWN_TYPED(
        "type", "What it holds", "text, longText, integer, date, user, selection",
        "{\"enum\":[\"text\",\"longText\",\"integer\",\"date\",\"user\",\"selection\",null]}"),
    OWN("many", "More than one of them", "true or false"),
    OWN_TYPED("choices", "Of a selection: the ids", "list of texts",
              "{\"type\":[\"array\",\"null\"],\"items\":{\"type\":\"string\"}}"),
};
static const struct form label_field_form = FORM("A field of a label", label_field_members);

static int check_field(struct doc *d, const struct json *v)
{
    static const char *const types[] = {"text", "longText",  "integer", "date",
                                        "user", "selection", NULL};
    const char *id, **choices;
    bool many;
    int type;
    size_t n;
    if (form_known(&(struct form_in){.d = d, .value = v}, &label_field_form) < 0 ||
        doc_str(d, v, "id", true, &id) < 0 || doc_enum(d, v, "type", types, 0, &type) < 0 ||
        doc_bool(d, v, "many", false, &many) < 0)
        return -1;
    return doc_strings(d, v, "choices", &choices, &n);
}

static const struct member gdrive_label_members[] = {
    OWN_NEEDED("id", "Its id"),
    OWN("revision", "1 without it", "text"),
    OWN_NEEDED("name", "Its name"),
    OWN_LIST("fields", "Its fields", &label_field_form),
};
const struct form gdrive_label_form = FORM("A label that files may have", gdrive_label_members);

int gdrive_label_seed(struct tx *tx, struct doc *d, const struct json *v)
{
    static struct sql_text q =
        SQL_TEXT("insert into gdrive_label (key, revision, name, definition) values (:key, "
                 ":revision, :name, :definition) on conflict (key) do update set revision = "
                 "excluded.revision, name = excluded.name, definition = excluded.definition");
    const char *key, *revision, *name;
    struct doc_items fields;
    if (form_known(&(struct form_in){tx, d, v}, &gdrive_label_form) < 0 ||
        doc_str(d, v, "id", true, &key) < 0 || doc_str(d, v, "revision", false, &revision) < 0 ||
        doc_str(d, v, "name", true, &name) < 0 || doc_items(d, v, "fields", &fields) < 0)
        return -1;
    for (const struct json *field; (field = doc_item(d, &fields)) != NULL;)
        if (check_field(d, field) < 0)
            return -1;
    const char *definition = arena_printf(
        tx->arena, "{\"fields\":%s}", fields.list ? json_to_text(tx->arena, fields.list) : "[]");
    return TX_RUN(tx, &q, key, revision ? revision : "1", name, definition);
}

int gdrive_label_dump(struct tx *tx, int64_t rowid, struct json_writer *w)
{
    static struct sql_text q =
        SQL_TEXT("select key, revision, name, definition from gdrive_label where id = :id");
    const char *key, *revision, *name, *definition;
    int r = TX_TAKE(tx, TX_QUERY(tx, &q, rowid), &key, &revision, &name, &definition);
    if (r != 1)
        return r;
    json_str(w, "id", key);
    json_str(w, "revision", revision);
    json_str(w, "name", name);
    const struct json *fields = json_get(parse(tx, definition), "fields");
    if (fields)
        json_value(w, "fields", fields);
    return 1;
}
