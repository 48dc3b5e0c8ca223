/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Evaluations: worlds in which somebody is judged, who must not get out of them, get others in, or
 * do anything unseen. One flag of a world; all that it switches is here, and in the table of
 * docs/server.md.
 */
#ifndef SOSIA_WORLD_EVALUATION_H
#define SOSIA_WORLD_EVALUATION_H

#include "engine/world/engine.h"

/* The locked world is one from now on. */
void evaluation_begin(struct world *w);
/* All worlds of an engine that was opened for evaluations. 0, -1. */
int evaluation_begin_all(struct sosia_engine *e, struct sosia_err *err);

static inline bool world_is_evaluation(const struct world *w)
{
    return w->flags & WORLD_EVALUATION;
}

/* Receivers: nothing is sent out of it over HTTP, wherever the operator lets others send. */
static inline bool evaluation_has_no_receivers(const struct world *w)
{
    return world_is_evaluation(w);
}

/* The journal has all calls, those too that only read, and can't have fewer. */
static inline bool evaluation_keeps_reads(const struct world *w)
{
    return world_is_evaluation(w);
}

/* Registration: programs can't register, whatever its document says. */
static inline bool evaluation_registers_nobody(const struct world *w)
{
    return world_is_evaluation(w);
}

/* Sign-in: only programs that it knows, whatever its document and the engine say. */
static inline bool evaluation_knows_its_programs(const struct world *w)
{
    return world_is_evaluation(w);
}

#endif
