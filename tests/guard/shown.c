/* SPDX-License-Identifier: Apache-2.0 */
/* What callers are shown of the rules on them: reasons for programs, and lists of methods. */
#include "tests/guard/held.h"

#define REFUSED "This call is not permitted by the policy of this environment."

static const struct json *mcp(const char *message)
{
    struct sosia_header headers[] = {{"Authorization", test_bearer(ADA, NULL)},
                                     {"Content-Type", "application/json"},
                                     {"Accept", "application/json, text/event-stream"},
                                     {"MCP-Protocol-Version", "2025-06-18"}};
    const char *text = quoted(message);
    return test_request("POST", "/mcp", headers, SOSIA_LEN(headers), text, strlen(text));
}

#define TOOL(name, arguments)                                                                      \
    "{'jsonrpc':'2.0','id':1,'method':'tools/call','params':{'name':'" name                        \
    "','arguments':" arguments "}}"
#define INSERT TOOL("calendar_events_insert", "{'calendarId':'primary','body':" EVENT("A") "}")

/* ---- reasons ---- */

static const char *reason(const struct json *answer, const char *member)
{
    const char *structured =
        text_at(answer, arena_printf(&test_arena, "result.structuredContent.%s", member));
    const struct json *meta = json_get(value_at(answer, "result._meta"), "sosia/guard");
    assert_string_equal(text_at(meta, member), structured);
    return structured;
}

static void a_held_tool_says_so_for_programs(void **state)
{
    const struct json *v = mcp(INSERT);
    assert_true(json_get_true(value_at(v, "result"), "isError"));
    assert_string_equal(reason(v, "status"), "pending_approval");
    const char *action = reason(v, "action");
    assert_string_equal(held(), action);
    assert_int_equal(value_at(v, "result.structuredContent")->n, 2);
    assert_int_equal(decide(action, "reject", NULL), 0);
    v = mcp(INSERT);
    assert_string_equal(reason(v, "status"), "rejected");
    assert_string_equal(reason(v, "action"), action);
    /* What is done has none. */
    v = mcp(TOOL("calendar_events_list", "{'calendarId':'primary'}"));
    assert_null(json_get(value_at(v, "result"), "_meta"));
    v = mcp(TOOL("calendar_events_get", "{'calendarId':'primary','eventId':'none0'}"));
    assert_true(json_get_true(value_at(v, "result"), "isError"));
    assert_null(json_get(value_at(v, "result"), "_meta"));
}

static void a_denied_tool_says_so_for_programs(void **state)
{
    set("policy: 1\nname: p\notherwise: allow\nrules: [{id: secret-name, effect: deny, call: "
        "{method: [calendar.events.list, calendar.events.insert]}}]\n");
    static const char *const asked[] = {INSERT,
                                        TOOL("calendar_events_list", "{'calendarId':'primary'}")};
    for (size_t i = 0; i < SOSIA_LEN(asked); i++) {
        const struct json *v = mcp(asked[i]);
        assert_string_equal(reason(v, "status"), "blocked_by_policy");
        assert_int_equal(value_at(v, "result.structuredContent")->n, 1);
        assert_null(strstr(test_body, "secret-name"));
    }
}

static void answers_have_it_in_a_header(void **state)
{
    assert_int_equal(ada("POST", EVENTS, EVENT("A")), 403);
    assert_string_equal(
        test_header("X-Sosia-Guard"),
        arena_printf(&test_arena, "{\"status\":\"pending_approval\",\"action\":\"%s\"}", held()));
    assert_int_equal(ada("GET", EVENTS, NULL), 200);
    assert_string_equal(test_header("X-Sosia-Guard"), "");
}

/* ---- lists ---- */

struct method {
    const char *id, *verb, *path;
};

/* The methods of a discovery document, and of the resources in it. */
static size_t methods_of(const struct json *v, const char *base, struct method *ret, size_t n)
{
    const struct json *list = json_get(v, "methods"), *inner = json_get(v, "resources");
    for (uint32_t i = 0; list && i < list->n; i++, n++) {
        const struct json *m = &list->members[i].value;
        char path[400], *to = path;
        const char *from = json_get_str(m, "path");
        while (*from)
            if (*from != '{') {
                *to++ = *from++;
            } else {
                *to++ = 'x';
                from = strchr(from, '}') + 1;
            }
        *to = 0;
        assert_in_range(n, 0, 999);
        ret[n] = (struct method){json_get_str(m, "id"), json_get_str(m, "httpMethod"),
                                 arena_printf(&test_arena, "/%s%s", base, path)};
    }
    for (uint32_t i = 0; inner && i < inner->n; i++)
        n = methods_of(&inner->members[i].value, base, ret, n);
    return n;
}

static size_t methods_at(const char *target, struct method *ret)
{
    assert_int_equal(ada("GET", target, NULL), 200);
    const struct json *v = parsed(test_body, test_len);
    return methods_of(v, json_get_str(v, "servicePath"), ret, 0);
}

static bool has(const struct method *list, size_t n, const char *id)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(list[i].id, id) == 0)
            return true;
    return false;
}

static void discovery_documents_and_calls_agree(void **state)
{
    static struct method all[1000], shown[1000];
    static const char *const policies[] = {
        "policy: 1\nname: p\notherwise: allow\nrules: [{effect: deny, call: {method: "
        "[calendar.acl.*, gmail.users.settings.*, drive.permissions.*, '*.delete']}}]\n",
        "policy: 1\nname: p\notherwise: deny\nrules: [{effect: allow, call: {method: "
        "[discovery.*, '*.list', gmail.users.messages.*, calendar.events.insert]}}]\n"};
    size_t left_out = 0, n_refused = 0;
    ada("GET", "/discovery/v1/apis", NULL);
    const struct json *apis = value_at(parsed(test_body, test_len), "items");
    assert_true(apis->n >= 3);
    for (size_t p = 0; p < SOSIA_LEN(policies); p++)
        for (uint32_t i = 0; i < apis->n; i++) {
            const char *target = arena_printf(&test_arena, "/discovery/v1/apis/%s/%s/rest",
                                              json_get_str(&apis->items[i], "name"),
                                              json_get_str(&apis->items[i], "version"));
            sosia_policy_remove(test_engine, test_world, "p", NULL);
            size_t n_all = methods_at(target, all);
            assert_string_equal(test_header("Cache-Control"), "public, max-age=300");
            set(policies[p]);
            size_t n_shown = methods_at(target, shown);
            assert_true(n_all > 0 && n_shown <= n_all);
            left_out += n_all - n_shown;
            if (n_shown < n_all)
                assert_string_equal(test_header("Cache-Control"), "private, max-age=300");
            for (size_t k = 0; k < n_all; k++) {
                bool writes = strcmp(all[k].verb, "GET") != 0;
                ada(all[k].verb, all[k].path, writes ? "{}" : NULL);
                /* One without an argument that it needs is refused for that. */
                bool served = test_status < 400, refused = strstr(test_body, REFUSED) != NULL;
                bool listed = has(shown, n_shown, all[k].id);
                if (listed ? refused : served)
                    fail_msg("%s is %s and %s", all[k].id, refused ? "refused" : "served",
                             listed ? "shown" : "not shown");
                n_refused += refused;
            }
        }
    assert_true(left_out > 40 && n_refused > left_out * 3 / 4);
    /* Without a token it is nobody's in particular. */
    assert_int_equal(
        test_request("GET", "/discovery/v1/apis/calendar/v3/rest", NULL, 0, "", 0) != NULL, 1);
    assert_non_null(strstr(test_body, "\"calendar.acl.delete\""));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, open_world, close_world)
    const struct CMUnitTest tests[] = {
        TEST(a_held_tool_says_so_for_programs),
        TEST(a_denied_tool_says_so_for_programs),
        TEST(answers_have_it_in_a_header),
        TEST(discovery_documents_and_calls_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
