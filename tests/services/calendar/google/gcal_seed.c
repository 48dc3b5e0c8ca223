/* SPDX-License-Identifier: Apache-2.0 */
/* Calendars in seed documents, dumps and diffs. */
#include "tests/support/gcal.h"
#include <stdio.h>
#include <stdlib.h>

#define EVENTS "/calendars/primary/events"

#define HEAD                                                                                       \
    "sosia: 1\ntime: 2026-11-23T08:00:00Z\npeople:\n"                                              \
    "  - {email: ada@acme.example, zone: Europe/Rome}\n"                                           \
    "  - {email: bob@acme.example, zone: America/New_York}\n"

/* What is refused, with its message. */
static void assert_no_world(const char *doc, const char *text)
{
    struct sosia_world_options opt = {
        .seed_doc = doc, .seed_doc_len = strlen(doc), .seed_doc_name = "x"};
    struct sosia_err err;
    uint64_t w;
    assert_int_equal(sosia_world_create(test_engine, &opt, &w, &err), -1);
    if (!strstr(err.text, text))
        fail_msg("\"%s\" is not in \"%s\"", text, err.text);
}

static char *dump_of(uint64_t world)
{
    struct sosia_blob blob;
    struct sosia_err err;
    if (sosia_world_dump(test_engine, world, &blob, &err) < 0)
        fail_msg("dump: %s", err.text);
    return blob.data;
}

/* Makes a world of the dump of the present one: the dumps must be the same. */
static void assert_round_trip(void)
{
    char *first = dump_of(test_world);
    struct sosia_world_options opt = {.seed_doc = first, .seed_doc_len = strlen(first)};
    struct sosia_err err;
    uint64_t w;
    if (sosia_world_create(test_engine, &opt, &w, &err) < 0)
        fail_msg("again: %s in %s", err.text, first);
    char *second = dump_of(w);
    assert_string_equal(first, second);
    free(first);
    free(second);
    sosia_world_drop(test_engine, w, &err);
}

static void everybody_has_a_primary_calendar_without_a_seed(void **state)
{
    test_use(HEAD);
    const struct json *v = as(BOB, "GET", "/calendars/primary", NULL);
    assert_string_equal(text_at(v, "id"), BOB);
    assert_string_equal(text_at(v, "timeZone"), "America/New_York");
    assert_null(value_at(test_dump(), "calendars"));
}

static void times_are_read_on_the_wall_clock_of_the_zone(void **state)
{
    test_use(HEAD "calendars:\n  - id: ada@acme.example\n    events:\n"
                  "      - {id: aaaaa, start: 2026-11-24T10:00, end: 2026-11-24T11:30}\n"
                  "      - {id: bbbbb, start: 2026-11-24T10:00, zone: Asia/Tokyo}\n"
                  "      - {id: ccccc, start: 2026-11-24T10:00:00-03:00}\n"
                  "      - {id: ddddd, start: 2026-11-24, end: 2026-11-26}\n"
                  "      - {id: eeeee, start: 2026-11-24}\n");
    const struct json *v = as(ADA, "GET", EVENTS, NULL);
    assert_string_equal(column(v, "items", "start.dateTime"),
                        "2026-11-24T10:00:00+01:00 2026-11-24T02:00:00+01:00 "
                        "2026-11-24T14:00:00+01:00 - -");
    assert_string_equal(column(v, "items", "end.dateTime"),
                        "2026-11-24T11:30:00+01:00 2026-11-24T03:00:00+01:00 "
                        "2026-11-24T15:00:00+01:00 - -");
    assert_string_equal(column(v, "items", "end.date"), "- - - 2026-11-26 2026-11-25");
}

/* Rome was 49 minutes and 56 seconds ahead of Greenwich. */
static void local_mean_times_come_back_to_the_second(void **state)
{
    test_use(HEAD "calendars:\n  - id: ada@acme.example\n    events:\n"
                  "      - {id: aaaaa, start: 1800-11-24T10:00, end: 1800-11-24T11:30}\n");
    assert_string_equal(text_at(test_dump(), "calendars.0.events.0.start"), "1800-11-24T10:00");
    assert_round_trip();
}

static void a_rich_world_comes_back_from_its_dump(void **state)
{
    test_use(
        HEAD
        "calendars:\n"
        "  - id: ada@acme.example\n    summary: Ada\n    description: D\n"
        "    access:\n"
        "      - {role: reader, person: bob@acme.example}\n      - {role: freebusy, public: true}\n"
        "    lists:\n      - {person: bob@acme.example, name: Boss, color: '3', selected: false}\n"
        "    events:\n"
        "      - id: aaaaa\n        summary: One\n        start: 2026-11-24T10:00\n        end: "
        "2026-11-24T11:00\n"
        "        attendees:\n          - bob@acme.example\n          - {email: eve@else.example, "
        "name: Eve, optional: true}\n"
        "        rights: [guestsDontInvite]\n        color: '4'\n        visibility: private\n"
        "        properties: {a: b}\n        ownProperties: {c: d}\n"
        "        reminders: [{method: popup, minutes: 5}]\n"
        "      - id: serie\n        summary: S\n        start: 2026-11-23T09:00\n        end: "
        "2026-11-23T09:15\n"
        "        zone: Europe/Rome\n        recurrence: ['RRULE:FREQ=WEEKLY;BYDAY=MO']\n"
        "        attendees: [bob@acme.example]\n"
        "        instances:\n"
        "          - {originalStart: 2026-11-30T09:00, status: cancelled}\n"
        "          - {originalStart: 2026-12-07T09:00, start: 2026-12-07T11:00, end: "
        "2026-12-07T11:15, summary: Later}\n"
        "      - {id: night, start: 2026-10-25T02:30:00+01:00, end: 2026-10-25T03:30:00+01:00}\n"
        "      - {id: days0, start: 2026-12-24, end: 2026-12-27, reminders: default, free: true}\n"
        "  - id: team@group.calendar.google.com\n    owner: bob@acme.example\n    summary: Team\n  "
        "  zone: UTC\n"
        "    events:\n      - {id: ttttt, summary: T, start: 2026-11-24T10:00, creator: "
        "ada@acme.example}\n"
        "  - id: bob@acme.example\n    copies:\n"
        "      - {id: aaaaa, color: '9', summary: My own}\n"
        "      - {id: serie_20261214T080000Z, removed: true}\n"
        "calendarSettings:\n  - {person: bob@acme.example, weekStart: '1'}\n");
    assert_round_trip();
    const struct json *v = as(BOB, "GET", EVENTS "/aaaaa", NULL);
    assert_string_equal(text_at(v, "summary"), "My own");
    assert_string_equal(text_at(v, "colorId"), "9");
    v = as(BOB, "GET", "/users/me/settings/weekStart", NULL);
    assert_string_equal(text_at(v, "value"), "1");
    v = as(ADA, "GET", EVENTS "/night", NULL);
    assert_string_equal(text_at(v, "start.dateTime"), "2026-10-25T02:30:00+01:00");
}

static void what_clients_do_comes_back_from_a_dump(void **state)
{
    make_event("aaaaa", "'attendees':[{'email':'bob@acme.example'},{'email':'all@acme.example'},{'"
                        "email':'room@acme.example'}]");
    make_event("serie", "'recurrence':['RRULE:FREQ=DAILY;COUNT=5'],'attendees':[{'email':'bob@acme."
                        "example'},{'email':'cyd@acme.example'}]");
    as(BOB, "PATCH", EVENTS "/aaaaa",
       "{'attendees':[{'email':'bob@acme.example','responseStatus':'accepted','comment':'c'}],'"
       "colorId':'2'}");
    as(BOB, "PATCH", EVENTS "/serie_20261125T090000Z",
       "{'reminders':{'useDefault':false},'summary':'local'}");
    as(CYD, "DELETE", EVENTS "/serie_20261126T090000Z", NULL);
    as(ADA, "PATCH", EVENTS "/serie_20261127T090000Z",
       "{'start':{'dateTime':'2026-11-27T12:00:00Z'},'end':{'dateTime':'2026-11-27T13:00:00Z'}}");
    as(ADA, "PATCH", EVENTS "/serie_20261128T090000Z",
       "{'attendees':[{'email':'cyd@acme.example'}],'location':'L'}");
    as(ADA, "POST", "/calendars", "{'summary':'Second'}");
    as(CYD, "POST", EVENTS "/import",
       "{'iCalUID':'x@else','organizer':{'email':'eve@else.example','displayName':'Eve'},"
       "'attendees':[{'email':'cyd@acme.example'}],'start':{'date':'2026-11-24'},'end':{'date':'"
       "2026-11-25'}}");
    as(ADA, "POST", "/calendars/primary/acl",
       "{'role':'writer','scope':{'type':'group','value':'all@acme.example'}}");
    as(BOB, "POST", "/users/me/calendarList", "{'id':'ada@acme.example','hidden':true}");
    as(ADA, "PATCH", "/users/me/calendarList/primary",
       "{'defaultReminders':[],'notificationSettings':null}");
    as(ADA, "POST", EVENTS "?conferenceDataVersion=1",
       "{'start':{'date':'2026-11-24'},'end':{'date':'2026-11-25'},'conferenceData':{'"
       "createRequest':{'requestId':'r'}}}");
    as(ADA, "DELETE", EVENTS "/aaaaa", NULL);
    assert_round_trip();
}

/* Their names are those of members that hold times elsewhere. */
static void properties_are_not_taken_for_relative_times(void **state)
{
    make_event("aaaaa", "'extendedProperties':{'private':{'date':'tomorrow'},"
                        "'shared':{'at':'today 10:00','due':'next friday'}}");
    assert_round_trip();
}

static void mistakes_are_named_with_their_place(void **state)
{
#define EVENT(fields)                                                                              \
    HEAD "calendars:\n  - id: ada@acme.example\n    events:\n      - {" fields "}\n"
    assert_no_world(EVENT("id: aaaaa, start: soon"),
                    "x:9: calendars[0].events[0].start: \"soon\" is neither a time");
    assert_no_world(EVENT("id: aaaaa"), "calendars[0].events[0].start: is missing");
    assert_no_world(EVENT("start: 2026-11-24, end: 2026-11-23"), "the end is before the start");
    assert_no_world(EVENT("start: 2026-11-24, end: 2026-11-24T10:00"), "must both be dates");
    assert_no_world(EVENT("start: 2026-11-24, zone: Mars"), "unknown time zone");
    assert_no_world(EVENT("start: 2026-11-24, recurrence: [DAILY]"), "recurrence");
    assert_no_world(EVENT("start: 2026-11-24, atendees: []"), "atendees: there is no such field");
    assert_no_world(EVENT("start: 2026-11-24, attendees: [nobody]"),
                    "attendees[0]: \"nobody\" is not an e-mail address");
    assert_no_world(EVENT("start: 2026-11-24, status: maybe"), "status");
    assert_no_world(EVENT("start: 2026-11-24, instances: []"), "only a series has instances");
    assert_no_world(HEAD "calendars:\n  - {id: x, owner: eve@acme.example, summary: S}\n",
                    "there is nobody");
    assert_no_world(HEAD "calendars:\n  - {id: x, owner: ada@acme.example}\n",
                    "summary: is missing");
    assert_no_world(
        HEAD "calendars:\n  - {id: ada@acme.example, access: [{role: king, public: true}]}\n",
        "king");
    assert_no_world(HEAD "calendars:\n  - {id: ada@acme.example, access: [{role: reader}]}\n",
                    "needs one of");
    assert_no_world(HEAD "calendars:\n  - {id: ada@acme.example, copies: [{id: aaaaa}]}\n",
                    "no copy of an invitation");
    assert_no_world(HEAD "calendarSettings:\n  - {person: ada@acme.example, weekStart: '9'}\n",
                    "not a value of weekStart");
    assert_no_world(HEAD "calendars:\n  - id: ada@acme.example\n    events:\n      - {id: aaaaa, "
                         "start: 2026-11-24}\n"
                         "      - {id: aaaaa, start: 2026-11-24}\n",
                    "x:10: calendars[0].events[1]");
    assert_no_world(EVENT("start: 2026-11-24, originalStart: 2026-11-24"),
                    "x:9: calendars[0].events[0].id: is missing");
    assert_no_world(EVENT("id: aaaaa_20261124, start: 2026-11-24, originalStart: 2026-11-24, "
                          "recurrence: ['RRULE:FREQ=DAILY']"),
                    "an instance has an originalStart");
    assert_no_world(HEAD "calendars:\n  - id: ada@acme.example\n    events:\n      - {id: aaaaa, "
                         "start: 2026-11-24, attendees: [bob@acme.example]}\n"
                         "  - id: bob@acme.example\n    copies:\n"
                         "      - {id: aaaaa, removed: true}\n      - {id: aaaaa, removed: true}\n",
                    "x:13: calendars[1].copies[1].removed: the event is deleted");
}

/* Five events are seeded into an empty calendar, a program cancels one and moves another by a day.
 */
static void what_a_program_did_is_shown_by_a_diff_and_undone_by_a_reset(void **state)
{
    static const char five[] =
        "{\"sosia\":1,\"calendars\":[{\"id\":\"ada@acme.example\",\"events\":["
        "{\"id\":\"event1\",\"summary\":\"1\",\"start\":\"2026-11-24T10:00\",\"attendees\":[\"bob@"
        "acme.example\"]},"
        "{\"id\":\"event2\",\"summary\":\"2\",\"start\":\"2026-11-25T10:00\",\"attendees\":[\"bob@"
        "acme.example\"]},"
        "{\"id\":\"event3\",\"summary\":\"3\",\"start\":\"2026-11-26T10:00\"},"
        "{\"id\":\"event4\",\"summary\":\"4\",\"start\":\"2026-11-27T10:00\"},"
        "{\"id\":\"event5\",\"summary\":\"5\",\"start\":\"2026-11-28T10:00\"}]}]}";
    char *dumps[2][3];
    for (int round = 0; round < 2; round++) {
        struct sosia_err err;
        struct sosia_blob diff;
        uint64_t before;
        test_use(HEAD);
        assert_int_equal(
            sosia_world_seed(test_engine, test_world, five, strlen(five), "five", &err), 0);
        assert_int_equal(count_at(test_dump(), "calendars.0.events"), 5);
        assert_int_equal(sosia_world_fork(test_engine, test_world, NULL, &before, &err), 0);
        uint64_t start = test_world;
        test_world = before;
        assert_int_equal(sosia_world_fork(test_engine, start, NULL, &test_world, &err), 0);
        as(ADA, "DELETE", EVENTS "/event1", NULL);
        as(ADA, "PATCH", EVENTS "/event2",
           "{'start':{'dateTime':'2026-11-26T10:00:00+01:00'},'end':{'dateTime':'2026-11-26T11:00:"
           "00+01:00'}}");
        const struct json *v = test_dump();
        assert_int_equal(count_at(v, "calendars.0.events"), 4);
        assert_non_null(
            strstr(column(v, "calendars.0.events", "start"), "2026-11-26T10:00 2026-11-26T10:00"));
        assert_int_equal(sosia_world_diff(test_engine, before, test_world, &diff, &err), 0);
        const char *changed = strstr(diff.data, "\"changed\"");
        if (!strstr(diff.data, "\"removed\"") || !changed || strstr(changed + 1, "\"changed\"") ||
            strstr(diff.data, "\"added\""))
            fail_msg("%s", diff.data);
        assert_non_null(strstr(diff.data, "\"event1\""));
        assert_non_null(strstr(diff.data, "\"event2\""));
        dumps[round][0] = dump_of(test_world);
        dumps[round][1] = diff.data;
        assert_int_equal(sosia_world_reset(test_engine, test_world, &err), 0);
        assert_int_equal(count_at(test_dump(), "calendars.0.events"), 5);
        dumps[round][2] = dump_of(test_world);
    }
    for (int i = 0; i < 3; i++) {
        assert_string_equal(dumps[0][i], dumps[1][i]);
        free(dumps[0][i]);
        free(dumps[1][i]);
    }
}

static void what_is_made_in_a_world_of_a_dump_is_new(void **state)
{
    test_use(HEAD);
    for (int i = 0; i < 3; i++) {
        as(ADA, "POST", EVENTS,
           "{'start':{'date':'2026-11-26'},'end':{'date':'2026-11-27'},'summary':'x'}");
        assert_int_equal(test_status, 200);
        as(ADA, "POST", "/calendars", "{'summary':'y'}");
        assert_int_equal(test_status, 200);
        test_use(json_to_text(&test_arena, test_dump()));
    }
}

/* A guest took the invitation away, then its organizer deleted it: nothing is left to dump. */
static void what_guest_and_organizer_both_deleted_is_in_no_dump(void **state)
{
    test_use(HEAD);
    as(ADA, "POST", EVENTS,
       "{'id':'single1','start':{'date':'2026-11-26'},'end':{'date':'2026-11-27'},"
       "'attendees':[{'email':'bob@acme.example'}]}");
    as(ADA, "POST", EVENTS,
       "{'id':'series1','start':{'date':'2026-11-26'},'end':{'date':'2026-11-27'},"
       "'recurrence':['RRULE:FREQ=DAILY;COUNT=5'],'attendees':[{'email':'bob@acme.example'}]}");
    as(BOB, "DELETE", EVENTS "/single1", NULL);
    assert_int_equal(test_status, 204);
    as(BOB, "DELETE", EVENTS "/series1_20261127", NULL);
    assert_int_equal(test_status, 204);
    assert_round_trip();
    as(ADA, "DELETE", EVENTS "/single1", NULL);
    assert_int_equal(test_status, 204);
    as(ADA, "DELETE", EVENTS "/series1_20261127", NULL);
    assert_int_equal(test_status, 204);
    assert_round_trip();
}

/* The method takes any number that fits, and so does the document. */
static void all_guests_that_a_guest_brings_come_back(void **state)
{
    test_use(HEAD);
    as(ADA, "POST", EVENTS,
       "{'id':'single1','start':{'date':'2026-11-26'},'end':{'date':'2026-11-27'},"
       "'attendees':[{'email':'bob@acme.example','additionalGuests':2147483647}]}");
    assert_int_equal(test_status, 200);
    assert_round_trip();
}

/* An instance that its guest has without the series. */
static void an_instance_without_its_series_comes_back(void **state)
{
    test_use(HEAD "calendars:\n  - id: ada@acme.example\n    events:\n"
                  "      - {id: s0001_20261125T090000Z, uid: s@else.example, start: "
                  "2026-11-26T10:00, originalStart: 2026-11-25T10:00, attendees: "
                  "[ada@acme.example], organizer: dave@else.example, creator: dave@else.example}\n"
                  "      - {id: s0002_20261125, start: 2026-11-25, originalStart: 2026-11-25}\n");
    assert_round_trip();
    const struct json *v = as(ADA, "GET", EVENTS "/s0001_20261125T090000Z", NULL);
    assert_string_equal(text_at(v, "recurringEventId"), "s0001");
    assert_string_equal(text_at(v, "originalStartTime.dateTime"), "2026-11-25T10:00:00+01:00");
    assert_string_equal(text_at(v, "iCalUID"), "s@else.example");
    v = as(ADA, "GET", EVENTS "/s0002_20261125", NULL);
    assert_string_equal(text_at(v, "originalStartTime.date"), "2026-11-25");
}

static void a_sequence_goes_as_far_as_it_can(void **state)
{
    make_event("aaaaa", "'sequence':2147483647");
    as(ADA, "PATCH", EVENTS "/aaaaa", "{'start':{'dateTime':'2026-11-24T09:30:00Z'}}");
    assert_int_equal(test_status, 200);
    const struct json *v = as(ADA, "GET", EVENTS "/aaaaa", NULL);
    assert_string_equal(value_at(v, "sequence")->str, "2147483647");
    assert_round_trip();
}

static void access_of_a_domain_has_no_case(void **state)
{
    test_use(HEAD "calendars:\n  - id: ada@acme.example\n    access:\n"
                  "      - {role: reader, domain: ACME.example}\n");
    as(BOB, "GET", "/calendars/ada@acme.example", NULL);
    assert_int_equal(test_status, 200);
    assert_no_world(HEAD "calendars:\n  - id: ada@acme.example\n    access:\n"
                         "      - {role: reader, domain: '@acme.example'}\n",
                    "is not a domain");
}

static void what_goes_beyond_a_role_goes_with_it(void **state)
{
    static const struct {
        const char *rule, *said;
    } wrong[] = {
        {"{role: writer, beyond: [titles], ", "titles go with the role freebusy"},
        {"{role: owner, beyond: [private], ", "delegate and private go with the role writer"},
        {"{beyond: [delegate], ", "delegate and private go with the role writer"},
        {"{role: writer, beyond: [all], ", "there is no right beyond a role \"all\""},
    };
    (void)state;
    for (size_t i = 0; i < SOSIA_LEN(wrong); i++) {
        char text[1024];
        snprintf(text, sizeof text,
                 HEAD "calendars:\n  - id: ada@acme.example\n    access:\n"
                      "      - %sperson: bob@acme.example}\n",
                 wrong[i].rule);
        assert_no_world(text, wrong[i].said);
    }
}

static void the_owner_has_one_rule_alone(void **state)
{
    test_use(HEAD "calendars:\n  - id: ada@acme.example\n    access:\n"
                  "      - {role: owner, person: ada@acme.example}\n");
    assert_int_equal(count_at(as(ADA, "GET", "/calendars/primary/acl", NULL), "items"), 1);
    assert_no_world(HEAD "calendars:\n  - id: ada@acme.example\n    access:\n"
                         "      - {role: reader, person: ada@acme.example}\n",
                    "the owner has all rights");
}

#define LIST                                                                                       \
    HEAD "calendars:\n  - id: ada@acme.example\n    lists:\n      - person: ada@acme.example\n   " \
         "     "

static void what_a_list_shows_has_its_form(void **state)
{
    assert_no_world(LIST "notices: [{type: agenda, method: 5}]\n", "method");
    assert_no_world(LIST "notices: [{type: agenda, method: pigeon}]\n", "method");
    assert_no_world(LIST "notices: [{method: email}]\n", "type");
    assert_no_world(LIST "background: blue\n", "background");
    assert_no_world(LIST "foreground: '#12345'\n", "foreground");
    test_use(LIST "notices: [{type: agenda}]\n        background: '#16a766'\n");
    const struct json *v = as(ADA, "GET", "/users/me/calendarList/primary", NULL);
    assert_string_equal(text_at(v, "notificationSettings.notifications.0.type"), "agenda");
    assert_string_equal(text_at(v, "notificationSettings.notifications.0.method"), "email");
    assert_string_equal(text_at(v, "backgroundColor"), "#16a766");
    assert_round_trip();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        gcal_test(everybody_has_a_primary_calendar_without_a_seed),
        gcal_test(times_are_read_on_the_wall_clock_of_the_zone),
        gcal_test(local_mean_times_come_back_to_the_second),
        gcal_test(a_rich_world_comes_back_from_its_dump),
        gcal_test(what_clients_do_comes_back_from_a_dump),
        gcal_test(properties_are_not_taken_for_relative_times),
        gcal_test(mistakes_are_named_with_their_place),
        gcal_test(what_a_program_did_is_shown_by_a_diff_and_undone_by_a_reset),
        gcal_test(what_is_made_in_a_world_of_a_dump_is_new),
        gcal_test(what_guest_and_organizer_both_deleted_is_in_no_dump),
        gcal_test(all_guests_that_a_guest_brings_come_back),
        gcal_test(an_instance_without_its_series_comes_back),
        gcal_test(a_sequence_goes_as_far_as_it_can),
        gcal_test(access_of_a_domain_has_no_case),
        gcal_test(what_goes_beyond_a_role_goes_with_it),
        gcal_test(the_owner_has_one_rule_alone),
        gcal_test(what_a_list_shows_has_its_form),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
