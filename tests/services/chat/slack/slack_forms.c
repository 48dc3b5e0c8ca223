/* SPDX-License-Identifier: Apache-2.0 */
/* Views and dialogs: what people fill in and submit, and what apps answer. */
#include "tests/services/chat/slack/acted.h"

/* ---- views ---- */

#define FORM                                                                                       \
    "'type':'modal','callback_id':'form','title':{'type':'plain_text','text':'Deploy'},'submit':"  \
    "{'type':'plain_text','text':'Go'},'notify_on_close':true,'blocks':[{'type':'input',"          \
    "'block_id':'what','label':{'type':'plain_text','text':'What'},'element':{'type':"             \
    "'plain_text_input','action_id':'name','min_length':3}},{'type':'section','block_id':'more',"  \
    "'text':{'type':'mrkdwn','text':'x'},'accessory':{'type':'button','action_id':'add','text':{"  \
    "'type':'plain_text','text':'Add'}}}]"

static const char *open_form(void)
{
    slack_does(ALICE, "'shortcut':{'callback_id':'new'}");
    const struct json *v =
        slack_json(BOT, "views.open", "{'trigger_id':'%s','view':{" FORM "}}", last_trigger());
    assert_slack(NULL);
    return text_at(v, "view.id");
}

/* Programs that say "ok" or {"ok":true} leave the window open, as clients have seen. */
static void a_view_is_closed_by_nothing_said(void **state)
{
    static const char *const others[] = {"ok",   "{'ok':true}", "[]",
                                         "null", "\"\"",        "{'response_action':'no'}"};
    open_form();
    for (size_t i = 0; i < SOSIA_LEN(others); i++) {
        app_says(others[i]);
        const struct json *v = slack_does(ALICE, "'submit':{'values':{'name':'moon'}}");
        assert_slack(NULL);
        assert_string_equal(text_at(v, "failure"), "invalid_response_action");
        assert_non_null(strstr(text_at(v, "notice"), "trouble connecting"));
        assert_string_equal(text_at(v, "view.callback_id"), "form");
    }
    app_says("{}"); /* as the service's own libraries say nothing over Socket Mode */
    const struct json *v = slack_does(ALICE, "'submit':{'values':{'name':'moon'}}");
    assert_null(value_at(v, "failure"));
    assert_int_equal(value_at(v, "view")->type, JSON_NULL);
    app_says(NULL);
    open_form();
    app_says(" \n");
    v = slack_does(ALICE, "'submit':{'values':{'name':'moon'}}");
    assert_null(value_at(v, "failure"));
    assert_int_equal(value_at(v, "view")->type, JSON_NULL);
}

static void a_view_is_filled_in_and_submitted(void **state)
{
    const char *id = open_form();
    const struct json *v = slack_does(ALICE, "'submit':{}");
    assert_string_equal(text_at(v, "errors.what"), "Please complete this required field.");
    assert_int_equal(n_posts, 1);
    v = slack_does(ALICE, "'submit':{'values':{'name':'ab'}}");
    assert_string_equal(text_at(v, "errors.what"), "Please enter at least 3 characters.");
    app_says("{'response_action':'errors','errors':{'what':'No such thing'}}");
    v = slack_does(ALICE, "'submit':{'view':'%s','values':{'name':'moon'}}", id);
    assert_string_equal(text_at(payload, "type"), "view_submission");
    assert_string_equal(text_at(payload, "view.state.values.what.name.value"), "moon");
    assert_string_equal(text_at(payload, "view.callback_id"), "form");
    assert_int_equal(value_at(payload, "response_urls")->n, 0);
    assert_string_equal(text_at(v, "errors.what"), "No such thing");
    assert_string_equal(text_at(v, "view.id"), id);
    app_says("{'response_action':'update','view':{'type':'modal','title':{'type':'plain_text',"
             "'text':'Done'},'blocks':[]}}");
    v = slack_does(ALICE, "'submit':{}");
    assert_string_equal(text_at(v, "view.title.text"), "Done");
    assert_string_equal(text_at(v, "view.id"), id);
    slack_does(ALICE, "'submit':{}");
    assert_slack("view_not_submittable");
    v = slack_does(ALICE, "'close':{}");
    assert_slack(NULL);
    assert_int_equal(value_at(slack_does(ALICE, "'see':{}"), "views")->n, 0);
    slack_does(ALICE, "'close':{}");
    assert_slack("view_not_found");
}

static void an_answer_pushes_clears_or_closes(void **state)
{
    const char *id = open_form();
    app_says("{'response_action':'push','view':{" FORM "}}");
    const struct json *v = slack_does(ALICE, "'submit':{'values':{'what':'moon'}}");
    assert_string_equal(text_at(v, "view.previous_view_id"), id);
    slack_does(ALICE, "'submit':{'view':'%s'}", id);
    assert_slack("view_is_covered");
    slack_does(ALICE, "'fill':{'view':'%s','values':{'what':'moon'}}", id);
    assert_slack("view_is_covered");
    slack_does(ALICE, "'click':{'view':'%s','action_id':'add'}", id);
    assert_slack("view_is_covered");
    app_says("{'response_action':'push','view':{'type':'modal'}}");
    v = slack_does(ALICE, "'submit':{'values':{'what':'moon'}}");
    assert_string_equal(text_at(v, "notice"), "We had some trouble connecting. Try again?");
    assert_string_equal(text_at(v, "view.previous_view_id"), id);
    app_says(NULL);
    v = slack_does(ALICE, "'submit':{}"); /* an empty answer closes the one view */
    assert_string_equal(text_at(v, "view.id"), id);
    app_says("{'response_action':'clear'}");
    v = slack_does(ALICE, "'submit':{'values':{'what':'moon'}}");
    assert_int_equal(value_at(v, "view")->type, JSON_NULL);
}

static void views_have_buttons_and_are_closed(void **state)
{
    const char *id = open_form();
    slack_does(ALICE, "'fill':{'values':{'what':'moon'}}");
    assert_slack(NULL);
    assert_int_equal(n_posts, 1);
    slack_does(ALICE, "'click':{'action_id':'add'}");
    assert_string_equal(text_at(payload, "type"), "block_actions");
    assert_string_equal(text_at(payload, "container.view_id"), id);
    assert_string_equal(text_at(payload, "view.state.values.what.name.value"), "moon");
    assert_null(value_at(payload, "response_url"));
    assert_null(value_at(payload, "channel"));
    const struct json *v =
        slack_json(BOT, "views.push", "{'trigger_id':'%s','view':{" FORM "}}", last_trigger());
    assert_slack(NULL);
    assert_string_equal(text_at(v, "view.previous_view_id"), id);
    slack_does(ALICE, "'close':{'all':true}");
    assert_string_equal(text_at(payload, "type"), "view_closed");
    assert_true(true_at(payload, "is_cleared"));
    assert_int_equal(value_at(slack_does(ALICE, "'see':{}"), "views")->n, 0);
    slack_does(BOB, "'submit':{'view':'%s'}", id);
    assert_slack("view_not_found");
}

static void buttons_of_attachments_replace_their_message(void **state)
{
    const struct json *v = slack_json(
        BOT, "chat.postMessage",
        "{'channel':'C0DEV','text':'Old','attachments':[{'callback_id':'cb','text':'t','actions':["
        "{'name':'go','type':'button','text':'Go','value':'7'}]}]}");
    const char *ts = text_at(v, "ts");
    app_says("{'text':'New'}");
    v = slack_does(ALICE, "'click':{'channel':'C0DEV','ts':'%s','name':'go'}", ts);
    assert_slack(NULL);
    assert_string_equal(text_at(payload, "type"), "interactive_message");
    assert_string_equal(text_at(payload, "callback_id"), "cb");
    assert_string_equal(text_at(payload, "actions.0.value"), "7");
    assert_string_equal(text_at(payload, "original_message.ts"), ts);
    assert_string_equal(text_at(v, "message.text"), "New");
}

/* ---- dialogs ---- */

static const struct json *open_dialog(const char *trigger, const char *more)
{
    return slack_json(
        BOT, "dialog.open",
        "{'trigger_id':'%s','dialog':{'callback_id':'ride','title':'Request a ride','state':'Limo',"
        "%s'elements':[{'type':'text','label':'From','name':'from','max_length':9},"
        "{'type':'textarea','label':'Why','name':'why','optional':true},"
        "{'type':'select','label':'Car','name':'car','value':'small','options':[{'label':'Small',"
        "'value':'small'},{'label':'Large','value':'large'}]},"
        "{'type':'select','label':'Driver','name':'driver','data_source':'users','optional':true},"
        "{'type':'select','label':'Bug','name':'bug','data_source':'external','optional':true}]}}",
        trigger, more);
}

static void a_dialog_is_opened_and_submitted(void **state)
{
    const char *ts = post_buttons();
    slack_does(ALICE, "'click':{'channel':'dev','ts':'%s','action_id':'yes'}", ts);
    const char *trigger = last_trigger();
    open_dialog(trigger, "");
    assert_slack(NULL);
    open_dialog(trigger, "");
    assert_slack("trigger_exchanged");
    const struct json *v = slack_does(ALICE, "'see':{}");
    assert_string_equal(text_at(v, "dialog.title"), "Request a ride");
    n_posts = 0;
    v = slack_does(ALICE, "'submit':{'values':{'from':'over there'}}");
    assert_slack(NULL);
    assert_int_equal(n_posts, 0);
    assert_string_equal(text_at(v, "errors.from"), "Please enter no more than 9 characters.");
    assert_null(value_at(v, "errors.why"));
    slack_does(ALICE, "'submit':{'values':{'from':'here','car':'bus'}}");
    assert_slack("invalid_arguments");
    slack_does(ALICE, "'submit':{'values':{'from':'here','driver':'nobody'}}");
    assert_slack("invalid_arguments");
    slack_does(ALICE, "'submit':{'values':{'to':'here'}}");
    assert_slack("invalid_arguments");
    app_says("{'options':[{'label':'Bug 7','value':'7'}]}");
    v = slack_does(ALICE, "'options':{'name':'bug','text':'bu'}");
    assert_string_equal(text_at(v, "options.0.value"), "7");
    assert_string_equal(url, "https://app.example/options");
    assert_string_equal(text_at(payload, "type"), "dialog_suggestion");
    assert_string_equal(text_at(payload, "name"), "bug");
    assert_string_equal(text_at(payload, "value"), "bu");
    slack_does(ALICE, "'options':{'name':'car'}");
    assert_slack("action_not_found");
    app_says("{'errors':[{'name':'from','error':'Too far'}]}");
    v = slack_does(ALICE, "'submit':{'values':{'from':'here','driver':'bob','bug':'7'}}");
    assert_slack(NULL);
    assert_string_equal(text_at(v, "errors.from"), "Too far");
    assert_string_equal(text_at(v, "dialog.callback_id"), "ride");
    assert_string_equal(text_at(payload, "type"), "dialog_submission");
    assert_string_equal(text_at(payload, "callback_id"), "ride");
    assert_string_equal(text_at(payload, "state"), "Limo");
    assert_string_equal(text_at(payload, "channel.name"), "dev");
    assert_string_equal(text_at(payload, "submission.from"), "here");
    assert_string_equal(text_at(payload, "submission.car"), "small");
    assert_string_equal(text_at(payload, "submission.driver"), "U0BOB");
    assert_string_equal(text_at(payload, "submission.bug"), "7");
    assert_int_equal(value_at(payload, "submission.why")->type, JSON_NULL);
    assert_non_null(text_at(payload, "response_url"));
    app_says("{'errors':[{'name':'to','error':'None'}]}");
    v = slack_does(ALICE, "'submit':{'values':{'from':'here'}}");
    assert_string_equal(text_at(v, "failure"), "invalid_errors");
    assert_null(value_at(v, "errors"));
    app_says(NULL);
    v = slack_does(ALICE, "'submit':{'values':{'from':'here'}}");
    assert_slack(NULL);
    assert_null(value_at(v, "dialog"));
    slack_does(ALICE, "'submit':{}");
    assert_slack("view_not_found");
}

static void a_dialog_is_closed_and_its_app_notified(void **state)
{
    const char *ts = post_buttons();
    slack_does(ALICE, "'click':{'channel':'dev','ts':'%s','action_id':'yes'}", ts);
    open_dialog(last_trigger(), "'notify_on_cancel':true,");
    assert_slack(NULL);
    const char *before = json_to_text(&test_arena, test_dump());
    test_use(before);
    assert_string_equal(json_to_text(&test_arena, test_dump()), before);
    slack_does(ALICE, "'close':{}");
    assert_slack(NULL);
    assert_string_equal(text_at(payload, "type"), "dialog_cancellation");
    assert_string_equal(text_at(payload, "callback_id"), "ride");
    assert_null(value_at(payload, "submission"));
    assert_null(value_at(slack_does(ALICE, "'see':{}"), "dialog"));
    slack_does(ALICE, "'click':{'channel':'dev','ts':'%s','action_id':'yes'}", ts);
    const char *trigger = last_trigger();
    n_posts = 0;
    open_dialog(trigger, "");
    slack_does(ALICE, "'close':{}");
    assert_slack(NULL);
    assert_int_equal(n_posts, 0);
    slack_does(ALICE, "'click':{'channel':'dev','ts':'%s','action_id':'yes'}", ts);
    trigger = last_trigger();
    test_advance(4);
    open_dialog(trigger, "");
    assert_slack("trigger_expired");
}

static void what_is_wrong_with_a_dialog_is_said(void **state)
{
    static const char *const bad[][2] = {
        {"{}", "The field `title` is required"},
        {"{'title':'t','callback_id':'c','elements':{}}", "The field `elements` must be a list"},
        {"{'title':'t','callback_id':'c','elements':[]}",
         "The field `elements` has to include at least one element"},
        {"{'title':'t','callback_id':'c','elements':[1]}", "Element 0 must be an object"},
        {"{'title':'t','callback_id':'c','elements':[{}]}",
         "Element 0 is missing required field `type`"},
        {"{'title':'t','callback_id':'c','elements':[{'type':'radio','name':'a','label':'b'}]}",
         "Element 0 has an invalid `type`"},
        {"{'title':'t','callback_id':'c','submit_label':'two words','elements':[{'type':'text',"
         "'name':'a','label':'b'}]}",
         "The field `submit_button` can only be one word"},
        {"{'title':'t','callback_id':'c','elements':[{'type':'text','name':'a','label':'b'},"
         "{'type':'text','name':'a','label':'b'}]}",
         "Element 1 has a repeated name"},
        {"{'title':'t','callback_id':'c','elements':[{'type':'text','name':'a','label':'b',"
         "'max_length':151}]}",
         "Element 0 field `max_length` must be between 1 and 150 (inclusive)"},
        {"{'title':'t','callback_id':'c','elements':[{'type':'text','name':'a','label':'b',"
         "'subtype':'date'}]}",
         "Element 0 has an invalid `subtype`"},
        {"{'title':'t','callback_id':'c','elements':[{'type':'select','name':'a','label':'b'}]}",
         "Element 0 field `options` must be a list"},
        {"{'title':'t','callback_id':'c','elements':[{'type':'select','name':'a','label':'b',"
         "'options':[{'label':'x'}]}]}",
         "Element 0 `options` item is missing required field `value`"},
    };
    const struct json *v;
    for (size_t i = 0; i < SOSIA_LEN(bad); i++) {
        v = slack_json(BOT, "dialog.open", "{'trigger_id':'1.2.a','dialog':%s}", bad[i][0]);
        assert_slack("validation_errors");
        assert_string_equal(text_at(v, "response_metadata.messages.0"), bad[i][1]);
    }
    open_dialog("1.2.a", "");
    assert_slack("invalid_trigger");
    slack_json(BOT, "dialog.open", "{'trigger_id':'1.2.a','dialog':'nothing'}");
    assert_slack("validation_errors");
    slack_json(BOT, "dialog.open", "{'trigger_id':'1.2.a'}");
    assert_slack("missing_dialog");
    slack_json(BOT, "dialog.open", "{'dialog':{}}");
    assert_slack("missing_trigger");
    slack_json(ALICE, "dialog.open", "{'trigger_id':'1.2.a','dialog':{}}");
    assert_slack("not_allowed_token_type");
    slack_use_with("chatApps: [{client_id: '1.2', settings: {}}]\n");
    open_dialog("1.2.a", "");
    assert_slack("app_missing_action_url");
    /* One that no method has taken. */
    slack_use_with("chatDialogs: [{app: '1.2', user: U0ALICE, body: {elements: [{}]}}]\n");
    slack_does(ALICE, "'submit':{}");
    assert_slack("dialog_not_found");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        act_test(a_view_is_closed_by_nothing_said),
        act_test(a_view_is_filled_in_and_submitted),
        act_test(an_answer_pushes_clears_or_closes),
        act_test(views_have_buttons_and_are_closed),
        act_test(buttons_of_attachments_replace_their_message),
        act_test(a_dialog_is_opened_and_submitted),
        act_test(a_dialog_is_closed_and_its_app_notified),
        act_test(what_is_wrong_with_a_dialog_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
