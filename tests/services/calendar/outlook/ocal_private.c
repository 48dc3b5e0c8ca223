/* SPDX-License-Identifier: Apache-2.0 */
/* Outlook Calendar: private events, and those whom the calendar is shared with without them. */
#include "tests/support/ocal.h"

#define OF_BOB    "/v1.0/users/" BOB
#define IN_WINDOW "startDateTime=2026-11-23T00:00:00Z&endDateTime=2026-12-30T00:00:00Z"
#define EXTENSION "own.ext"

static const char *secret, *series;

/* As Cat, whatever the status; {id} becomes the event's. */
static void ask(const char *method, const char *rest, const char *id, const char *body)
{
    const struct sosia_header headers[] = {{"Authorization", test_bearer(CAT, NULL)},
                                           {"Content-Type", "application/json"},
                                           {"Host", "graph.microsoft.com"}};
    const char *text = body ? quoted(body) : "";
    const char *target =
        ARENA_JOIN(&test_arena, OF_BOB, strstr(rest, "%s") ? path(rest, id) : rest);
    test_request(method, target, headers, 3, text, strlen(text));
}

/* Who reads events but not private ones has these in lists, and not by their ids. */
static bool is_reader(const char *role)
{
    return strcmp(role, "freeBusyRead") != 0 && strcmp(role, "limitedRead") != 0;
}

static void learns_nothing(const char *role, const char *rest, const char *id)
{
    static const char *const words[] = {"Secret", "Hidden", "plan.txt", "kept thing", ADA};
    ask("GET", rest, id, NULL);
    const bool gone = strstr(rest, "%s") && is_reader(role);
    if (gone ? test_status != 404 : test_status != 200 && test_status != 403)
        fail_msg("%s, %s: %d %s", role, rest, test_status, test_body);
    for (size_t i = 0; i < SOSIA_LEN(words); i++)
        if (strstr(test_body, words[i]))
            fail_msg("%s, %s has %s: %s", role, rest, words[i], test_body);
    if (strstr(rest, "filter=sub") && test_status == 200 && strcmp(test_body, "0") != 0 &&
        !strstr(test_body, "\"value\":[]"))
        fail_msg("%s, %s finds it: %s", role, rest, test_body);
}

static void changes_nothing(const char *role, const char *id)
{
    static const struct {
        const char *method, *rest, *body;
    } calls[] = {
        {"PATCH", "/events/%s", "{'subject':'Mine'}"},
        {"PATCH", "/events/%s", "{'sensitivity':'normal'}"},
        {"DELETE", "/events/%s", NULL},
        {"POST", "/events/%s/cancel", "{}"},
        {"POST", "/events/%s/forward", "{'toRecipients':[{'emailAddress':{'address':'" CAT "'}}]}"},
        {"POST", "/events/%s/dismissReminder", NULL},
        {"POST", "/events/%s/snoozeReminder",
         "{'newReminderTime':{'dateTime':'2026-11-24T09:00:00','timeZone':'UTC'}}"},
        {"POST", "/events/%s/extensions",
         "{'@odata.type':'#microsoft.graph.openTypeExtension','extensionName':'other','a':1}"},
        {"PATCH", "/events/%s/extensions/" EXTENSION,
         "{'@odata.type':'#microsoft.graph.openTypeExtension','extensionName':'" EXTENSION
         "','a':1}"},
        {"DELETE", "/events/%s/extensions/" EXTENSION, NULL},
        {"POST", "/events/%s/attachments",
         "{'@odata.type':'#microsoft.graph.fileAttachment','name':'b','contentBytes':'cGxhbg=='}"},
        {"POST", "/events/%s/attachments/createUploadSession",
         "{'AttachmentItem':{'attachmentType':'file','name':'b','size':4000000}}"},
    };
    for (size_t i = 0; i < SOSIA_LEN(calls); i++) {
        ask(calls[i].method, calls[i].rest, id, calls[i].body);
        if (test_status != (is_reader(role) && strcmp(role, "read") != 0 ? 404 : 403))
            fail_msg("%s, %s %s: %d %s", role, calls[i].method, calls[i].rest, test_status,
                     test_body);
    }
}

static void make_private(void)
{
    secret = text_at(
        make(BOB, "{'subject':'Secret','sensitivity':'private','location':{'displayName':'Hidden'},"
                  "'body':{'content':'Secret too'},'attachments':[{'@odata.type':"
                  "'#microsoft.graph.fileAttachment','name':'plan.txt','contentBytes':"
                  "'cGxhbg=='}],'attendees':[{'emailAddress':{'address':'" ADA
                  "'}}]," TIMES("2026-11-24T10:00:00", "2026-11-24T11:00:00") "}"),
        "id");
    as(BOB, "POST", path(EVENTS "/%s/extensions", secret),
       "{'@odata.type':'#microsoft.graph.openTypeExtension','extensionName':'" EXTENSION
       "','a':'kept thing'}",
       201);
    series = text_at(
        make(BOB, "{'subject':'Secret','sensitivity':'private','location':{'displayName':"
                  "'Hidden'}," TIMES("2026-11-25T09:00:00",
                                     "2026-11-25T09:15:00") ","
                                                            "'recurrence':{'pattern':{'type':'"
                                                            "daily','interval':1},'range':{'type':"
                                                            "'numbered','startDate':'2026-11-25','"
                                                            "numberOfOccurrences':5}}}"),
        "id");
    const struct json *v =
        as(BOB, "GET", path(EVENTS "/%s/instances?" IN_WINDOW, series), NULL, 200);
    as(BOB, "PATCH", path(EVENTS "/%s", text_at(v, "value.2.id")), "{'subject':'Secret of one'}",
       200);
}

/* Neither lists nor filters, counts, parts and changes say what it is, and nothing changes it. */
static void private_events_have_no_other_door(void **state)
{
    static const char *const roles[] = {"freeBusyRead", "limitedRead", "read", "write",
                                        "delegateWithoutPrivateEventAccess"};
    static const char *const paths[] = {
        "/events",
        "/events?$count=true&$filter=subject%20eq%20'Secret'",
        "/events?$orderby=subject&$expand=attachments",
        "/events?$expand=extensions($filter=id%20eq%20'" EXTENSION "')",
        "/events/$count?$filter=subject%20eq%20'Secret'",
        "/calendar/events?$select=subject,body,location,attendees",
        "/calendarView?" IN_WINDOW "&$expand=attachments",
        "/calendarView?" IN_WINDOW "&$filter=subject%20eq%20'Secret'",
        "/calendarView/$count?" IN_WINDOW "&$filter=subject%20eq%20'Secret'",
        "/calendarView/delta?" IN_WINDOW,
        "/events/delta",
        "/reminderView(startDateTime='2026-11-23T00:00:00',endDateTime='2026-12-30T00:00:00')",
        "/events/%s",
        "/events/%s?$expand=attachments",
        "/events/%s?$expand=extensions($filter=id%20eq%20'" EXTENSION "')",
        "/events/%s?$select=exceptionOccurrences,cancelledOccurrences&$expand="
        "exceptionOccurrences",
        "/events/%s/attachments",
        "/events/%s/extensions/" EXTENSION,
        "/events/%s/calendar",
    };
    (void)state;
    make_private();
    const struct json *v = as(BOB, "POST", "/v1.0/me/calendar/calendarPermissions",
                              "{'emailAddress':{'address':'" CAT "'},'role':'read'}", 201);
    const char *rule = text_at(v, "id");
    for (size_t r = 0; r < SOSIA_LEN(roles); r++) {
        as(BOB, "PATCH", path("/v1.0/me/calendar/calendarPermissions/%s", rule),
           arena_printf(&test_arena, "{'role':'%s'}", roles[r]), 200);
        for (size_t i = 0; i < SOSIA_LEN(paths); i++)
            learns_nothing(roles[r], paths[i], secret);
        learns_nothing(roles[r], "/events/%s", series);
        learns_nothing(roles[r], "/events/%s/instances?" IN_WINDOW, series);
        learns_nothing(roles[r],
                       "/events/%s?$expand=exceptionOccurrences&$select=exceptionOccurrences",
                       series);
        changes_nothing(roles[r], secret);
        changes_nothing(roles[r], series);
    }
    v = as(BOB, "GET", path(EVENTS "/%s", secret), NULL, 200);
    assert_string_equal(text_at(v, "subject"), "Secret");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(private_events_have_no_other_door, ocal_test_world),
    };
    return cmocka_run_group_tests(tests, test_open_engine, test_close_engine);
}
