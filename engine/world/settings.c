/* SPDX-License-Identifier: Apache-2.0 */
/* Settings of a world: its clock, whether rates hold, how long it exists, what its journal
 * keeps. */
#include "engine/text/civil.h"
#include "engine/base/handle.h"
#include "engine/base/taken.h"
#include "engine/world/due.h"
#include "engine/world/engine.h"
#include "engine/world/evaluation.h"
#include "engine/world/rate.h"

int world_time_check(int64_t us, struct sosia_err *err)
{
    if (us < TIME_FIRST_US || us > TIME_LAST_US)
        return sosia_fail(err, SOSIA_E_INVALID, "time", "now",
                          "the time is not in the years 1 to 9999");
    return 0;
}

int world_clock_check(enum sosia_clock_mode mode, int64_t step_us, struct sosia_err *err)
{
    if ((unsigned)mode > SOSIA_CLOCK_REAL)
        return sosia_fail(err, SOSIA_E_INVALID, "mode", "clock", "there is no such clock");
    if (step_us < 0)
        return sosia_fail(err, SOSIA_E_INVALID, "time", "step", "a step can't be negative");
    return 0;
}

int world_journal_check(enum sosia_journal_mode mode, struct sosia_err *err)
{
    if ((unsigned)mode > SOSIA_JOURNAL_ALL)
        return sosia_fail(err, SOSIA_E_INVALID, "mode", "journal", "there is no such journal");
    return 0;
}

int sosia_clock_get(struct sosia_engine *engine, uint64_t world, int64_t *ret_now_us,
                    struct sosia_err *err)
{
    if (handle_check(HANDLE_ENGINE, engine, err) < 0 ||
        taken_pointer(ret_now_us, "ret_now_us", err) < 0)
        return -1;
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
    w->clock.at_us = world_clock_mode(w) == SOSIA_CLOCK_REAL ? now_us - real_now_us() : now_us;
}

void world_set_mode(struct world *w, enum sosia_clock_mode mode, int64_t step_us, int64_t now_us)
{
    w->flags = (w->flags & ~(uint32_t)WORLD_CLOCK) | (uint32_t)mode << 1;
    w->clock.step_us = mode == SOSIA_CLOCK_STEP ? step_us : 0;
    world_set_clock(w, now_us);
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
    if (handle_check(HANDLE_ENGINE, engine, err) < 0)
        return -1;
    if (world_time_check(now_us, err) < 0)
        return -1;
    struct world *w = take_writable(engine, world, err);
    if (!w)
        return -1;
    world_set_clock(w, now_us);
    note_clock(engine, w, "set", now_us);
    return changed_and_drop(engine, w, 0, err);
}

/* An instant of a world, in one era of it. */
struct instant {
    uint64_t era;
    int64_t us;
};

/* How far the clock is from it; 0: it is there, or the world is in another era. */
static int64_t until(const struct world *w, const struct instant *at)
{
    int64_t now = world_now(w);
    return w->era != at->era || at->us <= now ? 0 : at->us - now;
}

/* By a delta, or up to an instant; at: NULL for the first. */
static int advance(struct sosia_engine *engine, uint64_t world, int64_t delta_us,
                   const struct instant *at, struct sosia_err *err)
{
    int64_t to;
    struct worker *k = worker_take(engine, err);
    if (!k)
        return -1;
    struct world *w = take_writable(engine, world, err);
    int rc = -1;
    if (w && at)
        delta_us = until(w, at);
    if (w && __builtin_add_overflow(world_now(w), delta_us, &to))
        to = INT64_MAX;
    if (w && world_time_check(to, err) == 0) {
        struct world_clock clock = w->clock;
        rc = w->next_due_us <= to ? world_run_due_wholly(engine, w, k, to, &clock, err) : 0;
        if (rc >= 0)
            world_set_clock(w, to);
        if (rc >= 0 && delta_us)
            note_clock(engine, w, "advance", to);
    }
    bool stopped = rc < 0 && stop_wanted();
    worker_drop(k);
    rc = w ? changed_and_drop(engine, w, rc < 0 ? -1 : 0, err) : -1;
    if (stopped) {
        engine->on_calls_end(engine, world);
        engine->on_pending(engine, world);
    }
    return rc;
}

int sosia_clock_advance(struct sosia_engine *engine, uint64_t world, int64_t delta_us,
                        struct sosia_err *err)
{
    if (handle_check(HANDLE_ENGINE, engine, err) < 0)
        return -1;
    if (delta_us < 0)
        return sosia_fail(err, SOSIA_E_INVALID, "time", "delta",
                          "a clock goes forward only; set it instead");
    return advance(engine, world, delta_us, NULL, err);
}

int world_advance_to(struct sosia_engine *e, uint64_t world, uint64_t era, int64_t to_us,
                     struct sosia_err *err)
{
    return advance(e, world, 0, &(struct instant){.era = era, .us = to_us}, err);
}

int sosia_clock_mode(struct sosia_engine *engine, uint64_t world, enum sosia_clock_mode mode,
                     int64_t step_us, struct sosia_err *err)
{
    if (handle_check(HANDLE_ENGINE, engine, err) < 0)
        return -1;
    if (world_clock_check(mode, step_us, err) < 0)
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
    if (handle_check(HANDLE_ENGINE, engine, err) < 0)
        return -1;
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
    if (handle_check(HANDLE_ENGINE, engine, err) < 0)
        return -1;
    return sosia_clock_advance(engine, world, 0, err);
}

/* ---- time to live, journal ---- */

int sosia_world_ttl(struct sosia_engine *engine, uint64_t world, int64_t ttl_us,
                    bool by_world_clock, struct sosia_err *err)
{
    if (handle_check(HANDLE_ENGINE, engine, err) < 0)
        return -1;
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

/* Of an entry of the journal: it is a call. */
static int is_request(void *arg, int64_t seq, const char *entry, size_t len)
{
    (void)arg;
    (void)seq;
    return memmem(entry, len, "\"request\":", 10) != NULL;
}

int sosia_world_journal_mode(struct sosia_engine *engine, uint64_t world,
                             enum sosia_journal_mode mode, struct sosia_err *err)
{
    if (handle_check(HANDLE_ENGINE, engine, err) < 0)
        return -1;
    if (world_journal_check(mode, err) < 0)
        return -1;
    struct world *w = world_take(engine, world, err);
    if (!w)
        return -1;
    if (mode != SOSIA_JOURNAL_ALL && evaluation_keeps_reads(w)) {
        world_drop(w);
        return sosia_fail(err, SOSIA_E_INVALID, "evaluation", "mode",
                          "the journal of an evaluation keeps all calls, and nothing less");
    }
    /* What was kept until now is not all, whatever is kept from now on. */
    if (world_journal_mode(w) != SOSIA_JOURNAL_ALL && w->extra &&
        journal_each(&w->extra->journal, 0, INT64_MAX, is_request, NULL))
        w->flags |= WORLD_LOST_READS;
    if (mode == SOSIA_JOURNAL_NONE && world_journal_mode(w) != mode)
        world_keep_last(w);
    w->flags = (w->flags & ~(uint32_t)WORLD_JOURNAL) | (uint32_t)mode << 3;
    int rc = world_changed(engine, w, err);
    uint64_t ticket = w->ticket;
    world_drop(w);
    return rc < 0 ? -1 : engine_sync(engine, ticket, err);
}

uint16_t world_mib(int64_t bytes)
{
    int64_t mib = bytes < 0 ? 0 : (bytes >> 20) + ((bytes & ((1 << 20) - 1)) != 0);
    return (uint16_t)((mib < WORLD_MIB_MAX ? mib : WORLD_MIB_MAX) + 1);
}

static int check_bound(const char *where, int64_t bytes, struct sosia_err *err)
{
    if (bytes > (int64_t)WORLD_MIB_MAX << 20)
        return sosia_fail(err, SOSIA_E_INVALID, where, where,
                          "at most %d MiB can be kept, not %lld bytes", WORLD_MIB_MAX,
                          (long long)bytes);
    return 0;
}

int world_journal_settings_check(const struct sosia_journal_settings *s, struct sosia_err *err)
{
    if (world_journal_check(s->mode, err) < 0 ||
        check_bound("step_bytes", s->step_bytes, err) < 0 ||
        check_bound("bytes", s->bytes, err) < 0)
        return -1;
    if ((unsigned)s->keep > SOSIA_KEEP_HASHES || s->steps > WORLD_STEPS_MAX)
        return sosia_fail(err, SOSIA_E_INVALID, "journal", NULL,
                          "a journal keeps redacted, full or hashes, and %d steps at most",
                          WORLD_STEPS_MAX);
    return 0;
}

int sosia_world_journal_bounds(struct sosia_engine *engine, uint64_t world, int64_t step_bytes,
                               int64_t bytes, struct sosia_err *err)
{
    if (handle_check(HANDLE_ENGINE, engine, err) < 0)
        return -1;
    if (check_bound("step_bytes", step_bytes, err) < 0 || check_bound("bytes", bytes, err) < 0)
        return -1;
    struct world *w = world_take(engine, world, err);
    if (!w)
        return -1;
    if (step_bytes >= 0)
        w->step_mib = world_mib(step_bytes);
    if (bytes >= 0)
        w->journal_mib = world_mib(bytes);
    world_keep_bounds(engine, w);
    int rc = world_changed(engine, w, err);
    uint64_t ticket = w->ticket;
    world_drop(w);
    return rc < 0 ? -1 : engine_sync(engine, ticket, err);
}

int sosia_world_journal_keep(struct sosia_engine *engine, uint64_t world,
                             enum sosia_journal_keep keep, int64_t steps, struct sosia_err *err)
{
    if (handle_check(HANDLE_ENGINE, engine, err) < 0)
        return -1;
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
    if (w->extra)
        journal_trim_steps(&w->extra->journal, (uint32_t)steps, UINT64_MAX);
    int rc = world_changed(engine, w, err);
    uint64_t ticket = w->ticket;
    world_drop(w);
    return rc < 0 ? -1 : engine_sync(engine, ticket, err);
}
