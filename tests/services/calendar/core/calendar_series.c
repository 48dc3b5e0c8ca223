/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Series and what belongs to them: which of its members an instance still has of its series when
 * that changes, how rules are written, what becomes of changed instances while their series is
 * cancelled. Once for each of two vendors.
 */
#include "engine/service.h"
#include "services/calendar/core/event/series.h"
#include "tests/services/calendar/core/cal_vendors.h"
#include "tests/support/unit.h"
#include "tests/support/world.h"

#define DAY (24 * HOUR)

static struct cal_event instance(const struct calendar *cal, const struct cal_event *series,
                                 int day)
{
    struct cal_event ev;
    const struct cal_event theirs = copy_in(cal, series);
    assert_int_equal(cal_event_instance(&tx, cal, &theirs, theirs.all_day, NOON + day * DAY, &ev),
                     1);
    OK(cal_event_load_attendees(&tx, &ev));
    return ev;
}

/* ---- members ---- */

enum { MEMBERS = 22 };

/* Gives a member one of three values. */
static void set(struct cal_event *ev, int member, int value)
{
    static const char *const zones[] = {"UTC", "Africa/Abidjan", "Africa/Accra"};
    const char *text = arena_printf(tx.arena, "value %d", value);
    const char *list = arena_printf(tx.arena, "[\"%d\"]", value);
    const char *object = arena_printf(tx.arena, "{\"n\":\"%d\"}", value);
    const char **const texts[] = {&ev->summary,      &ev->description, &ev->location,  &ev->color,
                                  &ev->decline_text, &ev->place,       &ev->conference};
    const char **const objects[] = {&ev->own_props, &ev->props, &ev->extra};
    if (member < 7)
        *texts[member] = text;
    else if (member < 10)
        *objects[member - 7] = object;
    else if (member == 10)
        ev->categories = list;
    else if (member == 11)
        ev->reminders = arena_printf(tx.arena, "[{\"method\":\"email\",\"minutes\":%d}]", value);
    else if (member == 12)
        ev->zone = zones[value];
    else if (member == 13)
        ev->decline = (enum cal_decline)value;
    else if (member == 14)
        ev->visibility = (enum cal_event_visibility)value;
    else if (member == 15)
        ev->rights = 1u << value;
    else if (member == 16)
        ev->busy = (enum cal_busy)value;
    else if (member == 17)
        ev->importance = (enum cal_importance)value;
    else if (member == 18)
        ev->reminder_on = value == 1;
    else if (member == 19)
        ev->reminder_minutes = value;
    else if (member == 20)
        ev->status = value == 1 ? EVENT_TENTATIVE : EVENT_CONFIRMED;
    else
        ev->len_us = HOUR * (value + 1);
}

static bool same(const struct cal_event *ev, int member, int value)
{
    struct cal_event as = *ev;
    set(&as, member, value);
    return cal_event_compare(ev, &as) == 0;
}

static void an_instance_has_what_it_does_not_say_of_its_series(void **state)
{
    (void)state;
    for (int member = 0; member < MEMBERS; member++) {
        struct cal_event series = draft("", ""), old, to, was, is;
        series.recurrence = "RRULE:FREQ=DAILY;COUNT=4";
        for (int i = 0; i < MEMBERS; i++)
            set(&series, i, 0);
        series = added(series);
        for (int day = 1; day < 3; day++) {
            was = is = instance(&ada, &series, day);
            set(&is, day == 2 ? member : member ? 0 : 1, 2);
            OK(saved(&ada, &was, &is));
        }
        old = to = again(&series);
        set(&to, member, 1);
        OK(saved(&ada, &old, &to));
        for (int day = 0; day < 4; day++) {
            is = instance(&ada, &series, day);
            /* A truth that the instance had set has no third value. */
            const int expected = day == 2 && member != 18 && member != 20 ? 2 : 1;
            if (!same(&is, member, expected))
                fail_msg("member %d on day %d", member, day);
            for (int i = 0; i < MEMBERS; i++)
                if (i != member && !(day == 1 && i == (member ? 0 : 1)) && !same(&is, i, 0))
                    fail_msg("member %d on day %d, by %d", i, day, member);
            assert_int_equal(is.updated_us, again(&series).updated_us);
            assert_int_equal(is.change, again(&series).change);
        }
        assert_true(same(&(struct cal_event){.summary = "value 2"}, 0, 2));
    }
}

/* Of one that was moved the time is its own, and its length too. */
static void a_moved_instance_has_its_own_length(void **state)
{
    (void)state;
    struct cal_event series = draft("Daily", ""), old, to, was, is;
    series.recurrence = "RRULE:FREQ=DAILY;COUNT=4";
    series = added(series);
    for (int day = 1; day < 3; day++) {
        was = is = instance(&ada, &series, day);
        is.summary = "Changed";
        is.start_us += (day - 1) * HOUR;
        OK(saved(&ada, &was, &is));
    }
    old = to = again(&series);
    to.len_us = 2 * HOUR;
    OK(saved(&ada, &old, &to));
    assert_int_equal(instance(&ada, &series, 0).len_us, 2 * HOUR);
    assert_int_equal(instance(&ada, &series, 1).len_us, 2 * HOUR);
    assert_int_equal(instance(&ada, &series, 1).last_us, NOON + DAY + 2 * HOUR);
    assert_int_equal(instance(&ada, &series, 2).len_us, HOUR);
}

/* ---- rules ---- */

static void rules_have_one_form(void **state)
{
    (void)state;
    static const struct {
        const char *as, *is;
        int64_t last_us; /* end of the last one that the rules have, from noon; -1: none */
    } all[] = {
        {"RRULE:FREQ=DAILY;COUNT=3", "RRULE:FREQ=DAILY;COUNT=3", 2 * DAY + HOUR},
        {"rrule:count=3;freq=daily", "RRULE:FREQ=DAILY;COUNT=3", 2 * DAY + HOUR},
        {"RRULE:INTERVAL=2;UNTIL=20260326T120000Z;WKST=su;FREQ=DAILY",
         "RRULE:FREQ=DAILY;WKST=SU;UNTIL=20260326T120000Z;INTERVAL=2", 6 * DAY + HOUR},
        {"RRULE:FREQ=WEEKLY;BYDAY=fr,sa", "RRULE:FREQ=WEEKLY;BYDAY=FR,SA", -1},
        {"RRULE:BYSETPOS=1;BYHOUR=12;BYMONTHDAY=20,21;BYMONTH=3;FREQ=YEARLY;COUNT=1",
         "RRULE:FREQ=YEARLY;COUNT=1;BYMONTH=3;BYMONTHDAY=20,21;BYHOUR=12;BYSETPOS=1", HOUR},
        {"RRULE:FREQ=DAILY;COUNT=2\nEXDATE:20260321T120000Z",
         "RRULE:FREQ=DAILY;COUNT=2\nEXDATE:20260321T120000Z", DAY + HOUR},
        {"RDATE:20260401T120000Z\nrrule:COUNT=2;FREQ=DAILY",
         "RDATE:20260401T120000Z\nRRULE:FREQ=DAILY;COUNT=2", 12 * DAY + HOUR},
        {"RRULE:FREQ=DAILY;COUNT=4\nexrule:count=1;freq=daily",
         "RRULE:FREQ=DAILY;COUNT=4\nEXRULE:FREQ=DAILY;COUNT=1", 3 * DAY + HOUR},
    };
    for (size_t i = 0; i < SOSIA_LEN(all); i++) {
        struct cal_event ev = draft("Series", "");
        ev.recurrence = all[i].as;
        ev = added(ev);
        assert_int_equal(ev.form, EVENT_SERIES);
        assert_string_equal(ev.recurrence, all[i].is);
        assert_string_equal(again(&ev).recurrence, all[i].is);
        if (again(&ev).last_us != (all[i].last_us < 0 ? INT64_MAX : NOON + all[i].last_us))
            fail_msg("%s ends at %lld", all[i].as, (long long)again(&ev).last_us);
    }
    static const char *const wrong[] = {"",
                                        "x",
                                        "RRULE:",
                                        "RRULE:FREQ=DAILY;COUNT=0",
                                        "RRULE:FREQ=DAILY\n",
                                        "RRULE:FREQ=DAILY;FREQ=DAILY"};
    for (size_t i = 0; i < SOSIA_LEN(wrong); i++) {
        struct cal_event ev = draft("Series", "");
        ev.recurrence = wrong[i];
        int r = cal_event_add(&tx, ALL, &ada, &ev);
        if (r != -1 || cal_reason_of(tx.err) != CAL_BAD_RECURRENCE)
            fail_msg("\"%s\": %d", wrong[i], r);
        *tx.err = (struct sosia_err){0};
    }
}

/* A walk over the instances that nobody changed, from anywhere to anywhere. */
static void a_walk_over_instances(void **state)
{
    (void)state;
    struct cal_event series = draft("Daily", ""), was, is;
    struct series *walk = arena_calloc(tx.arena, 1, sizeof *walk);
    series.recurrence = "RRULE:FREQ=DAILY;COUNT=6";
    series = added(series);
    for (int day = 1; day < 5; day += 3) {
        was = is = instance(&ada, &series, day);
        is.start_us += DAY / 2;
        OK(saved(&ada, &was, &is));
    }
    series = again(&series);
    static const struct {
        int64_t from_us, until_us;
        const char *days;
    } all[] = {
        {-DAY, 9 * DAY, "0235"},     {0, 9 * DAY, "0235"},        {1, 9 * DAY, "235"},
        {-1, 9 * DAY, "0235"},       {2 * DAY, 9 * DAY, "235"},   {2 * DAY + 1, 9 * DAY, "35"},
        {-DAY, 5 * DAY, "023"},      {-DAY, 5 * DAY + 1, "0235"}, {DAY, 2 * DAY, ""},
        {4 * DAY, 5 * DAY + 1, "5"}, {6 * DAY, 9 * DAY, ""},      {-DAY, 0, ""}};
    for (size_t i = 0; i < SOSIA_LEN(all); i++) {
        char days[10] = "";
        int64_t start;
        size_t n = 0;
        OK(series_open(&tx, &ada, &series, NOON + all[i].from_us, NOON + all[i].until_us, walk));
        while (series_next(walk, &start)) {
            assert_int_equal((start - NOON) % DAY, 0);
            days[n++] = (char)('0' + (start - NOON) / DAY);
            series_make(walk, start, &is);
            assert_int_equal(is.id, 0);
            assert_int_equal(is.form, EVENT_INSTANCE);
            assert_int_equal(is.master, series.id);
            assert_int_equal(is.original_us, start);
            assert_int_equal(is.start_us, start);
            assert_int_equal(is.last_us, start + HOUR);
            assert_int_equal(is.n_instances, 0);
            assert_null(is.recurrence);
        }
        if (strcmp(days, all[i].days) != 0)
            fail_msg("%zu: %s", i, days);
    }
}

/* The clock shows half past two twice in the night of 2026-10-25: the first instance is when it was
 * said to be. */
static void a_series_that_starts_in_an_hour_that_is_twice(void **state)
{
    (void)state;
    const int64_t half_past_two = NOON + 218 * DAY + 24 * HOUR - 23 * HOUR / 2;
    for (int second = 0; second < 2; second++) {
        struct cal_event series = draft("Nightly", ""), one;
        series.start_us = half_past_two + second * HOUR;
        series.zone = "Europe/Rome", series.recurrence = "RRULE:FREQ=DAILY;COUNT=2";
        series = added(series);
        assert_int_equal(cal_event_instance(&tx, &ada, &series, false, series.start_us, &one), 1);
        assert_int_equal(one.start_us, series.start_us);
        assert_int_equal(cal_event_instance(&tx, &ada, &series, false,
                                            series.start_us + (second ? -HOUR : HOUR), &one),
                         0);
    }
}

/* ---- cancelled and restored ---- */

/* The same where no calendar names a vendor. */
static void a_guest_takes_a_series_away_and_back(void **state)
{
    (void)state;
    for (int vendors = 1; vendors >= 0; vendors--) {
        if (!vendors && subject != &acme) /* the first one of the engine */
            return;
        if (!vendors)
            OK(sql_exec(tx.db, "update cal_calendar set account = null, vendor = null", tx.err));
        struct cal_event series = draft("Daily", "bob cyd"), was, is, old, to;
        series.recurrence = "RRULE:FREQ=DAILY;COUNT=4";
        series = added(series);
        was = is = instance(&ada, &series, 1);
        is.summary = "Changed";
        OK(saved(&ada, &was, &is));
        old = copy_in(&bob, &series);
        OK(cal_event_cancel(&tx, ALL, &bob, &old));
        assert_int_equal(copy_in(&bob, &series).n_instances, 0);
        old = to = copy_in(&bob, &series);
        to.status = EVENT_CONFIRMED;
        OK(saved(&bob, &old, &to));
        assert_false(copy_in(&bob, &series).removed);
        assert_int_equal(copy_in(&bob, &series).n_instances, 1);
        assert_string_equal(instance(&bob, &series, 1).summary, "Changed");
        assert_int_equal(instance(&cyd, &series, 1).status, EVENT_CONFIRMED);
    }
}

static void instances_sleep_with_their_series(void **state)
{
    (void)state;
    struct cal_event series = draft("Daily", "bob dan"), was, is, old, to;
    series.recurrence = "RRULE:FREQ=DAILY;COUNT=6";
    series = added(series);
    for (int day = 1; day < 4; day++) {
        was = is = instance(&ada, &series, day);
        is.summary = "Changed", is.rights = GUESTS_DONT_INVITE;
        is.status = day == 1 ? EVENT_CONFIRMED : day == 2 ? EVENT_TENTATIVE : EVENT_CANCELLED;
        OK(saved(&ada, &was, &is));
    }
    for (int twice = 0; twice < 2; twice++) {
        old = again(&series);
        OK(cal_event_cancel(&tx, ALL, &ada, &old));
        for (int day = 1; day < 4; day++) {
            is = instance(&ada, &series, day);
            assert_int_equal(is.status, EVENT_CANCELLED);
            assert_true(event_is_suspended(&is));
            assert_int_equal(is.updated_us, old.updated_us);
        }
        assert_int_equal(copy_in(&bob, &series).status, EVENT_CANCELLED);
        assert_int_equal(copy_in(&bob, &series).n_instances, 0);
        assert_int_equal(busy_times(&bob), 0);
        old = to = again(&series);
        to.status = EVENT_CONFIRMED;
        OK(saved(&ada, &old, &to));
        const struct calendar *const all[] = {&ada, &bob, &dan};
        for (size_t i = 0; i < 3; i++)
            for (int day = 1; day < 4; day++) {
                is = instance(all[i], &series, day);
                assert_int_equal(is.status, day == 1   ? EVENT_CONFIRMED
                                            : day == 2 ? EVENT_TENTATIVE
                                                       : EVENT_CANCELLED);
                assert_false(event_is_suspended(&is));
                assert_int_equal(is.rights, GUESTS_DONT_INVITE);
                assert_string_equal(is.summary, "Changed");
                assert_int_equal(is.n_attendees, 2);
            }
        assert_int_equal(again(&series).n_instances, 3);
        assert_int_equal(busy_times(&bob), 1);
    }
    /* A guest who takes the series away and back has its instances as they are. */
    old = copy_in(&bob, &series);
    OK(cal_event_cancel(&tx, ALL, &bob, &old));
    old = to = copy_in(&bob, &series);
    to.status = EVENT_CONFIRMED;
    OK(saved(&bob, &old, &to));
    assert_string_equal(instance(&bob, &series, 1).summary, "Changed");
    assert_int_equal(instance(&bob, &series, 2).status, EVENT_TENTATIVE);
    assert_int_equal(instance(&bob, &series, 1).master, copy_in(&bob, &series).id);
}

static void a_series_that_becomes_one_event_has_no_instances(void **state)
{
    (void)state;
    struct cal_event series = draft("Daily", "bob"), was, is, old, to;
    series.recurrence = "RRULE:FREQ=DAILY;COUNT=6";
    series = added(series);
    was = is = instance(&ada, &series, 1);
    is.summary = "Changed";
    OK(saved(&ada, &was, &is));
    const struct cal_event copy = instance(&bob, &series, 1);
    old = to = again(&series);
    to.recurrence = NULL;
    OK(saved(&ada, &old, &to));
    assert_int_equal(again(&series).form, EVENT_SINGLE);
    assert_int_equal(again(&series).last_us, NOON + HOUR);
    assert_int_equal(again(&is).status, EVENT_CANCELLED);
    assert_int_equal(again(&is).master, 0);
    assert_int_equal(again(&copy).status, EVENT_CANCELLED);
    assert_int_equal(copy_in(&bob, &series).form, EVENT_SINGLE);
    /* A shorter one keeps those that it still has. */
    series = draft("Daily", "");
    series.recurrence = "RRULE:FREQ=DAILY;COUNT=6";
    series = added(series);
    struct cal_event changed[2];
    for (int k = 0; k < 2; k++) {
        was = changed[k] = instance(&ada, &series, 1 + 3 * k);
        changed[k].summary = "Changed";
        OK(saved(&ada, &was, &changed[k]));
    }
    old = to = again(&series);
    to.recurrence = "RRULE:FREQ=DAILY;COUNT=3";
    OK(saved(&ada, &old, &to));
    assert_int_equal(again(&changed[0]).status, EVENT_CONFIRMED);
    assert_int_equal(again(&changed[0]).master, series.id);
    assert_int_equal(again(&changed[1]).status, EVENT_CANCELLED);
    assert_int_equal(again(&changed[1]).change, again(&series).change);
    assert_int_equal(again(&series).n_instances, 1);
    assert_int_equal(cal_event_find(&tx, &ada, changed[1].key, &is), 1);
    assert_int_equal(is.status, EVENT_CANCELLED); /* a trace */
    old = to = again(&series);
    to.recurrence = "RRULE:FREQ=DAILY;COUNT=6";
    OK(saved(&ada, &old, &to));
    is = instance(&ada, &series, 4); /* it has it again, as the others */
    assert_int_equal(is.id, 0);
    assert_string_equal(is.summary, "Daily");
    was = is;
    is.summary = "Again";
    OK(saved(&ada, &was, &is));
    assert_string_equal(instance(&ada, &series, 4).summary, "Again");
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup_teardown(an_instance_has_what_it_does_not_say_of_its_series, begin, end),
    cmocka_unit_test_setup_teardown(a_moved_instance_has_its_own_length, begin, end),
    cmocka_unit_test_setup_teardown(rules_have_one_form, begin, end),
    cmocka_unit_test_setup_teardown(a_walk_over_instances, begin, end),
    cmocka_unit_test_setup_teardown(a_series_that_starts_in_an_hour_that_is_twice, begin, end),
    cmocka_unit_test_setup_teardown(a_guest_takes_a_series_away_and_back, begin, end),
    cmocka_unit_test_setup_teardown(instances_sleep_with_their_series, begin, end),
    cmocka_unit_test_setup_teardown(a_series_that_becomes_one_event_has_no_instances, begin, end),
};

static int open_engine(void **state)
{
    (void)state;
    return test_open_engine_of(services);
}

int main(void)
{
    int failed = 0;
    for (int i = 0; i < 2; i++) {
        subject = i ? &globex : &acme;
        other = i ? &acme : &globex;
        failed += cmocka_run_group_tests_name(subject->name, tests, open_engine, test_close_engine);
    }
    return failed;
}
