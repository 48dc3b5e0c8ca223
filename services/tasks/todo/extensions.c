/* SPDX-License-Identifier: Apache-2.0 */
/* Open extensions of lists and tasks. */
#include "services/tasks/todo/rows.h"

/* ---- what a call is about ---- */

struct keeper {
    struct todo_at at;
    const char **kept;
    const char *path; /* "users('oid')/todo/lists('id')/extensions" */
};

/* The list or the task of the path. 0, -1 refused. */
static int open_keeper(struct call *c, bool written, struct keeper *k)
{
    const bool task = param_given(c, "todoTask-id");
    if (todo_open(c, &k->at) < 0 || (task ? todo_task(&k->at) : todo_list(&k->at, written)) < 0)
        return -1;
    k->kept = task ? &k->at.task.kept : &k->at.list.kept;
    k->path = ARENA_JOIN(c->tx.arena, task ? todo_task_path(&k->at) : todo_list_path(&k->at),
                         "/extensions");
    return 0;
}

static int save(struct keeper *k)
{
    struct tx *tx = &k->at.c->tx;
    return param_given(k->at.c, "todoTask-id") ? task_save(tx, &k->at.task, TASK_DETAILS)
                                               : task_list_save(tx, &k->at.list);
}

/* 0, -1 refused. */
static int answer_extension(struct keeper *k, const char *name)
{
    struct call *c = k->at.c;
    const struct json_member *e = todo_kept_named(todo_kept(c->tx.arena, *k->kept), name);
    if (!e)
        return graph_fail_own(c, SOSIA_E_NOT_FOUND, 0, "itemNotFound", "ErrorItemNotFound",
                              "The specified object was not found in the store.");
    json_obj(c->out, NULL);
    graph_context(c, "%s/$entity", k->path);
    todo_write_extension(c->tx.arena, e, c->out);
    json_end(c->out);
    return 0;
}

/* ---- handlers ---- */

struct shown {
    struct arena *arena;
    const struct json *kept;
};

static int write_shown(void *arg, size_t i, struct json_writer *w)
{
    struct shown *l = arg;
    todo_write_extension(l->arena, &l->kept->members[i], w);
    return 0;
}

static int extensions_list(struct call *c)
{
    struct odata_query q;
    struct keeper k;
    if (open_keeper(c, false, &k) < 0 || todo_options(c, "openTypeExtension", &q) < 0)
        return -1;
    struct shown l = {.arena = c->tx.arena, .kept = todo_kept(c->tx.arena, *k.kept)};
    return todo_answer_list(&k.at, &q, k.path, l.kept ? l.kept->n : 0, write_shown, NULL, &l);
}

static int extensions_get(struct call *c)
{
    struct keeper k;
    return open_keeper(c, false, &k) < 0 ? -1 : answer_extension(&k, param_str(c, "extension-id"));
}

static int extensions_create(struct call *c)
{
    const struct json *body;
    struct keeper k;
    const char *name;
    if (open_keeper(c, true, &k) < 0 || !(body = call_body(c)) ||
        todo_kept_name(c, body, &name) < 0 || todo_kept_put(c, k.kept, name, body, false) < 0 ||
        save(&k) < 0)
        return -1;
    graph_created(c, arena_printf(c->tx.arena, "/%s('" TODO_EXTENSION "%s')", k.path, name));
    return answer_extension(&k, name);
}

static int extensions_update(struct call *c)
{
    const char *name = param_str(c, "extension-id");
    const struct json *body;
    struct keeper k;
    if (open_keeper(c, false, &k) < 0)
        return -1;
    if (!todo_kept_named(todo_kept(c->tx.arena, *k.kept), name))
        return answer_extension(&k, name);
    return !(body = call_body(c)) || todo_kept_put(c, k.kept, name, body, true) < 0 || save(&k) < 0
               ? -1
               : answer_extension(&k, name);
}

static int extensions_delete(struct call *c)
{
    const char *name = param_str(c, "extension-id");
    struct keeper k;
    if (open_keeper(c, false, &k) < 0)
        return -1;
    if (!todo_kept_named(todo_kept(c->tx.arena, *k.kept), name))
        return answer_extension(&k, name);
    c->status = 204;
    return todo_kept_put(c, k.kept, name, NULL, false) < 0 ? -1 : save(&k);
}

/* ---- rows ---- */

static const struct param list_params[] = {USER, KEY("todoTaskList-id"), KEY("todoTask-id"),
                                           LIST_OPTIONS};
static const struct param create_params[] = {USER, KEY("todoTaskList-id"), KEY("todoTask-id")};
static const struct param params[] = {USER, KEY("todoTaskList-id"), KEY("todoTask-id"),
                                      KEY("extension-id")};

#define EXTENSIONS_ROW(name, verb, path, handler_, risk_, params_, ...)                            \
    {                                                                                              \
        .id = "todo.extensions." name, .verbs = verb,                                              \
        .paths = PATHS(GRAPH_MY(LIST "/extensions" path), GRAPH_MY(TASK "/extensions" path)),      \
        .handler = handler_, .risk = risk_, PARAMS(params_), __VA_ARGS__                           \
    }
static const struct route methods[] = {
    EXTENSIONS_ROW("list", GET, "", extensions_list, RISK_READ, list_params, .scopes = READ,
                   .summary = "What programs keep with a list or a task"),
    EXTENSIONS_ROW("get", GET, "/{extension-id}", extensions_get, RISK_READ, params, .scopes = READ,
                   .summary = "An open extension of a list or a task"),
    EXTENSIONS_ROW("create", POST, "", extensions_create, RISK_WRITE, create_params,
                   .scopes = WRITE, .body = BODY_JSON, .status = 201,
                   .summary = "Add an open extension to a list or a task"),
    EXTENSIONS_ROW("update", PATCH, "/{extension-id}", extensions_update, RISK_WRITE, params,
                   .scopes = WRITE, .body = BODY_JSON, .idempotent = true,
                   .summary = "Change an open extension of a list or a task"),
    EXTENSIONS_ROW("delete", DELETE, "/{extension-id}", extensions_delete, RISK_DESTRUCTIVE, params,
                   .scopes = WRITE, .status = 204,
                   .summary = "Remove an open extension of a list or a task"),
};
const struct rows todo_extension_rows = ROWS(methods);
