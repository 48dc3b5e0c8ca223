/* SPDX-License-Identifier: Apache-2.0 */
/* The server "pdf-tools": files that are written as texts, ones with streams of objects, and bytes
 * that are none. */
#include "engine/base/codec.h"
#include "engine/pdf/pdf.h"
#include "tests/support/mcp.h"
#include "tests/support/unit.h"
#include <zlib.h>

#define ADA "ada@acme.example"
#define PDF "/mcp/pdf-tools"

/* Two pages; the second one's font has names and a map of codes, its text is in a form. There is no
 * table of objects. */
static const char plain[] =
    "%PDF-1.4\n"
    "1 0 obj << /Type /Catalog /Pages 2 0 R >> endobj\n"
    "2 0 obj << /Type /Pages /Kids [3 0 R 4 0 R] /Count 2 /MediaBox [0 0 612 792] /Resources 5 0 R "
    ">> "
    "endobj\n"
    "3 0 obj << /Type /Page /Parent 2 0 R /Contents [6 0 R 7 0 R] >> endobj\n"
    "4 0 obj << /Type /Page /Parent 2 0 R /Contents 8 0 R /MediaBox [0 0 595.276 841.89] >> "
    "endobj\n"
    "5 0 obj << /Font << /F1 9 0 R /F2 10 0 R >> /XObject << /X 11 0 R >> >> endobj\n"
    "6 0 obj << /Length 77 >> stream\n"
    "BT /F1 12 Tf 72 700 Td (Invoice \\(copy\\)) Tj 200 0 Td (No. 7) Tj 0 -14 Td (Due: 3\\0555) "
    "Tj\n"
    "endstream endobj\n"
    "7 0 obj << >> stream\n"
    "T* 0 -14 Td [(Sp) -20 (lit) -400 (words)] TJ ET BI /W 1 ID (x) Tj EI BT /F1 9 Tf 72 90 Td "
    "(foot) Tj ET\n"
    "endstream endobj\n"
    "8 0 obj << >> stream\nq 1 0 0 1 10 10 cm /X Do Q\nendstream endobj\n"
    "9 0 obj << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> endobj\n"
    "10 0 obj << /Type /Font /Subtype /Type1 /BaseFont /Odd /Encoding << /Differences [65 /eacute "
    "/Euro /uni03A9] >> /ToUnicode 12 0 R >> endobj\n"
    "11 0 obj << /Type /XObject /Subtype /Form >> stream\nBT /F2 10 Tf (ABCDEF) Tj ET /X "
    "Do\nendstream "
    "endobj\n"
    "12 0 obj << >> stream\n1 begincodespacerange <00> <FF> endcodespacerange 1 beginbfchar <44> "
    "<D83DDE00> endbfchar 1 beginbfrange <45> <46> <0041> endbfrange\nendstream endobj\n"
    "13 0 obj << /Title (Caf\\351) /Author <FEFF00C5> /CreationDate (D:20261123080000Z) >> endobj\n"
    "trailer << /Root 1 0 R /Info 13 0 R >>\n";

static const char *encoded(const void *data, size_t n)
{
    struct buf b;
    buf_init(&b, 0);
    base64_add(&b, data, n);
    const char *text = arena_strdup(&test_arena, buf_str(&b));
    buf_done(&b);
    return text;
}

static void put(const char *path, const void *data, size_t n)
{
    const char *doc = arena_printf(
        &test_arena, "{\"sosia\":1,\"workspace\":[{\"path\":\"%s\",\"base64\":\"%s\"}]}", path,
        encoded(data, n));
    if (sosia_world_seed(test_engine, test_world, doc, strlen(doc), "files", &test_err) < 0)
        fail_msg("%s", test_err.text);
}

static int set_up(void **state)
{
    (void)state;
    return test_open("{\"sosia\":1,\"time\":\"2026-11-23T08:00:00Z\",\"people\":[{\"email\":\"" ADA
                     "\",\"name\":\"Ada\"}]}");
}

static int tear_down(void **state)
{
    (void)state;
    return test_close();
}

static const struct json *answer(const char *tool, const char *arguments)
{
    const char *text = mcp_done(ADA, PDF, tool, arguments);
    const struct json *v;
    if (json_parse(&test_arena, text, strlen(text), NULL, &v, &test_err) < 0)
        fail_msg("%s: %s", text, test_err.text);
    return v;
}

static void says(const char *tool, const char *arguments, const char *expected)
{
    const char *text = mcp_done(ADA, PDF, tool, arguments);
    if (strcmp(text, expected) != 0)
        fail_msg("%s: %s", arguments, text);
}

static void a_file_is_read(void **state)
{
    (void)state;
    put("in/a.pdf", plain, sizeof plain - 1);
    const struct json *v = answer("read_pdf", "{'file_path':'in/a.pdf'}");
    assert_int_equal(json_get_int(v, "num_pages", 0), 2);
    assert_string_equal(text_at(v, "file_path"), "in/a.pdf");
    assert_string_equal(text_at(v, "metadata.title"), "Caf\303\251");
    assert_string_equal(text_at(v, "metadata.author"), "\303\205");
    assert_string_equal(text_at(v, "metadata.subject"), "");
    assert_string_equal(text_at(v, "metadata.creation_date"), "D:20261123080000Z");
    assert_int_equal(json_get_int(&json_get(v, "pages")->items[0], "page_number", 0), 1);
    assert_string_equal(text_at(v, "pages.0.text"),
                        "Invoice (copy) No. 7\nDue: 3-5\nSplit words\nfoot");
    assert_string_equal(text_at(v, "pages.1.text"),
                        "\303\251\342\202\254\316\251\360\237\230\200AB");
    /* An absolute path is the same; nothing but ASCII is in the text. */
    const char *text = mcp_done(ADA, PDF, "read_pdf", "{'file_path':'/data/in/a.pdf'}");
    assert_non_null(strstr(
        text, "{\n  \"file_path\": \"/data/in/a.pdf\",\n  \"num_pages\": 2,\n  \"metadata\": "
              "{\n    \"title\": \"Caf\\u00e9\","));
    assert_non_null(strstr(text, "\\u03a9\\ud83d\\ude00AB"));
    says(
        "get_pdf_info", "{'file_path':'in/a.pdf'}",
        "{\n  \"file_path\": \"in/a.pdf\",\n  \"num_pages\": 2,\n  \"metadata\": {\n    \"title\": "
        "\"Caf\\u00e9\",\n    \"author\": \"\\u00c5\",\n    \"subject\": \"\",\n    \"creator\": "
        "\"\",\n    "
        "\"producer\": \"\",\n    \"creation_date\": \"D:20261123080000Z\"\n  },\n  "
        "\"page_sizes\": [\n    "
        "{\n      \"page\": 1,\n      \"width\": 612.0,\n      \"height\": 792.0\n    },\n    {\n  "
        "    "
        "\"page\": 2,\n      \"width\": 595.276,\n      \"height\": 841.89\n    }\n  ],\n  "
        "\"is_encrypted\": false\n}");
}

static void pages_become_a_file(void **state)
{
    (void)state;
    put("a.pdf", plain, sizeof plain - 1);
    says("extract_pages", "{'input_file':'a.pdf','output_file':'out/b.pdf','page_numbers':[2,1,2]}",
         "{\n  \"success\": true,\n  \"output_file\": \"out/b.pdf\",\n  \"pages_extracted\": 3,\n  "
         "\"message\": \"Successfully extracted 3 pages to out/b.pdf\"\n}");
    const struct json *v = answer("read_pdf", "{'file_path':'out/b.pdf'}");
    assert_int_equal(json_get_int(v, "num_pages", 0), 3);
    assert_string_equal(text_at(v, "pages.1.text"),
                        "Invoice (copy) No. 7\nDue: 3-5\nSplit words\nfoot");
    assert_string_equal(text_at(v, "pages.2.text"),
                        "\303\251\342\202\254\316\251\360\237\230\200AB");
    v = answer("get_pdf_info", "{'file_path':'out/b.pdf'}");
    assert_string_equal(printed_at(v, "page_sizes.0.width"), "595.276");
    assert_string_equal(printed_at(v, "page_sizes.1.width"), "612.0");
    says("extract_pages", "{'input_file':'a.pdf','output_file':'c.pdf','page_numbers':[1,3]}",
         "{\n  \"error\": \"Invalid page number 3. PDF has 2 pages.\"\n}");
    says("extract_pages", "{'input_file':'a.pdf','output_file':'../c.pdf','page_numbers':[1]}",
         "{\n  \"error\": \"Failed to extract pages: Access denied: ../c.pdf is outside workspace "
         "directory\"\n}");
    says("extract_pages", "{'input_file':'a.pdf','output_file':'c.pdf','page_numbers':[]}",
         "Error: input_file, output_file, and page_numbers are required");
}

/* Objects in a stream, whose bytes are packed with a predictor, as newer programs write them. */
static void packed_objects_are_read(void **state)
{
    (void)state;
    static const char *const bodies[] = {
        "<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Kids [3 0 R] /Count 1 /Rotate 90 >>",
        "<< /Type /Page /Contents 4 0 R /MediaBox [0 0 9 8] /Resources << /Font << /F << /Subtype "
        "/Type1 >> >> >> >>"};
    const size_t second = strlen(bodies[0]) + 1, third = second + strlen(bodies[1]) + 1;
    const char *places = arena_printf(&test_arena, "1 0 2 %zu 3 %zu ", second, third);
    const char *objects =
        arena_printf(&test_arena, "%s%s %s %s", places, bodies[0], bodies[1], bodies[2]);
    const size_t len = strlen(objects);
    static const char content[] = "BT /F 9 Tf (packed) Tj ET ";
    unsigned char rows[1024], packed[1024];
    size_t n = 0;
    for (size_t at = 0; at < len; at += 8) { /* of the row above; the first byte of each row */
        rows[n++] = 2;
        for (size_t i = at; i < at + 8; i++, n++)
            rows[n] = (unsigned char)((i < len ? objects[i] : ' ') -
                                      (i >= 8 ? (i - 8 < len ? objects[i - 8] : ' ') : 0));
    }
    uLongf packed_len = sizeof packed;
    assert_int_equal(compress(packed, &packed_len, rows, n), Z_OK);
    struct buf b;
    buf_init(&b, 0);
    buf_printf(&b, "%%PDF-1.5\n4 0 obj << /Filter [/AHx] >> stream\n");
    for (size_t i = 0; i < sizeof content - 1; i++)
        buf_printf(&b, "%02x", (unsigned)content[i]);
    buf_printf(&b,
               ">\nendstream endobj 9 0 obj << /Type /ObjStm /N 3 /First %zu /Filter /FlateDecode "
               "/DecodeParms << /Predictor 12 /Columns 8 >> /Length %lu >> stream\n",
               strlen(places), packed_len);
    buf_add(&b, packed, packed_len);
    buf_puts(
        &b, "\nendstream endobj 10 0 obj << /Type /XRef /Root 1 0 R >> stream\n\nendstream endobj");
    put("p.pdf", b.data, b.len);
    buf_done(&b);
    const struct json *v = answer("read_pdf", "{'file_path':'p.pdf'}");
    assert_string_equal(text_at(v, "pages.0.text"), "packed");
    assert_string_equal(printed_at(v, "metadata"), "{}");
}

static void what_is_none_is_said(void **state)
{
    (void)state;
    static const char secret[] =
        "%PDF-1.4\n1 0 obj << /Type /Catalog >> endobj trailer << /Root 1 0 R /Encrypt << >> >>";
    put("none.pdf", "no such thing", 13);
    put("secret.pdf", secret, sizeof secret - 1);
    put("d/x", "x", 1);
    says("read_pdf", "{'file_path':'no.pdf'}", "{\n  \"error\": \"File not found: no.pdf\"\n}");
    says("read_pdf", "{'file_path':''}", "Error: file_path parameter is required");
    says("read_pdf", "{'file_path':'/etc/passwd'}",
         "{\n  \"error\": \"Unexpected error: Access denied: /etc/passwd is outside workspace "
         "directory\"\n}");
    says("read_pdf", "{'file_path':'none.pdf'}",
         "{\n  \"error\": \"Failed to read PDF: EOF marker not found\"\n}");
    says("read_pdf", "{'file_path':'secret.pdf'}",
         "{\n  \"error\": \"Failed to read PDF: File has not been decrypted\"\n}");
    says("get_pdf_info", "{'file_path':'d'}",
         "{\n  \"error\": \"Failed to get PDF info: [Errno 21] Is a directory: '/data/d'\"\n}");
    says("extract_pages", "{'input_file':'no.pdf','output_file':'c.pdf','page_numbers':[1]}",
         "{\n  \"error\": \"Input file not found: no.pdf\"\n}");
}

/* Any change of a byte gives some pages, and other files of them. */
static void broken_files_are_read_as_far_as_they_go(void **state)
{
    (void)state;
    static const char marks[] = "()<>[]{}/%09R \n\\";
    static char text[sizeof plain];
    for (size_t i = 0; i < sizeof plain - 1; i += 3) {
        struct arena a;
        struct pdf *p;
        const char *why;
        struct buf b;
        memcpy(text, plain, sizeof plain);
        text[i] = marks[i % (sizeof marks - 1)];
        arena_init(&a, 0);
        buf_init(&b, 0);
        int r = pdf_open(&a, text, sizeof plain - 1 - (i % 7 ? 0 : i), &p, &why);
        assert_true(r == 0 || r == 1);
        for (size_t k = 0; r && k < pdf_pages(p); k++) {
            pdf_page_text(p, k, &b);
            pdf_extract(p, &k, 1, &b);
        }
        buf_done(&b);
        arena_done(&a);
    }
}

/* ---- files that are much work ---- */

/* Adds an object with a stream that has `times` times the text. */
static void put_stream(struct buf *b, int number, const char *members, const char *text, int times)
{
    buf_printf(b, "%d 0 obj << %s >> stream\n", number, members);
    for (int i = 0; i < times; i++)
        buf_puts(b, text);
    buf_puts(b, "\nendstream endobj\n");
}

/* Pages that are all the same one, whose content is 4, font 5, form 7; b has what they are. */
static struct pdf *opened(struct arena *a, struct buf *b, int pages, const char *members)
{
    const char *why;
    struct pdf *p;
    buf_puts(b, "1 0 obj << /Type /Catalog /Pages 2 0 R >> endobj 2 0 obj << /Type /Pages /Kids [");
    for (int i = 0; i < pages; i++)
        buf_puts(b, "3 0 R ");
    buf_printf(
        b,
        "] >> endobj 3 0 obj << %s /Type /Page /Contents 4 0 R /Resources << /Font << /F 5 0 R "
        ">> /XObject << /X 7 0 R >> >> >> endobj trailer << /Root 1 0 R >>",
        members);
    buf_insert(b, 0, "%PDF-1.4\n", 9);
    assert_int_equal(pdf_open(a, buf_str(b), b->len, &p, &why), 1);
    assert_int_equal(pdf_pages(p), pages);
    return p;
}

/* What is drawn on each page is decoded once, and counts once among the bytes of streams. */
static void a_form_of_many_pages_is_on_all_of_them(void **state)
{
    (void)state;
    struct arena a;
    struct buf b, text;
    arena_init(&a, 0);
    buf_init(&b, 0);
    buf_init(&text, 0);
    put_stream(&b, 4, "", "/X Do", 1);
    buf_puts(&b, "5 0 obj << /Type /Font >> endobj\n");
    buf_puts(&b, "7 0 obj << /Subtype /Form >> stream\nBT /F 9 Tf (Acme) Tj ET\n");
    for (int i = 0; i < 1 << 20; i++)
        buf_byte(&b, ' ');
    buf_puts(&b, "\nendstream endobj\n");
    struct pdf *p = opened(&a, &b, 80, "");
    for (size_t i = 0; i < 80; i++) {
        buf_clear(&text);
        pdf_page_text(p, i, &text);
        assert_string_equal(buf_str(&text), "Acme");
    }
    assert_false(pdf_is_cut(p));
    buf_done(&text);
    buf_done(&b);
    arena_done(&a);
}

/* Lists of what is nothing, which many others name: each would be gone through so many times that
 * it took minutes. */
static void put_zeros(struct buf *b, int number, const char *before, const char *behind)
{
    buf_printf(b, "%d 0 obj %s[", number, before);
    for (int i = 0; i < 250000; i++)
        buf_puts(b, "0 ");
    buf_printf(b, "]%s endobj\n", behind);
}

static void see_cut(struct pdf *p)
{
    struct buf text;
    buf_init(&text, 0);
    for (size_t i = 0; i < pdf_pages(p); i++)
        pdf_page_text(p, i, &text);
    assert_true(pdf_is_cut(p));
    assert_int_equal(text.len, 0);
    buf_done(&text);
}

static void what_a_small_file_may_ask_has_an_end(void **state)
{
    struct arena a;
    const char *why;
    struct pdf *p;
    struct buf b;
    (void)state;
    arena_init(&a, 0);
    buf_init(&b, 0);
    put_zeros(&b, 4, "", ""); /* contents of pages */
    see_cut(opened(&a, &b, 20000, ""));

    buf_clear(&b);
    buf_puts(&b, "4 0 obj << >> stream\n"); /* fonts, of codes that are called otherwise */
    for (int i = 0; i < 8000; i++)
        buf_printf(&b, "/F%d 1 Tf ", i);
    buf_puts(&b, "\nendstream endobj\n6 0 obj << /Font <<");
    for (int i = 0; i < 8000; i++)
        buf_printf(&b, " /F%d %d 0 R", i, i + 10);
    buf_puts(&b, " >> >> endobj\n");
    for (int i = 0; i < 8000; i++)
        buf_printf(&b, "%d 0 obj << /Type /Font /Encoding 5 0 R >> endobj\n", i + 10);
    put_zeros(&b, 5, "<< /Differences ", " >>");
    see_cut(opened(&a, &b, 1, "/Resources 6 0 R"));

    buf_clear(&b);
    buf_puts(&b, "%PDF-1.4\n1 0 obj << /Pages 2 0 R >> endobj 2 0 obj << /Kids ["); /* pages */
    for (int i = 0; i < 70000; i++)
        buf_puts(&b, "3 0 R ");
    buf_puts(&b, "] >> endobj\n");
    put_zeros(&b, 3, "<< /Kids ", " >>");
    buf_puts(&b, "trailer << /Root 1 0 R >>");
    assert_int_equal(pdf_open(&a, buf_str(&b), b.len, &p, &why), 1);
    assert_true(pdf_is_cut(p));
    buf_done(&b);
    arena_done(&a);
}

/* Of codes with endless texts, and of values without an operator, there is an end. */
static void what_is_too_much_is_cut(void **state)
{
    (void)state;
    struct arena a;
    struct buf b, text;
    arena_init(&a, 0);
    buf_init(&b, 0);
    buf_init(&text, 0);
    buf_puts(&b, "5 0 obj << /Type /Font /ToUnicode 6 0 R >> endobj\n"
                 "6 0 obj << >> stream\n1 beginbfchar <61> <");
    for (int i = 0; i < 5000; i++)
        buf_puts(&b, "0041");
    buf_puts(&b, "> endbfchar\nendstream endobj\n");
    put_stream(&b, 4, "", "BT /F 9 Tf (aa) Tj ET", 1);
    struct pdf *p = opened(&a, &b, 1, "");
    pdf_page_text(p, 0, &text);
    assert_int_equal(text.len, 512);
    assert_false(pdf_is_cut(p));

    buf_clear(&b);
    put_stream(&b, 4, "", "1 2 3 4 ", 1 << 17);
    p = opened(&a, &b, 1, "");
    pdf_page_text(p, 0, &text);
    assert_true(pdf_is_cut(p));
    put("many.pdf", b.data, b.len);
    says("read_pdf", "{'file_path':'many.pdf'}",
         "{\n  \"error\": \"Failed to read PDF: its pages are too large\"\n}");
    buf_done(&text);
    buf_done(&b);
    arena_done(&a);
}

/* A page with much in itself, many times. */
static void a_file_of_pages_has_an_end(void **state)
{
    (void)state;
    struct arena a;
    struct buf b, members, out;
    size_t pages[1000] = {0};
    arena_init(&a, 0);
    buf_init(&b, 0);
    buf_init(&members, 0);
    buf_init(&out, (size_t)4 << 20);
    buf_puts(&members, "/Own [");
    for (int i = 0; i < 5000; i++)
        buf_puts(&members, "1 ");
    buf_puts(&members, "]");
    struct pdf *p = opened(&a, &b, 1, buf_str(&members));
    pdf_extract(p, pages, 100, &out);
    assert_false(buf_failed(&out));
    pdf_extract(p, pages, SOSIA_LEN(pages), &out);
    assert_true(out.full);
    buf_done(&out);
    buf_done(&members);
    buf_done(&b);
    arena_done(&a);
}

/* Widths of codes of two bytes, in any order: after 1 there is no space, and after 2 there is. */
static void widths_of_wide_fonts_are_found(void **state)
{
    (void)state;
    struct arena a;
    struct buf b, text;
    arena_init(&a, 0);
    buf_init(&b, 0);
    buf_init(&text, 0);
    buf_puts(&b, "5 0 obj << /Type /Font /Subtype /Type0 /ToUnicode 6 0 R /DescendantFonts [<< /DW "
                 "500 /W [9 [100 100] 1 1 1000 2 [100 700]] >>] >> endobj\n");
    put_stream(&b, 6, "", "1 beginbfrange <0001> <0004> <0061> endbfrange", 1);
    put_stream(&b, 4, "",
               "BT /F 10 Tf <0001> Tj 10 0 Td <0002> Tj 10 0 Td <0003> Tj 7 0 Td <0004> Tj 5 0 Td "
               "<0001> Tj ET",
               1);
    struct pdf *p = opened(&a, &b, 1, "");
    pdf_page_text(p, 0, &text);
    assert_string_equal(buf_str(&text), "ab cda");
    buf_done(&text);
    buf_done(&b);
    arena_done(&a);
}

static void tools_are_listed(void **state)
{
    (void)state;
    const struct json *v = mcp_ask(ADA, PDF, "tools/list", "{}");
    assert_string_equal(column(v, "result.tools", "name"), "read_pdf get_pdf_info extract_pages");
    assert_at(v, "result.tools.0.annotations.readOnlyHint", "true");
    assert_at(v, "result.tools.2.inputSchema.properties.page_numbers.items.type", "integer");
    v = mcp_ask(ADA, PDF "?tools=hosted", "tools/list", "{}");
    assert_string_equal(column(v, "result.tools", "name"),
                        "pdf_tools_read_pdf pdf_tools_get_pdf_info pdf_tools_extract_pages");
    v = mcp_ask(ADA, PDF "?risk=read", "tools/list", "{}");
    assert_string_equal(column(v, "result.tools", "name"), "read_pdf get_pdf_info");
}

int main(void)
{
#define pdf_test(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
    const struct CMUnitTest tests[] = {pdf_test(a_file_is_read),
                                       pdf_test(pages_become_a_file),
                                       pdf_test(packed_objects_are_read),
                                       pdf_test(what_is_none_is_said),
                                       pdf_test(broken_files_are_read_as_far_as_they_go),
                                       pdf_test(a_form_of_many_pages_is_on_all_of_them),
                                       pdf_test(what_a_small_file_may_ask_has_an_end),
                                       pdf_test(what_is_too_much_is_cut),
                                       pdf_test(a_file_of_pages_has_an_end),
                                       pdf_test(widths_of_wide_fonts_are_found),
                                       pdf_test(tools_are_listed)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
