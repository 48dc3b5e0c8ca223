/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/base/handle.h"
#include "engine/base/lock.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/lsan_interface.h>
#else
#define __lsan_register_root_region(p, n) ((void)(p), (void)(n))
#endif

#define BLOCK_BITS 16
#define BLOCK      ((size_t)1 << BLOCK_BITS)
#define TABLE_BITS 13
#define TABLE      (1u << TABLE_BITS)

enum {
    SHARDS = 16,
    RESTS = 256,      /* places that are free before one is used again */
    RESTS_LARGE = 64, /* the same of those that are larger than a block */
    FREE = 0,
    ENDED = 1,
    FIRST_PROCESS = 2
};

/* The last bytes of a place, so that who has one needs no look at the table. */
struct tail {
    void *next; /* that is free */
    struct block *block;
    _Atomic(uint16_t) *state;
};

/* Free places, the first one to be used next. */
static struct queue {
    struct lock lock;
    uint32_t n;
    void *first, *last;
} __attribute__((aligned(64))) queues[HANDLE_KINDS][SHARDS];

/* One block, or one large place. Never freed. */
struct block {
    uintptr_t at;
    enum handle_kind kind;
    uint32_t size, n;
    struct queue *queue;       /* that its places go back to */
    _Atomic(uint16_t) state[]; /* of each place: FREE, ENDED, or the process in which it is out */
};

/* By address: found without a lock, since nothing is ever taken out. */
static struct {
    _Atomic(uintptr_t) at; /* >> BLOCK_BITS; 0: free */
    struct block *block;
} table[TABLE];
static unsigned n_blocks;
static pthread_mutex_t table_lock = PTHREAD_MUTEX_INITIALIZER;

static _Atomic(uint16_t) process = FIRST_PROCESS;
static _Atomic(const void *) newest_engine; /* which is out; most processes have one. NULL: none */
static _Atomic(uint32_t) sizes[HANDLE_KINDS]; /* of a place, once there is one */
static _Thread_local __attribute__((tls_model("initial-exec"))) unsigned thread_shard; /* and 1 */
static _Atomic(unsigned) next_shard;

static const char *const words[] = {"engine", "response", "stream", "session", "spool", "suite"};

static unsigned table_place(uintptr_t at)
{
    return (unsigned)((uint64_t)at * UINT64_C(0x9e3779b97f4a7c15) >> (64 - TABLE_BITS));
}

static struct block *block_of(const void *p)
{
    uintptr_t at = (uintptr_t)p >> BLOCK_BITS, found;
    for (unsigned i = table_place(at); at; i = (i + 1) % TABLE) {
        found = atomic_load_explicit(&table[i].at, memory_order_acquire);
        if (found == at)
            return table[i].block;
        if (!found)
            break;
    }
    return NULL;
}

/* NULL: it is not a place of this kind. */
static _Atomic(uint16_t) *state_of(enum handle_kind kind, const void *p)
{
    struct block *b = block_of(p);
    size_t offset = b ? (uintptr_t)p - b->at : 0;
    if (!b || b->kind != kind || (uint32_t)offset % b->size || (uint32_t)offset / b->size >= b->n)
        return NULL;
    return &b->state[(uint32_t)offset / b->size];
}

bool handle_is_out(enum handle_kind kind, const void *p)
{
    if (kind == HANDLE_ENGINE && p &&
        p == atomic_load_explicit(&newest_engine, memory_order_relaxed))
        return true;
    _Atomic(uint16_t) *state = state_of(kind, p);
    return state && atomic_load_explicit(state, memory_order_acquire) ==
                        atomic_load_explicit(&process, memory_order_relaxed);
}

int handle_check(enum handle_kind kind, const void *p, struct sosia_err *err)
{
    if (handle_is_out(kind, p))
        return 0;
    _Atomic(uint16_t) *state = p ? state_of(kind, p) : NULL;
    if (!p)
        return sosia_fail(err, SOSIA_E_HANDLE, "handleNull", NULL,
                          "the %s's handle must not be NULL", words[kind]);
    if (!state)
        return sosia_fail(err, SOSIA_E_HANDLE, "handleUnknown", NULL,
                          "the handle is not one of a %s that was given out", words[kind]);
    if (atomic_load(state) < FIRST_PROCESS)
        return sosia_fail(err, SOSIA_E_HANDLE, "handleClosed", NULL,
                          "the handle's %s was closed or freed before", words[kind]);
    return sosia_fail(err, SOSIA_E_HANDLE, "handleForked", NULL,
                      "the handle's %s is the parent's of this process, which must open its own",
                      words[kind]);
}

/* ---- a process that forks ---- */

enum { FORK_LOCKS = 8 };
static pthread_mutex_t *fork_locks[FORK_LOCKS]; /* under the table's lock */

static void nothing(void)
{
}
static void (*_Atomic take_below)(void) = nothing, (*_Atomic give_below)(void) = nothing;

void handle_over_fork(void (*take)(void), void (*give)(void))
{
    atomic_store(&give_below, give);
    atomic_store(&take_below, take);
}

void handle_lock_over_fork(pthread_mutex_t *lock)
{
    pthread_mutex_lock(&table_lock);
    for (int i = 0; i < FORK_LOCKS; i++) {
        if (!fork_locks[i])
            fork_locks[i] = lock;
        if (fork_locks[i] == lock)
            break;
    }
    pthread_mutex_unlock(&table_lock);
}

/* Those that the fork under way holds: another may come to the list meanwhile. Under the first of
 * them. */
static pthread_mutex_t *held_over[FORK_LOCKS];
static void (*held_below)(void);

static void before_fork(void)
{
    pthread_mutex_t *all[FORK_LOCKS];
    pthread_mutex_lock(&table_lock);
    memcpy(all, fork_locks, sizeof all);
    pthread_mutex_unlock(&table_lock);
    for (int i = 0; i < FORK_LOCKS; i++)
        if (all[i])
            pthread_mutex_lock(all[i]);
    memcpy(held_over, all, sizeof all);
    void (*take)(void) = atomic_load(&take_below);
    take();
    held_below = take == nothing ? nothing : atomic_load(&give_below);
    for (int k = 0; k < HANDLE_KINDS; k++)
        for (int i = 0; i < SHARDS; i++)
            lock_take(&queues[k][i].lock);
    pthread_mutex_lock(&table_lock);
}

static void unlock_all(void)
{
    pthread_mutex_unlock(&table_lock);
    for (int k = 0; k < HANDLE_KINDS; k++)
        for (int i = 0; i < SHARDS; i++)
            lock_drop(&queues[k][i].lock);
    held_below();
    for (int i = FORK_LOCKS; i-- > 0;)
        if (held_over[i])
            pthread_mutex_unlock(held_over[i]);
}

static void in_child(void)
{
    uint16_t next = (uint16_t)(atomic_load(&process) + 1);
    atomic_store(&process, next < FIRST_PROCESS ? FIRST_PROCESS : next);
    atomic_store(&newest_engine, NULL);
    unlock_all();
}

static void watch_forks(void)
{
    pthread_atfork(before_fork, unlock_all, in_child);
}

/* ---- places ---- */

static void *map_aligned(size_t size)
{
    char *m = mmap(NULL, size + BLOCK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (m == MAP_FAILED)
        return NULL;
    char *at = (char *)(((uintptr_t)m + BLOCK - 1) & ~(uintptr_t)(BLOCK - 1));
    if (at > m)
        munmap(m, (size_t)(at - m));
    if (at < m + BLOCK)
        munmap(at + size, (size_t)(m + BLOCK - at));
    return at;
}

static size_t rounded(size_t size)
{
    size_t whole = size + sizeof(struct tail);
    return whole > BLOCK ? (whole + 4095) & ~(size_t)4095 : (whole + 63) & ~(size_t)63;
}

/* Takes its place in the table. False: it is full. */
static bool list_block(struct block *b)
{
    pthread_mutex_lock(&table_lock);
    bool room = n_blocks < TABLE / 4 * 3;
    if (room) {
        unsigned i = table_place(b->at >> BLOCK_BITS);
        while (atomic_load_explicit(&table[i].at, memory_order_relaxed))
            i = (i + 1) % TABLE;
        table[i].block = b;
        atomic_store_explicit(&table[i].at, b->at >> BLOCK_BITS, memory_order_release);
        n_blocks++;
    }
    pthread_mutex_unlock(&table_lock);
    return room;
}

/* A block in which all is free. */
static struct block *block_new(enum handle_kind kind, size_t size, struct queue *q)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    size_t n = size > BLOCK ? 1 : BLOCK / size, whole = size > BLOCK ? size : BLOCK;
    pthread_once(&once, watch_forks);
    struct block *b = calloc(1, sizeof *b + n * sizeof *b->state);
    void *at = b ? map_aligned(whole) : NULL;
    if (!at) {
        free(b);
        return NULL;
    }
    *b = (struct block){
        .at = (uintptr_t)at, .kind = kind, .size = (uint32_t)size, .n = (uint32_t)n, .queue = q};
    if (!list_block(b)) {
        munmap(at, whole);
        free(b);
        return NULL;
    }
    if (kind !=
        HANDLE_RESPONSE) /* nobody keeps one of those for long: one that is lost is a leak */
        __lsan_register_root_region(at, whole);
    return b;
}

static struct tail *tail_of(void *p, size_t size)
{
    return (struct tail *)(void *)((char *)p + size - sizeof(struct tail));
}

static struct queue *my_queue(enum handle_kind kind)
{
    if (!thread_shard)
        thread_shard = atomic_fetch_add(&next_shard, 1) % SHARDS + 1;
    return &queues[kind][thread_shard - 1];
}

static void put_free(struct queue *q, void *p, size_t size)
{
    tail_of(p, size)->next = NULL;
    if (q->n++)
        tail_of(q->last, size)->next = p;
    else
        q->first = p;
    q->last = p;
}

static void *take(struct queue *q, size_t size)
{
    void *p = q->first;
    if (p) {
        q->first = tail_of(p, size)->next;
        q->n--;
    }
    return p;
}

static void set_tail(struct block *b, void *p, uint32_t i)
{
    *tail_of(p, b->size) = (struct tail){.block = b, .state = &b->state[i]};
}

/* Under the queue's lock. */
static void *take_small(enum handle_kind kind, size_t size, struct queue *q)
{
    if (q->n <= RESTS) {
        struct block *b = block_new(kind, size, q);
        for (uint32_t i = 0; b && i < b->n; i++) {
            void *p = (char *)b->at + i * size;
            set_tail(b, p, i);
            put_free(q, p, size);
        }
    }
    void *p = take(q, size);
    if (p && kind != HANDLE_RESPONSE) /* which its maker writes whole */
        memset(p, 0, size - sizeof(struct tail));
    return p;
}

/* The same; a free one is zero but for its tail. */
static void *take_large(enum handle_kind kind, size_t size, struct queue *q)
{
    struct block *b = q->n <= RESTS_LARGE ? block_new(kind, size, q) : NULL;
    if (!b)
        return take(q, size);
    set_tail(b, (void *)b->at, 0);
    return (void *)b->at;
}

void *handle_new(enum handle_kind kind, size_t size)
{
    struct queue *q = my_queue(kind);
    size = rounded(size);
    atomic_store_explicit(&sizes[kind], (uint32_t)size, memory_order_relaxed);
    lock_take(&q->lock);
    void *p = size > BLOCK ? take_large(kind, size, q) : take_small(kind, size, q);
    lock_drop(&q->lock);
    if (p)
        atomic_store_explicit(tail_of(p, size)->state,
                              atomic_load_explicit(&process, memory_order_relaxed),
                              memory_order_release);
    if (kind == HANDLE_ENGINE)
        atomic_store_explicit(&newest_engine, p, memory_order_relaxed);
    return p;
}

int handle_end(enum handle_kind kind, const void *p)
{
    _Atomic(uint16_t) *state = state_of(kind, p);
    uint16_t out = atomic_load_explicit(&process, memory_order_relaxed);
    const void *ended = p;
    if (kind == HANDLE_ENGINE)
        atomic_compare_exchange_strong(&newest_engine, &ended, NULL);
    return state && atomic_compare_exchange_strong(state, &out, ENDED) ? 0 : -1;
}

void handle_free(enum handle_kind kind, void *p)
{
    if (!p)
        return;
    size_t size = atomic_load_explicit(&sizes[kind], memory_order_relaxed);
    struct tail tail = *tail_of(p, size);
    struct queue *q = tail.block->queue;
    const void *ended = p;
    if (kind == HANDLE_ENGINE)
        atomic_compare_exchange_strong(&newest_engine, &ended, NULL);
    if (size > BLOCK)
        madvise(p, size, MADV_DONTNEED);
    atomic_store_explicit(tail.state, FREE, memory_order_release);
    lock_take(&q->lock);
    *tail_of(p, size) = tail;
    put_free(q, p, size);
    lock_drop(&q->lock);
}
