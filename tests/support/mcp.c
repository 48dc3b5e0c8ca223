/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/mcp.h"
#include "tests/support/unit.h"

#define MAX_HEADERS 12

const char *const mcp_newest[] = {"MCP-Protocol-Version", "2025-11-25", NULL};
bool mcp_refused;

const struct json *mcp_post(const char *path, const char *who, const char *scopes,
                            const char *const *more, const char *message)
{
    struct sosia_header headers[MAX_HEADERS] = {{"Content-Type", "application/json"},
                                                {"Accept", "application/json, text/event-stream"}};
    size_t n = 2;
    if (who)
        headers[n++] = (struct sosia_header){"Authorization", test_bearer(who, scopes)};
    for (; more && *more && n < MAX_HEADERS; more += 2)
        headers[n++] = (struct sosia_header){more[0], more[1]};
    return test_request("POST", path, headers, n, message, strlen(message));
}

const struct json *mcp_ask(const char *who, const char *path, const char *method,
                           const char *params)
{
    const char *message =
        arena_printf(&test_arena, "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"%s\",\"params\":%s}",
                     method, params);
    return mcp_post(path, who, NULL, mcp_newest, message);
}

int64_t mcp_code(const struct json *response)
{
    int64_t code = 0;
    json_i64(json_get(json_get(response, "error"), "code"), &code);
    return code;
}

const char *mcp_call(const char *who, const char *path, const char *tool, const char *arguments)
{
    const char *params =
        arena_printf(&test_arena, "{\"name\":\"%s\",\"arguments\":%s}", tool, quoted(arguments));
    const struct json *result = json_get(mcp_ask(who, path, "tools/call", params), "result");
    const struct json *content = json_get(result, "content"), *flag = json_get(result, "isError");
    if (!content || !content->n)
        fail_msg("%s: %s", tool, test_body);
    mcp_refused = flag && flag->truth;
    return json_get_str(&content->items[0], "text");
}

const char *mcp_done(const char *who, const char *path, const char *tool, const char *arguments)
{
    const char *text = mcp_call(who, path, tool, arguments);
    if (mcp_refused)
        fail_msg("%s %s: %s", tool, arguments, text);
    return text;
}

void mcp_refuse(const char *who, const char *path, const char *tool, const char *arguments,
                const char *expected)
{
    const char *text = mcp_call(who, path, tool, arguments);
    if (!mcp_refused || !strstr(text, expected))
        fail_msg("%s %s: %s", tool, arguments, text);
}

void mcp_says(const char *who, const char *path, const char *tool, const char *arguments,
              const char *expected)
{
    const char *text = mcp_done(who, path, tool, arguments);
    if (!strstr(text, expected))
        fail_msg("%s: %s\n---- is without: %s", tool, text, expected);
}

const char *mcp_behind(const char *text, const char *word)
{
    const char *at = strstr(text, word);
    if (!at)
        fail_msg("%s is without %s", text, word);
    at += strlen(word);
    return arena_printf(&test_arena, "%.*s", (int)strcspn(at, "\n)]"), at);
}

const char *mcp_with(const char *format, const char *id)
{
    const char *at = strchr(format, '%');
    return arena_printf(&test_arena, "%.*s%s%s", (int)(at - format), format, id, at + 1);
}

const char *mcp_names(const char *who, const char *path)
{
    const struct json *tools =
        json_get(json_get(mcp_ask(who, path, "tools/list", "{}"), "result"), "tools");
    char *text = arena_strdup(&test_arena, "");
    assert_non_null(tools);
    for (uint32_t i = 0; i < tools->n; i++)
        text = arena_printf(&test_arena, "%s%s%s", text, i ? " " : "",
                            json_get_str(&tools->items[i], "name"));
    return text;
}

const char *mcp_repeated(const char *text, size_t n)
{
    struct buf b;
    buf_init(&b, 0);
    while (n--)
        buf_puts(&b, text);
    const char *all = arena_strdup(&test_arena, buf_str(&b));
    buf_done(&b);
    return all;
}
