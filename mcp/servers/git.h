/* SPDX-License-Identifier: Apache-2.0 */
/* Between the files of the server "git". */
#ifndef SOSIA_MCP_GIT_H
#define SOSIA_MCP_GIT_H

#include "mcp/servers/run.h"

enum { GIT_ARGS = 500, GIT_OUTPUT = 4 << 20 };

struct git_run {
    const char *script;      /* of sh, in the repository */
    const char *const *args; /* NULL ends them */
    const char *cmdline;     /* that a failure shows */
    const char *repository;  /* as it was given */
};
/* 1: it has succeeded; 0: the handler returns, since it will run, or has failed, which is answered;
 * -1. */
int git_run(struct call *c, struct git_run *g, struct program_outcome *o);

/* The text as the whole result. 0, -1. */
int git_says(struct call *c, bool failed, const char *text);
int git_no_ref(struct call *c, const char *name);
/* The length without line feeds at the end. */
size_t git_stripped(const char *text, size_t n);

int git_log(struct call *c);
int git_show(struct call *c);

extern const struct rows git_rows;

#endif
