/* SPDX-License-Identifier: Apache-2.0 */
/* What the durable store takes down of a world, and how a world goes back to it. */
#include "engine/world/durable/durable_impl.h"
#include <stdlib.h>

bool ids_add(struct ids *ids, uint64_t id)
{
    if (ids->n == ids->cap) {
        size_t cap = ids->cap ? ids->cap * 2 : 16;
        uint64_t *v = realloc(ids->v, cap * sizeof *v);
        if (!v)
            return false;
        ids->v = v;
        ids->cap = cap;
    }
    ids->v[ids->n++] = id;
    return true;
}

static void pieces_free(struct piece *p)
{
    for (struct piece *next; p; p = next) {
        next = p->next;
        free(p);
    }
}

void state_free(struct state *s)
{
    if (!s)
        return;
    tree_done(&s->now);
    tree_done(&s->start);
    pieces_free(s->first);
    free(s);
}

struct kept *kept_new(struct world *w)
{
    struct kept *k = calloc(1, sizeof *k);
    if (!k)
        return NULL;
    k->world = w;
    k->id = w->id;
    w->kept = k;
    return k;
}

void kept_free(struct kept *k)
{
    state_free(k->queued);
    state_free(k->disk);
    state_free(k->writing);
    free(k->journal.v);
    free(k);
}

/* The journal's part: what is fresh in it goes along. */
static int take_journal(struct state *s, struct kept *k, struct journal *j)
{
    size_t len = journal_fresh(j, NULL);
    if (len) {
        struct piece *p = malloc(sizeof *p + len);
        if (!p)
            return -1;
        p->next = NULL;
        p->len = len;
        journal_fresh(j, p->data);
        s->first = s->last = p;
    }
    journal_mark(j);
    s->n_journal = j->n;
    s->generation = j->generation;
    s->clear = j->generation != k->generation;
    k->generation = j->generation;
    return 0;
}

struct state *state_take(struct kept *k)
{
    struct world *w = k->world;
    struct state *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    s->expires_us = US_NEVER;
    s->generation = k->generation;
    if (w->extra) {
        if (take_journal(s, k, &w->extra->journal) < 0) {
            free(s);
            return NULL;
        }
        memcpy(s->name, w->extra->name, sizeof s->name);
        s->expires_us = w->extra->expires_us;
        s->expires_by_clock = w->extra->expires_by_clock;
    }
    tree_fork(&w->now, &s->now);
    tree_fork(&w->start, &s->start);
    s->clock = k->clock = w->clock;
    s->start_clock = w->start_clock;
    s->seed = w->seed;
    s->start_seed = w->start_seed;
    s->parent = w->parent;
    s->next_due_us = w->next_due_us;
    s->created_us = w->created_us;
    s->flags = w->flags & WORLD_KEPT_FLAGS;
    return s;
}

/* The journal as it stands in the database. */
static int read_journal(struct durable *d, const struct kept *k, struct journal *j)
{
    sqlite3_stmt *st = NULL;
    int rc = sqlite3_prepare_v2(
        d->db,
        "select entries from journal where id = ? and sum = " ROW_SUM("journal", JOURNAL_COLUMNS),
        -1, &st, NULL);
    for (size_t i = 0; rc == SQLITE_OK && i < k->journal.n; i++) {
        sqlite3_bind_int64(st, 1, (sqlite3_int64)k->journal.v[i]);
        rc = sqlite3_step(st);
        if (rc == SQLITE_ROW)
            rc = journal_append_packed(j, sqlite3_column_blob(st, 0),
                                       (size_t)sqlite3_column_bytes(st, 0)) < 0
                     ? SQLITE_NOMEM
                     : SQLITE_OK;
        else if (rc == SQLITE_DONE)
            rc = SQLITE_CORRUPT;
        sqlite3_reset(st);
    }
    sqlite3_finalize(st);
    return rc == SQLITE_OK ? 0 : -1;
}

static int restore_journal(struct durable *d, struct kept *k)
{
    struct state *s = k->disk;
    struct world_extra *x = s->n_journal ? world_extra(k->world) : k->world->extra;
    int rc = 0;
    if (!x)
        return s->n_journal ? -1 : 0;
    if (x->journal.generation == s->generation) {
        journal_truncate(&x->journal, s->n_journal);
    } else {
        journal_clear(&x->journal);
        rc = s->n_journal ? read_journal(d, k, &x->journal) : 0;
        if (rc == 0 && x->journal.n != s->n_journal)
            rc = -1;
        journal_mark(&x->journal);
    }
    world_count_journal(d->engine, &x->journal);
    k->generation = s->generation = x->journal.generation;
    return rc;
}

int state_restore(struct durable *d, struct kept *k)
{
    struct world *w = k->world;
    const struct state *s = k->disk;
    tree_done(&w->now);
    tree_done(&w->start);
    tree_fork(&s->now, &w->now);
    tree_fork(&s->start, &w->start);
    w->version++; /* connections must not take what they have cached for this */
    w->clock = k->clock = s->clock;
    w->start_clock = s->start_clock;
    w->seed = s->seed;
    w->start_seed = s->start_seed;
    w->parent = s->parent;
    w->next_due_us = s->next_due_us;
    w->created_us = s->created_us;
    w->flags = s->flags;
    w->ticket = s->ticket;
    int rc = restore_journal(d, k);
    bool nameless = false;
    if (strcmp(s->name, w->extra ? w->extra->name : "") != 0) {
        world_name_drop(d->engine, w);
        nameless = world_name_restore(d->engine, w, s->name, NULL) < 0;
    }
    if (w->extra) {
        atomic_fetch_add(&d->engine->n_expiring,
                         (s->expires_us != US_NEVER) - (w->extra->expires_us != US_NEVER));
        w->extra->expires_us = s->expires_us;
        w->extra->expires_by_clock = s->expires_by_clock;
    }
    if (rc < 0) {
        w->flags |= WORLD_BROKEN;
        return -1;
    }
    return nameless;
}
