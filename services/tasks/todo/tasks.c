/* SPDX-License-Identifier: Apache-2.0 */
/* Tasks of a list. */
#include "services/tasks/todo/flagged.h"
#include "services/tasks/todo/rows.h"

/* ---- reading ---- */

struct tasks {
    struct todo_at *at;
    const struct odata_query *q;
    int64_t *ids; /* the newest first */
    size_t n;
    struct task one; /* that was written last */
};

static int write_a_task(void *arg, size_t i, struct json_writer *w)
{
    struct tasks *l = arg;
    struct tx *tx = &l->at->c->tx;
    if (task_get(tx, l->ids[i], &l->one) != 1)
        return -1;
    return todo_write_task(tx, &l->at->store, l->at->tz, l->at->zone, &l->one, w);
}

/* Behind the other. */
static int expand_one(void *arg, size_t i, struct json_writer *w)
{
    struct tasks *l = arg;
    (void)i;
    (void)w;
    return todo_write_parts(l->at, &l->one, l->q);
}

static int tasks_list(struct call *c)
{
    struct odata_query q;
    struct todo_at at;
    struct tasks l = {.at = &at, .q = &q};
    if (todo_open(c, &at) < 0 || todo_list(&at, false) < 0 || todo_options(c, "todoTask", &q) < 0 ||
        (at.list.id && task_ids(&c->tx, at.list.id, &l.ids, &l.n) < 0))
        return -1;
    return todo_answer_list(&at, &q, arena_printf(c->tx.arena, "%s/tasks", todo_list_path(&at)),
                            l.n, write_a_task, expand_one, &l);
}

static int answer_task(struct todo_at *at)
{
    struct call *c = at->c;
    struct odata_query q;
    if (todo_options(c, "todoTask", &q) < 0 ||
        graph_select(c, &q, ODATA_KEEP_ID | ODATA_KEEP_ETAG, false) < 0)
        return -1;
    json_obj(c->out, NULL);
    graph_context(c, "%s/tasks%s/$entity", todo_list_path(at), odata_context(c->tx.arena, &q));
    if (todo_write_task(&c->tx, &at->store, at->tz, at->zone, &at->task, c->out) < 0 ||
        todo_write_parts(at, &at->task, &q) < 0)
        return -1;
    json_end(c->out);
    c->etag = todo_etag(c->tx.arena, &at->store, at->task.change);
    return 0;
}

static int task_get_one(struct call *c)
{
    struct todo_at at;
    return todo_open(c, &at) < 0 || todo_task(&at) < 0 ? -1 : answer_task(&at);
}

/* ---- changing ---- */

/* Steps and links that come with a new task. */
static int read_parts(struct todo_at *at, const struct json *body, struct task *t)
{
    struct arena *a = at->c->tx.arena;
    const struct json *items = json_get(body, "checklistItems");
    const struct json *links = json_get(body, "linkedResources");
    const uint32_t n_items = items && items->type == JSON_ARRAY ? items->n : 0,
                   n_links = links && links->type == JSON_ARRAY ? links->n : 0;
    if (n_items > TODO_PARTS_MAX || n_links > TODO_PARTS_MAX)
        return todo_invalid(at->c, "InvalidModel", "Invalid request");
    t->items = arena_calloc(a, n_items + 1, sizeof *t->items);
    t->links = arena_calloc(a, n_links + 1, sizeof *t->links);
    if (!t->items || !t->links)
        return sosia_fail_memory(at->c->tx.err);
    for (uint32_t i = 0; i < n_items; i++)
        if (todo_read_item(at, &items->items[i], &t->items[i]) < 0)
            return -1;
    for (uint32_t i = 0; i < n_links; i++)
        if (todo_read_link(at, &links->items[i], &t->links[i]) < 0)
            return -1;
    t->n_items = (int)n_items;
    t->n_links = (int)n_links;
    return 0;
}

static int task_create(struct call *c)
{
    const struct json *body;
    struct task next;
    struct todo_at at;
    bool completed;
    if (todo_open(c, &at) < 0 || todo_list(&at, true) < 0 || !(body = call_body(c)))
        return -1;
    at.task = (struct task){.list = at.list.id,
                            .notes = "",
                            .priority = TASK_PRIORITY_USUAL,
                            .creator = at.user.actor.id};
    const int64_t n = task_count(&c->tx, at.list.id);
    if (n < 0 || n >= TASK_LIST_TASKS_MAX)
        return n < 0 ? -1 : todo_invalid(c, "ErrorQuotaExceeded", "There are too many tasks.");
    if (todo_read_task(&at, body, &at.task, &completed) < 0 ||
        read_parts(&at, body, &at.task) < 0 || todo_read_extensions(c, body, &at.task.kept) < 0 ||
        task_add(&c->tx, &at.task) < 0)
        return -1;
    if (completed && at.task.recurrence &&
        (task_recur(&c->tx, &at.task, &next) < 0 || task_save(&c->tx, &at.task, 0) < 0))
        return -1;
    graph_created(c, arena_printf(c->tx.arena, "/%s", todo_task_path(&at)));
    return answer_task(&at);
}

static int task_update(struct call *c)
{
    const struct json *body;
    struct task next;
    struct todo_at at;
    bool completed;
    if (todo_open(c, &at) < 0 || todo_task(&at) < 0 ||
        graph_if_match(c, todo_etag(c->tx.arena, &at.store, at.task.change)) < 0 ||
        !(body = call_body(c)) || todo_read_task(&at, body, &at.task, &completed) < 0)
        return -1;
    if (completed && task_recur(&c->tx, &at.task, &next) < 0)
        return -1;
    return task_save(&c->tx, &at.task, TASK_ITSELF) < 0 || todo_flag_follows(&at) < 0
               ? -1
               : answer_task(&at);
}

static int task_delete(struct call *c)
{
    struct todo_at at;
    if (todo_open(c, &at) < 0 || todo_task(&at) < 0 ||
        graph_if_match(c, todo_etag(c->tx.arena, &at.store, at.task.change)) < 0)
        return -1;
    c->status = 204;
    return todo_flag_goes(&at) < 0 ? -1 : task_drop(&c->tx, &at.task);
}

/* ---- rows ---- */

#define IDS USER, KEY("todoTaskList-id")
static const struct param list_params[] = {IDS, LIST_OPTIONS};
static const struct param create_params[] = {IDS};
static const struct param get_params[] = {IDS, KEY("todoTask-id"), OPTION("expand"),
                                          OPTION("select")};
static const struct param params[] = {IDS, KEY("todoTask-id")};

#define TYPE "microsoft.graph.todoTask"
static const struct route methods[] = {
    ROW("todo.tasks.list", GET, LIST_TASKS, tasks_list, RISK_READ, list_params, .scopes = READ,
        .response = TYPE "CollectionResponse", .summary = "Tasks of a list"),
    ROW("todo.tasks.get", GET, TASK, task_get_one, RISK_READ, get_params, .scopes = READ,
        .response = TYPE, .summary = "One task"),
    ROW("todo.tasks.create", POST, LIST_TASKS, task_create, RISK_WRITE, create_params,
        .scopes = WRITE, .body = BODY_JSON, .request = TYPE, .response = TYPE, .status = 201,
        .summary = "Make a task"),
    ROW("todo.tasks.update", PATCH, TASK, task_update, RISK_WRITE, params, .scopes = WRITE,
        .body = BODY_JSON, .request = TYPE, .response = TYPE,
        .summary = "Change a task; one that recurs and is completed is followed by the next"),
    ROW("todo.tasks.delete", DELETE, TASK, task_delete, RISK_DESTRUCTIVE, params, .scopes = WRITE,
        .status = 204, .summary = "Delete a task"),
};
const struct rows todo_task_rows = ROWS(methods);
