/* SPDX-License-Identifier: Apache-2.0 */
/* What people have set for their mailboxes: JSON objects by kind and key. */
#include "services/mail/outlook/outlook.h"

#define MAX_VALUE (1 << 20) /* bytes */

static int read_setting(struct tx *tx, sqlite3_stmt *st, struct outlook_setting *ret)
{
    *ret = (struct outlook_setting){.id = sqlite3_column_int64(st, 0),
                                    .key = tx_string(tx, st, 1),
                                    .text = tx_string(tx, st, 2)};
    return arena_failed(tx->arena)
               ? sosia_fail_memory(tx->err)
               : json_parse(tx->arena, ret->text, strlen(ret->text), NULL, &ret->value, tx->err);
}

int outlook_setting_get(struct tx *tx, int64_t mailbox, const char *kind, const char *key,
                        struct outlook_setting *ret)
{
    static struct sql_text q =
        SQL_TEXT("select id, key, value from outlook_setting where mailbox = "
                 ":mailbox and kind = :kind and key = :key");
    sqlite3_stmt *st;
    int r = TX_ROW(tx, &q, &st, mailbox, kind, key);
    if (r == 1) {
        r = read_setting(tx, st, ret) < 0 ? -1 : 1;
        sql_done(st);
    }
    return r;
}

int outlook_settings(struct tx *tx, int64_t mailbox, const char *kind, struct outlook_setting **ret,
                     size_t *ret_n)
{
    static struct sql_text q =
        SQL_TEXT("select id, key, value from outlook_setting where mailbox = "
                 ":mailbox and kind = :kind order by id");
    struct outlook_setting *list = NULL;
    size_t n = 0, cap = 0;
    sqlite3_stmt *st = TX_QUERY(tx, &q, mailbox, kind);
    int r;
    while (st && (r = TX_STEP(tx, st)) == 1) {
        list = arena_grow(tx->arena, list, n, &cap, sizeof *list);
        if (!list || read_setting(tx, st, &list[n++]) < 0) {
            sql_done(st);
            return list ? -1 : sosia_fail_memory(tx->err);
        }
    }
    *ret = list;
    *ret_n = n;
    return st ? r : -1;
}

int outlook_setting_put(struct tx *tx, int64_t mailbox, const char *kind, const char *key,
                        const char *text)
{
    static struct sql_text q = SQL_TEXT(
        "insert into outlook_setting (mailbox, kind, key, value) values (:mailbox, :kind, :key, "
        ":value) on conflict (mailbox, kind, key) do update set value = excluded.value");
    return text ? TX_RUN(tx, &q, mailbox, kind, key, text) : -1;
}

int outlook_setting_remove(struct tx *tx, int64_t mailbox, const char *kind, const char *key)
{
    static struct sql_text q = SQL_TEXT("delete from outlook_setting where mailbox = :mailbox and "
                                        "kind = :kind and key = :key");
    if (TX_RUN(tx, &q, mailbox, kind, key) < 0)
        return -1;
    return sqlite3_changes(slot_db(tx->db)) > 0;
}

void outlook_value_begin(struct outlook_value *v)
{
    buf_init(&v->b, MAX_VALUE);
    json_init(&v->w, &v->b, false, NULL);
    json_obj(&v->w, NULL);
}

const char *outlook_value_end(struct tx *tx, struct outlook_value *v)
{
    json_end(&v->w);
    const char *text = buf_failed(&v->b) ? NULL : arena_strdup(tx->arena, buf_str(&v->b));
    buf_done(&v->b);
    if (!text || arena_failed(tx->arena)) {
        tx_fail(tx, SOSIA_E_TOO_LARGE, "tooLarge", NULL, "a value may have %d bytes", MAX_VALUE);
        return NULL;
    }
    return text;
}
