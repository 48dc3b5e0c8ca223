/* SPDX-License-Identifier: Apache-2.0 */
/* Tasks of people, whatever the vendor: lists and plans, what is in them, one task. */
#include "services/tasks/core/show.h"
#include "server/control/operation.h"
#include "server/control/parameters.h"
#include <string.h>

typedef int show_fn(struct sosia_engine *e, uint64_t world, const struct task_shown *shown,
                    struct sosia_blob *ret_json, struct sosia_err *err);

static int answer_with(struct call *call, show_fn *show)
{
    struct control_call *c = control_of(call);
    const struct task_shown shown = {.actor = control_text(c, "actor"),
                                     .vendor = control_text(c, "vendor"),
                                     .list = control_text(c, "list"),
                                     .plan = control_text(c, "plan"),
                                     .open = control_number(c, "open", 0) != 0,
                                     .task = control_text(c, "task"),
                                     .offset = control_number(c, "offset", 0),
                                     .limit = control_number(c, "limit", 100)};
    struct sosia_blob json;
    if (shown.list && shown.plan)
        return control_fail(c, "plan", "must not be there beside list");
    if (show(c->engine, c->world, &shown, &json, &c->err) < 0)
        return -1;
    server_answer_blob(c->response, 200, &json);
    return 0;
}

static int lists_list(struct call *call)
{
    return answer_with(call, task_show_lists);
}

static int tasks_list(struct call *call)
{
    return answer_with(call, task_show_tasks);
}

static int task_read(struct call *call)
{
    return answer_with(call, task_show_task);
}

/* ---- rows ---- */

#define OF(title, says)                                                                            \
    {                                                                                              \
        .name = (title), .place = IN_QUERY, .type = PARAM_STRING, .max = 400, .summary = (says)    \
    }

static const struct param list_params[] = {
    WHOSE,
    OF("list", "The \"id\" of one of the person's lists"),
    OF("plan", "The \"id\" of one of the person's plans; without both, what the person shall do in "
               "plans"),
    {.name = "open",
     .place = IN_QUERY,
     .type = PARAM_BOOL,
     .summary = "Only those that are not completed"},
    {.name = "offset",
     .place = IN_QUERY,
     .type = PARAM_INT,
     .max = 1000000000,
     .summary = "How many are left out at first"},
    {.name = "limit",
     .place = IN_QUERY,
     .type = PARAM_INT,
     .min = 1,
     .max = 500,
     .summary = "How many at most; 100 without it"}};
static const struct param task_params[] = {WHOSE, PLACE("task", 400, "Its \"id\" in lists")};

static const struct route routes[] = {
    {ROUTE("tasks.lists", GET, "/worlds/{world}/tasks/{actor}/lists"), .outside = true,
     .risk = RISK_READ, .summary = "Somebody's lists of tasks, and the plans of somebody's groups",
     .handler = lists_list, .pace = PACE_SLOW, PARAMS(whose_params), .status = 200,
     .response = "TaskLists"},
    {ROUTE("tasks.list", GET, "/worlds/{world}/tasks/{actor}/tasks"), .outside = true,
     .risk = RISK_READ,
     .summary = "The tasks of a list or a plan, or what somebody shall do, from any place on",
     .handler = tasks_list, .pace = PACE_SLOW, PARAMS(list_params), .status = 200,
     .response = "Tasks"},
    {ROUTE("tasks.get", GET, "/worlds/{world}/tasks/{actor}/tasks/{task}"), .outside = true,
     .risk = RISK_READ, .summary = "A task: notes, steps, links, people", .handler = task_read,
     .pace = PACE_SLOW, PARAMS(task_params), .status = 200, .response = "Task"},
};

const struct rows control_tasks_rows = ROWS(routes);
