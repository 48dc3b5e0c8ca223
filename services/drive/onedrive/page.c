/* SPDX-License-Identifier: Apache-2.0 */
#include "services/drive/onedrive/page.h"
#include "services/drive/onedrive/content/pictures.h"

int onedrive_page_read(struct onedrive_at *at, const struct drive_item *folder,
                       const struct find_order *order, const char *from, size_t limit,
                       struct onedrive_page *ret)
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

size_t onedrive_page_size(const struct odata_query *q)
{
    return q->top < 1                   ? ONEDRIVE_PAGE
           : q->top > ONEDRIVE_MAX_PAGE ? ONEDRIVE_MAX_PAGE
                                        : (size_t)q->top;
}

/* ---- what is expanded ---- */

int onedrive_write_expanded(struct onedrive_at *at, const struct drive_item *it)
{
    static const struct find_order by_name = {.key = ORDER_NAME};
    const struct odata_query *q = at->query;
    const struct odata_expand *children = odata_expands(q, "children");
    struct onedrive_page page = {.n = 0};
    int r = 0;
    if (odata_expands(q, "thumbnails") && onedrive_write_thumbnails(at, it) < 0)
        return -1;
    const struct odata_expand *item = odata_expands(q, "listItem");
    const struct ms_lists *lists = item ? core_policy_nth(&at->c->tx, SITES_LISTS, 0) : NULL;
    if (lists && at->library.id && !it->top &&
        lists->write(at->c, &at->library, it->id, "listItem", item->query) < 0)
        return -1;
    if (!children || it->form != DRIVE_FOLDER)
        return 0;
    if (onedrive_page_read(at, it, &by_name, NULL, onedrive_page_size(children->query), &page) < 0)
        return -1;
    at->query = children->query;
    json_arr(at->c->out, "children");
    for (size_t i = 0; r == 0 && i < page.n; i++)
        r = onedrive_write(at, NULL, &page.items[i]);
    json_end(at->c->out);
    at->query = q;
    return r;
}

int onedrive_answer(struct onedrive_at *at, const struct drive_item *it, bool as_root)
{
    struct call *c = at->c;
    if (at->query && graph_select(c, at->query, 0, false) < 0)
        return -1;
    json_obj(c->out, NULL);
    graph_context(c, "%s%s%s/$entity", at->base, as_root ? "/root" : "/items",
                  at->query ? odata_context(c->tx.arena, at->query) : "");
    int r = onedrive_write_members(at, it);
    if (r == 0 && at->query)
        r = onedrive_write_expanded(at, it);
    json_end(c->out);
    return r;
}
