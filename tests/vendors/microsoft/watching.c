/* SPDX-License-Identifier: Apache-2.0 */
/* Subscriptions to events and messages of people: what is announced of what they do. */
#include "tests/support/world.h"
#include <stdio.h>

#define ADA "ada@port.example"
#define BOB "bob@port.example"
#define EVE "eve@acme.example"
#define DOC                                                                                        \
    "{\"sosia\":1,\"time\":\"2026-11-23T08:00:00Z\",\"handshakes\":\"accepted\",\"people\":["      \
    "{\"email\":\"" ADA "\"},{\"email\":\"" BOB "\"}],\"accounts\":[{\"actor\":\"" ADA             \
    "\",\"vendor\":\"microsoft\"},{\"actor\":\"" BOB "\",\"vendor\":\"microsoft\"}]}"
#define DOC_TENANTS                                                                                \
    "sosia: 1\ntime: 2026-11-23T08:00:00Z\nhandshakes: accepted\n"                                 \
    "people:\n"                                                                                    \
    "  - {email: ada@port.example}\n"                                                              \
    "  - {email: bob@port.example}\n"                                                              \
    "  - {email: eve@acme.example}\n"                                                              \
    "  - {handle: daemon, kind: app}\n"                                                            \
    "accounts:\n"                                                                                  \
    "  - {actor: ada@port.example, vendor: microsoft}\n"                                           \
    "  - {actor: bob@port.example, vendor: microsoft}\n"                                           \
    "  - {actor: eve@acme.example, vendor: microsoft}\n"                                           \
    "microsoftTenants: [{domain: port.example}, {domain: acme.example}]\n"                         \
    "apps: [{client_id: d, client_secret: s, name: D, kind: web, vendor: microsoft, bot: "         \
    "daemon}]\n"                                                                                   \
    "microsoftApps: [{app: d, tenant: port.example, application: Mail.Read}]\n"                    \
    "tokens: [{token: daemon-token, actor: daemon, app: d, kind: app, scopes: Mail.Read}]\n"

static int begin(void **state)
{
    return test_open(DOC);
}

static int end(void **state)
{
    return test_close();
}

static const struct json *ask(const char *who, const char *method, const char *path,
                              const char *body)
{
    struct sosia_header headers[3] = {{"Host", "graph.microsoft.com"},
                                      {"Authorization", test_bearer(who, NULL)},
                                      {"Content-Type", "application/json"}};
    const char *text = body ? quoted(body) : NULL;
    const struct json *v = test_request(method, arena_printf(&test_arena, "/v1.0%s", path), headers,
                                        3, text, text ? strlen(text) : 0);
    if (test_status >= 300)
        fail_msg("%s %s: %d %s", method, path, test_status, test_body);
    return v;
}

/* Requests a subscription with a token: its status. */
static int watch_with(const char *bearer, const char *resource)
{
    struct sosia_header headers[3] = {{"Host", "graph.microsoft.com"},
                                      {"Authorization", bearer},
                                      {"Content-Type", "application/json"}};
    const char *text =
        quoted(arena_printf(&test_arena,
                            "{'changeType':'created','notificationUrl':'https://hook.example/',"
                            "'resource':'%s','expirationDateTime':'2026-11-25T08:00:00Z'}",
                            resource));
    test_request("POST", "/v1.0/subscriptions", headers, 3, text, strlen(text));
    return test_status;
}

static void watch(const char *who, const char *resource, const char *changes)
{
    ask(who, "POST", "/subscriptions",
        arena_printf(
            &test_arena,
            "{'changeType':'%s','notificationUrl':'https://hook.example/%s','resource':'%s',"
            "'expirationDateTime':'2026-11-25T08:00:00Z'}",
            changes, changes, arena_strdup(&test_arena, resource)));
    assert_int_equal(test_status, 201);
}

/* "created updated": of all notifications behind the nth entry of the outbox. */
static const char *announced(size_t from, const char *member)
{
    const struct json *box = test_outbox();
    const char *all = "";
    for (uint32_t i = (uint32_t)from; i < box->n; i++) {
        const char *body = json_get_str(json_get(&box->items[i], "payload"), "body");
        if (body && *body == '{')
            all = arena_printf(&test_arena, "%s%s%s", all, *all ? " " : "",
                               column(parsed(body, strlen(body)), "value", member));
    }
    return all;
}

#define WHEN                                                                                       \
    "'start':{'dateTime':'2026-11-24T10:00:00','timeZone':'UTC'},"                                 \
    "'end':{'dateTime':'2026-11-24T11:00:00','timeZone':'UTC'}"

static void events_are_announced_with_their_ids(void **state)
{
    watch(ADA, "me/events", "created,updated,deleted");
    assert_string_equal(text_at(ask(ADA, "GET", "/subscriptions", NULL), "value.0.creatorId"),
                        text_at(ask(ADA, "GET", "/me", NULL), "id"));
    size_t before = test_outbox()->n;
    const char *id = text_at(ask(ADA, "POST", "/me/events", "{'subject':'Tea'," WHEN "}"), "id");
    assert_string_equal(announced(before, "changeType"), "created");
    assert_string_equal(announced(before, "resourceData.id"), id);
    assert_non_null(strstr(announced(before, "resource"), "/Events/"));
    test_advance(60);
    before = test_outbox()->n;
    ask(ADA, "PATCH", arena_printf(&test_arena, "/me/events/%s", id), "{'subject':'Coffee'}");
    assert_string_equal(announced(before, "changeType"), "updated");
    before = test_outbox()->n;
    ask(ADA, "DELETE", arena_printf(&test_arena, "/me/events/%s", id), NULL);
    assert_string_equal(announced(before, "changeType"), "deleted");
    assert_string_equal(announced(before, "resourceData.id"), id);
    before = test_outbox()->n;
    ask(BOB, "POST", "/me/events", "{'subject':'Lunch'," WHEN "}");
    assert_string_equal(announced(before, "changeType"), "");
}

static void an_invitation_is_announced_to_the_guest(void **state)
{
    watch(BOB, "/users/" BOB "/events", "created");
    size_t before = test_outbox()->n;
    ask(ADA, "POST", "/me/events",
        "{'subject':'Tea'," WHEN ",'attendees':[{'emailAddress':{'address':'" BOB
        "'},'type':'required'}]}");
    assert_string_equal(announced(before, "changeType"), "created");
}

static void mail_is_announced_in_its_folder(void **state)
{
    watch(BOB, "me/mailFolders(\\'Inbox\\')/messages", "created");
    watch(BOB, "me/mailFolders/deleteditems/messages", "created,updated");
    size_t before = test_outbox()->n;
    ask(ADA, "POST", "/me/sendMail",
        "{'message':{'subject':'Hi','body':{'content':'x'},'toRecipients':[{'emailAddress':"
        "{'address':'" BOB "'}}]}}");
    assert_string_equal(announced(before, "changeType"), "created");
    const struct json *v = ask(BOB, "GET", "/me/mailFolders/inbox/messages", NULL);
    assert_string_equal(announced(before, "resourceData.id"), text_at(v, "value.0.id"));
    before = test_outbox()->n;
    v = ask(BOB, "POST",
            arena_printf(&test_arena, "/me/messages/%s/move", text_at(v, "value.0.id")),
            "{'destinationId':'deleteditems'}");
    assert_string_equal(announced(before, "changeType"), "created");
    assert_string_equal(announced(before, "resourceData.id"), text_at(v, "id"));
}

static void a_token_without_the_right_watches_nothing(void **state)
{
    assert_int_equal(watch_with(test_bearer(ADA, "User.Read"), "me/messages"), 403);
    assert_int_equal(watch_with(test_bearer(ADA, "User.Read"), "me/events"), 403);
    assert_int_equal(watch_with(test_bearer(ADA, "Mail.Read"), "me/events"), 403);
    assert_int_equal(watch_with(test_bearer(ADA, "Mail.Read"), "me/messages"), 201);
    assert_int_equal(watch_with(test_bearer(ADA, "Calendars.Read"), "me/events"), 201);
}

static void an_app_watches_its_tenant_alone(void **state)
{
    test_use(DOC_TENANTS);
    assert_int_equal(watch_with("Bearer daemon-token", "users/" EVE "/messages"), 400);
    assert_int_equal(watch_with("Bearer daemon-token", "users/" BOB "/messages"), 201);
    assert_int_equal(watch_with(test_bearer(EVE, NULL), "users/" BOB "/events"), 400);
}

static void nothing_is_announced_to_who_may_not_read_it_any_more(void **state)
{
    const struct json *v =
        ask(BOB, "POST", "/me/calendar/calendarPermissions",
            "{'emailAddress':{'address':'" ADA "'},'role':'read','isInsideOrganization':true}");
    const char *id = arena_strdup(&test_arena, text_at(v, "id"));
    watch(ADA, "users/" BOB "/events", "created");
    watch(BOB, "me/events", "created,updated");
    size_t before = test_outbox()->n;
    ask(BOB, "POST", "/me/events", "{'subject':'Tea'," WHEN "}");
    assert_string_equal(announced(before, "changeType"), "created created");
    ask(BOB, "DELETE", arena_printf(&test_arena, "/me/calendar/calendarPermissions/%s", id), NULL);
    before = test_outbox()->n;
    ask(BOB, "POST", "/me/events", "{'subject':'Dismissal'," WHEN "}");
    assert_string_equal(announced(before, "changeType"), "created");
    assert_int_equal(count_at(ask(ADA, "GET", "/subscriptions", NULL), "value"), 0);
    assert_int_equal(count_at(ask(BOB, "GET", "/subscriptions", NULL), "value"), 1);
}

static void a_dump_has_what_may_still_be_watched(void **state)
{
    const struct json *v =
        ask(BOB, "POST", "/me/calendar/calendarPermissions",
            "{'emailAddress':{'address':'" ADA "'},'role':'read','isInsideOrganization':true}");
    const char *id = arena_strdup(&test_arena, text_at(v, "id"));
    watch(ADA, "users/" BOB "/events", "created");
    watch(BOB, "me/events", "created");
    assert_int_equal(count_at(test_dump(), "graphSubscriptions"), 2);
    ask(BOB, "DELETE", arena_printf(&test_arena, "/me/calendar/calendarPermissions/%s", id), NULL);
    v = test_dump();
    assert_string_equal(column(v, "graphSubscriptions", "person"), BOB);
    test_world_of(printed_at(v, ""));
    v = ask(BOB, "POST", "/me/mailFolders", "{'displayName':'Gone'}");
    id = arena_strdup(&test_arena, text_at(v, "id"));
    v = ask(BOB, "POST", "/me/mailFolders", "{'displayName':'Kept'}");
    const char *kept = arena_strdup(&test_arena, text_at(v, "id"));
    watch(BOB, arena_printf(&test_arena, "me/mailFolders/%s/messages", id), "created");
    watch(BOB, arena_printf(&test_arena, "me/mailFolders/%s/messages", kept), "created");
    ask(BOB, "POST", arena_printf(&test_arena, "/me/mailFolders/%s/permanentDelete", id), NULL);
    v = test_dump();
    assert_int_equal(count_at(v, "graphSubscriptions"), 2);
    test_world_of(printed_at(v, ""));
}

static void a_deleted_user_is_notified_of_nothing(void **state)
{
    watch(BOB, "me/messages", "created");
    ask(ADA, "DELETE", "/users/" BOB, NULL);
    size_t before = test_outbox()->n;
    ask(ADA, "POST", "/me/sendMail",
        "{'message':{'subject':'Hi','body':{'content':'x'},'toRecipients':[{'emailAddress':"
        "{'address':'" BOB "'}}]}}");
    assert_string_equal(announced(before, "changeType"), "");
}

static void rows_that_no_subscription_has_are_refused(void **state)
{
    static const char *const changes[] = {
        "update graph_subscription set url = 'file:///etc/passwd'",
        "update graph_subscription set url = 'http://metadata.example/'",
        "update graph_subscription set url = 'https://a' || char(13, 10) || 'b: c'",
        "update graph_subscription set lifecycle_url = 'http://metadata.example/'",
        "update graph_subscription set certificate = 'QUJD', certificate_id = 'c'",
        "update graph_subscription set kind = 'other'",
        "update graph_subscription set key = 'a/b'",
        "update graph_subscription set app_only = 2",
        "update graph_subscription set position = -1",
    };
    uint64_t w;
    watch(BOB, "me/messages", "created");
    if (test_import_changed("update graph_subscription set missed = 1", &w) < 0)
        fail_msg("%s", test_err.text);
    for (size_t i = 0; i < SOSIA_LEN(changes); i++) {
        if (test_import_changed(changes[i], &w) == 0)
            fail_msg("taken: %s", changes[i]);
        assert_int_equal(test_err.code, SOSIA_E_INVALID);
        if (!strstr(test_err.text, "graph_subscription"))
            fail_msg("%s: %s", changes[i], test_err.text);
    }
}

/* A draft is one thing, however often other bytes take its place. */
static void a_draft_that_is_saved_again_is_announced_as_updated(void **state)
{
    watch(ADA, "me/messages", "created,updated,deleted");
    size_t before = test_outbox()->n;
    const char *id = text_at(ask(ADA, "POST", "/me/messages", "{'subject':'One'}"), "id");
    const char *path = arena_printf(&test_arena, "/me/messages/%s", id);
    assert_string_equal(announced(before, "changeType"), "created");
    assert_string_equal(announced(before, "resourceData.id"), id);
    static const char *const saved[] = {"{'subject':'Two'}", "{'subject':'Three'}"};
    for (size_t i = 0; i < SOSIA_LEN(saved); i++) {
        before = test_outbox()->n;
        ask(ADA, "PATCH", path, saved[i]);
        assert_string_equal(announced(before, "changeType"), "updated");
        assert_string_equal(announced(before, "resourceData.id"), id);
    }
    before = test_outbox()->n;
    ask(ADA, "POST", arena_printf(&test_arena, "%s/permanentDelete", path), NULL);
    assert_string_equal(announced(before, "changeType"), "deleted");
    assert_string_equal(announced(before, "resourceData.id"), id);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(events_are_announced_with_their_ids, begin, end),
        cmocka_unit_test_setup_teardown(an_invitation_is_announced_to_the_guest, begin, end),
        cmocka_unit_test_setup_teardown(mail_is_announced_in_its_folder, begin, end),
        cmocka_unit_test_setup_teardown(a_token_without_the_right_watches_nothing, begin, end),
        cmocka_unit_test_setup_teardown(an_app_watches_its_tenant_alone, begin, end),
        cmocka_unit_test_setup_teardown(nothing_is_announced_to_who_may_not_read_it_any_more, begin,
                                        end),
        cmocka_unit_test_setup_teardown(a_dump_has_what_may_still_be_watched, begin, end),
        cmocka_unit_test_setup_teardown(a_deleted_user_is_notified_of_nothing, begin, end),
        cmocka_unit_test_setup_teardown(rows_that_no_subscription_has_are_refused, begin, end),
        cmocka_unit_test_setup_teardown(a_draft_that_is_saved_again_is_announced_as_updated, begin,
                                        end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
