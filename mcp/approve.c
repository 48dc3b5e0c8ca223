/* SPDX-License-Identifier: Apache-2.0 */
#include "mcp/approve.h"
#include "engine/base/codec.h"
#include "engine/http/hold.h"
#include "engine/http/stream.h"
#include "engine/world/engine.h"
#include "mcp/hub_impl.h"
#include <stdio.h>
#include <stdlib.h>

#define QUESTIONS_MAX 1000 /* that are open, of an engine */
#define OF_SESSION    32
#define ELICIT        "elicitation/create"
#define KEY           "approval." /* act_... . hash of what was shown */
#define KEY_HASH      16          /* characters of it */

/* ---- as a form ---- */

static void write_property(struct json_writer *w, const char *name, const char *title,
                           bool decision)
{
    json_obj(w, name);
    json_str(w, "type", "string");
    json_str(w, "title", title);
    if (decision) {
        json_arr(w, "enum");
        json_str(w, NULL, "approve");
        json_str(w, NULL, "reject");
        json_end(w);
    } else {
        json_int(w, "maxLength", 1000);
    }
    json_end(w);
}

/* Parameters of the request, JSON, in b. */
static void write_form(struct buf *b, const char *text)
{
    struct json_writer w;
    json_init(&w, b, false, NULL);
    json_obj(&w, NULL);
    json_str(&w, "message", text);
    json_obj(&w, "requestedSchema");
    json_str(&w, "type", "object");
    json_obj(&w, "properties");
    write_property(&w, "decision", "Decision", true);
    write_property(&w, "comment", "Comment", false);
    json_end(&w);
    json_arr(&w, "required");
    json_str(&w, NULL, "decision");
    json_end(&w);
    json_end(&w);
    json_end(&w);
}

/* What was answered: 1 approve, 0 reject, -1 nothing. Who declines rejects; who cancels, or leaves
 * the decision out, has decided nothing. */
static int read_answer(const struct json *answer, const char **ret_comment)
{
    const char *action = json_get_str(answer, "action");
    const struct json *content = json_get(answer, "content");
    const char *decision = json_get_str(content, "decision");
    const char *comment = json_get_str(content, "comment");
    *ret_comment = comment && *comment && strlen(comment) <= 4000 ? comment : NULL;
    if (action && strcmp(action, "decline") == 0)
        return 0;
    if (!action || strcmp(action, "accept") != 0 || !decision)
        return -1;
    return strcmp(decision, "approve") == 0 ? 1 : strcmp(decision, "reject") == 0 ? 0 : -1;
}

/* ---- approvers ---- */

/* Who is asked at the moment, under the hub's lock. */
struct asking {
    struct hub *h;
    struct listener *l;
    struct outgoing **end;
};

static bool is_of_session(const struct hub_pending *p, const struct listener *l)
{
    return p->action && p->owner.world == l->owner.world && strcmp(p->session, l->session.id) == 0;
}

/* Whether that was asked in the session already; how many questions are open there. */
static bool is_asked(const struct asking *a, const struct guard_question *q, size_t *ret_n)
{
    bool found = false;
    *ret_n = 0;
    for (struct hub_pending *p = a->h->pending; p; p = p->next) {
        if (!is_of_session(p, a->l))
            continue;
        ++*ret_n;
        if (strcmp(p->action, q->action) == 0 && strcmp(p->shown, q->shown) == 0)
            found = p->open = true;
    }
    return found;
}

static void ask_one(void *arg, const struct guard_question *q)
{
    struct asking *a = arg;
    struct hub *h = a->h;
    struct buf form, event;
    size_t n;
    if (is_asked(a, q, &n) || n >= OF_SESSION || h->n_questions >= QUESTIONS_MAX)
        return;
    struct hub_pending *p = calloc(1, sizeof *p);
    if (!p)
        return;
    p->owner = a->l->owner;
    snprintf(p->session, sizeof p->session, "%s", a->l->session.id);
    p->n = 1;
    p->open = true;
    p->asked[0].key = strdup("approval");
    p->action = strdup(q->action);
    p->shown = strdup(q->shown);
    buf_init(&form, 0);
    buf_init(&event, 0);
    write_form(&form, q->text);
    if (p->asked[0].key && p->action && p->shown && !buf_failed(&form)) {
        snprintf(p->asked[0].id, sizeof p->asked[0].id, "sosia-%llu",
                 (unsigned long long)++h->n_asked);
        hub_write_request(&event, p->asked[0].id, ELICIT, buf_str(&form));
        hub_send(a->l, event.data, event.len, &a->end);
        p->next = h->pending;
        h->pending = p;
        h->n_questions++;
    } else {
        hub_pending_free(p);
    }
    buf_done(&form);
    buf_done(&event);
}

/* What others have decided meanwhile, or whose time is over, is asked no more. */
static void take_back(const struct asking *a, bool all_known, struct outgoing ***end)
{
    struct hub_pending *over = NULL;
    struct buf event;
    for (struct hub_pending **at = &a->h->pending; *at;) {
        struct hub_pending *p = *at;
        if (!all_known || p->open || !is_of_session(p, a->l)) {
            at = &p->next;
            continue;
        }
        *at = p->next;
        p->next = over;
        over = p;
        hub_pending_uncount(a->h, p);
        buf_init(&event, 0);
        buf_printf(&event,
                   "event: message\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/"
                   "cancelled\",\"params\":{\"requestId\":\"%s\",\"reason\":\"it was decided, or "
                   "its time is over\"}}\n\n",
                   p->asked[0].id);
        hub_send(a->l, event.data, event.len, end);
        buf_done(&event);
    }
    hub_pending_drop(over);
}

static int ask_one_listener(struct tx *tx, struct asking *a)
{
    const struct listener *l = a->l;
    const struct guard_asked who = {
        .actor = l->owner.actor, .app = l->owner.app, .fn = ask_one, .arg = a};
    for (struct hub_pending *p = a->h->pending; p; p = p->next)
        p->open = false;
    int rc = tx->engine->guard->questions(tx, &who);
    take_back(a, rc == 0, &a->end);
    return rc;
}

/* In a transaction that reads; session NULL: all that listen. */
static void ask_all(struct hub *h, struct tx *tx, const char *session, struct outgoing **out)
{
    struct asking a = {.h = h, .end = out};
    pthread_mutex_lock(&h->lock);
    for (struct listener *l = h->buckets[hub_bucket(tx->world->id)]; l; l = l->next) {
        if (l->owner.world != tx->world->id || !l->stream || !*l->session.id || l->session.legacy ||
            !(l->session.can & CAN_ELICIT) || (session && strcmp(session, l->session.id) != 0))
            continue;
        a.l = l;
        if (ask_one_listener(tx, &a) < 0)
            break;
    }
    pthread_mutex_unlock(&h->lock);
}

void approve_ask(struct sosia_engine *e, struct world *w)
{
    struct hub *h = hub_of_engine(e);
    struct outgoing *out = NULL;
    struct sosia_err err;
    struct tx tx;
    if (!h || !e->guard || !e->guard->questions ||
        !atomic_load_explicit(&h->n[hub_bucket(w->id)], memory_order_relaxed))
        return;
    struct worker *k = worker_take(e, &err);
    if (!k)
        return;
    if (tx_begin(&tx, e, w, k, false, world_now(w), &err) == 0) {
        ask_all(h, &tx, NULL, &out);
        tx_rollback(&tx);
    }
    worker_drop(k);
    hub_let_out(h, w->ticket, out);
}

struct listening {
    struct hub *h;
    const char *session;
    struct outgoing *out;
};

static int ask_listening(struct tx *tx, struct json_writer *w, void *arg)
{
    struct listening *l = arg;
    json_raw(w, NULL, "null", 4);
    ask_all(l->h, tx, l->session, &l->out);
    return 0;
}

/* A client that begins anew has nothing of what it was asked before. */
static void forget_questions(struct hub *h, const char *session)
{
    struct hub_pending *over = NULL;
    pthread_mutex_lock(&h->lock);
    for (struct hub_pending **at = &h->pending; *at;) {
        struct hub_pending *p = *at;
        if (!p->action || strcmp(p->session, session) != 0) {
            at = &p->next;
            continue;
        }
        *at = p->next;
        p->next = over;
        over = p;
        hub_pending_uncount(h, p);
    }
    pthread_mutex_unlock(&h->lock);
    hub_pending_drop(over);
}

void approve_listening(struct mcp_call *m, int64_t after)
{
    struct call *c = m->c;
    const struct guard *g = c->tx.engine->guard;
    struct listening l = {.h = hub_of(c), .session = m->session.id};
    struct sosia_blob blob;
    struct sosia_err ignored;
    if (!l.h || !g || !g->questions || !(m->session.can & CAN_ELICIT))
        return;
    if (after < 0)
        forget_questions(l.h, m->session.id);
    if (world_read(c->tx.engine, c->world, false, ask_listening, &l, &blob, &ignored) == 0)
        sosia_blob_free(&blob);
    hub_let_out(l.h, c->ticket, l.out);
}

/* ---- decisions ---- */

static void decide(struct mcp_call *m, const char *action, const char *shown,
                   const struct json *answer, bool own)
{
    const struct guard *g = m->c->tx.engine->guard;
    const char *comment;
    struct sosia_err ignored; /* what is refused stays as it is, and its caller reads so */
    int what = read_answer(answer, &comment);
    if (!g || !g->decide || what < 0)
        return;
    const struct guard_decision d = {.action = action,
                                     .shown = shown,
                                     .by = m->c->actor.handle,
                                     .comment = comment,
                                     .approves = what == 1,
                                     .own = own};
    g->decide(m->c->tx.engine, m->c->world, &d, &ignored);
}

void approve_answered(struct mcp_call *m, const struct hub_pending *p)
{
    const struct json *answer;
    struct sosia_err ignored;
    const char *text = p->asked[0].answer;
    if (text && json_parse(m->c->tx.arena, text, strlen(text), NULL, &answer, &ignored) == 0)
        decide(m, p->action, p->shown, answer, false);
}

/* ---- whose call it is ---- */

/* The question that its client is asked, if it is. */
struct own {
    struct mcp_call *m;
    const char *action;
    const char *shown, *text; /* NULL: none */
};

static void take_question(void *arg, const struct guard_question *q)
{
    struct own *o = arg;
    o->shown = arena_strdup(o->m->c->tx.arena, q->shown);
    o->text = arena_strdup(o->m->c->tx.arena, q->text);
}

static int find_question(struct tx *tx, struct json_writer *w, void *arg)
{
    struct own *o = arg;
    const struct guard_asked who = {.actor = o->m->c->actor.id,
                                    .app = o->m->c->app,
                                    .action = o->action,
                                    .own = true,
                                    .fn = take_question,
                                    .arg = o};
    json_raw(w, NULL, "null", 4);
    return tx->engine->guard->questions(tx, &who);
}

static bool look_for(struct own *o)
{
    struct call *c = o->m->c;
    const struct guard *g = c->tx.engine->guard;
    struct sosia_blob blob;
    struct sosia_err ignored;
    o->shown = o->text = NULL;
    if (!g || !g->questions ||
        world_read(c->tx.engine, c->world, false, find_question, o, &blob, &ignored) < 0)
        return false;
    sosia_blob_free(&blob);
    return o->shown && o->text && strlen(o->shown) >= KEY_HASH;
}

static const char *key_of(const struct own *o)
{
    return arena_printf(o->m->c->tx.arena, KEY "%s.%.*s", o->action, KEY_HASH, o->shown);
}

void approve_before(struct mcp_call *m)
{
    const struct json *all = m->stateless ? json_get(m->params, "inputResponses") : m->known;
    /* More than it was asked it has nothing to answer. */
    for (uint32_t i = 0; all && all->type == JSON_OBJECT && i < all->n && i < MAX_ASKED; i++) {
        const char *key = all->members[i].key;
        size_t n = sizeof KEY - 1;
        if (!str_starts(key, KEY) || !strchr(key + n, '.'))
            continue;
        struct own o = {
            .m = m,
            .action = arena_printf(m->c->tx.arena, "%.*s", (int)strcspn(key + n, "."), key + n)};
        /* What it would do by now, if that is another thing, was not shown. */
        if (look_for(&o) && strcmp(key_of(&o), key) == 0)
            decide(m, o.action, o.shown, &all->members[i].value, true);
    }
}

/* The action that the last call of the tool is held as; NULL: it is not. */
static const char *held_as(struct mcp_call *m)
{
    const char *text = NULL;
    const struct json *v;
    struct sosia_err ignored;
    for (size_t i = 0; i < m->c->n_headers; i++)
        if (strcmp(m->c->headers[i].name, GUARD_HEADER) == 0)
            text = m->c->headers[i].value;
    if (!text || json_parse(m->c->tx.arena, text, strlen(text), NULL, &v, &ignored) < 0)
        return NULL;
    const char *status = json_get_str(v, "status");
    return status && strcmp(status, "pending_approval") == 0 ? json_get_str(v, "action") : NULL;
}

/* In a revision without a handshake the answer is what is asked, and the client calls anew. */
static void ask_by_answer(struct mcp_call *m, const char *key, const char *form)
{
    json_obj(m->w, "inputRequests");
    json_obj(m->w, key);
    json_str(m->w, "method", ELICIT);
    json_raw(m->w, "params", form, strlen(form));
    json_end(m->w);
    json_end(m->w);
    m->result = "input_required";
}

int approve_after(struct mcp_call *m, const struct json_mark *mark)
{
    struct own o = {.m = m, .action = held_as(m)};
    bool can = m->stateless || (*m->session.id && m->streams && !m->in_batch);
    /* A tool that has changed something already would do it twice. */
    if (!o.action || !can || m->wrote || !rpc_client_can(m, ELICIT) || !look_for(&o))
        return 0;
    const char *key = key_of(&o);
    if (rpc_answer(m, key)) /* which decided nothing */
        return 0;
    struct buf form;
    buf_init(&form, 0);
    write_form(&form, o.text);
    const char *text = arena_strdup(m->c->tx.arena, buf_str(&form));
    bool failed = buf_failed(&form) || arena_failed(m->c->tx.arena);
    buf_done(&form);
    if (failed)
        return rpc_fail(m, RPC_INTERNAL, "there is no memory for the call");
    if (!m->stateless)
        return rpc_ask(m, key, ELICIT, text);
    json_back(m->w, mark);
    ask_by_answer(m, key, text);
    return 0;
}
