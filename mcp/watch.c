/* SPDX-License-Identifier: Apache-2.0 */
/* An event of a core says what changed by its kind and the row that it is in
 * (engine/world/event.h): a resource is watched by these. Where an event says less than the
 * resource is, its clients are notified once too often, which the protocol allows: they read again.
 */
#include "mcp/watch.h"
#include "engine/world/engine.h"

struct asking {
    struct mcp_call *m;
    const struct tool_resource *kind;
    const char *const *values;
    struct watched *ret;
    size_t n; /* how many ret has */
};

static int find(struct tx *tx, struct json_writer *w, void *arg)
{
    struct asking *a = arg;
    int r = a->kind->watch(tx, a->m->c, a->values, a->ret);
    a->n = r == 1;
    json_bool(w, NULL, r == 1);
    return r < 0 ? -1 : 0;
}

static int find_lists(struct tx *tx, struct json_writer *w, void *arg)
{
    struct asking *a = arg;
    const struct mcp_call *m = a->m;
    int r = 0;
    for (const struct dialect *d = NULL; (d = mcp_service_next(m->c, d)) != NULL;) {
        const struct dialect_tools *t = d->tools;
        if ((m->service && m->service != t) || !t->watch_list || a->n == MAX_LISTS)
            continue;
        if ((r = t->watch_list(tx, m->c, &a->ret[a->n])) < 0)
            break;
        a->n += r == 1;
    }
    json_int(w, NULL, (int64_t)a->n);
    return r < 0 ? -1 : 0;
}

/* Asks the world. 0, -1. */
static int ask(struct asking *a, int (*fn)(struct tx *tx, struct json_writer *w, void *arg))
{
    struct call *c = a->m->c;
    struct sosia_blob blob;
    if (world_read(c->tx.engine, c->world, false, fn, a, &blob, c->tx.err) < 0)
        return -1;
    sosia_blob_free(&blob);
    return 0;
}

int watch_resource(struct mcp_call *m, const struct tool_resource *k, const char *const *values,
                   struct watched *ret)
{
    struct asking a = {.m = m, .kind = k, .values = values, .ret = ret};
    if (!k->watch)
        return 0;
    return ask(&a, find) < 0 ? -1 : (int)a.n;
}

size_t watch_lists(struct mcp_call *m, struct watched *ret)
{
    struct asking a = {.m = m, .ret = ret};
    return ask(&a, find_lists) < 0 ? 0 : a.n;
}
