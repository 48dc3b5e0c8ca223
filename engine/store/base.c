/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bases and their references.
 *
 * A base's references are counted in shards, each with two counters that only go up: acquired and
 * released. A tree releases in the shard in which it acquired. Who releases:
 *  1. reads `life` while it still has its reference, then adds to `released`;
 *  2. is done if its own shard, or the one it remembers as a hint, has more acquired than released:
 * a later release does the same;
 *  3. else reads all `released`, then all `acquired`. Equal sums mean that no tree is left: every
 * release that was seen comes with its acquisition, so all trees acquired so far as seen are
 * released; and a tree that was not seen would have been forked from one that was alive, whose
 * release is later than the fork, so that it could not have been seen either, and so on up to the
 * first tree of all;
 *  4. then moves `life` on from what it read. Only one succeeds, and none after the base was used
 * again. Of the last releases, the latest in the single order of the sequentially consistent
 * additions sees all others, so the base never outlives its trees. The counters may be read after
 * the reference is gone because struct base is never freed before its store is closed; it is used
 * again instead, its counters going on where they were.
 */
#include "engine/store/page_impl.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define TLS _Thread_local __attribute__((tls_model("initial-exec")))

enum { HUGE = 2 * 1024 * 1024 };

/* ---- references ---- */

static _Atomic(uint32_t) next_thread;
static TLS uint32_t my_shard; /* plus 1; 0: not given yet */

static uint32_t shard_of_thread(void)
{
    if (__builtin_expect(!my_shard, 0))
        my_shard =
            atomic_fetch_add_explicit(&next_thread, 1, memory_order_relaxed) % BASE_SHARDS + 1;
    return my_shard - 1;
}

uint32_t base_acquire(struct base *b)
{
    uint32_t i = shard_of_thread();
    atomic_fetch_add_explicit(&b->shards[i].acquired, 1, memory_order_relaxed);
    return i;
}

static bool shard_alive(const struct base_shard *s)
{
    uint64_t released = atomic_load(&s->released);
    return atomic_load(&s->acquired) != released;
}

static bool dead(struct base *b, struct base_shard *own)
{
    uint64_t released = 0, acquired = 0;
    for (uint32_t i = 0; i < BASE_SHARDS; i++)
        released += atomic_load(&b->shards[i].released);
    for (uint32_t i = 0; i < BASE_SHARDS; i++)
        acquired += atomic_load(&b->shards[i].acquired);
    if (acquired == released)
        return true;
    for (uint32_t i = 0; i < BASE_SHARDS; i++) {
        if (!shard_alive(&b->shards[i]))
            continue;
        atomic_store_explicit(&own->hint, i, memory_order_relaxed);
        break;
    }
    return false;
}

/* Only the thread that ended the base's life comes here. */
static void bury(struct base *b)
{
    struct store *s = b->store;
    if (b->id && s->on_base_free)
        s->on_base_free(s->on_free_arg, b->id);
    if (b->mapped)
        munmap(b->image, b->mapped);
    atomic_fetch_sub_explicit(&s->base_bytes, (int64_t)b->mapped, memory_order_relaxed);
    b->image = NULL;
    b->mapped = 0;
    parents_free(atomic_exchange(&b->parents, NULL));
    free(atomic_exchange(&b->hashes, NULL));
    pthread_mutex_lock(&s->lock);
    b->next_free = s->free_bases;
    s->free_bases = b;
    pthread_mutex_unlock(&s->lock);
}

void base_release(struct base *b, uint32_t shard)
{
    struct base_shard *own = &b->shards[shard];
    uint64_t life = atomic_load_explicit(&b->life, memory_order_relaxed);
    uint64_t released = atomic_fetch_add(&own->released, 1) + 1;
    if (atomic_load(&own->acquired) != released ||
        shard_alive(&b->shards[atomic_load_explicit(&own->hint, memory_order_relaxed)]))
        return;
    if (dead(b, own) && atomic_compare_exchange_strong(&b->life, &life, life + 1))
        bury(b);
}

bool base_sole(struct base *b)
{
    uint64_t released = 0, acquired = 0;
    for (uint32_t i = 0; i < BASE_SHARDS; i++)
        released += atomic_load(&b->shards[i].released);
    for (uint32_t i = 0; i < BASE_SHARDS; i++)
        acquired += atomic_load(&b->shards[i].acquired);
    return acquired == released + 1;
}

/* ---- birth ---- */

static uint8_t *map_image(size_t len, size_t *ret_mapped)
{
    size_t align = len >= HUGE ? HUGE : 4096;
    size_t size = (len + PAGE_SLACK + align - 1) & ~(align - 1);
    size_t ask = align > 4096 ? size + align : size;
    uint8_t *m = mmap(NULL, ask, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (m == MAP_FAILED)
        return NULL;
    uint8_t *at = (uint8_t *)(((uintptr_t)m + align - 1) & ~(uintptr_t)(align - 1));
    if (at > m)
        munmap(m, (size_t)(at - m));
    if (at + size < m + ask)
        munmap(at + size, (size_t)(m + ask - at - size));
    if (align == HUGE)
        (void)madvise(at, size, MADV_HUGEPAGE); /* only makes it faster */
    *ret_mapped = size;
    return at;
}

static struct base *base_alloc(struct store *s)
{
    pthread_mutex_lock(&s->lock);
    struct base *b = s->free_bases;
    if (b)
        s->free_bases = b->next_free;
    pthread_mutex_unlock(&s->lock);
    if (b)
        return b;
    b = aligned_alloc(64, (sizeof *b + 63) & ~(size_t)63);
    if (!b)
        return NULL;
    memset(b, 0, sizeof *b);
    b->store = s;
    pthread_mutex_init(&b->lazy, NULL);
    pthread_mutex_lock(&s->lock);
    b->next = s->bases;
    s->bases = b;
    pthread_mutex_unlock(&s->lock);
    return b;
}

struct base *base_new(struct store *s, uint32_t n_pages, uint32_t *ret_shard)
{
    size_t mapped = 0;
    uint8_t *image = map_image((size_t)n_pages * STORE_PAGE_SIZE, &mapped);
    if (!image)
        return NULL;
    struct base *b = base_alloc(s);
    if (!b) {
        munmap(image, mapped);
        return NULL;
    }
    b->image = image;
    b->mapped = mapped;
    atomic_fetch_add_explicit(&s->base_bytes, (int64_t)mapped, memory_order_relaxed);
    b->n_pages = n_pages;
    b->id = 0;
    *ret_shard = base_acquire(b);
    atomic_fetch_add(&b->life, 1);
    return b;
}

void base_seal(struct base *b)
{
    (void)mprotect(b->image, b->mapped,
                   PROT_READ); /* catches our own mistakes, nothing else hangs on it */
}

void bases_close(struct store *s)
{
    while (s->bases) {
        struct base *b = s->bases;
        s->bases = b->next;
        assert(!(atomic_load(&b->life) & 1) && "a tree outlived its store");
        pthread_mutex_destroy(&b->lazy);
        free(b);
    }
}
