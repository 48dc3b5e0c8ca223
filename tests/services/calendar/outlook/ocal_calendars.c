/* SPDX-License-Identifier: Apache-2.0 */
/* Calendars of people: made, shared, deleted, and what each role gives. */
#include "tests/support/ocal.h"
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* ---- calendars ---- */

static void a_calendar_is_made_shared_and_deleted(void **state)
{
    (void)state;
    const struct json *v = as(BOB, "POST", "/v1.0/me/calendars", "{'name':'Plans'}", 201);
    const char *id = text_at(v, "id");
    assert_string_equal(text_at(v, "color"), "auto");
    assert_true(json_is_true(value_at(v, "isRemovable")));
    as(BOB, "POST", "/v1.0/me/calendars", "{'name':'Plans'}", 409);
    as(BOB, "POST", path("/v1.0/me/calendars/%s/events", id),
       "{'subject':'Secret','sensitivity':'private'," TIMES("2026-11-24T10:00:00",
                                                            "2026-11-24T11:00:00") "}",
       201);
    v = as(BOB, "GET", "/v1.0/me/calendars", NULL, 200);
    assert_int_equal((int)count_at(v, "value"), 2);
    assert_true(json_is_true(value_at(v, "value.0.isDefaultCalendar")));
    v = as(BOB, "GET", "/v1.0/me/calendars?$filter=name%20eq%20'Plans'&$select=color", NULL, 200);
    assert_int_equal((int)count_at(v, "value"), 1);
    assert_string_equal(text_at(v, "value.0.id"), id);
    assert_null(value_at(v, "value.0.name"));
    as(CAT, "GET", path("/v1.0/users/" BOB "/calendars/%s/events", id), NULL, 403);
    as(BOB, "POST", path("/v1.0/me/calendars/%s/calendarPermissions", id),
       "{'emailAddress':{'address':'" CAT "'},'role':'read'}", 201);
    v = as(CAT, "GET", path("/v1.0/users/" BOB "/calendars/%s/events", id), NULL, 200);
    assert_string_equal(text_at(v, "value.0.sensitivity"), "private");
    assert_null(json_get(value_at(v, "value.0"), "body"));
    as(CAT, "POST", path("/v1.0/users/" BOB "/calendars/%s/events", id),
       "{'subject':'x'," TIMES("2026-11-24T10:00:00", "2026-11-24T11:00:00") "}", 403);
    v = as(BOB, "GET", path("/v1.0/me/calendars/%s/calendarPermissions", id), NULL, 200);
    assert_string_equal(text_at(v, "value.0.emailAddress.name"), "My Organization");
    assert_string_equal(text_at(v, "value.1.role"), "read");
    as(BOB, "DELETE",
       arena_printf(&test_arena, "/v1.0/me/calendars/%s/calendarPermissions/%s", id,
                    text_at(v, "value.1.id")),
       NULL, 204);
    as(CAT, "GET", path("/v1.0/users/" BOB "/calendars/%s/events", id), NULL, 403);
    as(BOB, "DELETE", path("/v1.0/me/calendars/%s", id), NULL, 204);
    as(BOB, "GET", path("/v1.0/me/calendars/%s", id), NULL, 404);
    v = as(BOB, "GET", "/v1.0/me/calendar", NULL, 200);
    as(BOB, "DELETE", path("/v1.0/me/calendars/%s", text_at(v, "id")), NULL, 400);
}

/* Who may read a calendar sees of a private event that it is there, by no way more; and changes
 * nothing. */
static void a_reader_of_a_calendar_learns_nothing_of_private_events(void **state)
{
    static const char view[] = "/v1.0/users/" BOB "/reminderView(startDateTime='2026-11-23T00:00:00"
                               "',endDateTime='2026-11-30T00:00:00')";
    (void)state;
    const struct json *v = as(BOB, "POST", "/v1.0/me/calendarGroups", "{'name':'Quiet'}", 201);
    as(CAT, "GET", "/v1.0/users/" BOB "/calendarGroups", NULL, 403);
    as(CAT, "GET", path("/v1.0/users/" BOB "/calendarGroups/%s", text_at(v, "id")), NULL, 403);
    as(BOB, "POST", "/v1.0/me/calendar/calendarPermissions",
       "{'emailAddress':{'address':'" CAT "'},'role':'read'}", 201);
    v = make(BOB, "{'subject':'Secret','sensitivity':'private','location':{'displayName':'Hidden'},"
                  "'attachments':[{'@odata.type':'#microsoft.graph.fileAttachment','name':'plan.txt"
                  "','contentBytes':'cGxhbg=='}]," TIMES("2026-11-24T10:00:00",
                                                         "2026-11-24T11:00:00") "}");
    const char *secret = text_at(v, "id");
    v = as(CAT, "GET", view, NULL, 200);
    assert_string_equal(text_at(v, "value.0.eventSubject"), "Private Appointment");
    assert_null(strstr(test_body, "Hidden"));
    v = as(BOB, "GET", path(EVENTS "/%s/attachments", secret), NULL, 200);
    const char *file = text_at(v, "value.0.id");
    v = as(CAT, "GET", path("/v1.0/users/" BOB "/events/%s", secret), NULL, 404);
    assert_string_equal(text_at(v, "error.code"), "ErrorItemNotFound");
    as(CAT, "GET", path("/v1.0/users/" BOB "/events/%s/attachments", secret), NULL, 404);
    as(CAT, "GET",
       arena_printf(&test_arena, "/v1.0/users/" BOB "/events/%s/attachments/%s", secret, file),
       NULL, 404);
    v = make(BOB, "{'subject':'Open'," TIMES("2026-11-25T10:00:00", "2026-11-25T11:00:00") "}");
    as(CAT, "GET", path("/v1.0/users/" BOB "/events/%s/attachments", text_at(v, "id")), NULL, 200);
    as(CAT, "POST", path("/v1.0/users/" BOB "/events/%s/forward", text_at(v, "id")),
       "{'toRecipients':[{'emailAddress':{'address':'" CAT "'}}]}", 403);
    v = as(CAT, "GET", WEEK, NULL, 200);
    assert_int_equal((int)count_at(v, "value"), 0);
}

#define OF_BOB "/v1.0/users/" BOB

/* Cat's role in Bob's calendar, by the rule's id. */
static void give_cat(const char *rule, const char *role)
{
    const struct json *v = as(BOB, "PATCH", path("/v1.0/me/calendar/calendarPermissions/%s", rule),
                              arena_printf(&test_arena, "{'role':'%s'}", role), 200);
    assert_string_equal(text_at(v, "role"), role);
    v = as(BOB, "GET", path("/v1.0/me/calendar/calendarPermissions/%s", rule), NULL, 200);
    assert_string_equal(text_at(v, "role"), role);
}

/* As a list has it. */
static const char *subject_for_cat(const char *event)
{
    const struct json *v = as(CAT, "GET",
                              OF_BOB "/calendarView?startDateTime=2026-11-24T00:00:00Z"
                                     "&endDateTime=2026-11-26T00:00:00Z",
                              NULL, 200);
    const int n = (int)count_at(v, "value");
    for (int i = 0; i < n; i++) {
        const struct json *one = value_at(v, arena_printf(&test_arena, "value.%d", i));
        const struct json *subject = json_get(one, "subject");
        if (strcmp(text_at(one, "id"), event) == 0)
            return subject && subject->type == JSON_STRING ? subject->str : "";
    }
    fail_msg("%s is not in the list", event);
    return NULL;
}

/* What each role shows of events, which of them may be changed, and that the role stays as it was
 * given: the service's words for them are more than a calendar has steps. */
static void every_role_gives_what_it_says(void **state)
{
    static const struct {
        const char *role, *open, *secret;
        bool writes, sees;
    } cases[] = {
        {"freeBusyRead", "", "", false, false},
        {"limitedRead", "Open", "", false, false},
        {"read", "Open", "Private Appointment", false, false},
        {"write", "Open", "Private Appointment", true, false},
        {"delegateWithoutPrivateEventAccess", "Open", "Private Appointment", true, false},
        {"delegateWithPrivateEventAccess", "Open", "Secret", true, true},
        {"limitedRead", "Open", "", false, false},
    };
    (void)state;
    const struct json *v = make(
        BOB, "{'subject':'Open','location':{'displayName':'Hall'},'body':"
             "{'content':'All of it'}," TIMES("2026-11-25T10:00:00", "2026-11-25T11:00:00") "}");
    const char *open = text_at(v, "id");
    v = make(BOB,
             "{'subject':'Secret','sensitivity':'private','location':{'displayName':'Den'}," TIMES(
                 "2026-11-24T10:00:00", "2026-11-24T11:00:00") "}");
    const char *secret = text_at(v, "id");
    v = as(BOB, "POST", "/v1.0/me/calendar/calendarPermissions",
           "{'emailAddress':{'address':'" CAT "'},'role':'read'}", 201);
    const char *rule = text_at(v, "id");
    for (size_t i = 0; i < SOSIA_LEN(cases); i++) {
        const bool titles = strcmp(cases[i].role, "limitedRead") == 0;
        give_cat(rule, cases[i].role);
        for (int round = 0; round < 2; round++) { /* what was written before is not another's */
            assert_string_equal(subject_for_cat(open), cases[i].open);
            assert_string_equal(subject_for_cat(secret), cases[i].secret);
        }
        v = as(CAT, "GET", path(OF_BOB "/events/%s", open), NULL, 200);
        assert_int_equal(json_get(v, "location") != NULL, *cases[i].open != 0);
        assert_int_equal(json_get(v, "body") != NULL, *cases[i].open && !titles);
        as(CAT, "GET", path(OF_BOB "/events/%s", secret), NULL,
           cases[i].sees || !*cases[i].secret ? 200 : 404);
        assert_int_equal(strstr(test_body, "Den") != NULL, cases[i].sees);
        as(CAT, "PATCH", path(OF_BOB "/events/%s", open), "{'importance':'high'}",
           cases[i].writes ? 200 : 403);
        as(CAT, "PATCH", path(OF_BOB "/events/%s", secret), "{'importance':'high'}",
           cases[i].sees     ? 200
           : cases[i].writes ? 404
                             : 403);
        as(CAT, "POST", "/v1.0/me/calendar/getSchedule",
           "{'schedules':['" BOB "'],'startTime':{'dateTime':'2026-11-24T00:00:00','timeZone':"
           "'UTC'},'endTime':{'dateTime':'2026-11-26T00:00:00','timeZone':'UTC'}}",
           200);
        assert_int_equal(strstr(test_body, "Hall") != NULL, *cases[i].open != 0);
        v = as(CAT, "GET", OF_BOB "/calendar/calendarPermissions", NULL, 200);
        assert_int_equal((int)count_at(v, "value"), 0);
        if (strcmp(cases[i].role, "freeBusyRead") == 0 || titles)
            continue;
        v = as(CAT, "GET", OF_BOB "/calendar", NULL, 200);
        assert_int_equal(json_is_true(json_get(v, "canViewPrivateItems")), cases[i].sees);
        assert_int_equal(json_is_true(json_get(v, "canEdit")), cases[i].writes);
    }
    assert_non_null(strstr(json_to_text(&test_arena, test_dump()), "\"beyond\":[\"titles\"]"));
    as(BOB, "DELETE", path("/v1.0/me/calendar/calendarPermissions/%s", rule), NULL, 204);
    as(CAT, "GET", path(OF_BOB "/events/%s", open), NULL, 403);
    as(CAT, "GET", OF_BOB "/calendar/calendarPermissions", NULL, 403);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_calendar_is_made_shared_and_deleted, ocal_test_world),
        cmocka_unit_test_setup(every_role_gives_what_it_says, ocal_test_world),
        cmocka_unit_test_setup(a_reader_of_a_calendar_learns_nothing_of_private_events,
                               ocal_test_world),
    };
    return cmocka_run_group_tests(tests, test_open_engine, test_close_engine);
}
