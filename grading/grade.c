/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An episode judged by a task: which assertions hold, what was done besides, and the reward.
 *
 * An assertion that holds where nothing was done is a guard: it earns nothing, but what breaks it
 * costs. The others are goals and earn their weight. Variables are bound by what assertions match;
 * where several things match, those are taken that give the highest reward.
 */
#include "grading/grade.h"
#include "grading/episode.h"
#include "engine/base/handle.h"
#include "engine/base/taken.h"
#include "grading/calls.h"
#include "grading/deeds.h"
#include "grading/tables.h"
#include "engine/base/codec.h"
#include "engine/json/doc.h"
#include "engine/state/before.h"
#include "engine/state/dump.h"
#include <stdio.h>
#include <stdlib.h>

#define GRADER   "5"       /* goes up when a verdict may change */
#define BINDINGS 256       /* ways to bind variables that are tried */
#define MATCHES  64        /* of an assertion that binds some */
#define WORK     200000000 /* steps of regular expressions, and the like */

struct result {
    struct verdict *verdicts; /* NULL: there is none yet */
    bool *covered;            /* by row */
    struct variables variables;
    double reward;
    size_t unexpected, passed;
    bool *strays; /* by deed: calls that have nothing to do with what is expected */
    size_t n_strays;
    bool good;
};

/* Of an assertion that uses no variables. */
struct known {
    struct verdict verdict;
    const bool *covered; /* by row; NULL: it was not asked yet */
};

struct grading {
    const struct sosia_suite *suite;
    const struct task *task;
    struct arena *arena;
    struct arena questions;  /* what is needed for one */
    struct arena results[2]; /* the best one, and the one that is made */
    int best_at;             /* which of them */
    const char *documents;   /* hash of those that the world was made of; NULL: of none */
    struct predicate_work work;
    struct episode ep;
    struct known *known; /* by assertion */
    struct result best;
    struct variable variables[VARIABLES_MAX];
    size_t n_variables;
    int tries;
    bool more;             /* ways to bind variables than were tried */
    uint64_t to;           /* the world */
    struct changes *whole; /* NULL: the diff is a document */
    struct calls_kept kept;
    struct deeds deeds;
    const char *reason;  /* why it can't be judged, a word for programs; NULL: it can */
    const char *lacking; /* the same for people */
};

/* ---- settling ---- */

static bool counts(const struct grading *g, size_t row)
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
        r->unexpected += counts(g, i) && !r->covered[i] && !episode_allows(&g->ep, &g->ep.rows[i]);
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
    if (c->n == MATCHES) {
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
static int solve(struct grading *g, size_t k)
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
        return solve(g, k + 1);
    for (size_t i = 0; i < c.n; i++) {
        if (g->tries == BINDINGS) {
            g->more = true;
            break;
        }
        for (const struct binding *b = a->bind; b; b = b->next) {
            const struct json *v = value_at_path(c.list[i], b->path, false);
            if (v)
                g->variables[g->n_variables++] = (struct variable){.name = b->name, .value = v};
        }
        if (solve(g, k + 1) < 0)
            return -1;
        g->n_variables = mark;
    }
    return 0;
}

/* What holds where nothing was done; start: the state at the beginning. */
static int find_guards(struct grading *g, struct tx *start)
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

/* ---- the result as JSON ---- */

static void write_share(struct json_writer *w, const char *name, double x)
{
    char text[32];
    if (x >= 0 && x <= 1000 && x == (int)x) { /* most are 0, 1 or 100 */
        json_int(w, name, (int)x);
        return;
    }
    int n = snprintf(text, sizeof text, "%.6g", x);
    if (x < 1 && strcmp(text, "1") == 0) /* less than all is not all */
        n = snprintf(text, sizeof text, "%.17g", x);
    json_number(w, name, text, (size_t)n);
}

static void write_count(struct json_writer *w, const struct assertion *a)
{
    if (a->kind > ASSERT_CALLS)
        return;
    if (a->min == a->max) {
        json_int(w, "expected", a->min);
        return;
    }
    json_obj(w, "expected");
    json_int(w, "min", a->min);
    if (a->max != INT64_MAX)
        json_int(w, "max", a->max);
    json_end(w);
}

static int write_part(struct grading *g, struct json_writer *w, const struct assertion *a,
                      const struct verdict *v, bool is_wanted);

/* What is in an "all", "any" or "not", as far as it is why that failed: judged again, as it was. */
static int write_inner(struct grading *g, struct json_writer *w, const struct assertion *a,
                       bool is_wanted)
{
    bool inner_wanted = is_wanted != (a->kind == ASSERT_NOT);
    bool *rows = arena_calloc(g->arena, g->ep.n + 1, sizeof *rows);
    if (arena_failed(g->arena))
        return sosia_fail_memory(g->ep.err);
    json_arr(w, "inner");
    for (size_t i = 0; i < a->n_inner; i++) {
        struct verdict v;
        if (episode_judge(&g->ep, &a->inner[i], &v, rows) < 0 ||
            (v.passed != inner_wanted && write_part(g, w, &a->inner[i], &v, inner_wanted) < 0))
            return -1;
    }
    json_end(w);
    return 0;
}

/* is_wanted: it is to hold, as all do but what is in a "not". */
static int write_part(struct grading *g, struct json_writer *w, const struct assertion *a,
                      const struct verdict *v, bool is_wanted)
{
    int rc = 0;
    json_obj(w, NULL);
    json_str(w, "assertion", a->place);
    json_int(w, "line", a->line);
    json_str(w, "kind", assertion_words[a->kind]);
    json_str_opt(w, "entity", a->entity);
    json_str_opt(w, "description", a->description);
    if (!g->suite->loose) {
        json_str(w, "role", g->ep.guard[a->number] ? "guard" : "goal");
        write_share(w, "weight", g->ep.guard[a->number] ? 0 : a->weight);
        json_bool_opt(w, "required", a->required);
    }
    json_bool(w, "passed", v->passed);
    write_share(w, "score", v->score);
    write_count(w, a);
    json_int(w, "found", v->n);
    if (v->passed != is_wanted) {
        json_str_opt(w, "why", v->why);
        if (a->inner && a->kind != ASSERT_ORDER && a->kind != ASSERT_AGGREGATE && !v->cut)
            rc = write_inner(g, w, a, is_wanted);
        else if (!v->cut)
            rc = episode_near(&g->ep, a, !is_wanted || v->n > a->max, w);
    }
    json_end(w);
    return rc;
}

/* Which call it was, as members of an open object; NULL: none is known. */
static void write_deed(struct json_writer *w, const struct deed *deed)
{
    static const char *const members[] = {"actor", "method", "target"};
    if (!deed)
        return;
    json_int(w, "seq", deed->seq);
    for (size_t i = 0; deed->call && i < SOSIA_LEN(members); i++)
        json_str_opt(w, members[i], json_get_str(deed->call, members[i]));
}

static void write_unexpected(struct grading *g, struct json_writer *w)
{
    json_arr(w, "unexpected");
    for (size_t i = 0; i < g->ep.n; i++) {
        const struct row *row = &g->ep.rows[i];
        if (!counts(g, i) || g->best.covered[i] || episode_allows(&g->ep, row))
            continue;
        json_obj(w, NULL);
        if (row->change) {
            change_write_members(w, row->change);
            write_deed(w, g->deeds.of_row ? g->deeds.of_row[i] : NULL);
        } else {
            json_str(w, "entity", row->entity);
            json_str(w, "change", change_words[row->kind]);
        }
        json_end(w);
    }
    json_end(w);
    if (!g->task->closed_calls)
        return;
    json_arr(w, "unexpected_calls");
    for (size_t i = 0; i < g->deeds.n; i++) {
        if (!g->best.strays[i])
            continue;
        json_obj(w, NULL);
        write_deed(w, &g->deeds.list[i]);
        json_end(w);
    }
    json_end(w);
}

#define NAMED 5 /* calls in a message */

/* Whether a deed has to do with a change that nothing expects. */
static bool is_unexpected(struct grading *g, const struct deed *deed)
{
    for (size_t i = 0; g->deeds.of_row && i < g->ep.n; i++)
        if (g->deeds.of_row[i] == deed && counts(g, i) && !g->best.covered[i] &&
            !episode_allows(&g->ep, &g->ep.rows[i]))
            return true;
    return false;
}

/* ": call 2 drive.files.create, ..." of strays or of what nobody expects; "": none is known. */
static const char *calls_named(struct grading *g, bool strays)
{
    struct buf b;
    int n = 0;
    buf_init(&b, 0);
    for (size_t i = 0; i < g->deeds.n && n <= NAMED; i++) {
        const struct deed *deed = &g->deeds.list[i];
        if (!deed->call || (strays ? !g->best.strays[i] : !is_unexpected(g, deed)))
            continue;
        const char *method = json_get_str(deed->call, "method");
        if (n++ == NAMED)
            buf_puts(&b, ", ...");
        else
            buf_printf(&b, "%s call %lld %s", n == 1 ? ":" : ",", (long long)deed->seq,
                       method ? method : "");
    }
    const char *text = arena_memdup(g->arena, buf_str(&b), b.len);
    buf_done(&b);
    return text;
}

static void write_failures(struct grading *g, struct json_writer *w)
{
    json_arr(w, "failures");
    if (g->reason)
        json_str(w, NULL, g->lacking);
    for (size_t i = 0; i < g->task->n_assertions; i++) {
        const struct assertion *a = &g->task->assertions[i];
        const struct verdict *v = &g->best.verdicts[i];
        if (!v->passed)
            json_str(w, NULL,
                     arena_printf(g->arena, "%s (line %d)%s%s: %s%s%s: %s", a->place, a->line,
                                  a->description ? " " : "", a->description ? a->description : "",
                                  assertion_words[a->kind], a->entity ? " " : "",
                                  a->entity ? a->entity : "", v->why ? v->why : "does not hold"));
    }
    if (g->best.unexpected)
        json_str(w, NULL,
                 arena_printf(g->arena, "%zu changes that nothing expects or allows%s",
                              g->best.unexpected, calls_named(g, false)));
    if (g->best.n_strays)
        json_str(w, NULL,
                 arena_printf(g->arena,
                              "%zu calls that have to do with nothing that is expected or "
                              "allowed%s",
                              g->best.n_strays, calls_named(g, true)));
    if (g->more && !g->best.good)
        json_str(w, NULL,
                 arena_printf(g->arena,
                              "variables can be bound in more ways than were tried (%d, with %d "
                              "matches of an assertion at most)",
                              BINDINGS, MATCHES));
    json_end(w);
}

static void write_versions(const struct grading *g, struct json_writer *w)
{
    json_obj(w, "versions");
    json_str(w, "grader", GRADER);
    json_str(w, "language", g->suite->version);
    json_str(w, "engine", SOSIA_VERSION);
    json_str(w, "suite", g->suite->hash);
    json_str_opt(w, "seed", g->documents);
    json_end(w);
}

static int write_result(struct grading *g, struct json_writer *w)
{
    const struct task *t = g->task;
    g->ep.c.variables = g->best.variables;
    json_obj(w, NULL);
    json_str(w, "suite", g->suite->name);
    json_str(w, "task", t->id);
    json_bool(w, "passed", g->best.good && !g->reason);
    json_str_opt(w, "reason", g->reason);
    write_share(w, "reward", g->reason ? 0 : g->best.reward);
    json_obj(w, "score");
    json_int(w, "passed", (int64_t)g->best.passed);
    json_int(w, "total", (int64_t)t->n_assertions);
    write_share(w, "percent",
                t->n_assertions ? (double)g->best.passed / (double)t->n_assertions * 100
                                : g->best.good * 100);
    json_end(w);
    write_failures(g, w);
    json_arr(w, "parts");
    for (size_t i = 0; i < t->n_assertions; i++)
        if (write_part(g, w, &t->assertions[i], &g->best.verdicts[i], true) < 0)
            return -1;
    json_end(w);
    write_unexpected(g, w);
    write_versions(g, w);
    json_end(w);
    return 0;
}

/* What the calls did, where that is judged. */
static int read_deeds(struct grading *g)
{
    if (deeds_read(g->whole->b.tx.engine, g->to, &g->kept, g->whole, g->arena, &g->deeds,
                   g->ep.err) < 0)
        return -1;
    if (!g->deeds.missing || !g->task->closed_calls || g->reason)
        return 0;
    g->reason = g->deeds.missing;
    g->lacking =
        strcmp(g->reason, "stepsNotKept") == 0
            ? "the world must keep the states that calls led to, which they are judged "
              "by, lacks some"
            : "the calls that are judged must be at most 1000, with 100000 effects, not more";
    return 0;
}

/* Judges and writes; start, now: the states, or NULL. */
static int run(struct grading *g, struct tx *start, struct buf *out)
{
    struct json_writer w;
    if (find_guards(g, start) < 0 || solve(g, 0) < 0)
        return -1;
    /* Whose work what nobody expects is. Where it can't be known the verdict is the same. */
    if (g->best.unexpected && g->whole && !g->task->closed_calls && read_deeds(g) < 0)
        g->deeds = (struct deeds){0};
    json_init(&w, out, true, NULL);
    if (write_result(g, &w) < 0)
        return -1;
    return arena_failed(g->arena) || g->ep.failed ? sosia_fail_memory(g->ep.err) : 0;
}

static const struct task *task_of(const struct sosia_suite *s, const char *id,
                                  struct sosia_err *err)
{
    const struct task *t = suite_task(s, id);
    if (!t)
        sosia_fail(err, SOSIA_E_NOT_FOUND, "taskNotFound", "task",
                   id ? "%s: the task must be one of the suite's, not \"%.60s\""
                      : "%s: the task must be named where a suite has several",
                   s->file, id);
    return t;
}

/* ---- calls ---- */

static bool asks_calls(const struct assertion *a, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (a[i].kind == ASSERT_CALLS || a[i].kind == ASSERT_ORDER ||
            asks_calls(a[i].inner, a[i].n_inner))
            return true;
    return false;
}

static bool is_of_body(const char *path)
{
    return !*path || *path == '*' || strncmp(path, "request", 7) == 0 ||
           strncmp(path, "response", 8) == 0;
}

static bool some_ask_bodies(const struct assertion *a, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        bool calls = a[i].kind == ASSERT_CALLS;
        for (const struct condition *c = calls ? a[i].where : NULL; c; c = c->next)
            if (is_of_body(c->path))
                return true;
        for (const struct binding *b = calls ? a[i].bind : NULL; b; b = b->next)
            if (is_of_body(b->path))
                return true;
        if ((a[i].field && is_of_body(a[i].field)) || some_ask_bodies(a[i].inner, a[i].n_inner))
            return true;
    }
    return false;
}

bool task_asks_calls(const struct task *t)
{
    for (const struct allowed *a = t->allow; a; a = a->next)
        if (a->calls)
            return true;
    return asks_calls(t->assertions, t->n_assertions);
}

/* Whether something is asked of bodies of calls, which are most of a journal. */
static bool asks_bodies(const struct task *t)
{
    for (const struct allowed *a = t->allow; a; a = a->next)
        for (const struct condition *c = a->calls; c; c = c->next)
            if (is_of_body(c->path))
                return true;
    return some_ask_bodies(t->assertions, t->n_assertions);
}

/* ---- worlds ---- */

/* What a suite speaks of is there. */
static int check_entities(const struct grading *g, const struct sosia_engine *e,
                          const struct assertion *a, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (a[i].entity && !kind_of_entity(e->kinds, a[i].entity)) {
            sosia_fail(g->ep.err, SOSIA_E_INVALID, "suite", NULL,
                       "%s:%d: %s: must speak of an entity of diffs, \"%.60s\" is not",
                       g->suite->file, a[i].line, a[i].place, a[i].entity);
            g->ep.err->line = a[i].line;
            return -1;
        }
        if (check_entities(g, e, a[i].inner, a[i].n_inner) < 0)
            return -1;
    }
    return 0;
}

static int rows_of(struct grading *g, const struct changes *d)
{
    struct row *rows = arena_calloc(g->arena, d->n + 1, sizeof *rows);
    if (arena_failed(g->arena))
        return sosia_fail_memory(g->ep.err);
    for (size_t i = 0; i < d->n; i++) {
        const struct change *c = &d->list[i];
        rows[i] = (struct row){.kind = c->kind,
                               .entity = c->entity->name,
                               .services = {c->service, c->core->name},
                               .from = c->from,
                               .to = c->to,
                               .change = c,
                               .consequence = c->cause >= 0};
    }
    g->ep.rows = rows;
    g->ep.n = d->n;
    return 0;
}

#define SQL_NS INT64_C(10000000000)

static void begin(struct grading *g, const struct sosia_suite *s, const struct task *t,
                  struct arena *arena, struct sosia_err *err)
{
    *g = (struct grading){.suite = s, .task = t, .arena = arena, .work = {.left = WORK}};
    arena_init(&g->questions, arena->limit);
    arena_init(&g->results[0], arena->limit);
    arena_init(&g->results[1], arena->limit);
    g->ep = (struct episode){
        .task = t,
        .sql_ns = SQL_NS,
        .err = err,
        .kept = arena,
        .c = {.arena = &g->questions, .work = &g->work, .zone = t->zone, .loose = s->loose}};
}

/* A world that is too large for a verdict on it has one: it failed. Another attempt would change
 * nothing, and an error would ask for one. 0, -1: that is not what *err says. */
static int judge_too_large(struct grading *g, const struct changes *d, struct buf *out,
                           struct buf *diff)
{
    struct json_writer w;
    struct sosia_err *err = g->ep.err;
    bool full = changes_full(d) || (diff && diff->full) || arena_full(&g->questions) ||
                arena_full(&g->results[0]) || arena_full(&g->results[1]) || g->ep.full || out->full;
    bool more = err->code == SOSIA_E_LIMIT && err->reason && strcmp(err->reason, "tooMany") == 0;
    if (!more && !(full && err->code == SOSIA_E_NO_MEMORY))
        return -1;
    const char *why = "the world must be small enough to be judged, not more than a verdict may "
                      "take into memory";
    buf_done(out);
    buf_init(out, 0);
    json_init(&w, out, true, NULL);
    json_obj(&w, NULL);
    json_str(&w, "suite", g->suite->name);
    json_str(&w, "task", g->task->id);
    json_bool(&w, "passed", false);
    json_str(&w, "reason", "tooLarge");
    json_int(&w, "reward", 0);
    json_obj(&w, "score");
    json_int(&w, "passed", 0);
    json_int(&w, "total", (int64_t)g->task->n_assertions);
    json_int(&w, "percent", 0);
    json_end(&w);
    json_arr(&w, "failures");
    json_str(&w, NULL, more ? err->text : why);
    json_end(&w);
    json_arr(&w, "parts");
    json_end(&w);
    json_arr(&w, "unexpected");
    json_end(&w);
    write_versions(g, &w);
    json_end(&w);
    if (!diff)
        return 0;
    buf_done(diff);
    buf_init(diff, 0);
    json_init(&w, diff, true, NULL);
    json_obj(&w, NULL);
    json_str(&w, "reason", "tooLarge");
    json_arr(&w, "changes");
    json_end(&w);
    json_end(&w);
    return 0;
}

static void end(struct grading *g)
{
    arena_done(&g->questions);
    arena_done(&g->results[0]);
    arena_done(&g->results[1]);
}

/* What the state before was made of: kept beside it, as others are compared with it too. */
static int read_documents(struct grading *g, struct changes *d)
{
    static const struct entity documents;
    struct entity_about about = {0};
    struct json text = {.type = JSON_STRING};
    const struct json *kept;
    if (!before_find(d->before, &documents, 0, &about, &kept)) {
        int r = seed_documents(&d->a.tx, &text.str);
        if (r < 0)
            return -1;
        kept = r == 1 ? &text : NULL;
        text.n = r == 1 ? (uint32_t)strlen(text.str) : 0;
        before_keep(d->before, &documents, 0, &about, kept);
    }
    g->documents = kept ? kept->str : NULL;
    return 0;
}

/* What the journal of the world must have, and has not, as the verdict's reason. */
static int read_calls(struct grading *g, struct sosia_engine *e, uint64_t from, uint64_t to)
{
    const struct task *t = g->task, *of;
    bool asks = task_asks_calls(t);
    const struct assertion *reads = NULL;
    if (calls_kept(e, from, to, g->arena, &g->kept, g->ep.err) < 0 ||
        (asks &&
         calls_read(e, to, g->kept.after, asks_bodies(t), g->arena, &g->ep.calls, g->ep.err) < 0))
        return -1;
    if ((asks || t->closed_calls) && !g->kept.writes) {
        g->reason = "journalWithoutCalls";
        g->lacking = arena_printf(g->arena,
                                  "the journal must have the calls that were made, which the task "
                                  "\"%.60s\" is judged by, lacks some",
                                  t->id);
    } else if (asks && !g->kept.reads && (reads = suite_asks_reads(e, g->suite, t->id, &of))) {
        g->reason = "journalWithoutReads";
        g->lacking = arena_printf(g->arena,
                                  "the journal must have calls that only read, which %s (line %d) "
                                  "is judged by, lacks some",
                                  reads->place, reads->line);
    }
    return 0;
}

/* diff: where it goes if it is wanted, of the same changes. */
static int grade(struct sosia_engine *engine, const struct sosia_suite *suite, const char *task,
                 uint64_t from, uint64_t to, const struct sosia_grade_options *opt,
                 struct sosia_blob *ret_json, struct buf *diff, struct sosia_err *err)
{
    static const struct change_options how = {0};
    struct json_writer w;
    struct grading g;
    struct changes d;
    struct buf out;
    const struct task *t = task_of(suite, task, err);
    if (!t)
        return -1;
    buf_init(&out, 0);
    buf_grow(&out, 4000); /* most results are smaller */
    int rc = changes_open(engine, from, to, &how, &d, err);
    begin(&g, suite, t, &d.arena, err);
    g.whole = &d;
    g.to = to;
    if (rc == 0 && !suite->loose)
        rc = check_entities(&g, engine, t->assertions, t->n_assertions);
    if (rc == 0)
        rc = t->names == NAMES_TABLES ? table_rows(&d, g.arena, &g.ep.rows, &g.ep.n)
                                      : rows_of(&g, &d);
    if (rc == 0 && opt)
        rc = episode_read_options(&g.ep, opt);
    if (rc == 0)
        rc = read_calls(&g, engine, from, to);
    if (rc == 0 && t->closed_calls && g.kept.writes)
        rc = read_deeds(&g);
    if (rc == 0 && diff) {
        json_init(&w, diff, true, NULL);
        rc = diff_write(&d, &w);
        if (rc == 0 && buf_failed(diff))
            rc = sosia_fail_memory(err);
    }
    if (rc == 0) {
        g.ep.tx = &d.b.tx;
        if (engine->sql_ns)
            g.ep.sql_ns = engine->sql_ns;
        rc = read_documents(&g, &d);
    }
    if (rc == 0)
        rc = run(&g, &d.a.tx, &out);
    if (rc < 0)
        rc = judge_too_large(&g, &d, &out, diff);
    if (rc == 0)
        rc = changes_sync(&d);
    if (rc == 0)
        rc = buf_give(&out, ret_json, err);
    end(&g);
    changes_close(&d);
    buf_done(&out);
    return rc;
}

int grade_states(struct sosia_engine *e, const struct sosia_suite *s, const struct task *t,
                 uint64_t world, const struct tree *from, const struct tree *to, int64_t now_us,
                 const struct sosia_grade_options *said, bool *ret_passed, struct sosia_err *err)
{
    struct grading g;
    struct changes d;
    struct buf out;
    buf_init(&out, 0);
    int rc = changes_open_between(e, world, from, to, now_us, &d, err);
    begin(&g, s, t, &d.arena, err);
    if (rc == 0 && !s->loose)
        rc = check_entities(&g, e, t->assertions, t->n_assertions);
    if (rc == 0)
        rc = t->names == NAMES_TABLES ? table_rows(&d, g.arena, &g.ep.rows, &g.ep.n)
                                      : rows_of(&g, &d);
    if (rc == 0 && said)
        rc = episode_read_options(&g.ep, said);
    if (rc == 0) {
        g.ep.tx = &d.b.tx;
        rc = run(&g, &d.a.tx, &out);
    }
    *ret_passed = rc == 0 && g.best.good;
    if (rc < 0)
        rc = judge_too_large(&g, &d, &out, NULL);
    end(&g);
    changes_close(&d);
    buf_done(&out);
    return rc;
}

int sosia_grade(struct sosia_engine *engine, const struct sosia_suite *suite, const char *task,
                uint64_t from, uint64_t to, struct sosia_blob *ret_json, struct sosia_err *err)
{
    if (handle_check(HANDLE_ENGINE, engine, err) < 0 ||
        taken_pointer(ret_json, "ret_json", err) < 0 || handle_check(HANDLE_SUITE, suite, err) < 0)
        return -1;
    return sosia_grade_with(engine, suite, task, from, to, NULL, ret_json, NULL, err);
}

int sosia_grade_diff(struct sosia_engine *engine, const struct sosia_suite *suite, const char *task,
                     uint64_t from, uint64_t to, struct sosia_blob *ret_grade,
                     struct sosia_blob *ret_diff, struct sosia_err *err)
{
    if (handle_check(HANDLE_ENGINE, engine, err) < 0 ||
        taken_pointer(ret_grade, "ret_grade", err) < 0 ||
        taken_pointer(ret_diff, "ret_diff", err) < 0 || handle_check(HANDLE_SUITE, suite, err) < 0)
        return -1;
    return sosia_grade_with(engine, suite, task, from, to, NULL, ret_grade, ret_diff, err);
}

int sosia_grade_with(struct sosia_engine *engine, const struct sosia_suite *suite, const char *task,
                     uint64_t from, uint64_t to, const struct sosia_grade_options *opt,
                     struct sosia_blob *ret_grade, struct sosia_blob *ret_diff,
                     struct sosia_err *err)
{
    if (handle_check(HANDLE_ENGINE, engine, err) < 0 ||
        taken_pointer(ret_grade, "ret_grade", err) < 0 ||
        handle_check(HANDLE_SUITE, suite, err) < 0)
        return -1;
    struct sosia_err local_err;
    struct sosia_blob result;
    struct buf diff;
    struct sosia_grade_options o;
    err = err ? err : &local_err;
    if (TAKEN(sosia_grade_options, &o, opt, err) < 0)
        return -1;
    buf_init(&diff, 0);
    if (ret_diff)
        buf_grow(&diff, 4000);
    int rc = grade(engine, suite, task, from, to, opt ? &o : NULL, &result, ret_diff ? &diff : NULL,
                   err);
    if (rc == 0 && ret_diff && (rc = buf_give(&diff, ret_diff, err)) < 0)
        sosia_blob_free(&result);
    if (rc == 0)
        *ret_grade = result;
    buf_done(&diff);
    return rc;
}

/* ---- diffs as documents ---- */

static int add_rows(struct grading *g, struct doc *d, const struct json *list, const char *name,
                    enum row_change kind, struct row *rows)
{
    for (uint32_t i = 0; list && i < list->n; i++) {
        const struct json *one = &list->items[i];
        struct row *row = &rows[g->ep.n++];
        size_t mark = doc_push(d, name, i);
        row->kind = kind;
        if (doc_str(d, one, "__table__", true, &row->entity) < 0)
            return -1;
        if (kind == ROW_CHANGED) {
            row->from = json_get(one, "before");
            row->to = json_get(one, "after");
            if (!row->from || row->from->type != JSON_OBJECT || !row->to ||
                row->to->type != JSON_OBJECT)
                return doc_fail(d, one, NULL, "must have the objects before and after, has not");
        } else if (kind == ROW_ADDED) {
            row->to = one;
        } else {
            row->from = one;
        }
        doc_pop(d, mark);
    }
    return 0;
}

static int read_rows(struct grading *g, const char *diff, size_t len)
{
    static const char *const names[] = {"inserts", "deletes", "updates"};
    static const enum row_change kinds[] = {ROW_ADDED, ROW_REMOVED, ROW_CHANGED};
    const struct json *top, *lists[3];
    size_t n = 0;
    struct doc d;
    if (doc_open(&d, g->arena, diff, len, "diff", 0, &top, g->ep.err) < 0)
        return -1;
    if (top->type != JSON_OBJECT)
        return doc_expect(&d, top, NULL, "an object of inserts, updates and deletes");
    for (int i = 0; i < 3; i++) {
        if (doc_list(&d, top, names[i], &lists[i]) < 0)
            return -1;
        n += lists[i] ? lists[i]->n : 0;
    }
    struct row *rows = arena_calloc(g->arena, n + 1, sizeof *rows);
    if (arena_failed(g->arena))
        return sosia_fail_memory(g->ep.err);
    g->ep.rows = rows;
    for (int i = 0; i < 3; i++)
        if (add_rows(g, &d, lists[i], names[i], kinds[i], rows) < 0)
            return -1;
    return 0;
}

int sosia_grade_rows(const struct sosia_suite *suite, const char *task, const char *diff,
                     size_t len, struct sosia_blob *ret_json, struct sosia_err *err)
{
    struct sosia_err local_err;
    struct grading g;
    struct arena arena;
    struct buf out;
    err = err ? err : &local_err;
    if (handle_check(HANDLE_SUITE, suite, err) < 0 ||
        (len && taken_pointer(diff, "diff", err) < 0) ||
        taken_pointer(ret_json, "ret_json", err) < 0)
        return -1;
    const struct task *t = task_of(suite, task, err);
    if (!t)
        return -1;
    arena_init(&arena, 0);
    buf_init(&out, 0);
    begin(&g, suite, t, &arena, err);
    int rc = read_rows(&g, diff, len);
    if (rc == 0)
        rc = run(&g, NULL, &out);
    if (rc == 0)
        rc = buf_give(&out, ret_json, err);
    buf_done(&out);
    end(&g);
    arena_done(&arena);
    return rc;
}
