/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lists of events, in pages.
 *
 * What overlaps a stretch of time can't be read from one sorted index, for an event that starts
 * long before may not have ended. So the index event_time sorts by class of length first: events of
 * a class are at most so long, and those that overlap the stretch start in it or at most that long
 * before it. A list by start merges the classes with the walks over all series; each of these
 * streams goes forward only as far as the page needs.
 */
#include "services/calendar/core/list_impl.h"
#include "services/calendar/core/vendor.h"
#include "engine/base/codec.h"
#include "engine/world/take.h"
#include "services/calendar/core/event/event_impl.h"
#include <limits.h>
#include <stddef.h>
#include <stdio.h>

#define CHUNK 64

static int before(const struct place *a, const struct place *b)
{
    if (a->at != b->at)
        return a->at < b->at;
    if (a->end != b->end)
        return a->end < b->end;
    return a->id < b->id;
}

/* ---- filters ---- */

static bool has_property(const char *json, const struct cal_event_property *list, size_t n,
                         struct arena *a)
{
    const struct json *props;
    struct sosia_err err;
    if (!n)
        return true;
    if (!json || json_parse(a, json, strlen(json), NULL, &props, &err) < 0)
        return false;
    for (size_t i = 0; i < n; i++) {
        const char *value = json_get_str(props, list[i].name);
        if (value && strcmp(value, list[i].value) == 0)
            return true;
    }
    return false;
}

/* All but time and cancellation. 1, 0, -1. */
int cal_list_wanted(struct lister *l, struct cal_event *ev)
{
    const struct cal_event_query *q = l->q;
    /* What the caller may not see must not be found out by looking for it either. */
    bool concealed = cal_event_concealed(l->cal, ev);
    if (q->kinds && !(q->kinds >> (concealed ? KIND_DEFAULT : ev->kind) & 1))
        return 0;
    if (ev->updated_us < q->updated_min_us)
        return 0;
    if (q->no_open_invitations && ev->response == RESPONSE_NONE)
        return 0;
    if (q->uid && strcmp(ev->uid, q->uid) != 0)
        return 0;
    if (concealed && (q->text || q->n_own_props || q->n_props))
        return 0;
    if (!has_property(ev->own_props, q->own_props, q->n_own_props, l->tx->arena) ||
        !has_property(ev->props, q->props, q->n_props, l->tx->arena))
        return 0;
    return q->text ? cal_event_matches(l->tx, l->cal, ev, q->text) : 1;
}

/* Whether such a list has it, cancelled or not. Without instances, a list has the cancelled ones
 * of a series that is not cancelled. */
bool cal_list_shows(const struct lister *l, const struct cal_event *ev)
{
    bool cancelled = l->q->deleted || l->q->changed >= 0 || l->q->updated_min_us != INT64_MIN;
    if (event_is_suspended(ev)) /* it is deleted with its series, which is listed for all */
        return cancelled && l->q->single;
    return ev->status != EVENT_CANCELLED || cancelled || (!l->q->single && ev->master);
}

static bool ends_in_time(const struct cal_event_query *q, int64_t end_us, int64_t min_us)
{
    return q->min_included ? end_us >= min_us : end_us > min_us;
}

/* A time in an all-day event's terms. */
static int64_t floating(const struct calendar *cal, int64_t us)
{
    if (us == INT64_MIN || us == INT64_MAX)
        return us;
    int64_t s = us / US_PER_SECOND;
    return us + tz_offset(cal->tz, s) * US_PER_SECOND;
}

static int64_t bound(const struct lister *l, bool all_day, int64_t us)
{
    return all_day ? floating(l->cal, us) : us;
}

bool cal_list_in_time(const struct lister *l, const struct cal_event *ev)
{
    return ends_in_time(l->q, ev->last_us, bound(l, ev->all_day, l->q->min_us)) &&
           ev->start_us < bound(l, ev->all_day, l->q->max_us);
}

/* 1: the page is full; -1. */
int cal_list_give(struct lister *l, struct cal_event *ev)
{
    if (l->full || l->given == l->q->limit)
        return 1;
    const struct record *row = NULL;
    if (!ev->id && l->series_row.data)
        row = &l->series_row;
    else if (ev->id && l->row.data && l->row.rowid == ev->id)
        row = &l->row;
    int r = l->fn(l->arg, ev, row);
    if (r < 0)
        return -1;
    l->full = r;
    l->given++;
    return 0;
}

/* Where a series without an end is cut when no more is requested. */
int64_t cal_list_horizon(const struct lister *l, const struct cal_event *series)
{
    int64_t at = l->tx->now_us;
    if (l->q->max_us != INT64_MAX)
        return bound(l, series->all_day, l->q->max_us);
    if (series->last_us != INT64_MAX)
        return INT64_MAX;
    if (l->q->min_us > at)
        at = l->q->min_us;
    if (series->start_us > at)
        at = series->start_us;
    return at > INT64_MAX - SERIES_HORIZON ? INT64_MAX : at + SERIES_HORIZON;
}

/* From where the instances of a series can overlap the stretch. */
int64_t cal_list_first_start(const struct lister *l, const struct cal_event *series)
{
    int64_t min = bound(l, series->all_day, l->q->min_us);
    if (min == INT64_MIN || min < INT64_MIN + series->len_us)
        return INT64_MIN;
    min -= series->len_us;
    return l->q->min_included ? min : min + 1;
}

/* ---- streams by start ---- */

static struct place place_of(const struct lister *l, bool all_day, int64_t start, int64_t end,
                             int64_t id)
{
    return (struct place){cal_event_instant(l->cal->tz, all_day, start), end, id};
}

int list_broken(const struct lister *l)
{
    return tx_fail(l->tx, SOSIA_E_INTERNAL, "corrupt", NULL, "an index of events is broken");
}

static void add_row(struct lister *l, struct stream *s, int64_t start, int64_t end, int64_t id)
{
    if (!s->rows)
        s->rows = arena_alloc(l->tx->arena, CHUNK * sizeof *s->rows);
    if (!arena_failed(l->tx->arena))
        s->rows[s->n++] = (struct row){start, end, id};
}

static int read_rows_statement(struct lister *l, struct stream *s, int64_t from_us)
{
    static struct sql_text q = SQL_TEXT(
        "select start_us, end_us, id from cal_event where calendar = :calendar and span = :span "
        "and start_us >= :from and (start_us, end_us, id) > (:start, :end, :id) "
        "and start_us < :until and end_us > :after order by start_us, end_us, id limit :n");
    sqlite3_stmt *st = TX_QUERY(l->tx, &q, l->cal->id, s->span, from_us, s->behind.start_us,
                                s->behind.end_us, s->behind.id, s->until_us, s->after_us, CHUNK);
    if (!st)
        return -1;
    int r;
    while ((r = TX_STEP(l->tx, st)) == 1)
        add_row(l, s, sqlite3_column_int64(st, 0), sqlite3_column_int64(st, 1),
                sqlite3_column_int64(st, 2));
    return r;
}

static int read_rows(struct lister *l, struct stream *s)
{
    static struct record_text index = INDEX_TEXT("cal_event_time", "start_us, end_us, rowid");
    bool go_on = s->behind.start_us >= s->from_us; /* behind what was read before */
    struct scan scan;
    int r;
    s->n = s->at = 0;
    if (TX_SCAN(l->tx, &index, go_on ? SCAN_AFTER : SCAN_FROM, 2, &scan, l->cal->id, s->span,
                go_on ? s->behind.start_us : s->from_us, go_on ? s->behind.end_us : INT64_MIN,
                go_on ? s->behind.id : INT64_MIN) != 1) {
        r = read_rows_statement(l, s, go_on ? s->behind.start_us : s->from_us);
    } else {
        while (s->n < CHUNK && (r = scan_next(&scan)) == 1) {
            if (record_int(&scan.entry, 0) >= s->until_us)
                break;
            if (record_int(&scan.entry, 1) > s->after_us)
                add_row(l, s, record_int(&scan.entry, 0), record_int(&scan.entry, 1),
                        record_int(&scan.entry, 2));
        }
        r = r < 0 ? list_broken(l) : 0;
    }
    s->last = s->n < CHUNK;
    if (s->n)
        s->behind = s->rows[s->n - 1];
    return r;
}

/* To the next one: 1; 0: there is none. */
int cal_list_advance(struct lister *l, struct stream *s)
{
    for (;;) {
        if (s->type == STREAM_SERIES) {
            if (!series_next(&s->series, &s->start_us))
                return 0;
            s->head = place_of(l, s->all_day, s->start_us, s->start_us + s->ev.len_us, s->ev.id);
        } else {
            if (s->at == s->n) {
                if (s->last)
                    return 0;
                if (read_rows(l, s) < 0)
                    return -1;
                if (!s->n)
                    return 0;
            }
            const struct row *r = &s->rows[s->at++];
            s->head = place_of(l, s->all_day, r->start_us, r->end_us, r->id);
        }
        if (!l->resume || before(&l->from, &s->head))
            return 1;
    }
}

void cal_list_sift_down(struct lister *l)
{
    size_t i = 0;
    struct stream *s = l->heap[0];
    for (;;) {
        size_t child = 2 * i + 1;
        if (child >= l->n)
            break;
        if (child + 1 < l->n && before(&l->heap[child + 1]->head, &l->heap[child]->head))
            child++;
        if (!before(&l->heap[child]->head, &s->head))
            break;
        l->heap[i] = l->heap[child];
        i = child;
    }
    l->heap[i] = s;
}

static int push(struct lister *l, struct stream *s)
{
    int r = cal_list_advance(l, s);
    if (r != 1)
        return r;
    struct stream **heap = arena_grow(l->tx->arena, l->heap, l->n, &l->cap, sizeof *heap);
    if (!heap)
        return sosia_fail_memory(l->tx->err);
    l->heap = heap;
    size_t i = l->n++;
    while (i && before(&s->head, &l->heap[(i - 1) / 2]->head)) {
        l->heap[i] = l->heap[(i - 1) / 2];
        i = (i - 1) / 2;
    }
    l->heap[i] = s;
    return 0;
}

static int push_rows(struct lister *l, int span, bool all_day, int64_t longest)
{
    struct stream *s = arena_calloc(l->tx->arena, 1, offsetof(struct stream, series));
    int64_t min = bound(l, all_day, l->q->min_us);
    s->all_day = all_day;
    s->span = span;
    s->from_us = min == INT64_MIN || min < INT64_MIN + longest ? INT64_MIN : min - longest;
    s->until_us = bound(l, all_day, l->q->max_us);
    s->after_us = min == INT64_MIN ? INT64_MIN : l->q->min_included ? min - 1 : min;
    /* One that is as long as the zone's offset can be off is still met: places are compared
     * exactly. */
    if (l->resume) {
        int64_t from = l->from.at - 2 * US_PER_DAY;
        if (l->from.at > INT64_MIN + 2 * US_PER_DAY && from > s->from_us)
            s->from_us = from;
    }
    s->behind = (struct row){INT64_MIN, INT64_MIN, INT64_MIN};
    return push(l, s);
}

/* Keeps the row of a stream's series, where it is wanted and is the one that was read. */
static void keep_series_row(struct lister *l, struct stream *s)
{
    s->row = NULL;
    if (!l->q->series_rows || !l->row.data || l->row.rowid != s->ev.id)
        return;
    s->row_size = l->row.size;
    s->row = (const uint8_t *)arena_memdup(l->tx->arena, l->row.data, l->row.size);
}

static int push_series(struct lister *l, const struct cal_event *ev)
{
    struct stream *s =
        arena_alloc(l->tx->arena, sizeof *s); /* large: what is not set is not read */
    if (arena_failed(l->tx->arena))
        return sosia_fail_memory(l->tx->err);
    int64_t from = cal_list_first_start(l, ev);
    s->type = STREAM_SERIES;
    s->all_day = ev->all_day;
    s->ev = *ev;
    cal_event_keep(l->tx->arena, &s->ev);
    keep_series_row(l, s);
    if (l->resume) {
        int64_t at = bound(l, ev->all_day, l->from.at);
        if (at > INT64_MIN + US_PER_DAY && at - US_PER_DAY > from)
            from = at - US_PER_DAY;
    }
    if (series_open(l->tx, l->cal, &s->ev, from, cal_list_horizon(l, ev), &s->series) < 0)
        return -1;
    return push(l, s);
}

/* All series of a class that may have an instance in the stretch. */
static int push_all_series(struct lister *l, int span, bool all_day)
{
    static struct sql_text q =
        SQL_TEXT("select id from cal_event where calendar = :calendar "
                 "and span = :span and start_us < :until and end_us > :after");
    int64_t min = bound(l, all_day, l->q->min_us);
    sqlite3_stmt *st = TX_QUERY(l->tx, &q, l->cal->id, span, bound(l, all_day, l->q->max_us),
                                min == INT64_MIN     ? min
                                : l->q->min_included ? min - 1
                                                     : min);
    if (!st)
        return -1;
    int r;
    while ((r = TX_STEP(l->tx, st)) == 1) {
        struct cal_event ev;
        r = cal_event_row_get(l->tx, sqlite3_column_int64(st, 0), &l->row, &ev);
        if (r == 1)
            r = cal_list_wanted(l, &ev);
        if (r == 1)
            r = push_series(l, &ev);
        if (r < 0) {
            sql_done(st);
            return -1;
        }
    }
    return r;
}

/* A series as one item: if any instance is in the stretch. */
int cal_list_series_in_time(struct lister *l, const struct cal_event *ev)
{
    struct series *s;
    int64_t start;
    if (l->q->min_us == INT64_MIN && l->q->max_us == INT64_MAX)
        return 1;
    s = arena_calloc(l->tx->arena, 1, sizeof *s);
    if (series_open(l->tx, l->cal, ev, cal_list_first_start(l, ev),
                    bound(l, ev->all_day, l->q->max_us), s) < 0)
        return -1;
    return series_next(s, &start);
}

int cal_event_next_span(struct tx *tx, int64_t calendar, int after, int *ret)
{
    static struct sql_text q =
        SQL_TEXT("select span from cal_event where calendar = :calendar and span > :after "
                 "order by span limit 1");
    static struct record_text index = INDEX_TEXT("cal_event_time", "span");
    struct scan s;
    if (TX_SCAN(tx, &index, SCAN_AFTER, 1, &s, calendar, after) == 1) {
        int r = scan_next(&s);
        *ret = r == 1 ? (int)record_int(&s.entry, 0) : -1;
        if (r >= 0)
            return 0;
    }
    *ret = -1;
    return TX_TAKE(tx, TX_QUERY(tx, &q, calendar, after), ret) < 0 ? -1 : 0;
}

int64_t cal_event_span_longest(int span)
{
    int64_t longest = SPAN_FIRST;
    int class = span & (SPAN_ALL_DAY - 1);
    if (span & SPAN_SERIES || class == SPAN_CLASSES - 1)
        return INT64_MAX;
    for (int i = 0; i < class; i++)
        longest *= SPAN_FACTOR;
    return longest;
}

/* A cancelled series is listed by its instances, where cancelled events are requested. */
static int open_span(struct lister *l, int span, bool cancelled)
{
    int kind = span & (SPAN_CANCELLED - 1);
    bool shown = span < SPAN_CANCELLED || l->q->deleted || l->q->updated_min_us != INT64_MIN;
    if (kind < SPAN_SERIES)
        return push_rows(l, span, kind >= SPAN_ALL_DAY, cal_event_span_longest(span));
    if (!shown && !cancelled)
        return 0;
    return l->q->single && shown ? push_all_series(l, span, kind == SPAN_SERIES_DAYS)
                                 : push_rows(l, span, kind == SPAN_SERIES_DAYS, INT64_MAX);
}

int cal_list_open_streams(struct lister *l, bool cancelled)
{
    int end = cancelled || !l->q->single ? INT_MAX : SPAN_CANCELLED, span = -1;
    for (;;) {
        if (cal_event_next_span(l->tx, l->cal->id, span, &span) < 0)
            return -1;
        if (span < 0 || span >= end)
            return 0;
        if (open_span(l, span, cancelled) < 0)
            return -1;
    }
}

/* The changed instances of one series, as a stream whose rows are all in memory. */
static int push_changed(struct lister *l, const struct cal_event *series)
{
    static struct sql_text q = SQL_TEXT(
        "select start_us, end_us, id, status, all_day from cal_event where master = :series "
        "order by start_us, end_us, id");
    size_t n = (size_t)series->n_instances;
    for (int day = 0; n && day < 2; day++) {
        struct stream *s = arena_calloc(l->tx->arena, 1, offsetof(struct stream, series));
        s->all_day = day;
        s->last = true;
        s->rows = arena_alloc(l->tx->arena, n * sizeof *s->rows);
        sqlite3_stmt *st = TX_QUERY(l->tx, &q, series->id);
        int r;
        struct row row;
        int status, all_day;
        while ((r = TX_TAKE_NEXT(l->tx, st, &row.start_us, &row.end_us, &row.id, &status,
                                 &all_day)) == 1) {
            bool gone = status == EVENT_CANCELLED;
            if (s->n < n && all_day == day && (!gone || l->q->deleted) &&
                ends_in_time(l->q, row.end_us, bound(l, day, l->q->min_us)) &&
                row.start_us < bound(l, day, l->q->max_us))
                s->rows[s->n++] = row;
        }
        if (r < 0 || push(l, s) < 0)
            return -1;
    }
    return 0;
}

static int give_row(struct lister *l, int64_t id)
{
    struct cal_event ev;
    int r = cal_event_row_get(l->tx, id, &l->row, &ev);
    if (r != 1)
        return r;
    r = cal_list_shows(l, &ev) ? cal_list_wanted(l, &ev) : 0;
    if (r == 1 && ev.form == EVENT_SERIES)
        r = cal_list_series_in_time(l, &ev);
    if (r == 1 && l->q->series && l->q->has_original && ev.original_us != l->q->original_us)
        r = 0;
    if (r == 1)
        r = cal_list_give(l, &ev);
    return r;
}

static int give_occurrence(struct lister *l, struct stream *s)
{
    struct cal_event ev;
    if (l->q->has_original && s->start_us != l->q->original_us)
        return 0;
    series_make(&s->series, s->start_us, &ev);
    l->series_row.data = s->row;
    l->series_row.size = s->row_size;
    l->series_row.rowid = s->ev.id;
    int r = cal_list_give(l, &ev);
    l->series_row.data = NULL;
    return r;
}

static int by_start(struct lister *l)
{
    const struct cal_event_query *q = l->q;
    struct place done = {0};
    if (q->position) {
        long long at, end, id;
        char more;
        if (sscanf(q->position, "s %lld %lld %lld%c", &at, &end, &id, &more) != 3)
            return cal_fail(l->tx, CAL_BAD_POSITION, "the position is not one of this list");
        l->resume = true;
        l->from = (struct place){at, end, id};
    }
    if (q->series) {
        bool gone = q->series->status == EVENT_CANCELLED && !q->deleted;
        if (!gone && (push_series(l, q->series) < 0 || push_changed(l, q->series) < 0))
            return -1;
    } else if (cal_list_open_streams(l, q->deleted || q->updated_min_us != INT64_MIN) < 0) {
        return -1;
    }
    while (l->n) {
        struct stream *s = l->heap[0];
        int r = s->type == STREAM_SERIES ? give_occurrence(l, s) : give_row(l, s->head.id);
        if (r < 0)
            return -1;
        if (r == 1) { /* there is one more than the page holds */
            l->position = arena_printf(l->tx->arena, "s %lld %lld %lld", (long long)done.at,
                                       (long long)done.end, (long long)done.id);
            return 0;
        }
        done = s->head;
        r = cal_list_advance(l, s);
        if (r < 0)
            return -1;
        if (r == 0)
            l->heap[0] = l->heap[--l->n];
        if (l->n)
            cal_list_sift_down(l);
    }
    return 0;
}

/* ---- by change ---- */

/* The instances of a series that was met in a list by change; skip: given on an earlier page. */
static int give_instances(struct lister *l, const struct cal_event *ev, int64_t skip_us,
                          int64_t *ret_done)
{
    struct series *s = arena_calloc(l->tx->arena, 1, sizeof *s);
    struct cal_event kept = *ev, instance;
    int64_t start, from = cal_list_first_start(l, ev);
    if (arena_failed(l->tx->arena))
        return sosia_fail_memory(l->tx->err);
    cal_event_keep(l->tx->arena, &kept);
    if (skip_us != INT64_MIN && skip_us + 1 > from)
        from = skip_us + 1;
    if (series_open(l->tx, l->cal, &kept, from, cal_list_horizon(l, &kept), s) < 0)
        return -1;
    while (series_next(s, &start)) {
        series_make(s, start, &instance);
        int r = cal_list_give(l, &instance);
        if (r)
            return r;
        *ret_done = start;
    }
    return 0;
}

/* One row of a list that is not by start. */
static int give_listed(struct lister *l, struct cal_event *ev, int64_t skip_us, int64_t *ret_done)
{
    const struct cal_event_query *q = l->q;
    *ret_done = INT64_MIN;
    int r = cal_list_shows(l, ev) ? cal_list_wanted(l, ev) : 0;
    if (r != 1)
        return r;
    if (ev->form != EVENT_SERIES)
        return cal_list_in_time(l, ev) ? cal_list_give(l, ev) : 0;
    if (q->single)
        return give_instances(l, ev, skip_us, ret_done);
    r = cal_list_series_in_time(l, ev);
    return r == 1 ? cal_list_give(l, ev) : r;
}

static int by_change(struct lister *l)
{
    static struct sql_text text =
        SQL_TEXT("select id from cal_event where change >= :change "
                 "and calendar = :calendar and (change > :change or id >= :id) "
                 "order by change, calendar, id");
    const struct cal_event_query *q = l->q;
    long long change = q->changed >= 0 ? q->changed + 1 : 0, id = 0, skip = INT64_MIN;
    char more;
    if (q->position && sscanf(q->position, "c %lld %lld %lld%c", &change, &id, &skip, &more) != 3)
        return cal_fail(l->tx, CAL_BAD_POSITION, "the position is not one of this list");
    sqlite3_stmt *st = TX_QUERY(l->tx, &text, change, l->cal->id, id);
    if (!st)
        return -1;
    int r;
    while ((r = TX_STEP(l->tx, st)) == 1) {
        struct cal_event ev;
        int64_t done, at = INT64_MIN;
        r = cal_event_row_get(l->tx, sqlite3_column_int64(st, 0), &l->row, &ev);
        if (r != 1) {
            sql_done(st);
            return -1;
        }
        if (ev.change == change && ev.id == id)
            at = skip;
        r = give_listed(l, &ev, at, &done);
        if (r == 1)
            l->position = arena_printf(l->tx->arena, "c %lld %lld %lld", (long long)ev.change,
                                       (long long)ev.id, (long long)(done > at ? done : at));
        if (r) {
            sql_done(st);
            return r < 0 ? -1 : 0;
        }
    }
    return r;
}

/* One row of a list by UID, from the row on that a page begins with (0: it is met). */
static int give_of_uid(struct lister *l, struct cal_event *ev, int64_t *from)
{
    int64_t done;
    if (*from && ev->id != *from)
        return 0;
    *from = 0;
    int r = give_listed(l, ev, INT64_MIN, &done);
    if (r == 1)
        l->position = arena_printf(l->tx->arena, "i %lld", (long long)ev->id);
    return r;
}

/* What has the UID: a series with all that belongs to it, or single events. */
static int by_uid(struct lister *l)
{
    static struct sql_text text =
        SQL_TEXT("select id from cal_event where uid = :uid and " UID_OF_OTHERS
                 " and calendar = :calendar and id <> :id and master is null "
                 "union select id from cal_event where " CAL_KEYS_BELOW
                 " and calendar = :calendar and uid = :uid and master is null order by id");
    struct cal_event_query q = *l->q;
    struct cal_event ev;
    int r = cal_event_by_uid(l->tx, l->cal, q.uid, &ev);
    if (r != 1)
        return r;
    q.uid = NULL;
    l->q = &q;
    if (ev.form == EVENT_SERIES && q.single) {
        q.series = &ev;
        if (ev.status != EVENT_CANCELLED || q.deleted)
            r = by_start(l);
        else
            r = 0;
        return r;
    }
    long long at = 0;
    char behind;
    if (q.position && (sscanf(q.position, "i %lld%c", &at, &behind) != 1 || at <= 0))
        return cal_fail(l->tx, CAL_BAD_POSITION, "the position is not one of this list");
    int64_t from = at;
    r = give_of_uid(l, &ev, &from);
    for (int pass = 0; r == 0 && pass < 1 + (ev.form == EVENT_SERIES); pass++) {
        static struct sql_text changed =
            SQL_TEXT("select id from cal_event where master = :series order by original_us");
        sqlite3_stmt *st = pass ? TX_QUERY(l->tx, &changed, ev.id)
                                : TX_QUERY(l->tx, &text, ev.uid, l->cal->id, ev.id, ev.key);
        if (!st)
            return -1;
        int more;
        while (r == 0 && (more = TX_STEP(l->tx, st)) == 1) {
            struct cal_event other;
            r = cal_event_by_id(l->tx, sqlite3_column_int64(st, 0), &other);
            if (r == 1)
                r = give_of_uid(l, &other, &from);
        }
        if (r == 0 && more < 0)
            return -1;
        sql_done(st);
    }
    return r < 0 ? -1 : 0;
}

int cal_event_list(struct tx *tx, const struct calendar *cal, const struct cal_event_query *q,
                   int (*fn)(void *arg, struct cal_event *ev, const struct record *row), void *arg,
                   const char **ret_position)
{
    struct lister l = {
        .tx = tx, .cal = cal, .q = q, .fn = fn, .arg = arg, .row = {.arena = tx->arena}};
    int64_t done;
    int r;
    if (q->series && q->series->form != EVENT_SERIES) {
        struct cal_event ev = *q->series;
        r = give_listed(&l, &ev, INT64_MIN, &done);
    } else if (calendar_is_made(cal))
        r = cal->vendor->made->list(&l);
    else if (q->series)
        r = by_start(&l);
    else if (q->uid)
        r = by_uid(&l);
    else if (q->changed >= 0)
        r = by_change(&l);
    else if (q->order == ORDER_UPDATE)
        r = cal_list_by_update(&l);
    else
        r = by_start(&l);
    if (r < 0)
        return -1;
    if (arena_failed(tx->arena))
        return sosia_fail_memory(tx->err);
    *ret_position = l.position;
    return 0;
}
