/* SPDX-License-Identifier: Apache-2.0 */
/* Tools of a community server for calendars: each is called with its documented arguments. */
#include "tests/support/mcp.h"
#include "tests/support/unit.h"

#define ADA  "ada@acme.example"
#define BOB  "bob@acme.example"
#define PATH "/mcp/calendar?tools=community"

static const char doc[] =
    "sosia: 1\n"
    "time: 2026-03-12T08:00:00Z\n"
    "organizations: [{domain: acme.example, name: Acme}]\n"
    "people:\n"
    "  - {email: ada@acme.example, name: Ada Ames, zone: Europe/Rome}\n"
    "  - {email: bob@acme.example, name: Bob Stone}\n"
    "calendars:\n"
    "  - id: ada@acme.example\n"
    "    primary: true\n"
    "    access: [{role: reader, person: bob@acme.example}]\n"
    "    events:\n"
    "      - {id: review1, summary: Budget review, start: '2026-03-12T10:00', end: "
    "'2026-03-12T11:00', attendees: [{email: bob@acme.example}]}\n"
    "      - {id: standup1, summary: Standup, zone: Europe/Rome, start: '2026-03-09T09:00', end: "
    "'2026-03-09T09:15', recurrence: ['RRULE:FREQ=DAILY;COUNT=30']}\n"
    "  - {id: team@group.calendar.google.com, owner: ada@acme.example, summary: Team,\n"
    "     events: [{id: offsite1, summary: Offsite, start: '2026-03-13'}]}\n";

static int set_up(void **state)
{
    return test_open(doc);
}

static int tear_down(void **state)
{
    return test_close();
}

static const struct json *done(const char *who, const char *tool, const char *arguments)
{
    const char *text = mcp_done(who, PATH, tool, arguments);
    return parsed(text, strlen(text));
}

static void refuse(const char *tool, const char *arguments, const char *expected)
{
    mcp_refuse(ADA, PATH, tool, arguments, expected);
}

static void calendars_events_and_the_time_are_shown(void **state)
{
    const struct json *v = done(ADA, "list-calendars", "{'account':'normal'}");
    assert_at(v, "totalCount", "2");
    v = done(ADA, "list-events",
             "{'calendarId':'primary','timeMin':'2026-03-12T00:00:00','timeMax':"
             "'2026-03-13T00:00:00'}");
    assert_at(v, "totalCount", "2");
    assert_at(v, "events.0.summary", "Standup");
    assert_at(v, "events.1.summary", "Budget review");
    assert_at(v, "events.1.startDayOfWeek", "Thursday");
    assert_at(v, "events.1.calendarId", "primary");
    assert_at(v, "events.1.accountId", "normal");
    assert_at(v, "events.1.attendees.0.email", BOB);
    v = done(ADA, "list-events",
             "{'calendarId':'[\\\"Team\\\",\\\"primary\\\"]','timeMin':'2026-03-12T00:00:00+01:00',"
             "'timeMax':'2026-03-14T00:00:00+01:00','fields':['creator']}");
    assert_at(v, "totalCount", "4");
    assert_at(v, "calendars.0", "team@group.calendar.google.com");
    assert_at(v, "events.0.creator.email", ADA);
    assert_at(v, "events.0.iCalUID", "");
    v = done(ADA, "list-events",
             "{'calendarId':' [ \\u0027Team\\u0027 , \\u0027primary\\u0027] ','timeMin':"
             "'2026-03-12T00:00:00+01:00','timeMax':'2026-03-14T00:00:00+01:00'}");
    assert_at(v, "totalCount", "4");
    v = done(ADA, "search-events",
             "{'calendarId':'primary','query':'budget','timeMin':'2026-03-01T00:00:00','timeMax':"
             "'2026-04-01T00:00:00'}");
    assert_at(v, "totalCount", "1");
    assert_at(v, "timeRange.start", "2026-02-28T23:00:00Z");
    v = done(ADA, "get-event", "{'calendarId':'team','eventId':'offsite1'}");
    assert_at(v, "event.start.date", "2026-03-13");
    assert_at(v, "event.startDayOfWeek", "Friday");
    v = done(ADA, "list-colors", "{}");
    assert_true(*printed_at(v, "event.1.background") == '#');
    v = done(ADA, "get-current-time", "{}");
    assert_at(v, "currentTime", "2026-03-12T09:00:00.000+01:00");
    assert_at(v, "offset", "+01:00");
    assert_at(v, "isDST", "false");
    assert_at(v, "dayOfWeek", "Thursday");
    v = done(ADA, "get-current-time", "{'timeZone':'America/New_York'}");
    assert_at(v, "isDST", "true");
    v = done(ADA, "get-freebusy",
             "{'calendars':[{'id':'primary'},{'id':'none@acme.example'}],'timeMin':"
             "'2026-03-12T00:00:00','timeMax':'2026-03-13T00:00:00'}");
    assert_at(json_get(json_get(v, "calendars"), "primary"), "busy.1.start",
              "2026-03-12T10:00:00+01:00");
    assert_at(json_get(json_get(v, "calendars"), "none@acme.example"), "errors.0.reason",
              "notFound");
}

static void events_are_made(void **state)
{
    const struct json *v =
        done(ADA, "create-event",
             "{'calendarId':'primary','summary':'Lunch','start':'2026-03-12T10:30:00','end':"
             "'2026-03-12T11:30:00','attendees':[{'email':'bob@acme.example','optional':true}],"
             "'reminders':{'useDefault':false,'overrides':[{'minutes':5}]},'extendedProperties':"
             "{'private':{'a':'b'}}}");
    assert_at(v, "event.start.dateTime", "2026-03-12T10:30:00+01:00");
    assert_at(v, "event.start.timeZone", "Europe/Rome");
    assert_at(v, "event.reminders.overrides.0.method", "popup");
    assert_at(v, "event.extendedProperties.private.a", "b");
    assert_at(v, "conflicts.0.event.id", "review1");
    assert_at(v, "conflicts.0.overlap.duration", "30 minutes");
    assert_at(v, "conflicts.0.overlap.percentage", "50%");
    assert_at(v, "duplicates", "");
    /* the same again */
    const char *again = "{'calendarId':'primary','summary':'LUNCH','start':'2026-03-12T11:00:00',"
                        "'end':'2026-03-12T12:00:00'";
    refuse("create-event", arena_printf(&test_arena, "%s}", again), "Duplicate event detected");
    v = done(ADA, "create-event", arena_printf(&test_arena, "%s,'allowDuplicates':true}", again));
    assert_at(v, "duplicates.0.event.similarity", "0.95");
    v = done(ADA, "create-event",
             "{'calendarId':'primary','summary':'Away','eventType':'outOfOffice','start':"
             "'{\\\"dateTime\\\":\\\"2026-03-20T09:00:00\\\",\\\"timeZone\\\":\\\"Asia/Tokyo\\\"}',"
             "'end':'2026-03-20T09:00:00Z'}");
    assert_at(v, "event.outOfOfficeProperties.autoDeclineMode", "declineAllConflictingInvitations");
    assert_at(v, "event.start.dateTime", "2026-03-20T01:00:00+01:00");
    v = done(ADA, "create-events",
             "{'calendarId':'Team','events':[{'summary':'One','start':'2026-03-16','end':"
             "'2026-03-17'},{'summary':'Two','start':'2026-03-16T10:00:00','end':"
             "'2026-03-16T09:00:00'}]}");
    assert_at(v, "totalCreated", "1");
    assert_at(v, "totalFailed", "1");
    assert_at(v, "created.0.calendarId", "team@group.calendar.google.com");
    assert_at(v, "failed.0.index", "1");
    refuse("create-events",
           "{'events':[{'summary':'Two','start':'2026-03-16T10:00:00','end':"
           "'2026-03-16T09:00:00'}]}",
           "\"totalCreated\":0");
    refuse("create-events",
           "{'events':[{'summary':'One','start':'2026-03-18','end':'2026-03-19'},{'summary':'Two',"
           "'start':'2026-03-16T10:00:00','end':'noon'}]}",
           "events[1].end must be as 2026-03-12T09:30:00, with an offset, or a day, not \"noon\"");
    v = done(ADA, "search-events",
             "{'calendarId':'primary','query':'One','timeMin':'2026-03-18T00:00:00','timeMax':"
             "'2026-03-20T00:00:00'}");
    assert_at(v, "totalCount", "0");
}

static void events_change_and_go(void **state)
{
    const struct json *v =
        done(ADA, "update-event",
             "{'calendarId':'primary','eventId':'review1','start':'2026-03-13T09:00:00','end':"
             "'2026-03-13T09:30:00','attendees':[{'email':'BOB@acme.example'},{'email':"
             "'eve@far.example'}]}");
    assert_at(v, "event.start.dateTime", "2026-03-13T09:00:00+01:00");
    assert_at(v, "event.attendees.0.email", BOB);
    assert_at(v, "event.attendees.1.email", "eve@far.example");
    assert_at(v, "conflicts.0.event.title", "Standup");
    v = done(ADA, "update-event",
             "{'calendarId':'primary','eventId':'standup1','summary':'Late','modificationScope':"
             "'thisEventOnly','originalStartTime':'2026-03-14T09:00:00+01:00'}");
    assert_at(v, "event.recurringEventId", "standup1");
    assert_at(v, "event.summary", "Late");
    v = done(ADA, "update-event",
             "{'calendarId':'primary','eventId':'standup1','summary':'Later','modificationScope':"
             "'thisAndFollowing','futureStartDate':'2026-03-18T09:00:00+01:00'}");
    assert_at(v, "event.summary", "Later");
    assert_at(v, "event.end.dateTime", "2026-03-18T09:15:00+01:00");
    v = done(ADA, "get-event", "{'calendarId':'primary','eventId':'standup1'}");
    assert_at(v, "event.recurrence.0", "RRULE:FREQ=DAILY;UNTIL=20260317T080000Z");
    v = done(BOB, "respond-to-event",
             "{'calendarId':'primary','eventId':'review1','response':'accepted','comment':'Yes'}");
    assert_at(v, "responseStatus", "accepted");
    assert_at(v, "sendUpdates", "none");
    assert_at(v, "event.attendees.0.responseStatus", "accepted");
    refuse("delete-event", "{'calendarId':'primary','eventId':['review1']}",
           "eventId must be a string, not [\"review1\"]");
    refuse("delete-event", "{'calendarId':true,'eventId':'review1'}",
           "calendarId must be a string, not true");
    v = done(ADA, "delete-event", "{'calendarId':'primary','eventId':'review1'}");
    assert_at(v, "success", "true");
    refuse("delete-event", "{'calendarId':'primary','eventId':'review1'}", "410 deleted");
}

static void what_is_not_so_is_refused(void **state)
{
    static const char *const cases[][3] = {
        {"list-calendars", "{'account':['normal','work']}", "the only account is normal"},
        {"list-events", "{'calendarId':[]}", "from 1 to 50 items"},
        {"list-events", "{'calendarId':['a@b','a@b']}", "twice"},
        {"list-events", "{'calendarId':'Nowhere'}", "there is no calendar"},
        {"list-events", "{'calendarId':'primary','timeMin':'2026-03-12'}", "timeMin must be"},
        {"list-events", "{'calendarId':'primary','fields':['nothing']}", "fields must be one of"},
        {"search-events", "{'calendarId':'primary','query':'x'}", "timeMin is required"},
        {"get-event", "{'calendarId':'primary','eventId':'none1'}", "404 notFound"},
        {"list-colors", "{'account':'x'}", "the only account"},
        {"get-current-time", "{'timeZone':'Mars/Base'}", "timeZone must be one"},
        {"get-freebusy",
         "{'calendars':[{}],'timeMin':'2026-03-12T00:00:00','timeMax':'2026-03-13T00:00:00'}",
         "calendars.id is required"},
        {"get-freebusy",
         "{'calendars':[],'timeMin':'2026-03-12T00:00:00','timeMax':'2026-08-13T00:00:00'}",
         "at most 90 days"},
        {"create-event", "{'calendarId':'primary','summary':'x','start':'noon','end':'noon'}",
         "start must be"},
        {"create-event",
         "{'calendarId':'primary','summary':'x','start':'2026-03-12','end':'2026-03-13',"
         "'eventType':'focusTime'}",
         "must be times"},
        {"create-event",
         "{'calendarId':'primary','summary':'x','start':'2026-03-12','end':'2026-03-13',"
         "'eventType':'workingLocation'}",
         "workingLocationProperties is required"},
        {"create-events", "{'events':[]}", "from 1 to 50 items"},
        {"update-event",
         "{'calendarId':'primary','eventId':'review1','modificationScope':'thisEventOnly',"
         "'originalStartTime':'2026-03-12T09:00:00'}",
         "must be all"},
        {"update-event",
         "{'calendarId':'none@x.example','eventId':'none','modificationScope':'thisEventOnly'}",
         "originalStartTime is required"},
        {"respond-to-event",
         "{'calendarId':'none@x.example','eventId':'none','response':'accepted',"
         "'modificationScope':'thisEventOnly'}",
         "originalStartTime is required"},
        {"update-event", "{'calendarId':'primary','eventId':'review1','originalStartTime':'noon'}",
         "originalStartTime must be as"},
        {"update-event",
         "{'calendarId':'primary','eventId':'review1','attachments':[{'fileUrl':'https://x.y/'}]}",
         "attachments.title is required"},
        {"create-event",
         "{'calendarId':'primary','summary':'x','start':'2026-03-12','end':'2026-03-13',"
         "'duplicateSimilarityThreshold':-1}",
         "must be from 0 to 1, not -1"},
        {"list-events", "{'calendarId':'none@x.example'}", "404 notFound"},
        {"list-events", "{'calendarId':['primary','Nowhere']}", "there is no calendar"},
        {"list-events", "{'calendarId':' '}", "calendarId must name a calendar"},
        {"list-events", "{'calendarId':'[x'}", "there is no calendar \"[x\""},
        {"list-events", "{'calendarId':'primary','timeMin':null}", "must be a string, not null"},
        {"update-event",
         "{'calendarId':'primary','eventId':'standup1','modificationScope':'thisEventOnly'}",
         "originalStartTime is required"},
        {"update-event",
         "{'calendarId':'primary','eventId':'standup1','modificationScope':'thisAndFollowing',"
         "'futureStartDate':'2026-03-01T00:00:00'}",
         "in the future"},
        {"respond-to-event", "{'calendarId':'primary','eventId':'review1','response':'accepted'}",
         "only guests respond"},
        {"respond-to-event", "{'calendarId':'primary','eventId':'review1','response':'yes'}",
         "response must be one of"},
    };
    for (size_t i = 0; i < SOSIA_LEN(cases); i++)
        refuse(cases[i][0], cases[i][1], cases[i][2]);
}

/* A calendar that is not in the list, but may be read. */
static void calendars_are_read_by_their_ids(void **state)
{
    const struct json *v = done(BOB, "list-events",
                                "{'calendarId':'ada@acme.example','timeMin':"
                                "'2026-03-12T00:00:00Z','timeMax':'2026-03-13T00:00:00Z'}");
    assert_at(v, "totalCount", "2");
    v = done(BOB, "list-events",
             "{'calendarId':['ada@acme.example','none@acme.example'],'timeMin':"
             "'2026-03-12T00:00:00Z','timeMax':'2026-03-13T00:00:00Z'}");
    assert_at(v, "totalCount", "2");
    assert_at(v, "calendars.1", "none@acme.example");
    assert_at(v, "warnings", "");
}

/* As in the original, whose question for whole days the service refuses. */
static void whole_days_have_no_conflicts(void **state)
{
    const struct json *v = done(ADA, "update-event",
                                "{'calendarId':'primary','eventId':'review1','start':'2026-03-12',"
                                "'end':'2026-03-13'}");
    assert_at(v, "event.start.date", "2026-03-12");
    assert_at(v, "conflicts", "");
}

static void what_is_not_known_goes_nowhere(void **state)
{
    const struct json *v =
        done(ADA, "create-event",
             "{'calendarId':'primary','summary':'Lunch','start':'2026-03-12T10:30:00','end':"
             "'2026-03-12T11:30:00','more':1,'attendees':[{'email':'bob@acme.example','x':[1]}]}");
    assert_at(v, "event.attendees.0.email", BOB);
    v = done(ADA, "create-event",
             "{'calendarId':'primary','summary':'Home','start':'2026-03-16','end':'2026-03-17',"
             "'eventType':'workingLocation','workingLocationProperties':{'type':'homeOffice'}}");
    assert_at(v, "event.eventType", "workingLocation");
    v = done(ADA, "get-freebusy",
             "{'calendars':[{'id':'primary'}],'timeMin':'2026-03-13T00:00:00','timeMax':"
             "'2026-03-12T00:00:00'}");
    assert_at(v, "calendars.primary.errors.0.reason", "notFound");
    assert_at(v, "calendars.primary.busy", "[]");
}

/* Each field is asked for once, however often it is said. */
static void fields_are_said_often(void **state)
{
    struct buf b;
    buf_init(&b, 0);
    for (int i = 0; i < 100000; i++)
        buf_puts(&b, ",'colorId'");
    const struct json *v =
        done(ADA, "get-event",
             arena_printf(&test_arena,
                          "{'calendarId':'primary','eventId':'review1','fields':['status'%s]}",
                          buf_str(&b)));
    buf_done(&b);
    assert_at(v, "event.id", "review1");
}

static void the_list_has_what_the_token_may_do(void **state)
{
    const char *all = mcp_names(ADA, PATH), *some = mcp_names(ADA, PATH "&risk=read");
    assert_non_null(strstr(all, "update-event"));
    assert_null(strstr(some, "update-event"));
    assert_non_null(strstr(some, "get-freebusy"));
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(calendars_events_and_the_time_are_shown),
        TEST(events_are_made),
        TEST(events_change_and_go),
        TEST(what_is_not_so_is_refused),
        TEST(calendars_are_read_by_their_ids),
        TEST(whole_days_have_no_conflicts),
        TEST(what_is_not_known_goes_nowhere),
        TEST(fields_are_said_often),
        TEST(the_list_has_what_the_token_may_do),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
