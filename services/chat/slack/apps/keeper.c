/* SPDX-License-Identifier: Apache-2.0 */
/* What the keeper of an app sets beside its manifest: its picture, and who may use it if another
 * app manages it. Facts: the reference's pages of apps.icon.set and apps.managed.permissions.set.
 */
#include "engine/base/codec.h"
#include "engine/blob/blob.h"
#include "engine/blob/picture.h"
#include "engine/http/bytes.h"
#include "services/chat/slack/apps/manifest.h"
#include "services/chat/slack/web/oauth.h"

enum { ICON_LEAST = 512, ICON_MOST = 2000 }; /* pixels */

/* ---- apps.icon.set ---- */

static const struct query_item *file_part(const struct call *c)
{
    for (size_t i = 0; i < c->n_items; i++)
        if (c->items[i].place == IN_PART && strcmp(c->items[i].name, "file") == 0)
            return &c->items[i];
    return NULL;
}

static const char *icon_fault(const void *data, size_t n)
{
    struct picture p;
    if (!picture_read(data, n, &p))
        return "error_bad_format";
    bool fits = p.width >= ICON_LEAST && p.width <= ICON_MOST && p.height >= ICON_LEAST &&
                p.height <= ICON_MOST;
    return fits ? NULL : "invalid_icon_size";
}

/* The picture becomes the one of a bot; *ret_icon: its address. */
static int give_bot(struct call *c, const struct chat_install *i, const struct bytes *bytes,
                    const char **ret_icon)
{
    static const char *const changed[] = {"photo", NULL};
    struct chat_workspace w;
    struct chat_user u;
    struct blob blob;
    if (chat_user_get(&c->tx, i->user, &u) != 1 ||
        chat_workspace_get(&c->tx, i->workspace, &w) != 1 ||
        bytes_blob(&c->tx, bytes, 0, &blob) < 0 || (u.photo && blob_unref(&c->tx, u.photo) < 0))
        return -1;
    u.photo = blob.id;
    *ret_icon = arena_printf(c->tx.arena, "https://avatars.slack-edge.com/avatars/%s-%s-%s_72",
                             w.key, u.key, sl_photo_hash(c, &u));
    return chat_user_save(&c->tx, &u, changed);
}

static int take_file(struct call *c, struct chat_app *a, const struct query_item *file)
{
    struct bytes bytes = {.len = (int64_t)file->len, .data = file->text};
    const char *why = icon_fault(file->text, file->len);
    struct chat_install i = {0};
    int r;
    if (why)
        return slack_fail(c, why);
    while ((r = chat_install_next(&c->tx, a->app, i.id, &i)) == 1)
        if (!i.deleted && i.user && give_bot(c, &i, &bytes, &a->icon) < 0)
            return -1;
    return r;
}

static int apps_icon_set(struct call *c)
{
    const struct query_item *file = file_part(c);
    const char *url = param_str(c, "url");
    bool has_url = url && *url;
    struct chat_app a;
    if (sl_kept_app_or(c, param_str(c, "app_id"), "invalid_app", "access_denied", &a) < 0)
        return -1;
    if (!file && !has_url)
        return slack_fail(c, "missing_arguments");
    if (file && has_url)
        return slack_fail(c, "invalid_parameters");
    if (has_url && !str_starts(url, "https://") && !str_starts(url, "http://"))
        return slack_fail(c, "error_bad_format");
    if (has_url)
        a.icon = url;
    else if (take_file(c, &a, file) < 0)
        return -1;
    return chat_app_save(&c->tx, &a) < 0 ? -1 : slack_ok(c);
}

/* ---- apps.managed.permissions.set ---- */

/* No app here manages others, so that no token is one of those that the method is for. */
static int apps_managed_permissions_set(struct call *c)
{
    return slack_fail(c, "access_denied");
}

/* ---- rows ---- */

static const struct param icon_params[] = {
    SL_NEEDED("app_id"), SL_ARG("url", .summary = "Address of the picture"), SL_ARG("file")};
static const struct param managed_params[] = {
    SL_NEEDED("app_id"),
    SL_NEEDED("permissions", SL_WORDS("everyone", "app_owner"), .summary = "Who may use the app")};

static const struct route methods[] = {
    {SL_METHOD("apps.icon.set"), .handler = apps_icon_set, .risk = RISK_WRITE, .idempotent = true,
     SL_CONFIGURING("write"), PARAMS(icon_params), .rate = SLACK_TIER_1,
     .summary = "Give an app a picture"},
    {SL_METHOD("apps.managed.permissions.set"), .handler = apps_managed_permissions_set,
     .risk = RISK_WRITE, .idempotent = true, SL_CONFIGURING("write"), PARAMS(managed_params),
     .rate = SLACK_TIER_2, .summary = "Say who may use an app that another manages"},
};

const struct rows sl_keeper = ROWS(methods);
