/* SPDX-License-Identifier: Apache-2.0 */
/* What hub.c and pending.c share. */
#ifndef SOSIA_MCP_HUB_IMPL_H
#define SOSIA_MCP_HUB_IMPL_H

#include "engine/base/map.h"
#include "mcp/hub.h"
#include <pthread.h>

struct watch;
struct logged;
struct pool;

#define HUB_BUCKETS 256

/* Who is notified of changes: a session, or a stream by itself. */
struct listener {
    struct listener *next; /* in its bucket */
    struct hub_owner owner;
    struct sosia_stream *stream; /* NULL: a session without one at the moment */
    struct watch *watches;
    size_t n_watches;
    /* of sessions */
    struct listener *newer, *older;
    uint64_t used; /* when it was used last, by the count of all uses */
    struct pool *token, *world;
    struct listener *next_of_token, *previous_of_token;
    struct mcp_session session; /* id "": it is none */
    struct logged *log, **log_end;
    size_t n_logged;
    int64_t number; /* of the last event */
};

/* Events that wait for the disk. */
struct outgoing {
    struct outgoing *next;
    struct sosia_stream *to;
    size_t len;
    char text[];
};

struct hub {
    struct sosia_engine *engine;
    pthread_mutex_t lock;
    struct listener *buckets[HUB_BUCKETS]; /* by world */
    _Atomic(uint32_t) n[HUB_BUCKETS];      /* how many are in each */
    struct map sessions;                   /* id -> struct listener */
    struct map pools;                      /* name -> struct pool */
    struct listener *newest, *oldest;      /* sessions, by their last use */
    size_t n_sessions;
    uint64_t n_begun; /* sessions, since the engine was opened */
    uint64_t n_uses;  /* of sessions */
    struct hub_pending *pending;
    size_t n_pending, n_questions; /* of requests; of questions (approve.c) */
    uint64_t n_asked;
};

static inline unsigned hub_bucket(uint64_t world)
{
    return (unsigned)(world ^ world >> 24) % HUB_BUCKETS;
}
struct hub *hub_of_engine(struct sosia_engine *e);

/* Under the lock: an event for a listener, with its number, at the end of a list. Who has no stream
 * at the moment gets it when they come back, and without memory nobody does. */
void hub_send(struct listener *l, const char *event, size_t len, struct outgoing ***end);
/* Gives them to their streams, once the change with that ticket is on disk. */
void hub_let_out(struct hub *h, uint64_t ticket, struct outgoing *out);

bool hub_same_owner(const struct hub_owner *a, const struct hub_owner *b);

/* pending.c, under the lock: takes those out that wait on a stream, or in a session (stream NULL),
 * or in a world (and session NULL), or all (and world 0). Gives them as a list. */
struct hub_pending *hub_pending_take(struct hub *h, const struct sosia_stream *stream,
                                     const char *session, uint64_t world);
/* Under the lock: it is one less of its kind. */
static inline void hub_pending_uncount(struct hub *h, const struct hub_pending *p)
{
    --*(p->action ? &h->n_questions : &h->n_pending);
}
/* Writes a request to a client, as an event. */
void hub_write_request(struct buf *events, const char *id, const char *method, const char *params);
/* Without the lock: frees a list, and ends its streams. */
void hub_pending_drop(struct hub_pending *list);

#endif
