/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Everything that leaves: answers as they are given, plus what belongs to the connection and not to
 * the service: Date where there is none, compression, cross-origin fields, counting, the request
 * log.
 */
#include "engine/base/utf8.h"
#include "engine/json/json.h"
#include "server/host.h"
#include "server/internal.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

static const char METHODS[] = "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS";

/* What the answer's own fields say that matters here. */
struct known {
    bool date, allow_origin, encoded, ranged, compressible;
    bool sandboxed, nosniff; /* by its own policy */
    const char *type;
    const char *vary[4];
    size_t n_vary;
};

static bool is(const char *name, const char *other)
{
    return strcasecmp(name, other) == 0;
}

static bool type_compresses(const char *type)
{
    static const char *const TYPES[] = {"application/json", "text/", "application/javascript",
                                        "application/xml", "application/openapi"};
    for (size_t i = 0; i < SOSIA_LEN(TYPES); i++)
        if (strncasecmp(type, TYPES[i], strlen(TYPES[i])) == 0)
            return true;
    return false;
}

static void look(struct known *k, const struct answer *a)
{
    k->type = a->content_type;
    for (size_t i = 0; i < a->n_headers; i++) {
        const struct sosia_header *h = &a->headers[i];
        switch (h->name[0] | 0x20) {
        case 'a':
            k->allow_origin |= is(h->name, "Access-Control-Allow-Origin");
            break;
        case 'c':
            if (is(h->name, "Content-Type"))
                k->type = h->value;
            k->encoded |= is(h->name, "Content-Encoding");
            k->ranged |= is(h->name, "Content-Range");
            k->sandboxed |=
                is(h->name, "Content-Security-Policy") && strstr(h->value, "sandbox") != NULL;
            break;
        case 'd':
            k->date |= is(h->name, "Date");
            break;
        case 'v':
            if (is(h->name, "Vary") && k->n_vary < SOSIA_LEN(k->vary))
                k->vary[k->n_vary++] = h->value;
            break;
        case 'x':
            k->nosniff |= is(h->name, "X-Content-Type-Options");
            break;
        }
    }
    k->compressible =
        k->type && !a->pulled && !a->said && !k->encoded && !k->ranged && type_compresses(k->type);
}

/* Whether an Accept-Encoding takes gzip: named, or covered by *, with a q that isn't 0. */
static bool accepts_gzip(const char *list)
{
    bool any = false;
    while (*list) {
        list += strspn(list, ", \t");
        size_t n = strcspn(list, ",; \t");
        bool gzip = (n == 4 && strncasecmp(list, "gzip", 4) == 0) ||
                    (n == 6 && strncasecmp(list, "x-gzip", 6) == 0);
        bool star = n == 1 && *list == '*';
        const char *end = list + strcspn(list, ",");
        const char *q = list + n;
        bool zero = false;
        q += strspn(q, "; \t");
        if (q < end && (*q == 'q' || *q == 'Q') && q[1] == '=') {
            q += 2;
            zero = *q == '0';
            for (q += zero; q < end && *q != ' ' && *q != '\t'; q++)
                if (*q != '0' && *q != '.')
                    zero = false;
        }
        if (gzip)
            return !zero;
        any |= star && !zero;
        list = end;
    }
    return any;
}

/* The body packed, in malloc'd memory; NULL: not worth it, or no memory: the answer goes out as it
 * is. */
static char *pack(struct thread *t, const char *body, size_t len, size_t *ret_len)
{
    if (len > UINT32_MAX)
        return NULL;
    if (!t->has_deflater) {
        if (deflateInit2(&t->deflater, 1, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK)
            return NULL;
        t->has_deflater = true;
    } else if (deflateReset(&t->deflater) != Z_OK) {
        return NULL;
    }
    char *out = malloc(len);
    if (!out)
        return NULL;
    t->deflater.next_in = (Bytef *)(uintptr_t)body;
    t->deflater.avail_in = (uInt)len;
    t->deflater.next_out = (Bytef *)out;
    t->deflater.avail_out = (uInt)len;
    if (deflate(&t->deflater, Z_FINISH) != Z_STREAM_END) {
        free(out);
        return NULL;
    }
    *ret_len = len - t->deflater.avail_out;
    return out;
}

bool answer_takes_gzip(const struct request *r)
{
    return r->fields.accept_encoding && accepts_gzip(r->fields.accept_encoding);
}

/* What this machine asks the control interface for goes no way that packing would make shorter. */
static bool stays_here(const struct request *r)
{
    const char *field = r->fields.host;
    struct host host;
    return r->control && field && !r->fields.forwarded_proto && !r->fields.forwarded_host &&
           host_parse(field, strlen(field), &host) == 0 && host_is_loopback(&host);
}

static bool wants_packed(struct request *r, const struct known *k, size_t len)
{
    return k->compressible && len >= http_conn(r)->server->gzip_min && answer_takes_gzip(r) &&
           !stays_here(r);
}

bool answer_is_large(struct request *r, const struct answer *a)
{
    struct known k = {0};
    if (a->body_len <= LARGE_BODY || r->pack_tried)
        return false;
    look(&k, a);
    return wants_packed(r, &k, a->body_len);
}

void answer_pack(struct request *r, const struct answer *a)
{
    struct thread *t = server_thread(http_conn(r)->server);
    r->pack_tried = true;
    if (t)
        r->packed = pack(t, a->body, a->body_len, &r->packed_len);
}

static void release(struct answer *a)
{
    if (a->free_body)
        a->free_body(a->free_arg);
    a->free_body = NULL;
}

static const char *date_now(struct thread *t)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME_COARSE, &now);
    if (now.tv_sec != t->date_at) {
        struct tm tm;
        gmtime_r(&now.tv_sec, &tm);
        strftime(t->date, sizeof t->date, "%a, %d %b %Y %H:%M:%S GMT", &tm);
        t->date_at = now.tv_sec;
    }
    return t->date;
}

static bool list_has(const char *list, const char *item)
{
    size_t n = strlen(item);
    while (*list) {
        list += strspn(list, ", \t");
        size_t m = strcspn(list, ", \t");
        if ((m == n && strncasecmp(list, item, n) == 0) || (m == 1 && *list == '*'))
            return true;
        list += m;
    }
    return false;
}

/* More that the answer depends on, unless its own Vary fields say so. Who says anything knows of
 * codings too: vendors' own answers are packed without a word of it. */
static bool add_vary(struct MHD_Response *response, const struct known *k, bool encoding,
                     bool origin)
{
    for (size_t i = 0; i < k->n_vary; i++) {
        origin = origin && !list_has(k->vary[i], "Origin");
    }
    encoding = encoding && !k->n_vary;
    if (!encoding && !origin)
        return true;
    const char *value =
        encoding && origin ? "Origin, Accept-Encoding" : (encoding ? "Accept-Encoding" : "Origin");
    return MHD_add_response_header(response, "Vary", value) == MHD_YES;
}

/* Fields of the answer's own; those that say how it travels are libmicrohttpd's. */
static bool add_own(struct MHD_Response *response, const struct answer *a)
{
    for (size_t i = 0; i < a->n_headers; i++) {
        const struct sosia_header *h = &a->headers[i];
        char c = h->name[0] | 0x20;
        if ((c == 'c' && (is(h->name, "Content-Length") || is(h->name, "Connection"))) ||
            (c == 't' && is(h->name, "Transfer-Encoding")) || !h->value[0])
            continue;
        if (MHD_add_response_header(response, h->name, h->value) != MHD_YES)
            return false;
    }
    return true;
}

/* Pages of other origins may read what the services answer, as they may with the vendors; the
 * control interface answers pages of this machine only. */
static bool allows_origin(const struct request *r)
{
    return r->fields.origin && (!r->control || control_origin_allowed(r));
}

static bool add_fields(struct request *r, struct MHD_Response *response, const struct answer *a,
                       const struct known *k, struct thread *t, bool packed)
{
    const struct server *s = http_conn(r)->server;
    bool ok = add_own(response, a);
    if (a->content_type)
        ok = ok && MHD_add_response_header(response, "Content-Type", a->content_type);
    if (!k->date)
        ok = ok && MHD_add_response_header(response, "Date", date_now(t));
    if (packed)
        ok = ok && MHD_add_response_header(response, "Content-Encoding", "gzip");
    struct sosia_header guard[GUARD_FIELDS];
    size_t n_guard = guard_fields(r, k->sandboxed, k->nosniff, guard);
    for (size_t i = 0; i < n_guard; i++)
        ok = ok && MHD_add_response_header(response, guard[i].name, guard[i].value);
    bool cors = !k->allow_origin && allows_origin(r);
    if (cors) {
        ok = ok &&
             MHD_add_response_header(response, "Access-Control-Allow-Origin", r->fields.origin);
        ok = ok && MHD_add_response_header(response, "Access-Control-Expose-Headers", "*");
    }
    if (cors || (k->compressible && a->body_len >= s->gzip_min))
        ok = ok && add_vary(response, k, k->compressible && a->body_len >= s->gzip_min, cors);
    if (r->last || atomic_load_explicit(&s->stopping, memory_order_relaxed))
        ok = ok && MHD_add_response_header(response, "Connection", "close");
    return ok;
}

static void log_request(struct request *r, const struct answer *a, uint64_t us)
{
    struct log_line line;
    log_begin_always(&line, &http_conn(r)->server->log, "request");
    log_str(&line, "method", r->head ? "HEAD" : r->method ? r->method : "");
    log_num(&line, "status", a->status);
    log_num(&line, "us", (int64_t)us);
    log_num(&line, "in", (int64_t)r->body_seen);
    log_num(&line, "out", (int64_t)a->body_len);
    log_str(&line, "target", r->target);
    log_end(&line);
}

static void count_answer(struct request *r, const struct answer *a, struct thread *t, size_t sent)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    uint64_t ns = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec - r->start_ns;
    uint64_t us = ns / 1000;
    unsigned bucket = us ? 64 - (unsigned)__builtin_clzll(us) : 0;
    if (bucket >= SERVER_LATENCY_BUCKETS)
        bucket = SERVER_LATENCY_BUCKETS - 1;
    count(&t->requests, 1);
    if (r->control)
        count(&t->control_requests, 1);
    count(&t->status[a->status > 0 && a->status < 600 ? a->status : 0], 1);
    count(&t->bytes_in, r->body_seen);
    count(&t->bytes_out, r->head ? 0 : sent);
    count(&t->latency[bucket], 1);
    count(&t->latency_us, us);
    if (http_conn(r)->server->log_requests)
        log_request(r, a, us);
}

/* The last resort: an answer that can't be put into words closes the connection. */
static enum MHD_Result unsendable(struct request *r, struct answer *a)
{
    struct log_line line;
    log_begin(&line, &http_conn(r)->server->log, SERVER_LOG_ERROR, "an answer can't be sent");
    log_num(&line, "status", a->status);
    log_str(&line, "target", r->target);
    log_end(&line);
    release(a);
    return MHD_NO;
}

/* A large answer, piece by piece as the client takes it; each MiB has its own deadline. */
static ssize_t pull(void *cls, uint64_t at, char *to, size_t size)
{
    struct request *r = cls;
    int64_t n = r->sending->read(r->sending, (int64_t)at, to, size);
    if (at >> 20 != (at + (uint64_t)(n > 0 ? n : 0)) >> 20)
        http_phase(http_conn(r), PHASE_ANSWER);
    return n > 0   ? (ssize_t)n
           : n < 0 ? MHD_CONTENT_READER_END_WITH_ERROR
                   : MHD_CONTENT_READER_END_OF_STREAM;
}

#define PULL_SHORT 4096
#define PULL_LEAST (64 << 10)  /* need not be in the budget of bodies */
#define PULL_MOST  (256 << 10) /* so that client and server wake each other seldom */

/* Bytes of a piece of an answer of len. */
static size_t piece_of(size_t len, size_t most)
{
    return len < PULL_SHORT ? PULL_SHORT : len < most ? len : most;
}

/* The same of an answer that is pulled: in the budget, or short where that has no room. */
static size_t pull_piece(struct request *r, size_t len)
{
    size_t n = piece_of(len, PULL_MOST);
    return n <= PULL_LEAST || body_count_answer(r, n) ? n : PULL_LEAST;
}

static struct MHD_Response *respond(struct request *r, struct answer *a, char *packed, size_t len)
{
    if (packed)
        return MHD_create_response_from_buffer_with_free_callback(len, packed, free);
    if (a->pulled && a->pulled->stream)
        return stream_respond(r);
    if (a->said)
        return MHD_create_response_from_callback(a->said, piece_of(a->said, PULL_LEAST), delay_half,
                                                 r, a->free_body);
    if (a->pulled)
        return MHD_create_response_from_callback(len, pull_piece(r, len), pull, r, a->free_body);
    return MHD_create_response_from_buffer_with_free_callback_cls(len, a->body, a->free_body,
                                                                  a->free_arg);
}

enum MHD_Result answer_send(struct request *r, const struct answer *given)
{
    struct conn *c = http_conn(r);
    struct thread *t = server_thread(c->server);
    struct answer a = *given;
    struct known k = {0};
    char *packed = NULL;
    size_t len = a.body_len;
    if (!t)
        return unsendable(r, &a);
    look(&k, &a);
    r->large |= len > LARGE_BODY;
    if (r->packed) {
        packed = r->packed;
        len = r->packed_len;
        r->packed = NULL;
    } else if (!r->pack_tried && wants_packed(r, &k, len)) {
        packed = pack(t, a.body, a.body_len, &len);
    }
    body_done(r); /* a client that is slow to read need not hold what it sent */
    if (!a.pulled && !body_count_answer(r, len)) {
        free(packed);
        release(&a);
        return answer_error(r, 503, "unavailable",
                            "The server holds too many large answers at the moment.");
    }
    struct MHD_Response *response = respond(r, &a, packed, len);
    if (!response) {
        free(packed);
        return unsendable(r, &a);
    }
    bool ok = add_fields(r, response, &a, &k, t, packed);
    if (!packed)
        a.free_body = NULL; /* libmicrohttpd frees it with the response */
    if (!ok) {
        MHD_destroy_response(response);
        return unsendable(r, &a);
    }
    r->step = STEP_ANSWERED;
    http_phase(c, PHASE_ANSWER);
    count_answer(r, &a, t, len);
    release(&a);
    enum MHD_Result result = MHD_queue_response(r->mhd, (unsigned)a.status, response);
    MHD_destroy_response(response);
    return result;
}

static void buf_release(void *arg)
{
    free(arg);
}

enum MHD_Result answer_upgrade(struct request *r, struct sosia_response *agreement,
                               const char *accept, MHD_UpgradeHandler fn, void *arg)
{
    struct server *s = http_conn(r)->server;
    struct thread *t = server_thread(s);
    struct answer a = answer_of(r, agreement);
    struct known k = {0};
    enum MHD_Result result = MHD_NO;
    struct MHD_Response *response = t ? MHD_create_response_for_upgrade(fn, arg) : NULL;
    a.status = MHD_HTTP_SWITCHING_PROTOCOLS;
    a.content_type = NULL;
    a.body_len = 0;
    look(&k, &a);
    if (response && add_fields(r, response, &a, &k, t, false) &&
        MHD_add_response_header(response, "Upgrade", "websocket") &&
        MHD_add_response_header(response, "Sec-WebSocket-Accept", accept)) {
        r->step = STEP_ANSWERED;
        http_phase(http_conn(r), PHASE_ANSWER);
        count_answer(r, &a, t, 0);
        result = MHD_queue_response(r->mhd, MHD_HTTP_SWITCHING_PROTOCOLS, response);
    }
    if (response)
        MHD_destroy_response(response);
    s->backend.free_response(agreement);
    return result;
}

/* What belongs to a refusal with this status; NULL: nothing. */
static const struct sosia_header *error_header(int status)
{
    static const struct sosia_header ALLOW = {"Allow", METHODS};
    static const struct sosia_header CHALLENGE = {"WWW-Authenticate", "Bearer"};
    static const struct sosia_header VERSION = {"Sec-WebSocket-Version", "13"};
    return status == 405 ? &ALLOW : status == 401 ? &CHALLENGE : status == 426 ? &VERSION : NULL;
}

/* A text may quote a path, which may have any bytes. NULL without memory. */
static char *error_body(int status, const char *reason, const char *text, size_t *ret_len)
{
    struct json_writer w;
    char valid[400];
    struct buf b;
    snprintf(valid, sizeof valid, "%s", text);
    utf8_scrub(valid);
    json_start(&w, &b);
    json_obj(&w, NULL);
    json_obj(&w, "error");
    json_int(&w, "code", status);
    json_str(&w, "reason", reason);
    json_str(&w, "message", valid);
    json_end(&w);
    json_end(&w);
    buf_byte(&b, '\n');
    char *body = buf_take(&b, ret_len);
    buf_done(&b);
    return body;
}

enum MHD_Result answer_error(struct request *r, int status, const char *reason, const char *text)
{
    struct log_line line;
    size_t n;
    char *body = error_body(status, reason, text, &n);
    log_begin(&line, &http_conn(r)->server->log, SERVER_LOG_DEBUG, "request refused");
    log_num(&line, "status", status);
    log_str(&line, "reason", reason);
    log_str(&line, "target", r->target);
    log_end(&line);
    if (!body)
        return MHD_NO;
    const struct sosia_header *more = error_header(status);
    return answer_send(r, &(struct answer){.status = status,
                                           .content_type = "application/json; charset=UTF-8",
                                           .headers = more,
                                           .n_headers = more != NULL,
                                           .body = body,
                                           .body_len = n,
                                           .free_body = buf_release,
                                           .free_arg = body});
}

/* A connection sends one answer at a time, and libmicrohttpd is done with it before the next
 * request. */
static void engine_release(void *arg)
{
    struct request *r = arg;
    struct sosia_response *sent = r->sending;
    r->sending = NULL;
    http_conn(r)->server->backend.free_response(sent);
}

struct answer answer_of(struct request *r, const struct sosia_response *response)
{
    return (struct answer){
        .status = response->status,
        .headers = response->headers,
        .n_headers = response->n_headers,
        .body = (char *)(uintptr_t)response->body,
        .body_len = response->read ? (size_t)response->length : response->body_len,
        .pulled = response->read || response->stream ? (struct sosia_response *)(uintptr_t)response
                                                     : NULL,
        .said = response->wire == SOSIA_WIRE_CUT ? (size_t)response->said : 0,
        .free_body = engine_release,
        .free_arg = r};
}

/* What a person would otherwise search for: the service's own words say nothing. */
static void log_refusal(struct request *r, const struct sosia_response *response)
{
    struct log_line line;
    log_begin(&line, &http_conn(r)->server->log, SERVER_LOG_WARN, "call refused");
    log_str(&line, "method", r->head ? "HEAD" : r->method);
    log_num(&line, "status", response->status);
    log_str(&line, "why", response->why);
    log_str(&line, "path", arena_memdup(&r->arena, r->target, strcspn(r->target, "?")));
    log_end(&line);
}

enum MHD_Result answer_engine(struct request *r, struct sosia_response *response)
{
    const struct answer a = answer_of(r, response);
    if (response->why)
        log_refusal(r, response);
    r->sending = response;
    return answer_send(r, &a);
}

enum MHD_Result answer_options(struct request *r)
{
    struct sosia_header headers[6];
    size_t n = 0;
    r->control = control_takes(r);
    r->control_response.body = NULL;
    if (r->fields.origin && r->fields.cors_method) {
        if (!allows_origin(r))
            return answer_error(r, 403, "originNotAllowed",
                                "This origin may not use this interface.");
        headers[n++] = (struct sosia_header){"Access-Control-Allow-Methods", METHODS};
        if (r->fields.cors_headers)
            headers[n++] =
                (struct sosia_header){"Access-Control-Allow-Headers", r->fields.cors_headers};
        headers[n++] = (struct sosia_header){"Access-Control-Max-Age", "3600"};
        headers[n++] = (struct sosia_header){
            "Vary", "Origin, Access-Control-Request-Method, Access-Control-Request-Headers"};
    } else {
        headers[n++] = (struct sosia_header){"Allow", METHODS};
    }
    return answer_send(r, &(struct answer){.status = 204, .headers = headers, .n_headers = n});
}
