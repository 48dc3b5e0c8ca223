/* SPDX-License-Identifier: Apache-2.0 */
/* What a task is judged by: the changes, the calls and the state that an agent left behind. */
#ifndef SOSIA_GRADING_EPISODE_H
#define SOSIA_GRADING_EPISODE_H

#include "grading/diff.h"
#include "grading/suite.h"

/* A change as assertions see it; from and to are objects, NULL: not there. */
struct row {
    enum row_change kind;
    const char *entity;
    const char *services[2]; /* the vendor's word and the core's; NULL: not said */
    const struct json *from, *to;
    const struct change *change; /* NULL: of a diff that was given as a document */
    bool consequence;
};

struct episode {
    const struct task *task;
    struct predicate_context c; /* its arena is empty again after each question */
    struct arena *kept;         /* of what is given out */
    struct sosia_err *err;
    const struct row *rows;
    size_t n;
    const struct json *calls;      /* a list of objects; NULL: none is needed */
    const struct json *answer;     /* what was said at the end, a text; NULL: nothing */
    const struct json *judgements; /* of others, by name: an object; NULL: none */
    struct tx *tx;                 /* of the state; NULL: there is none */
    bool silent;                   /* nobody asks why something does not hold */
    bool *guard;                   /* by assertion's number: it holds where nothing was done */
    bool finds_guards;             /* which is being found out */
    int64_t sql_ns;                /* that questions in SQL may take of a processor yet */
    bool failed;                   /* there was no memory for a question */
    bool full;                     /* nor would there ever be: it needs more than it may have */
    const char *title;             /* of the thing of the state that is being looked at */
};

struct verdict {
    bool passed;
    bool cut;     /* what it asks takes too many steps to be answered */
    double score; /* 0 to 1 */
    int64_t n;    /* how many matched */
    const char *why;
};

/* Judges an assertion; covered (of ep->n) gets true for the changes that it explains. -1: the state
 * can't be looked at. */
int episode_judge(struct episode *ep, const struct assertion *a, struct verdict *ret,
                  bool *covered);
/* Whether something that the task allows explains a change. */
bool episode_allows(struct episode *ep, const struct row *row);
/* Calls fn for each thing that matches an assertion over changes, state or calls, until it gives
 * non-zero, and gives that; -1 on failure. A value of the state is gone after fn. */
int episode_matches(struct episode *ep, const struct assertion *a,
                    int (*fn)(void *arg, const struct json *value, size_t row), void *arg);
/* A copy of a value in an arena; NULL without memory. */
const struct json *value_copy(struct arena *a, const struct json *v, struct sosia_err *err);
/* Whether a call is one that the task allows, or that an assertion which holds asks for; v: of the
 * assertions. */
bool episode_allows_call(struct episode *ep, const struct verdict *v, const struct json *call);
/* answer.c: assertions about what was said at the end, and what others make of it. */
int episode_read_options(struct episode *ep, const struct sosia_grade_options *opt);
int episode_judge_answer(struct episode *ep, const struct assertion *a, struct verdict *v);
/* program.c: what a program says by its exit status. PRECONDITION "noPrograms": none can be run. */
int episode_judge_program(struct episode *ep, const struct assertion *a, struct verdict *v);
/* near.c: of an assertion over changes, state or calls that failed, "near", the closest misses, or,
 * where it failed since too much matches, "matched"; nothing where there is none. -1 as above. */
int episode_near(struct episode *ep, const struct assertion *a, bool too_many,
                 struct json_writer *w);

#endif
