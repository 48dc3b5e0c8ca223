/* SPDX-License-Identifier: Apache-2.0 */
/* Actors, and the addresses that lead to them. */
#include "engine/store/scan.h"
#include "identity/account.h"
#include "engine/base/codec.h"

const char *email_domain(const char *email)
{
    const char *at = strrchr(email, '@');
    return at ? at + 1 : "";
}

char *email_normal(struct arena *a, const char *text)
{
    size_t len = strlen(text), ats = 0;
    if (len > 254)
        return NULL;
    char *out = arena_memdup(a, text, len);
    if (a->failed)
        return NULL;
    for (size_t i = 0; i < len; i++) {
        unsigned char c = (unsigned char)out[i];
        if (c <= ' ' || c == 127 || c == ',' || c == '<' || c == '>' || c == '"')
            return NULL;
        if (c == '@')
            ats++;
        if (c >= 'A' && c <= 'Z')
            out[i] = (char)(c + 32);
    }
    const char *at = strchr(out, '@');
    return ats == 1 && at != out && at[1] ? out : NULL;
}

char *domain_normal(struct arena *a, const char *text)
{
    size_t len = strlen(text);
    char *out = len && len <= 253 ? arena_memdup(a, text, len) : NULL;
    for (size_t i = 0; out && !a->failed && i < len; i++) {
        unsigned char c = (unsigned char)out[i];
        if (c <= ' ' || c == 127 || c == '@' || c == '/' || c == ':')
            return NULL;
        if (c >= 'A' && c <= 'Z')
            out[i] = (char)(c + 32);
    }
    return out;
}

/* ---- finding them ---- */

#define COLUMNS "a.id, a.handle, a.email, a.kind, a.name, a.zone, a.locale, a.org"

static struct record_text actor_record = RECORD_TEXT("ident_actor", COLUMNS);

static struct actor actor_of(int64_t id, const char *const texts[6], int64_t org)
{
    return (struct actor){.id = id,
                          .handle = texts[0],
                          .email = texts[1],
                          .kind = texts[2],
                          .name = texts[3],
                          .zone = texts[4],
                          .locale = texts[5],
                          .org = org};
}

static int actor_from_row(struct record *r, struct actor *ret)
{
    const char *texts[6];
    for (unsigned i = 0; i < 6; i++) {
        const char *text = record_text(r, i + 1);
        texts[i] = text ? text : "";
    }
    *ret = actor_of(record_int(r, 0), texts, record_int(r, 7));
    return 1;
}

static int read_actor(struct tx *tx, sqlite3_stmt *st, struct actor *ret)
{
    const char *texts[6];
    int r = TX_STEP(tx, st);
    if (r != 1)
        return r;
    for (int i = 0; i < 6; i++) {
        const char *text = (const char *)sqlite3_column_text(st, i + 1);
        texts[i] = text ? arena_strdup(tx->arena, text) : "";
    }
    *ret = actor_of(sqlite3_column_int64(st, 0), texts, sqlite3_column_int64(st, 7));
    sql_done(st);
    return 1;
}

static int find_text(struct tx *tx, struct sql_text *q, const char *text, struct actor *ret)
{
    return read_actor(tx, TX_QUERY(tx, q, text), ret);
}

/* By an index of the table whose first column is the text; q: the same as a statement. */
static int find_entry(struct tx *tx, struct record_text *index, struct sql_text *q,
                      const char *text, struct actor *ret)
{
    struct record row = {.arena = tx->arena};
    int r = TX_SCAN_ROW(tx, index, &actor_record, &row, text);
    if (r == RECORD_STATEMENT)
        return find_text(tx, q, text, ret);
    return r == 1 ? actor_from_row(&row, ret) : r;
}

int actor_by_id(struct tx *tx, int64_t id, struct actor *ret)
{
    static struct sql_text q = SQL_TEXT("select " COLUMNS " from ident_actor a where a.id = :id");
    struct record row = {.arena = tx->arena};
    const struct actor *known = tx_recall(tx, &actor_record, id);
    if (known) {
        *ret = *known;
        return 1;
    }
    int r = record_find(tx->db, &actor_record, id, &row);
    if (r == RECORD_STATEMENT)
        r = read_actor(tx, TX_QUERY(tx, &q, id), ret);
    else if (r == 1)
        r = actor_from_row(&row, ret);
    if (r == 1)
        tx_remember(tx, &actor_record, id, ret, sizeof *ret);
    return r;
}

int actor_by_email(struct tx *tx, const char *email, struct actor *ret)
{
    static struct sql_text q =
        SQL_TEXT("select " COLUMNS " from ident_actor a where a.email = :email");
    static struct sql_text q_alias =
        SQL_TEXT("select " COLUMNS
                 " from ident_alias l join ident_actor a on a.id = l.actor where l.email = :email");
    static struct record_text index = INDEX_TEXT("sqlite_autoindex_ident_actor_2", "rowid");
    char *normal = email_normal(tx->arena, email);
    if (!normal)
        return 0;
    int r = find_entry(tx, &index, &q, normal, ret);
    return r ? r : find_text(tx, &q_alias, normal, ret);
}

int actor_find(struct tx *tx, const char *name, struct actor *ret)
{
    static struct sql_text q =
        SQL_TEXT("select " COLUMNS " from ident_actor a where a.handle = :handle");
    static struct record_text index = INDEX_TEXT("sqlite_autoindex_ident_actor_1", "rowid");
    return strchr(name, '@') ? actor_by_email(tx, name, ret)
                             : find_entry(tx, &index, &q, name, ret);
}

int actor_new(struct tx *tx, struct actor *actor)
{
    static struct sql_text q =
        SQL_TEXT("insert into ident_actor (handle, email, kind, name, zone, locale, org) values "
                 "(:handle, nullif(:email, ''), :kind, :name, :zone, :locale, :org)");
    if (TX_RUN(tx, &q, actor->handle, actor->email, actor->kind, actor->name, actor->zone,
               actor->locale, sql_int_or_null(actor->org, 0)) < 0)
        return -1;
    actor->id = tx_last_id(tx);
    return account_provision(tx, actor);
}

int actor_first_person(struct tx *tx, struct actor *ret)
{
    static struct sql_text q =
        SQL_TEXT("select " COLUMNS " from ident_actor a where a.kind = :kind "
                 "order by a.email is null, a.id limit 1");
    return find_text(tx, &q, "person", ret);
}

int actor_next_person(struct tx *tx, const char *after, struct actor *ret)
{
    static struct sql_text q =
        SQL_TEXT("select " COLUMNS " from ident_actor a where a.kind = 'person' and "
                 "a.handle > :after order by a.handle limit 1");
    return find_text(tx, &q, after, ret);
}

int actor_list(struct tx *tx, int64_t after, int limit, struct json_writer *w)
{
    static struct sql_text q =
        SQL_TEXT("select id, handle, email, kind, name, zone from ident_actor "
                 "where id > :after order by id limit :limit");
    sqlite3_stmt *st = TX_QUERY(tx, &q, after, limit > 0 ? limit : -1);
    int r;
    if (!st)
        return -1;
    json_arr(w, NULL);
    while ((r = TX_STEP(tx, st)) == 1) {
        const char *handle = (const char *)sqlite3_column_text(st, 1);
        const char *email = (const char *)sqlite3_column_text(st, 2);
        json_obj(w, NULL);
        json_int(w, "id", sqlite3_column_int64(st, 0));
        if (!email || strcmp(handle, email) != 0)
            json_str(w, "handle", handle);
        json_str_opt(w, "email", email);
        json_str(w, "kind", (const char *)sqlite3_column_text(st, 3));
        json_str(w, "name", (const char *)sqlite3_column_text(st, 4));
        json_str(w, "zone", (const char *)sqlite3_column_text(st, 5));
        json_end(w);
    }
    json_end(w);
    return r;
}

int alias_open(struct tx *tx, const char **email)
{
    static struct sql_text q =
        SQL_TEXT("select a.email from ident_alias l join ident_actor a on a.id = l.actor "
                 "where l.email = :email and a.email is not null");
    sqlite3_stmt *st;
    int r = TX_ROW(tx, &q, &st, *email);
    if (r == 1) {
        *email = arena_strdup(tx->arena, (const char *)sqlite3_column_text(st, 0));
        sql_done(st);
    }
    return r < 0 ? -1 : 0;
}

int identity_is_local(struct tx *tx, const char *email)
{
    static struct sql_text q = SQL_TEXT("select 1 from ident_org where domain = lower(:domain)");
    sqlite3_stmt *st;
    int r = TX_ROW(tx, &q, &st, email_domain(email));
    if (r == 1)
        sql_done(st);
    return r;
}
