/* SPDX-License-Identifier: Apache-2.0 */
/* Who shall do a task. */
#include "services/tasks/planner/planner.h"
#include <strings.h>

static int put_person(struct planner_at *at, const char *oid, const struct json *v, struct task *t)
{
    struct call *c = at->c;
    struct task_assignment one, *list;
    struct ms_user user;
    size_t n;
    int r = ms_user_find(&c->tx, oid, at->tenant, &user);
    if (r == 1 && strcasecmp(user.oid, oid) != 0) /* an address is not an id */
        r = 0;
    if (r != 1)
        return r < 0 ? -1 : planner_invalid(c, "Task", "Assignments", "The user does not exist.");
    r = task_assignment_find(&c->tx, t->id, user.actor, &one);
    if (r < 0)
        return -1;
    if (v->type == JSON_NULL)
        return r ? task_assignment_drop(&c->tx, one.id) : 0;
    if (v->type != JSON_OBJECT)
        return planner_invalid(c, "Task", "Assignments", "The value must be an assignment.");
    if (task_assignments(&c->tx, t->id, &list, &n) < 0)
        return -1;
    if (!r && n >= PLANNER_PEOPLE)
        return planner_full(c, "MaximumAssigneesInTasks");
    if (!r)
        one = (struct task_assignment){.task = t->id,
                                       .actor = user.actor,
                                       .assigner = c->tx.actor,
                                       .app = at->app,
                                       .place = planner_front(c, n ? list[0].place : "")};
    if (planner_read_hint(c, v, "orderHint", &one.place) < 0)
        return -1;
    return task_assignment_put(&c->tx, &one);
}

int planner_put_people(struct planner_at *at, const struct json *body, struct task *t)
{
    const struct json *v = json_get(body, "assignments");
    if (!v || v->type != JSON_OBJECT)
        return 0;
    for (uint32_t i = 0; i < v->n; i++)
        if (!strchr(v->members[i].key, '@') &&
            put_person(at, v->members[i].key, &v->members[i].value, t) < 0)
            return -1;
    return 0;
}
