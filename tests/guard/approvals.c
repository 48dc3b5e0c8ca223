/* SPDX-License-Identifier: Apache-2.0 */
/* Calls that wait for a decision: the ten invariants, scripted approvers, and what journals have.
 */
#include "tests/guard/held.h"

/* ---- the invariants ---- */

/* 1, and what an approver is shown. */
static void a_decision_is_bound_to_canonical_arguments(void **state)
{
    assert_int_equal(ada("POST", EVENTS, EVENT("A")), 403);
    const char *action = held();
    const struct json *a = action_of(action);
    assert_string_equal(text_at(a, "state"), "held");
    assert_string_equal(text_at(a, "actor"), ADA);
    assert_string_equal(text_at(a, "method"), "calendar.events.insert");
    assert_string_equal(text_at(a, "arguments.body.summary"), "A");
    assert_string_equal(text_at(a, "rule"), "hold");
    assert_string_equal(text_at(a, "outcome.changes.0.change"), "added");
    assert_string_equal(text_at(a, "outcome.changes.0.value.summary"), "A");
    assert_int_equal(decide(action, "approve", NULL), 0);
    /* Something else is something else. */
    assert_int_equal(ada("POST", EVENTS, EVENT("B")), 403);
    assert_string_not_equal(held(), action);
    assert_int_equal(ask("bob@acme.example", "POST", EVENTS, EVENT("A")), 403);
    assert_string_not_equal(held(), action);
    assert_int_equal(ada("POST", EVENTS "?sendUpdates=all", EVENT("A")), 403);
    assert_string_not_equal(held(), action);
    assert_int_equal(events(), 1);
    /* The same in other words is the same. */
    assert_int_equal(ada("POST", EVENTS, EVENT_AGAIN), 200);
    assert_int_equal(events(), 2);
}

/* 2 */
static void a_decision_is_bound_to_what_the_approver_saw(void **state)
{
    assert_int_equal(ada("DELETE", EVENTS "/old00", NULL), 403);
    const char *action = held();
    assert_string_equal(text_at(action_of(action), "outcome.changes.0.value.summary"), "Old");
    assert_int_equal(decide(action, "approve", NULL), 0);
    /* What it would delete is another thing by now. */
    assert_int_equal(ada("PUT", EVENTS "/old00", EVENT("Other")), 200);
    assert_int_equal(ada("DELETE", EVENTS "/old00", NULL), 403);
    assert_string_equal(held(), action);
    assert_string_equal(text_at(action_of(action), "state"), "held");
    assert_string_equal(text_at(action_of(action), "outcome.changes.0.value.summary"), "Other");
    assert_int_equal(decide(action, "approve", NULL), 0);
    assert_int_equal(ada("DELETE", EVENTS "/old00", NULL), 204);
    /* So it is under another policy. */
    assert_int_equal(ada("POST", EVENTS, EVENT("A")), 403);
    action = held();
    assert_int_equal(decide(action, "approve", NULL), 0);
    set(POLICY "version: '2'\n");
    assert_int_equal(ada("POST", EVENTS, EVENT("A")), 403);
    assert_string_equal(text_at(action_of(action), "state"), "held");
}

/* 3 and 9 */
static void an_action_is_executed_once(void **state)
{
    assert_int_equal(ada("POST", EVENTS, EVENT("A")), 403);
    const char *action = held();
    assert_int_equal(ada("POST", EVENTS, EVENT("A")), 403); /* attaches to it */
    assert_string_equal(held(), action);
    assert_int_equal(how_many(), 1);
    assert_int_equal(decide(action, "approve", NULL), 0);
    assert_int_equal(decide(action, "approve", NULL), -1);
    assert_int_equal(test_err.code, SOSIA_E_CONFLICT);
    assert_int_equal(ada("POST", EVENTS, EVENT("A")), 200);
    const char *first = arena_strdup(&test_arena, test_body);
    assert_string_equal(text_at(action_of(action), "state"), "executed");
    const char *before = hash();
    /* A caller that lost the answer gets it again. */
    assert_int_equal(ada("POST", EVENTS, EVENT("A")), 200);
    assert_string_equal(test_body, first);
    assert_string_equal(hash(), before);
    assert_int_equal(events(), 2);
    assert_int_equal(decide(action, "approve", NULL), -1);
    /* When its time is over, the same is asked anew. */
    test_advance(3601);
    assert_int_equal(ada("POST", EVENTS, EVENT("A")), 403);
    assert_string_not_equal(held(), action);
}

/* 4 and 5 */
static void time_over_denies(void **state)
{
    set(POLICY "approvals: {expires_seconds: 60}\n");
    assert_int_equal(ada("POST", EVENTS, EVENT("A")), 403);
    const char *action = held();
    test_advance(60);
    assert_string_equal(text_at(action_of(action), "state"), "expired");
    assert_int_equal(decide(action, "approve", NULL), -1);
    assert_int_equal(test_err.code, SOSIA_E_CONFLICT);
    assert_string_equal(test_err.reason, "expired");
    /* What was approved in time and not used is over too. */
    assert_int_equal(ada("POST", EVENTS, EVENT("A")), 403);
    action = held();
    assert_int_equal(decide(action, "approve", NULL), 0);
    test_advance(60);
    assert_int_equal(ada("POST", EVENTS, EVENT("A")), 403);
    assert_string_not_equal(held(), action);
    assert_int_equal(events(), 1);
}

/* 6: a file of the world has them, and so have forks and snapshots. */
static void actions_survive_with_their_world(void **state)
{
    uint64_t own = test_world, fork, copy;
    assert_int_equal(ada("POST", EVENTS, EVENT("A")), 403);
    const char *action = held();
    assert_int_equal(sosia_world_snapshot(test_engine, own, NULL, &copy, &test_err), 0);
    assert_int_equal(sosia_world_fork(test_engine, copy, NULL, &fork, &test_err), 0);
    test_world = fork;
    assert_int_equal(decide(action, "approve", NULL), 0);
    assert_int_equal(ada("POST", EVENTS, EVENT("A")), 200);
    test_world = own; /* the fork's decision is not this world's */
    assert_string_equal(text_at(action_of(action), "state"), "held");
    assert_int_equal(test_import_changed(NULL, &copy), 0);
    test_world = copy;
    assert_int_equal(decide(action, "approve", NULL), 0);
    assert_int_equal(ada("POST", EVENTS, EVENT("A")), 200);
    assert_int_equal(events(), 2);
}

/* 8, but for the name; and held calls change nothing that a hash, a diff or a dump has. */
static void refusals_say_nothing_but_the_name(void **state)
{
    const char *before = hash();
    assert_int_equal(ada("POST", EVENTS, EVENT("A")), 403);
    const char *one = held();
    assert_non_null(
        strstr(test_body, arena_printf(&test_arena, "This call is held for approval as %s.", one)));
    assert_null(strstr(test_body, "hold\""));
    assert_int_equal(ada("DELETE", EVENTS "/old00", NULL), 403);
    assert_non_null(strstr(
        test_body, arena_printf(&test_arena, "This call is held for approval as %s.", held())));
    assert_string_equal(hash(), before);
    struct sosia_blob diff;
    const struct sosia_diff_options opt = {.all = true};
    assert_int_equal(sosia_diff(test_engine, 0, test_world, &opt, &diff, &test_err), 0);
    assert_non_null(strstr(diff.data, "\"changes\": []"));
    sosia_blob_free(&diff);
}

static void a_rejected_action_stays_refused(void **state)
{
    assert_int_equal(ada("POST", EVENTS, EVENT("A")), 403);
    const char *action = held();
    assert_int_equal(decide(action, "reject", NULL), 0);
    assert_int_equal(ada("POST", EVENTS, EVENT("A")), 403);
    assert_string_equal(held(), action);
    assert_string_equal(text_at(action_of(action), "state"), "rejected");
    assert_int_equal(decide(action, "approve", NULL), -1);
    assert_int_equal(how_many(), 1);
}

static void an_edited_action_is_executed_as_edited(void **state)
{
    assert_int_equal(ada("POST", EVENTS, EVENT("A")), 403);
    const char *action = held();
    assert_int_equal(decide(action, "edit", NULL), -1);
    assert_int_equal(decide(action, "edit", "[]"), -1);
    assert_int_equal(decide(action, "edit", "{\"body.*\": 1}"), -1);
    assert_int_equal(decide(action, "approve", "{\"body.summary\": \"B\"}"), -1);
    assert_int_equal(
        decide(action, "edit", "{\"body.summary\": \"B\", \"body.location\": \"Rome\"}"), 0);
    assert_int_equal(ada("POST", EVENTS, EVENT("A")), 200);
    assert_non_null(strstr(test_body, "\"summary\": \"B\""));
    assert_non_null(strstr(test_body, "\"location\": \"Rome\""));
}

static void what_nobody_holds_is_not_decided(void **state)
{
    assert_int_equal(decide("act_0000000000000000", "approve", NULL), -1);
    assert_int_equal(test_err.code, SOSIA_E_NOT_FOUND);
    assert_int_equal(ada("POST", EVENTS, EVENT("A")), 403);
    assert_int_equal(decide(held(), "perhaps", NULL), -1);
    assert_int_equal(test_err.code, SOSIA_E_INVALID);
}

/* 10 */
static void nothing_unapproved_rides_in_a_batch(void **state)
{
    struct sosia_header headers[] = {{"Authorization", test_bearer(ADA, NULL)},
                                     {"Content-Type", "multipart/mixed; boundary=b"}};
    static const char body[] =
        "--b\r\nContent-Type: application/http\r\n\r\nGET " EVENTS "/old00\r\n"
        "\r\n--b\r\nContent-Type: application/http\r\n\r\nDELETE " EVENTS "/old00\r\n\r\n--b--\r\n";
    const char *before = hash();
    test_request("POST", "/batch/calendar/v3", headers, 2, body, strlen(body));
    assert_non_null(strstr(test_body, "200 OK"));
    assert_non_null(strstr(test_body, "403 Forbidden"));
    assert_non_null(strstr(test_body, "act_"));
    assert_string_equal(hash(), before);
}

/* What is kept of an answer is what its caller was given. */
static void a_returned_answer_is_covered_too(void **state)
{
    set("policy: 1\nname: q\notherwise: allow\nrules: [{effect: redact, fields: [summary]}]\n");
    assert_int_equal(ada("POST", EVENTS, EVENT("Secret")), 403);
    assert_int_equal(decide(held(), "approve", NULL), 0);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(ada("POST", EVENTS, EVENT("Secret")), 200);
        assert_non_null(strstr(test_body, "[redacted]"));
        assert_null(strstr(test_body, "Secret"));
    }
}

/* ---- scripts ---- */

static void scripts_decide_by_rule_and_by_the_worlds_clock(void **state)
{
    set(POLICY "approvals: {script: [\n"
               "  {call: {arguments: {body.summary: no}}, decide: reject},\n"
               "  {call: {arguments: {body.summary: now}}, decide: approve},\n"
               "  {call: {arguments: {body.summary: other}}, decide: approve,\n"
               "   arguments: {body.summary: better}},\n"
               "  {rule: hold, after_seconds: 30, decide: approve, comment: late}]}\n");
    assert_int_equal(ada("POST", EVENTS, EVENT("no")), 403);
    assert_string_equal(text_at(action_of(held()), "state"), "rejected");
    assert_int_equal(ada("POST", EVENTS, EVENT("now")), 403);
    assert_string_equal(text_at(action_of(held()), "by"), "script");
    assert_int_equal(ada("POST", EVENTS, EVENT("now")), 200);
    assert_int_equal(ada("POST", EVENTS, EVENT("other")), 403);
    assert_int_equal(ada("POST", EVENTS, EVENT("other")), 200);
    assert_non_null(strstr(test_body, "\"better\""));
    assert_int_equal(ada("POST", EVENTS, EVENT("A")), 403);
    const char *action = held();
    assert_int_equal(ada("POST", EVENTS, EVENT("A")), 403);
    test_advance(29);
    assert_int_equal(ada("POST", EVENTS, EVENT("A")), 403);
    test_advance(1);
    assert_int_equal(ada("POST", EVENTS, EVENT("A")), 200);
    assert_string_equal(text_at(action_of(action), "comment"), "late");
}

/* ---- the journal ---- */

static void journals_have_each_step_and_run_again(void **state)
{
    struct sosia_blob blob;
    const struct sosia_replay_options opt = {0};
    ada("POST", EVENTS, EVENT("A"));
    assert_int_equal(decide(held(), "approve", NULL), 0);
    ada("POST", EVENTS, EVENT("A"));
    ada("POST", EVENTS, EVENT("A"));
    assert_int_equal(sosia_journal_list(test_engine, test_world, 0, 0, false, &blob, &test_err), 0);
    assert_non_null(strstr(blob.data, "\"proposed\""));
    if (!strstr(blob.data, "\"approval\""))
        fail_msg("%s", blob.data);
    assert_non_null(strstr(blob.data, "\"executed\""));
    assert_non_null(strstr(blob.data, "\"returned\""));
    sosia_blob_free(&blob);
    assert_int_equal(sosia_journal_replay(test_engine, test_world, &opt, NULL, &blob, &test_err),
                     0);
    if (!strstr(blob.data, "\"differences\": []"))
        fail_msg("%s", blob.data);
    sosia_blob_free(&blob);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, open_world, close_world)
    const struct CMUnitTest tests[] = {
        TEST(a_decision_is_bound_to_canonical_arguments),
        TEST(a_decision_is_bound_to_what_the_approver_saw),
        TEST(an_action_is_executed_once),
        TEST(time_over_denies),
        TEST(actions_survive_with_their_world),
        TEST(refusals_say_nothing_but_the_name),
        TEST(a_rejected_action_stays_refused),
        TEST(an_edited_action_is_executed_as_edited),
        TEST(what_nobody_holds_is_not_decided),
        TEST(nothing_unapproved_rides_in_a_batch),
        TEST(a_returned_answer_is_covered_too),
        TEST(scripts_decide_by_rule_and_by_the_worlds_clock),
        TEST(journals_have_each_step_and_run_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
