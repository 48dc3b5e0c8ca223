/* SPDX-License-Identifier: Apache-2.0 */
/* Series: their instances, those that differ, and what happens to them when the series changes. */
#include "tests/support/gcal.h"
#include <stdio.h>

#define EVENTS "/calendars/primary/events"

/* Mondays at ten in Rome, from 2026-11-23. */
static const struct json *make_series(const char *rule, const char *more)
{
    char body[1000];
    snprintf(body, sizeof body,
             "{'id':'serie','summary':'S','start':{'dateTime':'2026-11-23T10:00:00','timeZone':'"
             "Europe/Rome'},"
             "'end':{'dateTime':'2026-11-23T11:00:00','timeZone':'Europe/Rome'},"
             "'recurrence':[%s]%s%s}",
             rule, *more ? "," : "", more);
    const struct json *v = as(ADA, "POST", EVENTS, body);
    if (test_status != 200)
        fail_msg("%d %s", test_status, test_body);
    return v;
}

static void a_rule_is_shown_in_the_services_order(void **state)
{
    const struct json *v = make_series("'RRULE:BYDAY=MO;COUNT=3;FREQ=WEEKLY'", "");
    assert_string_equal(text_at(v, "recurrence.0"), "RRULE:FREQ=WEEKLY;COUNT=3;BYDAY=MO");
}

static void a_parameter_of_a_rule_may_have_colons(void **state)
{
    const struct json *v =
        make_series("'RRULE;X-NOTE=\\\"A:B\\\":BYDAY=MO;COUNT=2;FREQ=WEEKLY'", "");
    assert_string_equal(text_at(v, "recurrence.0"),
                        "RRULE;X-NOTE=\"A:B\":FREQ=WEEKLY;COUNT=2;BYDAY=MO");
    v = as(ADA, "GET", EVENTS "/serie/instances", NULL);
    assert_string_equal(column(v, "items", "id"), "serie_20261123T090000Z serie_20261130T090000Z");
}

static void instances_have_ids_of_their_original_start(void **state)
{
    make_series("'RRULE:FREQ=WEEKLY;COUNT=3'", "");
    const struct json *v = as(ADA, "GET", EVENTS "/serie/instances", NULL);
    assert_string_equal(column(v, "items", "id"),
                        "serie_20261123T090000Z serie_20261130T090000Z serie_20261207T090000Z");
    assert_string_equal(text_at(v, "items.1.recurringEventId"), "serie");
    assert_string_equal(text_at(v, "items.1.originalStartTime.dateTime"),
                        "2026-11-30T10:00:00+01:00");
    assert_null(value_at(v, "items.1.recurrence"));
    assert_string_equal(text_at(v, "items.1.iCalUID"), "serie@google.com");
    v = as(ADA, "GET", EVENTS "/serie_20261130T090000Z", NULL);
    assert_string_equal(text_at(v, "start.dateTime"), "2026-11-30T10:00:00+01:00");
    as(ADA, "GET", EVENTS "/serie_20261201T090000Z", NULL);
    assert_refused(404, "notFound");
}

static void all_day_instances_have_ids_of_their_date(void **state)
{
    as(ADA, "POST", EVENTS,
       "{'id':'serie','start':{'date':'2026-11-23'},'end':{'date':'2026-11-24'},'recurrence':['"
       "RRULE:FREQ=DAILY;COUNT=2']}");
    const struct json *v = as(ADA, "GET", EVENTS "/serie/instances", NULL);
    assert_string_equal(column(v, "items", "id"), "serie_20261123 serie_20261124");
    assert_string_equal(text_at(v, "items.1.originalStartTime.date"), "2026-11-24");
}

static void a_series_keeps_its_wall_clock_over_a_change_of_offset(void **state)
{
    as(ADA, "POST", EVENTS,
       "{'id':'serie','start':{'dateTime':'2027-03-27T10:00:00','timeZone':'Europe/Rome'},"
       "'end':{'dateTime':'2027-03-27T11:00:00','timeZone':'Europe/"
       "Rome'},'recurrence':['RRULE:FREQ=DAILY;COUNT=3']}");
    const struct json *v = as(ADA, "GET", EVENTS "/serie/instances", NULL);
    assert_string_equal(
        column(v, "items", "start.dateTime"),
        "2027-03-27T10:00:00+01:00 2027-03-28T10:00:00+02:00 2027-03-29T10:00:00+02:00");
}

static void rdate_and_exdate_add_and_take_away(void **state)
{
    make_series("'RRULE:FREQ=WEEKLY;COUNT=3','RDATE;TZID=Europe/Rome:20261125T100000',"
                "'EXDATE;TZID=Europe/Rome:20261130T100000'",
                "");
    const struct json *v = as(ADA, "GET", EVENTS "/serie/instances", NULL);
    assert_string_equal(
        column(v, "items", "start.dateTime"),
        "2026-11-23T10:00:00+01:00 2026-11-25T10:00:00+01:00 2026-12-07T10:00:00+01:00");
    v = as(ADA, "GET", EVENTS, NULL);
    assert_int_equal(count_at(v, "items"), 1);
}

static void a_rule_that_is_none_is_refused(void **state)
{
    static const char *const bad[] = {"'FREQ=DAILY'", "'RRULE:FREQ=NEVER'",
                                      "'DTSTART:20261123T100000Z'", "''",
                                      "'RRULE:FREQ=DAILY\\nRRULE:FREQ=DAILY'"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char body[400];
        snprintf(body, sizeof body,
                 "{'start':{'date':'2026-11-23'},'end':{'date':'2026-11-24'},'recurrence':[%s]}",
                 bad[i]);
        as(ADA, "POST", EVENTS, body);
        assert_refused(400, "invalid");
        assert_non_null(strstr(test_body, "Invalid recurrence rule."));
    }
}

static void a_timed_series_needs_a_zone(void **state)
{
    as(ADA, "POST", EVENTS,
       "{'start':{'dateTime':'2026-11-23T10:00:00Z'},'end':{'dateTime':'2026-11-23T11:00:00Z'},"
       "'recurrence':['RRULE:FREQ=DAILY;COUNT=2']}");
    assert_refused(400, "required");
}

static void the_list_holds_the_series_or_its_instances(void **state)
{
    make_series("'RRULE:FREQ=WEEKLY;COUNT=3'", "");
    const struct json *v = as(ADA, "GET", EVENTS, NULL);
    assert_string_equal(column(v, "items", "id"), "serie");
    v = as(ADA, "GET", EVENTS "?singleEvents=true", NULL);
    assert_int_equal(count_at(v, "items"), 3);
}

static void a_changed_instance_leaves_the_series_as_it_is(void **state)
{
    make_series("'RRULE:FREQ=WEEKLY;COUNT=3'", "");
    const struct json *v = as(ADA, "PATCH", EVENTS "/serie_20261130T090000Z",
                              "{'summary':'Other','start':{'dateTime':'2026-12-01T15:00:00+01:00'},"
                              "'end':{'dateTime':'2026-12-01T16:00:00+01:00'}}");
    assert_string_equal(text_at(v, "id"), "serie_20261130T090000Z");
    assert_string_equal(text_at(v, "originalStartTime.dateTime"), "2026-11-30T10:00:00+01:00");
    assert_int_equal(number_at(v, "sequence"), 1);
    v = as(ADA, "GET", EVENTS "/serie", NULL);
    assert_string_equal(text_at(v, "summary"), "S");
    assert_int_equal(number_at(v, "sequence"), 0);
    v = as(ADA, "GET", EVENTS "?singleEvents=true&orderBy=startTime", NULL);
    assert_string_equal(
        column(v, "items", "start.dateTime"),
        "2026-11-23T10:00:00+01:00 2026-12-01T15:00:00+01:00 2026-12-07T10:00:00+01:00");
    v = as(ADA, "GET", EVENTS, NULL);
    assert_string_equal(column(v, "items", "id"), "serie serie_20261130T090000Z");
}

static void all_of_a_series_has_one_etag(void **state)
{
    make_series("'RRULE:FREQ=WEEKLY;COUNT=3'", "");
    as(ADA, "PATCH", EVENTS "/serie_20261130T090000Z", "{'summary':'One'}");
    const struct json *v = as(ADA, "PATCH", EVENTS "/serie_20261207T090000Z", "{'summary':'Two'}");
    const char *etag = text_at(v, "etag");
    v = as(ADA, "GET", EVENTS, NULL);
    assert_int_equal(count_at(v, "items"), 3);
    for (int i = 0; i < 3; i++) {
        char path[20];
        snprintf(path, sizeof path, "items.%d.etag", i);
        assert_string_equal(text_at(v, path), etag);
    }
}

static void a_deleted_instance_is_a_bare_cancelled_one(void **state)
{
    make_series("'RRULE:FREQ=WEEKLY;COUNT=3'", "");
    as(ADA, "DELETE", EVENTS "/serie_20261130T090000Z", NULL);
    assert_int_equal(test_status, 204);
    const struct json *v = as(ADA, "GET", EVENTS, NULL);
    assert_string_equal(column(v, "items", "status"), "confirmed cancelled");
    assert_int_equal(count_at(v, "items.1"), 6);
    assert_string_equal(text_at(v, "items.1.recurringEventId"), "serie");
    v = as(ADA, "GET", EVENTS "?singleEvents=true", NULL);
    assert_int_equal(count_at(v, "items"), 2);
    v = as(ADA, "GET", EVENTS "/serie/instances?showDeleted=true", NULL);
    assert_string_equal(column(v, "items", "status"), "confirmed cancelled confirmed");
    as(ADA, "DELETE", EVENTS "/serie_20261130T090000Z", NULL);
    assert_refused(410, "deleted");
}

static void a_deleted_series_takes_its_instances_with_it(void **state)
{
    make_series("'RRULE:FREQ=WEEKLY;COUNT=3'", "");
    as(ADA, "PATCH", EVENTS "/serie_20261130T090000Z", "{'summary':'One'}");
    as(ADA, "DELETE", EVENTS "/serie", NULL);
    const struct json *v = as(ADA, "GET", EVENTS "?singleEvents=true", NULL);
    assert_int_equal(count_at(v, "items"), 0);
    v = as(ADA, "GET", EVENTS "?showDeleted=true", NULL);
    assert_string_equal(column(v, "items", "id"), "serie");
    v = as(ADA, "GET", EVENTS "/serie_20261130T090000Z", NULL);
    assert_string_equal(text_at(v, "status"), "cancelled");
}

static void a_shortened_series_leaves_traces_of_changed_instances_behind_its_end(void **state)
{
    make_series("'RRULE:FREQ=WEEKLY;COUNT=5'", "");
    as(ADA, "PATCH", EVENTS "/serie_20261207T090000Z", "{'summary':'One'}");
    const struct json *v = as(ADA, "GET", EVENTS, NULL);
    char target[600];
    snprintf(target, sizeof target, EVENTS "?syncToken=%s", text_at(v, "nextSyncToken"));
    v = as(ADA, "PATCH", EVENTS "/serie",
           "{'recurrence':['RRULE:FREQ=WEEKLY;UNTIL=20261201T000000Z']}");
    assert_int_equal(number_at(v, "sequence"), 0);
    v = as(ADA, "GET", target, NULL);
    assert_string_equal(column(v, "items", "id"), "serie serie_20261207T090000Z");
    assert_string_equal(text_at(v, "items.1.status"), "cancelled");
    assert_int_equal(count_at(v, "items.1"), 4);
    /* When the series is longer again, the instance is as the series is. */
    as(ADA, "PATCH", EVENTS "/serie", "{'recurrence':['RRULE:FREQ=WEEKLY;COUNT=5']}");
    v = as(ADA, "GET", EVENTS "/serie_20261207T090000Z", NULL);
    assert_string_equal(text_at(v, "status"), "confirmed");
    assert_string_equal(text_at(v, "summary"), "S");
    v = as(ADA, "PATCH", EVENTS "/serie_20261207T090000Z", "{'summary':'Again'}");
    assert_int_equal(test_status, 200);
}

static void what_an_instance_has_from_the_series_follows_it(void **state)
{
    make_series("'RRULE:FREQ=WEEKLY;COUNT=3'", "'location':'A'");
    as(ADA, "PATCH", EVENTS "/serie_20261130T090000Z", "{'summary':'Own'}");
    as(ADA, "PATCH", EVENTS "/serie", "{'summary':'New','location':'B'}");
    const struct json *v = as(ADA, "GET", EVENTS "/serie_20261130T090000Z", NULL);
    assert_string_equal(text_at(v, "summary"), "Own");
    assert_string_equal(text_at(v, "location"), "B");
}

static void a_single_event_becomes_a_series_and_back(void **state)
{
    make_event("abcde", "");
    as(ADA, "PATCH", EVENTS "/abcde", "{'recurrence':['RRULE:FREQ=DAILY;COUNT=2']}");
    const struct json *v = as(ADA, "GET", EVENTS "/abcde/instances", NULL);
    assert_int_equal(count_at(v, "items"), 2);
    as(ADA, "PATCH", EVENTS "/abcde_20261125T090000Z", "{'summary':'x'}");
    as(ADA, "PATCH", EVENTS "/abcde", "{'recurrence':null}");
    v = as(ADA, "GET", EVENTS "?singleEvents=true", NULL);
    assert_string_equal(column(v, "items", "id"), "abcde");
    v = as(ADA, "GET", EVENTS "/abcde/instances", NULL);
    assert_string_equal(column(v, "items", "id"), "abcde");
    gcal_choose("instancesOfSingle: refused");
    make_event("abcde", "");
    as(ADA, "GET", EVENTS "/abcde/instances", NULL);
    assert_refused(400, "invalid");
}

static void instances_can_be_asked_for_by_time_and_original_start(void **state)
{
    make_series("'RRULE:FREQ=WEEKLY'", "");
    const struct json *v = as(
        ADA, "GET",
        EVENTS "/serie/instances?timeMin=2030-01-01T00:00:00Z&timeMax=2030-01-15T00:00:00Z", NULL);
    assert_string_equal(column(v, "items", "start.dateTime"),
                        "2030-01-07T10:00:00+01:00 2030-01-14T10:00:00+01:00");
    /* The lower bound of instances is part of the range. */
    v = as(ADA, "GET",
           EVENTS "/serie/instances?timeMin=2026-11-23T10:00:00Z&timeMax=2026-11-24T00:00:00Z",
           NULL);
    assert_int_equal(count_at(v, "items"), 1);
    v = as(ADA, "GET", EVENTS "/serie/instances?originalStart=2026-11-30T09:00:00Z", NULL);
    assert_string_equal(column(v, "items", "id"), "serie_20261130T090000Z");
}

static void an_endless_series_is_laid_out_two_years_ahead(void **state)
{
    make_series("'RRULE:FREQ=DAILY'", "");
    const struct json *v = as(ADA, "GET", EVENTS "/serie/instances?maxResults=2500", NULL);
    assert_int_equal(count_at(v, "items"), 730);
    assert_null(value_at(v, "nextPageToken"));
}

static void pages_of_instances_fit_together(void **state)
{
    char seen[4000] = "";
    char target[700] = EVENTS "?singleEvents=true&orderBy=startTime&maxResults=3";
    make_series("'RRULE:FREQ=DAILY;COUNT=10'", "");
    make_event("abcde", "");
    for (int pages = 0;; pages++) {
        const struct json *v = as(ADA, "GET", target, NULL);
        strcat(strcat(seen, column(v, "items", "id")), " ");
        if (!text_at(v, "nextPageToken")) {
            assert_int_equal(pages, 3);
            break;
        }
        snprintf(target, sizeof target,
                 EVENTS "?singleEvents=true&orderBy=startTime&maxResults=3&pageToken=%s",
                 text_at(v, "nextPageToken"));
    }
    assert_string_equal(
        seen, "serie_20261123T090000Z serie_20261124T090000Z abcde serie_20261125T090000Z "
              "serie_20261126T090000Z serie_20261127T090000Z serie_20261128T090000Z "
              "serie_20261129T090000Z serie_20261130T090000Z serie_20261201T090000Z "
              "serie_20261202T090000Z ");
}

static void a_restored_series_has_its_changed_instances_again(void **state)
{
    make_series("'RRULE:FREQ=DAILY;COUNT=4'", "");
    as(ADA, "PATCH", EVENTS "/serie_20261124T090000Z", "{'summary':'Other','colorId':'3'}");
    as(ADA, "DELETE", EVENTS "/serie_20261125T090000Z", NULL);
    const struct json *v = as(ADA, "GET", EVENTS, NULL);
    const char *token = text_at(v, "nextSyncToken");
    char target[300], single[300];
    v = as(ADA, "GET", EVENTS "?singleEvents=true", NULL);
    snprintf(single, sizeof single, EVENTS "?singleEvents=true&syncToken=%s",
             text_at(v, "nextSyncToken"));
    as(ADA, "DELETE", EVENTS "/serie", NULL);
    assert_int_equal(test_status, 204);
    /* A mirror of instances gets each. */
    v = as(ADA, "GET", single, NULL);
    assert_int_equal(count_at(v, "items"), 4);
    assert_string_equal(column(v, "items", "status"), "cancelled cancelled cancelled cancelled");
    /* It has nothing but that it is deleted. */
    snprintf(target, sizeof target, EVENTS "?syncToken=%s", token);
    v = as(ADA, "GET", target, NULL);
    assert_string_equal(column(v, "items", "id"), "serie");
    assert_string_equal(column(v, "items", "status"), "cancelled");
    token = text_at(v, "nextSyncToken");
    v = as(ADA, "GET", EVENTS "?showDeleted=true", NULL);
    assert_string_equal(column(v, "items", "id"), "serie");
    assert_int_equal(count_at(as(ADA, "GET", EVENTS, NULL), "items"), 0);
    assert_int_equal(count_at(as(ADA, "GET", EVENTS "?singleEvents=true", NULL), "items"), 0);
    v = as(ADA, "GET", EVENTS "?singleEvents=true&showDeleted=true", NULL);
    assert_int_equal(count_at(v, "items"), 4);
    assert_string_equal(column(v, "items", "status"), "cancelled cancelled cancelled cancelled");
    v = as(ADA, "GET", EVENTS "/serie_20261124T090000Z", NULL);
    assert_string_equal(text_at(v, "status"), "cancelled");
    v = as(ADA, "POST", "/freeBusy",
           "{'timeMin':'2026-11-20T00:00:00Z','timeMax':'2026-12-20T00:00:00Z','items':[{'id':"
           "'primary'}]}");
    assert_int_equal(count_at(v, "calendars.primary.busy"), 0);

    as(ADA, "PATCH", EVENTS "/serie", "{'status':'confirmed'}");
    assert_int_equal(test_status, 200);
    v = as(ADA, "GET", EVENTS "?singleEvents=true", NULL);
    assert_string_equal(column(v, "items", "id"),
                        "serie_20261123T090000Z serie_20261124T090000Z serie_20261126T090000Z");
    assert_string_equal(text_at(v, "items.1.summary"), "Other");
    assert_string_equal(text_at(v, "items.1.colorId"), "3");
    assert_string_equal(text_at(v, "items.1.status"), "confirmed");
    snprintf(target, sizeof target, EVENTS "?syncToken=%s", token);
    v = as(ADA, "GET", target, NULL);
    assert_int_equal(count_at(v, "items"), 3);
    assert_string_equal(column(v, "items", "status"), "confirmed confirmed cancelled");
}

static void the_guests_of_a_restored_series_have_its_changed_instances(void **state)
{
    make_series("'RRULE:FREQ=DAILY;COUNT=4'", "'attendees':[{'email':'bob@acme.example'}]");
    as(ADA, "PATCH", EVENTS "/serie_20261124T090000Z", "{'summary':'Other'}");
    as(ADA, "PATCH", EVENTS "/serie_20261125T090000Z",
       "{'attendees':[{'email':'bob@acme.example'},{'email':'cyd@acme.example'}]}");
    as(ADA, "DELETE", EVENTS "/serie", NULL);
    assert_int_equal(count_at(as(BOB, "GET", EVENTS "?singleEvents=true", NULL), "items"), 0);
    assert_int_equal(count_at(as(CYD, "GET", EVENTS "?singleEvents=true", NULL), "items"), 0);
    as(ADA, "PATCH", EVENTS "/serie", "{'status':'confirmed','summary':'Again'}");
    const struct json *v = as(BOB, "GET", EVENTS "?singleEvents=true", NULL);
    assert_string_equal(column(v, "items", "summary"), "Again Other Again Again");
    v = as(CYD, "GET", EVENTS "?singleEvents=true", NULL);
    assert_string_equal(column(v, "items", "id"), "serie_20261125T090000Z");
    assert_string_equal(column(v, "items", "status"), "confirmed");
}

static void a_guest_who_restores_a_series_has_its_changed_instances_again(void **state)
{
    make_series("'RRULE:FREQ=DAILY;COUNT=3'", "'attendees':[{'email':'bob@acme.example'}]");
    as(ADA, "PATCH", EVENTS "/serie_20261124T090000Z", "{'summary':'Other'}");
    as(BOB, "DELETE", EVENTS "/serie", NULL);
    as(ADA, "DELETE", EVENTS "/serie_20261125T090000Z", NULL);
    as(BOB, "PATCH", EVENTS "/serie", "{'status':'confirmed'}");
    const struct json *v = as(BOB, "GET", EVENTS "?singleEvents=true", NULL);
    assert_string_equal(column(v, "items", "id"), "serie_20261123T090000Z serie_20261124T090000Z");
    assert_string_equal(text_at(v, "items.1.summary"), "Other");
}

static void an_instance_of_a_deleted_series_cannot_be_restored_alone(void **state)
{
    make_series("'RRULE:FREQ=DAILY;COUNT=3'", "");
    as(ADA, "PATCH", EVENTS "/serie_20261124T090000Z", "{'summary':'Other'}");
    as(ADA, "DELETE", EVENTS "/serie", NULL);
    as(ADA, "PATCH", EVENTS "/serie_20261124T090000Z", "{'status':'confirmed'}");
    assert_refused(403, "forbidden");
    as(ADA, "PATCH", EVENTS "/serie_20261125T090000Z", "{'status':'confirmed'}");
    assert_refused(403, "forbidden");
    as(ADA, "DELETE", EVENTS "/serie_20261124T090000Z", NULL);
    assert_refused(410, "deleted");
    assert_int_equal(count_at(as(ADA, "GET", EVENTS "/serie/instances", NULL), "items"), 0);
    const struct json *v = as(ADA, "GET", EVENTS "/serie/instances?showDeleted=true", NULL);
    assert_int_equal(count_at(v, "items"), 3);
}

static void an_instance_that_its_series_has_no_more_cannot_be_restored(void **state)
{
    make_series("'RRULE:FREQ=DAILY;COUNT=3'", "");
    as(ADA, "PATCH", EVENTS "/serie_20261124T090000Z", "{'summary':'Other'}");
    as(ADA, "PATCH", EVENTS "/serie", "{'recurrence':['RRULE:FREQ=WEEKLY;COUNT=2']}");
    as(ADA, "PATCH", EVENTS "/serie_20261124T090000Z", "{'status':'confirmed'}");
    assert_refused(403, "forbidden");
    assert_int_equal(count_at(as(ADA, "GET", EVENTS, NULL), "items"), 1);
}

static void a_series_at_another_time_keeps_its_changed_instances(void **state)
{
    make_series("'RRULE:FREQ=DAILY;COUNT=5'", "'attendees':[{'email':'bob@acme.example'}]");
    as(ADA, "PATCH", EVENTS "/serie_20261124T090000Z", "{'summary':'Other'}");
    as(ADA, "PATCH", EVENTS "/serie_20261125T090000Z",
       "{'start':{'dateTime':'2026-11-25T17:00:00+01:00'},'end':{'dateTime':'2026-11-25T18:00:00+"
       "01:"
       "00'}}");
    as(ADA, "DELETE", EVENTS "/serie_20261126T090000Z", NULL);
    const struct json *v = as(ADA, "GET", EVENTS, NULL);
    char target[300];
    snprintf(target, sizeof target, EVENTS "?syncToken=%s", text_at(v, "nextSyncToken"));
    as(ADA, "PATCH", EVENTS "/serie",
       "{'start':{'dateTime':'2026-11-23T11:30:00+01:00'},'end':{'dateTime':'2026-11-23T12:30:00+"
       "01:"
       "00'}}");
    static const char *const who[] = {ADA, BOB};
    for (size_t i = 0; i < 2; i++) {
        v = as(who[i], "GET", EVENTS "?singleEvents=true&orderBy=startTime&timeZone=Europe/Rome",
               NULL);
        assert_string_equal(column(v, "items", "id"),
                            "serie_20261123T103000Z serie_20261124T103000Z serie_20261125T103000Z "
                            "serie_20261127T103000Z");
        assert_string_equal(column(v, "items", "start.dateTime"),
                            "2026-11-23T11:30:00+01:00 2026-11-24T11:30:00+01:00 "
                            "2026-11-25T17:00:00+01:00 2026-11-27T11:30:00+01:00");
        assert_string_equal(column(v, "items", "summary"), "S Other S S");
        assert_string_equal(text_at(v, "items.2.originalStartTime.dateTime"),
                            "2026-11-25T11:30:00+01:00");
    }
    /* Under their old ids they are not found. */
    v = as(ADA, "GET", target, NULL);
    assert_int_equal(count_at(v, "items"), 7);
    v = as(ADA, "GET", EVENTS "/serie_20261124T090000Z", NULL);
    assert_string_equal(text_at(v, "status"), "cancelled");
    v = as(ADA, "GET", EVENTS "/serie_20261126T103000Z", NULL);
    assert_string_equal(text_at(v, "status"), "cancelled");
    assert_string_equal(text_at(v, "recurringEventId"), "serie");
    /* And back again. */
    as(ADA, "PATCH", EVENTS "/serie",
       "{'start':{'dateTime':'2026-11-23T10:00:00+01:00'},'end':{'dateTime':'2026-11-23T11:00:00+"
       "01:"
       "00'}}");
    v = as(BOB, "GET", EVENTS "?singleEvents=true&orderBy=startTime", NULL);
    assert_string_equal(column(v, "items", "id"),
                        "serie_20261123T090000Z serie_20261124T090000Z serie_20261125T090000Z "
                        "serie_20261127T090000Z");
    assert_string_equal(column(v, "items", "summary"), "S Other S S");
}

static void a_series_that_moves_over_a_change_of_offset_keeps_its_changed_instances(void **state)
{
    as(ADA, "POST", EVENTS,
       "{'id':'serie','start':{'dateTime':'2027-03-27T10:00:00','timeZone':'Europe/Rome'},"
       "'end':{'dateTime':'2027-03-27T11:00:00','timeZone':'Europe/Rome'},"
       "'recurrence':['RRULE:FREQ=DAILY;COUNT=3']}");
    as(ADA, "PATCH", EVENTS "/serie_20270329T080000Z", "{'summary':'Other'}");
    as(ADA, "PATCH", EVENTS "/serie",
       "{'start':{'dateTime':'2027-03-27T12:00:00+01:00'},'end':{'dateTime':'2027-03-27T13:00:00+"
       "01:"
       "00'}}");
    const struct json *v = as(ADA, "GET", EVENTS "/serie_20270329T100000Z", NULL);
    assert_string_equal(text_at(v, "summary"), "Other");
    assert_string_equal(text_at(v, "start.dateTime"), "2027-03-29T12:00:00+02:00");
}

static void an_instance_that_its_series_has_again_can_be_changed_again(void **state)
{
    make_series("'RRULE:FREQ=DAILY;COUNT=3'", "'attendees':[{'email':'bob@acme.example'}]");
    as(ADA, "PATCH", EVENTS "/serie_20261124T090000Z", "{'summary':'Other'}");
    as(ADA, "PATCH", EVENTS "/serie", "{'recurrence':['RRULE:FREQ=WEEKLY;COUNT=2']}");
    as(ADA, "PATCH", EVENTS "/serie", "{'recurrence':['RRULE:FREQ=DAILY;COUNT=3']}");
    as(ADA, "PATCH", EVENTS "/serie_20261124T090000Z", "{'summary':'New'}");
    assert_int_equal(test_status, 200);
    const struct json *v = as(BOB, "GET", EVENTS "?singleEvents=true", NULL);
    assert_string_equal(column(v, "items", "summary"), "S New S");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        gcal_test(a_rule_is_shown_in_the_services_order),
        gcal_test(a_parameter_of_a_rule_may_have_colons),
        gcal_test(instances_have_ids_of_their_original_start),
        gcal_test(all_day_instances_have_ids_of_their_date),
        gcal_test(a_series_keeps_its_wall_clock_over_a_change_of_offset),
        gcal_test(rdate_and_exdate_add_and_take_away),
        gcal_test(a_rule_that_is_none_is_refused),
        gcal_test(a_timed_series_needs_a_zone),
        gcal_test(the_list_holds_the_series_or_its_instances),
        gcal_test(a_changed_instance_leaves_the_series_as_it_is),
        gcal_test(all_of_a_series_has_one_etag),
        gcal_test(a_deleted_instance_is_a_bare_cancelled_one),
        gcal_test(a_deleted_series_takes_its_instances_with_it),
        gcal_test(a_shortened_series_leaves_traces_of_changed_instances_behind_its_end),
        gcal_test(what_an_instance_has_from_the_series_follows_it),
        gcal_test(a_single_event_becomes_a_series_and_back),
        gcal_test(instances_can_be_asked_for_by_time_and_original_start),
        gcal_test(an_endless_series_is_laid_out_two_years_ahead),
        gcal_test(pages_of_instances_fit_together),
        gcal_test(a_restored_series_has_its_changed_instances_again),
        gcal_test(the_guests_of_a_restored_series_have_its_changed_instances),
        gcal_test(a_guest_who_restores_a_series_has_its_changed_instances_again),
        gcal_test(an_instance_of_a_deleted_series_cannot_be_restored_alone),
        gcal_test(an_instance_that_its_series_has_no_more_cannot_be_restored),
        gcal_test(a_series_at_another_time_keeps_its_changed_instances),
        gcal_test(a_series_that_moves_over_a_change_of_offset_keeps_its_changed_instances),
        gcal_test(an_instance_that_its_series_has_again_can_be_changed_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
