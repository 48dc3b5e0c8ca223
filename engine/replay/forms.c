/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls in formats of others: HTTP Archive 1.2, spans of OpenTelemetry as OTLP/JSON (a tool's
 * execution by the conventions for generative AI), the Agent Trajectory Interchange Format 1.7.
 * What these lack is in members that they allow for it.
 */
#include "engine/http/entry.h"
#include "engine/replay/export.h"
#include "engine/base/codec.h"
#include "engine/base/utf8.h"
#include "engine/text/civil.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

#define MAX_LATENCY_MS INT64_C(31536000000) /* a year: what is longer is none */

/* ---- members of an entry ---- */

static double real_of(const struct json *v, const char *name)
{
    double d = 0;
    json_double(json_get(v, name), &d);
    return d;
}

/* Sums of what callers said, or a file. */
static void add_to(int64_t *sum, int64_t n)
{
    if (__builtin_add_overflow(*sum, n, sum))
        *sum = n > 0 ? INT64_MAX : INT64_MIN;
}

static int64_t latency_ms(const struct json *entry)
{
    int64_t ms = json_get_int(json_get(entry, "labels"), "latency_ms", 0);
    return ms >= 0 && ms <= MAX_LATENCY_MS ? ms : 0;
}

static int64_t time_of(const struct json *entry)
{
    struct stamp at;
    const char *text = json_get_str(entry, "at");
    if (!text || stamp_parse(text, strlen(text), false, &at) < 0)
        return 0;
    return at.local_us - at.offset * US_PER_SECOND;
}

static const char *url_of(struct export *x, const struct json *request)
{
    const char *base = json_get_str(request, "base"), *host = json_get_str(request, "host"),
               *target = json_get_str(request, "target");
    if (!target)
        target = "/";
    if (base)
        return arena_printf(&x->arena, "%s%s", base, target);
    return arena_printf(&x->arena, "https://%s%s", host ? host : "localhost", target);
}

/* In bytes; -1: not known. */
static int64_t length_of(const struct json *body)
{
    const struct json *bytes = json_get(body, "base64");
    if (!body)
        return 0;
    if (body->type == JSON_STRING)
        return (int64_t)body->n;
    if (!bytes || bytes->type != JSON_STRING || bytes->n % 4)
        return json_get_int(body, "length", -1);
    int64_t n = (int64_t)bytes->n / 4 * 3;
    for (uint32_t i = bytes->n; i && bytes->str[i - 1] == '='; i--)
        n--;
    return n;
}

/* What a tool was called with, as an object: the body as what it says, verb and target beside it.
 */
static void add_arguments(struct export *x, struct json_writer *w, const char *name,
                          const struct json *request)
{
    const struct json *body = json_get(request, "body"), *v;
    struct sosia_err err;
    json_obj(w, name);
    json_str_opt(w, "verb", json_get_str(request, "verb"));
    json_str_opt(w, "target", json_get_str(request, "target"));
    if (body && body->type == JSON_STRING &&
        json_parse(&x->arena, body->str, body->n, NULL, &v, &err) == 0)
        json_value(w, "body", v);
    else if (body)
        json_value(w, "body", body);
    json_end(w);
}

/* A body as a text; of bytes that are not kept what is known of them. */
static const char *body_text(struct export *x, const struct json *body)
{
    return !body ? "" : body->type == JSON_STRING ? body->str : json_to_text(&x->arena, body);
}

/* ---- HTTP Archive ---- */

static void har_begin(struct export *x)
{
    struct json_writer *w = x->w;
    json_obj(w, NULL);
    json_obj(w, "log");
    json_str(w, "version", "1.2");
    json_obj(w, "creator");
    json_str(w, "name", "sosia");
    json_str(w, "version", sosia_version());
    json_end(w);
    json_arr(w, "entries");
}

static void empty_list(struct json_writer *w, const char *name)
{
    json_arr(w, name);
    json_end(w);
}

/* A name or a value of a query: what it says, or as it is where it says no text. */
static void har_part(struct export *x, const char *member, const char *text, size_t len)
{
    char *decoded;
    size_t n;
    if (percent_decode(&x->arena, text, len, true, &decoded, &n) == 0 && utf8_valid(decoded, n) &&
        !memchr(decoded, 0, n))
        json_strn(x->w, member, decoded, n);
    else
        json_strn(x->w, member, text, len);
}

static void har_query(struct export *x, const char *target)
{
    const char *p = strchr(target, '?');
    json_arr(x->w, "queryString");
    while (p && *p) {
        p++;
        size_t n = strcspn(p, "&"), name = 0;
        while (name < n && p[name] != '=')
            name++;
        if (!n)
            continue;
        json_obj(x->w, NULL);
        har_part(x, "name", p, name);
        har_part(x, "value", p + name + (name < n), n - name - (name < n));
        json_end(x->w);
        p += n;
    }
    json_end(x->w);
}

/* encoding: the member that says how bytes are written, which 1.2 has in responses alone. */
static void har_text(struct json_writer *w, const struct json *body, const char *encoding)
{
    if (body && body->type == JSON_STRING) {
        json_strn(w, "text", body->str, body->n);
    } else if (json_get_str(body, "base64")) {
        json_str(w, "text", json_get_str(body, "base64"));
        json_str(w, encoding, "base64");
    } else if (body) {
        json_str(w, "text", "");
        json_value(w, "_kept", body); /* its length and hash */
    }
}

static const char *har_type(const struct json *body)
{
    return body && body->type == JSON_STRING && body->n && strchr("{[", body->str[0])
               ? "application/json"
               : "application/octet-stream";
}

static void har_request(struct export *x, const struct json *request)
{
    struct json_writer *w = x->w;
    const struct json *headers = json_get(request, "headers"), *body = json_get(request, "body");
    const char *target = json_get_str(request, "target"), *type = NULL;
    json_obj(w, "request");
    json_str(w, "method", json_get_str(request, "verb"));
    json_str(w, "url", url_of(x, request));
    json_str(w, "httpVersion", "HTTP/1.1");
    empty_list(w, "cookies");
    json_arr(w, "headers");
    for (uint32_t i = 0; headers && headers->type == JSON_OBJECT && i < headers->n; i++) {
        const char *value =
            headers->members[i].value.type == JSON_STRING ? headers->members[i].value.str : "";
        json_obj(w, NULL);
        json_str(w, "name", headers->members[i].key);
        json_str(w, "value", value);
        json_end(w);
        if (strcmp(headers->members[i].key, "Content-Type") == 0)
            type = value;
    }
    json_end(w);
    har_query(x, target ? target : "/");
    if (body) {
        json_obj(w, "postData");
        json_str(w, "mimeType", type ? type : har_type(body));
        har_text(w, body, "_encoding");
        json_end(w);
    }
    json_int(w, "headersSize", -1);
    json_int(w, "bodySize", length_of(body));
    json_end(w);
}

static void har_entry(struct export *x, int64_t seq, const struct json *entry)
{
    struct json_writer *w = x->w;
    const struct json *response = json_get(entry, "response"), *body = json_get(response, "body"),
                      *labels = json_get(entry, "labels");
    int64_t latency = latency_ms(entry);
    json_obj(w, NULL);
    json_str(w, "startedDateTime", json_get_str(entry, "at"));
    json_int(w, "time", latency);
    har_request(x, json_get(entry, "request"));
    json_obj(w, "response");
    json_int(w, "status", json_get_int(response, "status", 0));
    json_str(w, "statusText", "");
    json_str(w, "httpVersion", "HTTP/1.1");
    empty_list(w, "cookies");
    empty_list(w, "headers");
    json_obj(w, "content");
    json_int(w, "size", length_of(body));
    json_str(w, "mimeType", har_type(body));
    har_text(w, body, "encoding");
    json_end(w);
    json_str(w, "redirectURL", "");
    json_int(w, "headersSize", -1);
    json_int(w, "bodySize", length_of(body));
    json_end(w);
    json_obj(w, "cache");
    json_end(w);
    json_obj(w, "timings");
    json_int(w, "send", 0);
    json_int(w, "wait", latency);
    json_int(w, "receive", 0);
    json_end(w);
    json_obj(w, "_sosia");
    json_int(w, "seq", seq);
    json_str_opt(w, "method", json_get_str(entry, "method"));
    json_str_opt(w, "actor", json_get_str(entry, "actor"));
    if (labels)
        json_value(w, "labels", labels);
    if (json_get(entry, JOURNAL_TOOK))
        json_value(w, JOURNAL_TOOK, json_get(entry, JOURNAL_TOOK));
    json_end(w);
    json_end(w);
}

static void two_ends(struct export *x)
{
    json_end(x->w);
    json_end(x->w);
    json_end(x->w);
}

const struct export_form export_har = {har_begin, har_entry, two_ends};

/* ---- OpenTelemetry ---- */

static void attribute(struct json_writer *w, const char *key, const char *value)
{
    if (!value)
        return;
    json_obj(w, NULL);
    json_str(w, "key", key);
    json_obj(w, "value");
    json_str(w, "stringValue", value);
    json_end(w);
    json_end(w);
}

static void int_attribute(struct json_writer *w, const char *key, const struct json *value)
{
    int64_t n;
    if (json_i64(value, &n) < 0)
        return;
    json_obj(w, NULL);
    json_str(w, "key", key);
    json_obj(w, "value");
    json_int_str(w, "intValue", n); /* 64 bits are strings in OTLP/JSON */
    json_end(w);
    json_end(w);
}

/* The conventions that the names of attributes are of: OpenTelemetry's for generative AI, which
 * have a schema of their own, and those that they are built on. */
#define SCHEMA_GEN_AI "https://opentelemetry.io/schemas/gen-ai-dev/1.42.0-dev"
#define SCHEMA_CORE   "https://opentelemetry.io/schemas/1.44.0"

static const char *arguments_text(struct export *x, const struct json *request)
{
    struct json_writer w;
    struct buf b;
    json_start(&w, &b);
    add_arguments(x, &w, NULL, request);
    bool failed = buf_failed(&b);
    const char *text = failed ? "" : arena_strdup(&x->arena, buf_str(&b));
    x->arena.failed |= failed;
    buf_done(&b);
    return text;
}

static void otlp_begin(struct export *x)
{
    struct json_writer *w = x->w;
    json_obj(w, NULL);
    json_arr(w, "resourceSpans");
    json_obj(w, NULL);
    json_obj(w, "resource");
    json_arr(w, "attributes");
    attribute(w, "service.name", "sosia");
    attribute(w, "service.version", sosia_version());
    attribute(w, "sosia.world", x->key);
    json_end(w);
    json_end(w);
    json_arr(w, "scopeSpans");
    json_obj(w, NULL);
    json_obj(w, "scope");
    json_str(w, "name", "sosia.journal");
    json_str(w, "version", sosia_version());
    json_end(w);
    json_arr(w, "spans");
}

/* Labels of one's own: what is none of the engine's words for them. */
static bool is_own_label(const struct json_member *m)
{
    const struct entry_label *l = entry_labels;
    while (l->header && strcmp(l->name, m->key) != 0)
        l++;
    return !l->header && m->value.type == JSON_STRING;
}

static void own_labels(struct export *x, const struct json *labels)
{
    for (uint32_t i = 0; labels && labels->type == JSON_OBJECT && i < labels->n; i++)
        if (is_own_label(&labels->members[i]))
            attribute(x->w, arena_printf(&x->arena, "sosia.label.%s", labels->members[i].key),
                      labels->members[i].value.str);
}

static void otlp_attributes(struct export *x, int64_t seq, const struct json *entry)
{
    struct json_writer *w = x->w;
    const struct json *request = json_get(entry, "request"),
                      *response = json_get(entry, "response"), *labels = json_get(entry, "labels"),
                      *status = json_get(response, "status"), *cost = json_get(labels, "cost");
    const char *call = json_get_str(labels, "call");
    json_arr(w, "attributes");
    attribute(w, "gen_ai.operation.name", "execute_tool");
    attribute(w, "gen_ai.tool.name", json_get_str(entry, "method"));
    attribute(w, "gen_ai.tool.call.id",
              call ? call : arena_printf(&x->arena, "%lld", (long long)seq));
    attribute(w, "gen_ai.tool.call.arguments", arguments_text(x, request));
    if (json_get(response, "body"))
        attribute(w, "gen_ai.tool.call.result", body_text(x, json_get(response, "body")));
    attribute(w, "gen_ai.request.model", json_get_str(labels, "model"));
    int_attribute(w, "gen_ai.usage.input_tokens", json_get(labels, "tokens_in"));
    int_attribute(w, "gen_ai.usage.output_tokens", json_get(labels, "tokens_out"));
    attribute(w, "http.request.method", json_get_str(request, "verb"));
    attribute(w, "url.full", url_of(x, request));
    int_attribute(w, "http.response.status_code", status);
    if (json_get_int(response, "status", 0) >= 400)
        attribute(w, "error.type",
                  arena_printf(&x->arena, "%lld", (long long)json_get_int(response, "status", 0)));
    attribute(w, "user.id", json_get_str(entry, "actor"));
    attribute(w, "sosia.step", json_get_str(labels, "step"));
    own_labels(x, labels);
    int_attribute(w, "sosia." JOURNAL_TOOK, json_get(entry, JOURNAL_TOOK));
    if (cost) {
        json_obj(w, NULL);
        json_str(w, "key", "sosia.cost_usd");
        json_obj(w, "value");
        json_value(w, "doubleValue", cost);
        json_end(w);
        json_end(w);
    }
    json_end(w);
}

static void otlp_entry(struct export *x, int64_t seq, const struct json *entry)
{
    struct json_writer *w = x->w;
    const struct json *response = json_get(entry, "response");
    const char *method = json_get_str(entry, "method");
    int64_t at = time_of(entry), took = latency_ms(entry) * 1000;
    bool failed = json_get_int(response, "status", 0) >= 400;
    char trace[33], span[17];
    snprintf(trace, sizeof trace, "%s%s", x->key, x->key);
    snprintf(span, sizeof span, "%016llx", (unsigned long long)seq);
    json_obj(w, NULL);
    json_str(w, "traceId", trace);
    json_str(w, "spanId", span);
    json_str(w, "name",
             method ? arena_printf(&x->arena, "execute_tool %s", method) : "execute_tool");
    json_int(w, "kind", 1); /* internal */
    json_str(w, "startTimeUnixNano", arena_printf(&x->arena, "%lld000", (long long)at));
    json_str(w, "endTimeUnixNano", arena_printf(&x->arena, "%lld000", (long long)(at + took)));
    otlp_attributes(x, seq, entry);
    json_obj(w, "status");
    if (failed) {
        json_int(w, "code", 2);
        json_str_opt(w, "message", json_get_str(response, "why"));
    }
    json_end(w);
    json_end(w);
}

static void otlp_end(struct export *x)
{
    struct json_writer *w = x->w;
    json_end(w);
    json_str(w, "schemaUrl", SCHEMA_GEN_AI);
    json_end(w);
    json_end(w);
    json_str(w, "schemaUrl", SCHEMA_CORE);
    for (int i = 0; i < 3; i++)
        json_end(w);
}

const struct export_form export_otlp = {otlp_begin, otlp_entry, otlp_end};

/* ---- trajectories ---- */

static void atif_begin(struct export *x)
{
    struct json_writer *w = x->w;
    json_obj(w, NULL);
    json_str(w, "schema_version", "ATIF-v1.7");
    json_str(w, "session_id", x->key);
    json_obj(w, "agent");
    json_str(w, "name", "unknown"); /* sosia has the calls alone */
    json_str(w, "version", "unknown");
    json_end(w);
    json_arr(w, "steps");
}

static void atif_result(struct export *x, const char *call, const struct json *response)
{
    struct json_writer *w = x->w;
    json_obj(w, "observation");
    json_arr(w, "results");
    json_obj(w, NULL);
    json_str(w, "source_call_id", call);
    json_str(w, "content", body_text(x, json_get(response, "body")));
    json_end(w);
    json_end(w);
    json_end(w);
}

static void atif_entry(struct export *x, int64_t seq, const struct json *entry)
{
    struct json_writer *w = x->w;
    const struct json *labels = json_get(entry, "labels"), *response = json_get(entry, "response");
    const char *call = json_get_str(labels, "call"), *method = json_get_str(entry, "method");
    if (!call)
        call = arena_printf(&x->arena, "call-%lld", (long long)seq);
    json_obj(w, NULL);
    json_int(w, "step_id", ++x->n);
    json_str(w, "timestamp", json_get_str(entry, "at"));
    json_str(w, "source", "agent");
    json_str_opt(w, "model_name", json_get_str(labels, "model"));
    json_str(w, "message", json_get_str(labels, "step") ? json_get_str(labels, "step") : "");
    json_arr(w, "tool_calls");
    json_obj(w, NULL);
    json_str(w, "tool_call_id", call);
    json_str(w, "function_name", method ? method : "unknown");
    add_arguments(x, w, "arguments", json_get(entry, "request"));
    json_end(w);
    json_end(w);
    atif_result(x, call, response);
    if (json_get(labels, "tokens_in") || json_get(labels, "tokens_out") ||
        json_get(labels, "cost")) {
        x->metered = true;
        json_obj(w, "metrics");
        if (json_get(labels, "tokens_in"))
            json_value(w, "prompt_tokens", json_get(labels, "tokens_in"));
        if (json_get(labels, "tokens_out"))
            json_value(w, "completion_tokens", json_get(labels, "tokens_out"));
        if (json_get(labels, "cost"))
            json_value(w, "cost_usd", json_get(labels, "cost"));
        json_end(w);
    }
    json_obj(w, "extra");
    json_int(w, "seq", seq);
    json_str_opt(w, "actor", json_get_str(entry, "actor"));
    json_int(w, "status", json_get_int(response, "status", 0));
    if (labels)
        json_value(w, "labels", labels);
    if (json_get(entry, JOURNAL_TOOK))
        json_value(w, JOURNAL_TOOK, json_get(entry, JOURNAL_TOOK));
    json_end(w);
    json_end(w);
    add_to(&x->tokens_in, json_get_int(labels, "tokens_in", 0));
    add_to(&x->tokens_out, json_get_int(labels, "tokens_out", 0));
    x->cost += real_of(labels, "cost");
}

static void atif_end(struct export *x)
{
    struct json_writer *w = x->w;
    char cost[40];
    if (!x->n) { /* a trajectory has a step */
        json_obj(w, NULL);
        json_int(w, "step_id", ++x->n);
        json_str(w, "source", "system");
        json_str(w, "message", "No calls were made.");
        json_end(w);
    }
    json_end(w);
    json_obj(w, "final_metrics");
    if (x->metered) {
        json_int(w, "total_prompt_tokens", x->tokens_in);
        json_int(w, "total_completion_tokens", x->tokens_out);
        int n = snprintf(cost, sizeof cost, "%.9g", x->cost);
        if (isfinite(x->cost)) /* JSON has no other numbers */
            json_raw(w, "total_cost_usd", cost, (size_t)n);
    }
    json_int(w, "total_steps", x->n);
    json_end(w);
    json_end(w);
}

const struct export_form export_atif = {atif_begin, atif_entry, atif_end};
