/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who is open, what is on its way to whom.
 *
 * Order of locks: a world's, then that of the sessions. The callers' functions run under the
 * latter. Frames wait in one list for the disk, in the order of their changes: nobody sees what a
 * crash could take back.
 */
#include "engine/http/session.h"
#include "engine/base/utf8.h"
#include "engine/http/entry.h"
#include "engine/world/journal.h"
#include "engine/http/serve.h"
#include "engine/http/suspend.h"
#include "engine/world/delivery.h"
#include "engine/world/durable/durable.h"
#include "engine/world/engine.h"
#include "engine/world/event.h"
#include <stdio.h>
#include <stdlib.h>

#define BUCKETS    256
#define MAX_REASON 123 /* bytes of a close frame's (RFC 6455, 5.5) */

enum { CLOSE_POLICY = 1008, CLOSE_INTERNAL = 1011, CLOSE_RESTART = 1012 };

/* An attempt that went to a session and has no outcome. */
struct flight {
    int64_t entry, attempt;
};

struct sosia_session {
    struct sosia_session *next; /* in its bucket */
    struct sosia_engine *engine;
    const struct route *route;
    uint64_t world;
    int64_t number, ref, actor, app;
    int64_t floor; /* entries up to it are not the world's own to deliver */
    struct sosia_session_calls calls;
    void *arg;
    struct flight *flights;
    size_t n_flights, cap_flights;
    uint64_t last_given; /* when an entry went to it, by the count of all */
    bool listed;         /* in its bucket: its frames go out */
    bool ending;         /* gets no entries any more */
    bool ended;          /* its world has forgotten it */
    int refs;            /* its caller's, and one for each frame on its way */
    char key[];
};

/* A frame that waits for the disk. */
struct outgoing {
    struct outgoing *next;
    struct sosia_session *to;
    uint64_t ticket;
    int64_t entry, attempt; /* entry 0: none */
    int close_code;         /* 0: a frame */
    size_t len;
    char text[];
};

struct sessions {
    pthread_mutex_t lock;
    struct sosia_session *buckets[BUCKETS]; /* by world */
    _Atomic(uint32_t) n[BUCKETS];           /* how many are in each */
    struct outgoing *out, **out_end;
    uint64_t n_given;
};

static unsigned bucket_of(uint64_t world)
{
    return (unsigned)(world ^ world >> 24) % BUCKETS;
}

/* ---- under the lock ---- */

static bool is_of(const struct sosia_session *s, uint64_t world, const char *key)
{
    return s->world == world && strcmp(s->key, key) == 0;
}

static void unref(struct sosia_session *s)
{
    if (--s->refs)
        return;
    free(s->flights);
    free(s);
}

static void unlist(struct sessions *ss, struct sosia_session *s)
{
    struct sosia_session **at = &ss->buckets[bucket_of(s->world)];
    if (!s->listed)
        return;
    while (*at != s)
        at = &(*at)->next;
    *at = s->next;
    s->listed = false;
    atomic_fetch_sub(&ss->n[bucket_of(s->world)], 1);
}

static void forget_flight(struct sosia_session *s, int64_t entry)
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
    if (s->n_flights == s->cap_flights) {
        size_t cap = s->cap_flights ? 2 * s->cap_flights : 8;
        struct flight *p = realloc(s->flights, cap * sizeof *p);
        if (!p)
            return false;
        s->flights = p;
        s->cap_flights = cap;
    }
    s->flights[s->n_flights++] = (struct flight){f->entry, f->attempt};
    return true;
}

/* Puts it behind what is on its way. False without memory. */
static bool put_out(struct sessions *ss, struct sosia_session *to, uint64_t ticket,
                    const struct delivery_frame *f, int close_code, const char *text)
{
    size_t len = strlen(text);
    struct outgoing *o = malloc(sizeof *o + len + 1);
    if (!o)
        return false;
    *o = (struct outgoing){.to = to, .ticket = ticket, .close_code = close_code, .len = len};
    if (f) {
        o->entry = f->entry;
        o->attempt = f->attempt;
    }
    memcpy(o->text, text, len + 1);
    *ss->out_end = o;
    ss->out_end = &o->next;
    to->refs++;
    to->ending |= close_code != 0;
    return true;
}

static void give_frame(struct outgoing *o, bool kept)
{
    struct sosia_session *s = o->to;
    if (!kept)
        forget_flight(s, o->entry); /* there is no such entry */
    else if (s->listed && o->close_code)
        s->calls.close(s->arg, o->close_code, o->text);
    else if (s->listed)
        s->calls.send(s->arg, o->text, o->len);
    unref(s);
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
    while (ss->out && (state = e->durable ? durable_state(e->durable, ss->out->ticket) : 1)) {
        struct outgoing *o = ss->out;
        ss->out = o->next;
        if (!ss->out)
            ss->out_end = &ss->out;
        give_frame(o, state > 0);
    }
    pthread_mutex_unlock(&ss->lock);
}

/* What was put out goes, once the change with this ticket is on the disk. */
static void flush(struct sosia_engine *e, uint64_t ticket)
{
    if (e->durable && ticket)
        durable_notify(e->durable, ticket, frame_on_disk, e);
    else
        frame_on_disk(e, 0);
}

/* Which session a frame goes to: of those that are open with its key the one with the least that is
 * not acknowledged, each in its turn. NULL: there is none, or the attempt is under way. */
static struct sosia_session *choose(struct sessions *ss, uint64_t world,
                                    const struct delivery_frame *f)
{
    struct sosia_session *best = NULL;
    for (struct sosia_session *s = ss->buckets[bucket_of(world)]; s; s = s->next) {
        if (!is_of(s, world, f->key))
            continue;
        for (size_t i = 0; i < s->n_flights; i++)
            if (s->flights[i].entry == f->entry && s->flights[i].attempt == f->attempt)
                return NULL;
        if (!s->ending && f->entry > s->floor &&
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
        for (struct sosia_session *s = ss->buckets[bucket_of(world)]; s; s = s->next)
            if (s != to && is_of(s, world, f->key))
                forget_flight(s, f->entry); /* an attempt before this one */
        if (put_out(ss, to, ticket, f, 0, f->text))
            to->last_given = ++ss->n_given;
        else
            to->n_flights--;
    }
    pthread_mutex_unlock(&ss->lock);
}

/* Entries first to last of a locked world, which is not in a transaction: each that is to be sent
 * goes to a session, if one is open. Without memory they stay for the next occasion. */
static void pump(struct sosia_engine *e, struct world *w, const char *key, int64_t first,
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
        flush(e, w->ticket);
}

static void on_news(struct sosia_engine *e, struct world *w, int64_t first, int64_t last)
{
    if (atomic_load_explicit(&e->sessions->n[bucket_of(w->id)], memory_order_relaxed))
        pump(e, w, NULL, first, last);
}

/* ---- turns ---- */

struct session_out {
    struct session_out *next;
    const char *text;
};

struct session_acknowledged {
    struct session_acknowledged *next;
    int64_t entry;
    const char *body;
    size_t len;
};

/* A call may wait for what was acknowledged: kept until the turn is over. */
struct kept_answer {
    struct kept_answer *next;
    int64_t entry;
    size_t len;
    char body[];
};

enum turn_kind { TURN_OPENED, TURN_FRAME, TURN_CLOSED };

struct happening {
    struct session_turn turn; /* first */
    struct sosia_session *session;
    enum turn_kind kind;
    const char *data; /* of a frame */
    size_t len;
    bool binary, mute; /* mute: the row's function is not called */
    int code;          /* of a close */
    struct flight *lost;
    size_t n_lost;
    struct kept_answer *answers;
    const size_t *n_open; /* it runs again, with so many open then; NULL: it does not */
};

void session_send(struct session_turn *t, const char *text)
{
    struct session_out *o = arena_alloc(t->tx->arena, sizeof *o);
    *o = (struct session_out){.text = arena_strdup(t->tx->arena, text)};
    *t->out_end = o;
    t->out_end = &o->next;
}

/* What of a text fits into a close frame, in whole characters. */
static int reason_len(const char *text)
{
    size_t n = strnlen(text, MAX_REASON + 1);
    if (n <= MAX_REASON)
        return (int)n;
    for (n = MAX_REASON; n && ((unsigned char)text[n] & 0xc0) == 0x80;)
        n--;
    return (int)n;
}

void session_end(struct session_turn *t, int code, const char *reason)
{
    t->close_code = code;
    t->close_reason = arena_printf(t->tx->arena, "%.*s", reason_len(reason), reason);
}

int session_acknowledge(struct session_turn *t, int64_t entry, const char *body, size_t len)
{
    const struct sosia_outcome outcome = {.status = 200, .body = body ? body : "", .body_len = len};
    int r = delivery_acknowledged(t->tx, t->key, entry, &outcome);
    if (r == 1) {
        struct session_acknowledged *a = arena_alloc(t->tx->arena, sizeof *a);
        *a = (struct session_acknowledged){
            .next = t->acknowledged, .entry = entry, .body = outcome.body, .len = outcome.body_len};
        t->acknowledged = a;
    }
    return r;
}

static size_t count(struct sessions *ss, uint64_t world, const char *key)
{
    size_t n = 0;
    for (const struct sosia_session *s = ss->buckets[bucket_of(world)]; s; s = s->next)
        n += is_of(s, world, key) && !s->ending;
    return n;
}

size_t session_count(struct sosia_engine *e, uint64_t world, const char *key)
{
    pthread_mutex_lock(&e->sessions->lock);
    size_t n = count(e->sessions, world, key);
    pthread_mutex_unlock(&e->sessions->lock);
    return n;
}

uint64_t sosia_session_total(struct sosia_engine *e)
{
    uint64_t n = 0;
    for (unsigned i = 0; e->sessions && i < BUCKETS; i++)
        n += atomic_load_explicit(&e->sessions->n[i], memory_order_relaxed);
    return n;
}

static int row_function(struct happening *h)
{
    const struct upgrade *u = h->session->route->upgrade;
    struct session_turn *t = &h->turn;
    if (h->mute)
        return 0;
    switch (h->kind) {
    case TURN_OPENED:
        return u->opened ? u->opened(t) : 0;
    case TURN_FRAME:
        return u->frame ? u->frame(t, h->data, h->len, h->binary) : 0;
    case TURN_CLOSED:
        break;
    }
    return u->closed ? u->closed(t, h->code) : 0;
}

static int work(struct tx *tx, void *arg)
{
    struct happening *h = arg;
    struct sosia_session *s = h->session;
    struct sessions *ss = s->engine->sessions;
    pthread_mutex_lock(&ss->lock);
    bool over = !h->n_open && (s->ended || (h->kind != TURN_CLOSED && (!s->listed || s->ending)));
    size_t n_open = h->n_open ? *h->n_open : count(ss, s->world, s->key);
    pthread_mutex_unlock(&ss->lock);
    if (over)
        return tx_fail(tx, SOSIA_E_GONE, "sessionEnded", NULL, "the session has ended");
    if (h->kind != TURN_CLOSED && world_is_full(tx->engine, tx->world))
        return tx_fail(tx, SOSIA_E_FULL, NULL, NULL, "the world's storage is full");
    tx->actor = s->actor;
    tx->app = s->app;
    h->turn = (struct session_turn){
        .tx = tx, .key = s->key, .number = s->number, .ref = s->ref, .n_open = n_open};
    h->turn.out_end = &h->turn.out;
    for (size_t i = 0; i < h->n_lost; i++)
        if (delivery_lost(tx, h->lost[i].entry, h->lost[i].attempt, "the connection ended") < 0)
            return -1;
    if (row_function(h) < 0 || events_deliver(tx) < 0)
        return -1;
    return arena_failed(tx->arena) ? sosia_fail_memory(tx->err) : 0;
}

static void note(struct tx *tx, struct json_writer *w, void *arg)
{
    static const char *const names[] = {"opened", "frame", "closed"};
    const struct happening *h = arg;
    const struct sosia_session *s = h->session;
    bool secret = s->route->secret;
    (void)tx;
    json_str(w, "method", s->route->id);
    json_obj(w, "session");
    json_int(w, "number", s->number);
    json_str(w, "key", s->key);
    json_str(w, "event", names[h->kind]);
    json_int(w, "ref", s->ref);
    json_int(w, "actor", s->actor);
    json_int(w, "app", s->app);
    json_int(w, "open", (int64_t)h->turn.n_open);
    json_bool_opt(w, "mute", h->mute);
    json_bool_opt(w, "binary", h->binary);
    if (h->n_lost) {
        json_arr(w, "lost");
        for (size_t i = 0; i < h->n_lost; i++) {
            json_int(w, NULL, h->lost[i].entry);
            json_int(w, NULL, h->lost[i].attempt);
        }
        json_end(w);
    }
    if (h->kind == TURN_FRAME)
        journal_body(w, "frame", h->data, h->len, secret, world_journal_keep(tx->world));
    if (h->kind == TURN_CLOSED)
        json_int(w, "code", h->code);
    json_end(w);
    if (h->turn.out) {
        json_arr(w, "sent");
        for (const struct session_out *o = h->turn.out; o; o = o->next)
            journal_body(w, NULL, o->text, strlen(o->text), secret, world_journal_keep(tx->world));
        json_end(w);
    }
    if (h->turn.close_code)
        json_int(w, "close", h->turn.close_code);
}

/* Without memory the call is answered when its entry is looked at. */
static void keep_answers(struct happening *h)
{
    struct sosia_engine *e = h->session->engine;
    pthread_mutex_lock(&e->suspended_lock);
    bool any = e->suspended != NULL;
    pthread_mutex_unlock(&e->suspended_lock);
    for (struct session_acknowledged *a = h->turn.acknowledged; a && any; a = a->next) {
        struct kept_answer *k = malloc(sizeof *k + a->len + 1);
        if (!k)
            return;
        *k = (struct kept_answer){.next = h->answers, .entry = a->entry, .len = a->len};
        memcpy(k->body, a->body, a->len);
        k->body[a->len] = 0;
        h->answers = k;
    }
}

static void give_answers(struct happening *h)
{
    while (h->answers) {
        struct kept_answer *k = h->answers;
        const struct sosia_outcome outcome = {.status = 200, .body = k->body, .body_len = k->len};
        h->answers = k->next;
        suspend_acknowledged(h->session->engine, h->session->world, k->entry, &outcome);
        free(k);
    }
}

static void after(struct tx *tx, void *arg)
{
    struct happening *h = arg;
    struct sosia_session *s = h->session;
    struct sessions *ss = s->engine->sessions;
    uint64_t ticket = tx->world->ticket;
    bool sent = true;
    pthread_mutex_lock(&ss->lock);
    for (const struct session_out *o = h->turn.out; o && sent; o = o->next)
        sent = put_out(ss, s, ticket, NULL, 0, o->text);
    for (struct session_acknowledged *a = h->turn.acknowledged; a; a = a->next)
        for (struct sosia_session *of = ss->buckets[bucket_of(s->world)]; of; of = of->next)
            if (is_of(of, s->world, s->key))
                forget_flight(of, a->entry);
    if (h->turn.close_code)
        put_out(ss, s, ticket, NULL, h->turn.close_code, h->turn.close_reason);
    pthread_mutex_unlock(&ss->lock);
    keep_answers(h);
    if (h->turn.out || h->turn.close_code)
        flush(s->engine, ticket);
    if (h->kind == TURN_OPENED || h->n_lost)
        pump(s->engine, tx->world, s->key, s->floor + 1, INT64_MAX);
}

static int take_turn(struct happening *h, struct sosia_err *err)
{
    static const struct turn turn = {.work = work, .note = note, .after = after};
    return world_turn(h->session->engine, h->session->world, &turn, h, err);
}

static int64_t number_of(const struct json *v, const char *name)
{
    int64_t n = 0;
    json_i64(json_get(v, name), &n);
    return n;
}

static bool truth_of(const struct json *v, const char *name)
{
    const struct json *m = json_get(v, name);
    return m && m->type == JSON_BOOL && m->truth;
}

static int read_lost(struct happening *h, struct arena *a, const struct json *list)
{
    h->lost = arena_calloc(a, list->n / 2 + 1, sizeof *h->lost);
    for (uint32_t i = 0; !arena_failed(a) && i + 1 < list->n; i += 2) {
        struct flight *f = &h->lost[h->n_lost++];
        if (json_i64(&list->items[i], &f->entry) < 0 ||
            json_i64(&list->items[i + 1], &f->attempt) < 0)
            return -1;
    }
    return arena_failed(a) ? -1 : 0;
}

int session_turn_on(struct sosia_engine *e, struct world *w, struct worker *k, struct arena *a,
                    const struct route *route, const struct json *entry, const char *data,
                    size_t len, struct sosia_err *err)
{
    static const struct turn turn = {.work = work, .note = note};
    const char *key = json_get_str(entry, "key"), *event = json_get_str(entry, "event");
    const struct json *lost = json_get(entry, "lost");
    size_t n_open = (size_t)number_of(entry, "open");
    if (!key || !event || !route->upgrade)
        return sosia_fail(err, SOSIA_E_INVALID, "journal", NULL, "the turn names no session");
    struct sosia_session *s = calloc(1, sizeof *s + strlen(key) + 1);
    if (!s)
        return sosia_fail_memory(err);
    memcpy(s->key, key, strlen(key) + 1);
    s->engine = e;
    s->route = route;
    s->world = w->id;
    s->number = number_of(entry, "number");
    s->ref = number_of(entry, "ref");
    s->actor = number_of(entry, "actor");
    s->app = number_of(entry, "app");
    struct happening h = {.session = s,
                          .kind = strcmp(event, "opened") == 0  ? TURN_OPENED
                                  : strcmp(event, "frame") == 0 ? TURN_FRAME
                                                                : TURN_CLOSED,
                          .data = data,
                          .len = len,
                          .binary = truth_of(entry, "binary"),
                          .mute = truth_of(entry, "mute"),
                          .code = (int)number_of(entry, "code"),
                          .n_open = &n_open};
    int rc = lost && lost->type == JSON_ARRAY && read_lost(&h, a, lost) < 0
                 ? sosia_fail(err, SOSIA_E_INVALID, "journal", NULL, "the turn is not whole")
                 : world_turn_on(e, w, k, &turn, &h, err);
    free(s);
    return rc;
}

/* A turn that failed ends its session. */
static void fail_session(struct sosia_session *s, const struct sosia_err *err)
{
    struct sessions *ss = s->engine->sessions;
    int status = sosia_code_status(err->code);
    char reason[MAX_REASON + 1];
    snprintf(reason, sizeof reason, "%.*s", reason_len(err->text), err->text);
    pthread_mutex_lock(&ss->lock);
    if (s->listed && !s->ending) {
        s->ending = true;
        s->calls.close(s->arg, status >= 400 && status < 500 ? CLOSE_POLICY : CLOSE_INTERNAL,
                       reason);
    }
    pthread_mutex_unlock(&ss->lock);
}

/* ---- the handshake ---- */

int session_required(struct call *c)
{
    return call_fail(c, SOSIA_E_INVALID, "upgradeRequired", "Upgrade",
                     "the request must be the handshake of a WebSocket, is a plain one");
}

/* The first of the client's subprotocols that the row speaks. */
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
    size_t key_size = strlen(o->key) + 1;
    struct sosia_session *s = calloc(1, sizeof *s + key_size);
    if (!s)
        return sosia_fail_memory(c->tx.err);
    if (delivery_floor(&c->tx, &s->floor) < 0) {
        free(s);
        return -1;
    }
    memcpy(s->key, o->key, key_size);
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
    s->next = ss->buckets[bucket_of(s->world)];
    ss->buckets[bucket_of(s->world)] = s;
    atomic_fetch_add(&ss->n[bucket_of(s->world)], 1);
    pthread_mutex_unlock(&ss->lock);
    o->session = s;
    return 0;
}

int sosia_session_open(struct sosia_engine *engine, uint64_t world,
                       const struct sosia_request *request, const struct sosia_session_calls *calls,
                       void *arg, struct sosia_session **ret_session,
                       struct sosia_response **ret_response, struct sosia_err *err)
{
    struct session_offer offer = {.calls = calls, .arg = arg};
    struct sosia_err turn_err = {0};
    struct served served;
    struct sosia_response *r = call_handshake(engine, world, request, &offer, &served, err);
    if (served.suspended)
        r = suspend_wait(engine, request, &served, err);
    if (!r || engine_sync(engine, served.ticket, err) < 0) {
        sosia_response_free(r);
        sosia_session_close(offer.session, 1006);
        return -1;
    }
    if (offer.session) {
        struct happening h = {.session = offer.session, .kind = TURN_OPENED};
        if (take_turn(&h, &turn_err) < 0)
            fail_session(offer.session, &turn_err);
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
    struct happening h = {
        .session = s, .kind = TURN_FRAME, .data = data, .len = len, .binary = binary};
    if (!err)
        err = &local_err;
    int rc = take_turn(&h, err);
    give_answers(&h);
    if (rc == 0)
        return 0;
    fail_session(s, err);
    return -1;
}

size_t sosia_session_max_frame(const struct sosia_session *s)
{
    size_t max = s->route->upgrade->max_frame;
    return max ? max : SESSION_MAX_FRAME;
}

void sosia_session_close(struct sosia_session *s, int code)
{
    if (!s)
        return;
    struct sessions *ss = s->engine->sessions;
    struct happening h = {.session = s, .kind = TURN_CLOSED, .code = code};
    struct sosia_err err;
    pthread_mutex_lock(&ss->lock);
    unlist(ss, s);
    bool ended = s->ended;
    struct flight *flights = s->flights;
    h.lost = flights;
    h.n_lost = s->n_flights;
    s->flights = NULL;
    s->n_flights = s->cap_flights = 0;
    pthread_mutex_unlock(&ss->lock);
    if (!ended && take_turn(&h, &err) < 0) {
        h.mute = true; /* what the row does failed: what is lost is lost all the same */
        take_turn(&h, &err);
    }
    free(flights);
    pthread_mutex_lock(&ss->lock);
    unref(s);
    pthread_mutex_unlock(&ss->lock);
}

/* The world has gone back to what it was, or is gone. */
static void on_end(struct sosia_engine *e, uint64_t world, const char *why)
{
    struct sessions *ss = e->sessions;
    unsigned b = bucket_of(world);
    parts_end_world(e, world);
    if (!ss || !atomic_load_explicit(&ss->n[b], memory_order_relaxed))
        return;
    pthread_mutex_lock(&ss->lock);
    for (struct sosia_session *s = ss->buckets[b], *next; s; s = next) {
        next = s->next;
        if (s->world != world)
            continue;
        unlist(ss, s);
        s->ended = true;
        s->calls.close(s->arg, CLOSE_RESTART, why);
    }
    pthread_mutex_unlock(&ss->lock);
}

/* ---- clocks ---- */

/* Some worlds in which sessions are open, each once. */
static size_t some_worlds(struct sessions *ss, unsigned bucket, uint64_t *ret, size_t max)
{
    size_t n = 0;
    pthread_mutex_lock(&ss->lock);
    for (struct sosia_session *s = ss->buckets[bucket]; s && n < max; s = s->next) {
        size_t i = 0;
        while (i < n && ret[i] != s->world)
            i++;
        if (i == n)
            ret[n++] = s->world;
    }
    pthread_mutex_unlock(&ss->lock);
    return n;
}

void sessions_wake(struct sosia_engine *e)
{
    uint64_t worlds[64];
    for (unsigned b = 0; e->sessions && b < BUCKETS; b++) {
        if (!atomic_load_explicit(&e->sessions->n[b], memory_order_relaxed))
            continue;
        size_t n = some_worlds(e->sessions, b, worlds, SOSIA_LEN(worlds));
        for (size_t i = 0; i < n; i++)
            if (world_is_due(e, worlds[i]))
                sosia_world_wake(e, worlds[i], NULL);
    }
}

/* ---- life ---- */

int sessions_open(struct sosia_engine *e, struct sosia_err *err)
{
    struct sessions *ss = calloc(1, sizeof *ss);
    e->on_session_news = on_news;
    e->on_sessions_end = on_end;
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
        free(o);
    }
    pthread_mutex_destroy(&ss->lock);
    free(ss);
    e->sessions = NULL;
}
