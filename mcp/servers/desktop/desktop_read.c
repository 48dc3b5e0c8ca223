/* SPDX-License-Identifier: Apache-2.0 */
/* The tools of "desktop-commander" that read files: texts by lines, pictures, workbooks by rows,
 * PDF files by pages. What a file is follows from the end of its name, else from its bytes. */
#include "engine/pdf/pdf.h"
#include "mcp/servers/desktop/desktop.h"
#include <strings.h>

/* ---- kinds ---- */

static bool ends_in(const char *path, const char *end)
{
    const size_t n = strlen(path), len = strlen(end);
    return n >= len && strcasecmp(path + n - len, end) == 0;
}

static const char *picture_type(const char *path)
{
    static const char *const types[][2] = {{".png", "image/png"},    {".jpg", "image/jpeg"},
                                           {".jpeg", "image/jpeg"},  {".gif", "image/gif"},
                                           {".webp", "image/webp"},  {".bmp", "image/bmp"},
                                           {".svg", "image/svg+xml"}};
    for (size_t i = 0; i < SOSIA_LEN(types); i++)
        if (ends_in(path, types[i][0]))
            return types[i][1];
    return NULL;
}

enum { LOOKED_AT = 512, AFTER_IT = 3, SURE_FROM = 32 };

/* How many bytes a sign of more than one has there; 0: it is none. */
static size_t wide(const unsigned char *p, size_t n)
{
    const size_t len = *p >= 0xc0 && *p <= 0xdf   ? 2
                       : *p >= 0xe0 && *p <= 0xef ? 3
                       : *p >= 0xf0 && *p <= 0xf7 ? 4
                                                  : 0;
    for (size_t i = 1; i < len; i++)
        if (i >= n || p[i] < 0x80 || p[i] > 0xbf)
            return 0;
    return len;
}

/* As the original sees it of the first bytes: a zero, or one in ten that no text has. */
static bool is_binary(const char *data, size_t len)
{
    const unsigned char *p = (const unsigned char *)data;
    const size_t n = len < LOOKED_AT + AFTER_IT ? len : LOOKED_AT + AFTER_IT,
                 scanned = n < LOOKED_AT ? n : LOOKED_AT;
    size_t odd = 0;
    if ((n >= 3 && memcmp(p, "\xef\xbb\xbf", 3) == 0) ||
        (n >= 4 && (memcmp(p, "\0\0\xfe\xff", 4) == 0 || memcmp(p, "\x84\x31\x95\x33", 4) == 0)) ||
        (n >= 2 && (memcmp(p, "\xfe\xff", 2) == 0 || memcmp(p, "\xff\xfe", 2) == 0)))
        return false;
    if (n >= 5 && memcmp(p, "%PDF-", 5) == 0)
        return true;
    for (size_t i = 0; i < scanned; i++) {
        if (!p[i])
            return true;
        if ((p[i] >= 7 && p[i] <= 14) || (p[i] >= 32 && p[i] <= 127))
            continue;
        const size_t more = wide(p + i, n - i);
        if (more) {
            i += more - 1;
            continue;
        }
        if (++odd && i >= SURE_FROM && odd * 100 / scanned > 10)
            return true;
    }
    return odd * 100 > scanned * 10;
}

enum desktop_kind desktop_kind(const char *path, const char *data, size_t n)
{
    if (ends_in(path, ".pdf"))
        return DESKTOP_PDF;
    if (ends_in(path, ".xlsx") || ends_in(path, ".xls") || ends_in(path, ".xlsm"))
        return DESKTOP_SHEET;
    if (picture_type(path))
        return DESKTOP_PICTURE;
    return is_binary(data, n) ? DESKTOP_BINARY : DESKTOP_TEXT;
}

/* ---- one file ---- */

struct file {
    const char *path; /* as it was given */
    struct workspace_place at;
    enum desktop_kind kind;
    const char *data;
    size_t n;
};

/* 1; 0: *ret_why says why it can't be read; -1. */
static int open_file(struct call *c, const char *path, struct file *ret, const char **ret_why)
{
    const char *absolute = workspace_absolute(c->tx.arena, path), *inside;
    *ret = (struct file){.path = path, .data = ""};
    int r = desktop_inside(c, path, &inside, ret_why);
    if (r != 1)
        return r;
    r = workspace_resolve(&c->tx, inside, true, &ret->at);
    if (r < 0 && !c->tx.err->reason)
        return -1;
    *c->tx.err = (struct sosia_err){0};
    if (r < 1) {
        *ret_why =
            arena_printf(c->tx.arena, "ENOENT: no such file or directory, stat '%s'", absolute);
        return *ret_why ? 0 : sosia_fail_memory(c->tx.err);
    }
    if (ret->at.node.kind == NODE_DIRECTORY) {
        ret->kind = DESKTOP_FOLDER;
        return 1;
    }
    if (workspace_load(&c->tx, &ret->at.node, &ret->data, &ret->n) < 0)
        return -1;
    ret->kind = desktop_kind(ret->at.path, ret->data, ret->n);
    return 1;
}

/* What it has as a text. As desktop_put_cells(). */
static int put_content(struct call *c, const struct file *f, const struct desktop_cells *part,
                       struct buf *b, const char **ret_why)
{
    if (f->kind == DESKTOP_SHEET)
        return desktop_put_cells(c, f->path, f->data, f->n, part, b, ret_why);
    if (f->kind == DESKTOP_FOLDER) {
        buf_puts(b, "This is a directory, not a file. Use the list_directory tool instead of "
                    "read_file for directories.\n\n");
        struct buf list;
        buf_init(&list, 0);
        int r = desktop_list_below(c, &list, f->at.path, "", 2);
        buf_add(b, list.data, list.len);
        buf_done(&list);
        return r < 0 ? -1 : 1;
    }
    if (f->kind == DESKTOP_BINARY)
        buf_printf(b,
                   "Cannot read binary file as text: %s\n\nUse start_process + "
                   "interact_with_process to analyze binary files with appropriate tools (Node.js "
                   "or Python libraries, command-line utilities, etc.).\n\nThe read_file tool only "
                   "handles text files, images, and Excel files.",
                   workspace_name(workspace_absolute(c->tx.arena, f->path)));
    else
        desktop_put_lines(b, f->data, f->n, part->offset, part->length);
    return 1;
}

/* ---- PDF files ---- */

/* 1; 0: it is none that can be read; -1. */
static int open_pdf(struct call *c, const char *data, size_t n, struct pdf **ret,
                    const char **ret_why)
{
    int r = pdf_open(c->tx.arena, data, n, ret, ret_why);
    if (r < 0)
        return sosia_fail_memory(c->tx.err);
    if (r && pdf_is_encrypted(*ret)) {
        *ret_why = "No password given";
        r = 0;
    }
    return r;
}

int desktop_put_pdf(struct call *c, const char *data, size_t n, struct buf *b)
{
    struct pdf *p;
    const char *why;
    int r = open_pdf(c, data, n, &p, &why);
    buf_puts(b, "\nisPdf: true");
    if (r == 1)
        buf_printf(b, "\ntotalPages: %zu", pdf_pages(p));
    return r < 0 ? -1 : 0;
}

/* The pages that an offset and a length name: from 0, or so many from the end. */
static void pages_of(const struct pdf *p, const struct desktop_cells *part, size_t *ret_from,
                     size_t *ret_to)
{
    const int64_t all = (int64_t)pdf_pages(p);
    int64_t from = part->offset < 0 ? all + part->offset : part->offset;
    from = from < 0 ? 0 : from > all ? all : from;
    *ret_from = (size_t)from;
    *ret_to = (size_t)(part->length < all - from && part->length > 0 ? from + part->length : all);
}

/* A text for each page. mark: with its number in front. */
static void add_pages(struct run_result *r, struct pdf *p, size_t from, size_t to, bool mark)
{
    struct buf b;
    buf_init(&b, 0);
    for (size_t i = from; i < to; i++) {
        buf_clear(&b);
        if (mark)
            buf_printf(&b, "<!-- Page: %zu -->\n", i + 1);
        pdf_page_text(p, i, &b);
        run_text(r, buf_str(&b), b.len, false);
    }
    buf_done(&b);
}

static int read_pdf(struct call *c, const struct file *f, const struct desktop_cells *part)
{
    struct run_result r;
    struct pdf *p;
    const char *why;
    struct buf b;
    size_t from, to;
    int rc = open_pdf(c, f->data, f->n, &p, &why);
    if (rc < 0)
        return -1;
    buf_init(&b, 0);
    if (rc == 0) {
        buf_printf(&b, "Error reading PDF: %s", why);
        rc = run_says(c, false, buf_str(&b), b.len);
        buf_done(&b);
        return rc;
    }
    const char *author = pdf_about(p, "Author"), *title = pdf_about(p, "Title");
    buf_printf(&b, "PDF file: %s", f->path);
    if (author && *author)
        buf_printf(&b, ", Author: %s", author);
    if (title && *title)
        buf_printf(&b, ", Title: %s", title);
    buf_printf(&b, " (%zu pages) \n", pdf_pages(p));
    run_begin(&r, c);
    run_text(&r, buf_str(&b), b.len, false);
    buf_done(&b);
    pages_of(p, part, &from, &to);
    add_pages(&r, p, from, to, true);
    return run_end(&r);
}

/* ---- the tools ---- */

static int read_picture(struct call *c, const struct file *f)
{
    const char *type = picture_type(f->at.path);
    const char *head = arena_printf(c->tx.arena, "Image file: %s (%s)\n", f->path, type);
    struct run_result r;
    if (!head)
        return sosia_fail_memory(c->tx.err);
    run_begin(&r, c);
    run_text(&r, head, strlen(head), false);
    run_image(&r, f->data, f->n, type);
    return run_end(&r);
}

/* No name leads out of the world. */
static int read_url(struct call *c, const char *url)
{
    const char *host = strstr(url, "://");
    host = host ? host + 3 : url;
    return desktop_fail(
        c, "Failed to fetch URL: request to %s failed, reason: getaddrinfo ENOTFOUND %.*s", url,
        (int)strcspn(host, "/:?#"), host);
}

int desktop_read(struct call *c)
{
    const struct json *args = server_arguments(c);
    const struct desktop_cells part = {.sheet = json_get_str(args, "sheet"),
                                       .range = json_get_str(args, "range"),
                                       .offset = json_get_int(args, "offset", 0),
                                       .length = json_get_int(args, "length", DESKTOP_LINES)};
    const char *path = json_get_str(args, "path"), *why;
    struct file f;
    struct buf b;
    if (json_get_true(args, "isUrl"))
        return read_url(c, path);
    int r = open_file(c, path, &f, &why);
    if (r < 0)
        return -1;
    if (r == 0)
        return desktop_fail(c, "%s", why);
    if (f.kind == DESKTOP_PICTURE)
        return read_picture(c, &f);
    if (f.kind == DESKTOP_PDF)
        return read_pdf(c, &f, &part);
    buf_init(&b, 0);
    r = put_content(c, &f, &part, &b, &why);
    if (r == 0)
        r = desktop_fail(c, "%s", why);
    else if (r > 0)
        r = run_says(c, false, buf_str(&b), b.len);
    buf_done(&b);
    return r;
}

/* Bytes of several files, or of the memory in which they are opened: a workbook or a PDF has more
 * in it than it is large, and one that can't be read may have been unpacked in vain. */
enum { TOGETHER = 64 << 20, UNPACKED = 200, ANSWERED = 128 << 20 };

/* One file of several: what it is into the summary, its blocks into the results. read: how much
 * those before it had of TOGETHER. */
static int read_one(struct call *c, const char *path, const struct desktop_cells *all,
                    struct buf *summary, struct run_result *results, size_t *read)
{
    static const char *const words[] = {[DESKTOP_TEXT] = "text/plain (text)",
                                        [DESKTOP_FOLDER] = "text/plain (text)",
                                        [DESKTOP_SHEET] = "application/json (text)",
                                        [DESKTOP_BINARY] = "text/plain (text)"};
    const char *why = NULL;
    struct pdf *pdf = NULL;
    struct file f = {.path = path};
    struct buf b;
    const size_t memory = c->tx.arena->size;
    int r = *read > TOGETHER ? 0 : open_file(c, path, &f, &why);
    if (*read > TOGETHER)
        why = "the files before it are too large";
    buf_init(&b, 0);
    buf_printf(&b, "\n--- %s contents: ---\n", path);
    if (r == 1 && f.kind == DESKTOP_PDF)
        r = open_pdf(c, f.data, f.n, &pdf, &why) < 0 ? -1 : 1;
    else if (r == 1 && f.kind != DESKTOP_PICTURE)
        r = put_content(c, &f, all, &b, &why);
    if (r >= 0)
        buf_printf(summary, "%s%s: ", summary->len ? "\n" : "", path);
    if (r == 0) {
        buf_printf(summary, "Error - %s", why);
    } else if (r == 1 && f.kind == DESKTOP_PDF) {
        buf_printf(summary, "PDF file with %zu pages", pdf ? pdf_pages(pdf) : 0);
        add_pages(results, pdf, 0, pdf ? pdf_pages(pdf) : 0, false);
    } else if (r == 1 && f.kind == DESKTOP_PICTURE) {
        buf_printf(summary, "%s (image)", picture_type(f.at.path));
        run_image(results, f.data, f.n, picture_type(f.at.path));
    } else if (r == 1) {
        buf_puts(summary, words[f.kind]);
        run_text(results, buf_str(&b), b.len, false);
    }
    buf_done(&b);
    const size_t took = c->tx.arena->size - memory, size = r == 1 ? f.n
                                                           : r == 0 && f.kind == DESKTOP_SHEET
                                                               ? f.n * UNPACKED
                                                               : 0;
    *read += took > size ? took : size;
    return r < 0 ? -1 : 0;
}

int desktop_read_several(struct call *c)
{
    const struct json *paths = json_get(server_arguments(c), "paths");
    struct json_writer blocks, *out = c->out;
    struct run_result results = {.c = c};
    struct desktop_settings set;
    struct buf summary, b;
    size_t read = 0;
    int r = 0;
    if (desktop_settings(c, &set) < 0)
        return -1;
    const struct desktop_cells all = {.length = set.read};
    buf_init(&summary, 0);
    buf_init(&b, 0);
    /* What they are is the first text, and known when all were read: so their blocks wait. */
    json_init(&blocks, &b, false, NULL);
    json_arr(&blocks, NULL);
    c->out = &blocks;
    for (uint32_t i = 0; r == 0 && i < paths->n; i++) {
        r = read_one(c, paths->items[i].str, &all, &summary, &results, &read);
        if (b.len > ANSWERED) /* pages that share their text have more than their file */
            read = TOGETHER + 1;
    }
    json_end(&blocks);
    c->out = out;
    if (r == 0 && (buf_failed(&b) || buf_failed(&summary)))
        r = sosia_fail_memory(c->tx.err);
    if (r == 0) {
        run_begin(&results, c);
        run_text(&results, buf_str(&summary), summary.len, false);
        if (b.len > 2) /* without the brackets */
            json_raw(c->out, NULL, b.data + 1, b.len - 2);
        r = run_end(&results);
    }
    buf_done(&summary);
    buf_done(&b);
    return r;
}
