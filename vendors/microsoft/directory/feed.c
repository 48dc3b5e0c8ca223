/* SPDX-License-Identifier: Apache-2.0 */
/* Users and groups of a tenant, or one of them, as what subscriptions watch. What is new and what
 * is deleted is announced as updated: nothing is deleted for good here (MG-485). */
#include "engine/base/codec.h"
#include "engine/world/take.h"
#include "vendors/microsoft/directory/directory.h"
#include "vendors/microsoft/directory/feed.h"

#define DAYS_29 41760 /* minutes */

/* ---- which tenant ---- */

/* Without a call, as in a document, an app's is the first one. */
static int watched_tenant(struct tx *tx, const struct graph_watcher *who, struct ms_tenant *ret)
{
    static struct sql_text q =
        SQL_TEXT("select id from ms_tenant where consumer = :none order by id limit 1");
    struct ms_user user;
    int64_t id = 0;
    int r;
    if (who->call) {
        r = graph_caller_tenant(who->call, &id);
    } else if (who->app_only) {
        r = TX_INT(tx, &q, &id, 0);
    } else {
        r = ms_user_of_actor(tx, who->actor.id, 0, &user);
        id = r == 1 ? user.tenant : 0;
    }
    return r == 1 ? ms_tenant_get(tx, id, ret) : r;
}

/* Fills the watch of "users", "users/0d1e...": word is "users". 1, 0, -1. */
static int open_set(struct tx *tx, const struct graph_watcher *who, const char *resource,
                    const char *word, const char **ret_key, struct graph_watch *ret)
{
    struct ms_tenant tenant;
    *ret_key = NULL;
    if (!graph_resource_word(&resource, word))
        return 0;
    if (*resource && *resource != '?' && strcmp(resource, "/") != 0 &&
        !(*ret_key = graph_resource_key(tx->arena, &resource)))
        return 0;
    if (*resource && *resource != '?' && strcmp(resource, "/") != 0)
        return 0;
    int r = watched_tenant(tx, who, &tenant);
    if (r == 1)
        *ret = (struct graph_watch){.scope = tenant.id, .part = "", .tenant = tenant.guid};
    return r;
}

static int users_open(struct tx *tx, const struct graph_watcher *who, const char *resource,
                      struct graph_watch *ret)
{
    struct ms_user user;
    const char *key;
    int r = open_set(tx, who, resource, "users", &key, ret);
    if (r == 1 && key && (r = ms_user_find(tx, key, ret->scope, &user)) == 1)
        ret->part = user.oid;
    ret->path = "Users";
    return r;
}

static int groups_open(struct tx *tx, const struct graph_watcher *who, const char *resource,
                       struct graph_watch *ret)
{
    struct ms_group group;
    const char *key;
    int r = open_set(tx, who, resource, "groups", &key, ret);
    if (r == 1 && key && (r = ms_group_find(tx, key, ret->scope, &group)) == 1)
        ret->part = group.oid;
    ret->path = "Groups";
    return r;
}

static int may(struct tx *tx, const struct graph_watcher *who, const struct graph_watch *w)
{
    (void)w;
    return graph_watcher_there(tx, who);
}

/* ---- changes ---- */

static int last_watched(struct tx *tx, const struct graph_watch *w, int64_t *ret)
{
    static struct sql_text q =
        SQL_TEXT("select max(coalesce((select max(change) from ms_user where tenant = ?1), 0), "
                 "coalesce((select max(change) from ms_group where tenant = ?1), 0), "
                 "coalesce((select max(change) from ms_gone where tenant = ?1), 0))");
    return TX_INT(tx, &q, ret, w->scope) < 0 ? -1 : 0;
}

/* Calls fn for each row that q gives of a tenant behind a number: its change and object id. */
static int walk(struct tx *tx, struct sql_text *q, const struct graph_watch *w, int64_t after,
                graph_change_fn *fn, void *arg, int64_t *ret_last)
{
    struct graph_change change = {.operation = OP_CHANGED};
    int r;
    *ret_last = after;
    while ((r = TX_TAKE(tx, TX_QUERY(tx, q, w->scope, *ret_last), ret_last, &change.id)) == 1) {
        if ((!*w->part || strcmp(w->part, change.id) == 0) && (r = fn(arg, &change)))
            return r;
    }
    return r;
}

static int users_changes(struct tx *tx, const struct graph_watch *w, int64_t after,
                         graph_change_fn *fn, void *arg, int64_t *ret_last)
{
    static struct sql_text q = SQL_TEXT(
        "select change, oid from ms_user where tenant = ?1 and change > ?2 and not deleted union "
        "all select change, oid from ms_gone where tenant = ?1 and change > ?2 and kind = 'user' "
        "order by 1 limit 1");
    return walk(tx, &q, w, after, fn, arg, ret_last);
}

static int groups_changes(struct tx *tx, const struct graph_watch *w, int64_t after,
                          graph_change_fn *fn, void *arg, int64_t *ret_last)
{
    static struct sql_text q = SQL_TEXT(
        "select change, oid from ms_group where tenant = ?1 and change > ?2 union all select "
        "change, oid from ms_gone where tenant = ?1 and change > ?2 and kind = 'group' order by 1 "
        "limit 1");
    return walk(tx, &q, w, after, fn, arg, ret_last);
}

const struct graph_feed dir_users_feed = {
    .kind = CHANGED_USERS,
    .type = "#Microsoft.Graph.User",
    .scopes = "User.Read.All User.ReadWrite.All Directory.Read.All Directory.ReadWrite.All",
    .operations = 1u << OP_CHANGED | 1u << OP_REMOVED,
    .max_minutes = DAYS_29,
    .open = users_open,
    .may = may,
    .position = last_watched,
    .changes = users_changes};
const struct graph_feed dir_groups_feed = {
    .kind = CHANGED_GROUPS,
    .type = "#Microsoft.Graph.Group",
    .scopes = "Group.Read.All Group.ReadWrite.All Directory.Read.All Directory.ReadWrite.All",
    .operations = 1u << OP_CHANGED | 1u << OP_REMOVED,
    .max_minutes = DAYS_29,
    .open = groups_open,
    .may = may,
    .position = last_watched,
    .changes = groups_changes};
