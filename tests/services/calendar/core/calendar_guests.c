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

/* Days are days, whatever the clocks do between them. */
static void days_are_carried_over_a_change_of_the_clocks(void **state)
{
    (void)state;
    const int64_t midnight = NOON - DAY / 2; /* nine days before it */
    struct calendar rome = {.owner = ada.owner, .summary = "Rome", .zone = "Europe/Rome"};
    struct cal_event series = draft("Days", ""), was, is, old, to;
    OK(calendar_add(&tx, &rome));
    series.start_us = midnight, series.len_us = DAY, series.all_day = true, series.zone = NULL;
    series.recurrence = "RRULE:FREQ=WEEKLY;COUNT=6";
    OK(cal_event_add(&tx, ALL, &rome, &series));
    was = is = instance(&rome, &series, midnight + 7 * DAY);
    is.summary = "Second";
    OK(saved(&rome, &was, &is));
    old = to = again(&series);
    to.start_us += 3 * DAY;
    OK(saved(&rome, &old, &to));
    assert_string_equal(instance(&rome, &series, midnight + 10 * DAY).summary, "Second");
    old = to = again(&series);
    to.start_us -= 3 * DAY;
    OK(saved(&rome, &old, &to));
    assert_string_equal(instance(&rome, &series, midnight + 7 * DAY).summary, "Second");
    /* Times are times of the clock. */
    struct cal_event hours = draft("Hours", "");
    hours.zone = "Europe/Rome";
    hours.recurrence = "RRULE:FREQ=WEEKLY;COUNT=6";
    OK(cal_event_add(&tx, ALL, &rome, &hours));
    was = is = instance(&rome, &hours, NOON + 14 * DAY - HOUR);
    is.summary = "Third";
    OK(saved(&rome, &was, &is));
    old = to = again(&hours);
    to.start_us += DAY + HOUR;
    OK(saved(&rome, &old, &to));
    assert_string_equal(instance(&rome, &hours, NOON + 15 * DAY).summary, "Third");
    /* In another zone that has the same clock now and another one then. */
    old = to = again(&hours);
    to.zone = "Africa/Algiers"; /* Rome's time in winter, all the year */
    OK(saved(&rome, &old, &to));
    assert_string_equal(instance(&rome, &hours, NOON + 15 * DAY + HOUR).summary, "Third");
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

/* ---- changes of guests ---- */

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
    /* In whichever order the guest has them. */
    was = is = copy_in(&cyd, &no);
    invite(&is, "cyd bob");
    is.attendees[0].response = RESPONSE_ACCEPTED;
    OK(saved(&cyd, &was, &is));
    no = again(&no);
    assert_int_equal(response_of(&no, "bob"), RESPONSE_TENTATIVE);
    assert_int_equal(response_of(&no, "cyd"), RESPONSE_ACCEPTED);
    assert_string_equal(no.attendees[0].email, "bob" EMAIL);
    assert_int_equal(copy_in(&cyd, &no).response, RESPONSE_ACCEPTED);
}

/* Each part that a guest with the right may change, alone. */
static void what_a_guest_changes_for_all(void **state)
{
    (void)state;
    static const unsigned parts[] = {PART_SUMMARY,    PART_DESCRIPTION, PART_LOCATION,
                                     PART_TIME,       PART_RECURRENCE,  PART_PROPS,
                                     PART_IMPORTANCE, PART_EXTRA};
    for (size_t i = 0; i < SOSIA_LEN(parts); i++) {
        const unsigned part = parts[i];
        struct cal_event ev = draft("One", "bob cyd"), was, is, now;
        ev.rights = GUESTS_MODIFY;
        ev.recurrence = part == PART_RECURRENCE ? "RRULE:FREQ=DAILY;COUNT=3" : NULL;
        ev = added(ev);
        was = is = copy_in(&bob, &ev);
        is.summary = part == PART_SUMMARY ? "New" : was.summary;
        is.description = part == PART_DESCRIPTION ? "New" : NULL;
        is.location = part == PART_LOCATION ? "New" : NULL;
        is.props = part == PART_PROPS ? "{\"n\":\"v\"}" : NULL;
        is.importance = part == PART_IMPORTANCE ? IMPORTANCE_HIGH : IMPORTANCE_NORMAL;
        if (part == PART_RECURRENCE)
            is.recurrence = "RRULE:FREQ=DAILY;COUNT=5";
        if (part == PART_TIME)
            is.start_us += HOUR, is.len_us += HOUR, is.zone = "Asia/Tokyo", is.end_zone = "UTC";
        if (part == PART_EXTRA)
            is.extra = "{\"n\":1}", is.decline = DECLINE_NEW, is.decline_text = "t", is.place = "p",
            is.conference = "c";
        if (part & subject->guests_never) {
            REFUSED(saved(&bob, &was, &is), CAL_NOT_ORGANIZER);
            continue;
        }
        OK(saved(&bob, &was, &is));
        now = again(&ev);
        is = copy_in(&cyd, &ev);
        if (!(part & subject->guests_all)) {
            assert_int_equal(cal_event_compare(&ev, &now) & PARTS_SHARED & ~PART_ATTENDEES, 0);
            continue;
        }
        assert_int_equal(cal_event_compare(&ev, &now) & PARTS_SHARED &
                             ~(unsigned)(PART_ATTENDEES | PART_SEQUENCE),
                         part);
        assert_true(now.change > ev.change);
        for (int copy = 0; copy < 2; copy++, now = is) {
            if (part == PART_RECURRENCE)
                assert_string_equal(now.recurrence, "RRULE:FREQ=DAILY;COUNT=5");
            if (part == PART_TIME) {
                assert_int_equal(now.start_us, NOON + HOUR);
                assert_int_equal(now.len_us, 2 * HOUR);
                assert_string_equal(now.zone, "Asia/Tokyo");
                assert_string_equal(now.end_zone, "UTC");
            }
            if (part == PART_EXTRA) {
                assert_string_equal(now.extra, "{\"n\":1}");
                assert_int_equal(now.decline, DECLINE_NEW);
                assert_string_equal(now.decline_text, "t");
                assert_string_equal(now.place, "p");
                assert_string_equal(now.conference, "c");
            }
        }
    }
    /* Of a time without a zone the guest's calendar says which it is; days have none. */
    if (!(subject->guests_all & PART_TIME))
        return;
    for (int days = 0; days < 2; days++) {
        struct cal_event ev = draft("One", "bob"), was, is;
        ev.rights = GUESTS_MODIFY;
        ev = added(ev);
        was = is = copy_in(&bob, &ev);
        is.zone = NULL, is.all_day = days;
        is.start_us = NOON - DAY / 2, is.len_us = DAY;
        OK(saved(&bob, &was, &is));
        assert_int_equal(again(&ev).all_day, days);
        if (days)
            assert_null(again(&ev).zone);
        else
            assert_string_equal(again(&ev).zone, bob.zone);
    }
}

/* ---- absences ---- */

static struct cal_event absence(enum cal_event_kind kind, enum cal_decline decline)
{
    struct cal_event off = draft("Off", "");
    off.kind = kind, off.decline = decline, off.decline_text = "Away";
    off.start_us = NOON - DAY / 2, off.len_us = DAY;
    OK(cal_event_add(&tx, ALL, &bob, &off));
    return off;
}

static void absences_decline_single_times(void **state)
{
    (void)state;
    struct cal_event day = {.summary = "Day",
                            .start_us = NOON - DAY / 2,
                            .len_us = DAY,
                            .all_day = true},
                     series = draft("Daily", "bob"), ev;
    absence(KIND_AWAY, DECLINE_NEW);
    day.attendees = draft("", "bob").attendees, day.n_attendees = 1;
    day = added(day);
    assert_int_equal(again(&day).attendees[0].response, RESPONSE_NONE);
    series.recurrence = "RRULE:FREQ=DAILY;COUNT=3";
    series = added(series);
    assert_int_equal(again(&series).attendees[0].response, RESPONSE_NONE);
    /* To the microsecond. */
    static const struct {
        int64_t from_us, len_us;
        bool declined;
    } all[] = {{-DAY / 2 - HOUR, HOUR, false},
               {-DAY / 2 - HOUR, HOUR + 1, true},
               {DAY / 2, HOUR, false},
               {DAY / 2 - 1, HOUR, true},
               {0, HOUR, true},
               {-2 * DAY, 4 * DAY, true}};
    for (size_t i = 0; i < SOSIA_LEN(all); i++) {
        ev = draft("One", "bob cyd");
        ev.start_us = NOON + all[i].from_us, ev.len_us = all[i].len_us;
        ev = added(ev);
        assert_int_equal(again(&ev).attendees[0].response,
                         all[i].declined ? RESPONSE_DECLINED : RESPONSE_NONE);
        assert_int_equal(ev.attendees[0].response, again(&ev).attendees[0].response);
        assert_int_equal(copy_in(&bob, &ev).response, again(&ev).attendees[0].response);
        if (all[i].declined) {
            assert_string_equal(again(&ev).attendees[0].comment, "Away");
            assert_int_equal(again(&ev).attendees[0].answered_us, tx.now_us);
        }
        assert_int_equal(again(&ev).attendees[1].response, RESPONSE_NONE);
    }
    /* Who has answered is not answered for. */
    ev = draft("Answered", "bob");
    ev.attendees[0].response = RESPONSE_ACCEPTED;
    ev = added(ev);
    assert_int_equal(again(&ev).attendees[0].response, RESPONSE_ACCEPTED);
}

static void which_absences_decline(void **state)
{
    (void)state;
    for (int kind = KIND_DEFAULT; kind < N_KINDS; kind++)
        for (int decline = DECLINE_NONE; decline <= DECLINE_ALL; decline++) {
            struct cal_event before = added(draft("Before", "bob")), after;
            struct cal_event off = absence((enum cal_event_kind)kind, (enum cal_decline)decline);
            const bool away = kind == KIND_AWAY || kind == KIND_FOCUS;
            after = added(draft("After", "bob"));
            assert_int_equal(again(&before).attendees[0].response,
                             away && decline == DECLINE_ALL ? RESPONSE_DECLINED : RESPONSE_NONE);
            assert_int_equal(again(&after).attendees[0].response,
                             away && decline ? RESPONSE_DECLINED : RESPONSE_NONE);
            OK(cal_event_cancel(&tx, ALL, &bob, &off));
            after = added(draft("Later", "bob"));
            assert_int_equal(again(&after).attendees[0].response, RESPONSE_NONE);
        }
}

static int declined_of(const struct cal_event *series, int n)
{
    int declined = 0;
    for (int i = 0; i < n; i++) {
        const struct cal_event ev = instance(&ada, series, series->start_us + i * HOUR / 12);
        declined += response_of(&ev, "bob") == RESPONSE_DECLINED;
    }
    return declined;
}

/* What there is of a series is declined one by one: a hundred times at most. */
static void a_hundred_instances_are_declined(void **state)
{
    (void)state;
    struct cal_event series = draft("Often", "bob cyd"), own = draft("Own", ""), ev;
    series.len_us = US_PER_SECOND * 60;
    series.recurrence = "RRULE:FREQ=MINUTELY;INTERVAL=5;COUNT=110";
    series = added(series);
    struct cal_event others[2] = {added(draft("One", "bob")), added(draft("Two", "bob"))};
    OK(cal_event_add(&tx, ALL, &bob, &own));
    struct cal_event was = copy_in(&bob, &others[1]);
    answer(&bob, &was, RESPONSE_DECLINED);
    was = copy_in(&bob, &others[1]);
    ev = draft("Off", "");
    ev.kind = KIND_AWAY, ev.decline = DECLINE_ALL, ev.len_us = DAY;
    OK(cal_event_add(&tx, ALL, &bob, &ev));
    assert_int_equal(declined_of(&series, 110), 100);
    assert_int_equal(copy_in(&bob, &series).response, RESPONSE_NONE);
    assert_int_equal(copy_in(&bob, &others[0]).response, RESPONSE_DECLINED);
    assert_int_equal(copy_in(&bob, &others[1]).change, was.change); /* that was declined before */
    assert_int_equal(again(&own).status, EVENT_CONFIRMED);
    ev = instance(&ada, &series, NOON);
    assert_int_equal(response_of(&ev, "cyd"), RESPONSE_NONE);
}

/* Who has answered did so at a time: the one that is said, or now. */
static void when_a_guest_answered(void **state)
{
    (void)state;
    struct cal_event ev = draft("One", "bob cyd dan eve"), was, is;
    ev.attendees[0].response = RESPONSE_ACCEPTED;
    ev.attendees[1].response = RESPONSE_DECLINED, ev.attendees[1].answered_us = NOON - DAY;
    ev.attendees[2].answered_us = NOON - DAY;
    ev = added(ev);
    const int64_t times[] = {tx.now_us, NOON - DAY, 0, 0};
    for (int i = 0; i < 4; i++) {
        assert_int_equal(again(&ev).attendees[i].answered_us, times[i]);
        assert_true(again(&ev).attendees[i].id > 0);
    }
    was = is = again(&ev);
    is.n_attendees = 3;
    OK(saved(&ada, &was, &is));
    for (int i = 0; i < 3; i++)
        assert_int_equal(again(&ev).attendees[i].answered_us, times[i]);
    struct cal_event copy = copy_in(&dan, &ev);
    answer(&dan, &copy, RESPONSE_TENTATIVE);
    assert_int_equal(again(&ev).attendees[2].answered_us, tx.now_us);
    copy = copy_in(&dan, &ev);
    answer(&dan, &copy, RESPONSE_NONE);
    assert_int_equal(again(&ev).attendees[2].answered_us, 0);
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
    cmocka_unit_test_setup_teardown(days_are_carried_over_a_change_of_the_clocks, begin, end),
    cmocka_unit_test_setup_teardown(an_instance_is_not_carried_onto_another_changed_one, begin,
                                    end),
    cmocka_unit_test_setup_teardown(guests_of_a_series_are_guests_of_its_instances, begin, end),
    cmocka_unit_test_setup_teardown(an_instance_of_what_was_taken_away_is_the_guests_alone, begin,
                                    end),
    cmocka_unit_test_setup_teardown(what_was_taken_away_is_deleted, begin, end),
    cmocka_unit_test_setup_teardown(a_guest_changes_no_guests_but_as_the_vendor_lets, begin, end),
    cmocka_unit_test_setup_teardown(what_a_guest_changes_for_all, begin, end),
    cmocka_unit_test_setup_teardown(when_a_guest_answered, begin, end),
    cmocka_unit_test_setup_teardown(absences_decline_single_times, begin, end),
    cmocka_unit_test_setup_teardown(which_absences_decline, begin, end),
    cmocka_unit_test_setup_teardown(a_hundred_instances_are_declined, begin, end),
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
