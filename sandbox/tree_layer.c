/* SPDX-License-Identifier: Apache-2.0 */
/* Bases, and what differs from one before a program runs on it. */
#include "sandbox/tree_private.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* ---- bases ---- */

static int by_row(const void *pa, const void *pb)
{
    const struct tree_node *a = *(struct tree_node *const *)pa, *b = *(struct tree_node *const *)pb;
    return (a->row > b->row) - (a->row < b->row);
}

int tree_be_base(struct tree_copy *t, struct sosia_err *err)
{
    if (!t->n)
        return 0;
    if (!(t->by_row = calloc(t->n, sizeof(struct tree_node *))))
        return sosia_fail_memory(err);
    for (size_t i = 0; i < t->n; i++)
        t->by_row[i] = &t->nodes[i];
    qsort(t->by_row, t->n, sizeof(struct tree_node *), by_row);
    return 0;
}

static const struct tree_node *node_of(const struct tree_copy *base, int64_t row)
{
    const struct tree_node asked = {.row = row}, *key = &asked;
    struct tree_node *const *at =
        base->n ? bsearch(&key, base->by_row, base->n, sizeof(struct tree_node *), by_row) : NULL;
    return at ? *at : NULL;
}

/* ---- what differs ---- */

struct layer {
    struct tree_copy *t;
    struct tx *tx;
    int top;
    struct buf b;                /* a file's bytes */
    struct workspace_node *rows; /* that are to be written, in the order of paths */
    size_t n;
};

static int remove_node(struct layer *l, const char *path)
{
    const char *name;
    int dir = tree_parent(l->top, path, &name);
    if (dir < 0) /* it went with the directory that it was in */
        return errno == ENOENT || errno == ENOTDIR ? 0 : tree_refused(path, l->tx->err);
    int rc = tree_remove_all(dir, name, 0) < 0 ? tree_refused(path, l->tx->err) : 0;
    close(dir);
    return rc;
}

/* What the base has of a row, and the row has no more, goes; but for a directory that another row
 * has now. */
static int remove_old(struct layer *l, const struct tree_node *old,
                      const struct workspace_node *now)
{
    struct workspace_node there;
    if (now && strcmp(now->path, old->path) == 0 && (uint8_t)now->kind == old->kind)
        return 0;
    if (old->kind == NODE_DIRECTORY) {
        int r = workspace_find(l->tx, old->path, &there);
        if (r < 0 || (r && there.kind == NODE_DIRECTORY))
            return r < 0 ? -1 : 0;
    }
    struct tree_node *k = tree_add(l->t);
    if (!k)
        return sosia_fail_memory(l->tx->err);
    *k = (struct tree_node){.path = old->path, .kind = old->kind, .gone = true};
    return remove_node(l, old->path);
}

static int keep_directory(struct layer *l, const struct workspace_node *n, const struct stat *st,
                          int dir, const char *name)
{
    struct tree_node *k = tree_add(l->t);
    if (!k)
        return sosia_fail_memory(l->tx->err);
    *k = (struct tree_node){.path = arena_strdup(&l->t->arena, n->path),
                            .kind = NODE_DIRECTORY,
                            .mode = n->mode,
                            .row = n->id,
                            .inode = st->st_ino};
    return tree_set_mode(dir, name, 0700) < 0 ? tree_refused(n->path, l->tx->err) : 0;
}

static int write_new(struct layer *l, const struct workspace_node *n)
{
    const char *name;
    struct stat st;
    int dir = tree_parent(l->top, n->path, &name), rc = 0;
    if (dir < 0)
        return tree_refused(n->path, l->tx->err);
    bool there = fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0;
    if (there && n->kind == NODE_DIRECTORY && S_ISDIR(st.st_mode))
        rc = keep_directory(l, n, &st, dir, name);
    else if (there && tree_remove_all(dir, name, 0) < 0)
        rc = tree_refused(n->path, l->tx->err);
    else
        rc = tree_write_node(l->t, l->tx, dir, name, n, &l->b);
    close(dir);
    return rc;
}

static int node_by_path(const void *pa, const void *pb)
{
    const struct workspace_node *a = pa, *b = pb;
    return strcmp(a->path, b->path);
}

/* Of a path what is there comes before what is gone, and is the one that counts. */
static int own_by_path(const void *pa, const void *pb)
{
    const struct tree_node *a = pa, *b = pb;
    int order = strcmp(a->path, b->path);
    return order ? order : a->gone - b->gone;
}

static void put_in_order(struct tree_copy *t)
{
    size_t n = 0;
    if (t->n)
        qsort(t->nodes, t->n, sizeof *t->nodes, own_by_path);
    for (size_t i = 0; i < t->n; i++)
        if (!n || strcmp(t->nodes[n - 1].path, t->nodes[i].path) != 0)
            t->nodes[n++] = t->nodes[i];
    t->n = n;
}

static int write_all(struct layer *l, const int64_t *rows, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        struct workspace_node *now = &l->rows[l->n];
        const struct tree_node *old = node_of(l->t->under, rows[i]);
        int r = workspace_get(l->tx, rows[i], now);
        if (r < 0 || (old && remove_old(l, old, r ? now : NULL) < 0))
            return -1;
        l->n += r == 1;
    }
    if (l->n)
        qsort(l->rows, l->n, sizeof *l->rows, node_by_path);
    for (size_t i = 0; i < l->n; i++)
        if (write_new(l, &l->rows[i]) < 0)
            return -1;
    put_in_order(l->t);
    return tree_set_modes(l->t, l->top, l->tx->err);
}

int tree_write_layer(struct tree_copy *t, struct tx *tx, const int64_t *rows, size_t n, int top,
                     struct sosia_err *err)
{
    struct layer l = {.t = t, .tx = tx, .top = top};
    buf_init(&l.b, 0);
    l.rows = arena_calloc(tx->arena, n + 1, sizeof *l.rows);
    int rc = l.rows ? write_all(&l, rows, n) : sosia_fail_memory(tx->err);
    buf_done(&l.b);
    t->written_ns = tree_now();
    if (rc < 0 && err != tx->err)
        *err = *tx->err;
    return rc;
}
