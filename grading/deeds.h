/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What each call of an episode did: the states that the journal keeps beside its entries are
 * compared one after the other. So a change is known by the call that made it, and a call whose
 * effect is there no more, since another one undid it, is known too.
 */
#ifndef SOSIA_GRADING_DEEDS_H
#define SOSIA_GRADING_DEEDS_H

#include "engine/state/change.h"
#include "grading/calls.h"

/* What an entry of the journal did to one thing. */
struct effect {
    const char *name; /* of the thing, as changes have it */
    const char *key;  /* of the row that it is of; NULL: not looked at */
    enum row_change kind;
    bool lasts;  /* some of it is among the changes of the whole */
    int64_t row; /* which of them; -1: none of them is of this thing */
};

struct deed {
    int64_t seq;
    const struct json *call; /* as assertions see it, without bodies; NULL: none that may write */
    const struct effect *effects;
    size_t n;
    bool adds;  /* something that is there now, or that leads there */
    bool stray; /* a call of whose effects none lasts, and none led to one that does */
};

struct deeds {
    struct deed *list; /* by seq; what changed nothing that anybody sees is not there */
    size_t n;
    const struct deed **of_row; /* by change of the whole: the last one that had to do with it as it
                                   is; NULL: none is known */
    const char *missing;        /* why they are not known; NULL: they are */
};

/* The deeds of the world `to`, whose changes since the episode's beginning are `whole`. 0, -1. */
int deeds_read(struct sosia_engine *e, uint64_t to, const struct calls_kept *kept,
               const struct changes *whole, struct arena *a, struct deeds *ret,
               struct sosia_err *err);

#endif
