/* SPDX-License-Identifier: Apache-2.0 */
#include "services/workspace/core/world.h"
#include "engine/world/engine.h"
#include "services/workspace/core/node.h"

/* A look at a world. */
struct looking {
    const char *path;
    bool recursive;
    bool archive; /* set: it is a directory */
};

/* Follows a path as a text. 0, -1. */
static int place_of(struct tx *tx, const char *text, struct workspace_place *ret)
{
    const char *path = workspace_inside(workspace_absolute(tx->arena, text));
    if (!path)
        return workspace_fail(tx, "EACCES", text);
    int r = workspace_resolve(tx, path, true, ret);
    return r == 0 ? workspace_fail(tx, "ENOENT", text) : r < 0 ? -1 : 0;
}

static void write_node(struct tx *tx, struct json_writer *w, const struct workspace_node *n)
{
    json_obj(w, NULL);
    json_str(w, "path", workspace_shown(tx->arena, n->path));
    json_str(w, "kind", workspace_kinds[n->kind]);
    json_str(w, "mode", arena_printf(tx->arena, "%04o", n->mode));
    json_int(w, "size", n->size);
    json_time(w, "modified", n->mtime_ns / 1000, JSON_TIME_US_Z);
    if (n->kind == NODE_LINK)
        json_str(w, "target", workspace_shown(tx->arena, n->target));
    json_end(w);
}

static int write_directory(struct tx *tx, struct json_writer *w, const char *dir, bool recursive)
{
    struct workspace_list list = {.dir = dir};
    struct workspace_node n;
    const char *after = NULL;
    int r;
    while ((r = recursive ? workspace_walk(tx, dir, after, &n) : workspace_next(tx, &list, &n)) ==
           1) {
        after = n.path;
        write_node(tx, w, &n);
    }
    return r;
}

static int write_list(struct tx *tx, struct json_writer *w, void *arg)
{
    const struct looking *l = arg;
    struct workspace_place at;
    int r = 0;
    if (place_of(tx, l->path, &at) < 0)
        return -1;
    json_obj(w, NULL);
    json_str(w, "path", workspace_shown(tx->arena, at.path));
    json_arr(w, "entries");
    if (at.node.kind == NODE_DIRECTORY)
        r = write_directory(tx, w, at.path, l->recursive);
    else
        write_node(tx, w, &at.node);
    json_end(w);
    json_end(w);
    return r;
}

int workspace_world_list(struct sosia_engine *e, uint64_t world, const char *path, bool recursive,
                         struct sosia_blob *ret_json, struct sosia_err *err)
{
    struct looking l = {.path = path, .recursive = recursive};
    return world_read(e, world, false, write_list, &l, ret_json, err);
}

/* The bytes go beside the writer, which has them all. */
static int write_bytes(struct tx *tx, struct json_writer *w, void *arg)
{
    struct looking *l = arg;
    struct workspace_place at;
    struct workspace_export how = {.gzip = true};
    struct workspace_sink to = {workspace_sink_buf, w->out};
    if (place_of(tx, l->path, &at) < 0)
        return -1;
    l->archive = at.node.kind == NODE_DIRECTORY;
    return l->archive ? workspace_export_tar(tx, at.path, &how, &to)
                      : workspace_read(tx, &at.node, 0, at.node.size, w->out);
}

int workspace_world_get(struct sosia_engine *e, uint64_t world, const char *path,
                        struct sosia_blob *ret, bool *ret_archive, struct sosia_err *err)
{
    struct looking l = {.path = path};
    if (world_read(e, world, false, write_bytes, &l, ret, err) < 0)
        return -1;
    *ret_archive = l.archive;
    return 0;
}

/* ---- putting ---- */

/* Writes a document of what the archive makes of an empty workspace. The transaction is taken back.
 */
static int read_archive(struct tx *tx, const char *path, const void *tar, size_t len,
                        struct workspace_imported *done, struct buf *out)
{
    const struct workspace_bytes all = {tar, len};
    struct workspace_bytes bytes = all;
    const struct workspace_source from = {workspace_source_memory, &bytes, &all};
    const char *dir = workspace_inside(workspace_absolute(tx->arena, path));
    struct json_writer w;
    if (!dir)
        return workspace_fail(tx, "EACCES", path);
    if (workspace_clear(tx) < 0 || workspace_import_tar(tx, dir, &from, done) < 0)
        return -1;
    json_init(&w, out, false, NULL);
    json_obj(&w, NULL);
    json_int(&w, "sosia", 1);
    if (workspace_dump(tx, &w) < 0)
        return -1;
    json_end(&w);
    return buf_failed(out) || tx_is_short(tx) ? sosia_fail_memory(tx->err) : 0;
}

static int document_of(struct sosia_engine *e, uint64_t world, const char *path, const void *tar,
                       size_t len, struct workspace_imported *done, struct buf *out,
                       struct sosia_err *err)
{
    struct worker *k = worker_take(e, err);
    struct world *w = k ? world_take(e, world, err) : NULL;
    struct tx tx;
    int rc = -1;
    if (w && w->flags & WORLD_SNAPSHOT)
        sosia_fail(err, SOSIA_E_FORBIDDEN, "readOnly", NULL, "a snapshot can't be changed");
    else if (w && tx_begin(&tx, e, w, k, true, world_now(w), err) == 0) {
        rc = read_archive(&tx, path, tar, len, done, out);
        tx_rollback(&tx);
    }
    if (w)
        world_drop(w);
    if (k)
        worker_drop(k);
    return rc;
}

int workspace_world_put(struct sosia_engine *e, uint64_t world, const char *path, const void *tar,
                        size_t len, struct workspace_imported *ret, struct sosia_err *err)
{
    struct buf doc;
    buf_init(&doc, 0);
    int rc = document_of(e, world, path, tar, len, ret, &doc, err);
    if (rc == 0)
        rc = sosia_world_seed(e, world, buf_str(&doc), doc.len, "archive", err);
    buf_done(&doc);
    return rc;
}
