/* SPDX-License-Identifier: Apache-2.0 */
/* Single events: what is stored, what is answered, what is refused. */
#include "tests/support/gcal.h"
#include <stdio.h>

#define EVENTS "/calendars/primary/events"
#define MIXED  "Start and end times must either both be date or both be dateTime."

static void an_inserted_event_has_the_recorded_members_in_their_order(void **state)
{
    make_event("abcde", "");
    static const char *const order[] = {"\"kind\": \"calendar#event\"",
                                        "\"etag\"",
                                        "\"id\"",
                                        "\"status\": \"confirmed\"",
                                        "\"htmlLink\"",
                                        "\"created\"",
                                        "\"updated\"",
                                        "\"summary\"",
                                        "\"creator\"",
                                        "\"organizer\"",
                                        "\"start\"",
                                        "\"end\"",
                                        "\"iCalUID\"",
                                        "\"sequence\"",
                                        "\"reminders\"",
                                        "\"eventType\": \"default\""};
    const char *at = test_body;
    for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
        const char *next = strstr(at, order[i]);
        if (!next)
            fail_msg("%s is not where it should be in %s", order[i], test_body);
        at = next;
    }
}

static void what_is_at_its_default_is_left_out(void **state)
{
    const struct json *v = make_event("abcde", "");
    assert_int_equal(v->n, 16);
    assert_null(value_at(v, "transparency"));
    assert_null(value_at(v, "visibility"));
    assert_null(value_at(v, "attendees"));
    assert_null(value_at(v, "guestsCanModify"));
}

static void an_etag_is_twice_the_microseconds_of_the_change(void **state)
{
    const struct json *v = make_event("abcde", "");
    assert_string_equal(text_at(v, "etag"), "\"3590841600000000\"");
    assert_string_equal(text_at(v, "updated"), "2026-11-23T08:00:00.000Z");
}

static void ids_that_are_made_have_26_characters_of_base32hex(void **state)
{
    const struct json *v =
        as(ADA, "POST", EVENTS, "{'start':{'date':'2026-11-24'},'end':{'date':'2026-11-25'}}");
    const char *id = text_at(v, "id");
    assert_int_equal(strlen(id), 26);
    assert_int_equal(strspn(id, "0123456789abcdefghijklmnopqrstuv"), 26);
    assert_int_equal(strncmp(text_at(v, "iCalUID"), id, 26), 0);
    assert_string_equal(text_at(v, "iCalUID") + 26, "@google.com");
}

static void times_are_shown_in_the_calendars_offset_and_keep_their_zone(void **state)
{
    const struct json *v =
        as(ADA, "POST", EVENTS,
           "{'start':{'dateTime':'2026-11-24T10:00:00','timeZone':'America/New_York'},"
           "'end':{'dateTime':'2026-11-24T16:30:00Z','timeZone':'America/New_York'}}");
    assert_string_equal(text_at(v, "start.dateTime"), "2026-11-24T16:00:00+01:00");
    assert_string_equal(text_at(v, "start.timeZone"), "America/New_York");
    assert_string_equal(text_at(v, "end.dateTime"), "2026-11-24T17:30:00+01:00");
}

static void the_parameter_time_zone_changes_the_offsets_only(void **state)
{
    make_event("abcde", "");
    const struct json *v = as(ADA, "GET", EVENTS "/abcde?timeZone=Asia/Tokyo", NULL);
    assert_string_equal(text_at(v, "start.dateTime"), "2026-11-24T18:00:00+09:00");
    assert_string_equal(text_at(v, "start.timeZone"), "Europe/Rome");
    as(ADA, "GET", EVENTS "/abcde?timeZone=Mars/Base", NULL);
    assert_refused(400, "invalid");
}

static void all_day_events_have_dates_and_no_default_reminders(void **state)
{
    const struct json *v =
        as(ADA, "POST", EVENTS, "{'start':{'date':'2026-11-24'},'end':{'date':'2026-11-26'}}");
    assert_string_equal(text_at(v, "start.date"), "2026-11-24");
    assert_string_equal(text_at(v, "end.date"), "2026-11-26");
    assert_null(value_at(v, "start.timeZone"));
    assert_false(true_at(v, "reminders.useDefault"));
    v = make_event("abcde", "");
    assert_true(true_at(v, "reminders.useDefault"));
}

static void start_and_end_must_be_there_and_fit(void **state)
{
    static const char *const without[] = {"{'summary':'x'}", "{}", "",
                                          "{'start':{'date':'2026-11-24'}}"};
    for (size_t i = 0; i < sizeof without / sizeof *without; i++) {
        as(ADA, "POST", EVENTS, without[i]);
        assert_refused(400, "required");
        assert_non_null(strstr(test_body, "Missing end time."));
    }
    as(ADA, "POST", EVENTS, "{'end':{'date':'2026-11-24'}}");
    assert_refused(400, "required");
    assert_non_null(strstr(test_body, "Missing start time."));
    as(ADA, "POST", EVENTS,
       "{'start':{'date':'2026-11-24'},'end':{'dateTime':'2026-11-24T10:00:00Z'}}");
    assert_refused(400, "invalid");
    assert_non_null(strstr(test_body, MIXED));
    as(ADA, "POST", EVENTS, "{'start':{},'end':{}}");
    assert_refused(400, "invalid");
    assert_non_null(strstr(test_body, MIXED));
    as(ADA, "POST", EVENTS,
       "{'start':{'date':'2026-11-24T10:00:00Z'},'end':{'date':'2026-11-25'}}");
    assert_refused(400, "badRequest");
    as(ADA, "POST", EVENTS, "{'start':{'date':'2026-11-24'},'end':{'date':'2026-11-23'}}");
    assert_refused(400, "timeRangeEmpty");
}

static void a_time_without_offset_needs_a_zone(void **state)
{
    as(ADA, "POST", EVENTS,
       "{'start':{'dateTime':'2026-11-24T10:00:00'},'end':{'dateTime':'2026-11-24T11:00:00'}}");
    assert_refused(400, "required");
    assert_non_null(strstr(test_body, "Missing time zone definition for start time."));
    as(ADA, "POST", EVENTS,
       "{'start':{'dateTime':'2026-11-24T10:00:00','timeZone':'Mars/"
       "Base'},'end':{'dateTime':'2026-11-24T11:00:00'}}");
    assert_refused(400, "invalid");
}

static void ids_of_clients_are_checked_and_never_used_twice(void **state)
{
    as(ADA, "POST", EVENTS,
       "{'id':'UPPER','start':{'date':'2026-11-24'},'end':{'date':'2026-11-25'}}");
    assert_refused(400, "invalid");
    assert_non_null(strstr(test_body, "Invalid resource id value."));
    as(ADA, "POST", EVENTS,
       "{'id':'abcd','start':{'date':'2026-11-24'},'end':{'date':'2026-11-25'}}");
    assert_refused(400, "invalid");
    make_event("abcde", "");
    as(ADA, "POST", EVENTS,
       "{'id':'abcde','start':{'date':'2026-11-24'},'end':{'date':'2026-11-25'}}");
    assert_refused(409, "duplicate");
    as(ADA, "DELETE", EVENTS "/abcde", NULL);
    as(ADA, "POST", EVENTS,
       "{'id':'abcde','start':{'date':'2026-11-24'},'end':{'date':'2026-11-25'}}");
    assert_refused(409, "duplicate");
}

static void a_uid_gives_the_id(void **state)
{
    const struct json *v =
        as(ADA, "POST", EVENTS,
           "{'iCalUID':'a@b','start':{'date':'2026-11-24'},'end':{'date':'2026-11-25'}}");
    assert_string_equal(text_at(v, "id"), "_c5064");
    assert_string_equal(text_at(v, "iCalUID"), "a@b");
    as(ADA, "POST", EVENTS,
       "{'id':'abcde','iCalUID':'a@c','start':{'date':'2026-11-24'},'end':{'date':'2026-11-25'}}");
    assert_refused(400, "invalid");
}

static void a_patch_changes_what_it_names_and_null_clears(void **state)
{
    make_event("abcde", "'description':'D','location':'L'");
    const struct json *v = as(ADA, "PATCH", EVENTS "/abcde", "{'summary':'New','location':null}");
    assert_string_equal(text_at(v, "summary"), "New");
    assert_string_equal(text_at(v, "description"), "D");
    assert_null(value_at(v, "location"));
}

static void a_patch_that_changes_nothing_keeps_the_etag(void **state)
{
    const struct json *v = make_event("abcde", "");
    const char *etag = text_at(v, "etag");
    v = as(ADA, "PATCH", EVENTS "/abcde", "{'summary':'Event abcde'}");
    assert_string_equal(text_at(v, "etag"), etag);
    v = as(ADA, "PATCH", EVENTS "/abcde", "{'summary':'Other'}");
    assert_string_not_equal(text_at(v, "etag"), etag);
}

static void an_update_resets_what_it_leaves_out(void **state)
{
    make_event("abcde", "'description':'D','colorId':'3','transparency':'transparent'");
    const struct json *v =
        as(ADA, "PUT", EVENTS "/abcde",
           "{'start':{'dateTime':'2026-11-24T10:00:00+01:00','timeZone':'Europe/Rome'},"
           "'end':{'dateTime':'2026-11-24T11:00:00+01:00','timeZone':'Europe/Rome'}}");
    assert_int_equal(test_status, 200);
    assert_null(value_at(v, "summary"));
    assert_null(value_at(v, "description"));
    assert_null(value_at(v, "colorId"));
    assert_null(value_at(v, "transparency"));
    as(ADA, "PUT", EVENTS "/abcde", "{'summary':'x'}");
    assert_refused(400, "required");
}

static void another_time_raises_the_sequence_and_another_text_does_not(void **state)
{
    make_event("abcde", "");
    const struct json *v = as(ADA, "PATCH", EVENTS "/abcde", "{'summary':'x','location':'y'}");
    assert_int_equal(number_at(v, "sequence"), 0);
    v = as(ADA, "PATCH", EVENTS "/abcde", "{'end':{'dateTime':'2026-11-24T12:00:00+01:00'}}");
    assert_int_equal(number_at(v, "sequence"), 1);
    as(ADA, "PUT", EVENTS "/abcde",
       "{'sequence':0,'start':{'date':'2026-11-24'},'end':{'date':'2026-11-25'}}");
    assert_refused(400, "invalid");
    assert_non_null(strstr(test_body, "Invalid sequence value."));
}

static void a_stale_etag_is_refused(void **state)
{
    const struct json *v = make_event("abcde", "");
    const char *etag = text_at(v, "etag");
    as(ADA, "PATCH", EVENTS "/abcde", "{'summary':'x'}");
    as_if(ADA, etag, "PATCH", EVENTS "/abcde", "{'summary':'y'}");
    assert_refused(412, "conditionNotMet");
    as_if(ADA, etag, "DELETE", EVENTS "/abcde", NULL);
    assert_refused(412, "conditionNotMet");
    v = as(ADA, "GET", EVENTS "/abcde", NULL);
    as_if(ADA, text_at(v, "etag"), "PATCH", EVENTS "/abcde", "{'summary':'z'}");
    assert_int_equal(test_status, 200);
}

static void a_deleted_event_is_still_told_as_cancelled(void **state)
{
    make_event("abcde", "");
    as(ADA, "DELETE", EVENTS "/abcde", NULL);
    assert_int_equal(test_status, 204);
    assert_string_equal(test_body, "");
    const struct json *v = as(ADA, "GET", EVENTS "/abcde", NULL);
    assert_int_equal(test_status, 200);
    assert_string_equal(text_at(v, "status"), "cancelled");
    as(ADA, "DELETE", EVENTS "/abcde", NULL);
    assert_refused(410, "deleted");
}

static void a_cancelled_event_can_be_confirmed_again(void **state)
{
    make_event("abcde", "");
    as(ADA, "PATCH", EVENTS "/abcde", "{'status':'cancelled'}");
    const struct json *v = as(ADA, "GET", EVENTS, NULL);
    assert_int_equal(count_at(v, "items"), 0);
    v = as(ADA, "PATCH", EVENTS "/abcde", "{'status':'confirmed'}");
    assert_string_equal(text_at(v, "status"), "confirmed");
    v = as(ADA, "GET", EVENTS, NULL);
    assert_int_equal(count_at(v, "items"), 1);
}

static void what_is_not_there_is_not_found(void **state)
{
    as(ADA, "GET", EVENTS "/nothing", NULL);
    assert_refused(404, "notFound");
    as(ADA, "GET", "/calendars/nobody@acme.example/events/abcde", NULL);
    assert_refused(404, "notFound");
    as(ADA, "PATCH", EVENTS "/nothing", "{}");
    assert_refused(404, "notFound");
}

static void a_patch_between_dates_and_times_must_take_the_other_form_away(void **state)
{
    make_event("abcde", "");
    as(ADA, "PATCH", EVENTS "/abcde",
       "{'start':{'date':'2026-11-24'},'end':{'date':'2026-11-25'}}");
    assert_refused(400, "invalid");
    assert_non_null(strstr(test_body, "Invalid start time."));
    as(ADA, "PATCH", EVENTS "/abcde", "{'end':{'date':'2026-11-25'}}");
    assert_refused(400, "invalid");
    assert_non_null(strstr(test_body, "Invalid end time."));
    const struct json *v = as(ADA, "PATCH", EVENTS "/abcde",
                              "{'start':{'date':'2026-11-24','dateTime':null},"
                              "'end':{'date':'2026-11-25','dateTime':null}}");
    assert_int_equal(test_status, 200);
    assert_string_equal(text_at(v, "start.date"), "2026-11-24");
}

static void reminders_are_the_calendars_or_the_events_own(void **state)
{
    const struct json *v = make_event(
        "abcde", "'reminders':{'useDefault':false,'overrides':[{'method':'popup','minutes':15}]}");
    assert_false(true_at(v, "reminders.useDefault"));
    assert_int_equal(number_at(v, "reminders.overrides.0.minutes"), 15);
    as(ADA, "PATCH", EVENTS "/abcde",
       "{'reminders':{'useDefault':true,'overrides':[{'method':'popup','minutes':15}]}}");
    assert_refused(400, "cannotUseDefaultRemindersAndSpecifyOverride");
    v = as(ADA, "PATCH", EVENTS "/abcde", "{'reminders':{'useDefault':true}}");
    assert_true(true_at(v, "reminders.useDefault"));
    assert_null(value_at(v, "reminders.overrides"));
    as(ADA, "PATCH", EVENTS "/abcde",
       "{'reminders':{'useDefault':false,'overrides':[{'method':'popup','minutes':40321}]}}");
    assert_refused(400, "invalid");
}

static void other_reminders_are_no_update(void **state)
{
    const struct json *v = make_event("abcde", "");
    const char *updated = text_at(v, "updated"), *etag = text_at(v, "etag");
    test_advance(60);
    v = as(ADA, "PATCH", EVENTS "/abcde", "{'reminders':{'useDefault':false}}");
    assert_string_equal(text_at(v, "updated"), updated);
    assert_string_equal(text_at(v, "etag"), etag);
}

static void extended_properties_are_merged_by_a_patch_and_replaced_by_an_update(void **state)
{
    make_event("abcde", "'extendedProperties':{'private':{'a':'1','b':'2'},'shared':{'c':'3'}}");
    const struct json *v =
        as(ADA, "PATCH", EVENTS "/abcde", "{'extendedProperties':{'private':{'a':null,'d':'4'}}}");
    assert_null(value_at(v, "extendedProperties.private.a"));
    assert_string_equal(text_at(v, "extendedProperties.private.b"), "2");
    assert_string_equal(text_at(v, "extendedProperties.private.d"), "4");
    assert_string_equal(text_at(v, "extendedProperties.shared.c"), "3");
    v = as(ADA, "PUT", EVENTS "/abcde",
           "{'start':{'date':'2026-11-24'},'end':{'date':'2026-11-25'},"
           "'extendedProperties':{'private':{'e':'5'}}}");
    assert_int_equal(count_at(v, "extendedProperties.private"), 1);
    assert_null(value_at(v, "extendedProperties.shared"));
}

static void long_property_keys_are_dropped_and_long_values_cut(void **state)
{
    char body[2400] = "'extendedProperties':{'private':{'"
                      "0123456789012345678901234567890123456789abcde':'x','k':'";
    size_t n = strlen(body);
    memset(body + n, 'v', 1500);
    strcpy(body + n + 1500, "'}}");
    const struct json *v = make_event("abcde", body);
    assert_int_equal(count_at(v, "extendedProperties.private"), 1);
    assert_int_equal(strlen(text_at(v, "extendedProperties.private.k")), 1024);
}

static void attachments_change_only_when_they_are_supported(void **state)
{
    const struct json *v = make_event("abcde", "'attachments':[{'fileUrl':'https://x/'}]");
    assert_null(value_at(v, "attachments"));
    v = as(ADA, "PATCH", EVENTS "/abcde?supportsAttachments=true",
           "{'attachments':[{'fileUrl':'https://x/','title':'X'}]}");
    assert_string_equal(text_at(v, "attachments.0.title"), "X");
    v = as(ADA, "PATCH", EVENTS "/abcde", "{'attachments':[]}");
    assert_int_equal(count_at(v, "attachments"), 1);
}

static void a_conference_is_made_in_the_answer_unless_the_world_says_later(void **state)
{
    static const char request[] =
        "{'id':'abcde','start':{'date':'2026-11-24'},'end':{'date':'2026-11-25'},"
        "'conferenceData':{'createRequest':{'requestId':'r',"
        "'conferenceSolutionKey':{'type':'hangoutsMeet'}}}}";
    const struct json *v = as(ADA, "POST", EVENTS "?conferenceDataVersion=1", request);
    assert_string_equal(text_at(v, "conferenceData.createRequest.status.statusCode"), "success");
    assert_string_equal(text_at(v, "conferenceData.entryPoints.0.uri"), text_at(v, "hangoutLink"));
    assert_string_equal(text_at(v, "created"), text_at(v, "updated"));
    gcal_choose("conference: pending");
    v = as(ADA, "POST", EVENTS "?conferenceDataVersion=1", request);
    assert_string_equal(text_at(v, "conferenceData.createRequest.status.statusCode"), "pending");
    assert_string_equal(text_at(test_dump(), "googleCalendar.conference"), "pending");
}

static void a_conference_that_is_pending_is_made_before_the_next_call(void **state)
{
    gcal_choose("conference: pending");
    const struct json *v =
        as(ADA, "POST", EVENTS "?conferenceDataVersion=1",
           "{'id':'abcde','start':{'date':'2026-11-24'},'end':{'date':'2026-11-25'},"
           "'conferenceData':{'createRequest':{'requestId':'r',"
           "'conferenceSolutionKey':{'type':'hangoutsMeet'}}}}");
    assert_string_equal(text_at(v, "conferenceData.createRequest.status.statusCode"), "pending");
    assert_null(value_at(v, "hangoutLink"));
    v = as(ADA, "GET", EVENTS "/abcde", NULL);
    assert_string_equal(text_at(v, "conferenceData.createRequest.status.statusCode"), "success");
    const char *link = text_at(v, "hangoutLink");
    assert_int_equal(strncmp(link, "https://meet.google.com/", 24), 0);
    assert_string_equal(text_at(v, "conferenceData.entryPoints.0.uri"), link);
    /* The same request again makes no other one. */
    v = as(ADA, "PATCH", EVENTS "/abcde?conferenceDataVersion=1",
           "{'conferenceData':{'createRequest':{'requestId':'r','conferenceSolutionKey':{'type':'"
           "hangoutsMeet'}}}}");
    assert_string_equal(text_at(v, "hangoutLink"), link);
    v = as(ADA, "PATCH", EVENTS "/abcde", "{'conferenceData':null}");
    assert_string_equal(text_at(v, "hangoutLink"), link);
    v = as(ADA, "PATCH", EVENTS "/abcde?conferenceDataVersion=1", "{'conferenceData':null}");
    assert_null(value_at(v, "hangoutLink"));
}

static void focus_time_must_be_timed_and_on_the_primary_calendar(void **state)
{
    as(ADA, "POST", EVENTS,
       "{'eventType':'focusTime','focusTimeProperties':{},'start':{'date':'2026-11-24'},'end':{'"
       "date':'2026-11-25'}}");
    assert_refused(400, "malformedFocusTimeEvent");
    const struct json *v = make_event(
        "abcde", "'eventType':'focusTime','focusTimeProperties':{'chatStatus':'doNotDisturb'}");
    assert_string_equal(text_at(v, "eventType"), "focusTime");
    assert_string_equal(text_at(v, "focusTimeProperties.chatStatus"), "doNotDisturb");
    as(ADA, "PATCH", EVENTS "/abcde", "{'eventType':'default'}");
    assert_refused(400, "eventTypeRestriction");
    v = as(ADA, "POST", "/calendars", "{'summary':'Second'}");
    char target[200] = "/calendars/";
    strcat(strcat(target, text_at(v, "id")), "/events");
    as(ADA, "POST", target,
       "{'eventType':'outOfOffice','start':{'dateTime':'2026-11-24T10:00:00Z'},'end':{'dateTime':'"
       "2026-11-24T11:00:00Z'}}");
    assert_refused(400, "eventTypeRestriction");
    as(ADA, "POST", EVENTS,
       "{'eventType':'fromGmail','start':{'date':'2026-11-24'},'end':{'date':'2026-11-25'}}");
    assert_refused(400, "eventTypeRestriction");
}

static void an_all_day_working_location_lasts_one_day(void **state)
{
    as(ADA, "POST", EVENTS,
       "{'eventType':'workingLocation','visibility':'public','transparency':'transparent',"
       "'workingLocationProperties':{'type':'homeOffice','homeOffice':{}},"
       "'start':{'date':'2026-11-24'},'end':{'date':'2026-11-26'}}");
    assert_refused(400, "malformedWorkingLocationEvent");
    as(ADA, "POST", EVENTS,
       "{'eventType':'workingLocation','visibility':'public','transparency':'transparent',"
       "'workingLocationProperties':{'type':'homeOffice','homeOffice':{}},"
       "'start':{'date':'2026-11-24'},'end':{'date':'2026-11-25'}}");
    assert_int_equal(test_status, 200);
}

static void bots_have_no_calendar(void **state)
{
    as("bot@acme.example", "GET", EVENTS, NULL);
    assert_refused(403, "notACalendarUser");
}

static void a_service_account_invites_nobody(void **state)
{
    as("svc@acme.example", "POST", EVENTS,
       "{'start':{'date':'2026-11-24'},'end':{'date':'2026-11-25'},'attendees':[{'email':'bob@acme."
       "example'}]}");
    assert_refused(403, "forbiddenForServiceAccounts");
}

static void the_source_is_shown_to_the_creator_alone(void **state)
{
    make_event(
        "abcde",
        "'source':{'title':'T','url':'https://x/'},'attendees':[{'email':'bob@acme.example'}]");
    const struct json *v = as(ADA, "GET", EVENTS "/abcde", NULL);
    assert_string_equal(text_at(v, "source.title"), "T");
    v = as(BOB, "GET", EVENTS "/abcde", NULL);
    assert_null(value_at(v, "source"));
}

static void a_link_names_event_and_calendar(void **state)
{
    const struct json *v = make_event("abcde", "");
    /* base64url of "abcde ada@acme.example" */
    assert_string_equal(text_at(v, "htmlLink"),
                        "https://www.google.com/calendar/event?eid=YWJjZGUgYWRhQGFjbWUuZXhhbXBsZQ");
}

static void a_body_that_is_none_is_refused(void **state)
{
    as(ADA, "POST", EVENTS, "{'summary':");
    assert_int_equal(test_status, 400);
    as(ADA, "POST", EVENTS, "[]");
    assert_refused(400, "badRequest");
    as(ADA, "POST", EVENTS,
       "{'summary':[7],'start':{'date':'2026-11-24'},'end':{'date':'2026-11-25'}}");
    assert_refused(400, "badRequest");
    as(ADA, "POST", EVENTS, "{'start':'2026-11-24','end':{'date':'2026-11-25'}}");
    assert_refused(400, "badRequest");
    as(ADA, "POST", EVENTS, "{'start':{'date':'0000-01-01'},'end':{'date':'2026-11-25'}}");
    assert_refused(400, "badRequest");
    const struct json *v =
        as(ADA, "POST", EVENTS, "{'start':{'date':'0001-01-01'},'end':{'date':'9999-12-31'}}");
    assert_string_equal(text_at(v, "end.date"), "9999-12-31");
}

static void a_deleted_event_takes_no_change_that_does_not_restore_it(void **state)
{
    make_event("abcde", "");
    as(ADA, "DELETE", EVENTS "/abcde", NULL);
    as(ADA, "PUT", EVENTS "/abcde",
       "{'summary':'Again','start':{'date':'2026-11-24'},'end':{'date':'2026-11-25'}}");
    assert_refused(403, "forbidden");
    as(ADA, "PATCH", EVENTS "/abcde", "{'summary':'Again'}");
    assert_refused(403, "forbidden");
    const struct json *v = as(ADA, "PUT", EVENTS "/abcde",
                              "{'summary':'Again','status':'confirmed','start':{'date':'2026-11-24'"
                              "},'end':{'date':'2026-11-25'}}");
    assert_string_equal(text_at(v, "status"), "confirmed");
    assert_string_equal(text_at(v, "summary"), "Again");
}

/* The text of a refusal. */
static void assert_said(const char *message)
{
    assert_non_null(strstr(test_body, message));
}

#define TIMES                                                                                      \
    "'start':{'dateTime':'2026-11-24T10:00:00Z'},'end':{'dateTime':'2026-11-24T11:00:00Z'}"
#define DAY "'start':{'date':'2026-11-24'},'end':{'date':'2026-11-25'}"

static void properties_of_a_kind_belong_to_that_kind(void **state)
{
    as(ADA, "POST", EVENTS, "{'eventType':'focusTime'," TIMES "}");
    assert_refused(400, "malformedFocusTimeEvent");
    assert_said("focusTimeProperties requires an event type of focusTime, and vice versa.");
    as(ADA, "POST", EVENTS, "{'eventType':'outOfOffice'," TIMES "}");
    assert_refused(400, "malformedOutOfOfficeEvent");
    as(ADA, "POST", EVENTS,
       "{'eventType':'workingLocation','visibility':'public','transparency':'transparent'," DAY
       "}");
    assert_refused(400, "malformedWorkingLocationEvent");
    as(ADA, "POST", EVENTS, "{'outOfOfficeProperties':{}," TIMES "}");
    assert_refused(400, "malformedOutOfOfficeEvent");
    as(ADA, "POST", EVENTS, "{'eventType':'focusTime','workingLocationProperties':{}," TIMES "}");
    assert_refused(400, "malformedWorkingLocationEvent");
    make_event("abcde", "");
    as(ADA, "PATCH", EVENTS "/abcde", "{'focusTimeProperties':{}}");
    assert_refused(400, "malformedFocusTimeEvent");
    as(ADA, "PATCH", EVENTS "/abcde", "{'focusTimeProperties':null}");
    assert_int_equal(test_status, 200);
}

static void a_time_of_absence_has_neither_text_nor_guests(void **state)
{
    static const char *const more[][2] = {
        {"'description':'x'", "An out of office event must not have a description."},
        {"'location':'x'", "An out of office event must not have a location."},
        {"'attendees':[{'email':'bob@acme.example'}]",
         "An out of office event must not have attendees."},
        {"'transparency':'transparent'",
         "An out of office event must have a transparency setting of opaque."},
    };
    char body[400];
    for (size_t i = 0; i < sizeof more / sizeof *more; i++) {
        snprintf(body, sizeof body,
                 "{'eventType':'outOfOffice','outOfOfficeProperties':{}," TIMES ",%s}", more[i][0]);
        as(ADA, "POST", EVENTS, body);
        assert_refused(400, "malformedOutOfOfficeEvent");
        assert_said(more[i][1]);
    }
    as(ADA, "POST", EVENTS, "{'eventType':'outOfOffice','outOfOfficeProperties':{}," DAY "}");
    assert_said("An out of office event must not be an all-day event.");
    as(ADA, "POST", EVENTS,
       "{'eventType':'workingLocation','workingLocationProperties':{}," DAY "}");
    assert_said("A working location event must have a visibility setting of public.");
    as(ADA, "POST", EVENTS,
       "{'eventType':'workingLocation','workingLocationProperties':{},'visibility':'public'," DAY
       "}");
    assert_said("A working location event must have a transparency setting of transparent.");
    as(ADA, "POST", EVENTS,
       "{'eventType':'focusTime','focusTimeProperties':{},'description':'x','location':'y'," TIMES
       "}");
    assert_int_equal(test_status, 200);
    as(ADA, "POST", EVENTS "?conferenceDataVersion=1",
       "{'eventType':'focusTime','focusTimeProperties':{},'conferenceData':{'createRequest':{"
       "'requestId':'r'}}," TIMES "}");
    assert_refused(400, "malformedFocusTimeEvent");
}

/* n properties whose names begin with this. */
static char *add_properties(char *p, const char *name, int n, size_t len)
{
    p = stpcpy(p, "{");
    for (int i = 0; i < n; i++) {
        p += sprintf(p, "%s'%s%d':'", i ? "," : "", name, i);
        memset(p, 'v', len);
        p = stpcpy(p + len, "'");
    }
    return stpcpy(p, "}");
}

static void insert_properties(const char *id, int own, int shared, size_t len)
{
    static char body[200000];
    char *p = body + sprintf(body,
                             "{'id':'%s','attendees':[{'email':'bob@acme.example'}]," TIMES
                             ",'extendedProperties':{'private':",
                             id);
    p = stpcpy(add_properties(p, "p", own, len), ",'shared':");
    stpcpy(add_properties(p, "s", shared, len), "}}");
    as(ADA, "POST", EVENTS, body);
}

static void properties_of_all_kinds_and_copies_count_together(void **state)
{
    insert_properties("aaaaa", 150, 151, 1);
    assert_refused(400, "invalid");
    insert_properties("bbbbb", 20, 20, 1024);
    assert_refused(400, "invalid");
    insert_properties("ccccc", 150, 149, 1);
    assert_int_equal(test_status, 200);
    as(BOB, "PATCH", EVENTS "/ccccc", "{'extendedProperties':{'private':{'a':'1'}}}");
    assert_int_equal(test_status, 200);
    as(BOB, "PATCH", EVENTS "/ccccc", "{'extendedProperties':{'private':{'b':'1'}}}");
    assert_refused(400, "invalid");
    as(ADA, "PATCH", EVENTS "/ccccc", "{'extendedProperties':{'private':{'one':'1'}}}");
    assert_refused(400, "invalid");
    as(BOB, "PATCH", EVENTS "/ccccc", "{'summary':'other'}");
    assert_int_equal(test_status, 200);
}

static void a_sentence_becomes_an_event(void **state)
{
    test_use(
        "{\"sosia\":1,\"time\":\"2026-11-23T08:00:00Z\",\"people\":["
        "{\"email\":\"ada@acme.example\",\"name\":\"Ada\",\"zone\":\"Europe/Rome\"},"
        "{\"email\":\"bob@acme.example\",\"name\":\"Bob\",\"zone\":\"America/New_York\"}],"
        "\"calendarSettings\":[{\"person\":\"bob@acme.example\",\"defaultEventLength\":\"30\"}]}");
    const struct json *v =
        as(ADA, "POST", EVENTS "/quickAdd?text=Quick+meeting+test+tomorrow+at+3pm", NULL);
    assert_int_equal(test_status, 200);
    assert_string_equal(text_at(v, "summary"), "Quick meeting test");
    assert_string_equal(text_at(v, "start.dateTime"), "2026-11-24T15:00:00+01:00");
    assert_string_equal(text_at(v, "start.timeZone"), "Europe/Rome");
    assert_string_equal(text_at(v, "end.dateTime"), "2026-11-24T16:00:00+01:00");
    assert_true(true_at(v, "creator.self") && true_at(v, "organizer.self"));
    assert_true(true_at(v, "reminders.useDefault"));
    assert_int_equal(number_at(v, "sequence"), 0);
    assert_int_equal(count_at(as(ADA, "GET", EVENTS, NULL), "items"), 1);
    v = as(ADA, "POST", EVENTS "/quickAdd?text=Fair%2025%20November", NULL);
    assert_string_equal(text_at(v, "start.date"), "2026-11-25");
    assert_false(true_at(v, "reminders.useDefault"));
    v = as(BOB, "POST", EVENTS "/quickAdd?text=Call%20at%209am%20every%20Tuesday", NULL);
    assert_string_equal(text_at(v, "recurrence.0"), "RRULE:FREQ=WEEKLY;BYDAY=TU");
    assert_string_equal(text_at(v, "end.dateTime"), "2026-11-24T09:30:00-05:00");
    as(ADA, "POST", EVENTS "/quickAdd", NULL);
    assert_refused(400, "required");
    as(BOB, "POST", "/calendars/ada@acme.example/events/quickAdd?text=x", NULL);
    assert_refused(404, "notFound");
    as(ADA, "POST", "/calendars/primary/acl",
       "{'role':'reader','scope':{'type':'user','value':'bob@acme.example'}}");
    as(BOB, "POST", "/calendars/ada@acme.example/events/quickAdd?text=x", NULL);
    assert_refused(403, "requiredAccessLevel");
    as(ADA, "POST", "/calendars/primary/acl",
       "{'role':'writer','scope':{'type':'user','value':'bob@acme.example'}}");
    v = as(BOB, "POST", "/calendars/ada@acme.example/events/quickAdd?text=Tea%20at%204pm", NULL);
    assert_string_equal(text_at(v, "creator.email"), BOB);
    assert_string_equal(text_at(v, "start.dateTime"), "2026-11-23T16:00:00+01:00");
}

static void a_birthday_is_a_private_day_of_every_year(void **state)
{
    const struct json *v = as(ADA, "POST", EVENTS,
                              "{'id':'abcde','summary':'Bob','eventType':'birthday'," DAY
                              ",'recurrence':['RRULE:FREQ=YEARLY']}");
    assert_int_equal(test_status, 200);
    assert_string_equal(text_at(v, "visibility"), "private");
    assert_string_equal(text_at(v, "transparency"), "transparent");
    as(ADA, "PATCH", EVENTS "/abcde", "{'summary':'Bob is 40','colorId':'4'}");
    assert_int_equal(test_status, 200);
    as(ADA, "PATCH", EVENTS "/abcde", "{'description':'x'}");
    assert_refused(400, "eventTypeRestriction");
    as(ADA, "PATCH", EVENTS "/abcde", "{'recurrence':null}");
    assert_refused(400, "eventTypeRestriction");
    static const char *const wrong[] = {"", ",'recurrence':['RRULE:FREQ=DAILY']",
                                        ",'recurrence':['RRULE:FREQ=YEARLY'],'visibility':'public'",
                                        ",'recurrence':['RRULE:FREQ=YEARLY'],'location':'x'",
                                        ",'recurrence':['RRULE:FREQ=YEARLY'],'transparency':"
                                        "'opaque'"};
    char body[400];
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        snprintf(body, sizeof body, "{'eventType':'birthday'," DAY "%s}", wrong[i]);
        as(ADA, "POST", EVENTS, body);
        assert_refused(400, "malformedBirthdayEvent");
    }
}

/* The rest of an answer from a member on, without blanks and line ends. */
static const char *tight(const char *from)
{
    static char out[2000];
    char *p = out;
    const char *at = strstr(test_body, from);
    assert_non_null(at);
    for (; *at && p < out + sizeof out - 1; at++)
        if (*at != ' ' && *at != '\n')
            *p++ = *at;
    *p = 0;
    return out;
}

#define assert_told(text) assert_memory_equal(tight(from), text, strlen(text))

static void objects_are_told_in_the_services_order_without_unknown_members(void **state)
{
    const char *from = "\"source\"";
    make_event("abcde",
               "'source':{'title':'T','x':1,'url':'https://a.example/'},"
               "'gadget':{'title':'G','preferences':{'b':'1','a':'2'},'type':'t','height':3}");
    assert_told("\"source\":{\"url\":\"https://a.example/\",\"title\":\"T\"},");
    from = "\"gadget\"";
    assert_told("\"gadget\":{\"type\":\"t\",\"title\":\"G\",\"height\":3,"
                "\"preferences\":{\"b\":\"1\",\"a\":\"2\"}},");
    as(ADA, "POST", EVENTS "?supportsAttachments=true",
       "{" TIMES ",'attachments':[{'title':'Plan','fileId':'made-up','junk':{},"
       "'fileUrl':'https://docs.google.com/document/d/1aB-c_9/edit?usp=x'},"
       "{'fileUrl':'https://drive.google.com/open?id=77x&authuser=0'},"
       "{'fileUrl':'https://elsewhere.example/d/1','iconLink':'https://i.example/'}]}");
    from = "\"attachments\"";
    assert_told("\"attachments\":[{\"fileUrl\":\"https://docs.google.com/document/d/1aB-c_9/"
                "edit?usp=x\",\"title\":\"Plan\",\"fileId\":\"1aB-c_9\"},"
                "{\"fileUrl\":\"https://drive.google.com/open?id=77x&authuser=0\",\"fileId\":"
                "\"77x\"},{\"fileUrl\":\"https://elsewhere.example/d/1\",\"iconLink\":"
                "\"https://i.example/\"}]");
    as(ADA, "POST", EVENTS,
       "{'eventType':'workingLocation','visibility':'public','transparency':'transparent'," DAY
       ",'workingLocationProperties':{'customLocation':{'label':'no'},'officeLocation':"
       "{'label':'Pier','buildingId':'B','x':1},'type':'officeLocation'}}");
    from = "\"workingLocationProperties\"";
    assert_told("\"workingLocationProperties\":{\"type\":\"officeLocation\",\"officeLocation\":"
                "{\"buildingId\":\"B\",\"label\":\"Pier\"}}");
}

static void a_conference_is_told_in_the_services_order(void **state)
{
    const char *from = "\"hangoutLink\"";
    as(ADA, "POST", EVENTS "?conferenceDataVersion=1",
       "{'id':'abcde'," TIMES ",'conferenceData':{'notes':'N','conferenceId':'abc-defg-hij','x':1,"
       "'conferenceSolution':{'name':'Google Meet','key':{'type':'hangoutsMeet'}},"
       "'entryPoints':[{'uri':'https://meet.google.com/abc-defg-hij','entryPointType':'video',"
       "'y':2}]}}");
    assert_told("\"hangoutLink\":\"https://meet.google.com/abc-defg-hij\",\"conferenceData\":{"
                "\"entryPoints\":[{\"entryPointType\":\"video\",\"uri\":"
                "\"https://meet.google.com/abc-defg-hij\"}],\"conferenceSolution\":{\"key\":{"
                "\"type\":\"hangoutsMeet\"},\"name\":\"GoogleMeet\"},\"conferenceId\":"
                "\"abc-defg-hij\",\"notes\":\"N\"}");
    const struct json *v = as(ADA, "PATCH", EVENTS "/abcde?conferenceDataVersion=1",
                              "{'conferenceData':{'conferenceId':'z','entryPoints':"
                              "[{'entryPointType':'video','uri':'https://z.example/1'}]}}");
    assert_null(value_at(v, "hangoutLink"));
    assert_string_equal(text_at(v, "conferenceData.notes"), "N");
    assert_string_equal(text_at(v, "conferenceData.conferenceId"), "z");
}

static void objects_of_another_shape_are_refused(void **state)
{
    static const char *const bad[] = {
        "'source':{'url':'https://a.example/','title':{}}",
        "'gadget':{'width':'wide'}",
        "'gadget':{'preferences':{'a':[]}}",
        "'gadget':[]",
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char body[400];
        snprintf(body, sizeof body, "{" TIMES ",%s}", bad[i]);
        as(ADA, "POST", EVENTS, body);
        assert_refused(400, "badRequest");
    }
    as(ADA, "POST", EVENTS "?conferenceDataVersion=1",
       "{" TIMES ",'conferenceData':{'entryPoints':[{'entryPointType':'pigeon'}]}}");
    assert_refused(400, "invalid");
    as(ADA, "POST", EVENTS "?conferenceDataVersion=1",
       "{" TIMES ",'conferenceData':{'entryPoints':['https://x.example']}}");
    assert_refused(400, "badRequest");
    as(ADA, "POST", EVENTS "?supportsAttachments=true",
       "{" TIMES ",'attachments':[{'fileUrl':'https://x.example','title':[]}]}");
    assert_refused(400, "badRequest");
    as(ADA, "POST", EVENTS,
       "{'eventType':'focusTime'," TIMES ",'focusTimeProperties':{'chatStatus':'asleep'}}");
    assert_refused(400, "invalid");
    as(ADA, "POST", EVENTS,
       "{'eventType':'workingLocation','visibility':'public','transparency':'transparent'," DAY
       ",'workingLocationProperties':{'homeOffice':{}}}");
    assert_refused(400, "malformedWorkingLocationEvent");
}

static void a_patch_goes_into_objects(void **state)
{
    make_event("abcde", "'source':{'title':'T','url':'https://a.example/'}");
    const struct json *v = as(ADA, "PATCH", EVENTS "/abcde", "{'source':{'title':'U'}}");
    assert_string_equal(text_at(v, "source.url"), "https://a.example/");
    assert_string_equal(text_at(v, "source.title"), "U");
    v = as(ADA, "PATCH", EVENTS "/abcde", "{'source':{'title':null}}");
    assert_null(value_at(v, "source.title"));
    as(ADA, "PATCH", EVENTS "/abcde", "{'source':{'url':null}}");
    assert_refused(400, "invalid");
    v = as(ADA, "PATCH", EVENTS "/abcde", "{'source':null}");
    assert_null(value_at(v, "source"));
}

static void a_birthday_says_of_what_type_it_is(void **state)
{
#define BIRTHDAY                                                                                   \
    "{'eventType':'birthday','start':{'date':'2026-11-24'},'end':{'date':'2026-11-25'},"           \
    "'recurrence':['RRULE:FREQ=YEARLY'],'visibility':'private','transparency':'transparent'"
    const struct json *v = as(ADA, "POST", EVENTS, BIRTHDAY "}");
    assert_string_equal(text_at(v, "birthdayProperties.type"), "birthday");
    v = as(ADA, "POST", EVENTS, BIRTHDAY ",'birthdayProperties':{'contact':'people/c1'}}");
    assert_string_equal(text_at(v, "birthdayProperties.type"), "birthday");
    assert_null(value_at(v, "birthdayProperties.contact"));
    as(ADA, "POST", EVENTS, BIRTHDAY ",'birthdayProperties':{'type':'anniversary'}}");
    assert_refused(400, "malformedBirthdayEvent");
}

static void a_patch_of_a_conference_that_a_seed_made_up(void **state)
{
    static const char *const points[] = {"{uri: 1}", "{a: {uri: https://meet.google.com/a}}",
                                         "[{uri: 7}, 5, {uri: [1]}]", "text"};
    for (size_t i = 0; i < SOSIA_LEN(points); i++) {
        test_use(arena_printf(
            &test_arena,
            "sosia: 1\ntime: 2026-11-23T08:00:00Z\n"
            "organizations: [{domain: acme.example, name: Acme}]\n"
            "people: [{email: ada@acme.example, name: Ada}]\n"
            "calendars:\n  - id: ada@acme.example\n    events:\n"
            "      - {id: abcde, start: 2026-11-24, extra: {conferenceData: {entryPoints: %s}}}\n",
            points[i]));
        const struct json *v = as(ADA, "PATCH", EVENTS "/abcde?conferenceDataVersion=1",
                                  "{'conferenceData':{'notes':'N'}}");
        assert_int_equal(test_status, 200);
        assert_null(value_at(v, "hangoutLink"));
    }
}

static void an_attachment_says_what_its_file_is_to_who_may_see_it(void **state)
{
    (void)state;
    test_use(
        "sosia: 1\n"
        "time: 2026-11-23T08:00:00Z\n"
        "people: [{email: ada@acme.example, name: Ada}, {email: bob@acme.example, name: Bob}]\n"
        "files:\n"
        "  - {id: plan, owner: ada@acme.example, name: Plan, type: document}\n"
        "  - {id: pic, owner: ada@acme.example, name: Pic, mime: image/png, content: x, "
        "permissions: [{person: bob@acme.example, role: reader}]}\n");
    static const char body[] =
        "{" TIMES ",'attachments':[{'fileUrl':'https://docs.google.com/document/d/plan/edit'},"
        "{'fileUrl':'https://drive.google.com/open?id=pic','title':'Mine'},"
        "{'fileUrl':'https://drive.google.com/file/d/gone/view'}]}";
    const struct json *v = as(ADA, "POST", EVENTS "?supportsAttachments=true", body);
    assert_string_equal(members(v, "attachments.0"), "fileUrl title mimeType iconLink fileId");
    assert_string_equal(text_at(v, "attachments.0.title"), "Plan");
    assert_string_equal(text_at(v, "attachments.0.mimeType"),
                        "application/vnd.google-apps.document");
    assert_string_equal(text_at(v, "attachments.1.title"), "Mine");
    assert_string_equal(text_at(v, "attachments.1.mimeType"), "image/png");
    assert_string_equal(members(v, "attachments.2"), "fileUrl fileId");
    /* Of Ada's own document Bob learns nothing. */
    v = as(BOB, "POST", EVENTS "?supportsAttachments=true", body);
    assert_string_equal(members(v, "attachments.0"), "fileUrl fileId");
    assert_string_equal(text_at(v, "attachments.1.mimeType"), "image/png");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        gcal_test(an_inserted_event_has_the_recorded_members_in_their_order),
        gcal_test(what_is_at_its_default_is_left_out),
        gcal_test(an_etag_is_twice_the_microseconds_of_the_change),
        gcal_test(ids_that_are_made_have_26_characters_of_base32hex),
        gcal_test(times_are_shown_in_the_calendars_offset_and_keep_their_zone),
        gcal_test(the_parameter_time_zone_changes_the_offsets_only),
        gcal_test(all_day_events_have_dates_and_no_default_reminders),
        gcal_test(start_and_end_must_be_there_and_fit),
        gcal_test(a_time_without_offset_needs_a_zone),
        gcal_test(ids_of_clients_are_checked_and_never_used_twice),
        gcal_test(a_uid_gives_the_id),
        gcal_test(a_patch_changes_what_it_names_and_null_clears),
        gcal_test(a_patch_that_changes_nothing_keeps_the_etag),
        gcal_test(an_update_resets_what_it_leaves_out),
        gcal_test(another_time_raises_the_sequence_and_another_text_does_not),
        gcal_test(a_stale_etag_is_refused),
        gcal_test(a_deleted_event_is_still_told_as_cancelled),
        gcal_test(a_cancelled_event_can_be_confirmed_again),
        gcal_test(what_is_not_there_is_not_found),
        gcal_test(a_patch_between_dates_and_times_must_take_the_other_form_away),
        gcal_test(reminders_are_the_calendars_or_the_events_own),
        gcal_test(other_reminders_are_no_update),
        gcal_test(extended_properties_are_merged_by_a_patch_and_replaced_by_an_update),
        gcal_test(long_property_keys_are_dropped_and_long_values_cut),
        gcal_test(attachments_change_only_when_they_are_supported),
        gcal_test(an_attachment_says_what_its_file_is_to_who_may_see_it),
        gcal_test(a_conference_is_made_in_the_answer_unless_the_world_says_later),
        gcal_test(a_conference_that_is_pending_is_made_before_the_next_call),
        gcal_test(focus_time_must_be_timed_and_on_the_primary_calendar),
        gcal_test(an_all_day_working_location_lasts_one_day),
        gcal_test(bots_have_no_calendar),
        gcal_test(a_service_account_invites_nobody),
        gcal_test(the_source_is_shown_to_the_creator_alone),
        gcal_test(a_link_names_event_and_calendar),
        gcal_test(a_body_that_is_none_is_refused),
        gcal_test(a_deleted_event_takes_no_change_that_does_not_restore_it),
        gcal_test(properties_of_a_kind_belong_to_that_kind),
        gcal_test(a_time_of_absence_has_neither_text_nor_guests),
        gcal_test(properties_of_all_kinds_and_copies_count_together),
        gcal_test(a_sentence_becomes_an_event),
        gcal_test(a_birthday_is_a_private_day_of_every_year),
        gcal_test(objects_are_told_in_the_services_order_without_unknown_members),
        gcal_test(a_conference_is_told_in_the_services_order),
        gcal_test(objects_of_another_shape_are_refused),
        gcal_test(a_patch_goes_into_objects),
        gcal_test(a_birthday_says_of_what_type_it_is),
        gcal_test(a_patch_of_a_conference_that_a_seed_made_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
