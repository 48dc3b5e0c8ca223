/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Log messages: a session whose client has set a level gets one for each request that its tools and
 * resources make of a service, before the answer. Nobody else does: without a level a server may
 * decide which to send, and sends none. Revision 2026-07-28 deprecates them, so that the services
 * do not declare them there.
 * Source: modelcontextprotocol.io/specification/2025-11-25/server/utilities/logging.
 */
#include "engine/base/codec.h"
#include "mcp/hub.h"
#include "mcp/tool.h"

/* The severities of RFC 5424, section 6.2.1, least severe first; a session's level is one more than
 * the place here. */
static const char *const levels[] = {"debug", "info",     "notice", "warning",
                                     "error", "critical", "alert",  "emergency"};

static int level_of(const char *name)
{
    for (size_t i = 0; i < SOSIA_LEN(levels); i++)
        if (str_same(levels[i], name))
            return (int)i + 1;
    return 0;
}

int mcp_set_level(struct mcp_call *m)
{
    struct hub *h = hub_of(m->c);
    const struct hub_owner o = hub_owner_of(m);
    const char *name = rpc_str(m, "level");
    int level = name ? level_of(name) : 0;
    if (!name)
        return -1;
    if (!level)
        return rpc_fail(m, RPC_PARAMS,
                        "params.level must be one of debug, info, notice, warning, error, "
                        "critical, alert, emergency, not %s",
                        call_quote(m->c, json_get(m->params, "level")));
    if (!h || !*m->session.id)
        return rpc_fail(m, RPC_REQUEST, "a level is kept in a session, and the request has none");
    m->session.level = level;
    hub_session_save(h, &o, &m->session);
    return 0;
}

/* The address without what may be long or a secret. */
static void write_request(struct json_writer *w, const struct sosia_request *request)
{
    json_str(w, "method", request->method);
    json_strn(w, "path", request->target, strcspn(request->target, "?"));
}

void mcp_log_request(struct mcp_call *m, const struct sosia_request *request,
                     struct mcp_answer *answer)
{
    const char *level = !answer->refused ? "debug" : answer->status >= 500 ? "error" : "warning";
    struct json_writer w;
    struct buf b;
    if (!m->session.level || level_of(level) < m->session.level)
        return;
    json_start(&w, &b);
    json_obj(&w, NULL);
    json_str(&w, "level", level);
    json_str(&w, "logger", m->service ? m->service->name : "sosia");
    json_obj(&w, "data");
    write_request(&w, request);
    json_int(&w, "status", answer->status);
    if (answer->refused)
        json_str(&w, "error", answer_why(m, answer));
    json_end(&w);
    json_end(&w);
    rpc_notify(m, "notifications/message", buf_str(&b));
    buf_done(&b);
}
