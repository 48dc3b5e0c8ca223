/* SPDX-License-Identifier: Apache-2.0 */
/* Keys and UIDs of events, finding them, and what changes many rows of a series at once. */
#include "engine/base/codec.h"
#include "services/calendar/core/vendor.h"
#include "services/calendar/core/event/event_impl.h"
#include "engine/world/event.h"

int64_t cal_event_instant(const struct tz *zone, bool all_day, int64_t us)
{
    return all_day ? tz_to_utc(zone, us / US_PER_SECOND) * US_PER_SECOND : us;
}

const char *cal_event_series_key(struct tx *tx, const struct cal_event *ev)
{
    const char *cut = ev->form == EVENT_INSTANCE ? strrchr(ev->key, '_') : NULL;
    return cut ? arena_memdup(tx->arena, ev->key, (size_t)(cut - ev->key)) : ev->key;
}

const char *cal_event_uid_key(struct tx *tx, const char *uid)
{
    struct buf b;
    buf_init(&b, 0);
    buf_byte(&b, '_');
    base32hex_add(&b, uid, strlen(uid));
    const char *key = arena_strdup(tx->arena, buf_str(&b));
    buf_done(&b);
    return key;
}

static char *digits(char *p, int v, int n)
{
    for (int i = n - 1; i >= 0; i--, v /= 10)
        p[i] = (char)('0' + v % 10);
    return p + n;
}

/* Made for every instance in a response: no formatter. */
const char *cal_event_instance_key(struct tx *tx, const char *series, bool all_day,
                                   int64_t original_us)
{
    struct civil c;
    size_t n = strlen(series);
    char *key = arena_alloc(tx->arena, n + sizeof "_20261123T090000Z"), *p;
    if (arena_failed(tx->arena))
        return "";
    civil_from_seconds(original_us / US_PER_SECOND, &c);
    memcpy(key, series, n);
    p = key + n;
    *p++ = '_';
    p = digits(digits(digits(p, c.year, 4), c.month, 2), c.day, 2);
    if (!all_day) {
        *p++ = 'T';
        p = digits(digits(digits(p, c.hour, 2), c.minute, 2), c.second, 2);
        *p++ = 'Z';
    }
    *p = 0;
    return key;
}

int cal_event_span(const struct cal_event *ev)
{
    int64_t limit = SPAN_FIRST;
    int span = 0;
    if (ev->form == EVENT_SERIES) {
        span = ev->all_day ? SPAN_SERIES_DAYS : SPAN_SERIES;
    } else {
        for (; ev->len_us > limit && span < SPAN_CLASSES - 1; span++)
            limit *= SPAN_FACTOR;
        if (ev->all_day)
            span += SPAN_ALL_DAY;
    }
    return ev->status == EVENT_CANCELLED ? span + SPAN_CANCELLED : span;
}

int cal_event_self(const struct calendar *cal, const struct cal_event *ev)
{
    for (int i = 0; ev->attendees && i < ev->n_attendees; i++)
        if (strcmp(ev->attendees[i].email, cal->address) == 0)
            return i;
    return -1;
}

/* The stamp of an instance's key: "20261123" or "20261123T090000Z". */
static bool read_stamp(const char *s, bool *ret_day, int64_t *ret_us)
{
    struct civil c = {0};
    size_t n = strlen(s);
    int v[6] = {0};
    static const int at[] = {0, 4, 6, 9, 11, 13}, len[] = {4, 2, 2, 2, 2, 2};
    if (n != 8 && !(n == 16 && s[8] == 'T' && s[15] == 'Z'))
        return false;
    for (int i = 0; i < (n == 8 ? 3 : 6); i++) {
        for (int k = 0; k < len[i]; k++) {
            char d = s[at[i] + k];
            if (d < '0' || d > '9')
                return false;
            v[i] = v[i] * 10 + (d - '0');
        }
    }
    c = (struct civil){v[0], v[1], v[2], v[3], v[4], v[5], 0};
    if (c.year < 1 || c.month < 1 || c.month > 12 || c.day < 1 ||
        c.day > days_in_month(c.year, c.month) || c.hour > 23 || c.minute > 59 || c.second > 59)
        return false;
    *ret_day = n == 8;
    *ret_us = civil_to_seconds(&c) * US_PER_SECOND;
    return true;
}

int cal_event_find(struct tx *tx, const struct calendar *cal, const char *key,
                   struct cal_event *ret)
{
    struct cal_event series;
    bool day;
    int64_t us;
    if (calendar_is_made(cal))
        return cal->vendor->made->find(tx, cal, key, ret);
    int r = cal_event_by_key(tx, cal, key, ret);
    /* The trace of an instance that the series no longer had; it may have it again. */
    bool trace = r == 1 && ret->form == EVENT_INSTANCE && !ret->master && !ret->removed &&
                 ret->status == EVENT_CANCELLED;
    const char *cut = r == 0 || trace ? strrchr(key, '_') : NULL;
    if (!cut || cut == key || !read_stamp(cut + 1, &day, &us))
        return r;
    r = cal_event_by_key(tx, cal, arena_memdup(tx->arena, key, (size_t)(cut - key)), &series);
    if (r != 1 || series.form != EVENT_SERIES || series.all_day != day ||
        (trace && series.status == EVENT_CANCELLED))
        return r < 0 ? -1 : trace;
    r = series_instance(tx, cal, &series, us, ret);
    return r ? r : trace;
}

int cal_event_instance(struct tx *tx, const struct calendar *cal, const struct cal_event *series,
                       bool all_day, int64_t original_us, struct cal_event *ret)
{
    return cal_event_find(tx, cal, cal_event_instance_key(tx, series->key, all_day, original_us),
                          ret);
}

int cal_event_by_uid(struct tx *tx, const struct calendar *cal, const char *uid,
                     struct cal_event *ret)
{
    const char *domain = strchr(uid, '@');
    int r = cal_event_with_uid(tx, cal, uid, ret);
    if (r || !domain)
        return r;
    r = cal_event_by_key(tx, cal, arena_memdup(tx->arena, uid, (size_t)(domain - uid)), ret);
    return r == 1 && !str_same(ret->uid, uid) ? 0 : r;
}

void cal_event_count_props(struct arena *a, const char *props, size_t *n, size_t *bytes)
{
    const struct json *v;
    struct sosia_err err;
    if (!props || json_parse(a, props, strlen(props), NULL, &v, &err) < 0)
        return;
    for (uint32_t i = 0; v->type == JSON_OBJECT && i < v->n; i++) {
        *n += 1;
        *bytes += v->members[i].key_len + v->members[i].value.n;
    }
}

int cal_event_count_other_props(struct tx *tx, const struct cal_event *ev, size_t *n, size_t *bytes)
{
    static struct sql_text q =
        SQL_TEXT("select own_props from cal_event where (id = :origin or origin = :origin) "
                 "and id <> :id and own_props is not null");
    sqlite3_stmt *st = TX_QUERY(tx, &q, ev->origin ? ev->origin : ev->id, ev->id);
    if (!st)
        return -1;
    int r;
    while ((r = TX_STEP(tx, st)) == 1)
        cal_event_count_props(tx->arena, (const char *)sqlite3_column_text(st, 0), n, bytes);
    return r;
}

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

bool cal_event_concealed(const struct calendar *cal, const struct cal_event *ev)
{
    if (cal->role >= CAL_WRITE || ev->visibility == VISIBLE_PUBLIC)
        return false;
    return cal->role == CAL_FREEBUSY || ev->visibility == VISIBLE_PRIVATE ||
           ev->visibility == VISIBLE_CONFIDENTIAL;
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
    return cal_event_count_instances(tx, series);
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
    return cancel_copies(tx, series, true) < 0
               ? -1
               : run_on_series(tx, queries, SOSIA_LEN(queries), series);
}

int cal_event_wake_instances(struct tx *tx, const struct cal_event *series)
{
    static struct sql_text q = SQL_TEXT(
        "update cal_event set status = rights >> 8, span = iif(rights >> 8 = 2, span, span & ~64), "
        "rights = rights & 127 where master = :series and rights & 128");
    /* Without guests of its own it may be one that guests of the series are left out of. */
    static struct sql_text q_next =
        SQL_TEXT("select id, original_us from cal_event where master = :series and original_us > "
                 ":after and (n_attendees > 0 or :guests) order by original_us limit 1");
    static struct sql_text *const queries[] = {&q};
    if (run_on_series(tx, queries, SOSIA_LEN(queries), series->id) < 0)
        return -1;
    for (int64_t after = INT64_MIN;;) {
        struct cal_event instance;
        sqlite3_stmt *st = TX_QUERY(tx, &q_next, series->id, after, series->n_attendees > 0);
        if (!st)
            return -1;
        int r = TX_STEP(tx, st);
        if (r != 1)
            return r;
        int64_t id = sqlite3_column_int64(st, 0);
        after = sqlite3_column_int64(st, 1);
        sql_done(st);
        r = cal_event_by_id(tx, id, &instance);
        if (r != 1 || cal_event_load_attendees(tx, &instance) < 0)
            return -1;
        instance.updated_us = series->updated_us;
        instance.change = series->change;
        if (event_leads(&instance) && cal_copies_follow(tx, &instance) < 0)
            return -1;
    }
}
