/* SPDX-License-Identifier: Apache-2.0 */
/* What methods leave in a workspace is in its dump, comes back from it, and is named by diffs. */
#include "tests/support/slack.h"
#include <stdlib.h>

#define SECTIONS                                                                                   \
    "profileFields:\n"                                                                             \
    "  - {id: Xf0TEAM, place: 1, label: Team, hint: Which, type: options_list, options: [Red],\n"  \
    "     hidden: true}\n"                                                                         \
    "chatEmoji: [{name: ship, url: 'https://x.example/s.png', user: U0BOB},\n"                     \
    "  {name: boat, alias: ship}]\n"                                                               \
    "userGroups: [{id: S0OPS, name: Ops, handle: ops, channels: [dev], users: [bob],\n"            \
    "  description: All, creator: U0ALICE, disabled: 1771100000, disabler: U0BOB}]\n"              \
    "messages: [{channel: dev, from: U0BOB, ts: '1771100000.000100', text: Old}]\n"                \
    "chatFiles: [{id: F0PLAN, user: U0BOB, name: plan.txt, content: Plan, app: '1.2', secret: "    \
    "0a1b2c3d4e,\n"                                                                                \
    "  reactions: [{name: eyes, by: [U0CAROL, U0BOB], at: [1771100001, 1771100002]}]},\n"          \
    "  {id: F0CANVAS, user: U0BOB, name: canvas, mode: document},\n"                               \
    "  {id: F0LIST, user: U0BOB, name: list, title: Tasks, mode: list}]\n"                         \
    "chatLists: [{file: F0LIST, columns: [{id: Col0A, key: a, name: A, type: text, primary: "      \
    "true},\n"                                                                                     \
    "  {id: Col0B, key: b, name: B, type: number}], todo: true,\n"                                 \
    "  items: [{id: Rec0ONE, fields: [{column: Col0B, values: [1]}]}, {id: Rec0TWO, parent: "      \
    "Rec0ONE,\n"                                                                                   \
    "  archived: true}, {id: Rec0GONE, deleted: true}], exports: [{id: Le0ONE, at_us: 1}],\n"      \
    "  access: [{user: U0BOB, level: owner}, {channel: dev, level: write}]}]\n"                    \
    "chatCalls: [{id: R0CALL, app: '1.2', external_id: x, url: 'https://x.example', creator: "     \
    "U0BOB,\n"                                                                                     \
    "  end: 1771185600, people: [{user: U0BOB}, {external: y, name: Y}]}]\n"                       \
    "assistantThreads: [{channel: dev, thread: '1771100000.000100', app: '1.2', status: thinks,\n" \
    "  set: '1771100000.000100', prompts: [{title: a, message: b}]}]\n"                            \
    "chatLogins: [{user: U0BOB, first: 1771100000, last: 1771100500, count: 3, ip: 192.0.2.1,\n"   \
    "  agent: Browser}]\n"                                                                         \
    "chatAppLogs: [{app: '1.2', user: U0ALICE, at: 1771100000, change: removed}]\n"                \
    "canvases: [{file: F0CANVAS, channel: dev, main: true, markdown: \"# Head\\n\\n- a\\n- b\",\n" \
    "  access: [{user: U0BOB, level: owner}, {channel: dev, level: write}]}]\n"                    \
    "bookmarks: [{id: Bk0OLD, channel: dev, title: Old, link: 'https://x.example', app: '1.2'}]\n" \
    "chatStars: [{user: U0BOB, file: F0PLAN, created: 1771100000},\n"                              \
    "  {user: U0BOB, channel: dev, ts: '1771100000.000100'}]\n"                                    \
    "chatReminders: [{id: Rm0DONE, user: U0BOB, creator: U0ALICE, text: Done, at: "                \
    "'2026-02-14T09:00',\n"                                                                        \
    "  complete: 1771100000, channel: dev}]\n"                                                     \
    "scheduledMessages: [{id: Q0LATER, channel: dev, from: U0BOB, at: tomorrow 10:00,\n"           \
    "  message: {text: Later, blocks: [{type: divider}], thread: 1771100000000100}}]\n"            \
    "chatQuiet: [{user: U0CAROL, enabled: true, from: 1320, to: 480, forever: true}]\n"            \
    "chatApps:\n"                                                                                  \
    "  - {client_id: '7.8', client_secret: shh, signing_secret: t0p, id: A0FORM, owner: "          \
    "U0ALICE,\n"                                                                                   \
    "     icon: 'https://x.example/i.png', distributed: true, endpoint: {enabled: false, failed: " \
    "3},\n"                                                                                        \
    "     manifest: {display_information: {name: Forms, description: Asks},\n"                     \
    "       features: {bot_user: {display_name: Formbot}, slash_commands: [{command: /form,\n"     \
    "         description: Ask, url: 'https://f.example/c'}]},\n"                                  \
    "       oauth_config: {redirect_urls: ['https://f.example/back'],\n"                           \
    "         scopes: {bot: ['commands', 'app_mentions:read']}},\n"                                \
    "       settings: {event_subscriptions: {request_url: 'https://f.example/e',\n"                \
    "         bot_events: [app_mention]}}}}\n"                                                     \
    "  - {client_id: '1.2', settings: {events_url: 'https://d.example/e', bot_events: "            \
    "[message]}}\n"                                                                                \
    "chatGrants: [{app: '1.2', user: U0DEPLOY, token: xoxe-1-old, expires: 1800000000}]\n"         \
    "chatWebhooks: [{id: B0HOOK, app: '1.2', channel: dev, user: U0BOB, secret: s3cr3tHook}]\n"

static char *dump_of(uint64_t world)
{
    struct sosia_blob blob;
    struct sosia_err err;
    if (sosia_world_dump(test_engine, world, &blob, &err) < 0)
        fail_msg("%s", err.text);
    return (char *)blob.data;
}

static void assert_same_dump(uint64_t world, const char *dump)
{
    char *other = dump_of(world);
    if (strcmp(other, dump) != 0)
        fail_msg("%s\n---- but before:\n%s", other, dump);
    free(other);
}

static uint64_t fork_of(uint64_t world)
{
    struct sosia_err err;
    uint64_t fork;
    if (sosia_world_fork(test_engine, world, NULL, &fork, &err) < 0)
        fail_msg("%s", err.text);
    return fork;
}

static uint64_t world_of(const char *dump)
{
    struct sosia_world_options opt = {.seed_doc = dump, .seed_doc_len = strlen(dump)};
    struct sosia_err err;
    uint64_t world;
    if (sosia_world_create(test_engine, &opt, &world, &err) < 0)
        fail_msg("%s\n%s", err.text, dump);
    return world;
}

/* The diff from a world has a thing of that kind and, if it is said, a text. */
static void assert_diff(uint64_t before, const char *entity, const char *text)
{
    struct sosia_blob diff;
    struct sosia_err err;
    assert_int_equal(sosia_world_diff(test_engine, before, test_world, &diff, &err), 0);
    if (!strstr(diff.data, arena_printf(&test_arena, "\"%s\"", entity)) ||
        (text && !strstr(diff.data, text)))
        fail_msg("expected %s %s: %s", entity, text ? text : "", diff.data);
    sosia_blob_free(&diff);
    assert_int_equal(sosia_world_drop(test_engine, before, &err), 0);
}

/* A method, after which a diff names what it left. */
static const struct json *leaves(const char *who, const char *method, const char *form,
                                 const char *entity, const char *text)
{
    uint64_t before = fork_of(test_world);
    const struct json *v = slack(who, method, "%s", form);
    assert_slack(NULL);
    assert_diff(before, entity, text);
    return v;
}

#define FORM(...) arena_printf(&test_arena, __VA_ARGS__)

static void leave_notes(void)
{
    const struct json *v = leaves(ALICE, "bookmarks.add",
                                  "channel_id=" DEV "&title=Plan&type=link&link=https://x.example"
                                  "&emoji=:clap:",
                                  "bookmark", "Plan");
    const char *id = text_at(v, "bookmark.id");
    test_advance(60);
    leaves(BOB, "bookmarks.edit", FORM("channel_id=" DEV "&bookmark_id=%s&title=New", id),
           "bookmark", "New");
    leaves(BOB, "bookmarks.remove", "channel_id=" DEV "&bookmark_id=Bk0OLD", "bookmark", "Bk0OLD");
    v = leaves(BOB, "reminders.add", "text=Drink&time=in 5 minutes", "chatReminder", "Drink");
    leaves(BOB, "reminders.complete", FORM("reminder=%s", text_at(v, "reminder.id")),
           "chatReminder", "complete");
    leaves(ALICE, "reminders.add", "text=Eat&time=tomorrow", "chatReminder", "Eat");
    leaves(BOB, "reminders.delete", "reminder=Rm0DONE", "chatReminder", "Rm0DONE");
}

static void leave_marks(void)
{
    const struct json *v = slack(ALICE, "chat.postMessage", "channel=" DEV "&text=Hello");
    const char *at = FORM("channel=" DEV "&timestamp=%s", text_at(v, "ts"));
    test_advance(60);
    leaves(BOB, "stars.add", at, "chatStar", text_at(v, "ts"));
    leaves(ALICE, "stars.add", "channel=" DEV, "chatStar", "C0DEV");
    leaves(BOB, "stars.remove", "channel=" DEV "&timestamp=1771100000.000100", "chatStar",
           "1771100000.000100");
    leaves(BOB, "pins.add", at, "chatMessage", "pinned_at");
    leaves(BOB, "reactions.add", FORM("%s&name=eyes", at), "chatMessage", "eyes");
    test_advance(60);
    slack(ALICE, "pins.add", "channel=" DEV "&timestamp=1771100000.000100");
    leaves(BOB, "reactions.add", "channel=" DEV "&timestamp=1771100000.000100&name=ship",
           "chatMessage", "1771185780");
    leaves(ALICE, "reactions.add", "channel=" DEV "&timestamp=1771100000.000100&name=eyes",
           "chatMessage", NULL);
    leaves(BOB, "reactions.remove", "file=F0PLAN&name=eyes", "chatFile", "F0PLAN");
}

static void leave_lists(void)
{
    const struct json *v = leaves(ALICE, "slackLists.create", "name=Mine", "chatList", NULL);
    leaves(ALICE, "slackLists.items.create", FORM("list_id=%s", text_at(v, "list_id")), "chatList",
           "Rec");
    leaves(ALICE, "slackLists.items.update",
           "list_id=F0LIST&cells=[{\"row_id\":\"Rec0ONE\",\"column_id\":\"Col0B\",\"number\":"
           "[42]}]",
           "chatList", "42");
    leaves(BOB, "slackLists.download.start", "list_id=F0LIST", "chatList", "Le");
    leaves(BOT, "calls.add",
           "external_unique_id=z&join_url=https://z.example&created_by=U0BOB&title=Talk",
           "chatCall", "Talk");
    leaves(BOT, "assistant.threads.setStatus",
           "channel_id=" DEV "&thread_ts=1771100000.000100&status=writes", "assistantThread",
           "writes");
    leaves(BOT, "agents.sessions.setStatus",
           "channel_id=" DEV "&thread_ts=1771100000.000100&status=active&title=Trip", "chatMessage",
           "Trip");
}

static void leave_canvases(void)
{
    leaves(ALICE, "canvases.create",
           "title=Plan&document_content={\"type\":\"markdown\",\"markdown\":\"# Plan\"}", "canvas",
           "Plan");
    leaves(ALICE, "canvases.edit",
           "canvas_id=F0CANVAS&changes=[{\"operation\":\"insert_at_end\",\"document_content\":"
           "{\"type\":\"markdown\",\"markdown\":\"Last\"}}]",
           "canvas", "Last");
    leaves(BOB, "canvases.access.set", "canvas_id=F0CANVAS&access_level=read&user_ids=U0CAROL",
           "canvas", "U0CAROL");
}

static void leave_groups(void)
{
    const struct json *v =
        leaves(ALICE, "usergroups.create", "name=Marketing&handle=mkt&channels=" DEV, "userGroup",
               "Marketing");
    const char *id = text_at(v, "usergroup.id");
    leaves(ALICE, "usergroups.users.update", FORM("usergroup=%s&users=U0BOB,U0ALICE", id),
           "userGroup", "U0BOB");
    leaves(BOB, "usergroups.update", FORM("usergroup=%s&description=Sells", id), "userGroup",
           "Sells");
    leaves(BOB, "usergroups.disable", FORM("usergroup=%s", id), "userGroup", "disabled");
    leaves(BOB, "usergroups.enable", "usergroup=S0OPS", "userGroup", "S0OPS");
}

static void leave_times(void)
{
    leaves(BOB, "dnd.setSnooze", "num_minutes=60", "chatQuiet", "snooze");
    leaves(CAROL, "dnd.endSnooze", "", "chatQuiet", "U0CAROL");
    leaves(BOT, "chat.scheduleMessage", "channel=" DEV "&text=Soon&post_at=1771200000",
           "scheduledMessage", "Soon");
    const struct json *v =
        leaves(ALICE, "chat.scheduleMessage", "channel=" DEV "&text=No&post_at=1771200000",
               "scheduledMessage", NULL);
    leaves(ALICE, "chat.deleteScheduledMessage",
           FORM("channel=" DEV "&scheduled_message_id=%s", text_at(v, "scheduled_message_id")),
           "scheduledMessage", NULL);
}

static void leave_everything(void)
{
    slack_use_with(SECTIONS);
    leave_notes();
    leave_marks();
    leave_groups();
    leave_canvases();
    leave_lists();
    leave_times();
    leaves(ALICE, "conversations.open", "users=USLACKBOT", "channel", "USLACKBOT");
}

/* Answers to all that speaks of it. */
static const char *answers(void)
{
    static const char *const asked[][3] = {
        {BOB, "bookmarks.list", "channel_id=" DEV},
        {BOB, "reminders.list", ""},
        {ALICE, "reminders.list", ""},
        {BOB, "stars.list", ""},
        {ALICE, "stars.list", ""},
        {BOB, "pins.list", "channel=" DEV},
        {BOB, "reactions.list", ""},
        {BOB, "reactions.get", "file=F0PLAN"},
        {BOB, "files.info", "file=F0PLAN"},
        {BOB, "files.info", "file=F0CANVAS"},
        {CAROL, "files.info", "file=F0CANVAS"},
        {BOB, "conversations.info", "channel=" DEV},
        {BOB, "canvases.sections.lookup", "canvas_id=F0CANVAS&criteria={\"contains_text\":\"a\"}"},
        {BOB, "slackLists.items.list", "list_id=F0LIST"},
        {BOB, "slackLists.items.info", "list_id=F0LIST&id=Rec0ONE"},
        {BOT, "calls.info", "id=R0CALL"},
        {ALICE, "team.accessLogs", ""},
        {ALICE, "team.integrationLogs", ""},
        {BOB, "dnd.info", ""},
        {CAROL, "dnd.info", ""},
        {BOT, "chat.scheduledMessages.list", ""},
        {BOB, "chat.scheduledMessages.list", ""},
        {BOB, "team.profile.get", ""},
        {BOB, "emoji.list", ""},
        {BOB, "usergroups.list", "include_disabled=1&include_users=1"}};
    const char *all = "";
    for (size_t i = 0; i < SOSIA_LEN(asked); i++) {
        slack(asked[i][0], asked[i][1], "%s", asked[i][2]);
        assert_slack(NULL);
        all = FORM("%s%s: %s\n", all, asked[i][1], test_body);
    }
    return all;
}

/* Fails with where they begin to differ. */
static void assert_same_answers(const char *before)
{
    const char *now = answers();
    size_t i = 0;
    while (now[i] && now[i] == before[i])
        i++;
    size_t from = i > 100 ? i - 100 : 0;
    if (now[i] != before[i])
        fail_msg("%.300s\n---- but before:\n%.300s", now + from, before + from);
}

static void a_dump_has_what_methods_leave(void **state)
{
    leave_everything();
    char *dump = dump_of(test_world);
    const char *before = answers();
    uint64_t first = test_world;
    test_world = world_of(dump);
    assert_same_dump(test_world, dump);
    assert_same_answers(before);
    /* What was to come comes there too. */
    test_advance(86400);
    const struct json *v = slack(BOB, "conversations.history", "channel=" DEV);
    assert_string_equal(text_at(v, "messages.0.text"), "Soon");
    v = slack(BOB, "conversations.replies", "channel=" DEV "&ts=1771100000.000100");
    assert_string_equal(column(v, "messages", "text"), "Old Later");
    struct sosia_err err;
    assert_int_equal(sosia_world_drop(test_engine, first, &err), 0);
    free(dump);
}

static void a_fork_and_an_import_have_it(void **state)
{
    struct sosia_err err;
    leave_everything();
    char *dump = dump_of(test_world);
    const char *before = answers();
    uint64_t first = test_world, imported;
    test_world = fork_of(first);
    assert_same_dump(test_world, dump);
    assert_same_answers(before);
    assert_int_equal(sosia_world_drop(test_engine, test_world, &err), 0);
    test_world = first;
    if (test_import_changed(NULL, &imported) < 0)
        fail_msg("%s", test_err.text);
    assert_int_equal(sosia_world_drop(test_engine, first, &err), 0);
    test_world = imported;
    assert_same_dump(test_world, dump);
    assert_same_answers(before);
    test_advance(86400);
    const struct json *v = slack(BOB, "conversations.history", "channel=" DEV);
    assert_string_equal(text_at(v, "messages.0.text"), "Soon");
    free(dump);
}

static void what_is_made_in_a_world_of_a_dump_is_new(void **state)
{
    for (int i = 0; i < 3; i++) {
        slack(ALICE, "conversations.create", "name=fresh%d", i);
        assert_slack(NULL);
        slack(ALICE, "usergroups.create", "name=fresh%d", i);
        assert_slack(NULL);
        slack(ALICE, "reminders.add", "text=a&time=in 5 minutes");
        assert_slack(NULL);
        slack(ALICE, "bookmarks.add", "channel_id=C0DEV&title=a&type=link&link=https://a.example");
        assert_slack(NULL);
        slack(ALICE, "files.getUploadURLExternal", "filename=a.txt&length=3");
        assert_slack(NULL);
        slack(ALICE, "chat.scheduleMessage", "channel=C0DEV&text=a&post_at=1771272000");
        assert_slack(NULL);
        test_use(json_to_text(&test_arena, test_dump()));
    }
}

static void what_is_wrong_in_a_document_is_refused(void **state)
{
    static const char *const bad[][2] = {
        {"chatEmoji: [{name: a, url: x, alias: y}]", "either a url or an alias"},
        {"chatEmoji: [{name: a, url: x}, {name: a, url: x}]", "is there already"},
        {"userGroups: [{name: a, users: [nobody]}]", "there is nobody"},
        {"userGroups: [{name: a, users: [bob, bob]}]", "is there already"},
        {"userGroups: [{name: a, channels: [none]}]", "there is no channel"},
        {"bookmarks: [{id: Bkx, channel: dev, title: a}]", "is not an id"},
        {"chatStars: [{user: bob, channel: dev, ts: '1.000001'}]", "there is no message"},
        {"chatStars: [{channel: dev}]", "is missing"},
        {"messages: [{channel: dev, from: bob, at: -1d 10:00, text: a,\n"
         "  replies: [{from: bob, at: -1d 09:59, text: b}]}]",
         "comes after what it answers"},
        {"channels: [{name: read, read: soon}]", "is not a time"},
        {"chatTriggers: [{id: 1.1.a, app: '1.2', user: bob, created: soon}]", "is not a time"},
        {"chatTriggers: [{id: 1.1.a, app: '1.2', user: bob, created: 2300-01-01}]",
         "between 1970 and 2242"},
        {"chatTriggers: [{id: 1.1.a, app: '1.2', user: bob, created: -1}]", "created"},
        {"chatFiles: [{user: bob, name: a, app: none}]", "there is no app"},
        {"canvases: [{file: F0NONE}]", "there is no file"},
        {"chatLists: [{file: F0CANVAS}]", "with the mode list"},
        {"chatFiles: [{id: F0E, user: bob, name: a, mode: list}]\n"
         "chatLists: [{file: F0E}]",
         "at least one column"},
        {"chatFiles: [{id: F0G, user: bob, name: a, mode: list}]\n"
         "chatLists: [{file: F0G, columns: [{key: a, name: A, type: select, options: x}]}]",
         "must be an object"},
        {"chatFiles: [{id: F0H, user: bob, name: a, mode: list}]\n"
         "chatLists: [{file: F0H, columns: [{key: a, name: A, type: text}], items: [{fields: "
         "x}]}]",
         "must be a list"},
        {"chatCalls: [{external_id: a, url: b, people: [{}]}]", "either \"user\" or"},
        {"assistantThreads: [{channel: dev, thread: '1.000001'}]", "there is no message"},
        {"chatLogins: [{ip: a, agent: b}]", "is missing"},
        {"chatAppLogs: [{user: bob}]", "is missing"},
        {"chatFiles: [{id: F0A, user: bob, name: a, mode: document}]\n"
         "canvases: [{file: F0A, markdown: '> - a'}]",
         "within block quote"},
        {"chatFiles: [{id: F0B, user: bob, name: a, mode: document}]\n"
         "canvases: [{file: F0B, sections: [{id: a, text: \"a\\n\\nb\"}]}]",
         "must be one section"},
        {"chatFiles: [{id: F0F, user: bob, name: a, mode: document}]\n"
         "canvases: [{file: F0F, sections: [{id: \"a'b\", text: a}]}]",
         "1 to 80 letters"},
        {"chatFiles: [{id: F0C, user: bob, name: a, mode: document}]\n"
         "canvases: [{file: F0C, access: [{level: read}]}]",
         "either a user or a channel"},
        {"chatFiles: [{id: F0D, user: bob, name: a, mode: document}]\n"
         "canvases: [{file: F0D, main: true}]",
         "needs a channel"},
        {"chatFiles: [{user: bob, name: a, reactions: [{name: eyes, by: [bob], at: []}]}]",
         "a second for each"},
        {"chatFiles: [{user: bob, name: a, reactions: [{name: eyes, by: [bob], at: [-1]}]}]",
         "expected seconds"},
        {"chatReminders: [{user: bob, text: a}]", "expected a time"},
        {"scheduledMessages: [{channel: dev, from: bob, at: tomorrow, message: {text: a, blocks: "
         "{}}}]",
         "must be a list"},
        {"scheduledMessages: [{channel: dev, from: bob, at: tomorrow, message: {text: a, flags: "
         "128}}]",
         "flags"},
        {"scheduledMessages: [{channel: dev, from: bob, at: tomorrow, message: {text: a, extra: "
         "null}}]",
         "has no value"},
        {"chatQuiet: [{user: bob, from: 1440}]", "from"},
        {"profileFields: [{label: a, options: x}]", "must be a list"},
        {"chatApps: [{client_id: '9.9'}]", "there is no app"},
        {"functionExecutions: [{app: '1.2', user: U0BOB, function: f, workflow: x}]",
         "\"x\" is not an id of capitals and digits that begins with Wx"},
        {"chatApps: [{client_id: '1.2', id: A0OTHER}]", "the app is \"A0DEPLOY\""},
        {"chatApps: [{client_id: '1.2', client_secret: x}]", "is with the app"},
        {"chatApps: [{client_id: '1.2', settings: []}]", "must be an object"},
        {"chatApps: [{client_id: '1.2', manifest: {}}]",
         "/: missing required field: display_information"},
        {"chatApps: [{client_id: '1.2', owner: nobody}]", "there is nobody"},
        {"chatGrants: [{app: '9.9', user: bob, token: abcdefgh}]", "there is no app"},
        {"chatGrants: [{app: '1.2', token: abcdefgh}]", "is missing"},
        {"chatGrants: [{app: '1.2', user: bob, token: abc}]", "at least 8 bytes"},
        {"chatWebhooks: [{app: '1.2', channel: none, user: bob}]", "there is no channel"},
        {"chatWebhooks: [{app: '1.2', channel: dev}]", "is missing"},
        {"chatWebhooks: [{app: '1.2', channel: dev, user: bob, secret: a/b}]",
         "letters and digits"},
        {"messages: [{channel: dev, from: bob, text: a, ts: '8589934592.000000'}]",
         "between 1970 and 2242"},
        {"messages: [{channel: dev, from: bob, text: a, at: 1969-12-31}]", "between 1970 and 2242"},
        {"messages: [{channel: dev, from: bob, text: a, at: 9999-01-01},\n"
         "  {channel: dev, from: bob, text: a, at: 9999-02-01},\n"
         "  {channel: dev, from: bob, text: a, at: 9999-03-01}]",
         "between 1970 and 2242"},
        {"messages: [{channel: dev, from: bob, text: a, edited: '99999999999.0'}]",
         "is not a time of a message"},
        {"messages: [{channel: dev, from: bob, text: a, blocks: b}]", "must be a list"},
        {"messages: [{channel: dev, from: bob, text: a, attachments: {}}]", "must be a list"},
        {"messages: [{channel: dev, from: bob, text: a, files: F0A}]", "must be a list"},
        {"messages: [{channel: dev, from: bob, text: a, metadata: []}]", "must be an object"},
        {"messages: [{channel: dev, from: bob, text: a, extra: 1}]", "must be an object"},
        {"channels: [{name: odd, previous_names: old}]", "must be a list"},
        {"channels: [{name: odd, properties: []}]", "must be an object"},
        {"channels: [{name: odd, updated_us: 8589934591000001}]", "updated_us"},
        {"channels: [{name: odd, read: '99999999999.0'}]", "between 1970 and 2242"},
        {"channels: [{name: odd, read: 1960-01-01}]", "between 1970 and 2242"},
        {"channels: [{kind: direct, members: [alice, bob, carol]}]", "one or two members"},
        {"people: [{email: eve@x.example, name: Eve}]\n"
         "workspaces: [{domain: other, members: [{actor: eve@x.example, id: U0EVE}]}]\n"
         "chatGrants: [{app: '1.2', user: U0EVE, token: abcdefgh}]",
         "another workspace"},
        {"people: [{email: eve@x.example, name: Eve}]\n"
         "workspaces: [{domain: other, members: [{actor: eve@x.example, id: U0EVE}]}]\n"
         "chatWebhooks: [{app: '1.2', channel: C0DEV, user: U0EVE, workspace: acme}]",
         "another workspace"},
        {"workspaces: [{domain: other, settings: x}]", "must be an object"},
        {"workspaces: [{domain: other, members: [{actor: bob@acme.example, fields: []}]}]",
         "must be an object"},
        {"workspaces: [{domain: other, apps: [{client_id: '1.2', settings: []}]}]",
         "must be an object"},
        {"assistantThreads: [{channel: dev, prompts: {}}]", "must be a list"},
        {"assistantThreads: [{channel: dev, loading: a}]", "must be a list"},
        {"workspaces: [{domain: other, apps: [{client_id: '9.9'}]}]", "there is no app"}};
    for (size_t i = 0; i < SOSIA_LEN(bad); i++) {
        struct sosia_err err;
        const char *text = FORM("sosia: 1\n%s\n", bad[i][0]);
        int rc = sosia_world_seed(test_engine, test_world, text, strlen(text), NULL, &err);
        if (rc == 0 || !strstr(err.text, bad[i][1]))
            fail_msg("%s: expected %s: %s", bad[i][0], bad[i][1], rc ? err.text : "it was taken");
    }
}

static void a_name_is_of_who_is_there(void **state)
{
    static const char doc[] =
        "sosia: 1\n"
        "people: [{email: a@x.example, name: A}, {email: b@x.example, name: B}]\n"
        "workspaces: [{domain: other, members: [{actor: a@x.example, id: U0GONE, name: zed,\n"
        "  deleted: true}, {actor: b@x.example, id: U0ZED, name: zed}]}]\n"
        "channels: [{workspace: other, name: x, members: [zed]}]\n";
    (void)state;
    assert_int_equal(
        sosia_world_seed(test_engine, test_world, doc, sizeof doc - 1, NULL, &test_err), 0);
    char *dump = dump_of(test_world);
    const struct json *list = value_at(parsed(dump, strlen(dump)), "channels");
    const char *who = text_at(&list->items[list->n - 1], "members.0.user");
    assert_string_equal(who, "U0ZED");
    free(dump);
}

static void a_world_has_so_many_workspaces(void **state)
{
    struct buf b;
    (void)state;
    buf_init(&b, 0);
    buf_puts(&b, "sosia: 1\nworkspaces:\n");
    for (int i = 1; i < 1023; i++) /* with the one that is there */
        buf_printf(&b, "  - {domain: w%d, members: []}\n", i);
    assert_int_equal(sosia_world_seed(test_engine, test_world, buf_str(&b), b.len, NULL, &test_err),
                     0);
    buf_clear(&b);
    buf_puts(&b, "sosia: 1\nworkspaces: [{domain: last, members: []}]\n");
    assert_int_equal(sosia_world_seed(test_engine, test_world, buf_str(&b), b.len, NULL, &test_err),
                     -1);
    assert_non_null(strstr(test_err.text, "at most 1023 workspaces"));
    buf_done(&b);
}

static void rows_that_break_a_rule_are_not_imported(void **state)
{
    static const char *const changes[] = {
        "update slack_emoji set alias = 'x' where name = 'ship'",
        "update slack_emoji set name = '' where name = 'ship'",
        "update slack_emoji set created_s = -1",
        "update slack_profile_field set options = '{}'",
        "update slack_profile_field set key = ''",
        "update slack_group set channels = 'C0DEV'",
        "update slack_group set setting = '[]'",
        "update slack_group set key = 'S'",
        "update slack_group set updated_s = 1 << 40",
        "update slack_group set deleted_s = -1",
        "update slack_bookmark set key = 'B'",
        "update slack_bookmark set updated_s = -1",
        "update slack_star set channel = 1",
        "update slack_star set message = message + 1 where message is not null",
        "update slack_star set at_s = -1",
        "update slack_reminder set at_s = 1 << 62",
        "update slack_reminder set complete_s = -1",
        "update slack_reminder set recurrence = '1'",
        "update slack_scheduled set at_s = 1 << 62",
        "update slack_scheduled set message = ''",
        "update slack_scheduled set message = '[]'",
        "update slack_scheduled set message = '{\"text\":1}'",
        "update slack_scheduled set message = '{\"text\":null}'",
        "update slack_scheduled set message = '{\"blocks\":{}}'",
        "update slack_scheduled set message = '{\"extra\":\"\"}'",
        "update slack_scheduled set message = '{\"flags\":128}'",
        "update slack_quiet set from_minute = 1440",
        "update slack_quiet set to_minute = -1",
        "update slack_quiet set snooze_s = 1 << 62",
        "update slack_list set columns = '{}'",
        "update slack_list set columns = '[\"a\"]'",
        "update slack_list set columns = '[{\"key\":\"a\"}]'",
        "update slack_list_item set fields = '{}'",
        "update slack_list_item set updated_s = -1",
        "update slack_export set at_us = -1",
        "update slack_call set people = '{}'",
        "update slack_call set ended_s = -1",
        "update slack_assist set prompts = '{}'",
        "update slack_assist set status_us = -1",
        "update slack_login set last_s = -1",
        "update slack_app_log set at_s = -1",
        "update chat_user set photo = 99",
        "update slack_canvas set content = '{}'",
        "update slack_canvas set channel = null",
        "update slack_access set user = 1 where channel is not null",
        "update slack_file set mode = 'hosted' where mode = 'document'",
        "update chat_pin set at_s = -1",
        "update slack_app set key = 'A' where id = 1",
        "update slack_app set setting = '[]'",
        "update slack_app set manifest = '1'",
        "update slack_grant set token = 'short'",
        "update slack_grant set expires_s = -1",
        "update slack_webhook set secret = ''",
        "update slack_webhook set key = ''",
        "update slack_webhook set created_s = 1 << 40",
        "update slack_subscription set kind = ''",
        "update slack_endpoint set failed = -1",
        "update slack_endpoint set hour_s = -1"};
    uint64_t again;
    slack_use_with(SECTIONS);
    slack(BOB, "pins.add", "channel=" DEV "&timestamp=1771100000.000100");
    assert_slack(NULL);
    assert_int_equal(test_import_changed("select 1", &again), 0);
    for (size_t i = 0; i < SOSIA_LEN(changes); i++) {
        if (test_import_changed(changes[i], &again) == 0)
            fail_msg("taken: %s", changes[i]);
        assert_string_equal(test_err.reason, "notAnExport");
    }
}

static void times_in_documents_may_be_relative(void **state)
{
    (void)state;
    slack_use_with("  - {id: C0TIMES, name: times, creator: U0ALICE, created: -2w monday 09:00,\n"
                   "     topic: {text: Now, set: yesterday 10:00}, read: yesterday 12:00,\n"
                   "     members: [U0ALICE, {user: U0BOB, read: '1771000000.000100'}]}\n"
                   "chatFiles: [{id: F0OLD, user: U0BOB, name: a, content: a, created: -1w}]\n"
                   "messages:\n"
                   "  - {channel: times, from: U0BOB, at: -3d 10:00, text: One}\n"
                   "  - {channel: times, from: U0BOB, at: yesterday 23:00, text: Two}\n");
    const struct json *v = slack(ALICE, "conversations.info", "channel=C0TIMES");
    assert_slack(NULL);
    assert_int_equal(number_at(v, "channel.created"), 1769418000);
    assert_int_equal(number_at(v, "channel.topic.last_set"), 1771063200);
    assert_string_equal(text_at(v, "channel.last_read"), "1771070400.000000");
    assert_string_equal(
        text_at(slack(BOB, "conversations.info", "channel=C0TIMES"), "channel.last_read"),
        "1771000000.000100");
    v = slack(BOB, "files.info", "file=F0OLD");
    assert_int_equal(number_at(v, "file.created"), 1770508800);
}

/* The world's clock is at 2026-02-15T20:00:00Z. */
static void instants_are_times_or_numbers(void **state)
{
    (void)state;
    slack_use_with(
        "chatTriggers: [{id: 1.1.a, app: '1.2', user: U0ALICE, created: "
        "'2026-02-15T19:59:59.250000Z'},\n"
        "  {id: 1.1.b, app: '1.2', user: U0ALICE, created: '2026-02-15T20:59:00+01:00'},\n"
        "  {id: 1.1.c, app: '1.2', user: U0ALICE, created: 1771185599},\n"
        "  {id: 1.1.d, app: '1.2', user: U0ALICE, created: 1771185599000001},\n"
        "  {id: 1.1.e, app: '1.2', user: U0ALICE}]\n"
        "functionExecutions: [{id: Fx0ONE, app: '1.2', user: U0ALICE, function: greet, created: "
        "2026-02-15T10:00}]\n");
    char *dump = dump_of(test_world);
    uint64_t again = world_of(dump);
    assert_same_dump(again, dump);
    free(dump);
    test_world = again;
    const struct json *v = read_dump(test_engine, test_world);
    assert_string_equal(column(v, "chatTriggers", "id"), "1.1.a 1.1.c 1.1.d 1.1.e");
    assert_string_equal(column(v, "chatTriggers", "created"),
                        "2026-02-15T19:59:59.250000Z 2026-02-15T19:59:59Z "
                        "2026-02-15T19:59:59.000001Z 2026-02-15T20:00:00Z");
    assert_string_equal(text_at(v, "functionExecutions.0.created"), "2026-02-15T10:00:00Z");
}

static void what_was_typed_has_blocks_where_it_is_shown(void **state)
{
    (void)state;
    slack_use_with("messages:\n"
                   "  - {channel: dev, from: U0BOB, ts: '1771100000.000100', text: 'A *b*'}\n"
                   "  - {channel: dev, from: U0BOB, ts: '1771100001.000100', text: C, flags: 0}\n"
                   "  - {channel: dev, from: U0BOB, ts: '1771100002.000100', text: D,\n"
                   "     subtype: channel_topic}\n");
    const struct json *v = slack(ALICE, "conversations.history", "channel=" DEV);
    assert_null(value_at(v, "messages.0.blocks"));
    assert_null(value_at(v, "messages.1.blocks"));
    assert_string_equal(text_at(v, "messages.2.blocks.0.type"), "rich_text");
    assert_string_equal(text_at(v, "messages.2.blocks.0.elements.0.elements.1.text"), "b");
    const char *id = text_at(v, "messages.2.blocks.0.block_id");
    char *dump = dump_of(test_world);
    uint64_t again = world_of(dump);
    assert_same_dump(again, dump);
    free(dump);
    test_world = again;
    v = slack(BOB, "conversations.history", "channel=" DEV);
    assert_string_equal(text_at(v, "messages.2.blocks.0.block_id"), id);
}

/* Texts that are empty, members that come twice, threads whose first message is gone. */
static void a_dump_of_odd_things_is_a_document(void **state)
{
    (void)state;
    slack_use_with("functionExecutions: [{id: Fx0ONE, app: '1.2', user: U0BOB, function: f, "
                   "inputs: {}}]\n");
    slack_json(BOT, "chat.scheduleMessage",
               "{'channel':'C0DEV','post_at':1771272000,'blocks':[{'type':'divider'}]}");
    assert_slack(NULL);
    slack(ALICE, "conversations.setTopic", "channel=" DEV "&topic=x");
    slack(ALICE, "conversations.setTopic", "channel=" DEV "&topic=");
    assert_slack(NULL);
    const char *ts = text_at(slack(BOT, "chat.postMessage", "channel=" DEV "&text=x"), "ts");
    slack(BOT, "assistant.threads.setStatus", "channel_id=" DEV "&thread_ts=%s&status=thinks", ts);
    assert_slack(NULL);
    slack(BOT, "chat.delete", "channel=" DEV "&ts=%s", ts);
    assert_slack(NULL);
    slack(BOT, "functions.completeSuccess",
          "function_execution_id=Fx0ONE&outputs={\"a\":{\"b\":1,\"c\":2,\"b\":[]},\"a\":{\"b\":"
          "1,\"c\":2,\"b\":[3]}}");
    assert_slack(NULL);
    char *dump = dump_of(test_world);
    const struct json *outputs =
        value_at(parsed(dump, strlen(dump)), "functionExecutions.0.outputs");
    assert_string_equal(json_to_text(&test_arena, outputs), "{\"a\":{\"b\":[3],\"c\":2}}");
    assert_null(strstr(dump, "assistantThreads"));
    assert_same_dump(world_of(dump), dump);
    free(dump);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        slack_test(a_dump_has_what_methods_leave),
        slack_test(a_fork_and_an_import_have_it),
        slack_test(a_dump_of_odd_things_is_a_document),
        slack_test(what_is_made_in_a_world_of_a_dump_is_new),
        slack_test(what_is_wrong_in_a_document_is_refused),
        slack_test(a_world_has_so_many_workspaces),
        slack_test(a_name_is_of_who_is_there),
        slack_test(times_in_documents_may_be_relative),
        slack_test(instants_are_times_or_numbers),
        slack_test(what_was_typed_has_blocks_where_it_is_shown),
        slack_test(rows_that_break_a_rule_are_not_imported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
