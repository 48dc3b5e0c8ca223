/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The HTTP server around an engine: sockets, TLS, limits, and who may speak to the control
 * interface.
 *
 * Requests are served on libmicrohttpd's threads, each of which waits for its own connections. One
 * more thread runs a libuv loop: deadlines, timers, signals, outgoing webhooks, and work too long
 * for the serving threads. What a request means is the engine's business (sosia_call_async()) or,
 * below "/_sosia/", that of the control function given in the options.
 *
 * A process that starts a server has SIGPIPE and SIGXFSZ ignored and its limit of open files raised
 * to the hard limit.
 */
#ifndef SOSIA_SERVER_SERVER_H
#define SOSIA_SERVER_SERVER_H

#include "engine/base/buf.h"
#include "sosia.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct server;

/* ---- the control interface ---- */

/* A request below "/_sosia/". Everything is borrowed for the length of the call. */
struct server_request {
    const char *method; /* "GET" for HEAD as well */
    const char *path;   /* raw, without the query: "/_sosia/v1/worlds" */
    const char *query;  /* raw, without the question mark; "" */
    const struct sosia_header *headers;
    size_t n_headers;
    const char *body; /* NUL-terminated behind body_len; already inflated */
    size_t body_len;
    const char *base_url;     /* "http://localhost:8787", as the client sees the server */
    bool on_worker;           /* the second call after SERVER_SLOW */
    bool read_only;           /* it has a session that may only read */
    int64_t ends_s;           /* when its session ends, in seconds since 1970; 0: it has the key */
    struct server_kept *kept; /* what the first one has left; NULL: nothing */
    struct server *server;    /* may not have been given out by server_start() yet */
    void *internal;
};

/* A session opens the control interface in the place of the key, for as long as it is good. It is
 * signed with the key, and stored nowhere. expires_s: seconds since 1970. False: it can't be made.
 */
#define SERVER_SESSION_MAX 96
bool server_session_make(const struct server_request *request, bool read_only, int64_t expires_s,
                         char ret_session[SERVER_SESSION_MAX]);
/* Whether it is the control key; takes as long for any wrong one of the right length. */
bool server_is_key(const struct server_request *request, const char *key);

/* What a control function has made so far; freed after its second call. */
struct server_kept {
    void (*free)(struct server_kept *kept);
};

#define SERVER_MAX_HEADERS 8

/* Cleared before the control function is called, but for status 200 and content_type
 * "application/json; charset=UTF-8". */
struct server_call;
struct server_response {
    int status;
    const char *content_type; /* static */
    char *body;               /* freed by free_body(free_arg ? free_arg : body); NULL: empty */
    size_t body_len;
    void (*free_body)(void *arg); /* NULL: free() */
    void *free_arg;
    struct sosia_header headers[SERVER_MAX_HEADERS]; /* more header fields, static or allocated
                                                        with server_alloc() */
    size_t n_headers;
    const struct server_call *call; /* with SERVER_CALL */
    struct sosia_response
        *answer;              /* with SERVER_ANSWER: it is freed when it is sent, or can't be */
    struct server_kept *kept; /* with SERVER_SLOW: for the second call; NULL: nothing */
};

/* A request to a world that is made in the place of the control interface's own answer; all of it
 * allocated with server_alloc(). */
struct server_call {
    const char *target, *authorization, *content_type;
    const char *body;
    size_t body_len;
};

/* What a control function gives back: 0 when the response is filled in, -1 for an internal error,
 * or SERVER_SLOW: it is to be called again, with on_worker set, on a thread that serves nobody
 * else. A small operation answers at once; a dump, an import or a seed that may take milliseconds
 * goes to a worker. */
#define SERVER_SLOW 1
/* On a worker: the answer is that of a world's to response->call, a POST, which may take as long as
 * somebody else takes to answer. */
#define SERVER_CALL 2
/* Of what is beside the control interface: the request goes on to a world as it came, but for the
 * target and the credential of response->call, on whatever thread it is. */
#define SERVER_FORWARD 3
/* The response is response->answer, which may go on. */
#define SERVER_ANSWER 4
typedef int server_control_fn(void *arg, const struct server_request *request,
                              struct server_response *response);

/* Paths beside those of services and of the control interface, on hosts that are no service's. Who
 * may use them is the function's business, and its refusals have a form of their own. */
struct server_beside {
    bool (*is_for)(const char *target); /* as on the wire; NULL: there are none */
    server_control_fn *serve;
    /* By the head of a request with a large body: it will be refused whatever that is. */
    bool (*refused)(void *arg, const struct server_request *head);
    void *arg;
};

/* Memory that lives until the answer has been sent. Never NULL; see engine/base/arena.h. */
void *server_alloc(const struct server_request *request, size_t size);

/* Answers with the content of a buffer, which is left empty. A failed buffer becomes an internal
 * error. */
void server_answer_buf(struct server_response *response, int status, struct buf *body);
/* Answers with a blob, which the response then owns. */
void server_answer_blob(struct server_response *response, int status, struct sosia_blob *blob);
/* {"error":{"code":404,"reason":"notFound","message":"..."}} */
__attribute__((format(printf, 4, 5))) void server_answer_error(struct server_response *response,
                                                               int status, const char *reason,
                                                               const char *fmt, ...);
/* The same from an engine's error. */
void server_answer_err(struct server_response *response, const struct sosia_err *err);

/* ---- who answers the other requests ---- */

/* In the place of the engine: for tests and tools that answer by themselves. */
struct server_backend {
    void *arg;
    /* As sosia_call_try(); NULL: call() never waits for others. */
    bool (*try_call)(void *arg, const struct sosia_request *request,
                     void (*done)(void *done_arg, struct sosia_response *response), void *done_arg);
    /* As sosia_call_async(); the response is given back to free_response(). */
    void (*call)(void *arg, const struct sosia_request *request,
                 void (*done)(void *done_arg, struct sosia_response *response), void *done_arg);
    int (*free_response)(struct sosia_response *response);
    int (*sweep)(void *arg); /* as sosia_engine_sweep(); NULL: nothing to sweep */
    /* As sosia_body_max() and sosia_spool_open(); NULL: bodies are within max_body, and in memory.
     */
    int64_t (*body_max)(void *arg, const struct sosia_request *head);
    /* As sosia_head_refused(); NULL: bodies are taken first. */
    bool (*head_refused)(void *arg, const struct sosia_request *head);
    int (*spool_open)(void *arg, int64_t max, struct sosia_spool **ret_spool,
                      struct sosia_err *err);
};

/* ---- options ---- */

enum server_log_level {
    SERVER_LOG_WARN, /* errors and what an operator should see (the default) */
    SERVER_LOG_OFF,
    SERVER_LOG_ERROR,
    SERVER_LOG_INFO,  /* and start and stop */
    SERVER_LOG_DEBUG, /* and refused requests and what libmicrohttpd says */
};

/* Zero bytes everywhere but in https_port mean the defaults: start from SERVER_OPTIONS_INIT.
 * Strings are borrowed until server_start() returns. */
struct server_options {
    struct sosia_engine *engine;
    const struct server_backend *backend; /* instead of an engine */
    uint64_t world;                       /* all calls go to this world; 0: as the request says */

    const char *listen; /* an address; NULL: 127.0.0.1 and, where the machine has it, ::1 */
    int port;           /* 0: a free one */
    int https_port;     /* -1: none, 0: a free one */
    const char *tls_cert, *tls_key;  /* PEM files for HTTPS, or */
    const char *ca_dir;              /* the directory of a local authority (server/ca.h) */
    const char *const *vendor_hosts; /* hosts of what is served (service_hosts()), which outlive the
                                        server; NULL: none */
    const char *data_dir;     /* the engine's; the log warns where others may read or write there */
    const char *const *hosts; /* more host names to accept, "*.example.org" too; NULL-terminated */

    /* Requests for hosts that are nobody's go to this path, a host and their own path behind it,
     * with this token in the place of what they bring: the web of a world. NULL: they are refused.
     */
    const char *web_path, *web_token;

    const char *control_key; /* NULL: a random one, see server_control_key(); at least 8 characters;
                                must be given, with at least 16, when the server listens on other
                                than a loopback address */
    bool make_key;           /* it need not: a random one there too */
    server_control_fn *control; /* NULL: there is no control interface */
    void *control_arg;
    struct server_beside beside;
    /* For who passes connections of programs that are kept in (server_inside()): begin before the
     * first request is served (-1: the server does not start), end when none of them runs any more,
     * in any case; both or neither. */
    int (*inside_begin)(void *arg, struct server *server, struct sosia_err *err);
    void (*inside_end)(void *arg);
    void *inside_arg;
    bool hello; /* answer /_sosia/hello?size=N with a fixed body and an API answer's headers: a
                   baseline */

    unsigned threads;         /* that serve, for each of HTTP and HTTPS; 0: one a core */
    unsigned max_connections; /* 0: 16384; never more than the limit of open files allows. HTTPS
                                 gets three eighths of them */
    size_t max_head;          /* bytes of request line and header fields, roughly; 0: 16 KiB */
    size_t max_body;          /* bytes of a request body, inflated, where its method does not take
                                 more; 0: 64 MiB */
    size_t spool_over;        /* bytes of a request body that are kept in memory; 0: 1 MiB */
    size_t max_bodies;        /* bytes of all large bodies in memory at a time; 0: 1 GiB */
    size_t gzip_min;          /* compress answers from this size; 0: 1024; SIZE_MAX: never */
    unsigned idle_ms;         /* waiting for a request, or without any traffic; 0: 60 s */
    unsigned request_ms;      /* from a request's first line to its last byte; 0: 60 s */
    unsigned answer_ms;       /* for the client to take the answer; 0: 300 s */
    unsigned stop_ms;         /* how long a graceful stop waits; 0: 10 s */
    unsigned ping_ms;         /* between pings of a WebSocket; 0: 30 s. One that nothing came from
                                 since the last ping is taken for dead */
    unsigned close_ms;        /* for a WebSocket's client to answer a close frame, or to take what
                                 lies in front of it; 0: 5 s */
    size_t session_queue; /* bytes that wait for a WebSocket's client to read, before it is closed
                             as too slow; 0: 1 MiB */
    unsigned sweep_ms;    /* between sweeps of worlds whose life is over; 0: 1 s */

    enum server_log_level log_level;
    bool log_json;     /* JSON lines instead of logfmt */
    bool log_requests; /* a line for every request, whatever the level */

    const char *const *webhook_hosts; /* receivers: "host", "*.host", with ":port" or ":*";
                                         "localhost" is all of loopback. NULL: "localhost:*" */
    const int *webhook_denied; /* ports of this machine that are none, whatever the list says; ends
                                  with 0; NULL: none. The server's own never are */
    const char *webhook_ca; /* PEM file of authorities trusted for webhooks besides the system's */
};
#define SERVER_OPTIONS_INIT                                                                        \
    {                                                                                              \
        .https_port = -1                                                                           \
    }

/* ---- life ---- */

/* Serves from now on. */
int server_start(const struct server_options *options, struct server **ret_server,
                 struct sosia_err *err);
int server_port(const struct server *server);
int server_https_port(const struct server *server);        /* -1: none */
const char *server_url(const struct server *server);       /* "http://localhost:8787" */
const char *server_https_url(const struct server *server); /* NULL: none */
const char *server_control_key(const struct server *server);
/* Accepts no more connections, answers the requests that have arrived (for stop_ms at most), closes
 * everything and frees the server. */
void server_stop(struct server *server);
/* From here on SIGINT and SIGTERM are noted instead of ending the process: for before a program
 * says that it is ready. */
void server_catch_signals(struct server *server);
/* Blocks until SIGINT or SIGTERM (catching them if that wasn't asked for before), then stops as
 * above; a second signal cuts the wait short. Gives the number of the first. */
int server_run_until_signal(struct server *server);

/* ---- connections from inside of a sandbox ---- */

/* The certificate in PEM of the authority that signs for the vendors' hosts there; NULL: there is
 * none. Any thread may ask, between inside_begin and inside_end; the text lives as long. */
const char *server_inside_authority(struct server *server);
/* Serves a connection that a program in a sandbox has made: what it asks for is asked of this world
 * and of no other, at the vendors' hosts alone, and neither the control interface nor what is
 * beside it is there. secure: the client speaks TLS. The socket is the server's from here on, in
 * any case. */
void server_inside(struct server *server, uint64_t world, int fd, bool secure);

/* ---- figures ---- */

#define SERVER_LATENCY_BUCKETS 26

struct server_metrics {
    uint64_t requests;                        /* answered, all kinds */
    uint64_t control_requests;                /* of them, below /_sosia/ */
    uint64_t status[600];                     /* answers by status code */
    uint64_t bytes_in, bytes_out;             /* bodies, as they came and went */
    uint64_t latency[SERVER_LATENCY_BUCKETS]; /* answers by the time they took: [i] under 2^i us,
                                                 the last one: longer than that */
    uint64_t latency_us;                      /* the sum */
    uint64_t connections;                     /* accepted so far */
    uint64_t open_connections;
    uint64_t moved;      /* connections, to another thread (server/move.c) */
    uint64_t timeouts;   /* connections closed by a deadline */
    uint64_t body_bytes; /* held at the moment for bodies larger than 64 KiB, of requests and of
                            answers of services */
    uint64_t webhooks, webhook_failures;
};
/* Adds up what the threads have counted so far. */
void server_metrics(struct server *server, struct server_metrics *ret_metrics);

/* ---- outgoing webhooks ---- */

struct webhook_result {
    int status;        /* of the receiver's answer; 0: there was none, see error */
    const char *error; /* NULL: none */
    const char *body;  /* the first 64 KiB; NUL-terminated */
    size_t body_len;
    const struct sosia_header *headers; /* as many as fit; of values those that are UTF-8 */
    size_t n_headers;
    const char *reason; /* of struct sosia_outcome: why there was none; NULL: not known */
};

struct webhook_request {
    uint64_t world;     /* that it is of: connections are shared out by it */
    const char *method; /* NULL: "POST" */
    const char *url;    /* http or https; to a receiver that the operator allows */
    const struct sosia_header *headers;
    size_t n_headers;
    const char *body;
    size_t body_len;
    unsigned timeout_ms; /* 0: 10 s */
    int redirects;       /* how many are followed, with the same method and body, to hosts that may
                            be called; one more is an error. 0: the first one is the answer */
    /* Called once, on the server's loop thread; must not block. NULL: nobody wants to know. */
    void (*done)(void *arg, const struct webhook_result *result);
    void *arg;
};
/* Sends a request from the loop thread; everything is copied. -1: refused at once (a host that
 * isn't allowed, too many waiting, stopping), and done() isn't called. */
int server_webhook(struct server *server, const struct webhook_request *request,
                   struct sosia_err *err);

#endif
