/* SPDX-License-Identifier: Apache-2.0 */
/* Apps as tenants have them: service principals, and what was agreed to for everybody. */
#include "engine/world/take.h"
#include "identity/scope.h"
#include "vendors/microsoft/directory/directory.h"
#include "vendors/microsoft/graph.h"

#define SELECT "select id, app, tenant, oid, delegated, application from ms_app "

static int read_app(struct tx *tx, sqlite3_stmt *st, struct ms_app *ret)
{
    return TX_TAKE(tx, st, &ret->id, &ret->app, &ret->tenant, &ret->oid, &ret->delegated,
                   &ret->application);
}

int ms_app_get(struct tx *tx, int64_t id, struct ms_app *ret)
{
    static struct sql_text q = SQL_TEXT(SELECT "where id = :id");
    return read_app(tx, TX_QUERY(tx, &q, id), ret);
}

int ms_app_find(struct tx *tx, int64_t app, int64_t tenant, struct ms_app *ret)
{
    static struct sql_text q = SQL_TEXT(
        SELECT "where app = :app and (tenant = :tenant or :tenant = 0) order by id limit 1");
    return read_app(tx, TX_QUERY(tx, &q, app, tenant), ret);
}

static int put_app(struct tx *tx, const struct ms_app *a)
{
    static struct sql_text q =
        SQL_TEXT("insert into ms_app (app, tenant, oid, delegated, application) values (:app, "
                 ":tenant, :oid, :delegated, :application) on conflict (app, tenant) do update set "
                 "delegated = excluded.delegated, application = excluded.application");
    return TX_RUN(tx, &q, a->app, a->tenant, a->oid, a->delegated, a->application);
}

int ms_app_agree(struct tx *tx, const struct ident_app *app, const struct ms_tenant *tenant,
                 const char *delegated, const char *application)
{
    struct ms_app own;
    struct arena *a = tx->arena;
    int r = ms_app_find(tx, app->id, tenant->id, &own);
    if (r < 0)
        return -1;
    if (!r)
        own = (struct ms_app){
            .app = app->id,
            .tenant = tenant->id,
            .oid = graph_guid(a, "app", arena_printf(a, "%s %s", tenant->guid, app->client_id)),
            .delegated = "",
            .application = ""};
    own.delegated = scopes_union(a, own.delegated, delegated);
    own.application = scopes_union(a, own.application, application);
    if (!own.delegated || !own.application)
        return tx_fail(tx, SOSIA_E_LIMIT, "tooManyScopes", "scope",
                       "an app must have at most 16 KiB of scopes in a tenant, would have more");
    return put_app(tx, &own);
}
