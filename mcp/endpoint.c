/* SPDX-License-Identifier: Apache-2.0 */
/* The endpoint over HTTP ("Streamable HTTP"): each message is a POST, each answer one JSON object,
 * or a stream of events where something goes before it, or the client takes nothing else. */
#include "mcp/endpoint.h"
#include "engine/base/codec.h"
#include "engine/http/stream.h"
#include "identity/account.h"
#include "mcp/servers/carried.h"
#include "mcp/servers/server.h"
#include "mcp/setting.h"
#include "mcp/sets/agent365/agent365.h"
#include "mcp/sets/workiq/workiq.h"
#include "mcp/tool.h"
#include <strings.h>

/* Messages in one request, of the revision that has batches. */
#define MAX_BATCH 100

static const struct json_limits limits = {.max_values = 1000000};

/* ---- who asks ---- */

void endpoint_credential(struct call *c)
{
    static const char *const in_query[] = {"token", "instance_id"};
    c->token = call_bearer(c);
    for (size_t i = 0; !c->token && i < SOSIA_LEN(in_query); i++) {
        const char *text = call_query_item(c, in_query[i]);
        if (text && *text)
            c->token = text;
    }
}

/* The length of the host in front of a port, or of all; 0: it is not well formed. */
static size_t host_len(const char *at)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";
    size_t n = *at == '[' ? strspn(at + 1, "0123456789abcdefABCDEF:.") + 2 : strspn(at, plain);
    if (*at == '[' && at[n - 1] != ']')
        return 0;
    if (at[n] == ':') {
        size_t digits = strspn(at + n + 1, "0123456789");
        return digits && digits <= 5 && !at[n + 1 + digits] ? n : 0;
    }
    return at[n] ? 0 : n;
}

static bool is_this_machine(const char *at, size_t n)
{
    static const char *const own[] = {"localhost", "127.0.0.1", "[::1]"};
    for (size_t i = 0; i < SOSIA_LEN(own); i++)
        if (n == strlen(own[i]) && strncasecmp(at, own[i], n) == 0)
            return true;
    return n > 10 && strncasecmp(at + n - 10, ".localhost", 10) == 0;
}

/* A page that a browser has from elsewhere must not use what only this machine reaches. What is not
 * an origin as browsers write them is none of this machine's; the request's own host is its Host
 * field, whatever another one says of where it was forwarded from. */
static bool origin_allowed(const struct call *c, const char *origin)
{
    const char *host = call_request_header(c, "Host"), *base = c->request->base_url;
    const char *at = origin;
    if (strncasecmp(at, "http://", 7) == 0)
        at += 7;
    else if (strncasecmp(at, "https://", 8) == 0)
        at += 8;
    else
        return false;
    size_t n = host_len(at);
    if (!n)
        return false;
    if (!host && base && strstr(base, "://"))
        host = strstr(base, "://") + 3;
    return is_this_machine(at, n) || (host && strcasecmp(at, host) == 0);
}

/* The world's set of tools becomes the call's vendor_data, while its token is looked at in a
 * transaction: the methods have none. */
int endpoint_read_setting(struct call *c)
{
    if (!c->token || !c->route || c->admitted)
        return 0;
    struct tool_caller *who = arena_calloc(c->tx.arena, 1, sizeof *who);
    c->vendor_data = who;
    if (!who)
        return sosia_fail_memory(c->tx.err);
    return call_query_item(c, "tools") ? 0 : tool_set_of_world(&c->tx, &who->set);
}

/* The caller's accounts with vendors whose dialects want to know of them. */
int endpoint_read_accounts(struct call *c)
{
    struct tool_caller *who = c->vendor_data;
    size_t n = 0;
    for (const struct dialect *d = NULL; who && (d = mcp_service_next(c, d));) {
        if (!d->tools->services || n == TOOL_VENDORS ||
            (n && who->accounts[n - 1].vendor == d->vendor))
            continue;
        if (account_services_with(&c->tx, c->actor.id, d->vendor->name,
                                  &who->accounts[n].services) < 0)
            return -1;
        who->accounts[n++].vendor = d->vendor;
    }
    return 0;
}

int endpoint_begin(struct call *c)
{
    const char *origin = call_request_header(c, "Origin");
    if (origin && !origin_allowed(c, origin))
        return call_fail(c, SOSIA_E_FORBIDDEN, "origin", "Origin",
                         "requests of pages at %s are not taken", origin);
    return 0;
}

static bool asks_for_paths(const struct call *c)
{
    const char *tools = call_query_item(c, "tools");
    return tools && strcmp(tools, "workiq") == 0;
}

/* The tool server that the URL names: as a service, or as a set of tools where it names none. */
static const struct mcp_server *server_asked(const struct call *c, const char *service)
{
    const char *name = service ? service : call_query_item(c, "tools");
    return name ? mcp_server_named(name, strlen(name)) : NULL;
}

static int caller(struct call *c)
{
    return asks_for_paths(c) ? workiq_caller(c) : endpoint_read_accounts(c);
}

static int begin(struct call *c)
{
    if (endpoint_begin(c) < 0)
        return -1;
    return asks_for_paths(c) ? workiq_read_setting(c) : endpoint_read_setting(c);
}

/* ---- refusals before a message is read ---- */

/* Of a call whose parameters are not read yet; NULL: it is at all of them. */
static const struct dialect_tools *service_of(const struct call *c)
{
    static const char before[] = "/mcp/";
    const char *at = c->path + sizeof before - 1;
    if (c->path_len < sizeof before || memcmp(c->path, before, sizeof before - 1) != 0)
        return NULL;
    return mcp_service_named(c, at, strcspn(at, "/?#"));
}

/* The field WWW-Authenticate of a refusal, in the arena. */
static const char *challenge(struct call *c)
{
    const struct dialect_tools *service = service_of(c);
    const char *error = "";
    if (c->token)
        error = ", error=\"invalid_token\"";
    if (!c->base_url || (service && !service->scope))
        return "Bearer";
    return arena_printf(c->tx.arena,
                        "Bearer resource_metadata=\"%s" MCP_PROTECTED_RESOURCE "/mcp%s%s\"%s",
                        c->base_url, service ? "/" : "", service ? service->name : "", error);
}

void endpoint_error(struct call *c)
{
    const struct sosia_err *err = c->tx.err;
    const char *reason = err->reason ? err->reason : "";
    bool parse = strcmp(reason, "parseError") == 0;
    bool session = strcmp(reason, "noSession") == 0;
    c->status = strcmp(reason, "notAcceptable") == 0 ? 406
                : strcmp(reason, "noStream") == 0    ? 405
                                                     : sosia_code_status(err->code);
    json_obj(c->out, NULL);
    json_str(c->out, "jsonrpc", "2.0");
    json_null(c->out, "id");
    json_obj(c->out, "error");
    json_int(c->out, "code",
             parse              ? RPC_PARSE
             : session          ? RPC_TIMEOUT
             : c->status >= 500 ? RPC_INTERNAL
                                : RPC_REQUEST);
    json_str(c->out, "message", err->text);
    json_end(c->out);
    json_end(c->out);
    call_header_const(c, "Content-Type", "application/json");
    if (c->status == 401)
        call_header_const(c, "WWW-Authenticate", challenge(c));
    if (c->status == 405)
        call_header_const(c, "Allow", "GET, POST, DELETE");
}

/* ---- the method ---- */

static bool accepts(const char *accept, const char *type)
{
    size_t n = strcspn(type, "/");
    return !accept || strstr(accept, type) || strcasestr(accept, type) || strstr(accept, "*/*") ||
           (strncasecmp(accept, type, n) == 0 && str_starts(accept + n, "/*"));
}

bool endpoint_accepts(const struct call *c, const char *type)
{
    return accepts(call_request_header(c, "Accept"), type);
}

int endpoint_no_session(struct call *c)
{
    return call_fail(c, SOSIA_E_NOT_FOUND, "noSession", "Mcp-Session-Id", "Session not found");
}

int endpoint_no_memory(struct call *c)
{
    return call_fail(c, SOSIA_E_NO_MEMORY, NULL, NULL, "there is no memory for a stream");
}

/* Only the first revision has batches; who does not say which it speaks may speak that one. */
static int check_batch(struct call *c, const struct json *body)
{
    const char *revision = call_request_header(c, "MCP-Protocol-Version");
    if (revision && strcmp(revision, "2025-03-26") != 0)
        return call_fail(c, SOSIA_E_INVALID, NULL, NULL,
                         "the body must be one message: revision %s has no batches", revision);
    if (!body->n || body->n > MAX_BATCH)
        return call_fail(c, SOSIA_E_INVALID, NULL, NULL,
                         "a batch must have 1 to %d messages, not %u", MAX_BATCH, body->n);
    return 0;
}

static int serve_batch(const struct mcp_call *m, const struct json *body, int *ret_status)
{
    struct call *c = m->c;
    int status;
    if (check_batch(c, body) < 0)
        return -1;
    json_arr(c->out, NULL);
    for (uint32_t i = 0; i < body->n; i++) {
        struct mcp_call one = *m;
        one.in_batch = true;
        rpc_serve(&one, &body->items[i], &status);
    }
    *ret_status = json_is_first(c->out) ? 202 : 200;
    json_end(c->out);
    if (*ret_status == 202)
        buf_clear(c->body_out);
    return 0;
}

static void add_stream_headers(struct call *c)
{
    call_header_const(c, "Content-Type", "text/event-stream");
    call_header_const(c, "Cache-Control", "no-store");
    call_header_const(c, "X-Accel-Buffering", "no");
}

void endpoint_stream(struct call *c, struct sosia_stream *s)
{
    buf_clear(c->body_out);
    add_stream_headers(c);
    call_stream(c, s);
}

/* The answer as the last event of a stream, behind notifications. */
static void as_events(struct call *c, struct buf *events)
{
    static const char head[] = "event: message\ndata: ";
    buf_puts(events, head);
    buf_insert(c->body_out, 0, events->data, events->len);
    buf_puts(c->body_out, "\n\n");
    add_stream_headers(c);
}

/* The answer needs what the client answers first: a stream, in which it is asked. */
static void suspend(struct mcp_call *m, const struct json *message, int *ret_status)
{
    struct call *c = m->c;
    struct hub *h = hub_of(c);
    struct sosia_stream *s = h ? hub_stream(h, true) : NULL;
    if (s) {
        stream_ref(s); /* the hub's and the response's, and one for this function */
        if (hub_suspend(m, message, s, m->events) < 0) {
            stream_close(s);
        } else {
            stream_put(s, m->events->data, m->events->len);
            m->stream = s;
        }
        stream_unref(s);
    } else {
        rpc_fail(m, RPC_INTERNAL, "there is no memory for a stream");
    }
    if (m->stream)
        return;
    *ret_status = 200;
    rpc_refuse(m);
}

/* Does it take a moment, or may it? A tool that is called says so itself. */
static bool is_brief(const struct json *body)
{
    static const char *const methods[] = {"tools/call", "tools/list", "ping", "server/discover",
                                          NULL};
    return str_place(methods, json_get_str(body, "method")) >= 0;
}

static int serve_body(struct mcp_call *m, const struct json *body, bool json, bool events)
{
    struct call *c = m->c;
    const struct mcp_session before = m->session;
    int status;
    if (!is_brief(body) && call_leave(c))
        return 0;
    m->streams = events && body->type != JSON_ARRAY;
    if (body->type != JSON_ARRAY)
        rpc_serve(m, body, &status);
    else if (serve_batch(m, body, &status) < 0)
        return -1;
    if (m->suspended)
        suspend(m, body, &status);
    c->status = status;
    if (status == 202)
        return 0;
    if (strcmp(before.id, m->session.id) != 0)
        call_header(c, "Mcp-Session-Id", m->session.id);
    if (m->stream)
        endpoint_stream(c, m->stream);
    else if (events && (m->events->len || !json))
        as_events(c, m->events);
    else
        call_header_const(c, "Content-Type", "application/json");
    return 0;
}

int endpoint_body(struct call *c, const struct json **ret)
{
    const char *type = call_request_header(c, "Content-Type");
    if (!type || strncasecmp(type, "application/json", 16) != 0)
        return call_fail(c, SOSIA_E_MEDIA_TYPE, NULL, "Content-Type",
                         "Content-Type must be application/json, not %s", type ? type : "absent");
    if (json_parse(c->tx.arena, c->request->body, c->request->body_len, &limits, ret, c->tx.err) <
        0) {
        c->tx.err->reason = "parseError";
        return -1;
    }
    return 0;
}

/* The session that the client names; one that is not there is for rpc_serve() to refuse, who knows
 * whether the message is of a revision that has them. */
static void find_session(struct mcp_call *m)
{
    const char *id = call_request_header(m->c, "Mcp-Session-Id");
    struct hub *h = id ? hub_of(m->c) : NULL;
    const struct hub_owner o = hub_owner_of(m);
    if (h)
        hub_session_find(h, &o, id, &m->session);
}

static int serve(struct mcp_call *m)
{
    struct call *c = m->c;
    const char *accept = call_request_header(c, "Accept");
    const struct json *body;
    struct buf events;
    bool usual = accept && strcmp(accept, "application/json, text/event-stream") == 0;
    bool json = usual || accepts(accept, "application/json");
    bool stream = usual || accepts(accept, "text/event-stream");
    if (!json && !stream)
        return call_fail(c, SOSIA_E_INVALID, "notAcceptable", "Accept",
                         "Accept must have application/json or text/event-stream, not %s", accept);
    if (endpoint_body(c, &body) < 0)
        return -1;
    find_session(m);
    buf_init(&events, 1 << 20);
    m->events = &events;
    int rc = serve_body(m, body, json, accept && stream);
    buf_done(&events);
    return rc;
}

/* An endpoint's handler: the message is at all services or at one, or at the fixture. */
static int at_endpoint(struct call *c, int (*fn)(struct mcp_call *m))
{
    const char *name = param_str(c, "service");
    const struct mcp_server *server = server_asked(c, name);
    const struct mcp_carried *carried =
        name && !server ? mcp_carried_named(name, strlen(name)) : NULL;
    struct mcp_call m = {.c = c,
                         .carried = carried,
                         .face = server              ? &mcp_server_face
                                 : carried           ? &mcp_carried_face
                                 : asks_for_paths(c) ? &workiq_face
                                                     : &mcp_native,
                         .service = server    ? &server->service
                                    : carried ? &carried_service
                                    : name    ? mcp_service_named(c, name, strlen(name))
                                              : NULL};
    if (name && !m.service)
        return call_fail(c, SOSIA_E_NOT_FOUND, NULL, NULL, "there is no service \"%s\" here", name);
    return fn(&m);
}

int endpoint_serve(struct call *c, const struct mcp_face *face)
{
    struct mcp_call m = {.c = c, .face = face};
    return serve(&m);
}

int endpoint_of_server(struct call *c, const char *name, int (*fn)(struct mcp_call *m))
{
    struct mcp_call m = {.c = c, .face = &mcp_native, .server = name};
    return (fn ? fn : serve)(&m);
}

static int at_fixture(struct call *c, int (*fn)(struct mcp_call *m))
{
    struct mcp_call m = {.c = c, .face = &mcp_fixture};
    return fn(&m);
}

static int post(struct call *c)
{
    return at_endpoint(c, serve);
}

static int listen(struct call *c)
{
    return at_endpoint(c, endpoint_listen);
}

static int end_session(struct call *c)
{
    return at_endpoint(c, endpoint_end);
}

static int open_legacy(struct call *c)
{
    return at_endpoint(c, legacy_open);
}

static int post_legacy(struct call *c)
{
    return at_endpoint(c, legacy_post);
}

static int post_fixture(struct call *c)
{
    return at_fixture(c, serve);
}

static int listen_fixture(struct call *c)
{
    return at_fixture(c, endpoint_listen);
}

static int end_fixture(struct call *c)
{
    return at_fixture(c, endpoint_end);
}

/* ---- rows ---- */

static const struct front front = {
    .credential = endpoint_credential, .begin = begin, .caller = caller, .error = endpoint_error};
static const struct vendor vendor = {
    .name = "mcp", .title = "Model Context Protocol", .front = &front};

static const struct param params[] = {
    {.name = "service", .place = IN_PATH, .required = true, .summary = "One of the services alone"},
};

static const struct route methods[] = {
    {ROUTE("mcp.message", POST, "/mcp", "/mcp/"), .handler = post, .risk = RISK_WRITE,
     .outside = true, .brief = true, .body = BODY_RAW,
     .summary = "One message of a client, to all services"},
    {ROUTE("mcp.messageOfService", POST, "/mcp/{service}", "/mcp/{service}/"), .handler = post,
     .risk = RISK_WRITE, .outside = true, .brief = true, .body = BODY_RAW, PARAMS(params),
     .summary = "One message of a client, to one service"},
    {ROUTE("mcp.listen", GET, "/mcp", "/mcp/"), .handler = listen, .risk = RISK_READ,
     .outside = true, .summary = "The stream of a session: notifications"},
    {ROUTE("mcp.listenToService", GET, "/mcp/{service}", "/mcp/{service}/"), .handler = listen,
     .risk = RISK_READ, .outside = true, PARAMS(params),
     .summary = "The stream of a session with one service"},
    {ROUTE("mcp.endSession", DELETE, "/mcp", "/mcp/"), .handler = end_session, .risk = RISK_WRITE,
     .outside = true, .summary = "End a session"},
    {ROUTE("mcp.endSessionWithService", DELETE, "/mcp/{service}", "/mcp/{service}/"),
     .handler = end_session, .risk = RISK_WRITE, .outside = true, PARAMS(params),
     .summary = "End a session with one service"},
    {ROUTE("mcp.sse", GET, "/sse", "/mcp/sse"), .handler = open_legacy, .risk = RISK_READ,
     .outside = true, .summary = "The stream of a client of revision 2024-11-05"},
    {ROUTE("mcp.sseMessage", POST, "/messages", "/mcp/messages"), .handler = post_legacy,
     .risk = RISK_WRITE, .outside = true, .body = BODY_RAW,
     .summary = "One message of such a client"},
    {ROUTE("mcp.sseOfService", GET, "/mcp/{service}/sse"), .handler = open_legacy,
     .risk = RISK_READ, .outside = true, PARAMS(params),
     .summary = "The same stream, of one service"},
    {ROUTE("mcp.sseMessageOfService", POST, "/mcp/{service}/messages"), .handler = post_legacy,
     .risk = RISK_WRITE, .outside = true, .body = BODY_RAW, PARAMS(params),
     .summary = "One message of such a client, to one service"},
};
static const struct rows rows = ROWS(methods);

static const struct dialect dialect = {
    .name = "mcp",
    .title = "Model Context Protocol",
    .vendor = &vendor,
    .prefixes = (const char *const[]){"/mcp", NULL},
    .tables = TABLES(&rows),
};

const struct sosia_service mcp_endpoint = {
    .name = "mcp",
    .cores = (const struct sosia_core *const[]){&mcp_core, &workiq_core, NULL},
    .dialects = (const struct dialect *const[]){&dialect, &mcp_oauth_dialect, &workiq_dialect,
                                                &agent365_dialect, NULL}};

/* ---- the fixture ---- */

static const struct route fixture_methods[] = {
    {ROUTE("mcp.conformance", POST, "/mcp/conformance"), .handler = post_fixture,
     .risk = RISK_WRITE, .anonymous = true, .outside = true, .body = BODY_RAW,
     .summary = "One message, to what the protocol's conformance suite asks for"},
    {ROUTE("mcp.conformanceListen", GET, "/mcp/conformance"), .handler = listen_fixture,
     .risk = RISK_READ, .anonymous = true, .outside = true,
     .summary = "The stream of a session with it"},
    {ROUTE("mcp.conformanceEnd", DELETE, "/mcp/conformance"), .handler = end_fixture,
     .risk = RISK_WRITE, .anonymous = true, .outside = true, .summary = "End a session with it"},
};
static const struct rows fixture_rows = ROWS(fixture_methods);

static const struct dialect fixture_dialect = {
    .name = "mcp.conformance",
    .title = "Model Context Protocol: conformance suite",
    .vendor = &vendor,
    .prefixes = (const char *const[]){"/mcp/conformance", NULL},
    .tables = TABLES(&fixture_rows),
};

const struct sosia_service mcp_fixture_endpoint = {
    .name = "mcp.conformance", .dialects = (const struct dialect *const[]){&fixture_dialect, NULL}};
