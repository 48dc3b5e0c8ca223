/* SPDX-License-Identifier: Apache-2.0 */
/* Which changes of a world are changes of a resource, and of the list of resources. */
#ifndef SOSIA_MCP_WATCH_H
#define SOSIA_MCP_WATCH_H

#include "mcp/hub.h"
#include "mcp/resource.h"

/* The kind of the event that rules on calls are others now (engine/world/event.h). */
#define RULES_CHANGED "guard.rules"

#define MAX_LISTS 16 /* services whose lists are watched at once */

/* What a resource's content follows from. values: of the variables of its URI, decoded. 1; 0: there
 * is no such resource; -1. */
int watch_resource(struct mcp_call *m, const struct tool_resource *k, const char *const *values,
                   struct watched *ret);
/* What the list of the endpoint's resources follows from: at most MAX_LISTS. How many. */
size_t watch_lists(struct mcp_call *m, struct watched *ret);

/* Its kind and the values of its variables, decoded, in the arena; NULL: there is no such URI
 * here. */
const struct tool_resource *resource_find(struct mcp_call *m, const char *uri,
                                          const char *const **ret_values);
/* May the caller read it? 0, -1: refused. */
int resource_check(struct mcp_call *m, const char *uri);

#endif
