/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of apps that people run as steps of workflows. */
#include "engine/base/codec.h"
#include "tests/support/slack.h"

static const char APP[] =
    "chatApps:\n"
    "  - client_id: '1.2'\n"
    "    settings:\n"
    "      events_url: 'https://app.example/e'\n"
    "      functions:\n"
    "        greet:\n"
    "          title: Greet\n"
    "          input_parameters:\n"
    "            who: {type: 'slack#/types/user_id', title: Who, is_required: true}\n"
    "            times: {type: integer}\n"
    "          output_parameters:\n"
    "            properties: {text: {type: string}, ok: {type: boolean}}\n"
    "            required: [text]\n";

static const char *run(void)
{
    const struct json *v = slack_does(
        ALICE, "'run':{'app':'A0DEPLOY','function':'greet','inputs':{'who':'U0BOB','times':2}}");
    assert_slack(NULL);
    return text_at(v, "function_execution_id");
}

static void a_function_is_run_and_completed(void **state)
{
    slack_use_with(APP);
    const char *id = run();
    assert_memory_equal(id, "Fx", 2);
    const struct json *all = test_outbox();
    assert_int_equal(all->n, 1);
    const char *body = text_at(all, "0.payload.body");
    const struct json *e = value_at(parsed(body, strlen(body)), "event");
    assert_string_equal(text_at(e, "type"), "function_executed");
    assert_string_equal(text_at(e, "function.callback_id"), "greet");
    assert_string_equal(text_at(e, "function.app_id"), "A0DEPLOY");
    assert_string_equal(text_at(e, "function.input_parameters.0.name"), "who");
    assert_true(true_at(e, "function.input_parameters.0.is_required"));
    assert_false(true_at(e, "function.input_parameters.1.is_required"));
    assert_true(true_at(e, "function.output_parameters.0.is_required"));
    assert_string_equal(text_at(e, "inputs.who"), "U0BOB");
    assert_string_equal(text_at(e, "function_execution_id"), id);
    assert_memory_equal(text_at(e, "workflow_execution_id"), "Wx", 2);
    /* The token in it is the bot's. */
    const char *token = text_at(e, "bot_access_token");
    assert_memory_equal(token, "xwfp-", 5);
    const struct json *v = slack_call("POST", "/api/auth.test", NULL, token, NULL);
    assert_string_equal(text_at(v, "user_id"), "U0DEPLOY");
    /* What comes of it. */
    slack_json(BOT, "functions.completeSuccess", "{'function_execution_id':'%s','outputs':{}}", id);
    assert_slack("parameter_validation_failed");
    v = slack_json(BOT, "functions.completeSuccess",
                   "{'function_execution_id':'%s','outputs':{'text':'hi','ok':'yes'}}", id);
    assert_slack("parameter_validation_failed");
    assert_string_equal(text_at(v, "response_metadata.messages.0"),
                        "[ERROR] must provide a boolean [json-pointer:/outputs/ok]");
    const char *before = json_to_text(&test_arena, test_dump());
    test_use(before);
    assert_string_equal(json_to_text(&test_arena, test_dump()), before);
    assert_string_equal(
        text_at(slack_does(ALICE, "'see':{'execution':'%s'}", id), "execution.status"), "running");
    slack_json(BOT, "functions.completeSuccess",
               "{'function_execution_id':'%s','outputs':{'text':'hi','ok':true}}", id);
    assert_slack(NULL);
    v = slack_does(ALICE, "'see':{'execution':'%s'}", id);
    assert_string_equal(text_at(v, "execution.status"), "completed");
    assert_string_equal(text_at(v, "execution.outputs.text"), "hi");
    slack_does(BOB, "'see':{'execution':'%s'}", id);
    assert_slack("function_execution_not_found");
    slack_json(BOT, "functions.completeError", "{'function_execution_id':'%s','error':'x'}", id);
    assert_slack("execution_not_in_running_state");
    before = json_to_text(&test_arena, test_dump());
    test_use(before);
    assert_string_equal(json_to_text(&test_arena, test_dump()), before);
}

static void a_function_fails(void **state)
{
    slack_use_with(APP);
    const char *id = run();
    slack_json(BOT, "functions.completeError", "{'function_execution_id':'%s','error':'No'}", id);
    assert_slack(NULL);
    const struct json *v = slack_does(ALICE, "'see':{'execution':'%s'}", id);
    assert_string_equal(text_at(v, "execution.status"), "failed");
    assert_string_equal(text_at(v, "execution.error"), "No");
}

static void what_can_not_be_is_refused(void **state)
{
    slack_use_with(APP);
    slack_does(ALICE, "'run':{'app':'A0DEPLOY','function':'other'}");
    assert_slack("function_not_found");
    slack_does(ALICE, "'run':{'app':'A0DEPLOY','function':'greet'}");
    assert_slack("parameter_validation_failed");
    slack_does(ALICE,
               "'run':{'app':'A0DEPLOY','function':'greet','inputs':{'who':'U0BOB','times':1.5}}");
    assert_slack("parameter_validation_failed");
    slack_does(ALICE, "'run':{'app':'A0DEPLOY','function':'greet','inputs':[]}");
    assert_slack("invalid_arguments");
    const char *id = run();
    slack_json(BOT, "functions.completeSuccess", "{'function_execution_id':'%s','outputs':[]}", id);
    assert_slack("invalid_arguments");
    slack_json(BOT, "functions.completeSuccess", "{'function_execution_id':'%s'}", id);
    assert_slack("invalid_arguments");
    slack_json(BOT, "functions.completeSuccess", "{'function_execution_id':'Fx1','outputs':{}}");
    assert_slack("function_execution_not_found");
    slack_json(ALICE, "functions.completeError", "{'function_execution_id':'%s','error':'x'}", id);
    assert_slack("function_execution_not_found"); /* her token is of no app */
    /* An app without an address for events. */
    slack_use_with("chatApps: [{client_id: '1.2', settings: {functions: {f: {}}}}]\n");
    const struct json *v = slack_does(ALICE, "'run':{'app':'A0DEPLOY','function':'f'}");
    assert_string_equal(text_at(v, "failure"), "not_configured");
    assert_int_equal(test_outbox()->n, 0);
}

/* Parameters are in a manifest by their names, or as properties. */
static void manifests_declare_functions(void **state)
{
    slack_use_with(
        "chatApps:\n"
        "  - client_id: '1.2'\n"
        "    manifest:\n"
        "      display_information: {name: Deployer}\n"
        "      oauth_config: {scopes: {bot: ['chat:write']}}\n"
        "      settings: {socket_mode_enabled: true, event_subscriptions:\n"
        "        {bot_events: [function_executed]}}\n"
        "      functions:\n"
        "        a: {title: A, input_parameters: {x: {type: string}}, output_parameters: {}}\n"
        "        b: {title: B, input_parameters: {properties: {x: {type: string}}},\n"
        "            output_parameters: {properties: {type: {type: string}}}}\n");
    slack_does(ALICE, "'run':{'app':'A0DEPLOY','function':'a','inputs':{'x':7}}");
    assert_slack("parameter_validation_failed");
    slack_does(ALICE, "'run':{'app':'A0DEPLOY','function':'b','inputs':{'x':7}}");
    assert_slack("parameter_validation_failed");
    slack_does(ALICE, "'run':{'app':'A0DEPLOY','function':'b','inputs':{'x':'y'}}");
    assert_slack(NULL);
}

static void post_event(const char *type, const char *payload, bool kept)
{
    const struct json *v = slack_json(
        BOT, "chat.postMessage",
        "{'channel':'C0DEV','text':'x','metadata':{'event_type':'%s','event_payload':%s}}", type,
        payload);
    assert_slack(NULL);
    if (kept)
        assert_null(value_at(v, "warning"));
    else
        assert_string_equal(text_at(v, "warning"), "invalid_metadata_schema");
    v = slack(BOB, "conversations.history", "channel=" DEV "&limit=1&include_all_metadata=true");
    if (kept)
        assert_string_equal(
            json_to_text(&test_arena, value_at(v, "messages.0.metadata.event_payload")),
            quoted(payload));
    else
        assert_null(value_at(v, "messages.0.metadata"));
}

/* Metadata that does not fit what the app says of it is left out, and the message is posted. */
static void manifests_declare_events(void **state)
{
    slack_use_with("chatApps:\n"
                   "  - client_id: '1.2'\n"
                   "    manifest:\n"
                   "      display_information: {name: Deployer}\n"
                   "      events:\n"
                   "        open: {type: object, properties: {type: {type: string},\n"
                   "               n: {type: integer}}, required: [type]}\n"
                   "        closed: {type: object, properties: {a: {type: string}},\n"
                   "                 additionalProperties: false}\n"
                   "        own: {type: '#/types/mine'}\n");
    post_event("open", "{'type':'a','n':1,'more':true}", true);
    post_event("open", "{'n':1}", false);
    post_event("open", "{'type':'a','n':'one'}", false);
    post_event("closed", "{}", true);
    post_event("closed", "{'a':'b','c':1}", false);
    post_event("own", "{'c':1}", true);
    post_event("other", "{'c':1}", true);
}

#define FORM                                                                                       \
    "'type':'modal','title':{'type':'plain_text','text':'T'},'submit':{'type':'plain_text',"       \
    "'text':'Go'},'blocks':[{'type':'divider'}]"

/* Of what a person did last. */
static const struct json *last_payload(void)
{
    const struct json *all = test_outbox();
    const char *body = text_at(&all->items[all->n - 1], "payload.body");
    char *text;
    size_t n;
    assert_memory_equal(body, "payload=", 8);
    assert_int_equal(percent_decode(&test_arena, body + 8, strlen(body + 8), true, &text, &n), 0);
    return parsed(text, n);
}

/* Of a button in a message that a function's token posted, its app is given what belongs to the
 * function (a sample of Slack's SDK for Java). */
static void buttons_of_a_function_say_which_it_is(void **state)
{
    slack_use_with(
        arena_printf(&test_arena, "%s      interactivity_url: 'https://app.example/a'\n", APP));
    slack_does(ALICE, "'run':{'app':'A0DEPLOY','function':'greet','inputs':{'who':'U0BOB'}}");
    const char *id = run();
    const struct json *all = test_outbox();
    const char *body = text_at(all, "1.payload.body");
    const struct json *e = value_at(parsed(body, strlen(body)), "event");
    assert_false(true_at(e, "function.form_enabled"));
    const struct json *v = slack_call(
        "POST", "/api/chat.postMessage", "application/json", text_at(e, "bot_access_token"),
        quoted("{'channel':'C0DEV','text':'x','blocks':[{'type':'actions','elements':[{'type':"
               "'button','action_id':'ok','text':{'type':'plain_text','text':'OK'}}]}]}"));
    assert_slack(NULL);
    assert_null(strstr(test_body, "_function"));
    const char *ts = text_at(v, "ts");
    for (int i = 0; i < 2; i++) {
        slack_does(ALICE, "'click':{'channel':'dev','ts':'%s','action_id':'ok'}", ts);
        assert_slack(NULL);
        v = last_payload();
        assert_string_equal(text_at(v, "type"), "block_actions");
        assert_string_equal(text_at(v, "function_data.execution_id"), id);
        assert_string_equal(text_at(v, "function_data.function.callback_id"), "greet");
        assert_string_equal(text_at(v, "function_data.inputs.who"), "U0BOB");
        assert_memory_equal(text_at(v, "bot_access_token"), "xwfp-", 5);
        assert_string_equal(text_at(v, "interactivity.interactor.id"), "U0ALICE");
        assert_string_equal(text_at(v, "interactivity.interactivity_pointer"),
                            text_at(v, "trigger_id"));
        const char *dump = json_to_text(&test_arena, test_dump());
        test_use(dump); /* it is kept */
    }
    /* A view that is opened from there, and what takes its place. */
    slack_does(ALICE, "'click':{'channel':'dev','ts':'%s','action_id':'ok'}", ts);
    v = last_payload();
    v = slack_call(
        "POST", "/api/views.open", "application/json", text_at(v, "bot_access_token"),
        quoted(arena_printf(&test_arena, "{'interactivity_pointer':'%s','view':{" FORM "}}",
                            text_at(v, "interactivity.interactivity_pointer"))));
    assert_slack(NULL);
    assert_null(strstr(test_body, "_function"));
    slack_json(BOT, "views.update", "{'view_id':'%s','view':{" FORM "}}", text_at(v, "view.id"));
    assert_slack(NULL);
    slack_does(ALICE, "'submit':{}");
    v = last_payload();
    assert_string_equal(text_at(v, "type"), "view_submission");
    assert_string_equal(text_at(v, "function_data.execution_id"), id);
    assert_null(value_at(v, "view._function"));
    v = slack_json(BOT, "chat.postMessage",
                   "{'channel':'C0DEV','text':'x','blocks':[{'type':'actions','elements':[{'type':"
                   "'button','action_id':'ok','text':{'type':'plain_text','text':'OK'}}]}]}");
    slack_does(ALICE, "'click':{'channel':'dev','ts':'%s','action_id':'ok'}", text_at(v, "ts"));
    all = test_outbox();
    assert_null(strstr(text_at(&all->items[all->n - 1], "payload.body"), "function_data"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        slack_test(a_function_is_run_and_completed),
        slack_test(a_function_fails),
        slack_test(what_can_not_be_is_refused),
        slack_test(manifests_declare_functions),
        slack_test(manifests_declare_events),
        slack_test(buttons_of_a_function_say_which_it_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
