/* SPDX-License-Identifier: Apache-2.0 */
/* What rows of calendars must keep to besides their tables' constraints. Only imported worlds are
 * asked: whatever is written here keeps to it. */
#include "services/calendar/core/check.h"
#include "services/calendar/core/event/series.h"

/* Microseconds of the years 1 to 9999, and the longest time between two of them. */
#define NO_TIME(column)   column " not between -62135596800000000 and 253402300799999999"
#define NO_LENGTH(column) column " not between 0 and 315537897599999999"
#define NO_COUNT(column)  column " not between 0 and 1099511627776"
#define NO_TRUTH(column)  column " not in (0, 1)"
/* Null is none. */
#define NO_JSON(column, type)                                                                      \
    "case when " column " is null then 0 when json_valid(" column ") then json_type(" column       \
    ") <> '" type "' else 1 end"

/* event_span(), which lists rely on. */
#define SPAN_OF_ROW                                                                                \
    "case when form = 1 then 32 + all_day else 16 * all_day + case when len_us <= 90000000000 "    \
    "then 0 when len_us <= 2880000000000 then 1 when len_us <= 92160000000000 then 2 "             \
    "when len_us <= 2949120000000000 then 3 else 4 end end + 64 * (status = 2)"

/* An actor without an address can't be told of in a dump of these. */
#define NO_ADDRESS(column) "(select a.email from ident_actor a where a.id = " column ") is null"

const struct core_rule calendar_rules[] = {
    {"calendar", NO_ADDRESS("owner")},
    {"listing", NO_ADDRESS("actor")},
    {"calendar_setting", NO_ADDRESS("actor")},
    {"calendar", NO_TRUTH("main")},
    {"calendar", NO_TRUTH("gone")},
    {"calendar", NO_JSON("extra", "object")},
    {"calendar", NO_TIME("created_us")},
    {"calendar", NO_TIME("updated_us")},
    {"calendar", NO_TIME("newest_us")},
    {"calendar", NO_COUNT("change")},
    {"calendar", NO_COUNT("newest")},
    {"access", "kind not between 1 and 4"},
    {"access", "role not between 0 and 4"},
    {"access", NO_TIME("updated_us")},
    {"access", NO_COUNT("change")},
    {"listing",
     "calendar > 0 and not exists (select 1 from calendar c where c.id = listing.calendar)"},
    {"listing", NO_TRUTH("hidden")},
    {"listing", NO_TRUTH("selected")},
    {"listing", NO_TRUTH("gone")},
    {"listing", NO_JSON("reminders", "array")},
    {"listing", NO_JSON("notices", "array")},
    {"listing", NO_TIME("updated_us")},
    {"listing", NO_COUNT("change")},
    {"calendar_setting", NO_TIME("updated_us")},
    {"calendar_setting", NO_COUNT("change")},
    {"event", "form not between 0 and 2"},
    {"event", "status not between 0 and 2"},
    {"event", "kind not between 0 and 5"},
    {"event", "visibility not between 0 and 3"},
    {"event", "response not between 0 and 4"},
    {"event", "rights not between 0 and 127 and (rights not between 128 and 767 or "
              "rights & 128 = 0 or status <> 2 or form <> 2)"},
    {"event", NO_TRUTH("all_day")},
    {"event", NO_TRUTH("free")},
    {"event", NO_TRUTH("removed")},
    {"event", NO_TIME("start_us")},
    {"event", NO_LENGTH("len_us")},
    {"event", NO_TIME("start_us + len_us")},
    {"event", "end_us < start_us"},
    {"event", "span <> " SPAN_OF_ROW},
    {"event", NO_TIME("created_us")},
    {"event", NO_TIME("updated_us")},
    {"event", NO_COUNT("change")},
    {"event", "sequence not between 0 and 2147483647"},
    {"event", "n_attendees not between 0 and 1000000"},
    {"event", "n_instances not between 0 and 1000000"},
    {"event", "(form = 1) <> (recurrence is not null)"},
    {"event", "form = 2 and (original_us is null or original_day is null)"},
    {"event", "original_us is not null and " NO_TIME("original_us")},
    {"event", "original_day is not null and " NO_TRUTH("original_day")},
    {"event", "origin is not null and exists (select 1 from event o where o.id = event.origin and "
              "o.origin is not null)"},
    {"event", "master is not null and (form <> 2 or exists (select 1 from event m where "
              "m.id = event.master and (m.form <> 1 or m.calendar <> event.calendar)))"},
    {"event", NO_JSON("reminders", "array")},
    {"event", NO_JSON("own_props", "object")},
    {"event", NO_JSON("props", "object")},
    {"event", NO_JSON("extra", "object")},
    {"attendee", "response not between 1 and 4"},
    {"attendee", NO_TRUTH("optional")},
    {"attendee", NO_TRUTH("resource")},
    {"attendee", "guests not between 0 and 2147483647"},
    {NULL, NULL},
};

/* A series must have rules that can be read. */
static int check_series(struct tx *tx, int64_t id)
{
    struct event ev;
    struct calendar cal;
    const struct recur *recur;
    int r = event_by_id(tx, id, &ev);
    if (r == 1)
        r = calendar_by_id(tx, ev.calendar, &cal);
    return r == 1 ? series_parse(tx, &cal, &ev, &recur) : r;
}

int calendar_check(struct tx *tx)
{
    static struct sql_text q = SQL_TEXT("select id from event where form = 1");
    sqlite3_stmt *st = sql_use(tx->db, &q);
    if (!st)
        return slot_fail(tx->db, tx->err);
    int r;
    while ((r = sql_step(tx->db, st, tx->err)) == 1) {
        if (check_series(tx, sqlite3_column_int64(st, 0)) < 0) {
            sql_done(st);
            return -1;
        }
    }
    return r;
}
