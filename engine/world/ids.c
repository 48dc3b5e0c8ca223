/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/world/ids.h"

int ids_all(struct tx *tx, sqlite3_stmt *st, int64_t **ret, size_t *ret_n)
{
    int64_t *list = NULL;
    size_t n = 0, room = 0;
    int r = st ? 0 : -1;
    while (st && (r = TX_STEP(tx, st)) == 1) {
        if (!(list = arena_grow(tx->arena, list, n, &room, sizeof *list))) {
            sql_done(st);
            return sosia_fail_memory(tx->err);
        }
        list[n++] = sqlite3_column_int64(st, 0);
    }
    *ret = list;
    *ret_n = n;
    return r;
}
