/* SPDX-License-Identifier: Apache-2.0 */
/* Whose calls policies are asked of: by token and workflow, and where one can't be read. */
#include "engine/base/codec.h"
#include "tests/guard/held.h"
#include <gnutls/crypto.h>

#define BOB "bob@acme.example"

static const char *digest_of(const char *token)
{
    uint8_t sum[32];
    char hex[65];
    assert_int_equal(gnutls_hash_fast(GNUTLS_DIG_SHA256, token, strlen(token), sum), 0);
    hex_encode(hex, sum, sizeof sum);
    return arena_strdup(&test_arena, hex);
}

/* The status of a list of events by a token. */
static int listed(const char *bearer, const char *workflow)
{
    struct sosia_header headers[] = {{"Authorization", bearer},
                                     {"X-Sosia-Label-Workflow", workflow}};
    test_request("GET", EVENTS, headers, workflow ? 2 : 1, "", 0);
    return test_status;
}

static const char *token_of(const char *scopes)
{
    return arena_strdup(&test_arena, test_bearer(ADA, scopes));
}

static void a_policy_may_be_for_single_tokens(void **state)
{
    static const char scope[] = "https://www.googleapis.com/auth/calendar";
    const char *one = token_of(NULL), *other = token_of(scope);
    (void)state;
    assert_string_not_equal(one, other);
    set(arena_printf(&test_arena,
                     "policy: 1\nname: p\notherwise: deny\napplies: {token_sha256: %s}\n",
                     digest_of(one + 7)));
    assert_int_equal(listed(one, NULL), 403);
    assert_int_equal(listed(other, NULL), 200);
    static const char bad[] = "policy: 1\napplies: {token_sha256: abc}\n";
    struct sosia_blob blob;
    assert_int_equal(sosia_policy_check(bad, sizeof bad - 1, "p.yaml", &blob, &test_err), -1);
    assert_non_null(strstr(test_err.text, "p.yaml:2: applies.token_sha256: must be the SHA-256"));
}

static void a_policy_may_be_for_workflows(void **state)
{
    const char *own = token_of(NULL);
    (void)state;
    set("policy: 1\nname: p\notherwise: allow\napplies: {workflow: refunds}\n");
    set("policy: 1\nname: q\notherwise: deny\napplies: {workflow: [triage, 'night-*']}\n");
    assert_int_equal(listed(own, "refunds"), 200);
    assert_int_equal(listed(own, "triage"), 403);
    assert_int_equal(listed(own, "night-shift"), 403);
    /* to leave out what one is about, or to make something up, opens nothing */
    assert_int_equal(listed(own, NULL), 403);
    assert_int_equal(listed(own, "another"), 403);
}

/* Tools have the labels of the message that calls them. */
static void a_tool_is_called_in_the_workflow_of_its_message(void **state)
{
    static const char body[] =
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":"
        "\"calendar_events_list\",\"arguments\":{\"calendarId\":\"primary\"}}}";
    static const char *const workflows[] = {"refunds", "triage"};
    (void)state;
    set("policy: 1\nname: p\notherwise: allow\napplies: {workflow: refunds}\n");
    set("policy: 1\nname: q\notherwise: deny\napplies: {workflow: triage}\n");
    for (size_t i = 0; i < SOSIA_LEN(workflows); i++) {
        struct sosia_header headers[] = {{"Authorization", token_of(NULL)},
                                         {"Content-Type", "application/json"},
                                         {"X-Sosia-Label-Workflow", workflows[i]}};
        test_request("POST", "/mcp/calendar", headers, SOSIA_LEN(headers), body, sizeof body - 1);
        assert_int_equal(strstr(test_body, "\"isError\":true") != NULL, i == 1);
    }
}

/* ---- what can't be read ---- */

static void damage(const char *document)
{
    uint64_t changed;
    set("policy: 1\nname: q\notherwise: allow\napplies: {actor: ada@acme.example}\n");
    assert_int_equal(test_import_changed(arena_printf(&test_arena,
                                                      "update guard_policy set document = '%s' "
                                                      "where name = 'q'",
                                                      document),
                                         &changed),
                     0);
    test_world = changed;
}

static void one_that_cant_be_read_stops_those_whom_it_is_for(void **state)
{
    static const char *const known[] = {
        "policy: 1\nname: q\notherwise: perhaps\napplies: {actor: ada@acme.example}\n",
        "policy: 1\nname: q\nrules: [{effect: allow, call: {method: no.such}}]\n"
        "applies: {actor: ada@acme.example}\n",
        "policy: 2\nname: q\napplies: {actor: [ada@acme.example]}\n"};
    (void)state;
    uint64_t world = test_world;
    for (size_t i = 0; i < SOSIA_LEN(known); i++) {
        test_world = world;
        damage(known[i]);
        assert_int_equal(ask(ADA, "GET", EVENTS, NULL), 403);
        assert_int_equal(ask(ADA, "POST", EVENTS, EVENT("x")), 403);
        assert_int_equal(ask(BOB, "GET", EVENTS, NULL), 200);
    }
}

static void where_that_is_not_known_it_stops_everybody(void **state)
{
    static const char *const unknown[] = {
        "policy: 1\nname: q\nrules: [\napplies: {actor: ada@acme.example}\n",
        "policy: 1\nname: q\naplies: {actor: ada@acme.example}\n",
        "policy: 1\nname: q\notherwise: perhaps\napplies: {actor: 7}\n",
        "policy: 1\nname: q\notherwise: perhaps\napplies: {person: ada@acme.example}\n",
        "policy: 1\nname: q\notherwise: perhaps\n",
        ""};
    (void)state;
    uint64_t world = test_world;
    for (size_t i = 0; i < SOSIA_LEN(unknown); i++) {
        test_world = world;
        damage(unknown[i]);
        assert_int_equal(ask(ADA, "GET", EVENTS, NULL), 403);
        assert_int_equal(ask(BOB, "GET", EVENTS, NULL), 403);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define T(name) cmocka_unit_test_setup_teardown(name, open_world, close_world)
        T(a_policy_may_be_for_single_tokens),
        T(a_policy_may_be_for_workflows),
        T(a_tool_is_called_in_the_workflow_of_its_message),
        T(one_that_cant_be_read_stops_those_whom_it_is_for),
        T(where_that_is_not_known_it_stops_everybody),
    };
    return cmocka_run_group_tests_name("scope", tests, NULL, NULL);
}
