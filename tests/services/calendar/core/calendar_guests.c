/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What guests' copies are in cases that are rarer than an answer: series that move with their
 * instances, rooms, guests who took the series away, groups, other vendors' keys. Once for each of
 * two vendors.
 */
#include "engine/service.h"
#include "tests/services/calendar/core/cal_vendors.h"
#include "tests/support/unit.h"
#include "tests/support/world.h"

#define DAY (24 * HOUR)

static struct cal_event instance(const struct calendar *cal, const struct cal_event *series,
                                 int64_t at)
{
    struct cal_event ev;
    const struct cal_event theirs = copy_in(cal, series);
    if (cal_event_instance(&tx, cal, &theirs, theirs.all_day, at, &ev) != 1)
        fail_msg("no instance at %lld", (long long)((at - NOON) / HOUR));
    OK(cal_event_load_attendees(&tx, &ev));
    return ev;
}

static struct cal_event daily(const char *guests)
{
    struct cal_event series = draft("Daily", guests);
    series.recurrence = "RRULE:FREQ=DAILY;COUNT=6";
    return added(series);
}

static void invite(struct cal_event *to, const char *names)
{
    struct cal_event with = draft("", names);
    to->attendees = with.attendees;
    to->n_attendees = with.n_attendees;
}

static enum cal_response response_of(const struct cal_event *ev, const char *name)
{
    for (int i = 0; i < ev->n_attendees; i++)
        if (strcmp(ev->attendees[i].email, arena_printf(tx.arena, "%s" EMAIL, name)) == 0)
            return ev->attendees[i].response;
    return RESPONSE_NO_GUEST;
}

/* ---- series that move ---- */

static void a_changed_instance_is_carried_with_its_series(void **state)
{
    (void)state;
    const struct calendar *const all[] = {&ada, &bob, &dan};
    struct cal_event series = daily("bob dan"), was = instance(&ada, &series, NOON + DAY), is = was;
    is.summary = "Second";
    OK(saved(&ada, &was, &is));
    was = is = instance(&ada, &series, NOON + 2 * DAY);
    is.start_us += 30 * HOUR;
    OK(saved(&ada, &was, &is));
    was = is = instance(&bob, &series, NOON + DAY);
    is.color = "4";
    OK(saved(&bob, &was, &is));
    struct cal_event old = again(&series), to = old;
    to.start_us += HOUR;
    to.location = "There";
    OK(saved(&ada, &old, &to));
    for (size_t i = 0; i < 3; i++) {
        const struct cal_event theirs = copy_in(all[i], &series);
        struct cal_event ev = instance(all[i], &series, NOON + DAY + HOUR), gone;
        assert_string_equal(ev.summary, "Second");
        assert_string_equal(ev.location, "There");
        assert_int_equal(ev.start_us, NOON + DAY + HOUR);
        assert_int_equal(ev.original_us, NOON + DAY + HOUR);
        assert_int_equal(ev.master, theirs.id);
        assert_string_equal(ev.key,
                            cal_event_instance_key(&tx, theirs.key, false, NOON + DAY + HOUR));
        assert_int_equal(ev.n_attendees, 2);
        /* One that was moved keeps its time. */
        ev = instance(all[i], &series, NOON + 2 * DAY + HOUR);
        assert_int_equal(ev.start_us, NOON + 2 * DAY + 30 * HOUR);
        /* Where they were there is nothing but traces. */
        if (cal_event_instance(&tx, all[i], &theirs, false, NOON + DAY, &gone) == 1)
            assert_int_equal(gone.status, EVENT_CANCELLED);
        assert_int_equal(busy_times(all[i]), 1);
    }
    assert_string_equal(instance(&bob, &series, NOON + DAY + HOUR).color, "4");
    assert_null(instance(&ada, &series, NOON + DAY + HOUR).color);
}

static void a_series_of_days_carries_its_instances_too(void **state)
{
    (void)state;
    const int64_t midnight = NOON - DAY / 2;
    struct cal_event series = draft("Days", "bob dan"), was, is, old, to;
    series.start_us = midnight, series.len_us = DAY, series.all_day = true, series.zone = NULL;
    series.recurrence = "RRULE:FREQ=WEEKLY;COUNT=4";
    series = added(series);
    was = is = instance(&ada, &series, midnight + 7 * DAY);
    is.summary = "Second";
    OK(saved(&ada, &was, &is));
    old = to = again(&series);
    to.start_us += 2 * DAY;
    OK(saved(&ada, &old, &to));
    const struct calendar *const all[] = {&ada, &bob, &dan};
    for (size_t i = 0; i < 3; i++) {
        is = instance(all[i], &series, midnight + 9 * DAY);
        assert_string_equal(is.summary, "Second");
        assert_int_equal(is.start_us, midnight + 9 * DAY);
        assert_null(instance(all[i], &series, midnight + 16 * DAY).location);
    }
    /* Those whose place the series has still stay there. */
    was = is = instance(&ada, &series, midnight + 16 * DAY);
    is.summary = "Third";
    OK(saved(&ada, &was, &is));
    old = to = again(&series);
    to.start_us += 7 * DAY;
    OK(saved(&ada, &old, &to));
    assert_string_equal(instance(&ada, &series, midnight + 9 * DAY).summary, "Second");
    assert_string_equal(instance(&ada, &series, midnight + 16 * DAY).summary, "Third");
    assert_string_equal(instance(&ada, &series, midnight + 23 * DAY).summary, "Days");
    /* A series of times is not one of days. */
    old = to = again(&series);
    to.all_day = false, to.zone = "UTC", to.len_us = HOUR;
    OK(saved(&ada, &old, &to));
    assert_string_equal(instance(&ada, &series, midnight + 16 * DAY).summary, "Days");
    assert_int_equal(again(&series).n_instances, 0);
}

/* 2026-03-20 is a Friday. */
static void an_instance_is_not_carried_onto_another_changed_one(void **state)
{
    (void)state;
    for (int guests = 0; guests < 2; guests++) {
        struct cal_event series = draft("Twice a week", guests ? "bob" : ""), was, is, old, to;
        series.recurrence = "RRULE:FREQ=WEEKLY;BYDAY=FR,SU;COUNT=8";
        series = added(series);
        for (int k = 0; k < 2; k++) {
            was = is = instance(&ada, &series, NOON + k * 2 * DAY);
            is.summary = k ? "On Sunday" : "On Friday";
            OK(saved(&ada, &was, &is));
        }
        old = to = again(&series);
        to.start_us += 2 * DAY;
        OK(saved(&ada, &old, &to));
        assert_string_equal(instance(&ada, &series, NOON + 2 * DAY).summary, "On Sunday");
        assert_int_equal(cal_event_instance(&tx, &ada, &to, false, NOON, &is), 1);
        assert_int_equal(is.status, EVENT_CANCELLED);
        assert_int_equal(again(&series).n_instances, 1);
        /* Where there is room it is. */
        was = is = instance(&ada, &series, NOON + 7 * DAY);
        is.summary = "On Friday";
        OK(saved(&ada, &was, &is));
        old = to = again(&series);
        to.start_us += HOUR;
        OK(saved(&ada, &old, &to));
        assert_string_equal(instance(&ada, &series, NOON + 7 * DAY + HOUR).summary, "On Friday");
        assert_int_equal(instance(&ada, &series, NOON + 7 * DAY + HOUR).sequence, to.sequence);
        assert_int_equal(again(&series).n_instances, 2);
    }
}

static void guests_of_a_series_are_guests_of_its_instances(void **state)
{
    (void)state;
    struct cal_event series = daily("bob dan"), was = instance(&ada, &series, NOON + DAY), is = was;
    invite(&is, "bob eve dan");
    OK(saved(&ada, &was, &is));
    was = instance(&bob, &series, NOON + DAY);
    answer(&bob, &was, RESPONSE_DECLINED);
    struct cal_event copy = copy_in(&bob, &series);
    answer(&bob, &copy, RESPONSE_ACCEPTED);
    was = is = again(&series);
    invite(&is, "bob cyd");
    is.attendees[0].response = RESPONSE_ACCEPTED;
    OK(saved(&ada, &was, &is));
    is = instance(&ada, &series, NOON + DAY);
    assert_int_equal(is.n_attendees, 3);
    assert_int_equal(response_of(&is, "bob"), RESPONSE_DECLINED); /* an answer of its own */
    assert_int_equal(response_of(&is, "eve"), RESPONSE_NONE);     /* a guest of it alone */
    assert_int_equal(response_of(&is, "cyd"), RESPONSE_NONE);     /* who comes to the series */
    assert_int_equal(response_of(&is, "dan"), RESPONSE_NO_GUEST); /* who left it */
    assert_int_equal(instance(&cyd, &series, NOON + DAY).origin, is.id);
}

/* ---- who took the series away ---- */

static void an_instance_of_what_was_taken_away_is_the_guests_alone(void **state)
{
    (void)state;
    struct cal_event series = daily("bob cyd"), ev = copy_in(&bob, &series), was, is;
    OK(cal_event_cancel(&tx, ALL, &bob, &ev));
    assert_int_equal(response_of(&(struct cal_event){0}, "bob"), RESPONSE_NO_GUEST);
    const struct cal_event theirs = again(&series);
    assert_int_equal(response_of(&theirs, "bob"), RESPONSE_DECLINED);
    assert_int_equal(response_of(&theirs, "cyd"), RESPONSE_NONE);
    was = is = instance(&bob, &series, NOON + DAY);
    is.color = "4";
    OK(saved(&bob, &was, &is));
    assert_int_equal(again(&series).change, theirs.change);
    assert_int_equal(instance(&bob, &series, NOON + DAY).origin, 0);
    assert_int_equal(instance(&cyd, &series, NOON + DAY).status, EVENT_CONFIRMED);
    /* What the organizer changes does not bring it back. */
    was = is = instance(&ada, &series, NOON + 2 * DAY);
    is.summary = "Third";
    OK(saved(&ada, &was, &is));
    assert_int_equal(copy_in(&bob, &series).status, EVENT_CANCELLED);
    assert_true(copy_in(&bob, &series).removed);
    assert_string_equal(instance(&cyd, &series, NOON + 2 * DAY).summary, "Third");
}

static void what_was_taken_away_is_deleted(void **state)
{
    (void)state;
    struct cal_event ev = added(draft("One", "bob")), copy = copy_in(&bob, &ev);
    OK(cal_event_cancel(&tx, ALL, &bob, &copy));
    assert_int_equal(copy.status, EVENT_CANCELLED);
    assert_true(copy.removed);
    copy = copy_in(&bob, &ev);
    REFUSED(cal_event_cancel(&tx, ALL, &bob, &copy), CAL_DELETED);
    struct cal_event series = daily("bob"), one = instance(&bob, &series, NOON + DAY);
    OK(cal_event_cancel(&tx, ALL, &bob, &one));
    assert_int_equal(instance(&bob, &series, NOON + DAY).status, EVENT_CANCELLED);
    assert_true(instance(&bob, &series, NOON + DAY).removed);
    assert_int_equal(copy_in(&bob, &series).status, EVENT_CONFIRMED);
    const struct cal_event theirs = instance(&ada, &series, NOON + DAY);
    assert_int_equal(theirs.status, EVENT_CONFIRMED);
    assert_int_equal(response_of(&theirs, "bob"), RESPONSE_DECLINED);
    assert_int_equal(response_of(&series, "bob"), RESPONSE_NONE);
}

/* ---- what an organizer may not hear ---- */

static void a_guest_changes_no_guests_but_as_the_vendor_lets(void **state)
{
    (void)state;
    struct cal_event ev = draft("May", "bob cyd"), was, is;
    ev.rights = GUESTS_MODIFY;
    ev = added(ev);
    was = is = copy_in(&bob, &ev);
    invite(&is, "bob dan");
    OK(saved(&bob, &was, &is));
    ev = again(&ev);
    const bool all = subject->guests_all & PART_ATTENDEES;
    assert_int_equal(response_of(&ev, "dan"), all ? RESPONSE_NONE : RESPONSE_NO_GUEST);
    assert_int_equal(response_of(&ev, "cyd"), all ? RESPONSE_NO_GUEST : RESPONSE_NONE);
    was = copy_in(&bob, &ev);
    assert_int_equal(was.n_attendees, 2);
    assert_int_equal(response_of(&was, "dan"), all ? RESPONSE_NONE : RESPONSE_NO_GUEST);
    /* Without the right nobody is left out, and others come only if the organizer lets them. */
    struct cal_event no = draft("No", "bob cyd");
    no.rights = GUESTS_DONT_INVITE;
    no = added(no);
    was = is = copy_in(&bob, &no);
    invite(&is, "bob dan");
    OK(saved(&bob, &was, &is));
    no = again(&no);
    assert_int_equal(no.n_attendees, 2);
    assert_int_equal(response_of(&no, "cyd"), RESPONSE_NONE);
    assert_int_equal(response_of(&no, "dan"), RESPONSE_NO_GUEST);
    /* The own entry is the guest's to change. */
    was = is = copy_in(&bob, &no);
    invite(&is, "bob cyd");
    is.attendees[0].response = RESPONSE_TENTATIVE;
    is.attendees[0].comment = "perhaps", is.attendees[0].guests = 2;
    is.attendees[1].response = RESPONSE_ACCEPTED; /* that is not */
    OK(saved(&bob, &was, &is));
    no = again(&no);
    assert_int_equal(response_of(&no, "bob"), RESPONSE_TENTATIVE);
    assert_int_equal(response_of(&no, "cyd"), RESPONSE_NONE);
    assert_string_equal(no.attendees[0].comment, "perhaps");
    assert_int_equal(no.attendees[0].guests, 2);
    assert_int_equal(no.attendees[0].answered_us, tx.now_us);
    assert_int_equal(copy_in(&bob, &no).response, RESPONSE_TENTATIVE);
}

/* ---- rooms and groups ---- */

static void what_a_room_answers_is_known_at_once(void **state)
{
    (void)state;
    struct cal_event ev = draft("One", "bob room");
    OK(cal_event_add(&tx, ALL, &ada, &ev));
    const struct cal_event stored = again(&ev);
    assert_int_equal(ev.attendees[1].response, RESPONSE_ACCEPTED);
    assert_true(ev.attendees[1].resource);
    assert_string_equal(ev.attendees[1].name, "Aula");
    assert_int_equal(ev.attendees[1].answered_us, tx.now_us);
    assert_false(ev.attendees[0].resource);
    for (int i = 0; i < 2; i++)
        assert_true(cal_attendee_same(&ev.attendees[i], &stored.attendees[i]));
    assert_int_equal(stored.attendees[1].answered_us, tx.now_us);
    /* A name that the organizer gave it stays. */
    struct cal_event named = draft("Two", "room");
    named.start_us += DAY;
    named.attendees[0].name = "Our room";
    OK(cal_event_add(&tx, ALL, &ada, &named));
    assert_string_equal(again(&named).attendees[0].name, "Our room");
    assert_int_equal(again(&named).attendees[0].response, RESPONSE_ACCEPTED);
    /* What is moved onto another one is looked at as it is new; what it answered stays. */
    struct cal_event is = again(&named);
    is.start_us = NOON;
    named = again(&named);
    OK(saved(&ada, &named, &is));
    assert_int_equal(again(&named).attendees[0].response, RESPONSE_ACCEPTED);
    /* Cancelled: nobody answers. */
    struct cal_event gone = draft("Gone", "room");
    gone.status = EVENT_CANCELLED;
    OK(cal_event_add(&tx, ALL, &ada, &gone));
    assert_int_equal(again(&gone).attendees[0].response, RESPONSE_NONE);
}

static void a_guest_through_a_group_is_a_guest_once(void **state)
{
    (void)state;
    begin_with(",\"groups\":[{\"email\":\"all@acme.example\",\"members\":[\"cyd@acme.example\","
               "\"bob@acme.example\",\"ada@acme.example\",\"dan@acme.example\"]}]");
    struct cal_event ev = added(draft("One", "all bob")), copy;
    copy = copy_in(&bob, &ev);
    assert_int_equal(copy.response, RESPONSE_NONE); /* by the own name */
    assert_int_equal(copy_in(&cyd, &ev).response, RESPONSE_NO_GUEST);
    assert_int_equal(copy_in(&dan, &ev).response, RESPONSE_NO_GUEST);
    answer(&bob, &copy, RESPONSE_ACCEPTED);
    assert_int_equal(again(&ev).n_attendees, 2);
    /* Who answers by a group is a guest of the own name from then on. */
    struct cal_event was = copy_in(&cyd, &ev), is = was;
    invite(&is, "all bob cyd");
    is.attendees[2].response = RESPONSE_TENTATIVE;
    OK(saved(&cyd, &was, &is));
    ev = again(&ev);
    assert_int_equal(ev.n_attendees, 3);
    assert_int_equal(response_of(&ev, "cyd"), RESPONSE_TENTATIVE);
    assert_int_equal(response_of(&ev, "bob"), RESPONSE_ACCEPTED);
    assert_int_equal(copy_in(&cyd, &ev).response, RESPONSE_TENTATIVE);
    assert_int_equal(copy_in(&bob, &ev).n_attendees, 3);
    assert_int_equal(cal_event_by_uid(&tx, &ada, ev.uid, &copy), 1);
    assert_int_equal(copy.origin, 0); /* the organizer has no copy of the own event */
    end(NULL);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup_teardown(a_changed_instance_is_carried_with_its_series, begin, end),
    cmocka_unit_test_setup_teardown(a_series_of_days_carries_its_instances_too, begin, end),
    cmocka_unit_test_setup_teardown(an_instance_is_not_carried_onto_another_changed_one, begin,
                                    end),
    cmocka_unit_test_setup_teardown(guests_of_a_series_are_guests_of_its_instances, begin, end),
    cmocka_unit_test_setup_teardown(an_instance_of_what_was_taken_away_is_the_guests_alone, begin,
                                    end),
    cmocka_unit_test_setup_teardown(what_was_taken_away_is_deleted, begin, end),
    cmocka_unit_test_setup_teardown(a_guest_changes_no_guests_but_as_the_vendor_lets, begin, end),
    cmocka_unit_test_setup_teardown(what_a_room_answers_is_known_at_once, begin, end),
    cmocka_unit_test(a_guest_through_a_group_is_a_guest_once),
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
