/* SPDX-License-Identifier: Apache-2.0 */
/* Requests and responses of Google's sign-in servers: forms, JSON errors of RFC 6749, pages,
 * redirects. */
#include "vendors/google/google.h"
#include "vendors/google/internal.h"
#include "vendors/google/signin/internal.h"
#include "engine/base/codec.h"

/* ---- requests ---- */

/* The items of a form or JSON body, before those of the query: programs send both. */
int oauth_form(struct call *c)
{
    static const struct json_limits limits = {.max_values = 1000};
    const char *type = call_request_header(c, "Content-Type");
    const struct json *doc;
    struct sosia_err ignored = {0};
    bool json = type && str_starts(type, "application/json");
    if (!c->request->body_len || !type ||
        (!json && !str_starts(type, "application/x-www-form-urlencoded")))
        return 0;
    if (!json)
        return call_add_form(c, c->request->body, c->request->body_len, IN_FORM, true) == 0
                   ? 0
                   : call_fail(c, SOSIA_E_INVALID, "invalid_request", NULL,
                               "The form is malformed.");
    if (json_parse(c->tx.arena, c->request->body, c->request->body_len, &limits, &doc, &ignored) <
            0 ||
        doc->type != JSON_OBJECT)
        return call_fail(c, SOSIA_E_INVALID, "invalid_request", NULL,
                         "The JSON body is malformed.");
    return call_add_members(c, doc, true, true);
}

const char *oauth_param(struct call *c, const char *name)
{
    return call_query_item(c, name);
}

const char *oauth_issuer(struct call *c)
{
    static const char vendor[] = "https://accounts.google.com";
    const char *host = c->base_url ? strstr(c->base_url, "://") : NULL;
    size_t n = host ? strcspn(host + 3, "/:") : 0;
    const char *end = host ? host + 3 + n : NULL;
    /* Programs with hard-wired hosts expect the service's own name. */
    if (!host || (n >= 15 && memcmp(end - 15, ".googleapis.com", 15) == 0) ||
        (n >= 11 && memcmp(end - 11, ".google.com", 11) == 0))
        return vendor;
    return c->base_url;
}

/* ---- responses ---- */

static void common_headers(struct call *c)
{
    char date[HTTP_DATE];
    http_date(date, c->tx.now_us);
    call_header(c, "Date", date);
    call_header(c, "Vary", "Origin, X-Origin, Referer");
    call_header(c, "X-Content-Type-Options", "nosniff");
    call_header(c, "X-Frame-Options", "SAMEORIGIN");
    call_header(c, "X-XSS-Protection", "0");
}

static bool has_header(const struct call *c, const char *name)
{
    for (size_t i = 0; i < c->n_headers; i++)
        if (str_eq_nocase(c->headers[i].name, name))
            return true;
    return false;
}

/* The methods whose subject is the token itself. */
static bool about_token(const struct route *route)
{
    return str_starts(route->id, "oauth.tokeninfo");
}

/* Where people agree and programs get tokens: no page of another origin's is to read that. */
static bool is_sign_in(const struct route *r)
{
    return str_starts(r->id, "oauth.auth") || str_starts(r->id, "oauth.approve") ||
           str_starts(r->id, "oauth.device") ||
           (str_starts(r->id, "oauth.token") && !about_token(r));
}

static void finish(struct call *c)
{
    if (c->route && is_sign_in(c->route))
        call_header(c, "Access-Control-Allow-Origin", ""); /* the server adds none */
    if (!has_header(c, "Content-Type") && c->status != 302)
        call_header(c, "Content-Type", "application/json; charset=utf-8");
    if (!has_header(c, "Cache-Control")) {
        call_header(c, "Cache-Control", "no-cache, no-store, max-age=0, must-revalidate");
        call_header(c, "Pragma", "no-cache");
        call_header(c, "Expires", "Mon, 01 Jan 1990 00:00:00 GMT");
    }
    common_headers(c);
}

static void write_error(struct call *c, int status, const char *error, const char *description)
{
    struct json_writer w;
    c->status = status;
    json_init(&w, c->body_out, true, NULL);
    json_obj(&w, NULL);
    json_str(&w, "error", error);
    json_str_opt(&w, "error_description", description);
    json_end(&w);
}

int oauth_refuse(struct call *c, int status, const char *error, const char *description)
{
    buf_clear(c->body_out);
    write_error(c, status, error, description);
    return 0;
}

/* Failures of handlers carry the error as their reason; those of the call path are put into words
 * here. */
static void fail(struct call *c)
{
    const struct sosia_err *e = c->tx.err;
    int status = sosia_code_status(e->code);
    if (!c->route) {
        google_error(c);
        return;
    }
    if (e->code == SOSIA_E_UNAUTHENTICATED && about_token(c->route)) {
        write_error(c, 400, "invalid_token", "Invalid Value");
    } else if (e->code == SOSIA_E_UNAUTHENTICATED && str_starts(c->route->id, "oauth.revoke")) {
        write_error(c, 400, "invalid_token", "Token expired or revoked");
    } else if ((e->code == SOSIA_E_UNAUTHENTICATED && !c->route->anonymous) ||
               (e->reason && strcmp(e->reason, "scope") == 0)) {
        write_error(c, 401, "invalid_request", "Invalid Credentials");
        call_header(c, "WWW-Authenticate",
                    "Bearer realm=\"https://accounts.google.com/\", error=\"invalid_token\"");
    } else if (e->reason && strchr(e->reason, '_')) {
        write_error(c, status, e->reason, e->text);
    } else if (e->code == SOSIA_E_INVALID) {
        write_error(c, 400, "invalid_request", e->text);
    } else {
        write_error(c, status, "internal_failure", e->text);
    }
    finish(c);
}

/* Where a person decides: his own token says who he is (identity/consent.h). */
static bool is_consent(const struct route *r)
{
    return str_starts(r->id, "oauth.auth") || str_starts(r->id, "oauth.approve") ||
           strcmp(r->id, "oauth.deviceApprove") == 0;
}

/* Tokens are parameters here and are checked by the handlers, but for the methods whose subject
 * is the caller's. */
static int begin(struct call *c)
{
    c->pretty = true;
    c->escape_html = true;
    if (!c->route || !c->route->anonymous)
        return 0;
    const char *bearer = c->token;
    c->token = NULL;
    if (about_token(c->route)) {
        c->token = call_query_item(c, "access_token");
        if (!c->token && oauth_form(c) == 0)
            c->token = call_query_item(c, "access_token");
        /* Google's library for Node inspects the token that it calls with. */
        if (!c->token && !call_query_item(c, "id_token"))
            c->token = bearer;
    } else if (is_consent(c->route)) {
        c->token = call_bearer(c);
    } else if (str_starts(c->route->id, "oauth.revoke")) {
        /* One that the engine signed has to be read by it. */
        const char *token = oauth_form(c) == 0 ? call_query_item(c, "token") : NULL;
        if (token && str_starts(token, "sosia_"))
            c->token = token;
    }
    return 0;
}

const struct front google_oauth_front = {
    .headers = google_headers,
    .credential = google_credential,
    .override_verb = google_override_verb,
    .begin = begin,
    .finish = finish,
    .error = fail,
};

/* ---- forms of pages ---- */

int oauth_form_is_ours(struct call *c, const char *about)
{
    enum page_origin from = page_origin(c, about);
    if (from == PAGE_OTHER_ORIGIN)
        page_show(c, 403, "Access blocked",
                  "<p>Error 403: origin_mismatch</p>\n<p>The form was sent by a page of another "
                  "origin.</p>\n");
    else if (from == PAGE_NO_MARK)
        page_show(c, 400, "Access blocked",
                  "<p>Error 400: invalid_request</p>\n<p>" PAGE_MARK
                  " must be the one of the page's "
                  "form.</p>\n");
    else
        return 1;
    return 0;
}

#define MAX_PEOPLE 200

int oauth_people(struct call *c, struct buf *b, const char *chosen)
{
    struct actor a = {.handle = ""};
    int r = 0, n = 0;
    while (n < MAX_PEOPLE && (r = actor_next_person(&c->tx, a.handle, &a)) == 1) {
        if (!*a.email)
            continue;
        bool checked =
            chosen ? (str_eq_nocase(chosen, a.handle) || str_eq_nocase(chosen, a.email)) : n == 0;
        n++;
        buf_puts(b, "<label><input type=\"radio\" name=\"sosia_actor\" value=\"");
        html_add(b, a.handle);
        buf_printf(b, "\"%s> ", checked ? " checked" : "");
        html_add(b, a.name);
        buf_puts(b, " (");
        html_add(b, a.handle);
        buf_puts(b, ")</label>\n");
    }
    return r < 0 ? -1 : 0;
}
