/* SPDX-License-Identifier: Apache-2.0 */
/* The folders of a team's channels, in the library of its group's site; private and shared
 * channels have sites of their own. */
#include "services/drive/onedrive/channel_folder.h"
#include "services/drive/onedrive/onedrive.h"
#include "vendors/microsoft/folder.h"

#define LIBRARY "Shared Documents"

/* Letters and digits of a name, as they are in addresses. */
static const char *in_path(struct arena *a, const char *name)
{
    char *text = arena_strdup(a, name);
    size_t n = 0;
    for (const char *p = name; text && *p; p++)
        if ((*p >= '0' && *p <= '9') || (*p >= 'A' && *p <= 'Z') || (*p >= 'a' && *p <= 'z'))
            text[n++] = *p;
    if (text)
        text[n] = '\0';
    return text ? text : "";
}

/* A path that no site of the tenant has: "/sites/pier", "/sites/pier2"; of a channel
 * "/sites/pier-Docks". NULL: failed. */
static const char *free_path(struct tx *tx, const struct ms_tenant *tenant,
                             const struct ms_group *group, const char *channel)
{
    struct arena *a = tx->arena;
    const char *base =
        arena_printf(a, "/sites/%.*s%s%s", (int)strcspn(group->email, "@"), group->email,
                     channel ? "-" : "", channel ? in_path(a, channel) : "");
    struct ms_site other;
    for (int number = 1;; number++) {
        const char *path = number == 1 ? base : arena_printf(a, "%s%d", base, number);
        int r = arena_failed(tx->arena) ? -1 : ms_site_by_path(tx, tenant, path, &other);
        if (r != 1)
            return r < 0 ? NULL : path;
    }
}

/* The site of a group, or of a channel of its team: it is made with its first library if there is
 * none. name: the channel's. 0, -1. */
static int settle_site(struct call *c, const struct ms_group *group, const char *channel,
                       const char *name, struct ms_library *ret)
{
    struct tx *tx = &c->tx;
    struct ms_tenant tenant;
    struct ms_site site;
    int r =
        channel ? ms_site_of_channel(tx, channel, &site) : ms_site_of_group(tx, group->id, &site);
    if (r == 0) {
        if (ms_tenant_get(tx, group->tenant, &tenant) != 1)
            return -1;
        site = (struct ms_site){
            .tenant = group->tenant,
            .team = channel ? 0 : group->id,
            .channel = channel,
            .path = free_path(tx, &tenant, group, channel ? name : NULL),
            .name = channel ? arena_printf(tx->arena, "%s-%s", group->name, name) : group->name,
            .everyone = SITE_NONE,
            .made_us = tx->now_us,
            .changed_us = tx->now_us};
        r = !site.path || ms_site_new(tx, &site) < 0 ? -1 : ms_site_get(tx, site.id, &site);
    }
    if (r == 1)
        r = ms_library_next(tx, site.id, 0, ret);
    if (r == 0) {
        *ret = (struct ms_library){.name = LIBRARY, .title = "Documents", .made_us = tx->now_us};
        r = ms_library_new(tx, &site, NULL, ret);
        r = r < 0 ? -1 : 1;
    }
    return r == 1 ? 0 : -1;
}

/* The folder of the name at the top, which is made if there is none. 0, -1. */
static int settle_folder(struct onedrive_at *at, const char *name, struct drive_item *ret)
{
    struct call *c = at->c;
    int r = drive_child_by_name(&c->tx, &at->root, name, ret);
    if (r == 1)
        return ret->form != DRIVE_FOLDER ? onedrive_not_found(c)
                                         : onedrive_may(at, ret, ROLE_READER);
    if (r < 0 || onedrive_may(at, &at->root, ROLE_READER) < 0)
        return -1;
    *ret = (struct drive_item){.form = DRIVE_FOLDER, .name = name, .mime = DRIVE_MIME_FOLDER};
    return onedrive_add(at, &at->root, CONFLICT_FAIL, ret);
}

static int folder(struct call *c, const struct ms_group *group, const char *channel,
                  const char *name, const char *context)
{
    struct ms_library library;
    struct onedrive_at at;
    struct graph_user user;
    struct drive_item it;
    if (settle_site(c, group, channel, name, &library) < 0 ||
        onedrive_library_user(&c->tx, &library, &user) != 1 ||
        onedrive_open_of(c, &user, &at) < 0 || settle_folder(&at, name, &it) < 0)
        return -1;
    json_obj(c->out, NULL);
    graph_context(c, "%s", context);
    int r = onedrive_write_members(&at, &it);
    json_end(c->out);
    return r;
}

static const struct graph_files files = {.folder = folder};
static const struct core_policy policies[] = {{GRAPH_FILES, "microsoft", &files},
                                              {NULL, NULL, NULL}};

const struct sosia_core onedrive_folder_core = {
    .name = "drive.onedrive.folder",
    .schema = "",
    .policies = policies,
};
