/* SPDX-License-Identifier: Apache-2.0 */
/* Policies of tools, batches and webhooks; policies held against calls that were made; cases. */
#include "tests/guard/ruled.h"

/* ---- models ---- */

static const struct json *mcp(const char *message)
{
    struct sosia_header headers[] = {{"Authorization", test_bearer(ADA, NULL)},
                                     {"Content-Type", "application/json"},
                                     {"Accept", "application/json, text/event-stream"}};
    const char *text = quoted(message);
    return test_request("POST", "/mcp", headers, SOSIA_LEN(headers), text, strlen(text));
}

static void lists_and_calls_of_tools_agree(void **state)
{
    set("policy: 1\nname: p\notherwise: allow\nrules:\n"
        "  - {effect: deny, call: {method: calendar.events.delete}}\n"
        "  - {effect: deny, call: {tool: calendar_events_insert}}\n"
        "  - {effect: deny, call: {method: calendar.events.patch, arguments: {body.summary: "
        "x}}}\n");
    mcp("{'jsonrpc':'2.0','id':1,'method':'tools/list'}");
    assert_null(strstr(test_body, "\"calendar_events_delete\""));
    assert_null(strstr(test_body, "\"calendar_events_insert\""));
    assert_non_null(strstr(test_body, "\"calendar_events_patch\""));
    assert_non_null(strstr(test_body, "\"calendar_events_list\""));
    const char *before = hash();
    mcp("{'jsonrpc':'2.0','id':1,'method':'tools/call','params':{'name':'calendar_events_delete',"
        "'arguments':{'calendarId':'primary','eventId':'old00'}}}");
    assert_non_null(strstr(test_body, "not permitted"));
    mcp("{'jsonrpc':'2.0','id':1,'method':'tools/call','params':{'name':'calendar_events_insert',"
        "'arguments':{'calendarId':'primary','body':" EVENT("x") "}}}");
    assert_non_null(strstr(test_body, "not permitted"));
    assert_string_equal(hash(), before);
    ada("POST", EVENTS, EVENT("x")); /* by the method itself it is allowed */
    assert_int_equal(test_status, 200);
}

/* Each part of a batch is a call of its own. */
static void parts_of_batches_are_judged(void **state)
{
    test_use(DOC);
    set("policy: 1\nname: p\notherwise: allow\nrules: [{id: r, effect: deny, call: {vendor: "
        "microsoft, risk: [write, external, destructive]}}]\n");
    const char *before = hash();
    ask(KIM, "graph.microsoft.com", "POST", "/v1.0/$batch",
        quoted("{'requests':[{'id':'1','method':'GET','url':'/me/events'},"
               "{'id':'2','method':'POST','url':'/me/events','headers':{'Content-Type':"
               "'application/json'},'body':{'subject':'Hello','start':{'dateTime':"
               "'2026-11-25T10:00:00','timeZone':'UTC'},'end':{'dateTime':'2026-11-25T11:00:00',"
               "'timeZone':'UTC'}}}]}"));
    assert_int_equal(test_status, 200);
    assert_non_null(strstr(test_body, "\"status\":403"));
    assert_non_null(strstr(test_body, "\"status\":200"));
    assert_string_equal(hash(), before);
}

/* An address that posts for an app by the secret in it does not lead round the rules. */
static void webhooks_are_judged(void **state)
{
    struct sosia_header headers[] = {{"Host", "hooks.slack.com"},
                                     {"Content-Type", "application/json"}};
    static const char url[] = "/services/T0ACME/B0HOOK/abcdefgh12345678",
                      body[] = "{\"text\":\"Hi\"}";
    test_use(arena_printf(&test_arena,
                          "%s"
                          "chatWebhooks: [{id: B0HOOK, app: '1.2', channel: C0DEV, user: U0ADA,\n"
                          "  secret: abcdefgh12345678}]\n",
                          DOC));
    test_request("POST", url, headers, 2, body, strlen(body));
    assert_int_equal(test_status, 200);
    set("policy: 1\nname: p\n");
    const char *before = hash();
    test_request("POST", url, headers, 2, body, strlen(body));
    if (test_status == 200 && !strstr(test_body, "access_denied"))
        fail_msg("%s", test_body);
    assert_string_equal(hash(), before);
}

/* ---- calls that were made, and cases ---- */

static const struct json *taken(struct sosia_blob *blob)
{
    const struct json *v = parsed(arena_memdup(&test_arena, blob->data, blob->len), blob->len);
    sosia_blob_free(blob);
    return v;
}

/* A world whose journal begins now. */
static void begin_run(void)
{
    const struct sosia_fork_options opt = {.set_journal = true, .journal = SOSIA_JOURNAL_ALL};
    assert_int_equal(sosia_world_fork(test_engine, test_world, &opt, &test_world, &test_err), 0);
}

static void a_policy_is_held_against_calls_that_were_made(void **state)
{
    static const char policy[] =
        "policy: 1\nname: p\notherwise: allow\nrules: [{id: no, effect: "
        "deny, call: {arguments: {body.summary: bad}}}, {id: hold, effect: "
        "approve, call: {method: calendar.events.delete}}]\n";
    struct sosia_blob blob;
    begin_run();
    ada("POST", EVENTS, EVENT("good"));
    ada("POST", EVENTS, EVENT("bad"));
    ada("DELETE", EVENTS "/old00", NULL);
    ada("GET", EVENTS, NULL);
    const char *before = hash();
    if (policy_simulate(test_engine, test_world, policy, sizeof policy - 1, "p.yaml", &blob,
                        &test_err) < 0)
        fail_msg("%s", test_err.text);
    const struct json *v = taken(&blob);
    assert_int_equal(number_at(v, "calls"), 4);
    assert_int_equal(number_at(v, "allowed"), 2);
    assert_int_equal(number_at(v, "denied"), 1);
    assert_int_equal(number_at(v, "held"), 1);
    assert_string_equal(text_at(v, "decisions.0.rule"), "no");
    assert_string_equal(text_at(v, "decisions.1.method"), "calendar.events.delete");
    assert_string_equal(hash(), before);
}

static void the_least_policy_lets_its_run_pass_and_nothing_else(void **state)
{
    struct sosia_blob blob;
    uint64_t own = test_world;
    begin_run();
    uint64_t run = test_world;
    ada("GET", EVENTS, NULL);
    ada("POST", EVENTS "?sendUpdates=all",
        "{'summary':'x','start':{'dateTime':'2026-11-25T10:00:00Z'},'end':{'dateTime':"
        "'2026-11-25T11:00:00Z'},'attendees':[{'email':'eve@out.example'}]}");
    assert_int_equal(test_status, 200);
    if (policy_derive(test_engine, run, &blob, &test_err) < 0)
        fail_msg("%s", test_err.text);
    const struct json *v = taken(&blob);
    assert_string_equal(column(v, "methods", ""), "calendar.events.list calendar.events.insert");
    test_world = own;
    set(text_at(v, "policy"));
    ada("GET", EVENTS, NULL);
    assert_int_equal(test_status, 200);
    ada("POST", EVENTS, EVENT("mine"));
    assert_int_equal(test_status, 200);
    ada("POST", EVENTS "?sendUpdates=all",
        "{'summary':'x','start':{'dateTime':'2026-11-25T10:00:00Z'},'end':{'dateTime':"
        "'2026-11-25T11:00:00Z'},'attendees':[{'email':'mal@out.example'}]}");
    assert_int_equal(test_status, 403);
    ada("DELETE", EVENTS "/old00", NULL);
    assert_int_equal(test_status, 403);
}

static int no_fixture(void *arg, const char *name, uint64_t *ret_world, struct sosia_err *err)
{
    *ret_world = test_world;
    return 0;
}

static void cases_are_decided_as_they_say(void **state)
{
    static const char policy[] = "policy: 1\nname: p\nrules: [{id: mine, effect: allow, call: "
                                 "{method: calendar.events.delete}}]\n";
    static const char cases[] =
        "fixture: this\nactor: ada@acme.example\ncases:\n"
        "  - {id: one, call: DELETE " EVENTS "/old00, decision: allow, rule: mine}\n"
        "  - {id: two, call: DELETE " EVENTS "/old00, decision: allow}\n"
        "  - {id: three, call: DELETE /gmail/v1/users/me/messages/1a20000000000001, decision: "
        "deny}\n"
        "  - {id: four, call: GET " EVENTS ", decision: allow}\n";
    const struct cases_options opt = {.fixture = no_fixture};
    struct sosia_blob blob;
    bool good = true;
    if (policy_cases(test_engine, policy, sizeof policy - 1, "p.yaml", cases, sizeof cases - 1,
                     "cases.yaml", &opt, &blob, &good, &test_err) < 0)
        fail_msg("%s", test_err.text);
    const struct json *v = taken(&blob);
    assert_false(good);
    assert_int_equal(number_at(v, "good"), 3);
    assert_int_equal(number_at(v, "bad"), 1);
    assert_string_equal(text_at(v, "cases.2.decision"), "approve");
    static const char wrong[] = "fixture: this\ncases:\n  - {call: 'DELETE nothing'}\n";
    assert_int_equal(policy_cases(test_engine, policy, sizeof policy - 1, "p.yaml", wrong,
                                  sizeof wrong - 1, "cases.yaml", &opt, &blob, &good, &test_err),
                     -1);
    assert_non_null(strstr(test_err.text, "cases.yaml:3: cases[0].call"));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, open_world, close_world)
    const struct CMUnitTest tests[] = {
        TEST(lists_and_calls_of_tools_agree),
        TEST(parts_of_batches_are_judged),
        TEST(webhooks_are_judged),
        TEST(a_policy_is_held_against_calls_that_were_made),
        TEST(the_least_policy_lets_its_run_pass_and_nothing_else),
        TEST(cases_are_decided_as_they_say),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
