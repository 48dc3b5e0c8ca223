/* SPDX-License-Identifier: Apache-2.0 */
/* Outlook Calendar: the calendars of groups. */
#include "tests/support/ocal.h"

#define CREW            "9a000000-0000-4000-8000-000000000001"
#define QUIET           "9a000000-0000-4000-8000-000000000002"
#define GUARD           "9a000000-0000-4000-8000-000000000003"
#define OF(group, rest) "/v1.0/groups/" group rest
#define DAN             "dan@port.example" /* in no group, and owner of the quiet one */
#define WINDOW          "/calendarView?startDateTime=2026-11-23T00:00:00Z&endDateTime=2026-11-30T00:00:00Z"
#define LUNCH                                                                                      \
    "{'subject':'Lunch'," TIMES(                                                                   \
        "2026-11-24T12:00:00",                                                                     \
        "2026-11-24T13:00:00") ",'attendees':[{'emailAddress':{'address':'" ADA "'}},"             \
                               "{'emailAddress':{'address':'" CAT "'}}]}"

static const char doc[] =
    "{sosia: 1, time: '2026-11-23T08:00:00Z', organizations: [{domain: acme.example}, {domain: "
    "port.example}], people: [{email: ada@acme.example, name: Ada}, {email: bob@port.example, "
    "name: Bob}, {email: cat@port.example, name: Cat}, {email: dan@port.example, name: Dan}], "
    "accounts: [{actor: bob@port.example, vendor: microsoft}, {actor: cat@port.example, vendor: "
    "microsoft}, {actor: dan@port.example, vendor: microsoft}], groups: [{email: crew@port.example,"
    " name: Crew, members: [bob@port.example, cat@port.example]}, {email: quiet@port.example, "
    "name: Quiet, members: [cat@port.example]}, {email: guard@port.example, name: Guard, members: "
    "[bob@port.example]}], microsoftGroups: [{group: crew@port.example, id: " CREW
    "}, {group: quiet@port.example, id: " QUIET
    ", visibility: Private, owners: [dan@port.example]}, {group: guard@port.example, id: " GUARD
    ", unified: false, security: true}]}";

static int use_groups(void **state)
{
    (void)state;
    test_use(quoted(doc));
    return 0;
}

/* What nothing was written to is empty, and has its id. */
static void a_group_has_a_calendar(void **state)
{
    (void)state;
    const struct json *v = as(BOB, "GET", OF(CREW, "/calendar"), NULL, 200);
    assert_string_equal(json_get_str(v, "@odata.context"),
                        "https://graph.microsoft.com/v1.0/$metadata#groups('" CREW
                        "')/calendar/$entity");
    assert_string_equal(text_at(v, "owner.name"), "Crew");
    assert_string_equal(text_at(v, "owner.address"), "crew@port.example");
    assert_true(json_is_true(value_at(v, "isDefaultCalendar")));
    const char *id = text_at(v, "id");
    v = as(BOB, "GET", OF(CREW, "/events"), NULL, 200);
    assert_int_equal(count_at(v, "value"), 0);
    v = as(BOB, "GET", OF(CREW, WINDOW), NULL, 200);
    assert_int_equal(count_at(v, "value"), 0);
    as(BOB, "POST", OF(CREW, "/calendar/events"), LUNCH, 201);
    v = as(BOB, "GET", OF(CREW, "/calendar"), NULL, 200);
    assert_string_equal(text_at(v, "id"), id);
    v = as(BOB, "GET", "/v1.0/me/calendars", NULL, 200); /* it is none of theirs */
    assert_int_equal(count_at(v, "value"), 1);
}

/* The group is the organizer; its people and guests see it as others. */
static void a_group_organizes_events(void **state)
{
    (void)state;
    const struct json *v = as(BOB, "POST", OF(CREW, "/events"), LUNCH, 201);
    const char *id = text_at(v, "id");
    assert_string_equal(json_get_str(v, "@odata.context"),
                        "https://graph.microsoft.com/v1.0/$metadata#groups('" CREW
                        "')/events/$entity");
    assert_non_null(strstr(test_header("Location"), "/groups('" CREW "')/events('"));
    assert_string_equal(text_at(v, "organizer.emailAddress.name"), "Crew");
    assert_string_equal(text_at(v, "organizer.emailAddress.address"), "crew@port.example");
    assert_true(json_is_true(value_at(v, "isOrganizer")));
    assert_string_equal(text_at(v, "responseStatus.response"), "organizer");
    v = as(CAT, "GET", EVENTS, NULL, 200);
    assert_string_equal(text_at(v, "value.0.organizer.emailAddress.name"), "Crew");
    assert_false(json_is_true(value_at(v, "value.0.isOrganizer")));
    const char *copy = text_at(v, "value.0.id");
    as(CAT, "GET", path(OF(CREW, "/events/%s"), copy), NULL, 404); /* an id of another mailbox */
    as(CAT, "POST", path(EVENTS "/%s/accept", copy), "{'sendResponse':true}", 202);
    v = as(BOB, "GET", path(OF(CREW, "/events/%s"), id), NULL, 200);
    assert_string_equal(text_at(v, "attendees.1.status.response"), "accepted");
    assert_null(json_get(v, "calendar@odata.navigationLink"));
    v = as(ADA, "GET", "/calendar/v3/calendars/primary/events", NULL, 200);
    assert_string_equal(text_at(v, "items.0.organizer.email"), "crew@port.example");
    as(CAT, "PATCH", path(OF(CREW, "/events/%s"), id), "{'subject':'Dinner'}", 200);
    v = as(CAT, "GET", OF(CREW, WINDOW "&$select=subject"), NULL, 200);
    assert_string_equal(text_at(v, "value.0.subject"), "Dinner");
    v = as(CAT, "GET", path(EVENTS "/%s", copy), NULL, 200);
    assert_string_equal(text_at(v, "subject"), "Dinner");
    as(CAT, "DELETE", path(OF(CREW, "/events/%s"), id), NULL, 204);
    as(BOB, "GET", path(OF(CREW, "/events/%s"), id), NULL, 404);
    v = as(ADA, "GET", "/calendar/v3/calendars/primary/events", NULL, 200);
    assert_int_equal(count_at(v, "items"), 0);
    v = as(BOB, "POST", OF(CREW, "/events"), DAILY "}", 201);
    v = as(BOB, "GET",
           arena_printf(&test_arena, OF(CREW, "/events/%s/instances%s"), text_at(v, "id"),
                        strchr(WINDOW, '?')),
           NULL, 200);
    assert_int_equal(count_at(v, "value"), 5);
}

/* The group's, and not of one of its members: they all see it and change it. */
static void members_see_private_events_of_their_group(void **state)
{
    (void)state;
    const struct json *v = as(BOB, "POST", OF(CREW, "/events"),
                              "{'subject':'Party','sensitivity':'private'," TIMES(
                                  "2026-11-24T12:00:00", "2026-11-24T13:00:00") "}",
                              201);
    const char *id = text_at(v, "id");
    assert_string_equal(text_at(v, "subject"), "Party");
    v = as(CAT, "GET", path(OF(CREW, "/events/%s"), id), NULL, 200);
    assert_string_equal(text_at(v, "subject"), "Party");
    v = as(CAT, "GET", OF(CREW, WINDOW), NULL, 200);
    assert_string_equal(text_at(v, "value.0.subject"), "Party");
    as(CAT, "PATCH", path(OF(CREW, "/events/%s"), id), "{'subject':'Ball'}", 200);
    as(DAN, "GET", path(OF(CREW, "/events/%s"), id), NULL, 404); /* who only reads it */
    v = as(DAN, "GET", OF(CREW, WINDOW), NULL, 200);
    assert_string_equal(text_at(v, "value.0.subject"), "Private Appointment");
}

/* Of a link of the answer, the path and the query. */
static const char *link_in(const struct json *v, const char *member)
{
    const char *link = json_get_str(v, member);
    assert_non_null(link);
    return strstr(link, "/v1.0/");
}

static void changes_of_a_groups_calendar_are_listed(void **state)
{
    (void)state;
    const struct json *v = as(BOB, "GET", OF(CREW, "/events/delta"), NULL, 200);
    assert_int_equal(count_at(v, "value"), 0);
    const char *empty = link_in(v, "@odata.deltaLink");
    v = as(BOB, "GET",
           arena_printf(&test_arena, OF(CREW, "/calendarView/delta()%s"), strchr(WINDOW, '?')),
           NULL, 200);
    const char *window = link_in(v, "@odata.deltaLink");
    const char *id = text_at(as(BOB, "POST", OF(CREW, "/events"), LUNCH, 201), "id");
    v = as(BOB, "GET", empty, NULL, 200);
    assert_int_equal(count_at(v, "value"), 1);
    assert_string_equal(text_at(v, "value.0.id"), id);
    const char *link = link_in(v, "@odata.deltaLink");
    assert_string_equal(text_at(as(CAT, "GET", window, NULL, 200), "value.0.subject"), "Lunch");
    assert_int_equal(count_at(as(BOB, "GET", link, NULL, 200), "value"), 0);
    as(CAT, "DELETE", path(OF(CREW, "/events/%s"), id), NULL, 204);
    v = as(BOB, "GET", link, NULL, 200);
    assert_string_equal(text_at(v, "value.0.@removed.reason"), "deleted");
    /* Neither another group nor a person has this token. */
    const char *token = strchr(link, '?');
    as(CAT, "GET", arena_printf(&test_arena, OF(QUIET, "/events/delta()%s"), token), NULL, 400);
    as(BOB, "GET", arena_printf(&test_arena, EVENTS "/delta()%s", token), NULL, 400);
    as(BOB, "GET", OF(QUIET, "/events/delta"), NULL, 403);
}

static void events_of_groups_have_extensions(void **state)
{
    (void)state;
    const char *id = text_at(as(BOB, "POST", OF(CREW, "/events"), LUNCH, 201), "id");
    const char *list = path(OF(CREW, "/events/%s/extensions"), id),
               *one = path(OF(CREW, "/events/%s/extensions/com.example.seat"), id);
    const struct json *v = as(BOB, "POST", list,
                              "{'@odata.type':'microsoft.graph.openTypeExtension','extensionName':"
                              "'com.example.seat','row':3}",
                              201);
    assert_int_equal(json_get_int(v, "row", 0), 3);
    assert_non_null(strstr(test_header("Location"), "/groups('" CREW "')/events('"));
    assert_non_null(strstr(json_get_str(v, "@odata.context"), "#groups('" CREW "')/events('"));
    v = as(CAT, "PATCH", one, "{'row':4}", 200);
    assert_int_equal(json_get_int(v, "row", 0), 4);
    assert_int_equal(json_get_int(as(DAN, "GET", one, NULL, 200), "row", 0), 4);
    as(DAN, "PATCH", one, "{'row':5}", 403);
    as(DAN, "DELETE", one, NULL, 403);
    as(BOB, "DELETE", one, NULL, 204);
    as(BOB, "GET", one, NULL, 404);
}

static void rights_follow_membership(void **state)
{
    (void)state;
    as(DAN, "GET", OF(CREW, "/events"), NULL, 200); /* it is public */
    as(DAN, "POST", OF(CREW, "/events"), LUNCH, 403);
    as(BOB, "GET", OF(QUIET, "/events"), NULL, 403);
    as(BOB, "GET", OF(QUIET, "/calendar"), NULL, 403);
    as(CAT, "POST", OF(QUIET, "/events"), LUNCH, 201);
    const char *id = text_at(as(DAN, "GET", OF(QUIET, "/events"), NULL, 200), "value.0.id");
    as(BOB, "GET", path(OF(QUIET, "/events/%s"), id), NULL, 403);
    as(BOB, "GET", path(OF(CREW, "/events/%s"), id), NULL, 404);
    as(BOB, "GET", path(EVENTS "/%s", id), NULL, 404);
    as(DAN, "PATCH", path(OF(QUIET, "/events/%s"), id), "{'subject':'x'}", 200); /* an owner */
    as(BOB, "GET", OF(GUARD, "/events"), NULL, 404); /* it has no mailbox */
    as(BOB, "GET", "/v1.0/groups/nobody/events", NULL, 404);
    as(ADA, "GET", "/calendar/v3/calendars/crew@port.example/events", NULL, 404);
    const struct sosia_header headers[] = {
        {"Host", "graph.microsoft.com"},
        {"Authorization", test_bearer(BOB, "Calendars.ReadWrite")}};
    test_request("GET", OF(CREW, "/events"), headers, 2, "", 0);
    assert_int_equal(test_status, 403);
}

/* MG-546: a group takes what it is invited to, and its people are invited with it. */
static void a_group_is_invited(void **state)
{
    (void)state;
    as(BOB, "POST", OF(CREW, "/events"), LUNCH, 201);
    as(DAN, "POST", EVENTS,
       "{'subject':'Fire drill'," TIMES("2026-11-25T10:00:00",
                                        "2026-11-25T11:00:00") ",'attendees':[{'emailAddress':{'"
                                                               "address':'crew@port.example'}}]}",
       201);
    const struct json *v = as(CAT, "GET", OF(CREW, WINDOW), NULL, 200);
    assert_string_equal(text_at(v, "value.1.subject"), "Fire drill");
    assert_string_equal(text_at(v, "value.1.responseStatus.response"), "accepted");
    assert_string_equal(text_at(v, "value.1.organizer.emailAddress.address"), DAN);
    v = as(BOB, "GET", WEEK, NULL, 200);
    assert_string_equal(text_at(v, "value.0.subject"), "Fire drill");
    v = as(DAN, "GET", EVENTS, NULL, 200);
    assert_string_equal(text_at(v, "value.0.attendees.0.emailAddress.name"), "Crew");
}

static void groups_calendars_are_in_dumps(void **state)
{
    struct sosia_blob blob;
    uint64_t copy;
    (void)state;
    as(BOB, "POST", OF(CREW, "/events"), LUNCH, 201);
    as(BOB, "POST", OF(CREW, "/events"), DAILY "}", 201);
    assert_int_equal(sosia_diff(test_engine, 0, test_world, NULL, &blob, &test_err), 0);
    assert_non_null(strstr(blob.data, "Standup"));
    sosia_blob_free(&blob);
    assert_non_null(
        strstr(json_to_text(&test_arena, test_dump()),
               "\"id\":\"crew@port.example\",\"group\":\"crew@port.example\",\"vendor\":"
               "\"microsoft\""));
    ocal_again();
    const struct json *v = as(CAT, "GET", OF(CREW, WINDOW "&$top=50"), NULL, 200);
    assert_int_equal(count_at(v, "value"), 6);
    v = as(CAT, "GET", EVENTS, NULL, 200);
    assert_string_equal(text_at(v, "value.0.subject"), "Lunch");
    assert_int_equal(test_import_changed(NULL, &copy), 0);
    assert_int_equal(
        test_import_changed("update cal_calendar set main = 1 where owner is null", &copy), -1);
    assert_int_equal(
        test_import_changed("update cal_calendar set vendor = null where owner is null", &copy),
        -1);
}

static void documents_are_refused_that_say_wrong_things_of_groups(void **state)
{
    static const struct {
        const char *calendar, *text;
    } wrong[] = {
        {"{group: crew@port.example, summary: x}", "vendor"},
        {"{group: crew, vendor: microsoft, summary: x}", "address of a group"},
        {"{group: crew@port.example, vendor: nobody, summary: x}", "vendor that has calendars"},
        {"{group: crew@port.example, vendor: microsoft}", "summary"},
        {"{id: other, group: crew@port.example, vendor: microsoft, summary: x}", "calendar's id"},
    };
    uint64_t world;
    (void)state;
    for (size_t i = 0; i < SOSIA_LEN(wrong); i++) {
        const char *text = arena_printf(&test_arena, "%.*s, calendars: [%s]}", (int)strlen(doc) - 1,
                                        doc, wrong[i].calendar);
        const char *seed = quoted(text);
        const struct sosia_world_options opt = {.seed_doc = seed, .seed_doc_len = strlen(seed)};
        if (sosia_world_create(test_engine, &opt, &world, &test_err) == 0 ||
            !strstr(test_err.text, wrong[i].text))
            fail_msg("%s: %s", wrong[i].calendar, test_err.text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_group_has_a_calendar, use_groups),
        cmocka_unit_test_setup(a_group_organizes_events, use_groups),
        cmocka_unit_test_setup(members_see_private_events_of_their_group, use_groups),
        cmocka_unit_test_setup(changes_of_a_groups_calendar_are_listed, use_groups),
        cmocka_unit_test_setup(events_of_groups_have_extensions, use_groups),
        cmocka_unit_test_setup(rights_follow_membership, use_groups),
        cmocka_unit_test_setup(a_group_is_invited, use_groups),
        cmocka_unit_test_setup(groups_calendars_are_in_dumps, use_groups),
        cmocka_unit_test(documents_are_refused_that_say_wrong_things_of_groups),
    };
    return cmocka_run_group_tests(tests, test_open_engine, test_close_engine);
}
