/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Deliveries: entries of the outbox that go to a receiver over HTTP. What is sent, when it is tried
 * again, and what came of each attempt are rows of the world; who sends (the server, or a callback)
 * is outside and says what came back in a call of its own (sosia_delivery_outcome()), which is in
 * the journal: a replay needs no receiver.
 *
 * A delivery is pending while an attempt is to be made or under way, waits for the world's clock
 * between attempts, and ends delivered or given up. What a world had pending when it was forked,
 * reset or imported is not its own and is not sent, unless the fork inherits deliveries.
 */
#ifndef SOSIA_WORLD_DELIVERY_H
#define SOSIA_WORLD_DELIVERY_H

#include "engine/tx.h"
#include "sosia.h"

enum delivery_verdict { DELIVERY_GOOD, DELIVERY_AGAIN, DELIVERY_BAD };

/* How a vendor delivers one kind of message; cores list theirs. */
struct delivery_kind {
    const char *name; /* unique: "google.channel" */
    /* Seconds of the world's clock to wait before the second, third... attempt; ends with 0. */
    const int32_t *waits_s;
    /* What an outcome means; AGAIN is BAD when no wait is left. */
    enum delivery_verdict (*judge)(const struct sosia_outcome *outcome);
    /* The delivery has ended: ref is what it was added with, verdict GOOD or BAD. 0, -1 fails the
     * outcome's call. NULL: nobody cares. */
    int (*ended)(struct tx *tx, int64_t ref, enum delivery_verdict verdict,
                 const struct sosia_outcome *outcome);
};

struct delivery {
    const struct delivery_kind *kind;
    int64_t ref;        /* the kind's own */
    const char *from;   /* who sends, for people who read the outbox: "google" */
    const char *method; /* "POST" */
    const char *url;    /* http or https */
    const char *body;   /* UTF-8 */
    const struct sosia_header *headers;
    size_t n_headers;
};

/* Puts a message into the outbox (kind "webhook"; payload {method, url, headers, body}) and makes
 * it pending; whoever sends is told after the commit. ret_id: its number in the outbox; NULL: not
 * wanted. 0, -1. */
int delivery_add(struct tx *tx, const struct delivery *d, int64_t *ret_id);

/* For the listing of the outbox: writes the member "delivery" of an entry that is one. 0, -1. */
int delivery_write(struct tx *tx, int64_t entry, struct json_writer *w);
/* The first and last entry that is pending and the world's own: 1; none: 0; -1. */
int delivery_open_range(struct tx *tx, int64_t *ret_first, int64_t *ret_last);

extern const struct sosia_core delivery_core; /* every engine has it */

#endif
