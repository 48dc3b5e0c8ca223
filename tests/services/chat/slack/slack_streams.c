/* SPDX-License-Identifier: Apache-2.0 */
/* Messages that grow in chunks: texts, tasks, plans, blocks; tasks and plans posted as blocks. */
#include "tests/support/slack.h"

#define TASK(id, title, status)                                                                    \
    "{'type':'task_update','id':'" id "','title':'" title "','status':'" status "'}"
#define TEXT(text) "{'type':'markdown_text','text':'" text "'}"

static const char *ts;

static const char *begin(const char *more)
{
    const struct json *v = slack_json(
        BOT, "chat.startStream",
        "{'channel':'C0DEV','recipient_user_id':'U0BOB','recipient_team_id':'T0ACME'%s}", more);
    ts = text_at(v, "ts");
    return ts;
}

static const struct json *append(const char *chunks)
{
    return slack_json(BOT, "chat.appendStream", "{'channel':'C0DEV','ts':'%s','chunks':[%s]}", ts,
                      chunks);
}

static const struct json *stop(const char *more)
{
    return slack_json(BOT, "chat.stopStream", "{'channel':'C0DEV','ts':'%s'%s}", ts, more);
}

/* The message as Bob reads it. */
static const struct json *seen(void)
{
    return value_at(slack(BOB, "conversations.history", "channel=" DEV "&limit=1"), "messages.0");
}

static void assert_shows(const struct json *v, const char *path, const char *expected)
{
    assert_string_equal(json_to_text(&test_arena, value_at(v, path)), quoted(expected));
}

static void chunks_are_shown_in_their_order(void **state)
{
    begin(",'chunks':[" TEXT("**on") "," TEXT("e**") "]");
    assert_slack(NULL);
    assert_string_equal(text_at(seen(), "text"), "*one*");
    assert_string_equal(text_at(seen(), "streaming_state"), "in_progress");
    assert_null(value_at(seen(), "_stream"));
    append(TASK("t1", "Look", "in_progress") "," TASK("t2", "Write", "pending"));
    assert_slack(NULL);
    append(TEXT("two") ",{'type':'blocks','blocks':[{'type':'divider','block_id':'d'}]}");
    assert_slack(NULL);
    const struct json *v = seen();
    assert_string_equal(text_at(v, "text"), "*one*two");
    assert_string_equal(text_at(v, "blocks.0.type"), "rich_text");
    assert_string_equal(text_at(v, "blocks.1.type"), "task_card");
    assert_string_equal(text_at(v, "blocks.1.task_id"), "t1");
    assert_string_equal(text_at(v, "blocks.1.status"), "in_progress");
    assert_string_equal(text_at(v, "blocks.2.status"), "pending");
    assert_shows(v, "blocks.3.elements",
                 "[{'type':'rich_text_section','elements':[{'type':'text','text':'two'}]}]");
    assert_shows(v, "blocks.4", "{'type':'divider','block_id':'d'}");
    append(TASK("t1", "Looked", "complete"));
    assert_string_equal(text_at(seen(), "blocks.1.title"), "Looked");
    assert_string_equal(text_at(seen(), "blocks.1.status"), "complete");
    v = stop(",'chunks':[" TASK("t2", "Wrote", "complete") "],'blocks':[{'type':'header','text':"
                                                           "{'type':'plain_text','text':'End'}}]");
    assert_slack(NULL);
    assert_string_equal(text_at(v, "message.streaming_state"), "completed");
    assert_string_equal(text_at(v, "message.blocks.2.title"), "Wrote");
    assert_string_equal(text_at(v, "message.blocks.5.type"), "header");
    assert_null(value_at(v, "message.blocks.6"));
}

static void a_task_is_replaced_and_added_to(void **state)
{
    begin(
        ",'chunks':[{'type':'task_update','id':'t','title':'a','status':'in_progress','details':"
        "'one **b','output':'x','sources':[{'type':'url','url':'https://a.example','text':'A'}]}]");
    assert_slack(NULL);
    append("{'type':'task_update','id':'t','title':'b','status':'complete','details':'c** two',"
           "'sources':[{'type':'url','url':'https://b.example','text':'B'}]}");
    assert_slack(NULL);
    const struct json *v = value_at(seen(), "blocks.0");
    assert_string_equal(text_at(v, "title"), "b");
    assert_string_equal(text_at(v, "status"), "complete");
    assert_string_equal(text_at(v, "details.type"), "rich_text");
    assert_shows(v, "details.elements",
                 "[{'type':'rich_text_section','elements':[{'type':'text','text':'one '},"
                 "{'type':'text','text':'bc','style':{'bold':true}},"
                 "{'type':'text','text':' two'}]}]");
    assert_shows(v, "output.elements",
                 "[{'type':'rich_text_section','elements':[{'type':'text','text':'x'}]}]");
    assert_shows(v, "sources",
                 "[{'type':'url','url':'https://a.example','text':'A'},"
                 "{'type':'url','url':'https://b.example','text':'B'}]");
    assert_string_equal(text_at(seen(), "text"), "This message contains interactive elements.");
    append(TEXT("said"));
    assert_string_equal(text_at(seen(), "text"), "said");
}

static void a_plan_holds_its_tasks(void **state)
{
    begin(",'task_display_mode':'plan','chunks':[{'type':'plan_update','title':'Working'}]");
    assert_slack(NULL);
    assert_string_equal(text_at(seen(), "blocks.0.title"), "Working");
    append(TEXT("one") "," TASK("t1", "Look", "complete") "," TEXT("two") "," TASK(
        "t2", "Write", "in_progress") ",{'type':'plan_update','title':'Nearly','status':'error'}");
    assert_slack(NULL);
    const struct json *v = seen();
    assert_string_equal(text_at(v, "blocks.0.type"), "rich_text");
    assert_string_equal(text_at(v, "blocks.1.type"), "plan");
    assert_string_equal(text_at(v, "blocks.1.title"), "Nearly");
    assert_shows(v, "blocks.1.tasks",
                 "[{'task_id':'t1','title':'Look','status':'complete'},"
                 "{'task_id':'t2','title':'Write','status':'in_progress'}]");
    assert_string_equal(text_at(v, "blocks.2.type"), "rich_text");
    assert_null(value_at(v, "blocks.3"));
    v = stop("");
    assert_slack(NULL);
    assert_string_equal(text_at(v, "message.blocks.1.title"), "Something went wrong");
    assert_string_equal(text_at(v, "message.blocks.1.tasks.1.status"), "error");

    begin(",'task_display_mode':'plan','chunks':[" TASK("t", "a", "complete") "]");
    v = stop("");
    assert_string_equal(text_at(v, "message.blocks.0.title"), "Thinking completed");
    begin(",'task_display_mode':'grid'");
    assert_slack("invalid_arguments");
}

static void bad_chunks_change_nothing(void **state)
{
    static const char *const bad[] = {
        "'text'",
        "{'text':'x'}",
        "{'type':'other','text':'x'}",
        "{'type':'markdown_text'}",
        "{'type':'plan_update'}",
        "{'type':'blocks'}",
        "{'type':'blocks','blocks':[]}",
        "{'type':'blocks','blocks':{}}",
        "{'type':'task_update','title':'a','status':'complete'}",
        "{'type':'task_update','id':'','title':'a','status':'complete'}",
        "{'type':'task_update','id':7,'title':'a','status':'complete'}",
        "{'type':'task_update','id':'t','status':'complete'}",
        "{'type':'task_update','id':'t','title':'a'}",
        TASK("t", "a", "completed"),
        "{'type':'task_update','id':'t','title':'a','status':'complete','details':{}}",
        "{'type':'task_update','id':'t','title':'a','status':'complete','output':[]}",
        "{'type':'task_update','id':'t','title':'a','status':'complete','icon':'x'}",
        "{'type':'task_update','id':'t','title':'a','status':'complete','sources':{}}",
        "{'type':'task_update','id':'t','title':'a','status':'complete','sources':['x']}",
        "{'type':'task_update','id':'t','title':'a','status':'complete',"
        "'sources':[{'type':'url','url':'https://a.example'}]}"};
    begin(",'chunks':[" TEXT("one") "]");
    const char *before = json_to_text(&test_arena, test_dump());
    for (size_t i = 0; i < SOSIA_LEN(bad); i++) {
        append(arena_printf(&test_arena, TEXT("two") ",%s", bad[i]));
        assert_slack("invalid_chunks");
    }
    append(TEXT("two") ",{'type':'blocks','blocks':[{'type':'header'}]}");
    assert_slack("invalid_blocks");
    slack(BOT, "chat.appendStream", "channel=" DEV "&ts=%s&chunks={}", ts);
    assert_slack("invalid_chunks");
    slack(BOT, "chat.appendStream", "channel=" DEV "&ts=%s&chunks=[]", ts);
    assert_slack("no_text");
    assert_string_equal(json_to_text(&test_arena, test_dump()), before);
}

static void a_stream_keeps_to_one_kind_of_content(void **state)
{
    begin(",'markdown_text':'a','chunks':[" TEXT("b") "]");
    assert_slack("cannot_provide_both_markdown_text_and_chunks");
    begin(",'markdown_text':'a'");
    append(TEXT("b"));
    assert_slack("streaming_mode_mismatch");
    stop(",'chunks':[" TEXT("b") "]");
    assert_slack("streaming_mode_mismatch");
    stop(",'markdown_text':'b','chunks':[]");
    assert_slack(NULL);
    begin("");
    assert_slack(NULL);
    append(TEXT("b"));
    assert_slack(NULL);
    stop(",'markdown_text':'b'");
    assert_slack("streaming_mode_mismatch");
}

/* Texts with numbers between them, in a list. */
static const char *many(const char *before, const char *after, int n)
{
    struct buf b;
    buf_init(&b, 0);
    for (int i = 0; i < n; i++)
        buf_printf(&b, "%s%s%d%s", i ? "," : "", before, i, after);
    const char *text = arena_strdup(&test_arena, buf_str(&b));
    buf_done(&b);
    return text;
}

static void what_is_too_much_is_refused(void **state)
{
    begin(",'chunks':[" TEXT("x") "]");
    append(many("{'type':'task_update','id':'t", "','title':'a','status':'complete'}", 50));
    assert_slack("msg_blocks_too_many");
    append(many("{'type':'task_update','id':'t", "','title':'a','status':'complete'}", 51));
    assert_slack("invalid_chunks");
    append(arena_printf(&test_arena, "{'type':'blocks','blocks':[%s]}",
                        many("{'type':'divider','block_id':'d", "'}", 51)));
    assert_slack("msg_blocks_too_many");
    append(arena_printf(&test_arena, "{'type':'blocks','blocks':[%s]}",
                        many("{'type':'divider','block_id':'d", "'}", 49)));
    assert_slack(NULL);
    stop(",'blocks':[{'type':'divider'}]");
    assert_slack("msg_blocks_too_many");
    append(arena_printf(&test_arena, TEXT("%s"), many("", "long", 2001)));
    assert_slack("msg_too_long");
    begin(",'task_display_mode':'plan'");
    append(many("{'type':'task_update','id':'t", "','title':'a','status':'complete'}", 50));
    assert_slack(NULL);
    append(arena_printf(
        &test_arena, "{'type':'task_update','id':'t0','title':'a','status':'error','details':'%s'}",
        many("", "long", 2001)));
    assert_slack(NULL);
    assert_null(value_at(seen(), "blocks.0.tasks.0.details"));
    assert_string_equal(text_at(seen(), "blocks.0.tasks.0.status"), "error");
}

static void what_is_left_out_is_not_kept(void **state)
{
    const char *details = many("", "\xc3\xa9\xc3\xa9", 20000);
    begin("");
    for (int i = 0; i < 3; i++) {
        append(arena_printf(&test_arena,
                            "{'type':'task_update','id':'t','title':'a','status':'complete',"
                            "'details':'%s','output':'o'}",
                            details));
        assert_slack(NULL);
    }
    assert_null(value_at(seen(), "blocks.0.details"));
    assert_shows(seen(), "blocks.0.output.elements",
                 "[{'type':'rich_text_section','elements':[{'type':'text','text':'ooo'}]}]");
    assert_true(strlen(json_to_text(&test_arena, test_dump())) < 40000);
    append(arena_printf(&test_arena, TASK("%s", "a", "complete"), many("", "long", 80000)));
    assert_slack("msg_blocks_too_long");
}

static void another_name_needs_its_scope(void **state)
{
    slack_scoped(BOT, "chat:write", "chat.startStream",
                 "channel=" DEV "&recipient_user_id=U0BOB&recipient_team_id=T0ACME&username=Robo");
    assert_slack("missing_scope");
}

static void assert_session(const char *root, const char *status)
{
    const struct json *v = slack(BOB, "conversations.replies", "channel=" DEV "&ts=%s", root);
    assert_string_equal(text_at(v, "messages.0.agent_session.status"), status);
    assert_string_equal(text_at(v, "messages.0.agent_session.title"), "Ask");
}

static void a_session_goes_on_behind_a_stream(void **state)
{
    const char *root = text_at(slack(BOB, "chat.postMessage", "channel=" DEV "&text=why"), "ts");
    slack(BOT, "agents.sessions.setStatus",
          "channel_id=" DEV "&thread_ts=%s&status=processing&title=Ask", root);
    assert_slack(NULL);
    begin(arena_printf(&test_arena, ",'thread_ts':'%s','markdown_text':'a'", root));
    stop(",'session_status':'over'");
    assert_slack("invalid_arguments");
    assert_session(root, "processing");
    stop("");
    assert_slack(NULL);
    assert_session(root, "active");
    begin(arena_printf(&test_arena, ",'thread_ts':'%s','markdown_text':'a'", root));
    stop(",'session_status':'suspended'");
    assert_slack(NULL);
    assert_session(root, "suspended");
    const char *other = text_at(slack(BOB, "chat.postMessage", "channel=" DEV "&text=so"), "ts");
    begin(arena_printf(&test_arena, ",'thread_ts':'%s','markdown_text':'a'", other));
    stop(",'session_status':'closed'");
    assert_slack(NULL);
    const struct json *v = slack(BOB, "conversations.replies", "channel=" DEV "&ts=%s", other);
    assert_null(value_at(v, "messages.0.agent_session"));
}

static void people_stop_what_grows(void **state)
{
    begin(",'chunks':[" TEXT("one") "," TASK("t1", "Look", "in_progress") "]");
    slack_does(ALICE, "'stop':{'channel':'dev'}");
    assert_slack("invalid_arguments");
    slack_does(ALICE, "'stop':{'channel':'dev','ts':'1.0'}");
    assert_slack("message_not_found");
    slack_does(ALICE, "'stop':{'channel':'nowhere','ts':'%s'}", ts);
    assert_slack("channel_not_found");
    const struct json *v = slack_does(ALICE, "'stop':{'channel':'dev','ts':'%s'}", ts);
    assert_slack(NULL);
    assert_string_equal(text_at(v, "message.streaming_state"), "completed");
    assert_string_equal(text_at(v, "message.blocks.1.status"), "error");
    assert_null(value_at(seen(), "_stream"));
    append(TEXT("two"));
    assert_slack("stopped_by_user");
    slack_does(ALICE, "'stop':{'channel':'dev','ts':'%s'}", ts);
    assert_slack("message_not_in_streaming_state");
    const char *dump = json_to_text(&test_arena, test_dump());
    test_use(dump);
    assert_string_equal(json_to_text(&test_arena, test_dump()), dump);
    append(TEXT("two"));
    assert_slack("stopped_by_user");
    stop(",'chunks':[{}]");
    assert_slack("invalid_chunks");
    v = stop(",'chunks':[" TEXT("two") "],'blocks':[{'type':'divider'}]");
    assert_slack(NULL);
    assert_string_equal(text_at(v, "message.text"), "one");
    assert_string_equal(text_at(v, "message.blocks.1.type"), "task_card");
    assert_string_equal(text_at(v, "message.blocks.2.type"), "divider");
    assert_null(value_at(v, "message.blocks.3"));
    append(TEXT("two"));
    assert_slack("message_not_in_streaming_state");
    stop("");
    assert_slack("message_not_in_streaming_state");
}

static void a_dump_goes_on_growing(void **state)
{
    begin(",'task_display_mode':'plan','icon_emoji':':robot_face:','username':'Robo','chunks':"
          "[" TEXT("one") "," TASK("t1", "Look", "in_progress") "]");
    assert_slack(NULL);
    assert_string_equal(text_at(seen(), "username"), "Robo");
    const char *dump = json_to_text(&test_arena, test_dump());
    test_use(dump);
    assert_string_equal(json_to_text(&test_arena, test_dump()), dump);
    append(TASK("t1", "Looked", "complete") "," TEXT("two"));
    assert_slack(NULL);
    slack(BOT, "chat.appendStream", "channel=" DEV "&ts=%s&markdown_text=x", ts);
    assert_slack("streaming_mode_mismatch");
    const struct json *v = stop("");
    assert_string_equal(text_at(v, "message.text"), "onetwo");
    assert_string_equal(text_at(v, "message.username"), "Robo");
    assert_shows(v, "message.blocks.1.tasks",
                 "[{'task_id':'t1','title':'Looked','status':'complete'}]");
    dump = json_to_text(&test_arena, test_dump());
    assert_null(strstr(dump, "_stream\""));
    test_use(dump);
    assert_string_equal(json_to_text(&test_arena, test_dump()), dump);
}

static void a_document_may_have_anything_there(void **state)
{
    slack_use_with("messages:\n"
                   "- {channel: C0DEV, from: deploybot, ts: '1771185000.000100', flags: 16,\n"
                   "   text: 'a <b> c'}\n"
                   "- {channel: C0DEV, from: deploybot, ts: '1771185001.000100', flags: 16,\n"
                   "   text: '', extra: {_stream: {mode: 7, display: chunks, parts: [1, {}, {kind: "
                   "task}, {kind: blocks, blocks: 1}, {kind: text, text: d},\n"
                   "   {kind: plan}, {kind: task, id: t, title: x, status: y}]}}}\n");
    ts = "1771185000.000100";
    append(TEXT("d"));
    assert_slack(NULL);
    stop("");
    assert_slack(NULL);
    ts = "1771185001.000100";
    append(TEXT("e"));
    assert_slack(NULL);
    assert_string_equal(text_at(stop(""), "message.text"), "de");
}

static void blocks_post(const char *block, const char *message)
{
    const struct json *v =
        slack_json(ALICE, "chat.postMessage", "{'channel':'C0DEV','blocks':[%s]}", block);
    assert_slack(message ? "invalid_blocks" : NULL);
    if (message)
        assert_string_equal(text_at(v, "response_metadata.messages.0"), message);
}

static void tasks_and_plans_are_blocks(void **state)
{
    blocks_post("{'type':'task_card','task_id':'t','title':'a'}", NULL);
    blocks_post("{'type':'task_card','task_id':'t','title':'a','status':'complete','details':"
                "{'type':'rich_text','elements':[]},'sources':[{'type':'url','url':"
                "'https://a.example','text':'A'}]}",
                NULL);
    blocks_post("{'type':'task_card','title':'a'}",
                "[ERROR] missing required field: task_id [json-pointer:/blocks/0]");
    blocks_post("{'type':'task_card','task_id':'t'}",
                "[ERROR] missing required field: title [json-pointer:/blocks/0]");
    blocks_post("{'type':'task_card','task_id':'t','title':'a','status':'pending'}",
                "[ERROR] must be a valid enum value [json-pointer:/blocks/0/status]");
    blocks_post("{'type':'task_card','task_id':'t','title':'a','details':'x'}",
                "[ERROR] must provide an object [json-pointer:/blocks/0/details]");
    blocks_post("{'type':'task_card','task_id':'t','title':'a','output':{'type':'section',"
                "'elements':[]}}",
                "[ERROR] unsupported type: section [json-pointer:/blocks/0/output/type]");
    blocks_post("{'type':'task_card','task_id':'t','title':'a','sources':[{'type':'url','url':"
                "'https://a.example'}]}",
                "[ERROR] missing required field: text [json-pointer:/blocks/0/sources/0]");
    blocks_post("{'type':'plan','title':'p','tasks':[{'task_id':'a','title':'b','status':"
                "'pending'},{'type':'task_card','task_id':'c','title':'d'}]}",
                NULL);
    blocks_post("{'type':'plan','tasks':[]}",
                "[ERROR] missing required field: title [json-pointer:/blocks/0]");
    blocks_post("{'type':'plan','title':'p','tasks':[{'task_id':'a'}]}",
                "[ERROR] missing required field: title [json-pointer:/blocks/0/tasks/0]");
    blocks_post("{'type':'plan','title':'p','tasks':['a']}",
                "[ERROR] must provide an object [json-pointer:/blocks/0/tasks/0]");
    blocks_post("{'type':'plan','title':'p','tasks':[{'task_id':'a','title':'b'},{'task_id':'a',"
                "'title':'b'}]}",
                "[ERROR] `task_id` \"a\" already exists [json-pointer:/blocks/0/tasks/1/task_id]");
    blocks_post(arena_printf(&test_arena, "{'type':'plan','title':'p','tasks':[%s]}",
                             many("{'task_id':'t", "','title':'a'}", 51)),
                "[ERROR] no more than 50 items allowed [json-pointer:/blocks/0/tasks]");
}

static const struct json *append_letters(int n)
{
    char *text = arena_alloc(&test_arena, (size_t)n + 1);
    memset(text, 'x', (size_t)n);
    text[n] = 0;
    return append(arena_printf(&test_arena, TEXT("%s"), text));
}

/* How much a message may have is the workspace's; what one call adds is not. */
static void a_workspace_may_have_longer_streams(void **state)
{
    test_use(
        "sosia: 1\npeople:\n  - {email: alice@acme.example, name: Alice}\n"
        "  - {handle: deploybot, kind: bot, name: Deploybot}\n"
        "apps: [{client_id: '1.2', client_secret: a, name: D, vendor: slack, bot: deploybot}]\n"
        "workspaces:\n  - id: T0ACME\n    domain: acme\n    name: Acme\n"
        "    settings: {stream_characters: 20000}\n"
        "    members: [{actor: alice@acme.example, id: U0BOB}, {actor: deploybot, id: U0DEPLOY}]\n"
        "    apps: [{client_id: '1.2', id: A0DEPLOY, bot: B0DEPLOY}]\n"
        "channels: [{id: C0DEV, name: dev, members: [U0BOB, U0DEPLOY]}]\n");
    begin("");
    append_letters(12001);
    assert_slack("msg_too_long");
    append_letters(12000);
    assert_slack(NULL);
    append_letters(8001);
    assert_slack("msg_too_long");
    append_letters(8000);
    assert_slack(NULL);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        slack_test(chunks_are_shown_in_their_order),
        slack_test(a_task_is_replaced_and_added_to),
        slack_test(a_plan_holds_its_tasks),
        slack_test(bad_chunks_change_nothing),
        slack_test(a_stream_keeps_to_one_kind_of_content),
        slack_test(what_is_too_much_is_refused),
        slack_test(what_is_left_out_is_not_kept),
        slack_test(another_name_needs_its_scope),
        slack_test(a_session_goes_on_behind_a_stream),
        slack_test(people_stop_what_grows),
        slack_test(a_dump_goes_on_growing),
        slack_test(a_document_may_have_anything_there),
        slack_test(tasks_and_plans_are_blocks),
        slack_test(a_workspace_may_have_longer_streams),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
