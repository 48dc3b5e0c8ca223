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

struct datum {
    int64_t workspace, app;
    const char *store, *key, *item;
};

static int check_datum(const struct form_in *in, void *row)
{
    const struct datum *d = row;
    return *d->key && strlen(d->key) <= CHAT_DATUM_KEY
               ? 0
               : doc_fail(in->d, json_get(in->value, "id"), "id", "expected 1 to %d bytes",
                          CHAT_DATUM_KEY);
}

static const struct member datum_members[] = {
    CHAT_WORKSPACE,
    {"app", "The app", CHAT_APP_AT(struct datum, app), .flags = MEMBER_REQUIRED},
    {"datastore", "Its name in the manifest", TEXT_AT(struct datum, store),
     .flags = MEMBER_REQUIRED},
    {"id", "Its primary key", TEXT_AT(struct datum, key), .flags = MEMBER_REQUIRED},
    {"item", "All attributes", KEPT_AT(struct datum, item, JSON_OBJECT), .flags = MEMBER_REQUIRED},
};
STORED(slack_datum_stored, "An item of a datastore", struct datum, datum_members, check_datum,
       .table = "slack_datum", .key = "app datastore id");
