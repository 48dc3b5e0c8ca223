/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a world has of faults and budgets: their documents, which are in its rows (meta), and what
 * was counted, which is beside them and is written with the next change. Forks have copies.
 */
#ifndef SOSIA_GUARD_TROUBLE_H
#define SOSIA_GUARD_TROUBLE_H

#include "guard/budget.h"
#include "guard/faults/faults.h"
#include "guard/state.h"

struct trouble {
    struct fault_rules *faults; /* NULL: none */
    struct fault_count *counts; /* one a rule */
    struct budgets *budgets;    /* NULL: none */
    struct budget_uses *uses;   /* NULL: nothing is used */
    struct tree before;         /* the state before the last change; base NULL: not known */
    uint64_t era;               /* of the world, when it was loaded */
    char *broken;               /* why a document can't be read: nobody is served; NULL: all can */
};

/* From the rows of the transaction's world. old: what was known of it until now (NULL: nothing),
 * whose counts go on unless the world went back since. 1 there are some, with *ret; 0; -1. */
int trouble_load(struct tx *tx, const struct trouble *old, struct trouble **ret);
struct trouble *trouble_copy(const struct trouble *t); /* NULL without memory */
void trouble_free(struct trouble *t);                  /* NULL is fine */

/* The functions of struct guard (engine/world/guard.h) for them. t NULL: nothing to do. */
int trouble_before(struct call *c, struct trouble *t); /* 0, -1 */
int trouble_between(struct call *c, struct trouble *t);
int trouble_answered(struct call *c, struct trouble *t);
int trouble_undone(struct call *c, struct trouble *t);
/* For lists of tools and methods: which rules are in force when such a call begins. 0, -1. */
int trouble_outside(struct call *c, const struct trouble *t);
bool trouble_shows(const struct call *c, const struct dialect *d, const struct route *route,
                   const char *tool);
const char *trouble_tool_name(const struct call *c, const char *name, bool back);
/* Whether what the call changes has to be counted; and then whether that stops it. 0, -1. */
bool trouble_counts_changes(const struct trouble *t);
int trouble_changes(struct call *c, struct trouble *t, int64_t recipients, int64_t removed);

/* What calls have used up of budgets, and matched of faults, since then, as a text ("": nothing);
 * and adds such. 0, -1. */
void trouble_since(struct buf *out, const struct trouble *t, const struct trouble *before);
int trouble_add(struct call *c, struct trouble *t, const char *text);

extern const struct sosia_core trouble_core; /* sections of seed documents */
/* Puts a document into the world's rows, with nothing counted of it. 0, -1 with err. */
int trouble_put(struct tx *tx, const char *what, const char *text, const char *name,
                struct sosia_err *err);

/* The same of the budget that a policy has: a document, or an object that may have other members,
 * which are left out. One without any limit is none. In tx->err. */
int trouble_put_budget(struct tx *tx, const struct json *budget, const char *name);

/* That of a world; NULL: it has none, or its rows were not looked at yet. */
static inline struct trouble *trouble_of(const struct world *w)
{
    return w->extra && w->extra->guard ? w->extra->guard->trouble : NULL;
}
/* An entry of the journal that has set one of the documents runs again. 0, -1. */
int trouble_again(struct sosia_engine *e, struct world *w, struct worker *k,
                  const struct json *control, struct sosia_err *err);

#endif
