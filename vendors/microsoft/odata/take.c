/* SPDX-License-Identifier: Apache-2.0 */
/* Expressions taken apart: what a dialect's tables can look up by themselves. */
#include "vendors/microsoft/odata/impl.h"

struct terms {
    struct arena *a;
    const struct odata_expr **list;
    size_t n, cap;
};

static void add_terms(struct terms *t, const struct odata_expr *e)
{
    if (e->op == ODATA_AND) {
        for (size_t i = 0; i < e->n_kids; i++)
            add_terms(t, e->kids[i]);
        return;
    }
    t->list = arena_grow(t->a, t->list, t->n, &t->cap, sizeof *t->list);
    if (!arena_failed(t->a))
        t->list[t->n++] = e;
}

size_t odata_terms(struct arena *a, const struct odata_expr *e,
                   const struct odata_expr *const **ret_terms)
{
    struct terms t = {.a = a};
    if (e)
        add_terms(&t, e);
    *ret_terms = t.list;
    return t.n;
}

/* The operator with its sides exchanged. */
static enum odata_op turned(enum odata_op op)
{
    switch (op) {
    case ODATA_GT:
        return ODATA_LT;
    case ODATA_GE:
        return ODATA_LE;
    case ODATA_LT:
        return ODATA_GT;
    case ODATA_LE:
        return ODATA_GE;
    default:
        return op;
    }
}

/* A path of the thing itself, without casts and counts. */
static bool is_plain(const struct odata_expr *e)
{
    if (e->op != ODATA_PATH || e->path->variable || e->path->count)
        return false;
    for (size_t i = 0; i < e->path->n; i++)
        if (e->path->steps[i].cast)
            return false;
    return true;
}

bool odata_compared(const struct odata_expr *e, const struct odata_path **ret_path,
                    enum odata_op *ret_op, const struct odata_value **ret_value)
{
    if (!e || e->op < ODATA_EQ || e->op > ODATA_LE)
        return false;
    const struct odata_expr *x = e->kids[0], *y = e->kids[1];
    bool turn = x->op == ODATA_LITERAL;
    if (turn) {
        x = e->kids[1];
        y = e->kids[0];
    }
    if (!is_plain(x) || y->op != ODATA_LITERAL)
        return false;
    if (ret_path)
        *ret_path = x->path;
    if (ret_op)
        *ret_op = turn ? turned(e->op) : e->op;
    if (ret_value)
        *ret_value = &y->value;
    return true;
}

bool odata_called(const struct odata_expr *e, enum odata_function function,
                  const struct odata_path **ret_path, const char **ret_text)
{
    if (!e || e->op != ODATA_CALL || e->function != function || e->n_kids != 2)
        return false;
    if (!is_plain(e->kids[0]) || e->kids[1]->op != ODATA_LITERAL ||
        e->kids[1]->value.kind != ODATA_STRING)
        return false;
    if (ret_path)
        *ret_path = e->kids[0]->path;
    if (ret_text)
        *ret_text = e->kids[1]->value.text;
    return true;
}

/* The number that a literal is beside instants and whole numbers. */
static bool number_of(const struct odata_value *v, int64_t *ret)
{
    if (v->kind == ODATA_STRING)
        return read_instant(v->text, strlen(v->text), true, ret);
    *ret = v->number;
    return v->kind == ODATA_TIME || v->kind == ODATA_INT;
}

static int64_t above(int64_t n)
{
    return n == INT64_MAX ? n : n + 1;
}

static void narrow(const struct odata_expr *e, const char *path, int64_t *from, int64_t *to)
{
    const struct odata_path *p;
    const struct odata_value *v;
    enum odata_op op;
    int64_t n, low = INT64_MIN, high = INT64_MAX;
    if (e->op == ODATA_AND)
        for (size_t i = 0; i < e->n_kids; i++)
            narrow(e->kids[i], path, from, to);
    if (!odata_compared(e, &p, &op, &v) || strcmp(p->text, path) != 0 || !number_of(v, &n))
        return;
    if (op == ODATA_EQ || op == ODATA_GE)
        low = n;
    if (op == ODATA_GT)
        low = above(n);
    if (op == ODATA_EQ || op == ODATA_LE)
        high = above(n);
    if (op == ODATA_LT)
        high = n;
    *from = low > *from ? low : *from;
    *to = high < *to ? high : *to;
}

bool odata_range(const struct odata_expr *e, const char *path, int64_t *ret_from, int64_t *ret_to)
{
    *ret_from = INT64_MIN;
    *ret_to = INT64_MAX;
    if (e)
        narrow(e, path, ret_from, ret_to);
    return *ret_from < *ret_to;
}

const struct odata_value *odata_equal(const struct odata_expr *e, const char *path)
{
    const struct odata_path *p;
    const struct odata_value *v, *found = NULL;
    enum odata_op op;
    if (e && e->op == ODATA_AND)
        for (size_t i = 0; i < e->n_kids && !found; i++)
            found = odata_equal(e->kids[i], path);
    if (!found && odata_compared(e, &p, &op, &v) && op == ODATA_EQ && strcmp(p->text, path) == 0)
        found = v;
    return found;
}

int odata_each_path(const struct odata_expr *e, int (*fn)(void *arg, const struct odata_expr *path),
                    void *arg)
{
    if (!e)
        return 0;
    if (e->op == ODATA_PATH)
        return fn(arg, e);
    for (size_t i = 0; i < e->n_kids; i++) {
        int r = odata_each_path(e->kids[i], fn, arg);
        if (r)
            return r;
    }
    return 0;
}

static int is_path(void *arg, const struct odata_expr *e)
{
    return !e->path->variable && strcmp(e->path->text, arg) == 0;
}

bool odata_names(const struct odata_expr *e, const char *path)
{
    return odata_each_path(e, is_path, (void *)(uintptr_t)path) != 0;
}

bool odata_order_leads(struct arena *a, const struct odata_query *q)
{
    const struct odata_expr *const *terms;
    size_t n = odata_terms(a, q->filter, &terms);
    for (size_t i = 0; i < q->n_order; i++) {
        const struct odata_expr *by = q->order[i].by;
        if (i >= n || by->op != ODATA_PATH || !odata_names(terms[i], by->path->text))
            return false;
    }
    return true;
}
