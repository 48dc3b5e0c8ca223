/* SPDX-License-Identifier: Apache-2.0 */
/* Tools: what tools/list shows of one, and what tools/call does with it. */
#ifndef SOSIA_MCP_TOOL_H
#define SOSIA_MCP_TOOL_H

#include "mcp/mcp.h"

struct sosia_response;

/* A tool of the native set: a method of an API. */
struct mcp_tool {
    const struct mcp_service *service;
    const struct dialect *dialect;
    const struct route *route;
    char name[96];
};

/* Calls fn for each tool of the endpoint that the caller's token may use, in the order of services
 * and rows, until it gives non-zero. */
int tools_each(const struct mcp_call *m, int (*fn)(void *arg, const struct mcp_tool *tool),
               void *arg);

/* What a call to a method came to. */
struct mcp_answer {
    struct sosia_response *response; /* free with sosia_response_free(), whatever else */
    const char *type;                /* media type; "": none */
    const char *body;                /* len bytes, NUL-terminated */
    size_t len;
    const struct json *json; /* NULL: the body is not JSON */
    bool refused;            /* by the service: body says why */
};
/* Calls a method with a tool's arguments, as the caller: where each goes is said by the row. A
 * member "body" is the request's body, "media" what comes beside it. 1; 0: an argument is not as it
 * must be, *ret_why says how; -1: no memory. */
int tool_invoke(struct mcp_call *m, const struct mcp_tool *tool, const struct json *arguments,
                struct mcp_answer *ret, const char **ret_why);
/* The same for a GET of a path with its query, for lists of resources. -1: no memory. */
int tool_get(struct mcp_call *m, const char *target, struct mcp_answer *ret);
/* A refusal in words: "404 notFound: Not Found". */
const char *answer_why(struct mcp_call *m, const struct mcp_answer *a);

/* Members of a tool's argument "media". */
#define MEDIA "media"
#define BODY  "body"

#endif
