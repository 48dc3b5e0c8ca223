/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the values of calls come from: a value is tainted if an outsider wrote it into what this
 * run has read, and nobody of the caller's organisation wrote it (docs/guardrails.md). Only worlds
 * with a policy that asks for it keep any of this.
 *
 * What a run has read is known from its answers: of the values in them those that outsiders wrote
 * are kept, with the row and its author. A run is the calls of one actor by one app, or those of
 * them that have the same label "run".
 */
#ifndef SOSIA_GUARD_TAINT_H
#define SOSIA_GUARD_TAINT_H

#include "guard/judge.h"
#include "guard/taint/taint_index.h"

struct taint;      /* of a world */
struct taint_call; /* of a call that is judged */

/* From the world's rows; old: what is beside them, NULL or of a state that is gone: not known. It
 * is taken over, or freed. asked: some policy asks, else *ret is NULL. 0, -1. */
int taint_load(struct tx *tx, struct taint *old, bool asked, struct taint **ret);
struct taint *taint_copy(const struct taint *t); /* NULL without memory */
void taint_free(struct taint *t);                /* NULL is fine */
/* Whether it is of the state that the world has gone on from. */
bool taint_is_of(const struct taint *t, const struct world *w);
/* Writes what was read since it was written last. 0, -1. */
int taint_save(struct tx *tx, struct taint *t);
/* Whether there is something to write. t NULL: nothing. */
bool taint_is_unsaved(const struct taint *t);
/* A call is undone: what was written in it is not there. */
void taint_unsaved(struct taint *t);

/* Before the call, which a policy is asked of. agent: by one that asks for taint. 0, -1. */
int taint_begin(struct call *c, struct judged *j, struct taint *t, bool agent);
/* Whether the call's arguments are as a rule says. 1, 0, -1. */
int taint_holds(struct call *c, struct judged *j, const struct policy_rule *rule);
/* The call has succeeded: rows that have outsiders' values from it are marked. */
int taint_written(struct call *c, struct judged *j);
/* Its answer is there: what it shows has been read. */
int taint_read(struct call *c, struct judged *j);
/* What a world's runs have read since then (NULL: ever), as items of an open list; and such a
 * list counts as read by the call's run. t NULL: nothing. 0, -1. */
void taint_since(struct json_writer *w, const struct taint *t, const struct taint *before);
int taint_take(struct call *c, struct judged *j, const struct json *list);
/* The member "tainted" of the journal's entry. */
void taint_write(const struct judged *j, struct json_writer *w);
/* Looks at the arguments for the journal, if no rule has. 0, -1. */
int taint_look(struct call *c, struct judged *j);

/* Members of what is said of tainted values beside their forms (value_forms); NULL ends them. */
extern const char *const taint_members[];
/* Whether a path of a condition begins with a member of what is said of tainted values. */
bool taint_has(const char *path);

#endif
