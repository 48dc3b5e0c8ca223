/* SPDX-License-Identifier: Apache-2.0 */
/* Policies of a world, from their rows; counts of limits, which are written with the next change.
 */
#include "guard/state.h"
#include "guard/taint/taint.h"
#include "guard/faults/trouble.h"
#include <stdlib.h>

static void policies_free(struct guard_policy *list, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        policy_unref(list[i].policy);
        free(list[i].counts);
    }
    free(list);
}

void guard_state_free(struct guard_state *s)
{
    if (!s)
        return;
    policies_free(s->policies, s->n);
    trouble_free(s->trouble);
    taint_free(s->taint);
    free(s->broken);
    free(s);
}

struct guard_state *guard_state_copy(const struct guard_state *s)
{
    struct guard_state *copy = calloc(1, sizeof *copy);
    if (!copy)
        return NULL;
    copy->actions = s->actions;
    copy->unsaved = s->unsaved;
    copy->broken = s->broken ? strdup(s->broken) : NULL;
    copy->policies = calloc(s->n + 1, sizeof *copy->policies);
    copy->trouble = s->trouble ? trouble_copy(s->trouble) : NULL;
    copy->taint = s->taint ? taint_copy(s->taint) : NULL;
    bool good = copy->policies && (copy->broken || !s->broken) && (copy->trouble || !s->trouble) &&
                (copy->taint || !s->taint);
    for (size_t i = 0; good && i < s->n; i++) {
        size_t n = s->policies[i].policy->n_counters;
        struct guard_count *counts = calloc(n + 1, sizeof *counts);
        good = counts != NULL;
        if (!good)
            break;
        memcpy(counts, s->policies[i].counts, n * sizeof *counts);
        copy->policies[copy->n++] =
            (struct guard_policy){policy_ref(s->policies[i].policy), counts};
    }
    if (good)
        return copy;
    guard_state_free(copy);
    return NULL;
}

/* ---- from the rows ---- */

static int load_counts(struct tx *tx, struct guard_policy *p)
{
    static struct sql_text q = SQL_TEXT("select place, used, since_us from guard_count where "
                                        "policy = :policy");
    p->counts = calloc(p->policy->n_counters + 1, sizeof *p->counts);
    if (!p->counts)
        return sosia_fail_memory(tx->err);
    sqlite3_stmt *st = TX_QUERY(tx, &q, p->policy->name);
    int r = st ? 0 : -1;
    while (st && (r = TX_STEP(tx, st)) == 1) {
        uint64_t place = (uint64_t)sqlite3_column_int64(st, 0);
        if (place < p->policy->n_counters)
            p->counts[place] = (struct guard_count){.used = sqlite3_column_int64(st, 1),
                                                    .since_us = sqlite3_column_int64(st, 2)};
    }
    return r;
}

static int add(struct tx *tx, struct guard_state *s, size_t *cap, const char *name,
               const char *text, size_t len)
{
    struct sosia_err err = {0};
    struct policy *p;
    if (policy_read(text, len, name, &p, &err) < 0) {
        if (err.code == SOSIA_E_NO_MEMORY)
            return sosia_fail_memory(tx->err);
        int scope = policy_read_scope(text, len, name, err.text, &p, tx->err);
        if (scope < 0)
            return -1;
        if (!scope) {
            free(s->broken);
            s->broken = strdup(err.text);
            return s->broken ? 0 : sosia_fail_memory(tx->err);
        }
    }
    if (s->n == *cap) {
        size_t more = *cap ? 2 * *cap : 4;
        struct guard_policy *list = realloc(s->policies, more * sizeof *list);
        if (!list) {
            policy_unref(p);
            return sosia_fail_memory(tx->err);
        }
        s->policies = list;
        *cap = more;
    }
    struct guard_policy *at = &s->policies[s->n++];
    *at = (struct guard_policy){.policy = p};
    return load_counts(tx, at);
}

static int load_policies(struct tx *tx, struct guard_state *s)
{
    static struct sql_text q =
        SQL_TEXT("select name, document from guard_policy order by name, id");
    size_t cap = 0;
    sqlite3_stmt *st = TX_PLAIN(tx, &q);
    int r = st ? 0 : -1;
    while (st && (r = TX_STEP(tx, st)) == 1) {
        if (add(tx, s, &cap, (const char *)sqlite3_column_text(st, 0),
                (const char *)sqlite3_column_text(st, 1),
                (size_t)sqlite3_column_bytes(st, 1)) < 0) {
            sql_done(st);
            return -1;
        }
    }
    return r;
}

static int any_row(struct tx *tx, struct sql_text *q)
{
    sqlite3_stmt *st = TX_PLAIN(tx, q);
    int r = st ? TX_STEP(tx, st) : -1;
    if (r == 1)
        sql_done(st);
    return r;
}

/* What is beside the rows goes on, unless the world went back. */
static struct taint *take_taint(struct world *w)
{
    struct guard_state *s = w->extra ? w->extra->guard : NULL;
    struct taint *t = s && s->taint && taint_is_of(s->taint, w) ? s->taint : NULL;
    if (t)
        s->taint = NULL;
    return t;
}

static int load_taint(struct tx *tx, struct guard_state *s, struct taint *old)
{
    bool asked = false;
    for (size_t i = 0; i < s->n; i++)
        asked |= s->policies[i].policy->asks_taint;
    return taint_load(tx, old, asked, &s->taint);
}

int guard_state_load(struct tx *tx)
{
    static struct sql_text q_policies = SQL_TEXT("select 1 from guard_policy limit 1");
    static struct sql_text q_actions = SQL_TEXT("select 1 from guard_action limit 1");
    struct world *w = tx->world;
    int any = any_row(tx, &q_policies), actions = any > 0 ? any_row(tx, &q_actions) : 0;
    struct trouble *trouble = NULL;
    int troubled = any < 0 || actions < 0 ? -1 : trouble_load(tx, trouble_of(w), &trouble);
    if (troubled < 0)
        return -1;
    struct taint *taint = take_taint(w);
    guard_free(tx->engine, w);
    if (!any && !troubled) {
        taint_free(taint);
        w->guard = GUARD_NONE;
        return 0;
    }
    struct world_extra *x = world_extra(w);
    struct guard_state *s = calloc(1, sizeof *s);
    if (!x || !s) {
        free(s);
        trouble_free(trouble);
        taint_free(taint);
        return sosia_fail_memory(tx->err);
    }
    s->trouble = trouble;
    if (load_policies(tx, s) < 0) {
        taint_free(taint);
        guard_state_free(s);
        return -1;
    }
    if (load_taint(tx, s, taint) < 0) {
        guard_state_free(s);
        return -1;
    }
    s->actions = actions;
    x->guard = s;
    w->guard = GUARD_ON;
    return 0;
}

int guard_state_save(struct tx *tx)
{
    static struct sql_text q =
        SQL_TEXT("insert or replace into guard_count (policy, place, used, since_us) values "
                 "(:policy, :place, :used, :since)");
    struct guard_state *s = guard_state_of(tx);
    if (s && taint_save(tx, s->taint) < 0)
        return -1;
    if (!s || !s->unsaved)
        return 0;
    for (size_t i = 0; i < s->n; i++)
        for (size_t k = 0; k < s->policies[i].policy->n_counters; k++) {
            const struct guard_count *c = &s->policies[i].counts[k];
            if (c->since_us &&
                TX_RUN(tx, &q, s->policies[i].policy->name, (int64_t)k, c->used, c->since_us) < 0)
                return -1;
        }
    s->unsaved = false;
    return 0;
}
