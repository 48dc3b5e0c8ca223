/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The hash that each row of the database carries, as a function of SQL: row_sum(kind, column, ...),
 * so that what writes a row, what checks it and what upgrades old ones name the same columns. Each
 * value goes into it with its type and length; the kind and the key are among them, so that a row
 * can't be taken for another.
 */
#include "engine/durable/durable_impl.h"
#define XXH_INLINE_ALL
#include <xxhash.h>

static void row_sum(sqlite3_context *ctx, int n, sqlite3_value **v)
{
    uint64_t h = 0;
    for (int i = 0; i < n; i++) {
        int type = sqlite3_value_type(v[i]);
        uint64_t seed = h + (uint64_t)type;
        if (type == SQLITE_INTEGER) {
            sqlite3_int64 number = sqlite3_value_int64(v[i]);
            h = XXH3_64bits_withSeed(&number, sizeof number, seed);
            continue;
        }
        const void *data =
            type == SQLITE_BLOB ? sqlite3_value_blob(v[i]) : (const void *)sqlite3_value_text(v[i]);
        int len = sqlite3_value_bytes(v[i]);
        if (!data && len) {
            sqlite3_result_error_nomem(ctx);
            return;
        }
        h = XXH3_64bits_withSeed(data ? data : "", (size_t)len, seed);
    }
    sqlite3_result_int64(ctx, (sqlite3_int64)h);
}

int rows_functions(sqlite3 *db)
{
    return sqlite3_create_function(db, "row_sum", -1,
                                   SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY, NULL,
                                   row_sum, NULL, NULL);
}
