/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tools in three steps, where a policy of the world asks for them (approvals.staged): createDraft
 * keeps a call of another tool, with which nothing is done; requestApproval asks for it;
 * commitApprovedDraft makes it when it was approved. A draft is an action of the world
 * (guard/action.h), whose name both ids are made of.
 */
#ifndef SOSIA_MCP_STAGED_H
#define SOSIA_MCP_STAGED_H

#include "mcp/tool.h"

/* Adds them to the list, if the caller has them. */
void staged_list(struct mcp_call *m);
/* Calls one of them. 1; 0: it is none, or the caller has none; -1: refused. */
int staged_call(struct mcp_call *m, const char *name, const struct json *arguments);

#endif
