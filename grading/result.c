/* SPDX-License-Identifier: Apache-2.0 */
/* The result of a grade as JSON, with what failed in words. */
#include "grading/grading_impl.h"
#include <stdio.h>

#define GRADER "5" /* goes up when a verdict may change */

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
        if (!grading_counts(g, i) || g->best.covered[i] || episode_allows(&g->ep, row))
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
        if (g->deeds.of_row[i] == deed && grading_counts(g, i) && !g->best.covered[i] &&
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
                              GRADING_BINDINGS, GRADING_MATCHES));
    json_end(w);
}

void grading_write_versions(const struct grading *g, struct json_writer *w)
{
    json_obj(w, "versions");
    json_str(w, "grader", GRADER);
    json_str(w, "language", g->suite->version);
    json_str(w, "engine", SOSIA_VERSION);
    json_str(w, "suite", g->suite->hash);
    json_str_opt(w, "seed", g->documents);
    json_end(w);
}

int grading_write(struct grading *g, struct json_writer *w)
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
    grading_write_versions(g, w);
    json_end(w);
    return 0;
}
