/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SOSIA_GRADING_CALLS_H
#define SOSIA_GRADING_CALLS_H

#include "engine/base/arena.h"
#include "engine/json/json.h"
#include "sosia.h"

/* The members of a call (engine/world/members.h). */
extern const char calls_members[];

/* Which calls of an episode the journal of the world `to` has. */
struct calls_kept {
    int64_t after;  /* the episode's are behind this entry: those of the world since it began, or,
                       where its journal goes on from that of the world that it is compared with,
                       since that one's last */
    uint64_t since; /* that world; 0: they are since the state that `to` resets to */
    bool writes;    /* each that may write is there */
    bool reads;     /* and each that only reads */
};
/* from: the world that is compared with; 0: none. 0, -1. */
int calls_kept(struct sosia_engine *e, uint64_t from, uint64_t to, struct arena *a,
               struct calls_kept *ret, struct sosia_err *err);
/* The calls behind an entry of the world `to`, as a list in the arena. bodies: with request and
 * response. 0, -1. */
int calls_read(struct sosia_engine *e, uint64_t to, int64_t after, bool bodies, struct arena *a,
               const struct json **ret, struct sosia_err *err);
/* An entry of a journal as assertions see its call: an object. a: of what it takes to write it. */
void call_write(struct arena *a, struct json_writer *w, const struct json *entry);

#endif
