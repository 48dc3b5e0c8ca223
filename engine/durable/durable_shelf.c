/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What parked worlds have, counted by id ("held"): a root by each world, and what a row refers to
 * once a row, as long as that row is held itself. What is held and in memory too is on the shelf,
 * with a reference of the shelf's: a world that is fetched takes it from there, so that what worlds
 * share is in memory once. So what is not on the shelf is either not held or not in memory; what is
 * held never dies, and a page or node of which the last reference is gone is in no state on disk,
 * as invariant 1 has it.
 */
#include "engine/durable/durable_impl.h"
#include <stdlib.h>

/* ---- what is held ---- */

struct held_block {
    uint32_t held[HELD_BLOCK];
    void *at[HELD_BLOCK]; /* on the shelf; NULL: it is not in memory */
};

bool held_reserve(struct held *h, uint64_t id)
{
    size_t n = (size_t)(id / HELD_BLOCK) + 1;
    if (id >= HELD_IDS)
        return false;
    if (n > h->n) {
        size_t cap = n + n / 4 + 16;
        struct held_block **v = realloc(h->block, cap * sizeof *v);
        if (!v)
            return false;
        memset(v + h->n, 0, (cap - h->n) * sizeof *v);
        h->block = v;
        h->n = cap;
    }
    struct held_block **at = &h->block[n - 1];
    if (!*at)
        *at = calloc(1, sizeof **at);
    return *at != NULL;
}

static struct held_block *block_of(const struct held *h, uint64_t id)
{
    return id / HELD_BLOCK < h->n ? h->block[id / HELD_BLOCK] : NULL;
}

/* Of an id that there is room for. */
static uint32_t *count_of(struct held *h, uint64_t id)
{
    return &h->block[id / HELD_BLOCK]->held[id % HELD_BLOCK];
}

static void **shelf_of(struct held *h, uint64_t id)
{
    return &h->block[id / HELD_BLOCK]->at[id % HELD_BLOCK];
}

uint32_t held_count(const struct held *h, uint64_t id)
{
    const struct held_block *b = block_of(h, id);
    return b ? b->held[id % HELD_BLOCK] : 0;
}

uint32_t held_add(struct held *h, uint64_t id)
{
    return (*count_of(h, id))++;
}

void held_free(struct held *h)
{
    for (size_t i = 0; i < h->n; i++)
        free(h->block[i]);
    free(h->block);
}

/* Pages and nodes begin with their reference count. */
static void ref(void *at)
{
    atomic_fetch_add_explicit((_Atomic(uint32_t) *)at, 1, memory_order_relaxed);
}

/* Not the last one. */
static void unref(void *at)
{
    atomic_fetch_sub_explicit((_Atomic(uint32_t) *)at, 1, memory_order_acq_rel);
}

static uint64_t id_of(const struct node *n, unsigned i)
{
    return n->level ? ((const struct node *)n->child[i])->id
                    : ((const struct page *)n->child[i])->id;
}

/* ---- holding, and letting go: under the shelf's lock ---- */

/* Room for all ids in the tree. */
static bool reserve_tree(struct durable *d, const struct node *n)
{
    if (!n->id || !held_reserve(&d->held_nodes, n->id))
        return false;
    for (unsigned i = 0; i < n->n; i++)
        if (n->level ? !reserve_tree(d, n->child[i])
                     : !id_of(n, i) || !held_reserve(&d->held_pages, id_of(n, i)))
            return false;
    return true;
}

static void hold_row(struct held *h, uint64_t id, void *at)
{
    void **shelf = shelf_of(h, id);
    if (!*shelf) {
        ref(at);
        *shelf = at;
    }
}

static void hold(struct durable *d, struct node *n)
{
    if ((*count_of(&d->held_nodes, n->id))++)
        return;
    hold_row(&d->held_nodes, n->id, n);
    for (unsigned i = 0; i < n->n; i++) {
        if (n->level)
            hold(d, n->child[i]);
        else if (!(*count_of(&d->held_pages, id_of(n, i)))++)
            hold_row(&d->held_pages, id_of(n, i), n->child[i]);
    }
}

/* What is in memory, and has another reference than the shelf's, is held once less. */
static void unhold(struct durable *d, struct node *n)
{
    if (--*count_of(&d->held_nodes, n->id))
        return;
    *shelf_of(&d->held_nodes, n->id) = NULL;
    for (unsigned i = 0; i < n->n; i++) {
        uint64_t id = id_of(n, i);
        if (n->level) {
            unhold(d, n->child[i]);
        } else if (!--*count_of(&d->held_pages, id)) {
            *shelf_of(&d->held_pages, id) = NULL;
            unref(n->child[i]);
        }
    }
    unref(n);
}

/* ---- taking from the shelf what nobody else has ---- */

static bool sole(void *at)
{
    return at && atomic_load_explicit((_Atomic(uint32_t) *)at, memory_order_acquire) == 1;
}

/* The only reference to what is on the shelf: it is taken away. */
static void *take_sole(struct durable *d, struct held *h, uint64_t id)
{
    void *at = NULL;
    pthread_mutex_lock(&d->held_lock);
    if (block_of(h, id) && sole(*shelf_of(h, id))) {
        at = *shelf_of(h, id);
        *shelf_of(h, id) = NULL;
    }
    pthread_mutex_unlock(&d->held_lock);
    return at;
}

static void purge(struct durable *d, uint64_t id);

void shelf_purge_below(struct durable *d, unsigned level, const uint64_t *ids, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        struct page *p = level ? NULL : take_sole(d, &d->held_pages, ids[i]);
        if (level)
            purge(d, ids[i]);
        if (p) {
            p->id = 0;
            page_unref(d->store, page_cache(d->store), p);
        }
    }
}

/* The node and what is below it leave memory, as far as the shelf alone has them. What dies so is
 * on disk still, and so has no id then that would be reported as free. */
static void purge(struct durable *d, uint64_t id)
{
    struct node *n = take_sole(d, &d->held_nodes, id);
    uint64_t below[64];
    if (!n)
        return;
    unsigned level = n->level, count = n->n;
    for (unsigned i = 0; i < count; i++)
        below[i] = id_of(n, i);
    n->id = 0;
    node_unref(d->store, page_cache(d->store), n);
    shelf_purge_below(d, level, below, count);
}

/* An id on the shelf from `from` on that nobody else has; 0: none. */
static uint64_t find_sole(struct durable *d, const struct held *h, uint64_t from)
{
    uint64_t found = 0;
    pthread_mutex_lock(&d->held_lock);
    for (uint64_t id = from; !found && id / HELD_BLOCK < h->n; id++) {
        const struct held_block *b = h->block[id / HELD_BLOCK];
        if (!b)
            id |= HELD_BLOCK - 1;
        else if (sole(b->at[id % HELD_BLOCK]))
            found = id;
    }
    pthread_mutex_unlock(&d->held_lock);
    return found;
}

void durable_tidy(struct durable *d)
{
    for (uint64_t id = 1; (id = find_sole(d, &d->held_nodes, id)); id++)
        purge(d, id);
    for (uint64_t id = 1; (id = find_sole(d, &d->held_pages, id)); id++)
        shelf_purge_below(d, 0, &id, 1);
}

/* ---- bases ---- */

/* A base on the shelf has a tree of the shelf's. */
struct shelved {
    struct base *base;
    uint32_t shard;
};

void shelf_purge_base(struct durable *d, uint64_t id)
{
    struct shelved *s = NULL;
    pthread_mutex_lock(&d->held_lock);
    void **at = block_of(&d->held_bases, id) ? shelf_of(&d->held_bases, id) : NULL;
    if (at && *at && base_sole(((struct shelved *)*at)->base)) {
        s = *at;
        *at = NULL;
        s->base->id = 0;
    }
    pthread_mutex_unlock(&d->held_lock);
    if (s)
        base_release(s->base, s->shard);
    free(s);
}

bool shelf_take_base(struct durable *d, uint64_t id, struct tree *ret)
{
    pthread_mutex_lock(&d->held_lock);
    struct shelved *s = block_of(&d->held_bases, id) ? *shelf_of(&d->held_bases, id) : NULL;
    if (s) {
        ret->base = s->base;
        ret->shard = base_acquire(s->base);
    }
    pthread_mutex_unlock(&d->held_lock);
    return s != NULL;
}

/* Holds it once more, or shelves it. Under the lock. room: for the shelf; taken if it is needed. */
static void hold_base(struct durable *d, struct base *b, struct shelved **room)
{
    void **at = shelf_of(&d->held_bases, b->id);
    ++*count_of(&d->held_bases, b->id);
    if (*at)
        return;
    **room = (struct shelved){.base = b, .shard = base_acquire(b)};
    *at = *room;
    *room = NULL;
}

static void unhold_base(struct durable *d, uint64_t id)
{
    void **at = shelf_of(&d->held_bases, id);
    struct shelved *s = *at;
    if (--*count_of(&d->held_bases, id) || !s)
        return;
    *at = NULL;
    base_release(s->base, s->shard); /* not the last */
    free(s);
}

/* ---- what is read ---- */

int shelf_take(struct durable *d, struct held *h, uint64_t id, void *ret)
{
    void *at = NULL;
    pthread_mutex_lock(&d->held_lock);
    bool held = held_count(h, id) > 0;
    if (held && (at = *shelf_of(h, id)))
        ref(at);
    pthread_mutex_unlock(&d->held_lock);
    *(void **)ret = at;
    return at ? 1 : held ? 0 : -1;
}

void *shelf_put(struct durable *d, struct held *h, uint64_t id, void *at)
{
    pthread_mutex_lock(&d->held_lock);
    void **shelf = shelf_of(h, id);
    if (!*shelf)
        *shelf = at;
    at = *shelf;
    ref(at);
    pthread_mutex_unlock(&d->held_lock);
    return at;
}

int shelf_put_base(struct durable *d, uint64_t id, struct tree *t)
{
    struct shelved *room = malloc(sizeof *room);
    struct tree read = *t;
    if (!room)
        return -1;
    pthread_mutex_lock(&d->held_lock);
    struct shelved **at = (struct shelved **)shelf_of(&d->held_bases, id);
    if (!*at) {
        t->base->id = id;
        *room = (struct shelved){.base = t->base, .shard = base_acquire(t->base)};
        *at = room;
        room = NULL;
    }
    t->base = (*at)->base;
    t->shard = base_acquire(t->base);
    pthread_mutex_unlock(&d->held_lock);
    free(room);
    read.root = NULL;
    tree_done(&read);
    return 0;
}

/* ---- of a world ---- */

bool shelf_hold(struct durable *d, const struct tree *now, const struct tree *start)
{
    struct shelved *room = malloc(sizeof *room), *more = malloc(sizeof *more);
    pthread_mutex_lock(&d->held_lock);
    bool fits = room && more && held_reserve(&d->held_bases, now->base->id) &&
                held_reserve(&d->held_bases, start->base->id) &&
                (!now->root || reserve_tree(d, now->root)) &&
                (!start->root || reserve_tree(d, start->root));
    if (fits) {
        if (now->root)
            hold(d, now->root);
        if (start->root)
            hold(d, start->root);
        hold_base(d, now->base, &room);
        hold_base(d, start->base, room ? &room : &more);
    }
    pthread_mutex_unlock(&d->held_lock);
    free(room);
    free(more);
    return fits;
}

void shelf_unhold(struct durable *d, const struct kept *k, const struct tree *now,
                  const struct tree *start)
{
    pthread_mutex_lock(&d->held_lock);
    if (now->root)
        unhold(d, now->root);
    if (start->root)
        unhold(d, start->root);
    unhold_base(d, k->now.base);
    unhold_base(d, k->start.base);
    pthread_mutex_unlock(&d->held_lock);
}

void shelf_purge(struct durable *d, const struct kept *k)
{
    if (k->now.root)
        purge(d, k->now.root);
    if (k->start.root)
        purge(d, k->start.root);
    shelf_purge_base(d, k->now.base);
    shelf_purge_base(d, k->start.base);
}

/* ---- the shelf's end ---- */

void shelf_close(struct durable *d)
{
    struct page_cache *c = page_cache(d->store);
    for (size_t i = 0; i < d->held_nodes.n * HELD_BLOCK; i++) {
        struct held_block *b = block_of(&d->held_nodes, i);
        if (b)
            node_unref(d->store, c, b->at[i % HELD_BLOCK]);
    }
    for (size_t i = 0; i < d->held_pages.n * HELD_BLOCK; i++) {
        struct held_block *b = block_of(&d->held_pages, i);
        if (b && b->at[i % HELD_BLOCK])
            page_unref(d->store, c, b->at[i % HELD_BLOCK]);
    }
    for (size_t i = 0; i < d->held_bases.n * HELD_BLOCK; i++) {
        struct held_block *b = block_of(&d->held_bases, i);
        struct shelved *s = b ? b->at[i % HELD_BLOCK] : NULL;
        if (s)
            base_release(s->base, s->shard);
        free(s);
    }
}
