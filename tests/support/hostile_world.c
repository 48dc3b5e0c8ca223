/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/hostile_world.h"

#define TS     "1771100000.000100"
#define BOTS   "1771100001.000100"
#define TASK   "1771100002.000100"
#define STREAM "1771100003.000100"

static const char doc[] =
    "sosia: 1\n"
    "time: 2026-02-15T20:00:00Z\n"
    "organizations: [{domain: acme.example, name: Acme}]\n"
    "people:\n"
    "  - {email: ada@acme.example, name: Ada, zone: Europe/Rome}\n"
    "  - {email: bob@acme.example, name: Bob}\n"
    "  - {email: carol@acme.example, name: Carol}\n"
    "  - {email: dora@beta.example, name: Dora}\n"
    "  - {handle: deploy, kind: bot, name: Deploy}\n"
    "apps: [{client_id: '9.9', client_secret: h, name: Other, vendor: slack}, {client_id: '1.2', "
    "client_secret: hush, name: Deploy, vendor: slack, bot: deploy,\n"
    "  signing_secret: s1gn}]\n"
    "calendars:\n"
    "  - id: ada@acme.example\n"
    "    primary: true\n"
    "    events:\n"
    "      - {id: event1, summary: One, start: '2026-02-16T10:00'}\n"
    "      - {id: serie1, summary: Two, start: '2026-02-16T11:00', zone: Europe/Rome,\n"
    "         recurrence: ['RRULE:FREQ=DAILY;COUNT=5']}\n"
    "mailboxes:\n"
    "  - person: ada@acme.example\n"
    "    labels: [{name: Reports}]\n"
    "    messages:\n"
    "      - {id: '" HOSTILE_LETTER "', from: bob@acme.example, to: ada@acme.example, subject: "
    "Figures, date: '2026-02-14T10:00:00Z', text: The figures., labels: [INBOX, UNREAD], "
    "attachments: [{filename: a.csv, type: text/csv, text: 'a,b'}]}\n"
    "files:\n"
    "  - {id: doc, owner: ada@acme.example, name: Plan, mime: text/plain, content: hello,\n"
    "     permissions: [{person: bob@acme.example, role: reader}]}\n"
    "  - {id: dir, owner: ada@acme.example, name: Folder, type: folder}\n"
    "  - {id: hidden, owner: carol@acme.example, name: Hidden, mime: text/plain, content: x}\n"
    "workspaces:\n"
    "  - id: T0ACME\n"
    "    domain: acme\n"
    "    members:\n"
    "      - {actor: ada@acme.example, id: U0ADA, name: ada, role: owner}\n"
    "      - {actor: bob@acme.example, id: U0BOB, name: bob}\n"
    "      - {actor: carol@acme.example, id: U0CAROL, name: carol}\n"
    "      - {actor: deploy, id: U0DEPLOY, name: deploy}\n"
    "    apps: [{client_id: '9.9', id: A0OTHER}, {client_id: '1.2', id: A0DEPLOY, bot: B0DEPLOY, "
    "settings: {\n"
    "      interactivity_url: 'https://app.example/act', events_url: 'https://app.example/e',\n"
    "      options_url: 'https://app.example/o', bot_events: [message.channels, link_shared],\n"
    "      unfurl_domains: [x.example], agent_channels: true, functions: {greet: {}},\n"
    "      hosted: true, datastores: {tunes: {primary_key: id, attributes: {id: {type: string},\n"
    "        song: {type: string}, plays: {type: integer}}, time_to_live_attribute: plays}},\n"
    "      workflows: {hello: {title: Hello, steps: [{id: '0', function_id: "
    "'#/functions/greet'}]}},\n"
    "      external_auth_providers: {oauth2: {acme: {}}},\n"
    "      shortcuts: [{type: global, callback_id: new}, {type: message, callback_id: keep}],\n"
    "      commands: [{command: /deploy, url: 'https://app.example/deploy'}]}}]\n"
    "  - id: T0BETA\n"
    "    domain: beta\n"
    "    members: [{actor: dora@beta.example, id: U0DORA, name: dora, role: owner}]\n"
    "channels:\n"
    "  - {id: C0GENERAL, name: general, general: true, workspace: T0ACME}\n"
    "  - {id: C0DEV, name: dev, workspace: T0ACME, members: [U0ADA, U0BOB, U0DEPLOY]}\n"
    "  - {id: C0SECRET, name: secret, kind: private, workspace: T0ACME, members: [U0ADA]}\n"
    "  - {id: C0VAULT, name: vault, kind: private, workspace: T0ACME, members: [U0CAROL]}\n"
    "  - {id: C0AGENT, name: agent, workspace: T0ACME, members: [U0ADA, U0DEPLOY]}\n"
    "  - {id: C0BETA, name: beta, workspace: T0BETA, members: [U0DORA]}\n"
    "chatFiles:\n"
    "  - {id: F0NOTE, workspace: T0ACME, user: U0ADA, name: note.txt, content: hello}\n"
    "  - {id: F0HIDDEN, workspace: T0ACME, user: U0CAROL, name: h.txt, content: hidden}\n"
    "  - {id: F0HIDLIST, workspace: T0ACME, user: U0CAROL, name: list, title: Tasks, mode: list}\n"
    "  - {id: F0HIDCAN, workspace: T0ACME, user: U0CAROL, name: c, title: C, mode: document}\n"
    "  - {id: F0BETA, workspace: T0BETA, user: U0DORA, name: h.txt, content: hidden}\n"
    "  - {id: F0PLAN, workspace: T0ACME, user: U0ADA, name: plan, title: Plan, mode: document}\n"
    "  - {id: F0TASKS, workspace: T0ACME, user: U0ADA, name: list, title: Tasks, mode: list}\n"
    "canvases: [{file: F0HIDCAN, markdown: '# hid'}, {file: F0PLAN, sections: [{id: 'temp:C:one', "
    "text: '# One'},\n"
    "  {id: 'temp:C:two', text: Two}], access: [{user: U0ADA, level: owner},\n"
    "  {channel: C0DEV, level: write}]}]\n"
    "chatLists: [{file: F0HIDLIST, columns: [{id: Col0T, key: t, name: T, type: text, primary: "
    "true}], items: [{id: Rec0HID, fields: []}]}, {file: F0TASKS, columns: [{id: Col0TITLE, key: "
    "title, name: Title, type: text,\n"
    "  primary: true}, {id: Col0N, key: n, name: N, type: number}], items: [{id: Rec0ONE,\n"
    "  fields: [{column: Col0N, values: [3]}]}]}]\n"
    "messages:\n"
    "  - {workspace: T0ACME, channel: C0DEV, from: U0ADA, ts: '" TS "', text: Hello plan,\n"
    "     files: [F0NOTE], reactions: [{name: eyes, by: [U0BOB, U0ADA]}]}\n"
    "  - {workspace: T0ACME, channel: C0DEV, from: U0DEPLOY, app: '1.2',\n"
    "     ts: '1771100001.000100', text: Deploy, blocks: [{type: actions, block_id: b, elements: "
    "[{type: button, action_id: a, text: {type: plain_text, text: Y}}, {type: static_select, "
    "action_id: s, options: [{text: {type: plain_text, text: A}, value: a}]}, {type: "
    "external_select, action_id: x}]}]}\n"
    "  - {workspace: T0ACME, channel: C0DEV, from: U0DEPLOY, app: '1.2', ts: '" TASK
    "', text: Task, metadata: {entities: [{entity_type: 'slack#/entities/task', url: "
    "'https://x.example/t', external_ref: {id: t1}, entity_payload: {attributes: {title: {text: "
    "Fix}}, actions: {primary_actions: "
    "[{action_id: a, text: Do}]}}, entity_comments: {count: 1}}]}}\n"
    "  - {workspace: T0ACME, channel: C0DEV, from: U0DEPLOY, app: '1.2', ts: '" STREAM
    "', thread: '" TS "', text: Grows, flags: 16}\n"
    "assistantThreads: [{workspace: T0ACME, channel: C0DEV, thread: '" TS "', app: '1.2'}]\n"
    "agentChannels: [{workspace: T0ACME, channel: C0AGENT, app: '1.2', session: ses_1,\n"
    "  title: Fix, agents: [deploy]}]\n"
    "chatCalls: [{workspace: T0ACME, id: R0OTHER, app: '9.9', external_id: talk-9, url: "
    "'https://c.example/1', creator: U0CAROL, people: []},{workspace: T0ACME, id: R0CALL, app: "
    "'1.2', external_id: talk-1,\n"
    "  url: 'https://c.example/1', creator: U0ADA, people: [{user: U0ADA}]}]\n"
    "profileFields: [{workspace: T0ACME, id: Xf0TEAM, place: 1, label: Team}]\n"
    "userGroups: [{workspace: T0BETA, id: S0BETA, name: B, handle: bb, users: "
    "[U0DORA]},{workspace: T0ACME, id: S0MKT, name: Marketing, handle: mkt, users: [U0ADA]}]\n"
    "bookmarks: [{workspace: T0ACME, id: Bk0OTHER, channel: C0VAULT, title: Plan, link: "
    "'https://x.example', by: U0CAROL},{workspace: T0ACME, id: Bk0PLAN, channel: C0DEV, title: "
    "Plan,\n"
    "  link: 'https://x.example', by: U0ADA}]\n"
    "chatReminders: [{workspace: T0ACME, id: Rm0OTHER, user: U0CAROL, text: Drink, at: "
    "'2026-02-16T10:00'},{workspace: T0ACME, id: Rm0ONE, user: U0ADA, text: Drink,\n"
    "  at: '2026-02-16T10:00'}]\n"
    "scheduledMessages: [{workspace: T0ACME, id: Q0OTHER, channel: C0VAULT, from: U0CAROL, at: "
    "'2026-02-16T11:00', message: {text: Later}},{workspace: T0ACME, id: Q0LATER, channel: C0DEV, "
    "from: U0DEPLOY,\n"
    "  app: '1.2', at: '2026-02-16T11:00', message: {text: Later}}]\n"
    "chatViews: [{id: V0OTHER, app: '9.9', user: U0BOB, place: 1, body: {type: modal,title: {type: "
    "plain_text, text: T}, blocks: []}},\n {id: V0VIEW, app: '1.2', user: U0ADA, place: 1, body: "
    "{type: modal,\n"
    "  title: {type: plain_text, text: T}, submit: {type: plain_text, text: S}, blocks: [{type: "
    "input, block_id: i, label: {type: plain_text, text: L}, element: {type: plain_text_input, "
    "action_id: t}}]}}]\n"
    "chatPanes: [{id: 1337.2026.f00d, app: '1.2', user: U0ADA, url: 'https://x.example/t',\n"
    "  part: comments, external_ref: {id: t1}, content: {can_post_comment: true, "
    "delete_action_id: gone, comments: [{id: c, sender: {user_id: U0ADA}, timestamp: 1, comment: "
    "{value: x}, can_edit: true, can_delete: true}]}}]\n"
    "ephemeralMessages: [{workspace: T0ACME, channel: C0DEV, user: U0ADA, app: '1.2', message: "
    "{text: only you}}]\n"
    "chatTriggers: [{id: 1337.2026.c0ffee, app: '1.2', user: U0ADA}]\n"
    "chatAnswers: [{id: 1337/AbCdEf, app: '1.2', user: U0ADA, channel: C0DEV, command: true}]\n"
    "functionExecutions: [{id: Fx0OTHER, app: '9.9', user: U0BOB, function: greet, inputs: {}},\n "
    "{id: Fx0GREET, app: '1.2', user: U0ADA, function: greet, inputs: {}}]\n"
    "datastoreItems: [{app: '1.2', datastore: tunes, id: one, item: {id: one, song: x}},\n"
    "  {app: '1.2', datastore: tunes, id: Rec0ONE, item: {id: Rec0ONE, song: y}}]\n"
    "workflowTriggers: [{id: Ft0HELLO, app: '1.2', title: Hello, workflow: hello,\n"
    "  permission: named_entities, entities: {users: [U0ADA, U0BOB]}},\n"
    "  {id: Ft0OTHER, app: '9.9', title: Hello, workflow: hello}]\n"
    "featuredWorkflows: [{channel: C0DEV, trigger: Ft0HELLO}]\n"
    "functionPermissions: [{app: '1.2', function: greet, permission: named_entities,\n"
    "  entities: {users: [U0ADA, U0BOB]}}]\n"
    "externalTokens: [{id: Et0ADA, app: '1.2', user: U0ADA, provider: acme, token: t, refresh: "
    "r},\n"
    "  {id: Et0OTHER, app: '9.9', user: U0BOB, provider: acme, token: t}]\n";

#define BLOCKS                                                                                     \
    "[{\"type\":\"section\",\"block_id\":\"b\",\"text\":{\"type\":\"mrkdwn\",\"text\":\"*x*\"},"   \
    "\"accessory\":{\"type\":\"button\",\"action_id\":\"a\",\"text\":{\"type\":\"plain_text\","    \
    "\"text\":\"Y\"}}},{\"type\":\"rich_text\",\"elements\":[{\"type\":\"rich_text_list\","        \
    "\"style\":"                                                                                   \
    "\"bullet\",\"elements\":[{\"type\":\"rich_text_section\",\"elements\":[{\"type\":\"text\","   \
    "\"text\":\"x\"},{\"type\":\"user\",\"user_id\":\"U0BOB\"}]}]}]},{\"type\":\"actions\","       \
    "\"elements\":[{\"type\":\"static_select\",\"action_id\":\"s\",\"options\":[{\"text\":{"       \
    "\"type\":"                                                                                    \
    "\"plain_text\",\"text\":\"A\"},\"value\":\"a\"}]},{\"type\":\"datepicker\",\"action_id\":"    \
    "\"d\"}]},{\"type\":\"divider\"}]"

/* Of every act one. */
#define ACT(name, members) "{\"" name "\":{" members "}}"
#define MESSAGE(ts)        "\"channel\":\"C0DEV\",\"ts\":\"" ts "\""

static const struct {
    const char *name, *values[32];
} known[] = {
    {"channel", {"C0DEV", "C0DEV", "C0DEV", "C0AGENT"}},
    {"channel_id", {"C0DEV", "C0DEV", "C0AGENT", "C0DEV"}},
    {"channel_ids", {"C0DEV", "[\"C0DEV\"]"}},
    {"channels", {"C0DEV", "C0DEV,C0SECRET"}},
    {"team_id", {"T0ACME"}},
    {"team", {"T0ACME"}},
    {"target_team", {"T0BETA"}},
    {"user", {"U0BOB", "U0ADA"}},
    {"user_id", {"U0ADA", "U0BOB"}},
    {"users",
     {"U0BOB", "U0BOB,U0CAROL",
      "[{\"slack_id\":\"U0BOB\"},{\"external_id\":\"x\","
      "\"display_name\":\"X\"}]"}},
    {"user_ids", {"U0BOB", "[\"U0BOB\"]", "U0CAROL"}},
    {"emails", {"dora@beta.example"}},
    {"email", {"bob@acme.example"}},
    {"initiator_user_id", {"U0ADA"}},
    {"created_by", {"U0ADA"}},
    {"recipient_user_id", {"U0ADA"}},
    {"recipient_team_id", {"T0ACME"}},
    {"bot", {"B0DEPLOY"}},
    {"app_id", {"A0DEPLOY"}},
    {"client_id", {"1.2"}},
    {"client_secret", {"hush"}},
    {"ts", {"1771100001.000100", TS}},
    {"timestamp", {TS, "1771100001.000100"}},
    {"thread_ts", {TS}},
    {"message_ts", {TS, "1771100001.000100"}},
    {"summary_message_ts", {TS}},
    {"origin_message_ts", {TS}},
    {"origin_channel_id", {"C0DEV"}},
    {"latest", {"1771185600.000000"}},
    {"oldest", {"0"}},
    {"post_at", {"1771272000"}},
    {"time", {"in 1 hour"}},
    {"recurrence", {"{\"frequency\":\"weekly\",\"weekdays\":[\"monday\"]}"}},
    {"text", {"Hello *x*"}},
    {"markdown_text", {"# Hello\n\n- *x*"}},
    {"blocks", {BLOCKS}},
    {"description_blocks",
     {"[{\"type\":\"rich_text\",\"elements\":[{\"type\":"
      "\"rich_text_section\",\"elements\":[{\"type\":\"text\",\"text\":"
      "\"x\"}]}]}]"}},
    {"attachments",
     {"[{\"text\":\"x\",\"color\":\"good\",\"fields\":[{\"title\":\"a\",\"value\":"
      "\"b\",\"short\":true}],\"actions\":[{\"type\":\"button\",\"name\":\"n\","
      "\"text\":\"t\"}],\"callback_id\":\"c\"},{\"color\":\"#3AA3E3\",\"blocks\":" BLOCKS "}]"}},
    {"metadata",
     {"{\"event_type\":\"a\",\"event_payload\":{\"b\":1},\"entities\":[{\"entity_type\":"
      "\"slack#/entities/task\",\"url\":\"https://x.example/1\",\"external_ref\":{\"id\":"
      "\"t1\"},\"entity_payload\":{\"attributes\":{\"title\":{\"text\":\"T\"}},"
      "\"fields\":{\"status\":{\"value\":\"open\"}}}}]}"}},
    {"unfurls", {"{\"https://x.example/1\":{\"text\":\"x\",\"blocks\":" BLOCKS "}}"}},
    {"view",
     {"{\"type\":\"modal\",\"callback_id\":\"c\",\"title\":{\"type\":\"plain_text\","
      "\"text\":\"T\"},\"submit\":{\"type\":\"plain_text\",\"text\":\"S\"},\"blocks\":[{"
      "\"type\":\"input\",\"block_id\":\"i\",\"label\":{\"type\":\"plain_text\",\"text\":"
      "\"L\"},\"element\":{\"type\":\"plain_text_input\",\"action_id\":\"t\"}}]}",
      "{\"type\":\"home\",\"blocks\":" BLOCKS "}"}},
    {"view_id", {"V0VIEW"}},
    {"view_key", {"Ct0VIEW"}},
    {"trigger_id", {"1337.2026.c0ffee", "Ft0HELLO"}},
    {"dialog",
     {"{\"callback_id\":\"d\",\"title\":\"D\",\"elements\":[{\"type\":\"text\",\"name\":"
      "\"n\",\"label\":\"N\"},{\"type\":\"select\",\"name\":\"s\",\"label\":\"S\","
      "\"options\":[{\"label\":\"a\",\"value\":\"a\"}]}]}"}},
    {"file", {"F0NOTE", "F0PLAN", "F0NOTE", "F0HIDDEN"}},
    {"file_ids", {"[\"F0NOTE\"]"}},
    {"files", {"[{\"id\":\"F0NOTE\",\"title\":\"t\"}]"}},
    {"canvas_id", {"F0PLAN"}},
    {"list_id", {"F0TASKS"}},
    {"id", {"Rec0ONE", "F0TASKS", "R0CALL", "event1"}},
    {"ids", {"[\"Rec0ONE\"]"}},
    {"changes",
     {"[{\"operation\":\"insert_after\",\"section_id\":\"temp:C:one\","
      "\"document_content\":{\"type\":\"markdown\",\"markdown\":\"# Two\\n\\n|a|b|\\n|-|-|"
      "\\n|1|2|\"}}]"}},
    {"criteria", {"{\"section_types\":[\"any_header\"],\"contains_text\":\"One\"}"}},
    {"document_content", {"{\"type\":\"markdown\",\"markdown\":\"# One\\n\\n- [ ] two\"}"}},
    {"schema",
     {"[{\"key\":\"a\",\"name\":\"A\",\"type\":\"text\",\"is_primary_column\":true},"
      "{\"key\":\"b\",\"name\":\"B\",\"type\":\"select\",\"options\":{\"choices\":[{"
      "\"value\":\"x\",\"label\":\"X\",\"color\":\"red\"}]}}]"}},
    {"initial_fields", {"[{\"column_id\":\"Col0N\",\"number\":[4]}]"}},
    {"cells", {"[{\"row_id\":\"Rec0ONE\",\"column_id\":\"Col0N\",\"number\":[5]}]"}},
    {"access_level", {"write", "read", "owner"}},
    {"usergroup", {"S0MKT"}},
    {"bookmark_id", {"Bk0PLAN"}},
    {"reminder", {"Rm0ONE"}},
    {"scheduled_message_id", {"Q0LATER"}},
    {"function_execution_id", {"Fx0GREET"}},
    {"function_callback_id", {"greet"}},
    {"function_id", {"Fn0745XFJLSJ"}}, /* greet of A0DEPLOY */
    {"workflow", {"#/workflows/hello"}},
    {"workflow_app_id", {"A0DEPLOY"}},
    {"function_app_id", {"A0DEPLOY"}},
    {"datastore", {"tunes"}},
    {"item", {"{\"id\":\"one\",\"song\":\"z\",\"plays\":4}"}},
    {"items", {"[{\"id\":\"one\",\"song\":\"z\"},{\"id\":\"two\"}]"}},
    {"expression",
     {"#s = :s or begins_with(song, :s) and not (size(song) between :n and :n)",
      "contains(#s, :s) or plays in (:n, :n) or attribute_exists(id)"}},
    {"expression_attributes", {"{\"#s\":\"song\"}"}},
    {"expression_values", {"{\":s\":\"x\",\":n\":4}"}},
    {"trigger_ids", {"Ft0HELLO", "[\"Ft0HELLO\"]"}},
    {"permission_type", {"named_entities", "everyone", "app_collaborators"}},
    {"external_token_id", {"Et0ADA"}},
    {"provider_key", {"acme"}},
    {"outputs", {"{\"a\":{\"b\":[1]}}"}},
    {"profile",
     {"{\"status_text\":\"x\",\"status_emoji\":\":eyes:\",\"status_expiration\":0,"
      "\"fields\":{\"Xf0TEAM\":{\"value\":\"v\",\"alt\":\"a\"}}}"}},
    {"presence", {"away"}},
    {"manifest",
     {"{\"display_information\":{\"name\":\"X\"},\"features\":{\"bot_user\":{"
      "\"display_name\":\"x\"},\"slash_commands\":[{\"command\":\"/x\",\"description\":"
      "\"d\",\"url\":\"https://x.example\"}]},\"oauth_config\":{\"scopes\":{\"bot\":["
      "\"commands\"]}},\"settings\":{\"event_subscriptions\":{\"request_url\":"
      "\"https://x.example\",\"bot_events\":[\"app_mention\"]}}}"}},
    {"prompts", {"[{\"title\":\"a\",\"message\":\"b\"}]"}},
    {"loading_messages", {"[\"a\",\"b\"]"}},
    {"chunks",
     {"[{\"type\":\"markdown_text\",\"text\":\"x\"},{\"type\":\"task_update\",\"id\":"
      "\"1\",\"title\":\"t\",\"status\":\"in_progress\"}]"}},
    {"commands", {"[{\"name\":\"run\",\"description\":\"d\",\"hint\":\"[x]\"}]"}},
    {"code_channel", {"{\"context_bar_items\":[{\"key\":\"repo\",\"label\":\"a\"}]}"}},
    {"agent_resource", {"{\"type\":\"pr\",\"url\":\"https://x.example/1\"}"}},
    {"event_context", {"{\"a\":1}"}},
    {"comments",
     {"[{\"id\":\"c1\",\"text\":\"x\",\"author\":{\"user_id\":\"U0BOB\"},"
      "\"created_ts\":1771100000}]"}},
    {"comment", {"{\"id\":\"c1\",\"text\":\"x\"}"}},
    {"session_id", {"ses_1", "ses_2"}},
    {"external_unique_id", {"talk-2", "talk-1"}},
    {"external_id", {"e1"}},
    {"name", {"eyes", "nn", "plan"}},
    {"filename", {"a.txt"}},
    {"length", {"5"}},
    {"type", {"link", "page", "diff"}},
    {"query", {"plan from:ada", "plan"}},
    {"types", {"public_channel,private_channel,im,mpim"}},
    {"cursor", {""}},
    {"limit", {"2"}},
    {"count", {"2"}},
    {"page", {"1"}},
    {"action", {"approve"}},
    {"do",
     {ACT("post", "\"channel\":\"C0DEV\",\"text\":\"x\""),
      ACT("update", MESSAGE(TS) ",\"text\":\"y\""),
      ACT("delete", MESSAGE(TS)),
      ACT("react", "\"channel\":\"C0DEV\",\"timestamp\":\"" TS "\",\"name\":\"tada\""),
      ACT("unreact", "\"channel\":\"C0DEV\",\"timestamp\":\"" TS "\",\"name\":\"eyes\""),
      ACT("join", "\"channel\":\"C0GENERAL\""),
      ACT("leave", "\"channel\":\"C0AGENT\""),
      ACT("open", "\"users\":\"U0BOB\""),
      ACT("read", MESSAGE(BOTS)),
      ACT("click", MESSAGE(BOTS) ",\"action_id\":\"a\",\"block_id\":\"b\""),
      ACT("choose", MESSAGE(BOTS) ",\"action_id\":\"s\",\"value\":\"a\""),
      ACT("options", MESSAGE(BOTS) ",\"action_id\":\"x\",\"text\":\"y\""),
      ACT("fill", "\"view\":\"V0VIEW\",\"values\":{\"t\":\"x\"}"),
      ACT("submit", "\"view\":\"V0VIEW\",\"values\":{\"t\":\"x\"}"),
      ACT("close", "\"view\":\"V0VIEW\",\"all\":true"),
      ACT("command", "\"channel\":\"C0DEV\",\"command\":\"/deploy\",\"text\":\"x\""),
      ACT("shortcut", "\"callback_id\":\"new\""),
      ACT("shortcut", MESSAGE(TS) ",\"callback_id\":\"keep\""),
      ACT("home", "\"app\":\"A0DEPLOY\",\"tab\":\"home\""),
      ACT("run", "\"app\":\"A0DEPLOY\",\"function\":\"greet\",\"inputs\":{\"x\":\"y\"}"),
      ACT("entity", MESSAGE(TASK) ",\"tab\":\"comments\",\"cursor\":\"x\""),
      ACT("press", MESSAGE(TASK) ",\"action_id\":\"a\""),
      ACT("comment", "\"text\":\"x\",\"comment_id\":\"c\",\"delete\":true"),
      ACT("stop", MESSAGE(STREAM)),
      ACT("see", "\"channel\":\"C0DEV\",\"execution\":\"Fx0GREET\"")}},
    {"link", {"https://x.example"}},
    {"join_url", {"https://c.example"}},
    {"external_url", {"https://f.example"}},
    {"source", {"conversations_history"}},
    {"calendarId", {"primary", "primary", "ada@acme.example", "bob@acme.example"}},
    {"eventId", {"event1", "serie1"}},
    {"ruleId", {"user:ada@acme.example", "default"}},
    {"userId", {"me"}},
    {"fileId", {"doc", "doc", "dir", "hidden"}},
    {"sendAsEmail", {"ada@acme.example"}},
    {"raw", {"VG86IGJvYkBhY21lLmV4YW1wbGUNCg0KaGkNCg=="}},
    {"emailMessage", {"x"}},
    {"emailAddress", {"bob@acme.example"}},
    {"role", {"reader", "writer"}},
    {"q", {"plan", "name contains 'p'"}},
    {"fields", {"*"}},
    {"timeMin", {"2026-02-01T00:00:00Z"}},
    {"timeMax", {"2026-03-01T00:00:00Z"}},
    {"timeZone", {"Europe/Rome"}},
    {"recurrenceRule", {"RRULE:FREQ=DAILY"}},
    {"dateTime", {"2026-02-16T10:00:00Z"}},
    {"date", {"2026-02-16"}},
    {"mimeType", {"text/plain"}},
    {"content", {"x"}},
    {"summary", {"x"}},
    {"pageSize", {"2"}},
    {"maxResults", {"2"}},
    {"requestId", {"r1"}},
};

unsigned hostile_world_values(const char *name)
{
    unsigned n = 0;
    for (size_t i = 0; i < SOSIA_LEN(known); i++)
        if (strcmp(known[i].name, name) == 0)
            while (n < SOSIA_LEN(known[i].values) && known[i].values[n])
                n++;
    return n;
}

const char *hostile_world_value(const char *name, unsigned which)
{
    for (size_t i = 0; i < SOSIA_LEN(known); i++) {
        unsigned n = 0;
        if (strcmp(known[i].name, name) != 0)
            continue;
        while (n < SOSIA_LEN(known[i].values) && known[i].values[n])
            n++;
        return known[i].values[which % n];
    }
    return NULL;
}

int hostile_world_open(void **state)
{
    (void)state;
    return test_open(doc);
}

int hostile_world_close(void **state)
{
    (void)state;
    return test_close();
}

const char *hostile_world_bearer(const char *kind)
{
    char token[SOSIA_TOKEN_MAX];
    const char *fixed = arena_printf(&test_arena, "fixed-token-%s", kind); /* good in forks too */
    struct sosia_token_options opt = {.actor = "ada@acme.example", .value = fixed};
    if (strcmp(kind, "config") == 0)
        opt.scopes = "app_configurations:read app_configurations:write";
    if (strcmp(kind, "bot") == 0 || strcmp(kind, "app") == 0) {
        opt.actor = "deploy";
        opt.app = "1.2";
        opt.kind = kind;
    }
    if (sosia_token_issue(test_engine, test_world, &opt, token, sizeof token, &test_err) < 0)
        fail_msg("token: %s", test_err.text);
    return arena_printf(&test_arena, "Bearer %s", token);
}
