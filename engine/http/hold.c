/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/http/hold.h"
#include "engine/base/stop.h"
#include "engine/text/civil.h"
#include "engine/world/due.h"
#include "engine/world/engine.h"
#include "engine/world/part.h"
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#define BLOCKED_MAX  8                  /* callers that wait on threads of a server, of which */
#define UNBLOCKED    2                  /* so many are left to others */
#define PARKED_MAX   1000               /* requests that are kept */
#define PARKED_WORLD 250                /* those of one world, and */
#define PARKED_SAME  4                  /* those for one action */
#define PARKED_BYTES ((size_t)64 << 20) /* of their bodies */
#define HANDS_MAX    8                  /* threads that serve what is kept, of which */
#define HANDS_LONG   4                  /* so many may wait for programs and receivers */
#define LOOK_US      INT64_C(200000)    /* how often a clock is looked at that others move */
#define STOP_US      INT64_C(50000)     /* how often a caller looks whether it is interrupted */
#define NEWS         64                 /* counters, each of some worlds */

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
    int64_t draft;    /* the kind that is to be made; 0: it waits for a decision */
    int64_t at_us;    /* when it is looked at again, by the machine's clock */
    uint64_t seen;    /* the news until then */
    uint64_t serial;  /* in the order in which they came */
    atomic_bool over; /* newer ones wait for the same */
    struct call_waiter waiter;
    struct sosia_request request;
    struct arena arena;             /* of the request's copy */
    struct sosia_response *refusal; /* the answer when time is over */
    struct served served;           /* suspended: it waits for a program or a receiver */
};

/* A thread that serves them. */
struct hand {
    struct holds *of;
    pthread_t thread;
    struct parked *one; /* what it works on, in no list; NULL: nothing, or it has its answer */
    struct wait wait;   /* of that one, as it was in the list */
    uint64_t world;     /* no other hand works on it; 0: none */
};

/* What an engine has of them. */
struct holds {
    struct sosia_engine *engine;
    _Atomic(const struct hold_user *) user;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    uint64_t news[NEWS]; /* how often something was decided in worlds, or one ended */
    bool stopped;
    unsigned blocked, blocked_max;
    struct parked *first, **last; /* but for those in hand */
    unsigned n_parked;
    uint64_t n_came;
    size_t bytes;
    struct hand hands[HANDS_MAX];
    unsigned n_hands, n_idle, n_long;
    pthread_cond_t wanted; /* by them: there may be something to do */
    bool ending;
};

static void *holds_make(struct sosia_engine *e)
{
    struct holds *h = calloc(1, sizeof *h);
    pthread_condattr_t attr;
    if (!h)
        return NULL;
    h->engine = e;
    h->last = &h->first;
    h->blocked_max = BLOCKED_MAX;
    pthread_mutex_init(&h->lock, NULL);
    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_cond_init(&h->changed, &attr);
    pthread_cond_init(&h->wanted, &attr);
    pthread_condattr_destroy(&attr);
    return h;
}

static void holds_free(void *self)
{
    struct holds *h = self;
    pthread_cond_destroy(&h->wanted);
    pthread_cond_destroy(&h->changed);
    pthread_mutex_destroy(&h->lock);
    free(h);
}

/* world 0: all. */
static void on_world_end(void *self, uint64_t world)
{
    struct holds *h = self;
    pthread_mutex_lock(&h->lock);
    for (unsigned i = 0; i < NEWS; i++)
        h->news[i] += !world || world % NEWS == i;
    pthread_cond_broadcast(&h->changed);
    pthread_cond_broadcast(&h->wanted);
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

void hold_room(struct sosia_engine *e, unsigned threads)
{
    struct holds *h = e ? holds_of(e) : NULL;
    unsigned most = threads > UNBLOCKED ? threads - UNBLOCKED : 0;
    if (!h)
        return;
    pthread_mutex_lock(&h->lock);
    h->blocked_max = most < BLOCKED_MAX ? most : BLOCKED_MAX;
    pthread_mutex_unlock(&h->lock);
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

static struct timespec time_of(int64_t at_us)
{
    return (struct timespec){.tv_sec = at_us / US_PER_SECOND,
                             .tv_nsec = at_us % US_PER_SECOND * 1000};
}

/* Until then, or until there is news of the world since *seen. Under the lock. */
static void wait_until(struct holds *h, uint64_t world, int64_t at_us, uint64_t *seen)
{
    struct timespec until = time_of(at_us);
    const uint64_t *news = &h->news[world % NEWS];
    int rc = 0;
    while (rc == 0 && *news == *seen && !h->ending)
        rc = pthread_cond_timedwait(&h->changed, &h->lock, &until);
    *seen = *news;
}

/* The same for a caller's own thread, which somebody may interrupt (engine/base/stop.h): a signal
 * handler wakes nobody, so it looks now and then. */
static void wait_open(struct holds *h, uint64_t world, int64_t at_us, uint64_t *seen)
{
    uint64_t before = *seen;
    while (!stop_wanted() && *seen == before && !h->ending && machine_us() < at_us)
        wait_until(h, world, earlier(at_us, later(machine_us(), STOP_US)), seen);
}

/* A draft in its place. */
static struct sosia_response *make_draft(struct holds *h, uint64_t world, int64_t kind,
                                         const struct sosia_request *request,
                                         const struct call *outer, struct sosia_response *r,
                                         struct served *served, struct sosia_err *err)
{
    const struct drafting d = {
        .engine = h->engine, .world = world, .request = request, .outer = outer, .kind = kind};
    served->suspended = 0;
    return r ? atomic_load(&h->user)->draft(&d, r, served, err) : NULL;
}

/* The same request once more. It may not be held any more, and wait for others: as
 * served->suspended says then. */
static struct sosia_response *serve_anew(struct holds *h, struct wait *w,
                                         const struct sosia_request *request,
                                         const struct call *outer, struct served *served,
                                         struct sosia_err *err)
{
    const struct hold_user *user = atomic_load(&h->user);
    struct sosia_response *r = user->anew(
        h->engine, w->world, &(struct known_request){.request = *request}, outer, served, err);
    w->action = hold_suspended(served->suspended);
    if (draft_suspended(served->suspended))
        return make_draft(h, w->world, draft_suspended(served->suspended), request, outer, r,
                          served, err);
    if (w->action)
        served->suspended = 0;
    return r;
}

/* ---- callers that wait ---- */

static bool begin_blocking(struct holds *h)
{
    bool serves = atomic_load_explicit(&h->engine->on_outbox, memory_order_relaxed) != NULL;
    pthread_mutex_lock(&h->lock);
    bool may = !h->stopped && (!serves || h->blocked < h->blocked_max);
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
    int64_t draft = draft_suspended(served->suspended);
    struct whole *whole = served->whole;
    if (!err)
        err = &local_err;
    served->suspended = 0;
    served->whole = NULL;
    if (draft || !h || !begin_blocking(h)) {
        whole_end(whole);
        return h && draft ? make_draft(h, w.world, draft, request, outer, r, served, err) : r;
    }
    pthread_mutex_lock(&h->lock);
    uint64_t seen = h->news[w.world % NEWS];
    pthread_mutex_unlock(&h->lock);
    if (!whole)
        whole = whole_begin(e); /* no worker is under way meanwhile */
    stop_in_world(w.world);
    while (r && w.action) {
        int64_t at_us = 0;
        if (served->interrupted || stop_wanted()) {
            sosia_response_free(r);
            r = NULL;
            stop_fail(err);
            break;
        }
        enum next next = next_of(h, &w, &at_us);
        if (next == NEXT_OVER && stop_wanted())
            continue;
        if (next == NEXT_OVER)
            break;
        if (next == NEXT_SERVE) {
            sosia_response_free(r);
            r = serve_anew(h, &w, request, outer, served, err);
            if (served->suspended)
                r = atomic_load(&h->user)->wait(e, request, outer, served, err);
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
        wait_open(h, w.world, at_us, &seen);
        pthread_mutex_unlock(&h->lock);
    }
    whole_end(whole);
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
static void answer(struct holds *h, struct parked *p)
{
    atomic_load(&h->user)->hand_over(h->engine, p->refusal, p->served.ticket, &p->waiter);
    pthread_mutex_lock(&h->lock);
    for (unsigned i = 0; i < h->n_hands; i++)
        if (h->hands[i].one == p)
            h->hands[i].one = NULL;
    h->n_parked--;
    h->bytes -= p->request.body_len;
    pthread_mutex_unlock(&h->lock);
    parked_free(p);
}

/* True: it waits on, for a decision, or for a program or a receiver. */
static bool go_on(struct holds *h, struct parked *p)
{
    struct sosia_err err;
    enum next next = p->over ? NEXT_OVER : NEXT_SERVE;
    if (p->draft) {
        p->refusal =
            make_draft(h, p->wait.world, p->draft, &p->request, NULL, p->refusal, &p->served, &err);
        p->wait.action = 0;
    }
    while (p->refusal && p->wait.action && !p->over &&
           (next = next_of(h, &p->wait, &p->at_us)) == NEXT_SERVE) {
        sosia_response_free(p->refusal);
        p->refusal = serve_anew(h, &p->wait, &p->request, NULL, &p->served, &err);
        if (p->served.suspended)
            return true;
    }
    if (p->refusal && p->wait.action && next == NEXT_WAIT)
        return true;
    answer(h, p);
    return false;
}

/* It is as its caller would do. */
static void wait_for_others(struct holds *h, struct parked *p)
{
    struct sosia_err err;
    p->refusal = atomic_load(&h->user)->wait(h->engine, &p->request, NULL, &p->served, &err);
    answer(h, p);
}

static void add(struct holds *h, struct parked *p)
{
    p->next = NULL;
    *h->last = p;
    h->last = &p->next;
}

static bool is_in_hand(const struct holds *h, uint64_t world)
{
    for (unsigned i = 0; i < h->n_hands; i++)
        if (h->hands[i].world == world)
            return true;
    return false;
}

/* The first that has something to be done, in the order in which they came, out of the list. Hands
 * keep off each other's worlds, so that each world's are served in order and one that is busy
 * keeps one hand. NULL: there is none; *ret_at_us: until when, unless there is news. */
static struct parked *take_due(struct holds *h, int64_t *ret_at_us)
{
    int64_t now = machine_us();
    *ret_at_us = INT64_MAX;
    for (struct parked **at = &h->first, *p; (p = *at); at = &p->next) {
        const uint64_t news = h->news[p->wait.world % NEWS];
        bool due = p->over || p->at_us <= now || p->seen != news;
        if (p->served.suspended ? h->n_long == HANDS_LONG : is_in_hand(h, p->wait.world))
            continue;
        if (!p->served.suspended && !due) {
            *ret_at_us = earlier(*ret_at_us, p->at_us);
            continue;
        }
        p->seen = news;
        *at = p->next;
        if (!p->next)
            h->last = at;
        return p;
    }
    return NULL;
}

static bool begin_hand(struct holds *h);

/* Does what there is to be done for one. Under the lock, which is open meanwhile. */
static void work_on(struct holds *h, struct hand *own, struct parked *p)
{
    bool others = p->served.suspended != 0, on = false;
    h->n_long += others;
    own->world = others ? 0 : p->wait.world;
    own->one = p;
    own->wait = p->wait;
    if (h->first && !h->n_idle)
        begin_hand(h);
    pthread_mutex_unlock(&h->lock);
    if (others)
        wait_for_others(h, p);
    else
        on = go_on(h, p);
    pthread_mutex_lock(&h->lock);
    own->world = 0;
    own->one = NULL;
    h->n_long -= others;
    if (on)
        add(h, p);
    if (h->first)
        pthread_cond_broadcast(&h->wanted);
}

static void *serve_parked(void *arg)
{
    struct hand *own = arg;
    struct holds *h = own->of;
    pthread_mutex_lock(&h->lock);
    while (!h->ending) {
        int64_t at_us;
        struct parked *p = take_due(h, &at_us);
        if (p) {
            work_on(h, own, p);
            continue;
        }
        struct timespec until = time_of(at_us);
        h->n_idle++;
        pthread_cond_timedwait(&h->wanted, &h->lock, &until);
        h->n_idle--;
    }
    pthread_mutex_unlock(&h->lock);
    return NULL;
}

/* One more, as far as may be. False: there is none at all. Under the lock. */
static bool begin_hand(struct holds *h)
{
    sigset_t all, before;
    struct hand *own = &h->hands[h->n_hands];
    if (h->n_hands == HANDS_MAX || h->ending)
        return h->n_hands > 0;
    *own = (struct hand){.of = h};
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before); /* signals are for the program's own threads */
    if (pthread_create(&own->thread, NULL, serve_parked, own) == 0)
        h->n_hands++;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return h->n_hands > 0;
}

/* What waits beside a new one. */
struct beside {
    const struct parked *one;
    struct parked *oldest; /* of those that wait for the same */
    unsigned n, same;
};

static void count_beside(struct beside *b, struct parked *p, const struct wait *w)
{
    const struct wait *own = &b->one->wait;
    if (w->world != own->world || p->over)
        return;
    b->n++;
    if (b->one->draft || w->action != own->action || w->era != own->era)
        return;
    if (!b->oldest || p->serial < b->oldest->serial)
        b->oldest = p;
    b->same++;
}

/* Of those that wait for the same action the newest do: clients that ask again have often lost
 * patience with what they asked before. False: there is no room for one more of its world. Under
 * the lock. */
static bool make_room(struct holds *h, const struct parked *one)
{
    struct beside b = {.one = one};
    for (struct parked *p = h->first; p; p = p->next)
        count_beside(&b, p, &p->wait);
    for (unsigned i = 0; i < h->n_hands; i++)
        if (h->hands[i].one)
            count_beside(&b, h->hands[i].one, &h->hands[i].wait);
    if (b.same >= PARKED_SAME)
        b.oldest->over = true;
    return b.n < PARKED_WORLD || b.same >= PARKED_SAME;
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
                         .draft = draft_suspended(served->suspended),
                         .waiter = *waiter,
                         .refusal = r,
                         .served = *served};
    p->served.suspended = 0;
    arena_init(&p->arena, 0);
    request_copy(&p->arena, request, &p->request);
    pthread_mutex_lock(&h->lock);
    bool kept = !arena_failed(&p->arena) && !h->stopped && h->n_parked < PARKED_MAX &&
                request->body_len <= PARKED_BYTES - h->bytes && (h->n_idle || begin_hand(h)) &&
                make_room(h, p);
    if (kept) {
        p->serial = ++h->n_came;
        h->n_parked++;
        h->bytes += request->body_len;
        add(h, p);
        pthread_cond_broadcast(&h->wanted);
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
    pthread_cond_broadcast(&h->wanted);
    pthread_mutex_unlock(&h->lock);
    for (unsigned i = 0; i < h->n_hands; i++)
        pthread_join(h->hands[i].thread, NULL);
    while (h->first) {
        struct parked *p = h->first;
        h->first = p->next;
        p->served.ticket = 0;
        answer(h, p);
    }
}
