/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Deliveries: entries of the outbox that go to a receiver over HTTP, or as a frame to one of the
 * sessions with a key (engine/http/session.h). What is sent, when it is tried
 * again, and what came of each attempt are rows of the world; who sends (the server, or a callback)
 * is outside and says what came back in a call of its own (sosia_delivery_outcome()), which is in
 * the journal: a replay needs no receiver.
 *
 * A delivery is pending while an attempt is to be made or under way, waits for the world's clock
 * between attempts, and ends delivered or given up. What a world had pending when it was forked,
 * reset or imported is not its own and is not sent, unless the fork inherits deliveries.
 */
#ifndef SOSIA_SEND_DELIVERY_H
#define SOSIA_SEND_DELIVERY_H

#include "engine/world/tx.h"
#include "sosia.h"

struct worker;
struct world;
struct call;
struct delivery;
struct delivery_attempt;
struct delivery_frame;

enum delivery_verdict { DELIVERY_GOOD, DELIVERY_AGAIN, DELIVERY_BAD };

/* How a vendor delivers one kind of message; cores list theirs. */
struct delivery_kind {
    const char *name; /* unique: "acme.channel" */
    /* Seconds of the world's clock to wait before the second, third... attempt; ends with 0. */
    const int32_t *waits_s; /* of frames: how long an attempt waits for its acknowledgement */
    /* What an outcome means; AGAIN is BAD when no wait is left. */
    enum delivery_verdict (*judge)(const struct sosia_outcome *outcome);
    /* The delivery has ended: ref is what it was added with, verdict GOOD or BAD. 0, -1 fails the
     * outcome's call. NULL: nobody cares. */
    int (*ended)(struct tx *tx, int64_t ref, enum delivery_verdict verdict,
                 const struct sosia_outcome *outcome);
    /* Of a kind whose response a call waits for (call_suspend()): writes the call's answer, or
     * fails it, which undoes what it does here but not the first half, or suspends it again. One
     * attempt. NULL: no call waits. */
    int (*complete)(struct call *c, int64_t ref, enum delivery_verdict verdict,
                    const struct sosia_outcome *outcome);
    /* What a receiver that agrees would have answered, for worlds whose handshakes are accepted
     * without one: fills the outcome, in the arena. NULL: 200 without a body. */
    int (*imagine)(struct tx *tx, int64_t ref, struct sosia_outcome *ret);
    /* Of frames: the text of this attempt, in the arena, of what it was added with (f->text); the
     * transaction can't write. 0, -1: it is not sent now. NULL: it is sent as it is. */
    int (*frame)(struct tx *tx, const struct delivery_frame *f, const char **ret_text);
    /* Over HTTP: the request of this attempt, in the arena. ret has what it was added with, of
     * which method, url, headers and body are sent; the transaction can't write. 0, -1: it is sent
     * as it was added. NULL: it always is. */
    int (*request)(struct tx *tx, const struct delivery_attempt *a, struct delivery *ret);
    /* Seconds in which a receiver has to answer (real ones: the network has no world's clock), and
     * how many redirects are followed. 0: as servers do, none. Of a frame for whose acknowledgement
     * a call waits, too: the world's clock may be frozen. */
    int timeout_s, redirects;
};

/* An attempt to deliver something, and why the one before it failed. */
struct delivery_attempt {
    int64_t entry, ref, number; /* number: from 1 */
    int64_t since_us;           /* when it began, by the world's clock */
    const char *reason;         /* as of struct sosia_outcome, or "status": its response was not one
                                   that is wanted; "unknown". NULL: it is the first */
};

/* An attempt to bring a frame to a session. */
struct delivery_frame {
    struct delivery_frame *next;
    const struct delivery_kind *kind;
    int64_t entry, ref, attempt; /* attempt: from 1 */
    const char *reason;          /* as of struct delivery_attempt */
    const char *key, *text;      /* text: NULL: its kind could not make it */
    size_t payload_len;          /* for delivery.c */
};

struct delivery {
    const struct delivery_kind *kind;
    int64_t ref;        /* the kind's own */
    const char *from;   /* who sends, for people who read the outbox: "acme" */
    const char *method; /* "POST" */
    const char *url;    /* http or https */
    const char *key;    /* of the sessions that it goes to, in the place of method, url and headers;
                           NULL: it goes over HTTP */
    const char *body;   /* UTF-8; of a session: the frame */
    const struct sosia_header *headers;
    size_t n_headers;
};

/* Puts a message into the outbox (kind "webhook"; payload {method, url, headers, body}; or kind
 * "session"; payload {frame}) and makes it pending; whoever sends is notified after the commit.
 * ret_id: its number in the outbox; NULL: not wanted. 0, -1. */
int delivery_add(struct tx *tx, const struct delivery *d, int64_t *ret_id);

/* The second half of a suspended call: the attempt ends, whatever becomes of the call (NOT_FOUND:
 * the world went back since the era in which it was suspended); that of a frame may have ended
 * before. 0, -1. */
int delivery_end(struct tx *tx, uint64_t era, int64_t entry, const struct sosia_outcome *outcome);
/* The first session of a key is open: attempts at frames of that kind which wait for one last from
 * now on, not from when they were added. 0, -1. */
int delivery_begin_waiting(struct tx *tx, const struct delivery_kind *kind, const char *key);
/* Of a frame: the key of its sessions, is it to be acknowledged, was it given up, timeout_s of its
 * kind? 1; 0: it is not a frame; -1. */
int delivery_frame_state(struct tx *tx, int64_t entry, const char **ret_key, bool *ret_pending,
                         bool *ret_given_up, int *ret_timeout_s);
/* A kind that some core of the engine lists; NULL: none does. */
const struct delivery_kind *delivery_kind_named(const struct tx *tx, const char *name);
/* The kind of an entry, and what it was added with: 1; 0: it is not a delivery; -1. */
int delivery_kind_of(struct tx *tx, int64_t entry, const struct delivery_kind **ret,
                     int64_t *ret_ref);
/* Without anybody who sends: what the world's setting says of the entry (accepted: what its kind
 * imagines; else refused). 0, -1. */
int delivery_imagine(struct tx *tx, int64_t entry, struct sosia_outcome *ret);

/* For the listing of the outbox: writes the member "payload" of an entry, as its kind makes it for
 * the attempt that is made or was made last. 0, -1. */
int delivery_payload(struct tx *tx, int64_t entry, const char *payload, size_t len,
                     struct json_writer *w);
/* For the listing of the outbox: writes the member "delivery" of an entry that is one. 0, -1. */
int delivery_write(struct tx *tx, int64_t entry, struct json_writer *w);

/* The last entry of the outbox that the world has from where it came from: what is pending up to it
 * is not sent. For a locked world; of tx, engine, world and now_us are used. 0, -1. */
int delivery_floor(struct tx *tx, int64_t *ret);
/* The same for other rows that are to leave the world: the query gives the greatest of their
 * numbers, which are not used twice, 0: there is none. */
int delivery_floor_of(struct tx *tx, struct sql_text *q, int64_t *ret);

/* A client of a session with that key has acknowledged an entry: 1; 0: there is no such entry for
 * it, or it has ended; -1. */
int delivery_acknowledged(struct tx *tx, const char *key, int64_t entry,
                          const struct sosia_outcome *outcome);
/* The connection that an attempt went to has ended; if it was not acknowledged the next attempt
 * begins. 0, -1. */
int delivery_lost(struct tx *tx, int64_t entry, int64_t attempt, const char *why);
/* The frames that are to be sent now, among entries first to last; key: NULL: of any. In the arena.
 * 0, -1. */
int delivery_frames(struct tx *tx, const char *key, int64_t first, int64_t last,
                    struct delivery_frame **ret);

/* As sosia_delivery_outcome(), for entries that no suspended call waits for. era: the world's when
 * the attempt began, after which it may have gone back; DELIVERY_ANY_ERA: not known. */
#define DELIVERY_ANY_ERA UINT64_MAX
int delivery_take_outcome(struct sosia_engine *engine, uint64_t world, uint64_t era, int64_t entry,
                          int64_t attempt, const struct sosia_outcome *outcome,
                          int64_t *ret_again_us, struct sosia_err *err);
/* The same in a locked world, without waiting for the disk. */
int delivery_outcome_on(struct sosia_engine *engine, struct world *w, struct worker *k,
                        int64_t entry, int64_t attempt, const struct sosia_outcome *outcome,
                        struct sosia_err *err);

extern const struct sosia_core delivery_core; /* every engine has it */

#endif
