/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JSON batches: at most 20 requests in one, each a call of its own, which may depend on earlier
 * ones. The whole is read before the first is served, so a malformed batch changes nothing.
 */
#include "engine/api/router.h"
#include "engine/base/codec.h"
#include "engine/base/made.h"
#include "vendors/microsoft/subscription_impl.h"

enum { BATCH_MAX = 20, MAX_BODY = 4 << 20 };
/* With so many bytes a response is full: further parts are not served. */
#define ANSWER_MAX (32u << 20)

#define bad_batch(c, ...) call_fail(c, SOSIA_E_INVALID, "BadRequest", NULL, __VA_ARGS__)

struct batch_part {
    const char *id, *method, *url;
    const struct json *headers, *body, *depends;
    int status; /* 0: not served yet */
};

/* ---- reading ---- */

/* The part of that id among the first n; NULL: there is none. */
static struct batch_part *part_named(struct batch_part *parts, size_t n, const char *id)
{
    for (size_t i = 0; i < n; i++)
        if (str_eq_nocase(parts[i].id, id))
            return &parts[i];
    return NULL;
}

static int read_depends(struct call *c, struct batch_part *parts, size_t i)
{
    const struct json *d = parts[i].depends;
    for (uint32_t k = 0; d && k < d->n; k++)
        if (d->items[k].type != JSON_STRING || !part_named(parts, i, d->items[k].str))
            return bad_batch(c,
                             "Invalid batch payload format: the dependsOn of request '%.100s' must "
                             "name requests before it.",
                             parts[i].id);
    return 0;
}

static bool has_type(const struct json *headers)
{
    for (uint32_t i = 0; headers && i < headers->n; i++)
        if (str_eq_nocase(headers->members[i].key, "Content-Type"))
            return true;
    return false;
}

static int read_part(struct call *c, const struct json *v, struct batch_part *parts, size_t i)
{
    struct batch_part *p = &parts[i];
    enum verb verb;
    if (v->type != JSON_OBJECT)
        return bad_batch(c, "Invalid batch payload format.");
    p->id = json_get_str(v, "id");
    p->method = json_get_str(v, "method");
    p->url = json_get_str(v, "url");
    p->headers = json_get(v, "headers");
    p->body = json_get(v, "body");
    p->depends = json_get(v, "dependsOn");
    if (!p->id || !*p->id || !p->method || !p->url)
        return bad_batch(c,
                         "Invalid batch payload format: a request must have id, method and url.");
    if (part_named(parts, i, p->id))
        return bad_batch(c, "Request Id '%.100s' has to be unique in a batch.", p->id);
    if (verb_from_name(p->method, &verb) < 0)
        return bad_batch(c, "Invalid batch payload format: '%.20s' is not a method.", p->method);
    if (strstr(p->url, "://") || str_starts(p->url, "//"))
        return bad_batch(c,
                         "Invalid batch payload format: the url of request '%.100s' must be "
                         "relative.",
                         p->id);
    if ((p->headers && p->headers->type != JSON_OBJECT && p->headers->type != JSON_NULL) ||
        (p->depends && p->depends->type != JSON_ARRAY && p->depends->type != JSON_NULL))
        return bad_batch(c, "Invalid batch payload format.");
    p->headers = p->headers && p->headers->type == JSON_OBJECT ? p->headers : NULL;
    p->depends = p->depends && p->depends->type == JSON_ARRAY ? p->depends : NULL;
    p->body = p->body && p->body->type != JSON_NULL ? p->body : NULL;
    if (p->body && !has_type(p->headers))
        return bad_batch(
            c, "Write request id : %.100s does not contain Content-Type header or body.", p->id);
    return read_depends(c, parts, i);
}

/* ---- serving ---- */

/* Headers of the batch that are not about its body count for its parts. */
static bool is_inherited(const struct call *c, const struct batch_part *p, const char *name)
{
    static const char *const outer[] = {"Accept", "Accept-Encoding",   "Connection",       "Expect",
                                        "Prefer", "Transfer-Encoding", "client-request-id"};
    (void)c;
    for (uint32_t i = 0; p->headers && i < p->headers->n; i++)
        if (str_eq_nocase(p->headers->members[i].key, name))
            return false;
    return strncasecmp(name, "Content-", 8) != 0 && strncasecmp(name, "If-", 3) != 0 &&
           !str_in_nocase(name, outer, SOSIA_LEN(outer));
}

/* The text of a part's body: JSON as it is, another type's bytes from base64. */
static int part_body(struct call *c, const struct batch_part *p, struct sosia_request *ret)
{
    struct buf b;
    struct json_writer w;
    if (!p->body)
        return 0;
    if (p->body->type == JSON_STRING) {
        uint8_t *data;
        size_t n;
        if (base64_decode(c->tx.arena, p->body->str, p->body->n, &data, &n) == 0) {
            ret->body = (const char *)data;
            ret->body_len = n;
        } else {
            ret->body = p->body->str;
            ret->body_len = p->body->n;
        }
        return 0;
    }
    json_start(&w, &b);
    json_value(&w, NULL, p->body);
    ret->body_len = b.len;
    ret->body = buf_made(&b, c->tx.arena);
    return ret->body ? 0 : sosia_fail_memory(c->tx.err);
}

static int part_request(struct call *c, const struct batch_part *p, struct sosia_request *ret)
{
    const struct sosia_request *outer = c->request;
    size_t own = p->headers ? p->headers->n : 0, n = 0;
    struct sosia_header *headers =
        arena_calloc(c->tx.arena, own + outer->n_headers + 1, sizeof *headers);
    if (!headers)
        return sosia_fail_memory(c->tx.err);
    for (size_t i = 0; i < own; i++)
        if (p->headers->members[i].value.type == JSON_STRING)
            headers[n++] =
                (struct sosia_header){p->headers->members[i].key, p->headers->members[i].value.str};
    for (size_t i = 0; i < outer->n_headers; i++)
        if (is_inherited(c, p, outer->headers[i].name))
            headers[n++] = outer->headers[i];
    /* World and host of the batch's own path are in front, so that links are as outside of it. */
    const char *prefix = outer->base_url ? c->base_url + strlen(outer->base_url) : "";
    *ret = (struct sosia_request){.method = p->method,
                                  .target = arena_printf(c->tx.arena, "%s/%s%s%s", prefix,
                                                         graph_is_beta(c) ? "beta" : "v1.0",
                                                         *p->url == '/' ? "" : "/", p->url),
                                  .headers = headers,
                                  .n_headers = n,
                                  .base_url = outer->base_url};
    return part_body(c, p, ret);
}

/* A part that the batch does not serve. */
static void write_refusal(struct call *c, struct batch_part *p, int status, const char *code,
                          const char *message)
{
    p->status = status;
    json_obj(c->out, NULL);
    json_str(c->out, "id", p->id);
    json_int(c->out, "status", status);
    json_obj(c->out, "headers");
    json_str(c->out, "Content-Type", "application/json");
    json_end(c->out);
    json_obj(c->out, "body");
    json_obj(c->out, "error");
    json_str(c->out, "code", code);
    json_str(c->out, "message", message);
    json_end(c->out);
    json_end(c->out);
    json_end(c->out);
}

static const char *header_of(const struct sosia_response *r, const char *name)
{
    for (size_t i = 0; i < r->n_headers; i++)
        if (str_eq_nocase(r->headers[i].name, name))
            return r->headers[i].value;
    return NULL;
}

/* Reads a response that is pulled. */
static void read_pulled(struct sosia_response *r, struct buf *b)
{
    char part[16384];
    int64_t n;
    for (int64_t at = 0; !buf_failed(b) && (n = r->read(r, at, part, sizeof part)) > 0; at += n)
        buf_add(b, part, (size_t)n);
}

static void write_body(struct call *c, struct sosia_response *r)
{
    const char *type = header_of(r, "Content-Type");
    struct buf bytes, text;
    buf_init(&bytes, 0);
    if (r->read)
        read_pulled(r, &bytes);
    else
        buf_add(&bytes, r->body, r->body_len);
    if (graph_is_json(type, buf_str(&bytes), bytes.len)) {
        json_raw(c->out, "body", bytes.data, bytes.len);
    } else if (bytes.len) {
        buf_init(&text, 0);
        base64_add(&text, bytes.data, bytes.len);
        json_strn(c->out, "body", buf_str(&text), text.len);
        buf_done(&text);
    }
    buf_done(&bytes);
}

/* MG-350: headers as an object, Cache-Control first, without those of the connection and the
 * request's ids. */
static void write_answer(struct call *c, struct batch_part *p, struct sosia_response *r)
{
    static const char *const left_out[] = {
        "Date", "request-id",   "client-request-id", "x-ms-ags-diagnostic", "WWW-Authenticate",
        "Vary", "Cache-Control"};
    p->status = r->status;
    json_obj(c->out, NULL);
    json_str(c->out, "id", p->id);
    json_int(c->out, "status", r->status);
    json_obj(c->out, "headers");
    json_str_opt(c->out, "Cache-Control", header_of(r, "Cache-Control"));
    for (size_t i = 0; i < r->n_headers; i++)
        if (!str_in_nocase(r->headers[i].name, left_out, SOSIA_LEN(left_out)))
            json_str(c->out, r->headers[i].name, r->headers[i].value);
    json_end(c->out);
    write_body(c, r);
    json_end(c->out);
}

static bool is_batch(const char *url)
{
    url += *url == '/';
    return strncasecmp(url, "$batch", 6) == 0 || strncasecmp(url, "%24batch", 8) == 0;
}

static int serve_part(struct call *c, struct batch_part *parts, struct batch_part *p)
{
    struct sosia_request request = {0};
    for (uint32_t i = 0; p->depends && i < p->depends->n; i++) {
        int before = part_named(parts, BATCH_MAX, p->depends->items[i].str)->status;
        if (before >= 400) {
            write_refusal(c, p, 424, "FailedDependency",
                          "The request could not be performed because one of the requests it "
                          "depends on failed.");
            return 0;
        }
    }
    if (is_batch(p->url)) {
        write_refusal(c, p, 400, "BadRequest", "A batch can't be called in a batch.");
        return 0;
    }
    if (c->body_out->len >= ANSWER_MAX) {
        write_refusal(c, p, 429, "TooManyRequests",
                      "The answer of this batch is too large. Send this request again.");
        return 0;
    }
    if (part_request(c, p, &request) < 0)
        return -1;
    struct sosia_response *r = call_part(c, &request);
    if (!r)
        return -1;
    write_answer(c, p, r);
    sosia_response_free(r);
    return 0;
}

static int batch(struct call *c)
{
    struct batch_part parts[BATCH_MAX] = {0};
    if (c->batch)
        return bad_batch(c, "A batch can't be called in a batch.");
    if (!call_request_header(c, "Authorization"))
        return call_fail(c, SOSIA_E_UNAUTHENTICATED, "required", "Authorization",
                         "a token is required");
    const struct json *body = call_body(c), *list = body ? json_get(body, "requests") : NULL;
    if (!body)
        return -1;
    if (!list || list->type != JSON_ARRAY || !list->n)
        return bad_batch(c, "Invalid batch payload format.");
    if (list->n > BATCH_MAX)
        return bad_batch(c, "Number of batch request steps exceeds the maximum value of %d.",
                         BATCH_MAX);
    for (uint32_t i = 0; i < list->n; i++)
        if (read_part(c, &list->items[i], parts, i) < 0)
            return -1;
    for (size_t i = list->n; i < BATCH_MAX; i++)
        parts[i].id = "";
    c->batch = true;
    json_obj(c->out, NULL);
    json_arr(c->out, "responses");
    for (uint32_t i = 0; i < list->n; i++)
        if (serve_part(c, parts, &parts[i]) < 0)
            return -1;
    json_end(c->out);
    json_end(c->out);
    return 0;
}

static const struct route methods[] = {
    {ROUTE("graph.batch", POST, GRAPH("/$batch")), .handler = batch, .risk = RISK_WRITE,
     .anonymous = true, .outside = true, .body = BODY_JSON, .max_body = MAX_BODY,
     .request = "batchRequest", .summary = "Up to 20 calls in one request"},
};
const struct rows graph_batches = ROWS(methods);

/* ---- the dialect ---- */

static const struct field request_fields[] = {
    {.name = "id", .type = "string", .summary = "Name of the request in this batch"},
    {.name = "method", .type = "string", .summary = "Verb of HTTP"},
    {.name = "url", .type = "string", .summary = "Path behind the version, with its query"},
    {.name = "headers", .type = "any", .summary = "Headers of the request"},
    {.name = "body", .type = "any", .summary = "JSON, or base64 of another type"},
    {.name = "dependsOn", .type = "string", .list = true, .summary = "Earlier requests' ids"},
    {.name = "atomicityGroup", .type = "string", .summary = "Passed over"},
};
static const struct field batch_fields[] = {
    {.name = "requests",
     .type = "object",
     .list = true,
     .fields = request_fields,
     .n_fields = SOSIA_LEN(request_fields),
     .summary = "What to call"},
};
#define STRING(member, what)                                                                       \
    {                                                                                              \
        .name = member, .type = "string", .nullable = true, .summary = what                        \
    }
static const struct field subscription_fields[] = {
    {.name = "id", .type = "string", .read_only = true, .summary = "Id of the subscription"},
    STRING("resource", "What is watched, as a path"),
    {.name = "applicationId", .type = "string", .read_only = true, .summary = "The app's id"},
    STRING("changeType", "created, updated and deleted, with commas between"),
    STRING("clientState", "A text that comes with each notification"),
    STRING("notificationUrl", "Where notifications go"),
    STRING("lifecycleNotificationUrl", "Where it is said what becomes of the subscription"),
    STRING("expirationDateTime", "When it ends"),
    {.name = "creatorId", .type = "string", .read_only = true, .summary = "Who made it"},
    {.name = "includeResourceData",
     .type = "boolean",
     .nullable = true,
     .summary = "Notifications have the thing itself, encrypted"},
    STRING("latestSupportedTlsVersion", "Of the address"),
    STRING("encryptionCertificate", "Base64 of an X.509 certificate"),
    STRING("encryptionCertificateId", "The caller's name for it"),
    STRING("notificationQueryOptions", "Not used here"),
    STRING("notificationUrlAppId", "Not used here"),
    {.name = "@odata.context", .type = "string", .read_only = true, .summary = "Of the answer"},
};
static const struct field collection_fields[] = {
    {.name = "@odata.context", .type = "string", .summary = "Of the answer"},
    {.name = "value", .type = "subscription", .list = true, .summary = "Subscriptions"},
};
static const struct schema schemas[] = {
    {.name = "batchRequest", .fields = batch_fields, .n_fields = SOSIA_LEN(batch_fields)},
    {.name = "subscription",
     .fields = subscription_fields,
     .n_fields = SOSIA_LEN(subscription_fields)},
    {.name = "subscriptionCollection",
     .fields = collection_fields,
     .n_fields = SOSIA_LEN(collection_fields)},
};

static const char *const prefixes[] = {"/v1.0", "/beta", NULL};
static const struct graph_api api = {.workload = GRAPH_GATEWAY};

const struct dialect graph_common = {
    .name = "graph",
    .title = "Microsoft Graph",
    .vendor = &microsoft_vendor,
    .prefixes = prefixes,
    .tables = TABLES(&graph_batches, &graph_metadata, &graph_subscriptions),
    .schemas = schemas,
    .n_schemas = SOSIA_LEN(schemas),
    .facts = &api,
};
