/* SPDX-License-Identifier: Apache-2.0 */
/* What programs read before they ask for tokens: the documents of OpenID Connect, the names of the
 * authority, its keys, whether a name is a user's; and who a token's user is. */
#include "engine/base/codec.h"
#include "vendors/microsoft/internal.h"
#include "vendors/microsoft/signin/internal.h"

static const char *const hosts[] = {AUTHORITY_HOST, "login.windows.net", "login.microsoft.com",
                                    "sts.windows.net"};

static void write_list(struct json_writer *w, const char *name, const char *const *list)
{
    json_arr(w, name);
    for (; *list; list++)
        json_str(w, NULL, *list);
    json_end(w);
}
#define LIST(w, name, ...) write_list(w, name, (const char *const[]){__VA_ARGS__, NULL})

static void write_url(struct call *c, const char *name, const char *path)
{
    json_str(c->out, name, call_follow_url(c, AUTHORITY_HOST, path));
}

/* The endpoints of OpenID Connect, as the tenant's or as those of all. */
static int configuration(struct call *c)
{
    struct arena *a = c->tx.arena;
    struct json_writer *w = c->out;
    struct authority at;
    if (authority_read(c, &at) < 0)
        return -1;
    bool v2 = memmem(c->path, c->path_len, "/v2.0/", 6) != NULL;
    const char *version = v2 ? "/v2.0" : "";
    const char *text = at.tenant.id ? at.tenant.guid : at.text;
    const char *issuer = at.tenant.id                        ? at.tenant.guid
                         : at.consumers && !at.organizations ? MS_CONSUMERS
                                                             : "{tenantid}";
    json_obj(w, NULL);
    write_url(c, "token_endpoint", arena_printf(a, "/%s/oauth2%s/token", text, version));
    LIST(w, "token_endpoint_auth_methods_supported", "client_secret_post", "private_key_jwt",
         "client_secret_basic");
    write_url(c, "jwks_uri", arena_printf(a, "/%s/discovery%s/keys", text, version));
    LIST(w, "response_modes_supported", "query", "fragment", "form_post");
    LIST(w, "subject_types_supported", "pairwise");
    LIST(w, "id_token_signing_alg_values_supported", "RS256");
    LIST(w, "response_types_supported", "code", "id_token", "code id_token", "id_token token");
    LIST(w, "scopes_supported", "openid", "profile", "email", "offline_access");
    json_str(w, "issuer",
             v2 ? arena_printf(a, "https://" AUTHORITY_HOST "/%s/v2.0", issuer)
                : arena_printf(a, "https://sts.windows.net/%s/", issuer));
    json_bool(w, "request_uri_parameter_supported", false);
    json_str(w, "userinfo_endpoint", call_follow_url(c, GRAPH_HOST, "/oidc/userinfo"));
    write_url(c, "authorization_endpoint",
              arena_printf(a, "/%s/oauth2%s/authorize", text, version));
    write_url(c, "device_authorization_endpoint",
              arena_printf(a, "/%s/oauth2%s/devicecode", text, version));
    json_bool(w, "http_logout_supported", true);
    json_bool(w, "frontchannel_logout_supported", true);
    write_url(c, "end_session_endpoint", arena_printf(a, "/%s/oauth2%s/logout", text, version));
    LIST(w, "claims_supported", "sub", "iss", "cloud_instance_name", "cloud_instance_host_name",
         "cloud_graph_host_name", "msgraph_host", "aud", "exp", "iat", "auth_time", "acr", "nonce",
         "preferred_username", "name", "tid", "ver", "at_hash", "c_hash", "email");
    if (at.tenant.id)
        json_str(w, "tenant_region_scope", "EU");
    else
        json_null(w, "tenant_region_scope");
    json_str(w, "cloud_instance_name", "microsoftonline.com");
    json_str(w, "cloud_graph_host_name", "graph.windows.net");
    json_str(w, "msgraph_host", GRAPH_HOST);
    json_end(w);
    call_header(c, "Cache-Control", "max-age=86400, private");
    return 0;
}

static int keys(struct call *c)
{
    struct json_writer *w = c->out;
    char id[JWT_KEY_ID_LEN + 1];
    const char *n, *e;
    struct authority at;
    if (authority_read(c, &at) < 0 || jwt_key_id(KEY_OF_AUTHORITY, id, c->tx.err) < 0 ||
        jwt_key_public(c->tx.arena, KEY_OF_AUTHORITY, &n, &e, c->tx.err) < 0)
        return -1;
    json_obj(w, NULL);
    json_arr(w, "keys");
    json_obj(w, NULL);
    json_str(w, "kty", "RSA");
    json_str(w, "use", "sig");
    json_str(w, "kid", id);
    json_str(w, "x5t", id);
    json_str(w, "n", n);
    json_str(w, "e", e);
    json_str(w, "issuer",
             arena_printf(c->tx.arena, "https://" AUTHORITY_HOST "/%s/v2.0",
                          at.tenant.id ? at.tenant.guid : "{tenantid}"));
    json_end(w);
    json_end(w);
    json_end(w);
    call_header(c, "Cache-Control", "max-age=86400, private");
    return 0;
}

/* ---- instances ---- */

/* The host of an address, with its port; "" without one. */
static const char *host_of(struct arena *a, const char *url)
{
    const char *at = str_starts(url, "https://")  ? url + 8
                     : str_starts(url, "http://") ? url + 7
                                                  : NULL;
    return at ? arena_memdup(a, at, strcspn(at, "/?#")) : "";
}

static void write_instance(struct json_writer *w, const char *network, const char *cache,
                           const char *const *aliases, size_t n)
{
    json_obj(w, NULL);
    json_str(w, "preferred_network", network);
    json_str(w, "preferred_cache", cache);
    json_arr(w, "aliases");
    for (size_t i = 0; i < n; i++)
        json_str(w, NULL, aliases[i]);
    json_end(w);
    json_end(w);
}

static int instance(struct call *c)
{
    struct arena *a = c->tx.arena;
    struct json_writer *w = c->out;
    const char *endpoint = authority_param(c, "authorization_endpoint");
    if (!endpoint)
        return authority_missing(c, "authorization_endpoint");
    const char *host = host_of(a, endpoint), *own = host_of(a, c->base_url ? c->base_url : "");
    bool is_known = str_in_nocase(host, hosts, SOSIA_LEN(hosts));
    bool is_own = *host && str_eq_nocase(host, own);
    if (!is_known && !is_own)
        return authority_fail(c, SOSIA_E_INVALID, "invalid_instance", 50049,
                              "Unknown or invalid instance.");
    const char *rest = strstr(endpoint, "://") + 3 + strlen(host);
    const char *tenant = *rest ? arena_memdup(a, rest + 1, strcspn(rest + 1, "/")) : "common";
    json_obj(w, NULL);
    write_url(c, "tenant_discovery_endpoint",
              arena_printf(a, "/%.253s/v2.0/.well-known/openid-configuration",
                           *tenant && is_known ? tenant : "common"));
    json_str(w, "api-version", "1.1");
    json_arr(w, "metadata");
    write_instance(w, AUTHORITY_HOST, "login.windows.net", hosts, SOSIA_LEN(hosts));
    if (is_own && !is_known)
        write_instance(w, own, own, &own, 1);
    json_end(w);
    json_end(w);
    return 0;
}

/* ---- users ---- */

static int realm(struct call *c)
{
    struct json_writer *w = c->out;
    const char *name = param_str(c, "name"), *domain = email_domain(name ? name : "");
    struct ms_tenant tenant = {0};
    int r = *domain ? ms_tenant_find(&c->tx, domain, &tenant) : 0;
    if (r < 0)
        return -1;
    json_obj(w, NULL);
    json_str(w, "ver", "1.0");
    json_str(w, "account_type", r ? "Managed" : "Unknown");
    json_str(w, "domain_name", domain);
    if (r) {
        json_str(w, "cloud_instance_name", "microsoftonline.com");
        json_str(w, "cloud_audience_urn", "urn:federation:MicrosoftOnline");
    }
    json_end(w);
    return 0;
}

static const struct param realm_params[] = {{.name = "name",
                                             .place = IN_PATH,
                                             .required = true,
                                             .max = 254,
                                             .summary = "A user principal name"}};

#define WELL_KNOWN "/.well-known/openid-configuration"

static const struct route methods[] = {
    OPEN("authority.document", GET, configuration, RISK_READ,
         "OpenID Connect's description of the authority", "/{tenant}/v2.0" WELL_KNOWN,
         "/{tenant}" WELL_KNOWN),
    OPEN("authority.documentKeys", GET, keys, RISK_READ, "The keys of tokens, as JWKs",
         "/{tenant}/discovery/v2.0/keys", "/{tenant}/discovery/keys"),
    OPEN("authority.documentInstance", GET, instance, RISK_READ, "The names that the authority has",
         "/{tenant}/discovery/instance"),
    {ROUTE("authority.documentRealm", GET, "/common/userrealm/{name}"), .handler = realm,
     .risk = RISK_READ, .anonymous = true, PARAMS(realm_params),
     .summary = "Whether a name is that of a user of some tenant"},
};

const struct rows authority_info_rows = ROWS(methods);

/* ---- who it is ---- */

static int userinfo(struct call *c)
{
    struct json_writer *w = c->out;
    struct ident_app app = {.client_id = "sosia"};
    struct ms_user user;
    if (c->app && app_get(&c->tx, c->app, &app) < 0)
        return -1;
    int r = graph_caller_user(c, &user);
    if (r != 1)
        return r < 0 ? -1
                     : call_fail(c, SOSIA_E_FORBIDDEN, "Authorization_IdentityNotFound", NULL,
                                 "The identity of the calling application could not be "
                                 "established.");
    json_obj(w, NULL);
    json_str(w, "sub", authority_subject(c->tx.arena, &app, user.oid));
    json_str(w, "name", user.name ? user.name : c->actor.name);
    json_str_opt(w, "family_name", user.surname);
    json_str_opt(w, "given_name", user.given);
    json_str(w, "picture", "https://" GRAPH_HOST "/v1.0/me/photo/$value");
    json_str_opt(w, "email", user.mail);
    json_end(w);
    return 0;
}

static const struct route userinfo_methods[] = {
    {ROUTE("authority.userinfo", GET | POST, "/oidc/userinfo"), .handler = userinfo,
     .risk = RISK_READ, .scopes = "openid profile", .token_kinds = TOKEN_USER,
     .summary = "Who the token's user is"},
};

const struct rows authority_userinfo_rows = ROWS(userinfo_methods);
