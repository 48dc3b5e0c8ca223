/* SPDX-License-Identifier: Apache-2.0 */
/* What people do with apps: buttons, views, commands, shortcuts, and what apps answer. */
#include "engine/base/codec.h"
#include "tests/support/slack.h"
#include <stdio.h>
#include <stdlib.h>

/* ---- an app ---- */

static const struct json *payload; /* what it got last, or a form's text */
static const char *form;           /* the same, as it came */
static const char *url;            /* where */
static char reply[4096];           /* what it answers */
static int reply_status;           /* 0: nothing comes back */
static int n_posts;
static const char *before_challenge, *behind_challenge; /* NULL: it is not given back */

static void on_post(void *arg, uint64_t world, int64_t entry, const char *json, size_t len,
                    struct sosia_outcome *ret)
{
    const struct json *v = parsed(json, len);
    form = text_at(v, "0.payload.body");
    url = text_at(v, "0.payload.url");
    payload = NULL;
    n_posts++;
    if (str_starts(form, "payload=")) {
        char *text;
        size_t n;
        assert_int_equal(percent_decode(&test_arena, form + 8, strlen(form + 8), true, &text, &n),
                         0);
        payload = parsed(text, n);
        assert_non_null(payload);
    }
    if (form[0] == '{' && before_challenge)
        snprintf(reply, sizeof reply, "%s%s%s", before_challenge,
                 text_at(parsed(form, strlen(form)), "challenge"), behind_challenge);
    *ret = (struct sosia_outcome){.status = reply_status,
                                  .error = reply_status ? NULL : "no response",
                                  .reason = reply_status ? NULL : "timeout",
                                  .body = reply,
                                  .body_len = strlen(reply)};
}

static void app_says(const char *text)
{
    snprintf(reply, sizeof reply, "%s", text ? quoted(text) : "");
    reply_status = 200;
}

static int open_app_world(void **state)
{
    if (slack_open_world(state) < 0)
        return -1;
    sosia_engine_on_handshake(test_engine, on_post, NULL);
    n_posts = 0;
    before_challenge = NULL;
    app_says(NULL);
    return 0;
}

#define act_test(f) cmocka_unit_test_setup_teardown(f, open_app_world, slack_close_world)

static const char *last_trigger(void)
{
    return text_at(payload, "trigger_id");
}

/* A message of the app with a button, a menu and a date. */
static const char *post_buttons(void)
{
    const struct json *v = slack_json(
        BOT, "chat.postMessage",
        "{'channel':'C0DEV','text':'Deploy?','blocks':[{'type':'actions','block_id':'ask',"
        "'elements':[{'type':'button','action_id':'yes','value':'42','style':'primary','text':"
        "{'type':'plain_text','text':'Yes'}},{'type':'static_select','action_id':'env','options':["
        "{'text':{'type':'plain_text','text':'Test'},'value':'test'},{'text':{'type':'plain_text',"
        "'text':'Live'},'value':'live'}]},{'type':'datepicker','action_id':'day'},{'type':"
        "'external_select','action_id':'who','min_query_length':1}]}]}");
    assert_slack(NULL);
    return text_at(v, "ts");
}

/* ---- messages ---- */

static void a_button_is_a_block_action(void **state)
{
    const char *ts = post_buttons();
    const struct json *v =
        slack_does(ALICE, "'click':{'channel':'C0DEV','ts':'%s','action_id':'yes'}", ts);
    assert_slack(NULL);
    assert_int_equal(n_posts, 1);
    assert_string_equal(url, "https://app.example/act");
    assert_string_equal(text_at(payload, "type"), "block_actions");
    assert_string_equal(text_at(payload, "user.id"), "U0ALICE");
    assert_string_equal(text_at(payload, "user.username"), "alice");
    assert_string_equal(text_at(payload, "user.team_id"), "T0ACME");
    assert_string_equal(text_at(payload, "api_app_id"), "A0DEPLOY");
    assert_string_equal(text_at(payload, "container.type"), "message");
    assert_string_equal(text_at(payload, "container.message_ts"), ts);
    assert_false(true_at(payload, "container.is_ephemeral"));
    assert_string_equal(text_at(payload, "team.domain"), "acme");
    assert_string_equal(text_at(payload, "channel.name"), "dev");
    assert_string_equal(text_at(payload, "message.ts"), ts);
    assert_string_equal(text_at(payload, "message.bot_id"), "B0DEPLOY");
    assert_string_equal(text_at(payload, "actions.0.action_id"), "yes");
    assert_string_equal(text_at(payload, "actions.0.block_id"), "ask");
    assert_string_equal(text_at(payload, "actions.0.value"), "42");
    assert_string_equal(text_at(payload, "actions.0.type"), "button");
    assert_non_null(text_at(payload, "actions.0.action_ts"));
    assert_int_equal(value_at(payload, "state.values.ask.env.selected_option")->type, JSON_NULL);
    assert_true(
        str_starts(text_at(payload, "response_url"), "https://hooks.slack.com/actions/T0ACME/"));
    assert_int_equal(value_at(v, "view")->type, JSON_NULL);
}

static void a_button_in_a_table_is_one(void **state)
{
#define CELL(id)                                                                                   \
    "{'type':'action_cell','element':{'type':'button','action_id':'" id "','value':'" id "',"      \
    "'text':{'type':'plain_text','text':'Done'}}}"
    const struct json *v = slack_json(
        BOT, "chat.postMessage",
        "{'channel':'C0DEV','text':'Tasks','blocks':[{'type':'data_table','block_id':'tasks',"
        "'caption':'Tasks','rows':[[{'type':'raw_text','text':'Task'},{'type':'raw_text','text':"
        "'Done'}],[{'type':'raw_text','text':'One'}," CELL(
            "one") "],[{'type':'raw_text','text':"
                   "'Two'}," CELL(
                       "two") "]]},{'type':'actions','block_id':'all','elements':[{'type':"
                              "'button','action_id':'all','text':{'type':'plain_text','text':'All'}"
                              "}]}]}");
    assert_slack(NULL);
    const char *ts = text_at(v, "ts");
    slack_does(ALICE, "'click':{'channel':'C0DEV','ts':'%s','action_id':'two'}", ts);
    assert_slack(NULL);
    assert_string_equal(text_at(payload, "actions.0.block_id"), "tasks");
    assert_string_equal(text_at(payload, "actions.0.value"), "two");
    slack_does(ALICE, "'click':{'channel':'C0DEV','ts':'%s','action_id':'all'}", ts);
    assert_string_equal(text_at(payload, "actions.0.block_id"), "all");
    slack_does(ALICE, "'click':{'channel':'C0DEV','ts':'%s','action_id':'three'}", ts);
    assert_slack("action_not_found");
}

static void choices_are_checked_and_shown(void **state)
{
    const char *ts = post_buttons();
    slack_does(ALICE, "'choose':{'channel':'dev','ts':'%s','action_id':'env','value':'live'}", ts);
    assert_slack(NULL);
    assert_string_equal(text_at(payload, "actions.0.selected_option.text.text"), "Live");
    assert_string_equal(text_at(payload, "state.values.ask.env.selected_option.value"), "live");
    slack_does(ALICE, "'choose':{'channel':'dev','ts':'%s','action_id':'env','value':'moon'}", ts);
    assert_slack("invalid_arguments");
    slack_does(ALICE, "'choose':{'channel':'dev','ts':'%s','action_id':'day','value':'2026-02-30'}",
               ts);
    assert_slack("invalid_arguments");
    slack_does(ALICE, "'choose':{'channel':'dev','ts':'%s','action_id':'day','value':'2026-02-28'}",
               ts);
    assert_string_equal(text_at(payload, "actions.0.selected_date"), "2026-02-28");
    app_says("{'options':[{'text':{'type':'plain_text','text':'Bob'},'value':'b'}]}");
    n_posts = 0; /* with less than the element's min_query_length nobody is asked */
    const struct json *v =
        slack_does(ALICE, "'options':{'channel':'dev','ts':'%s','action_id':'who'}", ts);
    assert_slack(NULL);
    assert_int_equal(n_posts, 0);
    assert_int_equal(value_at(v, "options")->n, 0);
    assert_string_equal(text_at(v, "notice"), "Type a minimum of 1 characters to see options.");
    v = slack_does(ALICE, "'options':{'channel':'dev','ts':'%s','action_id':'who','text':'bo'}",
                   ts);
    assert_slack(NULL);
    assert_string_equal(url, "https://app.example/options");
    assert_string_equal(text_at(payload, "type"), "block_suggestion");
    assert_string_equal(text_at(payload, "value"), "bo");
    assert_string_equal(text_at(v, "options.0.value"), "b");
    slack_does(ALICE, "'choose':{'channel':'dev','ts':'%s','action_id':'who','value':'b'}", ts);
    assert_string_equal(text_at(payload, "actions.0.selected_option.value"), "b");
    slack_does(ALICE, "'click':{'channel':'dev','ts':'%s','action_id':'nothing'}", ts);
    assert_slack("action_not_found");
    slack_does(CAROL, "'click':{'channel':'" VAULT "','ts':'%s','action_id':'yes'}", ts);
    assert_slack("message_not_found");
    slack_does(BOB, "'click':{'channel':'" VAULT "','ts':'%s','action_id':'yes'}", ts);
    assert_slack("channel_not_found");
    slack_does(BOT, "'click':{'channel':'dev','ts':'%s','action_id':'yes'}", ts);
    assert_slack("not_allowed_token_type");
    slack_call("POST", "/_act/slack", "application/json; charset=utf-8",
               slack_token(ALICE, "channels:read"),
               arena_printf(&test_arena,
                            "{\"do\":{\"click\":{\"channel\":\"dev\",\"ts\":\"%s\","
                            "\"action_id\":\"yes\"}}}",
                            ts));
    assert_slack("not_allowed_token_type");
}

static const struct json *respond(const char *body)
{
    const char *address = text_at(payload, "response_url");
    return slack_call("POST", address + strlen("https://hooks.slack.com"), "application/json", NULL,
                      quoted(body));
}

static void what_is_deleted_is_not_replaced(void **state)
{
    const char *ts = post_buttons();
    slack_does(ALICE, "'click':{'channel':'C0DEV','ts':'%s','action_id':'yes'}", ts);
    slack(BOB, "chat.postMessage", "channel=" DEV "&text=reply&thread_ts=%s", ts);
    slack(BOT, "chat.delete", "channel=" DEV "&ts=%s", ts);
    assert_slack(NULL);
    respond("{'text':'Done','replace_original':true}");
    respond("{'delete_original':true}");
    const struct json *v = slack(ALICE, "conversations.replies", "channel=" DEV "&ts=%s", ts);
    assert_string_equal(text_at(v, "messages.0.subtype"), "tombstone");
    assert_string_equal(text_at(v, "messages.0.text"), "This message was deleted.");
    assert_int_equal(count_at(v, "messages"), 2);
}

static void a_response_address_is_good_five_times(void **state)
{
    const char *ts = post_buttons();
    slack_does(ALICE, "'click':{'channel':'C0DEV','ts':'%s','action_id':'yes'}", ts);
    respond("{'text':'Only you'}");
    assert_int_equal(test_status, 200);
    assert_string_equal(test_body, "ok");
    const struct json *v = slack_does(ALICE, "'see':{'channel':'C0DEV'}");
    assert_string_equal(text_at(v, "ephemeral.0.text"), "Only you");
    assert_int_equal(value_at(slack_does(BOB, "'see':{'channel':'C0DEV'}"), "ephemeral")->n, 0);
    respond("{'text':'All','response_type':'in_channel'}");
    v = slack(ALICE, "conversations.history", "channel=C0DEV&limit=1");
    assert_string_equal(text_at(v, "messages.0.text"), "All");
    assert_string_equal(text_at(v, "messages.0.subtype"), "bot_message");
    respond("{'text':'Done','replace_original':true}");
    v = slack(ALICE, "conversations.history", "channel=C0DEV&latest=%s&inclusive=1&limit=1", ts);
    assert_string_equal(text_at(v, "messages.0.text"), "Done");
    respond("no json");
    assert_int_equal(test_status, 400); /* and counts as nothing */
    respond("{}");
    assert_string_equal(test_body, "no_text");
    respond("{'text':'four'}");
    respond("{'delete_original':true}");
    assert_int_equal(test_status, 200);
    v = slack(ALICE, "conversations.history", "channel=C0DEV&latest=%s&inclusive=1&limit=1", ts);
    assert_int_equal(value_at(v, "messages")->n, 0);
    respond("{'text':'six'}");
    assert_int_equal(test_status, 404);
    assert_string_equal(test_body, "used_url");
    slack_does(ALICE, "'click':{'channel':'C0DEV','ts':'%s','action_id':'yes'}", post_buttons());
    test_advance(31 * 60);
    respond("{'text':'late'}");
    assert_string_equal(test_body, "expired_url");
    slack_call("POST", "/actions/T0ACME/1/x", "application/json", NULL, "{\"text\":\"x\"}");
    assert_int_equal(test_status, 404);
}

/* Members of actions as Slack's own types for Bolt have them. */
static void an_action_has_what_its_element_begins_with(void **state)
{
    static const char *const chosen[][3] = {
        {"day", "2026-02-28", "initial_date"}, {"env", "live", "initial_option"}, {"who", "bob"}};
    const struct json *v = slack_json(
        BOT, "chat.postMessage",
        "{'channel':'C0DEV','text':'x','blocks':[{'type':'actions','block_id':'b','elements':[{"
        "'type':'datepicker','action_id':'day','initial_date':'2026-02-01','placeholder':{'type':"
        "'plain_text','text':'When'}},{'type':'static_select','action_id':'env','initial_option':"
        "{'text':{'type':'plain_text','text':'Test'},'value':'test'},'options':[{'text':{'type':"
        "'plain_text','text':'Test'},'value':'test'},{'text':{'type':'plain_text','text':'Live'},"
        "'value':'live'}]},{'type':'users_select','action_id':'who'},{'type':'button','action_id':"
        "'look','text':{'type':'plain_text','text':'Look'},'url':'https://x.example/','confirm':{"
        "'title':{'type':'plain_text','text':'Sure?'},'text':{'type':'plain_text','text':'Yes?'}}"
        "}]},{'type':'context_actions','block_id':'c','elements':[{'type':'feedback_buttons',"
        "'action_id':'rate','positive_button':{'text':{'type':'plain_text','text':'Good'},'value':"
        "'up'},'negative_button':{'text':{'type':'plain_text','text':'Bad'},'value':'down'}},{"
        "'type':'icon_button','action_id':'bin','icon':'trash','text':{'type':'plain_text','text':"
        "'Delete'},'value':'7'}]}]}");
    const char *ts = text_at(v, "ts");
    assert_slack(NULL);
    for (size_t i = 0; i < SOSIA_LEN(chosen); i++) {
        slack_does(ALICE, "'choose':{'channel':'dev','ts':'%s','action_id':'%s','value':'%s'}", ts,
                   chosen[i][0], chosen[i][1]);
        assert_slack(NULL);
        if (chosen[i][2])
            assert_non_null(value_at(value_at(payload, "actions.0"), chosen[i][2]));
        else
            assert_null(value_at(payload, "actions.0.initial_user"));
        if (i == 0)
            assert_string_equal(text_at(payload, "actions.0.placeholder.text"), "When");
        if (i == 1)
            assert_true(true_at(payload, "actions.0.initial_option.text.emoji"));
    }
    slack_does(ALICE, "'click':{'channel':'dev','ts':'%s','action_id':'look'}", ts);
    assert_string_equal(text_at(payload, "actions.0.url"), "https://x.example/");
    assert_string_equal(text_at(payload, "actions.0.confirm.title.text"), "Sure?");
    slack_does(ALICE, "'click':{'channel':'dev','ts':'%s','action_id':'rate','value':'down'}", ts);
    assert_string_equal(text_at(payload, "actions.0.type"), "feedback_buttons");
    assert_string_equal(text_at(payload, "actions.0.value"), "down");
    assert_string_equal(text_at(payload, "actions.0.text.text"), "Bad");
    slack_does(ALICE, "'click':{'channel':'dev','ts':'%s','action_id':'rate'}", ts);
    assert_slack("invalid_arguments");
    slack_does(ALICE, "'click':{'channel':'dev','ts':'%s','action_id':'bin'}", ts);
    assert_string_equal(text_at(payload, "actions.0.icon"), "trash");
    assert_string_equal(text_at(payload, "actions.0.value"), "7");
}

#define BUTTON                                                                                     \
    "'blocks':[{'type':'actions','elements':[{'type':'button','action_id':'%s','text':{'type':"    \
    "'plain_text','text':'Go'}},{'type':'static_select','action_id':'pick','options':[{'text':{"   \
    "'type':'plain_text','text':'One'},'value':'1'}]}]}]"

/* A block in an attachment, and in what an app shows of somebody's link, whose message it does not
 * get (docs.slack.dev, unfurling links in messages). */
static void an_attachment_is_a_container_of_its_own(void **state)
{
    const struct json *v = slack_json(
        BOT, "chat.postMessage",
        "{'channel':'C0DEV','text':'x','attachments':[{'text':'a'},{" BUTTON "}]}", "go");
    const char *ts = text_at(v, "ts");
    slack_does(ALICE, "'click':{'channel':'dev','ts':'%s','action_id':'go'}", ts);
    assert_slack(NULL);
    assert_string_equal(text_at(payload, "container.type"), "message_attachment");
    assert_int_equal(number_at(payload, "container.attachment_id"), 2);
    assert_false(true_at(payload, "container.is_app_unfurl"));
    assert_string_equal(text_at(payload, "message.ts"), ts);
    slack_does(ALICE, "'choose':{'channel':'dev','ts':'%s','action_id':'pick','value':'1'}", ts);
    assert_slack(NULL);
    assert_string_equal(text_at(payload, "actions.0.selected_option.value"), "1");
    v = slack(BOB, "chat.postMessage", "channel=C0DEV&text=see+https://acme.example/1");
    ts = text_at(v, "ts");
    slack_json(
        BOT, "chat.unfurl",
        "{'channel':'C0DEV','ts':'%s','unfurls':{'https://acme.example/1':{'bot_id':'B0X'," BUTTON
        "}}}",
        ts, "look");
    assert_slack(NULL);
    slack_does(ALICE, "'click':{'channel':'dev','ts':'%s','action_id':'look'}", ts);
    assert_slack(NULL);
    assert_string_equal(text_at(payload, "api_app_id"), "A0DEPLOY");
    assert_string_equal(text_at(payload, "container.app_unfurl_url"), "https://acme.example/1");
    assert_true(true_at(payload, "app_unfurl.is_app_unfurl"));
    assert_null(value_at(payload, "app_unfurl.bot_id"));
    assert_null(value_at(payload, "message"));
    respond("{'text':'Done','replace_original':true}"); /* not Bob's message */
    v = slack(ALICE, "conversations.history", "channel=C0DEV&latest=%s&inclusive=1&limit=1", ts);
    assert_string_equal(text_at(v, "messages.0.text"), "see <https://acme.example/1>");
    slack_json(
        BOT, "chat.unfurl",
        "{'channel':'C0DEV','ts':'%s','unfurls':{'https://acme.example/1':{'blocks':[{'type':"
        "'no'}]}}}",
        ts);
    assert_slack("cannot_parse_attachment");
}

#define CARD(id)                                                                                   \
    "{'type':'card','title':{'type':'mrkdwn','text':'x'},'actions':[{'type':'button','action_id':" \
    "'" id "','text':{'type':'plain_text','text':'Go'},'value':'" id "'}]}"

static void buttons_may_be_in_blocks_of_blocks(void **state)
{
    static const char *const buttons[] = {"one", "two", "three", "four"};
    const struct json *v =
        slack_json(BOT, "chat.postMessage",
                   "{'channel':'C0DEV','text':'x','blocks':[" CARD(
                       "one") ",{'type':'carousel','block_id':"
                              "'round','elements':[" CARD("two") "," CARD(
                                  "three") "]},{'type':'container','block_id':"
                                           "'box','title':{'type':'plain_text','text':'x'},'child_"
                                           "blocks':[{'type':'actions',"
                                           "'block_id':'in','elements':[{'type':'button','action_"
                                           "id':'four','text':{'type':"
                                           "'plain_text','text':'Go'}}]}]}]}");
    assert_slack(NULL);
    const char *ts = text_at(v, "ts");
    for (size_t i = 0; i < SOSIA_LEN(buttons); i++) {
        slack_does(ALICE, "'click':{'channel':'dev','ts':'%s','action_id':'%s'}", ts, buttons[i]);
        assert_slack(NULL);
        assert_string_equal(text_at(payload, "actions.0.action_id"), buttons[i]);
        if (i)
            assert_string_equal(text_at(payload, "actions.0.block_id"), i == 3 ? "in" : "round");
    }
    slack_does(ALICE, "'click':{'channel':'dev','ts':'%s','action_id':'five'}", ts);
    assert_slack("action_not_found");
}

static void an_app_that_does_not_answer_is_reported(void **state)
{
    const char *ts = post_buttons();
    reply_status = 0;
    const struct json *v =
        slack_does(ALICE, "'click':{'channel':'C0DEV','ts':'%s','action_id':'yes'}", ts);
    assert_slack(NULL);
    assert_string_equal(text_at(v, "failure"), "http_timeout");
    v = slack_does(ALICE, "'command':{'channel':'C0DEV','command':'/deploy'}");
    assert_string_equal(text_at(v, "ephemeral.user"), "USLACKBOT");
    assert_non_null(strstr(text_at(v, "ephemeral.text"), "/deploy failed because the app did not"));
    reply_status = 500;
    v = slack_does(ALICE, "'command':{'channel':'C0DEV','command':'/deploy'}");
    assert_string_equal(text_at(v, "failure"), "http_error");
    assert_non_null(strstr(text_at(v, "ephemeral.text"), "dispatch_failed"));
    v = slack_does(ALICE, "'command':{'channel':'C0DEV','command':'/nope'}");
    assert_non_null(strstr(text_at(v, "ephemeral.text"), "not a valid command"));
}

/* Bytes that are not UTF-8 are refused, and the act has ended. */
static void an_answer_may_be_any_bytes(void **state)
{
    app_says(NULL);
    snprintf(reply, sizeof reply, "%s", "{\"text\":\"\xff\xfe\"}");
    const struct json *v = slack_does(ALICE, "'command':{'channel':'C0DEV','command':'/deploy'}");
    assert_slack(NULL);
    assert_string_equal(text_at(v, "failure"), "invalid_payload");
    assert_non_null(strstr(text_at(v, "ephemeral.text"), "dispatch_failed"));
    v = slack_does(ALICE, "'click':{'channel':'C0DEV','ts':'%s','action_id':'yes'}",
                   post_buttons());
    assert_slack(NULL);
    assert_null(value_at(v, "failure")); /* nobody looks at it */
}

/* ---- the address for events ---- */

static const struct json *verify(const char *address)
{
    const struct json *v = slack_does(ALICE, "'verify':{'app':'A0DEPLOY','url':'%s'}", address);
    assert_slack(NULL);
    return v;
}

static void an_address_for_events_gives_back_a_challenge(void **state)
{
    static const char *const good[][2] = {
        {"", "\n"}, {"challenge=", ""}, {"{\"challenge\": \"", "\"}"}};
    static const char *const bad[][2] = {{"x", ""}, {"", "x"}, {"{\"challenge\": [\"", "\"]}"}};
    const struct json *v;
    for (size_t i = 0; i < SOSIA_LEN(good); i++) {
        before_challenge = good[i][0];
        behind_challenge = good[i][1];
        v = verify(arena_printf(&test_arena, "https://new.example/%zu", i));
        assert_true(true_at(v, "verified"));
        assert_null(value_at(v, "failure"));
    }
    assert_string_equal(url, "https://new.example/2");
    v = parsed(form, strlen(form));
    assert_string_equal(text_at(v, "type"), "url_verification");
    assert_non_null(text_at(v, "token"));
    for (size_t i = 0; i < SOSIA_LEN(bad); i++) {
        before_challenge = bad[i][0];
        behind_challenge = bad[i][1];
        v = verify("https://bad.example/");
        assert_string_equal(text_at(v, "failure"), "challenge_failed");
        assert_null(value_at(v, "verified"));
    }
    before_challenge = NULL;
    assert_string_equal(text_at(verify("https://bad.example/"), "failure"), "challenge_failed");
    reply_status = 500;
    assert_string_equal(text_at(verify("https://bad.example/"), "failure"), "http_error");
    reply_status = 0;
    assert_string_equal(text_at(verify("https://bad.example/"), "failure"), "http_timeout");
    const char *dump = json_to_text(&test_arena, test_dump()); /* it has the last good one */
    assert_non_null(strstr(dump, "\"events_url\":\"https://new.example/2\""));
    assert_null(strstr(dump, "\"events_url\":\"https://bad.example/\""));
    slack_use_with("chatApps: [{client_id: '7.9', id: A0KEEP, owner: U0ALICE, manifest: "
                   "{display_information: {name: Keeper}}}]\n"); /* it is not installed */
    before_challenge = behind_challenge = "";
    reply_status = 200;
    v = slack_does(ALICE, "'verify':{'app':'A0KEEP','url':'https://keep.example/'}");
    assert_true(true_at(v, "verified"));
    dump = json_to_text(&test_arena, test_dump());
    assert_non_null(strstr(dump, "\"request_url\":\"https://keep.example/\""));
    slack_does(BOB, "'verify':{'app':'A0KEEP','url':'https://keep.example/'}");
    assert_slack("no_permission");
    slack_does(ALICE, "'verify':{'app':'A0DEPLOY','url':'ftp://new.example/'}");
    assert_slack("invalid_arguments");
    slack_does(ALICE, "'verify':{'app':'A0NONE','url':'https://new.example/'}");
    assert_slack("app_not_found");
}

/* ---- commands and shortcuts ---- */

/* Messages for one person are kept as documents give them. */
static void odd_attachments_have_no_elements(void **state)
{
    char word[30001];
    const char *const odd[] = {word, "{a: 1, b: {}}", "7", "[a, 1]"};
    (void)state;
    memset(word, 'a', sizeof word - 1);
    word[sizeof word - 1] = 0;
    for (size_t i = 0; i < SOSIA_LEN(odd); i++) {
        slack_use_with(arena_printf(
            &test_arena,
            "ephemeralMessages: [{channel: dev, user: U0ALICE, from: U0DEPLOY, app: '1.2',\n"
            "  ts: '1771185600.000100', message: {text: x, attachments: %s}}]\n",
            odd[i]));
        slack_does(ALICE, "'click':{'channel':'dev','ts':'1771185600.000100','action_id':'go'}");
        assert_slack("action_not_found");
        slack_does(ALICE, "'click':{'channel':'dev','ts':'1771185600.000100','name':'go',"
                          "'action_id':'go'}");
        assert_slack("action_not_found");
    }
}

/* Each word is looked up once, however long it is. */
static void a_command_may_be_long(void **state)
{
    const size_t n = 300000;
    char *text = malloc(n + 1);
    (void)state;
    memset(text, 'x', n);
    text[n] = 0;
    app_says("{'text':'Only you'}");
    slack_does(ALICE, "'command':{'channel':'C0DEV','command':'/where','text':'%s'}", text);
    assert_slack(NULL);
    free(text);
}

static void a_command_is_a_form(void **state)
{
    app_says("{'response_type':'in_channel','text':'On it'}");
    const struct json *v = slack_does(
        ALICE, "'command':{'channel':'C0DEV','command':'/deploy','text':'live @bob #dev <x>'}");
    assert_slack(NULL);
    assert_string_equal(url, "https://app.example/deploy");
    assert_non_null(strstr(form, "team_id=T0ACME&team_domain=acme&channel_id=C0DEV&channel_name=dev"
                                 "&user_id=U0ALICE&user_name=alice&command=%2Fdeploy&text="));
    assert_non_null(strstr(form, "is_enterprise_install=false"));
    assert_non_null(
        strstr(form, "&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT0ACME"));
    assert_non_null(strstr(form, "&trigger_id="));
    assert_non_null(strstr(form, "text=live+%40bob+"));
    assert_string_equal(text_at(v, "message.text"), "On it");
    app_says("{'text':'Only you'}");
    v = slack_does(ALICE,
                   "'command':{'channel':'C0DEV','command':'/where','text':'live @bob #dev <x>'}");
    assert_string_equal(text_at(v, "ephemeral.text"), "Only you");
    assert_non_null(strstr(form, "%3C%40U0BOB%7Cbob%3E")); /* should_escape */
    assert_non_null(strstr(form, "%26lt%3Bx%26gt%3B"));
    snprintf(reply, sizeof reply, "plain words");
    v = slack_does(ALICE, "'command':{'channel':'C0DEV','command':'/deploy'}");
    assert_string_equal(text_at(v, "ephemeral.text"), "plain words");
    slack_does(CAROL, "'command':{'channel':'C0DEV','command':'/deploy'}");
    assert_slack("not_in_channel");
}

static void shortcuts_reach_their_apps(void **state)
{
    slack_does(ALICE, "'shortcut':{'callback_id':'new'}");
    assert_slack(NULL);
    assert_string_equal(text_at(payload, "type"), "shortcut");
    assert_string_equal(text_at(payload, "callback_id"), "new");
    assert_null(value_at(payload, "response_url"));
    assert_string_equal(text_at(payload, "user.username"), "alice");
    assert_null(value_at(payload, "user.name"));
    const char *ts = post_buttons();
    slack_does(ALICE, "'shortcut':{'callback_id':'save','channel':'C0DEV','ts':'%s'}", ts);
    assert_string_equal(text_at(payload, "type"), "message_action");
    assert_string_equal(text_at(payload, "message.ts"), ts);
    assert_string_equal(text_at(payload, "message_ts"), ts);
    assert_true(
        str_starts(text_at(payload, "response_url"), "https://hooks.slack.com/app/T0ACME/"));
    assert_string_equal(text_at(payload, "user.name"), "alice");
    assert_null(value_at(payload, "user.username"));
    respond("{'text':'Kept'}");
    assert_string_equal(test_body, "ok");
    slack_does(ALICE, "'shortcut':{'callback_id':'save'}");
    assert_slack("shortcut_not_found");
}

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
        act_test(a_button_is_a_block_action),
        act_test(a_button_in_a_table_is_one),
        act_test(choices_are_checked_and_shown),
        act_test(a_response_address_is_good_five_times),
        act_test(what_is_deleted_is_not_replaced),
        act_test(an_action_has_what_its_element_begins_with),
        act_test(an_attachment_is_a_container_of_its_own),
        act_test(buttons_may_be_in_blocks_of_blocks),
        act_test(an_app_that_does_not_answer_is_reported),
        act_test(an_answer_may_be_any_bytes),
        act_test(an_address_for_events_gives_back_a_challenge),
        act_test(a_view_is_closed_by_nothing_said),
        act_test(a_command_is_a_form),
        act_test(a_command_may_be_long),
        act_test(odd_attachments_have_no_elements),
        act_test(shortcuts_reach_their_apps),
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
