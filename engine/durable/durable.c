/* SPDX-License-Identifier: Apache-2.0 */
/* The queue of changes, their tickets, and the thread that writes them in batches. */
#include "engine/durable/durable_impl.h"
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- tickets: under the mutex ---- */

static bool has_failed(const struct durable *d, uint64_t ticket)
{
    if (!ticket || ticket > atomic_load_explicit(&d->last_failed, memory_order_relaxed))
        return false;
    for (size_t i = d->n_failed; i-- > 0;)
        if (d->failed[i].from <= ticket && ticket <= d->failed[i].to)
            return true;
    return false;
}

static void mark_failed(struct durable *d, uint64_t from, uint64_t to)
{
    struct range *last = d->n_failed ? &d->failed[d->n_failed - 1] : NULL;
    if (last && from <= last->to + 1 && from >= last->from) {
        if (to > last->to)
            last->to = to;
    } else {
        d->failed[d->n_failed++] = (struct range){.from = from, .to = to};
    }
    if (d->n_failed == d->cap_failed) {
        struct range *p = realloc(d->failed, 2 * d->cap_failed * sizeof *p);
        if (p) {
            d->failed = p;
            d->cap_failed *= 2;
        } else {
            /* Two become one with what is between them: a late waiter may get a failure that did
             * not happen. */
            d->failed[0].to = d->failed[1].to;
            memmove(d->failed + 1, d->failed + 2, (--d->n_failed - 1) * sizeof *d->failed);
        }
    }
    if (to > atomic_load_explicit(&d->last_failed, memory_order_relaxed))
        atomic_store(&d->last_failed, to);
}

/* No waiter is notified of a failure before the worlds are back in their former state. */
static int settled(const struct durable *d, uint64_t ticket)
{
    if (has_failed(d, ticket))
        return d->restoring || d->n_lost ? 0 : -1;
    return ticket <= atomic_load_explicit(&d->done, memory_order_relaxed);
}

int durable_state(struct durable *d, uint64_t ticket)
{
    if (ticket <= atomic_load_explicit(&d->done, memory_order_acquire) &&
        ticket > atomic_load_explicit(&d->last_failed, memory_order_acquire))
        return 1;
    if (!ticket)
        return 1;
    pthread_mutex_lock(&d->mutex);
    int r = settled(d, ticket);
    pthread_mutex_unlock(&d->mutex);
    return r;
}

int durable_wait(struct durable *d, uint64_t ticket, struct sosia_err *err)
{
    int r = durable_state(d, ticket);
    if (r > 0)
        return 0;
    pthread_mutex_lock(&d->mutex);
    while (!(r = settled(d, ticket)))
        pthread_cond_wait(&d->changed, &d->mutex);
    if (r < 0)
        sosia_fail(err, d->why.code, NULL, NULL, "%s", d->why.text);
    pthread_mutex_unlock(&d->mutex);
    return r < 0 ? -1 : 0;
}

void durable_notify(struct durable *d, uint64_t ticket, void (*done)(void *arg, int rc), void *arg)
{
    int r = durable_state(d, ticket);
    struct notice *n = r ? NULL : malloc(sizeof *n);
    if (!r && !n)
        r = durable_wait(d, ticket, NULL) < 0 ? -1 : 1;
    if (!r) {
        *n = (struct notice){.ticket = ticket, .done = done, .arg = arg};
        pthread_mutex_lock(&d->mutex);
        r = settled(d, ticket);
        if (!r) {
            n->next = d->notices;
            d->notices = n;
        }
        pthread_mutex_unlock(&d->mutex);
        if (!r)
            return;
        free(n);
    }
    done(arg, r < 0 ? -1 : 0);
}

/* Resumes all waiters whose tickets are settled. Unlocks the mutex. */
static void announce(struct durable *d)
{
    struct notice *ready = NULL;
    for (struct notice **at = &d->notices; *at;) {
        struct notice *n = *at;
        int r = settled(d, n->ticket);
        if (!r) {
            at = &n->next;
            continue;
        }
        *at = n->next;
        n->rc = r < 0 ? -1 : 0;
        n->next = ready;
        ready = n;
    }
    pthread_cond_broadcast(&d->changed);
    pthread_mutex_unlock(&d->mutex);
    /* The list was newest first; now the oldest is. */
    for (struct notice *next; ready; ready = next) {
        next = ready->next;
        ready->done(ready->arg, ready->rc);
        free(ready);
    }
}

/* ---- pages before their change ---- */

enum {
    AHEAD_FROM = 1024
}; /* pages that a change brings, so that they are written before it: 2 MB */

/* Under the mutex. A waiter here holds a world's lock, which putting worlds back needs. */
static void ahead_give_up(struct durable *d)
{
    for (; d->aheads; d->aheads = d->aheads->next)
        d->aheads->done = true;
    d->aheads_end = &d->aheads;
    pthread_cond_broadcast(&d->changed);
}

static void ahead_wait(struct durable *d, const struct tree *t)
{
    struct ahead a = {.tree = t};
    pthread_mutex_lock(&d->mutex);
    if (!d->restoring && !d->n_lost && !d->stop) {
        *d->aheads_end = &a;
        d->aheads_end = &a.next;
        if (d->waiting)
            pthread_cond_signal(&d->work);
        while (!a.done)
            pthread_cond_wait(&d->changed, &d->mutex);
    }
    pthread_mutex_unlock(&d->mutex);
}

/* Under the mutex, which is let go meanwhile: some pages of the first who waits, who is the last
 * then if there are more. */
static void ahead_go_on(struct durable *d)
{
    struct ahead *a = d->aheads;
    struct tree t;
    tree_fork(a->tree, &t); /* it may be given up meanwhile */
    pthread_mutex_unlock(&d->mutex);
    bool more = ahead_write(d, &t);
    tree_done(&t);
    pthread_mutex_lock(&d->mutex);
    if (d->aheads != a)
        return;
    d->aheads = a->next;
    if (!d->aheads)
        d->aheads_end = &d->aheads;
    a->next = NULL;
    if (more) {
        *d->aheads_end = a;
        d->aheads_end = &a->next;
    } else {
        a->done = true;
        pthread_cond_broadcast(&d->changed);
    }
}

/* ---- the queue ---- */

/* Under the mutex. Gives the ticket of a change of this world, which is in the queue then. */
static uint64_t enqueue(struct durable *d, struct kept *k, uint64_t source, bool without_memory)
{
    uint64_t ticket = ++d->issued;
    bool lost =
        k->lost || without_memory || has_failed(d, k->world->ticket) || has_failed(d, source);
    if (lost) {
        if (without_memory)
            sosia_fail_memory(&d->why);
        mark_failed(d, ticket, ticket);
        if (!k->lost)
            d->n_lost++;
        k->lost = true;
        ahead_give_up(d);
    }
    if (!k->in_queue) {
        k->in_queue = true;
        k->next = NULL;
        *d->end = k;
        d->end = &k->next;
    }
    k->world->ticket = ticket;
    if (d->waiting)
        pthread_cond_signal(&d->work);
    return ticket;
}

static void dequeue(struct durable *d, struct kept *k)
{
    struct kept **at = &d->first;
    while (*at != k)
        at = &(*at)->next;
    *at = k->next;
    if (!*at)
        d->end = at;
    k->in_queue = false;
}

/* The later of two states handed over before any was written: with what is fresh in both. */
static void merge(struct state *s, struct state *old)
{
    if (s->clear)
        return;
    s->clear = old->clear;
    if (!old->first)
        return;
    old->last->next = s->first;
    s->first = old->first;
    if (!s->last)
        s->last = old->last;
    old->first = old->last = NULL;
}

int durable_put(struct durable *d, struct world *w, uint64_t source, struct sosia_err *err)
{
    struct kept *k = w->kept;
    if (!k) {
        k = kept_new(w);
        if (!k)
            return sosia_fail_memory(err);
    } else if (w->now.n_private > k->n_private + AHEAD_FROM && d->started &&
               !pthread_equal(pthread_self(), d->thread)) {
        ahead_wait(d, &w->now);
    }
    k->n_private = w->now.n_private;
    struct state *s = state_take(k), *old;
    pthread_mutex_lock(&d->mutex);
    uint64_t ticket = enqueue(d, k, source, !s);
    old = s;
    if (!k->lost) {
        s->ticket = ticket;
        old = k->queued;
        if (old)
            merge(s, old);
        k->queued = s;
    }
    pthread_mutex_unlock(&d->mutex);
    state_free(old);
    return 0;
}

uint64_t durable_drop(struct durable *d, struct world *w)
{
    struct kept *k = w->kept;
    w->flags |= WORLD_DROPPED;
    pthread_mutex_lock(&d->mutex);
    uint64_t ticket = enqueue(d, k, 0, false);
    if (!k->lost)
        k->drop = true;
    pthread_mutex_unlock(&d->mutex);
    return ticket;
}

/* ---- the thread ---- */

/* Under the mutex: moves the queue to a batch's end. */
static struct kept **take_queue(struct durable *d, struct kept **end)
{
    for (struct kept *k = d->first, *next; k; k = next) {
        next = k->next;
        k->in_queue = false;
        if (k->in_batch)
            continue;
        k->in_batch = true;
        k->next_batch = NULL;
        k->writing = k->queued;
        k->batch_lost = k->lost;
        k->batch_drop = k->drop;
        k->queued = NULL;
        *end = k;
        end = &k->next_batch;
    }
    d->first = NULL;
    d->end = &d->first;
    return end;
}

/* The world goes back to what is on disk, or ends if nothing does. What was handed over of it in
 * the meantime was lost already, because the world's ticket had failed. */
static void restore(struct durable *d, struct kept *k)
{
    struct world *w = k->world;
    struct state *queued, *writing = k->writing;
    lock_take(&w->lock);
    pthread_mutex_lock(&d->mutex);
    if (k->in_queue)
        dequeue(d, k);
    if (k->lost)
        d->n_lost--;
    queued = k->queued;
    k->queued = NULL;
    k->lost = k->drop = k->in_batch = false;
    pthread_mutex_unlock(&d->mutex);
    k->writing = NULL;
    if (k->parked) { /* it was to end, and is there as before */
        w->flags &= ~(uint32_t)WORLD_DROPPED;
        w->ticket = 0;
        lock_drop(&w->lock);
    } else if (k->disk) {
        /* Two worlds of one name must not be on disk: that it has lost its own comes before the
         * other. */
        if (state_restore(d, k) > 0)
            (void)durable_put(d, w, 0, NULL);
        lock_drop(&w->lock);
    } else {
        world_gone(d->engine, w);
        kept_free(k);
    }
    state_free(queued);
    state_free(writing);
}

/* A name that the world on disk does not have, so that the name's owner finds it free. */
static void release_name(struct durable *d, struct kept *k)
{
    struct world *w = k->world;
    lock_take(&w->lock);
    if (w->extra && !k->parked && (!k->disk || strcmp(w->extra->name, k->disk->name) != 0))
        world_name_drop(d->engine, w);
    lock_drop(&w->lock);
}

static void finish_lost(struct durable *d, struct kept *batch)
{
    bool any = false;
    for (struct kept *k = batch, *next; k; k = next) {
        next = k->next_batch;
        if (!k->batch_lost)
            continue;
        restore(d, k);
        any = true;
    }
    if (!any)
        return;
    pthread_mutex_lock(&d->mutex);
    announce(d);
}

static void batch_done(struct durable *d, struct kept *batch, uint64_t last)
{
    struct kept *lost = NULL, *written = NULL;
    for (struct kept *k = batch, *next; k; k = next) {
        next = k->next_batch;
        struct kept **list = k->batch_lost ? &lost : &written;
        if (!k->batch_lost && k->batch_drop) {
            lock_take(&k->world->lock);
            world_gone(d->engine, k->world);
            kept_free(k);
            continue;
        }
        k->next_batch = *list;
        *list = k;
        if (k->writing) {
            struct state *old = k->disk;
            k->disk = k->writing;
            k->writing = old;
        }
    }
    pthread_mutex_lock(&d->mutex);
    for (struct kept *k = written; k; k = k->next_batch)
        k->in_batch = false;
    atomic_store(&d->done, last);
    announce(d);
    for (struct kept *k = written; k; k = k->next_batch) {
        state_free(k->writing);
        k->writing = NULL;
    }
    finish_lost(d, lost);
}

static void batch_failed(struct durable *d, struct kept *batch, const struct sosia_err *why)
{
    struct kept **end = &batch;
    while (*end)
        end = &(*end)->next_batch;
    pthread_mutex_lock(&d->mutex);
    d->why = *why;
    d->restoring = true;
    ahead_give_up(d);
    d->stats.failures++;
    snprintf(d->stats.why, sizeof d->stats.why, "%s", why->text);
    if (d->issued > atomic_load(&d->done))
        mark_failed(d, atomic_load(&d->done) + 1, d->issued);
    take_queue(d, end);
    atomic_store(&d->done, d->issued);
    pthread_mutex_unlock(&d->mutex);
    for (struct kept *k = batch; k; k = k->next_batch)
        release_name(d, k);
    for (struct kept *k = batch, *next; k; k = next) {
        next = k->next_batch;
        restore(d, k);
    }
    /* What failed may be in the log nevertheless, only its commit didn't reach the disk for
     * certain: it is overwritten before any waiter is notified, rather than leaving a change
     * that comes back after a crash. */
    fence_write(d);
    pthread_mutex_lock(&d->mutex);
    d->restoring = false;
    announce(d);
}

/* A file without a name takes writes as any other, and nobody finds them again. 0, -1. */
static int check_there(const struct durable *d, struct sosia_err *err)
{
    struct stat s;
    if (fstatat(d->dir_fd, "sosia.db", &s, 0) == 0 && s.st_dev == d->file[0] &&
        s.st_ino == d->file[1])
        return 0;
    return sosia_fail(err, SOSIA_E_IO, "dataDirectory", NULL,
                      "sosia.db is in the data directory no more: it was removed or replaced");
}

static void run_batch(struct durable *d, struct kept *batch, uint64_t last)
{
    struct sosia_err why = {0};
    if (check_there(d, &why) == 0 && batch_write(d, batch, &why) == 0)
        batch_done(d, batch, last);
    else
        batch_failed(d, batch, &why);
    log_move(d);
}

static void *run_thread(void *arg)
{
    struct durable *d = arg;
    bool idle_work = true;
    pthread_mutex_lock(&d->mutex);
    while (d->first || d->aheads || !d->stop || idle_work) {
        if (d->first) {
            struct kept *batch = NULL;
            uint64_t last = d->issued;
            take_queue(d, &batch);
            pthread_mutex_unlock(&d->mutex);
            run_batch(d, batch, last);
            idle_work = true;
            pthread_mutex_lock(&d->mutex);
            if (d->aheads) /* in turns */
                ahead_go_on(d);
        } else if (d->aheads) {
            ahead_go_on(d);
            idle_work = true;
        } else if (idle_work) {
            pthread_mutex_unlock(&d->mutex);
            idle_work = rows_trim(d);
            pthread_mutex_lock(&d->mutex);
        } else {
            d->waiting = true;
            pthread_cond_wait(&d->work, &d->mutex);
            d->waiting = false;
        }
    }
    pthread_mutex_unlock(&d->mutex);
    return NULL;
}

static int start_thread(struct durable *d, struct sosia_err *err)
{
    if (pthread_create(&d->thread, NULL, run_thread, d) != 0)
        return sosia_fail(err, SOSIA_E_NO_MEMORY, NULL, NULL, "no thread can be made");
    d->started = true;
    return 0;
}

/* When all is written that was handed over. */
static void end_thread(struct durable *d)
{
    pthread_mutex_lock(&d->mutex);
    d->stop = true;
    pthread_cond_signal(&d->work);
    pthread_mutex_unlock(&d->mutex);
    pthread_join(d->thread, NULL);
    d->started = d->stop = false;
}

int durable_start(struct durable *d, struct sosia_err *err)
{
    if (load_check(d, err) < 0)
        return -1;
    if (d->check)
        return 0;
    if (start_thread(d, err) < 0)
        return -1;
    if (!d->from)
        return 0;
    int rc = durable_upgrade(d, err);
    end_thread(d);
    d->from = NULL;
    if (rc < 0 || (rc == 0 && tables_done(d, err) < 0))
        return -1;
    return start_thread(d, err);
}

void durable_stats(struct durable *d, struct durable_stats *ret)
{
    pthread_mutex_lock(&d->mutex);
    *ret = d->stats;
    pthread_mutex_unlock(&d->mutex);
}

/* ---- the end ---- */

static bool same_clock(const struct world_clock *a, const struct world_clock *b)
{
    return a->at_us == b->at_us && a->step_us == b->step_us;
}

bool durable_has_moved(const struct world *w)
{
    return !same_clock(&w->clock, &w->kept->clock) || w->sends != w->kept->pending ||
           (w->extra && journal_fresh(&w->extra->journal, NULL));
}

static int put_if_moved(void *arg, struct world *w)
{
    if (w->kept && !w->kept->parked && !(w->flags & WORLD_BROKEN) && durable_has_moved(w))
        (void)durable_put(arg, w, 0, NULL); /* can't fail: it was handed over before */
    return 0;
}

static int forget(void *arg, struct world *w)
{
    if (w->kept)
        kept_free(w->kept);
    w->kept = NULL;
    return 0;
}

void durable_close(struct durable *d)
{
    if (!d)
        return;
    if (d->started) {
        world_each(d->engine, 0, put_if_moved, d);
        end_thread(d);
    }
    d->store->on_free = NULL;
    d->store->on_base_free = NULL;
    world_each(d->engine, 0, forget, NULL);
    shelf_close(d);
    rows_close(d);
    if (d->lock_fd >= 0)
        close(d->lock_fd);
    if (d->dir_fd >= 0)
        close(d->dir_fd);
    free(d->failed);
    free(d->freed_pages.v);
    free(d->freed_nodes.v);
    free(d->freed_bases.v);
    free(d->pages.v);
    free(d->nodes.v);
    free(d->bases.v);
    free(d->given.v);
    held_free(&d->held_pages);
    held_free(&d->held_nodes);
    held_free(&d->held_bases);
    pthread_mutex_destroy(&d->held_lock);
    pthread_cond_destroy(&d->work);
    pthread_cond_destroy(&d->changed);
    pthread_mutex_destroy(&d->mutex);
    free(d);
}
