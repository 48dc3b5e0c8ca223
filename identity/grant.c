/* SPDX-License-Identifier: Apache-2.0 */
/* What people have agreed to, and the tokens that came of it. */
#include "engine/base/codec.h"
#include "engine/text/civil.h"
#include "engine/world/take.h"
#include "identity/consent.h"
#include "identity/internal.h"
#include <gnutls/crypto.h>

#define MAX_GRANTS 100 /* refresh tokens of an app for a person; a new one ends the oldest */

/* ---- consent ---- */

int oauth_consent_get(struct tx *tx, int64_t app, int64_t actor, const char **ret_scopes)
{
    static struct sql_text q =
        SQL_TEXT("select scopes from ident_consent where app = :app and actor = :actor");
    *ret_scopes = NULL;
    return TX_TAKE(tx, TX_QUERY(tx, &q, app, actor), ret_scopes) < 0 ? -1 : 0;
}

static int consent_set(struct tx *tx, int64_t app, int64_t actor, const char *scopes)
{
    static struct sql_text q =
        SQL_TEXT("insert into ident_consent (app, actor, scopes) values (:app, :actor, :scopes) "
                 "on conflict (app, actor) do update set scopes = excluded.scopes");
    return TX_RUN(tx, &q, app, actor, scopes);
}

int oauth_consent_add(struct tx *tx, int64_t app, int64_t actor, const char *scopes)
{
    const char *known;
    if (oauth_consent_get(tx, app, actor, &known) < 0)
        return -1;
    if (known && !(scopes = scopes_union(tx->arena, known, scopes)))
        return tx_fail(tx, SOSIA_E_LIMIT, "tooManyScopes", "scope",
                       "an app must have at most 16 KiB of scopes of one actor, would have more");
    return consent_set(tx, app, actor, scopes) < 0 ? -1 : consent_registered_used(tx, app);
}

/* Two statements about an app and an actor differ in their text alone. 1, 0, -1. */
static int id_of(struct tx *tx, struct sql_text *q, int64_t app, int64_t actor, int64_t *ret)
{
    return TX_TAKE(tx, TX_QUERY(tx, q, app, actor), ret);
}

/* ---- access tokens ---- */

/* One that no dump brought. */
static const char *new_access(struct tx *tx, const struct oauth_style *style)
{
    struct ident_token there;
    const char *value;
    int r;
    do
        r = (value = ident_secret(tx, &style->access)) ? ident_token_find(tx, value, &there) : -1;
    while (r == 1);
    return r < 0 ? NULL : value;
}

int oauth_access_new(struct tx *tx, const struct oauth_style *style,
                     const struct oauth_access *access, const char **ret_token)
{
    const char *value = access->value ? access->value : new_access(tx, style);
    int64_t id, expires = access->lasting ? 0 : tx->now_us + style->access_s * US_PER_SECOND;
    if (!value)
        return -1;
    struct ident_token token = {.value = value,
                                .actor = access->who->id,
                                .app = access->app,
                                .service = access->service,
                                .grant = access->grant,
                                .kind = access->kind  ? access->kind
                                        : access->app ? TOKEN_USER
                                                      : token_kind_of(access->who),
                                .account = access->account,
                                .scopes = access->scopes,
                                .expires_us = expires,
                                .seeded = access->lasting};
    if (ident_token_store(tx, &token, &id) < 0)
        return -1;
    *ret_token = value;
    if (access->lasting)
        return 0;
    return due_add(tx, expires + IDENT_KEEP_S * US_PER_SECOND, IDENT_CORE, IDENT_ACCESS, id);
}

int oauth_access_find(struct tx *tx, const char *token, struct ident_token *ret,
                      const char **ret_client_id)
{
    struct ident_app app;
    struct ident_service service;
    int r = ident_token_find(tx, token, ret);
    if (r != 1 || (!ret->app && !ret->service))
        return r < 0 ? -1 : 0;
    r = ret->app ? app_get(tx, ret->app, &app) : service_get(tx, ret->service, &service);
    if (r == 1 && ret_client_id)
        *ret_client_id = ret->app ? app.client_id : service.client_id;
    return r;
}

int oauth_access_revoke(struct tx *tx, const char *token)
{
    struct ident_token found;
    int r = oauth_access_find(tx, token, &found, NULL);
    if (r != 1)
        return r;
    return (found.grant ? oauth_grant_revoke(tx, found.grant) : ident_token_drop(tx, found.id)) < 0
               ? -1
               : 1;
}

int oauth_access_end(struct tx *tx, const char *token)
{
    struct ident_token found;
    int r = ident_token_find(tx, token, &found);
    if (r != 1)
        return r;
    return ident_token_drop(tx, found.id) < 0 || ident_revoked_add(tx, token) < 0 ? -1 : 1;
}

static int next_of_tenant(struct tx *tx, int64_t app, const char *vendor, const char *tenant,
                          const char **ret)
{
    static struct sql_text q = SQL_TEXT(
        "select t.value from ident_token t join ident_account a on a.id = t.account where "
        "t.app = :app and a.vendor = :vendor and a.tenant = :tenant order by t.id limit 1");
    return TX_TAKE(tx, TX_QUERY(tx, &q, app, vendor, tenant), ret);
}

int oauth_tenant_end(struct tx *tx, int64_t app, const char *vendor, const char *tenant)
{
    const char *token;
    int r;
    while ((r = next_of_tenant(tx, app, vendor, tenant, &token)) == 1)
        if (oauth_access_end(tx, token) < 0)
            return -1;
    return r;
}

int oauth_tenant_has(struct tx *tx, int64_t app, const char *vendor, const char *tenant)
{
    const char *token;
    return next_of_tenant(tx, app, vendor, tenant, &token);
}

/* ---- refresh tokens ---- */

/* What an open world keeps of a secret that was issued elsewhere: enough to know it again. */
#define HASHED "sha256:"
static const char *hashed(struct arena *a, const char *token)
{
    uint8_t digest[32];
    char hex[2 * sizeof digest + 1];
    gnutls_hash_fast(GNUTLS_DIG_SHA256, token, strlen(token), digest);
    hex_encode(hex, digest, sizeof digest);
    return arena_printf(a, HASHED "%s", hex);
}

#define COLUMNS "id, token, app, actor, scopes, made_us, ended_us"

static int read_grant(struct tx *tx, sqlite3_stmt *st, struct oauth_grant *ret)
{
    return TX_TAKE(tx, st, &ret->id, &ret->token, &ret->app, &ret->actor, &ret->scopes,
                   &ret->made_us, &ret->ended_us);
}

int oauth_grant_find(struct tx *tx, const char *token, struct oauth_grant *ret)
{
    static struct sql_text q = SQL_TEXT("select " COLUMNS " from ident_grant where token = :token");
    int r = str_starts(token, HASHED) ? 0 : read_grant(tx, TX_QUERY(tx, &q, token), ret);
    return r ? r : read_grant(tx, TX_QUERY(tx, &q, hashed(tx->arena, token)), ret);
}

int oauth_grant_get(struct tx *tx, int64_t id, struct oauth_grant *ret)
{
    static struct sql_text q = SQL_TEXT("select " COLUMNS " from ident_grant where id = :id");
    return read_grant(tx, TX_QUERY(tx, &q, id), ret);
}

int oauth_grant_of(struct tx *tx, int64_t actor, struct oauth_grant *ret)
{
    static struct sql_text q =
        SQL_TEXT("select " COLUMNS " from ident_grant where actor = :actor "
                 "and ended_us is null and token not like '" HASHED "%' order by id desc limit 1");
    return read_grant(tx, TX_QUERY(tx, &q, actor), ret);
}

int oauth_grant_add(struct tx *tx, struct oauth_grant *grant)
{
    static struct sql_text q =
        SQL_TEXT("insert into ident_grant (token, app, actor, scopes, made_us) "
                 "values (:token, :app, :actor, :scopes, nullif(:made, 0))");
    if (TX_RUN(tx, &q, grant->token, grant->app, grant->actor, grant->scopes, grant->made_us) < 0)
        return -1;
    grant->id = tx_last_id(tx);
    return 0;
}

/* After a new one: ends the one that is too many. */
static int end_oldest(struct tx *tx, int64_t app, int64_t actor)
{
    static struct sql_text q =
        SQL_TEXT("select id from ident_grant where app = :app and actor = :actor "
                 "order by id desc limit 1 offset :max");
    int64_t old;
    int r = TX_TAKE(tx, TX_QUERY(tx, &q, app, actor, MAX_GRANTS), &old);
    if (r != 1)
        return r;
    return oauth_grant_revoke(tx, old);
}

int oauth_grant_new(struct tx *tx, const struct oauth_style *style, int64_t app, int64_t actor,
                    const char *scopes, struct oauth_grant *ret)
{
    struct oauth_grant there;
    const char *token;
    int r;
    do
        r = (token = ident_secret(tx, &style->refresh)) ? oauth_grant_find(tx, token, &there) : -1;
    while (r == 1); /* one that no dump brought */
    *ret = (struct oauth_grant){
        .token = token, .app = app, .actor = actor, .scopes = scopes, .made_us = tx->now_us};
    if (r < 0 || oauth_grant_add(tx, ret) < 0)
        return -1;
    return end_oldest(tx, app, actor);
}

/* ---- in open worlds ---- */

/* As whom a program acts that comes with a token of its own. */
static int whom_to_be(struct tx *tx, const struct ident_app *app, struct actor *ret)
{
    static struct sql_text q = SQL_TEXT("select coalesce(oauth_actor, 0) from ident_setting "
                                        "where id = :id");
    int64_t id = app->automatic;
    if (!id && TX_INT(tx, &q, &id, 1) < 0)
        return -1;
    return id ? actor_by_id(tx, id, ret) : actor_first_person(tx, ret);
}

static int learn_grant(struct tx *tx, const struct ident_app *app, const char *token,
                       const char *all, struct oauth_grant *ret)
{
    const char *name = hashed(tx->arena, token);
    struct actor who;
    int r = tx->write ? oauth_is_open(tx) : 0;
    if (r != 1)
        return r < 0 ? -1 : OAUTH_UNKNOWN_GRANT;
    /* One that was ended stays so. */
    if ((r = ident_revoked_has(tx, name)) != 0)
        return r < 0 ? -1 : OAUTH_UNKNOWN_GRANT;
    if ((r = whom_to_be(tx, app, &who)) != 1)
        return r < 0 ? -1 : OAUTH_UNKNOWN_GRANT;
    *ret = (struct oauth_grant){.token = name, .app = app->id, .actor = who.id, .scopes = all};
    if (oauth_grant_add(tx, ret) < 0 || oauth_consent_add(tx, app->id, who.id, all) < 0)
        return -1;
    return end_oldest(tx, app->id, who.id);
}

int oauth_grant_use(struct tx *tx, const struct ident_app *app, const char *token, const char *all,
                    struct oauth_grant *ret)
{
    int r = oauth_grant_find(tx, token, ret);
    if (r < 0)
        return -1;
    if (!r)
        return learn_grant(tx, app, token, all, ret);
    return ret->app == app->id ? 0 : OAUTH_OTHER_APP;
}

/* ---- the end of them ---- */

int oauth_grant_next(struct tx *tx, int64_t actor, int64_t after, struct oauth_grant *ret)
{
    static struct sql_text q = SQL_TEXT("select " COLUMNS " from ident_grant where actor = :actor "
                                        "and id > :after order by id limit 1");
    return read_grant(tx, TX_QUERY(tx, &q, actor, after), ret);
}

int oauth_grant_end(struct tx *tx, int64_t id)
{
    static struct sql_text q =
        SQL_TEXT("update ident_grant set ended_us = :now where id = :id and ended_us is null");
    return TX_RUN(tx, &q, tx->now_us, id);
}

int oauth_grant_revoke(struct tx *tx, int64_t id)
{
    static struct sql_text q = SQL_TEXT("delete from ident_grant where id = :id");
    static struct sql_text q_access = SQL_TEXT(
        "select id from ident_token where grant_id = :grant and :zero = 0 order by id limit 1");
    struct oauth_grant grant;
    int64_t access;
    int r;
    while ((r = id_of(tx, &q_access, id, 0, &access)) == 1)
        if (ident_token_drop(tx, access) < 0)
            return -1;
    if (r < 0 || (r = oauth_grant_get(tx, id, &grant)) < 0)
        return -1;
    if (r &&
        ident_revoked_add(tx, str_starts(grant.token, HASHED) ? grant.token
                                                              : hashed(tx->arena, grant.token)) < 0)
        return -1;
    return TX_RUN(tx, &q, id);
}

int oauth_consent_end(struct tx *tx, int64_t app, int64_t actor)
{
    static struct sql_text q =
        SQL_TEXT("delete from ident_consent where app = :app and actor = :actor");
    static struct sql_text q_grant = SQL_TEXT("select id from ident_grant where app = :app and "
                                              "actor = :actor order by id limit 1");
    static struct sql_text q_access = SQL_TEXT("select id from ident_token where app = :app and "
                                               "actor = :actor order by id limit 1");
    int64_t id;
    int r;
    while ((r = id_of(tx, &q_grant, app, actor, &id)) == 1)
        if (oauth_grant_revoke(tx, id) < 0)
            return -1;
    /* Those that came from no grant, or whose grant was deleted. */
    while (r == 0 && (r = id_of(tx, &q_access, app, actor, &id)) == 1)
        r = ident_token_drop(tx, id);
    return r < 0 ? -1 : TX_RUN(tx, &q, app, actor);
}

/* ---- time ---- */

int oauth_due(struct tx *tx, const char *kind, int64_t ref)
{
    static struct sql_text q_code = SQL_TEXT("delete from ident_code where id = :id");
    if (strcmp(kind, "code") == 0)
        return TX_RUN(tx, &q_code, ref);
    if (strcmp(kind, "device") == 0)
        return oauth_device_forget(tx, ref);
    if (strcmp(kind, CONSENT_DUE) == 0)
        return consent_link_drop(tx, ref);
    return ident_token_drop(tx, ref);
}
