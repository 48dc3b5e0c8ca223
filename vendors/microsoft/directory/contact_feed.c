/* SPDX-License-Identifier: Apache-2.0 */
/* Contacts of a person, or of one of their folders, as what subscriptions watch. */
#include "engine/base/codec.h"
#include "engine/world/take.h"
#include "vendors/microsoft/directory/contact.h"
#include "vendors/microsoft/subscription.h"

/* "contacts", "contactFolders/x/contacts", "contactFolders/x/childFolders/y/contacts": 1 and the
 * folder as text ("": all of them), 0, -1. */
static int part_of(struct tx *tx, int64_t account, const char *rest, const char **ret)
{
    struct ms_contact_folder child;
    int64_t folder;
    int r = 1;
    *ret = "";
    if (graph_resource_word(&rest, "contactFolders")) {
        const char *key = graph_resource_key(tx->arena, &rest);
        r = key ? ms_contact_folder_named(tx, account, key, &folder) : 0;
        while (r == 1 && graph_resource_word(&rest, "childFolders")) {
            key = graph_resource_key(tx->arena, &rest);
            r = key ? ms_contact_folder_find(tx, account, key, &child) : 0;
            if (r == 1 && child.parent != folder)
                r = 0;
            if (r == 1)
                folder = child.id;
        }
        if (r == 1)
            *ret = arena_printf(tx->arena, "%lld", (long long)folder);
    }
    return r == 1 ? graph_resource_word(&rest, "contacts") && !*rest : r;
}

/* Another's contacts are an app's to see. */
static int feed_open(struct tx *tx, const struct graph_watcher *who, const char *resource,
                     struct graph_watch *ret)
{
    struct graph_user u;
    const char *rest, *part;
    int r = graph_resource_user(tx, who, resource, 0, &u, &rest);
    if (r == 1)
        r = part_of(tx, u.account.id, rest, &part);
    if (r != 1)
        return r;
    if (u.actor.id != who->actor.id && !who->app_only)
        return tx_fail(tx, SOSIA_E_FORBIDDEN, "ErrorAccessDenied", NULL,
                       "Access is denied. Check credentials and try again.");
    *ret = (struct graph_watch){
        .scope = u.account.id,
        .part = part,
        .path = arena_printf(tx->arena, "Users/%s@%s/Contacts", u.oid, u.tenant),
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
    static struct sql_text q =
        SQL_TEXT("select max(coalesce((select max(change) from ms_contact where account = "
                 ":account), 0), coalesce((select max(change) from ms_contact_gone where account = "
                 ":same), 0))");
    return TX_INT(tx, &q, ret, w->scope, w->scope) < 0 ? -1 : 0;
}

/* ---- changes ---- */

struct changed {
    int64_t contact; /* 0: it is gone */
    int64_t folder, made, change;
    const char *key;
};

/* What changed next after that number: 1, 0, -1. */
static int next_contact(struct tx *tx, int64_t account, int64_t after, struct changed *ret)
{
    static struct sql_text q = SQL_TEXT(
        "select id, coalesce(folder, 0), key, made, change from ms_contact where account = "
        ":account and change > :after union all select 0, folder, key, made, change from "
        "ms_contact_gone where account = :same and change > :again order by change limit 1");
    return TX_TAKE(tx, TX_QUERY(tx, &q, account, after, account, after), &ret->contact,
                   &ret->folder, &ret->key, &ret->made, &ret->change);
}

static int say(struct tx *tx, int64_t after, const struct changed *found, graph_change_fn *fn,
               void *arg)
{
    struct graph_change change = {.id = found->key};
    struct ms_contact row;
    if (!found->contact) {
        change.operation = OP_REMOVED;
        return found->made > after ? 0 : fn(arg, &change); /* made and deleted since */
    }
    if (ms_contact_get(tx, found->contact, &row) != 1)
        return -1;
    change.operation = found->made > after ? OP_ADDED : OP_CHANGED;
    change.etag = ms_contact_etag(tx->arena, &row);
    change.thing = &row;
    return fn(arg, &change);
}

static int feed_changes(struct tx *tx, const struct graph_watch *w, int64_t after,
                        graph_change_fn *fn, void *arg, int64_t *ret_last)
{
    const bool all = !*w->part;
    struct changed found;
    int64_t folder = 0;
    int r;
    *ret_last = after;
    if (!all && parse_i64(w->part, strlen(w->part), &folder) < 0)
        return 0;
    while ((r = next_contact(tx, w->scope, *ret_last, &found)) == 1) {
        *ret_last = found.change;
        if ((all || found.folder == folder) && (r = say(tx, after, &found, fn, arg)))
            return r;
    }
    return r;
}

static int feed_data(struct tx *tx, const struct graph_watcher *who, const struct graph_watch *w,
                     const struct graph_change *change, const struct odata_query *q,
                     struct json_writer *out)
{
    (void)who;
    (void)w;
    (void)q;
    if (!change->thing)
        return 0;
    return ms_contact_write(tx, change->thing, out) < 0 ? -1 : 1;
}

const struct graph_feed contacts_feed = {.kind = CHANGED_CONTACTS,
                                         .type = "#Microsoft.Graph.Contact",
                                         .scopes = "Contacts.Read Contacts.ReadWrite",
                                         .max_minutes = 10080,
                                         .max_minutes_data = 1440,
                                         .selected = true,
                                         .open = feed_open,
                                         .may = feed_may,
                                         .position = feed_position,
                                         .changes = feed_changes,
                                         .data = feed_data};
