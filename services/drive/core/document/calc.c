/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Formulas of a table that came as text: what begins with '=' is a formula, and its cell gets the
 * value. Arithmetic, comparisons, texts, references within the sheet and the functions of the table
 * below are there. A formula with anything else, or that needs one which is not there, stays the
 * text that it was. Values are found while a formula is read; cells are done in their order, and
 * what one of them needs before.
 */
#include "services/drive/core/document/calc.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    DEPTH = 128,    /* of formulas that need each other, with their parentheses */
    NESTED = 64,    /* of parentheses and functions in one formula */
    STEPS = 2000000 /* values that are looked at, in all formulas of a sheet */
};

enum value_kind { V_EMPTY, V_NUMBER, V_TEXT, V_TRUTH, V_ERROR, V_RANGE };
struct value {
    enum value_kind kind;
    double number;                       /* V_NUMBER; V_TRUTH: 0 or 1 */
    const char *text;                    /* V_TEXT; V_ERROR: "#DIV/0!" */
    uint32_t row, column, row2, column2; /* V_RANGE, from 0, both ends included */
};

struct calc {
    struct arena *arena;
    struct sheet_row **rows; /* by number */
    uint32_t n_rows;
    unsigned depth, steps;
    enum sheet_powers powers;
    bool stuck; /* the formula has something that is not there */
    bool deep;  /* it needs too many others that have no value yet */
};

/* What the text of a formula's cell is until it has a value. */
static const char waiting[] = "waiting", running[] = "running";

struct reader {
    struct calc *k;
    const char *p;
    bool bad;
    unsigned nested;
};

static struct value number(double x)
{
    if (!isfinite(x))
        return (struct value){.kind = V_ERROR, .text = "#NUM!"};
    return (struct value){.kind = V_NUMBER, .number = x == 0 ? 0 : x};
}

static struct value truth(bool x)
{
    return (struct value){.kind = V_TRUTH, .number = x};
}

static struct value words(const char *text)
{
    return (struct value){.kind = V_TEXT, .text = text};
}

static struct value fault(const char *text)
{
    return (struct value){.kind = V_ERROR, .text = text};
}

/* ---- values of cells ---- */

static struct value expression(struct reader *r);

/* Is a formula's text what one gives that failed? */
static bool is_fault(const char *text)
{
    static const char *const faults[] = {"#NUM!", "#VALUE!", "#DIV/0!", "#REF!",
                                         "#N/A",  "#ERROR!", "#NAME?"};
    for (size_t i = 0; i < SOSIA_LEN(faults); i++)
        if (strcmp(text, faults[i]) == 0)
            return true;
    return false;
}

static struct value cell_value(const struct sheet_cell *c)
{
    if (c->kind == CELL_NUMBER)
        return number(strtod(c->text, NULL));
    if (c->kind == CELL_BOOL)
        return truth(c->truth);
    if (c->kind != CELL_TEXT)
        return (struct value){0};
    return c->formula && is_fault(c->text) ? fault(c->text) : words(c->text);
}

static void set_value(struct calc *k, struct sheet_cell *c, struct value v)
{
    c->kind = v.kind == V_NUMBER || v.kind == V_EMPTY ? CELL_NUMBER
              : v.kind == V_TRUTH                     ? CELL_BOOL
                                                      : CELL_TEXT;
    c->truth = v.kind == V_TRUTH && v.number != 0;
    c->text = c->kind == CELL_NUMBER ? arena_printf(k->arena, "%.15g", v.number)
              : c->kind == CELL_TEXT ? v.text
                                     : NULL;
}

/* Gives a formula's cell its value, or makes it the text that it was; it waits on where it is too
 * deep. */
static void work_out(struct calc *k, struct sheet_cell *c)
{
    struct reader r = {k, c->formula + 1, false, 0};
    bool before = k->stuck;
    c->text = running;
    k->stuck = false;
    struct value v = expression(&r);
    if (k->deep) {
        c->text = waiting;
        k->stuck = before;
        return;
    }
    if (v.kind == V_RANGE)
        v = fault("#VALUE!");
    if (r.bad || *r.p)
        v = fault("#ERROR!");
    if (k->stuck || k->steps > STEPS) {
        c->kind = CELL_TEXT;
        c->text = c->formula;
        c->formula = NULL;
    } else {
        set_value(k, c, v);
    }
    k->stuck = before;
}

static struct value at_cell(struct calc *k, uint32_t row, uint32_t column)
{
    const struct sheet_row *in = row < k->n_rows ? k->rows[row] : NULL;
    k->steps++;
    if (!in || column >= in->n || k->steps > STEPS)
        return (struct value){0};
    struct sheet_cell *c = &in->cells[column];
    if (c->formula && c->text == running)
        return fault("#REF!");
    if (c->formula && c->text == waiting)
        work_out(k, c);
    if (c->kind == CELL_TEXT && !c->formula && c->text[0] == '=' && c->text[1])
        k->stuck = true; /* it has no value */
    return cell_value(c);
}

/* ---- conversions ---- */

static struct value to_number(struct value v)
{
    char *end;
    if (v.kind == V_ERROR || v.kind == V_NUMBER)
        return v;
    if (v.kind == V_EMPTY || v.kind == V_TRUTH)
        return number(v.number);
    if (v.kind == V_RANGE || !v.text[0] || strlen(v.text) > 64 ||
        strspn(v.text, "0123456789.eE+-") != strlen(v.text))
        return fault("#VALUE!");
    double x = strtod(v.text, &end);
    return *end ? fault("#VALUE!") : number(x);
}

static struct value to_text(struct calc *k, struct value v)
{
    switch (v.kind) {
    case V_NUMBER:
        return words(arena_printf(k->arena, "%.15g", v.number));
    case V_TRUTH:
        return words(v.number != 0 ? "TRUE" : "FALSE");
    case V_EMPTY:
        return words("");
    case V_RANGE:
        return fault("#VALUE!");
    default:
        return v;
    }
}

/* ---- operators ---- */

static struct value arithmetic(char op, struct value a, struct value b)
{
    a = to_number(a);
    b = to_number(b);
    if (a.kind == V_ERROR || b.kind == V_ERROR)
        return a.kind == V_ERROR ? a : b;
    switch (op) {
    case '+':
        return number(a.number + b.number);
    case '-':
        return number(a.number - b.number);
    case '*':
        return number(a.number * b.number);
    case '/':
        return b.number == 0 ? fault("#DIV/0!") : number(a.number / b.number);
    default:
        return number(pow(a.number, b.number));
    }
}

/* Numbers come before texts, and these before truths; texts are compared without case. */
static int order(struct value a, struct value b)
{
    if (a.kind == V_EMPTY && b.kind == V_TEXT)
        a = words("");
    else if (a.kind == V_EMPTY)
        a.kind = b.kind == V_TRUTH ? V_TRUTH : V_NUMBER;
    if (b.kind == V_EMPTY && a.kind == V_TEXT)
        b = words("");
    else if (b.kind == V_EMPTY)
        b.kind = a.kind;
    if (a.kind != b.kind)
        return a.kind < b.kind ? -1 : 1;
    if (a.kind == V_TEXT)
        return strcasecmp(a.text, b.text);
    return (a.number > b.number) - (a.number < b.number);
}

static struct value comparison(const char *op, struct value a, struct value b)
{
    if (a.kind == V_ERROR || b.kind == V_ERROR)
        return a.kind == V_ERROR ? a : b;
    if (a.kind == V_RANGE || b.kind == V_RANGE)
        return fault("#VALUE!");
    int o = order(a, b);
    bool equal = op[0] == '=' || op[1] == '=', less = op[0] == '<', more = op[0] == '>';
    if (less && op[1] == '>')
        return truth(o != 0);
    return truth((equal && o == 0) || (less && o < 0) || (more && o > 0));
}

/* ---- functions ---- */

enum { ARGUMENTS = 64 };
struct arguments {
    struct calc *k;
    struct value *v;
    size_t n;
};

struct total {
    double sum, least, most, product;
    size_t n, any; /* numbers; what is not empty */
    size_t yes;    /* of the numbers, those that are not 0 */
    struct value error;
};

static void add_value(struct total *t, struct value v, bool direct)
{
    t->any += v.kind != V_EMPTY;
    if (direct && v.kind == V_TEXT)
        v = to_number(v);
    if (v.kind == V_ERROR && t->error.kind != V_ERROR)
        t->error = v;
    if (v.kind != V_NUMBER && (v.kind != V_TRUTH || !direct))
        return;
    t->least = !t->n || v.number < t->least ? v.number : t->least;
    t->most = !t->n || v.number > t->most ? v.number : t->most;
    t->sum += v.number;
    t->product = t->n ? t->product * v.number : v.number;
    t->yes += v.number != 0;
    t->n++;
}

/* All arguments, what is in ranges too. truths: those in ranges count as well. */
static struct total total_of(const struct arguments *a, bool truths)
{
    struct total t = {0};
    for (size_t i = 0; i < a->n; i++) {
        const struct value *v = &a->v[i];
        if (v->kind != V_RANGE) {
            add_value(&t, *v, true);
            continue;
        }
        for (uint32_t row = v->row; row <= v->row2 && row < a->k->n_rows; row++) {
            const struct sheet_row *in = a->k->rows[row];
            if (++a->k->steps > STEPS)
                return t;
            for (uint32_t c = v->column; in && c <= v->column2 && c < in->n; c++) {
                struct value one = at_cell(a->k, row, c);
                add_value(&t, one, truths && one.kind == V_TRUTH);
            }
        }
    }
    return t;
}

static struct value f_sum(const struct arguments *a)
{
    struct total t = total_of(a, false);
    return t.error.kind == V_ERROR ? t.error : number(t.sum);
}

static struct value f_product(const struct arguments *a)
{
    struct total t = total_of(a, false);
    return t.error.kind == V_ERROR ? t.error : number(t.product);
}

static struct value f_average(const struct arguments *a)
{
    struct total t = total_of(a, false);
    if (t.error.kind == V_ERROR)
        return t.error;
    return t.n ? number(t.sum / (double)t.n) : fault("#DIV/0!");
}

static struct value f_min(const struct arguments *a)
{
    struct total t = total_of(a, false);
    return t.error.kind == V_ERROR ? t.error : number(t.least);
}

static struct value f_max(const struct arguments *a)
{
    struct total t = total_of(a, false);
    return t.error.kind == V_ERROR ? t.error : number(t.most);
}

static struct value f_count(const struct arguments *a)
{
    return number((double)total_of(a, false).n);
}

static struct value f_counta(const struct arguments *a)
{
    return number((double)total_of(a, false).any);
}

static struct value f_and(const struct arguments *a)
{
    struct total t = total_of(a, true);
    return t.error.kind == V_ERROR ? t.error : t.n ? truth(t.yes == t.n) : fault("#VALUE!");
}

static struct value f_or(const struct arguments *a)
{
    struct total t = total_of(a, true);
    return t.error.kind == V_ERROR ? t.error : t.n ? truth(t.yes > 0) : fault("#VALUE!");
}

static struct value f_not(const struct arguments *a)
{
    struct value v = to_number(a->v[0]);
    return v.kind == V_ERROR ? v : truth(v.number == 0);
}

static struct value f_if(const struct arguments *a)
{
    struct value v = to_number(a->v[0]);
    if (v.kind == V_ERROR)
        return v;
    return v.number != 0 ? a->v[1] : a->n > 2 ? a->v[2] : truth(false);
}

static struct value f_iferror(const struct arguments *a)
{
    return a->v[0].kind != V_ERROR ? a->v[0] : a->n > 1 ? a->v[1] : words("");
}

static struct value f_abs(const struct arguments *a)
{
    struct value v = to_number(a->v[0]);
    return v.kind == V_ERROR ? v : number(fabs(v.number));
}

static struct value f_int(const struct arguments *a)
{
    struct value v = to_number(a->v[0]);
    return v.kind == V_ERROR ? v : number(floor(v.number));
}

static struct value f_sqrt(const struct arguments *a)
{
    struct value v = to_number(a->v[0]);
    return v.kind == V_ERROR ? v : number(sqrt(v.number));
}

static struct value f_power(const struct arguments *a)
{
    return arithmetic('^', a->v[0], a->v[1]);
}

static struct value f_mod(const struct arguments *a)
{
    struct value x = to_number(a->v[0]), y = to_number(a->v[1]);
    if (x.kind == V_ERROR || y.kind == V_ERROR)
        return x.kind == V_ERROR ? x : y;
    return y.number == 0 ? fault("#DIV/0!")
                         : number(x.number - y.number * floor(x.number / y.number));
}

/* Halves go away from 0; the half of a decimal number is a little less in binary. */
static struct value f_round(const struct arguments *a)
{
    struct value v = to_number(a->v[0]), places = a->n > 1 ? to_number(a->v[1]) : number(0);
    if (v.kind == V_ERROR || places.kind == V_ERROR)
        return v.kind == V_ERROR ? v : places;
    if (fabs(places.number) > 15)
        return v;
    double scale = pow(10, trunc(places.number)), x = v.number * scale;
    return number(round(x * (1 + 1e-15)) / scale);
}

static struct value f_concatenate(const struct arguments *a)
{
    const char *all = "";
    for (size_t i = 0; i < a->n; i++) {
        struct value v = to_text(a->k, a->v[i]);
        if (v.kind == V_ERROR)
            return v;
        size_t len = strlen(all) + strlen(v.text);
        a->k->steps += (unsigned)len;
        if (a->k->steps > STEPS) /* many copies are much memory */
            return fault("#ERROR!");
        all = arena_printf(a->k->arena, "%s%s", all, v.text);
        if (sheet_text_cut(all, len) < len || arena_failed(a->k->arena))
            return fault("#VALUE!");
    }
    return words(all);
}

static const struct {
    const char *name;
    size_t least, most;
    struct value (*work)(const struct arguments *a);
} functions[] = {
    {"SUM", 1, ARGUMENTS, f_sum},
    {"AVERAGE", 1, ARGUMENTS, f_average},
    {"MIN", 1, ARGUMENTS, f_min},
    {"MAX", 1, ARGUMENTS, f_max},
    {"COUNT", 1, ARGUMENTS, f_count},
    {"COUNTA", 1, ARGUMENTS, f_counta},
    {"PRODUCT", 1, ARGUMENTS, f_product},
    {"AND", 1, ARGUMENTS, f_and},
    {"OR", 1, ARGUMENTS, f_or},
    {"NOT", 1, 1, f_not},
    {"IF", 2, 3, f_if},
    {"IFERROR", 1, 2, f_iferror},
    {"ABS", 1, 1, f_abs},
    {"INT", 1, 1, f_int},
    {"SQRT", 1, 1, f_sqrt},
    {"POWER", 2, 2, f_power},
    {"MOD", 2, 2, f_mod},
    {"ROUND", 1, 2, f_round},
    {"CONCATENATE", 1, ARGUMENTS, f_concatenate},
    {"CONCAT", 2, 2, f_concatenate},
};

static bool next_is(struct reader *r, char c)
{
    while (*r->p == ' ')
        r->p++;
    if (*r->p != c)
        return false;
    r->p++;
    while (*r->p == ' ')
        r->p++;
    return true;
}

static struct value function(struct reader *r, const char *name, size_t len)
{
    struct arguments a = {.k = r->k};
    size_t room = 0;
    if (!next_is(r, ')')) {
        do {
            if (a.n == ARGUMENTS || r->bad) {
                r->bad = true;
                return fault("#ERROR!");
            }
            struct value v = expression(r);
            a.v = arena_grow(r->k->arena, a.v, a.n, &room, sizeof *a.v);
            if (arena_failed(r->k->arena))
                return fault("#ERROR!");
            a.v[a.n++] = v;
        } while (next_is(r, ','));
        r->bad |= !next_is(r, ')');
    }
    for (size_t i = 0; i < SOSIA_LEN(functions); i++) {
        if (strlen(functions[i].name) != len || strncasecmp(functions[i].name, name, len))
            continue;
        return a.n < functions[i].least || a.n > functions[i].most ? fault("#N/A")
                                                                   : functions[i].work(&a);
    }
    r->k->stuck = true;
    return fault("#NAME?");
}

/* ---- what is written ---- */

/* "$B$12": false, and nothing is read, of anything else. */
static bool reference(struct reader *r, uint32_t *ret_row, uint32_t *ret_column)
{
    const char *p = r->p;
    uint32_t column = 0, row = 0;
    size_t letters, digits;
    p += *p == '$';
    for (letters = 0; letters < 3 && ((*p >= 'A' && *p <= 'Z') || (*p >= 'a' && *p <= 'z')); p++) {
        column = column * 26 + (uint32_t)((*p & ~0x20) - 'A' + 1);
        letters++;
    }
    p += letters && *p == '$';
    for (digits = 0; digits < 7 && *p >= '0' && *p <= '9'; digits++)
        row = row * 10 + (uint32_t)(*p++ - '0');
    if (!letters || !digits || !row || (*p >= '0' && *p <= '9') || *p == '(' || *p == '_' ||
        (*p >= 'A' && *p <= 'Z') || (*p >= 'a' && *p <= 'z'))
        return false;
    r->p = p;
    *ret_row = row - 1;
    *ret_column = column - 1;
    return true;
}

static struct value range(struct reader *r, uint32_t row, uint32_t column)
{
    struct value v = {.kind = V_RANGE, .row = row, .column = column};
    if (!next_is(r, ':'))
        return at_cell(r->k, row, column);
    if (!reference(r, &v.row2, &v.column2)) {
        r->k->stuck = true; /* a whole column, perhaps */
        return fault("#REF!");
    }
    if (v.row2 < v.row) {
        row = v.row;
        v.row = v.row2;
        v.row2 = row;
    }
    if (v.column2 < v.column) {
        column = v.column;
        v.column = v.column2;
        v.column2 = column;
    }
    return v;
}

static struct value quoted(struct reader *r)
{
    size_t len = strlen(r->p);
    r->k->steps += (unsigned)len;
    if (r->k->steps > STEPS) {
        r->bad = true;
        return fault("#ERROR!");
    }
    char *out = arena_alloc(r->k->arena, len + 1), *at = out;
    if (arena_failed(r->k->arena))
        return fault("#ERROR!");
    for (;; r->p++) {
        if (!*r->p) {
            r->bad = true;
            break;
        }
        if (*r->p == '"' && *++r->p != '"')
            break;
        *at++ = *r->p;
    }
    *at = 0;
    return words(out);
}

static struct value named(struct reader *r)
{
    const char *name = r->p;
    uint32_t row, column;
    if (reference(r, &row, &column))
        return range(r, row, column);
    while ((*r->p >= 'A' && *r->p <= 'Z') || (*r->p >= 'a' && *r->p <= 'z') ||
           (*r->p >= '0' && *r->p <= '9') || *r->p == '.' || *r->p == '_')
        r->p++;
    size_t len = (size_t)(r->p - name);
    if (len && next_is(r, '('))
        return function(r, name, len);
    if (len == 4 && !strncasecmp(name, "true", 4))
        return truth(true);
    if (len == 5 && !strncasecmp(name, "false", 5))
        return truth(false);
    r->k->stuck = len > 0; /* a name, another sheet */
    r->bad = !len;
    return fault("#NAME?");
}

static struct value primary(struct reader *r)
{
    if (next_is(r, '(')) {
        struct value v = expression(r);
        r->bad |= !next_is(r, ')');
        return v;
    }
    if (*r->p == '"') {
        r->p++;
        return quoted(r);
    }
    if ((*r->p >= '0' && *r->p <= '9') || *r->p == '.') {
        char *end;
        double x = strtod(r->p, &end);
        r->bad |= end == r->p || (r->p[0] == '0' && (r->p[1] | 0x20) == 'x');
        r->p = end;
        return number(x);
    }
    return named(r);
}

static struct value unary(struct reader *r)
{
    bool any = false, minus = false;
    for (;;) { /* a plus changes nothing, a text neither */
        if (next_is(r, '-')) {
            any = true;
            minus = !minus;
        } else if (!next_is(r, '+')) {
            break;
        }
    }
    struct value v = primary(r);
    while (next_is(r, '%'))
        v = arithmetic('/', v, number(100));
    return any ? arithmetic(minus ? '-' : '+', number(0), v) : v;
}

/* Powers of powers, without recursion: there may be many. */
static struct value power(struct reader *r)
{
    struct value v = unary(r), *bases = NULL;
    size_t n = 0, room = 0;
    while (next_is(r, '^')) {
        if (r->k->powers == POWERS_FROM_LEFT) {
            v = arithmetic('^', v, unary(r));
            continue;
        }
        bases = arena_grow(r->k->arena, bases, n, &room, sizeof *bases);
        if (arena_failed(r->k->arena))
            return fault("#ERROR!");
        bases[n++] = v;
        v = unary(r);
    }
    while (n)
        v = arithmetic('^', bases[--n], v);
    return v;
}

/* Operators of a level, from the one that binds most. */
static struct value level(struct reader *r, unsigned at)
{
    static const char *const operators[] = {"*/", "+-", "&"};
    if (!at)
        return power(r);
    struct value v = level(r, at - 1);
    for (;;) {
        const char *op = operators[at - 1];
        while (*op && !next_is(r, *op))
            op++;
        if (!*op)
            return v;
        struct value right = level(r, at - 1);
        if (*op == '&')
            v = f_concatenate(&(struct arguments){r->k, (struct value[]){v, right}, 2});
        else
            v = arithmetic(*op, v, right);
    }
}

static struct value expression(struct reader *r)
{
    if (r->bad || r->k->deep || r->nested == NESTED || r->k->depth == DEPTH) {
        r->bad |= r->nested == NESTED;
        r->k->deep |= r->k->depth == DEPTH;
        return fault("#ERROR!");
    }
    r->nested++;
    r->k->depth++;
    while (*r->p == ' ')
        r->p++;
    struct value v = level(r, 3);
    for (;;) {
        char op[3] = "";
        if (next_is(r, '='))
            op[0] = '=';
        else if (next_is(r, '<'))
            op[0] = '<';
        else if (next_is(r, '>'))
            op[0] = '>';
        else
            break;
        if (op[0] != '=' && next_is(r, '='))
            op[1] = '=';
        else if (op[0] == '<' && next_is(r, '>'))
            op[1] = '>';
        v = comparison(op, v, level(r, 3));
    }
    r->nested--;
    r->k->depth--;
    return v;
}

/* ---- a sheet ---- */

static bool is_formula(const struct sheet_cell *c)
{
    return c->kind == CELL_TEXT && !c->formula && c->text[0] == '=' && c->text[1];
}

/* Those of a row that wait. *ret_done: how many of them have got a value. */
static bool work_row(struct calc *k, struct sheet_row *row, size_t *ret_done)
{
    bool left = false;
    for (uint32_t i = 0; row && i < row->n; i++) {
        struct sheet_cell *c = &row->cells[i];
        if (!c->formula || c->text != waiting)
            continue;
        k->deep = false;
        work_out(k, c);
        left |= k->deep;
        *ret_done += !k->deep;
    }
    k->deep = false;
    return left;
}

/* From above and from below by turns, since what one needs that many others need may be on either
 * side of it; what is too deep for that stays text. */
static void work_rows(struct calc *k)
{
    bool left = true;
    size_t done = 1;
    for (unsigned pass = 0; left && done && k->steps <= STEPS; pass++) {
        left = false;
        done = 0;
        for (uint32_t i = 0; i < k->n_rows; i++)
            left |= work_row(k, k->rows[pass % 2 ? k->n_rows - 1 - i : i], &done);
    }
    for (uint32_t i = 0; left && i < k->n_rows; i++)
        for (uint32_t n = 0; k->rows[i] && n < k->rows[i]->n; n++) {
            struct sheet_cell *c = &k->rows[i]->cells[n];
            if (c->formula && c->text == waiting)
                *c = (struct sheet_cell){.kind = CELL_TEXT, .text = c->formula};
        }
}

int sheet_calculate(struct arena *a, struct sheet *s, enum sheet_powers powers)
{
    struct calc k = {.arena = a, .powers = powers};
    bool any = false;
    for (struct sheet_row *row = s->rows; row; row = row->next) {
        k.n_rows = row->at + 1;
        for (uint32_t i = 0; i < row->n; i++)
            any |= is_formula(&row->cells[i]);
    }
    if (!any)
        return 0;
    k.rows = arena_calloc(a, k.n_rows, sizeof *k.rows);
    if (arena_failed(a))
        return -1;
    for (struct sheet_row *row = s->rows; row; row = row->next) {
        k.rows[row->at] = row;
        for (uint32_t i = 0; i < row->n; i++)
            if (is_formula(&row->cells[i]))
                row->cells[i] = (struct sheet_cell){.formula = row->cells[i].text, .text = waiting};
    }
    work_rows(&k);
    return arena_failed(a) ? -1 : 0;
}
