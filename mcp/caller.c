/* SPDX-License-Identifier: Apache-2.0 */
/* What a tool's calls of methods have from the message: the caller's token and labels. */
#include "engine/base/codec.h"
#include "engine/http/entry.h"
#include "mcp/tool.h"
#include <strings.h>

/* What begins another run, or says what a call is to a draft, is of the message alone. */
static bool is_passed_on(const char *name)
{
    const char *own = name + sizeof ENTRY_LABEL_OWN - 1;
    return strncasecmp(name, ENTRY_LABEL_OWN, sizeof ENTRY_LABEL_OWN - 1) == 0 &&
           strcasecmp(own, "run") != 0 && strcasecmp(own, "draft") != 0;
}

size_t tool_labels(const struct mcp_call *m, struct sosia_header *list, size_t room)
{
    const struct sosia_request *r = m->c->request;
    size_t n = 0;
    for (size_t i = 0; i < r->n_headers && n < room; i++)
        if ((r->headers[i].name[0] | 32) == 'x' && is_passed_on(r->headers[i].name))
            list[n++] = r->headers[i];
    if (m->stage && n == room)
        n--;
    if (m->stage)
        list[n++] = (struct sosia_header){STAGE_LABEL, m->stage};
    return n;
}

/* As the caller has it, or from where else the token was. */
const char *tool_bearer(struct mcp_call *m)
{
    static const char head[] = "Bearer ";
    const char *own = call_request_header(m->c, "Authorization");
    if (own && str_starts(own, head) && own + sizeof head - 1 == m->c->token)
        return own;
    return arena_printf(m->c->tx.arena, "%s%s", head, m->c->token);
}
