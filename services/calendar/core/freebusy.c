/* SPDX-License-Identifier: Apache-2.0 */
#include "services/calendar/core/freebusy.h"
#include "services/calendar/core/event/event_impl.h"
#include "services/calendar/core/list.h"
#include "services/calendar/core/event/series.h"
#include <stdlib.h>

struct collector {
    struct tx *tx;
    const struct calendar *cal;
    int64_t min_us, max_us;
    struct busy *list;
    size_t n, cap;
};

/* event_blocks() */
#define BLOCKS "busy not in (1, 4)"

static int add(struct collector *c, bool all_day, int64_t start_us, int64_t end_us)
{
    if (c->n == FREEBUSY_MAX)
        return cal_fail(c->tx, CAL_TOO_MANY, "too many events in this time");
    c->list = arena_grow(c->tx->arena, c->list, c->n, &c->cap, sizeof *c->list);
    if (!c->list)
        return sosia_fail_memory(c->tx->err);
    c->list[c->n++] = (struct busy){cal_event_instant(c->cal->tz, all_day, start_us),
                                    cal_event_instant(c->cal->tz, all_day, end_us)};
    return 0;
}

/* The bounds in the terms of all-day events. */
static void bounds(const struct collector *c, bool all_day, int64_t *ret_min, int64_t *ret_max)
{
    *ret_min = c->min_us;
    *ret_max = c->max_us;
    if (all_day) {
        *ret_min += tz_offset(c->cal->tz, c->min_us / US_PER_SECOND) * US_PER_SECOND;
        *ret_max += tz_offset(c->cal->tz, c->max_us / US_PER_SECOND) * US_PER_SECOND;
    }
}

static int add_rows(struct collector *c, int span)
{
    static struct sql_text q = SQL_TEXT(
        "select start_us, end_us from cal_event where calendar = :calendar and span = :span "
        "and start_us >= :from and start_us < :max and end_us > :min and " BLOCKS " and "
        "response <> 2");
    bool all_day = span & SPAN_ALL_DAY;
    int64_t longest = cal_event_span_longest(span), min, max;
    bounds(c, all_day, &min, &max);
    sqlite3_stmt *st = TX_QUERY(c->tx, &q, c->cal->id, span,
                                longest == INT64_MAX ? INT64_MIN : min - longest, max, min);
    if (!st)
        return -1;
    int r;
    while ((r = TX_STEP(c->tx, st)) == 1) {
        if (add(c, all_day, sqlite3_column_int64(st, 0), sqlite3_column_int64(st, 1)) < 0) {
            sql_done(st);
            return -1;
        }
    }
    return r;
}

static int add_series(struct collector *c, int span)
{
    static struct sql_text q = SQL_TEXT(
        "select id, start_us, len_us, zone, recurrence, n_instances from cal_event "
        "where calendar = :calendar and span = :span and start_us < :max and end_us > :min "
        "and " BLOCKS " and response <> 2");
    bool all_day = span == SPAN_SERIES_DAYS;
    int64_t min, max;
    bounds(c, all_day, &min, &max);
    struct series *s = arena_alloc(c->tx->arena, sizeof *s);
    sqlite3_stmt *st = TX_QUERY(c->tx, &q, c->cal->id, span, max, min);
    if (!st)
        return -1;
    int r;
    while ((r = TX_STEP(c->tx, st)) == 1) {
        struct cal_event ev = {.id = sqlite3_column_int64(st, 0),
                               .form = EVENT_SERIES,
                               .start_us = sqlite3_column_int64(st, 1),
                               .len_us = sqlite3_column_int64(st, 2),
                               .all_day = all_day,
                               .zone = (const char *)sqlite3_column_text(st, 3),
                               .recurrence = (const char *)sqlite3_column_text(st, 4),
                               .n_instances = sqlite3_column_int(st, 5)};
        int64_t start;
        r = series_open(c->tx, c->cal, &ev, min - ev.len_us + 1, max, s);
        while (r == 0 && series_next(s, &start))
            r = add(c, all_day, start, start + ev.len_us);
        if (r < 0) {
            sql_done(st);
            return -1;
        }
    }
    return r;
}

static int busy_by_start(const void *pa, const void *pb)
{
    const struct busy *a = pa, *b = pb;
    if (a->start_us != b->start_us)
        return a->start_us < b->start_us ? -1 : 1;
    return a->end_us < b->end_us ? -1 : a->end_us > b->end_us;
}

int freebusy_list(struct tx *tx, const struct calendar *cal, int64_t min_us, int64_t max_us,
                  struct busy **ret, size_t *ret_n)
{
    struct collector c = {.tx = tx, .cal = cal, .min_us = min_us, .max_us = max_us};
    size_t n = 0;
    for (int span = -1;;) {
        if (cal_event_next_span(tx, cal->id, span, &span) < 0)
            return -1;
        if (span < 0 || span >= SPAN_CANCELLED)
            break;
        if ((span & SPAN_SERIES ? add_series(&c, span) : add_rows(&c, span)) < 0)
            return -1;
    }
    if (c.n)
        qsort(c.list, c.n, sizeof *c.list, busy_by_start);
    for (size_t i = 0; i < c.n; i++) {
        if (n && c.list[i].start_us <= c.list[n - 1].end_us) {
            if (c.list[i].end_us > c.list[n - 1].end_us)
                c.list[n - 1].end_us = c.list[i].end_us;
        } else {
            c.list[n++] = c.list[i];
        }
    }
    *ret = c.list;
    *ret_n = n;
    return 0;
}

/* ---- rooms ---- */

struct meeting {
    struct tx *tx;
    const char *except; /* the key of the event itself, and of its series */
    bool found;
};

static int meet(void *arg, struct cal_event *ev, const struct record *row)
{
    struct meeting *m = arg;
    if (event_blocks(ev) && ev->status != EVENT_CANCELLED && ev->response != RESPONSE_DECLINED &&
        strcmp(cal_event_series_key(m->tx, ev), m->except) != 0)
        m->found = true;
    return m->found;
}

static int look(struct meeting *m, const struct calendar *cal, int64_t min_us, int64_t max_us)
{
    struct cal_event_query q = {.min_us = min_us,
                                .max_us = max_us,
                                .single = true,
                                .order = ORDER_START,
                                .updated_min_us = INT64_MIN,
                                .changed = -1,
                                .limit = SIZE_MAX};
    const char *position;
    return cal_event_list(m->tx, cal, &q, meet, m, &position);
}

/* How many instances of a series are checked for a room. */
#define ROOM_INSTANCES 60

int cal_event_collides(struct tx *tx, int64_t calendar, const struct cal_event *ev, bool *ret)
{
    struct meeting m = {.tx = tx, .except = cal_event_series_key(tx, ev)};
    struct calendar cal, own;
    struct series *s;
    int64_t start;
    int r = calendar_by_id(tx, calendar, &cal);
    if (r == 1)
        r = calendar_by_id(tx, ev->calendar, &own);
    *ret = false;
    if (r != 1)
        return r;
    if (ev->form != EVENT_SERIES) {
        r = look(&m, &cal, cal_event_instant(cal.tz, ev->all_day, ev->start_us),
                 cal_event_instant(cal.tz, ev->all_day, event_end(ev)));
        *ret = m.found;
        return r;
    }
    s = arena_calloc(tx->arena, 1, sizeof *s);
    if (series_open(tx, &own, ev, INT64_MIN, INT64_MAX, s) < 0)
        return -1;
    for (int i = 0; i < ROOM_INSTANCES && !m.found && series_next(s, &start); i++)
        if (look(&m, &cal, cal_event_instant(cal.tz, ev->all_day, start),
                 cal_event_instant(cal.tz, ev->all_day, start + ev->len_us)) < 0)
            return -1;
    *ret = m.found;
    return 0;
}
