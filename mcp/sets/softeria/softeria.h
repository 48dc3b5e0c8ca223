/* SPDX-License-Identifier: Apache-2.0 */
/* What the tools of the set "softeria" run. */
#ifndef SOSIA_MCP_SOFTERIA_H
#define SOSIA_MCP_SOFTERIA_H

#include "mcp/sets/set.h"

int softeria_run(struct set_run *r, const struct json **ret);

#endif
