/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The values that people of an organisation wrote into the rows of a world, and those that others
 * did. It depends on the world's rows alone, and follows them by what differs between two states.
 *
 * A row is written by those whom its members name as its author, sender, owner, organizer or last
 * editor, parts of it (a comment, a guest's answer) by their own; where one of several is an
 * outsider it is the outsider's. What an agent wrote from outsiders' values is theirs still: marks
 * (guard_mark) say which. Where nobody is named it is the organisation's.
 */
#ifndef SOSIA_GUARD_TAINT_INDEX_H
#define SOSIA_GUARD_TAINT_INDEX_H

#include "engine/http/call.h"
#include "engine/world/engine.h"
#include "guard/taint/values.h"

struct taint_index;

/* Where an outsider's value is. */
struct taint_origin {
    const char *row;    /* "message/ada@acme.example/18c2" */
    const char *author; /* an address or a handle, as the row has it */
};

/* Brings *index (NULL: there is none yet) to the state of the call's transaction, for the caller's
 * organisation. It may be shared: the holder's reference is then given back, and *index is another
 * one. 0, -1 with tx->err. */
int taint_index_sync(struct call *c, struct taint_index **index);
struct taint_index *taint_index_ref(struct taint_index *x);
void taint_index_unref(struct taint_index *x); /* NULL is fine */
bool taint_index_inside(const struct taint_index *x, uint64_t value);
bool taint_index_outside(const struct taint_index *x, uint64_t value);
/* Raised when a value may be an outsider's that was not: texts without any have none until then. */
uint64_t taint_index_turn(const struct taint_index *x);
/* The row in which the last value of a text was found, where the next one likely is too. */
struct taint_found {
    size_t place;     /* in the index, while that is not changed */
    const char *name; /* NULL: none was found yet */
};
/* A row that has it: that of the hint, if it does, else the first in the order of kinds and rows,
 * which is the hint then; NULL: the first. Texts in the call's arena. 1, 0 none, -1. */
int taint_index_origin(struct call *c, const struct taint_index *x, uint64_t value,
                       struct taint_found *hint, struct taint_origin *ret);

/* Whom an id stands for that a service has for an actor ("U0ADA"), as its rows say; NULL: none. */
const char *taint_index_alias(const struct taint_index *x, const char *id);
int taint_index_add_alias(struct taint_index *x, const char *id, const char *actor);
/* "message/ada@acme.example/18c2" of a row, in the call's arena. 0, -1. */
int taint_row_name(struct call *c, const struct kind *kind, int64_t rowid, const char **ret);

#endif
