/* SPDX-License-Identifier: Apache-2.0 */
/* Helpers of the tools that run programs on the workspace. */
#ifndef SOSIA_MCP_RUN_H
#define SOSIA_MCP_RUN_H

#include "mcp/servers/server.h"
#include "services/workspace/core/program.h"

/* A result of several texts, one after the other. */
struct run_result {
    struct call *c;
    bool failed; /* the result says isError */
};
void run_begin(struct run_result *r, struct call *c);
/* error: the block has a member of that name, as some programs have it. */
void run_text(struct run_result *r, const char *text, size_t n, bool error);
/* A picture of n bytes. */
void run_image(struct run_result *r, const char *data, size_t n, const char *type);
int run_end(struct run_result *r);

/* One text as the whole result. */
int run_says(struct call *c, bool failed, const char *text, size_t n);

/* A shell's words for one argument: 'it'\''s'. In the arena. */
const char *run_quoted(struct arena *a, const char *text);

#endif
