/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Entries of an index in their order, straight from the pages (record.h says when that can be):
 * what "select COLUMNS from TABLE where FIRST = :first and (MORE, ...) > (:more, ...) order by ..."
 * gives from that index alone, at a tenth of the cost of a statement's steps.
 *
 * The index's keys are in ascending order and strings are compared by their bytes; columns are
 * integers, strings, blobs or null.
 */
#ifndef SOSIA_STORE_SCAN_H
#define SOSIA_STORE_SCAN_H

#include "engine/store/record.h"
#include "engine/store/sql.h"

/* An index by its name, and some of its columns; the table's integer key is "rowid". A table
 * without rowids is an index by the table's name: of its key, with the other columns behind it. */
#define INDEX_TEXT(index_name, column_list)                                                        \
    {                                                                                              \
        .table = (index_name), .columns = (column_list), .is_index = true                          \
    }

enum scan_start {
    SCAN_FROM, /* entries that begin with the key are the first ones */
    SCAN_AFTER /* they are passed over */
};

enum { SCAN_KEYS = 6 }; /* values in a key at most */

/* Looks at the version that the transaction had when it was opened, and is valid as long as that
 * lasts. */
struct scan {
    struct record entry; /* the one that scan_next() has come to: record_int(), record_text() */
    struct tree tree;
    const struct slot *changed; /* the slot, if its transaction has changed something; NULL */
    const struct record_plan *plan;
    struct sql_value key[SCAN_KEYS]; /* their strings are borrowed, and have a length */
    int same;                        /* entries that have the key's first columns are given */
    int depth;                       /* in path; negative: at the end */
    struct {
        struct btree_page page;
        unsigned at; /* the next cell; of an interior page, after the child that is gone through */
    } path[BTREE_MAX_DEPTH + 1];
    bool descend; /* the child at the last page's place comes first */
    /* The leaf whose last entry was looked at, and whether that has the key's first columns too:
     * all before it have them then. */
    const uint8_t *leaf;
    bool leaf_is_same;
};

/* Goes to the first entry whose columns from the first on are at or after the key's n values. Given
 * are those that have the same first `same` values. 1, or RECORD_STATEMENT. Takes strings, blobs
 * and integers, SCAN_KEYS at most. The key's strings and the arena are borrowed. */
int scan_open(struct slot *slot, struct record_text *index, enum scan_start start, int same,
              const struct sql_value *key, int n, struct arena *arena, struct scan *s);
/* 1: s->entry is the next one, 0: there is none, -1: the index is broken. */
int scan_next(struct scan *s);
/* Passes over n entries, whatever they are, by counting them. */
void scan_skip(struct scan *s, size_t n);

/* The row of a table whose entry in an index begins with the key: 1, 0, or RECORD_STATEMENT. Its
 * columns are r's. As record_find() in a transaction that has changed something. */
int scan_row(struct slot *slot, struct record_text *index, struct record_text *table,
             const struct sql_value *key, int n, struct record *r);

#define TX_SCAN(tx, index, start, same, s, ...)                                                    \
    scan_open((tx)->db, index, start, same, SQL_VALUES(__VA_ARGS__), COUNT(__VA_ARGS__),           \
              (tx)->arena, s)
#define TX_SCAN_ROW(tx, index, table, r, ...)                                                      \
    scan_row((tx)->db, index, table, SQL_VALUES(__VA_ARGS__), COUNT(__VA_ARGS__), r)

#endif
