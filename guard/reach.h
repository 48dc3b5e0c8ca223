/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whom a call reaches, as policies ask it: an object with lists of addresses.
 *
 * people: those of the world, other than the caller, whose things the call changed, and all others
 * that it wrote to; outside: of these the ones that are not of the caller's organisation;
 * strangers: of these the ones to whom nothing ever went from the caller before; access: those who
 * got access to something, "anyone" for everybody who has a link; audience: of people the ones who
 * are where it is put, as members of a channel.
 */
#ifndef SOSIA_GUARD_REACH_H
#define SOSIA_GUARD_REACH_H

#include "engine/http/call.h"
#include "engine/state/change.h"

extern const char *const policy_variables[]; /* "actor", "domain"; NULL-terminated */

/* Whether a path begins with the name of one of the lists. */
bool reach_has(const char *path);
/* Of what a call in its transaction has changed; in the arena of the list. NULL without memory or
 * with tx->err. */
const struct json *reach_of(struct call *c, struct changes *list);
/* The domain of an address; "": it has none. */
const char *reach_domain(const char *address);

#endif
