/* SPDX-License-Identifier: Apache-2.0 */
/* PDF files as "desktop-commander" writes them: of Markdown, and of pages of others. */
#include "engine/pdf/pdf.h"
#include "mcp/servers/desktop/desktop.h"
#include "services/drive/core/document/format.h"
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

enum { OPERATIONS = 1000, PAGES_MOST = 20000, POINTS_MOST = 14400 };
#define A4_WIDTH  595.28f /* points */
#define A4_HEIGHT 841.89f
/* Bytes of the files that are opened for one, or of the memory in which they are: a small file
 * can ask for more than it is large. */
#define BYTES_MOST ((size_t)256 << 20)

/* What is being made. */
struct making {
    struct call *c;
    struct pdf_leaf *pages;
    size_t n, room;
    float width, height; /* of pages that are made, in points */
    size_t read;         /* of BYTES_MOST */
    const char *why;     /* it is refused */
};

/* 0. */
__attribute__((format(printf, 2, 3))) static int because(struct making *m, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    m->why = arena_vprintf(m->c->tx.arena, fmt, ap);
    va_end(ap);
    return m->why ? 0 : sosia_fail_memory(m->c->tx.err);
}

/* ---- pages ---- */

/* All pages of a file at a place. 1, 0, -1. */
static int insert_pages(struct making *m, size_t at, struct pdf *p)
{
    const size_t n = pdf_pages(p);
    if (m->n + n > PAGES_MOST)
        return because(m, "A PDF file must have at most %d pages", PAGES_MOST);
    if (m->n + n > m->room) {
        const size_t room = (m->n + n) * 2;
        struct pdf_leaf *more = arena_calloc(m->c->tx.arena, room, sizeof *more);
        if (!more)
            return sosia_fail_memory(m->c->tx.err);
        if (m->n)
            memcpy(more, m->pages, m->n * sizeof *more);
        m->pages = more;
        m->room = room;
    }
    if (n) {
        memmove(m->pages + at + n, m->pages + at, (m->n - at) * sizeof *m->pages);
        for (size_t i = 0; i < n; i++)
            m->pages[at + i] = (struct pdf_leaf){p, i};
    }
    m->n += n;
    return 1;
}

static int open_bytes(struct making *m, const char *data, size_t n, struct pdf **ret)
{
    const char *why;
    const size_t memory = m->c->tx.arena->size;
    int r = m->read > BYTES_MOST ? 0 : pdf_open(m->c->tx.arena, data, n, ret, &why);
    if (m->read > BYTES_MOST)
        return because(m, "The files are too large together");
    const size_t took = m->c->tx.arena->size - memory;
    m->read += took > n ? took : n;
    if (r < 0)
        return sosia_fail_memory(m->c->tx.err);
    if (r == 0)
        return because(m,
                       "Failed to parse PDF document (line:0 col:%zu offset=%zu): No PDF "
                       "header found",
                       n * 2, n);
    return pdf_is_encrypted(*ret)
               ? because(m, "Input document to `PDFDocument.load` is encrypted. You can use "
                            "`PDFDocument.load(..., { ignoreEncryption: true })` if you wish to "
                            "ignore the encryption.")
               : 1;
}

/* A part of a Markdown without page breaks. */
static int insert_part(struct making *m, size_t at, const char *text, size_t n)
{
    struct tx *tx = &m->c->tx;
    struct document *d;
    struct pdf *p;
    struct buf b;
    buf_init(&b, 0);
    int r = format_read(tx->arena, DOCUMENT_TEXT, FORMAT_MARKDOWN, text, n, "", &d, tx->err);
    if (r == 0) {
        d->page_width = m->width;
        d->page_height = m->height;
        r = format_write(tx->arena, d, FORMAT_PDF, &b, tx->err);
    }
    const char *data = r == 0 ? arena_memdup(tx->arena, b.data, b.len) : NULL;
    const size_t len = b.len;
    const bool full = buf_failed(&b);
    buf_done(&b);
    if (r < 0 && tx->err->code != SOSIA_E_NO_MEMORY) {
        const char *why = arena_strdup(tx->arena, tx->err->text);
        *tx->err = (struct sosia_err){0};
        return because(m, "%s", why ? why : "");
    }
    if (r < 0 || !data || full)
        return sosia_fail_memory(tx->err);
    r = open_bytes(m, data, len, &p);
    return r == 1 ? insert_pages(m, at, p) : r;
}

/* Pages of a Markdown. A break in front of everything makes no page. */
static int insert_markdown(struct making *m, size_t at, const struct json *markdown)
{
    struct buf b;
    int r = 1;
    buf_init(&b, 0);
    desktop_put_markdown(&b, markdown->str, markdown->n);
    if (buf_failed(&b))
        r = sosia_fail_memory(m->c->tx.err);
    const char *text = buf_str(&b), *end = text + b.len;
    if (r == 1 && text[strspn(text, " \t\r\n")] == '\f')
        text += strspn(text, " \t\r\n") + 1;
    while (r == 1) {
        const char *feed = memchr(text, '\f', (size_t)(end - text)), *stop = feed ? feed : end;
        const size_t before = m->n;
        r = insert_part(m, at, text, (size_t)(stop - text));
        at += m->n - before;
        if (!feed)
            break;
        text = feed + 1;
    }
    buf_done(&b);
    return r;
}

/* ---- what the pages are like ---- */

/* Points of "8.5in", "21cm", or a number of pixels; 0: it is none. */
static float points_of(const struct json *v)
{
    static const struct {
        const char *unit;
        double points;
    } units[] = {{"px", 0.75}, {"in", 72}, {"cm", 72 / 2.54}, {"mm", 72 / 25.4}};
    double n = 0, unit = 0.75;
    if (v && v->type == JSON_NUMBER)
        n = desktop_number(v, 0);
    else if (v && v->type == JSON_STRING) {
        char *end;
        n = strtod(v->str, &end);
        for (size_t i = 0; i < SOSIA_LEN(units); i++)
            if (strcasecmp(end, units[i].unit) == 0)
                unit = units[i].points;
    }
    n *= unit;
    return n >= 1 && n <= POINTS_MOST ? (float)n : 0;
}

/* "pdf_options" of the options: format, landscape, width and height. */
static void set_paper(struct making *m, const struct json *options)
{
    static const struct {
        const char *name;
        float width, height; /* inches */
    } papers[] = {{"letter", 8.5f, 11},  {"legal", 8.5f, 14},   {"tabloid", 11, 17},
                  {"ledger", 17, 11},    {"a0", 33.1f, 46.8f},  {"a1", 23.4f, 33.1f},
                  {"a2", 16.54f, 23.4f}, {"a3", 11.7f, 16.54f}, {"a4", 8.27f, 11.7f},
                  {"a5", 5.83f, 8.27f},  {"a6", 4.13f, 5.83f}};
    const struct json *o = json_get(options, "pdf_options");
    const char *name = json_get_str(o, "format");
    for (size_t i = 0; name && i < SOSIA_LEN(papers); i++)
        if (strcasecmp(name, papers[i].name) == 0) {
            m->width = papers[i].width * 72;
            m->height = papers[i].height * 72;
        }
    const float width = points_of(json_get(o, "width")), height = points_of(json_get(o, "height"));
    if (!name && width > 0 && height > 0) {
        m->width = width;
        m->height = height;
    }
    if (json_get_true(o, "landscape")) {
        const float was = m->width;
        m->width = m->height;
        m->height = was;
    }
}

/* ---- operations ---- */

/* By numbers, of which those below 0 count from the end. */
static int delete_pages(struct making *m, const struct json *list)
{
    bool *gone = arena_calloc(m->c->tx.arena, m->n + 1, sizeof *gone);
    size_t left = 0;
    if (!gone)
        return sosia_fail_memory(m->c->tx.err);
    for (uint32_t i = 0; i < list->n; i++) {
        double at = desktop_number(&list->items[i], -1e9);
        at += at < 0 ? (double)m->n : 0;
        if (at >= 0 && at < (double)m->n)
            gone[(size_t)at] = true;
    }
    for (size_t i = 0; i < m->n; i++)
        if (!gone[i])
            m->pages[left++] = m->pages[i];
    m->n = left;
    return 1;
}

/* A file of the workspace as bytes. 2: refused, which is answered. */
static int load(struct making *m, const char *path, const char **ret, size_t *ret_len)
{
    struct workspace_place at;
    int r = desktop_load(m->c, path, &at, ret, ret_len);
    return r == 0 ? 2 : r;
}

static int run_operation(struct making *m, const struct json *op)
{
    const struct json *markdown = json_get(op, "markdown");
    const char *source = json_get_str(op, "sourcePdfPath"), *data;
    struct pdf *p;
    size_t len;
    if (strcmp(json_get_str(op, "type"), "delete") == 0)
        return delete_pages(m, json_get(op, "pageIndexes"));
    if (!markdown && (!source || !*source))
        return because(m, "No source provided for insert operation");
    double at = desktop_number(json_get(op, "pageIndex"), 0);
    at += at < 0 ? (double)m->n : 0;
    const bool outside = !(at >= 0 && at <= (double)m->n);
    if (markdown)
        return outside ? because(m, "Invalid page index")
                       : insert_markdown(m, (size_t)at, markdown);
    int r = load(m, source, &data, &len);
    if (r == 1)
        r = open_bytes(m, data, len, &p);
    return r != 1 ? r : outside ? because(m, "Invalid page index") : insert_pages(m, (size_t)at, p);
}

/* The pages of a file that is there, and what is done to them. *ret: the file. 1, 0, 2, -1. */
static int edit(struct making *m, const char *path, const struct json *list, struct pdf **ret)
{
    const char *data;
    double width, height;
    size_t len;
    if (list->n > OPERATIONS)
        return because(m, "There must be at most %d operations", OPERATIONS);
    int r = load(m, path, &data, &len);
    if (r == 1)
        r = open_bytes(m, data, len, ret);
    if (r == 1)
        r = insert_pages(m, 0, *ret);
    if (r == 1 && m->n) {
        pdf_page_size(*ret, 0, &width, &height);
        if (width >= 1 && width <= POINTS_MOST && height >= 1 && height <= POINTS_MOST) {
            m->width = (float)width;
            m->height = (float)height;
        }
    }
    for (uint32_t i = 0; r == 1 && i < list->n; i++)
        r = run_operation(m, &list->items[i]);
    return r;
}

/* ---- arguments ---- */

static const char *type_of(const struct json *v)
{
    static const char *const names[] = {
        [JSON_NULL] = "null",     [JSON_BOOL] = "boolean", [JSON_NUMBER] = "number",
        [JSON_STRING] = "string", [JSON_ARRAY] = "array",  [JSON_OBJECT] = "object"};
    return v ? names[v->type] : "undefined";
}

/* Where a fault is: members and places below the content. */
struct spot {
    int64_t item; /* -1: the content itself */
    const char *member;
    int64_t part; /* of the member; -1 */
};

static void put_spot(struct json_writer *w, const struct spot *at)
{
    json_arr(w, "path");
    json_str(w, NULL, "content");
    if (at->item >= 0)
        json_int(w, NULL, at->item);
    if (at->member)
        json_str(w, NULL, at->member);
    if (at->part >= 0)
        json_int(w, NULL, at->part);
    json_end(w);
}

/* A value that is not of the type. True: it is. */
static bool is_type(struct json_writer *w, const struct json *v, const char *type,
                    const struct spot *at)
{
    if (strcmp(type_of(v), type) == 0)
        return true;
    char message[80];
    snprintf(message, sizeof message, "Expected %s, received %s", type, type_of(v));
    json_obj(w, NULL);
    json_str(w, "code", "invalid_type");
    json_str(w, "expected", type);
    json_str(w, "received", type_of(v));
    put_spot(w, at);
    json_str(w, "message", v ? message : "Required");
    json_end(w);
    return false;
}

static bool is_word(struct json_writer *w, const struct json *v, const char *word, int64_t item)
{
    if (v && v->type == JSON_STRING && strcmp(v->str, word) == 0)
        return true;
    char message[80];
    snprintf(message, sizeof message, "Invalid literal value, expected \"%s\"", word);
    json_obj(w, NULL);
    if (v)
        json_value(w, "received", v);
    json_str(w, "code", "invalid_literal");
    json_str(w, "expected", word);
    put_spot(w, &(struct spot){item, "type", -1});
    json_str(w, "message", message);
    json_end(w);
    return false;
}

static bool is_insert(struct json_writer *w, const struct json *op, int64_t i)
{
    static const struct {
        const char *name, *type;
    } members[] = {{"markdown", "string"}, {"sourcePdfPath", "string"}, {"pdfOptions", "object"}};
    if (!is_type(w, op, "object", &(struct spot){i, NULL, -1}))
        return false;
    bool is = is_word(w, json_get(op, "type"), "insert", i);
    is &= is_type(w, json_get(op, "pageIndex"), "number", &(struct spot){i, "pageIndex", -1});
    for (size_t k = 0; k < SOSIA_LEN(members); k++)
        if (json_get(op, members[k].name))
            is &= is_type(w, json_get(op, members[k].name), members[k].type,
                          &(struct spot){i, members[k].name, -1});
    return is;
}

static bool is_delete(struct json_writer *w, const struct json *op, int64_t i)
{
    if (!is_type(w, op, "object", &(struct spot){i, NULL, -1}))
        return false;
    bool is = is_word(w, json_get(op, "type"), "delete", i);
    const struct json *list = json_get(op, "pageIndexes");
    if (!is_type(w, list, "array", &(struct spot){i, "pageIndexes", -1}))
        return false;
    for (uint32_t k = 0; k < list->n; k++)
        is &= is_type(w, &list->items[k], "number", &(struct spot){i, "pageIndexes", k});
    return is;
}

typedef bool check(struct json_writer *w, const struct json *v, int64_t i);

/* A value that is neither of two things, each of which says what is wrong. True: it is one. */
static bool is_either(struct json_writer *w, const struct json *v, int64_t i, check *const two[2])
{
    struct json_writer nothing;
    struct buf b;
    bool is = false;
    buf_init(&b, 0);
    for (int k = 0; k < 2 && !is; k++) {
        buf_clear(&b);
        json_init(&nothing, &b, false, NULL);
        json_arr(&nothing, NULL);
        is = two[k](&nothing, v, i);
    }
    buf_done(&b);
    if (is)
        return true;
    json_obj(w, NULL);
    json_str(w, "code", "invalid_union");
    json_arr(w, "unionErrors");
    for (int k = 0; k < 2; k++) {
        json_obj(w, NULL);
        json_arr(w, "issues");
        two[k](w, v, i);
        json_end(w);
        json_str(w, "name", "ZodError");
        json_end(w);
    }
    json_end(w);
    put_spot(w, &(struct spot){i, NULL, -1});
    json_str(w, "message", "Invalid input");
    json_end(w);
    return false;
}

static bool is_text(struct json_writer *w, const struct json *v, int64_t i)
{
    return is_type(w, v, "string", &(struct spot){i, NULL, -1});
}

static bool is_operations(struct json_writer *w, const struct json *v, int64_t i)
{
    static check *const two[2] = {is_insert, is_delete};
    bool is = is_type(w, v, "array", &(struct spot){i, NULL, -1});
    for (uint32_t k = 0; is && v && k < v->n && k <= OPERATIONS; k++)
        is &= is_either(w, &v->items[k], k, two) || (v->n > OPERATIONS);
    return is;
}

/* 1; 0: refused, which is answered; -1. */
static int check_content(struct call *c, const struct json *content)
{
    static check *const two[2] = {is_text, is_operations};
    struct json_writer w;
    struct buf b;
    buf_init(&b, 0);
    json_init(&w, &b, true, NULL);
    json_arr(&w, NULL);
    const bool is = is_either(&w, content, -1, two);
    json_end(&w);
    server_trim(&b);
    int r = is ? 1 : buf_failed(&b) ? sosia_fail_memory(c->tx.err) : 0;
    if (r == 0)
        r = desktop_fail(c, "%s", buf_str(&b));
    buf_done(&b);
    return r;
}

/* ---- the tool ---- */

/* A text that has a list is that list. */
static const struct json *content_of(struct call *c)
{
    const struct json *v = json_get(server_arguments(c), "content"), *parsed;
    struct sosia_err ignored;
    if (!v || v->type != JSON_STRING || v->str[strspn(v->str, " \t\r\n\v\f")] != '[' ||
        json_parse(c->tx.arena, v->str, v->n, NULL, &parsed, &ignored) < 0)
        return v;
    return parsed;
}

/* Where a path leads, and that a file may be written there. 1, 0: answered, -1. */
static int find_target(struct call *c, const char *path, struct workspace_place *ret)
{
    int r = desktop_find(c, "open", path, ret);
    if (r == 1 && ret->node.kind == NODE_DIRECTORY)
        return desktop_fail(c, "EISDIR: illegal operation on a directory, open '%s'",
                            workspace_absolute(c->tx.arena, path));
    return r == 2 ? 1 : r;
}

static int write_pages(struct making *m, struct pdf *about, const struct workspace_place *to,
                       const char *path)
{
    struct call *c = m->c;
    static const struct pdf_leaf empty = {NULL, 0};
    struct buf b;
    buf_init(&b,
             WORKSPACE_FILE); /* each page has its resources, which can be one for all of them */
    int r = pdf_join(c->tx.arena, m->n ? m->pages : &empty, m->n ? m->n : 1, about, &b);
    if (r == 0 && b.full)
        r = workspace_fail(&c->tx, "EFBIG", to->path);
    else if (r < 0 || buf_failed(&b))
        r = sosia_fail_memory(c->tx.err);
    else
        r = workspace_write(&c->tx, to->path, b.data, b.len, NULL);
    buf_done(&b);
    return r < 0 ? desktop_refused(c, "open", path) : 1;
}

int desktop_write_pdf(struct call *c)
{
    const struct json *args = server_arguments(c), *content = content_of(c);
    const char *path = json_get_str(args, "path"), *other = json_get_str(args, "outputPath"),
               *target = other && *other ? other : path;
    struct making m = {.c = c, .width = A4_WIDTH, .height = A4_HEIGHT};
    struct workspace_place from, to;
    struct pdf *about = NULL;
    int r = check_content(c, content);
    if (r == 1) /* the first path is looked at wherever the other one leads */
        r = desktop_find(c, "open", path, &from);
    if (r != 1 && r != 2)
        return r;
    const bool made = content->type == JSON_STRING;
    set_paper(&m, made ? json_get(args, "options") : NULL);
    r = made ? insert_markdown(&m, 0, content) : edit(&m, path, content, &about);
    if (r == 2)
        return 0;
    if (r == 0)
        return desktop_fail(c, "%s", m.why);
    if (r == 1)
        r = find_target(c, target, &to);
    if (r != 1 || (r = write_pages(&m, about, &to, target)) != 1)
        return r;
    const char *done =
        target == path
            ? arena_printf(c->tx.arena, "Successfully wrote PDF to %s", path)
            : arena_printf(c->tx.arena, "Successfully wrote PDF to %s\nOriginal file: %s", other,
                           path);
    return done ? run_says(c, false, done, strlen(done)) : sosia_fail_memory(c->tx.err);
}
