/* SPDX-License-Identifier: Apache-2.0 */
/* The server "desktop-commander": PDF files that it writes, and what it says of earlier calls. What
 * is expected was answered by the program itself, version 0.2.52, but for times and sizes. */
#include "tests/support/mcp.h"
#include "tests/support/unit.h"
#include <stdio.h>

#define ADA   "ada@acme.example"
#define BOB   "bob@acme.example"
#define DESK  "/mcp/desktop-commander"
#define BREAK "<div style=\\\"page-break-before: always;\\\"></div>"

static int set_up(void **state)
{
    (void)state;
    return test_open("{\"sosia\":1,\"time\":\"2026-11-23T08:00:00Z\",\"people\":[{\"email\":\"" ADA
                     "\",\"name\":\"Ada\"},{\"email\":\"" BOB
                     "\",\"name\":\"Bob\"}],\"workspace\":[{\"path\":\"a.txt\",\"text\":"
                     "\"hello\"}]}");
}

static int tear_down(void **state)
{
    (void)state;
    return test_close();
}

static void same(const char *came, const char *expected)
{
    if (strcmp(came, expected) != 0)
        fail_msg("expected <%s>, got <%s>", expected, came);
}

static void has(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("expected <%s> in <%s>", part, text);
}

/* Arguments are JSON as it is here, since Markdown has quotes. */
static const struct json *ask(const char *tool, const char *arguments)
{
    const char *params =
        arena_printf(&test_arena, "{\"name\":\"%s\",\"arguments\":%s}", tool, arguments);
    return json_get(mcp_ask(ADA, DESK, "tools/call", params), "result");
}

static const char *block(const struct json *result, int at)
{
    return text_at(result, arena_printf(&test_arena, "content.%d.text", at));
}

static const char *says(const char *tool, const char *arguments)
{
    const struct json *result = ask(tool, arguments);
    mcp_refused = json_get_true(result, "isError");
    return arena_strdup(&test_arena, block(result, 0));
}

/* The lines of a page of a file, from 1. */
static void page(const char *path, int number, const char *text)
{
    const struct json *r = ask("read_file", arena_printf(&test_arena, "{\"path\":\"%s\"}", path));
    const char *lines = block(r, number);
    if (!lines)
        fail_msg("%s has no page %d", path, number);
    same(lines, arena_printf(&test_arena, "<!-- Page: %d -->\n%s", number, text));
}

static void pages(const char *path, int n)
{
    has(says("get_file_info", arena_printf(&test_arena, "{\"path\":\"%s\"}", path)),
        arena_printf(&test_arena, "fileType: binary\nisPdf: true\ntotalPages: %d", n));
}

static void a_pdf_is_made_of_markdown(void **state)
{
    (void)state;
    same(says("write_pdf", "{\"path\":\"/data/a.pdf\",\"content\":\"# Title\\n\\nBody "
                           "*text*\\n\\n" BREAK "\\n\\n# Two\\n\\n- x\\n- y\"}"),
         "Successfully wrote PDF to /data/a.pdf");
    assert_false(mcp_refused);
    pages("a.pdf", 2);
    page("a.pdf", 1, "Title\nBody text");
    page("a.pdf", 2, "Two\n\342\200\242 x\n\342\200\242 y");
    same(says("write_pdf", "{\"path\":\"b.pdf\",\"content\":\"x\",\"outputPath\":\"c.pdf\"}"),
         "Successfully wrote PDF to c.pdf\nOriginal file: b.pdf");
    same(says("get_file_info", "{\"path\":\"b.pdf\"}"),
         "Error: ENOENT: no such file or directory, stat '/data/b.pdf'");
    /* A break in front of all makes no page; one behind it does. */
    says("write_pdf", "{\"path\":\"f.pdf\",\"content\":\"" BREAK "\\n\\n# A\\n\\n" BREAK "\"}");
    pages("f.pdf", 2);
    says("write_pdf", "{\"path\":\"h.pdf\",\"content\":\"\"}");
    pages("h.pdf", 1);
    /* The same Markdown is the same file. */
    const char *one = says("get_file_info", "{\"path\":\"c.pdf\"}");
    says("write_pdf", "{\"path\":\"c.pdf\",\"content\":\"x\"}");
    same(says("get_file_info", "{\"path\":\"c.pdf\"}"), one);
}

static void html_in_markdown_is_text(void **state)
{
    (void)state;
    says("write_pdf",
         "{\"path\":\"a.pdf\",\"content\":\"---\\ntitle: no\\n---\\n<!-- no -->A <b>bold</b>"
         "<br>next\\n\\n<style>p { color: red }</style><h2 class='x>y'>Head</h2><ul><li>one</li>"
         "<li>two</li></ul>\\n\\n`<b>` and 1 < 2 and <https://a.example/>\\n\\n```\\n<p>code</p>"
         "\\n```\\n\"}");
    page("a.pdf", 1,
         "A bold\nnext\nHead\n\342\200\242 one\n\342\200\242 two\n<b> and 1 < 2 and "
         "https://a.example/\n<p>code</p>");
}

static const struct json *read_info(void)
{
    const char *text = mcp_done(ADA, "/mcp/pdf-tools", "get_pdf_info", "{'file_path':'a.pdf'}");
    return parsed(text, strlen(text));
}

static void pages_are_as_large_as_is_asked(void **state)
{
    static const struct {
        const char *options, *size;
    } rows[] = {{"{}", "595 x 842"},
                {"{\"pdf_options\":{\"format\":\"Letter\"}}", "612 x 792"},
                {"{\"pdf_options\":{\"landscape\":true}}", "842 x 595"},
                {"{\"pdf_options\":{\"width\":\"4in\",\"height\":384}}", "288 x 288"},
                {"{\"pdf_options\":{\"width\":\"1e9in\",\"height\":1}}", "595 x 842"}};
    (void)state;
    for (size_t i = 0; i < SOSIA_LEN(rows); i++) {
        double width, height;
        char size[40];
        says("write_pdf",
             arena_printf(&test_arena, "{\"path\":\"a.pdf\",\"content\":\"x\",\"options\":%s}",
                          rows[i].options));
        const struct json *info = read_info();
        json_double(json_get(&json_get(info, "page_sizes")->items[0], "width"), &width);
        json_double(json_get(&json_get(info, "page_sizes")->items[0], "height"), &height);
        snprintf(size, sizeof size, "%.0f x %.0f", width, height);
        same(size, rows[i].size);
    }
}

static void pages_are_deleted_and_inserted(void **state)
{
    (void)state;
    says("write_pdf", "{\"path\":\"a.pdf\",\"content\":\"One\\n\\n" BREAK "\\n\\nTwo\"}");
    says("write_pdf", "{\"path\":\"c.pdf\",\"content\":\"x\"}");
    same(says("write_pdf",
              "{\"path\":\"a.pdf\",\"outputPath\":\"d.pdf\",\"content\":[{\"type\":\"delete\","
              "\"pageIndexes\":[0]},{\"type\":\"insert\",\"pageIndex\":1,\"markdown\":\"# New\"},"
              "{\"type\":\"insert\",\"pageIndex\":0,\"sourcePdfPath\":\"/data/c.pdf\"}]}"),
         "Successfully wrote PDF to d.pdf\nOriginal file: a.pdf");
    pages("d.pdf", 3);
    page("d.pdf", 1, "x");
    page("d.pdf", 2, "Two");
    page("d.pdf", 3, "New");
    pages("a.pdf", 2); /* as it was */
    /* Operations may be a text; without a page there is an empty one. */
    says("write_pdf", "{\"path\":\"a.pdf\",\"outputPath\":\"e.pdf\",\"content\":\" "
                      "[{\\\"type\\\":\\\"delete\\\",\\\"pageIndexes\\\":[-1,0,7]}]\"}");
    pages("e.pdf", 1);
    page("e.pdf", 1, "");
    /* -1 is in front of the last page; a file may be put into itself. */
    says("write_pdf", "{\"path\":\"a.pdf\",\"content\":[{\"type\":\"insert\",\"pageIndex\":-1,"
                      "\"sourcePdfPath\":\"a.pdf\"}]}");
    pages("a.pdf", 4);
    page("a.pdf", 1, "One");
    page("a.pdf", 2, "One");
    page("a.pdf", 3, "Two");
    page("a.pdf", 4, "Two");
}

/* Each time a file is opened it takes memory, and a small one can ask for more than it is large. */
static void files_that_want_too_much_are_refused(void **state)
{
    struct buf b;
    (void)state;
    buf_init(&b, 0);
    buf_printf(
        &b,
        "{\"sosia\":1,\"workspace\":[{\"path\":\"evil.pdf\",\"text\":\"%%PDF-1.4\\n1 0 obj << "
        "/Type /Catalog /Pages 2 0 R >> endobj\\n2 0 obj << /Kids [3 0 R] >> endobj\\n3 0 obj "
        "<< /Type /Page >> endobj\\n60000 0 obj 1 endobj\\ntrailer << /Root 1 0 R "
        ">>%300000s\"}]}",
        "");
    assert_int_equal(
        sosia_world_seed(test_engine, test_world, buf_str(&b), b.len, "evil", &test_err), 0);
    buf_clear(&b);
    buf_puts(&b, "{\"path\":\"evil.pdf\",\"content\":[");
    for (int i = 0; i < 1000; i++)
        buf_printf(&b, "%s{\"type\":\"insert\",\"pageIndex\":0,\"sourcePdfPath\":\"evil.pdf\"}",
                   i ? "," : "");
    buf_puts(&b, "]}");
    same(says("write_pdf", buf_str(&b)), "Error: The files are too large together");
    assert_true(mcp_refused);
    buf_done(&b);
}

/* All pages can have the same resources, which a file of some of them has with each. */
static void a_file_of_pages_is_bounded(void **state)
{
    struct buf b;
    (void)state;
    buf_init(&b, 0);
    buf_puts(&b, "{\"sosia\":1,\"workspace\":[{\"path\":\"wide.pdf\",\"text\":\"%PDF-1.4\\n1 0 obj "
                 "<< /Type /Catalog /Pages 2 0 R >> endobj\\n2 0 obj << /Resources << /A [");
    for (int i = 0; i < 200000; i++)
        buf_puts(&b, "1 ");
    buf_puts(&b, "] >> /Kids [");
    for (int i = 3; i < 3003; i++)
        buf_printf(&b, "%d 0 R ", i);
    buf_puts(&b, "] >> endobj\\n");
    for (int i = 3; i < 3003; i++)
        buf_printf(&b, "%d 0 obj << /Type /Page >> endobj\\n", i);
    buf_puts(&b, "trailer << /Root 1 0 R >>\"}]}");
    assert_int_equal(
        sosia_world_seed(test_engine, test_world, buf_str(&b), b.len, "wide", &test_err), 0);
    same(says("write_pdf", "{\"path\":\"wide.pdf\",\"content\":[]}"),
         "Error: EFBIG: file too large, open '/data/wide.pdf'");
    assert_true(mcp_refused);
    buf_done(&b);
}

/* Tags, notes and spans that have no end are text, however many they are. */
static void marks_without_ends_are_text(void **state)
{
    static const char *const marks[] = {"<a ", "<!-- ", "<i '", "<style> ", "` `` "};
    struct buf b;
    (void)state;
    buf_init(&b, 0);
    for (size_t i = 0; i < SOSIA_LEN(marks); i++) {
        buf_clear(&b);
        buf_puts(&b, "{\"path\":\"a.pdf\",\"content\":\"begun ");
        while (b.len < 100000)
            buf_puts(&b, marks[i]);
        buf_puts(&b, "\\n\\nended\"}");
        same(says("write_pdf", buf_str(&b)), "Successfully wrote PDF to a.pdf");
    }
    buf_done(&b);
}

static void what_cannot_be_is_refused(void **state)
{
    static const char *const rows[][2] = {
        {"{\"path\":\"a.pdf\",\"content\":[{\"type\":\"insert\",\"pageIndex\":9,\"markdown\":\"x\"}"
         "]}",
         "Error: Invalid page index"},
        {"{\"path\":\"a.pdf\",\"content\":[{\"type\":\"insert\",\"pageIndex\":0}]}",
         "Error: No source provided for insert operation"},
        {"{\"path\":\"none.pdf\",\"content\":[]}",
         "Error: ENOENT: no such file or directory, open '/data/none.pdf'"},
        {"{\"path\":\"/etc/x.pdf\",\"content\":\"x\"}",
         "Error: Path not allowed: /etc/x.pdf. Must be within one of these directories: /data"},
        {"{\"path\":\"a.pdf\",\"content\":\"x\",\"outputPath\":\"/etc/x.pdf\"}",
         "Error: Path not allowed: /etc/x.pdf. Must be within one of these directories: /data"},
        {"{\"path\":\"no/x.pdf\",\"content\":\"x\"}",
         "Error: ENOENT: no such file or directory, open '/data/no/x.pdf'"},
        {"{\"path\":\"/data\",\"content\":\"x\"}",
         "Error: EISDIR: illegal operation on a directory, open '/data'"},
        {"{\"path\":\"a.txt\",\"content\":[]}",
         "Error: Failed to parse PDF document (line:0 col:10 offset=5): No PDF header found"},
        {"{\"path\":\"a.pdf\",\"content\":5}",
         "Error: [\n  {\n    \"code\": \"invalid_union\",\n    \"unionErrors\": [\n      {\n       "
         " "
         "\"issues\": [\n          {\n            \"code\": \"invalid_type\",\n            "
         "\"expected\": \"string\",\n            \"received\": \"number\",\n            \"path\": "
         "[\n              \"content\"\n            ],\n            \"message\": \"Expected "
         "string, "
         "received number\"\n          }\n        ],\n        \"name\": \"ZodError\"\n      },"}};
    static const char *const parts[][2] = {
        {"{\"path\":\"a.pdf\"}", "\"received\": \"undefined\""},
        {"{\"path\":\"a.pdf\",\"content\":[{\"type\":\"turn\"}]}",
         "\"received\": \"turn\",\n                    \"code\": \"invalid_literal\",\n"
         "                    \"expected\": \"insert\","},
        {"{\"path\":\"a.pdf\",\"content\":\"[1]\"}", "\"message\": \"Expected object, received "
                                                     "number\""}};
    (void)state;
    says("write_pdf", "{\"path\":\"a.pdf\",\"content\":\"One\"}");
    char before[65], after[65];
    assert_int_equal(sosia_world_hash(test_engine, test_world, before, &test_err), 0);
    for (size_t i = 0; i < SOSIA_LEN(rows); i++) {
        const char *came = says("write_pdf", rows[i][0]);
        if (strncmp(came, rows[i][1], strlen(rows[i][1])) != 0 || !mcp_refused)
            fail_msg("%s: %s", rows[i][0], came);
    }
    for (size_t i = 0; i < SOSIA_LEN(parts); i++) {
        has(says("write_pdf", parts[i][0]), parts[i][1]);
        assert_true(mcp_refused);
    }
    assert_int_equal(sosia_world_hash(test_engine, test_world, after, &test_err), 0);
    same(after, before);
    /* Another tool leaves such files to this one. */
    has(says("write_file", "{\"path\":\"a.pdf\",\"content\":\"x\",\"mode\":\"rewrite\"}"),
        "write_pdf");
}

static void earlier_calls_are_known(void **state)
{
    (void)state;
    same(says("get_recent_tool_calls", "{}"),
         "Tool Call History (0 results, 0 total in memory)\n\n[]");
    mcp_done(BOB, DESK, "create_directory", "{'path':'y'}"); /* whose history is another one */
    says("create_directory", "{\"path\":\"x\"}");
    says("write_file", "{\"path\":\"no/b.txt\",\"content\":\"1\"}");
    test_advance(3600);
    says("write_file", "{\"path\":\"b.txt\",\"content\":\"1\"}");
    same(
        says("get_recent_tool_calls", "{\"max"
                                      "Results\":2}"),
        "Tool Call History (2 results, 3 total in memory)\n\n[\n  {\n    \"timestamp\": "
        "\"11/23/2026, 08:00:00\",\n    \"toolName\": \"write_file\",\n    \"arguments\": {\n      "
        "\"path\": \"no/b.txt\",\n      \"content\": \"1\"\n    },\n    \"output\": {\n      "
        "\"content\": [\n        {\n          \"type\": \"text\",\n          \"text\": \"Error: "
        "ENOENT: no such file or directory, open '/data/no/b.txt'\"\n        }\n      ],\n      "
        "\"isError\": true\n    },\n    \"duration\": 0\n  },\n  {\n    \"timestamp\": "
        "\"11/23/2026, 09:00:00\",\n    \"toolName\": \"write_file\",\n    \"arguments\": {\n      "
        "\"path\": \"b.txt\",\n      \"content\": \"1\"\n    },\n    \"output\": {\n      "
        "\"content\": [\n        {\n          \"type\": \"text\",\n          \"text\": "
        "\"Successfully wrote to b.txt (1 lines) \"\n        }\n      ]\n    },\n    \"duration\": "
        "0\n  }\n]");
    has(says("get_recent_tool_calls", "{\"toolName\":\"create_directory\"}"),
        "(1 results, 3 total");
    has(says("get_recent_tool_calls", "{\"since\":\"2026-11-23T08:30:00Z\"}"),
        "(1 results, 3 total");
    same(says("get_usage_stats", "{}"),
         "\360\237\223\212 **Usage Summary**\n\342\200\242 Total calls: 3 (2 successful, 1 "
         "failed)\n\342\200\242 Success rate: 67%\n\342\200\242 Days using: 0\n\342\200\242 "
         "Sessions: 2\n\342\200\242 Unique tools: 2\n\342\200\242 Most used: write_file: 2, "
         "create_directory: 1\n\342\200\242 Feedback given: No\n\n**By Category:**\n\342\200\242 "
         "Filesystem: 3\n\342\200\242 Terminal: 0\n\342\200\242 Editing: 0\n\342\200\242 Search: "
         "0\n\342\200\242 Config: 0\n\342\200\242 Process: 0");
    has(says("get_recent_tool_calls", "{\"max"
                                      "Results\":0}"),
        "Error getting tool history: [\n  {\n    \"code\": \"too_small\",\n    \"minimum\": 1,");
    has(says("get_recent_tool_calls", "{\"since\":\"yesterday\"}"),
        "\"message\": \"Invalid datetime\"");
}

static void long_results_are_left_out_of_the_history(void **state)
{
    struct buf b;
    (void)state;
    buf_init(&b, 0);
    for (int i = 0; i < 900; i++)
        buf_puts(&b, "line \\n");
    says("write_file",
         arena_printf(&test_arena, "{\"path\":\"l.txt\",\"content\":\"%s\"}", buf_str(&b)));
    says("edit_block",
         "{\"file_path\":\"l.txt\",\"old_string\":\"line \\nline \",\"new_string\":\"x\"}");
    buf_done(&b);
    const char *came = says("get_recent_tool_calls", "{\"toolName\":\"write_file\"}");
    has(came, "Performance tip");
    /* A refusal that says all of what was sent. */
    buf_init(&b, 0);
    for (int i = 0; i < 1200; i++)
        buf_puts(&b, "name");
    says("create_directory", arena_printf(&test_arena, "{\"path\":\"%s\"}", buf_str(&b)));
    buf_done(&b);
    has(says("get_recent_tool_calls", "{\"toolName\":\"create_directory\"}"),
        "bytes, over the 4096-byte cap]\"\n        }\n      ],\n      \"isError\": true");
}

/* What the program's own search finds in the same texts. */
static void an_edit_names_the_nearest_text(void **state)
{
    (void)state;
    says("write_file", "{\"path\":\"n.txt\",\"content\":\"The quick brown fox\\njumps over\\nthe "
                       "lazy dog\\n\"}");
    same(says("edit_block", "{\"file_path\":\"n.txt\",\"old_string\":\"quick brown fix\\njumps\","
                            "\"new_string\":\"x\"}"),
         "Exact match not found, but found a similar text with 95% similarity (found in "
         "0.00ms):\n\nDifferences:\nquick brown f{-i-}{+o+}x\njumps\n\nTo replace this text, use "
         "the exact text found in the file.");
    same(says("edit_block", "{\"file_path\":\"n.txt\",\"old_string\":\"nothing of the kind is "
                            "here\",\"new_string\":\"x\"}"),
         "Search content not found in n.txt. The closest match was \"e quick brown fox\njumps "
         "over\nthe lazy dog\n\" with only 19% similarity, which is below the 70% threshold. "
         "(Fuzzy search completed in 0.00ms)");
    same(says("edit_block", "{\"file_path\":\"n.txt\",\"old_string\":\"\",\"new_string\":\"x\"}"),
         "Empty search strings are not allowed. Please provide a non-empty string to search for.");
    says("write_file", "{\"path\":\"u.txt\",\"content\":\"Grüße an 😀 alle Freunde\\n\"}");
    same(says("edit_block", "{\"file_path\":\"u.txt\",\"old_string\":\"Grüsse an 😁 alle\","
                            "\"new_string\":\"x\"}"),
         "Exact match not found, but found a similar text with 82% similarity (found in "
         "0.00ms):\n\nDifferences:\nGrü{-sse an 😁-}{+ße an 😀+} alle\n\nTo replace this text, use "
         "the exact text found in the file.");
    says("write_file", "{\"path\":\"s.txt\",\"content\":\"ab\\n\"}");
    same(says("edit_block", "{\"file_path\":\"s.txt\",\"old_string\":\"a much longer text than the "
                            "file\",\"new_string\":\"x\"}"),
         "Search content not found in s.txt. The closest match was \"ab\n\" with only 3% "
         "similarity, which is below the 70% threshold. (Fuzzy search completed in 0.00ms)");
}

/* More than one word of bits, and more work than is done. */
static void a_long_text_has_a_nearest_one_within_bounds(void **state)
{
    struct buf b, more;
    (void)state;
    buf_init(&b, 0);
    buf_init(&more, 0);
    for (int i = 0; i < 300; i++) {
        const int c = 'a' + i % 26;
        buf_printf(&b, "%c%c%c is word number %d of this\\n", c, c, c, i * 7919 % 1000);
    }
    says("write_file",
         arena_printf(&test_arena, "{\"path\":\"long.txt\",\"content\":\"%s\"}", buf_str(&b)));
    same(
        says("edit_block",
             "{\"file_path\":\"long.txt\",\"old_string\":\"www is word number 900 of that\\nxxx is "
             "word number 819 of this\\nyyy is word number 738 of this\\nzzz is word number 657 of "
             "this\",\"new_string\":\"x\"}"),
        "Exact match not found, but found a similar text with 98% similarity (found in "
        "0.00ms):\n\nDifferences:\nwww is word number 900 of th{-at-}{+is+}\nxxx is word number "
        "819 of this\nyyy is word number 738 of this\nzzz is word number 657 of this\n\nTo "
        "replace this text, use the exact text found in the file.");
    for (int i = 0; i < 4; i++)
        buf_add(&more, b.data, b.len);
    same(says("edit_block", arena_printf(&test_arena,
                                         "{\"file_path\":\"long.txt\",\"old_string\":\"%s\","
                                         "\"new_string\":\"x\"}",
                                         buf_str(&more))),
         "Search content not found in long.txt.");
    buf_done(&b);
    buf_done(&more);
}

/* Places are counted where they begin within each other too, in a time that does not grow with both
 * lengths: the second one would take minutes. */
static void places_of_a_text_that_repeats_itself_are_counted(void **state)
{
    enum { LONG = 400000 };
    char *as = arena_alloc(&test_arena, LONG + 1);
    (void)state;
    says("write_file", "{\"path\":\"p.txt\",\"content\":\"aabaabaabaa aabaab aaba\"}");
    has(says("edit_block", "{\"file_path\":\"p.txt\",\"old_string\":\"aabaa\",\"new_string\":\"x\","
                           "\"expected_replacements\":9}"),
        "Expected 9 occurrences but found 4 in p.txt.");
    memset(as, 'a', LONG);
    as[LONG] = 0;
    says("write_file", arena_printf(&test_arena, "{\"path\":\"r.txt\",\"content\":\"%s\"}", as));
    has(says("edit_block", arena_printf(&test_arena,
                                        "{\"file_path\":\"r.txt\",\"old_string\":\"%s\","
                                        "\"new_string\":\"x\"}",
                                        as + LONG / 2)),
        "Expected 1 occurrences but found 200001 in r.txt.");
    /* 400,000 times 200 bytes. */
    as[200] = 0;
    same(says("edit_block", arena_printf(&test_arena,
                                         "{\"file_path\":\"r.txt\",\"old_string\":\"a\","
                                         "\"new_string\":\"%s\",\"expected_replacements\":%d}",
                                         as, LONG)),
         "Error: EFBIG: file too large, open '/data/r.txt'");
}

static void an_edit_keeps_the_line_ends_of_its_file(void **state)
{
    (void)state;
    says("write_file", "{\"path\":\"d.txt\",\"content\":\"one\\r\\ntwo\\r\\nthree\\r\\n\"}");
    says("edit_block", "{\"file_path\":\"d.txt\",\"old_string\":\"one\\ntwo\",\"new_string\":"
                       "\"1\\n2\"}");
    has(says("read_file", "{\"path\":\"d.txt\"}"), "1\r\n2\r\nthree");
    /* Where they differ, those of the first one. */
    says("write_file", "{\"path\":\"m.txt\",\"content\":\"one\\ntwo\\r\\nthree\\rfour\"}");
    says("edit_block", "{\"file_path\":\"m.txt\",\"old_string\":\"one\\r\\ntwo\",\"new_string\":"
                       "\"1\\r\\n2\\r\"}");
    has(says("read_file", "{\"path\":\"m.txt\"}"), "1\n2\n\r\nthree\rfour");
    says("write_file", "{\"path\":\"c.txt\",\"content\":\"one\\rtwo\\r\\nthree\"}");
    says("edit_block", "{\"file_path\":\"c.txt\",\"old_string\":\"one\\ntwo\",\"new_string\":"
                       "\"1\\n2\\n\"}");
    has(says("read_file", "{\"path\":\"c.txt\"}"), "1\r2\r\r\nthree");
}

int main(void)
{
#define desk_test(fn) cmocka_unit_test_setup_teardown(fn, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        desk_test(a_pdf_is_made_of_markdown),
        desk_test(html_in_markdown_is_text),
        desk_test(pages_are_as_large_as_is_asked),
        desk_test(pages_are_deleted_and_inserted),
        desk_test(files_that_want_too_much_are_refused),
        desk_test(a_file_of_pages_is_bounded),
        desk_test(marks_without_ends_are_text),
        desk_test(what_cannot_be_is_refused),
        desk_test(earlier_calls_are_known),
        desk_test(long_results_are_left_out_of_the_history),
        desk_test(an_edit_names_the_nearest_text),
        desk_test(a_long_text_has_a_nearest_one_within_bounds),
        desk_test(places_of_a_text_that_repeats_itself_are_counted),
        desk_test(an_edit_keeps_the_line_ends_of_its_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
