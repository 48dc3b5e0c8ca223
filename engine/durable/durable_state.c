/* SPDX-License-Identifier: Apache-2.0 */
/* What the durable store records of a world, and how a world is put back to it. */
#include "engine/base/heap.h"
#include "engine/durable/durable_impl.h"
#include "engine/world/places.h"
#include "engine/world/rate.h"
#include <stdlib.h>

bool ids_add(struct ids *ids, uint64_t id)
{
    void *list = heap_grow(ids->v, ids->n, &ids->cap, sizeof *ids->v);
    if (!list)
        return false;
    ids->v = list;
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
    journal_past_unref(s->past);
    pieces_free(s->first);
    free(s->note);
    free(s);
}

struct kept *kept_new(struct world *w)
{
    struct kept *k = calloc(1, sizeof *k);
    if (!k)
        return NULL;
    k->world = w;
    k->id = w->id;
    k->n_private = w->now.n_private;
    k->next_entry = JOURNAL_FROM(w->id) + 1;
    w->kept = k;
    return k;
}

void kept_past(struct kept *k, struct journal_past *past)
{
    journal_past_ref(past);
    journal_past_unref(k->past);
    k->past = past;
}

void kept_free(struct kept *k)
{
    state_free(k->queued);
    state_free(k->disk);
    state_free(k->writing);
    journal_past_unref(k->past);
    free(k);
}

static struct piece *piece_new(struct state *s, size_t len)
{
    struct piece *p = malloc(sizeof *p + len);
    if (!p)
        return NULL;
    p->next = NULL;
    p->len = len;
    if (s->last)
        s->last->next = p;
    else
        s->first = p;
    return s->last = p;
}

static int count_entry(void *arg, int64_t seq, const char *entry, size_t len)
{
    (void)seq;
    (void)entry;
    *(size_t *)arg += sizeof(uint32_t) + len;
    return 0;
}

static int pack_entry(void *arg, int64_t seq, const char *entry, size_t len)
{
    char **to = arg;
    uint32_t n = (uint32_t)len;
    (void)seq;
    memcpy(*to, &n, sizeof n);
    memcpy(*to + sizeof n, entry, len);
    *to += sizeof n + len;
    return 0;
}

/* The past that the journal continues from, and behind it the mark for that: an entry of no
 * bytes. */
static int take_past(struct state *s, const struct journal_past *past)
{
    static const uint32_t mark = 0;
    const struct journal_cut *cut = journal_cut_of(past, NULL);
    size_t len = sizeof mark + (cut ? JOURNAL_PACKED_CUT : 0);
    if (journal_each_of(past, NULL, 0, INT64_MAX, INT64_MAX, count_entry, &len) < 0)
        return -1;
    struct piece *p = piece_new(s, len);
    if (!p)
        return -1;
    char *to = p->data;
    if (cut) {
        journal_pack_cut(cut, to);
        to += JOURNAL_PACKED_CUT;
    }
    if (journal_each_of(past, NULL, 0, INT64_MAX, INT64_MAX, pack_entry, &to) < 0)
        return -1;
    memcpy(to, &mark, sizeof mark);
    return 0;
}

/* Of a journal that lacks entries of its own: where these began, and the mark. */
static int take_gone(struct state *s, int64_t base)
{
    const struct journal_cut cut = {.first = base + 1};
    struct piece *p = piece_new(s, JOURNAL_PACKED_CUT + sizeof(uint32_t));
    if (!p)
        return -1;
    journal_pack_cut(&cut, p->data);
    memset(p->data + JOURNAL_PACKED_CUT, 0, sizeof(uint32_t));
    return 0;
}

/* The journal's part, with what is fresh in it. */
static int take_journal(struct state *s, struct kept *k)
{
    struct world *w = k->world;
    struct journal *j = w->extra ? &w->extra->journal : NULL;
    /* Another past in the place of one that was handed over: a journal that has no entries of its
     * own has no generation that says so. */
    bool other = k->past && k->past != w->past;
    s->clear = other || (j && j->generation != k->generation);
    if (w->past && (!k->past || s->clear) &&
        (j && j->cut ? take_gone(s, j->base) : take_past(s, w->past)) < 0)
        return -1;
    kept_past(k, w->past);
    s->n_journal = world_last_entry(w);
    if (!j)
        return 0;
    size_t len = journal_fresh(j, NULL);
    struct piece *p = len ? piece_new(s, len) : NULL;
    if (len && !p)
        return -1;
    if (len)
        journal_fresh(j, p->data);
    journal_mark(j);
    s->generation = k->generation = j->generation;
    return 0;
}

struct state *state_take(struct kept *k)
{
    struct world *w = k->world;
    struct state *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    const char *note = w->extra ? w->extra->note : NULL;
    s->expires_us = US_NEVER;
    s->generation = k->generation;
    if (note && !(s->note = strdup(note))) {
        free(s);
        return NULL;
    }
    if (take_journal(s, k) < 0) {
        pieces_free(s->first);
        free(s->note);
        free(s);
        return NULL;
    }
    if (w->extra) {
        memcpy(s->name, w->extra->name, sizeof s->name);
        s->expires_us = w->extra->expires_us;
        s->expires_by_clock = w->extra->expires_by_clock;
    }
    s->past = journal_past_ref(w->past);
    tree_fork(&w->now, &s->now);
    tree_fork(&w->start, &s->start);
    s->clock = k->clock = w->clock;
    s->start_clock = w->start_clock;
    s->seed = w->seed;
    s->secret = w->secret;
    s->start_seed = w->start_seed;
    s->parent = w->parent;
    s->written = w->written;
    s->era = w->era;
    s->next_due_us = w->next_due_us;
    s->created_us = w->created_us;
    s->flags = w->flags & WORLD_KEPT_FLAGS;
    s->step_mib = w->step_mib;
    s->journal_mib = w->journal_mib;
    s->pending = k->pending = w->sends;
    s->beside = w->extra ? journal_size(&w->extra->journal) : 0;
    return s;
}

/* The journal as it is in the database. */
static int read_journal(struct durable *d, struct kept *k)
{
    sqlite3_stmt *st = NULL;
    int rc = sqlite3_prepare_v2(
        d->db,
        "select " JOURNAL_COLUMNS ", sum = " ROW_SUM(
            "journal", JOURNAL_COLUMNS) " from journal where id >= ?1 and id < ?2 order by id",
        -1, &st, NULL);
    if (rc == SQLITE_OK && journal_read(d, st, k, NULL) != 0)
        rc = SQLITE_CORRUPT;
    sqlite3_finalize(st);
    return rc == SQLITE_OK ? 0 : -1;
}

static int restore_journal(struct durable *d, struct kept *k)
{
    struct state *s = k->disk;
    if (k->world->past != s->past)
        world_set_past(d->engine, k->world, journal_past_ref(s->past));
    kept_past(k, s->past);
    struct world_extra *x = s->n_journal ? world_extra(k->world) : k->world->extra;
    int rc = 0;
    if (!x)
        return s->n_journal ? -1 : 0;
    if (x->journal.generation == s->generation) {
        rc = journal_truncate(&x->journal, s->n_journal);
    } else {
        journal_clear(&x->journal);
        rc = s->n_journal ? read_journal(d, k) : 0;
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
    world_settle_steps(w);
    tree_done(&w->now);
    tree_done(&w->start);
    tree_fork(&s->now, &w->now);
    tree_fork(&s->start, &w->start);
    w->version++; /* connections must not take what they have cached for this */
    w->clock = k->clock = s->clock;
    w->start_clock = s->start_clock;
    w->seed = s->seed;
    w->secret = s->secret;
    w->start_seed = s->start_seed;
    w->parent = s->parent;
    w->written = s->written;
    w->era = s->era;
    w->sends = k->pending = s->pending;
    rate_clear(w); /* what is used up is in the state */
    guard_forget(w);
    w->start_guard = GUARD_UNKNOWN;
    w->next_due_us = s->next_due_us;
    w->created_us = s->created_us;
    w->flags = s->flags;
    w->step_mib = s->step_mib;
    w->journal_mib = s->journal_mib;
    world_set_replaced(w, 0);
    places_next(w);
    w->ticket = s->ticket;
    int rc = restore_journal(d, k);
    struct sosia_err why = {0};
    if (strcmp(s->name, w->extra ? w->extra->name : "") != 0) {
        world_name_drop(d->engine, w);
        if (world_name_set(d->engine, w, s->name, &why) < 0 && why.code == SOSIA_E_NO_MEMORY)
            rc = -1;
    }
    if (w->extra) {
        atomic_fetch_add(&d->engine->n_expiring,
                         (s->expires_us != US_NEVER) - (w->extra->expires_us != US_NEVER));
        w->extra->expires_us = s->expires_us;
        w->extra->expires_by_clock = s->expires_by_clock;
    }
    if (world_note_set(w, s->note, NULL) < 0)
        rc = -1;
    if (rc < 0) {
        w->flags |= WORLD_BROKEN;
        return -1;
    }
    return why.code == SOSIA_E_CONFLICT;
}
