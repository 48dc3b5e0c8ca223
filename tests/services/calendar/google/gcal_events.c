/* SPDX-License-Identifier: Apache-2.0 */
/* Single events: what is stored, what is returned, what is refused. */
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

static void a_deleted_event_is_still_listed_as_cancelled(void **state)
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

/* Neither what there is nor what would be made: nobody would find it again. */
static void whose_account_is_of_another_vendor_has_no_calendar(void **state)
{
    test_use(
        "sosia: 1\n"
        "people: [{email: ada@acme.example, name: Ada}, {email: mia@acme.example, name: Mia}]\n"
        "accounts: [{actor: ada@acme.example, vendor: microsoft},\n"
        "  {actor: mia@acme.example, vendor: google, services: [mail]}]\n");
    static const char *const who[] = {ADA, "mia@acme.example"};
    for (size_t i = 0; i < SOSIA_LEN(who); i++) {
        as(who[i], "GET", "/users/me/calendarList", NULL);
        assert_refused(403, "notACalendarUser");
        as(who[i], "GET", EVENTS, NULL);
        assert_refused(403, "notACalendarUser");
        as(who[i], "POST", "/calendars", "{'summary':'Lost'}");
        assert_refused(403, "notACalendarUser");
    }
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
    assert_string_equal(text_at(v, "end.dateTime"), "2026-11-23T09:30:00-05:00"); /* a Monday */
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

static void addresses_in_a_sentence_are_guests(void **state)
{
    const struct json *v =
        as(ADA, "POST",
           EVENTS "/quickAdd?sendUpdates=all&text=Lunch%20with%20bob%40acme.example%20at%20noon",
           NULL);
    assert_int_equal(test_status, 200);
    assert_string_equal(text_at(v, "summary"), "Lunch with bob@acme.example");
    assert_string_equal(column(v, "attendees", "email"), BOB);
    assert_string_equal(text_at(v, "attendees.0.responseStatus"), "needsAction");
    const char *target = arena_printf(&test_arena, EVENTS "/%s", text_at(v, "id"));
    v = as(BOB, "GET", target, NULL);
    assert_int_equal(test_status, 200);
    assert_true(true_at(v, "attendees.0.self"));
}

static void quick_add_takes_weekdays_as_the_world_says(void **state)
{
#define QUICK                                                                                      \
    "sosia: 1\ntime: 2026-11-26T08:00:00Z\npeople:\n  - {email: ada@acme.example, zone: "          \
    "Europe/Rome}\n"
    test_use(QUICK);
    const struct json *v = as(ADA, "POST", EVENTS "/quickAdd?text=Tea%20on%20Tuesday%204pm", NULL);
    assert_string_equal(text_at(v, "start.dateTime"), "2026-11-24T16:00:00+01:00");
    v = as(ADA, "POST", EVENTS "/quickAdd?text=Tea%20every%20Tuesday%204pm", NULL);
    assert_string_equal(text_at(v, "start.dateTime"), "2026-11-26T16:00:00+01:00");
    v = as(ADA, "GET", EVENTS "?singleEvents=true&orderBy=startTime&maxResults=3", NULL);
    assert_string_equal(column(v, "items", "start.dateTime"),
                        "2026-11-24T16:00:00+01:00 2026-11-26T16:00:00+01:00 "
                        "2026-12-01T16:00:00+01:00");
    test_use(QUICK "googleCalendar: {quickAddWeekday: ahead, quickAddSeries: fromFirstMatch}\n");
    v = as(ADA, "POST", EVENTS "/quickAdd?text=Tea%20on%20Tuesday%204pm", NULL);
    assert_string_equal(text_at(v, "start.dateTime"), "2026-12-01T16:00:00+01:00");
    v = as(ADA, "POST", EVENTS "/quickAdd?text=Tea%20every%20Tuesday%204pm", NULL);
    assert_string_equal(text_at(v, "start.dateTime"), "2026-12-01T16:00:00+01:00");
    assert_string_equal(text_at(test_dump(), "googleCalendar.quickAddWeekday"), "ahead");
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
        gcal_test(a_deleted_event_is_still_listed_as_cancelled),
        gcal_test(a_cancelled_event_can_be_confirmed_again),
        gcal_test(what_is_not_there_is_not_found),
        gcal_test(a_patch_between_dates_and_times_must_take_the_other_form_away),
        gcal_test(whose_account_is_of_another_vendor_has_no_calendar),
        gcal_test(bots_have_no_calendar),
        gcal_test(a_service_account_invites_nobody),
        gcal_test(a_link_names_event_and_calendar),
        gcal_test(a_body_that_is_none_is_refused),
        gcal_test(a_deleted_event_takes_no_change_that_does_not_restore_it),
        gcal_test(a_sentence_becomes_an_event),
        gcal_test(addresses_in_a_sentence_are_guests),
        gcal_test(quick_add_takes_weekdays_as_the_world_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
