/* SPDX-License-Identifier: Apache-2.0 */
/* The option --carry of `sosia serve`: a file that names servers of others' tools. */
#ifndef SOSIA_CLI_CARRY_H
#define SOSIA_CLI_CARRY_H

#include "engine/base/arena.h"
#include "mcp/servers/carried.h"
#include "sandbox/carried.h"

struct runner;

struct carry {
    struct arena arena;
    struct carried list[CARRIED_MAX];
    struct mcp_carried shown[CARRIED_MAX]; /* what each says of itself */
    size_t n;
};

/* As of struct option_row, with the list. */
int carry_add(void *arg, const char *file);
/* Asks each for its tools, and serves them from here on. 0, -1. */
int carry_begin(struct carry *c, struct runner *r, struct sosia_err *err);
void carry_end(void);

#endif
