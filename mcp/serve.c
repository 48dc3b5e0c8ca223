/* SPDX-License-Identifier: Apache-2.0 */
/* JSON-RPC 2.0: messages, the method that each asks for, and its result. */
#include "mcp/approve.h"
#include "engine/base/codec.h"
#include "engine/http/stream.h"
#include "engine/world/engine.h"
#include <stddef.h>

/* ---- the revision that counts ---- */

static const char *supported(struct mcp_call *m, const char *asked)
{
    struct buf b;
    struct json_writer w;
    json_start(&w, &b);
    json_obj(&w, NULL);
    json_arr(&w, "supported");
    for (const char *const *r = mcp_revisions; *r; r++)
        json_str(&w, NULL, *r);
    json_end(&w);
    json_str(&w, "requested", asked);
    json_end(&w);
    return buf_keep(&b, m->c->tx.arena);
}

static int refuse_revision(struct mcp_call *m, const char *asked)
{
    return rpc_fail_http(m, RPC_VERSION, 400, supported(m, asked),
                         "Unsupported protocol version: %s", asked);
}

/* A value of a header, which may be in base64 between marks. NULL: it is not well encoded. */
static const char *header_value(struct mcp_call *m, const char *text)
{
    static const char mark[] = "=?base64?";
    size_t n = strlen(text), head = sizeof mark - 1;
    uint8_t *data;
    size_t len;
    if (!str_starts(text, mark) || n < head + 2 || strcmp(text + n - 2, "?=") != 0)
        return text;
    if (base64_decode(m->c->tx.arena, text + head, n - head - 2, &data, &len) < 0 ||
        memchr(data, 0, len))
        return NULL;
    return arena_memdup(m->c->tx.arena, data, len);
}

static int refuse_header(struct mcp_call *m, const char *header, const char *got,
                         const char *expected)
{
    if (!got)
        return rpc_fail_http(m, RPC_HEADER, 400, NULL, "Header mismatch: %s is missing", header);
    return rpc_fail_http(m, RPC_HEADER, 400, NULL, "Header mismatch: %s is '%s', the body has '%s'",
                         header, got, expected);
}

/* The header says what the body has. */
static int same_as_header(struct mcp_call *m, const char *header, const char *expected)
{
    const char *sent = call_request_header(m->c, header);
    const char *value = sent ? header_value(m, sent) : NULL;
    return value && strcmp(value, expected) == 0 ? 0 : refuse_header(m, header, sent, expected);
}

/* What the method is about is in a header too. */
static int check_name(struct mcp_call *m)
{
    static const char *const named[][2] = {
        {"tools/call", "name"}, {"prompts/get", "name"}, {"resources/read", "uri"}};
    for (size_t i = 0; i < SOSIA_LEN(named); i++) {
        const char *name =
            strcmp(m->method, named[i][0]) == 0 ? json_get_str(m->params, named[i][1]) : NULL;
        if (name && same_as_header(m, "Mcp-Name", name) < 0)
            return -1;
    }
    return 0;
}

/* A request that carries its revision, and what its client can do, itself. */
static int begin_stateless(struct mcp_call *m, const struct json *meta, const char *asked)
{
    const char *header = call_request_header(m->c, "MCP-Protocol-Version");
    const struct json *can = json_get(meta, MCP_META "clientCapabilities");
    const struct json *who = json_get(meta, MCP_META "clientInfo");
    m->stateless = true;
    m->revision = MCP_STATELESS;
    if (!asked)
        return rpc_fail_http(m, RPC_PARAMS, 400, NULL,
                             "params._meta must have \"" MCP_META "protocolVersion\"");
    if (!header || strcmp(header, asked) != 0)
        return refuse_header(m, "MCP-Protocol-Version", header, asked);
    if (!mcp_revision(asked) || strcmp(asked, MCP_STATELESS) < 0)
        return refuse_revision(m, asked);
    if (!can || can->type != JSON_OBJECT)
        return rpc_fail_http(m, RPC_PARAMS, 400, NULL,
                             "params._meta must have the object \"" MCP_META
                             "clientCapabilities\"");
    if (who && who->type != JSON_OBJECT)
        return rpc_fail_http(m, RPC_PARAMS, 400, NULL,
                             "params._meta: \"" MCP_META "clientInfo\" must be an object");
    return same_as_header(m, "Mcp-Method", m->method) < 0 ? -1 : check_name(m);
}

/* Does the message say that it needs no handshake? */
static bool is_stateless(const struct mcp_call *m)
{
    const char *header = call_request_header(m->c, "MCP-Protocol-Version");
    return json_get_str(json_get(m->params, "_meta"), MCP_META "protocolVersion") ||
           (header && strcmp(header, MCP_STATELESS) >= 0);
}

/* A client that names a session which is not there, or not its own, begins a new one. */
static int check_session(struct mcp_call *m)
{
    const char *id = call_request_header(m->c, "Mcp-Session-Id");
    if (!id || *m->session.id || is_stateless(m) ||
        (m->method && strcmp(m->method, "initialize") == 0))
        return 0;
    return rpc_fail_http(m, RPC_TIMEOUT, 404, NULL, "Session not found");
}

static int begin(struct mcp_call *m)
{
    const struct json *meta = json_get(m->params, "_meta");
    const char *header = call_request_header(m->c, "MCP-Protocol-Version");
    if (is_stateless(m))
        return begin_stateless(m, meta, json_get_str(meta, MCP_META "protocolVersion"));
    m->revision = header ? mcp_revision(header) : "2025-03-26";
    if (!m->revision && strcmp(m->method, "initialize") != 0)
        return refuse_revision(m, header);
    return 0;
}

/* ---- methods ---- */

static int ping(struct mcp_call *m)
{
    (void)m;
    return 0;
}

enum era { HANDSHAKE = 1, STATELESS = 2, BOTH = 3 };

#define OF_FACE(member) offsetof(struct mcp_face, member)

typedef int method_fn(struct mcp_call *m);

static const struct {
    const char *name;
    enum era era;
    method_fn *fn; /* NULL: the face's */
    size_t face;
} methods[] = {
    {"tools/call", BOTH, NULL, OF_FACE(tools_call)}, /* nearly all */
    {"initialize", HANDSHAKE, mcp_initialize, 0},
    {"ping", HANDSHAKE, ping, 0},
    {"server/discover", STATELESS, mcp_discover, 0},
    {"tools/list", BOTH, NULL, OF_FACE(tools_list)},
    {"resources/list", BOTH, NULL, OF_FACE(resources_list)},
    {"resources/templates/list", BOTH, NULL, OF_FACE(templates_list)},
    {"resources/read", BOTH, NULL, OF_FACE(resources_read)},
    {"resources/subscribe", HANDSHAKE, NULL, OF_FACE(subscribe)},
    {"resources/unsubscribe", HANDSHAKE, NULL, OF_FACE(unsubscribe)},
    {"prompts/list", BOTH, NULL, OF_FACE(prompts_list)},
    {"prompts/get", BOTH, NULL, OF_FACE(prompts_get)},
    {"completion/complete", BOTH, NULL, OF_FACE(complete)},
    {"subscriptions/listen", STATELESS, mcp_listen, 0},
    {"logging/setLevel", HANDSHAKE, NULL, OF_FACE(set_level)},
};

static int dispatch(struct mcp_call *m)
{
    enum era era = m->stateless ? STATELESS : HANDSHAKE;
    for (size_t i = 0; i < SOSIA_LEN(methods); i++) {
        method_fn *fn = methods[i].fn;
        if (strcmp(methods[i].name, m->method) != 0 || !(methods[i].era & era))
            continue;
        if (!fn)
            memcpy(&fn, (const char *)m->face + methods[i].face, sizeof fn);
        if (fn)
            return fn(m);
    }
    return rpc_fail_http(m, RPC_METHOD, m->stateless ? 404 : 200, NULL, "Method not found: %s",
                         m->method);
}

/* A request's answer: the result's members are the method's. 1; 0: it is not there yet; -1. */
static int answer(struct mcp_call *m)
{
    struct json_writer *w = m->w;
    json_obj(w, NULL);
    json_str(w, "jsonrpc", "2.0");
    json_value(w, "id", m->id);
    json_obj(w, "result");
    if (dispatch(m) < 0)
        return -1;
    m->suspended = m->n_asks > 0;
    if (m->suspended || m->stream || m->listens)
        return 0;
    if (m->stateless)
        json_str(w, "resultType", m->result ? m->result : "complete");
    json_end(w);
    json_end(w);
    return 1;
}

static bool is_id(const struct json *id)
{
    return id->type == JSON_STRING || id->type == JSON_NUMBER;
}

/* Fills m from the message: 1; 0: nothing is to be answered; -1: refused. */
static int read_message(struct mcp_call *m, const struct json *message)
{
    const char *version = json_get_str(message, "jsonrpc");
    if (message->type != JSON_OBJECT || !version || strcmp(version, "2.0") != 0)
        return rpc_fail_http(m, RPC_REQUEST, 400, NULL,
                             "a message must be an object with \"jsonrpc\": \"2.0\"");
    const struct json *id = json_get(message, "id"), *params = json_get(message, "params");
    m->method = json_get_str(message, "method");
    if (!m->method && (json_get(message, "result") || json_get(message, "error")))
        return 0; /* a response */
    if (id && !is_id(id))
        return rpc_fail_http(m, RPC_REQUEST, 400, NULL, "id must be a string or a number, not %s",
                             call_quote(m->c, id));
    m->id = id;
    if (!m->method)
        return rpc_fail_http(m, RPC_REQUEST, 400, NULL, "method must be a string, not %s",
                             call_quote(m->c, json_get(message, "method")));
    if (params && params->type != JSON_OBJECT)
        return rpc_fail_http(m, RPC_PARAMS, 400, NULL, "params must be an object, not %s",
                             call_quote(m->c, params));
    m->params = params;
    return id ? 1 : 0;
}

/* ---- what has no response ---- */

/* {"key": answer} of what was waited for. */
static const struct json *known_of(struct arena *a, const struct hub_pending *p)
{
    const struct json *known = NULL;
    struct json_writer w;
    struct buf b;
    json_start(&w, &b);
    json_obj(&w, NULL);
    for (size_t i = 0; i < p->n; i++)
        json_raw(&w, p->asked[i].key, p->asked[i].answer, strlen(p->asked[i].answer));
    json_end(&w);
    if (json_parse(a, buf_str(&b), b.len, NULL, &known, NULL) < 0)
        known = NULL;
    buf_done(&b);
    return known;
}

/* A request is served anew, with what its client has answered: into out go its notifications, and
 * its response or what else the client is asked for. */
static void serve_again(struct mcp_call *m, const struct json *message, struct hub_pending *p,
                        struct buf *out)
{
    struct call *c = m->c;
    struct json_writer w, *out_before = c->out;
    struct buf body, *body_before = c->body_out;
    struct sosia_stream *stream = p->stream ? stream_ref(p->stream) : NULL;
    int status;
    json_start(&w, &body);
    c->out = &w;
    c->body_out = &body;
    m->events = out;
    rpc_serve(m, message, &status);
    if (m->suspended && hub_suspend(m, message, stream, out) < 0) {
        m->suspended = false;
        rpc_refuse(m);
    } else if (!m->suspended) {
        stream_unref(stream);
    }
    if (!m->suspended)
        hub_event(out, buf_str(&body), body.len);
    c->out = out_before;
    c->body_out = body_before;
    buf_done(&body);
}

static void resume(struct mcp_call *outer, struct hub_pending *p)
{
    struct call *c = outer->c;
    const struct json *message;
    struct mcp_call m = {.c = c,
                         .face = outer->face,
                         .service = outer->service,
                         .session = outer->session,
                         .streams = true,
                         .known = known_of(c->tx.arena, p)};
    struct buf out;
    if (json_parse(c->tx.arena, p->message, strlen(p->message), NULL, &message, c->tx.err) < 0)
        return;
    buf_init(&out, 0);
    serve_again(&m, message, p, &out);
    /* Nobody learns of what a crash could take back. */
    engine_sync(c->tx.engine, c->ticket, c->tx.err);
    if (p->stream)
        stream_put(p->stream, buf_str(&out), out.len);
    else
        hub_session_put(hub_of(c), &p->owner, p->session, buf_str(&out), out.len);
    if (p->stream && !m.suspended)
        stream_end(p->stream);
    buf_done(&out);
}

static void take_response(struct mcp_call *m, const struct json *message)
{
    struct hub *h = hub_of(m->c);
    const struct hub_owner o = hub_owner_of(m);
    struct hub_pending *p = h ? hub_answered(h, &o, m->c->tx.arena, message) : NULL;
    if (p && p->action)
        approve_answered(m, p);
    else if (p)
        resume(m, p);
    hub_pending_free(p);
}

static void take_notification(struct mcp_call *m)
{
    struct hub *h = hub_of(m->c);
    const struct json *id = json_get(m->params, "requestId");
    const struct hub_owner o = hub_owner_of(m);
    if (!h || !id || strcmp(m->method, "notifications/cancelled") != 0)
        return;
    hub_cancel(h, &o, m->session.id, json_to_text(m->c->tx.arena, id));
    hub_session_unwatch(h, &o, m->session.id, hub_subscription(m->c->tx.arena, id));
}

void rpc_serve(struct mcp_call *m, const struct json *message, int *ret_status)
{
    struct call *c = m->c;
    m->w = c->out;
    m->status = 200;
    const struct json_mark mark = json_mark(c->out);
    int r = read_message(m, message);
    if (r >= 0 && check_session(m) < 0)
        r = -1;
    bool request = r > 0;
    if (request && m->in_batch && strcmp(m->method, "initialize") == 0)
        r = rpc_fail(m, RPC_REQUEST, "initialize must not be in a batch");
    else if (request)
        r = begin(m) < 0 ? -1 : answer(m);
    else if (r == 0 && m->method)
        take_notification(m);
    else if (r == 0)
        take_response(m, message);
    *ret_status = r < 0 ? m->status : request ? 200 : 202;
    if (r > 0)
        return;
    json_back(c->out, &mark);
    if (r < 0)
        rpc_refuse(m);
}
