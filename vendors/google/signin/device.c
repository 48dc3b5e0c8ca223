/* SPDX-License-Identifier: Apache-2.0 */
/* Devices without a browser (RFC 8628): they show a code, a person enters it on the page, the
 * device asks until then. */
#include "vendors/google/signin/internal.h"
#include "engine/base/codec.h"
#include "engine/text/civil.h"
#include <ctype.h>

/* The few scopes that a device may ask for. NULL: all are good. */
static const char *forbidden(struct arena *a, const char *scopes)
{
    static const char allowed[] = SCOPE_OPENID " " SCOPE_EMAIL " " SCOPE_PROFILE
                                               " https://www.googleapis.com/auth/drive.appdata"
                                               " https://www.googleapis.com/auth/drive.file"
                                               " https://www.googleapis.com/auth/youtube"
                                               " https://www.googleapis.com/auth/youtube.readonly";
    while (*scopes) {
        size_t n = strcspn(scopes, " ");
        if (!oauth_scopes_have(allowed, scopes, n))
            return arena_memdup(a, scopes, n);
        scopes += n + strspn(scopes + n, " ");
    }
    return NULL;
}

int oauth_device_code(struct call *c)
{
    struct oauth_client client;
    struct oauth_device d = {0};
    struct json_writer *w = c->out;
    const char *bad;
    if (oauth_form(c) < 0)
        return -1;
    const char *id = oauth_param(c, "client_id"), *scope = oauth_param(c, "scope");
    int r = id ? oauth_client_find(&c->tx, id, &client) : 0;
    if (r < 0)
        return -1;
    if (!r)
        return call_fail(c, SOSIA_E_UNAUTHENTICATED, "invalid_client", NULL,
                         "The OAuth client was not found.");
    if (strcmp(client.kind, "tv") != 0)
        return call_fail(c, SOSIA_E_UNAUTHENTICATED, "invalid_client", NULL,
                         "Only clients of type 'TVs and Limited Input devices' can use the OAuth "
                         "2.0 flow for TV and Limited-Input Device Applications. Please create and "
                         "use an appropriate client.");
    if (!scope || oauth_scopes_normal(c->tx.arena, scope, &d.scopes, &bad) < 0 || !*d.scopes)
        return call_fail(c, SOSIA_E_INVALID, "invalid_scope", NULL, "Invalid scopes.");
    if ((bad = forbidden(c->tx.arena, d.scopes)) != NULL)
        return call_fail(c, SOSIA_E_INVALID, "invalid_scope", NULL,
                         "Invalid device flow scope: %.150s", bad);
    d.scopes = oauth_scopes_granted(c->tx.arena, d.scopes);
    d.client = client.id;
    d.actor = client.automatic;
    if (oauth_device_new(&c->tx, &d) < 0)
        return -1;
    json_obj(w, NULL);
    json_str(w, "device_code", d.code);
    json_str(w, "user_code", d.user_code);
    json_int(w, "expires_in", OAUTH_DEVICE_S);
    json_int(w, "interval", OAUTH_INTERVAL_S);
    json_str(w, "verification_url",
             c->base_url ? arena_printf(c->tx.arena, "%s/device", c->base_url)
                         : "https://www.google.com/device");
    json_end(w);
    return 0;
}

static int wait(struct call *c, const struct oauth_device *d)
{
    bool early = d->polled_us != INT64_MIN &&
                 c->tx.now_us - d->polled_us < OAUTH_INTERVAL_S * US_PER_SECOND &&
                 c->tx.now_us != d->polled_us; /* under a clock that stands still nobody is early */
    if (oauth_device_polled(&c->tx, d->id) < 0)
        return -1;
    return early ? oauth_refuse(c, 403, "slow_down", "Forbidden")
                 : oauth_refuse(c, 428, "authorization_pending", "Precondition Required");
}

int oauth_token_device(struct call *c, const struct oauth_client *client)
{
    struct oauth_device d;
    struct oauth_grant grant;
    struct actor who;
    const char *code = oauth_param(c, "device_code");
    if (!code)
        code = oauth_param(c, "code");
    if (!code || !*code)
        return call_fail(c, SOSIA_E_INVALID, "invalid_request", NULL,
                         "Missing required parameter: device_code");
    int r = oauth_device_find(&c->tx, code, NULL, &d);
    if (r < 0)
        return -1;
    if (!r || d.client != client->id)
        return call_fail(c, SOSIA_E_INVALID, "invalid_grant", NULL, "Malformed auth code.");
    if (d.expires_us <= c->tx.now_us) {
        call_why(c, "device_code must be younger than %d s", OAUTH_DEVICE_S);
        return call_fail(c, SOSIA_E_INVALID, "expired_token", NULL, "Bad Request");
    }
    if (d.denied)
        return call_fail(c, SOSIA_E_FORBIDDEN, "access_denied", NULL, "Forbidden");
    if (!d.actor)
        return wait(c, &d);
    if ((r = actor_by_id(&c->tx, d.actor, &who)) != 1)
        return r < 0 ? -1
                     : call_fail(c, SOSIA_E_INVALID, "invalid_grant", NULL,
                                 "Account has been deleted");
    if (oauth_device_forget(&c->tx, d.id) < 0 ||
        oauth_grant_new(&c->tx, client->id, who.id, d.scopes, &grant) < 0)
        return -1;
    return oauth_write_tokens(
        c, &(struct oauth_issue){client->client_id, &who, d.scopes, grant.id, grant.token, NULL});
}

/* ---- the person's page ---- */

/* Upper case; the dash may be missing. */
static const char *tidy(struct arena *a, const char *text)
{
    char out[16];
    size_t n = 0;
    for (; text && *text && n < sizeof out - 2; text++) {
        if (!isalnum((unsigned char)*text))
            continue;
        if (n == 4)
            out[n++] = '-';
        out[n++] = (char)toupper((unsigned char)*text);
    }
    out[n] = 0;
    return arena_strdup(a, out);
}

int oauth_device_page(struct call *c)
{
    struct buf b;
    const char *code = oauth_param(c, "user_code");
    buf_init(&b, 1 << 20);
    buf_puts(&b, "<form method=\"post\" action=\"device\">\n<label>Code on the device: <input "
                 "name=\"user_code\" autocomplete=\"off\" value=\"");
    html_add(&b, code ? code : "");
    buf_puts(&b, "\"></label>\n");
    oauth_mark_form(c, &b, "a device");
    int r = oauth_people(c, &b, NULL);
    buf_puts(&b, "<button name=\"sosia_decision\" value=\"allow\">Allow</button>"
                 "<button name=\"sosia_decision\" value=\"deny\">Cancel</button>\n</form>\n");
    const char *body = arena_strdup(c->tx.arena, buf_str(&b));
    buf_done(&b);
    return r < 0 ? -1 : oauth_page(c, 200, "Connect a device", body);
}

int oauth_device_approve(struct call *c)
{
    struct oauth_device d;
    struct actor who = {0};
    if (oauth_form(c) < 0)
        return -1;
    if (!oauth_form_is_ours(c, "a device"))
        return 0;
    const char *decision = oauth_param(c, "sosia_decision"), *email = oauth_param(c, "sosia_actor");
    bool allow = decision && strcmp(decision, "allow") == 0;
    int r = oauth_device_find(&c->tx, NULL, tidy(c->tx.arena, oauth_param(c, "user_code")), &d);
    if (r < 0)
        return -1;
    if (!r || d.expires_us <= c->tx.now_us)
        return oauth_page(c, 400, "Connect a device", "<p>There is no such code.</p>\n");
    r = allow && email ? actor_by_email(&c->tx, email, &who) : 0;
    if (r < 0)
        return -1;
    if (allow && (!r || strcmp(who.kind, "person") != 0))
        return oauth_page(c, 400, "Connect a device", "<p>No account was chosen.</p>\n");
    if (oauth_device_decide(&c->tx, d.id, allow ? who.id : 0, !allow) < 0)
        return -1;
    return oauth_page(c, 200, "Connect a device",
                      allow ? "<p>The device is connected.</p>\n"
                            : "<p>The device was refused.</p>\n");
}
