/* SPDX-License-Identifier: Apache-2.0 */
/* Changes of the tree. */
#include "engine/blob/exchange.h"
#include "engine/world/event.h"
#include "services/workspace/core/fact.h"
#include "services/workspace/core/node.h"
#include "services/workspace/core/write.h"

static int add_use(struct tx *tx, int64_t nodes, int64_t bytes)
{
    static struct sql_text q = SQL_TEXT(
        "update workspace_use set nodes = nodes + :nodes, bytes = bytes + :bytes where id = 1");
    static struct sql_text q_first =
        SQL_TEXT("insert into workspace_use (id, nodes, bytes) values (1, :nodes, :bytes)");
    if (TX_RUN(tx, &q, nodes, bytes) < 0)
        return -1;
    return sqlite3_changes(slot_db(tx->db)) ? 0 : TX_RUN(tx, &q_first, nodes, bytes);
}

int workspace_count(struct tx *tx, int64_t nodes, int64_t bytes, int64_t size)
{
    struct workspace_use use;
    if (!nodes && !bytes)
        return 0;
    if (nodes <= 0 && bytes <= 0) /* which is always allowed */
        return add_use(tx, nodes, bytes);
    if (workspace_use(tx, &use) < 0)
        return -1;
    if (bytes > 0 && size > use.most_file)
        return workspace_fail(tx, "EFBIG", WORKSPACE_ROOT);
    if ((nodes > 0 && use.nodes + nodes > use.most_nodes) ||
        (bytes > 0 && use.bytes + bytes > use.most_bytes))
        return workspace_fail(tx, "ENOSPC", WORKSPACE_ROOT);
    return add_use(tx, nodes, bytes);
}

/* Its directory is there. 0, -1. */
static int check_parent(struct tx *tx, const char *path)
{
    struct workspace_node dir;
    const char *parent = workspace_parent(tx->arena, path);
    int r = *parent ? workspace_find(tx, parent, &dir) : 1;
    if (r < 0)
        return -1;
    if (!r)
        return workspace_fail(tx, "ENOENT", path);
    return *parent && dir.kind != NODE_DIRECTORY ? workspace_fail(tx, "ENOTDIR", path) : 0;
}

static struct sql_value data_value(const struct workspace_node *n)
{
    return n->data ? sql_blob(n->data, (size_t)n->size) : sql_null();
}

static struct sql_value target_value(const struct workspace_node *n)
{
    return n->kind == NODE_LINK ? sql_blob(n->target, n->target_len) : sql_null();
}

static int insert(struct tx *tx, struct workspace_node *n)
{
    static struct sql_text q =
        SQL_TEXT("insert into workspace_node (path, kind, mode, mtime_ns, size, blob, data, "
                 "target, digest) values "
                 "(:path, :kind, :mode, :mtime, :size, :blob, :data, :target, :digest)");
    if (TX_RUN(tx, &q, path_value(n->path), n->kind, n->mode & 0777, n->mtime_ns, n->size,
               sql_int_or_null(n->blob, 0), data_value(n), target_value(n), n->digest) < 0)
        return -1;
    n->id = tx_last_id(tx);
    event_note(tx, WORKSPACE_EVENT, OP_ADDED, 0, n->id);
    fact_touched(tx, n->path, false);
    return 0;
}

/* The row of a node becomes that of n, which has its blob. */
static int update_row(struct tx *tx, struct workspace_node *n, const struct workspace_node *before)
{
    static struct sql_text q =
        SQL_TEXT("update workspace_node set kind = :kind, mode = :mode, mtime_ns = :mtime, size = "
                 ":size, blob = :blob, data = :data, target = :target, digest = :digest where id = "
                 ":id");
    /* A constraint is looked at only if a column of it is set. */
    static struct sql_text q_content =
        SQL_TEXT("update workspace_node set mtime_ns = :mtime, size = :size, data = :data, digest "
                 "= :digest where id = :id");
    const bool content = n->kind == NODE_FILE && before->kind == NODE_FILE &&
                         n->mode == before->mode && n->blob == before->blob;
    n->id = before->id;
    if ((content ? TX_RUN(tx, &q_content, n->mtime_ns, n->size, data_value(n), n->digest, n->id)
                 : TX_RUN(tx, &q, n->kind, n->mode & 0777, n->mtime_ns, n->size,
                          sql_int_or_null(n->blob, 0), data_value(n), target_value(n), n->digest,
                          n->id)) < 0)
        return -1;
    event_note(tx, WORKSPACE_EVENT, OP_CHANGED, 0, n->id);
    fact_touched(tx, n->path, false);
    return 0;
}

static int update(struct tx *tx, struct workspace_node *n, const struct workspace_node *before)
{
    if (update_row(tx, n, before) < 0)
        return -1;
    return before->blob ? blob_unref(tx, before->blob) : 0;
}

static int fill_digest(struct tx *tx, struct workspace_node *n)
{
    struct blob blob;
    int r = n->blob || n->data ? workspace_content(tx, n, &blob) : 0;
    n->digest = r == 1 ? workspace_digest(&blob) : 0;
    return r < 0 ? -1 : 0;
}

/* A small content is in the row, wherever it came from: equal files have equal rows. */
static int take_small(struct tx *tx, struct workspace_node *n)
{
    const int64_t blob = n->blob;
    const char *data;
    size_t len;
    if (n->kind != NODE_FILE || (blob ? n->size > WORKSPACE_SMALL : n->data || !n->size))
        return 0;
    if (workspace_load(tx, n, &data, &len) < 0)
        return -1;
    n->data = data;
    n->blob = 0;
    return blob ? blob_unref(tx, blob) : 0;
}

int workspace_set_content(struct tx *tx, struct workspace_node *n, const void *data, size_t len)
{
    n->size = (int64_t)len;
    n->data = len && len <= WORKSPACE_SMALL ? data : NULL;
    n->blob = 0;
    return len > WORKSPACE_SMALL ? blob_put(tx, data, len, &n->blob) : 0;
}

/* Checks that a node may be there, and may take the place of the one before. */
static int check_put(struct tx *tx, const struct workspace_node *n, int there,
                     const struct workspace_node *before)
{
    if (!workspace_path_is_valid(n->path) ||
        (n->kind == NODE_LINK && (!n->target_len || n->target_len > WORKSPACE_PATH)))
        return workspace_fail(tx, "ENAMETOOLONG", n->path);
    if (n->size > WORKSPACE_FILE)
        return workspace_fail(tx, "EFBIG", n->path);
    if (there && before->kind == NODE_DIRECTORY && n->kind != NODE_DIRECTORY)
        return workspace_fail(tx, "EISDIR", n->path);
    if (there && before->kind != NODE_DIRECTORY && n->kind == NODE_DIRECTORY)
        return workspace_fail(tx, "EEXIST", n->path);
    return there ? 0 : check_parent(tx, n->path);
}

/* As workspace_put(), of a node that has its digest. there: what workspace_find() gave of its path,
 * before: what it found. */
static int put_over(struct tx *tx, struct workspace_node *n, int there,
                    const struct workspace_node *before)
{
    if (there < 0 || check_put(tx, n, there, before) < 0 ||
        workspace_count(tx, !there, n->size - (there ? before->size : 0), n->size) < 0 ||
        (there ? update(tx, n, before) : insert(tx, n)) < 0) {
        struct sosia_err why = *tx->err;
        if (n->blob)
            blob_unref(tx, n->blob);
        *tx->err = why;
        return -1;
    }
    return 0;
}

int workspace_put(struct tx *tx, struct workspace_node *n)
{
    struct workspace_node before;
    int there =
        take_small(tx, n) < 0 || fill_digest(tx, n) < 0 ? -1 : workspace_find(tx, n->path, &before);
    return put_over(tx, n, there, &before);
}

/* The content of a file becomes another one, both of which are blobs. */
static int exchange(struct tx *tx, struct workspace_node *n, const struct workspace_node *before,
                    const void *data)
{
    struct blob blob;
    if (workspace_count(tx, 0, n->size - before->size, n->size) < 0 ||
        blob_exchange(tx, before->blob, data, (size_t)n->size, &blob) < 0)
        return -1;
    n->blob = blob.id;
    n->digest = workspace_digest(&blob);
    return update_row(tx, n, before);
}

int workspace_replace(struct tx *tx, const char *path, const struct workspace_node *before,
                      const void *data, size_t len, struct workspace_node *ret)
{
    const bool file = before && before->kind == NODE_FILE;
    struct workspace_node n = {.path = path,
                               .kind = NODE_FILE,
                               .mode = file ? before->mode : workspace_mode(NODE_FILE),
                               .mtime_ns = tx->now_us * 1000,
                               .size = (int64_t)len};
    int rc;
    if (n.size > WORKSPACE_FILE)
        return workspace_fail(tx, "EFBIG", path);
    if (file && before->blob && len > WORKSPACE_SMALL)
        rc = exchange(tx, &n, before, data);
    else if (workspace_set_content(tx, &n, data, len) < 0 || fill_digest(tx, &n) < 0)
        return -1;
    else
        rc = put_over(tx, &n, before != NULL, before);
    if (rc == 0 && ret)
        *ret = n;
    return rc;
}

int workspace_write(struct tx *tx, const char *path, const void *data, size_t len,
                    struct workspace_node *ret)
{
    struct workspace_node before;
    if (len > WORKSPACE_FILE)
        return workspace_fail(tx, "EFBIG", path);
    int r = workspace_find(tx, path, &before);
    return r < 0 ? -1 : workspace_replace(tx, path, r ? &before : NULL, data, len, ret);
}

int workspace_mkdir(struct tx *tx, const char *path)
{
    struct workspace_node n;
    if (!*path)
        return 0;
    if (!workspace_path_is_valid(path))
        return workspace_fail(tx, "ENAMETOOLONG", path);
    for (const char *end = path; end;) {
        end = strchr(end + 1, '/');
        const char *dir = end ? arena_memdup(tx->arena, path, (size_t)(end - path))
                              : arena_strdup(tx->arena, path);
        int r = workspace_find(tx, dir, &n);
        if (r < 0)
            return -1;
        if (r && n.kind != NODE_DIRECTORY)
            return workspace_fail(tx, end ? "ENOTDIR" : "EEXIST", path);
        n = (struct workspace_node){.path = dir,
                                    .kind = NODE_DIRECTORY,
                                    .mode = workspace_mode(NODE_DIRECTORY),
                                    .mtime_ns = tx->now_us * 1000};
        if (!r && workspace_put(tx, &n) < 0)
            return -1;
    }
    return 0;
}

int workspace_symlink(struct tx *tx, const char *path, const char *target)
{
    struct workspace_node n = {.path = path,
                               .kind = NODE_LINK,
                               .mode = workspace_mode(NODE_LINK),
                               .mtime_ns = tx->now_us * 1000,
                               .target = target,
                               .target_len = strlen(target)},
                          before;
    int r = workspace_find(tx, path, &before);
    if (r)
        return r < 0 ? -1 : workspace_fail(tx, "EEXIST", path);
    return workspace_put(tx, &n);
}

/* ---- removing ---- */

static int drop(struct tx *tx, const struct workspace_node *n)
{
    static struct sql_text q = SQL_TEXT("delete from workspace_node where id = :id");
    if (TX_RUN(tx, &q, n->id) < 0 || (n->blob && blob_unref(tx, n->blob) < 0))
        return -1;
    event_note(tx, WORKSPACE_EVENT, OP_REMOVED, 0, n->id);
    fact_touched(tx, n->path, false);
    return workspace_count(tx, -1, -n->size, 0);
}

/* All below a directory. */
static int drop_below(struct tx *tx, const char *dir)
{
    struct workspace_node n;
    int r;
    while ((r = workspace_walk(tx, dir, NULL, &n)) == 1)
        if (drop(tx, &n) < 0)
            return -1;
    return r;
}

int workspace_remove(struct tx *tx, const char *path, bool recursive)
{
    struct workspace_node n, inner;
    int r = workspace_find(tx, path, &n);
    if (r <= 0)
        return r < 0 ? -1 : workspace_fail(tx, "ENOENT", path);
    if (n.kind == NODE_DIRECTORY) {
        r = workspace_walk(tx, path, NULL, &inner);
        if (r < 0 || (r && !recursive))
            return r < 0 ? -1 : workspace_fail(tx, "ENOTEMPTY", path);
        if (r && drop_below(tx, path) < 0)
            return -1;
    }
    return drop(tx, &n);
}

int workspace_clear(struct tx *tx)
{
    return drop_below(tx, "");
}

/* ---- renaming ---- */

/* No path below gets too long or too deep. */
static int check_longest(struct tx *tx, const char *from, const char *to)
{
    struct workspace_node n = {0};
    const char *after = NULL;
    size_t before = strlen(from), now = strlen(to);
    unsigned depth = workspace_depth(from), deep = workspace_depth(to);
    int r = 0;
    if (now <= before && deep <= depth)
        return 0;
    while ((r = workspace_walk(tx, from, after, &n)) == 1) {
        after = n.path;
        if (strlen(n.path) - before + now > WORKSPACE_PATH ||
            workspace_depth(n.path) - depth + deep > WORKSPACE_DEPTH)
            return workspace_fail(tx, "ENAMETOOLONG", to);
    }
    return r;
}

static int move_rows(struct tx *tx, const struct workspace_node *n, const char *to)
{
    static struct sql_text q = SQL_TEXT("update workspace_node set path = :to where id = :id");
    static struct sql_text q_below = SQL_TEXT(
        "update workspace_node set path = cast(:to || substr(path, :from) as blob) where path >= "
        ":first and path < :end");
    const char *first = arena_printf(tx->arena, "%s/", n->path);
    const char *end = arena_printf(tx->arena, "%s0", n->path);
    if (TX_RUN(tx, &q, path_value(to), n->id) < 0)
        return -1;
    return n->kind == NODE_DIRECTORY ? TX_RUN(tx, &q_below, path_value(to), strlen(n->path) + 1,
                                              path_value(first), path_value(end))
                                     : 0;
}

/* Every node that moves is one that has changed, for those who watch it. */
static int note_moved(struct tx *tx, const struct workspace_node *n, const char *to)
{
    struct workspace_node inner;
    const char *after = NULL;
    int r = 0;
    event_note(tx, WORKSPACE_EVENT, OP_CHANGED, 0, n->id);
    fact_touched(tx, n->path, n->kind == NODE_DIRECTORY);
    fact_touched(tx, to, n->kind == NODE_DIRECTORY);
    while (n->kind == NODE_DIRECTORY && (r = workspace_walk(tx, to, after, &inner)) == 1) {
        after = inner.path;
        event_note(tx, WORKSPACE_EVENT, OP_CHANGED, 0, inner.id);
        fact_touched(tx, inner.path, false);
    }
    return r;
}

int workspace_rename(struct tx *tx, const char *from, const char *to)
{
    struct workspace_node n, there;
    size_t len = strlen(from);
    int r = workspace_find(tx, from, &n);
    if (r <= 0)
        return r < 0 ? -1 : workspace_fail(tx, "ENOENT", from);
    if (strcmp(from, to) == 0)
        return 0;
    if (strncmp(from, to, len) == 0 && to[len] == '/')
        return workspace_fail(tx, n.kind == NODE_DIRECTORY ? "EINVAL" : "ENOTDIR", to);
    if (!workspace_path_is_valid(to))
        return workspace_fail(tx, "ENAMETOOLONG", to);
    if ((r = workspace_find(tx, to, &there)) < 0)
        return -1;
    if (r && n.kind == NODE_DIRECTORY && there.kind != NODE_DIRECTORY)
        return workspace_fail(tx, "ENOTDIR", to);
    if (r && n.kind != NODE_DIRECTORY && there.kind == NODE_DIRECTORY)
        return workspace_fail(tx, "EISDIR", to);
    if ((r && workspace_remove(tx, to, false) < 0) || check_parent(tx, to) < 0 ||
        (n.kind == NODE_DIRECTORY && check_longest(tx, from, to) < 0) || move_rows(tx, &n, to) < 0)
        return -1;
    return note_moved(tx, &n, to);
}
