/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tokens of the authority. An access token is a JWT. One for a service of Microsoft's ends, in the
 * place of a signature, in a secret of the world's, which names the world: who has no part in that
 * service can't verify the real ones either. One for an API of somebody else's is signed with the
 * key that the authority publishes, as id_tokens are.
 */
#include "engine/base/codec.h"
#include "engine/text/civil.h"
#include "vendors/microsoft/signin/internal.h"
#include <gnutls/crypto.h>

const struct oauth_style authority_style = {
    .vendor = "microsoft",
    .section = APP_SECTION,
    .access = {"microsoft_access", "", 43, true, true},
    .refresh = {"microsoft_refresh", "1.", 60, false},
    .code = {"microsoft_code", "1.", 60, false},
    .device = {"microsoft_device", "", 45, false},
    .user_codes = "microsoft_user_code",
    .access_s = AUTHORITY_LIFE_S,
    .code_s = 600,
    .device_s = 900,
    .interval_s = 5,
};

const char *authority_base64(struct arena *a, const void *data, size_t n)
{
    struct buf b;
    buf_init(&b, 0);
    base64url_add(&b, data, n, false);
    return buf_keep(&b, a);
}

const char *authority_client_info(struct arena *a, const struct ms_user *user,
                                  const struct ms_tenant *tenant)
{
    const char *text = arena_printf(a, "{\"uid\":\"%s\",\"utid\":\"%s\"}", user->oid, tenant->guid);
    return authority_base64(a, text, strlen(text));
}

const char *authority_subject(struct arena *a, const struct ident_app *app, const char *oid)
{
    uint8_t digest[32];
    const char *text = arena_printf(a, "%s %s", app->client_id, oid);
    gnutls_hash_fast(GNUTLS_DIG_SHA256, text, strlen(text), digest);
    return authority_base64(a, digest, sizeof digest);
}

/* ---- access tokens ---- */

/* Services whose tokens are theirs alone. */
static bool is_microsofts(const char *resource)
{
    static const char *const ends[] = {".microsoft.com", ".cloud.microsoft", ".office.com",
                                       ".sharepoint.com", "graph.microsoft.com"};
    static const char *const ids[] = {"fdcc1f02-fc51-4226-8753-f668596af7f7",
                                      "ea9ffc3e-8a23-4a7d-836d-234d7c7565c1"};
    size_t n = strlen(resource);
    if (str_in_nocase(str_starts(resource, "api://") ? resource + 6 : resource, ids,
                      SOSIA_LEN(ids)))
        return true;
    for (size_t i = 0; i < SOSIA_LEN(ends); i++) {
        size_t m = strlen(ends[i]);
        if (n > m && str_eq_nocase(resource + n - m, ends[i]))
            return true;
    }
    return false;
}

static void write_names(struct json_writer *w, const struct actor *who, const struct ms_user *user)
{
    json_str_opt(w, "family_name", user->surname);
    json_str_opt(w, "given_name", user->given);
    json_str(w, "name", user->name ? user->name : who->name);
}

/* uti: what makes the token unlike others, so that nobody can compute one that is signed. */
static void write_access_claims(struct call *c, struct json_writer *w, const struct issue *in,
                                const struct ms_tenant *tenant, const char *uti)
{
    struct arena *a = c->tx.arena;
    int64_t now = c->tx.now_us / US_PER_SECOND;
    json_obj(w, NULL);
    json_str(w, "aud", in->resource);
    json_str(w, "iss", arena_printf(a, "https://sts.windows.net/%s/", tenant->guid));
    json_int(w, "iat", now);
    json_int(w, "nbf", now);
    json_int(w, "exp", now + AUTHORITY_LIFE_S);
    json_str(w, "app_displayname", in->app->name);
    json_str(w, "appid", in->app->client_id);
    json_str(w, "appidacr",
             authority_param(c, "client_assertion") ? "2"
             : in->app->secret                      ? "1"
                                                    : "0");
    json_str(w, "idtyp", in->user ? "user" : "app");
    if (in->user) {
        write_names(w, in->who, in->user);
        json_str(w, "oid", in->user->oid);
        json_str(w, "scp", authority_of_resource(a, in->scopes, in->resource));
        json_str(w, "sub", authority_subject(a, in->app, in->user->oid));
    } else {
        json_str(w, "oid", in->own->oid);
        json_arr(w, "roles");
        const char *roles = authority_of_resource(a, in->scopes, in->resource);
        for (size_t n; *roles; roles += n + (roles[n] == ' ')) {
            n = strcspn(roles, " ");
            json_strn(w, NULL, roles, n);
        }
        json_end(w);
        json_str(w, "sub", in->own->oid);
    }
    json_str(w, "tid", tenant->guid);
    if (in->user) {
        json_str(w, "unique_name", in->user->upn);
        json_str(w, "upn", in->user->upn);
    }
    json_str(w, "uti", uti);
    json_str(w, "ver", "1.0");
    json_end(w);
}

/* The first two parts of a JWT that nobody signs, with the dot behind them. */
static const char *unsigned_part(struct call *c, const struct buf *claims)
{
    char id[JWT_KEY_ID_LEN + 1];
    if (jwt_key_id(KEY_OF_AUTHORITY, id, c->tx.err) < 0)
        return NULL;
    struct arena *a = c->tx.arena;
    const char *header =
        arena_printf(a,
                     "{\"typ\":\"JWT\",\"nonce\":\"%s\",\"alg\":\"RS256\",\"x5t\":\"%s\","
                     "\"kid\":\"%s\"}",
                     graph_guid(a, "nonce", c->request->target), id, id);
    return arena_printf(a, "%s.%s.", authority_base64(a, header, strlen(header)),
                        authority_base64(a, claims->data, claims->len));
}

static int access_token(struct call *c, struct issue *in, const struct ms_tenant *tenant,
                        int64_t grant)
{
    static const struct oauth_secret name = {"microsoft_uti", "", 16, false};
    struct oauth_style style = authority_style;
    struct json_writer w;
    struct buf b;
    struct oauth_access access = {.app = in->app->id,
                                  .grant = grant,
                                  .who = in->who,
                                  .scopes = in->scopes,
                                  .kind = in->user ? TOKEN_USER : TOKEN_APP};
    const char *uti = oauth_secret_new(&c->tx, &name);
    if (!uti || (in->user && authority_account_of(&c->tx, in->user, &access.account) < 0))
        return -1;
    json_start(&w, &b);
    write_access_claims(c, &w, in, tenant, uti);
    if (is_microsofts(in->resource))
        style.access.prefix = unsigned_part(c, &b);
    else if (jwt_sign(c->tx.arena, KEY_OF_AUTHORITY, b.data, b.len, &access.value, c->tx.err) < 0)
        style.access.prefix = NULL;
    buf_done(&b);
    return style.access.prefix ? oauth_access_new(&c->tx, &style, &access, &in->access_token) : -1;
}

const char *authority_claim(struct arena *a, const char *token, const char *name)
{
    struct jwt jwt;
    size_t n = strlen(token);
    const char *last = memrchr(token, '.', n);
    if (!last)
        return NULL;
    /* What follows the last dot need not be base64. */
    const char *text = arena_printf(a, "%.*sAAAA", (int)(last + 1 - token), token);
    return jwt_read(a, text, &jwt) == 0 ? json_get_str(jwt.claims, name) : NULL;
}

/* ---- id_tokens ---- */

static void write_id_claims(struct call *c, struct json_writer *w, const struct issue *in,
                            const struct ms_tenant *tenant)
{
    struct arena *a = c->tx.arena;
    int64_t now = c->tx.now_us / US_PER_SECOND;
    bool v1 = in->authority->v1;
    json_obj(w, NULL);
    json_str(w, "aud", in->app->client_id);
    json_str(w, "iss",
             v1 ? arena_printf(a, "https://sts.windows.net/%s/", tenant->guid)
                : arena_printf(a, "https://" AUTHORITY_HOST "/%s/v2.0", tenant->guid));
    json_int(w, "iat", now);
    json_int(w, "nbf", now);
    json_int(w, "exp", now + 3600);
    if (in->user->mail && authority_openid(in->scopes, "email"))
        json_str(w, "email", in->user->mail);
    json_str(w, "name", in->user->name ? in->user->name : in->who->name);
    json_str_opt(w, "nonce", in->nonce);
    if (in->code)
        json_str(w, "c_hash", jwt_at_hash(a, in->code));
    if (in->bound)
        json_str(w, "at_hash", jwt_at_hash(a, in->access_token));
    json_str(w, "oid", in->user->oid);
    if (v1) {
        json_str(w, "unique_name", in->user->upn);
        json_str(w, "upn", in->user->upn);
    } else {
        json_str(w, "preferred_username", in->user->upn);
    }
    json_str(w, "sub", authority_subject(a, in->app, in->user->oid));
    json_str(w, "tid", tenant->guid);
    json_str(w, "ver", v1 ? "1.0" : "2.0");
    json_end(w);
}

int authority_id_token(struct call *c, const struct issue *in, const struct ms_tenant *tenant,
                       const char **ret)
{
    struct json_writer w;
    struct buf b;
    *ret = NULL;
    if (!in->user || !authority_openid(in->scopes, "openid"))
        return 0;
    buf_init(&b, 16384);
    json_init(&w, &b, false, NULL);
    write_id_claims(c, &w, in, tenant);
    int rc = buf_failed(&b)
                 ? authority_fail(c, SOSIA_E_INVALID, "invalid_request", 90014,
                                  "The value of 'nonce' is too long.")
                 : jwt_sign(c->tx.arena, KEY_OF_AUTHORITY, b.data, b.len, ret, c->tx.err);
    buf_done(&b);
    return rc;
}

/* ---- the answer ---- */

/* Programs keep tokens by these: without offline_access, which no token has. */
const char *authority_shown_scopes(struct call *c, const struct issue *in)
{
    const char *scopes = authority_of_resource(c->tx.arena, in->scopes, in->resource);
    bool graph = strcmp(in->resource, GRAPH_RESOURCE) == 0;
    struct buf b;
    buf_init(&b, 0);
    for (size_t n; *scopes; scopes += n + (scopes[n] == ' ')) {
        n = strcspn(scopes, " ");
        bool openid = scopes_have("openid profile email", scopes, n);
        if (scopes_have("offline_access", scopes, n))
            continue;
        if (graph || openid)
            scopes_add(&b, scopes, n);
        else
            buf_printf(&b, "%s%s/%.*s", b.len ? " " : "", in->resource, (int)n, scopes);
    }
    return buf_keep(&b, c->tx.arena);
}

static void write_lives(struct call *c, struct json_writer *w, const struct issue *in)
{
    int64_t now = c->tx.now_us / US_PER_SECOND;
    if (!in->authority->v1) {
        json_int(w, "expires_in", AUTHORITY_LIFE_S);
        json_int(w, "ext_expires_in", AUTHORITY_LIFE_S);
        return;
    }
    struct arena *a = c->tx.arena; /* texts there */
    json_str(w, "expires_in", arena_printf(a, "%d", AUTHORITY_LIFE_S));
    json_str(w, "ext_expires_in", arena_printf(a, "%d", AUTHORITY_LIFE_S));
    json_str(w, "expires_on", arena_printf(a, "%lld", (long long)now + AUTHORITY_LIFE_S));
    json_str(w, "not_before", arena_printf(a, "%lld", (long long)now));
    json_str(w, "resource", in->resource);
}

int authority_access_token(struct call *c, struct issue *in, const struct ms_tenant *tenant)
{
    return access_token(c, in, tenant, 0);
}

int authority_issue(struct call *c, struct issue *in)
{
    struct json_writer *w = c->out;
    struct oauth_grant grant = {0};
    struct ms_tenant tenant;
    const char *id;
    bool info = in->user && (authority_param(c, "client_info") || !in->authority->v1);
    if (ms_tenant_get(&c->tx, in->user ? in->user->tenant : in->own->tenant, &tenant) != 1)
        return -1;
    if (in->lasting && (oauth_grant_new(&c->tx, &authority_style, in->app->id, in->who->id,
                                        in->scopes, &grant) < 0 ||
                        authority_chosen_put(&c->tx, "grant", grant.id, in->user) < 0))
        return -1;
    if (access_token(c, in, &tenant, grant.id) < 0 || authority_id_token(c, in, &tenant, &id) < 0)
        return -1;
    json_obj(w, NULL);
    json_str(w, "token_type", "Bearer");
    if (in->user)
        json_str(w, "scope", authority_shown_scopes(c, in));
    write_lives(c, w, in);
    json_str(w, "access_token", in->access_token);
    json_str_opt(w, "refresh_token", grant.token);
    json_str_opt(w, "id_token", id);
    if (info && authority_param(c, "client_info"))
        json_str(w, "client_info", authority_client_info(c->tx.arena, in->user, &tenant));
    json_end(w);
    return 0;
}
