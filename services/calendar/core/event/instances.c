/* SPDX-License-Identifier: Apache-2.0 */
/* What changes many rows of a series at once. */
#include "services/calendar/core/event/event_impl.h"
#include "engine/world/event.h"

int cal_event_drop_trace(struct tx *tx, const struct cal_event *ev)
{
#define TRACE                                                                                      \
    "(select id from cal_event where calendar = :calendar and key = :key and form = 2 "            \
    "and master is null and status = 2)"
    static struct sql_text q_guests = SQL_TEXT("delete from cal_attendee where event in " TRACE);
    static struct sql_text q_copies = SQL_TEXT("delete from cal_event where origin in " TRACE);
    static struct sql_text q = SQL_TEXT("delete from cal_event where id in " TRACE);
    struct sql_text *queries[] = {&q_guests, &q_copies, &q};
    for (size_t i = 0; i < SOSIA_LEN(queries); i++) {
        if (TX_RUN(tx, queries[i], ev->calendar, ev->key) < 0)
            return -1;
    }
    return 0;
}

int cal_event_touch_series(struct tx *tx, int64_t series, int64_t updated_us, int64_t change)
{
    static struct sql_text q =
        SQL_TEXT("update cal_event set updated_us = :updated, change = :change "
                 "where id = :series or master = :series");
    return TX_RUN(tx, &q, updated_us, change, series);
}

int cal_event_count_instances(struct tx *tx, int64_t series)
{
    static struct sql_text q =
        SQL_TEXT("update cal_event set n_instances = (select count(*) from cal_event i "
                 "where i.master = :series) where id = :series");
    return TX_RUN(tx, &q, series);
}

int cal_event_count_copied(struct tx *tx, int64_t series)
{
    static struct sql_text q =
        SQL_TEXT("update cal_event set n_instances = (select count(*) from cal_event i "
                 "where i.master = cal_event.id) where origin = :series");
    return TX_RUN(tx, &q, series);
}

/* Guests of single instances, who have no series for the copy to go with: it is cancelled.
 * follow: it may come back, else it is a single event. */
static int cancel_copies(struct tx *tx, int64_t series, bool follow)
{
#define ALONE "master is null and origin in (select id from cal_event where master = :series)"
    static struct sql_text q_any = SQL_TEXT("select 1 from cal_event where " ALONE " limit 1");
    static struct sql_text q_noted =
        SQL_TEXT("update cal_calendar set newest = :change, newest_us = max(newest_us, :now) "
                 "where id in (select calendar from cal_event where " ALONE ") returning id");
    static struct sql_text q =
        SQL_TEXT("update cal_event set updated_us = iif(status = 2, updated_us, "
                 "max(:now, updated_us + 1)), change = :change, "
                 "origin = iif(:follow, origin, null), status = 2, span = span | 64, "
                 "response = 0, n_attendees = 0 where " ALONE);
    int64_t change;
    int r;
    sqlite3_stmt *st = TX_QUERY(tx, &q_any, series);
    if (!st)
        return -1;
    r = TX_STEP(tx, st);
    if (r != 1)
        return r;
    sql_done(st);
    if (calendar_change(tx, &change) < 0)
        return -1;
    st = TX_QUERY(tx, &q_noted, change, tx->now_us, series);
    if (!st)
        return -1;
    while ((r = TX_STEP(tx, st)) == 1)
        event_note(tx, CHANGED_EVENTS, OP_CHANGED, sqlite3_column_int64(st, 0), 0);
    if (r < 0)
        return -1;
    return TX_RUN(tx, &q, tx->now_us, change, follow, series);
}

int cal_event_drop_instances(struct tx *tx, int64_t series)
{
    static struct sql_text q_guests = SQL_TEXT("delete from cal_attendee where event in (select id "
                                               "from cal_event where master = :series)");
    static struct sql_text q_copies =
        SQL_TEXT("delete from cal_event where master is not null and origin in "
                 "(select id from cal_event where master = :series)");
    static struct sql_text q = SQL_TEXT("delete from cal_event where master = :series");
    struct sql_text *queries[] = {&q_guests, &q_copies, &q};
    if (cancel_copies(tx, series, false) < 0)
        return -1;
    for (size_t i = 0; i < SOSIA_LEN(queries); i++) {
        if (TX_RUN(tx, queries[i], series) < 0)
            return -1;
    }
    return cal_event_count_instances(tx, series) < 0 ? -1 : cal_event_count_copied(tx, series);
}

static int run_on_series(struct tx *tx, struct sql_text *const *queries, size_t n, int64_t series)
{
    for (size_t i = 0; i < n; i++) {
        if (TX_RUN(tx, queries[i], series) < 0)
            return -1;
    }
    return 0;
}

int cal_event_hush_instances(struct tx *tx, int64_t series)
{
    static struct sql_text q_copies =
        SQL_TEXT("delete from cal_event where master is not null and origin in "
                 "(select id from cal_event where master = :series)");
    static struct sql_text q =
        SQL_TEXT("update cal_event set rights = rights | 128 | 256 * status, status = 2, "
                 "span = span | 64 where master = :series and rights & 128 = 0");
    static struct sql_text *const queries[] = {&q_copies, &q};
    return cancel_copies(tx, series, true) < 0 ||
                   run_on_series(tx, queries, SOSIA_LEN(queries), series) < 0
               ? -1
               : cal_event_count_copied(tx, series);
}
