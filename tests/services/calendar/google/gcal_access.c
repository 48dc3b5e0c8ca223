/* SPDX-License-Identifier: Apache-2.0 */
/* Calendars, who may see what of them, people's lists and settings, free/busy, channels, seeds. */
#include "tests/support/gcal.h"
#include <stdio.h>
#include <stdlib.h>

#define EVENTS "/calendars/primary/events"
#define ADAS   "/calendars/ada@acme.example"

static void share(const char *role, const char *scope)
{
    char body[300];
    snprintf(body, sizeof body, "{'role':'%s','scope':%s}", role, scope);
    as(ADA, "POST", ADAS "/acl", body);
    assert_int_equal(test_status, 200);
}

static void share_with_bob(const char *role)
{
    share(role, "{'type':'user','value':'bob@acme.example'}");
}

/* ---- roles ---- */

static void a_calendar_that_is_not_shared_is_not_found(void **state)
{
    as(BOB, "GET", ADAS, NULL);
    assert_refused(404, "notFound");
    as(BOB, "GET", ADAS "/events", NULL);
    assert_refused(404, "notFound");
}

static void a_free_busy_reader_sees_times_and_nothing_else(void **state)
{
    make_event("abcde", "'location':'L','attendees':[{'email':'cyd@acme.example'}]");
    make_event("fghij", "'visibility':'public'");
    share_with_bob("freeBusyReader");
    const struct json *v = as(BOB, "GET", ADAS "/events", NULL);
    assert_string_equal(text_at(v, "accessRole"), "freeBusyReader");
    assert_string_equal(column(v, "items", "summary"), "- Event fghij");
    assert_null(value_at(v, "items.0.location"));
    assert_null(value_at(v, "items.0.attendees"));
    assert_null(value_at(v, "items.0.creator"));
    assert_string_equal(text_at(v, "items.0.start.dateTime"), "2026-11-24T10:00:00+01:00");
}

static void a_reader_sees_all_but_what_is_private(void **state)
{
    make_event("abcde", "");
    make_event("fghij", "'visibility':'private'");
    share_with_bob("reader");
    const struct json *v = as(BOB, "GET", ADAS "/events", NULL);
    assert_string_equal(column(v, "items", "summary"), "Event abcde -");
    as(BOB, "POST", ADAS "/events", "{}");
    assert_refused(403, "requiredAccessLevel");
    assert_non_null(strstr(test_body, "You need to have writer access to this calendar."));
    as(BOB, "PATCH", ADAS "/events/abcde", "{}");
    assert_refused(403, "requiredAccessLevel");
    as(BOB, "DELETE", ADAS "/events/abcde", NULL);
    assert_refused(403, "requiredAccessLevel");
    as(BOB, "GET", ADAS "/acl", NULL);
    assert_refused(403, "requiredAccessLevel");
}

static void a_writer_writes_in_somebody_elses_name(void **state)
{
    share_with_bob("writer");
    make_event("fghij", "'visibility':'private'");
    const struct json *v =
        as(BOB, "POST", ADAS "/events",
           "{'id':'abcde','start':{'date':'2026-11-24'},'end':{'date':'2026-11-25'}}");
    assert_string_equal(text_at(v, "creator.email"), BOB);
    assert_null(value_at(v, "creator.self"));
    assert_string_equal(text_at(v, "organizer.email"), ADA);
    assert_true(true_at(v, "organizer.self"));
    v = as(BOB, "GET", ADAS "/events/fghij", NULL);
    assert_string_equal(text_at(v, "summary"), "Event fghij");
    as(BOB, "GET", ADAS "/acl", NULL);
    assert_int_equal(test_status, 200);
    as(BOB, "POST", ADAS "/acl", "{'role':'reader','scope':{'type':'default'}}");
    assert_refused(403, "requiredAccessLevel");
    assert_non_null(strstr(test_body, "You need to have owner access to this calendar."));
    as(BOB, "PATCH", ADAS, "{'summary':'x'}");
    assert_refused(403, "requiredAccessLevel");
}

static void groups_domains_and_everybody_can_be_given_access(void **state)
{
    share("reader", "{'type':'group','value':'all@acme.example'}");
    as(BOB, "GET", ADAS "/events", NULL);
    assert_int_equal(test_status, 200);
    as(ADA, "DELETE", ADAS "/acl/group:all@acme.example", NULL);
    as(BOB, "GET", ADAS "/events", NULL);
    assert_refused(404, "notFound");
    share("freeBusyReader", "{'type':'domain','value':'acme.example'}");
    const struct json *v = as(BOB, "GET", ADAS "/events", NULL);
    assert_string_equal(text_at(v, "accessRole"), "freeBusyReader");
    share("reader", "{'type':'default'}");
    v = as(BOB, "GET", ADAS "/events", NULL);
    assert_string_equal(text_at(v, "accessRole"), "reader");
}

static void tokens_see_what_their_scopes_are_good_for(void **state)
{
    struct sosia_token_options opt = {
        .actor = BOB, .scopes = "https://www.googleapis.com/auth/calendar.events.owned"};
    char token[SOSIA_TOKEN_MAX], auth[SOSIA_TOKEN_MAX + 8];
    struct sosia_err err;
    share_with_bob("writer");
    assert_int_equal(sosia_token_issue(test_engine, test_world, &opt, token, sizeof token, &err),
                     0);
    snprintf(auth, sizeof auth, "Bearer %s", token);
    struct sosia_header header = {"Authorization", auth};
    static const struct {
        const char *target;
        int status;
    } calls[] = {{"/calendar/v3/calendars/primary/events", 200},
                 {"/calendar/v3/calendars/ada@acme.example/events", 403},
                 {"/calendar/v3/calendars/primary", 403}};
    for (size_t i = 0; i < 3; i++) {
        struct sosia_request r = {
            .method = "GET", .target = calls[i].target, .headers = &header, .n_headers = 1};
        struct sosia_response *answer;
        assert_int_equal(sosia_call(test_engine, test_world, &r, &answer, &err), 0);
        assert_int_equal(answer->status, calls[i].status);
        sosia_response_free(answer);
    }
}

static void with_an_api_key_alone_nobodys_groups_are_told(void **state)
{
    static const char body[] = "{\"timeMin\":\"2026-11-24T00:00:00Z\","
                               "\"timeMax\":\"2026-11-25T00:00:00Z\","
                               "\"items\":[{\"id\":\"all@acme.example\"}]}";
    struct sosia_header header = {"Content-Type", "application/json"};
    struct sosia_request r = {.method = "POST",
                              .target = "/calendar/v3/freeBusy?key=any",
                              .headers = &header,
                              .n_headers = 1,
                              .body = body,
                              .body_len = sizeof body - 1};
    struct sosia_response *answer;
    struct sosia_err err;
    assert_int_equal(sosia_call(test_engine, test_world, &r, &answer, &err), 0);
    assert_int_equal(answer->status, 200);
    const struct json *v = parsed(answer->body, answer->body_len);
    sosia_response_free(answer);
    assert_null(value_at(v, "groups"));
    assert_string_equal(members(v, "calendars"), "all@acme.example");
    const struct json *all = json_get(value_at(v, "calendars"), "all@acme.example");
    assert_string_equal(text_at(all, "errors.0.reason"), "notFound");
}

/* ---- rules ---- */

static void the_list_of_rules_begins_with_the_owners(void **state)
{
    share_with_bob("reader");
    share("freeBusyReader", "{'type':'default'}");
    const struct json *v = as(ADA, "GET", ADAS "/acl", NULL);
    assert_string_equal(column(v, "items", "id"),
                        "user:ada@acme.example user:bob@acme.example default");
    assert_string_equal(text_at(v, "items.0.etag"), "\"00000000000000000000\"");
    assert_string_equal(text_at(v, "items.1.etag"), "\"00001795420800000000\"");
    assert_string_equal(text_at(v, "items.2.scope.value"),
                        "__public_principal__@public.calendar.google.com");
    assert_non_null(text_at(v, "nextSyncToken"));
}

static void a_rule_is_replaced_changed_and_removed(void **state)
{
    share_with_bob("reader");
    share_with_bob("writer");
    const struct json *v = as(ADA, "GET", ADAS "/acl/user:bob@acme.example", NULL);
    assert_string_equal(text_at(v, "role"), "writer");
    v = as(ADA, "PATCH", ADAS "/acl/user:bob@acme.example", "{'role':'reader'}");
    assert_string_equal(text_at(v, "role"), "reader");
    v = as(ADA, "PUT", ADAS "/acl/user:bob@acme.example", "{'role':'owner'}");
    assert_string_equal(text_at(v, "role"), "owner");
    as(ADA, "DELETE", ADAS "/acl/user:bob@acme.example", NULL);
    assert_int_equal(test_status, 204);
    as(ADA, "GET", ADAS "/acl/user:bob@acme.example", NULL);
    assert_refused(404, "notFound");
    as(ADA, "DELETE", ADAS "/acl/user:bob@acme.example", NULL);
    assert_refused(404, "notFound");
    v = as(ADA, "GET", ADAS "/acl?showDeleted=true", NULL);
    assert_string_equal(column(v, "items", "role"), "owner none");
}

static void a_sync_of_rules_tells_removed_ones(void **state)
{
    char target[600];
    share_with_bob("reader");
    const struct json *v = as(ADA, "GET", ADAS "/acl", NULL);
    snprintf(target, sizeof target, ADAS "/acl?syncToken=%s", text_at(v, "nextSyncToken"));
    v = as(ADA, "GET", target, NULL);
    assert_int_equal(count_at(v, "items"), 0);
    as(ADA, "DELETE", ADAS "/acl/user:bob@acme.example", NULL);
    v = as(ADA, "GET", target, NULL);
    assert_string_equal(column(v, "items", "role"), "none");
}

static void pages_of_rules_fit_together(void **state)
{
    char target[600];
    share_with_bob("reader");
    share("reader", "{'type':'default'}");
    const struct json *v = as(ADA, "GET", ADAS "/acl?maxResults=2", NULL);
    assert_string_equal(column(v, "items", "id"), "user:ada@acme.example user:bob@acme.example");
    snprintf(target, sizeof target, ADAS "/acl?maxResults=2&pageToken=%s",
             text_at(v, "nextPageToken"));
    v = as(ADA, "GET", target, NULL);
    assert_string_equal(column(v, "items", "id"), "default");
    assert_null(value_at(v, "nextPageToken"));
}

static void nobody_takes_the_owners_rights(void **state)
{
    share_with_bob("owner");
    as(BOB, "DELETE", ADAS "/acl/user:ada@acme.example", NULL);
    assert_refused(403, "cannotChangeOwnerAcl");
    as(ADA, "DELETE", ADAS "/acl/user:ada@acme.example", NULL);
    assert_refused(403, "cannotChangeOwnAcl");
    as(BOB, "PATCH", ADAS "/acl/user:bob@acme.example", "{'role':'reader'}");
    assert_refused(403, "cannotChangeOwnAcl");
}

static void rules_that_are_none_are_refused(void **state)
{
    as(ADA, "POST", ADAS "/acl", "{'role':'reader'}");
    assert_refused(400, "required");
    as(ADA, "POST", ADAS "/acl", "{'scope':{'type':'default'}}");
    assert_refused(400, "required");
    as(ADA, "POST", ADAS "/acl", "{'role':'king','scope':{'type':'default'}}");
    assert_refused(400, "invalid");
    as(ADA, "POST", ADAS "/acl", "{'role':'reader','scope':{'type':'user','value':'no address'}}");
    assert_refused(400, "invalid");
    as(ADA, "GET", ADAS "/acl/nothing", NULL);
    assert_refused(400, "invalid");
}

static long mails_of_bob(void)
{
    const struct json *boxes = value_at(test_dump(), "mailboxes");
    return boxes ? count_at(boxes, "0.messages") : 0;
}

static void sharing_is_told_by_mail_unless_it_is_not(void **state)
{
    share_with_bob("reader");
    assert_int_equal(mails_of_bob(), 1);
    as(ADA, "PATCH", ADAS "/acl/user:bob@acme.example?sendNotifications=false",
       "{'role':'writer'}");
    assert_int_equal(mails_of_bob(), 1);
    as(ADA, "POST", ADAS "/acl",
       "{'role':'reader','scope':{'type':'user','value':'eve@else.example'}}");
    assert_string_equal(text_at(test_outbox(), "0.to"), "eve@else.example");
}

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

/* Settings and access lists have times as tokens: what is as late as the token is told. */
static void a_time_is_a_sync_token_that_misses_nothing(void **state)
{
    char target[200];
    const struct json *v = as(ADA, "GET", "/calendars/primary/acl", NULL);
    for (int i = 0; i < 3; i++) { /* while the clock stands */
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

static void a_sync_of_the_list_tells_what_changed(void **state)
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

static void a_watched_calendar_tells_of_its_changes(void **state)
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

static void a_calendar_takes_6000_rules(void **state)
{
    char *doc = malloc(500000), *p = doc;
    p += sprintf(p, "{\"sosia\":1,\"people\":[{\"email\":\"ada@acme.example\",\"name\":\"Ada\"}],"
                    "\"calendars\":[{\"id\":\"ada@acme.example\",\"access\":[");
    for (int i = 0; i < 6000; i++)
        p += sprintf(p, "%s{\"person\":\"p%d@else.example\",\"role\":\"reader\"}", i ? "," : "", i);
    strcpy(p, "]}]}");
    test_use(doc);
    free(doc);
    as(ADA, "POST", "/calendars/primary/acl",
       "{'role':'reader','scope':{'type':'user','value':'one@else.example'}}");
    assert_refused(403, "quotaExceeded");
    as(ADA, "POST", "/calendars/primary/acl",
       "{'role':'writer','scope':{'type':'user','value':'p7@else.example'}}");
    assert_int_equal(test_status, 200);
    as(ADA, "DELETE", "/calendars/primary/acl/user:p7@else.example", NULL);
    as(ADA, "POST", "/calendars/primary/acl",
       "{'role':'reader','scope':{'type':'user','value':'one@else.example'}}");
    assert_int_equal(test_status, 200);
}

/* The ids that Bob finds in Ada's calendar. */
static const char *bob_finds(const char *query)
{
    char target[300];
    snprintf(target, sizeof target, ADAS "/events?%s", query);
    return column(as(BOB, "GET", target, NULL), "items", "id");
}

static void what_is_concealed_is_not_found_by_looking_for_it(void **state)
{
    static const char *const queries[] = {"q=harbour", "sharedExtendedProperty=k%3Dv",
                                          "privateExtendedProperty=p%3Dv", "eventTypes=focusTime"};
    static const char secret[] =
        "'visibility':'private','location':'Harbour','eventType':'focusTime','focusTimeProperties':"
        "{},'extendedProperties':{'shared':{'k':'v'},'private':{'p':'v'}}";
    make_event("aaaaa", secret);
    make_event("bbbbb", strchr(secret, ',') + 1); /* the same without the visibility */
    share_with_bob("reader");
    for (size_t i = 0; i < sizeof queries / sizeof *queries; i++)
        assert_string_equal(bob_finds(queries[i]), "bbbbb");
    assert_string_equal(bob_finds("eventTypes=default"), "aaaaa");
    share_with_bob("freeBusyReader");
    for (size_t i = 0; i < sizeof queries / sizeof *queries; i++)
        assert_string_equal(bob_finds(queries[i]), "");
    assert_string_equal(bob_finds("orderBy=updated"), "aaaaa bbbbb");
    share_with_bob("writer");
    for (size_t i = 0; i < sizeof queries / sizeof *queries; i++)
        assert_string_equal(bob_finds(queries[i]), "aaaaa bbbbb");
}

/* ---- whom a token stands for is found once, and again when the world has changed ---- */

static int status_of(uint64_t world, const char *token)
{
    char bearer[SOSIA_TOKEN_MAX + 8];
    struct sosia_response *answer;
    struct sosia_err err;
    snprintf(bearer, sizeof bearer, "Bearer %s", token);
    struct sosia_header header = {"Authorization", bearer};
    struct sosia_request r = {.method = "GET",
                              .target = "/calendar/v3/calendars/primary",
                              .headers = &header,
                              .n_headers = 1};
    assert_int_equal(sosia_call(test_engine, world, &r, &answer, &err), 0);
    int status = answer->status;
    sosia_response_free(answer);
    return status;
}

static void a_token_known_by_a_worker_ends_when_it_is_revoked(void **state)
{
    static const char *const values[] = {NULL, "a-fixed-token"};
    for (size_t i = 0; i < SOSIA_LEN(values); i++) {
        struct sosia_token_options opt = {.actor = ADA, .value = values[i]};
        struct sosia_err err;
        char token[SOSIA_TOKEN_MAX];
        assert_int_equal(
            sosia_token_issue(test_engine, test_world, &opt, token, sizeof token, &err), 0);
        assert_int_equal(status_of(test_world, token), 200);
        assert_int_equal(status_of(test_world, token), 200);
        assert_int_equal(sosia_token_revoke(test_engine, test_world, token, &err), 0);
        assert_int_equal(status_of(test_world, token), 401);
        assert_int_equal(status_of(test_world, token), 401);
    }
}

static void a_token_known_by_a_worker_ends_with_its_time(void **state)
{
    struct sosia_token_options opt = {.actor = ADA, .value = "a-short-token", .ttl_us = 60000000};
    struct sosia_err err;
    char token[SOSIA_TOKEN_MAX];
    assert_int_equal(sosia_token_issue(test_engine, test_world, &opt, token, sizeof token, &err),
                     0);
    assert_int_equal(status_of(test_world, token), 200);
    test_advance(59);
    assert_int_equal(status_of(test_world, token), 200);
    test_advance(1);
    assert_int_equal(status_of(test_world, token), 401);
}

static void a_token_known_in_one_world_is_looked_up_in_another(void **state)
{
    struct sosia_token_options opt = {.actor = ADA, .value = "a-fixed-token"};
    struct sosia_err err;
    char token[SOSIA_TOKEN_MAX];
    uint64_t before, with;
    assert_int_equal(sosia_world_fork(test_engine, test_world, NULL, &before, &err), 0);
    assert_int_equal(sosia_token_issue(test_engine, test_world, &opt, token, sizeof token, &err),
                     0);
    assert_int_equal(sosia_world_fork(test_engine, test_world, NULL, &with, &err), 0);
    assert_int_equal(status_of(test_world, token), 200);
    assert_int_equal(status_of(before, token), 401);
    assert_int_equal(status_of(with, token), 200);
    assert_int_equal(sosia_world_reset(test_engine, test_world, &err), 0);
    assert_int_equal(status_of(test_world, token), 401);
    assert_int_equal(status_of(with, token), 200);
}

static void what_an_update_of_a_calendar_leaves_out_is_gone(void **state)
{
    const struct json *v = as(
        ADA, "POST", "/calendars",
        "{'summary':'Team','timeZone':'Asia/Tokyo','description':'D','autoAcceptInvitations':true,"
        "'labelProperties':{'eventLabels':[{'id':'a','name':'A'}]}}");
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        gcal_test(a_token_known_by_a_worker_ends_when_it_is_revoked),
        gcal_test(a_token_known_by_a_worker_ends_with_its_time),
        gcal_test(a_token_known_in_one_world_is_looked_up_in_another),
        gcal_test(a_calendar_that_is_not_shared_is_not_found),
        gcal_test(a_free_busy_reader_sees_times_and_nothing_else),
        gcal_test(a_reader_sees_all_but_what_is_private),
        gcal_test(a_writer_writes_in_somebody_elses_name),
        gcal_test(groups_domains_and_everybody_can_be_given_access),
        gcal_test(tokens_see_what_their_scopes_are_good_for),
        gcal_test(with_an_api_key_alone_nobodys_groups_are_told),
        gcal_test(the_list_of_rules_begins_with_the_owners),
        gcal_test(a_rule_is_replaced_changed_and_removed),
        gcal_test(a_sync_of_rules_tells_removed_ones),
        gcal_test(pages_of_rules_fit_together),
        gcal_test(nobody_takes_the_owners_rights),
        gcal_test(rules_that_are_none_are_refused),
        gcal_test(sharing_is_told_by_mail_unless_it_is_not),
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
        gcal_test(a_sync_of_the_list_tells_what_changed),
        gcal_test(min_access_role_filters_the_list),
        gcal_test(there_are_13_settings_in_the_recorded_order),
        gcal_test(the_palettes_have_24_and_11_colors),
        gcal_test(busy_times_are_merged_and_leave_out_what_does_not_block),
        gcal_test(declined_invitations_leave_the_time_free),
        gcal_test(groups_are_opened_and_what_is_closed_is_not_found),
        gcal_test(a_free_busy_query_needs_a_range_of_some_weeks),
        gcal_test(a_watched_calendar_tells_of_its_changes),
        gcal_test(lists_rules_and_settings_can_be_watched),
        gcal_test(the_list_goes_from_the_oldest_change_to_the_newest),
        gcal_test(a_calendar_takes_6000_rules),
        gcal_test(what_is_concealed_is_not_found_by_looking_for_it),
        gcal_test(what_an_update_of_a_calendar_leaves_out_is_gone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
