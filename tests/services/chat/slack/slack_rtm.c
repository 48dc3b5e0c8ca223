/* SPDX-License-Identifier: Apache-2.0 */
/* RTM: WebSockets of people, what they bring and what they are sent. */
#include "tests/support/slack.h"

static const char *address_of(const char *who)
{
    const struct json *v = slack(who, "rtm.connect", "x=1");
    assert_slack(NULL);
    const char *url = text_at(v, "url"), *path = strstr(url, "/websocket/");
    assert_memory_equal(url, "wss://wss-primary.slack.com/websocket/", 38);
    return path;
}

static void join(struct slack_client *c, const char *who)
{
    assert_int_equal(slack_connect(c, address_of(who)), 101);
    assert_string_equal(text_at(slack_frame(c), "type"), "hello");
}

static void leave(struct slack_client *c)
{
    sosia_session_close(c->session, 1000);
}

/* Says something, with ' for ", and gives the answer. */
static const struct json *say(struct slack_client *c, const char *text)
{
    text = quoted(text);
    c->at = c->n;
    assert_int_equal(sosia_session_frame(c->session, text, strlen(text), false, &test_err), 0);
    return c->at < c->n ? slack_frame(c) : NULL;
}

static void wake(void)
{
    assert_int_equal(sosia_world_wake(test_engine, test_world, &test_err), 0);
}

static void a_ping_comes_back(void **state)
{
    struct slack_client c;
    join(&c, BOB);
    const struct json *v = say(&c, "{'id':7,'type':'ping','time':12,'more':{'a':[1]}}");
    assert_string_equal(text_at(v, "type"), "pong");
    assert_int_equal(number_at(v, "reply_to"), 7);
    assert_int_equal(number_at(v, "time"), 12);
    assert_int_equal(number_at(v, "more.a.0"), 1);
    assert_null(json_get(v, "id"));
    leave(&c);
}

static void a_message_is_posted(void **state)
{
    struct slack_client bob, alice, carol;
    join(&bob, BOB);
    join(&alice, ALICE);
    join(&carol, CAROL);
    const struct json *v =
        say(&bob, "{'id':1,'type':'message','channel':'C0DEV','text':'hi <@U0ALICE>'}");
    assert_true(true_at(v, "ok"));
    assert_int_equal(number_at(v, "reply_to"), 1);
    assert_string_equal(text_at(v, "text"), "hi <@U0ALICE>");
    const char *ts = text_at(v, "ts");
    wake();
    v = slack_frame(&alice);
    assert_string_equal(text_at(v, "type"), "message");
    assert_string_equal(text_at(v, "user"), "U0BOB");
    assert_string_equal(text_at(v, "ts"), ts);
    assert_string_equal(text_at(v, "channel"), DEV);
    assert_int_equal(carol.at, carol.n);
    v = slack(ALICE, "conversations.history", "channel=" DEV "&limit=1");
    assert_string_equal(text_at(v, "messages.0.ts"), ts);
    assert_string_equal(text_at(v, "messages.0.user"), "U0BOB");
    v = say(&alice, arena_printf(&test_arena,
                                 "{'id':2,'type':'message','channel':'C0DEV','text':'re',"
                                 "'thread_ts':'%s'}",
                                 ts));
    assert_true(true_at(v, "ok"));
    v = slack(ALICE, "conversations.replies", "channel=" DEV "&ts=%s", ts);
    assert_string_equal(text_at(v, "messages.1.text"), "re");
    wake();
    for (v = NULL; alice.at < alice.n && !text_at(v, "subtype");)
        v = slack_frame(&alice);
    assert_string_equal(text_at(v, "subtype"), "message_replied"); /* recorded by clients of RTM */
    assert_true(true_at(v, "hidden"));
    assert_string_equal(text_at(v, "message.ts"), ts);
    assert_int_equal(number_at(v, "message.reply_count"), 1);
    assert_null(value_at(v, "previous_message"));
    leave(&bob);
    leave(&alice);
    leave(&carol);
}

static void messages_are_refused(void **state)
{
    static const struct {
        const char *rest;
        int code;
    } cases[] = {
        {"'text':'x'", 2},
        {"'channel':'C0NONE','text':'x'", 2},
        {"'channel':'C0VAULT','text':'x'", 2}, /* of others */
        {"'channel':'C0DEV','text':'x','thread_ts':'1.000001'", 2},
        {"'channel':'C0DEV','text':'x','thread_ts':'soon'", 2},
        {"'channel':'C0DEV'", 2},
        {"'channel':'C0DEV','text':''", 2},
        {"'channel':'C0DEV','text':7", 2},
    };
    char many[4002] = "";
    struct slack_client c;
    memset(many, 'a', 4001);
    join(&c, BOB);
    for (size_t i = 0; i < SOSIA_LEN(cases); i++) {
        const struct json *v =
            say(&c, arena_printf(&test_arena, "{'id':%zu,'type':'message',%s}", i, cases[i].rest));
        assert_non_null(v);
        assert_false(true_at(v, "ok"));
        assert_int_equal(number_at(v, "reply_to"), i);
        assert_int_equal(number_at(v, "error.code"), cases[i].code);
    }
    const struct json *v = say(
        &c, arena_printf(&test_arena, "{'type':'message','channel':'C0DEV','text':'%s'}", many));
    assert_int_equal(number_at(v, "error.code"), 3);
    assert_null(json_get(v, "reply_to"));
    slack(ALICE, "conversations.archive", "channel=" DEV);
    wake();
    v = say(&c, "{'type':'message','channel':'C0DEV','text':'x'}");
    assert_int_equal(number_at(v, "error.code"), 2);
    leave(&c);
}

/* As a method would. */
static void messages_go_where_one_may_post(void **state)
{
    static const char more[] =
        "sosia: 1\n"
        "channels: [{id: C0READ, name: read, posting: read_only, members: [U0ALICE, U0BOB]},\n"
        "  {id: C0FLAT, name: flat, posting: no_threads, members: [U0BOB]}]\n"
        "messages: [{channel: flat, from: U0BOB, ts: '1771100000.000100', text: root},\n"
        "  {channel: dev, from: U0BOB, ts: '1771100000.000100', text: locked, flags: 8}]\n";
    static const char *const cases[][2] = {
        {"'channel':'C0READ'", "restricted_action_read_only_channel"},
        {"'channel':'C0FLAT','thread_ts':'1771100000.000100'",
         "restricted_action_non_threadable_channel"},
        {"'channel':'C0DEV','thread_ts':'1771100000.000100'", "restricted_action_thread_locked"},
    };
    struct slack_client c;
    assert_int_equal(sosia_world_seed(test_engine, test_world, more, strlen(more), NULL, &test_err),
                     0);
    join(&c, BOB);
    for (size_t i = 0; i < SOSIA_LEN(cases); i++) {
        const struct json *v =
            say(&c, arena_printf(&test_arena, "{'type':'message','text':'x',%s}", cases[i][0]));
        assert_false(true_at(v, "ok"));
        assert_string_equal(text_at(v, "error.msg"), cases[i][1]);
    }
    assert_true(true_at(say(&c, "{'type':'message','text':'x','channel':'C0FLAT'}"), "ok"));
    leave(&c);
    join(&c, BOT);
    assert_true(true_at(say(&c, "{'type':'message','text':'x','channel':'C0DEV'}"), "ok"));
    const struct json *v = slack(ALICE, "conversations.history", "channel=" DEV "&limit=1");
    assert_string_equal(text_at(v, "messages.0.bot_id"), "B0DEPLOY");
    leave(&c);
}

static void others_see_who_types(void **state)
{
    struct slack_client bob, alice, carol;
    join(&bob, BOB);
    join(&alice, ALICE);
    join(&carol, CAROL);
    assert_null(say(&bob, "{'id':1,'type':'typing','channel':'C0DEV'}"));
    wake();
    const struct json *v = slack_frame(&alice);
    assert_string_equal(text_at(v, "type"), "user_typing");
    assert_string_equal(text_at(v, "channel"), DEV);
    assert_string_equal(text_at(v, "user"), "U0BOB");
    assert_null(say(&carol, "{'id':1,'type':'typing','channel':'C0DEV'}"));
    wake();
    assert_int_equal(alice.at, alice.n);
    assert_int_equal(bob.at, bob.n);
    leave(&bob);
    leave(&alice);
    leave(&carol);
}

static void frames_of_any_shape_do_no_harm(void **state)
{
    static const char *const broken[] = {"", "{", "[]", "null", "7", "'x'"};
    static const char *const odd[] = {"{}", "{'type':7}", "{'type':'odd'}", "{'type':'typing'}",
                                      "{'type':'typing','channel':[]}"};
    struct slack_client c;
    join(&c, BOB);
    for (size_t i = 0; i < SOSIA_LEN(broken); i++)
        assert_int_equal(number_at(say(&c, broken[i]), "error.code"), 1);
    for (size_t i = 0; i < SOSIA_LEN(odd); i++)
        assert_null(say(&c, odd[i]));
    assert_int_equal(sosia_session_frame(c.session, "\1\2", 2, true, &test_err), 0);
    assert_string_equal(text_at(say(&c, "{'type':'ping'}"), "type"), "pong");
    leave(&c);
}

static void a_conversation_is_opened_and_closed(void **state)
{
    struct slack_client bob, alice;
    const struct json *v = slack(BOB, "conversations.open", "users=U0ALICE");
    const char *id = text_at(v, "channel.id");
    join(&bob, BOB);
    join(&alice, ALICE);
    slack(BOB, "conversations.close", "channel=%s", id);
    slack(BOB, "conversations.close", "channel=%s", id); /* is closed */
    slack(BOB, "conversations.open", "channel=%s", id);
    wake();
    v = slack_frame(&bob);
    assert_string_equal(text_at(v, "type"), "im_close");
    assert_string_equal(text_at(v, "user"), "U0BOB");
    assert_string_equal(text_at(v, "channel"), id);
    assert_string_equal(text_at(slack_frame(&bob), "type"), "im_open");
    assert_int_equal(bob.at, bob.n);
    assert_int_equal(alice.at, alice.n);
    leave(&bob);
    leave(&alice);
}

/* The next frame of a type; NULL: none has come. */
static const struct json *frame_of(struct slack_client *c, const char *type)
{
    while (c->at < c->n) {
        const struct json *v = slack_frame(c);
        if (strcmp(text_at(v, "type"), type) == 0)
            return v;
    }
    return NULL;
}

/* Events to which no app can subscribe (docs.slack.dev, events of the RTM API). */
static void clients_are_kept_up_to_date(void **state)
{
    struct slack_client bob, alice;
    const struct json *v = slack(ALICE, "conversations.create", "name=fresh");
    const char *id = text_at(v, "channel.id");
    join(&bob, BOB);
    join(&alice, ALICE);
    slack(BOB, "conversations.join", "channel=%s", id);
    wake();
    v = frame_of(&bob, "channel_joined");
    assert_string_equal(text_at(v, "channel.id"), id);
    assert_true(true_at(v, "channel.is_member"));
    assert_null(frame_of(&alice, "channel_joined"));
    v = slack(ALICE, "conversations.create", "name=hidden&is_private=true");
    slack(ALICE, "conversations.invite", "channel=%s&users=U0BOB", text_at(v, "channel.id"));
    wake();
    assert_string_equal(text_at(frame_of(&bob, "group_joined"), "channel.name"), "hidden");
    v = slack(ALICE, "chat.postMessage", "channel=%s&text=x", id);
    const char *ts = text_at(v, "ts");
    slack(BOB, "conversations.mark", "channel=%s&ts=%s", id, ts);
    slack(BOB, "users.setPresence", "presence=away");
    wake();
    v = frame_of(&bob, "channel_marked");
    assert_string_equal(text_at(v, "channel"), id);
    assert_string_equal(text_at(v, "ts"), ts);
    assert_string_equal(text_at(frame_of(&bob, "manual_presence_change"), "presence"), "away");
    v = slack(ALICE, "conversations.open", "users=U0BOB");
    id = text_at(v, "channel.id");
    v = slack(ALICE, "chat.postMessage", "channel=%s&text=x", id);
    slack(BOB, "conversations.mark", "channel=%s&ts=%s", id, text_at(v, "ts"));
    slack(BOB, "users.setPresence", "presence=auto");
    wake();
    assert_string_equal(text_at(frame_of(&bob, "im_marked"), "channel"), id);
    assert_string_equal(text_at(frame_of(&bob, "manual_presence_change"), "presence"), "active");
    assert_null(frame_of(&alice, "manual_presence_change"));
    leave(&bob);
    leave(&alice);
}

static void an_address_is_good_once(void **state)
{
    struct slack_client c, other;
    const char *url = address_of(BOB);
    assert_int_equal(slack_connect(&c, url), 101);
    assert_int_not_equal(slack_connect(&other, url), 101);
    leave(&c);
    url = address_of(BOB);
    test_advance(61);
    assert_int_not_equal(slack_connect(&c, url), 101);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        slack_test(a_ping_comes_back),
        slack_test(a_message_is_posted),
        slack_test(messages_are_refused),
        slack_test(messages_go_where_one_may_post),
        slack_test(others_see_who_types),
        slack_test(frames_of_any_shape_do_no_harm),
        slack_test(a_conversation_is_opened_and_closed),
        slack_test(clients_are_kept_up_to_date),
        slack_test(an_address_is_good_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
