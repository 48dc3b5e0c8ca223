/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SOSIA_GRADING_CALLS_H
#define SOSIA_GRADING_CALLS_H

#include "engine/base/arena.h"
#include "engine/json/json.h"
#include "sosia.h"

/* The members of a call (engine/world/members.h). */
extern const char calls_members[];

/* The calls of an episode in the world `to`, as a list in the arena: those since it began, or since
 * the last one of the world that it is compared with (from; 0: none). task: who asks, for the
 * message where the journal keeps none. bodies: with request and response. 0, -1. */
int calls_read(struct sosia_engine *e, uint64_t from, uint64_t to, const char *task, bool bodies,
               struct arena *a, const struct json **ret, struct sosia_err *err);

#endif
