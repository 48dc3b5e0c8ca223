/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/world/take.h"

static void take(struct tx *tx, sqlite3_stmt *st, int at, const struct take_place *p)
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
        take(tx, st, i, &places[i]);
    return r;
}

int tx_take(struct tx *tx, sqlite3_stmt *st, const struct take_place *places, int n)
{
    int r = tx_take_next(tx, st, places, n);
    if (r == 1)
        sql_done(st);
    return r;
}
