/* SPDX-License-Identifier: Apache-2.0 */
/* Tool servers of others that are carried: programs that speak the protocol in lines, which a
 * server of worlds runs on the workspace (sandbox/carried.h), each at an endpoint /mcp/NAME. Their
 * tools are asked for once, so that a list needs no program; a call is the method carried.call. */
#ifndef SOSIA_MCP_CARRIED_H
#define SOSIA_MCP_CARRIED_H

#include <stddef.h>

struct mcp_carried {
    const char *name;             /* of its endpoint: letters, digits, '-' and '_' */
    const char *server, *version; /* as it says itself */
    const char *tools;            /* the list, JSON */
};
#define CARRIED_MAX 16

/* What this process carries from here on, borrowed; before it serves, and NULL when it has. */
void mcp_carry(const struct mcp_carried *list, size_t n);
/* In the order in which they were given; NULL: there are no more. */
const struct mcp_carried *mcp_carried_at(size_t i);
/* By its name, len bytes; NULL: there is none. */
const struct mcp_carried *mcp_carried_named(const char *name, size_t len);

#endif
