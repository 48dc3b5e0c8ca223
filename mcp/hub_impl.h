/* SPDX-License-Identifier: Apache-2.0 */
/* What hub.c and pending.c share. */
#ifndef SOSIA_MCP_HUB_IMPL_H
#define SOSIA_MCP_HUB_IMPL_H

#include "engine/base/map.h"
#include "mcp/hub.h"
#include <pthread.h>

#define HUB_BUCKETS 256

struct listener;

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
    size_t n_pending;
    uint64_t n_asked;
};

bool hub_same_owner(const struct hub_owner *a, const struct hub_owner *b);

/* pending.c, under the lock: takes those out that wait on a stream, or in a session (stream NULL),
 * or in a world (and session NULL), or all (and world 0). Gives them as a list. */
struct hub_pending *hub_pending_take(struct hub *h, const struct sosia_stream *stream,
                                     const char *session, uint64_t world);
/* Without the lock: frees a list, and ends its streams. */
void hub_pending_drop(struct hub_pending *list);

#endif
