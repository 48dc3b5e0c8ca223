/* SPDX-License-Identifier: Apache-2.0 */
/* Calls, assistants in threads, pictures of people, logs, blocks that are only looked at. */
#include "tests/support/slack.h"

#define FORM(...) arena_printf(&test_arena, __VA_ARGS__)

static const char *add(const char *external)
{
    const struct json *v = slack(BOT, "calls.add",
                                 "external_unique_id=%s&join_url=https://calls.example/1&title=Talk"
                                 "&created_by=U0ALICE&date_start=1771180000"
                                 "&users=[{\"slack_id\":\"U0BOB\"},{\"external_id\":\"x1\","
                                 "\"display_name\":\"Xavier\"}]",
                                 external);
    assert_slack(NULL);
    return text_at(v, "call.id");
}

static void a_call_is_held(void **state)
{
    const char *id = add("one");
    const struct json *v = slack(BOT, "calls.info", "id=%s", id);
    assert_slack(NULL);
    assert_int_equal(number_at(v, "call.date_start"), 1771180000);
    assert_string_equal(text_at(v, "call.users.0.slack_id"), "U0BOB");
    assert_string_equal(text_at(v, "call.users.1.display_name"), "Xavier");
    slack(BOT, "calls.participants.add", "id=%s&users=[{\"slack_id\":\"U0CAROL\"}]", id);
    assert_slack(NULL);
    slack(BOT, "calls.participants.add", "id=%s&users=[{\"slack_id\":\"U0CAROL\"}]", id);
    assert_slack("bad_users");
    v = slack(BOT, "calls.participants.remove", "id=%s&users=[{\"external_id\":\"x1\"}]", id);
    assert_slack(NULL);
    assert_int_equal(count_at(v, "call.users"), 2);
    slack(BOT, "calls.participants.remove", "id=%s&users=[{\"external_id\":\"x1\"}]", id);
    assert_slack("bad_users");
    slack(BOT, "calls.update", "id=%s", id);
    assert_slack("invalid_arguments"); /* nothing to change */
    v = slack(BOT, "calls.update", "id=%s&title=New", id);
    assert_string_equal(text_at(v, "call.title"), "New");
    assert_string_equal(text_at(v, "call.join_url"), "https://calls.example/1");
    v = slack(BOT, "calls.end", "id=%s&duration=60", id);
    assert_int_equal(number_at(v, "call.date_end"), 1771180060);
    slack(BOT, "calls.end", "id=%s", id);
    assert_slack("inactive_call");
    slack(BOT, "calls.participants.add", "id=%s&users=[{\"slack_id\":\"U0ALICE\"}]", id);
    assert_slack("inactive_call");
    slack(ALICE, "calls.info", "id=%s", id); /* it is the app's */
    assert_slack("invalid_call_id");
}

/* A bot may be who made it. */
static void a_bot_needs_no_creator(void **state)
{
    const struct json *v =
        slack(BOT, "calls.add", "external_unique_id=mine&join_url=https://x.example");
    assert_slack(NULL);
    assert_string_equal(text_at(v, "call.external_unique_id"), "mine");
}

static void bad_calls_are_refused(void **state)
{
    const char *id = add("one");
    static const char *const bad[][2] = {
        {"external_unique_id=two&join_url=https://x.example&created_by=U0NONE",
         "invalid_created_by"},
        {"external_unique_id=two&join_url=https://x.example&created_by=U0BOB&date_start=x",
         "invalid_start_time"},
        {"external_unique_id=two&join_url=https://x.example&created_by=U0BOB"
         "&users=[{\"slack_id\":\"U0NONE\"}]",
         "user_not_found"},
        {"external_unique_id=two&join_url=nonsense&created_by=U0BOB", "invalid_arguments"},
        {"external_unique_id=one&join_url=https://x.example&created_by=U0BOB", "internal_error"},
        {"join_url=https://x.example", "invalid_arguments"}};
    for (size_t i = 0; i < SOSIA_LEN(bad); i++) {
        slack(BOT, "calls.add", "%s", bad[i][0]);
        assert_slack(bad[i][1]);
    }
    slack(BOT, "calls.participants.add", "id=%s", id);
    assert_slack("missing_argument");
    slack(BOT, "calls.participants.add", "id=R0NONE&users=[{\"slack_id\":\"U0BOB\"}]");
    assert_slack("invalid_call_id");
    slack(BOT, "calls.end", "id=R0NONE");
    assert_slack("invalid_call_id");
}

static const char *post(void)
{
    return text_at(slack(ALICE, "chat.postMessage", "channel=" DEV "&text=Help"), "ts");
}

static void an_assistant_says_what_it_does(void **state)
{
    const char *ts = post();
    slack(BOT, "assistant.threads.setStatus",
          "channel_id=" DEV "&thread_ts=%s&status=thinks&loading_messages=[\"a\",\"b\"]", ts);
    assert_slack(NULL);
    slack(BOT, "assistant.threads.setStatus",
          "channel_id=" DEV "&thread_ts=%s&status=a&loading_messages=[]", ts);
    assert_slack("invalid_arguments");
    slack(BOT, "assistant.threads.setStatus",
          "channel_id=" DEV "&thread_ts=%s&status=a&username=Slackbot", ts);
    assert_slack("reserved_username");
    slack(BOT, "assistant.threads.setStatus", "channel_id=C0NONE&thread_ts=%s&status=a", ts);
    assert_slack("channel_not_found");
    assert_non_null(strstr(test_body, "\"detail\":\"Invalid channel_id\""));
    slack(BOT, "assistant.threads.setTitle", "channel_id=" DEV "&thread_ts=1.000001&title=a");
    assert_slack("invalid_thread_ts");
    slack(BOT, "assistant.threads.setTitle", "channel_id=" DEV "&thread_ts=%s&title=Holidays", ts);
    assert_slack(NULL);
    const struct json *v = slack(ALICE, "conversations.history", "channel=" DEV);
    assert_string_equal(text_at(v, "messages.0.assistant_app_thread.title"), "Holidays");
    slack(BOT, "assistant.threads.setSuggestedPrompts",
          "channel_id=" DEV "&thread_ts=%s&prompts=[{\"title\":\"a\",\"message\":\"b\"}]", ts);
    assert_slack(NULL);
    slack(BOT, "assistant.threads.setSuggestedPrompts",
          "channel_id=" DEV "&thread_ts=%s&prompts=[{\"title\":\"a\"}]", ts);
    assert_slack("invalid_arguments");
    slack(ALICE, "assistant.threads.setTitle", "channel_id=" DEV "&thread_ts=%s&title=a", ts);
    assert_slack("not_allowed_token_type");
}

static void an_assistant_searches(void **state)
{
    slack(ALICE, "chat.postMessage", "channel=" DEV "&text=budget one");
    test_advance(10);
    slack(BOT, "chat.postMessage", "channel=" DEV "&text=budget two");
    test_advance(10);
    slack(ALICE, "chat.postMessage", "channel=" SECRET "&text=budget three");
    const struct json *v = slack(ALICE, "assistant.search.context", "query=budget");
    assert_slack(NULL);
    assert_string_equal(column(v, "results.messages", "content"), "budget two budget one");
    assert_string_equal(text_at(v, "results.messages.1.author_user_id"), "U0ALICE");
    assert_true(true_at(v, "results.messages.0.is_author_bot"));
    v = slack(ALICE, "assistant.search.context", "query=budget&include_bots=false");
    assert_string_equal(column(v, "results.messages", "content"), "budget one");
    v = slack(ALICE, "assistant.search.context",
              "query=budget&channel_types=private_channel,public_channel&limit=2&sort_dir=asc");
    assert_string_equal(column(v, "results.messages", "content"), "budget one budget two");
    v = slack(
        ALICE, "assistant.search.context",
        "query=budget&channel_types=private_channel,public_channel&limit=2&sort_dir=asc&cursor=%s",
        text_at(v, "response_metadata.next_cursor"));
    assert_string_equal(column(v, "results.messages", "content"), "budget three");
    v = slack(ALICE, "assistant.search.context", "query=budget&term_clauses=[\"one\"]");
    assert_string_equal(column(v, "results.messages", "content"), "budget one");
    v = slack(ALICE, "assistant.search.context", "query=budget&before=1771185605");
    assert_string_equal(column(v, "results.messages", "content"), "budget one");
    v = slack(ALICE, "assistant.search.context", "query=dev&content_types=channels,users,files");
    assert_string_equal(column(v, "results.channels", "channel_id"), DEV);
    assert_int_equal(count_at(v, "results.messages"), 0);
    v = slack(ALICE, "assistant.search.context", "query=carol&content_types=users");
    assert_string_equal(column(v, "results.users", "user_id"), "U0CAROL");
    slack(ALICE, "assistant.search.context", "%s", "");
    assert_slack("missing_query");
    slack(BOT, "assistant.search.context", "query=budget");
    assert_slack("invalid_action_token");
    slack(ALICE, "assistant.search.context", "query=a&context_channel_id=" VAULT);
    assert_slack("context_channel_not_found");
    slack(ALICE, "assistant.search.context", "query=a&channel_types=nonsense");
    assert_slack("invalid_arguments");
    slack_scoped(ALICE, "search:read.public", "assistant.search.context",
                 "query=a&channel_types=im");
    assert_slack("missing_scope");
    v = slack(BOT, "assistant.search.info", "%s", "");
    assert_true(true_at(v, "is_ai_search_enabled"));
}

static void an_agent_has_sessions(void **state)
{
    const char *ts = post();
    slack(BOT, "agents.sessions.rename", "channel_id=" DEV "&thread_ts=%s&title=a", ts);
    assert_slack("session_not_found");
    const struct json *v = slack(
        BOT, "agents.sessions.setStatus",
        "channel_id=" DEV "&thread_ts=%s&status=processing&title=Dive&initiator_user_id=U0BOB", ts);
    assert_slack(NULL);
    assert_string_equal(text_at(v, "agent_status"), "processing");
    assert_string_equal(text_at(v, "title"), "Dive");
    v = slack(BOT, "agents.sessions.rename", "channel_id=" DEV "&thread_ts=%s&title=Trip", ts);
    assert_string_equal(text_at(v, "title"), "Trip");
    v = slack(ALICE, "conversations.history", "channel=" DEV);
    assert_string_equal(text_at(v, "messages.0.agent_session.title"), "Trip");
    assert_string_equal(text_at(v, "messages.0.agent_session.status"), "processing");
    slack(BOT, "agents.sessions.setStatus", "channel_id=" DEV "&status=active");
    assert_slack("thread_ts_required");
    slack(BOT, "agents.sessions.setStatus", "channel_id=" DEV "&thread_ts=%s&status=lazy", ts);
    assert_slack("invalid_status");
    slack(BOT, "agents.sessions.setStatus", "channel_id=" GENERAL "&thread_ts=%s&status=active",
          ts);
    assert_slack("not_authorized");
    slack(BOT, "agents.sessions.setStatus",
          "channel_id=" DEV "&thread_ts=%s&status=active&initiator_user_id=U0NONE", ts);
    assert_slack("user_not_found");
}

/* A picture as an argument of that name, among others. */
static const struct json *send_picture(const char *target, const char *scopes, const char *name,
                                       const char *image, size_t n)
{
    struct buf b;
    static const char tail[] = "\r\n--x--\r\n";
    struct sosia_header headers[] = {
        {"Host", "slack.com"},
        {"Content-Type", "multipart/form-data; boundary=x"},
        {"Authorization", FORM("Bearer %s", slack_token(ALICE, scopes))}};
    buf_init(&b, 0);
    buf_printf(&b,
               "--x\r\nContent-Disposition: form-data; name=\"%s\"; filename=\"a.gif\"\r\n"
               "Content-Type: image/gif\r\n\r\n",
               name);
    buf_add(&b, image, n);
    buf_add(&b, tail, strlen(tail));
    const struct json *v = test_request("POST", target, headers, 3, buf_str(&b), b.len);
    buf_done(&b);
    return v;
}

static const struct json *set_photo(const char *image, size_t n)
{
    return send_picture("/api/users.setPhoto", NULL, "image", image, n);
}

static void an_app_has_a_picture(void **state)
{
    static const char fits[] = "GIF89a\x00\x02\x00\x02\x00\x00\x00;";
    static const char small[] = "GIF89a\x00\x02\x10\x00\x00\x00\x00;";
    const char *target = "/api/apps.icon.set?app_id=A0DEPLOY", *scopes = "app_configurations:write";
    (void)state;
    send_picture(target, scopes, "file", small, sizeof small - 1);
    assert_slack("invalid_icon_size");
    send_picture(target, scopes, "file", "words", 5);
    assert_slack("error_bad_format");
    send_picture("/api/apps.icon.set?app_id=A0DEPLOY&url=https://a.example/b.png", scopes, "file",
                 fits, sizeof fits - 1);
    assert_slack("invalid_parameters");
    send_picture(target, NULL, "file", fits, sizeof fits - 1);
    assert_slack("not_allowed_token_type");
    for (int i = 0; i < 2; i++) { /* the second takes the place of the first */
        send_picture(target, scopes, "file", fits, sizeof fits - 1);
        assert_slack(NULL);
    }
    const struct json *v = slack(ALICE, "bots.info", "bot=B0DEPLOY");
    const char *icon = text_at(v, "bot.icons.image_72");
    v = slack(ALICE, "users.info", "user=U0DEPLOY");
    assert_string_equal(text_at(v, "user.profile.image_72"), icon);
    struct sosia_header host = {"Host", "avatars.slack-edge.com"};
    test_request("GET", icon + strlen("https://avatars.slack-edge.com"), &host, 1, NULL, 0);
    assert_int_equal(test_status, 200);
    assert_memory_equal(test_body, fits, sizeof fits - 1);
}

/* A picture that is imported is named by one row, as it was. */
static void an_imported_picture_has_one_reference(void **state)
{
    static const char gif[] = "GIF89a\x10\x00\x10\x00\x00\x00\x00;";
    uint64_t imported, again;
    (void)state;
    set_photo(gif, sizeof gif - 1);
    assert_slack(NULL);
    if (test_import_changed(NULL, &imported) < 0)
        fail_msg("%s", test_err.text);
    assert_int_equal(sosia_world_drop(test_engine, test_world, &test_err), 0);
    test_world = imported;
    /* The test fails where a statement changes nothing. */
    assert_int_equal(test_import_changed("update blob set refs = 1 where refs = 1", &again), 0);
}

static void somebody_has_a_picture(void **state)
{
    static const char gif[] = "GIF89a\x10\x00\x10\x00\x00\x00\x00;";
    static const char wide[] = "GIF89a\xff\xff\x10\x00\x00\x00\x00;";
    const struct json *v = set_photo(gif, sizeof gif - 1);
    assert_slack(NULL);
    const char *url = text_at(v, "profile.image_72");
    assert_non_null(strstr(url, "avatars.slack-edge.com/avatars/T0ACME-U0ALICE-"));
    v = slack(BOB, "users.info", "user=U0ALICE");
    assert_string_equal(text_at(v, "user.profile.image_72"), url);
    assert_true(true_at(v, "user.profile.is_custom_image"));
    slack_call("GET", FORM("/@avatars.slack-edge.com%s", strstr(url, "/avatars/")), NULL, NULL,
               NULL);
    assert_int_equal(test_status, 200);
    assert_int_equal(memcmp(test_body, "GIF89a", 6), 0);
    set_photo("nonsense", 8);
    assert_slack("bad_image");
    set_photo(wide, sizeof wide - 1);
    assert_slack("too_large");
    struct buf b;
    buf_init(&b, 0);
    buf_add(&b, gif, 13);
    for (int i = 0; i < 101; i++)
        buf_add(&b, "\x2c\0\0\0\0\1\0\1\0\0\2\0", 12);
    buf_byte(&b, ';');
    set_photo(buf_str(&b), b.len);
    buf_done(&b);
    assert_slack("too_many_frames");
    slack(ALICE, "users.setPhoto", "%s", "");
    assert_slack("invalid_arguments");
    slack(ALICE, "users.deletePhoto", "%s", "");
    assert_slack(NULL);
    v = slack(BOB, "users.info", "user=U0ALICE");
    assert_null(value_at(v, "user.profile.is_custom_image"));
    slack_call("GET", FORM("/@avatars.slack-edge.com%s", strstr(url, "/avatars/")), NULL, NULL,
               NULL);
    assert_int_equal(test_status, 404);
}

static void several_people_are_asked_for_at_once(void **state)
{
    const struct json *v = slack(BOB, "users.info", "users=U0BOB,U0NOBODY,U0ALICE");
    assert_slack(NULL);
    assert_int_equal(value_at(v, "users")->n, 2);
    assert_string_equal(text_at(v, "users.0.id"), "U0BOB");
    assert_string_equal(text_at(v, "users.1.id"), "U0ALICE");
    assert_null(value_at(v, "user"));
    slack(BOB, "users.info", "users=U0NOBODY");
    assert_slack("user_not_found");
    slack(BOB, "users.info", "users=,");
    assert_slack("user_not_found");
    v = slack(BOB, "users.info", "%s", "");
    assert_slack("invalid_arguments");
    assert_string_equal(text_at(v, "response_metadata.messages.0"),
                        "[ERROR] missing required field: user");
    struct buf b;
    buf_init(&b, 0);
    for (int i = 0; i < 1001; i++)
        buf_puts(&b, "U0BOB,");
    slack(BOB, "users.info", "users=%s", buf_str(&b));
    buf_done(&b);
    assert_slack("invalid_arguments");
}

static void administrators_see_logs(void **state)
{
    slack_use_with(
        "chatLogins:\n"
        "  - {user: U0BOB, first: 1771100000, last: 1771100500, count: 3, ip: 192.0.2.1,\n"
        "     agent: Browser, isp: Net, country: US, region: CA}\n"
        "  - {user: U0CAROL, first: 1771110000, ip: 192.0.2.2, agent: Phone}\n"
        "chatAppLogs:\n"
        "  - {app: '1.2', user: U0ALICE, at: 1771100000, change: added, scopes: 'chat:write'}\n"
        "  - {app: '1.2', user: U0BOB, at: 1771100001, change: updated}\n");
    const struct json *v = slack(ALICE, "team.accessLogs", "%s", "");
    assert_slack(NULL);
    assert_string_equal(column(v, "logins", "username"), "carol bob");
    assert_int_equal(number_at(v, "logins.1.count"), 3);
    assert_int_equal(number_at(v, "paging.total"), 2);
    v = slack(ALICE, "team.accessLogs", "count=1&page=2");
    assert_string_equal(column(v, "logins", "username"), "bob");
    v = slack(ALICE, "team.accessLogs", "limit=1");
    assert_string_equal(column(v, "logins", "username"), "carol");
    v = slack(ALICE, "team.accessLogs", "limit=1&cursor=%s",
              text_at(v, "response_metadata.next_cursor"));
    assert_string_equal(column(v, "logins", "username"), "bob");
    v = slack(ALICE, "team.accessLogs", "before=1771105000");
    assert_string_equal(column(v, "logins", "username"), "bob");
    slack(ALICE, "team.accessLogs", "count=1001");
    assert_slack("over_pagination_limit");
    slack(ALICE, "team.accessLogs", "team_id=T0NONE");
    assert_slack("invalid_team_id");
    slack(BOB, "team.accessLogs", "%s", "");
    assert_slack("missing_scope");
    v = slack(ALICE, "team.integrationLogs", "%s", "");
    assert_slack(NULL);
    assert_string_equal(column(v, "logs", "change_type"), "updated added");
    assert_string_equal(text_at(v, "logs.1.scope"), "chat:write");
    assert_string_equal(text_at(v, "logs.1.date"), "1771100000");
    v = slack(ALICE, "team.integrationLogs", "change_type=added&user=U0ALICE&app_id=A0DEPLOY");
    assert_int_equal(count_at(v, "logs"), 1);
    v = slack(ALICE, "team.integrationLogs", "user=U0NONE");
    assert_int_equal(count_at(v, "logs"), 0);
}

static void blocks_are_looked_at(void **state)
{
    slack(BOT, "blocks.validate", "blocks=[{\"type\":\"divider\"}]");
    assert_slack(NULL);
    slack(BOT, "blocks.validate", "message={\"text\":\"a\"}");
    assert_slack(NULL);
    const struct json *v = slack(
        BOT, "blocks.validate",
        "blocks=[{\"type\":\"header\",\"text\":{\"type\":\"plain_text\",\"text\":\"%0200d\"}}]", 1);
    assert_slack("invalid_blocks");
    assert_int_equal(strncmp(text_at(v, "errors.0.pointer"), "/0/text", 7), 0);
    assert_string_equal(text_at(v, "errors.0.code"), "failed_constraint");
    v = slack(BOT, "blocks.validate",
              "blocks=[{\"type\":\"section\",\"text\":{\"type\":\"invalid\",\"text\":\"a\"}}]");
    assert_string_equal(
        json_to_text(&test_arena, value_at(v, "errors")),
        "[{\"code\":\"failed_constraint\",\"message\":\"unsupported type: invalid\","
        "\"pointer\":\"/0/text/type\",\"constraint\":{\"type\":\"enum\","
        "\"expected\":[\"plain_text\",\"mrkdwn\"]}}]");
    v = slack(BOT, "blocks.validate",
              "blocks=[{\"type\":\"header\"},{\"type\":\"section\",\"text\":{\"type\":\"mrkdwn\","
              "\"text\":\"a\"},\"expand\":1},{\"type\":\"divider\",\"a\":1},{\"type\":\"context\","
              "\"elements\":[]}]");
    assert_string_equal(
        json_to_text(&test_arena, value_at(v, "errors")),
        "[{\"code\":\"missing_field\",\"message\":\"missing required field: text\",\"field\":"
        "\"text\",\"pointer\":\"/0\"},{\"code\":\"invalid_type\",\"message\":\"must be a boolean\","
        "\"pointer\":\"/1/expand\"},{\"code\":\"failed_constraint\",\"message\":\"invalid "
        "additional property: a\",\"pointer\":\"/2\",\"constraint\":{\"type\":"
        "\"additional_properties\",\"got\":\"a\"}},{\"code\":\"failed_constraint\",\"message\":"
        "\"must provide at least 1 items\",\"pointer\":\"/3/elements\",\"constraint\":{\"type\":"
        "\"min_items\",\"expected\":1}}]");
    slack(BOT, "blocks.validate", "message={}");
    assert_slack("invalid_message");
    slack(BOT, "blocks.validate", "view={\"type\":\"modal\"}");
    assert_slack("invalid_view");
    slack(BOT, "blocks.validate", "%s", "");
    assert_slack("invalid_arguments");
    slack(BOT, "blocks.validate", "blocks=[]&view={}");
    assert_slack("invalid_arguments");
    slack(BOT, "blocks.validate", "blocks=nonsense");
    assert_slack("invalid_arguments");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        slack_test(a_call_is_held),
        slack_test(a_bot_needs_no_creator),
        slack_test(bad_calls_are_refused),
        slack_test(an_assistant_says_what_it_does),
        slack_test(an_assistant_searches),
        slack_test(an_agent_has_sessions),
        slack_test(an_app_has_a_picture),
        slack_test(somebody_has_a_picture),
        slack_test(several_people_are_asked_for_at_once),
        slack_test(an_imported_picture_has_one_reference),
        slack_test(several_people_are_asked_for_at_once),
        slack_test(administrators_see_logs),
        slack_test(blocks_are_looked_at),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
