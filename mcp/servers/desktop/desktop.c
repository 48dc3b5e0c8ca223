/* SPDX-License-Identifier: Apache-2.0 */
/* The server "desktop-commander": its tools for files. They work in rows, as those of the server
 * "filesystem", with other texts. */
#include "engine/base/codec.h"
#include "engine/text/civil.h"
#include "mcp/servers/desktop/desktop.h"

#define DESKTOP_NEITHER                                                                            \
    "[\n  {\n    \"code\": \"custom\",\n    \"message\": \"Must provide either (old_string + "     \
    "new_string) or (range + content)\",\n    \"path\": []\n  }\n]"
#define DESKTOP_EMPTY                                                                              \
    "Empty search strings are not allowed. Please provide a non-empty string to search for."
#define DESKTOP_COUNT                                                                              \
    "Expected %lld occurrences but found %lld in %s. Double check and make sure you understand "   \
    "all occurencies and if you want to replace all %lld occurrences, set expected_replacements "  \
    "to %lld. If there are many occurrancies and you want to change some of them and keep the "    \
    "rest. Do it one by one, by adding more lines around each occurrence.If you want to replace "  \
    "a specific occurrence, make your search string more unique by adding more lines around "      \
    "search string."

int desktop_fail(struct call *c, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    const char *why = arena_vprintf(c->tx.arena, fmt, ap);
    va_end(ap);
    const char *text = arena_printf(c->tx.arena, "Error: %s", why ? why : "");
    return arena_failed(c->tx.arena) ? sosia_fail_memory(c->tx.err)
                                     : run_says(c, true, text, strlen(text));
}

/* ---- paths ---- */

int desktop_refused(struct call *c, const char *what, const char *text)
{
    const char *reason = c->tx.err->reason;
    if (!reason)
        return -1;
    const char *why = arena_strdup(c->tx.arena, c->tx.err->text), *colon = strstr(why, ", '");
    *c->tx.err = (struct sosia_err){0};
    return desktop_fail(c, "%.*s, %s '%s'", colon ? (int)(colon - why) : (int)strlen(why), why,
                        what, workspace_absolute(c->tx.arena, text));
}

int desktop_find(struct call *c, const char *what, const char *text, struct workspace_place *ret)
{
    const char *inside, *why;
    int r = desktop_inside(c, text, &inside, &why);
    if (r != 1)
        return r < 0 ? -1 : desktop_fail(c, "%s", why);
    r = workspace_resolve(&c->tx, inside, true, ret);
    if (r < 0 && c->tx.err->reason && strcmp(c->tx.err->reason, "ENOENT") == 0 &&
        strcmp(what, "mkdir") == 0) {
        *c->tx.err = (struct sosia_err){0};
        ret->path = inside;
        return 2;
    }
    return r < 0 ? desktop_refused(c, what, text) : r == 1 ? 1 : 2;
}

int desktop_absent(struct call *c, const char *what, const char *text)
{
    return desktop_fail(c, "ENOENT: no such file or directory, %s '%s'", what,
                        workspace_absolute(c->tx.arena, text));
}

int desktop_load(struct call *c, const char *text, struct workspace_place *at, const char **ret,
                 size_t *ret_len)
{
    int r = desktop_find(c, "open", text, at);
    if (r == 2)
        return desktop_absent(c, "open", text);
    if (r != 1)
        return r;
    if (at->node.kind == NODE_DIRECTORY)
        return desktop_fail(c, "EISDIR: illegal operation on a directory, read");
    return workspace_load(&c->tx, &at->node, ret, ret_len) < 0 ? -1 : 1;
}

/* ---- lines ---- */

static size_t lines_in(const char *text, size_t n)
{
    size_t lines = 0;
    for (size_t i = 0; i < n; i++)
        lines += text[i] == '\n';
    return lines + (n && text[n - 1] != '\n');
}

/* The place behind so many line feeds. */
static size_t behind(const char *text, size_t n, size_t lines)
{
    size_t at = 0;
    for (; lines && at < n; at++)
        lines -= text[at] == '\n';
    return at;
}

void desktop_put_lines(struct buf *b, const char *text, size_t n, int64_t offset, int64_t length)
{
    int64_t total = (int64_t)lines_in(text, n);
    int64_t from = offset < 0 ? (total + offset > 0 ? total + offset : 0) : offset;
    from = from > total ? total : from;
    int64_t most = offset < 0 || length < 0 ? total : length;
    int64_t read = total - from < most ? total - from : most;
    size_t begin = behind(text, n, (size_t)from),
           end = begin + behind(text + begin, n - begin, (size_t)read);
    if (offset < 0)
        buf_printf(b, "[Reading last %lld lines (total: %lld lines)]\n\n", (long long)read,
                   (long long)total);
    else
        buf_printf(b, "[Reading %lld lines from %s%.0lld (total: %lld lines, %lld remaining)]\n\n",
                   (long long)read, offset ? "line " : "start", (long long)offset, (long long)total,
                   (long long)(total - from - read));
    while (end > begin && text[end - 1] == '\n')
        end--;
    buf_add(b, text + begin, end - begin);
}

/* "2026-11-28T14:06:41.000Z", as JSON.stringify() has a time. */
static void put_time(struct buf *b, const char *name, int64_t ns)
{
    struct civil t;
    civil_from_seconds(ns / 1000000000, &t);
    buf_printf(b, "%s: \"%04d-%02d-%02dT%02d:%02d:%02d.%03dZ\"\n", name, t.year, t.month, t.day,
               t.hour, t.minute, t.second, (int)(ns % 1000000000 / 1000000));
}

int desktop_info(struct call *c)
{
    static const char *const times[] = {"created", "modified", "accessed"};
    const char *path = json_get_str(server_arguments(c), "path"), *text = "";
    struct workspace_place at;
    struct buf b;
    size_t n = 0;
    int r = desktop_find(c, "stat", path, &at);
    if (r == 2)
        return desktop_absent(c, "stat", path);
    if (r != 1)
        return r;
    static const char *const kinds[] = {
        [DESKTOP_TEXT] = "text",   [DESKTOP_FOLDER] = "text", [DESKTOP_PICTURE] = "image",
        [DESKTOP_SHEET] = "excel", [DESKTOP_PDF] = "binary",  [DESKTOP_BINARY] = "binary"};
    const bool dir = at.node.kind == NODE_DIRECTORY;
    if (!dir && workspace_load(&c->tx, &at.node, &text, &n) < 0)
        return -1;
    const enum desktop_kind kind = dir ? DESKTOP_FOLDER : desktop_kind(at.path, text, n);
    buf_init(&b, 0);
    buf_printf(&b, "size: %lld\n", dir ? 4096LL : (long long)at.node.size);
    for (size_t i = 0; i < SOSIA_LEN(times); i++)
        put_time(&b, times[i], at.node.id ? at.node.mtime_ns : c->tx.now_us * 1000);
    buf_printf(&b, "isDirectory: %s\nisFile: %s\npermissions: %03o\nfileType: %s",
               dir ? "true" : "false", dir ? "false" : "true", at.node.mode, kinds[kind]);
    if (kind == DESKTOP_PICTURE || kind == DESKTOP_BINARY)
        buf_puts(&b, kind == DESKTOP_PICTURE ? "\nisImage: true" : "\nisBinary: true");
    else if (kind == DESKTOP_SHEET)
        r = desktop_put_sheets(c, text, n, &b);
    else if (kind == DESKTOP_PDF)
        r = desktop_put_pdf(c, text, n, &b);
    else if (!dir) {
        long long lines = (long long)lines_in(text, n);
        buf_printf(&b, "\nlineCount: %lld\nlastLine: %lld\nappendPosition: %lld", lines, lines - 1,
                   lines);
    }
    if (r >= 0)
        r = run_says(c, false, buf_str(&b), b.len);
    buf_done(&b);
    return r;
}

/* ---- changing ---- */

/* The bytes that a file gets of a content: those of a workbook are made of rows, those of a picture
 * are base64. at: what is there; NULL: nothing. As desktop_put_cells(). */
static int content_of(struct call *c, const struct workspace_place *at, const char *path,
                      bool append, const struct json *content, struct buf *b, const char **ret_why)
{
    const char *data = "";
    uint8_t *bytes;
    size_t n = 0;
    if (at && workspace_load(&c->tx, &at->node, &data, &n) < 0)
        return -1;
    const enum desktop_kind kind = desktop_kind(path, data, n);
    if (kind == DESKTOP_SHEET)
        return desktop_make_sheets(c, append && at ? data : NULL, n, content->str, b, ret_why);
    if (kind == DESKTOP_PDF || kind == DESKTOP_BINARY) {
        *ret_why = kind == DESKTOP_PDF
                       ? "PDF files are made by write_pdf"
                       : "Cannot write binary files directly. Use start_process with appropriate "
                         "tools (Python, Node.js libraries, command-line utilities).";
        return 0;
    }
    if (kind == DESKTOP_PICTURE) {
        if (base64_decode(c->tx.arena, content->str, content->n, &bytes, &n) < 0)
            n = 0;
        buf_add(b, bytes, n);
        return 1;
    }
    if (append)
        buf_add(b, data, n);
    buf_add(b, content->str, content->n);
    return 1;
}

int desktop_write(struct call *c)
{
    const struct json *args = server_arguments(c), *content = json_get(args, "content");
    const char *path = json_get_str(args, "path"), *mode = json_get_str(args, "mode");
    bool append = mode && strcmp(mode, "append") == 0;
    const char *why = NULL;
    struct workspace_place at;
    struct buf b;
    int r = desktop_find(c, "open", path, &at);
    if (r != 1 && r != 2)
        return r;
    if (r == 1 && at.node.kind == NODE_DIRECTORY)
        return desktop_fail(c, "EISDIR: illegal operation on a directory, open '%s'",
                            workspace_absolute(c->tx.arena, path));
    if (r == 1 && at.node.size && !mode)
        return desktop_fail(
            c,
            "Write rejected to prevent accidental data loss: %s already exists with content (%lld "
            "bytes), and no 'mode' was specified — the default mode 'rewrite' would REPLACE the "
            "entire file. Retry with an explicit mode: 'append' to add your content to the end of "
            "the existing file, or 'rewrite' to replace all existing content.",
            path, (long long)at.node.size);
    buf_init(&b, 0);
    int made = content_of(c, r == 1 ? &at : NULL, at.path, append, content, &b, &why);
    if (made > 0 && buf_failed(&b))
        made = sosia_fail_memory(c->tx.err);
    if (made > 0)
        r = workspace_write(&c->tx, at.path, b.data, b.len, NULL);
    buf_done(&b);
    if (made <= 0)
        return made < 0 ? -1 : desktop_fail(c, "%s", why);
    if (r < 0)
        return desktop_refused(c, "open", path);
    struct desktop_settings set;
    if (desktop_settings(c, &set) < 0)
        return -1;
    size_t lines = 1;
    for (size_t i = 0; i < content->n; i++)
        lines += content->str[i] == '\n';
    const char *more =
        (int64_t)lines > set.written
            ? arena_printf(c->tx.arena,
                           "✅ File written successfully! (%zu lines)\n            \n💡 Performance "
                           "tip: For optimal speed, consider chunking files into ≤30 line pieces "
                           "in future operations.",
                           lines)
            : "";
    const char *done = arena_printf(c->tx.arena, "Successfully %s %s (%zu lines) %s",
                                    append ? "appended to" : "wrote to", path, lines, more);
    return arena_failed(c->tx.arena) ? sosia_fail_memory(c->tx.err)
                                     : run_says(c, false, done, strlen(done));
}

int desktop_mkdir(struct call *c)
{
    const char *path = json_get_str(server_arguments(c), "path");
    struct workspace_place at;
    int r = desktop_find(c, "mkdir", path, &at);
    if (r != 1 && r != 2)
        return r;
    if (r == 1 && at.node.kind != NODE_DIRECTORY)
        return desktop_fail(c, "EEXIST: file already exists, mkdir '%s'",
                            workspace_absolute(c->tx.arena, path));
    if (r == 2 && workspace_mkdir(&c->tx, at.path) < 0)
        return desktop_refused(c, "mkdir", path);
    const char *done = arena_printf(c->tx.arena, "Successfully created directory %s", path);
    return run_says(c, false, done, strlen(done));
}

int desktop_move(struct call *c)
{
    const struct json *args = server_arguments(c);
    const char *source = json_get_str(args, "source"),
               *destination = json_get_str(args, "destination");
    struct workspace_place from, to;
    int r = desktop_find(c, "rename", source, &from);
    if (r == 2)
        return desktop_fail(c, "ENOENT: no such file or directory, rename '%s' -> '%s'",
                            workspace_absolute(c->tx.arena, source),
                            workspace_absolute(c->tx.arena, destination));
    if (r != 1)
        return r;
    const char *what =
        arena_printf(c->tx.arena, "rename '%s' ->", workspace_absolute(c->tx.arena, source));
    r = what ? desktop_find(c, what, destination, &to) : sosia_fail_memory(c->tx.err);
    if (r != 1 && r != 2)
        return r;
    if (!*from.path)
        return desktop_fail(c, "EINVAL: invalid argument, rename '%s'", source);
    if (workspace_rename(&c->tx, from.path, to.path) < 0) {
        const char *why = arena_strdup(c->tx.arena, c->tx.err->text), *end = strstr(why, ", '");
        if (!c->tx.err->reason)
            return -1;
        *c->tx.err = (struct sosia_err){0};
        return desktop_fail(
            c, "%.*s, rename '%s' -> '%s'", end ? (int)(end - why) : (int)strlen(why), why,
            workspace_absolute(c->tx.arena, source), workspace_absolute(c->tx.arena, destination));
    }
    const char *done =
        arena_printf(c->tx.arena, "Successfully moved %s to %s", source, destination);
    return run_says(c, false, done, strlen(done));
}

/* ---- a list ---- */

enum { NESTED = 100 }; /* that are shown of a directory below the first one */

int desktop_list_below(struct call *c, struct buf *b, const char *dir, const char *shown,
                       int64_t depth)
{
    struct workspace_list list = {.dir = dir};
    struct workspace_node n;
    size_t i = 0;
    int r;
    while ((r = workspace_next(&c->tx, &list, &n)) == 1) {
        if (*shown && ++i > NESTED)
            continue;
        const char *name = workspace_name(n.path);
        const char *path = *shown ? workspace_below(c->tx.arena, shown, name) : name;
        buf_printf(b, "%s[%s] ", b->len ? "\n" : "", n.kind == NODE_DIRECTORY ? "DIR" : "FILE");
        server_put_text(b, path, strlen(path));
        if (n.kind == NODE_DIRECTORY && depth > 1 &&
            desktop_list_below(c, b, n.path, path, depth - 1) < 0)
            return -1;
    }
    if (r == 0 && i > NESTED)
        buf_printf(b, "\n[WARNING] %s: %zu items hidden (showing first %d of %zu total)", shown,
                   i - NESTED, NESTED, i);
    return r;
}

int desktop_list(struct call *c)
{
    const struct json *args = server_arguments(c);
    const char *path = json_get_str(args, "path");
    int64_t depth = json_get_int(args, "depth", 2);
    struct workspace_place at;
    struct buf b;
    int r = desktop_find(c, "scandir", path, &at);
    if (r == 2) {
        const char *none = arena_printf(c->tx.arena, "[NOT_FOUND] %s — path does not exist",
                                        workspace_name(workspace_absolute(c->tx.arena, path)));
        return none ? run_says(c, false, none, strlen(none)) : sosia_fail_memory(c->tx.err);
    }
    if (r != 1)
        return r;
    if (at.node.kind != NODE_DIRECTORY) {
        const char *denied = arena_printf(c->tx.arena, "[DENIED] %s", workspace_name(at.path));
        return denied ? run_says(c, false, denied, strlen(denied)) : sosia_fail_memory(c->tx.err);
    }
    buf_init(&b, 0);
    r = depth > 0 ? desktop_list_below(c, &b, at.path, "",
                                       depth > WORKSPACE_DEPTH ? WORKSPACE_DEPTH : depth)
                  : 0;
    if (r == 0)
        r = run_says(c, false, buf_str(&b), b.len);
    buf_done(&b);
    return r;
}

/* ---- an edit ---- */

/* The lines around a change, as the tool that reads shows them. */
static int show_edit(struct call *c, const struct buf *text, size_t change, size_t changed_lines)
{
    const size_t around = 10;
    size_t total = 1, first = 0;
    struct buf b;
    for (size_t i = 0; i < text->len; i++) {
        total += text->data[i] == '\n';
        first += i < change && text->data[i] == '\n';
    }
    size_t from = first > around ? first - around : 0, to = first + changed_lines + around;
    to = to > total ? total : to;
    size_t begin = behind(text->data, text->len, from),
           end = begin + behind(text->data + begin, text->len - begin, to - from);
    if (end > begin && to < total)
        end--; /* the line feed behind the last one */
    buf_init(&b, 0);
    buf_printf(&b, "[Reading %zu lines from %s%.0zu (total: %zu lines, %zu remaining)]\n\n",
               to - from, from ? "line " : "start", from, total, total - to);
    buf_add(&b, text->data + begin, end - begin);
    int rc = run_says(c, false, buf_str(&b), b.len);
    buf_done(&b);
    return rc;
}

static bool has_value(const struct json *v)
{
    return v && v->type != JSON_NULL && (v->type != JSON_STRING || v->n);
}

/* Cells of a workbook. */
static int edit_range(struct call *c, const char *path, const char *range,
                      const struct json *values)
{
    struct workspace_place at;
    const char *data, *why = NULL;
    struct buf b;
    size_t n;
    int r = desktop_find(c, "open", path, &at);
    if (r == 2)
        return desktop_fail(c, "File not found: %s", workspace_absolute(c->tx.arena, path));
    if (r != 1 || (r = desktop_load(c, path, &at, &data, &n)) != 1)
        return r;
    if (desktop_kind(at.path, data, n) != DESKTOP_SHEET)
        return desktop_fail(c,
                            "Range-based editing not supported for %s. For text files, use "
                            "old_string and new_string parameters instead. If your client requires "
                            "range/content parameters, set them to empty strings (\"\").",
                            path);
    buf_init(&b, 0);
    r = desktop_set_cells(c, data, n, range, values, &b, &why);
    if (r == 0)
        r = desktop_fail(c, "%s", why);
    else if (r == 1 && workspace_write(&c->tx, at.path, b.data, b.len, NULL) < 0)
        r = desktop_refused(c, "open", path);
    else if (r == 1) {
        const char *done =
            arena_printf(c->tx.arena, "Successfully updated range %s in %s", range, path);
        r = done ? run_says(c, false, done, strlen(done)) : sosia_fail_memory(c->tx.err);
    }
    buf_done(&b);
    return r;
}

/* A text with the line ends of a file, which are those of its first one. In the arena. */
static const char *with_ends(struct arena *a, const char *file, size_t file_len, const char *text,
                             size_t *len)
{
    const char *feed = memchr(file, '\n', file_len), *back = memchr(file, '\r', file_len);
    const bool both = back && feed == back + 1, lone = back && (!feed || back < feed) && !both;
    char *out = arena_alloc(a, *len * 2 + 1);
    size_t n = 0;
    if (arena_failed(a))
        return "";
    for (size_t i = 0; i < *len; i++) {
        if (text[i] != '\r' && text[i] != '\n') {
            out[n++] = text[i];
            continue;
        }
        if (text[i] == '\r' && i + 1 < *len && text[i + 1] == '\n')
            i++;
        if (both || lone)
            out[n++] = '\r';
        if (!lone)
            out[n++] = '\n';
    }
    out[n] = 0;
    *len = n;
    return out;
}

/* How often a text is there, also where one place begins within another. Each byte is looked at
 * once or twice however the text repeats itself (D. Knuth, J. Morris and V. Pratt, Fast pattern
 * matching in strings, 1977). 0 too where there is no memory. */
static size_t places_of(struct arena *a, const char *text, size_t n, const char *what, size_t len)
{
    const char *first = memmem(text, n, what, len), *end = text + n;
    size_t count = 0;
    if (!first)
        return 0;
    /* Of each beginning of it the longest shorter one that it ends with. */
    uint32_t *shorter = arena_calloc(a, len + 1, sizeof *shorter);
    if (arena_failed(a))
        return 0;
    for (uint32_t i = 1, k = 0; i < len; shorter[++i] = k) {
        while (k && what[i] != what[k])
            k = shorter[k];
        k += what[i] == what[k];
    }
    size_t k = 0; /* bytes that are the same up to here */
    for (const char *p = first; p < end; p++) {
        while (k == len || (k && *p != what[k]))
            k = shorter[k];
        k += *p == what[k];
        count += k == len;
    }
    return count;
}

static int edit_says(struct call *c, const char *text)
{
    return arena_failed(c->tx.arena) ? sosia_fail_memory(c->tx.err)
                                     : run_says(c, false, text, strlen(text));
}

int desktop_edit(struct call *c)
{
    const struct json *args = server_arguments(c), *old = json_get(args, "old_string"),
                      *new = json_get(args, "new_string");
    const char *path = json_get_str(args, "file_path"), *text, *last;
    int64_t wanted = json_get_int(args, "expected_replacements", 1);
    size_t n, change = 0, lines = 1;
    struct workspace_place at;
    struct buf b;
    if (has_value(json_get(args, "range")) && has_value(json_get(args, "content")))
        return edit_range(c, path, json_get_str(args, "range"), json_get(args, "content"));
    if (!new || !old)
        return desktop_fail(c, DESKTOP_NEITHER);
    int r = desktop_load(c, path, &at, &text, &n);
    if (r != 1)
        return r;
    if (!old->n)
        return edit_says(c, DESKTOP_EMPTY);
    size_t old_len = old->n, new_len = new->n;
    const char *from = with_ends(c->tx.arena, text, n, old->str, &old_len),
               *to = with_ends(c->tx.arena, text, n, new->str, &new_len);
    const long long count = (long long)places_of(c->tx.arena, text, n, from, old_len);
    if (arena_failed(c->tx.arena))
        return sosia_fail_memory(c->tx.err);
    if (!count)
        return desktop_nearest(c, path, text, n, old->str, old->n);
    if (count != wanted)
        return edit_says(c, arena_printf(c->tx.arena, DESKTOP_COUNT, (long long)wanted, count, path,
                                         count, count));
    buf_init(&b, WORKSPACE_FILE);
    last = text;
    for (const char *p; (p = memmem(last, n - (size_t)(last - text), from, old_len));) {
        buf_add(&b, last, (size_t)(p - last));
        if (last == text)
            change = b.len;
        buf_add(&b, to, new_len);
        last = p + old_len;
    }
    buf_add(&b, last, n - (size_t)(last - text));
    for (size_t i = 0; i < new->n; i++)
        lines += new->str[i] == '\n';
    r = b.full           ? workspace_fail(&c->tx, "EFBIG", at.path)
        : buf_failed(&b) ? sosia_fail_memory(c->tx.err)
                         : workspace_write(&c->tx, at.path, b.data, b.len, NULL);
    r = r < 0 ? desktop_refused(c, "open", path) : show_edit(c, &b, change, lines);
    buf_done(&b);
    return r;
}
