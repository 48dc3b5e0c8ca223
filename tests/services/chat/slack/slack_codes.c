/* SPDX-License-Identifier: Apache-2.0 */
/* Documented codes that need more than one workspace has in slack_refused.c: files and rows that
 * are gone, connected workspaces, full channels, arguments that are too long. A refusal changes
 * nothing, so all calls may follow one another. Each row fails by itself. */
#include "tests/support/slack.h"

#define ANN  "a@x.example" /* U0A, the owner */
#define BEN  "b@x.example" /* U0B */
#define GUS  "g@x.example" /* U0G, a guest */
#define BOT2 "deploybot"   /* U0DEPLOY */
#define IDLE "idlebot"     /* U0IDLE, of no app */
#define YBOT "ybot"        /* of the other workspace */

/* %s: the plan and what settings say; more sections. */
static const char WORLD[] =
    "sosia: 1\n"
    "time: 2026-02-15T20:00:00Z\n"
    "people: [{email: a@x.example, name: Ann}, {email: b@x.example, name: Ben},\n"
    "  {email: g@x.example, name: Gus}, {email: y@y.example, name: Yve},\n"
    "  {handle: deploybot, kind: bot, name: Deploybot}, {handle: ybot, kind: bot, name: Y},\n"
    "  {handle: idlebot, kind: bot, name: Idle}]\n"
    "apps: [{client_id: '1.2', client_secret: s, name: Deployer, vendor: slack, bot: deploybot},\n"
    "  {client_id: '3.4', client_secret: s, name: Y, vendor: slack, bot: ybot}]\n"
    "workspaces: [{id: T0X, domain: x, plan: %s, members: [\n"
    "    {actor: a@x.example, role: owner, id: U0A, name: ann}, {actor: b@x.example, id: U0B},\n"
    "    {actor: g@x.example, role: guest, id: U0G}, {actor: deploybot, id: U0DEPLOY},\n"
    "    {actor: idlebot, id: U0IDLE}],\n"
    "  apps: [{client_id: '1.2', id: A0DEPLOY, bot: B0DEPLOY}]},\n"
    "  {id: T0Y, domain: y, plan: plus, members: [{actor: y@y.example, role: owner, id: U0Y},\n"
    "    {actor: ybot, id: U0YBOT}], apps: [{client_id: '3.4', id: A0Y, bot: B0Y}]}]\n"
    "channels:\n"
    "  - {id: C0GENERAL, name: general, general: true, creator: U0A, members: [U0DEPLOY]}\n"
    "  - {id: C0OURS, name: ours, creator: U0B, members: [U0A, U0B, U0G, U0DEPLOY, U0IDLE]}\n"
    "  - {id: C0ANNS, name: anns, creator: U0A, members: [U0A]}\n"
    "  - {id: C0OLD, name: old, creator: U0A, archived: true, members: [U0A, U0B, U0DEPLOY]}\n"
    "  - {id: C0BOTH, name: both, creator: U0A, members: [U0A, U0DEPLOY]}\n"
    "  - {workspace: T0Y, id: C0THEIRS, name: theirs, creator: U0Y, members: [U0Y]}\n"
    "  - {id: C0CODE, name: code, creator: U0DEPLOY, members: [U0A, U0DEPLOY]}\n"
    "  - {kind: direct, id: D0AB, members: [U0A, U0B]}\n"
    "  - {kind: direct, id: D0BOT, members: [U0A, U0DEPLOY]}\n"
    "sharedChannels: [{channel: both, with: T0Y, members: [U0Y]},\n"
    "  {workspace: T0Y, channel: theirs, with: T0X, members: [U0DEPLOY]}]\n"
    "chatInvites:\n"
    "  - {id: I0OPEN, channel: ours, by: U0A, email: y@y.example}\n"
    "  - {id: I0AGAIN, channel: both, by: U0A, email: y@y.example}\n"
    "  - {id: I0ELSE, channel: ours, by: U0A, team: T0X}\n"
    "  - {id: I0ENDED, channel: ours, by: U0A, team: T0Y, state: declined}\n"
    "  - {id: I0WAITS, channel: code, by: U0A, team: T0Y, state: accepted}\n"
    "  - {id: I0WISH, channel: ours, by: U0B, request: true, email: y@y.example}\n"
    "  - {id: I0DENIED, channel: ours, by: U0B, request: true, state: declined}\n"
    "  - {id: I0GRANTED, channel: ours, by: U0B, request: true, state: approved}\n"
    "  - {id: I0LATE, channel: ours, by: U0B, request: true, created: 1700000000}\n"
    "messages:\n"
    "  - {channel: ours, from: U0B, ts: '1771100000.000100', text: one,\n"
    "     replies: [{from: U0A, ts: '1771100001.000100', text: two}]}\n"
    "  - {channel: ours, from: U0B, ts: '1771100010.000100', text: locked, flags: 8}\n"
    "  - {channel: ours, from: U0DEPLOY, app: '1.2', ts: '1771100012.000100', text: a, flags: 16}\n"
    "  - {channel: ours, from: U0B, subtype: channel_join, flags: 32, ts: '1771100013.000100', "
    "text: in}\n"
    "  - {channel: general, from: U0DEPLOY, app: '1.2', ts: '1771100014.000100', text: a, flags: "
    "16}\n"
    "  - {channel: anns, from: U0DEPLOY, app: '1.2', ts: '1771100015.000100', text: a, flags: "
    "16}\n"
    "  - {channel: general, from: U0B, ts: '1771100016.000100', text: mine}\n"
    "  - {channel: ours, from: U0IDLE, ts: '1771100017.000100', text: a, flags: 16}\n"
    "  - {channel: ours, from: U0DEPLOY, app: '1.2', ts: '1771100018.000100', text: own}\n"
    "  - {channel: anns, from: U0A, ts: '1771100019.000100', text: ann}\n"
    "  - {channel: ours, from: U0B, ts: '1771100020.000100', text: gone, flags: 2,\n"
    "     replies: [{from: U0A, ts: '1771100021.000100', text: two}]}\n"
    "  - {channel: old, from: U0A, ts: '1771100022.000100', text: old}\n"
    "  - {channel: ours, from: U0DEPLOY, app: '1.2', ts: '1771100024.000100', text: '', flags: "
    "16}\n"
    "  - {channel: ours, from: U0B, ts: '1771100025.000100', text: '<https://a.example/1>'}\n"
    "  - {channel: D0BOT, from: U0DEPLOY, app: '1.2', ts: '1771100023.000100', text: a, flags: "
    "16}\n"
    "chatFiles: [{id: F0CANVAS, user: U0A, name: plan, title: Plan, mode: document},\n"
    "  {id: F0LIST, user: U0A, name: list, title: Tasks, mode: list},\n"
    "  {id: F0HIS, user: U0B, name: a.txt, title: a, content: x}]\n"
    "canvases: [{file: F0CANVAS, markdown: '# Plan', access: [{user: U0A, level: owner}]}]\n"
    "chatLists: [{file: F0LIST, columns: [{id: Col0T, key: t, name: T, type: text, primary: "
    "true},\n"
    "    {id: Col0N, key: n, name: N, type: number}, {id: Col0V, key: v, name: V, type: vote},\n"
    "    {id: Col0F, key: f, name: F, type: attachment}, {id: Col0U, key: u, name: U, type: "
    "user},\n"
    "    {id: Col0C, key: c, name: C, type: created_by}],\n"
    "  items: [{id: Rec0A}, {id: Rec0GONE, deleted: true}], access: [{user: U0A, level: owner}]}]\n"
    "chatCalls: [{id: R0OVER, app: '1.2', external_id: over, url: 'https://c.example', creator: "
    "U0A,\n"
    "    end: 1771100000},\n"
    "  {id: R0ON, app: '1.2', external_id: on, url: 'https://c.example', creator: U0A}]\n"
    "agentChannels: [{channel: code, app: '1.2', title: Fix, agents: [deploybot]}]\n"
    "bookmarks: [{id: Bk0ONE, channel: ours, title: Plan, link: 'https://a.example', by: U0B},\n"
    "  {id: Bk0ANNS, channel: anns, title: Plan, link: 'https://a.example', by: U0A}]\n"
    "userGroups: [{id: S0A, name: A, handle: aa, users: [U0A], creator: U0A}]\n"
    "%s";

static void check_in(const char *plan, const char *more, const struct slack_row *rows, size_t n)
{
    test_use(arena_printf(&test_arena, WORLD, plan, more));
    slack_refuse(rows, n);
}

static void check_rows(const struct slack_row *rows, size_t n)
{
    check_in("plus", "", rows, n);
}

#define CONFIGURATION "app_configurations:read app_configurations:write"

#define ONE    "channel=C0OURS&ts=1771100000.000100"
#define STREAM "channel=C0OURS&ts=1771100012.000100"
#define LATER  "&post_at=1771189200"
#define BIG    "{\"event_type\":\"t\",\"event_payload\":{\"x\":\"{n17000}\"}}"
#define BAD    "[{\"type\":\"odd\"}]"
#define FITS   "{\"event_type\":\"t\",\"event_payload\":{}}"
#define LONG   "[{\"type\":\"rich_text\",\"elements\":[{200*" SECTION "*}]}]"
#define SECTION                                                                                    \
    "{\"type\":\"rich_text_section\",\"elements\":[{\"type\":\"text\",\"text\":\"" WORDS "\"}]}"
#define WORDS                                                                                      \
    TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN    \
        TEN TEN TEN
#define TEN                                                                                        \
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa" \
    "aaaaaaaaaaaaaaaa"

static void messages_refuse(void **state)
{
    static const struct slack_row rows[] = {
        {BEN, "chat.postMessage", "channel=C0OURS&attachments=[{101*{}*}]", "too_many_attachments"},
        {BEN, "chat.postEphemeral", "channel=C0OURS&user=U0A&attachments=[{101*{}*}]",
         "too_many_attachments"},
        {BEN, "chat.postEphemeral", "channel=C0OURS&user=U0A&attachments=[7]",
         "invalid_attachments"},
        {BEN, "chat.postEphemeral", "channel=C0OURS&user=U0A&text=x&thread_ts=1771100013.000100",
         "cannot_reply_to_message"},
        {BEN, "chat.scheduleMessage", "channel=C0OURS&attachments=[{101*{}*}]" LATER,
         "too_many_attachments"},
        {BEN, "chat.scheduleMessage", "channel=C0OURS&blocks=" BAD LATER, "invalid_blocks"},
        {BEN, "chat.update", ONE "&attachments=[{101*{}*}]", "too_many_attachments"},
        {BEN, "chat.update", ONE "&attachments=[7]", "invalid_attachments"},
        {BEN, "chat.update", ONE "&file_ids=[{101*\"F0HIS\"*}]", "max_file_sharing_exceeded"},
        {BOT2, "chat.startStream", "channel=C0OLD&markdown_text=x", "is_archived"},
        {BOT2, "chat.startStream", "channel=C0OURS&markdown_text=x&thread_ts=1771100010.000100",
         "restricted_action_thread_locked"},
        {BOT2, "chat.startStream",
         "channel=C0OURS&chunks=[{\"type\":\"blocks\",\"blocks\":" BAD "}]", "invalid_blocks"},
        {BOT2, "chat.startStream",
         "channel=C0OURS&chunks=[{\"type\":\"blocks\",\"blocks\":[{51*{\"type\":\"divider\"}*}]}]",
         "msg_blocks_too_many"},
        {BOT2, "chat.startStream", "channel=C0ANNS&markdown_text=x", "not_in_channel",
         "chat:write"},
        {BOT2, "chat.appendStream", "channel=C0ANNS&ts=1771100015.000100&markdown_text=x",
         "not_in_channel", "chat:write"},
        {BOT2, "chat.stopStream", "channel=C0ANNS&ts=1771100015.000100", "not_in_channel",
         "chat:write"},
        {BOT2, "chat.appendStream", STREAM "&markdown_text=", "no_text"},
        {IDLE, "chat.stopStream", "channel=C0OURS&ts=1771100017.000100&metadata=" FITS,
         "metadata_must_be_sent_from_app"},
        {BEN, "chat.update", ONE "&metadata=" FITS, "metadata_must_be_sent_from_app"},
        {BEN, "chat.scheduleMessage", "channel=C0OURS&text=x&metadata=" FITS LATER,
         "metadata_must_be_sent_from_app"},
        {BOT2, "chat.update", "channel=C0OURS&ts=1771100018.000100&metadata=" BIG,
         "metadata_too_large"},
        {BOT2, "chat.postMessage", "channel=C0OURS&blocks=" LONG, "msg_blocks_too_long"},
        {BOT2, "chat.stopStream", STREAM "&blocks=" LONG, "msg_blocks_too_long"},
        {BOT2, "chat.startStream",
         "channel=D0BOT&chunks=[{\"type\":\"blocks\",\"blocks\":" LONG "}]", "msg_blocks_too_long"},
        {BOT2, "chat.stopStream", STREAM "&blocks=" BAD, "invalid_blocks"},
        {BOT2, "chat.stopStream", STREAM "&metadata={", "invalid_metadata_format"},
        {BOT2, "chat.stopStream", "channel=C0OURS&ts=1771100024.000100", "no_text"},
        {BEN, "chat.unfurl",
         "channel=C0OURS&ts=1771100025.000100&unfurls={\"https://a.example/1\":{}}",
         "cannot_find_service", "links:write"},
        {BOT2, "chat.stopStream", STREAM "&metadata={\"event_type\":\"t\"}",
         "invalid_metadata_schema"},
        {BOT2, "chat.stopStream", STREAM "&metadata=" BIG, "metadata_too_large"},
        {BOT2, "chat.scheduleMessage", "channel=C0OURS&text=x&metadata=" BIG LATER,
         "metadata_too_large"},
        {BOT2, "reactions.add", "channel=C0NONE&timestamp=1771100000.000100&name=eyes",
         "channel_not_found"},
    };
    check_rows(rows, SOSIA_LEN(rows));
}

static void preferences_refuse(void **state)
{
    static const struct slack_row rows[] = {
        {BOT2, "chat.startStream", "channel=C0GENERAL&markdown_text=x", "restricted_action"},
        {BOT2, "chat.appendStream", "channel=C0GENERAL&ts=1771100014.000100&markdown_text=x",
         "restricted_action"},
        {BOT2, "chat.stopStream", "channel=C0GENERAL&ts=1771100014.000100", "restricted_action"},
        {BEN, "chat.update", "channel=C0GENERAL&ts=1771100016.000100&file_ids=F0HIS",
         "posting_to_channel_denied"},
        {BEN, "files.getUploadURLExternal", "filename=a.txt&length=1",
         "file_uploads_except_images_disabled"},
    };
    check_in("plus, settings: {who_can_post_general: admin, disable_file_uploads: "
             "disable_all_except_images}",
             "", rows, SOSIA_LEN(rows));
}

#define SETTINGS                                                                                   \
    "chatApps: [{client_id: '1.2', settings: {messages_tab: false, unfurl_domains: "               \
    "[b.example]}}]\n"

static void what_an_app_has_not_set_up_is_refused(void **state)
{
    static const struct slack_row rows[] = {
        {BOT2, "chat.postEphemeral", "channel=D0BOT&user=U0A&text=x", "messages_tab_disabled"},
        {BOT2, "chat.startStream", "channel=D0BOT&markdown_text=x", "messages_tab_disabled"},
        {BOT2, "chat.appendStream", "channel=D0BOT&ts=1771100023.000100&markdown_text=x",
         "messages_tab_disabled"},
        {BOT2, "chat.stopStream", "channel=D0BOT&ts=1771100023.000100", "messages_tab_disabled"},
        {BOT2, "chat.unfurl",
         "channel=C0OURS&ts=1771100025.000100&unfurls={\"https://a.example/1\":{}}",
         "cannot_unfurl_url"},
    };
    static const struct slack_row agent[] = {
        {BOT2, "assistant.threads.setSuggestedPrompts",
         "channel_id=C0OURS&prompts=[{\"title\":\"a\",\"message\":\"b\"}]", "not_agent_app"},
    };
    check_in("plus", SETTINGS, rows, SOSIA_LEN(rows));
    check_in("plus", "chatApps: [{client_id: '1.2', manifest: {display_information: {name: D}}}]\n",
             agent, SOSIA_LEN(agent));
}

static void other_workspaces_are_refused(void **state)
{
    static const struct slack_row rows[] = {
        {BOT2, "conversations.inviteShared", "channel=D0BOT&emails=z@y.example",
         "invalid_channel_type"},
        {BOT2, "conversations.inviteShared", "channel=C0THEIRS&emails=z@y.example", "not_owner"},
        {BOT2, "conversations.inviteShared", "channel=C0BOTH&user_ids=U0Y", "already_in_channel"},
        {BOT2, "conversations.inviteShared", "channel=C0OURS&emails=Y@y.example",
         "connection_limit_exceeded_pending"},
        {YBOT, "conversations.acceptSharedInvite",
         "invite_id=I0OPEN&channel_name=", "invalid_name_required"},
        {YBOT, "conversations.acceptSharedInvite", "invite_id=I0OPEN&channel_name={n81}",
         "invalid_name_maxlength"},
        {YBOT, "conversations.acceptSharedInvite", "invite_id=I0OPEN&channel_name=--",
         "invalid_name_punctuation"},
        {YBOT, "conversations.acceptSharedInvite", "invite_id=I0ELSE&channel_name=x",
         "invalid_recipient_team"},
        {YBOT, "conversations.acceptSharedInvite", "invite_id=I0AGAIN&channel_name=x",
         "has_already_connected_to_org"},
        {YBOT, "conversations.approveSharedInvite", "invite_id=I0ENDED", "approval_inactive"},
        {BOT2, "conversations.declineSharedInvite", "invite_id=I0WAITS", "missing_target_team"},
        {BOT2, "conversations.externalInvitePermissions.set",
         "channel=C0NONE&target_team=T0Y&action=upgrade", "channel_not_found"},
        {BOT2, "conversations.externalInvitePermissions.set",
         "channel=C0THEIRS&target_team=T0Y&action=upgrade", "restricted_action"},
        {BOT2, "conversations.listConnectInvites", "count=x", "invalid_arguments"},
        {BOT2, "conversations.requestSharedInvite.approve", "invite_id=I0WISH&channel_id=C0NONE",
         "channel_not_found"},
        {BOT2, "conversations.requestSharedInvite.approve", "invite_id=I0WISH&message={n561}",
         "message_too_long"},
        {BOT2, "conversations.requestSharedInvite.approve", "invite_id=I0DENIED",
         "invite_already_denied"},
        {BOT2, "conversations.requestSharedInvite.deny", "invite_id=I0GRANTED",
         "invite_already_approved"},
        {BOT2, "conversations.requestSharedInvite.deny", "invite_id=I0LATE", "invite_expired"},
        {BOT2, "conversations.requestSharedInvite.list", "cursor=x", "invalid_cursor"},
        {BOT2, "team.externalTeams.list", "workspace_filter=T0NONE", "invalid_workspace_filter"},
        {BOT2, "team.externalTeams.list", "sort_field=odd", "invalid_arguments"},
        {BEN, "conversations.invite", "channel=C0ANNS&users=U0G", "not_in_channel"},
        {ANN, "usergroups.users.update", "usergroup=S0A&users=U0A,U0Y", "failed_for_some_users"},
    };
    static const struct slack_row off[] = {
        {BOT2, "conversations.acceptSharedInvite", "invite_id=I0OPEN&channel_name=x",
         "restricted_action"},
        {BOT2, "conversations.approveSharedInvite", "invite_id=I0OPEN", "restricted_action"},
        {BOT2, "conversations.declineSharedInvite", "invite_id=I0OPEN", "restricted_action"},
        {BOT2, "conversations.externalInvitePermissions.set",
         "channel=C0BOTH&target_team=T0Y&action=upgrade", "restricted_action"},
        {BOT2, "conversations.listConnectInvites", "count=1", "restricted_action"},
        {BOT2, "conversations.requestSharedInvite.approve", "invite_id=I0WISH",
         "restricted_action"},
        {BOT2, "conversations.requestSharedInvite.deny", "invite_id=I0WISH", "restricted_action"},
        {BOT2, "conversations.requestSharedInvite.list", "limit=1", "restricted_action"},
        {BOT2, "users.discoverableContacts.lookup", "email=y@y.example", "restricted_action"},
    };
    check_rows(rows, SOSIA_LEN(rows));
    check_in("plus, settings: {connect_disabled: true}", "", off, SOSIA_LEN(off));
}

static void things_refuse(void **state)
{
    static const struct slack_row rows[] = {
        {BEN, "assistant.search.context", "query={n4000}", "query_too_long"},
        {BOT2, "agents.sessions.rename", "channel_id=C0OLD&thread_ts=1771100022.000100&title=x",
         "is_archived"},
        {BOT2, "agents.sessions.rename", "channel_id=C0ANNS&thread_ts=1771100019.000100&title=x",
         "not_authorized"},
        {BOT2, "agents.sessions.rename", "channel_id=C0OURS&title=x", "thread_ts_required"},
        {BOT2, "agents.sessions.rename", "channel_id=C0CODE&thread_ts=1771100019.000100&title=x",
         "thread_ts_not_allowed"},
        {ANN, "apps.manifest.delete", "app_id=x", "invalid_app_id", CONFIGURATION},
        {ANN, "apps.manifest.delete", "app_id=A0NONE", "app_not_found", CONFIGURATION},
        {ANN, "apps.manifest.update", "app_id=x&manifest={}", "invalid_app_id", CONFIGURATION},
        {ANN, "apps.manifest.update", "app_id=A0NONE&manifest={}", "app_not_found", CONFIGURATION},
        {ANN, "apps.manifest.update", "app_id=A0DEPLOY&manifest={}", "invalid_manifest",
         CONFIGURATION},
        {ANN, "apps.manifest.validate", "app_id=x&manifest={}", "invalid_app_id", CONFIGURATION},
        {ANN, "apps.manifest.create", "team_id=T0Y&manifest={}", "not_in_team", CONFIGURATION},
        {ANN, "apps.manifest.create", "team_id=T0NONE&manifest={}", "invalid_team_id",
         CONFIGURATION},
        {ANN, "conversations.canvases.create",
         "channel_id=C0OURS&document_content={\"type\":\"markdown\",\"markdown\":\"> - a\"}",
         "canvas_creation_failed"},
        {ANN, "team.info", "domain=y", "team_not_on_enterprise"},
        {BOT2, "auth.teams.list", "cursor=x", "invalid_cursor"},
        {BOT2, "auth.teams.list", "limit=x", "invalid_limit"},
        {BEN, "bookmarks.edit", "channel_id=C0OURS&bookmark_id=Bk0ONE&link=ftp://a.example",
         "invalid_link"},
        {BEN, "bookmarks.edit", "channel_id=C0ANNS&bookmark_id=Bk0ANNS&title=x",
         "permission_denied"},
        {BEN, "bookmarks.remove", "channel_id=C0ANNS&bookmark_id=Bk0ANNS", "permission_denied"},
        {BOT2, "calls.participants.add", "id=R0ON&users=[{\"slack_id\":\"U0NONE\"}]",
         "user_not_found"},
        {BOT2, "calls.participants.remove", "id=R0ON&users=[{\"slack_id\":\"U0NONE\"}]",
         "user_not_found"},
        {BOT2, "calls.participants.remove", "id=R0OVER&users=[{\"slack_id\":\"U0A\"}]",
         "inactive_call"},
        {BOT2, "calls.participants.remove", "id=R0ON&users=[]", "missing_argument"},
        {ANN, "canvases.sections.lookup", "canvas_id=F0NONE&criteria={\"contains_text\":\"x\"}",
         "canvas_not_found"},
        {ANN, "conversations.setPurpose", "channel=D0AB&purpose=x",
         "method_not_supported_for_channel_type"},
        {BEN, "files.completeUploadExternal", "files=[{\"id\":\"F0HIS\"}]", "file_not_found"},
        {BOT2, "files.remote.remove", "x=1", "invalid_args"},
        {BOT2, "files.remote.remove", "external_id=1&file=F0HIS", "too_many_ids"},
        {BOT2, "files.remote.share", "channels=C0OURS", "invalid_args"},
        {BEN, "files.sharedPublicURL", "file=F0CANVAS", "file_not_found"},
        {ANN, "entity.presentComments", "trigger_id=1.2.3&comments=[]", "invalid_app_id"},
        {ANN, "entity.acknowledgeCommentAction", "trigger_id=1.2.3&comment={}", "invalid_app_id"},
        {BOT2, "migration.exchange", "users={401*U0A*}", "too_many_users"},
        {BEN, "pins.add", "channel=C0ANNS&timestamp=1771100019.000100", "not_in_channel"},
        {BEN, "pins.add", "channel=C0OURS&timestamp=1771100020.000100", "not_pinnable"},
        {ANN, "slackLists.access.delete", "list_id=F0NONE&user_ids=[\"U0B\"]", "list_not_found"},
        {ANN, "slackLists.access.delete", "list_id=F0LIST&channel_ids=[\"C0NONE\"]",
         "channel_not_found"},
        {ANN, "slackLists.access.delete", "list_id=F0LIST", "invalid_parameters"},
        {ANN, "slackLists.create",
         "name=x&schema=[{101*{\"key\":\"a\",\"name\":\"A\",\"type\":\"text\"}*}]",
         "over_column_maximum"},
        {GUS, "slackLists.create", "name=x", "permission_denied"},
        {ANN, "slackLists.items.create", "list_id=F0NONE", "list_not_found"},
        {ANN, "slackLists.items.create", "list_id=F0LIST&initial_fields=7", "invalid_args"},
        {ANN, "slackLists.items.create",
         "list_id=F0LIST&initial_fields=[{\"column_id\":\"Col0N\",\"number\":[\"x\"]}]",
         "invalid_input_type"},
        {ANN, "slackLists.items.create",
         "list_id=F0LIST&initial_fields=[{\"column_id\":\"Col0V\",\"vote\":[7]}]",
         "invalid_vote_value"},
        {ANN, "slackLists.items.create",
         "list_id=F0LIST&initial_fields=[{\"column_id\":\"Col0N\",\"number\":[1,2]}]",
         "over_cell_fields_limit"},
        {ANN, "slackLists.items.create",
         "list_id=F0LIST&initial_fields=[{\"column_id\":\"Col0F\",\"attachment\":[\"F0NONE\"]}]",
         "file_not_found"},
        {ANN, "slackLists.items.create",
         "list_id=F0LIST&initial_fields=[{\"column_id\":\"Col0U\",\"user\":[\"U0NONE\"]}]",
         "user_not_found"},
        {ANN, "slackLists.items.create",
         "list_id=F0LIST&initial_fields=[{\"column_id\":\"Col0C\",\"user\":[\"U0A\"]}]",
         "uneditable_column"},
        {ANN, "slackLists.items.update",
         "list_id=F0LIST&cells=[{\"row_id\":\"Rec0GONE\",\"column_id\":\"Col0N\",\"number\":[1]}]",
         "row_not_found"},
        {ANN, "slackLists.items.update",
         "list_id=F0LIST&cells=[{\"row_id\":\"Rec0A\",\"column_id\":\"Col0T\",\"rich_text\":"
         "[{\"type\":\"rich_text\"}]}]",
         "invalid_blocks"},
        {ANN, "slackLists.update", "id=F0LIST&description_blocks=7",
         "unexpected_description_blocks_arg"},
        {ANN, "team.accessLogs", "cursor=x", "invalid_cursor"},
        {ANN, "team.accessLogs", "limit=x", "invalid_limit"},
        {ANN, "usergroups.users.list", "usergroup=S0NONE", "no_such_subteam"},
        {BEN, "users.list", "cursor=x", "invalid_cursor"},
        {BEN, "users.info", "user={31*U0A*}", "user_not_found"},
        {BEN, "users.profile.set", "profile={\"status_text\":\"\"}",
         "must_clear_both_status_text_and_status_emoji"},
        {BEN, "users.profile.set",
         "name=status_emoji&value=", "must_clear_both_status_text_and_status_emoji"},
        {BEN, "users.profile.set", "profile={\"status_text\":\"x\",\"status_emoji\":\"car\"}",
         "profile_status_set_failed_not_emoji_syntax"},
        {BEN, "users.profile.set", "profile={\"status_text\":\"x\",\"status_emoji\":\":no car:\"}",
         "profile_status_set_failed_not_valid_emoji"},
        {BEN, "users.profile.set", "name=last_name&value={n81}", "too_long"},
    };
    check_rows(rows, SOSIA_LEN(rows));
}

#define MODAL                                                                                      \
    "{\"type\":\"modal\",\"title\":{\"type\":\"plain_text\",\"text\":\"x\"},\"blocks\":[]}"
#define TAKEN                                                                                      \
    "{\"type\":\"modal\",\"external_id\":\"other\",\"title\":{\"type\":\"plain_text\",\"text\":"   \
    "\"x\"},\"blocks\":[]}"

static void views_refuse(void **state)
{
    static const struct slack_row rows[] = {
        {BOT2, "views.open", "trigger_id=1.2.a1&view=" TAKEN, "duplicate_external_id"},
        {BOT2, "views.push", "trigger_id=1.2.a2&view=" TAKEN, "duplicate_external_id"},
        {BOT2, "views.push", "trigger_id=1.2.a3&view=" MODAL, "exchanged_trigger_id"},
        {BOT2, "views.push", "trigger_id=1.2.a4&view=" MODAL, "expired_trigger_id"},
        {BOT2, "views.push", "trigger_id=1.2.a2&view={n256001}", "view_too_large"},
        {BOT2, "views.update", "view_id=V0ONE&view=" TAKEN, "duplicate_external_id"},
        {BOT2, "views.update", "view_id=V0ONE&view={n256001}", "view_too_large"},
        {BOT2, "views.publish", "user_id=U0A&view={n256001}", "view_too_large"},
    };
    check_in("plus",
             "chatViews:\n"
             "  - {id: V0ONE, app: '1.2', user: U0A, place: 1, body: " MODAL "}\n"
             "  - {id: V0TWO, app: '1.2', user: U0B, place: 1, external_id: other, body: " MODAL
             "}\n"
             "chatTriggers: [{id: 1.2.a1, app: '1.2', user: U0A},\n"
             "  {id: 1.2.a2, app: '1.2', user: U0A, view: V0ONE},\n"
             "  {id: 1.2.a3, app: '1.2', user: U0A, view: V0ONE, used: true},\n"
             "  {id: 1.2.a4, app: '1.2', user: U0A, view: V0ONE, created: 1771185540000000}]\n",
             rows, SOSIA_LEN(rows));
}

/* So many of a list in a document, with %d for the number. */
static const char *many(const char *head, const char *item, int n)
{
    struct buf b;
    buf_init(&b, 0);
    buf_puts(&b, head);
    for (int i = 0; i < n; i++) {
        const char *at = strstr(item, "%d");
        buf_printf(&b, "%.*s%d%s\n", (int)(at - item), item, i + 100, at + 2);
    }
    const char *text = arena_strdup(&test_arena, buf_str(&b));
    buf_done(&b);
    return text;
}

static void what_is_full_refuses(void **state)
{
    static const struct slack_row rows[] = {
        {BEN, "bookmarks.add", "channel_id=C0FULL&title=x&type=link&link=https://a.example",
         "too_many_bookmarks"},
        {BEN, "pins.add", "channel=C0FULL&timestamp=1771100000.000100", "too_many_pins"},
        {BEN, "reactions.add", "channel=C0FULL&timestamp=1771100000.000100&name=car",
         "too_many_emoji"},
        {BEN, "reactions.add", "channel=C0FULL&timestamp=1771100001.000100&name=car",
         "too_many_reactions"},
        {BEN, "chat.scheduleMessage", "channel=C0FULL&text=x&post_at=1771189201",
         "restricted_too_many"},
        {ANN, "slackLists.items.create", "list_id=F0FULL", "over_row_maximum"},
    };
    static const char head[] =
        "sosia: 1\ntime: 2026-02-15T20:00:00Z\n"
        "people: [{email: a@x.example, name: Ann}, {email: b@x.example, name: Ben}]\n"
        "workspaces: [{id: T0X, domain: x, members: [{actor: a@x.example, role: owner, id: U0A},\n"
        "  {actor: b@x.example, id: U0B}]}]\n"
        "channels: [{id: C0FULL, name: full, creator: U0A, members: [U0A, U0B]}]\n"
        "chatFiles: [{id: F0FULL, user: U0A, name: list, title: Tasks, mode: list}]\n"
        "chatEmoji:\n";
    struct buf b;
    buf_init(&b, 0);
    buf_puts(&b, many(head, "  - {name: e%d, url: 'https://e.example/e.png', user: U0A}", 50));
    buf_puts(&b,
             many("messages:\n",
                  "  - {channel: full, from: U0A, ts: '1771100%d.000100', text: x, pinned: U0A}",
                  100));
    buf_puts(&b, "  - {channel: full, from: U0A, ts: '1771100000.000100', text: x, reactions: [\n");
    buf_puts(&b, many("", "    {name: e%d, by: [U0A]},", 50));
    buf_puts(&b, "    ]}\n  - {channel: full, from: U0A, ts: '1771100001.000100', text: x, "
                 "reactions: [\n");
    buf_puts(&b, many("", "    {name: e%d, by: [U0B]},", 23));
    buf_puts(&b, "    ]}\n");
    buf_puts(&b, many("bookmarks:\n",
                      "  - {channel: full, title: B%d, link: 'https://a.example', by: U0A}", 100));
    buf_puts(&b, many("scheduledMessages:\n",
                      "  - {channel: full, from: U0A, at: '2026-02-15T21:00:00Z', message: {text: "
                      "M%d}}",
                      30));
    buf_puts(&b, many("chatLists:\n  - file: F0FULL\n    columns: [{id: Col0T, key: t, name: T, "
                      "type: text, primary: true}]\n    items:\n",
                      "      - {id: Rec0%d}", 1000));
    const char *document = arena_strdup(&test_arena, buf_str(&b));
    buf_done(&b);
    test_use(document);
    slack_refuse(rows, SOSIA_LEN(rows));
}

static void an_event_of_another_workspace_is_not_the_apps(void **state)
{
    struct sosia_blob blob;
    struct sosia_err err;
    test_use(arena_printf(&test_arena, WORLD, "plus", ""));
    assert_int_equal(sosia_credential(test_engine, test_world, "slack", ANN, NULL, &blob, &err), 0);
    const struct json *v = value_at(parsed(blob.data, strlen(blob.data)), "apps");
    const char *token = arena_strdup(&test_arena, text_at(v, "0.app_token"));
    sosia_blob_free(&blob);
    slack_call("POST", "/api/apps.event.authorizations.list", "application/x-www-form-urlencoded",
               token, "event_context=1-message-T0X-C0OURS");
    assert_slack(NULL);
    slack_call("POST", "/api/apps.event.authorizations.list", "application/x-www-form-urlencoded",
               token, "event_context=1-message-T0Y-C0THEIRS");
    assert_slack("auth_mismatch");
}

/* An upload by Ben of one byte, which he has not completed yet. */
static const char *uploaded(void)
{
    const struct json *v = slack(BEN, "files.getUploadURLExternal", "filename=a.txt&length=1");
    assert_slack(NULL);
    const char *id = text_at(v, "file_id");
    slack_call("POST", strstr(text_at(v, "upload_url"), "/upload/"), "text/plain", NULL, "x");
    return id;
}

static void files_refuse(void **state)
{
    static const char *const bad[][2] = {
        {"channel_id=C0NONE", "channel_not_found"},
        {"channels=C0NONE", "channel_not_found"},
        {"channel_id=U0A", "invalid_arguments"},
        {"channel_id=general", "invalid_arguments"},
        {"channel_id=C0ANNS", "not_in_channel"},
        {"channels={101*C0OURS*}", "channels_limit_exceeded"},
        {"channel_id=C0OURS&blocks=" BAD, "invalid_blocks"},
        {"channel_id=C0OLD", "posting_to_channel_denied"},
    };
    test_use(arena_printf(&test_arena, WORLD, "plus", ""));
    const char *id = uploaded();
    for (size_t i = 0; i < SOSIA_LEN(bad); i++) {
        slack(BEN, "files.completeUploadExternal", "files=[{\"id\":\"%s\"}]&%s", id,
              slack_form(bad[i][0]));
        assert_slack(bad[i][1]);
    }
    slack(BEN, "files.completeUploadExternal", "files=[{\"id\":\"%s\"}]&channels=U0A,C0OURS", id);
    assert_slack(NULL);
    slack(ANN, "files.sharedPublicURL", "file=%s", id);
    assert_slack("not_allowed");
    const struct json *v = slack(BEN, "files.sharedPublicURL", "file=%s", id);
    assert_true(true_at(v, "file.public_url_shared"));
    v = slack(BEN, "files.revokePublicURL", "file=%s", id);
    assert_false(true_at(v, "file.public_url_shared"));
    slack(BEN, "files.delete", "file=%s", id);
    assert_slack(NULL);
    slack(BEN, "files.delete", "file=%s", id);
    assert_slack("file_deleted");
}

/* As measured: 13,297 characters of Markdown alone, 125 fewer beside a divider. */
static void blocks_of_a_message_have_so_many_characters(void **state)
{
    static const struct {
        int more;
        const char *beside, *error;
    } cases[] = {{1172, "", NULL},
                 {1173, "", "msg_blocks_too_long"},
                 {1047, ",{\"type\":\"divider\"}", NULL},
                 {1048, ",{\"type\":\"divider\"}", "msg_blocks_too_long"}};
    for (size_t i = 0; i < SOSIA_LEN(cases); i++) {
        const char *first = slack_form("{\"type\":\"markdown\",\"text\":\"{n12000}\"}");
        const char *second = slack_form(
            arena_printf(&test_arena, "{\"type\":\"markdown\",\"text\":\"{n%d}\"}", cases[i].more));
        slack(BOB, "chat.postMessage", "channel=" DEV "&blocks=[%s,%s%s]", first, second,
              cases[i].beside);
        assert_slack(cases[i].error);
    }
}

static void a_status_says_how_long_it_may_be(void **state)
{
    const struct json *v =
        slack(BOB, "users.profile.set", "%s", slack_form("name=status_text&value={n101}"));
    assert_slack("too_long");
    assert_int_equal(number_at(v, "limit"), 100);
    assert_string_equal(text_at(v, "field"), "status_text");
    slack(BOB, "users.profile.set", "profile=%s",
          "{\"status_text\":\"\",\"status_emoji\":\":wave::skin-tone-2:\"}");
    assert_slack(NULL);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        slack_test(messages_refuse),
        slack_test(preferences_refuse),
        slack_test(what_an_app_has_not_set_up_is_refused),
        slack_test(other_workspaces_are_refused),
        slack_test(things_refuse),
        slack_test(views_refuse),
        slack_test(what_is_full_refuses),
        slack_test(files_refuse),
        slack_test(an_event_of_another_workspace_is_not_the_apps),
        slack_test(blocks_of_a_message_have_so_many_characters),
        slack_test(a_status_says_how_long_it_may_be),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
