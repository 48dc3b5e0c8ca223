/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/world/evaluation.h"

void evaluation_begin(struct world *w)
{
    w->flags |= WORLD_EVALUATION;
    w->flags = (w->flags & ~(uint32_t)WORLD_JOURNAL) | (uint32_t)SOSIA_JOURNAL_ALL << 3;
}

struct all {
    struct sosia_engine *engine;
    struct sosia_err *err;
};

static int begin_one(void *arg, struct world *w)
{
    struct all *all = arg;
    if (world_is_evaluation(w))
        return 0;
    if (world_fetch(all->engine, w, all->err) < 0)
        return -1;
    evaluation_begin(w);
    return world_changed(all->engine, w, all->err) < 0;
}

int evaluation_begin_all(struct sosia_engine *e, struct sosia_err *err)
{
    struct all all = {.engine = e, .err = err};
    return world_each(e, 0, begin_one, &all) ? -1 : 0;
}
