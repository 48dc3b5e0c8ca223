/* SPDX-License-Identifier: Apache-2.0 */
/* Outlook Mail: invitations, answers and cancellations as messages about meetings. */
#include "engine/base/codec.h"
#include "tests/support/outlook.h"

#define DAY(time) "{'dateTime':'2026-12-01T" time ":00','timeZone':'UTC'}"
#define EVENT(more)                                                                                \
    "{'subject':'Plan','body':{'contentType':'text','content':'Bring numbers'},'start':" DAY(      \
        "10:00") ",'end':" DAY("11:00") ",'location':{'displayName':'Room 2'},"                    \
                                        "'attendees':[{'emailAddress':{'address':"                 \
                                        "'cyd@port.example'}}]" more "}"
#define EXPANDED "$expand=microsoft.graph.eventMessage/event"

/* Bob invites Cyd; the id of Bob's event. */
static const char *invite(const char *more)
{
    return text_at(ol_do(BOB, "POST", "/events", ol_text(EVENT("%s"), more), 201), "id");
}

static const char *own_event(const char *who)
{
    return text_at(ol_get(who, 200, "/events?$select=id"), "value.0.id");
}

static void answer(const char *who, const char *action, const char *body)
{
    ol_do(who, "POST", ol_text("/events/%s/%s", own_event(who), action), body, 202);
}

/* The newest message of somebody's Inbox, whole. */
static const struct json *newest(const char *who, const char *query)
{
    return ol_get(who, 200, "/messages/%s?%s", ol_newest(who, "inbox"), query);
}

static const char *written(const struct json *v, const char *path)
{
    return json_to_text(&test_arena, value_at(v, path));
}

static void an_invitation_is_a_request_with_its_event(void **state)
{
    invite("");
    const char *event = own_event(CYD);
    const struct json *v = newest(CYD, EXPANDED);
    assert_string_equal(json_get_str(v, "@odata.context"),
                        "https://graph.microsoft.com/v1.0/$metadata#users('cyd%40port.example')/"
                        "messages(microsoft.graph.eventMessage/event())/$entity");
    assert_string_equal(json_get_str(v, "@odata.type"), "#microsoft.graph.eventMessageRequest");
    assert_true(str_starts(text_at(v, "changeKey"), "CwAAABYAAAC"));
    assert_string_equal(text_at(v, "subject"), "Plan");
    assert_string_equal(text_at(v, "bodyPreview"), "Bring numbers");
    assert_string_equal(written(v, "hasAttachments"), "false");
    assert_string_equal(text_at(v, "meetingMessageType"), "meetingRequest");
    assert_string_equal(text_at(v, "type"), "singleInstance");
    assert_string_equal(text_at(v, "meetingRequestType"), "newMeetingRequest");
    assert_string_equal(written(v, "isOutOfDate"), "false");
    assert_string_equal(written(v, "isAllDay"), "false");
    assert_string_equal(written(v, "isDelegated"), "false");
    assert_string_equal(written(v, "responseRequested"), "true");
    assert_string_equal(written(v, "allowNewTimeProposals"), "true");
    assert_string_equal(written(v, "startDateTime"),
                        "{\"dateTime\":\"2026-12-01T10:00:00.0000000\",\"timeZone\":\"UTC\"}");
    assert_string_equal(text_at(v, "endDateTime.dateTime"), "2026-12-01T11:00:00.0000000");
    assert_string_equal(
        written(v, "location"),
        "{\"displayName\":\"Room 2\",\"locationType\":\"default\",\"uniqueIdType\":\"unknown\"}");
    assert_string_equal(written(v, "recurrence"), "null");
    assert_string_equal(written(v, "previousStartDateTime"), "null");
    assert_string_equal(text_at(v, "event.id"), event);
    assert_string_equal(text_at(v, "event.showAs"), "tentative");
    assert_true(strstr(test_body, ol_text("\"event@odata.navigationLink\":\"https://graph."
                                          "microsoft.com/v1.0/users('cyd@port.example')/events('%s'"
                                          ")\"",
                                          event)) != NULL);
    v = ol_get(CYD, 200, "/messages/%s/microsoft.graph.eventMessage/event?$select=subject",
               ol_newest(CYD, "inbox"));
    assert_string_equal(text_at(v, "id"), event);
    assert_null(json_get(v, "body"));
    ol_prefer = "outlook.timezone=\"Europe/Berlin\"";
    v = newest(CYD, "");
    assert_string_equal(text_at(v, "startDateTime.dateTime"), "2026-12-01T11:00:00.0000000");
}

static void what_is_selected_may_be_a_member_of_a_request(void **state)
{
    invite("");
    const struct json *v = newest(CYD, "$select=microsoft.graph.eventMessage/type,subject");
    assert_string_equal(text_at(v, "type"), "singleInstance");
    assert_string_equal(json_get_str(v, "@odata.type"), "#microsoft.graph.eventMessageRequest");
    assert_null(json_get(v, "meetingMessageType"));
    v = newest(CYD, "$select=subject");
    assert_null(json_get(v, "type"));
    ol(CYD, "GET", "/messages?$select=meetingMessageType", NULL);
    assert_int_equal(test_status, 400);
}

static void an_update_says_what_was_before(void **state)
{
    const char *id = invite("");
    test_advance(60);
    ol_do(BOB, "PATCH", ol_text("/events/%s", id),
          "{'start':" DAY("12:00") ",'end':" DAY("13:00") "}", 200);
    const struct json *v = newest(CYD, "");
    assert_string_equal(text_at(v, "meetingRequestType"), "fullUpdate");
    assert_string_equal(text_at(v, "startDateTime.dateTime"), "2026-12-01T12:00:00.0000000");
    assert_string_equal(text_at(v, "previousStartDateTime.dateTime"),
                        "2026-12-01T10:00:00.0000000");
    assert_string_equal(text_at(v, "previousEndDateTime.dateTime"), "2026-12-01T11:00:00.0000000");
    assert_string_equal(text_at(v, "previousLocation.displayName"), "Room 2");
    test_advance(60);
    ol_do(BOB, "PATCH", ol_text("/events/%s", id), "{'location':{'displayName':'Room 3'}}", 200);
    v = newest(CYD, "");
    assert_string_equal(text_at(v, "meetingRequestType"), "informationalUpdate");
    assert_string_equal(text_at(v, "location.displayName"), "Room 3");
    assert_string_equal(text_at(v, "previousLocation.displayName"), "Room 2");
    assert_string_equal(text_at(v, "previousStartDateTime.dateTime"),
                        "2026-12-01T12:00:00.0000000");
    v = ol_get(CYD, 200, "/messages");
    assert_string_equal(column(v, "value", "meetingRequestType"),
                        "informationalUpdate outdated outdated");
    assert_string_equal(written(v, "value.0.isOutOfDate"), "false");
    assert_string_equal(written(v, "value.2.isOutOfDate"), "true");
}

/* MG-646 */
static void an_answer_is_a_response_and_takes_the_request_away(void **state)
{
    const char *id = invite("");
    test_advance(60);
    answer(
        CYD, "tentativelyAccept",
        "{'comment':'Later?','proposedNewTime':{'start':" DAY("14:00") ",'end':" DAY("15:00") "}}");
    const struct json *v = ol_get(CYD, 200, "/mailFolders/inbox/messages");
    assert_int_equal(count_at(v, "value"), 0);
    v = ol_get(CYD, 200, "/mailFolders/deleteditems/messages?" EXPANDED);
    assert_string_equal(column(v, "value", "meetingMessageType"), "meetingRequest");
    assert_string_equal(text_at(v, "value.0.event.responseStatus.response"), "tentativelyAccepted");
    v = newest(BOB, EXPANDED);
    assert_string_equal(json_get_str(v, "@odata.type"), "#microsoft.graph.eventMessageResponse");
    assert_true(str_starts(text_at(v, "changeKey"), "DAAAABYAAAB"));
    assert_string_equal(text_at(v, "subject"), "New Time Proposed: Plan");
    assert_string_equal(text_at(v, "bodyPreview"), "Later?");
    assert_string_equal(text_at(v, "meetingMessageType"), "meetingTenativelyAccepted");
    assert_string_equal(text_at(v, "responseType"), "tentativelyAccepted");
    assert_string_equal(text_at(v, "proposedNewTime.start.dateTime"),
                        "2026-12-01T14:00:00.0000000");
    assert_string_equal(text_at(v, "proposedNewTime.end.dateTime"), "2026-12-01T15:00:00.0000000");
    assert_string_equal(written(v, "event"), "{}");
    assert_null(json_get(v, "responseRequested"));
    assert_null(json_get(v, "previousLocation"));
    v = ol_get(BOB, 200, "/messages/%s/microsoft.graph.eventMessage/event",
               ol_newest(BOB, "inbox"));
    assert_string_equal(text_at(v, "id"), id);
    test_advance(60);
    answer(CYD, "accept", "{'comment':'Fine'}");
    v = newest(BOB, "");
    assert_string_equal(text_at(v, "subject"), "Accepted: Plan");
    assert_string_equal(text_at(v, "responseType"), "accepted");
    assert_string_equal(text_at(v, "meetingMessageType"), "meetingAccepted");
    assert_string_equal(written(v, "proposedNewTime"), "null");
    test_advance(60);
    answer(CYD, "decline", "{}");
    assert_string_equal(text_at(newest(BOB, ""), "meetingMessageType"), "meetingDeclined");
    v = ol_get(CYD, 200, "/mailFolders/deleteditems/messages?" EXPANDED);
    assert_string_equal(written(v, "value.0.event"), "{}");
    ol(CYD, "GET",
       ol_text("/messages/%s/microsoft.graph.eventMessage/event", text_at(v, "value.0.id")), NULL);
    ol_refused(404, "ErrorItemNotFound", NULL);
}

static void an_answer_without_a_message_takes_the_request_away_too(void **state)
{
    invite("");
    answer(CYD, "accept", "{'sendResponse':false}");
    assert_int_equal(count_at(ol_get(CYD, 200, "/mailFolders/inbox/messages"), "value"), 0);
    assert_int_equal(count_at(ol_get(BOB, 200, "/messages"), "value"), 0);
}

static void a_cancellation_is_a_message_of_the_base_type(void **state)
{
    const char *id = invite("");
    test_advance(60);
    ol_do(BOB, "POST", ol_text("/events/%s/cancel", id), "{'Comment':'Next year'}", 202);
    const struct json *v = newest(CYD, EXPANDED);
    assert_string_equal(json_get_str(v, "@odata.type"), "#microsoft.graph.eventMessage");
    assert_true(str_starts(text_at(v, "changeKey"), "DQAAABYAAAC"));
    assert_string_equal(text_at(v, "meetingMessageType"), "meetingCancelled");
    assert_string_equal(text_at(v, "subject"), "Canceled: Plan");
    assert_true(str_starts(text_at(v, "bodyPreview"), "Next year"));
    assert_string_equal(written(v, "event.isCancelled"), "true");
    assert_null(json_get(v, "responseRequested"));
    assert_null(json_get(v, "responseType"));
    v = ol_get(CYD, 200, "/messages");
    assert_string_equal(written(v, "value.0.isOutOfDate"), "false");
    assert_string_equal(written(v, "value.1.isOutOfDate"), "true");
}

static void a_series_has_its_pattern_in_utc(void **state)
{
    invite(",'recurrence':{'pattern':{'type':'daily','interval':1},'range':{'type':'endDate',"
           "'startDate':'2026-12-01','endDate':'2026-12-04'}}");
    const struct json *v = newest(CYD, "");
    assert_string_equal(text_at(v, "type"), "seriesMaster");
    assert_string_equal(text_at(v, "recurrence.pattern.type"), "daily");
    assert_string_equal(text_at(v, "recurrence.range.startDate"), "2026-12-01");
    assert_string_equal(text_at(v, "recurrence.range.recurrenceTimeZone"), "tzone://Microsoft/Utc");
    ol_do(BOB, "POST", "/events",
          "{'subject':'East','start':{'dateTime':'2026-12-01T08:00:00','timeZone':'India Standard "
          "Time'},'end':{'dateTime':'2026-12-01T09:00:00','timeZone':'India Standard Time'},"
          "'recurrence':{'pattern':{'type':'daily','interval':1},'range':{'type':'endDate',"
          "'startDate':'2026-12-01','endDate':'2026-12-04'}},"
          "'attendees':[{'emailAddress':{'address':'cyd@port.example'}}]}",
          201);
    v = newest(CYD, "");
    assert_string_equal(text_at(v, "startDateTime.dateTime"), "2026-12-01T02:30:00.0000000");
    assert_string_equal(text_at(v, "recurrence.range.startDate"), "2026-11-30");
    assert_string_equal(text_at(v, "recurrence.range.endDate"), "2026-12-03");
}

static void messages_are_asked_for_by_their_type(void **state)
{
    invite("");
    test_advance(60);
    ol_send(BOB, CYD, "Lunch", "At one");
    const char *const asked[][2] = {
        {"microsoft.graph.eventMessage/meetingMessageType%20eq%20'meetingRequest'", "Plan"},
        {"microsoft.graph.eventMessage/meetingMessageType%20eq%20'meetingCancelled'", ""},
        {"microsoft.graph.eventMessage/type%20eq%20'singleInstance'", "Plan"},
        {"microsoft.graph.eventMessage/isOutOfDate%20eq%20true", ""},
        {"microsoft.graph.eventMessageRequest/responseRequested%20eq%20true", "Plan"},
        {"microsoft.graph.eventMessageRequest/meetingRequestType%20eq%20'newMeetingRequest'",
         "Plan"},
        {"isof('microsoft.graph.eventMessage')", "Plan"},
        {"isof('microsoft.graph.eventMessageRequest')", "Plan"},
        {"isof('microsoft.graph.eventMessageResponse')", ""},
        {"not%20isof('microsoft.graph.eventMessage')", "Lunch"},
    };
    for (size_t i = 0; i < SOSIA_LEN(asked); i++) {
        const struct json *v = ol_get(CYD, 200, "/messages?$filter=%s", asked[i][0]);
        if (strcmp(column(v, "value", "subject"), asked[i][1]) != 0)
            fail_msg("%s: %s", asked[i][0], column(v, "value", "subject"));
    }
    ol(CYD, "GET", "/messages?$filter=meetingMessageType%20eq%20'meetingRequest'", NULL);
    assert_int_equal(test_status, 400);
    const struct json *v = ol_get(CYD, 200, "/mailFolders/inbox/messages/delta?$select=subject");
    assert_string_equal(json_get_str(value_at(v, "value.0"), "@odata.type"),
                        "#microsoft.graph.message");
    assert_string_equal(json_get_str(value_at(v, "value.1"), "@odata.type"),
                        "#microsoft.graph.eventMessageRequest");
}

/* ---- from elsewhere ---- */

static const struct json *google(const char *method, const char *path, const char *body)
{
    const struct sosia_header headers[] = {{"Host", "www.googleapis.com"},
                                           {"Authorization", test_bearer(ADA, NULL)},
                                           {"Content-Type", "application/json"}};
    const char *text = quoted(body);
    return test_request(method, path, headers, 3, text, strlen(text));
}

static void an_invitation_of_google_is_a_request_with_a_file(void **state)
{
    google("POST", "/calendar/v3/calendars/primary/events?sendUpdates=all",
           "{'summary':'Plan','start':{'dateTime':'2026-12-01T10:00:00Z'},'end':{'dateTime':"
           "'2026-12-01T11:00:00Z'},'attendees':[{'email':'cyd@port.example'}]}");
    assert_int_equal(test_status, 200);
    const struct json *v = newest(CYD, EXPANDED);
    assert_string_equal(json_get_str(v, "@odata.type"), "#microsoft.graph.eventMessageRequest");
    assert_string_equal(text_at(v, "subject"), "Invitation: Plan");
    assert_string_equal(written(v, "hasAttachments"), "true");
    assert_string_equal(written(v, "allowNewTimeProposals"), "null");
    assert_string_equal(text_at(v, "event.id"), own_event(CYD));
    answer(CYD, "accept", "{}");
    v = ol_get(CYD, 200, "/mailFolders/inbox/messages");
    assert_int_equal(count_at(v, "value"), 0);
}

/* Ada writes to Cyd with such an object; the newest message of Cyd's. */
static const struct json *mime(const char *object)
{
    struct buf b;
    const char *raw =
        ol_text("From: ada@acme.example\r\nTo: cyd@port.example\r\nSubject: Object\r\n"
                "MIME-Version: 1.0\r\nContent-Type: text/calendar; charset=utf-8\r\n"
                "\r\n%s",
                object);
    buf_init(&b, 0);
    base64url_add(&b, raw, strlen(raw), true);
    google("POST", "/gmail/v1/users/me/messages/send", ol_text("{'raw':'%s'}", buf_str(&b)));
    assert_int_equal(test_status, 200);
    buf_done(&b);
    return newest(CYD, EXPANDED);
}

#define OBJECT(method, more)                                                                       \
    "BEGIN:VCALENDAR\r\nVERSION:2.0\r\n" method "BEGIN:VEVENT\r\nUID:one@far.example\r\n"          \
    "DTSTART:20261201T100000Z\r\nDTEND:20261201T110000Z\r\n"                                       \
    "ORGANIZER:mailto:ada@acme.example\r\nATTENDEE:mailto:cyd@port.example\r\n" more               \
    "END:VEVENT\r\nEND:VCALENDAR\r\n"

static void an_object_in_a_message_says_what_the_message_is(void **state)
{
    const struct json *v = mime(OBJECT("METHOD:REQUEST\r\n", "LOCATION:Attic\r\n"));
    assert_string_equal(json_get_str(v, "@odata.type"), "#microsoft.graph.eventMessageRequest");
    assert_string_equal(text_at(v, "location.displayName"), "Attic");
    assert_string_equal(text_at(v, "event.id"), own_event(CYD));
    test_advance(1);
    v = mime(OBJECT("METHOD:CANCEL\r\n", "SEQUENCE:1\r\nSTATUS:CANCELLED\r\n"));
    assert_string_equal(text_at(v, "meetingMessageType"), "meetingCancelled");
    static const char *const plain[] = {
        OBJECT("", ""),
        OBJECT("METHOD:PUBLISH\r\n", ""),
        OBJECT("METHOD:REPLY\r\n", ""), /* it says no answer */
        "BEGIN:VCALENDAR\r\nMETHOD:REQUEST\r\nEND:VCALENDAR\r\n",
        "METHOD:REQUEST\r\n",
        "",
    };
    for (size_t i = 0; i < SOSIA_LEN(plain); i++) {
        test_advance(1);
        v = mime(plain[i]);
        assert_null(json_get(v, "@odata.type"));
        assert_null(json_get(v, "meetingMessageType"));
        assert_null(json_get(v, "event"));
        ol(CYD, "GET",
           ol_text("/messages/%s/microsoft.graph.eventMessage/event", ol_newest(CYD, "inbox")),
           NULL);
        ol_refused(404, "ErrorItemNotFound", NULL);
    }
}

/* ---- what becomes of them ---- */

static void a_copy_is_one_too_and_what_is_deleted_is_forgotten(void **state)
{
    invite("");
    const char *id = ol_newest(CYD, "inbox");
    ol_do(CYD, "POST", ol_text("/messages/%s/copy", id), "{'destinationId':'archive'}", 201);
    const struct json *v = ol_get(CYD, 200, "/mailFolders/archive/messages");
    assert_string_equal(column(v, "value", "meetingMessageType"), "meetingRequest");
    ol_do(CYD, "PATCH", ol_text("/messages/%s", id), "{'isRead':true,'categories':['Red']}", 200);
    v = newest(CYD, "");
    assert_string_equal(text_at(v, "meetingMessageType"), "meetingRequest");
    ol_do(CYD, "POST", ol_text("/messages/%s/permanentDelete", id), NULL, 204);
    answer(CYD, "accept", "{}"); /* the copy is not in the Inbox */
    v = ol_get(CYD, 200, "/mailFolders/archive/messages");
    assert_int_equal(count_at(v, "value"), 1);
}

/* A message of a document is read as one that came. */
static void a_dump_gives_the_same_messages(void **state)
{
    invite("");
    const char *before = written(newest(CYD, "$select=microsoft.graph.eventMessage/type"), "type");
    const struct json *dump = test_dump();
    test_use(json_to_text(&test_arena, dump));
    assert_string_equal(written(newest(CYD, "$select=microsoft.graph.eventMessage/type"), "type"),
                        before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ol_test(an_invitation_is_a_request_with_its_event),
        ol_test(what_is_selected_may_be_a_member_of_a_request),
        ol_test(an_update_says_what_was_before),
        ol_test(an_answer_is_a_response_and_takes_the_request_away),
        ol_test(an_answer_without_a_message_takes_the_request_away_too),
        ol_test(a_cancellation_is_a_message_of_the_base_type),
        ol_test(a_series_has_its_pattern_in_utc),
        ol_test(messages_are_asked_for_by_their_type),
        ol_test(an_invitation_of_google_is_a_request_with_a_file),
        ol_test(an_object_in_a_message_says_what_the_message_is),
        ol_test(a_copy_is_one_too_and_what_is_deleted_is_forgotten),
        ol_test(a_dump_gives_the_same_messages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
