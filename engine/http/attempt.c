/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/http/attempt.h"
#include "engine/http/admit.h"
#include "engine/http/answer.h"
#include "engine/http/entry.h"
#include "engine/http/fault.h"
#include "engine/http/hold.h"
#include "engine/http/own.h"
#include "engine/http/serve.h"
#include "engine/http/session.h"
#include "engine/http/suspend.h"
#include "engine/world/number.h"
#include "engine/world/engine.h"
#include "engine/world/event.h"
#include "engine/world/rate.h"
#include "engine/world/refused.h"
#include "engine/world/took.h"

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

void attempt_judged(struct call *c)
{
    if (c->judged && c->tx.engine->guard->end)
        c->tx.engine->guard->end(c);
}

void attempt_release(struct call *c)
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
    struct tree *other = (struct tree *)(uintptr_t)c->stale; /* attempt_run()'s own */
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
    if (c->rates || c->again)
        rate_noted(c->tx.world);
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

/* One attempt of a call, in a transaction on the locked world. */
struct attempt {
    struct world *w;
    struct world_clock before; /* the world's, before the call moved it */
    int64_t now;               /* the call's time */
    bool write;
    bool failed; /* it is answered with a refusal */
    bool undone; /* nothing of it stays: it failed, or was only tried */
};

/* Gives up what its transaction has done. */
static void attempt_leave(struct call *c)
{
    tx_rollback(&c->tx);
    answer_refusal(c);
}

/* What is due happens before the call. -1: it could not, and the call is answered. */
static int run_due(struct attempt *a, struct call *c, struct worker *k)
{
    struct world *w = a->w;
    if (w->next_due_us > a->now || w->flags & WORLD_SNAPSHOT || c->stale)
        return 0;
    if (world_run_due_wholly(c->tx.engine, w, k, a->now, &a->before, c->tx.err) < 0) {
        c->stopped = stop_wanted();
        answer_refusal(c);
        return -1;
    }
    a->before = w->clock; /* it has happened, whatever becomes of the call */
    return 0;
}

/* -1: the world takes no such call, which is answered. */
static int check_room(const struct attempt *a, struct call *c)
{
    struct world *w = a->w;
    bool fixed = a->write && w->flags & WORLD_SNAPSHOT;
    /* A call that fails leaves an entry in the journal too. */
    if (!fixed && !(is_journaled(w, a->write) && world_is_full(c->tx.engine, w)))
        return 0;
    c->tx.world = w;
    c->tx.now_us = a->now;
    if (fixed)
        call_fail(c, SOSIA_E_FORBIDDEN, "readOnly", NULL, "a snapshot can't be written");
    else
        call_fail(c, SOSIA_E_FULL, NULL, NULL, "the world's storage is full");
    answer_refusal(c);
    if (fixed && world_is_beside(w))
        write_journal(c);
    return -1;
}

/* -1: there is no transaction, and the call is answered. */
static int attempt_begin(struct attempt *a, struct call *c, struct worker *k)
{
    struct tx *tx = &c->tx;
    if (is_journaled(a->w, a->write))
        c->began_us = machine_us();
    const char *base_url = c->base_url;
    if (run_due(a, c, k) < 0 || check_room(a, c) < 0)
        return -1;
    if (tx_begin(tx, tx->engine, a->w, k, a->write, a->now, tx->err) < 0) {
        has_stopped(c, &a->before);
        answer_refusal(c);
        return -1;
    }
    c->base_url = base_url;
    if ((c->outcome && suspend_settle(c) < 0) || (a->write && tx_savepoint(tx) < 0)) {
        attempt_leave(c);
        return -1;
    }
    return 0;
}

/* What the handler wrote is in the transaction afterwards, or not. -1: the transaction is over, and
 * the call is answered. */
static int attempt_settle(struct attempt *a, struct call *c)
{
    struct tx *tx = &c->tx;
    if (a->undone) {
        tx->later = NULL; /* with the rest */
        tx->delivered = NULL;
        c->suspended = 0;
        tx->undone = a->failed; /* an answer that is given has ids in it */
    }
    if (a->failed && is_nobodys(c)) {
        answer_refusal(c);
        count_refused(c, a->w);
        tx_rollback(tx);
        return -1;
    }
    struct sosia_err other;
    if (a->write && a->undone && tx_rollback_to(tx, &other) < 0) {
        /* SQLite has given up all of the transaction: the store was full in the midst of it. */
        attempt_leave(c);
        return -1;
    }
    if (a->write && !a->undone && slot_release(tx->db, tx->err) < 0)
        a->failed = a->undone = true;
    if (a->failed)
        answer_refusal(c);
    if (a->write &&
        ((a->undone && guard_undone(c) < 0) || (a->w->flags & WORLD_RATES && rate_save(tx) < 0))) {
        attempt_leave(c);
        return -1;
    }
    if (tx_publish(tx) < 0) {
        has_stopped(c, &a->before);
        answer_refusal(c);
        return -1;
    }
    return 0;
}

/* Its state is the world's: the entry, and what waits for either. */
static void attempt_end(const struct attempt *a, struct call *c)
{
    struct tx *tx = &c->tx;
    if (c->sent.blob.id && answer_open(c, a->w) < 0)
        answer_refusal(c);
    if (c->fault)
        fault_end(c);
    /* The entry goes to the disk with what the call did. */
    write_journal(c);
    bool kept = !a->write || world_changed(tx->engine, a->w, tx->err) == 0;
    if (kept)
        parts_notify(tx);
    if (!kept)
        answer_refusal(c);
    else if (!a->undone && c->suspended > 0 && c->waiter && suspend_park(c) < 0)
        answer_refusal(c);
    else if (!a->undone && session_accepted(c) && !c->again && session_begin(c) < 0)
        answer_refusal(c);
    else if (!a->undone && (!c->suspended || c->waiter)) {
        outbox_notify(tx);
        outbox_notify_due(tx);
    }
}

/* In a transaction on the locked world. Where c->redo is set afterwards nothing is done. */
static void run_once(struct call *c, struct worker *k, const struct match *m, struct world *w)
{
    struct attempt a = {.w = w, .before = w->clock, .write = may_write(c, w)};
    a.now = world_tick(w);
    if (attempt_begin(&a, c, k) < 0)
        return;
    a.failed = handle(c, k, m) < 0;
    a.undone = a.failed || c->tried;
    if (has_stopped(c, &a.before)) {
        attempt_leave(c);
        return;
    }
    if (c->redo) {
        tx_rollback(&c->tx);
        w->clock = a.before;
        return;
    }
    if (attempt_settle(&a, c) == 0)
        attempt_end(&a, c);
}

/* As if it had just come: what its first transaction has left is that one's. */
static void call_renew(struct call *c)
{
    attempt_release(c);
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

void attempt_run(struct call *c, struct worker *k, const struct match *m, struct world *w)
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

void attempt_outside(struct call *c, struct worker *k, const struct match *m, struct world *w)
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
