/* SPDX-License-Identifier: Apache-2.0 */
/* The transport of revision 2024-11-05 ("HTTP with SSE"), which many clients still have: a GET
 * opens a stream, its first event names the path for the client's messages, and what answers them
 * are events of the stream. */
#include "engine/http/stream.h"
#include "engine/world/engine.h"
#include "mcp/endpoint.h"

/* The path of messages: that of the stream, but for its last segment, with what it is asked for
 * with.
 */
static const char *messages_path(struct mcp_call *m)
{
    struct call *c = m->c;
    const char *target = c->request->target, *rest = strstr(target, "://"), *query;
    size_t n;
    if (*target != '/' && rest)
        target = rest + 3 + strcspn(rest + 3, "/");
    n = strcspn(target, "?#");
    query = target[n] == '?' ? target + n + 1 : "";
    while (n > 1 && target[n - 1] == '/')
        n--;
    while (n && target[n - 1] != '/')
        n--;
    return arena_printf(c->tx.arena, "%.*smessages?session_id=%s%s%.*s", (int)n, target,
                        m->session.id, *query ? "&" : "", (int)strcspn(query, "#"), query);
}

int legacy_open(struct mcp_call *m)
{
    struct call *c = m->c;
    struct hub *h = hub_of(c);
    const struct hub_owner o = hub_owner_of(m);
    if (!endpoint_accepts(c, "text/event-stream"))
        return call_fail(c, SOSIA_E_INVALID, "notAcceptable", "Accept",
                         "Accept must have text/event-stream");
    if (call_leave(c)) /* it asks the world */
        return 0;
    m->session = (struct mcp_session){.legacy = true};
    struct sosia_stream *s = h ? hub_stream(h, false) : NULL;
    if (!s)
        return endpoint_no_memory(c);
    if (hub_session_new(h, m, &m->session) < 0) {
        stream_unref(s);
        stream_close(s);
        return endpoint_no_memory(c);
    }
    mcp_watch_lists(m);
    const char *first =
        arena_printf(c->tx.arena, "event: endpoint\ndata: %s\n\n", messages_path(m));
    stream_put(s, first, strlen(first));
    if (!hub_session_stream(h, &o, m->session.id, s, -1)) { /* its world went back meanwhile */
        stream_unref(s);
        stream_close(s);
        return endpoint_no_session(c);
    }
    endpoint_stream(c, s);
    return 0;
}

/* Serves the message, whose answer goes to the stream. */
static int serve(struct mcp_call *m, const struct json *message)
{
    struct call *c = m->c;
    struct hub *h = hub_of(c);
    const struct hub_owner o = hub_owner_of(m);
    struct buf out;
    int status;
    buf_init(&out, 0);
    m->events = &out;
    m->streams = true;
    rpc_serve(m, message, &status);
    if (m->suspended && hub_suspend(m, message, NULL, &out) < 0) {
        m->suspended = false;
        rpc_refuse(m);
    }
    if (!m->suspended && c->body_out->len)
        hub_event(&out, c->body_out->data, c->body_out->len);
    buf_clear(c->body_out);
    /* The client must not learn of what a crash could take back. */
    int rc = engine_sync(c->tx.engine, c->ticket, c->tx.err);
    if (rc == 0 && out.len && !hub_session_put(h, &o, m->session.id, out.data, out.len))
        rc = endpoint_no_session(c);
    buf_done(&out);
    return rc;
}

int legacy_post(struct mcp_call *m)
{
    struct call *c = m->c;
    struct hub *h = hub_of(c);
    const struct hub_owner o = hub_owner_of(m);
    const char *id = call_query_item(c, "session_id");
    const struct json *message;
    if (!h || !id || !hub_session_find(h, &o, id, &m->session) || !m->session.legacy)
        return endpoint_no_session(c);
    if (call_leave(c)) /* a tool takes as long as it likes */
        return 0;
    if (endpoint_body(c, &message) < 0 || serve(m, message) < 0)
        return -1;
    c->status = 202;
    return 0;
}
