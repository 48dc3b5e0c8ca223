/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The thread beside the serving ones: a libuv loop with deadlines, the sweep of worlds, signals,
 * webhooks, and connections over IPv6's loopback.
 */
#include "server/internal.h"
#include <malloc.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#define CROWD 256 /* connections whose memory is worth giving back */
#define TRIMS 3   /* for each: what counts as closed is freed a little later */

/* ---- deadlines ---- */

/* Whether nothing of an answer has gone out for as long as a connection may be silent. */
static bool is_stuck(const struct server *s, int fd)
{
    struct tcp_info info;
    socklen_t n = sizeof info;
    return getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &n) == 0 &&
           info.tcpi_last_data_sent > s->idle_ms;
}

static bool is_late(const struct server *s, int fd, uint64_t phase, uint64_t tick)
{
    uint64_t age = tick - (phase >> 8);
    switch (phase & 0xff) {
    case PHASE_WAIT:
        return age > s->idle_ticks;
    case PHASE_RECEIVE:
        return age > s->request_ticks;
    case PHASE_ANSWER:
        return age > s->answer_ticks || (age > s->idle_ticks && is_stuck(s, fd));
    case PHASE_STREAM: /* it is asked for more at each ping, unless the client takes nothing */
        return age > s->idle_ticks + s->ping_ticks && is_stuck(s, fd);
    default:
        return false;
    }
}

/* The socket of a client that is late is shut down here, and libmicrohttpd closes it. */
static void cut_late(struct server *s, struct conn *c, uint64_t phase, uint64_t tick)
{
    uint64_t cut = (uint64_t)PHASE_CUT | tick << 8;
    /* not if it has just gone on */
    if (is_late(s, c->fd, phase, tick) && atomic_compare_exchange_strong(&c->phase, &phase, cut)) {
        shutdown(c->fd, SHUT_RDWR);
        s->n_timeouts++;
    }
}

/* libmicrohttpd (0.9.75) takes a short read for the end of what there is, and so never sees an
 * end of input that came together with the last bytes. Shutting down a side that the client has
 * already closed changes nothing but wakes it once more. */
static void wake_half_closed(struct pollfd *list, size_t n)
{
    if (poll(list, n, 0) <= 0)
        return;
    for (size_t i = 0; i < n; i++)
        if (list[i].revents & POLLRDHUP)
            shutdown(list[i].fd, SHUT_RD);
}

static void on_tick(uv_timer_t *timer)
{
    struct server *s = timer->data;
    struct pollfd list[256];
    size_t n = 0;
    unsigned tick = atomic_load_explicit(&s->tick, memory_order_relaxed) + 1;
    atomic_store_explicit(&s->tick, tick, memory_order_relaxed);
    pthread_mutex_lock(&s->lock);
    for (struct conn *c = s->conns; c; c = c->next) {
        uint64_t phase = atomic_load_explicit(&c->phase, memory_order_relaxed);
        cut_late(s, c, phase, tick);
        if ((phase & 0xff) != PHASE_WAIT && (phase & 0xff) != PHASE_RECEIVE)
            continue;
        list[n++] = (struct pollfd){.fd = c->fd, .events = POLLRDHUP};
        if (n == SOSIA_LEN(list)) {
            wake_half_closed(list, n);
            n = 0;
        }
    }
    wake_half_closed(list, n);
    pthread_mutex_unlock(&s->lock);
    linger_tick(s, tick);
}

/* ---- sweeping ---- */

/* One line for all since the last time: a full disk fails call after call. */
void loop_report(struct server *s)
{
    struct sosia_engine_info info;
    struct log_line line;
    if (!s->engine.engine)
        return;
    sosia_engine_info(s->engine.engine, &info);
    if (info.failed_writes == s->failed_writes)
        return;
    log_begin(&line, &s->log, SERVER_LOG_ERROR, "changes were not written and are undone");
    log_num(&line, "times", (int64_t)(info.failed_writes - s->failed_writes));
    log_str(&line, "why", info.last_failure);
    log_end(&line);
    s->failed_writes = info.failed_writes;
}

/* Connections that are closed leave their memory in the arenas of serving threads: it is given back
 * each time that half of a crowd has left, until few are there. */
static bool crowd_has_left(struct server *s)
{
    pthread_mutex_lock(&s->lock);
    s->crowded |= s->peak_open >= CROWD;
    bool left = s->crowded && s->n_open <= s->peak_open / 2;
    if (left) {
        s->peak_open = s->n_open;
        s->crowded = s->n_open >= CROWD / 16;
        s->trims = TRIMS;
    }
    left = s->trims > 0;
    s->trims -= left;
    pthread_mutex_unlock(&s->lock);
    return left;
}

static void sweep(void *arg)
{
    struct server *s = arg;
    if (s->backend.sweep)
        s->backend.sweep(s->backend.arg);
    bool crowd = crowd_has_left(s);
    if (atomic_exchange(&s->want_trim, false) || crowd)
        malloc_trim(0); /* a peak of memory is not kept for ever */
    loop_report(s);
    atomic_store(&s->sweeping, false);
}

static void on_sweep(uv_timer_t *timer)
{
    struct server *s = timer->data;
    if (atomic_load(&s->sweeping))
        return;
    atomic_store(&s->sweeping, true);
    s->sweep_work = (struct work){.fn = sweep, .arg = s};
    if (workers_add(&s->workers, &s->sweep_work) < 0)
        atomic_store(&s->sweeping, false);
}

/* ---- ::1 ---- */

static void add_connection(struct server *s, int fd, const struct sockaddr_storage *a, socklen_t n,
                           bool tls)
{
    struct daemons *d = tls ? &s->https : &s->http;
    /* it closes the socket when it can't take it */
    if (MHD_add_connection(d->list[d->next++ % d->n], fd, (const struct sockaddr *)a, n) !=
        MHD_YES) {
        struct log_line line;
        log_begin(&line, &s->log, SERVER_LOG_DEBUG, "connection not taken");
        log_end(&line);
    }
}

static void accept_some(struct server *s, int listen_fd, bool tls, int max)
{
    for (int i = 0; i < max; i++) {
        struct sockaddr_storage a;
        socklen_t n = sizeof a;
        int fd = accept4(listen_fd, (struct sockaddr *)&a, &n, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (fd < 0)
            return; /* nothing there, or no descriptor: the loop comes back */
        add_connection(s, fd, &a, n, tls);
    }
}

static void on_accept(uv_poll_t *poll, int status, int events)
{
    struct server *s = poll->data;
    bool tls = poll == &s->secure_accept6;
    if (status == 0)
        accept_some(s, tls ? s->secure.fd6 : s->plain.fd6, tls, 16);
}

void server_accept_rest(struct server *s, int fd, bool tls)
{
    accept_some(s, fd, tls, 1 << 16);
}

static bool start_accept(struct server *s, uv_poll_t *poll, int fd)
{
    if (fd < 0 || uv_poll_init(&s->loop, poll, fd) < 0)
        return false;
    poll->data = s;
    if (uv_poll_start(poll, UV_READABLE, on_accept) == 0)
        return true;
    uv_close((uv_handle_t *)poll, NULL);
    return false;
}

static void end_accept(struct server *s)
{
    if (s->accepting6) {
        uv_poll_stop(&s->accept6);
        uv_close((uv_handle_t *)&s->accept6, NULL);
        server_accept_rest(s, s->plain.fd6, false);
        shutdown(s->plain.fd6, SHUT_RDWR);
    }
    if (s->secure_accepting6) {
        uv_poll_stop(&s->secure_accept6);
        uv_close((uv_handle_t *)&s->secure_accept6, NULL);
        server_accept_rest(s, s->secure.fd6, true);
        shutdown(s->secure.fd6, SHUT_RDWR);
    }
    s->accepting6 = s->secure_accepting6 = false;
    delays_hurry(s->delays);
}

void loop_accept(struct server *s)
{
    atomic_store(&s->want_accept, true);
    loop_wake(s);
}

void loop_end_accept(struct server *s)
{
    atomic_store(&s->want_accept_end, true);
    loop_wake(s);
    uv_sem_wait(&s->accept_ended);
}

/* ---- signals ---- */

static void on_signal(uv_signal_t *handle, int number)
{
    struct server *s = handle->data;
    if (atomic_load(&s->got_signal)) {
        atomic_store(&s->hurry, true);
        return;
    }
    atomic_store(&s->got_signal, number);
    uv_sem_post(&s->signalled);
}

static void start_signals(struct server *s)
{
    uv_signal_init(&s->loop, &s->sigint);
    uv_signal_init(&s->loop, &s->sigterm);
    s->sigint.data = s->sigterm.data = s;
    uv_signal_start(&s->sigint, on_signal, SIGINT);
    uv_signal_start(&s->sigterm, on_signal, SIGTERM);
    s->signals_on = true;
}

/* ---- the loop ---- */

static void close_all(struct server *s)
{
    end_accept(s);
    webhooks_close(s->webhooks);
    linger_close(s);
    ws_close(s->websockets);
    streams_close(s->streams);
    delays_close(s->delays);
    handshakes_close(s->handshakes);
    uv_close((uv_handle_t *)&s->ticker, NULL);
    uv_close((uv_handle_t *)&s->sweeper, NULL);
    if (s->signals_on) {
        uv_close((uv_handle_t *)&s->sigint, NULL);
        uv_close((uv_handle_t *)&s->sigterm, NULL);
    }
    uv_close((uv_handle_t *)&s->wake, NULL);
}

void loop_on_wake(uv_async_t *async)
{
    struct server *s = async->data;
    linger_wake(s);
    webhooks_wake(s->webhooks);
    ws_wake(s->websockets);
    delays_wake(s->delays);
    if (atomic_exchange(&s->want_signals, false)) {
        start_signals(s);
        uv_sem_post(&s->catching);
    }
    if (atomic_exchange(&s->want_accept, false)) {
        s->accepting6 = start_accept(s, &s->accept6, s->plain.fd6);
        s->secure_accepting6 = start_accept(s, &s->secure_accept6, s->secure.fd6);
    }
    if (atomic_exchange(&s->want_accept_end, false)) {
        end_accept(s);
        uv_sem_post(&s->accept_ended);
    }
    if (atomic_exchange(&s->loop_stop, false))
        close_all(s);
}

void loop_wake(struct server *s)
{
    uv_async_send(&s->wake);
}

static void *run(void *arg)
{
    struct server *s = arg;
    uv_run(&s->loop, UV_RUN_DEFAULT);
    return NULL;
}

/* Everything on the loop is set up before its thread starts: libuv's handles are for one thread. */
int loop_start(struct server *s, struct sosia_err *err)
{
    s->wake.data = s->ticker.data = s->sweeper.data = s;
    int rc = uv_timer_init(&s->loop, &s->ticker);
    if (rc == 0)
        rc = uv_timer_start(&s->ticker, on_tick, s->tick_ms, s->tick_ms);
    if (rc == 0)
        rc = uv_timer_init(&s->loop, &s->sweeper);
    if (rc == 0)
        rc = uv_timer_start(&s->sweeper, on_sweep, s->sweep_ms, s->sweep_ms);
    if (rc == 0)
        rc = -pthread_create(&s->loop_thread, NULL, run, s);
    if (rc == 0)
        return 0;
    close_all(s);
    uv_run(&s->loop, UV_RUN_DEFAULT);
    return sosia_fail(err, SOSIA_E_INTERNAL, "loop", NULL, "can't start the event loop: %s",
                      uv_strerror(rc));
}

void loop_join(struct server *s)
{
    atomic_store(&s->loop_stop, true);
    loop_wake(s);
    pthread_join(s->loop_thread, NULL);
}
