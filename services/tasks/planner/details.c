/* SPDX-License-Identifier: Apache-2.0 */
/* Details of tasks: the description, steps and links. */
#include "services/tasks/planner/rows.h"

static int answer_task_details(struct planner_at *at)
{
    struct call *c = at->c;
    if (planner_select(at, "plannerTaskDetails") < 0)
        return -1;
    json_obj(c->out, NULL);
    graph_context(c, "planner/tasks%s/details%s/$entity", graph_key(c->tx.arena, at->task.key),
                  odata_context(c->tx.arena, &at->q));
    int r = planner_write_details(at, &at->task);
    json_end(c->out);
    c->etag = planner_etag(c->tx.arena, PLANNER_TASK_DETAILS, at->task.detail_version);
    return r;
}

static int task_details_get(struct call *c)
{
    struct planner_at at;
    return planner_open(c, &at) < 0 || planner_task(&at) < 0 ? -1 : answer_task_details(&at);
}

/* The task has another version too: it says how many steps and links there are. */
static int task_details_update(struct call *c)
{
    const struct json *body;
    struct planner_at at;
    if (planner_open(c, &at) < 0 || planner_task(&at) < 0 ||
        planner_if_match(c, PLANNER_TASK_DETAILS, at.task.detail_version) < 0 ||
        !(body = call_body(c)) || planner_read_details(&at, body, &at.task) < 0 ||
        task_save(&c->tx, &at.task, TASK_ITSELF | TASK_DETAILS) < 0)
        return -1;
    return planner_answers(c) ? answer_task_details(&at) : 0;
}

#define TYPE "microsoft.graph.plannerTaskDetails"
static const struct param get_params[] = {KEY("plannerTask-id"), OPTION("select")};
static const struct param params[] = {KEY("plannerTask-id"), IF_MATCH};
static const struct route methods[] = {
    ROW("planner.tasks.details.get", GET, (GRAPH(TASK "/details")), task_details_get, RISK_READ,
        get_params, .scopes = READ, .response = TYPE,
        .summary = "A task's description, steps and links"),
    ROW("planner.tasks.details.update", PATCH, (GRAPH(TASK "/details")), task_details_update,
        RISK_WRITE, params, .scopes = WRITE, .body = BODY_JSON, .request = TYPE, .response = TYPE,
        .summary = "Change a task's description, steps and links"),
};
const struct rows planner_detail_rows = ROWS(methods);
