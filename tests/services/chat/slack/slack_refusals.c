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

static void guests_of_one_channel_get_one(void **state)
{
    test_use("sosia: 1\n"
             "people: [{email: a@x.example, name: A}, {email: g@x.example, name: G}]\n"
             "workspaces: [{id: T0X, domain: x, members: [{actor: a@x.example, role: owner, id: "
             "U0A},\n"
             "  {actor: g@x.example, role: channel_guest, id: U0G}]}]\n"
             "channels: [{id: C0ONE, name: one, creator: U0A, members: [U0A]},\n"
             "  {id: C0TWO, name: two, creator: U0A, members: [U0A]}]\n");
    slack(OWNER, "conversations.open", "users=U0G");
    assert_slack(NULL);
    slack(OWNER, "conversations.invite", "channel=C0ONE&users=U0G");
    assert_slack(NULL);
    slack(OWNER, "conversations.invite", "channel=C0TWO&users=U0G");
    assert_slack("ura_max_channels");
    slack(OWNER, "conversations.kick", "channel=C0ONE&user=U0G");
    slack(OWNER, "conversations.invite", "channel=C0TWO&users=U0G");
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

static void reactions_are_emoji_that_there_are(void **state)
{
    slack_use_with("chatEmoji: [{name: partyparrot, url: 'https://emoji.example/p.gif', user: "
                   "U0ALICE}]\n");
    static const struct {
        const char *name, *error;
    } cases[] = {
        {"white_check_mark", NULL},
        {":rocket:", NULL},
        {"thumbsup", NULL},
        {"flag-it", NULL},
        {"zzz", NULL},
        {"wave::skin-tone-3", NULL},
        {"partyparrot", NULL},
        {"squirrel", NULL},
        {"thumbs_up", "invalid_name"},
        {"zz", "invalid_name"},
        {"rockets", "invalid_name"},
    };
    const char *ts = text_at(slack(ALICE, "chat.postMessage", "channel=" DEV "&text=x"), "ts");
    for (size_t i = 0; i < SOSIA_LEN(cases); i++) {
        slack(ALICE, "reactions.add", "channel=" DEV "&timestamp=%s&name=%s", ts, cases[i].name);
        assert_slack(cases[i].error);
    }
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

/* ---- preferences of the workspace ---- */

static void general_is_for_who_may_post_there(void **state)
{
    open_with_guest("plus", "{who_can_post_general: admin}", "");
    slack(OTHER, "chat.postMessage", "channel=C0GENERAL&text=x");
    assert_slack("restricted_action");
    slack(OTHER, "chat.postEphemeral", "channel=C0GENERAL&user=U0A&text=x");
    assert_slack("restricted_action");
    slack(OTHER, "chat.scheduleMessage", "channel=C0GENERAL&text=x&post_at=1771189200");
    assert_slack("restricted_action");
    slack(BOT, "chat.startStream",
          "channel=C0GENERAL&recipient_user_id=U0A&recipient_team_id=T0X&markdown_text=x");
    assert_slack("restricted_action");
    slack(OTHER, "files.completeUploadExternal", "files=[{\"id\":\"%s\"}]&channel_id=C0GENERAL",
          uploaded(OTHER));
    assert_slack("posting_to_channel_denied");
    slack(OWNER, "chat.postMessage", "channel=C0GENERAL&text=x");
    assert_slack(NULL);
    slack(OTHER, "chat.postMessage", "channel=C0THEIRS&text=x");
    assert_slack(NULL);
    static const struct sosia_header headers[] = {{"Host", "hooks.slack.com"},
                                                  {"Content-Type", "application/json"}};
    static const char text[] = "{\"text\":\"x\"}";
    open_with_guest(
        "plus", "{who_can_post_general: admin}",
        "chatWebhooks:\n"
        "  - {id: B0HERS, app: '1.2', channel: C0GENERAL, user: U0A, secret: aaaaaaaa}\n"
        "  - {id: B0HIS, app: '1.2', channel: C0GENERAL, user: U0B, secret: bbbbbbbb}\n");
    test_request("POST", "/services/T0X/B0HERS/aaaaaaaa", headers, 2, text, sizeof text - 1);
    assert_int_equal(test_status, 200);
    test_request("POST", "/services/T0X/B0HIS/bbbbbbbb", headers, 2, text, sizeof text - 1);
    assert_int_equal(test_status, 403);
    assert_string_equal(test_body, "posting_to_general_channel_denied");
    open_with_guest("plus", "{who_can_post_general: regular}", "");
    slack(OTHER, "chat.postMessage", "channel=C0GENERAL&text=x");
    assert_slack(NULL);
}

static void messages_are_changed_for_a_while(void **state)
{
    open_with_guest("plus", "{msg_edit_window_mins: 5, allow_message_deletion: false}", "");
    const struct json *v = slack(OTHER, "chat.postMessage", "channel=C0THEIRS&text=x");
    const char *ts = text_at(v, "ts");
    test_advance(299);
    slack(OTHER, "chat.update", "channel=C0THEIRS&ts=%s&text=y", ts);
    assert_slack(NULL);
    test_advance(2);
    slack(OTHER, "chat.update", "channel=C0THEIRS&ts=%s&text=z", ts);
    assert_slack("edit_window_closed");
    slack(OTHER, "chat.delete", "channel=C0THEIRS&ts=%s", ts);
    assert_slack("cant_delete_message");
    slack(OWNER, "chat.delete", "channel=C0THEIRS&ts=%s", ts);
    assert_slack(NULL);
    v = slack_scoped(OTHER, "team.preferences:read", "team.preferences.list", "");
    assert_slack(NULL);
    assert_int_equal(number_at(v, "msg_edit_window_mins"), 5);
    assert_false(true_at(v, "allow_message_deletion"));
}

static void uploads_may_be_off(void **state)
{
    open_with_guest("plus", "{disable_file_uploads: disable_all}", "");
    slack(OTHER, "files.getUploadURLExternal", "filename=a.png&length=1");
    assert_slack("file_uploads_disabled");
    open_with_guest("plus", "{disable_file_uploads: disable_all_except_images}", "");
    slack(OTHER, "files.getUploadURLExternal", "filename=a.txt&length=1");
    assert_slack("file_uploads_except_images_disabled");
    slack(OTHER, "files.getUploadURLExternal", "filename=a.png&length=1");
    assert_slack(NULL);
}

static void free_plans_lack_groups_and_public_videos(void **state)
{
    open_with_guest("free", "{}", "");
    slack(OWNER, "usergroups.list", "include_users=true");
    assert_slack("plan_upgrade_required");
    slack(OWNER, "usergroups.users.list", "usergroup=S0A");
    assert_slack("plan_upgrade_required");
    slack(OWNER, "usergroups.create", "name=A");
    assert_slack("plan_upgrade_required");
    slack(OWNER, "usergroups.update", "usergroup=S0A&name=B");
    assert_slack("paid_teams_only");
    for (int i = 0; i < 2; i++) {
        const struct json *v =
            slack(OWNER, "files.getUploadURLExternal", "filename=a.%s&length=1", i ? "mp4" : "txt");
        const char *id = text_at(v, "file_id");
        slack_call("POST", strstr(text_at(v, "upload_url"), "/upload/"), "text/plain", NULL, "x");
        slack(OWNER, "files.completeUploadExternal", "files=[{\"id\":\"%s\"}]", id);
        slack(OWNER, "files.sharedPublicURL", "file=%s", id);
        assert_slack(i ? "public_video_not_allowed" : NULL);
    }
}

/* ---- messages ---- */

static void bots_do_not_say_as_whom_they_post(void **state)
{
    slack(BOT, "chat.postMessage", "channel=" DEV "&text=x&as_user=false");
    assert_slack("invalid_arguments");
    assert_string_equal(test_body, "{\"ok\":false,\"error\":\"invalid_arguments\","
                                   "\"deprecated_argument\":\"as_user\"}");
    slack(ALICE, "chat.postMessage", "channel=" DEV "&text=x&as_user=true");
    assert_slack(NULL);
}

static void an_update_has_one_kind_of_text(void **state)
{
    const struct json *v = slack(ALICE, "chat.postMessage", "channel=" DEV "&text=x");
    const char *ts = text_at(v, "ts");
    slack(ALICE, "chat.update", "channel=" DEV "&ts=%s&text=y&markdown_text=z", ts);
    assert_slack("markdown_text_conflict");
    slack(ALICE, "chat.update", "channel=" DEV "&ts=%s&markdown_text=z&blocks=[]", ts);
    assert_slack("markdown_text_conflict");
    slack(ALICE, "chat.update", "channel=" DEV "&ts=%s&markdown_text=**z**", ts);
    assert_slack(NULL);
}

/* A file that is somebody's and shared with nobody. */
static const char *kept(const char *who)
{
    const char *id = uploaded(who);
    slack(who, "files.completeUploadExternal", "files=[{\"id\":\"%s\"}]", id);
    assert_slack(NULL);
    return id;
}

static void an_update_exchanges_files(void **state)
{
    const char *first = kept(ALICE), *second = kept(ALICE), *other = kept(BOB);
    const struct json *v = slack(ALICE, "chat.postMessage", "channel=" DEV "&text=x");
    const char *ts = text_at(v, "ts");
    slack(ALICE, "chat.update", "channel=" DEV "&ts=%s&file_ids=%s,%s", ts, first, other);
    assert_slack("file_not_found");
    slack(BOB, "files.info", "file=%s", first);
    assert_slack("file_not_found");
    slack(ALICE, "chat.update", "channel=" DEV "&ts=%s&file_ids=[\"%s\"]", ts, first);
    assert_slack(NULL);
    v = slack(BOB, "conversations.history", "channel=" DEV "&limit=1");
    assert_string_equal(column(v, "messages.0.files", "id"), first);
    slack(BOB, "files.info", "file=%s", first);
    assert_slack(NULL);
    slack(ALICE, "chat.update", "channel=" DEV "&ts=%s&file_ids=[\"%s\"]", ts, second);
    assert_slack(NULL);
    slack(BOB, "files.info", "file=%s", first);
    assert_slack("file_not_found");
    slack(BOB, "files.info", "file=%s", second);
    assert_slack(NULL);
    slack(ALICE, "files.delete", "file=%s", first);
    slack(ALICE, "chat.update", "channel=" DEV "&ts=%s&file_ids=[\"%s\"]", ts, first);
    assert_slack("file_deleted");
    slack(ALICE, "chat.update", "channel=" DEV "&ts=%s&file_ids=[]", ts);
    assert_slack(NULL);
    v = slack(BOB, "conversations.history", "channel=" DEV "&limit=1");
    assert_int_equal(count_at(v, "messages.0.files"), 0);
    slack(ALICE, "chat.update", "channel=" DEV "&ts=%s&file_ids=%s,%s", ts, second, second);
    assert_slack("invalid_arguments");
    slack(ALICE, "chat.update", "channel=" DEV "&ts=%s&file_ids=%s", ts, second);
    assert_slack(NULL);
    const char *before = json_to_text(&test_arena, test_dump());
    test_use(before);
    assert_string_equal(json_to_text(&test_arena, test_dump()), before);
}

static void a_stream_needs_its_channel(void **state)
{
    const struct json *v =
        slack(BOT, "chat.startStream",
              "channel=" DEV "&recipient_user_id=U0ALICE&recipient_team_id=T0ACME&markdown_text=x");
    assert_slack(NULL);
    const char *ts = text_at(v, "ts");
    slack(BOT, "chat.appendStream", "channel=" DEV "&ts=%s", ts);
    assert_slack("no_text");
    slack(ALICE, "conversations.kick", "channel=" DEV "&user=U0DEPLOY");
    assert_slack(NULL);
    slack_scoped(BOT, "chat:write", "chat.appendStream",
                 arena_printf(&test_arena, "channel=" DEV "&ts=%s&markdown_text=y", ts));
    assert_slack("not_in_channel");
    slack(ALICE, "conversations.archive", "channel=" DEV);
    slack(BOT, "chat.stopStream", "channel=" DEV "&ts=%s", ts);
    assert_slack("is_archived");
}

static void profiles_of_bots_are_the_owners_business(void **state)
{
    slack(BOB, "users.profile.set", "user=U0DEPLOY&name=title&value=x");
    assert_slack("not_app_admin");
    slack(ALICE, "users.profile.set", "user=U0DEPLOY&name=title&value=x");
    assert_slack(NULL);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        slack_test(guests_leave_no_channel),
        slack_test(slackbot_is_not_invited),
        slack_test(guests_of_one_channel_get_one),
        slack_test(bots_open_nothing_with_bots),
        slack_test(who_kicks_is_in_the_channel),
        slack_test(guests_see_nobody_else),
        slack_test(guests_give_files_to_whom_they_see),
        slack_test(bots_react_where_they_are),
        slack_test(reactions_are_emoji_that_there_are),
        slack_test(levels_are_read_before_what_they_are_of),
        slack_test(what_is_missing_has_no_pointer),
        slack_test(general_is_for_who_may_post_there),
        slack_test(messages_are_changed_for_a_while),
        slack_test(uploads_may_be_off),
        slack_test(free_plans_lack_groups_and_public_videos),
        slack_test(bots_do_not_say_as_whom_they_post),
        slack_test(an_update_has_one_kind_of_text),
        slack_test(an_update_exchanges_files),
        slack_test(a_stream_needs_its_channel),
        slack_test(profiles_of_bots_are_the_owners_business),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
