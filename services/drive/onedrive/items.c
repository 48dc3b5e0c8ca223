/* SPDX-License-Identifier: Apache-2.0 */
/* Reading items, and what folders have. */
#include "services/drive/onedrive/page.h"

static int items_get(struct call *c)
{
    struct odata_query q;
    struct drive_item it;
    struct onedrive_at at;
    if (onedrive_open(c, &at) < 0 || onedrive_item(&at, ROLE_READER, &it) < 0 ||
        onedrive_options(c, "driveItem", &q) < 0)
        return -1;
    const char *unless = call_request_header(c, "If-None-Match");
    if (unless && (strstr(unless, onedrive_etag(c->tx.arena, &it)) ||
                   strstr(unless, onedrive_ctag(c->tx.arena, &it)))) {
        c->status = 304;
        return 0;
    }
    at.query = &q;
    return onedrive_answer(&at, &it, it.id == at.root.id);
}

static int children_list(struct call *c)
{
    struct odata_query q;
    struct drive_item it;
    struct onedrive_at at;
    return onedrive_open(c, &at) < 0 || onedrive_item(&at, ROLE_READER, &it) < 0 ||
                   onedrive_options(c, "driveItem", &q) < 0
               ? -1
               : onedrive_answer_children(&at, &it, &q);
}

/* ---- the methods ---- */

static const struct param get_params[] = {ONEDRIVE_PATH_PARAMS, ONEDRIVE_SHAPE_PARAMS};
static const struct param list_params[] = {ONEDRIVE_PATH_PARAMS, ONEDRIVE_SHAPE_PARAMS,
                                           ONEDRIVE_LIST_PARAMS};

static const struct route methods[] = {
    {ROUTE("onedrive.items.get", GET, OF_ITEM(""), OF_NAMED_END, OF_LISTED("")),
     .handler = items_get, .risk = RISK_READ, .scopes = ONEDRIVE_READ, PARAMS(get_params),
     .response = "microsoft.graph.driveItem",
     .summary = "A file or a folder, by its id or its path"},
    {ROUTE("onedrive.items.children.list", GET, OF_ITEM("/children"), OF_LISTED("/children")),
     .handler = children_list, .risk = RISK_READ, .scopes = ONEDRIVE_READ, PARAMS(list_params),
     .response = "microsoft.graph.driveItemCollectionResponse", .summary = "What is in a folder"},
};

const struct rows onedrive_items = ROWS(methods);
