/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the calendar core promises, in its own terms: C calls on a world whose engine has no
 * dialect. The tests run once for each vendor of accounts, which is a record of policies
 * (services/calendar/core/vendor.h): ada, bob, cyd and a room have accounts of that vendor, dan has
 * one of the other.
 */
#include "engine/service.h"
#include "identity/account.h"
#include "services/calendar/core/show.h"
#include "tests/services/calendar/core/cal_vendors.h"
#include "tests/support/unit.h"
#include "tests/support/world.h"

/* ---- names ---- */

static void an_event_has_the_uid_that_its_vendor_makes(void **state)
{
    struct cal_event ev = added(draft("One", "")), given = draft("Two", ""), there;
    assert_string_equal(ev.uid, subject->uid(&tx, ev.key));
    assert_string_equal(copy_in(&ada, &ev).key, ev.key);
    given.uid = "someone-elses@port.example";
    given = added(given);
    assert_string_equal(copy_in(&ada, &given).key, given.key);
    assert_int_equal(cal_event_by_uid(&tx, &ada, "nobodys@port.example", &there), 0);
    assert_int_equal(cal_event_by_uid(&tx, &ada, arena_printf(tx.arena, "%s@else", ev.key), &there),
                     0);
    assert_int_equal(cal_event_by_uid(&tx, &bob, ev.uid, &there), 0);
}

static void a_key_is_used_once(void **state)
{
    struct cal_event ev = draft("One", "");
    ev.key = "mine";
    ev = added(ev);
    OK(cal_event_cancel(&tx, ALL, &ada, &ev));
    struct cal_event twice = draft("Two", "");
    twice.key = "mine";
    REFUSED(cal_event_add(&tx, ALL, &ada, &twice), CAL_KEY_USED);
    REFUSED(cal_event_cancel(&tx, ALL, &ada, &ev), CAL_DELETED);
}

static void copies_have_one_key_within_a_vendor_and_that_of_the_uid_in_another(void **state)
{
    struct cal_event series = draft("Weekly", "bob dan"), instance;
    series.recurrence = "RRULE:FREQ=WEEKLY;COUNT=4";
    series = added(series);
    assert_string_equal(copy_in(&bob, &series).key, series.key);
    struct cal_event theirs = copy_in(&dan, &series);
    assert_string_equal(theirs.key, other->key(&tx, series.uid));
    assert_int_equal(theirs.origin, series.id);
    /* An instance that the organizer changes is one of the copy's too, whatever its key. */
    int64_t at = NOON + 168 * HOUR;
    assert_int_equal(cal_event_instance(&tx, &ada, &series, false, at, &instance), 1);
    OK(cal_event_load_attendees(&tx, &instance));
    struct cal_event changed = instance;
    changed.summary = "Once";
    OK(saved(&ada, &instance, &changed));
    assert_int_equal(cal_event_instance(&tx, &dan, &theirs, false, at, &instance), 1);
    assert_string_equal(instance.summary, "Once");
    assert_int_equal(instance.master, theirs.id);
    /* An answer to an instance that nobody changed reaches the organizer from there. */
    assert_int_equal(cal_event_instance(&tx, &dan, &theirs, false, at + 168 * HOUR, &instance), 1);
    OK(cal_event_load_attendees(&tx, &instance));
    answer(&dan, &instance, RESPONSE_DECLINED);
    assert_int_equal(cal_event_instance(&tx, &ada, &series, false, at + 168 * HOUR, &instance), 1);
    OK(cal_event_load_attendees(&tx, &instance));
    assert_int_equal(instance.attendees[1].response, RESPONSE_DECLINED);
    assert_int_equal(cal_event_instance(&tx, &ada, &series, false, at + HOUR, &instance), 0);
}

static int by_stamp(const struct cal_event *series, const char *stamp, struct cal_event *ret)
{
    return cal_event_find(&tx, &ada, arena_printf(tx.arena, "%s_%s", series->key, stamp), ret);
}

static void an_instance_is_known_by_its_stamp(void **state)
{
    const int64_t december = INT64_C(1796083200000000); /* 2026-12-01T00:00:00Z */
    static const struct {
        int seconds; /* of the day at which it begins, every day until March; -1: all day */
        const char *found[4], *wrong[9];
    } all[] = {
        {86399,
         {"20261201T235959Z", "20261231T235959Z", "20270131T235959Z", "20270228T235959Z"},
         {"20261130T235959Z", "20261231T235958Z", "20261231T235959", "20261231235959Z",
          "20261231T23595Z", "20261231", "x", "2026123xT235959Z", "20261231t235959Z"}},
        {0,
         {"20261201T000000Z", "20270101T000000Z"},
         {"20261231T240000Z", "20261301T000000Z", "20261232T000000Z", "20270001T000000Z",
          "20270100T000000Z", "20270229T000000Z", "20270101", "00000101T000000Z",
          "2027010:T000000Z"}},
        {3600, {"20270101T010000Z"}, {"20270101T006000Z", "20270101T250000Z"}},
        {60, {"20270101T000100Z"}, {"20270101T000060Z", "20270101T000160Z"}},
        {-1,
         {"20261201", "20261231", "20270101", "20270228"},
         {"20261130", "20270101T000000Z", "2027010", "202701011", "20270229", "20261301"}},
    };
    for (size_t i = 0; i < SOSIA_LEN(all); i++) {
        struct cal_event series = draft("Daily", ""), ev;
        series.start_us = december + (all[i].seconds < 0 ? 0 : all[i].seconds) * US_PER_SECOND;
        series.all_day = all[i].seconds < 0;
        series.len_us = series.all_day ? 24 * HOUR : HOUR / 60;
        series.recurrence = "RRULE:FREQ=DAILY;COUNT=95";
        series = added(series);
        for (size_t k = 0; k < 4 && all[i].found[k]; k++) {
            if (by_stamp(&series, all[i].found[k], &ev) != 1)
                fail_msg("%s", all[i].found[k]);
            assert_int_equal(ev.start_us, ev.original_us);
            assert_string_equal(
                ev.key, cal_event_instance_key(&tx, series.key, series.all_day, ev.start_us));
        }
        for (size_t k = 0; k < 9 && all[i].wrong[k]; k++)
            if (by_stamp(&series, all[i].wrong[k], &ev) != 0)
                fail_msg("%s is found", all[i].wrong[k]);
    }
    struct cal_event ev;
    assert_int_equal(cal_event_find(&tx, &ada, "_20270101", &ev), 0);
    assert_int_equal(cal_event_find(&tx, &ada, "none_20270101", &ev), 0);
    const struct cal_event single = added(draft("Once", ""));
    assert_int_equal(by_stamp(&single, "20260320T120000Z", &ev), 0); /* it is not a series */
}

static void an_address_leads_to_a_calendar(void **state)
{
    struct calendar cal;
    struct account second = {
        .actor = ada.owner, .vendor = other->name, .service = "", .tenant = ""};
    struct actor who = actor("ada");
    assert_int_equal(calendar_by_address(&tx, "ada" EMAIL, &cal), 1);
    assert_int_equal(cal.id, ada.id);
    assert_int_equal(calendar_by_address(&tx, "nobody" EMAIL, &cal), 0);
    /* The second account of a person has a calendar, and the address still leads to the first. */
    OK(account_new(&tx, &second));
    OK(make_calendar(&tx, &second, &who));
    assert_int_equal(calendar_of_account(&tx, second.id, &cal), 1);
    assert_string_equal(cal.address, "ada" EMAIL);
    assert_ptr_equal(cal.vendor, other);
    assert_int_equal(calendar_by_address(&tx, "ada" EMAIL, &cal), 1);
    assert_int_equal(cal.id, ada.id);
    /* Another calendar is one of the account's, and known by itself. */
    struct calendar team = {.owner = ada.owner, .summary = "Team"};
    OK(calendar_add(&tx, &team));
    assert_ptr_equal(team.vendor, subject);
    assert_int_equal(calendar_by_address(&tx, team.address, &cal), 1);
    assert_int_equal(cal.id, team.id);
    if (subject->calendar_end)
        assert_non_null(strstr(team.key, subject->calendar_end));
}

/* The domain's mail goes to the other vendor, and so does who has accounts with both. */
static void of_two_calendars_one_is_where_the_address_leads(void **state)
{
    struct calendar cal;
    struct account second = {
        .actor = ada.owner, .vendor = other->name, .service = "", .tenant = ""};
    struct actor who = actor("ada");
    assert_int_equal(calendar_of(&tx, ada.owner, &cal), 1);
    assert_int_equal(cal.id, ada.id); /* as long as it is the only one */
    OK(account_new(&tx, &second));
    OK(make_calendar(&tx, &second, &who));
    assert_int_equal(calendar_of(&tx, ada.owner, &cal), 1);
    assert_int_equal(cal.id, ada.id);
    OK(sql_exec(tx.db,
                arena_printf(tx.arena,
                             "insert into ident_routing (domain, vendor) values ('acme.example', "
                             "'%s')",
                             other->name),
                tx.err));
    assert_int_equal(calendar_of(&tx, ada.owner, &cal), 1);
    assert_int_not_equal(cal.id, ada.id);
    assert_ptr_equal(cal.vendor, other);
    assert_int_equal(calendar_by_address(&tx, "ada" EMAIL, &cal), 1);
    assert_ptr_equal(cal.vendor, other);
    assert_int_equal(calendar_of(&tx, bob.owner, &cal), 1);
    assert_int_equal(cal.id, bob.id);
    assert_int_equal(calendar_of(&tx, 999, &cal), 0);
}

/* ---- guests ---- */

static void what_an_organizer_changes_goes_to_all_copies(void **state)
{
    struct cal_event old = added(draft("One", "bob dan")), ev = old;
    ev.summary = "Other";
    ev.importance = IMPORTANCE_HIGH;
    ev.start_us += HOUR;
    ev.categories = "[\"Red\"]";
    ev.reminder_on = true;
    ev.reminder_minutes = 5;
    ev.busy = BUSY_AWAY;
    OK(saved(&ada, &old, &ev));
    const struct calendar *guests[] = {&bob, &dan};
    for (size_t i = 0; i < 2; i++) {
        struct cal_event copy = copy_in(guests[i], &ev);
        assert_string_equal(copy.summary, "Other");
        assert_int_equal(copy.importance, IMPORTANCE_HIGH);
        assert_int_equal(copy.start_us, NOON + HOUR);
        assert_int_equal(copy.sequence, old.sequence + 1);
        /* What is ada's own stays hers. */
        assert_null(copy.categories);
        assert_false(copy.reminder_on);
        assert_int_not_equal(copy.busy, BUSY_AWAY);
    }
    ev = again(&ev);
    assert_string_equal(ev.categories, "[\"Red\"]");
    assert_int_equal(ev.reminder_minutes, 5);
    assert_int_equal(ev.busy, BUSY_AWAY);
    OK(cal_event_cancel(&tx, ALL, &ada, &ev));
    assert_int_equal(copy_in(&bob, &ev).status, EVENT_CANCELLED);
    assert_int_equal(copy_in(&dan, &ev).status, EVENT_CANCELLED);
}

static void what_is_a_guests_own_stays_with_the_copy(void **state)
{
    struct cal_event ev = added(draft("One", "bob cyd")), old = copy_in(&bob, &ev), copy = old;
    copy.categories = "[\"Blue\"]";
    copy.reminder_on = true;
    copy.reminder_minutes = 15;
    copy.busy = BUSY_ELSEWHERE;
    OK(saved(&bob, &old, &copy));
    copy = copy_in(&bob, &ev);
    assert_string_equal(copy.categories, "[\"Blue\"]");
    assert_true(copy.reminder_on);
    assert_int_equal(copy.reminder_minutes, 15);
    assert_int_equal(copy.busy, BUSY_ELSEWHERE);
    assert_null(copy_in(&cyd, &ev).categories);
    assert_null(again(&ev).categories);
}

static void an_answer_reaches_the_organizer_and_the_other_guests(void **state)
{
    struct cal_event ev = added(draft("One", "bob dan"));
    struct cal_event copy = copy_in(&dan, &ev);
    answer(&dan, &copy, RESPONSE_TENTATIVE);
    assert_int_equal(again(&ev).attendees[1].response, RESPONSE_TENTATIVE);
    assert_int_equal(copy_in(&bob, &ev).attendees[1].response, RESPONSE_TENTATIVE);
    assert_int_equal(copy_in(&dan, &ev).response, RESPONSE_TENTATIVE);
}

static void the_time_of_a_copy_is_as_its_vendor_says(void **state)
{
    struct cal_event ev = draft("One", "bob"), copy;
    ev.busy = BUSY_AWAY;
    ev = added(ev);
    copy = copy_in(&bob, &ev);
    bool answered = subject->copy_time == COPY_ANSWERED;
    assert_int_equal(copy.busy, answered ? BUSY_TENTATIVE : BUSY_BUSY);
    answer(&bob, &copy, RESPONSE_ACCEPTED);
    copy = copy_in(&bob, &ev);
    assert_int_equal(copy.busy, answered ? BUSY_AWAY : BUSY_BUSY);
    answer(&bob, &copy, RESPONSE_DECLINED);
    assert_int_equal(copy_in(&bob, &ev).busy, answered ? BUSY_FREE : BUSY_BUSY);
    assert_int_equal(busy_times(&bob), 0);
}

static void what_a_guest_may_change_is_as_the_vendor_says(void **state)
{
    struct cal_event ev = added(draft("One", "bob")), old = copy_in(&bob, &ev), copy = old;
    copy.rights |= GUESTS_MODIFY;
    REFUSED(saved(&bob, &old, &copy), CAL_NOT_ORGANIZER);
    copy = old;
    copy.start_us += HOUR;
    if (subject->guests_never & PART_TIME)
        REFUSED(saved(&bob, &old, &copy), CAL_NOT_ORGANIZER);
    /* Without the right it stays with the copy, with it all have it. */
    copy = old;
    copy.summary = "Mine";
    OK(saved(&bob, &old, &copy));
    assert_string_equal(copy_in(&bob, &ev).summary, "Mine");
    assert_string_equal(again(&ev).summary, "One");
    old = ev = again(&ev);
    ev.rights |= GUESTS_MODIFY;
    OK(saved(&ada, &old, &ev));
    old = copy = copy_in(&bob, &ev);
    copy.summary = "Ours";
    copy.location = "Here";
    OK(saved(&bob, &old, &copy));
    assert_string_equal(again(&ev).summary, "Ours");
    assert_string_equal(copy_in(&bob, &ev).location, "Here");
    if (subject->guests_all & PART_LOCATION)
        assert_string_equal(again(&ev).location, "Here");
    else
        assert_null(again(&ev).location);
    old = copy = copy_in(&bob, &ev);
    copy.place = "Desk 5";
    copy.conference = "room-5";
    OK(saved(&bob, &old, &copy));
    assert_string_equal(copy_in(&bob, &ev).place, "Desk 5");
    assert_string_equal(copy_in(&bob, &ev).conference, "room-5");
    if (subject->guests_all & PART_EXTRA) {
        assert_string_equal(again(&ev).place, "Desk 5");
        assert_string_equal(again(&ev).conference, "room-5");
    } else {
        assert_null(again(&ev).place);
    }
}

static void guests_invite_where_the_vendor_lets_them(void **state)
{
    struct cal_event ev = added(draft("One", "bob")), old = copy_in(&bob, &ev), copy = old, more;
    more = draft("", "bob cyd");
    copy.attendees = more.attendees;
    copy.n_attendees = 2;
    OK(saved(&bob, &old, &copy));
    assert_int_equal(again(&ev).n_attendees, subject->guests_invite ? 2 : 1);
    assert_int_equal(cal_event_by_uid(&tx, &cyd, ev.uid, &copy), subject->guests_invite);
}

static void a_room_answers_by_itself(void **state)
{
    struct cal_event ev = added(draft("One", "room")), second = added(draft("Two", "room"));
    assert_int_equal(again(&ev).attendees[0].response, RESPONSE_ACCEPTED);
    assert_string_equal(again(&ev).attendees[0].name, "Aula");
    assert_int_equal(again(&second).attendees[0].response, RESPONSE_DECLINED);
    assert_int_equal(busy_times(&room), 1);
}

/* ---- time ---- */

static void six_values_say_what_a_time_is(void **state)
{
    static const bool blocks[] = {
        [BUSY_BUSY] = true, [BUSY_FREE] = false,      [BUSY_TENTATIVE] = true,
        [BUSY_AWAY] = true, [BUSY_ELSEWHERE] = false, [BUSY_UNKNOWN] = true};
    for (int busy = BUSY_BUSY; busy <= BUSY_UNKNOWN; busy++) {
        struct cal_event ev = draft("One", "");
        ev.busy = (enum cal_busy)busy;
        ev = added(ev);
        assert_int_equal(again(&ev).busy, busy);
        assert_int_equal(event_blocks(&ev), blocks[busy]);
        assert_int_equal(busy_times(&ada), blocks[busy]);
        OK(cal_event_cancel(&tx, ALL, &ada, &ev));
        assert_int_equal(busy_times(&ada), 0);
    }
}

static void an_absence_declines_what_it_says(void **state)
{
    struct cal_event before = added(draft("Before", "bob")), away = draft("Away", ""), after;
    away.kind = KIND_AWAY;
    away.decline = DECLINE_NEW;
    away.decline_text = "On leave";
    OK(cal_event_add(&tx, ALL, &bob, &away));
    assert_int_equal(again(&before).attendees[0].response, RESPONSE_NONE);
    after = added(draft("After", "bob cyd"));
    assert_int_equal(again(&after).attendees[0].response, RESPONSE_DECLINED);
    assert_string_equal(again(&after).attendees[0].comment, "On leave");
    assert_int_equal(again(&after).attendees[1].response, RESPONSE_NONE);
    away = draft("Away", "");
    away.kind = KIND_FOCUS;
    away.decline = DECLINE_ALL;
    OK(cal_event_add(&tx, ALL, &bob, &away));
    assert_int_equal(again(&before).attendees[0].response, RESPONSE_DECLINED);
    away = draft("Away", "");
    away.kind = KIND_AWAY;
    OK(cal_event_add(&tx, ALL, &cyd, &away));
    after = added(draft("Later", "cyd"));
    assert_int_equal(again(&after).attendees[0].response, RESPONSE_NONE);
}

/* Who is away and left out of an instance declines it for nobody else. */
static void an_absence_says_nothing_of_other_guests(void **state)
{
    struct cal_event series = draft("Weekly", "bob cyd"), away = draft("Away", ""), instance, once;
    const int64_t at = NOON + 168 * HOUR;
    series.recurrence = "RRULE:FREQ=WEEKLY;COUNT=3";
    series = added(series);
    away.start_us = at;
    away.kind = KIND_AWAY;
    away.decline = DECLINE_NEW;
    OK(cal_event_add(&tx, ALL, &cyd, &away));
    assert_int_equal(cal_event_instance(&tx, &ada, &series, false, at, &instance), 1);
    OK(cal_event_load_attendees(&tx, &instance));
    assert_int_equal(instance.n_attendees, 2);
    once = instance;
    once.n_attendees = 1;
    OK(saved(&ada, &instance, &once));
    assert_int_equal(cal_event_instance(&tx, &ada, &series, false, at, &instance), 1);
    OK(cal_event_load_attendees(&tx, &instance));
    assert_int_equal(instance.n_attendees, 1);
    assert_string_equal(instance.attendees[0].email, "bob" EMAIL);
    assert_int_equal(instance.attendees[0].response, RESPONSE_NONE);
    assert_null(instance.attendees[0].comment);
    const struct cal_event theirs = copy_in(&cyd, &series);
    assert_int_equal(cal_event_instance(&tx, &cyd, &theirs, false, at, &instance), 1);
    assert_int_equal(instance.status, EVENT_CANCELLED);
}

static void a_series_passes_on_what_its_instances_have_of_it(void **state)
{
    struct cal_event series = draft("Weekly", ""), old, instance, changed;
    series.recurrence = "RRULE:FREQ=WEEKLY;COUNT=3";
    series.place = "Rome";
    series = added(series);
    assert_int_equal(cal_event_instance(&tx, &ada, &series, false, NOON, &instance), 1);
    assert_string_equal(instance.uid, series.uid);
    OK(cal_event_load_attendees(&tx, &instance));
    changed = instance;
    changed.summary = "First";
    OK(saved(&ada, &instance, &changed));
    old = series = again(&series);
    series.importance = IMPORTANCE_LOW;
    series.busy = BUSY_TENTATIVE;
    series.place = "Milan";
    series.conference = "abc";
    series.summary = "Each week";
    OK(saved(&ada, &old, &series));
    assert_int_equal(cal_event_instance(&tx, &ada, &series, false, NOON, &instance), 1);
    assert_string_equal(instance.summary, "First");
    assert_int_equal(instance.importance, IMPORTANCE_LOW);
    assert_int_equal(instance.busy, BUSY_TENTATIVE);
    assert_string_equal(instance.place, "Milan");
    assert_string_equal(instance.conference, "abc");
}

static void times_and_rules_that_make_no_sense_are_refused(void **state)
{
    struct cal_event ev = draft("One", "");
    ev.start_us = INT64_MAX / 2;
    REFUSED(cal_event_add(&tx, ALL, &ada, &ev), CAL_NO_SUCH_TIME);
    ev = draft("One", "");
    ev.recurrence = "RRULE:FREQ=NEVER";
    REFUSED(cal_event_add(&tx, ALL, &ada, &ev), CAL_BAD_RECURRENCE);
}

/* ---- who sees what ---- */

static void a_calendar_opens_for_those_who_have_a_role(void **state)
{
    struct cal_access rule = {.kind = ACCESS_PERSON, .who = "bob" EMAIL, .role = CAL_FREEBUSY};
    struct actor who = actor("bob");
    struct calendar cal;
    REFUSED(calendar_open(&tx, &who, ada.key, CAL_FREEBUSY, &cal), CAL_NO_CALENDAR);
    REFUSED(calendar_open(&tx, &who, "none" EMAIL, CAL_FREEBUSY, &cal), CAL_NO_CALENDAR);
    OK(cal_access_set(&tx, &ada, &rule));
    OK(calendar_open(&tx, &who, ada.key, CAL_FREEBUSY, &cal));
    assert_int_equal(cal.role, CAL_FREEBUSY);
    assert_int_equal(calendar_open(&tx, &who, ada.key, CAL_WRITE, &cal), -1);
    assert_int_equal(cal_reason_of(tx.err), CAL_LESSER_ROLE);
    assert_string_equal(tx.err->where, "writer");
    *tx.err = (struct sosia_err){0};
}

static void details_are_kept_from_readers_as_the_event_says(void **state)
{
    static const struct {
        enum cal_event_visibility visibility;
        bool from_readers, from_busy;
    } rows[] = {{VISIBLE_DEFAULT, false, true},
                {VISIBLE_PUBLIC, false, false},
                {VISIBLE_PRIVATE, true, true},
                {VISIBLE_CONFIDENTIAL, true, true},
                {VISIBLE_PERSONAL, false, true}};
    for (size_t i = 0; i < SOSIA_LEN(rows); i++) {
        struct cal_event ev = {.visibility = rows[i].visibility};
        assert_int_equal(cal_event_concealed(&(struct calendar){.role = CAL_READ}, &ev),
                         rows[i].from_readers);
        assert_int_equal(cal_event_concealed(&(struct calendar){.role = CAL_FREEBUSY}, &ev),
                         rows[i].from_busy);
        struct calendar cal = {.role = CAL_WRITE, .vendor = subject};
        assert_false(cal_event_concealed(&cal, &ev));
        /* Some vendors hide private events from writers, unless the rule says otherwise. */
        struct cal_vendor hides = *subject;
        hides.hides_private = true;
        cal.vendor = &hides;
        assert_int_equal(cal_event_concealed(&cal, &ev), rows[i].visibility == VISIBLE_PRIVATE);
        cal.beyond = CAL_DELEGATE | CAL_PRIVATE;
        assert_false(cal_event_concealed(&cal, &ev));
        cal = (struct calendar){.role = CAL_OWN, .vendor = &hides};
        assert_false(cal_event_concealed(&cal, &ev));
        /* Titles are seen where no more is, but for private events. */
        cal = (struct calendar){.role = CAL_FREEBUSY, .vendor = &hides};
        assert_false(cal_event_named(&cal, &ev));
        cal.beyond = CAL_TITLES;
        assert_int_equal(cal_event_named(&cal, &ev), !rows[i].from_readers);
        cal.role = CAL_READ;
        assert_false(cal_event_named(&cal, &ev));
    }
}

/* Of several rules the highest role counts, with what all of that role give beyond it. */
static void a_rule_gives_more_than_its_role(void **state)
{
    struct cal_access mine = {.kind = ACCESS_PERSON,
                              .who = "bob" EMAIL,
                              .role = CAL_FREEBUSY,
                              .beyond = CAL_TITLES | CAL_PRIVATE};
    struct cal_access all = {.kind = ACCESS_ALL, .who = "", .role = CAL_FREEBUSY}, there;
    struct actor who = actor("bob");
    struct calendar cal = ada;
    OK(cal_access_set(&tx, &ada, &all));
    OK(cal_access_set(&tx, &ada, &mine));
    assert_int_equal(mine.beyond, CAL_TITLES); /* what goes with the role */
    OK(calendar_open_for(&tx, &cal, &who));
    assert_int_equal(cal.role, CAL_FREEBUSY);
    assert_int_equal(cal.beyond, CAL_TITLES);
    all.role = CAL_READ;
    OK(cal_access_set(&tx, &ada, &all));
    OK(calendar_open_for(&tx, &cal, &who));
    assert_int_equal(cal.role, CAL_READ);
    assert_int_equal(cal.beyond, 0);
    mine.role = CAL_WRITE;
    mine.beyond = CAL_DELEGATE;
    OK(cal_access_set(&tx, &ada, &mine));
    all.role = CAL_WRITE;
    all.beyond = CAL_PRIVATE;
    OK(cal_access_set(&tx, &ada, &all));
    OK(calendar_open_for(&tx, &cal, &who));
    assert_int_equal(cal.beyond, CAL_DELEGATE | CAL_PRIVATE);
    assert_int_equal(cal_access_find(&tx, &ada, ACCESS_ALL, "", &there), 1);
    assert_int_equal(there.beyond, CAL_PRIVATE);
    all.role = CAL_NONE;
    OK(cal_access_set(&tx, &ada, &all));
    assert_int_equal(all.beyond, 0);
    cal = ada;
    who = actor("ada");
    OK(calendar_open_for(&tx, &cal, &who));
    assert_int_equal(cal.role, CAL_OWN);
    assert_int_equal(cal.beyond, 0);
}

static void a_rule_may_be_for_a_domain(void **state)
{
    struct cal_access domain = {.kind = ACCESS_DOMAIN, .who = "acme.example", .role = CAL_READ};
    const struct actor who = actor("bob");
    struct calendar cal = ada;
    OK(calendar_open_for(&tx, &cal, &who));
    assert_int_equal(cal.role, CAL_NONE);
    OK(cal_access_set(&tx, &ada, &domain));
    OK(calendar_open_for(&tx, &cal, &who));
    assert_int_equal(cal.role, CAL_READ);
    domain.role = CAL_NONE;
    OK(cal_access_set(&tx, &ada, &domain));
    domain = (struct cal_access){.kind = ACCESS_DOMAIN, .who = "port.example", .role = CAL_READ};
    OK(cal_access_set(&tx, &ada, &domain));
    OK(calendar_open_for(&tx, &cal, &who));
    assert_int_equal(cal.role, CAL_NONE); /* another one's */
}

static void a_rule_written_in_another_way_is_not_a_change(void **state)
{
    struct cal_event series = draft("Weekly", ""), old, ev;
    series.recurrence = "RRULE:FREQ=WEEKLY;COUNT=4";
    old = ev = added(series);
    ev.recurrence = "RRULE:COUNT=4;FREQ=WEEKLY";
    OK(saved(&ada, &old, &ev));
    assert_int_equal(again(&old).change, old.change);
    assert_string_equal(again(&old).recurrence, old.recurrence);
    ev = old;
    ev.recurrence = "RRULE:COUNT=5;FREQ=WEEKLY";
    OK(saved(&ada, &old, &ev));
    assert_true(again(&old).change > old.change);
}

static void a_calendar_is_found_by_its_name_unless_it_is_the_main_one(void **state)
{
    struct calendar team = {.owner = ada.owner, .summary = "Lighthouse"}, main_one = ada;
    OK(calendar_add(&tx, &team));
    struct cal_event ev = draft("One", "");
    OK(cal_event_add(&tx, ALL, &team, &ev));
    added(draft("Two", ""));
    assert_int_equal(found(&team, "lighthouse"), 1);
    assert_int_equal(found(&team, "lighthouses"), 0);
    main_one.summary = "Lighthouse";
    assert_int_equal(found(&main_one, "lighthouse"), 0);
    assert_int_equal(found(&main_one, "two"), 1);
}

static void searches_find_typed_members(void **state)
{
    struct cal_event ev = draft("One", "");
    ev.kind = KIND_PLACE;
    ev.place = "Office\nDesk 7";
    added(ev);
    ev = draft("Two", "");
    ev.kind = KIND_AWAY;
    ev.place = "Cellar";
    ev.organizer = "far@port.example";
    ev.organizer_name = "Fabio Rossi";
    added(ev);
    assert_int_equal(found(&ada, "desk office"), 1);
    assert_int_equal(found(&ada, "cellar"), 0);
    assert_int_equal(found(&ada, "absent"), 1);
    assert_int_equal(found(&ada, "rossi fabio"), 1);
    assert_int_equal(found(&ada, "rossi office"), 0);
}

static void a_conference_is_known_by_its_key(void **state)
{
    struct cal_event ev = draft("One", "bob");
    ev.conference = "abc-defg-hij";
    ev = added(ev);
    assert_int_equal(cal_conference_known(&tx, "abc-defg-hij"), 1);
    assert_int_equal(cal_conference_known(&tx, "abc"), 0);
    assert_string_equal(copy_in(&bob, &ev).conference, "abc-defg-hij");
}

/* ---- lists ---- */

static void pages_of_a_list_have_everything_once(void **state)
{
    struct cal_event series = draft("Daily", "");
    for (int i = 0; i < 5; i++) {
        struct cal_event ev = draft("One", "");
        ev.start_us += i * HOUR;
        added(ev);
    }
    series.recurrence = "RRULE:FREQ=DAILY;COUNT=5";
    added(series);
    for (int order = ORDER_START; order <= ORDER_UPDATE; order++) {
        struct cal_event_query q = everything();
        const char *position = NULL;
        int n = 0, pages = 0;
        q.order = (enum cal_event_order)order;
        q.single = true;
        q.limit = 3;
        do {
            q.position = position;
            OK(cal_event_list(&tx, &ada, &q, count, &n, &position));
        } while (position && ++pages < 20);
        assert_int_equal(n, 10);
        assert_int_equal(pages, 3);
        q.position = "x";
        REFUSED(cal_event_list(&tx, &ada, &q, count, &n, &position), CAL_BAD_POSITION);
    }
}

/* ---- from calendar to calendar ---- */

static void an_organizers_event_moves_and_nothing_else_does(void **state)
{
    struct cal_event ev = added(draft("One", "bob")), copy = copy_in(&bob, &ev), moved, instance;
    struct calendar team = {.owner = ada.owner, .summary = "Team"};
    OK(calendar_add(&tx, &team));
    REFUSED(cal_event_move(&tx, ALL, &bob, &copy, &team, &moved), CAL_NOT_ORGANIZER);
    OK(cal_event_move(&tx, ALL, &ada, &ev, &team, &moved));
    assert_string_equal(moved.uid, ev.uid);
    assert_string_equal(copy_in(&bob, &ev).organizer, team.address);
    struct cal_event series = draft("Weekly", "");
    series.recurrence = "RRULE:FREQ=WEEKLY;COUNT=3";
    series = added(series);
    assert_int_equal(cal_event_instance(&tx, &ada, &series, false, NOON, &instance), 1);
    REFUSED(cal_event_move(&tx, ALL, &ada, &instance, &team, &moved), CAL_MOVED_INSTANCE);
}

static const char OBJECT[] =
    "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nMETHOD:REQUEST\r\nBEGIN:VEVENT\r\nUID:far-1@port.example\r\n"
    "DTSTART:20260320T120000Z\r\nDTEND:20260320T130000Z\r\nSUMMARY:Far\r\nPRIORITY:1\r\n"
    "CLASS:X-PERSONAL\r\nORGANIZER;CN=Fabio:mailto:fab@port.example\r\n"
    "ATTENDEE:mailto:bob@acme.example\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n";

static void an_invitation_that_mail_brings_comes_in_if_the_vendor_lets_it(void **state)
{
    struct invitation mail = {.text = OBJECT, .len = sizeof OBJECT - 1};
    struct actor who = actor("bob");
    struct cal_event ev;
    refuses_mail = true;
    OK(calendar_take(&tx, &who, &mail));
    assert_int_equal(cal_event_by_uid(&tx, &bob, "far-1@port.example", &ev), 0);
    refuses_mail = false;
    OK(calendar_take(&tx, &who, &mail));
    assert_int_equal(cal_event_by_uid(&tx, &bob, "far-1@port.example", &ev), 1);
    assert_string_equal(ev.key, subject->key(&tx, "far-1@port.example"));
    assert_string_equal(ev.organizer_name, "Fabio");
    assert_int_equal(ev.importance, IMPORTANCE_HIGH);
    assert_int_equal(ev.visibility, VISIBLE_PERSONAL);
    assert_null(ev.extra);
}

#define PART(fields, summary)                                                                      \
    "BEGIN:VEVENT\r\nUID:far-2@port.example\r\nDTSTAMP:20260310T080000Z\r\n" fields                \
    "SUMMARY:" summary "\r\nORGANIZER:mailto:fabio@port.example\r\nATTENDEE:mailto:bob" EMAIL      \
    "\r\nEND:VEVENT\r\n"

/* Whichever comes first in the object; and no more events than are left. */
static void a_series_is_taken_before_its_instances(void **state)
{
    static const char text[] = "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nMETHOD:REQUEST\r\n" PART(
        "RECURRENCE-ID:20260321T120000Z\r\nDTSTART:20260321T150000Z\r\n"
        "DTEND:20260321T160000Z\r\n",
        "Moved") PART("DTSTART:20260320T120000Z\r\nDTEND:20260320T130000Z\r\n"
                      "RRULE:FREQ=DAILY;COUNT=3\r\n",
                      "Daily") "END:VCALENDAR\r\n";
    const struct actor who = actor("bob");
    struct cal_event series, ev;
    int left = 0;
    struct invitation mail = {.text = text, .len = sizeof text - 1, .left = &left};
    OK(calendar_take(&tx, &who, &mail));
    assert_int_equal(cal_event_by_uid(&tx, &bob, "far-2@port.example", &series), 0);
    left = 1;
    OK(calendar_take(&tx, &who, &mail));
    assert_int_equal(cal_event_by_uid(&tx, &bob, "far-2@port.example", &series), 1);
    assert_int_equal(series.form, EVENT_SERIES);
    assert_int_equal(cal_event_instance(&tx, &bob, &series, false, NOON + 24 * HOUR, &ev), 1);
    assert_string_equal(ev.summary, "Daily");
    assert_int_equal(ev.start_us, NOON + 24 * HOUR);
    left = 2;
    OK(calendar_take(&tx, &who, &mail));
    assert_int_equal(left, 0);
    assert_int_equal(cal_event_instance(&tx, &bob, &series, false, NOON + 24 * HOUR, &ev), 1);
    assert_string_equal(ev.summary, "Moved");
    assert_int_equal(ev.start_us, NOON + 27 * HOUR);
    assert_int_equal(ev.master, series.id);
    assert_int_equal(cal_event_instance(&tx, &bob, &series, false, NOON + 48 * HOUR, &ev), 1);
    assert_string_equal(ev.summary, "Daily");
    /* The same in a calendar that has neither. */
    const struct actor else_one = actor("cyd");
    left = 2;
    OK(calendar_take(&tx, &else_one, &mail));
    assert_int_equal(cal_event_by_uid(&tx, &cyd, "far-2@port.example", &series), 1);
    assert_int_equal(cal_event_instance(&tx, &cyd, &series, false, NOON + 24 * HOUR, &ev), 1);
    assert_string_equal(ev.summary, "Moved");
}

static void so_many_instances_are_shown_at_once(void **state)
{
    struct cal_event series = draft("Hourly", "");
    const struct cal_shown asked = {
        .actor = "ada" EMAIL, .from_us = NOON, .to_us = NOON + 3000 * HOUR};
    struct sosia_blob blob;
    series.recurrence = "RRULE:FREQ=HOURLY;COUNT=2500";
    added(series);
    for (int over = 0; over < 2; over++) {
        size_t n = 0;
        commit();
        if (cal_show_events(test_engine, test_world, &asked, &blob, &test_err) < 0)
            fail_msg("show: %s", test_err.text);
        for (const char *p = (const char *)blob.data; (p = strstr(p, "\"title\"")); p++)
            n++;
        assert_int_equal(n, CAL_SHOWN);
        assert_int_equal(strstr((const char *)blob.data, "\"more\":true") != NULL, over);
        sosia_blob_free(&blob);
        begin_again();
        added(draft("One more", ""));
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup_teardown(an_event_has_the_uid_that_its_vendor_makes, begin, end),
    cmocka_unit_test_setup_teardown(a_key_is_used_once, begin, end),
    cmocka_unit_test_setup_teardown(
        copies_have_one_key_within_a_vendor_and_that_of_the_uid_in_another, begin, end),
    cmocka_unit_test_setup_teardown(an_instance_is_known_by_its_stamp, begin, end),
    cmocka_unit_test_setup_teardown(an_address_leads_to_a_calendar, begin, end),
    cmocka_unit_test_setup_teardown(of_two_calendars_one_is_where_the_address_leads, begin, end),
    cmocka_unit_test_setup_teardown(what_an_organizer_changes_goes_to_all_copies, begin, end),
    cmocka_unit_test_setup_teardown(what_is_a_guests_own_stays_with_the_copy, begin, end),
    cmocka_unit_test_setup_teardown(an_answer_reaches_the_organizer_and_the_other_guests, begin,
                                    end),
    cmocka_unit_test_setup_teardown(the_time_of_a_copy_is_as_its_vendor_says, begin, end),
    cmocka_unit_test_setup_teardown(what_a_guest_may_change_is_as_the_vendor_says, begin, end),
    cmocka_unit_test_setup_teardown(guests_invite_where_the_vendor_lets_them, begin, end),
    cmocka_unit_test_setup_teardown(a_room_answers_by_itself, begin, end),
    cmocka_unit_test_setup_teardown(six_values_say_what_a_time_is, begin, end),
    cmocka_unit_test_setup_teardown(an_absence_declines_what_it_says, begin, end),
    cmocka_unit_test_setup_teardown(an_absence_says_nothing_of_other_guests, begin, end),
    cmocka_unit_test_setup_teardown(a_series_passes_on_what_its_instances_have_of_it, begin, end),
    cmocka_unit_test_setup_teardown(times_and_rules_that_make_no_sense_are_refused, begin, end),
    cmocka_unit_test_setup_teardown(a_calendar_opens_for_those_who_have_a_role, begin, end),
    cmocka_unit_test_setup_teardown(details_are_kept_from_readers_as_the_event_says, begin, end),
    cmocka_unit_test_setup_teardown(a_rule_gives_more_than_its_role, begin, end),
    cmocka_unit_test_setup_teardown(a_rule_may_be_for_a_domain, begin, end),
    cmocka_unit_test_setup_teardown(a_rule_written_in_another_way_is_not_a_change, begin, end),
    cmocka_unit_test_setup_teardown(a_calendar_is_found_by_its_name_unless_it_is_the_main_one,
                                    begin, end),
    cmocka_unit_test_setup_teardown(searches_find_typed_members, begin, end),
    cmocka_unit_test_setup_teardown(a_conference_is_known_by_its_key, begin, end),
    cmocka_unit_test_setup_teardown(pages_of_a_list_have_everything_once, begin, end),
    cmocka_unit_test_setup_teardown(an_organizers_event_moves_and_nothing_else_does, begin, end),
    cmocka_unit_test_setup_teardown(an_invitation_that_mail_brings_comes_in_if_the_vendor_lets_it,
                                    begin, end),
    cmocka_unit_test_setup_teardown(a_series_is_taken_before_its_instances, begin, end),
    cmocka_unit_test_setup_teardown(so_many_instances_are_shown_at_once, begin, end),
};

static int open_engine(void **state)
{
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
