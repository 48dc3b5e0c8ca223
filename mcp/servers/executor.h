/* SPDX-License-Identifier: Apache-2.0 */
/* Between the files of the server "code-executor". */
#ifndef SOSIA_MCP_EXECUTOR_H
#define SOSIA_MCP_EXECUTOR_H

#include "mcp/servers/run.h"

#define EXECUTOR_DIRECTORY "repos/mcp_code_executor_workspace" /* in the workspace */
#define PYTHON_DIRECTORY   ".python_tmp"
enum { EXECUTOR_OUTPUT = 1 << 20, EXECUTOR_PACKAGES = 200 };

int executor_code(struct call *c);
int executor_file(struct call *c);
int executor_initialize(struct call *c);
int executor_append(struct call *c);
int executor_read(struct call *c);
int executor_install(struct call *c);
int executor_check(struct call *c);
int executor_configure(struct call *c);
int executor_config(struct call *c);
int executor_python(struct call *c);

#endif
