/* SPDX-License-Identifier: Apache-2.0 */
/* Incoming webhooks. */
#include "tests/support/slack.h"
#include <string.h>

#define HOOK                                                                                       \
    "chatWebhooks:\n"                                                                              \
    "  - {id: B0HOOK, app: '1.2', channel: dev, user: U0ALICE, secret: abcdefgh12345678}\n"        \
    "  - {id: B0GONE, app: '1.2', channel: dev, user: U0ALICE, secret: abcdefgh12345678, "         \
    "deleted: true}\n"

static int post_to(const char *path, const char *type, const char *body)
{
    const struct sosia_header headers[] = {{"Host", "hooks.slack.com"}, {"Content-Type", type}};
    test_request("POST", path, headers, 2, body, strlen(body));
    return test_status;
}

static void webhooks_post(void **state)
{
    static const char url[] = "/services/T0ACME/B0HOOK/abcdefgh12345678";
    slack_use_with(HOOK);
    assert_int_equal(post_to(url, "application/json", "{\"text\":\"deployed\"}"), 200);
    assert_string_equal(test_body, "ok");
    assert_int_equal(post_to(url, "application/x-www-form-urlencoded",
                             "payload=%7B%22text%22%3A%22by%20form%22%7D"),
                     200);
    const struct json *v = slack(ALICE, "conversations.history", "channel=" DEV);
    assert_string_equal(text_at(v, "messages.0.text"), "by form");
    assert_string_equal(text_at(v, "messages.1.text"), "deployed");
    assert_string_equal(text_at(v, "messages.1.subtype"), "bot_message");
    assert_string_equal(text_at(v, "messages.1.bot_id"), "B0DEPLOY");
}

static void webhooks_refuse_in_plain_text(void **state)
{
    static const struct {
        const char *url, *body;
        int status;
        const char *word;
    } cases[] = {
        {"/services/T0ACME/B0HOOK/abcdefgh12345678", "{", 400, "invalid_payload"},
        {"/services/T0ACME/B0HOOK/abcdefgh12345678", "[]", 400, "invalid_payload"},
        {"/services/T0ACME/B0HOOK/abcdefgh12345678", "{}", 400, "no_text"},
        {"/services/T0ACME/B0HOOK/abcdefgh12345678", "{\"blocks\":[{\"type\":\"odd\"}]}", 400,
         "invalid_blocks"},
        {"/services/T0ACME/B0HOOK/abcdefgh12345678", "{\"text\":\"x\",\"thread_ts\":\"1.000001\"}",
         400, "invalid_thread_ts"},
        {"/services/T0ACME/B0HOOK/abcdefgh12345678", "{\"text\":7,\"blocks\":{}}", 400,
         "invalid_blocks"},
        {"/services/T0ACME/B0GONE/abcdefgh12345678", "{\"text\":\"x\"}", 404, "no_active_hooks"},
        {"/services/T0ACME/B0HOOK/wrong", "{\"text\":\"x\"}", 403, "invalid_token"},
        {"/services/T0ACME/B0NONE/abcdefgh12345678", "{\"text\":\"x\"}", 404, "no_service"},
        {"/services/T0NONE/B0HOOK/abcdefgh12345678", "{\"text\":\"x\"}", 404, "no_team"},
    };
    slack_use_with(HOOK);
    for (size_t i = 0; i < SOSIA_LEN(cases); i++) {
        assert_int_equal(post_to(cases[i].url, "application/json", cases[i].body), cases[i].status);
        assert_string_equal(test_body, cases[i].word);
    }
    assert_int_equal(post_to(cases[0].url, "application/x-www-form-urlencoded", "text=x"), 400);
    assert_string_equal(test_body, "invalid_payload");
    slack(ALICE, "conversations.archive", "channel=" DEV);
    assert_int_equal(post_to(cases[0].url, "application/json", "{\"text\":\"x\"}"), 410);
    assert_string_equal(test_body, "channel_is_archived");
}

/* A client that follows finds a page there, and no message anywhere. */
static void what_is_no_webhook_leads_elsewhere(void **state)
{
    static const char *const bad[] = {"/services",
                                      "/services/",
                                      "/services/dummy",
                                      "/services/dummy/dummy",
                                      "/services/T0ACME/B0HOOK",
                                      "/services/dummy/dummy/dummy",
                                      "/services/T0ACME/X/abcdefgh12345678",
                                      "/services/T0ACME/B0/abcdefgh12345678/more"};
    for (size_t i = 0; i < SOSIA_LEN(bad); i++) {
        if (post_to(bad[i], "application/json", "{\"text\":\"x\"}") != 302)
            fail_msg("%s: %d %s", bad[i], test_status, test_body);
        assert_string_equal(test_header("Location"), "https://slack.com/");
        assert_string_equal(test_body, "");
    }
    assert_int_equal(post_to("/servicesx", "application/json", "{}"), 200);
    assert_slack("unknown_method");
}

/* Threads are started, and answered, where the channel has them. */
static void webhooks_post_as_the_channel_takes_it(void **state)
{
    static const char more[] =
        "sosia: 1\n"
        "channels: [{id: C0FLAT, name: flat, posting: no_threads, members: [U0ALICE]},\n"
        "  {id: C0THREAD, name: threads, posting: thread_only, members: [U0ALICE]}]\n"
        "messages: [{channel: flat, from: U0ALICE, ts: '1771100000.000100', text: a},\n"
        "  {channel: threads, from: U0ALICE, ts: '1771100000.000100', text: b}]\n"
        "chatWebhooks: [{id: B0FLAT, app: '1.2', channel: flat, user: U0ALICE, secret: "
        "abcdefgh12345678},\n"
        "  {id: B0THREAD, app: '1.2', channel: threads, user: U0ALICE, secret: "
        "abcdefgh12345678}]\n";
    static const char plain[] = "{\"text\":\"x\"}",
                      reply[] = "{\"text\":\"x\",\"thread_ts\":\"1771100000.000100\"}";
    static const struct {
        const char *hook, *body, *word;
    } cases[] = {{"B0FLAT", plain, "ok"},
                 {"B0FLAT", reply, "action_prohibited"},
                 {"B0THREAD", plain, "action_prohibited"},
                 {"B0THREAD", reply, "ok"}};
    assert_int_equal(sosia_world_seed(test_engine, test_world, more, strlen(more), NULL, &test_err),
                     0);
    for (size_t i = 0; i < SOSIA_LEN(cases); i++) {
        post_to(arena_printf(&test_arena, "/services/T0ACME/%s/abcdefgh12345678", cases[i].hook),
                "application/json", cases[i].body);
        assert_string_equal(test_body, cases[i].word);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        slack_test(webhooks_post),
        slack_test(webhooks_refuse_in_plain_text),
        slack_test(what_is_no_webhook_leads_elsewhere),
        slack_test(webhooks_post_as_the_channel_takes_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
