/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Questions about calls that a policy holds, asked of people by their clients
 * (elicitation/create, of revisions 2025-06-18 and later). An approver is asked on the stream of a
 * session that was opened with a credential of their own, as soon as something is held or the
 * stream is opened. Where a policy says so, a tool that is held asks the client that has called it,
 * in its answer. What may be asked of whom, and what an answer is good for, is the guard's to say
 * (engine/world/guard.h).
 */
#ifndef SOSIA_MCP_APPROVE_H
#define SOSIA_MCP_APPROVE_H

#include "mcp/hub.h"

/* Something is held in a locked world, in no transaction: approvers who listen are asked. */
void approve_ask(struct sosia_engine *e, struct world *w);
/* The session of a message has its stream from now on; after: as hub_session_stream(). */
void approve_listening(struct mcp_call *m, int64_t after);
/* An approver's client has answered. */
void approve_answered(struct mcp_call *m, const struct hub_pending *p);

/* Decides as the client has answered what its tool was held for, before that is called once more.
 */
void approve_before(struct mcp_call *m);
/* A tool was called, and its result is written. Was it held, and is its client asked? Then what was
 * written behind the mark is replaced. 0, -1: refused. */
int approve_after(struct mcp_call *m, const struct json_mark *mark);

#endif
