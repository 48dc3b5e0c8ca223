/* SPDX-License-Identifier: Apache-2.0 */
/* Code channels: what agents make, show and say there, and what people do in them. */
#include "tests/support/slack.h"
#include <stdio.h>
#include <stdlib.h>

#define APP(more) "chatApps: [{client_id: '1.2', settings: {" more "}}]\n"
#define URLS                                                                                       \
    "events_url: 'https://app.example/e', interactivity_url: 'https://app.example/act', "          \
    "agent_commands_url: 'https://app.example/own'"

static const char *begin(const char *more)
{
    const struct json *v =
        slack_json(BOT, "agents.conversations.create", "{'name':'Fix the login!'%s}", more);
    assert_slack(NULL);
    return text_at(v, "channel_id");
}

static int64_t int_at(const struct json *v, const char *path)
{
    return strtoll(value_at(v, path)->str, NULL, 10);
}

static const struct json *info(const char *channel)
{
    const struct json *v = slack(BOT, "conversations.info", "channel=%s", channel);
    assert_slack(NULL);
    return value_at(v, "channel");
}

static const char *post(const char *who, const char *channel, const char *text)
{
    const struct json *v =
        slack_json(who, "chat.postMessage", "{'channel':'%s','text':'%s'}", channel, text);
    assert_slack(NULL);
    return text_at(v, "ts");
}

static void a_code_channel_is_a_channel_of_its_agent(void **state)
{
    const char *id = begin("");
    const struct json *v = info(id);
    assert_string_equal(text_at(v, "name"), "fix-the-login");
    assert_true(value_at(v, "is_member")->truth);
    assert_string_equal(text_at(v, "properties.agent_session.status"), "active");
    assert_string_equal(text_at(v, "properties.agent_session.title"), "Fix the login!");
    assert_string_equal(text_at(v, "properties.agent_session.encoded_agent_bot_user_ids.0"),
                        "U0DEPLOY");
    assert_string_equal(text_at(v, "properties.record_channel.record_type"), "agent_channel");
    assert_int_equal(value_at(v, "properties.code_channel")->n, 0);
    /* A name that is taken gets a number. */
    assert_string_equal(text_at(info(begin("")), "name"), "fix-the-login-2");
    /* The same session is the same channel. */
    const char *one = begin(",'session_id':'ses_1'");
    assert_string_equal(begin(",'session_id':'ses_1'"), one);
    slack_json(ALICE, "agents.conversations.create", "{'name':'x'}");
    assert_slack("not_allowed_token_type");
    slack_scoped(BOT, "chat:write", "agents.conversations.create", "name=x");
    assert_slack("missing_scope");
}

static void it_may_begin_at_a_message(void **state)
{
    const char *ts = post(ALICE, SECRET, "<@U0DEPLOY> migrate &amp; test");
    slack_json(BOT, "agents.conversations.create",
               "{'origin_channel_id':'C0SECRET','origin_message_ts':'%s'}", ts);
    assert_slack("invalid_origin_link"); /* the bot is not in there */
    slack_json(BOT, "agents.conversations.create", "{'name':'x','origin_channel_id':'C0DEV'}");
    assert_slack("invalid_origin_link");
    slack_json(BOT, "agents.conversations.create", "{}");
    assert_slack("name_or_origin_required");
    slack_json(BOT, "agents.conversations.create",
               "{'origin_channel_id':'C0DEV','origin_message_ts':'1.000000'}");
    assert_slack("invalid_origin_link");
    ts = post(ALICE, DEV, "<@U0DEPLOY> migrate &amp; test");
    const struct json *v =
        slack_json(BOT, "agents.conversations.create",
                   "{'origin_channel_id':'C0DEV','origin_message_ts':'%s','is_private':true}", ts);
    assert_slack(NULL);
    const char *id = text_at(v, "channel_id");
    v = info(id);
    assert_true(value_at(v, "is_private")->truth);
    assert_string_equal(text_at(v, "name"), "migrate-test");
    assert_string_equal(text_at(v, "properties.agent_session.title"), "migrate & test");
    assert_string_equal(text_at(v, "properties.agent_session.origin_link.channel_id"), DEV);
    assert_string_equal(text_at(v, "properties.agent_session.origin_link.ts"), ts);
    slack(ALICE, "conversations.info", "channel=%s", id);
    assert_slack(NULL); /* who wrote it is invited */
    slack(BOB, "conversations.info", "channel=%s", id);
    assert_slack("channel_not_found");
}

static void limits_of_arguments(void **state)
{
    char long_name[202];
    memset(long_name, 'a', 201);
    long_name[201] = 0;
    slack(BOT, "agents.conversations.create", "name=%s", long_name);
    assert_slack("invalid_arguments");
    slack(BOT, "agents.conversations.create", "name=x&session_id=%.65s", long_name);
    assert_slack("invalid_arguments");
    slack_use_with("chatApps: [{client_id: '1.2', manifest: {display_information: {name: "
                   "Deployer}}}]\n");
    slack(BOT, "agents.conversations.create", "name=x");
    assert_slack("feature_disabled");
}

static void who_may_do_what(void **state)
{
    static const char *const methods[] = {"listViews", "archive", "setProperties"};
    for (size_t i = 0; i < SOSIA_LEN(methods); i++) {
        const char *method = arena_printf(&test_arena, "agents.conversations.%s", methods[i]);
        slack(BOT, method, "channel_id=C0DEV");
        assert_slack("not_agent_channel");
        slack(BOT, method, "channel_id=C0SECRET");
        assert_slack("channel_not_found");
    }
}

static void what_is_said_of_the_work(void **state)
{
    const char *id = begin("");
    slack(BOT, "agents.conversations.setProperties", "channel_id=%s", id);
    assert_slack("no_properties_provided");
    slack_json(BOT, "agents.conversations.setProperties", "{'channel_id':'%s','code_channel':{}}",
               id);
    assert_slack("no_properties_provided");
    slack(BOT, "agents.conversations.setProperties", "channel_id=%s&status=busy", id);
    assert_slack("invalid_status");
    slack_json(BOT, "agents.conversations.setProperties",
               "{'channel_id':'%s','code_channel':{'context_bar_items':[{'key':'a'}]}}", id);
    assert_slack("invalid_arguments");
    slack_json(BOT, "agents.conversations.setProperties",
               "{'channel_id':'%s','code_channel':{'other':1}}", id);
    assert_slack("invalid_arguments");
    const struct json *v = slack_json(
        BOT, "agents.conversations.setProperties",
        "{'channel_id':'%s','status':'processing','title':'Login','code_channel':{"
        "'context_bar_items':[{'key':'repo','label':'acme/web','icon':'folder'},{'key':'go',"
        "'label':'Go','item_type':'action','url':'https://a.example/'}],'summary_message':{"
        "'message_ts':'1.000000'}},'agent_resource':{'title':'T','provider':'git'}}",
        id);
    assert_slack(NULL);
    assert_string_equal(text_at(v, "warning"),
                        "action_with_url_overridden_to_info,summary_message_not_found");
    slack_json(BOT, "agents.conversations.setProperties",
               "{'channel_id':'%s','agent_resource':{'title':'U'},'code_channel':{'repo':'r'}}",
               id);
    assert_slack(NULL);
    v = value_at(info(id), "properties");
    assert_string_equal(text_at(v, "agent_session.status"), "processing");
    assert_string_equal(text_at(v, "agent_session.title"), "Login");
    assert_string_equal(text_at(v, "code_channel.context_bar_items.0.bot_user_id"), "U0DEPLOY");
    assert_string_equal(text_at(v, "code_channel.context_bar_items.1.item_type"), "info");
    assert_string_equal(text_at(v, "code_channel.repo"), "r");
    assert_string_equal(text_at(v, "agent_resource.title"), "U");
    assert_string_equal(text_at(v, "agent_resource.provider"), "git");
}

static const struct json *set_view(const char *id, const char *more)
{
    return slack_json(BOT, "agents.conversations.setView", "{'channel_id':'%s',%s}", id, more);
}

static void views_have_files_and_versions(void **state)
{
    const char *id = begin("");
    const struct json *v =
        set_view(id, "'view_key':'reports/coverage.html','content':'<p>one</p>'");
    assert_slack(NULL);
    const char *view = text_at(v, "view_id"), *file = text_at(v, "file_id");
    assert_string_equal(text_at(v, "type"), "html");
    assert_int_equal(int_at(v, "content_version"), 1);
    v = set_view(id, "'view_key':'reports/coverage.html','content':'<p>two</p>','name':'Tests'");
    assert_string_equal(text_at(v, "view_id"), view);
    assert_string_equal(text_at(v, "file_id"), file);
    assert_int_equal(int_at(v, "content_version"), 2);
    v = slack(BOT, "files.info", "file=%s", file);
    assert_string_equal(text_at(v, "content"), "<p>two</p>");
    assert_string_equal(text_at(v, "file.title"), "Tests");
    v = set_view(id, "'type':'diff','content':'--- a','base_branch':'main'");
    assert_slack(NULL);
    v = set_view(id, "'type':'diff','content':'--- b'");
    assert_int_equal(int_at(v, "content_version"), 2);
    set_view(id, "'type':'block_kit','view_key':'b','blocks':[{'type':'divider'}]");
    assert_slack(NULL);
    v = set_view(id, "'type':'pull_request','pr_url':'https://git.example/a/pull/1'");
    assert_slack(NULL);
    assert_string_equal(text_at(v, "file_id"), "");
    v = slack(BOT, "agents.conversations.listViews", "channel_id=%s", id);
    assert_string_equal(column(v, "views", "label"), "Tests Diff b Pull request");
    v = value_at(info(id), "properties.tabs");
    assert_int_equal(v->n, 3); /* the diff has a place of its own */
    assert_string_equal(text_at(v, "0.id"), view);
    assert_string_equal(text_at(v, "0.type"), "agent_view");
    set_view(id, "'view_key':'e','content':'x'");
    assert_slack(NULL);
    set_view(id, "'view_key':'f','content':'x'");
    assert_slack("too_many_views");
    /* Another type takes the file away, too. */
    v = set_view(id, "'type':'block_kit','view_key':'reports/coverage.html','blocks':[{'type':"
                     "'divider'}]");
    assert_slack(NULL);
    assert_string_not_equal(text_at(v, "file_id"), file);
    slack(BOT, "files.info", "file=%s", file);
    assert_slack("file_deleted");
    slack(BOT, "agents.conversations.removeView", "channel_id=%s&view_id=%s", id, view);
    assert_slack(NULL);
    slack(BOT, "agents.conversations.removeView", "channel_id=%s&view_id=%s", id, view);
    assert_slack("view_not_found");
    slack(BOT, "agents.conversations.removeView", "channel_id=%s", id);
    assert_slack("invalid_arguments");
    slack(BOT, "agents.conversations.removeView", "channel_id=%s&view_key=b&view_id=%s", id, view);
    assert_slack("invalid_arguments");
}

static void views_that_are_refused(void **state)
{
    static const struct {
        const char *view, *error;
    } bad[] = {
        {"'type':'page'", "invalid_view_type"},
        {"'view_key':'a'", "missing_required_arg"},
        {"'content':'a'", "missing_required_arg"},
        {"'type':'diff'", "missing_required_arg"},
        {"'type':'block_kit','view_key':'a'", "missing_required_arg"},
        {"'type':'block_kit','view_key':'a','blocks':[{'type':'no'}]", "invalid_blocks"},
        {"'type':'canvas','view_key':'a'", "missing_required_arg"},
        {"'type':'canvas','view_key':'a','canvas_id':'F0NONE'", "canvas_not_found"},
        {"'type':'pull_request'", "missing_required_arg"},
        {"'type':'pull_request','pr_url':'http://git.example/a'", "invalid_pr_url"},
        {"'view_key':'a','content':'x','csp':{'resource_domains':['http://a.example']}",
         "invalid_csp_domain"},
        {"'view_key':'a','content':'x','csp':{'resource_domains':['https://localhost']}",
         "invalid_csp_domain"},
        {"'view_key':'a','content':'x','csp':{'resource_domains':['https://10.0.0.1']}",
         "invalid_csp_domain"},
        {"'view_key':'a','content':'x','csp':{'others':[]}", "invalid_arguments"},
    };
    const char *id = begin("");
    for (size_t i = 0; i < SOSIA_LEN(bad); i++) {
        set_view(id, bad[i].view);
        assert_slack(bad[i].error);
    }
    set_view(id, "'view_key':'a','content':'x','csp':{'resource_domains':['https://*.a.example']}");
    assert_slack(NULL);
    char *large = malloc(1000002 + 64);
    int n = sprintf(large, "channel_id=%s&view_key=a&content=", id);
    memset(large + n, 'x', 1000001);
    large[n + 1000001] = 0;
    slack(BOT, "agents.conversations.setView", "%s", large);
    free(large);
    assert_slack("content_too_large");
}

static const char *plan(const char *markdown)
{
    const struct json *v = slack_json(
        BOT, "canvases.create",
        "{'title':'Plan','document_content':{'type':'markdown','markdown':'%s'}}", markdown);
    assert_slack(NULL);
    return text_at(v, "canvas_id");
}

static const char *sections(const char *canvas)
{
    const struct json *v =
        slack_json(BOT, "canvases.sections.lookup",
                   "{'canvas_id':'%s','criteria':{'contains_text':'step'}}", canvas);
    assert_slack(NULL);
    return column(v, "sections", "id");
}

static void a_plan_keeps_the_sections_that_stay(void **state)
{
    const char *id = begin(""), *canvas = plan("# Plan\\n\\nstep one\\n\\nstep two\\n\\nstep 3");
    slack(BOT, "agents.conversations.getCanvas", "channel=%s&canvas_id=%s", id, canvas);
    assert_slack("canvas_not_found"); /* it is nowhere in the channel yet */
    const struct json *v = set_view(
        id, arena_printf(&test_arena,
                         "'type':'canvas','view_key':'plan','canvas_id':'%s','access_level':"
                         "'comment'",
                         canvas));
    assert_slack(NULL);
    assert_string_equal(text_at(v, "canvas_id"), canvas);
    const char *before = sections(canvas);
    v = slack_json(BOT, "agents.conversations.setCanvasContent",
                   "{'channel':'%s','canvas_id':'%s','content':'# Plan\\n\\nstep one\\n\\nnew "
                   "text\\n\\nstep 3\\n\\nmore'}",
                   id, canvas);
    assert_slack(NULL);
    assert_int_equal(int_at(v, "sections_changed_count"), 2);
    const char *after = sections(canvas);
    assert_memory_equal(before, after, strcspn(before, " "));
    assert_string_equal(strrchr(before, ' '), strrchr(after, ' '));
    v = slack(BOT, "agents.conversations.getCanvas", "channel=%s&canvas_id=%s", id, canvas);
    assert_slack(NULL);
    assert_string_equal(text_at(v, "title"), "Plan");
    const char *text = text_at(v, "content");
    assert_non_null(strstr(text, "new text"));
    assert_int_equal(value_at(v, "comments")->n, 0);
    v = slack_json(BOT, "agents.conversations.setCanvasContent",
                   "{'channel':'%s','canvas_id':'%s','content':'# Plan\\n\\nstep one\\n\\nnew "
                   "text\\n\\nstep 3\\n\\nmore'}",
                   id, canvas);
    assert_int_equal(int_at(v, "sections_changed_count"), 0);
    /* The canvas takes its view with it. */
    slack(BOT, "canvases.delete", "canvas_id=%s", canvas);
    assert_slack(NULL);
    v = slack(BOT, "agents.conversations.listViews", "channel_id=%s", id);
    assert_int_equal(value_at(v, "views")->n, 0);
}

static void set_commands(const char *id, const char *commands, const char *error)
{
    slack_json(BOT, "agents.conversations.setCommands", "{'channel_id':'%s','commands':[%s]}", id,
               commands);
    assert_slack(error);
}

static void commands_hold_in_their_channel(void **state)
{
    slack_use_with(APP(""));
    set_commands(begin(""), "{'name':'run-tests','description':'Run'}", "no_actions_url");
    slack_use_with(APP(URLS));
    const char *id = begin("");
    set_commands(id, "{'name':'Run','description':'Run'}", "invalid_commands");
    set_commands(id, "{'name':'run'}", "invalid_commands");
    set_commands(id, "{'name':'/run','description':'Run'}", "invalid_commands");
    set_commands(id, "{'name':'topic','description':'x'}", "colliding_with_builtin");
    set_commands(id, "{'name':'a','description':'x'},{'name':'a','description':'y'}",
                 "duplicate_command");
    set_commands(id, "{'name':'run-tests','description':'Run','argument_hint':'[what]'}", NULL);
    slack(ALICE, "conversations.join", "channel=%s", id);
    assert_slack(NULL);
    slack_does(ALICE, "'command':{'channel':'%s','command':'/run-tests','text':'all'}", id);
    const struct json *all = test_outbox();
    assert_int_equal(all->n, 1);
    assert_string_equal(text_at(&all->items[0], "payload.url"), "https://app.example/own");
    assert_non_null(strstr(text_at(&all->items[0], "payload.body"), "run-tests"));
    slack_does(ALICE, "'command':{'channel':'C0DEV','command':'/run-tests'}");
    assert_int_equal(test_outbox()->n, 1);
    set_commands(id, "", NULL);
    slack_does(ALICE, "'command':{'channel':'%s','command':'/run-tests'}", id);
    assert_int_equal(test_outbox()->n, 1);
}

static void a_session_is_the_whole_channel(void **state)
{
    const char *id = begin("");
    slack(BOT, "agents.sessions.setStatus", "channel_id=%s&status=processing&thread_ts=1.0", id);
    assert_slack("thread_ts_not_allowed");
    const struct json *v =
        slack(BOT, "agents.sessions.setStatus", "channel_id=%s&status=suspended&title=other", id);
    assert_slack(NULL);
    assert_string_equal(text_at(v, "title"), "Fix the login!");
    slack(BOT, "agents.sessions.rename", "channel_id=%s&title=dev", id);
    assert_slack("name_taken");
    slack(BOT, "agents.sessions.rename", "channel_id=%s&title=...", id);
    assert_slack("invalid_name");
    slack(BOT, "agents.sessions.rename", "channel_id=%s&title=All done", id);
    assert_slack(NULL);
    v = info(id);
    assert_string_equal(text_at(v, "name"), "all-done");
    assert_string_equal(text_at(v, "previous_names.0"), "fix-the-login");
    assert_string_equal(text_at(v, "properties.agent_session.title"), "All done");
    assert_string_equal(text_at(v, "properties.agent_session.status"), "suspended");
}

static void an_archived_one_has_a_summary(void **state)
{
    const char *ts = post(ALICE, DEV, "Fix it");
    const char *id = begin(
        arena_printf(&test_arena, ",'origin_channel_id':'C0DEV','origin_message_ts':'%s'", ts));
    const char *summary = post(BOT, id, "It is fixed");
    slack(BOT, "agents.conversations.archive", "channel_id=%s&summary_message_ts=%s", id, summary);
    assert_slack(NULL);
    const struct json *v = slack(ALICE, "conversations.replies", "channel=C0DEV&ts=%s", ts);
    assert_string_equal(text_at(v, "messages.1.text"), "It is fixed");
    v = info(id);
    assert_true(value_at(v, "is_archived")->truth);
    assert_string_equal(text_at(v, "properties.code_channel.summary_message.message_ts"), summary);
    slack(BOT, "agents.conversations.archive", "channel_id=%s", id);
    assert_slack("already_archived");
    id = begin("");
    summary = post(BOT, id, "Done");
    slack(BOT, "agents.conversations.archive", "channel_id=%s&summary_message_ts=%s", id, summary);
    assert_slack("no_origin_link");
    assert_false(value_at(info(id), "is_archived")->truth);
    slack(BOT, "agents.conversations.archive", "channel_id=%s&summary_message_ts=1.0", id);
    assert_slack(NULL);
}

static void messages_of_code_channels_are_an_event_of_their_own(void **state)
{
    slack_use_with(APP(URLS ", bot_events: [message.session]"));
    const char *id = begin("");
    uint32_t n = test_outbox()->n;
    post(BOT, DEV, "elsewhere");
    assert_int_equal(test_outbox()->n, n);
    post(BOT, id, "here");
    const struct json *all = test_outbox();
    assert_int_equal(all->n, n + 1);
    assert_non_null(strstr(text_at(&all->items[n], "payload.body"), "here"));
    slack_use_with(APP(URLS ", bot_events: [message.channels, message.session]"));
    id = begin("");
    n = test_outbox()->n;
    post(BOT, id, "here");
    assert_int_equal(test_outbox()->n, n + 1); /* once */
}

static void a_dump_has_all_of_it(void **state)
{
    slack_use_with(APP(URLS));
    const char *ts = post(ALICE, DEV, "Fix it");
    const char *id = begin(arena_printf(
        &test_arena, ",'session_id':'s1','origin_channel_id':'C0DEV','origin_message_ts':'%s'",
        ts));
    slack_json(BOT, "agents.conversations.setProperties",
               "{'channel_id':'%s','status':'closed','code_channel':{'context_bar_items':[{'key':"
               "'a','label':'b'}]},'agent_resource':{'title':'U'}}",
               id);
    set_view(id, "'view_key':'a.html','content':'<p>','csp':{'connect_domains':[]}");
    set_view(id, "'type':'diff','content':'--- a','head_branch':'x'");
    set_view(id, "'type':'pull_request','pr_url':'https://git.example/a/pull/1'");
    set_view(id, arena_printf(&test_arena, "'type':'canvas','view_key':'p','canvas_id':'%s'",
                              plan("step")));
    assert_slack(NULL);
    set_commands(id,
                 "{'name':'z','description':'Z','should_escape':true},{'name':'a',"
                 "'description':'A','argument_hint':'h'}",
                 NULL);
    const char *before = json_to_text(&test_arena, test_dump());
    const char *tabs = json_to_text(&test_arena, value_at(info(id), "properties"));
    test_use(before);
    assert_string_equal(json_to_text(&test_arena, test_dump()), before);
    assert_string_equal(json_to_text(&test_arena, value_at(info(id), "properties")), tabs);
    /* What comes now has ids of its own. */
    assert_string_equal(begin(",'session_id':'s1'"), id);
    set_view(id, "'view_key':'new','content':'x'");
    assert_slack(NULL);
    const struct json *v = slack(BOT, "agents.conversations.listViews", "channel_id=%s", id);
    assert_int_equal(value_at(v, "views")->n, 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        slack_test(a_code_channel_is_a_channel_of_its_agent),
        slack_test(it_may_begin_at_a_message),
        slack_test(limits_of_arguments),
        slack_test(who_may_do_what),
        slack_test(what_is_said_of_the_work),
        slack_test(views_have_files_and_versions),
        slack_test(views_that_are_refused),
        slack_test(a_plan_keeps_the_sections_that_stay),
        slack_test(commands_hold_in_their_channel),
        slack_test(a_session_is_the_whole_channel),
        slack_test(an_archived_one_has_a_summary),
        slack_test(messages_of_code_channels_are_an_event_of_their_own),
        slack_test(a_dump_has_all_of_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
