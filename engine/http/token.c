/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/http/token.h"
#include "engine/base/codec.h"
#include "engine/http/call.h"
#include "engine/world/engine.h"
#include <gnutls/crypto.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>

#define MAC_SIZE   16
#define CACHE_SIZE 64 /* a power of two: the upper six bits of a product choose */
#define VERSION    2

/* The signed record; scopes follow, then the MAC, which is an HMAC-SHA-256 of prefix, record and
 * scopes, cut. */
struct record {
    uint8_t version;
    uint8_t all;
    uint8_t kind;
    uint8_t reserved;
    uint32_t actor_check;
    uint64_t world, nonce;
    int64_t actor, app, issued_us, expires_us;
};

/* Any record in base64: the first byte is its version, the second 0 or 1. */
#define CLAIM_START "Ag"
#define CLAIM_MIN   ((sizeof(struct record) + MAC_SIZE) * 4 / 3)
#define SIGNED_MAX  (SOSIA_TOKEN_MAX + sizeof(struct record) + TOKEN_MAX_SCOPES)

static int sign(const struct sosia_engine *e, const char *prefix, size_t prefix_len,
                const void *data, size_t len, uint8_t ret_mac[MAC_SIZE])
{
    uint8_t all[SIGNED_MAX], digest[32];
    if (prefix_len + len > sizeof all)
        return -1;
    memcpy(all, prefix, prefix_len);
    memcpy(all + prefix_len, data, len);
    gnutls_hmac_fast(GNUTLS_MAC_SHA256, e->secret, sizeof e->secret, all, prefix_len + len, digest);
    memcpy(ret_mac, digest, MAC_SIZE);
    return 0;
}

uint32_t token_check(const char *handle)
{
    return (uint32_t)hash_bytes(handle, strlen(handle));
}

void scopes_read(const struct sosia_engine *e, const char *text, size_t len, struct scopes *ret)
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

/* ---- marks ---- */

void token_mark(const struct tx *tx, const char *text, char ret_mark[TOKEN_MARK_LEN + 1])
{
    static const char prefix[] = "mark ";
    uint8_t mac[MAC_SIZE];
    struct buf b;
    const char *signed_text = arena_printf(tx->arena, "%016" PRIx64 " %s", tx->world->id, text);
    *ret_mark = 0;
    if (sign(tx->engine, prefix, sizeof prefix - 1, signed_text, strlen(signed_text), mac) < 0)
        return;
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
           gnutls_memcmp(mark, right, strlen(right)) == 0;
}

/* ---- letters and digits ---- */

/* base64url without its two marks and Z, which escapes the three: Z is 25 there, the marks are 62
 * and 63. Gives where the text ends, which has CLAIM_TEXT(n) characters at most. */
#define CLAIM_TEXT(n) (((n) + 2) / 3 * 8)
static char *claim_put(char *p, const uint8_t *data, size_t n)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYcabcdefghijklmnopqrstuvwxyz0123456789ab";
    for (size_t taken; n; n -= taken, data += taken) {
        uint32_t v = (uint32_t)data[0] << 16;
        unsigned end = n >= 3 ? 0 : n == 2 ? 6 : 12;
        if (n > 1)
            v |= (uint32_t)data[1] << 8;
        if (n > 2)
            v |= data[2];
        for (unsigned shift = 24; shift > end;) {
            unsigned digit = v >> (shift -= 6) & 63;
            if (digit == 25 || digit >= 62)
                *p++ = 'Z';
            *p++ = digits[digit];
        }
        taken = n < 3 ? n : 3;
    }
    return p;
}

static int claim_decode(struct arena *a, const char *text, size_t len, uint8_t **ret, size_t *ret_n)
{
    char plain[SOSIA_TOKEN_MAX];
    size_t n = 0;
    for (size_t i = 0; i < len; i++) {
        char c = text[i];
        if (c == 'Z') {
            if (++i == len || text[i] < 'a' || text[i] > 'c')
                return -1;
            c = "-_Z"[text[i] - 'a'];
        }
        plain[n++] = c;
    }
    return base64_decode(a, plain, n, ret, ret_n);
}

/* ---- reading ---- */

static bool is_alnum(char c)
{
    return (unsigned)((c | 32) - 'a') < 26 || (unsigned)(c - '0') < 10;
}

static int decode_token(struct sosia_engine *e, struct arena *a, const char *text, size_t len,
                        size_t prefix_len, struct token_claims *ret)
{
    uint8_t *data, mac[MAC_SIZE];
    size_t n;
    struct record r;
    if (claim_decode(a, text + prefix_len, len - prefix_len, &data, &n) < 0 ||
        n < sizeof r + MAC_SIZE || n > sizeof r + MAC_SIZE + TOKEN_MAX_SCOPES ||
        sign(e, text, prefix_len, data, n - MAC_SIZE, mac) < 0 ||
        gnutls_memcmp(mac, data + n - MAC_SIZE, MAC_SIZE) != 0)
        return -1;
    memcpy(&r, data, sizeof r);
    if (r.version != VERSION)
        return -1;
    *ret = (struct token_claims){.len = len,
                                 .world = r.world,
                                 .actor = r.actor,
                                 .app = r.app,
                                 .actor_check = r.actor_check,
                                 .kind = (enum token_kind)r.kind,
                                 .issued_us = r.issued_us,
                                 .expires_us = r.expires_us,
                                 .nonce = r.nonce};
    memcpy(ret->text, text, len);
    scopes_read(e, (const char *)data + sizeof r, n - sizeof r - MAC_SIZE, &ret->scopes);
    ret->scopes.all = r.all;
    return 0;
}

/* Where the last segment begins, if it may be a record; 0: it can't. */
static size_t find_claim(const char *text, size_t len)
{
    size_t at = len;
    while (at && is_alnum(text[at - 1]))
        at--;
    return at && len - at >= CLAIM_MIN && memcmp(text + at, CLAIM_START, strlen(CLAIM_START)) == 0
               ? at
               : 0;
}

int token_read(struct sosia_engine *e, struct worker *k, const char *text, size_t len,
               const struct token_claims **ret_claims)
{
    bool plain =
        len > strlen(TOKEN_PREFIX) && memcmp(text, TOKEN_PREFIX, strlen(TOKEN_PREFIX)) == 0;
    if (len < CLAIM_MIN || len >= SOSIA_TOKEN_MAX)
        return plain ? -1 : 0;
    if (!k->tokens && !(k->tokens = calloc(CACHE_SIZE, sizeof *k->tokens)))
        return -1;
    uint64_t tail; /* of the MAC: as good as a hash of all */
    memcpy(&tail, text + len - sizeof tail, sizeof tail);
    struct token_claims *slot = &k->tokens[tail * UINT64_C(0x9e3779b97f4a7c15) >> 58];
    if (slot->len != len || memcmp(slot->text, text, len) != 0) {
        struct token_claims claims;
        size_t at = find_claim(text, len);
        if (!at || decode_token(e, &k->arena, text, len, at, &claims) < 0)
            return plain ? -1 : 0;
        *slot = claims;
    }
    *ret_claims = slot;
    return 1;
}

/* ---- signing ---- */

/* A nonce of 63 bits. Many are taken from the system at a time. */
static int next_nonce(uint64_t *ret)
{
    static _Thread_local uint64_t nonces[32]; /* 256 bytes, which come whole */
    static _Thread_local unsigned left;
    if (!left) {
        if (getrandom(nonces, sizeof nonces, 0) != sizeof nonces)
            return -1;
        left = SOSIA_LEN(nonces);
    }
    *ret = nonces[--left] >> 1;
    nonces[left] = 0;
    return 0;
}

static bool good_prefix(const char *prefix)
{
    size_t n = strlen(prefix);
    for (size_t i = 0; i < n; i++)
        if (prefix[i] <= ' ' || prefix[i] > '~')
            return false;
    return n && !is_alnum(prefix[n - 1]);
}

static int no_nonce(struct sosia_err *err)
{
    return sosia_fail(err, SOSIA_E_INTERNAL, NULL, NULL, "the system gives no random bytes");
}

static int no_room(struct sosia_err *err)
{
    return sosia_fail(err, SOSIA_E_TOO_LARGE, NULL, NULL, "no room for the token");
}

/* The text of a prefix and a record with its MAC. */
static int put_token(const void *prefix, size_t n_prefix, const uint8_t *data, size_t n,
                     char *ret_token, size_t size, struct sosia_err *err)
{
    char text[SOSIA_TOKEN_MAX + CLAIM_TEXT(sizeof(struct record) + TOKEN_MAX_SCOPES + MAC_SIZE)];
    if (size > SOSIA_TOKEN_MAX)
        size = SOSIA_TOKEN_MAX; /* what is longer is not read */
    if (n_prefix >= size)
        return no_room(err);
    memcpy(text, prefix, n_prefix);
    size_t len = (size_t)(claim_put(text + n_prefix, data, n) - text);
    if (len >= size)
        return no_room(err);
    memcpy(ret_token, text, len);
    ret_token[len] = 0;
    return 0;
}

int token_sign_shaped(struct tx *tx, const char *prefix, const struct token_grant *grant,
                      char *ret_token, size_t size)
{
    struct record r = {.version = VERSION,
                       .all = !grant->scopes,
                       .kind = (uint8_t)grant->kind,
                       .actor_check = token_check(grant->actor->handle),
                       .world = tx->world->id,
                       .actor = grant->actor->id,
                       .app = grant->app,
                       .issued_us = tx->now_us,
                       .expires_us = grant->expires_us};
    size_t n_scopes = grant->scopes ? strlen(grant->scopes) : 0;
    uint8_t data[sizeof r + TOKEN_MAX_SCOPES + MAC_SIZE];
    if (!good_prefix(prefix))
        return tx_fail(tx, SOSIA_E_INVALID, "prefix", "prefix",
                       "a token's prefix must be visible ASCII that ends with neither a letter nor "
                       "a digit, not \"%.80s\"",
                       prefix);
    if (n_scopes > TOKEN_MAX_SCOPES)
        return tx_fail(tx, SOSIA_E_TOO_LARGE, "scopes", "scopes",
                       "too many scopes for a signed token");
    if (next_nonce(&r.nonce) < 0)
        return no_nonce(tx->err);
    memcpy(data, &r, sizeof r);
    if (n_scopes)
        memcpy(data + sizeof r, grant->scopes, n_scopes);
    size_t n_prefix = strlen(prefix), n = sizeof r + n_scopes;
    if (n_prefix >= SOSIA_TOKEN_MAX || sign(tx->engine, prefix, n_prefix, data, n, data + n) < 0)
        return no_room(tx->err);
    return put_token(prefix, n_prefix, data, n + MAC_SIZE, ret_token, size, tx->err);
}

/* ---- many that say the same ---- */

int token_form_init(struct token_form *f, const struct sosia_engine *e, struct arena *a,
                    const char *token, struct sosia_err *err)
{
    gnutls_hmac_hd_t mac;
    uint8_t *data;
    size_t len = strlen(token), prefix_len = find_claim(token, len), n;
    if (!prefix_len || claim_decode(a, token + prefix_len, len - prefix_len, &data, &n) < 0 ||
        n < sizeof(struct record) + MAC_SIZE || prefix_len + n > sizeof f->text)
        return sosia_fail(err, SOSIA_E_INTERNAL, NULL, NULL, "a token is not in its own form");
    if (gnutls_hmac_init(&mac, GNUTLS_MAC_SHA256, e->secret, sizeof e->secret) < 0)
        return sosia_fail_memory(err);
    f->mac = mac;
    f->prefix_len = prefix_len;
    f->len = prefix_len + n - MAC_SIZE;
    memcpy(f->text, token, prefix_len);
    memcpy(f->text + prefix_len, data, n); /* the MAC's place is written anew each time */
    return 0;
}

void token_form_done(struct token_form *f)
{
    if (f->mac)
        gnutls_hmac_deinit(f->mac, NULL);
    f->mac = NULL;
}

int token_form_sign(struct token_form *f, uint64_t world, int64_t now_us, int64_t expires_us,
                    char *ret_token, size_t size, struct sosia_err *err)
{
    uint8_t *data = f->text + f->prefix_len, digest[32];
    struct record r;
    memcpy(&r, data, sizeof r);
    r.world = world;
    r.issued_us = now_us;
    r.expires_us = expires_us;
    if (next_nonce(&r.nonce) < 0)
        return no_nonce(err);
    memcpy(data, &r, sizeof r);
    if (gnutls_hmac(f->mac, f->text, f->len) < 0)
        return sosia_fail_memory(err);
    gnutls_hmac_output(f->mac, digest); /* and it is as new */
    memcpy(f->text + f->len, digest, MAC_SIZE);
    return put_token(f->text, f->prefix_len, data, f->len - f->prefix_len + MAC_SIZE, ret_token,
                     size, err);
}

/* ---- stored ones that name their world ---- */

void token_add_world(const struct tx *tx, struct buf *token, bool letters)
{
    char key[17];
    world_key(tx->world->id, key);
    buf_byte(token, letters ? 'w' : '~');
    buf_add(token, key, 16);
}

uint64_t token_world(const char *token)
{
    size_t len = strlen(token);
    bool names = len > 17 && (token[len - 17] == '~' || token[len - 17] == 'w');
    return names ? world_id_from_key(token + len - 16, 16) : 0;
}
