/* SPDX-License-Identifier: Apache-2.0 */
/* Files that become documents, and documents in other formats. */
#include "services/drive/core/document/format.h"
#include "tests/support/gdrive.h"
#include "tests/support/unit.h"
#include <stdlib.h>

#define DOCUMENT    "application/vnd.google-apps.document"
#define SPREADSHEET "application/vnd.google-apps.spreadsheet"
#define DOCX        "application/vnd.openxmlformats-officedocument.wordprocessingml.document"

/* A multipart upload: metadata, then bytes of a type. */
static const struct json *upload_as(const char *method, const char *target, const char *metadata,
                                    const char *type, const char *bytes, size_t len)
{
    static const char *const headers[] = {"Content-Type", "multipart/related; boundary=xx", NULL};
    struct buf b;
    buf_init(&b, 0);
    buf_printf(
        &b, "--xx\r\nContent-Type: application/json\r\n\r\n%s\r\n--xx\r\nContent-Type: %s\r\n\r\n",
        metadata, type);
    buf_add(&b, bytes, len);
    buf_puts(&b, "\r\n--xx--\r\n");
    const struct json *v = ask(ADA, method, target, headers, b.data, b.len);
    buf_done(&b);
    return v;
}

static const struct json *convert(const char *to, const char *type, const char *text)
{
    return upload_as("POST", "/upload/drive/v3/files?uploadType=multipart&fields=*",
                     arena_printf(&test_arena, "{\"name\":\"d\",\"mimeType\":\"%s\"}", to), type,
                     text, strlen(text));
}

static const char *exported(const char *who, const char *id, const char *type)
{
    as(who, "GET", arena_printf(&test_arena, "/files/%s/export?mimeType=%s", id, type), NULL);
    return test_body;
}

static void a_text_becomes_a_document_with_no_bytes_of_its_own(void **state)
{
    (void)state;
    const struct json *v = convert(DOCUMENT, "text/markdown", "# Plan\n\nHello **you**");
    const char *id = json_get_str(v, "id");
    assert_int_equal(test_status, 200);
    assert_string_equal(json_get_str(v, "mimeType"), DOCUMENT);
    assert_string_equal(json_get_str(v, "size"), "1024");
    assert_null(json_get(v, "md5Checksum"));
    assert_null(json_get(v, "headRevisionId"));
    assert_non_null(json_get_str(json_get(v, "exportLinks"), DOCX));
    assert_string_equal(exported(ADA, id, "text/plain"), "\xEF\xBB\xBFPlan\r\nHello you");
    assert_string_equal(test_header("Content-Type"), "text/plain");
    assert_string_equal(test_header("Content-Disposition"), "attachment");
    assert_string_equal(test_header("Cache-Control"), "private, max-age=0, must-revalidate");
    assert_string_equal(exported(ADA, id, "text/markdown"), "# Plan\n\nHello **you**\n");
    assert_non_null(strstr(exported(ADA, id, "TEXT/HTML"), "<h1>"));
    assert_memory_equal(exported(ADA, id, "application/pdf"), "%PDF", 4);
    assert_memory_equal(exported(ADA, id, "application/epub%2Bzip"), "PK", 2);
    as(ADA, "GET", arena_printf(&test_arena, "/files/%s?alt=media", id), NULL);
    assert_refused(403, "fileNotDownloadable");
}

static void a_table_of_text_becomes_a_spreadsheet(void **state)
{
    (void)state;
    const char *id = json_get_str(convert(SPREADSHEET, "text/csv", "a,B\r\n1,\"x,y\"\r\n"), "id");
    assert_string_equal(exported(ADA, id, "text/csv"), "a,B\r\n1,\"x,y\"");
    assert_string_equal(exported(ADA, id, "text/tab-separated-values"), "a\tB\r\n1\tx,y");
    exported(ADA, id, "text/plain");
    assert_refused(400, "badRequest");
    exported(ADA, id, "application/vnd.oasis.opendocument.spreadsheet");
    assert_int_equal(test_status, 200);
}

/* What a formula in D1 shows beside the rows 2,3,four and 0.5,TRUE, (the last cell is empty). */
static const char *worked_out(const char *formula)
{
    struct buf b;
    buf_init(&b, 0);
    buf_puts(&b, "2,3,four,\"");
    for (const char *p = formula; *p; p++) {
        if (*p == '"')
            buf_byte(&b, '"');
        buf_byte(&b, *p);
    }
    buf_puts(&b, "\"\r\n0.5,TRUE,\r\n");
    const char *id = json_get_str(convert(SPREADSHEET, "text/csv", buf_str(&b)), "id");
    buf_done(&b);
    const char *all = exported(ADA, id, "text/tab-separated-values");
    const char *at = strstr(all, "four\t"), *end = at ? strstr(at, "\r\n") : NULL;
    return end ? arena_memdup(&test_arena, at + 5, (size_t)(end - at - 5)) : all;
}

static void formulas_of_a_table_are_worked_out(void **state)
{
    static const char *const shown[][2] = {
        {"=1+2*3", "7"},
        {"=(A1+B1)^2", "25"},
        {"= A1 / B2", "2"},
        {"=-2^2", "4"},
        {"=--\"3\"", "3"},
        {"=2-+-3", "5"},
        {"=+C1", "four"},
        {"=-C1", "#VALUE!"},
        {"=0x1F", "#ERROR!"},
        {"=10%", "0.1"},
        {"=0.1+0.2", "0.3"},
        {"=A1&\" and \"&C1", "2 and four"},
        {"=\"say \"\"hi\"\"\"", "say \"hi\""},
        {"=SUM(A1:C2)", "5.5"},
        {"=sum(A1:A2, 10, \"4\")", "16.5"},
        {"=AVERAGE($A$1:$B$1)", "2.5"},
        {"=MIN(A:A)", "=MIN(A:A)"},
        {"=MIN(A1:B2)", "0.5"},
        {"=MAX(B2,A1:B1)", "3"},
        {"=COUNT(A1:C2)", "3"},
        {"=COUNTA(A1:C2)", "5"},
        {"=IF(A1>=2,\"yes\",\"no\")", "yes"},
        {"=IF(C1=\"FOUR\",1,2)", "1"},
        {"=A1<>B1", "TRUE"},
        {"=AND(B2,A1<B1)", "TRUE"},
        {"=OR(FALSE,A1>B1)", "FALSE"},
        {"=ROUND(2.675,2)", "2.68"},
        {"=ROUND(1234.5,-2)", "1200"},
        {"=MOD(-1,3)", "2"},
        {"=1/0", "#DIV/0!"},
        {"=IFERROR(1/0,\"none\")", "none"},
        {"=C1+1", "#VALUE!"},
        {"=A1:A2", "#VALUE!"},
        {"=SQRT(-1)", "#NUM!"},
        {"=D1+1", "#REF!"},
        {"=1+", "#ERROR!"},
        {"=)", "#ERROR!"},
        {"=SUM()", "#N/A"},
        {"=Z99", "0"},
        {"=VLOOKUP(A1,A1:B2,2)", "=VLOOKUP(A1,A1:B2,2)"},
        {"=Other!A1", "=Other!A1"},
        {"=", "="},
        {"'=1+1", "'=1+1"},
    };
    (void)state;
    for (size_t i = 0; i < SOSIA_LEN(shown); i++)
        if (strcmp(worked_out(shown[i][0]), shown[i][1]) != 0)
            fail_msg("%s is %s and not %s", shown[i][0], worked_out(shown[i][0]), shown[i][1]);
}

static void formulas_that_need_others_are_worked_out_too(void **state)
{
    struct buf b;
    (void)state;
    const char *id = json_get_str(
        convert(SPREADSHEET, "text/csv", "=B1*2,=C1+1,5\n=B2,=A2,x\n=NO(1),=A3+1,=C1\n"), "id");
    assert_string_equal(exported(ADA, id, "text/csv"), "12,6,5\r\n#REF!,#REF!,x\r\n=NO(1),=A3+1,5");
    /* A long column, a chain from its end, parentheses and sums without end. */
    buf_init(&b, 0);
    buf_puts(&b, "1\n");
    for (int i = 2; i <= 3000; i++)
        buf_printf(&b, "=A%d+1\n", i - 1);
    id = json_get_str(convert(SPREADSHEET, "text/csv", buf_str(&b)), "id");
    assert_non_null(strstr(exported(ADA, id, "text/csv"), "2999\r\n3000"));
    buf_clear(&b);
    for (int i = 1; i <= 3000; i++)
        buf_printf(&b, "=A%d+1\n", i + 1);
    for (int i = 0; i < 3000; i++)
        buf_puts(&b, i ? "(" : "=");
    buf_puts(&b, "\n");
    for (int i = 0; i < 2000; i++)
        buf_puts(&b, "=SUM(A1:ZZ9999999)\n");
    convert(SPREADSHEET, "text/csv", buf_str(&b));
    assert_int_equal(test_status, 200);
    /* Each needs the one below it. */
    buf_clear(&b);
    for (int i = 1; i < 600; i++)
        buf_printf(&b, "=A%d+1\n", i + 1);
    buf_puts(&b, "1\n");
    id = json_get_str(convert(SPREADSHEET, "text/csv", buf_str(&b)), "id");
    assert_memory_equal(exported(ADA, id, "text/csv"), "600\r\n599\r\n", 10);
    /* However many signs there are, they nest nothing. */
    buf_clear(&b);
    buf_byte(&b, '=');
    for (int i = 0; i < 40000; i++)
        buf_puts(&b, i % 2 ? "+" : "-");
    buf_puts(&b, "7\n");
    id = json_get_str(convert(SPREADSHEET, "text/csv", buf_str(&b)), "id");
    assert_string_equal(exported(ADA, id, "text/csv"), "7");
    buf_done(&b);
}

static void a_document_comes_back_from_what_it_was_exported_to(void **state)
{
    (void)state;
    const char *id =
        json_get_str(convert(DOCUMENT, "text/markdown", "# Plan\n\n* one\n* two"), "id");
    exported(ADA, id, DOCX);
    size_t n = test_len;
    const char *docx = arena_memdup(&test_arena, test_body, n);
    const struct json *v = upload_as("POST", "/upload/drive/v3/files?uploadType=multipart",
                                     "{\"mimeType\":\"" DOCUMENT "\"}", DOCX, docx, n);
    assert_int_equal(test_status, 200);
    assert_string_equal(exported(ADA, json_get_str(v, "id"), "text/markdown"),
                        "# Plan\n\n* one\n* two\n");
    /* and again as a file, which a copy turns into a document */
    v = upload_as("POST", "/upload/drive/v3/files?uploadType=multipart", "{\"name\":\"d.docx\"}",
                  DOCX, docx, n);
    const char *file = json_get_str(v, "id");
    v = as(ADA, "POST", arena_printf(&test_arena, "/files/%s/copy", file),
           "{'mimeType':'" DOCUMENT "'}");
    assert_int_equal(test_status, 200);
    assert_string_equal(exported(ADA, json_get_str(v, "id"), "text/plain"),
                        "\xEF\xBB\xBFPlan\r\n* one\r\n* two");
    as(ADA, "POST", arena_printf(&test_arena, "/files/%s/copy", file),
       "{'mimeType':'" SPREADSHEET "'}");
    assert_refused(400, "badRequest");
    /* the words in the file are found */
    v = as(ADA, "GET", "/files?q=fullText%20contains%20'two'", NULL);
    assert_int_equal(json_get(v, "files")->n, 4);
}

static void new_content_replaces_what_a_document_says(void **state)
{
    (void)state;
    const char *id = make(ADA, "{'name':'d','mimeType':'" DOCUMENT "'}");
    assert_string_equal(exported(ADA, id, "text/plain"), "\xEF\xBB\xBF");
    upload_as("PATCH",
              arena_printf(&test_arena, "/upload/drive/v3/files/%s?uploadType=multipart", id), "{}",
              "text/html", "<p>new <b>words</b>", 18);
    assert_int_equal(test_status, 200);
    assert_string_equal(exported(ADA, id, "text/plain"), "\xEF\xBB\xBFnew words");
    as(ADA, "GET", "/files?q=fullText%20contains%20'words'", NULL);
    assert_non_null(strstr(test_body, id));
    const struct json *v = as(ADA, "POST", arena_printf(&test_arena, "/files/%s/copy", id), "{}");
    assert_string_equal(exported(ADA, json_get_str(v, "id"), "text/plain"),
                        "\xEF\xBB\xBFnew words");
}

static void rtf_and_pictures_become_documents(void **state)
{
    (void)state;
    const char *id = json_get_str(
        convert(DOCUMENT, "application/rtf", "{\\rtf1 caf\\'e9 {\\b now}\\par}"), "id");
    assert_int_equal(test_status, 200);
    assert_string_equal(exported(ADA, id, "text/markdown"), "caf\xc3\xa9 **now**\n");
    as(ADA, "GET", "/files?q=fullText%20contains%20'now'", NULL);
    assert_non_null(strstr(test_body, id));
    id = json_get_str(convert(DOCUMENT, "image/png", "\x89PNG\r\n\x1a\nrest"), "id");
    assert_int_equal(test_status, 200);
    assert_string_equal(exported(ADA, id, "text/plain"), "\xEF\xBB\xBF");
    convert(DOCUMENT, "image/gif", "no picture");
    assert_refused(400, "badRequest");
    convert(SPREADSHEET, "image/png", "\x89PNG\r\n\x1a\nrest");
    assert_refused(400, "badRequest");
    convert(DOCUMENT, "application/pdf", "%PDF-1.4");
    assert_refused(400, "badRequest");
}

static void what_cannot_be_converted_changes_nothing(void **state)
{
    (void)state;
    convert(DOCUMENT, "image/x-unknown", "x");
    assert_refused(400, "badRequest");
    convert(SPREADSHEET, "text/html", "<p>");
    assert_refused(400, "badRequest");
    convert(DOCUMENT, DOCX, "this is no archive");
    assert_refused(400, "badRequest");
    convert("application/vnd.google-apps.folder", "text/plain", "x");
    assert_refused(400, "badRequest");
    char *large = arena_alloc(&test_arena, (11 << 20) + 1);
    memset(large, 'a', 11 << 20);
    large[11 << 20] = 0;
    convert(DOCUMENT, "text/plain", large);
    assert_refused(400, "badRequest");
    assert_int_equal(json_get(as(ADA, "GET", "/files", NULL), "files")->n, 0);
}

static void an_export_is_refused_in_the_service_s_order(void **state)
{
    (void)state;
    const char *file = make(ADA, "{'name':'a'}");
    as(ADA, "GET", "/files/none/export", NULL);
    assert_refused(400, "required");
    exported(ADA, "none", "text/plain");
    assert_refused(404, "notFound");
    exported(ADA, file, "text/plain");
    assert_refused(403, "fileNotExportable");
    const char *doc = make(ADA, "{'name':'d','mimeType':'" DOCUMENT "'}");
    exported(ADA, doc, "");
    assert_refused(400, "badRequest");
    exported(ADA, doc, "image/png");
    assert_refused(400, "badRequest");
    exported(EVE, doc, "text/plain");
    assert_refused(404, "notFound");
    exported(ADA, make(ADA, "{'name':'v','mimeType':'application/vnd.google-apps.vid'}"),
             "video/mp4");
    assert_refused(403, "fileNotExportable");
}

static void an_export_of_more_than_ten_megabytes_is_refused(void **state)
{
    (void)state;
    size_t n = 6 << 20;
    char *text = arena_alloc(&test_arena, n + 1);
    memset(text, '&', n); /* five bytes each in HTML */
    text[n] = 0;
    const char *id = json_get_str(convert(DOCUMENT, "text/plain", text), "id");
    assert_int_equal(test_status, 200);
    exported(ADA, id, "text/html");
    assert_refused(403, "exportSizeLimitExceeded");
    exported(ADA, id, "text/plain");
    assert_int_equal(test_status, 200);
}

static void a_prepared_download_may_be_of_an_old_revision(void **state)
{
    (void)state;
    const char *id = json_get_str(convert(DOCUMENT, "text/plain", "one"), "id");
    upload_as("PATCH",
              arena_printf(&test_arena, "/upload/drive/v3/files/%s?uploadType=multipart", id), "{}",
              "text/plain", "two", 3);
    const struct json *v = as(
        ADA, "POST",
        arena_printf(&test_arena, "/files/%s/download?mimeType=text/plain&revisionId=1", id), NULL);
    assert_int_equal(test_status, 200);
    const char *uri = json_get_str(json_get(v, "response"), "downloadUri");
    uri = strstr(uri, "/drive/v3/") + strlen("/drive/v3");
    as(ADA, "GET", uri, NULL);
    assert_string_equal(test_body, "\xEF\xBB\xBFone");
    as(EVE, "GET", uri, NULL);
    assert_refused(404, "notFound");
    assert_string_equal(exported(ADA, id, "text/plain"), "\xEF\xBB\xBFtwo");
}

/* A spreadsheet keeps the number formats of its file, exports show what it shows, and an .xlsx of
 * it has the numbers and their formats. */
static void number_formats_go_through_a_spreadsheet(void **state)
{
    static const char model[] =
        "{\"kind\":\"spreadsheet\",\"sheets\":[{\"title\":\"S\",\"rows\":[["
        "{\"format\":\"m/d/yyyy\",\"value\":46093},{\"format\":\"$#,##0.00\",\"value\":1234.5},"
        "{\"format\":\"0%\",\"value\":null}]]}]}";
    struct sosia_err err = {0};
    const struct json *v;
    struct document *d;
    struct buf out;
    (void)state;
    buf_init(&out, 1 << 20);
    assert_int_equal(json_parse(&test_arena, model, sizeof model - 1, NULL, &v, &err), 0);
    assert_int_equal(document_read(&test_arena, v, "T", &d, &err), 0);
    assert_int_equal(format_write(&test_arena, d, FORMAT_XLSX, &out, &err), 0);
    v = upload_as("POST", "/upload/drive/v3/files?uploadType=multipart&fields=*",
                  "{\"name\":\"d\",\"mimeType\":\"" SPREADSHEET "\"}", FORMAT_XLSX, out.data,
                  out.len);
    assert_int_equal(test_status, 200);
    const char *id = arena_strdup(&test_arena, json_get_str(v, "id"));
    assert_string_equal(exported(ADA, id, "text/csv"), "3/12/2026,\"$1,234.50\"");
    exported(ADA, id, FORMAT_XLSX);
    assert_int_equal(test_status, 200);
    assert_int_equal(
        format_read(&test_arena, DOCUMENT_SHEETS, FORMAT_XLSX, test_body, test_len, "T", &d, &err),
        0);
    const struct sheet_row *row = d->sheets->rows;
    assert_int_equal(row->n, 3);
    assert_string_equal(row->cells[0].text, "46093");
    assert_string_equal(row->cells[0].format, "m/d/yyyy");
    assert_string_equal(row->cells[1].format, "$#,##0.00");
    assert_string_equal(row->cells[2].format, "0%");
    buf_done(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        gdrive_test(a_text_becomes_a_document_with_no_bytes_of_its_own),
        gdrive_test(a_table_of_text_becomes_a_spreadsheet),
        gdrive_test(number_formats_go_through_a_spreadsheet),
        gdrive_test(formulas_of_a_table_are_worked_out),
        gdrive_test(formulas_that_need_others_are_worked_out_too),
        gdrive_test(a_document_comes_back_from_what_it_was_exported_to),
        gdrive_test(new_content_replaces_what_a_document_says),
        gdrive_test(rtf_and_pictures_become_documents),
        gdrive_test(what_cannot_be_converted_changes_nothing),
        gdrive_test(an_export_is_refused_in_the_service_s_order),
        gdrive_test(an_export_of_more_than_ten_megabytes_is_refused),
        gdrive_test(a_prepared_download_may_be_of_an_old_revision),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
