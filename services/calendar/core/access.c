/* SPDX-License-Identifier: Apache-2.0 */
/* Rules of access to calendars. */
#include "identity/sql.h"
#include "services/calendar/core/vendor.h"
#include "engine/world/event.h"
#include "engine/world/take.h"

#define RULE "id, kind, who, role, updated_us, change, beyond"
#define RULE_PLACES(r)                                                                             \
    &(r)->id, &(r)->kind, &(r)->who, &(r)->role, &(r)->updated_us, &(r)->change, &(r)->beyond

/* The rules that are not stored and never change: a secondary calendar is its own owner first,
 * and its data owner has owned it since it was made. */
static int made_up_rules(struct tx *tx, const struct calendar *cal, struct cal_access ret[2],
                         size_t *ret_n)
{
    struct actor owner;
    int r = actor_by_id(tx, cal->owner, &owner);
    *ret_n = 0;
    if (r != 1)
        return r;
    if (!cal->main)
        ret[(*ret_n)++] = (struct cal_access){
            .kind = ACCESS_PERSON, .who = cal->key, .role = CAL_OWN, .change = ACCESS_FIRST};
    ret[(*ret_n)++] = (struct cal_access){.kind = ACCESS_PERSON,
                                          .who = owner.email,
                                          .role = CAL_OWN,
                                          .updated_us = cal->main ? 0 : cal->created_us,
                                          .change = ACCESS_FIRST + 1};
    return 0;
}

int cal_access_find(struct tx *tx, const struct calendar *cal, enum cal_access_kind kind,
                    const char *who, struct cal_access *ret)
{
    static struct sql_text q =
        SQL_TEXT("select " RULE " from cal_access "
                 "where calendar = :calendar and kind = :kind and who = :who");
    struct cal_access owners[2];
    size_t n = 0;
    if (kind == ACCESS_PERSON && made_up_rules(tx, cal, owners, &n) < 0)
        return -1;
    for (size_t i = 0; i < n; i++)
        if (strcmp(owners[i].who, who) == 0) {
            *ret = owners[i];
            return 1;
        }
    return TX_TAKE(tx, TX_QUERY(tx, &q, cal->id, kind, who), RULE_PLACES(ret));
}

int cal_access_by_id(struct tx *tx, int64_t id, int64_t *ret_calendar, struct cal_access *ret)
{
    static struct sql_text q = SQL_TEXT("select " RULE ", calendar from cal_access where id = :id");
    return TX_TAKE(tx, TX_QUERY(tx, &q, id), RULE_PLACES(ret), ret_calendar);
}

int cal_access_set(struct tx *tx, const struct calendar *cal, struct cal_access *rule)
{
    static struct sql_text q = SQL_TEXT(
        "insert into cal_access (calendar, kind, who, role, updated_us, change, beyond) "
        "values (:calendar, :kind, :who, :role, max(:updated, coalesce((select "
        "updated_us from cal_access where calendar = :calendar "
        "order by change desc limit 1), 0) + 1), :change, :beyond) on conflict (calendar, kind, "
        "who) do update set role = excluded.role, "
        "updated_us = excluded.updated_us, change = excluded.change, "
        "beyond = excluded.beyond returning " RULE);
    int64_t change;
    rule->beyond &= rule->role == CAL_FREEBUSY ? CAL_TITLES
                    : rule->role == CAL_WRITE  ? CAL_DELEGATE | CAL_PRIVATE
                                               : 0u;
    if (calendar_change(tx, &change) < 0)
        return -1;
    sqlite3_stmt *st = TX_QUERY(tx, &q, cal->id, rule->kind, rule->who, rule->role, tx->now_us,
                                change, rule->beyond);
    if (TX_TAKE(tx, st, RULE_PLACES(rule)) < 0)
        return -1;
    event_note(tx, CHANGED_ACCESS, rule->role == CAL_NONE ? OP_REMOVED : OP_CHANGED, cal->id,
               rule->id);
    return rule->role == CAL_NONE ? cal_lists_turn(tx, cal, CAL_CLOSED) : 0;
}

int cal_access_drop_owner(struct tx *tx, const struct calendar *cal)
{
    static struct sql_text q = SQL_TEXT(
        "delete from cal_access where calendar = :calendar and kind = 1 and who = " IDENT_SQL_EMAIL(
            ":owner"));
    return TX_RUN(tx, &q, cal->id, cal->owner);
}

int cal_access_count(struct tx *tx, const struct calendar *cal, int64_t *ret)
{
    static struct sql_text q =
        SQL_TEXT("select count(*) from cal_access where calendar = :calendar and role > 0");
    return TX_INT(tx, &q, ret, cal->id) < 0 ? -1 : 0;
}

int cal_access_since(struct tx *tx, const struct calendar *cal, int64_t since_us,
                     int64_t *ret_newest, int64_t *ret_after)
{
    static struct sql_text q =
        SQL_TEXT("select coalesce(max(updated_us), 0), "
                 "coalesce(max(change) filter (where updated_us < :since), 0) "
                 "from cal_access where calendar = :calendar");
    return TX_TAKE(tx, TX_QUERY(tx, &q, since_us, cal->id), ret_newest, ret_after) < 0 ? -1 : 0;
}

int cal_access_list(struct tx *tx, const struct calendar *cal, int64_t after, bool removed,
                    size_t limit, struct cal_access **ret, size_t *ret_n)
{
    static struct sql_text q =
        SQL_TEXT("select " RULE " from cal_access "
                 "where calendar = :calendar and change > :after and (role > 0 or :removed) "
                 "order by change limit :limit");
    struct cal_access *rules = arena_calloc(tx->arena, limit + 1, sizeof *rules), owners[2];
    size_t n = 0, n_owners = 0;
    if (after < 0 && made_up_rules(tx, cal, owners, &n_owners) < 0)
        return -1;
    for (size_t i = 0; i < n_owners && n < limit; i++)
        if (owners[i].change > after)
            rules[n++] = owners[i];
    sqlite3_stmt *st = TX_QUERY(tx, &q, cal->id, after, removed, (int64_t)(limit - n));
    int r;
    while ((r = TX_TAKE_NEXT(tx, st, RULE_PLACES(&rules[n]))) == 1)
        n++;
    *ret = rules;
    *ret_n = n;
    return r;
}
