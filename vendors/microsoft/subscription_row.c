/* SPDX-License-Identifier: Apache-2.0 */
/* Subscriptions: their rows, and the feeds that they watch. */
#include "engine/text/civil.h"
#include "engine/world/columns.h"
#include "vendors/microsoft/subscription_impl.h"

/* How long before its end a subscription is to be authorised again. */
#define LEAD_US (15 * 60 * US_PER_SECOND)

#define SUBSCRIPTION(X)                                                                            \
    X(key, key, STRING)                                                                            \
    X(actor, actor, NUMBER)                                                                        \
    X(app, app, ID)                                                                                \
    X(app_only, app_only, NUMBER)                                                                  \
    X(resource, resource, STRING)                                                                  \
    X(changes, changes, NUMBER)                                                                    \
    X(url, url, STRING)                                                                            \
    X(lifecycle_url, lifecycle_url, STRING)                                                        \
    X(state, state, STRING)                                                                        \
    X(tls, tls, STRING)                                                                            \
    X(certificate, certificate, STRING)                                                            \
    X(certificate_id, certificate_id, STRING)                                                      \
    X(expires_us, expires_us, NUMBER)                                                              \
    X(kind, kind, STRING)                                                                          \
    X(scope, scope, NUMBER)                                                                        \
    X(part, part, STRING)                                                                          \
    X(path, path, STRING)                                                                          \
    X(tenant, tenant, STRING)                                                                      \
    X(immutable, immutable, NUMBER)                                                                \
    X(position, position, NUMBER)                                                                  \
    X(missed, missed, NUMBER)
#define COLUMNS "id" SUBSCRIPTION(COLUMN_NAME)

static int take(struct tx *tx, sqlite3_stmt *st, struct graph_subscription *row)
{
    int r = st ? TX_STEP(tx, st) : -1;
    if (r != 1)
        return r;
    int at = 1;
    row->id = sqlite3_column_int64(st, 0);
    SUBSCRIPTION(COLUMN_READ)
    sql_done(st);
    return 1;
}

int graph_subscription_get(struct tx *tx, int64_t id, struct graph_subscription *ret)
{
    static struct sql_text q =
        SQL_TEXT("select " COLUMNS " from graph_subscription where id = :id");
    return take(tx, TX_QUERY(tx, &q, id), ret);
}

int graph_subscription_next(struct tx *tx, const char *kind, int64_t scope, int64_t after,
                            struct graph_subscription *ret)
{
    static struct sql_text q =
        SQL_TEXT("select " COLUMNS " from graph_subscription where kind = :kind and scope = :scope "
                 "and id > :after order by id limit 1");
    return take(tx, TX_QUERY(tx, &q, kind, scope, after), ret);
}

int graph_subscription_save(struct tx *tx, const struct graph_subscription *row)
{
    static struct sql_text q =
        SQL_TEXT("update graph_subscription set id = id" SUBSCRIPTION(COLUMN_SET) " where id = ?");
    return TX_RUN(tx, &q SUBSCRIPTION(COLUMN_VALUE), row->id);
}

static int lives_until(struct tx *tx, const struct graph_subscription *row)
{
    const int64_t ask_us = row->expires_us - LEAD_US;
    if (row->lifecycle_url && ask_us > tx->now_us &&
        due_add(tx, ask_us, GRAPH_CORE, DUE_REAUTHORIZE, row->id) < 0)
        return -1;
    return due_add(tx, row->expires_us, GRAPH_CORE, DUE_END, row->id);
}

static int cancel_dues(struct tx *tx, int64_t id)
{
    return due_cancel(tx, GRAPH_CORE, DUE_REAUTHORIZE, id) < 0
               ? -1
               : due_cancel(tx, GRAPH_CORE, DUE_END, id);
}

int graph_subscription_add(struct tx *tx, struct graph_subscription *row)
{
    static struct sql_text q = SQL_TEXT("insert into graph_subscription (id" SUBSCRIPTION(
        COLUMN_NAME) ") values (?" SUBSCRIPTION(COLUMN_MARK) ")");
    if (TX_RUN(tx, &q, sql_int_or_null(0, 0) SUBSCRIPTION(COLUMN_VALUE)) < 0)
        return -1;
    row->id = tx_last_id(tx);
    return lives_until(tx, row);
}

int graph_subscription_forget(struct tx *tx, int64_t id)
{
    static struct sql_text q = SQL_TEXT("delete from graph_subscription where id = :id");
    return cancel_dues(tx, id) < 0 ? -1 : TX_RUN(tx, &q, id);
}

const struct graph_feed *graph_feed_of(const struct tx *tx, const char *kind)
{
    const struct graph_feed *f;
    for (size_t i = 0; (f = core_policy_nth(tx, GRAPH_CORE, i)); i++)
        if (strcmp(f->kind, kind) == 0)
            return f;
    return NULL;
}

struct graph_watch graph_watch_of(const struct graph_subscription *s)
{
    return (struct graph_watch){.scope = s->scope,
                                .part = s->part,
                                .path = s->path,
                                .tenant = s->tenant,
                                .immutable = s->immutable != 0};
}

int graph_subscription_open(struct tx *tx, const struct graph_watcher *who,
                            struct graph_subscription *s, const struct graph_feed **ret_feed)
{
    const struct graph_feed *f;
    const struct odata_query *q;
    struct graph_watch w = {.part = "", .path = "", .tenant = ""};
    size_t n = strcspn(s->resource, "?");
    int r = 0;
    n -= n > 1 && s->resource[n - 1] == '/';
    const char *path = arena_memdup(tx->arena, s->resource, n);
    for (size_t i = 0; r == 0 && (f = core_policy_nth(tx, GRAPH_CORE, i)); i++) {
        r = f->open(tx, who, path, &w);
        *ret_feed = f;
    }
    if (r != 1 || graph_resource_query(tx, who->call, *ret_feed, s->resource, &q) < 0)
        return r == 1 ? -1 : r;
    w.immutable = s->immutable != 0;
    s->kind = (*ret_feed)->kind;
    s->scope = w.scope;
    s->part = w.part;
    s->path = w.path;
    s->tenant = w.tenant;
    return (*ret_feed)->position(tx, &w, &s->position) < 0 ? -1 : 1;
}

int graph_subscription_find(struct tx *tx, const char *key, int64_t actor, int64_t app,
                            struct graph_subscription *ret)
{
    static struct sql_text q =
        SQL_TEXT("select " COLUMNS " from graph_subscription where key = :key and actor = :actor "
                 "and app is :app");
    return take(tx, TX_QUERY(tx, &q, key, actor, sql_int_or_null(app, 0)), ret);
}

int graph_subscription_renew(struct tx *tx, const struct graph_subscription *row)
{
    if (cancel_dues(tx, row->id) < 0 || lives_until(tx, row) < 0)
        return -1;
    return graph_subscription_save(tx, row);
}
