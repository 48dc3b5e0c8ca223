/* SPDX-License-Identifier: Apache-2.0 */
#include "sandbox/bases.h"
#include "engine/store/rowdiff.h"
#include "engine/world/engine.h"
#include <stdlib.h>
#include <string.h>

/* A tree is small up to here, and is copied: that costs 12 us a file, and everything is as on a
 * plain disk. Over a base a directory that was in it can't be renamed by rename(2) alone (EXDEV),
 * which mv and the like know and some programs don't. */
enum { SMALL_NODES = 4000 };
#define SMALL_BYTES ((int64_t)64 << 20)

enum {
    MOST_BASES = 8,
    MOST_ROWS = 4096 /* that may differ from a base */
};
#define MOST_BYTES ((int64_t)1 << 30) /* of all of them */

struct base {
    struct base *next;
    struct sandbox *sandbox;
    struct sandbox_base *dir;
    struct tree tree;       /* the state that it is of */
    struct tree_copy files; /* by their paths, and by rows */
    int64_t bytes, room;    /* of its files; and what they take of memory */
    unsigned refs;
    bool making; /* its files are being written: one who finds it waits */
    time_t used; /* of a clock that goes on */
};

static time_t clock_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec;
}

void bases_init(struct bases *b)
{
    *b = (struct bases){.list = NULL};
    pthread_mutex_init(&b->lock, NULL);
    pthread_cond_init(&b->made, NULL);
    atomic_init(&b->small_nodes, SMALL_NODES);
    atomic_init(&b->small_bytes, SMALL_BYTES);
}

static void base_free(struct base *base)
{
    sandbox_base_close(base->dir);
    if (base->tree.base)
        tree_done(&base->tree);
    tree_copy_free(&base->files);
    free(base);
}

/* Under the lock. */
static void drop(struct bases *b, struct base **at)
{
    struct base *base = *at;
    *at = base->next;
    b->n--;
    b->room -= base->room;
    base_free(base);
}

void bases_done(struct bases *b)
{
    while (b->list)
        drop(b, &b->list);
    pthread_cond_destroy(&b->made);
    pthread_mutex_destroy(&b->lock);
}

static void sweep(struct bases *b, const struct sandbox *s, time_t idle)
{
    for (struct base **at = &b->list; *at;) {
        struct base *base = *at;
        if (!base->refs && ((s && base->sandbox != s) || clock_s() - base->used >= idle))
            drop(b, at);
        else
            at = &base->next;
    }
}

void bases_sweep(struct bases *b, const struct sandbox *s, time_t idle)
{
    pthread_mutex_lock(&b->lock);
    sweep(b, s, idle);
    pthread_mutex_unlock(&b->lock);
}

/* ---- what differs ---- */

struct differing {
    int64_t rows[MOST_ROWS];
    size_t n;
};

static bool is_wanted(void *arg, const char *table)
{
    (void)arg;
    return strcmp(table, "workspace_node") == 0;
}

static int row_differs(void *arg, const char *table, int64_t rowid, enum row_change change)
{
    struct differing *d = arg;
    (void)table;
    (void)change;
    if (d->n == MOST_ROWS)
        return 1;
    d->rows[d->n++] = rowid;
    return 0;
}

/* 1; 0: too many; -1: NO_MEMORY. */
static int differing_from(const struct base *base, struct tx *tx, struct differing *ret)
{
    ret->n = 0;
    int r = rowdiff(tx->engine->store, &base->tree, slot_tree(tx->db), is_wanted, row_differs, ret,
                    tx->err);
    return r < 0 ? -1 : r == 0;
}

int base_write(struct bases *b, const struct base *base, struct tree_copy *t, struct tx *tx,
               int top)
{
    struct differing d;
    pthread_mutex_lock(&b->lock); /* one at a time compares with a state */
    int r = differing_from(base, tx, &d);
    pthread_mutex_unlock(&b->lock);
    if (r <= 0)
        return r < 0 ? -1
                     : sosia_fail(tx->err, SOSIA_E_IO, "sandbox", NULL,
                                  "the world's files have become other ones");
    t->under = &base->files;
    return tree_write_layer(t, tx, d.rows, d.n, top, tx->err);
}

/* ---- finding and making ---- */

/* Goes to the front. */
static struct base *use(struct bases *b, struct base **at)
{
    struct base *base = *at;
    *at = base->next;
    base->next = b->list;
    b->list = base;
    base->refs++;
    return base;
}

/* Room for one more: the ones used longest ago go, as far as nobody has them. */
static bool make_room(struct bases *b, int64_t room)
{
    while (b->n >= MOST_BASES || b->room + room > MOST_BYTES) {
        struct base **last = NULL;
        for (struct base **at = &b->list; *at; at = &(*at)->next)
            if (!(*at)->refs)
                last = at;
        if (!last)
            return false;
        drop(b, last);
    }
    return true;
}

/* A file takes whole pages, and a directory or a link one at most. */
static int64_t room_of(const struct workspace_use *u)
{
    return u->bytes + (u->nodes + 1) * 4096;
}

static int write_base(struct base *base, struct tx *tx, const struct workspace_use *u)
{
    struct sandbox *s = base->sandbox;
    if (sandbox_base_open(s, base->room, u->nodes + 64, &base->dir, tx->err) < 0)
        return -1;
    sandbox_files_begin(s);
    int rc = tree_write(&base->files, tx, sandbox_base_data(base->dir), tx->err);
    sandbox_files_end(s);
    return rc < 0 ? -1 : tree_be_base(&base->files, tx->err);
}

/* Under the lock, which others can have while files are written. */
static int make(struct bases *b, struct sandbox *s, struct tx *tx, const struct workspace_use *u,
                struct base **ret)
{
    struct base *base = calloc(1, sizeof *base);
    if (!base)
        return sosia_fail_memory(tx->err);
    tree_copy_init(&base->files);
    tree_fork(slot_tree(tx->db), &base->tree);
    base->sandbox = s;
    base->bytes = u->bytes;
    base->room = room_of(u);
    base->refs = 1;
    base->making = true;
    base->next = b->list;
    b->list = base;
    b->n++;
    b->room += base->room;
    pthread_mutex_unlock(&b->lock);
    int rc = write_base(base, tx, u);
    pthread_mutex_lock(&b->lock);
    base->making = false;
    pthread_cond_broadcast(&b->made);
    if (rc < 0) {
        struct base **at = &b->list;
        while (*at != base)
            at = &(*at)->next;
        drop(b, at);
        return -1;
    }
    *ret = base;
    return 1;
}

/* Under the lock. 1, 0: there is none, -1. */
static int find(struct bases *b, struct sandbox *s, struct tx *tx, struct base **ret)
{
    struct differing d;
    for (struct base **at = &b->list, *base; (base = *at) != NULL;) {
        /* Of states of other origins all pages would have to be compared. */
        const bool akin = base->sandbox == s && base->tree.base == slot_tree(tx->db)->base;
        int r = akin ? differing_from(base, tx, &d) : 0;
        if (r < 0)
            return -1;
        if (r && !base->making) {
            *ret = use(b, at);
            return 1;
        }
        if (r)
            pthread_cond_wait(&b->made, &b->lock);
        at = r ? &b->list : &base->next; /* others may have come and gone meanwhile */
    }
    return 0;
}

int bases_take(struct bases *b, struct sandbox *s, struct tx *tx,
               const struct sandbox_limits *limits, struct base **ret)
{
    struct workspace_use u;
    if (workspace_use(tx, &u) < 0)
        return -1;
    if ((u.nodes <= atomic_load(&b->small_nodes) && u.bytes <= atomic_load(&b->small_bytes)) ||
        u.bytes > limits->data_bytes || u.nodes > limits->data_nodes)
        return 0;
    pthread_mutex_lock(&b->lock);
    sweep(b, s, INT32_MAX);
    int r = find(b, s, tx, ret);
    if (r == 0 && make_room(b, room_of(&u)))
        r = make(b, s, tx, &u, ret);
    pthread_mutex_unlock(&b->lock);
    return r;
}

void bases_give(struct bases *b, struct base *base)
{
    if (!base)
        return;
    pthread_mutex_lock(&b->lock);
    base->refs--;
    base->used = clock_s();
    pthread_mutex_unlock(&b->lock);
}

const struct sandbox_base *base_directory(const struct base *base)
{
    return base->dir;
}

int64_t base_bytes(const struct base *base)
{
    return base->bytes;
}
