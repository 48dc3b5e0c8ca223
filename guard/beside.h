/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a held program asks in a fork of its world (world_is_beside()): its outcome has it, as an
 * object of
 *
 *   calls   the first BESIDE_CALLS of its calls, as objects; and `more`: how many others there are
 *   used    what they used of budgets and matched of faults; limits: the same of limits of policies
 *   read    what outsiders' values they have read, if a policy asks where values come from
 *
 * Calls were made when the program has run: they count in budgets and limits, and the journal has
 * them, whatever is decided on it. What they have read is read when the output is given out.
 */
#ifndef SOSIA_GUARD_BESIDE_H
#define SOSIA_GUARD_BESIDE_H

#include "engine/send/program.h"
#include "guard/judge.h"

#define BESIDE_CALLS 200

/* struct guard, `beside`. */
int beside_show(struct tx *tx, const struct guard_state *before, int64_t entry,
                struct json_writer *w);
/* What a second half has of it; NULL: its program was not held, or it is none. */
static inline const struct json *beside_of(const struct call *c)
{
    return c->ran ? json_get(c->ran, PROGRAM_BESIDE) : NULL;
}
/* Counts it, once. 0, -1. */
int beside_count(struct call *c);
/* Its output is given out: what it has read is read by the caller's run. 0, -1. */
int beside_read(struct call *c);
/* The member "calls" of the entry of the call whose program has just run. */
void beside_write(const struct call *c, struct json_writer *w);

#endif
