/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/world/identity.h"
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

static int read_actor(struct tx *tx, sqlite3_stmt *st, struct actor *ret)
{
    int r = sql_step(tx->db, st, tx->err);
    if (r != 1)
        return r;
    ret->id = sqlite3_column_int64(st, 0);
    ret->email = arena_strdup(tx->arena, (const char *)sqlite3_column_text(st, 1));
    ret->kind = arena_strdup(tx->arena, (const char *)sqlite3_column_text(st, 2));
    ret->name = arena_strdup(tx->arena, (const char *)sqlite3_column_text(st, 3));
    ret->zone = arena_strdup(tx->arena, (const char *)sqlite3_column_text(st, 4));
    ret->locale = arena_strdup(tx->arena, (const char *)sqlite3_column_text(st, 5));
    ret->org = sqlite3_column_int64(st, 6);
    sql_done(st);
    return 1;
}

int actor_by_id(struct tx *tx, int64_t id, struct actor *ret)
{
    static struct sql_text q =
        SQL_TEXT("select id, email, kind, name, zone, locale, org from actor where id = :id");
    sqlite3_stmt *st = sql_use(tx->db, &q);
    if (!st)
        return slot_fail(tx->db, tx->err);
    sql_bind_int(st, 1, id);
    return read_actor(tx, st, ret);
}

int actor_by_email(struct tx *tx, const char *email, struct actor *ret)
{
    static struct sql_text q =
        SQL_TEXT("select id, email, kind, name, zone, locale, org from actor where email = :email");
    static struct sql_text q_alias =
        SQL_TEXT("select a.id, a.email, a.kind, a.name, a.zone, a.locale, a.org "
                 "from alias l join actor a on a.id = l.actor where l.email = :email");
    char *normal = email_normal(tx->arena, email);
    if (!normal)
        return 0;
    struct sql_text *queries[] = {&q, &q_alias};
    for (size_t i = 0; i < SOSIA_LEN(queries); i++) {
        sqlite3_stmt *st = sql_use(tx->db, queries[i]);
        if (!st)
            return slot_fail(tx->db, tx->err);
        sql_bind_text(st, 1, normal);
        int r = read_actor(tx, st, ret);
        if (r)
            return r;
    }
    return 0;
}

int alias_open(struct tx *tx, const char **email)
{
    static struct sql_text q = SQL_TEXT(
        "select a.email from alias l join actor a on a.id = l.actor where l.email = :email");
    sqlite3_stmt *st = sql_use(tx->db, &q);
    if (!st)
        return slot_fail(tx->db, tx->err);
    sql_bind_text(st, 1, *email);
    int r = sql_step(tx->db, st, tx->err);
    if (r == 1) {
        *email = arena_strdup(tx->arena, (const char *)sqlite3_column_text(st, 0));
        sql_done(st);
    }
    return r < 0 ? -1 : 0;
}

int identity_is_local(struct tx *tx, const char *email)
{
    static struct sql_text q = SQL_TEXT("select 1 from org where domain = lower(:domain)");
    sqlite3_stmt *st = sql_use(tx->db, &q);
    if (!st)
        return slot_fail(tx->db, tx->err);
    sql_bind_text(st, 1, email_domain(email));
    int r = sql_step(tx->db, st, tx->err);
    if (r == 1)
        sql_done(st);
    return r;
}

int group_by_email(struct tx *tx, const char *email, struct group *ret)
{
    static struct sql_text q = SQL_TEXT("select id, email, name from team where email = :email");
    char *normal = email_normal(tx->arena, email);
    if (!normal)
        return 0;
    sqlite3_stmt *st = sql_use(tx->db, &q);
    if (!st)
        return slot_fail(tx->db, tx->err);
    sql_bind_text(st, 1, normal);
    int r = sql_step(tx->db, st, tx->err);
    if (r != 1)
        return r;
    ret->id = sqlite3_column_int64(st, 0);
    ret->email = arena_strdup(tx->arena, (const char *)sqlite3_column_text(st, 1));
    ret->name = arena_strdup(tx->arena, (const char *)sqlite3_column_text(st, 2));
    sql_done(st);
    return 1;
}

/* The union keeps each address once, so that groups which contain each other end. */
#define MEMBERS                                                                                    \
    "with recursive reached (email) as ("                                                          \
    " select email from team_member where team = :team"                                            \
    " union"                                                                                       \
    " select m.email from reached r join team t on t.email = r.email"                              \
    " join team_member m on m.team = t.id)"

int group_each_member(struct tx *tx, int64_t group, int (*fn)(void *arg, const char *email),
                      void *arg)
{
    static struct sql_text q =
        SQL_TEXT(MEMBERS " select email from reached where email not in (select email from team) "
                         "order by email");
    sqlite3_stmt *st = sql_use(tx->db, &q);
    if (!st)
        return slot_fail(tx->db, tx->err);
    sql_bind_int(st, 1, group);
    /* Collected first: fn may come back here with another group. */
    struct found {
        struct found *next;
        const char *email;
    } *first = NULL, **end = &first;
    int r;
    while ((r = sql_step(tx->db, st, tx->err)) == 1) {
        struct found *f = arena_calloc(tx->arena, 1, sizeof *f);
        f->email = arena_strdup(tx->arena, (const char *)sqlite3_column_text(st, 0));
        if (arena_failed(tx->arena)) {
            sql_done(st);
            return sosia_fail_memory(tx->err);
        }
        *end = f;
        end = &f->next;
    }
    for (const struct found *f = first; r == 0 && f; f = f->next)
        r = fn(arg, f->email);
    return r;
}

int group_has_member(struct tx *tx, int64_t group, const char *email)
{
    static struct sql_text q = SQL_TEXT(MEMBERS " select 1 from reached where email = :email");
    sqlite3_stmt *st = sql_use(tx->db, &q);
    if (!st)
        return slot_fail(tx->db, tx->err);
    sql_bind_int(st, 1, group);
    sql_bind_text(st, 2, email);
    int r = sql_step(tx->db, st, tx->err);
    if (r == 1)
        sql_done(st);
    return r;
}
