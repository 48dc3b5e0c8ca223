/* SPDX-License-Identifier: Apache-2.0 */
/* Resources: what a world's services hold, under URIs that lead to a method which reads it. */
#ifndef SOSIA_MCP_RESOURCE_H
#define SOSIA_MCP_RESOURCE_H

#include "mcp/tool.h"

/* A kind of resources. Names in braces are variables of its URIs. */
struct resource_kind {
    const char *service; /* struct mcp_service, name */
    const char *uri;     /* "calendar://{calendarId}" */
    const char *name, *title, *summary;
    const char *read; /* target with the variables, and {now} */
    /* Those that there are; NULL: they are too many to be listed. */
    const char *list;                /* target */
    const char *items, *id, *called; /* members: of the response, of an item */
    const char *page, *next;         /* where more are: a parameter, and the member it is from; */
                                     /* NULL: the list has one page */
    /* Of one whose content depends on what it is: reads it instead. NULL: read is enough. */
    int (*open)(struct mcp_call *m, const char *id, struct mcp_answer *ret);
};
extern const struct resource_kind resource_kinds[]; /* ends with a service of NULL */

/* Is the kind's service one of the endpoint? */
bool kind_is_here(const struct mcp_call *m, const struct resource_kind *k);
/* A page of a kind's list. */
struct resource_page {
    const char *at;   /* what the page before said; NULL: the first */
    const char *next; /* set: for the next page, in the arena; NULL: this is the last */
    bool refused;     /* set: the service does not know the page, or what is on it is not for the
                         token; nothing is listed */
};
/* Calls fn for each resource of a kind that is listed. 0; -1: no memory. */
int kind_each(struct mcp_call *m, const struct resource_kind *k, struct resource_page *page,
              void (*fn)(void *arg, const struct resource_kind *k, const struct json *item),
              void *arg);

#endif
