/* SPDX-License-Identifier: Apache-2.0 */
/* Which apps are agents that people talk to, and which threads they have with them. */
#include "services/chat/slack/agents/agents.h"

bool sl_is_assistant_thread(const struct chat_message *m)
{
    return m->subtype && strcmp(m->subtype, SL_ASSISTANT_THREAD) == 0;
}

bool sl_is_agent(struct call *c, const struct chat_app *app)
{
    const char *text = app->id ? app->manifest : NULL;
    const struct json *v;
    struct sosia_err err;
    if (!text || json_parse(c->tx.arena, text, strlen(text), NULL, &v, &err) < 0)
        return true;
    const struct json *features = json_get(v, "features");
    return json_get(features, "assistant_view") || json_get(features, "agent_view");
}
