/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Batches: many calls in one request, each a call of its own. The body is read whole before the
 * first part is served, so a malformed one changes nothing. The batch's own headers (but those
 * about its content) and query count for every part that does not say otherwise.
 */
#include "vendors/google/internal.h"
#include "engine/http/multipart.h"
#include "engine/base/codec.h"
#include <stdlib.h>
#include <strings.h>
#include <xxhash.h>

#define MIXED_MAX 100 /* parts of a batch that names no API */
/* With so many bytes a response is full: further parts are not served. The last one may exceed
 * it. */
#define ANSWER_MAX (32u << 20)

static int refuse_batch(struct call *c, const char *what)
{
    return call_fail(c, SOSIA_E_INVALID, "frontEnd", NULL,
                     "Failed to parse batch request, error: %s.", what);
}

/* ---- a part's request ---- */

struct batch_part {
    const char *id; /* Content-ID; NULL: none */
    struct http_part http;
};

/* Path of a target, behind scheme and host; "" without one. */
static const char *behind_host(const char *target)
{
    if (*target != '/') {
        const char *rest = strstr(target, "://");
        target = rest ? strchr(rest + 3, '/') : NULL;
    }
    return target ? target : "";
}

/* The same behind the world's prefix too. */
static const char *path_of(const char *target)
{
    const char *path = behind_host(target);
    if (str_starts(path, "/w/"))
        path = strchr(path + 3, '/');
    return path ? path : "";
}

static int read_part(struct call *c, const struct part *p, struct batch_part *ret)
{
    struct arena *a = c->tx.arena;
    const char *type = part_header(a, p, "Content-Type");
    struct sosia_err err = {0};
    ret->id = part_header(a, p, "Content-ID");
    if (!type || strncasecmp(type, "application/http", 16) != 0)
        return refuse_batch(c, "a part is not of the type application/http");
    if (http_part_parse(a, p->body, p->body_len, &ret->http, &err) < 0)
        return refuse_batch(c, err.text);
    return 0;
}

static bool part_has_header(const struct http_part *h, const char *name)
{
    for (size_t i = 0; i < h->n_headers; i++)
        if (str_eq_nocase(h->headers[i].name, name))
            return true;
    return false;
}

/* Headers of the batch that say something about the batch only. */
static bool outer_only(const char *name)
{
    static const char *const names[] = {"Accept-Encoding",
                                        "Connection",
                                        "Expect",
                                        "If-Match",
                                        "If-None-Match",
                                        "Transfer-Encoding",
                                        "X-HTTP-Method-Override"};
    for (size_t i = 0; i < SOSIA_LEN(names); i++)
        if (str_eq_nocase(name, names[i]))
            return true;
    return strncasecmp(name, "Content-", 8) == 0;
}

static void part_request(struct call *c, const struct http_part *h, struct sosia_request *ret)
{
    const struct sosia_request *outer = c->request;
    struct sosia_header *headers =
        arena_calloc(c->tx.arena, h->n_headers + outer->n_headers + 1, sizeof *headers);
    const char *target = h->target;
    size_t n = h->n_headers;
    if (arena_failed(c->tx.arena))
        return;
    if (n)
        memcpy(headers, h->headers, n * sizeof *headers);
    for (size_t i = 0; i < outer->n_headers; i++)
        if (!outer_only(outer->headers[i].name) && !part_has_header(h, outer->headers[i].name))
            headers[n++] = outer->headers[i];
    if (c->query_len)
        target = arena_printf(c->tx.arena, "%s%c%.*s", target, strchr(target, '?') ? '&' : '?',
                              (int)c->query_len, c->query);
    *ret = (struct sosia_request){.method = h->method,
                                  .target = target,
                                  .headers = headers,
                                  .n_headers = n,
                                  .body = h->body,
                                  .body_len = h->body_len,
                                  .base_url = c->base_url};
    /* A part that has the world's prefix itself gets it once. */
    if (str_starts(behind_host(target), "/w/"))
        ret->base_url = outer->base_url;
}

/* ---- the response ---- */

static const char *phrase(int status)
{
    static const struct {
        int status;
        const char *phrase;
    } table[] = {
        {200, "OK"},
        {204, "No Content"},
        {302, "Found"},
        {304, "Not Modified"},
        {400, "Bad Request"},
        {401, "Unauthorized"},
        {403, "Forbidden"},
        {404, "Not Found"},
        {409, "Conflict"},
        {410, "Gone"},
        {412, "Precondition Failed"},
        {413, "Request Entity Too Large"},
        {429, "Too Many Requests"},
        {500, "Internal Server Error"},
        {501, "Not Implemented"},
        {503, "Service Unavailable"},
    };
    for (size_t i = 0; i < SOSIA_LEN(table); i++)
        if (table[i].status == status)
            return table[i].phrase;
    return status < 300 ? "OK" : "Error";
}

/* <x> becomes <response-x>. */
static void add_id(struct buf *b, const char *id)
{
    bool angle = id[0] == '<';
    buf_printf(b, "Content-ID: %sresponse-%s\r\n", angle ? "<" : "", id + angle);
}

/* Appends a response that is pulled to the batch's. */
static void add_pulled(struct buf *b, struct sosia_response *r)
{
    char part[16384];
    int64_t n;
    for (int64_t at = 0; !buf_failed(b) && (n = r->read(r, at, part, sizeof part)) > 0; at += n)
        buf_add(b, part, (size_t)n);
}

static void add_answer(struct buf *b, struct sosia_response *r)
{
    buf_printf(b, "\r\nHTTP/1.1 %d %s\r\n", r->status, phrase(r->status));
    for (size_t i = 0; i < r->n_headers; i++)
        buf_printf(b, "%s: %s\r\n", r->headers[i].name, r->headers[i].value);
    if (r->status != 204 && r->status != 304)
        buf_printf(b, "Content-Length: %lld\r\n",
                   r->read ? (long long)r->length : (long long)r->body_len);
    buf_puts(b, "\r\n");
    if (r->read)
        add_pulled(b, r);
    else
        buf_add(b, r->body, r->body_len);
    buf_puts(b, "\r\n");
}

/* A part that this batch does not serve. */
static void add_refusal(struct buf *b, int status, const char *name, const char *domain,
                        const char *reason, const char *message)
{
    struct buf body;
    struct json_writer w;
    buf_init(&body, 4096);
    json_init(&w, &body, true, NULL);
    json_obj(&w, NULL);
    json_obj(&w, "error");
    json_int(&w, "code", status);
    json_str(&w, "message", message);
    json_arr(&w, "errors");
    json_obj(&w, NULL);
    json_str(&w, "message", message);
    json_str(&w, "domain", domain);
    json_str(&w, "reason", reason);
    json_end(&w);
    json_end(&w);
    json_str(&w, "status", name);
    json_end(&w);
    json_end(&w);
    struct sosia_header type = {"Content-Type", "application/json; charset=UTF-8"};
    struct sosia_response r = {.status = status,
                               .headers = &type,
                               .n_headers = 1,
                               .body = buf_str(&body),
                               .body_len = body.len};
    add_answer(b, &r);
    buf_done(&body);
}

/* Whether a part requests bytes, as a file's content or in another format. */
static bool wants_bytes(const struct http_part *h, const char *path)
{
    static const char export[] = "/export", media[] = "alt=media";
    size_t n = strcspn(path, "?#");
    if (strcmp(h->method, "GET") != 0)
        return false;
    if (n >= sizeof export && memcmp(path + n - sizeof export + 1, export, sizeof export - 1) == 0)
        return true;
    for (const char *p = path + n; *p == '?' || *p == '&'; p += strcspn(p, "&#")) {
        p++;
        if (strncasecmp(p, media, sizeof media - 1) == 0 && strchr("&#", p[sizeof media - 1]))
            return true;
    }
    return false;
}

/* Bytes are served by another host: the part names it. */
static void add_elsewhere(struct call *c, const struct google_api *api, const char *path)
{
    const char *rest = path + 1 + strlen(api->service_path);
    struct sosia_header headers[] = {
        {"Location", arena_printf(c->tx.arena, "%s/%s%s", c->base_url, api->download_path, rest)},
        {"Content-Type", "text/html; charset=UTF-8"},
    };
    struct sosia_response r = {
        .status = 302, .headers = headers, .n_headers = 2, .body = "", .body_len = 0};
    add_answer(c->body_out, &r);
}

static bool starts_path(const char *path, const char *folder)
{
    return *path == '/' && str_starts(path + 1, folder);
}

static int serve_part(struct call *c, const struct google_api *api, const struct http_part *h)
{
    const char *path = path_of(h->target);
    struct sosia_request request = {0};
    if (starts_path(path, "batch") || starts_path(path, "upload/") ||
        starts_path(path, "resumable/")) {
        add_refusal(c->body_out, 400, "INVALID_ARGUMENT", "global", "badRequest",
                    "This method can't be called in a batch.");
        return 0;
    }
    if (api && !starts_path(path, api->path_prefix ? api->path_prefix : api->service_path)) {
        add_refusal(c->body_out, 404, "NOT_FOUND", "global", "notFound",
                    "This batch endpoint serves another API.");
        return 0;
    }
    if (api && api->download_path && wants_bytes(h, path)) {
        add_elsewhere(c, api, path);
        return 0;
    }
    if (c->body_out->len >= ANSWER_MAX) {
        add_refusal(c->body_out, 429, "RESOURCE_EXHAUSTED", "usageLimits", "rateLimitExceeded",
                    "The answer of this batch is too large. Send this request again.");
        return 0;
    }
    part_request(c, h, &request);
    if (arena_failed(c->tx.arena))
        return sosia_fail_memory(c->tx.err);
    struct sosia_response *r = call_part(c, &request);
    if (!r)
        return -1;
    add_answer(c->body_out, r);
    sosia_response_free(r);
    return 0;
}

/* The boundary can't be known before the responses: it is made of their hash and put where room
 * was left for it. */
#define MARK     "batch_"
#define MARK_LEN (sizeof MARK - 1 + 32)

static void add_delimiter(struct buf *b, size_t *places, size_t i)
{
    buf_puts(b, "--");
    places[i] = b->len;
    for (size_t k = 0; k < MARK_LEN; k++)
        buf_byte(b, '-');
}

static void set_boundary(struct call *c, const size_t *places, size_t n)
{
    struct buf *b = c->body_out;
    char boundary[MARK_LEN + 1] = MARK;
    if (buf_failed(b))
        return;
    XXH128_canonical_t hash;
    XXH128_canonicalFromHash(&hash, XXH3_128bits(b->data, b->len));
    hex_encode(boundary + sizeof MARK - 1, &hash, sizeof hash);
    for (size_t i = 0; i < n; i++)
        memcpy(b->data + places[i], boundary, MARK_LEN);
    call_header(c, "Content-Type",
                arena_printf(c->tx.arena, "multipart/mixed; boundary=%s", boundary));
}

static int serve_parts(struct call *c, const struct google_api *api, const struct batch_part *parts,
                       size_t n)
{
    size_t *places = arena_calloc(c->tx.arena, n + 1, sizeof *places);
    if (arena_failed(c->tx.arena))
        return sosia_fail_memory(c->tx.err);
    for (size_t i = 0; i < n; i++) {
        add_delimiter(c->body_out, places, i);
        buf_puts(c->body_out, "\r\nContent-Type: application/http\r\n");
        if (parts[i].id)
            add_id(c->body_out, parts[i].id);
        if (serve_part(c, api, &parts[i].http) < 0)
            return -1;
    }
    add_delimiter(c->body_out, places, n);
    buf_puts(c->body_out, "--\r\n");
    set_boundary(c, places, n + 1);
    return 0;
}

static int batch(struct call *c)
{
    const char *name = param_str(c, "api"), *version = param_str(c, "version");
    const struct dialect *d = name ? google_dialect(c, name, version) : NULL;
    const struct google_api *api = d ? d->facts : NULL;
    size_t max = api ? api->batch_max : MIXED_MAX, n = 0;
    char boundary[MULTIPART_BOUNDARY];
    struct part *parts;
    struct sosia_err err = {0};
    if (name && !api)
        return call_fail(c, SOSIA_E_NOT_FOUND, NULL, NULL, "there is no such API");
    if (multipart_boundary(call_request_header(c, "Content-Type"), boundary) < 0)
        return refuse_batch(c, "the content type is not a multipart type with a boundary");
    if (multipart_parse(c->tx.arena, c->request->body, c->request->body_len, boundary, max, &parts,
                        &n, &err) < 0) {
        if (err.code != SOSIA_E_LIMIT)
            return refuse_batch(c, err.text);
        return call_fail(c, SOSIA_E_INVALID, "frontEnd", NULL,
                         "Inner request count exceeds the limit. Received: %zu, Limit: %zu", n,
                         max);
    }
    if (!n)
        return refuse_batch(c, "0 items to process");
    struct batch_part *read = arena_calloc(c->tx.arena, n, sizeof *read);
    for (size_t i = 0; i < n && !arena_failed(c->tx.arena); i++)
        if (read_part(c, &parts[i], &read[i]) < 0)
            return -1;
    if (arena_failed(c->tx.arena))
        return sosia_fail_memory(c->tx.err);
    c->batch = true;
    return serve_parts(c, api, read, n);
}

/* ---- rows ---- */

static const struct param batch_params[] = {
    {.name = "api", .place = IN_PATH, .required = true, .summary = "Name of the API"},
    {.name = "version", .place = IN_PATH, .required = true, .summary = "Version of the API"},
};

static const struct route methods[] = {
    {ROUTE("google.batch", POST, "/batch"), .handler = batch, .risk = RISK_WRITE, .anonymous = true,
     .outside = true, .body = BODY_RAW, .summary = "Many calls in one request"},
    {ROUTE("google.batchApi", POST, "/batch/{api}/{version}"), .handler = batch, .risk = RISK_WRITE,
     .anonymous = true, .outside = true, .body = BODY_RAW, PARAMS(batch_params),
     .summary = "Many calls to one API in one request"},
};

const struct rows google_batches = ROWS(methods);
