/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of the tree: finding, reading, listing. */
#include "services/workspace/core/node.h"

const char *const workspace_kinds[] = {"file", "directory", "link", NULL};

#define SELECT                                                                                     \
    "select id, path, kind, mode, mtime_ns, size, blob, digest, target from workspace_node "

unsigned workspace_mode(enum workspace_kind kind)
{
    static const unsigned modes[] = {
        [NODE_FILE] = 0644, [NODE_DIRECTORY] = 0755, [NODE_LINK] = 0777};
    return modes[kind];
}

static const char *bytes_of(struct tx *tx, sqlite3_stmt *st, int at, size_t *ret_len)
{
    *ret_len = (size_t)sqlite3_column_bytes(st, at);
    return arena_memdup(tx->arena, sqlite3_column_blob(st, at), *ret_len);
}

/* 1, 0, -1. */
static int take(struct tx *tx, sqlite3_stmt *st, struct workspace_node *ret)
{
    size_t n;
    int r = st ? TX_STEP(tx, st) : -1;
    if (r != 1)
        return r;
    *ret = (struct workspace_node){.id = sqlite3_column_int64(st, 0),
                                   .path = bytes_of(tx, st, 1, &n),
                                   .kind = (enum workspace_kind)sqlite3_column_int(st, 2),
                                   .mode = (unsigned)sqlite3_column_int(st, 3),
                                   .mtime_ns = sqlite3_column_int64(st, 4),
                                   .size = sqlite3_column_int64(st, 5),
                                   .blob = sqlite3_column_int64(st, 6),
                                   .digest = sqlite3_column_int64(st, 7)};
    if (ret->kind == NODE_LINK)
        ret->target = bytes_of(tx, st, 8, &ret->target_len);
    sql_done(st);
    return arena_failed(tx->arena) ? sosia_fail_memory(tx->err) : 1;
}

int workspace_find(struct tx *tx, const char *path, struct workspace_node *ret)
{
    static struct sql_text q = SQL_TEXT(SELECT "where path = :path");
    return take(tx, TX_QUERY(tx, &q, path_value(path)), ret);
}

int workspace_get(struct tx *tx, int64_t id, struct workspace_node *ret)
{
    static struct sql_text q = SQL_TEXT(SELECT "where id = :id");
    return take(tx, TX_QUERY(tx, &q, id), ret);
}

int workspace_read(struct tx *tx, const struct workspace_node *file, int64_t from, int64_t to,
                   struct buf *out)
{
    return file->blob && to > from ? blob_load_range(tx, file->blob, from, to, out) : 0;
}

int workspace_load(struct tx *tx, const struct workspace_node *file, const char **ret,
                   size_t *ret_len)
{
    *ret = "";
    *ret_len = 0;
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
    if (!*dir)
        return take(tx, TX_QUERY(tx, &q_all, sql_blob(from, n)), ret);
    const char *end = arena_printf(tx->arena, "%s0", dir);
    return take(tx, TX_QUERY(tx, &q, sql_blob(from, n), path_value(end)), ret);
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
    static struct sql_text q =
        SQL_TEXT("select nodes, bytes, most_nodes, most_bytes, most_file from workspace_use");
    sqlite3_stmt *st = TX_PLAIN(tx, &q);
    *ret = (struct workspace_use){
        .most_nodes = WORKSPACE_NODES, .most_bytes = WORKSPACE_BYTES, .most_file = WORKSPACE_FILE};
    int r = st ? TX_STEP(tx, st) : -1;
    if (r == 1) {
        ret->nodes = sqlite3_column_int64(st, 0);
        ret->bytes = sqlite3_column_int64(st, 1);
        ret->most_nodes = sqlite3_column_int64(st, 2);
        ret->most_bytes = sqlite3_column_int64(st, 3);
        ret->most_file = sqlite3_column_int64(st, 4);
        sql_done(st);
    }
    return r < 0 ? -1 : 0;
}
