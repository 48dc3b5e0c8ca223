/* SPDX-License-Identifier: Apache-2.0 */
/* Groups of addresses, which may contain groups. */
#include "identity/identity.h"

int group_by_email(struct tx *tx, const char *email, struct group *ret)
{
    static struct sql_text q =
        SQL_TEXT("select id, email, name from ident_group where email = :email");
    char *normal = email_normal(tx->arena, email);
    if (!normal)
        return 0;
    sqlite3_stmt *st;
    int r = TX_ROW(tx, &q, &st, normal);
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
    " select email from ident_member where member_of = :group"                                     \
    " union"                                                                                       \
    " select m.email from reached r join ident_group t on t.email = r.email"                       \
    " join ident_member m on m.member_of = t.id)"

int group_each_member(struct tx *tx, int64_t group, int (*fn)(void *arg, const char *email),
                      void *arg)
{
    static struct sql_text q = SQL_TEXT(
        MEMBERS " select email from reached where email not in (select email from ident_group) "
                "order by email");
    sqlite3_stmt *st = TX_QUERY(tx, &q, group);
    if (!st)
        return -1;
    /* Collected first: fn may come back here with another group. */
    struct found {
        struct found *next;
        const char *email;
    } *first = NULL, **end = &first;
    int r;
    while ((r = TX_STEP(tx, st)) == 1) {
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
    sqlite3_stmt *st;
    int r = TX_ROW(tx, &q, &st, group, email);
    if (r == 1)
        sql_done(st);
    return r;
}

static int is_nobodys(void *arg, const char *email)
{
    struct tx *tx = arg;
    struct actor who;
    const char *plus = strchr(email, '+'), *at = strrchr(email, '@');
    int r = actor_by_email(tx, email, &who);
    if (r == 0 && plus && at && plus > email && plus < at)
        r = actor_by_email(tx, arena_printf(tx->arena, "%.*s%s", (int)(plus - email), email, at),
                           &who);
    return r < 0 ? -1 : !r;
}

int identity_is_outside(struct tx *tx, const char *email)
{
    const char *normal = email ? email_normal(tx->arena, email) : NULL;
    struct group g;
    int r = normal ? is_nobodys(tx, normal) : 0;
    if (r != 1)
        return r;
    r = group_by_email(tx, normal, &g);
    return r == 1 ? group_each_member(tx, g.id, is_nobodys, tx) : r < 0 ? -1 : 1;
}
