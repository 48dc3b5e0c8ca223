/* SPDX-License-Identifier: Apache-2.0 */
/* The list of flagged mail, whose tasks are messages. */
#ifndef SOSIA_TODO_FLAGGED_H
#define SOSIA_TODO_FLAGGED_H

#include "services/tasks/todo/todo.h"

extern const struct sosia_core tasks_flagged_core;

/* The task of a message was changed: its flag says the same. 0, also of other tasks; -1. */
int todo_flag_follows(struct todo_at *at);
/* It is being deleted: its message has no flag any more. 0, -1. */
int todo_flag_goes(struct todo_at *at);

/* What the task of a message, or the list (t NULL), follows from in diffs (task_vendor). */
int todo_source(struct tx *tx, const struct task_list *list, const struct task *t,
                const char **ret);

#endif
