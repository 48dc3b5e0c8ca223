/* SPDX-License-Identifier: Apache-2.0 */
/* Which site the resource of a subscription is in, and may who watches read it? */
#include "engine/base/codec.h"
#include "vendors/microsoft/sites/watched.h"

/* Whose sites are meant: the watcher's tenant. Of an app in a document, which is of no one tenant,
 * that of the host. 1, 0, -1. */
static int tenant_of(struct tx *tx, const struct graph_watcher *who, const char *text,
                     struct ms_tenant *ret)
{
    struct ms_user user;
    struct ms_site site;
    int64_t id = 0;
    int r;
    if (who->call)
        r = graph_caller_tenant(who->call, &id);
    else if (!who->app_only) {
        r = ms_user_of_actor(tx, who->actor.id, 0, &user);
        id = r == 1 ? user.tenant : 0;
    } else {
        const size_t n = strcspn(text, ".,:");
        if (str_starts(text + n, ".sharepoint.com"))
            return ms_tenant_find(tx, arena_printf(tx->arena, "%.*s.onmicrosoft.com", (int)n, text),
                                  ret);
        r = ms_site_by_key(tx, text, &site);
        id = r == 1 ? site.tenant : 0;
    }
    return r == 1 ? ms_tenant_get(tx, id, ret) : r;
}

/* "ID", "HOST:/sites/finance:", which *at is behind then. 1, 0, -1. */
static int take_site(struct tx *tx, const struct graph_watcher *who, const char **at,
                     struct ms_site *ret)
{
    struct ms_tenant tenant;
    struct ms_site site;
    const char *key = graph_resource_key(tx->arena, at), *path = NULL;
    const size_t n = key ? strlen(key) : 0;
    if (!n)
        return 0;
    if (key[n - 1] == ':') {
        const size_t len = strcspn(*at, ":");
        if (!(*at)[len])
            return 0;
        path = arena_memdup(tx->arena, *at, len);
        key = arena_memdup(tx->arena, key, n - 1);
        *at += len + 1;
    }
    int r = key ? tenant_of(tx, who, key, &tenant) : sosia_fail_memory(tx->err);
    if (r == 1)
        r = ms_site_find(tx, &tenant, key, &site);
    if (r == 1 && path)
        return ms_site_by_path(tx, &tenant, ARENA_JOIN(tx->arena, site.path, path), ret);
    *ret = site;
    return r;
}

static int find_group_site(struct tx *tx, const struct graph_watcher *who, const char **at,
                           struct ms_site *ret)
{
    const char *key = graph_resource_key(tx->arena, at);
    struct ms_group group;
    int64_t tenant = 0;
    int r = key && who->call ? graph_caller_tenant(who->call, &tenant) : key != NULL;
    if (r == 1)
        r = ms_group_find(tx, key, tenant, &group);
    return r == 1 ? ms_site_of_group(tx, group.id, ret) : r;
}

int site_of_resource(struct tx *tx, const struct graph_watcher *who, const char **at,
                     struct ms_site *ret)
{
    if (graph_resource_word(at, "sites"))
        return take_site(tx, who, at, ret);
    return graph_resource_word(at, "groups") ? find_group_site(tx, who, at, ret) : 0;
}

int site_may_watch(struct tx *tx, const struct graph_watcher *who, const struct ms_site *site)
{
    enum site_role role = SITE_NONE;
    if (who->app_only && !who->call)
        return 1;
    if ((who->call ? site_role_of(who->call, site, &role)
                   : ms_site_role(tx, site, &who->actor, &role)) < 0)
        return -1;
    return role >= SITE_READ;
}

int site_watch_open(struct tx *tx, const struct graph_watcher *who, const struct ms_site *site,
                    const char *scopes)
{
    int r = site_may_watch(tx, who, site);
    if (r == 1 && who->call)
        r = call_has_scope(who->call, scopes);
    return r ? r
             : tx_fail(tx, SOSIA_E_FORBIDDEN, "ExtensionError", NULL,
                       "Operation: Create; Exception: [Status Code: Forbidden; Reason: Access "
                       "denied. You do not have permission to perform this action or access this "
                       "resource.]");
}
