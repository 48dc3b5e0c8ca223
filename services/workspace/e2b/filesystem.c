/* SPDX-License-Identifier: Apache-2.0 */
/* The file system, by calls of the Connect protocol. */
#include "engine/http/body.h"
#include "engine/text/civil.h"
#include "services/workspace/e2b/e2b.h"
#include <stdio.h>

#define DIRECTORY_SIZE 4096 /* of any directory */

/* ---- entries ---- */

static void put_permissions(char ret_text[11], const struct workspace_node *n)
{
    static const char kinds[] = {[NODE_FILE] = '-', [NODE_DIRECTORY] = 'd', [NODE_LINK] = 'L'};
    ret_text[0] = kinds[n->kind];
    for (int i = 0; i < 9; i++)
        ret_text[i + 1] = "rwxrwxrwx"[i];
    for (int i = 0; i < 9 && n->kind != NODE_LINK; i++)
        if (!(n->mode >> (8 - i) & 1))
            ret_text[i + 1] = '-';
    ret_text[10] = 0;
}

/* A time as messages of this protocol have it: no more digits than it needs, by threes. */
static void write_time(struct json_writer *w, const char *name, int64_t ns)
{
    char text[STAMP_TEXT + 8];
    int64_t s = ns / 1000000000, rest = ns % 1000000000;
    if (rest < 0) {
        s--;
        rest += 1000000000;
    }
    size_t n = stamp_format(text, s * US_PER_SECOND, 0, 0, true) - 1; /* before the Z */
    int digits = !rest ? 0 : rest % 1000000 == 0 ? 3 : rest % 1000 == 0 ? 6 : 9;
    for (int i = digits; i && i < 9; i++)
        rest /= 10;
    if (digits)
        n += (size_t)snprintf(text + n, sizeof text - n, ".%0*lld", digits, (long long)rest);
    snprintf(text + n, sizeof text - n, "Z");
    json_str(w, name, text);
}

/* Values that are a type's usual ones are not in messages. */
static int write_entry(struct call *c, const char *name, const struct workspace_node *n,
                       const char *absolute)
{
    static const char *const kinds[] = {"FILE_TYPE_FILE", "FILE_TYPE_DIRECTORY"};
    struct json_writer *w = c->out;
    const char *path = e2b_text(c, absolute), *slash = strrchr(path, '/');
    const char *target = NULL;
    struct workspace_place to = {.node = *n};
    char permissions[11];
    int r = 1;
    if (n->kind == NODE_LINK) {
        struct e2b_path at;
        r = e2b_path(c, absolute, &at) < 0 ? -1 : workspace_resolve(&c->tx, at.row, true, &to);
        if (r < 0 && !e2b_why(c))
            return -1;
        *c->tx.err = (struct sosia_err){.code = 0};
        target = r == 1 ? e2b_text(c, arena_printf(c->tx.arena, E2B_HOME "%s%s",
                                                   *to.path ? "/" : "", to.path))
                        : path;
    }
    json_obj(w, name);
    json_str(w, "name", slash && slash[1] ? slash + 1 : path);
    if (r == 1)
        json_str(w, "type", kinds[to.node.kind]);
    json_str(w, "path", path);
    int64_t size = n->kind == NODE_DIRECTORY ? DIRECTORY_SIZE
                   : n->kind == NODE_LINK    ? (int64_t)n->target_len
                                             : n->size;
    if (size)
        json_str(w, "size", arena_printf(c->tx.arena, "%lld", (long long)size));
    if (r == 1 && to.node.mode)
        json_int(w, "mode", to.node.mode);
    put_permissions(permissions, n);
    json_str(w, "permissions", permissions);
    json_str(w, "owner", "user");
    json_str(w, "group", "user");
    if (n->mtime_ns)
        write_time(w, "modifiedTime", n->mtime_ns);
    if (target)
        json_str(w, "symlinkTarget", target);
    json_end(w);
    return 0;
}

static int answer_entry(struct call *c, const struct workspace_node *n, const char *absolute)
{
    json_obj(c->out, NULL);
    int r = write_entry(c, "entry", n, absolute);
    json_end(c->out);
    return r;
}

/* ---- arguments ---- */

/* The path of a member; one that is absent is "". */
static int path_of(struct call *c, const char *name, struct e2b_path *ret)
{
    const struct json *body = call_body(c), *v = json_get(body, name);
    if (!body)
        return -1;
    const char *text = v && v->type == JSON_STRING ? v->str : "";
    if (v && v->type == JSON_STRING && strlen(text) != v->n)
        return e2b_fail(c, E2B_INVALID_ARGUMENT, "%s must have no NUL in it", name);
    return e2b_path(c, text, ret);
}

static int not_found(struct call *c, const char *what, const char *call, const struct e2b_path *at)
{
    return e2b_fail(c, E2B_NOT_FOUND, "%s: %s %s: no such file or directory", what, call,
                    e2b_text(c, at->absolute));
}

/* ---- methods ---- */

static int fs_stat(struct call *c)
{
    struct workspace_place found;
    struct e2b_path at;
    int r = path_of(c, "path", &at) < 0 ? -1 : e2b_find(c, &at, false, &found);
    if (r <= 0)
        return r < 0 ? -1 : not_found(c, "file not found", "lstat", &at);
    return answer_entry(c, &found.node, at.absolute);
}

/* All in a directory, each before what is below it. */
static int write_below(struct call *c, const char *dir, const char *absolute, int64_t depth)
{
    struct workspace_list list = {.dir = dir};
    struct workspace_node n;
    int r;
    while ((r = workspace_next(&c->tx, &list, &n)) == 1) {
        const char *path = arena_printf(c->tx.arena, "%s/%s", absolute, workspace_name(n.path));
        if (arena_failed(c->tx.arena))
            return sosia_fail_memory(c->tx.err);
        if (write_entry(c, NULL, &n, path) < 0 ||
            (n.kind == NODE_DIRECTORY && depth > 1 && write_below(c, n.path, path, depth - 1) < 0))
            return -1;
    }
    return r;
}

static int fs_list_dir(struct call *c)
{
    struct workspace_place found;
    struct e2b_path at;
    int r = path_of(c, "path", &at) < 0 ? -1 : e2b_find(c, &at, true, &found);
    if (r <= 0)
        return r < 0 ? -1 : not_found(c, "path not found", "lstat", &at);
    if (found.node.kind != NODE_DIRECTORY)
        return e2b_fail(c, E2B_INVALID_ARGUMENT, "path is not a directory: %s",
                        e2b_text(c, at.absolute));
    int64_t depth = json_get_int(c->body, "depth", 0);
    json_obj(c->out, NULL);
    json_arr(c->out, "entries");
    r = write_below(c, found.path, at.absolute, depth ? depth : 1);
    json_end(c->out);
    json_end(c->out);
    return r;
}

static int fs_make_dir(struct call *c)
{
    struct workspace_place found;
    struct e2b_path at;
    int r = path_of(c, "path", &at) < 0 ? -1 : e2b_find(c, &at, true, &found);
    if (r < 0)
        return -1;
    if (r && found.node.kind == NODE_DIRECTORY)
        return e2b_fail(c, E2B_ALREADY_EXISTS, "directory already exists: %s",
                        e2b_text(c, at.absolute));
    if (r)
        return e2b_fail(c, E2B_INVALID_ARGUMENT,
                        "path already exists but it is not a directory: %s",
                        e2b_text(c, at.absolute));
    if (e2b_make_dirs(c, &at, true) < 0 || e2b_find(c, &at, false, &found) < 0)
        return -1;
    return answer_entry(c, &found.node, at.absolute);
}

static int fs_move(struct call *c)
{
    struct workspace_place source, target;
    struct e2b_path from, to;
    if (path_of(c, "source", &from) < 0 || path_of(c, "destination", &to) < 0 ||
        e2b_make_dirs(c, &to, false) < 0)
        return -1;
    int r = e2b_find(c, &from, false, &source);
    if (r == 1)
        r = e2b_find(c, &to, false, &target) < 0 ? -1 : 1;
    const char *what = arena_printf(c->tx.arena, "rename %s %s", e2b_text(c, from.absolute),
                                    e2b_text(c, to.absolute));
    if (r == 0)
        return e2b_fail(c, E2B_NOT_FOUND, "source file not found: %s: no such file or directory",
                        what);
    if (r == 1 && (!*source.path || !*target.path))
        return e2b_fail(c, E2B_INVALID_ARGUMENT, "error renaming: %s: invalid argument", what);
    if (r == 1 && workspace_rename(&c->tx, source.path, target.path) < 0)
        return e2b_why(c)
                   ? e2b_fail(c, E2B_INVALID_ARGUMENT, "error renaming: %s: %s", what, e2b_why(c))
                   : -1;
    if (r < 0 || e2b_find(c, &to, false, &target) < 0)
        return -1;
    return answer_entry(c, &target.node, to.absolute);
}

/* One that is not there is no fault. */
static int fs_remove(struct call *c)
{
    struct workspace_place found;
    struct e2b_path at;
    int r = path_of(c, "path", &at) < 0 ? -1 : e2b_find(c, &at, false, &found);
    if (r == 1)
        r = *found.path ? workspace_remove(&c->tx, found.path, true) : workspace_clear(&c->tx);
    if (r < 0)
        return -1;
    json_obj(c->out, NULL);
    json_end(c->out);
    return 0;
}

/* ---- rows ---- */

#define METHOD(name)                                                                               \
    .id = "e2b.filesystem." name, .verbs = POST,                                                   \
    .paths = PATHS(E2B_PREFIX "/filesystem.Filesystem/" name), .body = BODY_JSON
#define READS  .risk = RISK_READ, .scopes = "workspace.readonly workspace"
#define WRITES .scopes = "workspace"

static const struct route methods[] = {
    {METHOD("Stat"), READS, .handler = fs_stat, .request = "PathRequest",
     .response = "EntryResponse", .summary = "What is at a path"},
    {METHOD("ListDir"), READS, .handler = fs_list_dir, .request = "ListDirRequest",
     .response = "ListDirResponse", .summary = "List what is in a directory"},
    {METHOD("MakeDir"), WRITES, .handler = fs_make_dir, .risk = RISK_WRITE,
     .request = "PathRequest", .response = "EntryResponse",
     .summary = "Make a directory, with those that it is in"},
    {METHOD("Move"), WRITES, .handler = fs_move, .risk = RISK_WRITE, .request = "MoveRequest",
     .response = "EntryResponse", .summary = "Move or rename a file or a directory"},
    {METHOD("Remove"), WRITES, .handler = fs_remove, .risk = RISK_DESTRUCTIVE, .idempotent = true,
     .request = "PathRequest", .response = "EmptyResponse",
     .summary = "Remove a file, or a directory with all that is in it"},
};
const struct rows e2b_filesystem_rows = ROWS(methods);
