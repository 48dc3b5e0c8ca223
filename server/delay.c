/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Faults on the wire (struct sosia_response): answers that come late, connections that are reset,
 * held without an answer, or end within one. An answer that waits costs its memory and a place in a
 * list of the loop's; its connection is suspended.
 */
#include "server/internal.h"
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

/* How long a client waits that gets no answer, if it doesn't give up before: then its connection is
 * reset. */
#define HELD_MS 60000

struct delayed {
    struct delayed *next;
    struct request *r;
    int64_t ms;      /* to wait; until it is on the loop */
    bool held;       /* no answer comes at its end */
    uint64_t due_ms; /* by the loop's clock */
};

struct delays {
    struct server *server;
    uv_timer_t timer;
    pthread_mutex_t lock; /* what is new */
    struct delayed *fresh;
    bool closed;          /* nothing waits any more */
    struct delayed *list; /* the loop's */
    bool hurry;           /* the loop's: what is held waits no more */
};

static void let_go(struct delayed *d)
{
    http_done(d->r);
    free(d);
}

static void on_due(uv_timer_t *timer);

/* Answers what is due, and waits for the rest. */
static void look(struct delays *all)
{
    uint64_t now, first = UINT64_MAX;
    uv_update_time(&all->server->loop);
    now = uv_now(&all->server->loop);
    for (struct delayed **at = &all->list; *at;) {
        struct delayed *d = *at;
        if (d->due_ms <= now || (all->hurry && d->held)) {
            *at = d->next;
            let_go(d);
            continue;
        }
        first = d->due_ms < first ? d->due_ms : first;
        at = &d->next;
    }
    if (first != UINT64_MAX)
        uv_timer_start(&all->timer, on_due, first - now, 0);
}

static void on_due(uv_timer_t *timer)
{
    look(timer->data);
}

void delays_wake(struct delays *all)
{
    pthread_mutex_lock(&all->lock);
    struct delayed *fresh = all->fresh;
    all->fresh = NULL;
    pthread_mutex_unlock(&all->lock);
    if (!fresh)
        return;
    uv_update_time(&all->server->loop);
    while (fresh) {
        struct delayed *d = fresh;
        fresh = d->next;
        d->due_ms = uv_now(&all->server->loop) + (uint64_t)d->ms;
        d->next = all->list;
        all->list = d;
    }
    look(all);
}

void delays_hurry(struct delays *all)
{
    all->hurry = true;
    look(all);
}

bool delay_wanted(const struct request *r, const struct sosia_response *response)
{
    return !r->waited && (response->delay_ms > 0 || response->wire == SOSIA_WIRE_TIMEOUT);
}

bool delay_begin(struct request *r, const struct sosia_response *response)
{
    struct server *s = http_conn(r)->server;
    struct delays *all = s->delays;
    int64_t ms = response->delay_ms;
    if (!ms)
        ms = HELD_MS;
    struct delayed *d = malloc(sizeof *d);
    r->waited = true;
    if (!d)
        return false;
    *d = (struct delayed){.r = r, .ms = ms, .held = response->wire == SOSIA_WIRE_TIMEOUT};
    pthread_mutex_lock(&all->lock);
    bool closed = all->closed;
    if (!closed) {
        r->step = STEP_WAIT;
        atomic_store_explicit(&r->handover, HANDOVER_NONE, memory_order_relaxed);
        d->next = all->fresh;
        all->fresh = d;
    }
    pthread_mutex_unlock(&all->lock);
    if (closed) {
        free(d);
        return false;
    }
    loop_wake(s);
    return true;
}

enum MHD_Result delay_reset(struct request *r, struct sosia_response *response)
{
    const struct linger at_once = {.l_onoff = 1};
    struct conn *c = http_conn(r);
    setsockopt(c->fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    c->server->backend.free_response(response);
    http_phase(c, PHASE_CUT);
    return MHD_NO;
}

ssize_t delay_half(void *cls, uint64_t at, char *to, size_t size)
{
    struct request *r = cls;
    const struct sosia_response *sent = r->sending;
    struct conn *c = http_conn(r);
    if (at < sent->body_len) {
        size_t n = sent->body_len - (size_t)at < size ? sent->body_len - (size_t)at : size;
        memcpy(to, sent->body + at, n);
        return (ssize_t)n;
    }
    /* libmicrohttpd (0.9.75) leaves a connection whose answer fails as it is until something comes
     * from its socket: its end does. */
    http_phase(c, PHASE_CUT);
    shutdown(c->fd, SHUT_RDWR);
    return MHD_CONTENT_READER_END_WITH_ERROR;
}

int delays_init(struct server *s, struct sosia_err *err)
{
    struct delays *all = calloc(1, sizeof *all);
    if (!all)
        return sosia_fail_memory(err);
    all->server = s;
    pthread_mutex_init(&all->lock, NULL);
    uv_timer_init(&s->loop, &all->timer);
    all->timer.data = all;
    s->delays = all;
    return 0;
}

void delays_close(struct delays *all)
{
    pthread_mutex_lock(&all->lock);
    struct delayed *fresh = all->fresh;
    all->fresh = NULL;
    all->closed = true;
    pthread_mutex_unlock(&all->lock);
    for (struct delayed *d; (d = fresh ? fresh : all->list);) {
        if (fresh)
            fresh = d->next;
        else
            all->list = d->next;
        let_go(d);
    }
    uv_close((uv_handle_t *)&all->timer, NULL);
}

void delays_free(struct delays *all)
{
    if (!all)
        return;
    pthread_mutex_destroy(&all->lock);
    free(all);
}
