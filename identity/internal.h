/* SPDX-License-Identifier: Apache-2.0 */
/* Between the files of identity/ only. */
#ifndef SOSIA_IDENTITY_INTERNAL_H
#define SOSIA_IDENTITY_INTERNAL_H

#include "engine/world/core.h"
#include "identity/oauth.h"

struct doc;

#define IDENT_CORE   "identity"
#define IDENT_KEEP_S 3600 /* what has ended is remembered as expired for so long */

/* A column as a string in the arena; NULL for null. */
static inline const char *ident_text(struct tx *tx, sqlite3_stmt *st, int column)
{
    const char *text = (const char *)sqlite3_column_text(st, column);
    return text ? arena_memdup(tx->arena, text, (size_t)sqlite3_column_bytes(st, column)) : NULL;
}

/* A statement with its first parameter bound; NULL with tx->err filled. */
static inline sqlite3_stmt *ident_with_text(struct tx *tx, struct sql_text *q, const char *text)
{
    sqlite3_stmt *st = sql_use(tx->db, q);
    if (st)
        sql_bind_text(st, 1, text);
    else
        slot_fail(tx->db, tx->err);
    return st;
}

static inline sqlite3_stmt *ident_with_int(struct tx *tx, struct sql_text *q, int64_t v)
{
    sqlite3_stmt *st = sql_use(tx->db, q);
    if (st)
        sql_bind_int(st, 1, v);
    else
        slot_fail(tx->db, tx->err);
    return st;
}

static inline int ident_run(struct tx *tx, sqlite3_stmt *st)
{
    return st ? sql_run(tx->db, st, tx->err) : -1;
}

/* 0 becomes null. */
static inline void ident_bind_id(sqlite3_stmt *st, int at, int64_t id)
{
    if (id)
        sql_bind_int(st, at, id);
    else
        sql_bind_null(st, at);
}

static inline int64_t ident_last_id(struct tx *tx)
{
    return sqlite3_last_insert_rowid(slot_db(tx->db));
}

/* code.c: a new secret of a kind; NULL fails. */
const char *ident_secret(struct tx *tx, const struct oauth_secret *how);
int oauth_device_forget(struct tx *tx, int64_t id);

/* account.c: the section of accounts. */
int account_seed_section(struct tx *tx, struct doc *d, const struct json *value);
int account_dump_section(struct tx *tx, struct json_writer *w);
int account_dump(struct tx *tx, int64_t rowid, struct json_writer *w);
int account_key(struct tx *tx, int64_t rowid, struct json_writer *w);

#endif
