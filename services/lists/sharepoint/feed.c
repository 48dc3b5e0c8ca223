/* SPDX-License-Identifier: Apache-2.0 */
/* Lists as what subscriptions watch: that something in one changed, and not what. Libraries are
 * lists too, whose changes are those of their files: the feed of drives has them. */
#include "services/lists/sharepoint/sharepoint.h"
#include "vendors/microsoft/sites/watched.h"

/* "sites/ID/lists/ID". */
static int feed_open(struct tx *tx, const struct graph_watcher *who, const char *resource,
                     struct graph_watch *ret)
{
    struct lists_list list;
    struct ms_tenant tenant;
    struct ms_site site;
    const char *rest = resource;
    int r = site_of_resource(tx, who, &rest, &site);
    const char *key =
        r == 1 && graph_resource_word(&rest, "lists") ? graph_resource_key(tx->arena, &rest) : NULL;
    if (!key || *rest)
        return r < 0 ? -1 : 0;
    r = lists_find(tx, site.key, key, &list);
    if (r == 1 && sp_is_of_library(&list))
        r = 0;
    if (r == 0)
        return tx_fail(tx, SOSIA_E_NOT_FOUND, "ExtensionError", NULL,
                       "Operation: Create; Exception: [Status Code: NotFound; Reason: The "
                       "specified list was not found]");
    if (r == 1)
        r = site_watch_open(tx, who, &site, SITES_WATCH_LISTS);
    if (r == 1)
        r = ms_tenant_get(tx, site.tenant, &tenant);
    if (r == 1)
        *ret = (struct graph_watch){.scope = list.id,
                                    .part = site.key,
                                    .path = resource + (*resource == '/'),
                                    .tenant = tenant.guid};
    return r;
}

static int feed_may(struct tx *tx, const struct graph_watcher *who, const struct graph_watch *w)
{
    struct lists_list list;
    struct ms_site site;
    int r = graph_watcher_there(tx, who);
    if (r == 1)
        r = lists_get(tx, w->scope, &list);
    if (r == 1)
        r = ms_site_by_key(tx, w->part, &site);
    return r == 1 ? site_may_watch(tx, who, &site) : r;
}

static int feed_position(struct tx *tx, const struct graph_watch *w, int64_t *ret)
{
    return lists_newest(tx, w->scope, ret);
}

/* One change is enough, whatever there are. */
static int feed_changes(struct tx *tx, const struct graph_watch *w, int64_t after,
                        graph_change_fn *fn, void *arg, int64_t *ret_last)
{
    static const struct graph_change something = {.operation = OP_CHANGED};
    if (lists_newest(tx, w->scope, ret_last) < 0)
        return -1;
    return *ret_last > after ? fn(arg, &something) : 0;
}

const struct graph_feed sp_feed = {.kind = LISTS_CHANGED,
                                   .type = "#Microsoft.Graph.ListItem",
                                   .scopes = SITES_WATCH_LISTS,
                                   .operations = 1 << OP_CHANGED,
                                   .max_minutes = 42300,
                                   .open = feed_open,
                                   .may = feed_may,
                                   .position = feed_position,
                                   .changes = feed_changes};
