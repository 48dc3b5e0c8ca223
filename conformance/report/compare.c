/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/report/compare.h"
#include "conformance/method.h"
#include "engine/base/codec.h"
#include "engine/base/heap.h"
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

struct comparer {
    struct result *out;
    bool order;
    struct sosia_err *err;
};

static const struct scenario *find_scenario(const struct result *r, const char *name)
{
    for (const struct scenario *s = r->first; s; s = s->next)
        if (strcmp(s->name, name) == 0)
            return s;
    return NULL;
}

static const struct exchange *find_exchange(const struct scenario *s, const char *id)
{
    for (const struct exchange *x = s ? s->first : NULL; x; x = x->next)
        if (strcmp(x->id, id) == 0)
            return x;
    return NULL;
}

/* ---- one exchange ---- */

/* Headers that are of one response: a time, a tag, a place. */
static bool passing(const char *name)
{
    static const char *const names[] = {"etag", "last-modified", "location", "content-location",
                                        "retry-after"};
    return str_in_nocase(name, names, SOSIA_LEN(names));
}

static const char *header_of(const struct exchange *x, const char *name)
{
    for (size_t i = 0; i < x->n_headers; i++)
        if (strcasecmp(x->headers[i].name, name) == 0)
            return x->headers[i].value;
    return NULL;
}

static void compare_headers(struct comparison *c, const struct exchange *a,
                            const struct exchange *b)
{
    for (size_t i = 0; i < a->n_headers; i++) {
        const char *name = a->headers[i].name, *other = header_of(b, name);
        if (header_of(a, name) != a->headers[i].value)
            continue; /* the first of a name is looked at */
        comparison_field(c, DIFFERENCE_HEADER, arena_printf(c->arena, "header %s", name),
                         a->headers[i].value, other,
                         other && (passing(name) || strcmp(other, a->headers[i].value) == 0));
    }
    for (size_t i = 0; i < b->n_headers; i++)
        if (!header_of(a, b->headers[i].name))
            comparison_field(c, DIFFERENCE_HEADER,
                             arena_printf(c->arena, "header %s", b->headers[i].name), NULL,
                             b->headers[i].value, false);
}

static int loosen(struct map *loose, const struct exchange *x)
{
    for (const struct normalised *n = x->normalised; n; n = n->next)
        if (map_set(loose, n->path, loose) < 0)
            return -1;
    return 0;
}

static void compare_answers(struct comparer *k, struct exchange *to, const struct exchange *a,
                            const struct exchange *b)
{
    struct comparison c;
    struct map loose;
    char status[2][16];
    map_init(&loose);
    comparison_init(&c, &k->out->arena, k->order);
    c.loose = &loose;
    if (loosen(&loose, a) < 0 || loosen(&loose, b) < 0)
        k->out->arena.failed = true;
    snprintf(status[0], sizeof status[0], "%d", a->status);
    snprintf(status[1], sizeof status[1], "%d", b->status);
    comparison_field(&c, DIFFERENCE_STATUS, "status", status[0], status[1], a->status == b->status);
    compare_headers(&c, a, b);
    if (a->json && b->json)
        comparison_values(&c, "$", a->json, b->json);
    else if (a->json || b->json)
        comparison_field(&c, DIFFERENCE_BODY, "$", a->json ? "JSON" : a->text,
                         b->json ? "JSON" : b->text, false);
    else if (a->text || b->text)
        comparison_field(&c, DIFFERENCE_BODY, "$", a->text, b->text,
                         a->text && b->text &&
                             (map_get(&loose, "$") || strcmp(a->text, b->text) == 0));
    map_done(&loose);
    to->equal = c.equal;
    to->total = c.total;
    to->differences = c.first;
    to->outcome = c.first ? OUTCOME_DIFFERENT : OUTCOME_EQUAL;
}

/* ---- all of them ---- */

static struct exchange *add_exchange(struct comparer *k, struct exchange ***last,
                                     const struct exchange *from)
{
    struct arena *a = &k->out->arena;
    struct exchange *x = arena_calloc(a, 1, sizeof *x);
    if (arena_failed(a))
        return NULL;
    x->id = arena_strdup(a, from->id);
    x->method = from->method ? arena_strdup(a, from->method) : NULL;
    x->dialect = from->dialect ? arena_strdup(a, from->dialect) : NULL;
    x->file = arena_strdup(a, from->file);
    x->line = from->line;
    x->observed = from->observed;
    x->source = from->source;
    x->n_rules = from->n_rules;
    x->rules = arena_calloc(a, from->n_rules, sizeof *x->rules);
    for (size_t i = 0; i < from->n_rules && !arena_failed(a); i++)
        x->rules[i] = arena_strdup(a, from->rules[i]);
    **last = x;
    *last = &x->next;
    return arena_failed(a) ? NULL : x;
}

static void skip(struct exchange *x, enum outcome outcome, const char *why)
{
    x->outcome = outcome;
    x->why = why;
}

static int compare_scenario(struct comparer *k, const struct scenario *a, const struct scenario *b)
{
    struct scenario *s = result_scenario(k->out, a->name, a->title, a->digest);
    if (!s)
        return sosia_fail_memory(k->err);
    struct exchange **last = &s->first;
    for (const struct exchange *x = a->first; x; x = x->next) {
        const struct exchange *other = find_exchange(b, x->id);
        struct exchange *to = add_exchange(k, &last, x);
        if (!to)
            return sosia_fail_memory(k->err);
        if (!other)
            skip(to, OUTCOME_FAILED, "it is in the first only");
        else if (x->outcome == OUTCOME_FAILED || other->outcome == OUTCOME_FAILED)
            skip(to, OUTCOME_FAILED, "it failed in one of them");
        else if (!x->answered || !other->answered)
            skip(to, OUTCOME_SKIPPED, "one of them has no answer");
        else
            compare_answers(k, to, x, other);
    }
    for (const struct exchange *x = b ? b->first : NULL; x; x = x->next) {
        if (find_exchange(a, x->id))
            continue;
        struct exchange *to = add_exchange(k, &last, x);
        if (!to)
            return sosia_fail_memory(k->err);
        skip(to, OUTCOME_FAILED, "it is in the second only");
    }
    return 0;
}

int compare_results(const struct result *a, const struct result *b, bool order,
                    struct result **ret_result, struct sosia_err *err)
{
    static const struct scenario nothing;
    struct comparer k = {result_new(), order, err};
    int rc = k.out ? 0 : sosia_fail_memory(err);
    if (rc == 0) {
        k.out->target = arena_printf(&k.out->arena, "%s and %s", a->target, b->target);
        k.out->at = arena_printf(&k.out->arena, "%s and %s", a->at, b->at);
    }
    for (const struct scenario *s = a->first; s && rc == 0; s = s->next)
        rc = compare_scenario(&k, s, find_scenario(b, s->name));
    for (const struct scenario *s = b->first; s && rc == 0; s = s->next) {
        struct scenario empty = nothing;
        empty.name = s->name;
        empty.title = s->title;
        empty.digest = s->digest;
        if (!find_scenario(a, s->name))
            rc = compare_scenario(&k, &empty, s);
    }
    if (rc == 0 && arena_failed(&k.out->arena))
        rc = sosia_fail_memory(err);
    if (rc < 0) {
        result_free(k.out);
        return -1;
    }
    *ret_result = k.out;
    return 0;
}

/* ---- cassettes ---- */

/* What a cassette expects, in the form of a response. */
static int expect_scenario(struct result *r, const struct cassette *c)
{
    struct arena *a = &r->arena;
    struct scenario *s = result_scenario(r, c->name, c->title, c->digest);
    if (!s)
        return -1;
    struct exchange **last = &s->first;
    for (size_t i = 0; i < c->n_steps; i++) {
        const struct cassette_step *step = &c->steps[i];
        if (!step->id || (step->kind != STEP_CALL && step->kind != STEP_OUTBOX))
            continue;
        struct exchange *x = arena_calloc(a, 1, sizeof *x);
        struct result_header *headers = arena_calloc(a, step->n_expect_headers, sizeof *headers);
        if (arena_failed(a))
            return -1;
        *x = (struct exchange){.id = step->id,
                               .method = step->method,
                               .dialect = step->method ? method_dialect(step->method) : NULL,
                               .rules = step->rules,
                               .n_rules = step->n_rules,
                               .observed = step->source.observed,
                               .source = step->source.kind,
                               .file = c->file,
                               .line = step->line,
                               .answered = true,
                               .status = step->status,
                               .headers = headers,
                               .n_headers = step->n_expect_headers,
                               .json = step->kind == STEP_CALL ? step->expect_body : step->outbox};
        for (size_t k = 0; k < step->n_expect_headers; k++)
            headers[k] =
                (struct result_header){step->expect_headers[k].name, step->expect_headers[k].text};
        *last = x;
        last = &x->next;
    }
    return 0;
}

struct cassette_list {
    struct result *result;
    struct cassette **list; /* kept as long as the result: it points into them */
    size_t n, cap;
};

static int load_one(void *arg, const char *file, const char *name, struct sosia_err *err)
{
    struct cassette_list *l = arg;
    void *list = heap_grow(l->list, l->n, &l->cap, sizeof *l->list);
    if (!list)
        return sosia_fail_memory(err);
    l->list = list;
    if (cassette_load(file, &l->list[l->n], err) < 0)
        return -1;
    cassette_rename(l->list[l->n], name);
    return expect_scenario(l->result, l->list[l->n++]) < 0 ? sosia_fail_memory(err) : 0;
}

static void free_list(struct cassette_list *l)
{
    for (size_t i = 0; i < l->n; i++)
        cassette_free(l->list[i]);
    free(l->list);
    result_free(l->result);
}

int compare_cassettes(const char *a, const char *b, bool order, struct result **ret_result,
                      struct sosia_err *err)
{
    const char *const paths[] = {a, b};
    struct cassette_list lists[2] = {{.result = result_new()}, {.result = result_new()}};
    int rc = lists[0].result && lists[1].result ? 0 : sosia_fail_memory(err);
    for (int i = 0; i < 2 && rc == 0; i++) {
        lists[i].result->target = paths[i];
        rc = cassette_each(&paths[i], 1, load_one, &lists[i], err);
    }
    if (rc == 0)
        rc = compare_results(lists[0].result, lists[1].result, order, ret_result, err);
    free_list(&lists[0]);
    free_list(&lists[1]);
    return rc;
}
