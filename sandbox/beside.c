/* SPDX-License-Identifier: Apache-2.0 */
/* Where a held program asks services: a fork of its world, and what was asked in it. */
#include "engine/world/guard.h"
#include "sandbox/runner_private.h"

/* After which the fork ends by itself, where the process ended before. */
#define BESIDE_US (24 * INT64_C(3600000000))

int beside_open(struct work *k, struct sosia_err *err)
{
    const struct sosia_fork_options options = {
        .size = sizeof options, .set_journal = true, .journal = SOSIA_JOURNAL_ALL};
    const struct fork_more more = {.ttl_us = BESIDE_US, .unlisted = true, .beside = true};
    return engine_fork(k->r->engine, k->world, &options, &more, &k->beside, err);
}

/* What was counted and read until now, so that what comes is known from it. */
static int remember(struct tx *tx, struct json_writer *w, void *arg)
{
    struct work *k = arg;
    const struct guard *guard = tx->engine->guard;
    json_raw(w, NULL, "null", 4);
    k->first = world_last_entry(tx->world);
    if (!guard || guard_learn(tx) < 0)
        return guard ? -1 : 0;
    const struct guard_state *s = tx->world->extra ? tx->world->extra->guard : NULL;
    k->counted = s ? guard->copy(s) : NULL;
    return s && !k->counted ? sosia_fail_memory(tx->err) : 0;
}

int beside_seal(struct work *k, struct sosia_err *err)
{
    struct world *w = world_take(k->r->engine, k->beside, err);
    if (!w)
        return -1;
    w->flags |= WORLD_SNAPSHOT;
    int rc = world_changed(k->r->engine, w, err); /* it stays so when the world is parked */
    world_drop(w);
    return rc < 0 ? rc : runner_look(k, k->beside, remember, err);
}

static int show(struct tx *tx, struct json_writer *w, void *arg)
{
    const struct work *k = arg;
    const struct guard *guard = tx->engine->guard;
    if (guard && guard->beside)
        return guard->beside(tx, k->counted, k->first, w);
    json_obj(w, NULL);
    json_end(w);
    return 0;
}

int beside_asked(struct work *k, struct sosia_blob *ret, struct sosia_err *err)
{
    return world_read(k->r->engine, k->beside, false, show, k, ret, err);
}

void beside_close(struct work *k)
{
    if (k->counted)
        k->r->engine->guard->free(k->counted);
    k->counted = NULL;
    if (k->beside)
        sosia_world_drop(k->r->engine, k->beside, NULL);
}
