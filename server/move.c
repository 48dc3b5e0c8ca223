/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Connections that move to another serving thread.
 *
 * A world that threads write in by turns goes from one processor's caches to another's each time,
 * and all but one of them wait: two take a third more for a call than one does alone. So such a
 * world gets a thread that is its home, and a connection whose calls often find it with another
 * thread moves there, between two requests. Worlds that are only read, and those that have one
 * thread anyway, move nothing.
 *
 * libmicrohttpd (0.9.75) gives no socket back. The other daemon is given a duplicate of the
 * descriptor; then the descriptor itself becomes one end of a pair whose other end is closed, so
 * that the daemon that had the connection finds its client gone, and frees what it has of it. With
 * MHD_USE_TURBO it shuts nothing down. No byte may be between the two: a connection moves only
 * where the kernel has given away as many as its requests had. And none moves to a thread that has
 * nearly all the connections that it may have: one that came while the last place was given away
 * would be closed between two requests.
 */
#include "engine/http/serve.h"
#include "server/internal.h"
#include "server/taken.h"
#include <fcntl.h>
#include <strings.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

/* How often a thread finds its world with another: calls that do weigh more, since the rest of
 * those that are made together do not. */
enum { MET = 16, MET_MOST = 64, SHARED = 40 };
/* Places that stay free: what a thread accepts, and is given by others, before it takes up one that
 * is on its way to it. */
enum { FREE_MOST = 64 };

static struct MHD_Daemon *daemon_of(struct MHD_Connection *mhd)
{
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_DAEMON);
    return info ? info->daemon : NULL;
}

void move_note(struct request *r)
{
    struct conn *c = http_conn(r);
    struct thread *t = server_thread(c->server);
    bool met;
    c->world = call_kept(&met);
    if (!c->world || !t)
        return;
    if (t->world != c->world) {
        t->world = c->world;
        t->shared = 0;
    }
    t->shared = met ? t->shared + MET : t->shared - (t->shared > 0);
    if (t->shared > MET_MOST)
        t->shared = MET_MOST;
}

/* ---- homes ---- */

static struct home *home_for(struct server *s, uint64_t world)
{
    return &s->homes[(world * 0x9e3779b97f4a7c15u) >> 58];
}

static unsigned homes_of(const struct server *s, const struct MHD_Daemon *daemon)
{
    unsigned n = 0;
    for (size_t i = 0; i < SERVER_HOMES; i++)
        n += s->homes[i].daemon == daemon;
    return n;
}

/* The thread that has the fewest; own: that of the connection, which comes first. */
static struct MHD_Daemon *choose(const struct server *s, struct MHD_Daemon *own)
{
    struct MHD_Daemon *best = own;
    unsigned least = homes_of(s, own);
    for (unsigned i = 0; i < s->http.n; i++) {
        unsigned n = homes_of(s, s->http.list[i]);
        if (n < least) {
            best = s->http.list[i];
            least = n;
        }
    }
    return best;
}

/* Its own where the daemons are about to end: abandon_all() takes the lock before that. */
static struct MHD_Daemon *home_of(struct server *s, uint64_t world, struct MHD_Daemon *own)
{
    struct home *h = home_for(s, world);
    pthread_mutex_lock(&s->lock);
    if (atomic_load(&s->giving_up)) {
        pthread_mutex_unlock(&s->lock);
        return own;
    }
    if (h->world != world) {
        *h = (struct home){0};
        *h = (struct home){world, choose(s, own)};
    }
    struct MHD_Daemon *daemon = h->daemon;
    pthread_mutex_unlock(&s->lock);
    return daemon;
}

/* ---- a move ---- */

/* Its answer leaves the connection open, and the bytes that it had are known. libmicrohttpd looks
 * for "close" in all fields of the name, and r->fields has but the last. */
static bool may_follow(const struct request *r)
{
    if (!r->head_size || r->last || r->refused || r->too_large)
        return false;
    for (size_t i = 0; r->fields.connection && i < r->n_headers; i++)
        if (strcasecmp(r->headers[i].name, "Connection") == 0 &&
            strcasecmp(r->headers[i].value, "keep-alive") != 0)
            return false;
    return true;
}

void move_count(struct request *r)
{
    http_conn(r)->received += r->head_size + r->body_seen;
}

/* Has libmicrohttpd read none of what comes after the last request? */
static bool is_between_requests(const struct conn *c)
{
    return socket_taken(c->fd) == c->received;
}

/* Gives a duplicate of its socket to the other daemon, which does not end meanwhile: see home_of().
 * Nothing is called back here; its own thread takes it up. */
static bool give(struct conn *c, struct MHD_Daemon *to)
{
    struct server *s = c->server;
    struct sockaddr_storage a;
    socklen_t n = sizeof a;
    int fd =
        getpeername(c->fd, (struct sockaddr *)&a, &n) < 0 ? -1 : fcntl(c->fd, F_DUPFD_CLOEXEC, 0);
    if (fd < 0)
        return false;
    pthread_mutex_lock(&s->lock);
    bool ends = atomic_load(&s->giving_up);
    bool given = !ends && MHD_add_connection(to, fd, (const struct sockaddr *)&a, n) == MHD_YES;
    if (given) {
        s->n_accepted--; /* the other daemon counts it again */
        s->n_moved++;
    }
    pthread_mutex_unlock(&s->lock);
    if (ends)
        close(fd);
    return given;
}

static bool has_room(const struct server *s, struct MHD_Daemon *to)
{
    const union MHD_DaemonInfo *all = MHD_get_daemon_info(to, MHD_DAEMON_INFO_CURRENT_CONNECTIONS);
    unsigned spare = 1 + s->share / 8;
    return all && all->num_connections + (spare < FREE_MOST ? spare : FREE_MOST) < s->share;
}

static bool move(struct conn *c, struct MHD_Connection *mhd, struct MHD_Daemon *to, int epoll)
{
    struct epoll_event all = {.events = EPOLLIN | EPOLLOUT | EPOLLPRI | EPOLLET, .data.ptr = mhd};
    int ends[2];
    if (!has_room(c->server, to))
        return false;
    /* the second is what the daemon may do with it from now on */
    if (epoll_ctl(epoll, EPOLL_CTL_MOD, c->fd, &all) < 0 ||
        socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends) < 0)
        return false;
    bool given = give(c, to);
    if (given) {
        epoll_ctl(epoll, EPOLL_CTL_DEL, c->fd, NULL);
        dup3(ends[0], c->fd, O_CLOEXEC);
        epoll_ctl(epoll, EPOLL_CTL_ADD, c->fd, &all);
    }
    close(ends[0]);
    close(ends[1]);
    return given;
}

void move_after(struct request *r, struct MHD_Connection *mhd)
{
    struct conn *c = http_conn(r);
    struct server *s = c->server;
    struct thread *t = server_thread(s);
    struct MHD_Daemon *own, *to;
    if (!c->world || !t || t->world != c->world || t->shared < SHARED || c->tls ||
        http_is_inside(c) || s->threads < 2 || !may_follow(r) || atomic_load(&s->stopping))
        return;
    own = daemon_of(mhd);
    if (!own || (to = home_of(s, c->world, own)) == own || !is_between_requests(c))
        return;
    const union MHD_DaemonInfo *set = MHD_get_daemon_info(own, MHD_DAEMON_INFO_EPOLL_FD);
    if (set && !move(c, mhd, to, set->epoll_fd))
        t->shared = 0; /* the other has all that it may have: not at once again */
}
