/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/http/hold.h"
#include "engine/text/civil.h"
#include "engine/world/due.h"
#include "engine/world/engine.h"
#include "engine/world/part.h"
#include <signal.h>
#include <stdlib.h>
#include <time.h>

#define BLOCKED_MAX  8                  /* callers that wait on threads of a server */
#define PARKED_MAX   1000               /* requests that are kept */
#define PARKED_BYTES ((size_t)64 << 20) /* of their bodies */
#define LOOK_US      INT64_C(200000)    /* how often a clock is looked at that others move */

void request_copy(struct arena *a, const struct sosia_request *from, struct sosia_request *to)
{
    struct sosia_header *headers = arena_calloc(a, from->n_headers + 1, sizeof *headers);
    *to = *from;
    to->spool = NULL; /* the caller's */
    to->method = arena_strdup(a, from->method);
    to->target = arena_strdup(a, from->target);
    to->base_url = from->base_url ? arena_strdup(a, from->base_url) : NULL;
    to->body = arena_memdup(a, from->body ? from->body : "", from->body_len);
    for (size_t i = 0; !arena_failed(a) && i < from->n_headers; i++)
        headers[i] = (struct sosia_header){.name = arena_strdup(a, from->headers[i].name),
                                           .value = arena_strdup(a, from->headers[i].value)};
    to->headers = headers;
}

/* One that waits. */
struct wait {
    uint64_t world, era;
    int64_t action;
    int64_t until_us;       /* by the machine's clock; 0: not known yet */
    int64_t world_until_us; /* by the world's */
};

struct parked {
    struct parked *next;
    struct wait wait;
    int64_t at_us; /* when it is looked at again, by the machine's clock */
    struct call_waiter waiter;
    struct sosia_request request;
    struct arena arena;             /* of the request's copy */
    struct sosia_response *refusal; /* the answer when time is over */
    uint64_t ticket;
};

/* What an engine has of them. */
struct holds {
    struct sosia_engine *engine;
    _Atomic(const struct hold_user *) user;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    uint64_t news; /* how often something was decided */
    bool stopped;
    unsigned blocked;
    struct parked *first, **last;
    unsigned n_parked;
    size_t bytes;
    pthread_t thread; /* that serves them anew */
    bool started, ending;
};

static void *holds_make(struct sosia_engine *e)
{
    struct holds *h = calloc(1, sizeof *h);
    pthread_condattr_t attr;
    if (!h)
        return NULL;
    h->engine = e;
    h->last = &h->first;
    pthread_mutex_init(&h->lock, NULL);
    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_cond_init(&h->changed, &attr);
    pthread_condattr_destroy(&attr);
    return h;
}

static void holds_free(void *self)
{
    struct holds *h = self;
    pthread_cond_destroy(&h->changed);
    pthread_mutex_destroy(&h->lock);
    free(h);
}

static void on_world_end(void *self, uint64_t world)
{
    struct holds *h = self;
    (void)world;
    pthread_mutex_lock(&h->lock);
    h->news++;
    pthread_cond_broadcast(&h->changed);
    pthread_mutex_unlock(&h->lock);
}

static struct holds *holds_of(struct sosia_engine *e)
{
    static const struct part part = {.make = holds_make, .free = holds_free, .ended = on_world_end};
    return part_of(e, &part);
}

int hold_by(struct tx *tx, const struct hold_user *user)
{
    struct holds *h = holds_of(tx->engine);
    if (!h)
        return sosia_fail_memory(tx->err);
    atomic_store(&h->user, user);
    return 0;
}

void hold_wake(struct sosia_engine *e, uint64_t world)
{
    struct holds *h = holds_of(e);
    if (h)
        on_world_end(h, world);
}

void hold_stop(struct sosia_engine *e, bool stop)
{
    struct holds *h = e ? holds_of(e) : NULL; /* a server may have none */
    if (!h)
        return;
    pthread_mutex_lock(&h->lock);
    h->stopped = stop;
    pthread_mutex_unlock(&h->lock);
    on_world_end(h, 0);
}

/* ---- what becomes of one ---- */

enum next { NEXT_WAIT, NEXT_SERVE, NEXT_OVER };

struct looking {
    struct holds *of;
    int64_t action, now_us;
    uint64_t era;
    bool real;
    struct hold hold;
};

static int look(struct tx *tx, struct json_writer *w, void *arg)
{
    struct looking *l = arg;
    json_raw(w, NULL, "null", 4);
    l->era = tx->world->era;
    l->now_us = tx->now_us;
    l->real = world_clock_mode(tx->world) == SOSIA_CLOCK_REAL;
    return atomic_load(&l->of->user)->look(tx, l->action, &l->hold);
}

static int64_t later(int64_t at_us, int64_t by_us)
{
    int64_t sum;
    return __builtin_add_overflow(at_us, by_us, &sum) ? INT64_MAX : sum;
}

static int64_t earlier(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static bool is_stopped(struct holds *h)
{
    pthread_mutex_lock(&h->lock);
    bool stopped = h->stopped;
    pthread_mutex_unlock(&h->lock);
    return stopped;
}

/* A clock that does not move by itself goes on to a decision that falls due while the call waits,
 * as time passes then; nothing else moves it. *ret_at_us: when to look again. */
static enum next next_of(struct holds *h, struct wait *w, int64_t *ret_at_us)
{
    for (;;) {
        struct looking l = {.of = h, .action = w->action};
        struct sosia_blob blob;
        struct sosia_err err;
        if (is_stopped(h) || world_read(h->engine, w->world, false, look, &l, &blob, &err) < 0)
            return NEXT_OVER;
        sosia_blob_free(&blob);
        int64_t now = machine_us();
        if (!w->until_us) {
            w->until_us = later(now, l.hold.wait_us);
            w->world_until_us = later(l.now_us, l.hold.wait_us);
        }
        int64_t over = earlier(w->world_until_us, l.hold.expires_us);
        if (l.era != w->era || l.hold.expires_us <= l.now_us)
            return NEXT_OVER;
        if (l.hold.decided)
            return NEXT_SERVE;
        if (!l.hold.wait_us || over <= l.now_us || w->until_us <= now)
            return NEXT_OVER;
        if (l.hold.decides_us <= l.now_us) /* what is due happens before the next call */
            return NEXT_SERVE;
        if (l.real) {
            *ret_at_us =
                earlier(w->until_us, later(now, earlier(over, l.hold.decides_us) - l.now_us));
            return NEXT_WAIT;
        }
        if (l.hold.decides_us >= over) {
            *ret_at_us = earlier(w->until_us, now + LOOK_US);
            return NEXT_WAIT;
        }
        if (world_advance_to(h->engine, w->world, l.era, l.hold.decides_us, &err) < 0)
            return NEXT_OVER;
    }
}

/* Until then, or until there is news since *seen. Under the lock. */
static void wait_until(struct holds *h, int64_t at_us, uint64_t *seen)
{
    struct timespec until = {.tv_sec = at_us / US_PER_SECOND,
                             .tv_nsec = at_us % US_PER_SECOND * 1000};
    int rc = 0;
    while (rc == 0 && h->news == *seen && !h->ending)
        rc = pthread_cond_timedwait(&h->changed, &h->lock, &until);
    *seen = h->news;
}

/* The same request once more. */
static struct sosia_response *serve_anew(struct holds *h, struct wait *w,
                                         const struct sosia_request *request,
                                         const struct call *outer, struct served *served,
                                         struct sosia_err *err)
{
    const struct hold_user *user = atomic_load(&h->user);
    struct sosia_response *r = user->anew(h->engine, w->world, &(struct told){.request = *request},
                                          outer, served, err);
    w->action = hold_suspended(served->suspended);
    if (served->suspended && !w->action) /* it is not held any more, and waits for others */
        r = user->wait(h->engine, request, outer, served, err);
    return r;
}

/* ---- callers that wait ---- */

static bool begin_blocking(struct holds *h)
{
    bool serves = atomic_load_explicit(&h->engine->on_outbox, memory_order_relaxed) != NULL;
    pthread_mutex_lock(&h->lock);
    bool may = !h->stopped && (!serves || h->blocked < BLOCKED_MAX);
    h->blocked += may;
    pthread_mutex_unlock(&h->lock);
    return may;
}

struct sosia_response *hold_wait(struct sosia_engine *e, const struct sosia_request *request,
                                 const struct call *outer, bool patient, struct sosia_response *r,
                                 struct served *served, struct sosia_err *err)
{
    struct holds *h = holds_of(e);
    struct wait w = {
        .world = served->world, .era = served->era, .action = hold_suspended(served->suspended)};
    struct sosia_err local_err;
    const struct drafting d = {.engine = e,
                               .world = served->world,
                               .request = request,
                               .outer = outer,
                               .kind = draft_suspended(served->suspended)};
    if (!err)
        err = &local_err;
    served->suspended = 0;
    if (d.kind)
        return atomic_load(&h->user)->draft(&d, r, served, err);
    if (!h || !begin_blocking(h))
        return r;
    pthread_mutex_lock(&h->lock);
    uint64_t seen = h->news;
    pthread_mutex_unlock(&h->lock);
    while (r && w.action) {
        int64_t at_us = 0;
        enum next next = next_of(h, &w, &at_us);
        if (next == NEXT_OVER)
            break;
        if (next == NEXT_SERVE) {
            sosia_response_free(r);
            r = serve_anew(h, &w, request, outer, served, err);
            served->suspended = 0;
            continue;
        }
        if (!patient) {
            sosia_response_free(r);
            r = NULL;
            served->busy = true;
            break;
        }
        pthread_mutex_lock(&h->lock);
        wait_until(h, at_us, &seen);
        pthread_mutex_unlock(&h->lock);
    }
    pthread_mutex_lock(&h->lock);
    h->blocked--;
    pthread_mutex_unlock(&h->lock);
    return r;
}

/* ---- requests that are kept ---- */

static void parked_free(struct parked *p)
{
    arena_done(&p->arena);
    free(p);
}

/* It has its answer. */
static void answer(struct holds *h, struct parked *p, struct sosia_response *r, uint64_t ticket)
{
    atomic_load(&h->user)->hand_over(h->engine, r, ticket, &p->waiter);
    pthread_mutex_lock(&h->lock);
    h->n_parked--;
    h->bytes -= p->request.body_len;
    pthread_mutex_unlock(&h->lock);
    parked_free(p);
}

/* True: it waits on. */
static bool go_on(struct holds *h, struct parked *p)
{
    enum next next = NEXT_OVER;
    while (p->refusal && p->wait.action && (next = next_of(h, &p->wait, &p->at_us)) == NEXT_SERVE) {
        struct served served;
        struct sosia_err err;
        sosia_response_free(p->refusal);
        p->refusal = serve_anew(h, &p->wait, &p->request, NULL, &served, &err);
        p->ticket = served.ticket;
    }
    if (p->refusal && p->wait.action && next == NEXT_WAIT)
        return true;
    answer(h, p, p->refusal, p->ticket);
    return false;
}

static void add(struct holds *h, struct parked *p)
{
    p->next = NULL;
    *h->last = p;
    h->last = &p->next;
}

/* All that wait are looked at in their order when there is news, or the first of them is due. */
static void *serve_parked(void *arg)
{
    struct holds *h = arg;
    uint64_t seen = 0;
    pthread_mutex_lock(&h->lock);
    while (!h->ending) {
        struct parked *list = h->first;
        int64_t at_us = INT64_MAX;
        seen = h->news;
        h->first = NULL;
        h->last = &h->first;
        pthread_mutex_unlock(&h->lock);
        while (list) {
            struct parked *p = list;
            list = p->next;
            if (!go_on(h, p))
                continue;
            at_us = earlier(at_us, p->at_us);
            pthread_mutex_lock(&h->lock);
            add(h, p);
            pthread_mutex_unlock(&h->lock);
        }
        pthread_mutex_lock(&h->lock);
        wait_until(h, at_us, &seen);
    }
    pthread_mutex_unlock(&h->lock);
    return NULL;
}

/* Under the lock. */
static bool start(struct holds *h)
{
    sigset_t all, before;
    if (h->started)
        return true;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before); /* signals are for the program's own threads */
    h->started = pthread_create(&h->thread, NULL, serve_parked, h) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return h->started;
}

bool hold_park(struct sosia_engine *e, const struct sosia_request *request,
               const struct call_waiter *waiter, struct sosia_response *r,
               const struct served *served)
{
    struct holds *h = holds_of(e);
    struct parked *p = h && !request->spool ? calloc(1, sizeof *p) : NULL;
    if (!p)
        return false;
    *p = (struct parked){.wait = {.world = served->world,
                                  .era = served->era,
                                  .action = hold_suspended(served->suspended)},
                         .waiter = *waiter,
                         .refusal = r,
                         .ticket = served->ticket};
    arena_init(&p->arena, 0);
    request_copy(&p->arena, request, &p->request);
    pthread_mutex_lock(&h->lock);
    bool kept = !arena_failed(&p->arena) && !h->stopped && h->n_parked < PARKED_MAX &&
                request->body_len <= PARKED_BYTES - h->bytes && start(h);
    if (kept) {
        h->n_parked++;
        h->bytes += request->body_len;
        h->news++;
        add(h, p);
        pthread_cond_broadcast(&h->changed);
    }
    pthread_mutex_unlock(&h->lock);
    if (!kept)
        parked_free(p);
    return kept;
}

void hold_close(struct sosia_engine *e)
{
    struct holds *h = holds_of(e);
    if (!h)
        return;
    pthread_mutex_lock(&h->lock);
    h->ending = h->stopped = true;
    pthread_cond_broadcast(&h->changed);
    pthread_mutex_unlock(&h->lock);
    if (h->started)
        pthread_join(h->thread, NULL);
    while (h->first) {
        struct parked *p = h->first;
        h->first = p->next;
        answer(h, p, p->refusal, 0);
    }
}
