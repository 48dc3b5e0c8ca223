/* SPDX-License-Identifier: Apache-2.0 */
/* The short-lived data of a sign-in: codes of browsers and of devices. */
#include "engine/base/codec.h"
#include "engine/text/civil.h"
#include "engine/world/columns.h"
#include "engine/world/take.h"
#include "identity/internal.h"
#include <gnutls/crypto.h>

/* ---- secrets ---- */

static void add_letters(struct buf *b, const uint8_t *bytes, size_t n)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
    for (size_t i = 0; i < n; i++)
        buf_byte(b, letters[bytes[i] % (sizeof letters - 1)]);
}

const char *ident_secret(struct tx *tx, const struct oauth_secret *how)
{
    uint8_t bytes[64];
    struct buf b;
    if (how->bytes > sizeof bytes || tx_secret(tx, how->stream, bytes, how->bytes) < 0)
        return NULL;
    buf_init(&b, 65536);
    buf_puts(&b, how->prefix);
    if (how->letters)
        add_letters(&b, bytes, how->bytes);
    else
        base64url_add(&b, bytes, how->bytes, false);
    if (how->names_world)
        token_add_world(tx, &b, how->letters);
    return buf_keep(&b, tx->arena);
}

const char *oauth_secret_new(struct tx *tx, const struct oauth_secret *how)
{
    return ident_secret(tx, how);
}

bool ident_same_secret(const char *a, const char *b)
{
    size_t n = strlen(a), m = strlen(b);
    return n == m && gnutls_memcmp(a, b, n) == 0;
}

/* ---- codes ---- */

#define CODE(X)                                                                                    \
    X(app, app, NUMBER)                                                                            \
    X(actor, actor, NUMBER)                                                                        \
    X(scopes, scopes, STRING)                                                                      \
    X(redirect, redirect, STRING)                                                                  \
    X(challenge, challenge, STRING)                                                                \
    X(plain, plain, NUMBER)                                                                        \
    X(nonce, nonce, STRING)                                                                        \
    X(offline, offline, NUMBER)                                                                    \
    X(expires_us, expires_us, NUMBER)                                                              \
    X(used_token, used_token, STRING)                                                              \
    X(ended_us, ended_us, ID)

#define SELECT_CODE "select id, code" CODE(COLUMN_NAME) " from ident_code "

static int read_code(struct tx *tx, sqlite3_stmt *st, struct oauth_code *row)
{
    struct record found = {.arena = tx->arena}, *rec = &found;
    unsigned at = 2;
    int r = ROW_ONLY(tx, st, rec);
    if (r != 1)
        return r;
    *row = (struct oauth_code){.id = record_int(rec, 0), .code = record_text(rec, 1)};
    CODE(COLUMN_TAKE)
    return 1;
}

static int find_code(struct tx *tx, const char *code, struct oauth_code *ret)
{
    static struct sql_text q = SQL_TEXT(SELECT_CODE "where code = :code");
    return read_code(tx, TX_QUERY(tx, &q, code), ret);
}

int oauth_code_next(struct tx *tx, int64_t actor, int64_t after, struct oauth_code *ret)
{
    static struct sql_text q =
        SQL_TEXT(SELECT_CODE "where actor = :actor and id > :after and used_token is null order by "
                             "id limit 1");
    return read_code(tx, TX_QUERY(tx, &q, actor, after), ret);
}

int oauth_code_end(struct tx *tx, int64_t id)
{
    static struct sql_text q =
        SQL_TEXT("update ident_code set ended_us = :now where id = :id and ended_us is null");
    return TX_RUN(tx, &q, tx->now_us, id);
}

int oauth_code_new(struct tx *tx, const struct oauth_style *style, struct oauth_code *row)
{
    static struct sql_text q = SQL_TEXT(
        "insert into ident_code (code" CODE(COLUMN_NAME) ") values (?" CODE(COLUMN_MARK) ")");
    row->code = ident_secret(tx, &style->code);
    row->used_token = NULL;
    row->ended_us = 0;
    row->expires_us = tx->now_us + style->code_s * US_PER_SECOND;
    if (!row->code || TX_RUN(tx, &q, row->code CODE(COLUMN_VALUE)) < 0)
        return -1;
    row->id = tx_last_id(tx);
    return due_add(tx, row->expires_us, IDENT_CORE, "code", row->id);
}

int oauth_code_used(struct tx *tx, int64_t id, const char *token)
{
    static struct sql_text q = SQL_TEXT("update ident_code set used_token = :token where id = :id");
    return TX_RUN(tx, &q, token, id);
}

/* RFC 7636 */
static int check_verifier(const struct oauth_code *code, const char *verifier)
{
    bool given = verifier && *verifier;
    if (!code->challenge)
        return given ? OAUTH_NEEDLESS_VERIFIER : 0;
    if (!given)
        return OAUTH_NO_VERIFIER;
    if (code->plain)
        return ident_same_secret(verifier, code->challenge) ? 0 : OAUTH_BAD_VERIFIER;
    uint8_t digest[32];
    struct buf b;
    gnutls_hash_fast(GNUTLS_DIG_SHA256, verifier, strlen(verifier), digest);
    buf_init(&b, 64);
    base64url_add(&b, digest, sizeof digest, false);
    bool good = ident_same_secret(buf_str(&b), code->challenge);
    buf_done(&b);
    return good ? 0 : OAUTH_BAD_VERIFIER;
}

int oauth_code_redeem(struct tx *tx, const struct ident_app *app, const char *text,
                      const char *redirect, const char *verifier, struct oauth_code *ret,
                      struct actor *ret_who)
{
    int r = find_code(tx, text, ret);
    if (r < 0)
        return -1;
    if (!r || ret->app != app->id || ret->expires_us <= tx->now_us)
        return OAUTH_UNKNOWN_CODE;
    /* It was used before, maybe by another client: what was made of it ends (RFC 6749, 4.1.2). */
    if (ret->used_token)
        return oauth_access_revoke(tx, ret->used_token) < 0 ? -1 : OAUTH_USED_CODE;
    if (!redirect || strcmp(redirect, ret->redirect) != 0)
        return OAUTH_OTHER_REDIRECT;
    if ((r = check_verifier(ret, verifier)) != 0)
        return r;
    r = actor_by_id(tx, ret->actor, ret_who);
    return r == 1 ? 0 : r < 0 ? -1 : OAUTH_NOBODY;
}

/* ---- devices ---- */

#define MAX_DEVICES 1000 /* of a world that wait for a person */

#define DEVICE_COLUMNS                                                                             \
    "id, code, user_code, app, scopes, actor, denied, ifnull(polled_us, -9223372036854775808), "   \
    "expires_us"

static int read_device(struct tx *tx, sqlite3_stmt *st, struct oauth_device *ret)
{
    return TX_TAKE(tx, st, &ret->id, &ret->code, &ret->user_code, &ret->app, &ret->scopes,
                   &ret->actor, &ret->denied, &ret->polled_us, &ret->expires_us);
}

/* XXXX-XXXX of letters that can't be taken for each other. */
static int new_user_code(struct tx *tx, const char *stream, const char **ret)
{
    static const char letters[] = "BCDFGHJKLMNPQRSTVWXZ";
    uint8_t bytes[8];
    char text[10];
    if (tx_secret(tx, stream, bytes, sizeof bytes) < 0)
        return -1;
    for (int i = 0, k = 0; i < 9; i++)
        text[i] = i == 4 ? '-' : letters[bytes[k++] % (sizeof letters - 1)];
    text[9] = 0;
    *ret = arena_strdup(tx->arena, text);
    return 0;
}

/* After a new one: anybody may ask for codes, and a clock that does not move ends none. */
static int forget_oldest(struct tx *tx)
{
    static struct sql_text q =
        SQL_TEXT("select id from ident_device order by id desc limit 1 offset :max");
    int64_t old;
    int r = TX_INT(tx, &q, &old, MAX_DEVICES);
    return r == 1 ? oauth_device_forget(tx, old) : r;
}

int oauth_device_new(struct tx *tx, const struct oauth_style *style, struct oauth_device *d)
{
    static struct sql_text q =
        SQL_TEXT("insert into ident_device (code, user_code, app, scopes, actor, denied, "
                 "expires_us) values (:code, :user, :app, :scopes, :actor, 0, :expires)");
    d->code = ident_secret(tx, &style->device);
    d->expires_us = tx->now_us + style->device_s * US_PER_SECOND;
    if (!d->code || new_user_code(tx, style->user_codes, &d->user_code) < 0)
        return -1;
    if (TX_RUN(tx, &q, d->code, d->user_code, d->app, d->scopes, sql_int_or_null(d->actor, 0),
               d->expires_us) < 0)
        return -1;
    d->id = tx_last_id(tx);
    if (due_add(tx, d->expires_us + IDENT_KEEP_S * US_PER_SECOND, IDENT_CORE, "device", d->id) < 0)
        return -1;
    return forget_oldest(tx);
}

/* Upper case; the dash may be missing. */
static const char *tidy(struct arena *a, const char *text)
{
    char out[16];
    size_t n = 0;
    for (; *text && n < sizeof out - 2; text++) {
        bool lower = (unsigned)(*text - 'a') < 26;
        if (!lower && (unsigned)(*text - 'A') >= 26 && (unsigned)(*text - '0') >= 10)
            continue;
        if (n == 4)
            out[n++] = '-';
        out[n++] = (char)(lower ? *text - 32 : *text);
    }
    out[n] = 0;
    return arena_strdup(a, out);
}

int oauth_device_entered(struct tx *tx, const char *user_code, struct oauth_device *ret)
{
    static struct sql_text q =
        SQL_TEXT("select " DEVICE_COLUMNS " from ident_device where user_code = :code");
    int r = read_device(tx, TX_QUERY(tx, &q, tidy(tx->arena, user_code)), ret);
    return r == 1 && (ret->expires_us <= tx->now_us || ret->actor || ret->denied) ? 0 : r;
}

int oauth_device_decide(struct tx *tx, int64_t id, int64_t actor, bool denied)
{
    static struct sql_text q =
        SQL_TEXT("update ident_device set actor = :actor, denied = :denied where id = :id");
    return TX_RUN(tx, &q, sql_int_or_null(actor, 0), denied, id);
}

int oauth_device_forget(struct tx *tx, int64_t id)
{
    static struct sql_text q = SQL_TEXT("delete from ident_device where id = :id");
    return due_cancel(tx, IDENT_CORE, "device", id) < 0 ? -1 : TX_RUN(tx, &q, id);
}

static int wait_more(struct tx *tx, const struct oauth_style *style, const struct oauth_device *d)
{
    static struct sql_text q = SQL_TEXT("update ident_device set polled_us = :now where id = :id");
    bool early = d->polled_us != INT64_MIN &&
                 tx->now_us - d->polled_us < style->interval_s * US_PER_SECOND &&
                 tx->now_us != d->polled_us; /* under a clock that does not move no poll is early */
    return TX_RUN(tx, &q, tx->now_us, d->id) < 0 ? -1 : early ? OAUTH_SLOW_DOWN : OAUTH_PENDING;
}

int oauth_device_poll(struct tx *tx, const struct oauth_style *style, const struct ident_app *app,
                      const char *code, struct oauth_device *ret, struct actor *ret_who)
{
    static struct sql_text q =
        SQL_TEXT("select " DEVICE_COLUMNS " from ident_device where code = :code");
    int r = read_device(tx, TX_QUERY(tx, &q, code), ret);
    if (r < 0)
        return -1;
    if (!r || ret->app != app->id)
        return OAUTH_UNKNOWN_DEVICE;
    if (ret->expires_us <= tx->now_us)
        return OAUTH_EXPIRED;
    if (ret->denied)
        return OAUTH_DENIED;
    if (!ret->actor)
        return wait_more(tx, style, ret);
    if ((r = actor_by_id(tx, ret->actor, ret_who)) != 1)
        return r < 0 ? -1 : OAUTH_NOBODY;
    return oauth_device_forget(tx, ret->id);
}
