/* SPDX-License-Identifier: Apache-2.0 */
/* Resources of tool servers. */
#ifndef SOSIA_MCP_SERVER_RESOURCES_H
#define SOSIA_MCP_SERVER_RESOURCES_H

#include "mcp/servers/server.h"

int server_resources_list(struct mcp_call *m);
int server_templates_list(struct mcp_call *m);
int server_resources_read(struct mcp_call *m);
/* Says what a change of the resource follows from: 1; -1: refused. */
int server_watch(struct mcp_call *m, const char *uri, struct watched *ret);

#endif
