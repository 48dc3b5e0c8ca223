/* SPDX-License-Identifier: Apache-2.0 */
/* What the guard keeps of a world beside its rows. */
#ifndef SOSIA_GUARD_STATE_H
#define SOSIA_GUARD_STATE_H

#include "engine/world/engine.h"
#include "guard/policy.h"

struct taint;
struct trouble;

/* How often a limit's rule has matched. */
struct guard_count {
    int64_t used, since_us;
};

struct guard_policy {
    struct policy *policy;
    struct guard_count *counts; /* one a limit */
};

struct guard_state {
    struct guard_policy *policies; /* in the order of their names */
    size_t n;
    bool actions;            /* there are some, decided or not */
    bool unsaved;            /* counts are others than in the rows */
    struct trouble *trouble; /* faults and budgets; NULL: none */
    struct taint *taint;     /* where values come from (taint.h); NULL: no policy asks */
    char *broken;            /* why a policy can't be read: nobody is served; NULL: all can */
};

int guard_state_load(struct tx *tx);
struct guard_state *guard_state_copy(const struct guard_state *s);
void guard_state_free(struct guard_state *s);
/* Of the call's world, which has one. */
static inline struct guard_state *guard_state_of(const struct tx *tx)
{
    return tx->world->extra ? tx->world->extra->guard : NULL;
}
/* Writes what was counted since it was written last, in a transaction that writes. 0, -1. */
int guard_state_save(struct tx *tx);

#endif
