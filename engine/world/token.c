/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tokens. The engine signs its own: "sosia_" and base64url of a record that names world, actor,
 * scopes and lifetime, with an HMAC-SHA-256 cut to 16 bytes. Nothing is stored for them; a world
 * stores only which of them were revoked. Fixed tokens (of a seed document, or too long to be
 * signed) are rows of the world.
 */
#include "engine/base/codec.h"
#include "engine/http/call.h"
#include "engine/world/engine.h"
#include "engine/world/token.h"
#include <gnutls/crypto.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>

#define PREFIX     "sosia_"
#define MAC_SIZE   16
#define CACHE_SIZE 64 /* a power of two: the upper six bits of a product choose */
#define KNOWN_SIZE 32 /* the same, of five */

/* The signed record; scopes follow, then the MAC. */
struct record {
    uint8_t version;
    uint8_t all;
    uint16_t reserved;
    uint32_t actor_check;
    uint64_t world, nonce;
    int64_t actor, issued_us, expires_us;
};

static void sign(const struct sosia_engine *e, const void *data, size_t len,
                 uint8_t ret_mac[MAC_SIZE])
{
    uint8_t digest[32];
    gnutls_hmac_fast(GNUTLS_MAC_SHA256, e->secret, sizeof e->secret, data, len, digest);
    memcpy(ret_mac, digest, MAC_SIZE);
}

static bool equal(const uint8_t *a, const uint8_t *b, size_t n)
{
    unsigned different = 0;
    for (size_t i = 0; i < n; i++)
        different |= (unsigned)(a[i] ^ b[i]);
    return !different;
}

void token_mark(const struct tx *tx, const char *text, char ret_mark[TOKEN_MARK_LEN + 1])
{
    uint8_t mac[MAC_SIZE];
    struct buf b;
    const char *signed_text =
        arena_printf(tx->arena, "mark %016" PRIx64 " %s", tx->world->id, text);
    sign(tx->engine, signed_text, strlen(signed_text), mac);
    buf_init(&b, 0);
    base64url_add(&b, mac, sizeof mac, false);
    snprintf(ret_mark, TOKEN_MARK_LEN + 1, "%s", buf_str(&b));
    buf_done(&b);
}

bool token_is_mark(const struct tx *tx, const char *text, const char *mark)
{
    char right[TOKEN_MARK_LEN + 1];
    token_mark(tx, text, right);
    return mark && *right && strlen(mark) == strlen(right) &&
           equal((const uint8_t *)mark, (const uint8_t *)right, strlen(right));
}

static uint32_t check_of(const char *email)
{
    return (uint32_t)hash_bytes(email, strlen(email));
}

/* Reads a list of scopes; unknown ones are no error (other services' routes may come later) but
 * give nothing. */
static void read_scopes(const struct sosia_engine *e, const char *text, size_t len,
                        struct scopes *ret)
{
    memset(ret, 0, sizeof *ret);
    for (size_t i = 0; i < len;) {
        size_t start = i;
        while (i < len && text[i] != ' ')
            i++;
        int n = i > start ? scope_number(e, text + start, i - start) : -1;
        if (n >= 0)
            ret->bits[n / 64] |= UINT64_C(1) << (n % 64);
        i++;
    }
}

static int decode(struct sosia_engine *e, struct arena *a, const char *text, size_t len,
                  struct token_claims *ret)
{
    uint8_t *data, mac[MAC_SIZE];
    size_t n;
    struct record r;
    if (base64_decode(a, text + strlen(PREFIX), len - strlen(PREFIX), &data, &n) < 0 ||
        n < sizeof r + MAC_SIZE)
        return -1;
    sign(e, data, n - MAC_SIZE, mac);
    if (!equal(mac, data + n - MAC_SIZE, MAC_SIZE))
        return -1;
    memcpy(&r, data, sizeof r);
    if (r.version != 1)
        return -1;
    *ret = (struct token_claims){.len = len,
                                 .world = r.world,
                                 .actor = r.actor,
                                 .actor_check = r.actor_check,
                                 .issued_us = r.issued_us,
                                 .expires_us = r.expires_us,
                                 .nonce = r.nonce};
    memcpy(ret->text, text, len);
    read_scopes(e, (const char *)data + sizeof r, n - sizeof r - MAC_SIZE, &ret->scopes);
    ret->scopes.all = r.all;
    return 0;
}

int token_read(struct sosia_engine *e, struct worker *k, const char *text, size_t len,
               const struct token_claims **ret_claims)
{
    if (len < sizeof PREFIX + 8 || memcmp(text, PREFIX, strlen(PREFIX)) != 0)
        return 0;
    if (len >= SOSIA_TOKEN_MAX)
        return -1;
    if (!k->tokens && !(k->tokens = calloc(CACHE_SIZE, sizeof *k->tokens)))
        return -1;
    uint64_t tail; /* of the MAC: as good as a hash of all */
    memcpy(&tail, text + len - sizeof tail, sizeof tail);
    struct token_claims *slot = &k->tokens[tail * UINT64_C(0x9e3779b97f4a7c15) >> 58];
    if (slot->len != len || memcmp(slot->text, text, len) != 0) {
        struct token_claims claims;
        if (decode(e, &k->arena, text, len, &claims) < 0)
            return -1;
        *slot = claims;
    }
    *ret_claims = slot;
    return 1;
}

static int is_revoked(struct tx *tx, uint64_t nonce)
{
    static struct sql_text q = SQL_TEXT("select 1 from token_revoked where nonce = :nonce");
    sqlite3_stmt *st = sql_use(tx->db, &q);
    if (!st)
        return slot_fail(tx->db, tx->err);
    sql_bind_int(st, 1, (int64_t)nonce);
    int r = sql_step(tx->db, st, tx->err);
    if (r == 1)
        sql_done(st);
    return r;
}

static int refuse(struct call *c, const char *reason)
{
    return call_fail(c, SOSIA_E_UNAUTHENTICATED, reason, "Authorization", "%s",
                     "the token is not valid");
}

static int authenticate_signed(struct call *c, const struct token_claims *claims)
{
    struct tx *tx = &c->tx;
    int r;
    if (claims->world != tx->world->id)
        return refuse(c, "invalid");
    if (claims->expires_us && claims->expires_us <= tx->now_us)
        return refuse(c, "expired");
    if ((r = is_revoked(tx, claims->nonce)) != 0)
        return r < 0 ? -1 : refuse(c, "revoked");
    struct actor actor = {0};
    if ((r = actor_by_id(tx, claims->actor, &actor)) < 0)
        return -1;
    if (!r || check_of(actor.email) != claims->actor_check)
        return refuse(c, "invalid");
    c->actor = actor;
    c->scopes = claims->scopes;
    c->claims = claims;
    c->token_expires_us = claims->expires_us;
    return 0;
}

static int authenticate_stored(struct call *c)
{
    static struct sql_text q =
        SQL_TEXT("select actor, scopes, expires_us from token where value = :value");
    struct tx *tx = &c->tx;
    sqlite3_stmt *st = sql_use(tx->db, &q);
    if (!st)
        return slot_fail(tx->db, tx->err);
    sql_bind_text(st, 1, c->token);
    int r = sql_step(tx->db, st, tx->err);
    if (r != 1)
        return r < 0 ? -1 : refuse(c, "invalid");
    int64_t actor = sqlite3_column_int64(st, 0);
    bool expired =
        sqlite3_column_type(st, 2) != SQLITE_NULL && sqlite3_column_int64(st, 2) <= tx->now_us;
    if (sqlite3_column_type(st, 1) == SQLITE_NULL)
        c->scopes.all = true;
    else
        read_scopes(tx->engine, (const char *)sqlite3_column_text(st, 1),
                    (size_t)sqlite3_column_bytes(st, 1), &c->scopes);
    c->token_expires_us = sqlite3_column_int64(st, 2);
    sql_done(st);
    if (expired)
        return refuse(c, "expired");
    r = actor_by_id(tx, actor, &c->actor);
    return r < 0 ? -1 : r ? 0 : refuse(c, "invalid");
}

/* ---- who was found lately ---- */

/* Whom a token stands for in a world at one version: as long as nothing is written there, nobody
 * has to be looked up again. Only the lifetime is checked each time. */
struct known_token {
    uint64_t world, version;
    size_t len; /* 0: none */
    char token[SOSIA_TOKEN_MAX];
    struct actor actor; /* its texts in: */
    char texts[512];
    struct scopes scopes;
    int64_t expires_us;
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

static bool known_find(struct call *c, const struct known_token *t, size_t len)
{
    const struct world *w = c->tx.world;
    if (!t || t->len != len || t->world != w->id || t->version != w->version ||
        memcmp(t->token, c->token, len) != 0 || (t->expires_us && t->expires_us <= c->tx.now_us))
        return false;
    c->actor = t->actor;
    c->scopes = t->scopes;
    c->token_expires_us = t->expires_us;
    return true;
}

static void known_keep(const struct call *c, struct known_token *t, size_t len)
{
    const char **from[] = {&t->actor.email, &t->actor.kind, &t->actor.name, &t->actor.zone,
                           &t->actor.locale};
    char *p = t->texts, *end = t->texts + sizeof t->texts;
    t->len = 0;
    t->actor = c->actor;
    for (size_t i = 0; i < SOSIA_LEN(from); i++) {
        size_t n = strlen(*from[i]) + 1;
        if (n > (size_t)(end - p))
            return;
        *from[i] = memcpy(p, *from[i], n);
        p += n;
    }
    memcpy(t->token, c->token, len);
    t->scopes = c->scopes;
    t->expires_us = c->token_expires_us;
    t->world = c->tx.world->id;
    t->version = c->tx.world->version;
    t->len = len;
}

int token_authenticate(struct call *c, struct worker *k)
{
    const struct token_claims *claims;
    size_t len = strlen(c->token);
    int r = token_read(c->tx.engine, k, c->token, len, &claims);
    if (r < 0)
        return refuse(c, "invalid");
    struct known_token *known = known_place(k, c->tx.world, c->token, len);
    if (known_find(c, known, len)) {
        c->claims = r ? claims : NULL;
        return 0;
    }
    if ((r ? authenticate_signed(c, claims) : authenticate_stored(c)) < 0)
        return -1;
    if (known && !arena_failed(c->tx.arena))
        known_keep(c, known, len);
    return 0;
}

void token_add_world(const struct tx *tx, struct buf *token)
{
    char key[17];
    world_key(tx->world->id, key);
    buf_byte(token, '~');
    buf_add(token, key, 16);
}

uint64_t token_world(const char *token)
{
    size_t len = strlen(token);
    return len > 17 && token[len - 17] == '~' ? world_id_from_key(token + len - 16, 16) : 0;
}

int token_store(struct tx *tx, const char *value, int64_t actor, const char *scopes,
                int64_t expires_us, bool seeded)
{
    static struct sql_text q = SQL_TEXT(
        "insert into token (value, actor, scopes, expires_us, seeded) "
        "values (:value, :actor, :scopes, :expires, :seeded) "
        "on conflict (value) do update set actor = excluded.actor, scopes = excluded.scopes, "
        "expires_us = excluded.expires_us");
    sqlite3_stmt *st = sql_use(tx->db, &q);
    if (!st)
        return slot_fail(tx->db, tx->err);
    sql_bind_text(st, 1, value);
    sql_bind_int(st, 2, actor);
    sql_bind_text(st, 3, scopes);
    if (expires_us)
        sql_bind_int(st, 4, expires_us);
    else
        sql_bind_null(st, 4);
    sql_bind_int(st, 5, seeded);
    return sql_run(tx->db, st, tx->err);
}

int token_sign(struct tx *tx, const struct actor *actor, const char *scopes, int64_t expires_us,
               char *ret_token, size_t size)
{
    struct record r = {.version = 1,
                       .all = !scopes,
                       .actor_check = check_of(actor->email),
                       .world = tx->world->id,
                       .actor = actor->id,
                       .issued_us = tx->now_us,
                       .expires_us = expires_us};
    size_t n_scopes = scopes ? strlen(scopes) : 0;
    uint8_t data[sizeof r + 256 + MAC_SIZE];
    if (n_scopes > 256)
        return tx_fail(tx, SOSIA_E_TOO_LARGE, "scopes", "scopes",
                       "too many scopes for a signed token");
    if (getrandom(&r.nonce, sizeof r.nonce, 0) != sizeof r.nonce)
        return tx_fail(tx, SOSIA_E_INTERNAL, NULL, NULL, "the system gives no random bytes");
    r.nonce >>= 1;
    memcpy(data, &r, sizeof r);
    if (n_scopes)
        memcpy(data + sizeof r, scopes, n_scopes);
    sign(tx->engine, data, sizeof r + n_scopes, data + sizeof r + n_scopes);
    struct buf b;
    buf_init(&b, 0);
    buf_puts(&b, PREFIX);
    base64url_add(&b, data, sizeof r + n_scopes + MAC_SIZE, false);
    int rc = 0;
    if (buf_failed(&b) || b.len >= size)
        rc = tx_fail(tx, SOSIA_E_TOO_LARGE, NULL, NULL, "no room for the token");
    else
        memcpy(ret_token, buf_str(&b), b.len + 1);
    buf_done(&b);
    return rc;
}

int token_issue_stored(struct tx *tx, const struct actor *actor,
                       const struct sosia_token_options *opt, int64_t expires_us, char *ret_token,
                       size_t size)
{
    uint8_t random[24];
    char made[64];
    const char *value = opt->value;
    if (!value) {
        if (getrandom(random, sizeof random, 0) != sizeof random)
            return tx_fail(tx, SOSIA_E_INTERNAL, NULL, NULL, "the system gives no random bytes");
        memcpy(made, "stored_", 7);
        hex_encode(made + 7, random, sizeof random);
        value = made;
    }
    if (strlen(value) < 8 || str_starts(value, PREFIX))
        return tx_fail(tx, SOSIA_E_INVALID, NULL, "value",
                       "a fixed token has at least 8 bytes and does not begin with \"" PREFIX "\"");
    if (strlen(value) >= size)
        return tx_fail(tx, SOSIA_E_TOO_LARGE, NULL, "value", "no room for the token");
    if (token_store(tx, value, actor->id, opt->scopes, expires_us, opt->value != NULL) < 0)
        return -1;
    memcpy(ret_token, value, strlen(value) + 1);
    return 0;
}

int token_revoke(struct tx *tx, const char *token, const struct token_claims *claims)
{
    static struct sql_text q_nonce =
        SQL_TEXT("insert or ignore into token_revoked (nonce, at_us) values (:nonce, :at)");
    static struct sql_text q_stored = SQL_TEXT("delete from token where value = :value");
    sqlite3_stmt *st = sql_use(tx->db, claims ? &q_nonce : &q_stored);
    if (!st)
        return slot_fail(tx->db, tx->err);
    if (claims) {
        sql_bind_int(st, 1, (int64_t)claims->nonce);
        sql_bind_int(st, 2, tx->now_us);
    } else {
        sql_bind_text(st, 1, token);
    }
    if (sql_run(tx->db, st, tx->err) < 0)
        return -1;
    if (sqlite3_changes(slot_db(tx->db)) == 0)
        return tx_fail(tx, SOSIA_E_NOT_FOUND, NULL, "token", "there is no such token");
    return 0;
}
