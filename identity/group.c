/* SPDX-License-Identifier: Apache-2.0 */
/* Groups of addresses, which may contain groups. */
#include "engine/world/take.h"
#include "engine/store/row.h"
#include "engine/world/core.h"
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

int group_takes_mail(struct tx *tx, const struct group *group)
{
    const struct ident_groups *of;
    int r = 1;
    for (size_t i = 0; r == 1 && (of = core_policy_nth(tx, IDENT_GROUPS, i)); i++)
        r = of->takes_mail(tx, group);
    return r;
}

static int read_group(struct tx *tx, sqlite3_stmt *st, struct group *ret)
{
    return TX_TAKE(tx, st, &ret->id, &ret->email, &ret->name);
}

int group_by_id(struct tx *tx, int64_t id, struct group *ret)
{
    static struct sql_text q = SQL_TEXT("select id, email, name from ident_group where id = :id");
    return read_group(tx, TX_QUERY(tx, &q, id), ret);
}

int group_next(struct tx *tx, int64_t after, struct group *ret)
{
    static struct sql_text q =
        SQL_TEXT("select id, email, name from ident_group where id > :after order by id limit 1");
    return read_group(tx, TX_QUERY(tx, &q, after), ret);
}

int group_next_with(struct tx *tx, const char *email, int64_t after, struct group *ret)
{
    static struct sql_text q = SQL_TEXT(
        "select g.id, g.email, g.name from ident_group g where g.id > :after and exists (select 1 "
        "from ident_member m where m.member_of = g.id and m.email = :email) order by g.id limit 1");
    return read_group(tx, TX_QUERY(tx, &q, after, email), ret);
}

int group_next_member(struct tx *tx, int64_t group, const char *after, const char **ret)
{
    static struct sql_text q = SQL_TEXT("select email from ident_member where member_of = :group "
                                        "and email > :after order by email limit 1");
    return TX_TAKE(tx, TX_QUERY(tx, &q, group, after), ret);
}

int group_new(struct tx *tx, const char *email, const char *name, int64_t *ret)
{
    static struct sql_text q =
        SQL_TEXT("insert into ident_group (email, name) values (:email, :name)");
    struct actor other;
    int r = actor_by_email(tx, email, &other);
    if (r == 1)
        return tx_fail(tx, SOSIA_E_CONFLICT, "addressTaken", "email",
                       "the address must be free, \"%.80s\" is an actor's", email);
    if (r < 0 || TX_RUN(tx, &q, email, name) < 0)
        return -1;
    *ret = tx_last_id(tx);
    return 0;
}

int group_rename(struct tx *tx, int64_t id, const char *name)
{
    static struct sql_text q =
        SQL_TEXT("update ident_group set name = :name where id = :id and name <> :name");
    return TX_RUN(tx, &q, name, id);
}

int group_drop(struct tx *tx, int64_t id)
{
    static struct sql_text q_members = SQL_TEXT("delete from ident_member where member_of = :id");
    static struct sql_text q = SQL_TEXT("delete from ident_group where id = :id");
    return TX_RUN(tx, &q_members, id) < 0 ? -1 : TX_RUN(tx, &q, id);
}

int group_add_member(struct tx *tx, int64_t group, const char *email)
{
    static struct sql_text q =
        SQL_TEXT("insert or ignore into ident_member (member_of, email) values (:group, :email)");
    return TX_RUN(tx, &q, group, email) < 0 ? -1 : sqlite3_changes(slot_db(tx->db)) > 0;
}

int group_drop_member(struct tx *tx, int64_t group, const char *email)
{
    static struct sql_text q =
        SQL_TEXT("delete from ident_member where member_of = :group and email = :email");
    return TX_RUN(tx, &q, group, email) < 0 ? -1 : sqlite3_changes(slot_db(tx->db)) > 0;
}

/* The union keeps each address once, so that groups which contain each other end. */
#define MEMBERS                                                                                    \
    "with recursive reached (email) as ("                                                          \
    " select email from ident_member where member_of = :group"                                     \
    " union"                                                                                       \
    " select m.email from reached r join ident_group t on t.email = r.email"                       \
    " join ident_member m on m.member_of = t.id)"

static int each_address(struct tx *tx, sqlite3_stmt *st, int (*fn)(void *arg, const char *email),
                        void *arg)
{
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

int group_each_member(struct tx *tx, int64_t group, int (*fn)(void *arg, const char *email),
                      void *arg)
{
    static struct sql_text q = SQL_TEXT(
        MEMBERS " select email from reached where email not in (select email from ident_group) "
                "order by email");
    return each_address(tx, TX_QUERY(tx, &q, group), fn, arg);
}

int group_each_inner(struct tx *tx, int64_t group, int (*fn)(void *arg, const char *email),
                     void *arg)
{
    static struct sql_text q = SQL_TEXT(
        MEMBERS " select email from reached where email in (select email from ident_group) "
                "order by email");
    return each_address(tx, TX_QUERY(tx, &q, group), fn, arg);
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
    int r = has_directly(tx, group, email);
    if (r != RECORD_STATEMENT)
        return r;
    return TX_ANY(tx, TX_QUERY(tx, &q, group, email));
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
