/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/store/schema.h"
#include <gnutls/crypto.h>

void sqlite_trust(sqlite3 *db)
{
    sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, sqlite3_libversion_number() < 3045000,
                      NULL);
}

/* Feeds all that a connection keeps of a schema: its rows and the settings in the header. */
static int hash_schema(sqlite3 *db, const uint8_t *image, gnutls_hash_hd_t hash)
{
    sqlite3_stmt *st;
    int rc =
        sqlite3_prepare_v2(db,
                           "select rowid, type, name, tbl_name, rootpage, sql from sqlite_schema "
                           "order by rowid",
                           -1, &st, NULL);
    if (rc != SQLITE_OK)
        return rc;
    gnutls_hash(hash, image + 44, 8);
    gnutls_hash(hash, image + 56, 4);
    while ((rc = sqlite3_step(st)) == SQLITE_ROW) {
        for (int i = 0; i < 6; i++) {
            const void *text = sqlite3_column_blob(st, i); /* a number as its digits */
            int64_t n = sqlite3_column_bytes(st, i);
            gnutls_hash(hash, &n, sizeof n);
            if (n)
                gnutls_hash(hash, text, (size_t)n);
        }
    }
    sqlite3_finalize(st);
    return rc == SQLITE_DONE ? SQLITE_OK : rc;
}

int schema_sum(uint8_t *image, size_t n, uint8_t ret_sum[SCHEMA_SUM])
{
    sqlite3 *db = NULL;
    gnutls_hash_hd_t hash;
    int rc = sqlite3_open_v2(":memory:", &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL);
    if (rc == SQLITE_OK) {
        sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
        sqlite_trust(db);
        rc = sqlite3_deserialize(db, "main", image, (sqlite3_int64)n, (sqlite3_int64)n,
                                 SQLITE_DESERIALIZE_READONLY);
    }
    if (rc == SQLITE_OK && gnutls_hash_init(&hash, GNUTLS_DIG_SHA256) < 0)
        rc = SQLITE_NOMEM;
    else if (rc == SQLITE_OK) {
        rc = hash_schema(db, image, hash);
        gnutls_hash_deinit(hash, ret_sum);
    }
    sqlite3_close(db);
    return rc;
}

int schema_has_rows(sqlite3 *db, const char *database, const char *table, bool *ret)
{
    sqlite3_stmt *st = NULL;
    char *text = sqlite3_mprintf("select 1 from %s.\"%w\" limit 1", database, table);
    int rc = text ? sqlite3_prepare_v2(db, text, -1, &st, NULL) : SQLITE_NOMEM;
    sqlite3_free(text);
    if (rc == SQLITE_OK)
        rc = sqlite3_step(st);
    sqlite3_finalize(st);
    *ret = rc == SQLITE_ROW;
    return rc == SQLITE_ROW || rc == SQLITE_DONE ? SQLITE_OK : rc;
}
