/* SPDX-License-Identifier: Apache-2.0 */
/* `sosia replay --run`: programs of a journal run again, each in a fork of the state in which it
 * was run, and what comes otherwise. */
#ifndef SOSIA_CLI_RERUN_H
#define SOSIA_CLI_RERUN_H

#include "cli/cli.h"

/* Of the entries behind `from` up to `to` (0: to the end); first: ends with the first that differs.
 * Gives the exit code. */
int rerun(struct client *c, int64_t from, int64_t to, bool first);

#endif
