/* SPDX-License-Identifier: Apache-2.0 */
/* What of a $filter of messages the indexes of the mail core can find. */
#ifndef SOSIA_OUTLOOK_FILTER_H
#define SOSIA_OUTLOOK_FILTER_H

#include "services/mail/outlook/outlook.h"
#include "vendors/microsoft/odata/odata.h"

struct search;

struct outlook_filter {
    const struct search *found; /* holds wherever the expression does; NULL: everywhere */
    bool exact;                 /* and nowhere else */
};
/* In the arena; e NULL: everything. 0, -1. */
int outlook_filter(struct call *c, const struct outlook_box *b, const struct odata_expr *e,
                   struct outlook_filter *ret);

#endif
