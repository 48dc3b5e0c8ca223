/* SPDX-License-Identifier: Apache-2.0 */
/* The programs that may sign people in: those that a world lists, or all; service accounts by
 * their keys. */
#include "identity/oauth.h"
#include "engine/base/codec.h"
#include "engine/json/doc.h"
#include "engine/world/engine.h"
#include "engine/world/evaluation.h"
#include "engine/world/take.h"
#include "identity/internal.h"
#include <gnutls/crypto.h>

/* ---- open and listed worlds ---- */

#define MAX_CLIENT_ID 255 /* bytes, of one that an open world registers */

#define OPEN_REFUSED                                                                               \
    "must be listed where the server has a data directory or listens beyond loopback, not open "   \
    "(`sosia serve --oauth listed` takes the world, and lists)"

static const char *const modes[] = {"listed", "open", NULL};

int oauth_is_open(struct tx *tx)
{
    static struct sql_text q =
        SQL_TEXT("select 1 from ident_setting where id = :id and oauth = 'open'");
    if (evaluation_knows_its_programs(tx->world))
        return 0;
    if (tx->engine->options.oauth != SOSIA_OAUTH_BY_WORLD)
        return tx->engine->options.oauth == SOSIA_OAUTH_OPEN;
    return TX_ANY(tx, TX_QUERY(tx, &q, 1));
}

/* "open", or {mode, actor}. doc is at the member. */
int oauth_seed_setting(struct tx *tx, struct doc *d, const struct json *v)
{
    static const char *const members[] = {"mode", "actor", NULL};
    static struct sql_text q =
        SQL_TEXT("insert into ident_setting (id, oauth, oauth_actor) values (1, :oauth, :actor) "
                 "on conflict (id) do update set oauth = excluded.oauth, "
                 "oauth_actor = excluded.oauth_actor");
    struct actor actor = {0};
    int mode = 0;
    if (!v || v->type == JSON_NULL)
        return 0;
    if (v->type == JSON_STRING) {
        while (modes[mode] && strcmp(modes[mode], v->str) != 0)
            mode++;
        if (!modes[mode])
            return doc_fail(d, v, NULL, "\"%.40s\" is none of listed, open", v->str);
    } else if (doc_object(d, v, members) < 0 || doc_enum(d, v, "mode", modes, 0, &mode) < 0 ||
               ident_doc_actor(tx, d, v, "actor", false, &actor) < 0) {
        return -1;
    }
    if (mode && tx->engine->options.oauth == SOSIA_OAUTH_NEVER_OPEN)
        return doc_fail(d, v, NULL, OPEN_REFUSED);
    return TX_RUN(tx, &q, modes[mode], sql_int_or_null(actor.id, 0));
}

int oauth_check_setting(struct tx *tx)
{
    static struct sql_text q =
        SQL_TEXT("select 1 from ident_setting where id = :id and oauth = 'open'");
    int64_t one;
    if (tx->engine->options.oauth != SOSIA_OAUTH_NEVER_OPEN)
        return 0;
    int r = TX_INT(tx, &q, &one, 1);
    return r == 1 ? tx_fail(tx, SOSIA_E_INVALID, "oauth", "oauth", "oauth " OPEN_REFUSED) : r;
}

int oauth_dump_setting(struct tx *tx, struct json_writer *w)
{
    static struct sql_text q = SQL_TEXT("select s.oauth, a.handle from ident_setting s left join "
                                        "ident_actor a on a.id = s.oauth_actor where s.id = :id");
    const char *mode, *actor;
    int r = TX_TAKE(tx, TX_QUERY(tx, &q, 1), &mode, &actor);
    if (r != 1)
        return r;
    if (actor) {
        json_obj(w, "oauth");
        json_str(w, "mode", mode);
        json_str(w, "actor", actor);
        json_end(w);
    } else if (strcmp(mode, "listed") != 0) {
        json_str(w, "oauth", mode);
    }
    return 0;
}

/* ---- apps ---- */

int oauth_app(struct tx *tx, const struct oauth_style *style, const char *client_id,
              struct ident_app *ret)
{
    int r = app_find(tx, client_id, ret);
    if (r == 1 && ret->vendor && strcmp(ret->vendor, style->vendor) != 0)
        return OAUTH_UNKNOWN_APP;
    if (r)
        return r < 0 ? -1 : 0;
    r = tx->write && *client_id && strlen(client_id) <= MAX_CLIENT_ID ? oauth_is_open(tx) : 0;
    if (r != 1)
        return r < 0 ? -1 : OAUTH_UNKNOWN_APP;
    *ret = (struct ident_app){.client_id = client_id,
                              .name = client_id,
                              .kind = "any",
                              .vendor = style->vendor,
                              .section = style->section};
    if (app_new(tx, ret) < 0)
        return -1;
    r = app_get(tx, ret->id, ret);
    return r == 1 ? 0 : r < 0 ? -1 : OAUTH_UNKNOWN_APP;
}

int oauth_authenticate(struct tx *tx, const struct oauth_style *style, const char *client_id,
                       const char *secret, struct ident_app *ret)
{
    int r = oauth_app(tx, style, client_id, ret);
    if (r || !ret->secret)
        return r;
    if (!secret || !*secret)
        return OAUTH_NO_SECRET;
    return ident_same_secret(secret, ret->secret) ? 0 : OAUTH_BAD_SECRET;
}

int oauth_basic(struct arena *a, const char *authorization, const char **ret_id,
                const char **ret_secret)
{
    uint8_t *data;
    size_t n, id_len, secret_len;
    char *id, *secret;
    if (!authorization || strncasecmp(authorization, "Basic ", 6) != 0)
        return 0;
    if (base64_decode(a, authorization + 6, strlen(authorization + 6), &data, &n) < 0 ||
        memchr(data, 0, n))
        return -1;
    const char *text = arena_memdup(a, data, n), *colon = strchr(text, ':');
    if (!colon || percent_decode(a, text, (size_t)(colon - text), true, &id, &id_len) < 0 ||
        percent_decode(a, colon + 1, strlen(colon + 1), true, &secret, &secret_len) < 0)
        return -1;
    *ret_id = id;
    *ret_secret = secret;
    return 1;
}

/* ---- service accounts ---- */

#define SERVICE_COLUMNS "id, actor, client_id, key_id, public_key, delegation"

static int read_service(struct tx *tx, sqlite3_stmt *st, struct ident_service *ret)
{
    int64_t actor;
    int r = TX_TAKE(tx, st, &ret->id, &actor, &ret->client_id, &ret->key_id, &ret->public_key,
                    &ret->delegation);
    return r == 1 ? actor_by_id(tx, actor, &ret->actor) : r;
}

int service_get(struct tx *tx, int64_t id, struct ident_service *ret)
{
    static struct sql_text q =
        SQL_TEXT("select " SERVICE_COLUMNS " from ident_service where id = :id");
    return read_service(tx, TX_QUERY(tx, &q, id), ret);
}

int service_find(struct tx *tx, const char *name, struct ident_service *ret)
{
    static struct sql_text q =
        SQL_TEXT("select " SERVICE_COLUMNS " from ident_service where actor = :actor");
    struct actor actor;
    int r = actor_find(tx, name, &actor);
    return r == 1 ? read_service(tx, TX_QUERY(tx, &q, actor.id), ret) : r;
}

int service_new(struct tx *tx, const struct ident_service *service)
{
    static struct sql_text q =
        SQL_TEXT("insert into ident_service (actor, client_id, key_id, public_key, delegation) "
                 "values (:actor, :client, :key_id, :key, :delegation)");
    return TX_RUN(tx, &q, service->actor.id, service->client_id, service->key_id,
                  service->public_key, service->delegation);
}

const char *service_key_label(struct tx *tx, const struct actor *actor)
{
    const char *email = service_email(actor);
    uint8_t bytes[16];
    char hex[2 * sizeof bytes + 1];
    if (tx_secret_of(tx, "service key", email, bytes, sizeof bytes) < 0)
        return NULL;
    hex_encode(hex, bytes, sizeof bytes);
    return arena_printf(tx->arena, "%s %s", email, hex);
}

int oauth_assertion_check(struct tx *tx, const struct jwt *jwt, struct ident_service *ret)
{
    const char *iss = json_get_str(jwt->claims, "iss"), *kid = json_get_str(jwt->header, "kid");
    const char *alg = json_get_str(jwt->header, "alg");
    char made[JWT_KEY_ID_LEN + 1];
    int r = iss ? service_find(tx, iss, ret) : 0;
    if (r != 1)
        return r < 0 ? -1 : OAUTH_UNKNOWN_SERVICE;
    if (!alg || strcmp(alg, "RS256") != 0)
        return OAUTH_BAD_ALGORITHM;
    const char *key_id = ret->key_id, *label = NULL;
    if (!ret->public_key) {
        if (!(label = service_key_label(tx, &ret->actor)) || jwt_key_id(label, made, tx->err) < 0)
            return -1;
        key_id = made;
    }
    return (kid && key_id && strcmp(kid, key_id) != 0) || !jwt_verify(jwt, ret->public_key, label)
               ? OAUTH_BAD_SIGNATURE
               : 0;
}

int oauth_assertion_times(const struct jwt *jwt, int64_t max_s)
{
    int64_t iat, exp;
    return json_i64(json_get(jwt->claims, "iat"), &iat) < 0 ||
                   json_i64(json_get(jwt->claims, "exp"), &exp) < 0 || iat < 0 || exp <= iat ||
                   exp - iat > max_s
               ? OAUTH_BAD_TIMES
               : 0;
}

int oauth_delegate(struct tx *tx, const struct ident_service *service, const char *subject,
                   const char *scopes, struct actor *ret)
{
    int r = actor_find(tx, subject, ret);
    if (r != 1)
        return r < 0 ? -1 : OAUTH_UNKNOWN_SUBJECT;
    if (ret->id == service->actor.id)
        return 0;
    return !service->delegation || !scopes_cover(service->delegation, scopes) ||
                   ret->org != service->actor.org
               ? OAUTH_NO_DELEGATION
               : 0;
}
