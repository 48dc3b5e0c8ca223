/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Messages with a follow-up flag: a record by which the dialect of tasks asks that of mail, without
 * knowing it. It is laid down as a policy (struct core_policy) for the name below; a world's engine
 * may lack it. A mailbox is known by the scope, and a message by the entity, of the events that the
 * record names.
 */
#ifndef SOSIA_MICROSOFT_FLAGGED_H
#define SOSIA_MICROSOFT_FLAGGED_H

#include "engine/world/event.h"

#define GRAPH_FLAGGED "graph.flagged" /* the name of struct graph_flags */

/* A flag, and the message that has it. Texts live in the arena. */
struct graph_flagged {
    int64_t key;                        /* stays with the message, whatever folder it is in */
    const char *id, *subject, *web_url; /* subject: "" without one */
    int importance;                     /* -1 low, 0, 1 high */
    int64_t came_us;
    bool complete;
    int64_t start_us, due_us, done_us; /* 0: not said */
};

struct graph_flags {
    const char *kind; /* of events of messages; an entity 0: any number of them */
    /* Whose mailbox it is, an account. 1; 0: not one of the vendor's; -1. */
    int (*owner)(struct tx *tx, int64_t scope, int64_t *ret_account);
    /* The messages with a flag, in the arena. 0, -1. */
    int (*list)(struct tx *tx, int64_t scope, int64_t **ret, size_t *ret_n);
    /* A message by the entity, or by the key. 1; 0: it has no flag, or is among what was deleted or
     * junk; the key is filled in if there is such a message, else 0; -1. */
    int (*of)(struct tx *tx, int64_t scope, int64_t entity, struct graph_flagged *ret);
    int (*find)(struct tx *tx, int64_t account, int64_t key, struct graph_flagged *ret);
    /* Gives the message of a key that flag, of `to` what is behind came_us; NULL: takes it away. 0,
     * also where there is no such message; -1. */
    int (*set)(struct tx *tx, int64_t account, int64_t key, const struct graph_flagged *to);
    /* How diffs name the message of a key, or all messages with a flag (key 0), to those that
     * follow from them (struct entity_about). In the arena; NULL: there is no such mailbox. */
    const char *(*named)(struct tx *tx, int64_t account, int64_t key);
};

#endif
