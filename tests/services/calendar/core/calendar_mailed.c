/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Invitations, cancellations and answers that mail brings: which are followed and which are passed
 * over, what of an event they set and what stays its person's. Once for each of two vendors.
 */
#include "engine/service.h"
#include "tests/services/calendar/core/cal_vendors.h"
#include "tests/support/unit.h"
#include "tests/support/world.h"

#define DAY (24 * HOUR)

/* ---- objects ---- */

static struct invitation taken; /* as the last call left it */

static void mail_of(const char *who, const char *method, const char *events, bool sent)
{
    const char *text = arena_printf(tx.arena,
                                    "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nMETHOD:%s\r\n%sEND:"
                                    "VCALENDAR\r\n",
                                    method, events);
    struct actor a = actor(who);
    taken = (struct invitation){.text = text, .len = strlen(text), .sent = sent};
    OK(calendar_take(&tx, &a, &taken));
}

static const char *event(const char *lines)
{
    return arena_printf(tx.arena, "BEGIN:VEVENT\r\n%sEND:VEVENT\r\n", lines);
}

static void came(const char *who, const char *method, const char *lines)
{
    mail_of(who, method, event(lines), false);
}

static void sent(const char *who, const char *lines)
{
    mail_of(who, "REPLY", event(lines), true);
}

#define UID_ "UID:far@port.example\r\n"
#define FAB  "ORGANIZER;CN=Fabio:mailto:fab@port.example\r\n"
#define BOB  "ATTENDEE:mailto:bob" EMAIL "\r\n"
#define AT_9 "DTSTART:20260320T090000Z\r\nDTEND:20260320T100000Z\r\n"
#define FAR  UID_ FAB BOB AT_9

/* What bob's calendar has of it; false: nothing. */
static bool has(const struct calendar *cal, struct cal_event *ev)
{
    int r = cal_event_by_uid(&tx, cal, "far@port.example", ev);
    assert_true(r >= 0);
    if (r)
        OK(cal_event_load_attendees(&tx, ev));
    return r;
}

static struct cal_event bobs(void)
{
    struct cal_event ev;
    assert_true(has(&bob, &ev));
    return ev;
}

/* ---- requests ---- */

static void what_an_invitation_sets(void **state)
{
    (void)state;
    struct cal_event ev;
    came("bob", "REQUEST",
         UID_ FAB "DTSTART;TZID=Europe/Rome:20260320T090000\r\nDTEND;TZID=Europe/Rome:"
                  "20260320T103000\r\nSUMMARY:Far\r\nDESCRIPTION:Words\r\nLOCATION:There\r\n"
                  "STATUS:TENTATIVE\r\nTRANSP:TRANSPARENT\r\nCLASS:PRIVATE\r\nPRIORITY:9\r\n"
                  "SEQUENCE:3\r\nATTENDEE;PARTSTAT=ACCEPTED;CN=Bob;ROLE=OPT-PARTICIPANT:mailto:"
                  "bob" EMAIL "\r\nATTENDEE;PARTSTAT=DECLINED:mailto:z@port.example\r\n");
    ev = bobs();
    assert_string_equal(ev.key, subject->key(&tx, "far@port.example"));
    assert_string_equal(ev.summary, "Far");
    assert_string_equal(ev.description, "Words");
    assert_string_equal(ev.location, "There");
    assert_string_equal(ev.zone, "Europe/Rome");
    assert_int_equal(ev.start_us, NOON - 4 * HOUR);
    assert_int_equal(ev.len_us, 3 * HOUR / 2);
    assert_int_equal(ev.status, EVENT_TENTATIVE);
    assert_int_equal(ev.busy, BUSY_FREE);
    assert_int_equal(ev.visibility, VISIBLE_PRIVATE);
    assert_int_equal(ev.importance, IMPORTANCE_LOW);
    assert_int_equal(ev.sequence, 3);
    assert_int_equal(ev.form, EVENT_SINGLE);
    assert_string_equal(ev.organizer, "fab@port.example");
    assert_string_equal(ev.organizer_name, "Fabio");
    assert_string_equal(ev.creator, "fab@port.example");
    assert_int_equal(ev.n_attendees, 2);
    assert_int_equal(ev.response, RESPONSE_ACCEPTED);
    assert_int_equal(ev.attendees[1].response, RESPONSE_DECLINED);
    assert_int_equal(ev.rights & EVENT_NO_END, 0);
    /* A newer one without what the first one had. */
    came("bob", "REQUEST", UID_ FAB BOB "DTSTART:20260320T090000Z\r\nSEQUENCE:4\r\n");
    ev = bobs();
    assert_null(ev.summary);
    assert_null(ev.description);
    assert_null(ev.location);
    assert_int_equal(ev.status, EVENT_CONFIRMED);
    assert_int_equal(ev.start_us, NOON - 3 * HOUR);
    assert_int_equal(ev.sequence, 4);
    assert_int_equal(ev.rights & EVENT_NO_END, EVENT_NO_END);
    assert_int_equal(ev.n_attendees, 1);
    assert_int_equal(ev.response, RESPONSE_NONE); /* a new time is answered anew */
    assert_int_equal(ev.busy, BUSY_FREE);         /* that is bob's by now */
    assert_int_equal(ev.importance, IMPORTANCE_LOW);
    came("bob", "REQUEST", FAR "SEQUENCE:5\r\n");
    assert_int_equal(bobs().rights & EVENT_NO_END, 0);
    /* Of a whole day, with the vendor's reminders. */
    came("cyd", "REQUEST", UID_ FAB "DTSTART;VALUE=DATE:20260320\r\n");
    assert_true(has(&cyd, &ev));
    assert_true(ev.all_day);
    assert_int_equal(ev.start_us, NOON - DAY / 2);
    assert_int_equal(ev.len_us, DAY);
    if (subject->day_reminders)
        assert_string_equal(ev.reminders, subject->day_reminders);
    else
        assert_null(ev.reminders);
    assert_int_equal(ev.n_attendees, 0);
    assert_int_equal(ev.response, RESPONSE_NO_GUEST);
}

static void which_requests_are_followed(void **state)
{
    (void)state;
    static const struct {
        const char *lines, *summary;
    } all[] = {
        {FAR "SEQUENCE:2\r\nSUMMARY:First\r\n", "First"},
        {FAR "SEQUENCE:2\r\nSUMMARY:Same number\r\n", "Same number"},
        {FAR "SEQUENCE:1\r\nSUMMARY:Older\r\n", "Same number"},
        {FAR "SUMMARY:Without a number\r\n", "Same number"},
        {FAR "SEQUENCE:3\r\nSUMMARY:Newer\r\n", "Newer"},
        {UID_ BOB AT_9 "SEQUENCE:4\r\nSUMMARY:Nobody's\r\n", "Newer"},
        {UID_ BOB AT_9 "ORGANIZER:mailto:other@port.example\r\nSEQUENCE:4\r\nSUMMARY:Another's"
                       "\r\n",
         "Newer"},
        {UID_ BOB AT_9 "ORGANIZER:mailto:bob" EMAIL "\r\nSEQUENCE:4\r\nSUMMARY:Own\r\n", "Newer"},
        {UID_ FAB BOB "SEQUENCE:4\r\nSUMMARY:At no time\r\n", "Newer"},
        {FAR "SEQUENCE:4\r\nSUMMARY:Last\r\nRRULE:FREQ=NEVER\r\n", "Newer"},
        {FAR "SEQUENCE:4\r\nSUMMARY:Last\r\n", "Last"},
    };
    struct cal_event ev;
    came("bob", "REQUEST", UID_ BOB AT_9 "SUMMARY:Nobody's\r\n");
    came("bob", "REQUEST", UID_ FAB BOB "SUMMARY:At no time\r\n");
    came("bob", "REQUEST", UID_ BOB AT_9 "ORGANIZER:mailto:bob" EMAIL "\r\n");
    came("bob", "REQUEST", FAR "STATUS:CANCELLED\r\n");
    came("bob", "CANCEL", FAR);
    came("bob", "REPLY", FAR);
    came("bob", "PUBLISH", FAR);
    sent("bob", FAR);
    assert_true(taken.missing);
    assert_false(has(&bob, &ev));
    for (size_t i = 0; i < SOSIA_LEN(all); i++) {
        came("bob", "REQUEST", all[i].lines);
        if (strcmp(bobs().summary, all[i].summary) != 0)
            fail_msg("%zu: %s", i, bobs().summary);
    }
    /* What its person took away stays away. */
    ev = bobs();
    OK(cal_event_cancel(&tx, ALL, &bob, &ev));
    came("bob", "REQUEST", FAR "SEQUENCE:9\r\nSUMMARY:Again\r\n");
    assert_string_equal(bobs().summary, "Last");
    assert_int_equal(bobs().status, EVENT_CANCELLED);
    mail_of("bob", "REQUEST", "no object", false);
    /* An event of this world is not taken from mail. */
    const struct cal_event own = added(draft("Own", "bob"));
    came("bob", "REQUEST",
         arena_printf(tx.arena,
                      "UID:%s\r\nORGANIZER:mailto:ada" EMAIL "\r\n" BOB AT_9
                      "SEQUENCE:9\r\nSUMMARY:Forged\r\n",
                      own.uid));
    assert_string_equal(copy_in(&bob, &own).summary, "Own");
    assert_string_equal(again(&own).summary, "Own");
}

static void an_answer_that_was_not_seen_yet_stays(void **state)
{
    (void)state;
    came("bob", "REQUEST", FAR "SEQUENCE:1\r\n");
    struct cal_event ev = bobs(), is = ev;
    is.attendees =
        (struct cal_attendee *)arena_memdup(tx.arena, ev.attendees, sizeof *ev.attendees);
    is.attendees[0].response = RESPONSE_TENTATIVE, is.attendees[0].comment = "perhaps";
    OK(saved(&bob, &ev, &is));
    came("bob", "REQUEST", FAR "SEQUENCE:1\r\nSUMMARY:Other\r\n");
    ev = bobs();
    assert_string_equal(ev.summary, "Other");
    assert_int_equal(ev.response, RESPONSE_TENTATIVE);
    assert_string_equal(ev.attendees[0].comment, "perhaps");
    /* The organizer saw it, or changed the time. */
    came("bob", "REQUEST",
         UID_ FAB AT_9 "SEQUENCE:1\r\nATTENDEE;PARTSTAT=ACCEPTED:mailto:bob" EMAIL "\r\n");
    assert_int_equal(bobs().response, RESPONSE_ACCEPTED);
    came("bob", "REQUEST", FAR "SEQUENCE:2\r\n");
    assert_int_equal(bobs().response, RESPONSE_NONE);
}

static void an_alias_is_its_persons_address(void **state)
{
    (void)state;
    OK(sql_exec(tx.db,
                "insert into ident_alias (email, actor) select 'b2@acme.example', id from "
                "ident_actor where email = 'bob@acme.example'",
                tx.err));
    OK(sql_exec(tx.db,
                "insert into ident_alias (email, actor) select 'a2@acme.example', id from "
                "ident_actor where email = 'ada@acme.example'",
                tx.err));
    came("bob", "REQUEST",
         UID_ AT_9 "ORGANIZER:mailto:a2" EMAIL "\r\nATTENDEE;PARTSTAT=ACCEPTED:mailto:b2" EMAIL
                   "\r\n" BOB "ATTENDEE:mailto:cyd" EMAIL "\r\nATTENDEE:mailto:b2" EMAIL "\r\n");
    const struct cal_event ev = bobs();
    assert_string_equal(ev.organizer, "ada" EMAIL);
    assert_int_equal(ev.n_attendees, 2);
    assert_string_equal(ev.attendees[0].email, "bob" EMAIL);
    assert_int_equal(ev.attendees[0].response, RESPONSE_ACCEPTED);
    assert_string_equal(ev.attendees[1].email, "cyd" EMAIL);
    assert_int_equal(ev.response, RESPONSE_ACCEPTED);
}

/* ---- series ---- */

#define RULE   "RRULE:FREQ=DAILY;COUNT=4\r\n"
#define SECOND "RECURRENCE-ID:20260321T090000Z\r\n"

static struct cal_event instance(int day)
{
    struct cal_event ev;
    const struct cal_event series = bobs();
    assert_int_equal(
        cal_event_instance(&tx, &bob, &series, false, NOON - 3 * HOUR + day * DAY, &ev), 1);
    OK(cal_event_load_attendees(&tx, &ev));
    return ev;
}

static void an_instance_may_come_before_its_series(void **state)
{
    (void)state;
    struct cal_event ev, none;
    came("bob", "REQUEST", FAR SECOND "SUMMARY:Lone\r\n");
    assert_int_equal(cal_event_by_uid(&tx, &bob, "far@port.example", &ev), 1);
    assert_int_equal(ev.form, EVENT_INSTANCE);
    assert_int_equal(ev.original_us, NOON - 3 * HOUR + DAY);
    assert_int_equal(ev.master, 0);
    const char *key = cal_event_instance_key(&tx, subject->key(&tx, "far@port.example"), false,
                                             NOON - 3 * HOUR + DAY);
    assert_string_equal(ev.key, key);
    /* The series is another event, whose instance it becomes. */
    came("bob", "REQUEST", FAR RULE "SUMMARY:Series\r\n");
    assert_int_equal(bobs().form, EVENT_SERIES);
    assert_int_equal(bobs().n_instances, 1);
    assert_int_equal(instance(1).id, ev.id);
    assert_int_equal(instance(1).master, bobs().id);
    assert_string_equal(instance(1).summary, "Lone");
    assert_string_equal(instance(2).summary, "Series");
    /* What the series has not is passed over. */
    came("bob", "REQUEST", FAR "RECURRENCE-ID:20260321T093000Z\r\nSUMMARY:Nowhere\r\n");
    came("bob", "REQUEST", FAR "RECURRENCE-ID:20260401T090000Z\r\nSUMMARY:Nowhere\r\n");
    assert_int_equal(found(&bob, "Nowhere"), 0);
    assert_int_equal(bobs().n_instances, 1);
    came("bob", "REQUEST", FAR SECOND "SEQUENCE:1\r\nSUMMARY:Changed\r\n");
    assert_string_equal(instance(1).summary, "Changed");
    assert_string_equal(bobs().summary, "Series");
    /* A single event that becomes a series takes its instances too. */
    came("cyd", "REQUEST", FAR SECOND "SUMMARY:Lone\r\n");
    came("cyd", "REQUEST", FAR "SUMMARY:Single\r\n");
    came("cyd", "REQUEST", FAR RULE "SEQUENCE:1\r\nSUMMARY:Series\r\n");
    assert_true(has(&cyd, &ev));
    assert_int_equal(ev.form, EVENT_SERIES);
    assert_int_equal(ev.n_instances, 1);
    assert_int_equal(cal_event_find(&tx, &cyd, key, &none), 1);
    assert_int_equal(none.master, ev.id);
}

static void cancellations_by_mail(void **state)
{
    (void)state;
    struct cal_event ev;
    came("bob", "REQUEST", FAR RULE "SEQUENCE:2\r\nSUMMARY:Series\r\n");
    came("bob", "REQUEST", FAR SECOND "SEQUENCE:2\r\nSUMMARY:Second\r\n");
    came("bob", "CANCEL", FAR SECOND "SEQUENCE:1\r\n"); /* older */
    assert_int_equal(instance(1).status, EVENT_CONFIRMED);
    came("bob", "CANCEL",
         UID_ BOB AT_9 "ORGANIZER:mailto:other@port.example\r\n" SECOND "SEQUENCE:3\r\n");
    assert_int_equal(instance(1).status, EVENT_CONFIRMED);
    came("bob", "CANCEL", FAR "RECURRENCE-ID:20260322T090000Z\r\nSEQUENCE:3\r\n");
    assert_int_equal(instance(2).status, EVENT_CANCELLED);
    assert_int_equal(instance(2).sequence, 3);
    assert_int_equal(instance(1).status, EVENT_CONFIRMED);
    assert_int_equal(bobs().status, EVENT_CONFIRMED);
    came("bob", "CANCEL", FAR "RECURRENCE-ID:20260401T090000Z\r\nSEQUENCE:3\r\n");
    came("bob", "CANCEL", FAR "SEQUENCE:2\r\n"); /* with the number that it has */
    ev = bobs();
    assert_int_equal(ev.status, EVENT_CANCELLED);
    assert_int_equal(ev.sequence, 2);
    assert_int_equal(ev.n_instances, 0);
    assert_int_equal(busy_times(&bob), 0);
    came("bob", "CANCEL", FAR "SEQUENCE:9\r\n"); /* once is enough */
    assert_int_equal(bobs().sequence, 2);
    came("bob", "REQUEST", FAR "SEQUENCE:3\r\nSUMMARY:Back\r\n");
    assert_int_equal(bobs().status, EVENT_CONFIRMED);
    assert_string_equal(bobs().summary, "Back");
}

/* ---- answers ---- */

static const char *reply_to(const struct cal_event *ev, const char *organizer, const char *more)
{
    return arena_printf(tx.arena, "UID:%s\r\nORGANIZER:mailto:%s\r\nDTSTART:20260320T120000Z\r\n%s",
                        ev->uid, organizer, more);
}

#define SAYS(stat, who) "ATTENDEE;PARTSTAT=" stat ":mailto:" who "\r\n"

static void answers_of_guests_outside(void **state)
{
    (void)state;
    struct calendar team = {.owner = ada.owner, .summary = "Team"};
    struct cal_event ev = draft("One", "bob"), old, is;
    ev.attendees[1] = (struct cal_attendee){.email = "x@port.example", .response = RESPONSE_NONE};
    ev.n_attendees = 2;
    ev = added(ev);
    came(
        "ada", "REPLY",
        reply_to(&ev, "ada" EMAIL, SAYS("TENTATIVE", "x@port.example") "COMMENT:we shall see\r\n"));
    assert_int_equal(again(&ev).attendees[1].response, RESPONSE_TENTATIVE);
    assert_string_equal(again(&ev).attendees[1].comment, "we shall see");
    assert_int_equal(again(&ev).attendees[0].response, RESPONSE_NONE);
    assert_int_equal(copy_in(&bob, &ev).attendees[1].response, RESPONSE_TENTATIVE);
    /* Nothing is said, or by nobody who is invited, or of another state, or to somebody else. */
    came("ada", "REPLY", reply_to(&ev, "ada" EMAIL, SAYS("NEEDS-ACTION", "x@port.example")));
    came("ada", "REPLY", reply_to(&ev, "ada" EMAIL, SAYS("DECLINED", "y@port.example")));
    came("ada", "REPLY", reply_to(&ev, "bob" EMAIL, SAYS("DECLINED", "x@port.example")));
    came("bob", "REPLY", reply_to(&ev, "ada" EMAIL, SAYS("DECLINED", "x@port.example")));
    came("ada", "REPLY",
         arena_printf(tx.arena, "UID:%s\r\nDTSTART:20260320T120000Z\r\n%s", ev.uid,
                      SAYS("DECLINED", "x@port.example")));
    assert_int_equal(again(&ev).attendees[1].response, RESPONSE_TENTATIVE);
    assert_int_equal(again(&ev).n_attendees, 2);
    old = is = again(&ev);
    is.start_us += HOUR;
    OK(saved(&ada, &old, &is));
    came("ada", "REPLY",
         reply_to(&ev, "ada" EMAIL, SAYS("DECLINED", "x@port.example") "SEQUENCE:0\r\n"));
    assert_int_equal(again(&ev).attendees[1].response, RESPONSE_TENTATIVE);
    came("ada", "REPLY",
         reply_to(&ev, "ada" EMAIL, SAYS("DECLINED", "x@port.example") "SEQUENCE:1\r\n"));
    assert_int_equal(again(&ev).attendees[1].response, RESPONSE_DECLINED);
    came("ada", "REPLY", reply_to(&ev, "ada" EMAIL, SAYS("ACCEPTED", "x@port.example")));
    assert_int_equal(again(&ev).attendees[1].response, RESPONSE_ACCEPTED);
    /* To an event of a calendar that is not the main one, if that has an address: by who may
     * change it. */
    OK(calendar_add(&tx, &team));
    struct cal_event theirs = draft("Team", "bob");
    theirs.attendees[1] = ev.attendees[1];
    theirs.attendees[1].response = RESPONSE_NONE;
    theirs.n_attendees = 2;
    OK(cal_event_add(&tx, ALL, &team, &theirs));
    for (int role = CAL_READ; role <= CAL_WRITE; role++) {
        OK(cal_access_set(&tx, &team,
                          &(struct cal_access){.kind = ACCESS_PERSON,
                                               .who = "cyd" EMAIL,
                                               .role = (enum cal_role)role}));
        came("cyd", "REPLY", reply_to(&theirs, team.address, SAYS("ACCEPTED", "x@port.example")));
        assert_int_equal(again(&theirs).attendees[1].response,
                         role == CAL_WRITE && subject->calendar_end ? RESPONSE_ACCEPTED
                                                                    : RESPONSE_NONE);
    }
    /* What is cancelled is not answered. */
    ev = again(&ev);
    OK(cal_event_cancel(&tx, ALL, &ada, &ev));
    came("ada", "REPLY", reply_to(&ev, "ada" EMAIL, SAYS("DECLINED", "x@port.example")));
    assert_int_equal(again(&ev).attendees[1].response, RESPONSE_ACCEPTED);
}

static void an_answer_that_the_person_sent(void **state)
{
    (void)state;
    came("bob", "REQUEST", FAR "SEQUENCE:1\r\n");
    sent("bob", UID_ FAB AT_9 SAYS("DECLINED", "z@port.example") "SEQUENCE:1\r\n");
    sent("bob", UID_ FAB AT_9 SAYS("NEEDS-ACTION", "bob" EMAIL) "SEQUENCE:1\r\n");
    sent("bob", UID_ FAB AT_9 SAYS("DECLINED", "bob" EMAIL) "SEQUENCE:0\r\n");
    sent("bob", UID_ "ORGANIZER:mailto:other@port.example\r\n" AT_9 SAYS(
                    "DECLINED", "bob" EMAIL) "SEQUENCE:1\r\n");
    sent("bob", UID_ AT_9 SAYS("DECLINED", "bob" EMAIL) "SEQUENCE:1\r\n");
    sent("bob", UID_ "ORGANIZER:mailto:bob" EMAIL "\r\n" AT_9 SAYS("DECLINED", "bob" EMAIL));
    assert_false(taken.missing);
    assert_int_equal(bobs().response, RESPONSE_NONE);
    sent("bob", UID_ FAB AT_9 SAYS("TENTATIVE", "bob" EMAIL) "SEQUENCE:1\r\nCOMMENT:perhaps\r\n");
    assert_int_equal(bobs().response, RESPONSE_TENTATIVE);
    assert_string_equal(bobs().attendees[0].comment, "perhaps");
    sent("bob", UID_ FAB AT_9 SAYS("ACCEPTED", "bob" EMAIL) "SEQUENCE:1\r\n");
    assert_int_equal(bobs().response, RESPONSE_ACCEPTED);
    assert_string_equal(bobs().attendees[0].comment, "perhaps"); /* nothing else was said */
    mail_of("bob", "REQUEST", event(FAR "SEQUENCE:2\r\nSUMMARY:Sent\r\n"), true);
    assert_null(bobs().summary); /* of what was sent answers alone are looked at */
    sent("cyd", UID_ FAB AT_9 SAYS("ACCEPTED", "cyd" EMAIL));
    assert_true(taken.missing);
    came("bob", "CANCEL", FAR "SEQUENCE:3\r\n");
    sent("bob", UID_ FAB AT_9 SAYS("DECLINED", "bob" EMAIL) "SEQUENCE:3\r\n");
    assert_int_equal(bobs().response, RESPONSE_ACCEPTED);
    assert_false(taken.missing);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup_teardown(what_an_invitation_sets, begin, end),
    cmocka_unit_test_setup_teardown(which_requests_are_followed, begin, end),
    cmocka_unit_test_setup_teardown(an_answer_that_was_not_seen_yet_stays, begin, end),
    cmocka_unit_test_setup_teardown(an_alias_is_its_persons_address, begin, end),
    cmocka_unit_test_setup_teardown(an_instance_may_come_before_its_series, begin, end),
    cmocka_unit_test_setup_teardown(cancellations_by_mail, begin, end),
    cmocka_unit_test_setup_teardown(answers_of_guests_outside, begin, end),
    cmocka_unit_test_setup_teardown(an_answer_that_the_person_sent, begin, end),
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
