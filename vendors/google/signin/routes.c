/* SPDX-License-Identifier: Apache-2.0 */
/* The paths of accounts.google.com, oauth2.googleapis.com and openidconnect.googleapis.com, old
 * forms included, and the OAuth2 API v2 of www.googleapis.com. */
#include "vendors/google/google.h"
#include "vendors/google/signin/internal.h"

#define OPEN(name, way, where, what, danger, text)                                                 \
    {                                                                                              \
        .id = (name), .verbs = (way), .paths = PATHS(where), .handler = (what), .risk = (danger),  \
        .anonymous = true, .secret = true, .body = BODY_RAW, .summary = (text)                     \
    }

#define PROFILE_SCOPES SCOPE_OPENID " " SCOPE_EMAIL " " SCOPE_PROFILE

static const struct route routes[] = {
    OPEN("oauth.auth", GET, "/o/oauth2/v2/auth", oauth_auth, RISK_WRITE,
         "The page on which a person agrees"),
    OPEN("oauth.authV1", GET, "/o/oauth2/auth", oauth_auth, RISK_WRITE,
         "The page on which a person agrees (old path)"),
    OPEN("oauth.approve", POST, "/o/oauth2/v2/approve", oauth_approve, RISK_WRITE,
         "What the person has decided"),
    OPEN("oauth.approveV1", POST, "/o/oauth2/approve", oauth_approve, RISK_WRITE,
         "What the person has decided (old path)"),
    OPEN("oauth.token", POST, "/token", oauth_token, RISK_WRITE, "Tokens for a grant"),
    OPEN("oauth.tokenAccounts", POST, "/o/oauth2/token", oauth_token, RISK_WRITE,
         "Tokens for a grant (old path)"),
    OPEN("oauth.tokenV3", POST, "/oauth2/v3/token", oauth_token, RISK_WRITE,
         "Tokens for a grant (old path)"),
    OPEN("oauth.tokenV4", POST, "/oauth2/v4/token", oauth_token, RISK_WRITE,
         "Tokens for a grant (old path)"),
    OPEN("oauth.deviceCode", POST, "/device/code", oauth_device_code, RISK_WRITE,
         "Codes for a device without a browser"),
    OPEN("oauth.deviceCodeAccounts", POST, "/o/oauth2/device/code", oauth_device_code, RISK_WRITE,
         "Codes for a device without a browser (old path)"),
    OPEN("oauth.device", GET, "/device", oauth_device_page, RISK_READ,
         "The page on which a person enters a device's code"),
    OPEN("oauth.deviceApprove", POST, "/device", oauth_device_approve, RISK_WRITE,
         "What the person has decided about the device"),
    OPEN("oauth.revoke", POST, "/revoke", oauth_revoke, RISK_WRITE, "Ends a token"),
    OPEN("oauth.revokeGet", GET, "/revoke", oauth_revoke, RISK_WRITE, "Ends a token"),
    OPEN("oauth.revokeAccounts", POST, "/o/oauth2/revoke", oauth_revoke, RISK_WRITE,
         "Ends a token (old path)"),
    OPEN("oauth.revokeAccountsGet", GET, "/o/oauth2/revoke", oauth_revoke, RISK_WRITE,
         "Ends a token (old path)"),
    OPEN("oauth.tokeninfo", GET, "/tokeninfo", oauth_tokeninfo, RISK_READ,
         "What a token stands for"),
    OPEN("oauth.tokeninfoPost", POST, "/tokeninfo", oauth_tokeninfo, RISK_READ,
         "What a token stands for"),
    OPEN("oauth.tokeninfoV3", GET, "/oauth2/v3/tokeninfo", oauth_tokeninfo, RISK_READ,
         "What a token stands for (old path)"),
    OPEN("oauth.tokeninfoV3Post", POST, "/oauth2/v3/tokeninfo", oauth_tokeninfo, RISK_READ,
         "What a token stands for (old path)"),
    OPEN("oauth.tokeninfoV2", GET, "/oauth2/v2/tokeninfo", oauth_tokeninfo_v1, RISK_READ,
         "What a token stands for (old path)"),
    OPEN("oauth.tokeninfoV1", GET, "/oauth2/v1/tokeninfo", oauth_tokeninfo_v1, RISK_READ,
         "What a token stands for (old path)"),
    OPEN("oauth.tokeninfoV1Post", POST, "/oauth2/v1/tokeninfo", oauth_tokeninfo_v1, RISK_READ,
         "What a token stands for (old path)"),
    OPEN("oauth.configuration", GET, "/.well-known/openid-configuration", oauth_configuration,
         RISK_READ, "OpenID Connect's description of this server"),
    OPEN("oauth.certs", GET, "/oauth2/v3/certs", oauth_certs, RISK_READ,
         "The keys of id_tokens, as JWKs"),
    OPEN("oauth.certsV1", GET, "/oauth2/v1/certs", oauth_certs_pem, RISK_READ,
         "The keys of id_tokens, as certificates"),
    {.id = "oauth.oidcUserinfo",
     .verbs = GET,
     .paths = PATHS("/v1/userinfo"),
     .handler = oauth_userinfo,
     .risk = RISK_READ,
     .scopes = PROFILE_SCOPES,
     .summary = "Who the token's person is"},
    {.id = "oauth.oidcUserinfoPost",
     .verbs = POST,
     .paths = PATHS("/v1/userinfo"),
     .handler = oauth_userinfo,
     .risk = RISK_READ,
     .scopes = PROFILE_SCOPES,
     .summary = "Who the token's person is"},
    {.id = "oauth.userinfoV3",
     .verbs = GET,
     .paths = PATHS("/oauth2/v3/userinfo"),
     .handler = oauth_userinfo,
     .risk = RISK_READ,
     .scopes = PROFILE_SCOPES,
     .summary = "Who the token's person is (old path)"},
};
static const struct rows all_rows = ROWS(routes);

static const char *const prefixes[] = {"/o/oauth2",    "/oauth2/v1", "/oauth2/v3", "/oauth2/v4",
                                       "/token",       "/revoke",    "/tokeninfo", "/device",
                                       "/v1/userinfo", NULL};

const struct dialect google_oauth_dialect = {
    .name = "oauth.google",
    .title = "Google sign-in: OAuth 2.0 and OpenID Connect",
    .vendor = &google_vendor,
    .front = &google_oauth_front,
    .prefixes = prefixes,
    .tables = TABLES(&all_rows),
};

/* ---- the OAuth2 API ---- */

static const struct route api_routes[] = {
    {.id = "oauth2.userinfo.get",
     .verbs = GET,
     .paths = PATHS("/oauth2/v2/userinfo"),
     .handler = oauth_userinfo_v2,
     .risk = RISK_READ,
     .scopes = PROFILE_SCOPES,
     .response = "Userinfo",
     .summary = "Who the token's person is"},
    {.id = "oauth2.userinfo.getV1",
     .verbs = GET,
     .paths = PATHS("/oauth2/v1/userinfo"),
     .handler = oauth_userinfo_v2,
     .risk = RISK_READ,
     .scopes = PROFILE_SCOPES,
     .response = "Userinfo",
     .summary = "Who the token's person is (old path)"},
    {.id = "oauth2.userinfo.v2.me.get",
     .verbs = GET,
     .paths = PATHS("/userinfo/v2/me"),
     .handler = oauth_userinfo_v2,
     .risk = RISK_READ,
     .scopes = PROFILE_SCOPES,
     .response = "Userinfo",
     .summary = "Who the token's person is"},
    {.id = "oauth2.tokeninfo",
     .verbs = POST,
     .paths = PATHS("/oauth2/v2/tokeninfo"),
     .handler = oauth_tokeninfo_v2,
     .risk = RISK_READ,
     .response = "Tokeninfo",
     .summary = "What a token stands for"},
};
static const struct rows api_rows = ROWS(api_routes);

static const struct field tokeninfo[] = {
    {.name = "access_type", .type = "string"},
    {.name = "audience", .type = "string"},
    {.name = "email", .type = "string"},
    {.name = "expires_in", .type = "integer", .format = "int32"},
    {.name = "issued_to", .type = "string"},
    {.name = "scope", .type = "string"},
    {.name = "user_id", .type = "string"},
    {.name = "verified_email", .type = "boolean"},
};

static const struct field userinfo[] = {
    {.name = "email", .type = "string"},
    {.name = "family_name", .type = "string"},
    {.name = "given_name", .type = "string"},
    {.name = "hd", .type = "string"},
    {.name = "id", .type = "string"},
    {.name = "locale", .type = "string"},
    {.name = "name", .type = "string"},
    {.name = "picture", .type = "string"},
    {.name = "verified_email", .type = "boolean", .def = "true"},
};

static const struct schema schemas[] = {
    {.name = "Tokeninfo", .fields = tokeninfo, .n_fields = SOSIA_LEN(tokeninfo)},
    {.name = "Userinfo", .fields = userinfo, .n_fields = SOSIA_LEN(userinfo)},
};

static const struct google_scope scopes[] = {
    {SCOPE_EMAIL, "See the person's address"},
    {SCOPE_PROFILE, "See the person's name"},
    {SCOPE_OPENID, "Know who the person is"},
};

static const struct google_api api = {
    .name = "oauth2",
    .version = "v2",
    .title = "Google OAuth2 API",
    .summary = "Who a token stands for",
    .service_path = "",
    .batch_path = "batch/oauth2/v2",
    .batch_max = 100,
    .service = "oauth2.googleapis.com",
    .method_prefix = "google.identity.oauth2.v2.",
    .scope_is_credential = true,
    .scopes = scopes,
    .n_scopes = SOSIA_LEN(scopes),
};

static const char *const api_prefixes[] = {"/oauth2/v2", "/userinfo", NULL};

const struct dialect google_oauth2_dialect = {
    .name = "oauth2.google",
    .title = "Google OAuth2 API v2",
    .vendor = &google_vendor,
    .prefixes = api_prefixes,
    .tables = TABLES(&api_rows),
    .schemas = schemas,
    .n_schemas = SOSIA_LEN(schemas),
    .facts = &api,
};
