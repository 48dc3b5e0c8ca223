/* SPDX-License-Identifier: Apache-2.0 */
/* $search over messages. */
#ifndef SOSIA_OUTLOOK_SEARCH_H
#define SOSIA_OUTLOOK_SEARCH_H

#include "services/mail/core/search.h"
#include "services/mail/outlook/settings/options.h"

/* Bytes of a body that a filter looks at. */
#define SEARCH_TEXT_MAX_ASKED ((size_t)1 << 20)

/* The question that a $search asks; *ret NULL: everything. 0, -1 refused. */
int outlook_search(struct call *c, const struct outlook_box *b, const struct odata_query *q,
                   const struct search **ret);

#endif
