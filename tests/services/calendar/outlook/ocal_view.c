/* SPDX-License-Identifier: Apache-2.0 */
/* Outlook Calendar: views of a stretch of time. Items that were written before are copied; each
 * must be what it is when it is written anew, which a list with a filter does for all of them. */
#include "tests/support/ocal.h"

#define OF_BOB                                                                                     \
    "/v1.0/users/" BOB "/calendarView?startDateTime=2026-11-23T00:00:00Z&endDateTime="             \
    "2026-11-30T00:00:00Z&$top=50"
#define FILTERED "&$filter=id%20ne%20'none'"
#define SERIES(subject, from, to, day, more)                                                       \
    "{'subject':'" subject "','start':{'dateTime':'" from "','timeZone':'W. Europe Standard Time"  \
    "'},'end':{'dateTime':'" to "','timeZone':'W. Europe Standard Time'},'recurrence':{'pattern':" \
    "{'type':'daily','interval':2},'range':{'type':'noEnd','startDate':'" day "'}}" more "}"

/* The body of a view, up to the link to the next page; *ret_next: there is one. */
static const char *view(const char *who, const char *target, const char *prefer, bool *ret_next)
{
    const struct sosia_header headers[] = {{"Authorization", test_bearer(who, NULL)},
                                           {"Host", "graph.microsoft.com"},
                                           {"Prefer", prefer ? prefer : ""}};
    test_request("GET", target, headers, prefer ? 3 : 2, "", 0);
    if (test_status != 200)
        fail_msg("%s: %d %s", target, test_status, test_body);
    const char *next = strstr(test_body, ",\"@odata.nextLink\"");
    *ret_next = next != NULL;
    return next ? arena_printf(&test_arena, "%.*s", (int)(next - test_body), test_body)
                : arena_printf(&test_arena, "%.*s", (int)strlen(test_body) - 1, test_body);
}

static void is_as_anew(const char *who, const char *target, const char *prefer)
{
    bool next, anew_next;
    const char *anew =
        view(who, arena_printf(&test_arena, "%s%s", target, FILTERED), prefer, &anew_next);
    for (int round = 0; round < 3; round++) {
        assert_string_equal(view(who, target, prefer, &next), anew);
        assert_int_equal(next, anew_next);
    }
}

static const char *const options[] = {
    "",
    "&$select=subject,start",
    "&$select=id,type,seriesMasterId,occurrenceId,originalStart,recurrence",
    "&$select=attendees,organizer,responseStatus,hasAttachments,cancelledOccurrences",
    "&$expand=attachments",
    "&$expand=extensions",
    "&$select=subject&$expand=singleValueExtendedProperties($filter=id%20eq%20'String%20{66f5a359-"
    "4659-4830-9070-00047ec6ac6e}%20Name%20Color')",
    "&$skip=2&$top=3",
    "&$top=0",
    "&$skip=90",
};
static const char *const preferences[] = {
    "outlook.timezone=\"Pacific Standard Time\"", "outlook.timezone=\"Europe/Rome\"",
    "outlook.body-content-type=\"text\"", "IdType=\"ImmutableId\""};

/* All ways to look at the week. */
static void all_are_as_anew(void)
{
    static const char *const views[][2] = {{BOB, WEEK}, {CAT, WEEK}, {CAT, OF_BOB}};
    for (size_t i = 0; i < sizeof views / sizeof views[0]; i++) {
        const char *who = views[i][0], *target = views[i][1];
        for (size_t k = 0; k < sizeof options / sizeof options[0]; k++)
            is_as_anew(who,
                       strstr(options[k], "$top")
                           ? arena_printf(&test_arena, "%.*s%s",
                                          (int)(strstr(target, "&$top") - target), target,
                                          options[k])
                           : arena_printf(&test_arena, "%s%s", target, options[k]),
                       NULL);
        for (size_t k = 0; k < sizeof preferences / sizeof preferences[0]; k++)
            is_as_anew(who, target, preferences[k]);
    }
}

static void make_week(void)
{
    as(BOB, "POST", "/v1.0/me/calendar/calendarPermissions",
       "{'emailAddress':{'address':'" CAT "'},'role':'read'}", 201);
    make(BOB, DAILY "}");
    make(BOB, DAILY WITH_CAT "}");
    make(BOB, SERIES("Night", "2026-10-01T23:30:00", "2026-10-02T00:30:00", "2026-10-01",
                     ",'categories':['Red'],'body':{'contentType':'html','content':'<b>Bold</b>'}"
                     ",'location':{'displayName':'Hall'}"));
    make(BOB, SERIES("Days", "2026-11-01T00:00:00", "2026-11-02T00:00:00", "2026-11-01",
                     ",'isAllDay':true"));
    make(BOB, SERIES("Secret", "2026-11-02T08:00:00", "2026-11-02T09:00:00", "2026-11-02",
                     ",'sensitivity':'private'"));
    make(BOB, SERIES("Kept", "2026-11-02T07:00:00", "2026-11-02T08:00:00", "2026-11-02",
                     ",'singleValueExtendedProperties':[{'id':'String {66f5a359-4659-4830-9070-"
                     "00047ec6ac6e} Name Color','value':'Green'}],'extensions':[{'@odata.type':"
                     "'microsoft.graph.openTypeExtension','extensionName':'a.b','x':1}]"));
    make(BOB, "{'subject':'Once'," TIMES("2026-11-24T10:00:00", "2026-11-24T11:00:00") "}");
    make(BOB,
         "{'subject':'Both'," TIMES("2026-11-24T12:00:00", "2026-11-24T13:00:00") WITH_CAT "}");
}

/* The id of the nth item of a view with this subject. */
static const char *nth(const char *who, const char *subject, int n)
{
    const struct json *v = as(who, "GET", WEEK, NULL, 200);
    for (int i = 0; i < (int)count_at(v, "value"); i++)
        if (strcmp(text_at(v, arena_printf(&test_arena, "value.%d.subject", i)), subject) == 0 &&
            n-- == 0)
            return text_at(v, arena_printf(&test_arena, "value.%d.id", i));
    fail_msg("no %s", subject);
    return NULL;
}

static const char *series_of(const char *id)
{
    return text_at(as(BOB, "GET", path(EVENTS "/%s", id), NULL, 200), "seriesMasterId");
}

static void items_that_were_written_before_are_as_anew(void **state)
{
    (void)state;
    make_week();
    all_are_as_anew();
    /* An exception, one that is gone, and a series that is another one from then on. */
    const char *night = nth(BOB, "Night", 1);
    as(BOB, "PATCH", path(EVENTS "/%s", night), "{'subject':'Later'}", 200);
    as(BOB, "DELETE", path(EVENTS "/%s", nth(BOB, "Days", 0)), NULL, 204);
    all_are_as_anew();
    as(BOB, "PATCH", path(EVENTS "/%s", series_of(night)),
       "{'location':{'displayName':'Garden'},'showAs':'free'}", 200);
    assert_non_null(strstr(view(BOB, WEEK, NULL, &(bool){0}), "Garden"));
    all_are_as_anew();
    as(CAT, "POST", path(EVENTS "/%s/accept", nth(CAT, "Standup", 2)), "{}", 202);
    all_are_as_anew();
    test_advance(3600);
    as(BOB, "POST", path(EVENTS "/%s/attachments", series_of(nth(BOB, "Secret", 0))),
       "{'@odata.type':'#microsoft.graph.fileAttachment','name':'a','contentBytes':'cGxhbg=='}",
       201);
    all_are_as_anew();
    ocal_again();
    all_are_as_anew();
}

/* Occurrences of one series differ by their start alone: none has the text of another. */
static void each_occurrence_has_its_own_text(void **state)
{
    (void)state;
    make(BOB, DAILY "}");
    for (int round = 0; round < 3; round++) {
        const struct json *v = as(BOB, "GET", WEEK, NULL, 200);
        assert_int_equal((int)count_at(v, "value"), 5);
        for (int i = 0; i < 5; i++)
            assert_string_equal(text_at(v, arena_printf(&test_arena, "value.%d.start.dateTime", i)),
                                arena_printf(&test_arena, "2026-11-%dT09:00:00.0000000", 23 + i));
    }
    /* A series that is like it has ids of its own. */
    make(BOB, DAILY "}");
    const struct json *v = as(BOB, "GET", WEEK, NULL, 200);
    assert_int_equal((int)count_at(v, "value"), 10);
    assert_string_not_equal(text_at(v, "value.0.id"), text_at(v, "value.1.id"));
}

static void pages_of_a_view_have_each_item_once(void **state)
{
    (void)state;
    make_week();
    bool next;
    const struct json *all = as(BOB, "GET", WEEK, NULL, 200);
    const int n = (int)count_at(all, "value");
    const char *target = "/v1.0/me/calendarView?startDateTime=2026-11-23T00:00:00Z&endDateTime="
                         "2026-11-30T00:00:00Z&$top=4";
    int seen = 0;
    for (next = true; next;) {
        const struct json *v = as(BOB, "GET", target, NULL, 200);
        for (int i = 0; i < (int)count_at(v, "value"); i++, seen++)
            assert_string_equal(text_at(v, arena_printf(&test_arena, "value.%d.id", i)),
                                text_at(all, arena_printf(&test_arena, "value.%d.id", seen)));
        const char *link = json_get_str(v, "@odata.nextLink");
        next = link != NULL;
        target = next ? strstr(link, "/v1.0/") : NULL;
    }
    assert_int_equal(seen, n);
    assert_true(n > 20);
}

/* Calendars.ReadBasic: no texts, attachments, extensions, though others have looked before. */
static void basic_permissions_leave_out_texts(void **state)
{
    static const char *const refused[] = {"?$expand=attachments", "?$expand=extensions",
                                          "?$filter=contains(bodyPreview,'x')"};
    (void)state;
    make_week();
    for (int i = 0; i < 3; i++) {
        const char *scopes = i == 1 ? "Calendars.ReadBasic" : "Calendars.Read";
        const struct sosia_header headers[] = {{"Authorization", test_bearer(BOB, scopes)},
                                               {"Host", "graph.microsoft.com"}};
        const struct json *v = test_request("GET", WEEK, headers, 2, "", 0);
        assert_int_equal(test_status, 200);
        assert_non_null(value_at(v, "value.0.subject"));
        assert_int_equal(value_at(v, "value.0.body") == NULL, i == 1);
        assert_int_equal(value_at(v, "value.0.bodyPreview") == NULL, i == 1);
        for (size_t k = 0; i == 1 && k < sizeof refused / sizeof *refused; k++) {
            v = test_request("GET", arena_printf(&test_arena, "/v1.0/me/events%s", refused[k]),
                             headers, 2, "", 0);
            assert_int_equal(test_status, 403);
            assert_string_equal(text_at(v, "error.code"), "ErrorAccessDenied");
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(items_that_were_written_before_are_as_anew, ocal_test_world),
        cmocka_unit_test_setup(each_occurrence_has_its_own_text, ocal_test_world),
        cmocka_unit_test_setup(pages_of_a_view_have_each_item_once, ocal_test_world),
        cmocka_unit_test_setup(basic_permissions_leave_out_texts, ocal_test_world),
    };
    return cmocka_run_group_tests(tests, test_open_engine, test_close_engine);
}
