/* SPDX-License-Identifier: Apache-2.0 */
/* Rooms, and lists of rooms, of tenants. A person of kind resource who has a calendar with
 * Microsoft is a room. */
#ifndef SOSIA_OUTLOOK_CALENDAR_PLACE_H
#define SOSIA_OUTLOOK_CALENDAR_PLACE_H

#include "engine/state/stored.h"
#include "identity/account.h"

enum ocal_place_kind { PLACE_ROOM, PLACE_LIST };

struct ocal_place {
    int64_t id;
    const char *key; /* a GUID */
    const char *email, *name;
    int kind;            /* enum ocal_place_kind */
    int64_t list;        /* the list that a room is in; 0: none */
    const char *details; /* JSON object of what Graph has besides; NULL: nothing */
};

extern struct stored ocal_places_stored;
/* A room for the actor of an account, unless there is one. 0, -1. */
int ocal_room_of(struct tx *tx, const struct actor *actor);
/* The next place of a tenant (its rowid), of a kind, in the order of addresses (after "": the
 * first); list: of rooms, those in it alone; 0: all. 1, 0, -1. */
int ocal_place_next(struct tx *tx, int64_t tenant, enum ocal_place_kind kind, int64_t list,
                    const char *after, struct ocal_place *ret);
/* By its id or address. 1, 0, -1. */
int ocal_place_find(struct tx *tx, int64_t tenant, const char *text, struct ocal_place *ret);
int ocal_place_save(struct tx *tx, const struct ocal_place *place);

#endif
