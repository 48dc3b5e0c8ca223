/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory of pages and nodes.
 *
 * Pages come from chunks of 256 KB, which are aligned to their size so that a page finds its chunk.
 * Each thread keeps a few free pages and exchanges them in batches with the store, under its lock;
 * a chunk of which every page is free goes back to the operating system. Nodes are small and come
 * from malloc. What is in use is counted by the thread that allocates or frees, so a thread's own
 * count may be negative; the sum is exact.
 */
#include "engine/base/handle.h"
#include "engine/base/populate.h"
#include "engine/store/page_impl.h"
#include "engine/store/rest.h"
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(p, n)   ((void)(p), (void)(n))
#define ASAN_UNPOISON_MEMORY_REGION(p, n) ((void)(p), (void)(n))
#endif

#define TLS _Thread_local __attribute__((tls_model("initial-exec")))

enum {
    CHUNK = 256 * 1024,
    BATCH = 32,
    CACHED_MAX = 2 * BATCH,
    TAG_BLOCK = 4096,
    GROWN = 2048 /* pages in use from which on a new chunk will be filled */
};

struct chunk {
    struct chunk *next, *prev; /* in the store's list while it has free pages */
    struct page *free;         /* linked through their data */
    uint32_t n_free;           /* with those never used */
    uint32_t n_used_once;      /* pages from this one on were never used */
    _Alignas(16) struct page pages[];
};
enum { CHUNK_PAGES = (CHUNK - sizeof(struct chunk)) / sizeof(struct page) };

struct page_cache {
    _Atomic(struct store *) store; /* NULL: closed */
    struct page *free;
    uint32_t n_free;
    int64_t countdown; /* of the test hook */
    uint64_t tag, tag_end;
    _Atomic(int64_t) pages, node_bytes; /* in use; written by the thread alone */
    struct page_cache *next;            /* of the store's */
    struct page_cache *next_mine;       /* of the thread's */
};

/* Over each thread's list of caches against the closing of a store; taken before a store's lock. */
static pthread_mutex_t registry = PTHREAD_MUTEX_INITIALIZER;
static pthread_key_t thread_end;
static bool has_key;
static pthread_once_t thread_end_once = PTHREAD_ONCE_INIT;
static TLS struct page_cache *mine;

static struct page **link_of(struct page *p)
{
    return (struct page **)(void *)p->data;
}

/* A free page keeps its list link readable; the rest of it is off limits. */
static void poison(struct page *p)
{
    ASAN_POISON_MEMORY_REGION((uint8_t *)p, offsetof(struct page, data));
    ASAN_POISON_MEMORY_REGION(p->data + sizeof p,
                              sizeof *p - offsetof(struct page, data) - sizeof p);
}

static void unpoison(struct page *p)
{
    ASAN_UNPOISON_MEMORY_REGION(p, sizeof *p);
}

/* ---- chunks: under the store's lock ---- */

static struct chunk *chunk_of(struct page *p)
{
    return (struct chunk *)((uintptr_t)p & ~(uintptr_t)(CHUNK - 1));
}

static void chunk_link(struct store *s, struct chunk *k)
{
    k->prev = NULL;
    k->next = s->chunks;
    if (k->next)
        k->next->prev = k;
    s->chunks = k;
}

static void chunk_unlink(struct store *s, struct chunk *k)
{
    if (k->prev)
        k->prev->next = k->next;
    else
        s->chunks = k->next;
    if (k->next)
        k->next->prev = k->prev;
}

static struct chunk *chunk_new(struct store *s)
{
    uint8_t *m = mmap(NULL, 2 * CHUNK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (m == MAP_FAILED)
        return NULL;
    uint8_t *at = (uint8_t *)(((uintptr_t)m + CHUNK - 1) & ~(uintptr_t)(CHUNK - 1));
    if (at > m)
        munmap(m, (size_t)(at - m));
    if (at < m + CHUNK)
        munmap(at + CHUNK, (size_t)(m + CHUNK - at));
    struct chunk *k = (struct chunk *)(void *)at;
    if (s->n_out >= GROWN)
        populate(k, CHUNK);
    k->n_free = CHUNK_PAGES;
    s->n_empty_chunks++;
    chunk_link(s, k);
    return k;
}

static void chunk_free(struct chunk *k)
{
    ASAN_UNPOISON_MEMORY_REGION(k, CHUNK);
    munmap(k, CHUNK);
}

static struct page *chunk_take(struct store *s, struct chunk *k)
{
    struct page *p = k->free;
    if (k->n_free == CHUNK_PAGES)
        s->n_empty_chunks--;
    if (p)
        k->free = *link_of(p);
    else
        p = &k->pages[k->n_used_once++];
    if (!--k->n_free)
        chunk_unlink(s, k);
    return p;
}

/* Gives the chunk when it has become empty and can go: one empty chunk is kept. */
static struct chunk *chunk_give(struct store *s, struct page *p)
{
    struct chunk *k = chunk_of(p);
    *link_of(p) = k->free;
    k->free = p;
    if (!k->n_free++)
        chunk_link(s, k);
    if (k->n_free < CHUNK_PAGES)
        return NULL;
    if (!s->n_empty_chunks) {
        s->n_empty_chunks = 1;
        return NULL;
    }
    chunk_unlink(s, k);
    return k;
}

/* ---- caches ---- */

/* Takes the lock; gives back n pages of a list, and gives the rest of it. */
static struct page *give_back_pages(struct store *s, struct page *list, uint32_t n)
{
    struct chunk *gone = NULL;
    pthread_mutex_lock(&s->lock);
    s->n_out -= n;
    while (n--) {
        struct page *next = *link_of(list);
        struct chunk *k = chunk_give(s, list);
        if (k) {
            k->next = gone;
            gone = k;
        }
        list = next;
    }
    pthread_mutex_unlock(&s->lock);
    while (gone) {
        struct chunk *next = gone->next;
        chunk_free(gone);
        gone = next;
    }
    return list;
}

/* Takes the cache out of its store; under the registry's lock. */
static void cache_detach(struct page_cache *c, struct store *s)
{
    if (c->n_free)
        give_back_pages(s, c->free, c->n_free);
    c->n_free = 0;
    c->free = NULL;
    pthread_mutex_lock(&s->lock);
    s->past_pages += atomic_load_explicit(&c->pages, memory_order_relaxed);
    s->past_node_bytes += atomic_load_explicit(&c->node_bytes, memory_order_relaxed);
    struct page_cache **at = &s->caches;
    while (*at != c)
        at = &(*at)->next;
    *at = c->next;
    pthread_mutex_unlock(&s->lock);
    atomic_store_explicit(&c->store, NULL, memory_order_relaxed);
}

static void thread_ends(void *unused)
{
    pthread_mutex_lock(&registry);
    while (mine) {
        struct page_cache *c = mine;
        struct store *s = atomic_load_explicit(&c->store, memory_order_relaxed);
        if (s)
            cache_detach(c, s);
        mine = c->next_mine;
        free(c);
    }
    pthread_mutex_unlock(&registry);
}

static void make_key(void)
{
    /* Without a key, what a thread had cached stays in its list when it ends, until the store
     * closes. */
    has_key = pthread_key_create(&thread_end, thread_ends) == 0;
}

/* Frees the thread's caches of closed stores. */
static void sweep(void)
{
    struct page_cache **at = &mine;
    while (*at) {
        struct page_cache *c = *at;
        if (atomic_load_explicit(&c->store, memory_order_relaxed)) {
            at = &c->next_mine;
            continue;
        }
        *at = c->next_mine;
        free(c);
    }
}

static __attribute__((noinline)) struct page_cache *cache_find(struct store *s)
{
    for (struct page_cache **at = &mine; *at; at = &(*at)->next_mine) {
        struct page_cache *c = *at;
        if (atomic_load_explicit(&c->store, memory_order_relaxed) != s)
            continue;
        *at = c->next_mine;
        c->next_mine = mine;
        mine = c;
        return c;
    }
    struct page_cache *c = aligned_alloc(64, (sizeof *c + 63) & ~(size_t)63);
    if (!c)
        return NULL;
    memset(c, 0, sizeof *c);
    pthread_once(&thread_end_once, make_key);
    handle_lock_over_fork(&registry);
    if (has_key)
        pthread_setspecific(thread_end, c);
    pthread_mutex_lock(&registry);
    sweep();
    atomic_store_explicit(&c->store, s, memory_order_relaxed);
    pthread_mutex_lock(&s->lock);
    c->next = s->caches;
    s->caches = c;
    pthread_mutex_unlock(&s->lock);
    pthread_mutex_unlock(&registry);
    c->next_mine = mine;
    mine = c;
    return c;
}

struct page_cache *page_cache(struct store *s)
{
    struct page_cache *c = mine;
    if (__builtin_expect(c && atomic_load_explicit(&c->store, memory_order_relaxed) == s, 1))
        return c;
    return cache_find(s);
}

static void count(_Atomic(int64_t) *at, int64_t by)
{
    atomic_store_explicit(at, atomic_load_explicit(at, memory_order_relaxed) + by,
                          memory_order_relaxed);
}

bool store_fault(struct page_cache *c)
{
    return c && __builtin_expect(c->countdown != 0, 0) && --c->countdown == 0;
}

int64_t store_fail_after(struct store *s, int64_t n)
{
    struct page_cache *c = page_cache(s);
    if (!c)
        return 0;
    int64_t left = c->countdown;
    c->countdown = n;
    return left;
}

uint64_t tag_new(struct store *s, struct page_cache *c)
{
    if (!c)
        return atomic_fetch_add_explicit(&s->next_tag, 1, memory_order_relaxed) + 1;
    if (c->tag == c->tag_end) {
        c->tag = atomic_fetch_add_explicit(&s->next_tag, TAG_BLOCK, memory_order_relaxed);
        c->tag_end = c->tag + TAG_BLOCK;
    }
    return ++c->tag;
}

/* ---- pages ---- */

/* Under the store's lock. */
static int64_t node_bytes(const struct store *s)
{
    int64_t sum = s->past_node_bytes;
    for (const struct page_cache *c = s->caches; c; c = c->next)
        sum += atomic_load_explicit(&c->node_bytes, memory_order_relaxed);
    return sum;
}

/* How many pages may be handed out now; under the store's lock. The limit is compared with what
 * is handed out, so that pages in threads' caches count as used: threads never exceed it
 * together. */
static uint32_t allowance(const struct store *s)
{
    if (!s->opt.max_size)
        return BATCH;
    uint64_t limit = s->opt.max_size / sizeof(struct page);
    int64_t others = node_bytes(s) + atomic_load_explicit(&s->beside, memory_order_relaxed);
    uint64_t used = s->n_out;
    if (others > 0) /* else another thread is in the middle of something */
        used += (uint64_t)others / sizeof(struct page);
    if (used >= limit)
        return 0;
    /* Small limits are shared out in small batches. */
    uint64_t n = limit / 64 + 1;
    if (n > BATCH)
        n = BATCH;
    return (uint32_t)(n < limit - used ? n : limit - used);
}

static __attribute__((noinline)) enum sosia_code refill(struct store *s, struct page_cache *c)
{
    pthread_mutex_lock(&s->lock);
    uint32_t n = allowance(s), got = 0;
    while (got < n && (s->chunks || chunk_new(s))) {
        struct page *p = chunk_take(s, s->chunks);
        *link_of(p) = c->free;
        c->free = p;
        got++;
    }
    c->n_free += got;
    s->n_out += got;
    pthread_mutex_unlock(&s->lock);
    if (got)
        return SOSIA_E_OK;
    return n ? SOSIA_E_NO_MEMORY : SOSIA_E_FULL;
}

enum sosia_code page_new(struct store *s, struct page_cache *c, struct page **ret_page)
{
    if (!c || store_fault(c))
        return SOSIA_E_NO_MEMORY;
    if (!c->n_free) {
        enum sosia_code code = refill(s, c);
        if (code)
            return code;
    }
    struct page *p = c->free;
    c->free = *link_of(p);
    c->n_free--;
    unpoison(p);
    atomic_store_explicit(&p->refs, 1, memory_order_relaxed);
    p->tag = p->id = 0;
    count(&c->pages, 1);
    *ret_page = p;
    return SOSIA_E_OK;
}

static void page_free(struct store *s, struct page_cache *c, struct page *p)
{
    if (p->id && s->on_free)
        s->on_free(s->on_free_arg, p->id, -1);
    poison(p);
    if (!c) {
        *link_of(p) = NULL;
        pthread_mutex_lock(&s->lock);
        s->past_pages--;
        pthread_mutex_unlock(&s->lock);
        give_back_pages(s, p, 1);
        return;
    }
    *link_of(p) = c->free;
    c->free = p;
    count(&c->pages, -1);
    if (++c->n_free > CACHED_MAX) {
        c->free = give_back_pages(s, c->free, BATCH);
        c->n_free -= BATCH;
    }
}

/* True when the last reference is gone. A sole owner needs no atomic subtraction: no other
 * thread can take one. */
static bool last_ref(_Atomic(uint32_t) *refs)
{
    return atomic_load_explicit(refs, memory_order_acquire) == 1 ||
           atomic_fetch_sub_explicit(refs, 1, memory_order_acq_rel) == 1;
}

void page_unref(struct store *s, struct page_cache *c, struct page *p)
{
    if (last_ref(&p->refs))
        page_free(s, c, p);
}

/* ---- nodes ---- */

static size_t node_size(unsigned cap)
{
    return sizeof(struct node) + cap * sizeof(void *);
}

static void count_node(struct store *s, struct page_cache *c, int64_t by)
{
    if (c) {
        count(&c->node_bytes, by);
        return;
    }
    pthread_mutex_lock(&s->lock);
    s->past_node_bytes += by;
    pthread_mutex_unlock(&s->lock);
}

struct node *node_new(struct store *s, struct page_cache *c, unsigned level, unsigned cap)
{
    if (store_fault(c))
        return NULL;
    struct node *n = malloc(node_size(cap));
    if (!n)
        return NULL;
    atomic_init(&n->refs, 1);
    n->level = (uint8_t)level;
    n->cap = (uint8_t)cap;
    n->n = 0;
    n->borrowed = n->mapped = n->compared = false;
    n->tag = n->id = n->mask = 0;
    n->touched = ~UINT64_C(0);
    count_node(s, c, (int64_t)node_size(cap));
    return n;
}

struct node *node_grow(struct store *s, struct page_cache *c, struct node *n, unsigned cap)
{
    if (store_fault(c))
        return NULL;
    int64_t more = (int64_t)node_size(cap) - (int64_t)node_size(n->cap);
    n = realloc(n, node_size(cap));
    if (!n)
        return NULL;
    n->cap = (uint8_t)cap;
    count_node(s, c, more);
    return n;
}

static void node_free(struct store *s, struct page_cache *c, struct node *n)
{
    if (n->id && s->on_free)
        s->on_free(s->on_free_arg, n->id, n->level);
    if (n->mapped)
        parents_forget(s, n);
    count_node(s, c, -(int64_t)node_size(n->cap));
    free(n);
}

/* Both structs have their tag at the same place. */
static uint64_t tag_of(const void *child)
{
    return ((const struct node *)child)->tag;
}
_Static_assert(offsetof(struct node, tag) == offsetof(struct page, tag), "tag_of()");

void node_unref(struct store *s, struct page_cache *c, struct node *n)
{
    if (!n || !last_ref(&n->refs))
        return;
    for (unsigned i = 0; i < n->n; i++) {
        if (n->borrowed && tag_of(n->child[i]) != n->tag)
            continue;
        if (n->level)
            node_unref(s, c, n->child[i]);
        else
            page_unref(s, c, n->child[i]);
    }
    node_free(s, c, n);
}

/* old has no other owner, and now is the copy that has borrowed its children. */
static void settle(struct store *s, struct page_cache *c, struct node *old, struct node *now)
{
    for (uint64_t m = old->mask & now->touched; m; m &= m - 1) {
        unsigned i = (unsigned)__builtin_ctzll(m);
        void *child = node_child(old, old->level, i);
        struct node *kept = node_child(now, old->level, i);
        if ((void *)kept == child)
            continue;
        if (!old->level)
            page_unref(s, c, child);
        else if (kept && kept->borrowed)
            settle(s, c, child, kept);
        else
            node_unref(s, c, child);
    }
    now->borrowed = false;
    node_free(s, c, old);
}

void node_settle(struct store *s, struct page_cache *c, struct node *old, struct node *now)
{
    while (now && old && now->level > old->level) /* the map has grown above the copy */
        now = node_child(now, now->level, 0);
    if (old && now && now->borrowed)
        settle(s, c, old, now);
    else
        node_unref(s, c, old);
}

/* ---- the whole ---- */

uint64_t store_size(const struct store *cs)
{
    struct store *s = (struct store *)(uintptr_t)cs;
    pthread_mutex_lock(&s->lock);
    int64_t pages = s->past_pages;
    for (const struct page_cache *c = s->caches; c; c = c->next)
        pages += atomic_load_explicit(&c->pages, memory_order_relaxed);
    int64_t bytes = pages * (int64_t)sizeof(struct page) + node_bytes(s) +
                    atomic_load_explicit(&s->beside, memory_order_relaxed);
    pthread_mutex_unlock(&s->lock);
    return bytes > 0 ? (uint64_t)bytes : 0; /* other threads may be in the middle of something */
}

uint64_t store_resident(const struct store *s)
{
    return store_size(s) + (uint64_t)atomic_load_explicit(&s->base_bytes, memory_order_relaxed);
}

void store_count(struct store *s, int64_t bytes)
{
    atomic_fetch_add_explicit(&s->beside, bytes, memory_order_relaxed);
}

bool store_is_full(const struct store *s)
{
    return s->opt.max_size && store_size(s) >= s->opt.max_size;
}

void store_rest(struct store *s)
{
    struct page_cache *c = page_cache(s);
    if (c && c->n_free) {
        give_back_pages(s, c->free, c->n_free);
        c->free = NULL;
        c->n_free = 0;
    }
    pthread_mutex_lock(&s->lock);
    struct chunk *k = s->n_empty_chunks ? s->chunks : NULL;
    while (k && k->n_free < CHUNK_PAGES)
        k = k->next;
    if (k) {
        chunk_unlink(s, k);
        s->n_empty_chunks--;
    }
    pthread_mutex_unlock(&s->lock);
    if (k)
        chunk_free(k);
}

void alloc_close(struct store *s)
{
    pthread_mutex_lock(&registry);
    while (s->caches)
        cache_detach(s->caches, s);
    pthread_mutex_unlock(&registry);
    sweep();
    while (s->chunks) {
        struct chunk *k = s->chunks;
        chunk_unlink(s, k);
        chunk_free(k);
    }
}
