/* SPDX-License-Identifier: Apache-2.0 */
/* Faults that lists of tools show: methods that are missing, tools that have another name. Lists
 * and calls agree, so only what holds for every call of a tool is in them. */
#include "engine/http/call.h"
#include "guard/judge.h"
#include "guard/faults/trouble.h"

#define EVERY 1000000 /* chance, in millionths */

/* It happens to all calls that match, at this moment. */
static bool is_in_force(const struct fault_rule *r, const struct fault_count *n, int64_t now)
{
    bool all = !r->parts && !r->times && !r->when && r->chance >= EVERY && r->from <= 1 && !r->to &&
               r->every <= 1;
    return now >= r->after_us && now < r->before_us &&
           (!r->once_called || n->called >= r->once_calls) && (all || fault_lasts(r, n, now));
}

int trouble_outside(struct call *c, const struct trouble *t)
{
    bool *in_force, any = false;
    if (!t || !t->faults)
        return 0;
    in_force = arena_calloc(c->tx.arena, t->faults->n + 1, sizeof *in_force);
    if (!c->judged)
        c->judged = arena_calloc(c->tx.arena, 1, sizeof *c->judged);
    if (arena_failed(c->tx.arena)) {
        c->judged = NULL;
        return sosia_fail_memory(c->tx.err);
    }
    for (size_t i = 0; i < t->faults->n; i++) {
        enum fault_kind kind = t->faults->rules[i].fault.kind;
        in_force[i] = (kind == FAULT_MISSING || kind == FAULT_RENAMED) &&
                      is_in_force(&t->faults->rules[i], &t->counts[i], c->tx.now_us);
        any |= in_force[i];
    }
    c->judged->in_force = in_force;
    c->judged->faults = any ? fault_rules_ref(t->faults) : NULL;
    return 0;
}

static bool has(const struct fault_names *names, const char *name)
{
    for (size_t i = 0; name && i < names->n; i++)
        if (fault_name_matches(names->list[i], name))
            return true;
    return !names->n;
}

static const char *actor_of(const struct call *c)
{
    return c->actor.id ? c->actor.handle : NULL;
}

bool trouble_shows(const struct call *c, const struct dialect *d, const struct route *route,
                   const char *tool)
{
    const struct fault_rules *rules = c->judged->faults;
    for (size_t i = 0; rules && i < rules->n; i++) {
        const struct fault_rule *r = &rules->rules[i];
        if (c->judged->in_force[i] && r->fault.kind == FAULT_MISSING &&
            has(&r->methods, route->id) && (!r->risks || r->risks & 1u << route->risk) &&
            has(&r->vendors, d->vendor ? d->vendor->name : NULL) && has(&r->services, d->name) &&
            has(&r->actors, actor_of(c)) && (!r->tools.n || (tool && has(&r->tools, tool))))
            return false;
    }
    return true;
}

const char *trouble_tool_name(const struct call *c, const char *name, bool back)
{
    const struct fault_rules *rules = c->judged->faults;
    for (size_t i = 0; rules && i < rules->n; i++) {
        const struct fault_rule *r = &rules->rules[i];
        if (!c->judged->in_force[i] || r->fault.kind != FAULT_RENAMED ||
            !has(&r->actors, actor_of(c)))
            continue;
        if (strcmp(back ? r->fault.to : r->tools.list[0], name) == 0)
            return back ? r->tools.list[0] : r->fault.to;
        if (back && strcmp(r->tools.list[0], name) == 0)
            return NULL; /* nobody is called so any more */
    }
    return name;
}
