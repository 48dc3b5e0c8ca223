/* SPDX-License-Identifier: Apache-2.0 */
/* What a world keeps for those who have rules on its calls. */
#include "engine/world/guard.h"
#include "engine/world/engine.h"

void guard_forget(struct world *w)
{
    w->guard = GUARD_UNKNOWN;
}

void guard_went_back(struct sosia_engine *e, struct world *w, uint8_t known)
{
    guard_forget(w);
    if (known != GUARD_NONE)
        return;
    guard_free(e, w);
    w->guard = GUARD_NONE;
}

void guard_free(struct sosia_engine *e, struct world *w)
{
    if (w->extra && w->extra->guard) {
        e->guard->free(w->extra->guard);
        w->extra->guard = NULL;
    }
}

void guard_copy(struct sosia_engine *e, struct world *to, const struct world *from)
{
    const struct guard_state *s = from->extra ? from->extra->guard : NULL;
    struct world_extra *x = s ? world_extra(to) : NULL;
    to->guard = from->guard;
    if (!s)
        return;
    if (x)
        x->guard = e->guard->copy(s);
    if (!x || !x->guard)
        to->guard = GUARD_UNKNOWN;
}

int guard_learn(struct tx *tx)
{
    struct world *w = tx->world;
    if (w->guard != GUARD_UNKNOWN)
        return 0;
    if (!tx->engine->guard) {
        w->guard = GUARD_NONE;
        return 0;
    }
    return tx->engine->guard->load(tx);
}
