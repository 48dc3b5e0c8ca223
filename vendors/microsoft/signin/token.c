/* SPDX-License-Identifier: Apache-2.0 */
/* The token endpoint: codes, refresh tokens, devices, secrets of apps, passwords, and tokens for
 * an API that acts on behalf of who called it. */
#include "engine/base/codec.h"
#include "engine/text/civil.h"
#include "vendors/microsoft/signin/internal.h"

#define DEVICE_GRANT "urn:ietf:params:oauth:grant-type:device_code"
#define JWT_GRANT    "urn:ietf:params:oauth:grant-type:jwt-bearer"

static int no_consent(struct call *c, const struct ident_app *app)
{
    return authority_fail(
        c, SOSIA_E_INVALID, "invalid_grant", 65001,
        "The user or administrator has not consented to use the application with ID '%.60s' named "
        "'%.60s'. Send an interactive authorization request for this user and resource.",
        app->client_id, app->name);
}

/* Tokens for a person, of the scopes that are given. */
static int give(struct call *c, const struct authority *a, const struct ident_app *app,
                const struct actor *who, const struct ms_user *user, const struct wanted *wanted,
                const char *nonce, const char **ret_access)
{
    struct issue issue = {.authority = a,
                          .app = app,
                          .who = who,
                          .user = user,
                          .resource = wanted->resource,
                          .nonce = nonce};
    int r = authority_knows(c, app, user->tenant);
    if (r == 0)
        r = authority_given(c, app, user, wanted, &issue.scopes);
    else
        return -1;
    if (r == 0)
        return no_consent(c, app);
    if (r < 0)
        return -1;
    issue.lasting = authority_openid(issue.scopes, "offline_access");
    if (authority_issue(c, &issue) < 0)
        return -1;
    if (ret_access)
        *ret_access = issue.access_token;
    return 0;
}

/* The scopes that something was given for before, of the resource that is asked for now. */
static int wanted_of(struct call *c, const struct authority *a, const char *scopes,
                     struct wanted *ret)
{
    const char *text = authority_param(c, "scope");
    if (a->v1 || text)
        return authority_wanted(c, a, text, ret);
    const char *slash = NULL, *first = scopes;
    /* All are of one resource. */
    for (size_t n; *first && !slash; first += n + (first[n] == ' ')) {
        n = strcspn(first, " ");
        slash = memrchr(first, '/', n);
        if (slash)
            ret->resource = arena_memdup(c->tx.arena, first, (size_t)(slash - first));
    }
    *ret = (struct wanted){.resource = slash ? ret->resource : GRAPH_RESOURCE, .scopes = scopes};
    return 0;
}

/* Of a grant that was ended; made_us: when it was issued. */
static int revoked(struct call *c, int64_t made_us, int64_t ended_us)
{
    return authority_fail(
        c, SOSIA_E_INVALID, "invalid_grant", 50173,
        "The provided grant has expired due to it being revoked, a fresh auth token is needed. "
        "The user might have changed or reset their password. The grant was issued on '%s' and "
        "the TokensValidFrom date (before which tokens are not valid) for this user is '%s'.",
        graph_date(c->tx.arena, made_us, 7), graph_date(c->tx.arena, ended_us, 7));
}

/* ---- codes ---- */

static int token_code(struct call *c, const struct authority *a)
{
    struct ident_app app;
    struct oauth_code code;
    struct wanted wanted;
    struct ms_user user;
    struct actor who;
    const char *text = authority_param(c, "code"), *access;
    if (authority_client(c, a, &app) < 0)
        return -1;
    if (!text)
        return authority_missing(c, "code");
    int r = oauth_code_redeem(&c->tx, &app, text, authority_param(c, "redirect_uri"),
                              authority_param(c, "code_verifier"), &code, &who);
    if (r)
        return authority_fault(c, &app, r);
    if (authority_chosen(c, a, "code", code.id, &who, &user) < 0 ||
        wanted_of(c, a, code.scopes, &wanted) < 0)
        return -1;
    if (code.ended_us)
        return revoked(c, code.expires_us - authority_style.code_s * US_PER_SECOND, code.ended_us);
    if (!a->v1) /* what OpenID gives is what the code was asked for with */
        wanted.scopes =
            scopes_union(c->tx.arena, wanted.scopes, authority_openid_of(c->tx.arena, code.scopes));
    if (!wanted.scopes || give(c, a, &app, &who, &user, &wanted, code.nonce, &access) < 0)
        return -1;
    return oauth_code_used(&c->tx, code.id, access);
}

/* ---- refresh tokens ---- */

static int token_refresh(struct call *c, const struct authority *a)
{
    struct ident_app app;
    struct oauth_grant grant;
    struct wanted wanted;
    struct ms_user user;
    struct actor who;
    const char *text = authority_param(c, "refresh_token");
    if (authority_client(c, a, &app) < 0)
        return -1;
    if (!text)
        return authority_missing(c, "refresh_token");
    int r = oauth_grant_use(&c->tx, &app, text, "User.Read openid profile offline_access", &grant);
    if (r)
        return authority_fault(c, &app, r);
    if ((r = actor_by_id(&c->tx, grant.actor, &who)) != 1)
        return authority_fault(c, &app, r < 0 ? -1 : OAUTH_NOBODY);
    if (authority_chosen(c, a, "grant", grant.id, &who, &user) < 0 ||
        wanted_of(c, a, grant.scopes, &wanted) < 0)
        return -1;
    if (grant.ended_us)
        return revoked(c, grant.made_us ? grant.made_us : user.made_us, grant.ended_us);
    /* It is renewed, and has OpenID's scopes as before. */
    wanted.scopes =
        scopes_union(c->tx.arena, wanted.scopes, authority_openid_of(c->tx.arena, grant.scopes));
    return wanted.scopes ? give(c, a, &app, &who, &user, &wanted, NULL, NULL) : -1;
}

/* ---- devices ---- */

static int token_device(struct call *c, const struct authority *a)
{
    struct ident_app app;
    struct oauth_device d;
    struct wanted wanted;
    struct ms_user user;
    struct actor who;
    const char *code = authority_param(c, "device_code");
    if (authority_client(c, a, &app) < 0)
        return -1;
    if (!code)
        code = authority_param(c, "code");
    if (!code)
        return authority_missing(c, "device_code");
    int r = oauth_device_poll(&c->tx, &authority_style, &app, code, &d, &who);
    if (r)
        return authority_fault(c, &app, r);
    if (authority_chosen(c, a, "device", d.id, &who, &user) < 0 ||
        wanted_of(c, a, d.scopes, &wanted) < 0)
        return -1;
    return give(c, a, &app, &who, &user, &wanted, NULL, NULL);
}

/* ---- passwords ---- */

static int token_password(struct call *c, const struct authority *a)
{
    struct ident_app app;
    struct wanted wanted;
    struct person p;
    const char *name = authority_param(c, "username"), *password = authority_param(c, "password");
    if (a->consumers)
        return authority_fail(c, SOSIA_E_INVALID, "invalid_request", 9001023,
                              "The grant type is not supported over the /common or /consumers "
                              "endpoints. Please use the /organizations or tenant-specific "
                              "endpoint.");
    if (authority_client(c, a, &app) < 0)
        return -1;
    if (!name || !password)
        return authority_missing(c, name ? "password" : "username");
    if (authority_password(c, a, name, password, &p) < 0 ||
        authority_wanted(c, a, authority_param(c, "scope"), &wanted) < 0)
        return -1;
    return give(c, a, &app, &p.who, &p.user, &wanted, NULL, NULL);
}

/* ---- apps themselves ---- */

/* What it asks for is not for programs that can't keep a secret. 0, -1. */
static int needs_proof(struct call *c, const struct ident_app *app)
{
    int r = authority_is_confidential(c, app);
    return r == 1 ? 0 : r < 0 ? -1 : authority_fault(c, app, OAUTH_NO_SECRET);
}

/* An app that the world lists, with permissions that the tenant has given it. */
static int own_of(struct call *c, const struct authority *a, const struct ident_app *app,
                  struct ms_app *ret)
{
    int r = ms_app_find(&c->tx, app->id, a->tenant.id, ret);
    if (r < 0)
        return -1;
    if (!r || !*ret->application || !app->bot)
        return authority_fail(c, SOSIA_E_INVALID, "unauthorized_client", 7000229,
                              "The client application %.60s is missing service principal in the "
                              "tenant %.60s.",
                              app->client_id, a->tenant.guid);
    return 0;
}

static int token_app(struct call *c, const struct authority *a)
{
    struct ident_app app;
    struct wanted wanted;
    struct actor who;
    struct ms_app own;
    const char *scope = authority_param(c, "scope");
    if (!a->tenant.id)
        return authority_fail(c, SOSIA_E_INVALID, "invalid_request", 50059,
                              "No tenant-identifying information found in either the request or "
                              "implied by any provided credentials.");
    if (authority_client(c, a, &app) < 0)
        return -1;
    if (needs_proof(c, &app) < 0)
        return -1;
    if (authority_wanted(c, a, scope, &wanted) < 0)
        return -1;
    if (!wanted.all || (!a->v1 && *wanted.scopes))
        return authority_fail(c, SOSIA_E_INVALID, "invalid_scope", 1002012,
                              "The provided value for scope %.150s is not valid. Client credential "
                              "flows must have a scope value with /.default suffixed to the "
                              "resource identifier (application ID URI).",
                              scope ? scope : "");
    if (own_of(c, a, &app, &own) < 0 || actor_by_id(&c->tx, app.bot, &who) != 1)
        return -1;
    const char *roles = authority_of_resource(c->tx.arena, own.application, wanted.resource);
    bool graph = strcmp(wanted.resource, GRAPH_RESOURCE) == 0;
    struct buf b;
    buf_init(&b, 0);
    for (size_t n; *roles; roles += n + (roles[n] == ' ')) {
        n = strcspn(roles, " ");
        buf_printf(&b, "%s%s%s%.*s", b.len ? " " : "", graph ? "" : wanted.resource,
                   graph ? "" : "/", (int)n, roles);
    }
    const char *scopes = buf_keep(&b, c->tx.arena);
    return authority_issue(c, &(struct issue){.authority = a,
                                              .app = &app,
                                              .who = &who,
                                              .own = &own,
                                              .resource = wanted.resource,
                                              .scopes = scopes});
}

/* ---- on behalf of ---- */

/* A token of a person that is for this app, still good. */
static int check_assertion(struct call *c, const struct ident_app *app, const char *text,
                           struct actor *ret_who, int64_t *ret_account)
{
    struct ident_token token;
    const char *audience = authority_claim(c->tx.arena, text, "aud");
    int r = audience ? ident_token_find(&c->tx, text, &token) : 0;
    if (r < 0)
        return -1;
    if (!r || token.kind != TOKEN_USER)
        return authority_fail(c, SOSIA_E_INVALID, "invalid_grant", 50013,
                              "Assertion failed signature validation.");
    if (token.expires_us && token.expires_us <= c->tx.now_us)
        return authority_fail(c, SOSIA_E_INVALID, "invalid_grant", 500133,
                              "Assertion is not within its valid time range.");
    if (str_starts(audience, "api://"))
        audience += 6;
    if (strcmp(audience, app->client_id) != 0)
        return authority_fail(c, SOSIA_E_INVALID, "invalid_grant", 500131,
                              "Assertion audience does not match the Client app presenting the "
                              "assertion. The audience in the assertion was '%.100s' and the "
                              "expected audience is '%.60s'.",
                              audience, app->client_id);
    c->by_token = true;
    *ret_account = token.account;
    return actor_by_id(&c->tx, token.actor, ret_who) == 1 ? 0 : -1;
}

static int token_on_behalf(struct call *c, const struct authority *a)
{
    struct ident_app app;
    struct wanted wanted;
    struct ms_user user;
    struct actor who;
    const char *text = authority_param(c, "assertion");
    const char *use = authority_param(c, "requested_token_use");
    int64_t account;
    if (authority_client(c, a, &app) < 0)
        return -1;
    if (needs_proof(c, &app) < 0)
        return -1;
    if (!text)
        return authority_missing(c, "assertion");
    if (!use || strcmp(use, "on_behalf_of") != 0)
        return authority_missing(c, "requested_token_use");
    if (check_assertion(c, &app, text, &who, &account) < 0 ||
        authority_user_of(c, a, account, &who, &user) < 0 ||
        authority_wanted(c, a, authority_param(c, "scope"), &wanted) < 0)
        return -1;
    return give(c, a, &app, &who, &user, &wanted, NULL, NULL);
}

/* ---- which ---- */

static int give_tokens(struct call *c)
{
    static const struct {
        const char *name;
        int (*fn)(struct call *c, const struct authority *a);
    } grants[] = {
        {"authorization_code", token_code}, {"refresh_token", token_refresh},
        {"client_credentials", token_app},  {"password", token_password},
        {"device_code", token_device},      {DEVICE_GRANT, token_device},
        {JWT_GRANT, token_on_behalf},
    };
    struct authority a;
    if (authority_form(c) < 0 || authority_read(c, &a) < 0)
        return -1;
    const char *type = authority_param(c, "grant_type");
    if (!type)
        return authority_missing(c, "grant_type");
    for (size_t i = 0; i < SOSIA_LEN(grants); i++)
        if (strcmp(type, grants[i].name) == 0)
            return grants[i].fn(c, &a);
    return authority_fail(c, SOSIA_E_INVALID, "unsupported_grant_type", 70003,
                          "The app requested an unsupported grant type '%.100s'.", type);
}

static const struct route methods[] = {
    OPEN("authority.token", POST, give_tokens, RISK_WRITE, "Tokens for a grant",
         "/{tenant}/oauth2/v2.0/token", "/{tenant}/oauth2/token"),
};

const struct rows authority_token_rows = ROWS(methods);
