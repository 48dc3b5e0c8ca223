/* SPDX-License-Identifier: Apache-2.0 */
/* What a call must pass before its handler runs: credential, scopes, rates, parameters, body. */
#include "engine/http/admit.h"
#include "engine/base/codec.h"
#include "engine/http/entry.h"
#include "engine/http/param.h"
#include "engine/http/token.h"
#include "engine/world/engine.h"
#include "engine/world/rate.h"

static int parse_body(struct call *c)
{
    const struct sosia_request *r = c->request;
    bool json = c->route->body == BODY_JSON || c->route->body == BODY_JSON_OPTIONAL;
    if (!json || !r->body_len || c->upload || c->form)
        return 0;
    return call_read_json(c, r->body, r->body_len);
}

/* What distinguishes the buckets of a class that has one for each value of an argument. */
static uint64_t value_key(const struct call *c, const char *name)
{
    for (size_t i = 0; i < c->n_items; i++)
        if (strcmp(c->items[i].name, name) == 0)
            return hash_bytes(c->items[i].text, c->items[i].len);
    return hash_bytes(c->path, c->path_len);
}

static uint64_t bucket_key(const struct call *c, const struct rate_class *r)
{
    const char *whose = r->together ? c->dialect->vendor->name : c->dialect->name;
    uint64_t h = hash_bytes(whose, strlen(whose));
    if (r->by)
        h = h * UINT64_C(0x9e3779b97f4a7c15) + value_key(c, r->by);
    h = h * UINT64_C(0x9e3779b97f4a7c15) + hash_bytes(r->name, strlen(r->name));
    if (r->per_method)
        h = h * UINT64_C(0x9e3779b97f4a7c15) + hash_bytes(c->route->id, strlen(c->route->id));
    if (r->per_app)
        h = h * UINT64_C(0x9e3779b97f4a7c15) + (uint64_t)c->app;
    return h + (r->per_actor ? (uint64_t)c->actor.id + 1 : 0);
}

static bool counts_in(const struct call *c, const struct rate_class *r)
{
    return !c->route->rate || strcmp(c->route->rate, r->name) == 0;
}

/* What calls without entries took until now is said in the entry of this one, if it gets one, and
 * known from there when it runs again. */
static void know_rates(struct call *c)
{
    struct world *w = c->tx.world;
    const enum sosia_journal_mode mode = world_journal_mode(w);
    if (c->again && c->again->rates)
        rate_set(w, c->rates = c->again->rates);
    else if (!c->again && mode != SOSIA_JOURNAL_NONE &&
             (c->tx.write || mode == SOSIA_JOURNAL_ALL || (w->extra && w->extra->guard)))
        c->rates = rate_unnoted(w, c->tx.arena);
}

/* Counts the call, in all its classes or in none. */
static int count_rate(struct call *c)
{
    struct world *w = c->tx.world;
    int64_t cost = c->route->cost ? c->route->cost : 1, now = c->tx.now_us;
    if (rate_load(&c->tx) < 0)
        return -1;
    know_rates(c);
    for (const struct rate_class *r = c->dialect->rates; r->name; r++) {
        int64_t wait =
            counts_in(c, r) ? rate_wait(w, bucket_key(c, r), r->limit, r->period_us, cost, now) : 0;
        if (wait) {
            c->over = r;
            c->retry_us = wait;
            return call_fail(c, SOSIA_E_LIMIT, "rate", NULL, "too many calls: %s", r->name);
        }
    }
    for (const struct rate_class *r = c->dialect->rates; r->name; r++)
        if (counts_in(c, r))
            rate_take(w, bucket_key(c, r), r->limit, r->period_us, cost, now);
    return 0;
}

bool call_takes_token(const struct call *c, const struct route *r)
{
    return (!r->token_kinds || r->token_kinds & c->token_kind) && (!r->takes || r->takes(c));
}

/* The vendor takes the caller, and the token's kind is one that the method takes. */
static int check_caller(struct call *c)
{
    if (c->front && c->front->caller && c->front->caller(c) < 0)
        return -1;
    if (!call_takes_token(c, c->route))
        return call_fail(c, SOSIA_E_FORBIDDEN, "tokenKind", "Authorization",
                         "the method does not take tokens of this kind");
    return 0;
}

/* The actor that the entry names. */
static int authenticate_again(struct call *c, const struct resolver *resolver)
{
    const struct replayed *a = c->again;
    int r = resolver->find(&c->tx, a->actor, &c->actor);
    if (r <= 0)
        return r < 0 ? -1
                     : call_fail(c, SOSIA_E_UNAUTHENTICATED, "invalid", "Authorization",
                                 "there is nobody \"%.80s\"", a->actor);
    c->app = a->app;
    c->account = a->account;
    c->tenant = a->tenant;
    c->token_kind = a->kind;
    c->token_expires_us = a->expires_us;
    c->scopes.all = !a->scopes;
    for (const char *p = a->scopes; p && *p;) {
        size_t n = strcspn(p, " ");
        int at = scope_number(c->tx.engine, p, n);
        if (at >= 0)
            c->scopes.bits[at / 64] |= UINT64_C(1) << (at % 64);
        p += n + strspn(p + n, " ");
    }
    return 0;
}

/* The actor of the credential. The engine's signature is checked here, the rest by the resolver. */
static int find_caller(struct call *c, struct worker *k)
{
    const struct token_claims *claims = NULL;
    const struct resolver *resolver = resolver_of(&c->tx);
    struct principal who;
    const char *refused = NULL;
    if (resolver && c->again && !c->again->credential)
        return authenticate_again(c, resolver);
    int r = resolver ? token_read(c->tx.engine, k, c->token, strlen(c->token), &claims) : 0;
    if (!resolver)
        return -1;
    if (r < 0 || (r && claims->world != c->tx.world->id))
        refused = "invalid";
    else if (r && claims->expires_us && claims->expires_us <= c->tx.now_us)
        refused = "expired";
    if (refused)
        return call_fail(c, SOSIA_E_UNAUTHENTICATED, refused, "Authorization",
                         "the token is not valid");
    c->claims = r ? claims : NULL;
    if (resolver->resolve(&c->tx, k, c->token, c->claims, &who) < 0)
        return -1;
    c->actor = who.actor;
    c->app = who.app;
    c->account = who.account;
    c->token_kind = who.kind;
    c->scopes = who.scopes;
    c->token_expires_us = who.expires_us;
    return 0;
}

static int authenticate(struct call *c, struct worker *k)
{
    return find_caller(c, k) < 0 ? -1 : check_caller(c);
}

bool admit_knows(struct call *c)
{
    struct sosia_err why = *c->tx.err;
    bool known = c->token && c->worker && resolver_of(&c->tx) && authenticate(c, c->worker) == 0;
    *c->tx.err = why;
    return known;
}

/* The call is refused before its credential was asked for: whose it was, if anybody's, is said in
 * the journal. */
static int refused_before(struct call *c, struct worker *k)
{
    struct sosia_err why = *c->tx.err;
    if (c->token && !c->actor.id && resolver_of(&c->tx))
        (void)find_caller(c, k);
    *c->tx.err = why;
    return -1;
}

int admit_caller(struct call *c, struct worker *k)
{
    const struct front *front = c->front;
    if (front && front->begin && front->begin(c) < 0)
        return refused_before(c, k);
    if (c->bad_input) {
        call_fail(c, SOSIA_E_INVALID, c->bad_input, NULL, "the arguments are not well encoded");
        return refused_before(c, k);
    }
    if (!c->route) {
        call_fail(c, c->path_known ? SOSIA_E_METHOD_NOT_ALLOWED : SOSIA_E_NOT_FOUND,
                  "unknownMethod", NULL, "there is no such method");
        return refused_before(c, k);
    }
    if (!c->route->anonymous && !c->admitted) {
        if (!c->token)
            return call_fail(c, SOSIA_E_UNAUTHENTICATED, "required", "Authorization",
                             "a token is required");
        if (authenticate(c, k) < 0)
            return -1;
        if (!call_has_scope(c, c->route->scopes))
            return call_fail(c, SOSIA_E_FORBIDDEN, "scope", "Authorization",
                             "the token lacks the scope");
    } else if (c->token && !c->admitted) {
        if (authenticate(c, k) < 0)
            return -1;
        if (c->route->scopes && !call_has_scope(c, c->route->scopes))
            return call_fail(c, SOSIA_E_FORBIDDEN, "scope", "Authorization",
                             "the token lacks the scope");
    }
    return 0;
}

int admit(struct call *c, struct worker *k, const struct match *m)
{
    if (admit_caller(c, k) < 0)
        return -1;
    if (c->request->head_only)
        return call_fail(c, SOSIA_E_CONFLICT, "headOnly", NULL,
                         "the call was refused before its body came, and would be served now");
    if (!c->route->outside && c->tx.world->flags & WORLD_RATES && c->dialect->rates && c->tx.db &&
        count_rate(c) < 0) /* outside the world is not locked */
        return -1;
    c->bad_param = params_parse(c, m) < 0;
    if (c->bad_param || parse_body(c) < 0)
        return -1;
    return c->front->check ? c->front->check(c) : 0;
}
