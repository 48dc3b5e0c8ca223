/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of workbooks: their rows in the world, and in documents. */
#include "engine/base/codec.h"
#include "engine/json/doc.h"
#include "engine/world/take.h"
#include "services/drive/onedrive/workbook/workbook.h"

/* ---- rows ---- */

#define SELECT                                                                                     \
    "select id, item, number, name, sheet, top, \"left\", bottom, \"right\", heads from "          \
    "onedrive_table "

static int read_table(struct tx *tx, sqlite3_stmt *st, struct book_table *ret)
{
    return TX_TAKE(tx, st, &ret->id, &ret->item, &ret->number, &ret->name, &ret->sheet,
                   &ret->range.top, &ret->range.left, &ret->range.bottom, &ret->range.right,
                   &ret->heads);
}

int book_next_table(struct tx *tx, int64_t item, int64_t after, struct book_table *ret)
{
    static struct sql_text q =
        SQL_TEXT(SELECT "where item = :item and number > :after order by number limit 1");
    return read_table(tx, TX_QUERY(tx, &q, item, after), ret);
}

int book_find_table(struct tx *tx, int64_t item, const char *text, struct book_table *ret)
{
    static struct sql_text q =
        SQL_TEXT(SELECT "where item = :item and (name = :text collate nocase or number = :number) "
                        "order by number limit 1");
    int64_t number = 0;
    const size_t n = strlen(text);
    if (n > 2 && *text == '{' && text[n - 1] == '}') /* ids have brackets in the browser's links */
        text = arena_memdup(tx->arena, text + 1, n - 2);
    if (parse_i64(text, strlen(text), &number) < 0)
        number = 0;
    return read_table(tx, TX_QUERY(tx, &q, item, text, number), ret);
}

int book_add_table(struct tx *tx, const struct book_table *t)
{
    static struct sql_text q = SQL_TEXT(
        "insert into onedrive_table (item, number, name, sheet, top, \"left\", bottom, \"right\", "
        "heads) values (:item, :number, :name, :sheet, :top, :left, :bottom, :right, :heads)");
    return TX_RUN(tx, &q, t->item, t->number, t->name, t->sheet, (int64_t)t->range.top,
                  (int64_t)t->range.left, (int64_t)t->range.bottom, (int64_t)t->range.right,
                  (int64_t)t->heads);
}

int book_tables_renamed(struct workbook *b, const char *sheet, const char *name)
{
    static struct sql_text q = SQL_TEXT(
        "update onedrive_table set sheet = :name where item = :item and sheet = :sheet collate "
        "nocase");
    static struct sql_text q_drop =
        SQL_TEXT("delete from onedrive_table where item = :item and sheet = :sheet collate nocase");
    struct tx *tx = &b->at.c->tx;
    return name ? TX_RUN(tx, &q, name, b->item.id, sheet) : TX_RUN(tx, &q_drop, b->item.id, sheet);
}

int book_tables_copied(struct tx *tx, int64_t from, int64_t to)
{
    static struct sql_text q_old = SQL_TEXT("delete from onedrive_table where item = :to");
    static struct sql_text q = SQL_TEXT(
        "insert into onedrive_table (item, number, name, sheet, top, \"left\", bottom, \"right\", "
        "heads) select :to, number, name, sheet, top, \"left\", bottom, \"right\", heads from "
        "onedrive_table where item = :from order by number");
    return TX_RUN(tx, &q_old, to) < 0 ? -1 : TX_RUN(tx, &q, to, from);
}

/* ---- in the bytes ---- */

/* As a row; false: it is none that a workbook here may have. */
static bool as_row(const struct sheet *s, const struct sheet_table *t, struct book_table *ret)
{
    ret->name = t->name;
    ret->sheet = s->title;
    ret->heads = t->heads;
    ret->range = (struct book_range){t->top, t->left, t->bottom, t->right};
    return t->top < t->bottom && t->bottom < SHEET_ROWS && book_cells(&ret->range) <= SHEET_CELLS;
}

static bool is_workbook(const char *name)
{
    const char *dot = strrchr(name, '.');
    return dot && str_eq_nocase(dot, ".xlsx");
}

int book_tables_named(struct tx *tx, const struct drive_item *it, const char *before)
{
    return is_workbook(it->name) && !is_workbook(before) ? book_tables_read(tx, it) : 0;
}

int book_tables_read(struct tx *tx, const struct drive_item *it)
{
    static struct sql_text q_old = SQL_TEXT("delete from onedrive_table where item = :item");
    const char *bytes;
    struct book_table row = {.item = it->id}, same;
    struct document *d;
    struct sosia_err err;
    size_t n;
    if (TX_RUN(tx, &q_old, it->id) < 0)
        return -1;
    if (!is_workbook(it->name) || it->form != DRIVE_FILE || !it->blob || it->size > BOOK_BYTES)
        return 0;
    if (blob_load(tx, it->blob, &bytes, &n) < 0)
        return -1;
    if (format_read(tx->arena, DOCUMENT_SHEETS, FORMAT_XLSX, bytes, n, it->name, &d, &err) < 0)
        return 0; /* whatever it is, it has no tables */
    for (const struct sheet *s = d->sheets; s; s = s->next)
        for (const struct sheet_table *t = s->tables; t; t = t->next) {
            int r = as_row(s, t, &row) ? book_find_table(tx, it->id, t->name, &same) : 1;
            row.number += r == 0;
            if (r < 0 || (r == 0 && book_add_table(tx, &row) < 0))
                return -1;
        }
    return 0;
}

int book_tables_fill(struct tx *tx, int64_t item, struct document *d)
{
    struct book_table t = {.number = 0};
    int r;
    for (struct sheet *s = d->sheets; s; s = s->next)
        s->tables = NULL;
    while ((r = book_next_table(tx, item, t.number, &t)) == 1) {
        struct sheet *s = d->sheets;
        while (s && !str_eq_nocase(s->title, t.sheet))
            s = s->next;
        if (!s)
            continue;
        struct sheet_table *one = arena_calloc(tx->arena, 1, sizeof *one), **end = &s->tables;
        if (arena_failed(tx->arena))
            return sosia_fail_memory(tx->err);
        *one = (struct sheet_table){.name = t.name,
                                    .top = t.range.top,
                                    .left = t.range.left,
                                    .bottom = t.range.bottom,
                                    .right = t.range.right,
                                    .heads = t.heads};
        while (*end)
            end = &(*end)->next;
        *end = one;
    }
    return r;
}

/* ---- documents ---- */

int book_tables_seed(struct tx *tx, struct doc *d, const struct json *v, int64_t item)
{
    static const char *const members[] = {"name", "sheet", "address", "heads", NULL};
    struct book_table t = {.item = item};
    const char *address;
    struct doc_items it;
    if (doc_items(d, v, "tables", &it) < 0)
        return -1;
    for (const struct json *one; (one = doc_item(d, &it));) {
        t.number++;
        if (doc_object(d, one, members) < 0 || doc_str(d, one, "name", true, &t.name) < 0 ||
            doc_str(d, one, "sheet", true, &t.sheet) < 0 ||
            doc_str(d, one, "address", true, &address) < 0 ||
            doc_bool(d, one, "heads", true, &t.heads) < 0)
            return -1;
        if (!book_address(address, &t.range) || t.range.bottom <= t.range.top)
            return doc_refuse(d, one, "address",
                              "must be a range of two rows at least, as A1:C5, not \"%.40s\"",
                              address);
        if (book_cells(&t.range) > SHEET_CELLS)
            return doc_refuse(d, one, "address", "must have %d cells at most, not \"%.40s\"",
                              SHEET_CELLS, address);
        if (book_add_table(tx, &t) < 0)
            return doc_taken(d, one, "name");
    }
    return 0;
}

int book_tables_dump(struct tx *tx, struct json_writer *w, int64_t item)
{
    struct book_table t = {.number = 0};
    int r, n = 0;
    while ((r = book_next_table(tx, item, t.number, &t)) == 1) {
        if (!n++)
            json_arr(w, "tables");
        json_obj(w, NULL);
        json_str(w, "name", t.name);
        json_str(w, "sheet", t.sheet);
        json_str(w, "address", strrchr(book_address_text(tx->arena, t.sheet, &t.range), '!') + 1);
        if (!t.heads)
            json_bool(w, "heads", false);
        json_end(w);
    }
    if (n)
        json_end(w);
    return r;
}
