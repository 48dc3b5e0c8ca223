/* SPDX-License-Identifier: Apache-2.0 */
/* What programs of Microsoft's load: a token of a user in the shape of the authority's, and how the
 * apps of its tenant sign in. */
#include "engine/http/token.h"
#include "engine/text/civil.h"
#include "vendors/microsoft/signin/internal.h"

enum { MAX_NAME = 80 }; /* bytes of a name in a token, which has room for so much */

const char *const authority_credential_kinds[] = {"microsoft", NULL};

/* "header.claims." of a token that the engine signs: its record is the last part. */
static const char *shape_of(struct tx *tx, const struct ms_user *user,
                            const struct ms_tenant *tenant)
{
    static const char header[] = "{\"typ\":\"JWT\",\"alg\":\"RS256\"}";
    struct json_writer w;
    struct buf b;
    json_start(&w, &b);
    json_obj(&w, NULL);
    json_str(&w, "aud", GRAPH_RESOURCE);
    json_str(&w, "oid", user->oid);
    json_str(&w, "tid", tenant->guid);
    if (strlen(user->upn) <= MAX_NAME)
        json_str(&w, "upn", user->upn);
    json_end(&w);
    const char *text =
        arena_printf(tx->arena, "%s.%s.", authority_base64(tx->arena, header, strlen(header)),
                     authority_base64(tx->arena, buf_str(&b), b.len));
    buf_done(&b);
    return text;
}

static int write_app(struct tx *tx, struct json_writer *w, int64_t id)
{
    struct ident_app app;
    struct ms_app own;
    if (ms_app_get(tx, id, &own) != 1 || app_get(tx, own.app, &app) != 1)
        return -1;
    json_obj(w, NULL);
    json_str(w, "client_id", app.client_id);
    json_str_opt(w, "client_secret", app.secret);
    json_end(w);
    return 0;
}

static int write_apps(struct tx *tx, struct json_writer *w, const struct ms_tenant *tenant)
{
    static struct sql_text q = SQL_TEXT(
        "select id from ms_app where tenant = :tenant and id > :after order by id limit 1");
    int64_t id = 0;
    int r;
    json_arr(w, "apps");
    while ((r = TX_INT(tx, &q, &id, tenant->id, id)) == 1)
        if (write_app(tx, w, id) < 0)
            return -1;
    json_end(w);
    return r;
}

/* ---- notifications ---- */

/* The service that sends notifications of changes, as an app. */
#define CHANGE_TRACKING "0bf30f3b-4a52-48df-9a82-234910c4a086"
enum { VALIDATION_LIFE_S = 29100 };

static void write_validation(struct tx *tx, struct json_writer *w, const char *client_id,
                             const char *tenant, const char *uti)
{
    const char *issuer = arena_printf(tx->arena, "https://sts.windows.net/%s/", tenant);
    int64_t now = tx->now_us / US_PER_SECOND;
    json_obj(w, NULL);
    json_str(w, "aud", client_id);
    json_str(w, "iss", issuer);
    json_int(w, "iat", now);
    json_int(w, "nbf", now);
    json_int(w, "exp", now + VALIDATION_LIFE_S);
    json_str(w, "appid", CHANGE_TRACKING);
    json_str(w, "appidacr", "2");
    json_str(w, "idp", issuer);
    json_str(w, "tid", tenant);
    json_str(w, "uti", uti);
    json_str(w, "ver", "1.0");
    json_end(w);
}

int authority_validation_token(struct tx *tx, const char *client_id, const char *tenant,
                               const char **ret)
{
    static const struct oauth_secret name = {"microsoft_uti", "", 16, false};
    const char *uti = oauth_secret_new(tx, &name);
    struct json_writer w;
    struct buf b;
    if (!uti)
        return -1;
    json_start(&w, &b);
    write_validation(tx, &w, client_id, tenant, uti);
    int r = buf_failed(&b) ? sosia_fail_memory(tx->err)
                           : jwt_sign(tx->arena, KEY_OF_AUTHORITY, b.data, b.len, ret, tx->err);
    buf_done(&b);
    return r;
}

/* ---- what programs load ---- */

int authority_credential(struct tx *tx, const char *kind, const struct actor *actor,
                         const char *base_url, struct buf *out)
{
    static const char *const sites[] = {"-my.sharepoint.com", ".sharepoint.com"};
    struct token_grant grant = {.actor = actor, .kind = TOKEN_USER};
    char token[SOSIA_TOKEN_MAX];
    struct ms_tenant tenant;
    struct json_writer w;
    struct ms_user user;
    (void)base_url;
    int r = strcmp(kind, authority_credential_kinds[0]) == 0
                ? ms_user_of_actor(tx, actor->id, 0, &user)
                : 0;
    if (r == 1)
        r = ms_tenant_get(tx, user.tenant, &tenant);
    if (r != 1)
        return r;
    if (token_sign_shaped(tx, shape_of(tx, &user, &tenant), &grant, token, sizeof token) < 0)
        return -1;
    json_init(&w, out, true, NULL);
    json_obj(&w, NULL);
    json_str(&w, "microsoft_token", arena_strdup(tx->arena, token));
    json_str(&w, "microsoft_tenant", tenant.guid);
    json_str(&w, "microsoft_user", user.upn);
    r = write_apps(tx, &w, &tenant);
    json_arr(&w, "hosts"); /* where addresses of files lead, beside the service's own */
    for (size_t i = 0; i < SOSIA_LEN(sites); i++)
        json_str(&w, NULL,
                 arena_printf(tx->arena, "%.*s%s", (int)strcspn(tenant.initial, "."),
                              tenant.initial, sites[i]));
    json_end(&w);
    json_end(&w);
    return r < 0 ? -1 : 1;
}
