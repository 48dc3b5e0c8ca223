/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of OAuth: finding, making and ending what they hold. */
#include "vendors/google/signin/internal.h"
#include "engine/base/codec.h"
#include "engine/text/civil.h"
#include "engine/world/token.h"

#define MAX_GRANTS 100  /* refresh tokens of a client for a person; a new one ends the oldest */
#define KEEP_S     3600 /* an ended access token is remembered as expired for so long */

/* ---- small things ---- */

static const char *text_at(struct tx *tx, sqlite3_stmt *st, int i)
{
    const char *text = (const char *)sqlite3_column_text(st, i);
    return text ? arena_memdup(tx->arena, text, (size_t)sqlite3_column_bytes(st, i)) : NULL;
}

/* A statement with its first parameter bound; NULL fails. */
static sqlite3_stmt *with_text(struct tx *tx, struct sql_text *q, const char *text)
{
    sqlite3_stmt *st = sql_use(tx->db, q);
    if (!st) {
        slot_fail(tx->db, tx->err);
        return NULL;
    }
    sql_bind_text(st, 1, text);
    return st;
}

static sqlite3_stmt *with_int(struct tx *tx, struct sql_text *q, int64_t v)
{
    sqlite3_stmt *st = sql_use(tx->db, q);
    if (!st) {
        slot_fail(tx->db, tx->err);
        return NULL;
    }
    sql_bind_int(st, 1, v);
    return st;
}

static int run(struct tx *tx, sqlite3_stmt *st)
{
    return st ? sql_run(tx->db, st, tx->err) : -1;
}

static void bind_id(sqlite3_stmt *st, int at, int64_t id)
{
    if (id)
        sql_bind_int(st, at, id);
    else
        sql_bind_null(st, at);
}

static int64_t last_id(struct tx *tx)
{
    return sqlite3_last_insert_rowid(slot_db(tx->db));
}

/* prefix and n bytes of the stream as base64url, and the world's key if it shall be found by it.
 * NULL fails. */
static const char *new_secret(struct tx *tx, const char *kind, const char *prefix, size_t n,
                              bool names_world)
{
    uint8_t bytes[64];
    struct buf b;
    if (tx_id(tx, kind, bytes, n) < 0)
        return NULL;
    buf_init(&b, 256);
    buf_puts(&b, prefix);
    base64url_add(&b, bytes, n, false);
    if (names_world)
        token_add_world(tx, &b);
    const char *text = arena_strdup(tx->arena, buf_str(&b));
    buf_done(&b);
    return text;
}

static int64_t in_seconds(const struct tx *tx, int64_t s)
{
    return tx->now_us + s * US_PER_SECOND;
}

/* ---- clients ---- */

#define CLIENT_COLUMNS "id, client_id, secret, name, kind, redirects, automatic"

static int read_client(struct tx *tx, sqlite3_stmt *st, struct oauth_client *ret)
{
    if (!st)
        return -1;
    int r = sql_step(tx->db, st, tx->err);
    if (r != 1)
        return r;
    const char *redirects = text_at(tx, st, 5);
    *ret = (struct oauth_client){.id = sqlite3_column_int64(st, 0),
                                 .client_id = text_at(tx, st, 1),
                                 .secret = text_at(tx, st, 2),
                                 .name = text_at(tx, st, 3),
                                 .kind = text_at(tx, st, 4),
                                 .automatic = sqlite3_column_int64(st, 6)};
    sql_done(st);
    return json_parse(tx->arena, redirects, strlen(redirects), NULL, &ret->redirects, tx->err) < 0
               ? -1
               : 1;
}

int oauth_client_find(struct tx *tx, const char *client_id, struct oauth_client *ret)
{
    static struct sql_text q =
        SQL_TEXT("select " CLIENT_COLUMNS " from oauth_client where client_id = :client");
    return read_client(tx, with_text(tx, &q, client_id), ret);
}

int oauth_client_get(struct tx *tx, int64_t id, struct oauth_client *ret)
{
    static struct sql_text q =
        SQL_TEXT("select " CLIENT_COLUMNS " from oauth_client where id = :id");
    return read_client(tx, with_int(tx, &q, id), ret);
}

/* ---- consent ---- */

int oauth_consent_get(struct tx *tx, int64_t client, int64_t actor, const char **ret_scopes)
{
    static struct sql_text q =
        SQL_TEXT("select scopes from oauth_consent where client = :client and actor = :actor");
    sqlite3_stmt *st = with_int(tx, &q, client);
    if (!st)
        return -1;
    sql_bind_int(st, 2, actor);
    int r = sql_step(tx->db, st, tx->err);
    *ret_scopes = r == 1 ? text_at(tx, st, 0) : NULL;
    if (r == 1)
        sql_done(st);
    return r < 0 ? -1 : 0;
}

int oauth_consent_set(struct tx *tx, int64_t client, int64_t actor, const char *scopes)
{
    static struct sql_text q =
        SQL_TEXT("insert into oauth_consent (client, actor, scopes) "
                 "values (:client, :actor, :scopes) "
                 "on conflict (client, actor) do update set scopes = excluded.scopes");
    sqlite3_stmt *st = with_int(tx, &q, client);
    if (!st)
        return -1;
    sql_bind_int(st, 2, actor);
    sql_bind_text(st, 3, scopes);
    return run(tx, st);
}

/* ---- access tokens ---- */

int oauth_access_new(struct tx *tx, const char *client_id, int64_t grant, int64_t actor,
                     const char *scopes, const char **ret_token)
{
    static struct sql_text q =
        SQL_TEXT("insert into oauth_access (token, client_id, grant_id, scopes) "
                 "values (:token, :client, :grant, :scopes)");
    const char *token = new_secret(tx, "google_access", "ya29.a0", 48, true);
    int64_t expires = in_seconds(tx, OAUTH_ACCESS_S);
    if (!token || token_store(tx, token, actor, scopes, expires, false) < 0)
        return -1;
    sqlite3_stmt *st = with_text(tx, &q, token);
    if (!st)
        return -1;
    sql_bind_text(st, 2, client_id);
    bind_id(st, 3, grant);
    sql_bind_text(st, 4, scopes);
    if (run(tx, st) < 0)
        return -1;
    *ret_token = token;
    return due_add(tx, expires + KEEP_S * US_PER_SECOND, OAUTH_CORE, "access", last_id(tx));
}

int oauth_access_find(struct tx *tx, const char *token, struct oauth_access *ret)
{
    static struct sql_text q =
        SQL_TEXT("select client_id, grant_id, scopes from oauth_access where token = :token");
    sqlite3_stmt *st = with_text(tx, &q, token);
    if (!st)
        return -1;
    int r = sql_step(tx->db, st, tx->err);
    if (r == 1) {
        *ret = (struct oauth_access){.client_id = text_at(tx, st, 0),
                                     .grant = sqlite3_column_int64(st, 1),
                                     .scopes = text_at(tx, st, 2)};
        sql_done(st);
    }
    return r;
}

/* The row's token, and the row with it, goes. A token that is gone already is no fault. */
static int drop_access(struct tx *tx, int64_t id, const char *token)
{
    static struct sql_text q = SQL_TEXT("delete from oauth_access where id = :id");
    struct sosia_err ignored = {0};
    struct tx quiet = *tx;
    quiet.err = &ignored;
    if (token_revoke(&quiet, token, NULL) < 0 && ignored.code != SOSIA_E_NOT_FOUND) {
        *tx->err = ignored;
        return -1;
    }
    return due_cancel(tx, OAUTH_CORE, "access", id) < 0 ? -1 : run(tx, with_int(tx, &q, id));
}

int oauth_access_revoke(struct tx *tx, const char *token)
{
    static struct sql_text q =
        SQL_TEXT("select id, grant_id from oauth_access where token = :token");
    sqlite3_stmt *st = with_text(tx, &q, token);
    if (!st)
        return -1;
    int r = sql_step(tx->db, st, tx->err);
    if (r != 1)
        return r;
    int64_t id = sqlite3_column_int64(st, 0), grant = sqlite3_column_int64(st, 1);
    sql_done(st);
    return (grant ? oauth_grant_revoke(tx, grant) : drop_access(tx, id, token)) < 0 ? -1 : 1;
}

/* ---- refresh tokens ---- */

static int read_grant(struct tx *tx, sqlite3_stmt *st, struct oauth_grant *ret)
{
    if (!st)
        return -1;
    int r = sql_step(tx->db, st, tx->err);
    if (r != 1)
        return r;
    *ret = (struct oauth_grant){.id = sqlite3_column_int64(st, 0),
                                .token = text_at(tx, st, 1),
                                .client = sqlite3_column_int64(st, 2),
                                .actor = sqlite3_column_int64(st, 3),
                                .scopes = text_at(tx, st, 4)};
    sql_done(st);
    return 1;
}

int oauth_grant_find(struct tx *tx, const char *token, struct oauth_grant *ret)
{
    static struct sql_text q =
        SQL_TEXT("select id, token, client, actor, scopes from oauth_grant where token = :token");
    return read_grant(tx, with_text(tx, &q, token), ret);
}

int oauth_grant_of(struct tx *tx, int64_t actor, struct oauth_grant *ret)
{
    static struct sql_text q =
        SQL_TEXT("select id, token, client, actor, scopes from oauth_grant where actor = :actor "
                 "order by id desc limit 1");
    return read_grant(tx, with_int(tx, &q, actor), ret);
}

/* The one that is too many after a new one: 1, 0, -1. */
static int oldest_grant(struct tx *tx, int64_t client, int64_t actor, int64_t *ret)
{
    static struct sql_text q =
        SQL_TEXT("select id from oauth_grant where client = :client and actor = :actor "
                 "order by id desc limit 1 offset :max");
    sqlite3_stmt *st = with_int(tx, &q, client);
    if (!st)
        return -1;
    sql_bind_int(st, 2, actor);
    sql_bind_int(st, 3, MAX_GRANTS);
    int r = sql_step(tx->db, st, tx->err);
    if (r == 1) {
        *ret = sqlite3_column_int64(st, 0);
        sql_done(st);
    }
    return r;
}

int oauth_grant_new(struct tx *tx, int64_t client, int64_t actor, const char *scopes,
                    struct oauth_grant *ret)
{
    static struct sql_text q = SQL_TEXT("insert into oauth_grant (token, client, actor, scopes) "
                                        "values (:token, :client, :actor, :scopes)");
    const char *token = new_secret(tx, "google_refresh", "1//0", 48, false);
    int64_t old;
    if (!token)
        return -1;
    sqlite3_stmt *st = with_text(tx, &q, token);
    if (!st)
        return -1;
    sql_bind_int(st, 2, client);
    sql_bind_int(st, 3, actor);
    sql_bind_text(st, 4, scopes);
    if (run(tx, st) < 0)
        return -1;
    *ret = (struct oauth_grant){
        .id = last_id(tx), .token = token, .client = client, .actor = actor, .scopes = scopes};
    int r = oldest_grant(tx, client, actor, &old);
    return r == 1 ? oauth_grant_revoke(tx, old) : r;
}

static int next_access(struct tx *tx, int64_t grant, int64_t *ret_id, const char **ret_token)
{
    static struct sql_text q =
        SQL_TEXT("select id, token from oauth_access where grant_id = :grant order by id limit 1");
    sqlite3_stmt *st = with_int(tx, &q, grant);
    if (!st)
        return -1;
    int r = sql_step(tx->db, st, tx->err);
    if (r == 1) {
        *ret_id = sqlite3_column_int64(st, 0);
        *ret_token = text_at(tx, st, 1);
        sql_done(st);
    }
    return r;
}

int oauth_grant_revoke(struct tx *tx, int64_t id)
{
    static struct sql_text q = SQL_TEXT("delete from oauth_grant where id = :id");
    const char *token;
    int64_t access;
    int r;
    while ((r = next_access(tx, id, &access, &token)) == 1)
        if (drop_access(tx, access, token) < 0)
            return -1;
    return r < 0 ? -1 : run(tx, with_int(tx, &q, id));
}

/* ---- all that was agreed to ---- */

int oauth_access_consent(struct tx *tx, const char *token, int64_t *ret_client, int64_t *ret_actor)
{
    static struct sql_text q =
        SQL_TEXT("select c.id, t.actor from oauth_access a join token t on t.value = a.token "
                 "join oauth_client c on c.client_id = a.client_id where a.token = :token");
    sqlite3_stmt *st = with_text(tx, &q, token);
    if (!st)
        return -1;
    int r = sql_step(tx->db, st, tx->err);
    if (r == 1) {
        *ret_client = sqlite3_column_int64(st, 0);
        *ret_actor = sqlite3_column_int64(st, 1);
        sql_done(st);
    }
    return r;
}

/* One that came from no grant, or whose grant is gone. */
static int some_access(struct tx *tx, int64_t client, int64_t actor, int64_t *ret_id,
                       const char **ret_token)
{
    static struct sql_text q =
        SQL_TEXT("select a.id, a.token from oauth_client c join oauth_access a on "
                 "a.client_id = c.client_id join token t on t.value = a.token "
                 "where c.id = :client and t.actor = :actor order by a.id limit 1");
    sqlite3_stmt *st = with_int(tx, &q, client);
    if (!st)
        return -1;
    sql_bind_int(st, 2, actor);
    int r = sql_step(tx->db, st, tx->err);
    if (r == 1) {
        *ret_id = sqlite3_column_int64(st, 0);
        *ret_token = text_at(tx, st, 1);
        sql_done(st);
    }
    return r;
}

static int some_grant(struct tx *tx, int64_t client, int64_t actor, int64_t *ret)
{
    static struct sql_text q =
        SQL_TEXT("select id from oauth_grant where client = :client and actor = :actor "
                 "order by id limit 1");
    sqlite3_stmt *st = with_int(tx, &q, client);
    if (!st)
        return -1;
    sql_bind_int(st, 2, actor);
    int r = sql_step(tx->db, st, tx->err);
    if (r == 1) {
        *ret = sqlite3_column_int64(st, 0);
        sql_done(st);
    }
    return r;
}

int oauth_consent_end(struct tx *tx, int64_t client, int64_t actor)
{
    static struct sql_text q =
        SQL_TEXT("delete from oauth_consent where client = :client and actor = :actor");
    const char *token;
    int64_t id;
    int r;
    while ((r = some_grant(tx, client, actor, &id)) == 1)
        if (oauth_grant_revoke(tx, id) < 0)
            return -1;
    while (r == 0 && (r = some_access(tx, client, actor, &id, &token)) == 1)
        r = drop_access(tx, id, token);
    sqlite3_stmt *st = r < 0 ? NULL : with_int(tx, &q, client);
    if (!st)
        return -1;
    sql_bind_int(st, 2, actor);
    return run(tx, st);
}

/* ---- codes ---- */

int oauth_code_find(struct tx *tx, const char *code, struct oauth_code *ret)
{
    static struct sql_text q =
        SQL_TEXT("select id, code, client, actor, scopes, redirect, challenge, plain, nonce, "
                 "offline, expires_us, used_token from oauth_code where code = :code");
    sqlite3_stmt *st = with_text(tx, &q, code);
    if (!st)
        return -1;
    int r = sql_step(tx->db, st, tx->err);
    if (r != 1)
        return r;
    *ret = (struct oauth_code){.id = sqlite3_column_int64(st, 0),
                               .code = text_at(tx, st, 1),
                               .client = sqlite3_column_int64(st, 2),
                               .actor = sqlite3_column_int64(st, 3),
                               .scopes = text_at(tx, st, 4),
                               .redirect = text_at(tx, st, 5),
                               .challenge = text_at(tx, st, 6),
                               .plain = sqlite3_column_int(st, 7),
                               .nonce = text_at(tx, st, 8),
                               .offline = sqlite3_column_int(st, 9),
                               .expires_us = sqlite3_column_int64(st, 10),
                               .used_token = text_at(tx, st, 11)};
    sql_done(st);
    return 1;
}

int oauth_code_new(struct tx *tx, struct oauth_code *code)
{
    static struct sql_text q = SQL_TEXT(
        "insert into oauth_code (code, client, actor, scopes, redirect, challenge, plain, nonce, "
        "offline, expires_us) values (:code, :client, :actor, :scopes, :redirect, :challenge, "
        ":plain, :nonce, :offline, :expires)");
    code->code = new_secret(tx, "google_code", "4/0A", 45, false);
    code->expires_us = in_seconds(tx, OAUTH_CODE_S);
    sqlite3_stmt *st = code->code ? with_text(tx, &q, code->code) : NULL;
    if (!st)
        return -1;
    sql_bind_int(st, 2, code->client);
    sql_bind_int(st, 3, code->actor);
    sql_bind_text(st, 4, code->scopes);
    sql_bind_text(st, 5, code->redirect);
    sql_bind_text(st, 6, code->challenge);
    sql_bind_int(st, 7, code->plain);
    sql_bind_text(st, 8, code->nonce);
    sql_bind_int(st, 9, code->offline);
    sql_bind_int(st, 10, code->expires_us);
    if (run(tx, st) < 0)
        return -1;
    code->id = last_id(tx);
    return due_add(tx, code->expires_us, OAUTH_CORE, "code", code->id);
}

int oauth_code_used(struct tx *tx, int64_t id, const char *token)
{
    static struct sql_text q = SQL_TEXT("update oauth_code set used_token = :token where id = :id");
    sqlite3_stmt *st = with_text(tx, &q, token);
    if (!st)
        return -1;
    sql_bind_int(st, 2, id);
    return run(tx, st);
}

/* ---- devices ---- */

#define DEVICE_COLUMNS "id, code, user_code, client, scopes, actor, denied, polled_us, expires_us"

int oauth_device_find(struct tx *tx, const char *code, const char *user_code,
                      struct oauth_device *ret)
{
    static struct sql_text q_code =
        SQL_TEXT("select " DEVICE_COLUMNS " from oauth_device where code = :code");
    static struct sql_text q_user =
        SQL_TEXT("select " DEVICE_COLUMNS " from oauth_device where user_code = :code");
    sqlite3_stmt *st = with_text(tx, code ? &q_code : &q_user, code ? code : user_code);
    if (!st)
        return -1;
    int r = sql_step(tx->db, st, tx->err);
    if (r != 1)
        return r;
    *ret = (struct oauth_device){.id = sqlite3_column_int64(st, 0),
                                 .code = text_at(tx, st, 1),
                                 .user_code = text_at(tx, st, 2),
                                 .client = sqlite3_column_int64(st, 3),
                                 .scopes = text_at(tx, st, 4),
                                 .actor = sqlite3_column_int64(st, 5),
                                 .denied = sqlite3_column_int(st, 6),
                                 .polled_us = sqlite3_column_type(st, 7) == SQLITE_NULL
                                                  ? INT64_MIN
                                                  : sqlite3_column_int64(st, 7),
                                 .expires_us = sqlite3_column_int64(st, 8)};
    sql_done(st);
    return 1;
}

/* XXXX-XXXX of letters that can't be taken for each other. */
static int new_user_code(struct tx *tx, const char **ret)
{
    static const char letters[] = "BCDFGHJKLMNPQRSTVWXZ";
    uint8_t bytes[8];
    char text[10];
    if (tx_id(tx, "google_user_code", bytes, sizeof bytes) < 0)
        return -1;
    for (int i = 0, k = 0; i < 9; i++)
        text[i] = i == 4 ? '-' : letters[bytes[k++] % (sizeof letters - 1)];
    text[9] = 0;
    *ret = arena_strdup(tx->arena, text);
    return 0;
}

int oauth_device_new(struct tx *tx, struct oauth_device *d)
{
    static struct sql_text q =
        SQL_TEXT("insert into oauth_device (code, user_code, client, scopes, actor, denied, "
                 "expires_us) values (:code, :user, :client, :scopes, :actor, 0, :expires)");
    d->code = new_secret(tx, "google_device", "AH-1Ng", 48, false);
    d->expires_us = in_seconds(tx, OAUTH_DEVICE_S);
    if (!d->code || new_user_code(tx, &d->user_code) < 0)
        return -1;
    sqlite3_stmt *st = with_text(tx, &q, d->code);
    if (!st)
        return -1;
    sql_bind_text(st, 2, d->user_code);
    sql_bind_int(st, 3, d->client);
    sql_bind_text(st, 4, d->scopes);
    bind_id(st, 5, d->actor);
    sql_bind_int(st, 6, d->expires_us);
    if (run(tx, st) < 0)
        return -1;
    d->id = last_id(tx);
    return due_add(tx, d->expires_us + KEEP_S * US_PER_SECOND, OAUTH_CORE, "device", d->id);
}

int oauth_device_decide(struct tx *tx, int64_t id, int64_t actor, bool denied)
{
    static struct sql_text q =
        SQL_TEXT("update oauth_device set actor = :actor, denied = :denied where id = :id");
    sqlite3_stmt *st = with_int(tx, &q, actor);
    if (!st)
        return -1;
    bind_id(st, 1, actor);
    sql_bind_int(st, 2, denied);
    sql_bind_int(st, 3, id);
    return run(tx, st);
}

int oauth_device_polled(struct tx *tx, int64_t id)
{
    static struct sql_text q = SQL_TEXT("update oauth_device set polled_us = :now where id = :id");
    sqlite3_stmt *st = with_int(tx, &q, tx->now_us);
    if (!st)
        return -1;
    sql_bind_int(st, 2, id);
    return run(tx, st);
}

int oauth_device_forget(struct tx *tx, int64_t id)
{
    static struct sql_text q = SQL_TEXT("delete from oauth_device where id = :id");
    return due_cancel(tx, OAUTH_CORE, "device", id) < 0 ? -1 : run(tx, with_int(tx, &q, id));
}

/* ---- service accounts ---- */

int service_account_find(struct tx *tx, const char *email, struct service_account *ret)
{
    static struct sql_text q =
        SQL_TEXT("select id, client_id, key_id, public_key, delegation from service_account "
                 "where actor = :actor");
    struct actor actor;
    int r = actor_by_email(tx, email, &actor);
    if (r != 1)
        return r;
    sqlite3_stmt *st = with_int(tx, &q, actor.id);
    if (!st)
        return -1;
    r = sql_step(tx->db, st, tx->err);
    if (r != 1)
        return r;
    *ret = (struct service_account){.id = sqlite3_column_int64(st, 0),
                                    .actor = actor,
                                    .client_id = text_at(tx, st, 1),
                                    .key_id = text_at(tx, st, 2),
                                    .public_key = text_at(tx, st, 3),
                                    .delegation = text_at(tx, st, 4)};
    sql_done(st);
    return 1;
}

/* ---- time ---- */

int oauth_due(struct tx *tx, const char *kind, int64_t ref)
{
    static struct sql_text q_token = SQL_TEXT("select token from oauth_access where id = :id");
    static struct sql_text q_code = SQL_TEXT("delete from oauth_code where id = :id");
    if (strcmp(kind, "code") == 0)
        return run(tx, with_int(tx, &q_code, ref));
    if (strcmp(kind, "device") == 0)
        return oauth_device_forget(tx, ref);
    sqlite3_stmt *st = with_int(tx, &q_token, ref);
    if (!st)
        return -1;
    int r = sql_step(tx->db, st, tx->err);
    if (r != 1)
        return r;
    const char *token = text_at(tx, st, 0);
    sql_done(st);
    return drop_access(tx, ref, token);
}

int google_oauth_is_person(struct call *c)
{
    static struct sql_text q = SQL_TEXT("select 1 from service_account where client_id = :id");
    struct oauth_access access;
    int r = c->token ? oauth_access_find(&c->tx, c->token, &access) : 0;
    if (r != 1)
        return r < 0 ? -1 : !c->scopes.all;
    sqlite3_stmt *st = with_text(&c->tx, &q, access.client_id);
    if (!st)
        return -1;
    r = sql_step(c->tx.db, st, c->tx.err);
    sql_done(st);
    return r < 0 ? -1 : !r;
}
