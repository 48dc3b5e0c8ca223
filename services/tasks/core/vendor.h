/* SPDX-License-Identifier: Apache-2.0 */
/* What a vendor lays down for the core of tasks: a dialect's core names its record among its
 * policies (engine/world/core.h). */
#ifndef SOSIA_TASKS_VENDOR_H
#define SOSIA_TASKS_VENDOR_H

#include "services/tasks/core/tasks.h"

enum task_thing {
    TASK_THING_LIST,
    TASK_THING_TASK, /* of a list */
    TASK_THING_ITEM,
    TASK_THING_LINK,
    TASK_THING_PLAN,
    TASK_THING_BUCKET,
    TASK_THING_PLANNED, /* a task of a plan */
    TASK_THINGS
};
struct task_vendor {
    /* A new key, in the arena; NULL: failed. */
    const char *(*key)(struct tx *tx, enum task_thing thing);
    /* The key of a list that every account has, which follows from the account. */
    const char *(*usual_key)(struct tx *tx, int64_t account, enum task_list_kind kind);
    const char *names[3]; /* of lists by their kinds; NULL: accounts have none of the kind */
    /* A place for what comes now, in front of those of earlier times; NULL: there is none. */
    const char *(*place)(struct tx *tx);
    bool plans; /* its groups have plans */
    /* What a task of a list, or a list (t NULL), wholly follows from, as diffs name it (struct
     * entity_about): 1, 0: it is there by itself, -1. NULL: all are. */
    int (*source)(struct tx *tx, const struct task_list *list, const struct task *t,
                  const char **ret);
};
/* That of an account; of those whose groups have plans. Never NULL. */
const struct task_vendor *task_vendor_of(struct tx *tx, int64_t account);
const struct task_vendor *task_vendor_of_plans(struct tx *tx);

#endif
