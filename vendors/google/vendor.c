/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is done before every method of a Google API: global query parameters, what an account is
 * asked for. What is done afterwards is in response.c.
 */
#include "vendors/google/internal.h"
#include "vendors/google/mask.h"
#include "vendors/google/upload.h"
#include "engine/base/codec.h"
#include "engine/http/admit.h"
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

static const struct front front = {
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
                                     .front = &front,
                                     .signin = &signin,
                                     .guide = &google_guide};
