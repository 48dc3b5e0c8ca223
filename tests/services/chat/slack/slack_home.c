/* SPDX-License-Identifier: Apache-2.0 */
/* What people do beside pressing what apps show: they write, open an app, stop it at work. */
#include "tests/support/slack.h"

static void people_write_and_react(void **state)
{
    const struct json *v = slack_does(BOB, "'post':{'channel':'C0DEV','text':'hi'}");
    assert_slack(NULL);
    assert_string_equal(text_at(v, "message.user"), "U0BOB");
    assert_null(value_at(v, "message.bot_id"));
    assert_int_equal(strlen(text_at(v, "message.client_msg_id")), 36);
    slack_does(ALICE, "'react':{'channel':'C0DEV','timestamp':'%s','name':'eyes'}",
               text_at(v, "ts"));
    assert_slack(NULL);
    slack_does(ALICE, "'post':{'text':'nowhere'}");
    assert_slack("invalid_arguments");
    slack_does(ALICE, "'dance':{}");
    assert_slack("invalid_arguments");
    slack_does(ALICE, "'post':{'channel':'C0DEV','text':'a'},'see':{}");
    assert_slack("invalid_arguments");
}

/* Of the i-th entry of the outbox, which is the last one. */
static const struct json *outbox_body(uint32_t i)
{
    const struct json *all = test_outbox();
    assert_int_equal(all->n, i + 1);
    const char *text = text_at(&all->items[i], "payload.body");
    return parsed(text, strlen(text));
}

static void opening_an_app_notifies_it(void **state)
{
    const struct json *v = slack_does(ALICE, "'home':{'app':'A0DEPLOY'}");
    assert_slack(NULL);
    assert_int_equal(test_outbox()->n, 0); /* it does not subscribe */
    slack_use_with("chatApps: [{client_id: '1.2', settings: {events_url: 'https://app.example/e', "
                   "bot_events: [app_home_opened], messages_tab: false}}]\n");
    v = slack_does(ALICE, "'home':{'app':'A0DEPLOY'}");
    assert_slack(NULL);
    assert_null(value_at(v, "view"));
    const char *channel = text_at(v, "channel");
    const struct json *e = value_at(outbox_body(0), "event");
    assert_string_equal(text_at(e, "type"), "app_home_opened");
    assert_string_equal(text_at(e, "user"), "U0ALICE");
    assert_string_equal(text_at(e, "channel"), channel);
    assert_string_equal(text_at(e, "tab"), "home");
    assert_null(value_at(e, "view"));
    slack_json(BOT, "views.publish",
               "{'user_id':'U0ALICE','view':{'type':'home','blocks':[{'type':'divider'}]}}");
    assert_slack(NULL);
    v = slack_does(ALICE, "'home':{'app':'A0DEPLOY','tab':'home'}");
    assert_string_equal(text_at(v, "view.type"), "home");
    assert_string_equal(text_at(v, "channel"), channel);
    assert_string_equal(text_at(outbox_body(1), "event.view.type"), "home");
    slack_does(ALICE, "'home':{'app':'A0DEPLOY','tab':'messages'}");
    assert_slack("tab_not_found");
    slack_json(BOT, "chat.postMessage", "{'channel':'U0ALICE','text':'hi'}");
    assert_slack("messages_tab_disabled");
    slack_json(BOT, "chat.postMessage", "{'channel':'%s','text':'hi'}", channel);
    assert_slack("messages_tab_disabled");
    slack_use_with("chatApps: [{client_id: '1.2', settings: {home_tab: false}}]\n");
    slack_json(BOT, "views.publish", "{'user_id':'U0ALICE','view':{'type':'home','blocks':[]}}");
    assert_slack("not_enabled");
    slack_does(ALICE, "'home':{'app':'A0DEPLOY','tab':'about'}");
    assert_slack("invalid_arguments");
    slack_does(ALICE, "'home':{'app':'A0ELSE'}");
    assert_slack("app_not_installed");
    slack_does(ALICE, "'home':{}");
    assert_slack("invalid_arguments");
}

/* Of an app without an address, which is not asked. */
static void the_page_is_pressed_when_no_window_is_open(void **state)
{
    slack_use_with("chatApps: [{client_id: '1.2', settings: {events_url: 'https://app.example/e', "
                   "interactivity_url: 'https://app.example/i'}}]\n");
    slack_does(ALICE, "'click':{'action_id':'go'}");
    assert_slack("view_not_found");
    slack_json(BOT, "views.publish",
               "{'user_id':'U0ALICE','view':{'type':'home','callback_id':'page','blocks':[{'type':"
               "'actions','elements':[{'type':'button','action_id':'go','text':{'type':"
               "'plain_text','text':'Go'}}]}]}}");
    assert_slack(NULL);
    slack_does(ALICE, "'home':{'app':'A0DEPLOY'}");
    assert_slack(NULL);
    slack_does(ALICE, "'click':{'action_id':'stop'}");
    assert_slack("action_not_found");
    slack_does(ALICE, "'click':{'action_id':'go'}");
    const struct json *all = test_outbox();
    assert_int_equal(all->n, 1);
    assert_string_equal(text_at(&all->items[0], "to"), "https://app.example/i");
    assert_non_null(strstr(text_at(&all->items[0], "payload.body"), "callback_id%22%3A%22page"));
    slack_does(ALICE, "'submit':{}"); /* a page is not sent */
    assert_slack("view_not_submittable");
}

static const char *stream_in(const char *root)
{
    const char *ts = text_at(slack(BOT, "chat.startStream",
                                   "channel=" DEV "&thread_ts=%s&markdown_text=a&recipient_user_id="
                                   "U0BOB&recipient_team_id=T0ACME",
                                   root),
                             "ts");
    assert_slack(NULL);
    return ts;
}

static void assert_status(const char *root, const char *status)
{
    const struct json *v = slack(BOB, "conversations.replies", "channel=" DEV "&ts=%s", root);
    assert_string_equal(text_at(v, "messages.0.agent_session.status"), status);
}

static void an_app_at_work_is_stopped(void **state)
{
    slack_use_with("chatApps: [{client_id: '1.2', settings: {events_url: 'https://app.example/e', "
                   "bot_events: [agent_session_stopped]}}]\n");
    const char *root = text_at(slack(BOB, "chat.postMessage", "channel=" DEV "&text=why"), "ts");
    slack_does(ALICE, "'stop':{'channel':'dev','ts':'%s'}", stream_in(root));
    assert_slack(NULL);
    assert_int_equal(test_outbox()->n, 0); /* there is no session */
    const struct json *v =
        slack(BOT, "agents.sessions.setStatus",
              "channel_id=" DEV "&thread_ts=%s&status=processing&title=Ask", root);
    assert_null(value_at(v, "warning"));
    const char *ts = stream_in(root);
    slack_does(ALICE, "'stop':{'channel':'dev','ts':'%s'}", ts);
    assert_slack(NULL);
    const struct json *e = value_at(outbox_body(0), "event");
    assert_string_equal(text_at(e, "type"), "agent_session_stopped");
    assert_string_equal(text_at(e, "user"), "U0ALICE");
    assert_string_equal(text_at(e, "channel"), "C0DEV");
    assert_string_equal(text_at(e, "thread_ts"), root);
    assert_string_equal(text_at(e, "streaming_message_ts.0"), ts);
    assert_status(root, "processing");
    slack(BOT, "chat.stopStream", "channel=" DEV "&ts=%s", ts);
    assert_slack(NULL);
    assert_status(root, "active");
    slack_does(ALICE, "'stop':{'channel':'dev','ts':'%s'}", stream_in(root));
    assert_slack(NULL);
    assert_int_equal(test_outbox()->n, 1); /* it was not at work */
    slack_use_with("");
    root = text_at(slack(BOB, "chat.postMessage", "channel=" DEV "&text=why"), "ts");
    v = slack(BOT, "agents.sessions.setStatus", "channel_id=" DEV "&thread_ts=%s&status=processing",
              root);
    assert_slack(NULL);
    assert_string_equal(text_at(v, "response_metadata.warnings.0"),
                        "missing_agent_session_stopped_event_subscription");
    v = slack(BOT, "agents.sessions.setStatus", "channel_id=" DEV "&thread_ts=%s&status=active",
              root);
    assert_null(value_at(v, "response_metadata"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        slack_test(people_write_and_react),
        slack_test(opening_an_app_notifies_it),
        slack_test(the_page_is_pressed_when_no_window_is_open),
        slack_test(an_app_at_work_is_stopped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
