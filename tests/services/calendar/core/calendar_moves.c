/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events that go to another calendar: what the new one has of them, what is left behind, whom they
 * follow; then what differs between two states of an event, and what is counted of its properties.
 * Once for each of two vendors.
 */
#include "engine/service.h"
#include "tests/services/calendar/core/cal_vendors.h"
#include "tests/support/unit.h"
#include "tests/support/world.h"

#define DAY (24 * HOUR)

static struct calendar team;

static int set_up(void **state)
{
    begin(state);
    team = (struct calendar){.owner = ada.owner, .summary = "Team", .zone = "Asia/Tokyo"};
    OK(calendar_add(&tx, &team));
    return 0;
}

static struct cal_event moved(struct cal_event ev, const struct calendar *from,
                              const struct calendar *to)
{
    struct cal_event is;
    OK(cal_event_move(&tx, ALL, from, &ev, to, &is));
    return is;
}

static struct cal_event there(const struct calendar *cal, const char *key)
{
    struct cal_event ev;
    if (cal_event_find(&tx, cal, key, &ev) != 1)
        fail_msg("%s has no %s", cal->summary, key);
    OK(cal_event_load_attendees(&tx, &ev));
    return ev;
}

static void what_is_left_is_a_trace(void **state)
{
    (void)state;
    struct cal_event ev = draft("One", "bob"), is, left;
    ev.zone = NULL, ev.location = "Here", ev.color = "4", ev.own_props = "{\"k\":\"v\"}";
    ev.categories = "[\"c\"]", ev.place = "desk", ev.description = "Words";
    ev = added(ev);
    is = moved(ev, &ada, &team);
    assert_int_equal(is.calendar, team.id);
    assert_string_equal(is.key, ev.key);
    assert_string_equal(is.uid, ev.uid);
    assert_string_equal(is.zone, ada.zone); /* in which its times were meant */
    assert_null(is.organizer);
    assert_int_equal(is.origin, 0);
    assert_string_equal(is.location, "Here");
    assert_string_equal(is.color, "4");
    assert_true(is.change > ev.change);
    assert_true(is.updated_us > ev.updated_us);
    if (strcmp(ada.address, team.address) != 0)
        assert_string_equal(is.creator, ada.address);
    left = again(&ev);
    assert_int_equal(left.status, EVENT_CANCELLED);
    assert_true(event_is_trace(&left));
    assert_string_equal(left.organizer, team.address);
    assert_int_equal(left.n_attendees, 0);
    assert_null(left.summary);
    assert_null(left.description);
    assert_null(left.location);
    assert_null(left.own_props);
    assert_null(left.categories);
    assert_null(left.place);
    assert_int_equal(left.change, is.change);
    assert_int_equal(left.updated_us, is.updated_us);
    assert_int_equal(copy_in(&bob, &ev).origin, is.id);
    assert_string_equal(copy_in(&bob, &ev).organizer, team.address);
    /* Back to the trace: it was never away. */
    is = moved(there(&team, ev.key), &team, &ada);
    assert_int_equal(is.id, ev.id);
    assert_null(is.creator);
    assert_string_equal(again(&ev).summary, "One");
    assert_int_equal(again(&ev).status, EVENT_CONFIRMED);
    assert_int_equal(again(&ev).n_attendees, 1);
    assert_string_equal(copy_in(&bob, &ev).organizer, ada.address);
    assert_int_equal(copy_in(&bob, &ev).origin, ev.id);
    assert_int_equal(there(&team, ev.key).status, EVENT_CANCELLED);
    /* Of days there is no zone. */
    struct cal_event day = {
        .summary = "Day", .start_us = NOON - DAY / 2, .len_us = DAY, .all_day = true};
    assert_null(moved(added(day), &ada, &team).zone);
}

static void an_owner_who_is_a_guest_keeps_a_copy(void **state)
{
    (void)state;
    struct cal_event ev = draft("One", "ada bob"), is, left;
    ev.zone = NULL, ev.color = "4", ev.attendees[0].response = RESPONSE_ACCEPTED;
    ev = added(ev);
    is = moved(ev, &ada, &team);
    left = again(&ev);
    assert_int_equal(left.status, EVENT_CONFIRMED);
    assert_int_equal(left.origin, is.id);
    assert_string_equal(left.organizer, team.address);
    assert_string_equal(left.summary, "One");
    assert_string_equal(left.color, "4");
    assert_string_equal(left.zone, ada.zone);
    assert_int_equal(left.response, RESPONSE_ACCEPTED);
    assert_int_equal(left.n_attendees, 2);
    assert_int_equal(is.response, RESPONSE_NO_GUEST);
    /* It follows from then on. */
    struct cal_event old = there(&team, ev.key), to = old;
    to.summary = "Other";
    OK(saved(&team, &old, &to));
    assert_string_equal(again(&ev).summary, "Other");
}

static void a_guest_who_becomes_the_organizer(void **state)
{
    (void)state;
    struct cal_event ev = added(draft("One", "bob cyd")), copy = copy_in(&bob, &ev), to = copy, is;
    to.color = "5", to.categories = "[\"b\"]", to.reminder_on = true, to.reminder_minutes = 9;
    to.own_props = "{\"b\":\"b\"}", to.busy = BUSY_TENTATIVE, to.reminders = "[]";
    OK(saved(&bob, &copy, &to));
    copy = copy_in(&bob, &ev);
    for (int i = 0; i < 4; i++) { /* later than the event itself */
        to = copy;
        to.color = i % 2 ? "5" : "6";
        OK(saved(&bob, &copy, &to));
        copy = copy_in(&bob, &ev);
    }
    assert_true(copy.updated_us > again(&ev).updated_us);
    is = moved(again(&ev), &ada, &bob);
    assert_int_equal(is.id, copy.id);
    assert_true(is.updated_us > copy.updated_us);
    is = again(&is);
    assert_int_equal(is.origin, 0);
    assert_null(is.organizer);
    assert_string_equal(is.creator, ada.address);
    assert_string_equal(is.color, "5");
    assert_string_equal(is.categories, "[\"b\"]");
    assert_true(is.reminder_on);
    assert_int_equal(is.reminder_minutes, 9);
    assert_string_equal(is.own_props, "{\"b\":\"b\"}");
    assert_string_equal(is.reminders, "[]");
    assert_int_equal(is.busy, BUSY_TENTATIVE);
    assert_int_equal(is.response, RESPONSE_NONE);
    assert_int_equal(is.n_attendees, 2);
    assert_string_equal(copy_in(&cyd, &ev).organizer, bob.address);
    assert_int_equal(again(&ev).status, EVENT_CANCELLED);
}

static void a_series_moves_with_its_instances(void **state)
{
    (void)state;
    struct cal_event series = draft("Daily", "bob ada"), one, was, is;
    series.recurrence = "RRULE:FREQ=DAILY;COUNT=4";
    series = added(series);
    for (int day = 1; day < 3; day++) {
        assert_int_equal(cal_event_instance(&tx, &ada, &series, false, NOON + day * DAY, &was), 1);
        OK(cal_event_load_attendees(&tx, &was));
        is = was;
        if (day == 1)
            is.summary = "Second";
        else
            is.status = EVENT_CANCELLED;
        OK(saved(&ada, &was, &is));
    }
    series = again(&series);
    is = moved(series, &ada, &team);
    for (int day = 1; day < 3; day++) {
        assert_int_equal(cal_event_instance(&tx, &team, &is, false, NOON + day * DAY, &one), 1);
        assert_int_equal(one.master, is.id);
        assert_int_equal(one.updated_us, is.updated_us);
        assert_int_equal(one.change, is.change);
        assert_int_equal(one.status, day == 1 ? EVENT_CONFIRMED : EVENT_CANCELLED);
    }
    assert_int_equal(there(&team, series.key).n_instances, 2);
    assert_int_equal(cal_event_instance(&tx, &team, &is, false, NOON + DAY, &one), 1);
    assert_string_equal(one.summary, "Second");
    /* In its guests' calendars it is a series as before. */
    const struct calendar *const guests[] = {&ada, &bob};
    for (size_t i = 0; i < 2; i++) {
        const struct cal_event copy = copy_in(guests[i], &series);
        assert_int_equal(copy.form, EVENT_SERIES);
        assert_int_equal(copy.origin, is.id);
        assert_string_equal(copy.organizer, team.address);
        assert_int_equal(cal_event_instance(&tx, guests[i], &copy, false, NOON + DAY, &one), 1);
        assert_string_equal(one.summary, "Second");
        assert_int_equal(one.master, copy.id);
    }
    REFUSED(cal_event_move(&tx, ALL, &team, &one, &ada, &was), CAL_NOT_ORGANIZER);
    /* Without guests only traces stay, and none of the instances belongs to one. */
    struct cal_event alone = draft("Alone", "");
    alone.recurrence = "RRULE:FREQ=DAILY;COUNT=3";
    alone = added(alone);
    assert_int_equal(cal_event_instance(&tx, &ada, &alone, false, NOON + DAY, &was), 1);
    OK(cal_event_load_attendees(&tx, &was));
    is = was;
    is.summary = "Changed";
    OK(saved(&ada, &was, &is));
    const struct cal_event row = is;
    alone = again(&alone);
    is = moved(alone, &ada, &team);
    assert_int_equal(again(&alone).form, EVENT_SINGLE);
    assert_null(again(&alone).recurrence);
    assert_int_equal(again(&row).status, EVENT_CANCELLED);
    assert_int_equal(again(&row).master, 0);
    assert_string_equal(there(&team, row.key).summary, "Changed");
    assert_int_equal(cal_event_find(&tx, &ada, row.key, &one), 1);
    assert_int_equal(one.status, EVENT_CANCELLED);
    is = moved(there(&team, alone.key), &team, &ada);
    assert_int_equal(is.id, alone.id);
    assert_string_equal(there(&ada, row.key).summary, "Changed");
    assert_int_equal(there(&ada, row.key).master, alone.id);
    assert_int_equal(again(&alone).n_instances, 1);
}

static void what_may_not_move(void **state)
{
    (void)state;
    struct cal_event ev = added(draft("One", "")), is, own = draft("Own", "");
    own.key = ev.key;
    OK(cal_event_add(&tx, ALL, &team, &own));
    REFUSED(cal_event_move(&tx, ALL, &ada, &ev, &team, &is), CAL_KEY_USED);
    OK(cal_event_cancel(&tx, ALL, &team, &own));
    REFUSED(cal_event_move(&tx, ALL, &ada, &ev, &team, &is), CAL_KEY_USED); /* it was */
    struct cal_event private_copy = draft("Private", "");
    private_copy.rights = EVENT_PRIVATE_COPY;
    private_copy = added(private_copy);
    REFUSED(cal_event_move(&tx, ALL, &ada, &private_copy, &team, &is), CAL_NOT_ORGANIZER);
    struct cal_event theirs = draft("Theirs", "");
    theirs.organizer = "fab@port.example";
    theirs = added(theirs);
    REFUSED(cal_event_move(&tx, ALL, &ada, &theirs, &team, &is), CAL_NOT_ORGANIZER);
    /* To where it is nothing happens. */
    OK(cal_event_move(&tx, ALL, &ada, &ev, &ada, &is));
    assert_int_equal(is.id, ev.id);
    assert_int_equal(again(&ev).change, ev.change);
}

/* ---- single instances ---- */

static void an_instance_gets_a_row_of_its_own(void **state)
{
    (void)state;
    struct cal_event series = draft("Daily", "bob"), one, theirs;
    series.recurrence = "RRULE:FREQ=DAILY;COUNT=4";
    series = added(series);
    assert_int_equal(cal_event_instance(&tx, &ada, &series, false, NOON + DAY, &one), 1);
    assert_int_equal(one.id, 0);
    OK(cal_event_single_out(&tx, &one));
    assert_true(one.id > 0);
    assert_true(one.change > series.change);
    assert_true(one.updated_us > series.updated_us);
    const struct cal_event copy = copy_in(&bob, &series);
    assert_int_equal(cal_event_instance(&tx, &bob, &copy, false, NOON + DAY, &theirs), 1);
    assert_int_equal(theirs.origin, one.id);
    assert_string_equal(theirs.summary, "Daily");
    assert_int_equal(again(&series).n_instances, 1);
    const struct cal_event was = one;
    OK(cal_event_single_out(&tx, &one)); /* it has one */
    assert_int_equal(one.id, was.id);
    assert_int_equal(one.change, was.change);
    assert_int_equal(again(&series).change, was.change);
    /* What dialects keep of it: it and its copies are newer. */
    OK(cal_event_touch(&tx, one.id));
    assert_true(again(&one).change > was.change);
    assert_true(again(&one).updated_us > was.updated_us);
    assert_int_equal(again(&theirs).change, again(&one).change);
    assert_int_equal(copy_in(&bob, &series).change, again(&one).change);
    struct calendar cal;
    assert_int_equal(calendar_by_id(&tx, bob.id, &cal), 1);
    assert_int_equal(cal.newest, again(&one).change);
}

/* ---- what differs ---- */

static void each_part_differs_alone(void **state)
{
    (void)state;
    static struct cal_attendee guest = {.email = "a@x.example", .response = RESPONSE_NONE},
                               other_one = {.email = "a@x.example", .response = RESPONSE_DECLINED};
    const struct cal_event is = {.attendees = &guest, .n_attendees = 1, .zone = "UTC"};
#define DIFFERS(part, ...)                                                                         \
    do {                                                                                           \
        struct cal_event a = is, b = is;                                                           \
        b.__VA_ARGS__;                                                                             \
        assert_int_equal(cal_event_compare(&a, &b), part);                                         \
        assert_int_equal(cal_event_compare(&b, &a), part);                                         \
        assert_int_equal(cal_event_compare(&b, &b), 0);                                            \
    } while (0)
    DIFFERS(PART_SUMMARY, summary = "x");
    DIFFERS(PART_DESCRIPTION, description = "x");
    DIFFERS(PART_LOCATION, location = "x");
    DIFFERS(PART_TIME, start_us = 1);
    DIFFERS(PART_TIME, len_us = 1);
    DIFFERS(PART_TIME, all_day = true);
    DIFFERS(PART_TIME, zone = NULL);
    DIFFERS(PART_TIME, zone = "Asia/Tokyo");
    DIFFERS(PART_TIME, end_zone = "UTC");
    DIFFERS(PART_RECURRENCE, recurrence = "x");
    DIFFERS(PART_STATUS, status = EVENT_TENTATIVE);
    DIFFERS(PART_VISIBILITY, visibility = VISIBLE_PRIVATE);
    DIFFERS(PART_RIGHTS, rights = GUESTS_MODIFY);
    DIFFERS(PART_PROPS, props = "{}");
    DIFFERS(PART_EXTRA, extra = "{}");
    DIFFERS(PART_EXTRA, decline = DECLINE_NEW);
    DIFFERS(PART_EXTRA, decline_text = "x");
    DIFFERS(PART_EXTRA, place = "x");
    DIFFERS(PART_EXTRA, conference = "x");
    DIFFERS(PART_IMPORTANCE, importance = IMPORTANCE_LOW);
    DIFFERS(PART_ATTENDEES, n_attendees = 0);
    DIFFERS(PART_ATTENDEES, attendees = &other_one);
    DIFFERS(PART_SEQUENCE, sequence = 1);
    DIFFERS(PART_ORGANIZER, organizer = "x");
    DIFFERS(PART_ORGANIZER, organizer_name = "x");
    DIFFERS(PART_COLOR, color = "1");
    DIFFERS(PART_REMINDERS, reminders = "[]");
    DIFFERS(PART_BUSY, busy = BUSY_FREE);
    DIFFERS(PART_CATEGORIES, categories = "[]");
    DIFFERS(PART_REMINDER, reminder_on = true);
    DIFFERS(PART_REMINDER, reminder_minutes = 1);
    DIFFERS(PART_OWN_PROPS, own_props = "{}");
    DIFFERS(PART_RESPONSE, response = RESPONSE_ACCEPTED);
    DIFFERS(0, id = 5);
    DIFFERS(0, updated_us = 5);
    DIFFERS(PART_SUMMARY | PART_COLOR, summary = b.color = "1");
    struct cal_attendee same = guest;
    DIFFERS(0, attendees = &same);
#define GUEST_DIFFERS(...)                                                                         \
    do {                                                                                           \
        struct cal_attendee b = guest;                                                             \
        b.__VA_ARGS__;                                                                             \
        assert_false(cal_attendee_same(&guest, &b));                                               \
        assert_false(cal_attendee_same(&b, &guest));                                               \
        assert_true(cal_attendee_same(&b, &b));                                                    \
    } while (0)
    GUEST_DIFFERS(email = "b@x.example");
    GUEST_DIFFERS(name = "x");
    GUEST_DIFFERS(comment = "x");
    GUEST_DIFFERS(response = RESPONSE_ACCEPTED);
    GUEST_DIFFERS(optional = true);
    GUEST_DIFFERS(resource = true);
    GUEST_DIFFERS(guests = 1);
    GUEST_DIFFERS(proposed_us = 1);
    GUEST_DIFFERS(proposed_end_us = 1);
}

static void properties_are_counted(void **state)
{
    (void)state;
    static const struct {
        const char *props;
        size_t n, bytes;
    } all[] = {{NULL, 0, 0},
               {"{}", 0, 0},
               {"{\"a\":\"bc\"}", 1, 3},
               {"{\"a\":\"bc\",\"def\":\"\"}", 2, 6},
               {"[\"a\"]", 0, 0},
               {"no json", 0, 0}};
    for (size_t i = 0; i < SOSIA_LEN(all); i++) {
        size_t n = 10, bytes = 100; /* it adds */
        cal_event_count_props(tx.arena, all[i].props, &n, &bytes);
        assert_int_equal(n - 10, all[i].n);
        assert_int_equal(bytes - 100, all[i].bytes);
    }
    struct cal_event ev = draft("One", "bob cyd"), copy, to;
    ev.own_props = "{\"ada\":\"1\"}";
    ev = added(ev);
    copy = to = copy_in(&bob, &ev);
    to.own_props = "{\"b\":\"22\",\"c\":\"\"}";
    OK(saved(&bob, &copy, &to));
    size_t n = 0, bytes = 0;
    OK(cal_event_count_other_props(&tx, &ev, &n, &bytes));
    assert_int_equal(n, 2);
    assert_int_equal(bytes, 4);
    n = bytes = 0;
    copy = copy_in(&bob, &ev);
    OK(cal_event_count_other_props(&tx, &copy, &n, &bytes));
    assert_int_equal(n, 1);
    assert_int_equal(bytes, 4);
    n = bytes = 0;
    copy = copy_in(&cyd, &ev);
    OK(cal_event_count_other_props(&tx, &copy, &n, &bytes));
    assert_int_equal(n, 3);
    assert_int_equal(bytes, 8);
}

static void what_others_keep_with_an_event(void **state)
{
    (void)state;
    struct cal_event a = draft("A", ""), b = draft("B", ""), is, series = draft("S", "");
    const char *key;
    int64_t calendar;
    a.extra = "{\"x\":{\"y\":\"word\"},\"z\":\"other\"}";
    b.extra = "{\"z\":\"word\"}";
    a = added(a), b = added(b);
    assert_int_equal(cal_event_with_extra(&tx, ada.id, NULL, "word", &is), 1);
    assert_int_equal(is.id, a.id);
    assert_int_equal(cal_event_with_extra(&tx, ada.id, "$.z", "word", &is), 1);
    assert_int_equal(is.id, b.id);
    assert_int_equal(cal_event_with_extra(&tx, ada.id, "$.x.y", "word", &is), 1);
    assert_int_equal(is.id, a.id);
    assert_int_equal(cal_event_with_extra(&tx, ada.id, "$.x.y", "other", &is), 0);
    assert_int_equal(cal_event_with_extra(&tx, bob.id, NULL, "word", &is), 0);
    OK(cal_event_cancel(&tx, ALL, &ada, &a));
    assert_int_equal(cal_event_with_extra(&tx, ada.id, NULL, "word", &is), 1);
    assert_int_equal(is.id, b.id);
    assert_int_equal(cal_event_key_of(&tx, b.id, &key, &calendar), 1);
    assert_string_equal(key, b.key);
    assert_int_equal(calendar, ada.id);
    assert_int_equal(cal_event_key_of(&tx, 99999, &key, &calendar), 0);
    assert_int_equal(cal_event_by_id(&tx, 99999, &is), 0);
    /* Changed instances one after another. */
    series.recurrence = "RRULE:FREQ=DAILY;COUNT=4";
    series = added(series);
    assert_int_equal(cal_event_next_changed(&tx, series.id, INT64_MIN, &is), 0);
    for (int day = 3; day > 0; day--) {
        struct cal_event was;
        assert_int_equal(cal_event_instance(&tx, &ada, &series, false, NOON + day * DAY, &was), 1);
        OK(cal_event_load_attendees(&tx, &was));
        is = was;
        is.summary = "x", is.status = day == 2 ? EVENT_CANCELLED : EVENT_CONFIRMED;
        OK(saved(&ada, &was, &is));
    }
    int64_t after = INT64_MIN;
    for (int day = 1; day < 4; day++) {
        assert_int_equal(cal_event_next_changed(&tx, series.id, after, &is), 1);
        assert_int_equal(is.original_us, NOON + day * DAY);
        after = is.original_us;
    }
    assert_int_equal(cal_event_next_changed(&tx, series.id, after, &is), 0);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup_teardown(what_is_left_is_a_trace, set_up, end),
    cmocka_unit_test_setup_teardown(an_owner_who_is_a_guest_keeps_a_copy, set_up, end),
    cmocka_unit_test_setup_teardown(a_guest_who_becomes_the_organizer, set_up, end),
    cmocka_unit_test_setup_teardown(a_series_moves_with_its_instances, set_up, end),
    cmocka_unit_test_setup_teardown(what_may_not_move, set_up, end),
    cmocka_unit_test_setup_teardown(an_instance_gets_a_row_of_its_own, set_up, end),
    cmocka_unit_test_setup_teardown(each_part_differs_alone, set_up, end),
    cmocka_unit_test_setup_teardown(properties_are_counted, set_up, end),
    cmocka_unit_test_setup_teardown(what_others_keep_with_an_event, set_up, end),
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
