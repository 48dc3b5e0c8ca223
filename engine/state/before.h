/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Entities of a state that many others are compared with, as the start of an evaluation's worlds
 * is: each is read once, and kept until that state's pages are gone. For threads that compare with
 * it at once.
 */
#ifndef SOSIA_STATE_BEFORE_H
#define SOSIA_STATE_BEFORE_H

#include "engine/store/rowdiff.h"
#include "engine/world/core.h"

struct before;
struct json;

/* What is kept beside the state; NULL: nothing is, or there is no memory for it. It and what is
 * found in it live until p is released. */
struct before *before_of(struct parents *p);
/* Whether the entity was kept, with the same `all` that *about has; then *about is filled and *ret
 * given, NULL: it is not there. b may be NULL. */
bool before_find(struct before *b, const struct entity *entity, int64_t rowid,
                 struct entity_about *about, const struct json **ret);
/* Copies the texts of *about. */
void about_copy(struct arena *a, struct entity_about *about);
/* Copies what was read of an entity that depends on nothing but the state. Not kept: what is large,
 * or more than there is room for. */
void before_keep(struct before *b, const struct entity *entity, int64_t rowid,
                 const struct entity_about *about, const struct json *value);

#endif
