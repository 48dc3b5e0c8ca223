/* SPDX-License-Identifier: Apache-2.0 */
/* A server of worlds with something of each service, for sessions of MCP. */
#ifndef SOSIA_TESTS_MCP_WATCHED_H
#define SOSIA_TESTS_MCP_WATCHED_H

#include "engine/http/stream.h"
#include "tests/mcp/session.h"
#include "tests/support/unit.h"
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define ADA "ada@acme.example"
#define BOB "bob@acme.example"

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
    "      - {id: lunch0000001, summary: Lunch, start: today 12:00, end: today 13:00}\n"
    "      - {id: dinner000001, summary: Dinner, start: today 19:00, end: today 20:00}\n"
    "  - {id: bob@acme.example, primary: true}\n";

static inline int set_up(void **state)
{
    const struct sosia_engine_options options = {.mcp_fixture = true};
    (void)state;
    if (test_open_engine_of(NULL) < 0)
        return -1;
    sosia_engine_close(test_engine); /* in its place one that has the fixture */
    if (sosia_engine_open(&options, &test_engine, &test_err) < 0)
        return -1;
    test_world = test_world_of(doc);
    return 0;
}

static inline int tear_down(void **state)
{
    return test_close_engine(state);
}

#define PATCH(id, text)                                                                            \
    CALL("3", "calendar_events_patch",                                                             \
         "{\"calendarId\":\"primary\",\"eventId\":\"" id "\",\"body\":{\"summary\":\"" text        \
         "\"}}")

#define LISTEN(id, filter)                                                                         \
    "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"subscriptions/listen\",\"params\":{"          \
    "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","                       \
    "\"io.modelcontextprotocol/clientCapabilities\":{}},\"notifications\":" filter "}}"

#endif
