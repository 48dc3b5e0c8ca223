/* SPDX-License-Identifier: Apache-2.0 */
/* Tool servers of other names on a world's workspace: their lists, what tokens may do, what is kept
 * of calls. conformance/clients/mcp/servers.mjs compares their answers with the published
 * programs'. */
#include "mcp/servers/files.h"
#include "tests/support/mcp.h"
#include "tests/support/unit.h"

#define ADA "ada@acme.example"
#define FS  "/mcp/filesystem"
#define MEM "/mcp/localmemory"

#define DOC                                                                                        \
    "{\"sosia\":1,\"time\":\"2026-11-23T08:00:00Z\",\"people\":[{\"email\":\"" ADA                 \
    "\",\"name\":\"Ada\"}],\"workspace\":[{\"path\":\"a.txt\",\"text\":\"one\\ntwo\\n\"},"         \
    "{\"path\":\"dir/b.md\",\"text\":\"# B\\n\"},{\"path\":\"bytes\",\"base64\":\"/v5h\"},"        \
    "{\"path\":\"dir/gone.txt\",\"text\":\"same content\\n\"},"                                    \
    "{\"path\":\"out\",\"link\":\"/etc\"}]}"

static int set_up(void **state)
{
    (void)state;
    return test_open(DOC);
}

static int tear_down(void **state)
{
    (void)state;
    return test_close();
}

/* The names that a token of these scopes sees. */
static const char *names(const char *path, const char *scopes)
{
    const struct json *v = mcp_post(path, ADA, scopes, mcp_newest,
                                    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}");
    return column(v, "result.tools", "name");
}

/* ---- lists ---- */

static void a_server_is_a_service_or_a_set(void **state)
{
    static const char all[] =
        "read_file read_text_file read_media_file read_multiple_files write_file edit_file "
        "create_directory list_directory list_directory_with_sizes directory_tree move_file "
        "search_files get_file_info list_allowed_directories";
    (void)state;
    assert_string_equal(names(FS, NULL), all);
    assert_string_equal(names("/mcp?tools=filesystem", NULL), all);
    assert_string_equal(names(MEM, NULL),
                        "create_entities create_relations add_observations delete_entities "
                        "delete_observations delete_relations read_graph search_nodes open_nodes");
    /* The hosted copies' names. */
    assert_int_equal(strncmp(names(FS "?tools=hosted", NULL),
                             "filesystem_read_file filesystem_read_text_file ", 47),
                     0);
    mcp_says(ADA, FS "?tools=hosted", "filesystem_read_text_file", "{'path':'a.txt'}", "one\ntwo");
    mcp_refuse(ADA, FS "?tools=hosted", "read_text_file", "{'path':'a.txt'}", "not found");
    /* They are in no other list. */
    assert_null(strstr(names("/mcp?tools=native", NULL), "read_text_file"));
    const struct json *v = mcp_ask(ADA, FS, "initialize", "{\"protocolVersion\":\"2025-11-25\"}");
    assert_at(v, "result.serverInfo.name", "secure-filesystem-server");
    assert_at(v, "result.serverInfo.version", "0.2.0");
    v = mcp_ask(ADA, "/mcp/nothing", "tools/list", "{}");
    assert_int_equal(test_status, 404);
}

static void a_token_sees_and_does_what_it_may(void **state)
{
    static const char reading[] =
        "read_file read_text_file read_media_file read_multiple_files list_directory "
        "list_directory_with_sizes directory_tree search_files get_file_info "
        "list_allowed_directories";
    static const char write[] =
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":"
        "\"write_file\",\"arguments\":{\"path\":\"a.txt\",\"content\":\"x\"}}}";
    (void)state;
    assert_string_equal(names(FS, "workspace.readonly"), reading);
    assert_string_equal(names(FS "?risk=read", NULL), reading);
    assert_string_equal(names(FS, "https://www.googleapis.com/auth/calendar"), "");
    assert_string_equal(names(MEM, "workspace.readonly"), "read_graph search_nodes open_nodes");
    const struct json *v = mcp_post(FS, ADA, "workspace.readonly", mcp_newest, write);
    assert_at(v, "result.content.0.text", "MCP error -32602: Tool write_file not found");
    v = mcp_post(FS "?risk=read", ADA, NULL, mcp_newest, write);
    assert_at(v, "result.isError", "true");
    v = mcp_post(FS, ADA, "workspace", mcp_newest, write);
    assert_at(v, "result.content.0.text", "Successfully wrote to a.txt");
    v = mcp_post(FS "?risk=none", ADA, NULL, mcp_newest, write);
    assert_int_equal(mcp_code(v), -32602);
    mcp_post(FS, NULL, NULL, mcp_newest, write);
    assert_int_equal(test_status, 401);
}

/* ---- calls ---- */

static void a_result_is_a_text_and_the_same_as_structured(void **state)
{
    static const char *const old[] = {"MCP-Protocol-Version", "2025-03-26", NULL};
    static const char read[] =
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":"
        "\"read_text_file\",\"arguments\":{\"path\":\"a.txt\"}}}";
    (void)state;
    const struct json *v = mcp_post(FS, ADA, NULL, mcp_newest, read);
    assert_at(v, "result.structuredContent.content", "one\ntwo\n");
    assert_at(v, "result.content.0.text", "one\ntwo\n");
    assert_null(value_at(v, "result.isError"));
    /* A revision that does not know it. */
    v = mcp_post(FS, ADA, NULL, old, read);
    assert_at(v, "result.content.0.text", "one\ntwo\n");
    assert_null(value_at(v, "result.structuredContent"));
    /* Bytes that are not a text are shown as one. */
    mcp_says(ADA, FS, "read_text_file", "{'path':'bytes'}",
             "\xef\xbf\xbd\xef\xbf\xbd"
             "a");
    mcp_refuse(ADA, FS, "read_text_file", "{}",
               "Invalid input: expected string, received undefined at path");
    mcp_refuse(ADA, FS, "edit_file", "{'path':'a.txt','edits':[{'oldText':'a'}]}",
               "Invalid input: expected string, received undefined at edits[0].newText");
    mcp_refuse(ADA, FS, "nothing", "{}", "MCP error -32602: Tool nothing not found");
    assert_int_equal(mcp_code(mcp_ask(ADA, FS, "tools/call", "{\"name\":\"a\",\"arguments\":[]}")),
                     -32602);
}

static void what_is_refused_leaves_nothing(void **state)
{
    struct sosia_blob diff;
    (void)state;
    mcp_refuse(ADA, FS, "edit_file",
               "{'path':'a.txt','edits':[{'oldText':'one','newText':'1'},{'oldText':'no\\nsuch',"
               "'newText':'x'}]}",
               "Could not find exact match for edit:\nno\nsuch");
    mcp_refuse(ADA, FS, "write_file", "{'path':'none/x','content':'x'}", "ENOENT");
    mcp_refuse(ADA, FS, "write_file", "{'path':'out/x','content':'x'}", "symlink target outside");
    mcp_refuse(ADA, FS, "move_file", "{'source':'a.txt','destination':'dir/b.md'}",
               "Destination already exists: /data/dir/b.md");
    mcp_refuse(ADA, MEM, "add_observations",
               "{'observations':[{'entityName':'X','contents':['a']}]}",
               "Entity with name X not found");
    mcp_done(ADA, FS, "edit_file",
             "{'path':'a.txt','edits':[{'oldText':'one','newText':'1'}],'dryRun':true}");
    assert_int_equal(sosia_diff(test_engine, 0, test_world, NULL, &diff, &test_err), 0);
    assert_null(strstr(diff.data, "workspaceFile"));
    sosia_blob_free(&diff);
}

static void a_call_is_one_of_its_own_method(void **state)
{
    struct sosia_blob journal;
    (void)state;
    mcp_done(ADA, FS, "write_file", "{'path':'a.txt','content':'other'}");
    assert_int_equal(sosia_journal_list(test_engine, test_world, 0, 0, false, &journal, &test_err),
                     0);
    assert_non_null(strstr(journal.data, "filesystem.write_file"));
    sosia_blob_free(&journal);
}

/* ---- changes ---- */

static void changes_are_shown_by_file(void **state)
{
    struct sosia_blob diff;
    (void)state;
    mcp_done(ADA, FS, "write_file", "{'path':'a.txt','content':'one\\n2\\n'}");
    mcp_done(ADA, FS, "move_file", "{'source':'dir/b.md','destination':'moved.md'}");
    /* By hand: a file under another path with the same content. */
    mcp_done(ADA, FS, "write_file", "{'path':'copy.txt','content':'same content\\n'}");
    mcp_done(ADA, MEM, "create_entities",
             "{'entities':[{'name':'Ada','entityType':'person','observations':[]}]}");
    assert_int_equal(sosia_diff(test_engine, 0, test_world, NULL, &diff, &test_err), 0);
    const struct json *all = value_at(parsed(diff.data, diff.len), "changes");
    assert_non_null(all);
    const char *seen = "";
    for (uint32_t i = 0; i < all->n; i++) {
        const struct json *v = &all->items[i];
        seen = arena_printf(&test_arena, "%s%s %s; ", seen, printed_at(v, "change"),
                            printed_at(v, "key.path"));
        assert_at(v, "service", "workspace");
        if (strcmp(printed_at(v, "entity"), "workspaceFile") == 0)
            continue;
        /* An item of the graph in the place of its file. */
        assert_at(v, "entity", "workspaceMemory");
        assert_at(v, "value.entityType", "person");
    }
    assert_string_equal(seen, "changed a.txt; added copy.txt; added memory; changed moved.md; "
                              "added ; ");
    sosia_blob_free(&diff);
}

/* ---- grading ---- */

static bool passes(const char *assertions)
{
    struct sosia_suite *suite;
    struct sosia_blob blob;
    const char *text = quoted(
        arena_printf(&test_arena, "{'version':'1','closed':false,'assertions':[%s]}", assertions));
    if (sosia_suite_open(text, strlen(text), "test.json", &suite, &test_err) < 0)
        fail_msg("%s", test_err.text);
    assert_int_equal(sosia_grade(test_engine, suite, NULL, 0, test_world, &blob, &test_err), 0);
    bool passed = true_at(parsed(blob.data, blob.len), "passed");
    sosia_suite_close(suite);
    sosia_blob_free(&blob);
    return passed;
}

#define CHANGED(to)                                                                                \
    "{'diff_type':'changed','entity':'workspaceFile','where':{'path':'a.txt'},"                    \
    "'expected_changes':{'text':{'to':" to "}},'ignore':['size','sha256']}"

static void files_are_graded_by_content(void **state)
{
    (void)state;
    mcp_done(ADA, FS, "write_file", "{'path':'a.txt','content':'one\\n2\\n'}");
    assert_true(passes(CHANGED("{'contains':'2'}")));
    assert_false(passes(CHANGED("{'contains':'3'}")));
    assert_true(passes("{'state':'workspaceFile','where':{'path':'out','kind':'link','target':"
                       "'/etc'}}"));
    assert_false(passes("{'state':'workspaceFile','where':{'path':'out','kind':'file'}}"));
    assert_true(passes("{'calls':{'method':'filesystem.write_file'},'expected_count':1}"));
}

/* ---- resources ---- */

static const struct json *resource(const char *path, const char *scopes, const char *uri)
{
    return mcp_post(path, ADA, scopes, mcp_newest,
                    arena_printf(&test_arena,
                                 "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"resources/read\","
                                 "\"params\":{\"uri\":\"%s\"}}",
                                 uri));
}

static void files_and_the_graph_are_resources(void **state)
{
    (void)state;
    mcp_done(ADA, FS, "write_file", "{'path':'a b#.txt','content':'x'}");
    const struct json *v = mcp_ask(ADA, FS, "resources/list", "{}");
    assert_string_equal(column(v, "result.resources", "uri"),
                        "file:///data/a%20b%23.txt file:///data/a.txt file:///data/bytes "
                        "file:///data/dir/b.md file:///data/dir/gone.txt file:///data/out");
    v = resource(FS, NULL, "file:///data/a%20b%23.txt");
    assert_at(v, "result.contents.0.text", "x");
    assert_at(v, "result.contents.0.mimeType", "text/plain");
    v = resource(FS, "workspace.readonly", "file:///data/bytes");
    assert_at(v, "result.contents.0.blob", "/v5h");
    static const char *const none[] = {"file:///data/none",
                                       "file:///etc/passwd",
                                       "file:///data/../etc/passwd",
                                       "file:///data/out",
                                       "file:///data/dir",
                                       "memory://knowledge-graph",
                                       "x"};
    for (size_t i = 0; i < SOSIA_LEN(none); i++)
        assert_int_equal(mcp_code(resource(FS, NULL, none[i])), -32002);
    assert_int_equal(
        mcp_code(resource(FS, "https://www.googleapis.com/auth/calendar", "file:///data/a.txt")),
        -32002);
    v = resource(MEM, NULL, "memory://knowledge-graph");
    assert_at(v, "result.contents.0.text", "{\n  \"entities\": [],\n  \"relations\": []\n}");
    v = mcp_ask(ADA, MEM, "resources/list", "{}");
    assert_string_equal(column(v, "result.resources", "uri"), "memory://knowledge-graph");
}

/* ---- patterns ---- */

static void patterns_match_as_shells_have_them(void **state)
{
    static const struct {
        const char *pattern, *path;
        bool matches;
    } of[] = {
        {"*.c", "a.c", true},
        {"*.c", "d/a.c", false},
        {"**/*.c", "a.c", true},
        {"**/*.c", "d/e/a.c", true},
        {"d/**", "d", false},
        {"d/**", "d/e/f", true},
        {"**", "a/b", true},
        {"**/d/**", "d/x", true},
        {"**/d/**", "d", false},
        {"a/**/b", "a/b", true},
        {"a/**/b", "a/x/y/b", true},
        {"?", "\xc3\xa4", true},
        {"?", "ab", false},
        {"[a-c]x", "bx", true},
        {"[!a-c]x", "bx", false},
        {"[]x]", "]", true},
        {"[a", "[a", true},
        {"{a,b{1,2}}.c", "b2.c", true},
        {"{a}", "{a}", true},
        {"\\*", "*", true},
        {"\\*", "a", false},
        {"!*.c", "a.h", true},
        {"!*.c", "a.c", false},
        {"#a", "#a", false},
        {"*", ".a", true},
        {"a*b*c", "axxbxxc", true},
        {"a*b*c", "axxbxx", false},
        {"", "a", false},
        {"*a*a*a*a*a*b", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", false},
        {"{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}x", "y", false},
    };
    (void)state;
    for (size_t i = 0; i < SOSIA_LEN(of); i++)
        if (glob_matches(&test_arena, of[i].pattern, of[i].path) != of[i].matches)
            fail_msg("%s and %s", of[i].pattern, of[i].path);
}

#define T(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(a_server_is_a_service_or_a_set),
        T(a_token_sees_and_does_what_it_may),
        T(a_result_is_a_text_and_the_same_as_structured),
        T(what_is_refused_leaves_nothing),
        T(a_call_is_one_of_its_own_method),
        T(changes_are_shown_by_file),
        T(files_are_graded_by_content),
        T(files_and_the_graph_are_resources),
        T(patterns_match_as_shells_have_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
