/* SPDX-License-Identifier: Apache-2.0 */
/* The set of desktop-commander, whose programs are those of the world's workspace. */
#include "tests/sandbox/tools.h"

/* ---- a desktop ---- */

static void has(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("expected <%s> in <%s>", part, text);
}

static void a_desktop_has_files(void **state)
{
    (void)state;
    same(mcp_done(ADA, DESK, "read_file", "{'path':'/data/a.txt'}"),
         "[Reading 2 lines from start (total: 2 lines, 0 remaining)]\n\none\ntwo");
    same(mcp_done(ADA, DESK, "read_file", "{'path':'a.txt','offset':1,'length':1}"),
         "[Reading 1 lines from line 1 (total: 2 lines, 0 remaining)]\n\ntwo");
    same(mcp_done(ADA, DESK, "read_file", "{'path':'a.txt','length':1}"),
         "[Reading 1 lines from start (total: 2 lines, 1 remaining)]\n\none");
    same(mcp_done(ADA, DESK, "read_file", "{'path':'a.txt','offset':-1}"),
         "[Reading last 1 lines (total: 2 lines)]\n\ntwo");
    same(mcp_call(ADA, DESK, "read_file", "{'path':'/etc/passwd'}"),
         "Error: Path not allowed: /etc/passwd. Must be within one of these directories: /data");
    assert_true(mcp_refused);
    same(mcp_call(ADA, DESK, "read_file", "{'path':'none'}"),
         "Error: ENOENT: no such file or directory, stat '/data/none'");
    same(mcp_done(ADA, DESK, "read_file", "{'path':'repo'}"),
         "This is a directory, not a file. Use the list_directory tool instead of read_file for "
         "directories.\n\n[FILE] f");
    same(mcp_done(ADA, DESK, "write_file", "{'path':'b.txt','content':'1\\n2\\n'}"),
         "Successfully wrote to b.txt (3 lines) ");
    mcp_refuse(ADA, DESK, "write_file", "{'path':'b.txt','content':'x'}",
               "Write rejected to prevent accidental data loss: b.txt already exists with content "
               "(4 bytes)");
    same(mcp_done(ADA, DESK, "write_file", "{'path':'b.txt','content':'3','mode':'append'}"),
         "Successfully appended to b.txt (1 lines) ");
    same(mcp_done(ADA, DESK, "read_file", "{'path':'b.txt'}"),
         "[Reading 3 lines from start (total: 3 lines, 0 remaining)]\n\n1\n2\n3");
    same(mcp_done(ADA, DESK, "edit_block",
                  "{'file_path':'b.txt','old_string':'2','new_string':'two'}"),
         "[Reading 3 lines from start (total: 3 lines, 0 remaining)]\n\n1\ntwo\n3");
    mcp_says(ADA, DESK, "edit_block", "{'file_path':'a.txt','old_string':'o','new_string':'x'}",
             "Expected 1 occurrences but found 2 in a.txt.");
    mcp_says(ADA, DESK, "edit_block", "{'file_path':'a.txt','old_string':'q','new_string':'x'}",
             "Search content not found in a.txt.");
    same(mcp_done(ADA, DESK, "create_directory", "{'path':'x/y'}"),
         "Successfully created directory x/y");
    same(mcp_done(ADA, DESK, "move_file", "{'source':'b.txt','destination':'x/y/c.txt'}"),
         "Successfully moved b.txt to x/y/c.txt");
    same(mcp_done(ADA, DESK, "list_directory", "{'path':'/data'}"),
         "[FILE] a.txt\n[DIR] repo\n[FILE] repo/f\n[DIR] x\n[DIR] x/y");
    same(mcp_done(ADA, DESK, "get_file_info", "{'path':'x/y/c.txt'}"),
         "size: 7\ncreated: \"2026-11-23T08:00:00.000Z\"\nmodified: \"2026-11-23T08:00:00.000Z\"\n"
         "accessed: \"2026-11-23T08:00:00.000Z\"\nisDirectory: false\nisFile: true\npermissions: "
         "644\n"
         "fileType: text\nlineCount: 3\nlastLine: 2\nappendPosition: 3");
    same(mcp_call(ADA, DESK, "get_file_info", "{'path':'none'}"),
         "Error: ENOENT: no such file or directory, stat '/data/none'");
    const char *several = mcp_done(ADA, DESK, "read_multiple_files",
                                   "{'paths':['a.txt','none','repo','/etc/passwd']}");
    same(several, "a.txt: text/plain (text)\n"
                  "none: Error - ENOENT: no such file or directory, stat '/data/none'\n"
                  "repo: text/plain (text)\n"
                  "/etc/passwd: Error - Path not allowed: /etc/passwd. Must be within one of these "
                  "directories: /data");
    assert_string_equal(
        text_at(mcp_ask(ADA, DESK, "tools/call",
                        "{\"name\":\"read_multiple_files\",\"arguments\":{\"paths\":[\"a.txt\"]}}"),
                "result.content.1.text"),
        "\n--- a.txt contents: ---\n[Reading 2 lines from start (total: 2 lines, 0 remaining)]\n\n"
        "one\ntwo");
    mcp_says(ADA, DESK, "get_config", "{}", "Current configuration:\n{\n  \"blockedCommands\": [");
}

/* A block of a tool's result: so many after the first, by its member. */
static const char *block(const char *tool, const char *arguments, int at, const char *member)
{
    return text_at(mcp_ask(ADA, DESK, "tools/call",
                           arena_printf(&test_arena, "{\"name\":\"%s\",\"arguments\":%s}", tool,
                                        quoted(arguments))),
                   arena_printf(&test_arena, "result.content.%d.%s", at, member));
}

#define MODIFY                                                                                     \
    "\n[To MODIFY cells: use edit_block with range param, e.g., edit_block(path, {range: "         \
    "\"Sheet1!E5\", content: [[newValue]]}). read_file accepts the same range form, or pass "      \
    "sheet "                                                                                       \
    "+ range separately.]\n\n"

static void a_desktop_reads_pictures_and_bytes(void **state)
{
    (void)state;
    mcp_done(ADA, DESK, "write_file", "{'path':'p.png','content':'iVBORw0KGgo='}");
    same(block("read_file", "{'path':'p.png'}", 0, "text"), "Image file: p.png (image/png)\n");
    same(block("read_file", "{'path':'p.png'}", 1, "type"), "image");
    same(block("read_file", "{'path':'p.png'}", 1, "data"), "iVBORw0KGgo=");
    same(block("read_file", "{'path':'p.png'}", 1, "mimeType"), "image/png");
    has(mcp_done(ADA, DESK, "get_file_info", "{'path':'p.png'}"), "fileType: image\nisImage: true");
    same(mcp_done(ADA, DESK, "read_multiple_files", "{'paths':['p.png','a.txt','p.png']}"),
         "p.png: image/png (image)\na.txt: text/plain (text)\np.png: image/png (image)");
    same(block("read_multiple_files", "{'paths':['p.png','a.txt','p.png']}", 3, "data"),
         "iVBORw0KGgo=");
    mcp_refuse(ADA, DESK, "read_file", "{'path':'https://far.example/x','isUrl':true}",
               "Failed to fetch URL: request to https://far.example/x failed, reason: getaddrinfo "
               "ENOTFOUND far.example");
}

static void a_desktop_has_workbooks(void **state)
{
    (void)state;
    same(mcp_done(ADA, DESK, "write_file",
                  "{'path':'b.xlsx','content':'{\\\"Costs\\\":[[\\\"Item\\\",\\\"Cost\\\"],"
                  "[\\\"Chair\\\",12.5],[\\\"Desk\\\",40]],\\\"My Notes\\\":[[true]]}'}"),
         "Successfully wrote to b.xlsx (1 lines) ");
    same(mcp_done(ADA, DESK, "read_file", "{'path':'b.xlsx'}"),
         "[Sheet: 'Costs' from b.xlsx]" MODIFY
         "[[\"Item\",\"Cost\"],[\"Chair\",12.5],[\"Desk\",40]]");
    same(mcp_done(ADA, DESK, "read_file", "{'path':'b.xlsx','offset':1,'length':1}"),
         "[Sheet: 'Costs' from b.xlsx]\n[Showing rows 2-2 of 3 total. Use offset/length to "
         "paginate.]" MODIFY "[[\"Chair\",12.5]]");
    has(mcp_done(ADA, DESK, "read_file", "{'path':'b.xlsx','sheet':'1'}"),
        "{range: \"My Notes!E5\", content");
    has(mcp_done(ADA, DESK, "read_file", "{'path':'b.xlsx','range':'Costs!B2:B3'}"),
        "\n\n[[12.5],[40]]");
    same(mcp_done(ADA, DESK, "edit_block",
                  "{'file_path':'b.xlsx','range':'Costs!B3','content':[[41],['=B2+B3']]}"),
         "Successfully updated range Costs!B3 in b.xlsx");
    has(mcp_done(ADA, DESK, "read_file", "{'path':'b.xlsx'}"), "[\"Desk\",41],[null,53.5]]");
    same(mcp_done(ADA, DESK, "write_file", "{'path':'b.xlsx','content':'[[7]]','mode':'append'}"),
         "Successfully appended to b.xlsx (1 lines) ");
    has(mcp_done(ADA, DESK, "get_file_info", "{'path':'b.xlsx'}"),
        "fileType: excel\nsheets: \n  [0] { name: Costs, rowCount: 4, colCount: 2 }\n  [1] { name: "
        "My Notes, rowCount: 1, colCount: 1 }\n  [2] { name: Sheet1, rowCount: 1, colCount: 1 }\n"
        "isExcelFile: true");
    static const char *const names[][2] = {
        {"A/b",
         "Worksheet name A/b cannot include any of the following characters: * ? : \\ / [ ]"},
        {"History", "The name \"History\" is protected."},
        {"costs", "Worksheet name already exists: Costs"},
        {"", "The name can't be empty."}};
    for (size_t i = 0; i < SOSIA_LEN(names); i++)
        mcp_refuse(ADA, DESK, "edit_block",
                   arena_printf(&test_arena,
                                "{'file_path':'b.xlsx','range':'%s!A1','content':[[1]]}",
                                names[i][0]),
                   names[i][1]);
    mcp_done(ADA, DESK, "write_file",
             "{'path':'long.xlsx','content':'{\\\"0123456789012345678901234567890123\\\":[[1]]}'}");
    has(mcp_done(ADA, DESK, "read_file", "{'path':'long.xlsx'}"),
        "[Sheet: '0123456789012345678901234567890' from");
    mcp_refuse(ADA, DESK, "read_file", "{'path':'b.xlsx','sheet':'No'}",
               "Sheet \"No\" not found. Available sheets: Costs, My Notes, Sheet1");
    mcp_refuse(ADA, DESK, "read_file", "{'path':'b.xlsx','sheet':'7'}",
               "Sheet index 7 out of range (0-2)");
    mcp_refuse(ADA, DESK, "read_file", "{'path':'b.xlsx','range':'zz'}",
               "Invalid cell range: \"zz\".");
    mcp_refuse(ADA, DESK, "write_file", "{'path':'b.xlsx','content':'a,b','mode':'rewrite'}",
               "Invalid content format. Expected JSON string with 2D array");
    mcp_refuse(ADA, DESK, "edit_block", "{'file_path':'a.txt','range':'A1','content':[[1]]}",
               "Range-based editing not supported for a.txt.");
    mcp_refuse(ADA, DESK, "edit_block", "{'file_path':'a.txt','range':'A1'}",
               "Must provide either (old_string + new_string) or (range + content)");
    mcp_done(ADA, DESK, "move_file", "{'source':'a.txt','destination':'bad.xlsx'}");
    mcp_refuse(ADA, DESK, "read_file", "{'path':'bad.xlsx'}",
               "Can't find end of central directory : is this a zip file ?");
}

static void a_desktop_refuses_arguments(void **state)
{
    (void)state;
    same(mcp_call(ADA, DESK, "read_file", "{}"),
         "Error: [\n  {\n    \"code\": \"invalid_type\",\n    \"expected\": \"string\",\n    "
         "\"received\": \"undefined\",\n    \"path\": [\n      \"path\"\n    ],\n    \"message\": "
         "\"Required\"\n  }\n]");
    assert_true(mcp_refused);
    has(mcp_call(ADA, DESK, "kill_process", "{'pid':'x'}"),
        "Error: [\n  {\n    \"code\": \"invalid_type\",\n    "
        "\"expected\": \"number\",\n    \"received\": \"string\"");
    has(mcp_call(ADA, DESK, "set_config_value", "{'value':1}"), "Invalid arguments: [\n");
    has(mcp_call(ADA, DESK, "start_search", "{}"), "Invalid arguments for start_search: [\n");
    same(mcp_call(ADA, DESK, "nope", "{}"), "Error: Unknown tool: nope");
    same(mcp_done(ADA, DESK, "read_file", "{'path':'a.txt','foo':1,'bar':2}"),
         "You sent parameters not supported by this tool, which were ignored: foo, bar. Supported "
         "parameters for read_file: path, isUrl, offset, length, sheet, range, options, origin.");
    same(block("read_file", "{'path':'a.txt','foo':1}", 1, "text"),
         "[Reading 2 lines from start (total: 2 lines, 0 remaining)]\n\none\ntwo");
    same(mcp_call(ADA, DESK, "move_file", "{'source':'a.txt','destination':'no/b'}"),
         "Error: ENOENT: no such file or directory, rename '/data/a.txt' -> '/data/no/b'");
    same(mcp_done(ADA, DESK, "list_directory", "{'path':'none'}"),
         "[NOT_FOUND] none — path does not exist");
    same(mcp_done(ADA, DESK, "list_directory", "{'path':'a.txt'}"), "[DENIED] a.txt");
    has(mcp_call(ADA, DESK, "write_file", "{'path':'x','content':'','mode':'over'}"),
        "\"message\": \"Invalid enum value. Expected 'rewrite' | 'append', received 'over'\"");
    has(mcp_call(ADA, DESK, "read_multiple_files", "{'paths':['a',2]}"),
        "\"path\": [\n      \"paths\",\n      1\n    ]");
    assert_at(mcp_ask(ADA, DESK, "tools/list", "{}"), "result.tools.1.annotations",
              "{\"title\":\"Set Configuration Value\",\"readOnlyHint\":false,\"destructiveHint\":"
              "true,\"openWorldHint\":false}");
}

static void a_desktop_is_configured(void **state)
{
    (void)state;
    test_use("{\"sosia\":1,\"time\":\"2026-11-23T08:00:00Z\",\"people\":[{\"email\":\"" ADA
             "\"}],\"workspace\":[{\"path\":\"a.txt\",\"text\":\"one\\ntwo\\n\"},"
             "{\"path\":\"repo/out\",\"link\":\"../a.txt\"},"
             "{\"path\":\"in\",\"link\":\"repo\"},{\"path\":\"repo/f\",\"text\":\"first\\n\"}]}");
    has(mcp_done(ADA, DESK, "set_config_value", "{'key':'blockedCommands','value':'rm'}"),
        "Successfully set blockedCommands to [\n  \"rm\"\n]\n\nUpdated configuration:\n{\n  "
        "\"blockedCommands\": [\n    \"rm\"\n  ],\n  \"defaultShell\": \"/bin/bash\"");
    mcp_refuse(ADA, DESK, "start_process", "{'command':'rm -r .','timeout_ms':1000}",
               "Command not allowed: rm -r .");
    mcp_refuse(ADA, DESK, "start_process", "{'command':'RM -r .','timeout_ms':1000}",
               "Command not allowed: RM -r .");
    mcp_done(ADA, DESK, "set_config_value", "{'key':'blockedCommands','value':'*'}");
    mcp_refuse(ADA, DESK, "start_process", "{'command':'ls','timeout_ms':1000}",
               "Command not allowed: ls");
    mcp_done(ADA, DESK, "set_config_value", "{'key':'blockedCommands','value':'rm'}");
    has(mcp_done(ADA, DESK, "set_config_value",
                 "{'key':'allowedDirectories','value':['/data/repo']}"),
        "Successfully set allowedDirectories to [\n  \"/data/repo\"\n]");
    mcp_refuse(ADA, DESK, "read_file", "{'path':'a.txt'}",
               "Path not allowed: a.txt. Must be within one of these directories: /data/repo");
    mcp_refuse(ADA, DESK, "write_file", "{'path':'/data/repository','content':'x'}",
               "Path not allowed: /data/repository.");
    mcp_refuse(ADA, DESK, "start_search", "{'path':'/data','pattern':'f'}", "Path not allowed");
    mcp_done(ADA, DESK, "list_directory", "{'path':'/data/repo'}");
    /* What a link leads to is looked at, not its name; of what is not there the name is. */
    mcp_refuse(ADA, DESK, "read_file", "{'path':'repo/../repo/out'}",
               "Path not allowed: repo/../repo/out.");
    mcp_refuse(ADA, DESK, "write_file", "{'path':'repo/out','content':'x'}", "Path not allowed");
    has(mcp_done(ADA, DESK, "read_file", "{'path':'in/f'}"), "first");
    has(mcp_done(ADA, DESK, "set_config_value", "{'key':'allowedDirectories','value':['/']}"),
        "[\n  \"/\"\n]");
    mcp_refuse(ADA, DESK, "read_file", "{'path':'/etc/passwd'}", "Path not allowed: /etc/passwd.");
    has(mcp_done(ADA, DESK, "read_file", "{'path':'repo/out'}"), "one\ntwo");
    mcp_done(ADA, DESK, "set_config_value", "{'key':'allowedDirectories','value':['/data/repo']}");
    same(mcp_call(ADA, DESK, "set_config_value", "{'key':'nope','value':1}"),
         "Key \"nope\" is not configurable via this tool. Allowed keys: blockedCommands, "
         "allowedDirectories, defaultShell, telemetryEnabled, fileReadLineLimit, "
         "fileWriteLineLimit");
    assert_true(mcp_refused);
    same(mcp_call(ADA, DESK, "set_config_value", "{'key':'telemetryEnabled','value':'maybe'}"),
         "Value for telemetryEnabled must be boolean true/false.");
    has(mcp_done(ADA, DESK, "set_config_value", "{'key':'telemetryEnabled','value':'TRUE'}"),
        "Successfully set telemetryEnabled to true");
    has(mcp_done(ADA, DESK, "set_config_value", "{'key':'defaultShell','value':null}"),
        "Successfully set defaultShell to null");
    has(mcp_done(ADA, DESK, "get_config", "{}"), "\"allowedDirectories\": [\n    \"/data/repo\"");
    mcp_done(ADA, DESK, "set_config_value", "{'key':'fileReadLineLimit','value':1}");
    mcp_done(ADA, DESK, "write_file", "{'path':'repo/two','content':'one\\ntwo\\n'}");
    same(block("read_multiple_files", "{'paths':['repo/two']}", 1, "text"),
         "\n--- repo/two contents: ---\n[Reading 1 lines from start (total: 2 lines, 1 "
         "remaining)]\n\none");
}

/* Rows that cost more the more there are: as many as there may be, and cells far out in each. */
static void a_desktop_bounds_workbooks(void **state)
{
    enum { ROWS = 30000 };
    struct buf b;
    (void)state;
    buf_init(&b, 0);
    buf_puts(&b, "{'path':'long.xlsx','content':'[");
    for (int i = 0; i < ROWS; i++)
        buf_puts(&b, i ? ",[1]" : "[1]");
    buf_puts(&b, "]'}");
    mcp_done(ADA, DESK, "write_file", buf_str(&b));
    buf_clear(&b);
    buf_puts(&b, "{'file_path':'long.xlsx','range':'Sheet1!ZZ1','content':[");
    for (int i = 0; i < ROWS; i++)
        buf_puts(&b, i ? ",[1]" : "[1]");
    buf_puts(&b, "]}");
    mcp_refuse(ADA, DESK, "edit_block", buf_str(&b), "a sheet must have at most");
    /* Of many in one call as many are opened as there is memory for. */
    buf_clear(&b);
    buf_puts(&b, "{'paths':['long.xlsx'");
    for (int i = 0; i < 99; i++)
        buf_puts(&b, ",'long.xlsx'");
    buf_puts(&b, "]}");
    const char *summary = mcp_done(ADA, DESK, "read_multiple_files", buf_str(&b));
    has(summary, "long.xlsx: application/json (text)\n");
    has(summary, "long.xlsx: Error - the files before it are too large");
    buf_done(&b);
}

/* What is behind a search's id in an answer. */
static const char *session_in(const char *text)
{
    const char *at = strstr(text, "session: ");
    assert_non_null(at);
    at += strlen("session: ");
    return arena_printf(&test_arena, "%.*s", (int)strcspn(at, "\n"), at);
}

static const char *behind(const char *text, const char *word)
{
    const char *at = strstr(text, word);
    if (!at)
        fail_msg("%s: %s", word, text);
    return at;
}

static const char *more_of(const char *session, const char *places)
{
    return arena_printf(&test_arena, "{'sessionId':'%s'%s}", session, places);
}

static void a_desktop_searches(void **state)
{
    (void)state;
    mcp_done(ADA, DESK, "create_directory", "{'path':'src'}");
    mcp_done(ADA, DESK, "write_file",
             "{'path':'src/Main.c','content':'one\\ntwo\\nThree 3\\nfour\\n33\\n'}");
    mcp_done(ADA, DESK, "write_file", "{'path':'src/.hidden','content':'three'}");
    mcp_done(ADA, DESK, "write_file", "{'path':'src/main.txt','content':'none of it'}");
    const char *v = mcp_done(ADA, DESK, "start_search", "{'path':'/data','pattern':'main'}");
    assert_string_equal(behind(v, "Pattern: "),
                        "Pattern: \"main\"\nPath: /data\nStatus: COMPLETED\nRuntime: 0ms\nTotal "
                        "results: 2\n\nInitial results:\n📁 /data/src/Main.c\n📁 "
                        "/data/src/main.txt\n\n✅ Search completed.");
    const char *id = session_in(v);
    v = mcp_done(ADA, DESK, "get_more_search_results", more_of(id, ",'length':1"));
    assert_string_equal(behind(v, "Status: "),
                        "Status: COMPLETED\nRuntime: 0s\nTotal results found: 2 (2 "
                        "matches)\nShowing results 0-0\n\nResults:\n📁 /data/src/Main.c\n\n📖 More "
                        "results available. Use get_more_search_results with offset: 1\n✅ Search "
                        "completed.");
    v = mcp_done(ADA, DESK, "get_more_search_results", more_of(id, ",'offset':-1"));
    assert_string_equal(behind(v, "Showing"),
                        "Showing last 1 results\n\nResults:\n📁 /data/src/main.txt\n\n✅ Search "
                        "completed.");
    same(mcp_done(ADA, DESK, "stop_search", more_of(id, "")),
         arena_printf(&test_arena, "Search session %s terminated successfully.", id));
    same(mcp_done(ADA, DESK, "list_searches", "{}"), "No active searches.");
    /* Names: exactly, by a glob, with capitals. */
    static const struct {
        const char *asked, *found;
    } names[] = {{"{'path':'src','pattern':'main.c'}",
                  "results: 1\n\nInitial results:\n📁 /data/src/Main.c\n\n"},
                 {"{'path':'src','pattern':'MAIN.*','ignoreCase':false}", "results: 0\n\n\n✅"},
                 {"{'path':'src','pattern':'*.{c,txt}'}", "results: 2\n"},
                 {"{'path':'src','pattern':'hid','includeHidden':true}", "📁 /data/src/.hidden\n"},
                 {"{'path':'src','pattern':'hid'}", "results: 0\n"},
                 {"{'path':'src','pattern':'main','maxResults':1}",
                  "⚠️  Stopped at the maxResults limit"}};
    for (size_t i = 0; i < SOSIA_LEN(names); i++)
        behind(mcp_done(ADA, DESK, "start_search", names[i].asked), names[i].found);
    /* Contents: what is matched, with the lines around it. */
    v = mcp_done(ADA, DESK, "start_search",
                 "{'path':'src','pattern':'three \\\\d','searchType':'content','contextLines':1}");
    assert_string_equal(behind(v, "Total"),
                        "Total results: 1\n\nInitial results:\n📄 /data/src/Main.c:2 - two\n📄 "
                        "/data/src/Main.c:3 - Three 3\n📄 /data/src/Main.c:4 - four\n\n✅ Search "
                        "completed.");
    v = mcp_done(ADA, DESK, "get_more_search_results", more_of(session_in(v), ""));
    behind(v, "Total results found: 3 (1 matches)\nShowing results 0-2\n");
    behind(
        mcp_done(ADA, DESK, "start_search",
                 "{'path':'src','pattern':'3','searchType':'content','filePattern':'*.txt | *.c',"
                 "'contextLines':0}"),
        "results: 2\n\nInitial results:\n📄 /data/src/Main.c:3 - 3\n📄 /data/src/Main.c:5 - 3\n");
    behind(
        mcp_done(ADA, DESK, "start_search",
                 "{'path':'src','pattern':'e \\\\d','searchType':'content','literalSearch':true}"),
        "results: 0\n");
    assert_at(mcp_ask(ADA, DESK, "tools/list", "{}"),
              "result.tools.9.inputSchema.properties.searchType",
              "{\"default\":\"files\",\"description\":\"Whether names are searched or "
              "contents\",\"type\":"
              "\"string\",\"enum\":[\"files\",\"content\"]}");
    /* What is not a search. */
    mcp_refuse(ADA, DESK, "start_search", "{'path':'/etc','pattern':'x'}",
               "Error starting search session: Path not allowed: /etc.");
    mcp_refuse(ADA, DESK, "get_more_search_results", "{'sessionId':'search_1_2'}",
               "Error reading search results: Search session search_1_2 not found");
    same(mcp_done(ADA, DESK, "stop_search", "{'sessionId':'search_x'}"),
         "Search session search_x not found or already completed.");
    /* An expression that takes too long is given up, and the answer says so. */
    struct buf line;
    buf_init(&line, 0);
    buf_puts(&line, "{'path':'slow.txt','content':'");
    for (int i = 0; i < 2000; i++)
        buf_puts(&line, "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaab\\n");
    buf_puts(&line, "'}");
    mcp_done(ADA, DESK, "write_file", buf_str(&line));
    buf_done(&line);
    v = mcp_done(ADA, DESK, "start_search",
                 "{'path':'slow.txt','pattern':'(a+)+$','searchType':'content'}");
    assert_non_null(strstr(v, "Output exceeded"));
    v = mcp_done(ADA, DESK, "start_search",
                 "{'path':'slow.txt','pattern':'a{30}b','searchType':'content'}");
    assert_null(strstr(v, "Output exceeded"));
    v = mcp_done(ADA, DESK, "start_search", "{'path':'src','pattern':'(','searchType':'content'}");
    mcp_refuse(ADA, DESK, "get_more_search_results", more_of(session_in(v), ""),
               "encountered an error: rg: regex parse error:");
}

static void a_desktop_runs_commands(void **state)
{
    NEEDS_SANDBOX();
    const char *text = mcp_done(ADA, DESK, "start_process",
                                "{'command':'echo out; echo err >&2','timeout_ms':5000}");
    assert_int_equal(strncmp(text, "Process started with PID ", 25), 0);
    assert_non_null(strstr(text, " (shell: /bin/bash)\nInitial output:\nout\nerr\n"));
    text = mcp_done(ADA, DESK, "start_process", "{'command':'sleep 9','timeout_ms':200}");
    assert_non_null(strstr(text, "Process was ended after 200 ms."));
    static const char *const blocked[] = {"sudo ls", "ls; sudo ls", "A=1 /usr/bin/sudo ls",
                                          "echo $(dd if=x)", "ls | mount"};
    for (size_t i = 0; i < SOSIA_LEN(blocked); i++)
        same(mcp_call(ADA, DESK, "start_process",
                      arena_printf(&test_arena, "{'command':'%s','timeout_ms':1000}", blocked[i])),
             arena_printf(&test_arena, "Error: Command not allowed: %s", blocked[i]));
    same(mcp_call(ADA, DESK, "read_process_output", "{'pid':5}"), "No session found for PID 5");
    same(mcp_done(ADA, DESK, "force_terminate", "{'pid':5}"), "No active session found for PID 5");
    same(mcp_done(ADA, DESK, "list_sessions", "{}"), "No active sessions");
}

static int set_up_lasting(void **state)
{
    (void)state;
    return kept_open(HEAD ",\"programs\":{\"processes\":\"session\"}}");
}

/* The number of a process, as it says it when it starts. */
static const char *pid_in(const char *text)
{
    static const char head[] = "Process started with PID ";
    assert_int_equal(strncmp(text, head, sizeof head - 1), 0);
    const char *number = text + sizeof head - 1;
    return arena_memdup(&test_arena, number, strspn(number, "0123456789"));
}

/* Each # of a format is the number. */
static const char *numbered(const char *format, const char *pid)
{
    struct buf b;
    buf_init(&b, 0);
    for (; *format; format++)
        if (*format == '#')
            buf_puts(&b, pid);
        else
            buf_byte(&b, *format);
    const char *text = arena_strdup(&test_arena, buf_str(&b));
    buf_done(&b);
    return text;
}

static void a_desktop_speaks_with_a_process(void **state)
{
    NEEDS_SANDBOX();
    const char *text =
        mcp_done(ADA, DESK, "start_process", "{'command':'python3 -i -q','timeout_ms':60000}");
    const char *pid = pid_in(text);
    has(text, numbered("Initial output:\n>>> \n🔄 Process # is waiting for input (detected: "
                       "\">>>\")",
                       pid));
    has(mcp_done(ADA, DESK, "list_sessions", "{}"),
        numbered("PID: #, Blocked: true, Runtime: ", pid));
    same(mcp_done(ADA, DESK, "interact_with_process",
                  numbered("{'pid':#,'input':'x = 6','timeout_ms':60000}", pid)),
         numbered("✅ Input executed in process #.\n📭 (No output produced)\n🔄 Process # is waiting "
                  "for input (detected: \">>>\")",
                  pid));
    same(mcp_done(ADA, DESK, "interact_with_process",
                  numbered("{'pid':#,'input':'print(x * 7)','timeout_ms':60000}", pid)),
         numbered("✅ Input executed in process #:\n\n📤 Output:\n42\n\n\n🔄 Process # is waiting for "
                  "input (detected: \">>>\")",
                  pid));
    same(mcp_done(
             ADA, DESK, "interact_with_process",
             numbered("{'pid':#,'input':'_ = open(\\\"made\\\", \\\"w\\\").write(\\\"by it\\\")',"
                      "'timeout_ms':60000}",
                      pid)),
         numbered("✅ Input executed in process #.\n📭 (No output produced)\n🔄 Process # is waiting "
                  "for input (detected: \">>>\")",
                  pid));
    same(mcp_done(ADA, DESK, "read_file", "{'path':'made'}"),
         "[Reading 1 lines from start (total: 1 lines, 0 remaining)]\n\nby it");
    same(mcp_done(ADA, DESK, "interact_with_process",
                  numbered("{'pid':#,'input':'exit(3)','wait_for_prompt':false}", pid)),
         numbered("✅ Input sent to process #. Use read_process_output to get the response.", pid));
    do
        text = mcp_done(ADA, DESK, "read_process_output",
                        numbered("{'pid':#,'timeout_ms':60000}", pid));
    while (!strstr(text, "completed"));
    has(text, "\n✅ Process completed with exit code 3 (runtime: ");
    same(mcp_done(ADA, DESK, "list_sessions", "{}"), "No active sessions");
    same(
        mcp_call(ADA, DESK, "interact_with_process", numbered("{'pid':#,'input':'1'}", pid)),
        numbered("Error: Failed to send input to process #. The process may have exited or doesn't "
                 "accept input.",
                 pid));
    same(mcp_done(ADA, DESK, "force_terminate", numbered("{'pid':#}", pid)),
         numbered("No active session found for PID #", pid));
}

/* A line to a process of Python, which has done with it when it asks for the next one. */
static void tell_python(const char *pid, const char *line)
{
    const char *arguments =
        arena_printf(&test_arena, "{'pid':%s,'input':'%s','timeout_ms':60000}", pid, line);
    const char *text = mcp_done(ADA, DESK, "interact_with_process", arguments);
    has(text, "is waiting for input (detected: \">>>\")");
    assert_null(strstr(text, "Error"));
}

/* A shell that runs jobs is notified of children that are stopped, and takes the next one up. */
static void a_shell_does_not_see_that_it_is_held(void **state)
{
    NEEDS_SANDBOX();
    const char *text =
        mcp_done(ADA, DESK, "start_process",
                 "{'command':'set -m; head -n 1 >f; echo left $?','timeout_ms':300}");
    const char *pid = pid_in(text);
    for (int i = 0; i < 300; i++) {
        text =
            mcp_done(ADA, DESK, "read_process_output", numbered("{'pid':#,'timeout_ms':1}", pid));
        if (strstr(text, "left"))
            fail_msg("after %d calls: %s", i, text);
    }
    mcp_done(ADA, DESK, "interact_with_process",
             numbered("{'pid':#,'input':'go','wait_for_prompt':false}", pid));
    while (!strstr(text, "completed"))
        text = mcp_done(ADA, DESK, "read_process_output",
                        numbered("{'pid':#,'timeout_ms':60000}", pid));
    has(text, "left 0");
}

/* What a process has mapped it changes without another time of the file. */
static void what_a_process_has_mapped_is_looked_at(void **state)
{
    NEEDS_SANDBOX();
    const char *pid = pid_in(
        mcp_done(ADA, DESK, "start_process", "{'command':'python3 -i -q','timeout_ms':60000}"));
    tell_python(pid, "import mmap; f = open(\\\"made\\\", \\\"wb+\\\"); n = f.truncate(4); "
                     "m = mmap.mmap(f.fileno(), 0); m[0:4] = b\\\"one\\\\n\\\"");
    has(mcp_done(ADA, DESK, "read_file", "{'path':'made'}"), "\n\none");
    tell_python(pid, "import time; time.sleep(0.1)"); /* longer than a tick of the files' clock */
    tell_python(pid, "m[0:3] = b\\\"two\\\"");
    has(mcp_done(ADA, DESK, "read_file", "{'path':'made'}"), "\n\ntwo");
    tell_python(pid, "m[0:3] = b\\\"six\\\"");
    has(mcp_done(ADA, DESK, "read_file", "{'path':'made'}"), "\n\nsix");
    mcp_done(ADA, DESK, "force_terminate", numbered("{'pid':#}", pid));
}

/* The number of a process that has printed four lines, two of them after a line of input, where
 * each took no longer than a time; NULL: it took longer, and has ended. */
static const char *prints_in(int ms)
{
    const char *text =
        mcp_done(ADA, DESK, "start_process",
                 arena_printf(&test_arena,
                              "{'command':'echo one; echo two; read x; echo three; echo four; "
                              "sleep 1000','timeout_ms':%d}",
                              ms));
    const char *pid = pid_in(text);
    if (strstr(text, "two\n")) {
        has(text,
            "Initial output:\none\ntwo\n\n⏳ Process is running. Use read_process_output to get "
            "more output.");
        same(mcp_done(ADA, DESK, "read_process_output", numbered("{'pid':#,'length':1}", pid)),
             "[Reading 1 new lines from line 0 (total: 3 lines, 2 remaining)]\n\none");
        same(mcp_done(ADA, DESK, "read_process_output", numbered("{'pid':#}", pid)),
             "[Reading 2 new lines (total: 3 lines)]\n\ntwo\n");
        same(mcp_done(ADA, DESK, "read_process_output", numbered("{'pid':#,'timeout_ms':20}", pid)),
             "[Reading 0 new lines (total: 3 lines)]\n\n(No output in requested range)");
        text =
            mcp_done(ADA, DESK, "interact_with_process",
                     arena_printf(&test_arena, "{'pid':%s,'input':'','timeout_ms':%d}", pid, ms));
        if (strstr(text, "four\n")) {
            has(text, "📤 Output:\nthree\nfour\n\n\n⏱️ Response may be incomplete (timeout "
                      "reached)");
            return pid;
        }
    }
    mcp_done(ADA, DESK, "force_terminate", numbered("{'pid':#}", pid));
    return NULL;
}

static void a_desktop_reads_what_a_process_prints(void **state)
{
    NEEDS_SANDBOX();
    const char *pid = NULL, *text = NULL;
    for (int ms = 200; !pid; ms *= 2)
        pid = prints_in(ms);
    same(mcp_done(ADA, DESK, "read_process_output", numbered("{'pid':#,'offset':-2}", pid)),
         "[Reading last 2 lines (total: 5 lines)]\n\nfour\n");
    same(mcp_done(ADA, DESK, "read_process_output",
                  numbered("{'pid':#,'offset':1,'length':2}", pid)),
         "[Reading 2 lines from line 1 (total: 5 lines, 2 remaining)]\n\ntwo\nthree");
    same(mcp_done(ADA, DESK, "force_terminate", numbered("{'pid':#}", pid)),
         numbered("Successfully initiated termination of session #", pid));
    same(mcp_done(ADA, DESK, "list_sessions", "{}"), "No active sessions");
    text = mcp_done(ADA, DESK, "start_process",
                    "{'command':'sleep 1001 & sleep 1002','timeout_ms':200}");
    pid = pid_in(text);
    do { /* it has time while a call waits */
        mcp_done(ADA, DESK, "read_process_output", numbered("{'pid':#,'timeout_ms':20}", pid));
        text = mcp_done(ADA, DESK, "list_processes", "{}");
    } while (!strstr(text, ", Command: sleep 1001, CPU: "));
    has(text, numbered("PID: #, Command: ", pid));
    const char *line = strstr(text, ", Command: sleep 1001,");
    while (line > text && line[-1] >= '0' && line[-1] <= '9')
        line--;
    const char *other = arena_printf(&test_arena, "%d", atoi(line));
    same(mcp_done(ADA, DESK, "kill_process", numbered("{'pid':#}", other)),
         numbered("Successfully terminated process #", other));
    assert_null(strstr(mcp_done(ADA, DESK, "list_processes", "{}"), "Command: sleep 1001,"));
    mcp_refuse(ADA, DESK, "kill_process", numbered("{'pid':#}", other),
               "Failed to kill process: kill ESRCH");
    mcp_refuse(ADA, DESK, "kill_process", "{'pid':1}", "Failed to kill process: kill EPERM");
    mcp_refuse(ADA, DESK, "kill_process", "{'pid':-1}", "Failed to kill process: kill ESRCH");
    mcp_done(ADA, DESK, "force_terminate", numbered("{'pid':#}", pid));
    same(mcp_call(ADA, DESK, "read_process_output", "{'pid':5}"), "No session found for PID 5");
}

int main(int argc, char **argv)
{
    int code;
    if (kept_main(argc, argv, &code))
        return code;
#define tools_test(f)   cmocka_unit_test_setup_teardown(f, set_up, tear_down)
#define lasting_test(f) cmocka_unit_test_setup_teardown(f, set_up_lasting, tear_down)
    const struct CMUnitTest tests[] = {
        tools_test(a_desktop_has_files),
        tools_test(a_desktop_reads_pictures_and_bytes),
        tools_test(a_desktop_has_workbooks),
        tools_test(a_desktop_is_configured),
        tools_test(a_desktop_bounds_workbooks),
        tools_test(a_desktop_refuses_arguments),
        tools_test(a_desktop_searches),
        tools_test(a_desktop_runs_commands),
        lasting_test(a_desktop_speaks_with_a_process),
        lasting_test(what_a_process_has_mapped_is_looked_at),
        lasting_test(a_desktop_reads_what_a_process_prints),
        lasting_test(a_shell_does_not_see_that_it_is_held),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
