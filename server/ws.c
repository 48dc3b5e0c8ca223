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
 * Under the lock of struct websockets: the lists of news, and of a ws what the engine's threads
 * write (out, close_code). Everything else of a ws is the loop thread's once it is there, and of
 * the thread that makes it before.
 */
#include "server/internal.h"
#include <errno.h>
#include <fcntl.h>
#include <gnutls/crypto.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>
#include <wslay/wslay.h>

#define MAX_IN        (256u << 10) /* bytes of messages that wait for a worker, before no more is read */
#define MAX_REPLIES   16           /* pongs and the like that wait, before no more is read */
#define MAX_FRAGMENTS 1000         /* of a message */
#define READ_AT_ONCE  (64u << 10) /* bytes, before others have their turn */
#define CLOSE_MS      5000        /* for the client to answer a close frame, or to end */
#define MAX_REASON    123

enum {
    NORMAL = 1000,
    GOING_AWAY = 1001,
    PROTOCOL_ERROR = 1002,
    ABNORMAL = 1006,
    POLICY = 1008,
    TRY_LATER = 1013
};

struct message {
    struct message *next;
    size_t len;
    bool binary;
    char data[];
};

struct list {
    struct message *first, **end;
    size_t len; /* bytes that all of it takes */
};

struct ws {
    struct ws *prev, *next; /* of those on the loop */
    struct ws *next_news;
    struct websockets *all;
    struct sosia_session *session;
    /* under the lock */
    struct list out;
    bool has_news; /* it is in that list */
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
    int code;                                  /* that the session is closed with */
    unsigned n_fragments;                      /* of the message that comes in */
    size_t budget;                             /* bytes that may be read in this turn */
    uint64_t heard_ms, pinged_ms, deadline_ms; /* deadline 0: none */
    struct list in;
    struct message *job; /* NULL while working: the close */
    uv_work_t work;
};

struct websockets {
    struct server *server;
    uv_timer_t timer;
    pthread_mutex_t lock;
    struct ws *news;
    bool told;                /* that the server stops */
    _Atomic size_t n;         /* that have a session, or are about to */
    _Atomic size_t n_sockets; /* that have a connection */
    _Atomic bool stopping;
    _Atomic bool cut; /* waits for nobody any more */
    struct ws *list;
};

/* ---- lists ---- */

static void list_init(struct list *l)
{
    *l = (struct list){.end = &l->first};
}

static bool list_add(struct list *l, const void *data, size_t len, bool binary)
{
    struct message *m = malloc(sizeof *m + len + 1);
    if (!m)
        return false;
    *m = (struct message){.len = len, .binary = binary};
    memcpy(m->data, data, len);
    m->data[len] = 0;
    *l->end = m;
    l->end = &m->next;
    l->len += sizeof *m + len;
    return true;
}

/* The caller frees it. */
static struct message *list_take(struct list *l)
{
    struct message *m = l->first;
    if (!m)
        return NULL;
    l->first = m->next;
    if (!l->first)
        l->end = &l->first;
    l->len -= sizeof *m + m->len;
    return m;
}

static void list_clear(struct list *l)
{
    struct message *m;
    while ((m = list_take(l)))
        free(m);
}

/* ---- from other threads ---- */

/* Under the lock. */
static void tell_loop(struct ws *ws)
{
    if (ws->has_news)
        return;
    ws->has_news = true;
    ws->next_news = ws->all->news;
    ws->all->news = ws;
    loop_wake(ws->all->server);
}

static void want_close(struct ws *ws, int code, const char *reason)
{
    if (ws->close_code)
        return;
    ws->close_code = code;
    snprintf(ws->close_reason, sizeof ws->close_reason, "%s", reason);
}

/* The engine has a frame for the client. */
static void on_send(void *arg, const char *data, size_t len)
{
    struct ws *ws = arg;
    pthread_mutex_lock(&ws->all->lock);
    if (!ws->close_code) {
        if (ws->out.len + len > ws->all->server->session_queue ||
            !list_add(&ws->out, data, len, false)) {
            list_clear(&ws->out);
            want_close(ws, TRY_LATER, "the client reads too slowly");
        }
        tell_loop(ws);
    }
    pthread_mutex_unlock(&ws->all->lock);
}

static void on_close(void *arg, int code, const char *reason)
{
    struct ws *ws = arg;
    pthread_mutex_lock(&ws->all->lock);
    want_close(ws, code, reason);
    tell_loop(ws);
    pthread_mutex_unlock(&ws->all->lock);
}

void ws_drop(struct ws *ws)
{
    if (!ws)
        return;
    pthread_mutex_lock(&ws->all->lock);
    ws->dropped = true;
    tell_loop(ws);
    pthread_mutex_unlock(&ws->all->lock);
}

/* ---- the handshake ---- */

static bool has_token(const char *list, const char *token)
{
    size_t n = strlen(token);
    while (list && *list) {
        list += strspn(list, ", \t");
        size_t m = strcspn(list, ", \t");
        if (m == n && strncasecmp(list, token, n) == 0)
            return true;
        list += m;
    }
    return false;
}

bool ws_is_asked(const struct request *r)
{
    return http_conn((struct request *)(uintptr_t)r)->server->engine.engine &&
           has_token(r->fields.upgrade, "websocket") && has_token(r->fields.connection, "upgrade");
}

/* RFC 6455, 4.2.1: sixteen bytes in base64. */
static bool is_key(const char *key)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    return key && strlen(key) == 24 && strspn(key, digits) == 22 && strcmp(key + 22, "==") == 0;
}

enum MHD_Result ws_handshake(struct request *r)
{
    const struct fields *f = &r->fields;
    struct server *s = http_conn(r)->server;
    if (strcmp(r->method, "GET") != 0 || r->head || r->body_len)
        return answer_error(r, 400, "badHandshake",
                            "The handshake of a WebSocket is a GET without a body.");
    if (!f->ws_version || strcmp(f->ws_version, "13") != 0)
        return answer_error(r, 426, "badHandshake", "The version of WebSockets must be 13.");
    if (!is_key(f->ws_key))
        return answer_error(r, 400, "badHandshake",
                            "Sec-WebSocket-Key must be sixteen bytes in base64.");
    if (atomic_load(&s->stopping))
        return answer_error(r, 503, "unavailable", "The server is stopping.");
    return http_to_worker(r, JOB_SESSION);
}

static struct ws *ws_new(struct server *s)
{
    struct websockets *all = s->websockets;
    struct ws *ws = NULL;
    if (atomic_fetch_add(&all->n, 1) < s->max_sessions)
        ws = calloc(1, sizeof *ws);
    if (!ws) {
        atomic_fetch_sub(&all->n, 1);
        return NULL;
    }
    ws->all = all;
    ws->fd = -1;
    list_init(&ws->out);
    list_init(&ws->in);
    return ws;
}

static void ws_delete(struct ws *ws)
{
    struct websockets *all = ws->all;
    if (ws->wire)
        wslay_event_context_free(ws->wire);
    list_clear(&ws->out);
    list_clear(&ws->in);
    free(ws->extra);
    free(ws);
    atomic_fetch_sub(&all->n, 1);
}

/* Everything that the socket will need is made here, where it can still be refused. */
void ws_open(struct request *r)
{
    static const struct sosia_session_calls calls = {.send = on_send, .close = on_close};
    struct server *s = http_conn(r)->server;
    const struct sosia_request request = {.method = r->method,
                                          .target = r->target,
                                          .headers = r->headers,
                                          .n_headers = r->n_headers,
                                          .body = "",
                                          .base_url = r->base_url};
    struct ws *ws = ws_new(s);
    struct sosia_session *session = NULL;
    if (ws && sosia_session_open(s->engine.engine, s->engine.world, &request, &calls, ws, &session,
                                 &r->response, NULL) < 0)
        r->response = NULL;
    if (!ws)
        return;
    pthread_mutex_lock(&ws->all->lock);
    ws->session = session;
    bool known = ws->has_news;
    pthread_mutex_unlock(&ws->all->lock);
    if (session)
        r->ws = ws;
    else if (known) /* it was open for a moment: the loop has seen it, or will */
        ws_drop(ws);
    else
        ws_delete(ws);
}

static void accept_key(const char *key, char ret[32])
{
    static const char salt[] = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
    char text[24 + sizeof salt];
    unsigned char digest[20];
    struct buf b;
    snprintf(text, sizeof text, "%s%s", key, salt);
    gnutls_hash_fast(GNUTLS_DIG_SHA1, text, strlen(text), digest);
    buf_init(&b, 0);
    base64_add(&b, digest, sizeof digest);
    snprintf(ret, 32, "%s", buf_str(&b));
    buf_done(&b);
}

/* On the serving thread: the answer is sent, the socket is ours. */
static void upgraded(void *arg, struct MHD_Connection *mhd, void *context, const char *extra,
                     size_t n_extra, MHD_socket fd, struct MHD_UpgradeResponseHandle *handle)
{
    struct ws *ws = arg;
    struct request *r = context;
    struct conn *c = http_conn(r);
    int on = 1;
    (void)mhd;
    r->ws = NULL;
    MHD_upgrade_action(handle, MHD_UPGRADE_ACTION_CORK_OFF);
    setsockopt(c->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    pthread_mutex_lock(&ws->all->lock);
    if (c->tls) {
        ws->fd = fd;
        ws->tls = handle;
        ws->tls_fd = c->fd;
        http_phase(c, PHASE_SESSION);
    } else {
        ws->fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    }
    if (n_extra && (ws->extra = malloc(n_extra))) {
        memcpy(ws->extra, extra, n_extra);
        ws->n_extra = n_extra;
    }
    if (ws->fd >= 0)
        atomic_fetch_add(&ws->all->n_sockets, 1);
    ws->dropped = ws->fd < 0 || (n_extra && !ws->extra);
    tell_loop(ws);
    pthread_mutex_unlock(&ws->all->lock);
    if (!c->tls)
        MHD_upgrade_action(handle, MHD_UPGRADE_ACTION_CLOSE);
}

enum MHD_Result ws_accept(struct request *r)
{
    struct sosia_response *agreement = r->response;
    char accept[32];
    r->response = NULL;
    accept_key(r->fields.ws_key, accept);
    return answer_upgrade(r, agreement, accept, upgraded, r->ws);
}

/* ---- on the loop: the end ---- */

static uint64_t now_ms(const struct ws *ws)
{
    return uv_now(&ws->all->server->loop);
}

static void next_job(struct ws *ws);

static void let_go(struct ws *ws)
{
    if (ws->tls)
        MHD_upgrade_action(ws->tls, MHD_UPGRADE_ACTION_CLOSE); /* closes it */
    else if (ws->fd >= 0)
        close(ws->fd);
    if (ws->fd >= 0)
        atomic_fetch_sub(&ws->all->n_sockets, 1);
    ws->fd = -1;
    next_job(ws);
}

static void on_poll_closed(uv_handle_t *handle)
{
    struct ws *ws = handle->data;
    ws->polling = false;
    let_go(ws);
}

/* The connection is gone: when workers are through, so are session and ws. */
static void end(struct ws *ws, int code)
{
    if (ws->over)
        return;
    ws->over = true;
    ws->code = code;
    if (ws->polling) {
        uv_poll_stop(&ws->poll);
        uv_close((uv_handle_t *)&ws->poll, on_poll_closed);
    } else {
        let_go(ws);
    }
}

static void unlist(struct ws *ws)
{
    if (!ws->on_loop)
        return;
    if (ws->prev)
        ws->prev->next = ws->next;
    else
        ws->all->list = ws->next;
    if (ws->next)
        ws->next->prev = ws->prev;
}

/* ---- workers ---- */

static void do_job(uv_work_t *work)
{
    struct ws *ws = work->data;
    if (ws->job)
        sosia_session_frame(ws->session, ws->job->data, ws->job->len, ws->job->binary, NULL);
    else
        sosia_session_close(ws->session, ws->code);
}

static void poll_again(struct ws *ws);

static void on_job_done(uv_work_t *work, int status)
{
    struct ws *ws = work->data;
    (void)status;
    ws->working = false;
    ws->session_closed |= !ws->job;
    free(ws->job);
    ws->job = NULL;
    next_job(ws);
}

static void start_job(struct ws *ws, struct message *job)
{
    ws->job = job;
    ws->work.data = ws;
    ws->working = true;
    uv_queue_work(&ws->all->server->loop, &ws->work, do_job, on_job_done); /* can't fail */
}

/* The ws may be gone after it. */
static void next_job(struct ws *ws)
{
    if (ws->working)
        return;
    struct message *m = list_take(&ws->in);
    if (m) {
        start_job(ws, m);
        if (!ws->over)
            poll_again(ws);
    } else if (ws->over && !ws->polling && !ws->session_closed) {
        start_job(ws, NULL);
    } else if (ws->session_closed) {
        pthread_mutex_lock(&ws->all->lock);
        bool news = ws->has_news; /* ws_wake() comes by once more */
        pthread_mutex_unlock(&ws->all->lock);
        if (!news) {
            unlist(ws);
            ws_delete(ws);
        }
    }
}

/* ---- frames ---- */

static ssize_t wire_recv(wslay_event_context_ptr wire, uint8_t *buf, size_t len, int flags,
                         void *arg)
{
    struct ws *ws = arg;
    size_t left = ws->n_extra - ws->extra_at;
    (void)flags;
    if (left) {
        if (len > left)
            len = left;
        memcpy(buf, ws->extra + ws->extra_at, len);
        ws->extra_at += len;
        return (ssize_t)len;
    }
    ssize_t n = -1;
    errno = EAGAIN;
    if (ws->budget)
        n = recv(ws->fd, buf, len < ws->budget ? len : ws->budget, 0);
    if (n > 0) {
        ws->budget -= (size_t)n;
        ws->heard_ms = now_ms(ws);
        return n;
    }
    bool later = n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR);
    ws->broken |= !later;
    wslay_event_set_error(wire, later ? WSLAY_ERR_WOULDBLOCK : WSLAY_ERR_CALLBACK_FAILURE);
    return -1;
}

static ssize_t wire_send(wslay_event_context_ptr wire, const uint8_t *data, size_t len, int flags,
                         void *arg)
{
    struct ws *ws = arg;
    ssize_t n = send(ws->fd, data, len, MSG_NOSIGNAL | (flags & WSLAY_MSG_MORE ? MSG_MORE : 0));
    if (n >= 0)
        return n;
    bool later = errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
    wslay_event_set_error(wire, later ? WSLAY_ERR_WOULDBLOCK : WSLAY_ERR_CALLBACK_FAILURE);
    return -1;
}

static void begin_close(struct ws *ws, int code, const char *reason)
{
    if (ws->close_begun)
        return;
    ws->close_begun = true;
    ws->code = code;
    ws->deadline_ms = now_ms(ws) + CLOSE_MS;
    wslay_event_queue_close(ws->wire, (uint16_t)code, (const uint8_t *)reason, strlen(reason));
}

/* Fragments cost more than their bytes. */
static void wire_frame(wslay_event_context_ptr wire,
                       const struct wslay_event_on_frame_recv_start_arg *frame, void *arg)
{
    struct ws *ws = arg;
    if (wslay_is_ctrl_frame(frame->opcode))
        return;
    if (frame->opcode != WSLAY_CONTINUATION_FRAME)
        ws->n_fragments = 0;
    if (++ws->n_fragments > MAX_FRAGMENTS) {
        begin_close(ws, POLICY, "a message has too many fragments");
        wslay_event_shutdown_read(wire);
    }
}

static void wire_message(wslay_event_context_ptr wire, const struct wslay_event_on_msg_recv_arg *m,
                         void *arg)
{
    struct ws *ws = arg;
    (void)wire;
    if (m->opcode == WSLAY_CONNECTION_CLOSE) {
        if (!ws->close_begun)
            ws->code = m->status_code ? m->status_code : 1005;
        ws->close_begun = true; /* wslay has its answer ready */
        if (!ws->deadline_ms)
            ws->deadline_ms = now_ms(ws) + CLOSE_MS;
    } else if (!wslay_is_ctrl_frame(m->opcode) && !ws->close_begun) {
        if (!list_add(&ws->in, m->msg, m->msg_length, m->opcode == WSLAY_BINARY_FRAME))
            begin_close(ws, TRY_LATER, "the server has no memory");
        next_job(ws);
    }
}

static const struct wslay_event_callbacks wire_calls = {.recv_callback = wire_recv,
                                                        .send_callback = wire_send,
                                                        .on_frame_recv_start_callback = wire_frame,
                                                        .on_msg_recv_callback = wire_message};

/* What the engine has sent goes to wslay a message at a time, so that the rest can be let go.
 * False: the connection is gone. */
static bool write_some(struct ws *ws)
{
    for (;;) {
        struct message *m = NULL;
        if (wslay_event_want_write(ws->wire)) {
            if (wslay_event_send(ws->wire) < 0)
                return false;
            if (wslay_event_want_write(ws->wire))
                return true;
        }
        pthread_mutex_lock(&ws->all->lock);
        if (!ws->close_begun)
            m = list_take(&ws->out);
        int code = m ? 0 : ws->close_code;
        pthread_mutex_unlock(&ws->all->lock);
        if (m) {
            const struct wslay_event_msg frame = {
                .opcode = WSLAY_TEXT_FRAME, .msg = (const uint8_t *)m->data, .msg_length = m->len};
            int rc = wslay_event_queue_msg(ws->wire, &frame);
            free(m);
            if (rc == WSLAY_ERR_NOMEM)
                return false;
        } else if (code && !ws->close_begun) {
            begin_close(ws, code, ws->close_reason);
        } else {
            return true;
        }
    }
}

/* The client has been refused, and may still send: what comes is thrown away until the client ends,
 * since closing a socket with unread bytes would take the last frame from it. */
static void linger(struct ws *ws)
{
    char rest[4096];
    ssize_t n;
    if (!ws->lingering) {
        ws->lingering = true;
        ws->deadline_ms = now_ms(ws) + CLOSE_MS;
        shutdown(ws->fd, SHUT_WR);
    }
    for (size_t i = 0; i < READ_AT_ONCE / sizeof rest; i++) {
        n = recv(ws->fd, rest, sizeof rest, 0);
        if (n == 0 || (n < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR)) {
            end(ws, ws->code);
            return;
        }
        if (n < 0)
            return;
    }
}

static bool is_reading(const struct ws *ws)
{
    return ws->in.len <= MAX_IN && wslay_event_get_queued_msg_count(ws->wire) <= MAX_REPLIES;
}

static void on_poll(uv_poll_t *poll, int status, int events);

/* Asks the loop for what there is to do. */
static void poll_again(struct ws *ws)
{
    int events = 0;
    if (!ws->polling)
        return;
    if (ws->lingering || (wslay_event_want_read(ws->wire) && is_reading(ws)))
        events |= UV_READABLE;
    if (!ws->lingering && wslay_event_want_write(ws->wire))
        events |= UV_WRITABLE;
    if (events == ws->polled)
        return;
    ws->polled = events;
    if (events)
        uv_poll_start(&ws->poll, events, on_poll);
    else
        uv_poll_stop(&ws->poll);
}

/* Reads and writes what can be, and goes on to the end when it is time. */
static void advance(struct ws *ws, bool read)
{
    ws->budget = READ_AT_ONCE;
    if (!ws->lingering && read && wslay_event_want_read(ws->wire) &&
        wslay_event_recv(ws->wire) < 0 && ws->broken) {
        end(ws, ws->close_begun ? ws->code : ABNORMAL);
        return;
    }
    if (!ws->lingering && !write_some(ws)) {
        end(ws, ws->close_begun ? ws->code : ABNORMAL);
        return;
    }
    if (wslay_event_get_close_sent(ws->wire) &&
        !ws->close_begun) { /* wslay has refused something */
        int sent = wslay_event_get_status_code_sent(ws->wire);
        ws->close_begun = true;
        ws->code = sent >= NORMAL && sent != 1005 ? sent : PROTOCOL_ERROR;
    }
    bool done = !wslay_event_want_read(ws->wire) && !wslay_event_want_write(ws->wire);
    if (done && wslay_event_get_close_received(ws->wire))
        end(ws, ws->code);
    else if (done)
        linger(ws);
    else if (!wslay_event_get_read_enabled(ws->wire) && !ws->deadline_ms)
        ws->deadline_ms = now_ms(ws) + CLOSE_MS;
    if (!ws->over)
        poll_again(ws);
}

static void on_poll(uv_poll_t *poll, int status, int events)
{
    struct ws *ws = poll->data;
    if (!ws->over)
        advance(ws, status < 0 || events & UV_READABLE);
}

/* ---- on the loop: news ---- */

/* A socket from a serving thread. */
static void start(struct ws *ws)
{
    struct websockets *all = ws->all;
    ws->on_loop = true;
    ws->next = all->list;
    if (ws->next)
        ws->next->prev = ws;
    all->list = ws;
    ws->heard_ms = ws->pinged_ms = now_ms(ws);
    if (ws->dropped || wslay_event_context_server_init(&ws->wire, &wire_calls, ws) < 0) {
        end(ws, ABNORMAL);
        return;
    }
    fcntl(ws->fd, F_SETFL, fcntl(ws->fd, F_GETFL) | O_NONBLOCK);
    wslay_event_config_set_max_recv_msg_length(ws->wire, sosia_session_max_frame(ws->session));
    ws->poll.data = ws;
    if (uv_poll_init(&all->server->loop, &ws->poll, ws->fd) < 0) {
        end(ws, ABNORMAL);
        return;
    }
    ws->polling = true;
    if (all->told)
        begin_close(ws, GOING_AWAY, "the server is stopping");
    advance(ws, true);
}

static struct ws *next_news(struct websockets *all)
{
    pthread_mutex_lock(&all->lock);
    struct ws *ws = all->news;
    if (ws) {
        all->news = ws->next_news;
        ws->has_news = false;
    }
    pthread_mutex_unlock(&all->lock);
    return ws;
}

/* Before a socket is there, what is sent waits for it. */
static bool is_ready(struct ws *ws)
{
    pthread_mutex_lock(&ws->all->lock);
    bool ready = ws->fd >= 0 || ws->dropped;
    pthread_mutex_unlock(&ws->all->lock);
    return ready;
}

static void stop_all(struct websockets *all)
{
    bool cut = atomic_load(&all->cut);
    all->told = true;
    for (struct ws *ws = all->list, *next; ws; ws = next) {
        next = ws->next;
        if (ws->over || !ws->wire)
            continue;
        if (!cut) {
            begin_close(ws, GOING_AWAY, "the server is stopping");
            advance(ws, false);
        } else {
            end(ws, GOING_AWAY);
        }
    }
}

void ws_wake(struct websockets *all)
{
    struct ws *ws;
    while ((ws = next_news(all))) {
        if (!ws->on_loop && is_ready(ws))
            start(ws);
        else if (ws->on_loop && ws->over)
            next_job(ws);
        else if (ws->on_loop)
            advance(ws, false);
    }
    if (atomic_load(&all->stopping))
        stop_all(all);
}

/* ---- time ---- */

/* libmicrohttpd (0.9.75) keeps to itself that a client with TLS has gone. */
static bool is_gone(const struct ws *ws)
{
    struct pollfd p = {.fd = ws->tls_fd, .events = POLLRDHUP};
    return ws->tls && poll(&p, 1, 0) == 1 && p.revents & (POLLRDHUP | POLLHUP | POLLERR);
}

static void keep_alive(struct ws *ws, uint64_t now)
{
    static const struct wslay_event_msg ping = {.opcode = WSLAY_PING, .msg = (const uint8_t *)""};
    if (ws->over || !ws->wire)
        return;
    if (ws->deadline_ms && now >= ws->deadline_ms) {
        end(ws, ws->code ? ws->code : ABNORMAL);
        return;
    }
    if (is_gone(ws)) {
        advance(ws, true); /* what it sent before */
        end(ws, ws->close_begun ? ws->code : ABNORMAL);
        return;
    }
    if (ws->close_begun || now - ws->pinged_ms < ws->all->server->ping_ms)
        return;
    if (ws->heard_ms < ws->pinged_ms && ws->in.len <= MAX_IN) {
        end(ws, ABNORMAL); /* it is dead, or where it was is */
        return;
    }
    ws->pinged_ms = now;
    if (wslay_event_get_queued_msg_count(ws->wire) <= MAX_REPLIES)
        wslay_event_queue_msg(ws->wire, &ping);
    advance(ws, false);
}

static void on_timer(uv_timer_t *timer)
{
    struct websockets *all = timer->data;
    uint64_t now = uv_now(&all->server->loop);
    for (struct ws *ws = all->list, *next; ws; ws = next) {
        next = ws->next;
        keep_alive(ws, now);
    }
}

/* ---- life ---- */

int ws_init(struct server *s, struct sosia_err *err)
{
    struct websockets *all = calloc(1, sizeof *all);
    unsigned ms = s->ping_ms / 4 < 1000 ? s->ping_ms / 4 + 1 : 1000;
    if (!all)
        return sosia_fail_memory(err);
    all->server = s;
    pthread_mutex_init(&all->lock, NULL);
    uv_timer_init(&s->loop, &all->timer);
    all->timer.data = all;
    uv_timer_start(&all->timer, on_timer, ms, ms);
    s->websockets = all;
    return 0;
}

void ws_close(struct websockets *all)
{
    uv_close((uv_handle_t *)&all->timer, NULL);
}

void ws_free(struct websockets *all)
{
    if (!all)
        return;
    pthread_mutex_destroy(&all->lock);
    free(all);
}

void ws_begin_stop(struct server *s)
{
    atomic_store(&s->websockets->stopping, true);
    loop_wake(s);
}

/* n: what there may be none of. */
static void wait_for_none(struct server *s, _Atomic size_t *n, unsigned ms)
{
    for (unsigned waited = 0; atomic_load(n); waited += 2) {
        if (waited >= ms || atomic_load(&s->hurry)) {
            atomic_store(&s->websockets->cut, true);
            loop_wake(s);
        }
        nanosleep(&(struct timespec){0, 2000000}, NULL);
    }
}

void ws_wait_for_sockets(struct server *s, unsigned ms)
{
    wait_for_none(s, &s->websockets->n_sockets, ms);
}

void ws_wait_for_sessions(struct server *s)
{
    wait_for_none(s, &s->websockets->n, 0);
}
