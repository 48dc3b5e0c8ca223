/* SPDX-License-Identifier: Apache-2.0 */
/* JSON-RPC 2.0: messages, the method that each asks for, results and refusals. */
#include "mcp/mcp.h"
#include "engine/base/codec.h"
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#define META "io.modelcontextprotocol/"

const char *const mcp_revisions[] = {MCP_STATELESS, "2025-11-25", "2025-06-18", "2025-03-26", NULL};

const char *mcp_revision(const char *text)
{
    for (const char *const *r = mcp_revisions; text && *r; r++)
        if (strcmp(*r, text) == 0)
            return *r;
    return NULL;
}

/* ---- refusals ---- */

__attribute__((format(printf, 5, 0))) static int refuse(struct mcp_call *m, enum rpc_code code,
                                                        int status, const char *data,
                                                        const char *fmt, va_list ap)
{
    m->code = code;
    m->status = status;
    m->data = data;
    m->text = arena_vprintf(m->c->tx.arena, fmt, ap);
    return -1;
}

int rpc_fail(struct mcp_call *m, enum rpc_code code, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    refuse(m, code, 200, NULL, fmt, ap);
    va_end(ap);
    return -1;
}

int rpc_fail_http(struct mcp_call *m, enum rpc_code code, int status, const char *data,
                  const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    refuse(m, code, status, data, fmt, ap);
    va_end(ap);
    return -1;
}

int rpc_no_resource(struct mcp_call *m, const char *uri, const char *why)
{
    struct buf b;
    struct json_writer w;
    buf_init(&b, 0);
    json_init(&w, &b, false, NULL);
    json_obj(&w, NULL);
    json_str(&w, "uri", uri);
    json_end(&w);
    const char *data = arena_strdup(m->c->tx.arena, buf_str(&b));
    buf_done(&b);
    return rpc_fail_http(m, m->stateless ? RPC_PARAMS : RPC_NO_RESOURCE, 200, data,
                         "Resource not found: %s%s%s", uri, why ? ": " : "", why ? why : "");
}

const char *rpc_str(struct mcp_call *m, const char *name)
{
    const struct json *v = json_get(m->params, name);
    if (v && v->type == JSON_STRING)
        return v->str;
    rpc_fail(m, RPC_PARAMS, "params.%s must be a string, is %s", name, call_quote(m->c, v));
    return NULL;
}

void rpc_cache(struct mcp_call *m, int64_t ttl_ms, bool everybody)
{
    if (!m->stateless)
        return;
    json_int(m->w, "ttlMs", ttl_ms);
    json_str(m->w, "cacheScope", everybody ? "public" : "private");
}

static void write_refusal(struct mcp_call *m)
{
    struct json_writer *w = m->w;
    json_obj(w, NULL);
    json_str(w, "jsonrpc", "2.0");
    if (m->id)
        json_value(w, "id", m->id);
    else if (!m->stateless)
        json_null(w, "id");
    json_obj(w, "error");
    json_int(w, "code", m->code);
    json_str(w, "message", m->text);
    if (m->data)
        json_raw(w, "data", m->data, strlen(m->data));
    json_end(w);
    json_end(w);
}

/* ---- the revision that counts ---- */

static const char *supported(struct mcp_call *m, const char *asked)
{
    struct buf b;
    struct json_writer w;
    buf_init(&b, 0);
    json_init(&w, &b, false, NULL);
    json_obj(&w, NULL);
    json_arr(&w, "supported");
    for (const char *const *r = mcp_revisions; *r; r++)
        json_str(&w, NULL, *r);
    json_end(&w);
    json_str(&w, "requested", asked);
    json_end(&w);
    const char *text = arena_strdup(m->c->tx.arena, buf_str(&b));
    buf_done(&b);
    return text;
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
    const struct json *can = json_get(meta, META "clientCapabilities");
    const struct json *who = json_get(meta, META "clientInfo");
    m->stateless = true;
    m->revision = MCP_STATELESS;
    if (!asked)
        return rpc_fail_http(m, RPC_PARAMS, 400, NULL,
                             "params._meta must have \"" META "protocolVersion\"");
    if (!header || strcmp(header, asked) != 0)
        return refuse_header(m, "MCP-Protocol-Version", header, asked);
    if (!mcp_revision(asked) || strcmp(asked, MCP_STATELESS) < 0)
        return refuse_revision(m, asked);
    if (!can || can->type != JSON_OBJECT)
        return rpc_fail_http(m, RPC_PARAMS, 400, NULL,
                             "params._meta must have the object \"" META "clientCapabilities\"");
    if (who && who->type != JSON_OBJECT)
        return rpc_fail_http(m, RPC_PARAMS, 400, NULL,
                             "params._meta: \"" META "clientInfo\" must be an object");
    return same_as_header(m, "Mcp-Method", m->method) < 0 ? -1 : check_name(m);
}

static int begin(struct mcp_call *m)
{
    const struct json *meta = json_get(m->params, "_meta");
    const char *asked = json_get_str(meta, META "protocolVersion");
    const char *header = call_request_header(m->c, "MCP-Protocol-Version");
    if (asked || (header && strcmp(header, MCP_STATELESS) >= 0))
        return begin_stateless(m, meta, asked);
    m->revision = header ? mcp_revision(header) : "2025-03-26";
    if (!m->revision && strcmp(m->method, "initialize") != 0)
        return refuse_revision(m, header);
    return 0;
}

const struct json *rpc_meta(const struct mcp_call *m, const char *name)
{
    char key[80];
    snprintf(key, sizeof key, META "%s", name);
    return json_get(json_get(m->params, "_meta"), key);
}

void rpc_notify(struct mcp_call *m, const char *method, const char *params)
{
    buf_printf(m->events,
               "event: message\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"%s\",\"params\":%s}\n\n",
               method, params);
}

/* ---- methods ---- */

static int ping(struct mcp_call *m)
{
    (void)m;
    return 0;
}

/* Nothing here is notified by itself: what was asked for is acknowledged as nothing, and the stream
 * ends as one does that its server closes. */
static int listen_none(struct mcp_call *m)
{
    const char *of = arena_printf(m->c->tx.arena, "{\"" META "subscriptionId\":%s}",
                                  json_to_text(m->c->tx.arena, m->id));
    rpc_notify(m, "notifications/subscriptions/acknowledged",
               arena_printf(m->c->tx.arena, "{\"_meta\":%s,\"notifications\":{}}", of));
    json_raw(m->w, "_meta", of, strlen(of));
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
    {"initialize", HANDSHAKE, mcp_initialize, 0},
    {"ping", HANDSHAKE, ping, 0},
    {"server/discover", STATELESS, mcp_discover, 0},
    {"tools/list", BOTH, NULL, OF_FACE(tools_list)},
    {"tools/call", BOTH, NULL, OF_FACE(tools_call)},
    {"resources/list", BOTH, NULL, OF_FACE(resources_list)},
    {"resources/templates/list", BOTH, NULL, OF_FACE(templates_list)},
    {"resources/read", BOTH, NULL, OF_FACE(resources_read)},
    {"resources/subscribe", HANDSHAKE, NULL, OF_FACE(subscribe)},
    {"resources/unsubscribe", HANDSHAKE, NULL, OF_FACE(unsubscribe)},
    {"prompts/list", BOTH, NULL, OF_FACE(prompts_list)},
    {"prompts/get", BOTH, NULL, OF_FACE(prompts_get)},
    {"completion/complete", BOTH, NULL, OF_FACE(complete)},
    {"subscriptions/listen", STATELESS, listen_none, 0},
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

/* A request's answer: the result's members are the method's. */
static int answer(struct mcp_call *m)
{
    struct json_writer *w = m->w;
    json_obj(w, NULL);
    json_str(w, "jsonrpc", "2.0");
    json_value(w, "id", m->id);
    json_obj(w, "result");
    if (dispatch(m) < 0)
        return -1;
    if (m->stateless)
        json_str(w, "resultType", m->result ? m->result : "complete");
    json_end(w);
    json_end(w);
    return 0;
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
        return 0; /* a response: nobody waits for one */
    if (id && !is_id(id))
        return rpc_fail_http(m, RPC_REQUEST, 400, NULL, "id must be a string or a number, is %s",
                             call_quote(m->c, id));
    m->id = id;
    if (!m->method)
        return rpc_fail_http(m, RPC_REQUEST, 400, NULL, "method must be a string, is %s",
                             call_quote(m->c, json_get(message, "method")));
    if (params && params->type != JSON_OBJECT)
        return rpc_fail_http(m, RPC_PARAMS, 400, NULL, "params must be an object, is %s",
                             call_quote(m->c, params));
    m->params = params;
    return id ? 1 : 0;
}

void rpc_serve(struct mcp_call *m, const struct json *message, int *ret_status)
{
    struct call *c = m->c;
    m->w = c->out;
    m->status = 200;
    struct json_writer before = *c->out;
    size_t mark = c->body_out->len;
    int r = read_message(m, message);
    if (r > 0)
        r = begin(m) < 0 || answer(m) < 0 ? -1 : 1;
    *ret_status = r < 0 ? m->status : r ? 200 : 202;
    if (r >= 0)
        return;
    *c->out = before;
    c->body_out->len = mark;
    write_refusal(m);
}
