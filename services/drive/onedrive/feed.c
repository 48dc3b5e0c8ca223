/* SPDX-License-Identifier: Apache-2.0 */
/* A drive as what subscriptions watch: that something in it changed, and not what (MG-159). */
#include "services/drive/core/feed.h"
#include "services/drive/onedrive/onedrive.h"
#include "vendors/microsoft/subscription.h"

/* "me/drive/root", "users/ID/drive/root", "drives/ID/root". 1, 0, -1. */
static int find_owner(struct tx *tx, const struct graph_watcher *who, const char *resource,
                      struct graph_user *ret)
{
    const char *rest = resource;
    bool is_drive = graph_resource_word(&rest, "drives");
    const char *key = is_drive ? graph_resource_key(tx->arena, &rest) : NULL;
    int r = 0;
    if (is_drive) {
        const char *oid = key ? onedrive_drive_owner(tx->arena, key) : NULL;
        r = oid && who->call ? graph_user_with(who->call, oid, ACCOUNT_DRIVE, ret) : 0;
        if (r == 0 && oid && !who->call) {
            const char *path = arena_printf(tx->arena, "users/%s", oid), *end;
            r = graph_resource_user(tx, who, path, ACCOUNT_DRIVE, ret, &end);
        }
    } else {
        r = graph_resource_user(tx, who, resource, ACCOUNT_DRIVE, ret, &rest);
        if (r == 1 && !graph_resource_word(&rest, "drive"))
            r = 0;
    }
    if (r == 1 && (!graph_resource_word(&rest, "root") || (*rest && strcmp(rest, "/") != 0)))
        r = 0;
    return r;
}

static int feed_open(struct tx *tx, const struct graph_watcher *who, const char *resource,
                     struct graph_watch *ret)
{
    struct graph_user u;
    int r = find_owner(tx, who, resource, &u);
    if (r != 1)
        return r;
    if (!who->app_only && who->actor.id != u.actor.id)
        return tx_fail(tx, SOSIA_E_FORBIDDEN, "accessDenied", NULL, "Access denied");
    *ret = (struct graph_watch){
        .scope = u.actor.id, .part = "", .path = resource + (*resource == '/'), .tenant = u.tenant};
    return 1;
}

static int feed_may(struct tx *tx, const struct graph_watcher *who, const struct graph_watch *w)
{
    (void)w;
    return graph_watcher_there(tx, who);
}

static int feed_position(struct tx *tx, const struct graph_watch *w, int64_t *ret)
{
    (void)w;
    return drive_change_newest(tx, ret);
}

/* The first change that is of this drive is told, whatever there are. */
static int feed_changes(struct tx *tx, const struct graph_watch *w, int64_t after,
                        graph_change_fn *fn, void *arg, int64_t *ret_last)
{
    static const struct graph_change something = {.operation = OP_CHANGED};
    struct drive_feed_entry *entries;
    struct drive_viewer viewer;
    struct actor owner;
    int64_t next;
    size_t n;
    *ret_last = after;
    int r = actor_by_id(tx, w->scope, &owner);
    if (r != 1)
        return r;
    drive_viewer(tx, &owner, &viewer);
    const struct drive_feed q = {
        .viewer = &viewer, .from = after + 1, .limit = 1, .own_only = true, .removed = true};
    if (drive_feed_read(&q, &entries, &n, &next) < 0 || drive_change_newest(tx, ret_last) < 0)
        return -1;
    return n ? fn(arg, &something) : 0;
}

const struct graph_feed onedrive_feed = {.kind = CHANGED_FEED,
                                         .type = "#Microsoft.Graph.DriveItem",
                                         .scopes = ONEDRIVE_READ,
                                         .operations = 1 << OP_CHANGED,
                                         .max_minutes = 42300,
                                         .open = feed_open,
                                         .may = feed_may,
                                         .position = feed_position,
                                         .changes = feed_changes};
