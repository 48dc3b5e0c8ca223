/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/ocal.h"

const char ocal_doc[] =
    "{sosia: 1, time: '2026-11-23T08:00:00Z', organizations: [{domain: acme.example}, {domain: "
    "port.example}], people: [{email: ada@acme.example, name: Ada}, {email: bob@port.example, "
    "name: Bob}, {email: cat@port.example, name: Cat}], accounts: [{actor: bob@port.example, "
    "vendor: microsoft, services: [calendar]}, {actor: cat@port.example, vendor: microsoft, "
    "services: [calendar]}], freeBusy: {port.example: [acme.example], acme.example: "
    "[port.example]}}";

int ocal_test_world(void **state)
{
    (void)state;
    test_use(quoted(ocal_doc));
    return 0;
}

const char *ocal_doc_with(const char *sections)
{
    return quoted(
        arena_printf(&test_arena, "%.*s, %s}", (int)strlen(ocal_doc) - 1, ocal_doc, sections));
}

const struct json *as(const char *who, const char *method, const char *target, const char *body,
                      int status)
{
    const struct sosia_header headers[] = {{"Authorization", test_bearer(who, NULL)},
                                           {"Content-Type", "application/json"},
                                           {"Host", "graph.microsoft.com"}};
    const char *text = body ? quoted(body) : "";
    const bool graph = strncmp(target, "/v1.0", 5) == 0;
    const struct json *v = test_request(method, target, headers, graph ? 3 : 2, text, strlen(text));
    if (test_status != status)
        fail_msg("%s %s: %d %s", method, target, test_status, test_body);
    return v;
}

const char *path(const char *target, const char *id)
{
    const char *at = strstr(target, "%s");
    return arena_printf(&test_arena, "%.*s%s%s", (int)(at - target), target, id, at + 2);
}

const struct json *make(const char *who, const char *body)
{
    return as(who, "POST", EVENTS, body, 201);
}

void ocal_again(void)
{
    const char *dump = json_to_text(&test_arena, test_dump());
    test_use(dump);
    assert_string_equal(json_to_text(&test_arena, test_dump()), dump);
}
