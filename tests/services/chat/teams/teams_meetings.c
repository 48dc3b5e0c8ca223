/* SPDX-License-Identifier: Apache-2.0 */
/* Online meetings: made, found by their address, changed, deleted; their chats; transcripts that a
 * seed gives; bad input. */
#include "services/chat/teams/teams.h"
#include "tests/support/outlook.h"
#include "engine/base/codec.h"
#include <stdio.h>

#define EVE  "eve@port.example"
#define G    "!/v1.0"
#define CHAT "19:meeting_AAAA@thread.v2"

static const char doc[] =
    "sosia: 1\n"
    "time: 2026-11-23T08:00:00Z\n"
    "organizations: [{domain: port.example, name: Port}]\n"
    "people:\n"
    "  - {email: bob@port.example, name: Bob}\n"
    "  - {email: cyd@port.example, name: Cyd}\n"
    "  - {email: eve@port.example, name: Eve}\n"
    "accounts:\n"
    "  - {actor: bob@port.example, vendor: microsoft}\n"
    "  - {actor: cyd@port.example, vendor: microsoft}\n"
    "  - {actor: eve@port.example, vendor: microsoft}\n"
    "workspaces: [{domain: port.example, vendor: microsoft}]\n"
    "channels:\n"
    "  - {workspace: port.example, id: '" CHAT
    "', kind: group, topic: Ships, properties: {meeting: "
    "true}, members: [{user: bob@port.example, role: owner}, cyd@port.example]}\n"
    "onlineMeetings:\n"
    "  - {workspace: port.example, user: bob@port.example, channel: '" CHAT "', subject: Ships, "
    "start: '2026-11-20T09:00:00Z', end: '2026-11-20T10:00:00Z', number: '2123456789012'}\n"
    "meetingTranscripts:\n"
    "  - {workspace: port.example, channel: '" CHAT "', id: MSMjMCMj, start: "
    "'2026-11-20T09:01:00Z', end: '2026-11-20T09:58:00Z', content: \"WEBVTT\\n\\n00:00:01.000 --> "
    "00:00:02.000\\n<v Bob>Late</v>\\n\"}\n"
    "meetingRecordings:\n"
    "  - {workspace: port.example, channel: '" CHAT "', id: REC1, start: '2026-11-20T09:01:00Z', "
    "end: '2026-11-20T09:58:00Z', content: dmlkZW8=}\n"
    "meetingAttendance:\n"
    "  - {workspace: port.example, channel: '" CHAT "', id: REP1, start: '2026-11-20T09:00:00Z', "
    "end: '2026-11-20T10:00:00Z', people: [{email: bob@port.example, stays: [{from: "
    "'2026-11-20T09:00:00Z', to: '2026-11-20T09:30:00Z'}, {from: '2026-11-20T09:40:00Z', to: "
    "'2026-11-20T10:00:00Z'}]}, {name: Somebody, role: Presenter, stays: [{from: "
    "'2026-11-20T09:10:00Z', to: '2026-11-20T09:10:30Z'}]}]}\n";

static int open_world(void **state)
{
    (void)state;
    ol_prefer = ol_if_match = ol_type = NULL;
    return test_open(doc);
}

static int close_world(void **state)
{
    (void)state;
    return test_close();
}

static const char *escaped_filter(const char *url)
{
    char *text = arena_alloc(&test_arena, 3 * strlen(url) + 1), *to = text;
    for (const char *p = url; *p; p++)
        to += sprintf(to, strchr("%:/?=&", *p) ? "%%%02X" : "%c", (unsigned char)*p);
    *to = 0;
    return text;
}

static const struct json *make(const char *who, const char *subject)
{
    return ol_do(who, "POST", "/onlineMeetings",
                 ol_text("{'startDateTime':'2026-11-24T09:00:00Z','endDateTime':"
                         "'2026-11-24T11:30:00+01:00','subject':'%s','participants':{'attendees':"
                         "[{'upn':'" CYD "','role':'attendee'}]}}",
                         subject),
                 201);
}

static void a_meeting_is_made_found_changed_and_deleted(void **state)
{
    const struct json *v = make(BOB, "Plan");
    const char *id = text_at(v, "id"), *url = text_at(v, "joinWebUrl");
    (void)state;
    assert_string_equal(text_at(v, "endDateTime"), "2026-11-24T10:30:00Z");
    assert_string_equal(text_at(v, "participants.organizer.upn"), BOB);
    assert_string_equal(text_at(v, "participants.attendees.0.upn"), CYD);
    assert_string_equal(text_at(v, "participants.attendees.0.role"), "attendee");
    assert_true(str_starts(url, "https://teams.microsoft.com/l/meetup-join/19%3ameeting_"));
    assert_int_equal(strlen(text_at(v, "joinMeetingIdSettings.joinMeetingId")), 13);
    const char *chat = text_at(v, "chatInfo.threadId");
    v = ol_get(CYD, 200, "/onlineMeetings?$filter=JoinWebUrl%%20eq%%20'%s'", escaped_filter(url));
    assert_string_equal(text_at(v, "value.0.id"), id);
    v = ol_get(BOB, 200,
               "/onlineMeetings?$filter=joinMeetingIdSettings/joinMeetingId%%20eq%%20'%s'",
               text_at(v, "value.0.joinMeetingIdSettings.joinMeetingId"));
    assert_string_equal(text_at(v, "value.0.id"), id);
    ol_get(EVE, 403, "/onlineMeetings?$filter=JoinWebUrl%%20eq%%20'%s'", escaped_filter(url));
    v = ol_do(BOB, "PATCH", ol_text("/onlineMeetings/%s", id),
              "{'subject':'Plans','allowedPresenters':'organizer','startDateTime':"
              "'2026-11-25T09:00:00Z'}",
              200);
    assert_string_equal(text_at(v, "subject"), "Plans");
    assert_string_equal(text_at(v, "allowedPresenters"), "organizer");
    assert_string_equal(text_at(v, "endDateTime"), "2026-11-25T10:30:00Z");
    ol_do(CYD, "PATCH", ol_text("/onlineMeetings/%s", id), "{'subject':'x'}", 403);
    /* Its chat. */
    v = ol_get(CYD, 200, "!/v1.0/chats/%s", chat);
    assert_string_equal(text_at(v, "chatType"), "meeting");
    assert_string_equal(text_at(v, "topic"), "Plans");
    assert_string_equal(text_at(v, "onlineMeetingInfo.joinWebUrl"), url);
    ol_do(CYD, "POST", ol_text("!/v1.0/chats/%s/messages", chat), "{'body':{'content':'hi'}}", 201);
    ol_do(BOB, "DELETE", ol_text("/onlineMeetings/%s", id), NULL, 204);
    ol_get(BOB, 404, "/onlineMeetings/%s", id);
}

static void a_programs_own_id_finds_it_again(void **state)
{
    const char *body = "{'externalId':'x1','subject':'One'}";
    const struct json *v = ol_do(BOB, "POST", "/onlineMeetings/createOrGet", body, 201);
    const char *id = text_at(v, "id");
    (void)state;
    assert_string_equal(text_at(v, "startDateTime"), "2026-11-23T08:00:00Z");
    assert_string_equal(text_at(v, "endDateTime"), "2026-11-23T09:00:00Z");
    v = ol_do(BOB, "POST", "/onlineMeetings/createOrGet", "{'externalId':'x1','subject':'Two'}",
              200);
    assert_string_equal(text_at(v, "id"), id);
    assert_string_equal(text_at(v, "subject"), "One");
    v = ol_do(CYD, "POST", "/onlineMeetings/createOrGet", body, 201); /* another one's */
    assert_string_not_equal(text_at(v, "id"), id);
    ol_do(BOB, "POST", "/onlineMeetings/createOrGet", "{'subject':'x'}", 400);
}

/* An event with isOnlineMeeting and the meeting say the same; the chat comes with the first
 * message.
 */
static void an_event_is_a_meeting(void **state)
{
    const struct json *v =
        ol_do(BOB, "POST", "/events",
              "{'subject':'Cranes','isOnlineMeeting':true,'start':{'dateTime':"
              "'2026-11-26T09:00:00','timeZone':'UTC'},'end':{'dateTime':'2026-11-26T09:30:00',"
              "'timeZone':'UTC'},'attendees':[{'emailAddress':{'address':'" CYD "'}},"
              "{'emailAddress':{'address':'pia@far.example'}}]}",
              201);
    const char *url = text_at(v, "onlineMeeting.joinUrl"), *event = text_at(v, "id");
    (void)state;
    v = ol_get(BOB, 200, "/onlineMeetings?$filter=JoinWebUrl%%20eq%%20'%s'", escaped_filter(url));
    const char *id = text_at(v, "value.0.id"), *chat = text_at(v, "value.0.chatInfo.threadId");
    const char *number = text_at(v, "value.0.joinMeetingIdSettings.joinMeetingId");
    assert_string_equal(text_at(v, "value.0.subject"), "Cranes");
    assert_string_equal(text_at(v, "value.0.joinWebUrl"), url);
    assert_string_equal(text_at(v, "value.0.startDateTime"), "2026-11-26T09:00:00Z");
    assert_int_equal(count_at(v, "value.0.participants.attendees"), 2);
    v = ol_get(CYD, 200, "/onlineMeetings?$filter=JoinWebUrl%%20eq%%20'%s'", escaped_filter(url));
    assert_string_equal(text_at(v, "value.0.participants.organizer.upn"), BOB);
    ol_get(EVE, 404, "/onlineMeetings?$filter=JoinWebUrl%%20eq%%20'%s'", escaped_filter(url));
    ol_do(EVE, "POST", ol_text("!/v1.0/chats/%s/messages", chat), "{'body':{'content':'x'}}", 404);
    assert_int_equal(count_at(test_dump(), "onlineMeetings"), 1);
    /* A guest writes first. */
    ol_do(CYD, "POST", ol_text("!/v1.0/chats/%s/messages", chat), "{'body':{'content':'hi'}}", 201);
    v = ol_get(BOB, 200, "!/v1.0/chats/%s", chat);
    assert_string_equal(text_at(v, "chatType"), "meeting");
    assert_string_equal(text_at(v, "topic"), "Cranes");
    assert_non_null(text_at(v, "onlineMeetingInfo.calendarEventId"));
    v = ol_do(BOB, "PATCH", ol_text("/onlineMeetings/%s", id), "{'allowMeetingChat':'disabled'}",
              200);
    assert_string_equal(text_at(v, "joinMeetingIdSettings.joinMeetingId"), number);
    ol_do(BOB, "PATCH", ol_text("/events/%s", event), "{'subject':'Cranes and ships'}", 200);
    v = ol_get(CYD, 200, "/onlineMeetings/%s", id);
    assert_string_equal(text_at(v, "subject"), "Cranes and ships");
    v = ol_get(BOB, 200, "/events/%s", event);
    assert_string_equal(text_at(v, "onlineMeeting.joinUrl"), url);
}

/* An event that has somebody else's address in its text is not that meeting. */
static void an_address_in_a_text_is_no_meeting(void **state)
{
    static const char event[] =
        "'isOnlineMeeting':true,'start':{'dateTime':'2026-11-26T09:00:00','timeZone':'UTC'},"
        "'end':{'dateTime':'2026-11-26T09:30:00','timeZone':'UTC'}";
    const struct json *v =
        ol_do(BOB, "POST", "/events", ol_text("{'subject':'Cranes',%s}", event), 201);
    const char *url = text_at(v, "onlineMeeting.joinUrl");
    (void)state;
    v = ol_get(BOB, 200, "/onlineMeetings?$filter=JoinWebUrl%%20eq%%20'%s'", escaped_filter(url));
    const char *id = text_at(v, "value.0.id");
    ol_do(EVE, "POST", "/events",
          ol_text("{'subject':'Mine',%s,'body':{'contentType':'html','content':'<p>%s</p>'}}",
                  event, url),
          201);
    ol_do(EVE, "PATCH", ol_text("/onlineMeetings/%s", id), "{'subject':'Mine'}", 404);
    ol_get(EVE, 404, "/onlineMeetings?$filter=JoinWebUrl%%20eq%%20'%s'", escaped_filter(url));
    v = ol_get(BOB, 200, "/onlineMeetings/%s", id);
    assert_string_equal(text_at(v, "participants.organizer.upn"), BOB);
    assert_int_equal(count_at(test_dump(), "onlineMeetings"), 1);
}

static const char *seeded_id(void)
{
    const struct json *v =
        ol_get(CYD, 200,
               "/onlineMeetings?$filter=joinMeetingIdSettings/joinMeetingId%%20eq%%20'"
               "2123456789012'");
    return ol_text("%s", text_at(v, "value.0.id"));
}

static void recordings_are_seen(void **state)
{
    const char *id = seeded_id();
    (void)state;
    const struct json *v = ol_get(CYD, 200, "/onlineMeetings/%s/recordings", id);
    assert_int_equal(count_at(v, "value"), 1);
    v = ol_get(CYD, 200, "/onlineMeetings/%s/recordings/REC1", id);
    assert_string_equal(text_at(v, "createdDateTime"), "2026-11-20T09:01:00Z");
    assert_non_null(strstr(text_at(v, "recordingContentUrl"), "/recordings/REC1/content"));
    ol_get(CYD, 200, "/onlineMeetings/%s/recordings/REC1/content", id);
    assert_string_equal(test_header("Content-Type"), "video/mp4");
    assert_int_equal(test_len, 5);
    assert_memory_equal(test_body, "video", 5);
    ol_get(CYD, 404, "/onlineMeetings/%s/recordings/x", id);
    ol_get(EVE, 403, "/onlineMeetings/%s/recordings", id);
}

static void the_organizer_sees_who_was_there(void **state)
{
    const char *id = seeded_id();
    (void)state;
    const struct json *v = ol_get(BOB, 200, "/onlineMeetings/%s/attendanceReports", id);
    assert_string_equal(text_at(v, "value.0.id"), "REP1");
    assert_int_equal(number_at(v, "value.0.totalParticipantCount"), 2);
    assert_null(value_at(v, "value.0.attendanceRecords"));
    v = ol_get(BOB, 200, "/onlineMeetings/%s/attendanceReports/REP1?$expand=attendanceRecords", id);
    assert_string_equal(text_at(v, "meetingEndDateTime"), "2026-11-20T10:00:00Z");
    assert_string_equal(text_at(v, "attendanceRecords.0.emailAddress"), "bob@port.example");
    assert_string_equal(text_at(v, "attendanceRecords.0.role"), "Organizer");
    assert_int_equal(number_at(v, "attendanceRecords.0.totalAttendanceInSeconds"), 3000);
    assert_int_equal(number_at(v, "attendanceRecords.0.attendanceIntervals.1.durationInSeconds"),
                     1200);
    v = ol_get(BOB, 200, "/onlineMeetings/%s/attendanceReports/REP1/attendanceRecords", id);
    assert_string_equal(text_at(v, "value.1.identity.displayName"), "Somebody");
    assert_string_equal(text_at(v, "value.1.role"), "Presenter");
    ol_get(BOB, 404, "/onlineMeetings/%s/attendanceReports/x", id);
    ol_get(CYD, 403, "/onlineMeetings/%s/attendanceReports", id);
}

static void transcripts_are_read(void **state)
{
    const struct json *v =
        ol_get(CYD, 200,
               "/onlineMeetings?$filter=joinMeetingIdSettings/joinMeetingId%%20eq%%20'"
               "2123456789012'");
    const char *id = text_at(v, "value.0.id");
    (void)state;
    assert_string_equal(text_at(v, "value.0.chatInfo.threadId"), CHAT);
    v = ol_get(CYD, 200, "/onlineMeetings/%s/transcripts", id);
    assert_int_equal(count_at(v, "value"), 1);
    assert_string_equal(text_at(v, "value.0.createdDateTime"), "2026-11-20T09:01:00Z");
    v = ol_get(CYD, 200, "/onlineMeetings/%s/transcripts/MSMjMCMj", id);
    assert_string_equal(text_at(v, "meetingId"), id);
    ol_get(CYD, 200, "/onlineMeetings/%s/transcripts/MSMjMCMj/content?$format=text/vtt", id);
    assert_non_null(strstr(test_body, "<v Bob>Late</v>"));
    ol_get(CYD, 400, "/onlineMeetings/%s/transcripts/MSMjMCMj/content?$format=text/html", id);
    ol_get(CYD, 404, "/onlineMeetings/%s/transcripts/x", id);
    ol_get(EVE, 403, "/onlineMeetings/%s/transcripts", id);
    const struct json *dump = test_dump();
    assert_int_equal(count_at(dump, "meetingTranscripts"), 1);
    assert_string_equal(text_at(dump, "onlineMeetings.0.number"), "2123456789012");
}

static void bad_input_changes_nothing(void **state)
{
    static const char *const bad[] = {
        "{'startDateTime':'soon'}",
        "{'startDateTime':'2026-11-24T09:00:00Z','endDateTime':'2026-11-24T08:00:00Z'}",
        "{'endDateTime':'2026-11-24T08:00:00'}",
        "{'startDateTime':'9999-11-24T09:00:00Z'}",
        "{'subject':5}",
        "{'participants':7}",
        "[]",
    };
    (void)state;
    for (size_t i = 0; i < SOSIA_LEN(bad); i++)
        ol_do(BOB, "POST", "/onlineMeetings", bad[i], 400);
    ol_get(BOB, 400, "/onlineMeetings");
    ol_get(BOB, 400, "/onlineMeetings?$filter=subject%%20eq%%20'x'");
    ol_get(BOB, 404, "/onlineMeetings?$filter=JoinWebUrl%%20eq%%20'https://x'");
    ol_get(BOB, 400, "/onlineMeetings/x");
    ol_get(BOB, 404, "/onlineMeetings/MSoxKjAqKjE5OnhAdGhyZWFkLnYy");
    assert_int_equal(count_at(test_dump(), "onlineMeetings"), 1);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, open_world, close_world)
    const struct CMUnitTest tests[] = {
        TEST(a_meeting_is_made_found_changed_and_deleted),
        TEST(a_programs_own_id_finds_it_again),
        TEST(an_event_is_a_meeting),
        TEST(an_address_in_a_text_is_no_meeting),
        TEST(transcripts_are_read),
        TEST(recordings_are_seen),
        TEST(the_organizer_sees_who_was_there),
        TEST(bad_input_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
