/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Answers that go on (sosia_stream_take()), on libmicrohttpd's connections. What a stream has is
 * sent as it comes; while it has nothing its connection is suspended, so that it costs its memory
 * and neither a thread nor a wait. The loop thread looks at all of them now and then: a client who
 * has gone is noticed, and one to whom nothing went for long is sent something.
 */
#include "engine/http/stream.h"
#include "server/internal.h"
#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>

#define PULL_BLOCK 4096

/* A stream's connection, seen from the threads that put something into the stream. */
enum flow {
    FLOW_SERVED,    /* libmicrohttpd asks for more, now or later */
    FLOW_SUSPENDED, /* the thread that has something resumes it */
    FLOW_NEWS       /* there is something since it was asked last */
};

struct stream {
    struct stream *prev, *next; /* in the server's list */
    struct request *r;
    _Atomic int flow;
    _Atomic bool gone;       /* the client is */
    _Atomic uint64_t put_ms; /* when something came out of it, by the loop's clock */
};

struct streams {
    struct server *server;
    uv_timer_t timer;
    pthread_mutex_t lock; /* the list */
    struct stream *list;
    _Atomic uint64_t now_ms;
};

/* From any thread. While it is suspended nobody else touches it. */
static void wake(void *arg)
{
    struct stream *st = arg;
    int before = atomic_load(&st->flow);
    while (before != FLOW_NEWS &&
           !atomic_compare_exchange_weak(&st->flow, &before,
                                         before == FLOW_SUSPENDED ? FLOW_SERVED : FLOW_NEWS))
        ;
    if (before == FLOW_SUSPENDED)
        MHD_resume_connection(st->r->mhd);
}

/* libmicrohttpd (0.9.75) leaves a connection whose answer fails as it is until something comes from
 * its socket: its end does. */
static ssize_t cut(struct conn *c)
{
    http_phase(c, PHASE_CUT);
    shutdown(c->fd, SHUT_RDWR);
    return MHD_CONTENT_READER_END_WITH_ERROR;
}

/* On the serving thread: libmicrohttpd asks for more. */
static ssize_t pull(void *cls, uint64_t at, char *to, size_t size)
{
    struct stream *st = cls;
    struct conn *c = http_conn(st->r);
    int served = FLOW_SERVED;
    (void)at;
    atomic_store(&st->flow, FLOW_SERVED);
    if (atomic_load(&st->gone))
        return cut(c);
    http_phase(c, PHASE_STREAM);
    int64_t n = sosia_stream_take(st->r->sending->stream, to, size);
    if (n > 0) {
        atomic_store(&st->put_ms, atomic_load(&c->server->streams->now_ms));
        return (ssize_t)n;
    }
    if (n < 0 && stream_is_cut(st->r->sending->stream))
        return cut(c);
    if (n < 0 || atomic_load(&c->server->stopping))
        return MHD_CONTENT_READER_END_OF_STREAM;
    MHD_suspend_connection(st->r->mhd);
    if (!atomic_compare_exchange_strong(&st->flow, &served, FLOW_SUSPENDED))
        MHD_resume_connection(st->r->mhd); /* it came in between */
    return 0;
}

void stream_drop(struct request *r)
{
    struct stream *st = r->stream;
    struct streams *all = http_conn(r)->server->streams;
    if (!st)
        return;
    r->stream = NULL;
    pthread_mutex_lock(&all->lock);
    if (st->prev)
        st->prev->next = st->next;
    else
        all->list = st->next;
    if (st->next)
        st->next->prev = st->prev;
    pthread_mutex_unlock(&all->lock);
    if (r->sending) { /* before the last who might wake it */
        struct sosia_response *sent = r->sending;
        r->sending = NULL;
        http_conn(r)->server->backend.free_response(sent);
    }
    free(st);
}

struct MHD_Response *stream_respond(struct request *r)
{
    struct streams *all = http_conn(r)->server->streams;
    struct stream *st = calloc(1, sizeof *st);
    struct MHD_Response *response =
        st ? MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, PULL_BLOCK, pull, st, NULL) : NULL;
    if (!response) {
        free(st);
        return NULL;
    }
    st->r = r;
    r->stream = st;
    atomic_init(&st->flow, FLOW_SERVED);
    atomic_init(&st->put_ms, atomic_load(&all->now_ms));
    pthread_mutex_lock(&all->lock);
    st->next = all->list;
    if (st->next)
        st->next->prev = st;
    all->list = st;
    pthread_mutex_unlock(&all->lock);
    sosia_stream_wake(r->sending->stream, http_conn(r)->server->session_queue, wake, st);
    return response;
}

/* ---- on the loop ---- */

/* Under the lock of the list, so that none of them is freed. */
static void look_after(struct streams *all, struct stream *st, bool gone)
{
    uint64_t put_ms = atomic_load(&st->put_ms), now_ms = atomic_load(&all->now_ms);
    if (gone) {
        atomic_store(&st->gone, true);
        wake(st);
    } else if (now_ms - put_ms >= all->server->ping_ms) {
        sosia_stream_idle(st->r->sending->stream, (int64_t)(now_ms - put_ms));
    }
}

static void on_timer(uv_timer_t *timer)
{
    struct streams *all = timer->data;
    struct pollfd list[256];
    atomic_store(&all->now_ms, uv_now(&all->server->loop));
    pthread_mutex_lock(&all->lock);
    for (struct stream *st = all->list; st;) {
        struct stream *first = st;
        nfds_t n = 0;
        for (; st && n < SOSIA_LEN(list); st = st->next)
            list[n++] = (struct pollfd){.fd = http_conn(st->r)->fd, .events = POLLRDHUP};
        poll(list, n, 0);
        st = first;
        for (nfds_t i = 0; i < n; i++, st = st->next)
            look_after(all, st, list[i].revents & (POLLRDHUP | POLLHUP | POLLERR));
    }
    pthread_mutex_unlock(&all->lock);
}

int streams_init(struct server *s, struct sosia_err *err)
{
    struct streams *all = calloc(1, sizeof *all);
    unsigned ms = s->ping_ms / 4 < 1000 ? s->ping_ms / 4 + 1 : 1000;
    if (!all)
        return sosia_fail_memory(err);
    all->server = s;
    pthread_mutex_init(&all->lock, NULL);
    atomic_init(&all->now_ms, uv_now(&s->loop));
    uv_timer_init(&s->loop, &all->timer);
    all->timer.data = all;
    uv_timer_start(&all->timer, on_timer, ms, ms);
    s->streams = all;
    return 0;
}

void streams_close(struct streams *all)
{
    uv_close((uv_handle_t *)&all->timer, NULL);
}

void streams_free(struct streams *all)
{
    if (!all)
        return;
    pthread_mutex_destroy(&all->lock);
    free(all);
}

void streams_end(struct streams *all)
{
    pthread_mutex_lock(&all->lock);
    for (struct stream *st = all->list; st; st = st->next)
        wake(st);
    pthread_mutex_unlock(&all->lock);
}
