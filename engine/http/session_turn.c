/* SPDX-License-Identifier: Apache-2.0 */
/* Changes of a session: each is a function of its row, in a transaction of its world. */
#include "engine/http/session_impl.h"
#include "engine/http/entry.h"
#include "engine/http/suspend.h"
#include "engine/send/delivery.h"
#include "engine/world/engine.h"
#include "engine/world/event.h"
#include "engine/journal/journal.h"
#include <stdio.h>
#include <stdlib.h>

enum { CLOSE_POLICY = 1008, CLOSE_INTERNAL = 1011 };

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
    size_t n = strnlen(text, SESSION_MAX_REASON + 1);
    if (n <= SESSION_MAX_REASON)
        return (int)n;
    for (n = SESSION_MAX_REASON; n && ((unsigned char)text[n] & 0xc0) == 0x80;)
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

static int row_function(struct session_happening *h)
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
    struct session_happening *h = arg;
    struct sosia_session *s = h->session;
    struct sessions *ss = s->engine->sessions;
    pthread_mutex_lock(&ss->lock);
    if (h->kind == TURN_CLOSED && !h->n_open) {
        h->lost = (const void *)arena_memdup(tx->arena, (const char *)s->flights,
                                             s->n_flights * sizeof *s->flights);
        h->n_lost = arena_failed(tx->arena) ? 0 : s->n_flights;
    }
    bool over = !h->n_open && (s->ended || (h->kind != TURN_CLOSED && (!s->listed || s->ending)));
    size_t n_open = h->n_open ? *h->n_open : session_count_open(ss, s->world, s->key);
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
    const struct session_happening *h = arg;
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

/* Without memory the call is answered when its entry is read. */
static void keep_answers(struct session_happening *h, uint64_t era)
{
    struct sosia_engine *e = h->session->engine;
    pthread_mutex_lock(&e->suspended_lock);
    bool any = e->suspended != NULL;
    pthread_mutex_unlock(&e->suspended_lock);
    for (struct session_acknowledged *a = h->turn.acknowledged; a && any; a = a->next) {
        struct session_kept_answer *k = malloc(sizeof *k + a->len + 1);
        if (!k)
            return;
        *k = (struct session_kept_answer){
            .next = h->answers, .era = era, .entry = a->entry, .len = a->len};
        memcpy(k->body, a->body, a->len);
        k->body[a->len] = 0;
        h->answers = k;
    }
}

void session_give_answers(struct session_happening *h)
{
    while (h->answers) {
        struct session_kept_answer *k = h->answers;
        const struct sosia_outcome outcome = {.status = 200, .body = k->body, .body_len = k->len};
        h->answers = k->next;
        suspend_acknowledged(h->session->engine, h->session->world, k->era, k->entry, &outcome);
        free(k);
    }
}

static void after(struct tx *tx, void *arg)
{
    struct session_happening *h = arg;
    struct sosia_session *s = h->session;
    struct sessions *ss = s->engine->sessions;
    static const struct sosia_err no_memory = {.code = SOSIA_E_NO_MEMORY, .text = "out of memory"};
    uint64_t ticket = tx->world->ticket;
    bool sent = true;
    pthread_mutex_lock(&ss->lock);
    for (const struct session_out *o = h->turn.out; o && sent; o = o->next)
        sent = session_put_out(ss, s, ticket, NULL, 0, o->text);
    for (struct session_acknowledged *a = h->turn.acknowledged; a; a = a->next)
        for (struct sosia_session *of = ss->buckets[session_bucket(s->world)]; of; of = of->next)
            if (session_is_of(of, s->world, s->key))
                session_forget_flight(of, a->entry);
    if (h->turn.close_code && sent)
        sent = session_put_out(ss, s, ticket, NULL, h->turn.close_code, h->turn.close_reason);
    s->opened |= h->kind == TURN_OPENED && sent;
    if (h->kind == TURN_CLOSED)
        session_unlist(ss, s);
    pthread_mutex_unlock(&ss->lock);
    if (!sent) /* a client that does not get all of it must not wait for it */
        session_fail(s, &no_memory);
    keep_answers(h, tx->world->era);
    if (h->turn.out || h->turn.close_code)
        session_flush(s->engine, ticket);
    if (h->kind == TURN_OPENED || h->n_lost)
        session_pump(s->engine, tx->world, s->key, s->floor + 1, INT64_MAX);
}

int session_take_turn(struct session_happening *h, struct sosia_err *err)
{
    static const struct turn turn = {.work = work, .note = note, .after = after};
    return world_turn(h->session->engine, h->session->world, &turn, h, err);
}

static int read_lost(struct session_happening *h, struct arena *a, const struct json *list)
{
    struct session_flight *all = arena_calloc(a, list->n / 2 + 1, sizeof *all);
    h->lost = all;
    for (uint32_t i = 0; !arena_failed(a) && i + 1 < list->n; i += 2) {
        struct session_flight *f = &all[h->n_lost++];
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
    size_t n_open = (size_t)json_get_int(entry, "open", 0);
    if (!key || !event || !route->upgrade)
        return sosia_fail(err, SOSIA_E_INVALID, "journal", NULL,
                          "a turn must name a session and what happened to it, does not");
    struct sosia_session *s = calloc(1, sizeof *s);
    if (!s)
        return sosia_fail_memory(err);
    s->key = key;
    s->engine = e;
    s->route = route;
    s->world = w->id;
    s->number = json_get_int(entry, "number", 0);
    s->ref = json_get_int(entry, "ref", 0);
    s->actor = json_get_int(entry, "actor", 0);
    s->app = json_get_int(entry, "app", 0);
    struct session_happening h = {.session = s,
                                  .kind = strcmp(event, "opened") == 0  ? TURN_OPENED
                                          : strcmp(event, "frame") == 0 ? TURN_FRAME
                                                                        : TURN_CLOSED,
                                  .data = data,
                                  .len = len,
                                  .binary = json_get_true(entry, "binary"),
                                  .mute = json_get_true(entry, "mute"),
                                  .code = (int)json_get_int(entry, "code", 0),
                                  .n_open = &n_open};
    int rc = lost && lost->type == JSON_ARRAY && read_lost(&h, a, lost) < 0
                 ? sosia_fail(err, SOSIA_E_INVALID, "journal", NULL,
                              "what a turn lost must be entries and attempts")
                 : world_turn_on(e, w, k, &turn, &h, err);
    free(s);
    return rc;
}

void session_fail(struct sosia_session *s, const struct sosia_err *err)
{
    struct sessions *ss = s->engine->sessions;
    int status = sosia_code_status(err->code);
    char reason[SESSION_MAX_REASON + 1];
    snprintf(reason, sizeof reason, "%.*s", reason_len(err->text), err->text);
    pthread_mutex_lock(&ss->lock);
    if (s->listed && !s->ending) {
        s->ending = true;
        s->calls.close(s->arg, status >= 400 && status < 500 ? CLOSE_POLICY : CLOSE_INTERNAL,
                       reason);
    }
    pthread_mutex_unlock(&ss->lock);
}
