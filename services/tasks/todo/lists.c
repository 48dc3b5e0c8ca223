/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of tasks. */
#include "engine/base/utf8.h"
#include "services/tasks/todo/rows.h"

/* ---- reading ---- */

struct lists {
    struct todo_at *at;
    struct task_list *list;
    size_t n, cap;
    const struct odata_query *q;
};

static int put(struct lists *l, const struct task_list *one)
{
    l->list = arena_grow(l->at->c->tx.arena, l->list, l->n, &l->cap, sizeof *l->list);
    if (!l->list)
        return sosia_fail_memory(l->at->c->tx.err);
    l->list[l->n++] = *one;
    return 0;
}

/* First the list that everybody has, then that of flagged mail, then the others as they came. */
static int collect(struct lists *l)
{
    struct tx *tx = &l->at->c->tx;
    const int64_t account = l->at->user.account.id;
    struct task_list one;
    for (int kind = TASK_LIST_USUAL; kind <= TASK_LIST_FLAGGED; kind++)
        if (task_list_usual(tx, account, (enum task_list_kind)kind, &one) != 1 || put(l, &one) < 0)
            return -1;
    one.id = 0;
    int r;
    while ((r = task_list_next(tx, account, one.id, &one)) == 1)
        if (one.kind == TASK_LIST_OWN && put(l, &one) < 0)
            return -1;
    return r;
}

static int write_one(void *arg, size_t i, struct json_writer *w)
{
    struct lists *l = arg;
    todo_write_list(l->at->c->tx.arena, &l->at->store, &l->list[i], w);
    return 0;
}

/* Behind the other. */
static int expand_list(void *arg, size_t i, struct json_writer *w)
{
    struct lists *l = arg;
    (void)w;
    todo_write_extensions(l->at->c, l->q, l->list[i].kept);
    return 0;
}

static int lists_list(struct call *c)
{
    struct odata_query q;
    struct todo_at at;
    struct lists l = {.at = &at, .q = &q};
    if (todo_open(c, &at) < 0 || todo_options(c, "todoTaskList", &q) < 0 || collect(&l) < 0)
        return -1;
    return todo_answer_list(
        &at, &q,
        arena_printf(c->tx.arena, "users%s/todo/lists", graph_key(c->tx.arena, at.user.oid)), l.n,
        write_one, expand_list, &l);
}

static int answer(struct todo_at *at)
{
    struct call *c = at->c;
    struct odata_query q;
    if (todo_options(c, "todoTaskList", &q) < 0 ||
        graph_select(c, &q, ODATA_KEEP_ID | ODATA_KEEP_ETAG, false) < 0)
        return -1;
    json_obj(c->out, NULL);
    graph_context(c, "users%s/todo/lists%s/$entity", graph_key(c->tx.arena, at->user.oid),
                  odata_context(c->tx.arena, &q));
    todo_write_list(c->tx.arena, &at->store, &at->list, c->out);
    todo_write_extensions(c, &q, at->list.kept);
    json_end(c->out);
    c->etag = todo_etag(c->tx.arena, &at->store, at->list.change);
    return 0;
}

static int list_get(struct call *c)
{
    struct todo_at at;
    return todo_open(c, &at) < 0 || todo_list(&at, false) < 0 ? -1 : answer(&at);
}

/* ---- changing ---- */

static int read_name(struct call *c, const char **ret)
{
    const struct json *body = call_body(c);
    if (!body)
        return -1;
    *ret = json_get_str(body, "displayName");
    return *ret && **ret && utf8_count(*ret, strlen(*ret)) <= TODO_NAME_MAX
               ? 0
               : todo_invalid(c, "InvalidModel", "Invalid request");
}

static int list_create(struct call *c)
{
    struct todo_at at;
    if (todo_open(c, &at) < 0 || read_name(c, &at.list.name) < 0)
        return -1;
    const int64_t n = task_list_count(&c->tx, at.user.account.id);
    if (n < 0 || n >= TASK_LISTS_MAX)
        return n < 0 ? -1 : todo_invalid(c, "ErrorQuotaExceeded", "There are too many lists.");
    at.list.account = at.user.account.id;
    if (todo_read_extensions(c, call_body(c), &at.list.kept) < 0 ||
        task_list_add(&c->tx, &at.list) < 0)
        return -1;
    graph_created(c, arena_printf(c->tx.arena, "/%s", todo_list_path(&at)));
    return answer(&at);
}

/* Those that everybody has are neither renamed nor deleted. */
static int own(struct todo_at *at)
{
    if (todo_list(at, false) < 0)
        return -1;
    return at->list.kind == TASK_LIST_OWN
               ? graph_if_match(at->c, todo_etag(at->c->tx.arena, &at->store, at->list.change))
               : todo_invalid(at->c, "ErrorInvalidRequest",
                              "Built-in lists can't be renamed or deleted.");
}

static int list_update(struct call *c)
{
    struct todo_at at;
    if (todo_open(c, &at) < 0 || own(&at) < 0 || read_name(c, &at.list.name) < 0 ||
        task_list_save(&c->tx, &at.list) < 0)
        return -1;
    return answer(&at);
}

static int list_delete(struct call *c)
{
    struct todo_at at;
    if (todo_open(c, &at) < 0 || own(&at) < 0)
        return -1;
    c->status = 204;
    return task_list_drop(&c->tx, &at.list);
}

/* ---- rows ---- */

static const struct param list_params[] = {USER, LIST_OPTIONS};
static const struct param get_params[] = {USER, KEY("todoTaskList-id"), OPTION("expand"),
                                          OPTION("select")};
static const struct param create_params[] = {USER};
static const struct param params[] = {USER, KEY("todoTaskList-id")};

#define TYPE "microsoft.graph.todoTaskList"
static const struct route methods[] = {
    ROW("todo.lists.list", GET, LISTS, lists_list, RISK_READ, list_params, .scopes = READ,
        .response = TYPE "CollectionResponse", .summary = "Lists of tasks"),
    ROW("todo.lists.get", GET, LIST, list_get, RISK_READ, get_params, .scopes = READ,
        .response = TYPE, .summary = "One list of tasks"),
    ROW("todo.lists.create", POST, LISTS, list_create, RISK_WRITE, create_params, .scopes = WRITE,
        .body = BODY_JSON, .request = TYPE, .response = TYPE, .status = 201,
        .summary = "Make a list of tasks"),
    ROW("todo.lists.update", PATCH, LIST, list_update, RISK_WRITE, params, .scopes = WRITE,
        .body = BODY_JSON, .request = TYPE, .response = TYPE, .idempotent = true,
        .summary = "Give a list of tasks another name"),
    ROW("todo.lists.delete", DELETE, LIST, list_delete, RISK_DESTRUCTIVE, params, .scopes = WRITE,
        .status = 204, .summary = "Delete a list with its tasks"),
};
const struct rows todo_list_rows = ROWS(methods);
