/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A server's life: options checked, sockets opened, threads started, and all of it ended in an
 * order in which nothing is used after it is gone.
 */
#include "server/server.h"
#include "engine/http/hold.h"
#include "engine/send/program.h"
#include "server/host.h"
#include "server/internal.h"
#include "server/receiver.h"
#include "server/tls.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <gnutls/crypto.h>
#include <malloc.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define MAX_BODY         ((size_t)1 << 30)
#define RESERVED_FILES   256 /* for the engine, webhooks, logs */
#define MAX_TICK_MS      250
#define STOP_POLL_NS     2000000
#define CALM_MS          500
#define WEBHOOKS_STOP_MS 3000 /* at most, of a stop, for receivers to answer */
#define SESSIONS_STOP_MS 3000 /* at most, of a stop, for clients to close theirs */
#define KEY_BYTES        24
#define LEAST_KEY        16 /* characters, where other machines may guess */
#define LEAST_KEY_HERE   8  /* where the programs of this one may */
#define TLS_VERSIONS     "NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2"
#define LOOP_WORKERS     "16" /* turns of sessions; most wait, for the disk or for a world */

/* ---- threads' own things ---- */

static _Atomic uint64_t last_id;
static _Thread_local struct thread *my_thread;
static _Thread_local uint64_t my_server;

struct thread *server_thread(struct server *s)
{
    if (my_server == s->id)
        return my_thread;
    struct thread *t = calloc(1, sizeof *t);
    if (!t)
        return NULL;
    pthread_mutex_lock(&s->lock);
    t->next = s->thread_list;
    s->thread_list = t;
    pthread_mutex_unlock(&s->lock);
    my_thread = t;
    my_server = s->id;
    return t;
}

static uint64_t value(_Atomic uint64_t *counter)
{
    return atomic_load_explicit(counter, memory_order_relaxed);
}

void server_metrics(struct server *s, struct server_metrics *m)
{
    memset(m, 0, sizeof *m);
    pthread_mutex_lock(&s->lock);
    for (struct thread *t = s->thread_list; t; t = t->next) {
        m->requests += value(&t->requests);
        m->control_requests += value(&t->control_requests);
        m->bytes_in += value(&t->bytes_in);
        m->bytes_out += value(&t->bytes_out);
        m->latency_us += value(&t->latency_us);
        for (size_t i = 0; i < SOSIA_LEN(m->status); i++)
            m->status[i] += value(&t->status[i]);
        for (size_t i = 0; i < SERVER_LATENCY_BUCKETS; i++)
            m->latency[i] += value(&t->latency[i]);
    }
    m->connections = s->n_accepted;
    m->open_connections = s->n_open;
    m->moved = s->n_moved;
    m->timeouts = s->n_timeouts;
    m->body_bytes = atomic_load(&s->bodies);
    pthread_mutex_unlock(&s->lock);
    webhooks_count(s->webhooks, m);
}

/* ---- options ---- */

static unsigned or_default(unsigned value_, unsigned fallback)
{
    return value_ ? value_ : fallback;
}

static unsigned ticks(const struct server *s, unsigned ms)
{
    return ms / s->tick_ms + 1;
}

static void set_times(struct server *s, const struct server_options *o)
{
    unsigned idle = or_default(o->idle_ms, 60000), request = or_default(o->request_ms, 60000);
    unsigned answer = or_default(o->answer_ms, 300000);
    unsigned least = idle < request ? idle : request;
    least = answer < least ? answer : least;
    s->tick_ms = least / 8 < 10 ? 10 : least / 8 > MAX_TICK_MS ? MAX_TICK_MS : least / 8;
    s->idle_ticks = ticks(s, idle);
    s->request_ticks = ticks(s, request);
    s->answer_ticks = ticks(s, answer);
    s->ping_ticks = ticks(s, s->ping_ms);
    s->idle_ms = idle;
    s->stop_ms = or_default(o->stop_ms, 10000);
    s->sweep_ms = or_default(o->sweep_ms, 1000);
}

static bool is_key(const char *key)
{
    for (const char *p = key; *p; p++)
        if (*p <= ' ' || *p > '~')
            return false;
    return *key != 0;
}

static int set_key(struct server *s, const char *key, bool make, bool loopback,
                   struct sosia_err *err)
{
    unsigned char bytes[KEY_BYTES];
    char text[2 * KEY_BYTES + 1];
    if (!key && !make && !loopback)
        return sosia_fail(err, SOSIA_E_INVALID, "controlKeyRequired", "control_key",
                          "listening on an address that other machines reach wants a control key");
    if (key && !is_key(key))
        return sosia_fail(err, SOSIA_E_INVALID, "badControlKey", "control_key",
                          "a control key must be printable ASCII without whitespace, not "
                          "other characters");
    size_t least = loopback ? LEAST_KEY_HERE : LEAST_KEY;
    if (key && strlen(key) < least)
        return sosia_fail(err, SOSIA_E_INVALID, "weakControlKey", "control_key",
                          "a control key must have at least %zu characters%s, not %zu", least,
                          loopback ? "" : " on an address that other machines reach", strlen(key));
    if (!key) {
        if (gnutls_rnd(GNUTLS_RND_KEY, bytes, sizeof bytes) < 0)
            return sosia_fail(err, SOSIA_E_INTERNAL, "random", NULL, "no random numbers to be had");
        hex_encode(text, bytes, sizeof bytes);
        key = text;
    }
    s->control_key = strdup(key);
    return s->control_key ? 0 : sosia_fail_memory(err);
}

/* "name", or "*.name" for what is below it. */
static bool is_pattern(const char *text)
{
    struct host host;
    if (strncmp(text, "*.", 2) == 0)
        text += 2;
    return host_parse(text, strlen(text), &host) == 0 && !host.ipv6 && host.port < 0;
}

static int check_hosts(const struct server_options *o, struct sosia_err *err)
{
    for (const char *const *p = o->hosts; p && *p; p++)
        if (!is_pattern(*p))
            return sosia_fail(err, SOSIA_E_INVALID, "badOption", "hosts",
                              "a host must be NAME or *.NAME, not \"%.200s\"", *p);
    for (const char *const *p = o->webhook_hosts; p && *p; p++)
        if (!receiver_is_pattern(*p))
            return sosia_fail(
                err, SOSIA_E_INVALID, "badOption", "webhook_hosts",
                "a webhook host must be NAME or *.NAME, with :PORT or :* behind it or nothing, not "
                "\"%.200s\"",
                *p);
    return 0;
}

static int set_options(struct server *s, const struct server_options *o, struct sosia_err *err)
{
    bool loopback;
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    if (listener_is_loopback(o->listen, &loopback, err) < 0 ||
        set_key(s, o->control_key, o->make_key, loopback, err) < 0 || check_hosts(o, err) < 0)
        return -1;
    if (!(s->hosts = host_list_copy(o->hosts)))
        return sosia_fail_memory(err);
    if (o->threads > SERVER_MAX_THREADS)
        return sosia_fail(err, SOSIA_E_INVALID, "badOption", "threads",
                          "threads must be at most %d, not %u", SERVER_MAX_THREADS, o->threads);
    if (o->max_body > MAX_BODY)
        return sosia_fail(err, SOSIA_E_INVALID, "badOption", "max_body",
                          "max_body must be at most %zu bytes, not %zu", MAX_BODY,
                          (size_t)o->max_body);
    s->vendor_hosts = o->vendor_hosts;
    s->any_host = !loopback && !s->hosts[0];
    if (o->web_path && (!(s->web_path = strdup(o->web_path)) ||
                        asprintf(&s->web_credential, "Bearer %s", o->web_token) < 0)) {
        s->web_credential = NULL;
        return sosia_fail_memory(err);
    }
    s->threads = or_default(o->threads, cores > 0 ? (unsigned)cores : 1);
    s->max_body = o->max_body ? o->max_body : (size_t)64 << 20;
    s->spool_over = o->spool_over ? o->spool_over : (size_t)1 << 20;
    s->max_bodies = o->max_bodies ? o->max_bodies : (size_t)1 << 30;
    s->gzip_min = o->gzip_min ? o->gzip_min : 1024;
    s->pool_size = (o->max_head ? o->max_head : (size_t)16 << 10) / 3 * 4;
    s->max_connections = or_default(o->max_connections, 16384);
    s->log_requests = o->log_requests;
    s->ping_ms = or_default(o->ping_ms, 30000);
    s->close_ms = or_default(o->close_ms, 5000);
    s->session_queue = o->session_queue ? o->session_queue : (size_t)1 << 20;
    s->control = o->control;
    s->control_arg = o->control_arg;
    s->beside = o->beside;
    log_init(&s->log, o->log_level, o->log_json);
    set_times(s, o);
    if (o->backend) {
        s->backend = *o->backend;
    } else if (o->engine) {
        s->engine = (struct engine_backend){o->engine, o->world};
        s->backend = engine_backend(&s->engine);
        hold_room(o->engine, s->workers.most);
    }
    if (o->hello) {
        static const char TEXT[] = "{\"hello\":\"sosia\"}";
        s->hello = calloc(1, SERVER_HELLO_MAX);
        if (!s->hello)
            return sosia_fail_memory(err);
        memcpy(s->hello, TEXT, sizeof TEXT - 1);
        atomic_init(&s->hello_len, sizeof TEXT - 1);
    }
    return 0;
}

static void set_url(char url[300], const char *scheme, const char *address, int port)
{
    if (!address || strcmp(address, "0.0.0.0") == 0 || strcmp(address, "::") == 0)
        address = "localhost";
    snprintf(url, 300, strchr(address, ':') ? "%s://[%.250s]:%d" : "%s://%.250s:%d", scheme,
             address, port);
}

/* ---- libmicrohttpd ---- */

__attribute__((format(printf, 2, 0))) static void mhd_log(void *cls, const char *fmt, va_list ap)
{
    struct server *s = cls;
    struct log_line line;
    char text[300];
    if (!log_wants(&s->log, SERVER_LOG_DEBUG))
        return;
    vsnprintf(text, sizeof text, fmt, ap);
    text[strcspn(text, "\n")] = 0;
    log_begin(&line, &s->log, SERVER_LOG_DEBUG, "libmicrohttpd");
    log_str(&line, "text", text);
    log_end(&line);
}

static int retrieve(gnutls_session_t session, const gnutls_datum_t *issuers, int n_issuers,
                    const gnutls_pk_algorithm_t *algorithms, int n_algorithms,
                    gnutls_pcert_st **ret_chain, unsigned *ret_n, gnutls_privkey_t *ret_key)
{
    /* libmicrohttpd sets itself as the session's pointer */
    struct MHD_Connection *mhd = gnutls_session_get_ptr(session);
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    char name[256];
    size_t n = sizeof name;
    unsigned type;
    bool named =
        gnutls_server_name_get(session, name, &n, &type, 0) == 0 && type == GNUTLS_NAME_DNS;
    if (!info || !info->socket_context)
        return -1;
    struct conn *c = info->socket_context;
    struct tls *tls = http_is_inside(c) ? inside_tls(c->server) : c->server->tls;
    tls_certificate(tls, named ? name : NULL, ret_chain, ret_n, ret_key);
    return 0;
}

/* Strictness is our own (request.c): libmicrohttpd's strict mode answers some faults with a header
 * printed twice, and others not at all. So are deadlines (loop.c): its own timeout (0.9.75) says
 * good-bye to a client of HTTPS and then waits for the client to close. */
struct MHD_Daemon *server_daemon(struct server *s, int fd, bool tls, unsigned connections)
{
    unsigned flags = MHD_USE_EPOLL_INTERNAL_THREAD | MHD_USE_ITC | MHD_USE_SUPPRESS_DATE_NO_CLOCK |
                     MHD_USE_TURBO | MHD_ALLOW_SUSPEND_RESUME | MHD_ALLOW_UPGRADE;
    if (log_wants(&s->log, SERVER_LOG_DEBUG))
        flags |= MHD_USE_ERROR_LOG;
    if (tls)
        flags |= MHD_USE_TLS;
    if (fd < 0)
        flags |= MHD_USE_NO_LISTEN_SOCKET;
    struct MHD_OptionItem options[] = {
        {MHD_OPTION_CONNECTION_LIMIT, (intptr_t)connections, NULL},
        {MHD_OPTION_CONNECTION_MEMORY_LIMIT, (intptr_t)s->pool_size, NULL},
        {fd < 0 ? MHD_OPTION_END : MHD_OPTION_LISTEN_SOCKET, fd, NULL},
        {MHD_OPTION_END, 0, NULL},
    };
    struct MHD_OptionItem secure[] = {
        {MHD_OPTION_HTTPS_CERT_CALLBACK, 0, (void *)(uintptr_t)retrieve},
        {MHD_OPTION_HTTPS_PRIORITIES, 0, (void *)(uintptr_t)TLS_VERSIONS},
        {MHD_OPTION_END, 0, NULL},
    };
    return MHD_start_daemon(flags, 0, NULL, NULL, http_handle, s, MHD_OPTION_EXTERNAL_LOGGER,
                            mhd_log, s, MHD_OPTION_URI_LOG_CALLBACK, http_target, s,
                            MHD_OPTION_NOTIFY_COMPLETED, http_completed, s,
                            MHD_OPTION_NOTIFY_CONNECTION, http_connection, s, MHD_OPTION_ARRAY,
                            options, MHD_OPTION_ARRAY, tls ? secure : &secure[1], MHD_OPTION_END);
}

/* How many WebSockets there may be, which take descriptors beside those of n connections. */
static size_t sessions_beside(const struct server *s, unsigned n)
{
    struct rlimit files;
    size_t least = n / 4, most = s->max_connections;
    if (getrlimit(RLIMIT_NOFILE, &files) < 0 || files.rlim_cur < (rlim_t)n + RESERVED_FILES + least)
        return least;
    rlim_t left = files.rlim_cur - n - RESERVED_FILES;
    return left < most ? (size_t)left : most;
}

/* A connection takes a descriptor; what the limit of open files leaves is shared out. */
static unsigned allowed_connections(const struct server *s)
{
    struct rlimit files;
    unsigned n = s->max_connections;
    if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
        if (files.rlim_cur < files.rlim_max) {
            files.rlim_cur = files.rlim_max;
            setrlimit(RLIMIT_NOFILE, &files);
            getrlimit(RLIMIT_NOFILE, &files);
        }
        rlim_t free_files = files.rlim_cur > RESERVED_FILES ? files.rlim_cur - RESERVED_FILES : 0;
        if (free_files < n)
            n = (unsigned)free_files;
    }
    return n;
}

/* A thread of libmicrohttpd's pool can't be asked to accept no more without a race that ends the
 * process (its thread and MHD_quiesce_daemon() both take the socket out of the same set, and the
 * second one finds nothing); so each thread is a daemon, with a descriptor of its own to close. */
static int start_some(struct server *s, struct daemons *d, int listen_fd, bool tls,
                      unsigned connections)
{
    while (d->n < s->threads) {
        int fd = fcntl(listen_fd, F_DUPFD_CLOEXEC, 0);
        unsigned share = connections / s->threads + (d->n < connections % s->threads);
        struct MHD_Daemon *daemon = fd < 0 ? NULL : server_daemon(s, fd, tls, share);
        if (!daemon)
            return -1;
        pthread_mutex_lock(&s->lock); /* those before it serve already (move.c) */
        d->list[d->n++] = daemon;
        pthread_mutex_unlock(&s->lock);
    }
    return 0;
}

static int start_daemons(struct server *s, struct sosia_err *err)
{
    unsigned n = allowed_connections(s);
    unsigned n_tls = s->secure.fd >= 0 ? (unsigned)((uint64_t)n * 3 / 8) : 0;
    s->max_sessions = sessions_beside(s, n);
    unsigned least = s->threads * (s->secure.fd >= 0 ? 8 : 2);
    if (n < least)
        return sosia_fail(err, SOSIA_E_LIMIT, "tooFewConnections", "max_connections",
                          "%u threads want at least %u connections (limits allow %u)", s->threads,
                          least, n);
    s->share = (n - n_tls) / s->threads;
    if (start_some(s, &s->http, s->plain.fd, false, n - n_tls) < 0 ||
        (s->secure.fd >= 0 && start_some(s, &s->https, s->secure.fd, true, n_tls) < 0))
        return sosia_fail(err, SOSIA_E_INTERNAL, "http", NULL, "libmicrohttpd did not start");
    return 0;
}

/* ---- start ---- */

void server_unref(struct server *s)
{
    if (atomic_fetch_sub(&s->refs, 1) == 1)
        free(s);
}

static void free_threads(struct server *s)
{
    for (struct thread *t = s->thread_list, *next; t; t = next) {
        next = t->next;
        if (t->has_deflater)
            deflateEnd(&t->deflater);
        free(t);
    }
}

/* What does not depend on any thread. */
static void server_free(struct server *s)
{
    listener_close(&s->plain);
    listener_close(&s->secure);
    tls_free(s->tls);
    webhooks_free(s->webhooks);
    ws_free(s->websockets);
    streams_free(s->streams);
    delays_free(s->delays);
    handshakes_free(s->handshakes);
    deliver_free(s->deliver);
    inside_free(s->inside);
    free_threads(s);
    workers_free(&s->workers);
    host_list_free(s->hosts);
    free(s->web_path);
    free(s->web_credential);
    if (s->control_key)
        gnutls_memset(s->control_key, 0, strlen(s->control_key));
    free(s->control_key);
    free(s->hello);
    uv_sem_destroy(&s->signalled);
    uv_sem_destroy(&s->catching);
    uv_sem_destroy(&s->accept_ended);
    pthread_mutex_destroy(&s->linger_lock);
    pthread_mutex_destroy(&s->lock);
    server_unref(s);
}

static struct server *server_new(void)
{
    struct server *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    atomic_init(&s->refs, 1);
    s->id = atomic_fetch_add(&last_id, 1) + 1;
    s->plain.fd = s->plain.fd6 = s->secure.fd = s->secure.fd6 = -1;
    s->secure.port = -1;
    pthread_mutex_init(&s->lock, NULL);
    pthread_mutex_init(&s->linger_lock, NULL);
    uv_sem_init(&s->signalled, 0);
    uv_sem_init(&s->catching, 0);
    uv_sem_init(&s->accept_ended, 0);
    if (workers_init(&s->workers) < 0) {
        server_free(s);
        return NULL;
    }
    return s;
}

static int open_listeners(struct server *s, const struct server_options *o, struct sosia_err *err)
{
    if (o->https_port >= 0 && tls_open(o, &s->tls, err) < 0)
        return -1;
    if (listener_open(&s->plain, o->listen, o->port, err) < 0)
        return -1;
    set_url(s->url, "http", o->listen, s->plain.port);
    if (o->https_port < 0)
        return 0;
    if (listener_open(&s->secure, o->listen, o->https_port, err) < 0)
        return -1;
    set_url(s->https_url, "https", o->listen, s->secure.port);
    return 0;
}

static void stop_some(struct daemons *d)
{
    while (d->n)
        MHD_stop_daemon(d->list[--d->n]);
}

static void abandon_all(struct server *s)
{
    atomic_store(&s->giving_up, true);
    pthread_mutex_lock(&s->lock);
    for (struct conn *c = s->conns; c; c = c->next) {
        http_abandon(c);
        handshake_give_up(c);
    }
    pthread_mutex_unlock(&s->lock);
}

/* A thread that began to hand back a request before this has finished after it; one that begins
 * later finds it abandoned, and holds the server by a reference. */
static void wait_for_handovers(struct server *s)
{
    while (atomic_load(&s->resuming))
        sched_yield();
}

/* libmicrohttpd ends the process that stops a daemon which has suspended connections. */
static void stop_daemons(struct server *s)
{
    abandon_all(s);
    wait_for_handovers(s); /* they are inside libmicrohttpd */
    stop_some(&s->http);
    stop_some(&s->https);
    inside_stop(s);
}

static int start_deliver(struct server *s, const struct server_options *o, struct sosia_err *err)
{
    return o->engine && !o->backend ? deliver_start(s, &s->log, o->engine, &s->deliver, err) : 0;
}

static void close_handle(uv_handle_t *handle, void *arg)
{
    uv_close(handle, NULL);
}

/* The loop's thread starts first and gets to accept last: each can then be ended alone. */
static int start_threads(struct server *s, const struct server_options *o, struct sosia_err *err)
{
    int rc = uv_loop_init(&s->loop);
    if (rc == 0 && (rc = uv_async_init(&s->loop, &s->wake, loop_on_wake)) < 0)
        uv_loop_close(&s->loop);
    if (rc < 0)
        return sosia_fail(err, SOSIA_E_INTERNAL, "loop", NULL, "can't make an event loop: %s",
                          uv_strerror(rc));
    if (webhooks_init(s, o, err) < 0 || ws_init(s, err) < 0 || streams_init(s, err) < 0 ||
        delays_init(s, err) < 0 || inside_init(s, o, err) < 0 ||
        ((s->tls || s->inside) && handshakes_init(s, err) < 0)) {
        uv_walk(&s->loop, close_handle, NULL);
        uv_run(&s->loop, UV_RUN_DEFAULT);
        uv_loop_close(&s->loop);
        return -1;
    }
    rc = loop_start(s, err);
    if (rc == 0 && (start_deliver(s, o, err) < 0 || start_daemons(s, err) < 0)) {
        inside_end(s);
        stop_daemons(s);
        deliver_stop(s->deliver);
        workers_end(&s->workers);
        inside_end_workers(s);
        loop_join(s);
        rc = -1;
    }
    if (rc < 0)
        uv_loop_close(&s->loop);
    else
        loop_accept(s);
    return rc;
}

int server_start(const struct server_options *o, struct server **ret_server, struct sosia_err *err)
{
    struct server *s = server_new();
    if (!s)
        return sosia_fail_memory(err);
    setenv("UV_THREADPOOL_SIZE", LOOP_WORKERS, 0); /* read when the first of them is wanted */
    mallopt(M_MMAP_THRESHOLD, LARGE_BODY); /* what is large is given back when it is freed */
    mallopt(M_TRIM_THRESHOLD, 8 * LARGE_BODY);
    /* What is small is kept by each thread; what is larger would go through all else that is. */
    mallopt(M_MXFAST, 0);
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN); /* a file that may not grow fails a change, not the process */
    if (set_options(s, o, err) < 0 || open_listeners(s, o, err) < 0 ||
        start_threads(s, o, err) < 0) {
        server_free(s);
        return -1;
    }
    struct log_line line;
    modes_check(s, o);
    log_begin(&line, &s->log, SERVER_LOG_INFO, "server started");
    log_str(&line, "url", s->url);
    if (s->https_url[0])
        log_str(&line, "https_url", s->https_url);
    log_num(&line, "threads", s->threads);
    log_end(&line);
    *ret_server = s;
    return 0;
}

int server_port(const struct server *s)
{
    return s->plain.port;
}

int server_https_port(const struct server *s)
{
    return s->secure.port;
}

const char *server_url(const struct server *s)
{
    return s->url;
}

const char *server_https_url(const struct server *s)
{
    return s->https_url[0] ? s->https_url : NULL;
}

const char *server_control_key(const struct server *s)
{
    return s->control_key;
}

/* ---- stop ---- */

/* No request under way, and no byte of one in a socket. */
static bool is_quiet(struct server *s)
{
    bool quiet = true;
    pthread_mutex_lock(&s->lock);
    for (struct conn *c = s->conns; c && quiet; c = c->next) {
        uint64_t phase = atomic_load(&c->phase) & 0xff;
        int waiting = 0;
        if (phase == PHASE_CUT || phase == PHASE_SESSION)
            continue;
        if (phase != PHASE_WAIT || (ioctl(c->fd, FIONREAD, &waiting) == 0 && waiting > 0))
            quiet = false;
    }
    pthread_mutex_unlock(&s->lock);
    return quiet;
}

static int64_t now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* Does no other thread of the process want the processor? */
static bool others_wait(void)
{
    DIR *tasks = opendir("/proc/self/task");
    bool waiting = true;
    for (struct dirent *d; tasks && waiting && (d = readdir(tasks));) {
        char path[300], line[128] = "";
        if (d->d_name[0] == '.' || strtol(d->d_name, NULL, 10) == gettid())
            continue;
        snprintf(path, sizeof path, "/proc/self/task/%s/stat", d->d_name);
        FILE *f = fopen(path, "re");
        const char *name_end = f && fgets(line, sizeof line, f) ? strrchr(line, ')')
                                                                : NULL; /* "ID (NAME) STATE ..." */
        waiting = !name_end || strchr("RD", name_end[2]) == NULL;
        if (f)
            fclose(f);
    }
    if (tasks)
        closedir(tasks);
    return waiting;
}

/* Twice quiet in a row, while every thread waits: between a byte's leaving the socket and its
 * request's showing up, a connection looks idle, and its thread may have lost the processor. A
 * thread that never waits is not waited for: CALM_MS without a request are enough. */
static void wait_until_quiet(struct server *s)
{
    int64_t now = now_ms(), until = now + s->stop_ms, since = now;
    for (int quiet = 0; quiet < 2 && now < until && !atomic_load(&s->hurry); now = now_ms()) {
        if (!is_quiet(s))
            since = now;
        quiet = now > since && (others_wait() || now - since > CALM_MS) ? quiet + 1 : 0;
        nanosleep(&(struct timespec){0, STOP_POLL_NS}, NULL);
    }
}

/* What was sent to receivers just now still reaches those that answer. */
static void wait_for_webhooks(struct server *s)
{
    int64_t until = now_ms() + (s->stop_ms < WEBHOOKS_STOP_MS ? s->stop_ms : WEBHOOKS_STOP_MS);
    while (webhooks_busy(s->webhooks) && now_ms() < until && !atomic_load(&s->hurry))
        nanosleep(&(struct timespec){0, STOP_POLL_NS}, NULL);
}

/* What the kernel has accepted counts as accepted; who comes later is refused. A socket that is
 * shut down is ready for ever: libmicrohttpd, which waits for it still, is to see that once. */
static void end_listening(struct server *s, const struct daemons *d, int fd, bool tls)
{
    if (!d->n)
        return;
    server_accept_rest(s, fd, tls);
    shutdown(fd, SHUT_RDWR);
    for (unsigned i = 0; i < d->n; i++) {
        struct epoll_event once = {.events = EPOLLIN | EPOLLET, .data.ptr = d->list[i]};
        const union MHD_DaemonInfo *set = MHD_get_daemon_info(d->list[i], MHD_DAEMON_INFO_EPOLL_FD);
        const union MHD_DaemonInfo *own =
            MHD_get_daemon_info(d->list[i], MHD_DAEMON_INFO_LISTEN_FD);
        if (set && own) /* it isn't there while the daemon has all connections that it may have */
            epoll_ctl(set->epoll_fd, EPOLL_CTL_MOD, own->listen_fd, &once);
    }
}

static void end_accept(struct server *s)
{
    loop_end_accept(s);
    end_listening(s, &s->http, s->plain.fd, false);
    end_listening(s, &s->https, s->secure.fd, true);
}

void server_stop(struct server *s)
{
    struct log_line line;
    if (!s)
        return;
    atomic_store(&s->stopping, true);
    end_accept(s);
    ws_begin_stop(s);
    streams_end(s->streams);
    if (s->engine.engine)
        hold_stop(s->engine.engine, true);
    wait_until_quiet(s);
    program_stop(s->engine.engine, 0, PROGRAM_ANY_ERA); /* they may run for long */
    inside_end(s);
    ws_wait_for_sockets(s, s->stop_ms < SESSIONS_STOP_MS ? s->stop_ms : SESSIONS_STOP_MS);
    stop_daemons(s);
    ws_wait_for_sessions(s);
    deliver_stop(s->deliver);
    wait_for_webhooks(s);
    workers_end(&s->workers);
    inside_end_workers(s);
    loop_join(s);
    wait_for_handovers(s);
    if (s->engine.engine)
        hold_stop(s->engine.engine, false);
    uv_loop_close(&s->loop);
    loop_report(s);
    log_begin(&line, &s->log, SERVER_LOG_INFO, "server stopped");
    log_end(&line);
    server_free(s);
}

void server_catch_signals(struct server *s)
{
    if (s->signals_wanted)
        return;
    s->signals_wanted = true;
    atomic_store(&s->want_signals, true);
    loop_wake(s);
    uv_sem_wait(&s->catching);
}

int server_run_until_signal(struct server *s)
{
    server_catch_signals(s);
    uv_sem_wait(&s->signalled);
    int number = atomic_load(&s->got_signal);
    server_stop(s);
    return number;
}
