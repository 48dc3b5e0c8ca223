/* SPDX-License-Identifier: Apache-2.0 */
/* Which apps may do something in one site (Sites.Selected). */
#include "engine/base/codec.h"
#include "engine/world/take.h"
#include "identity/consent.h"
#include "vendors/microsoft/query.h"
#include "vendors/microsoft/sites/sites.h"

struct permission {
    int64_t id, app;
    const char *key;
    enum site_role role;
};

static int read_one(struct tx *tx, sqlite3_stmt *st, struct permission *ret)
{
    return TX_TAKE(tx, st, &ret->id, &ret->key, &ret->app, &ret->role);
}

static int next_permission(struct tx *tx, int64_t site, struct permission *at)
{
    static struct sql_text q = SQL_TEXT("select id, key, app, role from ms_site_app where site = "
                                        ":site and id > :after order by id limit 1");
    return read_one(tx, TX_QUERY(tx, &q, site, at->id), at);
}

static int write_permission(struct call *c, const struct permission *p)
{
    struct json_writer *w = c->out;
    struct ident_app app;
    if (app_get(&c->tx, p->app, &app) != 1)
        return -1;
    json_str(w, "id", p->key);
    json_arr(w, "roles");
    json_str(w, NULL, site_role_names[p->role]);
    json_end(w);
    json_arr(w, "grantedToIdentitiesV2");
    json_obj(w, NULL);
    json_obj(w, "application");
    json_str(w, "displayName", app.name);
    json_str(w, "id", app.client_id);
    json_end(w);
    json_end(w);
    json_end(w);
    json_arr(w, "grantedToIdentities");
    json_obj(w, NULL);
    json_obj(w, "application");
    json_str(w, "displayName", app.name);
    json_str(w, "id", app.client_id);
    json_end(w);
    json_end(w);
    json_end(w);
    return 0;
}

static int answer(struct call *c, const struct ms_site *site, const struct permission *p)
{
    json_obj(c->out, NULL);
    graph_context(c, "%s/permissions/$entity", site_context(c, site));
    int r = write_permission(c, p);
    json_end(c->out);
    return r;
}

/* That of the path. 0, -1. */
static int of_path(struct call *c, struct ms_site *site, struct permission *ret)
{
    static struct sql_text q =
        SQL_TEXT("select id, key, app, role from ms_site_app where site = :site and key = :key");
    if (site_of_path(c, SITE_OWNER, site) < 0)
        return -1;
    int r = read_one(&c->tx, TX_QUERY(&c->tx, &q, site->id, param_str(c, "permission-id")), ret);
    return r == 1  ? 0
           : r < 0 ? -1
                   : call_fail(c, SOSIA_E_NOT_FOUND, "itemNotFound", NULL, "Item not found");
}

static int permissions_list(struct call *c)
{
    struct permission p = {.id = 0};
    struct ms_site site;
    int r;
    if (site_of_path(c, SITE_OWNER, &site) < 0)
        return -1;
    json_obj(c->out, NULL);
    graph_context(c, "%s/permissions", site_context(c, &site));
    json_arr(c->out, "value");
    while ((r = next_permission(&c->tx, site.id, &p)) == 1) {
        json_obj(c->out, NULL);
        if (write_permission(c, &p) < 0)
            return -1;
        json_end(c->out);
    }
    json_end(c->out);
    json_end(c->out);
    return r;
}

static int permissions_get(struct call *c)
{
    struct permission p;
    struct ms_site site;
    return of_path(c, &site, &p) < 0 ? -1 : answer(c, &site, &p);
}

/* "roles": read, write or owner; of several the widest. */
static int read_roles(struct call *c, const struct json *body, enum site_role *ret)
{
    const struct json *roles = json_get(body, "roles");
    *ret = SITE_NONE;
    for (uint32_t i = 0; roles && roles->type == JSON_ARRAY && i < roles->n; i++) {
        const char *word = roles->items[i].type == JSON_STRING ? roles->items[i].str : "";
        int role = str_place(site_role_names, word);
        if (strcmp(word, "manage") == 0 || strcmp(word, "fullcontrol") == 0)
            role = SITE_OWNER;
        if (role < SITE_READ)
            return site_invalid(c, "One of the provided arguments is not acceptable.");
        if ((enum site_role)role > *ret)
            *ret = (enum site_role)role;
    }
    return *ret ? 0 : site_invalid(c, "One of the provided arguments is not acceptable.");
}

/* The one app of grantedToIdentities or grantedToIdentitiesV2. */
static int read_app(struct call *c, const struct json *body, struct ident_app *ret)
{
    const struct json *list = json_get(body, "grantedToIdentitiesV2");
    if (!list || list->type != JSON_ARRAY || !list->n)
        list = json_get(body, "grantedToIdentities");
    const struct json *app = list && list->type == JSON_ARRAY && list->n == 1
                                 ? json_get(&list->items[0], "application")
                                 : NULL;
    const char *id = app && app->type == JSON_OBJECT ? json_get_str(app, "id") : NULL;
    int r = id ? app_find(&c->tx, id, ret) : 0;
    return r == 1  ? 0
           : r < 0 ? -1
                   : site_invalid(c, "One of the provided arguments is not acceptable.");
}

static int permissions_create(struct call *c)
{
    static struct sql_text q = SQL_TEXT(
        "insert into ms_site_app (site, key, app, role) values (:site, :key, :app, :role) on "
        "conflict (site, app) do update set role = excluded.role");
    static struct sql_text q_same =
        SQL_TEXT("select id, key, app, role from ms_site_app where site = :site and app = :app");
    struct ident_app app = {.id = 0};
    struct permission p = {.id = 0};
    const struct json *body;
    struct ms_site site;
    if (site_of_path(c, SITE_OWNER, &site) < 0 || !(body = call_body(c)) ||
        read_roles(c, body, &p.role) < 0 || read_app(c, body, &app) < 0 ||
        ms_site_keep(&c->tx, &site) < 0)
        return -1;
    p.key = graph_guid(c->tx.arena, "site permission",
                       arena_printf(c->tx.arena, "%lld %s", (long long)site.id, app.client_id));
    if (TX_RUN(&c->tx, &q, site.id, p.key, app.id, (int64_t)p.role) < 0 ||
        read_one(&c->tx, TX_QUERY(&c->tx, &q_same, site.id, app.id), &p) != 1 ||
        consent_registered_used(&c->tx, app.id) < 0)
        return -1;
    c->status = 201;
    return answer(c, &site, &p);
}

static int permissions_update(struct call *c)
{
    static struct sql_text q = SQL_TEXT("update ms_site_app set role = :role where id = :id");
    const struct json *body;
    struct permission p;
    struct ms_site site;
    if (of_path(c, &site, &p) < 0 || !(body = call_body(c)) || read_roles(c, body, &p.role) < 0 ||
        TX_RUN(&c->tx, &q, (int64_t)p.role, p.id) < 0)
        return -1;
    return answer(c, &site, &p);
}

static int permissions_delete(struct call *c)
{
    static struct sql_text q = SQL_TEXT("delete from ms_site_app where id = :id");
    struct permission p;
    struct ms_site site;
    if (of_path(c, &site, &p) < 0)
        return -1;
    c->status = 204;
    return TX_RUN(&c->tx, &q, p.id);
}

/* ---- the methods ---- */

static const struct param list_params[] = {SITE_PATH_PARAMS};
static const struct param one_params[] = {
    SITE_PATH_PARAMS, {.name = "permission-id", .place = IN_PATH, .required = true}};

#define PERMISSION "microsoft.graph.permission"
#define ONE        OF_SITE("/permissions/{permission-id}")

static const struct route methods[] = {
    {ROUTE("sites.permissions.list", GET, OF_SITE("/permissions")), .handler = permissions_list,
     .risk = RISK_READ, .scopes = SITES_CONTROL, PARAMS(list_params),
     .response = "microsoft.graph.permissionCollectionResponse",
     .summary = "The apps that may use a site"},
    {ROUTE("sites.permissions.get", GET, ONE), .handler = permissions_get, .risk = RISK_READ,
     .scopes = SITES_CONTROL, PARAMS(one_params), .response = PERMISSION,
     .summary = "What one app may do in a site"},
    {ROUTE("sites.permissions.create", POST, OF_SITE("/permissions")),
     .handler = permissions_create, .risk = RISK_EXTERNAL, .scopes = SITES_CONTROL,
     PARAMS(list_params), .body = BODY_JSON, .request = PERMISSION, .response = PERMISSION,
     .status = 201, .summary = "Let an app use a site"},
    {ROUTE("sites.permissions.update", PATCH, ONE), .handler = permissions_update,
     .risk = RISK_EXTERNAL, .idempotent = true, .scopes = SITES_CONTROL, PARAMS(one_params),
     .body = BODY_JSON, .request = PERMISSION, .response = PERMISSION,
     .summary = "Change what an app may do in a site"},
    {ROUTE("sites.permissions.delete", DELETE, ONE), .handler = permissions_delete,
     .risk = RISK_DESTRUCTIVE, .scopes = SITES_CONTROL, PARAMS(one_params), .status = 204,
     .summary = "Let an app use a site no more"},
};

const struct rows site_permission_rows = ROWS(methods);
