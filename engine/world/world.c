/* SPDX-License-Identifier: Apache-2.0 */
/* Worlds in the public interface: create, fork, reset, snapshot, drop, and their attributes. */
#include "engine/base/codec.h"
#include "engine/base/handle.h"
#include "engine/base/taken.h"
#include "engine/world/keeper.h"
#include "engine/world/engine.h"
#include "engine/world/evaluation.h"
#include "engine/world/parking.h"
#include "engine/world/places.h"
#include "engine/world/rate.h"
#include "engine/world/refused.h"
#include <stdio.h>

/* The present becomes what a reset goes back to. */
static void set_start(struct world *w)
{
    tree_done(&w->start);
    tree_fork(&w->now, &w->start);
    w->start_clock = w->clock;
    w->start_seed = w->seed;
    w->start_guard = w->guard;
    w->written = 0;
    world_set_replaced(w, 0);
    places_free(w);
    w->flags = (w->flags & ~(uint32_t)(WORLD_AT_START << 4)) | (w->flags & WORLD_AT_START) << 4;
}

/* ---- making ---- */

void world_gone(struct sosia_engine *e, struct world *w)
{
    if (w->extra && w->extra->expires_us != US_NEVER)
        atomic_fetch_sub(&e->n_expiring, 1);
    world_name_drop(e, w);
    world_free(e, w);
}

/* Ends the making of a locked world: to the disk, unlocked, waited for. */
static int finish(struct sosia_engine *e, struct world *w, uint64_t *ret_world,
                  struct sosia_err *err)
{
    if (world_changed(e, w, err) < 0) {
        world_gone(e, w);
        return -1;
    }
    /* From here on the world is the durable store's to end if it can't be written. */
    uint64_t id = w->id, ticket = w->ticket;
    world_drop(w);
    if (engine_sync(e, ticket, err) < 0)
        return -1;
    if (ret_world)
        *ret_world = id;
    return 0;
}

/* What new worlds of the engine keep, where nothing else is asked for. */
static void usual_journal(struct world *w, const struct sosia_journal_settings *s)
{
    if (world_journal_mode(w) == SOSIA_JOURNAL_WRITES)
        w->flags |= (uint32_t)s->mode << 3;
    w->flags |= (uint32_t)s->keep << 11;
    if (s->steps)
        w->flags |= (uint32_t)(s->steps < 0 ? 1 : s->steps + 1) << 16;
    if (s->step_bytes)
        w->step_mib = world_mib(s->step_bytes);
    if (s->bytes)
        w->journal_mib = world_mib(s->bytes);
}

int world_create(struct sosia_engine *engine, const struct sosia_world_options *opt,
                 world_fill fill, uint64_t *ret_world, struct sosia_err *err)
{
    if (world_time_check(opt->now_us, err) < 0 ||
        world_clock_check(opt->clock, opt->step_us, err) < 0 ||
        world_journal_check(opt->journal, err) < 0)
        return -1;
    struct world *w = world_alloc(engine, err);
    if (!w)
        return -1;
    if (world_secret_new(engine, w->id, &w->secret, err) < 0) {
        world_free(engine, w);
        return -1;
    }
    tree_fork(&engine->empty, &w->now);
    w->seed = opt->seed ? opt->seed : 1;
    w->created_us = real_now_us();
    w->next_due_us = INT64_MIN;
    w->flags = (uint32_t)opt->journal << 3;
    usual_journal(w, &engine->options.journal);
    world_set_mode(w, opt->clock, opt->step_us, opt->now_us);
    if (opt->evaluation || engine->options.evaluation)
        evaluation_begin(w);
    if (!opt->now_us) /* 2026-01-01, unless a document says otherwise */
        w->clock.at_us = opt->clock == SOSIA_CLOCK_REAL ? 0 : INT64_C(1767225600000000);
    if ((fill && fill(engine, w, opt, err) < 0) || world_name_set(engine, w, opt->name, err) < 0) {
        world_free(engine, w);
        return -1;
    }
    set_start(w);
    return finish(engine, w, ret_world, err);
}

int world_make(struct sosia_engine *e, struct tree *tree, struct world_origin *o, const char *name,
               uint64_t *ret_world, struct sosia_err *err)
{
    struct world *w = world_alloc(e, err);
    if (!w) {
        tree_done(tree);
        return -1;
    }
    w->now = *tree;
    *tree = (struct tree){0};
    w->seed = o->seed;
    world_secret_take(w, &o->secret);
    w->created_us = real_now_us();
    w->next_due_us = INT64_MIN;
    w->sends = true;
    w->step_mib = o->step_mib;
    w->journal_mib = o->journal_mib;
    w->flags = (uint32_t)o->journal_mode << 3 | (uint32_t)o->keep << 11 | (o->steps + 1) << 16 |
               (o->rates ? WORLD_RATES : 0);
    if (e->options.evaluation)
        evaluation_begin(w);
    world_set_mode(w, o->clock_mode, 0, 0);
    w->clock = o->clock;
    /* What was before it was made is not its own: it begins with the state of the tree. */
    struct step none = {0};
    int rc = journal_freeze(&o->journal, NULL, NULL, &none, e->store, &w->past);
    if (rc < 0)
        sosia_fail_memory(err);
    if (rc < 0 || world_name_set(e, w, name, err) < 0) {
        world_free(e, w);
        return -1;
    }
    set_start(w);
    return finish(e, w, ret_world, err);
}

/* A new world with the state of a locked one; both locked on return. */
static struct world *copy(struct sosia_engine *e, struct world *from, struct sosia_err *err)
{
    struct world *w = world_alloc(e, err);
    if (!w)
        return NULL;
    if (world_freeze_journal(e, from, &w->past, err) < 0) {
        world_free(e, w);
        return NULL;
    }
    tree_fork(&from->now, &w->now);
    tree_fork(&from->now, &w->start);
    w->flags = from->flags & (WORLD_CLOCK | WORLD_JOURNAL | WORLD_RATES | WORLD_KEEP |
                              WORLD_EVALUATION | WORLD_STEPS);
    w->step_mib = from->step_mib;
    w->journal_mib = from->journal_mib;
    rate_copy(w, from);
    guard_copy(e, w, from);
    w->start_guard = w->guard;
    w->flags |= (w->flags & WORLD_AT_START) << 4;
    w->clock = w->start_clock = from->clock;
    w->seed = w->start_seed = from->seed;
    w->secret = *world_secret_own(from);
    w->next_due_us = from->next_due_us;
    w->sends = from->sends;
    w->parent = from->id;
    w->created_us = real_now_us();
    w->ticket = from->ticket; /* what it has seen may still be on its way to the disk */
    return w;
}

/* What a fork has of its own, from the start. */
static int fork_options(struct sosia_engine *e, struct world *w,
                        const struct sosia_fork_options *opt, struct sosia_err *err)
{
    int64_t now = opt->now_us ? opt->now_us : opt->set_clock ? world_now(w) : 0;
    if (world_time_check(opt->now_us, err) < 0 ||
        (opt->set_clock && world_clock_check(opt->clock, opt->step_us, err) < 0) ||
        (opt->set_journal && world_journal_check(opt->journal, err) < 0))
        return -1;
    if (opt->set_journal)
        w->flags = (w->flags & ~(uint32_t)WORLD_JOURNAL) | (uint32_t)opt->journal << 3;
    if (opt->inherit_deliveries)
        w->flags |= WORLD_INHERITS;
    if (opt->evaluation)
        evaluation_begin(w);
    if (opt->seed)
        w->seed = w->start_seed = opt->seed;
    if (opt->set_clock) {
        world_set_mode(w, opt->clock, opt->step_us, now);
        w->flags = (w->flags & ~(uint32_t)(WORLD_AT_START << 4)) | (w->flags & WORLD_AT_START) << 4;
    } else if (opt->now_us)
        world_set_clock(w, now);
    w->start_clock = w->clock;
    return world_name_set(e, w, opt->name, err);
}

const struct fork_more fork_unlisted = {.unlisted = true};

/* Until when it lives, what its maker keeps with it, and whether others learn of it. */
static int fork_more(struct sosia_engine *e, struct world *w, const struct fork_more *more,
                     struct sosia_err *err)
{
    const bool any = more->ttl_us || more->unlisted || more->beside;
    struct world_extra *x = any ? world_extra(w) : NULL;
    if (any && !x)
        return sosia_fail_memory(err);
    if (x) {
        x->unlisted = more->unlisted;
        x->beside = more->beside;
    }
    if (more->ttl_us && !__builtin_add_overflow(real_now_us(), more->ttl_us, &x->expires_us))
        atomic_fetch_add(&e->n_expiring, 1);
    return world_note_set(w, more->note, err);
}

int sosia_world_fork(struct sosia_engine *engine, uint64_t world,
                     const struct sosia_fork_options *opt, uint64_t *ret_world,
                     struct sosia_err *err)
{
    return engine_fork(engine, world, opt, NULL, ret_world, err);
}

int engine_fork(struct sosia_engine *engine, uint64_t world, const struct sosia_fork_options *opt,
                const struct fork_more *more, uint64_t *ret_world, struct sosia_err *err)
{
    if (handle_check(HANDLE_ENGINE, engine, err) < 0)
        return -1;
    struct sosia_fork_options o;
    if (taken_pointer(ret_world, "ret_world", err) < 0 ||
        (opt && TAKEN(sosia_fork_options, &o, opt, err) < 0))
        return -1;
    struct world *from = world_take(engine, world, err);
    if (!from)
        return -1;
    struct world *w = copy(engine, from, err);
    world_drop(from);
    if (!w)
        return -1;
    if ((opt && fork_options(engine, w, &o, err) < 0) ||
        (more && fork_more(engine, w, more, err) < 0)) {
        world_gone(engine, w);
        return -1;
    }
    bool inherits = w->flags & WORLD_INHERITS;
    if (engine->durable) {
        if (finish(engine, w, ret_world, err) < 0)
            return -1;
    } else {
        *ret_world = w->id;
        world_drop(w);
    }
    if (inherits)
        engine->on_pending(engine, *ret_world);
    return 0;
}

/* Its own journal, and the state that it began with. */
static int take_journal(struct sosia_engine *e, struct world *w, const struct world_like *like,
                        struct sosia_err *err)
{
    struct world_extra *x = world_extra(w);
    struct journal *own = like->journal;
    if (!x)
        return sosia_fail_memory(err);
    if (like->before &&
        (journal_copy(like->before, NULL, x->journal.base, own->base, &x->journal) < 0 ||
         journal_copy(NULL, own, own->base, INT64_MAX, &x->journal) < 0))
        return sosia_fail_memory(err);
    if (!like->before) {
        int64_t base = own->base;
        x->journal = *own;
        x->journal.counted = 0;
        *own = (struct journal){.base = base, .n = base, .counted = own->counted};
        world_count_journal(e, own);
    }
    world_count_journal(e, &x->journal);
    if (like->start) {
        tree_reset(&w->start, &like->start->tree);
        w->start_guard = GUARD_UNKNOWN;
        w->start_clock = like->start->clock;
        w->start_seed = like->start->seed;
        w->flags = (w->flags & ~(uint32_t)(WORLD_AT_START << 4)) |
                   (like->start->flags & WORLD_AT_START) << 4;
    }
    return 0;
}

int world_make_at(struct sosia_engine *e, struct step *step, struct journal_past *past,
                  const struct world_like *like, const struct sosia_fork_options *opt,
                  uint64_t *ret_world, struct sosia_err *err)
{
    struct world *w = world_alloc(e, err);
    if (!w) {
        step_done(step);
        journal_past_unref(past);
        return -1;
    }
    w->now = step->tree;
    step->tree = (struct tree){0};
    w->past = past;
    w->flags = (step->flags & ~(uint32_t)WORLD_INHERITS) |
               (like->flags & (WORLD_JOURNAL | WORLD_KEEP | WORLD_EVALUATION | WORLD_STEPS));
    w->step_mib = like->step_mib;
    w->journal_mib = like->journal_mib;
    w->clock = step->clock;
    w->seed = step->seed;
    w->secret = step->secret;
    if (like->same_secret)
        world_secret_take(w, &step->secret);
    w->next_due_us = step->next_due_us;
    w->sends = true;
    w->parent = like->parent;
    w->ticket = like->ticket;
    set_start(w);
    if ((opt && fork_options(e, w, opt, err) < 0) ||
        (like->more && fork_more(e, w, like->more, err) < 0) ||
        (like->journal && take_journal(e, w, like, err) < 0)) {
        world_free(e, w);
        return -1;
    }
    return finish(e, w, ret_world, err);
}

int sosia_world_snapshot(struct sosia_engine *engine, uint64_t world, const char *name,
                         uint64_t *ret_snapshot, struct sosia_err *err)
{
    if (handle_check(HANDLE_ENGINE, engine, err) < 0)
        return -1;
    struct world *from = world_take(engine, world, err);
    if (!from)
        return -1;
    struct world *w = copy(engine, from, err);
    world_drop(from);
    if (!w)
        return -1;
    w->flags |= WORLD_SNAPSHOT;
    world_secret_own(w);
    if (world_name_set(engine, w, name, err) < 0) {
        world_free(engine, w);
        return -1;
    }
    return finish(engine, w, ret_snapshot, err);
}

int sosia_world_reset(struct sosia_engine *engine, uint64_t world, struct sosia_err *err)
{
    if (handle_check(HANDLE_ENGINE, engine, err) < 0)
        return -1;
    struct world *w = world_take(engine, world, err);
    if (!w)
        return -1;
    tree_reset(&w->now, &w->start);
    w->version++;
    w->clock = w->start_clock;
    w->seed = w->start_seed;
    w->flags = (w->flags & ~(uint32_t)WORLD_CLOCK) | (w->flags & WORLD_START_CLOCK) >> 4;
    /* Whether rates hold stays as it is: the journal begins anew with that. */
    w->flags = (w->flags & ~(uint32_t)WORLD_START_RATES) | (w->flags & WORLD_RATES) << 4;
    w->flags &= ~WORLD_LOST;
    w->next_due_us = INT64_MIN;
    rate_clear(w);
    guard_went_back(engine, w, w->start_guard);
    w->written = 0;
    world_set_replaced(w, 0);
    if (w->extra) {
        journal_clear(&w->extra->journal);
        world_count_journal(engine, &w->extra->journal);
    }
    world_went_back(engine, w);
    int rc = world_changed(engine, w, err);
    uint64_t ticket = w->ticket;
    world_drop(w);
    engine->on_calls_end(engine, world);
    return rc < 0 ? -1 : engine_sync(engine, ticket, err);
}

int sosia_world_reset_to(struct sosia_engine *engine, uint64_t world, uint64_t snapshot,
                         struct sosia_err *err)
{
    if (handle_check(HANDLE_ENGINE, engine, err) < 0)
        return -1;
    struct tree tree;
    struct world_clock clock;
    struct journal_past *past;
    uint64_t seed, source;
    uint32_t clock_flags;
    uint8_t guard;
    int64_t next_due_us;
    struct world *s = world_take(engine, snapshot, err);
    if (!s)
        return -1;
    if (world_freeze_journal(engine, s, &past, err) < 0) {
        world_drop(s);
        return -1;
    }
    tree_fork(&s->now, &tree);
    clock = s->clock;
    seed = s->seed;
    source = s->ticket;
    clock_flags = s->flags & WORLD_CLOCK;
    guard = s->guard;
    next_due_us = s->next_due_us;
    world_drop(s);
    struct world *w = world_take(engine, world, err);
    if (w && (w->flags & WORLD_SNAPSHOT)) {
        world_drop(w);
        w = NULL;
        sosia_fail(err, SOSIA_E_FORBIDDEN, "readOnly", NULL, "a snapshot can't be changed");
    }
    if (!w) {
        journal_past_unref(past);
        tree_done(&tree);
        return -1;
    }
    tree_done(&w->now);
    w->now = tree;
    w->version++;
    w->clock = clock;
    w->seed = seed;
    w->flags = (w->flags & ~(WORLD_CLOCK | WORLD_LOST)) | clock_flags;
    w->next_due_us = next_due_us;
    w->parent = snapshot;
    w->written = 0;
    rate_clear(w);
    guard_went_back(engine, w, guard);
    world_set_past(engine, w, past);
    world_went_back(engine, w);
    set_start(w);
    int rc = world_changed_from(engine, w, source, err);
    uint64_t ticket = w->ticket;
    world_drop(w);
    engine->on_calls_end(engine, world);
    return rc < 0 ? -1 : engine_sync(engine, ticket, err);
}

/* Gives the ticket to wait for. In a durable engine the world is out of reach at once, but keeps
 * its place and name until its end is on the disk: if that fails it is there again. */
static uint64_t drop_locked(struct sosia_engine *e, struct world *w)
{
    uint64_t world = w->id, ticket = 0;
    if (e->durable && w->kept) {
        e->on_sessions_end(e, world, "the world is gone");
        ticket = e->keeper->drop(e->durable, w);
        world_drop(w);
    } else {
        world_gone(e, w);
    }
    e->on_calls_end(e, world);
    return ticket;
}

int sosia_world_drop(struct sosia_engine *engine, uint64_t world, struct sosia_err *err)
{
    if (handle_check(HANDLE_ENGINE, engine, err) < 0)
        return -1;
    struct world *w = world_take_any(engine, world, err);
    /* So that its rows are known to be free. One that can't be read ends all the same. */
    if (w)
        (void)world_fetch(engine, w, NULL);
    return w ? engine_sync(engine, drop_locked(engine, w), err) : -1;
}

struct expired {
    uint64_t ids[256];
    int n;
};

static int find_expired(void *arg, struct world *w)
{
    struct expired *x = arg;
    if (w->extra && w->extra->expires_us != US_NEVER &&
        (w->extra->expires_by_clock ? world_now(w) : real_now_us()) >= w->extra->expires_us)
        x->ids[x->n++] = w->id;
    return x->n == SOSIA_LEN(x->ids);
}

int sosia_engine_sweep(struct sosia_engine *engine)
{
    if (!handle_is_out(HANDLE_ENGINE, engine))
        return -1;
    int n = 0;
    uint64_t after = 0;
    struct expired x = {.n = SOSIA_LEN(x.ids)};
    /* Each world is looked at once: one whose end can't be written is there again at once. */
    while (x.n == SOSIA_LEN(x.ids) && atomic_load(&engine->n_expiring) > 0) {
        x.n = 0;
        world_each(engine, after, find_expired, &x);
        for (int i = 0; i < x.n; i++) {
            after = x.ids[i];
            struct world *w = world_take_any(engine, x.ids[i], NULL);
            if (!w)
                continue;
            (void)world_fetch(engine, w, NULL);
            drop_locked(engine, w);
            n++;
        }
    }
    worlds_park(engine);
    return n;
}

/* ---- reading and setting ---- */

static void fill_info(const struct sosia_engine *e, const struct world *w,
                      struct sosia_world_info *ret)
{
    *ret = (struct sosia_world_info){.id = w->id,
                                     .snapshot = (w->flags & WORLD_SNAPSHOT) != 0,
                                     .evaluation = world_is_evaluation(w),
                                     .parent = w->parent,
                                     .now_us = world_now(w),
                                     .clock = world_clock_mode(w),
                                     .step_us = w->clock.step_us,
                                     .journal = world_journal_mode(w),
                                     .seed = w->seed,
                                     .size = (uint64_t)w->now.n_private * STORE_PAGE_SIZE,
                                     .base_size = (uint64_t)w->now.n_pages * STORE_PAGE_SIZE};
    world_key(w->id, ret->key);
    if (world_is_parked(w))
        ret->size += e->keeper->beside(w);
    if (w->extra) {
        snprintf(ret->name, sizeof ret->name, "%s", w->extra->name);
        ret->expires_us = w->extra->expires_us == US_NEVER ? 0 : w->extra->expires_us;
        ret->expires_by_clock = w->extra->expires_by_clock;
        ret->size += journal_size(&w->extra->journal) + journal_step_bytes(&w->extra->journal);
    }
}

int sosia_world_info(struct sosia_engine *engine, uint64_t world, struct sosia_world_info *ret_info,
                     struct sosia_err *err)
{
    if (handle_check(HANDLE_ENGINE, engine, err) < 0 ||
        taken_pointer(ret_info, "ret_info", err) < 0)
        return -1;
    struct world *w = world_look(engine, world, err);
    if (!w)
        return -1;
    fill_info(engine, w, ret_info);
    world_drop(w);
    return 0;
}

struct listing {
    const struct sosia_engine *engine;
    int (*fn)(void *arg, const struct sosia_world_info *info);
    void *arg;
};

static int list_one(void *arg, struct world *w)
{
    const struct listing *l = arg;
    struct sosia_world_info info;
    if (w->extra && w->extra->unlisted)
        return 0;
    fill_info(l->engine, w, &info);
    return l->fn(l->arg, &info);
}

int sosia_world_list(struct sosia_engine *engine, uint64_t after,
                     int (*fn)(void *arg, const struct sosia_world_info *info), void *arg,
                     struct sosia_err *err)
{
    if (handle_check(HANDLE_ENGINE, engine, err) < 0 ||
        taken_pointer((const void *)(uintptr_t)fn, "fn", err) < 0)
        return -1;
    struct listing l = {.engine = engine, .fn = fn, .arg = arg};
    (void)err;
    world_each(engine, after, list_one, &l);
    return 0;
}
