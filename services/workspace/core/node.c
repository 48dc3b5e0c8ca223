/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of the tree: finding, reading, listing. */
#include "engine/store/row.h"
#include "engine/world/columns.h"
#include "services/workspace/core/node.h"
#include <gnutls/crypto.h>

const char *const workspace_kinds[] = {"file", "directory", "link", NULL};

/* Behind them is the target, which links alone have. PATH: bytes in the arena. */
#define NODE(X)                                                                                    \
    X(id, id, NUMBER)                                                                              \
    X(path, path, PATH)                                                                            \
    X(kind, kind, NUMBER)                                                                          \
    X(mode, mode, NUMBER)                                                                          \
    X(mtime_ns, mtime_ns, NUMBER)                                                                  \
    X(size, size, NUMBER)                                                                          \
    X(blob, blob, NUMBER)                                                                          \
    X(digest, digest, NUMBER)
#define COLUMN_OF_NODE(column, member, kind) "n." #column ", "
#define COLUMN_READ_PATH(tx, st, at)         node_bytes(tx, st, at, &n)
#define COLUMN_TAKE_PATH(rec, at)            bytes_of(tx, rec, at, &n)
#define TABLE                                "workspace_node"
#define COLUMNS                              NODE(COLUMN_OF_NODE) "n.target"
#define SELECT                               "select " COLUMNS " from " TABLE " n "

unsigned workspace_mode(enum workspace_kind kind)
{
    static const unsigned modes[] = {
        [NODE_FILE] = 0644, [NODE_DIRECTORY] = 0755, [NODE_LINK] = 0777};
    return modes[kind];
}

/* A row whose strings have room here, so that a walk through many leaves little in the arena. */
enum { ROOM = 1024 };
struct room {
    struct record row;
    char texts[ROOM];
    uint8_t whole[ROOM];
};

static struct record *row_in(struct tx *tx, struct room *r)
{
    r->row = (struct record){.arena = tx->arena,
                             .room = r->texts,
                             .room_size = sizeof r->texts,
                             .whole = r->whole,
                             .whole_size = sizeof r->whole};
    return &r->row;
}

static const char *bytes_of(struct tx *tx, struct record *row, unsigned column, size_t *ret_len)
{
    const char *bytes = record_blob(row, column, ret_len);
    return arena_memdup(tx->arena, bytes, bytes ? *ret_len : 0);
}

/* found: what the look-up of the row gave, which is passed on. */
static int take(struct tx *tx, int found, struct record *rec, struct workspace_node *row)
{
    unsigned at = 0;
    size_t n;
    if (found != 1)
        return found;
    *row = (struct workspace_node){0};
    NODE(COLUMN_TAKE)
    if (row->kind == NODE_LINK)
        row->target = bytes_of(tx, rec, at, &row->target_len);
    return arena_failed(tx->arena) ? sosia_fail_memory(tx->err) : 1;
}

int workspace_find(struct tx *tx, const char *path, struct workspace_node *ret)
{
    static struct row_key by_path = ROW_KEY(TABLE, "n", COLUMNS, "path = ?1");
    struct room r;
    struct record *row = row_in(tx, &r);
    return take(tx, ROW_BY_KEY(tx, &by_path, row, path_value(path)), row, ret);
}

int workspace_get(struct tx *tx, int64_t id, struct workspace_node *ret)
{
    static struct row_table nodes = ROW_TABLE(TABLE, "n", COLUMNS);
    struct room r;
    struct record *row = row_in(tx, &r);
    return take(tx, ROW_BY_ID(tx, &nodes, id, row), row, ret);
}

/* The content of a file that is in its row, valid as long as `row`: 1; 0: it has another length,
 * which is a fault of the row; -1. */
static int small_content(struct tx *tx, const struct workspace_node *file, struct record *row,
                         const char **ret)
{
    static struct row_table data = ROW_TABLE(TABLE, "n", "n.data");
    size_t n = (size_t)file->size;
    int r = 1;
    *ret = file->data;
    if (!file->data && (r = ROW_BY_ID(tx, &data, file->id, row)) == 1)
        *ret = record_blob(row, 0, &n);
    return r == 1 ? *ret && (int64_t)n == file->size : r;
}

static int bad_content(struct tx *tx)
{
    return tx_fail(tx, SOSIA_E_INTERNAL, NULL, NULL,
                   "a file has not the content that it must have");
}

int workspace_read(struct tx *tx, const struct workspace_node *file, int64_t from, int64_t to,
                   struct buf *out)
{
    struct room room;
    const char *data;
    if (to <= from || !file->size)
        return 0;
    if (file->blob)
        return blob_load_range(tx, file->blob, from, to, out);
    int r = small_content(tx, file, row_in(tx, &room), &data);
    if (r != 1)
        return r < 0 ? -1 : bad_content(tx);
    buf_add(out, data + from, (size_t)(to - from));
    return buf_failed(out) ? sosia_fail_memory(tx->err) : 0;
}

int workspace_content(struct tx *tx, const struct workspace_node *file, struct blob *ret)
{
    struct room room;
    const char *data;
    if (file->blob)
        return blob_get(tx, file->blob, ret);
    int r = small_content(tx, file, row_in(tx, &room), &data);
    if (r != 1)
        return r;
    *ret = (struct blob){.length = file->size, .digests = BLOB_SHA256};
    return gnutls_hash_fast(GNUTLS_DIG_SHA256, data, (size_t)file->size, ret->sha256) < 0
               ? sosia_fail_memory(tx->err)
               : 1;
}

int workspace_load(struct tx *tx, const struct workspace_node *file, const char **ret,
                   size_t *ret_len)
{
    struct room room;
    const char *data;
    *ret = "";
    *ret_len = 0;
    if (file->blob)
        return blob_load(tx, file->blob, ret, ret_len);
    int r = file->size ? small_content(tx, file, row_in(tx, &room), &data) : 0;
    if (file->size && r != 1)
        return r < 0 ? -1 : bad_content(tx);
    if (file->size) {
        *ret_len = (size_t)file->size;
        *ret = arena_memdup(tx->arena, data, *ret_len);
    }
    return arena_failed(tx->arena) ? sosia_fail_memory(tx->err) : 0;
}

/* ---- lists ---- */

static const char *node_bytes(struct tx *tx, sqlite3_stmt *st, int at, size_t *ret_len)
{
    *ret_len = (size_t)sqlite3_column_bytes(st, at);
    return arena_memdup(tx->arena, sqlite3_column_blob(st, at), *ret_len);
}

/* The only row of a statement: lists have many, and a record of each is a tenth of their time. */
static int take_only(struct tx *tx, sqlite3_stmt *st, struct workspace_node *row)
{
    int at = 0, r = st ? TX_STEP(tx, st) : -1;
    size_t n;
    if (r != 1)
        return r;
    *row = (struct workspace_node){0};
    NODE(COLUMN_READ)
    if (row->kind == NODE_LINK)
        row->target = node_bytes(tx, st, at, &row->target_len);
    sql_done(st);
    return arena_failed(tx->arena) ? sosia_fail_memory(tx->err) : 1;
}

/* The first row from a path on and before the end of a directory. '0' is behind '/'. */
static int first_from(struct tx *tx, const char *dir, const char *from, size_t n,
                      struct workspace_node *ret)
{
    static struct sql_text q =
        SQL_TEXT(SELECT "where path >= :from and path < :end order by path limit 1");
    static struct sql_text q_all = SQL_TEXT(SELECT "where path >= :from order by path limit 1");
    if (!*dir)
        return take_only(tx, TX_QUERY(tx, &q_all, sql_blob(from, n)), ret);
    const char *end = ARENA_JOIN(tx->arena, dir, "0");
    return take_only(tx, TX_QUERY(tx, &q, sql_blob(from, n), path_value(end)), ret);
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
    struct room room;
    struct record *row = row_in(tx, &room);
    *ret = (struct workspace_use){
        .most_nodes = WORKSPACE_NODES, .most_bytes = WORKSPACE_BYTES, .most_file = WORKSPACE_FILE};
    int r = ROW_BY_ID(tx, &table, 1, row);
    if (r == 1) {
        ret->nodes = record_int(row, 0);
        ret->bytes = record_int(row, 1);
        ret->most_nodes = record_int(row, 2);
        ret->most_bytes = record_int(row, 3);
        ret->most_file = record_int(row, 4);
    }
    return r < 0 ? -1 : 0;
}
