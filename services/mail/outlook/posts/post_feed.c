/* SPDX-License-Identifier: Apache-2.0 */
/* Conversations of a group as what subscriptions watch: "groups/ID/conversations". */
#include "engine/base/codec.h"
#include "services/mail/outlook/posts/post.h"
#include "vendors/microsoft/directory/directory.h"
#include "vendors/microsoft/store_id.h"
#include "vendors/microsoft/subscription.h"

enum { MINUTES = 4230 };

/* Members and owners read, and of a public group all users of its tenant but guests. Apps by
 * themselves do not watch conversations, though they read them. 1, 0, -1. */
static int reads(struct tx *tx, const struct graph_watcher *who, const struct ms_group *group)
{
    struct ms_user user;
    const char *address;
    if (who->app_only)
        return 0;
    int r = ms_user_of_actor(tx, who->actor.id, group->tenant, &user);
    if (r != 1 || (!user.guest && (!group->visibility || strcmp(group->visibility, "Public") == 0)))
        return r;
    if (ms_user_address(tx, &user, &address) < 0)
        return -1;
    r = group_has_member(tx, group->addresses, address);
    return r == 0 ? ms_owner_is(tx, group->id, user.id) : r;
}

static int conversations_open(struct tx *tx, const struct graph_watcher *who, const char *resource,
                              struct graph_watch *ret)
{
    struct ms_tenant tenant;
    struct ms_group group;
    int64_t own = 0;
    const char *key;
    if (!graph_resource_word(&resource, "groups") ||
        !(key = graph_resource_key(tx->arena, &resource)) ||
        !graph_resource_word(&resource, "conversations") || (*resource && *resource != '?'))
        return 0;
    int r = who->call ? graph_caller_tenant(who->call, &own) : 1;
    if (r == 1)
        r = ms_group_find(tx, key, own, &group);
    if (r == 1 && !group.unified)
        r = 0;
    if (r == 1)
        r = ms_tenant_get(tx, group.tenant, &tenant);
    if (r != 1)
        return r;
    r = reads(tx, who, &group);
    if (r == 0)
        return tx_fail(tx, SOSIA_E_FORBIDDEN, "ErrorAccessDenied", NULL,
                       "Access is denied. Check credentials and try again.");
    *ret =
        (struct graph_watch){.scope = group.addresses,
                             .part = group.email,
                             .path = arena_printf(tx->arena, "Groups/%s/Conversations", group.oid),
                             .tenant = tenant.guid};
    return r;
}

static int conversations_may(struct tx *tx, const struct graph_watcher *who,
                             const struct graph_watch *w)
{
    struct ms_group group;
    int r = ms_group_of(tx, w->scope, &group);
    return r == 1 ? reads(tx, who, &group) : r;
}

static int conversations_position(struct tx *tx, const struct graph_watch *w, int64_t *ret)
{
    static struct sql_text q =
        SQL_TEXT("select coalesce(max(change), 0) from outlook_conversation where team = :team");
    return TX_INT(tx, &q, ret, w->part) < 0 ? -1 : 0;
}

static int conversations_changes(struct tx *tx, const struct graph_watch *w, int64_t after,
                                 graph_change_fn *fn, void *arg, int64_t *ret_last)
{
    static struct sql_text q =
        SQL_TEXT("select key, change, made, gone from outlook_conversation where team = :team and "
                 "change > :after order by change limit 1");
    struct graph_store store;
    struct outlook_box box = {.basic = false};
    sqlite3_stmt *st;
    int r;
    *ret_last = after;
    graph_store_of(tx->arena, w->tenant, w->part, &store);
    memcpy(box.guid, store.mailbox, sizeof store.mailbox);
    memcpy(box.provider, store.provider, sizeof box.provider);
    memcpy(box.store, store.replica, sizeof box.store);
    while ((r = TX_ROW(tx, &q, &st, w->part, *ret_last)) == 1) {
        const int64_t key = sqlite3_column_int64(st, 0), made = sqlite3_column_int64(st, 2);
        const bool gone = sqlite3_column_int(st, 3) != 0;
        *ret_last = sqlite3_column_int64(st, 1);
        sql_done(st);
        if (gone && made > after)
            continue;
        const struct graph_change change = {.operation = gone           ? OP_REMOVED
                                                         : made > after ? OP_ADDED
                                                                        : OP_CHANGED,
                                            .id = outlook_conversation_id(tx->arena, &box, key)};
        if ((r = fn(arg, &change)))
            return r;
    }
    return r;
}

const struct graph_feed outlook_conversation_feed = {
    .kind = CHANGED_CONVERSATIONS,
    .type = "#Microsoft.Graph.Conversation",
    .scopes = "Group-Conversation.Read.All Group-Conversation.ReadWrite.All Group.Read.All "
              "Group.ReadWrite.All",
    .max_minutes = MINUTES,
    .open = conversations_open,
    .may = conversations_may,
    .position = conversations_position,
    .changes = conversations_changes};
