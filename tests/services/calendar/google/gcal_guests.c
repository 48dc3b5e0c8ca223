/* SPDX-License-Identifier: Apache-2.0 */
/* Invitations: guests' copies, answers, who may change what, mails, imports, moves. */
#include "tests/support/gcal.h"
#include <stdio.h>

#define EVENTS   "/calendars/primary/events"
#define WITH_BOB "'attendees':[{'email':'bob@acme.example'}]"

static void a_guest_has_a_copy_with_the_same_id(void **state)
{
    make_event("abcde", WITH_BOB);
    const struct json *v = as(BOB, "GET", EVENTS "/abcde", NULL);
    assert_int_equal(test_status, 200);
    assert_string_equal(text_at(v, "organizer.email"), ADA);
    assert_false(true_at(v, "organizer.self"));
    assert_true(true_at(v, "attendees.0.self"));
    assert_string_equal(text_at(v, "attendees.0.responseStatus"), "needsAction");
    assert_string_equal(text_at(v, "start.dateTime"), "2026-11-24T04:00:00-05:00");
    assert_string_equal(text_at(v, "start.timeZone"), "Europe/Rome");
}

static void somebody_who_is_not_invited_has_none(void **state)
{
    make_event("abcde", WITH_BOB);
    as(CYD, "GET", EVENTS "/abcde", NULL);
    assert_refused(404, "notFound");
}

static void the_organizers_changes_reach_the_copies(void **state)
{
    make_event("abcde", WITH_BOB);
    as(ADA, "PATCH", EVENTS "/abcde",
       "{'summary':'New','start':{'dateTime':'2026-11-25T10:00:00+01:00'},'end':{'dateTime':'2026-"
       "11-25T11:00:00+01:00'}}");
    const struct json *v = as(BOB, "GET", EVENTS "/abcde", NULL);
    assert_string_equal(text_at(v, "summary"), "New");
    assert_string_equal(text_at(v, "start.dateTime"), "2026-11-25T04:00:00-05:00");
    assert_int_equal(number_at(v, "sequence"), 1);
}

static void what_is_personal_stays_with_each_copy(void **state)
{
    make_event("abcde", WITH_BOB ",'colorId':'1'");
    as(BOB, "PATCH", EVENTS "/abcde",
       "{'colorId':'7','transparency':'transparent','reminders':{'useDefault':false},"
       "'extendedProperties':{'private':{'mine':'1'}}}");
    as(ADA, "PATCH", EVENTS "/abcde", "{'summary':'New'}");
    const struct json *v = as(BOB, "GET", EVENTS "/abcde", NULL);
    assert_string_equal(text_at(v, "colorId"), "7");
    assert_string_equal(text_at(v, "transparency"), "transparent");
    assert_false(true_at(v, "reminders.useDefault"));
    assert_string_equal(text_at(v, "extendedProperties.private.mine"), "1");
    assert_string_equal(text_at(v, "summary"), "New");
    v = as(ADA, "GET", EVENTS "/abcde", NULL);
    assert_string_equal(text_at(v, "colorId"), "1");
    assert_null(value_at(v, "extendedProperties"));
}

static void an_answer_reaches_the_organizer_and_the_others(void **state)
{
    make_event("abcde", "'attendees':[{'email':'bob@acme.example'},{'email':'cyd@acme.example'}]");
    const struct json *v = as(
        BOB, "PATCH", EVENTS "/abcde",
        "{'attendees':[{'email':'bob@acme.example','responseStatus':'tentative','comment':'Hm'}]}");
    assert_int_equal(count_at(v, "attendees"), 2);
    v = as(ADA, "GET", EVENTS "/abcde", NULL);
    assert_string_equal(column(v, "attendees", "responseStatus"), "tentative needsAction");
    assert_string_equal(text_at(v, "attendees.0.comment"), "Hm");
    const char *etag = text_at(v, "etag");
    v = as(CYD, "GET", EVENTS "/abcde", NULL);
    assert_string_equal(column(v, "attendees", "responseStatus"), "tentative needsAction");
    assert_string_equal(text_at(v, "etag"), etag);
}

static void attendees_omitted_lets_a_guest_answer_alone(void **state)
{
    make_event("abcde", "'attendees':[{'email':'bob@acme.example'},{'email':'cyd@acme.example'}]");
    as(BOB, "PATCH", EVENTS "/abcde",
       "{'attendeesOmitted':true,'attendees':[{'email':'bob@acme.example','responseStatus':'"
       "accepted'}]}");
    const struct json *v = as(ADA, "GET", EVENTS "/abcde", NULL);
    assert_string_equal(column(v, "attendees", "responseStatus"), "accepted needsAction");
}

static void
a_guests_other_changes_stay_in_the_own_copy_until_the_next_of_the_organizer(void **state)
{
    make_event("abcde", WITH_BOB);
    as(BOB, "PATCH", EVENTS "/abcde", "{'summary':'Mine'}");
    const struct json *v = as(ADA, "GET", EVENTS "/abcde", NULL);
    assert_string_equal(text_at(v, "summary"), "Event abcde");
    v = as(BOB, "GET", EVENTS "/abcde", NULL);
    assert_string_equal(text_at(v, "summary"), "Mine");
    as(ADA, "PATCH", EVENTS "/abcde", "{'location':'L'}");
    v = as(BOB, "GET", EVENTS "/abcde", NULL);
    assert_string_equal(text_at(v, "summary"), "Event abcde");
}

static void an_answer_of_one_guest_leaves_the_changes_of_another(void **state)
{
    make_event("abcde", "'attendees':[{'email':'bob@acme.example'},{'email':'cyd@acme.example'}]");
    as(BOB, "PATCH", EVENTS "/abcde", "{'summary':'Mine'}");
    as(CYD, "PATCH", EVENTS "/abcde",
       "{'attendees':[{'email':'cyd@acme.example','responseStatus':'accepted'}]}");
    const struct json *v = as(BOB, "GET", EVENTS "/abcde", NULL);
    assert_string_equal(text_at(v, "summary"), "Mine");
    assert_string_equal(column(v, "attendees", "responseStatus"), "needsAction accepted");
}

static void a_guest_cannot_change_what_guests_may_do(void **state)
{
    make_event("abcde", WITH_BOB ",'guestsCanSeeOtherGuests':false");
    as(BOB, "PATCH", EVENTS "/abcde", "{'guestsCanModify':true}");
    assert_refused(403, "forbiddenForNonOrganizer");
    /* An update that leaves the rights out sets them to their defaults. */
    as(BOB, "PUT", EVENTS "/abcde", "{'start':{'date':'2026-11-24'},'end':{'date':'2026-11-25'}}");
    assert_refused(403, "forbiddenForNonOrganizer");
}

static void a_guest_who_may_modify_changes_it_for_all(void **state)
{
    make_event("abcde", WITH_BOB ",'guestsCanModify':true");
    as(BOB, "PATCH", EVENTS "/abcde", "{'summary':'Together'}");
    assert_int_equal(test_status, 200);
    const struct json *v = as(ADA, "GET", EVENTS "/abcde", NULL);
    assert_string_equal(text_at(v, "summary"), "Together");
}

static void a_guest_may_invite_unless_it_is_forbidden(void **state)
{
    make_event("abcde", WITH_BOB);
    as(BOB, "PATCH", EVENTS "/abcde",
       "{'attendees':[{'email':'bob@acme.example'},{'email':'cyd@acme.example'}]}");
    const struct json *v = as(CYD, "GET", EVENTS "/abcde", NULL);
    assert_int_equal(test_status, 200);
    make_event("fghij", WITH_BOB ",'guestsCanInviteOthers':false");
    as(BOB, "PATCH", EVENTS "/fghij",
       "{'attendees':[{'email':'bob@acme.example'},{'email':'cyd@acme.example'}]}");
    as(CYD, "GET", EVENTS "/fghij", NULL);
    assert_refused(404, "notFound");
    v = as(ADA, "GET", EVENTS "/fghij", NULL);
    assert_int_equal(count_at(v, "attendees"), 1);
}

static void guests_who_may_not_see_the_others_see_themselves(void **state)
{
    make_event("abcde", "'guestsCanSeeOtherGuests':false,"
                        "'attendees':[{'email':'bob@acme.example'},{'email':'cyd@acme.example'}]");
    const struct json *v = as(BOB, "GET", EVENTS "/abcde", NULL);
    assert_string_equal(column(v, "attendees", "email"), BOB);
    assert_true(true_at(v, "attendeesOmitted"));
    v = as(ADA, "GET", EVENTS "/abcde", NULL);
    assert_int_equal(count_at(v, "attendees"), 2);
}

static void max_attendees_leaves_the_own_entry(void **state)
{
    make_event("abcde", "'attendees':[{'email':'bob@acme.example'},{'email':'cyd@acme.example'}]");
    const struct json *v = as(BOB, "GET", EVENTS "/abcde?maxAttendees=1", NULL);
    assert_string_equal(column(v, "attendees", "email"), BOB);
    assert_true(true_at(v, "attendeesOmitted"));
    v = as(BOB, "GET", EVENTS "/abcde?maxAttendees=2", NULL);
    assert_int_equal(count_at(v, "attendees"), 2);
}

static void a_guest_who_is_left_out_loses_the_copy(void **state)
{
    make_event("abcde", "'attendees':[{'email':'bob@acme.example'},{'email':'cyd@acme.example'}]");
    as(ADA, "PATCH", EVENTS "/abcde", "{'attendees':[{'email':'cyd@acme.example'}]}");
    const struct json *v = as(BOB, "GET", EVENTS, NULL);
    assert_int_equal(count_at(v, "items"), 0);
    v = as(BOB, "GET", EVENTS "/abcde", NULL);
    assert_string_equal(text_at(v, "status"), "cancelled");
    v = as(CYD, "GET", EVENTS, NULL);
    assert_int_equal(count_at(v, "items"), 1);
}

static void deleting_the_organizers_event_cancels_it_for_all(void **state)
{
    make_event("abcde", WITH_BOB);
    as(ADA, "DELETE", EVENTS "/abcde", NULL);
    const struct json *v = as(BOB, "GET", EVENTS "/abcde", NULL);
    assert_string_equal(text_at(v, "status"), "cancelled");
}

static void deleting_a_copy_declines_and_it_does_not_come_back(void **state)
{
    make_event("abcde", WITH_BOB);
    as(BOB, "DELETE", EVENTS "/abcde", NULL);
    assert_int_equal(test_status, 204);
    const struct json *v = as(ADA, "GET", EVENTS "/abcde", NULL);
    assert_string_equal(text_at(v, "status"), "confirmed");
    assert_string_equal(text_at(v, "attendees.0.responseStatus"), "declined");
    as(ADA, "PATCH", EVENTS "/abcde", "{'summary':'New'}");
    v = as(BOB, "GET", EVENTS, NULL);
    assert_int_equal(count_at(v, "items"), 0);
}

static void the_organizer_as_a_guest_is_marked(void **state)
{
    const struct json *v =
        make_event("abcde", "'attendees':[{'email':'ada@acme.example','responseStatus':'accepted'},"
                            "{'email':'bob@acme.example'}]");
    assert_true(true_at(v, "attendees.0.organizer"));
    assert_true(true_at(v, "attendees.0.self"));
    v = as(BOB, "GET", EVENTS "/abcde", NULL);
    assert_true(true_at(v, "attendees.0.organizer"));
    assert_false(true_at(v, "attendees.0.self"));
}

static void another_name_of_a_person_is_that_person(void **state)
{
    const struct json *v =
        as(BOB, "POST", EVENTS,
           "{'id':'abcde','start':{'date':'2026-11-24'},'end':{'date':'2026-11-25'},"
           "'attendees':[{'email':'A@acme.example'}]}");
    assert_string_equal(text_at(v, "attendees.0.email"), ADA);
    as(ADA, "GET", EVENTS "/abcde", NULL);
    assert_int_equal(test_status, 200);
}

static void members_of_an_invited_group_have_copies(void **state)
{
    make_event("abcde", "'attendees':[{'email':'all@acme.example'}]");
    const struct json *v = as(CYD, "GET", EVENTS "/abcde", NULL);
    assert_int_equal(test_status, 200);
    assert_string_equal(column(v, "attendees", "email"), "all@acme.example");
    v = as(CYD, "PATCH", EVENTS "/abcde",
           "{'attendees':[{'email':'all@acme.example'},{'email':'cyd@acme.example','responseStatus'"
           ":'accepted'}]}");
    assert_string_equal(column(v, "attendees", "responseStatus"), "needsAction accepted");
    v = as(ADA, "GET", EVENTS "/abcde", NULL);
    assert_string_equal(column(v, "attendees", "email"), "all@acme.example cyd@acme.example");
}

static void a_room_accepts_when_it_is_free_and_declines_when_it_is_not(void **state)
{
    const struct json *v = make_event("abcde", "'attendees':[{'email':'room@acme.example'}]");
    assert_string_equal(text_at(v, "attendees.0.responseStatus"), "accepted");
    assert_true(true_at(v, "attendees.0.resource"));
    v = make_event("fghij", "'attendees':[{'email':'room@acme.example'}]");
    assert_string_equal(text_at(v, "attendees.0.responseStatus"), "declined");
}

/* The newest message in a person's mailbox, as its bytes; NULL: none. */
static const char *newest_mail(const char *who)
{
    const struct json *boxes = value_at(test_dump(), "mailboxes");
    for (uint32_t i = 0; boxes && i < boxes->n; i++) {
        const struct json *list = json_get(&boxes->items[i], "messages");
        if (list && list->n && strcmp(text_at(&boxes->items[i], "person"), who) == 0)
            return text_at(&list->items[list->n - 1], "raw");
    }
    return NULL;
}

static void mails_go_out_as_the_caller_says(void **state)
{
    make_event("abcde", WITH_BOB);
    assert_int_equal(count_at(test_outbox(), ""), 0);
    assert_null(newest_mail(BOB));
    as(ADA, "POST", EVENTS "?sendUpdates=all",
       "{'id':'fghij','summary':'Lunch','start':{'date':'2026-11-24'},'end':{'date':'2026-11-25'},"
       "'attendees':[{'email':'bob@acme.example'},{'email':'eve@else.example'}]}");
    const struct json *v = test_outbox();
    assert_int_equal(count_at(v, ""), 1);
    assert_string_equal(text_at(v, "0.to"), "eve@else.example");
    assert_string_equal(text_at(v, "0.payload.method"), "REQUEST");
    assert_non_null(strstr(text_at(v, "0.payload.calendar"), "\r\nSUMMARY:Lunch\r\n"));
    assert_non_null(strstr(text_at(v, "0.payload.calendar"), "\r\nUID:fghij@google.com\r\n"));
    const char *mail = newest_mail(BOB);
    assert_non_null(strstr(mail, "\r\nFrom: Ada <ada@acme.example>\r\nTo: bob@acme.example\r\n"));
    assert_non_null(strstr(mail, "\r\nSubject: Invitation: Lunch\r\n"));
    assert_non_null(strstr(mail, "\r\nWhat: Lunch\r\nWhen: Tue 24 Nov 2026\r\n"));
    assert_non_null(strstr(mail, "\r\nContent-Type: text/calendar; method=REQUEST; charset=UTF-8"));
    assert_non_null(strstr(mail, "\r\nUID:fghij@google.com\r\n"));
    assert_non_null(strstr(mail, "\r\nContent-Type: application/ics;"));
    as(ADA, "PATCH", EVENTS "/fghij?sendUpdates=externalOnly", "{'location':'L'}");
    v = test_outbox();
    assert_string_equal(text_at(v, "1.to"), "eve@else.example");
    assert_null(strstr(newest_mail(BOB), "LOCATION"));
    as(ADA, "DELETE", EVENTS "/fghij?sendUpdates=all", NULL);
    v = test_outbox();
    assert_string_equal(text_at(v, "2.payload.method"), "CANCEL");
    assert_non_null(strstr(newest_mail(BOB), "\r\nMETHOD:CANCEL\r\n"));
}

static void an_answer_is_mailed_to_the_organizer(void **state)
{
    make_event("abcde", WITH_BOB);
    as(BOB, "PATCH", EVENTS "/abcde?sendUpdates=all",
       "{'attendees':[{'email':'bob@acme.example','responseStatus':'accepted'}]}");
    const char *mail = newest_mail(ADA);
    assert_int_equal(count_at(test_outbox(), ""), 0);
    assert_non_null(strstr(mail, "\r\nMETHOD:REPLY\r\n"));
    assert_non_null(strstr(mail, "PARTSTAT=ACCEPTED"));
}

static void an_import_is_on_its_own(void **state)
{
    const struct json *v =
        as(BOB, "POST", EVENTS "/import",
           "{'iCalUID':'x@else','summary':'Imported','organizer':{'email':'eve@else.example',"
           "'displayName':'Eve'},'attendees':[{'email':'bob@acme.example'},{'email':'cyd@acme."
           "example'}],"
           "'start':{'date':'2026-11-24'},'end':{'date':'2026-11-25'}}");
    assert_int_equal(test_status, 200);
    assert_string_equal(text_at(v, "organizer.displayName"), "Eve");
    assert_true(true_at(v, "privateCopy"));
    const struct json *w = as(CYD, "GET", EVENTS, NULL);
    assert_int_equal(count_at(w, "items"), 0);
    /* Again: the same event. */
    w = as(BOB, "POST", EVENTS "/import",
           "{'iCalUID':'x@else','summary':'Twice','organizer':{'email':'eve@else.example'},"
           "'attendees':[{'email':'bob@acme.example'}],'start':{'date':'2026-11-24'},'end':{'date':"
           "'2026-11-25'}}");
    assert_string_equal(text_at(w, "id"), text_at(v, "id"));
    w = as(BOB, "GET", EVENTS "?iCalUID=x@else", NULL);
    assert_string_equal(column(w, "items", "summary"), "Twice");
    as(BOB, "POST", EVENTS "/import",
       "{'start':{'date':'2026-11-24'},'end':{'date':'2026-11-25'}}");
    assert_refused(400, "required");
    as(BOB, "POST", EVENTS "/import",
       "{'iCalUID':'y@else','organizer':{'email':'eve@else.example'},'start':{'date':'2026-11-24'},"
       "'end':{'date':'2026-11-25'}}");
    assert_refused(400, "participantIsNeitherOrganizerNorAttendee");
}

static void a_moved_event_has_another_organizer_and_leaves_a_trace(void **state)
{
    make_event("abcde", WITH_BOB);
    as(BOB, "POST", "/calendars/primary/acl",
       "{'role':'writer','scope':{'type':'user','value':'ada@acme.example'}}");
    const struct json *v = as(ADA, "POST", EVENTS "/abcde/move?destination=" BOB, NULL);
    assert_int_equal(test_status, 200);
    assert_string_equal(text_at(v, "organizer.email"), BOB);
    assert_string_equal(text_at(v, "creator.email"), ADA);
    v = as(ADA, "GET", EVENTS "/abcde", NULL);
    assert_string_equal(text_at(v, "status"), "cancelled");
    assert_int_equal(count_at(v, ""), 4); /* kind, etag, id, status */
    v = as(ADA, "GET", EVENTS "?showDeleted=true", NULL);
    assert_int_equal(count_at(v, "items.0"), 4);
    v = as(BOB, "GET", EVENTS "/abcde", NULL);
    assert_true(true_at(v, "organizer.self"));
    assert_string_equal(column(v, "attendees", "email"), BOB);
    as(BOB, "PATCH", EVENTS "/abcde", "{'summary':'Mine now'}");
    assert_int_equal(test_status, 200);
}

static void an_event_can_be_moved_back(void **state)
{
    char there[300], target[400];
    const struct json *v = as(ADA, "POST", "/calendars", "{'summary':'Second'}");
    snprintf(there, sizeof there, "%s", text_at(v, "id"));
    make_event("serie", "'recurrence':['RRULE:FREQ=DAILY;COUNT=3']");
    as(ADA, "PATCH", EVENTS "/serie_20261125T090000Z", "{'summary':'Other'}");
    for (int i = 0; i < 2; i++) {
        snprintf(target, sizeof target, EVENTS "/serie/move?destination=%s", there);
        v = as(ADA, "POST", target, NULL);
        assert_int_equal(test_status, 200);
        assert_string_equal(text_at(v, "organizer.email"), there);
        assert_int_equal(count_at(as(ADA, "GET", EVENTS "/serie", NULL), ""), 4);
        snprintf(target, sizeof target, "/calendars/%s/events/serie/move?destination=primary",
                 there);
        v = as(ADA, "POST", target, NULL);
        assert_int_equal(test_status, 200);
        assert_string_equal(text_at(v, "organizer.email"), ADA);
    }
    v = as(ADA, "GET", EVENTS "?singleEvents=true", NULL);
    assert_string_equal(column(v, "items", "summary"), "Event serie Other Event serie");
    snprintf(target, sizeof target, "/calendars/%s/events", there);
    assert_int_equal(count_at(as(ADA, "GET", target, NULL), "items"), 0);
}

static void absence_declines_what_is_there_and_what_comes(void **state)
{
    make_event("abcde", WITH_BOB);
    as(BOB, "POST", EVENTS,
       "{'eventType':'outOfOffice','start':{'dateTime':'2026-11-24T00:00:00-05:00'},"
       "'end':{'dateTime':'2026-11-25T00:00:00-05:00'},"
       "'outOfOfficeProperties':{'autoDeclineMode':'declineAllConflictingInvitations','"
       "declineMessage':'Away'}}");
    assert_int_equal(test_status, 200);
    const struct json *v = as(ADA, "GET", EVENTS "/abcde", NULL);
    assert_string_equal(text_at(v, "attendees.0.responseStatus"), "declined");
    assert_string_equal(text_at(v, "attendees.0.comment"), "Away");
    v = make_event("fghij", WITH_BOB);
    assert_string_equal(text_at(v, "attendees.0.responseStatus"), "declined");
}

static void bad_guests_are_refused(void **state)
{
    as(ADA, "POST", EVENTS,
       "{'start':{'date':'2026-11-24'},'end':{'date':'2026-11-25'},'attendees':[{'displayName':'x'}"
       "]}");
    assert_refused(400, "required");
    as(ADA, "POST", EVENTS,
       "{'start':{'date':'2026-11-24'},'end':{'date':'2026-11-25'},'attendees':[{'email':'no "
       "address'}]}");
    assert_refused(400, "invalid");
    as(ADA, "POST", EVENTS,
       "{'start':{'date':'2026-11-24'},'end':{'date':'2026-11-25'},'attendees':[{'email':'a@b','"
       "responseStatus':'maybe'}]}");
    assert_refused(400, "invalid");
}

static void a_copy_that_its_guest_restored_follows_again(void **state)
{
    make_event("abcde", WITH_BOB);
    as(BOB, "DELETE", EVENTS "/abcde", NULL);
    as(BOB, "PATCH", EVENTS "/abcde", "{'status':'confirmed'}");
    assert_int_equal(test_status, 200);
    as(ADA, "PATCH", EVENTS "/abcde", "{'summary':'New'}");
    const struct json *v = as(BOB, "GET", EVENTS "/abcde", NULL);
    assert_string_equal(text_at(v, "status"), "confirmed");
    assert_string_equal(text_at(v, "summary"), "New");
}

static void who_is_invited_anew_has_the_event_again(void **state)
{
    make_event("abcde", WITH_BOB);
    as(BOB, "DELETE", EVENTS "/abcde", NULL);
    as(ADA, "PATCH", EVENTS "/abcde", "{'attendees':[]}");
    as(ADA, "PATCH", EVENTS "/abcde", "{" WITH_BOB "}");
    const struct json *v = as(BOB, "GET", EVENTS "/abcde", NULL);
    assert_string_equal(text_at(v, "status"), "confirmed");
    assert_string_equal(text_at(v, "attendees.0.responseStatus"), "needsAction");
}

static void a_list_of_guests_replaces_what_each_of_them_had(void **state)
{
    make_event("abcde", "'attendees':[{'email':'bob@acme.example','displayName':'Bobby','optional':"
                        "true},{'email':'room@acme.example'}]");
    as(BOB, "PATCH", EVENTS "/abcde",
       "{'attendees':[{'email':'bob@acme.example','responseStatus':'accepted','comment':'yes'}]}");
    const struct json *v = as(ADA, "GET", EVENTS "/abcde", NULL);
    assert_string_equal(text_at(v, "attendees.0.responseStatus"), "accepted");
    assert_string_equal(text_at(v, "attendees.0.comment"), "yes");
    v = as(ADA, "PATCH", EVENTS "/abcde",
           "{'attendees':[{'email':'bob@acme.example'},{'email':'room@acme.example'},"
           "{'email':'cyd@acme.example'}]}");
    assert_string_equal(text_at(v, "attendees.0.responseStatus"), "needsAction");
    assert_null(value_at(v, "attendees.0.comment"));
    assert_null(value_at(v, "attendees.0.displayName"));
    assert_null(value_at(v, "attendees.0.optional"));
    /* What a room is stays, and it answers again. */
    assert_true(true_at(v, "attendees.1.resource"));
    assert_string_equal(text_at(v, "attendees.1.responseStatus"), "accepted");
    v = as(BOB, "GET", EVENTS "/abcde", NULL);
    assert_string_equal(text_at(v, "attendees.0.responseStatus"), "needsAction");
}

static void attendees_omitted_changes_the_own_answer_alone(void **state)
{
    make_event("abcde", "'attendees':[{'email':'bob@acme.example','displayName':'Bobby','optional':"
                        "true,'additionalGuests':2},{'email':'cyd@acme.example'}]");
    const struct json *v = as(BOB, "PATCH", EVENTS "/abcde",
                              "{'attendeesOmitted':true,'attendees':[{'email':'bob@acme.example',"
                              "'responseStatus':'tentative'}]}");
    assert_string_equal(text_at(v, "attendees.0.responseStatus"), "tentative");
    assert_string_equal(text_at(v, "attendees.0.displayName"), "Bobby");
    assert_true(true_at(v, "attendees.0.optional"));
    assert_int_equal(number_at(v, "attendees.0.additionalGuests"), 2);
    assert_int_equal(count_at(v, "attendees"), 2);
}

static void a_room_is_listed_with_its_name(void **state)
{
    const struct json *v = make_event("abcde", "'attendees':[{'email':'room@acme.example'}]");
    assert_string_equal(text_at(v, "attendees.0.displayName"), "Room");
    v = as(ADA, "PATCH", EVENTS "/abcde",
           "{'attendees':[{'email':'room@acme.example','responseStatus':'accepted'}]}");
    assert_string_equal(text_at(v, "attendees.0.displayName"), "Room");
    assert_true(true_at(v, "attendees.0.resource"));
    v = as(ADA, "PATCH", EVENTS "/abcde",
           "{'attendees':[{'email':'room@acme.example','displayName':'The big one'}]}");
    assert_string_equal(text_at(v, "attendees.0.displayName"), "The big one");
}

/* Without folds. */
static const char *unfolded(const char *ics)
{
    static char out[8000];
    char *p = out;
    while (ics && *ics && p < out + sizeof out - 1) {
        if (strncmp(ics, "\r\n ", 3) == 0)
            ics += 3;
        else
            *p++ = *ics++;
    }
    *p = 0;
    return out;
}

static void an_invitation_says_who_asks_whom_and_what_they_said(void **state)
{
    as(ADA, "POST", EVENTS "?sendUpdates=all",
       "{'id':'abcde','visibility':'private','start':{'date':'2026-11-24'},'end':{'date':'2026-11-"
       "25'},'attendees':[{'email':'eve@else.example','displayName':'Eve; of Else'},"
       "{'email':'bob@acme.example','additionalGuests':2,'optional':true}]}");
    const char *ics = unfolded(text_at(test_outbox(), "0.payload.calendar"));
    assert_non_null(strstr(ics, "\r\nORGANIZER;CN=Ada:mailto:ada@acme.example\r\n"));
    assert_non_null(strstr(ics, "PARTSTAT=NEEDS-ACTION;RSVP=TRUE;CN=\"Eve; of Else\";"
                                "X-NUM-GUESTS=0:mailto:eve@else.example\r\n"));
    assert_non_null(strstr(ics, "ROLE=OPT-PARTICIPANT;PARTSTAT=NEEDS-ACTION;RSVP=TRUE;"
                                "CN=bob@acme.example;X-NUM-GUESTS=2:mailto:bob@acme.example\r\n"));
    assert_non_null(strstr(ics, "\r\nCLASS:PRIVATE\r\n"));
    as(BOB, "PATCH", EVENTS "/abcde",
       "{'attendees':[{'email':'bob@acme.example','responseStatus':'declined','comment':'no, "
       "sorry'}]}");
    as(ADA, "PATCH", EVENTS "/abcde?sendUpdates=externalOnly", "{'visibility':'public'}");
    ics = unfolded(text_at(test_outbox(), "1.payload.calendar"));
    assert_non_null(strstr(ics, "PARTSTAT=DECLINED;RSVP=TRUE;CN=bob@acme.example;X-NUM-GUESTS=0;"
                                "X-RESPONSE-COMMENT=\"no, sorry\":mailto:bob@acme.example\r\n"));
    assert_non_null(strstr(ics, "\r\nCLASS:PUBLIC\r\n"));
}

static void a_calendar_that_is_no_persons_gets_no_mail(void **state)
{
    const struct json *v = as(ADA, "POST", "/calendars", "{'summary':'Team'}");
    char target[200];
    snprintf(target, sizeof target, "/calendars/%s/events", text_at(v, "id"));
    as(ADA, "POST", target,
       "{'id':'abcde','start':{'date':'2026-11-24'},'end':{'date':'2026-11-25'}," WITH_BOB "}");
    as(BOB, "PATCH", EVENTS "/abcde?sendUpdates=all",
       "{'attendees':[{'email':'bob@acme.example','responseStatus':'accepted'}]}");
    assert_int_equal(test_status, 200);
    assert_int_equal(count_at(test_outbox(), ""), 0);
}

static void a_copy_of_a_deleted_event_cannot_be_restored(void **state)
{
    make_event("abcde", WITH_BOB);
    as(BOB, "DELETE", EVENTS "/abcde", NULL);
    as(ADA, "DELETE", EVENTS "/abcde", NULL);
    as(BOB, "PATCH", EVENTS "/abcde", "{'status':'confirmed'}");
    assert_refused(403, "forbidden");
}

static void a_deleted_event_that_is_imported_again_lies_where_it_lay(void **state)
{
    static const char *const bodies[] = {
        "{'iCalUID':'u@x','start':{'dateTime':'2026-11-24T10:00:00Z'},"
        "'end':{'dateTime':'2026-11-24T11:00:00Z'}}",
        "{'iCalUID':'v@x','start':{'dateTime':'2026-11-24T10:00:00Z','timeZone':'UTC'},"
        "'end':{'dateTime':'2026-11-24T11:00:00Z','timeZone':'UTC'},"
        "'recurrence':['RRULE:FREQ=DAILY;COUNT=3'],'originalStartTime':null}"};
    for (size_t i = 0; i < 2; i++) {
        const struct json *v = as(ADA, "POST", EVENTS "/import", bodies[i]);
        assert_int_equal(test_status, 200);
        as(ADA, "DELETE", arena_printf(&test_arena, EVENTS "/%s", text_at(v, "id")), NULL);
        as(ADA, "POST", EVENTS "/import", bodies[i]);
        assert_int_equal(test_status, 200);
        v = as(ADA, "GET", EVENTS "?timeMin=2026-11-24T08:00:00Z&timeMax=2026-11-26T08:00:00Z",
               NULL);
        assert_int_equal(count_at(v, "items"), i + 1);
    }
}

static void an_import_of_the_same_changes_nothing(void **state)
{
    static const char body[] = "{'iCalUID':'u@x','start':{'dateTime':'2026-11-24T10:00:00Z'},"
                               "'end':{'dateTime':'2026-11-24T11:00:00Z'}}";
    static const char other[] =
        "{'iCalUID':'u@x','start':{'dateTime':'2026-11-24T10:00:00Z'},"
        "'end':{'dateTime':'2026-11-24T11:00:00Z'},'reminders':{'useDefault':false}}";
    const struct json *first = as(ADA, "POST", EVENTS "/import", body);
    test_advance(60);
    const struct json *v = as(ADA, "POST", EVENTS "/import", body);
    assert_string_equal(text_at(v, "etag"), text_at(first, "etag"));
    assert_string_equal(text_at(v, "updated"), text_at(first, "updated"));
    v = as(ADA, "POST", EVENTS "/import", other);
    assert_string_equal(text_at(v, "updated"), text_at(first, "updated"));
}

static void an_event_moved_to_a_guest_has_a_later_etag_than_the_copy_had(void **state)
{
    const char *team = text_at(as(ADA, "POST", "/calendars", "{'summary':'Team'}"), "id");
    as(ADA, "POST", arena_printf(&test_arena, "/calendars/%s/events", team),
       "{'id':'abcde','start':{'dateTime':'2026-11-24T10:00:00','timeZone':'UTC'},"
       "'end':{'dateTime':'2026-11-24T11:00:00','timeZone':'UTC'},"
       "'recurrence':['RRULE:FREQ=DAILY;COUNT=3'],'attendees':[{'email':'ada@acme.example'}]}");
    as(ADA, "PATCH", EVENTS "/abcde_20261125T100000Z", "{'colorId':'2'}");
    as(ADA, "PATCH", EVENTS "/abcde", "{'colorId':'2'}");
    as(ADA, "PATCH", EVENTS "/abcde", "{'colorId':'3'}");
    as(ADA, "PATCH", EVENTS "/abcde", "{'colorId':'4'}");
    const char *etag = text_at(as(ADA, "GET", EVENTS "/abcde", NULL), "etag");
    as(ADA, "POST",
       arena_printf(&test_arena, "/calendars/%s/events/abcde/move?destination=primary", team),
       NULL);
    assert_int_equal(test_status, 200);
    const char *moved = text_at(as(ADA, "GET", EVENTS "/abcde", NULL), "etag");
    assert_true(strcmp(moved, etag) > 0);
    const struct json *v = as(ADA, "GET", EVENTS "/abcde_20261125T100000Z", NULL);
    assert_string_equal(text_at(v, "etag"), moved);
}

/* A hundred instances of a daily series are declined, from the first one on. */
static void an_absence_of_years_declines_what_is_near(void **state)
{
    make_event("abcde", "'recurrence':['RRULE:FREQ=DAILY'],'attendees':[{'email':"
                        "'bob@acme.example'}]");
    as(BOB, "POST", EVENTS,
       "{'eventType':'outOfOffice','start':{'dateTime':'2026-11-24T00:00:00Z'},'end':{'dateTime':"
       "'2926-11-24T00:00:00Z'},'outOfOfficeProperties':{'autoDeclineMode':"
       "'declineAllConflictingInvitations'}}");
    assert_int_equal(test_status, 200);
    const struct json *v =
        as(BOB, "GET", EVENTS "/abcde/instances?timeMin=2027-03-01T00:00:00Z&maxResults=10", NULL);
    const char *responses = column(v, "items", "attendees.0.responseStatus");
    if (strncmp(responses, "declined declined declined needsAction", 38) != 0)
        fail_msg("%s", responses);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        gcal_test(a_guest_has_a_copy_with_the_same_id),
        gcal_test(somebody_who_is_not_invited_has_none),
        gcal_test(the_organizers_changes_reach_the_copies),
        gcal_test(what_is_personal_stays_with_each_copy),
        gcal_test(an_answer_reaches_the_organizer_and_the_others),
        gcal_test(attendees_omitted_lets_a_guest_answer_alone),
        gcal_test(a_guests_other_changes_stay_in_the_own_copy_until_the_next_of_the_organizer),
        gcal_test(an_answer_of_one_guest_leaves_the_changes_of_another),
        gcal_test(a_guest_cannot_change_what_guests_may_do),
        gcal_test(a_guest_who_may_modify_changes_it_for_all),
        gcal_test(a_guest_may_invite_unless_it_is_forbidden),
        gcal_test(guests_who_may_not_see_the_others_see_themselves),
        gcal_test(max_attendees_leaves_the_own_entry),
        gcal_test(a_guest_who_is_left_out_loses_the_copy),
        gcal_test(deleting_the_organizers_event_cancels_it_for_all),
        gcal_test(deleting_a_copy_declines_and_it_does_not_come_back),
        gcal_test(the_organizer_as_a_guest_is_marked),
        gcal_test(another_name_of_a_person_is_that_person),
        gcal_test(members_of_an_invited_group_have_copies),
        gcal_test(a_room_accepts_when_it_is_free_and_declines_when_it_is_not),
        gcal_test(mails_go_out_as_the_caller_says),
        gcal_test(an_answer_is_mailed_to_the_organizer),
        gcal_test(an_import_is_on_its_own),
        gcal_test(a_moved_event_has_another_organizer_and_leaves_a_trace),
        gcal_test(an_event_can_be_moved_back),
        gcal_test(absence_declines_what_is_there_and_what_comes),
        gcal_test(bad_guests_are_refused),
        gcal_test(a_copy_that_its_guest_restored_follows_again),
        gcal_test(who_is_invited_anew_has_the_event_again),
        gcal_test(a_list_of_guests_replaces_what_each_of_them_had),
        gcal_test(attendees_omitted_changes_the_own_answer_alone),
        gcal_test(a_room_is_listed_with_its_name),
        gcal_test(an_invitation_says_who_asks_whom_and_what_they_said),
        gcal_test(a_calendar_that_is_no_persons_gets_no_mail),
        gcal_test(a_copy_of_a_deleted_event_cannot_be_restored),
        gcal_test(a_deleted_event_that_is_imported_again_lies_where_it_lay),
        gcal_test(an_import_of_the_same_changes_nothing),
        gcal_test(an_event_moved_to_a_guest_has_a_later_etag_than_the_copy_had),
        gcal_test(an_absence_of_years_declines_what_is_near),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
