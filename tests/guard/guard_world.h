/* SPDX-License-Identifier: Apache-2.0 */
/* For the tests of guard/: people of all vendors in one world, and calls of theirs. */
#ifndef SOSIA_TESTS_GUARD_WORLD_H
#define SOSIA_TESTS_GUARD_WORLD_H

#include "tests/guard/schema.h"
#include "tests/support/world.h"
#include <stdio.h>

static const char guard_people[] =
    "sosia: 1\n"
    "time: 2026-11-23T08:00:00Z\n"
    "organizations: [{domain: acme.example, name: Acme}, {domain: port.example, name: Port}]\n"
    "people:\n"
    "  - {email: ada@acme.example, name: Ada}\n"
    "  - {email: eve@acme.example, name: Eve}\n"
    "  - {email: bob@port.example, name: Bob}\n"
    "  - {email: alice@acme.example, name: Alice}\n"
    "accounts:\n"
    "  - {actor: bob@port.example, vendor: microsoft}\n"
    "workspaces:\n"
    "  - id: T0ACME\n"
    "    domain: acme\n"
    "    name: Acme\n"
    "    members:\n"
    "      - {actor: alice@acme.example, id: U0ALICE, name: alice, role: owner}\n"
    "channels:\n"
    "  - {id: C0GENERAL, name: general, general: true, creator: U0ALICE}\n";

#define ADA   "ada@acme.example" /* at Google, as Eve is */
#define EVE   "eve@acme.example"
#define BOB   "bob@port.example"   /* at Microsoft */
#define ALICE "alice@acme.example" /* at Slack */

#define GMAIL    "gmail.googleapis.com"
#define CALENDAR "www.googleapis.com"
#define GRAPH    "graph.microsoft.com"
#define SLACK    "slack.com"

static inline int guard_open(void **state)
{
    (void)state;
    return test_open(guard_people);
}

static inline int guard_close(void **state)
{
    (void)state;
    return test_close();
}

/* A call by somebody, with a body of JSON in which ' stands for ", or of a form; gives its status.
 * The response is test_response. more: a further header; NULL: none. */
static inline int call_with(uint64_t world, const char *who, const char *host, const char *method,
                            const char *target, const char *body, const struct sosia_header *more)
{
    bool json = body && *body == '{';
    const char *text = !body ? "" : json ? quoted(body) : body;
    struct sosia_header headers[4] = {
        {"Host", host},
        {"Authorization", test_bearer(who, NULL)},
        {"Content-Type", json ? "application/json" : "application/x-www-form-urlencoded"}};
    if (more)
        headers[3] = *more;
    test_call(world, &(struct sosia_request){.method = method,
                                             .target = target,
                                             .headers = headers,
                                             .n_headers = more ? 4 : 3,
                                             .body = text,
                                             .body_len = strlen(text)});
    return test_response->status;
}

static inline int call_as(const char *who, const char *host, const char *method, const char *target,
                          const char *body)
{
    return call_with(test_world, who, host, method, target, body, NULL);
}

/* Ada sends a letter to Eve. */
static inline int send_letter(const char *subject)
{
    const char *raw =
        arena_printf(&test_arena, "To: eve@acme.example\r\nSubject: %s\r\n\r\nHello\r\n", subject);
    char *text = arena_alloc(&test_arena, 2 * strlen(raw) + 8);
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    size_t n = 0, len = strlen(raw);
    for (size_t i = 0; i < len; i += 3) {
        unsigned v = (unsigned)(unsigned char)raw[i] << 16 |
                     (i + 1 < len ? (unsigned)(unsigned char)raw[i + 1] << 8 : 0) |
                     (i + 2 < len ? (unsigned char)raw[i + 2] : 0u);
        for (int k = 0; k < 4 && i + (size_t)k <= len; k++)
            text[n++] = digits[v >> (18 - 6 * k) & 63];
    }
    text[n] = 0;
    return call_as(ADA, GMAIL, "POST", "/gmail/v1/users/me/messages/send",
                   arena_printf(&test_arena, "{'raw':'%s'}", text));
}

static inline const struct json *answer_body(void)
{
    return parsed(test_response->body, test_response->body_len);
}

/* How many letters Eve has. */
static inline long letters_of_eve(uint64_t world)
{
    assert_int_equal(call_with(world, EVE, GMAIL, "GET", "/gmail/v1/users/me/messages", NULL, NULL),
                     200);
    return number_at(answer_body(), "resultSizeEstimate");
}

/* Sets the faults, or the budgets, of the world; ' stands for ". */
static inline void use_faults(const char *doc)
{
    const char *text = doc ? quoted(doc) : NULL;
    if (sosia_world_faults(test_engine, test_world, text, text ? strlen(text) : 0, "faults.json",
                           &test_err) < 0)
        fail_msg("faults: %s", test_err.text);
}

static inline void use_budgets(const char *doc)
{
    const char *text = doc ? quoted(doc) : NULL;
    if (sosia_world_budgets(test_engine, test_world, text, text ? strlen(text) : 0, "budgets.json",
                            &test_err) < 0)
        fail_msg("budgets: %s", test_err.text);
}

/* A fault of all calls, "'fault':'reset'". */
static inline void use_fault(const char *fault)
{
    use_faults(arena_printf(&test_arena, "{'faults':1,'rules':[{'name':'test',%s}]}", fault));
}

static inline const char *response_header(const char *name)
{
    for (size_t i = 0; i < test_response->n_headers; i++)
        if (strcasecmp(test_response->headers[i].name, name) == 0)
            return test_response->headers[i].value;
    return "";
}

#define guard_test(f) cmocka_unit_test_setup_teardown(f, guard_open, guard_close)

#endif
