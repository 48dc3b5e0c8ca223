/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Worlds that are parked: they are on disk, and in memory there is a world's struct and the ids of
 * its roots. Who takes one has its pages and its journal read first, under no lock but the world's
 * own.
 */
#include "engine/durable/durable_impl.h"

/* Its entries are on disk: they leave memory, with what they go on from. */
static void forget_journal(struct durable *d, struct world *w)
{
    if (w->past || (w->extra && w->extra->journal.n))
        world_set_past(d->engine, w, NULL);
}

int durable_fetch(struct durable *d, struct world *w, struct sosia_err *err)
{
    struct kept *k = w->kept;
    struct tree now = {0}, start = {0}, parked_now = w->now, parked_start = w->start;
    int rc = world_read_rows(d, w, &now, &start, err);
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
        w->now = parked_now;
        w->start = parked_start;
        tree_done(&now);
        tree_done(&start);
        forget_journal(d, w);
        kept_past(k, NULL);
        shelf_purge(d, k);
        return -1;
    }
    k->n_private = w->now.n_private;
    shelf_unhold(d, k, &now, &start);
    k->parked = false;
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
    if (!k || !w->now.base || w->flags & (WORLD_BROKEN | WORLD_DROPPED | WORLD_REPLAY))
        return false;
    pthread_mutex_lock(&d->mutex);
    bool busy = k->in_queue || k->in_batch || d->restoring || d->n_lost;
    pthread_mutex_unlock(&d->mutex);
    /* From here on the store's thread does not touch it, until it is handed over again. */
    return !busy && k->disk && same_tree(&w->now, &k->disk->now) &&
           same_tree(&w->start, &k->disk->start) && w->now.base->id && w->start.base->id;
}

static struct roots roots_of(const struct tree *t)
{
    return (struct roots){.base = t->base->id, .root = t->root ? t->root->id : 0};
}

/* Only its size remains of it. */
static void forget_tree(struct tree *t)
{
    struct tree left = {.n_pages = t->n_pages, .n_private = t->n_private};
    tree_done(t);
    *t = left;
}

bool durable_park(struct durable *d, struct world *w)
{
    struct kept *k = w->kept;
    if (!at_rest(d, w))
        return false;
    if (durable_has_moved(w)) { /* next time */
        (void)durable_put(d, w, 0, NULL);
        return false;
    }
    if (!shelf_hold(d, &w->now, &w->start))
        return false;
    k->now = roots_of(&w->now);
    k->start = roots_of(&w->start);
    k->beside = w->extra ? journal_size(&w->extra->journal) : 0;
    k->parked = true;
    state_free(k->disk);
    k->disk = NULL;
    forget_tree(&w->now);
    forget_tree(&w->start);
    w->version++;
    forget_journal(d, w);
    kept_past(k, NULL);
    shelf_purge(d, k);
    return true;
}

uint64_t durable_beside(const struct world *w)
{
    return w->kept ? w->kept->beside : 0;
}
