/* SPDX-License-Identifier: Apache-2.0 */
/* A task that needs the company and the computer: a bug in a repository, reported by mail, is
 * found, fixed, tested and committed, its reporter is answered, the meeting about it is moved and
 * the channel gets a message, with nothing but tools; then it is graded, gone back in, and done
 * again with another file. */
#include "tests/sandbox/kept.h"
#include "tests/support/mcp.h"
#include "tests/support/unit.h"

#define ADA    "ada@acme.example"
#define BOB    "bob@acme.example"
#define MAIL   "/mcp/poste_email_toolathlon"
#define FS     "/mcp/filesystem"
#define TERM   "/mcp/terminal"
#define GIT    "/mcp/git"
#define NATIVE "/mcp?tools=native"

static const char doc[] =
    "sosia: 1\n"
    "time: 2026-11-23T08:00:00Z\n"
    "people: [{email: ada@acme.example, name: Ada}, {email: bob@acme.example, name: Bob}]\n"
    "calendars:\n"
    "  - owner: ada@acme.example\n"
    "    primary: true\n"
    "    events:\n"
    "      - {id: bugtalk, summary: The sum, start: 2026-11-24T09:00:00Z, end: "
    "2026-11-24T10:00:00Z}\n"
    "mailboxes:\n"
    "  - person: ada@acme.example\n"
    "    messages:\n"
    "      - {from: Bob <bob@acme.example>, to: ada@acme.example, subject: The sum is wrong, text: "
    "\"add.sh says that 2 and 3 are -1. Its test fails.\\n\", labels: [INBOX, UNREAD]}\n"
    "workspaces:\n"
    "  - {id: T0ACME, domain: acme, members: [{actor: ada@acme.example, id: U0ADA, name: ada}]}\n"
    "channels:\n"
    "  - {id: C0GENERAL, name: general, general: true, workspace: T0ACME}\n"
    "  - {id: C0DEV, name: dev, workspace: T0ACME, members: [U0ADA]}\n"
    "workspace:\n"
    "  - {path: app/add.sh, text: \"expr $1 - $2\\n\"}\n"
    "  - {path: app/test.sh, text: \"test $(sh add.sh 2 3) = 5 && echo passed\\n\"}\n";

static int set_up(void **state)
{
    (void)state;
    return kept_open(doc);
}

static int tear_down(void **state)
{
    (void)state;
    return kept_close();
}

static void do_the_task(void)
{
    mcp_says(ADA, MAIL, "get_emails", "{}", "Subject: The sum is wrong");
    mcp_says(ADA, MAIL, "read_email", "{'email_id':'1'}", "add.sh says that 2 and 3 are -1");
    mcp_says(ADA, TERM, "run_command", "{'command':'cd app && sh test.sh'}", "return code: 1");
    mcp_done(ADA, FS, "edit_file", "{'path':'app/add.sh','edits':[{'oldText':'-','newText':'+'}]}");
    mcp_says(ADA, TERM, "run_command", "{'command':'cd app && sh test.sh'}", "passed");
    mcp_done(ADA, GIT, "git_add", "{'repo_path':'app','files':['add.sh']}");
    mcp_says(ADA, GIT, "git_commit", "{'repo_path':'app','message':'Add, and not subtract'}",
             "Changes committed successfully");
    mcp_says(ADA, MAIL, "reply_email", "{'email_id':'1','body':'It adds now.'}",
             "Reply sent successfully to sender");
    mcp_done(ADA, NATIVE, "calendar_events_patch",
             "{'calendarId':'primary','eventId':'bugtalk','body':{'start':{'dateTime':'2026-11-25T"
             "09:00:00Z'},'end':{'dateTime':'2026-11-25T10:00:00Z'}}}");
    mcp_done(ADA, NATIVE, "slack_chat_postMessage",
             "{'channel':'C0DEV','text':'The sum is right.'}");
}

/* ---- grading ---- */

static const char suite[] =
    "{'version':'1','closed':false,'assertions':["
    "{'state':'gitRef','where':{'repository':'app','name':'refs/heads/main','subject':'Add, and "
    "not "
    "subtract'}},"
    "{'state':'workspaceFile','where':{'path':'app/add.sh','text':{'contains':'+'}}},"
    "{'diff_type':'unchanged','entity':'workspaceFile','where':{'path':'app/test.sh'}},"
    "{'state':'message','where':{'subject':'Re: The sum is wrong','to':{'contains':'bob@'}}},"
    "{'state':'event','where':{'id':'bugtalk','start.dateTime':{'contains':'2026-11-25'}}},"
    "{'diff_type':'added','entity':'chatMessage','where':{'channel_name':'dev','text':{'contains':'"
    "is "
    "right'}}},"
    "{'calls':{'method':'terminal.run_command'},'expected_count':{'min':2}}]}";

/* What a world's grade says. */
static const struct json *graded(uint64_t world)
{
    struct sosia_suite *opened;
    struct sosia_blob blob;
    const char *text = quoted(suite);
    if (sosia_suite_open(text, strlen(text), "task.json", &opened, &test_err) < 0)
        fail_msg("%s", test_err.text);
    assert_int_equal(sosia_grade(test_engine, opened, NULL, 0, world, &blob, &test_err), 0);
    const struct json *v = parsed(blob.data, blob.len);
    sosia_suite_close(opened);
    sosia_blob_free(&blob);
    return v;
}

static void expect(uint64_t world, bool passed)
{
    const struct json *v = graded(world);
    if (true_at(v, "passed") != passed)
        fail_msg("%s", json_to_text(&test_arena, v));
}

/* The number of the journal's entry of a method, the last one. */
static int64_t step_of(const char *method)
{
    struct sosia_blob blob;
    int64_t seq = 0;
    assert_int_equal(sosia_journal_list(test_engine, test_world, 0, 0, false, &blob, &test_err), 0);
    const struct json *list = parsed(blob.data, blob.len);
    for (uint32_t i = 0; i < list->n; i++)
        if (strcmp(printed_at(&list->items[i], "method"), method) == 0)
            json_i64(json_get(&list->items[i], "seq"), &seq);
    sosia_blob_free(&blob);
    assert_true(seq > 0);
    return seq;
}

static void a_bug_reported_by_mail_is_fixed_by_tools_alone(void **state)
{
    (void)state;
    NEEDS_SANDBOX();
    mcp_done(ADA, TERM, "run_command",
             "{'command':'cd app && git init -q -b main && git add . && git commit -q -m Start'}");
    do_the_task();
    expect(test_world, true);
}

static void it_is_gone_back_in_and_done_with_another_file(void **state)
{
    struct sosia_replay_options opt = {.size = sizeof opt, .keep = true};
    struct sosia_blob report, diff;
    uint64_t before, other;
    (void)state;
    NEEDS_SANDBOX();
    mcp_done(ADA, TERM, "run_command",
             "{'command':'cd app && git init -q -b main && git add . && git commit -q -m Start'}");
    do_the_task();
    /* As it was before the file was edited. */
    int64_t edit = step_of("filesystem.edit_file");
    assert_int_equal(
        sosia_world_fork_step(test_engine, test_world, edit - 1, NULL, &before, &test_err), 0);
    expect(before, false);
    /* Again, without a program: once as it was, and once with another file. */
    kept_end();
    assert_int_equal(
        sosia_journal_replay(test_engine, test_world, &opt, &other, &report, &test_err), 0);
    assert_non_null(strstr(report.data, "\"equal\": true"));
    sosia_blob_free(&report);
    expect(other, true);
    opt.edits = arena_printf(
        &test_arena,
        "[{\"step\":%lld,\"request\":{\"body\":{\"path\":\"app/add.sh\",\"edits\":[{\"oldText\":"
        "\"-\",\"newText\":\"/\"}]}}}]",
        (long long)edit);
    opt.edits_len = strlen(opt.edits);
    if (sosia_journal_replay(test_engine, test_world, &opt, &other, &report, &test_err) < 0)
        fail_msg("%s", test_err.text);
    sosia_blob_free(&report);
    expect(other, false);
    assert_int_equal(sosia_diff(test_engine, test_world, other, NULL, &diff, &test_err), 0);
    const struct json *all = value_at(parsed(diff.data, diff.len), "changes");
    assert_int_equal(all->n, 1);
    assert_at(&all->items[0], "name", "workspaceFile/app%2Fadd.sh");
    assert_at(value_at(&all->items[0], "fields"), "text",
              "{\"from\":\"expr $1 + $2\\n\",\"to\":\"expr $1 / $2\\n\"}");
    sosia_blob_free(&diff);
}

#define T(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        T(a_bug_reported_by_mail_is_fixed_by_tools_alone),
        T(it_is_gone_back_in_and_done_with_another_file),
    };
    int code;
    return kept_main(argc, argv, &code) ? code : cmocka_run_group_tests(tests, NULL, NULL);
}
