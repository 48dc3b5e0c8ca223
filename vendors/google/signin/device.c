/* SPDX-License-Identifier: Apache-2.0 */
/* Devices without a browser (RFC 8628): they show a code, a person enters it on the page, the
 * device polls until then. */
#include "vendors/google/signin/internal.h"
#include "identity/consent.h"

/* The few scopes that a device may request. NULL: all are good. */
static const char *forbidden(struct arena *a, const char *scopes)
{
    static const char allowed[] = SCOPE_OPENID " " SCOPE_EMAIL " " SCOPE_PROFILE
                                               " https://www.googleapis.com/auth/drive.appdata"
                                               " https://www.googleapis.com/auth/drive.file"
                                               " https://www.googleapis.com/auth/youtube"
                                               " https://www.googleapis.com/auth/youtube.readonly";
    while (*scopes) {
        size_t n = strcspn(scopes, " ");
        if (!scopes_have(allowed, scopes, n))
            return arena_memdup(a, scopes, n);
        scopes += n + strspn(scopes + n, " ");
    }
    return NULL;
}

static int device_code(struct call *c)
{
    struct ident_app client;
    struct oauth_device d = {0};
    struct json_writer *w = c->out;
    const char *bad;
    if (oauth_form(c) < 0)
        return -1;
    const char *id = oauth_param(c, "client_id"), *scope = oauth_param(c, "scope");
    int r = id ? oauth_app(&c->tx, &google_style, id, &client) : OAUTH_UNKNOWN_APP;
    if (r)
        return oauth_fail(c, r);
    if (strcmp(client.kind, "device") != 0 && strcmp(client.kind, "any") != 0)
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
    d.app = client.id;
    d.actor = client.proven ? 0 : client.automatic;
    if (oauth_device_new(&c->tx, &google_style, &d) < 0)
        return -1;
    json_obj(w, NULL);
    json_str(w, "device_code", d.code);
    json_str(w, "user_code", d.user_code);
    json_int(w, "expires_in", google_style.device_s);
    json_int(w, "interval", google_style.interval_s);
    json_str(w, "verification_url",
             c->base_url ? arena_printf(c->tx.arena, "%s/device", c->base_url)
                         : "https://www.google.com/device");
    json_end(w);
    return 0;
}

/* ---- the person's page ---- */

static int device_page(struct call *c)
{
    struct buf b;
    const char *code = oauth_param(c, "user_code");
    buf_init(&b, 1 << 20);
    buf_puts(&b, "<form method=\"post\" action=\"device\">\n<label>Code on the device: <input "
                 "name=\"user_code\" autocomplete=\"off\" value=\"");
    html_add(&b, code ? code : "");
    buf_puts(&b, "\"></label>\n");
    page_mark(c, &b, "a device");
    int r = oauth_people(c, &b, NULL);
    buf_puts(&b, "<button name=\"sosia_decision\" value=\"allow\">Allow</button>"
                 "<button name=\"sosia_decision\" value=\"deny\">Cancel</button>\n</form>\n");
    const char *body = buf_keep(&b, c->tx.arena);
    return r < 0 ? -1 : page_show(c, 200, "Connect a device", body);
}

/* Whether who was chosen has proven it, where the device's app asks for that. r: somebody was. 1,
 * 0, -1. */
static int check_proof(struct call *c, const struct oauth_device *d, struct actor *who, int r)
{
    struct consent_proof proof;
    struct ident_app app;
    int is = app_get(&c->tx, d->app, &app);
    if (is != 1 || !app.proven)
        return is < 0 ? -1 : r;
    is = consent_proof(c, d->scopes, &proof);
    if (is != 1 || (r && proof.who.id != who->id))
        return is < 0 ? -1 : 0;
    *who = proof.who;
    return consent_proof_used(&c->tx, &proof) < 0 ? -1 : 1;
}

static int device_approve(struct call *c)
{
    struct oauth_device d;
    struct actor who = {0};
    if (oauth_form(c) < 0)
        return -1;
    if (!oauth_form_is_ours(c, "a device"))
        return 0;
    const char *decision = oauth_param(c, "sosia_decision"), *email = oauth_param(c, "sosia_actor");
    bool allow = decision && strcmp(decision, "allow") == 0;
    const char *entered = oauth_param(c, "user_code");
    int r = oauth_device_entered(&c->tx, entered ? entered : "", &d);
    if (r < 0)
        return -1;
    if (!r)
        return page_show(c, 400, "Connect a device", "<p>There is no such code.</p>\n");
    r = allow && email ? actor_find(&c->tx, email, &who) : 0;
    if (r < 0 || (allow && (r = check_proof(c, &d, &who, r)) < 0))
        return -1;
    if (allow && (!r || strcmp(who.kind, "person") != 0 || !*who.email))
        return page_show(c, 400, "Connect a device", "<p>No account was chosen.</p>\n");
    if (oauth_device_decide(&c->tx, d.id, allow ? who.id : 0, !allow) < 0)
        return -1;
    return page_show(c, 200, "Connect a device",
                     allow ? "<p>The device is connected.</p>\n"
                           : "<p>The device was refused.</p>\n");
}

/* ---- rows ---- */

static const struct route methods[] = {
    OPEN("oauth.deviceCode", POST, "/device/code", device_code, RISK_WRITE,
         "Codes for a device without a browser"),
    OPEN("oauth.deviceCodeAccounts", POST, "/o/oauth2/device/code", device_code, RISK_WRITE,
         "Codes for a device without a browser (old path)"),
    OPEN("oauth.device", GET, "/device", device_page, RISK_READ,
         "The page on which a person enters a device's code"),
    OPEN("oauth.deviceApprove", POST, "/device", device_approve, RISK_WRITE,
         "What the person has decided about the device"),
};

const struct rows oauth_device_rows = ROWS(methods);
