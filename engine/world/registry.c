/* SPDX-License-Identifier: Apache-2.0 */
/* Where worlds are: slabs of structures, ids that name a place in them, and names. */
#include "engine/base/codec.h"
#include "engine/world/keeper.h"
#include "engine/world/engine.h"
#include "engine/world/pass.h"
#include "engine/world/places.h"
#include "engine/world/refused.h"
#include "engine/world/took.h"
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>

#define INDEX_MASK ((UINT64_C(1) << WORLD_INDEX_BITS) - 1)

static _Thread_local unsigned thread_shard; /* 0: not given yet; else shard + 1 */
static _Atomic(unsigned) next_shard;

static struct id_shard *my_shard(struct sosia_engine *e)
{
    if (!thread_shard)
        thread_shard = atomic_fetch_add(&next_shard, 1) % ID_SHARDS + 1;
    return &e->shards[thread_shard - 1];
}

int registry_open(struct sosia_engine *e, struct sosia_err *err)
{
    map_init(&e->names);
    if (pthread_mutex_init(&e->mutex, NULL) != 0)
        return sosia_fail_memory(err);
    if (pthread_rwlock_init(&e->on_outbox_lock, NULL) == 0)
        return 0;
    pthread_mutex_destroy(&e->mutex);
    return sosia_fail_memory(err);
}

/* Releases what a world holds; its place stays taken. */
static void release(struct sosia_engine *e, struct world *w)
{
    tree_done(&w->now);
    tree_done(&w->start);
    journal_past_unref(w->past);
    w->past = NULL;
    if (w->extra) {
        journal_clear(&w->extra->journal);
        world_count_journal(e, &w->extra->journal);
        free(w->extra->rates);
        guard_free(e, w);
        free(w->extra->note);
        refused_clear(w);
        took_clear(w);
        places_free(w);
        free(w->extra);
        w->extra = NULL;
    }
}

void registry_close(struct sosia_engine *e)
{
    for (unsigned s = 0; s < SLABS; s++) {
        struct world *slab = atomic_load(&e->slabs[s]);
        for (unsigned i = 0; slab && i < WORLDS_PER_SLAB; i++)
            if (slab[i].id)
                release(e, &slab[i]);
        if (slab)
            munmap(slab, WORLDS_PER_SLAB * sizeof *slab);
    }
    for (unsigned i = 0; i < ID_SHARDS; i++)
        free(e->shards[i].free);
    map_done(&e->names);
    pthread_rwlock_destroy(&e->on_outbox_lock);
    pthread_mutex_destroy(&e->mutex);
}

static struct world *slab_of(struct sosia_engine *e, uint32_t index, struct sosia_err *err)
{
    _Atomic(struct world *) *at = &e->slabs[index / WORLDS_PER_SLAB];
    struct world *slab = atomic_load_explicit(at, memory_order_acquire);
    if (slab)
        return slab;
    pthread_mutex_lock(&e->mutex);
    slab = atomic_load(at);
    if (!slab) {
        /* Populated at once: a fork that is the first to touch a page would wait for the kernel. */
        slab = mmap(NULL, WORLDS_PER_SLAB * sizeof *slab, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
        if (slab == MAP_FAILED) {
            slab = NULL;
            sosia_fail_memory(err);
        } else {
            atomic_store_explicit(at, slab, memory_order_release);
        }
    }
    pthread_mutex_unlock(&e->mutex);
    return slab;
}

static bool push_free(struct id_shard *s, uint32_t index)
{
    if (s->n_free == s->cap_free) {
        uint32_t cap = s->cap_free ? s->cap_free * 2 : 64;
        uint32_t *p = realloc(s->free, cap * sizeof *p);
        if (!p)
            return false;
        s->free = p;
        s->cap_free = cap;
    }
    s->free[s->n_free++] = index;
    return true;
}

/* Takes places that another shard has to spare, before new ones are made. */
static void steal(struct sosia_engine *e, struct id_shard *mine)
{
    for (unsigned i = 0; i < ID_SHARDS && !mine->n_free; i++) {
        struct id_shard *s = &e->shards[i];
        if (s == mine || !lock_try(&s->lock))
            continue;
        while (s->n_free > 64 && mine->n_free < 32 && push_free(mine, s->free[s->n_free - 1]))
            s->n_free--;
        lock_drop(&s->lock);
    }
}

static int take_index(struct sosia_engine *e, struct id_shard *s, uint32_t *ret,
                      uint64_t *ret_nonce, struct sosia_err *err)
{
    if (!s->n_free)
        steal(e, s);
    if (!s->n_free) {
        uint32_t from = atomic_fetch_add(&e->n_indexes, 32);
        if (from >= (1u << WORLD_INDEX_BITS) - 64) {
            atomic_fetch_sub(&e->n_indexes, 32);
            return sosia_fail(err, SOSIA_E_FULL, "worldLimit", NULL,
                              "there is no room for more worlds");
        }
        for (uint32_t i = 32; i > 0; i--)
            if (!push_free(s, from + i - 1 + 1)) /* index 0 stays free: no id is 0 */
                return sosia_fail_memory(err);
    }
    if (!s->n_random) {
        ssize_t got = getrandom(s->random, sizeof s->random, 0); /* a signal may cut it short */
        if (got < (ssize_t)sizeof s->random[0])
            return sosia_fail(err, SOSIA_E_INTERNAL, NULL, NULL,
                              "the system gives no random bytes");
        s->n_random = (uint32_t)((size_t)got / sizeof s->random[0]);
    }
    *ret = s->free[--s->n_free];
    *ret_nonce = s->random[--s->n_random] | (UINT64_C(1) << 63);
    return 0;
}

struct world *world_alloc(struct sosia_engine *e, struct sosia_err *err)
{
    if (e->options.max_worlds &&
        atomic_fetch_add(&e->n_limited, 1) >= (int64_t)e->options.max_worlds) {
        atomic_fetch_sub(&e->n_limited, 1);
        sosia_fail(err, SOSIA_E_LIMIT, "worldLimit", NULL, "the limit of %llu worlds is reached",
                   (unsigned long long)e->options.max_worlds);
        return NULL;
    }
    struct id_shard *s = my_shard(e);
    uint32_t index = 0;
    uint64_t nonce = 0;
    lock_take(&s->lock);
    int rc = take_index(e, s, &index, &nonce, err);
    lock_drop(&s->lock);
    struct world *slab = rc < 0 ? NULL : slab_of(e, index, err);
    if (!slab) {
        if (e->options.max_worlds)
            atomic_fetch_sub(&e->n_limited, 1);
        return NULL;
    }
    atomic_fetch_add_explicit(&s->live, 1, memory_order_relaxed);
    struct world *w = &slab[index % WORLDS_PER_SLAB];
    lock_take(&w->lock);
    w->id = (nonce & ~INDEX_MASK) | index;
    w->used = (uint16_t)atomic_load_explicit(&e->ticks, memory_order_relaxed);
    return w;
}

struct world *world_place(struct sosia_engine *e, uint64_t id, struct sosia_err *err)
{
    uint32_t index = (uint32_t)(id & INDEX_MASK);
    struct world *slab = slab_of(e, index, err);
    return slab ? &slab[index % WORLDS_PER_SLAB] : NULL;
}

int registry_restore(struct sosia_engine *e, struct sosia_err *err)
{
    uint32_t last = 0, n_gaps = 0;
    int64_t n = 0;
    for (uint32_t s = 0; s < SLABS; s++) {
        const struct world *slab = atomic_load(&e->slabs[s]);
        for (uint32_t i = 0; slab && i < WORLDS_PER_SLAB; i++) {
            if (!slab[i].id)
                continue;
            last = s * WORLDS_PER_SLAB + i;
            n++;
        }
    }
    /* From the highest down, so that the lowest places are given out first. */
    for (uint32_t i = last; i > 0; i--) {
        const struct world *slab = atomic_load(&e->slabs[i / WORLDS_PER_SLAB]);
        if (slab && slab[i % WORLDS_PER_SLAB].id)
            continue;
        if (!push_free(&e->shards[n_gaps++ / 32 % ID_SHARDS], i))
            return sosia_fail_memory(err);
    }
    atomic_store(&e->n_indexes, last);
    atomic_store(&e->shards[0].live, n);
    atomic_store(&e->n_limited, e->options.max_worlds ? n : 0);
    return 0;
}

void world_free(struct sosia_engine *e, struct world *w)
{
    uint32_t index = (uint32_t)(w->id & INDEX_MASK);
    e->on_sessions_end(e, w->id, "the world is gone");
    release(e, w);
    struct id_shard *s = my_shard(e);
    memset((char *)w + sizeof w->lock, 0, sizeof *w - sizeof w->lock);
    world_drop(w);
    if (e->options.max_worlds)
        atomic_fetch_sub(&e->n_limited, 1);
    lock_take(&s->lock);
    push_free(s, index); /* without memory the place is lost, nothing else */
    lock_drop(&s->lock);
    atomic_fetch_sub_explicit(&s->live, 1, memory_order_relaxed);
}

/* Of an id that may be unknown; NULL: there never was a world. */
static struct world *place_of(struct sosia_engine *e, uint64_t id)
{
    uint32_t index = (uint32_t)(id & INDEX_MASK);
    struct world *slab =
        atomic_load_explicit(&e->slabs[index / WORLDS_PER_SLAB], memory_order_acquire);
    return slab && id ? &slab[index % WORLDS_PER_SLAB] : NULL;
}

void world_soon(struct sosia_engine *e, uint64_t id)
{
    const char *w = (const char *)place_of(e, id);
    for (size_t at = 0; w && at < sizeof(struct world); at += 64)
        __builtin_prefetch(w + at);
}

static struct world *no_such_world(struct sosia_err *err)
{
    sosia_fail(err, SOSIA_E_NOT_FOUND, "worldNotFound", NULL, "there is no such world");
    return NULL;
}

/* Of a locked place: the world of the id, or unlocked and NULL. */
static struct world *is_there(struct world *w, uint64_t id, struct sosia_err *err)
{
    __builtin_prefetch(w->now.root);
    if (w->id == id && !(w->flags & WORLD_DROPPED))
        return w;
    world_drop(w);
    return no_such_world(err);
}

static struct world *is_alive(struct world *w, struct sosia_err *err)
{
    const struct world_extra *x = w->extra;
    if (x && x->expires_us != US_NEVER &&
        (x->expires_by_clock ? world_now(w) : real_now_us()) >= x->expires_us)
        no_such_world(err);
    else if (w->flags & WORLD_BROKEN)
        sosia_fail(err, SOSIA_E_IO, NULL, NULL, "the world's store has failed");
    else
        return w;
    world_drop(w);
    return NULL;
}

struct world *world_take_any(struct sosia_engine *e, uint64_t id, struct sosia_err *err)
{
    struct world *w = place_of(e, id);
    if (!w)
        return no_such_world(err);
    stop_in_world(id);
    lock_take(&w->lock);
    return is_there(w, id, err);
}

struct world *world_look(struct sosia_engine *e, uint64_t id, struct sosia_err *err)
{
    struct world *w = world_take_any(e, id, err);
    return w ? is_alive(w, err) : NULL;
}

int world_fetch(struct sosia_engine *e, struct world *w, struct sosia_err *err)
{
    return world_is_parked(w) ? e->keeper->fetch(e->durable, w, err) : 0;
}

struct world *world_take(struct sosia_engine *e, uint64_t id, struct sosia_err *err)
{
    struct world *w = world_look(e, id, err);
    if (!w)
        return NULL;
    w->used = (uint16_t)atomic_load_explicit(&e->ticks, memory_order_relaxed);
    if (world_fetch(e, w, err) == 0)
        return w;
    world_drop(w);
    return NULL;
}

struct world *world_take_soon(struct sosia_engine *e, uint64_t id, bool *ret_busy,
                              struct sosia_err *err)
{
    struct world *w = place_of(e, id);
    if (!w)
        return no_such_world(err);
    stop_in_world(id);
    if (!pass_try(&w->lock, id)) {
        *ret_busy = true;
        return NULL;
    }
    w = is_there(w, id, err);
    if (!w || !(w = is_alive(w, err)))
        return NULL;
    if (world_is_parked(w)) {
        world_drop(w);
        *ret_busy = true;
        return NULL;
    }
    w->used = (uint16_t)atomic_load_explicit(&e->ticks, memory_order_relaxed);
    return w;
}

void world_key(uint64_t id, char ret_key[17])
{
    for (int i = 0; i < 16; i++)
        ret_key[i] = "0123456789abcdef"[id >> (60 - 4 * i) & 15];
    ret_key[16] = 0;
}

uint64_t world_id_from_key(const char *key, size_t len)
{
    uint64_t id = 0;
    if (len != 16)
        return 0;
    for (size_t i = 0; i < 16; i++) {
        char c = key[i];
        int d = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
        if (d < 0)
            return 0;
        id = id << 4 | (uint64_t)d;
    }
    return id;
}

void world_count_journal(struct sosia_engine *e, struct journal *j)
{
    store_count(e->store, (int64_t)(j->bytes - j->counted));
    j->counted = j->bytes;
}

bool world_is_full(const struct sosia_engine *e, const struct world *w)
{
    uint64_t max = e->options.max_world_size,
             own = (uint64_t)w->now.n_private * STORE_PAGE_SIZE +
                   (w->extra ? journal_size(&w->extra->journal) : 0);
    return (max && own >= max) || store_is_full(e->store);
}

int world_each(struct sosia_engine *e, uint64_t after, int (*fn)(void *arg, struct world *w),
               void *arg)
{
    unsigned first = after ? (unsigned)(after & INDEX_MASK) + 1 : 0;
    for (unsigned s = first / WORLDS_PER_SLAB; s < SLABS; s++) {
        struct world *slab = atomic_load_explicit(&e->slabs[s], memory_order_acquire);
        unsigned from = s == first / WORLDS_PER_SLAB ? first % WORLDS_PER_SLAB : 0;
        for (unsigned i = from; slab && i < WORLDS_PER_SLAB; i++) {
            struct world *w = &slab[i];
            lock_take(&w->lock);
            int r = w->id && !(w->flags & WORLD_DROPPED) ? fn(arg, w) : 0;
            world_drop(w);
            if (r)
                return r;
        }
    }
    return 0;
}

int64_t engine_live(const struct sosia_engine *e)
{
    int64_t n = 0;
    for (unsigned i = 0; i < ID_SHARDS; i++)
        n += atomic_load_explicit(&e->shards[i].live, memory_order_relaxed);
    return n;
}
