/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks whether a suite can be trusted. The empty agent must earn nothing and the reference
 * actions everything; mutants of them (an action left out, done twice or done to something else, a
 * value or a person changed, something done besides) must not be passed; and an assertion that
 * holds whatever is done says nothing.
 */
#ifndef SOSIA_GRADING_LINT_H
#define SOSIA_GRADING_LINT_H

#include "grading/suite.h"

struct lint_options {
    /* Gives a snapshot of a fixture, whose clock is frozen. */
    int (*fixture)(void *arg, const char *name, uint64_t *ret_world, struct sosia_err *err);
    void *arg;
    const char *task; /* only this one; NULL: all */
};

/* What it found (JSON), and whether all is well: every task's empty agent earns 0, its reference
 * actions 1, no assertion holds throughout, and of all mutants at least 95 in 100 are not passed.
 * INVALID "suite" where the reference actions can't be made, NOT_FOUND "taskNotFound". */
int suite_lint(struct sosia_engine *e, const struct sosia_suite *s, const struct lint_options *opt,
               struct sosia_blob *ret_json, bool *ret_good, struct sosia_err *err);

#endif
