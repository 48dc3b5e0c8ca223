/* SPDX-License-Identifier: Apache-2.0 */
/* Push channels of calendars in seed documents, dumps and imported worlds. */
#include "tests/support/gcal.h"
#include <stdlib.h>

#define HEAD                                                                                       \
    "sosia: 1\ntime: 2026-11-23T08:00:00Z\npeople:\n"                                              \
    "  - {email: ada@acme.example, zone: Europe/Rome}\n"                                           \
    "  - {email: bob@acme.example, zone: America/New_York}\n"                                      \
    "calendars:\n  - {id: team@group.calendar.google.com, owner: bob@acme.example, summary: T}\n"  \
    "calendarChannels:\n"

#define HOOK "https://hook.example/"

static char *dump_of(uint64_t world)
{
    struct sosia_blob blob;
    if (sosia_world_dump(test_engine, world, &blob, &test_err) < 0)
        fail_msg("dump: %s", test_err.text);
    return blob.data;
}

/* Goes on in a world of the dump of the present one: the dumps must be the same. */
static void go_on_in_a_copy(void)
{
    char *first = dump_of(test_world);
    test_use(first);
    char *second = dump_of(test_world);
    assert_string_equal(first, second);
    free(first);
    free(second);
}

/* The newest message to an address; NULL: none. */
static const struct json *message_to(const char *address)
{
    const struct json *list = value_at(test_outbox(), ""), *found = NULL;
    for (uint32_t i = 0; list && i < list->n; i++)
        if (strcmp(text_at(&list->items[i], "to"), address) == 0)
            found = &list->items[i];
    return found;
}

static const char *watch(const char *who, const char *list, const char *id)
{
    const struct json *v = as(who, "POST", arena_printf(&test_arena, "%s/watch", list),
                              arena_printf(&test_arena,
                                           "{'id':'%s','type':'web_hook','token':'t=1','address':"
                                           "'" HOOK "%s'}",
                                           id, id));
    assert_int_equal(test_status, 200);
    return text_at(v, "resourceId");
}

static void channels_go_on_in_a_world_of_the_dump(void **state)
{
    (void)state;
    const char *events = watch(ADA, "/calendars/primary/events", "events-1");
    watch(ADA, "/calendars/primary/acl", "acl-1");
    watch(ADA, "/users/me/calendarList", "list-1");
    watch(BOB, "/users/me/settings", "settings-1");
    make_event("aaaaa", "'summary':'One'");
    go_on_in_a_copy();
    assert_null(message_to(HOOK "events-1"));
    make_event("bbbbb", "'summary':'Two'");
    const struct json *m = value_at(message_to(HOOK "events-1"), "payload.headers");
    assert_string_equal(text_at(m, "X-Goog-Message-Number"), "3");
    assert_string_equal(text_at(m, "X-Goog-Resource-ID"), events);
    assert_string_equal(text_at(m, "X-Goog-Channel-Token"), "t=1");
    assert_string_equal(text_at(m, "X-Goog-Resource-URI"),
                        "https://www.googleapis.com/calendar/v3/calendars/primary/events?alt=json");
    share_with_bob("reader");
    assert_non_null(message_to(HOOK "acl-1"));
    as(ADA, "PATCH", "/users/me/calendarList/ada@acme.example", "{'colorId':'3'}");
    assert_non_null(message_to(HOOK "list-1"));
    as(ADA, "POST", "/channels/stop",
       arena_printf(&test_arena, "{'id':'events-1','resourceId':'%s'}", events));
    assert_int_equal(test_status, 204);
    test_advance(8 * 86400);
    assert_null(value_at(test_dump(), "calendarChannels"));
}

static void what_a_channel_watches_may_be_gone(void **state)
{
    (void)state;
    const struct json *v = as(ADA, "POST", "/calendars", "{'summary':'Side'}");
    const char *id = arena_strdup(&test_arena, text_at(v, "id"));
    const char *resource =
        watch(ADA, arena_printf(&test_arena, "/calendars/%s/events", id), "side");
    as(ADA, "DELETE", arena_printf(&test_arena, "/calendars/%s", id), NULL);
    assert_int_equal(test_status, 204);
    go_on_in_a_copy();
    assert_true(true_at(test_dump(), "calendarChannels.0.gone"));
    as(ADA, "POST", "/calendars", "{'summary':'Other'}");
    assert_null(message_to(HOOK "side"));
    as(ADA, "POST", "/channels/stop",
       arena_printf(&test_arena, "{'id':'side','resourceId':'%s'}", resource));
    assert_int_equal(test_status, 204);
}

static void a_document_may_say_little(void **state)
{
    (void)state;
    test_use(HEAD "  - {id: c1, person: bob@acme.example, watch: events, calendar: "
                  "team@group.calendar.google.com, address: 'http://localhost:9/x'}\n");
    const struct json *c = value_at(test_dump(), "calendarChannels.0");
    assert_string_equal(text_at(c, "uri"), "https://www.googleapis.com/calendar/v3/calendars/"
                                           "team%40group.calendar.google.com/events?alt=json");
    assert_string_equal(text_at(c, "expires"), "2026-11-30T08:00:00Z");
    assert_int_equal(strlen(text_at(c, "resource")), 27);
    go_on_in_a_copy();
    as(BOB, "POST", "/calendars/team@group.calendar.google.com/events",
       "{'start':{'date':'2026-11-24'},'end':{'date':'2026-11-25'}}");
    assert_int_equal(test_status, 200);
    assert_non_null(message_to("http://localhost:9/x"));
}

static void faults_are_refused(void **state)
{
#define C   "{id: c1, person: ada@acme.example, watch: list, address: 'https://a.example'"
#define EV  "{id: c1, person: ada@acme.example, watch: events, address: 'https://a.example'"
#define AT0 "x:7: calendarChannels[0]."
    static const char *const cases[][2] = {
        {C ", token: \"a\\nb\"}", AT0 "token: is too long or has characters"},
        {C ", uri: ''}", AT0 "uri: is too long"},
        {C ", resource: 'a b'}", AT0 "resource: "},
        {C ", messages: 0}", AT0 "messages: "},
        {C ", expires: soon}", AT0 "expires: \"soon\" is not a time"},
        {C ", gone: true}", AT0 "gone: what watches list is never gone"},
        {C ", calendar: primary}", AT0 "calendar: is not a member of what watches list"},
        {C "}, " C "}", "calendarChannels[1].id: "},
        {EV "}", AT0 "calendar: "},
        {EV ", calendar: other}", AT0 "calendar: there is no calendar \"other\""},
        {"{id: 'a b', person: ada@acme.example, watch: list, address: 'https://a.example'}",
         AT0 "id: "},
        {"{id: c, person: eve@acme.example, watch: list, address: 'https://a.example'}",
         AT0 "person: nobody has the address or handle \"eve@acme.example\""},
        {"{id: c, person: ada@acme.example, watch: other, address: 'https://a.example'}",
         AT0 "watch: "},
        {"{id: c, person: ada@acme.example, watch: list, address: 'http://a.example'}",
         AT0 "address: must be an https URL"},
        {"{id: c, person: ada@acme.example, watch: list}", AT0 "address: "},
        {"{id: c, person: ada@acme.example, address: 'https://a.example'}", AT0 "watch: "},
    };
    (void)state;
    for (size_t i = 0; i < SOSIA_LEN(cases); i++) {
        struct sosia_err err;
        uint64_t w;
        const char *doc = arena_printf(&test_arena,
                                       "sosia: 1\npeople:\n  - {email: ada@acme.example}\n\n\n\n"
                                       "calendarChannels: [%s]\n",
                                       cases[i][0]);
        struct sosia_world_options opt = {
            .seed_doc = doc, .seed_doc_len = strlen(doc), .seed_doc_name = "x"};
        assert_int_equal(sosia_world_create(test_engine, &opt, &w, &err), -1);
        if (!strstr(err.text, cases[i][1]))
            fail_msg("\"%s\" is not in \"%s\"", cases[i][1], err.text);
    }
}

static void rows_that_no_channel_has_are_refused(void **state)
{
    static const char *const changes[] = {
        "update google_channel set kind = 'other'",
        "update google_channel set kind = 'calendar.other'",
        "update google_channel set kind = 'drive.feed', ref = actor + 1",
        "update google_channel set kind = 'drive.file', ref = 1000000",
        "update google_channel set ref = 1000000",
        "update google_channel set kind = 'calendar.list', ref = actor + 1",
        "update google_channel set number = 0",
        "update google_channel set expires_us = 1 << 62",
        "update google_channel set name = 'a b'",
        "update google_channel set token = 'a' || char(13, 10) || 'b: c'",
        "update google_channel set address = 'file:///etc/passwd'",
        "update google_channel set resource = ''",
        "update google_channel set uri = 'https://a' || char(10)",
    };
    (void)state;
    uint64_t w;
    watch(ADA, "/calendars/primary/events", "events-1");
    if (test_import_changed("update google_channel set ref = 0", &w) < 0)
        fail_msg("%s", test_err.text);
    for (size_t i = 0; i < SOSIA_LEN(changes); i++) {
        if (test_import_changed(changes[i], &w) == 0)
            fail_msg("taken: %s", changes[i]);
        assert_int_equal(test_err.code, SOSIA_E_INVALID);
        if (!strstr(test_err.text, "google_channel"))
            fail_msg("%s: %s", changes[i], test_err.text);
    }
}

/* What Google makes itself can't be watched. */
static void holidays_are_not_watched(void **state)
{
    (void)state;
    as(ADA, "POST", "/calendars/en.usa%23holiday@group.v.calendar.google.com/events/watch",
       "{'id':'h','type':'web_hook','address':'https://hook.example/h'}");
    assert_refused(400, "pushNotSupportedForRequestedResource");
    assert_null(value_at(test_dump(), "calendarChannels"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        gcal_test(channels_go_on_in_a_world_of_the_dump),
        gcal_test(what_a_channel_watches_may_be_gone),
        gcal_test(a_document_may_say_little),
        gcal_test(faults_are_refused),
        gcal_test(rows_that_no_channel_has_are_refused),
        gcal_test(holidays_are_not_watched),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
