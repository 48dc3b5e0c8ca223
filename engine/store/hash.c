/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Content hashes: a tree of SHA-256 over pages, 64 to a group, 64 groups to the next, up to one. A
 * group has the same place whatever is shared, so the hash doesn't depend on it; a base keeps all
 * its hashes, and a tree on it computes only the groups in which it has pages of its own.
 */
#include "engine/store/hash.h"
#include "engine/store/page_impl.h"
#include <gnutls/crypto.h>
#include <stdlib.h>
#include <string.h>

enum { HASH = 32, FANOUT = 64, MAX_LEVELS = 7 };

/* level[0] has a hash for each page, level[1] for each group of 64 pages, level[2] for each group
 * of 64 of those, and so on to a single one. */
struct base_hashes {
    int n_levels;
    uint8_t *level[MAX_LEVELS];
    uint8_t data[];
};

/* How many hashes a level has. */
static uint64_t width(uint64_t n_pages, int level)
{
    while (level--)
        n_pages = (n_pages + FANOUT - 1) / FANOUT;
    return n_pages;
}

/* At least 1, so that a single page is in a group as well. */
static int top_level(uint32_t n_pages)
{
    int level = 1;
    while (width(n_pages, level) > 1)
        level++;
    return level;
}

static int sha256(const void *data, size_t n, uint8_t *ret_hash)
{
    return gnutls_hash_fast(GNUTLS_DIG_SHA256, data, n, ret_hash) < 0 ? -1 : 0;
}

static int hash_page(const uint8_t *data, uint64_t page, uint8_t *ret_hash)
{
    uint8_t first[STORE_PAGE_SIZE];
    if (!page) {
        memcpy(first, data, sizeof first);
        memset(first + HEADER_CHANGES, 0, 4);
        memset(first + HEADER_COOKIE, 0, 4);
        memset(first + HEADER_VALID_FOR, 0, 8); /* and the version of SQLite */
        data = first;
    }
    return sha256(data, STORE_PAGE_SIZE, ret_hash);
}

/* ---- of a base ---- */

static int fill(const struct base *b, struct base_hashes *h)
{
    for (uint32_t p = 0; p < b->n_pages; p++)
        if (hash_page(b->image + (size_t)p * STORE_PAGE_SIZE, p, h->level[0] + (size_t)p * HASH) <
            0)
            return -1;
    for (int level = 1; level < h->n_levels; level++) {
        uint64_t n_below = width(b->n_pages, level - 1);
        for (uint64_t g = 0; g * FANOUT < n_below; g++) {
            uint64_t n = n_below - g * FANOUT < FANOUT ? n_below - g * FANOUT : FANOUT;
            if (sha256(h->level[level - 1] + g * FANOUT * HASH, n * HASH,
                       h->level[level] + g * HASH) < 0)
                return -1;
        }
    }
    return 0;
}

static struct base_hashes *make(const struct base *b)
{
    int n_levels = top_level(b->n_pages) + 1;
    uint64_t n = 0;
    for (int i = 0; i < n_levels; i++)
        n += width(b->n_pages, i);
    struct base_hashes *h = malloc(sizeof *h + n * HASH);
    if (!h)
        return NULL;
    h->n_levels = n_levels;
    uint8_t *at = h->data;
    for (int i = 0; i < n_levels; i++) {
        h->level[i] = at;
        at += width(b->n_pages, i) * HASH;
    }
    if (fill(b, h) < 0) {
        free(h);
        return NULL;
    }
    return h;
}

static const struct base_hashes *hashes_of(struct base *b)
{
    struct base_hashes *h = atomic_load_explicit(&b->hashes, memory_order_acquire);
    if (h)
        return h;
    pthread_mutex_lock(&b->lazy);
    h = atomic_load_explicit(&b->hashes, memory_order_relaxed);
    if (!h) {
        h = make(b);
        atomic_store_explicit(&b->hashes, h, memory_order_release);
    }
    pthread_mutex_unlock(&b->lazy);
    return h;
}

/* ---- of a tree ---- */

struct walk {
    const struct tree *t;
    const struct base_hashes *base;
};

/* Whether tree and base go equally far in the pages from first to end. */
static bool same_extent(const struct tree *t, uint64_t first, uint64_t end)
{
    uint64_t mine = t->n_pages < end ? t->n_pages : end;
    uint64_t its = t->base->n_pages < end ? t->base->n_pages : end;
    return mine == its && first < its;
}

/* Hash number g of a level. private: the page or node of the map at the same place (a page's group
 * is a node of level 0); NULL: all is the base's. */
static int hash_at(const struct walk *k, const void *private, int level, uint64_t g,
                   uint8_t *ret_hash)
{
    uint64_t size = UINT64_C(1) << (6 * level), first = g * size;
    if (!private && level < k->base->n_levels && same_extent(k->t, first, first + size)) {
        memcpy(ret_hash, k->base->level[level] + g * HASH, HASH);
        return 0;
    }
    if (!level)
        return hash_page(tree_page(k->t, (uint32_t)g), g, ret_hash);
    uint8_t below[FANOUT * HASH];
    unsigned i = 0;
    for (; i < FANOUT && first + i * (size / FANOUT) < k->t->n_pages; i++)
        if (hash_at(k, node_child(private, (unsigned)level - 1, i), level - 1, g * FANOUT + i,
                    below + i * HASH) < 0)
            return -1;
    return sha256(below, i * HASH, ret_hash);
}

int tree_hash(const struct tree *t, uint8_t ret_hash[32], struct sosia_err *err)
{
    struct walk k = {.t = t, .base = hashes_of(t->base)};
    uint8_t whole[4 + HASH];
    if (!k.base)
        return sosia_fail_memory(err);
    int level = top_level(t->n_pages);
    const struct node *root = t->root;
    /* The map may reach further than what is left of the database. */
    while (root && root->level > level - 1)
        root = node_child(root, root->level, 0);
    put4(whole, t->n_pages);
    if (hash_at(&k, root, level, 0, whole + 4) < 0 || sha256(whole, sizeof whole, ret_hash) < 0)
        return sosia_fail(err, SOSIA_E_INTERNAL, NULL, NULL, "SHA-256 failed");
    return 0;
}
