/* SPDX-License-Identifier: Apache-2.0 */
/* Subscriptions to events and messages of people: what is announced of what they do. */
#include "tests/support/world.h"
#include <stdio.h>

#define ADA "ada@port.example"
#define BOB "bob@port.example"
#define DOC                                                                                        \
    "{\"sosia\":1,\"time\":\"2026-11-23T08:00:00Z\",\"handshakes\":\"accepted\",\"people\":["      \
    "{\"email\":\"" ADA "\"},{\"email\":\"" BOB "\"}],\"accounts\":[{\"actor\":\"" ADA             \
    "\",\"vendor\":\"microsoft\"},{\"actor\":\"" BOB "\",\"vendor\":\"microsoft\"}]}"

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
        cmocka_unit_test_setup_teardown(a_draft_that_is_saved_again_is_announced_as_updated, begin,
                                        end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
