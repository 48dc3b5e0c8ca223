/* SPDX-License-Identifier: Apache-2.0 */
/* From a request to a connection of a session, and what the engine's threads leave for the loop. */
#include "server/ws/ws.h"
#include "engine/http/session.h"
#include <fcntl.h>
#include <gnutls/crypto.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>

/* ---- from other threads ---- */

/* Under the lock. */
static void wake_loop(struct ws *ws)
{
    if (ws->has_news)
        return;
    ws->has_news = ws->had_news = true;
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

/* Under the lock. */
static void give_up(struct ws *ws)
{
    ws_queue_clear(ws);
    want_close(ws, TRY_LATER, "the client reads too slowly");
    wake_loop(ws);
}

/* The engine has a frame for the client. */
static void on_send(void *arg, const char *data, size_t len)
{
    struct ws *ws = arg, *worst;
    pthread_mutex_lock(&ws->all->lock);
    if (!ws->close_code) {
        if (ws->out.len + len > ws->all->server->session_queue || !ws_queue_add(ws, data, len))
            give_up(ws);
        while ((worst = ws_room_worst(ws->room)))
            give_up(worst);
        wake_loop(ws);
    }
    pthread_mutex_unlock(&ws->all->lock);
}

static void on_close(void *arg, int code, const char *reason)
{
    struct ws *ws = arg;
    pthread_mutex_lock(&ws->all->lock);
    want_close(ws, code, reason);
    wake_loop(ws);
    pthread_mutex_unlock(&ws->all->lock);
}

void ws_drop(struct ws *ws)
{
    if (!ws)
        return;
    pthread_mutex_lock(&ws->all->lock);
    ws->dropped = true;
    wake_loop(ws);
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
    ws->out.end = &ws->out.first;
    ws_list_init(&ws->in);
    return ws;
}

void ws_delete(struct ws *ws)
{
    struct websockets *all = ws->all;
    if (ws->wire)
        wslay_event_context_free(ws->wire);
    pthread_mutex_lock(&all->lock);
    ws_leave_room(ws);
    pthread_mutex_unlock(&all->lock);
    ws_list_clear(&ws->in);
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
    const struct engine_backend *b = http_backend(http_conn(r));
    if (ws && sosia_session_open(b->engine, b->world, &request, &calls, ws, &session, &r->response,
                                 NULL) < 0)
        r->response = NULL;
    if (!ws)
        return;
    pthread_mutex_lock(&ws->all->lock);
    ws->session = session;
    if (session && !ws_enter_room(ws, session_world(session)))
        want_close(ws, TRY_LATER, "the server has no memory");
    bool known = ws->had_news;
    pthread_mutex_unlock(&ws->all->lock);
    if (session) {
        r->ws = ws;
        deliver_wake(s->deliver);
    } else if (known) /* it was open for a moment: the loop has seen it, or will */
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
    c->upgraded = true; /* what ends now is not the socket, which nobody is to shut down */
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
    wake_loop(ws);
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
