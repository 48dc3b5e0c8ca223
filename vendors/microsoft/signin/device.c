/* SPDX-License-Identifier: Apache-2.0 */
/* Devices without a browser (RFC 8628): they show a code, a person enters it on the page and signs
 * in there, the device polls until then. */
#include "vendors/microsoft/signin/internal.h"

static int device_code(struct call *c)
{
    struct json_writer *w = c->out;
    struct authority a;
    struct ident_app app;
    struct wanted wanted;
    if (authority_form(c) < 0 || authority_read(c, &a) < 0 || authority_app(c, &a, &app) < 0 ||
        authority_wanted(c, &a, authority_param(c, "scope"), &wanted) < 0)
        return -1;
    struct oauth_device d = {.app = app.id, .scopes = wanted.scopes};
    if (oauth_device_new(&c->tx, &authority_style, &d) < 0)
        return -1;
    const char *url = call_follow_url(c, AUTHORITY_HOST, "/common/oauth2/deviceauth");
    json_obj(w, NULL);
    json_str(w, "user_code", d.user_code);
    json_str(w, "device_code", d.code);
    json_str(w, a.v1 ? "verification_url" : "verification_uri", url);
    json_int(w, "expires_in", authority_style.device_s);
    json_int(w, "interval", authority_style.interval_s);
    json_str(w, "message",
             arena_printf(c->tx.arena,
                          "To sign in, use a web browser to open the page %s and enter the code %s "
                          "to authenticate.",
                          url, d.user_code));
    json_end(w);
    return 0;
}

/* ---- the person's page ---- */

static int device_page(struct call *c)
{
    struct buf b;
    const char *code = authority_param(c, "user_code");
    buf_init(&b, 1 << 16);
    buf_puts(&b, "<form method=\"post\" action=\"deviceauth\">\n<label>Code: <input "
                 "name=\"user_code\" autocomplete=\"off\" value=\"");
    html_add(&b, code ? code : "");
    buf_puts(&b, "\"></label>\n");
    page_mark(c, &b, "a device");
    authority_fields(c, &b, NULL);
    buf_puts(&b, "<button name=\"sosia_decision\" value=\"allow\">Next</button>"
                 "<button name=\"sosia_decision\" value=\"deny\">Cancel</button>\n</form>\n");
    const char *body = buf_keep(&b, c->tx.arena);
    return page_show(c, 200, "Enter code", body);
}

/* Who has signed in may be a user of a tenant that knows the app, and agrees to what it may. */
static int agree(struct call *c, const struct oauth_device *d, const struct person *p)
{
    const char *agreed, *admin = authority_admin_only(c->tx.arena, d->scopes);
    struct ident_app app;
    if (app_get(&c->tx, d->app, &app) != 1 || authority_knows(c, &app, p->user.tenant) < 0 ||
        authority_agreed(c, &app, &p->user, &agreed) < 0)
        return -1;
    if (admin && !p->user.admin && !scopes_cover(agreed, d->scopes))
        return authority_fail(c, SOSIA_E_INVALID, "access_denied", 90094,
                              "An administrator has set a policy that prevents you from granting "
                              "%.60s the permissions it is requesting (%.60s).",
                              app.name, admin);
    return consent_proof_used(&c->tx, &p->proof) < 0 ||
                   oauth_consent_add(&c->tx, app.id, p->who.id, d->scopes) < 0
               ? -1
               : 0;
}

static int device_approve(struct call *c)
{
    struct authority a = {0};
    struct oauth_device d;
    struct person p = {0};
    if (authority_form(c) < 0 || authority_read(c, &a) < 0)
        return authority_page(c);
    const char *decision = authority_param(c, "sosia_decision");
    const char *entered = authority_param(c, "user_code");
    bool allow = decision && strcmp(decision, "allow") == 0;
    int found = oauth_device_entered(&c->tx, entered ? entered : "", &d);
    if (found < 0)
        return -1;
    int r = allow && found ? authority_person(c, &a, d.scopes, &p) : 0;
    bool token = r == 1 && !p.proof.link && !p.by_password;
    if (!token && !authority_form_is_ours(c, "a device"))
        return 0;
    if (!found)
        return page_show(c, 400, "Enter code",
                         "<p>That code didn't work. Check the code and try "
                         "again.</p>\n");
    if (allow && r == 0)
        r = authority_fail(c, SOSIA_E_INVALID, "invalid_grant", 50126,
                           "Error validating credentials due to invalid username or password.");
    if (r < 0 || (allow && agree(c, &d, &p) < 0))
        return authority_page(c);
    if (oauth_device_decide(&c->tx, d.id, allow ? p.who.id : 0, !allow) < 0 ||
        (allow && authority_chosen_put(&c->tx, "device", d.id, &p.user) < 0))
        return -1;
    return page_show(c, 200, "Sign in",
                     allow ? "<p>You have signed in to the application on your device. You may now "
                             "close this window.</p>\n"
                           : "<p>The device was refused.</p>\n");
}

static const struct route methods[] = {
    OPEN("authority.deviceCode", POST, device_code, RISK_WRITE,
         "Codes for a device without a browser", "/{tenant}/oauth2/v2.0/devicecode",
         "/{tenant}/oauth2/devicecode"),
    OPEN("authority.device", GET, device_page, RISK_READ,
         "The page on which a person enters a device's code", "/{tenant}/oauth2/deviceauth"),
    OPEN("authority.deviceApprove", POST, device_approve, RISK_WRITE,
         "What the person has decided about the device", "/{tenant}/oauth2/deviceauth"),
};

const struct rows authority_device_rows = ROWS(methods);
