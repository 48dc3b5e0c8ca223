/* SPDX-License-Identifier: Apache-2.0 */
/* The journal's entry of a call. */
#include "engine/http/entry.h"
#include "engine/base/codec.h"
#include "engine/base/utf8.h"
#include "engine/world/journal.h"
#include <xxhash.h>

void journal_body(struct json_writer *w, const char *name, const char *data, size_t len,
                  bool secret)
{
    if (!len)
        return;
    if (secret) {
        json_obj(w, name);
        json_int(w, "length", (int64_t)len);
        json_end(w);
        return;
    }
    if (len > JOURNAL_BODY_MAX) {
        XXH128_canonical_t h;
        XXH128_canonicalFromHash(&h, XXH3_128bits(data, len));
        char hex[33];
        hex_encode(hex, h.digest, sizeof h.digest);
        json_obj(w, name);
        json_int(w, "length", (int64_t)len);
        json_str(w, "xxh3", hex);
        json_end(w);
    } else if (utf8_valid(data, len)) {
        json_strn(w, name, data, len);
    } else {
        struct buf b;
        buf_init(&b, 0);
        base64_add(&b, data, len);
        json_obj(w, name);
        json_strn(w, "base64", b.data ? b.data : "", b.len);
        json_end(w);
        buf_done(&b);
    }
}

/* The path and the query as they came, but for credentials. */
static void target(struct json_writer *w, const struct call *c)
{
    static const char *const secret[] = {"access_token=", "oauth_token=", "token=", "key="};
    const char *end = c->query ? c->query + c->query_len : NULL;
    struct buf b;
    buf_init(&b, 0);
    buf_add(&b, c->path, c->path_len);
    bool first = true;
    for (const char *p = c->query; p && p < end;) {
        const char *stop = memchr(p, '&', (size_t)(end - p));
        if (!stop)
            stop = end;
        bool hidden = false;
        for (size_t i = 0; i < SOSIA_LEN(secret); i++)
            hidden |= (size_t)(stop - p) >= strlen(secret[i]) &&
                      memcmp(p, secret[i], strlen(secret[i])) == 0;
        if (!hidden) {
            buf_byte(&b, first ? '?' : '&');
            buf_add(&b, p, (size_t)(stop - p));
            first = false;
        }
        p = stop + 1;
    }
    json_str(w, "target", buf_str(&b));
    buf_done(&b);
}

void journal_format(struct buf *out, const struct call *c, int64_t at_us)
{
    static const char *const kept[] = {"Content-Type", "If-Match", "If-None-Match", "Accept",
                                       "Prefer"};
    struct json_writer w;
    bool secret = c->route && c->route->secret;
    json_init(&w, out, false, NULL);
    json_obj(&w, NULL);
    json_time(&w, "at", at_us, JSON_TIME_US_Z);
    json_str_opt(&w, "actor", c->actor.id ? c->actor.handle : NULL);
    json_str_opt(&w, "method", c->route ? c->route->id : NULL);
    json_obj(&w, "request");
    json_str(&w, "verb", c->request->method);
    json_obj(&w, "headers");
    for (size_t i = 0; i < SOSIA_LEN(kept); i++)
        json_str_opt(&w, kept[i], call_request_header(c, kept[i]));
    for (const char *const *own = c->front ? c->front->headers : NULL; own && *own; own++)
        json_str_opt(&w, *own, call_request_header(c, *own));
    json_end(&w);
    target(&w, c);
    journal_body(&w, "body", c->request->body, c->request->body_len, secret);
    json_end(&w);
    json_obj(&w, "response");
    json_int(&w, "status", c->status);
    json_str_opt(&w, "why", c->status >= 400 ? c->why : NULL);
    journal_body(&w, "body", c->body_out->data, c->body_out->len, secret);
    json_end(&w);
    json_end(&w);
}
