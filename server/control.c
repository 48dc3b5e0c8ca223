/* SPDX-License-Identifier: Apache-2.0 */
/*
 * "/_sosia/": who may use the control interface, and how its answers are made. What it does is the
 * control function's business.
 *
 * It is a principal of its own: the control key opens it, and no token that the engine knows does.
 * What is beside it (struct server_beside) is answered the same way, but for the key.
 */
#include "engine/json/json.h"
#include "engine/text/utf8.h"
#include "server/host.h"
#include "server/internal.h"
#include <gnutls/gnutls.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define PREFIX    "/_sosia/"
#define JSON_TYPE "application/json; charset=UTF-8"

static bool is_control(const struct request *r)
{
    return strncmp(r->target, PREFIX, sizeof PREFIX - 1) == 0;
}

bool control_at_vendor(const struct request *r)
{
    struct host host;
    const struct server *s = http_conn((struct request *)(uintptr_t)r)->server;
    const char *field = r->fields.host;
    if (!field || host_parse(field, strlen(field), &host) < 0)
        return false;
    for (const char *const *p = s->vendor_hosts; p && *p; p++)
        if (host_matches(*p, host.name))
            return true;
    return false;
}

bool control_takes(const struct request *r)
{
    const struct conn *c = http_conn((struct request *)(uintptr_t)r);
    const struct server *s = c->server;
    if (http_is_inside(c))
        return false;
    /* The page is the console's origin's alone: what services serve is not guarded on their hosts.
     */
    if (page_is_for(r) || (!is_control(r) && s->beside.is_for && s->beside.is_for(r->target)))
        return !control_at_vendor(r);
    return is_control(r);
}

/* ---- for control functions ---- */

void *server_alloc(const struct server_request *request, size_t size)
{
    struct request *r = request->internal;
    return arena_alloc(&r->arena, size);
}

static const char INTERNAL[] = "{\"error\":{\"code\":500,\"reason\":\"internal\",\"message\":\"The "
                               "answer could not be made.\"}}\n";

static void no_free(void *arg)
{
}

static void drop_body(struct server_response *response)
{
    if (!response->body)
        return;
    if (response->free_body)
        response->free_body(response->free_arg ? response->free_arg : response->body);
    else
        free(response->body);
    response->body = NULL;
}

static void answer_internal(struct server_response *response)
{
    drop_body(response);
    response->status = 500;
    response->content_type = JSON_TYPE;
    response->body = (char *)(uintptr_t)INTERNAL;
    response->body_len = sizeof INTERNAL - 1;
    response->free_body = no_free;
    response->free_arg = NULL;
    response->n_headers = 0;
}

void server_answer_buf(struct server_response *response, int status, struct buf *body)
{
    drop_body(response);
    response->status = status;
    response->free_body = NULL;
    response->free_arg = NULL;
    response->body = buf_take(body, &response->body_len);
    buf_done(body);
    if (!response->body)
        answer_internal(response);
}

void server_answer_blob(struct server_response *response, int status, struct sosia_blob *blob)
{
    drop_body(response);
    response->status = status;
    response->body = blob->data;
    response->body_len = blob->len;
    response->free_body = NULL; /* a blob's bytes come from malloc() */
    response->free_arg = NULL;
    blob->data = NULL;
    blob->len = 0;
}

/* Messages may quote what came in. */
static void make_valid(char *text)
{
    size_t n = strlen(text);
    for (size_t i = 0; i < n;) {
        unsigned k = utf8_sequence(text + i, n - i);
        if (!k)
            text[i] = '?';
        i += k ? k : 1;
    }
}

static void answer_text(struct server_response *response, int status, const char *reason,
                        const char *where, int line, char *message)
{
    struct buf b;
    struct json_writer w;
    buf_init(&b, 0);
    make_valid(message);
    json_init(&w, &b, false, NULL);
    json_obj(&w, NULL);
    json_obj(&w, "error");
    json_int(&w, "code", status);
    json_str(&w, "reason", reason);
    json_str(&w, "message", message);
    if (line)
        json_int(&w, "line", line);
    json_str_opt(&w, "field", where);
    json_end(&w);
    json_end(&w);
    buf_byte(&b, '\n');
    response->content_type = JSON_TYPE;
    server_answer_buf(response, status, &b);
}

void server_answer_error(struct server_response *response, int status, const char *reason,
                         const char *fmt, ...)
{
    char text[400];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    answer_text(response, status, reason, NULL, 0, text);
}

/* NOT_FOUND becomes "notFound". */
static void camel(char *ret_text, const char *name)
{
    bool upper = false;
    for (; *name; name++) {
        if (*name == '_') {
            upper = true;
            continue;
        }
        *ret_text++ = (char)(upper ? *name : *name | 0x20);
        upper = false;
    }
    *ret_text = 0;
}

void server_answer_err(struct server_response *response, const struct sosia_err *err)
{
    char text[sizeof err->text], reason[64];
    memcpy(text, err->text, sizeof text);
    text[sizeof text - 1] = 0;
    camel(reason, sosia_code_name(err->code));
    answer_text(response, sosia_code_status(err->code), err->reason ? err->reason : reason,
                err->where, err->line, text);
}

/* ---- access ---- */

bool control_origin_allowed(const struct request *r)
{
    struct server *s = http_conn((struct request *)(uintptr_t)r)->server;
    const char *field = r->fields.host;
    struct host host, own;
    bool https;
    if (host_parse_origin(r->fields.origin, &https, &host) < 0)
        return false;
    if (host_is_loopback(&host))
        return true;
    for (char **p = s->hosts; *p; p++)
        if (host_matches(*p, host.name))
            return true;
    /* A page of this server's own, by the name that the request has: what a header field says was
     * forwarded may be anybody's. */
    return field && host_parse(field, strlen(field), &own) == 0 &&
           strcmp(own.name, host.name) == 0 && own.port == host.port;
}

/* Takes as long for any wrong key of the right length. */
static bool is_key(const char *key, const char *token)
{
    size_t n = strlen(key);
    return strlen(token) == n && gnutls_memcmp(key, token, n) == 0;
}

bool server_is_key(const struct server_request *request, const char *key)
{
    return is_key(http_conn(request->internal)->server->control_key, key);
}

bool server_session_make(const struct server_request *request, bool read_only, int64_t expires_s,
                         char ret_session[SERVER_SESSION_MAX])
{
    return session_make(http_conn(request->internal)->server->control_key, read_only, expires_s,
                        ret_session);
}

static bool is_public(const char *path)
{
    return strcmp(path, PREFIX "v1/health") == 0 || strcmp(path, PREFIX "v1/openapi.json") == 0 ||
           strcmp(path, PREFIX "v1/console/sessions") == 0;
}

/* 0, or the status to refuse it with. */
static int check_access(struct request *r, const char **ret_reason, const char **ret_text)
{
    const char *token = r->fields.authorization;
    r->read_only = false;
    r->ends_s = 0;
    if (r->fields.origin && !control_origin_allowed(r)) {
        *ret_reason = "originNotAllowed";
        *ret_text = "This origin may not use the control interface.";
        return 403;
    }
    if (is_public(r->target))
        return 0;
    *ret_reason = "unauthenticated";
    if (!token || strncasecmp(token, "Bearer ", 7) != 0) {
        *ret_text = "The control interface wants the control key: Authorization: Bearer KEY.";
        return 401;
    }
    token += 7 + strspn(token + 7, " ");
    if (is_key(http_conn(r)->server->control_key, token))
        return 0;
    if (session_is_one(token)) {
        if (session_good(http_conn(r)->server->control_key, token, &r->read_only, &r->ends_s))
            return 0;
        *ret_reason = "sessionOver";
        *ret_text = "This session is over, or is none of this server's.";
        return 401;
    }
    if (str_starts(token, "sosia_")) {
        *ret_reason = "forbidden";
        *ret_text = "An actor's token does not open the control interface.";
        return 403;
    }
    *ret_text = "This is not the control key.";
    return 401;
}

static struct server_request request_of(struct request *r, bool on_worker)
{
    return (struct server_request){
        .method = r->method,
        .path = r->target,
        .query = r->query,
        .headers = r->headers,
        .n_headers = r->n_headers,
        .body = r->view   ? r->view
                : r->body ? r->body
                          : "",
        .body_len = r->body_len,
        .base_url = r->base_url,
        .on_worker = on_worker,
        .read_only = r->read_only,
        .ends_s = r->ends_s,
        .kept = r->control_kept,
        .server = http_conn(r)->server,
        .internal = r,
    };
}

static bool page_refused(const struct request *r)
{
    return r->fields.origin && !control_origin_allowed(r);
}

/* The target is split into path and query, for as long as the call takes. */
static bool beside_refused(struct request *r)
{
    const struct server_beside *b = &http_conn(r)->server->beside;
    char *query = strchr(r->target, '?');
    if (query)
        *query = 0;
    r->query = query ? query + 1 : "";
    const struct server_request head = request_of(r, false);
    bool refused = page_refused(r) || (b->refused && b->refused(b->arg, &head));
    if (query)
        *query = '?';
    return refused;
}

bool control_refused(struct request *r)
{
    const char *reason, *text;
    return is_control(r) ? check_access(r, &reason, &text) != 0 : beside_refused(r);
}

/* ---- serving ---- */

/* A text and spaces behind it: memory that nobody asked for is not touched. */
static char *hello_body(struct server *s, size_t size)
{
    if (atomic_load_explicit(&s->hello_len, memory_order_acquire) >= size)
        return s->hello;
    pthread_mutex_lock(&s->lock);
    size_t len = atomic_load_explicit(&s->hello_len, memory_order_relaxed);
    if (len < size) {
        memset(s->hello + len, ' ', size - len);
        atomic_store_explicit(&s->hello_len, size, memory_order_release);
    }
    pthread_mutex_unlock(&s->lock);
    return s->hello;
}

/* The header fields are those that an answer of a service has. What this costs is what HTTP costs.
 */
static enum MHD_Result hello(struct request *r)
{
    static const struct sosia_header HEADERS[] = {
        {"Content-Type", "application/json; charset=UTF-8"},
        {"Vary", "Origin, X-Origin, Referer"},
        {"Cache-Control", "private, max-age=0, must-revalidate, no-transform"},
        {"ETag", "\"3181159875584000\""},
        {"Server", "ESF"},
        {"X-Content-Type-Options", "nosniff"},
        {"X-Frame-Options", "SAMEORIGIN"},
        {"X-XSS-Protection", "0"},
    };
    int64_t size = 512;
    if (str_starts(r->query, "size=") &&
        (parse_i64(r->query + 5, strlen(r->query + 5), &size) < 0 || size < 20 ||
         size > SERVER_HELLO_MAX))
        return answer_error(r, 400, "badRequest", "size is a number from 20 to 1048576.");
    return answer_send(r, &(struct answer){.status = 200,
                                           .headers = HEADERS,
                                           .n_headers = SOSIA_LEN(HEADERS),
                                           .body = hello_body(http_conn(r)->server, (size_t)size),
                                           .body_len = (size_t)size});
}

static void drop_kept(struct request *r)
{
    if (r->control_kept)
        r->control_kept->free(r->control_kept);
    r->control_kept = NULL;
}

static void call_control(struct request *r, bool on_worker)
{
    struct server *s = http_conn(r)->server;
    const struct server_request request = request_of(r, on_worker);
    memset(&r->control_response, 0, sizeof r->control_response);
    r->control_response.status = 200;
    r->control_response.content_type = JSON_TYPE;
    r->control_result = is_control(r)
                            ? s->control(s->control_arg, &request, &r->control_response)
                            : s->beside.serve(s->beside.arg, &request, &r->control_response);
    drop_kept(r);
    r->control_kept = r->control_response.kept;
    if (arena_failed(&r->arena))
        r->control_result = -1;
}

/* The request is one to a world from here on: with another target, and another credential in the
 * place of its own. */
static int forward(struct request *r)
{
    const struct server_call *call = r->control_response.call;
    struct sosia_header *headers = arena_alloc(&r->arena, (r->n_headers + 1) * sizeof *headers);
    size_t n = 0;
    if (arena_failed(&r->arena))
        return -1;
    for (size_t i = 0; i < r->n_headers; i++)
        if (strcasecmp(r->headers[i].name, "Authorization") != 0)
            headers[n++] = r->headers[i];
    headers[n++] = (struct sosia_header){"Authorization", call->authorization};
    r->headers = headers;
    r->n_headers = n;
    r->target = (char *)(uintptr_t)call->target;
    r->control = false;
    return 0;
}

static enum MHD_Result goes_on(struct request *r)
{
    if (r->control_result == SERVER_FORWARD && forward(r) == 0)
        return http_go_on(r);
    return r->control_result == SERVER_SLOW ? http_to_worker(r, JOB_CONTROL) : control_send(r);
}

enum MHD_Result control_handle(struct request *r)
{
    struct server *s = http_conn(r)->server;
    const char *reason, *text;
    char *query = strchr(r->target, '?');
    r->control_response.body = NULL;
    r->query = "";
    if (query) {
        *query = 0;
        r->query = query + 1;
    }
    if (page_is_for(r))
        return page_handle(r);
    if (s->hello && strcmp(r->target, PREFIX "hello") == 0)
        return hello(r);
    if (!is_control(r) && page_refused(r))
        return answer_error(r, 403, "originNotAllowed", "This origin may not use this interface.");
    int status = is_control(r) ? check_access(r, &reason, &text) : 0;
    if (status)
        return answer_error(r, status, reason, text);
    if (is_control(r) && !s->control)
        return answer_error(r, 404, "notFound", "There is nothing here.");
    call_control(r, false);
    return goes_on(r);
}

/* Borrows the response's body, or, to send it, owns it. */
static struct answer answer_of_control(const struct request *r)
{
    const struct server_response *response = &r->control_response;
    return (struct answer){
        .status = response->status,
        .headers = response->headers,
        .n_headers = response->n_headers,
        .content_type = response->body_len ? response->content_type : NULL,
        .body = response->body,
        .body_len = response->body_len,
        .free_body = response->body ? (response->free_body ? response->free_body : free) : NULL,
        .free_arg = response->free_arg ? response->free_arg : response->body,
    };
}

/* Goes on as any request to a world: nothing waits in between. */
static void call_world(struct request *r)
{
    const struct server_call *call = r->control_response.call;
    const struct sosia_header headers[] = {{"Authorization", call->authorization},
                                           {"Content-Type", call->content_type}};
    const struct sosia_request request = {.method = "POST",
                                          .target = call->target,
                                          .headers = headers,
                                          .n_headers = SOSIA_LEN(headers),
                                          .body = call->body,
                                          .body_len = call->body_len,
                                          .base_url = r->base_url};
    r->control = false;
    http_ask(r, &request);
}

void control_work(struct request *r)
{
    call_control(r, true);
    if (r->control_result == SERVER_CALL && http_conn(r)->server->backend.call) {
        call_world(r);
        return;
    }
    if (r->control_result == SERVER_FORWARD && forward(r) == 0) {
        const struct sosia_request request = http_request_of(r);
        http_ask(r, &request);
        return;
    }
    if (r->control_result == SERVER_SLOW)
        r->control_result = -1;
    const struct answer a = answer_of_control(r);
    if (r->control_result == 0 && answer_is_large(r, &a))
        answer_pack(r, &a);
    http_done(r);
}

enum MHD_Result control_send(struct request *r)
{
    struct sosia_response *answer = r->control_response.answer;
    r->control_response.answer = NULL;
    if (r->control_result == SERVER_ANSWER && answer)
        return answer_engine(r, answer);
    if (r->control_result != 0)
        answer_internal(&r->control_response);
    const struct answer a = answer_of_control(r);
    r->control_response.body = NULL;
    return answer_send(r, &a);
}

void control_drop(struct request *r)
{
    drop_kept(r);
    if (r->control_response.answer)
        http_conn(r)->server->backend.free_response(r->control_response.answer);
    r->control_response.answer = NULL;
    drop_body(&r->control_response);
}
