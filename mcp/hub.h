/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who listens, and which requests wait for their client: what the endpoint keeps between messages.
 * It is a part of the engine (engine/world/part.h) and of no world: sessions, streams and what they
 * watch end with their world's reset, and a fork has none.
 *
 * A session belongs to the person who began it, in one world, at one endpoint; nobody else finds
 * it. It is optional: a client that does not name one is served all the same.
 */
#ifndef SOSIA_MCP_HUB_H
#define SOSIA_MCP_HUB_H

#include "mcp/mcp.h"

#define MAX_WATCHES 1000

struct hub;
struct sosia_stream;

/* The engine's; NULL without memory. */
struct hub *hub_of(const struct call *c);

/* To whom something belongs. */
struct hub_owner {
    uint64_t world;
    int64_t actor, app;
    const struct mcp_face *face;
    const struct dialect_tools *service;
};
struct hub_owner hub_owner_of(const struct mcp_call *m);

/* ---- streams ---- */

/* A stream that nothing has been put into; the reference is the caller's. NULL without memory.
 * waits: it waits for its client, but not for ever. */
struct sosia_stream *hub_stream(struct hub *h, bool waits);
/* The text of one event: "event: message", and a JSON-RPC message. */
void hub_event(struct buf *b, const char *json, size_t len);

/* ---- sessions ---- */

/* Begins one, of which id is filled in. 0, -1 without memory. */
int hub_session_new(struct hub *h, const struct mcp_call *m, struct mcp_session *s);
/* False: there is none of that id, or it is somebody else's. */
bool hub_session_find(struct hub *h, const struct hub_owner *o, const char *id,
                      struct mcp_session *ret);
/* The client has said more. */
void hub_session_save(struct hub *h, const struct hub_owner *o, const struct mcp_session *s);
bool hub_session_end(struct hub *h, const struct hub_owner *o, const char *id);
/* Its stream from now on, whose reference is taken over; the one before ends. after: the number of
 * the last event that the client has, whatever came later is put into it; -1: it does not say.
 * False: there is no such session. */
bool hub_session_stream(struct hub *h, const struct hub_owner *o, const char *id,
                        struct sosia_stream *stream, int64_t after);
/* An event for the client of a session. False: there is no such session, or no stream of it. */
bool hub_session_put(struct hub *h, const struct hub_owner *o, const char *id, const char *text,
                     size_t len);

/* ---- what is watched ---- */

/* What is watched of a world, and the event that its listener gets. 1; 0: MAX_WATCHES are watched
 * already, or there is no such session; -1 without memory. */
int hub_session_watch(struct hub *h, const struct hub_owner *o, const char *id, const char *uri,
                      const struct watched *w, const char *json);
/* The name under which a session watches what a subscription with this id is for. In the arena. */
const char *hub_subscription(struct arena *a, const struct json *id);
void hub_session_unwatch(struct hub *h, const struct hub_owner *o, const char *id, const char *uri);
/* A stream that listens by itself; the reference is taken over. 0, -1 without memory. */
int hub_stream_listen(struct hub *h, const struct hub_owner *o, struct sosia_stream *stream);
/* As hub_session_watch(), of a stream that listens. */
int hub_stream_watch(struct hub *h, struct sosia_stream *stream, const struct watched *w,
                     const char *json);

/* ---- requests that wait for their client ---- */

/* A request of a client's, which is made anew with what the client has answered. Strings are
 * allocated. */
struct hub_pending {
    struct hub_pending *next;
    struct hub_owner owner;
    struct sosia_stream *stream; /* NULL: its session's */
    char session[SESSION_ID + 1];
    char *message;    /* JSON */
    char *request_id; /* JSON */
    size_t n;
    struct {
        char id[24]; /* of the request to the client */
        char *key;
        char *answer; /* JSON; NULL: not there */
    } asked[MAX_ASKED];
    size_t n_known; /* of an earlier round, in front */
    /* Of a question to an approver, which no request of theirs waits for (approve.h): the action,
     * and the hash of what it was shown to do; NULL: it is a request. */
    char *action, *shown;
    bool open; /* it is to be decided still, as far as was looked */
};

/* Keeps a request until the client has answered all that it asks (m->asks), and writes these
 * requests into events. stream: where the result goes, taken over in any case; NULL: to the
 * session. 0, -1: refused. */
int hub_suspend(struct mcp_call *m, const struct json *message, struct sosia_stream *stream,
                struct buf *events);
/* A response of a client's. Gives the request that waited for it, if that waits for nothing else:
 * free it with hub_pending_free(). NULL: no request waits for it, or the request waits for more. */
struct hub_pending *hub_answered(struct hub *h, const struct hub_owner *o, struct arena *a,
                                 const struct json *message);
/* The request is cancelled by its client. */
void hub_cancel(struct hub *h, const struct hub_owner *o, const char *session,
                const char *request_id);
void hub_pending_free(struct hub_pending *p);

#endif
