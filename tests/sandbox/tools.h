/* SPDX-License-Identifier: Apache-2.0 */
/* A world with a workspace, and tools called there. */
#ifndef SOSIA_TESTS_SANDBOX_TOOLS_H
#define SOSIA_TESTS_SANDBOX_TOOLS_H

#include "tests/sandbox/kept.h"
#include "tests/support/mcp.h"
#include "tests/support/unit.h"
#include <stdlib.h>
#include <unistd.h>

#define ADA  "ada@acme.example"
#define TERM "/mcp/terminal"
#define GIT  "/mcp/git"
#define CODE "/mcp/code-runner"
#define EXEC "/mcp/code-executor"
#define DESK "/mcp/desktop-commander"

#define HEAD                                                                                       \
    "{\"sosia\":1,\"time\":\"2026-11-23T08:00:00Z\",\"people\":[{\"email\":\"" ADA                 \
    "\",\"name\":\"Ada\"}],\"workspace\":[{\"path\":\"a.txt\",\"text\":\"one\\ntwo\\n\"},"         \
    "{\"path\":\"repo\",\"directory\":true},{\"path\":\"repo/f\",\"text\":\"first\\n\"}]"
#define DOC HEAD "}"

static inline int set_up(void **state)
{
    (void)state;
    return kept_open(DOC);
}

static inline int tear_down(void **state)
{
    (void)state;
    return kept_close();
}

/* The text that a tool gives first; arguments: JSON as it is. */
static inline const char *called(const char *path, const char *tool, const char *arguments)
{
    const char *params =
        arena_printf(&test_arena, "{\"name\":\"%s\",\"arguments\":%s}", tool, arguments);
    const struct json *result = json_get(mcp_ask(ADA, path, "tools/call", params), "result");
    const struct json *content = json_get(result, "content");
    if (!content || !content->n)
        fail_msg("%s: %s", tool, test_body);
    mcp_refused = json_get_true(result, "isError");
    return arena_strdup(&test_arena, json_get_str(&content->items[0], "text"));
}

/* A command, as a JSON text has it. */
static inline const char *ran(const char *command)
{
    return called(TERM, "run_command", arena_printf(&test_arena, "{\"command\":\"%s\"}", command));
}

static inline void same(const char *came, const char *expected)
{
    if (strcmp(came, expected) != 0)
        fail_msg("expected <%s>, got <%s>", expected, came);
}

#endif
