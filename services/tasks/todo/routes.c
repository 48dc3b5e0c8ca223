/* SPDX-License-Identifier: Apache-2.0 */
/* To Do by Microsoft Graph: the tables of its methods. */
#include "services/tasks/todo/rows.h"

static const struct gloss glossary[] = {
    {"$count", "Whether how many there are is given"},
    {"$deltatoken", "Of the deltaLink of the sync before"},
    {"$expand",
     "Related things that are answered too: checklistItems, linkedResources, extensions"},
    {"$filter", "Only those of which this holds, as \"status ne 'completed'\""},
    {"$orderby", "By which members, as \"dueDateTime/dateTime desc\""},
    {"$select", "Only these properties"},
    {"$skip", "How many are passed over"},
    {"$skiptoken", "Of the nextLink of the page before"},
    {"$top", "At most so many; 50 without it"},
    {"attachmentBase-id", "The id of a file"},
    {"checklistItem-id", "The id of a step"},
    {"extension-id", "The name of an extension, or its id"},
    {"linkedResource-id", "The id of a link"},
    {"session-id", "The upload session"},
    {"todoTask-id", "The id of a task"},
    {"todoTaskList-id", "The id of a list; Tasks is the one that everybody has"},
    {"user-id", "The id of a user, or the user principal name"},
};

static const struct graph_api api = {.workload = GRAPH_TODO};

const struct dialect todo_dialect = {
    .name = "tasks.todo",
    .title = "Microsoft To Do (Microsoft Graph)",
    .vendor = &microsoft_vendor,
    .tables = TABLES(&todo_list_rows, &todo_task_rows, &todo_part_rows, &todo_file_rows,
                     &todo_extension_rows, &todo_delta_rows),
    .schemas = graph_schemas,
    .n_schemas = GRAPH_SCHEMAS,
    .glossary = glossary,
    .n_glossary = SOSIA_LEN(glossary),
    .rates = graph_outlook_rates,
    .summary = "Lists of tasks, tasks, steps, links, files, extensions",
    .facts = &api,
    .tools = &todo_tools,
};
