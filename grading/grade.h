/* SPDX-License-Identifier: Apache-2.0 */
/* A verdict on two states that are no worlds. */
#ifndef SOSIA_GRADING_GRADE_H
#define SOSIA_GRADING_GRADE_H

#include "engine/world/engine.h"
#include "grading/suite.h"

/* Whether a task is judged by calls that were made, and not by what they led to alone. */
bool task_asks_calls(const struct task *t);
/* Whether a task, which does not ask for calls, is passed by what leads from one state of a world
 * to a later one, whose clock shows now_us. said: NULL: nothing was. What was done and undone
 * between them is not judged. 0, -1. */
int grade_states(struct sosia_engine *e, const struct sosia_suite *s, const struct task *t,
                 uint64_t world, const struct tree *from, const struct tree *to, int64_t now_us,
                 const struct sosia_grade_options *said, bool *ret_passed, struct sosia_err *err);

#endif
