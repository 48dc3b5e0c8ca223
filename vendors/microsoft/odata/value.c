/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Expressions asked of a thing. Logic is of three values: what compares with null is neither true
 * nor false unless it is asked whether it is null (OData 4.01, 5.1.1.1).
 */
#include "engine/base/codec.h"
#include "engine/text/civil.h"
#include "engine/text/utf8.h"
#include "vendors/microsoft/odata/impl.h"
#include <math.h>
#include <strings.h>
#include <utf8proc.h>

struct odata_value odata_null(void)
{
    return (struct odata_value){.kind = ODATA_NULL};
}

struct odata_value odata_bool(bool v)
{
    return (struct odata_value){.kind = ODATA_BOOL, .truth = v};
}

struct odata_value odata_int(int64_t v)
{
    return (struct odata_value){.kind = ODATA_INT, .number = v};
}

struct odata_value odata_string(const char *text)
{
    return (struct odata_value){.kind = text ? ODATA_STRING : ODATA_NULL, .text = text};
}

struct odata_value odata_enum(const char *name)
{
    return (struct odata_value){.kind = name ? ODATA_ENUM : ODATA_NULL, .text = name};
}

struct odata_value odata_time(int64_t us)
{
    return (struct odata_value){.kind = ODATA_TIME, .number = us};
}

struct odata_value odata_list(const struct odata_value *items, size_t n)
{
    return (struct odata_value){.kind = ODATA_LIST, .items = items, .n = n};
}

struct odata_value odata_thing(const void *thing)
{
    return (struct odata_value){.kind = thing ? ODATA_THING : ODATA_NULL, .thing = thing};
}

/* ---- comparing ---- */

bool is_ascii(const char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text >= 0x80)
            return false;
    return true;
}

const char *fold_text(struct arena *a, const char *text)
{
    size_t len = strlen(text), i = 0;
    while (i < len && (unsigned char)text[i] < 0x80 && !(text[i] >= 'A' && text[i] <= 'Z'))
        i++;
    if (i == len)
        return text;
    char *out = arena_alloc(a, 2 * len + 5), *to = out; /* the lower case of U+0130 is longer */
    if (arena_failed(a))
        return "";
    for (i = 0; i < len;) {
        unsigned n = utf8_sequence(text + i, len - i);
        if (!n) {
            i++;
            continue;
        }
        unsigned c = utf8_code_point(text + i, n);
        to = utf8_put(to, (unsigned)utf8proc_tolower((utf8proc_int32_t)c));
        i += n;
    }
    *to = 0;
    return out;
}

static int sign(int64_t d)
{
    return (d > 0) - (d < 0);
}

static int by_number(int64_t x, int64_t y)
{
    return (x > y) - (x < y);
}

static int by_text(const struct odata_ctx *ctx, const char *x, const char *y)
{
    if (ctx->exact)
        return sign(strcmp(x, y));
    if (is_ascii(x) && is_ascii(y))
        return sign(strcasecmp(x, y));
    return sign(strcmp(fold_text(ctx->arena, x), fold_text(ctx->arena, y)));
}

/* The value as it counts beside one of another kind: a date or a string beside an instant. */
static struct odata_value beside(const struct odata_value *v, const struct odata_value *other)
{
    struct odata_value w = *v;
    if (other->kind == ODATA_TIME && v->kind == ODATA_DATE)
        w = odata_time(v->number * US_PER_DAY);
    else if (other->kind == ODATA_TIME && v->kind == ODATA_STRING &&
             read_instant(v->text, strlen(v->text), true, &w.number))
        w.kind = ODATA_TIME;
    else if (other->kind == ODATA_DOUBLE && v->kind == ODATA_INT)
        w = (struct odata_value){.kind = ODATA_DOUBLE, .real = (double)v->number};
    else if (v->kind == ODATA_ENUM && other->kind == ODATA_STRING)
        w.kind = ODATA_STRING;
    else if (v->kind == ODATA_GUID && other->kind == ODATA_STRING)
        w.kind = ODATA_STRING;
    return w;
}

static int by_place(const struct edm_enum *values, const char *x, const char *y)
{
    int a = edm_value_find(values, x, strlen(x)), b = edm_value_find(values, y, strlen(y));
    return a < 0 && b < 0 ? sign(strcmp(x, y)) : by_number(a, b);
}

int compare_values(const struct odata_ctx *ctx, const struct odata_value *left,
                   const struct odata_value *right, const struct edm_enum *values, bool *ret_known)
{
    struct odata_value x = beside(left, right), y = beside(right, left);
    *ret_known = x.kind == y.kind && x.kind != ODATA_NULL;
    if (!*ret_known)
        return 0;
    switch (x.kind) {
    case ODATA_BOOL:
        return by_number(x.truth, y.truth);
    case ODATA_DOUBLE:
        *ret_known = !isnan(x.real) && !isnan(y.real);
        return (x.real > y.real) - (x.real < y.real);
    case ODATA_ENUM:
        return by_place(values, x.text, y.text);
    case ODATA_STRING:
        return by_text(ctx, x.text, y.text);
    case ODATA_GUID:
        return sign(strcasecmp(x.text, y.text));
    case ODATA_BINARY:
        return sign(strcmp(x.text, y.text));
    case ODATA_LIST:
    case ODATA_THING:
        *ret_known = false;
        return 0;
    default:
        return by_number(x.number, y.number);
    }
}

/* ---- evaluating ---- */

/* The values of lambda variables. */
struct frame {
    const struct odata_ctx *ctx;
    const void *things[READ_MAX_SCOPE + 1];
    const struct odata_value *items[READ_MAX_SCOPE + 1]; /* [0] is not used */
    unsigned n;
};

static int value(struct frame *f, const struct odata_expr *e, struct odata_value *ret);

/* Does a cast in the path hold for the thing? Casts further on are the getter's. */
static bool casts_hold(struct frame *f, const struct odata_path *p)
{
    const struct odata_ctx *ctx = f->ctx;
    if (!ctx->type_of || !p->n || !p->steps[0].cast)
        return true;
    const struct edm_type *is = ctx->type_of(ctx->arg, f->things[p->variable]);
    return !is || edm_is_a(is, p->steps[0].cast);
}

static int path_value(struct frame *f, const struct odata_expr *e, struct odata_value *ret)
{
    const struct odata_path *p = e->path;
    const struct odata_ctx *ctx = f->ctx;
    *ret = odata_null();
    if (p->variable && (!p->n || f->items[p->variable]->kind != ODATA_THING)) {
        if (!p->n)
            *ret = *f->items[p->variable];
        return 0;
    }
    if (!p->n) {
        *ret = odata_thing(f->things[0]);
        return 0;
    }
    if (!casts_hold(f, p))
        return 0;
    int r = ctx->get(ctx->arg, ctx->arena, f->things[p->variable], p, ret);
    if (r <= 0)
        *ret = odata_null();
    if (r > 0 && p->count && ret->kind == ODATA_LIST)
        *ret = odata_int((int64_t)ret->n);
    return r < 0 ? -1 : 0;
}

static int logic(struct frame *f, const struct odata_expr *e, struct odata_value *ret)
{
    bool either = e->op == ODATA_OR, known = true;
    for (size_t i = 0; i < e->n_kids; i++) {
        struct odata_value v;
        if (value(f, e->kids[i], &v) < 0)
            return -1;
        if (v.kind == ODATA_BOOL && v.truth == either) {
            *ret = v;
            return 0;
        }
        known = known && v.kind == ODATA_BOOL;
    }
    *ret = known ? odata_bool(!either) : odata_null();
    return 0;
}

static bool holds(enum odata_op op, int d)
{
    switch (op) {
    case ODATA_EQ:
        return d == 0;
    case ODATA_NE:
        return d != 0;
    case ODATA_GT:
        return d > 0;
    case ODATA_GE:
        return d >= 0;
    case ODATA_LT:
        return d < 0;
    default:
        return d <= 0;
    }
}

static const struct edm_enum *values_of(const struct odata_expr *e)
{
    return e->kids[0]->values ? e->kids[0]->values : e->kids[1]->values;
}

static int comparison(struct frame *f, const struct odata_expr *e, struct odata_value *ret)
{
    struct odata_value x, y;
    bool known;
    if (value(f, e->kids[0], &x) < 0 || value(f, e->kids[1], &y) < 0)
        return -1;
    if (x.kind == ODATA_NULL || y.kind == ODATA_NULL) {
        bool same = x.kind == y.kind;
        *ret = odata_bool(e->op == ODATA_EQ ? same : e->op == ODATA_NE && !same);
        return 0;
    }
    int d = compare_values(f->ctx, &x, &y, values_of(e), &known);
    *ret = odata_bool(known ? holds(e->op, d) : e->op == ODATA_NE);
    return 0;
}

/* Values of enumerations with flags are names with commas between them. */
static bool has_value(const char *list, const char *name)
{
    size_t n = strlen(name);
    for (const char *p = list; *p; p += strcspn(p, ",")) {
        p += strspn(p, ", ");
        if (strncasecmp(p, name, n) == 0 && (!p[n] || p[n] == ','))
            return true;
    }
    return false;
}

static int has(struct frame *f, const struct odata_expr *e, struct odata_value *ret)
{
    struct odata_value x, y;
    if (value(f, e->kids[0], &x) < 0 || value(f, e->kids[1], &y) < 0)
        return -1;
    *ret = odata_null();
    if (x.text && y.text)
        *ret = odata_bool(has_value(x.text, y.text));
    return 0;
}

static int in(struct frame *f, const struct odata_expr *e, struct odata_value *ret)
{
    const struct odata_expr *right = e->kids[1];
    struct odata_value x, list = odata_null(), item;
    bool found = false, known;
    if (value(f, e->kids[0], &x) < 0)
        return -1;
    if (right->op != ODATA_ITEMS && value(f, right, &list) < 0)
        return -1;
    size_t n = right->op == ODATA_ITEMS ? right->n_kids : list.n;
    for (size_t i = 0; i < n && !found; i++) {
        if (right->op != ODATA_ITEMS)
            item = list.items[i];
        else if (value(f, right->kids[i], &item) < 0)
            return -1;
        found = compare_values(f->ctx, &x, &item, values_of(e), &known) == 0 && known;
        found = found || (x.kind == ODATA_NULL && item.kind == ODATA_NULL);
    }
    *ret = odata_bool(found);
    return 0;
}

static int lambda(struct frame *f, const struct odata_expr *e, struct odata_value *ret)
{
    struct odata_value list, v;
    bool all = e->op == ODATA_ALL;
    if (value(f, e->kids[0], &list) < 0)
        return -1;
    if (e->n_kids == 1) {
        *ret = odata_bool(list.kind == ODATA_LIST && list.n);
        return 0;
    }
    unsigned at = ++f->n;
    bool result = all;
    for (size_t i = 0; i < list.n && result == all; i++) {
        f->items[at] = &list.items[i];
        f->things[at] = list.items[i].thing;
        if (value(f, e->kids[1], &v) < 0)
            return -1;
        result = v.kind == ODATA_BOOL && v.truth;
    }
    f->n--;
    *ret = odata_bool(result);
    return 0;
}

/* ---- arithmetic ---- */

static double real_of(const struct odata_value *v)
{
    return v->kind == ODATA_INT ? (double)v->number : v->real;
}

static struct odata_value whole_result(enum odata_op op, int64_t x, int64_t y)
{
    int64_t n = 0;
    bool bad = false;
    switch (op) {
    case ODATA_ADD:
        bad = __builtin_add_overflow(x, y, &n);
        break;
    case ODATA_SUB:
        bad = __builtin_sub_overflow(x, y, &n);
        break;
    case ODATA_MUL:
        bad = __builtin_mul_overflow(x, y, &n);
        break;
    default:
        bad = !y || (x == INT64_MIN && y == -1);
        if (!bad)
            n = op == ODATA_DIV ? x / y : x % y;
        break;
    }
    return bad ? odata_null() : odata_int(n);
}

static struct odata_value real_result(enum odata_op op, double x, double y)
{
    struct odata_value v = {.kind = ODATA_DOUBLE};
    switch (op) {
    case ODATA_ADD:
        v.real = x + y;
        break;
    case ODATA_SUB:
        v.real = x - y;
        break;
    case ODATA_MUL:
        v.real = x * y;
        break;
    case ODATA_MOD:
        v.real = fmod(x, y);
        break;
    default:
        v.real = x / y;
        break;
    }
    return v;
}

/* An instant or a date with a duration, and the time between two. */
static struct odata_value time_result(enum odata_op op, const struct odata_value *x,
                                      const struct odata_value *y)
{
    int64_t unit = x->kind == ODATA_DATE ? US_PER_DAY : 1;
    int64_t other = y->kind == ODATA_DATE ? US_PER_DAY : 1;
    int64_t n;
    bool bad = op == ODATA_ADD ? __builtin_add_overflow(x->number * unit, y->number * other, &n)
                               : __builtin_sub_overflow(x->number * unit, y->number * other, &n);
    if (bad)
        return odata_null();
    struct odata_value v = {.kind = x->kind, .number = n};
    if (y->kind != ODATA_DURATION)
        v.kind = ODATA_DURATION;
    else if (x->kind == ODATA_DATE)
        v.number = n >= 0 ? n / US_PER_DAY : -((-n + US_PER_DAY - 1) / US_PER_DAY);
    return v;
}

static bool is_time(const struct odata_value *v)
{
    return v->kind == ODATA_TIME || v->kind == ODATA_DATE || v->kind == ODATA_DURATION;
}

static bool is_amount(const struct odata_value *v)
{
    return v->kind == ODATA_INT || v->kind == ODATA_DOUBLE;
}

static int arithmetic(struct frame *f, const struct odata_expr *e, struct odata_value *ret)
{
    struct odata_value x, y;
    if (value(f, e->kids[0], &x) < 0 || value(f, e->kids[1], &y) < 0)
        return -1;
    *ret = odata_null();
    if (x.kind == ODATA_INT && y.kind == ODATA_INT && e->op != ODATA_DIVBY)
        *ret = whole_result(e->op, x.number, y.number);
    else if (is_amount(&x) && is_amount(&y))
        *ret = real_result(e->op, real_of(&x), real_of(&y));
    else if (is_time(&x) && is_time(&y))
        *ret = time_result(e->op, &x, &y);
    return 0;
}

static int unary(struct frame *f, const struct odata_expr *e, struct odata_value *ret)
{
    struct odata_value v;
    if (value(f, e->kids[0], &v) < 0)
        return -1;
    *ret = v;
    if (e->op == ODATA_NOT)
        *ret = v.kind == ODATA_BOOL ? odata_bool(!v.truth) : odata_null();
    else if (v.kind == ODATA_DOUBLE)
        ret->real = -v.real;
    else if ((v.kind == ODATA_INT || v.kind == ODATA_DURATION) && v.number != INT64_MIN)
        ret->number = -v.number;
    else
        *ret = odata_null();
    return 0;
}

/* isof(T), isof(x,T) of things: the kind that the dialect says. */
static int is_of(struct frame *f, const struct odata_expr *e, const struct odata_value *v,
                 struct odata_value *ret)
{
    const struct odata_ctx *ctx = f->ctx;
    const void *thing = e->n_kids ? v->thing : f->things[0];
    const struct edm_type *is = NULL;
    if (e->type && thing && ctx->type_of)
        is = ctx->type_of(ctx->arg, thing);
    *ret = odata_bool(e->type && edm_is_a(is, e->type));
    return 0;
}

static int call(struct frame *f, const struct odata_expr *e, struct odata_value *ret)
{
    struct odata_value args[3] = {{.kind = ODATA_NULL}};
    bool null = false;
    for (size_t i = 0; i < e->n_kids && i < SOSIA_LEN(args); i++) {
        if (value(f, e->kids[i], &args[i]) < 0)
            return -1;
        null = null || args[i].kind == ODATA_NULL;
    }
    if (e->function == ODATA_ISOF && (e->type || !e->n_kids))
        return is_of(f, e, args, ret);
    if (e->function == ODATA_CAST && !e->n_kids)
        args[0] = odata_thing(f->things[0]);
    *ret = odata_null();
    return null ? 0 : function_value(f->ctx, e, args, ret);
}

/* Depth is bounded by the reader's. */
static int value(struct frame *f, const struct odata_expr *e, struct odata_value *ret)
{
    switch (e->op) {
    case ODATA_OR:
    case ODATA_AND:
        return logic(f, e, ret);
    case ODATA_NOT:
    case ODATA_MINUS:
        return unary(f, e, ret);
    case ODATA_HAS:
        return has(f, e, ret);
    case ODATA_IN:
        return in(f, e, ret);
    case ODATA_LITERAL:
        *ret = e->value;
        return 0;
    case ODATA_PATH:
        return path_value(f, e, ret);
    case ODATA_CALL:
        return call(f, e, ret);
    case ODATA_ANY:
    case ODATA_ALL:
        return lambda(f, e, ret);
    case ODATA_ITEMS:
        *ret = odata_null();
        return 0;
    case ODATA_ADD:
    case ODATA_SUB:
    case ODATA_MUL:
    case ODATA_DIV:
    case ODATA_DIVBY:
    case ODATA_MOD:
        return arithmetic(f, e, ret);
    default:
        return comparison(f, e, ret);
    }
}

int odata_value_of(const struct odata_ctx *ctx, const struct odata_expr *expr, const void *thing,
                   struct odata_value *ret)
{
    struct frame f = {.ctx = ctx, .things = {thing}};
    return value(&f, expr, ret);
}

int odata_matches(const struct odata_ctx *ctx, const struct odata_expr *expr, const void *thing)
{
    struct odata_value v;
    if (!expr)
        return 1;
    if (odata_value_of(ctx, expr, thing, &v) < 0)
        return -1;
    return v.kind == ODATA_BOOL && v.truth;
}

/* ---- order ---- */

int odata_keys(const struct odata_ctx *ctx, const struct odata_query *q, const void *thing,
               struct odata_value **ret_keys)
{
    struct odata_value *keys = arena_calloc(ctx->arena, q->n_order + 1, sizeof *keys);
    if (arena_failed(ctx->arena))
        return -1;
    for (size_t i = 0; i < q->n_order; i++)
        if (odata_value_of(ctx, q->order[i].by, thing, &keys[i]) < 0)
            return -1;
    *ret_keys = keys;
    return 0;
}

int odata_order(const struct odata_ctx *ctx, const struct odata_query *q,
                const struct odata_value *x, const struct odata_value *y)
{
    for (size_t i = 0; i < q->n_order; i++) {
        bool known;
        int d = compare_values(ctx, &x[i], &y[i], q->order[i].by->values, &known);
        if (!known)
            d = (x[i].kind != ODATA_NULL) - (y[i].kind != ODATA_NULL);
        if (d)
            return q->order[i].descending ? -d : d;
    }
    return 0;
}

bool is_number(enum edm_kind kind)
{
    switch (kind) {
    case EDM_BYTE:
    case EDM_SBYTE:
    case EDM_INT16:
    case EDM_INT32:
    case EDM_INT64:
    case EDM_SINGLE:
    case EDM_DOUBLE:
    case EDM_DECIMAL:
        return true;
    default:
        return false;
    }
}
