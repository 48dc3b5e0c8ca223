/* SPDX-License-Identifier: Apache-2.0 */
/* What tables of methods share: permissions, paths, parameters. */
#ifndef SOSIA_PLANNER_ROWS_H
#define SOSIA_PLANNER_ROWS_H

#include "services/tasks/planner/planner.h"

#define READ                                                                                       \
    "Tasks.Read Tasks.ReadWrite Group.Read.All Group.ReadWrite.All Tasks.Read.All "                \
    "Tasks.ReadWrite.All"
#define WRITE "Tasks.ReadWrite Group.ReadWrite.All Tasks.ReadWrite.All"

#define PLANS   "/planner/plans"
#define PLAN    PLANS "/{plannerPlan-id}"
#define BUCKETS "/planner/buckets"
#define BUCKET  BUCKETS "/{plannerBucket-id}"
#define TASKS   "/planner/tasks"
#define TASK    TASKS "/{plannerTask-id}"

#define KEY(name_)                                                                                 \
    {                                                                                              \
        .name = name_, .place = IN_PATH, .required = true                                          \
    }
#define OPTION(name_)                                                                              \
    {                                                                                              \
        .name = "$" name_, .place = IN_QUERY                                                       \
    }
/* The handler demands it, in the service's words. */
#define IF_MATCH                                                                                   \
    {                                                                                              \
        .name = "If-Match", .place = IN_HEADER                                                     \
    }
#define ROW(id_, verb, paths_, handler_, risk_, params_, ...)                                      \
    {                                                                                              \
        .id = id_, .verbs = verb, .paths = PATHS paths_, .handler = handler_, .risk = risk_,       \
        PARAMS(params_), __VA_ARGS__                                                               \
    }

#endif
