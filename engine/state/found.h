/* SPDX-License-Identifier: Apache-2.0 */
/* What a search over a whole world found, whatever the service: what lists of hits have of a thing.
 */
#ifndef SOSIA_STATE_FOUND_H
#define SOSIA_STATE_FOUND_H

#include "engine/world/core.h"

struct found {
    const struct sosia_core *core;
    const char *service; /* NULL: the core's name */
    const char *entity;  /* the name that the core has for it */
    int64_t rowid;
    const char *id;              /* in lists of the core; NULL: its key says enough */
    const char *actor;           /* whose it is: an address or a handle; NULL: nobody's */
    const char *title, *snippet; /* NULL: none */
    const char *place;           /* a channel's id, a calendar's; NULL: none */
    const char *vendor;          /* of the account that has it; NULL: unknown, or no matter */
    int64_t at_us;               /* 0: none */
    bool whole_days;             /* "at" is the midnight, in UTC, that begins its first day */
};

/* The way of a core to be searched: writes at most so many hits as items of the open array, the
 * newest first as far as it knows an order. 0, -1. */
typedef int found_fn(struct tx *tx, const char *text, size_t limit, struct json_writer *w);

/* {"service", "entity", "name", "key", "id", "actor", "vendor", "title", "snippet", "place", "at",
 * "day"} as an item of the open array. */
int found_write(struct tx *tx, struct json_writer *w, const struct found *f);

#endif
