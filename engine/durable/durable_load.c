/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What opening reads. All worlds are parked then (durable_park.c): their rows are read, those of
 * bases, and the nodes, which say how often each row is referred to, and so which are free or were
 * left behind by a crash. Pages, images and journals are not.
 *
 * A check (durable_check.c) loads everything. Every page and node is made with one reference, the
 * loader's; those of nodes and worlds are added, and when the loader releases its own, what has no
 * reference is freed and so reported as free, like anything else: that is how rows that are free,
 * or that a crash has left behind, are found. A free node may have children that are gone.
 */
#include "engine/base/heap.h"
#include "engine/durable/durable_impl.h"
#include <stdio.h>
#include <stdlib.h>

enum {
    LEVELS = NODE_LEVELS,
    CHECKED_BYTES = 32 << 20 /* of a file that opening verifies, which takes 0.1 s */
};

/* What was loaded, by id: ascending. */
struct rows {
    struct row {
        uint64_t id;
        void *at;
    } * v;
    size_t n, cap;
};

struct loaded_base {
    uint64_t id;
    struct tree tree;
};

struct loader {
    struct durable *d;
    struct sosia_err *err;
    struct page_cache *cache;
    struct rows pages, nodes[LEVELS];
    struct loaded_base *bases;
    size_t n_bases, cap_bases;
    struct rows known_bases; /* of which there is a row; at: NULL */
};

/* Leaves the row out in a check, else fails. */
static int damaged(struct loader *l, const char *kind, uint64_t id, const char *what)
{
    return rows_damaged(l->d, kind, id, what, l->err);
}

/* The rows of a kind with their columns, and as one column more whether they are as they were
 * written. */
static int prepare(struct loader *l, const char *kind, const char *columns, const char *rest,
                   sqlite3_stmt **ret)
{
    *ret = NULL;
    char *text = l->d->has_sums ? sqlite3_mprintf("select %s, sum = row_sum('%s', %s) from %s %s",
                                                  columns, kind, columns, kind, rest)
                                : sqlite3_mprintf("select %s, 1 from %s %s", columns, kind, rest);
    int rc = text ? sqlite3_prepare_v2(l->d->db, text, -1, ret, NULL) : SQLITE_NOMEM;
    sqlite3_free(text);
    return rc == SQLITE_OK ? 0 : db_fail(l->d, "the data directory can't be read", l->err);
}

/* After the last step, which may have failed. */
static int end(struct loader *l, sqlite3_stmt *st)
{
    int rc = sqlite3_finalize(st);
    if (rc == SQLITE_OK)
        return 0;
    if ((rc & 0xff) == SQLITE_CORRUPT || (rc & 0xff) == SQLITE_IOERR)
        return damaged(l, "file", 0, sqlite3_errmsg(l->d->db));
    return db_fail(l->d, "the data directory can't be read", l->err);
}

/* ---- pages and nodes ---- */

static int add(struct loader *l, struct rows *r, uint64_t id, void *at)
{
    void *list = heap_grow(r->v, r->n, &r->cap, sizeof *r->v);
    if (!list)
        return sosia_fail_memory(l->err);
    r->v = list;
    r->v[r->n++] = (struct row){.id = id, .at = at};
    return 0;
}

static void *find(const struct rows *r, uint64_t id)
{
    size_t from = 0, to = r->n;
    while (from < to) {
        size_t mid = from + (to - from) / 2;
        if (r->v[mid].id == id)
            return r->v[mid].at;
        if (r->v[mid].id < id)
            from = mid + 1;
        else
            to = mid;
    }
    return NULL;
}

static int load_page(struct loader *l, uint64_t id, const void *data, int len)
{
    struct store *s = l->d->store;
    struct page *p;
    uint8_t bytes[STORE_PAGE_SIZE];
    if (!id || id >= INT64_MAX || !page_unpack(data, (size_t)len, bytes))
        return damaged(l, "page", id, "is not whole");
    enum sosia_code code = page_new(s, l->cache, &p);
    if (code == SOSIA_E_FULL)
        return sosia_fail(l->err, code, NULL, NULL,
                          "the worlds in the data directory are larger than the limit");
    if (code)
        return sosia_fail_memory(l->err);
    memcpy(p->data, bytes, STORE_PAGE_SIZE);
    if (add(l, &l->pages, id, p) < 0) {
        page_unref(s, l->cache, p);
        return -1;
    }
    p->id = id;
    l->d->next_page = id + 1;
    return 0;
}

static int load_pages(struct loader *l)
{
    sqlite3_stmt *st;
    if (prepare(l, "page", PAGE_COLUMNS, "order by id", &st) < 0)
        return -1;
    while (sqlite3_step(st) == SQLITE_ROW) {
        int rc = !row_is_sound(st) ? damaged(l, "page", row_number(st, 0), NOT_AS_WRITTEN)
                                   : load_page(l, row_number(st, 0), sqlite3_column_blob(st, 1),
                                               sqlite3_column_bytes(st, 1));
        if (rc < 0) {
            sqlite3_finalize(st);
            return -1;
        }
    }
    return end(l, st);
}

static int load_node(struct loader *l, uint64_t id, uint64_t level, uint64_t mask,
                     const void *children, int len)
{
    struct store *s = l->d->store;
    unsigned n = (unsigned)__builtin_popcountll(mask);
    if (!id || id >= INT64_MAX || level >= LEVELS || (size_t)len != n * sizeof(uint64_t))
        return damaged(l, "node", id, "is not whole");
    if (id >= l->d->next_node)
        l->d->next_node = id + 1;
    struct node *node = node_new(s, l->cache, (unsigned)level, n ? n : 1);
    if (!node)
        return sosia_fail_memory(l->err);
    node->mask = mask;
    for (; node->n < n; node->n++) {
        uint64_t child;
        memcpy(&child, (const char *)children + node->n * sizeof child, sizeof child);
        void *at = find(level ? &l->nodes[level - 1] : &l->pages, child);
        if (!at) {
            node_unref(s, l->cache, node);
            return ids_add(&l->d->nodes, id) ? 0 : sosia_fail_memory(l->err);
        }
        /* Both structs begin with their reference count. */
        atomic_fetch_add_explicit((_Atomic(uint32_t) *)at, 1, memory_order_relaxed);
        node->child[node->n] = at;
    }
    if (add(l, &l->nodes[level], id, node) < 0) {
        node_unref(s, l->cache, node);
        return -1;
    }
    node->id = id;
    return 0;
}

static int load_nodes(struct loader *l)
{
    sqlite3_stmt *st;
    if (prepare(l, "node", NODE_COLUMNS, "order by level, id", &st) < 0)
        return -1;
    while (sqlite3_step(st) == SQLITE_ROW) {
        int rc = !row_is_sound(st)
                     ? damaged(l, "node", row_number(st, 0), NOT_AS_WRITTEN)
                     : load_node(l, row_number(st, 0), row_number(st, 1), row_number(st, 2),
                                 sqlite3_column_blob(st, 3), sqlite3_column_bytes(st, 3));
        if (rc < 0) {
            sqlite3_finalize(st);
            return -1;
        }
    }
    return end(l, st);
}

/* ---- bases ---- */

/* 1: with all its parts; 0: damage was reported. */
static int fill_base(struct loader *l, uint64_t id, struct base *b)
{
    sqlite3_stmt *st;
    size_t len = (size_t)b->n_pages * STORE_PAGE_SIZE, at = 0;
    uint64_t n = 0;
    bool sound = true;
    if (prepare(l, "base_part", BASE_PART_COLUMNS, "where base = ? order by part", &st) < 0)
        return -1;
    sqlite3_bind_int64(st, 1, (sqlite3_int64)id);
    while (sound && sqlite3_step(st) == SQLITE_ROW) {
        size_t part = (size_t)sqlite3_column_bytes(st, 2);
        const void *data = sqlite3_column_blob(st, 2);
        sound = row_is_sound(st) && row_number(st, 0) == id && row_number(st, 1) == n++;
        if (part > len - at) {
            at = len + 1;
            break;
        }
        if (part)
            memcpy(b->image + at, data, part);
        at += part;
    }
    if (end(l, st) < 0)
        return -1;
    if (sound && at == len)
        return 1;
    return damaged(l, "base", id, sound ? "is not whole" : NOT_AS_WRITTEN);
}

static int keep_base(struct loader *l, uint64_t id, const struct tree *t)
{
    void *list = heap_grow(l->bases, l->n_bases, &l->cap_bases, sizeof *l->bases);
    if (!list)
        return sosia_fail_memory(l->err);
    l->bases = list;
    base_seal(t->base);
    t->base->id = id;
    l->bases[l->n_bases++] = (struct loaded_base){.id = id, .tree = *t};
    return 0;
}

static int load_base(struct loader *l, uint64_t id, uint64_t n_pages)
{
    if (!id || id >= INT64_MAX || !n_pages || n_pages > UINT32_C(1) << 30)
        return damaged(l, "base", id, "is not whole");
    struct tree t = {.n_pages = (uint32_t)n_pages};
    t.base = base_new(l->d->store, t.n_pages, &t.shard);
    if (!t.base)
        return sosia_fail_memory(l->err);
    struct sosia_err why = {0};
    int rc = fill_base(l, id, t.base);
    bool filled = rc > 0;
    if (filled) {
        rc = cookie_keep(l->d->store, t.base->image, (size_t)n_pages * STORE_PAGE_SIZE, &why);
        if (rc < 0) {
            filled = false;
            rc = why.code == SOSIA_E_NO_MEMORY
                     ? sosia_fail_memory(l->err)
                     : damaged(l, "base", id, "has tables that can't be read");
        }
    }
    if (filled)
        rc = keep_base(l, id, &t);
    if (!filled || rc < 0)
        tree_done(&t);
    l->d->next_base = id + 1;
    return rc;
}

/* The rows of bases, without their images. */
static int find_bases(struct loader *l)
{
    sqlite3_stmt *st;
    int rc = 0;
    if (prepare(l, "base", BASE_COLUMNS, "order by id", &st) < 0)
        return -1;
    while (rc == 0 && sqlite3_step(st) == SQLITE_ROW) {
        uint64_t id = row_number(st, 0);
        if (!row_is_sound(st))
            rc = damaged(l, "base", id, NOT_AS_WRITTEN);
        else if (!id || id >= HELD_IDS)
            rc = damaged(l, "base", id, "is not whole");
        else
            rc = add(l, &l->known_bases, id, NULL);
        l->d->next_base = id + 1;
    }
    if (rc == 0)
        return end(l, st);
    sqlite3_finalize(st);
    return -1;
}

static bool has_base(const struct loader *l, uint64_t id)
{
    const struct rows *r = &l->known_bases;
    size_t from = 0, to = r->n;
    while (from < to) {
        size_t mid = from + (to - from) / 2;
        if (r->v[mid].id == id)
            return true;
        if (r->v[mid].id < id)
            from = mid + 1;
        else
            to = mid;
    }
    return false;
}

static int load_bases(struct loader *l)
{
    sqlite3_stmt *st;
    if (prepare(l, "base", BASE_COLUMNS, "order by id", &st) < 0)
        return -1;
    while (sqlite3_step(st) == SQLITE_ROW) {
        int rc = !row_is_sound(st) ? damaged(l, "base", row_number(st, 0), NOT_AS_WRITTEN)
                                   : load_base(l, row_number(st, 0), row_number(st, 1));
        if (rc < 0) {
            sqlite3_finalize(st);
            return -1;
        }
    }
    return end(l, st);
}

/* ---- worlds ---- */

static struct base *find_base(const struct loader *l, uint64_t id)
{
    size_t from = 0, to = l->n_bases;
    while (from < to) {
        size_t mid = from + (to - from) / 2;
        if (l->bases[mid].id == id)
            return l->bases[mid].tree.base;
        if (l->bases[mid].id < id)
            from = mid + 1;
        else
            to = mid;
    }
    return NULL;
}

/* Four columns, as bind_tree() in durable_write.c has them. 1: it is whole. */
static int make_tree(struct loader *l, sqlite3_stmt *st, int i, struct tree *ret)
{
    uint64_t base = row_number(st, i), root = row_number(st, i + 1);
    struct tree t = {.n_pages = (uint32_t)row_number(st, i + 2),
                     .n_private = (uint32_t)row_number(st, i + 3)};
    t.base = find_base(l, base);
    for (unsigned level = LEVELS; root && !t.root && level-- > 0;)
        t.root = find(&l->nodes[level], root);
    if (!t.base || (root && !t.root) || !t.n_pages || t.n_pages > UINT32_C(1) << 30)
        return 0;
    t.shard = base_acquire(t.base);
    if (t.root)
        atomic_fetch_add_explicit(&t.root->refs, 1, memory_order_relaxed);
    *ret = t;
    return 1;
}

/* The same of a world that is to be parked. */
static int hold_tree(struct loader *l, sqlite3_stmt *st, int i, struct tree *ret,
                     struct roots *ret_roots)
{
    struct durable *d = l->d;
    struct roots r = {.base = row_number(st, i), .root = row_number(st, i + 1)};
    *ret = (struct tree){.n_pages = (uint32_t)row_number(st, i + 2),
                         .n_private = (uint32_t)row_number(st, i + 3)};
    if (!has_base(l, r.base) || !ret->n_pages || ret->n_pages > UINT32_C(1) << 30 ||
        r.root >= HELD_IDS)
        return 0;
    if (!held_reserve(&d->held_bases, r.base) || (r.root && !held_reserve(&d->held_nodes, r.root)))
        return sosia_fail_memory(l->err);
    held_add(&d->held_bases, r.base);
    if (r.root)
        held_add(&d->held_nodes, r.root);
    *ret_roots = r;
    return 1;
}

static int load_extra(struct loader *l, struct world *w, sqlite3_stmt *st)
{
    const char *name = (const char *)sqlite3_column_text(st, 1);
    if (sqlite3_column_type(st, 5) != SQLITE_NULL) {
        struct world_extra *x = world_extra(w);
        if (!x)
            return sosia_fail_memory(l->err);
        x->expires_us = sqlite3_column_int64(st, 5);
        x->expires_by_clock = sqlite3_column_int(st, 6) != 0;
        atomic_fetch_add(&l->d->engine->n_expiring, 1);
    }
    if (l->d->has_notes && world_note_set(w, (const char *)sqlite3_column_text(st, 26), l->err) < 0)
        return -1;
    /* Where another world has the name already, this one had lost it, and there was no memory to
     * say so. INVALID: it was given when names could look like keys, and was never found. */
    struct sosia_err why = {0};
    if (world_name_set(l->d->engine, w, name, &why) == 0 || why.code == SOSIA_E_CONFLICT ||
        why.code == SOSIA_E_INVALID)
        return 0;
    if (l->err)
        *l->err = why;
    return -1;
}

static int lost_world(struct loader *l, sqlite3_stmt *st, const char *why)
{
    char what[80];
    uint64_t id = row_number(st, 0);
    snprintf(what, sizeof what, "%s", why);
    if (check_world_found(l->d, id, (const char *)sqlite3_column_text(st, 1), why, l->err) < 0)
        return -1;
    return damaged(l, "world", id, what);
}

static int load_world(struct loader *l, sqlite3_stmt *st)
{
    uint64_t id = row_number(st, 0);
    if (!row_is_sound(st))
        return lost_world(l, st, NOT_AS_WRITTEN);
    struct world *w = world_place(l->d->engine, id, l->err);
    if (!w)
        return -1;
    if (w->id || !world_id_valid(id))
        return lost_world(l, st, "has an id that can't be");
    if (l->d->has_secrets && sqlite3_column_bytes(st, 22) != sizeof w->secret.key)
        return lost_world(l, st, "has no secret");
    struct roots now = {0}, start = {0};
    bool parked = !l->d->check;
    int r = parked ? hold_tree(l, st, 10, &w->now, &now) : make_tree(l, st, 10, &w->now);
    if (r > 0)
        r = parked ? hold_tree(l, st, 17, &w->start, &start) : make_tree(l, st, 17, &w->start);
    if (r <= 0) {
        tree_done(&w->now);
        w->now = w->start = (struct tree){0};
        return r < 0 ? -1 : lost_world(l, st, "lacks pages");
    }
    w->id = id;
    w->flags = (uint32_t)row_number(st, 2) & WORLD_KEPT_FLAGS;
    w->step_mib = (uint16_t)(row_number(st, 2) >> 32);
    w->journal_mib = (uint16_t)(row_number(st, 2) >> 48);
    /* What left nothing behind left no word of that either. */
    if (world_journal_mode(w) != SOSIA_JOURNAL_ALL)
        w->flags |= world_journal_mode(w) == SOSIA_JOURNAL_NONE ? WORLD_LOST : WORLD_LOST_READS;
    w->parent = row_number(st, 3);
    w->created_us = sqlite3_column_int64(st, 4);
    w->seed = row_number(st, 7);
    w->clock.at_us = sqlite3_column_int64(st, 8);
    w->clock.step_us = sqlite3_column_int64(st, 9);
    w->start_seed = row_number(st, 14);
    w->start_clock.at_us = sqlite3_column_int64(st, 15);
    w->start_clock.step_us = sqlite3_column_int64(st, 16);
    w->next_due_us = sqlite3_column_int64(st, 21);
    if (l->d->has_secrets) {
        memcpy(w->secret.key, sqlite3_column_blob(st, 22), sizeof w->secret.key);
        w->secret.of = row_number(st, 23);
    }
    w->sends = true;
    if (!kept_new(w))
        return sosia_fail_memory(l->err);
    w->kept->parked = parked;
    w->kept->now = now;
    w->kept->start = start;
    w->kept->clock = w->clock;
    if (l->d->has_beside) {
        w->kept->beside = row_number(st, 24);
        w->kept->pending = w->sends = row_number(st, 25) != 0;
    }
    if (check_world_found(l->d, id, (const char *)sqlite3_column_text(st, 1), NULL, l->err) < 0)
        return -1;
    return load_extra(l, w, st);
}

static int load_worlds(struct loader *l)
{
    sqlite3_stmt *st;
    const char *columns = l->d->has_notes     ? WORLD_COLUMNS
                          : l->d->has_beside  ? WORLD_COLUMNS_6
                          : l->d->has_secrets ? WORLD_COLUMNS_4
                                              : WORLD_COLUMNS_3;
    if (prepare(l, "world", columns, "", &st) < 0)
        return -1;
    while (sqlite3_step(st) == SQLITE_ROW) {
        if (load_world(l, st) < 0) {
            sqlite3_finalize(st);
            return -1;
        }
    }
    return end(l, st);
}

/* ---- journals ---- */

static int lost_entries(struct loader *l, sqlite3_stmt *st, const char *why)
{
    uint64_t world = row_number(st, 1);
    if (check_world_found(l->d, world, NULL, "its journal is damaged", l->err) < 0)
        return -1;
    return damaged(l, "journal", row_number(st, 0), why);
}

static int load_entries(struct loader *l, sqlite3_stmt *st)
{
    uint64_t id = row_number(st, 0), world = row_number(st, 1);
    const char *data = sqlite3_column_blob(st, 2);
    size_t len = (size_t)sqlite3_column_bytes(st, 2);
    if (!row_is_sound(st))
        return lost_entries(l, st, NOT_AS_WRITTEN);
    struct world *w = world_place(l->d->engine, world, l->err);
    if (!w)
        return -1;
    if (w->id != world || !w->kept)
        return l->d->check ? 0 : damaged(l, "journal", id, "belongs to no world");
    struct world_extra *x = world_extra(w);
    if (!x)
        return sosia_fail_memory(l->err);
    int rc = world_take_packed(l->d->engine, w, data, len);
    if (rc < 0)
        return sosia_fail_memory(l->err);
    return rc ? lost_entries(l, st, "is not whole") : 0;
}

static int load_journals(struct loader *l)
{
    sqlite3_stmt *st;
    if (prepare(l, "journal", JOURNAL_COLUMNS, "order by id", &st) < 0)
        return -1;
    while (sqlite3_step(st) == SQLITE_ROW) {
        if (load_entries(l, st) < 0) {
            sqlite3_finalize(st);
            return -1;
        }
    }
    return end(l, st);
}

/* A world's state is what is on disk. */
static int keep_state(void *arg, struct world *w)
{
    struct loader *l = arg;
    if (w->extra)
        journal_mark(&w->extra->journal);
    kept_past(w->kept, w->past);
    w->kept->disk = state_take(w->kept);
    return w->kept->disk ? 0 : sosia_fail_memory(l->err);
}

/* ---- all of it ---- */

static void let_go(struct loader *l)
{
    struct store *s = l->d->store;
    for (unsigned level = LEVELS; level-- > 0;) {
        for (size_t i = 0; i < l->nodes[level].n; i++)
            node_unref(s, l->cache, l->nodes[level].v[i].at);
        free(l->nodes[level].v);
    }
    for (size_t i = 0; i < l->pages.n; i++)
        page_unref(s, l->cache, l->pages.v[i].at);
    free(l->pages.v);
    for (size_t i = 0; i < l->n_bases; i++)
        tree_done(&l->bases[i].tree);
    free(l->bases);
}

static int load_everything(struct loader *l)
{
    struct durable *d = l->d;
    int rc = -1;
    if (check_file(d, l->err) == 0 && load_bases(l) == 0 && load_pages(l) == 0 &&
        load_nodes(l) == 0 && load_worlds(l) == 0 && load_journals(l) == 0 &&
        world_each(d->engine, 0, keep_state, l) == 0)
        rc = registry_restore(d->engine, l->err);
    let_go(l);
    freed_take(d);
    return rc;
}

/* ---- what parked worlds have ---- */

/* The nodes' rows, as they come: those of a level refer to the level below. */
struct links {
    struct link {
        uint64_t id;
        size_t first; /* of its children's ids */
        uint8_t level, n;
    } * v;
    size_t n, cap;
    struct ids children;
};

static int add_link(struct loader *l, struct links *x, sqlite3_stmt *st)
{
    uint64_t id = row_number(st, 0), level = row_number(st, 1), child;
    unsigned n = (unsigned)__builtin_popcountll(row_number(st, 2));
    const char *ids = sqlite3_column_blob(st, 3);
    if (!row_is_sound(st))
        return damaged(l, "node", id, NOT_AS_WRITTEN);
    if (!id || id >= HELD_IDS || level >= LEVELS ||
        (size_t)sqlite3_column_bytes(st, 3) != n * sizeof child)
        return damaged(l, "node", id, "is not whole");
    void *list = heap_grow(x->v, x->n, &x->cap, sizeof *x->v);
    if (!list)
        return sosia_fail_memory(l->err);
    x->v = list;
    x->v[x->n++] =
        (struct link){.id = id, .first = x->children.n, .level = (uint8_t)level, .n = (uint8_t)n};
    for (unsigned i = 0; i < n; i++) {
        memcpy(&child, ids + i * sizeof child, sizeof child);
        if (!child || child >= HELD_IDS)
            return damaged(l, "node", id, "is not whole");
        if (!ids_add(&x->children, child))
            return sosia_fail_memory(l->err);
    }
    return 0;
}

static int read_links(struct loader *l, struct links *x)
{
    sqlite3_stmt *st;
    if (prepare(l, "node", NODE_COLUMNS, "", &st) < 0)
        return -1;
    while (sqlite3_step(st) == SQLITE_ROW) {
        if (add_link(l, x, st) < 0) {
            sqlite3_finalize(st);
            return -1;
        }
    }
    return end(l, st);
}

/* From the roots down. */
static int hold_links(struct loader *l, const struct links *x)
{
    struct durable *d = l->d;
    for (unsigned level = LEVELS; level-- > 0;) {
        struct held *below = level ? &d->held_nodes : &d->held_pages;
        for (size_t i = 0; i < x->n; i++) {
            const struct link *k = &x->v[i];
            if (k->level != level || !held_count(&d->held_nodes, k->id))
                continue;
            for (unsigned j = 0; j < k->n; j++) {
                uint64_t child = x->children.v[k->first + j];
                if (!held_reserve(below, child))
                    return sosia_fail_memory(l->err);
                held_add(below, child);
            }
        }
    }
    return 0;
}

static int hold_all(struct loader *l)
{
    struct links x = {0};
    int rc = read_links(l, &x) == 0 ? hold_links(l, &x) : -1;
    free(x.v);
    free(x.children.v);
    return rc;
}

/* The ids up to the last of a table that nothing has: the lowest are given out first. */
static int find_free(struct loader *l, const char *query, const struct held *h,
                     struct ids *free_ids, uint64_t *next)
{
    int64_t last = rows_ask(l->d, query);
    if (last < 0 || last >= (int64_t)HELD_IDS)
        return damaged(l, "file", 0, "its last row can't be");
    *next = (uint64_t)last + 1;
    for (uint64_t id = (uint64_t)last; id > 0; id--)
        if (!held_count(h, id) && !ids_add(free_ids, id))
            return sosia_fail_memory(l->err);
    return 0;
}

static int find_all_free(struct loader *l)
{
    struct durable *d = l->d;
    for (size_t i = 0; i < l->known_bases.n; i++)
        if (!held_count(&d->held_bases, l->known_bases.v[i].id) &&
            !ids_add(&d->bases, l->known_bases.v[i].id))
            return sosia_fail_memory(l->err);
    if (find_free(l, "select coalesce(max(id), 0) from page", &d->held_pages, &d->pages,
                  &d->next_page) < 0)
        return -1;
    return find_free(l, "select coalesce(max(id), 0) from node", &d->held_nodes, &d->nodes,
                     &d->next_node);
}

/* What SQLite knows to be wrong with a file is found by reading all of it. */
static int check_small_file(struct durable *d, struct sosia_err *err)
{
    int64_t pages = rows_ask(d, "pragma page_count");
    return pages * d->page_size <= CHECKED_BYTES ? check_file(d, err) : 0;
}

int load_all(struct durable *d, struct sosia_err *err)
{
    struct loader l = {.d = d, .err = err, .cache = page_cache(d->store)};
    int rc = -1;
    d->next_page = d->next_node = d->next_base = 1;
    if (d->check)
        return load_everything(&l);
    if (check_small_file(d, err) == 0 && find_bases(&l) == 0 && load_worlds(&l) == 0 &&
        hold_all(&l) == 0 && find_all_free(&l) == 0)
        rc = registry_restore(d->engine, err);
    free(l.known_bases.v);
    return rc;
}

/* ---- with the engine's empty world ---- */

enum { EMPTY_MOST = 4 }; /* bases of its size that the empty world is compared with */

/* The empty world is the same after each start, and so need not be written again for those who come
 * from it. */
static int share_empty(struct durable *d, struct sosia_err *err)
{
    struct tree *empty = &d->engine->empty;
    size_t len = (size_t)empty->n_pages * STORE_PAGE_SIZE;
    sqlite3_stmt *st = NULL;
    int rc =
        sqlite3_prepare_v2(d->db, "select id from base where pages = ? order by id", -1, &st, NULL);
    if (rc == SQLITE_OK)
        sqlite3_bind_int64(st, 1, empty->n_pages);
    for (int i = 0; rc == SQLITE_OK && i < EMPTY_MOST && sqlite3_step(st) == SQLITE_ROW; i++) {
        uint64_t id = (uint64_t)sqlite3_column_int64(st, 0);
        struct tree t;
        if (!held_count(&d->held_bases, id) || base_read(d, id, &t, NULL) < 0)
            continue; /* it goes; or whose worlds can't be read says so */
        if (t.n_pages == empty->n_pages && memcmp(t.base->image, empty->base->image, len) == 0) {
            tree_done(empty);
            *empty = t;
            break;
        }
        base_put_back(d, &t);
    }
    if (rc == SQLITE_OK)
        rc = sqlite3_finalize(st);
    return rc == SQLITE_OK ? 0 : db_fail(d, "the data directory can't be read", err);
}

static int check_world(void *arg, struct world *w)
{
    const struct loader *l = arg;
    if (has_tables(l->d, &w->now) && has_tables(l->d, &w->start))
        return 0;
    return check_world_found(l->d, w->id, NULL, "has other tables than this version's", l->err);
}

int load_check(struct durable *d, struct sosia_err *err)
{
    struct loader l = {.d = d, .err = err};
    if (tables_check(d, err) < 0)
        return -1;
    return d->check ? -!!world_each(d->engine, 0, check_world, &l) : share_empty(d, err);
}
