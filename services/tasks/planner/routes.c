/* SPDX-License-Identifier: Apache-2.0 */
/* Planner by Microsoft Graph: the tables of its methods. */
#include "services/tasks/planner/rows.h"

static const struct gloss glossary[] = {
    {"$expand", "Related things that are answered too: details"},
    {"$filter", "Of which group: owner eq '{group-id}'"},
    {"$select", "Only these properties"},
    {"$skiptoken", "Of the nextLink of the page before"},
    {"If-Match", "The @odata.etag of the thing, as it was read last; it must be given"},
    {"group-id", "The id of a group"},
    {"plannerBucket-id", "The id of a bucket"},
    {"plannerPlan-id", "The id of a plan"},
    {"plannerTask-id", "The id of a task"},
    {"user-id", "The id of a user, or the user principal name"},
};

static const struct graph_api api = {.workload = GRAPH_PLANNER};

const struct dialect planner_dialect = {
    .name = "tasks.planner",
    .title = "Microsoft Planner (Microsoft Graph)",
    .vendor = &microsoft_vendor,
    .tables = TABLES(&planner_plan_rows, &planner_bucket_rows, &planner_task_rows,
                     &planner_detail_rows, &planner_board_rows),
    .schemas = graph_schemas,
    .n_schemas = GRAPH_SCHEMAS,
    .glossary = glossary,
    .n_glossary = SOSIA_LEN(glossary),
    .rates = graph_directory_rates,
    .summary = "Plans of groups, buckets, tasks",
    .facts = &api,
    .tools = &planner_tools,
};
