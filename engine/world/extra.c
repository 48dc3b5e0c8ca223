/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/world/engine.h"
#include <stdlib.h>

struct world_extra *world_extra(struct world *w)
{
    if (!w->extra) {
        w->extra = calloc(1, sizeof *w->extra);
        if (w->extra) {
            w->extra->expires_us = US_NEVER;
            w->extra->journal.base = w->extra->journal.n = journal_past_n(w->past);
        }
    }
    return w->extra;
}
