/* SPDX-License-Identifier: Apache-2.0 */
/* What session.c (who is open, what is on its way) and session_turn.c (what happens to one) share.
 */
#ifndef SOSIA_HTTP_SESSION_IMPL_H
#define SOSIA_HTTP_SESSION_IMPL_H

#include "engine/http/session.h"
#include <pthread.h>
#include <stdatomic.h>

#define SESSION_BUCKETS    256
#define SESSION_MAX_REASON 123 /* bytes of a close frame's (RFC 6455, 5.5) */

struct delivery_frame;
struct outgoing;

/* An attempt that went to a session and has no outcome. */
struct session_flight {
    int64_t entry, attempt;
};

struct sosia_session {
    struct sosia_session *next; /* in its bucket */
    struct sosia_engine *engine;
    const struct route *route;
    uint64_t world;
    int64_t number, ref, actor, app;
    int64_t floor; /* entries up to it are not the world's own to deliver */
    struct sosia_session_calls calls;
    void *arg;
    struct session_flight *flights;
    size_t n_flights, cap_flights;
    uint64_t last_given; /* when an entry went to it, by the count of all */
    bool listed;         /* in its bucket: its frames go out */
    bool opened;         /* the row's function was called: gets entries behind what that sent */
    bool ending;         /* gets no entries any more */
    bool left;           /* by its caller, who is not called any more; has what it was given */
    bool ended;          /* its world has forgotten it */
    int refs;            /* its caller's, and one for each frame on its way */
    const char *key;
};

struct sessions {
    pthread_mutex_t lock;
    struct sosia_session *buckets[SESSION_BUCKETS]; /* by world */
    _Atomic(uint32_t) n[SESSION_BUCKETS];           /* how many are in each */
    struct outgoing *out, **out_end;
    uint64_t n_given;
};

static inline unsigned session_bucket(uint64_t world)
{
    return (unsigned)(world ^ world >> 24) % SESSION_BUCKETS;
}

static inline bool session_is_of(const struct sosia_session *s, uint64_t world, const char *key)
{
    return s->world == world && strcmp(s->key, key) == 0;
}

/* ---- session.c; under the sessions' lock ---- */

/* The frame of this entry is on its way no more. */
void session_forget_flight(struct sosia_session *s, int64_t entry);
/* It has nothing any more, and is not counted. */
void session_unlist(struct sessions *ss, struct sosia_session *s);
/* Puts a frame, or its session's end (close_code), behind what is on its way. f: the entry that it
 * is of; NULL: none. False without memory. */
bool session_put_out(struct sessions *ss, struct sosia_session *to, uint64_t ticket,
                     const struct delivery_frame *f, int close_code, const char *text);
/* How many of a world are open with this key. */
size_t session_count_open(struct sessions *ss, uint64_t world, const char *key);

/* ---- session.c; without it ---- */

/* What was put out goes, once the change with this ticket is on the disk. */
void session_flush(struct sosia_engine *e, uint64_t ticket);
/* Entries first to last of a locked world, which is not in a transaction: each that is to be sent
 * goes to a session, if one is open. Without memory they stay for the next occasion. */
void session_pump(struct sosia_engine *e, struct world *w, const char *key, int64_t first,
                  int64_t last);

/* ---- session_turn.c ---- */

/* A call may wait for what was acknowledged: kept until the turn is over. */
struct session_kept_answer {
    struct session_kept_answer *next;
    uint64_t era;
    int64_t entry;
    size_t len;
    char body[];
};

enum turn_kind { TURN_OPENED, TURN_FRAME, TURN_CLOSED };

struct session_happening {
    struct session_turn turn; /* first */
    struct sosia_session *session;
    enum turn_kind kind;
    const char *data; /* of a frame */
    size_t len;
    bool binary, mute; /* mute: the row's function is not called */
    int code;          /* of a close */
    const struct session_flight *lost;
    size_t n_lost;
    struct session_kept_answer *answers;
    const size_t *n_open; /* it runs again, with so many open then; NULL: it does not */
};

/* Serves it in the session's world. 0, -1. */
int session_take_turn(struct session_happening *h, struct sosia_err *err);
/* Calls that waited for what the turn acknowledged are answered. Without any lock. */
void session_give_answers(struct session_happening *h);
/* A turn that failed ends its session. */
void session_fail(struct sosia_session *s, const struct sosia_err *err);

#endif
