/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of a batch: pages and nodes that were not on disk yet, worlds, journal entries, and what
 * may be deleted. */
#include "engine/durable/durable_impl.h"
#include <stdlib.h>

enum {
    FREE_ROWS = 2048,       /* free rows kept for use, of each kind */
    AHEAD_PAGES = 512,      /* of a large change that are written at once, before it: 1 MB */
    TRIM_IN_BATCH = 256,    /* rows beyond these that a batch deletes */
    TRIM_ALONE = 4096,      /* and that a transaction of its own does */
    LOG_BYTES = 16 << 20,   /* of the write-ahead log before it is moved into the database */
    VACUUM_BYTES = 4 << 20, /* of the file that are given back at once */
    JOURNAL_ROW = 16 << 20, /* bytes of entries in a row, unless one entry has more */
    /* From so many pages on a page of another kind can look like a b-tree's: it begins with the
     * number of another. */
    PACK_PAGES = 2 << 24
};

#define VALUES(kind, columns, values)                                                              \
    "into " kind " (" columns ", sum) values (" values ", " ROW_SUM(kind, values) ")"
#define INSERT(kind, columns, values)            "insert " VALUES(kind, columns, values)
#define INSERT_OR_REPLACE(kind, columns, values) "insert or replace " VALUES(kind, columns, values)

static const char *const texts[N_ST] = {
    [ST_BEGIN] = "begin immediate",
    [ST_COMMIT] = "commit",
    [ST_ROLLBACK] = "rollback",
    [ST_PAGE] = INSERT_OR_REPLACE("page", PAGE_COLUMNS, "?1, ?2"),
    [ST_NODE] = INSERT_OR_REPLACE("node", NODE_COLUMNS, "?1, ?2, ?3, ?4"),
    [ST_BASE] = INSERT("base", BASE_COLUMNS, "?1, ?2"),
    [ST_BASE_PART] = INSERT("base_part", BASE_PART_COLUMNS, "?1, ?2, ?3"),
    [ST_WORLD] = INSERT_OR_REPLACE("world", WORLD_COLUMNS,
                                   "?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, "
                                   "?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22, ?23, ?24, "
                                   "?25, ?26, ?27"),
    [ST_JOURNAL] = INSERT("journal", JOURNAL_COLUMNS, "?1, ?2, ?3"),
    [ST_META] = INSERT_OR_REPLACE("meta", META_COLUMNS, "?1, ?2"),
    /* Another value each time: SQLite does not write what is the same. */
    [ST_FENCE] = INSERT("meta", META_COLUMNS,
                        "'fence', 1") " on conflict (key) do update set "
                                      "value = value + 1, sum = " ROW_SUM("meta", "key, value + 1"),
    [ST_DEL_PAGE] = "delete from page where id = ?",
    [ST_DEL_NODE] = "delete from node where id = ?",
    [ST_DEL_BASE] = "delete from base where id = ?",
    [ST_DEL_BASE_PARTS] = "delete from base_part where base = ?",
    [ST_DEL_WORLD] = "delete from world where id = ?",
    [ST_DEL_JOURNAL] = "delete from journal where id >= ?1 and id < ?2",
};

int db_fail(struct durable *d, const char *what, struct sosia_err *err)
{
    int rc = d->db ? sqlite3_errcode(d->db) : SQLITE_NOMEM;
    enum sosia_code code = SOSIA_E_IO;
    if ((rc & 0xff) == SQLITE_FULL)
        code = SOSIA_E_FULL;
    else if ((rc & 0xff) == SQLITE_NOMEM || rc == SQLITE_IOERR_NOMEM || rc == SQLITE_OK ||
             rc == SQLITE_ROW || rc == SQLITE_DONE) /* SQLite has not failed: we have */
        code = SOSIA_E_NO_MEMORY;
    /* "disk I/O error" is as much as SQLite says: the system knows which. */
    int why = (rc & 0xff) == SQLITE_IOERR && code == SOSIA_E_IO ? sqlite3_system_errno(d->db) : 0;
    return sosia_fail(err, code, NULL, NULL, "%s: %s%s%s", what,
                      code == SOSIA_E_NO_MEMORY ? "out of memory" : sqlite3_errmsg(d->db),
                      why ? ": " : "", why ? strerror(why) : "");
}

int rows_prepare(struct durable *d, struct sosia_err *err)
{
    for (int i = 0; i < N_ST; i++)
        if (sqlite3_prepare_v3(d->db, texts[i], -1, SQLITE_PREPARE_PERSISTENT, &d->st[i], NULL) !=
            SQLITE_OK)
            return db_fail(d, "the data directory can't be used", err);
    return 0;
}

/* Runs a statement to its end and lets go of what was bound to it. */
static int run_statement(struct durable *d, int which)
{
    sqlite3_stmt *st = d->st[which];
    int rc;
    do
        rc = sqlite3_step(st);
    while (rc == SQLITE_ROW);
    rc = sqlite3_reset(st);
    sqlite3_clear_bindings(st);
    return rc == SQLITE_OK ? 0 : -1;
}

static void bind(struct durable *d, int which, int at, uint64_t v)
{
    sqlite3_bind_int64(d->st[which], at, (sqlite3_int64)v);
}

static int run_with(struct durable *d, int which, uint64_t id)
{
    bind(d, which, 1, id);
    return run_statement(d, which);
}

/* ---- ids ---- */

/* Gives what `id` belongs to its place on disk. */
static int give_id(struct durable *d, uint64_t *id, struct ids *free_ids, uint64_t *next)
{
    if (!ids_add(&d->given, (uint64_t)(uintptr_t)id))
        return -1;
    *id = free_ids && free_ids->n ? free_ids->v[--free_ids->n] : (*next)++;
    return 0;
}

static int by_id_down(const void *pa, const void *pb)
{
    uint64_t a = *(const uint64_t *)pa, b = *(const uint64_t *)pb;
    return (a < b) - (a > b);
}

/* Without memory some rows stay until the next open finds that nothing refers to them. In order, so
 * that what is written together is together: fewer pages of the file are changed. */
static void take_freed(struct ids *to, struct ids *from)
{
    if (from->n > 1)
        qsort(from->v, from->n, sizeof *from->v, by_id_down);
    for (size_t i = 0; i < from->n; i++)
        (void)ids_add(to, from->v[i]);
    free(from->v);
}

void freed_take(struct durable *d)
{
    struct ids pages, nodes, bases;
    lock_take(&d->freed_lock);
    pages = d->freed_pages;
    nodes = d->freed_nodes;
    bases = d->freed_bases;
    d->freed_pages = d->freed_nodes = d->freed_bases = (struct ids){0};
    lock_drop(&d->freed_lock);
    take_freed(&d->pages, &pages);
    take_freed(&d->nodes, &nodes);
    take_freed(&d->bases, &bases);
}

static int begin(struct durable *d)
{
    freed_take(d);
    d->given.n = 0;
    d->left = SIZE_MAX;
    d->n_pages_before = d->pages.n;
    d->n_nodes_before = d->nodes.n;
    d->next_page_before = d->next_page;
    d->next_node_before = d->next_node;
    d->next_base_before = d->next_base;
    return run_statement(d, ST_BEGIN);
}

/* What was taken from the lists of free rows is still behind their ends. */
static void undo(struct durable *d)
{
    if (!sqlite3_get_autocommit(d->db))
        (void)run_statement(d, ST_ROLLBACK); /* nothing of a transaction that can't be rolled back
                                      is committed either */
    for (size_t i = 0; i < d->given.n; i++)
        *(uint64_t *)(uintptr_t)d->given.v[i] = 0;
    d->pages.n = d->n_pages_before;
    d->nodes.n = d->n_nodes_before;
    d->next_page = d->next_page_before;
    d->next_node = d->next_node_before;
    d->next_base = d->next_base_before;
    log_has_remains(d);
}

/* ---- trees ---- */

static int put_page(struct durable *d, struct page *p)
{
    if (!d->left)
        return 1;
    d->left--;
    if (give_id(d, &p->id, &d->pages, &d->next_page) < 0)
        return -1;
    uint8_t packed[STORE_PAGE_SIZE];
    size_t len = d->pack ? page_pack(p->data, packed) : 0;
    sqlite3_bind_blob(d->st[ST_PAGE], 2, len ? packed : p->data, (int)(len ? len : STORE_PAGE_SIZE),
                      SQLITE_STATIC);
    d->stats_writing.bytes += len ? len : STORE_PAGE_SIZE;
    return run_with(d, ST_PAGE, p->id);
}

/* 1: not all of it could be written, the transaction is large enough. */
static int put_node(struct durable *d, struct node *n)
{
    uint64_t children[64];
    for (unsigned i = 0; i < n->n; i++) {
        uint64_t *id =
            n->level ? &((struct node *)n->child[i])->id : &((struct page *)n->child[i])->id;
        int rc = *id ? 0 : n->level ? put_node(d, n->child[i]) : put_page(d, n->child[i]);
        if (rc)
            return rc;
        children[i] = *id;
    }
    if (give_id(d, &n->id, &d->nodes, &d->next_node) < 0)
        return -1;
    bind(d, ST_NODE, 2, n->level);
    bind(d, ST_NODE, 3, n->mask);
    sqlite3_bind_blob(d->st[ST_NODE], 4, children, n->n * (int)sizeof *children, SQLITE_STATIC);
    d->stats_writing.bytes += n->n * sizeof *children;
    return run_with(d, ST_NODE, n->id);
}

static int put_base(struct durable *d, struct base *b)
{
    size_t len = (size_t)b->n_pages * STORE_PAGE_SIZE;
    if (b->id)
        return 0;
    if (give_id(d, &b->id, NULL, &d->next_base) < 0)
        return -1;
    bind(d, ST_BASE, 2, b->n_pages);
    if (run_with(d, ST_BASE, b->id) < 0)
        return -1;
    for (size_t at = 0; at < len; at += DURABLE_BASE_PART) {
        size_t part = len - at < DURABLE_BASE_PART ? len - at : DURABLE_BASE_PART;
        bind(d, ST_BASE_PART, 2, at / DURABLE_BASE_PART);
        sqlite3_bind_blob(d->st[ST_BASE_PART], 3, b->image + at, (int)part, SQLITE_STATIC);
        if (run_with(d, ST_BASE_PART, b->id) < 0)
            return -1;
    }
    d->stats_writing.bytes += len;
    return 0;
}

static int put_tree(struct durable *d, const struct tree *t)
{
    if (put_base(d, t->base) < 0)
        return -1;
    d->pack = t->n_pages < PACK_PAGES;
    return t->root && !t->root->id ? put_node(d, t->root) : 0;
}

static void count_batch(struct durable *d)
{
    pthread_mutex_lock(&d->mutex);
    d->stats.batches += d->stats_writing.batches;
    d->stats.changes += d->stats_writing.changes;
    d->stats.bytes += d->stats_writing.bytes;
    pthread_mutex_unlock(&d->mutex);
}

bool ahead_write(struct durable *d, const struct tree *t)
{
    int rc = -1;
    d->stats_writing = (struct durable_stats){0};
    if (begin(d) == 0) {
        d->left = AHEAD_PAGES;
        rc = put_tree(d, t);
    }
    if (rc < 0 || run_statement(d, ST_COMMIT) < 0) {
        undo(d);
        return false;
    }
    count_batch(d);
    log_move(d);
    return rc > 0;
}

/* ---- worlds ---- */

static void bind_tree(struct durable *d, int at, const struct tree *t)
{
    bind(d, ST_WORLD, at, t->base->id);
    if (t->root)
        bind(d, ST_WORLD, at + 1, t->root->id);
    bind(d, ST_WORLD, at + 2, t->n_pages);
    bind(d, ST_WORLD, at + 3, t->n_private);
}

static int put_row(struct durable *d, const struct kept *k, const struct state *s)
{
    sqlite3_stmt *st = d->st[ST_WORLD];
    if (s->name[0])
        sqlite3_bind_text(st, 2, s->name, -1, SQLITE_STATIC);
    bind(d, ST_WORLD, 3, s->flags | (uint64_t)s->step_mib << 32 | (uint64_t)s->journal_mib << 48);
    bind(d, ST_WORLD, 4, s->parent);
    bind(d, ST_WORLD, 5, (uint64_t)s->created_us);
    if (s->expires_us != US_NEVER)
        bind(d, ST_WORLD, 6, (uint64_t)s->expires_us);
    bind(d, ST_WORLD, 7, s->expires_by_clock);
    bind(d, ST_WORLD, 8, s->seed);
    bind(d, ST_WORLD, 9, (uint64_t)s->clock.at_us);
    bind(d, ST_WORLD, 10, (uint64_t)s->clock.step_us);
    bind_tree(d, 11, &s->now);
    bind(d, ST_WORLD, 15, s->start_seed);
    bind(d, ST_WORLD, 16, (uint64_t)s->start_clock.at_us);
    bind(d, ST_WORLD, 17, (uint64_t)s->start_clock.step_us);
    bind_tree(d, 18, &s->start);
    bind(d, ST_WORLD, 22, (uint64_t)s->next_due_us);
    sqlite3_bind_blob(st, 23, s->secret.key, sizeof s->secret.key, SQLITE_STATIC);
    bind(d, ST_WORLD, 24, s->secret.of);
    bind(d, ST_WORLD, 25, s->beside);
    bind(d, ST_WORLD, 26, s->pending);
    if (s->note)
        sqlite3_bind_text(st, 27, s->note, -1, SQLITE_STATIC);
    return run_with(d, ST_WORLD, k->id);
}

static int delete_journal(struct durable *d, const struct kept *k)
{
    uint64_t from = JOURNAL_FROM(k->id);
    bind(d, ST_DEL_JOURNAL, 2, from + JOURNAL_IDS);
    return run_with(d, ST_DEL_JOURNAL, from);
}

/* How many of a piece's bytes go into one row, whole entries: SQLite takes 1 GB at most, and a
 * fork's past may be any number of them. */
static size_t row_length(const char *data, size_t len)
{
    size_t at = 0;
    while (at < len) {
        uint32_t n;
        memcpy(&n, data + at, sizeof n);
        if (at && at + sizeof n + n > JOURNAL_ROW)
            break;
        at += sizeof n + n;
    }
    return at;
}

static int put_entries(struct durable *d, struct kept *k, const char *data, size_t len)
{
    bind(d, ST_JOURNAL, 2, k->id);
    sqlite3_bind_blob64(d->st[ST_JOURNAL], 3, data, len, SQLITE_STATIC);
    return run_with(d, ST_JOURNAL, k->next_entry++);
}

/* The rows get their numbers in order, so entries are read back in order. */
static int put_journal(struct durable *d, struct kept *k, const struct state *s)
{
    if (s->clear && delete_journal(d, k) < 0)
        return -1;
    for (const struct piece *p = s->first; p; p = p->next) {
        for (size_t at = 0, n; at < p->len; at += n) {
            n = row_length(p->data + at, p->len - at);
            if (put_entries(d, k, p->data + at, n) < 0)
                return -1;
        }
        d->stats_writing.bytes += p->len;
    }
    return 0;
}

static int put_world(struct durable *d, struct kept *k)
{
    const struct state *s = k->writing;
    if (k->batch_drop)
        return run_with(d, ST_DEL_WORLD, k->id) < 0 ? -1 : delete_journal(d, k);
    if (!s)
        return 0;
    d->stats_writing.changes++;
    if (put_tree(d, &s->now) < 0 || put_tree(d, &s->start) < 0 || put_journal(d, k, s) < 0)
        return -1;
    return put_row(d, k, s);
}

/* ---- what is not needed ---- */

static int delete_bases(struct durable *d)
{
    for (size_t i = 0; i < d->bases.n; i++)
        if (run_with(d, ST_DEL_BASE_PARTS, d->bases.v[i]) < 0 ||
            run_with(d, ST_DEL_BASE, d->bases.v[i]) < 0)
            return -1;
    return 0;
}

static int delete_some(struct durable *d, struct ids *ids, int which, size_t most)
{
    while (ids->n > FREE_ROWS && most--)
        if (run_with(d, which, ids->v[--ids->n]) < 0)
            return -1;
    return 0;
}

static int delete_rows(struct durable *d, size_t most)
{
    if (delete_some(d, &d->pages, ST_DEL_PAGE, most) < 0 ||
        delete_some(d, &d->nodes, ST_DEL_NODE, most) < 0)
        return -1;
    return delete_bases(d);
}

int64_t rows_ask(struct durable *d, const char *query)
{
    sqlite3_stmt *st = NULL;
    int64_t v = -1;
    if (sqlite3_prepare_v2(d->db, query, -1, &st, NULL) == SQLITE_OK &&
        sqlite3_step(st) == SQLITE_ROW)
        v = sqlite3_column_int64(st, 0);
    sqlite3_finalize(st);
    return v;
}

/* The file gets shorter when a quarter of it is free and that is much. */
static bool file_too_long(struct durable *d)
{
    int64_t unused = rows_ask(d, "pragma freelist_count"), all = rows_ask(d, "pragma page_count");
    return unused >= 4 * VACUUM_BYTES / d->page_size && unused >= all / 4 &&
           rows_ask(d, "pragma auto_vacuum") == 2; /* incremental: else nothing can be given back */
}

static int give_back(struct durable *d)
{
    char text[64];
    sqlite3_snprintf(sizeof text, text, "pragma incremental_vacuum(%d)",
                     VACUUM_BYTES / d->page_size);
    return sqlite3_exec(d->db, text, NULL, NULL, NULL) == SQLITE_OK ? 0 : -1;
}

bool rows_trim(struct durable *d)
{
    freed_take(d);
    if (d->trim_failed)
        return false;
    bool shorten = file_too_long(d);
    if (!shorten && d->pages.n <= FREE_ROWS && d->nodes.n <= FREE_ROWS && !d->bases.n)
        return false;
    if (begin(d) < 0 || delete_rows(d, TRIM_ALONE) < 0 || (shorten && give_back(d) < 0) ||
        run_statement(d, ST_COMMIT) < 0) {
        undo(d);
        d->trim_failed = true; /* until a batch is written again */
        return false;
    }
    d->bases.n = 0;
    log_move(d);
    return true;
}

/* ---- batches ---- */

/* Cookies in what is written must never be given to another schema, in this process or a later one.
 */
static int put_cookie(struct durable *d)
{
    d->cookie_writing = atomic_load(&d->store->next_cookie);
    if (d->cookie_writing == d->cookie)
        return 0;
    sqlite3_bind_text(d->st[ST_META], 1, "cookie", -1, SQLITE_STATIC);
    bind(d, ST_META, 2, d->cookie_writing);
    return run_statement(d, ST_META);
}

static int write_rows(struct durable *d, struct kept *batch)
{
    for (struct kept *k = batch; k; k = k->next_batch)
        if (put_world(d, k) < 0)
            return -1;
    if (delete_rows(d, TRIM_IN_BATCH) < 0 || put_cookie(d) < 0)
        return -1;
    return run_statement(d, ST_COMMIT);
}

int batch_write(struct durable *d, struct kept *batch, struct sosia_err *err)
{
    for (struct kept *k = batch; k; k = k->next_batch)
        k->next_entry_before = k->next_entry;
    d->stats_writing = (struct durable_stats){.batches = 1};
    if (begin(d) < 0 || write_rows(d, batch) < 0) {
        db_fail(d, "the change could not be written", err);
        undo(d);
        for (struct kept *k = batch; k; k = k->next_batch)
            k->next_entry = k->next_entry_before;
        return -1;
    }
    d->bases.n = 0;
    d->cookie = d->cookie_writing;
    d->trim_failed = false;
    count_batch(d);
    return 0;
}

void fence_write(struct durable *d)
{
    if (run_statement(d, ST_BEGIN) == 0 &&
        (run_statement(d, ST_FENCE) < 0 || run_statement(d, ST_COMMIT) < 0) &&
        !sqlite3_get_autocommit(d->db))
        (void)run_statement(d, ST_ROLLBACK);
}

void log_move(struct durable *d)
{
    if (d->wal_pages < LOG_BYTES / d->page_size)
        return;
    /* When it fails the log keeps growing, and this is tried again after the next batch. */
    if (sqlite3_wal_checkpoint_v2(d->db, NULL, SQLITE_CHECKPOINT_PASSIVE, NULL, NULL) == SQLITE_OK)
        d->wal_pages = 0;
}

void rows_close(struct durable *d)
{
    for (int i = 0; i < N_ST; i++)
        sqlite3_finalize(d->st[i]);
    readers_close(d);
    log_ends(d);
    /* Moves the log into the database; what can't be moved now is when the store is opened again.
     */
    sqlite3_close(d->db);
}
