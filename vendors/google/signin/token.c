/* SPDX-License-Identifier: Apache-2.0 */
/* The token endpoint: codes, refresh tokens, devices and service accounts against access tokens.
 * Errors are RFC 6749's, in the words of the service. */
#include "vendors/google/signin/internal.h"
#include "engine/base/codec.h"

#define DEVICE_GRANT     "urn:ietf:params:oauth:grant-type:device_code"
#define OLD_DEVICE_GRANT "http://oauth.net/grant_type/device/1.0"
#define JWT_GRANT        "urn:ietf:params:oauth:grant-type:jwt-bearer"
#define MAX_LIFE_S       3600
#define SKEW_S           300

#define bad_grant(c, text) call_fail(c, SOSIA_E_INVALID, "invalid_grant", NULL, "%s", text)

/* ---- the client ---- */

/* Authorization: Basic, or parameters. */
static int authenticate(struct call *c, struct ident_app *ret)
{
    const char *id = oauth_param(c, "client_id"), *secret = oauth_param(c, "client_secret");
    if (oauth_basic(c->tx.arena, call_request_header(c, "Authorization"), &id, &secret) < 0)
        return call_fail(c, SOSIA_E_UNAUTHENTICATED, "invalid_client", NULL, "Unauthorized");
    if (!id || !*id)
        return call_fail(c, SOSIA_E_INVALID, "invalid_request", NULL,
                         "Could not determine client ID from request.");
    int r = oauth_authenticate(&c->tx, &google_style, id, secret, ret);
    return r ? oauth_fail(c, r) : 0;
}

/* ---- codes ---- */

static int token_code(struct call *c)
{
    struct tx *tx = &c->tx;
    struct ident_app client;
    struct oauth_code code;
    struct oauth_grant grant = {0};
    struct actor who;
    const char *text = oauth_param(c, "code");
    if (authenticate(c, &client) < 0)
        return -1;
    if (!text || !*text)
        return call_fail(c, SOSIA_E_INVALID, "invalid_request", NULL,
                         "Missing required parameter: code");
    int r = oauth_code_redeem(tx, &client, text, oauth_param(c, "redirect_uri"),
                              oauth_param(c, "code_verifier"), &code, &who);
    if (r == OAUTH_UNKNOWN_CODE && str_starts(text, google_style.code.prefix))
        return bad_grant(c, "Bad Request");
    if (r)
        return oauth_fail(c, r);
    if (code.offline &&
        oauth_grant_new(tx, &google_style, client.id, who.id, code.scopes, &grant) < 0)
        return -1;
    struct oauth_issue issue = {&client, &who, code.scopes, grant.id, grant.token, code.nonce};
    return oauth_write_tokens(c, &issue) < 0 ? -1
                                             : oauth_code_used(tx, code.id, issue.access_token);
}

/* ---- refresh tokens ---- */

static int token_refresh(struct call *c)
{
    struct ident_app client;
    struct oauth_grant grant;
    struct actor who;
    const char *text = oauth_param(c, "refresh_token"), *wanted = oauth_param(c, "scope");
    const char *scopes, *bad;
    if (authenticate(c, &client) < 0)
        return -1;
    if (!text || !*text)
        return call_fail(c, SOSIA_E_INVALID, "invalid_request", NULL,
                         "Missing required parameter: refresh_token");
    int r = oauth_grant_use(&c->tx, &client, text, oauth_scopes_all(c), &grant);
    if (r == OAUTH_UNKNOWN_GRANT && str_starts(text, "1//"))
        return bad_grant(c, "Token has been expired or revoked.");
    if (r)
        return oauth_fail(c, r);
    scopes = grant.scopes;
    if (wanted && *wanted) {
        if (oauth_scopes_normal(c->tx.arena, wanted, &scopes, &bad) < 0 ||
            !scopes_cover(grant.scopes, scopes)) {
            call_why(c, "scope must be among those of the refresh token, %s, not %s", grant.scopes,
                     wanted);
            return call_fail(c, SOSIA_E_INVALID, "invalid_scope", NULL, "Bad Request");
        }
    }
    if ((r = actor_by_id(&c->tx, grant.actor, &who)) != 1)
        return oauth_fail(c, r < 0 ? -1 : OAUTH_NOBODY);
    return oauth_write_tokens(c,
                              &(struct oauth_issue){&client, &who, scopes, grant.id, NULL, NULL});
}

/* ---- service accounts ---- */

/* The token endpoint as programs name it: the service's, or this server's. */
static bool is_audience(struct call *c, const char *aud)
{
    static const char *const known[] = {
        "https://oauth2.googleapis.com/token",
        "https://accounts.google.com/o/oauth2/token",
        "https://accounts.google.com/o/oauth2/v2/token",
        "https://www.googleapis.com/oauth2/v3/token",
        "https://www.googleapis.com/oauth2/v4/token",
    };
    for (size_t i = 0; i < SOSIA_LEN(known); i++)
        if (strcmp(aud, known[i]) == 0)
            return true;
    size_t n = c->base_url ? strlen(c->base_url) : 0, m = strlen(aud);
    return n && m >= n + 6 && memcmp(aud, c->base_url, n) == 0 && aud[n] == '/' &&
           strcmp(aud + m - 6, "/token") == 0;
}

static int check_assertion(struct call *c, const struct jwt *jwt, struct ident_service *ret)
{
    const char *aud = json_get_str(jwt->claims, "aud");
    int r = oauth_assertion_check(&c->tx, jwt, ret);
    if (r)
        return oauth_fail(c, r);
    if (!aud || !is_audience(c, aud))
        return bad_grant(c, "Invalid JWT: Failed audience check. The right audience is "
                            "https://oauth2.googleapis.com/token");
    r = oauth_assertion_times(jwt, MAX_LIFE_S + SKEW_S);
    return r ? oauth_fail(c, r) : 0;
}

/* The service account's grant. */
static int token_jwt(struct call *c)
{
    const char *text = oauth_param(c, "assertion"), *scopes, *bad, *access;
    struct ident_service account;
    struct actor who;
    struct jwt jwt;
    if (!text || jwt_read(c->tx.arena, text, &jwt) < 0)
        return bad_grant(c, "Invalid JWT: Not a valid JWT.");
    if (check_assertion(c, &jwt, &account) < 0)
        return -1;
    const char *sub = json_get_str(jwt.claims, "sub"), *scope = json_get_str(jwt.claims, "scope");
    const char *target = json_get_str(jwt.claims, "target_audience");
    if (target && *target) {
        struct id_token in = {.client_id = service_email(&account.actor),
                              .audience = target,
                              .scopes = SCOPE_OPENID " " SCOPE_EMAIL};
        if (oauth_id_token(c, &account.actor, &in, &access) < 0)
            return -1;
        json_obj(c->out, NULL);
        json_str(c->out, "id_token", access);
        json_end(c->out);
        return 0;
    }
    if (!scope || oauth_scopes_normal(c->tx.arena, scope, &scopes, &bad) < 0 || !*scopes)
        return call_fail(c, SOSIA_E_INVALID, "invalid_scope", NULL,
                         "Invalid OAuth scope or ID token audience provided.");
    who = account.actor;
    int r = sub && *sub ? oauth_delegate(&c->tx, &account, sub, scopes, &who) : 0;
    if (r)
        return oauth_fail(c, r);
    struct oauth_access made = {.service = account.id, .who = &who, .scopes = scopes};
    if (oauth_access_new(&c->tx, &google_style, &made, &access) < 0)
        return -1;
    json_obj(c->out, NULL);
    json_str(c->out, "access_token", access);
    json_int(c->out, "expires_in", google_style.access_s);
    json_str(c->out, "token_type", "Bearer");
    json_end(c->out);
    return 0;
}

/* ---- which ---- */

static int give_tokens(struct call *c)
{
    struct ident_app client;
    if (oauth_form(c) < 0)
        return -1;
    const char *type = oauth_param(c, "grant_type");
    if (!type)
        type = "";
    if (strcmp(type, "authorization_code") == 0)
        return token_code(c);
    if (strcmp(type, "refresh_token") == 0)
        return token_refresh(c);
    if (strcmp(type, JWT_GRANT) == 0)
        return token_jwt(c);
    if (strcmp(type, DEVICE_GRANT) == 0 || strcmp(type, OLD_DEVICE_GRANT) == 0)
        return authenticate(c, &client) < 0 ? -1 : oauth_token_device(c, &client);
    return call_fail(c, SOSIA_E_INVALID, "unsupported_grant_type", NULL,
                     "Invalid grant_type: %.100s", type);
}

/* ---- rows ---- */

static const struct route methods[] = {
    OPEN("oauth.token", POST, "/token", give_tokens, RISK_WRITE, "Tokens for a grant"),
    OPEN("oauth.tokenAccounts", POST, "/o/oauth2/token", give_tokens, RISK_WRITE,
         "Tokens for a grant (old path)"),
    OPEN("oauth.tokenV3", POST, "/oauth2/v3/token", give_tokens, RISK_WRITE,
         "Tokens for a grant (old path)"),
    OPEN("oauth.tokenV4", POST, "/oauth2/v4/token", give_tokens, RISK_WRITE,
         "Tokens for a grant (old path)"),
};

const struct rows oauth_token_rows = ROWS(methods);
