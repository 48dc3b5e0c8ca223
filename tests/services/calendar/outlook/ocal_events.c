/* SPDX-License-Identifier: Apache-2.0 */
/* Outlook Calendar: events as Graph has them, series and their occurrences, meetings, and people of
 * both vendors in one world. */
#include "tests/support/ocal.h"
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* ---- one event ---- */

static void an_event_has_the_members_of_the_service_in_their_order(void **state)
{
    static const char *const order[] = {
        "@odata.context",
        "@odata.etag",
        "id",
        "createdDateTime",
        "lastModifiedDateTime",
        "changeKey",
        "categories",
        "transactionId",
        "originalStartTimeZone",
        "originalEndTimeZone",
        "iCalUId",
        "uid",
        "reminderMinutesBeforeStart",
        "isReminderOn",
        "hasAttachments",
        "subject",
        "bodyPreview",
        "importance",
        "sensitivity",
        "isAllDay",
        "isCancelled",
        "isOrganizer",
        "responseRequested",
        "seriesMasterId",
        "showAs",
        "type",
        "webLink",
        "onlineMeetingUrl",
        "isOnlineMeeting",
        "onlineMeetingProvider",
        "allowNewTimeProposals",
        "occurrenceId",
        "isDraft",
        "hideAttendees",
        "responseStatus",
        "body",
        "start",
        "end",
        "location",
        "locations",
        "recurrence",
        "attendees",
        "organizer",
        "onlineMeeting",
    };
    (void)state;
    const struct json *v = make(
        BOB, "{'subject':'Test Meeting'," TIMES("2026-11-24T10:00:00", "2026-11-24T11:00:00") "}");
    assert_int_equal(v->n, SOSIA_LEN(order));
    for (size_t i = 0; i < SOSIA_LEN(order); i++)
        assert_string_equal(v->members[i].key, order[i]);
    assert_string_equal(text_at(v, "start.dateTime"), "2026-11-24T10:00:00.0000000");
    assert_string_equal(text_at(v, "start.timeZone"), "UTC");
    assert_string_equal(text_at(v, "originalStartTimeZone"), "UTC");
    assert_string_equal(text_at(v, "responseStatus.response"), "organizer");
    assert_string_equal(text_at(v, "type"), "singleInstance");
    assert_string_equal(text_at(v, "organizer.emailAddress.address"), BOB);
    assert_string_equal(text_at(v, "organizer.emailAddress.name"), "Bob");
    assert_int_equal(number_at(v, "reminderMinutesBeforeStart"), 15);
    assert_int_equal(strlen(text_at(v, "id")), 152);
    assert_memory_equal(text_at(v, "id"), "AAMk", 4);
    assert_memory_equal(text_at(v, "iCalUId"), "040000008200E00074C5B7101A82E00800000000", 40);
    const char *id = text_at(v, "id"), *etag = json_get_str(v, "@odata.etag");
    assert_string_equal(arena_printf(&test_arena, "W/\"%s\"", text_at(v, "changeKey")), etag);
    v = as(BOB, "GET", path(EVENTS "/%s", id), NULL, 200);
    assert_string_equal(v->members[v->n - 1].key, "calendar@odata.navigationLink");
    v = as(BOB, "GET", path("/v1.0/me/events('%s')?$select=subject", id), NULL, 200);
    assert_int_equal(v->n, 4); /* context, etag, id, subject */
    v = as(BOB, "PATCH", path(EVENTS "/%s", id), "{'subject':'Other','showAs':'oof'}", 200);
    assert_string_equal(text_at(v, "subject"), "Other");
    assert_string_equal(text_at(v, "showAs"), "oof");
    assert_string_not_equal(json_get_str(v, "@odata.etag"), etag);
    as(CAT, "GET", path(EVENTS "/%s", id), NULL, 404);
    as(BOB, "GET", EVENTS "/AAMk", NULL, 400);
    as(BOB, "DELETE", path(EVENTS "/%s", id), NULL, 204);
    as(BOB, "GET", path(EVENTS "/%s", id), NULL, 404);
}

static void what_is_wrong_is_refused_in_the_services_words(void **state)
{
    static const struct {
        const char *body, *code;
    } bad[] = {
        {"{'subject':'x'}", "ErrorPropertyValidationFailure"},
        {"{" TIMES("2026-11-24T10:00:00", "2026-11-24T09:00:00") "}",
         "ErrorPropertyValidationFailure"},
        {"{'isAllDay':true," TIMES("2026-11-24T10:00:00", "2026-11-25T00:00:00") "}",
         "ErrorPropertyValidationFailure"},
        {"{'start':{'dateTime':'2026-11-24T10:00:00','timeZone':'Mars'},'end':{'dateTime':'2026-11-"
         "24T11:00:00','timeZone':'UTC'}}",
         "TimeZoneNotSupportedException"},
        {"{'start':{'dateTime':'soon','timeZone':'UTC'},'end':{'dateTime':'2026-11-24T11:00:00',"
         "'timeZone':'UTC'}}",
         "UnableToDeserializePostBody"},
        {"{'subjects':'x'}", "RequestBodyRead"},
        {"{" TIMES("2026-11-24T10:00:00", "2026-11-24T11:00:00") ",'attendees':[{'emailAddress':{'"
                                                                 "address':'nobody'}}]}",
         "ErrorInvalidRecipients"},
        {"{" TIMES("2026-11-24T10:00:00",
                   "2026-11-24T11:00:00") ",'recurrence':{'pattern':{'type':"
                                          "'weekly','interval':1},'range':{'type':'noEnd','"
                                          "startDate':'2026-11-24'}}}",
         "ErrorPropertyValidationFailure"},
    };
    (void)state;
    for (size_t i = 0; i < SOSIA_LEN(bad); i++) {
        const struct json *v = as(BOB, "POST", EVENTS, bad[i].body, 400);
        if (strcmp(text_at(v, "error.code"), bad[i].code) != 0)
            fail_msg("%s: %s", bad[i].body, test_body);
    }
    struct buf b;
    buf_init(&b, 0);
    buf_puts(&b, "{" TIMES("2026-11-24T10:00:00",
                           "2026-11-24T11:00:00") ",'"
                                                  "singleValueExtendedProperties':[");
    for (int i = 0; i <= 100; i++)
        buf_printf(&b, "%s{'id':'String n%d','value':'x'}", i ? "," : "", i);
    buf_puts(&b, "]}");
    const struct json *v = as(BOB, "POST", EVENTS, buf_str(&b), 400);
    assert_string_equal(text_at(v, "error.code"), "ErrorQuotaExceeded");
    /* What would be an entity does not make a page be read again and again. */
    buf_clear(&b);
    buf_puts(&b, "{" TIMES("2026-11-24T10:00:00", "2026-11-24T11:00:00") ",'body':{'contentType':'"
                                                                         "html','content':'");
    for (int i = 0; i < 600000; i++)
        buf_byte(&b, '&');
    buf_puts(&b, "'}}");
    const clock_t began = clock();
    v = make(BOB, buf_str(&b));
    assert_true(clock() - began < 5 * CLOCKS_PER_SEC);
    buf_done(&b);
    as(BOB, "DELETE", path(EVENTS "/%s", text_at(v, "id")), NULL, 204);
    v = as(BOB, "GET", "/v1.0/me/calendarView", NULL, 400);
    assert_string_equal(text_at(v, "error.code"), "ErrorInvalidParameter");
    v = as(BOB, "GET", EVENTS, NULL, 200);
    assert_int_equal((int)count_at(v, "value"), 0);
}

/* ---- the walk-through ---- */

/* Five events, of which one is cancelled and one is moved by a day. */
static void a_walk_through_leaves_four_events_and_two_changes(void **state)
{
    (void)state;
    const struct json *v = NULL;
    for (int i = 0; i < 5; i++)
        make(BOB,
             arena_printf(&test_arena,
                          "{'subject':'Meeting %d','start':{'dateTime':'2026-11-2%dT10:00:00',"
                          "'timeZone':'UTC'},'end':{'dateTime':'2026-11-2%dT11:00:00','timeZone"
                          "':'UTC'},'attendees':[{'emailAddress':{'address':'" CAT "'}}]}",
                          i, 3 + i, 3 + i));
    v = as(BOB, "GET", WEEK, NULL, 200);
    assert_int_equal((int)count_at(v, "value"), 5);
    const char *one = text_at(v, "value.1.id"), *two = text_at(v, "value.2.id"),
               *key = text_at(v, "value.2.changeKey");
    as(BOB, "POST", path(EVENTS "/%s/cancel", one), "{'Comment':'Sorry'}", 202);
    v = as(BOB, "PATCH", path(EVENTS "/%s", two),
           "{" TIMES("2026-11-26T10:00:00", "2026-11-26T11:00:00") "}", 200);
    assert_string_equal(text_at(v, "id"), two);
    assert_string_not_equal(text_at(v, "changeKey"), key);
    v = as(BOB, "GET", WEEK, NULL, 200);
    assert_int_equal((int)count_at(v, "value"), 4);
    /* In the guest's calendar what was cancelled stays until it is taken away. */
    v = as(CAT, "GET", WEEK, NULL, 200);
    assert_int_equal((int)count_at(v, "value"), 5);
    assert_string_equal(text_at(v, "value.1.subject"), "Canceled: Meeting 1");
    assert_true(json_is_true(value_at(v, "value.1.isCancelled")));
    as(CAT, "DELETE", path(EVENTS "/%s", text_at(v, "value.1.id")), NULL, 204);
    v = as(CAT, "GET", WEEK, NULL, 200);
    assert_int_equal((int)count_at(v, "value"), 4);
}

/* The same of a document, by the diff against it. */
static void a_diff_of_the_walk_through_has_two_changes(void **state)
{
    struct buf b;
    struct sosia_blob blob;
    (void)state;
    buf_init(&b, 0);
    buf_puts(&b, ocal_doc);
    b.len--; /* the brace */
    buf_puts(&b, ", calendars: [{owner: bob@port.example, primary: true, vendor: microsoft, "
                 "events: [");
    for (int i = 0; i < 5; i++)
        buf_printf(&b,
                   "%s{id: m%d, summary: Meeting %d, start: '2026-11-2%dT10:00', end: "
                   "'2026-11-2%dT11:00', attendees: [ada@acme.example]}",
                   i ? ", " : "", i, i, 3 + i, 3 + i);
    buf_puts(&b, "]}]}");
    test_use(quoted(buf_str(&b)));
    buf_done(&b);
    const struct json *v = as(BOB, "GET", WEEK, NULL, 200);
    assert_int_equal((int)count_at(v, "value"), 5);
    assert_int_equal(number_at(v, "value.0.reminderMinutesBeforeStart"), 15);
    const char *two = text_at(v, "value.2.id");
    as(BOB, "POST", path(EVENTS "/%s/cancel", text_at(v, "value.1.id")), NULL, 202);
    as(BOB, "PATCH", path(EVENTS "/%s", two),
       "{" TIMES("2026-11-26T10:00:00", "2026-11-26T11:00:00") "}", 200);
    v = as(BOB, "GET", WEEK, NULL, 200);
    assert_int_equal((int)count_at(v, "value"), 4);
    assert_int_equal(sosia_diff(test_engine, 0, test_world, NULL, &blob, &test_err), 0);
    int removed = 0, changed = 0;
    for (const char *p = blob.data; (p = strstr(p, "\"person\": \"" BOB "\"")); p++)
        changed++;
    for (const char *p = blob.data; (p = strstr(p, "\"change\": \"removed\"")); p++)
        removed++;
    if (changed != 2 || !removed)
        fail_msg("%.*s", 6000, blob.data);
    sosia_blob_free(&blob);
}

/* ---- series ---- */

static void occurrences_of_a_series_are_changed_and_deleted(void **state)
{
    (void)state;
    const struct json *v = make(BOB, DAILY "}");
    const char *master = text_at(v, "id");
    assert_string_equal(text_at(v, "type"), "seriesMaster");
    assert_string_equal(text_at(v, "recurrence.range.type"), "numbered");
    assert_string_equal(text_at(v, "recurrence.range.endDate"), "0001-01-01");
    assert_int_equal(number_at(v, "recurrence.range.numberOfOccurrences"), 5);
    assert_string_equal(text_at(v, "recurrence.pattern.index"), "first");
    v = as(BOB, "GET", WEEK, NULL, 200);
    assert_int_equal((int)count_at(v, "value"), 5);
    assert_string_equal(text_at(v, "value.2.seriesMasterId"), master);
    assert_string_equal(text_at(v, "value.2.type"), "occurrence");
    assert_string_equal(text_at(v, "value.2.originalStart"), "2026-11-25T09:00:00Z");
    assert_string_equal(text_at(v, "value.2.occurrenceId"),
                        arena_printf(&test_arena, "OID.%s.2026-11-25", master));
    assert_int_equal(strlen(text_at(v, "value.2.id")), 168);
    const char *third = text_at(v, "value.2.id"), *fourth = text_at(v, "value.3.id");
    v = as(BOB, "PATCH", path(EVENTS "/%s", third),
           "{" TIMES("2026-11-25T15:00:00", "2026-11-25T15:15:00") "}", 200);
    assert_string_equal(text_at(v, "type"), "exception");
    assert_string_equal(text_at(v, "id"), third);
    v = as(BOB, "PATCH", path(EVENTS "/%s", third),
           "{" TIMES("2026-11-26T15:00:00", "2026-11-26T15:15:00") "}", 400);
    assert_string_equal(text_at(v, "error.code"), "ErrorOccurrenceCrossingBoundary");
    as(BOB, "DELETE", path(EVENTS "/%s", fourth), NULL, 204);
    v = as(BOB, "GET", path(EVENTS "/%s?$select=cancelledOccurrences", master), NULL, 200);
    assert_string_equal(text_at(v, "cancelledOccurrences.0"),
                        arena_printf(&test_arena, "OID.%s.2026-11-26", master));
    v = as(BOB, "GET",
           path(EVENTS "/%s/instances?startDateTime=2026-11-23&endDateTime=2026-11-30", master),
           NULL, 200);
    assert_int_equal((int)count_at(v, "value"), 4);
    v = as(BOB, "GET", EVENTS, NULL, 200);
    assert_int_equal((int)count_at(v, "value"), 1);
}

#define WEEKS                                                                                      \
    "/v1.0/me/calendarView?startDateTime=2026-10-20T00:00:00Z&endDateTime=2026-11-17T00:00:00Z"

/* A series that is moved keeps its pattern, in the zone of its recurrence. */
static void a_series_that_starts_at_another_time_keeps_its_pattern(void **state)
{
    (void)state;
    const struct json *v = make(
        BOB,
        "{'subject':'Late','start':{'dateTime':'2026-10-26T20:00:00','timeZone':'Pacific Standard "
        "Time'},'end':{'dateTime':'2026-10-26T21:00:00','timeZone':'Pacific Standard Time'},'"
        "recurrence':{'pattern':{'type':'weekly','interval':1,'daysOfWeek':['monday']},'range':{'"
        "type':'noEnd','startDate':'2026-10-26'}}}");
    const char *id = text_at(v, "id");
    /* Half an hour later, as who asks without a zone says it. */
    v = as(BOB, "PATCH", path(EVENTS "/%s", id),
           "{" TIMES("2026-10-27T03:30:00", "2026-10-27T04:30:00") "}", 200);
    assert_string_equal(text_at(v, "recurrence.pattern.daysOfWeek.0"), "monday");
    assert_string_equal(text_at(v, "recurrence.range.startDate"), "2026-10-26");
    v = as(BOB, "GET", WEEKS, NULL, 200);
    assert_int_equal((int)count_at(v, "value"), 3);
    assert_string_equal(text_at(v, "value.0.start.dateTime"), "2026-10-27T03:30:00.0000000");
    assert_string_equal(text_at(v, "value.1.start.dateTime"), "2026-11-03T04:30:00.0000000");
    /* To a day that the pattern has not: it begins with the next one that it has. */
    v = as(BOB, "PATCH", path(EVENTS "/%s", id),
           "{" TIMES("2026-10-28T03:30:00", "2026-10-28T04:30:00") "}", 200);
    assert_string_equal(text_at(v, "recurrence.range.startDate"), "2026-11-02");
    assert_string_equal(text_at(v, "start.dateTime"), "2026-11-03T04:30:00.0000000");
    v = as(BOB, "GET", WEEKS, NULL, 200);
    assert_int_equal((int)count_at(v, "value"), 2);
}

/* What is attached to a series is in its changed occurrences too, in guests' calendars as well. */
static void a_changed_occurrence_keeps_the_attachments_of_its_series(void **state)
{
    (void)state;
    make(BOB, DAILY ",'attachments':[{'@odata.type':'#microsoft.graph.fileAttachment','name':'plan."
                    "txt','contentBytes':'cGxhbg=='}],'attendees':[{'emailAddress':{'address':'" CAT
                    "'}}]}");
    const struct json *v = as(BOB, "GET", WEEK, NULL, 200);
    const char *second = text_at(v, "value.1.id");
    assert_true(json_is_true(value_at(v, "value.1.hasAttachments")));
    v = as(BOB, "PATCH", path(EVENTS "/%s", second), "{'subject':'Other'}", 200);
    assert_string_equal(text_at(v, "type"), "exception");
    assert_true(json_is_true(value_at(v, "hasAttachments")));
    v = as(BOB, "GET", path(EVENTS "/%s/attachments", second), NULL, 200);
    assert_string_equal(text_at(v, "value.0.name"), "plan.txt");
    const char *file = text_at(v, "value.0.id");
    as(BOB, "DELETE", arena_printf(&test_arena, EVENTS "/%s/attachments/%s", second, file), NULL,
       403);
    v = as(CAT, "GET", WEEK, NULL, 200);
    assert_string_equal(text_at(v, "value.1.subject"), "Other");
    assert_true(json_is_true(value_at(v, "value.1.hasAttachments")));
    v = as(CAT, "GET", path(EVENTS "/%s/attachments", text_at(v, "value.1.id")), NULL, 200);
    assert_string_equal(text_at(v, "value.0.contentBytes"), "cGxhbg==");
}

/* What a guest has set for a series holds for occurrences that are answered or changed; a dump says
 * so. */
static void a_guests_own_settings_hold_for_changed_occurrences(void **state)
{
    (void)state;
    make(BOB, DAILY ",'attendees':[{'emailAddress':{'address':'" CAT "'}}]}");
    const struct json *v = as(CAT, "GET", EVENTS, NULL, 200);
    as(CAT, "PATCH", path(EVENTS "/%s", text_at(v, "value.0.id")),
       "{'categories':['Red'],'reminderMinutesBeforeStart':5}", 200);
    v = as(CAT, "GET", WEEK, NULL, 200);
    const char *third = text_at(v, "value.2.id");
    as(CAT, "POST", path(EVENTS "/%s/accept", text_at(v, "value.1.id")), NULL, 202);
    v = as(BOB, "GET", WEEK, NULL, 200);
    as(BOB, "PATCH", path(EVENTS "/%s", text_at(v, "value.2.id")), "{'subject':'Other'}", 200);
    for (int round = 0; round < 2; round++) {
        v = as(CAT, "GET", WEEK, NULL, 200);
        assert_string_equal(text_at(v, "value.1.type"), "exception");
        assert_string_equal(text_at(v, "value.2.subject"), "Other");
        for (int i = 1; i < 3; i++) {
            const struct json *one = value_at(v, i == 1 ? "value.1" : "value.2");
            const bool reset = round && i == 2;
            assert_string_equal(printed_at(one, "categories"), reset ? "[]" : "[\"Red\"]");
            assert_int_equal(number_at(one, "reminderMinutesBeforeStart"), reset ? 15 : 5);
        }
        if (!round)
            as(CAT, "PATCH", path(EVENTS "/%s", third),
               "{'categories':[],'reminderMinutesBeforeStart':15}", 200);
        const char *dump = json_to_text(&test_arena, test_dump());
        test_use(dump);
        assert_string_equal(json_to_text(&test_arena, test_dump()), dump);
    }
}

/* An occurrence stays the one that it is, in whatever zone its new time is said. */
static void an_occurrence_keeps_its_id_in_another_zone(void **state)
{
    (void)state;
    make(BOB, "{'subject':'Late','start':{'dateTime':'2026-11-23T20:00:00','timeZone':'Pacific "
              "Standard Time'},'end':{'dateTime':'2026-11-23T20:15:00','timeZone':'Pacific "
              "Standard Time'},'recurrence':{'pattern':{'type':'daily','interval':1},'range':{'"
              "type':'numbered','startDate':'2026-11-23','numberOfOccurrences':5}}}");
    const struct json *v = as(BOB, "GET", WEEK, NULL, 200);
    const char *second = text_at(v, "value.1.id"), *third = text_at(v, "value.2.id");
    const char *occurrence = text_at(v, "value.1.occurrenceId");
    assert_string_equal(text_at(v, "value.1.start.dateTime"), "2026-11-25T04:00:00.0000000");
    v = as(BOB, "PATCH", path(EVENTS "/%s", second),
           "{" TIMES("2026-11-25T05:00:00", "2026-11-25T05:15:00") "}", 200);
    assert_string_equal(text_at(v, "id"), second);
    assert_string_equal(text_at(v, "occurrenceId"), occurrence);
    v = as(BOB, "GET", path(EVENTS "/%s", second), NULL, 200);
    assert_string_equal(text_at(v, "start.dateTime"), "2026-11-25T05:00:00.0000000");
    v = as(BOB, "GET", WEEK, NULL, 200);
    assert_int_equal((int)count_at(v, "value"), 5);
    assert_string_equal(text_at(v, "value.1.id"), second);
    assert_string_equal(text_at(v, "value.2.id"), third);
}

/* ---- between vendors ---- */

#define GOOGLE "/calendar/v3/calendars/primary/events"

static void an_invitation_from_outlook_is_answered_at_google(void **state)
{
    (void)state;
    const struct json *v =
        make(BOB, DAILY ",'body':{'contentType':'html','content':'<p>Dear all,<br>come</p>'},"
                        "'attendees':[{'emailAddress':{'address':'" ADA "'},'type':'required'}]}");
    const char *master = text_at(v, "id");
    v = as(ADA, "GET", GOOGLE, NULL, 200);
    assert_string_equal(text_at(v, "items.0.summary"), "Standup");
    assert_string_equal(text_at(v, "items.0.description"), "Dear all,\r\ncome");
    assert_string_equal(text_at(v, "items.0.organizer.email"), BOB);
    assert_string_equal(text_at(v, "items.0.recurrence.0"), "RRULE:FREQ=DAILY;COUNT=5");
    const char *id = text_at(v, "items.0.id");
    as(ADA, "PATCH", path(GOOGLE "/%s?sendUpdates=all", id),
       "{'attendees':[{'email':'" ADA "','responseStatus':'accepted'}]}", 200);
    v = as(BOB, "GET", path(EVENTS "/%s", master), NULL, 200);
    assert_string_equal(text_at(v, "attendees.0.status.response"), "accepted");
    assert_string_equal(text_at(v, "attendees.0.status.time"), "2026-11-23T08:00:00Z");
    /* One occurrence is moved, one is deleted. */
    v = as(BOB, "GET", WEEK, NULL, 200);
    const char *second = text_at(v, "value.1.id"), *third = text_at(v, "value.2.id");
    as(BOB, "PATCH", path(EVENTS "/%s", second),
       "{" TIMES("2026-11-24T16:00:00", "2026-11-24T16:15:00") "}", 200);
    as(BOB, "DELETE", path(EVENTS "/%s", third), NULL, 204);
    v = as(ADA, "GET", GOOGLE "?singleEvents=true&orderBy=startTime", NULL, 200);
    assert_int_equal((int)count_at(v, "items"), 4);
    assert_string_equal(text_at(v, "items.1.start.dateTime"), "2026-11-24T16:00:00Z");
    as(BOB, "DELETE", path(EVENTS "/%s", master), NULL, 204);
    v = as(ADA, "GET", GOOGLE, NULL, 200);
    assert_int_equal((int)count_at(v, "items"), 0);
}

static void an_invitation_from_google_is_answered_at_outlook(void **state)
{
    (void)state;
    as(ADA, "POST", GOOGLE "?sendUpdates=all",
       "{'id':'lunch','summary':'Lunch','start':{'dateTime':'2026-11-24T12:00:00Z'},'end':{"
       "'dateTime':'2026-11-24T13:00:00Z'},'attendees':[{'email':'" BOB "'}]}",
       200);
    const struct json *v = as(BOB, "GET", WEEK, NULL, 200);
    const char *id = text_at(v, "value.0.id");
    assert_string_equal(text_at(v, "value.0.showAs"), "tentative");
    assert_string_equal(text_at(v, "value.0.responseStatus.response"), "notResponded");
    assert_true(json_is_false(value_at(v, "value.0.isOrganizer")));
    assert_int_equal(number_at(v, "value.0.reminderMinutesBeforeStart"), 15);
    as(BOB, "POST", path(EVENTS "/%s/cancel", id), "{}", 400);
    as(BOB, "POST", path(EVENTS "/%s/accept", id), "{'sendResponse':true,'comment':'Fine'}", 202);
    v = as(BOB, "GET", path(EVENTS "/%s", id), NULL, 200);
    assert_string_equal(text_at(v, "responseStatus.response"), "accepted");
    assert_string_equal(text_at(v, "showAs"), "busy");
    v = as(ADA, "GET", GOOGLE "/lunch", NULL, 200);
    assert_string_equal(text_at(v, "attendees.0.responseStatus"), "accepted");
    assert_string_equal(text_at(v, "attendees.0.comment"), "Fine");
    as(ADA, "PATCH", GOOGLE "/lunch?sendUpdates=all",
       "{'start':{'dateTime':'2026-11-25T12:00:00Z'},'end':{'dateTime':'2026-11-25T13:00:00Z'}}",
       200);
    v = as(BOB, "GET", path(EVENTS "/%s", id), NULL, 200);
    assert_string_equal(text_at(v, "start.dateTime"), "2026-11-25T12:00:00.0000000");
    as(BOB, "POST", path(EVENTS "/%s/tentativelyAccept", id),
       "{'proposedNewTime':{" TIMES("2026-11-26T12:00:00", "2026-11-26T13:00:00") "}}", 202);
    v = as(BOB, "GET", path(EVENTS "/%s", id), NULL, 200);
    assert_string_equal(text_at(v, "attendees.0.proposedNewTime.start.dateTime"),
                        "2026-11-26T12:00:00.0000000");
    as(BOB, "POST", path(EVENTS "/%s/decline", id), NULL, 202);
    v = as(BOB, "GET", WEEK, NULL, 200);
    assert_int_equal((int)count_at(v, "value"), 0);
    v = as(ADA, "GET", GOOGLE "/lunch", NULL, 200);
    assert_string_equal(text_at(v, "attendees.0.responseStatus"), "declined");
}

#define DAILY_FOREVER                                                                              \
    "{'subject':'Daily'," TIMES("2026-11-23T09:00:00", "2026-11-23T09:15:00") ",'recurrence':{'"   \
                                                                              "pattern':{'type':"  \
                                                                              "'daily','interval'" \
                                                                              ":1},'range':{'type" \
                                                                              "':'noEnd','"        \
                                                                              "startDate':'2026-"  \
                                                                              "11-23'}}}"

static void free_and_busy_times_are_seen_across(void **state)
{
    (void)state;
    as(ADA, "POST", GOOGLE,
       "{'summary':'Own','start':{'dateTime':'2026-11-24T12:00:00Z'},'end':{'dateTime':'2026-11-"
       "24T13:00:00Z'}}",
       200);
    make(BOB, "{'subject':'Away','showAs':'oof'," TIMES("2026-11-24T13:00:00",
                                                        "2026-11-24T13:30:00") "}");
    const struct json *v =
        as(BOB, "POST", "/v1.0/me/calendar/getSchedule",
           "{'schedules':['" ADA "','" BOB "','x@nowhere.example','word'],'startTime':{'dateTime':'"
           "2026-11-24T12:00:00','timeZone':'UTC'},'endTime':{'dateTime':'2026-11-24T14:00:00','"
           "timeZone':'UTC'}}",
           200);
    assert_string_equal(text_at(v, "value.0.availabilityView"), "2200");
    assert_string_equal(text_at(v, "value.1.availabilityView"), "0030");
    assert_string_equal(text_at(v, "value.1.scheduleItems.0.subject"), "Away");
    assert_string_equal(text_at(v, "value.2.error.responseCode"), "ErrorMailRecipientNotFound");
    assert_string_equal(text_at(v, "value.3.error.responseCode"), "ErrorInvalidSmtpAddress");
    assert_null(json_get(value_at(v, "value.3"), "availabilityView"));
    /* More than a thousand times are an error of the entry. */
    make(BOB,
         "{'subject':'Often'," TIMES(
             "2026-11-23T00:00:00", "2026-11-23T00:10:00") ",'"
                                                           "recurrence':{'pattern':{'type':'daily',"
                                                           "'interval':1},'range':{'type':'noEnd','"
                                                           "startDate':'2026-11-23'}}}");
    for (int i = 0; i < 17; i++)
        make(BOB, DAILY_FOREVER);
    v = as(BOB, "POST", "/v1.0/me/calendar/getSchedule",
           "{'schedules':['" BOB "'],'startTime':{'dateTime':'2026-11-24T00:00:00','timeZone':'UTC"
           "'},'endTime':{'dateTime':'2027-01-24T00:00:00','timeZone':'UTC'}}",
           200);
    assert_string_equal(text_at(v, "value.0.error.responseCode"), "ErrorResultSetTooBig");
}

/* ---- what changed ---- */

static void a_delta_gives_what_changed_and_what_is_gone(void **state)
{
    (void)state;
    const struct json *v =
        make(BOB, "{'subject':'One'," TIMES("2026-11-24T10:00:00", "2026-11-24T11:00:00") "}");
    const char *one = text_at(v, "id"), *series = text_at(make(BOB, DAILY "}"), "id");
    v = as(BOB, "GET",
           "/v1.0/me/calendarView/delta?startDateTime=2026-11-23T00:00:00Z&endDateTime=2026-11-30T"
           "00:00:00Z",
           NULL, 200);
    assert_int_equal((int)count_at(v, "value"), 7); /* one, the series and its five occurrences */
    assert_null(json_get(v, "@odata.nextLink"));
    const char *link = json_get_str(v, "@odata.deltaLink");
    const char *target = strstr(link, "/v1.0/");
    v = as(BOB, "GET", target, NULL, 200);
    assert_int_equal((int)count_at(v, "value"), 0);
    as(BOB, "DELETE", path(EVENTS "/%s", one), NULL, 204);
    make(BOB, "{'subject':'Two'," TIMES("2026-11-25T10:00:00", "2026-11-25T11:00:00") "}");
    v = as(BOB, "GET", target, NULL, 200);
    assert_int_equal((int)count_at(v, "value"), 2);
    assert_string_equal(text_at(v, "value.0.id"), one);
    assert_string_equal(json_get_str(json_get(value_at(v, "value.0"), "@removed"), "reason"),
                        "deleted");
    assert_string_equal(text_at(v, "value.1.subject"), "Two");
    /* The token is of this calendar and this kind of list alone. */
    const char *token = strstr(target, "deltatoken=");
    as(CAT, "GET", target, NULL, 400);
    as(BOB, "GET", path("/v1.0/me/events/delta?$%s", token), NULL, 400);
    as(BOB, "GET", "/v1.0/me/calendarView/delta?$deltatoken=abc", NULL, 400);
    as(BOB, "GET", "/v1.0/me/calendarView/delta", NULL, 400);
    v = as(BOB, "GET", "/v1.0/me/events/delta", NULL, 200);
    assert_int_equal((int)count_at(v, "value"), 2);
    /* A series that leaves the window is gone from it. */
    v = as(BOB, "GET", target, NULL, 200);
    target = strstr(json_get_str(v, "@odata.deltaLink"), "/v1.0/");
    as(BOB, "PATCH", path(EVENTS "/%s", series),
       "{" TIMES("2027-01-04T09:00:00", "2027-01-04T09:15:00") "}", 200);
    v = as(BOB, "GET", target, NULL, 200);
    assert_int_equal((int)count_at(v, "value"), 1);
    assert_string_equal(text_at(v, "value.0.id"), series);
    assert_non_null(json_get(value_at(v, "value.0"), "@removed"));
}

/* What changes between two pages does not hide another event. */
static void a_page_of_a_delta_begins_behind_the_one_before(void **state)
{
    (void)state;
    const struct json *v = NULL;
    for (int i = 0; i < 10; i++)
        make(BOB,
             arena_printf(
                 &test_arena,
                 "{'subject':'E%d'," TIMES("2026-11-24T10:00:00", "2026-11-24T11:00:00") "}", i));
    make(BOB, DAILY "}");
    v = as(BOB, "GET",
           "/v1.0/me/calendarView/delta?startDateTime=2026-11-23T00:00:00Z&endDateTime=2026-11-30T"
           "00:00:00Z",
           NULL, 200);
    assert_int_equal((int)count_at(v, "value"), 10);
    const char *seen = printed_at(v, "value");
    const char *first = text_at(v, "value.0.id"), *next = json_get_str(v, "@odata.nextLink");
    as(BOB, "PATCH", path(EVENTS "/%s", first), "{'showAs':'oof'}", 200);
    v = as(BOB, "GET", strstr(next, "/v1.0/"), NULL, 200);
    assert_null(json_get(v, "@odata.nextLink"));
    int all = 0;
    const char *both = arena_printf(&test_arena, "%s%s", seen, printed_at(v, "value"));
    for (int i = 0; i < 10; i++)
        all += strstr(both, arena_printf(&test_arena, "\"subject\":\"E%d\"", i)) != NULL;
    assert_int_equal(all, 10);
    assert_int_equal((int)count_at(v, "value"), 6); /* the series and its five occurrences */
    v = as(BOB, "GET", strstr(json_get_str(v, "@odata.deltaLink"), "/v1.0/"), NULL, 200);
    assert_int_equal((int)count_at(v, "value"), 1);
    assert_string_equal(text_at(v, "value.0.id"), first);
}

static void reminders_are_listed_snoozed_and_dismissed(void **state)
{
    static const char view[] = "/v1.0/me/reminderView(startDateTime='2026-11-23T00:00:00',"
                               "endDateTime='2026-11-30T00:00:00')";
    (void)state;
    const struct json *v =
        make(BOB, "{'subject':'One'," TIMES("2026-11-24T10:00:00", "2026-11-24T11:00:00") "}");
    const char *id = text_at(v, "id"), *etag = text_at(v, "changeKey");
    v = as(BOB, "GET", view, NULL, 200);
    assert_string_equal(text_at(v, "value.0.eventId"), id);
    assert_string_equal(text_at(v, "value.0.changeKey"), etag);
    assert_string_equal(text_at(v, "value.0.reminderFireTime.dateTime"),
                        "2026-11-24T09:45:00.0000000");
    as(BOB, "POST", path(EVENTS "/%s/snoozeReminder", id),
       "{'NewReminderTime':{'dateTime':'2026-11-24T09:55:00','timeZone':'UTC'}}", 200);
    v = as(BOB, "GET", view, NULL, 200);
    assert_string_equal(text_at(v, "value.0.reminderFireTime.dateTime"),
                        "2026-11-24T09:55:00.0000000");
    as(BOB, "POST", path(EVENTS "/%s/dismissReminder", id), NULL, 200);
    v = as(BOB, "GET", view, NULL, 200);
    assert_int_equal((int)count_at(v, "value"), 0);
}

static void times_for_a_meeting_are_found_in_working_hours(void **state)
{
    static const char slot[] =
        "'timeConstraint':{'activityDomain':'%s','timeSlots':[{'start':{'dateTime':'2026-11-24T"
        "06:00:00','timeZone':'UTC'},'end':{'dateTime':'2026-11-24T12:00:00','timeZone':'UTC'}}]},"
        "'meetingDuration':'PT1H','attendees':[{'type':'required','emailAddress':{'address':'" CAT
        "'}}]";
    (void)state;
    make(CAT, "{'subject':'Busy'," TIMES("2026-11-24T08:00:00", "2026-11-24T10:00:00") "}");
    const struct json *v = as(BOB, "POST", "/v1.0/me/findMeetingTimes",
                              arena_printf(&test_arena,
                                           "{%s,'returnSuggestionReasons':'true','"
                                           "minimumAttendeePercentage':'100'}",
                                           path(slot, "work")),
                              200);
    assert_string_equal(text_at(v, "emptySuggestionsReason"), "");
    assert_int_equal((int)count_at(v, "meetingTimeSuggestions"), 3);
    assert_string_equal(text_at(v, "meetingTimeSuggestions.0.meetingTimeSlot.start.dateTime"),
                        "2026-11-24T10:00:00.0000000");
    assert_int_equal(number_at(v, "meetingTimeSuggestions.0.confidence"), 100);
    assert_non_null(text_at(v, "meetingTimeSuggestions.0.suggestionReason"));
    v = as(BOB, "POST", "/v1.0/me/findMeetingTimes",
           arena_printf(&test_arena, "{%s}", path(slot, "unrestricted")), 200);
    assert_string_equal(text_at(v, "meetingTimeSuggestions.0.meetingTimeSlot.start.dateTime"),
                        "2026-11-24T06:00:00.0000000");
    make(CAT, "{'subject':'Busy'," TIMES("2026-11-24T10:00:00", "2026-11-24T12:00:00") "}");
    v = as(BOB, "POST", "/v1.0/me/findMeetingTimes",
           arena_printf(&test_arena, "{%s}", path(slot, "work")), 200);
    assert_string_equal(text_at(v, "emptySuggestionsReason"), "AttendeesUnavailable");
    assert_int_equal((int)count_at(v, "meetingTimeSuggestions"), 0);
    /* A duration is no longer than what can be asked for, however often a part of it is said. */
    struct buf b;
    buf_init(&b, 0);
    for (int i = 0; i < 2136; i++)
        buf_puts(&b, i ? "100000D" : "P100000D");
    as(BOB, "POST", "/v1.0/me/findMeetingTimes",
       arena_printf(&test_arena, "{'meetingDuration':'%s'}", buf_str(&b)), 400);
    buf_done(&b);
}

/* The last day that the service knows is one everywhere. */
static void a_series_may_end_on_the_last_day_of_all(void **state)
{
    static const char *const zones[] = {"Pacific Standard Time", "UTC", "Tokyo Standard Time"};
    (void)state;
    for (size_t i = 0; i < SOSIA_LEN(zones); i++) {
        const struct json *v = make(
            BOB,
            arena_printf(&test_arena,
                         "{'subject':'Long','start':{'dateTime':'2026-11-24T09:00:00','timeZone':"
                         "'%s'},'end':{'dateTime':'2026-11-24T10:00:00','timeZone':'%s'},"
                         "'recurrence':{'pattern':{'type':'daily','interval':1},'range':{'type':"
                         "'endDate','startDate':'2026-11-24','endDate':'9999-12-31'}}}",
                         zones[i], zones[i]));
        assert_string_equal(text_at(v, "recurrence.range.type"), "endDate");
        assert_string_equal(text_at(v, "recurrence.range.endDate"), "9999-12-31");
        v = as(BOB, "GET", path(EVENTS "/%s", text_at(v, "id")), NULL, 200);
        assert_string_equal(text_at(v, "recurrence.range.endDate"), "9999-12-31");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(an_event_has_the_members_of_the_service_in_their_order,
                               ocal_test_world),
        cmocka_unit_test_setup(what_is_wrong_is_refused_in_the_services_words, ocal_test_world),
        cmocka_unit_test_setup(a_walk_through_leaves_four_events_and_two_changes, ocal_test_world),
        cmocka_unit_test(a_diff_of_the_walk_through_has_two_changes),
        cmocka_unit_test_setup(occurrences_of_a_series_are_changed_and_deleted, ocal_test_world),
        cmocka_unit_test_setup(a_series_that_starts_at_another_time_keeps_its_pattern,
                               ocal_test_world),
        cmocka_unit_test_setup(a_changed_occurrence_keeps_the_attachments_of_its_series,
                               ocal_test_world),
        cmocka_unit_test_setup(a_guests_own_settings_hold_for_changed_occurrences, ocal_test_world),
        cmocka_unit_test_setup(a_series_may_end_on_the_last_day_of_all, ocal_test_world),
        cmocka_unit_test_setup(an_occurrence_keeps_its_id_in_another_zone, ocal_test_world),
        cmocka_unit_test_setup(an_invitation_from_outlook_is_answered_at_google, ocal_test_world),
        cmocka_unit_test_setup(an_invitation_from_google_is_answered_at_outlook, ocal_test_world),
        cmocka_unit_test_setup(free_and_busy_times_are_seen_across, ocal_test_world),
        cmocka_unit_test_setup(a_delta_gives_what_changed_and_what_is_gone, ocal_test_world),
        cmocka_unit_test_setup(a_page_of_a_delta_begins_behind_the_one_before, ocal_test_world),
        cmocka_unit_test_setup(reminders_are_listed_snoozed_and_dismissed, ocal_test_world),
        cmocka_unit_test_setup(times_for_a_meeting_are_found_in_working_hours, ocal_test_world),
    };
    return cmocka_run_group_tests(tests, test_open_engine, test_close_engine);
}
