/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of things that can be asked for and ordered. */
#include "services/tasks/todo/todo.h"
#include "vendors/microsoft/query.h"
#include <stdlib.h>

struct found {
    size_t at;
    struct odata_value *keys;
};
struct listing {
    const struct odata_query *q;
    struct odata_ctx ctx;
    struct found *list;
    size_t n;
};

static int by_keys(const void *a, const void *b, void *arg)
{
    const struct found *x = a, *y = b;
    const struct listing *l = arg;
    int r = odata_order(&l->ctx, l->q, x->keys, y->keys);
    return r ? r : x->at < y->at ? -1 : x->at > y->at;
}

/* The thing as a tree, for conditions and orders. */
static int thing_of(struct call *c, todo_write_fn *write, void *arg, size_t i,
                    const struct json **ret)
{
    struct json_writer w;
    struct buf b;
    json_start(&w, &b);
    json_obj(&w, NULL);
    int r = write(arg, i, &w);
    json_end(&w);
    if (r == 0) {
        const char *text = arena_memdup(c->tx.arena, b.data, b.len);
        r = json_parse(c->tx.arena, text, b.len, NULL, ret, c->tx.err);
    }
    buf_done(&b);
    return r;
}

/* Copies of what a thing is ordered by, beyond the thing. */
static struct odata_value *keep_keys(struct arena *a, const struct odata_value *keys, size_t n)
{
    struct odata_value *copy = arena_calloc(a, n + 1, sizeof *copy);
    for (size_t i = 0; i < n && !arena_failed(a); i++) {
        copy[i] = keys[i];
        copy[i].text = keys[i].text ? arena_strdup(a, keys[i].text) : NULL;
        copy[i].items = NULL; /* lists and things have no order */
        copy[i].thing = NULL;
        copy[i].n = 0;
    }
    return copy;
}

/* Whether it is asked for, and what it is ordered by. 1, 0, -1. */
static int look_at(struct call *c, struct listing *l, todo_write_fn *write, void *arg,
                   struct arena *kept, struct found *f)
{
    struct odata_ctx ctx = l->ctx;
    const struct json *thing = NULL;
    struct odata_value *keys = NULL;
    ctx.arena = c->tx.arena;
    if (thing_of(c, write, arg, f->at, &thing) < 0)
        return -1;
    int r = odata_matches(&ctx, l->q->filter, thing);
    if (r != 1 || !l->q->n_order)
        return r;
    if (odata_keys(&ctx, l->q, thing, &keys) < 0)
        return -1;
    f->keys = keep_keys(kept, keys, l->q->n_order);
    return arena_failed(kept) ? sosia_fail_memory(c->tx.err) : 1;
}

/* What is made of each thing is let go. */
static int choose(struct call *c, struct listing *l, size_t n, todo_write_fn *write, void *arg)
{
    struct arena *kept = c->tx.arena, own;
    const bool asked = l->q->filter || l->q->n_order;
    int r = 1;
    l->list = arena_calloc(kept, n + 1, sizeof *l->list);
    if (arena_failed(kept))
        return sosia_fail_memory(c->tx.err);
    arena_init(&own, 0);
    for (size_t i = 0; r >= 0 && i < n; i++) {
        struct found f = {.at = i};
        if (asked) {
            arena_reset(&own);
            c->tx.arena = &own;
            r = look_at(c, l, write, arg, kept, &f);
            c->tx.arena = kept;
        }
        if (r > 0)
            l->list[l->n++] = f;
    }
    if (r < 0 && c->tx.err->reason)
        c->tx.err->reason = arena_strdup(kept, c->tx.err->reason);
    if (r < 0 && c->tx.err->where)
        c->tx.err->where = arena_strdup(kept, c->tx.err->where);
    arena_done(&own);
    if (r >= 0 && l->q->n_order && l->n)
        qsort_r(l->list, l->n, sizeof *l->list, by_keys, l);
    return r < 0 ? -1 : 0;
}

int todo_answer_list(struct todo_at *at, const struct odata_query *q, const char *context, size_t n,
                     todo_write_fn *write, todo_write_fn *expand, void *arg)
{
    struct call *c = at->c;
    struct listing l = {
        .q = q, .ctx = {.arena = c->tx.arena, .get = odata_get_json, .now_us = c->tx.now_us}};
    if (choose(c, &l, n, write, arg) < 0 ||
        graph_select(c, q, ODATA_KEEP_ID | ODATA_KEEP_ETAG, true) < 0)
        return -1;
    const size_t from = (uint64_t)q->skip < l.n ? (size_t)q->skip : l.n;
    const size_t top = q->top < 0 ? TODO_PAGE : (size_t)q->top;
    const size_t end = l.n - from > top ? from + top : l.n;
    json_obj(c->out, NULL);
    graph_context(c, "%s%s", context, odata_context(c->tx.arena, q));
    if (q->count)
        json_int(c->out, "@odata.count", (int64_t)l.n);
    if (end < l.n && top)
        json_str(c->out, "@odata.nextLink",
                 graph_next(c, "$skip", arena_printf(c->tx.arena, "%zu", end)));
    json_arr(c->out, "value");
    for (size_t i = from; i < end; i++) {
        json_obj(c->out, NULL);
        if (write(arg, l.list[i].at, c->out) < 0 ||
            (expand && expand(arg, l.list[i].at, c->out) < 0))
            return -1;
        json_end(c->out);
    }
    json_end(c->out);
    json_end(c->out);
    return 0;
}
