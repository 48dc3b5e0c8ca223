/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the crash test expects of the worlds: each a set of numbers (three people a number) and a
 * list of numbers (its journal). The killed process and the one that checks apply the same records
 * to it.
 */
#ifndef SOSIA_TESTS_CRASH_MODEL_H
#define SOSIA_TESTS_CRASH_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { THREADS = 4, SHARED = THREADS }; /* owner of worlds that every thread adds to */

enum op {
    OP_ADD,   /* number */
    OP_NOTE,  /* a journal entry: number */
    OP_CLOCK, /* set to the number */
    OP_RESET,
    OP_RESET_TO, /* other */
    OP_DROP,
    OP_CREATE,   /* with number; made */
    OP_FORK,     /* made */
    OP_SNAPSHOT, /* made */
    N_OPS
};

/* Goes through the pipe twice: before the operation is begun, and when it has returned. */
struct record {
    uint8_t done, op, thread;
    int8_t rc;
    uint32_t number;
    uint64_t world, other, made;
};

struct numbers {
    uint32_t *v;
    size_t n, cap;
};

struct expected {
    struct expected *next;
    uint64_t id;
    int owner;
    bool snapshot, seen;
    struct numbers now, start, journal;
    int64_t clock, start_clock;
};

struct model {
    struct expected *first;
};

void numbers_add(struct numbers *s, uint32_t v); /* keeps them sorted */
void numbers_copy(struct numbers *to, const struct numbers *from);
bool numbers_equal(const struct numbers *a, const struct numbers *b);
bool numbers_have(const struct numbers *s, uint32_t v);

struct expected *model_find(const struct model *m, uint64_t id);
/* An operation that took place. */
void model_apply(struct model *m, const struct record *r);
/* A copy of a world's expectation, to try an operation on: a model of its own. */
void model_copy_world(struct model *to, const struct expected *from);
void model_done(struct model *m);

#endif
