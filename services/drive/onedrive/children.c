/* SPDX-License-Identifier: Apache-2.0 */
/* What folders have: in the orders that the service has, in pages, with $filter. */
#include "services/drive/onedrive/page.h"

enum { FILTERED_MOST = 20000 }; /* of a folder: so many items are looked at */

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

static int write_list(struct onedrive_at *at, const struct onedrive_page *page)
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

/* An item as $filter asks about it. */
static int thing_of(struct onedrive_at *at, const struct drive_item *it, const struct json **ret)
{
    struct json_writer w, *own = at->c->out;
    struct buf b;
    json_start(&w, &b);
    at->c->out = &w;
    json_obj(&w, NULL);
    int r = onedrive_write_members(at, it);
    json_end(&w);
    at->c->out = own;
    if (r == 0) {
        const char *text = arena_memdup(at->c->tx.arena, b.data, b.len);
        r = json_parse(at->c->tx.arena, text, b.len, NULL, ret, at->c->tx.err);
    }
    buf_done(&b);
    return r;
}

/* Those of a folder's items that $filter holds for: all on one page, as many as $top says. */
static int filtered(struct onedrive_at *at, const struct drive_item *folder,
                    const struct odata_query *q, const struct find_order *order)
{
    struct call *c = at->c;
    const struct odata_ctx ctx = {
        .arena = c->tx.arena, .get = odata_get_json, .now_us = c->tx.now_us};
    const size_t most = q->top < 1 ? ONEDRIVE_MAX_PAGE : onedrive_page_size(q);
    struct onedrive_page page = {.n = 0};
    size_t n = 0;
    if (folder->form == DRIVE_FOLDER &&
        onedrive_page_read(at, folder, order, NULL, FILTERED_MOST, &page) < 0)
        return -1;
    for (size_t i = 0; n < most && i < page.n; i++) {
        const struct json *thing = NULL;
        if (thing_of(at, &page.items[i], &thing) < 0)
            return -1;
        int holds = odata_matches(&ctx, q->filter, thing);
        if (holds < 0)
            return -1;
        if (holds)
            page.items[n++] = page.items[i];
    }
    page.n = n;
    if (graph_select(c, q, ODATA_KEEP_ETAG, true) < 0)
        return -1;
    at->query = q;
    at->listed = true;
    json_obj(c->out, NULL);
    graph_context(c, "%s%s/children%s", at->base, onedrive_step(at, folder),
                  odata_context(c->tx.arena, q));
    if (q->count)
        json_int(c->out, "@odata.count", (int64_t)n);
    int r = write_list(at, &page);
    json_end(c->out);
    return r;
}

int onedrive_answer_children(struct onedrive_at *at, const struct drive_item *it,
                             const struct odata_query *q)
{
    struct onedrive_page page = {.n = 0};
    struct find_order order;
    struct call *c = at->c;
    const char *from;
    int64_t count = 0;
    if (read_order(c, q, &order) < 0)
        return -1;
    if (q->filter)
        return filtered(at, it, q, &order);
    const char *purpose = arena_printf(c->tx.arena, "onedrive children %lld", (long long)it->id);
    if (read_position(c, purpose, q, &from) < 0 ||
        (it->form == DRIVE_FOLDER &&
         onedrive_page_read(at, it, &order, from, onedrive_page_size(q), &page) < 0) ||
        (q->count && drive_child_count(&c->tx, it->id, &count) < 0) ||
        graph_select(c, q, ODATA_KEEP_ETAG, true) < 0)
        return -1;
    at->query = q;
    at->listed = true;
    json_obj(c->out, NULL);
    graph_context(c, "%s%s/children%s", at->base, onedrive_step(at, it),
                  odata_context(c->tx.arena, q));
    if (q->count)
        json_int(c->out, "@odata.count", count);
    if (page.next)
        json_str(c->out, "@odata.nextLink",
                 graph_next(c, "$skiptoken", graph_seal(c->tx.arena, purpose, page.next)));
    int r = write_list(at, &page);
    json_end(c->out);
    return r;
}
