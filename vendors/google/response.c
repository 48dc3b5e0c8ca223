/* SPDX-License-Identifier: Apache-2.0 */
/* What every answer of an API has: headers, etags, JSONP. Header values are those that the service
 * sends; the date is the world's. */
#include "vendors/google/internal.h"
#include "engine/base/codec.h"
#include "engine/text/civil.h"

/* ---- etags ---- */

/* Is this etag one of those in the value of an If-Match or If-None-Match header? "*" is each. */
static bool etag_listed(const char *header, const char *etag)
{
    size_t n = strlen(etag);
    for (const char *p = header; *p;) {
        p += strspn(p, " \t,");
        if (*p == '*')
            return true;
        /* Strong comparison: a weak one never matches. */
        if (strncmp(p, etag, n) == 0 && strchr(" \t,", p[n]))
            return true;
        bool weak = p[0] == 'W' && p[1] == '/';
        p += weak ? 2 : 0;
        if (*p == '"') {
            const char *end = strchr(p + 1, '"');
            p = end ? end + 1 : p + strlen(p);
        } else {
            p += strcspn(p, ",");
        }
    }
    return false;
}

int google_if_match(struct call *c, const char *etag)
{
    const char *header = call_request_header(c, "If-Match");
    if (!header || (etag && etag_listed(header, etag)))
        return 0;
    return call_fail(c, SOSIA_E_PRECONDITION, "conditionNotMet", "If-Match", "Precondition Failed");
}

/* ---- the response ---- */

static bool response_has_header(const struct call *c, const char *name)
{
    for (size_t i = 0; i < c->n_headers; i++)
        if (str_eq_nocase(c->headers[i].name, name))
            return true;
    return false;
}

/* The paths for media are of another server. */
static void upload_headers(struct call *c)
{
    const struct google_call *g = c->vendor_data;
    if (g && g->upload_id)
        call_header_const(c, "X-GUploader-UploadID", g->upload_id);
    if (g && g->upload_status)
        call_header_const(c, "X-Goog-Upload-Status", g->upload_status);
    call_header_const(c, "Vary", "Origin");
    call_header_const(c, "Vary", "X-Origin");
    call_header_const(c, "Server", "UploadServer");
}

static const char *date_of(struct call *c)
{
    char *date = arena_alloc(c->tx.arena, HTTP_DATE);
    http_date(date, c->tx.now_us);
    return date;
}

static void common_headers(struct call *c, const char *date)
{
    const struct google_api *api = google_api_of(c);
    /* As recorded: Calendar's PATCH, and nothing else, responds without the spaces. */
    bool tight = c->verb == VERB_PATCH && api && api->envelope == GOOGLE_LEGACY;
    call_header_const(c, "Date", date);
    if (c->upload) {
        upload_headers(c);
        return;
    }
    call_header_const(c, "Vary",
                      tight                                  ? "Origin,X-Origin,Referer"
                      : api && api->envelope == GOOGLE_PLAIN ? "Origin, X-Origin"
                                                             : "Origin, X-Origin, Referer");
    call_header_const(c, "X-Content-Type-Options", "nosniff");
    call_header_const(c, "X-Frame-Options", "SAMEORIGIN");
    call_header_const(c, "X-XSS-Protection", "0");
    if (!response_has_header(c, "Server")) /* bytes are of another */
        call_header_const(c, "Server", "ESF");
}

void google_common_headers(struct call *c)
{
    common_headers(c, date_of(c));
}

/* A read may be cached if it is revalidated each time; anything else may not. */
static void cache_headers(struct call *c, const char *date)
{
    const struct google_api *api = google_api_of(c);
    if (response_has_header(c, "Cache-Control") || (api && !api->cache_headers))
        return;
    if (c->verb == VERB_GET && !(api && api->never_kept)) {
        call_header_const(c, "Cache-Control", "private, max-age=0, must-revalidate, no-transform");
        call_header_const(c, "Expires", date);
    } else {
        call_header_const(c, "Cache-Control", "no-cache, no-store, max-age=0, must-revalidate");
        call_header_const(c, "Pragma", "no-cache");
        call_header_const(c, "Expires", "Mon, 01 Jan 1990 00:00:00 GMT");
    }
}

void google_jsonp(struct call *c)
{
    const struct google_call *g = c->vendor_data;
    if (!g || !g->callback || buf_failed(c->body_out))
        return;
    size_t len = c->body_out->len;
    char *body = arena_memdup(c->tx.arena, c->body_out->data, len);
    struct json_writer name;
    buf_clear(c->body_out);
    buf_puts(c->body_out, "// API callback\n");
    /* As a JSON string without its quotes: a refused name comes back in its own call. */
    size_t at = c->body_out->len;
    json_init(&name, c->body_out, false, NULL);
    name.escape_html = true;
    json_str(&name, NULL, g->callback);
    if (!buf_failed(c->body_out) && c->body_out->len >= at + 2) {
        memmove(c->body_out->data + at, c->body_out->data + at + 1, c->body_out->len - at - 2);
        c->body_out->len -= 2;
    }
    buf_byte(c->body_out, '(');
    buf_add(c->body_out, body, len);
    buf_puts(c->body_out, ");");
    c->status = 200; /* the status is in the body: a script can't see it elsewhere */
}

void google_finish(struct call *c)
{
    const char *none_match = call_request_header(c, "If-None-Match");
    const struct google_call *g = c->vendor_data;
    const struct google_api *api = google_api_of(c);
    if (c->etag && c->status == 200 && c->verb == VERB_GET && none_match &&
        etag_listed(none_match, c->etag))
        c->status = 304;
    if (c->status == 204 || c->status == 304) {
        buf_clear(c->body_out);
        if (api && api->typed_deletes && c->status == 204 && c->verb == VERB_DELETE)
            call_header_const(c, "Content-Type", "text/html");
    } else if (!response_has_header(c, "Content-Type")) {
        google_jsonp(c);
        call_header_const(c, "Content-Type",
                          g && g->callback ? "text/javascript; charset=UTF-8"
                                           : "application/json; charset=UTF-8");
    }
    if (c->etag)
        call_header_const(c, "ETag", c->etag);
    const char *date = date_of(c);
    cache_headers(c, date);
    common_headers(c, date);
}
