/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A hosted sandbox service's HTTP API, served here: acquire, initialize, interact, dump, reset,
 * release. A sandbox is a world, made as a fork of an empty account; its record (whose it is, its
 * ids, its tag) is the world's note, so that it is on the disk with the world and ends with it.
 *
 * It is given to a server as what is beside the control interface, and is a principal of its own:
 * an API key opens it, which is a tenant's. A key reaches the sandboxes of its tenant and nothing
 * else; neither the control key nor a token of a world opens it.
 */
#ifndef SOSIA_HOSTED_HOSTED_H
#define SOSIA_HOSTED_HOSTED_H

#include "server/server.h"

struct hosted;
struct dialect;

/* Its operations, for documents: rows of the dialect "sosia.hosted", and those that clients of E2B
 * know, of "sosia.e2b". */
extern const struct dialect hosted_dialect, e2b_api_dialect;

#define TENANT_NAME_MAX 20
#define TENANT_KEY_MAX  128
#define TENANTS_MAX     64

/* Whose sandboxes are whose. */
struct hosted_tenant {
    const char *name; /* small letters, digits and dashes, a letter first: names of its worlds begin
                         with it */
    const char *key;  /* 8 to 128 visible characters; NULL: a random one */
    int64_t sandboxes; /* at a time; 0: 1000 */
    int64_t bytes;     /* that its sandboxes hold of their own; 0: 4 GiB */
    int64_t calls;     /* a second, in the mean of ten; 0: as many as come */
};

/* A suite that is served as a universe. */
struct hosted_universe {
    const char *file; /* in messages */
    const char *text; /* YAML or JSON */
    size_t len;
};

/* What is borrowed outlives the service, but for the tenants. */
struct hosted_options {
    struct sosia_engine *engine;
    const struct hosted_tenant *tenants;
    size_t n_tenants;
    const char *not_key; /* what no API key may be: the control key; NULL: anything */
    bool reached;        /* from other machines: keys have at least 16 characters */
    const struct hosted_universe *universes;
    size_t n_universes;
    /* As of struct control_options: the snapshot of a fixture that a suite names. */
    int (*fixture)(void *arg, const char *name, enum sosia_clock_mode clock, uint64_t *ret_snapshot,
                   struct sosia_err *err);
    void *fixture_arg;
    enum sosia_clock_mode clock; /* of new worlds */
};

/* Finds the sandboxes that a data directory has. INVALID: a tenant or a universe can't be that. */
int hosted_open(const struct hosted_options *options, struct hosted **ret_hosted,
                struct sosia_err *err);
/* For struct server_options. */
struct server_beside hosted_beside(struct hosted *hosted);
/* The key of the tenant with that place among the options'. */
const char *hosted_key(const struct hosted *hosted, size_t tenant);
/* After server_stop(). */
void hosted_close(struct hosted *hosted);

#endif
