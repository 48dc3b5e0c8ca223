/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is read from files and what is written to them, to the byte: the cases of
 * tests/documents. A case is
 *
 *     ==== KIND TYPE
 *     what is read
 *     ---- json
 *     the document
 *     ---- TYPE
 *     what it is written as
 *
 * KIND is of a document (text, sheets, slides, drawing), or "numbers": lines of a number, a code
 * and what it shows. TYPE "json" reads the document itself; instead of it there may be "refused".
 * Bytes that a line cannot have are {{hex}}. An archive is its parts, each behind "@@ NAME"; a PDF
 * is what its pages draw. With SOSIA_DOCUMENTS=write in the environment the files are written anew.
 */
#include "services/drive/core/document/format_impl.h"
#include "services/drive/core/document/number_format.h"
#include "services/drive/core/document/zip.h"
#include "tests/support/unit.h"
#include <stdio.h>
#include <stdlib.h>
#include <zlib.h>

static struct arena arena;

static const char *path_of(const char *name)
{
    const char *fixtures = getenv("SOSIA_FIXTURES");
    return arena_printf(&arena, "%s/../tests/documents/%s.txt", fixtures ? fixtures : "fixtures",
                        name);
}

static char *whole_file(const char *path)
{
    struct buf b;
    char piece[4096];
    size_t n;
    FILE *f = fopen(path, "rb");
    if (!f)
        fail_msg("%s cannot be read", path);
    buf_init(&b, 0);
    while ((n = fread(piece, 1, sizeof piece, f)) > 0)
        buf_add(&b, piece, n);
    fclose(f);
    char *text = arena_strdup(&arena, buf_str(&b));
    buf_done(&b);
    return text;
}

/* ---- bytes as lines ---- */

static void put_shown(struct buf *out, const char *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const unsigned char c = (unsigned char)bytes[i];
        if ((c < 0x20 && c != '\n') || c == 0x7F)
            buf_printf(out, "{{%02x}}", c);
        else
            buf_byte(out, (char)c);
    }
    buf_byte(out, '\n');
}

/* In place; the number of bytes. */
static size_t bytes_of(char *text, size_t n)
{
    size_t to = 0;
    for (size_t i = 0; i < n; i++) {
        unsigned c;
        if (i + 6 <= n && sscanf(text + i, "{{%2x}}", &c) == 1 && text[i + 5] == '}') {
            text[to++] = (char)c;
            i += 5;
        } else {
            text[to++] = text[i];
        }
    }
    text[to] = 0;
    return to;
}

static const char *archive_of(char *text, size_t *n)
{
    struct zip_part *first = NULL, **end = &first;
    struct sosia_err err = {0};
    struct buf b;
    for (char *at = text; at && *at;) {
        struct zip_part *p = arena_calloc(&arena, 1, sizeof *p);
        char *line = strchrnul(at, '\n'), *next = strstr(line, "\n@@ ");
        assert_memory_equal(at, "@@ ", 3);
        p->name = arena_memdup(&arena, at + 3, (size_t)(line - at - 3));
        p->bytes = line + (*line == '\n');
        p->len = next > line ? (size_t)(next - line - 1) : next ? 0 : strlen(p->bytes);
        *end = p;
        end = &p->next;
        at = next ? next + 1 : NULL;
    }
    buf_init(&b, 0);
    assert_int_equal(zip_write(first, false, &b, &err), 0);
    const char *bytes = arena_memdup(&arena, b.data, b.len);
    *n = b.len;
    buf_done(&b);
    return bytes;
}

static void show_archive(struct buf *out, const char *bytes, size_t n)
{
    static const char *const all[] = {"", NULL};
    struct sosia_err err = {0};
    struct zip_part *p;
    /* who asks for the type of a file finds it in front, as it is */
    buf_printf(out, "%s\n", memcmp(bytes + 30, "mimetype", 8) ? "packed" : "type in front");
    assert_int_equal(zip_read(&arena, bytes, n, all, &p, &err), 0);
    for (; p; p = p->next) {
        buf_printf(out, "@@ %s\n", p->name);
        put_shown(out, p->bytes, p->len);
    }
}

/* What the streams of a PDF are, one below the other. */
static void show_pdf(struct buf *out, const char *bytes, size_t n)
{
    const char *end = bytes + n;
    for (const char *p = bytes; (p = memmem(p, (size_t)(end - p), "stream", 6)); p += 6) {
        if (p > bytes + 3 && memcmp(p - 3, "end", 3) == 0)
            continue;
        const char *from = p + 6 + strspn(p + 6, "\r\n");
        static unsigned char plain[1 << 20];
        uLongf len = sizeof plain;
        z_stream z = {.next_in = (Bytef *)(uintptr_t)from, .avail_in = (uInt)(end - from)};
        z.next_out = plain;
        z.avail_out = (uInt)len;
        if (inflateInit(&z) != Z_OK)
            continue;
        if (inflate(&z, Z_FINISH) == Z_STREAM_END)
            put_shown(out, (const char *)plain, z.total_out);
        inflateEnd(&z);
    }
}

/* ---- cases ---- */

struct case_text {
    enum document_kind kind;
    const char *type;
    struct document *made;
    struct sosia_err err;
};

static void read_document(struct case_text *c, char *text, size_t n)
{
    const struct json *v;
    c->made = NULL;
    c->err = (struct sosia_err){0};
    const char *bytes = text;
    if (strncmp(text, "@@ ", 3) == 0)
        bytes = archive_of(text, &n);
    else
        n = bytes_of(text, n);
    if (strcmp(c->type, "json") != 0) {
        int r = format_read(&arena, c->kind, c->type, bytes, n, "A <title>", &c->made, &c->err);
        assert_int_equal(r, c->made ? 0 : -1);
    } else {
        if (json_parse(&arena, bytes, n, NULL, &v, &c->err) < 0)
            fail_msg("%s: %s", c->err.text, bytes);
        document_read(&arena, v, "A <title>", &c->made, &c->err);
    }
}

/* With a block and a row on a line of their own. */
static void show_document(struct buf *out, const struct document *d)
{
    struct json_writer w;
    struct buf b;
    buf_init(&b, 0);
    json_init(&w, &b, false, NULL);
    document_write(&w, NULL, d);
    for (const char *p = buf_str(&b); *p; p++) {
        buf_byte(out, *p);
        if (p[0] == ',' && (p[-1] == ']' || p[-1] == '}') && (p[1] == '[' || p[1] == '{'))
            buf_byte(out, '\n');
    }
    buf_byte(out, '\n');
    buf_done(&b);
}

/* A section of a case, as it is now. */
static void show_section(struct buf *out, struct case_text *c, const char *what)
{
    struct buf b;
    struct sosia_err err = {0};
    if (!c->made || strcmp(what, "refused") == 0) {
        buf_printf(out, "%s\n", c->made ? "it is taken" : c->err.text);
        return;
    }
    if (strcmp(what, "json") == 0) {
        show_document(out, c->made);
        return;
    }
    buf_init(&b, 0);
    if (strcmp(what, "words") == 0)
        document_text(c->made, &b);
    else if (format_write(&arena, c->made, what, &b, &err) < 0)
        buf_puts(&b, err.text);
    if (b.len > 4 && memcmp(b.data, "PK\3\4", 4) == 0)
        show_archive(out, b.data, b.len);
    else if (strcmp(what, FORMAT_PDF) == 0)
        show_pdf(out, b.data, b.len);
    else
        put_shown(out, b.len ? b.data : "", b.len);
    buf_done(&b);
}

static void show_numbers(struct buf *out, char *text)
{
    struct cell_scratch scratch;
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
        char *code = strchr(line, '\t'), *end;
        assert_non_null(code);
        *code++ = 0;
        if ((end = strchr(code, '\t')))
            *end = 0;
        buf_printf(out, "%s\t%s\t%s\n", line, code, number_shown(line, code, &scratch));
    }
}

static const struct {
    const char *word;
    enum document_kind kind;
} kinds[] = {{"text", DOCUMENT_TEXT},
             {"sheets", DOCUMENT_SHEETS},
             {"slides", DOCUMENT_SLIDES},
             {"drawing", DOCUMENT_DRAWING}};

/* A case from its head to the next one, as it is now. */
static void show_case(struct buf *out, const char *from, size_t n)
{
    char *text = arena_memdup(&arena, from, n), *line = strchr(text, '\n');
    struct case_text c = {0};
    char word[16], type[128];
    assert_non_null(line);
    *line = 0;
    buf_printf(out, "%s\n", text);
    *line = '\n';
    if (strncmp(text, "==== numbers\n", 13) == 0) {
        show_numbers(out, line + 1);
        return;
    }
    assert_int_equal(sscanf(text, "==== %15s %127s", word, type), 2);
    for (size_t i = 0; i < SOSIA_LEN(kinds); i++)
        if (strcmp(kinds[i].word, word) == 0)
            c.kind = kinds[i].kind;
    c.type = type;
    char *body = line + 1, *section = strstr(line, "\n---- ");
    assert_non_null(section);
    size_t len = section > body ? (size_t)(section - body) : 0;
    buf_add(out, body, len);
    if (section >= body)
        buf_byte(out, '\n');
    read_document(&c, arena_memdup(&arena, body, len), len);
    for (; section; section = strstr(section + 1, "\n---- ")) {
        const char *what = arena_memdup(&arena, section + 6, strcspn(section + 6, "\n"));
        buf_printf(out, "---- %s\n", what);
        show_section(out, &c, what);
    }
}

static void cases_are_so(const char *name)
{
    const char *path = path_of(name), *mode = getenv("SOSIA_DOCUMENTS");
    char *text = whole_file(path);
    struct buf out;
    size_t from = 0;
    buf_init(&out, 0);
    for (char *at = text, *next; at && *at; at = next) {
        if ((next = strstr(at, "\n==== ")))
            next++;
        size_t n = next ? (size_t)(next - at) : strlen(at);
        show_case(&out, at, n);
        if (!mode && (out.len - from != n || memcmp(out.data + from, at, n) != 0))
            fail_msg("%s has\n%.*s\nbut it is now\n%s", path, (int)n, at, buf_str(&out) + from);
        from = out.len;
    }
    if (mode && strcmp(mode, "write") == 0) {
        FILE *f = fopen(path, "wb");
        assert_non_null(f);
        assert_int_equal(fwrite(out.data, 1, out.len, f), out.len);
        fclose(f);
    }
    buf_done(&out);
}

static int begin(void **state)
{
    (void)state;
    arena_init(&arena, 0);
    return 0;
}

static int end(void **state)
{
    (void)state;
    arena_done(&arena);
    return 0;
}

#define CASES(name)                                                                                \
    static void name(void **state)                                                                 \
    {                                                                                              \
        (void)state;                                                                               \
        cases_are_so(#name);                                                                       \
    }
CASES(formulas)
CASES(numbers)
CASES(markdown)
CASES(html)
CASES(rtf)
CASES(plain)
CASES(archives)
CASES(written)

/* An empty one is what its kind needs, whether or not it has a title. */
static void an_empty_document_is_of_its_kind(void **state)
{
    (void)state;
    for (unsigned k = 0; k < DOCUMENT_KINDS; k++) {
        const struct document *d = document_new(&arena, (enum document_kind)k, k ? "T" : NULL);
        assert_int_equal(d->kind, k);
        assert_string_equal(d->title, k ? "T" : "");
        assert_null(d->blocks);
        assert_true(!d->sheets == (k != DOCUMENT_SHEETS));
        assert_true(!d->slides == (k == DOCUMENT_TEXT || k == DOCUMENT_SHEETS));
        if (d->sheets) {
            assert_string_equal(d->sheets->title, "Sheet1");
            assert_null(d->sheets->rows);
            assert_null(d->sheets->next);
        }
        if (d->slides) {
            assert_null(d->slides->shapes);
            assert_null(d->slides->next);
        }
    }
}

/* n times the unit between a head and a tail. */
static const char *many(const char *head, const char *unit, size_t n, const char *tail)
{
    const size_t len = strlen(unit), from = strlen(head);
    char *s = arena_alloc(&arena, from + len * n + strlen(tail) + 1);
    memcpy(s, head, from);
    for (size_t i = 0; i < n; i++)
        memcpy(s + from + i * len, unit, len);
    memcpy(s + from + len * n, tail, strlen(tail) + 1);
    return s;
}

/* NULL: it is too large. */
static struct document *taken(enum document_kind kind, const char *type, const char *text)
{
    struct document *d = NULL;
    struct sosia_err err = {0};
    if (format_read(&arena, kind, type, text, strlen(text), "", &d, &err) < 0) {
        assert_null(d);
        assert_int_equal(err.code, SOSIA_E_TOO_LARGE);
        assert_string_equal(err.reason, "tooLarge");
    }
    return d;
}

static struct document *taken_json(const char *text)
{
    const struct json *v;
    struct document *d = NULL;
    struct sosia_err err = {0};
    assert_int_equal(json_parse(&arena, text, strlen(text), NULL, &v, &err), 0);
    if (document_read(&arena, v, "", &d, &err) < 0)
        assert_int_equal(err.code, SOSIA_E_TOO_LARGE);
    return d;
}

/* As much as document.h says is taken, and one more is not. */
static void a_document_has_as_much_as_it_may(void **state)
{
    struct document *d;
    (void)state;
    /* empty lines have no runs: a node each */
    assert_non_null(taken(DOCUMENT_TEXT, FORMAT_TEXT, many("", "\n", DOCUMENT_NODES, "")));
    assert_null(taken(DOCUMENT_TEXT, FORMAT_TEXT, many("", "\n", DOCUMENT_NODES + 1, "")));
    d = taken(DOCUMENT_SHEETS, FORMAT_CSV, many("", ",", SHEET_COLUMNS - 1, "1"));
    assert_int_equal(d->sheets->rows->n, SHEET_COLUMNS);
    assert_null(taken(DOCUMENT_SHEETS, FORMAT_CSV, many("", ",", SHEET_COLUMNS, "1")));
    assert_null(taken(DOCUMENT_SHEETS, FORMAT_CSV, many("", ",", SHEET_COLUMNS, "TRUE")));
    d = taken(DOCUMENT_SHEETS, FORMAT_CSV, many("", "\n", SHEET_ROWS - 1, "1"));
    assert_int_equal(d->sheets->rows->at, SHEET_ROWS - 1);
    assert_null(taken(DOCUMENT_SHEETS, FORMAT_CSV, many("", "\n", SHEET_ROWS, "1")));
    d = taken(DOCUMENT_SHEETS, FORMAT_CSV, many("", "x", SHEET_CELL_TEXT + 1, ""));
    assert_int_equal(strlen(d->sheets->rows->cells->text), SHEET_CELL_TEXT);
    d = taken_json(many("{\"kind\":\"spreadsheet\",\"sheets\":[{}", ",{}", SHEETS - 1, "]}"));
    size_t n = 0;
    for (const struct sheet *s = d->sheets; s; s = s->next)
        assert_string_equal(s->title, arena_printf(&arena, "Sheet%zu", ++n));
    assert_int_equal(n, SHEETS);
    assert_null(taken_json(many("{\"kind\":\"spreadsheet\",\"sheets\":[{}", ",{}", SHEETS, "]}")));
    assert_non_null(taken_json(
        many("{\"kind\":\"presentation\",\"slides\":[{}", ",{}", DOCUMENT_NODES - 1, "]}")));
    assert_null(
        taken_json(many("{\"kind\":\"presentation\",\"slides\":[{}", ",{}", DOCUMENT_NODES, "]}")));
}

/* A cell has so many units of UTF-16: one for most letters, whatever bytes they take, two for those
 * beyond U+FFFF, of which no half stays. */
static void a_cell_has_letters_and_not_bytes(void **state)
{
    const struct document *d;
    (void)state;
    d = taken(DOCUMENT_SHEETS, FORMAT_CSV, many("", "é", SHEET_CELL_TEXT + 1, ""));
    assert_int_equal(strlen(d->sheets->rows->cells->text), 2 * SHEET_CELL_TEXT);
    d = taken(DOCUMENT_SHEETS, FORMAT_CSV, many("x", "😀", SHEET_CELL_TEXT / 2, ""));
    assert_int_equal(strlen(d->sheets->rows->cells->text), 1 + 4 * (SHEET_CELL_TEXT / 2 - 1));
    for (unsigned more = 0; more < 2; more++) {
        const char *text = arena_printf(&arena, "%s\n=A1&\"é%s\"\n",
                                        many("", "日", SHEET_CELL_TEXT - 1, ""), more ? "z" : "");
        d = taken(DOCUMENT_SHEETS, FORMAT_TSV, text);
        const char *value = d->sheets->rows->next->cells->text;
        if (more)
            assert_string_equal(value, "#VALUE!");
        else
            assert_int_equal(strlen(value), 3 * (SHEET_CELL_TEXT - 1) + 2);
    }
}

/* Powers come from the right, or from the left, however many there are. */
static void powers_come_from_one_side(void **state)
{
    const char *text =
        arena_printf(&arena, "=2^3^2,=2^-1^2,=-2^2^3,=1%s,=(2^3)^2,=2^(3^2),=2^1/0^2",
                     many("", "^1", 20000, ""));
    static const char *const values[2][7] = {{"64", "0.25", "64", "1", "64", "512", "#DIV/0!"},
                                             {"512", "2", "256", "1", "64", "512", "#DIV/0!"}};
    static const enum sheet_powers sides[] = {POWERS_FROM_LEFT, POWERS_FROM_RIGHT};
    (void)state;
    for (size_t side = 0; side < 2; side++) {
        struct document *d = NULL;
        assert_int_equal(format_read_as(&arena, DOCUMENT_SHEETS, FORMAT_CSV, text, strlen(text), "",
                                        sides[side], &d, NULL),
                         0);
        for (size_t i = 0; i < SOSIA_LEN(values[0]); i++)
            assert_string_equal(d->sheets->rows->cells[i].text, values[side][i]);
    }
}

/* Texts put together are as long as a cell may be. */
static void a_formula_has_as_much_text_as_a_cell(void **state)
{
    (void)state;
    for (unsigned more = 0; more < 2; more++) {
        const char *text = arena_printf(&arena, "%s\n=A1&\"y%s\"\n",
                                        many("", "x", SHEET_CELL_TEXT - 1, ""), more ? "z" : "");
        const struct document *d = taken(DOCUMENT_SHEETS, FORMAT_TSV, text);
        const char *value = d->sheets->rows->next->cells->text;
        if (more)
            assert_string_equal(value, "#VALUE!");
        else
            assert_int_equal(strlen(value), SHEET_CELL_TEXT);
    }
}

/* Formulas look at so many values, and those behind stay what they are. */
static void formulas_have_an_end(void **state)
{
    size_t n = 0;
    (void)state;
    const char *text = arena_printf(&arena, "%s\n%s", many("", "1\t", 1999, "1"),
                                    many("", "=SUM($A$1:$BXX$1)\n", 1100, ""));
    const struct document *d = taken(DOCUMENT_SHEETS, FORMAT_TSV, text);
    for (const struct sheet_row *r = d->sheets->rows->next; r; r = r->next, n++) {
        assert_true(!r->cells->formula == (n >= 999));
        assert_string_equal(r->cells->text, n < 999 ? "2000" : "=SUM($A$1:$BXX$1)");
    }
    assert_int_equal(n, 1100);
}

/* Texts that are put together again and again are values that are looked at too. */
static void texts_put_together_have_an_end(void **state)
{
    (void)state;
    const char *text =
        arena_printf(&arena, "%s\n=A1%s\n=A1&B9\n", many("", "日", SHEET_CELL_TEXT, ""),
                     many("", "&B9", 16000, ""));
    const size_t before = arena.size;
    const struct document *d = taken(DOCUMENT_SHEETS, FORMAT_TSV, text);
    for (const struct sheet_row *r = d->sheets->rows->next; r; r = r->next) {
        assert_null(r->cells->formula);
        assert_memory_equal(r->cells->text, "=A1&B9", 6);
    }
    assert_true(arena.size - before < 16u << 20);
}

/* One more number format than a document may have is left out, and the cell with it. */
static void a_document_has_so_many_number_formats(void **state)
{
    struct buf b;
    const struct json *v;
    struct document *d;
    struct sosia_err err = {0};
    unsigned n = 0;
    (void)state;
    buf_init(&b, 0);
    buf_puts(&b, "{\"kind\":\"spreadsheet\",\"sheets\":[{\"rows\":[");
    for (unsigned i = 0; i <= NUMBER_FORMATS; i++)
        buf_printf(&b, "%s[1,{\"format\":\"0 \\\"%u\\\"\",\"value\":null}]", i ? "," : "", i);
    buf_puts(&b, "]}]}");
    assert_int_equal(json_parse(&arena, buf_str(&b), b.len, NULL, &v, &err), 0);
    assert_int_equal(document_read(&arena, v, "", &d, &err), 0);
    for (const struct sheet_row *r = d->sheets->rows; r; r = r->next, n++) {
        assert_int_equal(r->n, n < NUMBER_FORMATS ? 2 : 1);
        if (n < NUMBER_FORMATS)
            assert_string_equal(r->cells[1].format, arena_printf(&arena, "0 \"%u\"", n));
    }
    assert_int_equal(n, NUMBER_FORMATS + 1);
    buf_clear(&b);
    assert_int_equal(format_write(&arena, d, FORMAT_XLSX, &b, &err), 0);
    buf_done(&b);
}

/* A format is found by its type, and none is written where there is no room. */
static void what_has_no_room_is_not_written(void **state)
{
    size_t n;
    const struct format *all = format_all(&n);
    (void)state;
    assert_int_equal(n, 16);
    for (size_t i = 0; i < n; i++) {
        assert_ptr_equal(format_find(all[i].type), &all[i]);
        for (unsigned kind = 0; kind < DOCUMENT_KINDS; kind++) {
            struct document *d = document_new(&arena, (enum document_kind)kind, "T");
            struct sosia_err err = {0};
            struct buf b;
            struct sheet_cell cell = {.kind = CELL_TEXT, .text = "a long text in a cell"};
            struct sheet_row row = {.n = 1, .cells = &cell};
            struct text_run run = {.text = "a long text in a paragraph"};
            struct text_block block = {.runs = &run};
            struct text_part part = {.blocks = &block};
            if (kind == DOCUMENT_TEXT)
                d->blocks = &block;
            else if (kind == DOCUMENT_SHEETS)
                d->sheets->rows = &row;
            else
                d->slides->shapes = &part;
            buf_init(&b, 16);
            assert_int_equal(format_write(&arena, d, all[i].type, &b, &err), -1);
            assert_int_equal(err.code,
                             all[i].writes & 1u << kind ? SOSIA_E_TOO_LARGE : SOSIA_E_MEDIA_TYPE);
            buf_done(&b);
        }
    }
}

/* Pages of a PDF are as large as the document says, and so many. */
static void a_pdf_has_pages(void **state)
{
    struct sosia_err err = {0};
    struct buf b;
    (void)state;
    for (unsigned i = 0; i < 4; i++) {
        struct document *d = document_new(&arena, DOCUMENT_TEXT, "T");
        d->page_width = i & 1 ? 300 : 0;
        d->page_height = i & 2 ? 200 : 0;
        buf_init(&b, 0);
        assert_int_equal(format_write(&arena, d, FORMAT_PDF, &b, &err), 0);
        assert_true(!memmem(b.data, b.len, "[ 0 0 300 200 ]", 15) == (i != 3));
        buf_done(&b);
    }
    for (unsigned more = 0; more < 2; more++) {
        const char *text =
            many("{\"kind\":\"presentation\",\"slides\":[{}", ",{}", 1999 + more, "]}");
        buf_init(&b, 0);
        assert_int_equal(format_write(&arena, taken_json(text), FORMAT_PDF, &b, &err),
                         more ? -1 : 0);
        buf_done(&b);
    }
    assert_int_equal(err.code, SOSIA_E_TOO_LARGE);
}

/* What people type, and what OpenDocument has of it; the second is read as the first again, or as
 * the third. */
static void references_are_in_brackets(void **state)
{
    static const char *const formulas[][3] = {
        {"=A1", "=[.A1]"},
        {"=SUM($A$1:B2,C3)", "=SUM([.$A$1:.B2];[.C3])"},
        {"=Sheet2!A1", "=[$Sheet2.A1]"},
        {"=Sheet2!$A$1+1", "=[$Sheet2.$A$1]+1"},
        {"='My sheet'!A1:B2", "=[$'My sheet'.A1:.B2]"},
        {"=SUM('It''s [2]: a.b'!A1:B2,C3)", "=SUM([$'It''s [2]: a.b'.A1:.B2];[.C3])"},
        {"=Été!A1&\"Sheet2!A1, 'x'!B2\"", "=[$Été.A1]&\"Sheet2!A1, 'x'!B2\""},
        {"=Q1.2026!A1", "=[$'Q1.2026'.A1]", "='Q1.2026'!A1"},
        {"=$Sheet2!A1", "=[$Sheet2.A1]", "=Sheet2!A1"},
        {"=A1:INDEX(B:B,2)", "=[.A1]:INDEX([.B:.B];2)"},
        {"=SUM($A:C,Sheet2!B:$B,2:$3)", "=SUM([.$A:.C];[$Sheet2.B:.$B];[.2:.$3])"},
        {"=SUM(A2:A,B:2)", "=SUM([.A2]:A;B:2)"},
        {"=SUM({1,2;A1,\"{;|\"},3)+{4;5}", "=SUM({1;2|[.A1];\"{;|\"};3)+{4|5}"},
        {"=#REF!A1:B2+#REF!+#REF!#REF!", "=[#REF!.A1:.B2]+#REF!+#REF!#REF!"},
        {"=Sheet2!A1:Sheet2!B2", "=[$Sheet2.A1]:[$Sheet2.B2]"},
        {"=1E5+LOG10(2)", "=1E5+LOG10(2)"},
        {"=Sheet2!#REF!", "=Sheet2!#REF!"},
        {"='no end", "='no end"},
        {"='x'&A1", "='x'&[.A1]"},
        {"=Sheet2!name", "=Sheet2!name"},
    };
    struct buf b;
    (void)state;
    for (size_t i = 0; i < SOSIA_LEN(formulas); i++) {
        const char *const *f = formulas[i];
        buf_init(&b, 0);
        odf_formula_write(&b, f[0]);
        assert_string_equal(buf_str(&b), f[1]);
        buf_done(&b);
        assert_string_equal(odf_formula_read(&arena, arena_printf(&arena, "of:%s", f[1])),
                            f[2] ? f[2] : f[0]);
    }
}

/* As other programs write them. */
static void references_to_sheets_are_read(void **state)
{
    static const char *const formulas[][2] = {
        {"of:=[Sheet2.A1]", "=Sheet2!A1"},
        {"of:=[$Sheet2.A1:$Sheet2.B2]", "=Sheet2!A1:B2"},
        {"of:=[$Sheet2.A1:.B2]", "=Sheet2!A1:B2"},
        {"of:=[$'a b'.A1:$c.B2]", "='a b'!A1:c!B2"},
        {"of:=[$Q1-2026.A1]+[$A1.B2]", "='Q1-2026'!A1+'A1'!B2"},
        {"of:=SUM([.A1];[$'x;]'.B2])", "=SUM(A1,'x;]'!B2)"},
        {"of:=[.#REF!]", "=#REF!"},
        {"of:=[#REF!]", "=#REF!"},
        {"of:=[#REF!.A1]+[$#REF!.A1]", "=#REF!A1+#REF!A1"},
        {"of:=[$Sheet2.#REF!:.B2]", "=Sheet2!#REF!:B2"},
        {"of:=[.A1:.A1048576]", "=A1:A1048576"},
        {"of:=['file:///a.ods'#$Sheet1.A1]", "='file:///a.ods'#Sheet1!A1"},
        {"of:=[$Sheet2.A1", "=Sheet2!A1"},
        {"of:=[", "="},
    };
    (void)state;
    for (size_t i = 0; i < SOSIA_LEN(formulas); i++)
        assert_string_equal(odf_formula_read(&arena, formulas[i][0]), formulas[i][1]);
    assert_null(odf_formula_read(&arena, NULL));
    assert_null(odf_formula_read(&arena, "msoxl:A1"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
        TEST(formulas),
        TEST(numbers),
        TEST(markdown),
        TEST(html),
        TEST(rtf),
        TEST(plain),
        TEST(archives),
        TEST(written),
        TEST(an_empty_document_is_of_its_kind),
        TEST(a_document_has_as_much_as_it_may),
        TEST(a_formula_has_as_much_text_as_a_cell),
        TEST(a_cell_has_letters_and_not_bytes),
        TEST(references_are_in_brackets),
        TEST(references_to_sheets_are_read),
        TEST(powers_come_from_one_side),
        TEST(formulas_have_an_end),
        TEST(texts_put_together_have_an_end),
        TEST(a_document_has_so_many_number_formats),
        TEST(what_has_no_room_is_not_written),
        TEST(a_pdf_has_pages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
