/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/http/suspend.h"
#include "engine/base/handle.h"
#include "engine/base/taken.h"
#include "engine/http/hold.h"
#include "engine/http/session.h"
#include "engine/send/delivery.h"
#include "engine/send/program.h"
#include "engine/world/engine.h"
#include <stdio.h>
#include <stdlib.h>

struct suspended {
    struct suspended *next;
    uint64_t world, era;
    int64_t entry;
    struct call_waiter waiter;
    struct sosia_request request;
    struct arena arena; /* of the request's copy */
};

/* ---- requests that outlive their callers ---- */

int suspend_park(struct call *c)
{
    struct sosia_engine *e = c->tx.engine;
    struct suspended *s = calloc(1, sizeof *s);
    if (!s)
        return sosia_fail_memory(c->tx.err);
    arena_init(&s->arena, 0);
    request_copy(&s->arena, c->request, &s->request);
    if (arena_failed(&s->arena)) {
        arena_done(&s->arena);
        free(s);
        return sosia_fail_memory(c->tx.err);
    }
    s->world = c->tx.world->id;
    s->era = c->tx.world->era;
    s->entry = c->suspended;
    s->waiter = *c->waiter;
    pthread_mutex_lock(&e->suspended_lock);
    s->next = e->suspended;
    e->suspended = s;
    pthread_mutex_unlock(&e->suspended_lock);
    return 0;
}

static struct suspended *unpark(struct sosia_engine *e, uint64_t world, uint64_t era, int64_t entry)
{
    struct suspended *found = NULL;
    pthread_mutex_lock(&e->suspended_lock);
    for (struct suspended **at = &e->suspended; *at; at = &(*at)->next) {
        if ((*at)->world == world && (*at)->era == era && (*at)->entry == entry) {
            found = *at;
            *at = found->next;
            break;
        }
    }
    pthread_mutex_unlock(&e->suspended_lock);
    return found;
}

static void suspended_free(struct suspended *s)
{
    arena_done(&s->arena);
    free(s);
}

void suspend_close(struct sosia_engine *e)
{
    while (e->suspended) {
        struct suspended *s = e->suspended;
        e->suspended = s->next;
        s->waiter.done(s->waiter.arg, NULL);
        suspended_free(s);
    }
}

/* The second half of a call that was parked; s is freed. One that waits for another delivery is
 * parked anew. */
static void resume(struct sosia_engine *engine, struct suspended *s,
                   const struct sosia_outcome *outcome, struct sosia_err *err)
{
    struct served served;
    struct sosia_response *r = call_resume(engine, s->world, s->era, &s->request, NULL, s->entry,
                                           outcome, &s->waiter, &served, err);
    if (!r && served.suspended) {
        suspended_free(s);
        return;
    }
    if (r && engine_sync(engine, served.ticket, err) < 0) {
        sosia_response_free(r);
        r = NULL;
    }
    s->waiter.done(s->waiter.arg, r);
    suspended_free(s);
}

int suspend_outcome(struct sosia_engine *engine, uint64_t world, uint64_t era, int64_t entry,
                    int64_t attempt, const struct sosia_outcome *outcome, int64_t *ret_again_us,
                    struct sosia_err *err)
{
    /* A call waits for one attempt. */
    struct suspended *s = attempt == 1 ? unpark(engine, world, era, entry) : NULL;
    if (!s)
        return delivery_take_outcome(engine, world, era, entry, attempt, outcome, ret_again_us,
                                     err);
    if (ret_again_us)
        *ret_again_us = 0;
    resume(engine, s, outcome, err);
    return 0;
}

/* The present era of a world; false: it is gone. */
static bool era_of(struct sosia_engine *e, uint64_t world, uint64_t *ret)
{
    struct world *w = world_take(e, world, NULL);
    if (!w)
        return false;
    *ret = w->era;
    world_drop(w);
    return true;
}

int sosia_delivery_outcome(struct sosia_engine *engine, uint64_t world, int64_t entry,
                           int64_t attempt, const struct sosia_outcome *outcome,
                           int64_t *ret_again_us, struct sosia_err *err)
{
    if (handle_check(HANDLE_ENGINE, engine, err) < 0 || taken_pointer(outcome, "outcome", err) < 0)
        return -1;
    struct sosia_outcome o;
    if (TAKEN(sosia_outcome, &o, outcome, err) < 0)
        return -1;
    uint64_t era = DELIVERY_ANY_ERA; /* which says why it is gone */
    (void)era_of(engine, world, &era);
    return suspend_outcome(engine, world, era, entry, attempt, &o, ret_again_us, err);
}

/* Takes one out of which nothing can become; the era of a world that is gone is none. */
static struct suspended *unpark_over(struct sosia_engine *e, uint64_t world, bool there,
                                     uint64_t era)
{
    struct suspended *found = NULL;
    pthread_mutex_lock(&e->suspended_lock);
    for (struct suspended **at = &e->suspended; *at && !found; at = &(*at)->next) {
        if ((*at)->world == world && (!there || (*at)->era != era)) {
            found = *at;
            *at = found->next;
            break;
        }
    }
    pthread_mutex_unlock(&e->suspended_lock);
    return found;
}

void suspend_end(struct sosia_engine *e, uint64_t world)
{
    static const struct sosia_outcome none = {.error = "the world went back", .reason = "unknown"};
    struct sosia_err err;
    struct suspended *s;
    uint64_t era = 0;
    pthread_mutex_lock(&e->suspended_lock);
    bool any = e->suspended != NULL;
    pthread_mutex_unlock(&e->suspended_lock);
    bool runs = program_busy(e, world), there = (any || runs) && era_of(e, world, &era);
    if (runs)
        program_stop(e, world, there ? era : PROGRAM_ANY_ERA);
    while (any && (s = unpark_over(e, world, there, era)))
        resume(e, s, &none, &err);
}

/* ---- frames ---- */

void suspend_acknowledged(struct sosia_engine *e, uint64_t world, uint64_t era, int64_t entry,
                          const struct sosia_outcome *outcome)
{
    struct sosia_err err;
    struct suspended *s = unpark(e, world, era, entry);
    if (s)
        resume(e, s, outcome, &err);
}

static bool is_parked(struct sosia_engine *e, uint64_t world, int64_t entry)
{
    bool found = false;
    pthread_mutex_lock(&e->suspended_lock);
    for (struct suspended *s = e->suspended; s && !found; s = s->next)
        found = s->world == world && s->entry == entry;
    pthread_mutex_unlock(&e->suspended_lock);
    return found;
}

struct news {
    int64_t entry;
    uint64_t era;
    char key[256];
    bool pending, given_up;
    int timeout_s;
};

static int read_news(struct tx *tx, struct json_writer *w, void *arg)
{
    struct news *n = arg;
    const char *key;
    json_raw(w, NULL, "null", 4);
    n->era = tx->world->era;
    int r = delivery_frame_state(tx, n->entry, &key, &n->pending, &n->given_up, &n->timeout_s);
    if (r == 1)
        snprintf(n->key, sizeof n->key, "%s", key);
    return r < 0 ? -1 : 0;
}

void suspend_late(struct sosia_engine *e, uint64_t world, uint64_t era, int64_t entry)
{
    static const struct sosia_outcome late = {.error = "it was not acknowledged in time",
                                              .reason = "timeout"};
    suspend_acknowledged(e, world, era, entry, &late);
}

int suspend_news(struct sosia_engine *e, uint64_t world, int64_t entry)
{
    static const struct sosia_outcome nobody = {.error = "no connection is open",
                                                .reason = "connect"};
    struct news n = {.entry = entry};
    struct sosia_blob blob;
    struct sosia_err err;
    if (!is_parked(e, world, entry) || world_read(e, world, false, read_news, &n, &blob, &err) < 0)
        return 0;
    sosia_blob_free(&blob);
    if (n.given_up)
        suspend_late(e, world, n.era, entry);
    else if (n.pending && !session_count(e, world, n.key))
        suspend_acknowledged(e, world, n.era, entry, &nobody);
    else
        return n.timeout_s;
    return 0;
}

/* The first entry of a range that a call waits for; 0: none does. */
static int64_t parked_in(struct sosia_engine *e, uint64_t world, int64_t first, int64_t last)
{
    int64_t found = 0;
    pthread_mutex_lock(&e->suspended_lock);
    for (struct suspended *s = e->suspended; s; s = s->next)
        if (s->world == world && s->entry >= first && s->entry <= last &&
            (!found || s->entry < found))
            found = s->entry;
    pthread_mutex_unlock(&e->suspended_lock);
    return found;
}

struct presence {
    int64_t entry;
    uint64_t era;
    bool there;
};

static int look_for(struct tx *tx, struct json_writer *w, void *arg)
{
    struct presence *p = arg;
    const struct delivery_kind *kind;
    int64_t ref;
    json_raw(w, NULL, "null", 4);
    int r = delivery_kind_of(tx, p->entry, &kind, &ref);
    p->era = tx->world->era;
    p->there = r > 0;
    return r < 0 ? -1 : 0;
}

void suspend_missing(struct sosia_engine *e, uint64_t world, int64_t first, int64_t last)
{
    static const struct sosia_outcome none = {.error = "it is not in the world",
                                              .reason = "unknown"};
    struct sosia_blob blob;
    struct sosia_err err;
    for (int64_t at = first - 1; at < last && (at = parked_in(e, world, at + 1, last));) {
        struct presence p = {.entry = at};
        if (world_read(e, world, false, look_for, &p, &blob, &err) < 0)
            continue;
        sosia_blob_free(&blob);
        if (!p.there)
            suspend_acknowledged(e, world, p.era, at, &none);
    }
}

int suspend_settle(struct call *c)
{
    int64_t program = program_suspended(c->resumed);
    return program ? program_end(&c->tx, c->era, program)
                   : delivery_end(&c->tx, c->era, c->resumed, c->outcome);
}

int suspend_complete(struct call *c)
{
    if (program_suspended(c->resumed))
        return c->route->handler(c);
    const struct delivery_kind *kind;
    int64_t ref;
    int r = delivery_kind_of(&c->tx, c->resumed, &kind, &ref);
    if (r < 0)
        return -1;
    if (!r || !kind->complete)
        return call_fail(c, SOSIA_E_INTERNAL, NULL, NULL, "no call waits for such a delivery");
    return kind->complete(c, ref, kind->judge(c->outcome), c->outcome);
}

/* ---- callers that wait ---- */

struct asking {
    int64_t entry;
    struct arena *arena;
    struct sosia_outcome outcome;
};

/* The entry as sosia_outbox_list() gives it, for the receiver's function. */
static int ask_receiver(struct sosia_engine *e, uint64_t world, int64_t entry,
                        struct sosia_outcome *ret, struct sosia_err *err)
{
    struct sosia_blob blob;
    struct sosia_outcome given = {0};
    if (sosia_outbox_list(e, world, entry - 1, 1, &blob, err) < 0)
        return -1;
    e->on_handshake(e->on_handshake_arg, world, entry, blob.data, blob.len, &given);
    sosia_blob_free(&blob);
    return TAKEN(sosia_outcome, ret, &given, err);
}

static int ask_setting(struct tx *tx, struct json_writer *w, void *arg)
{
    struct asking *a = arg;
    json_raw(w, NULL, "null", 4);
    if (delivery_imagine(tx, a->entry, &a->outcome) < 0)
        return -1;
    if (a->outcome.body)
        a->outcome.body = arena_memdup(a->arena, a->outcome.body, a->outcome.body_len);
    return 0;
}

struct sosia_response *suspend_wait(struct sosia_engine *e, const struct sosia_request *request,
                                    const struct call *outer, struct served *served,
                                    struct sosia_err *err)
{
    struct arena arena;
    struct sosia_response *r = NULL;
    const uint64_t world = served->world, era = served->era;
    int rc = 0;
    arena_init(&arena, 0);
    while (rc == 0 && !r && served->suspended) {
        struct asking a = {.entry = served->suspended, .arena = &arena};
        struct sosia_blob blob;
        void *turn = NULL;
        served->suspended = 0;
        if (program_suspended(a.entry))
            rc = program_perform(e, world, era, program_suspended(a.entry), &arena, &a.outcome,
                                 &turn, err);
        else if (e->on_handshake)
            rc = ask_receiver(e, world, a.entry, &a.outcome, err);
        else if ((rc = world_read(e, world, false, ask_setting, &a, &blob, err)) == 0)
            sosia_blob_free(&blob);
        if (rc == 0)
            r = call_resume(e, world, era, request, outer, a.entry, &a.outcome, NULL, served, err);
        program_finish(e, turn);
    }
    arena_done(&arena);
    return r;
}

int sosia_engine_on_handshake(struct sosia_engine *engine,
                              void (*fn)(void *arg, uint64_t world, int64_t entry, const char *json,
                                         size_t len, struct sosia_outcome *ret_outcome),
                              void *arg)
{
    if (!handle_is_out(HANDLE_ENGINE, engine))
        return -1;
    engine->on_handshake_arg = arg;
    engine->on_handshake = fn;
    return 0;
}
