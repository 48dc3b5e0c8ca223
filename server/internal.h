/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the server's files share.
 *
 * 1. A connection and its request are used by one libmicrohttpd thread, but for three fields:
 * `phase` is written there and read by the loop thread; `handover` decides who goes on with a
 * request whose answer comes from another thread; `fd` is shut down by the loop thread under the
 * registry's lock, which the serving thread takes before the descriptor is closed.
 * 2. A request owns what it was given (engine's response, control's body) until it is handed to
 *    libmicrohttpd as a response, which frees it.
 * 3. Counters belong to a thread (struct thread) and are summed when somebody asks.
 */
#ifndef SOSIA_SERVER_INTERNAL_H
#define SOSIA_SERVER_INTERNAL_H

#include "engine/base/arena.h"
#include "engine/base/buf.h"
#include "engine/base/codec.h"
#include "engine/base/err.h"
#include "server/backend.h"
#include "server/deliver.h"
#include "server/listen.h"
#include "server/log.h"
#include "server/server.h"
#include <gnutls/gnutls.h>
#include <microhttpd.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <uv.h>
#include <zlib.h>

#define SERVER_HELLO_MAX   (1 << 20)
#define SERVER_MAX_THREADS 256

struct webhooks;
struct tls;
struct ws;
struct websockets;
struct stream;
struct streams;
struct handshakes;
struct delays;
struct inside;

/* One a serving thread: counters and things not worth making anew for each request. */
struct thread {
    struct thread *next;
    _Atomic uint64_t requests, control_requests, bytes_in, bytes_out, latency_us;
    _Atomic uint64_t status[600];
    _Atomic uint64_t latency[SERVER_LATENCY_BUCKETS];
    time_t date_at; /* the second that date is for */
    char date[32];
    z_stream deflater;
    bool has_deflater;
    /* answers of calls that are held back, to go out together (http.c) */
    unsigned held, held_most; /* now; at once since none was */
    unsigned called;          /* calls whose answers were held back */
    bool letting_go;          /* since the last of these */
    unsigned few;             /* times in a row that few were */
    unsigned at_once;         /* calls to come whose answers are not held back */
    /* the world that it kept last, and how often that was another thread's, lately (move.c) */
    uint64_t world;
    int shared;
};

/* Only its own thread adds, so that a plain load and store will do. */
static inline void count(_Atomic uint64_t *counter, uint64_t n)
{
    atomic_store_explicit(counter, atomic_load_explicit(counter, memory_order_relaxed) + n,
                          memory_order_relaxed);
}

enum phase {
    PHASE_WAIT,    /* for a request line */
    PHASE_RECEIVE, /* the rest of the request is coming in */
    PHASE_WORK,    /* ours to answer: no deadline */
    PHASE_ANSWER,  /* the client takes the answer */
    PHASE_CUT,     /* past its deadline, shut down */
    PHASE_SESSION, /* a WebSocket, whose deadlines are its own (ws/) */
    PHASE_STREAM   /* an answer that goes on (stream.c) */
};

enum step { STEP_HEAD, STEP_BODY, STEP_WAIT, STEP_ANSWERED };

enum handover {
    HANDOVER_NONE,      /* the answer isn't there; the serving thread hasn't suspended */
    HANDOVER_SUSPENDED, /* the connection is suspended: whoever has the answer resumes it */
    HANDOVER_DONE,      /* the answer is there */
    HANDOVER_ABANDONED  /* nobody waits any more: whoever has the answer frees it and the connection
                         */
};

/* What a worker does for a request. */
enum job {
    JOB_NONE,
    JOB_INFLATE, /* its body */
    JOB_CALL,
    JOB_CONTROL,
    JOB_SESSION, /* opens it */
    JOB_PACK     /* its answer */
};

/* Bodies beyond this, of requests and of answers, are for workers. */
#define LARGE_BODY ((size_t)1 << 20)

/* For a worker (workers.c); part of what it is about. */
struct work {
    struct work *next;
    void (*fn)(void *arg);
    void *arg;
};

struct workers {
    pthread_mutex_t lock;
    pthread_cond_t wanted;
    struct work *first, *last; /* in the order in which it came */
    pthread_t *threads;
    unsigned n, most; /* threads, and how many there may be */
    unsigned n_idle, n_waiting;
    bool ending;
};

#define INLINE_HEADERS 40
#define MAX_HEADERS    200
#define INLINE_TARGET  512

/* Fields of the head that the server itself looks at; NULL: absent. */
struct fields {
    const char *host, *origin, *authorization, *accept_encoding, *content_encoding, *expect;
    const char *content_length, *transfer_encoding;
    const char *connection, *upgrade, *ws_key, *ws_version;
    const char *forwarded_proto, *forwarded_host, *cors_method, *cors_headers;
    const char *accept, *fetch_dest;
};

struct request {
    struct MHD_Connection *mhd;
    enum step step;
    _Atomic int handover;
    uint64_t start_ns;
    const char *wire_target; /* where libmicrohttpd keeps it; only compared */
    const char *method;      /* "GET" for HEAD */
    size_t head_size;        /* bytes of its head; 0: not known, or its connection ends */
    bool head, control, too_large, no_room;
    bool refused; /* by its head: its body is thrown away */
    bool last;    /* of its connection */
    bool large;   /* it took much memory */
    bool kept;    /* its head outlives its connection */
    bool pack_tried;
    bool waited;      /* its answer was delayed */
    bool held;        /* its answer is held back for others' */
    unsigned held_at; /* thread->called when that was last decided */
    bool page;        /* it is for the console's own page */
    bool web;         /* it is for a host of the world's web */
    enum job job;
    int refusal; /* of a body that a worker inflated: 0 or a status, and why */
    const char *refusal_reason, *refusal_text;
    char *packed; /* the answer's body by gzip; NULL: not by a worker */
    size_t packed_len;
    size_t answer_counted; /* of the server's budget, for an answer that is being sent */
    char *target;          /* as on the wire, in origin form; within target_buf */
    char *target_buf;
    size_t target_cap;
    char target_inline[INLINE_TARGET];
    struct sosia_header headers_inline[INLINE_HEADERS];
    struct sosia_header *headers;
    size_t n_headers;
    struct fields fields;
    char base_url[300];
    char *body;                /* NULL where it is in a spool */
    struct sosia_spool *spool; /* a large body; NULL: it is in memory */
    const char *view;          /* of the spool, for control requests; NULL: none */
    size_t body_max;           /* bytes that its method takes */
    int spool_status;          /* 0, or the status to refuse a body with that can't be kept */
    size_t body_len, body_cap, body_seen;
    size_t body_expected; /* a Content-Length that can be believed; 0: none */
    size_t body_counted;  /* of the server's budget */
    struct arena arena;   /* for what is rare */
    /* an answer that is ready */
    struct sosia_response *response;
    struct sosia_response *sending; /* libmicrohttpd reads from it */
    struct stream *stream;          /* that is being sent; NULL: none */
    struct ws *ws;                  /* a session that waits for its connection; NULL: none */
    const char *query;              /* of a control request; "" */
    bool read_only;                 /* the same: of a session that may only read */
    int64_t ends_s;                 /* the same: when its session ends; 0: it has none */
    struct server_response control_response;
    struct server_kept *control_kept; /* for the worker */
    int control_result;
    struct work work;
};

struct conn {
    struct conn *prev, *next; /* in the server's registry */
    struct server *server;
    _Atomic int refs; /* libmicrohttpd's, and one for an abandoned request */
    int fd;
    bool tls;
    struct engine_backend inside; /* of a connection from inside of a sandbox; else without an
                                     engine */
    _Atomic uint64_t phase;       /* enum phase | tick at which it began << 8 */
    bool upgraded;                /* a WebSocket has its socket now */
    /* move.c; the serving thread's */
    uint64_t received; /* bytes of the requests that it has had */
    uint64_t world;    /* that its thread kept for this request; 0: none */
    /* handshake.c; all but the first are the serving thread's */
    _Atomic bool handshake_waits; /* suspended until something comes */
    bool handshake_watched, handshaken;
    struct request req;
};

/* libmicrohttpd's, each with one thread, all at one listening socket. */
struct daemons {
    struct MHD_Daemon *list[SERVER_MAX_THREADS];
    unsigned n, next;
};

/* The thread that the connections of a world move to (move.c). */
enum { SERVER_HOMES = 64 };
struct home {
    uint64_t world; /* 0: none */
    struct MHD_Daemon *daemon;
};

struct server {
    /* what answers */
    struct server_backend backend;
    struct engine_backend engine;
    server_control_fn *control;
    void *control_arg;
    struct server_beside beside;
    char *control_key;
    char *hello; /* room for SERVER_HELLO_MAX bytes to answer with; NULL: not asked for */
    _Atomic size_t hello_len; /* as many are there; the rest is made when it is wanted */
    bool any_host, log_requests;
    const char *const *vendor_hosts; /* of struct server_options */
    char **hosts;                    /* more names to accept (host_list_copy()) */
    char *web_path, *web_credential; /* of struct server_options; "Bearer TOKEN"; NULL: none */
    size_t max_body, max_bodies, spool_over, gzip_min;
    unsigned threads;
    unsigned max_connections;
    unsigned share;   /* connections of HTTP that each thread may have, at least */
    size_t pool_size; /* of libmicrohttpd's memory for a connection */
    unsigned idle_ms, tick_ms, idle_ticks, request_ticks, answer_ticks, stop_ms, sweep_ms;
    struct log log;

    struct daemons http, https;
    struct listener plain, secure;
    char url[300], https_url[300];
    struct tls *tls;

    _Atomic unsigned tick;
    _Atomic bool stopping;  /* answers close their connections */
    _Atomic bool giving_up; /* nobody waits for answers from other threads any more */
    _Atomic bool hurry;     /* a second signal came */
    _Atomic int refs;       /* the server's own, and one for each abandoned request */
    _Atomic int resuming;   /* threads that hand back a request at this moment */
    _Atomic size_t bodies;  /* bytes of large bodies held, of requests and of answers */
    pthread_mutex_t lock;   /* registry and threads */
    struct conn *conns;
    uint64_t n_accepted, n_open, n_timeouts, n_moved;
    struct home homes[SERVER_HOMES];
    uint64_t peak_open; /* since memory was last given back */
    bool crowded;       /* there was a crowd, of which some are still open (loop.c) */
    unsigned trims;     /* times that memory of one is still to be given back */
    struct thread *thread_list;
    uint64_t id; /* unlike any other server's in this process */

    /* the loop thread, and what reaches into it */
    pthread_t loop_thread;
    uv_loop_t loop;
    uv_async_t wake;
    uv_timer_t ticker, sweeper;
    uv_poll_t accept6, secure_accept6;
    bool accepting6, secure_accepting6;
    uv_signal_t sigint, sigterm;
    bool signals_on;
    struct work sweep_work;
    _Atomic bool sweeping;
    _Atomic bool want_trim; /* memory of a large request has been freed */
    uint64_t failed_writes; /* of the engine, that are in the log already */
    _Atomic bool loop_stop, want_signals, want_accept, want_accept_end;
    _Atomic int got_signal;
    uv_sem_t catching, signalled, accept_ended;
    bool signals_wanted;
    struct workers workers;
    pthread_mutex_t linger_lock;
    struct linger_socket *to_linger; /* under linger_lock */
    struct linger_socket *lingering; /* the loop's */
    _Atomic unsigned n_lingering;
    struct webhooks *webhooks;
    struct deliver *deliver; /* NULL: there is no engine */
    struct websockets *websockets;
    struct streams *streams;
    struct delays *delays;
    struct handshakes *handshakes; /* NULL: there is no TLS */
    struct inside *inside;         /* NULL: nothing is passed from there */
    unsigned ping_ms, ping_ticks, close_ms;
    size_t session_queue, max_sessions;
};

/* server.c */
struct thread *server_thread(struct server *s); /* the caller's; NULL: no memory */
void server_unref(struct server *s);
/* Takes the connections that wait at a socket that nobody listens on any more. */
void server_accept_rest(struct server *s, int fd, bool tls);

/* http.c: libmicrohttpd's callbacks */
void *http_target(void *cls, const char *target, struct MHD_Connection *mhd);
enum MHD_Result http_handle(void *cls, struct MHD_Connection *mhd, const char *url,
                            const char *method, const char *version, const char *data, size_t *size,
                            void **context);
void http_completed(void *cls, struct MHD_Connection *mhd, void **context,
                    enum MHD_RequestTerminationCode code);
void http_connection(void *cls, struct MHD_Connection *mhd, void **context,
                     enum MHD_ConnectionNotificationCode code);
void http_phase(struct conn *c, enum phase phase);
/* On a worker: does the request's job, however long it has to wait. */
void http_work(struct request *r);
/* Leaves its job to one. */
void http_leave(struct request *r);
/* Hands the request to a worker, and waits for http_done(). */
enum MHD_Result http_to_worker(struct request *r, enum job job);
/* The answer is there, from any thread: hands the request back to its serving thread. */
void http_done(struct request *r);
/* Gives up on a request if its connection is suspended; under the registry's lock or on the serving
 * thread. */
void http_abandon(struct conn *c);
static inline struct conn *http_conn(struct request *r)
{
    return (struct conn *)((char *)r - offsetof(struct conn, req));
}

/* The request for the backend; its body too, when it is there. */
struct sosia_request http_request_of(const struct request *r);
/* Makes the call of a request: answers it, or leaves it to a worker. */
enum MHD_Result http_go_on(struct request *r);
/* On a worker: makes a call, whose response is the request's answer. */
void http_ask(struct request *r, const struct sosia_request *request);

/* Whether it comes from inside of a sandbox. */
static inline bool http_is_inside(const struct conn *c)
{
    return c->inside.engine != NULL;
}
/* The backend's, for calls of this connection. */
static inline void *http_backend(struct conn *c)
{
    return http_is_inside(c) ? (void *)&c->inside : c->server->backend.arg;
}

/* request.c: the head of a request */
/* Reads and checks it. 0, or the status to refuse it with and ret_reason, ret_text (static). */
int request_head(struct request *r, const char *method, const char *version,
                 const char **ret_reason, const char **ret_text);

/* body.c: request bodies */
/* After the head: 0, or the status to refuse the request with before its body comes. */
int body_begin(struct request *r, const char **ret_reason, const char **ret_text);
/* Is it too long to be read and thrown away, or does its client wait to be asked for it? */
bool body_is_long(const struct request *r);
/* -1: the connection is to be closed. */
int body_add(struct request *r, const char *data, size_t size);
/* After the last byte: 0, or the status to refuse the request with. */
int body_end(struct request *r, const char **ret_reason, const char **ret_text);
void body_done(struct request *r);
/* Counts an answer against the budget for large bodies until it is sent: false when it does not
 * fit. */
bool body_count_answer(struct request *r, size_t len);
/* The request is over. */
void body_answered(struct request *r);

/* answer.c: everything that leaves */
struct answer {
    int status;
    const struct sosia_header *headers;
    size_t n_headers;
    const char *content_type; /* besides headers; NULL: none */
    char *body;
    size_t body_len;
    size_t said; /* bytes that a body is said to have which ends before; 0: it is whole */
    struct sosia_response *pulled; /* where the body_len bytes are pulled from instead; NULL: they
                                      are at body */
    void (*free_body)(void *arg);  /* NULL: the body is static */
    void *free_arg;
};
/* Queues it; owns the body from here on, in any case. */
enum MHD_Result answer_send(struct request *r, const struct answer *a);
enum MHD_Result answer_error(struct request *r, int status, const char *reason, const char *text);
enum MHD_Result answer_engine(struct request *r, struct sosia_response *response);
/* Answers 101 with what the service has agreed to, which is freed; then the connection is fn's,
 * with this arg. */
enum MHD_Result answer_upgrade(struct request *r, struct sosia_response *agreement,
                               const char *accept, MHD_UpgradeHandler fn, void *arg);
/* Whether packing this answer is for a worker; on a worker: packs it. */
bool answer_is_large(struct request *r, const struct answer *a);
void answer_pack(struct request *r, const struct answer *a);
struct answer answer_of(struct request *r, const struct sosia_response *response);
bool answer_takes_gzip(const struct request *r);
/* Answers OPTIONS. */
enum MHD_Result answer_options(struct request *r);

/* modes.c: warns of directories and keys that are open to others than their owner, or others'. */
void modes_check(struct server *s, const struct server_options *o);

/* control.c: "/_sosia/", and what is beside it */
bool control_takes(const struct request *r);
/* Answers it at once, or leaves the step at STEP_WAIT when a worker will. */
enum MHD_Result control_handle(struct request *r);
/* Will it be refused for its credential, whatever its body is? */
bool control_refused(struct request *r);
/* On a worker: calls the control function again. */
void control_work(struct request *r);
enum MHD_Result control_send(struct request *r);
/* Frees an answer that was never sent. */
void control_drop(struct request *r);
bool control_origin_allowed(const struct request *r);
/* At a service's own host all paths are the service's. */
bool control_at_vendor(const struct request *r);

/* guard.c: what browsers make of answers on the origin that the console has */
/* Refused since it would run there: a script, a style. */
bool guard_refuses(const struct request *r);
/* Appends at most GUARD_FIELDS fields to an answer of a service; policy, nosniff: whether it has
 * them itself. Gives how many. */
#define GUARD_FIELDS 3
size_t guard_fields(const struct request *r, bool policy, bool nosniff, struct sosia_header *to);

/* console.c: the live page, which anybody may have. By the target as on the wire. */
bool page_is_for(const struct request *r);
/* By the target without its query; answers at once. */
enum MHD_Result page_handle(struct request *r);

/* move.c: connections move to the thread of their world */
/* After a call that this thread has made for it. */
void move_note(struct request *r);
/* A request is over: counts its bytes. */
void move_count(struct request *r);
/* After that, where its connection goes on: it may now be another thread's. */
void move_after(struct request *r, struct MHD_Connection *mhd);

/* linger.c: a connection is about to be closed, on its serving thread */
void linger_begin(struct conn *c);
void linger_wake(struct server *s); /* these on the loop thread */
void linger_tick(struct server *s, unsigned tick);
void linger_close(struct server *s);

/* workers.c: threads for what takes long */
int workers_init(struct workers *w); /* workers_free() in any case */
/* From any thread. 0, or -1: there is no thread for it, and it is the caller's still. */
int workers_add(struct workers *w, struct work *work);
/* Waits until all is done; nothing is taken any more. */
void workers_end(struct workers *w);
void workers_free(struct workers *w);

/* loop.c: the libuv thread */
int loop_start(struct server *s, struct sosia_err *err);
void loop_accept(struct server *s);     /* from ::1, when libmicrohttpd is there */
void loop_end_accept(struct server *s); /* returns when no more come from there */
void loop_join(struct server *s);
void loop_wake(struct server *s);
/* Writes a line into the log when changes didn't reach the disk. */
void loop_report(struct server *s);
void loop_on_wake(uv_async_t *async);

/* ws/: WebSockets (RFC 6455), as connections of sessions */
int ws_init(struct server *s, struct sosia_err *err); /* before the loop's thread is there */
void ws_free(struct websockets *all);
/* Whether a request asks to become one. */
bool ws_is_asked(const struct request *r);
/* Its handshake: answers it at once, or leaves it to a worker. */
enum MHD_Result ws_handshake(struct request *r);
/* On a worker: opens the session. */
void ws_open(struct request *r);
/* On the serving thread: there is a session. */
enum MHD_Result ws_accept(struct request *r);
/* There is a session, but its connection has gone. From any thread. */
void ws_drop(struct ws *ws);
/* Before a connection with TLS that was a WebSocket's is freed: the loop is through with it. */
void ws_wait_for_end(struct websockets *all);
void ws_wake(struct websockets *all);  /* on the loop thread: take what others have left */
void ws_close(struct websockets *all); /* on the loop thread: the end */
/* Notifies clients that the server stops (close code 1001); waits at most so long for them to
 * close, and then cuts them off; waits for what their sessions still have to do. */
void ws_begin_stop(struct server *s);
void ws_wait_for_sockets(struct server *s, unsigned ms);
void ws_wait_for_sessions(struct server *s);

/* stream.c: answers that go on */
/* delay.c: faults on the wire */
int delays_init(struct server *s, struct sosia_err *err); /* before the loop's thread is there */
void delays_free(struct delays *all);
void delays_wake(struct delays *all);  /* on the loop thread: take what is new */
void delays_close(struct delays *all); /* on the loop thread: the end, nothing waits any more */
/* The server is about to stop: who waits for no answer gets its end. On the loop. */
void delays_hurry(struct delays *all);
/* Whether the answer is to wait; then so it does: http_done() comes later. False: it can't. */
bool delay_wanted(const struct request *r, const struct sosia_response *response);
bool delay_begin(struct request *r, const struct sosia_response *response);
/* Frees the response, and resets the connection. */
enum MHD_Result delay_reset(struct request *r, struct sosia_response *response);
/* Reads a body that ends too early, for libmicrohttpd. */
ssize_t delay_half(void *cls, uint64_t at, char *to, size_t size);

int streams_init(struct server *s, struct sosia_err *err); /* before the loop's thread is there */
void streams_free(struct streams *all);
void streams_close(struct streams *all); /* on the loop thread: the end */
/* session.c: sessions in the place of the control key. */
bool session_make(const char *key, bool read_only, int64_t expires_s,
                  char ret_session[SERVER_SESSION_MAX]);
bool session_is_one(const char *token);
/* Signed with the key, and not over. ret_ends_s: when it ends, in seconds since 1970. */
bool session_good(const char *key, const char *token, bool *ret_read_only, int64_t *ret_ends_s);

/* The response that sends r->sending, which is one. NULL without memory. */
struct MHD_Response *stream_respond(struct request *r);
/* The request is over. */
void stream_drop(struct request *r);
/* The server stops (s->stopping): ends them. */
void streams_end(struct streams *all);

/* handshake.c: TLS handshakes that wait for their clients */
/* Before the loop's thread is there. */
int handshakes_init(struct server *s, struct sosia_err *err);
void handshakes_close(struct handshakes *h); /* on the loop thread: the end */
void handshakes_free(struct handshakes *h);
/* These two on the serving thread, the second one under the registry's lock: a connection is there,
 * is about to be freed. */
void handshake_begin(struct conn *c, struct MHD_Connection *mhd, gnutls_session_t session);
void handshake_end(struct conn *c);
/* Nothing is waited for any more (s->giving_up); under the registry's lock. */
void handshake_give_up(struct conn *c);

/* inside.c: connections from inside of a sandbox */
/* Where the options ask for it. */
int inside_init(struct server *s, const struct server_options *o, struct sosia_err *err);
/* The world of a connection that was passed, by the address it was passed with; 0: it was not. */
uint64_t inside_world(const struct sockaddr *address);
/* A connection of the world that was passed has begun, or will not. Under the server's lock. */
void inside_arrived(struct server *s, uint64_t world);
/* Whether a host is one that there is inside: a service's. */
bool inside_has(const struct server *s, const char *host);
/* Whether a request leads to a service, and not to tools or programs, of which one that waits for
 * this request holds the world. */
bool inside_takes(const struct server *s, const char *host, const char *target);
struct tls *inside_tls(const struct server *s);
struct workers *inside_workers(const struct server *s);
void inside_end(struct server *s);         /* nothing is passed any more */
void inside_stop(struct server *s);        /* no connection is served any more */
void inside_end_workers(struct server *s); /* what they still have to do is done */
void inside_free(struct inside *inside);
/* server.c: one of libmicrohttpd's; fd: that it listens on, -1: none. NULL: it did not start. */
struct MHD_Daemon *server_daemon(struct server *s, int fd, bool tls, unsigned connections);

/* webhook.c */
int webhooks_init(struct server *s, const struct server_options *o, struct sosia_err *err);
void webhooks_wake(struct webhooks *w);  /* on the loop thread: take what was queued */
void webhooks_close(struct webhooks *w); /* on the loop thread: fail what is left */
bool webhooks_busy(struct webhooks *w);  /* is any queued or under way? */
void webhooks_free(struct webhooks *w);
void webhooks_count(struct webhooks *w, struct server_metrics *m);

#endif
