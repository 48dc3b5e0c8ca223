/* SPDX-License-Identifier: Apache-2.0 */
/* Filters of the community server's search for Slack. */
#ifndef SOSIA_MCP_COMMUNITY_QUERY_H
#define SOSIA_MCP_COMMUNITY_QUERY_H

#include "mcp/sets/community/slack.h"

/* The query with what the arguments "filter_..." ask for; refused where one is not as it must be.
 */
const struct json *query_of(struct set_run *r, const struct json *v, const char *arg,
                            const struct json *item);
/* The number of the page that a cursor stands for. */
const struct json *query_page(struct set_run *r, const struct json *v, const char *arg,
                              const struct json *item);
/* Lines of the messages that were found; the last one has the cursor of the next page. */
const struct json *query_hits(struct set_run *r, const struct json *v, const char *arg,
                              const struct json *item);

#endif
