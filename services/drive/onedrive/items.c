/* SPDX-License-Identifier: Apache-2.0 */
/* Reading items, and what folders have. */
#include "services/drive/core/find/find.h"
#include "services/drive/onedrive/onedrive.h"

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

/* ---- folders ---- */

/* The orders that the service has. */
static int read_order(struct call *c, const struct odata_query *q, struct find_order *ret)
{
    static const struct {
        const char *path;
        enum find_key key;
    } orders[] = {{"name", ORDER_NAME},
                  {"lastModifiedDateTime", ORDER_MODIFIED},
                  {"createdDateTime", ORDER_CREATED},
                  {"size", ORDER_SIZE}};
    *ret = (struct find_order){.key = ORDER_NAME};
    if (!q->n_order)
        return 0;
    const struct odata_expr *by = q->order[0].by;
    for (size_t i = 0; q->n_order == 1 && by->op == ODATA_PATH && i < SOSIA_LEN(orders); i++)
        if (strcmp(by->path->text, orders[i].path) == 0) {
            *ret = (struct find_order){orders[i].key, q->order[0].descending};
            return 0;
        }
    return onedrive_invalid(c, "The orderby clause is not supported.");
}

/* A page of a folder's items as its owner sees them: who sees the folder sees them all. */
struct page {
    struct drive_item *items;
    size_t n;
    const char *next; /* NULL: there are no more */
};

static int read_page(struct onedrive_at *at, const struct drive_item *folder,
                     const struct find_order *order, const char *from, size_t limit,
                     struct page *ret)
{
    struct find trashed = {.kind = FIND_TRASHED},
                not_trashed = {.kind = FIND_NOT, .left = &trashed};
    struct find in = {.kind = FIND_PARENT, .id = folder->id};
    struct find question = {.kind = FIND_AND, .left = &in, .right = &not_trashed};
    struct drive_access *access;
    struct drive_viewer owner;
    drive_viewer(&at->c->tx, &at->owner, &owner);
    struct drive_finder finder = {
        .viewer = &owner, .question = &question, .in_drive = true, .order = order, .n_order = 1};
    if (drive_find(&finder, from, limit, &ret->items, &access, &ret->n, &ret->next) < 0)
        return at->c->tx.err->code == SOSIA_E_INVALID
                   ? onedrive_invalid(at->c, "Invalid paging token")
                   : -1;
    return 0;
}

static int count_children(struct call *c, int64_t folder, int64_t *ret)
{
    static struct sql_text q =
        SQL_TEXT("select count(*) from drive_item where parent = :parent and not flags & 1");
    return TX_INT(&c->tx, &q, ret, folder) < 0 ? -1 : 0;
}

static size_t page_size(const struct odata_query *q)
{
    return q->top < 0                   ? ONEDRIVE_PAGE
           : q->top > ONEDRIVE_MAX_PAGE ? ONEDRIVE_MAX_PAGE
                                        : (size_t)q->top;
}

/* The position in a $skiptoken of this folder's. 0, -1. */
static int read_position(struct call *c, const char *purpose, const struct odata_query *q,
                         const char **ret)
{
    *ret = NULL;
    if (!q->skiptoken)
        return 0;
    return graph_unseal(c->tx.arena, purpose, q->skiptoken, ret) == 1
               ? 0
               : onedrive_invalid(c, "Invalid paging token");
}

static int write_list(struct onedrive_at *at, const struct page *page)
{
    int r = 0;
    json_arr(at->c->out, "value");
    for (size_t i = 0; r == 0 && i < page->n; i++) {
        json_obj(at->c->out, NULL);
        r = onedrive_write_members(at, &page->items[i]);
        if (r == 0 && at->query)
            r = onedrive_write_expanded(at, &page->items[i]);
        json_end(at->c->out);
    }
    json_end(at->c->out);
    return r;
}

static int children_list(struct call *c)
{
    struct page page = {.n = 0};
    struct find_order order;
    struct odata_query q;
    struct drive_item it;
    struct onedrive_at at;
    const char *from;
    int64_t count = 0;
    if (onedrive_open(c, &at) < 0 || onedrive_item(&at, ROLE_READER, &it) < 0 ||
        onedrive_options(c, "driveItem", &q) < 0 || read_order(c, &q, &order) < 0)
        return -1;
    if (q.filter)
        return onedrive_invalid(c, "The filter clause is not supported.");
    const char *purpose = arena_printf(c->tx.arena, "onedrive children %lld", (long long)it.id);
    if (read_position(c, purpose, &q, &from) < 0 ||
        (it.form == DRIVE_FOLDER && read_page(&at, &it, &order, from, page_size(&q), &page) < 0) ||
        (q.count && count_children(c, it.id, &count) < 0) ||
        graph_select(c, &q, ODATA_KEEP_ETAG, true) < 0)
        return -1;
    at.query = &q;
    at.listed = true;
    json_obj(c->out, NULL);
    graph_context(c, "%s%s/children%s", at.base, onedrive_step(&at, &it),
                  odata_context(c->tx.arena, &q));
    if (q.count)
        json_int(c->out, "@odata.count", count);
    if (page.next)
        json_str(c->out, "@odata.nextLink",
                 graph_next(c, "$skiptoken", graph_seal(c->tx.arena, purpose, page.next)));
    int r = write_list(&at, &page);
    json_end(c->out);
    return r;
}

/* ---- what is expanded ---- */

int onedrive_write_expanded(struct onedrive_at *at, const struct drive_item *it)
{
    static const struct find_order by_name = {.key = ORDER_NAME};
    const struct odata_query *q = at->query;
    const struct odata_expand *children = odata_expands(q, "children");
    struct page page = {.n = 0};
    int r = 0;
    if (odata_expands(q, "thumbnails")) {
        json_arr(at->c->out, "thumbnails");
        json_end(at->c->out);
    }
    if (!children || it->form != DRIVE_FOLDER)
        return 0;
    if (read_page(at, it, &by_name, NULL, page_size(children->query), &page) < 0)
        return -1;
    at->query = children->query;
    json_arr(at->c->out, "children");
    for (size_t i = 0; r == 0 && i < page.n; i++)
        r = onedrive_write(at, NULL, &page.items[i]);
    json_end(at->c->out);
    at->query = q;
    return r;
}

/* ---- the methods ---- */

static const struct param get_params[] = {ONEDRIVE_PATH_PARAMS, ONEDRIVE_SHAPE_PARAMS};
static const struct param list_params[] = {
    ONEDRIVE_PATH_PARAMS,
    ONEDRIVE_SHAPE_PARAMS,
    {.name = "$orderby", .place = IN_QUERY},
    {.name = "$top", .place = IN_QUERY, .type = PARAM_INT, .min = 0, .max = INT32_MAX},
    {.name = "$count", .place = IN_QUERY, .type = PARAM_BOOL},
    {.name = "$skiptoken", .place = IN_QUERY},
};

static const struct route methods[] = {
    {.id = "onedrive.items.get",
     .verbs = GET,
     .paths = PATHS(OF_ITEM(""), OF_DRIVE("/root:"), OF_DRIVE("/root:/{item-path*}"),
                    OF_DRIVE("/items/{driveItem-id}:/{item-path*}"),
                    OF_DRIVE("/special/{special-id}:/{item-path*}")),
     .handler = items_get,
     .risk = RISK_READ,
     .scopes = ONEDRIVE_READ,
     PARAMS(get_params),
     .response = "microsoft.graph.driveItem",
     .summary = "A file or a folder, by its id or its path"},
    {.id = "onedrive.items.children.list",
     .verbs = GET,
     .paths = PATHS(OF_ITEM("/children")),
     .handler = children_list,
     .risk = RISK_READ,
     .scopes = ONEDRIVE_READ,
     PARAMS(list_params),
     .response = "microsoft.graph.driveItemCollectionResponse",
     .summary = "What is in a folder"},
};

const struct rows onedrive_items = ROWS(methods);
