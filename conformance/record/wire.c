/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/record/wire.h"
#include "engine/base/codec.h"
#include "engine/base/utf8.h"
#include "engine/text/civil.h"
#include <strings.h>

const char *wire_header(const struct wire_message *m, const char *name)
{
    for (size_t i = 0; i < m->n_headers; i++)
        if (strcasecmp(m->headers[i].name, name) == 0)
            return m->headers[i].value;
    return NULL;
}

bool wire_is_type(const struct wire_message *m, const char *type)
{
    const char *is = wire_header(m, "Content-Type");
    size_t n = strlen(type);
    if (!is || strncasecmp(is, type, n) != 0)
        return false;
    return type[n - 1] == '/' || !is[n] || is[n] == ';' || is[n] == ' ';
}

bool wire_is_json(const struct wire_message *m)
{
    const char *type = wire_header(m, "Content-Type");
    const struct wire_body *b = &m->body;
    if (type) {
        size_t n = strcspn(type, "; ");
        return wire_is_type(m, "application/json") ||
               (n > 5 && strncasecmp(type + n - 5, "+json", 5) == 0);
    }
    size_t i = 0;
    while (i < b->len && strchr(" \t\r\n", b->data[i]))
        i++;
    return i < b->len && (b->data[i] == '{' || b->data[i] == '[');
}

bool wire_is_text(const struct wire_body *b)
{
    return !b->len || (utf8_valid(b->data, b->len) && !memchr(b->data, 0, b->len));
}

int wire_decode(struct arena *a, const char *text, size_t len, bool query, char **ret_text)
{
    size_t n;
    char *out;
    if (percent_decode(a, text, len, query, &out, &n) < 0 || !utf8_valid(out, n))
        return -1;
    *ret_text = out;
    return 0;
}

static const char *own_text(struct arena *a, const char *text)
{
    return text ? arena_strdup(a, text) : NULL;
}

static void own_message(struct arena *a, struct wire_message *m)
{
    struct sosia_header *headers = arena_calloc(a, m->n_headers + 1, sizeof *headers);
    for (size_t i = 0; i < m->n_headers && !arena_failed(a); i++)
        headers[i] = (struct sosia_header){own_text(a, m->headers[i].name),
                                           own_text(a, m->headers[i].value)};
    m->headers = headers;
    if (m->body.data)
        m->body.data = arena_memdup(a, m->body.data, m->body.len);
}

int wire_own(struct arena *a, struct wire *list, size_t n, struct sosia_err *err)
{
    for (size_t i = 0; i < n; i++) {
        struct wire *e = &list[i];
        e->verb = own_text(a, e->verb);
        e->origin = own_text(a, e->origin);
        e->target = own_text(a, e->target);
        e->error = own_text(a, e->error);
        own_message(a, &e->sent);
        own_message(a, &e->got);
    }
    return arena_failed(a) ? sosia_fail_memory(err) : 0;
}

/* ---- writing ---- */

static void write_message(struct json_writer *w, const struct wire_message *m)
{
    json_arr(w, "headers");
    for (size_t i = 0; i < m->n_headers; i++) {
        json_arr(w, NULL);
        json_str(w, NULL, m->headers[i].name);
        json_str(w, NULL, m->headers[i].value);
        json_end(w);
    }
    json_end(w);
    if (!m->body.data)
        return;
    if (wire_is_text(&m->body)) {
        json_strn(w, "body", m->body.data, m->body.len);
    } else {
        struct buf b;
        buf_init(&b, 0);
        base64_add(&b, m->body.data, m->body.len);
        json_str(w, "base64", buf_str(&b));
        w->out->failed |= buf_failed(&b);
        buf_done(&b);
    }
    if (m->body.cut)
        json_int(w, "size", (int64_t)m->body.size);
}

void wire_write(struct json_writer *w, const char *key, const struct wire *e)
{
    json_obj(w, key);
    json_int(w, "exchange", e->n);
    json_time(w, "at", e->at_us, JSON_TIME_US_Z);
    json_int(w, "took_us", e->took_us);
    json_obj(w, "request");
    json_str(w, "method", e->verb);
    json_str(w, "origin", e->origin);
    json_str(w, "target", e->target);
    write_message(w, &e->sent);
    json_end(w);
    if (e->status) {
        json_obj(w, "response");
        json_int(w, "status", e->status);
        write_message(w, &e->got);
        json_end(w);
    }
    json_str_opt(w, "error", e->error);
    json_end(w);
}

/* ---- reading ---- */

static int read_headers(struct doc *d, const struct json *obj, struct wire_message *m)
{
    const struct json *list;
    if (doc_list(d, obj, "headers", &list) < 0)
        return -1;
    if (!list || !list->n)
        return 0;
    m->headers = arena_calloc(d->arena, list->n, sizeof *m->headers);
    if (arena_failed(d->arena))
        return sosia_fail_memory(d->err);
    for (uint32_t i = 0; i < list->n; i++) {
        const struct json *pair = &list->items[i];
        if (pair->type != JSON_ARRAY || pair->n != 2 || pair->items[0].type != JSON_STRING ||
            pair->items[1].type != JSON_STRING)
            return doc_fail(d, pair, "headers", "must be pairs of texts");
        m->headers[m->n_headers++] = (struct sosia_header){pair->items[0].str, pair->items[1].str};
    }
    return 0;
}

static int read_message(struct doc *d, const struct json *obj, struct wire_message *m)
{
    const struct json *text = json_get(obj, "body");
    const char *packed;
    int64_t size;
    if (read_headers(d, obj, m) < 0 || doc_str(d, obj, "base64", false, &packed) < 0)
        return -1;
    if (text) {
        if (text->type != JSON_STRING)
            return doc_fail(d, text, "body", "must be a text");
        m->body.data = text->str;
        m->body.len = text->n;
    } else if (packed) {
        uint8_t *data;
        if (base64_decode(d->arena, packed, strlen(packed), &data, &m->body.len) < 0)
            return doc_fail(d, json_get(obj, "base64"), "base64", "is not base64");
        m->body.data = arena_memdup(d->arena, data, m->body.len);
    }
    m->body.size = m->body.len;
    if (doc_int(d, obj, "size", 0, INT64_MAX, -1, &size) < 0)
        return -1;
    if (size >= 0) {
        m->body.size = (uint64_t)size;
        m->body.cut = true;
    }
    return 0;
}

static int read_request(struct doc *d, const struct json *v, struct wire *e)
{
    static const char *const members[] = {"method", "origin", "target", "headers",
                                          "body",   "base64", "size",   NULL};
    const struct json *request = json_get(v, "request");
    if (!request)
        return doc_fail(d, v, "request", "is missing");
    size_t mark = doc_push(d, "request", -1);
    if (doc_object(d, request, members) < 0 || doc_str(d, request, "method", true, &e->verb) < 0 ||
        doc_str(d, request, "origin", true, &e->origin) < 0 ||
        doc_str(d, request, "target", true, &e->target) < 0 ||
        read_message(d, request, &e->sent) < 0)
        return -1;
    if (e->target[0] != '/')
        return doc_fail(d, json_get(request, "target"), "target", "must begin with \"/\"");
    doc_pop(d, mark);
    return 0;
}

static int read_response(struct doc *d, const struct json *v, struct wire *e)
{
    static const char *const members[] = {"status", "headers", "body", "base64", "size", NULL};
    const struct json *response = json_get(v, "response");
    int64_t status;
    if (!response)
        return 0;
    size_t mark = doc_push(d, "response", -1);
    if (doc_object(d, response, members) < 0 ||
        doc_int(d, response, "status", 100, 999, 0, &status) < 0 ||
        read_message(d, response, &e->got) < 0)
        return -1;
    if (!status)
        return doc_fail(d, response, "status", "is missing");
    e->status = (int)status;
    doc_pop(d, mark);
    return 0;
}

int wire_read(struct doc *d, const struct json *v, struct wire *ret)
{
    static const char *const members[] = {"exchange", "at",    "took_us", "request",
                                          "response", "error", NULL};
    struct wire e = {0};
    struct stamp at;
    const char *time;
    if (doc_object(d, v, members) < 0 || doc_int(d, v, "exchange", 1, INT32_MAX, 1, &e.n) < 0 ||
        doc_str(d, v, "at", true, &time) < 0 ||
        doc_int(d, v, "took_us", 0, INT64_MAX, 0, &e.took_us) < 0 || read_request(d, v, &e) < 0 ||
        read_response(d, v, &e) < 0 || doc_str(d, v, "error", false, &e.error) < 0)
        return -1;
    if (stamp_parse(time, strlen(time), false, &at) < 0)
        return doc_fail(d, json_get(v, "at"), "at", "\"%.40s\" is not a time", time);
    e.at_us = at.local_us - at.offset * US_PER_SECOND;
    if (arena_failed(d->arena))
        return sosia_fail_memory(d->err);
    *ret = e;
    return 0;
}
