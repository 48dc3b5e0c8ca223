/* SPDX-License-Identifier: Apache-2.0 */
/* Documented refusals that follow from what a workspace holds: roles, memberships, preferences. */
#include "tests/support/slack.h"
#include <stdlib.h>

#define OWNER "a@x.example" /* U0A */
#define OTHER "b@x.example" /* U0B: no channel with the guest */
#define GUEST "g@x.example" /* U0G, of several channels */

/* A workspace with a guest; settings: of the workspace, as YAML in braces. */
static void open_with_guest(const char *plan, const char *settings, const char *more)
{
    test_use(arena_printf(
        &test_arena,
        "sosia: 1\ntime: 2026-02-15T20:00:00Z\n"
        "people: [{email: a@x.example, name: Ann A}, {email: b@x.example, name: Ben B},\n"
        "  {email: g@x.example, name: Gus G}, {handle: deploybot, kind: bot, name: Deploybot},\n"
        "  {handle: otherbot, kind: bot, name: Otherbot}]\n"
        "apps: [{client_id: '1.2', client_secret: s, name: Deployer, vendor: slack, bot: "
        "deploybot},\n"
        "  {client_id: '3.4', client_secret: s, name: Other, vendor: slack, bot: otherbot}]\n"
        "workspaces: [{id: T0X, domain: x, plan: %s, settings: %s, members: [\n"
        "  {actor: a@x.example, role: owner, id: U0A}, {actor: b@x.example, id: U0B},\n"
        "  {actor: g@x.example, role: guest, id: U0G}, {actor: deploybot, id: U0DEPLOY},\n"
        "  {actor: otherbot, id: U0OTHER}],\n"
        "  apps: [{client_id: '1.2', id: A0DEPLOY, bot: B0DEPLOY},\n"
        "    {client_id: '3.4', id: A0OTHER, bot: B0OTHER}]}]\n"
        "channels: [{id: C0GENERAL, name: general, general: true, creator: U0A, members: [U0A, "
        "U0B,\n"
        "    U0DEPLOY]},\n"
        "  {id: C0OURS, name: ours, creator: U0A, members: [U0A, U0G, U0DEPLOY]},\n"
        "  {id: C0THEIRS, name: theirs, creator: U0A, members: [U0A, U0B]}]\n%s",
        plan, settings, more));
}

static void guests_leave_no_channel(void **state)
{
    open_with_guest("plus", "{}", "");
    slack(GUEST, "conversations.leave", "channel=C0OURS");
    assert_slack("user_is_restricted");
    slack(OWNER, "conversations.kick", "channel=C0OURS&user=U0G");
    assert_slack(NULL);
}

static void slackbot_is_not_invited(void **state)
{
    const struct json *v = slack(ALICE, "conversations.invite", "channel=" DEV "&users=USLACKBOT");
    assert_slack("cant_invite");
    assert_string_equal(text_at(v, "errors.0.error"), "cant_invite");
    assert_string_equal(text_at(v, "errors.0.user"), "USLACKBOT");
    v = slack(ALICE, "conversations.invite",
              "channel=" DEV "&force=true&users=USLACKBOT,U0CAROL,U0ALICE");
    assert_slack(NULL);
    assert_string_equal(column(v, "errors", "error"), "cant_invite cant_invite_self");
    v = slack(ALICE, "conversations.members", "channel=" DEV);
    assert_string_equal(column(v, "members", ""), "U0ALICE U0BOB U0CAROL U0DEPLOY");
    slack(ALICE, "conversations.kick", "channel=" DEV "&user=USLACKBOT");
    assert_slack("not_in_channel");
    slack(ALICE, "conversations.open", "users=USLACKBOT");
    assert_slack(NULL);
}

static void bots_open_nothing_with_bots(void **state)
{
    open_with_guest("plus", "{}", "");
    slack(BOT, "conversations.open", "users=U0OTHER");
    assert_slack("cannot_dm_bot");
    slack(BOT, "conversations.open", "users=USLACKBOT");
    assert_slack("cannot_dm_bot");
    slack(BOT, "conversations.open", "users=U0A");
    assert_slack(NULL);
    slack(BOT, "chat.postMessage", "channel=U0OTHER&text=x");
    assert_slack("channel_not_found");
    slack(OWNER, "conversations.open", "users=U0OTHER");
    assert_slack(NULL);
}

static void who_kicks_is_in_the_channel(void **state)
{
    slack(CAROL, "conversations.kick", "channel=" DEV "&user=U0BOB");
    assert_slack("not_in_channel");
    slack(BOT, "conversations.kick", "channel=" DEV "&user=U0CAROL");
    assert_slack("not_in_channel");
    slack(BOT, "conversations.kick", "channel=" DEV "&user=U0BOB");
    assert_slack(NULL);
}

static void guests_see_nobody_else(void **state)
{
    open_with_guest("plus", "{}", "");
    const struct json *v = slack(GUEST, "users.list", "%s", "");
    assert_slack(NULL);
    assert_string_equal(column(v, "members", "id"), "USLACKBOT U0A U0DEPLOY U0G U0OTHER");
    v = slack(GUEST, "users.list", "limit=3");
    assert_string_equal(column(v, "members", "id"), "USLACKBOT U0A U0DEPLOY");
    v = slack(GUEST, "users.list", "limit=3&cursor=%s",
              text_at(v, "response_metadata.next_cursor"));
    assert_string_equal(column(v, "members", "id"), "U0G U0OTHER");
    v = slack(OTHER, "users.list", "%s", "");
    assert_string_equal(column(v, "members", "id"), "USLACKBOT U0A U0B U0DEPLOY U0G U0OTHER");
    slack(GUEST, "dnd.teamInfo", "users=U0A,U0B");
    assert_slack("user_not_visible");
    v = slack(GUEST, "dnd.teamInfo", "users=U0A,U0G,U0NOBODY");
    assert_slack(NULL);
    assert_string_equal(members(v, "users"), "U0A U0G");
    slack(GUEST, "dnd.info", "user=U0B");
    assert_slack("user_not_visible");
    slack(GUEST, "reactions.list", "user=U0B");
    assert_slack("user_not_found");
    slack(GUEST, "users.conversations", "user=U0B");
    assert_slack("user_not_found");
    slack(GUEST, "files.list", "user=U0B");
    assert_slack("user_not_found");
    v = slack(GUEST, "assistant.search.context", "query=Ben&content_types=users");
    assert_slack(NULL);
    assert_int_equal(count_at(v, "results.users"), 0);
    v = slack(OWNER, "assistant.search.context", "query=Ben&content_types=users");
    assert_string_equal(column(v, "results.users", "user_id"), "U0B");
}

/* An upload of one byte by somebody; its id. */
static const char *uploaded(const char *who)
{
    const struct json *v = slack(who, "files.getUploadURLExternal", "filename=a.txt&length=1");
    assert_slack(NULL);
    const char *id = text_at(v, "file_id");
    slack_call("POST", strstr(text_at(v, "upload_url"), "/upload/"), "text/plain", NULL, "x");
    return id;
}

static void guests_give_files_to_whom_they_see(void **state)
{
    open_with_guest("plus", "{}", "");
    const char *id = uploaded(GUEST);
    slack(GUEST, "files.completeUploadExternal", "files=[{\"id\":\"%s\"}]&channels=U0B", id);
    assert_slack("channel_not_found");
    slack(GUEST, "files.completeUploadExternal", "files=[{\"id\":\"%s\"}]&channels=U0A", id);
    assert_slack(NULL);
}

static void bots_react_where_they_are(void **state)
{
    const struct json *v = slack(ALICE, "chat.postMessage", "channel=" GENERAL "&text=x");
    const char *ts = text_at(v, "ts");
    slack(BOT, "reactions.add", "channel=" GENERAL "&timestamp=%s&name=eyes", ts);
    assert_slack("not_in_channel");
    slack(BOT, "conversations.join", "channel=" GENERAL);
    slack(BOT, "reactions.add", "channel=" GENERAL "&timestamp=%s&name=eyes", ts);
    assert_slack(NULL);
    v = slack(BOB, "chat.postMessage", "channel=" DEV "&text=x");
    slack(CAROL, "reactions.add", "channel=" DEV "&timestamp=%s&name=eyes", text_at(v, "ts"));
    assert_slack(NULL);
}

static void levels_are_read_before_what_they_are_of(void **state)
{
    slack(ALICE, "canvases.access.set", "canvas_id=F0NONE&access_level=all&user_ids=[\"U0BOB\"]");
    assert_slack("invalid_arguments");
    slack(ALICE, "canvases.access.set", "canvas_id=F0NONE&access_level=read&user_ids=[\"U0BOB\"]");
    assert_slack("canvas_not_found");
    slack(ALICE, "slackLists.access.set", "list_id=F0NONE&access_level=all&user_ids=[\"U0BOB\"]");
    assert_slack("invalid_arguments");
    slack(ALICE, "slackLists.access.set", "list_id=F0NONE&access_level=read&user_ids=[\"U0BOB\"]");
    assert_slack("list_not_found");
}

static void what_is_missing_has_no_pointer(void **state)
{
    const struct json *v = slack(BOT, "conversations.acceptSharedInvite", "channel_name=x");
    assert_slack("invalid_arguments");
    assert_string_equal(text_at(v, "response_metadata.messages.0"),
                        "[ERROR] missing required field: invite_id");
    v = slack(BOT, "users.discoverableContacts.lookup", "email=");
    assert_slack("invalid_arguments");
    assert_string_equal(text_at(v, "response_metadata.messages.0"),
                        "[ERROR] must be more than 0 characters [json-pointer:/email]");
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        slack_test(guests_leave_no_channel),
        slack_test(slackbot_is_not_invited),
        slack_test(bots_open_nothing_with_bots),
        slack_test(who_kicks_is_in_the_channel),
        slack_test(guests_see_nobody_else),
        slack_test(guests_give_files_to_whom_they_see),
        slack_test(bots_react_where_they_are),
        slack_test(levels_are_read_before_what_they_are_of),
        slack_test(what_is_missing_has_no_pointer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
