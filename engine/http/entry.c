/* SPDX-License-Identifier: Apache-2.0 */
/* The journal's entry of a call. */
#include "engine/http/entry.h"
#include "engine/base/codec.h"
#include "engine/base/utf8.h"
#include "engine/world/journal.h"
#include <xxhash.h>

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
    const struct bytes *b = &c->content;
    if (b->spool && !b->data && !secret)
        journal_digest(&w, "body", b->len, "xxh3", spool_xxh3(b->spool), 16);
    else
        journal_body(&w, "body", c->request->body, b->data ? (size_t)b->len : 0, secret);
    json_end(&w);
    json_obj(&w, "response");
    json_int(&w, "status", c->status);
    json_str_opt(&w, "why", c->status >= 400 ? c->why : NULL);
    if (c->sent.blob.id) /* which bytes of it: see Content-Range */
        journal_digest(&w, "body", c->sent.n, "blob_sha256", c->sent.blob.sha256, 32);
    else
        journal_body(&w, "body", c->body_out->data, c->body_out->len, secret);
    json_end(&w);
    json_end(&w);
}
