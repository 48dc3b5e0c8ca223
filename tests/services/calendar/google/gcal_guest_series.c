/* SPDX-License-Identifier: Apache-2.0 */
/* Guests of series and of their instances: copies, answers, changes, deletions, imports, moves. */
#include "tests/support/gcal.h"
#include <stdio.h>

#define EVENTS   "/calendars/primary/events"
#define WITH_BOB "'attendees':[{'email':'bob@acme.example'}]"

static void a_guest_answers_one_instance_or_the_series(void **state)
{
    make_event("serie", WITH_BOB ",'recurrence':['RRULE:FREQ=DAILY;COUNT=3']");
    as(BOB, "PATCH", EVENTS "/serie_20261125T090000Z",
       "{'attendees':[{'email':'bob@acme.example','responseStatus':'declined'}]}");
    const struct json *v = as(ADA, "GET", EVENTS "/serie_20261125T090000Z", NULL);
    assert_string_equal(text_at(v, "attendees.0.responseStatus"), "declined");
    v = as(ADA, "GET", EVENTS "/serie_20261126T090000Z", NULL);
    assert_string_equal(text_at(v, "attendees.0.responseStatus"), "needsAction");
    as(BOB, "PATCH", EVENTS "/serie",
       "{'attendees':[{'email':'bob@acme.example','responseStatus':'accepted'}]}");
    v = as(ADA, "GET", EVENTS "?singleEvents=true", NULL);
    assert_string_equal(column(v, "items", "attendees.0.responseStatus"),
                        "accepted declined accepted");
    v = as(BOB, "GET", EVENTS "?singleEvents=true", NULL);
    assert_string_equal(column(v, "items", "attendees.0.responseStatus"),
                        "accepted declined accepted");
}

static void an_instance_can_have_other_guests_than_its_series(void **state)
{
    make_event("serie", WITH_BOB ",'recurrence':['RRULE:FREQ=DAILY;COUNT=3']");
    as(ADA, "PATCH", EVENTS "/serie_20261125T090000Z",
       "{'attendees':[{'email':'cyd@acme.example'}]}");
    const struct json *v = as(CYD, "GET", EVENTS "?singleEvents=true", NULL);
    assert_string_equal(column(v, "items", "id"), "serie_20261125T090000Z");
    v = as(BOB, "GET", EVENTS "?singleEvents=true", NULL);
    assert_string_equal(column(v, "items", "id"), "serie_20261124T090000Z serie_20261126T090000Z");
}

static void a_guest_added_to_a_series_gets_its_changed_instances(void **state)
{
    make_event("serie", "'recurrence':['RRULE:FREQ=DAILY;COUNT=3']");
    as(ADA, "PATCH", EVENTS "/serie_20261125T090000Z", "{'summary':'Other'}");
    as(ADA, "DELETE", EVENTS "/serie_20261126T090000Z", NULL);
    as(ADA, "PATCH", EVENTS "/serie", "{" WITH_BOB "}");
    const struct json *v = as(BOB, "GET", EVENTS "?singleEvents=true", NULL);
    assert_string_equal(column(v, "items", "id"), "serie_20261124T090000Z serie_20261125T090000Z");
    assert_string_equal(text_at(v, "items.1.summary"), "Other");
}

static void a_personal_color_of_one_instance_is_kept(void **state)
{
    make_event("serie", WITH_BOB ",'recurrence':['RRULE:FREQ=DAILY;COUNT=3']");
    as(BOB, "PATCH", EVENTS "/serie_20261125T090000Z", "{'colorId':'4'}");
    const struct json *v = as(BOB, "GET", EVENTS "?singleEvents=true", NULL);
    assert_string_equal(column(v, "items", "colorId"), "- 4 -");
    v = as(ADA, "GET", EVENTS "?singleEvents=true", NULL);
    assert_string_equal(column(v, "items", "colorId"), "- - -");
}

static void a_moved_series_takes_its_instances_along(void **state)
{
    const struct json *v =
        as(ADA, "POST", "/calendars", "{'summary':'Second','timeZone':'Europe/Rome'}");
    char target[300];
    make_event("serie", "'recurrence':['RRULE:FREQ=DAILY;COUNT=3']");
    as(ADA, "PATCH", EVENTS "/serie_20261125T090000Z", "{'summary':'Other'}");
    snprintf(target, sizeof target, EVENTS "/serie/move?destination=%s", text_at(v, "id"));
    as(ADA, "POST", target, NULL);
    assert_int_equal(test_status, 200);
    snprintf(target, sizeof target, "/calendars/%s/events?singleEvents=true", text_at(v, "id"));
    v = as(ADA, "GET", target, NULL);
    assert_string_equal(column(v, "items", "summary"), "Event serie Other Event serie");
    v = as(ADA, "GET", EVENTS "?singleEvents=true", NULL);
    assert_int_equal(count_at(v, "items"), 0);
    as(ADA, "POST", EVENTS "/serie_20261125T090000Z/move?destination=primary", NULL);
    assert_int_equal(test_status >= 400, 1);
}

static void a_deleted_series_takes_answers_to_single_instances_with_it(void **state)
{
    char sync[600];
    make_event("serie", WITH_BOB ",'recurrence':['RRULE:FREQ=DAILY;COUNT=3']");
    as(BOB, "PATCH", EVENTS "/serie_20261125T090000Z",
       "{'attendees':[{'email':'bob@acme.example','responseStatus':'declined'}]}");
    assert_int_equal(test_status, 200);
    const struct json *v = as(BOB, "GET", EVENTS, NULL);
    snprintf(sync, sizeof sync, EVENTS "?syncToken=%s", text_at(v, "nextSyncToken"));
    as(ADA, "DELETE", EVENTS "/serie", NULL);
    assert_int_equal(test_status, 204);
    static const char *const both[] = {ADA, BOB};
    for (int i = 0; i < 2; i++) {
        assert_int_equal(count_at(as(both[i], "GET", EVENTS, NULL), "items"), 0);
        v = as(both[i], "GET", EVENTS "?singleEvents=true", NULL);
        assert_int_equal(count_at(v, "items"), 0);
        v = as(both[i], "GET", EVENTS "/serie", NULL);
        assert_string_equal(text_at(v, "status"), "cancelled");
        v = as(both[i], "GET", EVENTS "/serie_20261125T090000Z", NULL);
        assert_true(test_status == 404 || strcmp(text_at(v, "status"), "cancelled") == 0);
        v = as(both[i], "POST", "/freeBusy",
               "{'timeMin':'2026-11-24T00:00:00Z','timeMax':'2026-11-28T00:00:00Z',"
               "'items':[{'id':'primary'}]}");
        assert_int_equal(count_at(v, "calendars.primary.busy"), 0);
    }
    v = as(BOB, "GET", sync, NULL);
    assert_string_equal(column(v, "items", "id"), "serie");
    /* There is nothing left that a new series could meet. */
    make_event("serif", WITH_BOB ",'recurrence':['RRULE:FREQ=DAILY;COUNT=3']");
    assert_int_equal(count_at(as(BOB, "GET", EVENTS "?singleEvents=true", NULL), "items"), 3);
}

static void an_imported_instance_becomes_one_of_its_series(void **state)
{
    as(ADA, "POST", EVENTS "/import",
       "{'iCalUID':'u@x','summary':'S','start':{'dateTime':'2026-11-24T10:00:00','timeZone':"
       "'Europe/Rome'},'end':{'dateTime':'2026-11-24T11:00:00','timeZone':'Europe/Rome'},"
       "'recurrence':['RRULE:FREQ=DAILY;COUNT=3']}");
    const struct json *v =
        as(ADA, "POST", EVENTS "/import",
           "{'iCalUID':'u@x','summary':'Other','start':{'dateTime':'2026-11-25T12:00:00Z'},"
           "'end':{'dateTime':'2026-11-25T13:00:00Z'},"
           "'originalStartTime':{'dateTime':'2026-11-25T10:00:00+01:00'}}");
    assert_int_equal(test_status, 200);
    assert_string_equal(text_at(v, "originalStartTime.dateTime"), "2026-11-25T10:00:00+01:00");
    assert_non_null(text_at(v, "recurringEventId"));
    v = as(ADA, "GET", EVENTS "?iCalUID=u@x&singleEvents=true&orderBy=startTime", NULL);
    assert_string_equal(column(v, "items", "summary"), "S Other S");
    assert_string_equal(column(v, "items", "start.dateTime"),
                        "2026-11-24T10:00:00+01:00 2026-11-25T13:00:00+01:00 "
                        "2026-11-26T10:00:00+01:00");
    /* Neither an instance that there is not nor one of a series that is not there. */
    as(ADA, "POST", EVENTS "/import",
       "{'iCalUID':'u@x','start':{'date':'2026-11-25'},'end':{'date':'2026-11-26'},"
       "'originalStartTime':{'dateTime':'2026-11-25T10:30:00+01:00'}}");
    assert_refused(400, "invalid");
    assert_non_null(strstr(test_body, "Invalid iCalUID value."));
    as(ADA, "POST", EVENTS "/import",
       "{'iCalUID':'v@x','start':{'date':'2026-11-25'},'end':{'date':'2026-11-26'},"
       "'recurringEventId':'abc','originalStartTime':{'date':'2026-11-25'}}");
    assert_refused(400, "invalid");
    as(ADA, "POST", EVENTS "/import",
       "{'iCalUID':'u@x','start':{'date':'2026-11-25'},'end':{'date':'2026-11-26'},"
       "'originalStartTime':{'dateTime':'soon'}}");
    assert_refused(400, "badRequest");
}

static void who_took_a_series_away_gets_none_of_its_instances(void **state)
{
    make_event("serie", WITH_BOB ",'recurrence':['RRULE:FREQ=DAILY;COUNT=3']");
    as(BOB, "DELETE", EVENTS "/serie", NULL);
    as(ADA, "DELETE", EVENTS "/serie_20261125T090000Z", NULL);
    as(ADA, "PATCH", EVENTS "/serie_20261126T090000Z", "{'summary':'Other'}");
    assert_int_equal(count_at(as(BOB, "GET", EVENTS, NULL), "items"), 0);
    assert_int_equal(count_at(as(BOB, "GET", EVENTS "?singleEvents=true", NULL), "items"), 0);
    as(BOB, "PATCH", EVENTS "/serie", "{'status':'confirmed'}");
    const struct json *v = as(BOB, "GET", EVENTS "?singleEvents=true", NULL);
    assert_string_equal(column(v, "items", "id"), "serie_20261124T090000Z serie_20261126T090000Z");
    assert_string_equal(text_at(v, "items.1.summary"), "Other");
}

static void who_is_no_guest_of_a_series_can_be_one_of_an_instance(void **state)
{
    make_event("serie", WITH_BOB ",'recurrence':['RRULE:FREQ=DAILY;COUNT=3']");
    as(ADA, "PATCH", EVENTS "/serie", "{'attendees':[]}");
    as(ADA, "PATCH", EVENTS "/serie_20261125T090000Z", "{" WITH_BOB "}");
    const struct json *v = as(BOB, "GET", EVENTS "?singleEvents=true", NULL);
    assert_string_equal(column(v, "items", "id"), "serie_20261125T090000Z");
    as(BOB, "PATCH", EVENTS "/serie_20261125T090000Z",
       "{'attendees':[{'email':'bob@acme.example','responseStatus':'accepted'}]}");
    assert_int_equal(test_status, 200);
    v = as(ADA, "GET", EVENTS "/serie_20261125T090000Z", NULL);
    assert_string_equal(text_at(v, "attendees.0.responseStatus"), "accepted");
}

static void an_answer_to_an_instance_that_its_organizer_colored_is_none_to_the_series(void **state)
{
    make_event("serie", WITH_BOB ",'recurrence':['RRULE:FREQ=DAILY;COUNT=3']");
    as(ADA, "PATCH", EVENTS "/serie_20261125T090000Z", "{'colorId':'4'}");
    as(BOB, "PATCH", EVENTS "/serie_20261125T090000Z",
       "{'attendees':[{'email':'bob@acme.example','responseStatus':'declined'}]}");
    assert_int_equal(test_status, 200);
    const struct json *v = as(ADA, "GET", EVENTS "?singleEvents=true", NULL);
    assert_string_equal(column(v, "items", "attendees.0.responseStatus"),
                        "needsAction declined needsAction");
    v = as(BOB, "GET", EVENTS "?singleEvents=true", NULL);
    assert_string_equal(column(v, "items", "attendees.0.responseStatus"),
                        "needsAction declined needsAction");
}

static void an_answer_to_a_series_leaves_instances_that_were_taken_away(void **state)
{
    make_event("serie", WITH_BOB ",'recurrence':['RRULE:FREQ=DAILY;COUNT=3']");
    as(BOB, "DELETE", EVENTS "/serie_20261125T090000Z", NULL);
    as(BOB, "PATCH", EVENTS "/serie",
       "{'attendees':[{'email':'bob@acme.example','responseStatus':'declined'}]}");
    as(BOB, "PATCH", EVENTS "/serie",
       "{'attendees':[{'email':'bob@acme.example','responseStatus':'accepted'}]}");
    const struct json *v = as(ADA, "GET", EVENTS "?singleEvents=true", NULL);
    assert_string_equal(column(v, "items", "attendees.0.responseStatus"),
                        "accepted declined accepted");
}

static void a_guest_cannot_change_the_recurrence(void **state)
{
    make_event("serie", WITH_BOB ",'recurrence':['RRULE:FREQ=DAILY;COUNT=3']");
    const struct json *v = as(BOB, "PATCH", EVENTS "/serie",
                              "{'summary':'Mine','recurrence':['RRULE:FREQ=DAILY;COUNT=2']}");
    assert_int_equal(test_status, 200);
    assert_string_equal(text_at(v, "recurrence.0"), "RRULE:FREQ=DAILY;COUNT=3");
    assert_string_equal(text_at(v, "summary"), "Mine");
    v = as(BOB, "PATCH", EVENTS "/serie", "{'recurrence':null}");
    assert_string_equal(text_at(v, "recurrence.0"), "RRULE:FREQ=DAILY;COUNT=3");
    as(ADA, "PATCH", EVENTS "/serie", "{'guestsCanModify':true}");
    as(BOB, "PATCH", EVENTS "/serie", "{'recurrence':['RRULE:FREQ=DAILY;COUNT=2']}");
    v = as(ADA, "GET", EVENTS "/serie", NULL);
    assert_string_equal(text_at(v, "recurrence.0"), "RRULE:FREQ=DAILY;COUNT=2");
}

static void who_had_an_instance_alone_has_it_once_with_its_series(void **state)
{
    make_event("serie", "'attendees':[{'email':'ada@acme.example'},{'email':'cyd@acme.example'}],"
                        "'recurrence':['RRULE:FREQ=DAILY;COUNT=3']");
    as(ADA, "PATCH", EVENTS "/serie_20261125T090000Z",
       "{'attendees':[{'email':'cyd@acme.example'},{'email':'bob@acme.example'}]}");
    as(ADA, "PATCH", EVENTS "/serie",
       "{'attendees':[{'email':'ada@acme.example'},{'email':'cyd@acme.example'},"
       "{'email':'bob@acme.example'}]}");
    const struct json *v = as(BOB, "GET", EVENTS "?singleEvents=true", NULL);
    assert_string_equal(column(v, "items", "id"),
                        "serie_20261124T090000Z serie_20261125T090000Z serie_20261126T090000Z");
}

static void an_answer_to_a_colored_instance_is_seen_by_the_other_guests(void **state)
{
    make_event("serie", "'attendees':[{'email':'bob@acme.example'},{'email':'cyd@acme.example'}],"
                        "'recurrence':['RRULE:FREQ=DAILY;COUNT=3']");
    as(ADA, "PATCH", EVENTS "/serie_20261125T090000Z", "{'colorId':'4'}");
    as(BOB, "DELETE", EVENTS "/serie", NULL);
    as(BOB, "PATCH", EVENTS "/serie", "{'status':'confirmed'}");
    as(BOB, "PATCH", EVENTS "/serie_20261125T090000Z",
       "{'attendees':[{'email':'bob@acme.example','responseStatus':'accepted'}]}");
    const struct json *v = as(CYD, "GET", EVENTS "?singleEvents=true", NULL);
    assert_string_equal(column(v, "items", "attendees.0.responseStatus"),
                        "declined accepted declined");
}

static void guests_of_an_instance_are_notified_of_an_answer_to_a_series(void **state)
{
    make_event("serie", WITH_BOB ",'recurrence':['RRULE:FREQ=DAILY;COUNT=3']");
    as(ADA, "PATCH", EVENTS "/serie_20261125T090000Z",
       "{'attendees':[{'email':'bob@acme.example'},{'email':'cyd@acme.example'}]}");
    const struct json *v = as(CYD, "GET", EVENTS, NULL);
    char target[300];
    snprintf(target, sizeof target, EVENTS "?syncToken=%s", text_at(v, "nextSyncToken"));
    as(BOB, "PATCH", EVENTS "/serie",
       "{'attendees':[{'email':'bob@acme.example','responseStatus':'accepted'}]}");
    v = as(CYD, "GET", target, NULL);
    assert_string_equal(column(v, "items", "attendees.0.responseStatus"), "accepted");
}

static void an_answer_to_one_instance_never_takes_an_etag_back(void **state)
{
    make_event("serie", "'attendees':[{'email':'bob@acme.example'},{'email':'cyd@acme.example'}],"
                        "'recurrence':['RRULE:FREQ=DAILY;COUNT=3']");
    const char *first = text_at(as(CYD, "GET", EVENTS "/serie", NULL), "etag");
    test_advance(60);
    as(CYD, "PATCH", EVENTS "/serie", "{'colorId':'4'}");
    const char *updated = text_at(as(CYD, "GET", EVENTS "/serie", NULL), "updated");
    test_advance(60);
    as(BOB, "PATCH", EVENTS "/serie_20261125T090000Z", "{'colorId':'5'}");
    const struct json *v = as(CYD, "GET", EVENTS "/serie", NULL);
    assert_string_not_equal(text_at(v, "etag"), first);
    assert_true(strcmp(text_at(v, "updated"), updated) >= 0);
    as(CYD, "PATCH", EVENTS "/serie", "{'colorId':'6'}");
    as(CYD, "PATCH", EVENTS "/serie", "{'colorId':'7'}");
    as(CYD, "PATCH", EVENTS "/serie", "{'colorId':'8'}");
    const char *seventh = text_at(as(CYD, "GET", EVENTS "/serie", NULL), "etag");
    as(ADA, "PATCH", EVENTS "/serie_20261126T090000Z", "{'summary':'Other'}");
    v = as(CYD, "GET", EVENTS "/serie", NULL);
    assert_true(strcmp(text_at(v, "etag"), seventh) > 0);
}

static void all_of_a_guests_series_has_one_etag(void **state)
{
    make_event("serie", WITH_BOB ",'recurrence':['RRULE:FREQ=DAILY;COUNT=3']");
    as(ADA, "PATCH", EVENTS "/serie_20261125T090000Z", "{'summary':'Other'}");
    const struct json *v = as(BOB, "GET", EVENTS, NULL);
    char target[300];
    snprintf(target, sizeof target, EVENTS "?syncToken=%s", text_at(v, "nextSyncToken"));
    as(ADA, "PATCH", EVENTS "/serie", "{'summary':'New'}");
    v = as(BOB, "GET", EVENTS, NULL);
    assert_int_equal(count_at(v, "items"), 2);
    assert_string_equal(text_at(v, "items.0.etag"), text_at(v, "items.1.etag"));
    v = as(BOB, "GET", target, NULL);
    assert_int_equal(count_at(v, "items"), 2);
}

static void who_is_left_out_of_an_instance_is_so_when_its_series_is_restored(void **state)
{
    make_event("serie", WITH_BOB ",'recurrence':['RRULE:FREQ=DAILY;COUNT=3']");
    as(ADA, "PATCH", EVENTS "/serie_20261125T090000Z", "{'attendees':[]}");
    as(ADA, "DELETE", EVENTS "/serie", NULL);
    as(ADA, "PATCH", EVENTS "/serie", "{'status':'confirmed'}");
    const struct json *v = as(BOB, "GET", EVENTS "?singleEvents=true", NULL);
    assert_string_equal(column(v, "items", "id"), "serie_20261124T090000Z serie_20261126T090000Z");
}

static void guests_of_an_instance_are_notified_once_of_a_deleted_series(void **state)
{
    make_event("serie", "'recurrence':['RRULE:FREQ=DAILY;COUNT=3']");
    as(ADA, "PATCH", EVENTS "/serie_20261125T090000Z", "{" WITH_BOB "}");
    const struct json *v = as(BOB, "GET", EVENTS, NULL);
    char target[300];
    snprintf(target, sizeof target, EVENTS "?syncToken=%s", text_at(v, "nextSyncToken"));
    as(ADA, "DELETE", EVENTS "/serie", NULL);
    v = as(BOB, "GET", target, NULL);
    assert_string_equal(column(v, "items", "status"), "cancelled");
    snprintf(target, sizeof target, EVENTS "?syncToken=%s", text_at(v, "nextSyncToken"));
    v = as(BOB, "GET", target, NULL);
    assert_int_equal(count_at(v, "items"), 0);
}

static void a_series_from_elsewhere_is_deleted_with_its_changed_instances(void **state)
{
    as(ADA, "POST", EVENTS "/import",
       "{'iCalUID':'u@x','summary':'S','start':{'dateTime':'2026-11-24T10:00:00','timeZone':"
       "'Europe/Rome'},'end':{'dateTime':'2026-11-24T11:00:00','timeZone':'Europe/Rome'},"
       "'recurrence':['RRULE:FREQ=DAILY;COUNT=3'],'organizer':{'email':'eve@else.example'},"
       "'attendees':[{'email':'ada@acme.example'}]}");
    const struct json *v = as(ADA, "GET", EVENTS "?singleEvents=true", NULL);
    assert_int_equal(count_at(v, "items"), 3);
    const char *id = text_at(v, "items.0.recurringEventId"), *second = text_at(v, "items.1.id");
    char target[300];
    as(ADA, "PATCH", arena_printf(&test_arena, EVENTS "/%s", second), "{'colorId':'4'}");
    v = as(ADA, "GET", EVENTS "?singleEvents=true", NULL);
    snprintf(target, sizeof target, EVENTS "?singleEvents=true&syncToken=%s",
             text_at(v, "nextSyncToken"));
    as(ADA, "DELETE", arena_printf(&test_arena, EVENTS "/%s", id), NULL);
    assert_int_equal(test_status, 204);
    v = as(ADA, "GET", target, NULL);
    assert_string_equal(column(v, "items", "status"), "cancelled cancelled cancelled");
    assert_string_equal(text_at(v, "items.0.etag"), text_at(v, "items.1.etag"));
    assert_string_equal(text_at(v, "items.0.etag"), text_at(v, "items.2.etag"));
}

static void an_import_that_cancels_a_series_cancels_its_changed_instances(void **state)
{
    static const char body[] =
        "{'iCalUID':'u@x','summary':'S','start':{'dateTime':'2026-11-24T10:00:00','timeZone':"
        "'Europe/Rome'},'end':{'dateTime':'2026-11-24T11:00:00','timeZone':'Europe/Rome'},"
        "'recurrence':['RRULE:FREQ=DAILY;COUNT=3'],'status':'%s'}";
    as(ADA, "POST", EVENTS "/import", arena_printf(&test_arena, body, "confirmed"));
    const struct json *v = as(ADA, "GET", EVENTS "?singleEvents=true", NULL);
    as(ADA, "PATCH", arena_printf(&test_arena, EVENTS "/%s", text_at(v, "items.1.id")),
       "{'summary':'Other'}");
    as(ADA, "POST", EVENTS "/import", arena_printf(&test_arena, body, "cancelled"));
    assert_int_equal(test_status, 200);
    v = as(ADA, "GET", EVENTS "?singleEvents=true", NULL);
    assert_int_equal(count_at(v, "items"), 0);
    as(ADA, "POST", EVENTS "/import", arena_printf(&test_arena, body, "confirmed"));
    v = as(ADA, "GET", EVENTS "?singleEvents=true", NULL);
    assert_string_equal(column(v, "items", "summary"), "S Other S");
}

static void what_a_guest_did_with_instances_goes_along_with_the_series(void **state)
{
    make_event("serie", WITH_BOB ",'recurrence':['RRULE:FREQ=DAILY;COUNT=3']");
    as(BOB, "DELETE", EVENTS "/serie_20261125T090000Z", NULL);
    as(BOB, "PATCH", EVENTS "/serie_20261126T090000Z", "{'colorId':'4'}");
    as(ADA, "PATCH", EVENTS "/serie",
       "{'start':{'dateTime':'2026-11-24T12:00:00+01:00'},'end':{'dateTime':'2026-11-24T13:00:00+"
       "01:00'}}");
    const struct json *v = as(BOB, "GET", EVENTS "?singleEvents=true", NULL);
    assert_string_equal(column(v, "items", "id"), "serie_20261124T110000Z serie_20261126T110000Z");
    assert_string_equal(column(v, "items", "colorId"), "- 4");
    v = as(ADA, "GET", EVENTS "?singleEvents=true", NULL);
    assert_string_equal(column(v, "items", "attendees.0.responseStatus"),
                        "needsAction declined needsAction");
    assert_string_equal(column(v, "items", "colorId"), "- - -");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        gcal_test(a_guest_answers_one_instance_or_the_series),
        gcal_test(an_instance_can_have_other_guests_than_its_series),
        gcal_test(a_guest_added_to_a_series_gets_its_changed_instances),
        gcal_test(a_personal_color_of_one_instance_is_kept),
        gcal_test(a_moved_series_takes_its_instances_along),
        gcal_test(a_deleted_series_takes_answers_to_single_instances_with_it),
        gcal_test(an_imported_instance_becomes_one_of_its_series),
        gcal_test(who_took_a_series_away_gets_none_of_its_instances),
        gcal_test(who_is_no_guest_of_a_series_can_be_one_of_an_instance),
        gcal_test(an_answer_to_an_instance_that_its_organizer_colored_is_none_to_the_series),
        gcal_test(an_answer_to_a_series_leaves_instances_that_were_taken_away),
        gcal_test(a_guest_cannot_change_the_recurrence),
        gcal_test(who_had_an_instance_alone_has_it_once_with_its_series),
        gcal_test(an_answer_to_a_colored_instance_is_seen_by_the_other_guests),
        gcal_test(guests_of_an_instance_are_notified_of_an_answer_to_a_series),
        gcal_test(an_answer_to_one_instance_never_takes_an_etag_back),
        gcal_test(all_of_a_guests_series_has_one_etag),
        gcal_test(who_is_left_out_of_an_instance_is_so_when_its_series_is_restored),
        gcal_test(guests_of_an_instance_are_notified_once_of_a_deleted_series),
        gcal_test(a_series_from_elsewhere_is_deleted_with_its_changed_instances),
        gcal_test(an_import_that_cancels_a_series_cancels_its_changed_instances),
        gcal_test(what_a_guest_did_with_instances_goes_along_with_the_series),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
