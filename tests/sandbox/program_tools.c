/* SPDX-License-Identifier: Apache-2.0 */
/* Tool servers that run programs on a workspace: their texts, rules and refusals. */
#include "tests/sandbox/tools.h"

/* ---- terminal ---- */

static void a_terminal_runs_commands(void **state)
{
    NEEDS_SANDBOX();
    same(ran("cat a.txt"), "one\ntwo\n");
    assert_false(mcp_refused);
    same(ran("echo *"), "*\n"); /* without an operator there is no shell */
    same(ran("echo * | cat"), "a.txt repo\n");
    same(ran("cd repo && ls; pwd"), "f\n/data/repo\n");
    same(ran("pwd"), "/data\n");
    same(ran("true"), "\nCommand completed with return code: 0");
    same(ran("ls nothing"), "ls: cannot access 'nothing': No such file or directory\n");
    same(ran("sh -c 'exit 7'"), "\nCommand completed with return code: 7");
    same(ran("nope -x"), "Error: [Errno 2] No such file or directory: 'nope'");
    assert_false(mcp_refused); /* nothing of it is an error to clients */
    /* Both streams and the status, each in a block. */
    const struct json *v =
        mcp_ask(ADA, TERM, "tools/call",
                "{\"name\":\"run_command\",\"arguments\":{\"command\":\"echo o; ls none; exit "
                "2\"}}");
    assert_at(v, "result.content",
              "[{\"type\":\"text\",\"text\":\"o\\n\"},{\"type\":\"text\",\"text\":\"ls: cannot "
              "access 'none': No such file or directory\\n\",\"error\":true},{\"type\":\"text\","
              "\"text\":\"\\nCommand completed with return code: 2\"}]");
}

static void a_terminal_has_rules(void **state)
{
    static const char *const refused[][2] = {
        {"", "Empty command"},
        {"  ", "Empty command"},
        {"cat /etc/passwd", "Path '/etc/passwd' is outside of allowed directory: /data"},
        {"cat ../x", "Path '../x' is outside of allowed directory: /data"},
        {"cat /data2", "Path '/data2' is outside of allowed directory: /data"},
        {"cat ~/x", "Path '~/x' is outside of allowed directory: /data"},
        {"ls | cat /etc/passwd", "Path '/etc/passwd' is outside of allowed directory: /data"},
        {"tar --file=/etc/x", "Path '--file=/etc/x' is outside of allowed directory: /data"},
        {"echo 'x", "Invalid command format: No closing quotation"},
        {"echo x\\\\", "Invalid command format: No escaped character"}};
    (void)state;
    for (size_t i = 0; i < SOSIA_LEN(refused); i++)
        same(ran(refused[i][0]),
             arena_printf(&test_arena, "Security violation: %s", refused[i][1]));
    same(ran(mcp_repeated("x", 2049)),
         "Security violation: Command exceeds maximum length of 2048");
    mcp_refuse(ADA, TERM, "run_command", "{}", "Invalid arguments for tool run_command");
    test_use(HEAD ",\"programs\":{\"terminal\":{\"commands\":\"ls,cat,find\",\"flags\":\"-l\","
                  "\"operators\":false,\"length\":30,\"seconds\":1}}}");
    same(ran("rm x"), "Security violation: Command 'rm' is not allowed");
    same(ran("ls -a"), "Security violation: Flag '-a' is not allowed");
    same(ran("ls | cat"), "Security violation: Shell operator '|' is not supported. Set "
                          "ALLOW_SHELL_OPERATORS=true to enable.");
    same(ran("ls aaaaaaaaaaaaaaaaaaaaaaaaaaaaa"),
         "Security violation: Command exceeds maximum length of 30");
    mcp_says(ADA, TERM, "show_security_rules", "{}",
             "Security Configuration:\n==================\nWorking Directory: /data\n\nAllowed "
             "Commands:\n----------------\ncat, find, ls\n\nAllowed "
             "Flags:\n-------------\n-l\n\nSecurity Limits:\n---------------\nMax Command Length: "
             "30 characters\nCommand Timeout: 1 seconds\n");
    test_use(HEAD ",\"programs\":{\"terminal\":{\"commands\":\"echo\",\"seconds\":1}}}");
    same(ran("echo hi > f"),
         "Security violation: Invalid command part 'f': Command 'f' is not allowed");
}

static void a_terminal_has_a_time(void **state)
{
    NEEDS_SANDBOX();
    test_use(HEAD ",\"programs\":{\"terminal\":{\"seconds\":1}}}");
    same(ran("sleep 9"), "Error: Command timed out after 1 seconds");
}

static void settings_are_as_they_must_be(void **state)
{
    static const char *const bad[] = {
        "{\"terminal\":{\"seconds\":0}}", "{\"terminal\":{\"command\":\"x\"}}",
        "{\"limits\":{\"processes\":-1}}", "{\"git\":{\"name\":1}}", "[]"};
    uint64_t world;
    (void)state;
    for (size_t i = 0; i < SOSIA_LEN(bad); i++) {
        const char *doc = arena_printf(&test_arena, HEAD ",\"programs\":%s}", bad[i]);
        struct sosia_world_options opt = {
            .size = sizeof opt, .seed_doc = doc, .seed_doc_len = strlen(doc)};
        assert_int_equal(sosia_world_create(test_engine, &opt, &world, &test_err), -1);
    }
    test_use(HEAD ",\"programs\":{\"terminal\":{\"seconds\":1},\"git\":{\"name\":\"Ed\"}}}");
    assert_string_equal(printed_at(test_dump(), "programs"),
                        "{\"terminal\":{\"seconds\":1},\"git\":{\"name\":\"Ed\"}}");
    test_use(DOC);
    assert_null(json_get(test_dump(), "programs"));
}

/* ---- git ---- */

static const char *git(const char *tool, const char *arguments)
{
    return arena_strdup(&test_arena,
                        mcp_call(ADA, GIT, tool,
                                 arena_printf(&test_arena, "{'repo_path':'/data/repo'%s%s}",
                                              *arguments ? "," : "", arguments)));
}

static void begin_repository(void)
{
    mcp_done(ADA, TERM, "run_command", "{'command':'git init -q -b main repo'}");
}

static void git_commits_and_shows(void **state)
{
    NEEDS_SANDBOX();
    begin_repository();
    same(
        git("git_status", ""),
        "Repository status:\nOn branch main\n\nNo commits yet\n\nUntracked files:\n  (use \"git "
        "add <file>...\" to include in what will be committed)\n\tf\n\nnothing added to commit but "
        "untracked files present (use \"git add\" to track)");
    same(git("git_log", ""), "Reference at 'refs/heads/main' does not exist");
    assert_true(mcp_refused);
    same(git("git_add", "'files':['f']"), "Files staged successfully");
    const char *done = git("git_commit", "'message':'first'");
    const char *sha = done + strlen("Changes committed successfully with hash ");
    assert_int_equal(strlen(sha), 40);
    same(git("git_log", ""),
         arena_printf(&test_arena,
                      "Commit history:\nCommit: '%s'\nAuthor: <git.Actor \"Agent "
                      "<agent@localhost>\">\nDate: 2026-11-23 08:00:00+00:00\nMessage: 'first'\n",
                      sha));
    same(git("git_show", "'revision':'HEAD'"),
         arena_printf(&test_arena,
                      "Commit: '%s'\nAuthor: <git.Actor \"Agent <agent@localhost>\">\nDate: "
                      "datetime.datetime(2026, 11, 23, 8, 0, tzinfo=<git.objects.util.tzoffset "
                      "object at 0x7f0000000000>)\nMessage: 'first'\n\n--- None\n+++ f\n@@ -0,0 +1 "
                      "@@\n+first\n",
                      sha));
    mcp_done(ADA, TERM, "run_command", "{'command':'echo more >> repo/f'}");
    same(git("git_diff_unstaged", ""),
         "Unstaged changes:\ndiff --git a/f b/f\nindex 9c59e24..6b9c9cb 100644\n--- a/f\n+++ "
         "b/f\n@@ -1 +1,2 @@\n first\n+more");
    same(git("git_diff_staged", ""), "Staged changes:\n");
    same(git("git_add", "'files':['.']"), "Files staged successfully");
    same(git("git_diff_staged", "'context_lines':0"),
         "Staged changes:\ndiff --git a/f b/f\nindex 9c59e24..6b9c9cb 100644\n--- a/f\n+++ "
         "b/f\n@@ -1,0 +2 @@ first\n+more");
    same(git("git_reset", ""), "All staged changes reset");
    same(git("git_diff_staged", ""), "Staged changes:\n");
    git("git_add", "'files':['f']");
    mcp_done(ADA, GIT, "git_commit", "{'repo_path':'repo','message':'it\\'s \\\\ two\\n'}");
    const char *log = git("git_log", "'max_count':1");
    assert_non_null(strstr(log, "Message: \"it's \\\\ two\\n\"\n"));
    log = git("git_log", "'start_timestamp':'2026-11-22','end_timestamp':'2026-11-25'");
    assert_non_null(strstr(log, "\nAuthor: Agent\nDate: Mon Nov 23 08:00:00 2026 +0000\nMessage: "
                                "it's \\ two\n\nCommit: "));
    assert_null(strstr(git("git_log", "'end_timestamp':'2026-11-21'"), "Author"));
    assert_non_null(strstr(git("git_diff", "'target':'HEAD~1'"), "Diff with HEAD~1:\ndiff --git"));
    /* An empty commit is one too. */
    assert_int_equal(strlen(git("git_commit", "'message':'nothing'")), 81);
}

static void git_branches(void **state)
{
    NEEDS_SANDBOX();
    begin_repository();
    git("git_add", "'files':['f']");
    git("git_commit", "'message':'first'");
    same(git("git_create_branch", "'branch_name':'dev'"), "Created branch 'dev' from 'main'");
    same(git("git_create_branch", "'branch_name':'dev','base_branch':'main'"),
         "Created branch 'dev' from 'main'");
    same(git("git_create_branch", "'branch_name':'x','base_branch':'none'"),
         "No item found with id 'none'");
    assert_true(mcp_refused);
    same(git("git_checkout", "'branch_name':'dev'"), "Switched to branch 'dev'");
    same(git("git_branch", "'branch_type':'local'"), "* dev\n  main");
    same(git("git_branch", "'branch_type':'remote'"), "");
    same(git("git_branch", "'branch_type':'odd'"), "Invalid branch type: odd");
    assert_false(mcp_refused);
    same(git("git_checkout", "'branch_name':'nope'"), "Ref 'nope' did not resolve to an object");
}

static void git_refuses_as_the_original(void **state)
{
    NEEDS_SANDBOX();
    begin_repository();
    git("git_add", "'files':['f']");
    git("git_commit", "'message':'first'");
    same(git("git_diff", "'target':'-x'"),
         "Ref 'Invalid target: '-x' - cannot start with '-'' did not resolve to an object");
    assert_true(mcp_refused);
    same(git("git_diff", "'target':'nope'"), "Ref 'nope' did not resolve to an object");
    same(git("git_show", "'revision':'nope'"), "Ref 'nope' did not resolve to an object");
    same(git("git_add", "'files':['missing']"),
         "Cmd('git') failed due to: exit code(128)\n  cmdline: git add -- missing\n  stderr: "
         "'fatal: pathspec 'missing' did not match any files'");
    same(git("git_add", "'files':['../a.txt']"),
         "Path '../a.txt' is outside the repository '/data/repo'");
    same(mcp_call(ADA, GIT, "git_status", "{'repo_path':'/data/none'}"), "/data/none");
    same(mcp_call(ADA, GIT, "git_status", "{'repo_path':'/etc'}"), "/etc");
    same(mcp_call(ADA, GIT, "git_status", "{'repo_path':'/data'}"), "");
    assert_true(mcp_refused);
    mcp_refuse(ADA, GIT, "git_status", "{}", "Invalid arguments for tool git_status");
    /* A repository that would run a program does so in the session. */
    ran("git -C repo config core.fsmonitor 'touch /tmp/ran; false'");
    git("git_status", "");
    assert_int_equal(access("/tmp/ran", F_OK), -1);
}

static void commits_have_the_same_ids_each_time(void **state)
{
    const char *sha[2];
    NEEDS_SANDBOX();
    for (int i = 0; i < 2; i++) {
        test_use(HEAD ",\"programs\":{\"git\":{\"name\":\"Ed \\\"E\\\" Eve\","
                      "\"email\":\"ed@acme.example\"}}}");
        begin_repository();
        git("git_add", "'files':['f']");
        sha[i] = git("git_commit", "'message':'first'");
        assert_non_null(strstr(git("git_log", ""), "Ed \"E\" Eve <ed@acme.example>"));
        /* By the terminal too, and a repository's own name goes before. */
        mcp_done(ADA, TERM, "run_command",
                 "{'command':'git -C repo commit -q --allow-empty -m second'}");
        assert_non_null(strstr(git("git_log", "'max_count':1"), "Ed \"E\" Eve"));
        mcp_done(ADA, TERM, "run_command", "{'command':'git -C repo config user.name Own'}");
        git("git_commit", "'message':'third'");
        assert_non_null(strstr(git("git_log", "'max_count':1"), "\"Own <ed@acme.example>\""));
    }
    same(sha[0], sha[1]);
}

/* ---- code ---- */

static void code_is_run(void **state)
{
    NEEDS_SANDBOX();
    same(mcp_done(ADA, CODE, "run-code", "{'code':'print(6*7)','languageId':'python'}"), "42\n");
    same(mcp_done(ADA, CODE, "run-code", "{'code':'ls','languageId':'shellscript'}"),
         "a.txt\nrepo\n");
    same(mcp_call(ADA, CODE, "run-code",
                  "{'code':'echo out; echo no >&2; exit 3','languageId':'shellscript'}"),
         "Error: Command failed: bash \"/tmp/tmp.shellscript\"\nno\n");
    assert_true(mcp_refused);
    same(mcp_call(ADA, CODE, "run-code", "{'code':'echo e >&2','languageId':'shellscript'}"),
         "Stderr: e\n");
    same(mcp_call(ADA, CODE, "run-code", "{'code':'','languageId':'python'}"), "Code is required.");
    same(mcp_call(ADA, CODE, "run-code", "{'code':'x','languageId':'scala'}"),
         "Error: Command failed: scala \"/tmp/tmp.scala\"\n/bin/sh: 1: scala: not found\n");
    mcp_refuse(ADA, CODE, "run-code", "{'code':'x','languageId':'cobol'}",
               "Invalid enum value. Expected");
    same(mcp_done(ADA, CODE, "run-code",
                  "{'code':'import sys; print(sys.stdin.read())','languageId':'python'}"),
         "\n");
}

static const char *status_of(const char *text)
{
    return json_get_str(parsed(text, strlen(text)), "status");
}

static void code_is_kept_in_files(void **state)
{
    NEEDS_SANDBOX();
    const char *text = mcp_done(ADA, EXEC, "execute_code",
                                "{'code':'import os; print(os.getcwd())','filename':'w.py'}");
    const struct json *v = parsed(text, strlen(text));
    assert_string_equal(json_get_str(v, "status"), "success");
    assert_string_equal(json_get_str(v, "output"), "/data/repos/mcp_code_executor_workspace\n");
    const char *path = json_get_str(v, "file_path"), *name = json_get_str(v, "generated_filename");
    assert_int_equal(strncmp(name, "w_", 2), 0);
    assert_int_equal(strlen(name), strlen("w_01234567.py"));
    assert_non_null(strstr(path, name));
    text = mcp_done(ADA, EXEC, "read_code_file",
                    arena_printf(&test_arena, "{'file_path':'%s'}", path));
    assert_string_equal(json_get_str(parsed(text, strlen(text)), "content"),
                        "import os; print(os.getcwd())");
    text = mcp_done(
        ADA, EXEC, "append_to_code_file",
        arena_printf(&test_arena, "{'file_path':'%s','content':'; import none_such'}", path));
    assert_string_equal(status_of(text), "success");
    text = mcp_done(ADA, EXEC, "execute_code_file",
                    arena_printf(&test_arena, "{'file_path':'%s'}", path));
    assert_string_equal(status_of(text), "error");
    assert_non_null(strstr(text, "No module named 'none_such'"));
    text = mcp_done(ADA, EXEC, "initialize_code_file", "{'content':'print(1)'}");
    path = json_get_str(parsed(text, strlen(text)), "file_path");
    text = mcp_done(ADA, EXEC, "execute_code_file",
                    arena_printf(&test_arena, "{'file_path':'%s'}", path));
    assert_non_null(strstr(text, "\"output\":\"1\\n\""));
    assert_non_null(strstr(mcp_done(ADA, EXEC, "read_code_file", "{'file_path':'/etc/passwd'}"),
                           "does not exist"));
    assert_non_null(strstr(mcp_done(ADA, EXEC, "install_dependencies", "{'packages':['x']}"),
                           "No matching distribution found for x"));
    text = mcp_done(ADA, EXEC, "check_installed_packages", "{'packages':['none-such']}");
    assert_non_null(strstr(text, "[{\"package\":\"none-such\",\"installed\":false}]"));
    text = mcp_done(ADA, EXEC, "python_execute", "{'code':'print(1)','filename':'a.py'}");
    assert_non_null(strstr(text, "=== STDOUT ===\n1\n=== EXECUTION INFO ===\nReturn code: "
                                 "0\nExecution time: 0."));
    assert_non_null(strstr(text, " seconds\nTimeout limit: 30 seconds"));
    same(mcp_done(ADA, EXEC, "python_execute",
                  "{'code':'import time; "
                  "time.sleep(9)','timeout':1}"),
         "=== EXECUTION TIMEOUT ===\nExecution timed out after 1 seconds\nTimeout limit: 1 "
         "seconds");
    same(ran("ls .python_tmp/a.py"), ".python_tmp/a.py\n");
}

int main(int argc, char **argv)
{
    int code;
    if (kept_main(argc, argv, &code))
        return code;
#define tools_test(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        tools_test(a_terminal_runs_commands),    tools_test(a_terminal_has_rules),
        tools_test(a_terminal_has_a_time),       tools_test(settings_are_as_they_must_be),
        tools_test(git_commits_and_shows),       tools_test(git_branches),
        tools_test(git_refuses_as_the_original), tools_test(code_is_run),
        tools_test(code_is_kept_in_files),       tools_test(commits_have_the_same_ids_each_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
