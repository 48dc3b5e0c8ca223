/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Open sessions, and the frames that are on their way to them.
 *
 * Order of locks: a world's, then that of the sessions. The callers' functions run under the
 * latter. Frames wait in one list for the disk, in the order of their changes: a frame is not sent
 * while a crash could undo its change.
 */
#include "engine/base/heap.h"
#include "engine/http/session_impl.h"
#include "engine/base/handle.h"
#include "engine/base/taken.h"
#include "engine/http/serve.h"
#include "engine/http/suspend.h"
#include "engine/send/delivery.h"
#include "engine/world/keeper.h"
#include "engine/world/engine.h"
#include <stdlib.h>

enum { CLOSE_RESTART = 1012 };

/* What one or many are sent. */
struct session_text {
    size_t refs, len;
    char text[];
};

/* A frame that waits for the disk. */
struct outgoing {
    struct outgoing *next;
    struct sosia_session *to;
    uint64_t ticket;
    int64_t entry, attempt; /* entry 0: none */
    int close_code;         /* 0: a frame */
    struct session_text *text;
};

/* ---- under the lock ---- */

static void unref(struct sosia_session *s)
{
    if (--s->refs)
        return;
    free(s->flights);
    free((void *)(uintptr_t)s->key);
    handle_free(HANDLE_SESSION, s);
}

void session_unlist(struct sessions *ss, struct sosia_session *s)
{
    struct sosia_session **at = &ss->buckets[session_bucket(s->world)];
    if (!s->listed)
        return;
    while (*at != s)
        at = &(*at)->next;
    *at = s->next;
    s->listed = false;
    atomic_fetch_sub(&ss->n[session_bucket(s->world)], 1);
}

void session_forget_flight(struct sosia_session *s, int64_t entry)
{
    for (size_t i = 0; i < s->n_flights; i++) {
        if (s->flights[i].entry == entry) {
            s->flights[i] = s->flights[--s->n_flights];
            return;
        }
    }
}

static bool add_flight(struct sosia_session *s, const struct delivery_frame *f)
{
    void *list = heap_grow(s->flights, s->n_flights, &s->cap_flights, sizeof *s->flights);
    if (!list)
        return false;
    s->flights = list;
    s->flights[s->n_flights++] = (struct session_flight){f->entry, f->attempt};
    return true;
}

/* With one reference. NULL without memory. */
static struct session_text *text_new(const char *text)
{
    size_t len = strlen(text);
    struct session_text *t = malloc(sizeof *t + len + 1);
    if (!t)
        return NULL;
    *t = (struct session_text){.refs = 1, .len = len};
    memcpy(t->text, text, len + 1);
    return t;
}

static void text_unref(struct session_text *t)
{
    if (t && --t->refs == 0)
        free(t);
}

/* The text gets one more reference. NULL without memory. */
static struct outgoing *put_text(struct sessions *ss, struct sosia_session *to, uint64_t ticket,
                                 struct session_text *text)
{
    struct outgoing *o = malloc(sizeof *o);
    if (!o)
        return NULL;
    *o = (struct outgoing){.to = to, .ticket = ticket, .text = text};
    text->refs++;
    *ss->out_end = o;
    ss->out_end = &o->next;
    to->refs++;
    return o;
}

bool session_put_out(struct sessions *ss, struct sosia_session *to, uint64_t ticket,
                     const struct delivery_frame *f, int close_code, const char *text)
{
    struct session_text *t = text_new(text);
    struct outgoing *o = t ? put_text(ss, to, ticket, t) : NULL;
    text_unref(t);
    if (!o)
        return false;
    o->close_code = close_code;
    if (f) {
        o->entry = f->entry;
        o->attempt = f->attempt;
    }
    to->ending |= close_code != 0;
    return true;
}

static void give_frame(struct outgoing *o, bool kept)
{
    struct sosia_session *s = o->to;
    if (!kept)
        session_forget_flight(s, o->entry); /* there is no such entry */
    else if (s->listed && !s->left && o->close_code)
        s->calls.close(s->arg, o->close_code, o->text->text);
    else if (s->listed && !s->left)
        s->calls.send(s->arg, o->text->text, o->text->len);
    unref(s);
    text_unref(o->text);
    free(o);
}

/* ---- to the connections ---- */

static void frame_on_disk(void *arg, int rc)
{
    struct sosia_engine *e = arg;
    struct sessions *ss = e->sessions;
    int state;
    (void)rc;
    pthread_mutex_lock(&ss->lock);
    while (ss->out && (state = e->durable ? e->keeper->state(e->durable, ss->out->ticket) : 1)) {
        struct outgoing *o = ss->out;
        ss->out = o->next;
        if (!ss->out)
            ss->out_end = &ss->out;
        give_frame(o, state > 0);
    }
    pthread_mutex_unlock(&ss->lock);
}

void session_flush(struct sosia_engine *e, uint64_t ticket)
{
    if (e->durable && ticket)
        e->keeper->notify(e->durable, ticket, frame_on_disk, e);
    else
        frame_on_disk(e, 0);
}

/* The session that a frame goes to: of the open ones with its key the one with the fewest frames
 * not acknowledged, in turns. NULL: there is none, or the attempt is under way. */
static struct sosia_session *choose(struct sessions *ss, uint64_t world,
                                    const struct delivery_frame *f)
{
    struct sosia_session *best = NULL;
    for (struct sosia_session *s = ss->buckets[session_bucket(world)]; s; s = s->next) {
        if (!session_is_of(s, world, f->key))
            continue;
        for (size_t i = 0; i < s->n_flights; i++)
            if (s->flights[i].entry == f->entry && s->flights[i].attempt == f->attempt)
                return NULL;
        if (s->opened && !s->ending && f->entry > s->floor &&
            (!best || s->n_flights < best->n_flights ||
             (s->n_flights == best->n_flights && s->last_given < best->last_given)))
            best = s;
    }
    return best;
}

static void give(struct sessions *ss, uint64_t world, uint64_t ticket,
                 const struct delivery_frame *f)
{
    pthread_mutex_lock(&ss->lock);
    struct sosia_session *to = choose(ss, world, f);
    if (to && add_flight(to, f)) {
        for (struct sosia_session *s = ss->buckets[session_bucket(world)]; s; s = s->next)
            if (s != to && session_is_of(s, world, f->key))
                session_forget_flight(s, f->entry); /* an attempt before this one */
        if (session_put_out(ss, to, ticket, f, 0, f->text))
            to->last_given = ++ss->n_given;
        else
            to->n_flights--;
    }
    pthread_mutex_unlock(&ss->lock);
}

void session_pump(struct sosia_engine *e, struct world *w, const char *key, int64_t first,
                  int64_t last)
{
    struct sosia_err err;
    struct delivery_frame *frames = NULL;
    struct tx tx;
    struct worker *k = worker_take(e, &err);
    if (!k)
        return;
    if (tx_begin(&tx, e, w, k, false, world_now(w), &err) == 0) {
        if (delivery_frames(&tx, key, first, last, &frames) == 0)
            for (struct delivery_frame *f = frames; f; f = f->next)
                if (f->text && !arena_failed(tx.arena))
                    give(e->sessions, w->id, w->ticket, f);
        tx_rollback(&tx);
    }
    worker_drop(k);
    if (frames)
        session_flush(e, w->ticket);
}

static void on_news(struct sosia_engine *e, struct world *w, int64_t first, int64_t last)
{
    if (atomic_load_explicit(&e->sessions->n[session_bucket(w->id)], memory_order_relaxed))
        session_pump(e, w, NULL, first, last);
}

/* ---- to many at once ---- */

int session_announce(struct tx *tx, const int64_t *numbers, size_t n, const char *text)
{
    struct announcement *a = arena_alloc(tx->arena, sizeof *a);
    *a = (struct announcement){.text = text, .numbers = numbers, .n = n};
    if (arena_failed(tx->arena))
        return sosia_fail_memory(tx->err);
    if (tx->last_announced)
        tx->last_announced->next = a;
    else
        tx->announced = a;
    tx->last_announced = a;
    return 0;
}

static bool is_announced_to(const struct announcement *a, int64_t number)
{
    size_t low = 0, high = a->n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (a->numbers[middle] == number)
            return true;
        if (a->numbers[middle] < number)
            low = middle + 1;
        else
            high = middle;
    }
    return false;
}

/* Who does not get it for want of memory has missed it, as one who is not connected. */
static void announce(struct sessions *ss, const struct world *w, const struct announcement *a)
{
    struct session_text *t = text_new(a->text);
    for (struct sosia_session *s = ss->buckets[session_bucket(w->id)]; t && s; s = s->next)
        if (s->world == w->id && s->opened && !s->ending && is_announced_to(a, s->number))
            put_text(ss, s, w->ticket, t);
    text_unref(t);
}

static void on_announced(struct sosia_engine *e, struct world *w, const struct announcement *list)
{
    struct sessions *ss = e->sessions;
    if (!atomic_load_explicit(&ss->n[session_bucket(w->id)], memory_order_relaxed))
        return;
    pthread_mutex_lock(&ss->lock);
    for (const struct announcement *a = list; a; a = a->next)
        announce(ss, w, a);
    pthread_mutex_unlock(&ss->lock);
    session_flush(e, w->ticket);
}

uint64_t session_world(const struct sosia_session *s)
{
    return s->world;
}

size_t session_count_open(struct sessions *ss, uint64_t world, const char *key)
{
    size_t n = 0;
    for (const struct sosia_session *s = ss->buckets[session_bucket(world)]; s; s = s->next)
        n += session_is_of(s, world, key) && !s->ending;
    return n;
}

size_t session_count(struct sosia_engine *e, uint64_t world, const char *key)
{
    pthread_mutex_lock(&e->sessions->lock);
    size_t n = session_count_open(e->sessions, world, key);
    pthread_mutex_unlock(&e->sessions->lock);
    return n;
}

uint64_t sosia_session_total(struct sosia_engine *e)
{
    if (!handle_is_out(HANDLE_ENGINE, e))
        return 0;
    uint64_t n = 0;
    for (unsigned i = 0; e->sessions && i < SESSION_BUCKETS; i++)
        n += atomic_load_explicit(&e->sessions->n[i], memory_order_relaxed);
    return n;
}

/* ---- the handshake ---- */

int session_required(struct call *c)
{
    return call_fail(c, SOSIA_E_INVALID, "upgradeRequired", "Upgrade",
                     "the request must be the handshake of a WebSocket, not a plain one");
}

/* The first of the client's subprotocols that the row has. */
static void agree_on_protocol(struct call *c)
{
    const char *given = call_request_header(c, "Sec-WebSocket-Protocol");
    while (given && *given) {
        given += strspn(given, ", \t");
        size_t n = strcspn(given, ", \t");
        for (const char *const *p = c->route->upgrade->protocols; p && *p; p++) {
            if (n && strlen(*p) == n && memcmp(*p, given, n) == 0) {
                call_header_const(c, "Sec-WebSocket-Protocol", *p);
                return;
            }
        }
        given += n;
    }
}

int call_upgrade(struct call *c, const char *key, int64_t ref)
{
    struct session_offer *o = c->offer;
    if (!c->route->upgrade || !c->tx.write)
        return call_fail(c, SOSIA_E_INTERNAL, NULL, NULL, "the method opens no sessions");
    if (tx_number(&c->tx, "session", &o->number) < 0)
        return -1;
    agree_on_protocol(c);
    o->key = arena_strdup(c->tx.arena, key);
    o->ref = ref;
    c->status = 101;
    return 0;
}

int session_begin(struct call *c)
{
    struct session_offer *o = c->offer;
    struct sosia_engine *e = c->tx.engine;
    struct sessions *ss = e->sessions;
    int64_t floor;
    if (delivery_floor(&c->tx, &floor) < 0)
        return -1;
    char *key = strdup(o->key);
    struct sosia_session *s = key ? handle_new(HANDLE_SESSION, sizeof *s) : NULL;
    if (!s) {
        free(key);
        return sosia_fail_memory(c->tx.err);
    }
    s->key = key;
    s->floor = floor;
    s->engine = e;
    s->route = c->route;
    s->world = c->tx.world->id;
    s->number = o->number;
    s->ref = o->ref;
    s->actor = c->tx.actor;
    s->app = c->tx.app;
    s->calls = *o->calls;
    s->arg = o->arg;
    s->refs = 1;
    s->listed = true;
    pthread_mutex_lock(&ss->lock);
    s->next = ss->buckets[session_bucket(s->world)];
    ss->buckets[session_bucket(s->world)] = s;
    atomic_fetch_add(&ss->n[session_bucket(s->world)], 1);
    pthread_mutex_unlock(&ss->lock);
    o->session = s;
    return 0;
}

int sosia_session_open(struct sosia_engine *engine, uint64_t world,
                       const struct sosia_request *request, const struct sosia_session_calls *calls,
                       void *arg, struct sosia_session **ret_session,
                       struct sosia_response **ret_response, struct sosia_err *err)
{
    struct sosia_request space;
    if (handle_check(HANDLE_ENGINE, engine, err) < 0 ||
        !(request = request_take(request, &space, err)) || taken_pointer(calls, "calls", err) < 0 ||
        taken_pointer(ret_session, "ret_session", err) < 0 ||
        taken_pointer(ret_response, "ret_response", err) < 0)
        return -1;
    struct sosia_session_calls taken;
    if (TAKEN(sosia_session_calls, &taken, calls, err) < 0 ||
        taken_pointer((const void *)(uintptr_t)taken.send, "calls->send", err) < 0 ||
        taken_pointer((const void *)(uintptr_t)taken.close, "calls->close", err) < 0)
        return -1;
    struct session_offer offer = {.calls = &taken, .arg = arg};
    struct sosia_err turn_err = {0};
    struct served served;
    struct sosia_response *r = call_handshake(engine, world, request, &offer, &served, err);
    if (served.suspended)
        r = suspend_wait(engine, request, NULL, &served, err);
    if (!r || engine_sync(engine, served.ticket, err) < 0) {
        sosia_response_free(r);
        sosia_session_close(offer.session, 1006);
        return -1;
    }
    if (offer.session) {
        struct session_happening h = {.session = offer.session, .kind = TURN_OPENED};
        if (session_take_turn(&h, &turn_err) < 0)
            session_fail(offer.session, &turn_err);
    }
    *ret_session = offer.session;
    *ret_response = r;
    return 0;
}

/* ---- afterwards ---- */

int sosia_session_frame(struct sosia_session *s, const char *data, size_t len, bool binary,
                        struct sosia_err *err)
{
    struct sosia_err local_err = {0};
    struct session_happening h = {
        .session = s, .kind = TURN_FRAME, .data = data, .len = len, .binary = binary};
    if (!err)
        err = &local_err;
    if (handle_check(HANDLE_SESSION, s, err) < 0)
        return -1;
    int rc = session_take_turn(&h, err);
    session_give_answers(&h);
    if (rc == 0)
        return 0;
    session_fail(s, err);
    return -1;
}

size_t sosia_session_max_frame(const struct sosia_session *s)
{
    if (!handle_is_out(HANDLE_SESSION, s))
        return 0;
    size_t max = s->route->upgrade->max_frame;
    return max ? max : SESSION_MAX_FRAME;
}

int sosia_session_close(struct sosia_session *s, int code)
{
    if (!s)
        return 0;
    if (handle_end(HANDLE_SESSION, s) < 0)
        return -1;
    struct sessions *ss = s->engine->sessions;
    struct session_happening h = {.session = s, .kind = TURN_CLOSED, .code = code};
    struct sosia_err err;
    /* It has what it was given until its end is in the world: nobody else gets that before. */
    pthread_mutex_lock(&ss->lock);
    s->ending = s->left = true;
    bool ended = s->ended;
    pthread_mutex_unlock(&ss->lock);
    if (!ended && session_take_turn(&h, &err) < 0) {
        h.mute = true; /* what the row does failed: what is lost is lost all the same */
        session_take_turn(&h, &err);
    }
    pthread_mutex_lock(&ss->lock);
    session_unlist(ss, s);
    unref(s);
    pthread_mutex_unlock(&ss->lock);
    return 0;
}

/* The world has gone back to what it was, or is dropped. */
static void on_end(struct sosia_engine *e, uint64_t world, const char *why)
{
    struct sessions *ss = e->sessions;
    unsigned b = session_bucket(world);
    parts_end_world(e, world);
    if (!ss || !atomic_load_explicit(&ss->n[b], memory_order_relaxed))
        return;
    pthread_mutex_lock(&ss->lock);
    for (struct sosia_session *s = ss->buckets[b], *next; s; s = next) {
        next = s->next;
        if (s->world != world)
            continue;
        session_unlist(ss, s);
        s->ended = true;
        if (!s->left)
            s->calls.close(s->arg, CLOSE_RESTART, why);
    }
    pthread_mutex_unlock(&ss->lock);
}

/* ---- clocks ---- */

static int by_number(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* The worlds of a bucket's sessions, by their ids; some may be there more than once. *ret NULL:
 * there are none, or no memory for them. free() */
static size_t list_worlds(struct sessions *ss, unsigned bucket, uint64_t **ret)
{
    size_t n = 0;
    pthread_mutex_lock(&ss->lock);
    size_t max = atomic_load_explicit(&ss->n[bucket], memory_order_relaxed);
    *ret = max ? malloc(max * sizeof **ret) : NULL;
    for (struct sosia_session *s = ss->buckets[bucket]; *ret && s && n < max; s = s->next)
        (*ret)[n++] = s->world;
    pthread_mutex_unlock(&ss->lock);
    if (n)
        qsort(*ret, n, sizeof **ret, by_number);
    return n;
}

void sessions_wake(struct sosia_engine *e)
{
    for (unsigned b = 0; e->sessions && b < SESSION_BUCKETS; b++) {
        if (!atomic_load_explicit(&e->sessions->n[b], memory_order_relaxed))
            continue;
        uint64_t *worlds;
        size_t n = list_worlds(e->sessions, b, &worlds);
        for (size_t i = 0; i < n; i++)
            if ((!i || worlds[i] != worlds[i - 1]) && world_is_due(e, worlds[i]))
                sosia_world_wake(e, worlds[i], NULL);
        free(worlds);
    }
}

/* ---- life ---- */

int sessions_open(struct sosia_engine *e, struct sosia_err *err)
{
    struct sessions *ss = calloc(1, sizeof *ss);
    e->on_session_news = on_news;
    e->on_announced = on_announced;
    e->on_sessions_end = on_end;
    e->on_calls_end = suspend_end;
    if (!ss)
        return sosia_fail_memory(err);
    pthread_mutex_init(&ss->lock, NULL);
    ss->out_end = &ss->out;
    e->sessions = ss;
    return 0;
}

void sessions_close(struct sosia_engine *e)
{
    struct sessions *ss = e->sessions;
    if (!ss)
        return;
    while (ss->out) {
        struct outgoing *o = ss->out;
        ss->out = o->next;
        unref(o->to);
        text_unref(o->text);
        free(o);
    }
    pthread_mutex_destroy(&ss->lock);
    free(ss);
    e->sessions = NULL;
}
