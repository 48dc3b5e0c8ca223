/* SPDX-License-Identifier: Apache-2.0 */
/* Documents from formats and back: what each keeps, the bytes that are known, and what hostile
 * files do. */
#include "services/drive/core/document/format_impl.h"
#include "services/drive/core/document/number_format.h"
#include "tests/support/unit.h"
#include <archive.h>
#include <archive_entry.h>
#include <stdio.h>
#include <stdlib.h>

static struct arena arena;
static struct sosia_err err;

static int begin(void **state)
{
    (void)state;
    arena_init(&arena, 0);
    err = (struct sosia_err){0};
    return 0;
}

static int end(void **state)
{
    (void)state;
    arena_done(&arena);
    return 0;
}

static const char *json_of(const struct document *d)
{
    struct buf b;
    struct json_writer w;
    buf_init(&b, 0);
    json_init(&w, &b, false, NULL);
    document_write(&w, NULL, d);
    const char *text = arena_strdup(&arena, buf_str(&b));
    buf_done(&b);
    return text;
}

static struct document *take(enum document_kind kind, const char *type, const char *bytes,
                             size_t len)
{
    struct document *d = NULL;
    if (format_read(&arena, kind, type, bytes, len, "Title", &d, &err) < 0)
        fail_msg("%s: %s (%.40s)", type, err.text, bytes);
    return d;
}

static struct document *from_text(enum document_kind kind, const char *type, const char *text)
{
    return take(kind, type, text, strlen(text));
}

static const char *made(const struct document *d, const char *type, size_t *ret_len)
{
    struct buf b;
    buf_init(&b, 64 << 20);
    if (format_write(&arena, d, type, &b, &err) < 0)
        fail_msg("%s: %s", type, err.text);
    char *bytes = arena_memdup(&arena, b.data, b.len);
    *ret_len = b.len;
    buf_done(&b);
    return bytes;
}

static const char *as_text(const struct document *d, const char *type)
{
    size_t n;
    return made(d, type, &n);
}

static int refused(enum document_kind kind, const char *type, const char *bytes, size_t len)
{
    struct document *d = NULL;
    err = (struct sosia_err){0};
    assert_int_equal(format_read(&arena, kind, type, bytes, len, "", &d, &err), -1);
    assert_null(d);
    assert_true(*err.text);
    return (int)err.code;
}

static const char LETTER[] =
    "# Plan\n\nHello **bold** and *slanted* and ~~gone~~ `code` "
    "[site](https://acme.example/a?b=1&c).\n\n"
    "* one\n* two\n   * deeper\n\n1. first\n2. second\n\n---\n\n| a | b |\n| :---- | :---- |\n| 1 "
    "| 2 |\n\n"
    "Straße \xE2\x82\xAC \xF0\x9F\x98\x80 \\*not slanted\\* a < b & c > d\n";

/* ---- what formats keep ---- */

static void markdown_is_read_and_written(void **state)
{
    (void)state;
    struct document *d = from_text(DOCUMENT_TEXT, "text/markdown", LETTER);
    assert_string_equal(
        json_of(d),
        "{\"kind\":\"document\",\"blocks\":[{\"style\":\"heading1\",\"runs\":[{\"text\":\"Plan\"}]}"
        ","
        "{\"runs\":[{\"text\":\"Hello \"},{\"text\":\"bold\",\"bold\":true},{\"text\":\" and \"},"
        "{\"text\":\"slanted\",\"italic\":true},{\"text\":\" and "
        "\"},{\"text\":\"gone\",\"strike\":true},"
        "{\"text\":\" \"},{\"text\":\"code\",\"code\":true},{\"text\":\" \"},"
        "{\"text\":\"site\",\"link\":\"https://acme.example/a?b=1&c\"},{\"text\":\".\"}]},"
        "{\"list\":\"bullet\",\"level\":0,\"runs\":[{\"text\":\"one\"}]},"
        "{\"list\":\"bullet\",\"level\":0,\"runs\":[{\"text\":\"two\"}]},"
        "{\"list\":\"bullet\",\"level\":1,\"runs\":[{\"text\":\"deeper\"}]},"
        "{\"list\":\"number\",\"level\":0,\"runs\":[{\"text\":\"first\"}]},"
        "{\"list\":\"number\",\"level\":0,\"runs\":[{\"text\":\"second\"}]},{\"rule\":true},"
        "{\"table\":[[[{\"runs\":[{\"text\":\"a\"}]}],[{\"runs\":[{\"text\":\"b\"}]}]],"
        "[[{\"runs\":[{\"text\":\"1\"}]}],[{\"runs\":[{\"text\":\"2\"}]}]]]},"
        "{\"runs\":[{\"text\":\"Straße \xE2\x82\xAC \xF0\x9F\x98\x80 *not slanted* a < b & c > "
        "d\"}]}]}");
    const char *again = as_text(d, "text/x-markdown");
    assert_string_equal(json_of(from_text(DOCUMENT_TEXT, "text/markdown", again)), json_of(d));
}

/* A mark at the beginning says that it is UTF-16, in either order of bytes. */
static void html_may_be_in_utf16(void **state)
{
    static const char low[] = "\xFF\xFE<\0p\0>\0\xE9\0\x3d\xd8\x00\xdex\0";
    static const char high[] = "\xFE\xFF\0<\0p\0>\0\xE9\xd8\x3d\xde\x00\0x";
    static const char shown[] = "{\"kind\":\"document\",\"blocks\":[{\"runs\":[{\"text\":"
                                "\"\xC3\xA9\xF0\x9F\x98\x80x\"}]}]}";
    (void)state;
    assert_string_equal(json_of(take(DOCUMENT_TEXT, "text/html", low, sizeof low - 1)), shown);
    assert_string_equal(json_of(take(DOCUMENT_TEXT, "text/html", high, sizeof high - 1)), shown);
}

static void html_is_read_by_what_it_shows(void **state)
{
    (void)state;
    struct document *d =
        from_text(DOCUMENT_TEXT, "text/html",
                  "<html><head><title>no</title><style>p{}</style></head><body><h2>Head</h2>"
                  "<p>One <b>two <i>three</i></b><br>four &amp; &eacute;<script>alert(1)</script>"
                  "<p>open<ul><li>x<li><p>y</p><ol><li>z</ol></ul><table><tr><th>a<td>b</table>"
                  "<a href='javascript:x'>bad</a><a href='https://a.example'>good</a></body>");
    assert_string_equal(
        json_of(d),
        "{\"kind\":\"document\",\"blocks\":[{\"style\":\"heading2\",\"runs\":[{\"text\":\"Head\"}]}"
        ","
        "{\"runs\":[{\"text\":\"One \"},{\"text\":\"two \",\"bold\":true},"
        "{\"text\":\"three\",\"bold\":true,\"italic\":true},{\"text\":\"\\nfour & \xC3\xA9\"}]},"
        "{\"runs\":[{\"text\":\"open\"}]},{\"list\":\"bullet\",\"level\":0,\"runs\":[{\"text\":"
        "\"x\"}]},"
        "{\"list\":\"bullet\",\"level\":0,\"runs\":[{\"text\":\"y\"}]},"
        "{\"list\":\"number\",\"level\":1,\"runs\":[{\"text\":\"z\"}]},"
        "{\"table\":[[[{\"runs\":[{\"text\":\"a\",\"bold\":true}]}],[{\"runs\":[{\"text\":\"b\"}]}]"
        "]]},"
        "{\"runs\":[{\"text\":\"bad\"},{\"text\":\"good\",\"link\":\"https://a.example\"}]}]}");
}

static void texts_keep_their_structure_in(const char *type)
{
    struct document *d = from_text(DOCUMENT_TEXT, "text/markdown", LETTER);
    size_t n, m;
    const char *bytes = made(d, type, &n), *same = made(d, type, &m);
    assert_int_equal(n, m);
    assert_memory_equal(bytes, same, n);
    assert_string_equal(json_of(take(DOCUMENT_TEXT, type, bytes, n)), json_of(d));
}

static void html_keeps_the_structure_of_a_text(void **state)
{
    (void)state;
    struct document *d = from_text(DOCUMENT_TEXT, "text/markdown", LETTER);
    const char *html = as_text(d, "text/html");
    assert_non_null(strstr(html, "<span style=\"font-weight:700\">bold</span>"));
    assert_non_null(strstr(html, "a &lt; b &amp; c &gt; d"));
    assert_non_null(strstr(html, "<a href=\"https://acme.example/a?b=1&amp;c\">"));
}

static void docx_keeps_the_structure_of_a_text(void **state)
{
    (void)state;
    texts_keep_their_structure_in(FORMAT_DOCX);
}

static void odt_keeps_the_structure_of_a_text(void **state)
{
    (void)state;
    texts_keep_their_structure_in(FORMAT_ODT);
}

static void plain_text_has_a_mark_and_crlf(void **state)
{
    (void)state;
    struct document *d = from_text(DOCUMENT_TEXT, "text/plain", "one\ntwo\r\nthree\rfour\n");
    assert_string_equal(as_text(d, "text/plain"), "\xEF\xBB\xBFone\r\ntwo\r\nthree\r\nfour");
    d = from_text(DOCUMENT_TEXT, "text/plain; charset=utf-8", "caf\xE9");
    assert_string_equal(as_text(d, "TEXT/plain"), "\xEF\xBB\xBF"
                                                  "caf\xC3\xA9");
    d = take(DOCUMENT_TEXT, "text/plain", "\xFF\xFEh\0i\0", 6);
    assert_string_equal(as_text(d, "text/plain"), "\xEF\xBB\xBFhi");
    d = from_text(DOCUMENT_TEXT, "text/markdown", LETTER);
    assert_non_null(
        strstr(as_text(d, "text/plain"), "* two\r\n   * deeper\r\n1. first\r\n2. second"));
}

static void tables_of_text_have_crlf_and_no_last_line_end(void **state)
{
    (void)state;
    struct document *d =
        from_text(DOCUMENT_SHEETS, "text/csv",
                  "name,n,ok\r\n\"a, \"\"b\"\"\",1.50,TRUE\n,,\n\"two\nlines\",007\n");
    assert_string_equal(json_of(d),
                        "{\"kind\":\"spreadsheet\",\"sheets\":[{\"title\":\"Sheet1\",\"rows\":"
                        "[[\"name\",\"n\",\"ok\"],[\"a, \\\"b\\\"\",1.50,true],[],"
                        "[\"two\\nlines\",\"007\"]]}]}");
    assert_string_equal(as_text(d, "text/csv"),
                        "name,n,ok\r\n\"a, \"\"b\"\"\",1.50,TRUE\r\n,,\r\n\"two\nlines\",007,");
    assert_string_equal(as_text(d, "text/tab-separated-values"),
                        "name\tn\tok\r\na, \"b\"\t1.50\tTRUE\r\n\t\t\r\ntwo lines\t007\t");
}

static const char BOOK[] = "{\"kind\":\"spreadsheet\",\"sheets\":[{\"title\":\"Sums & "
                           "more\",\"rows\":[[\"item\",\"price\"],"
                           "[\"tea\",2.5],[],[\"sum\",{\"formula\":\"=SUM(B2:B3)*2\",\"value\":5},"
                           "null,true,\" x  y\\nz\"]]},"
                           "{\"title\":\"Empty\",\"rows\":[]}]}";

static struct document *from_json(const char *text)
{
    const struct json *v;
    struct document *d = NULL;
    assert_int_equal(json_parse(&arena, text, strlen(text), NULL, &v, &err), 0);
    assert_int_equal(document_read(&arena, v, "T", &d, &err), 0);
    assert_string_equal(json_of(d), text);
    return d;
}

static void sheets_keep_cells_in(const char *type)
{
    struct document *d = from_json(BOOK);
    size_t n, m;
    const char *bytes = made(d, type, &n), *same = made(d, type, &m);
    assert_int_equal(n, m);
    assert_memory_equal(bytes, same, n);
    assert_string_equal(json_of(take(DOCUMENT_SHEETS, type, bytes, n)), BOOK);
}

static void xlsx_keeps_cells(void **state)
{
    (void)state;
    sheets_keep_cells_in(FORMAT_XLSX);
}

static void ods_keeps_cells(void **state)
{
    (void)state;
    sheets_keep_cells_in(FORMAT_ODS);
}

static const char TALK[] = "{\"kind\":\"presentation\",\"slides\":[{\"shapes\":[[{\"runs\":[{"
                           "\"text\":\"Title\",\"bold\":true}]}],"
                           "[{\"list\":\"bullet\",\"level\":0,\"runs\":[{\"text\":\"a & b\"}]},"
                           "{\"list\":\"number\",\"level\":1,\"runs\":[{\"text\":\"c\\nd\"}]}]]},"
                           "{\"shapes\":[[{\"runs\":[{\"text\":\"End\"}]}]]}]}";

static void pptx_keeps_slides(void **state)
{
    size_t n;
    (void)state;
    const char *bytes = made(from_json(TALK), FORMAT_PPTX, &n);
    assert_string_equal(json_of(take(DOCUMENT_SLIDES, FORMAT_PPTX, bytes, n)), TALK);
}

static void odp_keeps_texts_of_slides(void **state)
{
    size_t n;
    (void)state;
    const char *bytes = made(from_json(TALK), FORMAT_ODP, &n);
    assert_string_equal(as_text(take(DOCUMENT_SLIDES, FORMAT_ODP, bytes, n), "text/plain"),
                        as_text(from_json(TALK), "text/plain"));
}

static void rtf_has_styles_links_lists_and_tables(void **state)
{
    static const char text[] =
        "{\\rtf1\\ansi\\ansicpg1252\\uc1\\deff0{\\fonttbl{\\f0\\fswiss Arial;}{\\f1\\fmodern "
        "Courier New;}}{\\colortbl;\\red1;}{\\info{\\title Not this}}\n"
        "\\pard\\outlinelevel1 Sums\\par\n"
        "\\pard Plain {\\b bold\\i  both} \\ul line\\ulnone  {\\f1 code}{\\v hidden}\\par\n"
        "caf\\'e9 \\u8364? \\u-10179?\\u-8704? \\{x\\}\\~\\ldblquote q\\rdblquote\\line next\\par\n"
        "{\\*\\unknown gone}{\\field{\\*\\fldinst {HYPERLINK \"https://a.example/\"}}{\\fldrslt "
        "{\\ul link}}}\\par\n"
        "{\\pntext 1.\\tab}one\\par {\\listtext\\'b7\\tab}dot\\par\n"
        "\\trowd\\cellx1\\cellx2\\pard\\intbl a\\par b\\cell c\\cell\\row"
        "\\trowd\\pard\\intbl\\cell d\\cell\\row\n"
        "\\pard after{\\pict\\bin4 }}\\x89504e}\\par}";
    (void)state;
    struct document *d = from_text(DOCUMENT_TEXT, "text/rtf", text);
    assert_string_equal(as_text(d, "text/markdown"),
                        "## Sums\n\nPlain **bold** ***both*** line `code`\n\n"
                        "caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80 {x}\xc2\xa0\xe2\x80\x9cq"
                        "\xe2\x80\x9d  \nnext\n\n[link](https://a.example/)\n\n1. one\n* dot\n\n"
                        "| a<br>b | c |\n| :---- | :---- |\n|  | d |\n\nafter\n");
}

static void rtf_comes_back(void **state)
{
    (void)state;
    struct document *d = from_text(DOCUMENT_TEXT, "text/markdown", LETTER);
    struct document *again = from_text(DOCUMENT_TEXT, FORMAT_RTF, as_text(d, FORMAT_RTF));
    assert_string_equal(as_text(again, FORMAT_TEXT), as_text(d, FORMAT_TEXT));
}

static void rtf_of_other_pages_and_broken_rtf_is_read_as_far_as_it_goes(void **state)
{
    char deep[1000];
    (void)state;
    assert_string_equal(
        as_text(from_text(DOCUMENT_TEXT, FORMAT_RTF, "{\\rtf1\\ansicpg1251 \\'cf\\'f0\\'e8}"),
                FORMAT_MARKDOWN),
        "\xd0\x9f\xd1\x80\xd0\xb8\n");
    assert_string_equal(
        as_text(from_text(DOCUMENT_TEXT, FORMAT_RTF, "{\\rtf1 cut {\\b off\\"), FORMAT_MARKDOWN),
        "cut **off**\n");
    from_text(DOCUMENT_TEXT, FORMAT_RTF, "{\\rtf1\\bin999999999 x");
    from_text(DOCUMENT_TEXT, FORMAT_RTF, "{\\rtf1}}}}x");
    assert_int_equal(refused(DOCUMENT_TEXT, FORMAT_RTF, "no rtf", 6), SOSIA_E_INVALID);
    memset(deep, '{', sizeof deep);
    memcpy(deep, "{\\rtf", 5);
    assert_int_equal(refused(DOCUMENT_TEXT, FORMAT_RTF, deep, sizeof deep), SOSIA_E_INVALID);
}

static void everything_else_is_made_too(void **state)
{
    static const char DRAWING[] =
        "{\"kind\":\"drawing\",\"shapes\":[[{\"runs\":[{\"text\":\"a<b\"}]}]]}";
    size_t n, m;
    (void)state;
    struct document *d = from_text(DOCUMENT_TEXT, "text/markdown", LETTER);
    const char *pdf = made(d, "application/pdf", &n), *same = made(d, "application/pdf", &m);
    assert_int_equal(n, m);
    assert_memory_equal(pdf, same, n);
    assert_memory_equal(pdf, "%PDF-1.", 7);
    assert_null(strstr(pdf, "CreationDate"));
    assert_non_null(
        strstr(as_text(d, "application/rtf"), "Stra\\u223?e \\u8364? \\u-10179?\\u-8704?"));
    assert_memory_equal(as_text(d, "application/epub+zip"), "PK\3\4", 4);
    assert_memory_equal(as_text(d, "application/zip"), "PK\3\4", 4);
    made(from_json(BOOK), "application/pdf", &n);
    made(from_json(BOOK), "application/zip", &n);
    made(from_json(TALK), "application/pdf", &n);
    assert_non_null(strstr(as_text(from_json(DRAWING), "image/svg+xml"), "a&lt;b"));
    made(from_json(DRAWING), "application/pdf", &n);
}

static void the_text_of_a_document_has_all_words(void **state)
{
    struct buf b;
    (void)state;
    buf_init(&b, 0);
    document_text(from_text(DOCUMENT_TEXT, "text/markdown", LETTER), &b);
    document_text(from_json(BOOK), &b);
    document_text(from_json(TALK), &b);
    const char *text = buf_str(&b);
    assert_non_null(strstr(text, "Hello bold and slanted"));
    assert_non_null(strstr(text, "Sums & more\nitem\tprice\n"));
    assert_non_null(strstr(text, "End\n"));
    buf_done(&b);
}

/* ---- what is refused ---- */

static void a_format_of_another_kind_is_refused(void **state)
{
    struct buf b;
    (void)state;
    assert_int_equal(refused(DOCUMENT_SHEETS, "text/html", "<p>", 3), SOSIA_E_MEDIA_TYPE);
    assert_int_equal(refused(DOCUMENT_TEXT, "image/png", "x", 1), SOSIA_E_MEDIA_TYPE);
    assert_int_equal(refused(DOCUMENT_TEXT, "", "x", 1), SOSIA_E_MEDIA_TYPE);
    buf_init(&b, 0);
    assert_int_equal(format_write(&arena, from_json(BOOK), FORMAT_DOCX, &b, &err), -1);
    assert_int_equal(err.code, SOSIA_E_MEDIA_TYPE);
    buf_done(&b);
}

static void a_type_that_lies_is_refused(void **state)
{
    static const char *const types[] = {FORMAT_DOCX, FORMAT_ODT};
    static const char *const sheets[] = {FORMAT_XLSX, FORMAT_ODS};
    size_t n;
    (void)state;
    const char *xlsx = made(from_json(BOOK), FORMAT_XLSX, &n);
    for (size_t i = 0; i < SOSIA_LEN(types); i++) {
        assert_int_equal(refused(DOCUMENT_TEXT, types[i], "%PDF-1.4", 8), SOSIA_E_INVALID);
        assert_int_equal(refused(DOCUMENT_TEXT, types[i], "", 0), SOSIA_E_INVALID);
        assert_int_equal(refused(DOCUMENT_TEXT, types[i], xlsx, n), SOSIA_E_INVALID);
        assert_int_equal(refused(DOCUMENT_SHEETS, sheets[i], xlsx, n / 2), SOSIA_E_INVALID);
    }
}

struct entry {
    const char *name, *text;
    size_t len; /* the text is repeated up to here */
};

static const char *archive_of(const struct entry *e, size_t n, size_t *ret_len)
{
    size_t cap = 8 << 20;
    char *out = arena_alloc(&arena, cap);
    struct archive *z = archive_write_new();
    archive_write_set_format_zip(z);
    assert_int_equal(archive_write_open_memory(z, out, cap, ret_len), ARCHIVE_OK);
    for (size_t i = 0; i < n; i++) {
        struct archive_entry *a = archive_entry_new();
        size_t unit = strlen(e[i].text), len = e[i].len ? e[i].len / unit * unit : unit;
        archive_entry_set_pathname(a, e[i].name);
        archive_entry_set_filetype(a, AE_IFREG);
        archive_entry_set_size(a, (la_int64_t)len);
        assert_int_equal(archive_write_header(z, a), ARCHIVE_OK);
        for (size_t at = 0; at < len; at += unit)
            archive_write_data(z, e[i].text, unit);
        archive_entry_free(a);
    }
    archive_write_close(z);
    archive_write_free(z);
    return out;
}

static void a_zip_bomb_is_refused(void **state)
{
    static const char zeros[4096];
    char line[4096];
    size_t n;
    (void)state;
    (void)zeros;
    memset(line, ' ', sizeof line - 1);
    line[sizeof line - 1] = 0;
    const struct entry bomb = {"word/document.xml", line, (size_t)200 << 20};
    const char *z = archive_of(&bomb, 1, &n);
    assert_true(n < 1 << 20);
    assert_int_equal(refused(DOCUMENT_TEXT, FORMAT_DOCX, z, n), SOSIA_E_TOO_LARGE);
    struct entry *many = arena_calloc(&arena, 3000, sizeof *many);
    for (unsigned i = 0; i < 3000; i++)
        many[i] = (struct entry){arena_printf(&arena, "e%u", i), "x", 0};
    z = archive_of(many, 3000, &n);
    assert_int_equal(refused(DOCUMENT_TEXT, FORMAT_DOCX, z, n), SOSIA_E_INVALID);
}

static void entities_and_a_dtd_are_refused(void **state)
{
    static const char laughs[] =
        "<?xml version='1.0'?><!DOCTYPE d [<!ENTITY a 'ha'><!ENTITY b '&a;&a;&a;&a;&a;&a;&a;&a;'>"
        "<!ENTITY c '&b;&b;&b;&b;&b;&b;&b;&b;'><!ENTITY d '&c;&c;&c;&c;&c;&c;&c;&c;'>"
        "<!ENTITY e SYSTEM 'file:///etc/passwd'>]><w:document xmlns:w='x'><w:body><w:p><w:r>"
        "<w:t>&d;&e;</w:t></w:r></w:p></w:body></w:document>";
    const struct entry parts[] = {{"word/document.xml", laughs, 0}, {"content.xml", laughs, 0}};
    size_t n;
    (void)state;
    const char *z = archive_of(parts, 2, &n);
    assert_int_equal(refused(DOCUMENT_TEXT, FORMAT_DOCX, z, n), SOSIA_E_INVALID);
    assert_int_equal(refused(DOCUMENT_TEXT, FORMAT_ODT, z, n), SOSIA_E_INVALID);
}

static const char *repeated(const char *unit, unsigned n)
{
    size_t len = strlen(unit);
    char *s = arena_alloc(&arena, len * n + 1);
    for (unsigned i = 0; i < n; i++)
        memcpy(s + i * len, unit, len);
    s[len * n] = 0;
    return s;
}

static void deep_nesting_is_refused_or_flat(void **state)
{
    struct document *d;
    (void)state;
    const char *deep = repeated("<div>", 200000);
    assert_int_equal(refused(DOCUMENT_TEXT, "text/html", deep, strlen(deep)), SOSIA_E_INVALID);
    from_text(DOCUMENT_TEXT, "text/html", repeated("</i>", 200000));
    const struct entry part = {"word/document.xml", repeated("<w>", 5000), 0};
    size_t n;
    const char *z = archive_of(&part, 1, &n);
    assert_int_equal(refused(DOCUMENT_TEXT, FORMAT_DOCX, z, n), SOSIA_E_INVALID);
    /* tables in tables are flat from some depth on */
    d = from_text(DOCUMENT_TEXT, "text/html", repeated("<table><tr><td>x", 60));
    assert_non_null(strstr(as_text(d, "text/plain"), "x"));
    deep = repeated("[*a_ ", 100000);
    d = from_text(DOCUMENT_TEXT, "text/markdown", deep);
    assert_int_equal(strlen(as_text(d, "text/plain")), 3 + strlen(deep) - 1);
    deep = repeated("> ", 100000);
    from_text(DOCUMENT_TEXT, "text/markdown", deep);
    deep = repeated("`", 200000);
    from_text(DOCUMENT_TEXT, "text/markdown", deep);
    deep = repeated("[<", 1000000);
    from_text(DOCUMENT_TEXT, "text/markdown", deep);
}

static void a_sheet_has_limits(void **state)
{
    const char *wide = repeated("1,", 20000);
    static const char far[] =
        "<worksheet><sheetData><row r='1'><c r='XFD1'><v>1</v></c></row>"
        "<row r='900000'><c r='A900000'><v>2</v></c></row></sheetData></worksheet>";
    const struct entry parts[] = {
        {"xl/workbook.xml",
         "<workbook xmlns:r='u'><sheets><sheet name='S' r:id='r1'/></sheets></workbook>", 0},
        {"xl/_rels/workbook.xml.rels",
         "<R><Relationship Id='r1' Target='worksheets/sheet1.xml'/></R>", 0},
        {"xl/worksheets/sheet1.xml", far, 0}};
    struct buf b;
    size_t n;
    (void)state;
    assert_int_equal(refused(DOCUMENT_SHEETS, "text/csv", wide, strlen(wide)), SOSIA_E_TOO_LARGE);
    const char *z = archive_of(parts, 3, &n);
    struct document *d = take(DOCUMENT_SHEETS, FORMAT_XLSX, z, n);
    assert_int_equal(d->sheets->rows->n, 16384);
    assert_int_equal(d->sheets->rows->next->at, 899999);
    buf_init(&b, 10 << 20); /* the table of all cells between would have 15 GB */
    assert_int_equal(format_write(&arena, d, "text/csv", &b, &err), -1);
    assert_int_equal(err.code, SOSIA_E_TOO_LARGE);
    buf_done(&b);
}

#define WORKBOOK(sheets) "<workbook xmlns:r='u'><sheets>" sheets "</sheets></workbook>"
#define SHEET_1          "<sheet name='S' r:id='r1'/>"

/* Little bytes must not become much: rows that are far away count, and so does each use of a text.
 */
static void what_a_small_sheet_becomes_has_limits(void **state)
{
    static const char rels[] = "<R><Relationship Id='r1' Target='worksheets/sheet1.xml'/></R>",
                      far[] = "<worksheet><sheetData><row r='900000'><c r='A900000'><v>2</v></c>"
                              "</row></sheetData></worksheet>";
    const struct entry rows[] = {{"xl/workbook.xml", WORKBOOK(SHEET_1 SHEET_1 SHEET_1), 0},
                                 {"xl/_rels/workbook.xml.rels", rels, 0},
                                 {"xl/worksheets/sheet1.xml", far, 0}};
    const struct entry texts[] = {
        {"xl/workbook.xml", WORKBOOK(SHEET_1), 0},
        {"xl/_rels/workbook.xml.rels", rels, 0},
        {"xl/sharedStrings.xml",
         arena_printf(&arena, "<sst><si><t>%s</t></si></sst>", repeated("x", 50000)), 0},
        {"xl/worksheets/sheet1.xml",
         arena_printf(&arena, "<worksheet><sheetData><row>%s</row></sheetData></worksheet>",
                      repeated("<c t='s'><v>0</v></c>", 2700)),
         0}};
    size_t n;
    (void)state;
    const char *z = archive_of(rows, SOSIA_LEN(rows), &n);
    assert_int_equal(refused(DOCUMENT_SHEETS, FORMAT_XLSX, z, n), SOSIA_E_TOO_LARGE);
    z = archive_of(texts, SOSIA_LEN(texts), &n);
    assert_int_equal(refused(DOCUMENT_SHEETS, FORMAT_XLSX, z, n), SOSIA_E_TOO_LARGE);
}

static void what_is_no_formula_is_left_out(void **state)
{
    static const char text[] = "{\"kind\":\"spreadsheet\",\"sheets\":[{\"title\":\"S\",\"rows\":"
                               "[[{\"formula\":\"\",\"value\":1},{\"formula\":\"A1\",\"value\":2},"
                               "{\"formula\":\"=A1\",\"value\":1}]]}]}";
    const struct json *v;
    struct document *d;
    size_t n;
    (void)state;
    assert_int_equal(json_parse(&arena, text, sizeof text - 1, NULL, &v, &err), 0);
    assert_int_equal(document_read(&arena, v, "T", &d, &err), 0);
    assert_string_equal(json_of(d),
                        "{\"kind\":\"spreadsheet\",\"sheets\":[{\"title\":\"S\",\"rows\":"
                        "[[1,2,{\"formula\":\"=A1\",\"value\":1}]]}]}");
    made(d, FORMAT_XLSX, &n); /* which writes what is behind the '=' */
}

static void dates_of_spreadsheets_are_numbers(void **state)
{
    const struct entry parts[] = {
        {"xl/workbook.xml",
         "<workbook xmlns:r='u'><sheets><sheet name='S' r:id='r1'/></sheets></workbook>", 0},
        {"xl/_rels/workbook.xml.rels",
         "<R><Relationship Id='r1' Target='/xl/worksheets/sheet1.xml'/></R>", 0},
        {"xl/styles.xml",
         "<styleSheet><numFmts><numFmt numFmtId='170' formatCode='yyyy\\-mm\\-dd'/></numFmts>"
         "<cellXfs><xf numFmtId='0'/><xf numFmtId='14'/><xf "
         "numFmtId='170'/></cellXfs></styleSheet>",
         0},
        {"xl/sharedStrings.xml", "<sst><si><t>sha</t><r><t>red</t></r></si></sst>", 0},
        {"xl/worksheets/sheet1.xml",
         "<worksheet><sheetData><row><c s='1'><v>46093</v></c>"
         "<c s='2'><v>46093.25</v></c><c s='0'><v>46093</v></c>"
         "<c t='s'><v>0</v></c><c t='s'><v>99</v></c><c "
         "s='1'><v>1</v></c></row></sheetData></worksheet>",
         0}};
    size_t n;
    (void)state;
    const char *z = archive_of(parts, SOSIA_LEN(parts), &n);
    assert_string_equal(
        json_of(take(DOCUMENT_SHEETS, FORMAT_XLSX, z, n)),
        "{\"kind\":\"spreadsheet\",\"sheets\":[{\"title\":\"S\",\"rows\":"
        "[[{\"format\":\"m/d/yyyy\",\"value\":46093},"
        "{\"format\":\"yyyy\\\\-mm\\\\-dd\",\"value\":46093.25},46093,\"shared\",null,"
        "{\"format\":\"m/d/yyyy\",\"value\":1}]]}]}");
    struct document *d = take(DOCUMENT_SHEETS, FORMAT_XLSX, z, n);
    assert_string_equal(as_text(d, "text/csv"), "3/12/2026,2026-03-12,46093,shared,,1/1/1900");
    const char *ods = made(d, FORMAT_ODS, &n);
    assert_string_equal(json_of(take(DOCUMENT_SHEETS, FORMAT_ODS, ods, n)),
                        "{\"kind\":\"spreadsheet\",\"sheets\":[{\"title\":\"S\",\"rows\":[["
                        "\"2026-03-12\",\"2026-03-12T06:00:00\",46093,\"shared\",null,"
                        "\"1900-01-01\"]]}]}");
}

/* The same day in a file that counts from 1904, and a format that is cut off. */
static void dates_since_1904_are_moved(void **state)
{
    const struct entry parts[] = {
        {"xl/workbook.xml",
         "<workbook xmlns:r='u'><workbookPr date1904='1'/><sheets><sheet name='S' r:id='r1'/>"
         "</sheets></workbook>",
         0},
        {"xl/_rels/workbook.xml.rels",
         "<R><Relationship Id='r1' Target='worksheets/sheet1.xml'/></R>", 0},
        {"xl/styles.xml",
         "<styleSheet><numFmts><numFmt numFmtId='170' formatCode='0.00&quot;'/></numFmts><cellXfs>"
         "<xf numFmtId='0'/><xf numFmtId='14'/><xf numFmtId='170'/></cellXfs></styleSheet>",
         0},
        {"xl/worksheets/sheet1.xml",
         "<worksheet><sheetData><row><c s='1'><v>44631</v></c><c s='2'><v>5</v></c>"
         "<c s='7'><v>6</v></c></row></sheetData></worksheet>",
         0}};
    size_t n;
    (void)state;
    const char *z = archive_of(parts, SOSIA_LEN(parts), &n);
    assert_string_equal(json_of(take(DOCUMENT_SHEETS, FORMAT_XLSX, z, n)),
                        "{\"kind\":\"spreadsheet\",\"sheets\":[{\"title\":\"S\",\"rows\":"
                        "[[{\"format\":\"m/d/yyyy\",\"value\":46093},5,6]]}]}");
}

/* Formats come back, also of cells that are empty; what shows cells does not know of those. */
static void formats_are_kept(void **state)
{
    static const char text[] =
        "{\"kind\":\"spreadsheet\",\"sheets\":[{\"title\":\"S\",\"rows\":[[\"a\",{\"format\":"
        "\"0.0 \\\"<kg>\\\"\",\"value\":2.25},{\"format\":\"@\",\"value\":null}],"
        "[{\"formula\":\"=B1\",\"format\":\"0%\",\"value\":0.125},{\"format\":\"0%\",\"value\":"
        "true}],"
        "[{\"format\":\"0%\",\"value\":null}]]}]}";
    struct document *d = from_json(text);
    size_t n;
    (void)state;
    const char *bytes = made(d, FORMAT_XLSX, &n);
    assert_string_equal(json_of(take(DOCUMENT_SHEETS, FORMAT_XLSX, bytes, n)), text);
    assert_string_equal(as_text(d, "text/csv"), "a,2.3 <kg>\r\n13%,TRUE");
    struct buf out;
    buf_init(&out, 0);
    document_text(d, &out);
    assert_non_null(strstr(buf_str(&out), "a\t2.3 <kg>"));
    buf_done(&out);
}

static void numbers_are_shown_by_their_formats(void **state)
{
    static const struct {
        const char *number, *format, *shown;
    } cases[] = {
        {"1234.5", NULL, "1234.5"},
        {"1234.5", "General", "1234.5"},
        {"1234.5", "0", "1235"},
        {"0.5", "0", "1"},
        {"-0.4", "0", "0"},
        {"2.675", "0.00", "2.68"},
        {"-2.5", "0.00", "-2.50"},
        {"1234567", "#,##0", "1,234,567"},
        {"123456", "#,##0", "123,456"},
        {"12", "#,##0", "12"},
        {"0", "#,##0", "0"},
        {"999.999", "#,##0.00", "1,000.00"},
        {"7", "0,000", "0,007"},
        {"0.256", "0%", "26%"},
        {"0.2567", "0.00%", "25.67%"},
        {"1234.5", "$#,##0.00", "$1,234.50"},
        {"-1234.5", "$#,##0.00", "-$1,234.50"},
        {"-1234.5", "$#,##0.00_);[Red]($#,##0.00)", "($1,234.50)"},
        {"1234.5", "$#,##0.00_);[Red]($#,##0.00)", "$1,234.50 "},
        {"1234.5", "[$\342\202\254-407] #,##0.00", "\342\202\254 1,234.50"},
        {"0", "_(* #,##0_);_(* (#,##0);_(* \"-\"_);_(@_)", " - "},
        {"1234567", "0.0,,\"M\"", "1.2M"},
        {"12345", "0.00E+00", "1.23E+04"},
        {"0.00012", "0.0E+0", "1.2E-4"},
        {"0.5", "#.##", ".5"},
        {"5", "0.##", "5."},
        {"5", "0.0#", "5.0"},
        {"5551234", "000-0000", "555-1234"},
        {"7", "000", "007"},
        {"3", "0 \"days\"", "3 days"},
        {"3", "General\" kg\"", "3 kg"},
        {"3", ";;;", ""},
        {"46093", "m/d/yyyy", "3/12/2026"},
        {"46093", "mm/dd/yy", "03/12/26"},
        {"46093", "yyyy-mm-dd", "2026-03-12"},
        {"46093", "d-mmm-yy", "12-Mar-26"},
        {"46093", "[$-F800]dddd, mmmm d, yyyy", "Thursday, March 12, 2026"},
        {"46093.3125", "m/d/yyyy h:mm", "3/12/2026 7:30"},
        {"46093.8125", "h:mm AM/PM", "7:30 PM"},
        {"46093", "h:mm AM/PM", "12:00 AM"},
        {"0.5", "h:mm:ss A/P", "12:00:00 P"},
        {"1.5", "[h]:mm", "36:00"},
        {"0.000011574", "mm:ss.0", "00:01.0"},
        {"0.75", "hh\"h\"mm", "18h00"},
        {"60", "m/d/yyyy", "2/29/1900"},
        {"59", "m/d/yyyy", "2/28/1900"},
        {"0", "m/d/yyyy", "1/0/1900"},
        {"61", "ddd", "Thu"},
        {"46092.9999999", "yyyy-mm-dd hh:mm:ss", "2026-03-12 00:00:00"},
        /* what is not there shows the number as it is */
        {"1.5", "# ?/?", "1.5"},
        {"1.5", "[>1]0", "1.5"},
        {"-1", "m/d/yyyy", "-1"},
        {"3000000", "m/d/yyyy", "3000000"},
        {"1e300", "0", "1e300"},
        {"1", "Q0", "1"},
        {"1", "0.0.0", "1"},
    };
    struct cell_scratch scratch;
    (void)state;
    for (size_t i = 0; i < SOSIA_LEN(cases); i++) {
        const char *shown = number_shown(cases[i].number, cases[i].format, &scratch);
        if (strcmp(shown, cases[i].shown) != 0)
            fail_msg("%s by %s: \"%s\"", cases[i].number, cases[i].format, shown);
    }
    assert_true(number_format_valid("0;0;0;@", 7));
    assert_false(number_format_valid("0;0;0;@;0", 9));
    assert_false(number_format_valid("0\"", 2));
    assert_false(number_format_valid("[h", 2));
    assert_false(number_format_valid("0\\", 2));
    assert_false(number_format_valid("0\n", 2));
}

/* No code and no number ends the program. */
static void any_code_shows_something(void **state)
{
    static const char letters[] = "0#?.,%;\"[]\\_*@EeymdhsAP/+-$ G";
    static const char *const numbers[] = {"0", "-0.5", "12345.678", "1e20", "60.25", "-1e-9"};
    struct cell_scratch scratch;
    uint32_t seed = 1;
    char code[40];
    (void)state;
    for (int i = 0; i < 60000; i++) {
        size_t n = 0;
        for (; n < (unsigned)i % 24 + 1; n++) {
            seed = seed * 1664525 + 1013904223;
            code[n] = letters[(seed >> 16) % (sizeof letters - 1)];
        }
        code[n] = 0;
        const char *shown = number_shown(numbers[i % 6], code, &scratch);
        assert_true(strlen(shown) < sizeof scratch.text);
        number_format_dates(code);
        number_format_valid(code, n);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
        TEST(markdown_is_read_and_written),
        TEST(html_may_be_in_utf16),
        TEST(html_is_read_by_what_it_shows),
        TEST(html_keeps_the_structure_of_a_text),
        TEST(docx_keeps_the_structure_of_a_text),
        TEST(odt_keeps_the_structure_of_a_text),
        TEST(plain_text_has_a_mark_and_crlf),
        TEST(tables_of_text_have_crlf_and_no_last_line_end),
        TEST(xlsx_keeps_cells),
        TEST(ods_keeps_cells),
        TEST(pptx_keeps_slides),
        TEST(odp_keeps_texts_of_slides),
        TEST(rtf_has_styles_links_lists_and_tables),
        TEST(rtf_comes_back),
        TEST(rtf_of_other_pages_and_broken_rtf_is_read_as_far_as_it_goes),
        TEST(everything_else_is_made_too),
        TEST(the_text_of_a_document_has_all_words),
        TEST(a_format_of_another_kind_is_refused),
        TEST(a_type_that_lies_is_refused),
        TEST(a_zip_bomb_is_refused),
        TEST(entities_and_a_dtd_are_refused),
        TEST(deep_nesting_is_refused_or_flat),
        TEST(a_sheet_has_limits),
        TEST(what_a_small_sheet_becomes_has_limits),
        TEST(what_is_no_formula_is_left_out),
        TEST(dates_of_spreadsheets_are_numbers),
        TEST(dates_since_1904_are_moved),
        TEST(formats_are_kept),
        TEST(numbers_are_shown_by_their_formats),
        TEST(any_code_shows_something),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
