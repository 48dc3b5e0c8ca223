/* SPDX-License-Identifier: Apache-2.0 */
/* Paths of properties, casts and lambdas, checked against the types. */
#include "engine/base/codec.h"
#include "vendors/microsoft/odata/impl.h"

const char *walk_text(struct arena *a, const struct odata_step *steps, size_t n, bool casts)
{
    const char *text = "";
    for (size_t i = 0; i < n; i++) {
        if (steps[i].cast && !casts)
            continue;
        const char *name = steps[i].cast
                               ? arena_printf(a, "%s.%s", EDM_NAMESPACE, steps[i].cast->name)
                               : steps[i].name;
        text = *text ? arena_printf(a, "%s/%s", text, name) : name;
    }
    return text;
}

static bool push_step(struct reader *r, struct walk *w, struct odata_step step)
{
    if (w->n == READ_MAX_STEPS)
        return reader_fail(r, "Recursion depth exceeded allowed limit.");
    w->steps[w->n++] = step;
    return true;
}

static bool cast_step(struct reader *r, struct walk *w, const struct token *t)
{
    const struct edm_type *to = edm_type_find(t->text, t->len);
    if (!to || !w->type)
        return reader_fail(
            r,
            arena_printf(r->a,
                         "The child type '%.*s' in a cast was not an entity type. Casts can only "
                         "be performed on entity types.",
                         (int)t->len, t->text));
    if (!edm_is_a(to, w->type) && !edm_is_a(w->type, to))
        return reader_fail(
            r, arena_printf(
                   r->a, "Encountered invalid type cast. '%s.%s' is not assignable from '%s.%s'.",
                   EDM_NAMESPACE, to->name, EDM_NAMESPACE, w->type->name));
    w->type = to;
    w->property = NULL;
    return push_step(r, w, (struct odata_step){.name = to->name, .cast = to});
}

/* Members of open types that are not declared are those of extensions, whose names have a '_', and
 * annotations; the values of a list's item have the names of its columns. */
static bool open_step(struct reader *r, struct walk *w, const struct token *t)
{
    bool extension = (!w->type || w->type->open) && memchr(t->text, '_', t->len);
    bool value = w->type && strcmp(w->type->name, "fieldValueSet") == 0;
    if (*t->text != '@' && !extension && !value && w->kind != EDM_ANY)
        return reader_fail(r, arena_printf(r->a,
                                           "Could not find a property named '%.*s' on type '%s'.",
                                           (int)t->len, t->text,
                                           edm_name_of(r->a, w->kind, w->type, w->values, false)));
    w->type = NULL;
    w->values = NULL;
    w->property = NULL;
    w->kind = EDM_ANY;
    return push_step(r, w, (struct odata_step){.name = token_text(r, t)});
}

/* What leads to objects of the directory leads to users, groups and others: their properties are
 * named without a cast. */
static const struct edm_property *of_derived(const struct edm_type *type, const struct token *t)
{
    const struct edm_property *p = NULL;
    if (!type || strcmp(type->name, "directoryObject") != 0)
        return NULL;
    for (size_t i = 0; !p && i < edm_n_types; i++)
        if (edm_is_a(edm_types[i], type))
            p = edm_property_find(edm_types[i], t->text, t->len);
    return p;
}

bool walk_step(struct reader *r, struct walk *w, const struct token *t)
{
    if (w->collection && t->kind == TOKEN_NAME)
        return reader_fail(
            r, arena_printf(r->a,
                            "The parent value for a property access of a property '%.*s' is not a "
                            "single value. Property access can only be applied to a single value.",
                            (int)t->len, t->text));
    if (t->kind == TOKEN_DOTTED)
        return cast_step(r, w, t);
    const struct edm_property *p = edm_property_find(w->type, t->text, t->len);
    if (!p)
        p = of_derived(w->type, t);
    if (!p || (p->beta && !(r->rules && r->rules->beta)))
        return open_step(r, w, t);
    w->property = p;
    w->type = p->type;
    w->values = p->values;
    w->kind = p->kind;
    w->collection = p->collection;
    return push_step(r, w, (struct odata_step){.name = p->name, .property = p});
}

/* ---- in expressions ---- */

static int known_place(const struct odata_rules *rules, const char *text)
{
    for (int i = 0; rules && rules->known && rules->known[i]; i++)
        if (strcmp(rules->known[i], text) == 0)
            return i;
    return -1;
}

/* The variable that a name is; 0: none. */
static unsigned variable_of(const struct reader *r, const struct token *t)
{
    for (unsigned i = r->n_scope; i > 0; i--)
        if (strlen(r->scope[i - 1].name) == t->len &&
            memcmp(r->scope[i - 1].name, t->text, t->len) == 0)
            return i;
    return 0;
}

static struct odata_expr *path_node(struct reader *r, const struct walk *w, unsigned variable,
                                    bool count, const struct token *at)
{
    struct odata_expr *e = reader_node(r, ODATA_PATH, at);
    struct odata_path *p = arena_calloc(r->a, 1, sizeof *p);
    struct odata_step *steps = arena_calloc(r->a, w->n + 1, sizeof *steps);
    if (!e || arena_failed(r->a))
        return NULL;
    memcpy(steps, w->steps, w->n * sizeof *steps);
    *p = (struct odata_path){.text = walk_text(r->a, steps, w->n, false),
                             .steps = steps,
                             .n = w->n,
                             .variable = variable,
                             .property = w->property,
                             .known = -1,
                             .count = count};
    if (!variable)
        p->known = known_place(r->rules, p->text);
    e->path = p;
    e->kind = count ? EDM_INT64 : w->kind;
    e->type = count ? NULL : w->type;
    e->values = count ? NULL : w->values;
    e->collection = w->collection && !count;
    return e;
}

static struct odata_expr *reads_null(struct reader *r, const char *what, const char *at)
{
    reader_fail_at(r, what, at);
    return NULL;
}

/* any(x:...) or all(x:...) over the collection. The bracket is next. */
static struct odata_expr *read_lambda(struct reader *r, struct odata_expr *over, bool all,
                                      const struct token *at)
{
    struct odata_expr *e = reader_node(r, all ? ODATA_ALL : ODATA_ANY, at);
    const struct odata_expr *kids[2] = {over};
    if (!e || !reader_next(r))
        return NULL;
    e->kind = EDM_BOOLEAN;
    if (r->token.kind == TOKEN_CLOSE && !all)
        return reader_kids(r, e, kids, 1) && reader_next(r) ? e : NULL;
    if (r->token.kind != TOKEN_NAME)
        return reads_null(r, "Expression expected", r->token.text);
    struct token name = r->token;
    if (variable_of(r, &name) || str_is_nocase(name.text, name.len, "$it")) {
        reader_fail(r, arena_printf(r->a, "The range variable '%.*s' has already been declared.",
                                    (int)name.len, name.text));
        return NULL;
    }
    if (!reader_next(r))
        return NULL;
    if (r->token.kind != TOKEN_COLON)
        return reads_null(r, "Syntax error", r->token.text);
    if (r->n_scope == READ_MAX_SCOPE) {
        reader_fail(r, "Recursion depth exceeded allowed limit.");
        return NULL;
    }
    e->variable = token_text(r, &name);
    r->scope[r->n_scope++] = (struct variable){
        .name = e->variable, .type = over->type, .values = over->values, .kind = over->kind};
    kids[1] = reader_next(r) ? read_expr(r) : NULL;
    r->n_scope--;
    if (!kids[1])
        return NULL;
    if (kids[1]->collection || (kids[1]->kind != EDM_BOOLEAN && kids[1]->kind != EDM_ANY)) {
        reader_fail(r, "The Any/All query expression must evaluate to a single boolean value.");
        return NULL;
    }
    if (r->token.kind != TOKEN_CLOSE)
        return reads_null(r, "')' or operator expected", r->token.text);
    return reader_kids(r, e, kids, 2) && reader_next(r) ? e : NULL;
}

/* The step behind a '/': a name, a cast, $count, or a lambda, which is *ret then. */
static bool read_step(struct reader *r, struct walk *w, unsigned variable, bool *count,
                      struct odata_expr **ret)
{
    struct token t = r->token;
    if (t.kind != TOKEN_NAME && t.kind != TOKEN_DOTTED)
        return reader_fail_at(r, "An identifier was expected", t.text);
    bool all = reader_at(r, "all");
    if ((all || reader_at(r, "any")) && reader_bracket(r)) {
        if (!w->collection && w->kind != EDM_ANY)
            return reader_fail(r, "Any/All may only be used following a collection.");
        struct odata_expr *over = path_node(r, w, variable, false, &t);
        *ret = over && reader_next(r) ? read_lambda(r, over, all, &t) : NULL;
        return *ret != NULL;
    }
    if (reader_at(r, "$count")) {
        *count = true;
        return reader_next(r);
    }
    return walk_step(r, w, &t) && reader_next(r);
}

struct odata_expr *read_path(struct reader *r)
{
    struct token first = r->token;
    unsigned variable = variable_of(r, &first);
    struct walk w = {.type = r->type, .kind = r->type ? EDM_ENTITY : EDM_ANY};
    struct odata_expr *lambda = NULL;
    bool count = false;
    if (r->type && !r->type->entity)
        w.kind = EDM_COMPLEX;
    if (variable) {
        const struct variable *v = &r->scope[variable - 1];
        w = (struct walk){.type = v->type, .values = v->values, .kind = v->kind};
    } else if (!str_is_nocase(first.text, first.len, "$it") && !walk_step(r, &w, &first)) {
        return NULL;
    }
    if (!reader_next(r))
        return NULL;
    while (r->token.kind == TOKEN_SLASH && !count && !lambda)
        if (!reader_next(r) || !read_step(r, &w, variable, &count, &lambda))
            return NULL;
    if (lambda)
        return lambda;
    return path_node(r, &w, variable, count, &first);
}
