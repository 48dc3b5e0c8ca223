/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Wide tables name their columns once, in a macro that takes a macro:
 *
 *     #define NOTE(X) X(title, title, STRING) X(seen, seen, NUMBER) X(folder, folder, ID)
 *
 * Each is a column, the member of the row's struct that holds it, and a kind. What names, binds and
 * reads columns is made from it:
 *
 *     SQL_TEXT("select id" NOTE(COLUMN_NAME) " from note_note where id = :id")
 *     SQL_TEXT("insert into note_note (key" NOTE(COLUMN_NAME) ") values (?" NOTE(COLUMN_MARK) ")")
 *     SQL_TEXT("update note_note set change = ?" NOTE(COLUMN_SET) " where id = ?")
 *     TX_RUN(tx, &q, row->change NOTE(COLUMN_VALUE), row->id)
 *     int at = 1;
 *     NOTE(COLUMN_READ)
 *     NOTE(COLUMN_TAKE)
 *
 *     if (old->change == row->change NOTE(COLUMN_SAME)) ...
 *
 * They expect the struct's pointer as `row`; COLUMN_READ also `tx`, a statement `st` that is at a
 * row, and in `at` the place of the first column, COLUMN_TAKE a record `rec`
 * (engine/store/record.h) in its place; COLUMN_SAME another row as `old`. A file may have kinds of
 * its own: kind X is COLUMN_VALUE_X(member), COLUMN_READ_X(tx, st, at), COLUMN_TAKE_X(rec, at),
 * COLUMN_SAME_X(a, b).
 */
#ifndef SOSIA_WORLD_COLUMNS_H
#define SOSIA_WORLD_COLUMNS_H

#include "engine/base/codec.h"
#include "engine/store/row.h"
#include "engine/world/tx.h"

#define COLUMN_NAME(column, member, kind)     ", " #column
#define COLUMN_MARK(column, member, kind)     ", ?"
#define COLUMN_SET(column, member, kind)      ", " #column " = ?"
#define COLUMN_EXCLUDED(column, member, kind) ", " #column " = excluded." #column
#define COLUMN_VALUE(column, member, kind)    , COLUMN_VALUE_##kind(row->member)
#define COLUMN_SAME(column, member, kind)     &&COLUMN_SAME_##kind(old->member, row->member)
#define COLUMN_READ(column, member, kind)     row->member = COLUMN_READ_##kind(tx, st, at++);
#define COLUMN_TAKE(column, member, kind)     row->member = COLUMN_TAKE_##kind(rec, at++);

/* Integers, booleans and enums. */
#define COLUMN_VALUE_NUMBER(v)         (v)
#define COLUMN_SAME_NUMBER(a, b)       ((a) == (b))
#define COLUMN_READ_NUMBER(tx, st, at) sqlite3_column_int64(st, at)
#define COLUMN_TAKE_NUMBER(rec, at)    record_int(rec, at)
/* A number that is 0 where the column is null: rowids. */
#define COLUMN_SAME_ID(a, b)       ((a) == (b))
#define COLUMN_VALUE_ID(v)         sql_int_or_null(v, 0)
#define COLUMN_READ_ID(tx, st, at) sqlite3_column_int64(st, at)
#define COLUMN_TAKE_ID(rec, at)    record_int(rec, at)
/* NULL is null; read into the arena, taken as the record's. */
#define COLUMN_SAME_STRING(a, b)       str_same(a, b)
#define COLUMN_VALUE_STRING(v)         (v)
#define COLUMN_READ_STRING(tx, st, at) tx_string(tx, st, at)
#define COLUMN_TAKE_STRING(rec, at)    record_text(rec, at)

#endif
