/* SPDX-License-Identifier: Apache-2.0 */
/* Invitations in imported and delivered messages: what reaches the calendar, and what comes back.
 */
#include "tests/support/gmail.h"
#include "engine/base/codec.h"

#define DAVE "dave@else.example"
#define TOOK "?processForCalendar=true"

/* What the last calendar call found. */
static const struct json *found;

/* An import into a person's mailbox of a letter with an object of this method. */
static void import_as(const char *who, const char *query, const char *method, const char *events)
{
    const char *text =
        gm_text("From: Dave <" DAVE ">\nTo: %s\nSubject: Plan\nMIME-Version: 1.0\n"
                "Content-Type: multipart/alternative; boundary=b\n\n"
                "--b\nContent-Type: text/plain\n\nCome.\n"
                "--b\nContent-Type: text/calendar; charset=UTF-8; method=%s\n\n"
                "BEGIN:VCALENDAR\nVERSION:2.0\n%s%s%s%sEND:VCALENDAR\n--b--\n",
                who, method, *method ? "METHOD:" : "", method, *method ? "\n" : "", events);
    gm(who, "POST", gm_text("/messages/import%s", query),
       gm_text("{'raw':'%s','labelIds':['INBOX']}", gm_raw(text)));
    if (test_status != 200)
        fail_msg("import: %d %s", test_status, test_body);
}

static void take(const char *who, const char *method, const char *events)
{
    import_as(who, TOOK, method, events);
}

/* Dave's event, tomorrow from 10 to 11; more: further lines. */
static const char *event(const char *more)
{
    return gm_text("BEGIN:VEVENT\nUID:plan@else.example\nDTSTART:20261124T100000Z\n"
                   "DTEND:20261124T110000Z\nORGANIZER;CN=Dave D:mailto:" DAVE "\n"
                   "ATTENDEE;PARTSTAT=NEEDS-ACTION;CN=Ada:mailto:" ADA "\n"
                   "ATTENDEE;PARTSTAT=ACCEPTED:mailto:" DAVE "\n%sEND:VEVENT\n",
                   more);
}

static size_t events_of(const char *who, const char *query)
{
    found = gm(who, "GET", gm_text("!/calendar/v3/calendars/primary/events%s", query), NULL);
    assert_int_equal(test_status, 200);
    return count_at(found, "items");
}

/* The only event in a person's calendar. */
static const struct json *the_event(const char *who)
{
    assert_int_equal(events_of(who, ""), 1);
    return value_at(found, "items.0");
}

static void change(const char *who, const char *id, const char *query, const char *body)
{
    gm(who, "PATCH", gm_text("!/calendar/v3/calendars/primary/events/%s%s", id, query), body);
    if (test_status != 200)
        fail_msg("patch: %d %s", test_status, test_body);
}

/* ---- requests ---- */

static void an_invitation_from_outside_is_a_guests_event(void **state)
{
    (void)state;
    take(ADA, "REQUEST", event("SUMMARY:Plan\\, new\nLOCATION:Bar\nDESCRIPTION:a\\nb\n"));
    const struct json *ev = the_event(ADA);
    assert_string_equal(text_at(ev, "iCalUID"), "plan@else.example");
    assert_string_equal(text_at(ev, "status"), "confirmed");
    assert_string_equal(text_at(ev, "summary"), "Plan, new");
    assert_string_equal(text_at(ev, "location"), "Bar");
    assert_string_equal(text_at(ev, "description"), "a\nb");
    assert_string_equal(text_at(ev, "start.dateTime"), "2026-11-24T10:00:00Z");
    assert_string_equal(text_at(ev, "start.timeZone"), "UTC");
    assert_string_equal(text_at(ev, "end.dateTime"), "2026-11-24T11:00:00Z");
    assert_string_equal(text_at(ev, "organizer.email"), DAVE);
    assert_string_equal(text_at(ev, "organizer.displayName"), "Dave D");
    assert_null(value_at(ev, "organizer.self"));
    assert_string_equal(text_at(ev, "creator.email"), DAVE);
    assert_string_equal(column(ev, "attendees", "email"), ADA " " DAVE);
    assert_string_equal(column(ev, "attendees", "responseStatus"), "needsAction accepted");
    assert_null(value_at(ev, "privateCopy"));
    assert_int_equal(count_at(test_outbox(), ""), 0);
    gm_get(ADA, 200, "/messages/%s", gm_newest(ADA));
}

static void nothing_is_taken_without_the_parameter(void **state)
{
    (void)state;
    import_as(ADA, "", "REQUEST", event(""));
    import_as(ADA, "?processForCalendar=false", "REQUEST", event(""));
    assert_int_equal(events_of(ADA, ""), 0);
}

static void other_methods_are_no_invitations(void **state)
{
    (void)state;
    take(ADA, "PUBLISH", event(""));
    take(ADA, "", event(""));
    take(ADA, "REPLY", event(""));
    take(ADA, "CANCEL", event(""));
    assert_int_equal(events_of(ADA, "?showDeleted=true"), 0);
}

static void what_cannot_be_read_is_only_mail(void **state)
{
    (void)state;
    take(ADA, "REQUEST", "BEGIN:VEVENT\n");
    take(ADA, "REQUEST", event("RRULE:FREQ=SOMETIMES\n"));
    take(ADA, "REQUEST", event("DURATION:x\nRECURRENCE-ID:x\n"));
    assert_int_equal(events_of(ADA, "?showDeleted=true"), 0);
    assert_int_equal(count_at(gm_get(ADA, 200, "/messages"), "messages"), 3);
}

static void a_forwarded_message_invites_nobody(void **state)
{
    (void)state;
    const char *text =
        gm_text("From: " BOB "\nTo: " ADA "\nMIME-Version: 1.0\nContent-Type: message/rfc822\n\n"
                "From: " DAVE "\nMIME-Version: 1.0\nContent-Type: text/calendar\n\n"
                "BEGIN:VCALENDAR\nMETHOD:REQUEST\n%sEND:VCALENDAR\n",
                event(""));
    gm(ADA, "POST", "/messages/import" TOOK, gm_text("{'raw':'%s'}", gm_raw(text)));
    assert_int_equal(test_status, 200);
    assert_int_equal(events_of(ADA, ""), 0);
}

static void a_part_may_be_encoded(void **state)
{
    (void)state;
    const char *object =
        gm_text("BEGIN:VCALENDAR\nMETHOD:REQUEST\n%sEND:VCALENDAR\n", event("SUMMARY:Caf\xe9\n"));
    struct buf b;
    buf_init(&b, 0);
    base64_add(&b, object, strlen(object));
    const char *text = gm_text("From: " DAVE "\nTo: " ADA "\nMIME-Version: 1.0\n"
                               "Content-Type: text/calendar; charset=iso-8859-1\n"
                               "Content-Transfer-Encoding: base64\n\n%s\n",
                               buf_str(&b));
    buf_done(&b);
    gm(ADA, "POST", "/messages/import" TOOK, gm_text("{'raw':'%s'}", gm_raw(text)));
    assert_int_equal(test_status, 200);
    assert_string_equal(text_at(the_event(ADA), "summary"), "Caf\xc3\xa9");
}

static void the_same_invitation_again_changes_nothing(void **state)
{
    (void)state;
    take(ADA, "REQUEST", event("SUMMARY:A\nSEQUENCE:1\n"));
    const char *etag = text_at(the_event(ADA), "etag");
    test_advance(60);
    take(ADA, "REQUEST", event("SUMMARY:A\nSEQUENCE:1\n"));
    assert_string_equal(text_at(the_event(ADA), "etag"), etag);
}

static void a_later_one_is_an_update_and_an_older_one_is_not(void **state)
{
    (void)state;
    take(ADA, "REQUEST", event("SUMMARY:A\nSEQUENCE:2\n"));
    const char *id = text_at(the_event(ADA), "id");
    take(ADA, "REQUEST", event("SUMMARY:Old\nSEQUENCE:1\n"));
    assert_string_equal(text_at(the_event(ADA), "summary"), "A");
    take(ADA, "REQUEST", event("SUMMARY:New\nSEQUENCE:3\n"));
    assert_string_equal(text_at(the_event(ADA), "summary"), "New");
    assert_string_equal(text_at(the_event(ADA), "id"), id);
    assert_int_equal(number_at(the_event(ADA), "sequence"), 3);
}

static void somebody_else_cannot_change_or_cancel_it(void **state)
{
    (void)state;
    take(ADA, "REQUEST", event("SUMMARY:A\n"));
    const char *mallory = "BEGIN:VEVENT\nUID:plan@else.example\nDTSTART:20261124T100000Z\n"
                          "ORGANIZER:mailto:mallory@bad.example\nSEQUENCE:9\nSUMMARY:M\n"
                          "END:VEVENT\n";
    take(ADA, "REQUEST", mallory);
    take(ADA, "CANCEL", mallory);
    assert_string_equal(text_at(the_event(ADA), "summary"), "A");
}

static void ones_own_invitation_is_no_news(void **state)
{
    (void)state;
    take(ADA, "REQUEST",
         "BEGIN:VEVENT\nUID:x\nDTSTART:20261124T100000Z\n"
         "ORGANIZER:mailto:a.lovelace@acme.example\nATTENDEE:mailto:" BOB "\nEND:VEVENT\n");
    assert_int_equal(events_of(ADA, ""), 0);
}

static void an_alias_is_the_same_guest(void **state)
{
    (void)state;
    take(ADA, "REQUEST",
         "BEGIN:VEVENT\nUID:x\nDTSTART:20261124T100000Z\nORGANIZER:mailto:" DAVE "\n"
         "ATTENDEE:mailto:a.lovelace@acme.example\nATTENDEE:mailto:" ADA "\nEND:VEVENT\n");
    assert_string_equal(column(the_event(ADA), "attendees", "email"), ADA);
}

static void who_is_not_named_has_the_event_without_an_answer(void **state)
{
    (void)state;
    take(BOB, "REQUEST", event("SUMMARY:A\n"));
    assert_string_equal(text_at(the_event(BOB), "summary"), "A");
    assert_string_equal(column(the_event(BOB), "attendees", "email"), ADA " " DAVE);
    assert_null(value_at(the_event(BOB), "attendees.0.self"));
    take(CYD, "REQUEST",
         "BEGIN:VEVENT\nUID:bare\nDTSTART;VALUE=DATE:20261124\n"
         "ORGANIZER:mailto:" DAVE "\nEND:VEVENT\n");
    assert_string_equal(text_at(the_event(CYD), "start.date"), "2026-11-24");
    assert_null(value_at(the_event(CYD), "attendees"));
}

static void an_invitation_of_this_world_is_not_doubled(void **state)
{
    (void)state;
    gm(BOB, "POST", "!/calendar/v3/calendars/primary/events",
       "{'id':'planplan','summary':'Ours','start':{'dateTime':'2026-11-24T10:00:00Z'},"
       "'end':{'dateTime':'2026-11-24T11:00:00Z'},'attendees':[{'email':'" ADA "'}]}");
    assert_int_equal(test_status, 200);
    take(ADA, "REQUEST",
         "BEGIN:VEVENT\nUID:planplan@google.com\nDTSTART:20261124T100000Z\nSEQUENCE:7\n"
         "SUMMARY:Theirs\nORGANIZER:mailto:" BOB "\nATTENDEE:mailto:" ADA "\nEND:VEVENT\n");
    assert_string_equal(text_at(the_event(ADA), "summary"), "Ours");
    take(ADA, "CANCEL",
         "BEGIN:VEVENT\nUID:planplan@google.com\nSEQUENCE:7\nORGANIZER:mailto:" BOB
         "\nEND:VEVENT\n");
    assert_string_equal(text_at(the_event(ADA), "status"), "confirmed");
}

static void what_was_deleted_stays_away(void **state)
{
    (void)state;
    take(ADA, "REQUEST", event(""));
    gm(ADA, "DELETE",
       gm_text("!/calendar/v3/calendars/primary/events/%s", text_at(the_event(ADA), "id")), NULL);
    assert_int_equal(test_status, 204);
    take(ADA, "REQUEST", event("SEQUENCE:5\n"));
    assert_int_equal(events_of(ADA, ""), 0);
}

static void what_was_deleted_stays_away_with_its_changed_instances(void **state)
{
    (void)state;
    take(ADA, "REQUEST", event("SUMMARY:A\nRRULE:FREQ=DAILY;COUNT=3\n"));
    assert_int_equal(events_of(ADA, "?singleEvents=true"), 3);
    const char *id = text_at(found, "items.0.recurringEventId");
    change(ADA, text_at(found, "items.1.id"), "", "{'colorId':'4'}");
    gm(ADA, "DELETE", gm_text("!/calendar/v3/calendars/primary/events/%s", id), NULL);
    assert_int_equal(test_status, 204);
    take(ADA, "REQUEST", event("SUMMARY:B\nSEQUENCE:5\nRECURRENCE-ID:20261125T100000Z\n"));
    assert_int_equal(events_of(ADA, "?singleEvents=true"), 0);
}

/* ---- answers ---- */

static void the_answer_goes_to_the_organizer_outside(void **state)
{
    (void)state;
    take(ADA, "REQUEST", event("SEQUENCE:4\n"));
    change(ADA, text_at(the_event(ADA), "id"), "?sendUpdates=all",
           "{'attendees':[{'email':'" ADA "','responseStatus':'accepted'},{'email':'" DAVE "'}]}");
    const struct json *outbox = test_outbox();
    assert_int_equal(count_at(outbox, ""), 1);
    assert_string_equal(text_at(outbox, "0.from"), ADA);
    assert_string_equal(text_at(outbox, "0.to"), DAVE);
    const char *object = text_at(outbox, "0.payload.calendar");
    assert_string_equal(text_at(outbox, "0.payload.method"), "REPLY");
    assert_non_null(strstr(object, "UID:plan@else.example\r\n"));
    assert_non_null(strstr(object, "SEQUENCE:4\r\n"));
    assert_non_null(strstr(object, "PARTSTAT=ACCEPTED"));
    /* The organizer's next update keeps it. */
    take(ADA, "REQUEST", event("SEQUENCE:4\nSUMMARY:Other\n"));
    assert_string_equal(text_at(the_event(ADA), "summary"), "Other");
    assert_string_equal(column(the_event(ADA), "attendees", "responseStatus"), "accepted accepted");
    /* Another time requires a new answer. */
    take(ADA, "REQUEST", event("SEQUENCE:5\nSUMMARY:Other\n"));
    assert_string_equal(column(the_event(ADA), "attendees", "responseStatus"),
                        "needsAction accepted");
}

static void no_answer_is_sent_unless_it_is_asked_for(void **state)
{
    (void)state;
    take(ADA, "REQUEST", event(""));
    change(ADA, text_at(the_event(ADA), "id"), "?sendUpdates=none",
           "{'attendees':[{'email':'" ADA "','responseStatus':'declined'}]}");
    assert_int_equal(count_at(test_outbox(), ""), 0);
}

static void a_reply_is_the_guests_answer(void **state)
{
    (void)state;
    gm(ADA, "POST", "!/calendar/v3/calendars/primary/events",
       "{'id':'oursours','start':{'dateTime':'2026-11-24T10:00:00Z'},"
       "'end':{'dateTime':'2026-11-24T11:00:00Z'},"
       "'attendees':[{'email':'" BOB "'},{'email':'" DAVE "','displayName':'D'}]}");
    assert_int_equal(test_status, 200);
    take(ADA, "REPLY",
         "BEGIN:VEVENT\nUID:oursours@google.com\nORGANIZER:mailto:" ADA "\nSEQUENCE:0\n"
         "ATTENDEE;PARTSTAT=TENTATIVE;CN=Other:mailto:" DAVE "\nCOMMENT:Maybe\n"
         "ATTENDEE;PARTSTAT=ACCEPTED:mailto:stranger@bad.example\nEND:VEVENT\n");
    assert_string_equal(column(the_event(ADA), "attendees", "responseStatus"),
                        "needsAction tentative");
    assert_string_equal(text_at(the_event(ADA), "attendees.1.comment"), "Maybe");
    assert_string_equal(text_at(the_event(ADA), "attendees.1.displayName"), "D");
    assert_string_equal(column(the_event(BOB), "attendees", "responseStatus"),
                        "needsAction tentative");
    /* Bob is not its organizer: what reaches him has no effect. */
    take(BOB, "REPLY",
         "BEGIN:VEVENT\nUID:oursours@google.com\nORGANIZER:mailto:" ADA "\n"
         "ATTENDEE;PARTSTAT=DECLINED:mailto:" DAVE "\nEND:VEVENT\n");
    assert_string_equal(column(the_event(ADA), "attendees", "responseStatus"),
                        "needsAction tentative");
}

static void a_reply_reaches_a_calendar_that_the_person_writes(void **state)
{
    (void)state;
    const struct json *v = gm(ADA, "POST", "!/calendar/v3/calendars", "{'summary':'Team'}");
    const char *cal = text_at(v, "id");
    const char *path = gm_text("!/calendar/v3/calendars/%s/events", cal);
    gm(ADA, "POST", path,
       "{'id':'teamevent','start':{'dateTime':'2026-11-24T10:00:00Z'},"
       "'end':{'dateTime':'2026-11-24T11:00:00Z'},'attendees':[{'email':'" DAVE "'}]}");
    assert_int_equal(test_status, 200);
    const char *answer = gm_text("BEGIN:VEVENT\nUID:teamevent@google.com\nORGANIZER:mailto:%s\n"
                                 "ATTENDEE;PARTSTAT=ACCEPTED:mailto:" DAVE "\nEND:VEVENT\n",
                                 cal);
    take(BOB, "REPLY", answer);
    v = gm(ADA, "GET", gm_text("%s/teamevent", path), NULL);
    assert_string_equal(column(v, "attendees", "responseStatus"), "needsAction");
    take(ADA, "REPLY", answer);
    v = gm(ADA, "GET", gm_text("%s/teamevent", path), NULL);
    assert_string_equal(column(v, "attendees", "responseStatus"), "accepted");
}

static void an_answer_to_an_older_state_does_not_count(void **state)
{
    (void)state;
    gm(ADA, "POST", "!/calendar/v3/calendars/primary/events",
       "{'id':'oursours','sequence':3,'start':{'dateTime':'2026-11-24T10:00:00Z'},"
       "'end':{'dateTime':'2026-11-24T11:00:00Z'},'attendees':[{'email':'" DAVE "'}]}");
    assert_int_equal(test_status, 200);
    take(ADA, "REPLY",
         "BEGIN:VEVENT\nUID:oursours@google.com\nORGANIZER:mailto:" ADA "\nSEQUENCE:2\n"
         "ATTENDEE;PARTSTAT=ACCEPTED:mailto:" DAVE "\nEND:VEVENT\n");
    assert_string_equal(column(the_event(ADA), "attendees", "responseStatus"), "needsAction");
}

/* ---- cancellations ---- */

static void a_cancellation_cancels(void **state)
{
    (void)state;
    take(ADA, "REQUEST", event("SEQUENCE:1\n"));
    take(ADA, "CANCEL", event("SEQUENCE:0\n"));
    assert_int_equal(events_of(ADA, ""), 1);
    take(ADA, "CANCEL", event("SEQUENCE:2\nSTATUS:CANCELLED\n"));
    assert_int_equal(events_of(ADA, ""), 0);
    assert_int_equal(events_of(ADA, "?showDeleted=true"), 1);
    assert_int_equal(count_at(test_outbox(), ""), 0);
    /* The same again is an invitation again. */
    take(ADA, "REQUEST", event("SEQUENCE:3\n"));
    assert_string_equal(text_at(the_event(ADA), "status"), "confirmed");
}

/* ---- series ---- */

#define INSTANCES "?singleEvents=true&timeMax=2026-12-31T00:00:00Z&orderBy=startTime"

static const char *series(const char *more)
{
    return gm_text("BEGIN:VEVENT\nUID:s@else.example\nSUMMARY:S\n"
                   "DTSTART;TZID=\"Romance Standard Time\":20261124T100000\nDURATION:PT1H\n"
                   "RRULE:FREQ=DAILY;COUNT=3\nORGANIZER:mailto:" DAVE "\n"
                   "ATTENDEE:mailto:" ADA "\n%sEND:VEVENT\n",
                   more);
}

static const char *instance(const char *more)
{
    return gm_text("BEGIN:VEVENT\nUID:s@else.example\nSUMMARY:I\n"
                   "RECURRENCE-ID;TZID=Europe/Paris:20261125T100000\n"
                   "DTSTART;TZID=Europe/Paris:20261125T150000\nDURATION:PT1H\n"
                   "ORGANIZER:mailto:" DAVE "\nATTENDEE:mailto:" ADA "\n%sEND:VEVENT\n",
                   more);
}

static void a_series_comes_with_its_instances(void **state)
{
    (void)state;
    take(ADA, "REQUEST", gm_text("%s%s", instance(""), series("EXDATE:20261126T090000Z\n")));
    assert_int_equal(events_of(ADA, INSTANCES), 2);
    assert_string_equal(column(found, "items", "summary"), "S I");
    assert_string_equal(text_at(found, "items.0.start.timeZone"), "Europe/Paris");
    assert_string_equal(text_at(found, "items.1.start.dateTime"), "2026-11-25T14:00:00Z");
    assert_string_equal(text_at(found, "items.1.originalStartTime.dateTime"),
                        "2026-11-25T09:00:00Z");
}

static void an_instance_can_be_cancelled(void **state)
{
    (void)state;
    take(ADA, "REQUEST", series(""));
    take(ADA, "CANCEL", instance("STATUS:CANCELLED\n"));
    assert_int_equal(events_of(ADA, INSTANCES), 2);
    take(ADA, "CANCEL", series("SEQUENCE:1\n"));
    assert_int_equal(events_of(ADA, INSTANCES), 0);
}

static void an_instance_may_come_before_its_series(void **state)
{
    (void)state;
    take(ADA, "REQUEST", instance(""));
    assert_int_equal(events_of(ADA, INSTANCES), 1);
    take(ADA, "REQUEST", instance("SEQUENCE:1\nLOCATION:L\n"));
    assert_int_equal(events_of(ADA, INSTANCES), 1);
    assert_string_equal(text_at(found, "items.0.location"), "L");
    take(ADA, "REQUEST", series("SEQUENCE:1\n"));
    assert_int_equal(events_of(ADA, INSTANCES), 3);
    assert_string_equal(column(found, "items", "summary"), "S I S");
    assert_string_equal(text_at(found, "items.0.recurringEventId"),
                        text_at(found, "items.1.recurringEventId"));
    take(ADA, "CANCEL", instance("SEQUENCE:2\n"));
    assert_int_equal(events_of(ADA, INSTANCES), 2);
}

static void an_instance_of_another_series_is_passed_over(void **state)
{
    (void)state;
    take(ADA, "REQUEST", series(""));
    take(ADA, "REQUEST",
         "BEGIN:VEVENT\nUID:s@else.example\nRECURRENCE-ID:20261125T033300Z\n"
         "DTSTART:20261125T150000Z\nORGANIZER:mailto:" DAVE "\nEND:VEVENT\n");
    assert_int_equal(events_of(ADA, INSTANCES), 3);
}

static void one_instance_can_be_answered(void **state)
{
    (void)state;
    take(ADA, "REQUEST", series(""));
    assert_int_equal(events_of(ADA, INSTANCES), 3);
    change(ADA, text_at(found, "items.1.id"), "?sendUpdates=all",
           "{'attendees':[{'email':'" ADA "','responseStatus':'declined'}]}");
    assert_int_equal(count_at(test_outbox(), ""), 1);
    assert_string_equal(text_at(test_outbox(), "0.to"), DAVE);
    assert_int_equal(events_of(ADA, INSTANCES), 3);
    assert_string_equal(text_at(found, "items.1.attendees.0.responseStatus"), "declined");
    assert_string_equal(text_at(found, "items.2.attendees.0.responseStatus"), "needsAction");
}

static void a_reply_may_be_about_one_instance(void **state)
{
    (void)state;
    gm(ADA, "POST", "!/calendar/v3/calendars/primary/events",
       "{'id':'oursours','recurrence':['RRULE:FREQ=DAILY;COUNT=3'],"
       "'start':{'dateTime':'2026-11-24T10:00:00Z','timeZone':'UTC'},"
       "'end':{'dateTime':'2026-11-24T11:00:00Z','timeZone':'UTC'},"
       "'attendees':[{'email':'" DAVE "'}]}");
    assert_int_equal(test_status, 200);
    take(ADA, "REPLY",
         "BEGIN:VEVENT\nUID:oursours@google.com\nORGANIZER:mailto:" ADA "\n"
         "RECURRENCE-ID:20261125T100000Z\nATTENDEE;PARTSTAT=DECLINED:mailto:" DAVE
         "\nEND:VEVENT\n");
    assert_int_equal(events_of(ADA, INSTANCES), 3);
    assert_string_equal(text_at(found, "items.0.attendees.0.responseStatus"), "needsAction");
    assert_string_equal(text_at(found, "items.1.attendees.0.responseStatus"), "declined");
}

static const char *text_of(const struct json *v)
{
    struct json_writer w;
    struct buf b;
    buf_init(&b, 0);
    json_init(&w, &b, false, NULL);
    json_value(&w, NULL, v);
    const char *text = gm_text("%s", buf_str(&b));
    buf_done(&b);
    return text;
}

static void what_was_taken_survives_a_dump(void **state)
{
    (void)state;
    take(BOB, "REQUEST",
         gm_text("%sBEGIN:VEVENT\nUID:s@else.example\nRECURRENCE-ID:20261125T090000Z\n"
                 "DTSTART;VALUE=DATE:20261125\nORGANIZER:mailto:" DAVE "\nEND:VEVENT\n",
                 series("")));
    assert_int_equal(events_of(BOB, INSTANCES), 3);
    take(ADA, "REQUEST", gm_text("%s%s", series(""), instance("")));
    take(ADA, "REQUEST", event("SUMMARY:A\n"));
    const char *first = text_of(test_dump());
    test_use(first);
    assert_string_equal(text_of(test_dump()), first);
}

/* ---- what is delivered ---- */

/* A letter with an object of this method, as a person of the world sends it. */
static const char *mail_as(const char *to, const char *method, const char *events, const char *more)
{
    return gm_text("To: %s\nSubject: Plan\n%sMIME-Version: 1.0\n"
                   "Content-Type: text/calendar; charset=UTF-8; method=%s\n\n"
                   "BEGIN:VCALENDAR\nVERSION:2.0\nMETHOD:%s\n%sEND:VCALENDAR\n",
                   to, more, method, method, events);
}

/* Bob's event, made by a program of his, tomorrow from 10 to 11. */
static const char *bobs(const char *more)
{
    return gm_text("BEGIN:VEVENT\nUID:bobs@else.example\nDTSTART:20261124T100000Z\n"
                   "DTEND:20261124T110000Z\nORGANIZER:mailto:" BOB "\n"
                   "ATTENDEE;PARTSTAT=NEEDS-ACTION:mailto:" ADA "\n"
                   "ATTENDEE;PARTSTAT=NEEDS-ACTION:mailto:" CYD "\n%sEND:VEVENT\n",
                   more);
}

static void a_delivered_invitation_is_in_the_calendar(void **state)
{
    (void)state;
    gm_send(BOB, mail_as(ADA ", " CYD, "REQUEST", bobs("SUMMARY:Plan\n"), ""), "");
    const struct json *ev = the_event(ADA);
    assert_string_equal(text_at(ev, "summary"), "Plan");
    assert_string_equal(text_at(ev, "iCalUID"), "bobs@else.example");
    assert_string_equal(text_at(ev, "organizer.email"), BOB);
    assert_string_equal(column(ev, "attendees", "responseStatus"), "needsAction needsAction");
    assert_string_equal(text_at(the_event(CYD), "summary"), "Plan");
    assert_int_equal(events_of(BOB, ""), 0);
    /* A later one updates it, another cancels it. */
    gm_send(BOB, mail_as(ADA, "REQUEST", bobs("SUMMARY:Later\nSEQUENCE:1\n"), ""), "");
    assert_string_equal(text_at(the_event(ADA), "summary"), "Later");
    assert_string_equal(text_at(the_event(CYD), "summary"), "Plan");
    gm_send(BOB, mail_as(ADA, "CANCEL", bobs("SEQUENCE:2\n"), ""), "");
    assert_int_equal(events_of(ADA, ""), 0);
    assert_int_equal(events_of(ADA, "?showDeleted=true"), 1);
}

static void a_group_brings_it_to_its_members(void **state)
{
    (void)state;
    gm_send(ADA,
            mail_as("all@acme.example", "REQUEST",
                    "BEGIN:VEVENT\nUID:x@else.example\nDTSTART:20261124T100000Z\n"
                    "ORGANIZER:mailto:" ADA "\nATTENDEE:mailto:all@acme.example\nEND:VEVENT\n",
                    ""),
            "");
    the_event(BOB);
    the_event(CYD);
    assert_int_equal(events_of(ADA, ""), 0);
}

static void what_is_inserted_is_only_mail(void **state)
{
    (void)state;
    gm_insert(ADA, mail_as(ADA, "REQUEST", bobs(""), ""), "");
    assert_int_equal(events_of(ADA, ""), 0);
}

static void a_delivered_reply_is_the_guests_answer(void **state)
{
    (void)state;
    gm(ADA, "POST", "!/calendar/v3/calendars/primary/events?sendUpdates=none",
       "{'id':'oursours','start':{'dateTime':'2026-11-24T10:00:00Z'},"
       "'end':{'dateTime':'2026-11-24T11:00:00Z'},'attendees':[{'email':'" BOB "'}]}");
    gm_send(BOB,
            mail_as(ADA, "REPLY",
                    "BEGIN:VEVENT\nUID:oursours@google.com\nORGANIZER:mailto:" ADA "\n"
                    "ATTENDEE;PARTSTAT=ACCEPTED:mailto:" BOB "\nEND:VEVENT\n",
                    ""),
            "");
    assert_string_equal(text_at(the_event(ADA), "attendees.0.responseStatus"), "accepted");
    assert_string_equal(text_at(the_event(BOB), "attendees.0.responseStatus"), "accepted");
}

static void invitations_of_this_world_come_once(void **state)
{
    (void)state;
    gm(ADA, "POST", "/settings/forwardingAddresses", "{'forwardingEmail':'" CYD "'}");
    gm(ADA, "PUT", "/settings/autoForwarding",
       "{'enabled':true,'emailAddress':'" CYD "','disposition':'leaveInInbox'}");
    gm(BOB, "POST", "!/calendar/v3/calendars/primary/events?sendUpdates=all",
       "{'id':'planplan','summary':'Ours','start':{'dateTime':'2026-11-24T10:00:00Z'},"
       "'end':{'dateTime':'2026-11-24T11:00:00Z'},'attendees':[{'email':'" ADA "'}]}");
    assert_int_equal(test_status, 200);
    assert_int_equal(count_at(gm_get(ADA, 200, "/messages"), "messages"), 1);
    assert_int_equal(count_at(gm_get(CYD, 200, "/messages"), "messages"), 1);
    assert_string_equal(text_at(the_event(ADA), "id"), "planplan");
    assert_int_equal(events_of(CYD, ""), 0);
    const char *etag = text_at(the_event(ADA), "etag");
    change(ADA, "planplan", "?sendUpdates=all",
           "{'attendees':[{'email':'" ADA "','responseStatus':'accepted'}]}");
    assert_string_not_equal(text_at(the_event(ADA), "etag"), etag);
    assert_string_equal(text_at(the_event(BOB), "attendees.0.responseStatus"), "accepted");
    gm(BOB, "DELETE", "!/calendar/v3/calendars/primary/events/planplan?sendUpdates=all", NULL);
    assert_int_equal(events_of(ADA, ""), 0);
    /* Forwarded as a letter it is Cyd's, and stays that when Cyd is invited. */
    gm(BOB, "POST", "!/calendar/v3/calendars/primary/events",
       "{'id':'secondplan','start':{'dateTime':'2026-11-25T10:00:00Z'},"
       "'end':{'dateTime':'2026-11-25T11:00:00Z'},'attendees':[{'email':'" ADA "'}]}");
    gm_send(ADA,
            mail_as(CYD, "REQUEST",
                    "BEGIN:VEVENT\nUID:secondplan@google.com\nDTSTART:20261125T100000Z\n"
                    "ORGANIZER:mailto:" BOB "\nATTENDEE:mailto:" ADA "\nEND:VEVENT\n",
                    ""),
            "");
    assert_string_equal(text_at(the_event(CYD), "iCalUID"), "secondplan@google.com");
    change(BOB, "secondplan", "", "{'attendees':[{'email':'" ADA "'},{'email':'" CYD "'}]}");
    the_event(CYD);
}

static void an_answer_in_the_calendar_reaches_an_organizer_without_copies(void **state)
{
    (void)state;
    gm(BOB, "POST", "!/calendar/v3/calendars/primary/events/import",
       "{'iCalUID':'bobs@else.example','start':{'dateTime':'2026-11-24T10:00:00Z'},"
       "'end':{'dateTime':'2026-11-24T11:00:00Z'},'organizer':{'email':'" BOB "'}}");
    assert_int_equal(test_status, 200);
    gm_send(BOB, mail_as(ADA, "REQUEST", bobs(""), ""), "");
    const char *id = text_at(the_event(BOB), "id");
    change(BOB, id, "?sendUpdates=none",
           "{'attendees':[{'email':'" ADA "'},{'email':'" DAVE "'}]}");
    change(ADA, text_at(the_event(ADA), "id"), "?sendUpdates=all",
           "{'attendees':[{'email':'" ADA "','responseStatus':'declined'}]}");
    assert_string_equal(text_at(the_event(BOB), "attendees.0.responseStatus"), "declined");
}

/* ---- whose invitations come ---- */

static void people_may_take_only_what_known_senders_send(void **state)
{
    (void)state;
    test_use(gm_text("sosia: 1\ntime: 2026-11-23T08:00:00Z\n"
                     "organizations: [{domain: acme.example}, {domain: other.example}]\n"
                     "people: [{email: " ADA "}, {email: " BOB "}, {email: eve@other.example}]\n"
                     "calendarSettings: [{person: " ADA
                     ", hideInvitationsSetting: UNKNOWN_SENDERS}]\n"));
    const char *eves = "BEGIN:VEVENT\nUID:eves@else.example\nDTSTART:20261124T100000Z\n"
                       "ORGANIZER:mailto:eve@other.example\nATTENDEE:mailto:" ADA "\nEND:VEVENT\n";
    gm_send("eve@other.example", mail_as(ADA, "REQUEST", eves, ""), "");
    assert_int_equal(events_of(ADA, ""), 0);
    /* A colleague is known. */
    gm_send(BOB, mail_as(ADA, "REQUEST", bobs(""), ""), "");
    assert_int_equal(events_of(ADA, ""), 1);
    /* And so is a person to whom Ada has written. */
    gm_send(ADA, "To: eve@other.example\nSubject: x\n\nx\n", "");
    gm_send("eve@other.example", mail_as(ADA, "REQUEST", eves, ""), "");
    assert_int_equal(events_of(ADA, ""), 2);
}

static void people_may_take_only_what_they_answer(void **state)
{
    (void)state;
    test_use(gm_text("%scalendarSettings: [{person: " ADA ", hideInvitationsSetting: ALL}]\n",
                     gm_people));
    gm_send(BOB, mail_as(ADA ", " CYD, "REQUEST", bobs("SUMMARY:Plan\n"), ""), "");
    assert_int_equal(events_of(ADA, ""), 0);
    assert_int_equal(events_of(CYD, ""), 1);
    const char *mid = header(gm_get(ADA, 200, "/messages/%s", gm_newest(ADA)), "Message-ID");
    const char *reply = "BEGIN:VEVENT\nUID:bobs@else.example\nORGANIZER:mailto:" BOB "\n"
                        "ATTENDEE;PARTSTAT=TENTATIVE:mailto:" ADA "\nEND:VEVENT\n";
    /* An answer to nothing has no effect. */
    gm_send(ADA, mail_as(BOB, "REPLY", reply, ""), "");
    assert_int_equal(events_of(ADA, ""), 0);
    gm_send(ADA, mail_as(BOB, "REPLY", reply, gm_text("In-Reply-To: %s\n", mid)), "");
    const struct json *ev = the_event(ADA);
    assert_string_equal(text_at(ev, "summary"), "Plan");
    assert_string_equal(column(ev, "attendees", "responseStatus"), "tentative needsAction");
    /* What is there is kept up to date. */
    gm_send(BOB, mail_as(ADA, "REQUEST", bobs("SUMMARY:Later\nSEQUENCE:1\n"), ""), "");
    assert_string_equal(text_at(the_event(ADA), "summary"), "Later");
}

static void a_program_may_ask_whatever_is_set(void **state)
{
    (void)state;
    test_use(gm_text("%scalendarSettings: [{person: " ADA ", hideInvitationsSetting: ALL}]\n",
                     gm_people));
    take(ADA, "REQUEST", event(""));
    assert_int_equal(events_of(ADA, ""), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        gm_test(an_invitation_from_outside_is_a_guests_event),
        gm_test(a_delivered_invitation_is_in_the_calendar),
        gm_test(a_group_brings_it_to_its_members),
        gm_test(what_is_inserted_is_only_mail),
        gm_test(a_delivered_reply_is_the_guests_answer),
        gm_test(invitations_of_this_world_come_once),
        gm_test(an_answer_in_the_calendar_reaches_an_organizer_without_copies),
        gm_test(people_may_take_only_what_known_senders_send),
        gm_test(people_may_take_only_what_they_answer),
        gm_test(a_program_may_ask_whatever_is_set),
        gm_test(nothing_is_taken_without_the_parameter),
        gm_test(other_methods_are_no_invitations),
        gm_test(what_cannot_be_read_is_only_mail),
        gm_test(a_forwarded_message_invites_nobody),
        gm_test(a_part_may_be_encoded),
        gm_test(the_same_invitation_again_changes_nothing),
        gm_test(a_later_one_is_an_update_and_an_older_one_is_not),
        gm_test(somebody_else_cannot_change_or_cancel_it),
        gm_test(ones_own_invitation_is_no_news),
        gm_test(an_alias_is_the_same_guest),
        gm_test(who_is_not_named_has_the_event_without_an_answer),
        gm_test(an_invitation_of_this_world_is_not_doubled),
        gm_test(what_was_deleted_stays_away),
        gm_test(what_was_deleted_stays_away_with_its_changed_instances),
        gm_test(the_answer_goes_to_the_organizer_outside),
        gm_test(no_answer_is_sent_unless_it_is_asked_for),
        gm_test(a_reply_is_the_guests_answer),
        gm_test(a_reply_reaches_a_calendar_that_the_person_writes),
        gm_test(an_answer_to_an_older_state_does_not_count),
        gm_test(a_cancellation_cancels),
        gm_test(a_series_comes_with_its_instances),
        gm_test(an_instance_can_be_cancelled),
        gm_test(an_instance_may_come_before_its_series),
        gm_test(an_instance_of_another_series_is_passed_over),
        gm_test(one_instance_can_be_answered),
        gm_test(a_reply_may_be_about_one_instance),
        gm_test(what_was_taken_survives_a_dump),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
