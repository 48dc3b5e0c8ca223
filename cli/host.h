/* SPDX-License-Identifier: Apache-2.0 */
/* An engine with a server around it: what `sosia serve` serves, and what commands start for
 * themselves. */
#ifndef SOSIA_CLI_HOST_H
#define SOSIA_CLI_HOST_H

#include "cli/carry.h"
#include "cli/tenants.h"
#include "sandbox/runner.h"
#include "server/server.h"
#include <pthread.h>
#include <time.h>

#define FIXTURE_NAME_MAX 200

struct fixture_cache {
    struct sosia_engine *engine;
    const char *dir;
    pthread_mutex_t mutex;
    struct entry {
        struct entry *next;
        char name[FIXTURE_NAME_MAX + 1];
        enum sosia_clock_mode clock;
        uint64_t snapshot; /* 0: none */
        time_t made;
    } * entries;
};

struct host {
    struct sosia_engine *engine;
    struct control *control;
    struct hosted *hosted; /* NULL: it has no tenants */
    struct server *server;
    struct runner *runner; /* of programs on workspaces */
    struct carry *carry;   /* servers that it carries; NULL: none */
    struct fixture_cache fixtures;
};

extern const char *const host_clocks[]; /* words for enum sosia_clock_mode; ends with NULL */

/* A snapshot of a fixture, made once for each kind of clock; arg: a struct fixture_cache. 0, -1. */
int host_snapshot(void *arg, const char *name, enum sosia_clock_mode clock, uint64_t *ret_snapshot,
                  struct sosia_err *err);
/* The engine and its control interface, not served yet. clock: of worlds that are made without
 * one. runs, workflows: folders that the console shows, NULL: none. 0, -1: nothing is left. */
int host_open(struct host *h, const struct sosia_engine_options *eo, const char *fixtures,
              const char *runs, const char *workflows, enum sosia_clock_mode clock,
              struct sosia_err *err);
/* Sandboxes, whose worlds have the clock that others have. 0, -1. */
int host_tenants(struct host *h, const struct tenant_options *t, const struct server_options *so,
                 bool loopback, enum sosia_clock_mode clock, struct sosia_err *err);
/* Starts the server: so, with what the host adds to it. 0, -1. */
int host_serve(struct host *h, struct server_options *so, struct sosia_err *err);
/* Ends all of it, whatever there is. */
void host_stop(struct host *h);

#endif
