/* SPDX-License-Identifier: Apache-2.0 */
/*
 * OAuth in seed documents: the clients that programs are, refresh tokens they have already, service
 * accounts. What the flows leave for minutes (codes, devices, access tokens) stands in no dump.
 */
#include "vendors/google/signin/internal.h"
#include "engine/base/codec.h"
#include "engine/text/doc.h"

extern const char oauth_sql[];

static const char *text_of(sqlite3_stmt *st, int column)
{
    return (const char *)sqlite3_column_text(st, column);
}

/* The actor that a member names. */
static int actor_member(struct tx *tx, struct doc *d, const struct json *v, const char *member,
                        bool required, struct actor *ret)
{
    const char *email;
    *ret = (struct actor){0};
    if (doc_str(d, v, member, required, &email) < 0)
        return -1;
    int r = email ? actor_by_email(tx, email, ret) : 1;
    return r == 1  ? 0
           : r < 0 ? -1
                   : doc_fail(d, json_get(v, member), member, "there is nobody \"%.80s\"", email);
}

static int inserted(struct tx *tx, struct doc *d, sqlite3_stmt *st, const struct json *at,
                    const char *member)
{
    if (sql_run(tx->db, st, tx->err) == 0)
        return 0;
    return tx->err->code == SOSIA_E_CONFLICT ? doc_fail(d, at, member, "stands here already") : -1;
}

/* ---- clients ---- */

static const char *const kinds[] = {"web", "installed", "tv", NULL};

static const char *list_text(struct arena *a, const char *const *list, size_t n)
{
    struct buf b;
    struct json_writer w;
    buf_init(&b, 1 << 20);
    json_init(&w, &b, false, NULL);
    json_arr(&w, NULL);
    for (size_t i = 0; i < n; i++)
        json_str(&w, NULL, list[i]);
    json_end(&w);
    const char *text = arena_strdup(a, buf_str(&b));
    buf_done(&b);
    return text;
}

static int seed_client(struct tx *tx, struct doc *d, const struct json *v)
{
    static const char *const members[] = {"client_id",     "client_secret", "name", "kind",
                                          "redirect_uris", "automatic",     NULL};
    static struct sql_text q =
        SQL_TEXT("insert into oauth_client (client_id, secret, name, kind, redirects, automatic) "
                 "values (:client, :secret, :name, :kind, :redirects, nullif(:automatic, 0))");
    const char *id, *secret, *name, **redirects;
    size_t n;
    int kind;
    struct actor automatic;
    if (doc_object(d, v, members) < 0 || doc_str(d, v, "client_id", true, &id) < 0 ||
        doc_str(d, v, "client_secret", false, &secret) < 0 ||
        doc_str(d, v, "name", false, &name) < 0 || doc_enum(d, v, "kind", kinds, 0, &kind) < 0 ||
        doc_strings(d, v, "redirect_uris", &redirects, &n) < 0 ||
        actor_member(tx, d, v, "automatic", false, &automatic) < 0)
        return -1;
    if (!*id)
        return doc_fail(d, json_get(v, "client_id"), "client_id", "must not be empty");
    sqlite3_stmt *st = sql_use(tx->db, &q);
    if (!st)
        return slot_fail(tx->db, tx->err);
    sql_bind_text(st, 1, id);
    sql_bind_text(st, 2, secret);
    sql_bind_text(st, 3, name ? name : id);
    sql_bind_text(st, 4, kinds[kind]);
    sql_bind_text(st, 5, list_text(d->arena, redirects, n));
    sql_bind_int(st, 6, automatic.id);
    return inserted(tx, d, st, json_get(v, "client_id"), "client_id");
}

static int dump_client(struct tx *tx, int64_t rowid, struct json_writer *w)
{
    static struct sql_text q =
        SQL_TEXT("select c.client_id, c.secret, c.name, c.kind, c.redirects, a.email "
                 "from oauth_client c left join actor a on a.id = c.automatic where c.id = :id");
    sqlite3_stmt *st = sql_use(tx->db, &q);
    if (!st)
        return slot_fail(tx->db, tx->err);
    sql_bind_int(st, 1, rowid);
    int r = sql_step(tx->db, st, tx->err);
    if (r == 1) {
        json_str(w, "client_id", text_of(st, 0));
        json_str_opt(w, "client_secret", text_of(st, 1));
        json_str(w, "name", text_of(st, 2));
        json_str(w, "kind", text_of(st, 3));
        if (strcmp(text_of(st, 4), "[]") != 0)
            json_raw(w, "redirect_uris", text_of(st, 4), strlen(text_of(st, 4)));
        json_str_opt(w, "automatic", text_of(st, 5));
        sql_done(st);
    }
    return r;
}

static int seed_clients(struct tx *tx, struct doc *d, const struct json *v)
{
    return seed_list(tx, d, v, "oauth_clients", seed_client);
}

static int dump_clients(struct tx *tx, struct json_writer *w)
{
    static struct sql_text q = SQL_TEXT("select id from oauth_client order by client_id");
    return dump_list(tx, w, "oauth_clients", &q, dump_client);
}

/* ---- refresh tokens ---- */

static int seed_grant(struct tx *tx, struct doc *d, const struct json *v)
{
    static const char *const members[] = {"token", "client_id", "actor", "scopes", NULL};
    static struct sql_text q = SQL_TEXT("insert into oauth_grant (token, client, actor, scopes) "
                                        "values (:token, :client, :actor, :scopes)");
    const char *token, *id, *scopes, *normal, *bad, *known;
    struct oauth_client client;
    struct actor actor;
    if (doc_object(d, v, members) < 0 || doc_str(d, v, "token", true, &token) < 0 ||
        doc_str(d, v, "client_id", true, &id) < 0 ||
        actor_member(tx, d, v, "actor", true, &actor) < 0 ||
        doc_str(d, v, "scopes", true, &scopes) < 0)
        return -1;
    if (strlen(token) < 8)
        return doc_fail(d, json_get(v, "token"), "token", "a token has at least 8 bytes");
    if (oauth_scopes_normal(d->arena, scopes, &normal, &bad) < 0)
        return doc_fail(d, json_get(v, "scopes"), "scopes", "\"%.80s\" is no scope", bad);
    int r = oauth_client_find(tx, id, &client);
    if (r != 1)
        return r < 0 ? -1
                     : doc_fail(d, json_get(v, "client_id"), "client_id",
                                "there is no OAuth client \"%.80s\"", id);
    sqlite3_stmt *st = sql_use(tx->db, &q);
    if (!st)
        return slot_fail(tx->db, tx->err);
    sql_bind_text(st, 1, token);
    sql_bind_int(st, 2, client.id);
    sql_bind_int(st, 3, actor.id);
    sql_bind_text(st, 4, normal);
    if (inserted(tx, d, st, json_get(v, "token"), "token") < 0 ||
        oauth_consent_get(tx, client.id, actor.id, &known) < 0)
        return -1;
    return oauth_consent_set(tx, client.id, actor.id,
                             known ? oauth_scopes_union(d->arena, known, normal) : normal);
}

static int dump_grant(struct tx *tx, int64_t rowid, struct json_writer *w)
{
    static struct sql_text q =
        SQL_TEXT("select g.token, c.client_id, a.email, g.scopes from oauth_grant g "
                 "join oauth_client c on c.id = g.client join actor a on a.id = g.actor "
                 "where g.id = :id");
    sqlite3_stmt *st = sql_use(tx->db, &q);
    if (!st)
        return slot_fail(tx->db, tx->err);
    sql_bind_int(st, 1, rowid);
    int r = sql_step(tx->db, st, tx->err);
    if (r == 1) {
        json_str(w, "token", text_of(st, 0));
        json_str(w, "client_id", text_of(st, 1));
        json_str(w, "actor", text_of(st, 2));
        json_str(w, "scopes", text_of(st, 3));
        sql_done(st);
    }
    return r;
}

static int seed_grants(struct tx *tx, struct doc *d, const struct json *v)
{
    return seed_list(tx, d, v, "oauth_refresh_tokens", seed_grant);
}

static int dump_grants(struct tx *tx, struct json_writer *w)
{
    static struct sql_text q = SQL_TEXT("select id from oauth_grant order by token");
    return dump_list(tx, w, "oauth_refresh_tokens", &q, dump_grant);
}

/* ---- service accounts ---- */

static int seed_account(struct tx *tx, struct doc *d, const struct json *v)
{
    static const char *const members[] = {"email",      "client_id",  "key_id",
                                          "public_key", "delegation", NULL};
    static struct sql_text q =
        SQL_TEXT("insert into service_account (actor, client_id, key_id, public_key, delegation) "
                 "values (:actor, :client, :key_id, :key, :delegation)");
    const char *id, *key_id, *key, *delegation, *normal = NULL, *bad;
    struct actor actor;
    if (doc_object(d, v, members) < 0 || actor_member(tx, d, v, "email", true, &actor) < 0 ||
        doc_str(d, v, "client_id", false, &id) < 0 || doc_str(d, v, "key_id", false, &key_id) < 0 ||
        doc_str(d, v, "public_key", false, &key) < 0 ||
        doc_str(d, v, "delegation", false, &delegation) < 0)
        return -1;
    if (strcmp(actor.kind, "service") != 0)
        return doc_fail(d, json_get(v, "email"), "email", "is of kind \"%s\", not \"service\"",
                        actor.kind);
    if (key && !oauth_key_usable(key))
        return doc_fail(d, json_get(v, "public_key"), "public_key",
                        "is no RSA public key in PEM form");
    if (key_id && !key)
        return doc_fail(d, json_get(v, "key_id"), "key_id", "needs a public_key");
    if (delegation && oauth_scopes_normal(d->arena, delegation, &normal, &bad) < 0)
        return doc_fail(d, json_get(v, "delegation"), "delegation", "\"%.80s\" is no scope", bad);
    sqlite3_stmt *st = sql_use(tx->db, &q);
    if (!st)
        return slot_fail(tx->db, tx->err);
    sql_bind_int(st, 1, actor.id);
    sql_bind_text(st, 2, id ? id : google_user_id(d->arena, actor.email));
    sql_bind_text(st, 3, key_id);
    sql_bind_text(st, 4, key);
    sql_bind_text(st, 5, normal);
    return inserted(tx, d, st, json_get(v, "email"), "email");
}

static int dump_account(struct tx *tx, int64_t rowid, struct json_writer *w)
{
    static struct sql_text q =
        SQL_TEXT("select a.email, s.client_id, s.key_id, s.public_key, s.delegation "
                 "from service_account s join actor a on a.id = s.actor where s.id = :id");
    sqlite3_stmt *st = sql_use(tx->db, &q);
    if (!st)
        return slot_fail(tx->db, tx->err);
    sql_bind_int(st, 1, rowid);
    int r = sql_step(tx->db, st, tx->err);
    if (r == 1) {
        json_str(w, "email", text_of(st, 0));
        json_str(w, "client_id", text_of(st, 1));
        json_str_opt(w, "key_id", text_of(st, 2));
        json_str_opt(w, "public_key", text_of(st, 3));
        json_str_opt(w, "delegation", text_of(st, 4));
        sql_done(st);
    }
    return r;
}

static int seed_accounts(struct tx *tx, struct doc *d, const struct json *v)
{
    return seed_list(tx, d, v, "service_accounts", seed_account);
}

static int dump_accounts(struct tx *tx, struct json_writer *w)
{
    static struct sql_text q = SQL_TEXT(
        "select s.id from service_account s join actor a on a.id = s.actor order by a.email");
    return dump_list(tx, w, "service_accounts", &q, dump_account);
}

/* ---- as entities of diffs ---- */

static int client_key(struct tx *tx, int64_t rowid, struct json_writer *w)
{
    static struct sql_text q = SQL_TEXT("select client_id from oauth_client where id = :id");
    return dump_key(tx, w, "client_id", &q, rowid);
}

static int grant_key(struct tx *tx, int64_t rowid, struct json_writer *w)
{
    static struct sql_text q = SQL_TEXT("select token from oauth_grant where id = :id");
    return dump_key(tx, w, "token", &q, rowid);
}

static int account_key(struct tx *tx, int64_t rowid, struct json_writer *w)
{
    static struct sql_text q = SQL_TEXT(
        "select a.email from service_account s join actor a on a.id = s.actor where s.id = :id");
    return dump_key(tx, w, "email", &q, rowid);
}

static const struct entity entities[] = {
    {.name = "oauth_client", .table = "oauth_client", .key = client_key, .dump = dump_client},
    {.name = "oauth_refresh_token", .table = "oauth_grant", .key = grant_key, .dump = dump_grant},
    {.name = "service_account",
     .table = "service_account",
     .key = account_key,
     .dump = dump_account},
};

static const struct section sections[] = {
    {.name = "oauth_clients", .seed = seed_clients, .dump = dump_clients},
    {.name = "oauth_refresh_tokens", .seed = seed_grants, .dump = dump_grants},
    {.name = "service_accounts", .seed = seed_accounts, .dump = dump_accounts},
};

const struct sosia_core google_oauth_core = {
    .name = OAUTH_CORE,
    .schema = oauth_sql,
    .sections = sections,
    .n_sections = SOSIA_LEN(sections),
    .entities = entities,
    .n_entities = SOSIA_LEN(entities),
    .due = oauth_due,
    .credential = oauth_credential,
};
