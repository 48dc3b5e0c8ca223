/* SPDX-License-Identifier: Apache-2.0 */
/* A world with something of each service, and tools of sets called there. */
#ifndef SOSIA_TESTS_MCP_SETS_H
#define SOSIA_TESTS_MCP_SETS_H

#include "tests/support/mcp.h"
#include "tests/support/unit.h"
#include "engine/json/json.h"
#include "mcp/sets/set.h"

#define ADA "ada@acme.example"
#define BOB "bob@acme.example"

static const char doc[] =
    "sosia: 1\n"
    "time: 2026-03-12T08:00:00Z\n"
    "zone: Europe/Rome\n"
    "organizations: [{domain: acme.example, name: Acme}]\n"
    "people:\n"
    "  - {email: ada@acme.example, name: Ada Ames, zone: Europe/Rome}\n"
    "  - {email: bob@acme.example, name: Bob Stone, zone: Europe/Rome}\n"
    "  - {handle: deploybot, kind: bot, name: Deploybot}\n"
    "apps: [{client_id: '1.2', client_secret: hush, name: Deployer, vendor: slack, bot: "
    "deploybot}]\n"
    "workspaces:\n"
    "  - id: T0ACME\n"
    "    domain: acme\n"
    "    name: Acme\n"
    "    members:\n"
    "      - {actor: ada@acme.example, id: U0ADA, name: ada, role: owner}\n"
    "      - {actor: bob@acme.example, id: U0BOB, name: bob}\n"
    "      - {actor: deploybot, id: U0DEPLOY, name: deploybot}\n"
    "    apps: [{client_id: '1.2', id: A0DEPLOY, bot: B0DEPLOY}]\n"
    "channels:\n"
    "  - {id: C0GENERAL1, name: general, general: true, creator: U0ADA}\n"
    "  - {id: C0DEV, name: dev, creator: U0ADA, members: [U0ADA, U0DEPLOY]}\n"
    "calendars:\n"
    "  - id: ada@acme.example\n"
    "    primary: true\n"
    "    events:\n"
    "      - {id: lunch0000001, summary: Lunch, start: 2026-03-12T12:00, end: 2026-03-12T13:00}\n"
    "      - {id: planning0001, summary: Planning, location: Room 1, start: 2026-03-13T10:00, end: "
    "2026-03-13T11:00, attendees: [bob@acme.example]}\n"
    "mailboxes:\n"
    "  - person: ada@acme.example\n"
    "    labels: [{name: Reports}]\n"
    "    messages:\n"
    "      - {id: '1a20000000000001', from: Bob Stone <bob@acme.example>, to: ada@acme.example, "
    "cc: "
    "eve@far.example, subject: Figures, date: 2026-03-11T09:00:00+01:00, text: \"The "
    "figures.\\n\", "
    "html: \"<p>The figures.</p>\", messageId: <fig@acme.example>, labels: [INBOX, UNREAD],\n"
    "         attachments: [{filename: figures.csv, type: text/csv, text: \"a,b\\n\"}, {filename: "
    "dot.png, type: image/png, base64: iVBORw0KGgo=}, {filename: x.bin, type: "
    "application/octet-stream, base64: AAEC}]}\n"
    "      - {id: '1a20000000000002', from: Eve <eve@far.example>, to: ada@acme.example, subject: "
    "Offer, date: 2026-03-11T10:00:00+01:00, text: \"An offer.\\n\", labels: [INBOX]}\n"
    "      - {id: '1a20000000000003', from: Eve <eve@far.example>, to: ada@acme.example, subject: "
    "Offer again, date: 2026-03-11T11:00:00+01:00, text: \"Again.\\n\", labels: [INBOX]}\n"
    "files:\n"
    "  - {id: 1Plans, name: Plans, type: folder, owner: ada@acme.example}\n"
    "  - {id: 1Budget, name: Budget 2026, type: document, owner: ada@acme.example, parent: 1Plans, "
    "content: \"# Budget\\n\\nWe spend 12.\\n\"}\n"
    "  - {id: 1Notes, name: \"Ada's notes\", type: document, owner: ada@acme.example, content: "
    "\"Nothing yet.\\n\"}\n"
    "  - {id: 1Old, name: old.txt, mime: text/plain, owner: ada@acme.example, content: old, "
    "trashed: "
    "true}\n";

static inline int set_up(void **state)
{
    return test_open(doc);
}

static inline int tear_down(void **state)
{
    return test_close();
}

/* ---- asking ---- */

/* The text that a tool of a set gives. */
static inline const char *call_of(const char *set, const char *who, const char *tool,
                                  const char *arguments)
{
    return mcp_call(who, arena_printf(&test_arena, "/mcp?tools=%s", set), tool, arguments);
}

/* The text parsed; who is not refused. */
static inline const struct json *use(const char *tool, const char *arguments)
{
    const char *text = mcp_done(ADA, "/mcp?tools=hosted", tool, arguments);
    return parsed(text, strlen(text));
}

/* The same of a tool that answers with a sentence. */
static inline void say(const char *tool, const char *arguments, const char *expected)
{
    mcp_says(ADA, "/mcp?tools=hosted", tool, arguments, expected);
}

static inline void refuse(const char *set, const char *tool, const char *arguments,
                          const char *expected)
{
    mcp_refuse(ADA, arena_printf(&test_arena, "/mcp?tools=%s", set), tool, arguments, expected);
}

static inline const struct json *get(const char *who, const char *target)
{
    const struct sosia_header header = {"Authorization", test_bearer(who, NULL)};
    return test_request("GET", target, &header, 1, "", 0);
}

#endif
