/* SPDX-License-Identifier: Apache-2.0 */
/* What the lint of a suite finds: mutants that are passed, and assertions that hold whatever is
 * done. */
#include "grading/lint.h"
#include "tests/support/world.h"

#define EVENTS "/calendar/v3/calendars/primary/events"

static int open_world(void **state)
{
    (void)state;
    return test_open("{sosia: 1}");
}

static int close_world(void **state)
{
    (void)state;
    return test_close();
}

/* Of a task that has the lunch taken off a calendar with a review in it, and these assertions. */
static const struct json *lint(const char *assertions, const char *task, bool *ret_good)
{
    static const struct lint_options none = {0};
    const struct lint_options one = {.task = task};
    struct sosia_suite *suite;
    struct sosia_blob blob;
    const char *text = quoted(arena_printf(
        &test_arena,
        "{'version':'1','name':'test','actor':'ada@acme.example','seed':{'sosia':1,"
        "'time':'2026-11-23T09:00:00','people':[{'email':'ada@acme.example','name':'Ada'}],"
        "'calendars':[{'id':'ada@acme.example','primary':true,'events':["
        "{'id':'lunch0','summary':'Lunch','start':'2026-11-24T12:00'},"
        "{'id':'review','summary':'Review','start':'2026-11-25T12:00'}]}]},'tests':[{'id':'lunch',"
        "'actions':[{'call':'DELETE " EVENTS "/lunch0'}],'assertions':[%s]}]}",
        assertions));
    if (sosia_suite_open(text, strlen(text), "test.json", &suite, &test_err) < 0)
        fail_msg("%s", test_err.text);
    int rc = suite_lint(test_engine, suite, task ? &one : &none, &blob, ret_good, &test_err);
    sosia_suite_close(suite);
    if (rc < 0)
        return NULL;
    const struct json *v = parsed(blob.data, blob.len);
    sosia_blob_free(&blob);
    return v;
}

static void a_good_suite_is_passed_by_its_reference_alone(void **state)
{
    bool good = false;
    (void)state;
    const struct json *v =
        lint("{'diff_type':'removed','entity':'event','where':{'id':'lunch0'}}", "lunch", &good);
    assert_true(good);
    assert_int_equal(number_at(v, "tasks.0.empty"), 0);
    assert_int_equal(number_at(v, "tasks.0.reference"), 1);
    /* left out, done to something else, and something done besides: done twice is done */
    assert_int_equal(number_at(v, "tasks.0.mutants"), 3);
    assert_int_equal(number_at(v, "tasks.0.killed"), 3);
}

static void what_is_done_to_something_else_is_to_fail(void **state)
{
    bool good = true;
    (void)state;
    const struct json *v = lint("{'diff_type':'removed','entity':'event'}", NULL, &good);
    assert_false(good);
    assert_string_equal(column(v, "tasks.0.survivors", "mutation"), "retarget");
    assert_string_equal(text_at(v, "tasks.0.survivors.0.value"), "lunch0");
}

static void an_assertion_that_never_fails_is_found(void **state)
{
    bool good = true;
    (void)state;
    const struct json *v = lint("{'diff_type':'removed','entity':'event','where':{'id':'lunch0'}},"
                                "{'state':'person'}",
                                NULL, &good);
    assert_false(good);
    assert_string_equal(text_at(v, "tasks.0.never_fail.0"), "tests[0].assertions[1]");
}

/* A suite whose task is passed by an agent that asks Bob and waits for his answer. */
static int lint_waiting(const char *more, bool *ret_good)
{
    static const struct lint_options none = {0};
    struct sosia_suite *suite;
    struct sosia_blob blob;
    const char *text = quoted(arena_printf(
        &test_arena,
        "{'version':'1','name':'test','actor':'ada@acme.example',%s'seed':{'sosia':1,"
        "'time':'2026-11-23T09:00:00','people':[{'email':'ada@acme.example','name':'Ada'},"
        "{'email':'bob@acme.example','name':'Bob'}],'mailResponders':[{'id':'b','as':"
        "'bob@acme.example','delay':600,'do':[{'reply':{'text':'fine'}}]}]},'tests':[{'id':'ask',"
        "'actions':[{'call':'POST /gmail/v1/users/me/messages/send','mail':{'To':"
        "'bob@acme.example','Subject':'Lunch','text':'Noon?'}},{'wait':601}],'assertions':["
        "{'state':'message','where':{'mailbox':'ada@acme.example','subject':'Re: Lunch','text':"
        "{'contains':'fine'}}}],'closed':false}]}",
        more));
    if (sosia_suite_open(text, strlen(text), "test.json", &suite, &test_err) < 0)
        return -1;
    int rc = suite_lint(test_engine, suite, &none, &blob, ret_good, &test_err);
    if (rc == 0) {
        const struct json *v = parsed(blob.data, blob.len);
        assert_int_equal(number_at(v, "tasks.0.empty"), 0);
        *ret_good = number_at(v, "tasks.0.reference") == 1;
        sosia_blob_free(&blob);
    }
    sosia_suite_close(suite);
    return rc;
}

static void reference_actions_can_wait(void **state)
{
    bool good = false;
    (void)state;
    if (lint_waiting("", &good) < 0)
        fail_msg("%s", test_err.text);
    assert_true(good);
    assert_int_equal(lint_waiting("'clock':'step','step_ms':3600000,", &good), 0);
    assert_true(good);
}

static void faults_of_clocks_are_named(void **state)
{
    static const char *const bad[][2] = {
        {"'clock':'slow',", "clock: \"slow\" is none of frozen, step, real"},
        {"'step_ms':5,", "step_ms: must be absent unless clock is \"step\", is given"},
        {"'clock':'step','step_ms':0,", "step_ms"},
    };
    bool good;
    (void)state;
    for (size_t i = 0; i < SOSIA_LEN(bad); i++) {
        assert_int_equal(lint_waiting(bad[i][0], &good), -1);
        if (!strstr(test_err.text, bad[i][1]))
            fail_msg("expected \"%s\", is \"%s\"", bad[i][1], test_err.text);
    }
}

static void a_task_must_be_one_of_the_suites(void **state)
{
    bool good = true;
    (void)state;
    assert_null(lint("{'diff_type':'removed','entity':'event'}", "lunches", &good));
    assert_int_equal(test_err.code, SOSIA_E_NOT_FOUND);
    assert_string_equal(test_err.text,
                        "test.json: the task must be one of the suite's, not \"lunches\"");
}

static void reference_actions_that_fail_are_named_by_file_and_line(void **state)
{
    static const struct lint_options none = {0};
    struct sosia_suite *suite;
    struct sosia_blob blob;
    bool good;
    (void)state;
    static const char *const bad[][2] = {
        {"{'call':'DELETE " EVENTS "/none'}]", "test.json:2: DELETE " EVENTS "/none: must be "},
        {"],'seed':{'sosia':1,'zone':'Mars/Base'}", "test.json:1: seed:1: zone: "},
    };
    for (size_t i = 0; i < SOSIA_LEN(bad); i++) {
        const char *text = quoted(arena_printf(
            &test_arena,
            "{'version':'1','name':'Other','actor':'ada@acme.example','seed':{'sosia':1,'people':"
            "[{'email':'ada@acme.example'}]},'tests':[{'id':'t','actions':[\n%s,\n"
            "'assertions':[{'diff_type':'removed','entity':'event'}]}]}",
            bad[i][0]));
        if (sosia_suite_open(text, strlen(text), "test.json", &suite, &test_err) < 0)
            fail_msg("%s", test_err.text);
        assert_int_equal(suite_lint(test_engine, suite, &none, &blob, &good, &test_err), -1);
        assert_memory_equal(test_err.text, bad[i][1], strlen(bad[i][1]));
        sosia_suite_close(suite);
    }
}

/* The lint of a task of ada's, who has a lunch; members of the task, with ' for ". */
static const struct json *lint_task(const char *version, const char *members, bool *ret_good)
{
    static const struct lint_options none = {0};
    struct sosia_suite *suite;
    struct sosia_blob blob;
    const char *text = quoted(arena_printf(
        &test_arena,
        "{'version':'%s','actor':'ada@acme.example','seed':{'sosia':1,"
        "'time':'2026-11-23T09:00:00','people':[{'email':'ada@acme.example','name':'Ada'}],"
        "'calendars':[{'id':'ada@acme.example','primary':true,'events':["
        "{'id':'lunch0','summary':'Lunch','start':'2026-11-24T12:00'}]}]},'tests':[{%s}]}",
        version, members));
    if (sosia_suite_open(text, strlen(text), "test.json", &suite, &test_err) < 0 ||
        suite_lint(test_engine, suite, &none, &blob, ret_good, &test_err) < 0)
        fail_msg("%s", test_err.text);
    sosia_suite_close(suite);
    const struct json *v = parsed(blob.data, blob.len);
    sosia_blob_free(&blob);
    return v;
}

#define GONE     "{'diff_type':'removed','entity':'event','where':{'id':'lunch0'}}"
#define NO_LUNCH "'actions':[{'call':'DELETE " EVENTS "/lunch0'}],'assertions':[" GONE "]"

static void what_is_done_and_undone_is_to_fail(void **state)
{
    bool good = false;
    (void)state;
    const struct json *v = lint_task("1.1", NO_LUNCH, &good);
    assert_true(good);
    /* left out, done besides, and two kinds of things that are made and taken away */
    assert_int_equal(number_at(v, "tasks.0.mutants"), 4);
    assert_int_equal(number_at(v, "tasks.0.killed"), 4);
    v = lint_task("1.1", NO_LUNCH ",'allow':[{'calls':{'method':{'contains':'drive.files.'}}}]",
                  &good);
    assert_false(good);
    assert_string_equal(column(v, "tasks.0.survivors", "mutation"), "undone");
    assert_string_equal(text_at(v, "tasks.0.survivors.0.value"), "/drive/v3/files");
    assert_int_equal(number_at(lint_task("1", NO_LUNCH, &good), "tasks.0.mutants"), 2);
    assert_true(good);
}

/* Of an actor whose calendar is Microsoft's it is an event of Graph's. */
static void what_is_done_and_undone_is_the_vendors_own(void **state)
{
    static const char task[] =
        "'seed':{'sosia':1,'time':'2026-11-23T09:00:00','people':[{'email':'ada@acme.example',"
        "'name':'Ada'}],'accounts':[{'actor':'ada@acme.example','vendor':'microsoft','services':"
        "['calendar']}],'calendars':[{'owner':'ada@acme.example','primary':true,'events':[{'id':"
        "'lunch0','summary':'Lunch','start':'2026-11-24T12:00'}]}]},'actions':[{'call':"
        "'GET /v1.0/me/events','save':{'lunch':'value.0.id'}},{'call':'DELETE "
        "/v1.0/me/events/${lunch}'}],'assertions':[" GONE "]";
    bool good = false;
    (void)state;
    lint_task("1.1", task, &good);
    assert_true(good);
    const struct json *v = lint_task(
        "1.1",
        arena_printf(&test_arena,
                     "%s,'allow':[{'calls':{'method':{'contains':'outlook.events.'}}}]", task),
        &good);
    assert_false(good);
    assert_string_equal(column(v, "tasks.0.survivors", "mutation"), "undone");
    assert_string_equal(text_at(v, "tasks.0.survivors.0.value"), "/v1.0/me/events");
}

/* Bodies may be as deep as what can be read. */
static void values_at_any_depth_are_changed(void **state)
{
    bool good = false;
    (void)state;
    const struct json *v = lint_task(
        "1.1",
        "'actions':[{'call':'POST /drive/v3/files','body':{'name':'x','properties':{'a':'b'}}},"
        "{'call':'PATCH " EVENTS "/lunch0','body':{'summary':'Dinner','extendedProperties':"
        "{'private':{'k':'v'}},'gadget':{'preferences':{}},'x':{'a':{'b':{'c':{'d':{'e':{'f':{'g':"
        "['h']}}}}}}}}}],'assertions':[{'diff_type':'changed','entity':'event','expected_changes':"
        "{'summary':{'to':'Dinner'},'extendedProperties':{}}},{'diff_type':'added','entity':"
        "'file','where':{'name':'x','properties.a':'b'}}]",
        &good);
    assert_int_equal(number_at(v, "tasks.0.reference"), 1);
    assert_string_equal(column(v, "tasks.0.survivors", "value"), "k");
}

static void what_of_the_reference_nobody_expects_is_named(void **state)
{
    bool good = true;
    (void)state;
    const struct json *v =
        lint_task("1.1",
                  "'actions':[{'call':'DELETE " EVENTS "/lunch0'},{'call':'POST /drive/v3/files',"
                  "'body':{'name':'x'},'save':{'id':'id'}},{'call':'DELETE /drive/v3/files/${id}'},"
                  "{'call':'POST /gmail/v1/users/me/labels','body':{'name':'New'}}],"
                  "'assertions':[" GONE "]",
                  &good);
    assert_false(good);
    assert_string_equal(column(v, "tasks.0.unexpected", "entity"), "mailLabel");
    assert_string_equal(column(v, "tasks.0.unexpected", "method"), "gmail.users.labels.create");
    assert_string_equal(column(v, "tasks.0.unexpected_calls", "method"),
                        "drive.files.create drive.files.delete");
}

static void reads_are_kept(void **state)
{
    bool good = false;
    (void)state;
    lint_task("1.1",
              "'actions':[{'call':'GET " EVENTS "'},{'call':'DELETE " EVENTS "/lunch0'}],"
              "'assertions':[" GONE ",{'calls':{'method':'calendar.events.list'}}]",
              &good);
    assert_true(good);
}

static void who_does_nothing_is_right_where_a_task_says_so(void **state)
{
    bool good = false;
    (void)state;
    const struct json *v = lint_task("1.1", "'nothing':true", &good);
    assert_true(good);
    assert_int_equal(number_at(v, "tasks.0.empty"), 1);
    assert_int_equal(number_at(v, "tasks.0.mutants"), 3);
    /* And not where an answer is wanted, */
    lint_task(
        "1.1",
        "'nothing':true,'answer':'You have one.','assertions':[{'answer':{'mentions':'one'}}]",
        &good);
    assert_true(good);
    lint_task("1.1", "'nothing':true,'answer':'One.','assertions':[{'never':'two'}]", &good);
    assert_false(good);
    /* or without the word. */
    lint_task("1.1", "'assertions':[{'diff_type':'unchanged','entity':'event'}]", &good);
    assert_false(good);
}

static void other_answers_are_to_fail(void **state)
{
    bool good = true;
    (void)state;
    const struct json *v = lint_task("1.1", NO_LUNCH ",'answer':'It is off.'", &good);
    assert_false(good);
    assert_string_equal(column(v, "tasks.0.survivors", "mutation"), "answer answer");
    v = lint_task("1.1",
                  "'actions':[{'call':'DELETE " EVENTS "/lunch0'}],'answer':'It is off.',"
                  "'assertions':[" GONE ",{'answer':{'mentions':'off'}},{'judge':{'name':'tone'}},"
                  "{'not':{'judge':{'name':'rude'}}}]",
                  &good);
    assert_int_equal(number_at(v, "tasks.0.reference"), 1);
    assert_true(good);
}

#define test(f) cmocka_unit_test_setup_teardown(f, open_world, close_world)

int main(void)
{
    const struct CMUnitTest tests[] = {
        test(a_good_suite_is_passed_by_its_reference_alone),
        test(what_is_done_to_something_else_is_to_fail),
        test(an_assertion_that_never_fails_is_found),
        test(reference_actions_can_wait),
        test(faults_of_clocks_are_named),
        test(a_task_must_be_one_of_the_suites),
        test(reference_actions_that_fail_are_named_by_file_and_line),
        test(what_is_done_and_undone_is_to_fail),
        test(what_is_done_and_undone_is_the_vendors_own),
        test(values_at_any_depth_are_changed),
        test(what_of_the_reference_nobody_expects_is_named),
        test(reads_are_kept),
        test(who_does_nothing_is_right_where_a_task_says_so),
        test(other_answers_are_to_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
