/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/world/take.h"

static void read_place(struct tx *tx, sqlite3_stmt *st, int at, const struct take_place *p)
{
    if (p->kind == TAKE_INT64)
        *(int64_t *)p->at = sqlite3_column_int64(st, at);
    else if (p->kind == TAKE_INT)
        *(int *)p->at = sqlite3_column_int(st, at);
    else if (p->kind == TAKE_BOOL)
        *(bool *)p->at = sqlite3_column_int64(st, at) != 0;
    else if (p->kind == TAKE_REAL)
        *(double *)p->at = sqlite3_column_double(st, at);
    else
        *(const char **)p->at = tx_string(tx, st, at);
}

int tx_take_next(struct tx *tx, sqlite3_stmt *st, const struct take_place *places, int n)
{
    int r = st ? TX_STEP(tx, st) : -1;
    for (int i = 0; r == 1 && i < n; i++)
        read_place(tx, st, i, &places[i]);
    return r;
}

int tx_take(struct tx *tx, sqlite3_stmt *st, const struct take_place *places, int n)
{
    int r = tx_take_next(tx, st, places, n);
    if (r == 1)
        sql_done(st);
    return r;
}

int tx_take_all(struct tx *tx, sqlite3_stmt *st, const void *row, size_t size, void *ret_list,
                size_t *ret_n, const struct take_place *places, int n)
{
    char *list = NULL;
    size_t n_rows = 0, room = 0;
    int r;
    while ((r = tx_take_next(tx, st, places, n)) == 1) {
        list = arena_grow(tx->arena, list, n_rows, &room, size);
        if (arena_failed(tx->arena)) {
            sql_done(st);
            return sosia_fail_memory(tx->err);
        }
        memcpy(list + n_rows++ * size, row, size);
    }
    if (r < 0)
        return -1;
    memcpy(ret_list, &list, sizeof list);
    *ret_n = n_rows;
    return 0;
}
