/* SPDX-License-Identifier: Apache-2.0 */
/* Canvases: what they hold, who may do what with them, where they are shown. */
#include "tests/support/slack.h"

#define FORM(...) arena_printf(&test_arena, __VA_ARGS__)

static const char *create(const char *who, const char *markdown, const char *channel)
{
    const struct json *v = slack_json(
        who, "canvases.create",
        "{'title':'Release plan','document_content':{'type':'markdown','markdown':'%s'}%s%s%s}",
        markdown, channel ? ",'channel_id':'" : "", channel ? channel : "", channel ? "'" : "");
    assert_slack(NULL);
    return text_at(v, "canvas_id");
}

/* Ids of the sections that a criterion finds. */
static const char *find(const char *who, const char *id, const char *criteria)
{
    const struct json *v = slack_json(who, "canvases.sections.lookup",
                                      "{'canvas_id':'%s','criteria':%s}", id, criteria);
    assert_slack(NULL);
    return column(v, "sections", "id");
}

static const char *page(const char *who, const char *id)
{
    slack_call("GET", FORM("/@files.slack.com/files-pri/T0ACME-%s/download/canvas", id), NULL,
               slack_token(who, NULL), NULL);
    assert_int_equal(test_status, 200);
    return test_body;
}

static void edit(const char *who, const char *id, const char *change)
{
    slack_json(who, "canvases.edit", "{'canvas_id':'%s','changes':[%s]}", id, change);
}

static void assert_page(const char *who, const char *id, const char *const *texts)
{
    const char *at = page(who, id);
    for (; *texts; texts++) {
        const char *next = strstr(at, *texts);
        if (!next)
            fail_msg("expected %s, behind it: %s", *texts, at);
        at = next + strlen(*texts);
    }
}
#define PAGE(who, id, ...) assert_page(who, id, (const char *const[]){__VA_ARGS__, NULL})

static void a_canvas_is_a_file(void **state)
{
    const char *id = create(ALICE, "# Plan\\nWho & **what**\\n\\n- [x] <done>\\n- [ ] open", NULL);
    const struct json *v = slack(ALICE, "files.info", "file=%s", id);
    assert_slack(NULL);
    assert_string_equal(text_at(v, "file.filetype"), "quip");
    assert_string_equal(text_at(v, "file.mode"), "quip");
    assert_string_equal(text_at(v, "file.pretty_type"), "Canvas");
    assert_string_equal(text_at(v, "file.mimetype"), "application/vnd.slack-docs");
    assert_string_equal(text_at(v, "file.title"), "Release plan");
    assert_string_equal(text_at(v, "file.name"), "Release_plan");
    assert_string_equal(text_at(v, "file.access"), "owner");
    assert_string_equal(text_at(v, "file.canvas_creator_id"), "U0ALICE");
    assert_string_equal(text_at(v, "file.permalink"),
                        FORM("https://acme.slack.com/docs/T0ACME/%s", id));
    assert_true(true_at(v, "file.editable"));
    v = slack(ALICE, "files.list", "types=canvas");
    assert_string_equal(column(v, "files", "id"), id);
    PAGE(ALICE, id, "<h1 id='temp:C:", ">Plan</h1>", "<p id='temp:C:", "Who &amp; <b>what</b></p>",
         "<div data-section-style='7'><ul>", "class='checked'", "&lt;done&gt;", "class=''", "open",
         "</ul></div>");
    slack(BOB, "files.info", "file=%s", id);
    assert_slack("file_not_found");
    slack(BOB, "files.delete", "file=%s", id);
    assert_slack("file_not_found");
}

static void each_operation_changes_one_place(void **state)
{
    const char *id = create(ALICE, "# One\\n\\nFirst\\n\\n## Two\\n\\nSecond", NULL);
    const char *one = find(ALICE, id, "{'section_types':['h1']}");
    assert_int_equal(strncmp(one, "temp:C:", 7), 0);
    assert_int_equal(strlen(one), 7 + 28);
    edit(ALICE, id,
         "{'operation':'insert_at_start','document_content':{'type':'markdown',"
         "'markdown':'Start'}}");
    assert_slack(NULL);
    edit(ALICE, id,
         "{'operation':'insert_at_end','document_content':{'type':'markdown',"
         "'markdown':'End'}}");
    edit(ALICE, id, FORM("{'operation':'delete','section_id':'%s'}", one));
    assert_slack("canvas_editing_failed"); /* it has another id now */
    one = find(ALICE, id, "{'section_types':['h1']}");
    edit(ALICE, id,
         FORM("{'operation':'insert_after','section_id':'%s','document_content':{'type':'markdown',"
              "'markdown':'After\\n\\nMore'}}",
              one));
    one = find(ALICE, id, "{'section_types':['h1']}");
    edit(
        ALICE, id,
        FORM("{'operation':'insert_before','section_id':'%s','document_content':{'type':'markdown',"
             "'markdown':'Before'}}",
             one));
    assert_slack(NULL);
    PAGE(ALICE, id, "Start", "Before", "One", "After", "More", "First", "Two", "Second", "End");
    edit(ALICE, id,
         FORM("{'operation':'replace','section_id':'%s','document_content':{'type':'markdown',"
              "'markdown':'Other'}}",
              find(ALICE, id, "{'contains_text':'first'}")));
    assert_slack(NULL);
    assert_null(strstr(page(ALICE, id), "First"));
    one = find(ALICE, id, "{'section_types':['h1']}");
    edit(ALICE, id, FORM("{'operation':'delete','section_id':'%s'}", one));
    assert_slack(NULL);
    PAGE(ALICE, id, "Before", "After", "More", "Other", "Two");
    edit(ALICE, id, FORM("{'operation':'delete','section_id':'%s'}", one));
    assert_slack("canvas_editing_failed");
    assert_non_null(strstr(test_body, "\"detail\":\"Section with id"));
    const char *two = find(ALICE, id, "{'section_types':['h2']}");
    edit(ALICE, id,
         "{'operation':'rename','title_content':{'type':'markdown','markdown':'New name'}}");
    assert_slack(NULL);
    assert_string_equal(find(ALICE, id, "{'section_types':['h2']}"), two); /* nothing it holds */
    const struct json *v = slack(ALICE, "files.info", "file=%s", id);
    assert_string_equal(text_at(v, "file.title"), "New name");
    edit(ALICE, id,
         "{'operation':'replace','document_content':{'type':'markdown','markdown':'All'}}");
    assert_slack(NULL);
    PAGE(ALICE, id, "All");
    assert_null(strstr(page(ALICE, id), "Two"));
    v = slack(ALICE, "search.files", "query=all");
    assert_int_equal(number_at(v, "files.total"), 1);
}

/* Though all sections have another id. */
static void a_diff_shows_the_section_that_changed(void **state)
{
    const char *id = create(ALICE, "# One\\n\\nFirst\\n\\nSecond", NULL);
    struct sosia_blob diff;
    struct sosia_err err;
    uint64_t before;
    assert_int_equal(sosia_world_fork(test_engine, test_world, NULL, &before, &err), 0);
    edit(ALICE, id,
         FORM("{'operation':'replace','section_id':'%s','document_content':{'type':'markdown',"
              "'markdown':'Third'}}",
              find(ALICE, id, "{'contains_text':'second'}")));
    assert_slack(NULL);
    assert_int_equal(sosia_diff(test_engine, before, test_world, NULL, &diff, &err), 0);
    const struct json *v = parsed(diff.data, diff.len);
    assert_string_equal(column(value_at(v, "changes.0.fields.sections"), "added", "text"), "Third");
    assert_string_equal(column(value_at(v, "changes.0.fields.sections"), "removed", "text"),
                        "Second");
    assert_null(strstr(diff.data, "temp:C:"));
    sosia_blob_free(&diff);
    assert_int_equal(sosia_world_drop(test_engine, before, &err), 0);
}

static void what_can_not_be_is_refused(void **state)
{
    const char *id = create(ALICE, "a", NULL);
    slack_json(ALICE, "canvases.create",
               "{'document_content':{'type':'markdown','markdown':'a\\n\\n> - b'}}");
    assert_slack("canvas_creation_failed");
    assert_non_null(strstr(
        test_body, "'content' error: line 3: Unsupported block type (List) within block quote"));
    static const struct {
        const char *text, *detail; /* NULL: it is taken */
    } lists[] = {
        {"- a\\n  1. b", "line 2: Unsupported block type (List) within list item"},
        {"x\\n\\n1. a\\n\\n   - b", "line 5: Unsupported block type (List) within list item"},
        {"- a\\n  - b\\n    1. c", "line 3: Unsupported block type (List) within list item"},
        {"- > a", "line 1: Unsupported block type (Quote) within list item"},
        {"- a\\n  - b\\n    - [ ] c\\n- d", NULL},
        {"1. a\\n   2. b\\n\\n- c", NULL},
        {"- a\\n1. b\\n- c", NULL},
        {"- a\\n\\nb\\n\\n  1. c", NULL},
    };
    for (size_t i = 0; i < SOSIA_LEN(lists); i++) {
        slack_json(ALICE, "canvases.create",
                   "{'document_content':{'type':'markdown','markdown':'%s'}}", lists[i].text);
        assert_slack(lists[i].detail ? "canvas_creation_failed" : NULL);
        if (lists[i].detail && !strstr(test_body, lists[i].detail))
            fail_msg("%s: %s", lists[i].text, test_body);
    }
    slack_json(ALICE, "canvases.create", "{'document_content':{'type':'html','markdown':'a'}}");
    assert_slack("invalid_arguments");
    slack(ALICE, "canvases.create", "document_content=nonsense");
    assert_slack("invalid_arguments");
    slack_json(ALICE, "canvases.edit", "{'canvas_id':'%s','changes':[]}", id);
    assert_slack("invalid_arguments");
    slack_json(ALICE, "canvases.edit", "{'canvas_id':'%s','changes':[{},{}]}", id);
    assert_slack("invalid_arguments");
    edit(ALICE, id, "{'operation':'burn'}");
    assert_slack("invalid_arguments");
    edit(ALICE, id,
         "{'operation':'insert_after','document_content':{'type':'markdown','markdown':'a'}}");
    assert_slack("invalid_arguments");
    edit(ALICE, id, "{'operation':'insert_at_end'}");
    assert_slack("invalid_arguments");
    edit(ALICE, id,
         "{'operation':'insert_at_end','document_content':{'type':'markdown','markdown':'> # a'}}");
    assert_slack("canvas_editing_failed");
    edit(ALICE, "F0NONE", "{'operation':'delete','section_id':'a'}");
    assert_slack("canvas_not_found");
    slack_json(ALICE, "canvases.sections.lookup", "{'canvas_id':'%s','criteria':{}}", id);
    assert_slack("invalid_arguments");
    slack_json(ALICE, "canvases.sections.lookup",
               "{'canvas_id':'%s','criteria':{'section_types':['h9']}}", id);
    assert_slack("invalid_arguments");
    slack(ALICE, "canvases.delete", "canvas_id=%s", id);
    assert_slack(NULL);
    slack(ALICE, "canvases.delete", "canvas_id=%s", id);
    assert_slack("canvas_not_found");
    slack_json(ALICE, "canvases.sections.lookup",
               "{'canvas_id':'%s','criteria':{'contains_text':'a'}}", id);
    assert_slack("canvas_deleted");
}

static void a_canvas_has_a_limit(void **state)
{
    size_t n = 900 << 10;
    char *big = arena_alloc(&test_arena, n + 1);
    memset(big, 'a', n);
    big[n] = 0;
    const char *id = create(ALICE, big, NULL);
    edit(
        ALICE, id,
        FORM("{'operation':'insert_at_end','document_content':{'type':'markdown','markdown':'%s'}}",
             big));
    assert_slack("canvas_too_large");
    struct buf b;
    buf_init(&b, 0);
    buf_puts(&b, "| a |\\n|---|\\n");
    for (int i = 0; i < 300; i++)
        buf_puts(&b, "| b |\\n");
    slack_json(ALICE, "canvases.create", "{'document_content':{'type':'markdown','markdown':'%s'}}",
               buf_str(&b));
    buf_done(&b);
    assert_slack("canvas_creation_failed");
}

static void levels_say_who_may_do_what(void **state)
{
    const char *id = create(ALICE, "a", NULL);
    static const char *const write =
        "{'operation':'insert_at_end','document_content':{'type':'markdown','markdown':'b'}}";
    slack(BOB, "canvases.access.set", "canvas_id=%s&access_level=read&user_ids=U0BOB", id);
    assert_slack("canvas_not_found");
    slack(ALICE, "canvases.access.set", "canvas_id=%s&access_level=read&user_ids=U0BOB", id);
    assert_slack(NULL);
    edit(BOB, id, write);
    assert_slack("restricted_action");
    find(BOB, id, "{'contains_text':'a'}");
    slack(BOB, "canvases.access.set", "canvas_id=%s&access_level=write&user_ids=U0BOB", id);
    assert_slack("restricted_action");
    slack(ALICE, "canvases.access.set", "canvas_id=%s&access_level=write&channel_ids=" DEV, id);
    assert_slack(NULL);
    edit(BOB, id, write);
    assert_slack(NULL);
    edit(BOT, id, write);
    assert_slack(NULL);
    edit(CAROL, id, write); /* she sees the public channel, and is not in it */
    assert_slack("restricted_action");
    const struct json *v = slack(CAROL, "files.info", "file=%s", id);
    assert_string_equal(text_at(v, "file.access"), "read");
    assert_string_equal(text_at(v, "file.last_editor"), "U0DEPLOY");
    assert_string_equal(column(v, "file.channels", ""), DEV);
    slack(BOB, "canvases.delete", "canvas_id=%s", id);
    assert_slack("restricted_action");
    slack(BOB, "canvases.access.set", "canvas_id=%s&access_level=owner&user_ids=U0BOB", id);
    assert_slack("restricted_action");
    slack(ALICE, "canvases.access.set", "canvas_id=%s&access_level=read&user_ids=U0ALICE", id);
    assert_slack(NULL); /* and has all of it still: nobody else could take it away */
    v = slack(ALICE, "canvases.access.delete", "canvas_id=%s&user_ids=U0ALICE", id);
    assert_string_equal(column(v, "failed_to_update_user_ids", ""), "U0ALICE");
    slack(ALICE, "canvases.access.set", "canvas_id=%s&access_level=owner&user_ids=U0BOB", id);
    assert_slack(NULL);
    slack(ALICE, "canvases.delete", "canvas_id=%s", id);
    assert_slack("restricted_action");
    slack(BOB, "canvases.access.delete", "canvas_id=%s&channel_ids=" DEV, id);
    assert_slack(NULL);
    slack(CAROL, "files.info", "file=%s", id);
    assert_slack("file_not_found");
    slack(BOB, "canvases.access.delete", "canvas_id=%s&user_ids=U0ALICE", id);
    assert_slack(NULL);
    slack(ALICE, "files.info", "file=%s", id); /* not even its creator has it */
    assert_slack("file_not_found");
    slack(BOB, "files.delete", "file=%s", id);
    assert_slack(NULL);
}

static void bad_access_is_refused(void **state)
{
    const char *id = create(ALICE, "a", NULL);
    static const struct {
        const char *args, *error;
    } bad[] = {{"access_level=read", "invalid_parameters"},
               {"access_level=read&user_ids=U0BOB&channel_ids=" DEV, "invalid_parameters"},
               {"access_level=read&user_ids=U0NONE", "user_not_found"},
               {"access_level=read&channel_ids=" VAULT, "channel_not_found"},
               {"access_level=all&user_ids=U0BOB", "invalid_arguments"},
               {"access_level=read&user_ids=U0BOB,U0NONE", "user_not_found"},
               {"access_level=read&channel_ids=" DEV "," VAULT, "channel_not_found"},
               {"access_level=read&user_ids=1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21",
                "invalid_arguments"},
               {"access_level=owner&user_ids=U0BOB,U0CAROL", "invalid_arguments"},
               {"access_level=owner&channel_ids=" DEV, "invalid_arguments"}};
    for (size_t i = 0; i < SOSIA_LEN(bad); i++) {
        slack(ALICE, "canvases.access.set", "canvas_id=%s&%s", id, bad[i].args);
        assert_slack(bad[i].error);
    }
    const struct json *v = slack(ALICE, "conversations.open", "users=U0BOB");
    slack(ALICE, "canvases.access.set", "canvas_id=%s&access_level=read&channel_ids=%s", id,
          text_at(v, "channel.id"));
    assert_slack("channel_not_found");
    slack(ALICE, "canvases.access.delete", "canvas_id=%s", id);
    assert_slack("invalid_parameters");
    slack(ALICE, "canvases.access.set", "canvas_id=%s&access_level=read&user_ids=U0BOB,U0CAROL",
          id);
    assert_slack(NULL);
    slack(CAROL, "files.info", "file=%s", id);
    assert_slack(NULL);
    v = slack(ALICE, "canvases.access.delete", "canvas_id=%s&user_ids=U0BOB,U0ALICE,U0BOB", id);
    assert_slack(NULL); /* the owner keeps it */
    assert_int_equal(count_at(v, "failed_to_update_user_ids"), 1);
    assert_string_equal(text_at(v, "failed_to_update_user_ids.0"), "U0ALICE");
    slack(BOB, "files.info", "file=%s", id);
    assert_slack("file_not_found");
    slack(CAROL, "files.info", "file=%s", id);
    assert_slack(NULL);
    v = slack(ALICE, "canvases.access.delete", "canvas_id=%s&channel_ids=" DEV, id);
    assert_slack(NULL);
    assert_string_equal(column(v, "failed_to_update_channel_ids", ""), DEV);
    slack(ALICE, "canvases.access.delete", "canvas_id=F0NONE&user_ids=U0BOB");
    assert_slack("canvas_not_found");
}

static void a_channel_has_its_canvas_and_tabs(void **state)
{
    const struct json *v = slack_json(BOB, "conversations.canvases.create",
                                      "{'channel_id':'" DEV "','document_content':{'type':"
                                      "'markdown','markdown':'# Dev'}}");
    assert_slack(NULL);
    const char *id = text_at(v, "canvas_id"), *tab = create(ALICE, "b", DEV);
    slack(BOB, "conversations.canvases.create", "channel_id=" DEV);
    assert_slack("channel_canvas_already_exists");
    v = slack(ALICE, "conversations.info", "channel=" DEV);
    assert_string_equal(text_at(v, "channel.properties.canvas.file_id"), id);
    assert_false(true_at(v, "channel.properties.canvas.is_empty"));
    assert_string_equal(column(v, "channel.properties.tabs", "data.file_id"),
                        FORM("%s %s", id, tab));
    v = slack(ALICE, "files.info", "file=%s", id);
    assert_string_equal(text_at(v, "file.linked_channel_id"), DEV);
    assert_true(true_at(v, "file.is_channel_space"));
    assert_string_equal(text_at(v, "file.access"), "write");
    slack(CAROL, "conversations.canvases.create", "channel_id=" DEV);
    assert_slack("restricted_action");
    slack(BOB, "conversations.canvases.create", "channel_id=" VAULT);
    assert_slack("channel_not_found");
    slack(BOB, "canvases.delete", "canvas_id=%s", id);
    assert_slack(NULL);
    slack(ALICE, "files.delete", "file=%s", tab);
    assert_slack(NULL);
    v = slack(ALICE, "conversations.info", "channel=" DEV);
    assert_null(value_at(v, "channel.properties"));
    slack(BOB, "conversations.canvases.create", "channel_id=" DEV);
    assert_slack(NULL);
}

static void plans_and_settings_hold(void **state)
{
    test_use("sosia: 1\npeople: [{email: alice@acme.example, name: Alice}]\n"
             "workspaces: [{id: T0FREE, domain: free, name: Free, plan: free}]\n"
             "channels: [{id: C0DEV, name: dev, members: [alice@acme.example]}]\n");
    slack(ALICE, "canvases.create", "title=a");
    assert_slack("free_teams_cannot_create_non_tabbed_canvases");
    create(ALICE, "a", DEV);
    slack(ALICE, "canvases.create", "title=a&channel_id=" DEV);
    assert_slack("free_team_canvas_tab_already_exists");
    slack(ALICE, "conversations.canvases.create", "channel_id=" DEV);
    assert_slack("free_team_canvas_tab_already_exists");
    test_use("sosia: 1\npeople: [{email: alice@acme.example, name: Alice}]\n"
             "workspaces: [{id: T0ACME, domain: acme, name: Acme, settings: {canvas_disabled: "
             "true}}]\n");
    slack(ALICE, "canvases.create", "title=a");
    assert_slack("canvas_disabled_user_team");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        slack_test(a_canvas_is_a_file),
        slack_test(each_operation_changes_one_place),
        slack_test(a_diff_shows_the_section_that_changed),
        slack_test(what_can_not_be_is_refused),
        slack_test(a_canvas_has_a_limit),
        slack_test(levels_say_who_may_do_what),
        slack_test(bad_access_is_refused),
        slack_test(a_channel_has_its_canvas_and_tabs),
        slack_test(plans_and_settings_hold),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
