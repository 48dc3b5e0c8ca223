/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/state/stored.h"
#include "engine/base/codec.h"
#include <assert.h>

/* ---- columns ---- */

struct column {
    const struct member *m;
    size_t base; /* where the struct of its form is in the row */
};

enum { COLUMNS_MAX = 48 };

static bool has_column(const struct column *list, int n, size_t at)
{
    for (int i = 0; i < n; i++)
        if (list[i].base + list[i].m->at == at)
            return true;
    return false;
}

/* Each field once, though several members may be of it. */
static int columns_of(const struct form *form, size_t base, struct column *list, int n)
{
    for (size_t i = 0; i < form->n; i++) {
        const struct member *m = &form->members[i];
        if (m->kind == MEMBER_PART || m->kind == MEMBER_OBJECT)
            n = columns_of(m->form, base + m->at, list, n);
        else if (m->column && !m->apart && !has_column(list, n, base + m->at)) {
            assert(n < COLUMNS_MAX);
            list[n++] = (struct column){m, base};
        }
    }
    return n;
}

static struct sql_value value_at(const struct column *c, const void *row)
{
    const struct member *m = c->m;
    const char *place = (const char *)row + c->base;
    if (!m->name && strcmp(m->column, "id") == 0) /* the table gives a row its id */
        return sql_null();
    if (member_is_text(m))
        return sql_of_string(member_text(m, place));
    int64_t v = member_number(m, place);
    if (m->flags & MEMBER_SPOKEN)
        return sql_of_string(m->names[v - m->min]);
    const bool none = m->kind == MEMBER_REF ? !v : m->flags & MEMBER_NULL && v == m->usual;
    return none ? sql_null() : sql_of_int(v);
}

static void take_column(struct tx *tx, sqlite3_stmt *st, int at, const struct column *c, void *row)
{
    char *place = (char *)row + c->base;
    if (member_is_text(c->m)) {
        member_put_text(c->m, place, tx_string(tx, st, at));
        return;
    }
    int64_t v = sqlite3_column_int64(st, at);
    if (c->m->usual && c->m->flags & MEMBER_NULL && sqlite3_column_type(st, at) == SQLITE_NULL)
        v = c->m->usual;
    if (c->m->flags & MEMBER_SPOKEN) {
        v = str_place(c->m->names, (const char *)sqlite3_column_text(st, at));
        v = (v < 0 ? 0 : v) + c->m->min;
    }
    member_put_number(c->m, place, v);
}

/* ---- statements ---- */

struct text_for {
    struct tx *tx;
    const struct stored *s;
    const char *rest; /* NULL: the row of an id */
};

static const char *insert_text(const void *arg)
{
    const struct text_for *t = arg;
    struct column list[COLUMNS_MAX];
    int n = columns_of(t->s->form, 0, list, 0);
    const char *names = "", *values = "";
    for (int i = 0; i < n; i++) {
        names = arena_printf(t->tx->arena, "%s%s\"%s\"", names, i ? ", " : "", list[i].m->column);
        values = arena_printf(t->tx->arena, "%s%s?", values, i ? ", " : "");
    }
    return arena_printf(t->tx->arena, "insert into %s (%s) values (%s)", t->s->table, names,
                        values);
}

/* The column by which a row is found. */
static const char *id_column(const struct stored *s)
{
    return s->id ? s->id : "id";
}

static bool is_word_of(const char *list, const char *word)
{
    const size_t n = strlen(word);
    for (const char *at = list; at && *at; at += strcspn(at, " "), at += *at == ' ')
        if (strncmp(at, word, n) == 0 && (!at[n] || at[n] == ' '))
            return true;
    return false;
}

/* The columns that stored_save() sets. */
static int changing_of(const struct stored *s, struct column *list)
{
    int all = columns_of(s->form, 0, list, 0), n = 0;
    for (int i = 0; i < all; i++)
        if (strcmp(list[i].m->column, id_column(s)) != 0 &&
            !is_word_of(s->stays, list[i].m->column))
            list[n++] = list[i];
    return n;
}

static const char *update_text(const void *arg)
{
    const struct text_for *t = arg;
    struct column list[COLUMNS_MAX];
    int n = changing_of(t->s, list);
    const char *sets = "";
    for (int i = 0; i < n; i++)
        sets = arena_printf(t->tx->arena, "%s%s\"%s\" = ?", sets, i ? ", " : "", list[i].m->column);
    return arena_printf(t->tx->arena, "update %s set %s where %s = ?", t->s->table, sets,
                        id_column(t->s));
}

static const char *select_text(const void *arg)
{
    const struct text_for *t = arg;
    struct column list[COLUMNS_MAX];
    int n = columns_of(t->s->form, 0, list, 0);
    const char *names = "";
    for (int i = 0; i < n; i++)
        names = arena_printf(t->tx->arena, "%s%s\"%s\"", names, i ? ", " : "", list[i].m->column);
    if (t->rest)
        return arena_printf(t->tx->arena, "select %s from %s %s", names, t->s->table, t->rest);
    return arena_printf(t->tx->arena, "select %s from %s where %s = ?", names, t->s->table,
                        id_column(t->s));
}

sqlite3_stmt *stored_query(struct tx *tx, const struct stored *s, struct sql_text *q,
                           const struct sql_value *values, int n)
{
    const struct text_for t = {tx, s, q->text};
    sqlite3_stmt *st = sql_use_made(tx->db, q, select_text, &t);
    if (!st)
        slot_fail(tx->db, tx->err);
    for (int i = 0; st && i < n; i++)
        sql_bind(st, i + 1, values[i]);
    return st;
}

int stored_next(struct tx *tx, const struct stored *s, sqlite3_stmt *st, void *row)
{
    struct column list[COLUMNS_MAX];
    int r = st ? TX_STEP(tx, st) : -1;
    if (r != 1)
        return r;
    int n = columns_of(s->form, 0, list, 0);
    memset(row, 0, s->form->size);
    for (int i = 0; i < n; i++)
        take_column(tx, st, i, &list[i], row);
    return 1;
}

int stored_only(struct tx *tx, const struct stored *s, sqlite3_stmt *st, void *row)
{
    int r = stored_next(tx, s, st, row);
    if (r == 1)
        sql_done(st);
    return r;
}

void *stored_list(struct tx *tx, const struct stored *s, sqlite3_stmt *st, size_t *ret_n)
{
    char *list = NULL;
    size_t n = 0, room = 0;
    int r = 1;
    for (; r == 1; n += r == 1) {
        list = arena_grow(tx->arena, list, n, &room, s->form->size);
        if (arena_failed(tx->arena)) {
            sql_done(st);
            sosia_fail_memory(tx->err);
            return NULL;
        }
        r = stored_next(tx, s, st, list + n * s->form->size);
    }
    *ret_n = n;
    return r < 0 ? NULL : list;
}

int stored_get(struct tx *tx, struct stored *s, int64_t id, void *row)
{
    const struct text_for t = {tx, s, NULL};
    sqlite3_stmt *st = sql_use_made(tx->db, &s->select, select_text, &t);
    if (!st)
        return slot_fail(tx->db, tx->err);
    sql_bind_int(st, 1, id);
    return stored_only(tx, s, st, row);
}

int stored_add(struct tx *tx, struct stored *s, const void *row)
{
    const struct text_for t = {tx, s, NULL};
    struct column list[COLUMNS_MAX];
    sqlite3_stmt *st = sql_use_made(tx->db, &s->insert, insert_text, &t);
    if (!st)
        return slot_fail(tx->db, tx->err);
    int n = columns_of(s->form, 0, list, 0);
    for (int i = 0; i < n; i++)
        sql_bind(st, i + 1, value_at(&list[i], row));
    return sql_run(tx->db, st, tx->err);
}

int stored_save(struct tx *tx, struct stored *s, int64_t id, const void *row)
{
    const struct text_for t = {tx, s, NULL};
    struct column list[COLUMNS_MAX];
    sqlite3_stmt *st = sql_use_made(tx->db, &s->update, update_text, &t);
    if (!st)
        return slot_fail(tx->db, tx->err);
    int n = changing_of(s, list);
    for (int i = 0; i < n; i++)
        sql_bind(st, i + 1, value_at(&list[i], row));
    sql_bind_int(st, n + 1, id);
    return sql_run(tx->db, st, tx->err);
}

/* The rowid of a form that has it; NULL: it has none. */
static const struct member *rowid_of(const struct form *form)
{
    for (size_t i = 0; i < form->n; i++)
        if (!form->members[i].name && form->members[i].column &&
            strcmp(form->members[i].column, "id") == 0)
            return &form->members[i];
    return NULL;
}

int stored_new(struct tx *tx, struct stored *s, void *row)
{
    if (stored_add(tx, s, row) < 0)
        return -1;
    member_put_number(rowid_of(s->form), row, tx_last_id(tx));
    return 0;
}

/* ---- sections and entities ---- */

/* The word of a list that begins at *list, which goes behind it; NULL: there is none. */
static const char *next_word(struct arena *a, const char **list)
{
    size_t n = *list ? strcspn(*list, " ") : 0;
    const char *word = n ? arena_memdup(a, *list, n) : NULL;
    if (n)
        *list += n + ((*list)[n] == ' ');
    return word;
}

static int refuse_again(struct tx *tx, const struct stored *s, const struct form_in *in)
{
    const char *member = s->key ? strrchr(s->key, ' ') : NULL;
    if (tx->err->code != SOSIA_E_CONFLICT)
        return -1;
    member = member ? member + 1 : s->key;
    return doc_fail_twice(in->d, member ? json_get(in->value, member) : NULL, member);
}

int stored_added(const struct form_in *in, const struct form *form, void *row, int64_t id)
{
    for (size_t i = 0; i < form->n; i++) {
        const struct member *m = &form->members[i];
        int rc = m->kind == MEMBER_PART ? stored_added(in, m->form, member_place(m, row), id)
                 : m->added             ? m->added(in, m, row, id)
                                        : 0;
        if (rc < 0)
            return -1;
    }
    return 0;
}

/* rows: that it is one of, of the row in->of with the id; NULL: it is of none. */
static int seed_row(const struct form_in *in, struct stored *s, const struct stored_rows *rows,
                    int64_t of)
{
    struct tx *tx = in->tx;
    void *row = arena_calloc(tx->arena, 1, s->form->size);
    if (!row)
        return sosia_fail_memory(tx->err);
    form_usual(s->form, row);
    if ((rows && rows->begin(in, row, of) < 0) || form_read(in, s->form, row) < 0)
        return -1;
    if ((s->add ? s->add(in, row) : stored_add(tx, s, row)) < 0)
        return refuse_again(tx, s, in);
    const struct member *key = rowid_of(s->form); /* which add() may have filled */
    const int64_t id = key && member_number(key, row) ? member_number(key, row)
                                                      : sqlite3_last_insert_rowid(slot_db(tx->db));
    if (stored_added(in, s->form, row, id) < 0)
        return -1;
    return s->added ? s->added(in, row, id) : 0;
}

int stored_add_rows(const struct form_in *in, const struct member *m, void *row, int64_t id)
{
    struct doc_items it;
    if (doc_items(in->d, in->value, m->name, &it) < 0)
        return -1;
    for (const struct json *one; (one = doc_item(in->d, &it)) != NULL;)
        if (seed_row(&(struct form_in){in->tx, in->d, one, row}, m->rows->of, m->rows, id) < 0)
            return -1;
    return 0;
}

int stored_write_rows(const struct form_out *out, const struct member *m, const void *row)
{
    struct stored *s = m->rows->of;
    void *one = arena_calloc(out->tx->arena, 1, s->form->size);
    if (arena_failed(out->tx->arena))
        return sosia_fail_memory(out->tx->err);
    sqlite3_stmt *st = STORED_QUERY(out->tx, s, &m->rows->query, out->id);
    const struct member *key = rowid_of(s->form);
    int r = st ? 1 : -1, n = 0;
    if (m->flags & MEMBER_ALWAYS)
        json_arr(out->w, m->name);
    while (r == 1 && (r = stored_next(out->tx, s, st, one)) == 1) {
        const struct form_out in = {out->tx, out->w, NULL, row, key ? member_number(key, one) : 0};
        if (!n++ && !(m->flags & MEMBER_ALWAYS))
            json_arr(out->w, m->name);
        json_obj(out->w, NULL);
        if (form_write(&in, s->form, one) < 0) {
            sql_done(st);
            return -1;
        }
        json_end(out->w);
    }
    if (n || m->flags & MEMBER_ALWAYS)
        json_end(out->w);
    return r;
}

int stored_seed(struct tx *tx, struct stored *s, struct doc *d, const struct json *item)
{
    return seed_row(&(struct form_in){tx, d, item, NULL}, s, NULL, 0);
}

/* The row in a buffer of its own: 1, 0, -1. */
static int row_of(struct tx *tx, struct stored *s, int64_t id, void **ret)
{
    *ret = arena_calloc(tx->arena, 1, s->form->size);
    return *ret ? stored_get(tx, s, id, *ret) : sosia_fail_memory(tx->err);
}

int stored_dump(struct tx *tx, struct stored *s, int64_t id, struct json_writer *w)
{
    void *row;
    int r = row_of(tx, s, id, &row);
    if (r != 1)
        return r;
    return form_write(&(struct form_out){.tx = tx, .w = w, .id = id}, s->form, row) < 0 ? -1 : 1;
}

int stored_key(struct tx *tx, struct stored *s, int64_t id, struct json_writer *w)
{
    const struct form_out out = {.tx = tx, .w = w, .id = id};
    const char *list = s->key, *name;
    void *row;
    int r = row_of(tx, s, id, &row);
    while (r == 1 && (name = next_word(tx->arena, &list)))
        r = form_write_member(&out, s->form, name, row) < 0 ? -1 : 1;
    return r;
}

int entity_dump(struct tx *tx, const struct entity *e, int64_t rowid, struct json_writer *w)
{
    return e->dump ? e->dump(tx, rowid, w) : stored_dump(tx, e->stored, rowid, w);
}

static int write_named(struct tx *tx, const struct entity_name *named, int64_t rowid,
                       struct json_writer *w)
{
    const char *list = named->members, *member;
    sqlite3_stmt *st;
    int r = TX_ROW(tx, named->query, &st, rowid);
    if (r != 1)
        return r;
    for (int at = 0; (member = next_word(tx->arena, &list)); at++)
        json_str_opt(w, member, (const char *)sqlite3_column_text(st, at));
    sql_done(st);
    return 0;
}

int entity_key(struct tx *tx, const struct entity *e, int64_t rowid, struct json_writer *w)
{
    return e->key     ? e->key(tx, rowid, w)
           : e->named ? write_named(tx, e->named, rowid, w)
                      : stored_key(tx, e->stored, rowid, w);
}

int section_seed(struct tx *tx, const struct section *s, struct doc *d, const struct json *value)
{
    if (s->seed || s->seed_one)
        return s->seed ? s->seed(tx, d, value) : seed_list(tx, d, value, s->name, s->seed_one);
    if (!value || value->type == JSON_NULL)
        return 0;
    if (value->type != JSON_ARRAY)
        return doc_fail(d, value, NULL, "must be a list");
    struct doc_items it = {.list = value, .member = s->name};
    doc_pop(d, 0);
    for (const struct json *item; (item = doc_item(d, &it)) != NULL;)
        if (stored_seed(tx, s->stored, d, item) < 0)
            return -1;
    return 0;
}

int section_dump(struct tx *tx, const struct section *s, struct json_writer *w)
{
    int rc = 1, n = 0;
    if (s->dump)
        return s->dump(tx, w);
    if (!s->stored || !s->ids)
        return s->ids ? dump_list(tx, w, s->name, s->ids, s->dump_one) : 0;
    sqlite3_stmt *ids = TX_PLAIN(tx, s->ids);
    while (ids && (rc = TX_STEP(tx, ids)) == 1) {
        if (!n++)
            json_arr(w, s->name);
        json_obj(w, NULL);
        rc = stored_dump(tx, s->stored, sqlite3_column_int64(ids, 0), w);
        json_end(w);
        if (rc < 0) {
            sql_done(ids);
            return -1;
        }
    }
    if (n)
        json_end(w);
    return ids ? rc : -1;
}
