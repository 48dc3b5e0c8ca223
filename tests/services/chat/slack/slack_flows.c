/* SPDX-License-Identifier: Apache-2.0 */
/* Triggers of workflows and who may use them, functions and who may, tokens of other systems. */
#include "tests/support/slack.h"

static const char APP[] =
    "chatApps:\n"
    "  - client_id: '1.2'\n"
    "    owner: U0ALICE\n"
    "    settings:\n"
    "      functions: {greet: {title: Greet}, wave: {}}\n"
    "      workflows:\n"
    "        hello: {title: Say hello, steps: [{id: '0', function_id: '#/functions/greet'},\n"
    "          {id: '1', function_id: 'slack#/functions/send_message'}]}\n"
    "        again: {title: Say it twice, steps: [{id: '0', function_id: '#/functions/greet'},\n"
    "          {id: '1', function_id: '#/functions/greet'}]}\n"
    "      external_auth_providers: {oauth2: {acme: {}, other: {}}}\n"
    "workflowTriggers:\n"
    "  - {id: Ft0HELLO, app: '1.2', title: Say hello, workflow: hello}\n"
    "  - {id: Ft0BYE, app: '1.2', title: Say goodbye, workflow: bye, permission: named_entities,\n"
    "      entities: {users: [U0BOB], channels: [C0DEV]}}\n"
    "featuredWorkflows:\n"
    "  - {channel: dev, trigger: Ft0BYE}\n"
    "externalTokens:\n"
    "  - {id: Et0ONE, app: '1.2', user: U0ALICE, provider: acme, token: t-1, refresh: r-1,\n"
    "      expires: 1771185660, extras: {scope: read}}\n"
    "  - {id: Et0TWO, app: '1.2', user: U0BOB, provider: acme, token: t-2}\n";

static void same_after_a_dump(void)
{
    const char *before = json_to_text(&test_arena, test_dump());
    test_use(before);
    assert_string_equal(json_to_text(&test_arena, test_dump()), before);
}

#define PERMISSIONS(what, body)                                                                    \
    slack_json(BOT, "workflows.triggers.permissions." what, "{'trigger_id':" body "}")

static void triggers_are_for_whom_they_name(void **state)
{
    slack_use_with(APP);
    const struct json *v = PERMISSIONS("list", "'Ft0HELLO'");
    assert_slack(NULL);
    assert_string_equal(text_at(v, "permission_type"), "app_collaborators");
    assert_string_equal(printed_at(v, "user_ids"), "[\"U0ALICE\"]");
    v = PERMISSIONS("list", "'Ft0BYE'");
    assert_string_equal(printed_at(v, "user_ids"), "[\"U0BOB\"]");
    assert_string_equal(printed_at(v, "channel_ids"), "[\"C0DEV\"]");
    v = PERMISSIONS("add", "'Ft0BYE','user_ids':'U0CAROL,U0BOB','team_ids':['T0ACME']");
    assert_slack(NULL);
    assert_string_equal(printed_at(v, "user_ids"), "[\"U0BOB\",\"U0CAROL\"]");
    assert_string_equal(printed_at(v, "team_ids"), "[\"T0ACME\"]");
    same_after_a_dump();
    v = PERMISSIONS("remove", "'Ft0BYE','user_ids':'U0BOB','channel_ids':'C0DEV'");
    assert_string_equal(printed_at(v, "user_ids"), "[\"U0CAROL\"]");
    assert_null(value_at(v, "channel_ids"));
    PERMISSIONS("remove", "'Ft0BYE','user_ids':'U0CAROL','team_ids':'T0ACME'");
    assert_slack("named_entities_cannot_be_empty");
    v = PERMISSIONS("set", "'Ft0BYE','permission_type':'everyone'");
    assert_slack(NULL);
    assert_null(value_at(v, "user_ids"));
    PERMISSIONS("add", "'Ft0BYE','user_ids':'U0BOB'");
    assert_slack("invalid_permission_type");
    v = PERMISSIONS("set", "'Ft0BYE','permission_type':'named_entities','channel_ids':['C0DEV']");
    assert_string_equal(printed_at(v, "channel_ids"), "[\"C0DEV\"]");
    same_after_a_dump();
}

static void what_names_nobody_is_refused(void **state)
{
    slack_use_with(APP);
    PERMISSIONS("set", "'Ft0BYE','permission_type':'named_entities'");
    assert_slack("named_entities_cannot_be_empty");
    PERMISSIONS("set", "'Ft0BYE','permission_type':'everyone','user_ids':'U0BOB'");
    assert_slack("invalid_permission_type");
    PERMISSIONS("set", "'Ft0BYE','permission_type':'some'");
    assert_slack("invalid_arguments");
    PERMISSIONS("add", "'Ft0BYE'");
    assert_slack("no_valid_named_entities");
    PERMISSIONS("add", "'Ft0BYE','user_ids':'U0NONE'");
    assert_slack("user_not_found");
    PERMISSIONS("add", "'Ft0BYE','channel_ids':'C0VAULT'"); /* private, without the bot */
    assert_slack("channel_not_found");
    PERMISSIONS("add", "'Ft0BYE','team_ids':'T0NONE'");
    assert_slack("team_not_found");
    PERMISSIONS("add", "'Ft0BYE','org_ids':'E0NONE'");
    assert_slack("org_not_found");
    slack(BOT, "workflows.triggers.permissions.add", "trigger_id=Ft0BYE&user_ids=%s",
          slack_form("{101*U0BOB,*}"));
    assert_slack("too_many_named_entities");
    PERMISSIONS("list", "'Ft0NONE'");
    assert_slack("trigger_not_found");
    slack(ALICE, "workflows.triggers.permissions.list", "trigger_id=Ft0BYE");
    assert_slack("not_allowed_token_type");
}

static const char *shown(const char *who)
{
    const struct json *v = slack(who, "workflows.featured.list", "channel_ids=C0DEV");
    assert_slack(NULL);
    assert_string_equal(text_at(v, "featured_workflows.0.channel_id"), "C0DEV");
    return column(v, "featured_workflows.0.triggers", "id");
}

static void channels_show_workflows(void **state)
{
    slack_use_with(APP);
    assert_string_equal(shown(ALICE), "Ft0BYE");
    slack(ALICE, "workflows.featured.add", "channel_id=C0DEV&trigger_ids=Ft0HELLO,Ft0BYE");
    assert_slack(NULL);
    assert_string_equal(shown(BOT), "Ft0BYE Ft0HELLO");
    slack_json(BOT, "workflows.featured.set",
               "{'channel_id':'C0DEV','trigger_ids':['Ft0HELLO','Ft0BYE']}");
    assert_slack(NULL);
    assert_string_equal(shown(BOB), "Ft0HELLO Ft0BYE");
    same_after_a_dump();
    assert_string_equal(shown(BOB), "Ft0HELLO Ft0BYE");
    slack(ALICE, "workflows.featured.remove", "channel_id=C0DEV&trigger_ids=Ft0HELLO");
    assert_slack(NULL);
    assert_string_equal(shown(BOB), "Ft0BYE");
    const struct json *v = slack(CAROL, "workflows.featured.list", "channel_ids=C0DEV,C0GENERAL");
    assert_int_equal(count_at(v, "featured_workflows"), 2);
    assert_int_equal(count_at(v, "featured_workflows.1.triggers"), 0);
    assert_string_equal(text_at(v, "featured_workflows.0.triggers.0.title"), "Say goodbye");
}

static void channels_show_what_there_is(void **state)
{
    static const struct slack_row rows[] = {
        {ALICE, "workflows.featured.add", "channel_id=C0NONE&trigger_ids=Ft0BYE",
         "channel_not_found", NULL},
        {ALICE, "workflows.featured.add", "channel_id=C0DEV&trigger_ids=Ft0NONE",
         "error_modifying_workflows", NULL},
        {ALICE, "workflows.featured.add", "channel_id=C0DEV&trigger_ids={16*Ft0BYE,*}",
         "invalid_arguments", NULL},
        {CAROL, "workflows.featured.set", "channel_id=C0DEV&trigger_ids=Ft0BYE",
         "restricted_action", NULL},
        {ALICE, "workflows.featured.remove", "channel_id=C0DEV&trigger_ids=[]", "invalid_arguments",
         NULL},
        {BOB, "workflows.featured.list", "channel_ids=C0DEV,C0SECRET", "channel_not_found", NULL},
        {BOB, "workflows.featured.list", "channel_ids=[]", "error_invalid_channels", NULL},
        {BOB, "workflows.featured.list", "channel_ids=C0DEV", "missing_scope", "bookmarks:write"},
    };
    slack_use_with(APP);
    slack_refuse(rows, SOSIA_LEN(rows));
}

static const struct json *distribution(const char *what, const char *more)
{
    return slack_configure(
        ALICE, arena_printf(&test_arena, "functions.distributions.permissions.%s", what),
        arena_printf(&test_arena, "{'function_callback_id':'greet','function_app_id':'A0DEPLOY'%s}",
                     more));
}

static void functions_are_for_whom_they_name(void **state)
{
    slack_use_with(APP);
    const struct json *v = distribution("list", "");
    assert_slack(NULL);
    assert_string_equal(text_at(v, "permission_type"), "app_collaborators");
    assert_string_equal(text_at(v, "users.0.email"), ALICE);
    distribution("add", ",'user_ids':'U0BOB'");
    assert_slack("invalid_permission_type");
    v = distribution("set", ",'permission_type':'named_entities','user_ids':['U0BOB']");
    assert_slack(NULL);
    assert_string_equal(column(v, "users", "user_id"), "U0BOB");
    v = distribution("add", ",'user_ids':'U0CAROL'");
    assert_string_equal(column(v, "users", "user_id"), "U0BOB U0CAROL");
    same_after_a_dump();
    v = distribution("remove", ",'user_ids':'U0BOB'");
    assert_string_equal(column(v, "users", "username"), "carol");
    distribution("set", ",'permission_type':'some'");
    assert_slack("invalid_arguments");
    distribution("set", "");
    assert_slack("permission_type_required");
    distribution("set", ",'permission_type':'named_entities'");
    assert_slack("invalid_named_entities");
    distribution("set", ",'permission_type':'everyone','user_ids':'U0BOB'");
    assert_slack("invalid_permission_type");
    distribution("add", ",'user_ids':'U0NONE'");
    assert_slack("user_not_found");
    v = distribution("set", ",'permission_type':'everyone'");
    assert_slack(NULL);
    assert_null(value_at(v, "users"));
    slack_configure(ALICE, "functions.distributions.permissions.list",
                    "{'function_callback_id':'no','function_app_id':'A0DEPLOY'}");
    assert_slack("function_not_found");
    slack_configure(ALICE, "functions.distributions.permissions.list",
                    "{'function_callback_id':'greet','function_app_id':'A0NONE'}");
    assert_slack("app_not_found");
    slack_configure(ALICE, "functions.distributions.permissions.list", "{'function_id':'Fn0NONE'}");
    assert_slack("function_not_found");
    slack_configure(BOB, "functions.distributions.permissions.list",
                    "{'function_callback_id':'greet','function_app_id':'A0DEPLOY'}");
    assert_slack("no_permission");
    slack(BOT, "functions.distributions.permissions.list", "function_callback_id=greet");
    assert_slack("not_allowed_token_type");
}

static const char *given(const char *id, const char *more)
{
    const struct json *v = slack(BOT, "apps.auth.external.get", "external_token_id=%s%s", id, more);
    assert_slack(NULL);
    return text_at(v, "external_token");
}

static void tokens_of_others_are_given_and_renewed(void **state)
{
    slack_use_with(APP);
    assert_string_equal(given("Et0ONE", ""), "t-1");
    const char *renewed = given("Et0ONE", "&force_refresh=true");
    assert_string_not_equal(renewed, "t-1");
    assert_string_equal(given("Et0ONE", ""), renewed);
    test_advance(3601);
    assert_string_not_equal(given("Et0ONE", ""), renewed); /* it had ended */
    same_after_a_dump();
    const struct json *v = slack(BOT, "apps.auth.external.get", "external_token_id=Et0ONE");
    assert_string_equal(text_at(v, "token_response_extras.scope"), "read");
    assert_string_equal(given("Et0TWO", ""), "t-2");
    slack(BOT, "apps.auth.external.get", "external_token_id=Et0TWO&force_refresh=true");
    assert_slack("no_refresh_token");
    slack(BOT, "apps.auth.external.get", "external_token_id=Et0NONE");
    assert_slack("token_not_found");
    slack(ALICE, "apps.auth.external.get", "external_token_id=Et0ONE");
    assert_slack("not_allowed_token_type");
}

static void tokens_of_others_are_forgotten(void **state)
{
    slack_use_with(APP);
    slack(BOT, "apps.auth.external.delete", "provider_key=none");
    assert_slack("providers_not_found");
    slack(BOT, "apps.auth.external.delete", "provider_key=other");
    assert_slack("no_tokens_found");
    slack(BOT, "apps.auth.external.delete", "x=");
    assert_slack("invalid_args");
    slack(BOT, "apps.auth.external.delete", "app_id=A0OTHER");
    assert_slack("app_not_found");
    slack(BOT, "apps.auth.external.delete", "external_token_id=Et0ONE");
    assert_slack(NULL);
    slack(BOT, "apps.auth.external.get", "external_token_id=Et0ONE");
    assert_slack("token_not_found");
    assert_string_equal(given("Et0TWO", ""), "t-2");
    slack(BOT, "apps.auth.external.delete", "provider_key=acme&app_id=A0DEPLOY");
    assert_slack(NULL);
    slack(BOT, "apps.auth.external.delete", "external_token_id=Et0TWO");
    assert_slack("token_not_found");
    slack(BOT, "apps.auth.external.delete", "app_id=A0DEPLOY");
    assert_slack("no_tokens_found");
}

/* What its event calls the function. */
static const char *function_id(void)
{
    slack_does(ALICE, "'run':{'app':'A0DEPLOY','function':'greet'}");
    const struct json *v =
        slack(ALICE, "apps.activities.list", "app_id=A0DEPLOY&limit=1&sort_direction=desc");
    assert_slack(NULL);
    return text_at(v, "activities.0.component_id");
}

static void workflows_have_functions_as_steps(void **state)
{
    slack_use_with(APP);
    const char *id = function_id();
    const struct json *v = slack(BOB, "functions.workflows.steps.list", "function_id=%s", id);
    assert_slack(NULL);
    assert_string_equal(column(v, "steps_versions", "title"),
                        "Say hello Say it twice Say it twice");
    assert_string_equal(column(v, "steps_versions", "step_id"), "0 0 1");
    const char *workflow = text_at(v, "steps_versions.0.workflow_id");
    assert_memory_equal(workflow, "Wf", 2);
    v = slack(BOB, "functions.workflows.steps.list", "function_id=%s&workflow_id=%s", id, workflow);
    assert_int_equal(count_at(v, "steps_versions"), 1);
    v = slack(BOB, "functions.workflows.steps.list",
              "function_id=%s&workflow=%%23/workflows/again&workflow_app_id=A0DEPLOY", id);
    assert_string_equal(column(v, "steps_versions", "step_id"), "0 1");
    slack(BOB, "functions.workflows.steps.list", "function_id=Fn0NONE");
    assert_slack("unknown_function_id");
    slack(BOB, "functions.workflows.steps.list", "function_id=%s&workflow_id=Wf0NONE", id);
    assert_slack("unknown_workflow_id");
    slack(BOB, "functions.workflows.steps.list",
          "function_id=%s&workflow=%%23/workflows/again&workflow_app_id=A0NONE", id);
    assert_slack("unknown_app_id");
}

static const struct json *activities(const char *more)
{
    const struct json *v = slack(ALICE, "apps.activities.list", "app_id=A0DEPLOY%s", more);
    assert_slack(NULL);
    return v;
}

static void functions_leave_activities(void **state)
{
    slack_use_with(APP);
    const struct json *v = slack_does(ALICE, "'run':{'app':'A0DEPLOY','function':'greet'}");
    const char *one = text_at(v, "function_execution_id");
    const char *workflow = text_at(v, "workflow_execution_id");
    test_advance(60);
    v = slack_does(BOB, "'run':{'app':'A0DEPLOY','function':'wave'}");
    const char *two = text_at(v, "function_execution_id");
    test_advance(60);
    slack_json(BOT, "functions.completeSuccess", "{'function_execution_id':'%s','outputs':{}}",
               one);
    assert_slack(NULL);
    slack_json(BOT, "functions.completeError", "{'function_execution_id':'%s','error':'No'}", two);
    assert_slack(NULL);
    v = activities("");
    assert_string_equal(column(v, "activities", "event_type"),
                        "function_execution_result function_execution_result "
                        "function_execution_started function_execution_started");
    assert_string_equal(column(v, "activities", "level"), "error info info info");
    assert_string_equal(text_at(v, "activities.0.payload.error"), "No");
    assert_string_equal(text_at(v, "activities.1.payload.function_name"), "Greet");
    assert_string_equal(text_at(v, "activities.1.payload.function_type"), "app");
    assert_string_equal(text_at(v, "activities.1.trace_id") + 2, workflow + 2);
    assert_string_equal(text_at(v, "activities.1.trace_id"), text_at(v, "activities.3.trace_id"));
    same_after_a_dump();
    assert_string_equal(column(activities(""), "activities", "level"), "error info info info");
    v = activities("&sort_direction=asc&limit=3");
    assert_string_equal(column(v, "activities", "level"), "info info info");
    v = activities(arena_printf(&test_arena, "&sort_direction=asc&limit=3&cursor=%s",
                                text_at(v, "response_metadata.next_cursor")));
    assert_string_equal(column(v, "activities", "level"), "error");
    assert_string_equal(text_at(v, "response_metadata.next_cursor"), "");
    assert_int_equal(count_at(activities("&min_log_level=error"), "activities"), 1);
    assert_int_equal(
        count_at(activities("&log_event_type=function_execution_started"), "activities"), 2);
    assert_int_equal(count_at(activities("&component_type=tables"), "activities"), 0);
    assert_int_equal(count_at(activities("&min_date_created=1771185670000000"), "activities"), 2);
    slack(ALICE, "apps.activities.list", "app_id=A0DEPLOY&min_log_level=loud");
    assert_slack("invalid_args");
    slack(ALICE, "apps.activities.list", "app_id=A0DEPLOY&max_date_created=x");
    assert_slack("invalid_args");
    slack(ALICE, "apps.activities.list", "app_id=A0NONE");
    assert_slack("invalid_app_id");
    slack(BOB, "apps.activities.list", "app_id=A0DEPLOY"); /* it is Alice's */
    assert_slack("invalid_app");
    slack(BOT, "apps.activities.list", "app_id=A0DEPLOY");
    assert_slack("not_allowed_token_type");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        slack_test(triggers_are_for_whom_they_name),
        slack_test(what_names_nobody_is_refused),
        slack_test(channels_show_workflows),
        slack_test(channels_show_what_there_is),
        slack_test(functions_are_for_whom_they_name),
        slack_test(tokens_of_others_are_given_and_renewed),
        slack_test(tokens_of_others_are_forgotten),
        slack_test(workflows_have_functions_as_steps),
        slack_test(functions_leave_activities),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
