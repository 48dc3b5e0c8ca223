/* SPDX-License-Identifier: Apache-2.0 */
/* Files as diffs and assertions see them. */
#include "engine/base/codec.h"
#include "services/workspace/core/fact.h"
#include "services/workspace/core/node.h"

int workspace_key(struct tx *tx, int64_t rowid, struct json_writer *w)
{
    struct workspace_node n;
    int r = workspace_get(tx, rowid, &n);
    if (r == 1)
        json_str(w, "path", workspace_shown(tx->arena, n.path));
    return r < 0 ? -1 : 0;
}

static int write_content(struct tx *tx, const struct workspace_node *n, struct json_writer *w,
                         struct entity_about *about)
{
    struct blob blob = {0};
    char hex[65];
    const char *data = "";
    size_t len = 0;
    json_int(w, "size", n->size);
    if (!n->size) {
        json_str(w, "text", "");
        return 0;
    }
    int r = workspace_content(tx, n, &blob);
    if (r != 1)
        return -1;
    hex_encode(hex, blob.sha256, sizeof blob.sha256);
    json_str(w, "sha256", hex);
    about->again = arena_printf(tx->arena, "%s %lld", hex, (long long)n->size);
    if (n->size > (int64_t)WORKSPACE_TEXT)
        return 0;
    if (workspace_load(tx, n, &data, &len) < 0)
        return -1;
    if (workspace_is_text(data, len))
        json_strn(w, "text", data, len);
    return 0;
}

static int view_write(struct tx *tx, int64_t rowid, struct json_writer *w,
                      struct entity_about *about)
{
    struct workspace_node n;
    int r = workspace_get(tx, rowid, &n);
    if (r != 1)
        return r;
    if (!about->all && fact_instead(&n))
        return 0;
    json_str(w, "path", workspace_shown(tx->arena, n.path));
    json_str(w, "kind", workspace_kinds[n.kind]);
    json_str(w, "mode", arena_printf(tx->arena, "%04o", n.mode));
    if (n.kind == NODE_LINK)
        json_str(w, "target", workspace_shown(tx->arena, n.target));
    if (n.kind == NODE_FILE && write_content(tx, &n, w, about) < 0)
        return -1;
    if (about->all)
        json_time(w, "modified", n.mtime_ns / 1000, JSON_TIME_US_Z);
    return 1;
}

const struct entity_view workspace_views[] = {
    {.entity = "workspaceFile",
     .service = "workspace",
     .write = view_write,
     .timeless = true,
     .members = "path kind mode target size sha256 text"},
    {.entity = "workspaceMemory",
     .service = "workspace",
     .write = fact_write_memory,
     .timeless = true,
     .members = "name entityType observations observations.* from to relationType"},
    {.entity = "gitRef",
     .service = "workspace",
     .write = fact_write_ref,
     .timeless = true,
     .members = "repository name target commit subject"},
    {.entity = NULL},
};
