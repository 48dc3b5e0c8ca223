/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A page cache that is emptied in time proportional to its pages
 * (sqlite.org/c3ref/pcache_methods2).
 *
 * A slot drops all pages each time it is pointed at another world, mostly a handful. SQLite's own
 * cache goes through its whole table for that, at a division a place, and gives the pages back to
 * malloc: a microsecond of the five that the first write in a fork takes. Here pages in use are on
 * a list, and those that were dropped are kept for the next transaction.
 *
 * Each cache belongs to one connection, so there are no locks. Databases in memory, which drop
 * nothing, keep SQLite's own cache.
 */
#include "engine/store/pcache.h"
#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* At the end of a block that begins with the page: SQLite may read a few bytes beyond a page when a
 * cell in it is broken. */
struct entry {
    sqlite3_pcache_page page;
    unsigned key;
    bool pinned;
    struct entry *chain;           /* of those at the same place of the table; of unused ones */
    struct entry *before, *after;  /* of all in use */
    struct entry *earlier, *later; /* of those not pinned, in the order of their unpinning */
};

struct cache {
    sqlite3_pcache *stock; /* SQLite's own instead; NULL: none */
    size_t page_size, extra_size;
    unsigned max, n, n_pinned, n_unused;
    struct entry **table;
    unsigned mask;    /* places of the table - 1 */
    unsigned highest; /* no key is higher, but for the one that was moved */
    unsigned moved;   /* a key beyond highest that a page was given for a while; 0: none */
    struct entry *unused;
    struct entry *all;
    struct entry *oldest, *newest; /* not pinned */
};

enum { TABLE_FIRST = 256 };

static sqlite3_pcache_methods2 stock; /* set once, before SQLite is initialised */

static struct cache *cache_of(sqlite3_pcache *p)
{
    return (struct cache *)(void *)p;
}

/* ---- lists ---- */

static void unlink_unpinned(struct cache *c, struct entry *e)
{
    *(e->earlier ? &e->earlier->later : &c->oldest) = e->later;
    *(e->later ? &e->later->earlier : &c->newest) = e->earlier;
}

static void pin_entry(struct cache *c, struct entry *e)
{
    if (e->pinned)
        return;
    unlink_unpinned(c, e);
    e->pinned = true;
    c->n_pinned++;
}

static void enter(struct cache *c, struct entry *e, unsigned key)
{
    struct entry **place = &c->table[key & c->mask];
    e->key = key;
    e->chain = *place;
    *place = e;
    if (key > c->highest && key != c->moved)
        c->highest = key;
}

static void leave(struct cache *c, struct entry *e)
{
    struct entry **place = &c->table[e->key & c->mask];
    while (*place != e)
        place = &(*place)->chain;
    *place = e->chain;
    if (e->key == c->moved)
        c->moved = 0;
}

/* Takes a page out of everything. */
static void take_out(struct cache *c, struct entry *e)
{
    leave(c, e);
    *(e->before ? &e->before->after : &c->all) = e->after;
    if (e->after)
        e->after->before = e->before;
    if (e->pinned)
        c->n_pinned--;
    else
        unlink_unpinned(c, e);
    c->n--;
}

static void drop_entry(struct cache *c, struct entry *e)
{
    take_out(c, e);
    if (c->n_unused >= c->max) {
        sqlite3_free(e->page.pBuf);
        return;
    }
    e->chain = c->unused;
    c->unused = e;
    c->n_unused++;
}

static struct entry *find_entry(const struct cache *c, unsigned key)
{
    struct entry *e = c->table[key & c->mask];
    while (e && e->key != key)
        e = e->chain;
    return e;
}

/* ---- memory ---- */

static struct entry *entry_new(const struct cache *c)
{
    char *block = sqlite3_malloc64(c->page_size + c->extra_size + sizeof(struct entry));
    if (!block)
        return NULL;
    struct entry *e = (struct entry *)(void *)(block + c->page_size + c->extra_size);
    e->page = (sqlite3_pcache_page){.pBuf = block, .pExtra = block + c->page_size};
    return e;
}

/* Without memory the chains get longer instead. */
static void grow_table(struct cache *c)
{
    unsigned places = (c->mask + 1) * 2;
    struct entry **table = sqlite3_malloc64(places * sizeof *table);
    if (!table)
        return;
    memset(table, 0, places * sizeof *table);
    sqlite3_free(c->table);
    c->table = table;
    c->mask = places - 1;
    for (struct entry *e = c->all; e; e = e->after)
        enter(c, e, e->key);
}

/* A page that is in nothing yet. */
static struct entry *obtain(struct cache *c)
{
    struct entry *e;
    if (c->n >= c->max && c->oldest) {
        e = c->oldest;
        take_out(c, e);
        return e;
    }
    if (!c->unused)
        return entry_new(c);
    e = c->unused;
    c->unused = e->chain;
    c->n_unused--;
    return e;
}

static void free_unused(struct cache *c)
{
    while (c->unused) {
        struct entry *e = c->unused;
        c->unused = e->chain;
        sqlite3_free(e->page.pBuf);
    }
    c->n_unused = 0;
}

/* ---- methods ---- */

static int cache_init(void *arg)
{
    return stock.xInit(stock.pArg);
}

static void cache_shutdown(void *arg)
{
    if (stock.xShutdown)
        stock.xShutdown(stock.pArg);
}

static bool create_own(struct cache *c, int page_size, int extra_size)
{
    c->table = sqlite3_malloc64(TABLE_FIRST * sizeof *c->table);
    if (!c->table)
        return false;
    memset(c->table, 0, TABLE_FIRST * sizeof *c->table);
    c->mask = TABLE_FIRST - 1;
    c->page_size = (size_t)page_size;
    c->extra_size = ((size_t)extra_size + 15) & ~(size_t)15;
    return true;
}

static sqlite3_pcache *cache_create(int page_size, int extra_size, int purgeable)
{
    struct cache *c = sqlite3_malloc64(sizeof *c);
    if (!c)
        return NULL;
    *c = (struct cache){.stock = NULL};
    if (!purgeable)
        c->stock = stock.xCreate(page_size, extra_size, purgeable);
    if (purgeable ? !create_own(c, page_size, extra_size) : !c->stock) {
        sqlite3_free(c);
        return NULL;
    }
    return (sqlite3_pcache *)(void *)c;
}

static void cache_size(sqlite3_pcache *p, int max)
{
    struct cache *c = cache_of(p);
    if (c->stock)
        stock.xCachesize(c->stock, max);
    else
        c->max = max > 0 ? (unsigned)max : 0;
}

static int cache_count(sqlite3_pcache *p)
{
    const struct cache *c = cache_of(p);
    return c->stock ? stock.xPagecount(c->stock) : (int)c->n;
}

static sqlite3_pcache_page *cache_fetch(sqlite3_pcache *p, unsigned key, int create)
{
    struct cache *c = cache_of(p);
    if (c->stock)
        return stock.xFetch(c->stock, key, create);
    struct entry *e = find_entry(c, key);
    if (e) {
        pin_entry(c, e);
        return &e->page;
    }
    /* With create 1 the pager has another way: to write out pages that it has pinned. */
    if (!create || (create == 1 && c->n_pinned >= c->max - c->max / 10))
        return NULL;
    e = obtain(c);
    if (!e)
        return NULL;
    if (c->n > c->mask)
        grow_table(c);
    memset(e->page.pExtra, 0, sizeof(void *)); /* marks the page as new */
    e->pinned = true;
    e->before = NULL;
    e->after = c->all;
    if (c->all)
        c->all->before = e;
    c->all = e;
    c->n++;
    c->n_pinned++;
    enter(c, e, key);
    return &e->page;
}

static struct entry *entry_of(const struct cache *c, sqlite3_pcache_page *page)
{
    return (struct entry *)(void *)((char *)page->pBuf + c->page_size + c->extra_size);
}

static void cache_unpin(sqlite3_pcache *p, sqlite3_pcache_page *page, int discard)
{
    struct cache *c = cache_of(p);
    if (c->stock) {
        stock.xUnpin(c->stock, page, discard);
        return;
    }
    struct entry *e = entry_of(c, page);
    if (discard || c->n > c->max) {
        drop_entry(c, e);
        return;
    }
    e->pinned = false;
    c->n_pinned--;
    e->later = NULL;
    e->earlier = c->newest;
    *(c->newest ? &c->newest->later : &c->oldest) = e;
    c->newest = e;
}

static void cache_rekey(sqlite3_pcache *p, sqlite3_pcache_page *page, unsigned old, unsigned key)
{
    struct cache *c = cache_of(p);
    if (c->stock) {
        stock.xRekey(c->stock, page, old, key);
        return;
    }
    struct entry *e = entry_of(c, page), *other = find_entry(c, key);
    if (other && other != e)
        drop_entry(c, other);
    leave(c, e);
    /* Pages that change places get a far key in between, which does not mean that keys are far
     * apart. */
    if (key > c->highest && !c->moved)
        c->moved = key;
    enter(c, e, key);
}

static void cache_truncate(sqlite3_pcache *p, unsigned limit)
{
    struct cache *c = cache_of(p);
    if (c->stock)
        stock.xTruncate(c->stock, limit);
    if (limit > c->highest && limit > c->moved) /* as at most commits */
        return;
    if (!c->moved && c->highest - limit < c->n) { /* the last few of many */
        for (unsigned key = limit; key <= c->highest; key++) {
            struct entry *e = find_entry(c, key);
            if (e)
                drop_entry(c, e);
        }
    } else {
        for (struct entry *e = c->all, *after; e; e = after) {
            after = e->after;
            if (e->key >= limit)
                drop_entry(c, e);
        }
    }
    if (limit <= c->highest)
        c->highest = limit ? limit - 1 : 0;
}

static void cache_destroy(sqlite3_pcache *p)
{
    struct cache *c = cache_of(p);
    if (c->stock) {
        stock.xDestroy(c->stock);
    } else {
        cache_truncate(p, 0);
        free_unused(c);
    }
    sqlite3_free(c->table);
    sqlite3_free(c);
}

static void cache_shrink(sqlite3_pcache *p)
{
    struct cache *c = cache_of(p);
    if (c->stock)
        stock.xShrink(c->stock);
    while (c->oldest)
        drop_entry(c, c->oldest);
    free_unused(c);
}

void pcache_install(void)
{
    static const sqlite3_pcache_methods2 methods = {
        .iVersion = 1,
        .xInit = cache_init,
        .xShutdown = cache_shutdown,
        .xCreate = cache_create,
        .xCachesize = cache_size,
        .xPagecount = cache_count,
        .xFetch = cache_fetch,
        .xUnpin = cache_unpin,
        .xRekey = cache_rekey,
        .xTruncate = cache_truncate,
        .xDestroy = cache_destroy,
        .xShrink = cache_shrink,
    };
    if (sqlite3_config(SQLITE_CONFIG_GETPCACHE2, &stock) == SQLITE_OK)
        sqlite3_config(SQLITE_CONFIG_PCACHE2, &methods);
}
