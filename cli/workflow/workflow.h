/* SPDX-License-Identifier: Apache-2.0 */
/* Agents that a workflow is checked with: a command, or runs that were recorded. */
#ifndef SOSIA_CLI_WORKFLOW_H
#define SOSIA_CLI_WORKFLOW_H

#include "guard/workflow/workflow.h"

struct driver {
    const char *command;       /* a line for the shell; NULL: none */
    const char *runs, *record; /* directories of recordings; NULL: none */
    const char *url;           /* of the server that the command speaks to */
    int64_t most_s;            /* that it may take */
    struct arena arena;        /* of fixtures */
    struct sosia_engine *engine;
    struct made_fixture {
        const char *name;
        uint64_t world;
    } made[16];
    size_t n_made;
};

/* For struct workflow_options; arg is a driver. */
int driver_fixture(void *arg, const char *name, uint64_t *ret_world, struct sosia_err *err);
int drive_command(void *arg, const struct workflow_start *s, const char **ret_answer,
                  const char **ret_why, struct sosia_err *err);
int drive_recorded(void *arg, const struct workflow_start *s, const char **ret_answer,
                   const char **ret_why, struct sosia_err *err);
int driver_keep(void *arg, const struct workflow_case *one, const char *answer,
                const struct json *journal, struct sosia_err *err);

#endif
