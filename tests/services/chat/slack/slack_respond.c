/* SPDX-License-Identifier: Apache-2.0 */
/* People who answer by themselves. */
#include "tests/support/slack.h"

static const struct json *last_message(const char *who, const char *channel)
{
    return value_at(slack(who, "conversations.history", "channel=%s&limit=1", channel),
                    "messages.0");
}

static void say(const char *who, const char *text)
{
    slack(who, "chat.postMessage", "channel=C0DEV&text=%s", text);
    assert_slack(NULL);
}

static void a_message_is_answered_by_the_clock(void **state)
{
    slack_use_with("responders:\n"
                   "  - id: bob\n"
                   "    as: U0BOB\n"
                   "    when: {channels: [dev], from: [alice], text: 'deploy (\\w+)'}\n"
                   "    delay: 30\n"
                   "    times: 2\n"
                   "    do:\n"
                   "      - react: {name: eyes}\n"
                   "      - wait: 60\n"
                   "      - post: {text: 'on it: ${1}, <@${user}>', in_thread: true}\n");
    say(ALICE, "please deploy api");
    const char *ts = text_at(last_message(ALICE, DEV), "ts");
    test_advance(29);
    assert_null(value_at(last_message(ALICE, DEV), "reactions"));
    test_advance(2);
    assert_string_equal(text_at(last_message(ALICE, DEV), "reactions.0.users.0"), "U0BOB");
    const char *before = json_to_text(&test_arena, test_dump());
    test_use(before);
    assert_string_equal(json_to_text(&test_arena, test_dump()), before);
    test_advance(60);
    const struct json *v = slack(ALICE, "conversations.replies", "channel=C0DEV&ts=%s", ts);
    assert_string_equal(text_at(v, "messages.1.text"), "on it: api, <@U0ALICE>");
    assert_string_equal(text_at(v, "messages.1.user"), "U0BOB");
    say(BOB, "deploy it"); /* not of Alice's, and his own */
    say(ALICE, "deploy b");
    say(ALICE, "deploy c"); /* a third one */
    test_advance(100);
    v = slack(ALICE, "conversations.history", "channel=C0DEV&limit=2");
    assert_null(value_at(v, "messages.0.reactions"));
    assert_non_null(value_at(v, "messages.1.reactions"));
}

static void who_is_answered_may_be_said_by_address(void **state)
{
    slack_use_with("responders:\n"
                   "  - {id: a, as: U0BOB, when: {from: [Alice@acme.example]}, do: [{post: {text: "
                   "hi}}]}\n");
    say(BOT, "go");
    test_advance(10);
    assert_string_equal(text_at(last_message(ALICE, DEV), "text"), "go");
    say(ALICE, "go on");
    test_advance(10);
    assert_string_equal(text_at(last_message(ALICE, DEV), "text"), "hi");
}

static void two_of_them_do_not_talk_forever(void **state)
{
    slack_use_with("responders:\n"
                   "  - {id: a, as: U0ALICE, times: 5, do: [{post: {text: ping}}]}\n"
                   "  - {id: b, as: U0BOB, times: 5, do: [{post: {text: pong}}]}\n");
    say(BOT, "go");
    test_advance(86400);
    const struct json *v = slack(ALICE, "conversations.history", "channel=C0DEV&limit=100");
    assert_int_equal(value_at(v, "messages")->n, 11);
}

static void a_pattern_takes_no_longer_than_it_may(void **state)
{
    slack_use_with("responders:\n"
                   "  - {id: a, as: U0BOB, when: {text: '(a+)+$'}, do: [{post: {text: found}}]}\n");
    say(ALICE, "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!");
    test_advance(10);
    assert_string_not_equal(text_at(last_message(ALICE, DEV), "text"), "found");
    say(ALICE, "aaa");
    test_advance(10);
    assert_string_equal(text_at(last_message(ALICE, DEV), "text"), "found");
}

static void a_button_is_pressed(void **state)
{
    slack_use_with(
        "responders:\n"
        "  - {id: a, as: U0ALICE, when: {text: 'Deploy'}, do: [{click: {action_id: yes}}]}\n"
        "  - {id: b, as: U0ALICE, when: {text: 'Else'}, do: [{click: {action_id: no}}]}\n");
    slack_json(BOT, "chat.postMessage",
               "{'channel':'C0DEV','text':'Deploy?','blocks':[{'type':'actions','elements':[{"
               "'type':'button','action_id':'yes','text':{'type':'plain_text','text':'Yes'}}]}]}");
    assert_slack(NULL);
    test_advance(2);
    const struct json *out = test_outbox();
    assert_int_equal(out->n, 1);
    assert_string_equal(text_at(out, "0.payload.url"), "https://app.example/act");
    assert_non_null(strstr(text_at(out, "0.payload.body"), "block_actions"));
    say(ALICE, "Else?"); /* his own */
    say(BOB, "Else?");
    test_advance(2);
    const struct json *d = value_at(test_dump(), "responders");
    assert_null(value_at(d, "0.refused"));
    assert_string_equal(text_at(d, "1.refused"), "app_not_installed");
}

static void a_view_is_submitted_as_it_comes(void **state)
{
    slack_use_with(
        "responders:\n"
        "  - {id: a, as: U0ALICE, when: {view: '^form$'}, do: [{submit: {values: {what: api}}}]}\n"
        "chatTriggers: [{id: 1337.2026.c0ffee, app: '1.2', user: U0ALICE}]\n");
    slack_json(BOT, "views.open",
               "{'trigger_id':'1337.2026.c0ffee','view':{'type':'modal','callback_id':'form',"
               "'title':{'type':'plain_text','text':'T'},'submit':{'type':'plain_text','text':'S'},"
               "'blocks':[{'type':'input','block_id':'what','label':{'type':'plain_text','text':"
               "'W'},'element':{'type':'plain_text_input','action_id':'x'}}]}}");
    assert_slack(NULL);
    assert_int_equal(test_outbox()->n, 0);
    test_advance(1);
    const char *body = text_at(test_outbox(), "0.payload.body");
    assert_non_null(strstr(body, "view_submission"));
    assert_non_null(strstr(body, "%22value%22%3A%22api%22"));
}

static void a_dialog_is_submitted_as_it_comes(void **state)
{
    slack_use_with(
        "responders:\n"
        "  - {id: a, as: U0ALICE, when: {view: ride}, do: [{submit: {values: {from: here}}}]}\n"
        "chatTriggers: [{id: 1337.2026.c0ffee, app: '1.2', user: U0ALICE, channel: dev}]\n");
    slack_json(BOT, "dialog.open",
               "{'trigger_id':'1337.2026.c0ffee','dialog':{'callback_id':'ride','title':'Ride',"
               "'elements':[{'type':'text','label':'From','name':'from'}]}}");
    assert_slack(NULL);
    test_advance(1);
    const char *body = text_at(test_outbox(), "0.payload.body");
    assert_non_null(strstr(body, "dialog_submission"));
    assert_non_null(strstr(body, "%22from%22%3A%22here%22"));
}

/* What an act did before it was refused is not there; those behind it are not done. */
static void a_refused_act_ends_the_answer(void **state)
{
    slack_use_with("responders:\n"
                   "  - id: a\n"
                   "    as: U0BOB\n"
                   "    when: {text: go}\n"
                   "    do:\n"
                   "      - post: {text: first}\n"
                   "      - click: {action_id: yes}\n"
                   "      - post: {text: second}\n"
                   "  - {id: b, as: U0BOB, when: {text: go}, do: [{post: {text: other}}]}\n");
    say(ALICE, "go");
    test_advance(5);
    const struct json *v = slack(ALICE, "conversations.history", "channel=C0DEV");
    assert_int_equal(value_at(v, "messages")->n, 3);
    assert_string_equal(text_at(v, "messages.0.text"), "other");
    assert_string_equal(text_at(v, "messages.1.text"), "first");
    const struct json *d = value_at(test_dump(), "responders.0");
    assert_string_equal(text_at(d, "refused"), "app_not_installed");
    assert_int_equal(number_at(d, "times"), 99);
    assert_null(value_at(d, "under_way"));
}

static void who_is_not_in_the_channel_does_not_answer(void **state)
{
    slack_use_with("responders:\n"
                   "  - {id: a, as: U0CAROL, do: [{post: {text: here}}]}\n"
                   "  - {id: b, as: U0BOB, when: {direct: true}, do: [{post: {text: yes}}]}\n");
    say(ALICE, "hello");
    const struct json *v = slack(ALICE, "conversations.open", "users=U0BOB");
    const char *direct = text_at(v, "channel.id");
    slack(ALICE, "chat.postMessage", "channel=%s&text=hello", direct);
    assert_slack(NULL);
    test_advance(5);
    assert_string_equal(text_at(last_message(ALICE, DEV), "text"), "hello");
    assert_string_equal(text_at(last_message(ALICE, direct), "text"), "yes");
}

static void what_is_wrong_in_a_rule_is_refused(void **state)
{
    static const char *const bad[][2] = {
        {"{as: U0BOB, do: [{post: {}}]}", "id"},
        {"{id: a, as: nobody, do: [{post: {}}]}", "there is nobody"},
        {"{id: a, as: deploybot, do: [{post: {}}]}", "must be a person"},
        {"{id: a, do: [{post: {}}]}", "as: is missing"},
        {"{id: a, as: bob}", "must have 1 to 20 acts"},
        {"{id: a, as: bob, do: []}", "must have 1 to 20 acts"},
        {"{id: a, as: bob, do: [{post: 1}]}", "each must be an object with one act"},
        {"{id: a, as: bob, do: [{sing: {}}]}", "there is no act \"sing\""},
        {"{id: a, as: bob, do: [{wait: 0}]}", "each must be an object with one act"},
        {"{id: a, as: bob, do: [{post: {}}], when: {text: '('}}", "broken pattern"},
        {"{id: a, as: bob, do: [{post: {}}], when: {from: x}}", "must be a list"},
        {"{id: a, as: bob, do: [{post: {}}], when: {who: x}}", "who"},
        {"{id: a, as: bob, do: [{post: {}}], delay: 0}", "delay"},
        {"{id: a, as: bob, do: [{post: {}}], under_way: [{at: soon, do: []}]}", "a ts"},
        {"{id: a, as: bob, do: [{post: {}}], under_way: [{at: '1771185700.000000', do: [{wait: "
         "9000000000000000000}]}]}",
         "{wait: seconds}"}};
    for (size_t i = 0; i < SOSIA_LEN(bad); i++) {
        struct sosia_err err;
        const char *text = arena_printf(&test_arena, "sosia: 1\nresponders: [%s]\n", bad[i][0]);
        int rc = sosia_world_seed(test_engine, test_world, text, strlen(text), NULL, &err);
        if (rc == 0 || !strstr(err.text, bad[i][1]))
            fail_msg("%s: expected %s: %s", bad[i][0], bad[i][1], rc ? err.text : "it was taken");
    }
}

static void rows_that_break_a_rule_are_not_imported(void **state)
{
    static const char *const changes[] = {
        "update slack_responder set rule = '[]'",   "update slack_responder set acts = '{}'",
        "update slack_responder set delay_s = 0",   "update slack_responder set times = -1",
        "update slack_respond set acts = ''",       "update slack_respond set step = 21",
        "update slack_respond set at_us = 1 << 62",
    };
    slack_use_with("responders: [{id: a, as: bob, do: [{post: {text: x}}]}]\n");
    say(ALICE, "go");
    for (size_t i = 0; i < SOSIA_LEN(changes); i++) {
        uint64_t imported;
        if (test_import_changed(changes[i], &imported) == 0)
            fail_msg("imported: %s", changes[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        slack_test(a_message_is_answered_by_the_clock),
        slack_test(who_is_answered_may_be_said_by_address),
        slack_test(two_of_them_do_not_talk_forever),
        slack_test(a_pattern_takes_no_longer_than_it_may),
        slack_test(a_button_is_pressed),
        slack_test(a_view_is_submitted_as_it_comes),
        slack_test(a_dialog_is_submitted_as_it_comes),
        slack_test(a_refused_act_ends_the_answer),
        slack_test(who_is_not_in_the_channel_does_not_answer),
        slack_test(what_is_wrong_in_a_rule_is_refused),
        slack_test(rows_that_break_a_rule_are_not_imported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
