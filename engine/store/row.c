/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of statements as records: written as the file format has them, so that one reader reads
 * both. */
#include "engine/store/row.h"
#include <string.h>

enum { FIRST_ROOM = 2048 };

/* Of records whose columns are in the order in which they are asked for. */
static const uint8_t in_order[RECORD_COLUMNS] = {
    0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
    22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43,
    44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63};

/* Room for `need` bytes behind the first n, which are kept. */
static bool has_room(struct record *r, size_t n, size_t need)
{
    if (need <= r->whole_size - n)
        return true;
    size_t size = (r->whole_size + need) * 2 < FIRST_ROOM ? FIRST_ROOM : (r->whole_size + need) * 2;
    uint8_t *wider = arena_alloc(r->arena, size);
    if (arena_failed(r->arena))
        return false;
    if (n)
        memcpy(wider, r->whole, n);
    r->whole = wider;
    r->whole_size = size;
    return true;
}

static void put_number(uint8_t *to, int64_t v)
{
    uint64_t bits = __builtin_bswap64((uint64_t)v);
    memcpy(to, &bits, sizeof bits);
}

/* Numbers are of the format's type 6, 8 bytes, but for 0 and 1. */
static bool take_number(struct record *r, int64_t v, struct record_column *c, size_t *n)
{
    if (v == 0 || v == 1) {
        c->type = v ? 9 : 8;
        return true;
    }
    if (!has_room(r, *n, sizeof v))
        return false;
    c->type = 6;
    put_number(r->whole + *n, v);
    *n += sizeof v;
    return true;
}

static bool take_column(struct record *r, sqlite3_value *v, struct record_column *c, size_t *n)
{
    int type = sqlite3_value_type(v);
    c->at = (uint32_t)*n;
    c->type = 0;
    if (type == SQLITE_INTEGER)
        return take_number(r, sqlite3_value_int64(v), c, n);
    if (type != SQLITE_TEXT && type != SQLITE_BLOB)
        return true;
    const void *data =
        type == SQLITE_TEXT ? (const void *)sqlite3_value_text(v) : sqlite3_value_blob(v);
    size_t len = (size_t)sqlite3_value_bytes(v);
    if (!has_room(r, *n, len))
        return false;
    c->type = (uint32_t)(len * 2 + (type == SQLITE_TEXT ? 13 : 12));
    if (len)
        memcpy(r->whole + *n, data, len);
    *n += len;
    return true;
}

/* The row that the statement is at. */
static bool take_row(struct record *r, sqlite3_stmt *st)
{
    int columns = sqlite3_column_count(st);
    size_t n = 0;
    if (columns > RECORD_COLUMNS || !has_room(r, 0, 1))
        return false;
    for (int i = 0; i < columns; i++)
        if (!take_column(r, sqlite3_column_value(st, i), &r->columns[i], &n))
            return false;
    r->place = in_order;
    r->data = r->whole;
    r->size = (uint32_t)n;
    r->rowid = 0;
    size_t need = n + (size_t)columns; /* each text with its end */
    if (need > r->room_size) {
        r->room_size = 0;
        r->room = arena_alloc(r->arena, need);
        if (arena_failed(r->arena))
            return false;
        r->room_size = need;
    }
    r->text = r->room;
    r->text_end = r->room + r->room_size;
    return true;
}

int row_next(struct slot *s, struct sosia_err *why, sqlite3_stmt *st, struct record *row)
{
    int r = st ? sql_step(s, st, why) : -1;
    if (r != 1 || take_row(row, st))
        return r;
    sql_done(st);
    return sosia_fail_memory(why);
}

int row_only(struct slot *s, struct sosia_err *why, sqlite3_stmt *st, struct record *row)
{
    int r = row_next(s, why, st, row);
    if (r == 1)
        sql_done(st);
    return r;
}

int row_by_id(struct slot *s, struct sosia_err *why, struct row_table *t, int64_t id,
              struct record *row)
{
    int r = record_find(s, &t->record, id, row);
    if (r != RECORD_STATEMENT)
        return r;
    const struct sql_value value = sql_of_int(id);
    return row_only(s, why, sql_with(s, why, &t->by_id, &value, 1), row);
}

int row_by_key(struct slot *s, struct sosia_err *why, struct row_key *k,
               const struct sql_value *key, int n, struct record *row)
{
    int r = scan_row(s, &k->index, &k->record, key, n, row);
    if (r != RECORD_STATEMENT)
        return r;
    return row_only(s, why, sql_with(s, why, &k->by_key, key, n), row);
}
