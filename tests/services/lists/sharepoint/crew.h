/* SPDX-License-Identifier: Apache-2.0 */
/* A tenant with a site, its library and lists. */
#ifndef SOSIA_TESTS_SERVICES_LISTS_SHAREPOINT_CREW_H
#define SOSIA_TESTS_SERVICES_LISTS_SHAREPOINT_CREW_H

#include "engine/base/codec.h"
#include "tests/support/outlook.h"
#include "vendors/microsoft/graph.h"
#include <stdio.h>

#define SITE   "!/v1.0/sites/port.sharepoint.com:/sites/crew:"
#define JOBS   SITE "/lists/Jobs"
#define KEY    "11111111-2222-4333-8444-555555555555"
#define APP    "8a000000-0000-4000-8000-000000000001"
#define TENANT "8a000000-0000-4000-8000-000000000002"

static const char sites[] =
    "groups: [{email: crew@port.example, name: Crew, members: [bob@port.example]}]\n"
    "microsoftTenants: [{domain: port.example, id: " TENANT ", name: Port}]\n"
    "microsoftGroups: [{group: crew@port.example, unified: true}]\n"
    "microsoftSites:\n"
    "  - path: /sites/crew\n"
    "    name: Crew site\n"
    "    group: crew@port.example\n"
    "    members: [{who: cyd@port.example, role: read}]\n"
    "    libraries:\n"
    "      - {name: Shared Documents, title: Documents, owner: crew-files}\n"
    "      - {name: Plans}\n"
    "  - {path: /sites/crew/sub, name: Sub}\n"
    "  - {path: /sites/other, name: Other}\n"
    "files:\n"
    "  - {name: Plan.txt, owner: crew-files, content: hello, created: 2026-11-01T10:00:00Z}\n"
    "lists:\n"
    "  - place: /sites/crew\n"
    "    name: Jobs\n"
    "    id: " KEY "\n"
    "    columns:\n"
    "      - {name: Title, length: 255}\n"
    "      - {name: Status, type: choice, choices: [Open, Done], usual: Open, indexed: true}\n"
    "      - {name: Hours, type: number, least: 0, most: 100}\n"
    "      - {name: Note, type: note}\n"
    "      - {name: Fee, type: currency}\n"
    "      - {name: Due, type: time}\n"
    "      - {name: Owner, type: person}\n"
    "      - {name: Crew, type: person, multiple: true}\n"
    "      - {name: Billed, type: boolean}\n"
    "      - {name: Tags, type: choices, choices: [a, b]}\n"
    "      - {name: Web, type: link}\n"
    "      - {name: Next, type: lookup, list: " KEY "}\n"
    "      - {name: Code, indexed: true, unique: true, length: 4}\n"
    "listItems:\n"
    "  - {list: " KEY ", values: {Title: Crane, Status: Open, Hours: 3, Owner: bob@port.example, "
    "Due: 2026-12-01T00:00:00Z, Code: a1}, creator: bob@port.example}\n"
    "  - {list: " KEY ", values: {Title: Dock, Status: Done, Hours: 5.5, Next: 1, Tags: [a]}}\n";

static inline int open_sites(void **state)
{
    (void)state;
    ol_prefer = ol_if_match = ol_type = NULL;
    static char doc[8192];
    snprintf(doc, sizeof doc, "%s%s", ol_people, sites);
    return test_open(doc);
}
#define site_test(f) cmocka_unit_test_setup_teardown(f, open_sites, ol_close)

static inline const char *keep(const char *text)
{
    assert_non_null(text);
    return arena_strdup(&test_arena, text);
}

static inline void refused(int status, const char *code, const char *message)
{
    const struct json *v = parsed(test_body, test_len);
    if (test_status != status)
        fail_msg("%d %s", test_status, test_body);
    assert_string_equal(text_at(v, "error.code"), code);
    if (message)
        assert_string_equal(text_at(v, "error.message"), message);
}

/* A call with a token of a user (who) or of the app itself (NULL). */
static inline void with_scopes(const char *who, const char *scopes, const char *method,
                               const char *target, const char *body)
{
    static const char form[] = "grant_type=client_credentials&client_id=" APP
                               "&client_secret=s1&scope=https%3A%2F%2Fgraph.microsoft.com%2F."
                               "default";
    const struct sosia_header asks[] = {{"Host", "login.microsoftonline.com"},
                                        {"Content-Type", "application/x-www-form-urlencoded"}};
    const char *bearer = who ? test_bearer(who, scopes) : NULL;
    if (!who)
        bearer = ol_text("Bearer %s", text_at(test_request("POST", "/" TENANT "/oauth2/v2.0/token",
                                                           asks, 2, form, strlen(form)),
                                              "access_token"));
    const struct sosia_header headers[] = {
        {"Host", GRAPH_HOST}, {"Authorization", bearer}, {"Content-Type", "application/json"}};
    test_request(method, target + (*target == '!'), headers, 3, body, body ? strlen(body) : 0);
}

static inline void use_app(const char *scopes)
{
    const char *path = "  - path: /sites/crew\n", *at = strstr(sites, path) + strlen(path);
    test_use(ol_text("%s%.*s%s%s"
                     "apps:\n"
                     "  - {client_id: " APP ", client_secret: s1, name: Daemon, kind: web, vendor: "
                     "microsoft, redirect_uris: ['https://app.example/cb']}\n"
                     "microsoftApps: [{app: " APP ", tenant: port.example, application: '%s'}]\n",
                     ol_people, (int)(at - sites), sites,
                     "    tenant: port.example\n    apps: [{app: " APP ", role: write}]\n", at,
                     scopes));
}

#endif
