/* SPDX-License-Identifier: Apache-2.0 */
/* Actors as documents and diffs name them. */
#ifndef SOSIA_IDENTITY_SHOWN_H
#define SOSIA_IDENTITY_SHOWN_H

#include "engine/state/form.h"

/* The address of an actor, or the handle of one that has none; NULL: nobody. 0, -1. */
int actor_shown(struct tx *tx, int64_t id, const char **ret);
/* The same as a member; nothing for nobody. 0, -1. */
int actor_write(struct tx *tx, struct json_writer *w, const char *member, int64_t id);

/* For tables of members: who has a handle or an address, written so, or by the handle alone. */
extern const struct reference address_reference, handle_reference;

#endif
