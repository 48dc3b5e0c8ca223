/* SPDX-License-Identifier: Apache-2.0 */
/* Work IQ: tools that take paths of Graph. What they add to paths, refuse and let through. */
#include "tests/support/world.h"

#define DOC                                                                                        \
    "{\"sosia\":1,\"time\":\"2026-11-23T08:00:00Z\",\"people\":[{\"email\":\"ada@port.example\"}]" \
    ",\"accounts\":[{\"actor\":\"ada@port.example\",\"vendor\":\"microsoft\"}]%s}"

static void use(const char *section)
{
    test_use(arena_printf(&test_arena, DOC, section));
}

static int begin(void **state)
{
    return test_open("{\"sosia\":1,\"people\":[{\"email\":\"ada@port.example\"}]}");
}

static int end(void **state)
{
    return test_close();
}

/* The result of a message; at the endpoint of the host, or of the engine. */
static const struct json *message_at(const char *host, const char *target, const char *method,
                                     const char *params)
{
    struct sosia_header headers[] = {{"Host", host},
                                     {"Authorization", test_bearer("ada@port.example", NULL)},
                                     {"Content-Type", "application/json"},
                                     {"Accept", "application/json, text/event-stream"}};
    const char *body =
        arena_printf(&test_arena, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"%s\",\"params\":%s}",
                     method, quoted(params));
    const struct json *v = test_request("POST", target, headers, 4, body, strlen(body));
    assert_int_equal(test_status, 200);
    return v;
}

static const struct json *call(const char *tool, const char *arguments)
{
    return value_at(
        message_at("workiq.svc.cloud.microsoft", "/mcp", "tools/call",
                   arena_printf(&test_arena, "{'name':'%s','arguments':%s}", tool, arguments)),
        "result");
}

#define EVENT                                                                                      \
    "'subject':'Tea','start':{'dateTime':'2026-11-24T10:00:00','timeZone':'UTC'},"                 \
    "'end':{'dateTime':'2026-11-24T11:00:00','timeZone':'UTC'}"

static void tools_are_listed_on_both_ways(void **state)
{
    use("");
    const char *names = column(message_at("workiq.svc.cloud.microsoft", "/mcp", "tools/list", "{}"),
                               "result.tools", "name");
    assert_string_equal(names, "fetch create_entity update_entity delete_entity do_action "
                               "call_function ask list_agents get_schema search_paths fetch_blob");
    assert_string_equal(column(message_at("localhost", "/mcp?tools=workiq", "tools/list", "{}"),
                               "result.tools", "name"),
                        names);
    const struct json *v =
        message_at("workiq.svc.cloud.microsoft", "/mcp", "tools/call", "{'name':'nothing'}");
    assert_int_equal(number_at(v, "error.code"), -32602);
    assert_string_equal(text_at(v, "error.message"), "Unknown tool: nothing");
}

static void paths_are_fetched_side_by_side(void **state)
{
    use("");
    const struct json *v = call("fetch", "{'entityUrls':['/me','/me/nothing','/me/messages']}");
    assert_int_equal(number_at(v, "structuredContent.results.0.statusCode"), 200);
    assert_string_equal(text_at(v, "structuredContent.results.0.data.mail"), "ada@port.example");
    assert_int_equal(number_at(v, "structuredContent.results.1.statusCode"), 400);
    assert_null(value_at(v, "isError"));
    /* MG-501: members that lists have by default. */
    assert_non_null(
        strstr(json_get_str(value_at(v, "structuredContent.results.2.data"), "@odata.context"),
               "messages(id,subject,from,receivedDateTime,isRead,importance)"));
    /* The text is the same. */
    const char *text = text_at(v, "content.0.text");
    assert_int_equal(number_at(parsed(text, strlen(text)), "results.0.statusCode"), 200);
}

static void bad_paths_are_refused(void **state)
{
    static const char *const paths[] = {
        "me",
        "/v1.0/me",
        "/me/messages?$skip=3",
        "/me/events/delta",
        "/me/messages/x/$value",
        "/me/authentication/methods",
        "/me /x",
        "/servicePrincipals",
    };
    use("");
    for (size_t i = 0; i < SOSIA_LEN(paths); i++) {
        const struct json *v =
            call("fetch", arena_printf(&test_arena, "{'entityUrls':['%s']}", paths[i]));
        if (!true_at(v, "isError") || number_at(v, "structuredContent.results.0.statusCode") < 400)
            fail_msg("%s: %s", paths[i], test_body);
    }
    assert_true(true_at(call("fetch", "{'entityUrls':[]}"), "isError"));
    assert_true(true_at(call("fetch", "{}"), "isError"));
    assert_true(true_at(call("update_entity", "{'jsonBody':{}}"), "isError"));
}

static void changes_are_off_until_the_tenant_allows_them(void **state)
{
    use("");
    const struct json *v =
        call("create_entity", "{'parentUrl':'/me/events','jsonBody':{" EVENT "}}");
    assert_true(true_at(v, "isError"));
    assert_int_equal(number_at(v, "structuredContent.statusCode"), 403);
    assert_string_equal(text_at(v, "structuredContent.data.error.code"), "PolicyDenied");
    use(",\"workIQ\":{\"create\":\"Allowed\",\"update\":\"Allowed\"}");
    v = call("create_entity", "{'parentUrl':'/me/events','jsonBody':{" EVENT "}}");
    assert_int_equal(number_at(v, "structuredContent.statusCode"), 201);
    const char *id = text_at(v, "structuredContent.data.id");
    v = call(
        "update_entity",
        arena_printf(&test_arena,
                     "{'entityUrl':'/me/events/%s','jsonBody':'{\\\"subject\\\":\\\"Coffee\\\"}'"
                     ",'headers':{'If-Match':'*'}}",
                     id));
    assert_string_equal(text_at(v, "structuredContent.data.subject"), "Coffee");
    v = call("update_entity",
             arena_printf(&test_arena,
                          "{'entityUrl':'/me/events/%s','jsonBody':{'subject':'x'},"
                          "'headers':{'If-Match':'W/1'}}",
                          id));
    assert_int_equal(number_at(v, "structuredContent.statusCode"), 412);
    v = call("delete_entity", arena_printf(&test_arena, "{'entityUrl':'/me/events/%s'}", id));
    assert_int_equal(number_at(v, "structuredContent.statusCode"), 403);
    v = call("do_action", "{'actionUrl':'/me/sendMail','jsonBody':{}}");
    assert_int_equal(number_at(v, "structuredContent.statusCode"), 403);
}

static void what_is_allowed_is_no_way_round_what_is_not(void **state)
{
    static const char *const batches[] = {"/$batch", "//$batch", "/$BATCH",
                                          "/microsoft.graph.$batch"};
    static const char *const principals[] = {"/servicePrincipals", "//servicePrincipals",
                                             "/microsoft.graph.servicePrincipals",
                                             "/SERVICEPRINCIPALS()"};
    use(",\"workIQ\":{\"create\":\"Allowed\",\"actions\":\"Allowed\"}");
    for (size_t i = 0; i < SOSIA_LEN(batches); i++) {
        const struct json *v =
            call("do_action",
                 arena_printf(&test_arena,
                              "{'actionUrl':'%s','jsonBody':{'requests':[{'id':'1','method':"
                              "'GET','url':'/me'}]}}",
                              batches[i]));
        if (number_at(v, "structuredContent.statusCode") != 403)
            fail_msg("%s: %s", batches[i], test_body);
    }
    for (size_t i = 0; i < SOSIA_LEN(principals); i++) {
        const struct json *v =
            call("fetch", arena_printf(&test_arena, "{'entityUrls':['%s']}", principals[i]));
        if (number_at(v, "structuredContent.results.0.statusCode") != 403)
            fail_msg("%s: %s", principals[i], test_body);
    }
    use(",\"workIQ\":{\"create\":\"Allowed\"}");
    const struct json *v = call(
        "create_entity", "{'parentUrl':'/me/sendMail','jsonBody':{'message':{'subject':'Hi',"
                         "'toRecipients':[{'emailAddress':{'address':'ada@port.example'}}]}}}");
    assert_int_equal(number_at(v, "structuredContent.statusCode"), 403);
    assert_string_equal(text_at(v, "structuredContent.data.error.message"),
                        "The operation 'action' on the path '/me/sendMail' is denied by policy.");
    use(",\"workIQ\":{\"actions\":\"Allowed\"}");
    v = call("do_action", "{'actionUrl':'/me/events','jsonBody':{" EVENT "}}");
    assert_int_equal(number_at(v, "structuredContent.statusCode"), 403);
}

static void bytes_of_a_file_are_no_json(void **state)
{
    use("");
    struct sosia_header headers[] = {{"Host", "graph.microsoft.com"},
                                     {"Authorization", test_bearer("ada@port.example", NULL)},
                                     {"Content-Type", "application/json"}};
    const char *body =
        quoted("{'subject':'Hi','attachments':[{'@odata.type':'#microsoft.graph.fileAttachment',"
               "'name':'a.json','contentType':'application/json','contentBytes':'fSx7'}]}");
    const struct json *v =
        test_request("POST", "/v1.0/me/messages", headers, 3, body, strlen(body));
    assert_int_equal(test_status, 201);
    const char *id = arena_strdup(&test_arena, text_at(v, "id"));
    v = test_request("GET", arena_printf(&test_arena, "/v1.0/me/messages/%s/attachments", id),
                     headers, 2, NULL, 0);
    const char *path =
        arena_printf(&test_arena, "/me/messages/%s/attachments/%s", id, text_at(v, "value.0.id"));
    v = call("fetch",
             arena_printf(&test_arena, "{'entityUrls':['%s/microsoft.graph.$value']}", path));
    assert_int_equal(number_at(v, "structuredContent.results.0.statusCode"), 200);
    assert_null(value_at(v, "structuredContent.results.0.data"));
    body = quoted(arena_printf(&test_arena,
                               "{'requests':[{'id':'1','method':'GET','url':'%s/$value'}]}", path));
    v = test_request("POST", "/v1.0/$batch", headers, 3, body, strlen(body));
    assert_string_equal(text_at(v, "responses.0.body"), "fSx7");
}

static void functions_read(void **state)
{
    use("");
    const struct json *v = call("call_function", "{'functionUrl':'/me/calendarView?startDateTime="
                                                 "2026-11-23T00:00:00Z&endDateTime=2026-11-24T00:"
                                                 "00:00Z'}");
    assert_int_equal(number_at(v, "structuredContent.statusCode"), 200);
}

static void rows_are_searched_and_described(void **state)
{
    use("");
    const struct json *v = call("search_paths", "{'filter':'^/me/events$'}");
    assert_string_equal(printed_at(v, "structuredContent.paths.0.path"), "/me/events");
    assert_string_equal(printed_at(v, "structuredContent.paths.0.operations"),
                        "[\"fetch\",\"create\"]");
    v = call("search_paths", "{'filter':'^/me/messages/[^/]*/(extensions|move)$'}");
    assert_string_equal(column(v, "structuredContent.paths", "operations.0"), "action create");
    v = call("search_paths", "{'filter':'send.*Mail$'}");
    assert_non_null(strstr(column(v, "structuredContent.paths", "path"), "/me/sendMail"));
    assert_true(true_at(call("search_paths", "{'filter':''}"), "isError"));
    assert_int_equal(count_at(call("search_paths", "{'filter':'(((('}"), "structuredContent.paths"),
                     0);
    v = call("get_schema", "{'path':'/me/events','operationType':'create'}");
    const char *text = text_at(v, "content.0.text");
    assert_string_equal(json_get_str(parsed(text, strlen(text)), "$schema"),
                        "https://json-schema.org/draft/2020-12/schema");
    v = call("get_schema", "{'path':'/me/events/x','operationType':'fetch','format':'cddl'}");
    assert_non_null(strstr(text_at(v, "content.0.text"), "event = {"));
    v = call("get_schema", "{'path':'me/sendMail','operationType':'create'}");
    assert_true(true_at(v, "isError"));
    assert_string_equal(text_at(v, "content.0.text"),
                        "No 'create' operation for path: me/sendMail");
}

static void questions_have_the_worlds_answers(void **state)
{
    use(",\"workIQ\":{\"answers\":[{\"question\":\"weather\",\"response\":\"It rains.\"}],"
        "\"agents\":[{\"agentId\":\"a1\",\"name\":\"Hand\",\"provider\":\"Port\"}]}");
    const char *text = text_at(call("ask", "{'question':'How is the Weather?'}"), "content.0.text");
    assert_string_equal(text_at(parsed(text, strlen(text)), "response"), "It rains.");
    assert_true(true_at(call("ask", "{'question':'Who?'}"), "isError"));
    text = text_at(call("list_agents", "{}"), "content.0.text");
    assert_non_null(strstr(text, "\"bizchat-as-gpt-scenario\""));
    assert_non_null(strstr(text, "\"a1\""));
    assert_string_equal(printed_at(test_dump(), "workIQ.agents.0.name"), "Hand");
}

static void rows_that_no_section_has_do_no_harm(void **state)
{
    static const char *const bad[] = {"[]", "{\"answers\":{\"a\":1}}", "{\"agents\":7}", "{"};
    uint64_t w;
    use(",\"workIQ\":{\"create\":\"Allowed\"}");
    for (size_t i = 0; i < SOSIA_LEN(bad); i++) {
        if (test_import_changed(arena_printf(&test_arena,
                                             "update meta set value = '%s' where key = 'workIQ'",
                                             bad[i]),
                                &w) == 0)
            fail_msg("taken: %s", bad[i]);
        assert_int_equal(test_err.code, SOSIA_E_INVALID);
    }
    assert_int_equal(test_import_changed("update meta set value = "
                                         "'{\"answers\":[7,{},{\"question\":\"x\"}]}' where key = "
                                         "'workIQ'",
                                         &w),
                     0);
    test_world = w;
    assert_true(true_at(call("ask", "{'question':'x?'}"), "isError"));
}

static void sections_are_read_strictly(void **state)
{
    static const char *const bad[] = {"[]", "{\"create\":\"yes\"}", "{\"other\":1}",
                                      "{\"answers\":[{\"question\":\"x\"}]}"};
    for (size_t i = 0; i < SOSIA_LEN(bad); i++) {
        const char *doc = arena_printf(&test_arena, "{\"sosia\":1,\"workIQ\":%s}", bad[i]);
        struct sosia_world_options opt = {.seed_doc = doc, .seed_doc_len = strlen(doc)};
        uint64_t w;
        if (sosia_world_create(test_engine, &opt, &w, &test_err) == 0)
            fail_msg("%s", doc);
        assert_non_null(strstr(test_err.text, "workIQ"));
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(tools_are_listed_on_both_ways, begin, end),
        cmocka_unit_test_setup_teardown(paths_are_fetched_side_by_side, begin, end),
        cmocka_unit_test_setup_teardown(bad_paths_are_refused, begin, end),
        cmocka_unit_test_setup_teardown(changes_are_off_until_the_tenant_allows_them, begin, end),
        cmocka_unit_test_setup_teardown(what_is_allowed_is_no_way_round_what_is_not, begin, end),
        cmocka_unit_test_setup_teardown(bytes_of_a_file_are_no_json, begin, end),
        cmocka_unit_test_setup_teardown(functions_read, begin, end),
        cmocka_unit_test_setup_teardown(rows_are_searched_and_described, begin, end),
        cmocka_unit_test_setup_teardown(questions_have_the_worlds_answers, begin, end),
        cmocka_unit_test_setup_teardown(rows_that_no_section_has_do_no_harm, begin, end),
        cmocka_unit_test_setup_teardown(sections_are_read_strictly, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
