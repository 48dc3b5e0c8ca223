/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs the programs of an engine's calls (engine/send/program.h): each in a session of its own,
 * whose /data is a copy of the world's workspace, or a directory over one that is never changed, so
 * that nothing is left of it but what it changed there. One at a time for a world, and as many at
 * once as there are cores and one, in the order in which they came; those that wait for processes
 * that go on are not counted.
 */
#ifndef SOSIA_SANDBOX_RUNNER_H
#define SOSIA_SANDBOX_RUNNER_H

#include "engine/base/arena.h"
#include "sosia.h"

struct runner;
struct sandbox_limits;

/* program: of this `sosia` (sandbox_open()); limits: NULL: the usual ones. Nothing is started
 * before a program is to run. The engine asks it until runner_close(), which must come when no
 * call is under way. 0, -1. */
/* Who serves connections of programs to the services' hosts; without it these are refused. */
struct runner_services {
    /* A certificate in PEM that programs are to trust, as long as this is in force; NULL: none. */
    const char *(*authority)(void *arg);
    /* The socket is its own from here on. secure: the program speaks TLS. */
    void (*connected)(void *arg, uint64_t world, int fd, bool secure);
    void *arg;
};
int runner_open(struct sosia_engine *e, const char *program, const struct sandbox_limits *limits,
                struct runner **ret, struct sosia_err *err);
/* In force until the next one; NULL: nobody. When it gives back, the one before is not asked any
 * more. A keeper that runs goes on to trust what it has trusted when it was started. */
void runner_on_services(struct runner *r, const struct runner_services *services);
/* Servers that programs may be asked for in the place of a command (sandbox/carried.h), borrowed
 * until runner_close(); before anything runs. */
struct carried;
struct carried_about;
void runner_carry(struct runner *r, const struct carried *list, size_t n);
/* As carried_ask(), in a session without files. */
int runner_ask_carried(struct runner *r, const struct carried *k, struct arena *a,
                       struct carried_about *ret, struct sosia_err *err);
/* Workspaces of up to so many files and bytes are copied for a program, larger ones have a
 * directory over a base (sandbox/bases.h), if the machine has such. Usually 4,000 and 64 MiB. */
void runner_copies(struct runner *r, int64_t nodes, int64_t bytes);
/* How many bases there are. */
size_t runner_bases(struct runner *r);
/* Takes NULL. */
void runner_close(struct runner *r);
/* Whether this machine keeps programs in: 0; -1: IO, with what it refuses. *ret_layers, which may
 * be NULL: whether it has directories over others for those with large workspaces. */
int runner_probe(const char *program, bool *ret_layers, struct sosia_err *err);

#endif
