/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How SQLite sees a tree.
 *
 * The pager takes SHARED at the start of a transaction: the version is that of the tree then. The
 * first write takes a reference to the root; writes copy paths. SQLITE_FCNTL_COMMIT_PHASETWO, which
 * comes when nothing can fail any more, puts the new root into the tree; unlocking without it drops
 * the root. Reads go through xFetch, which gives the pages themselves, so nothing but page 1 and
 * what was written is in the pager's cache.
 *
 * On taking SHARED the pager reads 16 bytes from offset 24 and drops its cache when they are not
 * what they were. When the slot was pointed elsewhere, or the tree changed by other hands, these
 * bytes are given inverted once: change counters can't be trusted, as forks of one tree count
 * alike.
 *
 * The counter itself, which the pager raises with each commit, is nobody's: a tree keeps that of
 * its base, so that most commits need no first page of their own, and the pager is given back what
 * it has counted.
 */
#include "engine/store/vfs.h"
#include "engine/store/delta.h"
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MANY_FREE 64 /* pages */

struct file {
    sqlite3_file methods;
    struct slot_vfs *v;
};

static struct slot_vfs *vfs_of(sqlite3_file *f)
{
    return ((struct file *)(void *)f)->v;
}

static int code_to_sqlite(enum sosia_code code)
{
    if (code == SOSIA_E_OK)
        return SQLITE_OK;
    return code == SOSIA_E_FULL ? SQLITE_FULL : SQLITE_IOERR_NOMEM;
}

/* ---- the version in work ---- */

/* Makes the tree's version the one in work. */
static void take_version(struct slot_vfs *v)
{
    const struct tree *t = v->tree;
    v->w.base = t ? t->base : NULL;
    v->w.root = t ? t->root : NULL;
    v->w.n_pages = t ? t->n_pages : 0;
    v->w.n_private = t ? t->n_private : 0;
    v->dirty = v->cut = false;
}

static const uint8_t *find_page(const struct slot_vfs *v, uint32_t page)
{
    return page < v->w.n_pages ? page_find(v->w.base, v->w.root, page) : NULL;
}

static int start_writing(struct slot_vfs *v)
{
    if (v->dirty)
        return SQLITE_OK;
    if (!v->tree)
        return SQLITE_READONLY;
    if (v->w.root)
        atomic_fetch_add_explicit(&v->w.root->refs, 1, memory_order_relaxed);
    v->w.sole = v->pinned ? NULL : v->w.root; /* what one root has borrowed, no other can */
    v->w.tag = tag_new(v->store, page_cache(v->store));
    v->w.replaced = 0;
    v->dirty = true;
    return SQLITE_OK;
}

/* Pages of the old root stay until the lock is released: a statement that is under way may be
 * reading them. It can't read what a second commit replaces, since it saw that page replaced, so
 * one root is enough. */
static void pin_root(struct slot_vfs *v, struct node *root, struct node *successor)
{
    struct page_cache *c = page_cache(v->store);
    node_settle(v->store, c, v->pinned, v->successor);
    node_unref(v->store, c, v->successor);
    v->pinned = root;
    v->successor = root ? successor : NULL;
    if (v->successor)
        atomic_fetch_add_explicit(&v->successor->refs, 1, memory_order_relaxed);
}

/* While the lock is held the pages of the version before are there. */
static void keep_back(struct slot_vfs *v, const struct tree *was)
{
    struct delta *d = delta_new(v->store, was, v->tree, v->w.tag);
    if (d) {
        delta_link(d, v->back);
    } else {
        delta_unref(v->back);
        v->rewinding = false; /* without this one the others lead nowhere */
    }
    v->back = d;
}

static void publish(struct slot_vfs *v)
{
    struct tree *t = v->tree;
    if (v->summing)
        v->sum += writer_sum(&v->w);
    v->replaced += v->w.replaced;
    struct tree was = *t;
    pin_root(v, t->root, v->w.root);
    t->root = v->w.root;
    t->n_pages = v->w.n_pages;
    t->n_private = v->w.n_private;
    if (v->rewinding)
        keep_back(v, &was);
    v->seen_version = ++*v->version;
    v->dirty = v->cut = false;
    if (v->cookie_changed) {
        v->stale = true; /* page 1 in the pager's cache has another cookie */
        v->loaded_cookie = 0;
        v->cookie = get4(tree_page(t, 0) + HEADER_COOKIE);
    }
}

static void discard(struct slot_vfs *v)
{
    node_unref(v->store, page_cache(v->store), v->w.root);
    v->journal.size = 0;
    v->stale = true;
    take_version(v);
}

/* Free pages stay in the file. Where a transaction has left many more of them, their memory is
 * given back: a trunk of the list names pages that are leaves of it, whose content means
 * nothing, the newest first. */
static enum sosia_code give_back_memory(struct slot_vfs *v)
{
    const uint8_t *was = tree_page(v->tree, 0), *is = find_page(v, 0);
    uint32_t before = was ? get4(was + HEADER_FREE + 4) : 0, now = get4(is + HEADER_FREE + 4);
    uint32_t left = now > before ? now - before : 0, trunk = get4(is + HEADER_FREE);
    const uint8_t *data;
    if (left < MANY_FREE)
        return SOSIA_E_OK;
    while (left && trunk && (data = find_page(v, trunk - 1))) {
        uint32_t n = get4(data + 4);
        if (n > STORE_PAGE_SIZE / 4 - 2)
            return SOSIA_E_OK; /* it is broken, which SQLite reports */
        for (uint32_t i = 0; i < n; i++) {
            uint32_t leaf = get4(data + 8 + 4 * (size_t)i);
            if (leaf <= 1 || leaf == trunk)
                continue; /* no list of SQLite's names these */
            enum sosia_code code = writer_drop(&v->w, leaf - 1);
            if (code)
                return code;
        }
        left -= n < left ? n + 1 : left;
        trunk = get4(data);
    }
    return SOSIA_E_OK;
}

/* The last point at which a commit can fail: every page has been written. */
static int prepare_commit(struct slot_vfs *v)
{
    v->cookie_changed = false;
    if (!v->dirty)
        return SQLITE_OK;
    if (store_fault(page_cache(v->store)))
        return SQLITE_IOERR_FSYNC;
    enum sosia_code code = v->cut ? writer_truncate(&v->w) : SOSIA_E_OK;
    const uint8_t *was = tree_page(v->tree, 0), *is = find_page(v, 0);
    if (!code && is)
        code = give_back_memory(v);
    if (code || !is)
        return code_to_sqlite(code);
    if (was && memcmp(was + HEADER_COOKIE, is + HEADER_COOKIE, 4) == 0)
        return SQLITE_OK;
    uint8_t *page;
    code = writer_page(&v->w, 0, false, &page);
    if (code)
        return code_to_sqlite(code);
    put4(page + HEADER_COOKIE, cookie_fresh(v->store));
    v->cookie_changed = true;
    return SQLITE_OK;
}

/* ---- the database file ---- */

static int db_close(sqlite3_file *f)
{
    struct slot_vfs *v = vfs_of(f);
    if (v->dirty)
        discard(v);
    pin_root(v, NULL, NULL);
    v->lock = SQLITE_LOCK_NONE;
    return SQLITE_OK;
}

static int db_read(sqlite3_file *f, void *to, int n, sqlite3_int64 at)
{
    struct slot_vfs *v = vfs_of(f);
    uint8_t *out = to;
    while (n > 0) {
        size_t off = (size_t)(at % STORE_PAGE_SIZE), part = STORE_PAGE_SIZE - off;
        int64_t page = at / STORE_PAGE_SIZE;
        const uint8_t *data = page < UINT32_MAX ? find_page(v, (uint32_t)page) : NULL;
        if (!data) {
            memset(out, 0, (size_t)n);
            return SQLITE_IOERR_SHORT_READ;
        }
        if (part > (size_t)n)
            part = (size_t)n;
        memcpy(out, data + off, part);
        out += part;
        at += (int64_t)part;
        n -= (int)part;
    }
    return SQLITE_OK;
}

/* The pager's own counter, in n bytes of the first page from an offset on. */
static void show_counter(const struct slot_vfs *v, uint8_t *bytes, size_t from, size_t n)
{
    static const size_t places[] = {HEADER_CHANGES, HEADER_VALID_FOR};
    if (!v->counts || v->stale)
        return;
    for (size_t i = 0; i < SOSIA_LEN(places); i++)
        for (size_t k = 0; k < sizeof v->counter; k++)
            if (places[i] + k >= from && places[i] + k < from + n)
                bytes[places[i] + k - from] = v->counter[k];
}

static int db_read_checked(sqlite3_file *f, void *to, int n, sqlite3_int64 at)
{
    int rc = db_read(f, to, n, at);
    struct slot_vfs *v = vfs_of(f);
    if (v->stale && at == HEADER_CHANGES && n == 16) {
        uint8_t *bytes = to;
        for (int i = 0; i < n; i++)
            bytes[i] = (uint8_t)~bytes[i];
        v->stale = v->counts = false;
    } else if (at < STORE_PAGE_SIZE && rc == SQLITE_OK) {
        show_counter(v, to, (size_t)at, (size_t)n);
    }
    return rc;
}

/* Whether a first page is that of the tree but for the counter, and what says who has counted. */
static bool is_first_page(const uint8_t *is, const uint8_t *was)
{
    enum { COUNTED = HEADER_CHANGES + 4, VALID = HEADER_VALID_FOR + 8 };
    return memcmp(is + VALID, was + VALID, STORE_PAGE_SIZE - VALID) == 0 &&
           memcmp(is + COUNTED, was + COUNTED, HEADER_VALID_FOR - COUNTED) == 0 &&
           memcmp(is, was, HEADER_CHANGES) == 0;
}

static int write_first(struct slot_vfs *v, const uint8_t *from)
{
    const uint8_t *was = find_page(v, 0);
    uint8_t *to, counter[4], valid[8];
    if (was) {
        memcpy(v->counter, from + HEADER_CHANGES, sizeof v->counter);
        v->counts = true;
        if (is_first_page(from, was))
            return SQLITE_OK;
        memcpy(counter, was + HEADER_CHANGES, sizeof counter);
        memcpy(valid, was + HEADER_VALID_FOR, sizeof valid);
    }
    enum sosia_code code = writer_page(&v->w, 0, true, &to);
    if (code)
        return code_to_sqlite(code);
    memcpy(to, from, STORE_PAGE_SIZE);
    if (was) {
        memcpy(to + HEADER_CHANGES, counter, sizeof counter);
        memcpy(to + HEADER_VALID_FOR, valid, sizeof valid);
    }
    if (!v->w.n_pages)
        v->w.n_pages = 1;
    return SQLITE_OK;
}

static int db_write(sqlite3_file *f, const void *from, int n, sqlite3_int64 at)
{
    struct slot_vfs *v = vfs_of(f);
    int64_t page = at / STORE_PAGE_SIZE;
    size_t off = (size_t)(at % STORE_PAGE_SIZE);
    /* The pager writes whole pages, or parts of one. */
    if (page >= (INT64_C(1) << 30) || off + (size_t)n > STORE_PAGE_SIZE)
        return SQLITE_IOERR_WRITE;
    if (store_fault(page_cache(v->store)))
        return SQLITE_IOERR_WRITE;
    int rc = start_writing(v);
    if (rc != SQLITE_OK)
        return rc;
    if (!page && n == STORE_PAGE_SIZE)
        return write_first(v, from);
    uint8_t *to;
    enum sosia_code code = writer_page(&v->w, (uint32_t)page, n == STORE_PAGE_SIZE, &to);
    if (code)
        return code_to_sqlite(code);
    memcpy(to + off, from, (size_t)n);
    if (page >= v->w.n_pages)
        v->w.n_pages = (uint32_t)page + 1;
    return SQLITE_OK;
}

static int db_truncate(sqlite3_file *f, sqlite3_int64 size)
{
    struct slot_vfs *v = vfs_of(f);
    int rc = start_writing(v);
    if (rc != SQLITE_OK)
        return rc;
    int64_t pages = (size + STORE_PAGE_SIZE - 1) / STORE_PAGE_SIZE;
    if (pages < v->w.n_pages) {
        v->w.n_pages = (uint32_t)pages;
        v->cut = true;
    }
    return SQLITE_OK;
}

static int db_sync(sqlite3_file *f, int flags)
{
    return SQLITE_OK;
}

static int db_size(sqlite3_file *f, sqlite3_int64 *ret_size)
{
    *ret_size = (sqlite3_int64)vfs_of(f)->w.n_pages * STORE_PAGE_SIZE;
    return SQLITE_OK;
}

static int db_lock(sqlite3_file *f, int level)
{
    struct slot_vfs *v = vfs_of(f);
    if (v->lock == SQLITE_LOCK_NONE && level > SQLITE_LOCK_NONE) {
        take_version(v);
        v->changing = false;
        v->turn++;
        if (v->tree) {
            if (v->seen_key != v->key || v->seen_version != *v->version)
                v->stale = true;
            if (v->store->no_invalidation)
                v->stale = false;
            v->seen_key = v->key;
            v->seen_version = *v->version;
        }
    }
    if (level > v->lock)
        v->lock = level;
    return SQLITE_OK;
}

static int db_unlock(sqlite3_file *f, int level)
{
    struct slot_vfs *v = vfs_of(f);
    if (v->dirty && level <= SQLITE_LOCK_SHARED)
        discard(v);
    if (level == SQLITE_LOCK_NONE && v->pinned)
        pin_root(v, NULL, NULL);
    if (level < v->lock)
        v->lock = level;
    if (level == SQLITE_LOCK_NONE)
        v->changing = false;
    return SQLITE_OK;
}

static int db_reserved(sqlite3_file *f, int *ret_reserved)
{
    *ret_reserved = 0; /* no other connection has this file */
    return SQLITE_OK;
}

static int db_control(sqlite3_file *f, int op, void *arg)
{
    struct slot_vfs *v = vfs_of(f);
    switch (op) {
    case SQLITE_FCNTL_SYNC:
        return prepare_commit(v);
    case SQLITE_FCNTL_COMMIT_PHASETWO:
        if (v->dirty)
            publish(v);
        return SQLITE_OK;
    case SQLITE_FCNTL_MMAP_SIZE:
        return SQLITE_OK;
    case SQLITE_FCNTL_HAS_MOVED:
        *(int *)arg = 0;
        return SQLITE_OK;
    default:
        return SQLITE_NOTFOUND;
    }
}

static int sector_size(sqlite3_file *f)
{
    return 512;
}

/* Writes are whole, ordered, and touch nothing else; the journal file stays open between
 * transactions. */
static int characteristics(sqlite3_file *f)
{
    return SQLITE_IOCAP_ATOMIC | SQLITE_IOCAP_POWERSAFE_OVERWRITE | SQLITE_IOCAP_SAFE_APPEND |
           SQLITE_IOCAP_SEQUENTIAL | SQLITE_IOCAP_UNDELETABLE_WHEN_OPEN;
}

static int db_fetch(sqlite3_file *f, sqlite3_int64 at, int n, void **ret_data)
{
    struct slot_vfs *v = vfs_of(f);
    size_t off = (size_t)at % STORE_PAGE_SIZE;
    uint64_t page = (uint64_t)at / STORE_PAGE_SIZE;
    *ret_data = NULL;
    if (page < v->w.n_pages && off + (size_t)n <= STORE_PAGE_SIZE)
        *ret_data = (void *)(uintptr_t)(page_find(v->w.base, v->w.root, (uint32_t)page) + off);
    return SQLITE_OK;
}

static int db_unfetch(sqlite3_file *f, sqlite3_int64 at, void *data)
{
    return SQLITE_OK;
}

static const sqlite3_io_methods db_methods = {
    .iVersion = 3,
    .xClose = db_close,
    .xRead = db_read_checked,
    .xWrite = db_write,
    .xTruncate = db_truncate,
    .xSync = db_sync,
    .xFileSize = db_size,
    .xLock = db_lock,
    .xUnlock = db_unlock,
    .xCheckReservedLock = db_reserved,
    .xFileControl = db_control,
    .xSectorSize = sector_size,
    .xDeviceCharacteristics = characteristics,
    .xFetch = db_fetch,
    .xUnfetch = db_unfetch,
};

/* ---- the journal ---- */

enum { RECORD = 4 + STORE_PAGE_SIZE + 4, KEPT_RECORDS = 4096 };

static int journal_close(sqlite3_file *f)
{
    struct journal *j = &vfs_of(f)->journal;
    free(j->records);
    j->records = NULL;
    j->cap = 0;
    j->size = 0;
    return SQLITE_OK;
}

static bool journal_room(struct journal *j, uint64_t i)
{
    if (i < j->cap)
        return true;
    uint64_t cap = j->cap ? j->cap : 64;
    while (cap <= i)
        cap *= 2;
    if (cap > UINT32_MAX)
        return false;
    void *p = realloc(j->records, cap * sizeof *j->records);
    if (!p)
        return false;
    j->records = p;
    j->cap = (uint32_t)cap;
    return true;
}

static int journal_write(sqlite3_file *f, const void *from, int n, sqlite3_int64 at)
{
    struct slot_vfs *v = vfs_of(f);
    struct journal *j = &v->journal;
    v->changing = true;
    if (store_fault(page_cache(v->store)))
        return SQLITE_IOERR_WRITE;
    if (at < (int64_t)sizeof j->header) {
        size_t part = sizeof j->header - (size_t)at;
        memcpy(j->header + at, from, part < (size_t)n ? part : (size_t)n);
    } else {
        uint64_t i = (uint64_t)(at - (int64_t)sizeof j->header) / RECORD;
        int64_t off = (at - (int64_t)sizeof j->header) % RECORD;
        if (!journal_room(j, i))
            return SQLITE_IOERR_NOMEM;
        if (off == 0 && n == 4)
            memcpy(j->records[i].page, from, 4);
        else if (off == RECORD - 4 && n == 4)
            memcpy(j->records[i].sum, from, 4);
        else if (off != 4 || n != STORE_PAGE_SIZE)
            return SQLITE_IOERR_WRITE; /* no pager writes so */
    }
    if (at + n > j->size)
        j->size = at + n;
    return SQLITE_OK;
}

/* A page is in the journal before it is changed, but for those that are free. */
bool slot_vfs_is_as_begun(const struct slot_vfs *v, uint32_t root)
{
    enum { MOST = 256 };
    const struct journal *j = &v->journal;
    const int64_t n = (j->size - (int64_t)sizeof j->header + RECORD - 1) / RECORD;
    if (!v->changing)
        return true;
    for (int64_t i = 0; i < n && n <= MOST; i++)
        if (get4(j->records[i].page) == root)
            return false;
    return n <= MOST;
}

/* The pager looks for the name of a super-journal at odd places, so any range can be read. */
static int journal_read(sqlite3_file *f, void *to, int n, sqlite3_int64 at)
{
    struct slot_vfs *v = vfs_of(f);
    struct journal *j = &v->journal;
    uint8_t *out = to;
    if (at + n > j->size) {
        memset(to, 0, (size_t)n);
        return SQLITE_IOERR_SHORT_READ;
    }
    while (n > 0) {
        const uint8_t *from;
        size_t part, in_page = 0;
        bool of_first = false;
        if (at < (int64_t)sizeof j->header) {
            from = j->header + at;
            part = sizeof j->header - (size_t)at;
        } else {
            const struct journal_record *r = &j->records[(size_t)(at - 512) / RECORD];
            size_t off = (size_t)(at - 512) % RECORD;
            if (off < 4) {
                from = r->page + off;
                part = 4 - off;
            } else if (off < RECORD - 4) {
                const uint8_t *image = v->tree ? tree_page(v->tree, get4(r->page) - 1) : NULL;
                in_page = off - 4;
                of_first = get4(r->page) == 1;
                from = (image ? image : page_zero) + in_page;
                part = RECORD - 4 - off;
            } else {
                from = r->sum + (off - (RECORD - 4));
                part = RECORD - off;
            }
        }
        if (part > (size_t)n)
            part = (size_t)n;
        memcpy(out, from, part);
        if (of_first)
            show_counter(v, out, in_page, part);
        out += part;
        at += (int64_t)part;
        n -= (int)part;
    }
    return SQLITE_OK;
}

static int journal_truncate(sqlite3_file *f, sqlite3_int64 size)
{
    struct journal *j = &vfs_of(f)->journal;
    j->size = size;
    if (!size && j->cap > KEPT_RECORDS)
        journal_close(f); /* after a large transaction */
    return SQLITE_OK;
}

static int journal_size(sqlite3_file *f, sqlite3_int64 *ret_size)
{
    *ret_size = vfs_of(f)->journal.size;
    return SQLITE_OK;
}

static int journal_lock(sqlite3_file *f, int level)
{
    return SQLITE_OK;
}

static int journal_control(sqlite3_file *f, int op, void *arg)
{
    return SQLITE_NOTFOUND;
}

static const sqlite3_io_methods journal_methods = {
    .iVersion = 1,
    .xClose = journal_close,
    .xRead = journal_read,
    .xWrite = journal_write,
    .xTruncate = journal_truncate,
    .xSync = db_sync,
    .xFileSize = journal_size,
    .xLock = journal_lock,
    .xUnlock = journal_lock,
    .xCheckReservedLock = db_reserved,
    .xFileControl = journal_control,
    .xSectorSize = sector_size,
    .xDeviceCharacteristics = characteristics,
};

/* ---- the VFS ---- */

static int vfs_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *f, int flags, int *ret_flags)
{
    struct file *file = (struct file *)(void *)f;
    f->pMethods = NULL;
    if (flags & SQLITE_OPEN_MAIN_DB)
        f->pMethods = &db_methods;
    else if (flags & SQLITE_OPEN_MAIN_JOURNAL)
        f->pMethods = &journal_methods;
    else
        return SQLITE_CANTOPEN; /* nothing else is made: temporary tables are in memory */
    file->v = vfs->pAppData;
    if (ret_flags)
        *ret_flags = flags;
    return SQLITE_OK;
}

static int vfs_delete(sqlite3_vfs *vfs, const char *name, int sync)
{
    return SQLITE_OK;
}

static int vfs_access(sqlite3_vfs *vfs, const char *name, int flags, int *ret_there)
{
    *ret_there = 0;
    return SQLITE_OK;
}

static int vfs_full_path(sqlite3_vfs *vfs, const char *name, int size, char *ret_path)
{
    return snprintf(ret_path, (size_t)size, "%s", name) < size ? SQLITE_OK : SQLITE_CANTOPEN;
}

/* Nothing that a database holds depends on chance or on the real time. */
static int vfs_randomness(sqlite3_vfs *vfs, int n, char *ret_bytes)
{
    memset(ret_bytes, 0x5a, (size_t)n);
    return n;
}

static int vfs_sleep(sqlite3_vfs *vfs, int us)
{
    return 0;
}

/* Milliseconds since noon in Greenwich on November 24, 4714 B.C. */
static int vfs_time64(sqlite3_vfs *vfs, sqlite3_int64 *ret_ms)
{
    const struct slot_vfs *v = vfs->pAppData;
    int64_t ms = v->now_us / 1000 - (v->now_us % 1000 < 0);
    *ret_ms = INT64_C(210866760000000) + ms;
    return SQLITE_OK;
}

static int vfs_time(sqlite3_vfs *vfs, double *ret_days)
{
    sqlite3_int64 ms;
    vfs_time64(vfs, &ms);
    *ret_days = (double)ms / 86400000.0;
    return SQLITE_OK;
}

static int vfs_error(sqlite3_vfs *vfs, int size, char *ret_text)
{
    return 0;
}

int slot_vfs_init(struct slot_vfs *v, struct store *s, struct sosia_err *err)
{
    static _Atomic(uint64_t) number;
    memset(v, 0, sizeof *v);
    v->store = s;
    v->w.store = s;
    v->stale = true;
    snprintf(v->name, sizeof v->name, "sosia-%llu",
             (unsigned long long)atomic_fetch_add_explicit(&number, 1, memory_order_relaxed));
    v->vfs = (sqlite3_vfs){
        .iVersion = 2,
        .szOsFile = sizeof(struct file),
        .mxPathname = 64,
        .zName = v->name,
        .pAppData = v,
        .xOpen = vfs_open,
        .xDelete = vfs_delete,
        .xAccess = vfs_access,
        .xFullPathname = vfs_full_path,
        .xRandomness = vfs_randomness,
        .xSleep = vfs_sleep,
        .xCurrentTime = vfs_time,
        .xGetLastError = vfs_error,
        .xCurrentTimeInt64 = vfs_time64,
    };
    return sqlite3_vfs_register(&v->vfs, 0) == SQLITE_OK ? 0 : sosia_fail_memory(err);
}

void slot_vfs_done(struct slot_vfs *v)
{
    assert(!v->dirty && !v->pinned);
    delta_unref(v->back);
    sqlite3_vfs_unregister(&v->vfs);
}
