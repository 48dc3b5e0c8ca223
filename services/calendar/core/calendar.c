/* SPDX-License-Identifier: Apache-2.0 */
/* Calendars: finding, opening for someone, making, changing and deleting them. */
#include "engine/base/codec.h"
#include "engine/store/scan.h"
#include "services/calendar/core/event/event.h"
#include "engine/world/event.h"
#include "services/calendar/core/holiday.h"

#define COLUMNS                                                                                    \
    "id, key, owner, main, summary, description, location, zone, extra, gone, created_us, "        \
    "updated_us, change, newest, newest_us"

#define CALENDAR_FROM(from, NUMBER, TEXT)                                                          \
    (struct calendar)                                                                              \
    {                                                                                              \
        .id = NUMBER(from, 0), .key = TEXT(from, 1), .owner = NUMBER(from, 2),                     \
        .main = NUMBER(from, 3), .summary = TEXT(from, 4), .description = TEXT(from, 5),           \
        .location = TEXT(from, 6), .zone = TEXT(from, 7), .extra = TEXT(from, 8),                  \
        .gone = NUMBER(from, 9), .created_us = NUMBER(from, 10), .updated_us = NUMBER(from, 11),   \
        .change = NUMBER(from, 12), .newest = NUMBER(from, 13), .newest_us = NUMBER(from, 14)      \
    }

static int with_zone(struct tx *tx, struct calendar *cal)
{
    cal->tz = tz_find(cal->zone);
    if (!cal->tz)
        return tx_fail(tx, SOSIA_E_INTERNAL, NULL, NULL, "calendar %s has no zone \"%s\"", cal->key,
                       cal->zone);
    return 1;
}

static int read_calendar(struct tx *tx, sqlite3_stmt *st, struct calendar *ret)
{
    int r = TX_STEP(tx, st);
    if (r != 1)
        return r;
#define STRING(from, at) tx_string(tx, from, at)
    *ret = CALENDAR_FROM(st, sqlite3_column_int64, STRING);
#undef STRING
    sql_done(st);
    return with_zone(tx, ret);
}

int calendar_change(struct tx *tx, int64_t *ret)
{
    return tx_number(tx, "calendar change", ret);
}

int calendar_by_key(struct tx *tx, const char *key, struct calendar *ret)
{
    static struct sql_text q =
        SQL_TEXT("select " COLUMNS " from cal_calendar where key = :key and gone = 0");
    static struct record_text index = INDEX_TEXT("sqlite_autoindex_cal_calendar_1", "rowid"),
                              table = RECORD_TEXT("cal_calendar", COLUMNS);
    struct record row = {.arena = tx->arena};
    if (strchr(key, '#') && holidays_by_key(tx, key, ret))
        return 1;
    int r = TX_SCAN_ROW(tx, &index, &table, &row, key);
    if (r == 1 && record_int(&row, 9))
        return 0;
    if (r == 1)
        *ret = CALENDAR_FROM(&row, record_int, record_text);
    if (r != RECORD_STATEMENT)
        return r == 1 ? with_zone(tx, ret) : r;
    sqlite3_stmt *st = TX_QUERY(tx, &q, key);
    if (!st)
        return -1;
    return read_calendar(tx, st, ret);
}

int calendar_by_id(struct tx *tx, int64_t id, struct calendar *ret)
{
    static struct sql_text q = SQL_TEXT("select " COLUMNS " from cal_calendar where id = :id");
    if (id < 0)
        return holidays_by_id(tx, id, ret);
    sqlite3_stmt *st = TX_QUERY(tx, &q, id);
    if (!st)
        return -1;
    return read_calendar(tx, st, ret);
}

int calendar_of(struct tx *tx, int64_t actor, struct calendar *ret)
{
    static struct sql_text q = SQL_TEXT(
        "select " COLUMNS " from cal_calendar where owner = :owner and main = 1 and gone = 0");
    sqlite3_stmt *st = TX_QUERY(tx, &q, actor);
    if (!st)
        return -1;
    return read_calendar(tx, st, ret);
}

/* ---- roles ---- */

int calendar_role(struct tx *tx, const struct calendar *cal, const struct actor *who,
                  enum cal_role *ret)
{
    static struct sql_text q =
        SQL_TEXT("select kind, who, role from cal_access where calendar = :calendar and role > 0");
    enum cal_role best = CAL_NONE;
    if (calendar_is_holidays(cal)) {
        *ret = CAL_READ;
        return 0;
    }
    if (cal->owner == who->id) {
        *ret = CAL_OWN;
        return 0;
    }
    sqlite3_stmt *st = TX_QUERY(tx, &q, cal->id);
    if (!st)
        return -1;
    int r;
    while ((r = TX_STEP(tx, st)) == 1) {
        enum cal_access_kind kind = (enum cal_access_kind)sqlite3_column_int(st, 0);
        const char *rule = (const char *)sqlite3_column_text(st, 1);
        enum cal_role role = (enum cal_role)sqlite3_column_int(st, 2);
        bool meant = kind == ACCESS_ALL;
        if (role <= best)
            continue;
        if (kind == ACCESS_PERSON)
            meant = strcmp(rule, who->email) == 0;
        else if (kind == ACCESS_DOMAIN)
            meant = strcmp(rule, email_domain(who->email)) == 0;
        else if (kind == ACCESS_GROUP) {
            struct group g;
            int in = group_by_email(tx, rule, &g);
            if (in == 1)
                in = group_has_member(tx, g.id, who->email);
            if (in < 0) {
                sql_done(st);
                return -1;
            }
            meant = in == 1;
        }
        if (meant)
            best = role;
    }
    if (r < 0)
        return -1;
    *ret = best;
    return 0;
}

int calendar_open(struct tx *tx, const struct actor *who, const char *key, enum cal_role need,
                  struct calendar *ret)
{
    static const char *const names[] = CAL_ROLE_NAMES;
    int r = calendar_by_key(tx, key, ret);
    if (r < 0 || (r && calendar_role(tx, ret, who, &ret->role) < 0))
        return -1;
    if (!r || ret->role == CAL_NONE)
        return tx_fail(tx, SOSIA_E_NOT_FOUND, "notFound", NULL, "there is no such calendar");
    if (ret->role < need)
        return tx_fail(tx, SOSIA_E_FORBIDDEN, "requiredAccessLevel", names[need],
                       "%s access to this calendar is needed", names[need]);
    return holidays_seen_by(tx, ret, who);
}

/* ---- changes ---- */

int calendar_add(struct tx *tx, struct calendar *cal)
{
    static struct sql_text q = SQL_TEXT(
        "insert into cal_calendar (key, owner, main, summary, description, location, zone, extra, "
        "created_us, updated_us, change) values (:key, :owner, 0, :summary, :description, "
        ":location, :zone, :extra, :now, :now, :change)");
    struct cal_listing l = {.actor = cal->owner, .selected = true};
    if (!cal->key) {
        uint8_t id[32];
        char hex[65];
        if (tx_id(tx, "calendar", id, sizeof id) < 0)
            return -1;
        hex_encode(hex, id, sizeof id);
        cal->key = arena_printf(tx->arena, "c_%s@" CAL_KEY_DOMAIN, hex);
    }
    if (!cal->zone)
        cal->zone = "UTC";
    cal->tz = tz_find(cal->zone);
    cal->created_us = cal->updated_us = tx->now_us;
    if (calendar_change(tx, &cal->change) < 0)
        return -1;
    if (TX_RUN(tx, &q, cal->key, cal->owner, cal->summary, cal->description, cal->location,
               cal->zone, cal->extra, tx->now_us, cal->change) < 0)
        return -1;
    cal->id = sqlite3_last_insert_rowid(slot_db(tx->db));
    cal->role = CAL_OWN;
    l.cal = *cal;
    return cal_listing_add(tx, &l);
}

static int drop_listings(struct tx *tx, int64_t calendar)
{
    static struct sql_text q_who =
        SQL_TEXT("select actor from cal_listing where calendar = :calendar and gone = 0");
    static struct sql_text q =
        SQL_TEXT("update cal_listing set change = :change, gone = 1, "
                 "updated_us = max(:now, updated_us + 1) where calendar = :calendar and gone = 0");
    int64_t change;
    if (calendar_change(tx, &change) < 0)
        return -1;
    sqlite3_stmt *st = TX_QUERY(tx, &q_who, calendar);
    if (!st)
        return -1;
    int r;
    while ((r = TX_STEP(tx, st)) == 1)
        event_note(tx, CHANGED_LIST, OP_REMOVED, sqlite3_column_int64(st, 0), 0);
    if (r < 0)
        return -1;
    st = TX_QUERY(tx, &q, change, tx->now_us, calendar);
    if (!st)
        return -1;
    return sql_run(tx->db, st, tx->err);
}

int calendar_save(struct tx *tx, const struct calendar *old, struct calendar *cal)
{
    static struct sql_text q =
        SQL_TEXT("update cal_calendar set owner = :owner, summary = :summary, "
                 "description = :description, location = :location, zone = :zone, extra = :extra, "
                 "updated_us = :updated, change = :change where id = :id");
    if (old->owner == cal->owner && str_same(old->summary, cal->summary) &&
        str_same(old->description, cal->description) && str_same(old->location, cal->location) &&
        str_same(old->zone, cal->zone) && str_same(old->extra, cal->extra))
        return 0;
    cal->updated_us = calendar_touch(tx, old->updated_us);
    cal->tz = tz_find(cal->zone);
    if (calendar_change(tx, &cal->change) < 0)
        return -1;
    return TX_RUN(tx, &q, cal->owner, cal->summary, cal->description, cal->location, cal->zone,
                  cal->extra, cal->updated_us, cal->change, cal->id);
}

static int run_on(struct tx *tx, struct sql_text *q, int64_t calendar)
{
    return TX_RUN(tx, q, calendar);
}

int calendar_clear(struct tx *tx, const struct calendar *cal)
{
    return cal_event_cancel_all(tx, cal);
}

int calendar_delete(struct tx *tx, const struct calendar *cal)
{
    static struct sql_text q_gone =
        SQL_TEXT("update cal_calendar set gone = 1 where id = :calendar");
    static struct sql_text q_access = SQL_TEXT("delete from cal_access where calendar = :calendar");
    if (cal_event_cancel_all(tx, cal) < 0 || drop_listings(tx, cal->id) < 0)
        return -1;
    return run_on(tx, &q_access, cal->id) < 0 ? -1 : run_on(tx, &q_gone, cal->id);
}
