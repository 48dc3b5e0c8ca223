/* SPDX-License-Identifier: Apache-2.0 */
/* RTM: WebSockets of people, what they bring and what they are sent. */
#include "tests/support/slack.h"
#include "engine/base/codec.h"

static const char *address_with(const char *who, const char *arguments)
{
    const struct json *v = slack(who, "rtm.connect", "%s", arguments);
    assert_slack(NULL);
    const char *url = text_at(v, "url"), *path = strstr(url, "/websocket/");
    assert_memory_equal(url, "wss://wss-primary.slack.com/websocket/", 38);
    return path;
}

static const char *address_of(const char *who)
{
    return address_with(who, "x=1");
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

static void a_bot_is_notified_too(void **state)
{
    struct slack_client bot;
    join(&bot, BOT);
    slack(ALICE, "chat.postMessage", "channel=" DEV "&text=hi");
    assert_slack(NULL);
    wake();
    assert_string_equal(text_at(slack_frame(&bot), "type"), "message");
    leave(&bot);
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

/* The next frame, which is of that type. */
static const struct json *frame_of(struct slack_client *c, const char *type)
{
    const struct json *v = slack_frame(c);
    assert_string_equal(text_at(v, "type"), type);
    return v;
}

static void who_comes_and_goes_is_notified(void **state)
{
    struct slack_client carol, bob;
    const struct json *v = slack(ALICE, "conversations.create", "name=plans&is_private=true");
    const char *private = text_at(v, "channel.id");
    join(&carol, CAROL);
    join(&bob, BOB);
    slack(ALICE, "conversations.invite", "channel=" DEV "&users=U0CAROL");
    assert_slack(NULL);
    wake();
    for (v = NULL; carol.at < carol.n && !str_same(text_at(v, "type"), "channel_joined");)
        v = slack_frame(&carol);
    assert_string_equal(text_at(v, "type"), "channel_joined");
    assert_string_equal(text_at(v, "channel.id"), DEV);
    assert_true(true_at(v, "channel.is_member"));
    carol.at = carol.n;
    slack(ALICE, "conversations.invite", "channel=%s&users=U0CAROL", private);
    slack(ALICE, "conversations.kick", "channel=" DEV "&user=U0CAROL");
    wake();
    bool joined = false, left = false;
    while (carol.at < carol.n) {
        v = slack_frame(&carol);
        joined |= str_same(text_at(v, "type"), "group_joined") &&
                  str_same(text_at(v, "channel.id"), private);
        left |=
            str_same(text_at(v, "type"), "channel_left") && str_same(text_at(v, "channel"), DEV);
    }
    assert_true(joined);
    assert_true(left);
    while (bob.at < bob.n) {
        const char *type = text_at(slack_frame(&bob), "type");
        assert_string_not_equal(type, "channel_joined");
        assert_string_not_equal(type, "channel_left");
    }
    leave(&carol);
    leave(&bob);
}

static void what_somebody_reads_is_marked_in_his_other_clients(void **state)
{
    static const char *const types[] = {"channel_marked", "im_marked"};
    struct slack_client bob, alice;
    const struct json *v = slack(BOB, "conversations.open", "users=U0ALICE");
    const char *const channels[] = {DEV, text_at(v, "channel.id")};
    join(&bob, BOB);
    join(&alice, ALICE);
    for (size_t i = 0; i < SOSIA_LEN(channels); i++) {
        slack(BOB, "conversations.mark", "channel=%s&ts=1771100000.000100", channels[i]);
        assert_slack(NULL);
        wake();
        v = frame_of(&bob, types[i]);
        assert_string_equal(text_at(v, "channel"), channels[i]);
        assert_string_equal(text_at(v, "ts"), "1771100000.000100");
        assert_int_equal(bob.at, bob.n);
        assert_int_equal(alice.at, alice.n);
    }
    leave(&bob);
    leave(&alice);
}

static void presence_comes_to_those_who_ask_for_it(void **state)
{
    struct slack_client alice, bob, carol;
    slack(BOB, "users.setActive", "x=1");
    slack(BOB, "users.setPresence", "presence=auto");
    join(&alice, ALICE);
    join(&bob, BOB);
    join(&carol, CAROL);
    const struct json *v = say(&alice, "{'type':'presence_sub','ids':['U0BOB','U0NONE',7]}");
    assert_string_equal(text_at(v, "type"), "presence_change");
    assert_string_equal(text_at(v, "user"), "U0BOB");
    assert_string_equal(text_at(v, "presence"), "active");
    assert_int_equal(alice.at, alice.n);
    assert_null(say(&alice, "{'type':'presence_sub','ids':['U0BOB']}")); /* known */
    slack(BOB, "users.setPresence", "presence=away");
    wake();
    v = frame_of(&alice, "presence_change");
    assert_string_equal(text_at(v, "user"), "U0BOB");
    assert_string_equal(text_at(v, "presence"), "away");
    v = frame_of(&bob, "manual_presence_change");
    assert_string_equal(text_at(v, "presence"), "away");
    slack(BOB, "users.setActive", "x=1"); /* nobody sees that */
    wake();
    assert_int_equal(alice.at, alice.n);
    assert_int_equal(bob.at, bob.n);
    assert_int_equal(carol.at, carol.n);
    v = say(&carol, "{'type':'presence_query','ids':['U0BOB']}");
    assert_string_equal(text_at(v, "presence"), "away");
    assert_null(say(&alice, "{'type':'presence_sub','ids':[]}"));
    slack(BOB, "users.setPresence", "presence=auto");
    wake();
    assert_int_equal(alice.at, alice.n);
    assert_int_equal(carol.at, carol.n);
    leave(&alice);
    leave(&bob);
    leave(&carol);
}

static void presence_of_several_comes_in_a_frame(void **state)
{
    struct slack_client alice;
    slack(CAROL, "users.setActive", "x=1");
    slack(CAROL, "users.setPresence", "presence=away");
    slack(BOB, "users.setPresence", "presence=away");
    assert_int_equal(slack_connect(&alice, address_with(ALICE, "batch_presence_aware=1")), 101);
    slack_frame(&alice);
    const struct json *v = say(&alice, "{'type':'presence_sub','ids':['U0BOB','U0CAROL']}");
    assert_string_equal(text_at(v, "presence"), "away");
    assert_string_equal(text_at(v, "users.0"), "U0BOB");
    assert_string_equal(text_at(v, "users.1"), "U0CAROL");
    assert_null(value_at(v, "user"));
    assert_int_equal(alice.at, alice.n);
    slack(CAROL, "users.setPresence", "presence=auto");
    wake();
    v = frame_of(&alice, "presence_change");
    assert_string_equal(text_at(v, "presence"), "active");
    assert_string_equal(text_at(v, "users.0"), "U0CAROL");
    leave(&alice);
}

static uint64_t size_of_world(void)
{
    struct sosia_world_info info;
    assert_int_equal(sosia_world_info(test_engine, test_world, &info, &test_err), 0);
    return info.size;
}

static size_t bytes_of_outbox(void)
{
    struct sosia_blob b;
    assert_int_equal(sosia_outbox_list(test_engine, test_world, 0, 0, &b, &test_err), 0);
    size_t n = b.len;
    sosia_blob_free(&b);
    return n;
}

/* A post is there once, however many clients are sent it. */
static void what_many_clients_are_sent_is_not_kept_for_each(void **state)
{
    enum { CLIENTS = 100, POSTS = 15 };
    struct slack_client clients[CLIENTS];
    char text[4001];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = 0;
    for (int i = 0; i < CLIENTS; i++)
        join(&clients[i], BOB);
    size_t outbox = bytes_of_outbox();
    uint64_t before = size_of_world();
    for (int i = 0; i < POSTS; i++) {
        slack(ALICE, "chat.postMessage", "channel=" DEV "&text=%s", text);
        assert_slack(NULL);
        wake();
    }
    for (int i = 0; i < CLIENTS; i++) {
        int posts = 0;
        while (clients[i].at < clients[i].n)
            posts += strcmp(text_at(slack_frame(&clients[i]), "type"), "message") == 0;
        assert_int_equal(posts, POSTS);
    }
    /* of each post a few copies: its row, its words, the step and the entry of the call */
    assert_true(size_of_world() - before < (uint64_t)POSTS * 100 * 1024);
    assert_int_equal(bytes_of_outbox(), outbox);
    for (int i = 0; i < CLIENTS; i++)
        leave(&clients[i]);
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
        slack_test(a_bot_is_notified_too),
        slack_test(messages_are_refused),
        slack_test(messages_go_where_one_may_post),
        slack_test(others_see_who_types),
        slack_test(frames_of_any_shape_do_no_harm),
        slack_test(a_conversation_is_opened_and_closed),
        slack_test(who_comes_and_goes_is_notified),
        slack_test(what_somebody_reads_is_marked_in_his_other_clients),
        slack_test(presence_comes_to_those_who_ask_for_it),
        slack_test(presence_of_several_comes_in_a_frame),
        slack_test(what_many_clients_are_sent_is_not_kept_for_each),
        slack_test(an_address_is_good_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
