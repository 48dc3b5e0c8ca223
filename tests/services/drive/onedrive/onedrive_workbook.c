/* SPDX-License-Identifier: Apache-2.0 */
/* Workbooks by Microsoft Graph: sheets, ranges, tables. */
#include "engine/base/codec.h"
#include "services/drive/core/document/format.h"
#include "tests/support/outlook.h"
#include <stdio.h>

#define BOOK  "/drive/root:/b.xlsx:/workbook"
#define SHEET BOOK "/worksheets/Sheet1"

static void refused(int status, const char *code)
{
    const struct json *v = parsed(test_body, test_len);
    if (test_status != status)
        fail_msg("%d %s", test_status, test_body);
    assert_string_equal(text_at(v, "error.code"), code);
}

/* A world with an empty workbook of Bob's. */
static int open_book(void **state)
{
    struct sosia_err err = {0};
    static char doc[32768];
    struct arena a;
    struct buf out;
    (void)state;
    ol_prefer = ol_if_match = ol_type = NULL;
    arena_init(&a, 0);
    buf_init(&out, 1 << 20);
    struct document *d = document_new(&a, DOCUMENT_SHEETS, "b");
    d->sheets->title = "Sheet1";
    assert_int_equal(format_write(&a, d, FORMAT_XLSX, &out, &err), 0);
    const char *book = base64_text(&a, NULL, out.data, out.len);
    struct sheet_table table = {.name = "Table1", .bottom = 1, .heads = true};
    d->sheets->tables = &table;
    out.len = 0;
    assert_int_equal(format_write(&a, d, FORMAT_XLSX, &out, &err), 0);
    snprintf(doc, sizeof doc,
             "%sfiles:\n  - {name: b.xlsx, owner: bob@port.example, base64: %s}\n"
             "  - {name: c.xlsx, owner: bob@port.example, content: none}\n"
             "  - {name: t.bin, owner: bob@port.example, base64: %s}\n",
             ol_people, book, base64_text(&a, NULL, out.data, out.len));
    buf_done(&out);
    arena_done(&a);
    return test_open(doc);
}
#define book_test(f) cmocka_unit_test_setup_teardown(f, open_book, ol_close)

static void ranges_are_written_and_read(void **state)
{
    const struct json *v = ol_get(BOB, 200, BOOK "/worksheets");
    assert_int_equal(count_at(v, "value"), 1);
    assert_string_equal(text_at(v, "value.0.name"), "Sheet1");
    v = ol_do(BOB, "POST", BOOK "/createSession", "{'persistChanges':true}", 201);
    assert_non_null(text_at(v, "id"));
    v = ol_do(BOB, "PATCH", SHEET "/range(address='B2:C3')",
              "{'values':[['Rent','900'],[true,'=B2']]}", 200);
    assert_string_equal(text_at(v, "address"), "Sheet1!B2:C3");
    assert_string_equal(text_at(v, "values.0.0"), "Rent");
    assert_int_equal(json_get_int(v, "rowIndex", -1), 1);
    assert_string_equal(text_at(v, "valueTypes.0.1"), "Double");
    assert_string_equal(text_at(v, "valueTypes.1.0"), "Boolean");
    assert_string_equal(text_at(v, "formulas.1.1"), "=B2");
    v = ol_get(BOB, 200, SHEET "/usedRange");
    assert_string_equal(text_at(v, "address"), "Sheet1!B2:C3");
    assert_string_equal(text_at(v, "text.0.1"), "900");
    v = ol_get(BOB, 200, SHEET "/cell(row=1,column=2)");
    assert_string_equal(text_at(v, "address"), "Sheet1!C2");
    v = ol_get(BOB, 200, SHEET "/range(address='C2')?$select=values");
    assert_null(json_get(v, "address"));
    ol_do(BOB, "PATCH", SHEET "/range(address='A1:A2')", "{'values':7}", 200);
    v = ol_get(BOB, 200, SHEET "/range(address='A1:A2')");
    assert_string_equal(text_at(v, "text.1.0"), "7");
    ol_do(BOB, "PATCH", SHEET "/range(address='A1:A2')", "{'values':[[null],['x']]}", 200);
    v = ol_get(BOB, 200, SHEET "/range(address='A1:A2')");
    assert_string_equal(text_at(v, "text.0.0"), "7");
    assert_string_equal(text_at(v, "text.1.0"), "x");
    ol_do(BOB, "POST", SHEET "/range(address='A1:A2')/clear", "{'applyTo':'Contents'}", 204);
    v = ol_get(BOB, 200, SHEET "/range(address='A1')");
    assert_string_equal(text_at(v, "valueTypes.0.0"), "Empty");
    static const char *const bad[] = {"{'values':[[1]]}", "{'values':[[1,2],[3]]}", "{}",
                                      "{'values':[[1,2],[3,[4]]]}", "{'values':{'a':1}}"};
    for (size_t i = 0; i < SOSIA_LEN(bad); i++) {
        ol(BOB, "PATCH", SHEET "/range(address='B2:C3')", bad[i]);
        refused(400, "InvalidArgument");
    }
    assert_string_equal(text_at(ol_get(BOB, 200, SHEET "/usedRange"), "text.0.0"), "Rent");
    ol(BOB, "GET", SHEET "/range(address='B2:')", NULL);
    refused(400, "InvalidArgument");
    ol(BOB, "GET", SHEET "/range(address='A1:XFD99999')", NULL);
    refused(413, "ResponsePayloadSizeLimitExceeded");
    ol(BOB, "GET", BOOK "/worksheets/None", NULL);
    refused(404, "ItemNotFound");
    ol(BOB, "GET", "/drive/root:/c.xlsx:/workbook/worksheets", NULL);
    refused(400, "UnsupportedWorkbook");
    /* the file is another one now */
    v = ol_get(BOB, 200, "/drive/root:/b.xlsx:/versions");
    assert_true(count_at(v, "value") > 1);
}

static void formats_are_written_and_shown(void **state)
{
    (void)state;
    const struct json *v =
        ol_do(BOB, "PATCH", SHEET "/range(address='A1:B2')",
              "{'values':[[0.256,46093],[1234.5,'007']],'numberFormat':[['0.0%','yyyy-mm-dd'],"
              "['$#,##0.00','@']]}",
              200);
    assert_string_equal(text_at(v, "numberFormat.0.0"), "0.0%");
    assert_string_equal(text_at(v, "text.0.0"), "25.6%");
    assert_string_equal(text_at(v, "text.0.1"), "2026-03-12");
    assert_string_equal(text_at(v, "valueTypes.0.1"), "Double");
    assert_string_equal(text_at(v, "text.1.0"), "$1,234.50");
    assert_string_equal(text_at(v, "values.1.1"), "007");
    assert_string_equal(text_at(v, "valueTypes.1.1"), "String");
    /* they stay with other values, one by one, and null leaves them */
    ol_do(BOB, "PATCH", SHEET "/range(address='A1')", "{'values':0.5}", 200);
    v = ol_do(BOB, "PATCH", SHEET "/range(address='A1:A2')", "{'numberFormat':[[null],['0']]}",
              200);
    assert_string_equal(text_at(v, "text.0.0"), "50.0%");
    assert_string_equal(text_at(v, "text.1.0"), "1235");
    /* a format is a use of a cell, unless only values count */
    ol_do(BOB, "PATCH", SHEET "/range(address='C3')", "{'numberFormat':'0.00'}", 200);
    v = ol_get(BOB, 200, SHEET "/usedRange");
    assert_string_equal(text_at(v, "address"), "Sheet1!A1:C3");
    v = ol_get(BOB, 200, SHEET "/usedRange(valuesOnly=true)");
    assert_string_equal(text_at(v, "address"), "Sheet1!A1:B2");
    v = ol_do(BOB, "PATCH", SHEET "/range(address='C3')", "{'values':7}", 200);
    assert_string_equal(text_at(v, "text.0.0"), "7.00");
    ol_do(BOB, "POST", SHEET "/range(address='C3')/clear", "{'applyTo':'Formats'}", 204);
    v = ol_get(BOB, 200, SHEET "/range(address='C3')");
    assert_string_equal(text_at(v, "text.0.0"), "7");
    assert_string_equal(text_at(v, "numberFormat.0.0"), "General");
    ol_do(BOB, "POST", SHEET "/range(address='A1')/clear", "{'applyTo':'Contents'}", 204);
    v = ol_get(BOB, 200, SHEET "/range(address='A1')");
    assert_string_equal(text_at(v, "numberFormat.0.0"), "0.0%");
    assert_string_equal(text_at(v, "text.0.0"), "");
    ol_do(BOB, "POST", SHEET "/range(address='A1')/clear", NULL, 204);
    v = ol_get(BOB, 200, SHEET "/range(address='A1')");
    assert_string_equal(text_at(v, "numberFormat.0.0"), "General");
    static const char *const bad[] = {"{'numberFormat':[['0']]}",
                                      "{'numberFormat':[['0','0'],['0']]}",
                                      "{'numberFormat':[['0',1],[1,'0']]}",
                                      "{'numberFormat':'0;0;0;0;0'}",
                                      "{'numberFormat':'[h'}",
                                      "{'numberFormat':{}}",
                                      "{'numberFormat':true}",
                                      "{'numberFormat':null}"};
    for (size_t i = 0; i < SOSIA_LEN(bad); i++) {
        ol(BOB, "PATCH", SHEET "/range(address='A1:B2')", bad[i]);
        refused(400, "InvalidArgument");
    }
    ol(BOB, "PATCH", SHEET "/range(address='A1:B2')", bad[0]);
    assert_string_equal(text_at(parsed(test_body, test_len), "error.message"),
                        "The number of rows or columns in the input array doesn't match the size "
                        "or dimensions of the range.");
    v = ol_get(BOB, 200, SHEET "/range(address='A2:B2')");
    assert_string_equal(text_at(v, "text.0.0"), "1235");
}

/* A text is what somebody types: dates, times, percents and amounts are numbers with formats. */
static void typed_texts_have_formats(void **state)
{
    static const struct {
        const char *typed, *text, *format;
    } cases[] = {
        {"2026-03-12", "3/12/2026", "m/d/yyyy"},
        {"3/12/26", "3/12/2026", "m/d/yyyy"},
        {"3/12/2026 7:30", "3/12/2026 7:30", "m/d/yyyy h:mm"},
        {"19:30", "19:30", "h:mm"},
        {"7:30:05 pm", "7:30:05 PM", "h:mm:ss AM/PM"},
        {"12.5%", "12.50%", "0.00%"},
        {"5%", "5%", "0%"},
        {"$1,234.5", "$1,234.50 ", "$#,##0.00_);[Red]($#,##0.00)"},
        {"-1,234", "-1,234", "#,##0"},
        {"\\u00272026-03-12", "2026-03-12", "General"},
        {"2026-02-30", "2026-02-30", "General"},
        {"1,23", "1,23", "General"},
        {"25:00", "25:00", "General"},
        {"2026-03-12T07:00:00Z", "2026-03-12T07:00:00Z", "General"},
        {"+1 555-0100", "+1 555-0100", "General"},
        {"%", "%", "General"},
        {"$", "$", "General"},
        {"-", "-", "General"},
    };
    (void)state;
    for (size_t i = 0; i < SOSIA_LEN(cases); i++) {
        ol_do(BOB, "POST", SHEET "/range(address='A1')/clear", NULL, 204);
        const struct json *v =
            ol_do(BOB, "PATCH", SHEET "/range(address='A1')",
                  arena_printf(&test_arena, "{\"values\":[[\"%s\"]]}", cases[i].typed), 200);
        assert_string_equal(text_at(v, "text.0.0"), cases[i].text);
        assert_string_equal(text_at(v, "numberFormat.0.0"), cases[i].format);
    }
    ol_do(BOB, "PATCH", SHEET "/range(address='A1')", "{'numberFormat':'yyyy'}", 200);
    const struct json *v =
        ol_do(BOB, "PATCH", SHEET "/range(address='A1')", "{'values':'3/12/2026'}", 200);
    assert_string_equal(text_at(v, "text.0.0"), "2026");
    v = ol_do(BOB, "PATCH", SHEET "/range(address='A2')", "{'values':'007'}", 200);
    assert_string_equal(text_at(v, "valueTypes.0.0"), "Double");
    assert_string_equal(text_at(v, "text.0.0"), "7");
}

/* 32,767 characters, and 8,192 of a formula; what is longer changes nothing. */
static void cells_hold_as_much_as_in_excel(void **state)
{
    const char *sheet = SHEET "/range(address='A1')";
    char *text = arena_calloc(&test_arena, 1, 33000);
    (void)state;
    memset(text, 'x', 32767);
    ol_do(BOB, "PATCH", sheet, ol_text("{'values':[['%s']]}", text), 200);
    text[32767] = 'x';
    ol(BOB, "PATCH", sheet, ol_text("{'values':[['%s']]}", text));
    refused(400, "InvalidArgument");
    text[0] = '=';
    text[8193] = '\0';
    ol(BOB, "PATCH", sheet, ol_text("{'formulas':[['%s']]}", text));
    refused(400, "InvalidArgument");
    const struct json *v = ol_do(BOB, "GET", sheet, NULL, 200);
    assert_int_equal(strlen(text_at(v, "values.0.0")), 32767);
}

/* What is written can be read again: a call that would make more of it than that is refused. */
static void a_book_stays_readable(void **state)
{
    (void)state;
    ol(BOB, "PATCH", SHEET "/range(address='XFD1:XFD123')", "{'values':1}");
    refused(400, "InvalidArgument");
    ol_do(BOB, "PATCH", SHEET "/range(address='XFD1:XFD100')", "{'values':1}", 200);
    ol(BOB, "PATCH", SHEET "/range(address='XFD201:XFD230')", "{'values':1}");
    refused(400, "InvalidArgument");
    ol_get(BOB, 200, SHEET "/range(address='XFD100')");
    ol_do(BOB, "POST", SHEET "/range(address='XFD1:XFD100')/clear", "{}", 204);
    ol_do(BOB, "PATCH", SHEET "/range(address='A1:A2')", "{'values':1}", 200);
    ol_do(BOB, "PATCH", SHEET "/range(address='A999995')", "{'values':1}", 200);
    ol_do(BOB, "POST", BOOK "/tables/add", "{'address':'Sheet1!A1:A2','hasHeaders':true}", 201);
    ol(BOB, "POST", BOOK "/tables/Table1/rows/add",
       "{'values':[[1],[2],[3],[4],[5],[6],[7],[8],[9],[10]]}");
    refused(400, "InvalidArgument");
    const struct json *v = ol_get(BOB, 200, BOOK "/tables/Table1/rows");
    assert_int_equal(count_at(v, "value"), 1);
}

/* A table has no more cells than a sheet, and an answer has no more than a range. */
static void a_table_has_bounds(void **state)
{
    (void)state;
    ol(BOB, "POST", BOOK "/tables/add", "{'address':'Sheet1!A1:XFD1000000','hasHeaders':true}");
    refused(400, "InvalidArgument");
    ol_do(BOB, "POST", BOOK "/tables/add", "{'address':'Sheet1!A1:B500000','hasHeaders':true}",
          201);
    ol(BOB, "GET", BOOK "/tables/1/rows", NULL);
    refused(413, "ResponsePayloadSizeLimitExceeded");
    ol(BOB, "GET", BOOK "/tables/1/columns", NULL);
    refused(413, "ResponsePayloadSizeLimitExceeded");
    const struct json *v = ol_get(BOB, 200, BOOK "/tables/1/rows?$top=2&$skip=400000");
    assert_int_equal(count_at(v, "value"), 2);
}

/* Tables go with their cells, or the call is refused. */
static void tables_and_their_cells_stay_together(void **state)
{
    (void)state;
    ol_do(BOB, "PATCH", SHEET "/range(address='A1:A6')",
          "{'values':[['up'],['x'],['y'],['low'],['z'],['w']]}", 200);
    ol_do(BOB, "PATCH", SHEET "/range(address='D4:D6')", "{'values':[['side'],['s'],['t']]}", 200);
    ol_do(BOB, "POST", BOOK "/tables/add", "{'address':'Sheet1!A4:A6','hasHeaders':true}", 201);
    const struct json *v = ol_do(BOB, "POST", BOOK "/tables/add",
                                 "{'address':'Sheet1!A1:A3','hasHeaders':false}", 201);
    assert_string_equal(text_at(v, "name"), "Table2");
    v = ol_get(BOB, 200, BOOK "/tables/Table2/rows");
    assert_int_equal(count_at(v, "value"), 3);
    assert_string_equal(text_at(v, "value.0.values.0.0"), "up");
    v = ol_get(BOB, 200, BOOK "/tables/Table1/columns");
    assert_string_equal(text_at(v, "value.0.name"), "low");
    v = ol_get(BOB, 200, BOOK "/tables/Table1/rows");
    assert_string_equal(text_at(v, "value.1.values.0.0"), "w");
    ol_do(BOB, "POST", BOOK "/tables/add", "{'address':'Sheet1!D5:D7','hasHeaders':true}", 201);
    ol(BOB, "DELETE", BOOK "/tables/Table3/rows/itemAt(index=0)", NULL);
    refused(400, "InvalidArgument");
    ol(BOB, "POST", BOOK "/tables/Table1/rows", "{'index':0,'values':[['n']]}");
    refused(400, "InvalidArgument");
    v = ol_get(BOB, 200, BOOK "/tables/Table3/rows");
    assert_int_equal(count_at(v, "value"), 2);
    assert_string_equal(text_at(v, "value.1.values.0.0"), "t");
    ol_do(BOB, "POST", BOOK "/tables/Table1/rows", "{'values':[['n']]}", 201);
    ol_do(BOB, "POST", BOOK "/tables/Table2/rows", "{'index':0,'values':[['n']]}", 201);
    v = ol_get(BOB, 200, BOOK "/tables/Table3/columns");
    assert_string_equal(text_at(v, "value.0.name"), "side");
}

static void a_copy_has_its_tables(void **state)
{
    (void)state;
    ol_do(BOB, "PATCH", SHEET "/range(address='A1:A2')", "{'values':[['Name'],['a']]}", 200);
    ol_do(BOB, "POST", BOOK "/tables/add", "{'address':'Sheet1!A1:A2','hasHeaders':true}", 201);
    ol_do(BOB, "POST", "/drive/root:/b.xlsx:/copy", "{'name':'d.xlsx'}", 202);
    const struct json *v = ol_get(BOB, 200, "/drive/root:/d.xlsx:/workbook/tables/Table1/rows");
    assert_string_equal(text_at(v, "value.0.values.0.0"), "a");
}

/* Bytes become a workbook by its name, and have tables then, as in a world made of its dump. */
static void what_gets_the_name_of_a_workbook_has_its_tables(void **state)
{
    (void)state;
    ol_do(BOB, "POST", "/drive/root:/t.bin:/copy", "{'name':'copied.xlsx'}", 202);
    ol_do(BOB, "PATCH", "/drive/root:/t.bin", "{'name':'renamed.xlsx'}", 200);
    static const char *const names[] = {"copied", "renamed"};
    for (size_t i = 0; i < SOSIA_LEN(names); i++) {
        const struct json *v = ol_get(BOB, 200, "/drive/root:/%s.xlsx:/workbook/tables", names[i]);
        assert_int_equal(count_at(v, "value"), 1);
        assert_string_equal(text_at(v, "value.0.name"), "Table1");
    }
}

static void sheets_are_made_renamed_and_deleted(void **state)
{
    const struct json *v = ol_do(BOB, "POST", BOOK "/worksheets/add", "{'name':'Plan'}", 201);
    assert_int_equal(json_get_int(v, "position", 0), 1);
    v = ol_do(BOB, "POST", BOOK "/worksheets", NULL, 201);
    assert_string_equal(text_at(v, "name"), "Sheet2");
    ol(BOB, "POST", BOOK "/worksheets/add", "{'name':'plan'}");
    refused(409, "ItemAlreadyExists");
    ol(BOB, "POST", BOOK "/worksheets/add", "{'name':'a/b'}");
    refused(400, "InvalidArgument");
    ol_do(BOB, "PATCH", BOOK "/worksheets/Plan", "{'name':'Plans'}", 200);
    v = ol_get(BOB, 200, BOOK "/worksheets/Plans");
    assert_string_equal(text_at(v, "id"), "{00000000-0001-0000-0100-000000000000}");
    ol_do(BOB, "DELETE", BOOK "/worksheets/Plans", NULL, 204);
    ol_do(BOB, "DELETE", BOOK "/worksheets/Sheet2", NULL, 204);
    ol(BOB, "DELETE", BOOK "/worksheets/Sheet1", NULL);
    refused(400, "InvalidArgument"); /* the last one stays */
}

static void tables_have_rows(void **state)
{
    ol_do(BOB, "PATCH", SHEET "/range(address='A1:B3')",
          "{'values':[['Name','Sum'],['a',1],['b',2]]}", 200);
    ol_do(BOB, "PATCH", SHEET "/range(address='A5')", "{'values':'below'}", 200);
    const struct json *v =
        ol_do(BOB, "POST", BOOK "/tables/add", "{'address':'Sheet1!A1:B3','hasHeaders':true}", 201);
    assert_string_equal(text_at(v, "name"), "Table1");
    ol(BOB, "POST", SHEET "/tables/add", "{'address':'B3:C4','hasHeaders':true}");
    refused(400, "InvalidArgument"); /* they lie over one another */
    v = ol_get(BOB, 200, BOOK "/tables/Table1/rows");
    assert_int_equal(count_at(v, "value"), 2);
    assert_string_equal(text_at(v, "value.1.values.0.0"), "b");
    v = ol_do(BOB, "POST", BOOK "/tables/Table1/rows/add",
              "{'index':null,'values':[['c',3],['d',4]]}", 201);
    assert_int_equal(json_get_int(v, "index", 0), 2);
    v = ol_get(BOB, 200, SHEET "/range(address='A5:A7')");
    assert_string_equal(text_at(v, "text.0.0"), "d");
    assert_string_equal(text_at(v, "text.2.0"), "below");
    v = ol_get(BOB, 200, BOOK "/tables/Table1/columns");
    assert_string_equal(text_at(v, "value.1.name"), "Sum");
    ol(BOB, "POST", BOOK "/tables/Table1/rows", "{'values':[['c']]}");
    refused(400, "InvalidArgument");
    /* a new row has the formats of the one above */
    ol_do(BOB, "PATCH", SHEET "/range(address='B5')", "{'numberFormat':'0.00'}", 200);
    ol_do(BOB, "POST", BOOK "/tables/Table1/rows", "{'values':[['e',5]]}", 201);
    v = ol_get(BOB, 200, SHEET "/range(address='B6:B7')");
    assert_string_equal(text_at(v, "text.0.0"), "5.00");
    assert_string_equal(text_at(v, "numberFormat.1.0"), "General");
    ol_do(BOB, "DELETE", BOOK "/tables/Table1/rows/itemAt(index=4)", NULL, 204);
    ol_do(BOB, "DELETE", BOOK "/tables/Table1/rows/itemAt(index=0)", NULL, 204);
    v = ol_get(BOB, 200, BOOK "/tables/1/rows?$top=1");
    assert_int_equal(count_at(v, "value"), 1);
    assert_string_equal(text_at(v, "value.0.values.0.0"), "b");
    const char *dump = json_to_text(&test_arena, test_dump());
    test_use(dump);
    assert_string_equal(json_to_text(&test_arena, test_dump()), dump);
    v = ol_get(BOB, 200, BOOK "/tables");
    assert_int_equal(count_at(v, "value"), 1);
    ol_do(BOB, "DELETE", BOOK "/tables/Table1", NULL, 204);
    ol(BOB, "GET", BOOK "/tables/Table1", NULL);
    refused(404, "ItemNotFound");
}

/* The bytes of a file, by its address. */
static const char *bytes_of(const char *target, size_t *ret_n)
{
    const struct sosia_header host[] = {{"Host", "port-my.sharepoint.com"}};
    ol(BOB, "GET", target, NULL);
    assert_int_equal(test_status, 302);
    test_request("GET", strstr(test_header("Location"), "/personal/"), host, 1, "", 0);
    assert_int_equal(test_status, 200);
    *ret_n = test_len;
    char *bytes = arena_alloc(&test_arena, test_len + 1);
    memcpy(bytes, test_body, test_len);
    return bytes;
}

static void put_bytes(const char *target, const char *bytes, size_t n, int status)
{
    const struct sosia_header headers[] = {{"Authorization", test_bearer(BOB, NULL)},
                                           {"Content-Type", "application/octet-stream"}};
    test_request("PUT", target, headers, 2, bytes, n);
    assert_int_equal(test_status, status);
}

static void tables_are_in_the_bytes(void **state)
{
    size_t n, empty_n;
    const char *empty = bytes_of("/drive/root:/b.xlsx:/content", &empty_n);
    ol_do(BOB, "PATCH", SHEET "/range(address='B2:C4')",
          "{'values':[['Item','Fee'],['Rent',900],['Power',80]]}", 200);
    ol_do(BOB, "POST", SHEET "/tables/add", "{'address':'B2:C4','hasHeaders':true}", 201);
    ol_do(BOB, "POST", BOOK "/tables/1/rows", "{'values':[['Water',30]]}", 201);
    const char *bytes = bytes_of("/drive/root:/b.xlsx:/content", &n);
    /* another file with them has the table */
    put_bytes("/v1.0/me/drive/root:/d.xlsx:/content", bytes, n, 201);
    const struct json *v = ol_get(BOB, 200, "/drive/root:/d.xlsx:/workbook/tables");
    assert_int_equal(count_at(v, "value"), 1);
    assert_string_equal(text_at(v, "value.0.name"), "Table1");
    v = ol_get(BOB, 200, "/drive/root:/d.xlsx:/workbook/tables/Table1/rows");
    assert_int_equal(count_at(v, "value"), 3);
    v = ol_get(BOB, 200, "/drive/root:/d.xlsx:/workbook/tables/Table1/columns");
    assert_string_equal(text_at(v, "value.1.name"), "Fee");
    /* and loses it with other bytes */
    put_bytes("/v1.0/me/drive/root:/d.xlsx:/content", empty, empty_n, 200);
    v = ol_get(BOB, 200, "/drive/root:/d.xlsx:/workbook/tables");
    assert_int_equal(count_at(v, "value"), 0);
    put_bytes("/v1.0/me/drive/root:/d.xlsx:/content", "none", 4, 200);
    ol(BOB, "GET", "/drive/root:/d.xlsx:/workbook/tables", NULL);
    refused(400, "UnsupportedWorkbook");
    ol_do(BOB, "POST", "/drive/root:/d.xlsx:/versions/1.0/restoreVersion", NULL, 204);
    v = ol_get(BOB, 200, "/drive/root:/d.xlsx:/workbook/tables");
    assert_int_equal(count_at(v, "value"), 1);
    ol_do(BOB, "DELETE", BOOK "/tables/Table1", NULL, 204);
    bytes = bytes_of("/drive/root:/b.xlsx:/content", &n);
    put_bytes("/v1.0/me/drive/root:/e.xlsx:/content", bytes, n, 201);
    v = ol_get(BOB, 200, "/drive/root:/e.xlsx:/workbook/tables");
    assert_int_equal(count_at(v, "value"), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        book_test(ranges_are_written_and_read),
        book_test(formats_are_written_and_shown),
        book_test(typed_texts_have_formats),
        book_test(cells_hold_as_much_as_in_excel),
        book_test(a_book_stays_readable),
        book_test(a_table_has_bounds),
        book_test(tables_and_their_cells_stay_together),
        book_test(a_copy_has_its_tables),
        book_test(what_gets_the_name_of_a_workbook_has_its_tables),
        book_test(sheets_are_made_renamed_and_deleted),
        book_test(tables_have_rows),
        book_test(tables_are_in_the_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
