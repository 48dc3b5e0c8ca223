/* SPDX-License-Identifier: Apache-2.0 */
/* Sets of tools, as the rest of mcp/ sees them. Their tools are data (docs/adding.md). */
#ifndef SOSIA_MCP_SETS_H
#define SOSIA_MCP_SETS_H

#include "mcp/tool.h"

/* Calls add() with each tool of every set for a dialect's service, in the order of the files. A
 * tool lives in the arena, and add() copies the struct. One whose method the dialect does not have
 * is left out.
 */
void sets_list(struct arena *a, const struct dialect *d,
               void (*add)(void *arg, const struct mcp_tool *t), void *arg);
/* The server of its set that a tool belongs to; NULL: none. */
const char *sets_server(const struct mcp_tool *t);
/* Has a set a server of that name? */
bool sets_have_server(enum tool_set set, const char *name);
/* Writes the object that the list of tools shows of one. */
void sets_write(struct json_writer *w, const struct mcp_tool *t);
/* Calls a tool and writes the members of its result. 0; -1: no memory. */
int sets_serve(struct mcp_call *m, const struct mcp_tool *t, const struct json *arguments);

#endif
