/* SPDX-License-Identifier: Apache-2.0 */
/* Documented codes, method by method, in one workspace: a refusal changes nothing, so all calls may
 * follow one another. Each row fails by itself. */
#include "tests/support/slack.h"

#define ANN  "a@x.example" /* U0A, the owner */
#define BEN  "b@x.example" /* U0B */
#define GUS  "g@x.example" /* U0G, a guest */
#define BOT2 "deploybot"   /* U0DEPLOY */

/* %s: the plan and what settings say. */
static const char WORLD[] =
    "sosia: 1\n"
    "time: 2026-02-15T20:00:00Z\n"
    "people: [{email: a@x.example, name: Ann}, {email: b@x.example, name: Ben},\n"
    "  {email: g@x.example, name: Gus}, {email: d@x.example, name: Del},\n"
    "  {handle: deploybot, kind: bot, name: Deploybot}, {handle: idlebot, kind: bot, name: Idle}]\n"
    "apps: [{client_id: '1.2', client_secret: s, name: Deployer, vendor: slack, bot: deploybot}]\n"
    "workspaces: [{id: T0X, domain: x, plan: %s, members: [\n"
    "    {actor: a@x.example, role: owner, id: U0A, name: ann}, {actor: b@x.example, id: U0B},\n"
    "    {actor: g@x.example, role: guest, id: U0G}, {actor: d@x.example, id: U0D, deleted: "
    "true},\n"
    "    {actor: deploybot, id: U0DEPLOY}, {actor: idlebot, id: U0IDLE}],\n"
    "  apps: [{client_id: '1.2', id: A0DEPLOY, bot: B0DEPLOY}]}]\n"
    "channels:\n"
    "  - {id: C0GENERAL, name: general, general: true, creator: U0A}\n"
    "  - {id: C0OURS, name: ours, creator: U0B, members: [U0A, U0B, U0G, U0DEPLOY]}\n"
    "  - {id: C0ANNS, name: anns, creator: U0A, members: [U0A]}\n"
    "  - {id: C0OLD, name: old, creator: U0A, archived: true, members: [U0A, U0B, U0DEPLOY]}\n"
    "  - {id: C0LEFT, name: left, creator: U0A, archived: true, members: [U0A, U0G]}\n"
    "  - {id: C0READ, name: read, posting: read_only, creator: U0A, members: [U0A, U0B, "
    "U0DEPLOY]}\n"
    "  - {id: C0THREAD, name: thread, posting: thread_only, creator: U0A, members: [U0A, U0B, "
    "U0DEPLOY]}\n"
    "  - {id: C0FLAT, name: flat, posting: no_threads, creator: U0A, members: [U0A, U0B, "
    "U0DEPLOY]}\n"
    "  - {id: C0SECRET, name: secret, kind: private, creator: U0A, members: [U0A]}\n"
    "  - {id: C0LAST, name: last, kind: private, creator: U0B, members: [U0B]}\n"
    "  - {kind: direct, id: D0AB, members: [U0A, U0B]}\n"
    "  - {kind: group, id: G0ABG, members: [U0A, U0B, U0G]}\n"
    "messages:\n"
    "  - {channel: ours, from: U0B, ts: '1771100000.000100', text: one,\n"
    "     replies: [{from: U0A, ts: '1771100001.000100', text: two}]}\n"
    "  - {channel: ours, from: U0DEPLOY, app: '1.2', ts: '1771100002.000100', text: bots}\n"
    "  - {channel: old, from: U0B, ts: '1771100003.000100', text: gone}\n"
    "  - {channel: flat, from: U0B, ts: '1771100004.000100', text: flat}\n"
    "  - {channel: secret, from: U0A, ts: '1771100005.000100', text: secret}\n"
    "  - {channel: read, from: U0DEPLOY, app: '1.2', ts: '1771100006.000100', text: a, flags: 16}\n"
    "  - {channel: thread, from: U0DEPLOY, app: '1.2', ts: '1771100007.000100', text: a, flags: "
    "16}\n"
    "  - {channel: flat, from: U0B, ts: '1771100008.000100', text: root,\n"
    "     replies: [{from: U0DEPLOY, app: '1.2', ts: '1771100009.000100', text: a, flags: 16}]}\n"
    "  - {channel: ours, from: U0B, ts: '1771100010.000100', text: locked, flags: 8,\n"
    "     replies: [{from: U0DEPLOY, app: '1.2', ts: '1771100011.000100', text: a, flags: 16}]}\n"
    "  - {channel: old, from: U0DEPLOY, app: '1.2', ts: '1771100013.000100', text: a, flags: 16}\n"
    "chatFiles: [{id: F0CANVAS, user: U0A, name: plan, title: Plan, mode: document},\n"
    "  {id: F0LIST, user: U0A, name: list, title: Tasks, mode: list},\n"
    "  {id: F0HIS, user: U0B, name: a.txt, title: a, content: x}]\n"
    "canvases: [{file: F0CANVAS, markdown: '# Plan', access: [{user: U0A, level: owner},\n"
    "  {user: U0B, level: read}]}]\n"
    "chatLists: [{file: F0LIST, columns: [{id: Col0T, key: t, name: T, type: text, primary: "
    "true}],\n"
    "  items: [{id: Rec0A}], access: [{user: U0A, level: owner}, {user: U0B, level: read}]}]\n"
    "userGroups: [{id: S0A, name: A, handle: aa, users: [U0A], creator: U0A}]\n";

static void check_in(const char *plan, const struct slack_row *rows, size_t n)
{
    test_use(arena_printf(&test_arena, WORLD, plan));
    slack_refuse(rows, n);
}

static void check_rows(const struct slack_row *rows, size_t n)
{
    check_in("plus", rows, n);
}

#define ONE "timestamp=1771100000.000100"

static void channels_refuse(void **state)
{
    static const struct slack_row rows[] = {
        {BEN, "conversations.archive", "channel=D0AB", "method_not_supported_for_channel_type"},
        {BEN, "conversations.archive", "channel=C0SECRET", "channel_not_found"},
        {BEN, "conversations.archive", "channel=C0ANNS", "not_in_channel"},
        {BEN, "conversations.close", "channel=C0OURS", "method_not_supported_for_channel_type"},
        {GUS, "conversations.close", "channel=D0AB", "channel_not_found"},
        {BEN, "conversations.create", "name=", "invalid_name_required"},
        {BEN, "conversations.create", "name={n81}", "invalid_name_maxlength"},
        {BEN, "conversations.create", "name=--_", "invalid_name_punctuation"},
        {BEN, "conversations.create", "name=Upper", "invalid_name_specials"},
        {BEN, "conversations.create", "name=ours", "name_taken"},
        {GUS, "conversations.create", "name=mine", "restricted_action"},
        {BEN, "conversations.history", "channel=C0OURS&cursor=x", "invalid_cursor"},
        {BEN, "conversations.history", "channel=C0OURS&oldest=x", "invalid_ts_oldest"},
        {BEN, "conversations.history", "channel=C0OURS&latest=x", "invalid_ts_latest"},
        {BOT2, "conversations.history", "channel=C0ANNS", "not_in_channel"},
        {BEN, "conversations.replies", "channel=C0SECRET&ts=1771100005.000100",
         "channel_not_found"},
        {BEN, "conversations.replies", "channel=C0OURS&ts=7.000000", "thread_not_found"},
        {BEN, "conversations.replies", "channel=C0OURS&ts=1771100000.000100&cursor=x",
         "invalid_cursor"},
        {BEN, "conversations.replies", "channel=C0OURS&ts=1771100000.000100&oldest=x",
         "invalid_ts_oldest"},
        {BEN, "conversations.replies", "channel=C0OURS&ts=1771100000.000100&latest=x",
         "invalid_ts_latest"},
        {BEN, "conversations.info", "channel=C0NONE", "channel_not_found"},
        {BEN, "conversations.invite", "channel=C0OURS&users=U0G", "already_in_channel"},
        {BEN, "conversations.invite", "channel=C0OURS&users=U0B", "cant_invite_self"},
        {BEN, "conversations.invite", "channel=C0OURS&users={100*U0G*}", "already_in_channel"},
        {BEN, "conversations.invite", "channel=C0OURS&users={101*U0G*}", "invalid_arguments"},
        {BEN, "conversations.invite", "channel=C0OURS&users=U0D", "user_not_found"},
        {BEN, "conversations.invite", "channel=C0OURS&users=", "no_user"},
        {BEN, "conversations.invite", "channel=C0SECRET&users=U0G", "channel_not_found"},
        {BEN, "conversations.invite", "channel=C0OLD&users=U0G", "is_archived"},
        {BEN, "conversations.invite", "channel=D0AB&users=U0G",
         "method_not_supported_for_channel_type"},
        {GUS, "conversations.invite", "channel=C0OURS&users=U0IDLE", "user_is_restricted"},
        {BEN, "conversations.join", "channel=C0OLD", "is_archived"},
        {BEN, "conversations.join", "channel=C0SECRET", "channel_not_found"},
        {BEN, "conversations.join", "channel=C0LAST", "method_not_supported_for_channel_type"},
        {GUS, "conversations.join", "channel=C0ANNS", "channel_not_found"},
        {BEN, "conversations.kick", "channel=C0GENERAL&user=U0A", "cant_kick_from_general"},
        {BEN, "conversations.kick", "channel=C0SECRET&user=U0A", "channel_not_found"},
        {BEN, "conversations.kick", "channel=D0AB&user=U0A",
         "method_not_supported_for_channel_type"},
        {BEN, "conversations.kick", "channel=C0OURS&user=U0NONE", "user_not_found"},
        {BEN, "conversations.kick", "channel=C0OURS&user=U0B", "cant_kick_self"},
        {BEN, "conversations.kick", "channel=C0OURS&user=U0IDLE", "not_in_channel"},
        {GUS, "conversations.kick", "channel=C0OURS&user=U0A", "restricted_action"},
        {BEN, "conversations.leave", "channel=C0LAST", "last_member"},
        {BEN, "conversations.leave", "channel=D0AB", "method_not_supported_for_channel_type"},
        {BEN, "conversations.leave", "channel=C0GENERAL", "cant_leave_general"},
        {BEN, "conversations.leave", "channel=C0ANNS", "not_in_channel"},
        {BEN, "conversations.mark", "channel=C0SECRET&ts=1771100000.000100", "channel_not_found"},
        {BEN, "conversations.mark", "channel=C0ANNS&ts=1771100000.000100", "not_in_channel"},
        {BEN, "conversations.mark", "channel=C0OURS&ts=x", "invalid_timestamp"},
        {BEN, "conversations.members", "channel=C0OURS&cursor=x", "invalid_cursor"},
        {BEN, "conversations.members", "channel=C0OURS&limit=x", "invalid_limit"},
        {BEN, "conversations.members", "channel=C0SECRET", "channel_not_found"},
        {BEN, "conversations.open", "channel=C0NONE", "channel_not_found"},
        {BEN, "conversations.open", "channel=C0OURS", "method_not_supported_for_channel_type"},
        {BEN, "conversations.open", "users=U0D", "user_disabled"},
        {BEN, "conversations.open", "users=U0NONE", "user_not_found"},
        {BEN, "conversations.open", "users=U1,U2,U3,U4,U5,U6,U7,U8,U9", "too_many_users"},
        {BEN, "conversations.open", "x=1", "users_list_not_supplied"},
        {BEN, "conversations.rename", "channel=C0SECRET&name=x", "channel_not_found"},
        {BEN, "conversations.rename", "channel=C0OURS&name={n81}", "invalid_name_maxlength"},
        {BEN, "conversations.rename", "channel=C0OURS&name=-_-", "invalid_name_punctuation"},
        {BEN, "conversations.rename", "channel=C0OURS&name=", "invalid_name_required"},
        {BEN, "conversations.rename", "channel=C0OURS&name=a.b", "invalid_name_specials"},
        {BEN, "conversations.rename", "channel=C0OURS&name=anns", "name_taken"},
        {ANN, "conversations.rename", "channel=C0OLD&name=x", "is_archived"},
        {BEN, "conversations.rename", "channel=D0AB&name=x",
         "method_not_supported_for_channel_type"},
        {BEN, "conversations.rename", "channel=C0ANNS&name=x", "not_in_channel"},
        {BEN, "conversations.rename", "channel=C0FLAT&name=x", "not_authorized"},
        {BEN, "conversations.setTopic", "channel=C0SECRET&topic=x", "channel_not_found"},
        {BEN, "conversations.setTopic", "channel=C0OLD&topic=x", "is_archived"},
        {BEN, "conversations.setTopic", "channel=D0AB&topic=x",
         "method_not_supported_for_channel_type"},
        {BEN, "conversations.setTopic", "channel=C0ANNS&topic=x", "not_in_channel"},
        {BEN, "conversations.setTopic", "channel=C0OURS&topic={n251}", "too_long"},
        {GUS, "conversations.setTopic", "channel=C0OURS&topic=x", "user_is_restricted"},
        {BEN, "conversations.setPurpose", "channel=C0SECRET&purpose=x", "channel_not_found"},
        {BEN, "conversations.setPurpose", "channel=C0OLD&purpose=x", "is_archived"},
        {BEN, "conversations.setPurpose", "channel=C0ANNS&purpose=x", "not_in_channel"},
        {BEN, "conversations.setPurpose", "channel=C0OURS&purpose={n251}", "too_long"},
        {GUS, "conversations.setPurpose", "channel=C0OURS&purpose=x", "user_is_restricted"},
        {BEN, "conversations.unarchive", "channel=D0AB", "method_not_supported_for_channel_type"},
        {BEN, "conversations.unarchive", "channel=C0OURS", "not_archived"},
        {GUS, "conversations.unarchive", "channel=C0LEFT", "access_denied"},
        {BEN, "conversations.mark", "channel=C0OURS&ts=8589934592.000000", "invalid_timestamp"},
        {BEN, "chat.update", "channel=C0OURS&ts=1771100000.000100&markdown_text={n12001}",
         "msg_too_long"},
        {BEN, "conversations.list", "cursor=x", "invalid_cursor"},
        {BEN, "conversations.list", "limit=x", "invalid_limit"},
        {BEN, "conversations.list", "types=x", "invalid_types"},
        {BEN, "users.conversations", "cursor=x", "invalid_cursor"},
        {BEN, "users.conversations", "limit=x", "invalid_limit"},
        {BEN, "users.conversations", "types=x", "invalid_types"},
    };
    check_rows(rows, SOSIA_LEN(rows));
}

static void messages_refuse(void **state)
{
    static const struct slack_row rows[] = {
        {BEN, "chat.postMessage", "channel=C0NONE&text=x", "channel_not_found"},
        {BEN, "chat.postMessage", "channel=C0ANNS&text=x", "not_in_channel"},
        {BEN, "chat.postMessage", "channel=C0OLD&text=x", "is_archived"},
        {BEN, "chat.postMessage", "channel=C0OURS", "no_text"},
        {BEN, "chat.postMessage", "channel=C0READ&text=x", "restricted_action_read_only_channel"},
        {BEN, "chat.postMessage", "channel=C0THREAD&text=x",
         "restricted_action_thread_only_channel"},
        {BEN, "chat.postMessage", "channel=C0FLAT&text=x&thread_ts=1771100004.000100",
         "restricted_action_non_threadable_channel"},
        {BEN, "chat.meMessage", "channel=C0NONE&text=x", "channel_not_found"},
        {BEN, "chat.meMessage", "channel=C0OLD&text=x", "is_archived"},
        {BEN, "chat.meMessage", "channel=C0OURS&text=", "no_text"},
        {BEN, "chat.meMessage", "channel=C0ANNS&text=x", "not_in_channel"},
        {BEN, "chat.postEphemeral", "channel=C0NONE&user=U0A&text=x", "channel_not_found"},
        {BEN, "chat.postEphemeral", "channel=C0OLD&user=U0A&text=x", "is_archived"},
        {BEN, "chat.postEphemeral", "channel=C0ANNS&user=U0A&text=x", "not_in_channel"},
        {BEN, "chat.postEphemeral", "channel=C0OURS&user=U0IDLE&text=x", "user_not_in_channel"},
        {BEN, "chat.postEphemeral", "channel=C0OURS&user=U0A", "no_text"},
        {BEN, "chat.postEphemeral", "channel=C0OURS&user=U0A&text=x&markdown_text=y",
         "markdown_text_conflict"},
        {BEN, "chat.postEphemeral", "channel=C0OURS&user=U0A&blocks={", "invalid_blocks_format"},
        {BEN, "chat.postEphemeral", "channel=C0OURS&user=U0A&blocks=[{\"type\":\"odd\"}]",
         "invalid_blocks"},
        {BEN, "chat.scheduleMessage", "channel=C0NONE&text=x&post_at=1771189200",
         "channel_not_found"},
        {BEN, "chat.scheduleMessage", "channel=C0OLD&text=x&post_at=1771189200", "is_archived"},
        {BEN, "chat.scheduleMessage", "channel=C0ANNS&text=x&post_at=1771189200", "not_in_channel"},
        {BEN, "chat.scheduleMessage", "channel=C0OURS&post_at=1771189200", "no_text"},
        {BEN, "chat.scheduleMessage", "channel=C0OURS&text=x&markdown_text=y&post_at=1771189200",
         "markdown_text_conflict"},
        {BEN, "chat.scheduleMessage", "channel=C0READ&text=x&post_at=1771189200",
         "restricted_action_read_only_channel"},
        {BEN, "chat.scheduleMessage", "channel=C0THREAD&text=x&post_at=1771189200",
         "restricted_action_thread_only_channel"},
        {BEN, "chat.scheduleMessage",
         "channel=C0FLAT&text=x&post_at=1771189200&thread_ts=1771100004.000100",
         "restricted_action_non_threadable_channel"},
        {BEN, "chat.scheduleMessage", "channel=C0OURS&text=x&post_at=x", "invalid_time"},
        {BEN, "chat.scheduleMessage", "channel=C0OURS&text=x&post_at=1", "time_in_past"},
        {BEN, "chat.scheduleMessage", "channel=C0OURS&text=x&post_at=9771189200", "time_too_far"},
        {BEN, "chat.scheduleMessage", "channel=C0OURS&blocks={&post_at=1771189200",
         "invalid_blocks_format"},
        {BEN, "chat.scheduleMessage", "channel=C0OURS&text=x&metadata={&post_at=1771189200",
         "invalid_metadata_format"},
        {BEN, "chat.scheduleMessage",
         "channel=C0OURS&text=x&metadata={\"event_type\":\"t\"}&post_at=1771189200",
         "invalid_metadata_schema"},
        {BEN, "chat.deleteScheduledMessage", "channel=C0NONE&scheduled_message_id=Q",
         "channel_not_found"},
        {BEN, "chat.deleteScheduledMessage", "channel=C0OURS&scheduled_message_id=Q",
         "invalid_scheduled_message_id"},
        {BEN, "chat.scheduledMessages.list", "channel=C0NONE", "invalid_channel"},
        {BEN, "chat.scheduledMessages.list", "cursor=x", "invalid_cursor"},
        {BEN, "chat.delete", "channel=C0NONE&ts=1771100000.000100", "channel_not_found"},
        {BEN, "chat.delete", "channel=C0OURS&ts=7.000000", "message_not_found"},
        {BEN, "chat.delete", "channel=C0OURS&ts=1771100001.000100", "cant_delete_message"},
        {BEN, "chat.getPermalink", "channel=C0NONE&message_ts=1771100000.000100",
         "channel_not_found"},
        {BEN, "chat.getPermalink", "channel=C0OURS&message_ts=7.000000", "message_not_found"},
        {BEN, "chat.update", "channel=C0NONE&ts=1771100000.000100&text=x", "channel_not_found"},
        {BEN, "chat.update", "channel=C0OURS&ts=7.000000&text=x", "message_not_found"},
        {BEN, "chat.update", "channel=C0OURS&ts=1771100001.000100&text=x", "cant_update_message"},
        {BEN, "chat.update", "channel=C0OLD&ts=1771100003.000100&text=x", "is_inactive"},
        {BEN, "chat.update", "channel=C0OURS&ts=1771100000.000100", "no_text"},
        {BEN, "chat.update", "channel=C0OURS&ts=1771100000.000100&text={n4001}", "msg_too_long"},
        {BEN, "chat.update", "channel=C0OURS&ts=1771100000.000100&blocks={",
         "invalid_blocks_format"},
        {BEN, "chat.update", "channel=C0OURS&ts=1771100000.000100&blocks=[{\"type\":\"odd\"}]",
         "invalid_blocks"},
        {BEN, "chat.update", "channel=C0OURS&ts=1771100000.000100&text=x&metadata={",
         "invalid_metadata_format"},
        {BEN, "chat.update",
         "channel=C0OURS&ts=1771100000.000100&text=x&metadata={\"event_type\":\"t\"}",
         "invalid_metadata_schema"},
        {BEN, "chat.update", "channel=C0OURS&ts=1771100000.000100&reply_broadcast=true",
         "cant_broadcast_message"},
        {BEN, "chat.update", "channel=C0OURS&ts=1771100000.000100&file_ids=F0NONE",
         "file_not_found"},
        {BOT2, "chat.unfurl", "channel=C0OURS&unfurls={}", "missing_ts"},
        {BOT2, "chat.unfurl", "channel=C0OURS&ts=1771100000.000100&unfurls=7",
         "invalid_unfurls_format"},
        {BOT2, "chat.unfurl",
         "channel=C0OURS&ts=1771100000.000100&unfurls={\"https://a.example\":7}",
         "cannot_parse_attachment"},
        {BOT2, "chat.startStream", "channel=C0NONE&markdown_text=x", "channel_not_found"},
        {BOT2, "chat.startStream", "channel=C0OURS&chunks={", "invalid_chunks"},
        {BOT2, "chat.startStream", "channel=C0OURS&markdown_text=x", "missing_recipient_user_id"},
        {BOT2, "chat.startStream",
         "channel=C0OURS&markdown_text=x&recipient_user_id=U0NONE&recipient_team_id=T0X",
         "user_not_found"},
        {BOT2, "chat.startStream", "channel=C0READ&markdown_text=x",
         "restricted_action_read_only_channel"},
        {BOT2, "chat.startStream", "channel=C0THREAD&markdown_text=x",
         "restricted_action_thread_only_channel"},
        {BOT2, "chat.startStream", "channel=C0FLAT&thread_ts=1771100004.000100&markdown_text=x",
         "restricted_action_non_threadable_channel"},
        {BOT2, "chat.appendStream", "channel=C0NONE&ts=7.000000&markdown_text=x",
         "channel_not_found"},
        {BOT2, "chat.appendStream", "channel=C0OURS&ts=7.000000&markdown_text=x",
         "message_not_found"},
        {BOT2, "chat.appendStream", "channel=C0OURS&ts=1771100000.000100&markdown_text=x",
         "message_not_owned_by_app"},
        {BOT2, "chat.appendStream", "channel=C0OURS&ts=1771100002.000100&markdown_text=x",
         "message_not_in_streaming_state"},
        {BOT2, "chat.appendStream", "channel=C0READ&ts=1771100006.000100&markdown_text=x",
         "restricted_action_read_only_channel"},
        {BOT2, "chat.appendStream", "channel=C0THREAD&ts=1771100007.000100&markdown_text=x",
         "restricted_action_thread_only_channel"},
        {BOT2, "chat.appendStream", "channel=C0FLAT&ts=1771100009.000100&markdown_text=x",
         "restricted_action_non_threadable_channel"},
        {BOT2, "chat.appendStream", "channel=C0OURS&ts=1771100011.000100&markdown_text=x",
         "restricted_action_thread_locked"},
        {BOT2, "chat.appendStream", "channel=C0OLD&ts=1771100013.000100&markdown_text=x",
         "is_archived"},
        {BOT2, "chat.stopStream", "channel=C0READ&ts=1771100006.000100",
         "restricted_action_read_only_channel"},
        {BOT2, "chat.stopStream", "channel=C0THREAD&ts=1771100007.000100",
         "restricted_action_thread_only_channel"},
        {BOT2, "chat.stopStream", "channel=C0FLAT&ts=1771100009.000100",
         "restricted_action_non_threadable_channel"},
        {BOT2, "chat.stopStream", "channel=C0OURS&ts=1771100011.000100",
         "restricted_action_thread_locked"},
        {BOT2, "chat.stopStream", "channel=C0OLD&ts=1771100013.000100", "is_archived"},
        {BEN, "chat.postMessage", "channel=C0OURS&text=x&thread_ts=1771100010.000100",
         "restricted_action_thread_locked"},
        {BEN, "reactions.add", "channel=C0OURS&timestamp=1771100010.000100&name=eyes",
         "thread_locked"},
        {BEN, "reactions.remove", "channel=C0OURS&timestamp=1771100010.000100&name=eyes",
         "thread_locked"},
        {BOT2, "chat.stopStream", "channel=C0NONE&ts=7.000000", "channel_not_found"},
        {BOT2, "chat.stopStream", "channel=C0OURS&ts=7.000000", "message_not_found"},
        {BOT2, "chat.stopStream", "channel=C0OURS&ts=1771100000.000100",
         "message_not_owned_by_app"},
    };
    check_rows(rows, SOSIA_LEN(rows));
}

static void marks_refuse(void **state)
{
    static const struct slack_row rows[] = {
        {BEN, "pins.add", "channel=C0OURS", "no_item_specified"},
        {BEN, "pins.add", "channel=C0OURS&timestamp=x", "bad_timestamp"},
        {BEN, "pins.add", "channel=C0NONE&" ONE, "channel_not_found"},
        {BEN, "pins.add", "channel=C0OURS&timestamp=7.000000", "message_not_found"},
        {BEN, "pins.list", "channel=C0NONE", "channel_not_found"},
        {BEN, "pins.remove", "channel=C0OURS", "no_item_specified"},
        {BEN, "pins.remove", "channel=C0OURS&timestamp=x", "bad_timestamp"},
        {BEN, "pins.remove", "channel=C0NONE&" ONE, "channel_not_found"},
        {BEN, "pins.remove", "channel=C0OURS&timestamp=7.000000", "message_not_found"},
        {BEN, "pins.remove", "channel=C0OURS&" ONE, "no_pin"},
        {BEN, "reactions.add", "channel=C0OLD&timestamp=1771100003.000100&name=eyes",
         "is_archived"},
        {BEN, "reactions.add", "channel=C0OURS&timestamp=&name=eyes", "no_item_specified"},
        {BEN, "reactions.add", "channel=C0OURS&" ONE "&name=no such", "invalid_name"},
        {BEN, "reactions.add", "channel=C0OURS&" ONE "&name=thumbs_up", "invalid_name"},
        {BEN, "reactions.get", "channel=C0OURS&timestamp=x", "bad_timestamp"},
        {BEN, "reactions.get", "channel=C0NONE&" ONE, "channel_not_found"},
        {BEN, "reactions.get", "channel=C0OURS&timestamp=7.000000", "message_not_found"},
        {BEN, "reactions.get", "x=1", "no_item_specified"},
        {BEN, "reactions.get", "file=F0NONE", "file_not_found"},
        {BEN, "reactions.get", "file_comment=Fc1", "file_comment_not_found"},
        {BEN, "reactions.remove", "name=eyes&channel=C0OURS&timestamp=x", "bad_timestamp"},
        {BEN, "reactions.remove", "name=eyes&channel=C0NONE&" ONE, "channel_not_found"},
        {BEN, "reactions.remove", "name=eyes&file_comment=Fc1", "file_comment_not_found"},
        {BEN, "reactions.remove", "name=eyes&file=F0NONE", "file_not_found"},
        {BEN, "reactions.remove", "name=&channel=C0OURS&" ONE, "invalid_name"},
        {BEN, "reactions.remove", "name=eyes&channel=C0OURS&timestamp=7.000000",
         "message_not_found"},
        {BEN, "reactions.remove", "name=eyes", "no_item_specified"},
        {BEN, "reactions.remove", "name=eyes&channel=C0OURS&" ONE, "no_reaction"},
        {BEN, "stars.add", "channel=C0OURS&timestamp=x", "bad_timestamp"},
        {BEN, "stars.add", "channel=C0NONE", "channel_not_found"},
        {BEN, "stars.add", "file_comment=Fc1", "file_comment_not_found"},
        {BEN, "stars.add", "file=F0NONE", "file_not_found"},
        {BEN, "stars.add", "channel=C0OURS&timestamp=7.000000", "message_not_found"},
        {BEN, "stars.add", "x=1", "no_item_specified"},
        {BEN, "stars.remove", "channel=C0OURS&timestamp=x", "bad_timestamp"},
        {BEN, "stars.remove", "channel=C0NONE", "channel_not_found"},
        {BEN, "stars.remove", "file_comment=Fc1", "file_comment_not_found"},
        {BEN, "stars.remove", "file=F0NONE", "file_not_found"},
        {BEN, "stars.remove", "channel=C0OURS&timestamp=7.000000", "message_not_found"},
        {BEN, "stars.remove", "x=1", "no_item_specified"},
        {BEN, "stars.remove", "channel=C0OURS&" ONE, "not_starred"},
        {BEN, "bookmarks.add", "channel_id=C0NONE&title=x&type=link&link=https://a.example",
         "channel_not_found"},
        {BEN, "bookmarks.add", "channel_id=C0ANNS&title=x&type=link&link=https://a.example",
         "permission_denied"},
        {BEN, "bookmarks.add", "channel_id=C0OURS&title=x&type=link&link=ftp://a.example",
         "invalid_link"},
        {BEN, "bookmarks.add",
         "channel_id=C0OURS&title=x&type=link&link=https://a.example&emoji=A b", "invalid_emoji"},
        {BEN, "bookmarks.add", "channel_id=C0OURS&title=x&type=odd", "invalid_bookmark_type"},
        {BEN, "bookmarks.edit", "channel_id=C0NONE&bookmark_id=Bk1", "channel_not_found"},
        {BEN, "bookmarks.edit", "channel_id=C0OURS&bookmark_id=Bk1", "not_found"},
        {BEN, "bookmarks.list", "channel_id=C0NONE", "channel_not_found"},
        {BEN, "bookmarks.remove", "channel_id=C0NONE&bookmark_id=Bk1", "channel_not_found"},
        {BEN, "bookmarks.remove", "channel_id=C0OURS&bookmark_id=Bk1", "not_found"},
    };
    check_rows(rows, SOSIA_LEN(rows));
}

static void people_refuse(void **state)
{
    static const struct slack_row rows[] = {
        {BEN, "dnd.info", "user=U0NONE", "user_not_found"},
        {BEN, "dnd.setSnooze", "num_minutes=99999999", "too_long"},
        {BEN, "dnd.setSnooze", "num_minutes=0", "missing_duration"},
        {BEN, "dnd.teamInfo", "users=", "no_users_provided"},
        {BEN, "reminders.add", "text=x&time=1771189200&user=U0DEPLOY", "cannot_add_bot"},
        {BEN, "reminders.add", "text=x&time=1771189200&user=USLACKBOT", "cannot_add_slackbot"},
        {BEN, "reminders.add", "text=x&time=1771189200&user=U0NONE", "user_not_found"},
        {BEN, "reminders.add", "text=x&time=1771189200&user=U0A", "cannot_add_others"},
        {BEN, "reminders.add", "text=x&time=every day at 9am&user=U0A",
         "cannot_add_others_recurring"},
        {BEN, "reminders.add", "text=x&time=whenever", "cannot_parse"},
        {BEN, "reminders.complete", "reminder=Rm1", "not_found"},
        {BEN, "reminders.delete", "reminder=Rm1", "not_found"},
        {BEN, "reminders.info", "reminder=Rm1", "not_found"},
        {ANN, "usergroups.create", "name=B&handle=A b", "bad_handle"},
        {ANN, "usergroups.create", "name=B&handle=here", "forbidden_handle"},
        {ANN, "usergroups.create", "name=B&description={n141}", "description_too_long"},
        {ANN, "usergroups.create", "name=", "missing_subteam_name"},
        {ANN, "usergroups.create", "name={n256}", "name_too_long"},
        {ANN, "usergroups.create", "name=A", "name_already_exists"},
        {ANN, "usergroups.create", "name=B&handle=ann", "handle_already_exists"},
        {GUS, "usergroups.create", "name=B", "permission_denied"},
        {GUS, "usergroups.update", "usergroup=S0A&name=B", "permission_denied"},
        {ANN, "usergroups.users.update", "usergroup=S0A&users=U0D", "invalid_users"},
        {ANN, "usergroups.users.update", "usergroup=S0NONE&users=U0A", "no_such_subteam"},
        {BEN, "users.info", "user=U0NONE", "user_not_found"},
        {GUS, "users.info", "user=U0IDLE2", "user_not_found"},
        {BEN, "users.lookupByEmail", "email=d@x.example", "users_not_found"},
        {BEN, "users.profile.get", "user=U0NONE", "user_not_found"},
        {BEN, "users.setPresence", "presence=x", "invalid_presence"},
        {BEN, "bots.info", "bot=B0NONE", "bot_not_found"},
        {BEN, "team.info", "team=T0NONE", "team_not_found"},
        {BEN, "search.all", "query=", "no_query"},
        {BEN, "search.files", "query=", "no_query"},
        {BEN, "search.messages", "query=", "no_query"},
        {BEN, "assistant.search.context", "query=x&cursor=x", "invalid_cursor"},
    };
    check_rows(rows, SOSIA_LEN(rows));
}

static void files_refuse(void **state)
{
    static const struct slack_row rows[] = {
        {BEN, "files.info", "file=F0NONE", "file_not_found"},
        {BEN, "files.info", "file=F0LIST0", "file_not_found"},
        {BEN, "files.delete", "file=F0NONE", "file_not_found"},
        {GUS, "files.delete", "file=F0HIS", "file_not_found"},
        {BEN, "files.list", "types=odd", "unknown_type"},
        {BEN, "files.list", "user=U0NONE", "user_not_found"},
        {BEN, "files.getUploadURLExternal", "filename=a.txt&length=0", "missing_argument"},
        {BEN, "files.getUploadURLExternal", "filename=a.txt&length=99999999999",
         "file_upload_size_restricted"},
        {BEN, "files.getUploadURLExternal", "filename=a.png&length=1&alt_txt={n1001}",
         "alt_txt_too_large"},
        {BEN, "files.getUploadURLExternal", "filename=a.txt&length=2000000&snippet_type=text",
         "snippet_too_large"},
        {BEN, "files.getUploadURLExternal", "filename=a.txt&length=1&snippet_type=odd",
         "unknown_snippet_type"},
        {BEN, "files.completeUploadExternal", "files=[{\"id\":\"F0NONE\"}]", "file_not_found"},
        {BEN, "files.revokePublicURL", "file=F0NONE", "file_not_found"},
        {BEN, "files.sharedPublicURL", "file=F0NONE", "file_not_found"},
        {BEN, "files.upload", "content=x", "method_deprecated"},
        {BEN, "canvases.access.set", "canvas_id=F0CANVAS&access_level=read&user_ids=[\"U0NONE\"]",
         "user_not_found"},
        {BEN, "canvases.access.set",
         "canvas_id=F0CANVAS&access_level=read&channel_ids=[\"C0NONE\"]", "channel_not_found"},
        {BEN, "canvases.access.set", "canvas_id=F0CANVAS&access_level=read", "invalid_parameters"},
        {BEN, "canvases.access.set", "canvas_id=F0CANVAS&access_level=read&user_ids=[\"U0G\"]",
         "restricted_action"},
        {BEN, "canvases.access.delete", "canvas_id=F0CANVAS&user_ids=[\"U0NONE\"]",
         "user_not_found"},
        {BEN, "canvases.access.delete", "canvas_id=F0CANVAS&channel_ids=[\"C0NONE\"]",
         "channel_not_found"},
        {BEN, "canvases.access.delete", "canvas_id=F0CANVAS&user_ids=[\"U0A\"]",
         "restricted_action"},
        {BEN, "canvases.access.delete", "canvas_id=F0NONE&user_ids=[\"U0A\"]", "canvas_not_found"},
        {GUS, "canvases.create", "title=x", "restricted_action"},
        {BEN, "canvases.delete", "canvas_id=F0NONE", "canvas_not_found"},
        {BEN, "canvases.edit",
         "canvas_id=F0CANVAS&changes=[{\"operation\":\"insert_at_end\",\"document_content\":"
         "{\"type\":\"markdown\",\"markdown\":\"x\"}}]",
         "restricted_action"},
        {GUS, "slackLists.access.set", "list_id=F0LIST&access_level=read&user_ids=[\"U0A\"]",
         "list_not_found"},
        {BEN, "slackLists.access.set", "list_id=F0LIST&access_level=read&user_ids=[\"U0G\"]",
         "restricted_action"},
        {BEN, "slackLists.access.set", "list_id=F0LIST&access_level=read&user_ids=[\"U0NONE\"]",
         "user_not_found"},
        {BEN, "slackLists.access.set", "list_id=F0LIST&access_level=read&channel_ids=[\"C0NONE\"]",
         "channel_not_found"},
        {ANN, "slackLists.access.set", "list_id=F0LIST&access_level=read&user_ids=[\"U0A\"]",
         "failed_to_update_user_ids"},
        {BEN, "slackLists.access.delete", "list_id=F0LIST&user_ids=[\"U0NONE\"]", "user_not_found"},
        {BEN, "slackLists.access.delete", "list_id=F0LIST&user_ids=[\"U0A\"]", "restricted_action"},
        {BEN, "slackLists.download.get", "list_id=F0NONE&job_id=LeF1", "list_not_found"},
        {BEN, "slackLists.download.start", "list_id=F0NONE", "list_not_found"},
        {BEN, "slackLists.items.delete", "list_id=F0NONE&id=Rec1", "list_not_found"},
        {BEN, "slackLists.items.deleteMultiple", "list_id=F0NONE&ids=[\"Rec1\"]", "list_not_found"},
        {BEN, "slackLists.items.info", "list_id=F0NONE&id=Rec1", "list_not_found"},
        {ANN, "slackLists.items.update", "list_id=F0LIST&cells=[{\"column_id\":\"Col0T\"}]",
         "row_id_not_provided"},
        {ANN, "slackLists.items.update", "list_id=F0LIST&cells=[{\"row_id\":\"Rec0A\"}]",
         "column_id_not_provided"},
        {ANN, "slackLists.items.update",
         "list_id=F0LIST&cells=[{\"row_id\":\"Rec0A\",\"column_id\":\"ColX\",\"rich_text\":[]}]",
         "invalid_column_id"},
        {ANN, "slackLists.create", "name=x&schema=7", "invalid_schema"},
        {ANN, "slackLists.create",
         "name=x&schema=[{\"key\":\"a\",\"name\":\"A\",\"type\":\"odd\",\"is_primary_column\":true}"
         "]",
         "invalid_column_type"},
        {ANN, "slackLists.create", "name=x&schema=[]&copy_from_list_id=F0LIST",
         "invalid_copy_and_schema_args"},
        {ANN, "slackLists.create", "name=x&include_copied_list_records=true",
         "missing_arg_copy_from_list_id"},
        {ANN, "slackLists.update", "id=F0LIST&name={n256}", "over_title_length_maximum"},
        {BEN, "slackLists.items.update",
         "list_id=F0NONE&cells=[{\"row_id\":\"R\",\"column_id\":\"C\"}]", "list_not_found"},
        {BEN, "slackLists.items.update",
         "list_id=F0LIST&cells=[{\"row_id\":\"Rec0A\",\"column_id\":\"Col0T\"}]",
         "permission_denied"},
    };
    check_rows(rows, SOSIA_LEN(rows));
}

static void connections_and_calls_refuse(void **state)
{
    static const struct slack_row rows[] = {
        {BOT2, "conversations.inviteShared", "channel=C0NONE&emails=z@y.example",
         "channel_not_found"},
        {BOT2, "conversations.inviteShared", "channel=C0OLD&emails=z@y.example",
         "channel_archived"},
        {BOT2, "conversations.inviteShared", "channel=C0GENERAL&emails=z@y.example",
         "cannot_share_mandatory_channel"},
        {BOT2, "conversations.inviteShared", "channel=C0ANNS&emails=z@y.example", "not_in_channel"},
        {BOT2, "conversations.inviteShared", "channel=C0OURS", "recipients_not_specified"},
        {BOT2, "conversations.inviteShared", "channel=C0OURS&emails=z@y.example,w@y.example",
         "too_many_emails"},
        {BOT2, "conversations.inviteShared", "channel=C0OURS&emails=z", "invalid_email"},
        {BOT2, "conversations.inviteShared", "channel=C0OURS&user_ids=U0NONE", "user_not_found"},
        {BOT2, "conversations.acceptSharedInvite", "channel_name=x&invite_id=I0NONE",
         "invite_not_found"},
        {BOT2, "conversations.approveSharedInvite", "invite_id=I0NONE", "invite_not_found"},
        {BOT2, "conversations.declineSharedInvite", "invite_id=I0NONE", "invite_not_found"},
        {BOT2, "conversations.requestSharedInvite.approve", "invite_id=I0NONE", "invite_not_found"},
        {BOT2, "conversations.requestSharedInvite.deny", "invite_id=I0NONE", "invite_not_found"},
        {BEN, "calls.add", "external_unique_id=1&join_url=https://a.example&date_start=x",
         "invalid_start_time"},
        {BEN, "calls.add",
         "external_unique_id=1&join_url=https://a.example&users=[{\"slack_id\":\"U0NONE\"}]",
         "user_not_found"},
        {BEN, "calls.end", "id=R0NONE", "invalid_call_id"},
        {BEN, "calls.update", "id=R0NONE", "invalid_call_id"},
        {BEN, "calls.info", "id=R0NONE", "invalid_call_id"},
        {BEN, "calls.participants.add", "id=R0NONE&users=[{\"slack_id\":\"U0B\"}]",
         "invalid_call_id"},
        {BEN, "calls.participants.remove", "id=R0NONE&users=[{\"slack_id\":\"U0B\"}]",
         "invalid_call_id"},
        {BOT2, "assistant.threads.setStatus",
         "channel_id=C0NONE&thread_ts=1771100000.000100&status=x", "channel_not_found"},
        {BOT2, "assistant.threads.setStatus", "channel_id=C0OURS&thread_ts=7.000000&status=x",
         "invalid_thread_ts"},
        {BOT2, "assistant.threads.setTitle",
         "channel_id=C0NONE&thread_ts=1771100000.000100&title=x", "channel_not_found"},
        {BOT2, "assistant.threads.setTitle", "channel_id=C0OURS&thread_ts=7.000000&title=x",
         "invalid_thread_ts"},
        {BOT2, "assistant.threads.setSuggestedPrompts",
         "channel_id=C0NONE&thread_ts=1771100000.000100&prompts=[{\"title\":\"a\",\"message\":"
         "\"b\"}]",
         "channel_not_found"},
        {BOT2, "agents.sessions.setStatus",
         "channel_id=C0OURS&thread_ts=1771100000.000100&status=x", "invalid_status"},
        {BOT2, "agents.sessions.setStatus",
         "channel_id=C0NONE&thread_ts=1771100000.000100&status=active", "channel_not_found"},
        {BOT2, "agents.sessions.setStatus",
         "channel_id=C0ANNS&thread_ts=1771100000.000100&status=active", "not_authorized"},
        {BOT2, "agents.sessions.setStatus", "channel_id=C0OURS&status=active",
         "thread_ts_required"},
        {BOT2, "agents.sessions.rename", "channel_id=C0NONE&thread_ts=1771100000.000100&title=x",
         "channel_not_found"},
        {BOT2, "agents.sessions.rename", "channel_id=C0OURS&thread_ts=1771100000.000100&title=x",
         "session_not_found"},
        {BOT2, "views.open",
         "trigger_id=1.2.c0ffee&view={\"type\":\"modal\",\"title\":{\"type\":"
         "\"plain_text\",\"text\":\"x\"},\"blocks\":[]}",
         "invalid_trigger_id"},
        {BOT2, "views.update",
         "view_id=V0NONE&view={\"type\":\"modal\",\"title\":{\"type\":"
         "\"plain_text\",\"text\":\"x\"},\"blocks\":[]}",
         "not_found"},
    };
    check_rows(rows, SOSIA_LEN(rows));
}

static void what_is_switched_off_refuses(void **state)
{
    static const struct slack_row rows[] = {
        {ANN, "canvases.access.set", "canvas_id=F0CANVAS&access_level=read&user_ids=[\"U0B\"]",
         "canvas_disabled_user_team"},
        {ANN, "canvases.access.delete", "canvas_id=F0CANVAS&user_ids=[\"U0B\"]",
         "canvas_disabled_user_team"},
        {ANN, "canvases.edit",
         "canvas_id=F0CANVAS&changes=[{\"operation\":\"delete\",\"section_id\":\"x\"}]",
         "canvas_disabled_user_team"},
        {ANN, "canvases.create", "title=x", "canvas_disabled_user_team"},
        {ANN, "canvases.delete", "canvas_id=F0CANVAS", "canvas_deleting_disabled"},
        {ANN, "canvases.sections.lookup", "canvas_id=F0CANVAS&criteria={}",
         "canvas_disabled_user_team"},
        {ANN, "conversations.canvases.create", "channel_id=C0OURS", "canvas_disabled_user_team"},
        {ANN, "files.info", "file=F0CANVAS", "canvas_globally_disabled"},
        {ANN, "slackLists.access.set", "list_id=F0LIST&access_level=read&user_ids=[\"U0B\"]",
         "lists_disabled_user_team"},
        {ANN, "slackLists.access.delete", "list_id=F0LIST&user_ids=[\"U0B\"]",
         "lists_disabled_user_team"},
        {BOT2, "conversations.inviteShared", "channel=C0OURS&emails=z@y.example",
         "restricted_action"},
    };
    static const struct slack_row poor[] = {
        {BOT2, "conversations.inviteShared", "channel=C0OURS&emails=z@y.example", "not_paid"},
        {BOT2, "conversations.acceptSharedInvite", "channel_name=x&invite_id=I0NONE", "not_paid"},
        {BOT2, "conversations.approveSharedInvite", "invite_id=I0NONE", "not_paid"},
        {BOT2, "conversations.declineSharedInvite", "invite_id=I0NONE", "not_paid"},
        {ANN, "usergroups.disable", "usergroup=S0A", "plan_upgrade_required"},
        {ANN, "usergroups.enable", "usergroup=S0A", "plan_upgrade_required"},
        {ANN, "usergroups.users.update", "usergroup=S0A&users=U0A", "plan_upgrade_required"},
        {ANN, "team.accessLogs", "x=1", "paid_only"},
        {ANN, "canvases.create", "title=x", "free_teams_cannot_create_non_tabbed_canvases"},
        {ANN, "canvases.edit",
         "canvas_id=F0CANVAS&changes=[{\"operation\":\"insert_at_end\",\"document_content\":"
         "{\"type\":\"markdown\",\"markdown\":\"x\"}}]",
         "free_teams_cannot_edit_standalone_canvases"},
    };
    check_in(
        "plus, settings: {canvas_disabled: true, lists_disabled: true, connect_disabled: true}",
        rows, SOSIA_LEN(rows));
    check_in("free", poor, SOSIA_LEN(poor));
}

static void who_signs_in_is_refused(void **state)
{
    static const struct slack_row rows[] = {
        {NULL, "oauth.access", "client_id=9.9&client_secret=s&code=x", "invalid_client_id"},
        {NULL, "oauth.access", "client_id=1.2&client_secret=x&code=x", "bad_client_secret"},
        {NULL, "oauth.access", "client_id=1.2&client_secret=s&code=x", "invalid_code"},
        {NULL, "oauth.v2.access", "client_id=9.9&client_secret=s&code=x", "invalid_client_id"},
        {NULL, "oauth.v2.access", "client_id=1.2&client_secret=x&code=x", "bad_client_secret"},
        {NULL, "oauth.v2.access", "client_id=1.2&client_secret=s&code=x", "invalid_code"},
        {NULL, "oauth.v2.access", "client_id=1.2&client_secret=s&grant_type=x&code=x",
         "invalid_grant_type"},
        {NULL, "oauth.v2.access",
         "client_id=1.2&client_secret=s&grant_type=refresh_token&refresh_token=x",
         "invalid_refresh_token"},
        {NULL, "oauth.v2.user.access", "client_id=9.9&client_secret=s&code=x", "invalid_client_id"},
        {NULL, "oauth.v2.user.access", "client_id=1.2&client_secret=x&code=x", "bad_client_secret"},
        {NULL, "oauth.v2.user.access", "client_id=1.2&client_secret=s&code=x", "invalid_code"},
        {NULL, "oauth.v2.user.access", "client_id=1.2&client_secret=s&grant_type=x&code=x",
         "invalid_grant_type"},
        {NULL, "oauth.v2.user.access",
         "client_id=1.2&client_secret=s&grant_type=refresh_token&refresh_token=x",
         "invalid_refresh_token"},
        {NULL, "openid.connect.token", "client_id=9.9&client_secret=s&code=x", "invalid_client_id"},
        {NULL, "openid.connect.token", "client_id=1.2&client_secret=x&code=x", "bad_client_secret"},
        {NULL, "openid.connect.token", "client_id=1.2&client_secret=s&code=x", "invalid_code"},
        {NULL, "openid.connect.token", "client_id=1.2&client_secret=s&grant_type=x&code=x",
         "invalid_grant_type"},
        {NULL, "openid.connect.token",
         "client_id=1.2&client_secret=s&grant_type=refresh_token&refresh_token=x",
         "invalid_refresh_token"},
        {BOT2, "oauth.v2.exchange", "client_id=9.9&client_secret=s", "invalid_client_id"},
        {BOT2, "oauth.v2.exchange", "client_id=1.2&client_secret=x", "bad_client_secret"},
        {BOT2, "apps.uninstall", "client_id=9.9&client_secret=s", "invalid_client_id"},
        {BOT2, "apps.uninstall", "client_id=1.2&client_secret=x", "bad_client_secret"},
    };
    check_rows(rows, SOSIA_LEN(rows));
}

/* Neither method gives somebody who has left a token. */
static void who_has_left_gets_no_token(void **state)
{
    static const struct slack_row rows[] = {
        {NULL, "openid.connect.token",
         "grant_type=refresh_token&client_id=1.2&client_secret=s&refresh_token=xoxe-1-abcdefgh",
         "invalid_refresh_token"},
        {NULL, "oauth.v2.access",
         "grant_type=refresh_token&client_id=1.2&client_secret=s&refresh_token=xoxe-1-abcdefgh",
         "invalid_refresh_token"},
    };
    test_use(arena_printf(&test_arena,
                          "%schatGrants: [{app: '1.2', user: U0D, token: "
                          "xoxe-1-abcdefgh, scopes: openid}]\n",
                          arena_printf(&test_arena, WORLD, "plus")));
    slack_refuse(rows, sizeof rows / sizeof *rows);
}

/* Where nobody may post nobody shares a file. */
static void files_are_shared_where_one_may_post(void **state)
{
    static const struct slack_row rows[] = {
        {"deploybot", "files.remote.share", "external_id=x&channels=C0READ",
         "posting_to_channel_denied"},
        {"deploybot", "files.remote.share", "external_id=x&channels=C0THREAD",
         "posting_to_channel_denied"},
        {"deploybot", "files.remote.share", "external_id=x&channels=C0OLD",
         "posting_to_channel_denied"},
        {"deploybot", "files.remote.share", "external_id=x&channels=U0D", "channel_not_found"},
    };
    test_use(arena_printf(&test_arena, WORLD, "plus"));
    slack("deploybot", "files.remote.add", "external_id=x&title=X&external_url=https://x.example/");
    assert_slack(NULL);
    slack_refuse(rows, sizeof rows / sizeof *rows);
    slack("deploybot", "files.remote.share", "external_id=x&channels=C0FLAT");
    assert_slack(NULL);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        slack_test(channels_refuse),
        slack_test(messages_refuse),
        slack_test(marks_refuse),
        slack_test(people_refuse),
        slack_test(what_is_switched_off_refuses),
        slack_test(who_signs_in_is_refused),
        slack_test(connections_and_calls_refuse),
        slack_test(files_refuse),
        slack_test(files_are_shared_where_one_may_post),
        slack_test(who_has_left_gets_no_token),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
