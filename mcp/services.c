/* SPDX-License-Identifier: Apache-2.0 */
/* Which of an engine's dialects are tools, and what they have to offer. */
#include "mcp/mcp.h"

/* Of those with the same place, the first of the engine's list is in front. */
const struct dialect *mcp_service_next(const struct call *c, const struct dialect *before)
{
    const struct dialect *const *all = engine_dialects(c->tx.engine), *best = NULL;
    bool behind = !before;
    for (const struct dialect *const *d = all; *d; d++) {
        const struct dialect_tools *t = (*d)->tools;
        bool follows = t && (!before || t->place > before->tools->place ||
                             (behind && t->place == before->tools->place));
        behind |= *d == before;
        if (follows && (!best || t->place < best->tools->place))
            best = *d;
    }
    return best;
}

const struct dialect_tools *mcp_service_named(const struct call *c, const char *name, size_t n)
{
    for (const struct dialect *d = NULL; (d = mcp_service_next(c, d)) != NULL;)
        if (strlen(d->tools->name) == n && memcmp(d->tools->name, name, n) == 0)
            return d->tools;
    return NULL;
}
