/* SPDX-License-Identifier: Apache-2.0 */
#include "services/drive/core/access/link.h"
#include "engine/base/codec.h"
#include "engine/world/take.h"
#include "services/drive/core/access/shared.h"
#include "services/drive/core/drive_impl.h"
#include <gnutls/crypto.h>

enum { SALT = 8, HASH = 32, ROUNDS = 1000, TOKEN = 24 };

enum drive_role drive_link_role(const struct drive_link *l)
{
    return l->type == LINK_EDIT ? ROLE_WRITER : ROLE_READER;
}

/* ---- rows ---- */

static int read_users(struct tx *tx, struct drive_link *l)
{
    static struct sql_text q =
        SQL_TEXT("select who from drive_link_user where link = :link order by who");
    const char *who;
    return TX_TAKE_ALL(tx, TX_QUERY(tx, &q, l->id), &who, &l->users, &l->n_users, &who);
}

int drive_links(struct tx *tx, int64_t item, struct drive_link **ret, size_t *ret_n)
{
    static struct sql_text q = SQL_TEXT("where item = :item order by id");
    struct drive_link *list =
        stored_list(tx, &drive_link_stored, STORED_QUERY(tx, &drive_link_stored, &q, item), ret_n);
    int r = list ? 0 : -1;
    for (size_t i = 0; r == 0 && i < *ret_n; i++)
        r = read_users(tx, &list[i]);
    *ret = list;
    return r;
}

int drive_links_any(struct tx *tx)
{
    static struct sql_text q = SQL_TEXT("select 1 from drive_link where id > :id limit 1");
    int64_t one;
    return TX_INT(tx, &q, &one, 0);
}

int drive_links_scope(struct tx *tx, int64_t item, enum drive_link_scope *ret)
{
    static struct sql_text q = SQL_TEXT("select min(scope) from drive_link where item = :item and "
                                        "(expires_us is null or expires_us > :now) having "
                                        "count(*)");
    int64_t scope = 0;
    int r = TX_INT(tx, &q, &scope, item, tx->now_us);
    *ret = (enum drive_link_scope)scope;
    return r;
}

int drive_link_by_token(struct tx *tx, const char *token, struct drive_link *ret)
{
    static struct sql_text q =
        SQL_TEXT("where token = :token and (expires_us is null or expires_us > :now)");
    struct drive_item it;
    int r = STORED_ONE(tx, &drive_link_stored, &q, ret, token, tx->now_us);
    if (r != 1)
        return r;
    r = drive_item_by_id(tx, ret->item, &it);
    return r == 1 && read_users(tx, ret) < 0 ? -1 : r;
}

const char *drive_link_token(struct tx *tx, bool seed)
{
    static struct sql_text q = SQL_TEXT("select 1 from drive_link where token = :token");
    uint8_t bytes[TOKEN];
    const char *token;
    int64_t one;
    int r;
    do {
        struct buf b;
        if ((seed ? tx_id : tx_secret)(tx, "drive link", bytes, sizeof bytes) < 0)
            return NULL;
        buf_init(&b, 64);
        base64url_add(&b, bytes, sizeof bytes, false);
        token = buf_keep(&b, tx->arena);
        r = TX_INT(tx, &q, &one, token);
    } while (r == 1);
    return r < 0 ? NULL : token;
}

static int save_users(struct tx *tx, const struct drive_link *l)
{
    static struct sql_text q_none = SQL_TEXT("delete from drive_link_user where link = :link");
    static struct sql_text q =
        SQL_TEXT("insert or ignore into drive_link_user (link, who) values (:link, :who)");
    if (TX_RUN(tx, &q_none, l->id) < 0)
        return -1;
    for (size_t i = 0; i < l->n_users; i++)
        if (TX_RUN(tx, &q, l->id, l->users[i]) < 0)
            return -1;
    return 0;
}

static int note(struct tx *tx, struct drive_item *it)
{
    static const char *const permissions[] = {"permissions", NULL};
    drive_raise(tx, it, OP_CHANGED, permissions);
    return drive_item_save(tx, it);
}

int drive_link_save(struct tx *tx, struct drive_item *it, struct drive_link *l)
{
    static struct sql_text q = SQL_TEXT(
        "insert into drive_link (id, item, token, scope, type, no_download, password, expires_us, "
        "creator, created_us) values (:id, :item, :token, :scope, :type, "
        ":no_download, :password, :expires, :creator, :created) on conflict (id) do update set "
        "scope = excluded.scope, type = excluded.type, no_download = excluded.no_download, "
        "password = excluded.password, expires_us = excluded.expires_us returning id");
    if ((l->scope == LINK_USERS && !l->n_users) || l->n_users > LINK_USERS_MAX)
        return tx_fail(tx, SOSIA_E_INVALID, "users", "users",
                       "a link for users must have from 1 to %d of them", LINK_USERS_MAX);
    l->item = it->id;
    if (!l->token && !(l->token = drive_link_token(tx, false)))
        return -1;
    if (!l->created_us)
        l->created_us = tx->now_us;
    if (TX_INT(tx, &q, &l->id, sql_int_or_null(l->id, 0), l->item, l->token, l->scope, l->type,
               l->no_download, l->password, sql_int_or_null(l->expires_us, 0),
               sql_int_or_null(l->creator, 0), l->created_us) < 0) {
        if (tx->err->code != SOSIA_E_CONFLICT)
            return -1;
        return tx_fail(tx, SOSIA_E_CONFLICT, "tokenInUse", "token", "the token %s is in use",
                       l->token);
    }
    return save_users(tx, l) < 0 ? -1 : note(tx, it);
}

int drive_link_remove(struct tx *tx, struct drive_item *it, const struct drive_link *l)
{
    static struct sql_text q_users = SQL_TEXT("delete from drive_link_user where link = :link");
    static struct sql_text q = SQL_TEXT("delete from drive_link where id = :id");
    return TX_RUN(tx, &q_users, l->id) < 0 || TX_RUN(tx, &q, l->id) < 0 ? -1 : note(tx, it);
}

/* ---- passwords ---- */

static int hash_password(struct tx *tx, const char *salt, const char *password, char *ret)
{
    uint8_t bytes[HASH];
    gnutls_datum_t key = {(unsigned char *)(uintptr_t)password, (unsigned)strlen(password)},
                   seasoned = {(unsigned char *)(uintptr_t)salt, (unsigned)strlen(salt)};
    int rc = gnutls_pbkdf2(GNUTLS_MAC_SHA256, &key, &seasoned, ROUNDS, bytes, sizeof bytes);
    if (rc < 0)
        return sosia_fail(tx->err, SOSIA_E_INTERNAL, NULL, NULL, "PBKDF2: %s", gnutls_strerror(rc));
    hex_encode(ret, bytes, sizeof bytes);
    return 0;
}

const char *drive_link_password(struct tx *tx, const char *password, bool seed)
{
    uint8_t bytes[SALT];
    char salt[2 * SALT + 1], hash[2 * HASH + 1];
    if ((seed ? tx_id : tx_secret)(tx, "drive link salt", bytes, sizeof bytes) < 0)
        return NULL;
    hex_encode(salt, bytes, sizeof bytes);
    return hash_password(tx, salt, password, hash) < 0
               ? NULL
               : arena_printf(tx->arena, "%s:%s", salt, hash);
}

static int is_password(struct tx *tx, const struct drive_link *l, const char *password)
{
    char hash[2 * HASH + 1];
    size_t n = strcspn(l->password, ":");
    if (!password)
        return 0;
    const char *salt = arena_memdup(tx->arena, l->password, n);
    if (hash_password(tx, salt, password, hash) < 0)
        return -1;
    return strcmp(hash, l->password + n + (l->password[n] == ':')) == 0;
}

/* ---- who has opened one for good ---- */

int drive_link_use(struct tx *tx, struct drive_item *it, const struct drive_link *l,
                   const struct actor *who)
{
    static struct sql_text q =
        SQL_TEXT("insert into drive_link_user (link, who) values (:link, :who)");
    struct drive_mine mine;
    for (size_t i = 0; i < l->n_users; i++)
        if (strcmp(l->users[i], who->email) == 0)
            return 0;
    if (l->n_users >= LINK_USERS_MAX)
        return 0;
    if (TX_RUN(tx, &q, l->id, who->email) < 0 || drive_mine(tx, it, who->id, &mine) < 0)
        return -1;
    if (!mine.shared_us && !it->drive) {
        mine.shared_us = drive_when(tx->now_us);
        mine.sharer = l->creator ? l->creator : it->owner;
        if (drive_mine_save(tx, it->id, who->id, &mine) < 0)
            return -1;
    }
    return note(tx, it);
}

int drive_links_used(struct drive_viewer *v)
{
    static struct sql_text q = SQL_TEXT(
        "where id in (select link from drive_link_user where who = :who) and (expires_us is null "
        "or expires_us > :now) and (password is null or scope <> 3) order by id");
    /* Who one is for has not said its password yet. */
    size_t n;
    if (v->used || !v->who->id || !v->who->email || !*v->who->email)
        return 0;
    v->used = true;
    struct drive_link *list =
        stored_list(v->tx, &drive_link_stored,
                    STORED_QUERY(v->tx, &drive_link_stored, &q, v->who->email, v->tx->now_us), &n);
    int r = list ? 0 : -1;
    for (size_t i = 0; r == 0 && i < n; i++)
        r = drive_viewer_add(v, &list[i]);
    return r < 0 ? -1 : n > 0;
}

/* ---- opening ---- */

/* The organisation of those who have an item. */
static int organization_of(struct tx *tx, const struct drive_item *it, int64_t *ret)
{
    struct drive_settings set;
    struct actor owner;
    int r = it->drive ? drive_settings(tx, it->drive, &set) : actor_by_id(tx, it->owner, &owner);
    *ret = r < 1 ? 0 : it->drive ? set.org : owner.org;
    return r < 0 ? -1 : 0;
}

/* Is the link for the viewer? 1, 0, -1. */
static int is_for(struct drive_viewer *v, const struct drive_link *l, const struct drive_item *it)
{
    int64_t org;
    if (l->scope == LINK_ANONYMOUS)
        return 1;
    if (l->scope == LINK_ORGANIZATION)
        return organization_of(v->tx, it, &org) < 0 ? -1 : v->who->id && org && v->who->org == org;
    for (size_t i = 0; i < l->n_users; i++) {
        int r = drive_is_meant(v, GRANT_PERSON, l->users[i]);
        if (!r)
            r = drive_is_meant(v, GRANT_GROUP, l->users[i]);
        if (r)
            return r;
    }
    return 0;
}

int drive_link_open(struct drive_viewer *v, const char *token, const char *password,
                    struct drive_item *ret)
{
    struct tx *tx = v->tx;
    struct drive_link *l = arena_alloc(tx->arena, sizeof *l);
    int r =
        arena_failed(tx->arena) ? sosia_fail_memory(tx->err) : drive_link_by_token(tx, token, l);
    if (r == 1)
        r = drive_item_by_id(tx, l->item, ret);
    if (r < 1)
        return r < 0 ? -1
                     : tx_fail(tx, SOSIA_E_NOT_FOUND, "noLink", "token", "there is no such link");
    if ((r = is_for(v, l, ret)) < 1)
        return r < 0 ? -1
                     : tx_fail(tx, SOSIA_E_FORBIDDEN,
                               l->scope == LINK_USERS ? "users" : "organization", "token",
                               "the link is for others");
    if (l->password && (r = is_password(tx, l, password)) < 1)
        return r < 0 ? -1
                     : tx_fail(tx, SOSIA_E_FORBIDDEN, "password", "password",
                               "the link has another password");
    return drive_viewer_add(v, l);
}
