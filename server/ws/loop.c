/* SPDX-License-Identifier: Apache-2.0 */
/* The loop thread's part: when to read and write, what workers get, pings, and the end. */
#include "server/ws/ws.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

/* ---- on the loop: the end ---- */

uint64_t ws_now(const struct ws *ws)
{
    return uv_now(&ws->all->server->loop);
}

void ws_set_deadline(struct ws *ws)
{
    ws->deadline_ms = ws_now(ws) + ws->all->server->close_ms;
}

/* libmicrohttpd (0.9.75) marks a connection as ended before it is through with it here, and may
 * free it meanwhile on the thread that serves it: that one comes by ws_wait_for_end() first. */
static void end_tls(struct ws *ws)
{
    pthread_mutex_lock(&ws->all->ending);
    MHD_upgrade_action(ws->tls, MHD_UPGRADE_ACTION_CLOSE); /* closes it */
    pthread_mutex_unlock(&ws->all->ending);
}

void ws_wait_for_end(struct websockets *all)
{
    pthread_mutex_lock(&all->ending);
    pthread_mutex_unlock(&all->ending);
}

static void let_go(struct ws *ws)
{
    if (ws->tls)
        end_tls(ws);
    else if (ws->fd >= 0)
        close(ws->fd);
    if (ws->fd >= 0)
        atomic_fetch_sub(&ws->all->n_sockets, 1);
    ws->fd = -1;
    ws_next_job(ws);
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
    ws_next_job(ws);
}

static void start_job(struct ws *ws, struct ws_message *job)
{
    ws->job = job;
    ws->work.data = ws;
    ws->working = true;
    uv_queue_work(&ws->all->server->loop, &ws->work, do_job, on_job_done); /* can't fail */
}

void ws_next_job(struct ws *ws)
{
    if (ws->working)
        return;
    struct ws_message *m = ws_list_take(&ws->in);
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

/* ---- reading and writing ---- */

/* The client has been refused, and may still send: what comes is thrown away until the client ends,
 * since closing a socket with unread bytes would take the last frame from it. */
static void linger(struct ws *ws)
{
    char rest[4096];
    ssize_t n;
    if (!ws->lingering) {
        ws->lingering = true;
        ws_set_deadline(ws);
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
    if (!ws->lingering && !ws_write(ws)) {
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
        ws_set_deadline(ws);
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
    ws->received_ms = ws->pinged_ms = ws_now(ws);
    if (ws->dropped || !ws_wire_init(ws)) {
        end(ws, ABNORMAL);
        return;
    }
    fcntl(ws->fd, F_SETFL, fcntl(ws->fd, F_GETFL) | O_NONBLOCK);
    ws->poll.data = ws;
    if (uv_poll_init(&all->server->loop, &ws->poll, ws->fd) < 0) {
        end(ws, ABNORMAL);
        return;
    }
    ws->polling = true;
    if (all->notified)
        ws_begin_close(ws, GOING_AWAY, "the server is stopping");
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
    all->notified = true;
    for (struct ws *ws = all->list, *next; ws; ws = next) {
        next = ws->next;
        if (ws->over || !ws->wire)
            continue;
        if (!cut) {
            ws_begin_close(ws, GOING_AWAY, "the server is stopping");
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
            ws_next_job(ws);
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
    if (ws->received_ms < ws->pinged_ms && ws->in.len <= MAX_IN) {
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
    pthread_mutex_init(&all->ending, NULL);
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
    pthread_mutex_destroy(&all->ending);
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
