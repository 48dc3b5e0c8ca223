/* SPDX-License-Identifier: Apache-2.0 */
/*
 * WebSockets (RFC 6455), as connections of sessions.
 *
 * A handshake is checked here and opens its session on a worker, as any call that may wait. After
 * the answer 101 the socket belongs to the loop thread: libmicrohttpd lets go of it and of what it
 * holds for a connection, except with TLS, where it goes on to carry bytes between the client and a
 * pair of sockets. wslay reads and makes frames. What clients send is given to the engine by
 * workers, a message at a time for each session; what the engine sends is put into the socket's
 * queue from any thread and written by the loop, which never waits for anybody: a client that does
 * not read fills its queue and is closed.
 *
 * What many clients of a world are sent lies there once (struct ws_text), and what waits for all of
 * them has a bound: where there is more, those for whom most waits are closed.
 *
 * Under the lock of struct websockets: the lists of news, and of a ws what the engine's threads
 * write (out, close_code). Everything else of a ws is the loop thread's once it is there, and of
 * the thread that makes it before.
 */
#ifndef SOSIA_SERVER_WS_WS_H
#define SOSIA_SERVER_WS_WS_H

#include "server/internal.h"
#include <wslay/wslay.h>

#define MAX_IN       (256u << 10) /* bytes of messages that wait for a worker, before no more is read */
#define MAX_REPLIES  16           /* pongs and the like that wait, before no more is read */
#define READ_AT_ONCE (64u << 10) /* bytes, before others have their turn */
#define MAX_ROOM     (64u << 20) /* bytes that wait for the clients of a world */
#define MAX_REASON   123

enum {
    NORMAL = 1000,
    GOING_AWAY = 1001,
    PROTOCOL_ERROR = 1002,
    ABNORMAL = 1006,
    POLICY = 1008,
    TRY_LATER = 1013
};

struct ws_message {
    struct ws_message *next;
    size_t len;
    bool binary;
    char data[];
};

struct ws_list {
    struct ws_message *first, **end;
    size_t len; /* bytes that all of it takes */
};

/* What one client or many are sent. */
struct ws_text {
    size_t refs, len;
    struct ws_room *room; /* whose bytes it counts among */
    char data[];
};

/* What the clients of a world have not read; under the lock. */
struct ws_room {
    struct ws_room *next;
    uint64_t world;
    size_t n;     /* clients */
    size_t bytes; /* that wait for them */
    struct ws *first;
    struct ws_text *last; /* the newest, which the next client may be sent too; NULL: none waits */
};

struct ws_waiting {
    struct ws_waiting *next;
    struct ws_text *text;
};

struct ws_queue {
    struct ws_waiting *first, **end;
    size_t len; /* bytes, as if each client had its own */
};

struct ws {
    struct ws *prev, *next; /* of those on the loop */
    struct ws *next_news;
    struct websockets *all;
    struct sosia_session *session;
    /* under the lock */
    struct ws_queue out;
    struct ws_room *room; /* NULL: its world is not known yet */
    struct ws *next_in_room, *prev_in_room;
    bool has_news; /* it is in that list */
    bool had_news; /* it was once: the loop knows it */
    bool dropped;  /* its connection was gone before it was a WebSocket */
    int close_code;
    char close_reason[MAX_REASON + 1];
    /* the loop's */
    int fd;
    struct MHD_UpgradeResponseHandle *tls; /* NULL: a socket of our own */
    int tls_fd;                            /* the client's end, libmicrohttpd's */
    char *extra;                           /* came behind the handshake */
    size_t n_extra, extra_at;
    wslay_event_context_ptr wire;
    uv_poll_t poll;
    int polled; /* events */
    bool on_loop, polling, working;
    bool broken;      /* reading from it fails */
    bool over;        /* nothing is read or written any more */
    bool lingering;   /* all is written; waits for the client's end */
    bool close_begun; /* by us */
    bool session_closed;
    int code;                                     /* that the session is closed with */
    unsigned n_fragments;                         /* of the message that comes in */
    size_t budget;                                /* bytes that may be read in this turn */
    uint64_t received_ms, pinged_ms, deadline_ms; /* deadline 0: none */
    struct ws_list in;
    struct ws_message *job; /* NULL while working: the close */
    uv_work_t work;
};

struct websockets {
    struct server *server;
    uv_timer_t timer;
    pthread_mutex_t lock;
    pthread_mutex_t ending; /* held while a connection ends for libmicrohttpd */
    struct ws *news;
    struct ws_room *rooms;
    bool notified;            /* that the server stops */
    _Atomic size_t n;         /* that have a session, or are about to */
    _Atomic size_t n_sockets; /* that have a connection */
    _Atomic bool stopping;
    _Atomic bool cut; /* waits for nobody any more */
    struct ws *list;
};

/* list.c */
void ws_list_init(struct ws_list *l);
/* Copies the data. False: no memory. */
bool ws_list_add(struct ws_list *l, const void *data, size_t len, bool binary);
/* The first message, which the caller frees; NULL: none. */
struct ws_message *ws_list_take(struct ws_list *l);
void ws_list_clear(struct ws_list *l);

/* room.c, under the lock */
/* Its client is one of the world's from now on. False: no memory. */
bool ws_enter_room(struct ws *ws, uint64_t world);
void ws_leave_room(struct ws *ws);
/* Copies the text, unless the newest of its room is the same. False: no memory. */
bool ws_queue_add(struct ws *ws, const char *data, size_t len);
/* The first text, whose reference is the caller's; NULL: none. */
struct ws_text *ws_queue_take(struct ws *ws);
void ws_queue_clear(struct ws *ws);
void ws_text_unref(struct ws_text *t);
/* A client of the room for whom most waits, if more waits for all than may; NULL: none. */
struct ws *ws_room_worst(const struct ws_room *room);

/* handshake.c: frees a ws that nothing refers to any more. */
void ws_delete(struct ws *ws);

/* frames.c, on the loop */
/* The ws reads and makes frames from now on. False: no memory. */
bool ws_wire_init(struct ws *ws);
/* Queues a close frame, if none has been. */
void ws_begin_close(struct ws *ws, int code, const char *reason);
/* Writes what the socket takes. False: the connection is gone. */
bool ws_write(struct ws *ws);

/* loop.c, on the loop */
uint64_t ws_now(const struct ws *ws);
/* From now on the client has close_ms to answer a close frame, or to end. */
void ws_set_deadline(struct ws *ws);
/* Gives a worker what there is for one. The ws may be gone after it. */
void ws_next_job(struct ws *ws);

#endif
