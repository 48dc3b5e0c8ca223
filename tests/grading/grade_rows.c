/* SPDX-License-Identifier: Apache-2.0 */
/* What suites bind, what earns nothing, and what would take too long, over diffs that are given as
 * documents. */
#include "tests/support/verdict.h"

static void assert_refused(const char *suite_text, const char *why)
{
    struct sosia_suite *suite;
    const char *text = quoted(suite_text);
    assert_int_equal(sosia_suite_open_rows(text, strlen(text), "test.json", &suite, &err), -1);
    assert_string_equal(err.reason, "suite");
    if (!strstr(err.text, why))
        fail_msg("\"%s\" is not in \"%s\"", why, err.text);
}

#define SUITE(rest) "{'version':'1','assertions':[" rest "}"
#define ONE_ADDED   "{'diff_type':'added','entity':'m','where':{'to':'bob'}}"
#define SENT        "{'inserts':[{'__table__':'m','to':'bob','text':'See e1'}]}"

static void what_is_allowed_may_name_what_is_bound(void **state)
{
    (void)state;
    const char *suite =
        SUITE("{'diff_type':'added','entity':'e','bind':{'event':'id'}}],'allow':[{'entity':'m',"
              "'where':{'text':{'contains':'${event}'}}}]");
    const struct json *v = grade(suite, "{'inserts':[{'__table__':'e','id':'e1'},{'__table__':'m',"
                                        "'text':'See e1'}]}");
    assert_true(true_at(v, "passed"));
    /* what is shown as unexpected is what counts as such */
    v = grade(suite, "{'inserts':[{'__table__':'e','id':'e1'},{'__table__':'m','text':'See e1'},"
                     "{'__table__':'m','text':'See e2'}]}");
    assert_false(true_at(v, "passed"));
    assert_int_equal(count_at(v, "unexpected"), 1);
    assert_refused(SUITE(ONE_ADDED "],'allow':[{'entity':'m','where':{'a':'${x}'}}]"),
                   "test.json:1: allow: the variable \"x\" must be bound by an assertion");
}

static void variables_are_bound_once_and_by_what_a_task_asserts(void **state)
{
    struct buf b;
    (void)state;
    assert_refused(SUITE("{'diff_type':'added','entity':'m','bind':{'x':'a'}},{'diff_type':'added',"
                         "'entity':'e','bind':{'x':'b'}}]"),
                   "assertions[1]: the variable \"x\" must be bound once, not twice");
    assert_refused(SUITE("{'any':[{'diff_type':'added','entity':'m','bind':{'x':'a'}}]}]"),
                   "any[0].bind: must be a member of one of the task's assertions");
    assert_refused(
        SUITE("{'aggregate':{'fn':'count','of':{'state':'m','bind':{'x':'a'}}},'is':1}]"),
        "of.bind: must be a member of one of the task's assertions");
    assert_refused(SUITE("{'diff_type':'added','entity':'m','bind':{'x':'to.*.email'}}]"),
                   "must be a path to one value");
    assert_refused(SUITE("{'diff_type':'added','entity':'m','bind':{'':'to'}}]"), "1 to 64 bytes");
    buf_init(&b, 0);
    buf_puts(&b, "{'diff_type':'added','entity':'m','bind':{'x0':'a'");
    for (int i = 1; i <= 64; i++)
        buf_printf(&b, ",'x%d':'a'", i);
    assert_refused(arena_printf(&test_arena, SUITE("%s}}]"), buf_str(&b)),
                   "must be bound as one of 64 at most, not one more");
    buf_clear(&b);
    buf_puts(&b, "{'diff_type':'added','entity':'m','where':{'a':'");
    for (int i = 0; i <= 64; i++)
        buf_printf(&b, "${x%d}", i);
    assert_refused(arena_printf(&test_arena, SUITE("%s'}}]"), buf_str(&b)),
                   "must use at most 64 variables");
    buf_done(&b);
    /* without an end, or a name, it is text */
    assert_true(
        true_at(grade(SUITE("{'diff_type':'added','entity':'m','where':{'text':'${} ${'}}]"),
                      "{'inserts':[{'__table__':'m','text':'${} ${'}]}"),
                "passed"));
}

static void an_order_of_calls_may_name_what_is_bound(void **state)
{
    struct sosia_suite *suite;
    const char *text =
        quoted(SUITE("{'order':[{'path':{'ends_with':'${event}'}}]},{'diff_type':'added','entity':"
                     "'e','bind':{'event':'id'}}]"));
    (void)state;
    assert_refused(SUITE("{'order':[{'path':'${x}'}]}]"),
                   "assertions[0]: the variable \"x\" must be bound by an assertion");
    assert_refused(SUITE(ONE_ADDED ",{'order':[{'path':'${x}'}]}]"),
                   "assertions[1]: the variable \"x\" must be bound by an assertion");
    assert_int_equal(sosia_suite_open_rows(text, strlen(text), "test.json", &suite, &err), 0);
    sosia_suite_close(suite);
}

static void more_ways_to_bind_than_are_tried_are_said(void **state)
{
    const char *suite =
        SUITE("{'diff_type':'added','entity':'e','bind':{'event':'id'},'expected_count':70},"
              "{'diff_type':'added','entity':'m','where':{'event':{'var':'event'}}}]");
    struct buf b;
    (void)state;
    buf_init(&b, 0);
    buf_puts(&b, "{'inserts':[{'__table__':'m','event':69}");
    for (int i = 0; i < 70; i++)
        buf_printf(&b, ",{'__table__':'e','id':%d}", i);
    buf_puts(&b, "]}");
    const struct json *v = grade(suite, buf_str(&b));
    assert_false(true_at(v, "passed"));
    assert_non_null(strstr(text_at(v, "failures.2"), "more ways than were tried"));
    buf_done(&b);
}

static void what_holds_from_the_beginning_earns_nothing_inside_of_all(void **state)
{
    const struct json *v;
    (void)state;
    const char *suite = SUITE("{'all':[{'diff_type':'unchanged','entity':'c'}," ONE_ADDED
                              ",{'diff_type':'added','entity':'n'}]}]");
    assert_int_equal(number_at(grade(suite, "{}"), "reward"), 0);
    assert_string_equal(json_to_text(&test_arena, value_at(grade(suite, SENT), "reward")), "0.5");
#define BOTH "{'inserts':[{'__table__':'m','to':'bob'},{'__table__':'n'}"
    assert_true(true_at(grade(suite, BOTH "]}"), "passed"));
    /* and costs when it breaks */
    suite = SUITE("{'all':[{'diff_type':'unchanged','entity':'c'}," ONE_ADDED
                  ",{'diff_type':'added','entity':'n'}]}],'closed':false,'collateral':0.5");
    assert_string_equal(
        json_to_text(&test_arena, value_at(grade(suite, BOTH ",{'__table__':'c'}]}"), "reward")),
        "0.5");
    suite = SUITE("{'all':[" ONE_ADDED ",{'diff_type':'added','entity':'n','required':true}]}]");
    assert_int_equal(number_at(grade(suite, SENT), "reward"), 0);
    /* however little is missing */
    suite = SUITE("{'diff_type':'added','entity':'m','weight':1000000},{'diff_type':'added',"
                  "'entity':'n','weight':0.001}]");
    v = grade(suite, SENT);
    assert_false(true_at(v, "passed"));
    assert_string_not_equal(json_to_text(&test_arena, value_at(v, "reward")), "1");
    /* what weighs nothing earns nothing */
    suite = SUITE("{'diff_type':'added','entity':'m','weight':0}]");
    assert_int_equal(number_at(grade(suite, "{}"), "reward"), 0);
    assert_int_equal(number_at(grade(suite, SENT), "reward"), 1);
}

static void what_comes_as_a_whole_is_expected_by_its_members(void **state)
{
#define CAME(more)                                                                                 \
    "{'updates':[{'__table__':'e','before':{'id':1},'after':{'id':1,'more':{'private':{'k':'v'"    \
    "}" more "}}}]}"
    const char *suite = SUITE("{'diff_type':'changed','entity':'e','expected_changes':{"
                              "'more.private.k':{'to':'v'}}}]");
    (void)state;
    assert_true(true_at(grade(suite, CAME("")), "passed"));
    assert_false(true_at(grade(suite, CAME(",'x':1")), "passed"));
    suite = SUITE("{'diff_type':'changed','entity':'e','ignore':['more.x'],'expected_changes':{"
                  "'more.private.k':{'to':'v'}}}]");
    assert_true(true_at(grade(suite, CAME(",'x':1")), "passed"));
    suite = SUITE("{'diff_type':'added','entity':'x','expected_count':0}],'allow':[{'entity':'e',"
                  "'fields':['more.private']}]");
    assert_true(true_at(grade(suite, CAME("")), "passed"));
    assert_false(true_at(grade(suite, CAME(",'x':1")), "passed"));
    assert_refused(
        SUITE("{'diff_type':'changed','entity':'e','expected_changes':{'to.*.email':{}}}]"),
        "must be a path to one value, without \"*\"");
}

static void distinct_values_are_counted_once(void **state)
{
    static const char suite[] =
        SUITE("{'aggregate':{'fn':'distinct','field':'v','of':{'diff_type':'added','entity':'m'}},"
              "'is':1003}],'closed':false");
    struct buf b;
    (void)state;
    buf_init(&b, 0);
    buf_puts(&b, "{'inserts':[{'__table__':'m'}");
    for (int i = 0; i < 3000; i++)
        buf_printf(&b, ",{'__table__':'m','v':'%d'}", i % 1000);
    buf_puts(&b, ",{'__table__':'m','v':1},{'__table__':'m','v':[1]},{'__table__':'m','v':[1]},"
                 "{'__table__':'m','v':{'a':1,'b':2}},{'__table__':'m','v':{'b':2,'a':1}}]}");
    assert_true(true_at(grade(suite, buf_str(&b)), "passed"));
    buf_done(&b);
}

/* An expression that is tried at each letter, and from each goes over many. */
static void an_expression_that_takes_too_long_proves_nothing(void **state)
{
    static const char *const ways[] = {
        "{'diff_type':'added','entity':'m','where':{'text':{'regex':'%s'}}}",
        "{'diff_type':'added','entity':'m','where':{'text':{'not':{'regex':'%s'}}}}",
        "{'diff_type':'added','entity':'m','where':{'text':{'regex':'%s'}},'expected_count':0}",
        "{'not':{'diff_type':'added','entity':'m','where':{'text':{'regex':'%s'}}}}",
        "{'not':{'any':[{'diff_type':'added','entity':'m','where':{'text':{'regex':'%s'}}}]}}",
        "{'aggregate':{'fn':'count','of':{'diff_type':'added','entity':'m','where':{'text':{'regex'"
        ":'%s'}}}},'is':0}",
    };
    static const char *const bad[] = {"^(x+x+)+[yz]", "x*x*[yz]", "x*+[yz]"};
    char *text = arena_alloc(&test_arena, 100001);
    (void)state;
    memset(text, 'x', 100000);
    text[100000] = 0;
    const char *diff =
        arena_printf(&test_arena, "{'inserts':[{'__table__':'m','text':'%s'}]}", text);
    for (size_t i = 0; i < SOSIA_LEN(ways); i++) {
        for (size_t k = 0; k < (i ? 1 : SOSIA_LEN(bad)); k++) {
            const char *before = ways[i], *at = strstr(before, "%s");
            const char *one =
                arena_printf(&test_arena, "%.*s%s%s", (int)(at - before), before, bad[k], at + 2);
            const struct json *v =
                grade(arena_printf(&test_arena, SUITE("%s],'closed':false"), one), diff);
            if (true_at(v, "passed") || !strstr(text_at(v, "parts.0.why"), "more steps"))
                fail_msg("%s: %s", one, text_at(v, "parts.0.why"));
        }
    }
    /* Of two ways one that is found is enough; what is allowed is allowed by what is found. */
    assert_true(true_at(
        grade(
            SUITE(
                "{'any':[{'diff_type':'added','entity':'m','where':{'text':{'regex':'x*x*[yz]'}}},"
                "{'diff_type':'added','entity':'m'}]}]"),
            diff),
        "passed"));
    assert_int_equal(
        count_at(
            grade(SUITE("{'diff_type':'added','entity':'n','expected_count':0}],'allow':[{'entity':"
                        "'m','where':{'text':{'not':{'regex':'x*x*[yz]'}}}}]"),
                  diff),
            "unexpected"),
        1);
    /* A long text alone costs little. */
    assert_true(true_at(grade(SUITE("{'diff_type':'added','entity':'m','where':{'text':{'regex':"
                                    "'xxx$'}}}]"),
                              diff),
                        "passed"));
    assert_refused(SUITE("{'diff_type':'added','entity':'m','where':{'a':{'regex':'^${x}$'}}}]"),
                   "regex: must not have variables, has \"${x}\"");
}

static void tags_without_an_end_are_text(void **state)
{
    char *text = arena_alloc(&test_arena, 400001);
    (void)state;
    for (int i = 0; i < 400000; i += 2)
        memcpy(text + i, "<b", 2);
    text[400000] = 0;
    const char *diff = arena_printf(
        &test_arena, "{'inserts':[{'__table__':'m','text':'one <i>two</i> %s'}]}", text);
    assert_true(true_at(
        grade(
            SUITE("{'diff_type':'added','entity':'m','where':{'text':{'mentions':'one two <b'}}}]"),
            diff),
        "passed"));
}

static void reading_takes_as_long_as_the_text_is(void **state)
{
    struct sosia_suite *suite;
    struct buf b;
    (void)state;
    buf_init(&b, 0);
    buf_puts(&b, "{'version':'1','tests':[");
    for (int i = 0; i < 9999; i++)
        buf_printf(&b, "{'assertions':[{'state':'m','where':{'a':'%s'}}],'id':'t%d'},\n",
                   "${${${${${${${${${${${${${${${${${${${${${${${${${${${${${${${${${${${${", i);
    buf_puts(&b, "{'id':'t77','assertions':[{'state':'m'}]}]}");
    const char *text = quoted(buf_str(&b));
    assert_int_equal(sosia_suite_open_rows(text, strlen(text), "test.json", &suite, &err), -1);
    assert_non_null(strstr(err.text, "test.json:10000: the id must be of one task alone, \"t77\""));
    buf_done(&b);
}

static void bad_suites_are_refused_by_line(void **state)
{
    (void)state;
    assert_refused("{'version':'2','assertions':[]}", "version");
    assert_refused("{'version':'1','assertions':[]}", "at least one assertion");
    assert_refused("{'version':'1',\n'tests':[{'id':'a',\n'colour':1,'assertions':[" ONE_ADDED
                   "]}]}",
                   "test.json:3: tests[0].colour");
    assert_refused(SUITE("{'diff_type':'added','entity':'m','whre':{}}]"), "whre");
    assert_refused(SUITE("{'diff_type':'added','entity':'m','where':{'a':{'like':'x'}}}]"), "like");
    assert_refused("{'version':'0.1','assertions':[{'diff_type':'added','entity':'m','where':{'a':{"
                   "'same_text':'x'}}}]}",
                   "same_text");
    assert_refused(SUITE("{'diff_type':'moved','entity':'m'}]"),
                   "added, removed, changed, unchanged");
    assert_refused(SUITE("{'diff_type':'added','entity':'m','where':{'a':{'regex':'('}}}]"),
                   "regular expression");
    assert_refused(SUITE("{'diff_type':'added','entity':'m','where':{'a':{'same_time':'noon'}}}]"),
                   "must be a time");
    assert_refused(SUITE("{'diff_type':'added','entity':'m','where':{'a':'${x}'}}]"),
                   "\"x\" must be bound by an assertion");
    assert_refused(
        SUITE("{'diff_type':'added','entity':'m','where':{'a':'${x}'},'bind':{'y':'b'}},"
              "{'diff_type':'added','entity':'n','where':{'a':'${y}'},'bind':{'x':'b'}}]"),
        "without a circle");
    assert_refused(
        SUITE(ONE_ADDED
              ",{'diff_type':'added','entity':'m','where':{'to':'bob'},'expected_count':0}]"),
        "contradict");
    assert_refused(SUITE("{'diff_type':'unchanged','entity':'m'}," ONE_ADDED "]"),
                   "assertions[1]: must not contradict assertions[0], does: nothing of the kind");
    assert_refused(SUITE(ONE_ADDED ",{'diff_type':'unchanged','entity':'m','where':{'to':'bob'}}]"),
                   "contradict");
    assert_refused(SUITE("{'calls':{'method':'x'}},{'calls':{'method':'x'},'expected_count':0}]"),
                   "contradict");
    assert_refused(SUITE("{'state':'m','expected_count':2},{'state':'m','expected_count':0}]"),
                   "contradict");
    assert_refused(SUITE("{'diff_type':'added','entity':'m','expected_count':{}}]"),
                   "must be a whole number from 0 to 1000000, or {min, max}, not an empty object");
    assert_refused(SUITE("{'diff_type':'added','entity':'m','expected_count':'1'}]"),
                   "{min, max}, not \"1\"");
    assert_refused(SUITE("{'state':5}]"), "assertions[0].state: must be a text, not 5");
    assert_refused(SUITE("{'state':'m','where':[]}]"), "predicates by path, not an empty list");
    assert_refused(SUITE(ONE_ADDED "],'closed':'changes'"), "must be true, false or \"calls\"");
    assert_refused(SUITE(ONE_ADDED "],'allow':[{'calls':{}}]"), "has none of them");
    assert_refused(SUITE(ONE_ADDED "],'allow':[{'calls':{'ok':true},'entity':'m'}]"),
                   "must be alone");
    assert_refused(SUITE("{'judge':{'question':'x'}}]"), "judge.name");
    assert_refused(SUITE("{'judge':{'name':'x','at_least':0}}]"), "a number above 0");
    assert_refused(SUITE("{'answer':{'mentions':'${x}'}}]"), "must be bound by an assertion");
    assert_refused(SUITE("{'never':'${x}'}]"), "must be bound by an assertion");
    assert_refused("{'version':[1]}", "must be \"0.1\", \"1\" or \"1.1\", not a list");
    assert_refused("{'version':'1','tests':{}}", "must be a list of tasks, not an empty object");
    assert_refused("[]", "must be an object, not an empty list");
    assert_refused("{'version':'0.1','assertions':[{'diff_type':'added','entity':'m','where':{'a':{"
                   "'has_all':'x'}}}]}",
                   "has_all: must be a list, not \"x\"");
    assert_refused(SUITE("{'diff_type':null,'entity':'m'}]"), "diff_type: must be given");
    assert_refused("{'version':'0.1','assertions':[{'diff_type':null,'entity':'m'}]}",
                   "diff_type: must be given");
    assert_refused(SUITE("{'calls':null}]"), "calls: must be an object of predicates");
    assert_refused(SUITE("{'state':'m','id':5}]"), "id: must be a text, not 5");
    assert_refused(SUITE("{'state':'m'}],'seed':true"), "seed: must be a seed document, an object");
    assert_refused(SUITE("{'state':'m'}],'type':1"), "type: must be a text, not 1");
    assert_refused("{'version':'1','name':5,'tests':[]}", "name: must be a text, not 5");
    assert_refused(SUITE("{'state':'m'}],'actor':'a','actions':[{'call':'GET /x','save':{'a':1}}]"),
                   "an object of paths by name, not 1");
    /* what was read before it is given back */
    assert_refused(SUITE("{'state':'m','where':{'a':{'regex':'x','any_of':-15}}}]"),
                   "any_of: must be a list of predicates, not -15");
    assert_refused(
        SUITE("{'state':'m','where':{'a':{'any_of':[{'regex':'x'},{'any_of':'yes'}]}}}]"),
        "must be a list of predicates, not \"yes\"");
    assert_refused(SUITE("{'sql':'delete from ident_actor','is':1}]"), "select");
    assert_refused(SUITE("{'diff_type':'changed','entity':'m'}]"), "expected_changes");
    assert_refused(SUITE("{'diff_type':'added','entity':'m','expected_count':{'min':3,'max':2}}]"),
                   "at most max");
    assert_refused(SUITE("{'diff_type':'added','entity':'m','expected_count':-1}]"),
                   "whole number");
    assert_refused("{'version':'1','tests':[{'id':'a','assertions':[" ONE_ADDED
                   "]},{'id':'a','assertions':[" ONE_ADDED "]}]}",
                   "of one task alone");
    assert_refused("{'version':'1',", "test.json:1");
}

static void lines_of_a_data_set_are_a_suite(void **state)
{
    (void)state;
    static const char lines[] =
        "{'question':'Say "
        "hi.','test_id':'t1','test_name':'Hi','service':'s','task_horizon':1,'info'"
        ":'{\\\"impersonate_user_id\\\":\\\"U1\\\"}','answer':'{\\\"assertions\\\":[{\\\"diff_type"
        "\\\":\\\"added\\\",\\\"entity\\\":\\\"m\\\"}]}'}\n"
        "\n"
        "{'question':'Rename it.','test_id':'t2','answer':{'ignore_fields':{'global':['n']},"
        "'assertions':[{'diff_type':'changed','entity':'c','expected_changes':{'topic':'new'}}]}}"
        "\n";
    static const char diff[] =
        "{'inserts':[{'__table__':'m'}],'updates':[{'__table__':'c','before':{'topic':'old','n':1},"
        "'after':{'topic':'new','n':2}}]}";
    struct sosia_suite *suite;
    struct sosia_blob blob;
    const char *text = quoted(lines);
    if (sosia_suite_open_rows(text, strlen(text), "test.jsonl", &suite, &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(sosia_suite_list(suite, &blob, &err), 0);
    const struct json *v = parsed(blob.data, blob.len);
    assert_string_equal(column(v, "tasks", "id"), "t1 t2");
    assert_string_equal(text_at(v, "tasks.0.prompt"), "Say hi.");
    assert_string_equal(text_at(v, "tasks.0.actor"), "U1");
    sosia_blob_free(&blob);
    for (int i = 0; i < 2; i++) {
        text = quoted(diff);
        assert_int_equal(sosia_grade_rows(suite, i ? "t2" : "t1", text, strlen(text), &blob, &err),
                         0);
        v = parsed(blob.data, blob.len);
        assert_true(true_at(v, "passed"));
        assert_int_equal(number_at(v, "parts.0.line"), i ? 3 : 1);
        sosia_blob_free(&blob);
    }
    sosia_suite_close(suite);
    assert_refused("{'question':'a','answer':{'assertions':[{'diff_type':'added','entity':'m'}]}}\n"
                   "{'question':'b'}",
                   "test.json:2: must be an object with \"question\" and \"answer\"");
    assert_refused("{'question':'a','answer':'{'}", "test.json:1: answer: must be a specification");
    assert_refused("{'question':'a','answer':{'assertions':[{'diff_type':'added','entity':'m'}]}}\n"
                   "{'question':'b','answer':{'assertions':[{'diff_type':'added','entty':'m'}]}}",
                   "test.json:2: tests[1].assertions.assertions[0].entty");
    /* A specification may be called the expected output as well. */
    v = grade("{'tests':[{'id':'t','expected_output':{'assertions':[{'diff_type':'added','entity':"
              "'m'}]}}]}",
              diff);
    assert_true(true_at(v, "passed"));
}

static void misses_have_the_values_that_were_bound(void **state)
{
    (void)state;
    const struct json *v =
        grade("{'version':'1','assertions':[{'diff_type':'added','entity':'e','bind':{'id':'id'}},"
              "{'diff_type':'added','entity':'m','where':{'text':{'contains':'${id}'}}},"
              "{'diff_type':'added','entity':'n','where':{'event':{'var':'id'}}}]}",
              "{'inserts':[{'__table__':'e','id':'e1'},{'__table__':'m','text':'See e2'},"
              "{'__table__':'n','event':'e2'}]}");
    assert_string_equal(text_at(v, "parts.1.near.0.differs.0.expected.contains"), "e1");
    assert_string_equal(text_at(v, "parts.2.near.0.differs.0.expected"), "e1");
    /* Where too much matches, it is not what does not match that matters. */
    v = grade("{'version':'1','assertions':[{'diff_type':'added','entity':'m','where':{'to':'a'},"
              "'expected_count':0}]}",
              "{'inserts':[{'__table__':'m','to':'a'},{'__table__':'m','to':'b'}]}");
    assert_int_equal(count_at(v, "parts.0.near"), 0);
    assert_string_equal(column(v, "parts.0.matched", "change"), "added");
}

#define test(f) cmocka_unit_test_setup_teardown(f, verdict_open, verdict_close)

int main(void)
{
    const struct CMUnitTest tests[] = {
        test(bad_suites_are_refused_by_line),
        test(what_is_allowed_may_name_what_is_bound),
        test(variables_are_bound_once_and_by_what_a_task_asserts),
        test(an_order_of_calls_may_name_what_is_bound),
        test(more_ways_to_bind_than_are_tried_are_said),
        test(what_holds_from_the_beginning_earns_nothing_inside_of_all),
        test(what_comes_as_a_whole_is_expected_by_its_members),
        test(distinct_values_are_counted_once),
        test(an_expression_that_takes_too_long_proves_nothing),
        test(tags_without_an_end_are_text),
        test(reading_takes_as_long_as_the_text_is),
        test(lines_of_a_data_set_are_a_suite),
        test(misses_have_the_values_that_were_bound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
