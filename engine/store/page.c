/* SPDX-License-Identifier: Apache-2.0 */
/* Writing a tree's pages: the radix map's path copying, sums of what was written, whole images. */
#include "engine/store/page_impl.h"
#include "engine/store/sum_wide.h"
#define XXH_INLINE_ALL
#include <xxhash.h>
#include <string.h>

/* ---- writing ---- */

static unsigned level_for(uint32_t page)
{
    unsigned level = 0;
    while ((uint64_t)page >> (6 * level + 6))
        level++;
    return level;
}

/* Makes *at a node of the writer's own with room for need children. NULL: an empty one of this
 * level. above: the writer's own node that *at is in; NULL: *at is the root.
 *
 * A copy counts its children, which costs a visit to each, and the end of the original another one.
 * Where the tree alone refers to the original, which lives until the copy replaces it or is freed,
 * the copy only borrows them. */
static enum sosia_code own_node(struct writer *w, struct page_cache *c, struct node **at,
                                unsigned level, unsigned need, const struct node *above)
{
    struct node *n = *at, *mine;
    unsigned cap = need + (need & 1);
    if (n && n->tag == w->tag) {
        if (need <= n->cap)
            return SOSIA_E_OK;
        cap = n->cap * 2u < 64 ? n->cap * 2u : 64;
        mine = node_grow(w->store, c, n, cap);
        if (!mine)
            return SOSIA_E_NO_MEMORY;
        *at = mine;
        return SOSIA_E_OK;
    }
    mine = node_new(w->store, c, level, n ? cap : level ? 2 : 4);
    if (!mine)
        return SOSIA_E_NO_MEMORY;
    mine->tag = w->tag;
    if (n) {
        w->replaced += sizeof *n + n->cap * sizeof *n->child;
        uint32_t refs = atomic_load_explicit(&n->refs, memory_order_acquire);
        mine->n = n->n;
        mine->mask = n->mask;
        mine->touched = 0;
        /* The root is the tree's and, as long as it is not a copy, the writer's. */
        mine->borrowed = above ? above->borrowed && refs == 1 : n == w->sole && refs == 2;
        memcpy(mine->child, n->child, n->n * sizeof *n->child);
        for (unsigned i = 0; i < n->n && !mine->borrowed; i++)
            /* Both structs begin with their reference count. */
            atomic_fetch_add_explicit((_Atomic(uint32_t) *)n->child[i], 1, memory_order_relaxed);
        if (!above || !above->borrowed)
            node_unref(w->store, c, n);
    }
    *at = mine;
    return SOSIA_E_OK;
}
_Static_assert(offsetof(struct node, refs) == 0 && offsetof(struct page, refs) == 0,
               "children are counted without looking at their kind");

/* Puts nodes above the root until it has this level. */
static enum sosia_code raise_root(struct writer *w, struct page_cache *c, unsigned level)
{
    while (w->root && w->root->level < level) {
        struct node *top = node_new(w->store, c, w->root->level + 1u, 2);
        if (!top)
            return SOSIA_E_NO_MEMORY;
        top->tag = w->tag;
        top->mask = 1;
        top->n = 1;
        top->child[0] = w->root;
        w->root = top;
    }
    return SOSIA_E_OK;
}

/* In a node of the writer's own that has room. */
static void insert_child(struct node *n, unsigned i, void *child)
{
    unsigned k = node_rank(n->mask, i);
    memmove(n->child + k + 1, n->child + k, (n->n - k) * sizeof(void *));
    n->child[k] = child;
    n->n++;
    n->mask |= UINT64_C(1) << i;
    n->touched |= UINT64_C(1) << i;
}

/* The page at the end of the path; n is the writer's own level 0 node. */
static enum sosia_code own_page(struct writer *w, struct page_cache *c, struct node *n,
                                uint32_t page, bool whole, uint8_t **ret_data)
{
    unsigned i = page & 63, k = node_rank(n->mask, i);
    bool has = n->mask >> i & 1;
    struct page *old = has ? n->child[k] : NULL, *p;
    if (old && old->tag == w->tag) {
        *ret_data = old->data;
        return SOSIA_E_OK;
    }
    const struct store_options *opt = &w->store->opt;
    if (!old && opt->max_tree && !w->any_size &&
        (w->n_private + UINT64_C(1)) * STORE_PAGE_SIZE > opt->max_tree)
        return SOSIA_E_FULL;
    enum sosia_code code = page_new(w->store, c, &p);
    if (code)
        return code;
    p->tag = w->tag;
    if (!whole)
        memcpy(p->data, old ? old->data : page_find(w->base, NULL, page), STORE_PAGE_SIZE);
    if (old) {
        w->replaced += sizeof *old;
        n->child[k] = p;
        n->touched |= UINT64_C(1) << i;
        if (!n->borrowed)
            page_unref(w->store, c, old);
    } else {
        insert_child(n, i, p);
        w->n_private++;
    }
    *ret_data = p->data;
    return SOSIA_E_OK;
}

enum sosia_code writer_page(struct writer *w, uint32_t page, bool whole, uint8_t **ret_data)
{
    struct page_cache *c = page_cache(w->store);
    enum sosia_code code = raise_root(w, c, level_for(page));
    if (code)
        return code;
    struct node **at = &w->root, *above = NULL;
    unsigned level = w->root ? w->root->level : level_for(page);
    for (;; level--) {
        unsigned i = page >> (6 * level) & 63;
        struct node *n = *at;
        bool has = n && n->mask >> i & 1;
        code = own_node(w, c, at, level, (n ? n->n : 0u) + !has, above);
        if (code)
            return code;
        n = *at;
        if (!level)
            return own_page(w, c, n, page, whole, ret_data);
        if (!has) {
            struct node *below = node_new(w->store, c, level - 1, level > 1 ? 2 : 4);
            if (!below)
                return SOSIA_E_NO_MEMORY;
            below->tag = w->tag;
            insert_child(n, i, below);
        }
        n->touched |= UINT64_C(1) << i;
        at = (struct node **)&n->child[node_rank(n->mask, i)];
        above = n;
    }
}

static uint32_t count_pages(const struct node *n)
{
    if (!n->level)
        return n->n;
    uint32_t sum = 0;
    for (unsigned i = 0; i < n->n; i++)
        sum += count_pages(n->child[i]);
    return sum;
}

/* Drops the children from page number `end` on (counted from the node's first page). */
static enum sosia_code cut(struct writer *w, struct page_cache *c, struct node **at, uint64_t end,
                           const struct node *above)
{
    struct node *n = *at;
    unsigned bits = 6u * n->level;
    uint64_t keep = end >> bits; /* children below this one stay whole */
    if (keep >= 64 || !(n->mask >> keep))
        return SOSIA_E_OK;
    enum sosia_code code = own_node(w, c, at, n->level, n->n, above);
    if (code)
        return code;
    n = *at;
    uint64_t rest = end & ((UINT64_C(1) << bits) - 1);
    n->touched |= ~UINT64_C(0) << keep;
    if (rest && n->mask >> keep & 1) {
        code = cut(w, c, (struct node **)&n->child[node_rank(n->mask, (unsigned)keep)], rest, n);
        if (code)
            return code;
    }
    unsigned from = (unsigned)keep + (rest != 0);
    unsigned k = from > 63 ? n->n : node_rank(n->mask, from);
    for (unsigned i = k; i < n->n; i++) {
        struct node *child = n->child[i]; /* or a page */
        uint32_t pages = n->level ? count_pages(child) : 1;
        w->n_private -= pages;
        if (child->tag != w->tag)
            w->replaced += pages * sizeof(struct page);
        if (n->borrowed && child->tag != w->tag)
            continue;
        if (n->level)
            node_unref(w->store, c, child);
        else
            page_unref(w->store, c, n->child[i]);
    }
    n->n = (uint8_t)k;
    if (from < 64)
        n->mask &= (UINT64_C(1) << from) - 1;
    return SOSIA_E_OK;
}

enum sosia_code writer_truncate(struct writer *w)
{
    return w->root ? cut(w, page_cache(w->store), &w->root, w->n_pages, NULL) : SOSIA_E_OK;
}

static enum sosia_code drop_page(struct writer *w, struct page_cache *c, struct node **at,
                                 uint32_t page, const struct node *above)
{
    enum sosia_code code = own_node(w, c, at, (*at)->level, (*at)->n, above);
    if (code)
        return code;
    struct node *n = *at;
    unsigned i = page >> (6 * n->level) & 63, k = node_rank(n->mask, i);
    n->touched |= UINT64_C(1) << i;
    if (n->level) {
        code = drop_page(w, c, (struct node **)&n->child[k], page, n);
        struct node *below = n->child[k];
        if (code || below->n)
            return code;
        node_unref(w->store, c, below);
    } else {
        struct page *p = n->child[k];
        w->n_private--;
        if (p->tag != w->tag)
            w->replaced += sizeof *p;
        if (!n->borrowed || p->tag == w->tag)
            page_unref(w->store, c, p);
    }
    n->n--;
    n->mask &= ~(UINT64_C(1) << i);
    memmove(n->child + k, n->child + k + 1, (n->n - k) * sizeof(void *));
    return SOSIA_E_OK;
}

enum sosia_code writer_drop(struct writer *w, uint32_t page)
{
    return page_private(w->root, page) ? drop_page(w, page_cache(w->store), &w->root, page, NULL)
                                       : SOSIA_E_OK;
}

/* ---- sums ---- */

enum {
    HEADER_COUNTS = 28, /* of page 0: sizes and free pages */
    HEADER_END = 100,   /* its content */
    WIDE_FROM = 240     /* bytes: of fewer the hash has no wide instructions */
};

static uint64_t sum_piece(const uint8_t *data, size_t n, uint64_t seed)
{
    return n > WIDE_FROM && sum_is_wide() ? sum_wide(data, n, seed)
                                          : XXH3_64bits_withSeed(data, n, seed);
}

/* A page of a b-tree: its header and pointers, and its cells. What is between them is free, and
 * whatever the pager's buffer had before. */
static uint64_t sum_btree(const uint8_t *data, size_t at, uint64_t seed)
{
    size_t head = data[at] & 8 ? 8 : 12, cells = get2(data + at + 5);
    size_t end = at + head + 2 * get2(data + at + 3);
    if (end > cells || cells > STORE_PAGE_SIZE)
        return sum_piece(data + at, STORE_PAGE_SIZE - at, seed);
    return sum_piece(data + at, end - at, seed) +
           sum_piece(data + cells, STORE_PAGE_SIZE - cells, ~seed);
}

/* Of other pages (long values, free pages) each but the last of a list is full: behind a value's
 * end is what was there before. */
static uint64_t sum_page(const uint8_t *data, uint64_t page)
{
    if (!page)
        return XXH3_64bits(data + HEADER_COUNTS, 12) + sum_btree(data, HEADER_END, 0);
    if (data[0])
        return sum_btree(data, 0, page);
    bool last = !data[1] && !data[2] && !data[3];
    return sum_piece(data, last ? 4 : STORE_PAGE_SIZE, page);
}

static uint64_t sum_written(const struct node *n, uint64_t tag, uint64_t first)
{
    uint64_t sum = 0;
    for (uint64_t m = n->mask & n->touched; m; m &= m - 1) {
        unsigned i = (unsigned)__builtin_ctzll(m);
        uint64_t at = first + ((uint64_t)i << (6 * n->level));
        const void *child = node_child(n, n->level, i);
        const struct node *below = child;
        const struct page *p = child;
        if (n->level)
            sum += below->tag == tag ? sum_written(below, tag, at) : 0;
        else if (p->tag == tag)
            sum += sum_page(p->data, at);
    }
    return sum;
}

static bool has_written_first(const struct writer *w)
{
    const struct page *p = page_private(w->root, 0);
    return p && p->tag == w->tag;
}

uint64_t writer_sum(const struct writer *w)
{
    if (!w->root || w->root->tag != w->tag)
        return 0;
    uint64_t sum = sum_written(w->root, w->tag, 0);
    return has_written_first(w) ? sum : sum + sum_page(page_find(w->base, w->root, 0), 0);
}

/* ---- whole images ---- */

static void copy_private(const struct node *n, uint32_t first, uint32_t n_pages, uint8_t *image)
{
    for (uint64_t m = n->mask; m; m &= m - 1) {
        unsigned i = (unsigned)__builtin_ctzll(m);
        uint64_t at = first + ((uint64_t)i << (6 * n->level));
        if (at >= n_pages)
            return;
        void *c = n->child[node_rank(n->mask, i)];
        if (n->level)
            copy_private(c, (uint32_t)at, n_pages, image);
        else
            memcpy(image + at * STORE_PAGE_SIZE, ((struct page *)c)->data, STORE_PAGE_SIZE);
    }
}

void tree_copy(const struct tree *t, void *ret_image)
{
    uint8_t *image = ret_image;
    size_t shared = t->n_pages < t->base->n_pages ? t->n_pages : t->base->n_pages;
    memcpy(image, t->base->image, shared * STORE_PAGE_SIZE);
    memset(image + shared * STORE_PAGE_SIZE, 0, (t->n_pages - shared) * STORE_PAGE_SIZE);
    if (t->root)
        copy_private(t->root, 0, t->n_pages, image);
}

int tree_flatten(struct store *s, struct tree *t, struct sosia_err *err)
{
    if (!t->root && t->n_pages == t->base->n_pages)
        return 0;
    struct tree flat = {.n_pages = t->n_pages};
    flat.base = base_new(s, t->n_pages, &flat.shard);
    if (!flat.base)
        return sosia_fail_memory(err);
    tree_copy(t, flat.base->image);
    base_seal(flat.base);
    tree_done(t);
    *t = flat;
    return 0;
}

/* What the writer takes over of an image: pages that differ from those that it has. */
static enum sosia_code write_image(struct writer *w, const uint8_t *image, uint32_t n_pages)
{
    uint32_t before = w->n_pages;
    w->n_pages = n_pages;
    enum sosia_code code = n_pages < before ? writer_truncate(w) : SOSIA_E_OK;
    for (uint32_t i = 0; i < n_pages && !code; i++) {
        const uint8_t *is = image + (size_t)i * STORE_PAGE_SIZE;
        uint8_t *to;
        if (memcmp(page_find(w->base, w->root, i), is, STORE_PAGE_SIZE) == 0)
            continue;
        code = writer_page(w, i, true, &to);
        if (!code)
            memcpy(to, is, STORE_PAGE_SIZE);
    }
    return code;
}

int tree_load_fork(struct store *s, const struct tree *from, const void *image, size_t len,
                   struct tree *ret_tree, struct sosia_err *err)
{
    struct tree t;
    tree_fork(from, &t);
    struct writer w = {.store = s,
                       .base = t.base,
                       .root = t.root,
                       .n_pages = t.n_pages,
                       .n_private = t.n_private,
                       .tag = tag_new(s, page_cache(s))};
    enum sosia_code code = write_image(&w, image, (uint32_t)(len / STORE_PAGE_SIZE));
    t.root = w.root;
    t.n_pages = w.n_pages;
    t.n_private = w.n_private;
    if (code) {
        tree_done(&t);
        return code == SOSIA_E_FULL
                   ? sosia_fail(err, code, NULL, NULL, "there is no room for the world's pages")
                   : sosia_fail_memory(err);
    }
    *ret_tree = t;
    return 0;
}
