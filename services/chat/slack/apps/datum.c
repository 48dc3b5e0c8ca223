/* SPDX-License-Identifier: Apache-2.0 */
/* Items of the datastores of apps. */
#include "engine/json/doc.h"
#include "services/chat/slack/store.h"
#include "services/chat/slack/apps/platform.h"

int chat_datum_get(struct tx *tx, const struct chat_store *s, const char *key,
                   const char **ret_item)
{
    static struct sql_text q = SQL_TEXT("select item from slack_datum where workspace = :workspace "
                                        "and app = :app and store = :store and key = :key");
    sqlite3_stmt *st;
    int r = TX_ROW(tx, &q, &st, s->workspace, s->app, s->name, key);
    if (r != 1)
        return r;
    *ret_item = tx_string(tx, st, 0);
    sql_done(st);
    return 1;
}

int chat_datum_put(struct tx *tx, const struct chat_store *s, const char *key, const char *item)
{
    static struct sql_text q =
        SQL_TEXT("insert into slack_datum (workspace, app, store, key, item) values (:workspace, "
                 ":app, :store, :key, :item) on conflict (workspace, app, store, key) do update "
                 "set item = excluded.item");
    return TX_RUN(tx, &q, s->workspace, s->app, s->name, key, item);
}

int chat_datum_delete(struct tx *tx, const struct chat_store *s, const char *key)
{
    static struct sql_text q = SQL_TEXT("delete from slack_datum where workspace = :workspace and "
                                        "app = :app and store = :store and key = :key");
    return TX_RUN(tx, &q, s->workspace, s->app, s->name, key);
}

int chat_data(struct tx *tx, const struct chat_store *s, const char *after, chat_datum_fn *fn,
              void *arg)
{
    static struct sql_text q = SQL_TEXT(
        "select key, item from slack_datum where workspace = :workspace and app = :app and "
        "store = :store and key > :after order by key");
    sqlite3_stmt *st = TX_QUERY(tx, &q, s->workspace, s->app, s->name, after);
    int r = st ? 1 : -1;
    while (r == 1 && (r = TX_STEP(tx, st)) == 1)
        if (fn(arg, (const char *)sqlite3_column_text(st, 0),
               (const char *)sqlite3_column_text(st, 1))) {
            sql_done(st);
            return 0;
        }
    return r;
}

/* ---- seed documents ---- */

int chat_datum_seed(struct tx *tx, struct doc *d, const struct json *v)
{
    static struct sql_text q =
        SQL_TEXT("insert into slack_datum (workspace, app, store, key, item) values (:workspace, "
                 ":app, :store, :key, :item)");
    static const char *const members[] = {"workspace", "app", "datastore", "id", "item", NULL};
    struct chat_workspace w;
    const char *store, *key, *item;
    int64_t app;
    if (doc_object(d, v, members) < 0 || chat_doc_workspace(tx, d, v, &w) < 0 ||
        chat_doc_app(tx, d, v, &app) < 0 || doc_str(d, v, "datastore", true, &store) < 0 ||
        doc_str(d, v, "id", true, &key) < 0 ||
        chat_doc_shaped(d, v, "item", JSON_OBJECT, &item) < 0)
        return -1;
    if (!app)
        return doc_fail(d, v, "app", "is missing");
    if (!item)
        return doc_fail(d, v, "item", "is missing");
    if (!*key || strlen(key) > CHAT_DATUM_KEY)
        return doc_fail(d, json_get(v, "id"), "id", "expected 1 to %d bytes", CHAT_DATUM_KEY);
    return chat_doc_added(tx, d, v, "id", TX_RUN(tx, &q, w.id, app, store, key, item));
}

int chat_datum_dump(struct tx *tx, int64_t id, struct json_writer *w)
{
    static struct sql_text q =
        SQL_TEXT("select workspace, app, store, key, item from slack_datum where id = :id");
    sqlite3_stmt *st;
    int r = TX_ROW(tx, &q, &st, id);
    if (r != 1)
        return r;
    int64_t workspace = sqlite3_column_int64(st, 0), app = sqlite3_column_int64(st, 1);
    const char *store = tx_string(tx, st, 2), *key = tx_string(tx, st, 3);
    const char *item = tx_string(tx, st, 4);
    sql_done(st);
    if (chat_dump_workspace(tx, w, workspace) < 0 || chat_dump_app(tx, w, "app", app) < 0)
        return -1;
    json_str(w, "datastore", store);
    json_str(w, "id", key);
    chat_dump_raw(w, "item", item);
    return 1;
}

int chat_datum_key(struct tx *tx, int64_t rowid, struct json_writer *w)
{
    static struct sql_text q = SQL_TEXT("select app, store, key from slack_datum where id = :id");
    sqlite3_stmt *st;
    int r = TX_ROW(tx, &q, &st, rowid);
    if (r != 1)
        return r;
    int64_t app = sqlite3_column_int64(st, 0);
    const char *store = tx_string(tx, st, 1), *key = tx_string(tx, st, 2);
    sql_done(st);
    if (chat_dump_app(tx, w, "app", app) < 0)
        return -1;
    json_str(w, "datastore", store);
    json_str(w, "id", key);
    return 1;
}
