/* SPDX-License-Identifier: Apache-2.0 */
/* Between the files of the server "desktop-commander". */
#ifndef SOSIA_MCP_DESKTOP_H
#define SOSIA_MCP_DESKTOP_H

#include "mcp/servers/run.h"

enum { DESKTOP_LINES = 1000, DESKTOP_WRITTEN = 50, DESKTOP_OUTPUT = 4 << 20 };
/* A bound of results, as the original calls it, and some vendors too. */
#define DESKTOP_MOST                                                                               \
    "max"                                                                                          \
    "Results"
extern const char *const desktop_blocked[]; /* commands; NULL-terminated */

/* "Error: ..." as the result. */
__attribute__((format(printf, 2, 3))) int desktop_fail(struct call *c, const char *fmt, ...);

int desktop_read(struct call *c);
int desktop_write(struct call *c);
int desktop_mkdir(struct call *c);
int desktop_list(struct call *c);
int desktop_move(struct call *c);
int desktop_edit(struct call *c);
int desktop_read_several(struct call *c);
int desktop_info(struct call *c);
int desktop_search(struct call *c);
int desktop_search_more(struct call *c);
int desktop_search_stop(struct call *c);
int desktop_searches(struct call *c);
int desktop_start(struct call *c);
int desktop_output(struct call *c);
int desktop_terminate(struct call *c);
int desktop_sessions(struct call *c);
int desktop_interact(struct call *c);
int desktop_config(struct call *c);

/* Whether a command has one of those that are blocked. */
bool desktop_is_blocked(const char *command);
/* Whether an output looks as if its process had finished. */
bool desktop_looks_finished(const char *text, size_t n);
/* As desktop_start(), where the world's setting lets processes go on. The arguments are read. */
int desktop_begin(struct call *c, const char *const *argv, const char *shell, int64_t timeout_ms);

#endif
