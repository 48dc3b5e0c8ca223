/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Worlds that sleep: they are on disk, and in memory there is a world's struct and the ids of its
 * roots. Who takes one reads its pages first, under no lock but the world's own.
 *
 * What sleeping worlds have is counted by id ("held"): a root by each world, and what a row refers
 * to once a row, as long as that row is held itself. What is held and in memory too is on the
 * shelf, with a reference of the shelf's: a world that wakes takes it from there, so that what
 * worlds share is in memory once. So what is not on the shelf is either not held or not in memory;
 * what is held never dies, and a page or node of which the last reference is gone is in no state on
 * disk, as invariant 1 has it.
 */
#include "engine/world/durable/durable_impl.h"
#include <stdio.h>
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
static void let_go(struct durable *d, struct node *n)
{
    if (--*count_of(&d->held_nodes, n->id))
        return;
    *shelf_of(&d->held_nodes, n->id) = NULL;
    for (unsigned i = 0; i < n->n; i++) {
        uint64_t id = id_of(n, i);
        if (n->level) {
            let_go(d, n->child[i]);
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

static void purge_below(struct durable *d, unsigned level, const uint64_t *ids, unsigned count)
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
    purge_below(d, level, below, count);
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
        purge_below(d, 0, &id, 1);
}

/* ---- bases ---- */

/* A base on the shelf has a tree of the shelf's. */
struct shelved {
    struct base *base;
    uint32_t shard;
};

static void purge_base(struct durable *d, uint64_t id)
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

/* The base if it is on the shelf. */
static bool find_base(struct durable *d, uint64_t id, struct tree *ret)
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

static void let_go_base(struct durable *d, uint64_t id)
{
    void **at = shelf_of(&d->held_bases, id);
    struct shelved *s = *at;
    if (--*count_of(&d->held_bases, id) || !s)
        return;
    *at = NULL;
    base_release(s->base, s->shard); /* not the last */
    free(s);
}

/* ---- reading ---- */

/* A connection that reads, of which each thread that wakes a world has one. */
struct reader {
    sqlite3 *db;
    sqlite3_stmt *page, *node, *base, *part, *journal;
    struct reader *next;
};

static void reader_close(struct reader *r)
{
    sqlite3_finalize(r->page);
    sqlite3_finalize(r->node);
    sqlite3_finalize(r->base);
    sqlite3_finalize(r->part);
    sqlite3_finalize(r->journal);
    sqlite3_close(r->db);
    free(r);
}

static int reader_fail(struct reader *r, struct sosia_err *err)
{
    int rc = r->db ? sqlite3_errcode(r->db) : SQLITE_NOMEM;
    if ((rc & 0xff) == SQLITE_NOMEM || rc == SQLITE_IOERR_NOMEM)
        return sosia_fail_memory(err);
    return sosia_fail(err, SOSIA_E_IO, NULL, NULL, "the data directory can't be read: %s",
                      sqlite3_errmsg(r->db));
}

#define SELECT(kind, columns, rest)                                                                \
    "select " columns ", sum = " ROW_SUM(kind, columns) " from " kind " " rest

static struct reader *reader_open(struct durable *d, struct sosia_err *err)
{
    struct reader *r = calloc(1, sizeof *r);
    if (!r) {
        sosia_fail_memory(err);
        return NULL;
    }
    const struct {
        sqlite3_stmt **st;
        const char *text;
    } texts[] = {
        {&r->page, SELECT("page", PAGE_COLUMNS, "where id = ?")},
        {&r->node, SELECT("node", NODE_COLUMNS, "where id = ?")},
        {&r->base, SELECT("base", BASE_COLUMNS, "where id = ?")},
        {&r->part, SELECT("base_part", BASE_PART_COLUMNS, "where base = ? order by part")},
        {&r->journal, SELECT("journal", JOURNAL_COLUMNS, "where id >= ?1 and id < ?2 order by id")},
    };
    int rc = sqlite3_open_v2(sqlite3_db_filename(d->db, "main"), &r->db,
                             SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, DURABLE_VFS);
    if (rc == SQLITE_OK)
        rc = sqlite3_busy_timeout(r->db, READER_WAIT_MS);
    if (rc == SQLITE_OK)
        rc = rows_functions(r->db);
    if (rc == SQLITE_OK)
        rc = sqlite3_exec(r->db, "pragma query_only = on; pragma cache_size = -1000", NULL, NULL,
                          NULL);
    for (size_t i = 0; rc == SQLITE_OK && i < SOSIA_LEN(texts); i++)
        rc = sqlite3_prepare_v3(r->db, texts[i].text, -1, SQLITE_PREPARE_PERSISTENT, texts[i].st,
                                NULL);
    if (rc == SQLITE_OK)
        return r;
    reader_fail(r, err);
    reader_close(r);
    return NULL;
}

static struct reader *reader_take(struct durable *d, struct sosia_err *err)
{
    pthread_mutex_lock(&d->held_lock);
    struct reader *r = d->readers;
    if (r)
        d->readers = r->next;
    pthread_mutex_unlock(&d->held_lock);
    return r ? r : reader_open(d, err);
}

static void reader_drop(struct durable *d, struct reader *r)
{
    pthread_mutex_lock(&d->held_lock);
    r->next = d->readers;
    d->readers = r;
    pthread_mutex_unlock(&d->held_lock);
}

void readers_close(struct durable *d)
{
    while (d->readers) {
        struct reader *r = d->readers;
        d->readers = r->next;
        reader_close(r);
    }
}

struct waking {
    struct durable *d;
    struct reader *r;
    struct page_cache *cache;
    struct sosia_err *err;
};

static int damaged(struct waking *k, const char *kind, uint64_t id, const char *what)
{
    return rows_damaged(k->d, kind, id, what, k->err);
}

static uint64_t column(sqlite3_stmt *st, int i)
{
    return (uint64_t)sqlite3_column_int64(st, i);
}

static bool is_sound(sqlite3_stmt *st)
{
    return sqlite3_column_int(st, sqlite3_column_count(st) - 1) == 1;
}

/* The row of an id, sound; the statement is to be reset. */
static int read_row(struct waking *k, sqlite3_stmt *st, const char *kind, uint64_t id)
{
    sqlite3_bind_int64(st, 1, (sqlite3_int64)id);
    int rc = sqlite3_step(st);
    if (rc == SQLITE_ROW && is_sound(st))
        return 0;
    if (rc == SQLITE_ROW)
        damaged(k, kind, id, NOT_AS_WRITTEN);
    else if (rc == SQLITE_DONE)
        damaged(k, kind, id, "is not there");
    else
        reader_fail(k->r, k->err);
    sqlite3_reset(st);
    return -1;
}

/* A reference to what is on the shelf: 1; 0: it has to be read; -1: nothing has it, so that its row
 * may be another's by now. */
static int find(struct waking *k, struct held *h, const char *kind, uint64_t id, void *ret)
{
    void *at = NULL;
    pthread_mutex_lock(&k->d->held_lock);
    bool held = held_count(h, id) > 0;
    if (held && (at = *shelf_of(h, id)))
        ref(at);
    pthread_mutex_unlock(&k->d->held_lock);
    *(void **)ret = at;
    return at ? 1 : held ? 0 : damaged(k, kind, id, "is not there");
}

/* Shelves what was read, which has an id that is held. Gives what is there already, if somebody
 * else was faster: with a reference for the caller. */
static void *shelve(struct durable *d, struct held *h, uint64_t id, void *at)
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

static struct page *read_page(struct waking *k, uint64_t id)
{
    struct store *s = k->d->store;
    struct page *p, *there;
    if (find(k, &k->d->held_pages, "page", id, &p))
        return p;
    enum sosia_code code = page_new(s, k->cache, &p);
    if (code == SOSIA_E_FULL)
        sosia_fail(k->err, code, NULL, NULL,
                   "there is no room in memory for the world's pages: the limit is reached");
    else if (code)
        sosia_fail_memory(k->err);
    if (code)
        return NULL;
    if (read_row(k, k->r->page, "page", id) < 0) {
        page_unref(s, k->cache, p);
        return NULL;
    }
    bool whole = page_unpack(sqlite3_column_blob(k->r->page, 1),
                             (size_t)sqlite3_column_bytes(k->r->page, 1), p->data);
    sqlite3_reset(k->r->page);
    if (!whole) {
        page_unref(s, k->cache, p);
        damaged(k, "page", id, "is not whole");
        return NULL;
    }
    p->id = id;
    there = shelve(k->d, &k->d->held_pages, id, p);
    if (there != p) {
        p->id = 0;
        page_unref(s, k->cache, p);
    }
    return there;
}

static struct node *read_node(struct waking *k, uint64_t id, int level);

/* What a node's row refers to, into a new node. */
static int read_children(struct waking *k, struct node *n, const uint64_t *ids, unsigned count)
{
    for (; n->n < count; n->n++) {
        void *child = n->level ? (void *)read_node(k, ids[n->n], n->level - 1)
                               : (void *)read_page(k, ids[n->n]);
        if (!child)
            return -1;
        n->child[n->n] = child;
    }
    return 0;
}

/* level -1: any. */
static struct node *read_node(struct waking *k, uint64_t id, int level)
{
    struct store *s = k->d->store;
    uint64_t ids[64];
    struct node *n, *there;
    if (find(k, &k->d->held_nodes, "node", id, &n))
        return n;
    if (read_row(k, k->r->node, "node", id) < 0)
        return NULL;
    uint64_t at = column(k->r->node, 1), mask = column(k->r->node, 2);
    unsigned count = (unsigned)__builtin_popcountll(mask);
    bool whole = (level < 0 ? at < NODE_LEVELS : at == (uint64_t)level) &&
                 (size_t)sqlite3_column_bytes(k->r->node, 3) == count * sizeof *ids;
    if (whole && count)
        memcpy(ids, sqlite3_column_blob(k->r->node, 3), count * sizeof *ids);
    sqlite3_reset(k->r->node);
    if (!whole) {
        damaged(k, "node", id, "is not whole");
        return NULL;
    }
    n = node_new(s, k->cache, (unsigned)at, count ? count : 1);
    if (!n) {
        sosia_fail_memory(k->err);
        return NULL;
    }
    n->mask = mask;
    if (read_children(k, n, ids, count) < 0) {
        count = n->n;
        node_unref(s, k->cache, n);
        purge_below(k->d, (unsigned)at, ids, count);
        return NULL;
    }
    n->id = id;
    there = shelve(k->d, &k->d->held_nodes, id, n);
    if (there != n) {
        n->id = 0;
        node_unref(s, k->cache, n);
    }
    return there;
}

/* The image's parts, in order. */
static int read_parts(struct waking *k, uint64_t id, struct base *b)
{
    sqlite3_stmt *st = k->r->part;
    size_t len = (size_t)b->n_pages * STORE_PAGE_SIZE, at = 0;
    uint64_t n = 0;
    int rc;
    bool sound = true;
    sqlite3_bind_int64(st, 1, (sqlite3_int64)id);
    while (sound && (rc = sqlite3_step(st)) == SQLITE_ROW) {
        size_t part = (size_t)sqlite3_column_bytes(st, 2);
        sound = is_sound(st) && column(st, 1) == n++ && part <= len - at;
        if (sound && part)
            memcpy(b->image + at, sqlite3_column_blob(st, 2), part);
        at += part;
    }
    if (sound && rc != SQLITE_DONE)
        rc = reader_fail(k->r, k->err);
    else
        rc = sound && at == len ? 0
                                : damaged(k, "base", id, sound ? "is not whole" : NOT_AS_WRITTEN);
    sqlite3_reset(st);
    return rc;
}

/* A tree on the base, without pages of its own. */
static int read_base(struct waking *k, uint64_t id, struct tree *ret)
{
    struct durable *d = k->d;
    if (find_base(d, id, ret))
        return 0;
    if (read_row(k, k->r->base, "base", id) < 0)
        return -1;
    uint64_t n_pages = column(k->r->base, 1);
    sqlite3_reset(k->r->base);
    if (!n_pages || n_pages > UINT32_C(1) << 30)
        return damaged(k, "base", id, "is not whole");
    struct tree t = {.n_pages = (uint32_t)n_pages};
    struct shelved *room = malloc(sizeof *room);
    t.base = room ? base_new(d->store, t.n_pages, &t.shard) : NULL;
    if (!t.base) {
        free(room);
        return sosia_fail_memory(k->err);
    }
    if (read_parts(k, id, t.base) < 0) {
        tree_done(&t);
        free(room);
        return -1;
    }
    base_seal(t.base);
    pthread_mutex_lock(&d->held_lock);
    struct shelved **at = (struct shelved **)shelf_of(&d->held_bases, id);
    if (!*at) {
        t.base->id = id;
        *room = (struct shelved){.base = t.base, .shard = base_acquire(t.base)};
        *at = room;
        room = NULL;
    }
    ret->base = (*at)->base;
    ret->shard = base_acquire(ret->base);
    pthread_mutex_unlock(&d->held_lock);
    tree_done(&t);
    free(room);
    return 0;
}

static int read_tree(struct waking *k, const struct roots *from, const struct tree *like,
                     struct tree *ret)
{
    struct tree t = {.n_pages = like->n_pages, .n_private = like->n_private};
    if (read_base(k, from->base, &t) < 0)
        return -1;
    if (from->root && !(t.root = read_node(k, from->root, -1))) {
        tree_done(&t);
        return -1;
    }
    *ret = t;
    return 0;
}

/* ---- journals ---- */

int journal_read(struct durable *d, sqlite3_stmt *st, struct kept *k, struct sosia_err *err)
{
    uint64_t from = JOURNAL_FROM(k->id), last = from;
    int rc, r = 0;
    sqlite3_bind_int64(st, 1, (sqlite3_int64)from);
    sqlite3_bind_int64(st, 2, (sqlite3_int64)(from + JOURNAL_IDS));
    while (r == 0 && (rc = sqlite3_step(st)) == SQLITE_ROW) {
        last = column(st, 0);
        if (!is_sound(st) || column(st, 1) != k->id) {
            r = rows_damaged(d, "journal", last, NOT_AS_WRITTEN, err);
            break;
        }
        r = world_take_packed(d->engine, k->world, sqlite3_column_blob(st, 2),
                              (size_t)sqlite3_column_bytes(st, 2));
        if (r < 0)
            sosia_fail_memory(err);
        else if (r)
            r = rows_damaged(d, "journal", last, "is not whole", err);
    }
    if (r == 0 && rc != SQLITE_DONE)
        r = sosia_fail(err,
                       (rc & 0xff) == SQLITE_NOMEM || rc == SQLITE_IOERR_NOMEM ? SOSIA_E_NO_MEMORY
                                                                               : SOSIA_E_IO,
                       NULL, NULL, "the data directory can't be read: %s", sqlite3_errstr(rc));
    sqlite3_reset(st);
    k->next_entry = last + 1;
    return r;
}

/* ---- waking and sleeping ---- */

static void purge_roots(struct durable *d, const struct kept *k)
{
    if (k->now.root)
        purge(d, k->now.root);
    if (k->start.root)
        purge(d, k->start.root);
    purge_base(d, k->now.base);
    purge_base(d, k->start.base);
}

/* Its entries are on disk: they leave memory, with what they go on from. */
static void forget_journal(struct durable *d, struct world *w)
{
    if (w->past || (w->extra && w->extra->journal.n))
        world_set_past(d->engine, w, NULL);
}

static bool same_tables(const struct tree *t, const struct tree *empty)
{
    return memcmp(tree_page(t, 0) + HEADER_COOKIE, tree_page(empty, 0) + HEADER_COOKIE, 4) == 0;
}

static int read_world(struct waking *k, struct world *w, struct tree *now, struct tree *start)
{
    struct kept *kept = w->kept;
    const struct tree *empty = &k->d->engine->empty;
    if (read_tree(k, &kept->now, &w->now, now) < 0 ||
        read_tree(k, &kept->start, &w->start, start) < 0)
        return -1;
    if (!same_tables(now, empty) || !same_tables(start, empty))
        return damaged(k, "world", 0, "a world has other tables than this version's");
    return journal_read(k->d, k->r->journal, kept, k->err);
}

int durable_wake(struct durable *d, struct world *w, struct sosia_err *err)
{
    struct kept *k = w->kept;
    struct tree now = {0}, start = {0}, asleep_now = w->now, asleep_start = w->start;
    struct waking waking = {.d = d, .cache = page_cache(d->store), .err = err};
    if (!(waking.r = reader_take(d, err)))
        return -1;
    int rc = read_world(&waking, w, &now, &start);
    reader_drop(d, waking.r);
    if (rc == 0) {
        w->now = now;
        w->start = start;
        if (w->extra) {
            journal_mark(&w->extra->journal);
            k->generation = w->extra->journal.generation;
        }
        kept_past(k, w->past);
        k->disk = state_take(k);
        if (!k->disk)
            rc = sosia_fail_memory(err);
    }
    if (rc < 0) {
        w->now = asleep_now;
        w->start = asleep_start;
        tree_done(&now);
        tree_done(&start);
        forget_journal(d, w);
        kept_past(k, NULL);
        purge_roots(d, k);
        return -1;
    }
    k->n_private = w->now.n_private;
    pthread_mutex_lock(&d->held_lock);
    if (now.root)
        let_go(d, now.root);
    if (start.root)
        let_go(d, start.root);
    let_go_base(d, k->now.base);
    let_go_base(d, k->start.base);
    pthread_mutex_unlock(&d->held_lock);
    k->asleep = false;
    return 0;
}

static bool same_tree(const struct tree *a, const struct tree *b)
{
    return a->base == b->base && a->root == b->root && a->n_pages == b->n_pages;
}

/* What is on disk is what it is now, and no change of it is on its way. */
static bool at_rest(struct durable *d, const struct world *w)
{
    const struct kept *k = w->kept;
    if (!k || !k->disk || !w->now.base || w->flags & (WORLD_BROKEN | WORLD_DROPPED | WORLD_REPLAY))
        return false;
    pthread_mutex_lock(&d->mutex);
    bool busy = k->in_queue || k->in_batch || d->restoring || d->n_lost;
    pthread_mutex_unlock(&d->mutex);
    return !busy && same_tree(&w->now, &k->disk->now) && same_tree(&w->start, &k->disk->start) &&
           w->now.base->id && w->start.base->id;
}

static bool reserve_world(struct durable *d, const struct world *w)
{
    return held_reserve(&d->held_bases, w->now.base->id) &&
           held_reserve(&d->held_bases, w->start.base->id) &&
           (!w->now.root || reserve_tree(d, w->now.root)) &&
           (!w->start.root || reserve_tree(d, w->start.root));
}

static struct roots roots_of(const struct tree *t)
{
    return (struct roots){.base = t->base->id, .root = t->root ? t->root->id : 0};
}

/* Only its size is left of it. */
static void forget_tree(struct tree *t)
{
    struct tree left = {.n_pages = t->n_pages, .n_private = t->n_private};
    tree_done(t);
    *t = left;
}

bool durable_sleep(struct durable *d, struct world *w)
{
    struct kept *k = w->kept;
    if (!at_rest(d, w))
        return false;
    if (durable_has_moved(w)) { /* next time */
        (void)durable_put(d, w, 0, NULL);
        return false;
    }
    struct shelved *room = malloc(sizeof *room), *more = malloc(sizeof *more);
    pthread_mutex_lock(&d->held_lock);
    bool fits = room && more && reserve_world(d, w);
    if (fits) {
        if (w->now.root)
            hold(d, w->now.root);
        if (w->start.root)
            hold(d, w->start.root);
        hold_base(d, w->now.base, &room);
        hold_base(d, w->start.base, room ? &room : &more);
    }
    pthread_mutex_unlock(&d->held_lock);
    free(room);
    free(more);
    if (!fits)
        return false;
    k->now = roots_of(&w->now);
    k->start = roots_of(&w->start);
    k->beside = w->extra ? journal_size(&w->extra->journal) : 0;
    k->asleep = true;
    state_free(k->disk);
    k->disk = NULL;
    forget_tree(&w->now);
    forget_tree(&w->start);
    w->version++;
    forget_journal(d, w);
    kept_past(k, NULL);
    purge_roots(d, k);
    return true;
}

uint64_t durable_beside(const struct world *w)
{
    return w->kept ? w->kept->beside : 0;
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

/* ---- a base alone ---- */

int base_read(struct durable *d, uint64_t id, struct tree *ret, struct sosia_err *err)
{
    struct waking k = {.d = d, .cache = page_cache(d->store), .err = err};
    if (!(k.r = reader_take(d, err)))
        return -1;
    struct tree t = {0};
    int rc = read_base(&k, id, &t);
    reader_drop(d, k.r);
    if (rc < 0)
        return -1;
    t.n_pages = t.base->n_pages;
    *ret = t;
    return 0;
}

void base_put_back(struct durable *d, struct tree *t)
{
    uint64_t id = t->base->id;
    tree_done(t);
    purge_base(d, id);
}
