/* SPDX-License-Identifier: Apache-2.0 */
/* The stream that a session's client opens (GET), and the session's end (DELETE). */
#include "engine/base/codec.h"
#include "engine/http/stream.h"
#include "mcp/approve.h"
#include "mcp/endpoint.h"

static const char *session_id(struct call *c)
{
    const char *id = call_request_header(c, "Mcp-Session-Id");
    if (!id)
        call_fail(c, SOSIA_E_INVALID, "noStream", "Mcp-Session-Id",
                  "Method not allowed: Mcp-Session-Id must name a session, not absent");
    return id;
}

/* The number of the last event that the client has; -1: it begins. */
static int last_event(struct call *c, int64_t *ret)
{
    const char *text = call_request_header(c, "Last-Event-ID");
    *ret = -1;
    if (text && (parse_i64(text, strlen(text), ret) < 0 || *ret < 0))
        return call_fail(c, SOSIA_E_INVALID, NULL, "Last-Event-ID",
                         "Last-Event-ID must be the id of an event of this stream, not %s", text);
    return 0;
}

int endpoint_listen(struct mcp_call *m)
{
    struct call *c = m->c;
    struct hub *h = hub_of(c);
    const struct hub_owner o = hub_owner_of(m);
    int64_t after;
    if (!endpoint_accepts(c, "text/event-stream"))
        return call_fail(c, SOSIA_E_INVALID, "notAcceptable", "Accept",
                         "Accept must have text/event-stream");
    const char *id = session_id(c);
    if (!id || last_event(c, &after) < 0)
        return -1;
    struct sosia_stream *s = h ? hub_stream(h, false) : NULL;
    if (!s)
        return endpoint_no_memory(c);
    if (!hub_session_find(h, &o, id, &m->session) || m->session.legacy ||
        !hub_session_stream(h, &o, id, s, after)) {
        stream_unref(s);
        stream_close(s);
        return endpoint_no_session(c);
    }
    approve_listening(m, after);
    endpoint_stream(c, s);
    return 0;
}

int endpoint_end(struct mcp_call *m)
{
    struct call *c = m->c;
    struct hub *h = hub_of(c);
    const struct hub_owner o = hub_owner_of(m);
    const char *id = session_id(c);
    if (!id)
        return -1;
    if (!h || !hub_session_end(h, &o, id))
        return endpoint_no_session(c);
    c->status = 204;
    return 0;
}
