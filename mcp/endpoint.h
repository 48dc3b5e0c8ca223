/* SPDX-License-Identifier: Apache-2.0 */
/* What the transports share: one in which each message is a request of its own (endpoint.c), and
 * the one before it (legacy.c). */
#ifndef SOSIA_MCP_ENDPOINT_H
#define SOSIA_MCP_ENDPOINT_H

#include "mcp/hub.h"

/* The body of a POST as JSON. 0, -1: the call has failed. */
int endpoint_body(struct call *c, const struct json **ret);
/* The call's answer is a stream of events from now on, of which the response has one reference. */
void endpoint_stream(struct call *c, struct sosia_stream *s);
/* Does the field Accept have the media type, or is the field absent? */
bool endpoint_accepts(const struct call *c, const char *type);
int endpoint_no_session(struct call *c);
int endpoint_no_memory(struct call *c);

/* An endpoint's handler of POST, and parts of its front: for endpoints on other hosts. */
int endpoint_serve(struct call *c, const struct mcp_face *face);
/* The same with the tools of one server of a set; fn: endpoint_listen(), endpoint_end(); NULL: a
 * message. */
int endpoint_of_server(struct call *c, const char *name, int (*fn)(struct mcp_call *m));
/* What tools need to know of a caller: for its begin, and behind the credential. 0, -1. */
int endpoint_read_setting(struct call *c);
int endpoint_read_accounts(struct call *c);
void endpoint_credential(struct call *c);
int endpoint_begin(struct call *c);
void endpoint_error(struct call *c);

/* legacy.c: GET opens a stream, whose first event says where messages are posted to. */
int legacy_open(struct mcp_call *m);
int legacy_post(struct mcp_call *m);

/* sse.c: GET and DELETE of the endpoint. */
int endpoint_listen(struct mcp_call *m);
int endpoint_end(struct mcp_call *m);

#endif
