/* SPDX-License-Identifier: Apache-2.0 */
/* Between the files on processes. */
#ifndef SOSIA_WORKSPACE_E2B_PROCESS_H
#define SOSIA_WORKSPACE_E2B_PROCESS_H

#include "services/workspace/core/process.h"

/* The one message that comes; NULL: refused. */
const struct json *e2b_read_message(struct call *c);
/* The frames of a program that has ended. */
int e2b_program_answer(struct call *c, const struct program_outcome *o);
/* The frames of what a process has written, and those of its end. terminal: it has one. */
int e2b_process_answer(struct call *c, const struct process_answer *a, bool terminal);
/* {"columns", "rows"} of a terminal's size. */
void e2b_put_size(struct json_writer *w, const char *name, const struct json *size);

#endif
