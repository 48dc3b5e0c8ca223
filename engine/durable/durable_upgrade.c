/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The worlds of an earlier release (engine/world/upgrade.h), when the directory is opened. One
 * after the other is fetched, its two states are upgraded, and it is handed over and parked as
 * after a call: so each has either its old state on disk or its new one, and an upgrade that ended
 * goes on where it was. While it lasts the table meta has both kinds of tables with their cookies,
 * which say which of them a state has.
 *
 * States that had pages in common have them again: a state is made as a fork of the one, of those
 * that were upgraded last, whose old pages were most like its own, and only rows that differ are
 * written to it.
 */
#include "engine/durable/durable_impl.h"
#include "engine/world/upgrade.h"
#include "engine/world/parking.h"
#include <stdlib.h>

enum {
    REMEMBERED = 32,       /* states that others are compared with */
    REMEMBERED_MIB = 1024, /* while this much is in memory, but for the last */
};

struct upgraded {
    struct tree old, now;
};

struct upgrade {
    struct durable *d;
    struct ids worlds;
    struct upgraded last[REMEMBERED]; /* the newest first */
    size_t n;
    struct sosia_err *err;
};

static int count(void *arg, uint32_t page, const uint8_t *a, const uint8_t *b)
{
    size_t *n = arg;
    (void)page;
    (void)a;
    (void)b;
    ++*n;
    return 0;
}

static void forget_oldest(struct upgrade *u)
{
    tree_done(&u->last[--u->n].old);
    tree_done(&u->last[u->n].now);
}

static void remember(struct upgrade *u, const struct tree *old, const struct tree *now)
{
    if (u->n == REMEMBERED)
        forget_oldest(u);
    while (u->n > 1 && store_resident(u->d->store) >> 20 > REMEMBERED_MIB)
        forget_oldest(u);
    memmove(u->last + 1, u->last, u->n++ * sizeof *u->last);
    tree_fork(old, &u->last[0].old);
    tree_fork(now, &u->last[0].now);
}

/* The state that has most pages in common with the old one; NULL: none has half of them. */
static const struct upgraded *find_like(const struct upgrade *u, const struct tree *old,
                                        size_t *ret_differ)
{
    const struct upgraded *best = NULL;
    size_t least = old->n_pages / 2 + 1;
    for (size_t i = 0; i < u->n && least; i++) {
        size_t n = 0;
        if (u->last[i].old.base != old->base)
            continue;
        tree_diff(old, &u->last[i].old, count, &n);
        if (n < least) {
            least = n;
            best = &u->last[i];
        }
    }
    *ret_differ = least;
    return best;
}

static bool is_old(const struct upgrade *u, const struct tree *t)
{
    return get4(tree_page(t, 0) + HEADER_COOKIE) == u->d->tables_cookie;
}

static int upgrade_state(struct upgrade *u, struct tree *t)
{
    struct sosia_engine *e = u->d->engine;
    struct tree now;
    size_t differ;
    if (!is_old(u, t))
        return 0;
    const struct upgraded *like = find_like(u, t, &differ);
    if (like && !differ) {
        tree_reset(t, &like->now);
        return 0;
    }
    /* One without pages of its own was not made of the empty world. */
    const struct tree *of = like ? &like->now : t->root ? &e->empty : NULL;
    if (upgrade_tree(e, u->d->from, t, of, &now, u->err) < 0)
        return -1;
    remember(u, t, &now);
    tree_done(t);
    *t = now;
    return 0;
}

/* A locked world. 1: it was handed over. */
static int upgrade_world(struct upgrade *u, struct world *w)
{
    struct tree start, now;
    if (durable_fetch(u->d, w, u->err) < 0)
        return -1;
    if (!is_old(u, &w->start) && !is_old(u, &w->now))
        return 0;
    tree_fork(&w->start, &start);
    tree_fork(&w->now, &now);
    int rc = upgrade_state(u, &start);
    if (rc == 0)
        rc = upgrade_state(u, &now);
    if (rc == 0) {
        tree_reset(&w->start, &start);
        tree_reset(&w->now, &now);
        w->version++;
        rc = durable_put(u->d, w, 0, u->err);
    }
    tree_done(&start);
    tree_done(&now);
    return rc < 0 ? -1 : 1;
}

/* 1: the world is damaged, and stays as it is. */
static int upgrade_one(struct upgrade *u, uint64_t id)
{
    struct world *w = world_look(u->d->engine, id, u->err);
    if (!w)
        return -1;
    int r = upgrade_world(u, w);
    uint64_t ticket = w->ticket;
    bool damaged = r < 0 && world_is_parked(w) && u->err->reason &&
                   strcmp(u->err->reason, "dataDirectoryDamaged") == 0;
    world_drop(w);
    if (r > 0 && durable_wait(u->d, ticket, u->err) < 0)
        r = -1;
    if (r < 0)
        return damaged ? 1 : -1;
    (void)world_park(u->d->engine, id);
    return 0;
}

static int add_world(void *arg, struct world *w)
{
    struct upgrade *u = arg;
    return ids_add(&u->worlds, w->id) ? 0 : sosia_fail_memory(u->err);
}

int durable_upgrade(struct durable *d, struct sosia_err *err)
{
    struct upgrade u = {.d = d, .err = err};
    bool whole = true;
    int rc = world_each(d->engine, 0, add_world, &u);
    for (size_t i = 0; i < u.worlds.n && rc >= 0; i++) {
        rc = upgrade_one(&u, u.worlds.v[i]);
        whole &= rc == 0;
    }
    while (u.n)
        forget_oldest(&u);
    free(u.worlds.v);
    return rc < 0 ? -1 : !whole;
}
