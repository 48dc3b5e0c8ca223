/* SPDX-License-Identifier: Apache-2.0 */
/* What a program of a world gets of the services: hosts that lead into its world, and the
 * credentials that the world's setting gives it. None of it is in the world. */
#ifndef SOSIA_SANDBOX_SERVICES_H
#define SOSIA_SANDBOX_SERVICES_H

#include "services/workspace/core/program.h"

struct services {
    const char *hosts;              /* with spaces between them */
    const char *const *environment; /* names and tokens of who acts, and the spec's over them */
};

/* All of it in the arena. 0; -1: NOT_FOUND: there is nobody of that address. */
int services_of(struct sosia_engine *e, uint64_t world, const struct program_spec *spec,
                struct arena *a, struct services *ret, struct sosia_err *err);

#endif
