/* SPDX-License-Identifier: Apache-2.0 */
/* Options of `sosia serve` about tenants of hosted sandboxes, and its universes. */
#ifndef SOSIA_CLI_TENANTS_H
#define SOSIA_CLI_TENANTS_H

#include "engine/base/arena.h"
#include "hosted/hosted.h"

#define API_KEY_VARIABLE "SOSIA_API_KEY" /* of the environment */
#define UNIVERSES_MAX    32

struct tenant_options {
    struct hosted_tenant list[TENANTS_MAX]; /* the usual one first */
    size_t n;
    struct hosted_universe universes[UNIVERSES_MAX];
    size_t n_universes;
    struct arena arena;
};

/* As of struct option_row, with the options: NAME=KEY[,sandboxes=N][,bytes=N][,calls=N]; a file. */
int tenant_add(void *arg, const char *value);
int universe_add(void *arg, const char *value);
/* The usual tenant gets its key: the option's, or that of the environment; NULL: a random one. */
void tenant_usual(struct tenant_options *t, const char *key);

#endif
