/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Changes as rows of tables. Each dialect writes what an entity is in tables (struct table_view);
 * the rows that the changed entities have in the one state and in the other are compared by the
 * columns that name them, so that an event in another calendar is the same row, and a channel with
 * another member one row more.
 */
#include "grading/tables.h"
#include "engine/base/map.h"
#include "engine/json/build.h"

#define KEY_MAX 3

static const struct table {
    const char *name;
    const char *key[KEY_MAX + 1];
    const char *column, *value; /* what a row that is taken away has there; NULL: it goes */
    const char *of, *of_column; /* it stays with the row of this table that it is part of */
} tables[] = {
    {"teams", {"team_id"}, NULL, NULL},
    {"users", {"user_id"}, NULL, NULL},
    {"user_teams", {"user_id", "team_id"}, NULL, NULL},
    {"channels", {"channel_id"}, NULL, NULL},
    {"channel_members", {"channel_id", "user_id"}, NULL, NULL},
    {"messages", {"message_id"}, NULL, NULL},
    {"message_reactions", {"message_id", "user_id", "reaction_type"}, NULL, NULL},
    {"calendar_users", {"id"}, NULL, NULL},
    {"calendars", {"id"}, "deleted", NULL},
    {"calendar_list_entries", {"user_id", "calendar_id"}, "deleted", NULL},
    {"calendar_events", {"id"}, "status", "cancelled"},
    {"calendar_event_attendees", {"event_id", "email"}, NULL, NULL, "calendar_events", "event_id"},
    {"calendar_acl_rules", {"calendar_id", "scope_type", "scope_value"}, "deleted", NULL},
    {"calendar_channels", {"id"}, NULL, NULL},
    {"calendar_settings", {"user_id", "setting_id"}, NULL, NULL},
};

static const struct table *table_of(const char *name)
{
    for (size_t i = 0; name && i < SOSIA_LEN(tables); i++)
        if (strcmp(tables[i].name, name) == 0)
            return &tables[i];
    return NULL;
}

bool table_is_known(const char *name)
{
    return table_of(name) != NULL;
}

const char *const *table_key(const char *name)
{
    const struct table *t = table_of(name);
    return t ? t->key : NULL;
}

const char *table_name_at(size_t i)
{
    return i < SOSIA_LEN(tables) ? tables[i].name : NULL;
}

const char *table_names(struct arena *a, const char *like)
{
    static const char calendar[] = "calendar";
    bool of = strncmp(like, calendar, sizeof calendar - 1) == 0;
    const char *all = "";
    for (size_t i = 0; i < SOSIA_LEN(tables); i++)
        if (of == (strncmp(tables[i].name, calendar, sizeof calendar - 1) == 0))
            all = arena_printf(a, "%s%s%s", all, *all ? " " : "", tables[i].name);
    return all;
}

/* ---- rows of a state ---- */

struct side_rows {
    struct table_row {
        const struct table *table;
        const struct json *value;
        const char *key;
        bool there; /* in the other state too */
    } * list;
    size_t n, cap;
    struct map by_key;
};

/* What names a row among all tables; NULL without memory. */
static const char *key_of(struct arena *a, const struct table *t, const struct json *row)
{
    const char *key = t->name;
    for (size_t i = 0; t->key[i]; i++) {
        const char *text = json_get_str(row, t->key[i]);
        key = arena_printf(a, "%s\n%s", key, text ? text : "");
    }
    return arena_failed(a) ? NULL : key;
}

/* Several entities may have the same row. */
static int add_row(struct side_rows *s, struct arena *a, const struct json *row,
                   struct sosia_err *err)
{
    const struct table *t = table_of(json_get_str(row, "__table__"));
    const char *key = t ? key_of(a, t, row) : NULL;
    if (!t)
        return 0;
    if (!key)
        return sosia_fail_memory(err);
    if (map_get(&s->by_key, key))
        return 0;
    struct table_row *list = arena_grow(a, s->list, s->n, &s->cap, sizeof *list);
    if (!list)
        return sosia_fail_memory(err);
    s->list = list;
    s->list[s->n++] = (struct table_row){.table = t, .value = row, .key = key};
    return map_set(&s->by_key, key, (void *)(uintptr_t)s->n) < 0 ? sosia_fail_memory(err) : 0;
}

/* The tables of the vendor in whose terms a change is shown. */
static const struct table_view *view_of(const struct sosia_engine *e, const struct change *of)
{
    const char *vendor = of->view ? of->view->vendor : NULL;
    for (const struct sosia_core *const *c = e->cores; *c; c++)
        for (const struct table_view *v = (*c)->tables; v && v->entity; v++)
            if (strcmp(v->entity, of->entity->name) == 0 &&
                (!v->vendor || !vendor || strcmp(v->vendor, vendor) == 0))
                return v;
    return NULL;
}

static int read_rows(struct change_side *from, const struct table_view *view, int64_t rowid,
                     struct arena *a, struct side_rows *s, struct sosia_err *err)
{
    const struct json *list = NULL;
    struct json_builder build;
    struct json_writer w;
    struct buf out;
    buf_init(&out, 0);
    json_build_init(&build, a);
    json_init_build(&w, &build, &out);
    json_arr(&w, NULL);
    int rc = view->write(&from->tx, rowid, &w);
    json_end(&w);
    if (rc >= 0 && !buf_failed(&out))
        list = json_build_root(&build);
    json_build_done(&build);
    buf_done(&out);
    if (rc >= 0 && !list)
        rc = sosia_fail_memory(err);
    for (uint32_t i = 0; rc >= 0 && i < list->n; i++)
        rc = add_row(s, a, &list->items[i], err);
    return rc < 0 ? -1 : 0;
}

/* ---- what leads from one state to the other ---- */

/* An object without the member that names its table. */
static const struct json *columns_of(struct arena *a, const struct json *row)
{
    struct json *copy = arena_alloc(a, sizeof *copy);
    if (arena_failed(a))
        return row;
    *copy = *row;
    copy->members++;
    copy->n--;
    return copy;
}

/* As a row is that was taken away where rows of its kind stay; NULL: it had been before. */
static const struct json *taken_away(struct arena *a, const struct table *t, const struct json *row)
{
    struct json *copy = arena_alloc(a, sizeof *copy);
    struct json_member *members = arena_calloc(a, row->n, sizeof *members);
    bool changed = false;
    if (arena_failed(a))
        return NULL;
    *copy = *row;
    memcpy(members, row->members, row->n * sizeof *members);
    for (uint32_t i = 0; i < row->n; i++) {
        struct json *v = &members[i].value;
        if (strcmp(members[i].key, t->column) != 0)
            continue;
        changed = t->value ? v->type != JSON_STRING || strcmp(v->str, t->value) != 0 : !v->truth;
        if (t->value)
            *v = (struct json){
                .type = JSON_STRING, .n = (uint32_t)strlen(t->value), .str = t->value};
        else
            *v = (struct json){.type = JSON_BOOL, .truth = true};
    }
    copy->members = members;
    return changed ? copy : NULL;
}

/* Whether what a row is part of was taken away too, and stays. */
static bool stays(const struct side_rows *before, const struct side_rows *after, struct arena *a,
                  const struct table_row *row)
{
    const char *whole = row->table->of;
    if (!whole)
        return false;
    whole = arena_printf(a, "%s\n%s", whole, json_get_str(row->value, row->table->of_column));
    return map_get(&before->by_key, whole) && !map_get(&after->by_key, whole);
}

static int compare(struct side_rows *before, struct side_rows *after, struct arena *a,
                   const struct row **ret, size_t *ret_n, struct sosia_err *err)
{
    struct row *rows = arena_calloc(a, before->n + after->n + 1, sizeof *rows);
    size_t n = 0;
    if (arena_failed(a))
        return sosia_fail_memory(err);
    for (size_t i = 0; i < after->n; i++) {
        const struct table_row *now = &after->list[i];
        size_t at = (size_t)(uintptr_t)map_get(&before->by_key, now->key);
        struct table_row *was = at ? &before->list[at - 1] : NULL;
        if (was)
            was->there = true;
        if (!was)
            rows[n++] =
                (struct row){.kind = ROW_ADDED, .entity = now->table->name, .to = now->value};
        else if (!json_same(was->value, now->value))
            rows[n++] = (struct row){.kind = ROW_CHANGED,
                                     .entity = now->table->name,
                                     .from = columns_of(a, was->value),
                                     .to = columns_of(a, now->value)};
    }
    for (size_t i = 0; i < before->n; i++) {
        const struct table_row *was = &before->list[i];
        const struct table *t = was->table;
        if (was->there || stays(before, after, a, was))
            continue;
        const struct json *now = t->column ? taken_away(a, t, was->value) : NULL;
        if (!t->column)
            rows[n++] = (struct row){.kind = ROW_REMOVED, .entity = t->name, .from = was->value};
        else if (now)
            rows[n++] = (struct row){.kind = ROW_CHANGED,
                                     .entity = t->name,
                                     .from = columns_of(a, was->value),
                                     .to = columns_of(a, now)};
    }
    *ret = rows;
    *ret_n = n;
    return arena_failed(a) ? sosia_fail_memory(err) : 0;
}

int table_rows(struct changes *d, struct arena *a, const struct row **ret_rows, size_t *ret_n)
{
    struct side_rows before = {0}, after = {0};
    int rc = 0;
    map_init(&before.by_key);
    map_init(&after.by_key);
    for (size_t i = 0; rc == 0 && i < d->n; i++) {
        const struct change *c = &d->list[i];
        const struct table_view *view = c->cause < 0 ? view_of(d->b.tx.engine, c) : NULL;
        if (!view)
            continue;
        rc = read_rows(&d->a, view, c->rowid, a, &before, d->err);
        if (rc == 0)
            rc = read_rows(&d->b, view, c->rowid, a, &after, d->err);
        side_rest(&d->a);
        side_rest(&d->b);
    }
    if (rc == 0)
        rc = compare(&before, &after, a, ret_rows, ret_n, d->err);
    map_done(&before.by_key);
    map_done(&after.by_key);
    return rc;
}

int table_rows_write(struct changes *d, struct arena *a, struct json_writer *w)
{
    static const char *const names[] = {"inserts", "updates", "deletes"};
    static const enum row_change kinds[] = {ROW_ADDED, ROW_CHANGED, ROW_REMOVED};
    const struct row *rows;
    size_t n;
    if (table_rows(d, a, &rows, &n) < 0)
        return -1;
    json_obj(w, NULL);
    for (size_t k = 0; k < SOSIA_LEN(names); k++) {
        json_arr(w, names[k]);
        for (size_t i = 0; i < n; i++) {
            const struct row *r = &rows[i];
            if (r->kind != kinds[k])
                continue;
            if (r->kind != ROW_CHANGED) {
                json_value(w, NULL, r->to ? r->to : r->from);
                continue;
            }
            json_obj(w, NULL);
            json_str(w, "__table__", r->entity);
            json_value(w, "before", r->from);
            json_value(w, "after", r->to);
            json_end(w);
        }
        json_end(w);
    }
    json_end(w);
    return 0;
}
