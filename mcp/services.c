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

const struct mcp_face mcp_native = {
    .tools_list = mcp_tools_list,
    .tools_call = mcp_tools_call,
    .resources_list = mcp_resources_list,
    .templates_list = mcp_templates_list,
    .resources_read = mcp_resources_read,
    .prompts_list = mcp_prompts_list,
    .prompts_get = mcp_prompts_get,
    .complete = mcp_complete,
    .subscribe = mcp_subscribe,
    .unsubscribe = mcp_unsubscribe,
    .set_level = mcp_set_level,
};
