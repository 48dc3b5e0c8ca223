/* SPDX-License-Identifier: Apache-2.0 */
/* Tasks of a list as what subscriptions watch. */
#include "services/tasks/todo/todo.h"
#include "vendors/microsoft/subscription.h"
#include "engine/base/codec.h"

/* "/todo/lists/x/tasks": 1 and the list, 0, -1. */
static int list_of(struct tx *tx, int64_t account, const char *rest, struct task_list *ret)
{
    if (!graph_resource_word(&rest, "todo") || !graph_resource_word(&rest, "lists"))
        return 0;
    const char *key = graph_resource_key(tx->arena, &rest);
    if (!key || !graph_resource_word(&rest, "tasks") || *rest)
        return 0;
    int r = todo_list_named(tx, account, key, ret);
    return r ? r
             : tx_fail(tx, SOSIA_E_NOT_FOUND, "ErrorItemNotFound", NULL,
                       "The specified object was not found in the store.");
}

static int feed_open(struct tx *tx, const struct graph_watcher *who, const char *resource,
                     struct graph_watch *ret)
{
    struct task_list list;
    struct graph_user u;
    const char *rest;
    int r = graph_resource_user(tx, who, resource, 0, &u, &rest);
    if (r == 1)
        r = list_of(tx, u.account.id, rest, &list);
    if (r != 1)
        return r;
    if (u.actor.id != who->actor.id && !who->app_only)
        return tx_fail(tx, SOSIA_E_FORBIDDEN, "accessDenied", NULL,
                       "Access is denied. Check credentials and try again.");
    *ret = (struct graph_watch){
        .scope = u.account.id,
        .part = list.key,
        .path = arena_printf(tx->arena, "Users/%s/todo/lists/%s/tasks", u.oid, list.key),
        .tenant = u.tenant};
    return 1;
}

static int feed_may(struct tx *tx, const struct graph_watcher *who, const struct graph_watch *w)
{
    (void)w;
    return graph_watcher_there(tx, who);
}

static int feed_position(struct tx *tx, const struct graph_watch *w, int64_t *ret)
{
    return task_last_change(tx, w->scope, ret);
}

static int say(struct tx *tx, int64_t after, const struct task_change *found, graph_change_fn *fn,
               void *arg)
{
    struct graph_change change = {.id = found->key, .operation = OP_REMOVED};
    struct task t;
    if (!found->id)
        return found->made > after ? 0 : fn(arg, &change); /* made and deleted since */
    if (task_get(tx, found->id, &t) != 1)
        return -1;
    change.operation = found->made > after ? OP_ADDED : OP_CHANGED;
    change.thing = &t;
    return fn(arg, &change);
}

static int feed_changes(struct tx *tx, const struct graph_watch *w, int64_t after,
                        graph_change_fn *fn, void *arg, int64_t *ret_last)
{
    struct task_change found;
    struct task_list list;
    *ret_last = after;
    int r = todo_list_named(tx, w->scope, w->part, &list);
    if (r != 1 || !list.id)
        return r < 0 ? -1 : 0;
    while ((r = task_next_change(tx, w->scope, list.id, *ret_last, false, &found)) == 1) {
        *ret_last = found.change;
        if ((r = say(tx, after, &found, fn, arg)))
            return r;
    }
    return r;
}

const struct graph_feed todo_feed = {.kind = TASK_CHANGED,
                                     .type = "#Microsoft.Graph.todoTask",
                                     .scopes = "Tasks.Read Tasks.ReadWrite Tasks.Read.All "
                                               "Tasks.ReadWrite.All",
                                     .max_minutes = 4230,
                                     .open = feed_open,
                                     .may = feed_may,
                                     .position = feed_position,
                                     .changes = feed_changes};
