/* SPDX-License-Identifier: Apache-2.0 */
/* The calendars on a person's list, and how the person wants to see them. */
#include "engine/base/codec.h"
#include "engine/store/scan.h"
#include "engine/world/event.h"
#include "services/calendar/core/holiday.h"

#define COLUMNS                                                                                    \
    "id, actor, calendar, name, color, background, foreground, hidden, selected, gone, "           \
    "reminders, notices, updated_us, change"

#define LISTING_FROM(from, NUMBER, TEXT)                                                           \
    (struct cal_listing)                                                                           \
    {                                                                                              \
        .id = NUMBER(from, 0), .actor = NUMBER(from, 1), .cal = {.id = NUMBER(from, 2)},           \
        .name = TEXT(from, 3), .color = TEXT(from, 4), .background = TEXT(from, 5),                \
        .foreground = TEXT(from, 6), .hidden = NUMBER(from, 7), .selected = NUMBER(from, 8),       \
        .gone = NUMBER(from, 9), .reminders = TEXT(from, 10), .notices = TEXT(from, 11),           \
        .updated_us = NUMBER(from, 12), .change = NUMBER(from, 13)                                 \
    }

/* All but the calendar, of which only the id is filled. */
static void read_listing(struct tx *tx, sqlite3_stmt *st, struct cal_listing *ret)
{
#define STRING(from, at) tx_string(tx, from, at)
    *ret = LISTING_FROM(st, sqlite3_column_int64, STRING);
#undef STRING
}

int cal_listing_find(struct tx *tx, const struct actor *who, const struct calendar *cal,
                     struct cal_listing *ret)
{
    static struct sql_text q =
        SQL_TEXT("select " COLUMNS " from cal_listing where actor = :actor and calendar = :cal");
    static struct record_text index = INDEX_TEXT("sqlite_autoindex_cal_listing_1", "rowid"),
                              table = RECORD_TEXT("cal_listing", COLUMNS);
    struct record row = {.arena = tx->arena};
    int r = TX_SCAN_ROW(tx, &index, &table, &row, who->id, cal->id);
    if (r == 1) {
        *ret = LISTING_FROM(&row, record_int, record_text);
        ret->cal = *cal;
    }
    if (r != RECORD_STATEMENT)
        return r;
    sqlite3_stmt *st = TX_QUERY(tx, &q, who->id, cal->id);
    if (!st)
        return -1;
    r = TX_STEP(tx, st);
    if (r == 1) {
        read_listing(tx, st, ret);
        ret->cal = *cal;
        sql_done(st);
    }
    return r;
}

static void bind_fields(sqlite3_stmt *st, int at, const struct cal_listing *l)
{
    sql_bind_text(st, at, l->name);
    sql_bind_text(st, at + 1, l->color);
    sql_bind_text(st, at + 2, l->background);
    sql_bind_text(st, at + 3, l->foreground);
    sql_bind_int(st, at + 4, l->hidden);
    sql_bind_int(st, at + 5, l->selected);
    sql_bind_text(st, at + 6, l->reminders);
    sql_bind_text(st, at + 7, l->notices);
}

int cal_listing_add(struct tx *tx, struct cal_listing *l)
{
    static struct sql_text q = SQL_TEXT(
        "insert into cal_listing (actor, calendar, name, color, background, foreground, hidden, "
        "selected, reminders, notices, updated_us, change) values (:actor, :calendar, :name, "
        ":color, :background, :foreground, :hidden, :selected, :reminders, :notices, :now, "
        ":change) on conflict (actor, calendar) do update set name = excluded.name, "
        "color = excluded.color, background = excluded.background, "
        "foreground = excluded.foreground, hidden = excluded.hidden, "
        "selected = excluded.selected, reminders = excluded.reminders, "
        "notices = excluded.notices, gone = 0, "
        "updated_us = max(excluded.updated_us, updated_us + 1), change = excluded.change "
        "returning id, updated_us");
    if (calendar_change(tx, &l->change) < 0)
        return -1;
    sqlite3_stmt *st = TX_QUERY(tx, &q, l->actor, l->cal.id);
    if (!st)
        return -1;
    bind_fields(st, 3, l);
    sql_bind_int(st, 11, tx->now_us);
    sql_bind_int(st, 12, l->change);
    int r = TX_STEP(tx, st);
    if (r < 0)
        return -1;
    l->id = sqlite3_column_int64(st, 0);
    l->updated_us = sqlite3_column_int64(st, 1);
    l->gone = false;
    sql_done(st);
    event_note(tx, CHANGED_LIST, OP_ADDED, l->actor, l->id);
    return 0;
}

int cal_listing_save(struct tx *tx, const struct cal_listing *old, struct cal_listing *l)
{
    static struct sql_text q =
        SQL_TEXT("update cal_listing set name = :name, color = :color, background = :background, "
                 "foreground = :foreground, hidden = :hidden, selected = :selected, "
                 "reminders = :reminders, notices = :notices, gone = :gone, "
                 "updated_us = :updated, change = :change where id = :id");
    if (str_same(old->name, l->name) && str_same(old->color, l->color) &&
        str_same(old->background, l->background) && str_same(old->foreground, l->foreground) &&
        old->hidden == l->hidden && old->selected == l->selected && old->gone == l->gone &&
        str_same(old->reminders, l->reminders) && str_same(old->notices, l->notices))
        return 0;
    l->updated_us = calendar_touch(tx, old->updated_us);
    if (calendar_change(tx, &l->change) < 0)
        return -1;
    event_note(tx, CHANGED_LIST,
               l->gone     ? OP_REMOVED
               : old->gone ? OP_ADDED
                           : OP_CHANGED,
               l->actor, l->id);
    sqlite3_stmt *st = TX_PLAIN(tx, &q);
    if (!st)
        return -1;
    bind_fields(st, 1, l);
    sql_bind_int(st, 9, l->gone);
    sql_bind_int(st, 10, l->updated_us);
    sql_bind_int(st, 11, l->change);
    sql_bind_int(st, 12, l->id);
    return sql_run(tx->db, st, tx->err);
}

int cal_listing_remove(struct tx *tx, struct cal_listing *l)
{
    struct cal_listing old = *l;
    l->gone = true;
    return cal_listing_save(tx, &old, l);
}

int cal_listings_without_right(struct tx *tx, const struct calendar *cal)
{
    static struct sql_text q =
        SQL_TEXT("select " COLUMNS " from cal_listing where calendar = :calendar and gone = 0 "
                 "and id > :after order by id limit 1");
    for (int64_t after = 0;;) {
        struct cal_listing l;
        struct actor who;
        enum cal_role role = CAL_NONE;
        sqlite3_stmt *st = TX_QUERY(tx, &q, cal->id, after);
        if (!st)
            return -1;
        int r = TX_STEP(tx, st);
        if (r != 1)
            return r;
        read_listing(tx, st, &l);
        sql_done(st);
        after = l.id;
        r = actor_by_id(tx, l.actor, &who);
        if (r < 0 || (r && calendar_role(tx, cal, &who, &role) < 0) ||
            (role == CAL_NONE && cal_listing_remove(tx, &l) < 0))
            return -1;
    }
}

int cal_listing_list(struct tx *tx, const struct actor *who, int64_t after, size_t limit,
                     struct cal_listing **ret, size_t *ret_n)
{
    static struct sql_text q =
        SQL_TEXT("select " COLUMNS " from cal_listing where actor = :actor and change > :after "
                 "order by change, id limit :limit");
    struct cal_listing *list = arena_calloc(tx->arena, limit ? limit : 1, sizeof *list);
    size_t n = 0;
    sqlite3_stmt *st = TX_QUERY(tx, &q, who->id, after, (int64_t)limit);
    if (!st)
        return -1;
    int r;
    while ((r = TX_STEP(tx, st)) == 1)
        read_listing(tx, st, &list[n++]);
    for (size_t i = 0; r == 0 && i < n; i++) {
        r = calendar_by_id(tx, list[i].cal.id, &list[i].cal);
        if (r == 1)
            r = calendar_role(tx, &list[i].cal, who, &list[i].cal.role);
        if (r == 0)
            r = holidays_seen_by(tx, &list[i].cal, who);
        list[i].gone |= list[i].cal.gone || list[i].cal.role == CAL_NONE;
    }
    *ret = list;
    *ret_n = n;
    return r;
}
