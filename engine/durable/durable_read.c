/* SPDX-License-Identifier: Apache-2.0 */
/* Rows are read: of a world that was parked, and of a base, by a connection that nobody else uses
 * meanwhile. */
#include "engine/durable/durable_impl.h"
#include <stdlib.h>

/* A connection that reads, of which each thread that fetches a world has one. */
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

struct fetching {
    struct durable *d;
    struct reader *r;
    struct page_cache *cache;
    struct sosia_err *err;
};

static int row_damaged(struct fetching *k, const char *kind, uint64_t id, const char *what)
{
    return rows_damaged(k->d, kind, id, what, k->err);
}

/* The row of an id, sound; the statement is to be reset. */
static int read_row(struct fetching *k, sqlite3_stmt *st, const char *kind, uint64_t id)
{
    sqlite3_bind_int64(st, 1, (sqlite3_int64)id);
    int rc = sqlite3_step(st);
    if (rc == SQLITE_ROW && row_is_sound(st))
        return 0;
    if (rc == SQLITE_ROW)
        row_damaged(k, kind, id, NOT_AS_WRITTEN);
    else if (rc == SQLITE_DONE)
        row_damaged(k, kind, id, NOT_THERE);
    else
        reader_fail(k->r, k->err);
    sqlite3_reset(st);
    return -1;
}

static struct page *read_page(struct fetching *k, uint64_t id)
{
    struct store *s = k->d->store;
    struct page *p, *shelved;
    int there = shelf_take(k->d, &k->d->held_pages, id, &p);
    if (there < 0)
        row_damaged(k, "page", id, NOT_THERE);
    if (there)
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
        row_damaged(k, "page", id, "is not whole");
        return NULL;
    }
    p->id = id;
    shelved = shelf_put(k->d, &k->d->held_pages, id, p);
    if (shelved != p) {
        p->id = 0;
        page_unref(s, k->cache, p);
    }
    return shelved;
}

static struct node *read_node(struct fetching *k, uint64_t id, int level);

/* What a node's row refers to, into a new node. */
static int read_children(struct fetching *k, struct node *n, const uint64_t *ids, unsigned count)
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
static struct node *read_node(struct fetching *k, uint64_t id, int level)
{
    struct store *s = k->d->store;
    uint64_t ids[64];
    struct node *n, *shelved;
    int there = shelf_take(k->d, &k->d->held_nodes, id, &n);
    if (there < 0)
        row_damaged(k, "node", id, NOT_THERE);
    if (there)
        return n;
    if (read_row(k, k->r->node, "node", id) < 0)
        return NULL;
    uint64_t at = row_number(k->r->node, 1), mask = row_number(k->r->node, 2);
    unsigned count = (unsigned)__builtin_popcountll(mask);
    bool whole = (level < 0 ? at < NODE_LEVELS : at == (uint64_t)level) &&
                 (size_t)sqlite3_column_bytes(k->r->node, 3) == count * sizeof *ids;
    if (whole && count)
        memcpy(ids, sqlite3_column_blob(k->r->node, 3), count * sizeof *ids);
    sqlite3_reset(k->r->node);
    if (!whole) {
        row_damaged(k, "node", id, "is not whole");
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
        shelf_purge_below(k->d, (unsigned)at, ids, count);
        return NULL;
    }
    n->id = id;
    shelved = shelf_put(k->d, &k->d->held_nodes, id, n);
    if (shelved != n) {
        n->id = 0;
        node_unref(s, k->cache, n);
    }
    return shelved;
}

/* The image's parts, in order. */
static int read_parts(struct fetching *k, uint64_t id, struct base *b)
{
    sqlite3_stmt *st = k->r->part;
    size_t len = (size_t)b->n_pages * STORE_PAGE_SIZE, at = 0;
    uint64_t n = 0;
    int rc;
    bool sound = true;
    sqlite3_bind_int64(st, 1, (sqlite3_int64)id);
    while (sound && (rc = sqlite3_step(st)) == SQLITE_ROW) {
        size_t part = (size_t)sqlite3_column_bytes(st, 2);
        sound = row_is_sound(st) && row_number(st, 1) == n++ && part <= len - at;
        if (sound && part)
            memcpy(b->image + at, sqlite3_column_blob(st, 2), part);
        at += part;
    }
    if (sound && rc != SQLITE_DONE)
        rc = reader_fail(k->r, k->err);
    else
        rc = sound && at == len
                 ? 0
                 : row_damaged(k, "base", id, sound ? "is not whole" : NOT_AS_WRITTEN);
    sqlite3_reset(st);
    return rc;
}

/* A tree on the base, without pages of its own. */
static int read_base(struct fetching *k, uint64_t id, struct tree *ret)
{
    struct durable *d = k->d;
    if (shelf_take_base(d, id, ret))
        return 0;
    if (read_row(k, k->r->base, "base", id) < 0)
        return -1;
    uint64_t n_pages = row_number(k->r->base, 1);
    sqlite3_reset(k->r->base);
    if (!n_pages || n_pages > UINT32_C(1) << 30)
        return row_damaged(k, "base", id, "is not whole");
    struct tree t = {.n_pages = (uint32_t)n_pages};
    t.base = base_new(d->store, t.n_pages, &t.shard);
    if (!t.base)
        return sosia_fail_memory(k->err);
    int rc = read_parts(k, id, t.base);
    if (rc == 0) {
        base_seal(t.base);
        if (shelf_put_base(d, id, &t) < 0)
            rc = sosia_fail_memory(k->err);
    }
    if (rc < 0) {
        tree_done(&t);
        return -1;
    }
    ret->base = t.base;
    ret->shard = t.shard;
    return 0;
}

static int read_tree(struct fetching *k, const struct roots *from, const struct tree *like,
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
        last = row_number(st, 0);
        if (!row_is_sound(st) || row_number(st, 1) != k->id) {
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

/* ---- a world ---- */

bool has_tables(const struct durable *d, const struct tree *t)
{
    uint32_t cookie = get4(tree_page(t, 0) + HEADER_COOKIE);
    return cookie == get4(tree_page(&d->engine->empty, 0) + HEADER_COOKIE) ||
           (d->from && cookie == d->tables_cookie);
}

static int read_rows(struct fetching *k, struct world *w, struct tree *now, struct tree *start)
{
    struct kept *kept = w->kept;
    if (read_tree(k, &kept->now, &w->now, now) < 0 ||
        read_tree(k, &kept->start, &w->start, start) < 0)
        return -1;
    if (!has_tables(k->d, now) || !has_tables(k->d, start))
        return row_damaged(k, "world", 0, "a world has other tables than this version's");
    return journal_read(k->d, k->r->journal, kept, k->err);
}

int world_read_rows(struct durable *d, struct world *w, struct tree *ret_now,
                    struct tree *ret_start, struct sosia_err *err)
{
    struct fetching fetching = {.d = d, .cache = page_cache(d->store), .err = err};
    if (!(fetching.r = reader_take(d, err)))
        return -1;
    int rc = read_rows(&fetching, w, ret_now, ret_start);
    reader_drop(d, fetching.r);
    return rc;
}

/* ---- a base alone ---- */

int base_read(struct durable *d, uint64_t id, struct tree *ret, struct sosia_err *err)
{
    struct fetching k = {.d = d, .cache = page_cache(d->store), .err = err};
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
    shelf_purge_base(d, id);
}
