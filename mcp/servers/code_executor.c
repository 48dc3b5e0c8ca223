/* SPDX-License-Identifier: Apache-2.0 */
/* The server "code-executor": Python in files of a directory of the workspace; and the tool that a
 * benchmark has in its place. */
#include "engine/base/codec.h"
#include "mcp/servers/executor.h"
#include <stdio.h>

/* ---- results ---- */

/* An object as one line of JSON is the text. */
struct line {
    struct call *c;
    struct buf b;
    struct json_writer w;
};

static void line_begin(struct line *l, struct call *c, const char *status)
{
    l->c = c;
    buf_init(&l->b, 0);
    json_init(&l->w, &l->b, false, NULL);
    json_obj(&l->w, NULL);
    json_str(&l->w, "status", status);
}

/* A text that need not be UTF-8. */
static void line_put(struct line *l, const char *name, const char *text, size_t n)
{
    struct buf b;
    buf_init(&b, 0);
    server_put_text(&b, text, n);
    json_strn(&l->w, name, buf_str(&b), b.len);
    buf_done(&b);
}

/* The original says of a block that it is an error, and not of the result: clients see none. */
static int line_end(struct line *l, bool error)
{
    json_end(&l->w);
    json_obj(l->c->out, NULL);
    json_arr(l->c->out, "content");
    json_obj(l->c->out, NULL);
    json_str(l->c->out, "type", "text");
    json_strn(l->c->out, "text", buf_str(&l->b), l->b.len);
    json_bool(l->c->out, "isError", error);
    json_end(l->c->out);
    json_end(l->c->out);
    json_end(l->c->out);
    buf_done(&l->b);
    return 0;
}

static int refuse(struct call *c, const char *why)
{
    struct line l;
    line_begin(&l, c, "error");
    json_str(&l.w, "error", why);
    return line_end(&l, true);
}

/* ---- files ---- */

/* A name as the original makes it: without the end of the given one, and with eight digits. */
static const char *file_named(struct call *c, const char *given, const char *mark)
{
    const char *name = given && *given ? given : "code", *slash = strrchr(name, '/');
    if (slash)
        name = slash + 1;
    size_t n = strlen(name);
    if (n > 3 && strcmp(name + n - 3, ".py") == 0)
        n -= 3;
    return arena_printf(c->tx.arena, "%.*s_%s.py", (int)(n > 200 ? 200 : n), n ? name : "code",
                        mark);
}

/* A file of the workspace by its absolute path. 1; 0: it is refused, which is answered; -1. */
static int file_at(struct call *c, const char *path, struct workspace_place *ret)
{
    const char *inside = workspace_inside(workspace_absolute(c->tx.arena, path));
    int r = inside ? workspace_resolve(&c->tx, inside, true, ret) : 0;
    if (r == 1 && ret->node.kind == NODE_FILE)
        return 1;
    if (r < 0 && !c->tx.err->reason)
        return -1;
    *c->tx.err = (struct sosia_err){0};
    return refuse(c, arena_printf(c->tx.arena, "File %s does not exist", path)) < 0 ? -1 : 0;
}

static int write_file(struct call *c, const char *name, const struct json *content)
{
    const char *dir = EXECUTOR_DIRECTORY;
    return workspace_mkdir(&c->tx, dir) < 0 ||
                   workspace_write(&c->tx, workspace_below(c->tx.arena, dir, name), content->str,
                                   content->n, NULL) < 0
               ? -1
               : 0;
}

/* ---- running ---- */

static int answer_run(struct call *c, const char *path, const char *generated,
                      const struct program_outcome *o)
{
    bool error = o->err.len || o->status || o->timed_out;
    struct line l;
    line_begin(&l, c, error ? "error" : "success");
    if (o->err.len)
        line_put(&l, "output", o->err.data, o->err.len);
    else
        line_put(&l, "output", o->out.data, o->out.len);
    json_str(&l.w, "file_path", path);
    json_str_opt(&l.w, "generated_filename", generated);
    return line_end(&l, error);
}

/* code: what is written into the file first, by the program itself: where none can be run nothing
 * is written. NULL: it is there. */
static int run_file(struct call *c, struct program_spec *spec, const char *path,
                    const struct json *code, const char *generated)
{
    static const char script[] = "mkdir -p " EXECUTOR_DIRECTORY " && cd " EXECUTOR_DIRECTORY " && "
                                 "{ [ -z \"$2\" ] || cat >\"$1\"; } && exec python3 -u \"$1\" "
                                 "</dev/null";
    const char *const argv[] = {"sh", "-c", script, "sh", path, code ? "write" : "", NULL};
    struct program_outcome o;
    spec->argv = argv;
    spec->input = code ? code->str : NULL;
    spec->input_len = code ? code->n : 0;
    spec->keep = EXECUTOR_OUTPUT;
    int r = program_run(c, spec, &o);
    return r == 1 ? answer_run(c, path, generated, &o) : r;
}

int executor_code(struct call *c)
{
    const struct json *args = server_arguments(c);
    struct program_spec spec = {0};
    char mark[9];
    if (program_mark(c, &spec, mark) < 0)
        return -1;
    const char *name = file_named(c, json_get_str(args, "filename"), mark);
    const char *path = arena_printf(c->tx.arena, WORKSPACE_ROOT "/" EXECUTOR_DIRECTORY "/%s", name);
    if (arena_failed(c->tx.arena))
        return sosia_fail_memory(c->tx.err);
    return run_file(c, &spec, path, json_get(args, "code"), name);
}

int executor_file(struct call *c)
{
    const char *path = json_get_str(server_arguments(c), "file_path");
    struct program_spec spec = {0};
    struct workspace_place at;
    int r = c->outcome ? 1 : file_at(c, path, &at);
    return r == 1 ? run_file(c, &spec, workspace_absolute(c->tx.arena, path), NULL, NULL) : r;
}

/* ---- files without running ---- */

int executor_initialize(struct call *c)
{
    const struct json *args = server_arguments(c);
    uint32_t n;
    char mark[9];
    struct line l;
    if (tx_id(&c->tx, "code", &n, sizeof n) < 0)
        return -1;
    snprintf(mark, sizeof mark, "%08x", n);
    const char *name = file_named(c, json_get_str(args, "filename"), mark);
    if (arena_failed(c->tx.arena))
        return sosia_fail_memory(c->tx.err);
    if (write_file(c, name, json_get(args, "content")) < 0)
        return -1;
    line_begin(&l, c, "success");
    json_str(&l.w, "message", "File initialized successfully");
    json_str(&l.w, "file_path",
             arena_printf(c->tx.arena, WORKSPACE_ROOT "/" EXECUTOR_DIRECTORY "/%s", name));
    json_str(&l.w, "filename", name);
    return line_end(&l, false);
}

int executor_append(struct call *c)
{
    const struct json *args = server_arguments(c), *content = json_get(args, "content");
    const char *path = json_get_str(args, "file_path");
    struct workspace_place at;
    struct line l;
    struct buf b;
    int r = file_at(c, path, &at);
    if (r != 1)
        return r;
    buf_init(&b, 0);
    r = workspace_read(&c->tx, &at.node, 0, at.node.size, &b);
    buf_add(&b, content->str, content->n);
    if (r == 0 && buf_failed(&b))
        r = sosia_fail_memory(c->tx.err);
    if (r == 0)
        r = workspace_write(&c->tx, at.path, b.data, b.len, NULL);
    buf_done(&b);
    if (r < 0)
        return -1;
    line_begin(&l, c, "success");
    json_str(&l.w, "message", "Content appended successfully");
    json_str(&l.w, "file_path", path);
    return line_end(&l, false);
}

int executor_read(struct call *c)
{
    const char *path = json_get_str(server_arguments(c), "file_path"), *data;
    struct workspace_place at;
    struct line l;
    size_t len;
    int r = file_at(c, path, &at);
    if (r != 1)
        return r;
    if (workspace_load(&c->tx, &at.node, &data, &len) < 0)
        return -1;
    line_begin(&l, c, "success");
    line_put(&l, "content", data, len);
    json_str(&l.w, "file_path", path);
    return line_end(&l, false);
}

/* ---- packages ---- */

/* There is no index of packages to be reached. */
int executor_install(struct call *c)
{
    const struct json *packages = json_get(server_arguments(c), "packages");
    struct line l;
    if (!packages->n)
        return refuse(c, "No packages specified");
    line_begin(&l, c, "error");
    json_str(&l.w, "env_type", "venv");
    json_str(&l.w, "error",
             arena_printf(c->tx.arena,
                          "ERROR: Could not find a version that satisfies the requirement %s (from "
                          "versions: none)\nERROR: No matching distribution found for %s",
                          packages->items[0].str, packages->items[0].str));
    return line_end(&l, true);
}

int executor_check(struct call *c)
{
    static const char script[] =
        "import sys, json, importlib.metadata as m\n"
        "out = []\n"
        "for p in sys.argv[1:]:\n"
        "    try:\n"
        "        d = m.distribution(p)\n"
        "        out.append({'package': p, 'installed': True, 'version': d.version, 'location': "
        "str(d.locate_file(''))})\n"
        "    except m.PackageNotFoundError:\n"
        "        out.append({'package': p, 'installed': False})\n"
        "print(json.dumps(out, separators=(',', ':')), end='')\n";
    const struct json *packages = json_get(server_arguments(c), "packages");
    const char *argv[EXECUTOR_PACKAGES + 4] = {"python3", "-c", script};
    struct program_outcome o;
    struct line l;
    if (!packages->n || packages->n > EXECUTOR_PACKAGES)
        return refuse(c, "No packages specified");
    for (uint32_t i = 0; i < packages->n; i++)
        argv[3 + i] = packages->items[i].str;
    const struct program_spec spec = {.argv = argv, .keep = EXECUTOR_OUTPUT};
    int r = program_run(c, &spec, &o);
    if (r != 1)
        return r;
    line_begin(&l, c, o.status ? "error" : "success");
    json_str(&l.w, "env_type", "venv");
    if (o.status || !str_starts(o.out.data, "["))
        line_put(&l, "error", o.err.data, o.err.len);
    else
        json_raw(&l.w, "package_details", o.out.data, o.out.len);
    return line_end(&l, o.status != 0);
}

/* ---- the environment ---- */

static void put_config(struct json_writer *w, const char *name)
{
    json_obj(w, name);
    json_str(w, "type", "venv");
    json_str(w, "venvPath", "/usr");
    json_end(w);
}

/* There is one alone: the system's. */
int executor_configure(struct call *c)
{
    struct line l;
    line_begin(&l, c, "success");
    json_str(&l.w, "message", "Environment configuration updated");
    put_config(&l.w, "previous");
    put_config(&l.w, "current");
    return line_end(&l, false);
}

int executor_config(struct call *c)
{
    struct line l;
    line_begin(&l, c, "success");
    put_config(&l.w, "config");
    return line_end(&l, false);
}

/* ---- the benchmark's tool ---- */

static void put_section(struct buf *b, const char *title, const struct program_stream *s)
{
    if (!s->len)
        return;
    buf_printf(b, "=== %s ===\n", title);
    buf_add(b, s->data, s->len);
    if (s->data[s->len - 1] != '\n')
        buf_byte(b, '\n');
}

static int answer_python(struct call *c, int64_t seconds, const struct program_outcome *o)
{
    struct buf b;
    buf_init(&b, 0);
    if (o->timed_out) {
        buf_printf(&b,
                   "=== EXECUTION TIMEOUT ===\nExecution timed out after %lld seconds\nTimeout "
                   "limit: %lld seconds",
                   (long long)seconds, (long long)seconds);
    } else {
        if (!o->out.len && !o->err.len)
            buf_puts(&b, "No console output produced.\n");
        put_section(&b, "STDOUT", &o->out);
        put_section(&b, "STDERR", &o->err);
        buf_printf(&b,
                   "=== EXECUTION INFO ===\nReturn code: %d\nExecution time: %lld.%03lld "
                   "seconds\nTimeout limit: %lld seconds",
                   o->status, (long long)(o->wall_us / 1000000),
                   (long long)(o->wall_us / 1000 % 1000), (long long)seconds);
    }
    int rc = run_says(c, false, buf_str(&b), b.len);
    buf_done(&b);
    return rc;
}

int executor_python(struct call *c)
{
    const struct json *args = server_arguments(c), *code = json_get(args, "code");
    const char *given = json_get_str(args, "filename");
    int64_t seconds = json_get_int(args, "timeout", 30);
    struct program_spec spec = {0};
    struct program_outcome o;
    char mark[9];
    if (program_mark(c, &spec, mark) < 0)
        return -1;
    seconds = seconds < 1 ? 1 : seconds > 120 ? 120 : seconds;
    const char *slash = given ? strrchr(given, '/') : NULL, *name = slash ? slash + 1 : given;
    if (!name || !*name || strcmp(name, "..") == 0 || strcmp(name, ".") == 0)
        name = arena_printf(c->tx.arena, "%s.py", mark);
    size_t n = strlen(name);
    const char *end = n > 3 && strcmp(name + n - 3, ".py") == 0 ? "" : ".py";
    const char *path = arena_printf(c->tx.arena, PYTHON_DIRECTORY "/%s%s", name, end);
    if (arena_failed(c->tx.arena))
        return sosia_fail_memory(c->tx.err);
    const char *const argv[] = {
        "sh",
        "-c",
        "mkdir -p " PYTHON_DIRECTORY " && cat >\"$1\" && exec python3 \"$1\" </dev/null",
        "sh",
        path,
        NULL};
    spec.argv = argv;
    spec.input = code->str;
    spec.input_len = code->n;
    spec.keep = EXECUTOR_OUTPUT;
    spec.timeout_ms = seconds * 1000;
    int r = program_run(c, &spec, &o);
    return r == 1 ? answer_python(c, seconds, &o) : r;
}
