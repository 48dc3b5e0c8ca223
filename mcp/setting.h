/* SPDX-License-Identifier: Apache-2.0 */
/* Which set of tools counts: the names of all, and the one that a world has. */
#ifndef SOSIA_MCP_SETTING_H
#define SOSIA_MCP_SETTING_H

#include "engine/world/core.h"

#define MCP_SECTION "tools" /* of a seed document: the name of a set */

extern const char *const tool_sets[]; /* in the order of enum tool_set; NULL-terminated */
/* Its place among them; -1: there is no such set. */
int tool_set_named(const char *text);
/* "common, native, hosted, ... or agent365", in the arena. */
const char *tool_set_names(struct arena *a);
/* The one that the world of a transaction has; 0 (common) if it says nothing. -1: tx->err. */
int tool_set_of_world(struct tx *tx, int *ret);

extern const struct sosia_core mcp_core;

#endif
