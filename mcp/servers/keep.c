/* SPDX-License-Identifier: Apache-2.0 */
/* Files of the workspace as bytes, for tools of other services: what they attach and save. */
#include "engine/json/bytes.h"
#include "engine/base/codec.h"
#include "mcp/servers/files.h"

#define FILE_MAX (INT64_C(32) << 20) /* bytes of a file that is read in one piece */

static int keep_read(struct call *c)
{
    const char *path = json_get_str(server_arguments(c), "path"), *data;
    struct file_path at;
    size_t len;
    int r = file_path(c, path, &at);
    if (r <= 0)
        return r < 0 ? -1 : file_fail(c, "ENOENT", "open", at.absolute);
    if (at.node.kind == NODE_DIRECTORY)
        return file_fail(c, "EISDIR", "read", NULL);
    if (at.node.size > FILE_MAX)
        return file_fail(c, "EFBIG", "read", at.absolute);
    if (workspace_load(&c->tx, &at.node, &data, &len) < 0)
        return -1;
    json_obj(c->out, NULL);
    json_str(c->out, "path", at.absolute);
    json_str(c->out, "name", workspace_name(workspace_absolute(c->tx.arena, path)));
    json_int(c->out, "size", (int64_t)len);
    json_base64(c->out, "data", data, len);
    json_end(c->out);
    return 0;
}

static int keep_save(struct call *c)
{
    const struct json *args = server_arguments(c);
    const char *path = json_get_str(args, "path"), *name = json_get_str(args, "name"),
               *coded = json_get_str(args, "data"), *kept, *dir = path;
    struct file_path at;
    struct file_bytes bytes;
    uint8_t *data;
    size_t n = strlen(path);
    if (base64_decode(c->tx.arena, coded, strlen(coded), &data, &bytes.len) < 0)
        return server_fail(c, "data must be base64");
    bytes.at = data;
    int r = file_path(c, path, &at);
    if (r < 0)
        return -1;
    bool directory = (r && at.node.kind == NODE_DIRECTORY) || (n && path[n - 1] == '/');
    if (!directory) {
        const char *absolute = workspace_absolute(c->tx.arena, path);
        name = workspace_name(absolute);
        dir = arena_memdup(c->tx.arena, absolute, (size_t)(name - absolute));
    }
    if (r && !directory && !json_is_true(json_get(args, "overwrite")))
        return file_fail(c, "EEXIST", "open", at.absolute);
    if (file_keep(c, dir, name ? name : "", &bytes, json_is_true(json_get(args, "overwrite")),
                  &kept) < 0)
        return c->vendor_data ? -1
                              : server_fail(c, "%s", arena_strdup(c->tx.arena, c->tx.err->text));
    json_obj(c->out, NULL);
    json_str(c->out, "path", kept);
    json_str(c->out, "name", workspace_name(kept));
    json_int(c->out, "size", (int64_t)bytes.len);
    json_end(c->out);
    return 0;
}

#define METHOD(name)                                                                               \
    .id = "files." name, .verbs = POST, .paths = PATHS("/workspace/v1/files/" name),               \
    .body = BODY_JSON_OPTIONAL

static const struct route methods[] = {
    {METHOD("read"), .handler = keep_read, .risk = RISK_READ,
     .scopes = "workspace.readonly workspace", .request = "ReadBytes", .response = "FileBytes",
     .summary = "Read a file's bytes, in base64"},
    {METHOD("save"), .handler = keep_save, .risk = RISK_WRITE, .scopes = "workspace",
     .request = "SaveBytes", .response = "FileSaved",
     .summary = "Write a file's bytes, with the directories that it is in"},
};
const struct rows keep_rows = ROWS(methods);
