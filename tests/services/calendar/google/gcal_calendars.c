/* SPDX-License-Identifier: Apache-2.0 */
/* Calendars, people's lists of them and settings, free/busy, channels. */
#include "tests/support/gcal.h"
#include <stdio.h>

#define EVENTS "/calendars/primary/events"
#define ADAS   "/calendars/ada@acme.example"

/* ---- calendars ---- */

static void a_new_calendar_is_on_the_list_and_belongs_to_its_maker(void **state)
{
    const struct json *v = as(ADA, "POST", "/calendars", "{'summary':'Second','description':'D'}");
    const char *id = text_at(v, "id");
    assert_int_equal(strlen(id), 2 + 64 + strlen("@group.calendar.google.com"));
    assert_int_equal(strncmp(id, "c_", 2), 0);
    assert_string_equal(text_at(v, "timeZone"), "UTC");
    assert_string_equal(text_at(v, "dataOwner"), ADA);
    assert_string_equal(text_at(v, "conferenceProperties.allowedConferenceSolutionTypes.0"),
                        "hangoutsMeet");
    assert_int_equal(strlen(text_at(v, "etag")), 29);
    v = as(ADA, "GET", "/users/me/calendarList", NULL);
    assert_int_equal(count_at(v, "items"), 2);
    assert_string_equal(text_at(v, "items.1.id"), id);
    assert_string_equal(text_at(v, "items.1.accessRole"), "owner");
    as(ADA, "POST", "/calendars", "{}");
    assert_refused(400, "required");
    as(ADA, "POST", "/calendars", "{'summary':'x','timeZone':'Mars/Base'}");
    assert_refused(400, "invalid");
}

static void events_of_a_secondary_calendar_are_organized_by_it(void **state)
{
    char target[300];
    const struct json *v = as(ADA, "POST", "/calendars", "{'summary':'Second'}");
    const char *id = text_at(v, "id");
    snprintf(target, sizeof target, "/calendars/%s/events", id);
    v = as(ADA, "POST", target,
           "{'id':'abcde','start':{'date':'2026-11-24'},'end':{'date':'2026-11-25'},'attendees':[{'"
           "email':'bob@acme.example'}]}");
    assert_string_equal(text_at(v, "organizer.email"), id);
    assert_string_equal(text_at(v, "organizer.displayName"), "Second");
    assert_true(true_at(v, "organizer.self"));
    assert_string_equal(text_at(v, "creator.email"), ADA);
    assert_null(value_at(v, "creator.self"));
    v = as(BOB, "GET", EVENTS "/abcde", NULL);
    assert_string_equal(text_at(v, "organizer.email"), id);
    assert_string_equal(text_at(v, "organizer.displayName"), "Second");
    assert_null(value_at(v, "organizer.self"));
}

static void a_calendar_is_patched_and_updated(void **state)
{
    as(ADA, "PATCH", "/calendars/primary", "{'summary':'Mine','location':'L'}");
    const struct json *v = as(ADA, "PATCH", "/calendars/primary", "{'description':'D'}");
    assert_string_equal(text_at(v, "summary"), "Mine");
    assert_string_equal(text_at(v, "location"), "L");
    v = as(ADA, "PUT", "/calendars/primary", "{'summary':'Mine'}");
    assert_null(value_at(v, "location"));
    assert_null(value_at(v, "description"));
    assert_string_equal(text_at(v, "timeZone"), "Europe/Rome");
}

static void another_zone_moves_the_days_and_not_the_times(void **state)
{
    make_event("abcde", "");
    as(ADA, "POST", EVENTS,
       "{'id':'fghij','start':{'date':'2026-11-24'},'end':{'date':'2026-11-25'}}");
    as(ADA, "PATCH", "/calendars/primary", "{'timeZone':'Asia/Tokyo'}");
    const struct json *v = as(ADA, "GET", EVENTS, NULL);
    assert_string_equal(text_at(v, "items.0.start.dateTime"), "2026-11-24T18:00:00+09:00");
    assert_string_equal(text_at(v, "items.1.start.date"), "2026-11-24");
    v = as(ADA, "GET", EVENTS "?timeMin=2026-11-23T15:00:00Z&timeMax=2026-11-23T15:00:01Z", NULL);
    assert_string_equal(column(v, "items", "id"), "fghij");
}

#define HOLIDAYS "/calendars/en.usa%23holiday@group.v.calendar.google.com"

static void holidays_are_there_without_being_stored(void **state)
{
    const struct json *v = as(BOB, "GET",
                              HOLIDAYS "/events?timeMin=2026-07-01T00:00:00Z&"
                                       "timeMax=2026-09-30T00:00:00Z&fields=items(start,"
                                       "summary)",
                              NULL);
    assert_string_equal(column(v, "items", "summary"), "Independence Day Labor Day");
    assert_string_equal(column(v, "items", "start.date"), "2026-07-04 2026-09-07");
    v = as(BOB, "GET", HOLIDAYS "/events?q=easter&timeMin=2026-01-01T00:00:00Z", NULL);
    assert_string_equal(text_at(v, "items.0.start.date"), "2026-04-05");
    assert_null(value_at(v, "items.0.reminders"));
    assert_null(value_at(test_dump(), "calendars"));
    as(BOB, "GET", "/calendars/de.usa%23holiday@group.v.calendar.google.com", NULL);
    assert_refused(404, "notFound");
    as(BOB, "DELETE", HOLIDAYS, NULL);
    assert_refused(403, "requiredAccessLevel");
    as(BOB, "GET", HOLIDAYS "/acl", NULL);
    assert_refused(403, "requiredAccessLevel");
}

static void holidays_on_a_list_are_in_dumps(void **state)
{
    as(BOB, "POST", "/users/me/calendarList",
       "{'id':'en.german#holiday@group.v.calendar.google.com','summaryOverride':'Days off'}");
    assert_int_equal(test_status, 200);
    const struct json *v = as(BOB, "GET", "/users/me/calendarList", NULL);
    assert_string_equal(text_at(v, "items.1.summary"), "Holidays in Germany");
    assert_string_equal(text_at(v, "items.1.timeZone"), "America/New_York");
    assert_null(value_at(v, "items.1.dataOwner"));
    v = test_dump();
    assert_string_equal(text_at(v, "calendars.0.id"),
                        "en.german#holiday@group.v.calendar.google.com");
    assert_string_equal(text_at(v, "calendars.0.lists.0.name"), "Days off");
    test_use("sosia: 1\npeople: [{email: bob@acme.example}]\n"
             "organizations: [{domain: acme.example, name: Acme}]\n"
             "calendars: [{id: 'en.german#holiday@group.v.calendar.google.com', lists: [{person: "
             "bob@acme.example}]}]\n");
    v = as(BOB, "GET", "/users/me/calendarList", NULL);
    assert_int_equal(count_at(v, "items"), 2);
}

/* Settings and access lists have times as tokens: what is as late as the token is listed. */
static void a_time_is_a_sync_token_that_misses_nothing(void **state)
{
    char target[200];
    const struct json *v = as(ADA, "GET", "/calendars/primary/acl", NULL);
    for (int i = 0; i < 3; i++) { /* while the clock does not move */
        char body[200];
        snprintf(target, sizeof target, "/calendars/primary/acl?syncToken=%s",
                 text_at(v, "nextSyncToken"));
        v = as(ADA, "GET", target, NULL);
        assert_int_equal(count_at(v, "items"), 0);
        snprintf(body, sizeof body, "{'role':'reader','scope':{'type':'user','value':'x%d@b.c'}}",
                 i);
        as(ADA, "POST", "/calendars/primary/acl", body);
        v = as(ADA, "GET", target, NULL);
        assert_int_equal(count_at(v, "items"), 1);
        assert_int_equal(strlen(text_at(v, "nextSyncToken")), 20);
    }
    as(ADA, "GET", "/calendars/primary/acl?syncToken=1773300414870239", NULL);
    assert_refused(400, "invalid");
    as(ADA, "GET", "/users/me/settings?syncToken=00001573300414870239", NULL);
    assert_refused(410, "fullSyncRequired");
}

static void a_deleted_calendar_is_gone_with_its_events(void **state)
{
    char target[300];
    const struct json *v = as(ADA, "POST", "/calendars", "{'summary':'Second'}");
    const char *id = text_at(v, "id");
    snprintf(target, sizeof target, "/calendars/%s/events", id);
    as(ADA, "POST", target,
       "{'id':'abcde','start':{'date':'2026-11-24'},'end':{'date':'2026-11-25'},'attendees':[{'"
       "email':'bob@acme.example'}]}");
    snprintf(target, sizeof target, "/calendars/%s", id);
    as(ADA, "DELETE", target, NULL);
    assert_int_equal(test_status, 204);
    as(ADA, "GET", target, NULL);
    assert_refused(404, "notFound");
    v = as(BOB, "GET", EVENTS "/abcde", NULL);
    assert_string_equal(text_at(v, "status"), "cancelled");
    v = as(ADA, "GET", "/users/me/calendarList?showDeleted=true", NULL);
    assert_int_equal(count_at(v, "items"), 2);
    assert_int_equal(count_at(v, "items.1"), 5);
    assert_true(true_at(v, "items.1.deleted"));
    as(ADA, "DELETE", "/calendars/primary", NULL);
    assert_refused(403, "cannotDeletePrimaryCalendar");
}

static void clearing_empties_the_primary_calendar(void **state)
{
    make_event("abcde", "");
    make_event("serie", "'recurrence':['RRULE:FREQ=DAILY;COUNT=3']");
    as(ADA, "PATCH", EVENTS "/serie_20261125T090000Z", "{'summary':'x'}");
    as(ADA, "POST", "/calendars/primary/clear", NULL);
    assert_int_equal(test_status, 204);
    const struct json *v = as(ADA, "GET", EVENTS "?singleEvents=true", NULL);
    assert_int_equal(count_at(v, "items"), 0);
}

static void ownership_goes_to_another_person(void **state)
{
    char target[300];
    const struct json *v = as(ADA, "POST", "/calendars", "{'summary':'Second'}");
    snprintf(target, sizeof target, "/calendars/%s/acl", text_at(v, "id"));
    as(ADA, "POST", target, "{'role':'reader','scope':{'type':'user','value':'bob@acme.example'}}");
    assert_int_equal(test_status, 200);
    snprintf(target, sizeof target,
             "/calendars/%s/transferOwnership?newDataOwner=bob@acme.example&useAdminAccess=true",
             text_at(v, "id"));
    as(ADA, "POST", target, NULL);
    assert_int_equal(test_status, 204);
    snprintf(target, sizeof target, "/calendars/%s", text_at(v, "id"));
    v = as(BOB, "GET", target, NULL);
    assert_string_equal(text_at(v, "dataOwner"), BOB);
    v = as(ADA, "GET", target, NULL);
    assert_int_equal(test_status, 200);
    /* What he could do before is part of that: he has one rule. */
    strcat(target, "/acl");
    v = as(BOB, "GET", target, NULL);
    assert_string_equal(column(v, "items", "role"), "owner owner owner");
}

static void what_an_update_of_a_calendar_leaves_out_is_gone(void **state)
{
    const struct json *v = as(
        ADA, "POST", "/calendars",
        "{'summary':'Team','timeZone':'Asia/Tokyo','description':'D','autoAcceptInvitations':true,"
        "'labelProperties':{'eventLabels':[{'id':'b'}],'eventLabels':[{'id':'a','name':'A'}]}}");
    const char *labels = strstr(test_body, "eventLabels"); /* the last one of a name counts */
    assert_true(labels && !strstr(labels + 1, "eventLabels"));
    assert_string_equal(text_at(v, "labelProperties.eventLabels.0.id"), "a");
    char target[200], entry[200];
    snprintf(target, sizeof target, "/calendars/%s", text_at(v, "id"));
    snprintf(entry, sizeof entry, "/users/me/calendarList/%s", text_at(v, "id"));
    assert_true(true_at(as(ADA, "GET", entry, NULL), "autoAcceptInvitations"));
    v = as(ADA, "PATCH", target, "{'location':'L'}");
    assert_true(true_at(v, "autoAcceptInvitations"));
    v = as(ADA, "PUT", target, "{'summary':'Team'}");
    assert_null(value_at(v, "description"));
    assert_null(value_at(v, "autoAcceptInvitations"));
    assert_null(value_at(v, "labelProperties"));
    assert_string_equal(text_at(v, "timeZone"), "Asia/Tokyo");
    assert_null(value_at(as(ADA, "GET", entry, NULL), "autoAcceptInvitations"));
}

/* ---- the list ---- */

static void a_shared_calendar_comes_to_the_list_by_the_persons_own_act(void **state)
{
    share_with_bob("reader");
    const struct json *v = as(BOB, "GET", "/users/me/calendarList", NULL);
    assert_int_equal(count_at(v, "items"), 1);
    v = as(BOB, "POST", "/users/me/calendarList",
           "{'id':'ada@acme.example','summaryOverride':'Boss','colorId':'3','selected':true,"
           "'defaultReminders':[{'method':'email','minutes':30}]}");
    assert_int_equal(test_status, 200);
    assert_string_equal(text_at(v, "summaryOverride"), "Boss");
    assert_string_equal(text_at(v, "backgroundColor"), "#f83a22");
    assert_true(true_at(v, "selected"));
    assert_null(value_at(v, "primary"));
    v = as(BOB, "GET", ADAS "/events", NULL);
    assert_int_equal(number_at(v, "defaultReminders.0.minutes"), 30);
    as(BOB, "POST", "/users/me/calendarList", "{'id':'cyd@acme.example'}");
    assert_refused(404, "notFound");
}

static void an_entry_is_changed_hidden_and_removed(void **state)
{
    char target[300];
    const struct json *v = as(ADA, "POST", "/calendars", "{'summary':'Second'}");
    snprintf(target, sizeof target, "/users/me/calendarList/%s", text_at(v, "id"));
    v = as(ADA, "PATCH", target, "{'hidden':true}");
    assert_true(true_at(v, "hidden"));
    v = as(ADA, "GET", "/users/me/calendarList", NULL);
    assert_int_equal(count_at(v, "items"), 1);
    v = as(ADA, "GET", "/users/me/calendarList?showHidden=true", NULL);
    assert_int_equal(count_at(v, "items"), 2);
    v = as(ADA, "PUT", target, "{'selected':true}");
    assert_null(value_at(v, "hidden"));
    as(ADA, "DELETE", target, NULL);
    assert_refused(403, "forbidden");
    as(ADA, "DELETE", "/users/me/calendarList/primary", NULL);
    assert_refused(403, "cannotChangeOwnPrimarySubscription");
    share_with_bob("reader");
    as(BOB, "POST", "/users/me/calendarList", "{'id':'ada@acme.example'}");
    as(BOB, "DELETE", "/users/me/calendarList/ada@acme.example", NULL);
    assert_int_equal(test_status, 204);
    as(BOB, "GET", "/users/me/calendarList/ada@acme.example", NULL);
    assert_refused(404, "notFound");
}

static void own_colors_need_the_rgb_format(void **state)
{
    const struct json *v = as(ADA, "PATCH", "/users/me/calendarList/primary",
                              "{'backgroundColor':'#000001','foregroundColor':'#ffffff'}");
    assert_string_equal(text_at(v, "backgroundColor"), "#9fe1e7");
    v = as(ADA, "PATCH", "/users/me/calendarList/primary?colorRgbFormat=true",
           "{'backgroundColor':'#ac725f','foregroundColor':'#ffffff'}");
    assert_string_equal(text_at(v, "backgroundColor"), "#ac725f");
    assert_string_equal(text_at(v, "colorId"), "1");
    as(ADA, "PATCH", "/users/me/calendarList/primary?colorRgbFormat=true",
       "{'backgroundColor':'red'}");
    assert_refused(400, "invalid");
    as(ADA, "PATCH", "/users/me/calendarList/primary", "{'colorId':'25'}");
    assert_refused(400, "invalid");
}

static void a_sync_of_the_list_has_what_changed(void **state)
{
    char target[600];
    const struct json *v = as(ADA, "GET", "/users/me/calendarList", NULL);
    snprintf(target, sizeof target, "/users/me/calendarList?syncToken=%s",
             text_at(v, "nextSyncToken"));
    v = as(ADA, "GET", target, NULL);
    assert_int_equal(count_at(v, "items"), 0);
    as(ADA, "PATCH", "/calendars/primary", "{'summary':'only the calendar'}");
    v = as(ADA, "GET", target, NULL);
    assert_int_equal(count_at(v, "items"), 0);
    as(ADA, "PATCH", "/users/me/calendarList/primary", "{'colorId':'5'}");
    v = as(ADA, "GET", target, NULL);
    assert_string_equal(column(v, "items", "id"), ADA);
    strcat(target, "&minAccessRole=owner");
    as(ADA, "GET", target, NULL);
    assert_int_equal(test_status, 400);
}

static void min_access_role_filters_the_list(void **state)
{
    share_with_bob("reader");
    as(BOB, "POST", "/users/me/calendarList", "{'id':'ada@acme.example'}");
    const struct json *v = as(BOB, "GET", "/users/me/calendarList?minAccessRole=writer", NULL);
    assert_string_equal(column(v, "items", "id"), BOB);
    v = as(BOB, "GET", "/users/me/calendarList?minAccessRole=reader", NULL);
    assert_string_equal(column(v, "items", "id"), BOB " " ADA);
}

static void the_list_goes_from_the_oldest_change_to_the_newest(void **state)
{
    char target[300], one[200];
    const struct json *v = as(ADA, "POST", "/calendars", "{'summary':'Second'}");
    strcpy(one, text_at(v, "id"));
    as(ADA, "POST", "/calendars", "{'summary':'Third'}");
    v = as(ADA, "GET", "/users/me/calendarList", NULL);
    assert_string_equal(column(v, "items", "summary"), ADA " Second Third");
    snprintf(target, sizeof target, "/users/me/calendarList/%s", one);
    as(ADA, "PATCH", target, "{'colorId':'5'}");
    v = as(ADA, "GET", "/users/me/calendarList", NULL);
    assert_string_equal(column(v, "items", "summary"), ADA " Third Second");
    v = as(ADA, "GET", "/users/me/calendarList?maxResults=2", NULL);
    assert_string_equal(column(v, "items", "summary"), ADA " Third");
    snprintf(target, sizeof target, "/users/me/calendarList?maxResults=2&pageToken=%s",
             text_at(v, "nextPageToken"));
    v = as(ADA, "GET", target, NULL);
    assert_string_equal(column(v, "items", "summary"), "Second");
    assert_null(value_at(v, "nextPageToken"));
}

/* ---- settings, colors ---- */

static void there_are_13_settings_in_the_recorded_order(void **state)
{
    const struct json *v = as(ADA, "GET", "/users/me/settings", NULL);
    assert_string_equal(
        column(v, "items", "id"),
        "autoAddHangouts defaultEventLength dateFieldOrder weekStart format24HourTime "
        "hideInvitations hideInvitationsSetting locale remindOnRespondedEventsOnly "
        "showDeclinedEvents timezone useKeyboardShortcuts hideWeekends");
    v = as(ADA, "GET", "/users/me/settings/timezone", NULL);
    assert_string_equal(text_at(v, "value"), "Europe/Rome");
    as(ADA, "GET", "/users/me/settings/nothing", NULL);
    assert_refused(404, "notFound");
}

static void the_palettes_have_24_and_11_colors(void **state)
{
    const struct json *v = as(ADA, "GET", "/colors", NULL);
    assert_int_equal(count_at(v, "calendar"), 24);
    assert_int_equal(count_at(v, "event"), 11);
    assert_string_equal(text_at(v, "event.11.background"), "#dc2127");
    as(ADA, "POST", EVENTS,
       "{'colorId':'12','start':{'date':'2026-11-24'},'end':{'date':'2026-11-25'}}");
    assert_refused(400, "invalid");
}

/* ---- free/busy ---- */

#define WEEK "'timeMin':'2026-11-23T00:00:00Z','timeMax':'2026-11-30T00:00:00Z'"

static void busy_times_are_merged_and_leave_out_what_does_not_block(void **state)
{
    make_event("abcde", "");
    as(ADA, "POST", EVENTS,
       "{'start':{'dateTime':'2026-11-24T10:30:00+01:00'},'end':{'dateTime':'2026-11-24T12:00:00+"
       "01:00'}}");
    as(ADA, "POST", EVENTS,
       "{'transparency':'transparent','start':{'date':'2026-11-25'},'end':{'date':'2026-11-26'}}");
    const struct json *v = as(ADA, "POST", "/freeBusy", "{" WEEK ",'items':[{'id':'primary'}]}");
    assert_string_equal(text_at(v, "timeMin"), "2026-11-23T00:00:00.000Z");
    assert_int_equal(count_at(v, "calendars.primary.busy"), 1);
    assert_string_equal(text_at(v, "calendars.primary.busy.0.start"), "2026-11-24T09:00:00Z");
    assert_string_equal(text_at(v, "calendars.primary.busy.0.end"), "2026-11-24T11:00:00Z");
    v = as(ADA, "POST", "/freeBusy",
           "{" WEEK ",'timeZone':'Asia/Tokyo','items':[{'id':'primary'}]}");
    assert_string_equal(text_at(v, "calendars.primary.busy.0.start"), "2026-11-24T18:00:00+09:00");
}

static void declined_invitations_leave_the_time_free(void **state)
{
    make_event("abcde", "'attendees':[{'email':'bob@acme.example'}]");
    const struct json *v = as(BOB, "POST", "/freeBusy", "{" WEEK ",'items':[{'id':'primary'}]}");
    assert_int_equal(count_at(v, "calendars.primary.busy"), 1);
    as(BOB, "PATCH", EVENTS "/abcde",
       "{'attendees':[{'email':'bob@acme.example','responseStatus':'declined'}]}");
    v = as(BOB, "POST", "/freeBusy", "{" WEEK ",'items':[{'id':'primary'}]}");
    assert_int_equal(count_at(v, "calendars.primary.busy"), 0);
}

static void groups_are_opened_and_what_is_closed_is_not_found(void **state)
{
    make_event("abcde", "'attendees':[{'email':'bob@acme.example'}]");
    as(BOB, "POST", "/calendars/primary/acl",
       "{'role':'freeBusyReader','scope':{'type':'default'}}");
    const struct json *v =
        as(ADA, "POST", "/freeBusy", "{" WEEK ",'items':[{'id':'all@acme.example'},{'id':'x@y'}]}");
    const struct json *group = value_at(v, "groups");
    assert_int_equal(count_at(json_get(group, "all@acme.example"), "calendars"), 2);
    const struct json *calendars = value_at(v, "calendars");
    assert_int_equal(calendars->n, 3);
    assert_int_equal(count_at(json_get(calendars, BOB), "busy"), 1);
    assert_string_equal(text_at(json_get(calendars, CYD), "errors.0.reason"), "notFound");
    assert_string_equal(text_at(json_get(calendars, "x@y"), "errors.0.reason"), "notFound");
    v = as(ADA, "POST", "/freeBusy",
           "{" WEEK ",'groupExpansionMax':1,'items':[{'id':'all@acme.example'}]}");
    group = json_get(value_at(v, "groups"), "all@acme.example");
    assert_string_equal(text_at(group, "errors.0.reason"), "groupTooBig");
    v = as(ADA, "POST", "/freeBusy",
           "{" WEEK ",'calendarExpansionMax':1,'items':[{'id':'primary'},{'id':'x@y'}]}");
    assert_string_equal(text_at(json_get(value_at(v, "calendars"), "x@y"), "errors.0.reason"),
                        "tooManyCalendarsRequested");
}

/* None is left out, however many there are, and none is there twice. */
static void each_calendar_that_is_too_many_says_so(void **state)
{
    const char *items = "{'id':'all@acme.example'},{'id':'all@acme.example'},{'id':'primary'}";
    for (int i = 0; i < 300; i++)
        items = arena_printf(&test_arena, "%s,{'id':'c%d@acme.example'}", items, i / 2);
    const struct json *v =
        as(ADA, "POST", "/freeBusy", arena_printf(&test_arena, "{" WEEK ",'items':[%s]}", items));
    assert_int_equal(value_at(v, "groups")->n, 1);
    const struct json *calendars = value_at(v, "calendars");
    assert_int_equal(calendars->n, 2 + 1 + 150); /* the group has two members */
    for (uint32_t i = 0; i < calendars->n; i++) {
        const struct json *one = &calendars->members[i].value;
        const char *reason = text_at(one, "errors.0.reason");
        if (i >= 50 ? !reason || strcmp(reason, "tooManyCalendarsRequested") != 0
                    : reason && strcmp(reason, "notFound") != 0)
            fail_msg("%u: %s: %s", i, calendars->members[i].key, reason ? reason : "");
    }
}

static void a_free_busy_query_needs_a_range_of_some_weeks(void **state)
{
    as(ADA, "POST", "/freeBusy", "{'items':[]}");
    assert_refused(400, "required");
    as(ADA, "POST", "/freeBusy",
       "{'timeMin':'2026-11-23T00:00:00Z','timeMax':'2026-11-23T00:00:00Z'}");
    assert_refused(400, "timeRangeEmpty");
    as(ADA, "POST", "/freeBusy",
       "{'timeMin':'2026-11-23T00:00:00Z','timeMax':'2027-11-23T00:00:00Z'}");
    assert_refused(400, "timeRangeTooLong");
    as(ADA, "POST", "/freeBusy", "{'timeMin':'now','timeMax':'2027-11-23T00:00:00Z'}");
    assert_refused(400, "badRequest");
}

/* ---- channels ---- */

static void a_watched_calendar_notifies_of_its_changes(void **state)
{
    const struct json *v = as(ADA, "POST", EVENTS "/watch",
                              "{'id':'ch','type':'web_hook','address':'https://x.example/'}");
    assert_string_equal(text_at(v, "kind"), "api#channel");
    assert_int_equal(strlen(text_at(v, "resourceId")), 27);
    char stop[300];
    snprintf(stop, sizeof stop, "{'id':'ch','resourceId':'%s'}", text_at(v, "resourceId"));
    assert_int_equal(count_at(test_outbox(), ""), 1); /* sync */
    make_event("abcde", "");
    assert_int_equal(count_at(test_outbox(), ""), 2);
    as(BOB, "POST", EVENTS,
       "{'start':{'date':'2026-11-24'},'end':{'date':'2026-11-25'},'attendees':[{'email':'ada@acme."
       "example'}]}");
    assert_int_equal(count_at(test_outbox(), ""), 3);
    as(BOB, "POST", EVENTS, "{'start':{'date':'2026-11-24'},'end':{'date':'2026-11-25'}}");
    assert_int_equal(count_at(test_outbox(), ""), 3);
    as(ADA, "POST", "/channels/stop", stop);
    assert_int_equal(test_status, 204);
    make_event("fghij", "");
    assert_int_equal(count_at(test_outbox(), ""), 3);
}

static void lists_rules_and_settings_can_be_watched(void **state)
{
    as(ADA, "POST", "/users/me/calendarList/watch",
       "{'id':'c1','type':'web_hook','address':'https://x.example/'}");
    assert_int_equal(test_status, 200);
    as(ADA, "POST", ADAS "/acl/watch",
       "{'id':'c2','type':'web_hook','address':'https://x.example/'}");
    assert_int_equal(test_status, 200);
    as(ADA, "POST", "/users/me/settings/watch",
       "{'id':'c3','type':'web_hook','address':'https://x.example/'}");
    assert_int_equal(test_status, 200);
    assert_int_equal(count_at(test_outbox(), ""), 3);
    as(ADA, "POST", ADAS "/acl?sendNotifications=false",
       "{'role':'reader','scope':{'type':'default'}}");
    assert_int_equal(count_at(test_outbox(), ""), 4);
    as(ADA, "PATCH", "/users/me/calendarList/primary", "{'colorId':'5'}");
    assert_int_equal(count_at(test_outbox(), ""), 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        gcal_test(a_new_calendar_is_on_the_list_and_belongs_to_its_maker),
        gcal_test(events_of_a_secondary_calendar_are_organized_by_it),
        gcal_test(a_calendar_is_patched_and_updated),
        gcal_test(another_zone_moves_the_days_and_not_the_times),
        gcal_test(holidays_are_there_without_being_stored),
        gcal_test(holidays_on_a_list_are_in_dumps),
        gcal_test(a_time_is_a_sync_token_that_misses_nothing),
        gcal_test(a_deleted_calendar_is_gone_with_its_events),
        gcal_test(clearing_empties_the_primary_calendar),
        gcal_test(ownership_goes_to_another_person),
        gcal_test(a_shared_calendar_comes_to_the_list_by_the_persons_own_act),
        gcal_test(an_entry_is_changed_hidden_and_removed),
        gcal_test(own_colors_need_the_rgb_format),
        gcal_test(a_sync_of_the_list_has_what_changed),
        gcal_test(min_access_role_filters_the_list),
        gcal_test(there_are_13_settings_in_the_recorded_order),
        gcal_test(the_palettes_have_24_and_11_colors),
        gcal_test(busy_times_are_merged_and_leave_out_what_does_not_block),
        gcal_test(declined_invitations_leave_the_time_free),
        gcal_test(groups_are_opened_and_what_is_closed_is_not_found),
        gcal_test(each_calendar_that_is_too_many_says_so),
        gcal_test(a_free_busy_query_needs_a_range_of_some_weeks),
        gcal_test(a_watched_calendar_notifies_of_its_changes),
        gcal_test(lists_rules_and_settings_can_be_watched),
        gcal_test(the_list_goes_from_the_oldest_change_to_the_newest),
        gcal_test(what_an_update_of_a_calendar_leaves_out_is_gone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
