/* SPDX-License-Identifier: Apache-2.0 */
/* What tables of methods share: permissions, paths, parameters. */
#ifndef SOSIA_TODO_ROWS_H
#define SOSIA_TODO_ROWS_H

#include "services/tasks/todo/todo.h"
#include "vendors/microsoft/query.h"

#define READ  "Tasks.Read Tasks.ReadWrite Tasks.Read.All Tasks.ReadWrite.All"
#define WRITE "Tasks.ReadWrite Tasks.ReadWrite.All"

#define LISTS      "/todo/lists"
#define LIST       LISTS "/{todoTaskList-id}"
#define LIST_TASKS LIST "/tasks"
#define TASK       LIST_TASKS "/{todoTask-id}"

#define KEY(name_)                                                                                 \
    {                                                                                              \
        .name = name_, .place = IN_PATH, .required = true                                          \
    }
#define USER                                                                                       \
    {                                                                                              \
        .name = "user-id", .place = IN_PATH                                                        \
    }
#define OPTION(name_)                                                                              \
    {                                                                                              \
        .name = "$" name_, .place = IN_QUERY                                                       \
    }
#define LIST_OPTIONS                                                                               \
    OPTION("count"), OPTION("expand"), OPTION("filter"), OPTION("orderby"), OPTION("select"),      \
        OPTION("skip"), OPTION("top")
#define ROW(id_, verb, path, handler_, risk_, params_, ...)                                        \
    {                                                                                              \
        .id = id_, .verbs = verb, .paths = PATHS(GRAPH_MY(path)), .handler = handler_,             \
        .risk = risk_, PARAMS(params_), __VA_ARGS__                                                \
    }

#endif
