/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What page.h hides: bases, nodes, pages and the store itself, for the files of this folder and the
 * durable store, which gives pages and nodes their ids.
 *
 * Nodes form a 64-ary radix map from page numbers (counted from 0) to private pages. A node keeps
 * only the children it has, in order of their index; the bits of its mask say which. A node of
 * level 0 has pages as children, one of level n has nodes of level n - 1. The root has the lowest
 * level that holds the highest private page, or a higher one since pages were dropped.
 */
#ifndef SOSIA_STORE_PAGE_IMPL_H
#define SOSIA_STORE_PAGE_IMPL_H

#include "engine/base/map.h"
#include "engine/store/page.h"
#include <pthread.h>
#include <stdatomic.h>

/* SQLite may read a few bytes beyond a page when a cell in it is broken: these are there to be
 * read. */
#define PAGE_SLACK 24

struct page {
    _Atomic(uint32_t) refs;
    uint32_t reserved;
    uint64_t tag; /* of the transaction that made it */
    uint64_t id;  /* where it is on disk; 0: never written */
    uint8_t data[STORE_PAGE_SIZE];
    uint8_t slack[PAGE_SLACK];
};

struct node {
    _Atomic(uint32_t) refs;
    uint8_t level, cap, n; /* cap: children there is room for; n: children */
    /* The children that have another tag than the node are counted by the node it was copied from,
     * which has no other owner and is still there: see node_settle(). */
    bool borrowed : 1;
    /* Of a root, under the store's lock: */
    bool mapped : 1;   /* the store has a map of its pages' parents */
    bool compared : 1; /* rows of its tree were compared with another's */
    uint64_t tag, id;  /* as in struct page */
    uint64_t mask;
    /* Indices at which the writer that made it may have put another child than the node had that it
     * was copied from, or none; all of one that was not copied. Whoever looks for what was written
     * passes over the rest, of which comparing the addresses alone would be most of the work. */
    uint64_t touched;
    void *child[]; /* struct node, or struct page at level 0 */
};

/* One cache line a shard, so that threads which fork one base don't fight over a counter. */
enum { BASE_SHARDS = 16 };
struct base_shard {
    _Alignas(64) _Atomic(uint64_t) acquired;
    _Atomic(uint64_t) released;
    _Atomic(uint32_t) hint; /* a shard that had references when last looked at */
};

struct parents;     /* rowdiff.c */
struct base_hashes; /* hash.c; one piece of memory */

/* The struct stays allocated until its store closes, so that its counters can be looked at by
 * whoever has just released a reference; only the image goes. base.c says how death is found. */
struct base {
    struct store *store;
    uint8_t *image;
    size_t mapped; /* bytes at image */
    uint32_t n_pages;
    uint64_t id;            /* on disk; 0: never written */
    _Atomic(uint64_t) life; /* odd: alive; goes up with each birth and death */
    struct base *next;      /* of all in the store */
    struct base *next_free; /* of those that can be born again */
    pthread_mutex_t lazy;   /* taken to make what follows, which is read without it */
    _Atomic(struct parents *) parents;
    _Atomic(struct base_hashes *) hashes;
    struct base_shard shards[BASE_SHARDS];
};

struct page_cache;
struct chunk;

struct store {
    struct store_options opt;
    _Atomic(uint64_t) next_tag;
    _Atomic(uint32_t) next_cookie;
    _Atomic(uint64_t) next_slot;
    bool no_invalidation; /* for the test that shows why there is one */

    /* A durable store is notified of the end of each page (level -1) and node that it has given an
     * id. Called by any thread; must not come back to this store. */
    void (*on_free)(void *arg, uint64_t id, int level);
    void (*on_base_free)(void *arg, uint64_t id);
    void *on_free_arg;

    pthread_mutex_t lock; /* over all that follows */
    struct chunk *chunks; /* those with free pages */
    uint32_t n_empty_chunks;
    uint64_t n_out;          /* pages in use or in threads' caches */
    _Atomic(int64_t) beside; /* see store_count() */
    _Atomic(int64_t) base_bytes;
    int64_t past_pages; /* in use, as counted by threads that are gone */
    int64_t past_node_bytes;
    struct page_cache *caches; /* one a thread */
    struct base *bases, *free_bases;
    struct parents *maps; /* of trees with many pages of their own, the newest first */
    struct map cookies;   /* SHA-256 of sqlite_schema, in hex, to the cookie given to it */
};

/* ---- alloc.c ---- */

/* The calling thread's cache; NULL when there is no memory for one. The functions below take NULL.
 */
struct page_cache *page_cache(struct store *s);
/* SOSIA_E_OK, SOSIA_E_FULL or SOSIA_E_NO_MEMORY. One reference, tag and id 0, data not cleared. */
enum sosia_code page_new(struct store *s, struct page_cache *c, struct page **ret_page);
void page_unref(struct store *s, struct page_cache *c, struct page *p);
/* One reference, no children, room for cap; NULL without memory. */
struct node *node_new(struct store *s, struct page_cache *c, unsigned level, unsigned cap);
/* Makes room for cap children in a node with one reference: the node, elsewhere perhaps; NULL (and
 * the old node as it was) without memory. */
struct node *node_grow(struct store *s, struct page_cache *c, struct node *n, unsigned cap);
void node_unref(struct store *s, struct page_cache *c, struct node *n); /* NULL is fine */
/* The end of a root that another has taken the place of: as node_unref(), but what the new one has
 * borrowed it keeps, counted from now on. Either may be NULL. */
void node_settle(struct store *s, struct page_cache *c, struct node *old, struct node *now);
/* A number that no page or node in the store carries as its tag. */
uint64_t tag_new(struct store *s, struct page_cache *c);
/* Test hook, for the calling thread: the n-th allocation of a page or node from now on fails, and
 * so does the n-th write when they are counted together; 0: none. Gives what was left of the last
 * countdown. */
int64_t store_fail_after(struct store *s, int64_t n);
/* Counts one write; true: it has to fail. */
bool store_fault(struct page_cache *c);
void alloc_close(struct store *s);

/* ---- base.c ---- */

/* A base with one reference (in *ret_shard) and n_pages of memory, which the caller fills before
 * base_seal(). */
struct base *base_new(struct store *s, uint32_t n_pages, uint32_t *ret_shard);
void base_seal(struct base *b);
/* Frees those of a store that is closed: none of them has a tree any more. */
void bases_close(struct store *s);
uint32_t base_acquire(struct base *b); /* gives the shard; the caller holds a reference already */
void base_release(struct base *b, uint32_t shard);
/* Whether one reference is left: known for certain to who has that one. */
bool base_sole(struct base *b);

/* ---- cookie.c ---- */

/* The image keeps the cookie it has, which stands for its schema from now on: of images that this
 * store gave their cookies in an earlier life. */
int cookie_keep(struct store *s, uint8_t *image, size_t n, struct sosia_err *err);
/* What a base's schema is called by, and the cookie of all that have it from now on: they are the
 * same in a later life of the store. */
#define COOKIE_KEY 65
int cookie_schema(const struct base *b, char ret_key[COOKIE_KEY], struct sosia_err *err);
int cookie_schema_of(uint8_t *image, size_t n, char ret_key[COOKIE_KEY], struct sosia_err *err);
int cookie_set(struct store *s, const char *key, uint32_t cookie, struct sosia_err *err);
/* A cookie that no database in the store has. */
uint32_t cookie_fresh(struct store *s);

/* ---- parents.c ---- */

void parents_free(struct parents *p);
/* The end of a root that has a map of parents. */
void parents_forget(struct store *s, const struct node *root);

/* ---- page.c ---- */

/* A version being written. root is the writer's own reference. */
struct writer {
    struct store *store;
    struct base *base;
    struct node *root;
    struct node *sole; /* the root it began with, if its tree alone has it; NULL */
    uint32_t n_pages, n_private;
    uint64_t tag;
    uint64_t replaced; /* bytes of pages and nodes that the tree it began with has alone now */
    bool any_size;     /* no limit of a tree: it becomes one that was there */
};
/* A page that the writer may change in place. whole: all of it will be written, so the old content
 * isn't copied. */
enum sosia_code writer_page(struct writer *w, uint32_t page, bool whole, uint8_t **ret_data);
/* Drops private pages beyond n_pages. */
enum sosia_code writer_truncate(struct writer *w);
/* Drops a private page that nobody will read before all of it is written again; it is the base's
 * then, or zero. Not the last one of the map. */
enum sosia_code writer_drop(struct writer *w, uint32_t page);
/* A sum of hashes of the pages that it has written, and of the first page: the same for the same
 * pages, in whatever order they were written. What differs between runs of a program (counters of
 * changes, the schema's cookie) is not in it. */
uint64_t writer_sum(const struct writer *w);

/* Children before index i. Without an instruction for it the compiler's own count is a call. */
static inline unsigned node_rank(uint64_t mask, unsigned i)
{
    uint64_t x = mask & ((UINT64_C(1) << i) - 1);
#if defined(__POPCNT__) || !defined(__x86_64__)
    return (unsigned)__builtin_popcountll(x);
#else
    x -= x >> 1 & UINT64_C(0x5555555555555555);
    x = (x & UINT64_C(0x3333333333333333)) + (x >> 2 & UINT64_C(0x3333333333333333));
    x = (x + (x >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    return (unsigned)(x * UINT64_C(0x0101010101010101) >> 56);
#endif
}
/* The child for index i (0 to 63), or NULL, of a map seen as if its root had this level: below a
 * higher level than its own, a map is child 0. */
static inline void *node_child(const struct node *n, unsigned level, unsigned i)
{
    if (!n)
        return NULL;
    if (n->level < level)
        return i ? NULL : (void *)(uintptr_t)n;
    return n->mask >> i & 1 ? n->child[node_rank(n->mask, i)] : NULL;
}

extern const uint8_t page_zero[STORE_PAGE_SIZE + PAGE_SLACK];

/* The private page, or NULL. */
static inline struct page *page_private(const struct node *n, uint32_t page)
{
    if (!n || (uint64_t)page >> (6 * n->level + 6))
        return NULL;
    for (;;) {
        unsigned i = page >> (6 * n->level) & 63;
        if (!(n->mask >> i & 1))
            return NULL;
        void *c = n->child[node_rank(n->mask, i)];
        if (!n->level)
            return c;
        n = c;
    }
}
/* A page below n_pages of the version. A page that was never written is zero. */
static inline const uint8_t *page_find(const struct base *b, const struct node *root, uint32_t page)
{
    const struct page *p = page_private(root, page);
    if (p)
        return p->data;
    return page < b->n_pages ? b->image + (size_t)page * STORE_PAGE_SIZE : page_zero;
}

static inline uint32_t get2(const uint8_t *p)
{
    return (uint32_t)p[0] << 8 | p[1];
}
static inline uint32_t get4(const uint8_t *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}
static inline void put4(uint8_t *p, uint32_t v)
{
    p[0] = (uint8_t)(v >> 24);
    p[1] = (uint8_t)(v >> 16);
    p[2] = (uint8_t)(v >> 8);
    p[3] = (uint8_t)v;
}

/* Places in a database's first page (the file format's header). */
enum {
    HEADER_CHANGES = 24,
    HEADER_SIZE = 28,
    HEADER_FREE = 32, /* the first page of the list of free pages, and how many there are */
    HEADER_COOKIE = 40,
    HEADER_VALID_FOR = 92
};

#endif
