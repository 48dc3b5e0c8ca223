/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What cassettes are replayed against: worlds of an engine in this process, worlds of a running
 * sosia, or the real service with accounts that are for tests.
 */
#ifndef SOSIA_CONFORMANCE_TARGET_H
#define SOSIA_CONFORMANCE_TARGET_H

#include "conformance/cassette/cassette.h"

struct target {
    const struct target_ops *ops;
    const char *name; /* for results: "sosia 0.1.0", "https://api.acme.example" */
    bool real;        /* neither clock nor people can be had as one wishes */
};

/* Answers of these functions: 0; -1 with err: this could not be done, others may; TARGET_STOP with
 * err: nothing more can be done (unreachable, refused). */
enum { TARGET_STOP = -2, TARGET_SKIP = -3 /* of begin: can't be replayed here; err says why */ };

struct target_ops {
    /* A fresh world as the cassette wants it. */
    int (*begin)(struct target *t, const struct cassette *c, struct sosia_err *err);
    /* Afterwards, whatever begin() said. */
    void (*end)(struct target *t);
    /* An actor's token, or the address that requests shall name; NULL: there is none. */
    const char *(*token)(struct target *t, const struct cassette_actor *actor);
    const char *(*email)(struct target *t, const struct cassette_actor *actor);
    /* Serves a request; the answer lives in the arena. */
    int (*call)(struct target *t, struct arena *a, const struct sosia_request *request,
                struct sosia_response *ret_response, struct sosia_err *err);
    int (*now)(struct target *t, int64_t *ret_us, struct sosia_err *err);
    /* These are NULL where they can't be done; such steps, and what follows them, are skipped. */
    int (*advance)(struct target *t, int64_t us, struct sosia_err *err);
    int (*seed)(struct target *t, const char *doc, size_t len, struct sosia_err *err);
    int (*reset)(struct target *t, struct sosia_err *err);
    int (*revoke)(struct target *t, const struct cassette_actor *actor, struct sosia_err *err);
    /* Entries of the outbox behind number `after`, as a JSON array in the arena. */
    int (*outbox)(struct target *t, struct arena *a, int64_t after, const char **ret_json,
                  size_t *ret_len, struct sosia_err *err);
    void (*close)(struct target *t);
};

/* Where fixtures come from: their text lives in the arena. */
typedef int (*fixture_fn)(struct arena *a, const char *name, const char **ret_text, size_t *ret_len,
                          struct sosia_err *err);

/* The seed document that a cassette's world starts from, in the arena. */
int cassette_world_document(struct arena *a, const struct cassette *c, fixture_fn fixtures,
                            const char **ret_text, size_t *ret_len, struct sosia_err *err);

/* An engine of its own in this process. Equal worlds are made once and forked. */
int target_open_process(fixture_fn fixtures, struct target **ret_target, struct sosia_err *err);
/* Of such a target: when a scenario is over, what it did runs again from its world's journal; and
 * how many came to something else, of how many. What differs is printed to standard error. */
void target_process_journals(struct target *t);
uint64_t target_process_unequal(const struct target *t, uint64_t *ret_all);
/* A running sosia; key: its control key, or NULL. */
int target_open_sosia(const char *url, const char *key, const char *ca_file, fixture_fn fixtures,
                      struct target **ret_target, struct sosia_err *err);
void target_close(struct target *t);

#endif
