/* SPDX-License-Identifier: Apache-2.0 */
/* Groups of addresses, which may contain groups. */
#include "engine/store/row.h"
#include "identity/identity.h"

/* By the normal form of its address. */
static int find_group(struct tx *tx, const char *email, struct record *ret)
{
    static struct row_key q = ROW_KEY("ident_group", "g", "id, email, name", "email = ?1");
    *ret = (struct record){.arena = tx->arena};
    return ROW_BY_KEY(tx, &q, ret, email);
}

int group_by_email(struct tx *tx, const char *email, struct group *ret)
{
    char *normal = email_normal(tx->arena, email);
    struct record rec;
    int r = normal ? find_group(tx, normal, &rec) : 0;
    if (r == 1)
        *ret = (struct group){
            .id = record_int(&rec, 0), .email = record_text(&rec, 1), .name = record_text(&rec, 2)};
    return r;
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

/* Of a group that has no groups: 1 or 0. RECORD_STATEMENT: it has some, or can't be read like this.
 */
static int has_directly(struct tx *tx, int64_t group, const char *email)
{
    static struct record_text members =
        INDEX_TEXT("sqlite_autoindex_ident_member_1", "member_of, email");
    struct record rec;
    struct scan s;
    int r;
    if (TX_SCAN(tx, &members, SCAN_FROM, 2, &s, group, email) != 1)
        return RECORD_STATEMENT;
    if ((r = scan_next(&s)) != 0)
        return r == 1 ? 1 : RECORD_STATEMENT;
    if (TX_SCAN(tx, &members, SCAN_FROM, 1, &s, group) != 1)
        return RECORD_STATEMENT;
    while ((r = scan_next(&s)) == 1)
        if (find_group(tx, record_text(&s.entry, 1), &rec) != 0)
            return RECORD_STATEMENT;
    return r == 0 ? 0 : RECORD_STATEMENT;
}

int group_has_member(struct tx *tx, int64_t group, const char *email)
{
    static struct sql_text q = SQL_TEXT(MEMBERS " select 1 from reached where email = :email");
    sqlite3_stmt *st;
    int r = has_directly(tx, group, email);
    if (r != RECORD_STATEMENT)
        return r;
    r = TX_ROW(tx, &q, &st, group, email);
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
