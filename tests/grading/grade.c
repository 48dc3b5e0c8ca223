/* SPDX-License-Identifier: Apache-2.0 */
/* Worlds judged by a suite: changes, state and calls. */
#include "tests/support/world.h"

#define ADA "ada@acme.example"

static const char doc[] =
    "{sosia: 1, time: '2026-11-23T09:00:00', zone: UTC,"
    " organizations: [{domain: acme.example, name: Acme}],"
    " people: [{email: ada@acme.example, name: Ada, zone: Europe/Rome},"
    "          {email: bob@acme.example, name: Bob, zone: America/New_York}],"
    " calendars: [{id: ada@acme.example, primary: true, events: ["
    "   {id: lunch0, summary: Lunch, start: '2026-11-24T12:00', attendees: [bob@acme.example]},"
    "   {id: review, summary: Review, start: '2026-11-25T12:00'}]}],"
    " mailboxes: [{person: ada@acme.example, messages: [{id: '1a2072fc1a08096e', from: "
    "bob@acme.example,"
    "   to: ada@acme.example, subject: Plans, text: Here., labels: [INBOX, UNREAD]}]}],"
    " files: [{id: 1PlanFile0, name: plan.txt, mime: text/plain, owner: ada@acme.example, content: "
    "'a'}],"
    " workspaces: [{id: T0ACME0001, domain: acme, name: Acme}],"
    " channels: [{id: C0GENERAL1, name: general, general: true}]}";

static int open_world(void **state)
{
    (void)state;
    return test_open(doc);
}

static int close_world(void **state)
{
    (void)state;
    return test_close();
}

static void call(const char *method, const char *target, const char *body)
{
    const struct sosia_header headers[] = {{"Authorization", test_bearer(ADA, NULL)},
                                           {"Content-Type", "application/json"}};
    const char *text = body ? quoted(body) : "";
    test_request(method, target, headers, 2, text, strlen(text));
    if (test_status >= 300)
        fail_msg("%s %s: %d %s", method, target, test_status, test_body);
}

/* The result of assertions (with ' for ") in the world as it is, from another's state on; 0: what
 * it resets to. */
static const struct json *grade_from(uint64_t from, const char *assertions, const char *more)
{
    struct sosia_suite *suite;
    struct sosia_blob blob;
    const char *text = quoted(arena_printf(
        &test_arena, "{'version':'1','zone':'Europe/Rome','assertions':[%s]%s}", assertions, more));
    if (sosia_suite_open(text, strlen(text), "test.json", &suite, &test_err) < 0)
        fail_msg("%s", test_err.text);
    int rc = sosia_grade(test_engine, suite, NULL, from, test_world, &blob, &test_err);
    sosia_suite_close(suite);
    if (rc < 0)
        return NULL;
    const struct json *v = parsed(blob.data, blob.len);
    sosia_blob_free(&blob);
    return v;
}

static const struct json *grade(const char *assertions, const char *more)
{
    return grade_from(0, assertions, more);
}

static void assert_passed(const char *assertions, bool passed)
{
    const struct json *v = grade(assertions, ",'closed':false");
    if (!v)
        fail_msg("%s: %s", assertions, test_err.text);
    if (true_at(v, "passed") != passed)
        fail_msg("%s must %sbe passed: %s", assertions, passed ? "" : "not ",
                 json_to_text(&test_arena, value_at(v, "failures")));
}

#define EVENTS "/calendar/v3/calendars/primary/events"
#define MOVED                                                                                      \
    "{'diff_type':'changed','entity':'event','where':{'id':'review'},'expected_changes':{'start':" \
    "{'to':{'same_time':'2026-11-26T12:00'}},'end':{'to':{'after':'2026-11-26T11:00'}}}}"

static void move_review(void)
{
    call("PATCH", EVENTS "/review",
         "{'start':{'dateTime':'2026-11-26T11:00:00Z'},'end':{'dateTime':'2026-11-26T12:00:00Z'}}");
}

static void a_task_is_passed_by_what_it_asks_for_and_nothing_else(void **state)
{
    (void)state;
    const struct json *v = grade(MOVED, "");
    assert_int_equal(number_at(v, "reward"), 0);
    assert_false(true_at(v, "passed"));
    move_review();
    v = grade(MOVED, "");
    assert_true(true_at(v, "passed"));
    assert_int_equal(number_at(v, "reward"), 1);
    call("DELETE", EVENTS "/lunch0?sendUpdates=all", NULL);
    v = grade(MOVED, "");
    assert_false(true_at(v, "passed"));
    assert_int_equal(number_at(v, "reward"), 0);
    /* the guest's copy and mail are the consequences of one change */
    assert_string_equal(column(v, "unexpected", "name"), "event/ada@acme.example/lunch0");
    v = grade(MOVED, ",'allow':[{'entity':'event','diff_type':'removed'}]");
    assert_true(true_at(v, "passed"));
    call("POST", "/drive/v3/files/1PlanFile0/permissions", "{'role':'reader','type':'anyone'}");
    assert_false(
        true_at(grade(MOVED, ",'allow':[{'entity':'event','diff_type':'removed'}]"), "passed"));
}

static void state_is_what_is_there(void **state)
{
    (void)state;
    assert_passed("{'state':'event','where':{'calendarId':'ada@acme.example'},'expected_count':2}",
                  true);
    assert_passed("{'state':'event','where':{'calendarId':'bob@acme.example'},'expected_count':1}",
                  true);
    assert_passed(
        "{'state':'message','where':{'labels':{'has_any':['UNREAD']}},'expected_count':0}", false);
    assert_passed("{'state':'file','where':{'text':'a'}}", true);
    assert_passed(
        "{'state':'channel','where':{'name':'general','members':{'has_all':['ada@acme.example']}}}",
        true);
    assert_passed(
        "{'aggregate':{'fn':'distinct','field':'calendarId','of':{'state':'event'}},'is':2}", true);
    assert_passed("{'state':'person','where':{'zone':'Europe/Rome'},'expected_count':1}", true);
}

static void an_assertion_may_be_about_one_service(void **state)
{
    struct sosia_suite *suite;
    const char *text =
        quoted("{'version':'1','assertions':[{'state':'message','service':'post'}]}");
    (void)state;
    move_review();
#define REVIEW(service)                                                                            \
    "{'diff_type':'changed','entity':'event','where':{'id':'review'}" service                      \
    ",'expected_changes':{'start.dateTime':{}},'ignore':['end.dateTime']}"
    assert_passed(REVIEW(",'service':'calendar'"), true);
    assert_passed(REVIEW(",'service':'mail'"), false);
    assert_passed(REVIEW("") ",{'state':'message','service':'gmail'}", true);
    assert_passed(REVIEW("") ",{'state':'message','service':'mail'}", true);
    assert_passed(REVIEW("") ",{'state':'message','service':'calendar'}", false);
    assert_true(
        true_at(grade("{'state':'message'}", ",'allow':[{'service':'calendar'}]"), "passed"));
    assert_false(true_at(grade("{'state':'message'}", ",'allow':[{'service':'mail'}]"), "passed"));
    assert_int_equal(sosia_suite_open(text, strlen(text), NULL, &suite, &test_err), -1);
    assert_non_null(strstr(test_err.text, "service: must be a service, not \"post\"; nearest: "));
}

static void keep_reads(void)
{
    assert_int_equal(
        sosia_world_journal_mode(test_engine, test_world, SOSIA_JOURNAL_ALL, &test_err), 0);
}

static void calls_are_counted_and_in_order(void **state)
{
    (void)state;
    keep_reads();
    move_review();
    call("POST", "/gmail/v1/users/me/messages/1a2072fc1a08096e/modify",
         "{'addLabelIds':['STARRED']}");
    assert_passed("{'calls':{'method':'calendar.events.patch','ok':true},'expected_count':1}",
                  true);
    assert_passed("{'calls':{'request.addLabelIds':{'has_any':['STARRED']},'response.id':'"
                  "1a2072fc1a08096e'}}",
                  true);
    assert_passed("{'calls':{'method':{'contains':'delete'}},'expected_count':0}", true);
    assert_passed("{'calls':{'actor':'bob@acme.example'}}", false);
    assert_passed("{'order':[{'method':{'contains':'patch'}},{'method':{'contains':'modify'}}]}",
                  true);
    assert_passed("{'order':[{'method':{'contains':'modify'}},{'method':{'contains':'patch'}}]}",
                  false);
}

/* Those since the state that a world is compared with, if that is one of its own. */
static void calls_are_those_of_the_episode(void **state)
{
    static const char patches[] = "{'calls':{'method':'calendar.events.patch'},'expected_count':1}";
    uint64_t before, other, own = test_world;
    (void)state;
    move_review();
    assert_int_equal(sosia_world_snapshot(test_engine, own, NULL, &before, &test_err), 0);
    assert_int_equal(sosia_world_fork(test_engine, own, NULL, &other, &test_err), 0);
    test_world = other;
    call("DELETE", EVENTS "/review", NULL);
    test_world = own;
    assert_true(true_at(grade(patches, ",'closed':false"), "passed"));
    assert_false(true_at(grade_from(before, patches, ",'closed':false"), "passed"));
    assert_true(true_at(grade_from(other, patches, ",'closed':false"), "passed"));
    call("PATCH", EVENTS "/review", "{'summary':'Review 2'}");
    assert_false(true_at(grade(patches, ",'closed':false"), "passed"));
    assert_true(true_at(grade_from(before, patches, ",'closed':false"), "passed"));
    /* the other's last call is not one of its own */
    assert_false(true_at(grade_from(other, patches, ",'closed':false"), "passed"));
}

/* A journal is read page by page. */
static void calls_of_a_long_journal_are_all_there(void **state)
{
    enum { LONG = 5 << 20 };
    const struct sosia_header headers[] = {{"Authorization", test_bearer(ADA, NULL)},
                                           {"Content-Type", "text/plain"}};
    char *text = arena_alloc(&test_arena, LONG);
    (void)state;
    memset(text, 'x', LONG);
    assert_int_equal(
        sosia_world_journal_keep(test_engine, test_world, SOSIA_KEEP_FULL, 10, &test_err), 0);
    for (int i = 0; i < 3; i++) {
        test_request("PATCH", "/upload/drive/v3/files/1PlanFile0?uploadType=media", headers, 2,
                     text, LONG);
        assert_int_equal(test_status, 200);
    }
    assert_passed("{'calls':{'verb':'PATCH','request':{'starts_with':'xxx'}},'expected_count':3}",
                  true);
}

static void calls_that_nobody_kept_are_not_judged(void **state)
{
    (void)state;
    assert_int_equal(
        sosia_world_journal_mode(test_engine, test_world, SOSIA_JOURNAL_NONE, &test_err), 0);
    move_review();
    const struct json *v =
        grade("{'calls':{'method':{'contains':'delete'}},'expected_count':0}," MOVED, "");
    assert_false(true_at(v, "passed"));
    assert_int_equal(number_at(v, "reward"), 0);
    assert_string_equal(text_at(v, "reason"), "journalWithoutCalls");
    assert_string_equal(text_at(v, "failures.0"),
                        "the journal must have the calls that were made, which the task \"1\" is "
                        "judged by, lacks some");
    assert_null(value_at(grade(MOVED, ""), "reason"));
    /* What was not kept is not there later either. */
    keep_reads();
    v = grade("{'calls':{'method':{'contains':'delete'}},'expected_count':0}," MOVED, "");
    assert_string_equal(text_at(v, "reason"), "journalWithoutCalls");
    assert_int_equal(sosia_world_reset(test_engine, test_world, &test_err), 0);
    move_review();
    v = grade("{'calls':{'method':{'contains':'delete'}},'expected_count':0}," MOVED, "");
    assert_true(true_at(v, "passed"));
}

static void what_is_not_there_is_refused_by_line(void **state)
{
    (void)state;
    struct sosia_suite *suite;
    struct sosia_blob blob;
    const char *text =
        quoted("{'version':'1','assertions':[\n{'diff_type':'added',\n'entity':'evnt'}]}");
    assert_int_equal(sosia_suite_open(text, strlen(text), NULL, &suite, &test_err), -1);
    assert_int_equal(test_err.code, SOSIA_E_INVALID);
    assert_int_equal(test_err.line, 3);
    assert_non_null(strstr(test_err.text, "\"evnt\" is not; nearest: event"));
    text = quoted("{'version':'1','tests':[{'id':'a','assertions':[" MOVED
                  "]},{'id':'b','assertions':[" MOVED "]}]}");
    assert_int_equal(sosia_suite_open(text, strlen(text), NULL, &suite, &test_err), 0);
    assert_int_equal(sosia_grade(test_engine, suite, "c", 0, test_world, &blob, &test_err), -1);
    assert_string_equal(test_err.reason, "taskNotFound");
    assert_int_equal(sosia_grade(test_engine, suite, NULL, 0, test_world, &blob, &test_err), -1);
    assert_int_equal(sosia_grade(test_engine, suite, "b", 0, test_world, &blob, &test_err), 0);
    sosia_blob_free(&blob);
    assert_int_equal(sosia_suite_list(suite, &blob, &test_err), 0);
    assert_string_equal(column(parsed(blob.data, blob.len), "tasks", "id"), "a b");
    sosia_blob_free(&blob);
    sosia_suite_close(suite);
}

static void what_failed_says_what_came_closest_or_what_matched(void **state)
{
    (void)state;
    call("PATCH", "/calendar/v3/calendars/primary/events/review", "{'summary':'Reviews'}");
    const struct json *v =
        grade("{'state':'event','where':{'calendarId':'" ADA "','summary':'Luncheon'}},"
              "{'calls':{'method':'calendar.events.patch','status':201}},"
              "{'calls':{'method':'calendar.events.patch'},'expected_count':0},"
              "{'any':[{'diff_type':'changed','entity':'event','where':{'id':'review'},"
              "'expected_changes':{'summary':{'to':'Views'}}},{'not':{'any':[{'state':'event',"
              "'where':{'summary':'None'}},{'diff_type':'changed','entity':'event','strict':false}]"
              "}}]},"
              "{'diff_type':'added','entity':'event','consequences':false}",
              "");
    assert_string_equal(column(v, "parts.0.near", "id"), "lunch0 review");
    assert_string_equal(text_at(v, "parts.0.near.0.title"), "Lunch");
    assert_string_equal(text_at(v, "parts.0.near.0.differs.0.found"), "Lunch");
    assert_string_equal(text_at(v, "parts.1.near.0.method"), "calendar.events.patch");
    assert_int_equal(number_at(v, "parts.1.near.0.differs.0.expected"), 201);
    assert_int_equal(number_at(v, "parts.1.near.0.differs.0.found"), 200);
    assert_string_equal(text_at(v, "parts.2.matched.0.target"),
                        "/calendar/v3/calendars/primary/events/review");
    assert_string_equal(text_at(v, "parts.3.why"), "expected one of 2 to hold, none does");
    assert_string_equal(text_at(v, "failures.1"),
                        "assertions[1] (line 1): calls: expected at least 1, found 0");
    assert_string_equal(text_at(v, "parts.3.inner.0.near.0.differs.0.found"), "Reviews");
    /* Of what is in a "not", what holds is why it does not. */
    assert_string_equal(column(v, "parts.3.inner.1.inner", "kind"), "any");
    assert_string_equal(column(v, "parts.3.inner.1.inner.0.inner", "kind"), "changed");
    assert_string_equal(text_at(v, "parts.3.inner.1.inner.0.inner.0.matched.0.name"),
                        "event/" ADA "/review");
    /* What follows from something else is close, and says why it does not count. */
    call("POST", "/calendar/v3/calendars/primary/events?sendUpdates=all",
         "{'summary':'New','start':{'date':'2026-11-26'},'end':{'date':'2026-11-27'},"
         "'attendees':[{'email':'bob@acme.example'}]}");
    v = grade("{'diff_type':'added','entity':'message','where':{'mailbox':'bob@acme.example'}}",
              "");
    assert_string_equal(column(v, "parts.0.near.0.differs", "field"), "consequences");
}

static void a_result_names_what_the_world_was_made_of(void **state)
{
    (void)state;
    static const char more[] = "{\"sosia\":1,\"people\":[{\"email\":\"dan@acme.example\"}]}";
    const char *suite = "{'state':'event'}";
    const char *made = text_at(grade(suite, ""), "versions.seed");
    assert_int_equal(strlen(made), 32);
    call("PATCH", "/calendar/v3/calendars/primary/events/review", "{'summary':'Other'}");
    assert_string_equal(text_at(grade(suite, ""), "versions.seed"), made);
    /* Another document makes other worlds. */
    assert_int_equal(
        sosia_world_seed(test_engine, test_world, more, sizeof more - 1, NULL, &test_err), 0);
    assert_string_equal(text_at(grade(suite, ""), "versions.seed"), made);
    const char *both = text_at(grade_from(test_world, suite, ""), "versions.seed");
    assert_int_equal(strlen(both), 32);
    assert_string_not_equal(both, made);
}

static void mail_of_html_alone_has_a_text_too(void **state)
{
    (void)state;
    /* Content-Type: text/html, <p>In <b>drawer&nbsp;3</b>.</p> */
    call("POST", "/gmail/v1/users/me/messages/send",
         "{'raw':'VG86IGJvYkBhY21lLmV4YW1wbGUNClN1YmplY3Q6IEtleXMNCkNvbnRlbnQtVHlwZTogdGV4dC9odG1s"
         "DQoNCjxwPkluIDxiPmRyYXdlciZuYnNwOzM8L2I-LjwvcD4NCg'}");
    assert_passed("{'diff_type':'added','entity':'message','where':{'mailbox':'" ADA
                  "','text':{'same_text':'in drawer 3'},'html':{'contains':'<b>'}}}",
                  true);
}

#define test(f) cmocka_unit_test_setup_teardown(f, open_world, close_world)

int main(void)
{
    const struct CMUnitTest tests[] = {
        test(a_task_is_passed_by_what_it_asks_for_and_nothing_else),
        test(state_is_what_is_there),
        test(an_assertion_may_be_about_one_service),
        test(calls_are_counted_and_in_order),
        test(calls_are_those_of_the_episode),
        test(calls_of_a_long_journal_are_all_there),
        test(calls_that_nobody_kept_are_not_judged),
        test(what_is_not_there_is_refused_by_line),
        test(what_failed_says_what_came_closest_or_what_matched),
        test(a_result_names_what_the_world_was_made_of),
        test(mail_of_html_alone_has_a_text_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
