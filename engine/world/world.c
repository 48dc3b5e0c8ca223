/* SPDX-License-Identifier: Apache-2.0 */
/* Worlds as the public interface has them: create, fork, reset, snapshot, drop, and what can be
 * asked and set. */
#include "engine/base/codec.h"
#include "engine/text/civil.h"
#include "engine/world/durable/durable.h"
#include "engine/world/engine.h"
#include "engine/world/rate.h"
#include <stdio.h>

static int time_check(int64_t us, struct sosia_err *err)
{
    if (us < TIME_FIRST_US || us > TIME_LAST_US)
        return sosia_fail(err, SOSIA_E_INVALID, "time", "now",
                          "the time is not in the years 1 to 9999");
    return 0;
}

static int clock_check(enum sosia_clock_mode mode, int64_t step_us, struct sosia_err *err)
{
    if ((unsigned)mode > SOSIA_CLOCK_REAL)
        return sosia_fail(err, SOSIA_E_INVALID, "mode", "clock", "there is no such clock");
    if (step_us < 0)
        return sosia_fail(err, SOSIA_E_INVALID, "time", "step", "a step can't be negative");
    return 0;
}

static int journal_check(enum sosia_journal_mode mode, struct sosia_err *err)
{
    if ((unsigned)mode > SOSIA_JOURNAL_ALL)
        return sosia_fail(err, SOSIA_E_INVALID, "mode", "journal", "there is no such journal");
    return 0;
}

static void set_clock_mode(struct world *w, enum sosia_clock_mode mode)
{
    w->flags = (w->flags & ~(uint32_t)WORLD_CLOCK) | (uint32_t)mode << 1;
}

static void set_now(struct world *w, int64_t now_us)
{
    w->clock.at_us = world_clock_mode(w) == SOSIA_CLOCK_REAL ? now_us - real_now_us() : now_us;
}

/* The present becomes what a reset goes back to. */
static void set_start(struct world *w)
{
    tree_done(&w->start);
    tree_fork(&w->now, &w->start);
    w->start_clock = w->clock;
    w->start_seed = w->seed;
    w->written = 0;
    w->flags = (w->flags & ~(uint32_t)(WORLD_AT_START << 4)) | (w->flags & WORLD_AT_START) << 4;
}

/* ---- names ---- */

static int name_check(const char *name, struct sosia_err *err)
{
    size_t n = strlen(name);
    bool good = n > 0 && n < 64;
    for (size_t i = 0; good && i < n; i++)
        good = (name[i] >= 'a' && name[i] <= 'z') || (name[i] >= 'A' && name[i] <= 'Z') ||
               (name[i] >= '0' && name[i] <= '9') || (i && strchr("-_.", name[i]));
    if (!good)
        return sosia_fail(
            err, SOSIA_E_INVALID, "name", "name",
            "a name has 1 to 63 letters, digits, '-', '_' and '.', and starts with no sign");
    return 0;
}

/* Gives a locked world its name. */
static int name_set(struct sosia_engine *e, struct world *w, const char *name,
                    struct sosia_err *err)
{
    if (!name || !*name)
        return 0;
    if (name_check(name, err) < 0)
        return -1;
    struct world_extra *x = world_extra(w);
    if (!x)
        return sosia_fail_memory(err);
    pthread_mutex_lock(&e->mutex);
    int rc = 0;
    if (map_get(&e->names, name))
        rc = sosia_fail(err, SOSIA_E_CONFLICT, "nameTaken", "name",
                        "there is a world \"%s\" already", name);
    else if (map_set(&e->names, name, (void *)(uintptr_t)w->id) < 0)
        rc = sosia_fail_memory(err);
    pthread_mutex_unlock(&e->mutex);
    if (rc == 0)
        snprintf(x->name, sizeof x->name, "%s", name);
    return rc;
}

static void name_drop(struct sosia_engine *e, struct world *w)
{
    if (!w->extra || !w->extra->name[0])
        return;
    pthread_mutex_lock(&e->mutex);
    if ((uintptr_t)map_get(&e->names, w->extra->name) == w->id)
        map_remove(&e->names, w->extra->name);
    pthread_mutex_unlock(&e->mutex);
}

int world_name_restore(struct sosia_engine *e, struct world *w, const char *name,
                       struct sosia_err *err)
{
    return name_set(e, w, name, err);
}

void world_name_drop(struct sosia_engine *e, struct world *w)
{
    name_drop(e, w);
    if (w->extra)
        w->extra->name[0] = 0;
}

void world_gone(struct sosia_engine *e, struct world *w)
{
    if (w->extra && w->extra->expires_us != US_NEVER)
        atomic_fetch_sub(&e->n_expiring, 1);
    name_drop(e, w);
    world_free(e, w);
}

/* The world of a name may be dropped between the look and the use: then its id is not found. */
static uint64_t id_of_name(struct sosia_engine *e, const char *name)
{
    pthread_mutex_lock(&e->mutex);
    uint64_t id = (uintptr_t)map_get(&e->names, name);
    pthread_mutex_unlock(&e->mutex);
    return id;
}

uint64_t engine_find_key(struct sosia_engine *e, const char *key, size_t len)
{
    uint64_t id = world_id_from_key(key, len);
    char name[64];
    if (id || len >= sizeof name)
        return id;
    memcpy(name, key, len);
    name[len] = 0;
    return id_of_name(e, name);
}

int sosia_world_find(struct sosia_engine *engine, const char *key_or_name, uint64_t *ret_world,
                     struct sosia_err *err)
{
    uint64_t id = engine_find_key(engine, key_or_name, strlen(key_or_name));
    struct world *w = world_take(engine, id, err);
    if (!w)
        return -1;
    world_drop(w);
    *ret_world = id;
    return 0;
}

bool sosia_world_busy(struct sosia_engine *engine, const char *key_or_name)
{
    bool busy = false;
    uint64_t id = engine_find_key(engine, key_or_name, strlen(key_or_name));
    struct world *w = world_take_soon(engine, id, &busy, NULL);
    if (w)
        world_drop(w);
    return busy;
}

/* ---- making ---- */

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

int world_create(struct sosia_engine *engine, const struct sosia_world_options *opt,
                 world_fill fill, uint64_t *ret_world, struct sosia_err *err)
{
    if (time_check(opt->now_us, err) < 0 || clock_check(opt->clock, opt->step_us, err) < 0 ||
        journal_check(opt->journal, err) < 0)
        return -1;
    struct world *w = world_alloc(engine, err);
    if (!w)
        return -1;
    tree_fork(&engine->empty, &w->now);
    w->seed = opt->seed ? opt->seed : 1;
    w->created_us = real_now_us();
    w->next_due_us = INT64_MIN;
    w->flags = (uint32_t)opt->journal << 3;
    set_clock_mode(w, opt->clock);
    w->clock.step_us = opt->step_us;
    w->clock.at_us = opt->now_us;
    if (opt->clock == SOSIA_CLOCK_REAL)
        w->clock.at_us = opt->now_us ? opt->now_us - real_now_us() : 0;
    else if (!opt->now_us)
        w->clock.at_us = INT64_C(1767225600000000); /* 2026-01-01: a document says better */
    if ((fill && fill(engine, w, opt, err) < 0) || name_set(engine, w, opt->name, err) < 0) {
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
    w->created_us = real_now_us();
    w->next_due_us = INT64_MIN;
    w->flags = (uint32_t)o->journal_mode << 3;
    set_clock_mode(w, o->clock_mode);
    w->clock = o->clock;
    /* What was before it was made is not its own: it begins with the state of the tree. */
    struct step none = {0};
    int rc = journal_freeze(&o->journal, NULL, NULL, &none, e->store, &w->past);
    if (rc < 0)
        sosia_fail_memory(err);
    if (rc < 0 || name_set(e, w, name, err) < 0) {
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
    w->flags = from->flags & (WORLD_CLOCK | WORLD_JOURNAL | WORLD_RATES | WORLD_KEEP | WORLD_STEPS);
    rate_copy(w, from);
    w->flags |= (w->flags & WORLD_AT_START) << 4;
    w->clock = w->start_clock = from->clock;
    w->seed = w->start_seed = from->seed;
    w->next_due_us = from->next_due_us;
    w->parent = from->id;
    w->ticket = from->ticket; /* what it has seen may still be on its way to the disk */
    return w;
}

/* What a fork has of its own, from the start. */
static int fork_options(struct sosia_engine *e, struct world *w,
                        const struct sosia_fork_options *opt, struct sosia_err *err)
{
    int64_t now = opt->now_us ? opt->now_us : opt->set_clock ? world_now(w) : 0;
    if (time_check(opt->now_us, err) < 0 ||
        (opt->set_clock && clock_check(opt->clock, opt->step_us, err) < 0))
        return -1;
    if (opt->inherit_deliveries)
        w->flags |= WORLD_INHERITS;
    if (opt->seed)
        w->seed = w->start_seed = opt->seed;
    if (opt->set_clock) {
        set_clock_mode(w, opt->clock);
        w->clock.step_us = opt->clock == SOSIA_CLOCK_STEP ? opt->step_us : 0;
        w->flags = (w->flags & ~(uint32_t)(WORLD_AT_START << 4)) | (w->flags & WORLD_AT_START) << 4;
    }
    if (opt->now_us || opt->set_clock) {
        set_now(w, now);
        w->start_clock = w->clock;
    }
    return name_set(e, w, opt->name, err);
}

/* What the parent had pending is the fork's to deliver now. */
static void tell_inherited(struct sosia_engine *engine, uint64_t world)
{
    int64_t first, last;
    if (sosia_delivery_pending(engine, world, &first, &last, NULL) == 1)
        outbox_tell_range(engine, world, first, last);
}

int sosia_world_fork(struct sosia_engine *engine, uint64_t world,
                     const struct sosia_fork_options *opt, uint64_t *ret_world,
                     struct sosia_err *err)
{
    struct world *from = world_take(engine, world, err);
    if (!from)
        return -1;
    struct world *w = copy(engine, from, err);
    world_drop(from);
    if (!w)
        return -1;
    if (opt && fork_options(engine, w, opt, err) < 0) {
        world_free(engine, w);
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
        tell_inherited(engine, *ret_world);
    return 0;
}

static int copy_entry(void *arg, int64_t seq, const char *entry, size_t len)
{
    (void)seq;
    return journal_append(arg, entry, len);
}

/* Its own journal, and the state that it began with. */
static int take_journal(struct sosia_engine *e, struct world *w, const struct world_like *like,
                        struct sosia_err *err)
{
    struct world_extra *x = world_extra(w);
    struct journal *own = like->journal;
    if (!x)
        return sosia_fail_memory(err);
    if (like->before && (journal_each_of(like->before, NULL, x->journal.base, own->base, INT64_MAX,
                                         copy_entry, &x->journal) < 0 ||
                         journal_each(own, own->base, INT64_MAX, copy_entry, &x->journal) < 0))
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
               (like->flags & (WORLD_JOURNAL | WORLD_KEEP | WORLD_STEPS));
    w->clock = step->clock;
    w->seed = step->seed;
    w->next_due_us = step->next_due_us;
    w->parent = like->parent;
    w->ticket = like->ticket;
    set_start(w);
    if ((opt && fork_options(e, w, opt, err) < 0) ||
        (like->journal && take_journal(e, w, like, err) < 0)) {
        world_free(e, w);
        return -1;
    }
    return finish(e, w, ret_world, err);
}

int sosia_world_snapshot(struct sosia_engine *engine, uint64_t world, const char *name,
                         uint64_t *ret_snapshot, struct sosia_err *err)
{
    struct world *from = world_take(engine, world, err);
    if (!from)
        return -1;
    struct world *w = copy(engine, from, err);
    if (w)
        w->created_us = real_now_us();
    world_drop(from);
    if (!w)
        return -1;
    w->flags |= WORLD_SNAPSHOT;
    if (name_set(engine, w, name, err) < 0) {
        world_free(engine, w);
        return -1;
    }
    return finish(engine, w, ret_snapshot, err);
}

int sosia_world_reset(struct sosia_engine *engine, uint64_t world, struct sosia_err *err)
{
    struct world *w = world_take(engine, world, err);
    if (!w)
        return -1;
    tree_reset(&w->now, &w->start);
    w->version++;
    w->clock = w->start_clock;
    w->seed = w->start_seed;
    w->flags = (w->flags & ~(uint32_t)WORLD_CLOCK) | (w->flags & WORLD_START_CLOCK) >> 4;
    w->next_due_us = INT64_MIN;
    rate_clear(w);
    w->written = 0;
    if (w->extra) {
        journal_clear(&w->extra->journal);
        world_count_journal(engine, &w->extra->journal);
    }
    engine->on_sessions_end(engine, world, "the world was reset");
    int rc = world_changed(engine, w, err);
    uint64_t ticket = w->ticket;
    world_drop(w);
    return rc < 0 ? -1 : engine_sync(engine, ticket, err);
}

int sosia_world_reset_to(struct sosia_engine *engine, uint64_t world, uint64_t snapshot,
                         struct sosia_err *err)
{
    struct tree tree;
    struct world_clock clock;
    struct journal_past *past;
    uint64_t seed, source;
    uint32_t clock_flags;
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
    w->flags = (w->flags & ~(uint32_t)WORLD_CLOCK) | clock_flags;
    w->next_due_us = INT64_MIN;
    w->parent = snapshot;
    w->written = 0;
    world_set_past(engine, w, past);
    engine->on_sessions_end(engine, world, "the world was reset");
    set_start(w);
    int rc = world_changed_from(engine, w, source, err);
    uint64_t ticket = w->ticket;
    world_drop(w);
    return rc < 0 ? -1 : engine_sync(engine, ticket, err);
}

/* Gives the ticket to wait for. In a durable engine the world is out of reach at once, but keeps
 * its place and name until its end is on the disk: if that fails it is there again. */
static uint64_t drop_locked(struct sosia_engine *e, struct world *w)
{
    if (e->durable && w->kept) {
        e->on_sessions_end(e, w->id, "the world is gone");
        uint64_t ticket = durable_drop(e->durable, w);
        world_drop(w);
        return ticket;
    }
    world_gone(e, w);
    return 0;
}

int sosia_world_drop(struct sosia_engine *engine, uint64_t world, struct sosia_err *err)
{
    struct world *w = world_take_any(engine, world, err);
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
    int n = 0;
    struct expired x = {.n = SOSIA_LEN(x.ids)};
    while (x.n == SOSIA_LEN(x.ids) && atomic_load(&engine->n_expiring) > 0) {
        x.n = 0;
        world_each(engine, 0, find_expired, &x);
        for (int i = 0; i < x.n; i++) {
            struct world *w = world_take_any(engine, x.ids[i], NULL);
            if (!w)
                continue;
            drop_locked(engine, w);
            n++;
        }
    }
    return n;
}

/* ---- asking and setting ---- */

static void fill_info(const struct world *w, struct sosia_world_info *ret)
{
    *ret = (struct sosia_world_info){.id = w->id,
                                     .snapshot = (w->flags & WORLD_SNAPSHOT) != 0,
                                     .parent = w->parent,
                                     .now_us = world_now(w),
                                     .clock = world_clock_mode(w),
                                     .step_us = w->clock.step_us,
                                     .journal = world_journal_mode(w),
                                     .seed = w->seed,
                                     .size = (uint64_t)w->now.n_private * STORE_PAGE_SIZE,
                                     .base_size = (uint64_t)w->now.n_pages * STORE_PAGE_SIZE};
    world_key(w->id, ret->key);
    if (w->extra) {
        snprintf(ret->name, sizeof ret->name, "%s", w->extra->name);
        ret->expires_us = w->extra->expires_us == US_NEVER ? 0 : w->extra->expires_us;
        ret->expires_by_clock = w->extra->expires_by_clock;
        ret->size += w->extra->journal.bytes;
    }
}

int sosia_world_info(struct sosia_engine *engine, uint64_t world, struct sosia_world_info *ret_info,
                     struct sosia_err *err)
{
    struct world *w = world_take(engine, world, err);
    if (!w)
        return -1;
    fill_info(w, ret_info);
    world_drop(w);
    return 0;
}

struct listing {
    int (*fn)(void *arg, const struct sosia_world_info *info);
    void *arg;
};

static int list_one(void *arg, struct world *w)
{
    const struct listing *l = arg;
    struct sosia_world_info info;
    fill_info(w, &info);
    return l->fn(l->arg, &info);
}

int sosia_world_list(struct sosia_engine *engine, uint64_t after,
                     int (*fn)(void *arg, const struct sosia_world_info *info), void *arg,
                     struct sosia_err *err)
{
    struct listing l = {.fn = fn, .arg = arg};
    (void)err;
    world_each(engine, after, list_one, &l);
    return 0;
}

int sosia_world_rename(struct sosia_engine *engine, uint64_t world, const char *name,
                       struct sosia_err *err)
{
    struct world *w = world_take(engine, world, err);
    if (!w)
        return -1;
    char old[64] = "";
    if (w->extra)
        memcpy(old, w->extra->name, sizeof old);
    if (strcmp(old, name ? name : "") == 0) {
        world_drop(w);
        return 0;
    }
    int rc = name_set(engine, w, name, err);
    if (rc == 0) {
        pthread_mutex_lock(&engine->mutex);
        if (old[0])
            map_remove(&engine->names, old);
        pthread_mutex_unlock(&engine->mutex);
        if (w->extra && (!name || !*name))
            w->extra->name[0] = 0;
        rc = world_changed(engine, w, err);
    }
    uint64_t ticket = w->ticket;
    world_drop(w);
    return rc < 0 ? -1 : engine_sync(engine, ticket, err);
}

int sosia_world_ttl(struct sosia_engine *engine, uint64_t world, int64_t ttl_us,
                    bool by_world_clock, struct sosia_err *err)
{
    if (ttl_us < 0)
        return sosia_fail(err, SOSIA_E_INVALID, "ttl", "ttl", "a time to live can't be negative");
    struct world *w = world_take(engine, world, err);
    if (!w)
        return -1;
    struct world_extra *x = world_extra(w);
    int64_t from = by_world_clock ? world_now(w) : real_now_us();
    int64_t at = US_NEVER;
    int rc = 0;
    if (!x) {
        rc = sosia_fail_memory(err);
    } else {
        if (ttl_us && __builtin_add_overflow(from, ttl_us, &at))
            at = US_NEVER;
        atomic_fetch_add(&engine->n_expiring, (at != US_NEVER) - (x->expires_us != US_NEVER));
        x->expires_us = at;
        x->expires_by_clock = by_world_clock;
        rc = world_changed(engine, w, err);
    }
    uint64_t ticket = w->ticket;
    world_drop(w);
    return rc < 0 ? -1 : engine_sync(engine, ticket, err);
}

int sosia_world_journal_mode(struct sosia_engine *engine, uint64_t world,
                             enum sosia_journal_mode mode, struct sosia_err *err)
{
    if (journal_check(mode, err) < 0)
        return -1;
    struct world *w = world_take(engine, world, err);
    if (!w)
        return -1;
    w->flags = (w->flags & ~(uint32_t)WORLD_JOURNAL) | (uint32_t)mode << 3;
    int rc = world_changed(engine, w, err);
    uint64_t ticket = w->ticket;
    world_drop(w);
    return rc < 0 ? -1 : engine_sync(engine, ticket, err);
}

int sosia_world_journal_keep(struct sosia_engine *engine, uint64_t world,
                             enum sosia_journal_keep keep, int64_t steps, struct sosia_err *err)
{
    if ((unsigned)keep > SOSIA_KEEP_HASHES)
        return sosia_fail(err, SOSIA_E_INVALID, "keep", "keep", "nothing is kept like that");
    if (steps < 0 || steps > WORLD_STEPS_MAX)
        return sosia_fail(err, SOSIA_E_INVALID, "steps", "steps",
                          "a world keeps 0 to %d steps, not %lld", WORLD_STEPS_MAX,
                          (long long)steps);
    struct world *w = world_take(engine, world, err);
    if (!w)
        return -1;
    w->flags = (w->flags & ~(uint32_t)(WORLD_KEEP | WORLD_STEPS)) | (uint32_t)keep << 11 |
               (uint32_t)(steps + 1) << 16;
    if (!steps && w->extra)
        journal_drop_steps(&w->extra->journal);
    int rc = world_changed(engine, w, err);
    uint64_t ticket = w->ticket;
    world_drop(w);
    return rc < 0 ? -1 : engine_sync(engine, ticket, err);
}

/* ---- clock ---- */

int sosia_clock_get(struct sosia_engine *engine, uint64_t world, int64_t *ret_now_us,
                    struct sosia_err *err)
{
    struct world *w = world_take(engine, world, err);
    if (!w)
        return -1;
    *ret_now_us = world_now(w);
    world_drop(w);
    return 0;
}

/* Takes a world whose clock may be changed. */
static struct world *take_writable(struct sosia_engine *e, uint64_t world, struct sosia_err *err)
{
    struct world *w = world_take(e, world, err);
    if (w && (w->flags & WORLD_SNAPSHOT)) {
        world_drop(w);
        sosia_fail(err, SOSIA_E_FORBIDDEN, "readOnly", NULL, "a snapshot can't be changed");
        return NULL;
    }
    return w;
}

void world_set_clock(struct world *w, int64_t now_us)
{
    set_now(w, now_us);
}

void world_set_mode(struct world *w, enum sosia_clock_mode mode, int64_t step_us, int64_t now_us)
{
    set_clock_mode(w, mode);
    w->clock.step_us = mode == SOSIA_CLOCK_STEP ? step_us : 0;
    set_now(w, now_us);
}

void world_set_rates(struct world *w, bool on)
{
    if (on && !(w->flags & WORLD_RATES))
        rate_begin(w);
    else if (!on)
        rate_clear(w);
    w->flags = on ? w->flags | WORLD_RATES : w->flags & ~(uint32_t)WORLD_RATES;
}

/* What was done to a clock, and until when all that was due had been fired then. */
struct clock_note {
    const char *what;
    int64_t now_us, fired_us, step_us;
    enum sosia_clock_mode mode;
};

static void write_clock(struct json_writer *w, void *arg)
{
    static const char *const modes[] = {"frozen", "step", "real"};
    const struct clock_note *n = arg;
    json_obj(w, "control");
    json_str(w, "do", n->what);
    json_int(w, "now_us", n->now_us);
    if (n->fired_us != INT64_MIN)
        json_int(w, "fired_us", n->fired_us);
    json_str(w, "clock", modes[n->mode]);
    if (n->step_us)
        json_int(w, "step_us", n->step_us);
    json_end(w);
}

static void note_clock(struct sosia_engine *e, struct world *w, const char *what, int64_t now_us)
{
    struct clock_note n = {.what = what,
                           .now_us = now_us,
                           .fired_us = w->next_due_us,
                           .step_us = w->clock.step_us,
                           .mode = world_clock_mode(w)};
    world_note(e, w, now_us, write_clock, &n);
}

static void write_rates(struct json_writer *w, void *arg)
{
    json_obj(w, "control");
    json_str(w, "do", "rates");
    json_bool(w, "on", *(const bool *)arg);
    json_end(w);
}

static int changed_and_drop(struct sosia_engine *e, struct world *w, int rc, struct sosia_err *err)
{
    if (rc == 0)
        rc = world_changed(e, w, err);
    uint64_t ticket = w->ticket;
    world_drop(w);
    return rc < 0 ? -1 : engine_sync(e, ticket, err);
}

int sosia_clock_set(struct sosia_engine *engine, uint64_t world, int64_t now_us,
                    struct sosia_err *err)
{
    if (time_check(now_us, err) < 0)
        return -1;
    struct world *w = take_writable(engine, world, err);
    if (!w)
        return -1;
    set_now(w, now_us);
    note_clock(engine, w, "set", now_us);
    return changed_and_drop(engine, w, 0, err);
}

int sosia_clock_advance(struct sosia_engine *engine, uint64_t world, int64_t delta_us,
                        struct sosia_err *err)
{
    int64_t to;
    if (delta_us < 0)
        return sosia_fail(err, SOSIA_E_INVALID, "time", "delta",
                          "a clock goes forward only; set it instead");
    struct worker *k = worker_take(engine, err);
    if (!k)
        return -1;
    struct world *w = take_writable(engine, world, err);
    int rc = -1;
    if (w && __builtin_add_overflow(world_now(w), delta_us, &to))
        to = INT64_MAX;
    if (w && time_check(to, err) == 0) {
        rc = w->next_due_us <= to ? world_run_due(engine, w, k, to, err) : 0;
        if (rc >= 0)
            set_now(w, to);
        if (rc >= 0 && delta_us)
            note_clock(engine, w, "advance", to);
    }
    worker_drop(k);
    return w ? changed_and_drop(engine, w, rc < 0 ? -1 : 0, err) : -1;
}

int sosia_clock_mode(struct sosia_engine *engine, uint64_t world, enum sosia_clock_mode mode,
                     int64_t step_us, struct sosia_err *err)
{
    if (clock_check(mode, step_us, err) < 0)
        return -1;
    struct world *w = take_writable(engine, world, err);
    if (!w)
        return -1;
    int64_t now = world_now(w);
    world_set_mode(w, mode, step_us, now);
    note_clock(engine, w, "mode", now);
    return changed_and_drop(engine, w, 0, err);
}

int sosia_world_rates(struct sosia_engine *engine, uint64_t world, bool on, struct sosia_err *err)
{
    struct world *w = take_writable(engine, world, err);
    if (!w)
        return -1;
    world_set_rates(w, on);
    world_note(engine, w, world_now(w), write_rates, &on);
    return changed_and_drop(engine, w, 0, err);
}

bool world_is_due(struct sosia_engine *e, uint64_t world)
{
    struct sosia_err err;
    struct world *w = world_take(e, world, &err);
    if (!w)
        return false;
    bool due = w->next_due_us <= world_now(w) && !(w->flags & WORLD_SNAPSHOT);
    world_drop(w);
    return due;
}

int sosia_world_wake(struct sosia_engine *engine, uint64_t world, struct sosia_err *err)
{
    return sosia_clock_advance(engine, world, 0, err);
}
