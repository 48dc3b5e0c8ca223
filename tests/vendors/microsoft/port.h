/* SPDX-License-Identifier: Apache-2.0 */
/* A tenant with users and groups, and requests of Microsoft Graph to it. */
#ifndef SOSIA_TESTS_VENDORS_MICROSOFT_PORT_H
#define SOSIA_TESTS_VENDORS_MICROSOFT_PORT_H

#include "engine/base/codec.h"
#include "tests/support/world.h"
#include <stdio.h>

#define GRAPH  "graph.microsoft.com"
#define TENANT "7c0f0000-0000-4000-8000-000000000001"
#define BOB_ID "0d1e0000-0000-4000-8000-00000000000b"
#define CREW   "9a000000-0000-4000-8000-000000000001"

static const char doc[] =
    "sosia: 1\n"
    "time: 2026-11-23T08:00:00Z\n"
    "organizations: [{domain: port.example, name: Port}, {domain: acme.example, name: Acme}]\n"
    "people:\n"
    "  - {email: ada@port.example, name: Ada Love}\n"
    "  - {email: bob@port.example, name: Bob Stone}\n"
    "  - {email: cyd@port.example, name: Cyd McRay}\n"
    "  - {email: eve@acme.example, name: Eve}\n"
    "  - {email: gus@home.example, name: Gus}\n"
    "  - {handle: daemon, kind: app, name: Daemon}\n"
    "groups:\n"
    "  - {email: crew@port.example, name: Crew, members: [ada@port.example, night@port.example]}\n"
    "  - {email: night@port.example, name: Night Watch, members: [bob@port.example]}\n"
    "accounts:\n"
    "  - {actor: ada@port.example, vendor: microsoft}\n"
    "  - {actor: bob@port.example, vendor: microsoft, id: " BOB_ID "}\n"
    "  - {actor: cyd@port.example, vendor: microsoft}\n"
    "  - {actor: eve@acme.example, vendor: microsoft}\n"
    "apps: [{client_id: daemon-app, client_secret: s, name: Daemon, kind: web, vendor: microsoft,\n"
    "        bot: daemon}]\n"
    "microsoftTenants:\n"
    "  - {domain: port.example, id: " TENANT ", name: Port, country: DE}\n"
    "  - {domain: acme.example, name: Acme}\n"
    "microsoftUsers:\n"
    "  - {actor: ada@port.example, jobTitle: Buyer, department: Sales, manager: bob@port.example,\n"
    "     licenses: [O365_BUSINESS]}\n"
    "  - {actor: bob@port.example, admin: true, department: Sales}\n"
    "  - {actor: gus@home.example, tenant: port.example, type: guest,\n"
    "     upn: gus_home.example#ext#@port.onmicrosoft.com}\n"
    "microsoftGroups:\n"
    "  - {group: crew@port.example, id: " CREW ", description: All hands, security: true,\n"
    "     owners: [ada@port.example]}\n"
    "microsoftApps: [{app: daemon-app, tenant: port.example, delegated: User.Read,\n"
    "                 application: User.Read.All}]\n"
    "tokens: [{token: daemon-token, actor: daemon, app: daemon-app, kind: app}]\n";

#define TEXT(...) arena_printf(&test_arena, __VA_ARGS__)

static const char *header_name, *header_value;

static inline const struct json *ask(const char *bearer, const char *method, const char *target,
                                     const char *body)
{
    struct sosia_header headers[4] = {{"Host", GRAPH}};
    size_t n = 1;
    headers[n++] = (struct sosia_header){"Authorization", bearer};
    if (body)
        headers[n++] = (struct sosia_header){"Content-Type", "application/json"};
    if (header_name)
        headers[n++] = (struct sosia_header){header_name, header_value};
    header_name = NULL;
    return test_request(method, target, headers, n, body ? quoted(body) : NULL,
                        body ? strlen(body) : 0);
}

#define ADA test_bearer("ada@port.example", NULL)
#define BOB test_bearer("bob@port.example", "User.ReadWrite.All Group.ReadWrite.All")

static inline const struct json *get(const char *target)
{
    return ask(ADA, "GET", target, NULL);
}

static inline const struct json *eventual(const char *target)
{
    header_name = "ConsistencyLevel";
    header_value = "eventual";
    return get(target);
}

static inline void assert_refused(const struct json *v, int status, const char *code,
                                  const char *text)
{
    if (test_status != status || strcmp(text_at(v, "error.code"), code) != 0 ||
        !strstr(text_at(v, "error.message"), text))
        fail_msg("%d %s", test_status, test_body);
}

/* One text of each item of a list. */
static inline const char *each(const struct json *v, const char *name)
{
    const struct json *list = json_get(v, "value");
    const char *text = "";
    if (!list)
        fail_msg("%d %s", test_status, test_body);
    for (uint32_t i = 0; i < list->n; i++) {
        const char *one = json_get_str(&list->items[i], name);
        text = TEXT("%s%s%s", text, i ? ", " : "", one ? one : "");
    }
    return text;
}

static inline int begin(void **state)
{
    return test_open(doc);
}

static inline int end(void **state)
{
    return test_close();
}

#define DAN                                                                                        \
    "{'accountEnabled':true,'displayName':'Dan','mailNickname':'dan','userPrincipalName':'"        \
    "dan@port.example','passwordProfile':{'password':'x'}}"

#define TEST(f) cmocka_unit_test_setup_teardown(f, begin, end)

#endif
