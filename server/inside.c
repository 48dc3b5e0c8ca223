/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Connections that programs in sandboxes make: their listening sockets are in network namespaces of
 * their own, and who runs a program accepts there and passes what comes. Threads, workers,
 * connections and certificates are apart from those of other clients: a program can't take those
 * away, and its calls go on while all other workers wait for programs to end.
 */
#include "engine/http/target.h"
#include "server/host.h"
#include "server/internal.h"
#include "server/tls.h"
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    MOST_OPEN = 512,      /* connections of each of the two kinds */
    MOST_OF_A_WORLD = 128 /* both together */
};

/* A connection that libmicrohttpd was given, and whose thread has not begun it yet. */
struct coming {
    struct coming *next;
    uint64_t world;
};

struct inside {
    struct engine_backend of;
    const char *const *hosts;
    void (*end)(void *arg);
    void *arg;
    struct workers workers;
    pthread_mutex_t lock; /* what follows */
    bool made, ended;
    struct tls *tls;
    gnutls_datum_t authority;
    struct MHD_Daemon *plain, *secure; /* NULL: none was wanted yet */
    struct coming *coming;             /* under the server's lock */
};

/* In the place of a client's address, which says nothing. No socket that somebody listens on has
 * addresses of this family. */
struct passed {
    sa_family_t family; /* AF_UNIX */
    uint64_t world;
};

int inside_init(struct server *s, const struct server_options *o, struct sosia_err *err)
{
    struct inside *in;
    if (!o->inside_begin || !s->engine.engine || !s->vendor_hosts)
        return 0;
    if (!(in = calloc(1, sizeof *in)))
        return sosia_fail_memory(err);
    in->hosts = s->vendor_hosts;
    in->end = o->inside_end;
    in->arg = o->inside_arg;
    pthread_mutex_init(&in->lock, NULL);
    s->inside = in;
    if (workers_init(&in->workers) < 0)
        return sosia_fail_memory(err);
    return o->inside_begin(o->inside_arg, s, err);
}

uint64_t inside_world(const struct sockaddr *address)
{
    struct passed p;
    if (address->sa_family != AF_UNIX)
        return 0;
    memcpy(&p, address, sizeof p);
    return p.world;
}

bool inside_has(const struct server *s, const char *host)
{
    for (const char *const *p = s->vendor_hosts; *p; p++)
        if (host_matches(*p, host))
            return true;
    return false;
}

bool inside_takes(const struct server *s, const char *host, const char *target)
{
    return target_is_of_vendor(s->engine.engine, host, target);
}

struct tls *inside_tls(const struct server *s)
{
    return s->inside->tls;
}

struct workers *inside_workers(const struct server *s)
{
    return &s->inside->workers;
}

/* Under the lock. False: it can't be had. */
static bool make_tls(struct inside *in)
{
    if (!in->made && !in->ended)
        in->made = tls_open_own(in->hosts, &in->tls, &in->authority, NULL) == 0;
    return in->made;
}

const char *server_inside_authority(struct server *s)
{
    struct inside *in = s->inside;
    if (!in)
        return NULL;
    pthread_mutex_lock(&in->lock);
    const char *text = make_tls(in) ? (const char *)in->authority.data : NULL;
    pthread_mutex_unlock(&in->lock);
    return text;
}

/* Counts one more as coming, when the world has not as many as it may have. */
static bool begin(struct server *s, uint64_t world)
{
    struct inside *in = s->inside;
    struct coming *new = malloc(sizeof *new);
    unsigned n = 0;
    if (!new)
        return false;
    pthread_mutex_lock(&s->lock);
    for (const struct coming *p = in->coming; p && n < MOST_OF_A_WORLD; p = p->next)
        n += p->world == world;
    for (const struct conn *c = s->conns; c && n < MOST_OF_A_WORLD; c = c->next)
        n += c->inside.engine && c->inside.world == world;
    if (n < MOST_OF_A_WORLD) {
        *new = (struct coming){in->coming, world};
        in->coming = new;
        new = NULL;
    }
    pthread_mutex_unlock(&s->lock);
    free(new);
    return n < MOST_OF_A_WORLD;
}

void inside_arrived(struct server *s, uint64_t world)
{
    struct coming **p = &s->inside->coming, *found;
    while (*p && (*p)->world != world)
        p = &(*p)->next;
    if ((found = *p) != NULL) {
        *p = found->next;
        free(found);
    }
}

void server_inside(struct server *s, uint64_t world, int fd, bool secure)
{
    const struct passed address = {.family = AF_UNIX, .world = world};
    struct inside *in = s->inside;
    struct log_line line;
    bool given = false, ends = false;
    if (!in || !world || !begin(s, world)) {
        close(fd);
        return;
    }
    pthread_mutex_lock(&in->lock);
    if (in->ended || (secure && !make_tls(in))) {
        close(fd);
        ends = true;
    } else {
        struct MHD_Daemon **d = secure ? &in->secure : &in->plain;
        if (!*d)
            *d = server_daemon(s, -1, secure, MOST_OPEN);
        if (!*d)
            close(fd);
        else /* it closes the socket when it can't take it */
            given = MHD_add_connection(*d, fd, (const struct sockaddr *)&address, sizeof address) ==
                    MHD_YES;
    }
    pthread_mutex_unlock(&in->lock);
    if (given)
        return;
    pthread_mutex_lock(&s->lock);
    inside_arrived(s, world);
    pthread_mutex_unlock(&s->lock);
    if (ends)
        return;
    log_begin(&line, &s->log, SERVER_LOG_DEBUG, "connection from a sandbox not taken");
    log_end(&line);
}

void inside_end(struct server *s)
{
    struct inside *in = s->inside;
    if (!in)
        return;
    in->end(in->arg);
    pthread_mutex_lock(&in->lock);
    in->ended = true;
    pthread_mutex_unlock(&in->lock);
}

void inside_stop(struct server *s)
{
    struct inside *in = s->inside;
    if (in && in->plain)
        MHD_stop_daemon(in->plain);
    if (in && in->secure)
        MHD_stop_daemon(in->secure);
    if (in)
        in->plain = in->secure = NULL;
}

void inside_end_workers(struct server *s)
{
    if (s->inside)
        workers_end(&s->inside->workers);
}

void inside_free(struct inside *in)
{
    if (!in)
        return;
    if (!in->ended)
        in->end(in->arg); /* the server has not started */
    for (struct coming *p = in->coming, *next; p; p = next) {
        next = p->next;
        free(p);
    }
    tls_free(in->tls);
    gnutls_free(in->authority.data);
    workers_free(&in->workers);
    pthread_mutex_destroy(&in->lock);
    free(in);
}
