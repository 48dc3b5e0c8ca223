/* SPDX-License-Identifier: Apache-2.0 */
/* Programs of calls that a policy holds: each runs once, beside the world; what it left is what is
 * approved of, and is applied by the same call without another run. */
#include "sandbox/runner.h"
#include "services/workspace/core/program.h"
#include "tests/sandbox/kept.h"
#include "tests/support/mcp.h"
#include "tests/support/unit.h"
#include <stdio.h>

#define ADA "ada@acme.example"
#define DOC                                                                                        \
    "{\"sosia\":1,\"time\":\"2026-11-23T08:00:00Z\",\"people\":[{\"email\":\"" ADA                 \
    "\",\"name\":\"Ada\"}],\"workspace\":[{\"path\":\"a.txt\",\"text\":\"one\\n\"}]}"
#define RULES(more)                                                                                \
    "policy: 1\nname: p\notherwise: allow\nrules: [{id: programs, effect: approve, call: "         \
    "{method: programs.run}}]\n" more

static int set_up(void **state)
{
    (void)state;
    return kept_open(DOC);
}

static int tear_down(void **state)
{
    (void)state;
    return kept_close();
}

static void set(const char *policy)
{
    if (sosia_policy_set(test_engine, test_world, policy, strlen(policy), "p", NULL, &test_err) < 0)
        fail_msg("%s", test_err.text);
}

/* A script by a shell, without quotation marks in it; its status. */
static int shell(const char *script)
{
    const struct sosia_header headers[] = {{"Authorization", test_bearer(ADA, NULL)},
                                           {"Content-Type", "application/json"}};
    const char *body = arena_printf(&test_arena, "{\"argv\":[\"sh\",\"-c\",\"%s\"]}", script);
    test_request("POST", PROGRAM_PATH, headers, 2, body, strlen(body));
    return test_status;
}

/* The text of a file of the workspace; NULL: there is none. */
static const char *file(const char *path)
{
    const struct json *list = json_get(test_dump(), "workspace");
    for (uint32_t i = 0; list && i < list->n; i++) {
        const char *at = json_get_str(&list->items[i], "path");
        if (at && strcmp(at, path) == 0)
            return arena_strdup(&test_arena, json_get_str(&list->items[i], "text"));
    }
    return NULL;
}

static const char *hash(void)
{
    char hex[65];
    assert_int_equal(sosia_world_hash(test_engine, test_world, hex, &test_err), 0);
    return arena_strdup(&test_arena, hex);
}

/* The only action there is, as lists have it with its outcome. */
static const struct json *action(void)
{
    const struct json *v;
    struct sosia_blob blob;
    assert_int_equal(sosia_approval_list(test_engine, test_world, NULL, NULL, &blob, &test_err), 0);
    const char *text = arena_memdup(&test_arena, blob.data, blob.len);
    sosia_blob_free(&blob);
    assert_int_equal(json_parse(&test_arena, text, strlen(text), NULL, &v, &test_err), 0);
    assert_int_equal(json_get(v, "approvals")->n, 1);
    const char *name = text_at(v, "approvals.0.action");
    assert_int_equal(sosia_approval_list(test_engine, test_world, name, NULL, &blob, &test_err), 0);
    text = arena_memdup(&test_arena, blob.data, blob.len);
    sosia_blob_free(&blob);
    assert_int_equal(json_parse(&test_arena, text, strlen(text), NULL, &v, &test_err), 0);
    return value_at(v, "approvals.0");
}

static void decide(const char *what, const char *arguments)
{
    if (sosia_approval_decide(test_engine, test_world, text_at(action(), "action"), what, arguments,
                              "marta", NULL, &test_err) < 0)
        fail_msg("%s", test_err.text);
}

/* Random, so that a second run would leave something else. */
#define MAKE "cat /proc/sys/kernel/random/uuid >made; echo said"

static void what_it_left_is_applied_without_another_run(void **state)
{
    NEEDS_SANDBOX();
    set(RULES(""));
    const char *before = hash();
    assert_int_equal(shell(MAKE), 403);
    assert_non_null(strstr(test_body, "held for approval as act_"));
    assert_string_equal(hash(), before);
    assert_null(file("made"));
    const char *shown = json_to_text(&test_arena, json_get(action(), "outcome"));
    assert_int_equal(shell(MAKE), 403); /* attaches */
    assert_string_equal(json_to_text(&test_arena, json_get(action(), "outcome")), shown);
    decide("approve", NULL);
    kept_end(); /* nobody runs programs any more */
    assert_int_equal(shell(MAKE), 200);
    assert_non_null(strstr(test_body, "\"stdout\":\"said\\n\""));
    const char *made = file("made");
    assert_non_null(made);
    assert_int_equal(strlen(made), 37);
    if (!strstr(shown, arena_printf(&test_arena, "%.36s", made)))
        fail_msg("%s was not shown: %s", made, shown);
    const char *answer = arena_strdup(&test_arena, test_body), *after = hash();
    assert_int_equal(shell(MAKE), 200); /* executed once */
    assert_string_equal(test_body, answer);
    assert_string_equal(hash(), after);
}

static void a_rejected_one_changes_nothing_and_does_not_run_again(void **state)
{
    NEEDS_SANDBOX();
    set(RULES(""));
    const char *before = hash();
    assert_int_equal(shell(MAKE), 403);
    decide("reject", NULL);
    kept_end();
    assert_int_equal(shell(MAKE), 403);
    assert_non_null(strstr(test_header("X-Sosia-Guard"), "rejected"));
    assert_string_equal(hash(), before);
}

static void what_has_moved_is_shown_again(void **state)
{
    NEEDS_SANDBOX();
    set(RULES(""));
    static const char *const script = "echo two >>a.txt";
    assert_int_equal(shell(script), 403);
    decide("approve", NULL);
    const char *seed = "{\"sosia\":1,\"workspace\":[{\"path\":\"other.txt\",\"text\":\"x\"}]}";
    assert_int_equal(sosia_world_seed(test_engine, test_world, seed, strlen(seed), "d", &test_err),
                     0);
    assert_int_equal(shell(script), 200); /* that is not among what it does */
    assert_string_equal(file("a.txt"), "one\ntwo\n");
}

static void a_file_that_was_changed_meanwhile_wants_a_second_decision(void **state)
{
    NEEDS_SANDBOX();
    set(RULES(""));
    assert_int_equal(shell("echo new >b.txt"), 403);
    decide("approve", NULL);
    set("policy: 1\nname: p\notherwise: allow\nrules: []\n");
    assert_int_equal(shell("echo older >b.txt"), 200);
    set(RULES(""));
    assert_int_equal(shell("echo new >b.txt"), 403); /* it would overwrite something now */
    assert_string_equal(text_at(action(), "state"), "held");
    assert_string_equal(file("b.txt"), "older\n");
    decide("approve", NULL);
    assert_int_equal(shell("echo new >b.txt"), 200);
    assert_string_equal(file("b.txt"), "new\n");
}

static void edited_arguments_run_anew(void **state)
{
    NEEDS_SANDBOX();
    set(RULES(""));
    assert_int_equal(shell("echo one >c.txt"), 403);
    decide("edit", "{\"body.argv\": [\"sh\", \"-c\", \"echo checked >c.txt\"]}");
    assert_int_equal(shell("echo one >c.txt"), 200);
    assert_string_equal(file("c.txt"), "checked\n");
}

static void forks_and_replays_have_what_it_left(void **state)
{
    NEEDS_SANDBOX();
    struct sosia_replay_options opt = {.size = sizeof opt, .keep = true};
    struct sosia_blob report;
    uint64_t fork, again, own = test_world;
    set(RULES(""));
    assert_int_equal(shell(MAKE), 403);
    decide("approve", NULL);
    assert_int_equal(sosia_world_fork(test_engine, test_world, NULL, &fork, &test_err), 0);
    kept_end();
    assert_int_equal(shell(MAKE), 200);
    const char *made = file("made");
    test_world = fork;
    assert_int_equal(shell(MAKE), 200);
    assert_string_equal(file("made"), made);
    test_world = own;
    assert_int_equal(
        sosia_journal_replay(test_engine, test_world, &opt, &again, &report, &test_err), 0);
    if (!strstr(report.data, "\"equal\": true"))
        fail_msg("%s", report.data);
    sosia_blob_free(&report);
}

static void a_call_may_wait_for_what_comes_of_it(void **state)
{
    NEEDS_SANDBOX();
    set(RULES("approvals: {wait_seconds: 60, script: [{after_seconds: 5, by: paul, decide: "
              "approve}]}\n"));
    assert_int_equal(shell(MAKE), 200);
    assert_int_equal(strlen(file("made")), 37);
}

static void a_dry_run_answers_and_changes_nothing(void **state)
{
    NEEDS_SANDBOX();
    set("policy: 1\nname: p\notherwise: allow\nrules: [{effect: dryRun, call: {method: "
        "programs.run}}]\n");
    const char *before = hash();
    assert_int_equal(shell("cat a.txt; rm a.txt"), 200);
    assert_non_null(strstr(test_body, "\"stdout\":\"one\\n\""));
    assert_non_null(strstr(test_body, "\"removed\":1"));
    assert_string_equal(hash(), before);
}

static void it_is_held_by_what_it_left(void **state)
{
    NEEDS_SANDBOX();
    set("policy: 1\nname: p\notherwise: allow\nrules: [{effect: approve, outcome: {diff_type: "
        "removed, entity: workspaceFile}}]\n");
    assert_int_equal(shell("echo two >b.txt"), 200);
    const char *before = hash();
    assert_int_equal(shell("rm a.txt"), 403);
    assert_string_equal(hash(), before);
    decide("approve", NULL);
    kept_end();
    assert_int_equal(shell("rm a.txt"), 200);
    assert_null(file("a.txt"));
}

int main(int argc, char **argv)
{
    int code;
    if (kept_main(argc, argv, &code))
        return code;
#define held_test(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        held_test(what_it_left_is_applied_without_another_run),
        held_test(a_rejected_one_changes_nothing_and_does_not_run_again),
        held_test(what_has_moved_is_shown_again),
        held_test(a_file_that_was_changed_meanwhile_wants_a_second_decision),
        held_test(edited_arguments_run_anew),
        held_test(forks_and_replays_have_what_it_left),
        held_test(a_call_may_wait_for_what_comes_of_it),
        held_test(a_dry_run_answers_and_changes_nothing),
        held_test(it_is_held_by_what_it_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
