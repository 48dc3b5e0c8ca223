/* SPDX-License-Identifier: Apache-2.0 */
/* The token endpoint: codes, refresh tokens, devices and service accounts against access tokens.
 * Errors are RFC 6749's, in the words of the service. */
#include "vendors/google/signin/internal.h"
#include "engine/base/codec.h"
#include <gnutls/crypto.h>

#define DEVICE_GRANT     "urn:ietf:params:oauth:grant-type:device_code"
#define OLD_DEVICE_GRANT "http://oauth.net/grant_type/device/1.0"
#define JWT_GRANT        "urn:ietf:params:oauth:grant-type:jwt-bearer"
#define MAX_LIFE_S       3600
#define SKEW_S           300

#define bad_grant(c, text) call_fail(c, SOSIA_E_INVALID, "invalid_grant", NULL, "%s", text)

/* ---- the client ---- */

/* Authorization: Basic, or parameters. */
static int credentials(struct call *c, const char **ret_id, const char **ret_secret)
{
    const char *auth = call_request_header(c, "Authorization");
    *ret_id = oauth_param(c, "client_id");
    *ret_secret = oauth_param(c, "client_secret");
    if (!auth || strncasecmp(auth, "Basic ", 6) != 0)
        return 0;
    uint8_t *data;
    size_t n, id_len, secret_len;
    char *id, *secret;
    const char *text, *colon;
    if (base64_decode(c->tx.arena, auth + 6, strlen(auth + 6), &data, &n) < 0 || memchr(data, 0, n))
        return call_fail(c, SOSIA_E_UNAUTHENTICATED, "invalid_client", NULL, "Unauthorized");
    text = arena_memdup(c->tx.arena, data, n);
    colon = strchr(text, ':');
    if (!colon ||
        percent_decode(c->tx.arena, text, (size_t)(colon - text), true, &id, &id_len) < 0 ||
        percent_decode(c->tx.arena, colon + 1, strlen(colon + 1), true, &secret, &secret_len) < 0)
        return call_fail(c, SOSIA_E_UNAUTHENTICATED, "invalid_client", NULL, "Unauthorized");
    *ret_id = id;
    *ret_secret = secret;
    return 0;
}

static bool same(const char *a, const char *b)
{
    size_t n = strlen(a), m = strlen(b);
    return n == m && gnutls_memcmp(a, b, n) == 0;
}

static int authenticate(struct call *c, struct oauth_client *ret)
{
    const char *id, *secret;
    if (credentials(c, &id, &secret) < 0)
        return -1;
    if (!id || !*id)
        return call_fail(c, SOSIA_E_INVALID, "invalid_request", NULL,
                         "Could not determine client ID from request.");
    int r = oauth_client_find(&c->tx, id, ret);
    if (r < 0)
        return -1;
    if (!r)
        return call_fail(c, SOSIA_E_UNAUTHENTICATED, "invalid_client", NULL,
                         "The OAuth client was not found.");
    if (!ret->secret)
        return 0;
    if (!secret || !*secret)
        return call_fail(c, SOSIA_E_INVALID, "invalid_request", NULL, "client_secret is missing.");
    if (!same(secret, ret->secret))
        return call_fail(c, SOSIA_E_UNAUTHENTICATED, "invalid_client", NULL,
                         "The provided client secret is invalid.");
    return 0;
}

/* ---- the answer ---- */

int oauth_write_tokens(struct call *c, struct oauth_issue *t)
{
    struct json_writer *w = c->out;
    const char *id_token = NULL;
    if (oauth_access_new(&c->tx, t->client_id, t->grant, t->who->id, t->scopes, &t->access_token) <
        0)
        return -1;
    if (oauth_scopes_have(t->scopes, SCOPE_OPENID, strlen(SCOPE_OPENID))) {
        struct id_token in = {.client_id = t->client_id,
                              .nonce = t->nonce,
                              .access_token = t->access_token,
                              .scopes = t->scopes};
        if (oauth_id_token(c, t->who, &in, &id_token) < 0)
            return -1;
    }
    json_obj(w, NULL);
    json_str(w, "access_token", t->access_token);
    json_int(w, "expires_in", OAUTH_ACCESS_S);
    json_str_opt(w, "refresh_token", t->refresh_token);
    json_str(w, "scope", t->scopes);
    json_str(w, "token_type", "Bearer");
    json_str_opt(w, "id_token", id_token);
    json_end(w);
    return 0;
}

static int get_actor(struct call *c, int64_t id, struct actor *ret)
{
    int r = actor_by_id(&c->tx, id, ret);
    return r == 1 ? 0 : r < 0 ? -1 : bad_grant(c, "Account has been deleted");
}

/* ---- codes ---- */

/* RFC 7636 */
static int check_verifier(struct call *c, const struct oauth_code *code)
{
    const char *verifier = oauth_param(c, "code_verifier");
    if (!code->challenge)
        return verifier && *verifier ? bad_grant(c, "code_verifier or verifier is not needed.") : 0;
    if (!verifier || !*verifier)
        return bad_grant(c, "Missing code verifier.");
    if (code->plain)
        return same(verifier, code->challenge) ? 0 : bad_grant(c, "Invalid code verifier.");
    uint8_t digest[32];
    struct buf b;
    gnutls_hash_fast(GNUTLS_DIG_SHA256, verifier, strlen(verifier), digest);
    buf_init(&b, 64);
    base64url_add(&b, digest, sizeof digest, false);
    bool good = same(buf_str(&b), code->challenge);
    buf_done(&b);
    return good ? 0 : bad_grant(c, "Invalid code verifier.");
}

static int token_code(struct call *c)
{
    struct tx *tx = &c->tx;
    struct oauth_client client;
    struct oauth_code code;
    struct oauth_grant grant = {0};
    struct actor who;
    const char *text = oauth_param(c, "code"), *redirect = oauth_param(c, "redirect_uri");
    if (authenticate(c, &client) < 0)
        return -1;
    if (!text || !*text)
        return call_fail(c, SOSIA_E_INVALID, "invalid_request", NULL,
                         "Missing required parameter: code");
    int r = oauth_code_find(tx, text, &code);
    if (r < 0)
        return -1;
    if (!r || code.client != client.id || code.expires_us <= tx->now_us) {
        call_why(c, "code must be one that was given to this client, is %s",
                 !r                         ? "unknown"
                 : code.client != client.id ? "another client's"
                                            : "expired");
        return bad_grant(c, str_starts(text, "4/") ? "Bad Request" : "Malformed auth code.");
    }
    if (code.used_token) {
        /* Somebody else has it: what was made of it ends (RFC 6749, 4.1.2). */
        if (oauth_access_revoke(tx, code.used_token) < 0)
            return -1;
        call_why(c, "code must be one that was not used yet");
        return oauth_refuse(c, 400, "invalid_grant", "Bad Request");
    }
    if (!redirect || strcmp(redirect, code.redirect) != 0) {
        call_why(c, "redirect_uri must be the one that the code was asked for with, %s, is %s",
                 code.redirect, redirect ? redirect : "absent");
        return call_fail(c, SOSIA_E_INVALID, "redirect_uri_mismatch", NULL, "Bad Request");
    }
    if (check_verifier(c, &code) < 0 || get_actor(c, code.actor, &who) < 0)
        return -1;
    if (code.offline && oauth_grant_new(tx, client.id, who.id, code.scopes, &grant) < 0)
        return -1;
    struct oauth_issue issue = {client.client_id, &who,        code.scopes,
                                grant.id,         grant.token, code.nonce};
    return oauth_write_tokens(c, &issue) < 0 ? -1
                                             : oauth_code_used(tx, code.id, issue.access_token);
}

/* ---- refresh tokens ---- */

static int token_refresh(struct call *c)
{
    struct oauth_client client;
    struct oauth_grant grant;
    struct actor who;
    const char *text = oauth_param(c, "refresh_token"), *wanted = oauth_param(c, "scope");
    const char *scopes, *bad;
    if (authenticate(c, &client) < 0)
        return -1;
    if (!text || !*text)
        return call_fail(c, SOSIA_E_INVALID, "invalid_request", NULL,
                         "Missing required parameter: refresh_token");
    int r = oauth_grant_find(&c->tx, text, &grant);
    if (r < 0)
        return -1;
    if (!r)
        call_why(
            c,
            "refresh_token must be one that was given to this client and not revoked, is unknown");
    if (!r)
        return bad_grant(c, str_starts(text, "1//") ? "Token has been expired or revoked."
                                                    : "Bad Request");
    if (grant.client != client.id)
        return call_fail(c, SOSIA_E_UNAUTHENTICATED, "unauthorized_client", NULL, "Unauthorized");
    scopes = grant.scopes;
    if (wanted && *wanted) {
        if (oauth_scopes_normal(c->tx.arena, wanted, &scopes, &bad) < 0 ||
            !oauth_scopes_cover(grant.scopes, scopes)) {
            call_why(c, "scope must be among those of the refresh token, %s, is %s", grant.scopes,
                     wanted);
            return call_fail(c, SOSIA_E_INVALID, "invalid_scope", NULL, "Bad Request");
        }
    }
    if (get_actor(c, grant.actor, &who) < 0)
        return -1;
    return oauth_write_tokens(
        c, &(struct oauth_issue){client.client_id, &who, scopes, grant.id, NULL, NULL});
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
    return n && m >= n + 6 && memcmp(aud, c->base_url, n) == 0 &&
           strcmp(aud + m - 6, "/token") == 0;
}

/* The clock that the assertion was made by is the program's, which may be years away from the
 * world's: only its length of life says something. */
static int check_times(struct call *c, const struct json *claims)
{
    int64_t iat, exp;
    if (json_i64(json_get(claims, "iat"), &iat) < 0 ||
        json_i64(json_get(claims, "exp"), &exp) < 0 || iat < 0 || exp <= iat ||
        exp - iat > MAX_LIFE_S + SKEW_S)
        return bad_grant(c,
                         "Invalid JWT: Token must be a short-lived token (60 minutes) and in a "
                         "reasonable timeframe. Check your iat and exp values in the JWT claim.");
    return 0;
}

static int check_assertion(struct call *c, const struct jwt *jwt, struct service_account *ret)
{
    const char *iss = json_get_str(jwt->claims, "iss"), *aud = json_get_str(jwt->claims, "aud");
    const char *kid = json_get_str(jwt->header, "kid"), *alg = json_get_str(jwt->header, "alg");
    char made[KEY_ID_LEN + 1];
    int r = iss ? service_account_find(&c->tx, iss, ret) : 0;
    if (r < 0)
        return -1;
    if (!r)
        return bad_grant(c, "Invalid grant: account not found");
    if (!alg || strcmp(alg, "RS256") != 0)
        return bad_grant(c, "Invalid JWT: Unsupported signature algorithm.");
    const char *key_id = ret->key_id;
    if (!ret->public_key) {
        if (oauth_key_id(ret->actor.email, made, c->tx.err) < 0)
            return -1;
        key_id = made;
    }
    if ((kid && key_id && strcmp(kid, key_id) != 0) ||
        !oauth_jwt_verify(jwt, ret->public_key, ret->actor.email))
        return bad_grant(c, "Invalid JWT Signature.");
    if (!aud || !is_audience(c, aud))
        return bad_grant(c, "Invalid JWT: Failed audience check. The right audience is "
                            "https://oauth2.googleapis.com/token");
    return check_times(c, jwt->claims);
}

/* Domain-wide delegation: for a person of the account's organisation, within the scopes given to
 * it. */
static int delegate(struct call *c, const struct service_account *account, const char *sub,
                    const char *scopes, struct actor *ret)
{
    int r = actor_by_email(&c->tx, sub, ret);
    if (r < 0)
        return -1;
    if (!r)
        return bad_grant(c, "Invalid email or User ID");
    if (ret->id == account->actor.id)
        return 0;
    if (!account->delegation || !oauth_scopes_cover(account->delegation, scopes) ||
        ret->org != account->actor.org)
        return call_fail(c, SOSIA_E_UNAUTHENTICATED, "unauthorized_client", NULL,
                         "Client is unauthorized to retrieve access tokens using this method, or "
                         "client not authorized for any of the scopes requested.");
    return 0;
}

/* The service account's grant. */
static int token_jwt(struct call *c)
{
    const char *text = oauth_param(c, "assertion"), *scopes, *bad, *access;
    struct service_account account;
    struct actor who;
    struct jwt jwt;
    if (!text || oauth_jwt_read(c->tx.arena, text, &jwt) < 0)
        return bad_grant(c, "Invalid JWT: Not a valid JWT.");
    if (check_assertion(c, &jwt, &account) < 0)
        return -1;
    const char *sub = json_get_str(jwt.claims, "sub"), *scope = json_get_str(jwt.claims, "scope");
    const char *target = json_get_str(jwt.claims, "target_audience");
    if (target && *target) {
        struct id_token in = {.client_id = account.actor.email,
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
    if (sub && *sub && delegate(c, &account, sub, scopes, &who) < 0)
        return -1;
    if (oauth_access_new(&c->tx, account.client_id, 0, who.id, scopes, &access) < 0)
        return -1;
    json_obj(c->out, NULL);
    json_str(c->out, "access_token", access);
    json_int(c->out, "expires_in", OAUTH_ACCESS_S);
    json_str(c->out, "token_type", "Bearer");
    json_end(c->out);
    return 0;
}

/* ---- which ---- */

int oauth_token(struct call *c)
{
    struct oauth_client client;
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
