/* SPDX-License-Identifier: Apache-2.0 */
#include "services/mail/core/kept.h"

static int read_kept(struct tx *tx, sqlite3_stmt *st, struct kept *ret)
{
    *ret = (struct kept){.id = sqlite3_column_int64(st, 0),
                         .kind = tx_string(tx, st, 1),
                         .key = tx_string(tx, st, 2),
                         .text = tx_string(tx, st, 3)};
    return arena_failed(tx->arena)
               ? sosia_fail_memory(tx->err)
               : json_parse(tx->arena, ret->text, strlen(ret->text), NULL, &ret->value, tx->err);
}

int mail_kept_get(struct tx *tx, struct kept_table *t, int64_t owner, const char *kind,
                  const char *key, struct kept *ret)
{
    sqlite3_stmt *st;
    int r = TX_ROW(tx, &t->get, &st, owner, kind, key);
    if (r == 1) {
        r = read_kept(tx, st, ret) < 0 ? -1 : 1;
        sql_done(st);
    }
    return r;
}

int mail_kept_list(struct tx *tx, struct kept_table *t, int64_t owner, const char *kind,
                   struct kept **ret, size_t *ret_n)
{
    sqlite3_stmt *st = kind ? TX_QUERY(tx, &t->list, owner, kind) : TX_QUERY(tx, &t->all, owner);
    struct kept *list = NULL;
    size_t n = 0, cap = 0;
    int r;
    while (st && (r = TX_STEP(tx, st)) == 1) {
        list = arena_grow(tx->arena, list, n, &cap, sizeof *list);
        if (!list || read_kept(tx, st, &list[n++]) < 0) {
            sql_done(st);
            return list ? -1 : sosia_fail_memory(tx->err);
        }
    }
    *ret = list;
    *ret_n = n;
    return st ? r : -1;
}

int mail_kept_put(struct tx *tx, struct kept_table *t, int64_t owner, const char *kind,
                  const char *key, const char *text)
{
    return text ? TX_RUN(tx, &t->put, owner, kind, key, text) : -1;
}

void mail_kept_begin(struct kept_value *v)
{
    buf_init(&v->b, KEPT_MAX);
    json_init(&v->w, &v->b, false, NULL);
    json_obj(&v->w, NULL);
}

const char *mail_kept_end(struct tx *tx, struct kept_value *v)
{
    json_end(&v->w);
    const char *text = buf_failed(&v->b) ? NULL : arena_strdup(tx->arena, buf_str(&v->b));
    buf_done(&v->b);
    if (!text || arena_failed(tx->arena)) {
        tx_fail(tx, SOSIA_E_TOO_LARGE, "tooLarge", NULL, "a value may have %d bytes", KEPT_MAX);
        return NULL;
    }
    return text;
}

int mail_kept_remove(struct tx *tx, struct kept_table *t, int64_t owner, const char *kind,
                     const char *key)
{
    if (TX_RUN(tx, &t->remove, owner, kind, key) < 0)
        return -1;
    return sqlite3_changes(slot_db(tx->db)) > 0;
}
