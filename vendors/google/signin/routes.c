/* SPDX-License-Identifier: Apache-2.0 */
/* The paths of accounts.google.com, oauth2.googleapis.com and openidconnect.googleapis.com, old
 * forms included, and the OAuth2 API v2 of www.googleapis.com. */
#include "vendors/google/google.h"
#include "vendors/google/signin/internal.h"

static const char *const prefixes[] = {"/o/oauth2",    "/oauth2/v1", "/oauth2/v3", "/oauth2/v4",
                                       "/token",       "/revoke",    "/tokeninfo", "/device",
                                       "/v1/userinfo", NULL};

const struct dialect google_oauth_dialect = {
    .name = "oauth.google",
    .title = "Google sign-in: OAuth 2.0 and OpenID Connect",
    .vendor = &google_vendor,
    .front = &google_oauth_front,
    .prefixes = prefixes,
    .tables = TABLES(&oauth_consent_rows, &oauth_token_rows, &oauth_device_rows, &oauth_info_rows),
};

/* ---- the OAuth2 API ---- */

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
    .tables = TABLES(&oauth_api_rows),
    .schemas = schemas,
    .n_schemas = SOSIA_LEN(schemas),
    .facts = &api,
};
