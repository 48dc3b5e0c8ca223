/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A report: one episode as one page. It has the verdict with its parts, what was unexpected and by
 * which call, what changed, the calls with their changes, files, what it has cost, and what
 * policies decided.
 */
#ifndef SOSIA_CONSOLE_REPORT_H
#define SOSIA_CONSOLE_REPORT_H

#include "engine/base/arena.h"
#include "engine/base/buf.h"
#include "engine/json/json.h"
#include "sosia.h"

/* An entry of the journal. */
struct report_call {
    int64_t seq;
    const struct json *entry;
    const struct json *did; /* what it changed, as a diff; NULL: nothing, or it is not known */
};

struct report_fact {
    const char *name, *value;
};
#define REPORT_FACTS 12

/* What there is of an episode; what is NULL or 0 is not shown. */
struct report {
    const char *title;
    struct report_fact facts[REPORT_FACTS];
    size_t n_facts;
    const struct json *task; /* of a suite: id, prompt, actor, ... */
    const char *answer;      /* what the agent said at the end, */
    size_t answer_len;
    const char *output; /* and all that it printed */
    size_t output_len;
    const struct json *verdict;
    const struct json *diff;
    struct report_call *calls;
    size_t n_calls;
    int64_t calls_more;         /* that it has no room for */
    const char *steps_missing;  /* why it is not known of some calls what they changed */
    const struct json *trouble; /* faults and budgets, as the control interface has them */
};

void episode_write(const struct report *r, struct buf *out);

/* ---- episode.c ---- */

#define REPORT_CALLS 5000 /* entries of the journal that a report reads, */
#define REPORT_STEPS 500  /* and of how many of them it says what they changed */

struct report_options {
    uint64_t from;                          /* the state before; 0: what the world resets to */
    const struct sosia_suite *suite;        /* NULL: nothing is judged */
    const char *task;                       /* as sosia_grade() */
    const struct sosia_grade_options *said; /* NULL: nothing was */
};

/* Reads a world's episode; all that *ret has is in the arena, or the options'. */
int episode_read(struct sosia_engine *engine, uint64_t world, const struct report_options *opt,
                 struct arena *a, struct report *ret, struct sosia_err *err);
/* The same of an exported journal (JSON Lines), whose text stays where it is: its entries alone.
 * INVALID with the line that is none. */
int episode_lines(struct arena *a, const char *text, size_t len, struct report *ret,
                  struct sosia_err *err);
/* What the calls of a world's journal changed, of all that the report has; what can't be said is
 * noted. */
void episode_steps(struct sosia_engine *engine, uint64_t world, struct arena *a,
                   struct report *ret);
/* What all did: by the options' suite with a verdict. */
int episode_outcome(struct sosia_engine *engine, uint64_t world, const struct report_options *opt,
                    struct arena *a, struct report *ret, struct sosia_err *err);
/* The numbers of the last entry before an episode, and of its last one. */
int episode_extent(struct sosia_engine *e, uint64_t world, struct arena *a, uint64_t from,
                   int64_t *ret_after, int64_t *ret_last, struct sosia_err *err);
void episode_fact(struct report *r, const char *name, const char *value); /* NULL: none */
/* A JSON text in the arena. */
int episode_json(struct arena *a, const char *text, size_t len, const struct json **ret,
                 struct sosia_err *err);

#endif
