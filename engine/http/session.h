/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sessions: connections on which a program and a service send frames to each other. A row with
 * `upgrade` opens them: its handler decides, as for any call, and accepts with call_upgrade().
 * Whatever happens to the session then (it is open, a frame came, it is closed) is a turn: a
 * transaction of its own, with an entry in the world's journal.
 *
 * Frames to the client are answers of a turn, which go to its own connection and are gone with it;
 * entries of the outbox, addressed to a key (struct delivery), each of which goes to one open
 * session of that key, until it is acknowledged or given up (engine/send/delivery.h); or
 * announced, to each of many sessions, once, and kept nowhere. What a turn does to the world never
 * depends on which sessions are open: these are not a part of the world.
 */
#ifndef SOSIA_HTTP_SESSION_H
#define SOSIA_HTTP_SESSION_H

#include "engine/http/call.h"

#define SESSION_MAX_FRAME (64 * 1024) /* bytes, of rows that don't say otherwise */

/* Something that happened to a session. */
struct session_turn {
    struct tx *tx;       /* with the session's actor and app */
    const char *key;     /* what the handler accepted it with */
    int64_t number, ref; /* its number in the world, from 1; the handler's ref */
    size_t n_open;       /* sessions that are open in the world with this key, this one included;
                            for frames alone */
    struct session_out *out, **out_end; /* in the arena */
    int close_code;                     /* 0: it goes on */
    const char *close_reason;
    struct session_acknowledged *acknowledged;
};

/* What sessions of a row are like. Functions: 0; -1 undoes the turn and ends the session, with 1008
 * (policy violation) for what a client has done wrong by its code, else 1011. NULL: nothing is
 * done. */
struct upgrade {
    const char *const *protocols; /* subprotocols that it speaks; NULL-terminated; NULL: none */
    size_t max_frame;             /* of a message from the client, bytes; 0: SESSION_MAX_FRAME */
    int (*opened)(struct session_turn *t);
    /* data: NUL-terminated behind len; UTF-8 unless binary. */
    int (*frame)(struct session_turn *t, const char *data, size_t len, bool binary);
    /* The connection is gone; code: of its close frame, 1006: there was none. */
    int (*closed)(struct session_turn *t, int code);
};

/* Accepts the session: in a handler of a row with `upgrade`, as the last thing. key: of its
 * addressees ("app:A1"), ref: the row's own. 0, -1. */
int call_upgrade(struct call *c, const char *key, int64_t ref);

/* A frame to the turn's own connection, when the turn is committed. */
void session_send(struct session_turn *t, const char *text);
/* Ends the session behind the frames of this turn. reason: at most 123 bytes. */
void session_end(struct session_turn *t, int code, const char *reason);
/* The client has acknowledged an entry of the outbox that went to a session of this key, with a
 * body or without: it is delivered, with status 200 (its kind's judge() and ended() get it). 1; 0:
 * there is no such entry, or it has ended; -1. */
int session_acknowledge(struct session_turn *t, int64_t entry, const char *body, size_t len);

/* When the transaction is committed, each session of these numbers (in order) that is open gets
 * the text, of which there is one however many they are. It can't be acknowledged, and who is not
 * connected then does not get it. In the arena, both. 0, -1. */
int session_announce(struct tx *tx, const int64_t *numbers, size_t n, const char *text);

/* Its world. */
uint64_t session_world(const struct sosia_session *s);

/* How many sessions are open in a world with this key. */
size_t session_count(struct sosia_engine *e, uint64_t world, const char *key);

/* Fires what is due by the clocks of worlds in which sessions are open: their programs wait for
 * frames and may call nothing for a long time. For whoever serves, now and then. */
void sessions_wake(struct sosia_engine *e);

/* ---- for the door ---- */

/* What a request that asks for a session comes with. */
struct session_offer {
    const struct sosia_session_calls *calls;
    void *arg;
    const char *key; /* it was accepted; in the call's arena */
    int64_t ref, number;
    struct sosia_session *session; /* it is there */
};

/* Fails a plain request for a row that opens sessions. */
int session_required(struct call *c);
/* Has the call accepted a session? */
static inline bool session_accepted(const struct call *c)
{
    return c->offer && c->offer->key;
}
/* When it is committed: makes it, under the world's lock. 0, -1 NO_MEMORY. */
int session_begin(struct call *c);

/* With the engine. */
int sessions_open(struct sosia_engine *e, struct sosia_err *err);
void sessions_close(struct sosia_engine *e);

/* A turn of a session that is gone runs again in a locked world: entry is the "session" of the
 * journal's, data what of a frame. */
int session_turn_on(struct sosia_engine *e, struct world *w, struct worker *k, struct arena *a,
                    const struct route *route, const struct json *entry, const char *data,
                    size_t len, struct sosia_err *err);

#endif
