/* SPDX-License-Identifier: Apache-2.0 */
/* The Model Context Protocol through the door: messages of both kinds of revisions, refusals, what
 * a token may do, tools that act. */
#include "tests/mcp/asked.h"

/* ---- the protocol ---- */

static void a_handshake_agrees_on_a_revision(void **state)
{
    static const char *const asked[][2] = {{"2025-03-26", "2025-03-26"},
                                           {"2025-06-18", "2025-06-18"},
                                           {"2025-11-25", "2025-11-25"},
                                           {"2026-07-28", "2025-11-25"},
                                           {"1999-01-01", "2025-11-25"}};
    (void)state;
    for (size_t i = 0; i < SOSIA_LEN(asked); i++) {
        char params[200];
        snprintf(params, sizeof params,
                 "{\"protocolVersion\":\"%s\",\"capabilities\":{},\"clientInfo\":{\"name\":\"t\","
                 "\"version\":\"1\"}}",
                 asked[i][0]);
        const struct json *r = result("initialize", params);
        assert_string_equal(json_get_str(r, "protocolVersion"), asked[i][1]);
        assert_string_equal(json_get_str(json_get(r, "serverInfo"), "name"), "sosia");
        assert_non_null(json_get(json_get(r, "capabilities"), "tools"));
        assert_non_null(json_get(json_get(r, "capabilities"), "logging"));
    }
}

static void notifications_have_no_response(void **state)
{
    (void)state;
    mcp_post("/mcp", "ada@acme.example", NULL, mcp_newest,
             "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}");
    assert_int_equal(test_status, 202);
    assert_int_equal(test_len, 0);
    mcp_post("/mcp", "ada@acme.example", NULL, mcp_newest,
             "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}");
    assert_int_equal(test_status, 202);
}

static void misuse_is_refused_as_the_protocol_says(void **state)
{
    static const struct {
        const char *message;
        int status;
        int64_t code;
    } cases[] = {
        {"{", 400, -32700},
        {"", 400, -32700},
        {"7", 400, -32600},
        {"[]", 400, -32600},
        {"[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}]", 400, -32600},
        {"{\"id\":1,\"method\":\"ping\"}", 400, -32600},
        {"{\"jsonrpc\":\"1.0\",\"id\":1,\"method\":\"ping\"}", 400, -32600},
        {"{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"ping\"}", 400, -32600},
        {"{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"ping\"}", 400, -32600},
        {"{\"jsonrpc\":\"2.0\",\"id\":1}", 400, -32600},
        {"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":7}", 400, -32600},
        {"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":[]}", 400, -32602},
        {"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"nothing\"}", 200, -32601},
        {"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"server/discover\"}", 200, -32601},
        {"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"resources/subscribe\"}", 200, -32602},
        {"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"resources/subscribe\",\"params\":{\"uri\":"
         "\"calendar://primary\"}}",
         200, -32600},
        {"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\"}", 200, -32602},
        {"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{\"protocolVersion\":"
         "\"2025-11-25\",\"capabilities\":[]}}",
         200, -32602},
        {"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{\"protocolVersion\":"
         "\"2025-11-25\",\"clientInfo\":\"x\"}}",
         200, -32602},
        {"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\"}", 200, -32602},
        {"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"no\"}}",
         200, -32602},
        {"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":"
         "\"calendar_events_list\",\"arguments\":[]}}",
         200, -32602},
        {"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\",\"params\":{\"cursor\":\"x\"}}",
         200, -32602},
        {"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"resources/read\",\"params\":{\"uri\":\"x://"
         "y\"}}",
         200, -32002},
        {"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"prompts/get\",\"params\":{\"name\":\"no\"}}",
         200, -32602},
        {"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"completion/complete\",\"params\":{\"ref\":1,"
         "\"argument\":{\"name\":\"a\",\"value\":\"\"}}}",
         200, -32602},
    };
    (void)state;
    for (size_t i = 0; i < SOSIA_LEN(cases); i++) {
        const struct json *r =
            mcp_post("/mcp", "ada@acme.example", NULL, mcp_newest, cases[i].message);
        if (test_status != cases[i].status || mcp_code(r) != cases[i].code)
            fail_msg("%s: %d %s", cases[i].message, test_status, test_body);
    }
}

static void the_first_revision_has_batches(void **state)
{
    static const char batch[] = "[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"},"
                                "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"},"
                                "{\"jsonrpc\":\"2.0\",\"id\":\"b\",\"method\":\"nothing\"}]";
    (void)state;
    mcp_post("/mcp", "ada@acme.example", NULL, NULL, batch);
    assert_int_equal(test_status, 200);
    assert_string_equal(test_body,
                        "[{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}},{\"jsonrpc\":\"2.0\",\"id\":"
                        "\"b\",\"error\":{\"code\":-32601,\"message\":\"Method not found: "
                        "nothing\"}}]");
    mcp_post("/mcp", "ada@acme.example", NULL, NULL,
             "[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{"
             "\"protocolVersion\":\"2025-03-26\",\"capabilities\":{}}},1,[],{}]");
    assert_non_null(strstr(test_body, "initialize must not be in a batch"));
    assert_null(strstr(test_body, "serverInfo"));
    assert_string_equal(test_header("Mcp-Session-Id"), "");
    mcp_post("/mcp", "ada@acme.example", NULL, NULL,
             "[{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}]");
    assert_int_equal(test_status, 202);
    assert_int_equal(test_len, 0);
}

#define STATELESS_META                                                                             \
    "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","                       \
    "\"io.modelcontextprotocol/clientCapabilities\":{}}"

static void requests_carry_their_revision(void **state)
{
    static const char discover[] = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"server/discover\","
                                   "\"params\":{" STATELESS_META "}}";
    static const char call[] =
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":"
        "\"calendar_colors_get\"," STATELESS_META "}}";
    static const char *const good[] = {"MCP-Protocol-Version", "2026-07-28", "Mcp-Method",
                                       "server/discover", NULL};
    static const char *const other[] = {"MCP-Protocol-Version", "2026-07-28", "Mcp-Method",
                                        "tools/list", NULL};
    static const char *const bare[] = {"MCP-Protocol-Version", "2026-07-28", NULL};
    static const char *const unnamed[] = {"MCP-Protocol-Version", "2026-07-28", "Mcp-Method",
                                          "tools/call", NULL};
    static const char *const named[] = {"MCP-Protocol-Version",
                                        "2026-07-28",
                                        "Mcp-Method",
                                        "tools/call",
                                        "Mcp-Name",
                                        "=?base64?Y2FsZW5kYXJfY29sb3JzX2dldA==?=",
                                        NULL};
    (void)state;
    const struct json *r = mcp_post("/mcp", "ada@acme.example", NULL, good, discover);
    assert_int_equal(test_status, 200);
    r = json_get(r, "result");
    assert_string_equal(json_get_str(r, "resultType"), "complete");
    assert_non_null(json_get(r, "supportedVersions"));
    assert_string_equal(json_get_str(r, "cacheScope"), "private");
    assert_int_equal(mcp_code(mcp_post("/mcp", "ada@acme.example", NULL, other, discover)), -32020);
    assert_int_equal(test_status, 400);
    assert_int_equal(mcp_code(mcp_post("/mcp", "ada@acme.example", NULL, bare, discover)), -32020);
    assert_int_equal(mcp_code(mcp_post("/mcp", "ada@acme.example", NULL, mcp_newest, discover)),
                     -32020);
    assert_int_equal(mcp_code(mcp_post("/mcp", "ada@acme.example", NULL, unnamed, call)), -32020);
    r = mcp_post("/mcp", "ada@acme.example", NULL, named, call);
    assert_non_null(json_get(json_get(r, "result"), "structuredContent"));
}

static void an_unknown_revision_is_answered_with_those_that_are_known(void **state)
{
    static const char *const headers[] = {"MCP-Protocol-Version", "2031-01-01", "Mcp-Method", "x",
                                          NULL};
    (void)state;
    const struct json *r =
        mcp_post("/mcp", "ada@acme.example", NULL, headers,
                 "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"x\",\"params\":{\"_meta\":{"
                 "\"io.modelcontextprotocol/protocolVersion\":\"2031-01-01\","
                 "\"io.modelcontextprotocol/clientCapabilities\":{}}}}");
    assert_int_equal(test_status, 400);
    assert_int_equal(mcp_code(r), -32022);
    assert_string_equal(json_get_str(json_get(json_get(r, "error"), "data"), "requested"),
                        "2031-01-01");
}

static void streams_are_for_who_takes_nothing_else(void **state)
{
    const struct sosia_header headers[] = {
        {"Content-Type", "application/json"},
        {"Accept", "text/event-stream"},
        {"Authorization", test_bearer("ada@acme.example", NULL)}};
    static const char ping[] = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}";
    (void)state;
    test_request("POST", "/mcp", headers, SOSIA_LEN(headers), ping, strlen(ping));
    assert_string_equal(test_header("Content-Type"), "text/event-stream");
    assert_string_equal(test_body, "event: message\ndata: "
                                   "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n\n");
    const struct sosia_header pictures[] = {
        {"Content-Type", "application/json"}, {"Accept", "image/png"}, headers[2]};
    test_request("POST", "/mcp", pictures, SOSIA_LEN(pictures), ping, strlen(ping));
    assert_int_equal(test_status, 406);
    const struct sosia_header forms[] = {{"Content-Type", "application/x-www-form-urlencoded"},
                                         headers[2]};
    test_request("POST", "/mcp", forms, SOSIA_LEN(forms), ping, strlen(ping));
    assert_int_equal(test_status, 415);
    test_request("GET", "/mcp", headers + 2, 1, "", 0);
    assert_int_equal(test_status, 405);
    assert_string_equal(test_header("Allow"), "GET, POST, DELETE");
}

/* ---- who may ask ---- */

static void nobody_is_refused(void **state)
{
    static const char ping[] = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}";
    static const char *const wrong[] = {"Authorization", "Bearer nonsense", NULL};
    static const char *const evil[] = {"Origin", "https://evil.example", NULL};
    static const char *const near[] = {"Origin", "http://localhost.evil.example", NULL};
    static const char *const own[] = {"Origin", "http://localhost:3000", NULL};
    static const char *const odd[] = {"null",
                                      "localhost",
                                      "://localhost",
                                      "evil.example/://localhost",
                                      "file://localhost",
                                      "chrome-extension://localhost",
                                      "http://localhost:3000.evil.example",
                                      "http://localhost:3000@evil.example",
                                      "http://localhost:",
                                      "http://localhost:123456",
                                      "http://localhost/",
                                      "http://localhost:3000/x",
                                      "http://localhost?.evil.example",
                                      "http://[::1].evil.example",
                                      "http://[::1",
                                      "http://evil.example#.localhost",
                                      "http://.evil.example/.localhost",
                                      "http://",
                                      ""};
    (void)state;
    mcp_post("/mcp", NULL, NULL, NULL, ping);
    assert_int_equal(test_status, 401);
    assert_string_equal(test_header("WWW-Authenticate"), "Bearer");
    mcp_post("/mcp", NULL, NULL, wrong, ping);
    assert_int_equal(test_status, 401);
    mcp_post("/mcp", "ada@acme.example", NULL, evil, ping);
    assert_int_equal(test_status, 403);
    mcp_post("/mcp", "ada@acme.example", NULL, near, ping);
    assert_int_equal(test_status, 403);
    for (size_t i = 0; i < SOSIA_LEN(odd); i++) {
        const char *const headers[] = {"Origin", odd[i], "X-Forwarded-Host", "evil.example", NULL};
        mcp_post("/mcp", "ada@acme.example", NULL, headers, ping);
        if (test_status != 403)
            fail_msg("%s: %d", odd[i], test_status);
    }
    mcp_post("/mcp", "ada@acme.example", NULL, own, ping);
    assert_int_equal(test_status, 200);
    mcp_post("/mcp/nothing", "ada@acme.example", NULL, NULL, ping);
    assert_int_equal(test_status, 404);
    mcp_post("/mcp/conformance", "ada@acme.example", NULL, NULL, ping);
    assert_int_equal(test_status, 404);
    char path[SOSIA_TOKEN_MAX + 40];
    snprintf(path, sizeof path, "/mcp/gmail/?instance_id=%s",
             test_bearer("ada@acme.example", NULL) + strlen("Bearer "));
    mcp_post(path, NULL, NULL, NULL, ping);
    assert_int_equal(test_status, 200);
}

static void a_list_has_what_the_token_may_do(void **state)
{
    static const char list[] = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}";
    static const char insert[] =
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":"
        "\"calendar_events_insert\",\"arguments\":{\"calendarId\":\"primary\",\"body\":{}}}}";
    static const char scope[] = "https://www.googleapis.com/auth/calendar.readonly";
    (void)state;
    const struct json *tools =
        json_get(json_get(mcp_post("/mcp?tools=native", "ada@acme.example", NULL, mcp_newest, list),
                          "result"),
                 "tools");
    uint32_t all = tools->n;
    assert_true(all > 270);
    assert_non_null(item(tools, "name", "calendar_events_insert"));
    assert_non_null(item(tools, "name", "gmail_users_messages_send"));
    assert_non_null(item(tools, "name", "drive_files_list"));
    assert_non_null(item(tools, "name", "slack_chat_postMessage"));
    tools = json_get(
        json_get(mcp_post("/mcp?tools=native", "ada@acme.example", scope, mcp_newest, list),
                 "result"),
        "tools");
    assert_true(tools->n < all / 4);
    assert_non_null(item(tools, "name", "calendar_events_list"));
    assert_null(item(tools, "name", "calendar_events_insert"));
    assert_int_equal(mcp_code(mcp_post("/mcp", "ada@acme.example", scope, mcp_newest, insert)),
                     -32602);
    tools = json_get(
        json_get(mcp_post("/mcp/calendar?risk=read", "ada@acme.example", NULL, mcp_newest, list),
                 "result"),
        "tools");
    for (uint32_t i = 0; i < tools->n; i++) {
        assert_int_equal(strncmp(json_get_str(&tools->items[i], "name"), "calendar_", 9), 0);
        assert_true(json_get(json_get(&tools->items[i], "annotations"), "readOnlyHint")->truth);
    }
    mcp_post("/mcp/calendar?risk=read", "ada@acme.example", NULL, mcp_newest, insert);
    assert_int_equal(
        mcp_code(mcp_post("/mcp/calendar?risk=read", "ada@acme.example", NULL, mcp_newest, insert)),
        -32602);
}

/* A word that is none would limit nothing. */
static void a_risk_that_is_none_is_refused(void **state)
{
    static const char *const paths[] = {"/mcp?risk=readonly", "/mcp?risk=", "/mcp?risk=READ"};
    (void)state;
    for (size_t i = 0; i < SOSIA_LEN(paths); i++) {
        assert_int_equal(mcp_code(mcp_ask("ada@acme.example", paths[i], "tools/list", "{}")),
                         -32602);
        assert_int_equal(mcp_code(mcp_ask("ada@acme.example", paths[i], "tools/call",
                                          "{\"name\":\"calendar_colors_get\"}")),
                         -32602);
    }
}

static void a_revoked_token_has_no_tools(void **state)
{
    static const char list[] = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}";
    char token[SOSIA_TOKEN_MAX + 8], form[SOSIA_TOKEN_MAX + 16];
    (void)state;
    snprintf(token, sizeof token, "%s", test_bearer("ada@acme.example", NULL));
    snprintf(form, sizeof form, "token=%s", token + strlen("Bearer "));
    const struct sosia_header headers[] = {{"Content-Type", "application/json"},
                                           {"Authorization", token}};
    const struct sosia_header forms[] = {{"Content-Type", "application/x-www-form-urlencoded"}};
    test_request("POST", "/mcp", headers, SOSIA_LEN(headers), list, strlen(list));
    assert_int_equal(test_status, 200);
    test_request("POST", "/revoke", forms, SOSIA_LEN(forms), form, strlen(form));
    assert_int_equal(test_status, 200);
    test_request("POST", "/mcp", headers, SOSIA_LEN(headers), list, strlen(list));
    assert_int_equal(test_status, 401);
    assert_null(strstr(test_body, "calendar_"));
}

/* ---- tools ---- */

static void schemas_come_from_rows(void **state)
{
    (void)state;
    const struct json *tools = json_get(
        json_get(mcp_ask("ada@acme.example", "/mcp?tools=native", "tools/list", "{}"), "result"),
        "tools");
    const struct json *t = item(tools, "name", "calendar_events_insert");
    const struct json *in = json_get(t, "inputSchema"), *p = json_get(in, "properties");
    assert_string_equal(json_get_str(json_get(p, "calendarId"), "type"), "string");
    assert_string_equal(json_get_str(json_get(p, "maxAttendees"), "type"), "integer");
    assert_string_equal(json_get_str(json_get(p, "body"), "$ref"), "#/$defs/Event");
    assert_non_null(json_get(json_get(in, "$defs"), "EventDateTime"));
    assert_string_equal(json_get(in, "required")->items[0].str, "calendarId");
    assert_non_null(json_get(t, "outputSchema"));
    assert_false(json_get(json_get(t, "annotations"), "readOnlyHint")->truth);
    t = item(tools, "name", "calendar_events_delete");
    assert_true(json_get(json_get(t, "annotations"), "destructiveHint")->truth);
    t = item(tools, "name", "slack_conversations_list");
    assert_at(t, "inputSchema.properties.limit.type", "integer");
    assert_at(t, "inputSchema.properties.limit.maximum", "1000");
    assert_at(t, "inputSchema.properties.limit.default", "100");
    assert_at(t, "inputSchema.properties.exclude_archived.type", "boolean");
    assert_at(t, "inputSchema.properties.types.items.type", "string");
    assert_at(t, "inputSchema.properties.cursor.description", "next_cursor of the page before");
    t = item(tools, "name", "slack_chat_postMessage");
    assert_at(t, "inputSchema.properties.blocks.type", "array");
    assert_at(t, "inputSchema.properties.blocks.maxItems", "50");
    assert_at(t, "inputSchema.properties.blocks.items.properties.type.enum.0", "section");
    assert_at(t, "inputSchema.properties.blocks.items.required.0", "type");
    t = item(tools, "name", "slack_blocks_validate");
    assert_at(t, "inputSchema.properties.view.properties.type.enum.1", "home");
    assert_at(t, "inputSchema.properties.view.type", "object");
    t = item(tools, "name", "slack_chat_postMessage");
    assert_at(t, "inputSchema.properties.parse.enum.1", "full");
    for (uint32_t i = 0; i < tools->n; i++) {
        const char *name = json_get_str(&tools->items[i], "name");
        assert_true(strlen(name) <= 64);
        assert_int_equal(
            strspn(name, "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_"),
            strlen(name));
        assert_string_equal(json_get_str(json_get(&tools->items[i], "inputSchema"), "type"),
                            "object");
    }
}

static void a_tool_is_its_method(void **state)
{
    (void)state;
    const struct json *r = result(
        "tools/call",
        "{\"name\":\"calendar_events_insert\",\"arguments\":{\"calendarId\":\"primary\","
        "\"sendUpdates\":\"all\",\"body\":{\"summary\":\"Plan & do\",\"start\":{"
        "\"dateTime\":\"2026-03-13T10:00:00+01:00\"},\"end\":{\"dateTime\":"
        "\"2026-03-13T11:00:00+01:00\"},\"attendees\":[{\"email\":\"bob@acme.example\"}]}}}");
    assert_false(is_error(r));
    const struct json *event = json_get(r, "structuredContent");
    assert_string_equal(json_get_str(event, "summary"), "Plan & do");
    r = result("tools/call", "{\"name\":\"calendar_events_list\",\"arguments\":{\"calendarId\":"
                             "\"primary\",\"q\":\"plan\",\"fields\":\"items(summary)\"}}");
    assert_string_equal(text_of(r), "{\"items\":[{\"summary\":\"Plan & do\"}]}");
    r = result("tools/call", "{\"name\":\"slack_chat_postMessage\",\"arguments\":{\"channel\":"
                             "\"C0GENERAL1\",\"text\":\"Lunch?\"}}");
    assert_false(is_error(r));
    r = result("tools/call", "{\"name\":\"slack_conversations_history\",\"arguments\":{\"channel\":"
                             "\"C0GENERAL1\",\"limit\":1}}");
    assert_non_null(strstr(text_of(r), "Lunch?"));
    r = result("tools/call",
               "{\"name\":\"drive_files_create\",\"arguments\":{\"body\":{\"name\":\"a.txt\"},"
               "\"media\":{\"mimeType\":\"text/plain\",\"text\":\"Grüße\"}}}");
    const char *id = json_get_str(json_get(r, "structuredContent"), "id");
    char params[300];
    assert_non_null(id);
    snprintf(params, sizeof params,
             "{\"name\":\"drive_files_get\",\"arguments\":{\"fileId\":\"%s\",\"alt\":\"media\"}}",
             id);
    assert_string_equal(text_of(result("tools/call", params)), "Grüße");
}

/* A file may say that it is JSON, and be none. */
static void files_are_not_taken_at_their_word(void **state)
{
    static const char *const files[] = {"{\\\"a\\\": 1}", "{\\\"a\\\": }},", "{\\\"ok\\\":false}"};
    for (size_t i = 0; i < SOSIA_LEN(files); i++) {
        char params[400];
        snprintf(params, sizeof params,
                 "{\"name\":\"drive_files_create\",\"arguments\":{\"media\":{\"mimeType\":"
                 "\"application/json\",\"text\":\"%s\"}}}",
                 files[i]);
        const struct json *r = result("tools/call", params);
        snprintf(
            params, sizeof params,
            "{\"name\":\"drive_files_get\",\"arguments\":{\"fileId\":\"%s\",\"alt\":\"media\"}}",
            json_get_str(json_get(r, "structuredContent"), "id"));
        r = result("tools/call", params);
        assert_false(is_error(r));
        assert_int_equal(text_of(r)[0], '{');
        assert_int_equal(json_get(r, "structuredContent") == NULL, i == 1);
    }
}

/* What separates the parts of a request is not in them, whatever a file has in it. */
static void a_file_may_have_what_separates_parts(void **state)
{
    static const char file[] = "a\\r\\n--sosia_media--\\r\\nb\\r\\n--sosia_media2\\r\\n\\r\\nc";
    char params[400];
    snprintf(params, sizeof params,
             "{\"name\":\"drive_files_create\",\"arguments\":{\"media\":{\"mimeType\":"
             "\"text/plain\",\"text\":\"%s\"}}}",
             file);
    const struct json *r = result("tools/call", params);
    assert_false(is_error(r));
    snprintf(params, sizeof params,
             "{\"name\":\"drive_files_get\",\"arguments\":{\"fileId\":\"%s\",\"alt\":\"media\"}}",
             json_get_str(json_get(r, "structuredContent"), "id"));
    assert_string_equal(text_of(result("tools/call", params)),
                        "a\r\n--sosia_media--\r\nb\r\n--sosia_media2\r\n\r\nc");
}

/* However much of it: a file may be made of what could separate parts. */
static void a_file_of_separators_takes_no_long_time(void **state)
{
    struct buf b;
    (void)state;
    buf_init(&b, 0);
    buf_puts(&b,
             "{\"name\":\"drive_files_create\",\"arguments\":{\"media\":{\"text\":\"sosia_media");
    for (int i = 0; i < 500000; i++)
        buf_printf(&b, "\\r\\n--sosia_media%d", i);
    buf_puts(&b, "\"}}}");
    const struct json *r = result("tools/call", buf_str(&b));
    buf_done(&b);
    assert_false(is_error(r));
}

static void refusals_are_results_with_words(void **state)
{
    static const char *const cases[][2] = {
        {"{\"name\":\"calendar_events_get\",\"arguments\":{\"calendarId\":\"primary\",\"eventId\":"
         "\"none\"}}",
         "404 notFound: Not Found"},
        {"{\"name\":\"calendar_events_get\",\"arguments\":{\"calendarId\":\"primary\"}}",
         "eventId is required"},
        {"{\"name\":\"calendar_events_get\",\"arguments\":{\"calendarId\":\"primary\",\"eventId\":"
         "\"x\",\"even\":1}}",
         "there is no argument even"},
        {"{\"name\":\"calendar_events_list\",\"arguments\":{\"calendarId\":\"primary\","
         "\"maxResults\":\"many\"}}",
         "400 "},
        {"{\"name\":\"calendar_events_insert\",\"arguments\":{\"calendarId\":\"primary\",\"body\":"
         "7}}",
         "body must be an object"},
        {"{\"name\":\"slack_chat_postMessage\",\"arguments\":{\"channel\":\"C0NOTHERE1\",\"text\":"
         "\"x\"}}",
         "channel_not_found"},
        {"{\"name\":\"drive_files_create\",\"arguments\":{\"media\":{\"data\":\"***\"}}}",
         "media.data must be base64"},
        {"{\"name\":\"drive_files_create\",\"arguments\":{\"media\":{\"text\":\"a\",\"mimeType\":"
         "\"a\\r\\nb: c\"}}}",
         "media.mimeType must be a media type"},
        {"{\"name\":\"drive_files_create\",\"arguments\":{\"media\":\"text\"}}",
         "media must be an object"},
    };
    (void)state;
    for (size_t i = 0; i < SOSIA_LEN(cases); i++) {
        const struct json *r = result("tools/call", cases[i][0]);
        if (!is_error(r) || strncmp(text_of(r), cases[i][1], strlen(cases[i][1])) != 0)
            fail_msg("%s: %s", cases[i][0], test_body);
    }
}

/* Values of path parameters can't leave their segment. */
static void arguments_stay_in_their_place(void **state)
{
    (void)state;
    const struct json *r =
        result("tools/call", "{\"name\":\"calendar_events_get\",\"arguments\":{\"calendarId\":"
                             "\"primary\",\"eventId\":\"../../../users/me/calendarList?x=\"}}");
    assert_true(is_error(r));
    r = result("tools/call", "{\"name\":\"calendar_events_list\",\"arguments\":{\"calendarId\":"
                             "\"primary\",\"q\":\"x&maxResults=0&y=#\"}}");
    assert_false(is_error(r));
}

/* The last entry, without its time. */
static const char *last_entry(void)
{
    static char text[1 << 15];
    struct sosia_blob journal;
    assert_int_equal(sosia_journal_list(test_engine, test_world, 0, 0, true, &journal, &test_err),
                     0);
    const char *at = NULL;
    for (const char *p = journal.data; (p = strstr(p, "\"method\"")); p++)
        at = p;
    assert_non_null(at);
    snprintf(text, sizeof text, "%s", at);
    sosia_blob_free(&journal);
    return text;
}

/* Without letters X, of which there are more in what is too long for the short way. */
static const char *without_x(const char *text)
{
    static char out[2][1 << 15];
    static unsigned next;
    char *to = out[next++ % 2], *p = to;
    for (; *text && p < to + sizeof out[0] - 1; text++)
        if (*text != 'X')
            *p++ = *text;
    *p = 0;
    return to;
}

/* A call that goes to its row directly is what a request is that is written and read. */
static void the_short_way_and_the_long_one_are_the_same(void **state)
{
    static const struct {
        const char *tool, *arguments, *target; /* %s: the letters X */
    } cases[] = {
        {"calendar_events_list",
         "{\"calendarId\":\"ada@acme.example\",\"q\":\"a b&c=%%+\\u00e9%s\",\"singleEvents\":true,"
         "\"maxResults\":7,\"timeMin\":null,\"eventTypes\":[\"default\",\"focusTime\"],"
         "\"fields\":\"kind,items(id)\"}",
         "/calendar/v3/calendars/ada%40acme.example/events?"},
        {"calendar_events_list", "{\"calendarId\":\"a/b?c\",\"q\":\"%s\"}",
         "/calendar/v3/calendars/a%2Fb%3Fc/events?"},
        {"calendar_events_list", "{\"calendarId\":\"primary\",\"q\":\"%s\",\"maxResults\":-1}",
         "maxResults=-1"},
        {"calendar_events_list",
         "{\"calendarId\":\"primary\",\"q\":\"%s\",\"maxResults\":3,\"maxResults\":\"5\"}",
         "maxResults=5"},
        {"gmail_users_messages_list", "{\"userId\":\"me\",\"q\":\"is:unread %s\"}",
         "/gmail/v1/users/me/messages?"},
        {"gmail_users_messages_list", "{\"userId\":\"you\",\"q\":\"%s\"}", "/users/you/messages"},
        {"slack_search_messages", "{\"query\":\"it's %s\",\"count\":5,\"highlight\":false}",
         "/api/search.messages"},
    };
    (void)state;
    assert_int_equal(
        sosia_world_journal_mode(test_engine, test_world, SOSIA_JOURNAL_ALL, &test_err), 0);
    for (size_t i = 0; i < SOSIA_LEN(cases); i++) {
        static char many[2000], arguments[3000], params[4000], entry[1 << 15], answer[1 << 15];
        for (int longer = 0; longer < 2; longer++) {
            size_t n = longer ? sizeof many - 1 : 3;
            memset(many, 'X', n);
            many[n] = 0;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
            snprintf(arguments, sizeof arguments, cases[i].arguments, many);
#pragma GCC diagnostic pop
            snprintf(params, sizeof params, "{\"name\":\"%s\",\"arguments\":%s}", cases[i].tool,
                     arguments);
            result("tools/call", params);
            const char *came = without_x(test_body), *written = without_x(last_entry());
            if (!longer) {
                snprintf(answer, sizeof answer, "%s", came);
                snprintf(entry, sizeof entry, "%s", written);
                assert_non_null(strstr(entry, cases[i].target));
            } else {
                assert_string_equal(came, answer);
                assert_string_equal(written, entry);
            }
        }
    }
}

static void calls_are_in_the_journal_as_native_ones(void **state)
{
    struct sosia_blob journal;
    (void)state;
    result("tools/call", "{\"name\":\"calendar_events_quickAdd\",\"arguments\":{\"calendarId\":"
                         "\"primary\",\"text\":\"Tea tomorrow 4pm\"}}");
    assert_int_equal(sosia_journal_list(test_engine, test_world, 0, 0, false, &journal, &test_err),
                     0);
    assert_non_null(strstr(journal.data, "calendar.events.quickAdd"));
    assert_null(strstr(journal.data, "mcp"));
    sosia_blob_free(&journal);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(a_handshake_agrees_on_a_revision),
        TEST(notifications_have_no_response),
        TEST(misuse_is_refused_as_the_protocol_says),
        TEST(the_first_revision_has_batches),
        TEST(requests_carry_their_revision),
        TEST(an_unknown_revision_is_answered_with_those_that_are_known),
        TEST(streams_are_for_who_takes_nothing_else),
        TEST(nobody_is_refused),
        TEST(a_list_has_what_the_token_may_do),
        TEST(a_risk_that_is_none_is_refused),
        TEST(a_revoked_token_has_no_tools),
        TEST(schemas_come_from_rows),
        TEST(a_tool_is_its_method),
        TEST(files_are_not_taken_at_their_word),
        TEST(a_file_may_have_what_separates_parts),
        TEST(a_file_of_separators_takes_no_long_time),
        TEST(refusals_are_results_with_words),
        TEST(arguments_stay_in_their_place),
        TEST(the_short_way_and_the_long_one_are_the_same),
        TEST(calls_are_in_the_journal_as_native_ones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
