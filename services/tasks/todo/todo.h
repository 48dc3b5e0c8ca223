/* SPDX-License-Identifier: Apache-2.0 */
/*
 * To Do by Microsoft Graph, on the core of tasks: lists, tasks, steps ("checklistItems") and links
 * ("linkedResources") of a person. Two lists are everybody's, and are written down when something
 * is put into them.
 */
#ifndef SOSIA_TODO_H
#define SOSIA_TODO_H

#include "services/tasks/core/tasks.h"
#include "vendors/microsoft/directory/directory.h"
#include "vendors/microsoft/graph.h"
#include "vendors/microsoft/odata/odata.h"
#include "vendors/microsoft/store_id.h"

extern const struct dialect todo_dialect;
extern const struct sosia_core tasks_todo_core;
extern const struct dialect_tools todo_tools;
struct graph_feed;
extern const struct graph_feed todo_feed; /* feed.c */

enum { TODO_PAGE = 50, TODO_MAX_TOP = 1000, TODO_PARTS_MAX = 100, TODO_NAME_MAX = 255 };

/* ---- at.c: whose, and what the path names ---- */

struct todo_at {
    struct call *c;
    struct graph_user user;
    struct graph_store store;
    const struct tz *tz; /* of times in answers */
    const char *zone;    /* its name there */
    struct task_list list;
    struct task task;
};
/* The user of the path. 0, -1. */
int todo_open(struct call *c, struct todo_at *ret);
/* With the list, the task of the path. written: the list is written down from now on. 0, -1. */
int todo_list(struct todo_at *at, bool written);
int todo_task(struct todo_at *at);
/* The list of an account that a text names; one of everybody's may not be written down. 1, 0, -1.
 */
int todo_list_named(struct tx *tx, int64_t account, const char *text, struct task_list *ret);
/* 400 invalidRequest, with the code inside. -1. */
int todo_invalid(struct call *c, const char *inner, const char *text);
/* The same of a member of a body, and why. -1. */
int todo_wrong(struct call *c, const char *member, const char *expected);
/* The options of a list or a thing. 0, -1. */
int todo_options(struct call *c, const char *type, struct odata_query *ret);

/* ---- write.c ---- */

const char *todo_etag(struct arena *a, const struct graph_store *s, int64_t change);
/* Members, into the open object. 0, -1. */
void todo_write_list(struct arena *a, const struct graph_store *s, const struct task_list *list,
                     struct json_writer *w);
int todo_write_task(struct tx *tx, const struct graph_store *s, const struct tz *tz,
                    const char *zone, const struct task *t, struct json_writer *w);
void todo_write_item(struct tx *tx, const struct task_item *item, struct json_writer *w);
void todo_write_link(const struct task_link *link, struct json_writer *w);
/* "users('oid')/todo/lists('id')", and behind it "/tasks('id')". */
const char *todo_list_path(struct todo_at *at);
const char *todo_task_path(struct todo_at *at);
/* Both lists of what a task has, as $expand asks for them; into the open object. 0, -1. */
int todo_write_parts(struct todo_at *at, const struct task *t, const struct odata_query *q);

/* ---- kept.c: open extensions ---- */

#define TODO_EXTENSION "microsoft.graph.openTypeExtension." /* what ids of them begin with */

struct json_member;
/* The text of what a list or a task keeps, as an object; NULL: nothing. And one of them by its name
 * or its id, in any case; NULL: there is none. */
const struct json *todo_kept(struct arena *a, const char *text);
const struct json_member *todo_kept_named(const struct json *kept, const char *name);
/* Puts one into the text (merges: over the one of that name), or takes it out (v NULL). 0, -1
 * refused. */
int todo_kept_put(struct call *c, const char **text, const char *name, const struct json *v,
                  bool merges);
/* The name that a body gives one. 0, -1 refused. */
int todo_kept_name(struct call *c, const struct json *v, const char **ret);
/* Its members, into the open object. */
void todo_write_extension(struct arena *a, const struct json_member *e, struct json_writer *w);
/* The extensions of a body of a new list or task, into what it keeps. 0, -1 refused. */
int todo_read_extensions(struct call *c, const struct json *body, const char **kept);
/* Those that $expand asks for, into the open object. */
void todo_write_extensions(struct call *c, const struct odata_query *q, const char *kept);

/* ---- read.c ---- */

/* The members of a body over those of the task. *ret_completed: it was not, and is now. 0, -1. */
int todo_read_task(struct todo_at *at, const struct json *body, struct task *t,
                   bool *ret_completed);
int todo_read_item(struct todo_at *at, const struct json *body, struct task_item *item);
int todo_read_link(struct todo_at *at, const struct json *body, struct task_link *link);
/* A recurrence: "RRULE:..." and where it begins; due: the task's, in the zone of the rule. 0, -1.
 */
int todo_read_recurrence(struct todo_at *at, const struct json *v, struct task *t);

/* The rows of a thing that can be asked for, as one list: things are written into trees. */
typedef int todo_write_fn(void *arg, size_t i, struct json_writer *w);
/* Answers a page of n things, by the query. context: behind "#". 0, -1. */
int todo_answer_list(struct todo_at *at, const struct odata_query *q, const char *context, size_t n,
                     todo_write_fn *write, todo_write_fn *expand, void *arg);

extern const struct rows todo_list_rows, todo_task_rows, todo_part_rows, todo_file_rows,
    todo_extension_rows, todo_delta_rows;

#endif
