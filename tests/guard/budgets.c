/* SPDX-License-Identifier: Apache-2.0 */
#include "guard/budget.h"
#include "tests/guard/guard_world.h"
#include <strings.h>

#define LABELS ADA, GMAIL, "GET", "/gmail/v1/users/me/labels", NULL
#define EVENTS ADA, CALENDAR, "GET", "/calendar/v3/calendars/primary/events", NULL
#define QUICK                                                                                      \
    ADA, CALENDAR, "POST", "/calendar/v3/calendars/primary/events/quickAdd?text=Lunch", NULL

/* Of the world's budgets: one limit. */
static void limit(const char *members)
{
    use_budgets(arena_printf(&test_arena, "{'budgets':1,'limits':[{'name':'run','soft':100,%s}]}",
                             members));
}

static const struct json *stop(void)
{
    const char *text = response_header("X-Sosia-Stop");
    return *text ? parsed(text, strlen(text)) : NULL;
}

static void assert_stopped(const char *reason)
{
    assert_int_equal(test_response->status, 403);
    assert_non_null(stop());
    assert_string_equal(text_at(stop(), "status"), "stopped");
    assert_string_equal(text_at(stop(), "reason"), reason);
    assert_true(strlen(text_at(stop(), "suggested_next_step")) > 10);
}

static void so_many_calls(void **state)
{
    limit("'calls':2");
    assert_int_equal(call_as(LABELS), 200);
    assert_int_equal(call_as(EVENTS), 200);
    call_as(EVENTS);
    assert_stopped("tool_call_budget_exceeded");
    assert_int_equal(number_at(stop(), "tool_calls_used"), 3);
    assert_int_equal(number_at(stop(), "limit"), 2);
    assert_string_equal(text_at(stop(), "budget"), "run");
    assert_non_null(strstr(test_response->body, "Forbidden"));
    use_budgets(NULL);
    assert_int_equal(call_as(EVENTS), 200);
}

static void so_many_writes(void **state)
{
    limit("'writes':1");
    assert_int_equal(call_as(QUICK), 200);
    assert_int_equal(call_as(EVENTS), 200);
    call_as(QUICK);
    assert_stopped("write_budget_exceeded");
}

static void a_stopped_call_changes_nothing(void **state)
{
    struct sosia_blob before, after;
    limit("'writes':0");
    assert_int_equal(sosia_world_dump(test_engine, test_world, &before, &test_err), 0);
    call_as(QUICK);
    assert_stopped("write_budget_exceeded");
    assert_int_equal(sosia_world_dump(test_engine, test_world, &after, &test_err), 0);
    assert_string_equal(before.data, after.data);
    sosia_blob_free(&before);
    sosia_blob_free(&after);
}

static void so_many_bytes(void **state)
{
    limit("'bytes':100");
    assert_int_equal(call_as(EVENTS), 200);
    call_as(EVENTS);
    assert_stopped("byte_budget_exceeded");
}

static void so_much_time_of_the_world(void **state)
{
    limit("'world_seconds':60");
    assert_int_equal(call_as(EVENTS), 200);
    test_advance(50);
    assert_int_equal(call_as(EVENTS), 200);
    test_advance(20);
    call_as(EVENTS);
    assert_stopped("world_time_budget_exceeded");
    assert_int_equal(number_at(stop(), "world_ms_used"), 70000);
}

static void so_much_real_time(void **state)
{
    limit("'seconds':3600");
    assert_int_equal(call_as(EVENTS), 200);
    limit("'seconds':0");
    assert_int_equal(call_as(EVENTS), 200); /* the first */
    int status = 200;
    for (int i = 0; i < 100000 && status == 200; i++)
        status = call_as(EVENTS);
    assert_stopped("runtime_budget_exceeded");
}

static void the_same_call_so_often(void **state)
{
    limit("'retries':1");
    assert_int_equal(call_as(EVENTS), 200);
    assert_int_equal(call_as(LABELS), 200);
    assert_int_equal(call_as(EVENTS), 200);
    call_as(EVENTS);
    assert_stopped("retry_budget_exceeded");
    assert_int_equal(call_as(LABELS), 200);
}

static void so_many_units(void **state)
{
    limit("'units':10,'costs':{'calendar.events.*':4,'*':1}");
    assert_int_equal(call_as(EVENTS), 200);
    assert_int_equal(call_as(EVENTS), 200);
    assert_int_equal(call_as(LABELS), 200);
    assert_int_equal(call_as(LABELS), 200);
    call_as(LABELS);
    assert_stopped("unit_budget_exceeded");
}

static int said(const char *name, const char *value)
{
    const struct sosia_header header = {name, value};
    return call_with(test_world, EVENTS, &header);
}

static void tokens_and_dollars_that_the_agent_reports(void **state)
{
    limit("'tokens':1000");
    assert_int_equal(said("X-Sosia-Tokens-In", "600"), 200);
    assert_int_equal(said("X-Sosia-Tokens-Out", "400"), 200);
    said("X-Sosia-Tokens-Out", "1");
    assert_stopped("model_token_budget_exceeded");
    limit("'dollars':0.5");
    assert_int_equal(said("X-Sosia-Cost", "0.49"), 200);
    assert_int_equal(said("X-Sosia-Cost", "-7"), 200);
    said("X-Sosia-Cost", "0.02");
    assert_stopped("cost_budget_exceeded");
    assert_string_equal(printed_at(stop(), "estimated_cost_usd_used"), "0.51");
}

static void whose_they_are(void **state)
{
    limit("'per':'actor','calls':1");
    assert_int_equal(call_as(EVENTS), 200);
    assert_int_equal(call_as(EVE, CALENDAR, "GET", "/calendar/v3/users/me/calendarList", NULL),
                     200);
    call_as(EVENTS);
    assert_stopped("tool_call_budget_exceeded");
    limit("'calls':1,'actors':['eve@*']");
    assert_int_equal(call_as(EVENTS), 200);
    assert_int_equal(call_as(EVENTS), 200);
    limit("'per':'workflow','calls':1");
    assert_int_equal(said("X-Sosia-Label-Workflow", "one"), 200);
    assert_int_equal(said("X-Sosia-Label-Workflow", "two"), 200);
    said("X-Sosia-Label-Workflow", "one");
    assert_stopped("tool_call_budget_exceeded");
    limit("'calls':1,'methods':['gmail.*']");
    assert_int_equal(call_as(EVENTS), 200);
    assert_int_equal(call_as(LABELS), 200);
    call_as(LABELS);
    assert_stopped("tool_call_budget_exceeded");
}

/* The status of a list of Ada's events by a token of hers. */
static int listed_by(const char *bearer)
{
    const struct sosia_header headers[] = {{"Host", CALENDAR}, {"Authorization", bearer}};
    test_call(test_world, &(struct sosia_request){.method = "GET",
                                                  .target = "/calendar/v3/calendars/primary/events",
                                                  .headers = headers,
                                                  .n_headers = 2,
                                                  .body = ""});
    return test_response->status;
}

static void each_token_has_its_own(void **state)
{
    const char *one = arena_strdup(&test_arena, test_bearer(ADA, NULL));
    const char *other = test_bearer(ADA, "https://www.googleapis.com/auth/calendar");
    (void)state;
    assert_string_not_equal(one, other);
    limit("'per':'token','calls':2");
    assert_int_equal(listed_by(one), 200);
    assert_int_equal(listed_by(one), 200);
    listed_by(one);
    assert_stopped("tool_call_budget_exceeded");
    assert_int_equal(listed_by(other), 200);
    assert_int_equal(listed_by(other), 200);
    listed_by(other);
    assert_stopped("tool_call_budget_exceeded");
}

static void so_many_people_are_reached(void **state)
{
    limit("'recipients':1");
    assert_int_equal(call_as(QUICK), 200); /* nobody else */
    assert_int_equal(send_letter("one"), 200);
    assert_int_equal(letters_of_eve(test_world), 1);
    send_letter("two");
    assert_stopped("recipient_budget_exceeded");
    assert_int_equal(number_at(stop(), "recipients_used"), 2);
    assert_int_equal(letters_of_eve(test_world), 1);
    assert_int_equal(call_as(QUICK), 200);
}

static void so_much_is_removed(void **state)
{
    static const char *const ids[] = {"aaaaa", "bbbbb"};
    limit("'removed':1");
    for (int i = 0; i < 2; i++)
        assert_int_equal(call_as(ADA, CALENDAR, "POST", "/calendar/v3/calendars/primary/events",
                                 arena_printf(&test_arena,
                                              "{'id':'%s','start':{'date':'2026-12-01'},'end':"
                                              "{'date':'2026-12-02'}}",
                                              ids[i])),
                         200);
    assert_int_equal(
        call_as(ADA, CALENDAR, "DELETE", "/calendar/v3/calendars/primary/events/aaaaa", NULL), 204);
    call_as(ADA, CALENDAR, "DELETE", "/calendar/v3/calendars/primary/events/bbbbb", NULL);
    assert_stopped("removal_budget_exceeded");
    assert_int_equal(call_as(ADA, CALENDAR, "GET",
                             "/calendar/v3/calendars/primary/events/bbbbb?fields=status", NULL),
                     200);
    assert_string_equal(text_at(answer_body(), "status"), "confirmed");
}

static void use_policy(const char *document)
{
    const char *policy = quoted(document);
    struct sosia_blob json;
    if (sosia_policy_set(test_engine, test_world, policy, strlen(policy), NULL, &json, &test_err) <
        0)
        fail_msg("%s", test_err.text);
    sosia_blob_free(&json);
}

static void the_budget_of_a_policy_holds(void **state)
{
    use_policy("{'policy':1,'name':'p','otherwise':'allow','rules':[],"
               "'budget':{'maxToolCalls':1}}");
    assert_int_equal(call_as(EVENTS), 200);
    call_as(EVENTS);
    assert_stopped("tool_call_budget_exceeded");
    use_policy("{'workflow':'triage','tenant_id':'t','max_tool_calls':2,'tools':{"
               "'calendar.events.list':{'risk':'read','allowed':true}}}");
    assert_int_equal(call_as(EVENTS), 200);
    assert_int_equal(call_as(EVENTS), 200);
    call_as(EVENTS);
    assert_stopped("tool_call_budget_exceeded");
}

static void a_policy_decides_before_a_budget(void **state)
{
    use_policy("{'policy':1,'name':'p','otherwise':'allow','rules':[{'id':'no','effect':'deny',"
               "'call':{'method':'calendar.events.quickAdd'}}]}");
    limit("'calls':1");
    assert_int_equal(call_as(QUICK), 403);
    assert_null(stop());
    assert_int_equal(call_as(EVENTS), 200);
    call_as(EVENTS);
    assert_stopped("tool_call_budget_exceeded");
}

static void a_note_before_the_stop(void **state)
{
    use_budgets("{'budgets':1,'limits':[{'name':'run','soft':50,'calls':4}]}");
    assert_int_equal(call_as(EVENTS), 200);
    assert_string_equal(response_header("X-Sosia-Budget"), "");
    assert_int_equal(call_as(EVENTS), 200);
    const char *note = response_header("X-Sosia-Budget");
    assert_string_equal(text_at(parsed(note, strlen(note)), "status"), "warned");
    assert_int_equal(number_at(parsed(note, strlen(note)), "tool_calls_used"), 2);
}

static void forks_have_what_is_used(void **state)
{
    uint64_t fork;
    limit("'calls':2");
    assert_int_equal(call_as(EVENTS), 200);
    assert_int_equal(sosia_world_fork(test_engine, test_world, NULL, &fork, &test_err), 0);
    test_world = fork;
    assert_int_equal(call_as(EVENTS), 200);
    call_as(EVENTS);
    assert_stopped("tool_call_budget_exceeded");
}

static void exports_have_them_with_what_was_written_last(void **state)
{
    uint64_t other;
    limit("'calls':3");
    assert_int_equal(call_as(QUICK), 200);
    assert_int_equal(call_as(QUICK), 200);
    assert_int_equal(test_import_changed(NULL, &other), 0);
    test_world = other;
    assert_int_equal(call_as(EVENTS), 200);
    call_as(EVENTS);
    assert_stopped("tool_call_budget_exceeded");
}

static void the_object_that_people_write(void **state)
{
    static const char *const docs[] = {
        "{'maxToolCalls':1,'maxModelTokens':50000,'maxRetriesPerTool':9,'maxRuntimeMs':60000,"
        "'maxEstimatedCostUsd':1.5}",
        "{'workflow':'triage','tenant_id':'acme','max_tool_calls':1,'max_runtime_seconds':60,"
        "'max_retries_per_tool':9,'max_model_tokens':50000,'max_estimated_cost_usd':1.5}"};
    for (size_t i = 0; i < SOSIA_LEN(docs); i++) {
        use_budgets(docs[i]);
        assert_int_equal(call_as(EVENTS), 200);
        call_as(EVENTS);
        assert_stopped("tool_call_budget_exceeded");
    }
}

static const struct {
    const char *doc, *says;
} bad[] = {
    {"[]", "budgets.json:1"},
    {"{'maxToolCalls':1,'max_tool_calls':1}", "is there as \"maxToolCalls\", too"},
    {"{'max_runtime_seconds':1,'maxRuntimeMs':1}", "is there in milliseconds, too"},
    {"{'maxToolCals':1}", "maxToolCals"},
    {"{'maxToolCalls':-1}", "must be a whole number that is not negative"},
    {"{'maxToolCalls':1.5}", "must be a whole number that is not negative"},
    {"{'budgets':2}", "budgets: must be"},
    {"{'budgets':1,'limits':[{'calls':1}]}", "name"},
    {"{'budgets':1,'limits':[{'name':'a'}]}", "must limit something"},
    {"{'budgets':1,'limits':[{'name':'a','calls':1},{'name':'a','calls':1}]}",
     "there are two limits \"a\""},
    {"{'budgets':1,'limits':[{'name':'a','calls':1,'per':'day'}]}",
     "is none of world, actor, token, workflow"},
    {"{'budgets':1,'limits':[{'name':'a','calls':1,'soft':0}]}", "soft: must be"},
    {"{'budgets':1,'limits':[{'name':'a','calls':1,'methods':['x.y']}]}",
     "there is no method \"x.y\""},
    {"{'budgets':1,'limits':[{'name':'a','units':1,'costs':{'x.y':1}}]}",
     "there is no method \"x.y\""},
    {"{'budgets':1,'limits':[{'name':'a','calls':1,'vendors':['acme']}]}",
     "there is no vendor \"acme\""},
};

static void bad_documents_are_refused_by_name(void **state)
{
    for (size_t i = 0; i < SOSIA_LEN(bad); i++) {
        const char *text = quoted(bad[i].doc);
        test_err = (struct sosia_err){0};
        if (sosia_world_budgets(test_engine, test_world, text, strlen(text), "budgets.json",
                                &test_err) == 0 ||
            test_err.code != SOSIA_E_INVALID || !strstr(test_err.text, bad[i].says))
            fail_msg("%s: %d %s", bad[i].doc, test_err.code, test_err.text);
    }
}

static void the_schema_has_what_is_read(void **state)
{
    assert_schema("budgets.schema.json", "oneOf.0.properties", budget_document_members);
    assert_schema("budgets.schema.json", "oneOf.0.properties.limits.items.properties",
                  budget_limit_members);
    assert_schema("budgets.schema.json", "oneOf.1.properties", budget_object_members);
}

static void seed_documents_have_them(void **state)
{
    test_use(arena_printf(&test_arena, "%sfaults: rate-limited\nbudgets: {maxToolCalls: 4}\n",
                          guard_people));
    assert_int_equal(call_as(EVENTS), 200);
    assert_int_equal(call_as(EVENTS), 200);
    assert_int_equal(call_as(EVENTS), 403);
    assert_int_equal(call_as(EVENTS), 200);
    call_as(EVENTS);
    assert_stopped("tool_call_budget_exceeded");
    struct sosia_world_options opt = {.seed_doc = "sosia: 1\nfaults: {faults: 1, rules: [{}]}\n"};
    uint64_t w;
    opt.seed_doc_len = strlen(opt.seed_doc);
    assert_int_equal(sosia_world_create(test_engine, &opt, &w, &test_err), -1);
    assert_int_equal(test_err.line, 2);
    assert_non_null(strstr(test_err.text, "name"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        guard_test(so_many_calls),
        guard_test(so_many_writes),
        guard_test(a_stopped_call_changes_nothing),
        guard_test(so_many_bytes),
        guard_test(so_much_time_of_the_world),
        guard_test(so_much_real_time),
        guard_test(the_same_call_so_often),
        guard_test(so_many_units),
        guard_test(tokens_and_dollars_that_the_agent_reports),
        guard_test(whose_they_are),
        guard_test(each_token_has_its_own),
        guard_test(so_many_people_are_reached),
        guard_test(so_much_is_removed),
        guard_test(the_budget_of_a_policy_holds),
        guard_test(a_policy_decides_before_a_budget),
        guard_test(a_note_before_the_stop),
        guard_test(forks_have_what_is_used),
        guard_test(exports_have_them_with_what_was_written_last),
        guard_test(the_object_that_people_write),
        guard_test(bad_documents_are_refused_by_name),
        guard_test(the_schema_has_what_is_read),
        guard_test(seed_documents_have_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
