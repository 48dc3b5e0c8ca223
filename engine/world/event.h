/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events: what happened in a world, as cores say it and vendors subscribe to it. An event lives as
 * long as the transaction that raised it; a vendor turns it into what it sends (rows of the outbox)
 * or keeps (feeds of its own). Coalescing is the vendor's business: here every change is an event,
 * in the order in which it was made.
 */
#ifndef SOSIA_WORLD_EVENT_H
#define SOSIA_WORLD_EVENT_H

#include "engine/world/tx.h"

enum event_operation { OP_ADDED, OP_CHANGED, OP_REMOVED };

struct world_event {
    const struct world_event *next; /* the one raised after it; NULL: the last */
    int64_t number;                 /* its place in the transaction, from 1 */
    const char *kind;               /* what changed, a static string: "calendar.events" */
    enum event_operation operation;
    int64_t scope;  /* what watchers watch: the calendar, mailbox or channel it is in; rowid */
    int64_t entity; /* rowid of what changed; 0: several, or the scope itself */
    int64_t actor;  /* who did it; 0: nobody (the clock, a seed document) */
    int64_t app;    /* through which app; 0: none */
    /* Names of the members that changed, in the core's terms, NULL-terminated; NULL: all of them,
     * or not known. */
    const char *const *members;
    const void *detail; /* of the kind's core, in the arena; NULL: none */
};

/* Raises an event: kind, operation, scope, entity, members and detail are the caller's, the rest is
 * filled in here. Without memory the call fails later, as for everything in its arena. */
void event_raise(struct tx *tx, const struct world_event *event);

/* The same for what has nothing more to say. */
void event_note(struct tx *tx, const char *kind, enum event_operation operation, int64_t scope,
                int64_t entity);

/* For subscribers that coalesce: the first event of each kind and scope, in order; kind NULL: of
 * any kind. n of them in the arena. 0, -1 without memory. */
int events_distinct(struct tx *tx, const struct world_event *first, const char *kind,
                    const struct world_event ***ret, size_t *ret_n);

/* Ends the work of the call (tx_do_later()) and gives its events to the cores that subscribe to
 * them; what they raise is given too. 0, -1. */
int events_deliver(struct tx *tx);

#endif
