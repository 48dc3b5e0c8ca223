/* SPDX-License-Identifier: Apache-2.0 */
/* Pages of what a folder has. */
#ifndef SOSIA_ONEDRIVE_PAGE_H
#define SOSIA_ONEDRIVE_PAGE_H

#include "services/drive/core/find/find.h"
#include "services/drive/onedrive/onedrive.h"

/* A page of a folder's items as its owner sees them: who sees the folder sees them all. */
struct onedrive_page {
    struct drive_item *items;
    size_t n;
    const char *next; /* NULL: there are no more */
};
/* from: the position; NULL: the first page. 0, -1 refused. */
int onedrive_page_read(struct onedrive_at *at, const struct drive_item *folder,
                       const struct find_order *order, const char *from, size_t limit,
                       struct onedrive_page *ret);
/* Items of all of somebody's drives that a question holds for, in an order. 0, -1 refused. */
int onedrive_find_page(struct onedrive_at *at, struct find *question, enum find_key key,
                       bool falling, const char *from, size_t limit, struct drive_item **ret,
                       size_t *ret_n, const char **ret_next);
/* What a folder has, as the call's answer. 0, -1 refused. */
int onedrive_answer_children(struct onedrive_at *at, const struct drive_item *it,
                             const struct odata_query *q);
/* How many items $top asks for. */
size_t onedrive_page_size(const struct odata_query *q);

#define ONEDRIVE_LIST_PARAMS                                                                       \
    {.name = "$filter", .place = IN_QUERY}, {.name = "$orderby", .place = IN_QUERY},               \
        {.name = "$top", .place = IN_QUERY, .type = PARAM_INT, .min = 0, .max = INT32_MAX},        \
        {.name = "$count", .place = IN_QUERY, .type = PARAM_BOOL},                                 \
    {                                                                                              \
        .name = "$skiptoken", .place = IN_QUERY                                                    \
    }

#endif
