/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the engine asks of guard/ (engine/world/guard.h): policies first, and of what they let pass
 * budgets and faults.
 */
#include "guard/action.h"
#include "guard/beside.h"
#include "guard/door.h"
#include "guard/guard.h"
#include "guard/judge.h"
#include "guard/reach.h"
#include "guard/taint/taint.h"
#include "guard/faults/trouble.h"

static struct trouble *trouble_at(const struct call *c)
{
    return trouble_of(c->tx.world);
}

/* ---- consequences ---- */

/* Counts whom the call reaches, and what is gone by it. */
static int count_changes(struct call *c, struct trouble *t)
{
    struct changes d;
    int64_t removed = 0, reached = 0;
    if (tx_do_later(&c->tx) < 0) /* what was put off is among its consequences */
        return -1;
    int rc = changes_open_here(&c->tx, &c->judged->touched, &d);
    for (size_t i = 0; rc == 0 && i < d.n; i++)
        removed += d.list[i].kind == ROW_REMOVED && d.list[i].cause < 0;
    if (rc == 0) {
        const struct json *facts = reach_of(c, &d), *people = json_get(facts, "people");
        rc = facts ? 0 : -1;
        reached = people ? people->n : 0;
    }
    changes_close(&d);
    return rc < 0 ? -1 : trouble_changes(c, t, reached, removed);
}

/* ---- the record ---- */

static int before(struct call *c)
{
    struct trouble *t = trouble_at(c);
    int rc = guard_rules.before(c);
    if (rc || !c->judged)
        return rc;
    if (c->tx.write && trouble_counts_changes(t) && !c->judged->watching) {
        changes_watch(&c->tx, &c->judged->touched);
        c->judged->watching = true;
    }
    return trouble_before(c, t);
}

static int between(struct call *c)
{
    return trouble_between(c, trouble_at(c));
}

static int after(struct call *c)
{
    struct trouble *t = trouble_at(c);
    if (beside_count(c) < 0 || guard_rules.after(c) < 0)
        return -1;
    bool counts = c->tx.write && !c->tried && c->judged->watching && trouble_counts_changes(t);
    return counts ? count_changes(c, t) : 0;
}

static int answered(struct call *c)
{
    return guard_rules.answered(c) < 0 ? -1 : trouble_answered(c, trouble_at(c));
}

static int undone(struct call *c)
{
    if (beside_count(c) < 0) /* what it left could not be taken */
        return -1;
    return guard_rules.undone(c) < 0 ? -1 : trouble_undone(c, trouble_at(c));
}

static void write_entry(const struct call *c, struct json_writer *w)
{
    guard_rules.write(c, w);
}

/* What a call that reads has read is written behind it, before its answer is given out: exports
 * have it, and a server that begins again. It is not among what the next call has written. Where it
 * can't be, it is written with the next change. */
static void keep_reads(struct call *c)
{
    struct guard_state *s = guard_state_of(&c->tx);
    struct world *w = c->tx.world;
    struct sosia_err err = {0};
    struct tx tx;
    if (!s || !taint_is_unsaved(s->taint) || w->flags & WORLD_SNAPSHOT)
        return;
    struct worker *k = worker_take_second(c->tx.engine, &err);
    if (!k)
        return;
    const uint64_t written = w->written, replaced = world_replaced(w);
    if (tx_begin(&tx, c->tx.engine, w, k, true, c->tx.now_us, &err) == 0) {
        int rc = taint_save(&tx, s->taint);
        if (rc < 0)
            tx_rollback(&tx);
        if (rc < 0 || tx_publish(&tx) < 0)
            taint_unsaved(s->taint);
        else
            (void)world_changed(c->tx.engine, w, &err); /* the store knows a world that is served */
    }
    w->written = written;
    world_set_replaced(w, replaced);
    worker_drop(k);
}

static void end(struct call *c)
{
    guard_rules.end(c);
    if (!c->tx.write)
        keep_reads(c);
}

static void release(struct call *c)
{
    fault_rules_unref(c->judged->faults);
    c->judged->faults = NULL;
    guard_rules.release(c);
}

static int outside(struct call *c)
{
    return guard_rules.outside(c) < 0 ? -1 : trouble_outside(c, trouble_at(c));
}

static bool shows(const struct call *c, const struct dialect *d, const struct route *route,
                  const char *tool)
{
    return guard_rules.shows(c, d, route, tool) && trouble_shows(c, d, route, tool);
}

static const char *tool_name(const struct call *c, const char *name, bool back)
{
    return trouble_tool_name(c, name, back);
}

static int load(struct tx *tx)
{
    return guard_rules.load(tx);
}

static struct guard_state *copy(const struct guard_state *s)
{
    return guard_rules.copy(s);
}

static void free_state(struct guard_state *s)
{
    guard_rules.free(s);
}

static int again(struct sosia_engine *e, struct world *w, struct worker *k,
                 const struct json *control, struct sosia_err *err)
{
    const char *what = json_get_str(control, "do");
    return what && strcmp(what, "guard") == 0 ? trouble_again(e, w, k, control, err)
                                              : guard_rules.again(e, w, k, control, err);
}

const struct guard guard_door = {
    .load = load,
    .copy = copy,
    .free = free_state,
    .before = before,
    .between = between,
    .after = after,
    .answered = answered,
    .undone = undone,
    .write = write_entry,
    .beside = beside_show,
    .end = end,
    .release = release,
    .outside = outside,
    .shows = shows,
    .tool_name = tool_name,
    .staged = action_staged,
    .drafted = action_request,
    .questions = action_questions,
    .decide = action_answered,
    .again = again,
};
