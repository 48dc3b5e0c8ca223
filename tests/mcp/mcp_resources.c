/* SPDX-License-Identifier: Apache-2.0 */
/* Resources, prompts and completions over MCP. */
#include "tests/mcp/asked.h"

/* ---- resources and prompts ---- */

static void resources_are_listed_and_read(void **state)
{
    (void)state;
    const struct json *list = json_get(result("resources/list", "{}"), "resources");
    assert_non_null(item(list, "uri", "calendar://ada%40acme.example"));
    assert_non_null(item(list, "uri", "gmail://labels/INBOX"));
    assert_non_null(item(list, "uri", "slack://channels/C0GENERAL1"));
    list = json_get(result("resources/templates/list", "{}"), "resourceTemplates");
    assert_non_null(item(list, "uriTemplate", "gdrive:///{fileId}"));
    const struct json *r =
        result("resources/read", "{\"uri\":\"calendar://ada%40acme.example/events/lunch0000001\"}");
    r = &json_get(r, "contents")->items[0];
    assert_non_null(strstr(json_get_str(r, "text"), "Lunch"));
    r = result("resources/read", "{\"uri\":\"calendar://ada%40acme.example\"}");
    assert_non_null(strstr(json_get_str(&json_get(r, "contents")->items[0], "text"), "Lunch"));
    r = ask("resources/read", "{\"uri\":\"calendar://bob%40acme.example\"}");
    assert_int_equal(mcp_code(r), -32002);
    r = ask("resources/read", "{\"uri\":\"gdrive:///%27%20or%20name%20contains%20%27\"}");
    assert_int_equal(mcp_code(r), -32002);
}

/* Asks for the page of a list; gives the cursor of the next (NULL: none), and adds how many of its
 * resources begin with a scheme. */
static const char *page_of(const char *path, const char *cursor, const char *scheme, int *ret_n)
{
    const char *params = cursor ? arena_printf(&test_arena, "{\"cursor\":\"%s\"}", cursor) : "{}";
    const struct json *r =
        json_get(mcp_ask("ada@acme.example", path, "resources/list", params), "result");
    const struct json *list = json_get(r, "resources");
    const char *next = json_get_str(r, "nextCursor");
    assert_non_null(list);
    for (uint32_t i = 0; i < list->n; i++)
        *ret_n += strncmp(json_get_str(&list->items[i], "uri"), scheme, strlen(scheme)) == 0;
    return next ? arena_strdup(&test_arena, next) : NULL;
}

static void resources_come_in_pages(void **state)
{
    static const char *const bad[] = {"7",
                                      "\"\"",
                                      "\"x\"",
                                      "\"e30\"",
                                      "\"bnVsbA\"",
                                      "\"W10\"",
                                      "\"eyJmaWxlIjoieCJ9\"",
                                      "\"eyJsYWJlbCI6IngifQ\"",
                                      NULL};
    struct buf b;
    int files = 0, channels = 0;
    (void)state;
    assert_null(page_of("/mcp", NULL, "gdrive:", &files));
    buf_init(&b, 0);
    buf_puts(&b, "{\"sosia\":1,\"channels\":[");
    for (int i = 0; i < 250; i++)
        buf_printf(&b, "%s{\"id\":\"C0MANY%04d\",\"name\":\"many-%d\"}", i ? "," : "", i, i);
    buf_puts(&b, "],\"files\":[");
    for (int i = 0; i < 230; i++)
        buf_printf(&b,
                   "%s{\"id\":\"file-number-%03d-of-ada-000000\",\"name\":\"f%d\",\"owner\":"
                   "\"ada@acme.example\",\"content\":\"x\"}",
                   i ? "," : "", i, i);
    buf_puts(&b, "]}");
    if (sosia_world_seed(test_engine, test_world, b.data, b.len, NULL, &test_err) < 0)
        fail_msg("%s", test_err.text);
    buf_done(&b);
    const char *cursor = NULL;
    int pages = 0;
    do {
        cursor = page_of("/mcp", cursor, "gdrive:", &files);
        pages++;
    } while (cursor && pages < 9);
    assert_int_equal(files, 230);
    assert_int_equal(pages, 3);
    do {
        cursor = page_of("/mcp/slack", cursor, "slack:", &channels);
        pages++;
    } while (cursor && pages < 9);
    assert_int_equal(channels, 251);
    assert_int_equal(pages, 5);
    for (size_t i = 0; bad[i]; i++)
        assert_int_equal(
            mcp_code(ask("resources/list", arena_printf(&test_arena, "{\"cursor\":%s}", bad[i]))),
            -32602);
    /* a page of one endpoint is not one of another */
    cursor = page_of("/mcp/slack", NULL, "slack:", &channels);
    const char *params = arena_printf(&test_arena, "{\"cursor\":\"%s\"}", cursor);
    assert_int_equal(mcp_code(mcp_ask("ada@acme.example", "/mcp/drive", "resources/list", params)),
                     -32602);
}

static void prompts_take_their_arguments(void **state)
{
    (void)state;
    assert_non_null(
        item(json_get(result("prompts/list", "{}"), "prompts"), "name", "plan_meeting"));
    const struct json *r =
        result("prompts/get", "{\"name\":\"plan_meeting\",\"arguments\":{\"people\":\"bob and "
                              "{subject}\",\"subject\":\"a \\\"plan\\\"\"}}");
    const char *text =
        json_get_str(json_get(&json_get(r, "messages")->items[0], "content"), "text");
    assert_non_null(strstr(text, "about a \"plan\" with bob and {subject}."));
    assert_int_equal(mcp_code(ask("prompts/get", "{\"name\":\"plan_meeting\"}")), -32602);
    assert_int_equal(mcp_code(ask("prompts/get", "{\"name\":\"plan_meeting\",\"arguments\":{"
                                                 "\"people\":\"b\",\"subject\":1}}")),
                     -32602);
}

static void arguments_are_completed(void **state)
{
    (void)state;
    const struct json *r = json_get(
        result("completion/complete",
               "{\"ref\":{\"type\":\"ref/prompt\",\"name\":\"catch_up\"},\"argument\":{\"name\":"
               "\"channel\",\"value\":\"gen\"}}"),
        "completion");
    assert_string_equal(json_get(r, "values")->items[0].str, "C0GENERAL1");
    r = json_get(result("completion/complete",
                        "{\"ref\":{\"type\":\"ref/resource\",\"uri\":\"calendar://{calendarId}\"},"
                        "\"argument\":{\"name\":\"calendarId\",\"value\":\"zzz\"}}"),
                 "completion");
    assert_int_equal(json_get(r, "values")->n, 0);
    assert_false(json_get_true(r, "hasMore"));
}

/* A page has a hundred files; what is on others is not counted. */
static void completions_say_that_there_is_more(void **state)
{
    static const char ask[] = "{\"ref\":{\"type\":\"ref/prompt\",\"name\":\"review_sharing\"},"
                              "\"argument\":{\"name\":\"file\",\"value\":\"zebra\"}}";
    (void)state;
    for (int i = 0; i < 101; i++)
        result("tools/call",
               "{\"name\":\"drive_files_create\",\"arguments\":{\"body\":{\"name\":\"a\"}}}");
    const struct json *r = json_get(result("completion/complete", ask), "completion");
    assert_int_equal(json_get(r, "values")->n, 0);
    assert_true(json_get_true(r, "hasMore"));
    assert_null(json_get(r, "total"));
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(resources_are_listed_and_read),      TEST(resources_come_in_pages),
        TEST(prompts_take_their_arguments),       TEST(arguments_are_completed),
        TEST(completions_say_that_there_is_more),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
