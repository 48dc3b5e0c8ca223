/* SPDX-License-Identifier: Apache-2.0 */
#include "guard/taint/taint_index.h"
#include "engine/base/heap.h"
#include "engine/base/map.h"
#include "engine/json/build.h"
#include "engine/state/stored.h"
#include "engine/store/rowdiff.h"
#include "guard/reach.h"
#include "guard/taint/taint_row.h"
#include <stdlib.h>

/* How often a value is inside, and outside. */
struct count {
    uint64_t value;
    uint32_t inside, outside; /* both 0: a free place, or one that was used */
};

struct taint_index {
    _Atomic(int) refs;
    struct store *store;
    struct tree tree; /* the state that it is of */
    int64_t org;
    char *domain;            /* whose people are inside */
    struct taint_row **rows; /* by kind and rowid */
    size_t n, cap;
    struct map aliases;   /* of ids to copies of actors' names */
    struct count *counts; /* cap_counts of them, a power of two */
    size_t n_counts, cap_counts;
    uint64_t turn;
};

/* ---- counts ---- */

static struct count *count_at(const struct taint_index *x, uint64_t value)
{
    size_t i = value & (x->cap_counts - 1);
    while (x->counts[i].value != value && x->counts[i].value)
        i = (i + 1) & (x->cap_counts - 1);
    return &x->counts[i];
}

static int grow(struct taint_index *x)
{
    struct taint_index more = {.cap_counts = x->cap_counts ? 2 * x->cap_counts : 1024};
    if (x->cap_counts && x->n_counts < x->cap_counts / 2)
        return 0;
    more.counts = calloc(more.cap_counts, sizeof *more.counts);
    if (!more.counts)
        return -1;
    for (size_t i = 0; i < x->cap_counts; i++)
        if (x->counts[i].value)
            *count_at(&more, x->counts[i].value) = x->counts[i];
    free(x->counts);
    x->counts = more.counts;
    x->cap_counts = more.cap_counts;
    return 0;
}

/* by: 1 or -1. */
static int count(struct taint_index *x, const struct taint_values *v, bool outside, int by)
{
    for (size_t i = 0; i < v->n; i++) {
        uint64_t value = v->list[i] ? v->list[i] : 1;
        if (grow(x) < 0)
            return -1;
        struct count *at = count_at(x, value);
        x->n_counts += !at->value;
        at->value = value;
        uint32_t *n = outside ? &at->outside : &at->inside;
        x->turn += outside ? by > 0 && !*n : by < 0 && *n == 1;
        *n = by > 0 ? *n + 1 : *n - 1;
    }
    return 0;
}

uint64_t taint_index_turn(const struct taint_index *x)
{
    return x->turn;
}

bool taint_index_inside(const struct taint_index *x, uint64_t value)
{
    return x->cap_counts && count_at(x, value ? value : 1)->inside;
}

bool taint_index_outside(const struct taint_index *x, uint64_t value)
{
    return x->cap_counts && count_at(x, value ? value : 1)->outside;
}

/* ---- rows ---- */

/* The place of a row, or where it would be. */
static size_t place_of(const struct taint_index *x, const struct kind *kind, int64_t rowid)
{
    size_t low = 0, high = x->n;
    while (low < high) {
        size_t mid = (low + high) / 2;
        const struct taint_row *r = x->rows[mid];
        if (r->kind->place < kind->place || (r->kind->place == kind->place && r->rowid < rowid))
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

static int count_row(struct taint_index *x, const struct taint_row *r, int by)
{
    return count(x, &r->inside, false, by) < 0 || count(x, &r->outside, true, by) < 0 ? -1 : 0;
}

/* r: what is there now, taken over; NULL: nothing. */
static int put_row(struct taint_index *x, const struct kind *kind, int64_t rowid,
                   struct taint_row *r)
{
    size_t at = place_of(x, kind, rowid);
    struct taint_row *old =
        at < x->n && x->rows[at]->kind->place == kind->place && x->rows[at]->rowid == rowid
            ? x->rows[at]
            : NULL;
    if (old) {
        count_row(x, old, -1); /* which are all there */
        taint_row_unref(old);
        x->n--;
        memmove(x->rows + at, x->rows + at + 1, (x->n - at) * sizeof(struct taint_row *));
    }
    if (!r)
        return 0;
    void *list = heap_grow(x->rows, x->n, &x->cap, sizeof *x->rows);
    if (!list) {
        taint_row_unref(r);
        return -1;
    }
    x->rows = list;
    memmove(x->rows + at + 1, x->rows + at, (x->n - at) * sizeof(struct taint_row *));
    x->rows[at] = r;
    x->n++;
    return count_row(x, r, 1);
}

static int read_again(struct call *c, struct taint_index *x, const struct kind *kind, int64_t rowid)
{
    struct taint_row *r;
    if (taint_row_read(c, x, kind, rowid, true, &r) < 0)
        return -1;
    return put_row(x, kind, rowid, r) < 0 ? sosia_fail_memory(c->tx.err) : 0;
}

/* ---- from nothing ---- */

static int read_entity(struct call *c, struct taint_index *x, const struct kind *kind)
{
    sqlite3_stmt *st = NULL;
    char *sql = sqlite3_mprintf("select rowid from \"%w\" order by rowid", kind->entity->table);
    int rc = sql ? 0 : sosia_fail_memory(c->tx.err), r = SQLITE_DONE;
    if (sql && sqlite3_prepare_v2(slot_db(c->tx.db), sql, -1, &st, NULL) != SQLITE_OK)
        rc = slot_fail(c->tx.db, c->tx.err);
    sqlite3_free(sql);
    while (rc == 0 && (r = sqlite3_step(st)) == SQLITE_ROW)
        rc = read_again(c, x, kind, sqlite3_column_int64(st, 0));
    if (rc == 0 && r != SQLITE_DONE)
        rc = slot_fail(c->tx.db, c->tx.err);
    sqlite3_finalize(st);
    return rc;
}

static int read_world(struct call *c, struct taint_index *x)
{
    const struct sosia_engine *e = c->tx.engine;
    for (size_t i = 0; e->cores[i]; i++)
        for (size_t k = 0; k < e->cores[i]->n_entities; k++) {
            const struct kind *kind = kind_of_entity(e->kinds, e->cores[i]->entities[k].name);
            if (kind && kind->core == e->cores[i] && read_entity(c, x, kind) < 0)
                return -1;
        }
    return 0;
}

/* ---- from another state ---- */

struct row_id {
    const struct kind *kind;
    int64_t rowid;
};

struct following {
    struct call *c;
    struct taint_index *x;
    const struct kind *kinds; /* of the table whose rows come */
    struct row_id *list;
    size_t n, cap;
    struct worker *worker; /* of the state before; NULL: nothing was asked of it */
    struct world before;
    struct tx tx;
};

static int note(struct following *f, const struct kind *kind, int64_t rowid)
{
    if (f->n && f->list[f->n - 1].kind == kind && f->list[f->n - 1].rowid == rowid)
        return 0;
    void *list = heap_grow(f->list, f->n, &f->cap, sizeof *f->list);
    if (!list)
        return sosia_fail_memory(f->c->tx.err);
    f->list = list;
    f->list[f->n++] = (struct row_id){kind, rowid};
    return 0;
}

static int note_owners(struct following *f, struct tx *tx, const struct kind *k, int64_t rowid)
{
    const struct kind *whole = kind_of_entity(f->c->tx.engine->kinds, k->entity->name);
    sqlite3_stmt *st = TX_QUERY(tx, k->part->owner, rowid);
    int r = st ? 0 : -1;
    while (st && (r = TX_STEP(tx, st)) == 1) {
        int64_t owner = sqlite3_column_int64(st, 0);
        if (owner && note(f, whole, owner) < 0) {
            sql_done(st);
            return -1;
        }
    }
    return r;
}

/* A transaction on the state that the index is of. */
static int open_before(struct following *f)
{
    if (f->worker)
        return 0;
    tree_fork(&f->x->tree, &f->before.now);
    f->before.id = f->c->tx.world->id;
    f->before.version = world_fresh_version();
    f->worker = worker_take_second(f->c->tx.engine, f->c->tx.err);
    if (!f->worker)
        return -1;
    if (tx_begin(&f->tx, f->c->tx.engine, &f->before, f->worker, false, f->c->tx.now_us,
                 f->c->tx.err) < 0) {
        worker_drop(f->worker);
        f->worker = NULL;
        return -1;
    }
    return 0;
}

static bool is_wanted(void *arg, const char *table)
{
    struct following *f = arg;
    f->kinds = kinds_of_table(f->c->tx.engine->kinds, table);
    return f->kinds != NULL;
}

static int row_differs(void *arg, const char *table, int64_t rowid, enum row_change change)
{
    struct following *f = arg;
    (void)table;
    for (const struct kind *k = f->kinds; k; k = k->next) {
        int rc = 0;
        if (!k->part)
            rc = note(f, k, rowid);
        if (k->part && change != ROW_REMOVED)
            rc = note_owners(f, &f->c->tx, k, rowid);
        if (rc == 0 && k->part && change != ROW_ADDED)
            rc = open_before(f) < 0 ? -1 : note_owners(f, &f->tx, k, rowid);
        if (rc < 0)
            return -1;
    }
    return 0;
}

static int by_row(const void *pa, const void *pb)
{
    const struct row_id *a = pa, *b = pb;
    if (a->kind->place != b->kind->place)
        return a->kind->place < b->kind->place ? -1 : 1;
    return (a->rowid > b->rowid) - (a->rowid < b->rowid);
}

static int follow(struct call *c, struct taint_index *x, const struct tree *now)
{
    struct following f = {.c = c, .x = x};
    int rc = rowdiff(x->store, &x->tree, now, is_wanted, row_differs, &f, c->tx.err);
    if (f.worker) {
        tx_rollback(&f.tx);
        worker_drop(f.worker);
    }
    tree_done(&f.before.now);
    if (rc == 0 && f.n)
        qsort(f.list, f.n, sizeof *f.list, by_row);
    for (size_t i = 0; rc == 0 && i < f.n; i++)
        if (!i || by_row(&f.list[i], &f.list[i - 1]) != 0)
            rc = read_again(c, x, f.list[i].kind, f.list[i].rowid);
    free(f.list);
    return rc;
}

/* ---- what actors are called ---- */

const char *taint_index_alias(const struct taint_index *x, const char *id)
{
    return map_get(&x->aliases, id);
}

int taint_index_add_alias(struct taint_index *x, const char *id, const char *actor)
{
    char *known = map_get(&x->aliases, id);
    if (known && strcmp(known, actor) == 0)
        return 0;
    char *copy = strdup(actor);
    if (!copy || map_set(&x->aliases, id, copy) < 0) {
        free(copy);
        return -1;
    }
    free(known);
    return 0;
}

static int free_alias(void *arg, const char *id, void *actor)
{
    (void)arg;
    (void)id;
    free(actor);
    return 0;
}

static int copy_alias(void *to, const char *id, void *actor)
{
    return taint_index_add_alias(to, id, actor);
}

/* ---- the index ---- */

struct taint_index *taint_index_ref(struct taint_index *x)
{
    atomic_fetch_add_explicit(&x->refs, 1, memory_order_relaxed);
    return x;
}

void taint_index_unref(struct taint_index *x)
{
    if (!x || atomic_fetch_sub_explicit(&x->refs, 1, memory_order_acq_rel) > 1)
        return;
    for (size_t i = 0; i < x->n; i++)
        taint_row_unref(x->rows[i]);
    tree_done(&x->tree);
    map_each(&x->aliases, free_alias, NULL);
    map_done(&x->aliases);
    free(x->rows);
    free(x->counts);
    free(x->domain);
    free(x);
}

static struct taint_index *new_index(struct call *c)
{
    struct taint_index *x = calloc(1, sizeof *x);
    if (!x)
        return NULL;
    x->refs = 1;
    map_init(&x->aliases);
    x->store = c->tx.engine->store;
    x->turn = world_fresh_version() << 24; /* another one than those of indexes before */
    x->org = c->actor.org;
    x->domain = strdup(reach_domain(c->actor.email));
    if (x->domain)
        return x;
    free(x);
    return NULL;
}

/* What others hold of it stays as it is. */
static struct taint_index *own(struct call *c, struct taint_index *x)
{
    if (atomic_load_explicit(&x->refs, memory_order_acquire) == 1)
        return x;
    struct taint_index *copy = new_index(c);
    if (!copy)
        return NULL;
    copy->counts = calloc(x->cap_counts + 1, sizeof *copy->counts);
    copy->rows = calloc(x->n + 1, sizeof(struct taint_row *));
    if (!copy->counts || !copy->rows || map_each(&x->aliases, copy_alias, copy) < 0) {
        taint_index_unref(copy);
        return NULL;
    }
    memcpy(copy->counts, x->counts, x->cap_counts * sizeof *copy->counts);
    copy->n_counts = x->n_counts;
    copy->turn = x->turn;
    copy->cap_counts = x->cap_counts;
    copy->cap = x->n;
    for (; copy->n < x->n; copy->n++) {
        copy->rows[copy->n] = x->rows[copy->n];
        atomic_fetch_add_explicit(&x->rows[copy->n]->refs, 1, memory_order_relaxed);
    }
    tree_fork(&x->tree, &copy->tree);
    taint_index_unref(x);
    return copy;
}

static bool is_of(const struct taint_index *x, const struct call *c)
{
    return x->org == c->actor.org && strcmp(x->domain, reach_domain(c->actor.email)) == 0;
}

static bool same_tree(const struct tree *a, const struct tree *b)
{
    return a->base == b->base && a->root == b->root && a->n_pages == b->n_pages;
}

int taint_index_sync(struct call *c, struct taint_index **index)
{
    const struct tree *now = slot_tree(c->tx.db);
    struct taint_index *x = *index;
    if (x && is_of(x, c) && same_tree(&x->tree, now))
        return 0;
    if (x && !is_of(x, c)) {
        taint_index_unref(x);
        x = NULL;
    }
    bool known = x != NULL;
    *index = NULL;
    struct taint_index *mine = known ? own(c, x) : new_index(c);
    if (!mine) {
        taint_index_unref(x);
        return sosia_fail_memory(c->tx.err);
    }
    int rc = known ? follow(c, mine, now) : read_world(c, mine);
    if (rc < 0) {
        taint_index_unref(mine);
        return -1;
    }
    tree_done(&mine->tree);
    tree_fork(now, &mine->tree);
    *index = mine;
    return 0;
}

/* ---- where a value is ---- */

int taint_row_name(struct call *c, const struct kind *kind, int64_t rowid, const char **ret)
{
    struct json_builder build;
    struct json_writer w;
    struct buf failed;
    buf_init(&failed, 0);
    json_build_init(&build, c->tx.arena);
    json_init_build(&w, &build, &failed);
    json_obj(&w, NULL);
    int rc = entity_key(&c->tx, kind->entity, rowid, &w) < 0 ? -1 : 0;
    json_end(&w);
    const struct json *key = rc == 0 && !buf_failed(&failed) ? json_build_root(&build) : NULL;
    json_build_done(&build);
    buf_done(&failed);
    const char *name = kind->entity->name;
    for (uint32_t i = 0; key && i < key->n; i++) {
        const struct json *v = &key->members[i].value;
        if (strcmp(key->members[i].key, "subject") != 0 &&
            (v->type == JSON_STRING || v->type == JSON_NUMBER))
            name = ARENA_JOIN(c->tx.arena, name, "/", v->str);
    }
    *ret = name;
    return rc;
}

/* The part of a row that has it; NULL: none. */
static const struct taint_segment *segment_with(const struct taint_row *r, uint64_t value)
{
    for (size_t k = 0; k < r->n_segments; k++)
        if (taint_values_have(r->outside.list + r->segments[k].from, r->segments[k].n, value))
            return &r->segments[k];
    return NULL;
}

int taint_index_origin(struct call *c, const struct taint_index *x, uint64_t value,
                       struct taint_found *hint, struct taint_origin *ret)
{
    const struct taint_segment *s = NULL;
    size_t at = hint && hint->name && hint->place < x->n ? hint->place : x->n;
    if (at < x->n)
        s = segment_with(x->rows[at], value);
    const char *name = s ? hint->name : NULL;
    for (size_t i = 0; !s && i < x->n; i++)
        s = segment_with(x->rows[at = i], value);
    if (!s)
        return 0;
    const struct taint_row *r = x->rows[at];
    ret->author = arena_strdup(c->tx.arena, s->author);
    ret->row = s->row ? arena_strdup(c->tx.arena, s->row) : NULL;
    if (!name && (hint || !ret->row) && taint_row_name(c, r->kind, r->rowid, &name) < 0)
        return -1;
    if (!ret->row)
        ret->row = name;
    if (hint)
        *hint = (struct taint_found){at, name};
    return 1;
}
