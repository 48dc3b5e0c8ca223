/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Looking: a request that only reads, answered as a person of a world without a trace. It runs on a
 * stage (replay.h) that has the world's state and time and is gone afterwards: no clock ticks,
 * nothing that is due happens, no entry is written, no policy, budget, fault or rate has a say.
 */
#ifndef SOSIA_REPLAY_LOOK_H
#define SOSIA_REPLAY_LOOK_H

#include "sosia.h"

#define LOOK_NOW (-1)

/* step: the number of the entry behind which the state is; LOOK_NOW: the present one. request: its
 * target is the path and query in the world, perhaps with "/@HOST" before them, and it has neither
 * credential nor Host. FORBIDDEN "looksOnly": its method may do more than read; NOT_FOUND: there is
 * no such method, or step. */
int look(struct sosia_engine *e, uint64_t world, int64_t step, const char *actor,
         const struct sosia_request *request, struct sosia_response **ret, struct sosia_err *err);

#endif
