/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs the programs of an engine's calls (engine/send/program.h): each in a session of its own,
 * whose /data is a copy of the world's workspace, so that nothing is left of it but what it changed
 * there. One at a time for a world, and as many at once as there are cores and one.
 */
#ifndef SOSIA_SANDBOX_RUNNER_H
#define SOSIA_SANDBOX_RUNNER_H

#include "sosia.h"

struct runner;
struct sandbox_limits;

/* program: of this `sosia` (sandbox_open()); limits: NULL: the usual ones. Nothing is started
 * before a program is to run. The engine asks it until runner_close(), which must come when no
 * call is under way. 0, -1. */
int runner_open(struct sosia_engine *e, const char *program, const struct sandbox_limits *limits,
                struct runner **ret, struct sosia_err *err);
/* Takes NULL. */
void runner_close(struct runner *r);
/* Whether this machine keeps programs in: 0; -1: IO, with what it refuses. */
int runner_probe(const char *program, struct sosia_err *err);

#endif
