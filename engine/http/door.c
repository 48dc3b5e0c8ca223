/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The one door: every request to a world goes through serve() here. Order: the target and the
 * world, the row, the vendor's globals, the credential and its scopes, parameters and body, the
 * handler in a savepoint, the response, the journal, the commit.
 */
#include "engine/world/number.h"
#include "engine/base/codec.h"
#include "engine/http/admit.h"
#include "engine/http/answer.h"
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
#include "engine/text/utf8.h"
#include "engine/world/engine.h"
#include "engine/world/rate.h"
#include "engine/world/refused.h"
#include "engine/world/took.h"
#include "engine/world/event.h"
#include <stdarg.h>
#include <stdio.h>

/* What may do no more than some risk is refused what does. */
static int check_risk(struct call *c, enum risk risk, const char *why)
{
    if (risk <= c->risk_most)
        return 0;
    return call_fail(c, SOSIA_E_FORBIDDEN, "risk", NULL,
                     "the call's risk is %s%s, and this session is limited to %s", risk_names[risk],
                     why, risk_names[c->risk_most]);
}

/* Whom it reaches is known when its handler has read the arguments. */
static int judge_risk(struct call *c)
{
    const struct route *r = c->route;
    c->risk = r->risk;
    if (!r->risk_of || c->outcome)
        return 0;
    if (r->risk_of(c, &c->risk) < 0)
        return -1;
    if (c->risk < r->risk)
        c->risk = r->risk;
    return check_risk(c, c->risk, " by its arguments");
}

/* ---- the guard ---- */

/* As struct guard, before(). A method that makes calls of its own has its rules asked of those. */
static int guard_before(struct call *c)
{
    if (c->route->outside || c->tx.world->guard == GUARD_NONE)
        return 0;
    if (guard_learn(&c->tx) < 0)
        return -1;
    return c->tx.world->guard == GUARD_NONE ? 0 : c->tx.engine->guard->before(c);
}

/* As struct guard, after(). */
static int guard_after(struct call *c)
{
    const struct guard *g = c->tx.engine->guard;
    return c->judged && !c->route->outside && g->after(c) < 0 ? -1 : 0;
}

static int guard_answered(struct call *c)
{
    const struct guard *g = c->tx.engine->guard;
    return c->judged && !c->route->outside && g->answered(c) < 0 ? -1 : 0;
}

static int guard_undone(struct call *c)
{
    return c->judged ? c->tx.engine->guard->undone(c) : 0;
}

static void guard_end(struct call *c)
{
    if (c->judged && c->tx.engine->guard->end)
        c->tx.engine->guard->end(c);
}

static void guard_release(struct call *c)
{
    if (c->judged)
        c->tx.engine->guard->release(c);
}

static void begin_answer(struct call *c)
{
    c->status = 200;
    json_init(c->out, c->body_out, c->pretty, c->mask);
    c->out->escape_html = c->escape_html;
}

static int handle(struct call *c, struct worker *k, const struct match *m)
{
    if (is_own_page(c)) {
        own_page(c);
        return 0;
    }
    if (admit(c, k, m) < 0 || check_risk(c, c->route->risk, "") < 0)
        return -1;
    const struct front *front = c->front;
    if (c->route->upgrade && !c->offer)
        return session_required(c);
    c->tx.actor = c->actor.id;
    c->tx.app = c->app;
    begin_answer(c);
    int rc = guard_before(c);
    c->tried = rc > 0;
    if (rc)
        return rc < 0 ? -1 : 0;
    if (c->again && fault_again(c) < 0)
        return -1;
    rc = c->outcome ? suspend_complete(c) : c->upload ? front->upload(c) : c->route->handler(c);
    if (rc < 0 || judge_risk(c) < 0 || events_deliver(&c->tx) < 0 || guard_after(c) < 0)
        return -1;
    bool inside = !c->route->outside; /* else its parts have failed by themselves */
    if (buf_failed(c->body_out) || (inside ? tx_is_short(&c->tx) : arena_failed(c->tx.arena))) {
        bool full = buf_failed(c->body_out);
        return call_fail(c, full ? SOSIA_E_TOO_LARGE : SOSIA_E_NO_MEMORY, NULL, NULL,
                         "the answer does not fit into memory");
    }
    if (front->finish)
        front->finish(c);
    if (c->note)
        call_header_const(c, "X-Sosia-Budget", c->note);
    return guard_answered(c);
}

static bool is_journaled(const struct world *w, bool write)
{
    enum sosia_journal_mode mode = world_journal_mode(w);
    return mode != SOSIA_JOURNAL_NONE && (mode != SOSIA_JOURNAL_WRITES || write) &&
           (!(w->flags & WORLD_SNAPSHOT) || world_is_beside(w));
}

/* A read of an earlier state takes it for the present, as another version, which nothing is kept
 * of, and gives that back. */
static void swap_states(struct call *c)
{
    struct world *w = c->tx.world;
    struct tree *other = (struct tree *)(uintptr_t)c->stale; /* run()'s own */
    struct tree now = w->now;
    w->now = *other;
    *other = now;
    w->version = ~w->version;
}

enum { ENTRY_ROOM = 1500 }; /* bytes that most entries fit into */

static void write_journal(struct call *c)
{
    if (!is_journaled(c->tx.world, c->tx.write || c->noted)) {
        c->tx.world->flags |= c->tx.write ? WORLD_LOST_WRITES : WORLD_LOST_READS;
        return;
    }
    struct buf entry;
    struct journal_known known;
    buf_init(&entry, 0);
    buf_grow(&entry, ENTRY_ROOM);
    journal_format(&entry, c, c->tx.now_us, &known);
    const int64_t last = world_last_entry(c->tx.world);
    if (c->stale)
        swap_states(c);
    world_add_entry(c->tx.engine, c->tx.world, &entry, &known);
    if (c->stale)
        swap_states(c);
    if (c->began_us && world_last_entry(c->tx.world) == last + 1)
        took_add(c->tx.world, last + 1, c->began_us, machine_us());
    buf_done(&entry);
}

/* The caller is not known: there was no credential, or none that is taken. Such a call has no entry
 * when it is refused, as anybody can make as many as they like; where one runs again, or ends what
 * was begun, it has. */
static bool is_nobodys(const struct call *c)
{
    return !c->actor.id && !c->again && !c->outcome;
}

static void count_refused(struct call *c, struct world *w)
{
    const struct refused_call refused = {.at_us = c->tx.now_us,
                                         .verb = c->request->method,
                                         .path = c->path,
                                         .path_len = c->path_len,
                                         .method = c->route ? c->route->id : NULL,
                                         .why = c->why ? c->why : c->tx.err->text,
                                         .status = c->status};
    refused_add(w, &refused);
}

/* Is it to stop, before anything of it is in the world? Then the clock has not moved either. */
static bool has_stopped(struct call *c, const struct world_clock *before)
{
    if (!stop_wanted())
        return false;
    c->stopped = true;
    c->tx.world->clock = *before;
    return true;
}

/* May it change something? Of a row that reads but for some arguments only a call with these, and
 * in a snapshot it reads all the same. */
static bool may_write(struct call *c, const struct world *w)
{
    const struct route *r = c->route;
    enum risk risk = RISK_READ;
    if (!r || r->risk != RISK_READ || !r->risk_of)
        return r && r->risk != RISK_READ;
    return !(w->flags & WORLD_SNAPSHOT) && r->risk_of(c, &risk) == 0 && risk != RISK_READ;
}

/* In a transaction on the locked world. Where c->redo is set afterwards nothing is done. */
static void run_once(struct call *c, struct worker *k, const struct match *m, struct world *w)
{
    struct tx *tx = &c->tx;
    bool write = may_write(c, w);
    struct world_clock clock = w->clock;
    int64_t now = world_tick(w);
    if (is_journaled(w, write))
        c->began_us = machine_us();
    const char *base_url = c->base_url;
    if (w->next_due_us <= now && !(w->flags & WORLD_SNAPSHOT) && !c->stale) {
        if (world_run_due_wholly(tx->engine, w, k, now, &clock, tx->err) < 0) {
            c->stopped = stop_wanted();
            answer_refusal(c);
            return;
        }
        clock = w->clock; /* it has happened, whatever becomes of the call */
    }
    if (write && (w->flags & WORLD_SNAPSHOT)) {
        tx->world = w;
        tx->now_us = now;
        call_fail(c, SOSIA_E_FORBIDDEN, "readOnly", NULL, "a snapshot can't be written");
        answer_refusal(c);
        if (world_is_beside(w))
            write_journal(c);
        return;
    }
    /* A call that fails leaves an entry in the journal too. */
    if (is_journaled(w, write) && world_is_full(tx->engine, w)) {
        tx->world = w;
        tx->now_us = now;
        call_fail(c, SOSIA_E_FULL, NULL, NULL, "the world's storage is full");
        answer_refusal(c);
        return;
    }
    if (tx_begin(tx, tx->engine, w, k, write, now, tx->err) < 0) {
        has_stopped(c, &clock);
        answer_refusal(c);
        return;
    }
    c->base_url = base_url;
    if ((c->outcome && suspend_settle(c) < 0) || (write && tx_savepoint(tx) < 0)) {
        tx_rollback(tx);
        answer_refusal(c);
        return;
    }
    bool failed = handle(c, k, m) < 0, undone = failed || c->tried;
    if (has_stopped(c, &clock)) {
        tx_rollback(tx);
        answer_refusal(c);
        return;
    }
    if (c->redo) {
        tx_rollback(tx);
        w->clock = clock;
        return;
    }
    if (undone) {
        tx->later = NULL; /* with the rest */
        tx->delivered = NULL;
        c->suspended = 0;
        tx->undone = failed; /* an answer that is given has ids in it */
    }
    if (failed && is_nobodys(c)) {
        answer_refusal(c);
        count_refused(c, w);
        tx_rollback(tx);
        return;
    }
    struct sosia_err other;
    if (write && undone && tx_rollback_to(tx, &other) < 0) {
        /* SQLite has given up all of the transaction: the store was full in the midst of it. */
        tx_rollback(tx);
        answer_refusal(c);
        return;
    }
    if (write && !undone && slot_release(tx->db, tx->err) < 0)
        failed = undone = true;
    if (failed)
        answer_refusal(c);
    if (write &&
        ((undone && guard_undone(c) < 0) || (w->flags & WORLD_RATES && rate_save(tx) < 0))) {
        tx_rollback(tx);
        answer_refusal(c);
        return;
    }
    if (tx_publish(tx) < 0) {
        has_stopped(c, &clock);
        answer_refusal(c);
        return;
    }
    if (c->sent.blob.id && answer_open(c, w) < 0)
        answer_refusal(c);
    if (c->fault)
        fault_end(c);
    /* The entry goes to the disk with what the call did. */
    write_journal(c);
    bool kept = !write || world_changed(tx->engine, w, tx->err) == 0;
    if (kept)
        parts_notify(tx);
    if (!kept)
        answer_refusal(c);
    else if (!undone && c->suspended > 0 && c->waiter && suspend_park(c) < 0)
        answer_refusal(c);
    else if (!undone && session_accepted(c) && !c->again && session_begin(c) < 0)
        answer_refusal(c);
    else if (!undone && (!c->suspended || c->waiter)) {
        outbox_notify(tx);
        outbox_notify_due(tx);
    }
}

/* As if it had just come: what its first transaction has left is that one's. */
static void call_renew(struct call *c)
{
    guard_release(c);
    c->judged = NULL;
    c->redo = false;
    c->redone = true;
    c->n_headers = c->n_values = 0;
    c->vendor_data = NULL;
    c->body = NULL;
    c->body_checked = false;
    c->actor = (struct actor){0};
    c->scopes = (struct scopes){0};
    buf_clear(c->body_out);
}

static void run(struct call *c, struct worker *k, const struct match *m, struct world *w)
{
    run_once(c, k, m, w);
    if (!c->redo)
        return;
    const struct guard *g = c->tx.engine->guard;
    if (g && g->between && g->between(c) < 0) {
        c->redo = false;
        answer_refusal(c);
        return;
    }
    call_renew(c);
    struct tree other;
    c->tx.world = w;
    if (c->stale) {
        other = *c->stale;
        c->stale = &other;
        swap_states(c);
    }
    run_once(c, k, m, w);
    if (c->stale)
        swap_states(c);
    c->stale = NULL;
}

/* Whom its token stands for, in a transaction that is over then. */
static int admit_outside(struct call *c, struct worker *k, struct world *w)
{
    if (tx_begin(&c->tx, c->tx.engine, w, k, false, world_now(w), c->tx.err) < 0)
        return -1;
    int rc = admit_caller(c, k);
    if (rc == 0 && w->guard != GUARD_NONE && (rc = guard_learn(&c->tx)) == 0 &&
        w->guard != GUARD_NONE)
        rc = c->tx.engine->guard->outside(c);
    tx_rollback(&c->tx);
    c->admitted = rc == 0;
    return rc;
}

/* Without a transaction: the handler makes calls of its own. Only the time is the world's. */
static void run_outside(struct call *c, struct worker *k, const struct match *m, struct world *w)
{
    bool refused = (!c->route->anonymous || c->token) && admit_outside(c, k, w) < 0;
    c->tx.world = w;
    c->tx.now_us = world_now(w);
    c->world = w->id;
    if (refused) {
        answer_refusal(c);
        if (is_nobodys(c))
            count_refused(c, w);
    }
    world_drop(w);
    if (!refused && handle(c, k, m) < 0)
        answer_refusal(c);
    c->stopped = stop_wanted();
}

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
    struct sosia_request *whole = &known.request;
    struct call c = {.tx = {.engine = e, .arena = &k->arena, .db = k->slot, .err = &k->err},
                     .request = whole,
                     .content = {.len = (int64_t)request->body_len, .data = request->body},
                     .part = how->outer != NULL || (how->again && how->again->part),
                     .batch = how->outer ? how->outer->batch : how->again && how->again->batch,
                     .audience = how->outer ? how->outer->audience : NULL,
                     .tool = how->outer   ? how->outer->tool
                             : how->again ? how->again->tool
                                          : NULL,
                     .waiter = how->waiter,
                     .resumed = how->resumed,
                     .era = how->era,
                     .outcome = how->outcome,
                     .offer = how->offer,
                     .again = how->again,
                     .risk_most = how->outer   ? how->outer->risk_most
                                  : how->again ? how->again->risk_most
                                               : RISK_DESTRUCTIVE,
                     .worker = k,
                     .body_out = &k->out,
                     .out = &writer,
                     .base_url = request->base_url};
    struct target t;
    struct match m;
    struct world *w = NULL;
    struct sosia_response *r = NULL;
    bool went_back = false, busy = false, *ret_busy = how->patient ? NULL : &busy;
    world_soon(e, world);
    if (look_at(&c, how, whole, &t, &m) < 0)
        goto failed;
    if (ret_busy && c.route &&
        (c.route->pace == PACE_SLOW || (c.route->outside && !c.route->brief)))
        *ret_busy = true; /* programs, and many calls in one, take as long as they like */
    else if (how->again)
        lock_take(&(w = how->again->world)->lock);
    else
        w = target_world(&c, k, world, &t, ret_busy);
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
    if (c.route && c.route->outside) {
        c.hurried = ret_busy != NULL;
        run_outside(&c, k, &m, w); /* drops the world before it works */
        ret->ticket = c.ticket;
        ret->busy = c.left;
    } else {
        ret->world = w->id;
        ret->era = w->era;
        run(&c, k, &m, w);
        guard_end(&c);
        went_back = c.stopped && !how->again && w->era != ret->era;
        ret->ticket = w->ticket;
        world_drop(w);
    }
    if (c.stopped) {
        stop_fail(err);
        goto stopped;
    }
    ret->suspended = c.suspended;
    if ((c.suspended && !hold_answered(c.suspended)) || ret->busy) {
        guard_release(&c);
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
    stream_close(c.stream);
    blob_reader_close(c.reader);
    guard_release(&c);
    if (how->waits && r && hold_answered(c.suspended)) {
        ret->whole = whole_begin(e); /* what is asked of the worker from here on is asked of it */
        stop_in_world(ret->world);
        ret->interrupted = stop_wanted();
    }
    worker_drop(k);
    if (went_back) {
        e->on_calls_end(e, ret->world);
        e->on_pending(e, ret->world);
    }
    return r;
}

const char *call_draft_of(const struct call *c)
{
    return ((const struct known_request *)c->request)->draft_of;
}

bool call_polls(const struct call *c)
{
    return ((const struct known_request *)c->request)->poll;
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
        run(&c, k, &m, w);
        guard_end(&c);
        if (w->ticket > outer->ticket)
            outer->ticket = w->ticket;
        outer->delay_ms += c.delay_ms;
        world_drop(w);
    } else {
        answer_refusal(&c);
    }
    int rc = read_part(&c, ret);
    guard_release(&c);
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
