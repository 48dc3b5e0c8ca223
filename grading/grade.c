/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An episode judged by a task: which assertions hold, what was done besides, and the reward.
 *
 * An assertion that holds where nothing was done is a guard: it earns nothing, but what breaks it
 * costs. The others are goals and earn their weight. Variables are bound by what assertions match;
 * where several things match, those are taken that give the highest reward.
 */
#include "grading/grade.h"
#include "engine/base/handle.h"
#include "engine/base/taken.h"
#include "grading/grading_impl.h"
#include "grading/tables.h"
#include "engine/base/codec.h"
#include "engine/json/doc.h"
#include "engine/state/before.h"
#include "engine/state/dump.h"
#include <stdio.h>
#include <stdlib.h>

#define WORK 200000000 /* steps of regular expressions, and the like */

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
    if (grading_find_guards(g, start) < 0 || grading_solve(g, 0) < 0)
        return -1;
    /* Whose work what nobody expects is. Where it can't be known the verdict is the same. */
    if (g->best.unexpected && g->whole && !g->task->closed_calls && read_deeds(g) < 0)
        g->deeds = (struct deeds){0};
    json_init(&w, out, true, NULL);
    if (grading_write(g, &w) < 0)
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
    grading_write_versions(g, &w);
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
