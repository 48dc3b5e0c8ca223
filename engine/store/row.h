/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows that a reader has in one way, wherever they come from: straight from the pages (record.h),
 * or from a statement where that can't be. A table names its columns once:
 *
 *     static struct row_table notes = ROW_TABLE("note_note", "n", "n.id, n.title");
 *     static struct row_key by_title = ROW_KEY("note_note", "n", "n.id, n.title",
 *                                              "title = ?1 and owner = ?2");
 *
 *     struct record rec = {.arena = tx->arena};
 *     int r = ROW_BY_ID(tx, &notes, id, &rec);
 *     int r = ROW_BY_KEY(tx, &by_title, &rec, title, owner);
 *     if (r == 1)
 *         *ret = (struct note){.id = record_int(&rec, 0), .title = record_text(&rec, 1)};
 *
 * The columns are ordinary ones, with the alias before them or without. A key is compared with the
 * columns of an index in the index's order; the engine finds that index by itself.
 */
#ifndef SOSIA_STORE_ROW_H
#define SOSIA_STORE_ROW_H

#include "engine/store/scan.h"

struct row_table {
    struct record_text record;
    struct sql_text by_id;
};
#define ROW_TABLE(table_name, alias, column_list)                                                  \
    {                                                                                              \
        .record = RECORD_TEXT(table_name, column_list),                                            \
        .by_id = SQL_TEXT("select " column_list " from " table_name " " alias " where " alias      \
                          ".rowid = ?1")                                                           \
    }

struct row_key {
    struct record_text record, index;
    struct sql_text by_key;
};
#define ROW_KEY(table_name, alias, column_list, condition)                                         \
    {                                                                                              \
        .record = RECORD_TEXT(table_name, column_list),                                            \
        .index = {.table = (table_name),                                                           \
                  .columns = "rowid",                                                              \
                  .is_index = true,                                                                \
                  .key = (condition)},                                                             \
        .by_key = SQL_TEXT("select " column_list " from " table_name " " alias " where " condition \
                           " order by " alias ".rowid limit 1")                                    \
    }

/* 1 with the row as the record, 0 there is none, -1. */
int row_by_id(struct slot *s, struct sosia_err *why, struct row_table *t, int64_t id,
              struct record *row);
int row_by_key(struct slot *s, struct sosia_err *why, struct row_key *k,
               const struct sql_value *key, int n, struct record *row);
/* The row that a statement comes to next, which goes on (1, 0, -1), or the only one of it, which
 * ends; st NULL: -1. */
int row_next(struct slot *s, struct sosia_err *why, sqlite3_stmt *st, struct record *row);
int row_only(struct slot *s, struct sosia_err *why, sqlite3_stmt *st, struct record *row);

#define ROW_BY_ID(tx, t, id, row) row_by_id((tx)->db, (tx)->err, t, id, row)
#define ROW_BY_KEY(tx, k, row, ...)                                                                \
    row_by_key((tx)->db, (tx)->err, k, SQL_VALUES(__VA_ARGS__), COUNT(__VA_ARGS__), row)
#define ROW_NEXT(tx, st, row) row_next((tx)->db, (tx)->err, st, row)
#define ROW_ONLY(tx, st, row) row_only((tx)->db, (tx)->err, st, row)

#endif
