/* SPDX-License-Identifier: Apache-2.0 */
/* RTM: WebSockets of people, what they bring and what they are sent. */
#include "tests/support/slack.h"

struct client {
    struct sosia_session *session;
    const char *got[20];
    int n, at;
};

static void on_send(void *arg, const char *data, size_t len)
{
    struct client *c = arg;
    assert_true(c->n < 20);
    c->got[c->n++] = arena_memdup(&test_arena, data, len);
}

static void on_close(void *arg, int code, const char *reason)
{
    (void)arg;
}

static const char *address_of(const char *who)
{
    const struct json *v = slack(who, "rtm.connect", "x=1");
    assert_slack(NULL);
    const char *url = text_at(v, "url"), *path = strstr(url, "/websocket/");
    assert_memory_equal(url, "wss://wss-primary.slack.com/websocket/", 38);
    return path;
}

static int join_at(struct client *c, const char *target)
{
    static const struct sosia_session_calls calls = {on_send, on_close};
    static const struct sosia_header host = {"Host", "wss-primary.slack.com"};
    struct sosia_request r = {.method = "GET", .target = target, .headers = &host, .n_headers = 1};
    struct sosia_response *res;
    memset(c, 0, sizeof *c);
    assert_int_equal(
        sosia_session_open(test_engine, test_world, &r, &calls, c, &c->session, &res, &test_err),
        0);
    int status = res->status;
    sosia_response_free(res);
    return status;
}

/* The next frame, parsed. */
static const struct json *next(struct client *c)
{
    if (c->at >= c->n)
        fail_msg("a frame was expected, none came");
    const char *text = c->got[c->at++];
    return parsed(text, strlen(text));
}

static void join(struct client *c, const char *who)
{
    assert_int_equal(join_at(c, address_of(who)), 101);
    assert_string_equal(text_at(next(c), "type"), "hello");
}

static void leave(struct client *c)
{
    sosia_session_close(c->session, 1000);
}

/* Says something, with ' for ", and gives the answer. */
static const struct json *say(struct client *c, const char *text)
{
    text = quoted(text);
    c->at = c->n;
    assert_int_equal(sosia_session_frame(c->session, text, strlen(text), false, &test_err), 0);
    return c->at < c->n ? next(c) : NULL;
}

static void wake(void)
{
    assert_int_equal(sosia_world_wake(test_engine, test_world, &test_err), 0);
}

static void a_ping_comes_back(void **state)
{
    struct client c;
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
    struct client bob, alice, carol;
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
    v = next(&alice);
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
        v = next(&alice);
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
    struct client c;
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

static void others_see_who_types(void **state)
{
    struct client bob, alice, carol;
    join(&bob, BOB);
    join(&alice, ALICE);
    join(&carol, CAROL);
    assert_null(say(&bob, "{'id':1,'type':'typing','channel':'C0DEV'}"));
    wake();
    const struct json *v = next(&alice);
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
    struct client c;
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
    struct client bob, alice;
    const struct json *v = slack(BOB, "conversations.open", "users=U0ALICE");
    const char *id = text_at(v, "channel.id");
    join(&bob, BOB);
    join(&alice, ALICE);
    slack(BOB, "conversations.close", "channel=%s", id);
    slack(BOB, "conversations.close", "channel=%s", id); /* is closed */
    slack(BOB, "conversations.open", "channel=%s", id);
    wake();
    v = next(&bob);
    assert_string_equal(text_at(v, "type"), "im_close");
    assert_string_equal(text_at(v, "user"), "U0BOB");
    assert_string_equal(text_at(v, "channel"), id);
    assert_string_equal(text_at(next(&bob), "type"), "im_open");
    assert_int_equal(bob.at, bob.n);
    assert_int_equal(alice.at, alice.n);
    leave(&bob);
    leave(&alice);
}

static void an_address_is_good_once(void **state)
{
    struct client c, other;
    const char *url = address_of(BOB);
    assert_int_equal(join_at(&c, url), 101);
    assert_int_not_equal(join_at(&other, url), 101);
    leave(&c);
    url = address_of(BOB);
    test_advance(61);
    assert_int_not_equal(join_at(&c, url), 101);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        slack_test(a_ping_comes_back),
        slack_test(a_message_is_posted),
        slack_test(messages_are_refused),
        slack_test(others_see_who_types),
        slack_test(frames_of_any_shape_do_no_harm),
        slack_test(a_conversation_is_opened_and_closed),
        slack_test(an_address_is_good_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
