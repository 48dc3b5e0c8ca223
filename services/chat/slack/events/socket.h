/* SPDX-License-Identifier: Apache-2.0 */
/* WebSockets: of apps (Socket Mode), and of people (RTM). */
#ifndef SOSIA_SL_SOCKET_H
#define SOSIA_SL_SOCKET_H

#include "engine/send/delivery.h"
#include "services/chat/slack/sl.h"

/* What an address for a WebSocket is good for, once. */
struct sl_ticket {
    int64_t app, user; /* of one of them; 0: not */
    bool debug;        /* of an app */
    bool batch;        /* of a person: presence of several in a frame */
};
/* An address's last part, good for a minute. 0, -1. */
int sl_ticket_add(struct tx *tx, const struct sl_ticket *t, const char **ret_key);
/* 1, 0: there is none, or not any more; -1. */
int sl_ticket_take(struct tx *tx, const char *key, struct sl_ticket *ret);
/* As call_follow_url(), for a WebSocket. */
const char *sl_socket_url(struct call *c, const char *host, const char *path);

/* Due entries of the dialect's core, ref: number of the session. */
#define SL_SOCKET_WARNING "socket warning"
#define SL_SOCKET_REFRESH "socket refresh"
/* A connection is warned of its end, or asked to end. 0, -1. */
int sl_socket_due(struct tx *tx, const char *kind, int64_t number);
/* Socket Mode of an app is off: each connection is asked to end. */
int sl_sockets_disable(struct tx *tx, int64_t app);

/* To whose WebSockets a frame goes. */
struct sl_rtm_to {
    int64_t workspace;
    int64_t channel;   /* who is in it; 0: all */
    int64_t only, but; /* users: one of them, all but one; 0: all */
    int64_t watched;   /* who asked for this user's presence, in this way; 0: all */
    bool batch;
    const struct chat_file *file; /* those who may see it; NULL: all */
};
/* event: the text of an object. 0, -1. */
int sl_rtm_send(struct tx *tx, const struct sl_rtm_to *to, const char *event);
/* Members of a presence_change: of several people if the client has asked for that (batch), else of
 * the first. event_rtm.c */
void sl_write_presence(struct json_writer *w, const char *const *keys, size_t n,
                       const char *presence, bool batch);

extern const struct delivery_kind sl_disconnect_frame;
/* ---- frames of apps (socket_frame.c) ---- */

#define SL_SOCKETS_MAX  10    /* connections of an app */
#define SL_CONNECTION_S 18060 /* seconds that one lasts */

extern const struct rows sl_socket, sl_rtm, sl_hooks; /* sl_hooks: incoming webhooks */
/* n: connections that are open. */
const char *sl_socket_hello(struct tx *tx, const char *app_key, size_t n);
/* n: connections, of too_many_websockets; 0: it does not say. */
const char *sl_socket_disconnect(struct tx *tx, const char *app_key, const char *reason, size_t n);

#endif
