/* SPDX-License-Identifier: Apache-2.0 */
/* What must hold for rows of calendars besides their tables' constraints. Only imported worlds
 * are checked: rows that are written here fulfil it. */
#include "services/calendar/core/check.h"
#include "identity/sql.h"
#include "services/calendar/core/event/series.h"
#include "services/calendar/core/vendor.h"

/* Microseconds of the years 1 to 9999, and the longest time between two of them. */
#define NO_TIME(column)   column " not between -62135596800000000 and 253402300799999999"
#define NO_LENGTH(column) column " not between 0 and 315537897599999999"
#define NO_COUNT(column)  column " not between 0 and 1099511627776"
#define NO_TRUTH(column)  column " not in (0, 1)"
/* Null is none. */
#define NO_JSON(column, type)                                                                      \
    "case when " column " is null then 0 when json_valid(" column ") then json_type(" column       \
    ") <> '" type "' else 1 end"

/* cal_event_span(), which lists rely on. */
#define SPAN_OF_ROW                                                                                \
    "case when form = 1 then 32 + all_day else 16 * all_day + case when len_us <= 90000000000 "    \
    "then 0 when len_us <= 2880000000000 then 1 when len_us <= 92160000000000 then 2 "             \
    "when len_us <= 2949120000000000 then 3 else 4 end end + 64 * (status = 2)"

/* An actor without an address can't be named in a dump of these. */
#define NO_ADDRESS(column) IDENT_SQL_EMAIL(column) " is null"

const struct core_rule calendar_rules[] = {
    {"cal_calendar", "owner is not null and " NO_ADDRESS("owner")},
    {"cal_calendar", "owner is null and (main or account is not null or vendor is null or address "
                     "is not null)"},
    {"cal_calendar", "account is not null and not " IDENT_SQL_IS_ACCOUNT(
                         "cal_calendar.account", "cal_calendar.owner", "cal_calendar.vendor")},
    {"cal_calendar", NO_TRUTH("main")},
    {"cal_calendar", NO_TRUTH("gone")},
    {"cal_calendar", NO_JSON("extra", "object")},
    {"cal_calendar", NO_TIME("created_us")},
    {"cal_calendar", NO_TIME("updated_us")},
    {"cal_calendar", NO_TIME("newest_us")},
    {"cal_calendar", NO_COUNT("change")},
    {"cal_calendar", NO_COUNT("newest")},
    {"cal_access", "kind not between 1 and 4"},
    {"cal_access", "role not between 0 and 4"},
    {"cal_access", "beyond not between 0 and 7"},
    {"cal_access", "beyond & 1 and role <> 1"},
    {"cal_access", "beyond & 6 and role <> 3"},
    {"cal_access", NO_TIME("updated_us")},
    {"cal_access", NO_COUNT("change")},
    {"cal_event", "form not between 0 and 2"},
    {"cal_event", "status not between 0 and 2"},
    {"cal_event", "kind not between 0 and 5"},
    {"cal_event", "visibility not between 0 and 4"},
    {"cal_event", "response not between 0 and 4"},
    {"cal_event", "rights not between 0 and 4095 or (rights & ~3072 not between 0 and 127 and "
                  "(rights & ~3072 not between 128 and 767 or rights & 128 = 0 or status <> 2 or "
                  "form <> 2))"},
    {"cal_event",
     "(rights & 2048 <> 0) <> (substr(key || '_', 1, instr(uid, '@')) <> substr(uid, 1, "
     "instr(uid, '@') - 1) || '_')"},
    {"cal_event", "rights & 1024 = 0 and (organizer_name is not null or importance or decline or "
                  "decline_text is not null or place is not null or conference is not null or "
                  "categories is not null or reminder_on or reminder_minutes)"},
    {"cal_event", NO_TRUTH("all_day")},
    {"cal_event", "busy not between 0 and 5"},
    {"cal_event", "importance not between 0 and 2"},
    {"cal_event", "decline not between 0 and 2"},
    {"cal_event", NO_TRUTH("reminder_on")},
    {"cal_event", "reminder_minutes not between 0 and 2147483647"},
    {"cal_event", NO_JSON("categories", "array")},
    {"cal_event", "coalesce(uid, '') = ''"},
    {"cal_event", NO_TRUTH("removed")},
    {"cal_event", NO_TIME("start_us")},
    {"cal_event", NO_LENGTH("len_us")},
    {"cal_event", NO_TIME("start_us + len_us")},
    {"cal_event", "end_us < start_us"},
    {"cal_event", "span <> " SPAN_OF_ROW},
    {"cal_event", NO_TIME("created_us")},
    {"cal_event", NO_TIME("updated_us")},
    {"cal_event", NO_COUNT("change")},
    {"cal_event", "sequence not between 0 and 2147483647"},
    {"cal_event", "n_attendees not between 0 and 1000000"},
    {"cal_event", "n_instances not between 0 and 1000000"},
    {"cal_event", "(form = 1) <> (recurrence is not null)"},
    {"cal_event", "form = 2 and (original_us is null or original_day is null)"},
    {"cal_event", "original_us is not null and " NO_TIME("original_us")},
    {"cal_event", "original_day is not null and " NO_TRUTH("original_day")},
    {"cal_event",
     "origin is not null and exists (select 1 from cal_event o where o.id = cal_event.origin and "
     "o.origin is not null)"},
    {"cal_event",
     "master is not null and (form <> 2 or exists (select 1 from cal_event m where "
     "m.id = cal_event.master and (m.form <> 1 or m.calendar <> cal_event.calendar)))"},
    {"cal_event", NO_JSON("reminders", "array")},
    {"cal_event", NO_JSON("own_props", "object")},
    {"cal_event", NO_JSON("props", "object")},
    {"cal_event", NO_JSON("extra", "object")},
    {"cal_attendee", "email = ''"},
    {"cal_attendee", "response not between 1 and 4"},
    {"cal_attendee", NO_TRUTH("optional")},
    {"cal_attendee", NO_TRUTH("resource")},
    {"cal_attendee", "guests not between 0 and 2147483647"},
    {"cal_attendee", NO_TIME("answered_us")},
    {"cal_attendee", NO_TIME("proposed_us")},
    {"cal_attendee", NO_TIME("proposed_end_us")},
    {NULL, NULL},
};

/* A series must have rules that can be read. */
static int check_series(struct tx *tx, int64_t id)
{
    struct cal_event ev;
    struct calendar cal;
    const struct recur *recur;
    int r = cal_event_by_id(tx, id, &ev);
    if (r == 1)
        r = calendar_by_id(tx, ev.calendar, &cal);
    return r == 1 ? series_parse(tx, &cal, &ev, &recur) : r;
}

/* A calendar has a vendor that the engine has. */
static int check_vendors(struct tx *tx)
{
    static struct sql_text q =
        SQL_TEXT("select distinct vendor from cal_calendar where vendor is not null");
    sqlite3_stmt *st = TX_PLAIN(tx, &q);
    if (!st)
        return -1;
    int r;
    while ((r = TX_STEP(tx, st)) == 1) {
        const char *name = (const char *)sqlite3_column_text(st, 0);
        if (strcmp(cal_vendor_named(tx, name)->name, name) != 0) {
            tx_fail(tx, SOSIA_E_INVALID, NULL, NULL,
                    "a calendar's vendor must be one that the engine has, not \"%.40s\"", name);
            sql_done(st);
            return -1;
        }
    }
    return r;
}

int calendar_check(struct tx *tx)
{
    static struct sql_text q = SQL_TEXT("select id from cal_event where form = 1");
    if (check_vendors(tx) < 0)
        return -1;
    sqlite3_stmt *st = TX_PLAIN(tx, &q);
    if (!st)
        return -1;
    int r;
    while ((r = TX_STEP(tx, st)) == 1) {
        if (check_series(tx, sqlite3_column_int64(st, 0)) < 0) {
            sql_done(st);
            return -1;
        }
    }
    return r;
}
