/* SPDX-License-Identifier: Apache-2.0 */
/* Replaying cassettes against a target. */
#ifndef SOSIA_CONFORMANCE_REPLAY_H
#define SOSIA_CONFORMANCE_REPLAY_H

#include "conformance/report/result.h"
#include "conformance/target/target.h"

/* Replays a cassette in a fresh world and adds a scenario to the result. An exchange that differs
 * does not end it; what fails, or can't be done here, skips what follows. -1: nothing more can be
 * replayed against this target. */
int replay_cassette(struct target *t, const struct cassette *c, struct result *result,
                    struct sosia_err *err);

#endif
