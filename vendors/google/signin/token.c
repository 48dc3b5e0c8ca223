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

const struct oauth_style google_style = {
    .vendor = "google",
    .section = OAUTH_SECTION,
    .access = {"google_access", "ya29.a0", 48, true},
    .refresh = {"google_refresh", "1//0", 48, false},
    .code = {"google_code", "4/0A", 45, false},
    .device = {"google_device", "AH-1Ng", 48, false},
    .user_codes = "google_user_code",
    .access_s = 3599,
    .code_s = 600,
    .device_s = 1800,
    .interval_s = 5,
};

#define bad_grant(c, text) call_fail(c, SOSIA_E_INVALID, "invalid_grant", NULL, "%s", text)

/* ---- failures, in the service's words ---- */

#define CLIENT(fault, text) [fault] = {SOSIA_E_UNAUTHENTICATED, "invalid_client", text, 0}
#define GRANT(fault, text)  [fault] = {SOSIA_E_INVALID, "invalid_grant", text, 0}

static const struct {
    enum sosia_code code;
    const char *error, *text;
    int kept_status; /* of a response whose changes are kept; 0: they are undone */
} faults[] = {
    CLIENT(OAUTH_UNKNOWN_APP, "The OAuth client was not found."),
    [OAUTH_NO_SECRET] = {SOSIA_E_INVALID, "invalid_request", "client_secret is missing.", 0},
    CLIENT(OAUTH_BAD_SECRET, "The provided client secret is invalid."),
    GRANT(OAUTH_UNKNOWN_CODE, "Malformed auth code."),
    [OAUTH_USED_CODE] = {SOSIA_E_INVALID, "invalid_grant", "Bad Request", 400},
    [OAUTH_OTHER_REDIRECT] = {SOSIA_E_INVALID, "redirect_uri_mismatch", "Bad Request", 0},
    GRANT(OAUTH_NEEDLESS_VERIFIER, "code_verifier or verifier is not needed."),
    GRANT(OAUTH_NO_VERIFIER, "Missing code verifier."),
    GRANT(OAUTH_BAD_VERIFIER, "Invalid code verifier."),
    GRANT(OAUTH_NOBODY, "Account has been deleted"),
    GRANT(OAUTH_UNKNOWN_GRANT, "Bad Request"),
    [OAUTH_OTHER_APP] = {SOSIA_E_UNAUTHENTICATED, "unauthorized_client", "Unauthorized", 0},
    GRANT(OAUTH_UNKNOWN_DEVICE, "Malformed auth code."),
    [OAUTH_EXPIRED] = {SOSIA_E_INVALID, "expired_token", "Bad Request", 0},
    [OAUTH_DENIED] = {SOSIA_E_FORBIDDEN, "access_denied", "Forbidden", 0},
    [OAUTH_PENDING] = {SOSIA_E_INVALID, "authorization_pending", "Precondition Required", 428},
    [OAUTH_SLOW_DOWN] = {SOSIA_E_INVALID, "slow_down", "Forbidden", 403},
    GRANT(OAUTH_UNKNOWN_SERVICE, "Invalid grant: account not found"),
    GRANT(OAUTH_BAD_ALGORITHM, "Invalid JWT: Unsupported signature algorithm."),
    GRANT(OAUTH_BAD_SIGNATURE, "Invalid JWT Signature."),
    GRANT(OAUTH_BAD_TIMES,
          "Invalid JWT: Token must be a short-lived token (60 minutes) and in a reasonable "
          "timeframe. Check your iat and exp values in the JWT claim."),
    GRANT(OAUTH_UNKNOWN_SUBJECT, "Invalid email or User ID"),
    [OAUTH_NO_DELEGATION] = {SOSIA_E_UNAUTHENTICATED, "unauthorized_client",
                             "Client is unauthorized to retrieve access tokens using this method, "
                             "or client not authorized for any of the scopes requested.",
                             0},
};

/* What the service does not say, for the journal and the log. */
static const char *reason_of(int fault)
{
    switch (fault) {
    case OAUTH_USED_CODE:
        return "code must be one that was not used yet";
    case OAUTH_UNKNOWN_CODE:
        return "code must be one that was given to this client and is not over";
    case OAUTH_OTHER_REDIRECT:
        return "redirect_uri must be the one that the code was asked for with";
    case OAUTH_UNKNOWN_GRANT:
        return "refresh_token must be one that was given to this client and not revoked";
    case OAUTH_EXPIRED:
        return "device_code must not be over";
    default:
        return NULL;
    }
}

int oauth_fail(struct call *c, int fault)
{
    if (fault < 0)
        return -1;
    if (reason_of(fault))
        call_why(c, "%s", reason_of(fault));
    if (faults[fault].kept_status)
        return oauth_refuse(c, faults[fault].kept_status, faults[fault].error, faults[fault].text);
    return call_fail(c, faults[fault].code, faults[fault].error, NULL, "%s", faults[fault].text);
}

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

/* ---- the response ---- */

int oauth_write_tokens(struct call *c, struct oauth_issue *t)
{
    struct json_writer *w = c->out;
    const char *id_token = NULL;
    struct oauth_access access = {
        .app = t->client->id, .grant = t->grant, .who = t->who, .scopes = t->scopes};
    if (oauth_access_new(&c->tx, &google_style, &access, &t->access_token) < 0)
        return -1;
    if (scopes_have(t->scopes, SCOPE_OPENID, strlen(SCOPE_OPENID))) {
        struct id_token in = {.client_id = t->client->client_id,
                              .nonce = t->nonce,
                              .access_token = t->access_token,
                              .scopes = t->scopes};
        if (oauth_id_token(c, t->who, &in, &id_token) < 0)
            return -1;
    }
    json_obj(w, NULL);
    json_str(w, "access_token", t->access_token);
    json_int(w, "expires_in", google_style.access_s);
    json_str_opt(w, "refresh_token", t->refresh_token);
    json_str(w, "scope", t->scopes);
    json_str(w, "token_type", "Bearer");
    json_str_opt(w, "id_token", id_token);
    json_end(w);
    return 0;
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
