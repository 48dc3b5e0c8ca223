/* SPDX-License-Identifier: Apache-2.0 */
/* Files as bytes, by HTTP. */
#include "engine/base/codec.h"
#include "engine/text/http_date.h"
#include "services/workspace/e2b/e2b.h"
#include <strings.h>

/* ---- reading ---- */

/* By the name, as programs that show files do. */
static const char *type_of(const char *path)
{
    static const char *const types[][2] = {{".css", "text/css; charset=utf-8"},
                                           {".csv", "text/csv; charset=utf-8"},
                                           {".gif", "image/gif"},
                                           {".htm", "text/html; charset=utf-8"},
                                           {".html", "text/html; charset=utf-8"},
                                           {".jpeg", "image/jpeg"},
                                           {".jpg", "image/jpeg"},
                                           {".js", "text/javascript; charset=utf-8"},
                                           {".json", "application/json"},
                                           {".pdf", "application/pdf"},
                                           {".png", "image/png"},
                                           {".svg", "image/svg+xml"},
                                           {".txt", "text/plain; charset=utf-8"},
                                           {".webp", "image/webp"},
                                           {".xml", "text/xml; charset=utf-8"}};
    const char *dot = strrchr(workspace_name(path), '.');
    for (size_t i = 0; dot && i < SOSIA_LEN(types); i++)
        if (strcasecmp(types[i][0], dot) == 0)
            return types[i][1];
    return "application/octet-stream";
}

static int files_read(struct call *c)
{
    const char *text = param_str(c, "path");
    struct workspace_place found;
    struct e2b_path at;
    char modified[HTTP_DATE];
    int r = e2b_path(c, text ? text : "", &at) < 0 ? -1 : e2b_find(c, &at, true, &found);
    if (r <= 0)
        return r < 0 ? -1
                     : e2b_fail(c, E2B_NOT_FOUND, "path '%s' does not exist",
                                e2b_text(c, at.absolute));
    if (found.node.kind == NODE_DIRECTORY)
        return e2b_fail(c, E2B_INVALID_ARGUMENT, "path '%s' is a directory",
                        e2b_text(c, at.absolute));
    http_date(modified, found.node.mtime_ns / 1000);
    call_header_const(c, "Accept-Ranges", "bytes");
    call_header_const(c, "Content-Type", type_of(found.path));
    call_header(c, "Last-Modified", modified);
    call_header_const(c, "Vary", "Accept-Encoding");
    if (found.node.blob)
        return call_send_blob(c, found.node.blob, NULL, modified);
    if (!found.node.size)
        return 0;
    int64_t first, n = call_range(c, found.node.size, NULL, modified, &first);
    return workspace_read(&c->tx, &found.node, first, first + n, c->body_out);
}

/* ---- writing ---- */

/* A file that comes: where it goes, and its bytes. */
struct coming {
    struct e2b_path at;
    struct bytes bytes;
};

/* Links are followed: what they lead to is written. */
static int write_file(struct call *c, const struct coming *f)
{
    struct workspace_place found;
    struct workspace_node n = {.kind = NODE_FILE,
                               .mode = workspace_mode(NODE_FILE),
                               .mtime_ns = c->tx.now_us * 1000,
                               .size = f->bytes.len};
    struct blob blob = {0};
    if (e2b_make_dirs(c, &f->at, false) < 0)
        return -1;
    int r = workspace_resolve(&c->tx, f->at.row, true, &found);
    if (r == 1 && found.node.kind == NODE_DIRECTORY)
        return e2b_fail(c, E2B_INVALID_ARGUMENT, "path is a directory: %s",
                        e2b_text(c, f->at.absolute));
    if (r == 1)
        n.mode = found.node.mode;
    if (r >= 0 && n.size > WORKSPACE_FILE)
        r = workspace_fail(&c->tx, "EFBIG", found.path);
    if (r >= 0 && n.size && bytes_blob(&c->tx, &f->bytes, 0, &blob) < 0)
        return -1;
    n.path = r >= 0 ? found.path : "";
    n.blob = blob.id;
    if (r >= 0)
        r = workspace_put(&c->tx, &n);
    if (r < 0 && e2b_why(c))
        return e2b_fail(c, E2B_INVALID_ARGUMENT, "error opening file: open %s: %s",
                        e2b_text(c, f->at.absolute), e2b_why(c));
    return r < 0 ? -1 : 0;
}

static void write_one(struct call *c, const struct e2b_path *at)
{
    const char *path = e2b_text(c, at->absolute);
    json_obj(c->out, NULL);
    json_str(c->out, "path", path);
    json_str(c->out, "name", workspace_name(path));
    json_str(c->out, "type", "file");
    json_end(c->out);
}

static int write_raw(struct call *c, const char *path)
{
    struct coming f = {.bytes = c->content};
    if (!path)
        return e2b_fail(c, E2B_INVALID_ARGUMENT,
                        "path query parameter is required for raw body upload");
    if (e2b_path(c, path, &f.at) < 0 || write_file(c, &f) < 0)
        return -1;
    write_one(c, &f.at);
    return 0;
}

/* A file's name in a form, whose quotes and line ends are percent-encoded. */
static const char *name_in_form(struct call *c, const char *text)
{
    static const char *const coded[] = {"%22", "%0D", "%0A"};
    char *copy = arena_strdup(c->tx.arena, text), *to = copy;
    for (const char *p = text; *p && !arena_failed(c->tx.arena); p++) {
        size_t i = 0;
        while (i < SOSIA_LEN(coded) && strncasecmp(p, coded[i], 3) != 0)
            i++;
        *to++ = i < SOSIA_LEN(coded) ? "\"\r\n"[i] : *p;
        p += i < SOSIA_LEN(coded) ? 2 : 0;
    }
    *to = 0;
    return copy;
}

static int write_form(struct call *c, const char *path)
{
    const char **done = arena_calloc(c->tx.arena, c->n_items + 1, sizeof *done);
    size_t n = 0;
    for (size_t i = 0; i < c->n_items && !arena_failed(c->tx.arena); i++) {
        const struct query_item *part = &c->items[i];
        struct coming f = {.bytes = {.len = (int64_t)part->len, .data = part->text}};
        if (part->place != IN_PART || strcmp(part->name, "file") != 0)
            continue;
        if (!path && !part->file)
            return e2b_fail(c, E2B_INVALID_ARGUMENT,
                            "error getting multipart custom part file name: a part has none");
        if (e2b_path(c, path ? path : name_in_form(c, part->file), &f.at) < 0)
            return -1;
        for (size_t k = 0; k < n; k++)
            if (strcmp(done[k], f.at.absolute) == 0)
                return e2b_fail(c, E2B_INVALID_ARGUMENT,
                                "you cannot upload multiple files to the same path '%s' in one "
                                "upload request",
                                e2b_text(c, f.at.absolute));
        if (write_file(c, &f) < 0)
            return -1;
        write_one(c, &f.at);
        done[n++] = f.at.absolute;
    }
    return arena_failed(c->tx.arena) ? sosia_fail_memory(c->tx.err) : 0;
}

static int files_write(struct call *c)
{
    const char *type = call_request_header(c, "Content-Type"), *path = param_str(c, "path");
    size_t n = type ? strcspn(type, "; \t") : 0;
    bool raw = n == 24 && strncasecmp(type, "application/octet-stream", n) == 0;
    if (!raw && (n < 10 || strncasecmp(type, "multipart/", 10) != 0))
        return e2b_fail(c, E2B_INVALID_ARGUMENT,
                        "unsupported content type: %s, expected multipart/form-data or "
                        "application/octet-stream",
                        type ? type : "");
    json_arr(c->out, NULL);
    int r = raw ? write_raw(c, path) : write_form(c, path);
    json_end(c->out);
    return r;
}

/* ---- rows ---- */

#define PATH                                                                                       \
    {                                                                                              \
        .name = "path", .place = IN_QUERY, .summary = "Of the file"                                \
    }
#define USERNAME                                                                                   \
    {                                                                                              \
        .name = "username", .place = IN_QUERY, .summary = "Changes nothing"                        \
    }
static const struct param file_params[] = {PATH, USERNAME};

static const struct route methods[] = {
    {ROUTE("e2b.files.read", GET, E2B_PREFIX "/files"), .handler = files_read, .risk = RISK_READ,
     .scopes = "workspace.readonly workspace", .download = true,
     .gives = "application/octet-stream", PARAMS(file_params), .summary = "A file's bytes"},
    {ROUTE("e2b.files.write", POST, E2B_PREFIX "/files"), .handler = files_write,
     .risk = RISK_WRITE, .scopes = "workspace", .idempotent = true, .body = BODY_RAW,
     .gives = "application/json", PARAMS(file_params),
     .summary = "Write files, with the directories that they are in"},
};
const struct rows e2b_file_rows = ROWS(methods);
