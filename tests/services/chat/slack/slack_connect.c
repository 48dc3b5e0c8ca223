/* SPDX-License-Identifier: Apache-2.0 */
/* Channels that two workspaces have: how they come to it, who sees what, how it ends. */
#include "tests/support/slack.h"
#include <stdlib.h>

#define FORM(...) arena_printf(&test_arena, __VA_ARGS__)
#define GUEST     "guestbot" /* the bot of the other workspace */
#define DORA      "dora@beta.example"

static void open_both(const char *settings, const char *more)
{
    test_use(FORM(
        "sosia: 1\ntime: 2026-02-15T20:00:00Z\npeople:\n"
        "  - {email: alice@acme.example, name: Alice}\n  - {email: bob@acme.example, name: Bob}\n"
        "  - {handle: deploybot, kind: bot, name: Deploybot}\n"
        "  - {email: dora@beta.example, name: Dora}\n  - {handle: guestbot, kind: bot, name: "
        "Guestbot}\n"
        "apps:\n"
        "  - {client_id: '1.2', client_secret: a, name: Deployer, vendor: slack, bot: deploybot}\n"
        "  - {client_id: '3.4', client_secret: b, name: Guest, vendor: slack, bot: guestbot}\n"
        "workspaces:\n"
        "  - id: T0ACME\n    domain: acme\n    name: Acme\n    members:\n"
        "      - {actor: alice@acme.example, id: U0ALICE, role: owner}\n"
        "      - {actor: bob@acme.example, id: U0BOB}\n"
        "      - {actor: deploybot, id: U0DEPLOY}\n"
        "    apps: [{client_id: '1.2', id: A0DEPLOY, bot: B0DEPLOY}]\n"
        "  - id: T0BETA\n    domain: beta\n    name: Beta\n%s    members:\n"
        "      - {actor: dora@beta.example, id: U0DORA, role: owner}\n"
        "      - {actor: guestbot, id: U0GUEST}\n"
        "    apps: [{client_id: '3.4', id: A0GUEST, bot: B0GUEST}]\n"
        "channels:\n"
        "  - {id: C0GENERAL, name: general, general: true, creator: U0ALICE}\n"
        "  - {id: C0DEV, name: dev, creator: U0ALICE, members: [U0ALICE, U0DEPLOY]}\n"
        "  - {id: C0SECRET, name: secret, kind: private, creator: U0ALICE, members: [U0ALICE]}\n"
        "  - {workspace: T0BETA, id: C0BETA, name: beta, members: [U0DORA]}\n%s",
        settings, more));
}

static const char *invite(void)
{
    const struct json *v =
        slack(BOT, "conversations.inviteShared", "channel=" DEV "&emails=dora@beta.example");
    assert_slack(NULL);
    return text_at(v, "invite_id");
}

static void share(void)
{
    open_both("", "");
    slack(GUEST, "conversations.acceptSharedInvite", "channel_name=acme-dev&invite_id=%s",
          invite());
    assert_slack(NULL);
}

static void an_invitation_shares_a_channel(void **state)
{
    open_both("", "");
    const char *id = invite();
    slack(DORA, "conversations.info", "channel=" DEV);
    assert_slack("channel_not_found");
    const struct json *v = slack(GUEST, "conversations.listConnectInvites", "%s", "");
    assert_string_equal(text_at(v, "invites.0.direction"), "incoming");
    assert_string_equal(text_at(v, "invites.0.invite.inviting_team.id"), "T0ACME");
    v = slack(GUEST, "conversations.acceptSharedInvite", "channel_name=acme-dev&invite_id=%s", id);
    assert_slack(NULL);
    assert_true(true_at(v, "implicit_approval"));
    assert_string_equal(text_at(v, "channel_id"), DEV);
    for (int i = 0; i < 2; i++) {
        v = slack(i ? DORA : ALICE, "conversations.info", "channel=" DEV);
        assert_slack(NULL);
        assert_true(true_at(v, "channel.is_ext_shared"));
        assert_string_equal(column(v, "channel.shared_team_ids", ""), "T0ACME T0BETA");
        assert_string_equal(column(v, "channel.connected_team_ids", ""), i ? "T0ACME" : "T0BETA");
        assert_string_equal(text_at(v, "channel.context_team_id"), i ? "T0BETA" : "T0ACME");
        assert_string_equal(text_at(v, "channel.conversation_host_id"), "T0ACME");
    }
    slack(GUEST, "conversations.acceptSharedInvite", "channel_name=x&invite_id=%s", id);
    assert_slack("invite_used");
    v = slack(DORA, "conversations.list", "%s", "");
    assert_string_equal(column(v, "channels", "id"), "C0BETA C0DEV");
    v = slack(ALICE, "conversations.list", "%s", "");
    assert_string_equal(column(v, "channels", "id"), "C0DEV C0GENERAL");
}

static void both_sides_talk_and_see_each_other(void **state)
{
    share();
    slack(DORA, "chat.postMessage", "channel=" DEV "&text=Hello from Beta");
    assert_slack(NULL);
    const struct json *v = slack(ALICE, "conversations.history", "channel=" DEV);
    assert_string_equal(text_at(v, "messages.0.text"), "Hello from Beta");
    assert_string_equal(text_at(v, "messages.0.user"), "U0DORA");
    slack(ALICE, "reactions.add", "channel=" DEV "&name=eyes&timestamp=%s",
          text_at(v, "messages.0.ts"));
    assert_slack(NULL);
    v = slack(ALICE, "users.info", "user=U0DORA");
    assert_slack(NULL);
    assert_string_equal(text_at(v, "user.team_id"), "T0BETA");
    assert_true(true_at(v, "user.is_stranger"));
    v = slack(DORA, "conversations.members", "channel=" DEV);
    assert_string_equal(column(v, "members", ""), "U0ALICE U0DEPLOY U0DORA");
    /* What is not shared is not there. */
    slack(DORA, "conversations.info", "channel=" GENERAL);
    assert_slack("channel_not_found");
    slack(ALICE, "conversations.info", "channel=C0BETA");
    assert_slack("channel_not_found");
    v = slack(ALICE, "users.list", "%s", "");
    assert_null(strstr(test_body, "U0DORA"));
}

static void both_sides_find_what_is_shared(void **state)
{
    static const char *const table[][2] = {
        {"apples", "by dora of apples|by alice of apples|in beta of apples"},
        {"apples in:dev", "by dora of apples|by alice of apples"},
        {"apples in:<%23C0DEV>", "by dora of apples|by alice of apples"},
        {"apples from:<@U0ALICE>", "by alice of apples"},
        {"apples after:2026-02-14", "by dora of apples|by alice of apples|in beta of apples"},
        {"apples before:2026-02-15", ""},
        {"apples on:2026-02-15 -from:me", "by alice of apples"},
    };
    share();
    slack(ALICE, "chat.postMessage", "channel=" GENERAL "&text=nobody else's apples");
    slack(ALICE, "chat.postMessage", "channel=" DEV "&text=by alice of apples");
    slack(DORA, "chat.postMessage", "channel=C0BETA&text=in beta of apples");
    slack(DORA, "conversations.join", "channel=" DEV);
    slack(DORA, "chat.postMessage", "channel=" DEV "&text=by dora of apples");
    assert_slack(NULL);
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        const struct json *v = slack(DORA, "search.messages", "query=%s", table[i][0]);
        const struct json *list = value_at(v, "messages.matches");
        char found[256] = "";
        for (uint32_t k = 0; k < list->n; k++) {
            strcat(found, k ? "|" : "");
            strcat(found, json_get_str(&list->items[k], "text"));
        }
        assert_string_equal(found, table[i][1]);
    }
    const struct json *v = slack(ALICE, "search.messages", "query=apples");
    assert_int_equal(number_at(v, "messages.total"), 3);
    assert_true(true_at(v, "messages.matches.0.channel.is_ext_shared"));
    assert_true(true_at(v, "messages.matches.0.channel.is_shared"));
    slack(DORA, "conversations.leave", "channel=" DEV);
    v = slack(ALICE, "search.messages", "query=apples in:general");
    assert_false(true_at(v, "messages.matches.0.channel.is_ext_shared"));
}

static void files_are_shared_with_the_other_side(void **state)
{
    share();
    const struct json *v = slack(ALICE, "files.getUploadURLExternal", "filename=plan.txt&length=5");
    const char *id = text_at(v, "file_id"), *url = strstr(text_at(v, "upload_url"), "://") + 3;
    slack_call("POST", strchr(url, '/'), NULL, NULL, "hello");
    slack(ALICE, "files.completeUploadExternal", "files=[{\"id\":\"%s\"}]&channel_id=" DEV, id);
    assert_slack(NULL);
    v = slack(DORA, "conversations.history", "channel=" DEV "&limit=1");
    assert_string_equal(text_at(v, "messages.0.team"), "T0ACME");
    assert_string_equal(members(v, "messages.0.files.0"),
                        "id mode file_access created timestamp user");
    assert_string_equal(text_at(v, "messages.0.files.0.file_access"), "check_file_info");
    v = slack(DORA, "files.info", "file=%s", id);
    assert_slack(NULL);
    assert_string_equal(text_at(v, "content"), "hello");
    assert_string_equal(text_at(v, "file.user_team"), "T0ACME");
    assert_string_equal(column(v, "file.channels", ""), DEV);
    url = strstr(text_at(v, "file.url_private"), "://") + 3;
    slack_call("GET", strchr(url, '/'), NULL, slack_token(DORA, NULL), NULL);
    assert_int_equal(test_status, 200);
    assert_string_equal(test_body, "hello");
    slack(DORA, "files.delete", "file=%s", id);
    assert_slack("file_not_found");
    v = slack(DORA, "users.profile.get", "user=U0ALICE");
    assert_string_equal(text_at(v, "profile.real_name"), "Alice");
    /* What is not shared is not theirs. */
    v = slack(ALICE, "files.getUploadURLExternal", "filename=own.txt&length=5");
    id = text_at(v, "file_id"), url = strstr(text_at(v, "upload_url"), "://") + 3;
    slack_call("POST", strchr(url, '/'), NULL, NULL, "hello");
    slack(ALICE, "files.completeUploadExternal", "files=[{\"id\":\"%s\"}]&channel_id=" GENERAL, id);
    slack(DORA, "files.info", "file=%s", id);
    assert_slack("file_not_found");
}

/* As recorded of three channels. */
static void a_bot_outside_is_shown_the_host_alone(void **state)
{
    share();
    slack(GUEST, "conversations.join", "channel=" DEV);
    const struct json *v = slack(GUEST, "conversations.info", "channel=" DEV);
    assert_non_null(value_at(v, "channel.shared_team_ids"));
    slack(GUEST, "conversations.leave", "channel=" DEV);
    assert_slack(NULL);
    v = slack(GUEST, "conversations.info", "channel=" DEV);
    assert_slack(NULL);
    assert_string_equal(text_at(v, "channel.conversation_host_id"), "T0ACME");
    assert_null(value_at(v, "channel.shared_team_ids"));
    assert_null(value_at(v, "channel.internal_team_ids"));
    assert_null(value_at(v, "channel.connected_team_ids"));
    v = slack(DORA, "conversations.info", "channel=" DEV); /* people see more */
    assert_non_null(value_at(v, "channel.shared_team_ids"));
}

static void the_host_has_the_say(void **state)
{
    share();
    slack(GUEST, "conversations.join", "channel=" DEV);
    slack(DORA, "conversations.rename", "channel=" DEV "&name=ours");
    assert_slack("not_authorized");
    slack(DORA, "conversations.archive", "channel=" DEV);
    assert_slack("restricted_action");
    slack(DORA, "conversations.invite", "channel=" DEV "&users=U0GUEST");
    assert_slack("no_external_invite_permission");
    slack(BOT, "conversations.externalInvitePermissions.set",
          "channel=" DEV "&target_team=T0BETA&action=upgrade");
    slack(DORA, "conversations.kick", "channel=" DEV "&user=U0GUEST");
    slack(DORA, "conversations.invite", "channel=" DEV "&users=U0GUEST");
    assert_slack(NULL);
}

static void assert_dump_comes_back(void)
{
    struct sosia_blob a, b;
    struct sosia_err err;
    uint64_t world;
    assert_int_equal(sosia_world_dump(test_engine, test_world, &a, &err), 0);
    struct sosia_world_options opt = {.seed_doc = a.data, .seed_doc_len = a.len};
    if (sosia_world_create(test_engine, &opt, &world, &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(sosia_world_dump(test_engine, world, &b, &err), 0);
    assert_string_equal(a.data, b.data);
    sosia_blob_free(&a);
    sosia_blob_free(&b);
    assert_int_equal(sosia_world_drop(test_engine, world, &err), 0);
}

/* Of a workspace that shares a channel, by its id, from both sides and as long as it does. */
static void team_info_shows_connected_workspaces(void **state)
{
    open_both("", "");
    slack(ALICE, "team.info", "team=T0BETA");
    assert_slack("team_not_found");
    share();
    const struct json *v = slack(ALICE, "team.info", "team=T0BETA");
    assert_slack(NULL);
    assert_string_equal(text_at(v, "team.id"), "T0BETA");
    assert_string_equal(text_at(v, "team.url"), "https://beta.slack.com/");
    assert_string_equal(text_at(v, "team.email_domain"), "");
    v = slack(DORA, "team.info", "team=T0ACME&domain=beta");
    assert_string_equal(text_at(v, "team.domain"), "acme");
    slack(ALICE, "team.info", "team=beta");
    assert_slack("team_not_found");
    slack(ALICE, "team.info", "domain=beta");
    assert_slack("team_not_on_enterprise");
    slack(BOT, "team.externalTeams.disconnect", "target_team=T0BETA");
    slack(ALICE, "team.info", "team=T0BETA");
    assert_slack("team_not_found");
}

static void a_dump_has_it(void **state)
{
    share();
    slack(DORA, "chat.postMessage", "channel=" DEV "&text=Hello");
    const struct json *v = slack(ALICE, "conversations.history", "channel=" DEV);
    slack(DORA, "reactions.add", "channel=" DEV "&name=eyes&timestamp=%s",
          text_at(v, "messages.0.ts"));
    assert_slack(NULL);
    assert_dump_comes_back();
    slack(BOT, "team.externalTeams.disconnect", "target_team=T0BETA");
    assert_slack(NULL);
    assert_dump_comes_back(); /* what she wrote is still there */
}

static void somebody_may_have_to_approve(void **state)
{
    open_both("    settings: {connect_approval: true}\n", "");
    const char *id = invite();
    slack(GUEST, "conversations.approveSharedInvite", "invite_id=%s", id);
    assert_slack("approval_not_found");
    const struct json *v =
        slack(GUEST, "conversations.acceptSharedInvite", "channel_name=acme-dev&invite_id=%s", id);
    assert_slack(NULL);
    assert_false(true_at(v, "implicit_approval"));
    slack(DORA, "conversations.info", "channel=" DEV);
    assert_slack("channel_not_found");
    slack(BOT, "conversations.approveSharedInvite", "invite_id=%s", id);
    assert_slack("missing_target_team");
    slack(BOT, "conversations.approveSharedInvite", "invite_id=%s&target_team=T0BETA", id);
    assert_slack("already_approved");
    slack(GUEST, "conversations.approveSharedInvite", "invite_id=%s", id);
    assert_slack(NULL);
    slack(DORA, "conversations.info", "channel=" DEV);
    assert_slack(NULL);
    slack(GUEST, "conversations.approveSharedInvite", "invite_id=%s", id);
    assert_slack("invalid_action");
    slack(GUEST, "conversations.declineSharedInvite", "invite_id=%s", id);
    assert_slack("approval_inactive");
}

static void an_invitation_may_be_declined_or_be_too_old(void **state)
{
    open_both("", "");
    const char *id = invite();
    slack(BOT, "conversations.declineSharedInvite", "invite_id=%s&target_team=T0BETA", id);
    assert_slack("approval_not_found");
    slack(GUEST, "conversations.declineSharedInvite", "invite_id=%s", id);
    assert_slack(NULL);
    slack(GUEST, "conversations.declineSharedInvite", "invite_id=%s", id);
    assert_slack("inactive_invite");
    slack(GUEST, "conversations.acceptSharedInvite", "channel_name=x&invite_id=%s", id);
    assert_slack("invalid_link");
    id = invite();
    test_advance(15 * 86400);
    slack(GUEST, "conversations.acceptSharedInvite", "channel_name=x&invite_id=%s", id);
    assert_slack("invalid_link");
}

static void what_can_not_be_shared_is_refused(void **state)
{
    open_both("", "");
    static const char *const bad[][2] = {
        {"channel=C0NONE&emails=a@b.example", "channel_not_found"},
        {"channel=" GENERAL "&emails=a@b.example", "cannot_share_mandatory_channel"},
        {"channel=" DEV, "recipients_not_specified"},
        {"channel=" DEV "&emails=nonsense", "invalid_email"},
        {"channel=" DEV "&emails=a@b.example,c@d.example", "too_many_emails"},
        {"channel=" DEV "&user_ids=U0NONE", "user_not_found"}};
    for (size_t i = 0; i < SOSIA_LEN(bad); i++) {
        slack(BOT, "conversations.inviteShared", "%s", bad[i][0]);
        assert_slack(bad[i][1]);
    }
    const char *id = invite();
    slack(BOT, "conversations.acceptSharedInvite", "channel_name=x&invite_id=%s", id);
    assert_slack("invite_from_same_org");
    slack(GUEST, "conversations.acceptSharedInvite", "channel_name=X&invite_id=%s", id);
    assert_slack("invalid_name_specials");
    slack(GUEST, "conversations.acceptSharedInvite", "channel_name=a\xf0\x9f\x98\x80&invite_id=%s",
          id);
    assert_slack("invalid_emoji_not_allowed");
    slack(GUEST, "conversations.acceptSharedInvite", "channel_name=beta&invite_id=%s", id);
    assert_slack("name_taken");
    slack(GUEST, "conversations.acceptSharedInvite", "channel_name=x&invite_id=I0NONE");
    assert_slack("invite_not_found");
    slack(GUEST, "conversations.acceptSharedInvite", "channel_name=x&team_id=T0ACME&invite_id=%s",
          id);
    assert_slack("team_not_found");
    slack(ALICE, "conversations.inviteShared", "channel=" DEV "&emails=a@b.example");
    assert_slack("not_allowed_token_type");
}

static void it_ends(void **state)
{
    share();
    const struct json *v = slack(BOT, "team.externalTeams.list", "%s", "");
    assert_slack(NULL);
    assert_string_equal(text_at(v, "organizations.0.team_id"), "T0BETA");
    assert_int_equal(number_at(v, "organizations.0.public_channel_count"), 1);
    slack(BOT, "conversations.externalInvitePermissions.set",
          "channel=" DEV "&target_team=T0BETA&action=upgrade");
    assert_slack(NULL);
    slack(BOT, "conversations.externalInvitePermissions.set",
          "channel=" DEV "&target_team=T0NONE&action=upgrade");
    assert_slack("invalid_target_team");
    slack(BOT, "conversations.externalInvitePermissions.set",
          "channel=" DEV "&target_team=T0BETA&action=away");
    assert_slack("invalid_action");
    slack(BOT, "team.externalTeams.disconnect", "target_team=T0NONE");
    assert_slack("invalid_target_team");
    slack(BOT, "team.externalTeams.disconnect", "target_team=T0BETA");
    assert_slack(NULL);
    slack(DORA, "conversations.info", "channel=" DEV);
    assert_slack("channel_not_found");
    v = slack(ALICE, "conversations.info", "channel=" DEV "&include_num_members=1");
    assert_false(true_at(v, "channel.is_ext_shared"));
    assert_int_equal(number_at(v, "channel.num_members"), 2);
    v = slack(BOT, "team.externalTeams.list", "%s", "");
    assert_int_equal(number_at(v, "total_count"), 0);
    slack(BOT, "team.externalTeams.disconnect", "target_team=T0BETA");
    assert_slack("invalid_target_team");
}

static void requests_are_granted_or_denied(void **state)
{
    open_both("",
              "chatInvites:\n"
              "  - {id: I0ONE, channel: dev, by: U0BOB, request: true, email: dora@beta.example}\n"
              "  - {id: I0TWO, channel: dev, by: U0BOB, request: true, email: x@y.example}\n"
              "  - {id: I0OLD, channel: dev, by: U0BOB, request: true, created: 1700000000}\n");
    const struct json *v = slack(BOT, "conversations.requestSharedInvite.list", "%s", "");
    assert_string_equal(column(v, "invite_requests", "id"), "I0TWO I0ONE");
    v = slack(BOT, "conversations.requestSharedInvite.list", "include_expired=1&limit=1");
    assert_string_equal(column(v, "invite_requests", "id"), "I0OLD");
    slack(BOT, "conversations.requestSharedInvite.approve", "invite_id=I0OLD");
    assert_slack("invite_expired");
    v = slack(BOT, "conversations.requestSharedInvite.approve", "invite_id=I0ONE");
    assert_slack(NULL);
    slack(BOT, "conversations.requestSharedInvite.approve", "invite_id=I0ONE");
    assert_slack("invite_already_approved");
    slack(BOT, "conversations.requestSharedInvite.deny", "invite_id=I0TWO&message=%0600d", 1);
    assert_slack("message_too_long");
    slack(BOT, "conversations.requestSharedInvite.deny", "invite_id=I0TWO");
    assert_slack(NULL);
    slack(BOT, "conversations.requestSharedInvite.deny", "invite_id=I0TWO");
    assert_slack("invite_already_denied");
    slack(GUEST, "conversations.requestSharedInvite.deny", "invite_id=I0TWO");
    assert_slack("invite_not_found");
    v = slack(GUEST, "users.discoverableContacts.lookup", "email=bob@acme.example");
    assert_true(true_at(v, "is_discoverable"));
    v = slack(GUEST, "users.discoverableContacts.lookup", "email=dora@beta.example");
    assert_false(true_at(v, "is_discoverable"));
}

/* A channel is that of at most 250 workspaces. */
static void a_channel_has_so_many_workspaces(void **state)
{
    const char *teams = "", *shared = "";
    for (int i = 0; i < 249; i++) {
        teams = FORM("%s  - {id: T0N%03d, domain: n%03d, name: N, members: []}\n", teams, i, i);
        shared = FORM("%s  - {channel: C0DEV, with: T0N%03d}\n", shared, i);
    }
    const char *head = FORM(
        "sosia: 1\ntime: 2026-02-15T20:00:00Z\npeople:\n"
        "  - {email: alice@acme.example, name: Alice}\n"
        "  - {handle: deploybot, kind: bot, name: Deploybot}\n"
        "  - {email: dora@beta.example, name: Dora}\n"
        "  - {handle: guestbot, kind: bot, name: Guestbot}\n"
        "apps:\n"
        "  - {client_id: '1.2', client_secret: a, name: Deployer, vendor: slack, bot: deploybot}\n"
        "  - {client_id: '3.4', client_secret: b, name: Guest, vendor: slack, bot: guestbot}\n"
        "workspaces:\n"
        "  - id: T0ACME\n    domain: acme\n    members:\n"
        "      - {actor: alice@acme.example, id: U0ALICE, role: owner}\n"
        "      - {actor: deploybot, id: U0DEPLOY}\n"
        "    apps: [{client_id: '1.2', id: A0DEPLOY, bot: B0DEPLOY}]\n"
        "  - id: T0BETA\n    domain: beta\n    members:\n"
        "      - {actor: dora@beta.example, id: U0DORA, role: owner}\n"
        "      - {actor: guestbot, id: U0GUEST}\n"
        "    apps: [{client_id: '3.4', id: A0GUEST, bot: B0GUEST}]\n%s"
        "channels:\n  - {id: C0DEV, name: dev, creator: U0ALICE, members: [U0ALICE, U0DEPLOY]}\n"
        "sharedChannels:\n%s"
        "chatInvites: [{id: I0OPEN, channel: C0DEV, by: U0ALICE, email: dora@beta.example}]\n",
        teams, shared);
    test_use(head);
    slack(BOT, "conversations.inviteShared", "channel=" DEV "&emails=z@new.example");
    assert_slack("connection_limit_exceeded");
    slack(GUEST, "conversations.acceptSharedInvite", "channel_name=x&invite_id=I0OPEN");
    assert_slack("connection_limit_exceeded");
}

#define LISTENS(client, host, events)                                                              \
    "  - client_id: '" client "'\n    settings: {events_url: 'https://" host                       \
    ".example/e', bot_events: [" events "]}\n"

/* The n-th body that went to a host; NULL: there are fewer. */
static const struct json *sent_to(const char *host, const char *type, size_t n)
{
    size_t count;
    const struct json *all = slack_entries(&count);
    const char *url = FORM("https://%s.example/e", host);
    for (size_t i = 0; i < count; i++) {
        const struct json *v = slack_entry_body(all, i);
        if (strcmp(text_at(&all->items[i], "payload.url"), url) == 0 &&
            strcmp(text_at(v, "event.type"), type) == 0 && n-- == 0)
            return v;
    }
    return NULL;
}

/* Both sides get what is written in a shared channel: team_id is where the author is, the context
 * where the app is installed (docs.slack.dev, Events API and Slack Connect; Bolt's issues). */
static void events_of_a_shared_channel_name_both_workspaces(void **state)
{
    open_both("", "chatApps:\n" LISTENS("1.2", "acme",
                                        "message.channels, app_mention, channel_shared, "
                                        "channel_unshared")
                      LISTENS("3.4", "beta", "message.channels, app_mention, reaction_added"));
    slack(GUEST, "conversations.acceptSharedInvite", "channel_name=acme-dev&invite_id=%s",
          invite());
    slack(GUEST, "conversations.join", "channel=" DEV);
    assert_slack(NULL);
    const struct json *v = sent_to("acme", "channel_shared", 0);
    assert_string_equal(text_at(v, "event.connected_team_id"), "T0BETA");
    assert_string_equal(text_at(v, "event.channel"), DEV);
    const char *ts = text_at(
        slack(DORA, "chat.postMessage", "channel=" DEV "&text=hi+<@U0DEPLOY>+<@U0GUEST>"), "ts");
    assert_slack(NULL);
    v = sent_to("acme", "app_mention", 0);
    assert_string_equal(text_at(v, "team_id"), "T0BETA");
    assert_string_equal(text_at(v, "context_team_id"), "T0ACME");
    assert_string_equal(text_at(v, "authorizations.0.team_id"), "T0ACME");
    assert_string_equal(text_at(v, "authorizations.0.user_id"), "U0DEPLOY");
    assert_true(true_at(v, "is_ext_shared_channel"));
    assert_string_equal(text_at(v, "event.user_team"), "T0BETA");
    v = sent_to("beta", "app_mention", 0);
    assert_string_equal(text_at(v, "context_team_id"), "T0BETA");
    assert_string_equal(text_at(v, "authorizations.0.team_id"), "T0BETA");
    slack(ALICE, "reactions.add", "channel=" DEV "&timestamp=%s&name=eyes", ts);
    v = sent_to("beta", "reaction_added", 0);
    assert_string_equal(text_at(v, "team_id"), "T0ACME");
    assert_string_equal(text_at(v, "event.user"), "U0ALICE");
    slack(BOT, "team.externalTeams.disconnect", "target_team=T0BETA");
    assert_slack(NULL);
    v = sent_to("acme", "channel_unshared", 0);
    assert_string_equal(text_at(v, "event.previously_connected_team_id"), "T0BETA");
    assert_false(true_at(v, "event.is_ext_shared"));
    slack(ALICE, "chat.postMessage", "channel=" DEV "&text=alone");
    for (size_t i = 0; (v = sent_to("beta", "message", i)); i++)
        assert_false(text_at(v, "event.text") && strcmp(text_at(v, "event.text"), "alone") == 0);
}

/* Members are those of Slack's own types. */
static void invitations_are_notified(void **state)
{
    open_both("    settings: {connect_approval: true}\n",
              "chatApps:\n" LISTENS("1.2", "acme",
                                    "shared_channel_invite_accepted, "
                                    "shared_channel_invite_approved, "
                                    "shared_channel_invite_declined")
                  LISTENS("3.4", "beta", "shared_channel_invite_received"));
    const char *id = text_at(
        slack(BOT, "conversations.inviteShared", "channel=" DEV "&user_ids=U0GUEST"), "invite_id");
    assert_slack(NULL);
    const struct json *v = sent_to("beta", "shared_channel_invite_received", 0);
    assert_string_equal(text_at(v, "team_id"), "T0BETA");
    assert_string_equal(text_at(v, "event.invite.id"), id);
    assert_string_equal(text_at(v, "event.invite.inviting_team.domain"), "acme");
    assert_true(true_at(v, "event.invite.inviting_team.icon.image_default"));
    assert_string_equal(text_at(v, "event.invite.inviting_user.profile.team"), "T0ACME");
    assert_string_equal(text_at(v, "event.invite.recipient_user_id"), "U0GUEST");
    assert_string_equal(text_at(v, "event.channel.name"), "dev");
    slack(GUEST, "conversations.acceptSharedInvite", "channel_name=acme-dev&invite_id=%s", id);
    assert_slack(NULL);
    v = sent_to("acme", "shared_channel_invite_accepted", 0);
    assert_true(true_at(v, "event.approval_required"));
    assert_string_equal(text_at(v, "event.accepting_user.team_id"), "T0BETA");
    assert_int_equal(value_at(v, "event.teams_in_channel")->n, 1);
    slack(GUEST, "conversations.approveSharedInvite", "invite_id=%s", id);
    assert_slack(NULL);
    v = sent_to("acme", "shared_channel_invite_approved", 0);
    assert_string_equal(text_at(v, "event.approving_team_id"), "T0BETA");
    assert_string_equal(text_at(v, "event.approving_user.id"), "U0GUEST");
    assert_int_equal(value_at(v, "event.teams_in_channel")->n, 2);
    slack(GUEST, "conversations.declineSharedInvite", "invite_id=%s", invite());
    assert_slack(NULL);
    v = sent_to("acme", "shared_channel_invite_declined", 0);
    assert_string_equal(text_at(v, "event.declining_team_id"), "T0BETA");
    assert_string_equal(text_at(v, "event.invite.recipient_email"), "dora@beta.example");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        slack_test(an_invitation_shares_a_channel),
        slack_test(both_sides_talk_and_see_each_other),
        slack_test(both_sides_find_what_is_shared),
        slack_test(files_are_shared_with_the_other_side),
        slack_test(a_bot_outside_is_shown_the_host_alone),
        slack_test(the_host_has_the_say),
        slack_test(team_info_shows_connected_workspaces),
        slack_test(a_dump_has_it),
        slack_test(somebody_may_have_to_approve),
        slack_test(an_invitation_may_be_declined_or_be_too_old),
        slack_test(what_can_not_be_shared_is_refused),
        slack_test(it_ends),
        slack_test(a_channel_has_so_many_workspaces),
        slack_test(requests_are_granted_or_denied),
        slack_test(events_of_a_shared_channel_name_both_workspaces),
        slack_test(invitations_are_notified),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
