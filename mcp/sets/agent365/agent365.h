/* SPDX-License-Identifier: Apache-2.0 */
/* What the tools of the set "agent365" run, their filters, and the endpoint of their servers. */
#ifndef SOSIA_MCP_AGENT365_H
#define SOSIA_MCP_AGENT365_H

#include "mcp/sets/set.h"

int agent365_attach(struct set_run *r, const struct json **ret);
int agent365_large(struct set_run *r, const struct json **ret);
int agent365_answer(struct set_run *r, const struct json **ret);
int agent365_thread(struct set_run *r, const struct json **ret);
int agent365_list_users(struct set_run *r, const struct json **ret);

extern const struct set_filter agent365_filters[];

extern const struct dialect agent365_dialect;

#endif
