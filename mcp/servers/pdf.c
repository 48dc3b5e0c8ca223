/* SPDX-License-Identifier: Apache-2.0 */
/* The server "pdf-tools": what is in PDF files of the workspace. Each answer is JSON as a text,
 * refusals too. */
#include "engine/pdf/pdf.h"
#include "engine/base/utf8.h"
#include "mcp/servers/run.h"
#include <stdio.h>

/* ---- answers ---- */

/* JSON with nothing but ASCII in it. */
static void put_ascii(struct buf *out, const char *text, size_t len)
{
    for (size_t i = 0; i < len;) {
        unsigned n = utf8_sequence(text + i, len - i);
        unsigned c = n ? utf8_code_point(text + i, n) : 0xFFFD;
        n = n ? n : 1;
        if (c < 0x80)
            buf_byte(out, (char)c);
        else if (c < 0x10000)
            buf_printf(out, "\\u%04x", c);
        else
            buf_printf(out, "\\u%04x\\u%04x", 0xD800 + ((c - 0x10000) >> 10),
                       0xDC00 + ((c - 0x10000) & 0x3FF));
        i += n;
    }
}

static int says(struct call *c, struct buf *json)
{
    struct buf text;
    buf_init(&text, 0);
    server_trim(json);
    put_ascii(&text, buf_str(json), json->len);
    int r = buf_failed(json) || buf_failed(&text) ? sosia_fail_memory(c->tx.err)
                                                  : run_says(c, false, buf_str(&text), text.len);
    buf_done(&text);
    return r;
}

static int says_error(struct call *c, const char *why)
{
    struct json_writer w;
    struct buf b;
    buf_init(&b, 0);
    json_init(&w, &b, true, NULL);
    json_obj(&w, NULL);
    json_str(&w, "error", why ? why : "");
    json_end(&w);
    int r = says(c, &b);
    buf_done(&b);
    return r;
}

static void put_text(struct json_writer *w, const char *name, const char *text)
{
    struct buf b;
    buf_init(&b, 0);
    server_put_text(&b, text ? text : "", text ? strlen(text) : 0);
    json_strn(w, name, buf_str(&b), b.len);
    buf_done(&b);
}

/* As Python prints one: with a fraction, be it 0. */
static void put_number(struct json_writer *w, const char *name, double n)
{
    char text[40];
    snprintf(text, sizeof text, "%.10g", n);
    if (!strpbrk(text, ".en"))
        strcat(text, ".0");
    json_raw(w, name, text, strlen(text));
}

static void put_about(struct json_writer *w, struct pdf *p)
{
    static const char *const names[][2] = {
        {"title", "Title"},     {"author", "Author"},     {"subject", "Subject"},
        {"creator", "Creator"}, {"producer", "Producer"}, {"creation_date", "CreationDate"}};
    json_obj(w, "metadata");
    for (size_t i = 0; i < SOSIA_LEN(names) && pdf_has_about(p); i++)
        put_text(w, names[i][0], pdf_about(p, names[i][1]));
    json_end(w);
}

/* ---- files ---- */

/* What the original says before the reason, of what it did not expect, and of what is not a PDF. */
struct words {
    const char *other, *bad, *absent;
};

/* 1; 0: refused, which is answered; -1. */
static int open_file(struct call *c, const char *path, const struct words *words, struct pdf **ret)
{
    const char *inside = workspace_inside(workspace_absolute(c->tx.arena, path)), *data, *why;
    struct workspace_place at;
    size_t len;
    if (!inside)
        return says_error(c, arena_printf(c->tx.arena,
                                          "%s: Access denied: %s is outside workspace directory",
                                          words->other, path));
    int r = workspace_resolve(&c->tx, inside, true, &at);
    if (r < 0 && !c->tx.err->reason)
        return -1;
    *c->tx.err = (struct sosia_err){0};
    if (r != 1)
        return says_error(c, arena_printf(c->tx.arena, "%s: %s", words->absent, path));
    if (at.node.kind == NODE_DIRECTORY)
        return says_error(c, arena_printf(c->tx.arena, "%s: [Errno 21] Is a directory: '%s'",
                                          words->other, workspace_absolute(c->tx.arena, path)));
    if (workspace_load(&c->tx, &at.node, &data, &len) < 0)
        return -1;
    r = pdf_open(c->tx.arena, data, len, ret, &why);
    if (r < 0)
        return sosia_fail_memory(c->tx.err);
    if (r && pdf_is_encrypted(*ret)) {
        why = "File has not been decrypted";
        r = 0;
    }
    return r ? 1 : says_error(c, arena_printf(c->tx.arena, "%s: %s", words->bad, why));
}

static int needs(struct call *c, const char *what)
{
    const char *text = arena_printf(c->tx.arena, "Error: %s required", what);
    return text ? run_says(c, false, text, strlen(text)) : sosia_fail_memory(c->tx.err);
}

static int pdf_read(struct call *c)
{
    static const struct words words = {"Unexpected error", "Failed to read PDF", "File not found"};
    const char *path = json_get_str(server_arguments(c), "file_path");
    struct json_writer w;
    struct pdf *p;
    struct buf b, text;
    int r = *path ? open_file(c, path, &words, &p) : needs(c, "file_path parameter is");
    if (!*path || r != 1)
        return r;
    buf_init(&b, 0);
    buf_init(&text, 0);
    json_init(&w, &b, true, NULL);
    json_obj(&w, NULL);
    json_str(&w, "file_path", path);
    json_int(&w, "num_pages", (int64_t)pdf_pages(p));
    put_about(&w, p);
    json_arr(&w, "pages");
    for (size_t i = 0; i < pdf_pages(p); i++) {
        buf_clear(&text);
        pdf_page_text(p, i, &text);
        json_obj(&w, NULL);
        json_int(&w, "page_number", (int64_t)i + 1);
        put_text(&w, "text", buf_str(&text));
        json_end(&w);
    }
    json_end(&w);
    json_end(&w);
    r = pdf_is_cut(p) ? says_error(c, "Failed to read PDF: its pages are too large") : says(c, &b);
    buf_done(&b);
    buf_done(&text);
    return r;
}

static int pdf_about_file(struct call *c)
{
    static const struct words words = {"Failed to get PDF info", "Failed to get PDF info",
                                       "File not found"};
    const char *path = json_get_str(server_arguments(c), "file_path");
    struct json_writer w;
    struct pdf *p;
    struct buf b;
    int r = *path ? open_file(c, path, &words, &p) : needs(c, "file_path parameter is");
    if (!*path || r != 1)
        return r;
    buf_init(&b, 0);
    json_init(&w, &b, true, NULL);
    json_obj(&w, NULL);
    json_str(&w, "file_path", path);
    json_int(&w, "num_pages", (int64_t)pdf_pages(p));
    put_about(&w, p);
    json_arr(&w, "page_sizes");
    for (size_t i = 0; i < pdf_pages(p); i++) {
        double width, height;
        pdf_page_size(p, i, &width, &height);
        json_obj(&w, NULL);
        json_int(&w, "page", (int64_t)i + 1);
        put_number(&w, "width", width);
        put_number(&w, "height", height);
        json_end(&w);
    }
    json_end(&w);
    json_bool(&w, "is_encrypted", false);
    json_end(&w);
    r = says(c, &b);
    buf_done(&b);
    return r;
}

/* ---- pages ---- */

/* 1; 0: refused, which is answered; -1. */
static int pages_of(struct call *c, struct pdf *p, const struct json *list, size_t **ret)
{
    size_t *pages = arena_calloc(c->tx.arena, list->n, sizeof *pages);
    for (uint32_t i = 0; pages && i < list->n; i++) {
        int64_t n = 0;
        if (json_i64(&list->items[i], &n) < 0 || n < 1 || n > (int64_t)pdf_pages(p))
            return says_error(c, arena_printf(c->tx.arena,
                                              "Invalid page number %lld. PDF has %zu pages.",
                                              (long long)n, pdf_pages(p)));
        pages[i] = (size_t)n - 1;
    }
    *ret = pages;
    return pages ? 1 : sosia_fail_memory(c->tx.err);
}

static int says_extracted(struct call *c, const char *to, size_t n)
{
    struct json_writer w;
    struct buf b;
    buf_init(&b, 0);
    json_init(&w, &b, true, NULL);
    json_obj(&w, NULL);
    json_bool(&w, "success", true);
    json_str(&w, "output_file", to);
    json_int(&w, "pages_extracted", (int64_t)n);
    json_str(&w, "message",
             arena_printf(c->tx.arena, "Successfully extracted %zu pages to %s", n, to));
    json_end(&w);
    int r = says(c, &b);
    buf_done(&b);
    return r;
}

/* What the core has refused, as an answer. */
static int refused(struct call *c)
{
    if (!c->tx.err->reason)
        return -1;
    const char *why = arena_printf(c->tx.arena, "Failed to extract pages: %s", c->tx.err->text);
    *c->tx.err = (struct sosia_err){0};
    return says_error(c, why);
}

static int write_pages(struct call *c, struct pdf *p, const size_t *pages, size_t n, const char *to)
{
    const char *inside = workspace_inside(workspace_absolute(c->tx.arena, to));
    struct workspace_place at;
    struct buf b;
    if (!inside || !*inside)
        return says_error(c, arena_printf(c->tx.arena,
                                          "Failed to extract pages: Access denied: %s is outside "
                                          "workspace directory",
                                          to));
    if (workspace_mkdir(&c->tx, workspace_parent(c->tx.arena, inside)) < 0 ||
        workspace_resolve(&c->tx, inside, true, &at) < 0)
        return refused(c);
    buf_init(&b, WORKSPACE_FILE);
    pdf_extract(p, pages, n, &b);
    if (b.full) {
        buf_done(&b);
        return says_error(c, "Failed to extract pages: [Errno 27] File too large");
    }
    int r = buf_failed(&b) || arena_failed(c->tx.arena)
                ? sosia_fail_memory(c->tx.err)
                : workspace_write(&c->tx, at.path, b.data, b.len, NULL);
    buf_done(&b);
    return r < 0 ? refused(c) : says_extracted(c, to, n);
}

static int pdf_take_pages(struct call *c)
{
    static const struct words words = {"Failed to extract pages", "Failed to extract pages",
                                       "Input file not found"};
    const struct json *args = server_arguments(c), *list = json_get(args, "page_numbers");
    const char *from = json_get_str(args, "input_file"), *to = json_get_str(args, "output_file");
    struct pdf *p;
    size_t *pages;
    if (!*from || !*to || !list->n)
        return needs(c, "input_file, output_file, and page_numbers are");
    int r = open_file(c, from, &words, &p);
    if (r == 1)
        r = pages_of(c, p, list, &pages);
    return r == 1 ? write_pages(c, p, pages, list->n, to) : r;
}

/* ---- rows ---- */

#define TOOL(name)                                                                                 \
    .id = "pdfTools." name, .verbs = POST, .paths = PATHS("/workspace/v1/pdf-tools/" name),        \
    .body = BODY_JSON, .response = "ToolResult"
#define READS .risk = RISK_READ, .scopes = "workspace.readonly workspace"

static const struct route methods[] = {
    {TOOL("read_pdf"), READS, .handler = pdf_read, .request = "File",
     .summary = "What a PDF file says of itself, and the text of its pages"},
    {TOOL("get_pdf_info"), READS, .handler = pdf_about_file, .request = "File",
     .summary = "What a PDF file says of itself, and the sizes of its pages"},
    {TOOL("extract_pages"), .risk = RISK_WRITE, .scopes = "workspace", .handler = pdf_take_pages,
     .request = "ExtractPages", .summary = "Make a PDF file of some pages of another one"},
};
static const struct rows rows = ROWS(methods);

#define PATH(n, what)                                                                              \
    {                                                                                              \
        .name = (n), .type = "string", .required = true, .summary = (what)                         \
    }
static const struct field file_fields[] = {
    PATH("file_path", "Path of the file, relative to the workspace")};
static const struct field extract_fields[] = {PATH("input_file", "Path of the file that has them"),
                                              PATH("output_file", "Path of the new one"),
                                              {.name = "page_numbers",
                                               .type = "integer",
                                               .list = true,
                                               .required = true,
                                               .most = 20000,
                                               .summary = "Numbers of the pages, from 1"}};
static const struct field result_fields[] = {
    {.name = "content", .type = "any", .list = true, .required = true},
    {.name = "isError", .type = "boolean"}};

#define SCHEMA(n, list)                                                                            \
    {                                                                                              \
        .name = (n), .fields = (list), .n_fields = SOSIA_LEN(list)                                 \
    }
static const struct schema schemas[] = {SCHEMA("ExtractPages", extract_fields),
                                        SCHEMA("File", file_fields),
                                        SCHEMA("ToolResult", result_fields)};
static const char *const prefixes[] = {"/workspace/v1/pdf-tools", NULL};

const struct dialect pdf_dialect = {
    .name = "workspace.pdf-tools",
    .title = "Workspace: PDF",
    .vendor = &server_vendor,
    .prefixes = prefixes,
    .tables = TABLES(&rows),
    .schemas = schemas,
    .n_schemas = SOSIA_LEN(schemas),
};
