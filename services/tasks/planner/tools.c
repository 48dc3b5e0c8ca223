/* SPDX-License-Identifier: Apache-2.0 */
/* What models find of Planner: short arguments. */
#include "services/tasks/planner/planner.h"

#define ANY_SERVICE (ACCOUNT_MAIL | ACCOUNT_CALENDAR | ACCOUNT_DRIVE | ACCOUNT_CHAT)

static const struct tool_common common[] = {
    {"planner.users.plans.list", ""},
    {"planner.groups.plans.list", ""},
    {"planner.plans.get", "$expand"},
    {"planner.plans.buckets.list", ""},
    {"planner.plans.tasks.list", "$expand"},
    {"planner.users.tasks.list", "$expand"},
    {"planner.tasks.get", "$expand"},
    {"planner.buckets.create", "body.name body.planId"},
    {"planner.tasks.create",
     "body.planId body.bucketId body.title body.dueDateTime body.priority body.assignments"},
    {"planner.tasks.update", "If-Match body.title body.bucketId body.percentComplete "
                             "body.dueDateTime body.priority body.assignments"},
    {"planner.tasks.delete", "If-Match"},
    {"planner.tasks.details.get", ""},
    {"planner.tasks.details.update",
     "If-Match body.description body.checklist body.references body.previewType"},
    {NULL},
};

const struct dialect_tools planner_tools = {
    .name = "planner",
    .title = "Microsoft Planner",
    .place = 13,
    .fields = "$select",
    .by_address = true,
    .services = ANY_SERVICE,
    .common = common,
};
