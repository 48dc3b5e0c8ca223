/* SPDX-License-Identifier: Apache-2.0 */
/* A world's journal as a part of the world: entries with their steps, what forks go on from, and
 * worlds that are made of a step or go back to one. */
#include "engine/world/engine.h"
#include "engine/world/places.h"
#include "engine/world/rate.h"
#include "engine/world/refused.h"
#include "engine/world/took.h"

/* Steps hold pages that nothing else needs: near a limit, worlds record no more steps. */
static bool has_room_for_steps(const struct sosia_engine *e)
{
    return !e->options.max_size || store_size(e->store) < e->options.max_size / 2;
}

/* The present one without its tree. */
static struct step step_head(struct world *w)
{
    return (struct step){.seq = world_last_entry(w),
                         .clock = w->clock,
                         .seed = w->seed,
                         .secret = *world_secret_own(w),
                         .next_due_us = w->next_due_us,
                         .flags = w->flags & (WORLD_STEP_FLAGS | WORLD_EVALUATION)};
}

void world_step_now(struct world *w, struct step *ret)
{
    *ret = step_head(w);
    tree_fork(&w->now, &ret->tree);
}

void world_step_start(struct world *w, struct step *ret)
{
    *ret = (struct step){.seq = journal_past_n(w->past),
                         .clock = w->start_clock,
                         .seed = w->start_seed,
                         .secret = *world_secret_own(w),
                         .next_due_us = INT64_MIN,
                         .flags = (w->flags & (WORLD_INHERITS | WORLD_EVALUATION)) |
                                  (w->flags >> 4 & WORLD_AT_START)};
    tree_fork(&w->start, &ret->tree);
}

void world_settle_steps(struct world *w)
{
    if (w->extra)
        steps_settle(&w->extra->journal.steps, &w->now, w->version);
}

void world_keep_last(struct world *w)
{
    struct journal *j = w->extra ? &w->extra->journal : NULL;
    struct step now;
    if (!j)
        return;
    world_settle_steps(w);
    const struct step *last = steps_newest(&j->steps);
    if (!world_steps(w) || !j->first || (last && last->seq == world_last_entry(w)))
        return;
    world_step_now(w, &now);
    journal_keep_step(j, &now);
}

bool world_wants_back(const struct world *w)
{
    return w->extra && w->extra->journal.steps.open;
}

void world_step_back(struct world *w, struct slot *slot, uint64_t from)
{
    struct steps *s = w->extra ? &w->extra->journal.steps : NULL;
    if (s && s->open && w->version != from)
        steps_went_on(s, slot_back(slot), &w->now, from, w->version);
}

bool world_step_of(struct world *w, int64_t seq, struct step *ret)
{
    struct step found;
    world_settle_steps(w);
    if (!journal_find_step(w->past, w->extra ? &w->extra->journal : NULL, NULL, seq, &found))
        return false;
    if (found.seq == seq) {
        *ret = found;
        return true;
    }
    step_done(&found);
    return false;
}

uint64_t world_fresh_version(void)
{
    static _Atomic(uint64_t) n;
    return UINT64_C(1) << 63 | (atomic_fetch_add(&n, 1) + 1) << 40;
}

int64_t world_last_entry(const struct world *w)
{
    return w->extra ? w->extra->journal.n : journal_past_n(w->past);
}

int64_t world_first_step(const struct world *w)
{
    int64_t own = journal_past_n(w->past),
            left = journal_first(w->past, w->extra ? &w->extra->journal : NULL) - 1;
    return own > left ? own : left;
}

/* The state is another one than at the last step, or where its own entries begin. */
static bool has_moved(const struct world *w)
{
    const struct steps *s = &w->extra->journal.steps;
    const struct tree *was = s->n ? &steps_newest(s)->tree : &w->start;
    if (s->open && s->version == w->version)
        return steps_newest(s)->back != NULL;
    return was->root != w->now.root || was->base != w->now.base;
}

void world_write_state(const struct world *w, struct json_writer *out)
{
    char hex[17];
    world_key(w->written, hex);
    json_str(out, "state", hex);
}

/* The least that holds for what is beside a world's pages, or what is left of a world's size. */
static uint64_t room_beside(const struct sosia_engine *e, const struct world *w, uint64_t taken)
{
    uint64_t max = e->options.max_world_size,
             own = (uint64_t)w->now.n_private * STORE_PAGE_SIZE + taken;
    return !max ? UINT64_MAX : own < max ? max - own : 0;
}

/* The oldest steps go, and the older half of the entries. */
void world_keep_bounds(struct sosia_engine *e, struct world *w)
{
    uint64_t steps = world_step_bytes(w), entries = world_journal_bytes(e, w);
    struct journal *j = w->extra ? &w->extra->journal : NULL;
    if (!j || w->flags & WORLD_REPLAY)
        return;
    if (journal_size(j) > entries)
        (void)journal_cut_oldest(j, w->past, entries / 2); /* without memory another time */
    uint64_t room = room_beside(e, w, journal_size(j));
    journal_trim_steps(j, steps ? world_steps(w) : 0, steps < room ? steps : room);
    world_count_journal(e, j);
}

void world_add_entry(struct sosia_engine *e, struct world *w, const struct buf *entry,
                     const struct journal_known *known)
{
    struct world_extra *x = world_extra(w);
    uint32_t max = world_steps(w);
    /* Without memory for its entry the call itself proceeds: its effects are in the world either
     * way. */
    if (!x || buf_failed(entry) ||
        journal_append_known(&x->journal, entry->data, entry->len, known) < 0)
        return;
    w->written = 0;
    places_next(w);
    if (x->replaced)
        journal_replaced(&x->journal, x->replaced);
    x->replaced = 0;
    if (max && has_moved(w)) {
        struct step step;
        if (!has_room_for_steps(e)) {
            journal_trim_steps(&x->journal, 0, 0);
        } else {
            step = step_head(w);
            steps_add(&x->journal.steps, &step, &w->now, w->version);
        }
    }
    world_count_journal(e, &x->journal);
    world_keep_bounds(e, w);
}

void world_note(struct sosia_engine *e, struct world *w, int64_t at_us,
                void (*note)(struct json_writer *out, void *arg), void *arg)
{
    struct json_writer out;
    struct buf b;
    if (world_journal_mode(w) == SOSIA_JOURNAL_NONE || w->flags & WORLD_SNAPSHOT)
        return;
    buf_init(&b, 0);
    json_init(&out, &b, false, NULL);
    json_obj(&out, NULL);
    json_time(&out, "at", at_us, JSON_TIME_US_Z);
    journal_write_keep(&out, world_journal_keep(w));
    note(&out, arg);
    places_write(w, &out, true);
    world_write_state(w, &out);
    json_end(&out);
    world_add_entry(e, w, &b, NULL);
    buf_done(&b);
}

int world_freeze_journal(struct sosia_engine *e, struct world *w, struct journal_past **ret,
                         struct sosia_err *err)
{
    struct journal *j = w->extra ? &w->extra->journal : NULL;
    struct step begin = {0}, now = {0};
    if (!j || (!j->first && !j->cut)) {
        *ret = journal_past_ref(j && j->frozen ? j->frozen : w->past);
        return 0;
    }
    /* What is frozen has been handed to the durable store. */
    if (e->durable && journal_fresh(j, NULL) && world_changed(e, w, err) < 0)
        return -1;
    world_settle_steps(w);
    world_step_start(w, &begin);
    if (world_steps(w))
        world_step_now(w, &now);
    int rc = journal_freeze(j, w->past, &begin, &now, e->store, ret);
    step_done(&begin);
    step_done(&now);
    world_count_journal(e, j);
    return rc < 0 ? sosia_fail_memory(err) : 0;
}

void world_set_past(struct sosia_engine *e, struct world *w, struct journal_past *past)
{
    struct journal *j = w->extra ? &w->extra->journal : NULL;
    journal_past_unref(w->past);
    w->past = past;
    if (!j)
        return;
    j->base = journal_past_n(past);
    journal_clear(j);
    world_count_journal(e, j);
}

struct packed {
    struct sosia_engine *engine;
    struct world *world;
};

static int past_ends(void *arg)
{
    struct packed *p = arg;
    struct world *w = p->world;
    struct journal *j = &w->extra->journal;
    struct step none = {0};
    if (w->past) {
        journal_clear(j);
        return 0;
    }
    if (journal_freeze(j, NULL, NULL, &none, p->engine->store, &w->past) < 0)
        return -1;
    journal_past_unref(j->frozen);
    *j = (struct journal){
        .base = j->n, .n = j->n, .generation = j->generation, .counted = j->counted};
    return 0;
}

int world_take_packed(struct sosia_engine *e, struct world *w, const char *data, size_t len)
{
    struct packed p = {.engine = e, .world = w};
    struct world_extra *x = world_extra(w);
    if (!x)
        return -1;
    int rc = journal_append_packed(&x->journal, data, len, past_ends, &p);
    world_count_journal(e, &x->journal);
    return rc;
}

/* ---- worlds of a step ---- */

void world_went_back(struct sosia_engine *e, struct world *w)
{
    w->era++;
    w->sends = true;
    refused_clear(w);
    took_clear(w);
    places_next(w);
    e->on_sessions_end(e, w->id, "the world was reset");
}

void world_take_step(struct world *w, struct step *step)
{
    world_settle_steps(w);
    tree_done(&w->now);
    w->now = step->tree;
    step->tree = (struct tree){0};
    w->version++;
    w->clock = step->clock;
    w->seed = step->seed;
    w->flags = (w->flags & ~(uint32_t)WORLD_STEP_FLAGS) | step->flags;
    w->next_due_us = step->next_due_us;
    w->written = 0;
    world_set_replaced(w, 0);
    places_next(w);
    rate_clear(w); /* what is used up is in the state */
    guard_forget(w);
}

int world_back_to(struct sosia_engine *e, uint64_t world, struct step *step, struct sosia_err *err)
{
    int64_t seq = step->seq;
    struct world *w = world_take(e, world, err);
    int rc = -1;
    if (w)
        world_settle_steps(w);
    if (w && w->flags & WORLD_SNAPSHOT)
        sosia_fail(err, SOSIA_E_FORBIDDEN, "readOnly", NULL, "a snapshot can't be changed");
    else if (w && (seq > world_last_entry(w) || seq < world_first_step(w)))
        sosia_fail(err, SOSIA_E_NOT_FOUND, "stepNotFound", "step",
                   "the step must be an entry of the world's own, %lld to %lld, not %lld",
                   (long long)world_first_step(w), (long long)world_last_entry(w), (long long)seq);
    else if (w && w->extra && journal_rewrite(&w->extra->journal, seq) < 0)
        sosia_fail_memory(err);
    else if (w)
        rc = 0;
    if (rc < 0) {
        if (w)
            world_drop(w);
        step_done(step);
        return -1;
    }
    if (w->extra)
        world_count_journal(e, &w->extra->journal);
    world_take_step(w, step);
    world_went_back(e, w);
    rc = world_changed(e, w, err);
    uint64_t ticket = w->ticket;
    world_drop(w);
    e->on_calls_end(e, world);
    return rc < 0 ? -1 : engine_sync(e, ticket, err);
}
