/* SPDX-License-Identifier: Apache-2.0 */
/* What the engine asks of guard/ (engine/world/guard.h). */
#include "guard/door.h"
#include "engine/http/call.h"
#include "guard/trouble.h"
#include <stdlib.h>

struct guard_state {
    struct trouble *trouble;
};

struct judged {
    int none;
};

static void free_state(struct guard_state *s)
{
    trouble_free(s->trouble);
    free(s);
}

struct trouble *trouble_of(const struct world *w)
{
    return w->extra && w->extra->guard ? w->extra->guard->trouble : NULL;
}

static int load(struct tx *tx)
{
    struct world *w = tx->world;
    struct trouble *t;
    int rc = trouble_load(tx, trouble_of(w), &t);
    guard_free(tx->engine, w);
    w->guard = GUARD_NONE;
    if (rc <= 0)
        return rc;
    struct world_extra *x = world_extra(w);
    struct guard_state *s = calloc(1, sizeof *s);
    if (!x || !s) {
        free(s);
        trouble_free(t);
        return sosia_fail_memory(tx->err);
    }
    s->trouble = t;
    x->guard = s;
    w->guard = GUARD_ON;
    return 0;
}

static struct guard_state *copy(const struct guard_state *s)
{
    struct guard_state *to = calloc(1, sizeof *to);
    if (to && (to->trouble = trouble_copy(s->trouble)))
        return to;
    free(to);
    return NULL;
}

static int before(struct call *c)
{
    c->judged = arena_calloc(c->tx.arena, 1, sizeof *c->judged);
    return trouble_before(c, trouble_of(c->tx.world));
}
static int between(struct call *c)
{
    return trouble_between(c, trouble_of(c->tx.world));
}
static int after(struct call *c)
{
    return 0;
}
static int answered(struct call *c)
{
    return trouble_answered(c, trouble_of(c->tx.world));
}
static int undone(struct call *c)
{
    return trouble_undone(c, trouble_of(c->tx.world));
}
static void write_entry(const struct call *c, struct json_writer *w)
{
}
static void release(struct call *c)
{
}
static int outside(struct call *c)
{
    return 0;
}
static bool shows(const struct call *c, const struct dialect *d, const struct route *route,
                  const char *tool)
{
    return true;
}
static int again(struct sosia_engine *e, struct world *w, struct worker *k,
                 const struct json *control, struct sosia_err *err)
{
    return trouble_again(e, w, k, control, err);
}

const struct guard guard_rules = {
    .load = load,
    .copy = copy,
    .free = free_state,
    .before = before,
    .between = between,
    .after = after,
    .answered = answered,
    .undone = undone,
    .write = write_entry,
    .release = release,
    .outside = outside,
    .shows = shows,
    .again = again,
};
