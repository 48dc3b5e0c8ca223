/* SPDX-License-Identifier: Apache-2.0 */
/* Requests to Graph that mean harm: each is refused as the service refuses, in no more time and
 * memory than another call, and changes nothing. */
#include "tests/support/outlook.h"
#include <stdlib.h>

static char *before;

static char *dumped(void)
{
    struct sosia_blob b;
    assert_int_equal(sosia_world_dump(test_engine, test_world, &b, &test_err), 0);
    char *text = strndup(b.data, b.len);
    sosia_blob_free(&b);
    return text;
}

/* From here on nothing may change. */
static void begin(void)
{
    before = dumped();
}

static void end(void)
{
    char *after = dumped();
    assert_string_equal(after, before);
    free(after);
    free(before);
    before = NULL;
}

static char *repeated(const char *unit, int times, const char *last)
{
    struct buf b;
    buf_init(&b, 0);
    for (int i = 0; i < times; i++)
        buf_puts(&b, unit);
    buf_puts(&b, last);
    char *text = arena_strdup(&test_arena, buf_str(&b));
    buf_done(&b);
    return text;
}

static void refuses(const char *target)
{
    ol(BOB, "GET", target, NULL);
    if (test_status != 400)
        fail_msg("%.200s: %d %.300s", target, test_status, test_body);
    assert_non_null(text_at(parsed(test_body, test_len), "error.code"));
}

static void questions_are_bounded(void **state)
{
    ol_send(CYD, BOB, "One", "text");
    begin();
    static const char *const lists[] = {"/messages", "/events", "/contacts", "!/v1.0/users"};
    for (size_t i = 0; i < SOSIA_LEN(lists); i++) {
        const char *at = lists[i], *mark = "?$filter=";
        refuses(ol_text("%s%s%s", at, mark, repeated("(", 5000, "")));
        refuses(ol_text("%s%s%s%s", at, mark, repeated("(", 3000, "id%20eq%20'x'"),
                        repeated(")", 3000, "")));
        refuses(ol_text("%s%s%s", at, mark, repeated("not%20", 3000, "id%20eq%20'x'")));
        refuses(
            ol_text("%s%s%s", at, mark, repeated("id%20eq%20'x'%20or%20", 2000, "id%20eq%20'x'")));
        refuses(ol_text("%s%s%s%s", at, mark, repeated("tolower(", 1000, "'x'"),
                        repeated(")", 1000, "%20eq%20'x'")));
        refuses(ol_text("%s?$expand=%s%s", at, repeated("extensions($expand=", 500, "extensions"),
                        repeated(")", 500, "")));
        refuses(ol_text("%s?$expand=%s", at, repeated("extensions,", 3000, "extensions")));
        refuses(ol_text("%s?$top=99999999999999999999", at));
        refuses(ol_text("%s?$skip=-1", at));
        refuses(ol_text("%s?$filter=%%00", at));
        refuses(ol_text("%s?$filter=subject%%20eq%%20'%%ff'", at));
    }
    refuses(ol_text("!/v1.0/users?$skiptoken=%s", repeated("A", 4000, "")));
    end();
}

/* A link of one list or delta, at the same or another list, by the same or another person. */
static const char *token_of(const char *who, const char *target, const char *link)
{
    const char *next = json_get_str(ol_get(who, 200, "%s", target), link);
    assert_non_null(next);
    const char *query = strchr(next, '?');
    assert_non_null(query);
    return query;
}

static void is_no_token(const char *who, const char *target)
{
    ol(who, "GET", target, NULL);
    if (test_status != 400 && test_status != 404 && test_status != 410)
        fail_msg("%s: %d %.300s", target, test_status, test_body);
    assert_non_null(text_at(parsed(test_body, test_len), "error.code"));
}

static void tokens_of_others_open_nothing(void **state)
{
    for (int i = 0; i < 3; i++) {
        ol_send(CYD, BOB, ol_text("To Bob %d", i), "secret");
        ol_send(BOB, CYD, ol_text("To Cyd %d", i), "secret");
    }
    static const struct {
        const char *at, *query, *link, *other;
    } cases[] = {
        {"/mailFolders/inbox/messages/delta", "?$top=1", "@odata.nextLink",
         "/mailFolders/sentitems/messages/delta"},
        {"/mailFolders/inbox/messages/delta", "", "@odata.deltaLink",
         "/mailFolders/sentitems/messages/delta"},
        {"/calendarView/delta", "?startDateTime=2026-11-01&endDateTime=2026-12-01",
         "@odata.deltaLink", "/mailFolders/inbox/messages/delta"},
    };
    begin();
    for (size_t i = 0; i < SOSIA_LEN(cases); i++) {
        const char *query =
            token_of(BOB, ol_text("%s%s", cases[i].at, cases[i].query), cases[i].link);
        ol_get(BOB, 200, "%s%s", cases[i].at, query);
        is_no_token(CYD, ol_text("%s%s", cases[i].at, query));
        is_no_token(BOB, ol_text("%s%s", cases[i].other, query));
        size_t n = strlen(query);
        for (size_t cut = 1; cut < 40 && cut + 20 < n; cut += 3) /* all of a token is bound */
            is_no_token(BOB, ol_text("%s%.*s", cases[i].at, (int)(n - cut), query));
        for (size_t at = n - 2; at > n - 40 && at > 20; at -= 3) {
            char *forged = arena_strdup(&test_arena, query);
            forged[at] = forged[at] == 'A' ? 'B' : 'A';
            is_no_token(BOB, ol_text("%s%s", cases[i].at, forged));
        }
    }
    end();
}

static void ids_and_etags_of_others_change_nothing(void **state)
{
    ol_send(CYD, BOB, "To Bob", "secret");
    ol_send(BOB, CYD, "To Cyd", "secret");
    const char *bobs = ol_newest(BOB, "inbox"), *cyds = ol_newest(CYD, "inbox");
    const char *etag = json_get_str(ol_get(CYD, 200, "/messages/%s", cyds), "@odata.etag");
    const struct json *event =
        ol_do(CYD, "POST", "/events",
              "{'subject':'Hers','start':{'dateTime':'2026-11-24T09:00:00','timeZone':'UTC'},"
              "'end':{'dateTime':'2026-11-24T10:00:00','timeZone':'UTC'}}",
              201);
    const char *hers = text_at(event, "id");
    begin();
    static const char *const works[][2] = {{"GET", ""},       {"PATCH", ""},
                                           {"DELETE", ""},    {"POST", "/move"},
                                           {"POST", "/send"}, {"POST", "/reply"}};
    for (size_t i = 0; i < SOSIA_LEN(works); i++) {
        ol(BOB, works[i][0], ol_text("/messages/%s%s", cyds, works[i][1]),
           *works[i][0] == 'P' ? "{'destinationId':'inbox','comment':'x'}" : NULL);
        assert_in_range(test_status, 400, 404);
    }
    static const char *const meetings[][2] = {{"GET", ""},         {"PATCH", ""},
                                              {"DELETE", ""},      {"POST", "/accept"},
                                              {"POST", "/cancel"}, {"POST", "/forward"}};
    for (size_t i = 0; i < SOSIA_LEN(meetings); i++) {
        ol(BOB, meetings[i][0], ol_text("/events/%s%s", hers, meetings[i][1]),
           *meetings[i][0] == 'P' ? "{}" : NULL);
        assert_in_range(test_status, 400, 404);
    }
    ol_if_match = etag;
    ol(BOB, "PATCH", ol_text("/messages/%s", bobs), "{'isRead':true}");
    assert_int_equal(test_status, 412);
    ol_if_match = NULL;
    end();
}

static void series_without_an_end_are_seen_by_windows(void **state)
{
    static const char format[] =
        "{'subject':'Always','start':{'dateTime':'2026-11-24T09:00:00','timeZone':'UTC'},"
        "'end':{'dateTime':'2026-11-24T09:15:00','timeZone':'UTC'},'recurrence':{'pattern':{"
        "'type':'%s','interval':%s},'range':{'type':'%s','startDate':'2026-11-24'%s}}}";
    const struct json *made =
        ol_do(BOB, "POST", "/events", ol_text(format, "daily", "1", "noEnd", ""), 201);
    const char *id = arena_strdup(&test_arena, text_at(made, "id"));
    begin();
    const struct json *v = ol_get(BOB, 200,
                                  "/calendarView?startDateTime=2090-01-01T00:00:00Z&endDateTime="
                                  "2090-01-08T00:00:00Z&$top=50");
    assert_int_equal(count_at(v, "value"), 7);
    refuses("/calendarView?startDateTime=2020-01-01T00:00:00Z&endDateTime=2090-01-01T00:00:00Z");
    refuses(ol_text(
        "/events/%s/instances?startDateTime=2020-01-01T00:00:00Z&endDateTime=9999-01-01T00:00:00Z",
        id));
    static const char *const bad[][4] = {{"daily", "0", "noEnd", ""},
                                         {"daily", "-1", "noEnd", ""},
                                         {"daily", "99999999999", "noEnd", ""},
                                         {"daily", "1", "numbered", ",'numberOfOccurrences':0"},
                                         {"daily", "1", "endDate", ",'endDate':'2026-01-01'"},
                                         {"hourly", "1", "noEnd", ""}};
    for (size_t i = 0; i < SOSIA_LEN(bad); i++) {
        ol(BOB, "POST", "/events", ol_text(format, bad[i][0], bad[i][1], bad[i][2], bad[i][3]));
        if (test_status != 400)
            fail_msg("%s %s %s %s: %d", bad[i][0], bad[i][1], bad[i][2], bad[i][3], test_status);
    }
    end();
}

static void bodies_are_bounded(void **state)
{
    begin();
    char *large = repeated("0123456789abcdef", 4 * 65536, "");
    ol(BOB, "POST", "/messages", ol_text("{'subject':'%s'}", large));
    ol_refused(413, "ErrorMessageSizeExceeded", NULL);
    ol(BOB, "POST", "/events", ol_text("{'body':{'content':'%s'}}", large));
    ol_refused(413, "ErrorMessageSizeExceeded", NULL);
    ol(BOB, "POST", "/messages", ol_text("{'subject':%s", repeated("[", 100000, "")));
    assert_int_equal(test_status, 400);
    static const char *const bodies[] = {"",
                                         "[]",
                                         "null",
                                         "{'subject':'\\ud800'}",
                                         "{'subject':'a\\u0000'}",
                                         "{'toRecipients':[{'emailAddress':{'address':['x']}}]}",
                                         "{\xff"};
    for (size_t i = 0; i < SOSIA_LEN(bodies); i++) {
        ol(BOB, "POST", "/sendMail", bodies[i]);
        if (test_status < 400 || test_status > 413)
            fail_msg("%s: %d", bodies[i], test_status);
    }
    end();
}

static void mime_of_every_kind_is_a_message_or_refused(void **state)
{
    static const char *const letters[] = {
        "",
        "not base64!",
        "AAAA",
        "/////w==",
        /* "\r\n\r\n" */ "DQoNCg==",
        /* "From: x" without anything else */ "RnJvbTogeA==",
        /* "To: ,,,;;;<<>>\r\n\r\nx" */ "VG86ICwsLDs7Ozw8Pj4NCg0KeA=="};
    ol_type = "text/plain";
    for (size_t i = 0; i < SOSIA_LEN(letters); i++) {
        ol(BOB, "POST", "/sendMail", letters[i]);
        if (test_status < 400 || test_status > 413)
            fail_msg("%s: %d %.200s", letters[i], test_status, test_body);
    }
    ol(BOB, "POST", "/messages", letters[1]);
    assert_int_equal(test_status, 400);
    ol_type = NULL;
    const struct json *v = ol_get(BOB, 200, "/messages?$select=id");
    for (size_t i = 0; i < count_at(v, "value"); i++)
        ol_get(BOB, 200, "/messages/%s/$value", text_at(v, ol_text("value.%zu.id", i)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ol_test(questions_are_bounded),
        ol_test(tokens_of_others_open_nothing),
        ol_test(ids_and_etags_of_others_change_nothing),
        ol_test(series_without_an_end_are_seen_by_windows),
        ol_test(bodies_are_bounded),
        ol_test(mime_of_every_kind_is_a_message_or_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
