/* SPDX-License-Identifier: Apache-2.0 */
/* OData's options as Outlook takes them: what is selected, and lists that indexes serve. */
#ifndef SOSIA_OUTLOOK_OPTIONS_H
#define SOSIA_OUTLOOK_OPTIONS_H

#include "services/mail/outlook/outlook.h"
#include "vendors/microsoft/odata/odata.h"

/* What is asked of messages in $filter and $orderby, in the order of enum outlook_path (value.h).
 */
extern const char *const outlook_paths[];

/* The options of the call, for a type ("message"). 0, -1 refused. */
int outlook_options(struct call *c, const char *type, struct odata_query *ret);
/* $top and $skip of a list of n things: which of them are on the page. 0, -1. */
int outlook_page(struct call *c, const struct odata_query *q, size_t otherwise, size_t *ret_from,
                 size_t *ret_n);
/* What the writer shall write of one thing, or of a list's: before its object is begun. */
int outlook_select(struct call *c, const struct odata_query *q, bool list);

/* A list of a mailbox's messages. */
struct outlook_list {
    struct outlook_item *items;
    size_t n;
    bool more;
    int64_t count; /* of all that match; -1: not asked for */
};
/* folder 0: all folders. 0, -1 refused. */
int outlook_list(struct call *c, const struct outlook_box *b, int64_t folder,
                 const struct odata_query *q, struct outlook_list *ret);
/* Do the options go together, as lists take them (MG-47 to 49)? 0, -1 refused. */
int outlook_check_query(struct call *c, const struct odata_query *q);
/* The list of the messages in some folders alone, whose ids are sorted; there $search may have a
 * filter beside it. */
struct outlook_among {
    const int64_t *ids;
    size_t n;
};
int outlook_list_among(struct call *c, const struct outlook_box *b,
                       const struct outlook_among *among, const struct odata_query *q,
                       struct outlook_list *ret);
/* How many of them match. 0, -1. */
int outlook_count_among(struct call *c, const struct outlook_box *b,
                        const struct outlook_among *among, const struct odata_expr *filter,
                        int64_t *ret);
/* Does a message match an expression about messages? 1, 0, -1. */
int outlook_matches(struct call *c, const struct outlook_box *b, const struct outlook_item *i,
                    const struct odata_expr *e);

#endif
