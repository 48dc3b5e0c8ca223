/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows of a table in the order of their rowids or backwards, straight from the pages (record.h says
 * when that can be): what "select COLUMNS from TABLE where id >= :from order by id" gives, or with
 * "id <= :from order by id desc".
 */
#ifndef SOSIA_STORE_CURSOR_H
#define SOSIA_STORE_CURSOR_H

#include "engine/store/record.h"

/* Looks at the version that the transaction had when it was opened, and is valid as long as that
 * lasts. */
struct table_cursor {
    struct record row; /* the one that cursor_next() has come to: record_int(), record_text() */
    struct tree tree;
    const struct record_plan *plan;
    bool down;
    int depth; /* in path; negative: at the end */
    struct {
        struct btree_page page;
        int at; /* the next cell of a leaf, the child that is gone through of others */
    } path[BTREE_MAX_DEPTH + 1];
};

/* Goes to the first row at or above the rowid, down: at or below it. 1, or RECORD_STATEMENT. The
 * arena is borrowed. */
int cursor_open(struct slot *slot, struct record_text *table, int64_t from, bool down,
                struct arena *arena, struct table_cursor *cur);
/* 1: cur->row is the next one, 0: there is none, -1: the table is broken. */
int cursor_next(struct table_cursor *cur);

#endif
