/* SPDX-License-Identifier: Apache-2.0 */
/* Which of the ways to bind a task's variables gives the highest reward, and what that is. */
#include "grading/grading_impl.h"

bool grading_counts(const struct grading *g, size_t row)
{
    return g->task->closed && !g->ep.rows[row].consequence;
}

static double reward_of(const struct grading *g, const struct result *r)
{
    const struct task *t = g->task;
    double earned = 0, all = 0, factor = r->unexpected || r->n_strays ? t->collateral : 1;
    bool failed = false;
    if (g->suite->loose)
        return (double)r->passed / (double)t->n_assertions;
    for (size_t i = 0; i < t->n_assertions; i++) {
        const struct assertion *a = &t->assertions[i];
        const struct verdict *v = &r->verdicts[i];
        if (!v->passed && a->required)
            return 0;
        if (g->ep.guard[a->number]) {
            if (!v->passed)
                factor = factor < t->collateral ? factor : t->collateral;
            continue;
        }
        failed |= !v->passed;
        all += a->weight;
        earned += a->weight * v->score;
    }
    return (all > 0 ? earned / all : !failed) * factor;
}

/* What is the same whatever variables are bound to is asked once. */
static int judge_once(struct grading *g, size_t i, struct verdict *ret, bool *covered)
{
    struct known *k = &g->known[i];
    if (!k->covered) {
        struct arena *own = g->ep.kept;
        bool *rows = arena_calloc(g->arena, g->ep.n + 1, sizeof *rows);
        if (arena_failed(g->arena))
            return sosia_fail_memory(g->ep.err);
        g->ep.kept = g->arena;
        int rc = episode_judge(&g->ep, &g->task->assertions[i], &k->verdict, rows);
        g->ep.kept = own;
        if (rc < 0)
            return -1;
        k->covered = rows;
    }
    *ret = k->verdict;
    for (size_t row = 0; row < g->ep.n; row++)
        covered[row] |= k->covered[row];
    return 0;
}

/* With bodies, where assertions look at calls. */
static const struct json *call_of_deed(const struct grading *g, const struct deed *deed)
{
    uint32_t low = 0, high = g->ep.calls ? g->ep.calls->n : 0;
    while (low < high) { /* they are in their order */
        uint32_t middle = low + (high - low) / 2;
        int64_t seq = json_get_int(&g->ep.calls->items[middle], "seq", 0);
        if (seq == deed->seq)
            return &g->ep.calls->items[middle];
        if (seq < deed->seq)
            low = middle + 1;
        else
            high = middle;
    }
    return deed->call;
}

static int judge_all(struct grading *g, struct result *r)
{
    const struct task *t = g->task;
    for (size_t i = 0; i < t->n_assertions; i++) {
        bool once = g->n_variables && !t->assertions[i].uses;
        if ((once ? judge_once(g, i, &r->verdicts[i], r->covered)
                  : episode_judge(&g->ep, &t->assertions[i], &r->verdicts[i], r->covered)) < 0)
            return -1;
        r->passed += r->verdicts[i].passed;
    }
    for (size_t i = 0; i < g->ep.n; i++)
        r->unexpected +=
            grading_counts(g, i) && !r->covered[i] && !episode_allows(&g->ep, &g->ep.rows[i]);
    for (size_t i = 0; t->closed_calls && i < g->deeds.n; i++) {
        r->strays[i] =
            g->deeds.list[i].stray &&
            !episode_allows_call(&g->ep, r->verdicts, call_of_deed(g, &g->deeds.list[i]));
        r->n_strays += r->strays[i];
    }
    return 0;
}

static int settle(struct grading *g)
{
    const struct task *t = g->task;
    struct arena *own = &g->results[!g->best_at];
    struct result r = {0};
    struct variable *variables;
    arena_reset(own);
    r.verdicts = arena_calloc(own, t->n_assertions, sizeof *r.verdicts);
    r.covered = arena_calloc(own, g->ep.n + 1, sizeof *r.covered);
    r.strays = arena_calloc(own, g->deeds.n + 1, sizeof *r.strays);
    variables = arena_calloc(own, g->n_variables + 1, sizeof *variables);
    if (arena_failed(own))
        return sosia_fail_memory(g->ep.err);
    memcpy(variables, g->variables, g->n_variables * sizeof *variables);
    r.variables = (struct variables){.list = variables, .n = g->n_variables};
    g->ep.c.variables = r.variables;
    g->ep.kept = own;
    int rc = judge_all(g, &r);
    g->ep.kept = g->arena;
    if (rc < 0)
        return -1;
    if (arena_failed(own) || g->ep.failed)
        return sosia_fail_memory(g->ep.err);
    r.good = r.passed == t->n_assertions && !r.unexpected && !r.n_strays;
    r.reward = r.good ? 1 : reward_of(g, &r);
    if (!g->best.verdicts || r.reward > g->best.reward ||
        (r.reward == g->best.reward && r.passed > g->best.passed)) {
        g->best = r;
        g->best_at = !g->best_at;
    }
    return 0;
}

/* ---- variables ---- */

struct candidates {
    struct grading *g;
    const struct assertion *a;
    const struct json **list;
    size_t n, cap;
};

static int add_candidate(void *arg, const struct json *value, size_t row)
{
    struct candidates *c = arg;
    (void)row;
    if (c->n == GRADING_MATCHES) {
        c->g->more = true;
        return 1;
    }
    if (c->a->kind == ASSERT_STATE && !(value = value_copy(c->g->arena, value, c->g->ep.err)))
        return -1;
    const struct json **list = arena_grow(c->g->arena, c->list, c->n, &c->cap, sizeof *list);
    if (!list)
        return sosia_fail_memory(c->g->ep.err);
    c->list = list;
    c->list[c->n++] = value;
    return 0;
}

/* Binds what the assertions from place k on bind, in each way, and settles. */
int grading_solve(struct grading *g, size_t k)
{
    const struct task *t = g->task;
    while (t->order && k < t->n_assertions && !t->assertions[t->order[k]].bind)
        k++;
    if (!t->order || k == t->n_assertions) {
        g->tries++;
        return settle(g);
    }
    const struct assertion *a = &t->assertions[t->order[k]];
    struct candidates c = {.g = g, .a = a};
    size_t mark = g->n_variables;
    g->ep.c.variables = (struct variables){.list = g->variables, .n = mark};
    if (episode_matches(&g->ep, a, add_candidate, &c) < 0)
        return -1;
    if (!c.n)
        return grading_solve(g, k + 1);
    for (size_t i = 0; i < c.n; i++) {
        if (g->tries == GRADING_BINDINGS) {
            g->more = true;
            break;
        }
        for (const struct binding *b = a->bind; b; b = b->next) {
            const struct json *v = value_at_path(c.list[i], b->path, false);
            if (v)
                g->variables[g->n_variables++] = (struct variable){.name = b->name, .value = v};
        }
        if (grading_solve(g, k + 1) < 0)
            return -1;
        g->n_variables = mark;
    }
    return 0;
}

/* What holds where nothing was done; start: the state at the beginning. */
int grading_find_guards(struct grading *g, struct tx *start)
{
    static const struct json no_calls = {.type = JSON_ARRAY};
    const struct task *t = g->task;
    struct episode empty = g->ep;
    bool none = false;
    g->ep.guard = arena_calloc(g->arena, t->n_numbered + 1, sizeof *g->ep.guard);
    g->known = arena_calloc(g->arena, t->n_assertions, sizeof *g->known);
    if (arena_failed(g->arena))
        return sosia_fail_memory(g->ep.err);
    empty.guard = g->ep.guard;
    empty.finds_guards = true;
    empty.n = 0;
    empty.calls = &no_calls;
    empty.answer = NULL;
    empty.judgements = NULL;
    empty.tx = start;
    empty.c.variables = (struct variables){0};
    empty.silent = true;
    for (size_t i = 0; !g->suite->loose && i < t->n_assertions; i++) {
        struct verdict v;
        if (episode_judge(&empty, &t->assertions[i], &v, &none) < 0)
            return -1;
    }
    g->ep.sql_ns = empty.sql_ns;
    g->ep.full |= empty.full;
    return empty.failed ? sosia_fail_memory(g->ep.err) : 0;
}
