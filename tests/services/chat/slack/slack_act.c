/* SPDX-License-Identifier: Apache-2.0 */
/* What people do with apps: buttons, views, commands, shortcuts, and what apps answer. */
#include "tests/services/chat/slack/acted.h"

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
        act_test(a_command_is_a_form),
        act_test(a_command_may_be_long),
        act_test(odd_attachments_have_no_elements),
        act_test(shortcuts_reach_their_apps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
