/* SPDX-License-Identifier: Apache-2.0 */
/* Rules of access to calendars. */
#include "services/calendar/core/calendar.h"
#include "engine/world/event.h"

static void read_rule(struct tx *tx, sqlite3_stmt *st, struct access *ret)
{
    *ret = (struct access){.id = sqlite3_column_int64(st, 0),
                           .kind = (enum access_kind)sqlite3_column_int(st, 1),
                           .who = arena_strdup(tx->arena, (const char *)sqlite3_column_text(st, 2)),
                           .role = (enum cal_role)sqlite3_column_int(st, 3),
                           .updated_us = sqlite3_column_int64(st, 4),
                           .change = sqlite3_column_int64(st, 5)};
}

static int owner_rule(struct tx *tx, const struct calendar *cal, struct access *ret)
{
    struct actor owner;
    int r = actor_by_id(tx, cal->owner, &owner);
    if (r == 1)
        *ret = (struct access){.kind = ACCESS_PERSON, .who = owner.email, .role = CAL_OWN};
    return r;
}

int access_find(struct tx *tx, const struct calendar *cal, enum access_kind kind, const char *who,
                struct access *ret)
{
    static struct sql_text q =
        SQL_TEXT("select id, kind, who, role, updated_us, change from access "
                 "where calendar = :calendar and kind = :kind and who = :who");
    struct access owner;
    if (kind == ACCESS_PERSON) {
        int r = owner_rule(tx, cal, &owner);
        if (r < 0)
            return -1;
        if (r == 1 && strcmp(owner.who, who) == 0) {
            *ret = owner;
            return 1;
        }
    }
    sqlite3_stmt *st = sql_use(tx->db, &q);
    if (!st)
        return slot_fail(tx->db, tx->err);
    sql_bind_int(st, 1, cal->id);
    sql_bind_int(st, 2, kind);
    sql_bind_text(st, 3, who);
    int r = sql_step(tx->db, st, tx->err);
    if (r == 1) {
        read_rule(tx, st, ret);
        sql_done(st);
    }
    return r;
}

int access_set(struct tx *tx, const struct calendar *cal, struct access *rule)
{
    static struct sql_text q =
        SQL_TEXT("insert into access (calendar, kind, who, role, updated_us, change) "
                 "values (:calendar, :kind, :who, :role, :updated, :change) "
                 "on conflict (calendar, kind, who) do update set role = excluded.role, "
                 "updated_us = max(excluded.updated_us, updated_us + 1), change = excluded.change "
                 "returning id, kind, who, role, updated_us, change");
    int64_t change;
    if (calendar_change(tx, &change) < 0)
        return -1;
    sqlite3_stmt *st = sql_use(tx->db, &q);
    if (!st)
        return slot_fail(tx->db, tx->err);
    sql_bind_int(st, 1, cal->id);
    sql_bind_int(st, 2, rule->kind);
    sql_bind_text(st, 3, rule->who);
    sql_bind_int(st, 4, rule->role);
    sql_bind_int(st, 5, tx->now_us);
    sql_bind_int(st, 6, change);
    int r = sql_step(tx->db, st, tx->err);
    if (r < 0)
        return -1;
    read_rule(tx, st, rule);
    sql_done(st);
    event_note(tx, CHANGED_ACCESS, rule->role == CAL_NONE ? OP_REMOVED : OP_CHANGED, cal->id,
               rule->id);
    return rule->role == CAL_NONE ? listings_without_right(tx, cal) : 0;
}

int access_count(struct tx *tx, const struct calendar *cal, int64_t *ret)
{
    static struct sql_text q =
        SQL_TEXT("select count(*) from access where calendar = :calendar and role > 0");
    sqlite3_stmt *st = sql_use(tx->db, &q);
    if (!st)
        return slot_fail(tx->db, tx->err);
    sql_bind_int(st, 1, cal->id);
    int r = sql_step(tx->db, st, tx->err);
    if (r < 0)
        return -1;
    *ret = sqlite3_column_int64(st, 0);
    sql_done(st);
    return 0;
}

int access_list(struct tx *tx, const struct calendar *cal, int64_t after, bool removed,
                size_t limit, struct access **ret, size_t *ret_n)
{
    static struct sql_text q =
        SQL_TEXT("select id, kind, who, role, updated_us, change from access "
                 "where calendar = :calendar and change > :after and (role > 0 or :removed) "
                 "order by change limit :limit");
    struct access *rules = arena_calloc(tx->arena, limit + 1, sizeof *rules);
    size_t n = 0;
    if (after < 0 && limit) {
        int r = owner_rule(tx, cal, &rules[0]);
        if (r < 0)
            return -1;
        n += r == 1;
    }
    sqlite3_stmt *st = sql_use(tx->db, &q);
    if (!st)
        return slot_fail(tx->db, tx->err);
    sql_bind_int(st, 1, cal->id);
    sql_bind_int(st, 2, after);
    sql_bind_int(st, 3, removed);
    sql_bind_int(st, 4, (int64_t)(limit - n));
    int r;
    while ((r = sql_step(tx->db, st, tx->err)) == 1)
        read_rule(tx, st, &rules[n++]);
    *ret = rules;
    *ret_n = n;
    return r;
}
