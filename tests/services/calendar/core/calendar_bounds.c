/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where a stretch of time begins and ends, to the microsecond: for events of every class of length,
 * timed and of whole days, single ones and series, in all orders of lists, for busy times and for
 * what collides. In the transaction that made them, where rows are read by statements, and in a
 * later one, where they are read from pages. Then how far series are laid out, and how many busy
 * times there may be.
 */
#include "engine/service.h"
#include "services/calendar/core/event/series.h"
#include "tests/services/calendar/core/cal_vendors.h"
#include "tests/support/unit.h"
#include "tests/support/world.h"

/* ---- events of all lengths, each in a calendar of its own ---- */

#define DAY      (24 * HOUR)
#define MIDNIGHT (NOON - 12 * HOUR)

static const struct shape {
    int64_t len_us;
    bool all_day;
    const char *rule; /* NULL: a single one */
    int n;            /* instances */
    int64_t later_us; /* from the first to the last instance */
} shapes[] = {
    {1, false, NULL, 1, 0},
    {HOUR, false, NULL, 1, 0},
    {25 * HOUR, false, NULL, 1, 0},
    {25 * HOUR + 1, false, NULL, 1, 0},
    {800 * HOUR, false, NULL, 1, 0},
    {800 * HOUR + 1, false, NULL, 1, 0},
    {25600 * HOUR, false, NULL, 1, 0},
    {25600 * HOUR + 1, false, NULL, 1, 0},
    {819200 * HOUR, false, NULL, 1, 0},
    {819200 * HOUR + 1, false, NULL, 1, 0},
    {DAY, true, NULL, 1, 0},
    {2 * DAY, true, NULL, 1, 0},
    {33 * DAY, true, NULL, 1, 0},
    {34 * DAY, true, NULL, 1, 0},
    {1066 * DAY, true, NULL, 1, 0},
    {1067 * DAY, true, NULL, 1, 0},
    {34133 * DAY, true, NULL, 1, 0},
    {34134 * DAY, true, NULL, 1, 0},
    {HOUR, false, "RRULE:FREQ=DAILY;COUNT=3", 3, 2 * DAY},
    {30 * HOUR, false, "RRULE:FREQ=DAILY;INTERVAL=2;COUNT=2", 2, 2 * DAY},
    {DAY, true, "RRULE:FREQ=DAILY;INTERVAL=3;COUNT=2", 2, 3 * DAY},
    {2 * DAY, true, "RRULE:FREQ=WEEKLY;COUNT=1", 1, 0},
};
enum { SHAPES = SOSIA_LEN(shapes) };

static int64_t in_calendar[SHAPES], event_id[SHAPES];

/* The last instance ends at noon, or midnight, whatever its length. */
static int64_t start_of(const struct shape *s)
{
    return (s->all_day ? MIDNIGHT : NOON) - s->len_us - s->later_us;
}

static void make_all(void)
{
    for (int i = 0; i < SHAPES; i++) {
        struct calendar cal = {.owner = ada.owner, .summary = "One", .zone = "Asia/Tokyo"};
        struct cal_event ev = {.summary = "It",
                               .start_us = start_of(&shapes[i]),
                               .len_us = shapes[i].len_us,
                               .all_day = shapes[i].all_day,
                               .recurrence = shapes[i].rule};
        OK(calendar_add(&tx, &cal));
        assert_int_equal(cal.role, CAL_OWN); /* of who makes it */
        OK(cal_event_add(&tx, ALL, &cal, &ev));
        in_calendar[i] = cal.id;
        event_id[i] = ev.id;
    }
}

static struct calendar calendar_of_shape(int i)
{
    struct calendar cal;
    assert_int_equal(calendar_by_id(&tx, in_calendar[i], &cal), 1);
    cal.role = CAL_OWN;
    return cal;
}

struct stretch {
    int64_t min_us, max_us;
};

/* How many instances of the shape lie in the stretch. */
static int expected(const struct calendar *cal, const struct shape *s, const struct stretch *t,
                    bool included)
{
    int n = 0;
    for (int k = 0; k < s->n; k++) {
        int64_t at = start_of(s) + (s->n > 1 ? k * (s->later_us / (s->n - 1)) : 0);
        int64_t start = cal_event_instant(cal->tz, s->all_day, at);
        int64_t end = cal_event_instant(cal->tz, s->all_day, at + s->len_us);
        n += (included ? end >= t->min_us : end > t->min_us) && start < t->max_us;
    }
    return n;
}

/* deleted: all of them are cancelled. */
static void check_lists(int i, const struct calendar *cal, const struct stretch *t, bool deleted)
{
    for (int way = 0; way < 32; way++) {
        struct cal_event_query q = everything();
        const char *position;
        int n = 0;
        q.min_us = t->min_us, q.max_us = t->max_us;
        q.single = way & 1;
        q.min_included = way & 2;
        q.order = way & 4 ? ORDER_UPDATE : ORDER_START;
        q.updated_min_us = way & 8 ? 1 : INT64_MIN;
        q.deleted = way & 16;
        int is = expected(cal, &shapes[i], t, q.min_included);
        if (!q.single)
            is = is > 0;
        if (deleted && !q.deleted && q.updated_min_us == INT64_MIN)
            is = 0;
        OK(cal_event_list(&tx, cal, &q, count, &n, &position));
        if (n != is)
            fail_msg("shape %d, way %d, %lld to %lld: %d, not %d", i, way,
                     (long long)(t->min_us - NOON), (long long)(t->max_us - NOON), n, is);
        assert_null(position);
    }
}

static void check_busy(int i, const struct calendar *cal, const struct stretch *t, bool deleted)
{
    struct busy *list;
    size_t n;
    int is = deleted ? 0 : expected(cal, &shapes[i], t, false);
    struct cal_event probe = draft("Probe", "");
    bool meets;
    if (t->min_us == INT64_MIN || t->max_us == INT64_MAX)
        return;
    OK(freebusy_list(&tx, cal, t->min_us, t->max_us, &list, &n));
    if (n != (size_t)is)
        fail_msg("shape %d, %lld to %lld: busy %zu times, not %d", i, (long long)(t->min_us - NOON),
                 (long long)(t->max_us - NOON), n, is);
    if (t->max_us <= t->min_us)
        return;
    probe.calendar = ada.id, probe.key = "probe";
    probe.start_us = t->min_us, probe.len_us = t->max_us - t->min_us;
    OK(cal_event_collides(&tx, cal->id, &probe, &meets));
    if (meets != (is > 0))
        fail_msg("shape %d, %lld to %lld: meets %d", i, (long long)(t->min_us - NOON),
                 (long long)(t->max_us - NOON), meets);
}

static void check_all(bool deleted)
{
    for (int i = 0; i < SHAPES; i++) {
        const struct shape *s = &shapes[i];
        const struct calendar cal = calendar_of_shape(i);
        const int64_t at = start_of(s), last = at + s->later_us;
        const int64_t first = cal_event_instant(cal.tz, s->all_day, at);
        const int64_t first_end = cal_event_instant(cal.tz, s->all_day, at + s->len_us);
        const int64_t end = cal_event_instant(cal.tz, s->all_day, last + s->len_us);
        const struct stretch all[] = {
            {end - 1, end + HOUR},       {end, end + HOUR},          {end + 1, end + HOUR},
            {first - HOUR, first},       {first - HOUR, first + 1},  {first - HOUR, first - 1},
            {first, first + 1},          {first_end - 1, first_end}, {first_end, first_end + 1},
            {first - DAY, end + DAY},    {INT64_MIN, first},         {INT64_MIN, first + 1},
            {end - 1, INT64_MAX},        {end, INT64_MAX},           {INT64_MIN, INT64_MAX},
            {end + 40 * DAY, INT64_MAX},
        };
        for (size_t k = 0; k < SOSIA_LEN(all); k++) {
            check_lists(i, &cal, &all[k], deleted);
            check_busy(i, &cal, &all[k], deleted);
        }
    }
}

static void a_stretch_has_what_ends_behind_its_start_and_starts_before_its_end(void **state)
{
    (void)state;
    make_all();
    check_all(false);
    commit();
    begin_again();
    check_all(false);
    for (int i = 0; i < SHAPES; i++) {
        const struct calendar cal = calendar_of_shape(i);
        struct cal_event ev;
        assert_int_equal(cal_event_by_id(&tx, event_id[i], &ev), 1);
        OK(cal_event_cancel(&tx, ALL, &cal, &ev));
    }
    check_all(true);
    commit();
    begin_again();
    check_all(true);
}

/* However long it is: from the first year to the last one. */
static void an_event_of_thousands_of_years(void **state)
{
    (void)state;
    const int64_t first = INT64_C(-62135596800) * US_PER_SECOND,
                  late = INT64_C(250000000000) * US_PER_SECOND;
    struct cal_event ev = draft("Long", ""), series = draft("Long", "");
    struct cal_event_query q = everything();
    const char *position;
    struct busy *list;
    size_t n;
    ev.start_us = first, ev.len_us = late - first;
    added(ev);
    series.start_us = first, series.recurrence = "RRULE:FREQ=YEARLY;INTERVAL=3000;COUNT=3";
    OK(cal_event_add(&tx, ALL, &bob, &series));
    for (int order = ORDER_START; order <= ORDER_UPDATE; order++)
        for (int at = 0; at < 2; at++) {
            int of_ada = 0;
            q.order = (enum cal_event_order)order;
            q.min_us = late - 1 + at, q.max_us = late + HOUR;
            OK(cal_event_list(&tx, &ada, &q, count, &of_ada, &position));
            assert_int_equal(of_ada, !at);
            OK(freebusy_list(&tx, &ada, q.min_us, q.max_us, &list, &n));
            assert_int_equal(n, !at);
        }
    assert_int_equal(found(&bob, "Long"), 1);
}

/* ---- busy times ---- */

static void busy_event(int64_t from_min, int64_t to_min)
{
    struct cal_event ev = draft("Busy", "");
    ev.start_us = NOON + from_min * US_PER_SECOND * 60;
    ev.len_us = (to_min - from_min) * US_PER_SECOND * 60;
    added(ev);
}

static void busy_times_that_touch_are_one(void **state)
{
    (void)state;
    static const int64_t made[][2] = {{50, 60}, {0, 10},  {10, 20}, {21, 30}, {22, 24},
                                      {29, 31}, {40, 45}, {40, 42}, {60, 60}};
    static const int64_t merged[][2] = {{0, 20}, {21, 31}, {40, 45}, {50, 60}};
    struct busy *list;
    size_t n;
    for (size_t i = 0; i < SOSIA_LEN(made); i++)
        busy_event(made[i][0], made[i][1]);
    OK(freebusy_list(&tx, &ada, NOON, NOON + HOUR + 1, &list, &n));
    assert_int_equal(n, SOSIA_LEN(merged));
    for (size_t i = 0; i < n; i++) {
        assert_int_equal((list[i].start_us - NOON) / 60 / US_PER_SECOND, merged[i][0]);
        assert_int_equal((list[i].end_us - NOON) / 60 / US_PER_SECOND, merged[i][1]);
    }
    /* They are not cut at the bounds. */
    OK(freebusy_list(&tx, &ada, NOON + HOUR / 4, NOON + HOUR / 4 + 1, &list, &n));
    assert_int_equal(n, 1);
    assert_int_equal(list[0].start_us, NOON + HOUR / 6);
    assert_int_equal(list[0].end_us, NOON + HOUR / 3);
}

static void days_are_busy_in_the_zone_of_the_calendar(void **state)
{
    (void)state;
    struct calendar cal = {.owner = ada.owner, .summary = "East", .zone = "Asia/Tokyo"};
    struct cal_event ev = {.summary = "Day", .start_us = MIDNIGHT, .len_us = DAY, .all_day = true};
    struct busy *list;
    size_t n;
    OK(calendar_add(&tx, &cal));
    OK(cal_event_add(&tx, ALL, &cal, &ev));
    OK(freebusy_list(&tx, &cal, MIDNIGHT - DAY, MIDNIGHT + 2 * DAY, &list, &n));
    assert_int_equal(n, 1);
    assert_int_equal(list[0].start_us, MIDNIGHT - 9 * HOUR);
    assert_int_equal(list[0].end_us, MIDNIGHT + 15 * HOUR);
}

static void so_many_busy_times_may_be_asked_for(void **state)
{
    (void)state;
    struct cal_event ev = draft("Often", "");
    struct busy *list;
    size_t n;
    ev.len_us = 30 * US_PER_SECOND;
    ev.recurrence = "RRULE:FREQ=MINUTELY;COUNT=20000";
    ev = added(ev);
    OK(freebusy_list(&tx, &ada, NOON, NOON + 10000 * HOUR, &list, &n));
    assert_int_equal(n, FREEBUSY_MAX);
    busy_event(-60, -30);
    REFUSED(freebusy_list(&tx, &ada, NOON - HOUR, NOON + 10000 * HOUR, &list, &n), CAL_TOO_MANY);
    OK(freebusy_list(&tx, &ada, NOON, NOON + 10000 * HOUR, &list, &n));
    /* The same of single events. */
    damaged = true; /* UIDs that are not their keys' */
    OK(sql_exec(tx.db,
                "with recursive n (i) as (select 1 union all select i + 1 from n where i < 20000) "
                "insert into cal_event (calendar, key, uid, form, span, start_us, end_us, len_us, "
                "all_day, status, kind, visibility, busy, rights, response, removed, sequence, "
                "created_us, updated_us, change, n_attendees, n_instances) select calendar, 'n' || "
                "i, uid, form, span, start_us, end_us, len_us, all_day, status, kind, visibility, "
                "busy, rights, response, removed, sequence, created_us, updated_us, change, "
                "n_attendees, n_instances from cal_event, n where summary = 'Busy'",
                tx.err));
    REFUSED(freebusy_list(&tx, &ada, NOON - HOUR, NOON, &list, &n), CAL_TOO_MANY);
    OK(sql_exec(tx.db, "delete from cal_event where key = 'n1'", tx.err));
    OK(freebusy_list(&tx, &ada, NOON - HOUR, NOON, &list, &n));
    assert_int_equal(n, 1);
}

/* ---- what collides ---- */

static bool meets(const struct cal_event *ev, const struct calendar *cal)
{
    bool is = true;
    OK(cal_event_collides(&tx, cal->id, ev, &is));
    return is;
}

static void what_blocks_time_collides(void **state)
{
    (void)state;
    static const struct {
        enum cal_busy busy;
        enum cal_event_status status;
        bool is;
    } all[] = {{BUSY_BUSY, EVENT_CONFIRMED, true},       {BUSY_FREE, EVENT_CONFIRMED, false},
               {BUSY_TENTATIVE, EVENT_TENTATIVE, true},  {BUSY_AWAY, EVENT_CONFIRMED, true},
               {BUSY_ELSEWHERE, EVENT_CONFIRMED, false}, {BUSY_UNKNOWN, EVENT_CONFIRMED, true},
               {BUSY_BUSY, EVENT_CANCELLED, false}};
    for (size_t i = 0; i < SOSIA_LEN(all); i++) {
        struct cal_event ev = draft("It", ""), probe = draft("Probe", "");
        ev.start_us += (int64_t)i * DAY;
        ev.busy = all[i].busy, ev.status = all[i].status;
        ev = added(ev);
        probe.start_us = ev.start_us, probe.calendar = bob.id, probe.key = "probe";
        assert_int_equal(meets(&probe, &ada), all[i].is);
        /* It does not meet itself, nor its own series. */
        assert_false(meets(&ev, &ada));
    }
    struct cal_event series = draft("Daily", ""), once;
    series.start_us += 30 * DAY;
    series.recurrence = "RRULE:FREQ=DAILY;COUNT=3";
    series = added(series);
    assert_false(meets(&series, &ada));
    assert_int_equal(cal_event_instance(&tx, &ada, &series, false, series.start_us + DAY, &once),
                     1);
    assert_false(meets(&once, &ada));
    once.key = "else";
    assert_true(meets(&once, &ada));
    /* What its person has declined does not. */
    struct cal_event theirs = draft("Theirs", "bob"), copy;
    theirs.start_us += 60 * DAY;
    theirs = added(theirs);
    copy = copy_in(&bob, &theirs);
    struct cal_event probe = draft("Probe", "");
    probe.start_us = theirs.start_us, probe.calendar = ada.id, probe.key = "probe";
    assert_true(meets(&probe, &bob));
    answer(&bob, &copy, RESPONSE_DECLINED);
    assert_false(meets(&probe, &bob));
    bool is = true;
    assert_int_equal(cal_event_collides(&tx, 99999, &probe, &is), 0); /* no such calendar */
    assert_false(is);
}

/* Of a series the next sixty instances are looked at. */
static void the_first_sixty_instances_collide(void **state)
{
    (void)state;
    struct cal_event series = draft("Daily", ""), late = draft("Late", "");
    series.recurrence = "RRULE:FREQ=DAILY", series.form = EVENT_SERIES;
    series.calendar = ada.id, series.key = "series";
    late.start_us += 60 * DAY;
    OK(cal_event_add(&tx, ALL, &bob, &late));
    assert_false(meets(&series, &bob));
    late = draft("Last", "");
    late.start_us += 59 * DAY + HOUR - 1;
    OK(cal_event_add(&tx, ALL, &bob, &late));
    assert_true(meets(&series, &bob));
    series.start_us -= HOUR;
    assert_false(meets(&series, &bob));
    /* Days are those of the calendar that is looked at. */
    struct calendar east = {.owner = bob.owner, .summary = "East", .zone = "Asia/Tokyo"};
    OK(calendar_add(&tx, &east));
    late = draft("In the morning", "");
    late.start_us = MIDNIGHT - 9 * HOUR, late.len_us = HOUR;
    OK(cal_event_add(&tx, ALL, &east, &late));
    struct cal_event day = {.calendar = ada.id, .key = "day", .all_day = true, .len_us = DAY};
    for (int series_too = 0; series_too < 2; series_too++) {
        day.recurrence = series_too ? "RRULE:FREQ=DAILY;COUNT=1" : NULL;
        day.form = series_too ? EVENT_SERIES : EVENT_SINGLE;
        day.start_us = MIDNIGHT;
        assert_true(meets(&day, &east));
        day.start_us -= DAY;
        assert_false(meets(&day, &east));
    }
}

/* ---- how far series are laid out ---- */

static int instances(int64_t min_us, int64_t max_us, enum cal_event_order order, int64_t changed)
{
    struct cal_event_query q = everything();
    const char *position;
    int n = 0;
    q.min_us = min_us, q.max_us = max_us;
    q.single = true;
    q.limit = 5000;
    q.order = order, q.changed = changed;
    OK(cal_event_list(&tx, &ada, &q, count, &n, &position));
    assert_null(position);
    return n;
}

static void a_series_without_an_end_is_laid_out_for_two_years(void **state)
{
    (void)state;
    struct cal_event series = draft("Daily", "");
    const int days = (int)(SERIES_HORIZON / DAY);
    series.recurrence = "RRULE:FREQ=DAILY";
    series = added(series);
    for (int way = 0; way < 3; way++) {
        enum cal_event_order order = way == 1 ? ORDER_UPDATE : ORDER_START;
        int64_t changed = way == 2 ? 0 : -1;
        /* From its start, which is in the future. */
        assert_int_equal(instances(INT64_MIN, INT64_MAX, order, changed), days);
        /* From where the stretch begins, which is later. */
        assert_int_equal(instances(NOON + 100 * DAY, INT64_MAX, order, changed), days);
        assert_int_equal(instances(NOON + 100 * DAY + HOUR, INT64_MAX, order, changed), days);
        /* As far as is asked for. */
        assert_int_equal(instances(INT64_MIN, NOON + 1000 * DAY, order, changed), 1000);
        assert_int_equal(instances(INT64_MIN, NOON + 1000 * DAY + 1, order, changed), 1001);
    }
    /* From now on, if it began before. */
    struct cal_event old = series, ev = series;
    ev.start_us = tx.now_us - 10 * DAY;
    OK(saved(&ada, &old, &ev));
    assert_int_equal(instances(INT64_MIN, INT64_MAX, ORDER_START, -1), days + 10);
    /* One with an end is laid out to its end. */
    old = ev = again(&series);
    ev.recurrence = "RRULE:FREQ=DAILY;COUNT=2000";
    OK(saved(&ada, &old, &ev));
    assert_int_equal(instances(INT64_MIN, INT64_MAX, ORDER_START, -1), 2000);
    old = ev = again(&series);
    ev.start_us = MIDNIGHT, ev.all_day = true, ev.len_us = DAY, ev.zone = NULL;
    ev.recurrence = "RRULE:FREQ=DAILY";
    OK(saved(&ada, &old, &ev));
    assert_int_equal(instances(INT64_MIN, INT64_MAX, ORDER_START, -1), days);
    assert_int_equal(instances(INT64_MIN, MIDNIGHT + 900 * DAY, ORDER_START, -1), 900);
    assert_int_equal(instances(INT64_MIN, MIDNIGHT + 900 * DAY + 1, ORDER_START, -1), 901);
}

/* Times that can't be are refused, and the last ones that can are not. */
static void events_lie_within_the_years_of_the_calendar(void **state)
{
    (void)state;
    const int64_t first = INT64_C(-62135596800) * US_PER_SECOND,
                  last = INT64_C(253402300799) * US_PER_SECOND;
    struct cal_event ev = draft("First", ""), old;
    ev.start_us = first;
    added(ev);
    ev = draft("Before", "");
    ev.start_us = first - 1;
    REFUSED(cal_event_add(&tx, ALL, &ada, &ev), CAL_NO_SUCH_TIME);
    ev = draft("Last", "");
    ev.start_us = last - HOUR + US_PER_SECOND - 1;
    old = added(ev);
    ev = draft("Behind", "");
    ev.start_us = last - HOUR + US_PER_SECOND;
    REFUSED(cal_event_add(&tx, ALL, &ada, &ev), CAL_NO_SUCH_TIME);
    ev = old;
    ev.len_us += 1;
    REFUSED(saved(&ada, &old, &ev), CAL_NO_SUCH_TIME);
    assert_int_equal(again(&old).len_us, HOUR);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup_teardown(
        a_stretch_has_what_ends_behind_its_start_and_starts_before_its_end, begin, end),
    cmocka_unit_test_setup_teardown(an_event_of_thousands_of_years, begin, end),
    cmocka_unit_test_setup_teardown(busy_times_that_touch_are_one, begin, end),
    cmocka_unit_test_setup_teardown(days_are_busy_in_the_zone_of_the_calendar, begin, end),
    cmocka_unit_test_setup_teardown(so_many_busy_times_may_be_asked_for, begin, end),
    cmocka_unit_test_setup_teardown(what_blocks_time_collides, begin, end),
    cmocka_unit_test_setup_teardown(the_first_sixty_instances_collide, begin, end),
    cmocka_unit_test_setup_teardown(a_series_without_an_end_is_laid_out_for_two_years, begin, end),
    cmocka_unit_test_setup_teardown(events_lie_within_the_years_of_the_calendar, begin, end),
};

static int open_engine(void **state)
{
    (void)state;
    return test_open_engine_of(services);
}

int main(void)
{
    subject = &acme; /* vendors have no part in it */
    other = &globex;
    return cmocka_run_group_tests(tests, open_engine, test_close_engine);
}
