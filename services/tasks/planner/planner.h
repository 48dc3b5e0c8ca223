/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Planner by Microsoft Graph, on the core of tasks: plans of groups of Microsoft 365, buckets,
 * tasks with their details and their places on boards. Who is in the group does everything. Changes
 * and deletions name the etag that they go by.
 */
#ifndef SOSIA_PLANNER_H
#define SOSIA_PLANNER_H

#include "services/tasks/core/tasks.h"
#include "vendors/microsoft/directory/directory.h"
#include "vendors/microsoft/graph.h"
#include "vendors/microsoft/query.h"

extern const struct dialect planner_dialect;
extern const struct dialect_tools planner_tools;

enum {
    PLANNER_PAGE = 400,
    PLANNER_PLANS = 200, /* of a group */
    PLANNER_BUCKETS = 200,
    PLANNER_TASKS = 9000,
    PLANNER_PEOPLE = 20,
    PLANNER_ITEMS = 20,
    PLANNER_LINKS = 10,
    PLANNER_LABELS = 25
};

/* ---- at.c: who calls, what the path names ---- */

struct planner_at {
    struct call *c;
    int64_t tenant;
    struct ms_user me; /* id 0: an app */
    const char *app;   /* its client id; NULL: none */
    struct task_plan plan;
    struct ms_group group; /* of the plan */
    struct task_bucket bucket;
    struct task task;
    struct odata_query q;
    /* Whose ids were looked up last. */
    int64_t known_actor;
    const char *known_oid;
};
int planner_open(struct call *c, struct planner_at *ret);
/* What the path names, of a plan that the caller may see. 0, -1. */
int planner_plan(struct planner_at *at);
int planner_bucket(struct planner_at *at);
int planner_task(struct planner_at *at);
/* The same by an id, of a body. */
int planner_plan_by(struct planner_at *at, const char *id);
/* Is the caller in the group, or an app of its tenant? 1, 0, -1. */
int planner_in_group(struct planner_at *at, const struct ms_group *g);
/* The object id of an actor, in the caller's tenant; NULL: it has none, or failed. */
const char *planner_oid(struct planner_at *at, int64_t actor);

/* Refusals. All give -1. */
int planner_bad(struct call *c, const char *text);
int planner_invalid(struct call *c, const char *entity, const char *field, const char *text);
int planner_full(struct call *c, const char *limit);

/* ---- etag.c ---- */

enum planner_thing {
    PLANNER_PLAN,
    PLANNER_BUCKET,
    PLANNER_TASK,
    PLANNER_PLAN_DETAILS,
    PLANNER_TASK_DETAILS,
    PLANNER_BOARD_PEOPLE,
    PLANNER_BOARD_BUCKETS,
    PLANNER_BOARD_PROGRESS
};
const char *planner_etag(struct arena *a, enum planner_thing thing, int64_t version);
/* The call's If-Match, which must be there and be that of the thing now. 0, -1. */
int planner_if_match(struct call *c, enum planner_thing thing, int64_t version);
/* Is the thing to be answered when it was changed? Says so in Preference-Applied, and sets the
 * status. */
bool planner_answers(struct call *c);

/* ---- hint.c: order hints ---- */

/* The place that a hint means ("A B!"), in the arena. 0, -1: refused. */
int planner_hint(struct call *c, const char *text, const char **ret);
/* A place in front of another one ("": there is none), as those of what comes now are. In the
 * arena. */
const char *planner_front(struct call *c, const char *first);
/* That of a member of a body, if it is there. 0, -1. */
int planner_read_hint(struct call *c, const struct json *body, const char *member,
                      const char **ret);

/* ---- write.c ---- */

void planner_write_plan(struct planner_at *at, const struct task_plan *plan);
void planner_write_bucket(struct planner_at *at, const struct task_bucket *b);
int planner_write_task(struct planner_at *at, const struct task *t);
/* The same of what $expand asks for. */
int planner_write_expanded(struct planner_at *at, const struct task *t);
int planner_write_details(struct planner_at *at, const struct task *t);
int planner_write_plan_details(struct planner_at *at, const struct task_plan *plan);
/* The plan's key of a task, and its bucket's (NULL: none). 0, -1. */
int planner_keys(struct planner_at *at, const struct task *t, const char **ret_plan,
                 const char **ret_bucket);

/* ---- read.c ---- */

/* The members of a body over those of a task; people are put down by planner_put_people(), when
 * the task is there. 0, -1. */
int planner_read_task(struct planner_at *at, const struct json *body, struct task *t);
int planner_put_people(struct planner_at *at, const struct json *body, struct task *t);
/* Description, preview, steps and links. 0, -1. */
int planner_read_details(struct planner_at *at, const struct json *body, struct task *t);

/* A page of a list: things are given by next(), behind the last id; 1, 0, -1. */
typedef int planner_next_fn(void *arg, int64_t after, int64_t *ret_id);
typedef int planner_write_fn(void *arg);
int planner_answer_list(struct planner_at *at, const char *type, planner_next_fn *next,
                        planner_write_fn *write, void *arg);
/* The options of one thing, before it is written. 0, -1. */
int planner_select(struct planner_at *at, const char *type);
/* The call's options; $filter and $orderby are refused. 0, -1. */
int planner_options(struct planner_at *at, const char *type);

extern const struct rows planner_plan_rows, planner_bucket_rows, planner_task_rows,
    planner_detail_rows, planner_board_rows;

#endif
