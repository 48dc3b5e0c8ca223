/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows by rowid from the pages.
 *
 * A plan has the places of a query's columns in a table's records; it belongs to a schema, whose
 * cookie is the same if and only if the schema is. Pages are hostile; what is invalid here is left
 * to SQLite to report.
 */
#include "engine/store/record.h"
#include "engine/store/btree.h"
#include "engine/store/slot_impl.h"
#include <stdlib.h>
#include <string.h>

/* The place of the rowid, which a record leaves out, and its type there, which is none of the
 * format's for numbers. */
enum { ROWID = RECORD_COLUMNS, ROWID_TYPE = 10 };

/* ---- plans ---- */

/* The columns of a condition, "a = ?1 and b = ?2", as "a,b,". */
static void key_columns(const char *condition, char *ret, size_t size)
{
    size_t n = 0;
    for (const char *c = condition; *c && n + 1 < size; c++) {
        size_t len = strcspn(c, " ");
        if (strncmp(c + len, " = ?", 4) == 0 && n + len + 2 < size) {
            memcpy(ret + n, c, len);
            n += len;
            ret[n++] = ',';
        }
        c += len;
        if (!*c)
            break;
    }
    ret[n] = 0;
}

/* The name of the table's index that begins with the key's columns: 1, 0, -1. It has all rows, or
 * those in which the first of them is not null. */
static int index_of(struct slot *s, const struct record_text *q, char *ret, size_t size)
{
    static const char text[] =
        "select l.name from pragma_index_list(?1) l where "
        "(select group_concat(name, ',') || ',' from (select name from pragma_index_info(l.name) "
        "order by seqno)) glob ?2 || '*' and (not l.partial or (select sql from sqlite_schema "
        "where name = l.name) like '%) where ' || substr(?2, 1, instr(?2, ',') - 1) || "
        "' is not null') order by l.\"unique\" desc, l.seq desc limit 1";
    char columns[256];
    sqlite3_stmt *st;
    key_columns(q->key, columns, sizeof columns);
    if (sqlite3_prepare_v2(s->db, text, -1, &st, NULL) != SQLITE_OK)
        return -1;
    sqlite3_bind_text(st, 1, q->table, -1, SQLITE_STATIC);
    sqlite3_bind_text(st, 2, columns, -1, SQLITE_STATIC);
    int found = sqlite3_step(st) == SQLITE_ROW;
    size_t n = found ? (size_t)sqlite3_column_bytes(st, 0) : 0;
    found = found && n < size;
    if (found)
        memcpy(ret, sqlite3_column_text(st, 0), n + 1);
    return sqlite3_finalize(st) == SQLITE_OK ? found : -1;
}

/* -1: SQLite failed; the next call asks again. */
static int root_of(struct slot *s, const struct record_text *q, uint32_t *ret_root)
{
    static const char text[] = "select rootpage from sqlite_schema where name = ?2 and "
                               "(type = 'table' or type = ?1)";
    sqlite3_stmt *st;
    if (sqlite3_prepare_v2(s->db, text, -1, &st, NULL) != SQLITE_OK)
        return -1;
    sqlite3_bind_text(st, 1, q->is_index ? "index" : "table", -1, SQLITE_STATIC);
    sqlite3_bind_text(st, 2, q->table, -1, SQLITE_STATIC);
    if (sqlite3_step(st) == SQLITE_ROW)
        *ret_root = (uint32_t)sqlite3_column_int64(st, 0);
    return sqlite3_finalize(st) == SQLITE_OK ? 0 : -1;
}

struct name {
    const char *text;
    size_t len;
};

/* The names of a select's list of columns; gives how many there are. */
static unsigned split_names(const char *columns, struct name ret_names[RECORD_COLUMNS])
{
    unsigned n = 0;
    for (const char *c = columns; *c && n < RECORD_COLUMNS; c += strspn(c, ", ")) {
        size_t len = strcspn(c, ",");
        const char *dot = memchr(c, '.', len), *name = dot ? dot + 1 : c;
        ret_names[n++] = (struct name){name, len - (size_t)(name - c)};
        c += len;
    }
    return n;
}

/* Fills in their places: 1; 0: not all of them are columns of an ordinary table with rowids, of
 * an index of one, or of a table without rowids, which is an index too; strings of an index are
 * compared by their bytes; -1: SQLite failed; the next call asks again. */
static int place_names(struct slot *s, const struct record_text *q, const struct name *names,
                       struct record_plan *p)
{
    static const char of_table[] =
        "select c.cid, c.name, c.pk and lower(c.type) = 'integer' and "
        "(select count(*) from pragma_table_info(?1) where pk) = 1 "
        "from pragma_table_info(?1) c where "
        "not exists (select 1 from pragma_table_xinfo(?1) where hidden) and "
        "not exists (select 1 from pragma_table_list(?1) where wr or type <> 'table')";
    /* An index ends with the rowid, which has no name there. */
    static const char of_index[] =
        "select seqno, coalesce(name, 'rowid'), 0 from pragma_index_xinfo(?1) where "
        "not exists (select 1 from pragma_index_xinfo(?1) where cid < -1 or \"desc\" or "
        "coll <> 'BINARY' or (not key and cid <> -1 and "
        "not exists (select 1 from pragma_table_list(?1) where wr)))";
    sqlite3_stmt *st;
    unsigned found = 0;
    if (sqlite3_prepare_v2(s->db, q->is_index ? of_index : of_table, -1, &st, NULL) != SQLITE_OK)
        return -1;
    sqlite3_bind_text(st, 1, q->table, -1, SQLITE_STATIC);
    while (sqlite3_step(st) == SQLITE_ROW) {
        int at = sqlite3_column_int(st, 0);
        const char *name = (const char *)sqlite3_column_text(st, 1);
        for (unsigned i = 0; name && at < RECORD_COLUMNS && i < p->n; i++) {
            if (strlen(name) != names[i].len || memcmp(name, names[i].text, names[i].len) != 0)
                continue;
            p->place[i] = sqlite3_column_int(st, 2) ? ROWID : (uint8_t)at;
            if (p->place[i] != ROWID && at >= p->stored)
                p->stored = (uint8_t)(at + 1);
            found++;
        }
    }
    return sqlite3_finalize(st) == SQLITE_OK ? found == p->n : -1;
}

static void make_plan(struct slot *s, const struct record_text *q, struct record_plan *p)
{
    struct name names[RECORD_COLUMNS];
    struct record_text named = *q;
    char index[256];
    *p = (struct record_plan){.cookie = s->v.cookie};
    p->n = (uint8_t)split_names(q->columns, names);
    int r = q->key ? index_of(s, q, index, sizeof index) : 1;
    if (q->key)
        named.table = index;
    if (r == 1)
        r = place_names(s, &named, names, p);
    if (r == 1)
        r = root_of(s, &named, &p->root);
    if (r < 0)
        *p = (struct record_plan){.cookie = 0}; /* no schema's: made anew the next time */
}

const struct record_plan *record_plan(struct slot *s, struct record_text *q)
{
    uint32_t i = slot_text_index(&q->index);
    if (i >= s->n_plans) {
        uint32_t n = i + 64;
        struct record_plan **plans = realloc(s->plans, n * sizeof *plans);
        if (!plans)
            return NULL;
        memset(plans + s->n_plans, 0, (n - s->n_plans) * sizeof *plans);
        s->plans = plans;
        s->n_plans = n;
    }
    struct record_plan *p = s->plans[i];
    if (p && p->cookie == s->v.cookie)
        return p;
    if (slot_sync_schema(s) < 0 || (!p && !(p = malloc(sizeof *p))))
        return NULL;
    s->plans[i] = p;
    make_plan(s, q, p);
    return p;
}

void record_plans_free(struct record_plan **plans, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        free(plans[i]);
    free(plans);
}

/* ---- records ---- */

/* Bytes of a column whose type has one byte. */
static const uint8_t sizes[128] = {
    0,  1,  2,  3,  4,  6,  8,  8,  0,  0,  0,  0,  0,  0,  1,  1,  2,  2,  3,  3,  4,  4,
    5,  5,  6,  6,  7,  7,  8,  8,  9,  9,  10, 10, 11, 11, 12, 12, 13, 13, 14, 14, 15, 15,
    16, 16, 17, 17, 18, 18, 19, 19, 20, 20, 21, 21, 22, 22, 23, 23, 24, 24, 25, 25, 26, 26,
    27, 27, 28, 28, 29, 29, 30, 30, 31, 31, 32, 32, 33, 33, 34, 34, 35, 35, 36, 36, 37, 37,
    38, 38, 39, 39, 40, 40, 41, 41, 42, 42, 43, 43, 44, 44, 45, 45, 46, 46, 47, 47, 48, 48,
    49, 49, 50, 50, 51, 51, 52, 52, 53, 53, 54, 54, 55, 55, 56, 56, 57, 57};

/* Finds the first n columns; false when there are fewer or they go beyond the record. */
static bool split(struct record *r, size_t size, unsigned n)
{
    const uint8_t *p = r->data, *end = p + size;
    uint64_t header, type;
    unsigned k = btree_varint(p, end, &header);
    if (!k || header > size)
        return false;
    size_t at = (size_t)header;
    end = p + header;
    p += k;
    unsigned i = 0;
    while (i < n) {
        /* Nearly all types have one byte. */
        size_t left = n - i < (size_t)(end - p) ? n - i : (size_t)(end - p);
        struct record_column *c = r->columns + i;
        const uint8_t *begin = p, *stop = p + left;
        for (; p < stop && *p < 0x80; p++, c++) {
            c->type = *p;
            c->at = (uint32_t)at;
            at += sizes[*p];
        }
        i += (unsigned)(p - begin);
        if (i == n)
            break;
        if (!(k = btree_varint(p, end, &type)) || type > UINT32_MAX)
            return false;
        r->columns[i].type = (uint32_t)type;
        r->columns[i++].at = (uint32_t)at;
        at += type < 12 ? sizes[type] : (type - 12) / 2;
        p += k;
    }
    return at <= size; /* it only grew, by less than 2^31 at a time */
}

const uint8_t *record_bytes(struct record *r, const struct tree *t, const struct btree_cell *c)
{
    if (!c->overflow)
        return c->payload;
    if (!btree_row_fits(t, c))
        return NULL;
    if (c->size > r->whole_size) {
        r->whole = arena_alloc(r->arena, c->size);
        r->whole_size = 0;
        if (arena_failed(r->arena))
            return NULL;
        r->whole_size = c->size;
    }
    return btree_copy_row(t, c, r->whole) ? r->whole : NULL;
}

uint32_t record_root(struct slot *s, struct record_text *q)
{
    const struct record_plan *p = record_plan(s, q);
    return p && p->root > 1 ? p->root : 0;
}

bool record_can(const struct slot *s)
{
    return s->v.tree && !s->v.changing && !s->v.dirty && !s->no_records;
}

/* Each page on the way is looked for among those that were changed. */
enum { FEW_CHANGES = 64 };

bool record_can_find(const struct slot *s)
{
    return s->v.tree && !s->no_records &&
           (!s->v.changing || s->v.journal.size <= (int64_t)FEW_CHANGES * STORE_PAGE_SIZE);
}

bool record_is_as_begun(const void *arg, uint32_t page)
{
    const struct slot *s = arg;
    return slot_vfs_is_as_begun(&s->v, page);
}

bool record_take(struct record *r, const struct record_plan *p, const struct tree *t,
                 const struct btree_cell *c)
{
    r->place = p->place;
    r->rowid = c->rowid;
    r->columns[ROWID].type = ROWID_TYPE;
    r->data = record_bytes(r, t, c);
    r->size = c->size;
    if (!r->data || !split(r, c->size, p->stored))
        return false;
    size_t need = (size_t)c->size + p->n; /* each text with its end */
    if (need > r->room_size) {
        r->room_size = need < 1024 ? 1024 : need;
        r->room = arena_alloc(r->arena, r->room_size);
        if (arena_failed(r->arena)) {
            r->room_size = 0;
            return false;
        }
    }
    r->text = r->room;
    r->text_end = r->room + r->room_size;
    return true;
}

bool record_none(struct slot *s, struct record_text *q)
{
    struct btree_page root;
    if (!s->v.tree || s->no_records)
        return false;
    const struct record_plan *p = record_plan(s, q);
    struct tree t = record_tree(s);
    return p && p->root > 1 && btree_page(btree_data(&t, p->root), p->root, &root) && root.leaf &&
           !root.n_cells && slot_vfs_is_as_begun(&s->v, p->root);
}

/* In a transaction that has changed something. A row on several pages is left out: the others can
 * change without the first. */
static int find_unchanged(struct slot *s, struct record_text *q, int64_t rowid, struct record *r)
{
    const struct record_plan *p = record_can_find(s) ? record_plan(s, q) : NULL;
    struct tree t = record_tree(s);
    struct btree_cell c;
    if (!p || p->root <= 1)
        return RECORD_STATEMENT;
    int found = btree_find_row_if(&t, p->root, rowid, record_is_as_begun, s, &c);
    if (found <= 0)
        return found < 0 ? RECORD_STATEMENT : 0;
    return !c.overflow && record_take(r, p, &t, &c) ? 1 : RECORD_STATEMENT;
}

int record_find(struct slot *s, struct record_text *q, int64_t rowid, struct record *r)
{
    if (!record_can(s))
        return s->v.tree ? find_unchanged(s, q, rowid, r) : RECORD_STATEMENT;
    const struct record_plan *p = record_plan(s, q);
    struct tree t = record_tree(s);
    struct btree_cell c;
    if (!p || p->root <= 1)
        return RECORD_STATEMENT;
    if (r->of != s || r->turn != s->v.turn) {
        r->found_on.root = 0;
        r->of = s;
        r->turn = s->v.turn;
    }
    int found = btree_find_row(&t, p->root, rowid, &r->found_on, &c);
    if (found <= 0)
        return found < 0 ? RECORD_STATEMENT : 0;
    return record_take(r, p, &t, &c) ? 1 : RECORD_STATEMENT;
}

static uint64_t big_endian(const uint8_t *p, unsigned n)
{
    uint64_t v = (uint64_t)(int64_t)(int8_t)p[0];
    for (unsigned i = 1; i < n; i++)
        v = v << 8 | p[i];
    return v;
}

int64_t record_number(const struct record *r, unsigned place)
{
    if (place == ROWID)
        return r->rowid;
    const uint8_t *p = r->data + r->columns[place].at;
    switch (r->columns[place].type) {
    case 1:
        return (int8_t)p[0];
    case 2:
        return (int64_t)big_endian(p, 2);
    case 3:
        return (int64_t)big_endian(p, 3);
    case 4:
        return (int64_t)big_endian(p, 4);
    case 5:
        return (int64_t)big_endian(p, 6);
    case 6:
        return (int64_t)big_endian(p, 8);
    default:
        return 0;
    }
}

const char *record_copy_text(struct record *r, unsigned place)
{
    size_t n = (r->columns[place].type - 12) / 2;
    const uint8_t *p = r->data + r->columns[place].at;
    if (n >= (size_t)(r->text_end - r->text)) /* a column that is read twice */
        return arena_memdup(r->arena, p, n);
    char *text = r->text;
    memcpy(text, p, n);
    text[n] = 0;
    r->text += n + 1;
    return text;
}
