/* SPDX-License-Identifier: Apache-2.0 */
/* The file system, by calls of the Connect protocol. */
#include "engine/http/body.h"
#include "services/workspace/e2b/entry.h"

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
    return e2b_answer_entry(c, &found.node, at.absolute);
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
        if (e2b_write_entry(c, NULL, &n, path) < 0 ||
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
    return e2b_answer_entry(c, &found.node, at.absolute);
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
    return e2b_answer_entry(c, &target.node, to.absolute);
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
