/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SOSIA_CLI_ANNOUNCE_H
#define SOSIA_CLI_ANNOUNCE_H

#include "server/server.h"
#include "sosia.h"

#define KEY_VARIABLE "SOSIA_CONTROL_KEY" /* of the environment */

/* What is served. */
struct serving {
    struct sosia_engine *engine;
    const struct server *server;
    uint64_t world;
    const char *name, *key; /* of the world */
    bool registration;      /* programs register in it */
    bool key_from_environment;
    const char *api_key;     /* of hosted sandboxes */
    bool kept;               /* in a data directory */
    const char *console_url; /* good once; "": there is no console */
    bool reached;            /* by other machines */
    bool web;                /* hosts of the world's web are among its hosts */
};

/* Prints the addresses, and who can call and how. -1: they can't be had, or not printed. */
int announce(const struct serving *s, struct sosia_err *err);
/* The token of the first who can call, as these print it. 1; 0: nobody can; -1. */
int announce_first(struct sosia_engine *e, uint64_t world, char ret_token[SOSIA_TOKEN_MAX],
                   struct sosia_err *err);
int announce_json(const struct serving *s, struct sosia_err *err);

#endif
