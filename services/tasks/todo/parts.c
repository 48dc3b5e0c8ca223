/* SPDX-License-Identifier: Apache-2.0 */
/* Steps and links of a task. */
#include "services/tasks/todo/rows.h"

/* The task has changed with what it has. */
static int touch(struct todo_at *at)
{
    return task_save(&at->c->tx, &at->task, TASK_DETAILS);
}

static int open_part(struct call *c, struct todo_at *at)
{
    return todo_open(c, at) < 0 || todo_task(at) < 0 ? -1 : 0;
}

static int found(struct call *c, int r)
{
    return r == 1  ? 0
           : r < 0 ? -1
                   : graph_fail_own(c, SOSIA_E_NOT_FOUND, 0, "itemNotFound", "ErrorItemNotFound",
                                    "The specified object was not found in the store.");
}

static int too_many(struct call *c)
{
    return todo_invalid(c, "ErrorQuotaExceeded", "There are too many of them.");
}

/* ---- steps ---- */

struct items {
    struct todo_at *at;
    struct task_item *list;
};

static int write_item(void *arg, size_t i, struct json_writer *w)
{
    struct items *l = arg;
    todo_write_item(&l->at->c->tx, &l->list[i], w);
    return 0;
}

static int items_list(struct call *c)
{
    struct odata_query q;
    struct todo_at at;
    struct items l = {.at = &at};
    size_t n;
    if (open_part(c, &at) < 0 || todo_options(c, "checklistItem", &q) < 0 ||
        task_items(&c->tx, at.task.id, &l.list, &n) < 0)
        return -1;
    return todo_answer_list(&at, &q,
                            arena_printf(c->tx.arena, "%s/checklistItems", todo_task_path(&at)), n,
                            write_item, NULL, &l);
}

static int answer_item(struct todo_at *at, const struct task_item *item)
{
    struct call *c = at->c;
    struct odata_query q;
    if (todo_options(c, "checklistItem", &q) < 0 || graph_select(c, &q, ODATA_KEEP_ID, false) < 0)
        return -1;
    json_obj(c->out, NULL);
    graph_context(c, "%s/checklistItems%s/$entity", todo_task_path(at),
                  odata_context(c->tx.arena, &q));
    todo_write_item(&c->tx, item, c->out);
    json_end(c->out);
    return 0;
}

static int open_item(struct call *c, struct todo_at *at, struct task_item *ret)
{
    if (open_part(c, at) < 0)
        return -1;
    return found(c, task_item_find(&c->tx, at->task.id, param_str(c, "checklistItem-id"), ret));
}

static int item_get(struct call *c)
{
    struct task_item item;
    struct todo_at at;
    return open_item(c, &at, &item) < 0 ? -1 : answer_item(&at, &item);
}

static int item_create(struct call *c)
{
    struct task_item item = {0}, *list;
    const struct json *body;
    struct todo_at at;
    size_t n;
    if (open_part(c, &at) < 0 || !(body = call_body(c)) ||
        task_items(&c->tx, at.task.id, &list, &n) < 0)
        return -1;
    if (n >= TODO_PARTS_MAX)
        return too_many(c);
    item.task = at.task.id;
    if (todo_read_item(&at, body, &item) < 0 || task_item_put(&c->tx, &item) < 0 || touch(&at) < 0)
        return -1;
    graph_created(
        c, arena_printf(c->tx.arena, "/%s/checklistItems('%s')", todo_task_path(&at), item.key));
    return answer_item(&at, &item);
}

static int item_update(struct call *c)
{
    const struct json *body;
    struct task_item item;
    struct todo_at at;
    if (open_item(c, &at, &item) < 0 || !(body = call_body(c)) ||
        todo_read_item(&at, body, &item) < 0 || task_item_put(&c->tx, &item) < 0 || touch(&at) < 0)
        return -1;
    return answer_item(&at, &item);
}

static int item_delete(struct call *c)
{
    struct task_item item;
    struct todo_at at;
    if (open_item(c, &at, &item) < 0)
        return -1;
    c->status = 204;
    return task_item_drop(&c->tx, item.id) < 0 ? -1 : touch(&at);
}

/* ---- links ---- */

struct links {
    struct task_link *list;
};

static int write_link(void *arg, size_t i, struct json_writer *w)
{
    struct links *l = arg;
    todo_write_link(&l->list[i], w);
    return 0;
}

static int links_list(struct call *c)
{
    struct odata_query q;
    struct todo_at at;
    struct links l;
    size_t n;
    if (open_part(c, &at) < 0 || todo_options(c, "linkedResource", &q) < 0 ||
        task_links(&c->tx, at.task.id, &l.list, &n) < 0)
        return -1;
    return todo_answer_list(&at, &q,
                            arena_printf(c->tx.arena, "%s/linkedResources", todo_task_path(&at)), n,
                            write_link, NULL, &l);
}

static int answer_link(struct todo_at *at, const struct task_link *link)
{
    struct call *c = at->c;
    struct odata_query q;
    if (todo_options(c, "linkedResource", &q) < 0 || graph_select(c, &q, ODATA_KEEP_ID, false) < 0)
        return -1;
    json_obj(c->out, NULL);
    graph_context(c, "%s/linkedResources%s/$entity", todo_task_path(at),
                  odata_context(c->tx.arena, &q));
    todo_write_link(link, c->out);
    json_end(c->out);
    return 0;
}

static int open_link(struct call *c, struct todo_at *at, struct task_link *ret)
{
    if (open_part(c, at) < 0)
        return -1;
    return found(c, task_link_find(&c->tx, at->task.id, param_str(c, "linkedResource-id"), ret));
}

static int link_get(struct call *c)
{
    struct task_link link;
    struct todo_at at;
    return open_link(c, &at, &link) < 0 ? -1 : answer_link(&at, &link);
}

static int link_create(struct call *c)
{
    struct task_link link = {0}, *list;
    const struct json *body;
    struct todo_at at;
    size_t n;
    if (open_part(c, &at) < 0 || !(body = call_body(c)) ||
        task_links(&c->tx, at.task.id, &list, &n) < 0)
        return -1;
    if (n >= TODO_PARTS_MAX)
        return too_many(c);
    link.task = at.task.id;
    if (todo_read_link(&at, body, &link) < 0 || task_link_put(&c->tx, &link) < 0 || touch(&at) < 0)
        return -1;
    graph_created(
        c, arena_printf(c->tx.arena, "/%s/linkedResources('%s')", todo_task_path(&at), link.key));
    return answer_link(&at, &link);
}

static int link_update(struct call *c)
{
    const struct json *body;
    struct task_link link;
    struct todo_at at;
    if (open_link(c, &at, &link) < 0 || !(body = call_body(c)) ||
        todo_read_link(&at, body, &link) < 0 || task_link_put(&c->tx, &link) < 0 || touch(&at) < 0)
        return -1;
    return answer_link(&at, &link);
}

static int link_delete(struct call *c)
{
    struct task_link link;
    struct todo_at at;
    if (open_link(c, &at, &link) < 0)
        return -1;
    c->status = 204;
    return task_link_drop(&c->tx, link.id) < 0 ? -1 : touch(&at);
}

/* ---- rows ---- */

#define IDS USER, KEY("todoTaskList-id"), KEY("todoTask-id")
static const struct param list_params[] = {IDS, LIST_OPTIONS};
static const struct param create_params[] = {IDS};
static const struct param item_params[] = {IDS, KEY("checklistItem-id")};
static const struct param link_params[] = {IDS, KEY("linkedResource-id")};
static const struct param item_get_params[] = {IDS, KEY("checklistItem-id"), OPTION("select")};
static const struct param link_get_params[] = {IDS, KEY("linkedResource-id"), OPTION("select")};

#define ITEMS     TASK "/checklistItems"
#define ITEM      ITEMS "/{checklistItem-id}"
#define LINKS     TASK "/linkedResources"
#define LINK      LINKS "/{linkedResource-id}"
#define ITEM_TYPE "microsoft.graph.checklistItem"
#define LINK_TYPE "microsoft.graph.linkedResource"
static const struct route methods[] = {
    ROW("todo.checklistItems.list", GET, ITEMS, items_list, RISK_READ, list_params, .scopes = READ,
        .response = ITEM_TYPE "CollectionResponse", .summary = "Steps of a task"),
    ROW("todo.checklistItems.get", GET, ITEM, item_get, RISK_READ, item_get_params, .scopes = READ,
        .response = ITEM_TYPE, .summary = "One step of a task"),
    ROW("todo.checklistItems.create", POST, ITEMS, item_create, RISK_WRITE, create_params,
        .scopes = WRITE, .body = BODY_JSON, .request = ITEM_TYPE, .response = ITEM_TYPE,
        .status = 201, .summary = "Add a step to a task"),
    ROW("todo.checklistItems.update", PATCH, ITEM, item_update, RISK_WRITE, item_params,
        .scopes = WRITE, .body = BODY_JSON, .request = ITEM_TYPE, .response = ITEM_TYPE,
        .idempotent = true, .summary = "Change a step, or check it off"),
    ROW("todo.checklistItems.delete", DELETE, ITEM, item_delete, RISK_DESTRUCTIVE, item_params,
        .scopes = WRITE, .status = 204, .summary = "Delete a step of a task"),
    ROW("todo.linkedResources.list", GET, LINKS, links_list, RISK_READ, list_params, .scopes = READ,
        .response = LINK_TYPE "CollectionResponse", .summary = "What a task came from"),
    ROW("todo.linkedResources.get", GET, LINK, link_get, RISK_READ, link_get_params, .scopes = READ,
        .response = LINK_TYPE, .summary = "One link of a task"),
    ROW("todo.linkedResources.create", POST, LINKS, link_create, RISK_WRITE, create_params,
        .scopes = WRITE, .body = BODY_JSON, .request = LINK_TYPE, .response = LINK_TYPE,
        .status = 201, .summary = "Link a task with what it came from"),
    ROW("todo.linkedResources.update", PATCH, LINK, link_update, RISK_WRITE, link_params,
        .scopes = WRITE, .body = BODY_JSON, .request = LINK_TYPE, .response = LINK_TYPE,
        .idempotent = true, .summary = "Change a link of a task"),
    ROW("todo.linkedResources.delete", DELETE, LINK, link_delete, RISK_DESTRUCTIVE, link_params,
        .scopes = WRITE, .status = 204, .summary = "Delete a link of a task"),
};
const struct rows todo_part_rows = ROWS(methods);
