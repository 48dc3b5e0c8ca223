/* SPDX-License-Identifier: Apache-2.0 */
/* The server "filesystem": its tools that change files, and the rows of all of them. */
#include "mcp/servers/files.h"
#include "services/workspace/core/write.h"

/* ---- tools ---- */

static int fs_write(struct call *c)
{
    const struct json *args = server_arguments(c), *text = json_get(args, "content");
    const char *path = json_get_str(args, "path");
    struct file_path at;
    int r = file_path(c, path, &at);
    if (r < 0)
        return -1;
    if (r && at.node.kind == NODE_DIRECTORY)
        return file_fail(c, "EISDIR", "open", at.absolute);
    if (workspace_replace(&c->tx, at.path, r ? &at.node : NULL, text->str, text->n, NULL) < 0)
        return file_failed(c, "open", at.absolute);
    const char *done = ARENA_JOIN(c->tx.arena, "Successfully wrote to ", path);
    return server_text(c, done, strlen(done));
}

static int fs_mkdir(struct call *c)
{
    const char *path = json_get_str(server_arguments(c), "path");
    struct file_path at;
    int r = file_path(c, path, &at);
    if (r < 0)
        return -1;
    if (r && at.node.kind != NODE_DIRECTORY)
        return file_fail(c, "EEXIST", "mkdir", at.absolute);
    if (!r && workspace_mkdir(&c->tx, at.path) < 0)
        return file_failed(c, "mkdir", at.absolute);
    const char *done = arena_printf(c->tx.arena, "Successfully created directory %s", path);
    return server_text(c, done, strlen(done));
}

/* "A' -> 'B", between the quotes of a failure. */
static int move_failed(struct call *c, const char *reason, const struct file_path *from,
                       const struct file_path *to)
{
    return file_fail(c, reason, "rename",
                     arena_printf(c->tx.arena, "%s' -> '%s", from->absolute, to->absolute));
}

static int fs_move(struct call *c)
{
    const struct json *args = server_arguments(c);
    const char *source = json_get_str(args, "source"),
               *destination = json_get_str(args, "destination");
    struct file_path from, to;
    int there = file_path(c, source, &from),
        taken = there < 0 ? -1 : file_path(c, destination, &to);
    if (taken < 0)
        return -1;
    if (taken)
        return server_fail(c, "Destination already exists: %s", to.absolute);
    if (!there)
        return move_failed(c, "ENOENT", &from, &to);
    if (!*from.path)
        return move_failed(c, "EINVAL", &from, &to);
    if (workspace_rename(&c->tx, from.path, to.path) < 0)
        return c->tx.err->reason ? move_failed(c, c->tx.err->reason, &from, &to) : -1;
    const char *done =
        arena_printf(c->tx.arena, "Successfully moved %s to %s", source, destination);
    return server_text(c, done, strlen(done));
}

static int fs_allowed(struct call *c)
{
    static const char text[] = "Allowed directories:\n" WORKSPACE_ROOT;
    return server_text(c, text, sizeof text - 1);
}

/* ---- rows ---- */

#define TOOL(name)                                                                                 \
    .id = "filesystem." name, .verbs = POST, .paths = PATHS("/workspace/v1/filesystem/" name),     \
    .body = BODY_JSON_OPTIONAL, .response = "ToolResult"
#define READS  .risk = RISK_READ, .scopes = "workspace.readonly workspace"
#define WRITES .scopes = "workspace"

static const struct route methods[] = {
    {TOOL("read_file"), READS, .handler = fs_read_text, .request = "ReadFile",
     .summary = "Read a file as text; the older name of read_text_file"},
    {TOOL("read_text_file"), READS, .handler = fs_read_text, .request = "ReadFile",
     .summary = "Read a file as text, all of it or lines from its start or its end"},
    {TOOL("read_media_file"), READS, .handler = fs_read_media, .request = "Path",
     .summary = "Read a picture or a sound, or another file as a resource, in base64"},
    {TOOL("read_multiple_files"), READS, .handler = fs_read_multiple, .request = "ReadFiles",
     .summary =
         "Read several files as text; one that cannot be read does not keep the others from it"},
    {TOOL("write_file"), WRITES, .handler = fs_write, .risk = RISK_WRITE, .idempotent = true,
     .request = "WriteFile", .summary = "Write a file, in the place of what was in it"},
    {TOOL("edit_file"), WRITES, .handler = fs_edit, .risk = RISK_WRITE, .request = "EditFile",
     .summary = "Replace texts in a file, and show the changes as a diff"},
    {TOOL("create_directory"), WRITES, .handler = fs_mkdir, .risk = RISK_WRITE, .idempotent = true,
     .request = "Path", .summary = "Make a directory, with those that it is in"},
    {TOOL("list_directory"), READS, .handler = fs_list, .request = "Path",
     .summary = "List the files and directories in a directory"},
    {TOOL("list_directory_with_sizes"), READS, .handler = fs_list_sizes, .request = "ListWithSizes",
     .summary = "List the files and directories in a directory with their sizes"},
    {TOOL("directory_tree"), READS, .handler = fs_tree, .request = "DirectoryTree",
     .summary = "All that is below a directory, as JSON"},
    {TOOL("move_file"), WRITES, .handler = fs_move, .risk = RISK_WRITE, .request = "MoveFile",
     .summary = "Move or rename a file or a directory; what is there is not replaced"},
    {TOOL("search_files"), READS, .handler = fs_search, .request = "SearchFiles",
     .summary = "Find files and directories below a directory by a glob"},
    {TOOL("get_file_info"), READS, .handler = fs_info, .request = "Path",
     .summary = "Size, times, kind and permissions of a file or a directory"},
    {TOOL("list_allowed_directories"), READS, .handler = fs_allowed,
     .summary = "The directories that these tools work in"},
};
const struct rows filesystem_rows = ROWS(methods);
