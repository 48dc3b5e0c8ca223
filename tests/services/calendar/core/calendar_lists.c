/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lists of events: which order they have, that pages of any size have all of it once, what a caller
 * that has enough or fails does to them, and what each filter leaves. In the transaction that made
 * the events, where rows are read by statements, and in a later one, where they are read from
 * pages.
 */
#include "engine/service.h"
#include "engine/store/record.h"
#include "tests/services/calendar/core/cal_vendors.h"
#include "tests/support/unit.h"
#include "tests/support/world.h"
#include <stdio.h>

#define DAY (24 * HOUR)

/* ---- what was listed ---- */

static struct {
    char keys[400][48];
    int64_t updated[400], start[400], change[400];
    int n, enough; /* enough: the caller ends the page behind so many; 0: it does not */
} got;

static int take(void *arg, struct cal_event *ev, const struct record *row)
{
    (void)row;
    int *of_page = arg;
    assert_true(got.n < 400);
    snprintf(got.keys[got.n], sizeof got.keys[0], "%s", ev->key);
    got.updated[got.n] = ev->updated_us;
    got.start[got.n] = ev->start_us;
    got.change[got.n++] = ev->change;
    return got.enough && ++*of_page == got.enough;
}

/* All pages of the list; gives how many there are. */
static int pages(const struct calendar *cal, struct cal_event_query q)
{
    const char *position = NULL;
    int n = 0;
    got.n = 0;
    do {
        int of_page = 0, before = got.n;
        q.position = position;
        OK(cal_event_list(&tx, cal, &q, take, &of_page, &position));
        assert_true((size_t)(got.n - before) <= q.limit);
        if (position && !q.deleted)
            assert_true(got.n > before);
        n++;
    } while (position && n < 500);
    return n;
}

static const char *all_keys(void)
{
    struct buf b;
    buf_init(&b, 0);
    for (int i = 0; i < got.n; i++)
        buf_printf(&b, "%s%s", i ? " " : "", got.keys[i]);
    const char *text = arena_strdup(tx.arena, buf_str(&b));
    buf_done(&b);
    return text;
}

static const char *listed(const struct calendar *cal, struct cal_event_query q)
{
    pages(cal, q);
    return all_keys();
}

#define LISTED(cal, keys, ...)                                                                     \
    do {                                                                                           \
        struct cal_event_query q = everything();                                                   \
        __VA_ARGS__;                                                                               \
        assert_string_equal(listed(cal, q), keys);                                                 \
    } while (0)

/* ---- order and pages ---- */

static struct cal_event named(const char *key, struct cal_event ev)
{
    ev.key = key;
    return added(ev);
}

static void some_events(void)
{
    static const char *const series[] = {"a", "a_1", "a_2026032", "a_3", "b", "aa"};
    static const char *const singles[] = {"a_2", "a_20260321T120000Y", "a0", "0", "c", "a_1_2"};
    for (size_t i = 0; i < SOSIA_LEN(series); i++) {
        struct cal_event ev = draft("Series", "");
        ev.start_us += (int64_t)(i % 3) * HOUR;
        ev.recurrence = i % 2 ? "RRULE:FREQ=DAILY;COUNT=4" : "RRULE:FREQ=DAILY;INTERVAL=2;COUNT=3";
        named(series[i], ev);
    }
    for (size_t i = 0; i < SOSIA_LEN(singles); i++) {
        struct cal_event ev = draft("Single", "");
        ev.start_us += (int64_t)((i * 5) % 4) * DAY;
        ev.len_us += (int64_t)(i % 3) * 40 * HOUR;
        named(singles[i], ev);
    }
    struct cal_event day = {
        .summary = "Day", .start_us = NOON - 12 * HOUR, .len_us = DAY, .all_day = true};
    named("day", day);
    day.recurrence = "RRULE:FREQ=DAILY;COUNT=3";
    named("days", day);
}

static void check_order(const struct cal_event_query *q)
{
    for (int i = 1; i < got.n; i++) {
        if (q->changed >= 0) {
            assert_true(got.change[i - 1] <= got.change[i]);
        } else if (q->order == ORDER_START) {
            assert_true(got.start[i - 1] <= got.start[i]);
        } else if (got.updated[i - 1] == got.updated[i]) {
            if (strcmp(got.keys[i - 1], got.keys[i]) >= 0)
                fail_msg("%s before %s", got.keys[i - 1], got.keys[i]);
        } else {
            assert_true(got.updated[i - 1] < got.updated[i]);
        }
    }
}

static void in_pages(struct cal_event_query q, int n)
{
    q.limit = 399;
    assert_int_equal(pages(&ada, q), 1);
    assert_int_equal(got.n, n);
    check_order(&q);
    const char *whole = all_keys();
    for (size_t limit = 1; limit <= (size_t)n + 1; limit++) {
        q.limit = limit;
        assert_int_equal(pages(&ada, q), (n + (int)limit - 1) / (int)limit);
        assert_string_equal(all_keys(), whole);
    }
    /* A caller that has enough is the same as a smaller page. */
    for (got.enough = 1; got.enough < 4; got.enough++) {
        q.limit = 399;
        pages(&ada, q);
        assert_string_equal(all_keys(), whole);
    }
    got.enough = 0;
}

static void in_all_orders(void)
{
    for (int way = 0; way < 24; way++) {
        struct cal_event_query q = everything();
        const bool narrow = way & 4, early = way >= 16;
        q.order = way & 1 ? ORDER_UPDATE : ORDER_START;
        q.single = way & 2;
        if (narrow)
            q.min_us = NOON - 12 * HOUR, q.max_us = NOON + 400 * HOUR;
        if (way & 8)
            q.changed = 0;
        if (early)
            q.updated_min_us = 1;
        in_pages(q, q.single ? 31 : 14);
    }
}

static void pages_of_any_size_have_all_of_it_once(void **state)
{
    (void)state;
    some_events();
    in_all_orders();
    commit();
    begin_again();
    in_all_orders();
}

static int fails(void *arg, struct cal_event *ev, const struct record *row)
{
    int *after = arg;
    (void)ev, (void)row;
    return --*after < 0 ? tx_fail(&tx, SOSIA_E_INTERNAL, NULL, NULL, "enough") : 0;
}

static void a_caller_that_fails_ends_the_list(void **state)
{
    (void)state;
    const char *position;
    some_events();
    for (int way = 0; way < 32; way++)
        for (int n = 0; n < 14; n++) {
            struct cal_event_query q = everything();
            int after = n;
            q.order = way & 1 ? ORDER_UPDATE : ORDER_START;
            q.single = way & 2;
            q.changed = way & 4 ? 0 : -1;
            q.max_us = way & 8 ? NOON + 900 * HOUR : INT64_MAX;
            q.updated_min_us = way & 16 ? 1 : INT64_MIN;
            assert_int_equal(cal_event_list(&tx, &ada, &q, fails, &after, &position), -1);
            assert_int_equal(after, -1);
            assert_string_equal(tx.err->text, "enough");
            *tx.err = (struct sosia_err){0};
        }
    struct cal_event_query q = everything();
    struct cal_event one;
    for (int single = 0; single < 2; single++) {
        int after = 0;
        assert_int_equal(cal_event_find(&tx, &ada, single ? "c" : "b", &one), 1);
        q.uid = one.uid;
        assert_int_equal(cal_event_list(&tx, &ada, &q, fails, &after, &position), -1);
        q = everything(), q.series = &one, after = 0;
        assert_int_equal(cal_event_list(&tx, &ada, &q, fails, &after, &position), -1);
        *tx.err = (struct sosia_err){0};
        q = everything();
    }
}

static void a_position_is_of_its_own_list(void **state)
{
    (void)state;
    static const struct {
        enum cal_event_order order;
        int64_t changed;
        bool of_uid;
        const char *wrong[9];
    } all[] = {
        {ORDER_START,
         -1,
         false,
         {"", "x", "s 1 2", "s 1 2 3 4", "s 1 2 x", "s 1 2 3x", "u 1 a", "c 1 1 1"}},
        {ORDER_UPDATE, -1, false, {"", "x", "u", "u 1", "u 1 ", "u x a", "s 1 2 3", "c 1 1 1"}},
        {ORDER_START, 0, false, {"", "x", "c 1 2", "c 1 2 3 4", "c 1 2 3x", "s 1 2 3", "u 1 a"}},
        {ORDER_START, -1, true, {"", "x", "i", "i 0", "i -1", "i 1x", "i 1 2", "s 1 2 3"}},
    };
    const struct cal_event one = added(draft("One", ""));
    for (size_t i = 0; i < SOSIA_LEN(all); i++)
        for (size_t k = 0; all[i].wrong[k]; k++) {
            struct cal_event_query q = everything();
            const char *position;
            int n = 0;
            q.order = all[i].order, q.changed = all[i].changed;
            q.uid = all[i].of_uid ? one.uid : NULL;
            q.position = all[i].wrong[k];
            if (cal_event_list(&tx, &ada, &q, count, &n, &position) != -1)
                fail_msg("%zu: \"%s\" is a position", i, all[i].wrong[k]);
            assert_int_equal(cal_reason_of(tx.err), CAL_BAD_POSITION);
            assert_int_equal(n, 0);
            *tx.err = (struct sosia_err){0};
        }
}

/* ---- filters ---- */

static void what_changed_since(void **state)
{
    (void)state;
    struct cal_event a = named("a", draft("A", "")), b = named("b", draft("B", "bob")), old, ev;
    struct cal_event c = named("c", draft("C", ""));
    LISTED(&ada, "a b c", q.changed = 0);
    LISTED(&ada, "a b c", q.changed = a.change - 1);
    LISTED(&ada, "b c", q.changed = a.change);
    LISTED(&ada, "", q.changed = c.change);
    old = ev = a;
    ev.summary = "Other";
    OK(saved(&ada, &old, &ev));
    assert_true(ev.change > c.change);
    LISTED(&ada, "a", q.changed = c.change);
    LISTED(&ada, "b c a", q.changed = a.change);
    OK(cal_event_cancel(&tx, ALL, &ada, &b));
    LISTED(&ada, "a b", q.changed = c.change); /* cancelled ones too */
    LISTED(&bob, "b", q.changed = c.change);
    LISTED(&ada, "a c", q.order = ORDER_START, q.min_us = NOON - 1);
    LISTED(&ada, "a b c", q.deleted = true, q.order = ORDER_START, q.limit = 1);
}

static void times_of_change(void **state)
{
    (void)state;
    struct cal_event a = named("a", draft("A", ""));
    for (int order = ORDER_START; order <= ORDER_UPDATE; order++) {
        LISTED(&ada, "a", q.order = (enum cal_event_order)order, q.updated_min_us = a.updated_us);
        LISTED(&ada, "", q.order = (enum cal_event_order)order,
               q.updated_min_us = a.updated_us + 1);
    }
    OK(cal_event_cancel(&tx, ALL, &ada, &a));
    assert_true(a.updated_us > tx.now_us);
    LISTED(&ada, "", q.limit = 100);
    LISTED(&ada, "a", q.updated_min_us = a.updated_us);
}

static void kinds_properties_and_answers(void **state)
{
    (void)state;
    static const struct cal_event_property k_v = {"k", "v"}, k_w = {"k", "w"}, c_d = {"c", "d"},
                                           two[] = {{"k", "w"}, {"l", "m"}};
    struct cal_event ev = draft("Away", "");
    ev.kind = KIND_AWAY;
    named("away", ev);
    ev = draft("Place", "");
    ev.kind = KIND_PLACE, ev.own_props = "{\"k\":\"v\",\"l\":\"m\"}";
    named("place", ev);
    ev = draft("Plain", "");
    ev.props = "{\"c\":\"d\"}", ev.own_props = "{\"k\":\"w\"}";
    named("plain", ev);
    ev = draft("Private", "bob");
    ev.visibility = VISIBLE_PRIVATE, ev.kind = KIND_FOCUS, ev.own_props = "{\"k\":\"v\"}";
    named("secret", ev);
    LISTED(&ada, "away", q.kinds = 1u << KIND_AWAY);
    LISTED(&ada, "away place", q.kinds = 1u << KIND_AWAY | 1u << KIND_PLACE);
    LISTED(&ada, "plain", q.kinds = 1u << KIND_DEFAULT);
    LISTED(&ada, "secret", q.kinds = 1u << KIND_FOCUS);
    LISTED(&ada, "place secret", q.own_props = &k_v, q.n_own_props = 1);
    LISTED(&ada, "plain", q.own_props = &k_w, q.n_own_props = 1);
    LISTED(&ada, "place plain", q.own_props = two, q.n_own_props = 2); /* one of them holds */
    LISTED(&ada, "plain", q.props = &c_d, q.n_props = 1);
    LISTED(&ada, "", q.props = &k_v, q.n_props = 1);
    LISTED(&ada, "", q.props = &c_d, q.n_props = 1, q.own_props = &k_v, q.n_own_props = 1);
    LISTED(&ada, "plain", q.props = &c_d, q.n_props = 1, q.own_props = &k_w, q.n_own_props = 1);
    /* What is kept from a reader is not found by looking for it. */
    struct calendar read = ada;
    read.role = CAL_READ;
    LISTED(&read, "plain secret", q.kinds = 1u << KIND_DEFAULT);
    LISTED(&read, "", q.kinds = 1u << KIND_FOCUS);
    LISTED(&read, "place", q.own_props = &k_v, q.n_own_props = 1);
    LISTED(&read, "", q.text = "private");
    LISTED(&ada, "secret", q.text = "private");
    LISTED(&read, "", q.text = "bob@acme.example");
    LISTED(&ada, "secret", q.text = "bob@acme.example");
    LISTED(&read, "plain", q.text = "plain");
    /* Invitations that nobody answered. */
    LISTED(&bob, "secret", q.limit = 100);
    LISTED(&bob, "", q.no_open_invitations = true);
    struct cal_event copy;
    assert_int_equal(cal_event_find(&tx, &bob, "secret", &copy), 1);
    OK(cal_event_load_attendees(&tx, &copy));
    answer(&bob, &copy, RESPONSE_DECLINED);
    LISTED(&bob, "secret", q.no_open_invitations = true);
    LISTED(&ada, "away place plain secret", q.no_open_invitations = true);
}

/* ---- series ---- */

static struct cal_event weekly(void)
{
    struct cal_event series = draft("Weekly", "bob"), was, is;
    series.recurrence = "RRULE:FREQ=DAILY;COUNT=5";
    series = named("w", series);
    for (int day = 1; day < 4; day++) {
        assert_int_equal(cal_event_instance(&tx, &ada, &series, false, NOON + day * DAY, &was), 1);
        OK(cal_event_load_attendees(&tx, &was));
        is = was;
        if (day == 1)
            is.start_us += 100 * DAY;
        else if (day == 2)
            is.status = EVENT_CANCELLED;
        else
            is.start_us = NOON - 12 * HOUR, is.len_us = DAY, is.all_day = true;
        OK(saved(&ada, &was, &is));
    }
    return again(&series);
}

#define W0 "w_20260320T120000Z"
#define W1 "w_20260321T120000Z" /* a hundred days later */
#define W2 "w_20260322T120000Z" /* cancelled */
#define W3 "w_20260323T120000Z" /* the whole first day */
#define W4 "w_20260324T120000Z"

static void the_instances_of_a_series(void **state)
{
    (void)state;
    struct cal_event series = weekly(), single = named("x", draft("Single", ""));
    LISTED(&ada, W3 " " W0 " " W4 " " W1, q.series = &series);
    LISTED(&ada, W3 " " W0 " " W4 " " W1, q.series = &series, q.limit = 1);
    LISTED(&ada, W3 " " W0 " " W2 " " W4 " " W1, q.series = &series, q.deleted = true);
    LISTED(&ada, W3 " " W0, q.series = &series, q.max_us = NOON + 4 * DAY);
    LISTED(&ada, W4 " " W1, q.series = &series, q.min_us = NOON + 4 * DAY);
    LISTED(&ada, W1, q.series = &series, q.min_us = NOON + 4 * DAY + HOUR);
    LISTED(&ada, W4 " " W1, q.series = &series, q.min_us = NOON + 4 * DAY + HOUR,
           q.min_included = true);
    LISTED(&ada, "", q.series = &series, q.min_us = NOON + 101 * DAY + HOUR);
    LISTED(&ada, W3 " " W0, q.series = &series, q.min_us = NOON - 13 * HOUR, q.max_us = NOON + 1);
    for (int day = 0; day < 5; day++) {
        static const char *const keys[] = {W0, W1, "", W3, W4};
        LISTED(&ada, keys[day], q.series = &series, q.has_original = true,
               q.original_us = NOON + day * DAY);
    }
    LISTED(&ada, W2, q.series = &series, q.has_original = true, q.original_us = NOON + 2 * DAY,
           q.deleted = true);
    LISTED(&ada, "", q.series = &series, q.has_original = true, q.original_us = NOON + 1);
    LISTED(&ada, "x", q.series = &single);
    LISTED(&ada, "", q.series = &single, q.min_us = NOON + HOUR);
    /* In other lists. */
    LISTED(&ada, W3 " " W0 " x " W4 " " W1, q.single = true);
    LISTED(&ada, "x w " W1 " " W2 " " W3, q.order = ORDER_UPDATE);
    LISTED(&ada, "x " W0 " " W1 " " W3 " " W4, q.order = ORDER_UPDATE, q.single = true);
    LISTED(&ada, W3 " " W0 " " W4 " " W1, q.uid = series.uid, q.single = true);
    LISTED(&ada, "w " W1 " " W2 " " W3, q.uid = series.uid);
    LISTED(&ada, "w " W1 " " W2 " " W3, q.uid = series.uid, q.limit = 1);
    LISTED(&ada, "x", q.uid = single.uid);
    LISTED(&ada, "x", q.uid = single.uid, q.single = true);
    LISTED(&ada, "", q.uid = "none@acme.example");
    LISTED(&bob, W3 " " W0 " " W4 " " W1, q.uid = series.uid, q.single = true);
    /* Without the series its instances are nowhere, but for who wants cancelled ones. */
    OK(cal_event_cancel(&tx, ALL, &ada, &series));
    LISTED(&ada, "x", q.single = true);
    LISTED(&ada, "x", q.limit = 100);
    LISTED(&ada, "", q.uid = series.uid, q.single = true);
    LISTED(&ada, "", q.uid = series.uid);
    LISTED(&ada, "", q.series = &series);
    LISTED(&ada, W3 " " W0 " " W2 " " W4 " " W1, q.series = &series, q.deleted = true,
           q.single = true);
    LISTED(&ada, W3 " " W0 " " W2 " " W4 " " W1, q.uid = series.uid, q.single = true,
           q.deleted = true);
    LISTED(&ada, "w", q.uid = series.uid, q.deleted = true);
    LISTED(&ada, W3 " " W0 " x " W2 " " W4 " " W1, q.single = true, q.deleted = true);
    LISTED(&ada, "x w", q.deleted = true);
}

/* ---- rows as they are stored ---- */

static int with_row(void *arg, struct cal_event *ev, const struct record *row)
{
    char *keys = arg;
    const void *bytes = NULL, *twice = NULL;
    size_t n = 0, n_twice = 0;
    bool is = row && cal_event_stored(&tx, ev, row, &bytes, &n);
    if (is) {
        assert_true(n > 0);
        assert_true(cal_event_stored(&tx, ev, row, &twice, &n_twice));
        assert_int_equal(n, n_twice);
        assert_memory_equal(bytes, twice, n);
    }
    sprintf(keys + strlen(keys), " %s%s", ev->key, is ? "" : "*");
    return 0;
}

static const char *rows(struct cal_event_query q)
{
    static char keys[1000];
    const char *position;
    keys[0] = 0;
    OK(cal_event_list(&tx, &ada, &q, with_row, keys, &position));
    return keys;
}

static void events_come_with_the_rows_that_they_are_made_of(void **state)
{
    (void)state;
    struct cal_event series = draft("Daily", "bob");
    struct cal_event_query q = everything();
    series.recurrence = "RRULE:FREQ=DAILY;COUNT=2";
    named("s", series);
    named("one", draft("One", "bob dan"));
    named("two", draft("Two", ""));
    commit();
    begin_again();
    assert_string_equal(rows(q), " one two s");
    q.single = true;
    assert_string_equal(rows(q), " s_20260320T120000Z* one two s_20260321T120000Z*");
    q.series_rows = true;
    assert_string_equal(rows(q), " s_20260320T120000Z one two s_20260321T120000Z");
    q.order = ORDER_UPDATE;
    assert_string_equal(rows(q), " one s_20260320T120000Z* s_20260321T120000Z* two");
    OK(sql_exec(tx.db, "update cal_attendee set event = event", tx.err));
    assert_string_equal(rows(q), " one* s_20260320T120000Z* s_20260321T120000Z* two");
}

/* ---- the newest ---- */

static void the_newest_come_first_among_those_of_others(void **state)
{
    (void)state;
    struct cal_newest list;
    struct cal_event ev;
    int64_t ids[8];
    for (int later = 0; later < 2; later++) {
        for (int i = 0; i < 8; i++) {
            /* Between them lie more and more of bob's: they are walked over, then looked up. */
            for (int k = 0; k < (i % 4) * 90; k++) {
                struct cal_event others = draft("Other", "");
                OK(cal_event_add(&tx, ALL, &bob, &others));
            }
            ids[i] = added(draft("Mine", "")).id;
        }
        commit();
        begin_again();
        OK(cal_event_newest(&tx, ada.id, &list));
        for (int i = 7; i >= 0; i--) {
            assert_int_equal(cal_event_newest_next(&tx, &list, &ev), 1);
            assert_int_equal(ev.id, ids[i]);
            assert_string_equal(ev.summary, "Mine");
        }
        for (int i = 0; i < later * 8; i++)
            assert_int_equal(cal_event_newest_next(&tx, &list, &ev), 1);
        assert_int_equal(cal_event_newest_next(&tx, &list, &ev), 0);
        assert_int_equal(cal_event_newest_next(&tx, &list, &ev), 0);
    }
    OK(cal_event_newest(&tx, cyd.id, &list));
    assert_int_equal(cal_event_newest_next(&tx, &list, &ev), 0);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup_teardown(pages_of_any_size_have_all_of_it_once, begin, end),
    cmocka_unit_test_setup_teardown(a_caller_that_fails_ends_the_list, begin, end),
    cmocka_unit_test_setup_teardown(a_position_is_of_its_own_list, begin, end),
    cmocka_unit_test_setup_teardown(what_changed_since, begin, end),
    cmocka_unit_test_setup_teardown(times_of_change, begin, end),
    cmocka_unit_test_setup_teardown(kinds_properties_and_answers, begin, end),
    cmocka_unit_test_setup_teardown(the_instances_of_a_series, begin, end),
    cmocka_unit_test_setup_teardown(events_come_with_the_rows_that_they_are_made_of, begin, end),
    cmocka_unit_test_setup_teardown(the_newest_come_first_among_those_of_others, begin, end),
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
