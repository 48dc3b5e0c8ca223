/* SPDX-License-Identifier: Apache-2.0 */
/* Which of a world's faults a call gets. */
#include "engine/http/call.h"
#include "grading/sql.h"
#include "guard/faults/faults.h"
#include <xxhash.h>

#define MILLION 1000000
/* Of a processor, that a rule's question may take, in nanoseconds. */
#define QUESTION_NS INT64_C(20000000)

bool fault_name_matches(const char *pattern, const char *name)
{
    const char *star = NULL, *back = NULL;
    while (*name) {
        if (*pattern == '*') {
            star = pattern++;
            back = name;
        } else if (*pattern == *name) {
            pattern++;
            name++;
        } else if (star) {
            pattern = star + 1;
            name = ++back;
        } else {
            return false;
        }
    }
    while (*pattern == '*')
        pattern++;
    return !*pattern;
}

static bool listed(const struct fault_names *names, const char *name)
{
    for (size_t i = 0; name && i < names->n; i++)
        if (fault_name_matches(names->list[i], name))
            return true;
    return !names->n;
}

static bool matches(const struct call *c, const struct fault_rule *r)
{
    const struct dialect *d = c->dialect;
    return listed(&r->methods, c->route->id) && (!r->risks || r->risks & 1u << c->route->risk) &&
           listed(&r->vendors, d && d->vendor ? d->vendor->name : NULL) &&
           listed(&r->services, d ? d->name : NULL) &&
           listed(&r->actors, c->actor.id ? c->actor.handle : NULL) && (!r->parts || c->part) &&
           (!r->tools.n || (c->tool && listed(&r->tools, c->tool)));
}

/* True with the chance that the rule has: by the seed, the rule and the number of the call, so that
 * neither other rules nor other calls change what becomes of this one. */
static bool drawn(const struct fault_rules *rules, const struct fault_rule *r, uint64_t seed,
                  int64_t number)
{
    const uint64_t of[3] = {seed, (uint64_t)(r - rules->rules) + 1, (uint64_t)number};
    return r->chance >= MILLION || XXH3_64bits(of, sizeof of) % MILLION < r->chance;
}

/* 1, 0; a question that fails is not true. -1. */
static int holds(struct call *c, const struct fault_rule *r)
{
    const struct json *v;
    const char *why;
    int64_t left = QUESTION_NS, n;
    if (!r->when)
        return 1;
    int rc = sql_ask(&c->tx, r->when, &left, &v, &why);
    if (rc)
        return rc < 0 ? -1 : 0;
    return v && (json_is_true(v) || (json_i64(v, &n) == 0 && n != 0));
}

/* Of a call that matches and is the count's newest. 1, 0, -1. */
static int happens(struct call *c, const struct fault_rules *rules, const struct fault_rule *r,
                   struct fault_count *n)
{
    int64_t at = n->matched, now = c->tx.now_us;
    if (r->once_called && n->called < r->once_calls)
        return 0;
    if (now < r->after_us || now >= r->before_us)
        return 0;
    if (fault_lasts(r, n, now))
        return 1;
    if ((r->times && n->injected >= r->times) || at < r->from || (r->to && at > r->to) ||
        (at - r->from) % r->every)
        return 0;
    if (!drawn(rules, r, rules->seed ? rules->seed : c->tx.world->seed, at))
        return 0;
    return holds(c, r);
}

int faults_pick(struct call *c, const struct fault_rules *rules, struct fault_count *counts,
                const struct fault **ret)
{
    *ret = NULL;
    for (size_t i = 0; i < rules->n; i++) {
        const struct fault_rule *r = &rules->rules[i];
        struct fault_count *n = &counts[i];
        if (r->fault.kind != FAULT_RENAMED && matches(c, r)) {
            n->matched++;
            int rc = *ret ? 0 : happens(c, rules, r, n);
            if (rc < 0)
                return -1;
            if (rc) {
                n->injected++;
                if (r->lasts_s && !fault_lasts(r, n, c->tx.now_us))
                    n->until_us = c->tx.now_us + r->lasts_s * INT64_C(1000000);
                *ret = &r->fault;
            }
        }
        if (r->once_called && fault_name_matches(r->once_called, c->route->id))
            n->called++;
    }
    return 0;
}

void faults_unpick(const struct fault_rules *rules, struct fault_count *counts,
                   const struct fault *f)
{
    for (size_t i = 0; i < rules->n; i++)
        if (&rules->rules[i].fault == f) {
            counts[i].matched--;
            counts[i].injected--;
            counts[i].until_us = 0;
        }
}
