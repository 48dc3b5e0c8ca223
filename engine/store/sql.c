/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/store/sql.h"

int sql_finish(struct slot *s, struct sosia_err *err, sqlite3_stmt *st)
{
    return st ? sql_run(s, st, err) : -1;
}

int sql_first(struct slot *s, struct sosia_err *err, sqlite3_stmt *st, sqlite3_stmt **ret_st)
{
    int r = st ? sql_step(s, st, err) : -1;
    if (r == 1)
        *ret_st = st;
    return r;
}

int sql_first_int(struct slot *s, struct sosia_err *err, sqlite3_stmt *st, int64_t *ret)
{
    int r = st ? sql_step(s, st, err) : -1;
    if (r == 1) {
        *ret = sqlite3_column_int64(st, 0);
        sql_done(st);
    }
    return r;
}
