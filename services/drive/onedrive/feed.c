/* SPDX-License-Identifier: Apache-2.0 */
/* Drives and libraries as what subscriptions watch: that something in them changed, and not what
 * (MG-159). */
#include "engine/base/codec.h"
#include "services/drive/core/feed.h"
#include "services/drive/onedrive/onedrive.h"
#include "vendors/microsoft/sites/watched.h"

enum { PAGE = 100 }; /* changes that are looked at together */

/* What parts of watches begin with, before a GUID or an id; a whole drive of a person's has none.
 */
#define LIBRARY "library:" /* its files */
#define LISTED  "list:"    /* the same, as items of a list */
#define FOLDER  "folder:"  /* of a personal drive */

static int denied(struct tx *tx)
{
    return tx_fail(tx, SOSIA_E_FORBIDDEN, "accessDenied", NULL, "Access denied");
}

/* ---- libraries ---- */

static int watch_library(struct tx *tx, const struct graph_watcher *who,
                         const struct ms_library *library, const char *part,
                         struct graph_watch *ret)
{
    struct graph_user u;
    struct ms_site site;
    int r = ms_site_get(tx, library->site, &site);
    if (r == 1)
        r = site_watch_open(tx, who, &site, SITES_WATCH_FILES);
    if (r == 1)
        r = onedrive_library_user(tx, library, &u);
    if (r == 1)
        *ret = (struct graph_watch){.scope = u.actor.id,
                                    .part = ARENA_JOIN(tx->arena, part, library->key),
                                    .tenant = u.tenant};
    return r;
}

/* "/drive/root", "/drives/ID/root", "/lists/ID" of a site or a group. 1, 0, -1. */
static int open_of_site(struct tx *tx, const struct graph_watcher *who, const struct ms_site *site,
                        const char *rest, struct graph_watch *ret)
{
    const bool listed = graph_resource_word(&rest, "lists");
    const bool named = !listed && graph_resource_word(&rest, "drives");
    struct ms_library library;
    int r = 0;
    if (listed || named) {
        const char *key = graph_resource_key(tx->arena, &rest);
        r = !key     ? 0
            : listed ? ms_library_find(tx, site->id, key, &library)
                     : onedrive_library_find(tx, key, &library);
    } else if (graph_resource_word(&rest, "drive")) {
        r = ms_library_next(tx, site->id, 0, &library);
    }
    if (r != 1 || library.site != site->id || (!listed && !graph_resource_word(&rest, "root")) ||
        *rest)
        return r < 0 ? -1 : 0;
    return watch_library(tx, who, &library, listed ? LISTED : LIBRARY, ret);
}

/* ---- drives of people ---- */

/* Whose drive an id names. 1, 0, -1. */
static int owner_of(struct tx *tx, const struct graph_watcher *who, const char *drive,
                    struct graph_user *ret)
{
    const char *oid = onedrive_drive_owner(tx->arena, drive), *end;
    struct ms_user user;
    if (onedrive_is_personal_id(drive)) {
        int r = ms_user_of_consumer(tx, drive, &user);
        if (r != 1)
            return r;
        oid = user.oid;
    }
    if (!oid)
        return 0;
    return who->call ? graph_user_with(who->call, oid, ACCOUNT_DRIVE, ret)
                     : graph_resource_user(tx, who, ARENA_JOIN(tx->arena, "users/", oid),
                                           ACCOUNT_DRIVE, ret, &end);
}

/* The item that follows the drive: "/root", "/root:/a/b:", "/items/ID". 1, 0, -1. */
static int find_folder(struct tx *tx, const struct drive_item *root, const char *rest,
                       struct drive_item *ret)
{
    char *path;
    size_t n;
    if (graph_resource_word(&rest, "items")) {
        const char *key = graph_resource_key(tx->arena, &rest);
        int r = key && !*rest ? drive_item_by_key(tx, key, ret) : 0;
        return r == 1 ? drive_is_under(tx, ret->id, root->id) : r;
    }
    if (!str_starts(rest, "/root:/"))
        return 0;
    rest += strlen("/root:");
    n = strcspn(rest, ":");
    if (rest[n] && rest[n + 1])
        return 0;
    return percent_decode(tx->arena, rest, n, false, &path, &n) < 0
               ? 0
               : drive_item_by_path(tx, root, path, ret, NULL);
}

/* What is watched in a person's drive: all of it or, of a consumer's, a folder. 1, 0, -1. */
static int open_person(struct tx *tx, const struct graph_watcher *who, const struct graph_user *u,
                       const char *rest, struct graph_watch *ret)
{
    struct drive_item root, folder = {.id = 0};
    struct ms_tenant tenant;
    const char *end = rest;
    const bool all = graph_resource_word(&end, "root") && !*end;
    int r = all ? 1 : ms_tenant_find(tx, u->tenant, &tenant);
    if (!all && r == 1)
        r = tenant.consumer ? drive_root_of(tx, &u->account, &root) : 0;
    if (!all && r == 1)
        r = find_folder(tx, &root, rest, &folder);
    if (r != 1 || (!all && folder.form != DRIVE_FOLDER))
        return r < 0 ? -1 : 0;
    if (!who->app_only && who->actor.id != u->actor.id)
        return denied(tx);
    *ret = (struct graph_watch){.scope = u->actor.id,
                                .part = all ? "" : ARENA_JOIN(tx->arena, FOLDER, folder.key),
                                .tenant = u->tenant};
    return 1;
}

/* ---- the feed ---- */

static int feed_open(struct tx *tx, const struct graph_watcher *who, const char *resource,
                     struct graph_watch *ret)
{
    struct ms_library library;
    struct graph_user u;
    struct ms_site site;
    const char *rest = resource, *end;
    int r = site_of_resource(tx, who, &rest, &site);
    if (r == 1) {
        r = open_of_site(tx, who, &site, rest, ret);
    } else if (r == 0 && graph_resource_word(&rest, "drives")) {
        const char *drive = graph_resource_key(tx->arena, &rest);
        end = rest;
        r = !drive      ? 0
            : who->call ? onedrive_library_of_drive(who->call, drive, &library)
                        : onedrive_library_find(tx, drive, &library);
        if (r == 1)
            r = graph_resource_word(&end, "root") && !*end
                    ? watch_library(tx, who, &library, LIBRARY, ret)
                    : 0;
        else if (r == 0 && drive && (r = owner_of(tx, who, drive, &u)) == 1)
            r = open_person(tx, who, &u, rest, ret);
    } else if (r == 0) {
        r = graph_resource_user(tx, who, resource, ACCOUNT_DRIVE, &u, &rest);
        if (r == 1)
            r = graph_resource_word(&rest, "drive") ? open_person(tx, who, &u, rest, ret) : 0;
    }
    if (r == 1)
        ret->path = resource + (*resource == '/');
    return r;
}

static int feed_may(struct tx *tx, const struct graph_watcher *who, const struct graph_watch *w)
{
    const char *key = strchr(w->part, ':');
    struct ms_library library;
    struct ms_site site;
    int r = graph_watcher_there(tx, who);
    if (r != 1 || !key || str_starts(w->part, FOLDER))
        return r;
    r = ms_library_by_key(tx, key + 1, &library);
    if (r == 1)
        r = ms_site_get(tx, library.site, &site);
    return r == 1 ? site_may_watch(tx, who, &site) : r;
}

static int feed_position(struct tx *tx, const struct graph_watch *w, int64_t *ret)
{
    (void)w;
    return drive_change_newest(tx, ret);
}

/* Is one of these in the folder? What is gone for good may have been. 1, 0, -1. */
static int is_any_under(struct tx *tx, const struct drive_feed_entry *entries, size_t n,
                        int64_t folder)
{
    int r = 0;
    for (size_t i = 0; r == 0 && i < n; i++)
        r = entries[i].removed || !entries[i].item.id
                ? 1
                : drive_is_under(tx, entries[i].item.id, folder);
    return r;
}

/* The first change that is of this drive is enough, whatever there are. */
static int feed_changes(struct tx *tx, const struct graph_watch *w, int64_t after,
                        graph_change_fn *fn, void *arg, int64_t *ret_last)
{
    const struct graph_change something = {
        .operation = OP_CHANGED,
        .type = str_starts(w->part, LISTED) ? "#Microsoft.Graph.ListItem" : NULL};
    const bool in_folder = str_starts(w->part, FOLDER);
    struct drive_feed_entry *entries;
    struct drive_viewer viewer;
    struct drive_item folder = {.id = 0};
    struct actor owner;
    size_t n;
    *ret_last = after;
    int r = actor_by_id(tx, w->scope, &owner);
    if (r == 1 && in_folder)
        r = drive_item_by_key(tx, w->part + strlen(FOLDER), &folder);
    if (r != 1)
        return r;
    drive_viewer(tx, &owner, &viewer);
    struct drive_feed q = {.viewer = &viewer,
                           .from = after + 1,
                           .limit = in_folder ? PAGE : 1,
                           .own_only = true,
                           .removed = true};
    int found = 0;
    for (int64_t next = 1; next && !found; q.from = next) {
        if (drive_feed_read(&q, &entries, &n, &next) < 0)
            return -1;
        found = in_folder ? is_any_under(tx, entries, n, folder.id) : n > 0;
    }
    if (found < 0 || drive_change_newest(tx, ret_last) < 0)
        return -1;
    return found ? fn(arg, &something) : 0;
}

const struct graph_feed onedrive_feed = {.kind = CHANGED_FEED,
                                         .type = "#Microsoft.Graph.DriveItem",
                                         .scopes = ONEDRIVE_READ " Sites.Manage.All "
                                                                 "Sites.FullControl.All",
                                         .operations = 1 << OP_CHANGED,
                                         .max_minutes = 42300,
                                         .open = feed_open,
                                         .may = feed_may,
                                         .position = feed_position,
                                         .changes = feed_changes};
