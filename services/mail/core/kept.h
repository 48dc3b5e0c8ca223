/* SPDX-License-Identifier: Apache-2.0 */
/* What dialects keep of a mailbox or a message by kind and key: JSON objects, in tables of their
 * own with the columns id, the owner's, kind, the key's and value. */
#ifndef SOSIA_MAIL_KEPT_H
#define SOSIA_MAIL_KEPT_H

#include "engine/world/tx.h"

struct kept {
    int64_t id; /* rises in the order in which they were made */
    const char *kind, *key;
    const char *text; /* a JSON object */
    const struct json *value;
};

struct kept_table {
    struct sql_text get, list, all, put, remove;
};
#define KEPT_TABLE(table, owner, key)                                                              \
    {                                                                                              \
        .get = SQL_TEXT(KEPT_ROW(table, key) owner " = ?1 and kind = ?2 and " key " = ?3"),        \
        .list = SQL_TEXT(KEPT_ROW(table, key) owner " = ?1 and kind = ?2 order by id"),            \
        .all = SQL_TEXT(KEPT_ROW(table, key) owner " = ?1 order by id"),                           \
        .put = SQL_TEXT("insert into " table " (" owner ", kind, " key ", value) values (?1, ?2, " \
                        "?3, ?4) on conflict do update set value = excluded.value"),               \
        .remove =                                                                                  \
            SQL_TEXT("delete from " table " where " owner " = ?1 and kind = ?2 and " key " = ?3")  \
    }
#define KEPT_ROW(table, key) "select id, kind, " key ", value from " table " where "

/* 1 found, 0, -1. */
int mail_kept_get(struct tx *tx, struct kept_table *t, int64_t owner, const char *kind,
                  const char *key, struct kept *ret);
/* All of a kind, or (NULL) of any, oldest first. 0, -1. */
int mail_kept_list(struct tx *tx, struct kept_table *t, int64_t owner, const char *kind,
                   struct kept **ret, size_t *ret_n);
/* Makes it, or replaces its value; text NULL: mail_kept_end() failed. 0, -1. */
int mail_kept_put(struct tx *tx, struct kept_table *t, int64_t owner, const char *kind,
                  const char *key, const char *text);
/* A value under way: its members go into w. Its text; NULL with an error: it has more than
 * KEPT_MAX bytes. */
#define KEPT_MAX (1 << 20)
struct kept_value {
    struct buf b;
    struct json_writer w;
};
void mail_kept_begin(struct kept_value *v);
const char *mail_kept_end(struct tx *tx, struct kept_value *v);
/* 1 it was there, 0, -1. */
int mail_kept_remove(struct tx *tx, struct kept_table *t, int64_t owner, const char *kind,
                     const char *key);

#endif
