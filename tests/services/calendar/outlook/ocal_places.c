/* SPDX-License-Identifier: Apache-2.0 */
/* Outlook Calendar: rooms, lists of rooms, and meetings in them. */
#include "tests/support/ocal.h"

#define RED  "red@port.example"
#define BLUE "blue@port.example"
#define EVA  "eva@port.example" /* an administrator */

static int rooms_world(void **state)
{
    (void)state;
    test_use(quoted(
        "{sosia: 1, time: '2026-11-23T08:00:00Z', organizations: [{domain: acme.example}, {domain: "
        "port.example}], people: [{email: ada@acme.example, name: Ada}, {email: bob@port.example, "
        "name: Bob}, {email: eva@port.example, name: Eva}, {email: red@port.example, name: Red "
        "Room, kind: resource}, {email: blue@port.example, name: Blue Room, kind: resource}, "
        "{email: green@acme.example, name: Green Room, kind: resource}], accounts: [{actor: "
        "bob@port.example, vendor: microsoft, services: [calendar]}, {actor: eva@port.example, "
        "vendor: microsoft, services: [calendar]}, {actor: red@port.example, vendor: microsoft, "
        "services: [calendar]}, {actor: blue@port.example, vendor: microsoft, services: "
        "[calendar]}], microsoftUsers: [{actor: eva@port.example, admin: true}], places: [{email: "
        "house@port.example, kind: roomList, name: House}, {email: red@port.example, list: "
        "house@port.example, details: {building: '1', capacity: 12, tags: [beamer]}}]}"));
    return 0;
}

static void rooms_and_their_lists_are_listed(void **state)
{
    (void)state;
    for (int round = 0; round < 2; round++) {
        const struct json *v = as(BOB, "GET", "/v1.0/places/microsoft.graph.room", NULL, 200);
        assert_int_equal((int)count_at(v, "value"), 2); /* acme.example's is not the tenant's */
        assert_string_equal(text_at(v, "value.1.emailAddress"), RED);
        assert_string_equal(text_at(v, "value.1.displayName"), "Red Room");
        assert_int_equal(number_at(v, "value.1.capacity"), 12);
        assert_string_equal(text_at(v, "value.1.tags.0"), "beamer");
        assert_string_equal(text_at(v, "value.0.bookingType"), "standard");
        assert_string_equal(text_at(v, "value.0.emailAddress"), BLUE);
        assert_int_equal(value_at(v, "value.0.capacity")->type, JSON_NULL);
        const char *id = text_at(v, "value.1.id");
        v = as(BOB, "GET", path("/v1.0/places/%s", id), NULL, 200);
        assert_string_equal(json_get_str(v, "@odata.type"), "#microsoft.graph.room");
        v = as(BOB, "GET", "/v1.0/places/" RED "?$select=building", NULL, 200);
        assert_string_equal(text_at(v, "building"), "1");
        assert_null(value_at(v, "capacity"));
        v = as(BOB, "GET",
               "/v1.0/places/microsoft.graph.room?$filter=capacity%20ge%2010&$count=true", NULL,
               200);
        assert_int_equal((int)count_at(v, "value"), 1);
        assert_int_equal((int)json_get_int(v, "@odata.count", 0), 1);
        v = as(BOB, "GET", "/v1.0/places/microsoft.graph.room?$top=1&$count=true", NULL, 200);
        assert_int_equal((int)count_at(v, "value"), 1);
        assert_int_equal((int)json_get_int(v, "@odata.count", 0), 2);
        v = as(BOB, "GET", strstr(json_get_str(v, "@odata.nextLink"), "/v1.0/"), NULL, 200);
        assert_string_equal(text_at(v, "value.0.emailAddress"), RED);
        v = as(BOB, "GET", "/v1.0/places/microsoft.graph.roomList", NULL, 200);
        assert_int_equal((int)count_at(v, "value"), 1);
        assert_string_equal(text_at(v, "value.0.emailAddress"), "house@port.example");
        assert_null(value_at(v, "value.0.capacity"));
        const char *list = text_at(v, "value.0.id");
        v = as(BOB, "GET", "/v1.0/places/house@port.example/microsoft.graph.roomlist/rooms", NULL,
               200);
        assert_int_equal((int)count_at(v, "value"), 1);
        assert_string_equal(text_at(v, "value.0.emailAddress"), RED);
        as(BOB, "GET", path("/v1.0/places/%s/microsoft.graph.roomlist/rooms", list), NULL, 404);
        as(BOB, "GET", "/v1.0/places/green@acme.example", NULL, 404);
        as(ADA, "GET", "/v1.0/places/microsoft.graph.room", NULL, 403);
        ocal_again();
    }
}

static void an_administrator_changes_a_room(void **state)
{
    (void)state;
    as(BOB, "PATCH", "/v1.0/places/" RED, "{'capacity':14}", 403);
    const struct json *v = as(EVA, "PATCH", "/v1.0/places/" RED,
                              "{'@odata.type':'microsoft.graph.room','capacity':14,'building':null,"
                              "'address':{'city':'Bern'}}",
                              200);
    assert_int_equal(number_at(v, "capacity"), 14);
    assert_string_equal(text_at(v, "address.city"), "Bern");
    assert_string_equal(text_at(v, "tags.0"), "beamer");
    as(EVA, "PATCH", "/v1.0/places/" RED, "{'capacity':'many'}", 400);
    as(EVA, "PATCH", "/v1.0/places/none", "{'capacity':1}", 404);
    ocal_again();
    v = as(BOB, "GET", "/v1.0/places/" RED, NULL, 200);
    assert_int_equal(number_at(v, "capacity"), 14);
    assert_int_equal(value_at(v, "building")->type, JSON_NULL);
}

#define IN(room, from, to)                                                                         \
    "{'subject':'Meeting','attendees':[{'type':'resource','emailAddress':{'address':'" room        \
    "'}}],'location':{'displayName':'Red Room','locationEmailAddress':'" room                      \
    "','locationType':'conferenceRoom'}," TIMES(from, to) "}"

/* A room takes what fits, and declines what does not. */
static void a_room_answers_by_its_calendar(void **state)
{
    (void)state;
    const struct json *v = make(BOB, IN(RED, "2026-11-24T10:00:00", "2026-11-24T11:00:00"));
    v = as(BOB, "GET", path(EVENTS "/%s", text_at(v, "id")), NULL, 200);
    assert_string_equal(text_at(v, "attendees.0.status.response"), "accepted");
    assert_string_equal(text_at(v, "location.locationEmailAddress"), RED);
    v = make(EVA, IN(RED, "2026-11-24T10:30:00", "2026-11-24T11:30:00"));
    v = as(EVA, "GET", path(EVENTS "/%s", text_at(v, "id")), NULL, 200);
    assert_string_equal(text_at(v, "attendees.0.status.response"), "declined");
    v = as(EVA, "POST", "/v1.0/me/calendar/getSchedule",
           "{'schedules':['" RED "','" BLUE "'],'startTime':{'dateTime':'2026-11-24T09:00:00',"
           "'timeZone':'UTC'},'endTime':{'dateTime':'2026-11-24T12:00:00','timeZone':'UTC'},"
           "'availabilityViewInterval':60}",
           200);
    assert_string_equal(text_at(v, "value.0.availabilityView"), "020");
    assert_string_equal(text_at(v, "value.1.availabilityView"), "000");
}

#define FIND(constraint)                                                                           \
    "{'meetingDuration':'PT1H','locationConstraint':" constraint                                   \
    ",'timeConstraint':{'timeSlots':[{'start':{'dateTime':'2026-11-24T10:00:00','timeZone':'UTC'}" \
    ",'end':{'dateTime':'2026-11-24T11:00:00','timeZone':'UTC'}}]}}"
#define ROOM(name) "{'displayName':'" name "','locationEmailAddress':'" name "'"

static void times_are_found_with_rooms(void **state)
{
    static const struct {
        const char *constraint;
        int n;             /* suggestions */
        const char *place; /* of the first; NULL: none */
    } all[] = {
        {FIND("{'suggestLocation':true}"), 1, BLUE},
        {FIND("{'isRequired':true,'locations':[" ROOM(RED) ",'resolveAvailability':true}]}"), 0,
         NULL},
        {FIND("{'isRequired':false,'locations':[" ROOM(RED) ",'resolveAvailability':true}]}"), 1,
         NULL},
        {FIND("{'isRequired':true,'locations':[" ROOM(RED) "}]}"), 1, RED},
        {FIND("{'isRequired':true,'suggestLocation':true,'locations':[" ROOM(
             RED) ",'resolveAvailability':true}]}"),
         1, BLUE},
        {FIND("{'isRequired':true,'locations':[" ROOM(BLUE) ",'resolveAvailability':true}]}"), 1,
         BLUE},
    };
    (void)state;
    make(BOB, IN(RED, "2026-11-24T10:00:00", "2026-11-24T11:00:00"));
    for (size_t i = 0; i < SOSIA_LEN(all); i++) {
        const struct json *v = as(EVA, "POST", "/v1.0/me/findMeetingTimes", all[i].constraint, 200);
        assert_int_equal((int)count_at(v, "meetingTimeSuggestions"), all[i].n);
        assert_string_equal(text_at(v, "emptySuggestionsReason"),
                            all[i].n ? "" : "LocationsUnavailable");
        if (!all[i].n)
            continue;
        v = value_at(v, "meetingTimeSuggestions.0.locations");
        assert_int_equal(v->n, all[i].place != NULL);
        if (all[i].place)
            assert_string_equal(json_get_str(&v->items[0], "locationEmailAddress"), all[i].place);
    }
}

/* A group that is invited is its members. */
static void a_group_is_invited_as_its_members(void **state)
{
    (void)state;
    test_use(ocal_doc_with("groups: [{email: crew@port.example, name: Crew, members: "
                           "[bob@port.example, cat@port.example]}]"));
    make(BOB,
         "{'subject':'All','attendees':[{'emailAddress':{'address':'crew@port.example'}}]," TIMES(
             "2026-11-24T10:00:00", "2026-11-24T11:00:00") "}");
    const struct json *v = as(CAT, "GET", EVENTS, NULL, 200);
    assert_int_equal((int)count_at(v, "value"), 1);
    assert_string_equal(text_at(v, "value.0.subject"), "All");
    v = as(BOB, "GET", EVENTS, NULL, 200);
    assert_int_equal((int)count_at(v, "value"), 1);
}

/* Primary calendars have keys that were made: a document may give them each other's, and no two
 * the same one. */
static void two_calendars_cannot_have_one_id(void **state)
{
    (void)state;
    rooms_world(state);
    const struct json *v = as(BOB, "GET", "/v1.0/me/calendar", NULL, 200);
    assert_true(json_is_true(value_at(v, "isDefaultCalendar")));
    for (int same = 0; same < 2; same++) {
        const char *text = ocal_doc_with(
            same ? "calendars: [{id: c_a, primary: true, owner: bob@port.example}, {id: c_a, "
                   "primary: true, owner: cat@port.example}]"
                 : "calendars: [{id: c_a, primary: true, owner: bob@port.example}, {id: c_b, "
                   "primary: true, owner: cat@port.example}]");
        const struct sosia_world_options opt = {.seed_doc = text, .seed_doc_len = strlen(text)};
        uint64_t world;
        assert_int_equal(sosia_world_create(test_engine, &opt, &world, &test_err), same ? -1 : 0);
    }
    assert_non_null(strstr(test_err.text, "calendars[0].id"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(rooms_and_their_lists_are_listed, rooms_world),
        cmocka_unit_test_setup(an_administrator_changes_a_room, rooms_world),
        cmocka_unit_test_setup(a_room_answers_by_its_calendar, rooms_world),
        cmocka_unit_test_setup(times_are_found_with_rooms, rooms_world),
        cmocka_unit_test(two_calendars_cannot_have_one_id),
        cmocka_unit_test(a_group_is_invited_as_its_members),
    };
    return cmocka_run_group_tests(tests, test_open_engine, test_close_engine);
}
