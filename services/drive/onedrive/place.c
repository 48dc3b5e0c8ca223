/* SPDX-License-Identifier: Apache-2.0 */
/* Items by what a path says: an id, a special folder, the root, and names below it. */
#include "engine/base/codec.h"
#include "engine/base/utf8.h"
#include "identity/app.h"
#include "services/drive/onedrive/onedrive.h"

/* ---- special folders ---- */

/* A folder below one, which is made by a call that writes. */
static int get_folder(struct onedrive_at *at, const struct drive_item *above, const char *name,
                      struct drive_item *ret)
{
    int r = drive_child_by_name(&at->c->tx, above, name, ret);
    if (r == 0 && at->c->tx.write)
        return onedrive_may(at, above, ROLE_WRITER) < 0
                   ? -1
                   : onedrive_make_folder(at, above, name, ret);
    return r == 1 ? 0 : r < 0 ? -1 : onedrive_not_found(at->c);
}

static int find_special(struct onedrive_at *at, struct drive_item *ret)
{
    const char *name = param_str(at->c, "special-id"), *folder = onedrive_special_folder(name);
    struct drive_item apps;
    struct ident_app app;
    if (!folder)
        return onedrive_not_found(at->c);
    if (!str_eq_nocase(name, "approot"))
        return get_folder(at, &at->root, folder, ret);
    int r = at->c->app ? app_get(&at->c->tx, at->c->app, &app) : 0;
    if (r < 0 || get_folder(at, &at->root, folder, &apps) < 0)
        return -1;
    return get_folder(at, &apps, r && *app.name ? app.name : "Graph", ret);
}

/* What the path begins at: an id, a special folder, or the root. */
static int find_start(struct onedrive_at *at, struct drive_item *ret)
{
    const char *id = param_str(at->c, "driveItem-id"), *number = param_str(at->c, "listItem-id");
    if (id)
        return onedrive_find(at, id, ret);
    if (number)
        return onedrive_find_listed(at, number, ret);
    if (param_given(at->c, "special-id"))
        return find_special(at, ret);
    *ret = at->root;
    return 0;
}

static int check_path(struct call *c, const char *path)
{
    return utf8_count(path, strlen(path)) > ONEDRIVE_PATH
               ? onedrive_invalid(c, "The specified path is too long.")
               : 0;
}

int onedrive_item(struct onedrive_at *at, enum drive_role need, struct drive_item *ret)
{
    const char *path = param_str(at->c, "item-path");
    struct drive_item start;
    if (!path)
        return find_start(at, ret) < 0 ? -1 : onedrive_may(at, ret, need);
    if (check_path(at->c, path) < 0 || find_start(at, &start) < 0)
        return -1;
    int r = drive_item_by_path(&at->c->tx, &start, path, ret, NULL);
    return r == 1 ? onedrive_may(at, ret, need) : r < 0 ? -1 : onedrive_not_found(at->c);
}

/* Folders on the way that are not there are made, as the service does. 0, -1. */
static int make_way(struct onedrive_at *at, struct drive_item *folder, const char **rest)
{
    const char *slash;
    while ((slash = strchr(*rest, '/')) && slash[strspn(slash, "/")]) {
        const char *name = arena_memdup(at->c->tx.arena, *rest, (size_t)(slash - *rest));
        if (onedrive_make_folder(at, folder, name, folder) < 0)
            return -1;
        *rest = slash + strspn(slash, "/");
    }
    return 0;
}

int onedrive_place(struct onedrive_at *at, struct drive_item *ret_folder, const char **ret_name,
                   struct drive_item *ret_item)
{
    const char *path = param_str(at->c, "item-path"), *rest;
    struct drive_item start, found;
    if (find_start(at, &start) < 0)
        return -1;
    if (!path) {
        *ret_item = start;
        return onedrive_may(at, ret_item, ROLE_WRITER) < 0 ? -1 : 1;
    }
    if (check_path(at->c, path) < 0)
        return -1;
    int r = drive_item_by_path(&at->c->tx, &start, path, &found, &rest);
    if (r == 1)
        *ret_item = found;
    if (r < 0 || onedrive_may(at, &found, ROLE_WRITER) < 0)
        return -1;
    if (r == 1)
        return 1;
    if (found.form != DRIVE_FOLDER)
        return onedrive_not_found(at->c);
    *ret_folder = found;
    if (make_way(at, ret_folder, &rest) < 0)
        return -1;
    *ret_name = arena_memdup(at->c->tx.arena, rest, strcspn(rest, "/"));
    return arena_failed(at->c->tx.arena) ? sosia_fail_memory(at->c->tx.err) : 0;
}
