/* SPDX-License-Identifier: Apache-2.0 */
/* Whose lists a call is about, and the list and the task of its path. */
#include "engine/base/codec.h"
#include "engine/text/tz.h"
#include "services/tasks/todo/todo.h"
#include "vendors/microsoft/query.h"
#include "vendors/microsoft/zone.h"

int todo_invalid(struct call *c, const char *inner, const char *text)
{
    return graph_fail_own(c, SOSIA_E_INVALID, 0, "invalidRequest", inner, "%s", text);
}

int todo_wrong(struct call *c, const char *member, const char *expected)
{
    call_why(c, "%s must be %s", member, expected);
    return todo_invalid(c, "InvalidModel", "Invalid request");
}

/* Times of answers are in UTC unless a program asks for another zone. */
static int read_zone(struct todo_at *at)
{
    const char *name = graph_prefer(at->c, "outlook.timezone");
    const char *iana = name ? graph_zone_iana(name) : NULL;
    at->zone = iana ? name : "UTC";
    at->tz = iana ? tz_find(iana) : NULL;
    if (name && !iana)
        return todo_invalid(at->c, "InvalidTimeZone", "The time zone is not supported.");
    if (name)
        graph_applied(at->c, "outlook.timezone", name, true);
    return 0;
}

int todo_open(struct call *c, struct todo_at *ret)
{
    *ret = (struct todo_at){.c = c};
    if (graph_whose(c, 0, &ret->user) < 0)
        return -1;
    if (!ret->user.me && !graph_app_only(c)) /* another's are an app's to see */
        return graph_denied(c);
    graph_store_of(c->tx.arena, ret->user.tenant, ret->user.upn, &ret->store);
    return read_zone(ret);
}

int todo_list_named(struct tx *tx, int64_t account, const char *text, struct task_list *ret)
{
    if (str_eq_nocase(text, "Tasks"))
        return task_list_usual(tx, account, TASK_LIST_USUAL, ret);
    int r = task_list_find(tx, account, text, ret);
    for (int kind = TASK_LIST_USUAL; !r && kind <= TASK_LIST_FLAGGED; kind++) {
        r = task_list_usual(tx, account, (enum task_list_kind)kind, ret);
        if (r == 1 && (ret->id || strcmp(ret->key, text) != 0))
            r = 0;
    }
    return r;
}

int todo_list(struct todo_at *at, bool written)
{
    struct call *c = at->c;
    int r =
        todo_list_named(&c->tx, at->user.account.id, param_str(c, "todoTaskList-id"), &at->list);
    if (r != 1)
        return r < 0 ? -1
                     : graph_fail_own(c, SOSIA_E_NOT_FOUND, 0, "itemNotFound", "ErrorItemNotFound",
                                      "The specified object was not found in the store.");
    return written && !at->list.id ? task_list_add(&c->tx, &at->list) : 0;
}

int todo_task(struct todo_at *at)
{
    struct call *c = at->c;
    if (todo_list(at, false) < 0)
        return -1;
    int r = task_find(&c->tx, param_str(c, "todoTask-id"), &at->task);
    if (r == 1 && at->task.list && at->list.id == at->task.list)
        return 0;
    if (r < 0)
        return -1;
    struct task_list other;
    if (r == 1 && at->task.list && task_list_get(&c->tx, at->task.list, &other) == 1 &&
        other.account == at->user.account.id)
        return todo_invalid(c, "ParentFolderDoesNotContainTaskWithGivenId",
                            "Parent folder specified does not contain a Task with given Id");
    return graph_fail_own(c, SOSIA_E_NOT_FOUND, 0, "itemNotFound", "ErrorItemNotFound",
                          "The specified object was not found in the store.");
}

int todo_options(struct call *c, const char *type, struct odata_query *ret)
{
    const struct odata_rules rules = {.max_top = TODO_MAX_TOP};
    return graph_query(c, type, &rules, ret);
}
