/* SPDX-License-Identifier: Apache-2.0 */
/* What models find of To Do: short arguments. */
#include "services/tasks/todo/todo.h"

#define ANY_SERVICE (ACCOUNT_MAIL | ACCOUNT_CALENDAR | ACCOUNT_DRIVE | ACCOUNT_CHAT)

static const struct tool_common common[] = {
    {"todo.lists.list", "$filter"},
    {"todo.lists.create", "body.displayName"},
    {"todo.tasks.list", "$filter $orderby $top"},
    {"todo.tasks.get", "$expand"},
    {"todo.tasks.create", "body.title body.body body.dueDateTime body.reminderDateTime "
                          "body.importance body.categories body.recurrence"},
    {"todo.tasks.update", "body.title body.body body.status body.dueDateTime "
                          "body.reminderDateTime body.importance body.categories"},
    {"todo.tasks.delete", ""},
    {"todo.checklistItems.list", ""},
    {"todo.checklistItems.create", "body.displayName"},
    {"todo.checklistItems.update", "body.displayName body.isChecked"},
    {NULL},
};

const struct dialect_tools todo_tools = {
    .name = "todo",
    .title = "Microsoft To Do",
    .place = 12,
    .fields = "$select",
    .by_address = true,
    .services = ANY_SERVICE,
    .common = common,
};
