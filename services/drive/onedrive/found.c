/* SPDX-License-Identifier: Apache-2.0 */
/* Items that are found: by words, and because others have shared them. */
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

static const struct route methods[] = {
    {ROUTE("onedrive.items.search", GET, OF_DRIVE("/search(q={q})"),
           OF_DRIVE("/root/search(q={q})"), OF_DRIVE("/items/{driveItem-id}/search(q={q})")),
     .handler = items_search, .risk = RISK_READ, .scopes = ONEDRIVE_READ, PARAMS(search_params),
     .response = "microsoft.graph.driveItemCollectionResponse",
     .summary = "Files and folders that have these words"},
    {ROUTE("onedrive.drive.sharedWithMe", GET, GRAPH_MY("/drive/sharedWithMe()")),
     .handler = shared_list, .risk = RISK_READ, .scopes = ONEDRIVE_READ, PARAMS(shared_params),
     .response = "microsoft.graph.driveItemCollectionResponse",
     .summary = "What others have shared with a person"},
};

const struct rows onedrive_found = ROWS(methods);
