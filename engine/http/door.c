/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The one door: every request to a world goes through serve() here. Order: the target and the
 * world, the row, the vendor's globals; then what attempt.c does in the world; the response.
 */
#include "engine/base/codec.h"
#include "engine/http/answer.h"
#include "engine/http/attempt.h"
#include "engine/http/entry.h"
#include "engine/http/hold.h"
#include "engine/http/own.h"
#include "engine/http/param.h"
#include "engine/api/router.h"
#include "engine/http/serve.h"
#include "engine/http/session.h"
#include "engine/http/stream.h"
#include "engine/http/suspend.h"
#include "engine/http/target.h"
#include "engine/world/engine.h"

/* Where the row takes no more than can be shown in one piece, the body is as if it were in memory.
 */
static int take_spool(struct call *c, struct sosia_request *whole)
{
    struct sosia_spool *s = whole->spool;
    if (spool_end(s, c->tx.err) < 0)
        return -1;
    c->content = (struct bytes){.len = spool_length(s), .spool = s};
    whole->body = NULL;
    whole->body_len = 0;
    if (route_body_max(c->route, c->upload) > BYTES_VIEW)
        return 0;
    if (spool_view(s, &whole->body, c->tx.err) < 0)
        return -1;
    whole->body_len = (size_t)c->content.len;
    c->content.data = whole->body;
    return 0;
}

/* How a request is served, beside the request. */
struct serving {
    const struct call *outer; /* of which it is a part; NULL: none */
    bool patient;             /* as call_serve() */
    bool waits;               /* its caller calls hold_wait() or whole_end() for it */
    const struct call_waiter *waiter;
    int64_t resumed; /* as call_resume() */
    uint64_t era;
    const struct sosia_outcome *outcome;
    struct session_offer *offer;
    const struct replayed *again;
    const char *draft_of; /* as struct known_request */
    bool poll;            /* the same */
};

/* The credential of a request, or what has its place where one runs again. */
static void find_credential(struct call *c)
{
    if (c->again && !c->again->credential)
        c->token = c->again->actor ? "-" : NULL;
    else if (c->front && c->front->credential)
        c->front->credential(c);
    else
        c->token = call_bearer(c);
}

/* What a request says of itself, before it is known in which world it is: its target and row, its
 * arguments and its credential. whole: the request of the call. */
static int look_at(struct call *c, const struct serving *how, struct sosia_request *whole,
                   struct target *t, struct match *m)
{
    bool odd_verb = verb_from_name(whole->method, &c->verb) < 0;
    if (target_split(c, t) < 0)
        return -1;
    if (t->key)
        world_soon(c->tx.engine, world_id_from_key(t->key, t->key_len));
    target_row(c, t, how->outer, m);
    if (odd_verb)
        c->route = NULL;
    if (whole->spool && take_spool(c, whole) < 0)
        return -1;
    if (arguments_read(c) < 0) { /* refused later, in the vendor's form */
        const char *why = c->tx.err->reason;
        c->bad_input = why && strcmp(why, "parseError") == 0 ? "parseError" : "encoding";
        c->n_items = 0;
    }
    find_credential(c);
    c->base_url = target_base_url(c, t);
    return 0;
}

/* A call that begins, with what it has of the one that it is a part of, or that runs again. */
static void call_begin(struct call *c, struct sosia_engine *e, struct worker *k,
                       const struct serving *how, const struct sosia_request *request)
{
    const struct call *outer = how->outer;
    const struct replayed *again = how->again;
    *c = (struct call){.tx = {.engine = e, .arena = &k->arena, .db = k->slot, .err = &k->err},
                       .request = request,
                       .content = {.len = (int64_t)request->body_len, .data = request->body},
                       .part = outer != NULL || (again && again->part),
                       .batch = outer ? outer->batch : again && again->batch,
                       .audience = outer ? outer->audience : NULL,
                       .tool = outer   ? outer->tool
                               : again ? again->tool
                                       : NULL,
                       .waiter = how->waiter,
                       .resumed = how->resumed,
                       .era = how->era,
                       .outcome = how->outcome,
                       .offer = how->offer,
                       .again = again,
                       .risk_most = outer   ? outer->risk_most
                                    : again ? again->risk_most
                                            : RISK_DESTRUCTIVE,
                       .worker = k,
                       .body_out = &k->out,
                       .base_url = request->base_url};
}

/* The world of a request, locked. NULL: there is none that it could have, or *ret_busy was set
 * where it is not NULL. */
static struct world *find_world(struct call *c, const struct serving *how, uint64_t world,
                                const struct target *t, bool *ret_busy)
{
    if (ret_busy && c->route &&
        (c->route->pace == PACE_SLOW || (c->route->outside && !c->route->brief))) {
        *ret_busy = true; /* programs, and many calls in one, take as long as they like */
        return NULL;
    }
    if (!how->again)
        return target_world(c, c->worker, world, t, ret_busy);
    lock_take(&how->again->world->lock);
    return how->again->world;
}

/* In its world, which is dropped. true: the world went back to an earlier state meanwhile. */
static bool serve_in(struct call *c, const struct serving *how, const struct match *m,
                     struct world *w, struct served *ret)
{
    if (c->route && c->route->outside) {
        c->hurried = !how->patient;
        attempt_outside(c, c->worker, m, w); /* drops the world before it works */
        ret->ticket = c->ticket;
        ret->busy = c->left;
        return false;
    }
    ret->world = w->id;
    ret->era = w->era;
    attempt_run(c, c->worker, m, w);
    attempt_judged(c);
    bool went_back = c->stopped && !how->again && w->era != ret->era;
    ret->ticket = w->ticket;
    world_drop(w);
    return went_back;
}

/* The worker is for other calls afterwards. answered: there is an answer. */
static void call_end(struct call *c, const struct serving *how, bool answered, struct served *ret)
{
    stream_close(c->stream);
    blob_reader_close(c->reader);
    attempt_release(c);
    if (how->waits && answered && hold_answered(c->suspended)) {
        /* What is asked of the worker from here on is asked of it. */
        ret->whole = whole_begin(c->tx.engine);
        stop_in_world(ret->world);
        ret->interrupted = stop_wanted();
    }
    worker_drop(c->worker);
}

static struct sosia_response *serve(struct sosia_engine *e, uint64_t world,
                                    const struct sosia_request *request, const struct serving *how,
                                    struct served *ret, struct sosia_err *err)
{
    *ret = (struct served){0};
    struct worker *k = worker_take(e, err);
    if (!k)
        return NULL;
    struct json_writer writer;
    struct known_request known = {.request = *request,
                                  .draft_of = how->again ? how->again->draft_of : how->draft_of,
                                  .poll = how->again ? how->again->poll : how->poll};
    struct call c;
    struct target t;
    struct match m;
    struct world *w;
    struct sosia_response *r = NULL;
    bool went_back = false, busy = false;
    call_begin(&c, e, k, how, &known.request);
    c.out = &writer;
    world_soon(e, world);
    if (look_at(&c, how, &known.request, &t, &m) < 0)
        goto failed;
    w = find_world(&c, how, world, &t, how->patient ? NULL : &busy);
    if (!w && busy) {
        ret->busy = true;
        worker_drop(k);
        return NULL;
    }
    if (!w && is_own_page(&c) && !t.key) { /* for people, who have no world's key yet */
        own_page(&c);
        r = answer_make(&c);
        goto done;
    }
    if (!w && !c.front && !t.key)
        call_fail(&c, SOSIA_E_NOT_FOUND, "unknownMethod", NULL, "there is no such method");
    if (!w)
        goto failed;
    went_back = serve_in(&c, how, &m, w, ret);
    if (c.stopped) {
        stop_fail(err);
        goto stopped;
    }
    ret->suspended = c.suspended;
    if ((c.suspended && !hold_answered(c.suspended)) || ret->busy) {
        attempt_release(&c);
        worker_drop(k);
        return NULL;
    }
    r = answer_make(&c);
    goto done;
failed:
    c.tx.world = NULL;
    answer_refusal(&c);
    r = answer_make(&c);
done:
    if (!r)
        sosia_fail_memory(err);
stopped:
    call_end(&c, how, r != NULL, ret);
    if (went_back) {
        e->on_calls_end(e, ret->world);
        e->on_pending(e, ret->world);
    }
    return r;
}

bool call_leave(struct call *c)
{
    c->left = c->hurried;
    return c->left;
}

struct sosia_response *call_part(struct call *c, const struct sosia_request *part)
{
    const struct serving how = {.outer = c, .patient = !c->hurried, .waits = true};
    struct served served;
    struct sosia_response *r = serve(c->tx.engine, c->world, part, &how, &served, c->tx.err);
    if (served.busy)
        call_leave(c);
    if (hold_answered(served.suspended) && call_leave(c)) {
        whole_end(served.whole);
        sosia_response_free(r);
        return NULL;
    }
    if (served.suspended && !hold_answered(served.suspended))
        r = suspend_wait(c->tx.engine, part, c, &served, c->tx.err);
    if (hold_answered(served.suspended))
        r = hold_wait(c->tx.engine, part, c, true, r, &served, c->tx.err);
    if (r)
        c->delay_ms += r->delay_ms;
    if (served.ticket > c->ticket)
        c->ticket = served.ticket;
    return r;
}

static bool is_refused_by_rule(const struct call *c)
{
    for (size_t i = 0; c->judged && i < c->n_headers; i++)
        if (strcmp(c->headers[i].name, GUARD_HEADER) == 0)
            return true;
    return false;
}

/* 1; -1: no memory. */
static int read_part(struct call *c, struct part_answer *ret)
{
    *ret = (struct part_answer){.status = c->status, .type = ""};
    if (c->reader || c->stream || is_refused_by_rule(c)) {
        ret->response = answer_make(c);
        stream_close(c->stream);
        blob_reader_close(c->reader);
        return ret->response ? 1 : -1;
    }
    for (size_t i = 0; i < c->n_headers; i++)
        if ((c->headers[i].name[0] | 32) == 'c' &&
            str_eq_nocase(c->headers[i].name, "Content-Type"))
            ret->type = c->headers[i].value;
    ret->why = c->status >= 400 ? c->why : NULL;
    ret->len = buf_failed(c->body_out) ? 0 : c->body_out->len;
    ret->body = buf_str(c->body_out);
    return 1;
}

int call_part_row(struct call *outer, const struct part_row *row, struct part_answer *ret)
{
    const struct known_request known = {.request = row->request};
    const struct sosia_request *request = &known.request;
    struct sosia_engine *e = outer->tx.engine;
    struct worker *k = outer->worker;
    struct sosia_err err = {0};
    struct json_writer writer;
    struct match m;
    bool busy = false;
    struct call c = {.tx = {.engine = e, .arena = outer->tx.arena, .db = k->slot, .err = &err},
                     .request = request,
                     .content = {.len = (int64_t)request->body_len, .data = request->body},
                     .vendor = outer->vendor,
                     .verb = row->verb,
                     .part = true,
                     .audience = outer->audience,
                     .tool = outer->tool,
                     .risk_most = outer->risk_most,
                     .path = request->target,
                     .path_len = strcspn(request->target, "?"),
                     .items = row->items,
                     .n_items = row->n_items,
                     .form = request->body_len > 0,
                     .body_out = &k->part,
                     .out = &writer,
                     .base_url = request->base_url};
    router_match(e->router, c.vendor, c.verb, c.path, c.path_len, &m);
    if (m.route != row->route || m.upload)
        return 0;
    if (c.path[c.path_len]) {
        c.query = c.path + c.path_len + 1;
        c.query_len = strlen(c.query);
    }
    c.route = m.route;
    c.dialect = m.dialect;
    c.front = dialect_front(m.dialect);
    c.path_known = true;
    find_credential(&c);
    buf_clear(c.body_out);
    struct world *w = outer->hurried ? world_take_soon(e, outer->world, &busy, &err)
                                     : world_take(e, outer->world, &err);
    if (busy) {
        call_leave(outer);
        return -1;
    }
    if (w) {
        attempt_run(&c, k, &m, w);
        attempt_judged(&c);
        if (w->ticket > outer->ticket)
            outer->ticket = w->ticket;
        outer->delay_ms += c.delay_ms;
        world_drop(w);
    } else {
        answer_refusal(&c);
    }
    int rc = read_part(&c, ret);
    attempt_release(&c);
    return rc;
}

struct sosia_response *call_serve(struct sosia_engine *e, uint64_t world,
                                  const struct sosia_request *request, bool patient,
                                  const struct call_waiter *waiter, struct served *ret,
                                  struct sosia_err *err)
{
    const struct serving how = {.patient = patient, .waits = patient && !waiter, .waiter = waiter};
    return serve(e, world, request, &how, ret, err);
}

struct sosia_response *call_anew(struct sosia_engine *e, uint64_t world,
                                 const struct known_request *known, const struct call *outer,
                                 struct served *ret, struct sosia_err *err)
{
    const struct serving how = {
        .outer = outer, .patient = true, .draft_of = known->draft_of, .poll = known->poll};
    return serve(e, world, &known->request, &how, ret, err);
}

struct sosia_response *call_handshake(struct sosia_engine *e, uint64_t world,
                                      const struct sosia_request *request,
                                      struct session_offer *offer, struct served *ret,
                                      struct sosia_err *err)
{
    const struct serving how = {.patient = true, .offer = offer};
    return serve(e, world, request, &how, ret, err);
}

struct sosia_response *call_resume(struct sosia_engine *e, uint64_t world, uint64_t era,
                                   const struct sosia_request *request, const struct call *outer,
                                   int64_t entry, const struct sosia_outcome *outcome,
                                   const struct call_waiter *waiter, struct served *ret,
                                   struct sosia_err *err)
{
    const struct serving how = {.outer = outer,
                                .patient = true,
                                .waiter = waiter,
                                .resumed = entry,
                                .era = era,
                                .outcome = outcome};
    return serve(e, world, request, &how, ret, err);
}

struct sosia_response *call_again(struct sosia_engine *e, const struct sosia_request *request,
                                  const struct replayed *again, int64_t resumed,
                                  const struct sosia_outcome *outcome, struct session_offer *offer,
                                  struct served *ret, struct sosia_err *err)
{
    const struct serving how = {
        .patient = true, .resumed = resumed, .outcome = outcome, .offer = offer, .again = again};
    return serve(e, again->world->id, request, &how, ret, err);
}
