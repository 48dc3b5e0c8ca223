/* SPDX-License-Identifier: Apache-2.0 */
/* Predicates and conditions: read, and asked of values; what the operators do is in operators.c. */
#include "grading/predicate_impl.h"

/* What was read until a failure; scratch memory holds nothing. */
static void give_back(const struct doc *d, const struct predicate *p)
{
    if (!arena_failed(d->arena))
        predicate_free(p);
}

int predicate_read(struct doc *d, const struct json *value, bool loose, predicate_variable_fn *fn,
                   void *arg, const struct predicate **ret)
{
    struct reading r = {.d = d, .loose = loose, .fn = fn, .arg = arg};
    struct predicate *first = NULL, **end = &first;
    if (value->type != JSON_OBJECT) {
        struct predicate *p = arena_calloc(d->arena, 1, sizeof *p);
        *p = (struct predicate){
            .op = predicate_operator("eq", loose), .argument = value, .source = value};
        *ret = p;
        return predicate_variables(&r, value);
    }
    if (!value->n) { /* nothing is asked */
        struct predicate *p = arena_calloc(d->arena, 1, sizeof *p);
        p->source = value;
        *ret = p;
        return 0;
    }
    for (uint32_t i = 0; i < value->n; i++) {
        const char *name = value->members[i].key;
        struct predicate *p = arena_calloc(d->arena, 1, sizeof *p);
        *p = (struct predicate){.op = predicate_operator(name, loose),
                                .argument = &value->members[i].value,
                                .source = value};
        if (!p->op) {
            give_back(d, first);
            return doc_fail(d, &value->members[i].value, name,
                            "must be an operator of version %s (docs/grading.md)",
                            loose ? "0.1" : "1");
        }
        *end = p;
        end = (struct predicate **)&p->next;
        if (p->op->read(&r, p->argument, p) < 0) {
            give_back(d, first);
            return -1;
        }
    }
    *ret = first;
    return 0;
}

void predicate_free(const struct predicate *p)
{
    for (; p; p = p->next) {
        pcre2_code_free(p->regex);
        conditions_free(p->items);
        if (p->op && strcmp(p->op->name, "any_of") == 0)
            for (uint32_t i = 0; p->inner && i < p->argument->n; i++)
                predicate_free(p->inner + i);
        else
            predicate_free(p->inner);
    }
}

bool predicate_is_slow(const struct predicate *p)
{
    for (; p; p = p->next) {
        bool any = p->op && strcmp(p->op->name, "any_of") == 0;
        if (p->regex || (p->op && strcmp(p->op->name, "similar") == 0) ||
            conditions_are_slow(p->items))
            return true;
        for (uint32_t i = 0; p->inner && i < (any ? p->argument->n : 1); i++)
            if (predicate_is_slow(p->inner + i))
                return true;
    }
    return false;
}

const struct json *predicate_source(const struct predicate *p)
{
    return p->source;
}

/* ---- asking ---- */

size_t variable_name(const char *text)
{
    if (text[0] != '$' || text[1] != '{')
        return 0;
    size_t n = strnlen(text + 2, VARIABLE_NAME_MAX + 1);
    const char *end = memchr(text + 2, '}', n);
    return end ? (size_t)(end - text) - 2 : 0;
}

/* A text with variables put in; NULL: one is not bound. */
static const char *put_in(const struct predicate_context *c, const char *text)
{
    struct buf b;
    buf_init(&b, 0);
    for (const char *p = text; *p;) {
        const struct json *value = NULL;
        size_t n = variable_name(p);
        if (!n) {
            buf_byte(&b, *p++);
            continue;
        }
        for (size_t i = c->variables.n; i-- > 0 && !value;)
            if (strncmp(c->variables.list[i].name, p + 2, n) == 0 && !c->variables.list[i].name[n])
                value = c->variables.list[i].value;
        if (!value) {
            buf_done(&b);
            return NULL;
        }
        buf_puts(&b, value->type == JSON_STRING ? value->str : json_to_text(c->arena, value));
        p += n + 3;
    }
    const char *out = arena_memdup(c->arena, buf_str(&b), b.len);
    c->arena->failed |= buf_failed(&b);
    buf_done(&b);
    return out;
}

static bool names_variable(const struct json *v)
{
    bool found = v->type == JSON_STRING && strstr(v->str, "${");
    for (uint32_t i = 0; v->type == JSON_ARRAY && !found && i < v->n; i++)
        found = names_variable(&v->items[i]);
    for (uint32_t i = 0; v->type == JSON_OBJECT && !found && i < v->n; i++)
        found = names_variable(&v->members[i].value);
    return found;
}

/* A copy with variables put into its texts; false: one is not bound. What they hold stays text. */
static bool put_all(const struct predicate_context *c, const struct json *v, struct json *ret)
{
    bool good = true;
    *ret = *v;
    if (v->type == JSON_STRING) {
        ret->str = put_in(c, v->str);
        ret->n = ret->str ? (uint32_t)strlen(ret->str) : 0;
        return ret->str != NULL;
    }
    if (v->type == JSON_ARRAY) {
        struct json *items = arena_calloc(c->arena, v->n + 1, sizeof *items);
        for (uint32_t i = 0; good && i < v->n; i++)
            good = put_all(c, &v->items[i], &items[i]);
        ret->items = items;
    } else if (v->type == JSON_OBJECT) {
        struct json_member *members = arena_calloc(c->arena, v->n + 1, sizeof *members);
        for (uint32_t i = 0; good && i < v->n; i++) {
            members[i] = v->members[i];
            good = put_all(c, &v->members[i].value, &members[i].value);
        }
        ret->members = members;
    }
    return good;
}

const struct json *variables_put(const struct predicate_context *c, const struct json *v)
{
    if (c->loose || !names_variable(v))
        return v;
    struct json *out = arena_alloc(c->arena, sizeof *out);
    return put_all(c, v, out) && !arena_failed(c->arena) ? out : NULL;
}

bool predicate_holds(const struct predicate_context *c, const struct predicate *p,
                     const struct json *value)
{
    if (p && !p->op) /* nothing is asked */
        return true;
    for (; p; p = p->next) {
        struct ask a = {.c = c,
                        .p = p,
                        .value = value,
                        .argument = p->regex ? p->argument : variables_put(c, p->argument)};
        if (!a.argument || !p->op->holds(&a))
            return false;
    }
    return true;
}

/* ---- conditions ---- */

int conditions_read(struct doc *d, const struct json *value, bool loose, predicate_variable_fn *fn,
                    void *arg, const struct condition **ret)
{
    struct condition *first = NULL, **end = &first;
    *ret = NULL;
    if (!value)
        return 0;
    if (value->type != JSON_OBJECT)
        return doc_expect(d, value, NULL, "an object of predicates by path");
    for (uint32_t i = 0; i < value->n; i++) {
        struct condition *c = arena_calloc(d->arena, 1, sizeof *c);
        size_t mark = doc_push(d, value->members[i].key, -1);
        c->path = value->members[i].key;
        if (predicate_read(d, &value->members[i].value, loose, fn, arg, &c->predicate) < 0) {
            if (!arena_failed(d->arena))
                conditions_free(first);
            return -1;
        }
        doc_pop(d, mark);
        *end = c;
        end = (struct condition **)&c->next;
    }
    *ret = first;
    return 0;
}

bool conditions_are_slow(const struct condition *c)
{
    while (c && !predicate_is_slow(c->predicate))
        c = c->next;
    return c != NULL;
}

void conditions_free(const struct condition *c)
{
    for (; c; c = c->next)
        predicate_free(c->predicate);
}

static const struct json *step(const struct json *v, const char *name, size_t n, bool loose)
{
    char *end;
    if (v->type == JSON_OBJECT) {
        for (uint32_t i = 0; i < v->n; i++)
            if (v->members[i].key_len == n && memcmp(v->members[i].key, name, n) == 0)
                return &v->members[i].value;
        return NULL;
    }
    if (v->type != JSON_ARRAY || loose || !n || *name < '0' || *name > '9')
        return NULL;
    unsigned long at = strtoul(name, &end, 10);
    return end == name + n && at < v->n ? &v->items[at] : NULL;
}

const struct json *value_at_path(const struct json *object, const char *path, bool loose)
{
    const struct json *v = object;
    if (!*path && !loose)
        return v;
    while (v) {
        size_t n = strcspn(path, ".");
        v = step(v, path, n, loose);
        if (!path[n])
            break;
        path += n + 1;
    }
    return v && v->type != JSON_NULL ? v : NULL;
}

/* Whether the predicate holds at the path, at one of those that "*" stands for. */
static bool holds_at(const struct predicate_context *c, const struct predicate *p,
                     const struct json *v, const char *path, int depth)
{
    const char *star = c->loose ? NULL : strchr(path, '*');
    if (!star || (star != path && star[-1] != '.') || (star[1] && star[1] != '.') || depth > 4)
        return predicate_holds(c, p, value_at_path(v, path, c->loose));
    if (star != path) {
        char *before = arena_memdup(c->arena, path, (size_t)(star - path) - 1);
        v = value_at_path(v, before, false);
    }
    const char *rest = star[1] ? star + 2 : "";
    for (uint32_t i = 0; v && (v->type == JSON_ARRAY || v->type == JSON_OBJECT) && i < v->n; i++)
        if (holds_at(c, p, v->type == JSON_ARRAY ? &v->items[i] : &v->members[i].value, rest,
                     depth + 1))
            return true;
    return false;
}

bool condition_holds(const struct predicate_context *c, const struct condition *one,
                     const struct json *object)
{
    return holds_at(c, one->predicate, object, one->path, 0);
}

bool conditions_hold(const struct predicate_context *c, const struct condition *all,
                     const struct json *object)
{
    if (!object)
        return false;
    for (; all; all = all->next)
        if (!condition_holds(c, all, object))
            return false;
    return true;
}
