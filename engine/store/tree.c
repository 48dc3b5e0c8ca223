/* SPDX-License-Identifier: Apache-2.0 */
/* Trees as versions: forks, reading a page, and the walk over what two trees don't share. */
#include "engine/store/page_impl.h"
#include <string.h>

const uint8_t page_zero[STORE_PAGE_SIZE + PAGE_SLACK];

/* ---- versions ---- */

static void ref_root(struct node *n)
{
    if (n)
        atomic_fetch_add_explicit(&n->refs, 1, memory_order_relaxed);
}

void tree_fork(const struct tree *from, struct tree *ret_tree)
{
    struct tree t = *from;
    t.shard = base_acquire(t.base);
    ref_root(t.root);
    *ret_tree = t;
}

void tree_done(struct tree *t)
{
    if (!t->base)
        return;
    if (t->root)
        node_unref(t->base->store, page_cache(t->base->store), t->root);
    base_release(t->base, t->shard);
    memset(t, 0, sizeof *t);
}

void tree_reset(struct tree *to, const struct tree *from)
{
    struct tree old = *to;
    ref_root(from->root);
    *to = *from;
    if (old.base == from->base) {
        to->shard = old.shard;
        if (old.root)
            node_unref(old.base->store, page_cache(old.base->store), old.root);
        return;
    }
    to->shard = base_acquire(from->base);
    tree_done(&old);
}

const uint8_t *tree_page(const struct tree *t, uint32_t page)
{
    return page < t->n_pages ? page_find(t->base, t->root, page) : NULL;
}

#define SOON 64 /* pages that are fetched at most */

/* Nodes are asked for together, then the beginnings of their pages. */
void tree_soon(const struct tree *t)
{
    const struct node *root = t->root;
    unsigned left = SOON;
    if (!root || root->level > 1)
        return;
    unsigned n = root->level ? root->n : 1;
    for (unsigned i = 0; root->level && i < n; i++) {
        __builtin_prefetch(root->child[i]);
        __builtin_prefetch((const char *)root->child[i] + 64);
    }
    for (unsigned i = 0; i < n; i++) {
        const struct node *leaf = root->level ? root->child[i] : root;
        for (unsigned j = 0; j < leaf->n; j++) {
            if (!left--)
                return;
            __builtin_prefetch(leaf->child[j]);
        }
    }
}

/* ---- differences ---- */

struct diff {
    const struct tree *a, *b;
    uint32_t both; /* pages that both have */
    int (*fn)(void *arg, uint32_t page, const uint8_t *a, const uint8_t *b);
    void *arg;
};

static int diff_page(const struct diff *d, uint32_t page)
{
    const uint8_t *a = tree_page(d->a, page), *b = tree_page(d->b, page);
    if (a == b || (a && b && memcmp(a, b, STORE_PAGE_SIZE) == 0))
        return 0;
    return d->fn(d->arg, page, a, b);
}

static int diff_nodes(const struct diff *d, const struct node *a, const struct node *b,
                      unsigned level, uint64_t first)
{
    for (unsigned i = 0; i < 64; i++) {
        uint64_t at = first + ((uint64_t)i << (6 * level));
        if (at >= d->both)
            return 0;
        const void *x = node_child(a, level, i), *y = node_child(b, level, i);
        if (x == y)
            continue;
        int r = level ? diff_nodes(d, x, y, level - 1, at) : diff_page(d, (uint32_t)at);
        if (r)
            return r;
    }
    return 0;
}

int tree_diff(const struct tree *a, const struct tree *b,
              int (*fn)(void *arg, uint32_t page, const uint8_t *a, const uint8_t *b), void *arg)
{
    struct diff d = {.a = a, .b = b, .fn = fn, .arg = arg};
    uint32_t most = a->n_pages > b->n_pages ? a->n_pages : b->n_pages, page = 0;
    d.both = a->n_pages < b->n_pages ? a->n_pages : b->n_pages;
    if (a->base == b->base) {
        unsigned level = a->root ? a->root->level : 0;
        if (b->root && b->root->level > level)
            level = b->root->level;
        int r = a->root == b->root ? 0 : diff_nodes(&d, a->root, b->root, level, 0);
        if (r)
            return r;
        page = d.both;
    }
    for (; page < most; page++) {
        int r = diff_page(&d, page);
        if (r)
            return r;
    }
    return 0;
}
