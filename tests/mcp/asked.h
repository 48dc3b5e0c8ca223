/* SPDX-License-Identifier: Apache-2.0 */
/* A world with something of each service, and requests of MCP to it. */
#ifndef SOSIA_TESTS_MCP_ASKED_H
#define SOSIA_TESTS_MCP_ASKED_H

#include "tests/support/mcp.h"
#include "tests/support/unit.h"
#include <stdio.h>

static const char doc[] =
    "sosia: 1\n"
    "time: 2026-03-12T08:00:00Z\n"
    "zone: Europe/Rome\n"
    "people:\n"
    "  - {email: ada@acme.example, name: Ada}\n"
    "  - {email: bob@acme.example, name: Bob}\n"
    "workspaces:\n"
    "  - {id: T0ACME0001, domain: acme, name: Acme}\n"
    "channels:\n"
    "  - {id: C0GENERAL1, name: general, general: true}\n"
    "calendars:\n"
    "  - id: ada@acme.example\n"
    "    primary: true\n"
    "    events:\n"
    "      - {id: lunch0000001, summary: Lunch, start: today 12:00, end: today "
    "13:00}\n";

static inline int set_up(void **state)
{
    (void)state;
    return test_open(doc);
}

static inline int tear_down(void **state)
{
    (void)state;
    return test_close();
}

static inline const struct json *ask(const char *method, const char *params)
{
    return mcp_ask("ada@acme.example", "/mcp", method, params);
}

static inline const struct json *result(const char *method, const char *params)
{
    const struct json *r = json_get(ask(method, params), "result");
    if (!r)
        fail_msg("%s: %s", method, test_body);
    return r;
}

static inline const struct json *item(const struct json *list, const char *member,
                                      const char *value)
{
    for (uint32_t i = 0; list && list->type == JSON_ARRAY && i < list->n; i++) {
        const char *text = json_get_str(&list->items[i], member);
        if (text && strcmp(text, value) == 0)
            return &list->items[i];
    }
    return NULL;
}

static inline const char *text_of(const struct json *result)
{
    const struct json *content = json_get(result, "content");
    const char *text = content && content->n ? json_get_str(&content->items[0], "text") : NULL;
    return text ? text : "";
}

static inline bool is_error(const struct json *result)
{
    return json_get_true(result, "isError");
}

#endif
