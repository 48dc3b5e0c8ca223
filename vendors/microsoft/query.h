/* SPDX-License-Identifier: Apache-2.0 */
/* The query options of a call (vendors/microsoft/odata), which the gateway reads and refuses. */
#ifndef SOSIA_MICROSOFT_QUERY_H
#define SOSIA_MICROSOFT_QUERY_H

#include "engine/http/call.h"
#include "vendors/microsoft/odata/kql.h"
#include "vendors/microsoft/odata/odata.h"

/* The options of the call's query, of a list of things of that type ("message"), or of one. rules
 * may be NULL. 0, -1: refused with the vendor's message, which is answered whole. */
int graph_query(struct call *c, const char *type, const struct odata_rules *rules,
                struct odata_query *ret);
/* From here on the writer leaves out what $select and $expand don't name. keep: enum odata_keep;
 * list: the things are in "value". Before anything is written. 0, -1. */
int graph_select(struct call *c, const struct odata_query *q, unsigned keep, bool list);
/* The question that $search asks (kql_parse()). 0, -1. */
int graph_search(struct call *c, const struct kql_language *l, const struct odata_query *q,
                 const struct search **ret);

/* Of who may read the basics of messages and events alone (Mail.ReadBasic, Calendars.ReadBasic): a
 * search, and a filter, an order or an expansion of what that leaves out, are refused. 0, -1. */
int graph_check_basic(struct call *c, const struct odata_query *q);

#endif
