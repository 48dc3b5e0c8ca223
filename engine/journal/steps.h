/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The states that entries of a journal led to, in their order. Of most of them what leads back to
 * it from the next one is kept (engine/store/delta.h), and not its tree. The newest one is the
 * state of its world as long as nothing changes that, and a way from it afterwards: so its pages
 * are the world's alone, which can change them without a copy of every node above them.
 */
#ifndef SOSIA_JOURNAL_STEPS_H
#define SOSIA_JOURNAL_STEPS_H

#include "engine/store/page.h"
#include <stdbool.h>
#include <stdint.h>

struct delta;

struct world_clock {
    int64_t at_us;   /* the time; in mode REAL the offset from real time */
    int64_t step_us; /* of mode STEP */
};

/* What ids that open something come from, besides the seed (tx_secret()). of: the world whose id is
 * mixed into it; where that is another one, whose own has to be yet. 0: nobody's, and forks have
 * the same. */
struct world_secret {
    uint8_t key[16];
    uint64_t of;
};

/* A world after an entry, or where its journal begins. */
struct step {
    int64_t seq; /* the entry's number */
    /* base NULL: only the way to it is kept, or it is not known. */
    struct tree tree;
    struct delta *back; /* from the next step's state, or from the world's: see struct steps */
    struct world_clock clock;
    uint64_t seed;
    struct world_secret secret; /* its own: mixed */
    int64_t next_due_us;
    uint32_t flags; /* enum world_flags: of the clock, the rates, what is inherited */
    uint64_t bytes; /* that are kept for it alone */
};

struct steps {
    struct step *list;
    uint32_t first, n, cap; /* list[first] to list[first + n - 1] are there */
    uint64_t bytes;         /* of all of them */
    /* The newest one has no tree: it is the state that the world had at this version, less what
     * leads back from it. */
    bool open;
    uint32_t commits; /* that its way back leads over, while it is open */
    uint64_t version;
};

void step_done(struct step *s);
/* A reference to the same. */
void step_copy(const struct step *from, struct step *ret);

void steps_done(struct steps *s);
/* NULL: there is none. */
struct step *steps_newest(const struct steps *s);
void steps_drop_oldest(struct steps *s);
/* Adds one, which is taken over: with its tree, or without for the state of the world at a version,
 * `now`. The one before it loses its tree. Without memory there is one step less. */
void steps_add(struct steps *s, struct step *step, const struct tree *now, uint64_t version);
/* The same without a change of the others: one of a list that is copied. Behind the last one a copy
 * of all of them goes on as that list does. */
void steps_append(struct steps *s, struct step *step);
void steps_go_on(struct steps *s, const struct steps *from);
/* The world went on from version `from` to `to`, where it is `now`: what leads back is taken over.
 * NULL, without memory, and where the newest step is of neither: what is without a tree is lost.
 * Behind many commits without a step the newest one gets its tree: no way grows without bound. */
void steps_went_on(struct steps *s, struct delta *back, const struct tree *now, uint64_t from,
                   uint64_t to);
/* The newest one gets its tree, if it has none: `now` is what its world has at that version. Where
 * it is another version, steps whose way began there are lost. */
void steps_settle(struct steps *s, const struct tree *now, uint64_t version);
/* Those behind an entry go; the last one that is left gets its tree. The newest has its own. */
void steps_cut(struct steps *s, int64_t seq);
/* The state behind the newest one is not one of a later step any more. */
void steps_end(struct steps *s);
/* The latest one at or before an entry, with its tree, for step_done(). *known: there is one,
 * though perhaps without memory for its tree. */
bool steps_find(struct steps *s, int64_t seq, struct step *ret, bool *known);

#endif
