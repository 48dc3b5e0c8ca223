/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows of a few columns, read in one expression: the type of each place says how its column is
 * read.
 *
 *     const char *name;
 *     int64_t owner;
 *     int r = TX_TAKE(tx, TX_QUERY(tx, &q, id), &name, &owner);      1: the row; 0: there is none
 *
 *     sqlite3_stmt *st = TX_QUERY(tx, &q, folder);
 *     while ((r = TX_TAKE_NEXT(tx, st, &name, &owner)) == 1) ...
 *
 *     struct line row = {.note = id}, *list;
 *     int rc = TX_TAKE_ALL(tx, TX_QUERY(tx, &q, id), &row, &list, &n, &row.text, &row.at);   0, -1
 *
 * Places are pointers to 32 or 64 bit integers, booleans, enums, doubles and texts. A text is in
 * the transaction's arena, NULL where the column is null; a number is 0 there. Without a row the
 * places stay as they are. A wide row of a struct is read by its columns' names (columns.h) or by
 * its table of members (engine/state/stored.h).
 */
#ifndef SOSIA_WORLD_TAKE_H
#define SOSIA_WORLD_TAKE_H

#include "engine/world/tx.h"

struct take_place {
    enum { TAKE_INT64, TAKE_INT, TAKE_BOOL, TAKE_REAL, TAKE_TEXT } kind;
    void *at;
};
#define TAKE_KIND(p)                                                                               \
    _Generic((p),                                                                                  \
        int64_t *: TAKE_INT64,                                                                     \
        int *: TAKE_INT,                                                                           \
        unsigned *: TAKE_INT,                                                                      \
        bool *: TAKE_BOOL,                                                                         \
        double *: TAKE_REAL,                                                                       \
        const char **: TAKE_TEXT)
#define TAKE_PLACE(p)                                                                              \
    {                                                                                              \
        TAKE_KIND(p), (p)                                                                          \
    }
#define TAKE_PLACES(...) ((const struct take_place[]){EACH(TAKE_PLACE, __VA_ARGS__)})

/* The statement's next row, n columns of it: 1, 0 (and reset), -1; st NULL: -1. */
int tx_take_next(struct tx *tx, sqlite3_stmt *st, const struct take_place *places, int n);
/* The same of the first, with which the statement is done. */
int tx_take(struct tx *tx, sqlite3_stmt *st, const struct take_place *places, int n);

/* All rows, each read into `row` (of `size` bytes) and put from there into the list that *ret_list
 * points to, in the arena: NULL where there are none. 0, -1; then *ret_list and *ret_n stay. */
int tx_take_all(struct tx *tx, sqlite3_stmt *st, const void *row, size_t size, void *ret_list,
                size_t *ret_n, const struct take_place *places, int n);

#define TX_TAKE_NEXT(tx, st, ...) tx_take_next(tx, st, TAKE_PLACES(__VA_ARGS__), COUNT(__VA_ARGS__))
#define TX_TAKE(tx, st, ...)      tx_take(tx, st, TAKE_PLACES(__VA_ARGS__), COUNT(__VA_ARGS__))
#define TX_TAKE_ALL(tx, st, row, ret_list, ret_n, ...)                                             \
    tx_take_all(tx, st, row, sizeof *(row), ret_list, ret_n, TAKE_PLACES(__VA_ARGS__),             \
                COUNT(__VA_ARGS__))
/* Whether the statement has a row: 1, 0, -1. */
#define TX_ANY(tx, st) tx_take(tx, st, NULL, 0)

#endif
