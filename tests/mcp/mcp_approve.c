/* SPDX-License-Identifier: Apache-2.0 */
/* Approvals that clients are asked for: those of approvers, and of whose call it is. */
#include "engine/http/stream.h"
#include "tests/mcp/session.h"
#include "tests/support/unit.h"

#define ADA  "ada@acme.example"
#define BOB  "bob@acme.example"
#define EVE  "eve@acme.example"
#define PATH "/mcp/calendar"

static const char doc[] = "sosia: 1\n"
                          "time: 2026-11-23T08:00:00Z\n"
                          "organizations: [{domain: acme.example, name: Acme}]\n"
                          "people:\n"
                          "  - {email: ada@acme.example, name: Ada}\n"
                          "  - {email: bob@acme.example, name: Bob}\n"
                          "  - {email: eve@acme.example, name: Eve}\n"
                          "calendars: [{id: ada@acme.example, events: [\n"
                          "  {id: old00, summary: Old, start: '2026-11-24T10:00'}]}]\n";

#define RULES "rules: [{id: no-new, effect: approve, call: {method: calendar.events.insert}}]\n"

static void set(const char *approvals)
{
    const char *text = arena_printf(
        &test_arena, "policy: 1\nname: p\notherwise: allow\napprovals: %s\n" RULES, approvals);
    if (sosia_policy_set(test_engine, test_world, text, strlen(text), "p.yaml", NULL, &test_err) <
        0)
        fail_msg("%s", test_err.text);
}

static int open_world(void **state)
{
    (void)state;
    if (test_open(doc) < 0)
        return -1;
    set("{approvers: {owners: [bob@acme.example, eve@acme.example, marta]}}");
    return 0;
}

static int close_world(void **state)
{
    (void)state;
    return test_close();
}

static struct sosia_response *listen_to(const struct as *as)
{
    struct as to = *as;
    to.accept = "text/event-stream";
    struct sosia_response *r = request("GET", PATH, &to, NULL);
    assert_int_equal(r->status, 200);
    return r;
}

#define INSERT(id)                                                                                 \
    CALL(id, "calendar_events_insert",                                                             \
         "{\"calendarId\":\"primary\",\"body\":{\"summary\":\"New\",\"start\":{\"dateTime\":"      \
         "\"2026-11-25T10:00:00Z\"},\"end\":{\"dateTime\":\"2026-11-25T11:00:00Z\"}}}")

/* Ada's agent asks for an event; gives what its tool was answered. */
static const char *ask_for_event(void)
{
    struct sosia_response *r = request("POST", PATH, &(struct as){.who = ADA}, INSERT("5"));
    assert_int_equal(r->status, 200);
    const char *text = arena_strdup(&test_arena, r->body);
    sosia_response_free(r);
    return text;
}

static int events_of_ada(void)
{
    struct sosia_header headers[] = {{"Authorization", test_bearer(ADA, NULL)}};
    test_request("GET", "/calendar/v3/calendars/primary/events", headers, 1, "", 0);
    return (int)value_at(parsed(test_body, strlen(test_body)), "items")->n;
}

static const struct json *approval(int at)
{
    struct sosia_blob json;
    assert_int_equal(sosia_approval_list(test_engine, test_world, NULL, NULL, &json, &test_err), 0);
    const struct json *v = parsed(json.data, json.len);
    sosia_blob_free(&json);
    return value_at(v, arena_printf(&test_arena, "approvals.%d", at));
}

static void assert_state(const char *state)
{
    assert_string_equal(json_get_str(approval(0), "state"), state);
}

#define SAYS(decision)                                                                             \
    "\"result\":{\"action\":\"accept\",\"content\":{\"decision\":\"" decision                      \
    "\",\"comment\":\"as agreed\"}}"

static void an_approver_is_asked_on_a_session_of_their_own(void **state)
{
    struct as bob = {.who = BOB, .session = session_of(PATH, BOB)};
    struct sosia_response *r = listen_to(&bob);
    (void)state;
    const char *first = ask_for_event();
    assert_true(has(first, "This call is held for approval as act_"));
    assert_false(has(first, "no-new"));
    const char *text = taken(r, NULL);
    assert_true(has(text, "\"method\":\"elicitation/create\""));
    assert_true(
        has(text, "\"requestedSchema\":{\"type\":\"object\",\"properties\":{\"decision\":"));
    assert_true(has(text, "ada@acme.example asks for calendar.events.insert"));
    assert_true(has(text, "rule no-new"));
    assert_true(has(text, "New"));
    assert_int_equal(answer(PATH, &bob, asked_id(text), SAYS("approve")), 202);
    assert_state("approved");
    assert_string_equal(json_get_str(approval(0), "by"), BOB);
    assert_string_equal(json_get_str(approval(0), "via"), "elicitation");
    assert_string_equal(json_get_str(approval(0), "comment"), "as agreed");
    assert_int_equal(events_of_ada(), 1);
    assert_false(has(ask_for_event(), "\"isError\":true"));
    assert_false(has(ask_for_event(), "\"isError\":true")); /* the answer of then */
    assert_int_equal(events_of_ada(), 2);
    sosia_response_free(r);
}

static void who_declines_rejects_and_who_cancels_decides_nothing(void **state)
{
    struct as bob = {.who = BOB, .session = session_of(PATH, BOB)};
    static const char *const nothing[] = {
        "\"result\":{\"action\":\"cancel\"}",
        "\"result\":{\"action\":\"accept\"}",
        "\"result\":{\"action\":\"accept\",\"content\":{\"decision\":\"maybe\"}}",
        "\"result\":{}",
        "\"result\":7",
        "\"error\":{\"code\":-1,\"message\":\"no\"}"};
    (void)state;
    ask_for_event();
    for (size_t i = 0; i < SOSIA_LEN(nothing); i++) { /* a stream that begins is asked anew */
        struct sosia_response *r = listen_to(&bob);
        assert_int_equal(answer(PATH, &bob, asked_id(taken(r, NULL)), nothing[i]), 202);
        assert_state("held");
        sosia_response_free(r);
    }
    struct sosia_response *r = listen_to(&bob);
    assert_int_equal(
        answer(PATH, &bob, asked_id(taken(r, NULL)), "\"result\":{\"action\":\"decline\"}"), 202);
    assert_state("rejected");
    assert_true(has(ask_for_event(), "\"rejected\""));
    sosia_response_free(r);
}

static void nobody_else_is_asked_and_no_answer_is_taken_from_them(void **state)
{
    struct as bob = {.who = BOB, .session = session_of(PATH, BOB)};
    struct as own = {.who = ADA, .session = session_of(PATH, ADA)};
    struct sosia_response *to_bob = listen_to(&bob), *to_own = listen_to(&own);
    (void)state;
    set("{approvers: {owners: [bob@acme.example, ada@acme.example]}}");
    ask_for_event();
    assert_false(has(taken(to_own, NULL), "elicitation")); /* whose call it is */
    const char *id = arena_strdup(&test_arena, asked_id(taken(to_bob, NULL)));
    assert_int_equal(answer(PATH, &own, id, SAYS("approve")), 202);
    assert_state("held");
    struct as eve = {.who = EVE, .session = session_of(PATH, EVE)};
    struct sosia_response *to_eve = listen_to(&eve);
    assert_string_equal(taken(to_eve, NULL), ""); /* who is not an approver */
    assert_int_equal(answer(PATH, &eve, id, SAYS("approve")), 202);
    assert_int_equal(answer(PATH, &bob, "sosia-9999", SAYS("approve")), 202);
    assert_state("held");
    set("{approvers: {owners: [eve@acme.example]}}"); /* by now he is none */
    assert_int_equal(answer(PATH, &bob, id, SAYS("approve")), 202);
    assert_state("held");
    sosia_response_free(to_bob);
    sosia_response_free(to_own);
    sosia_response_free(to_eve);
}

static void what_was_handed_on_is_asked_of_whom_it_was_handed_to(void **state)
{
    struct as bob = {.who = BOB, .session = session_of(PATH, BOB)};
    struct as eve = {.who = EVE, .session = session_of(PATH, EVE)};
    struct sosia_response *to_bob = listen_to(&bob), *to_eve = listen_to(&eve);
    (void)state;
    ask_for_event();
    const char *id = arena_strdup(&test_arena, asked_id(taken(to_bob, NULL)));
    taken(to_eve, NULL);
    assert_int_equal(sosia_approval_decide(test_engine, test_world,
                                           json_get_str(approval(0), "action"), "escalate",
                                           "{\"to\":\"eve@acme.example\"}", BOB, NULL, &test_err),
                     0);
    const char *text = taken(to_bob, NULL);
    assert_true(has(text, "\"method\":\"notifications/cancelled\""));
    assert_true(has(text, id));
    assert_int_equal(answer(PATH, &bob, id, SAYS("approve")), 202);
    assert_state("held");
    sosia_response_free(to_eve);
    to_eve = listen_to(&eve);
    assert_int_equal(answer(PATH, &eve, asked_id(taken(to_eve, NULL)), SAYS("approve")), 202);
    assert_state("approved");
    sosia_response_free(to_bob);
    sosia_response_free(to_eve);
}

static void a_question_is_good_once_and_for_what_it_shows(void **state)
{
    struct as bob = {.who = BOB, .session = session_of(PATH, BOB)};
    struct as eve = {.who = EVE, .session = session_of(PATH, EVE)};
    struct sosia_response *to_bob = listen_to(&bob), *to_eve = listen_to(&eve);
    (void)state;
    ask_for_event();
    const char *bobs = arena_strdup(&test_arena, asked_id(taken(to_bob, NULL)));
    const char *eves = arena_strdup(&test_arena, asked_id(taken(to_eve, NULL)));
    assert_int_equal(answer(PATH, &bob, bobs, SAYS("reject")), 202);
    assert_state("rejected");
    assert_true(has(taken(to_eve, NULL), "notifications/cancelled"));
    assert_int_equal(answer(PATH, &eve, eves, SAYS("approve")), 202);
    assert_int_equal(answer(PATH, &bob, bobs, SAYS("approve")), 202);
    assert_state("rejected");
    /* time over denies */
    test_advance(4000);
    ask_for_event();
    bobs = arena_strdup(&test_arena, asked_id(taken(to_bob, NULL)));
    test_advance(4000);
    assert_int_equal(answer(PATH, &bob, bobs, SAYS("approve")), 202);
    assert_string_equal(json_get_str(approval(1), "state"), "expired");
    sosia_response_free(to_bob);
    sosia_response_free(to_eve);
}

static void a_client_without_forms_is_not_asked(void **state)
{
    static const char *const capabilities[] = {"{}", "{\"elicitation\":{\"url\":{}}}"};
    (void)state;
    ask_for_event();
    for (size_t i = 0; i < SOSIA_LEN(capabilities); i++) {
        struct sosia_response *begun = request(
            "POST", PATH, &(struct as){.who = BOB},
            arena_printf(&test_arena,
                         "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{"
                         "\"protocolVersion\":\"2025-11-25\",\"capabilities\":%s,\"clientInfo\":{"
                         "\"name\":\"t\",\"version\":\"1\"}}}",
                         capabilities[i]));
        struct as bob = {.who = BOB, .session = header_of(begun, "Mcp-Session-Id")};
        struct sosia_response *r = listen_to(&bob);
        assert_string_equal(taken(r, NULL), "");
        sosia_response_free(r);
        sosia_response_free(begun);
    }
}

/* ---- whose call it is ---- */

static void a_caller_s_own_client_is_asked_where_a_policy_says_so(void **state)
{
    struct as own = {.who = ADA, .session = session_of(PATH, ADA)};
    bool over;
    (void)state;
    struct sosia_response *r = request("POST", PATH, &own, INSERT("7"));
    assert_null(r->stream); /* off by default */
    sosia_response_free(r);
    test_advance(4000); /* another policy would want another decision */
    set("{approver: client, wait_seconds: 60}");
    r = request("POST", PATH, &own, INSERT("8"));
    const char *text = taken(r, &over);
    assert_false(over);
    assert_true(has(text, "\"method\":\"elicitation/create\""));
    assert_false(has(text, "no-new"));
    assert_int_equal(events_of_ada(), 1);
    assert_int_equal(answer(PATH, &own, asked_id(text), SAYS("approve")), 202);
    text = taken(r, &over);
    assert_true(over);
    assert_true(has(text, "\"id\":8,\"result\":"));
    assert_false(has(text, "\"isError\":true"));
    assert_int_equal(events_of_ada(), 2);
    assert_string_equal(json_get_str(approval(1), "via"), "client");
    assert_string_equal(json_get_str(approval(1), "by"), ADA);
    sosia_response_free(r);
    struct sosia_blob journal;
    assert_int_equal(
        sosia_journal_list(test_engine, test_world, 0, 1000, true, &journal, &test_err), 0);
    assert_true(memmem(journal.data, journal.len, "\"client\"", 8) != NULL);
    sosia_blob_free(&journal);
}

static void a_client_that_says_no_gets_a_refusal(void **state)
{
    struct as own = {.who = ADA, .session = session_of(PATH, ADA)};
    static const char *const answers[] = {"\"result\":{\"action\":\"cancel\"}",
                                          "\"result\":{\"action\":\"decline\"}"};
    static const char *const states[] = {"held", "rejected"};
    bool over;
    (void)state;
    set("{approver: client}");
    for (size_t i = 0; i < SOSIA_LEN(answers); i++) {
        struct sosia_response *r = request("POST", PATH, &own, INSERT("8"));
        assert_int_equal(answer(PATH, &own, asked_id(taken(r, &over)), answers[i]), 202);
        const char *text = taken(r, &over);
        assert_true(over);
        assert_true(has(text, "\"isError\":true"));
        assert_state(states[i]);
        sosia_response_free(r);
    }
    assert_int_equal(events_of_ada(), 1);
}

#define META                                                                                       \
    "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","                       \
    "\"io.modelcontextprotocol/clientCapabilities\":{\"elicitation\":{}},"                         \
    "\"io.modelcontextprotocol/clientInfo\":{\"name\":\"t\",\"version\":\"1\"}}"

static const char *stateless_insert(const char *responses)
{
    struct as own = {
        .who = ADA, .stateless = true, .method = "tools/call", .name = "calendar_events_insert"};
    struct sosia_response *r = request(
        "POST", PATH, &own,
        arena_printf(&test_arena,
                     "{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"tools/call\",\"params\":{"
                     "\"name\":\"calendar_events_insert\",\"arguments\":{\"calendarId\":"
                     "\"primary\",\"body\":{\"summary\":\"New\",\"start\":{\"dateTime\":"
                     "\"2026-11-25T10:00:00Z\"},\"end\":{\"dateTime\":\"2026-11-25T11:00:00Z\"}}}"
                     "%s," META "}}",
                     responses));
    assert_int_equal(r->status, 200);
    const char *text = arena_strdup(&test_arena, r->body);
    sosia_response_free(r);
    return text;
}

static void a_client_without_a_session_answers_with_the_call(void **state)
{
    (void)state;
    set("{approver: client}");
    const char *text = stateless_insert("");
    const struct json *result = value_at(parsed(text, strlen(text)), "result");
    assert_string_equal(json_get_str(result, "resultType"), "input_required");
    const struct json *asks = json_get(result, "inputRequests");
    assert_int_equal(asks->n, 1);
    assert_string_equal(json_get_str(&asks->members[0].value, "method"), "elicitation/create");
    const char *key = asks->members[0].key;
    /* for another outcome than was shown it is not an answer */
    const char *forged =
        arena_printf(&test_arena, "%.*s0000000000000000", (int)strlen(key) - 16, key);
#define ANSWERED                                                                                   \
    ",\"inputResponses\":{\"%s\":{\"action\":\"accept\",\"content\":{\"decision\":\"approve\"}}}"
    assert_true(
        has(stateless_insert(arena_printf(&test_arena, ANSWERED, forged)), "input_required"));
    assert_state("held");
    text = stateless_insert(arena_printf(&test_arena, ANSWERED, key));
    assert_true(has(text, "\"resultType\":\"complete\""));
    assert_false(has(text, "\"isError\":true"));
    assert_int_equal(events_of_ada(), 2);
    set("{}"); /* off again */
    test_advance(4000);
    text = stateless_insert("");
    assert_true(has(text, "\"resultType\":\"complete\""));
    assert_true(has(text, "\"isError\":true"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define T(name) cmocka_unit_test_setup_teardown(name, open_world, close_world)
        T(an_approver_is_asked_on_a_session_of_their_own),
        T(who_declines_rejects_and_who_cancels_decides_nothing),
        T(nobody_else_is_asked_and_no_answer_is_taken_from_them),
        T(what_was_handed_on_is_asked_of_whom_it_was_handed_to),
        T(a_question_is_good_once_and_for_what_it_shows),
        T(a_client_without_forms_is_not_asked),
        T(a_caller_s_own_client_is_asked_where_a_policy_says_so),
        T(a_client_that_says_no_gets_a_refusal),
        T(a_client_without_a_session_answers_with_the_call),
    };
    return cmocka_run_group_tests_name("mcp approve", tests, NULL, NULL);
}
