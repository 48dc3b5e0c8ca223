/* SPDX-License-Identifier: Apache-2.0 */
/* The actions of a task as calls, and what a reference says at the end. */
#ifndef SOSIA_GRADING_ACTS_H
#define SOSIA_GRADING_ACTS_H

#include "grading/suite.h"

#define SAVED_MAX 32 /* values of one run */

/* One who makes them, with the values of answers that later ones use. */
struct acts {
    struct sosia_engine *engine;
    struct arena *arena;
    struct sosia_err *err;
    struct predicate_context c;
    struct variable saved[SAVED_MAX];
};
void acts_init(struct acts *x, struct sosia_engine *e, struct arena *a, struct sosia_err *err);
/* Makes an action's call, which is not one that waits; body and mail as they are to be sent, those
 * of the action or others. 1; 0: it names a value that was not saved; -1. */
int acts_call(struct acts *x, uint64_t world, const struct action *a, const struct json *body,
              const struct json *mail, struct sosia_response **ret);
/* Whether it was answered as the action says: with its status, or with success. */
bool acts_good(const struct action *a, const struct sosia_response *r);
void acts_save(struct acts *x, const struct action *a, const struct sosia_response *r);

/* Judgements as the reference would have them (JSON), of assertions that are to hold or not. */
const char *task_judgements(struct arena *a, const struct task *t);

#endif
