/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of the tree: finding, reading, listing. */
#include "engine/store/row.h"
#include "services/workspace/core/node.h"
#include <gnutls/crypto.h>

const char *const workspace_kinds[] = {"file", "directory", "link", NULL};

#define TABLE "workspace_node"
#define COLUMNS                                                                                    \
    "n.id, n.path, n.kind, n.mode, n.mtime_ns, n.size, n.blob, n.digest, n.target, n.data"
#define SELECT "select " COLUMNS " from " TABLE " n "

unsigned workspace_mode(enum workspace_kind kind)
{
    static const unsigned modes[] = {
        [NODE_FILE] = 0644, [NODE_DIRECTORY] = 0755, [NODE_LINK] = 0777};
    return modes[kind];
}

/* found: what the look-up of the row gave, which is passed on. */
static int take(struct tx *tx, int found, struct record *row, struct workspace_node *ret)
{
    size_t n;
    if (found != 1)
        return found;
    *ret = (struct workspace_node){.id = record_int(row, 0),
                                   .path = record_blob(row, 1, &n),
                                   .kind = (enum workspace_kind)record_int(row, 2),
                                   .mode = (unsigned)record_int(row, 3),
                                   .mtime_ns = record_int(row, 4),
                                   .size = record_int(row, 5),
                                   .blob = record_int(row, 6),
                                   .digest = record_int(row, 7)};
    ret->data = record_blob(row, 9, &n);
    if ((int64_t)n != ret->size) /* of a row from elsewhere, which its check will refuse */
        ret->data = NULL;
    if (ret->kind == NODE_LINK)
        ret->target = record_blob(row, 8, &ret->target_len);
    return arena_failed(tx->arena) ? sosia_fail_memory(tx->err) : 1;
}

int workspace_find(struct tx *tx, const char *path, struct workspace_node *ret)
{
    static struct row_key by_path = ROW_KEY(TABLE, "n", COLUMNS, "path = ?1");
    struct record row = {.arena = tx->arena};
    return take(tx, ROW_BY_KEY(tx, &by_path, &row, path_value(path)), &row, ret);
}

int workspace_get(struct tx *tx, int64_t id, struct workspace_node *ret)
{
    static struct row_table nodes = ROW_TABLE(TABLE, "n", COLUMNS);
    struct record row = {.arena = tx->arena};
    return take(tx, ROW_BY_ID(tx, &nodes, id, &row), &row, ret);
}

int workspace_read(struct tx *tx, const struct workspace_node *file, int64_t from, int64_t to,
                   struct buf *out)
{
    if (to <= from)
        return 0;
    if (file->data)
        buf_add(out, file->data + from, (size_t)(to - from));
    return file->blob ? blob_load_range(tx, file->blob, from, to, out) : 0;
}

int workspace_content(struct tx *tx, const struct workspace_node *file, struct blob *ret)
{
    if (!file->data)
        return blob_get(tx, file->blob, ret);
    *ret = (struct blob){.length = file->size, .digests = BLOB_SHA256};
    return gnutls_hash_fast(GNUTLS_DIG_SHA256, file->data, (size_t)file->size, ret->sha256) < 0
               ? sosia_fail_memory(tx->err)
               : 1;
}

int workspace_load(struct tx *tx, const struct workspace_node *file, const char **ret,
                   size_t *ret_len)
{
    *ret = file->data ? file->data : "";
    *ret_len = file->data ? (size_t)file->size : 0;
    return file->blob ? blob_load(tx, file->blob, ret, ret_len) : 0;
}

/* ---- lists ---- */

/* The first row from a path on and before the end of a directory. '0' is behind '/'. */
static int first_from(struct tx *tx, const char *dir, const char *from, size_t n,
                      struct workspace_node *ret)
{
    static struct sql_text q =
        SQL_TEXT(SELECT "where path >= :from and path < :end order by path limit 1");
    static struct sql_text q_all = SQL_TEXT(SELECT "where path >= :from order by path limit 1");
    struct record row = {.arena = tx->arena};
    if (!*dir)
        return take(tx, ROW_ONLY(tx, TX_QUERY(tx, &q_all, sql_blob(from, n)), &row), &row, ret);
    const char *end = arena_printf(tx->arena, "%s0", dir);
    return take(tx, ROW_ONLY(tx, TX_QUERY(tx, &q, sql_blob(from, n), path_value(end)), &row), &row,
                ret);
}

int workspace_next(struct tx *tx, struct workspace_list *list, struct workspace_node *ret)
{
    size_t head = *list->dir ? strlen(list->dir) + 1 : 0;
    if (!list->from) {
        list->from = head ? arena_printf(tx->arena, "%s/", list->dir) : "";
        list->from_len = head;
    }
    for (;;) {
        int r = first_from(tx, list->dir, list->from, list->from_len, ret);
        if (r != 1)
            return r;
        const char *name = ret->path + head, *slash = strchr(name, '/');
        if (!slash) {
            /* Its path with a NUL behind it is the next one. */
            list->from = ret->path;
            list->from_len = strlen(ret->path) + 1;
            return 1;
        }
        /* Behind all that is below that directory, which came before. */
        list->from = arena_printf(tx->arena, "%.*s0", (int)(slash - ret->path), ret->path);
        list->from_len = strlen(list->from);
        if (arena_failed(tx->arena))
            return sosia_fail_memory(tx->err);
    }
}

int workspace_walk(struct tx *tx, const char *dir, const char *after, struct workspace_node *ret)
{
    const char *from = after ? after : *dir ? arena_printf(tx->arena, "%s/", dir) : "";
    return first_from(tx, dir, from, strlen(from) + (after != NULL), ret);
}

int workspace_use(struct tx *tx, struct workspace_use *ret)
{
    static struct row_table table = ROW_TABLE(
        "workspace_use", "u", "u.nodes, u.bytes, u.most_nodes, u.most_bytes, u.most_file");
    struct record row = {.arena = tx->arena};
    *ret = (struct workspace_use){
        .most_nodes = WORKSPACE_NODES, .most_bytes = WORKSPACE_BYTES, .most_file = WORKSPACE_FILE};
    int r = ROW_BY_ID(tx, &table, 1, &row);
    if (r == 1) {
        ret->nodes = record_int(&row, 0);
        ret->bytes = record_int(&row, 1);
        ret->most_nodes = record_int(&row, 2);
        ret->most_bytes = record_int(&row, 3);
        ret->most_file = record_int(&row, 4);
    }
    return r < 0 ? -1 : 0;
}
