/* SPDX-License-Identifier: Apache-2.0 */
/* The calendars on a person's list, and how the person wants to see them. */
#include "engine/base/codec.h"
#include "engine/store/scan.h"
#include "engine/world/columns.h"
#include "engine/world/event.h"
#include "engine/world/take.h"
#include "services/calendar/google/gcal.h"

/* What the person has chosen. */
#define CHOSEN(X)                                                                                  \
    X(name, name, STRING)                                                                          \
    X(color, color, STRING)                                                                        \
    X(background, background, STRING)                                                              \
    X(foreground, foreground, STRING)                                                              \
    X(hidden, hidden, NUMBER)                                                                      \
    X(selected, selected, NUMBER)                                                                  \
    X(reminders, reminders, STRING)                                                                \
    X(notices, notices, STRING)
#define KEPT(X)                                                                                    \
    X(gone, gone, NUMBER)                                                                          \
    X(updated_us, updated_us, NUMBER)                                                              \
    X(change, change, NUMBER)
#define NAMES    CHOSEN(COLUMN_NAME)
#define MARKS    CHOSEN(COLUMN_MARK)
#define SETS     CHOSEN(COLUMN_SET)
#define EXCLUDED CHOSEN(COLUMN_EXCLUDED)
#define VALUES   CHOSEN(COLUMN_VALUE)
#define SELECTED "id, actor, calendar" KEPT(COLUMN_NAME) NAMES

/* All but the calendar, of which only the id is filled. r: what looking for the row gave, which is
 * passed on. */
static int listing_of(int r, struct record *rec, struct gcal_listing *row)
{
    unsigned at = 3;
    if (r != 1)
        return r;
    *row = (struct gcal_listing){
        .id = record_int(rec, 0), .actor = record_int(rec, 1), .cal = {.id = record_int(rec, 2)}};
    KEPT(COLUMN_TAKE)
    CHOSEN(COLUMN_TAKE)
    return 1;
}

int gcal_listing_find(struct tx *tx, const struct actor *who, const struct calendar *cal,
                      struct gcal_listing *ret)
{
    static struct row_key q =
        ROW_KEY("gcal_listing", "l", SELECTED, "actor = ?1 and calendar = ?2");
    struct record rec = {.arena = tx->arena};
    int r = listing_of(ROW_BY_KEY(tx, &q, &rec, who->id, cal->id), &rec, ret);
    if (r == 1)
        ret->cal = *cal;
    return r;
}

int gcal_listing_add(struct tx *tx, struct gcal_listing *row)
{
    static struct sql_text q = SQL_TEXT(
        "insert into gcal_listing (actor, calendar, updated_us, change" NAMES ") "
        "values (?, ?, ?, ?" MARKS ") on conflict (actor, calendar) do update set gone = 0, "
        "updated_us = max(excluded.updated_us, updated_us + 1), "
        "change = excluded.change" EXCLUDED " returning id, updated_us");
    if (calendar_change(tx, &row->change) < 0 ||
        TX_TAKE(tx, TX_QUERY(tx, &q, row->actor, row->cal.id, tx->now_us, row->change VALUES),
                &row->id, &row->updated_us) < 0)
        return -1;
    row->gone = false;
    event_note(tx, GCAL_CHANGED_LIST, OP_ADDED, row->actor, row->id);
    return 0;
}

int gcal_listing_save(struct tx *tx, const struct gcal_listing *old, struct gcal_listing *row)
{
    static struct sql_text q = SQL_TEXT(
        "update gcal_listing set gone = ?, updated_us = ?, change = ?" SETS " where id = ?");
    if (old->gone == row->gone CHOSEN(COLUMN_SAME))
        return 0;
    row->updated_us = calendar_touch(tx, old->updated_us);
    if (calendar_change(tx, &row->change) < 0)
        return -1;
    event_note(tx, GCAL_CHANGED_LIST,
               row->gone   ? OP_REMOVED
               : old->gone ? OP_ADDED
                           : OP_CHANGED,
               row->actor, row->id);
    return TX_RUN(tx, &q, row->gone, row->updated_us, row->change VALUES, row->id);
}

int gcal_listing_remove(struct tx *tx, struct gcal_listing *l)
{
    struct gcal_listing old = *l;
    l->gone = true;
    return gcal_listing_save(tx, &old, l);
}

static int drop_without_right(struct tx *tx, const struct calendar *cal)
{
    static struct sql_text q =
        SQL_TEXT("select " SELECTED " from gcal_listing where calendar = :calendar and gone = 0 "
                 "and id > :after order by id limit 1");
    for (int64_t after = 0;;) {
        struct gcal_listing l;
        struct actor who;
        enum cal_role role = CAL_NONE;
        struct record rec = {.arena = tx->arena};
        int r = listing_of(ROW_ONLY(tx, TX_QUERY(tx, &q, cal->id, after), &rec), &rec, &l);
        if (r != 1)
            return r;
        after = l.id;
        r = actor_by_id(tx, l.actor, &who);
        if (r < 0 || (r && calendar_role(tx, cal, &who, &role) < 0) ||
            (role == CAL_NONE && gcal_listing_remove(tx, &l) < 0))
            return -1;
    }
}

int gcal_listing_list(struct tx *tx, const struct actor *who, int64_t after, size_t limit,
                      struct gcal_listing **ret, size_t *ret_n)
{
    static struct sql_text q =
        SQL_TEXT("select " SELECTED " from gcal_listing where actor = :actor and change > :after "
                 "order by change, id limit :limit");
    struct record rec = {.arena = tx->arena};
    struct gcal_listing *list = NULL;
    size_t n = 0, room = 0;
    sqlite3_stmt *st = TX_QUERY(tx, &q, who->id, after, (int64_t)limit);
    int r;
    while ((r = ROW_NEXT(tx, st, &rec)) == 1) {
        if (!(list = arena_grow(tx->arena, list, n, &room, sizeof *list))) {
            sql_done(st);
            return sosia_fail_memory(tx->err);
        }
        listing_of(r, &rec, &list[n++]);
        record_keep(&rec);
    }
    for (size_t i = 0; r == 0 && i < n; i++) {
        r = calendar_by_id(tx, list[i].cal.id, &list[i].cal);
        if (r == 1)
            r = calendar_role(tx, &list[i].cal, who, &list[i].cal.role);
        if (r == 0 && calendar_is_made(&list[i].cal))
            r = list[i].cal.vendor->made->seen_by(tx, &list[i].cal, who);
        list[i].gone |= list[i].cal.gone || list[i].cal.role == CAL_NONE;
    }
    *ret = list;
    *ret_n = n;
    return r;
}

static int drop_all(struct tx *tx, int64_t calendar)
{
    static struct sql_text q_who =
        SQL_TEXT("select actor from gcal_listing where calendar = :calendar and gone = 0");
    static struct sql_text q =
        SQL_TEXT("update gcal_listing set change = :change, gone = 1, "
                 "updated_us = max(:now, updated_us + 1) where calendar = :calendar and gone = 0");
    int64_t change;
    if (calendar_change(tx, &change) < 0)
        return -1;
    sqlite3_stmt *st = TX_QUERY(tx, &q_who, calendar);
    int64_t actor;
    int r;
    while ((r = TX_TAKE_NEXT(tx, st, &actor)) == 1)
        event_note(tx, GCAL_CHANGED_LIST, OP_REMOVED, actor, 0);
    if (r < 0)
        return -1;
    return TX_RUN(tx, &q, change, tx->now_us, calendar);
}

int gcal_listing_turn(struct tx *tx, const struct calendar *cal, enum cal_turn turn)
{
    struct gcal_listing l = {.actor = cal->owner, .cal = *cal, .selected = true};
    return turn == CAL_MADE    ? gcal_listing_add(tx, &l)
           : turn == CAL_ENDED ? drop_all(tx, cal->id)
                               : drop_without_right(tx, cal);
}

int gcal_listing_own(struct tx *tx, const struct calendar *cal)
{
    static struct sql_text q =
        SQL_TEXT("insert into gcal_listing (actor, calendar, updated_us, change" NAMES ") "
                 "values (?, ?, ?, 0" MARKS ")");
    struct gcal_listing own, *row = &own;
    gcal_listing_default(cal, row);
    return TX_RUN(tx, &q, cal->owner, cal->id, cal->created_us VALUES);
}
