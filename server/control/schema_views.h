/* SPDX-License-Identifier: Apache-2.0 */
/* What is given of calendars, tasks, mail, runs and workflows, for people who look at worlds:
 * tables of schema.c, which alone includes this. */
#ifndef SOSIA_SERVER_CONTROL_SCHEMA_VIEWS_H
#define SOSIA_SERVER_CONTROL_SCHEMA_VIEWS_H

#include "server/control/schema_words.h"

static const struct field calendars_fields[] = {
    {.name = "vendor", .type = "string", .summary = "Whose service they are of"},
    ALWAYS(.name = "vendors", .type = "string", .list = true,
           .summary = "With whom the person has some"),
    ALWAYS(.name = "calendars", .type = "object", .list = true,
           .summary = "{\"id\", \"key\", \"name\", \"zone\", \"main\"}"),
};
static const struct field calendar_events_fields[] = {
    ALWAYS(.name = "rows", .type = "object", .list = true,
           .summary = "{\"id\", \"series\", \"calendar\", \"title\", \"start\", \"end\", "
                      "\"zone\", \"all_day\", \"status\", \"me\", \"guests\"}: by calendar and "
                      "start; times are instants, those of all-day events dates"),
    ALWAYS(.name = "more", .type = "boolean", .summary = "Of a calendar there are more than 2500"),
};
static const struct field task_lists_fields[] = {
    ALWAYS(.name = "vendor", .type = "string", .summary = "Whose service they are of"),
    ALWAYS(.name = "vendors", .type = "string", .list = true,
           .summary = "With whom the person has some"),
    ALWAYS(.name = "lists", .type = "object", .list = true,
           .summary =
               "{\"id\", \"name\", \"kind\", \"total\", \"open\"}; kind: own, usual (the one "
               "that everybody has) or flagged"),
    ALWAYS(.name = "plans", .type = "object", .list = true,
           .summary =
               "{\"id\", \"name\", \"team\", \"total\", \"open\", \"buckets\": [{\"id\", "
               "\"name\"}]}: of groups that the person is in, or with something to do for the "
               "person"),
    ALWAYS(.name = "assigned", .type = "integer", .max = INT64_MAX,
           .summary = "How much the person has to do in plans"),
};
static const char *const task_statuses[] = {"open",    "in progress", "completed",
                                            "waiting", "deferred",    NULL};
#define TASK_ROW                                                                                   \
    ALWAYS(.name = "id", .type = "string"), {.name = "list", .type = "string"},                    \
        {.name = "plan", .type = "string", .summary = "In the place of a list"},                   \
        {.name = "bucket", .type = "string"}, ALWAYS(.name = "title", .type = "string"),           \
        ALWAYS(.name = "status", .type = "string", .values = task_statuses),                       \
        ALWAYS(.name = "percent", .type = "integer", .max = 100),                                  \
        ALWAYS(.name = "priority", .type = "integer", .max = 10,                                   \
               .summary = "0 is the most urgent"),                                                 \
        {.name = "start", .type = "string", .format = "date-time"},                                \
        {.name = "due", .type = "string", .format = "date-time"},                                  \
        {.name = "reminder", .type = "string", .format = "date-time"},                             \
        {.name = "completed", .type = "string", .format = "date-time"},                            \
        {.name = "recurrence", .type = "string", .summary = "\"RRULE:...\""},                      \
        ALWAYS(.name = "notes", .type = "boolean", .summary = "It has some"),                      \
        ALWAYS(.name = "steps", .type = "integer", .max = INT64_MAX),                              \
        ALWAYS(.name = "done", .type = "integer", .max = INT64_MAX, .summary = "Of its steps"),    \
        ALWAYS(.name = "links", .type = "integer", .max = INT64_MAX),                              \
        ALWAYS(.name = "people", .type = "string", .list = true,                                   \
               .summary = "Who shall do it; in lists the first eleven")
static const struct field task_row_fields[] = {
    TASK_ROW,
    {.name = "text", .type = "string", .summary = "Its notes; this and what follows in one alone"},
    {.name = "html", .type = "boolean", .summary = "They are HTML, as it is"},
    {.name = "labels", .type = "string", .list = true},
    {.name = "creator", .type = "string"},
    {.name = "created", .type = "string", .format = "date-time"},
    {.name = "changed", .type = "string", .format = "date-time"},
    {.name = "items", .type = "object", .list = true, .summary = "Steps: {\"title\", \"done\"}"},
    {.name = "sources",
     .type = "object",
     .list = true,
     .summary = "Links: {\"title\", \"url\", \"app\"}"},
};
static const struct field tasks_fields[] = {
    ALWAYS(.name = "total", .type = "integer", .max = INT64_MAX),
    ALWAYS(.name = "rows", .type = "Task", .list = true, .summary = "Without their contents"),
    {.name = "next", .type = "integer", .max = INT64_MAX, .summary = "The offset to go on with"},
};
static const struct field mail_folders_fields[] = {
    {.name = "vendor", .type = "string", .summary = "Whose service they are of"},
    ALWAYS(.name = "vendors", .type = "string", .list = true,
           .summary = "With whom the person has some"),
    ALWAYS(.name = "folders", .type = "object", .list = true,
           .summary = "{\"id\", \"name\", \"kind\", \"total\", \"unread\", \"parent\", "
                      "\"hidden\"}; kind: folder, label or keyword"),
};
#define MAIL_ROW                                                                                   \
    ALWAYS(.name = "id", .type = "string"), ALWAYS(.name = "thread", .type = "string"),            \
        ALWAYS(.name = "at", .type = "string", .format = "date-time"),                             \
        {.name = "from", .type = "string"}, {.name = "to", .type = "string"},                      \
        {.name = "subject", .type = "string"}, {.name = "snippet", .type = "string"},              \
        ALWAYS(.name = "folders", .type = "string", .list = true, .summary = "Their ids"),         \
        ALWAYS(.name = "unread", .type = "boolean"),                                               \
        ALWAYS(.name = "files", .type = "boolean", .summary = "It has some"),                      \
        ALWAYS(.name = "size", .type = "integer", .max = INT64_MAX)
static const struct field mail_message_fields[] = {
    MAIL_ROW,
    {.name = "headers",
     .type = "object",
     .list = true,
     .summary = "{\"name\", \"value\"}, decoded; not in lists"},
    {.name = "text",
     .type = "string",
     .summary = "At most 1 MiB; of a message that is HTML alone what that says"},
    {.name = "html", .type = "string", .summary = "As it is: it may hold anything"},
    {.name = "parts",
     .type = "object",
     .list = true,
     .summary = "{\"n\", \"type\", \"name\", \"size\", \"cid\"}"},
};
static const struct field mail_messages_fields[] = {
    ALWAYS(.name = "total", .type = "integer", .max = INT64_MAX,
           .summary = "Of the folder; with q, how many are known so far"),
    ALWAYS(.name = "rows", .type = "MailMessage", .list = true),
    {.name = "next",
     .type = "integer",
     .max = INT64_MAX,
     .summary = "The offset to go on with; absent: that was all"},
};
#define RUN_HEAD                                                                                   \
    ALWAYS(.name = "id", .type = "string"),                                                        \
        ALWAYS(.name = "at", .type = "string", .format = "date-time"),                             \
        {.name = "suite", .type = "string"}, {.name = "task", .type = "string"},                   \
        {.name = "passed", .type = "boolean"}, {.name = "reward", .type = "number"},               \
        {.name = "version",                                                                        \
         .type = "string",                                                                         \
         .summary = "Of the agent, as the loop has it; this and what follows as far as the loop "  \
                    "has written it"},                                                             \
        {.name = "calls", .type = "number"}, {.name = "refused", .type = "number"},                \
        {.name = "cost", .type = "number", .summary = "US dollars"},                               \
        {.name = "tokens", .type = "number"}, {.name = "seconds", .type = "number"},               \
    {                                                                                              \
        .name = "kinds", .type = "string", .list = true, .summary = "Of failures"                  \
    }
static const struct field run_fields[] = {
    RUN_HEAD,
    {.name = "entries", .type = "integer", .max = INT64_MAX, .summary = "Of its journal"},
    {.name = "of", .type = "object", .summary = "The task, with what the world was made of"},
    {.name = "verdict", .type = "object"},
    {.name = "diff", .type = "object"},
    {.name = "output", .type = "string"},
    {.name = "complaint", .type = "string"},
};
static const struct field runs_fields[] = {
    ALWAYS(.name = "total", .type = "integer", .max = INT64_MAX),
    ALWAYS(.name = "runs", .type = "Run", .list = true, .summary = "Without their contents"),
    {.name = "next", .type = "integer", .max = INT64_MAX, .summary = "The offset to go on with"},
};
#define WORKFLOW_HEAD                                                                              \
    ALWAYS(.name = "id", .type = "string"),                                                        \
        ALWAYS(.name = "at", .type = "string", .format = "date-time"),                             \
        ALWAYS(.name = "promoted", .type = "boolean",                                              \
               .summary = "It is what the workflow was promoted by"),                              \
        ALWAYS(.name = "workflow", .type = "string"), {.name = "version", .type = "string"},       \
        {.name = "driver",                                                                         \
         .type = "string",                                                                         \
         .summary = "Who acted: reference, command, recorded"},                                    \
        ALWAYS(.name = "passed", .type = "boolean", .summary = "All of its checklist holds"),      \
    {                                                                                              \
        .name = "figures", .type = "object"                                                        \
    }
static const struct field workflow_fields[] = {
    WORKFLOW_HEAD,
    {.name = "evidence",
     .type = "object",
     .summary = "As `sosia workflow check --json` prints it: checklist, runs, hashes"},
    {.name = "against",
     .type = "string",
     .summary = "The \"id\" of what it was promoted by, where that is another"},
    {.name = "worse", .type = "boolean", .summary = "Something has become worse since"},
    {.name = "comparison", .type = "object", .summary = "\"regressions\" and \"differences\""},
};
static const struct field workflows_fields[] = {
    ALWAYS(.name = "workflows", .type = "Workflow", .list = true,
           .summary = "Without their contents"),
};
static const struct field hit_fields[] = {
    ALWAYS(.name = "service", .type = "string",
           .summary = "The core that has it: mail, calendar, drive, chat, tasks, identity"),
    ALWAYS(.name = "entity", .type = "string"),
    ALWAYS(.name = "name", .type = "string", .summary = "As in diffs and histories"),
    ALWAYS(.name = "key", .type = "object"),
    {.name = "id", .type = "string", .summary = "In lists of the core"},
    {.name = "actor", .type = "string", .summary = "Whose it is, or who wrote it"},
    {.name = "vendor", .type = "string", .summary = "Of the account that has it"},
    {.name = "title", .type = "string"},
    {.name = "snippet", .type = "string"},
    {.name = "place", .type = "string", .summary = "The calendar's or the channel's id"},
    {.name = "at", .type = "string", .format = "date-time"},
    {.name = "day",
     .type = "string",
     .format = "date",
     .summary = "Of what lasts whole days: its first one"},
};
static const struct field found_fields[] = {
    ALWAYS(.name = "hits", .type = "Hit", .list = true),
    ALWAYS(.name = "full", .type = "string", .list = true,
           .summary = "Services of which there are, or may be, more"),
};

#endif
