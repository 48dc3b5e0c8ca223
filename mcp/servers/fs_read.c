/* SPDX-License-Identifier: Apache-2.0 */
/* Tools that read files. */
#include "engine/base/codec.h"
#include "engine/text/civil.h"
#include "mcp/servers/files.h"
#include <strings.h>

/* How many lines are asked for: 0: it is not said. */
static double lines_asked(const struct json *args, const char *name)
{
    double n = 0;
    const struct json *v = json_get(args, name);
    return v && json_double(v, &n) == 0 ? n : 0;
}

/* The first lines, without the line feed behind the last one. */
static size_t head_of(const char *data, size_t len, double lines)
{
    size_t at = 0;
    double n = 0;
    while (n < lines && at < len) {
        const char *feed = memchr(data + at, '\n', len - at);
        if (!feed)
            return len;
        at = (size_t)(feed - data) + 1;
        n++;
    }
    return at && lines > 0 && data[at - 1] == '\n' ? at - 1 : at;
}

/* Where the last lines begin; what is behind the last line feed is a line too. */
static size_t tail_of(const char *data, size_t len, double lines)
{
    size_t at = len;
    if (lines < 1)
        return len;
    for (double n = 0; at; at--)
        if (data[at - 1] == '\n' && ++n >= lines)
            return at;
    return 0;
}

int fs_read_text(struct call *c)
{
    const struct json *args = server_arguments(c);
    double head = lines_asked(args, "head"), tail = lines_asked(args, "tail");
    const char *path = json_get_str(args, "path");
    struct file_path at;
    const char *data;
    size_t len;
    if (head && tail)
        return file_path(c, path, &at) < 0
                   ? -1
                   : server_fail(c, "Cannot specify both head and tail parameters simultaneously");
    if (tail || head < 0) { /* tail: it is looked at before it is opened; of less nothing is read */
        int r = file_path(c, path, &at);
        if (r <= 0)
            return r < 0 ? -1 : file_fail(c, "ENOENT", tail ? "stat" : "open", at.absolute);
        if (tail < 0 || head < 0)
            return server_text(c, "", 0);
    }
    if (file_content(c, path, &at, &data, &len) < 0)
        return -1;
    if (tail) {
        data = file_lines(c->tx.arena, data, &len);
        size_t from = tail_of(data, len, tail);
        return server_text(c, data + from, len - from);
    }
    return server_text(c, data, head ? head_of(data, len, head) : len);
}

/* ---- media ---- */

static const char *media_type(const char *path)
{
    static const char *const types[][2] = {
        {".png", "image/png"},     {".jpg", "image/jpeg"},  {".jpeg", "image/jpeg"},
        {".gif", "image/gif"},     {".webp", "image/webp"}, {".bmp", "image/bmp"},
        {".svg", "image/svg+xml"}, {".mp3", "audio/mpeg"},  {".wav", "audio/wav"},
        {".ogg", "audio/ogg"},     {".flac", "audio/flac"}};
    const char *name = workspace_name(path), *dot = strrchr(name, '.');
    for (size_t i = 0; dot && dot != name && i < SOSIA_LEN(types); i++)
        if (strcasecmp(dot, types[i][0]) == 0)
            return types[i][1];
    return "application/octet-stream";
}

/* "file:///data/a%20b", as Node.js writes it. */
static const char *file_url(struct arena *a, const char *absolute)
{
    struct buf b;
    buf_init(&b, 0);
    buf_puts(&b, "file://");
    for (const char *p = absolute; *p; p++)
        if ((unsigned char)*p <= ' ' || (unsigned char)*p >= 0x7f || strchr("%\\\"#<>?^`{|}", *p))
            buf_printf(&b, "%%%02X", (unsigned char)*p);
        else
            buf_byte(&b, *p);
    return buf_keep(&b, a);
}

static void write_media(struct call *c, const struct file_path *at, const struct buf *data)
{
    const char *type = media_type(at->path);
    struct json_writer *w = c->out;
    json_arr(w, "content");
    json_obj(w, NULL);
    if (str_starts(type, "image/") || str_starts(type, "audio/")) {
        json_strn(w, "type", type, 5);
        json_strn(w, "data", data->data, data->len);
        json_str(w, "mimeType", type);
    } else {
        json_str(w, "type", "resource");
        json_obj(w, "resource");
        json_str(w, "uri", file_url(c->tx.arena, at->absolute));
        json_str(w, "mimeType", type);
        json_strn(w, "blob", data->data, data->len);
        json_end(w);
    }
    json_end(w);
    json_end(w);
}

int fs_read_media(struct call *c)
{
    struct file_path at;
    const char *data;
    size_t len;
    struct buf b;
    if (file_content(c, json_get_str(server_arguments(c), "path"), &at, &data, &len) < 0)
        return -1;
    buf_init(&b, 0);
    base64_add(&b, data, len);
    buf_str(&b);
    int r = buf_failed(&b) ? sosia_fail_memory(c->tx.err) : 0;
    if (r == 0) {
        json_obj(c->out, NULL);
        write_media(c, &at, &b);
        json_obj(c->out, "structuredContent");
        write_media(c, &at, &b);
        json_end(c->out);
        json_end(c->out);
    }
    buf_done(&b);
    return r;
}

/* ---- several ---- */

static int add_file(struct call *c, const char *path, struct buf *b)
{
    struct file_path at;
    const char *data;
    size_t len;
    if (file_content(c, path, &at, &data, &len) == 0) {
        buf_printf(b, "%s:\n", path);
        buf_add(b, data, len);
        buf_byte(b, '\n');
        return 0;
    }
    if (!c->vendor_data)
        return -1;
    buf_printf(b, "%s: Error - %s", path, (const char *)c->vendor_data);
    c->vendor_data = NULL;
    *c->tx.err = (struct sosia_err){.code = 0};
    return 0;
}

int fs_read_multiple(struct call *c)
{
    const struct json *paths = json_get(server_arguments(c), "paths");
    struct buf b;
    buf_init(&b, 0);
    for (uint32_t i = 0; i < paths->n; i++) {
        if (i)
            buf_puts(&b, "\n---\n");
        if (add_file(c, paths->items[i].str, &b) < 0) {
            buf_done(&b);
            return -1;
        }
    }
    struct buf text;
    buf_init(&text, 0);
    server_put_text(&text, buf_str(&b), b.len);
    buf_done(&b);
    return server_buf(c, &text);
}

/* ---- what is known of one ---- */

/* "Sat Nov 28 2026 14:06:41 GMT+0000 (Coordinated Universal Time)". */
static void add_time(struct buf *b, const char *name, int64_t seconds)
{
    static const char days[] = "SunMonTueWedThuFriSat",
                      months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
    int64_t day = seconds / SECONDS_PER_DAY, rest = seconds % SECONDS_PER_DAY;
    int year, month, of_month;
    civil_from_days(day, &year, &month, &of_month);
    buf_printf(b, "%s: %.3s %.3s %02d %04d %02d:%02d:%02d GMT+0000 (Coordinated Universal Time)\n",
               name, days + 3 * weekday_from_days(day), months + 3 * (month - 1), of_month, year,
               (int)(rest / 3600), (int)(rest / 60 % 60), (int)(rest % 60));
}

int fs_info(struct call *c)
{
    static const char *const times[] = {"created", "modified", "accessed"};
    struct file_path at;
    struct buf b;
    int r = file_path(c, json_get_str(server_arguments(c), "path"), &at);
    if (r <= 0)
        return r < 0 ? -1 : file_fail(c, "ENOENT", "stat", at.absolute);
    bool dir = at.node.kind == NODE_DIRECTORY;
    buf_init(&b, 0);
    buf_printf(&b, "size: %lld\n", dir ? 4096LL : (long long)at.node.size);
    for (size_t i = 0; i < SOSIA_LEN(times); i++)
        add_time(&b, times[i], at.node.id ? at.node.mtime_ns / 1000000000 : c->tx.now_us / 1000000);
    buf_printf(&b, "isDirectory: %s\nisFile: %s\npermissions: %03o", dir ? "true" : "false",
               dir ? "false" : "true", at.node.mode);
    return server_buf(c, &b);
}
