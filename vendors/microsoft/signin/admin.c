/* SPDX-License-Identifier: Apache-2.0 */
/* An administrator agrees to an app for all of the tenant. */
#include "engine/base/codec.h"
#include "vendors/microsoft/signin/internal.h"

static const char *const params[] = {"client_id", "redirect_uri", "state", "scope"};

struct request {
    struct authority authority;
    struct ident_app app;
    const char *redirect, *state, *scopes;
};

/* The app need not be known in the tenant yet: this is how it comes there. */
static int read_request(struct call *c, struct request *ret)
{
    const char *id = authority_param(c, "client_id"), *scope = authority_param(c, "scope");
    struct wanted wanted = {.scopes = "", .resource = GRAPH_RESOURCE};
    ret->redirect = authority_param(c, "redirect_uri");
    ret->state = authority_param(c, "state");
    if (authority_read(c, &ret->authority) < 0)
        return -1;
    int r = id ? oauth_app(&c->tx, &authority_style, id, &ret->app) : OAUTH_UNKNOWN_APP;
    if (r)
        return authority_fault(c, NULL, r);
    if (!ret->redirect || strlen(ret->redirect) > 4096 ||
        !app_redirect_allowed(&ret->app, ret->redirect))
        return authority_fault(c, &ret->app, OAUTH_OTHER_REDIRECT);
    if (ret->state && strlen(ret->state) > 4096)
        return authority_fail(c, SOSIA_E_INVALID, "invalid_request", 90013,
                              "Invalid input received from the user: 'state' is too long.");
    if (scope && authority_wanted(c, &ret->authority, scope, &wanted) < 0)
        return -1;
    ret->scopes = wanted.scopes;
    return 0;
}

static int show(struct call *c)
{
    struct request q = {0};
    struct buf b;
    if (authority_form(c) < 0 || read_request(c, &q) < 0)
        return authority_page(c);
    buf_init(&b, 1 << 18);
    buf_puts(&b, "<p><b>");
    html_add(&b, q.app.name);
    buf_puts(&b, "</b> asks for permission to act for all users of the organisation:</p>\n");
    authority_list_scopes(c, &b, q.scopes);
    buf_puts(&b, "<form method=\"post\" action=\"adminconsent\">\n");
    authority_fields(c, &b, NULL);
    for (size_t i = 0; i < SOSIA_LEN(params); i++)
        html_hidden(&b, params[i], authority_param(c, params[i]));
    page_mark(c, &b, q.app.client_id);
    buf_puts(&b, "<button name=\"sosia_decision\" value=\"allow\">Accept</button>"
                 "<button name=\"sosia_decision\" value=\"deny\">Cancel</button>\n</form>\n");
    const char *body = buf_keep(&b, c->tx.arena);
    return page_show(c, 200, "Permissions requested: accept for your organization", body);
}

static int answer_program(struct call *c, const struct request *q, const char *error,
                          const char *tenant)
{
    struct buf b;
    buf_init(&b, 0);
    buf_puts(&b, q->redirect);
    page_add_param(&b, "admin_consent", error ? NULL : "True");
    page_add_param(&b, "tenant", tenant);
    page_add_param(&b, "state", q->state);
    page_add_param(&b, "scope", !error && *q->scopes ? q->scopes : NULL);
    page_add_param(&b, "error", error);
    page_add_param(&b, "error_description", error ? authority_text(c) : NULL);
    page_redirect(c, buf_keep(&b, c->tx.arena));
    return 0;
}

static int decide(struct call *c)
{
    struct request q = {0};
    struct ms_tenant tenant;
    struct person p;
    if (authority_form(c) < 0 || read_request(c, &q) < 0)
        return authority_page(c);
    const char *decision = authority_param(c, "sosia_decision");
    bool allow = decision && strcmp(decision, "allow") == 0;
    int r = allow ? authority_person(c, &q.authority, q.scopes, &p) : 0;
    bool token = r == 1 && !p.proof.link && !p.by_password;
    if (!token && !authority_form_is_ours(c, q.app.client_id))
        return 0;
    if (!allow) {
        authority_fail(c, SOSIA_E_INVALID, "access_denied", 65004,
                       "User declined to consent to access the app.");
        return answer_program(c, &q, "access_denied", NULL);
    }
    if (r == 0)
        r = authority_fail(c, SOSIA_E_INVALID, "invalid_grant", 50126,
                           "Error validating credentials due to invalid username or password.");
    else if (r == 1 && !p.user.admin)
        r = authority_fail(c, SOSIA_E_FORBIDDEN, "access_denied", 90093,
                           "Only an administrator of the tenant can agree for all of it.");
    if (r < 0)
        return authority_page(c);
    if (ms_tenant_get(&c->tx, p.user.tenant, &tenant) != 1 ||
        ms_app_agree(&c->tx, &q.app, &tenant, q.scopes, "") < 0 ||
        consent_proof_used(&c->tx, &p.proof) < 0)
        return -1;
    return answer_program(c, &q, NULL, tenant.guid);
}

#define ENDS "/{tenant}/adminconsent", "/{tenant}/v2.0/adminconsent"

static const struct route methods[] = {
    OPEN("authority.adminConsent", GET, show, RISK_READ,
         "The page on which an administrator agrees for all of a tenant", ENDS),
    OPEN("authority.adminConsentDecide", POST, decide, RISK_WRITE,
         "What the administrator has decided", ENDS),
};

const struct rows authority_admin_rows = ROWS(methods);
