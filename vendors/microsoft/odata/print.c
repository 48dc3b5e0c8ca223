/* SPDX-License-Identifier: Apache-2.0 */
/* Expressions as text. Operands that are operators themselves are in brackets. */
#include "engine/text/civil.h"
#include "vendors/microsoft/odata/impl.h"
#include <inttypes.h>
#include <math.h>

static const char *const words[] = {
    [ODATA_OR] = "or",   [ODATA_AND] = "and", [ODATA_EQ] = "eq",   [ODATA_NE] = "ne",
    [ODATA_GT] = "gt",   [ODATA_GE] = "ge",   [ODATA_LT] = "lt",   [ODATA_LE] = "le",
    [ODATA_HAS] = "has", [ODATA_IN] = "in",   [ODATA_ADD] = "add", [ODATA_SUB] = "sub",
    [ODATA_MUL] = "mul", [ODATA_DIV] = "div", [ODATA_MOD] = "mod", [ODATA_DIVBY] = "divby",
};

static void print_quoted(struct buf *out, const char *text)
{
    buf_byte(out, '\'');
    for (; *text; text++) {
        if (*text == '\'')
            buf_byte(out, '\'');
        buf_byte(out, *text);
    }
    buf_byte(out, '\'');
}

static void print_instant(struct buf *out, int64_t us)
{
    char text[STAMP_TEXT];
    stamp_format(text, us, 0, us % US_PER_SECOND ? 6 : 0, true);
    buf_puts(out, text);
}

static void print_clock(struct buf *out, int64_t us)
{
    int64_t s = us / US_PER_SECOND;
    buf_printf(out, "%02d:%02d:%02d.%06d", (int)(s / 3600), (int)(s / 60 % 60), (int)(s % 60),
               (int)(us % US_PER_SECOND));
}

static void print_duration(struct buf *out, int64_t us)
{
    int64_t n = us < 0 ? -us : us, s = n / US_PER_SECOND;
    buf_printf(out, "duration'%sP%" PRId64 "DT%d.%06dS'", us < 0 ? "-" : "", s / SECONDS_PER_DAY,
               (int)(s % SECONDS_PER_DAY), (int)(n % US_PER_SECOND));
}

static void print_double(struct buf *out, double v)
{
    if (isnan(v) || isinf(v))
        buf_puts(out, isnan(v) ? "NaN" : "INF");
    else
        buf_printf(out, "%.16e", v);
}

static void print_literal(struct buf *out, const struct odata_expr *e)
{
    const struct odata_value *v = &e->value;
    char date[DATE_TEXT];
    switch (v->kind) {
    case ODATA_BOOL:
        buf_puts(out, v->truth ? "true" : "false");
        break;
    case ODATA_INT:
        buf_i64(out, v->number);
        break;
    case ODATA_DOUBLE:
        print_double(out, v->real);
        break;
    case ODATA_TIME:
        print_instant(out, v->number);
        break;
    case ODATA_DATE:
        date_format(date, v->number);
        buf_puts(out, date);
        break;
    case ODATA_CLOCK:
        print_clock(out, v->number);
        break;
    case ODATA_DURATION:
        print_duration(out, v->number);
        break;
    case ODATA_GUID:
        buf_puts(out, v->text);
        break;
    case ODATA_BINARY:
        buf_puts(out, "binary");
        print_quoted(out, v->text);
        break;
    case ODATA_ENUM:
        buf_printf(out, "%s.%s", EDM_NAMESPACE, e->values->name);
        print_quoted(out, v->text);
        break;
    case ODATA_STRING:
        print_quoted(out, v->text);
        break;
    default:
        buf_puts(out, "null");
        break;
    }
}

/* Names of lambda variables are their depth, so that equal expressions are equal as text. */
static void print_path(struct buf *out, const struct odata_path *p)
{
    const char *between = "";
    if (p->variable) {
        buf_printf(out, "v%u", p->variable);
        between = "/";
    } else if (!p->n) {
        buf_puts(out, "$it");
        between = "/";
    }
    for (size_t i = 0; i < p->n; i++, between = "/") {
        buf_puts(out, between);
        if (p->steps[i].cast)
            buf_printf(out, "%s.", EDM_NAMESPACE);
        buf_puts(out, p->steps[i].name);
    }
    if (p->count)
        buf_printf(out, "%s$count", between);
}

struct printer {
    struct buf *out;
    unsigned scope;
};

static void print(struct printer *k, const struct odata_expr *e, bool inner);

static void print_list(struct printer *k, const struct odata_expr *e)
{
    buf_byte(k->out, '(');
    for (size_t i = 0; i < e->n_kids; i++) {
        if (i)
            buf_byte(k->out, ',');
        print(k, e->kids[i], false);
    }
    buf_byte(k->out, ')');
}

static void print_call(struct printer *k, const struct odata_expr *e)
{
    buf_puts(k->out, function_name(e->function));
    if (e->function != ODATA_CAST && e->function != ODATA_ISOF) {
        print_list(k, e);
        return;
    }
    buf_byte(k->out, '(');
    if (e->n_kids) {
        print(k, e->kids[0], false);
        buf_byte(k->out, ',');
    }
    buf_puts(k->out, e->variable);
    buf_byte(k->out, ')');
}

static void print_lambda(struct printer *k, const struct odata_expr *e)
{
    print(k, e->kids[0], false);
    buf_puts(k->out, e->op == ODATA_ANY ? "/any(" : "/all(");
    if (e->n_kids > 1) {
        buf_printf(k->out, "v%u:", ++k->scope);
        print(k, e->kids[1], false);
        k->scope--;
    }
    buf_byte(k->out, ')');
}

static void print_operator(struct printer *k, const struct odata_expr *e, bool inner)
{
    if (inner)
        buf_byte(k->out, '(');
    if (e->n_kids == 1)
        buf_puts(k->out, e->op == ODATA_NOT ? "not " : "- ");
    for (size_t i = 0; i < e->n_kids; i++) {
        if (i)
            buf_printf(k->out, " %s ", words[e->op]);
        print(k, e->kids[i], true);
    }
    if (inner)
        buf_byte(k->out, ')');
}

/* inner: as an operand. Depth is bounded by the reader's. */
static void print(struct printer *k, const struct odata_expr *e, bool inner)
{
    switch (e->op) {
    case ODATA_LITERAL:
        print_literal(k->out, e);
        break;
    case ODATA_PATH:
        print_path(k->out, e->path);
        break;
    case ODATA_ITEMS:
        print_list(k, e);
        break;
    case ODATA_CALL:
        print_call(k, e);
        break;
    case ODATA_ANY:
    case ODATA_ALL:
        print_lambda(k, e);
        break;
    default:
        print_operator(k, e, inner);
        break;
    }
}

void odata_print(struct buf *out, const struct odata_expr *e)
{
    struct printer k = {.out = out};
    print(&k, e, false);
}
