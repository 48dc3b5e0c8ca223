/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/store/row.h"
#include "identity/token.h"
#include "engine/base/codec.h"
#include "engine/world/columns.h"
#include "engine/world/engine.h"
#include "engine/world/take.h"
#include "identity/app.h"
#include "identity/consent.h"
#include "identity/internal.h"
#include "identity/scope.h"
#include <gnutls/crypto.h>
#include <stdlib.h>
#include <sys/random.h>

#define KNOWN_SIZE 32 /* a power of two: the upper five bits of a product choose */

const char *const token_kind_names[] = {"user", "bot", "app", NULL};

const char *token_kind_name(enum token_kind kind)
{
    return token_kind_names[kind == TOKEN_USER ? 0 : kind == TOKEN_BOT ? 1 : 2];
}

enum token_kind token_kind_of(const struct actor *actor)
{
    if (strcmp(actor->kind, "bot") == 0)
        return TOKEN_BOT;
    if (strcmp(actor->kind, "app") == 0 || strcmp(actor->kind, "service") == 0)
        return TOKEN_APP;
    return TOKEN_USER;
}

/* ---- what was revoked ---- */

static int has_nonce(struct tx *tx, uint64_t nonce)
{
    static struct sql_text q = SQL_TEXT("select 1 from ident_revoked where nonce = :nonce");
    return TX_ANY(tx, TX_QUERY(tx, &q, (int64_t)nonce));
}

static int add_nonce(struct tx *tx, uint64_t nonce)
{
    static struct sql_text q =
        SQL_TEXT("insert or ignore into ident_revoked (nonce, at_us) values (:nonce, :at)");
    return TX_RUN(tx, &q, (int64_t)nonce, tx->now_us);
}

static uint64_t nonce_of(const char *secret)
{
    uint8_t digest[32];
    uint64_t nonce;
    gnutls_hash_fast(GNUTLS_DIG_SHA256, secret, strlen(secret), digest);
    memcpy(&nonce, digest, sizeof nonce);
    return nonce >> 1;
}

int ident_revoked_add(struct tx *tx, const char *secret)
{
    return add_nonce(tx, nonce_of(secret));
}

int ident_revoked_has(struct tx *tx, const char *secret)
{
    return has_nonce(tx, nonce_of(secret));
}

/* ---- stored ones ---- */

#define TOKEN(X)                                                                                   \
    X(app, app, ID)                                                                                \
    X(service, service, ID)                                                                        \
    X(account, account, ID)                                                                        \
    X(grant_id, grant, ID)                                                                         \
    X(kind, kind, NUMBER)                                                                          \
    X(scopes, scopes, STRING)                                                                      \
    X(expires_us, expires_us, ID)
#define NAMES    TOKEN(COLUMN_NAME)
#define MARKS    TOKEN(COLUMN_MARK)
#define EXCLUDED TOKEN(COLUMN_EXCLUDED)
#define SELECTED "id, seeded, actor" NAMES

int ident_token_store(struct tx *tx, const struct ident_token *row, int64_t *ret_id)
{
    static struct sql_text q = SQL_TEXT(
        "insert into ident_token (value, seeded, actor" NAMES ") values (?, ?, ?" MARKS ") "
        "on conflict (value) do update set seeded = excluded.seeded, "
        "actor = excluded.actor" EXCLUDED " returning id");
    int64_t id;
    int r =
        TX_TAKE(tx, TX_QUERY(tx, &q, row->value, row->seeded, row->actor TOKEN(COLUMN_VALUE)), &id);
    if (r != 1)
        return -1;
    if (ret_id)
        *ret_id = id;
    return due_cancel(tx, IDENT_CORE, IDENT_ACCESS, id);
}

int ident_token_find(struct tx *tx, const char *value, struct ident_token *row)
{
    static struct row_key q = ROW_KEY("ident_token", "t", SELECTED, "value = ?1");
    struct record found = {.arena = tx->arena}, *rec = &found;
    unsigned at = 3;
    int r = ROW_BY_KEY(tx, &q, rec, value);
    if (r != 1)
        return r;
    *row = (struct ident_token){.id = record_int(rec, 0),
                                .seeded = record_int(rec, 1),
                                .actor = record_int(rec, 2),
                                .value = value};
    TOKEN(COLUMN_TAKE)
    return 1;
}

int ident_token_of(struct tx *tx, int64_t app, int64_t actor, int64_t account, enum token_kind kind,
                   struct ident_token *ret)
{
    static struct sql_text q =
        SQL_TEXT("select value from ident_token where app = :app and actor = :actor and "
                 "account = :account and kind = :kind and expires_us is null order by id limit 1");
    const char *value;
    int r = TX_TAKE(tx, TX_QUERY(tx, &q, app, actor, account, (int64_t)kind), &value);
    if (r != 1)
        return r;
    return ident_token_find(tx, value, ret);
}

/* A later token may get the id: nothing may be due of it that was this one's. */
int ident_token_drop(struct tx *tx, int64_t id)
{
    static struct sql_text q = SQL_TEXT("delete from ident_token where id = :id");
    return due_cancel(tx, IDENT_CORE, IDENT_ACCESS, id) < 0 ? -1 : TX_RUN(tx, &q, id);
}

/* 1, 0: it was revoked before, -1. */
static int revoke_signed(struct tx *tx, const struct token_claims *claims)
{
    if (add_nonce(tx, claims->nonce) < 0)
        return -1;
    return sqlite3_changes(slot_db(tx->db)) > 0;
}

int ident_token_revoke(struct tx *tx, const char *value, const struct token_claims *claims)
{
    struct ident_token found;
    int r = claims ? revoke_signed(tx, claims) : ident_token_find(tx, value, &found);
    if (r == 0)
        return tx_fail(tx, SOSIA_E_NOT_FOUND, NULL, "token", "there is no such token");
    return r < 0 ? -1 : claims ? 0 : ident_token_drop(tx, found.id);
}

/* ---- whom a token stands for ---- */

static int refuse(struct tx *tx, const char *reason)
{
    return tx_fail(tx, SOSIA_E_UNAUTHENTICATED, reason, "Authorization", "the token is not valid");
}

static int resolve_signed(struct tx *tx, const struct token_claims *claims, struct principal *ret)
{
    struct ident_app app;
    int r = has_nonce(tx, claims->nonce);
    if (r)
        return r < 0 ? -1 : refuse(tx, "revoked");
    if ((r = actor_by_id(tx, claims->actor, &ret->actor)) < 0)
        return -1;
    if (!r || token_check(ret->actor.handle) != claims->actor_check)
        return refuse(tx, "invalid");
    if (claims->app && (r = app_get(tx, claims->app, &app)) != 1)
        return r < 0 ? -1 : refuse(tx, "invalid");
    ret->app = claims->app;
    ret->account = 0;
    ret->kind = claims->kind;
    ret->scopes = claims->scopes;
    ret->expires_us = claims->expires_us;
    return 0;
}

static int resolve_stored(struct tx *tx, const char *value, struct principal *ret)
{
    struct ident_token t;
    int r = ident_token_find(tx, value, &t);
    if (r == 0 && (r = ident_revoked_has(tx, value)) == 1)
        return refuse(tx, "revoked");
    if (r != 1)
        return r < 0 ? -1 : refuse(tx, "invalid");
    if (t.expires_us && t.expires_us <= tx->now_us)
        return refuse(tx, "expired");
    if ((r = actor_by_id(tx, t.actor, &ret->actor)) != 1)
        return r < 0 ? -1 : refuse(tx, "invalid");
    if (t.scopes)
        scopes_read(tx->engine, t.scopes, strlen(t.scopes), &ret->scopes);
    else
        ret->scopes = (struct scopes){.all = true};
    ret->app = t.app;
    ret->account = t.account;
    ret->kind = t.kind;
    ret->expires_us = t.expires_us;
    return 0;
}

/* The actor of a token in a world at one version: as long as nothing is written there, no
 * look-up is needed. Only the lifetime is checked each time. */
struct known_token {
    uint64_t world, version;
    size_t len; /* 0: none */
    char token[SOSIA_TOKEN_MAX];
    struct principal who; /* its strings in: */
    char texts[512];
};

/* The place of a token; NULL: it is too long, or there is no memory. */
static struct known_token *known_place(struct worker *k, const struct world *w, const char *text,
                                       size_t len)
{
    uint64_t tail = 0;
    if (len >= SOSIA_TOKEN_MAX || (!k->known && !(k->known = calloc(KNOWN_SIZE, sizeof *k->known))))
        return NULL;
    memcpy(&tail, text + (len > 8 ? len - 8 : 0), len > 8 ? 8 : len);
    return &k->known[(tail ^ w->id) * UINT64_C(0x9e3779b97f4a7c15) >> 59];
}

static bool known_is(const struct known_token *t, const struct tx *tx, const char *token,
                     size_t len)
{
    return t && t->len == len && t->world == tx->world->id && t->version == tx->world->version &&
           memcmp(t->token, token, len) == 0 &&
           (!t->who.expires_us || t->who.expires_us > tx->now_us);
}

static void known_keep(const struct tx *tx, struct known_token *t, const char *token, size_t len,
                       const struct principal *who)
{
    struct actor *a = &t->who.actor;
    const char **from[] = {&a->handle, &a->email, &a->kind, &a->name, &a->zone, &a->locale};
    char *p = t->texts, *end = t->texts + sizeof t->texts;
    t->len = 0;
    t->who = *who;
    for (size_t i = 0; i < SOSIA_LEN(from); i++) {
        size_t n = strlen(*from[i]) + 1;
        if (n > (size_t)(end - p))
            return;
        *from[i] = memcpy(p, *from[i], n);
        p += n;
    }
    memcpy(t->token, token, len);
    t->world = tx->world->id;
    t->version = tx->world->version;
    t->len = len;
}

static int resolve(struct tx *tx, struct worker *k, const char *token,
                   const struct token_claims *claims, struct principal *ret)
{
    size_t len = strlen(token);
    struct known_token *known = known_place(k, tx->world, token, len);
    if (known_is(known, tx, token, len)) {
        *ret = known->who;
        return 0;
    }
    if ((claims ? resolve_signed(tx, claims, ret) : resolve_stored(tx, token, ret)) < 0)
        return -1;
    if (known && !arena_failed(tx->arena))
        known_keep(tx, known, token, len, ret);
    return 0;
}

/* ---- for the public interface ---- */

/* The value given, or a random one. */
static int issue_stored(struct tx *tx, const struct token_grant *grant, const char *value,
                        char *ret_token, size_t size)
{
    uint8_t random[24];
    char made[64];
    bool fixed = value != NULL;
    if (!value) {
        if (getrandom(random, sizeof random, 0) != sizeof random)
            return tx_fail(tx, SOSIA_E_INTERNAL, NULL, NULL, "the system gives no random bytes");
        memcpy(made, "stored_", 7);
        hex_encode(made + 7, random, sizeof random);
        value = made;
    }
    if (strlen(value) < 8 || str_starts(value, TOKEN_PREFIX))
        return tx_fail(tx, SOSIA_E_INVALID, NULL, "value",
                       "a fixed token has at least 8 bytes and does not begin with \"" TOKEN_PREFIX
                       "\"");
    if (strlen(value) >= size)
        return tx_fail(tx, SOSIA_E_TOO_LARGE, NULL, "value", "no room for the token");
    struct ident_token t = {.value = value,
                            .actor = grant->actor->id,
                            .app = grant->app,
                            .kind = grant->kind,
                            .scopes = grant->scopes,
                            .expires_us = grant->expires_us,
                            .seeded = fixed};
    if (ident_token_store(tx, &t, NULL) < 0)
        return -1;
    memcpy(ret_token, value, strlen(value) + 1);
    return 0;
}

static int issue(struct tx *tx, const struct actor *actor, const struct sosia_token_options *opt,
                 bool stored, int64_t expires_us, char *ret_token, size_t size)
{
    struct token_grant grant = {.actor = actor,
                                .kind = token_kind_of(actor),
                                .scopes =
                                    opt->scopes ? scopes_written(tx->arena, opt->scopes) : NULL,
                                .expires_us = expires_us};
    struct ident_app app;
    if (opt->app) {
        int r = app_find(tx, opt->app, &app);
        if (r != 1)
            return r < 0 ? -1
                         : tx_fail(tx, SOSIA_E_NOT_FOUND, "appNotFound", "app",
                                   "there is no app \"%.80s\"", opt->app);
        grant.app = app.id;
    }
    if (opt->kind) {
        int i = 0;
        while (token_kind_names[i] && strcmp(token_kind_names[i], opt->kind) != 0)
            i++;
        if (!token_kind_names[i])
            return tx_fail(tx, SOSIA_E_INVALID, "kind", "kind",
                           "kind must be one of user, bot, app, not \"%.40s\"", opt->kind);
        grant.kind = (enum token_kind)(1 << i);
    }
    if (stored && opt->prefix)
        return tx_fail(tx, SOSIA_E_INVALID, "prefix", "prefix",
                       "a token with a value or more than %d bytes of scopes has no prefix",
                       TOKEN_MAX_SCOPES);
    if (stored)
        return issue_stored(tx, &grant, opt->value, ret_token, size);
    return token_sign_shaped(tx, opt->prefix ? opt->prefix : TOKEN_PREFIX, &grant, ret_token, size);
}

const struct resolver identity_resolver = {
    .resolve = resolve,
    .find = actor_find,
    .issue = issue,
    .revoke = ident_token_revoke,
    .link = consent_link_new,
    .registration = consent_registration,
    .list = actor_list,
};
