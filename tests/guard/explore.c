/* SPDX-License-Identifier: Apache-2.0 */
#include "guard/faults/explore.h"
#include "tests/guard/guard_world.h"
#include <strings.h>

static const struct json *explored(const struct sosia_explore_options *opt)
{
    struct sosia_blob json;
    if (sosia_explore(test_engine, test_world, opt, &json, &test_err) < 0)
        fail_msg("explore: %s", test_err.text);
    const struct json *report = parsed(json.data, json.len);
    sosia_blob_free(&json);
    return report;
}

/* The finding of a fault and a client; NULL: there is none. */
static const struct json *finding(const struct json *report, const char *fault, const char *client)
{
    const struct json *list = value_at(report, "findings");
    for (uint32_t i = 0; i < list->n; i++) {
        const struct json *f = &list->items[i];
        if (strcmp(text_at(f, "faults.0.fault"), fault) == 0 &&
            strstr(text_at(f, "faults.0.client"), client))
            return f;
    }
    return NULL;
}

static void a_letter_that_is_sent_twice_or_not_at_all(void **state)
{
    assert_int_equal(send_letter("Offer"), 200);
    const struct json *report = explored(NULL);
    const struct json *twice = finding(report, "lost-answer", "again"),
                      *lost = finding(report, "server-error", "without");
    assert_non_null(twice);
    assert_string_equal(text_at(twice, "effects.0.happened"), "twice");
    assert_string_equal(text_at(twice, "effects.0.title"), "Offer");
    assert_non_null(lost);
    assert_string_equal(text_at(lost, "effects.0.happened"), "not at all");
    /* who makes a call again that was not done has lost and doubled nothing */
    assert_null(finding(report, "server-error", "again"));
    assert_null(finding(report, "lost-answer", "without"));
    assert_int_equal(number_at(report, "branches"), 12);
    assert_int_equal(number_at(report, "ungraded"), 0);
    /* the world has noticed nothing */
    assert_int_equal(letters_of_eve(test_world), 1);
}

static void what_depends_on_a_lost_call_is_refused_later(void **state)
{
    assert_int_equal(call_as(ADA, CALENDAR, "POST", "/calendar/v3/calendars/primary/events",
                             "{'id':'abcde','start':{'date':'2026-12-01'},'end':{'date':"
                             "'2026-12-02'},'summary':'Trip'}"),
                     200);
    assert_int_equal(call_as(ADA, CALENDAR, "PATCH", "/calendar/v3/calendars/primary/events/abcde",
                             "{'location':'Rome'}"),
                     200);
    const struct json *report = explored(NULL);
    const struct json *lost = finding(report, "server-error", "without");
    assert_non_null(lost);
    assert_int_equal(number_at(lost, "refused"), 2);
    /* an id of one's own makes it safe to make the call again */
    assert_null(finding(report, "lost-answer", "again"));
}

static void two_faults_in_a_run(void **state)
{
    struct sosia_explore_options opt = {
        .size = sizeof opt, .depth = 2, .faults = "lost-answer,reset", .threads = 2};
    assert_int_equal(send_letter("One"), 200);
    assert_int_equal(send_letter("Two"), 200);
    const struct json *report = explored(&opt);
    assert_int_equal(number_at(report, "branches"), 2 * 4 + 4 * 4);
    opt.depth = 1;
    opt.from = 2;
    assert_int_equal(number_at(explored(&opt), "branches"), 4);
}

static void the_same_run_has_the_same_report(void **state)
{
    struct sosia_blob a, b;
    struct sosia_explore_options opt = {.size = sizeof opt, .threads = 3};
    send_letter("One");
    send_letter("Two");
    assert_int_equal(sosia_explore(test_engine, test_world, &opt, &a, &test_err), 0);
    opt.threads = 1;
    assert_int_equal(sosia_explore(test_engine, test_world, &opt, &b, &test_err), 0);
    assert_string_equal(a.data, b.data);
    sosia_blob_free(&a);
    sosia_blob_free(&b);
}

static void what_can_not_be_explored(void **state)
{
    struct sosia_blob json;
    struct sosia_explore_options opt = {.size = sizeof opt, .depth = 3};
    assert_int_equal(sosia_explore(test_engine, test_world, NULL, &json, &test_err), -1);
    assert_non_null(strstr(test_err.text, "must have calls of its own"));
    send_letter("One");
    assert_int_equal(sosia_explore(test_engine, test_world, &opt, &json, &test_err), -1);
    assert_string_equal(test_err.reason, "depth");
    opt = (struct sosia_explore_options){.size = sizeof opt, .faults = "resets"};
    assert_int_equal(sosia_explore(test_engine, test_world, &opt, &json, &test_err), -1);
    assert_non_null(strstr(test_err.text, "not \"resets\""));
}

/* ---- verdicts ---- */

#define GRADED(assertion)                                                                          \
    "version: '1.1'\nname: s\nactor: ada@acme.example\nseed: {sosia: 1}\ntests:\n"                 \
    "  - {id: offer, prompt: Send it., assertions: [" assertion "]}\n"
#define SENT                                                                                       \
    "{diff_type: added, entity: message, where: {mailbox: ada@acme.example, subject: Offer}}"

static const struct json *graded(const char *text, const char *answer)
{
    const struct sosia_explore_options opt = {.size = sizeof opt,
                                              .faults = "server-error,lost-answer"};
    struct explore_grade by = {.answer = answer};
    struct sosia_suite *suite;
    struct sosia_blob json;
    if (sosia_suite_open(text, strlen(text), "s.yaml", &suite, &test_err) < 0)
        fail_msg("%s", test_err.text);
    by.suite = suite;
    test_err = (struct sosia_err){0};
    int rc = explore_graded(test_engine, test_world, &opt, &by, &json, &test_err);
    sosia_suite_close(suite);
    if (rc < 0)
        return NULL;
    const struct json *report = parsed(json.data, json.len);
    sosia_blob_free(&json);
    return report;
}

static void a_task_says_which_runs_came_to_something_else(void **state)
{
    assert_int_equal(send_letter("Offer"), 200);
    const struct json *report = graded(GRADED(SENT), NULL);
    assert_non_null(report);
    assert_true(true_at(report, "verdict.passed"));
    assert_string_equal(text_at(report, "verdict.task"), "offer");
    /* it is sent twice, or not at all */
    assert_int_equal(number_at(report, "verdict.others"), 2);
    assert_int_equal(number_at(report, "branches"), 4);
    const struct json *twice = finding(report, "lost-answer", "again");
    assert_true(json_is_false(json_get(twice, "passed")));
    /* one of those is what this task wants; without trouble it is not passed */
    report = graded(GRADED("{diff_type: added, entity: message, where: {mailbox: "
                           "ada@acme.example}, expected_count: 2}"),
                    NULL);
    assert_false(true_at(report, "verdict.passed"));
    assert_int_equal(number_at(report, "verdict.others"), 1);
    assert_true(true_at(finding(report, "lost-answer", "again"), "passed"));
    /* what was said in the run counts */
    assert_false(
        true_at(graded(GRADED(SENT ", {answer: {mentions: sent}}"), NULL), "verdict.passed"));
    assert_true(true_at(graded(GRADED(SENT ", {answer: {mentions: sent}}"), "It is sent."),
                        "verdict.passed"));
    assert_null(graded(GRADED("{calls: {method: gmail.users.messages.send}}"), NULL));
    assert_non_null(strstr(test_err.text, "not by calls"));
}

/* ---- what clients made of faults ---- */

static const struct json *reported(void)
{
    struct sosia_blob json;
    assert_int_equal(sosia_world_faults_report(test_engine, test_world, &json, &test_err), 0);
    const struct json *report = parsed(json.data, json.len);
    sosia_blob_free(&json);
    return report;
}

static void a_report_says_who_waited_and_who_did_something_twice(void **state)
{
    use_faults("{'faults':1,'rules':["
               "{'name':'slow down','fault':'rate-limit','retry_after':30,"
               "'methods':['calendar.events.list'],'calls':{'every':2}},"
               "{'name':'lost','fault':'lost-answer','methods':['gmail.users.messages.send'],"
               "'calls':1}]}");
    call_as(ADA, CALENDAR, "GET", "/calendar/v3/calendars/primary/events", NULL);
    test_advance(10);
    call_as(ADA, CALENDAR, "GET", "/calendar/v3/calendars/primary/events", NULL);
    call_as(ADA, CALENDAR, "GET", "/calendar/v3/calendars/primary/events", NULL);
    test_advance(31);
    call_as(ADA, CALENDAR, "GET", "/calendar/v3/calendars/primary/events", NULL);
    send_letter("Offer");
    send_letter("Offer");
    const struct json *report = reported();
    assert_int_equal(number_at(report, "injected"), 3);
    assert_int_equal(number_at(report, "made_again"), 3);
    assert_int_equal(number_at(report, "retry_after.honoured"), 1);
    assert_int_equal(number_at(report, "retry_after.not_honoured"), 1);
    assert_int_equal(number_at(report, "made_again_unsafely"), 1);
    assert_int_equal(number_at(report, "done_twice"), 1);
    assert_true(true_at(report, "faults.2.twice"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        guard_test(a_letter_that_is_sent_twice_or_not_at_all),
        guard_test(what_depends_on_a_lost_call_is_refused_later),
        guard_test(two_faults_in_a_run),
        guard_test(the_same_run_has_the_same_report),
        guard_test(what_can_not_be_explored),
        guard_test(a_task_says_which_runs_came_to_something_else),
        guard_test(a_report_says_who_waited_and_who_did_something_twice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
