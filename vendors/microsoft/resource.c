/* SPDX-License-Identifier: Apache-2.0 */
/* Whose resource a subscription names: "me/events", "/users/0d1e.../messages". */
#include "engine/base/codec.h"
#include "vendors/microsoft/directory/directory.h"
#include "vendors/microsoft/internal.h"
#include "vendors/microsoft/subscription.h"

const char *graph_resource_key(struct arena *a, const char **at)
{
    const char *p = *at, *end, *quote = "";
    size_t n;
    if (*p == '/') {
        p++;
        n = strcspn(p, "/?");
        end = p + n;
    } else if (*p == '(') {
        p++;
        quote = *p == '\'' ? "'" : "";
        p += *quote != 0;
        n = strcspn(p, *quote ? "'" : ")");
        end = p + n;
        end += *quote && *end;
        if (*end++ != ')')
            return NULL;
    } else {
        return NULL;
    }
    *at = end;
    return n ? arena_memdup(a, p, n) : NULL;
}

bool graph_resource_word(const char **at, const char *word)
{
    size_t n = strlen(word);
    const char *p = *at + (**at == '/');
    if (strncasecmp(p, word, n) != 0 || !strchr("/(?", p[n]))
        return false;
    *at = p + n;
    return true;
}

int graph_watcher_there(struct tx *tx, const struct graph_watcher *who)
{
    struct ms_user user;
    return who->app_only ? 1 : ms_user_of_actor(tx, who->actor.id, 0, &user);
}

/* 1, 0, -1. */
static int find_user(struct tx *tx, const struct graph_watcher *who, const char **at,
                     struct ms_user *ret)
{
    int64_t tenant = 0;
    if (graph_resource_word(at, "me"))
        return who->app_only ? 0
               : who->call   ? graph_caller_user(who->call, ret)
                             : ms_user_of_actor(tx, who->actor.id, 0, ret);
    if (!graph_resource_word(at, "users"))
        return 0;
    const char *key = graph_resource_key(tx->arena, at);
    int r = key && who->call ? graph_caller_tenant(who->call, &tenant) : key != NULL;
    return r == 1 ? ms_user_find(tx, key, tenant, ret) : r;
}

int graph_resource_user(struct tx *tx, const struct graph_watcher *who, const char *resource,
                        enum account_service service, struct graph_user *ret, const char **ret_rest)
{
    struct ms_user user;
    struct account account;
    struct actor actor;
    int r = find_user(tx, who, &resource, &user);
    if (r == 1)
        r = actor_by_id(tx, user.actor, &actor);
    const bool me = r == 1 && actor.id == who->actor.id && !who->app_only;
    if (r == 1)
        r = graph_account_of(tx, &user, service, me || !who->call, &account);
    if (r != 1)
        return r;
    *ret_rest = resource;
    if (graph_user_of(tx, &account, &actor, ret) < 0)
        return -1;
    ret->me = me;
    return 1;
}
