/* SPDX-License-Identifier: Apache-2.0 */
/* Methods about tokens and people, revocation, and the documents of OpenID Connect. */
#include "vendors/google/signin/internal.h"
#include "engine/base/codec.h"
#include "engine/text/civil.h"
#include "engine/world/engine.h"

/* ---- ending tokens ---- */

static int revoke(struct call *c)
{
    struct tx *tx = &c->tx;
    struct oauth_grant grant = {0};
    struct ident_token access = {0};
    if (oauth_form(c) < 0)
        return -1;
    const char *token = oauth_param(c, "token");
    if (!token || !*token)
        return call_fail(c, SOSIA_E_INVALID, "invalid_request", NULL,
                         "Missing required parameter: token");
    int r = oauth_grant_find(tx, token, &grant);
    if (r == 0 && (r = oauth_access_find(tx, token, &access, NULL)) == 1) {
        grant.app = access.app; /* 0: a service account has it, without a consent */
        grant.actor = access.actor;
    }
    if (r == 1)
        r = (grant.app ? oauth_consent_end(tx, grant.app, grant.actor)
                       : oauth_access_revoke(tx, token)) < 0
                ? -1
                : 1;
    if (r < 0)
        return -1;
    if (r == 0 && ident_token_revoke(tx, token, c->claims) < 0)
        return tx->err->code == SOSIA_E_NOT_FOUND ? call_fail(c, SOSIA_E_INVALID, "invalid_token",
                                                              NULL, "Token expired or revoked")
                                                  : -1;
    json_obj(c->out, NULL);
    json_end(c->out);
    return 0;
}

/* ---- about tokens ---- */

/* A token that OAuth did not issue belongs to no client. */
struct access {
    const char *client_id, *scopes;
    bool offline;
};

static int access_of(struct call *c, struct access *ret)
{
    struct ident_token token = {0};
    const char *client_id = "sosia";
    c->by_token = true;
    if (oauth_access_find(&c->tx, c->token, &token, &client_id) < 0)
        return -1;
    *ret = (struct access){.client_id = client_id,
                           .scopes = token.scopes ? token.scopes : oauth_scopes_of_call(c),
                           .offline = token.grant != 0};
    return 0;
}

static int64_t seconds_left(const struct call *c)
{
    int64_t left = (c->token_expires_us - c->tx.now_us) / US_PER_SECOND;
    return c->token_expires_us ? left : google_style.access_s;
}

static int64_t expires(const struct call *c)
{
    return c->tx.now_us / US_PER_SECOND + seconds_left(c);
}

static bool shows(const struct access *access, const char *scope)
{
    return scopes_have(access->scopes, scope, strlen(scope));
}

/* An id_token's claims, everything as text. */
static int id_tokeninfo(struct call *c, const char *text)
{
    struct jwt jwt;
    int64_t exp;
    if (jwt_read(c->tx.arena, text, &jwt) < 0 || !jwt_verify(&jwt, NULL, KEY_OF_SERVER) ||
        json_i64(json_get(jwt.claims, "exp"), &exp) < 0 || exp <= c->tx.now_us / US_PER_SECOND)
        return call_fail(c, SOSIA_E_INVALID, "invalid_token", NULL, "Invalid Value");
    json_obj(c->out, NULL);
    for (uint32_t i = 0; i < jwt.claims->n; i++) {
        const struct json_member *m = &jwt.claims->members[i];
        if (m->value.type == JSON_BOOL)
            json_str(c->out, m->key, m->value.truth ? "true" : "false");
        else if (m->value.type == JSON_STRING || m->value.type == JSON_NUMBER)
            json_str(c->out, m->key, m->value.str);
    }
    json_str(c->out, "alg", "RS256");
    json_str_opt(c->out, "kid", json_get_str(jwt.header, "kid"));
    json_str(c->out, "typ", "JWT");
    json_end(c->out);
    return 0;
}

static int tokeninfo(struct call *c)
{
    struct access access;
    struct json_writer *w = c->out;
    const char *id_token = oauth_param(c, "id_token");
    if (!c->token)
        return id_token ? id_tokeninfo(c, id_token)
                        : call_fail(c, SOSIA_E_INVALID, "invalid_request", NULL,
                                    "either access_token, id_token, or token_handle required");
    if (access_of(c, &access) < 0)
        return -1;
    json_obj(w, NULL);
    json_str(w, "azp", access.client_id);
    json_str(w, "aud", access.client_id);
    if (shows(&access, SCOPE_OPENID) || shows(&access, SCOPE_EMAIL))
        json_str(w, "sub", google_subject(&c->tx, &c->actor));
    json_str(w, "scope", access.scopes);
    json_int_str(w, "exp", expires(c));
    json_int_str(w, "expires_in", seconds_left(c));
    if (*c->actor.email && shows(&access, SCOPE_EMAIL)) {
        json_str(w, "email", c->actor.email);
        json_str(w, "email_verified", "true");
    }
    json_str(w, "access_type", access.offline ? "offline" : "online");
    json_end(w);
    return 0;
}

static int tokeninfo_v2(struct call *c)
{
    struct access access;
    struct json_writer *w = c->out;
    if (access_of(c, &access) < 0)
        return -1;
    json_obj(w, NULL);
    json_str(w, "issued_to", access.client_id);
    json_str(w, "audience", access.client_id);
    json_str(w, "user_id", google_subject(&c->tx, &c->actor));
    json_str(w, "scope", access.scopes);
    json_int(w, "expires_in", seconds_left(c));
    if (*c->actor.email && shows(&access, SCOPE_EMAIL)) {
        json_str(w, "email", c->actor.email);
        json_bool(w, "verified_email", true);
    }
    json_str(w, "access_type", access.offline ? "offline" : "online");
    json_end(w);
    return 0;
}

/* An id_token's claims, as the first version names them. */
static int id_tokeninfo_v1(struct call *c, const char *text)
{
    struct json_writer *w = c->out;
    struct jwt jwt;
    int64_t exp, iat, now = c->tx.now_us / US_PER_SECOND;
    if (jwt_read(c->tx.arena, text, &jwt) < 0 || !jwt_verify(&jwt, NULL, KEY_OF_SERVER) ||
        json_i64(json_get(jwt.claims, "exp"), &exp) < 0 || exp <= now ||
        json_i64(json_get(jwt.claims, "iat"), &iat) < 0)
        return call_fail(c, SOSIA_E_INVALID, "invalid_token", NULL, "Invalid Value");
    json_obj(w, NULL);
    json_str_opt(w, "issuer", json_get_str(jwt.claims, "iss"));
    json_str_opt(w, "issued_to", json_get_str(jwt.claims, "azp"));
    json_str_opt(w, "audience", json_get_str(jwt.claims, "aud"));
    json_str_opt(w, "user_id", json_get_str(jwt.claims, "sub"));
    json_int(w, "expires_in", exp - now);
    json_int(w, "issued_at", iat);
    if (json_get_str(jwt.claims, "email")) {
        json_str(w, "email", json_get_str(jwt.claims, "email"));
        json_bool(w, "email_verified", true);
    }
    json_str_opt(w, "nonce", json_get_str(jwt.claims, "nonce"));
    json_end(w);
    return 0;
}

static int tokeninfo_v1(struct call *c)
{
    const char *id_token = oauth_param(c, "id_token");
    if (c->token)
        return tokeninfo_v2(c);
    return id_token ? id_tokeninfo_v1(c, id_token)
                    : call_fail(c, SOSIA_E_INVALID, "invalid_request", NULL,
                                "either access_token, id_token, or token_handle required");
}

/* ---- about people ---- */

static void write_address(struct call *c, const char *verified)
{
    if (*c->actor.email && call_has_scope(c, SCOPE_EMAIL)) {
        json_str(c->out, "email", c->actor.email);
        json_bool(c->out, verified, true);
    }
}

/* What differs between the versions: the names of number and flag, and whether the address is
 * before the name. */
static int userinfo(struct call *c, const char *id, const char *verified, bool name_first)
{
    struct json_writer *w = c->out;
    const char *name = c->actor.name;
    size_t n = strcspn(name, " ");
    json_obj(w, NULL);
    json_str(w, id, google_subject(&c->tx, &c->actor));
    if (!name_first)
        write_address(c, verified);
    if (call_has_scope(c, SCOPE_PROFILE)) {
        json_str(w, "name", name);
        json_strn(w, "given_name", name, n);
        if (name[n])
            json_str(w, "family_name", name + n + 1);
    }
    if (name_first)
        write_address(c, verified);
    if (c->actor.org)
        json_str(w, "hd", email_domain(c->actor.email));
    json_end(w);
    return 0;
}

static int userinfo_v3(struct call *c)
{
    return userinfo(c, "sub", "email_verified", true);
}

static int userinfo_v2(struct call *c)
{
    return userinfo(c, "id", "verified_email", false);
}

/* ---- documents ---- */

static void write_list(struct json_writer *w, const char *key, const char *words)
{
    json_arr(w, key);
    while (*words) {
        size_t n = strcspn(words, " ");
        json_strn(w, NULL, words, n);
        words += n + strspn(words + n, " ");
    }
    json_end(w);
}

static int configuration(struct call *c)
{
    static const struct {
        const char *key, *host, *path;
    } ends[] = {
        {"authorization_endpoint", "accounts.google.com", "/o/oauth2/v2/auth"},
        {"device_authorization_endpoint", "oauth2.googleapis.com", "/device/code"},
        {"token_endpoint", "oauth2.googleapis.com", "/token"},
        {"userinfo_endpoint", "openidconnect.googleapis.com", "/v1/userinfo"},
        {"revocation_endpoint", "oauth2.googleapis.com", "/revoke"},
        {"jwks_uri", "www.googleapis.com", "/oauth2/v3/certs"},
    };
    struct json_writer *w = c->out;
    const char *issuer = oauth_issuer(c);
    bool own = c->base_url && strcmp(issuer, c->base_url) == 0;
    json_obj(w, NULL);
    json_str(w, "issuer", issuer);
    for (size_t i = 0; i < SOSIA_LEN(ends); i++)
        json_str(w, ends[i].key,
                 own ? arena_printf(c->tx.arena, "%s%s", issuer, ends[i].path)
                     : arena_printf(c->tx.arena, "https://%s%s", ends[i].host, ends[i].path));
    write_list(w, "response_types_supported", "code");
    write_list(w, "subject_types_supported", "public");
    write_list(w, "id_token_signing_alg_values_supported", "RS256");
    write_list(w, "scopes_supported", "openid email profile");
    write_list(w, "token_endpoint_auth_methods_supported",
               "client_secret_post client_secret_basic");
    write_list(w, "claims_supported",
               "aud email email_verified exp family_name given_name iat iss name sub");
    write_list(w, "code_challenge_methods_supported", "plain S256");
    write_list(w, "grant_types_supported",
               "authorization_code refresh_token urn:ietf:params:oauth:grant-type:device_code "
               "urn:ietf:params:oauth:grant-type:jwt-bearer");
    json_end(w);
    call_header(c, "Cache-Control", "public, max-age=3600");
    return 0;
}

static int certs(struct call *c)
{
    struct json_writer *w = c->out;
    char id[JWT_KEY_ID_LEN + 1];
    const char *n, *e;
    if (jwt_key_id(KEY_OF_SERVER, id, c->tx.err) < 0 ||
        jwt_key_public(c->tx.arena, KEY_OF_SERVER, &n, &e, c->tx.err) < 0)
        return -1;
    json_obj(w, NULL);
    json_arr(w, "keys");
    json_obj(w, NULL);
    json_str(w, "kid", id);
    json_str(w, "e", e);
    json_str(w, "alg", "RS256");
    json_str(w, "kty", "RSA");
    json_str(w, "n", n);
    json_str(w, "use", "sig");
    json_end(w);
    json_end(w);
    json_end(w);
    call_header(c, "Cache-Control", "public, max-age=3600, must-revalidate, no-transform");
    return 0;
}

static int certs_pem(struct call *c)
{
    char id[JWT_KEY_ID_LEN + 1];
    const char *pem;
    if (jwt_key_id(KEY_OF_SERVER, id, c->tx.err) < 0 ||
        jwt_key_certificate(c->tx.arena, KEY_OF_SERVER,
                            "federated-signon.system.gserviceaccount.com", &pem, c->tx.err) < 0)
        return -1;
    json_obj(c->out, NULL);
    json_str(c->out, id, pem);
    json_end(c->out);
    call_header(c, "Cache-Control", "public, max-age=3600, must-revalidate, no-transform");
    return 0;
}

/* ---- rows ---- */

static const struct route methods[] = {
    OPEN("oauth.revoke", POST, "/revoke", revoke, RISK_WRITE, "Ends a token"),
    OPEN("oauth.revokeGet", GET, "/revoke", revoke, RISK_WRITE, "Ends a token"),
    OPEN("oauth.revokeAccounts", POST, "/o/oauth2/revoke", revoke, RISK_WRITE,
         "Ends a token (old path)"),
    OPEN("oauth.revokeAccountsGet", GET, "/o/oauth2/revoke", revoke, RISK_WRITE,
         "Ends a token (old path)"),
    OPEN("oauth.tokeninfo", GET, "/tokeninfo", tokeninfo, RISK_READ, "What a token stands for"),
    OPEN("oauth.tokeninfoPost", POST, "/tokeninfo", tokeninfo, RISK_READ,
         "What a token stands for"),
    OPEN("oauth.tokeninfoV3", GET, "/oauth2/v3/tokeninfo", tokeninfo, RISK_READ,
         "What a token stands for (old path)"),
    OPEN("oauth.tokeninfoV3Post", POST, "/oauth2/v3/tokeninfo", tokeninfo, RISK_READ,
         "What a token stands for (old path)"),
    OPEN("oauth.tokeninfoV2", GET, "/oauth2/v2/tokeninfo", tokeninfo_v1, RISK_READ,
         "What a token stands for (old path)"),
    OPEN("oauth.tokeninfoV1", GET, "/oauth2/v1/tokeninfo", tokeninfo_v1, RISK_READ,
         "What a token stands for (old path)"),
    OPEN("oauth.tokeninfoV1Post", POST, "/oauth2/v1/tokeninfo", tokeninfo_v1, RISK_READ,
         "What a token stands for (old path)"),
    OPEN("oauth.configuration", GET, "/.well-known/openid-configuration", configuration, RISK_READ,
         "OpenID Connect's description of this server"),
    OPEN("oauth.certs", GET, "/oauth2/v3/certs", certs, RISK_READ,
         "The keys of id_tokens, as JWKs"),
    OPEN("oauth.certsV1", GET, "/oauth2/v1/certs", certs_pem, RISK_READ,
         "The keys of id_tokens, as certificates"),
    {ROUTE("oauth.oidcUserinfo", GET, "/v1/userinfo"), .handler = userinfo_v3, .risk = RISK_READ,
     .scopes = PROFILE_SCOPES, .summary = "Who the token's person is"},
    {ROUTE("oauth.oidcUserinfoPost", POST, "/v1/userinfo"), .handler = userinfo_v3,
     .risk = RISK_READ, .scopes = PROFILE_SCOPES, .summary = "Who the token's person is"},
    {ROUTE("oauth.userinfoV3", GET, "/oauth2/v3/userinfo"), .handler = userinfo_v3,
     .risk = RISK_READ, .scopes = PROFILE_SCOPES,
     .summary = "Who the token's person is (old path)"},
};

const struct rows oauth_info_rows = ROWS(methods);

/* Of the OAuth2 API. */
static const struct route api_methods[] = {
    {ROUTE("oauth2.userinfo.get", GET, "/oauth2/v2/userinfo"), .handler = userinfo_v2,
     .risk = RISK_READ, .scopes = PROFILE_SCOPES, .response = "Userinfo",
     .summary = "Who the token's person is"},
    {ROUTE("oauth2.userinfo.getV1", GET, "/oauth2/v1/userinfo"), .handler = userinfo_v2,
     .risk = RISK_READ, .scopes = PROFILE_SCOPES, .response = "Userinfo",
     .summary = "Who the token's person is (old path)"},
    {ROUTE("oauth2.userinfo.v2.me.get", GET, "/userinfo/v2/me"), .handler = userinfo_v2,
     .risk = RISK_READ, .scopes = PROFILE_SCOPES, .response = "Userinfo",
     .summary = "Who the token's person is"},
    {ROUTE("oauth2.tokeninfo", POST, "/oauth2/v2/tokeninfo"), .handler = tokeninfo_v2,
     .risk = RISK_READ, .response = "Tokeninfo", .summary = "What a token stands for"},
};

const struct rows oauth_api_rows = ROWS(api_methods);
