/* SPDX-License-Identifier: Apache-2.0 */
/* Items that are found: by words, by a sharing link, because others have shared them. */
#include "engine/base/codec.h"
#include "services/drive/core/access/link.h"
#include "services/drive/core/find/find.h"
#include "services/drive/onedrive/page.h"

/* ---- search ---- */

/* '' in a path's text is a quote. */
static int open_search(struct call *c, struct onedrive_at *at, struct drive_item *it)
{
    return onedrive_open(c, at) < 0 || onedrive_item(at, ROLE_READER, it) < 0 ? -1 : 0;
}

static int items_search(struct call *c)
{
    struct find trashed = {.kind = FIND_TRASHED}, kept = {.kind = FIND_NOT, .left = &trashed};
    struct find words = {.kind = FIND_TEXT, .text = param_str(c, "q")};
    struct find question = {.kind = FIND_AND, .left = &words, .right = &kept};
    struct drive_item it, *list;
    struct odata_query q;
    struct onedrive_at at;
    const char *from = NULL, *next;
    size_t n;
    int r = 0;
    if (open_search(c, &at, &it) < 0 || onedrive_options(c, "driveItem", &q) < 0)
        return -1;
    if (!words.text || !*words.text)
        return onedrive_invalid(c, "The search query must not be empty.");
    const char *purpose = arena_printf(c->tx.arena, "onedrive search %lld", (long long)it.id);
    if (q.skiptoken && graph_unseal(c->tx.arena, purpose, q.skiptoken, &from) != 1)
        return onedrive_invalid(c, "Invalid paging token");
    const size_t size = q.top < 1 || q.top > ONEDRIVE_PAGE ? ONEDRIVE_PAGE : (size_t)q.top;
    if (onedrive_find_page(&at, &question, ORDER_MODIFIED, true, from, size, &list, &n, &next) <
            0 ||
        graph_select(c, &q, 0, true) < 0)
        return -1;
    at.query = &q;
    at.bare = true;
    json_obj(c->out, NULL);
    graph_context_of(c, "Collection(driveItem)");
    if (next)
        json_str(c->out, "@odata.nextLink",
                 graph_next(c, "$skiptoken", graph_seal(c->tx.arena, purpose, next)));
    json_arr(c->out, "value");
    for (size_t i = 0; r == 0 && i < n; i++) {
        int below = drive_is_under(&c->tx, list[i].id, it.id);
        r = below < 0 ? -1 : 0;
        if (below == 1 && list[i].id != it.id)
            r = onedrive_write(&at, NULL, &list[i]);
    }
    json_end(c->out);
    json_end(c->out);
    return r;
}

static int shared_list(struct call *c)
{
    struct find trashed = {.kind = FIND_TRASHED}, kept = {.kind = FIND_NOT, .left = &trashed};
    struct find shared = {.kind = FIND_SHARED_WITH_ME};
    struct find question = {.kind = FIND_AND, .left = &shared, .right = &kept};
    const char *purpose, *from = NULL, *next;
    struct drive_item *list;
    struct odata_query q;
    struct onedrive_at at;
    size_t n;
    int r = 0;
    if (onedrive_open(c, &at) < 0 || onedrive_may(&at, &at.root, ROLE_OWNER) < 0 ||
        onedrive_options(c, "driveItem", &q) < 0)
        return -1;
    purpose = arena_printf(c->tx.arena, "onedrive shared %lld", (long long)at.root.id);
    if (q.skiptoken && graph_unseal(c->tx.arena, purpose, q.skiptoken, &from) != 1)
        return onedrive_invalid(c, "Invalid paging token");
    const size_t size = q.top < 1 || q.top > ONEDRIVE_MAX_PAGE ? ONEDRIVE_MAX_PAGE : (size_t)q.top;
    if (onedrive_find_page(&at, &question, ORDER_SHARED, true, from, size, &list, &n, &next) < 0)
        return -1;
    json_obj(c->out, NULL);
    graph_context_of(c, "Collection(driveItem)");
    if (next)
        json_str(c->out, "@odata.nextLink",
                 graph_next(c, "$skiptoken", graph_seal(c->tx.arena, purpose, next)));
    json_arr(c->out, "value");
    for (size_t i = 0; r == 0 && i < n; i++)
        r = onedrive_write_remote(&at, &list[i]);
    json_end(c->out);
    json_end(c->out);
    return r;
}

/* ---- sharing links ---- */

/* The address in "u!..." (MG-110). NULL: it is none. */
static const char *decode(struct arena *a, const char *id)
{
    uint8_t *bytes;
    size_t n;
    if (!str_starts(id, "u!") || base64_decode(a, id + 2, strlen(id + 2), &bytes, &n) < 0 ||
        memchr(bytes, 0, n))
        return NULL;
    return arena_memdup(a, bytes, n);
}

/* The item that an address leads to: a link with a token, or the item's own. 0, -1. */
static int open_share(struct call *c, struct onedrive_at *at, struct drive_item *it)
{
    struct arena *a = c->tx.arena;
    const char *url = decode(a, param_str(c, "sharedDriveItem-id"));
    struct onedrive_at own = {.c = c, .who = c->actor};
    struct drive_viewer viewer;
    if (!url)
        return onedrive_invalid(c, "The sharing link is malformed.");
    const char *end = url + strcspn(url, "?#"), *token = end;
    while (token > url && token[-1] != '/')
        token--;
    token = arena_memdup(a, token, (size_t)(end - token));
    drive_viewer(&c->tx, &c->actor, &viewer);
    if (!token || drive_link_open(&viewer, token, NULL, it) < 0)
        return onedrive_refused(c);
    int r = onedrive_drive_of(&own, it, at);
    if (r != 1)
        return r < 0 ? -1 : onedrive_not_found(c);
    const struct drive_opened *opened = viewer.opened;
    at->viewer.opened = opened;
    at->base = arena_printf(a, "shares%s", graph_key(a, param_str(c, "sharedDriveItem-id")));
    return onedrive_may(at, it, ROLE_READER);
}

static int shares_get(struct call *c)
{
    struct drive_item it;
    struct onedrive_at at;
    if (open_share(c, &at, &it) < 0)
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
    if (open_share(c, &at, &it) < 0 || onedrive_options(c, "driveItem", &q) < 0 ||
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

static int shares_content(struct call *c)
{
    struct drive_item it;
    struct onedrive_at at;
    if (open_share(c, &at, &it) < 0)
        return -1;
    return onedrive_redirect(&at, &it);
}

/* ---- the methods ---- */

static const struct param search_params[] = {
    ONEDRIVE_PATH_PARAMS,
    ONEDRIVE_SHAPE_PARAMS,
    {.name = "$top", .place = IN_QUERY, .type = PARAM_INT, .min = 0, .max = INT32_MAX},
    {.name = "$skiptoken", .place = IN_QUERY},
    {.name = "q", .place = IN_PATH, .required = true, .summary = "Words of names and texts"},
};
static const struct param shared_params[] = {
    ONEDRIVE_PATH_PARAMS,
    {.name = "$top", .place = IN_QUERY, .type = PARAM_INT, .min = 0, .max = INT32_MAX},
    {.name = "$skiptoken", .place = IN_QUERY},
};
#define SHARE_ID                                                                                   \
    {                                                                                              \
        .name = "sharedDriveItem-id", .place = IN_PATH, .required = true                           \
    }
static const struct param share_params[] = {SHARE_ID};
static const struct param share_item_params[] = {SHARE_ID, ONEDRIVE_SHAPE_PARAMS};

static const struct route methods[] = {
    {.id = "onedrive.items.search",
     .verbs = GET,
     .paths = PATHS(OF_DRIVE("/search(q={q})"), OF_DRIVE("/root/search(q={q})"),
                    OF_DRIVE("/items/{driveItem-id}/search(q={q})")),
     .handler = items_search,
     .risk = RISK_READ,
     .scopes = ONEDRIVE_READ,
     PARAMS(search_params),
     .response = "microsoft.graph.driveItemCollectionResponse",
     .summary = "Files and folders that have these words"},
    {.id = "onedrive.drive.sharedWithMe",
     .verbs = GET,
     .paths = PATHS(GRAPH_MY("/drive/sharedWithMe()")),
     .handler = shared_list,
     .risk = RISK_READ,
     .scopes = ONEDRIVE_READ,
     PARAMS(shared_params),
     .response = "microsoft.graph.driveItemCollectionResponse",
     .summary = "What others have shared with a person"},
    {.id = "onedrive.shares.get",
     .verbs = GET,
     .paths = PATHS(GRAPH("/shares/{sharedDriveItem-id}")),
     .handler = shares_get,
     .risk = RISK_READ,
     .scopes = ONEDRIVE_READ,
     PARAMS(share_params),
     .response = "microsoft.graph.sharedDriveItem",
     .summary = "What a sharing link is"},
    {.id = "onedrive.shares.driveItem.get",
     .verbs = GET,
     .paths = PATHS(GRAPH("/shares/{sharedDriveItem-id}/driveItem"),
                    GRAPH("/shares/{sharedDriveItem-id}/root")),
     .handler = shares_item,
     .risk = RISK_READ,
     .scopes = ONEDRIVE_READ,
     PARAMS(share_item_params),
     .response = "microsoft.graph.driveItem",
     .summary = "The file or folder that a sharing link leads to"},
    {.id = "onedrive.shares.driveItem.content",
     .verbs = GET,
     .paths = PATHS(GRAPH("/shares/{sharedDriveItem-id}/driveItem/content"),
                    GRAPH("/shares/{sharedDriveItem-id}/root/content")),
     .handler = shares_content,
     .risk = RISK_READ,
     .scopes = ONEDRIVE_READ,
     PARAMS(share_params),
     .status = 302,
     .gives = "application/octet-stream",
     .summary = "The content of the file that a sharing link leads to"},
};

const struct rows onedrive_found = ROWS(methods);
