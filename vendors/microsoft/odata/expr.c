/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Expressions of $filter and $orderby, read by recursive descent and checked as they are read. The
 * words of refusals are those of the vendor's library. Chains of one logical operator are one node,
 * so that depth is that of brackets and not of length.
 */
#include "engine/base/codec.h"
#include "engine/text/civil.h"
#include "vendors/microsoft/odata/impl.h"

struct operator
{
    const char *word;
    enum odata_op op;
    const char *name; /* in messages */
};

static const struct operator comparisons[] = {
    {"eq", ODATA_EQ, "Equal"},       {"ne", ODATA_NE, "NotEqual"},
    {"gt", ODATA_GT, "GreaterThan"}, {"ge", ODATA_GE, "GreaterThanOrEqual"},
    {"lt", ODATA_LT, "LessThan"},    {"le", ODATA_LE, "LessThanOrEqual"},
    {"has", ODATA_HAS, "Has"},       {"in", ODATA_IN, "In"},
};
static const struct operator sums[] = {{"add", ODATA_ADD, "Add"}, {"sub", ODATA_SUB, "Subtract"}};
static const struct operator products[] = {{"mul", ODATA_MUL, "Multiply"},
                                           {"div", ODATA_DIV, "Divide"},
                                           {"divby", ODATA_DIVBY, "Divide"},
                                           {"mod", ODATA_MOD, "Modulo"}};

/* ---- nodes ---- */

static bool too_deep(struct reader *r)
{
    return reader_fail(r, "Recursion depth exceeded allowed limit.");
}

struct odata_expr *reader_node(struct reader *r, enum odata_op op, const struct token *at)
{
    struct odata_expr *e = arena_calloc(r->a, 1, sizeof *e);
    if (++r->nodes > READ_MAX_NODES)
        return too_deep(r), NULL;
    if (arena_failed(r->a))
        return NULL;
    e->op = op;
    e->at = (unsigned)(at->text - r->text);
    e->depth = 1;
    return e;
}

bool reader_kids(struct reader *r, struct odata_expr *e, const struct odata_expr *const *kids,
                 size_t n)
{
    const struct odata_expr **copy = arena_calloc(r->a, n, sizeof *copy);
    if (arena_failed(r->a))
        return false;
    for (size_t i = 0; i < n; i++) {
        copy[i] = kids[i];
        if (e->depth <= kids[i]->depth)
            e->depth = kids[i]->depth + 1;
    }
    e->kids = copy;
    e->n_kids = n;
    return e->depth <= READ_MAX_DEPTH || too_deep(r);
}

const char *type_words(struct reader *r, const struct odata_expr *e)
{
    if (e->op == ODATA_LITERAL && e->value.kind == ODATA_NULL)
        return "<null>";
    return edm_name_of(r->a, e->kind, e->type, e->values, e->collection);
}

/* ---- types of operands ---- */

bool reader_coerce(struct reader *r, struct odata_expr *literal, const struct odata_expr *with)
{
    struct odata_value *v = &literal->value;
    if (literal->op != ODATA_LITERAL)
        return true;
    if (with->kind == EDM_ENUM && with->values && v->kind == ODATA_STRING) {
        int place = edm_value_find(with->values, v->text, strlen(v->text));
        if (place < 0)
            return reader_fail(
                r, arena_printf(r->a, "The string '%s' is not a valid enumeration type constant.",
                                v->text));
        *v = odata_enum(with->values->values[place]);
        literal->kind = EDM_ENUM;
        literal->values = with->values;
    }
    if (with->kind == EDM_DATE_TIME && v->kind == ODATA_DATE) {
        *v = odata_time(v->number * US_PER_DAY);
        literal->kind = EDM_DATE_TIME;
    }
    return true;
}

static bool comparable(const struct odata_expr *x, const struct odata_expr *y)
{
    if (x->kind == EDM_ANY || y->kind == EDM_ANY)
        return true;
    if (is_number(x->kind) && is_number(y->kind))
        return true;
    if (x->kind == EDM_ENUM || x->kind == EDM_COMPLEX || x->kind == EDM_ENTITY)
        return x->kind == y->kind && x->values == y->values && x->type == y->type;
    return x->kind == y->kind;
}

static bool incompatible(struct reader *r, const struct odata_expr *x, const struct odata_expr *y,
                         const char *name)
{
    return reader_fail(r, arena_printf(r->a,
                                       "A binary operator with incompatible types was detected. "
                                       "Found operand types '%s' and '%s' for operator kind '%s'.",
                                       type_words(r, x), type_words(r, y), name));
}

static bool single(struct reader *r, const struct odata_expr *e, const char *name)
{
    if (!e->collection)
        return true;
    return reader_fail(r, arena_printf(r->a,
                                       "The operand for a binary operator '%s' is not a single "
                                       "value. Binary operators require both operands to be single "
                                       "values.",
                                       name));
}

static struct odata_expr *binary(struct reader *r, const struct operator* o, const struct token *at,
                                 struct odata_expr *x, struct odata_expr *y)
{
    struct odata_expr *e = reader_node(r, o->op, at);
    const struct odata_expr *kids[] = {x, y};
    if (!e || !single(r, x, o->name) || !single(r, y, o->name) || !reader_kids(r, e, kids, 2))
        return NULL;
    return e;
}

static struct odata_expr *compare(struct reader *r, const struct operator* o,
                                  const struct token *at, struct odata_expr *x,
                                  struct odata_expr *y)
{
    struct odata_expr *e = binary(r, o, at, x, y);
    if (!e || !reader_coerce(r, x, y) || !reader_coerce(r, y, x))
        return NULL;
    if (!comparable(x, y))
        return incompatible(r, x, y, o->name), NULL;
    e->kind = EDM_BOOLEAN;
    return e;
}

/* The type of a result: of numbers, and of instants with durations. */
static bool sum_kind(const struct odata_expr *x, const struct odata_expr *y, enum odata_op op,
                     enum edm_kind *ret)
{
    bool whole = x->kind != EDM_DOUBLE && x->kind != EDM_SINGLE && x->kind != EDM_DECIMAL &&
                 y->kind != EDM_DOUBLE && y->kind != EDM_SINGLE && y->kind != EDM_DECIMAL;
    *ret = EDM_ANY;
    if (x->kind == EDM_ANY || y->kind == EDM_ANY)
        return true;
    if (is_number(x->kind) && is_number(y->kind)) {
        *ret = whole && op != ODATA_DIVBY ? EDM_INT64 : EDM_DOUBLE;
        return true;
    }
    if (op != ODATA_ADD && op != ODATA_SUB)
        return false;
    bool time = x->kind == EDM_DATE_TIME || x->kind == EDM_DATE || x->kind == EDM_DURATION;
    *ret = x->kind;
    if (time && y->kind == EDM_DURATION)
        return true;
    *ret = EDM_DURATION;
    return op == ODATA_SUB && time && x->kind == y->kind;
}

/* ---- grammar ---- */

static const struct operator*
    operator_at(const struct reader *r, const struct operator* list, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (reader_at(r, list[i].word))
            return &list[i];
    return NULL;
}

static struct odata_expr *expected(struct reader *r, const char *what)
{
    reader_fail_at(r, what, r->token.text);
    return NULL;
}

static struct odata_expr *read_literal(struct reader *r)
{
    struct odata_expr *e = reader_node(r, ODATA_LITERAL, &r->token);
    if (!e)
        return NULL;
    e->value = r->token.value;
    e->kind = r->token.type;
    e->values = r->token.values;
    return reader_next(r) ? e : NULL;
}

static struct odata_expr *read_bracket(struct reader *r)
{
    if (!reader_next(r))
        return NULL;
    struct odata_expr *e = read_expr(r);
    if (!e)
        return NULL;
    if (r->token.kind != TOKEN_CLOSE)
        return expected(r, "')' or operator expected");
    return reader_next(r) ? e : NULL;
}

static struct odata_expr *read_primary(struct reader *r)
{
    struct token t = r->token;
    switch (t.kind) {
    case TOKEN_LITERAL:
        return read_literal(r);
    case TOKEN_OPEN:
        return read_bracket(r);
    case TOKEN_NAME:
    case TOKEN_DOTTED:
        if (!reader_bracket(r))
            return read_path(r);
        return reader_next(r) ? read_call(r, &t) : NULL;
    default:
        return expected(r, "Expression expected");
    }
}

/* not x, -x */
static struct odata_expr *read_unary(struct reader *r)
{
    bool minus = r->token.kind == TOKEN_MINUS;
    struct token at = r->token;
    if (!minus && !reader_at(r, "not"))
        return read_primary(r);
    if (++r->depth > READ_MAX_DEPTH)
        return too_deep(r), NULL;
    struct odata_expr *kid = reader_next(r) ? read_unary(r) : NULL;
    r->depth--;
    struct odata_expr *e = kid ? reader_node(r, minus ? ODATA_MINUS : ODATA_NOT, &at) : NULL;
    if (!e || !reader_kids(r, e, (const struct odata_expr *const[]){kid}, 1))
        return NULL;
    bool fits = kid->kind == EDM_ANY || (minus ? is_number(kid->kind) || kid->kind == EDM_DURATION
                                               : kid->kind == EDM_BOOLEAN);
    if (!fits || kid->collection) {
        reader_fail(r,
                    arena_printf(r->a,
                                 "A unary operator with an incompatible type was detected. Found "
                                 "operand type '%s' for operator kind '%s'.",
                                 type_words(r, kid), minus ? "Negate" : "Not"));
        return NULL;
    }
    e->kind = minus ? kid->kind : EDM_BOOLEAN;
    return e;
}

static struct odata_expr *read_arithmetic(struct reader *r, const struct operator* list, size_t n)
{
    bool outer = list == sums;
    struct odata_expr *x =
        outer ? read_arithmetic(r, products, SOSIA_LEN(products)) : read_unary(r);
    const struct operator* o;
    while (x && (o = operator_at(r, list, n))) {
        struct token at = r->token;
        struct odata_expr *y = NULL;
        if (reader_next(r))
            y = outer ? read_arithmetic(r, products, SOSIA_LEN(products)) : read_unary(r);
        struct odata_expr *e = y ? binary(r, o, &at, x, y) : NULL;
        if (!e)
            return NULL;
        if (!sum_kind(x, y, o->op, &e->kind))
            return incompatible(r, x, y, o->name), NULL;
        x = e;
    }
    return x;
}

static struct odata_expr *read_sum(struct reader *r)
{
    return read_arithmetic(r, sums, SOSIA_LEN(sums));
}

static bool is_constant(const struct odata_expr *e)
{
    return e->op == ODATA_LITERAL || (e->op == ODATA_MINUS && e->kids[0]->op == ODATA_LITERAL);
}

/* The right side of `in`: ('a','b'), or the path of a collection. */
static struct odata_expr *read_items(struct reader *r, const struct odata_expr *x)
{
    const struct odata_expr **items = NULL;
    size_t n = 0, cap = 0;
    if (r->token.kind == TOKEN_NAME || r->token.kind == TOKEN_DOTTED)
        return read_path(r);
    if (r->token.kind != TOKEN_OPEN)
        return expected(r, "'(' expected");
    struct odata_expr *e = reader_node(r, ODATA_ITEMS, &r->token);
    do {
        struct odata_expr *item = e && reader_next(r) ? read_sum(r) : NULL;
        if (!item || !reader_coerce(r, item, x))
            return NULL;
        if (!is_constant(item))
            return expected(r, "Expression expected");
        if (!comparable(x, item))
            return incompatible(r, x, item, "In"), NULL;
        items = arena_grow(r->a, items, n, &cap, sizeof(*items));
        if (arena_failed(r->a))
            return NULL;
        items[n++] = item;
    } while (r->token.kind == TOKEN_COMMA);
    if (r->token.kind != TOKEN_CLOSE)
        return expected(r, "')' or ',' expected");
    if (!reader_kids(r, e, items, n) || !reader_next(r))
        return NULL;
    e->kind = x->kind;
    e->type = x->type;
    e->values = x->values;
    e->collection = true;
    return e;
}

static struct odata_expr *read_in(struct reader *r, const struct token *at, struct odata_expr *x)
{
    struct odata_expr *y = single(r, x, "In") ? read_items(r, x) : NULL;
    struct odata_expr *e = y ? reader_node(r, ODATA_IN, at) : NULL;
    if (!e || !reader_kids(r, e, (const struct odata_expr *const[]){x, y}, 2))
        return NULL;
    if ((!y->collection && y->kind != EDM_ANY) || !comparable(x, y))
        return incompatible(r, x, y, "In"), NULL;
    e->kind = EDM_BOOLEAN;
    return e;
}

static struct odata_expr *read_comparison(struct reader *r)
{
    struct odata_expr *x = read_sum(r);
    const struct operator* o;
    while (x && (o = operator_at(r, comparisons, SOSIA_LEN(comparisons)))) {
        struct token at = r->token;
        if (!reader_next(r))
            return NULL;
        if (o->op == ODATA_IN) {
            x = read_in(r, &at, x);
            continue;
        }
        struct odata_expr *y = read_sum(r);
        x = y ? compare(r, o, &at, x, y) : NULL;
    }
    return x;
}

/* Operands joined by `or`, or by `and`, which binds tighter. */
static struct odata_expr *read_joined(struct reader *r, enum odata_op op)
{
    bool either = op == ODATA_OR;
    const struct odata_expr **kids = NULL;
    size_t n = 0, cap = 0;
    struct token at = r->token;
    for (;;) {
        struct odata_expr *kid = either ? read_joined(r, ODATA_AND) : read_comparison(r);
        if (!kid)
            return NULL;
        kids = arena_grow(r->a, kids, n, &cap, sizeof(*kids));
        if (arena_failed(r->a))
            return NULL;
        kids[n++] = kid;
        bool more = reader_at(r, either ? "or" : "and");
        const char *name = either ? "Or" : "And";
        if ((more || n > 1) &&
            (!single(r, kid, name) || (kid->kind != EDM_BOOLEAN && kid->kind != EDM_ANY))) {
            struct odata_expr other = {.op = ODATA_NOT, .kind = EDM_BOOLEAN};
            return incompatible(r, n > 1 ? &other : kid, n > 1 ? kid : &other, name), NULL;
        }
        if (!more)
            break;
        if (!reader_next(r))
            return NULL;
    }
    if (n == 1) /* it was made here, and nothing else has it */
        return (struct odata_expr *)(uintptr_t)kids[0];
    struct odata_expr *e = reader_node(r, op, &at);
    if (!e || !reader_kids(r, e, kids, n))
        return NULL;
    e->kind = EDM_BOOLEAN;
    return e;
}

struct odata_expr *read_expr(struct reader *r)
{
    if (++r->depth > READ_MAX_DEPTH)
        return too_deep(r), NULL;
    struct odata_expr *e = read_joined(r, ODATA_OR);
    r->depth--;
    return e;
}
