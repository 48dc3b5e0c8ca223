/* SPDX-License-Identifier: Apache-2.0 */
/* For tests of sessions: requests of clients of the Model Context Protocol, and their streams. */
#ifndef SOSIA_TESTS_MCP_SESSION_H
#define SOSIA_TESTS_MCP_SESSION_H

#include "tests/support/world.h"
#include <stdio.h>
#include <strings.h>

#define MAX_HEADERS 10

/* As whom, and what more is said in headers. */
struct as {
    const char *who;     /* NULL: nobody */
    const char *session; /* NULL: none */
    const char *last;    /* Last-Event-ID; NULL: none */
    const char *accept;  /* NULL: both */
    bool stateless;      /* of revision 2026-07-28; method: */
    const char *method, *name;
    const char *bearer; /* NULL: a new one of who's */
};

static inline struct sosia_response *request(const char *verb, const char *path,
                                             const struct as *as, const char *body)
{
    struct sosia_header h[MAX_HEADERS];
    struct sosia_response *r = NULL;
    size_t n = 0;
    h[n++] = (struct sosia_header){"Accept",
                                   as->accept ? as->accept : "application/json, text/event-stream"};
    if (body)
        h[n++] = (struct sosia_header){"Content-Type", "application/json"};
    if (as->who)
        h[n++] = (struct sosia_header){"Authorization",
                                       as->bearer ? as->bearer : test_bearer(as->who, NULL)};
    if (as->session)
        h[n++] = (struct sosia_header){"Mcp-Session-Id", as->session};
    if (as->last)
        h[n++] = (struct sosia_header){"Last-Event-ID", as->last};
    h[n++] =
        (struct sosia_header){"MCP-Protocol-Version", as->stateless ? "2026-07-28" : "2025-11-25"};
    if (as->name)
        h[n++] = (struct sosia_header){"Mcp-Name", as->name};
    if (as->method)
        h[n++] = (struct sosia_header){"Mcp-Method", as->method};
    const struct sosia_request q = {.method = verb,
                                    .target = path,
                                    .headers = h,
                                    .n_headers = n,
                                    .body = body ? body : "",
                                    .body_len = body ? strlen(body) : 0,
                                    .base_url = "http://localhost:8787"};
    if (sosia_call(test_engine, test_world, &q, &r, &test_err) < 0)
        fail_msg("%s", test_err.text);
    return r;
}

static inline const char *header_of(const struct sosia_response *r, const char *name)
{
    for (size_t i = 0; i < r->n_headers; i++)
        if (strcasecmp(r->headers[i].name, name) == 0)
            return r->headers[i].value;
    return "";
}

/* What a stream has, NUL-terminated; *ret_over: it has ended. */
static inline const char *taken(struct sosia_response *r, bool *ret_over)
{
    static char text[1 << 16];
    size_t len = 0;
    int64_t n = 0;
    assert_non_null(r->stream);
    while (len < sizeof text - 1 &&
           (n = sosia_stream_take(r->stream, text + len, sizeof text - 1 - len)) > 0)
        len += (size_t)n;
    text[len] = 0;
    if (ret_over)
        *ret_over = n < 0;
    return text;
}

static inline bool has(const char *text, const char *part)
{
    return strstr(text, part) != NULL;
}

static inline int status_of(const char *verb, const char *path, const struct as *as,
                            const char *body)
{
    struct sosia_response *r = request(verb, path, as, body);
    int status = r->status;
    sosia_response_free(r);
    return status;
}

#define INITIALIZE                                                                                 \
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{\"protocolVersion\":"     \
    "\"2025-11-25\",\"capabilities\":{\"sampling\":{},\"elicitation\":{}},\"clientInfo\":{"        \
    "\"name\":\"t\",\"version\":\"1\"}}}"
#define CALL(id, name, arguments)                                                                  \
    "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"tools/call\",\"params\":{\"name\":\"" name    \
    "\",\"arguments\":" arguments "}}"
#define SUBSCRIBE(uri)                                                                             \
    "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"resources/subscribe\",\"params\":{\"uri\":\"" uri  \
    "\"}}"

/* A new session's id. */
static inline const char *session_of(const char *path, const char *who)
{
    static char ids[8][64];
    static size_t next;
    char *id = ids[next++ % SOSIA_LEN(ids)];
    struct sosia_response *r = request("POST", path, &(struct as){.who = who}, INITIALIZE);
    assert_int_equal(r->status, 200);
    snprintf(id, 64, "%s", header_of(r, "Mcp-Session-Id"));
    assert_true(*id);
    sosia_response_free(r);
    return id;
}

/* The id of the server's request in a stream. */
static inline const char *asked_id(const char *events)
{
    static char id[40];
    const char *at = strstr(events, "\"id\":\"sosia-");
    assert_non_null(at);
    assert_int_equal(sscanf(at, "\"id\":\"%39[^\"]\"", id), 1);
    return id;
}

static inline int answer(const char *path, const struct as *as, const char *id, const char *result)
{
    char body[600];
    snprintf(body, sizeof body, "{\"jsonrpc\":\"2.0\",\"id\":\"%s\",%s}", id, result);
    return status_of("POST", path, as, body);
}

#endif
