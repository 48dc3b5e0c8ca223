/* SPDX-License-Identifier: Apache-2.0 */
/* Hostile requests: each gets the service's refusal, or a response of bounded size, and none
 * takes long. (What takes too long fails by the time limit that tests have.) */
#include "tests/support/gcal.h"
#include <stdio.h>
#include <stdlib.h>

#define EVENTS "/calendars/primary/events"
#define TIMES                                                                                      \
    "'start':{'dateTime':'2026-11-24T10:00:00','timeZone':'Europe/Rome'},"                         \
    "'end':{'dateTime':'2026-11-24T11:00:00','timeZone':'Europe/Rome'}"

static char *text; /* of a test, to build bodies in */

static int open_room(void **state)
{
    text = malloc(4 << 20);
    return text ? gcal_open_world(state) : -1;
}

static int close_room(void **state)
{
    free(text);
    return gcal_close_world(state);
}

#define room_test(f) cmocka_unit_test_setup_teardown(f, open_room, close_room)

/* ---- recurrence ---- */

static const struct json *insert_rule(const char *lines)
{
    static char body[1000];
    snprintf(body, sizeof body, "{" TIMES ",'recurrence':[%s]}", lines);
    return as(ADA, "POST", EVENTS, body);
}

/* Calls all methods that expand instances. */
static void lay_out(void)
{
    static const char *const queries[] = {
        "?singleEvents=true&maxResults=3",
        "?singleEvents=true&maxResults=3&timeMin=9998-01-01T00:00:00Z",
        "?timeMin=9998-01-01T00:00:00Z",
        "?timeMax=0001-01-02T00:00:00Z&singleEvents=true",
        "?singleEvents=true&maxResults=3&orderBy=updated",
        "?singleEvents=true&maxResults=3&q=nothing",
        "?singleEvents=true&maxResults=3&showDeleted=true&timeMax=9999-12-31T23:59:59Z",
    };
    char target[300];
    for (size_t i = 0; i < sizeof queries / sizeof *queries; i++) {
        snprintf(target, sizeof target, EVENTS "%s", queries[i]);
        as(ADA, "GET", target, NULL);
        assert_int_equal(test_status, 200);
    }
    as(ADA, "POST", "/freeBusy",
       "{'timeMin':'2026-11-24T00:00:00Z','timeMax':'2027-02-24T00:00:00Z',"
       "'items':[{'id':'primary'}]}");
    assert_int_equal(test_status, 200);
}

static void rules_that_never_yield_answer_at_once(void **state)
{
    static const char *const rules[] = {
        "'RRULE:FREQ=SECONDLY;BYMONTH=2;BYMONTHDAY=30'",
        "'RRULE:FREQ=MINUTELY;BYMONTH=2;BYMONTHDAY=31;BYHOUR=3'",
        "'RRULE:FREQ=YEARLY;BYWEEKNO=53;BYDAY=MO;BYMONTH=6'",
        "'RRULE:FREQ=YEARLY;BYYEARDAY=366;BYMONTHDAY=30'",
        "'RRULE:FREQ=MONTHLY;BYDAY=MO;BYSETPOS=6;BYMONTHDAY=1'",
        "'RRULE:FREQ=DAILY;UNTIL=00010101T000000Z'",
        "'RRULE:FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30'",
        "'EXRULE:FREQ=SECONDLY','RRULE:FREQ=SECONDLY'",
        "'EXRULE:FREQ=DAILY','RRULE:FREQ=DAILY'",
    };
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        insert_rule(rules[i]);
        if (test_status != 200)
            fail_msg("%s: %s", rules[i], test_body);
        lay_out();
        as(ADA, "POST", "/calendars/primary/clear", NULL);
    }
}

static void rules_with_numbers_beyond_all_use(void **state)
{
    static const char *const refused[] = {
        "'RRULE:FREQ=DAILY;COUNT=2147483648'", "'RRULE:FREQ=DAILY;COUNT=99999999999999999999999'",
        "'RRULE:FREQ=DAILY;COUNT=0'",          "'RRULE:FREQ=DAILY;COUNT=-1'",
        "'RRULE:FREQ=DAILY;INTERVAL=0'",       "'RRULE:FREQ=DAILY;INTERVAL=18446744073709551617'",
        "'RRULE:FREQ=SECONDLY;BYSECOND=61'",   "'RRULE:FREQ=YEARLY;BYMONTHDAY=32'",
        "'RRULE:FREQ=YEARLY;BYDAY=54MO'",      "'RRULE:FREQ=DAILY;UNTIL=20261301T000000Z'",
    };
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        insert_rule(refused[i]);
        assert_refused(400, "invalid");
    }
    static const char *const taken[] = {
        "'RRULE:FREQ=SECONDLY;COUNT=2147483647'",
        "'RRULE:FREQ=DAILY;INTERVAL=2147483647'",
        "'RRULE:FREQ=DAILY;UNTIL=99991231T235959Z'",
    };
    for (size_t i = 0; i < sizeof taken / sizeof *taken; i++) {
        insert_rule(taken[i]);
        assert_int_equal(test_status, 200);
        lay_out();
    }
}

static void a_time_that_is_too_full_is_an_error_of_that_calendar(void **state)
{
    as(ADA, "POST", EVENTS,
       "{'start':{'dateTime':'2026-11-24T10:00:00','timeZone':'UTC'},"
       "'end':{'dateTime':'2026-11-24T10:00:01','timeZone':'UTC'},"
       "'recurrence':['RRULE:FREQ=SECONDLY;INTERVAL=2']}");
    assert_int_equal(test_status, 200);
    const struct json *v = as(ADA, "POST", "/freeBusy",
                              "{'timeMin':'2026-12-01T00:00:00Z','timeMax':'2027-03-01T00:00:00Z',"
                              "'items':[{'id':'primary'}]}");
    assert_string_equal(text_at(v, "calendars.primary.errors.0.reason"), "internalError");
    assert_int_equal(count_at(v, "calendars.primary.busy"), 0);
    v = as(ADA, "POST", "/freeBusy",
           "{'timeMin':'2026-12-01T00:00:00Z','timeMax':'2026-12-01T01:00:00Z',"
           "'items':[{'id':'primary'}]}");
    assert_int_equal(count_at(v, "calendars.primary.busy"), 1800);
}

static void thousands_of_exceptions_are_taken(void **state)
{
    char *p = stpcpy(text, "{" TIMES ",'recurrence':['RRULE:FREQ=DAILY;COUNT=4000'");
    for (int i = 0; i < 3000; i++)
        p += sprintf(p, ",'EXDATE:%04d%02d%02dT090000Z'", 2026 + i / 336, 1 + i / 28 % 12,
                     1 + i % 28);
    strcpy(p, "]}");
    as(ADA, "POST", EVENTS, text);
    assert_refused(400, "invalid");
    assert_non_null(strstr(test_body, "A provided value exceeds the allowed size limit."));
    gcal_choose("recurrenceLines: 4000");
    as(ADA, "POST", EVENTS, text);
    assert_int_equal(test_status, 200);
    lay_out();
    p = stpcpy(text, "{" TIMES ",'recurrence':['RDATE:20261124T090000Z");
    for (int i = 0; i < 50000; i++)
        p += sprintf(p, ",2027%02d%02dT%02d%02d00Z", 1 + i % 12, 1 + i % 28, i / 60 % 24, i % 60);
    strcpy(p, "']}");
    as(ADA, "POST", EVENTS, text);
    assert_int_equal(test_status, 200);
    lay_out();
    p = stpcpy(text, "{" TIMES ",'recurrence':['RRULE:FREQ=DAILY'");
    for (int i = 0; i < 1000; i++)
        p = stpcpy(p, ",'RRULE:FREQ=DAILY'");
    strcpy(p, "]}");
    as(ADA, "POST", EVENTS, text);
    assert_refused(400, "invalid");
}

/* ---- guests and members ---- */

static void insert_guests(int n)
{
    char *p = stpcpy(text, "{'id':'aaaaa'," TIMES ",'recurrence':['RRULE:FREQ=DAILY;COUNT=400'],"
                           "'attendees':[");
    for (int i = 0; i < n; i++)
        p += sprintf(p, "%s{'email':'guest%d@else.example'}", i ? "," : "", i);
    strcpy(p, "]}");
    as(ADA, "POST", EVENTS "?sendUpdates=none", text);
}

static void thousands_of_guests_are_refused_and_1000_make_shorter_pages(void **state)
{
    char target[600];
    insert_guests(201);
    assert_refused(400, "invalid");
    gcal_choose("guests: 1000");
    insert_guests(50000);
    assert_refused(400, "invalid");
    insert_guests(1001);
    assert_refused(400, "invalid");
    insert_guests(1000);
    assert_int_equal(test_status, 200);
    size_t n = 0;
    const struct json *v = as(ADA, "GET", EVENTS "?singleEvents=true&maxResults=2500", NULL);
    for (int pages = 0; pages < 20; pages++) {
        n += count_at(v, "items");
        assert_true(strlen(test_body) < 20000000);
        if (!text_at(v, "nextPageToken"))
            break;
        snprintf(target, sizeof target, EVENTS "?singleEvents=true&maxResults=2500&pageToken=%s",
                 text_at(v, "nextPageToken"));
        v = as(ADA, "GET", target, NULL);
    }
    assert_int_equal(n, 400);
    assert_non_null(text_at(v, "nextSyncToken"));
}

static void thousands_of_properties_are_refused(void **state)
{
    char *p = stpcpy(text, "{" TIMES ",'extendedProperties':{'private':{");
    for (int i = 0; i < 100000; i++)
        p += sprintf(p, "%s'k%d':'v'", i ? "," : "", i % 50000);
    strcpy(p, "}}}");
    as(ADA, "POST", EVENTS, text);
    assert_int_equal(test_status, 400);
}

static void deep_and_broken_bodies_are_refused(void **state)
{
    for (int i = 0; i < 100000; i++)
        text[i] = '[';
    text[100000] = 0;
    as(ADA, "POST", EVENTS, text);
    assert_refused(400, "parseError");
    strcpy(text, "{'a':[1");
    for (int i = 0; i < 1000000; i++)
        memcpy(text + 7 + 2 * i, ",1", 2);
    strcpy(text + 7 + 2000000, "]," TIMES "}");
    as(ADA, "POST", EVENTS, text);
    assert_refused(400, "parseError");
    as(ADA, "POST", EVENTS, "{'summary':'\\ud800'," TIMES "}");
    assert_refused(400, "parseError");
    as(ADA, "POST", EVENTS, "{'summary':'\xff'," TIMES "}");
    assert_refused(400, "parseError");
    as(ADA, "POST", EVENTS, "{'start':[[[]]],'end':7}");
    assert_refused(400, "badRequest");
    as(ADA, "POST", EVENTS, "{" TIMES ",'attendees':{},'recurrence':7}");
    assert_refused(400, "badRequest");
    as(ADA, "POST", "/freeBusy", "[]");
    assert_int_equal(test_status, 400);
    as(ADA, "POST", "/calendars/primary/acl", "7");
    assert_int_equal(test_status, 400);
    as(ADA, "POST", "/channels/stop", "[1]");
    assert_int_equal(test_status, 400);
    as(ADA, "POST", "/users/me/calendarList", "'x'");
    assert_int_equal(test_status, 400);
}

/* ---- zones and times ---- */

static void zones_that_do_not_exist_are_refused(void **state)
{
    static const char *const zones[] = {
        "Mars/Olympus", "../../etc/passwd", "utc", "Europe/Rome ", "GMT+25", "Europe", "\xc3\xa9"};
    char body[500];
    for (size_t i = 0; i < sizeof zones / sizeof *zones; i++) {
        snprintf(body, sizeof body,
                 "{'start':{'dateTime':'2026-11-24T10:00:00','timeZone':'%s'},"
                 "'end':{'dateTime':'2026-11-24T11:00:00Z'}}",
                 zones[i]);
        as(ADA, "POST", EVENTS, body);
        assert_refused(400, "invalid");
        assert_non_null(strstr(test_body, "Invalid time zone definition for start time."));
        snprintf(body, sizeof body, "{'summary':'x','timeZone':'%s'}", zones[i]);
        as(ADA, "POST", "/calendars", body);
        assert_refused(400, "invalid");
        snprintf(body, sizeof body,
                 "{'timeMin':'2026-11-24T00:00:00Z','timeMax':'2026-11-25T00:00:00Z',"
                 "'timeZone':'%s'}",
                 zones[i]);
        as(ADA, "POST", "/freeBusy", body);
        assert_refused(400, "invalid");
    }
    memset(text, 'A', 1000000);
    memcpy(text, "{'summary':'x','timeZone':'", 27);
    strcpy(text + 1000000, "'}");
    as(ADA, "POST", "/calendars", text);
    assert_refused(400, "invalid");
    as(ADA, "GET", EVENTS "?timeZone=Mars/Olympus", NULL);
    assert_refused(400, "invalid");
    as(ADA, "GET", EVENTS "?timeZone=", NULL);
    assert_refused(400, "invalid");
}

static void times_at_both_ends_of_the_calendar(void **state)
{
    const struct json *v = as(ADA, "POST", EVENTS,
                              "{'id':'aaaaa','start':{'dateTime':'0001-01-01T00:00:00Z'},"
                              "'end':{'dateTime':'9999-12-31T23:59:59Z'}}");
    assert_int_equal(test_status, 200);
    assert_int_equal(strncmp(text_at(v, "start.dateTime"), "0001-01-01T", 11), 0);
    assert_int_equal(strncmp(text_at(v, "end.dateTime"), "9999-12-31T", 11), 0);
    as(ADA, "POST", EVENTS, "{'start':{'date':'9999-12-31'},'end':{'date':'9999-12-31'}}");
    assert_refused(400, "invalid"); /* a day without an end lasts one */
    as(ADA, "POST", EVENTS,
       "{'id':'bbbbb','start':{'date':'9999-12-25'},'end':{'date':'9999-12-28'},"
       "'recurrence':['RRULE:FREQ=DAILY']}");
    assert_int_equal(test_status, 200);
    as(ADA, "PATCH", EVENTS "/bbbbb_99991227", "{'summary':'x'}");
    assert_int_equal(test_status, 200);
    as(ADA, "PATCH", EVENTS "/bbbbb_99991231", "{'summary':'x'}");
    assert_refused(400, "invalid");
    static const char *const rules[] = {"DAILY", "YEARLY", "SECONDLY"};
    static const char *const days[] = {"0001-01-01", "9999-12-30"};
    char body[500];
    for (size_t i = 0; i < 3; i++)
        for (size_t k = 0; k < 2; k++) {
            snprintf(body, sizeof body,
                     "{'start':{'date':'%s'},'end':{'date':'%s'},"
                     "'recurrence':['RRULE:FREQ=%s']}",
                     days[k], days[k], rules[i]);
            as(ADA, "POST", EVENTS, body);
            snprintf(body, sizeof body,
                     "{'start':{'dateTime':'%sT12:00:00','timeZone':'Pacific/Kiritimati'},"
                     "'end':{'dateTime':'%sT12:00:01','timeZone':'Pacific/Apia'},"
                     "'recurrence':['RRULE:FREQ=%s']}",
                     days[k], days[k], rules[i]);
            as(ADA, "POST", EVENTS, body);
            assert_true(test_status == 200 || test_status == 400);
        }
    lay_out();
    v = as(ADA, "GET",
           EVENTS "?timeMin=0001-01-01T00:00:00Z&timeMax=9999-12-31T23:59:59Z&singleEvents=true"
                  "&orderBy=startTime&maxResults=2500&timeZone=Pacific/Kiritimati",
           NULL);
    assert_int_equal(test_status, 200);
    assert_int_equal(count_at(v, "items"), 2500);
    static const char *const bounds[] = {"0001-01-01T00:00:00Z','timeMax':'0001-03-01T00:00:00Z",
                                         "9999-12-01T00:00:00Z','timeMax':'9999-12-31T23:59:59Z"};
    for (size_t i = 0; i < 2; i++) {
        snprintf(body, sizeof body, "{'timeMin':'%s','items':[{'id':'primary'}]}", bounds[i]);
        as(ADA, "POST", "/freeBusy", body);
        assert_int_equal(test_status, 200);
    }
}

static const char *const bad_times[] = {
    "x",
    "2026",
    "2026-11-24",
    "2026-11-24T10:00:00",
    "2026-11-24T10:00Z",
    "2026-11-24%2010:00:00Z",
    "2026-02-30T10:00:00Z",
    "2026-13-01T10:00:00Z",
    "2026-11-24T24:00:00Z",
    "2026-11-24T10:00:00%2B25:00",
    "2026-11-24T10:00:00+02:00", /* a space */
    "0000-01-01T00:00:00Z",
    "10000-01-01T00:00:00Z",
    "99999999999999999999-01-01T00:00:00Z",
    "-2026-11-24T10:00:00Z",
    "",
};

static void times_that_are_none_are_refused_in_every_parameter(void **state)
{
    static const char *const targets[] = {
        EVENTS "?timeMin=",
        EVENTS "?timeMax=",
        EVENTS "?updatedMin=",
        EVENTS "/serie/instances?timeMin=",
        EVENTS "/serie/instances?timeMax=",
    };
    char target[300];
    make_event("serie", "'recurrence':['RRULE:FREQ=DAILY;COUNT=3']");
    for (size_t i = 0; i < sizeof bad_times / sizeof *bad_times; i++) {
        for (size_t k = 0; k < sizeof targets / sizeof *targets; k++) {
            snprintf(target, sizeof target, "%s%s", targets[k], bad_times[i]);
            as(ADA, "GET", target, NULL);
            if (test_status != 400)
                fail_msg("%s: %d", target, test_status);
        }
        if (strcmp(bad_times[i], "2026-11-24") ==
            0) /* an all-day event has such an original start */
            continue;
        snprintf(target, sizeof target, EVENTS "/serie/instances?originalStart=%s", bad_times[i]);
        as(ADA, "GET", target, NULL);
        if (test_status != 400)
            fail_msg("%s: %d", target, test_status);
    }
}

static void times_that_are_none_are_refused_in_bodies(void **state)
{
    char body[500];
    for (size_t i = 0; i < sizeof bad_times / sizeof *bad_times; i++) {
        if (strchr(bad_times[i], '%'))
            continue;
        snprintf(body, sizeof body,
                 "{'start':{'dateTime':'%s'},'end':{'dateTime':'2026-11-24T11:00:00Z'}}",
                 bad_times[i]);
        as(ADA, "POST", EVENTS, body);
        if (strcmp(bad_times[i], "2026-11-24T10:00:00+02:00") != 0)
            assert_int_equal(test_status, 400);
        snprintf(body, sizeof body, "{'timeMin':'%s','timeMax':'2026-11-25T00:00:00Z'}",
                 bad_times[i]);
        as(ADA, "POST", "/freeBusy", body);
        if (strcmp(bad_times[i], "2026-11-24T10:00:00+02:00") != 0)
            assert_int_equal(test_status, 400);
    }
    static const char *const dates[] = {"2026-13-01", "2026-1-32", "2026-02-29", "0000-01-01",
                                        "20261124",   "x",         "",           "10000-01-01"};
    for (size_t i = 0; i < sizeof dates / sizeof *dates; i++) {
        snprintf(body, sizeof body, "{'start':{'date':'%s'},'end':{'date':'2027-01-01'}}",
                 dates[i]);
        as(ADA, "POST", EVENTS, body);
        assert_int_equal(test_status, 400);
    }
}

/* ---- tokens ---- */

/* Every list with a token of its own, one that is cut, changed, doubled, and another person's. */
static void assert_token_guarded(const char *list, const char *param, const char *token)
{
    static const char *const others[] = {"x", "AAAAAAAAAAAAAAAA",
                                         "4D6NZs1IFOIxIDQgMTc5NTQyMDgwMDAwMDAwMA==", "-1",
                                         "9999999999999999999999"};
    char target[2000], forged[600];
    size_t n = strlen(token);
    for (size_t i = 0; i < n + sizeof others / sizeof *others; i++) {
        const char *send = forged;
        if (i >= n) {
            send = others[i - n];
        } else if (i % 3 == 0) { /* cut */
            snprintf(forged, sizeof forged, "%.*s", (int)i, token);
        } else { /* changed */
            snprintf(forged, sizeof forged, "%s", token);
            forged[i] = token[i] == 'A' ? 'B' : 'A';
        }
        if (!*send)
            continue;
        snprintf(target, sizeof target, "%s%c%s=%s", list, strchr(list, '?') ? '&' : '?', param,
                 send);
        as(ADA, "GET", target, NULL);
        /* The last letters of base64 have bits that count for nothing. */
        if (test_status != 400 && i < n - 4)
            fail_msg("%s: %d", target, test_status);
    }
    snprintf(target, sizeof target, "%s%c%s=%s", list, strchr(list, '?') ? '&' : '?', param, token);
    as(BOB, "GET", target, NULL); /* who has no such series either */
    assert_int_equal(test_status, strstr(list, "/serie/") ? 404 : 400);
}

static void forged_tokens_are_refused_by_every_list(void **state)
{
    static const char *const lists[] = {
        EVENTS "?maxResults=1", "/users/me/calendarList?maxResults=1",
        "/calendars/primary/acl?maxResults=1", "/users/me/settings?maxResults=1",
        EVENTS "/serie/instances?maxResults=1"};
    char target[2000], page[600], sync[600];
    make_event("aaaaa", "");
    make_event("serie", "'recurrence':['RRULE:FREQ=DAILY;COUNT=3']");
    as(ADA, "POST", "/calendars", "{'summary':'Second'}");
    as(ADA, "POST", "/calendars/primary/acl",
       "{'role':'none','scope':{'type':'user','value':'x@else.example'}}");
    as(ADA, "POST", "/calendars/primary/acl",
       "{'role':'reader','scope':{'type':'user','value':'y@else.example'}}");
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        const struct json *v = as(ADA, "GET", lists[i], NULL);
        if (!text_at(v, "nextPageToken"))
            fail_msg("%s: %s", lists[i], test_body);
        snprintf(page, sizeof page, "%s", text_at(v, "nextPageToken"));
        assert_token_guarded(lists[i], "pageToken", page);
        if (i == 4)
            break;
        snprintf(target, sizeof target, "%.*s", (int)strcspn(lists[i], "?"), lists[i]);
        v = as(ADA, "GET", target, NULL);
        assert_non_null(text_at(v, "nextSyncToken"));
        snprintf(sync, sizeof sync, "%s", text_at(v, "nextSyncToken"));
        if (i == 0) /* the others are not personal, or times */
            assert_token_guarded(target, "syncToken", sync);
        /* One kind is not the other. */
        snprintf(target + strlen(target), 700, "?syncToken=%s", page);
        as(ADA, "GET", target, NULL);
        assert_refused(400, "invalid");
        snprintf(target, sizeof target, "%s&pageToken=%s", lists[i], sync);
        as(ADA, "GET", target, NULL);
        assert_refused(400, "invalid");
        assert_non_null(strstr(test_body, "\"location\": \"pageToken\""));
    }
}

/* ---- batches ---- */

static struct sosia_response *batch(const char *boundary, const char *body, size_t len)
{
    struct sosia_response *res;
    struct sosia_err err;
    char type[200], token[SOSIA_TOKEN_MAX], bearer[SOSIA_TOKEN_MAX + 10];
    struct sosia_token_options opt = {.actor = ADA};
    assert_int_equal(sosia_token_issue(test_engine, test_world, &opt, token, sizeof token, &err),
                     0);
    snprintf(type, sizeof type, "multipart/mixed; boundary=%s", boundary);
    snprintf(bearer, sizeof bearer, "Bearer %s", token);
    struct sosia_header headers[] = {{"Content-Type", type}, {"Authorization", bearer}};
    struct sosia_request r = {.method = "POST",
                              .target = "/batch/calendar/v3",
                              .headers = headers,
                              .n_headers = 2,
                              .body = body,
                              .body_len = len};
    assert_int_equal(sosia_call(test_engine, test_world, &r, &res, &err), 0);
    return res;
}

static size_t fill_batch(int parts)
{
    char *p = text;
    for (int i = 0; i < parts; i++)
        p = stpcpy(p, "--b\r\nContent-Type: application/http\r\n\r\n"
                      "GET /calendar/v3/colors?fields=kind\r\n\r\n\r\n");
    return (size_t)(stpcpy(p, "--b--\r\n") - text);
}

static void assert_batch(int status, const char *says, const char *boundary, size_t len)
{
    struct sosia_response *res = batch(boundary, text, len);
    if (res->status != status || !strstr(res->body, says))
        fail_msg("%d %s", res->status, res->body);
    sosia_response_free(res);
}

static void batches_that_are_too_large_or_broken_are_refused_whole(void **state)
{
    size_t n = fill_batch(10000);
    assert_batch(400, "Inner request count exceeds the limit. Received: 10000, Limit: 1000", "b",
                 n);
    n = fill_batch(1000);
    assert_batch(200, "calendar#colors", "b", n);
    assert_batch(400, "Failed to parse batch request", "c", n);
    assert_batch(400, "Failed to parse batch request", "bb", n);
    assert_batch(400, "Failed to parse batch request", "\"b", n);
    assert_batch(400, "Failed to parse batch request", "", n);
    assert_batch(400, "Failed to parse batch request", "b", n - 8); /* without its end */
    memset(text, '-', 1000000);
    assert_batch(400, "Failed to parse batch request", "-", 1000000);
    for (size_t i = 0; i < 1000000; i += 4)
        memcpy(text + i, "--b\n", 4);
    assert_batch(400, "Failed to parse batch request", "b", 1000000);
    struct sosia_response *res =
        batch("0123456789012345678901234567890123456789012345678901234567890123456789x", "", 0);
    assert_int_equal(res->status, 400);
    sosia_response_free(res);
}

static void a_batch_of_wrong_calls_is_answered_call_by_call(void **state)
{
    static const char parts[] =
        "--b\r\nContent-Type: application/http\r\n\r\nGET /calendar/v3/nothing\r\n\r\n\r\n"
        "--b\r\nContent-Type: application/http\r\n\r\nGET /calendar/v3/users/me/settings/%zz\r\n"
        "\r\n\r\n"
        "--b\r\nContent-Type: application/http\r\n\r\nPOST /calendar/v3/calendars\r\n"
        "Content-Type: application/json\r\nContent-Length: 5\r\n\r\n{\"a\":\r\n"
        "--b\r\nContent-Type: application/http\r\n\r\nFROB /calendar/v3/colors\r\n\r\n\r\n"
        "--b--";
    struct sosia_response *res = batch("b", parts, sizeof parts - 1);
    assert_int_equal(res->status, 200);
    int n = 0;
    for (const char *p = res->body; (p = strstr(p, "\r\nHTTP/1.1 4")); p++)
        n++;
    assert_int_equal(n, 4);
    sosia_response_free(res);
}

static void a_batch_whose_answer_is_too_large_serves_no_more_parts(void **state)
{
    gcal_choose("textBytes: 1000000");
    static const char head[] = "{\"id\":\"large\",\"start\":{\"date\":\"2026-11-24\"},\"end\":{"
                               "\"date\":\"2026-11-25\"},\"description\":\"";
    char *p = stpcpy(text, head);
    memset(p, 'x', 200000);
    strcpy(p + 200000, "\"}");
    as(ADA, "POST", EVENTS, text);
    if (test_status != 200)
        fail_msg("%s", test_body);
    p = text;
    for (int i = 0; i < 200; i++)
        p = stpcpy(p, "--b\r\nContent-Type: application/http\r\n\r\n"
                      "GET /calendar/v3/calendars/primary/events/large\r\n\r\n\r\n");
    p = stpcpy(p, "--b\r\nContent-Type: application/http\r\n\r\n"
                  "DELETE /calendar/v3/calendars/primary/events/large\r\n\r\n\r\n--b--\r\n");
    struct sosia_response *res = batch("b", text, (size_t)(p - text));
    assert_int_equal(res->status, 200);
    assert_in_range(res->body_len, 32u << 20, 34u << 20);
    int served = 0, refused = 0;
    for (const char *at = res->body; (at = strstr(at, "\r\nHTTP/1.1 200")); at++)
        served++;
    for (const char *at = res->body; (at = strstr(at, "\r\nHTTP/1.1 429")); at++)
        refused++;
    assert_int_equal(served, 167);
    assert_int_equal(refused, 34);
    assert_non_null(strstr(res->body, "\"reason\": \"rateLimitExceeded\""));
    sosia_response_free(res);
    as(ADA, "GET", EVENTS "/large?fields=status", NULL);
    assert_non_null(strstr(test_body, "confirmed"));
}

static void a_place_of_work_is_not_written_in_a_batch(void **state)
{
    static const char part[] =
        "--b\r\nContent-Type: application/http\r\n\r\nPOST "
        "/calendar/v3/calendars/primary/events\r\n"
        "Content-Type: application/json\r\n\r\n"
        "{\"eventType\":\"workingLocation\",\"visibility\":\"public\",\"transparency\":"
        "\"transparent\",\"start\":{\"date\":\"2026-11-24\"},\"end\":{\"date\":\"2026-11-25\"},"
        "\"workingLocationProperties\":{\"type\":\"homeOffice\"}}\r\n--b--";
    struct sosia_response *res = batch("b", part, sizeof part - 1);
    assert_non_null(strstr(res->body, "HTTP/1.1 400"));
    assert_non_null(strstr(res->body, "eventTypeRestriction"));
    sosia_response_free(res);
}

static void an_import_with_an_empty_uid_is_refused(void **state)
{
    as(ADA, "POST", EVENTS "/import", "{'iCalUID':''," TIMES "}");
    assert_refused(400, "required");
    as(ADA, "POST", EVENTS "/import", "{'iCalUID':null," TIMES "}");
    assert_refused(400, "required");
    as(ADA, "POST", EVENTS "/import", "{'iCalUID':[]," TIMES "}");
    assert_int_equal(test_status, 400);
}

/* ---- bodies against their schema ---- */

static void a_body_is_checked_whole_and_when_its_calendar_is_found(void **state)
{
    static const struct {
        const char *member;
        int status;
    } cases[] = {
        {"'summary':7,'sequence':'0','guestsCanModify':null", 200},
        {"'summary':{}", 400},
        {"'attendees':{'email':'bob@acme.example'}", 400},
        {"'attendees':[null]", 400},
        {"'reminders':{'overrides':[{'method':'popup','minutes':40321}]}", 400},
        {"'reminders':{'overrides':[{'method':'popup'}]}", 400},
        {"'extendedProperties':{'private':{'a':[]}}", 400},
        {"'conferenceData':'x'", 400}, /* without conferenceDataVersion, too */
        {"'creator':'x','htmlLink':7,'unknown':{'a':1}", 200},
        {"'visibility':'secret'", 400},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        snprintf(text, 1000, "{" TIMES ",%s}", cases[i].member);
        as(ADA, "POST", EVENTS, text);
        assert_int_equal(test_status, cases[i].status);
        if (cases[i].status != 200) {
            as(ADA, "POST", "/calendars/nobody@acme.example/events", text);
            assert_int_equal(test_status, 404);
        }
    }
}

/* ---- imported rows ---- */

static void calendars_of_accounts_that_are_not_their_owners_are_refused(void **state)
{
    static const char *const changes[] = {
        "update cal_calendar set account = (select a.id from ident_account a where a.actor <> "
        "owner and a.vendor = 'google' limit 1)",
        "update cal_calendar set account = null, vendor = 'nobody'",
        "update cal_calendar set vendor = 'nobody'",
    };
    uint64_t world;
    (void)state;
    if (test_import_changed("select 1", &world) < 0)
        fail_msg("refused: %s", test_err.text);
    for (size_t i = 0; i < SOSIA_LEN(changes); i++)
        if (test_import_changed(changes[i], &world) == 0)
            fail_msg("taken: %s", changes[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        room_test(a_body_is_checked_whole_and_when_its_calendar_is_found),
        room_test(rules_that_never_yield_answer_at_once),
        room_test(rules_with_numbers_beyond_all_use),
        room_test(a_time_that_is_too_full_is_an_error_of_that_calendar),
        room_test(thousands_of_exceptions_are_taken),
        room_test(thousands_of_guests_are_refused_and_1000_make_shorter_pages),
        room_test(thousands_of_properties_are_refused),
        room_test(deep_and_broken_bodies_are_refused),
        room_test(zones_that_do_not_exist_are_refused),
        room_test(times_at_both_ends_of_the_calendar),
        room_test(times_that_are_none_are_refused_in_every_parameter),
        room_test(times_that_are_none_are_refused_in_bodies),
        room_test(forged_tokens_are_refused_by_every_list),
        room_test(batches_that_are_too_large_or_broken_are_refused_whole),
        room_test(a_batch_of_wrong_calls_is_answered_call_by_call),
        room_test(a_batch_whose_answer_is_too_large_serves_no_more_parts),
        gcal_test(a_place_of_work_is_not_written_in_a_batch),
        gcal_test(an_import_with_an_empty_uid_is_refused),
        gcal_test(calendars_of_accounts_that_are_not_their_owners_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
