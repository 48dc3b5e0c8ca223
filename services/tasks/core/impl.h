/* SPDX-License-Identifier: Apache-2.0 */
/* Within the core of tasks. */
#ifndef SOSIA_TASKS_IMPL_H
#define SOSIA_TASKS_IMPL_H

#include "engine/state/stored.h"
#include "engine/world/event.h"
#include "services/tasks/core/vendor.h"

/* A number that documents don't have. */
#define TASK_COLUMN(type, field)                                                                   \
    {                                                                                              \
        .kind = MEMBER_INT, MEMBER_TYPED(type, field, int64_t)                                     \
    }

/* The number of the next change. 0, -1. */
int task_change_number(struct tx *tx, int64_t *ret);
/* Something is not there any more; list 0: it was a list. */
int task_gone_add(struct tx *tx, int64_t account, int64_t list, const char *key, int64_t made);

/* list.c: the account of the member "person"; and such a member of an account. */
int task_doc_account(const struct form_in *in, int64_t *ret);
/* Are they objects by their names, and not too much? NULL: yes. */
bool task_kept_good(struct arena *a, const char *kept);
int task_write_person(struct tx *tx, struct json_writer *w, const char *member, int64_t account);

/* part.c, file.c: steps, links, people and files, as documents have them. */
extern const struct form task_item_form, task_link_form, task_assignment_form, task_file_form;
int task_write_items(const struct form_out *out, const struct member *m, const void *row);
int task_write_links(const struct form_out *out, const struct member *m, const void *row);
int task_write_files(const struct form_out *out, const struct member *m, const void *row);
int task_write_assignments(const struct form_out *out, const struct member *m, const void *row);
/* Puts down those of a task's document. 0, -1. */
int task_parts_add(struct tx *tx, struct task *task);
/* file.c: those of a task's document. 0, -1. */
int task_files_add(struct tx *tx, struct task *task);
int task_files_check(const struct form_in *in, const struct task *task);
/* Are there two of one name among them? */
int task_parts_check(const struct form_in *in, const struct task *task);

extern const struct reference task_plan_reference, task_bucket_reference; /* plan.c */

#endif
