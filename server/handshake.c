/* SPDX-License-Identifier: Apache-2.0 */
/*
 * TLS handshakes that wait for their clients. libmicrohttpd (0.9.75) takes a socket for readable
 * until reading from an established connection has failed, and so asks again without a pause while
 * a handshake waits. A connection whose handshake finds nothing to read is therefore suspended, and
 * resumed by the loop thread when something is there: more of the handshake, its client's end, or
 * the end that a deadline makes. libmicrohttpd allows a suspension wherever it works for a
 * connection on the serving thread; GnuTLS reads there.
 */
#include "server/internal.h"
#include <errno.h>
#include <gnutls/gnutls.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#define EVENTS 64 /* taken at once */

struct handshakes {
    struct server *server;
    uv_poll_t poll;
    int fd; /* an epoll set of sockets that are waited for, each for one event */
};

/* The thread that takes the mark resumes. */
static void resume(struct conn *c)
{
    if (atomic_exchange(&c->handshake_waits, false))
        MHD_resume_connection(c->req.mhd);
}

static bool watch(struct conn *c)
{
    struct epoll_event once = {.events = EPOLLIN | EPOLLRDHUP | EPOLLONESHOT, .data.ptr = c};
    int how = c->handshake_watched ? EPOLL_CTL_MOD : EPOLL_CTL_ADD;
    c->handshake_watched = epoll_ctl(c->server->handshakes->fd, how, c->fd, &once) == 0;
    return c->handshake_watched;
}

static void unwatch(struct conn *c)
{
    if (c->handshake_watched)
        epoll_ctl(c->server->handshakes->fd, EPOLL_CTL_DEL, c->fd, NULL);
    c->handshake_watched = false;
}

/* As http.c's suspend(): what comes in between is not lost, since the mark is there before the
 * socket is watched, and a stop looks at marks after it has said that it gives up. */
static void suspend(struct conn *c)
{
    MHD_suspend_connection(c->req.mhd);
    atomic_store(&c->handshake_waits, true);
    if (!watch(c) || atomic_load(&c->server->giving_up))
        resume(c);
}

/* ---- GnuTLS's callbacks, on the serving thread ---- */

static ssize_t pull(gnutls_transport_ptr_t ptr, void *data, size_t size)
{
    struct conn *c = ptr;
    ssize_t n = recv(c->fd, data, size, 0);
    if (n >= 0 || errno != EAGAIN || c->handshaken)
        return n;
    if (!atomic_load(&c->handshake_waits) && !atomic_load(&c->server->giving_up))
        suspend(c);
    errno = EAGAIN;
    return -1;
}

static int pull_timeout(gnutls_transport_ptr_t ptr, unsigned ms)
{
    const struct conn *c = ptr;
    return gnutls_system_recv_timeout((gnutls_transport_ptr_t)(intptr_t)c->fd, ms);
}

/* The client's Finished is the last that a handshake reads: it is the end of it, or followed by
 * the server's own. It is acknowledged at once, since a client with Nagle's algorithm keeps its
 * request back until then: for 40 ms otherwise. */
static int finished(gnutls_session_t session, unsigned type, unsigned when, unsigned incoming,
                    const gnutls_datum_t *message)
{
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(
        gnutls_session_get_ptr(session), MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    struct conn *c = info->socket_context;
    int on = 1;
    if (!incoming)
        return 0;
    c->handshaken = true;
    unwatch(c);
    resume(c);
    setsockopt(c->fd, IPPROTO_TCP, TCP_QUICKACK, &on, sizeof on);
    return 0;
}

void handshake_begin(struct conn *c, struct MHD_Connection *mhd, gnutls_session_t session)
{
    c->req.mhd = mhd;
    gnutls_transport_set_ptr2(session, c, (gnutls_transport_ptr_t)(intptr_t)c->fd);
    gnutls_transport_set_pull_function(session, pull);
    gnutls_transport_set_pull_timeout_function(session, pull_timeout);
    gnutls_handshake_set_hook_function(session, GNUTLS_HANDSHAKE_FINISHED, GNUTLS_HOOK_POST,
                                       finished);
}

void handshake_end(struct conn *c)
{
    unwatch(c);
}

void handshake_give_up(struct conn *c)
{
    resume(c);
}

/* ---- on the loop ---- */

/* Under the registry's lock a connection that is in the set is not freed. */
static void on_readable(uv_poll_t *poll, int status, int events)
{
    struct handshakes *h = poll->data;
    struct epoll_event list[EVENTS];
    pthread_mutex_lock(&h->server->lock);
    int n = epoll_wait(h->fd, list, EVENTS, 0);
    for (int i = 0; i < n; i++)
        resume(list[i].data.ptr);
    pthread_mutex_unlock(&h->server->lock);
}

int handshakes_init(struct server *s, struct sosia_err *err)
{
    struct handshakes *h = calloc(1, sizeof *h);
    if (!h)
        return sosia_fail_memory(err);
    h->server = s;
    h->fd = epoll_create1(EPOLL_CLOEXEC);
    int rc = h->fd < 0 ? -errno : uv_poll_init(&s->loop, &h->poll, h->fd);
    if (rc < 0) {
        if (h->fd >= 0)
            close(h->fd);
        free(h);
        return sosia_fail(err, SOSIA_E_INTERNAL, "loop", NULL, "can't wait for handshakes: %s",
                          uv_strerror(rc));
    }
    h->poll.data = h;
    uv_poll_start(&h->poll, UV_READABLE, on_readable);
    s->handshakes = h;
    return 0;
}

void handshakes_close(struct handshakes *h)
{
    if (h)
        uv_close((uv_handle_t *)&h->poll, NULL);
}

void handshakes_free(struct handshakes *h)
{
    if (!h)
        return;
    close(h->fd);
    free(h);
}
