/* SPDX-License-Identifier: Apache-2.0 */
/* Channels, their members, and what is written in them. */
#include "tests/support/slack.h"

static const char *post(const char *who, const char *channel, const char *text)
{
    const struct json *v = slack(who, "chat.postMessage", "channel=%s&text=%s", channel, text);
    assert_slack(NULL);
    return text_at(v, "ts");
}

static void a_channel_is_made_as_recorded(void **state)
{
    const struct json *v = slack_json(ALICE, "conversations.create", "{'name':'test-channel-1'}");
    assert_slack(NULL);
    assert_string_equal(
        members(v, "channel"),
        "id created creator is_org_shared is_im context_team_id updated name name_normalized "
        "is_channel is_group is_mpim is_private is_archived is_general is_shared is_ext_shared "
        "unlinked is_pending_ext_shared pending_shared parent_conversation purpose topic "
        "shared_team_ids pending_connected_team_ids is_member last_read priority previous_names");
    assert_int_equal(strlen(text_at(v, "channel.id")), 11);
    assert_string_equal(text_at(v, "channel.last_read"), "0000000000.000000");
    slack(ALICE, "conversations.create", "name=test-channel-1");
    assert_slack("name_taken");
    static const char *const bad[][2] = {{"Upper", "invalid_name_specials"},
                                         {"a+b", "invalid_name_specials"},
                                         {"--", "invalid_name_punctuation"},
                                         {"", "invalid_name_required"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        slack(ALICE, "conversations.create", "name=%s", bad[i][0]);
        assert_slack(bad[i][1]);
    }
}

static void private_channels_are_as_if_they_were_not_there(void **state)
{
    static const char *const methods[] = {"conversations.info", "conversations.members",
                                          "conversations.history"};
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        slack(ALICE, methods[i], "channel=" VAULT);
        assert_slack("channel_not_found");
        slack(ALICE, methods[i], "channel=" SECRET);
        assert_slack(NULL);
    }
    const struct json *v =
        slack(ALICE, "conversations.list", "types=public_channel,private_channel,im,mpim");
    assert_string_equal(column(v, "channels", "id"), "C0DEV C0GENERAL C0SECRET");
    v = slack(CAROL, "conversations.list", "types=private_channel");
    assert_string_equal(column(v, "channels", "id"), "C0VAULT");
    v = slack(BOB, "users.conversations", "%s", "");
    assert_string_equal(column(v, "channels", "id"), "C0DEV C0GENERAL");
    slack(ALICE, "conversations.list", "types=nonsense");
    assert_slack("invalid_types");
}

static void lists_have_pages(void **state)
{
    const struct json *v = slack(ALICE, "conversations.list", "limit=1");
    assert_string_equal(column(v, "channels", "id"), "C0DEV");
    const char *cursor = text_at(v, "response_metadata.next_cursor");
    assert_string_equal(cursor, "dGVhbTpDMEdFTkVSQUw="); /* team:C0GENERAL */
    v = slack(ALICE, "conversations.list", "limit=1&cursor=%s", cursor);
    assert_string_equal(column(v, "channels", "id"), "C0GENERAL");
    assert_string_equal(text_at(v, "response_metadata.next_cursor"), "");
    slack(ALICE, "conversations.list", "cursor=bm9uc2Vuc2U=");
    assert_slack("invalid_cursor");
    slack(ALICE, "conversations.list", "limit=x");
    assert_slack("invalid_limit");
    v = slack(ALICE, "users.list", "limit=2");
    assert_string_equal(column(v, "members", "id"), "USLACKBOT U0ALICE");
    v = slack(ALICE, "users.list", "limit=9&cursor=%s",
              text_at(v, "response_metadata.next_cursor"));
    assert_string_equal(column(v, "members", "id"), "U0BOB U0CAROL U0DEPLOY");
}

static void histories_are_newest_first_and_leave_out_replies(void **state)
{
    const char *one = post(ALICE, DEV, "one");
    post(BOB, DEV, "two");
    slack(BOB, "chat.postMessage", "channel=" DEV "&text=inside&thread_ts=%s", one);
    const struct json *v = slack(BOT, "conversations.history", "channel=" DEV);
    assert_string_equal(column(v, "messages", "text"), "two one");
    assert_int_equal(number_at(v, "messages.1.reply_count"), 1);
    assert_string_equal(column(v, "messages.1.reply_users", ""), "U0BOB");
    assert_null(value_at(v, "response_metadata"));
    v = slack(BOT, "conversations.replies", "channel=" DEV "&ts=%s", one);
    assert_string_equal(column(v, "messages", "text"), "one inside");
    assert_string_equal(text_at(v, "messages.1.parent_user_id"), "U0ALICE");
    v = slack(BOT, "conversations.replies", "channel=" DEV "&ts=%s", text_at(v, "messages.1.ts"));
    assert_string_equal(column(v, "messages", "text"), "inside");
    slack(BOT, "conversations.replies", "channel=" DEV "&ts=1.000000");
    assert_slack("thread_not_found");
    slack(BOT, "conversations.history", "channel=" GENERAL);
    assert_slack("not_in_channel");
}

static void histories_have_pages_and_bounds(void **state)
{
    const char *ts[5];
    for (int i = 0; i < 5; i++) {
        test_advance(10);
        ts[i] = post(ALICE, DEV, arena_printf(&test_arena, "m%d", i));
    }
    const struct json *v = slack(ALICE, "conversations.history", "channel=" DEV "&limit=2");
    assert_string_equal(column(v, "messages", "text"), "m4 m3");
    assert_true(true_at(v, "has_more"));
    v = slack(ALICE, "conversations.history", "channel=" DEV "&limit=2&cursor=%s",
              text_at(v, "response_metadata.next_cursor"));
    assert_string_equal(column(v, "messages", "text"), "m2 m1");
    v = slack(ALICE, "conversations.history", "channel=" DEV "&oldest=%s&latest=%s", ts[1], ts[3]);
    assert_string_equal(column(v, "messages", "text"), "m2");
    v = slack(ALICE, "conversations.history", "channel=" DEV "&oldest=%s&latest=%s&inclusive=1",
              ts[1], ts[3]);
    assert_string_equal(column(v, "messages", "text"), "m3 m2 m1");
    v = slack(ALICE, "conversations.history", "channel=" DEV "&latest=%s&inclusive=true&limit=1",
              ts[2]);
    assert_string_equal(column(v, "messages", "text"), "m2");
    slack(ALICE, "conversations.history", "channel=" DEV "&oldest=yesterday");
    assert_slack("invalid_ts_oldest");
    slack(ALICE, "conversations.history", "channel=" DEV "&latest=1.2.3");
    assert_slack("invalid_ts_latest");
}

static void a_posted_message_is_as_recorded(void **state)
{
    const struct json *v =
        slack_json(BOT, "chat.postMessage", "{'channel':'C0DEV','text':'Hello'}");
    assert_slack(NULL);
    assert_string_equal(members(v, "message"),
                        "user type ts bot_id app_id text team bot_profile blocks");
    assert_string_equal(members(v, "message.bot_profile"),
                        "id app_id user_id name icons deleted updated team_id");
    assert_string_equal(text_at(v, "message.blocks.0.elements.0.elements.0.text"), "Hello");
    assert_string_equal(text_at(v, "message.bot_id"), "B0DEPLOY");
    assert_string_equal(text_at(v, "ts"), "1771185600.000000");
}

static void who_may_post_where(void **state)
{
    slack(BOT, "chat.postMessage", "channel=" VAULT "&text=x");
    assert_slack("channel_not_found");
    slack(CAROL, "chat.postMessage", "channel=" DEV "&text=x");
    assert_slack("not_in_channel");
    slack(ALICE, "chat.postMessage", "channel=" DEV);
    assert_slack("no_text");
    slack(ALICE, "chat.postMessage", "channel=%%23dev&text=by-name");
    assert_slack(NULL);
    const struct json *v = slack(BOT, "chat.postMessage", "channel=U0BOB&text=direct");
    assert_slack(NULL);
    assert_int_equal(text_at(v, "channel")[0], 'D');
    slack(ALICE, "conversations.archive", "channel=" DEV);
    assert_slack(NULL);
    slack(ALICE, "chat.postMessage", "channel=" DEV "&text=x");
    assert_slack("is_archived");
}

static void owners_keep_order_from_outside(void **state)
{
    slack(ALICE, "conversations.leave", "channel=" DEV);
    assert_slack(NULL);
    slack(CAROL, "conversations.kick", "channel=" DEV "&user=U0BOB");
    assert_slack("not_in_channel");
    slack(ALICE, "conversations.kick", "channel=" DEV "&user=U0CAROL");
    assert_slack("not_in_channel"); /* who goes is in it */
    slack(ALICE, "conversations.kick", "channel=" DEV "&user=U0BOB");
    assert_slack(NULL);
    slack(ALICE, "conversations.kick", "channel=" VAULT "&user=U0CAROL");
    assert_slack("channel_not_found"); /* which he does not see */
}

static void people_come_and_go(void **state)
{
    const struct json *v = slack_json(CAROL, "conversations.join", "{'channel':'C0DEV'}");
    assert_slack(NULL);
    v = slack_call("POST", "/api/conversations.join", "application/json", slack_token(CAROL, NULL),
                   "{\"channel\":\"C0DEV\"}");
    assert_string_equal(text_at(v, "warning"), "missing_charset,already_in_channel");
    v = slack(ALICE, "conversations.invite", "channel=" SECRET "&users=U0BOB,U0NOBODY,U0ALICE");
    assert_slack("user_not_found");
    assert_string_equal(column(v, "errors", "error"), "user_not_found cant_invite_self");
    v = slack(ALICE, "conversations.invite", "channel=" SECRET "&users=U0BOB,U0NOBODY&force=true");
    assert_slack(NULL);
    v = slack(BOB, "conversations.members", "channel=" SECRET);
    assert_string_equal(column(v, "members", ""), "U0ALICE U0BOB");
    slack(ALICE, "conversations.kick", "channel=" SECRET "&user=U0BOB");
    assert_string_equal(test_body, "{\"ok\":true,\"errors\":{}}");
    slack(ALICE, "conversations.kick", "channel=" SECRET "&user=U0BOB");
    assert_slack("not_in_channel");
    slack(ALICE, "conversations.leave", "channel=" GENERAL);
    assert_slack("cant_leave_general");
    slack(CAROL, "conversations.leave", "channel=" DEV);
    assert_slack(NULL);
    slack(CAROL, "conversations.leave", "channel=" DEV);
    assert_slack("not_in_channel");
    v = slack(ALICE, "conversations.history", "channel=" DEV);
    assert_string_equal(column(v, "messages", "subtype"), "channel_leave channel_join");
}

static void direct_channels_are_found_again(void **state)
{
    const struct json *v = slack_json(ALICE, "conversations.open", "{'users':'U0BOB'}");
    const char *id = text_at(v, "channel.id");
    assert_string_equal(members(v, ""), "ok channel");
    slack(BOB, "conversations.open", "users=U0ALICE");
    assert_string_equal(test_body, arena_printf(&test_arena,
                                                "{\"ok\":true,\"no_op\":true,\"already_open\":true,"
                                                "\"channel\":{\"id\":\"%s\"}}",
                                                id));
    v = slack(ALICE, "conversations.open", "users=U0BOB,U0CAROL&return_im=true");
    assert_string_equal(text_at(v, "channel.name"), "mpdm-alice--bob--carol-1");
    assert_true(true_at(v, "channel.is_mpim"));
    slack(ALICE, "conversations.open", "%s", "");
    assert_slack("users_list_not_supplied");
    slack(ALICE, "conversations.open", "users=U0NOBODY");
    assert_slack("user_not_found");
    slack(ALICE, "conversations.close", "channel=%s", id);
    assert_string_equal(test_body, "{\"ok\":true}");
    slack(ALICE, "conversations.close", "channel=%s", id);
    assert_string_equal(test_body, "{\"ok\":true,\"no_op\":true,\"already_closed\":true}");
}

/* Documents give channels names that methods refuse. */
static void a_name_of_a_document_may_be_odd(void **state)
{
    (void)state;
    slack_use_with("  - {id: C0ODD, name: 'a\"b', creator: U0ALICE, members: [U0ALICE]}\n");
    slack(ALICE, "conversations.rename", "channel=C0ODD&name=even");
    assert_slack(NULL);
    slack(ALICE, "conversations.rename", "channel=C0ODD&name=odd");
    const struct json *v = slack(ALICE, "conversations.info", "channel=C0ODD");
    assert_string_equal(text_at(v, "channel.previous_names.0"), "even");
    assert_string_equal(text_at(v, "channel.previous_names.1"), "a\"b");
    v = slack(ALICE, "conversations.history", "channel=C0ODD");
    assert_string_equal(text_at(v, "messages.1.old_name"), "a\"b");
}

static void names_and_topics_are_noted(void **state)
{
    const struct json *v = slack(ALICE, "conversations.rename", "channel=" DEV "&name=devs");
    assert_string_equal(text_at(v, "channel.previous_names.0"), "dev");
    slack(BOB, "conversations.rename", "channel=" DEV "&name=mine");
    assert_slack("not_authorized");
    v = slack(ALICE, "conversations.setTopic", "channel=" DEV "&topic=Now");
    assert_string_equal(text_at(v, "channel.topic.value"), "Now");
    assert_false(true_at(v, "channel.is_member"));
    v = slack(ALICE, "conversations.history", "channel=" DEV);
    assert_string_equal(column(v, "messages", "subtype"), "channel_topic channel_name");
    assert_string_equal(text_at(v, "messages.0.topic"), "Now");
    assert_string_equal(text_at(v, "messages.1.old_name"), "dev");
    slack(ALICE, "conversations.archive", "channel=" DEV);
    slack(ALICE, "conversations.archive", "channel=" DEV);
    assert_slack("already_archived");
    v = slack(ALICE, "conversations.members", "channel=" DEV);
    assert_int_equal(count_at(v, "members"), 0);
    slack(ALICE, "conversations.unarchive", "channel=" DEV);
    assert_slack(NULL);
    v = slack(ALICE, "conversations.members", "channel=" DEV);
    assert_int_equal(count_at(v, "members"), 3);
}

/* docs.slack.dev, changes of 2025-05-29. */
static void an_app_that_is_sold_reads_little(void **state)
{
    struct sosia_err err;
    slack_use_with("chatApps:\n  - client_id: '1.2'\n    settings: {commercial: true}\n");
    for (int i = 0; i < 17; i++)
        post(ALICE, DEV, "x");
    const struct json *v = slack(BOT, "conversations.history", "channel=" DEV "&limit=100");
    assert_int_equal(count_at(v, "messages"), 15);
    v = slack(BOT, "conversations.history", "channel=" DEV);
    assert_int_equal(count_at(v, "messages"), 15);
    assert_int_equal(sosia_world_rates(test_engine, test_world, true, &err), 0);
    slack(BOT, "conversations.history", "channel=" DEV);
    assert_slack(NULL);
    slack(BOT, "conversations.history", "channel=" DEV);
    assert_int_equal(test_status, 429);
    assert_non_null(strstr(test_body, "\"ratelimited\""));
    assert_string_equal(test_header("Retry-After"), "60");
    slack(BOT, "conversations.replies", "channel=" DEV "&ts=%s", text_at(v, "messages.0.ts"));
    assert_slack(NULL); /* each method has its own */
    v = slack(ALICE, "conversations.history", "channel=" DEV);
    assert_int_equal(count_at(v, "messages"), 17);
}

static void a_dump_makes_the_same_world(void **state)
{
    const char *ts = post(ALICE, DEV, "root");
    slack(BOB, "chat.postMessage", "channel=" DEV "&text=reply&thread_ts=%s", ts);
    slack(ALICE, "conversations.open", "users=U0BOB");
    const struct json *v = read_dump(test_engine, test_world);
    const char *text = json_to_text(&test_arena, v);
    test_use(text);
    assert_string_equal(json_to_text(&test_arena, read_dump(test_engine, test_world)), text);
    v = slack(BOT, "conversations.replies", "channel=" DEV "&ts=%s", ts);
    assert_string_equal(column(v, "messages", "text"), "root reply");
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        slack_test(a_channel_is_made_as_recorded),
        slack_test(private_channels_are_as_if_they_were_not_there),
        slack_test(lists_have_pages),
        slack_test(histories_are_newest_first_and_leave_out_replies),
        slack_test(histories_have_pages_and_bounds),
        slack_test(a_posted_message_is_as_recorded),
        slack_test(who_may_post_where),
        slack_test(people_come_and_go),
        slack_test(owners_keep_order_from_outside),
        slack_test(direct_channels_are_found_again),
        slack_test(names_and_topics_are_noted),
        slack_test(a_name_of_a_document_may_be_odd),
        slack_test(an_app_that_is_sold_reads_little),
        slack_test(a_dump_makes_the_same_world),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
