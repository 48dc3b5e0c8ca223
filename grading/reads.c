/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether a suite asks for calls that only read. What it says of the method and the verb is held
 * against each such method; what it says of anything else may be so.
 */
#include "engine/api/router.h"
#include "engine/world/engine.h"
#include "grading/suite.h"

#define STEPS 20000000 /* of regular expressions; what takes more may match */

static bool has_variable(const struct json *v)
{
    if (v->type == JSON_STRING)
        return strstr(v->str, "${") != NULL;
    for (uint32_t i = 0; v->type == JSON_ARRAY && i < v->n; i++)
        if (has_variable(&v->items[i]))
            return true;
    for (uint32_t i = 0; v->type == JSON_OBJECT && i < v->n; i++)
        if (strcmp(v->members[i].key, "var") == 0 || has_variable(&v->members[i].value))
            return true;
    return false;
}

/* text NULL: there is none. */
static bool may_hold(struct predicate_context *c, const struct condition *one, const char *text)
{
    const struct json value = {
        .type = JSON_STRING, .n = text ? (uint32_t)strlen(text) : 0, .str = text};
    if (has_variable(predicate_source(one->predicate)))
        return true;
    c->work->cut = false;
    bool holds = predicate_holds(c, one->predicate, text ? &value : NULL) || c->work->cut;
    bool short_of_memory = arena_failed(c->arena);
    arena_reset(c->arena);
    return holds || short_of_memory;
}

static bool verb_may_hold(struct predicate_context *c, const struct condition *one,
                          const struct route *row)
{
    for (int verb = 0; verb < N_VERBS; verb++)
        if (row->verbs >> verb & 1 && may_hold(c, one, verb_name((enum verb)verb)))
            return true;
    return row->verbs & GET && may_hold(c, one, "HEAD");
}

/* row NULL: a call that no method takes, which journals of calls that write don't have either. */
static bool may_match(struct predicate_context *c, const struct condition *where,
                      const struct route *row)
{
    for (; where; where = where->next) {
        if (strcmp(where->path, "method") == 0 && !may_hold(c, where, row ? row->id : NULL))
            return false;
        if (row && strcmp(where->path, "verb") == 0 && !verb_may_hold(c, where, row))
            return false;
    }
    return true;
}

static bool may_match_read(struct sosia_engine *e, struct predicate_context *c,
                           const struct condition *where)
{
    const struct route *row;
    for (const struct condition *one = where; one; one = one->next)
        if (strcmp(one->path, "method") == 0 && may_match(c, where, NULL))
            return true;
    for (const struct dialect **d = e->dialects; *d; d++)
        for (size_t i = 0; (row = dialect_row(*d, i)) != NULL; i++)
            if (row->risk == RISK_READ && may_match(c, where, row))
                return true;
    return false;
}

static const struct assertion *find(struct sosia_engine *e, struct predicate_context *c,
                                    const struct assertion *a, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        bool order = a[i].kind == ASSERT_ORDER;
        if (a[i].kind == ASSERT_CALLS && may_match_read(e, c, a[i].where))
            return &a[i];
        for (size_t k = 0; order && k < a[i].n_inner; k++)
            if (may_match_read(e, c, a[i].inner[k].where))
                return &a[i];
        const struct assertion *inner = order ? NULL : find(e, c, a[i].inner, a[i].n_inner);
        if (inner)
            return inner;
    }
    return NULL;
}

const struct assertion *suite_asks_reads(struct sosia_engine *e, const struct sosia_suite *s,
                                         const char *task, const struct task **ret_task)
{
    struct predicate_work work = {.left = STEPS};
    const struct assertion *found = NULL;
    struct arena arena;
    arena_init(&arena, 0);
    for (size_t i = 0; i < s->n && !found; i++) {
        struct predicate_context c = {.arena = &arena, .work = &work, .zone = s->tasks[i].zone};
        if (task && strcmp(task, s->tasks[i].id) != 0)
            continue;
        if ((found = find(e, &c, s->tasks[i].assertions, s->tasks[i].n_assertions)))
            *ret_task = &s->tasks[i];
    }
    arena_done(&arena);
    return found;
}
