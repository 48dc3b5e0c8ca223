/* SPDX-License-Identifier: Apache-2.0 */
/* Tasks of plans. */
#include "services/tasks/planner/rows.h"

/* ---- lists ---- */

struct tasks {
    struct planner_at *at;
    struct ms_user user;
    struct task task;
    int (*next)(struct tx *tx, int64_t of, int64_t after, struct task *ret);
    int64_t of;
};

/* A task is seen by who is in the group of its plan. 1, 0, -1. */
static int is_seen(struct tasks *t)
{
    struct planner_at *at = t->at;
    struct ms_group g;
    if (!t->task.plan || t->next != task_next_assigned)
        return t->task.plan != 0;
    if (task_plan_get(&at->c->tx, t->task.plan, &at->plan) != 1)
        return -1;
    int r = ms_group_of(&at->c->tx, at->plan.team, &g);
    return r == 1 ? planner_in_group(at, &g) : r;
}

static int next_task(void *arg, int64_t after, int64_t *ret_id)
{
    struct tasks *t = arg;
    int r;
    while ((r = t->next(&t->at->c->tx, t->of, after, &t->task)) == 1) {
        after = *ret_id = t->task.id;
        r = is_seen(t);
        if (r)
            return r;
    }
    return r;
}

static int write_task(void *arg)
{
    struct tasks *t = arg;
    return planner_write_task(t->at, &t->task) < 0 ? -1 : planner_write_expanded(t->at, &t->task);
}

static int list(struct planner_at *at, struct tasks *t)
{
    return planner_options(at, "plannerTask") < 0
               ? -1
               : planner_answer_list(at, "plannerTask", next_task, write_task, t);
}

static int plan_tasks(struct call *c)
{
    struct planner_at at;
    struct tasks t = {.at = &at, .next = task_next_planned};
    if (planner_open(c, &at) < 0 || planner_plan(&at) < 0)
        return -1;
    t.of = at.plan.id;
    return list(&at, &t);
}

static int bucket_tasks(struct call *c)
{
    struct planner_at at;
    struct tasks t = {.at = &at, .next = task_next_in};
    if (planner_open(c, &at) < 0 || planner_bucket(&at) < 0)
        return -1;
    t.of = at.bucket.id;
    return list(&at, &t);
}

static int my_tasks(struct call *c)
{
    const char *named = param_str(c, "user-id");
    struct planner_at at;
    struct tasks t = {.at = &at, .next = task_next_assigned};
    if (planner_open(c, &at) < 0)
        return -1;
    t.user = at.me;
    int r = named ? ms_user_find(&c->tx, named, at.tenant, &t.user) : at.me.id != 0;
    if (r != 1)
        return r < 0 ? -1 : graph_not_found(c);
    if (at.me.id && t.user.id != at.me.id)
        return graph_denied(c);
    t.of = t.user.actor;
    return list(&at, &t);
}

/* ---- one ---- */

static int answer_task(struct planner_at *at)
{
    struct call *c = at->c;
    if (planner_select(at, "plannerTask") < 0)
        return -1;
    json_obj(c->out, NULL);
    graph_context(c, "planner/tasks%s/$entity", odata_context(c->tx.arena, &at->q));
    int r = planner_write_task(at, &at->task);
    if (r == 0)
        r = planner_write_expanded(at, &at->task);
    json_end(c->out);
    c->etag = planner_etag(c->tx.arena, PLANNER_TASK, at->task.version);
    return r;
}

static int task_get_one(struct call *c)
{
    struct planner_at at;
    return planner_open(c, &at) < 0 || planner_task(&at) < 0 ? -1 : answer_task(&at);
}

static int task_create(struct call *c)
{
    const struct json *body, *details;
    int64_t buckets, tasks;
    struct planner_at at;
    if (planner_open(c, &at) < 0 || !(body = call_body(c)))
        return -1;
    const char *plan = json_get_str(body, "planId");
    if (!plan)
        return planner_invalid(c, "Task", "PlanId",
                               "A non-null value must be specified for this field.");
    if (planner_plan_by(&at, plan) < 0 ||
        task_plan_counts(&c->tx, at.plan.id, &buckets, &tasks) < 0)
        return -1;
    if (tasks >= PLANNER_TASKS)
        return planner_full(c, "MaximumTasksInProject");
    at.task = (struct task){.plan = at.plan.id,
                            .notes = "",
                            .priority = TASK_PRIORITY_USUAL,
                            .creator = c->tx.actor,
                            .app = at.app};
    if (planner_read_task(&at, body, &at.task) < 0 || task_add(&c->tx, &at.task) < 0 ||
        planner_put_people(&at, body, &at.task) < 0)
        return -1;
    details = json_get(body, "details");
    if (details && details->type == JSON_OBJECT &&
        (planner_read_details(&at, details, &at.task) < 0 || task_save(&c->tx, &at.task, 0) < 0))
        return -1;
    graph_created(c, arena_printf(c->tx.arena, "/planner/tasks('%s')", at.task.key));
    return answer_task(&at);
}

static int task_update(struct call *c)
{
    const struct json *body;
    struct planner_at at;
    if (planner_open(c, &at) < 0 || planner_task(&at) < 0 ||
        planner_if_match(c, PLANNER_TASK, at.task.version) < 0 || !(body = call_body(c)) ||
        planner_read_task(&at, body, &at.task) < 0 || planner_put_people(&at, body, &at.task) < 0 ||
        task_save(&c->tx, &at.task, TASK_ITSELF) < 0)
        return -1;
    return planner_answers(c) ? answer_task(&at) : 0;
}

static int task_delete(struct call *c)
{
    struct planner_at at;
    if (planner_open(c, &at) < 0 || planner_task(&at) < 0 ||
        planner_if_match(c, PLANNER_TASK, at.task.version) < 0)
        return -1;
    c->status = 204;
    return task_drop(&c->tx, &at.task);
}

/* ---- rows ---- */

#define TYPE    "microsoft.graph.plannerTask"
#define OPTIONS OPTION("expand"), OPTION("select")
static const struct param plan_params[] = {KEY("plannerPlan-id"), OPTIONS, OPTION("skiptoken")};
static const struct param bucket_params[] = {KEY("plannerBucket-id"), OPTIONS, OPTION("skiptoken")};
static const struct param my_params[] = {
    {.name = "user-id", .place = IN_PATH}, OPTIONS, OPTION("skiptoken")};
static const struct param get_params[] = {KEY("plannerTask-id"), OPTIONS};
static const struct param params[] = {KEY("plannerTask-id"), IF_MATCH};
static const struct route methods[] = {
    ROW("planner.plans.tasks.list", GET, (GRAPH(PLAN "/tasks")), plan_tasks, RISK_READ, plan_params,
        .scopes = READ, .response = TYPE "CollectionResponse", .summary = "Tasks of a plan"),
    ROW("planner.buckets.tasks.list", GET, (GRAPH(BUCKET "/tasks")), bucket_tasks, RISK_READ,
        bucket_params, .scopes = READ, .response = TYPE "CollectionResponse",
        .summary = "Tasks in a bucket"),
    ROW("planner.users.tasks.list", GET, (GRAPH_MY("/planner/tasks")), my_tasks, RISK_READ,
        my_params, .scopes = READ, .response = TYPE "CollectionResponse",
        .summary = "Tasks that a user shall do"),
    ROW("planner.tasks.get", GET, (GRAPH(TASK)), task_get_one, RISK_READ, get_params,
        .scopes = READ, .response = TYPE, .summary = "One task of a plan"),
    {ROUTE("planner.tasks.create", POST, GRAPH(TASKS)), .handler = task_create, .risk = RISK_WRITE,
     .scopes = WRITE, .body = BODY_JSON, .request = TYPE, .response = TYPE, .status = 201,
     .summary = "Make a task in a plan"},
    ROW("planner.tasks.update", PATCH, (GRAPH(TASK)), task_update, RISK_WRITE, params,
        .scopes = WRITE, .body = BODY_JSON, .request = TYPE, .response = TYPE,
        .summary = "Change a task of a plan, its progress, or who shall do it"),
    ROW("planner.tasks.delete", DELETE, (GRAPH(TASK)), task_delete, RISK_DESTRUCTIVE, params,
        .scopes = WRITE, .status = 204, .summary = "Delete a task of a plan"),
};
const struct rows planner_task_rows = ROWS(methods);
