/* SPDX-License-Identifier: Apache-2.0 */
/* What has changed of a person's lists, or of a list's tasks, since a token was given out. */
#include "services/tasks/todo/rows.h"
#include "vendors/microsoft/walk.h"

enum { PAGE = 50 };

struct walk {
    struct todo_at at;
    int64_t list; /* 0: lists */
    struct graph_walk walk;
};

static const char *todo_purpose(struct walk *w)
{
    return arena_printf(w->at.c->tx.arena, "todo delta %lld %s", (long long)w->at.user.account.id,
                        w->at.list.key ? w->at.list.key : "");
}

static int open_walk(struct call *c, bool tasks, struct walk *w)
{
    const char *token = graph_walk_given(c);
    bool known = token && strcmp(token, "latest") != 0;
    *w = (struct walk){0};
    graph_walk_begin(c, PAGE, &w->walk);
    if (todo_open(c, &w->at) < 0 || (tasks && todo_list(&w->at, false) < 0))
        return -1;
    w->list = w->at.list.id;
    if (known && !graph_walk_read(c, todo_purpose(w), token, &w->walk))
        return graph_fail_own(c, SOSIA_E_GONE, 0, "SyncStateNotFound", NULL,
                              "The sync state generation is not found.");
    if ((!known || w->walk.upto < 0) &&
        task_last_change(&c->tx, w->at.user.account.id, &w->walk.upto) < 0)
        return -1;
    if (token && !known)
        w->walk.since = w->walk.from = w->walk.upto;
    return 0;
}

/* ---- answers ---- */

static int read_select(struct walk *w, const char *type)
{
    struct call *c = w->at.c;
    const struct odata_pair pair = {"$select", w->walk.select};
    const char *message = NULL;
    struct odata_query q;
    if (odata_parse(c->tx.arena, edm_type_find(type, strlen(type)), NULL, &pair,
                    *w->walk.select != 0, &q, &message, c->tx.err) < 0)
        return -1;
    return graph_select(c, &q, ODATA_KEEP_ID | ODATA_KEEP_ETAG, true);
}

static int write_gone(struct call *c, const char *key)
{
    json_obj(c->out, NULL);
    json_str(c->out, "id", key);
    json_obj(c->out, "@removed");
    json_str(c->out, "reason", "deleted");
    json_end(c->out);
    json_end(c->out);
    return 0;
}

static int write_there(struct walk *w, const struct task_change *change, bool tasks)
{
    struct call *c = w->at.c;
    struct task_list list;
    struct task t;
    int r = 0;
    json_obj(c->out, NULL);
    if (tasks && (r = task_get(&c->tx, change->id, &t)) == 1)
        r = todo_write_task(&c->tx, &w->at.store, w->at.tz, w->at.zone, &t, c->out) < 0 ? -1 : 1;
    else if (!tasks && (r = task_list_get(&c->tx, change->id, &list)) == 1)
        todo_write_list(c->tx.arena, &w->at.store, &list, c->out);
    json_end(c->out);
    return r == 1 ? 0 : -1;
}

/* Lists of everybody's that are not written down are in the first answer alone. */
static int write_usual(struct walk *w)
{
    struct call *c = w->at.c;
    struct task_list list;
    for (int kind = TASK_LIST_USUAL; kind <= TASK_LIST_FLAGGED; kind++) {
        if (task_list_usual(&c->tx, w->at.user.account.id, (enum task_list_kind)kind, &list) != 1)
            return -1;
        if (list.id)
            continue;
        json_obj(c->out, NULL);
        todo_write_list(c->tx.arena, &w->at.store, &list, c->out);
        json_end(c->out);
    }
    return 0;
}

/* What changed next: 1, 0, -1. */
static int next_change(struct walk *w, bool tasks, struct task_change *ret)
{
    if (tasks && !w->list)
        return 0;
    int r = task_next_change(&w->at.c->tx, w->at.user.account.id, w->list, w->walk.from,
                             w->walk.first, ret);
    if (r == 1 && ret->change > w->walk.upto)
        r = 0;
    if (r == 1)
        w->walk.from = ret->change;
    return r;
}

static int delta(struct call *c, bool tasks)
{
    struct task_change change;
    struct walk w;
    size_t n = 0;
    int r = 1;
    if (open_walk(c, tasks, &w) < 0 || read_select(&w, tasks ? "todoTask" : "todoTaskList") < 0)
        return -1;
    const bool begin = w.walk.first && w.walk.from == 0 && !tasks;
    json_obj(c->out, NULL);
    graph_context(c, tasks ? "Collection(todoTask)" : "Collection(todoTaskList)");
    json_arr(c->out, "value");
    if (begin && write_usual(&w) < 0)
        return -1;
    while (n < w.walk.size && (r = next_change(&w, tasks, &change)) == 1) {
        const bool seen =
            change.id || change.made <= w.walk.since; /* else made and deleted since */
        if (seen && (change.id ? write_there(&w, &change, tasks) : write_gone(c, change.key)) < 0)
            return -1;
        n += seen;
    }
    json_end(c->out);
    json_str(c->out, r == 1 ? "@odata.nextLink" : "@odata.deltaLink",
             graph_link(c, r == 1 ? "$skiptoken" : "$deltatoken",
                        graph_walk_token(c, todo_purpose(&w), &w.walk, r == 1)));
    json_end(c->out);
    return r < 0 ? -1 : 0;
}

static int lists_delta(struct call *c)
{
    return delta(c, false);
}

static int tasks_delta(struct call *c)
{
    return delta(c, true);
}

#define TOKENS OPTION("deltatoken"), OPTION("select"), OPTION("skiptoken")
static const struct param list_params[] = {USER, TOKENS};
static const struct param task_params[] = {USER, KEY("todoTaskList-id"), TOKENS};
static const struct route methods[] = {
    ROW("todo.lists.delta", GET, LISTS "/delta()", lists_delta, RISK_READ, list_params,
        .scopes = READ, .response = "microsoft.graph.todoTaskListCollectionResponse",
        .summary = "What has changed of lists since a token"),
    ROW("todo.tasks.delta", GET, LIST_TASKS "/delta()", tasks_delta, RISK_READ, task_params,
        .scopes = READ, .response = "microsoft.graph.todoTaskCollectionResponse",
        .summary = "What has changed of a list's tasks since a token"),
};
const struct rows todo_delta_rows = ROWS(methods);
