/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is done before and after every method of a Google API: global query parameters, headers of
 * the response, etags, JSONP. Header values are those that the service sends; the date is the
 * world's.
 */
#include "vendors/google/internal.h"
#include "vendors/google/mask.h"
#include "vendors/google/upload.h"
#include "engine/base/codec.h"
#include "engine/http/admit.h"
#include "engine/api/router.h"
#include "engine/text/civil.h"
#include "identity/account.h"
#include <stdio.h>

/* ---- the request ---- */

/* ASCII letters, digits and _ $ . [ ] are what the service takes for a name that a script can call.
 */
static bool callable(const char *name)
{
    size_t n = strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_$.[]");
    return n && !name[n];
}

/* Of a repeated one, the last counts: the other parameters are read from the first. */
static const char *xgafv(const struct call *c)
{
    for (size_t i = c->n_items; i-- > 0;)
        if (strcmp(c->items[i].name, "$.xgafv") == 0)
            return c->items[i].text;
    return NULL;
}

static int begin_xgafv(struct call *c, struct google_call *g)
{
    const char *text = xgafv(c);
    if (!text)
        return 0;
    if (strcmp(text, "1") != 0 && strcmp(text, "2") != 0)
        return call_fail(c, SOSIA_E_INVALID, "frontEnd", NULL,
                         "Invalid query parameters. Invalid value '%s' for system query parameter "
                         ": $.xgafv",
                         text);
    g->xgafv_2 = text[0] == '2';
    return 0;
}

/* Only what the API can render is taken; the case of the name does not matter. */
static int begin_alt(struct call *c)
{
    const char *alt = call_query_item(c, "alt");
    if (!alt || !*alt || str_eq_nocase(alt, "json"))
        return 0;
    if (str_eq_nocase(alt, "media") && c->route && c->route->download) {
        ((struct google_call *)c->vendor_data)->media = true;
        return 0;
    }
    if (str_eq_nocase(alt, "media"))
        return call_fail(c, SOSIA_E_INVALID, "frontEnd", NULL,
                         "Unsupported alt type \"media\" for non byte stream request.");
    return call_fail(c, SOSIA_E_INVALID, "frontEnd", NULL,
                     "Invalid value \"%s\" for query parameter 'alt'", alt);
}

/* A form is bound to the request as its query is, whatever the body should be: "curl -d" labels
 * JSON as a form. */
static int begin_form(struct call *c)
{
    static const char form[] = "application/x-www-form-urlencoded";
    const char *type = call_request_header(c, "Content-Type");
    if (c->upload || c->route->body == BODY_NONE || !c->request->body_len || !type ||
        strncasecmp(type, form, sizeof form - 1) != 0)
        return 0;
    c->form = true;
    return call_add_form(c, c->request->body, c->request->body_len, IN_QUERY, false);
}

void google_credential(struct call *c)
{
    static const char *const in_query[] = {"access_token", "oauth_token", "token"};
    c->token = call_bearer(c);
    for (size_t i = 0; !c->token && i < SOSIA_LEN(in_query); i++) {
        const char *text = call_query_item(c, in_query[i]);
        if (text && *text)
            c->token = text;
    }
}

/* A POST may name another verb; for GET it has the query in a form body. */
void google_override_verb(struct call *c)
{
    const char *name = call_request_header(c, "X-HTTP-Method-Override");
    const char *type = call_request_header(c, "Content-Type");
    if (!name || verb_from_name(name, &c->verb) < 0)
        return;
    c->query_is_body =
        c->verb == VERB_GET && type && str_starts(type, "application/x-www-form-urlencoded");
}

const char *const google_headers[] = {"X-HTTP-Method-Override", "X-Goog-Upload-*",
                                      "X-Goog-Drive-*",         "X-Upload-*",
                                      "X-GUploader-*",          NULL};

static int google_begin(struct call *c)
{
    struct google_call *g = arena_calloc(c->tx.arena, 1, sizeof *g);
    c->vendor_data = g;
    if (c->upload && google_upload_begin(c) < 0)
        return -1;
    const struct google_api *api = google_api_of(c);
    if (api && api->strict && c->route && begin_form(c) < 0)
        return -1;
    google_query_names(c);
    const char *pretty = call_query_item(c, "prettyPrint");
    const char *callback = call_query_item(c, "callback");
    c->pretty = !pretty || strcmp(pretty, "false") != 0;
    c->escape_html = true;
    /* A batch's parts check it; descriptions are public, but have no more than who asks may do. */
    if (!api &&
        !(c->route && (c->route->scopes || (c->route->risk == RISK_READ && admit_knows(c)))))
        c->token = NULL;
    if (c->route && begin_alt(c) < 0)
        return -1;
    if (callback && *callback && c->verb == VERB_GET && api)
        g->callback = callback;
    if (begin_xgafv(c, g) < 0)
        return -1;
    if (g->callback && !callable(g->callback))
        return call_fail(c, SOSIA_E_INVALID, "frontEnd", NULL,
                         "Invalid JSONP callback name: '%s'; only alphabet, number, '_', '$', '.', "
                         "'[' and ']' are allowed.",
                         callback);
    return 0;
}

int google_strict_check(struct call *c)
{
    const struct google_api *api = google_api_of(c);
    const struct google_violation *found;
    if (api && api->strict && google_violations(c, &found))
        return call_fail(c, SOSIA_E_INVALID, "violations", NULL, "unknown or mistyped members");
    return 0;
}

/* Has the actor an account with Google that has the API's service? Who has none does not use it. */
static int check_account(struct call *c, const struct google_api *api)
{
    struct account account;
    if (!api || !api->account || !c->actor.id)
        return 0;
    int r = account_at(&c->tx, c->actor.id, google_vendor.name, (enum account_service)api->account,
                       &account);
    return r == 0  ? call_fail(c, SOSIA_E_UNAUTHENTICATED, "noService", NULL,
                               "the token's actor has no account with this service")
           : r < 0 ? -1
                   : 0;
}

static int google_check(struct call *c)
{
    const char *fields = call_query_item(c, "fields");
    const char *key = call_query_item(c, "key");
    const struct google_api *api = google_api_of(c);
    const struct json_mask *mask;
    /* A row that is anonymous in an API can be called with an API key alone; which key does not
     * matter here. */
    if (api && c->route->anonymous && !c->actor.id && (!key || !*key))
        return call_fail(c, SOSIA_E_FORBIDDEN, "unregisteredCaller", NULL, "no key and no token");
    /* A Google account has an address; an actor without one is of another vendor. */
    if (c->actor.id && !*c->actor.email)
        return call_fail(c, SOSIA_E_UNAUTHENTICATED, "invalid", "Authorization",
                         "the token's actor has no address");
    if (check_account(c, api) < 0 || google_strict_check(c) < 0)
        return -1;
    if (!fields)
        return 0;
    if (google_mask_parse(c->tx.arena, fields, &mask, c->tx.err) < 0 ||
        google_fields_check(c, mask) < 0)
        return -1;
    c->mask = mask;
    return 0;
}

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

static void google_finish(struct call *c)
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

const struct front google_front = {
    .headers = google_headers,
    .credential = google_credential,
    .override_verb = google_override_verb,
    .upload_prefixes = google_upload_prefixes,
    .upload = google_upload,
    .begin = google_begin,
    .check = google_check,
    .body_rules = google_body_rules,
    .finish = google_finish,
    .error = google_error,
    .fault = google_fault,
};

static const char *const hosts[] = {
    "www.googleapis.com",
    "oauth2.googleapis.com",
    "gmail.googleapis.com",
    "*.googleapis.com",
    "accounts.google.com",
    "drive.google.com",
    "docs.google.com",
    "mail-settings.google.com",
    "*.googleusercontent.com",
    "ssl.gstatic.com",
    NULL,
};

static const struct tools_signin signin = {.authorize = "/o/oauth2/v2/auth",
                                           .token = "/token",
                                           .revoke = "/revoke",
                                           .keys = "/oauth2/v3/certs",
                                           .clients = "oauth_clients"};
const struct vendor google_vendor = {.name = "google",
                                     .title = "Google",
                                     .hosts = hosts,
                                     .front = &google_front,
                                     .signin = &signin,
                                     .guide = &google_guide};
