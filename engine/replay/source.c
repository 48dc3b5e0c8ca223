/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/replay/source.h"

int source_open(struct sosia_engine *e, uint64_t world, struct source *ret, struct sosia_err *err)
{
    struct world *w = world_take(e, world, err);
    *ret = (struct source){0};
    if (!w)
        return -1;
    int rc = world_freeze_journal(e, w, &ret->past, err);
    if (rc == 0) {
        ret->id = ret->like = w->id;
        ret->ticket = w->ticket;
        ret->flags = ret->like_flags = w->flags;
        ret->step_mib = w->step_mib;
        ret->journal_mib = w->journal_mib;
        ret->base = journal_past_n(w->past);
        ret->first = journal_first(ret->past, NULL);
        ret->last = world_last_entry(w);
        world_step_start(w, &ret->start);
        world_step_now(w, &ret->now);
    }
    world_drop(w);
    return rc;
}

void source_take(struct source *s, const struct journal_file *f)
{
    journal_past_unref(s->past);
    s->past = NULL;
    s->file = f;
    s->id = f->world;
    s->base = s->start.seq = f->from;
    s->first = f->from + 1;
    s->last = f->to;
    s->start.seed = f->seed;
    if (f->has_secret)
        s->start.secret = f->secret;
}

void source_close(struct source *s)
{
    journal_past_unref(s->past);
    step_done(&s->start);
    step_done(&s->now);
}

int source_step(const struct source *s, int64_t seq, struct step *ret, struct sosia_err *err)
{
    if (seq < 0 || seq > s->last)
        return sosia_fail(err, SOSIA_E_NOT_FOUND, "stepNotFound", "step",
                          "the step must be the number of an entry, 0 to %lld, not %lld",
                          (long long)s->last, (long long)seq);
    if (seq < s->first - 1)
        return sosia_fail(err, SOSIA_E_NOT_FOUND, "stepNotFound", "step",
                          "entry %lld is the first that is left, those before it went when the "
                          "journal had more bytes than it keeps: a step can be %lld to %lld, is "
                          "%lld",
                          (long long)s->first, (long long)s->first - 1, (long long)s->last,
                          (long long)seq);
    if (seq == s->base) {
        step_copy(&s->start, ret);
        return 0;
    }
    if (journal_find_step(s->past, NULL, NULL, seq, ret)) {
        if (ret->seq >= s->first - 1)
            return 0;
        step_done(ret);
    }
    if (s->first > s->base + 1)
        return sosia_fail(err, SOSIA_E_NOT_FOUND, "stepNotFound", "step",
                          "no state at or before entry %lld is kept, and the entries that lead "
                          "there from the world's beginning are gone: the journal begins with "
                          "entry %lld",
                          (long long)seq, (long long)s->first);
    if (seq >= s->base) {
        step_copy(&s->start, ret);
        return 0;
    }
    return sosia_fail(err, SOSIA_E_NOT_FOUND, "stepNotFound", "step",
                      "no state at or before entry %lld is kept: it was made in another world",
                      (long long)seq);
}

int64_t source_first(const struct source *s, bool all)
{
    int64_t from = all ? 0 : s->base, step;
    if (s->first <= from + 1)
        return from;
    return journal_next_step(s->past, s->first - 1, &step) ? step : s->first - 1;
}
