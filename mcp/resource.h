/* SPDX-License-Identifier: Apache-2.0 */
/* Resources: what a world's services hold, under URIs that lead to a method which reads it. */
#ifndef SOSIA_MCP_RESOURCE_H
#define SOSIA_MCP_RESOURCE_H

#include "mcp/tool.h"

/* A place among the kinds of resources of the endpoint's services; begins as {0}. */
struct kind_place {
    const struct dialect *dialect;
    const struct tool_resource *kind;
};
/* Goes to the next kind; false: there are no more. */
bool kind_next(const struct mcp_call *m, struct kind_place *at);
/* A page of a kind's list. */
struct resource_page {
    const char *at;   /* what the page before said; NULL: the first */
    const char *next; /* set: for the next page, in the arena; NULL: this is the last */
    bool refused;     /* set: the service does not know the page, or what is on it is not for the
                         token; nothing is listed */
};
/* Calls fn for each resource of a kind that is listed. 0; -1: no memory. */
int kind_each(struct mcp_call *m, const struct tool_resource *k, struct resource_page *page,
              void (*fn)(void *arg, const struct tool_resource *k, const struct json *item),
              void *arg);

#endif
