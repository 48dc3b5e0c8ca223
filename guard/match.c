/* SPDX-License-Identifier: Apache-2.0 */
/* Rules held against the call itself. */
#include "engine/api/router.h"
#include "engine/base/codec.h"
#include "engine/http/entry.h"
#include "engine/text/civil.h"
#include "engine/text/tz.h"
#include "guard/action.h"
#include "guard/judge.h"
#include "guard/reach.h"
#include "engine/json/build.h"
#include "guard/taint/taint.h"
#include "identity/app.h"
#include <gnutls/crypto.h>
#include <stdio.h>
#include <stdlib.h>

#define WORK 10000000 /* steps of expressions, for all of a call's arguments */

/* ---- arguments ---- */

static void write_value(struct json_writer *w, const struct param_value *v, const char *name)
{
    if (v->def->type == PARAM_INT && !v->wrong)
        json_int(w, name, v->number);
    else if (v->def->type == PARAM_BOOL && !v->wrong)
        json_bool(w, name, v->number != 0);
    else
        json_strn(w, name, v->text, v->len);
}

static void write_param(struct json_writer *w, const struct call *c, const struct param *p)
{
    const struct param_value *v = param_nth(c, p->name, 0);
    if (!v)
        return;
    if (p->repeated) {
        json_arr(w, p->name);
        for (size_t i = 0; (v = param_nth(c, p->name, i)); i++)
            write_value(w, v, NULL);
        json_end(w);
    } else if (p->type == PARAM_JSON) {
        const struct json *parsed;
        struct sosia_err ignored;
        if (json_parse(c->tx.arena, v->text, v->len, NULL, &parsed, &ignored) == 0)
            json_value(w, p->name, parsed);
        else
            write_value(w, v, p->name);
    } else {
        write_value(w, v, p->name);
    }
}

static bool is_param(const struct route *r, const char *name)
{
    for (size_t i = 0; i < r->n_params; i++)
        if (strcmp(r->params[i].name, name) == 0)
            return true;
    return false;
}

/* What no parameter of the row has: fields of a form, members that only the handler knows. */
static void write_others(struct json_writer *w, const struct call *c)
{
    for (size_t i = 0; i < c->n_items; i++) {
        const struct query_item *item = &c->items[i];
        bool again = is_param(c->route, item->name);
        for (size_t k = 0; k < i && !again; k++)
            again = strcmp(c->items[k].name, item->name) == 0;
        if (!again && item->place != IN_HEADER)
            json_strn(w, item->name, item->text, item->len);
    }
}

const struct json *call_arguments(struct call *c, struct judged *j)
{
    struct json_builder build;
    struct json_writer w;
    struct buf failed;
    if (j->arguments)
        return j->arguments;
    buf_init(&failed, 0);
    json_build_init(&build, c->tx.arena);
    json_init_build(&w, &build, &failed);
    json_obj(&w, NULL);
    for (size_t i = 0; i < c->route->n_params; i++)
        write_param(&w, c, &c->route->params[i]);
    write_others(&w, c);
    if (c->body && !c->form)
        json_value(&w, "body", c->body);
    json_end(&w);
    j->arguments = buf_failed(&failed) ? NULL : json_build_root(&build);
    json_build_done(&build);
    buf_done(&failed);
    return j->arguments;
}

/* What expressions cost too much to be answered holds: nothing gets by for being costly. */
static bool arguments_hold(struct call *c, struct judged *j, const struct policy_rule *rule)
{
    const struct json *arguments = call_arguments(c, j);
    struct predicate_work work = {.left = WORK};
    const char *domain = reach_domain(c->actor.email);
    const struct json values[] = {
        {.type = JSON_STRING, .n = (uint32_t)strlen(c->actor.email), .str = c->actor.email},
        {.type = JSON_STRING, .n = (uint32_t)strlen(domain), .str = domain}};
    const struct variable list[] = {{"actor", &values[0]}, {"domain", &values[1]}};
    const struct predicate_context context = {
        .arena = c->tx.arena, .work = &work, .variables = {.list = list, .n = SOSIA_LEN(list)}};
    return !arguments || conditions_hold(&context, rule->arguments, arguments) || work.cut;
}

/* ---- who and what ---- */

static const char *service_word(const struct dialect *d, char word[64])
{
    snprintf(word, 64, "%.*s", (int)strcspn(d->name, "."), d->name);
    return word;
}

static bool is_service(const struct name_set *s, const struct dialect *d)
{
    char word[64];
    return !s->n || name_set_has(s, d->name) || name_set_has(s, service_word(d, word)) ||
           (d->tools && name_set_has(s, d->tools->name));
}

static bool is_actor(const struct name_set *s, const struct actor *a)
{
    return !s->n ||
           (a->id && (name_set_has(s, a->handle) || (*a->email && name_set_has(s, a->email))));
}

int call_token_digest(const struct call *c, char ret_hex[65])
{
    uint8_t sum[32];
    if (c->again && !c->again->credential) {
        const char *was = c->again->token_sha256;
        if (was)
            snprintf(ret_hex, 65, "%s", was);
        return was ? 0 : -1;
    }
    if (gnutls_hash_fast(GNUTLS_DIG_SHA256, c->token, strlen(c->token), sum) < 0)
        return -1;
    hex_encode(ret_hex, sum, sizeof sum);
    return 0;
}

const char *call_app(struct call *c, struct judged *j)
{
    struct ident_app app;
    if (j->app)
        return j->app;
    int found = c->app ? app_get(&c->tx, c->app, &app) : 0;
    if (found < 0)
        return NULL;
    return j->app = found ? app.client_id : "";
}

static bool has_scope(const struct call *c, const struct name_set *s)
{
    if (!s->n || c->scopes.all)
        return true;
    for (int i = 0; i < SCOPE_WORDS * 64; i++) {
        const char *name = c->scopes.bits[i / 64] >> (i % 64) & 1
                               ? router_scope_name(c->tx.engine->router, i)
                               : NULL;
        if (name && name_set_has(s, name))
            return true;
    }
    return false;
}

static bool in_time(const struct rule_time *t, int64_t now_us)
{
    if (now_us < t->after_us || now_us >= t->before_us)
        return false;
    if (t->from_min == t->to_min && !t->days)
        return true;
    int64_t local =
        now_us + (t->zone ? tz_offset(t->zone, now_us / US_PER_SECOND) : 0) * US_PER_SECOND;
    int64_t day = local / (86400 * US_PER_SECOND), in_day = local % (86400 * US_PER_SECOND);
    if (in_day < 0) {
        in_day += 86400 * US_PER_SECOND;
        day--;
    }
    int minute = (int)(in_day / (60 * US_PER_SECOND));
    int weekday = (int)(((day + 3) % 7 + 7) % 7); /* 1970 began with a Thursday */
    bool hours = t->from_min == t->to_min ||
                 (t->from_min < t->to_min ? minute >= t->from_min && minute < t->to_min
                                          : minute >= t->from_min || minute < t->to_min);
    return hours && (!t->days || t->days >> weekday & 1);
}

static const char *kind_of(const struct call *c)
{
    return c->token_kind == TOKEN_BOT ? "bot" : c->token_kind == TOKEN_APP ? "app" : "user";
}

/* What a caller says of its workflow is a claim: it chooses between the policies of workflows, and
 * who names none that there is one for is under all of them. */
static bool is_in_workflow(const struct call *c, const struct policy *p)
{
    const char *named = call_request_header(c, ENTRY_LABEL_OWN "workflow");
    const struct guard_state *s = guard_state_of(&c->tx);
    if (!p->workflows.n || (named && name_set_has(&p->workflows, named)))
        return true;
    for (size_t i = 0; named && s && i < s->n; i++) {
        const struct name_set *others = &s->policies[i].policy->workflows;
        if (others->n && name_set_has(others, named))
            return false;
    }
    return true;
}

/* 1, 0, -1. What is approved may be committed by another token than the one that it was asked with:
 * the policies of either are for it. */
static int is_token(struct call *c, struct judged *j, const struct name_set *s)
{
    char hex[65];
    const char *asked;
    if (!s->n)
        return 1;
    j->asks_token = true;
    /* one that can't be told counts as it */
    if (c->token && (call_token_digest(c, hex) < 0 || name_set_has(s, hex)))
        return 1;
    int r = action_token(c, &asked);
    return r == 1 ? !asked || name_set_has(s, asked) : r;
}

int policy_applies(struct call *c, struct judged *j, const struct policy *p)
{
    if (!is_actor(&p->actors, &c->actor) || !name_set_has(&p->kinds, kind_of(c)) ||
        !is_in_workflow(c, p))
        return 0;
    int token = is_token(c, j, &p->tokens);
    if (token < 1)
        return token;
    if (!p->apps.n)
        return 1;
    const char *app = call_app(c, j);
    return app ? name_set_has(&p->apps, app) : -1;
}

static bool is_by_tool(const struct policy_rule *rule, const char *tool)
{
    return !rule->tools.n || (tool && name_set_has(&rule->tools, tool));
}

/* What a rule says of the method, and nothing else of the call. */
bool rule_is_of_method(const struct policy_rule *rule, const struct dialect *d,
                       const struct route *route)
{
    return name_set_has(&rule->methods, route->id) &&
           (!rule->vendors.n || name_set_has(&rule->vendors, d->vendor->name)) &&
           is_service(&rule->services, d);
}

static void find_rules(const struct policy *p, struct method_rules *m, const struct call *c)
{
    m->dialect = c->dialect;
    m->route = c->route;
    for (size_t i = 0; i < p->n; i++)
        m->bits[i / 64] |= (uint64_t)rule_is_of_method(&p->rules[i], c->dialect, c->route)
                           << i % 64;
}

const struct method_rules *policy_rules_of(struct call *c, struct policy *p)
{
    size_t first = ((uintptr_t)c->route / sizeof *c->route) % POLICY_METHODS;
    size_t size = sizeof(struct method_rules) + (p->n + 63) / 64 * sizeof(uint64_t);
    for (size_t i = 0; i < 4; i++) {
        _Atomic(struct method_rules *) *at = &p->methods[(first + i) % POLICY_METHODS];
        struct method_rules *m = atomic_load_explicit(at, memory_order_acquire), *none = NULL;
        if (!m && (m = calloc(1, size))) {
            find_rules(p, m, c);
            if (!atomic_compare_exchange_strong(at, &none, m)) {
                free(m); /* another thread's is there */
                m = none;
            }
        }
        if (m && m->route == c->route && m->dialect == c->dialect)
            return m;
    }
    struct method_rules *own = arena_calloc(c->tx.arena, 1, size);
    if (arena_failed(c->tx.arena)) {
        sosia_fail_memory(c->tx.err);
        return NULL;
    }
    find_rules(p, own, c);
    return own;
}

/* Effects that need a call to be undone have none on calls that only read. */
static bool is_for_writes(const struct policy_rule *rule)
{
    return rule->outcome || rule->reaches || rule->asks_reached || rule->effect == EFFECT_APPROVE ||
           rule->effect == EFFECT_DRY_RUN;
}

static enum match_result risk_matches(const struct call *c, const struct policy_rule *rule,
                                      bool late)
{
    enum risk risk = late && c->risk > c->route->risk ? c->risk : c->route->risk;
    if (!rule->risks)
        return MATCH_YES;
    /* What decides on more is known when its handler has read the arguments. */
    if (!late && c->route->risk_of)
        return rule->risks >> risk ? MATCH_LATER : MATCH_NO;
    return rule->risks >> risk & 1 ? MATCH_YES : MATCH_NO;
}

enum match_result rule_matches(struct call *c, struct judged *j, const struct policy_rule *rule,
                               bool late)
{
    if (!is_by_tool(rule, c->tool) || (is_for_writes(rule) && !c->tx.write) ||
        !is_actor(&rule->actors, &c->actor) ||
        !name_set_has(&rule->roles, c->actor.id ? c->actor.kind : "") ||
        !has_scope(c, &rule->scopes) || (rule->time && !in_time(rule->time, c->tx.now_us)))
        return MATCH_NO;
    enum match_result risk = risk_matches(c, rule, late);
    if (risk == MATCH_NO)
        return MATCH_NO;
    if (rule->apps.n) {
        const char *app = call_app(c, j);
        if (app && !name_set_has(&rule->apps, app)) /* one that can't be found counts as it */
            return MATCH_NO;
    }
    bool whole = late || !c->upload; /* of an upload the arguments are known at its end */
    if (rule->arguments && whole && !arguments_hold(c, j, rule))
        return MATCH_NO;
    bool later = !whole || (rule->asks_reached && !late);
    int tainted = rule->asks_taint && !later ? taint_holds(c, j, rule) : 1;
    if (tainted < 1 && (!tainted || rule->effect == EFFECT_ALLOW)) /* else what fails holds */
        return MATCH_NO;
    return risk == MATCH_LATER || (rule->arguments && !whole) || (rule->asks_taint && later) ||
                   rule->outcome || rule->reaches
               ? MATCH_LATER
               : MATCH_YES;
}

/* ---- lists ---- */

bool policy_shows(const struct call *c, const struct policy *p, const struct dialect *d,
                  const struct route *route, const char *tool)
{
    for (size_t i = 0; i < p->n; i++) {
        const struct policy_rule *rule = &p->rules[i];
        if (rule->effect < EFFECT_ALLOW || !rule_is_of_method(rule, d, route) ||
            !is_by_tool(rule, tool) || !is_actor(&rule->actors, &c->actor) ||
            !name_set_has(&rule->roles, c->actor.id ? c->actor.kind : ""))
            continue;
        if (rule->effect != EFFECT_DENY)
            return true; /* some call of it may be allowed */
        bool all = !rule->arguments && !rule->asks_taint && !rule->outcome && !rule->reaches &&
                   !rule->time && !rule->apps.n && !rule->scopes.n &&
                   (!rule->risks || (rule->risks >> route->risk & 1 && !route->risk_of));
        if (all)
            return false;
    }
    if (p->otherwise == OTHERWISE_TIERS)
        return p->tiers[route->risk] != EFFECT_DENY;
    return p->otherwise == OTHERWISE_ALLOW;
}
