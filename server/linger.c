/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Connections that are closed while their clients still send. What comes to a socket that is closed
 * the kernel answers with a reset, and a reset takes away what the client has not read yet, such as
 * the refusal of a head that is too long. So the socket is kept a while, shut down for sending, and
 * what comes is read away.
 */
#include "server/internal.h"
#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#define LINGER_MOST  64                 /* sockets at once */
#define LINGER_BYTES ((size_t)16 << 20) /* of one */
#define LINGER_MS    2000

struct linger_socket {
    uv_poll_t poll;
    struct linger_socket *prev, *next;
    struct server *server;
    int fd;
    size_t left;
    unsigned until; /* tick */
};

/* Something is there that was not read, or the client has not ended and no answer of ours
 * asked for it: then libmicrohttpd has refused what it sends. */
static bool still_sends(const struct conn *c)
{
    int waiting = 0;
    char byte;
    unsigned phase = (unsigned)atomic_load(&c->phase) & 0xff;
    if (phase == PHASE_CUT || phase == PHASE_SESSION || c->upgraded)
        return false;
    if (ioctl(c->fd, FIONREAD, &waiting) == 0 && waiting > 0)
        return true;
    return !c->req.last && recv(c->fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) < 0 && errno == EAGAIN;
}

void linger_begin(struct conn *c)
{
    struct server *s = c->server;
    if (atomic_load(&s->stopping) || !still_sends(c))
        return;
    struct linger_socket *l = calloc(1, sizeof *l);
    if (!l || atomic_fetch_add(&s->n_lingering, 1) >= LINGER_MOST ||
        (l->fd = fcntl(c->fd, F_DUPFD_CLOEXEC, 0)) < 0) {
        if (l)
            atomic_fetch_sub(&s->n_lingering, 1);
        free(l);
        return;
    }
    l->server = s;
    l->left = LINGER_BYTES;
    shutdown(l->fd, SHUT_WR);
    pthread_mutex_lock(&s->linger_lock);
    l->next = s->to_linger;
    s->to_linger = l;
    pthread_mutex_unlock(&s->linger_lock);
    loop_wake(s);
}

/* ---- on the loop ---- */

static void closed(uv_handle_t *handle)
{
    struct linger_socket *l = handle->data;
    close(l->fd);
    atomic_fetch_sub(&l->server->n_lingering, 1);
    free(l);
}

static void end(struct linger_socket *l)
{
    struct server *s = l->server;
    if (l->prev)
        l->prev->next = l->next;
    else
        s->lingering = l->next;
    if (l->next)
        l->next->prev = l->prev;
    uv_close((uv_handle_t *)&l->poll, closed);
}

static void on_readable(uv_poll_t *poll, int status, int events)
{
    static char away[65536]; /* the loop is one thread, and nobody reads it */
    struct linger_socket *l = poll->data;
    ssize_t n = status < 0 ? 0 : recv(l->fd, away, sizeof away, MSG_DONTWAIT);
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (n <= 0 || (size_t)n >= l->left)
        end(l);
    else
        l->left -= (size_t)n;
}

void linger_wake(struct server *s)
{
    pthread_mutex_lock(&s->linger_lock);
    struct linger_socket *l = s->to_linger, *next;
    s->to_linger = NULL;
    pthread_mutex_unlock(&s->linger_lock);
    for (; l; l = next) {
        next = l->next;
        if (uv_poll_init_socket(&s->loop, &l->poll, l->fd) < 0) {
            close(l->fd);
            atomic_fetch_sub(&s->n_lingering, 1);
            free(l);
            continue;
        }
        l->poll.data = l;
        l->until = atomic_load(&s->tick) + LINGER_MS / s->tick_ms + 1;
        l->prev = NULL;
        l->next = s->lingering;
        if (l->next)
            l->next->prev = l;
        s->lingering = l;
        if (uv_poll_start(&l->poll, UV_READABLE, on_readable) < 0)
            end(l);
    }
}

void linger_tick(struct server *s, unsigned tick)
{
    for (struct linger_socket *l = s->lingering, *next; l; l = next) {
        next = l->next;
        if ((int)(tick - l->until) >= 0)
            end(l);
    }
}

void linger_close(struct server *s)
{
    linger_wake(s);
    while (s->lingering)
        end(s->lingering);
}
