/* SPDX-License-Identifier: Apache-2.0 */
/* Items by an address: that of a sharing link, or the one that a browser shows (MG-110, 584). */
#include "engine/base/codec.h"
#include "services/drive/onedrive/page.h"
#include "services/drive/onedrive/sharing/rights.h"

/* The address in "u!..." (MG-110). NULL: it is none. */
static const char *decode_share(struct arena *a, const char *id)
{
    uint8_t *bytes;
    size_t n;
    if (!str_starts(id, "u!") || base64_decode(a, id + 2, strlen(id + 2), &bytes, &n) < 0 ||
        memchr(bytes, 0, n))
        return NULL;
    return arena_memdup(a, bytes, n);
}

/* ---- addresses of items ---- */

/* ---- sharing links ---- */

/* What follows the last slash of an address. */
static const char *token_of(struct arena *a, const char *url)
{
    const char *end = url + strcspn(url, "?#"), *token = end;
    while (token > url && token[-1] != '/')
        token--;
    return arena_memdup(a, token, (size_t)(end - token));
}

/* Does the caller use the link for good, as who goes there with a browser, or for this request
 * (learn.microsoft.com/graph/api/shares-get)? In a snapshot both are for the request. */
static bool redeems_for_good(struct call *c)
{
    return graph_prefer(c, "redeemSharingLink") && !graph_app_only(c);
}

static bool redeems(struct call *c)
{
    return graph_prefer(c, "redeemSharingLink") || graph_prefer(c, "redeemSharingLinkIfNecessary");
}

/* Reading is all that it is without that. */
static int share_risk(struct call *c, enum risk *ret)
{
    *ret = redeems_for_good(c) ? RISK_WRITE : RISK_READ;
    return 0;
}

/* The item of a link, with what the link gives to who has no right of their own there. Who never
 * used a link for the organization says that they do. 1, 0, -1. */
static int follow(struct call *c, const char *token, const struct drive_link *link,
                  struct onedrive_at *at, struct drive_item *it)
{
    struct onedrive_at own = {.c = c, .who = c->actor};
    struct drive_access access;
    struct drive_viewer viewer;
    int r = drive_item_by_id(&c->tx, link->item, it);
    if (r == 1)
        r = onedrive_drive_of(&own, it, at);
    if (r != 1 || drive_role(&at->viewer, it, &access) < 0)
        return r == 1 ? -1 : r;
    if (access.role < drive_link_role(link)) {
        r = drive_links_used(&at->viewer);
        if (r < 0 || (r && drive_role(&at->viewer, it, &access) < 0))
            return -1;
    }
    if (access.role >= ROLE_WRITER || access.role >= drive_link_role(link))
        return 1;
    if (link->scope == LINK_ORGANIZATION && access.role < ROLE_READER && !redeems(c))
        return call_fail(c, SOSIA_E_FORBIDDEN, "accessDenied", NULL,
                         "The sharing link no longer exists, or you do not have permission to "
                         "access it.");
    drive_viewer(&c->tx, &c->actor, &viewer);
    if (drive_link_open(&viewer, token, NULL, it) < 0)
        return onedrive_refused(c);
    at->viewer.opened = viewer.opened;
    return c->tx.write && redeems_for_good(c) && drive_link_use(&c->tx, it, link, &c->actor) < 0
               ? -1
               : 1;
}

/* The item that an address leads to: a link with a token (*link, id 0: it is none), or the item's
 * own. 0, -1. */
static int open_share(struct call *c, struct onedrive_at *at, struct drive_item *it,
                      struct drive_link *link)
{
    struct arena *a = c->tx.arena;
    const char *url = decode_share(a, param_str(c, "sharedDriveItem-id"));
    const char *token = url ? token_of(a, url) : NULL;
    *link = (struct drive_link){.id = 0};
    if (!url)
        return onedrive_invalid(c, "The sharing link is malformed.");
    int r = token ? drive_link_by_token(&c->tx, token, link) : 0;
    r = r == 0 ? onedrive_by_address(c, url, at, it) : r == 1 ? follow(c, token, link, at, it) : r;
    if (r != 1)
        return r < 0 ? -1 : onedrive_not_found(c);
    at->base = arena_printf(a, "shares%s", graph_key(a, param_str(c, "sharedDriveItem-id")));
    return onedrive_may(at, it, ROLE_READER);
}

static int shares_get(struct call *c)
{
    struct drive_item it;
    struct onedrive_at at;
    struct drive_link link;
    if (open_share(c, &at, &it, &link) < 0)
        return -1;
    json_obj(c->out, NULL);
    graph_context_of(c, "shares/$entity");
    json_str(c->out, "id", param_str(c, "sharedDriveItem-id"));
    json_str(c->out, "name", it.name);
    int r = onedrive_write_person(&at, "owner", it.owner);
    json_end(c->out);
    return r;
}

static int shares_item(struct call *c)
{
    struct odata_query q;
    struct drive_item it;
    struct onedrive_at at;
    struct drive_link link;
    if (open_share(c, &at, &it, &link) < 0 || onedrive_options(c, "driveItem", &q) < 0 ||
        graph_select(c, &q, 0, false) < 0)
        return -1;
    at.query = &q;
    json_obj(c->out, NULL);
    graph_context(c, "%s/driveItem%s/$entity", at.base, odata_context(c->tx.arena, &q));
    int r = onedrive_write_members(&at, &it);
    if (r == 0)
        r = onedrive_write_expanded(&at, &it);
    json_end(c->out);
    return r;
}

static int shares_children(struct call *c)
{
    struct odata_query q;
    struct drive_item it;
    struct onedrive_at at;
    struct drive_link link;
    return open_share(c, &at, &it, &link) < 0 || onedrive_options(c, "driveItem", &q) < 0
               ? -1
               : onedrive_answer_children(&at, &it, &q);
}

/* ---- the link itself ---- */

static int open_link(struct call *c, struct onedrive_at *at, struct drive_item *it,
                     struct drive_link *link)
{
    return open_share(c, at, it, link) < 0 ? -1 : link->id ? 0 : onedrive_not_found(c);
}

static int shares_permission(struct call *c)
{
    struct drive_item it;
    struct onedrive_at at;
    struct drive_link link;
    if (open_link(c, &at, &it, &link) < 0)
        return -1;
    json_obj(c->out, NULL);
    graph_context(c, "%s/permission/$entity", at.base);
    int r = right_write_link(&at, &it, &link, false);
    json_end(c->out);
    return r;
}

static int shares_grant(struct call *c)
{
    struct drive_item it;
    struct onedrive_at at;
    struct drive_link link;
    if (open_link(c, &at, &it, &link) < 0)
        return -1;
    drive_viewer(&c->tx, &at.who, &at.viewer); /* what the link gives does not count */
    return onedrive_may(&at, &it, ROLE_WRITER) < 0 ? graph_denied(c)
                                                   : onedrive_link_grant(&at, &it, &link);
}

static int shares_content(struct call *c)
{
    struct drive_item it;
    struct onedrive_at at;
    struct drive_link link;
    if (open_share(c, &at, &it, &link) < 0)
        return -1;
    return onedrive_redirect(&at, &it);
}

/* ---- the methods ---- */

#define SHARE_ID                                                                                   \
    {                                                                                              \
        .name = "sharedDriveItem-id", .place = IN_PATH, .required = true                           \
    }
#define REDEEM                                                                                     \
    {                                                                                              \
        .name = "Prefer", .place = IN_HEADER,                                                      \
        .summary = "redeemSharingLink or redeemSharingLinkIfNecessary: the link is used"           \
    }
static const struct param share_params[] = {SHARE_ID, REDEEM};
static const struct param share_item_params[] = {SHARE_ID, REDEEM, ONEDRIVE_SHAPE_PARAMS};
static const struct param share_list_params[] = {SHARE_ID, REDEEM, ONEDRIVE_SHAPE_PARAMS,
                                                 ONEDRIVE_LIST_PARAMS};

static const struct route methods[] = {
    {ROUTE("onedrive.shares.get", GET, GRAPH("/shares/{sharedDriveItem-id}")),
     .handler = shares_get, .risk = RISK_READ, .risk_of = share_risk, .scopes = ONEDRIVE_READ,
     PARAMS(share_params), .response = "microsoft.graph.sharedDriveItem",
     .summary = "What a sharing link is"},
    {ROUTE("onedrive.shares.driveItem.get", GET, GRAPH("/shares/{sharedDriveItem-id}/driveItem"),
           GRAPH("/shares/{sharedDriveItem-id}/root")),
     .handler = shares_item, .risk = RISK_READ, .risk_of = share_risk, .scopes = ONEDRIVE_READ,
     PARAMS(share_item_params), .response = "microsoft.graph.driveItem",
     .summary = "The file or folder that a sharing link leads to"},
    {ROUTE("onedrive.shares.children.list", GET,
           GRAPH("/shares/{sharedDriveItem-id}/driveItem/children"),
           GRAPH("/shares/{sharedDriveItem-id}/root/children")),
     .handler = shares_children, .risk = RISK_READ, .risk_of = share_risk, .scopes = ONEDRIVE_READ,
     PARAMS(share_list_params), .response = "microsoft.graph.driveItemCollectionResponse",
     .summary = "What is in the folder that a sharing link leads to"},
    {ROUTE("onedrive.shares.permission.get", GET, GRAPH("/shares/{sharedDriveItem-id}/permission")),
     .handler = shares_permission, .risk = RISK_READ, .risk_of = share_risk,
     .scopes = ONEDRIVE_READ, PARAMS(share_params), .response = "microsoft.graph.permission",
     .summary = "The permission that a sharing link is"},
    {ROUTE("onedrive.shares.permission.grant", POST,
           GRAPH("/shares/{sharedDriveItem-id}/permission/grant")),
     .handler = shares_grant, .risk = RISK_EXTERNAL, .idempotent = true, .body = BODY_JSON,
     .scopes = ONEDRIVE_WRITE, PARAMS(share_params), .request = "microsoft.graph.permission.grant",
     .response = "microsoft.graph.permissionCollectionResponse",
     .summary = "Let people use a sharing link that is for users, by its address"},
    {ROUTE("onedrive.shares.driveItem.content", GET,
           GRAPH("/shares/{sharedDriveItem-id}/driveItem/content"),
           GRAPH("/shares/{sharedDriveItem-id}/root/content")),
     .handler = shares_content, .risk = RISK_READ, .risk_of = share_risk, .scopes = ONEDRIVE_READ,
     PARAMS(share_params), .status = 302, .gives = "application/octet-stream",
     .summary = "The content of the file that a sharing link leads to"},
};

const struct rows onedrive_shares = ROWS(methods);
