/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tasks in the core's own terms, for programs that look at a world and not at a vendor's API: a
 * person's lists, the plans of the person's groups, and what is in them. What is written is JSON;
 * ids are the vendor's.
 */
#ifndef SOSIA_TASKS_SHOW_H
#define SOSIA_TASKS_SHOW_H

#include "engine/state/found.h"
#include "sosia.h"

/* Whose: a handle or an address, and, of a person with accounts of several, the vendor (NULL: the
 * first that has tasks). */
struct task_shown {
    const char *actor, *vendor;
    const char *list, *plan; /* of tasks: in which; neither: those the person shall do in plans */
    bool open;               /* only those that are not completed */
    const char *task;        /* of one */
    int64_t offset, limit;
};

/* {"vendor", "vendors", "lists": [{"id", "name", "kind", "total", "open"}], "plans": [{"id",
 * "name", "team", "buckets": [{"id", "name"}], "total", "open"}], "assigned"}. A plan is the
 * person's who is in its group, or has something to do there. All: NOT_FOUND "tasksNotFound". */
int task_show_lists(struct sosia_engine *e, uint64_t world, const struct task_shown *shown,
                    struct sosia_blob *ret_json, struct sosia_err *err);
/* {"total", "rows", "next"}; of a list what is open first and the newest first; of a plan by its
 * buckets and the order in them; of what the person shall do what is due first. NOT_FOUND
 * "listNotFound", "planNotFound". */
int task_show_tasks(struct sosia_engine *e, uint64_t world, const struct task_shown *shown,
                    struct sosia_blob *ret_json, struct sosia_err *err);
/* A row's members, and notes, steps, links and people. NOT_FOUND "taskNotFound". */
int task_show_task(struct sosia_engine *e, uint64_t world, const struct task_shown *shown,
                   struct sosia_blob *ret_json, struct sosia_err *err);

/* By title and notes, the newest first. */
found_fn task_found;

#endif
