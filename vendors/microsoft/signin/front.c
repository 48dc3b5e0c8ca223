/* SPDX-License-Identifier: Apache-2.0 */
/* Requests and responses of the authority: forms, and errors of RFC 6749 with the authority's own
 * numbers. */
#include "engine/base/codec.h"
#include "engine/text/civil.h"
#include "engine/text/http_date.h"
#include "vendors/microsoft/signin/internal.h"
#include <stdlib.h>

/* Of one call (call.vendor_data): the failure in the authority's words, which may be longer than
 * tx->err holds. */
struct failure {
    const char *error, *text;
    int number;
};

/* ---- requests ---- */

int authority_form(struct call *c)
{
    const char *type = call_request_header(c, "Content-Type");
    if (!c->request->body_len || !type || !str_starts(type, "application/x-www-form-urlencoded"))
        return 0;
    return call_add_form(c, c->request->body, c->request->body_len, IN_FORM, true) == 0
               ? 0
               : authority_fail(c, SOSIA_E_INVALID, "invalid_request", 9000410,
                                "Malformed request.");
}

const char *authority_param(struct call *c, const char *name)
{
    const char *text = call_query_item(c, name);
    return text && *text ? text : NULL;
}

/* Where a person decides: its own token says who it is (identity/consent.h). */
static bool is_consent(const struct route *r)
{
    return str_starts(r->id, "authority.authorize") || str_starts(r->id, "authority.login") ||
           str_starts(r->id, "authority.deviceApprove") ||
           str_starts(r->id, "authority.adminConsent");
}

static int begin(struct call *c)
{
    c->vendor_data = arena_calloc(c->tx.arena, 1, sizeof(struct failure));
    c->escape_html = true;
    if (c->route)
        c->token = is_consent(c->route) ? call_bearer(c) : NULL;
    return 0;
}

/* ---- failures ---- */

int authority_failed(struct call *c, enum sosia_code code, const char *error, int number,
                     const char *text)
{
    struct failure *f = c->vendor_data;
    if (f)
        *f = (struct failure){error, text, number};
    return call_fail(c, code, error, NULL, "%.200s", text ? text : "");
}

int authority_missing(struct call *c, const char *name)
{
    return authority_fail(c, SOSIA_E_INVALID, "invalid_request", 900144,
                          "The request body must contain the following parameter: '%s'.", name);
}

/* Follows from the request, so that a replay has the same. */
static const char *trace_id(struct call *c)
{
    return graph_guid(c->tx.arena, "trace",
                      arena_printf(c->tx.arena, "%s %lld %.200s", c->request->target,
                                   (long long)c->tx.now_us, c->tx.err->text));
}

static const char *correlation_id(struct call *c)
{
    const char *id = call_request_header(c, "client-request-id");
    if (!id || !*id)
        id = call_query_item(c, "client-request-id");
    size_t n = id ? strlen(id) : 0;
    for (size_t i = 0; i < n; i++)
        if (id[i] < ' ' || id[i] > '~') /* it becomes a header */
            n = 0;
    return n && n <= 64 ? id : graph_guid(c->tx.arena, "correlation", trace_id(c));
}

/* "2026-05-04 08:32:45Z" */
static const char *timestamp(struct call *c)
{
    char text[STAMP_TEXT];
    stamp_format(text, c->tx.now_us, 0, 0, true);
    text[10] = ' ';
    return arena_strdup(c->tx.arena, text);
}

static struct failure failure_of(struct call *c)
{
    const struct failure *f = c->vendor_data;
    const struct sosia_err *e = c->tx.err;
    if (f && f->error)
        return *f;
    if (e->code == SOSIA_E_UNAUTHENTICATED)
        return (struct failure){"invalid_token", "The access token is not valid.", 50027};
    if (sosia_code_status(e->code) < 500)
        return (struct failure){"invalid_request", arena_strdup(c->tx.arena, e->text), 90014};
    return (struct failure){"server_error", "The server has failed.", 50000};
}

const char *authority_error(struct call *c)
{
    return failure_of(c).error;
}

const char *authority_text(struct call *c)
{
    struct failure f = failure_of(c);
    return arena_printf(c->tx.arena, "AADSTS%d: %s Trace ID: %s Correlation ID: %s Timestamp: %s",
                        f.number, f.text, trace_id(c), correlation_id(c), timestamp(c));
}

static void write_error(struct call *c)
{
    struct failure f = failure_of(c);
    struct json_writer *w = c->out;
    json_obj(w, NULL);
    json_str(w, "error", f.error);
    json_str(w, "error_description", authority_text(c));
    json_arr(w, "error_codes");
    json_int(w, NULL, f.number);
    json_end(w);
    json_str(w, "timestamp", timestamp(c));
    json_str(w, "trace_id", trace_id(c));
    json_str(w, "correlation_id", correlation_id(c));
    json_str(w, "error_uri",
             arena_printf(c->tx.arena, "https://" AUTHORITY_HOST "/error?code=%d", f.number));
    if (strcmp(f.error, "interaction_required") == 0 || f.number == 65001)
        json_str(w, "suberror", f.number == 65001 ? "consent_required" : "basic_action");
    json_end(w);
}

int authority_refuse(struct call *c, const char *error, int number, const char *text)
{
    struct failure *f = c->vendor_data;
    if (f)
        *f = (struct failure){error, text, number};
    c->status = 400;
    write_error(c);
    return 0;
}

struct front_fault {
    enum sosia_code code;
    const char *error;
    int number;
    const char *text;
    bool kept; /* what was done is kept */
};

/* %s: the client id. */
static const struct front_fault faults[] = {
    [OAUTH_UNKNOWN_APP] = {SOSIA_E_INVALID, "unauthorized_client", 700016,
                           "Application with identifier '%s' was not found in the directory."},
    [OAUTH_NO_SECRET] = {SOSIA_E_UNAUTHENTICATED, "invalid_client", 7000218,
                         "The request body must contain the following parameter: "
                         "'client_assertion' or 'client_secret'."},
    [OAUTH_BAD_SECRET] = {SOSIA_E_UNAUTHENTICATED, "invalid_client", 7000215,
                          "Invalid client secret provided. Ensure the secret being sent in the "
                          "request is the client secret value, not the client secret ID, for a "
                          "secret added to app '%s'."},
    [OAUTH_UNKNOWN_CODE] = {SOSIA_E_INVALID, "invalid_grant", 70008,
                            "The provided authorization code or refresh token has expired due to "
                            "inactivity. Send a new interactive authorization request for this "
                            "user and resource."},
    [OAUTH_USED_CODE] = {SOSIA_E_INVALID, "invalid_grant", 54005,
                         "OAuth2 Authorization code was already redeemed, please retry with a new "
                         "valid code or use an existing refresh token.",
                         true},
    [OAUTH_OTHER_REDIRECT] = {SOSIA_E_INVALID, "invalid_client", 50011,
                              "The redirect URI specified in the request does not match the "
                              "redirect URIs configured for the application '%s'."},
    [OAUTH_NEEDLESS_VERIFIER] = {SOSIA_E_INVALID, "invalid_grant", 501481,
                                 "The Code_Verifier does not match the code_challenge supplied in "
                                 "the authorization request."},
    [OAUTH_NO_VERIFIER] = {SOSIA_E_INVALID, "invalid_grant", 50148,
                           "The code_verifier does not match the code_challenge supplied in the "
                           "authorization request for PKCE."},
    [OAUTH_BAD_VERIFIER] = {SOSIA_E_INVALID, "invalid_grant", 501481,
                            "The Code_Verifier does not match the code_challenge supplied in the "
                            "authorization request."},
    [OAUTH_NOBODY] = {SOSIA_E_INVALID, "invalid_grant", 50034,
                      "The user account does not exist in the directory."},
    [OAUTH_UNKNOWN_GRANT] = {SOSIA_E_INVALID, "invalid_grant", 9002313,
                             "Invalid request. Request is malformed or invalid."},
    [OAUTH_OTHER_APP] = {SOSIA_E_INVALID, "invalid_grant", 700005,
                         "Provided Authorization Code or refresh token is intended to use against "
                         "other tenant or application, thus rejected."},
    [OAUTH_UNKNOWN_DEVICE] = {SOSIA_E_INVALID, "bad_verification_code", 70018,
                              "Invalid verification code due to user typing in the wrong user code "
                              "for the device code flow."},
    [OAUTH_EXPIRED] = {SOSIA_E_INVALID, "expired_token", 70019, "Verification code expired."},
    [OAUTH_DENIED] = {SOSIA_E_INVALID, "authorization_declined", 70016,
                      "OAuth 2.0 device flow error. Authorization was declined."},
    [OAUTH_PENDING] = {SOSIA_E_INVALID, "authorization_pending", 70016,
                       "OAuth 2.0 device flow error. Authorization is pending. Continue polling.",
                       true},
    [OAUTH_SLOW_DOWN] = {SOSIA_E_INVALID, "slow_down", 70016,
                         "OAuth 2.0 device flow error. The client polls too often.", true},
};

int authority_fault(struct call *c, const struct ident_app *app, int fault)
{
    if (fault < 0)
        return -1;
    const struct front_fault *f = &faults[fault];
    const char *id = app && app->client_id ? app->client_id : authority_param(c, "client_id");
    const char *at = strstr(f->text, "%s");
    const char *text = at ? arena_printf(c->tx.arena, "%.*s%.100s%s", (int)(at - f->text), f->text,
                                         id ? id : "", at + 2)
                          : f->text;
    return f->kept ? authority_refuse(c, f->error, f->number, text)
                   : authority_failed(c, f->code, f->error, f->number, text);
}

/* ---- responses ---- */

static bool has_header(const struct call *c, const char *name)
{
    for (size_t i = 0; i < c->n_headers; i++)
        if (str_eq_nocase(c->headers[i].name, name))
            return true;
    return false;
}

static void finish(struct call *c)
{
    char date[HTTP_DATE];
    if (c->route && !str_starts(c->route->id, "authority.document"))
        call_header(c, "Access-Control-Allow-Origin", ""); /* the server adds none */
    if (!has_header(c, "Content-Type") && c->status != 302)
        call_header(c, "Content-Type", "application/json; charset=utf-8");
    if (!has_header(c, "Cache-Control")) {
        call_header(c, "Cache-Control", "no-store, no-cache");
        call_header(c, "Pragma", "no-cache");
        call_header(c, "Expires", "-1");
    }
    http_date(date, c->tx.now_us);
    call_header(c, "Strict-Transport-Security", "max-age=31536000; includeSubDomains");
    call_header(c, "X-Content-Type-Options", "nosniff");
    call_header(c, "x-ms-request-id", trace_id(c));
    call_header(c, "client-request-id", correlation_id(c));
    call_header(c, "Date", date);
}

static void fail(struct call *c)
{
    write_error(c);
    finish(c);
}

/* It is in answers. */
static const char *const headers[] = {"client-request-id", NULL};

const struct front authority_front = {
    .headers = headers,
    .begin = begin,
    .finish = finish,
    .error = fail,
};
