/* SPDX-License-Identifier: Apache-2.0 */
#include "services/chat/slack/apps/expression.h"
#include "engine/base/codec.h"
#include <ctype.h>
#include <string.h>

#define MAX_DEPTH 64 /* of parentheses and NOT */
#define MAX_LIST  100
#define MAX_STEPS 32 /* of a path */

enum op {
    AND,
    OR,
    NOT,
    EQ,
    NE,
    LT,
    LE,
    GT,
    GE,
    BETWEEN,
    ONE_OF,
    EXISTS,
    ABSENT,
    TYPE,
    BEGINS,
    HAS
};

struct step {
    const char *name; /* of a member; NULL: an item */
    uint32_t index;
};

struct operand {
    const struct json *value; /* NULL: what the item has at the path */
    struct step *steps;
    unsigned n;
    bool size; /* how long that is */
};

struct sl_expression {
    enum op op;
    const struct sl_expression *left, *right;
    struct operand *args; /* of comparisons and functions */
    unsigned n;
};

/* ---- reading ---- */

struct reader {
    struct arena *arena;
    const char *p, *start; /* start: of the token that was read last */
    const struct json *names, *values;
    const char *why; /* NULL: nothing is wrong */
    unsigned depth;
};

static void skip_blanks(struct reader *r)
{
    r->p += strspn(r->p, " \t\r\n");
    r->start = r->p;
}

static void *bad_syntax(struct reader *r, const char *why)
{
    if (!r->why)
        r->why = why;
    return NULL;
}

static void *unexpected(struct reader *r)
{
    size_t n = strcspn(r->start, " \t\r\n");
    if (r->why)
        return NULL;
    return bad_syntax(r, *r->start ? arena_printf(r->arena, "Syntax error; token: \"%.*s\"",
                                                  (int)(n < 40 ? n : 40), r->start)
                                   : "Syntax error; token: \"<EOF>\"");
}

static bool is_name_char(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* The next characters, if they are these. */
static bool take(struct reader *r, const char *text)
{
    skip_blanks(r);
    size_t n = strlen(text);
    if (strncmp(r->p, text, n) != 0)
        return false;
    r->p += n;
    return true;
}

/* The next word, if it is this one in any case. */
static bool take_word(struct reader *r, const char *word)
{
    size_t n = 0;
    skip_blanks(r);
    while (word[n] && tolower((unsigned char)r->p[n]) == word[n])
        n++;
    if (word[n] || is_name_char(r->p[n]))
        return false;
    r->p += n;
    return true;
}

static bool expect(struct reader *r, const char *text)
{
    if (take(r, text))
        return true;
    unexpected(r);
    return false;
}

/* "#name" or ":name" as written. */
static const char *placeholder(struct reader *r)
{
    const char *from = r->p++;
    while (is_name_char(*r->p))
        r->p++;
    return arena_memdup(r->arena, from, (size_t)(r->p - from));
}

/* A member's name: bare, or what stands for it. */
static const char *member_name(struct reader *r)
{
    skip_blanks(r);
    if (*r->p == '#') {
        const char *key = placeholder(r), *name = json_get_str(r->names, key);
        return name ? name
                    : bad_syntax(
                          r, arena_printf(r->arena,
                                          "An expression attribute name used in the document path "
                                          "is not defined; attribute name: %.40s",
                                          key));
    }
    if (!isalpha((unsigned char)*r->p) && *r->p != '_')
        return unexpected(r);
    const char *from = r->p;
    while (is_name_char(*r->p))
        r->p++;
    return arena_memdup(r->arena, from, (size_t)(r->p - from));
}

static bool add_step(struct reader *r, struct operand *o, struct step s)
{
    if (o->n == MAX_STEPS)
        return bad_syntax(r, "The document path has too many nesting elements");
    o->steps[o->n++] = s;
    return true;
}

static bool path(struct reader *r, struct operand *ret)
{
    *ret = (struct operand){.steps = arena_calloc(r->arena, MAX_STEPS, sizeof(struct step))};
    const char *name = member_name(r);
    if (!name || !add_step(r, ret, (struct step){.name = name}))
        return false;
    for (;;) {
        if (*r->p == '.') {
            r->p++;
            if (!(name = member_name(r)) || !add_step(r, ret, (struct step){.name = name}))
                return false;
        } else if (*r->p == '[') {
            int64_t at;
            r->start = r->p++;
            size_t n = strspn(r->p, "0123456789");
            if (!n || n > 9 || r->p[n] != ']' || parse_i64(r->p, n, &at) < 0)
                return unexpected(r) != NULL;
            r->p += n + 1;
            if (!add_step(r, ret, (struct step){.index = (uint32_t)at}))
                return false;
        } else {
            return true;
        }
    }
}

static bool operand(struct reader *r, struct operand *ret)
{
    skip_blanks(r);
    if (*r->p == ':') {
        const char *key = placeholder(r);
        *ret = (struct operand){.value = json_get(r->values, key)};
        if (!ret->value)
            bad_syntax(r, arena_printf(r->arena,
                                       "An expression attribute value used in expression is not "
                                       "defined; attribute value: %.40s",
                                       key));
        return ret->value;
    }
    const char *from = r->p;
    if (take_word(r, "size") && take(r, "(")) {
        if (!path(r, ret) || !expect(r, ")"))
            return false;
        ret->size = true;
        return true;
    }
    r->p = from;
    return path(r, ret);
}

static struct sl_expression *new_node(struct reader *r, enum op op, unsigned args)
{
    struct sl_expression *e = arena_calloc(r->arena, 1, sizeof *e);
    e->op = op;
    if (args)
        e->args = arena_calloc(r->arena, args, sizeof *e->args);
    return e;
}

/* NAME(path[, operand]) */
static struct sl_expression *function(struct reader *r, enum op op, bool two)
{
    struct sl_expression *e = new_node(r, op, 2);
    if (!path(r, &e->args[0]) || (two && (!expect(r, ",") || !operand(r, &e->args[1]))) ||
        !expect(r, ")"))
        return NULL;
    e->n = 1 + two;
    return e;
}

static struct sl_expression *one_of(struct reader *r, const struct operand *first)
{
    struct sl_expression *e = new_node(r, ONE_OF, MAX_LIST + 1);
    e->args[e->n++] = *first;
    if (!expect(r, "("))
        return NULL;
    do {
        if (e->n > MAX_LIST)
            return bad_syntax(r, "The IN operator is provided with too many operands");
        if (!operand(r, &e->args[e->n++]))
            return NULL;
    } while (take(r, ","));
    return expect(r, ")") ? e : NULL;
}

static struct sl_expression *comparison(struct reader *r)
{
    static const struct {
        const char *text;
        enum op op;
    } signs[] = {{"<>", NE}, {"<=", LE}, {">=", GE}, {"=", EQ}, {"<", LT}, {">", GT}};
    struct operand first;
    if (!operand(r, &first))
        return NULL;
    for (size_t i = 0; i < SOSIA_LEN(signs); i++)
        if (take(r, signs[i].text)) {
            struct sl_expression *e = new_node(r, signs[i].op, 2);
            e->args[0] = first;
            e->n = 2;
            return operand(r, &e->args[1]) ? e : NULL;
        }
    if (take_word(r, "between")) {
        struct sl_expression *e = new_node(r, BETWEEN, 3);
        e->args[0] = first;
        e->n = 3;
        if (!operand(r, &e->args[1]))
            return NULL;
        if (!take_word(r, "and"))
            return unexpected(r);
        return operand(r, &e->args[2]) ? e : NULL;
    }
    return take_word(r, "in") ? one_of(r, &first) : unexpected(r);
}

static struct sl_expression *any(struct reader *r);

static struct sl_expression *condition(struct reader *r)
{
    static const struct {
        const char *name;
        enum op op;
        bool two;
    } functions[] = {{"attribute_exists", EXISTS, false},
                     {"attribute_not_exists", ABSENT, false},
                     {"attribute_type", TYPE, true},
                     {"begins_with", BEGINS, true},
                     {"contains", HAS, true}};
    struct sl_expression *e;
    if (r->depth == MAX_DEPTH)
        return bad_syntax(r, "The expression has too many nesting elements");
    if (take_word(r, "not")) {
        r->depth++;
        e = new_node(r, NOT, 0);
        e->left = condition(r);
        r->depth--;
        return e->left ? e : NULL;
    }
    if (take(r, "(")) {
        r->depth++;
        e = any(r);
        r->depth--;
        return e && expect(r, ")") ? e : NULL;
    }
    const char *from = r->p;
    for (size_t i = 0; i < SOSIA_LEN(functions); i++) {
        if (take_word(r, functions[i].name) && take(r, "("))
            return function(r, functions[i].op, functions[i].two);
        r->p = from;
    }
    return comparison(r);
}

/* What is joined by one word, from the left to the right. */
static struct sl_expression *joined_conditions(struct reader *r, enum op op)
{
    struct sl_expression *left = op == AND ? condition(r) : joined_conditions(r, AND);
    while (left && take_word(r, op == AND ? "and" : "or")) {
        struct sl_expression *e = new_node(r, op, 0);
        e->left = left;
        e->right = op == AND ? condition(r) : joined_conditions(r, AND);
        left = e->right ? e : NULL;
    }
    return left;
}

static struct sl_expression *any(struct reader *r)
{
    return joined_conditions(r, OR);
}

int sl_expression_read(struct arena *a, const char *text, const struct json *names,
                       const struct json *values, const struct sl_expression **ret,
                       const char **ret_why)
{
    struct reader r = {.arena = a, .p = text, .start = text, .names = names, .values = values};
    if (strlen(text) > SL_EXPRESSION_MAX) {
        *ret_why = "Expression size has exceeded the maximum allowed size";
        return 0;
    }
    *ret = any(&r);
    skip_blanks(&r);
    if (*ret && *r.p)
        *ret = unexpected(&r);
    if (arena_failed(a))
        return -1;
    *ret_why = r.why;
    return *ret != NULL;
}

/* ---- asking an item ---- */

/* A value; number: it is one that was counted. */
struct seen {
    const struct json *value; /* NULL: there is none, or a number that was counted */
    double size;
};

static struct seen look_up(const struct operand *o, const struct json *item)
{
    const struct json *v = o->value ? o->value : item;
    for (unsigned i = 0; v && i < o->n; i++) {
        const struct step *s = &o->steps[i];
        v = s->name                                    ? json_get(v, s->name)
            : v->type == JSON_ARRAY && s->index < v->n ? &v->items[s->index]
                                                       : NULL;
    }
    if (!o->size)
        return (struct seen){.value = v, .size = -1};
    bool counted = v && (v->type == JSON_STRING || v->type == JSON_ARRAY || v->type == JSON_OBJECT);
    return (struct seen){.size = counted ? (double)v->n : -1};
}

static bool number_of(const struct seen *s, double *ret)
{
    if (s->value)
        return s->value->type == JSON_NUMBER && json_double(s->value, ret) == 0;
    *ret = s->size;
    return s->size >= 0;
}

static bool same_value(const struct json *a, const struct json *b)
{
    double x, y;
    if (a->type != b->type)
        return false;
    switch ((enum json_type)a->type) {
    case JSON_NULL:
        return true;
    case JSON_BOOL:
        return a->truth == b->truth;
    case JSON_NUMBER:
        return json_double(a, &x) == 0 && json_double(b, &y) == 0 && x == y;
    case JSON_STRING:
        return a->n == b->n && memcmp(a->str, b->str, a->n) == 0;
    case JSON_ARRAY:
        for (uint32_t i = 0; a->n == b->n && i < a->n; i++)
            if (!same_value(&a->items[i], &b->items[i]))
                return false;
        return a->n == b->n;
    case JSON_OBJECT:
        break;
    }
    for (uint32_t i = 0; a->n == b->n && i < a->n; i++) {
        const struct json *other = json_get(b, a->members[i].key);
        if (!other || !same_value(&a->members[i].value, other))
            return false;
    }
    return a->n == b->n;
}

/* Texts by their bytes, numbers; of two others nothing holds. */
static bool ordered(enum op op, const struct seen *a, const struct seen *b)
{
    double x, y;
    int order;
    if (number_of(a, &x) && number_of(b, &y))
        order = (x > y) - (x < y);
    else if (a->value && b->value && a->value->type == JSON_STRING && b->value->type == JSON_STRING)
        order = strcmp(a->value->str, b->value->str);
    else
        return false;
    return op == LT ? order < 0 : op == LE ? order <= 0 : op == GT ? order > 0 : order >= 0;
}

static bool equal(const struct seen *a, const struct seen *b)
{
    double x, y;
    if (a->value && b->value)
        return same_value(a->value, b->value);
    return number_of(a, &x) && number_of(b, &y) && x == y;
}

static bool has_part(const struct json *v, const struct json *part)
{
    if (v->type == JSON_STRING)
        return part->type == JSON_STRING && strstr(v->str, part->str);
    for (uint32_t i = 0; v->type == JSON_ARRAY && i < v->n; i++)
        if (same_value(&v->items[i], part))
            return true;
    return false;
}

/* The names that the database has for types of values. */
static bool has_type(const struct json *v, const struct json *type)
{
    static const char *const types[] = {
        [JSON_NULL] = "NULL", [JSON_BOOL] = "BOOL", [JSON_NUMBER] = "N",
        [JSON_STRING] = "S",  [JSON_ARRAY] = "L",   [JSON_OBJECT] = "M"};
    return type->type == JSON_STRING && strcmp(types[v->type], type->str) == 0;
}

static bool asked_holds(const struct sl_expression *e, const struct json *item)
{
    struct seen a = look_up(&e->args[0], item), b = {.size = -1}, c;
    if (e->n > 1)
        b = look_up(&e->args[1], item);
    switch (e->op) {
    case EQ:
        return equal(&a, &b);
    case NE:
        return !equal(&a, &b);
    case BETWEEN:
        c = look_up(&e->args[2], item);
        return ordered(GE, &a, &b) && ordered(LE, &a, &c);
    case ONE_OF:
        for (unsigned i = 1; i < e->n; i++) {
            b = look_up(&e->args[i], item);
            if (equal(&a, &b))
                return true;
        }
        return false;
    case EXISTS:
        return a.value;
    case ABSENT:
        return !a.value;
    case TYPE:
        return a.value && b.value && has_type(a.value, b.value);
    case BEGINS:
        return a.value && b.value && a.value->type == JSON_STRING && b.value->type == JSON_STRING &&
               str_starts(a.value->str, b.value->str);
    case HAS:
        return a.value && b.value && has_part(a.value, b.value);
    default:
        return ordered(e->op, &a, &b);
    }
}

bool sl_expression_holds(const struct sl_expression *e, const struct json *item)
{
    switch (e->op) {
    case AND:
        return sl_expression_holds(e->left, item) && sl_expression_holds(e->right, item);
    case OR:
        return sl_expression_holds(e->left, item) || sl_expression_holds(e->right, item);
    case NOT:
        return !sl_expression_holds(e->left, item);
    default:
        return asked_holds(e, item);
    }
}
