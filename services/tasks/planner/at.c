/* SPDX-License-Identifier: Apache-2.0 */
/* Who calls, and the plan, bucket and task that a path or a body names. */
#include "services/tasks/planner/planner.h"

int planner_bad(struct call *c, const char *text)
{
    return graph_fail_own(c, SOSIA_E_INVALID, 0, "", NULL, "%s", text);
}

int planner_invalid(struct call *c, const char *entity, const char *field, const char *text)
{
    return graph_fail_own(c, SOSIA_E_INVALID, 0, "", NULL,
                          "Schema validation has failed. Validation for field '%s', on entity "
                          "'%s' has failed: %s",
                          field, entity, text);
}

int planner_full(struct call *c, const char *limit)
{
    return graph_fail_own(c, SOSIA_E_FORBIDDEN, 0, limit, NULL, "The limit %s has been exceeded.",
                          limit);
}

int planner_open(struct call *c, struct planner_at *ret)
{
    struct ident_app app;
    *ret = (struct planner_at){.c = c};
    int r = graph_caller_tenant(c, &ret->tenant);
    if (r == 1 && !graph_app_only(c))
        r = ms_user_of_actor(&c->tx, c->actor.id, ret->tenant, &ret->me);
    if (r != 1)
        return r < 0 ? -1 : graph_denied(c);
    r = c->app > 0 ? app_get(&c->tx, c->app, &app) : 0;
    ret->app = r == 1 ? app.client_id : NULL;
    return r < 0 ? -1 : 0;
}

int planner_in_group(struct planner_at *at, const struct ms_group *g)
{
    struct tx *tx = &at->c->tx;
    const char *address;
    if (g->tenant != at->tenant)
        return 0;
    if (!at->me.id)
        return 1;
    int r = ms_owner_is(tx, g->id, at->me.id);
    if (r)
        return r;
    return ms_user_address(tx, &at->me, &address) < 0 ? -1
                                                      : group_has_member(tx, g->addresses, address);
}

/* The plan was found: may the caller see it? */
static int open_plan(struct planner_at *at, int r)
{
    struct call *c = at->c;
    if (r == 1)
        r = ms_group_of(&c->tx, at->plan.team, &at->group);
    if (r == 1 && at->group.tenant != at->tenant)
        r = 0;
    if (r != 1)
        return r < 0 ? -1 : graph_not_found(c);
    r = planner_in_group(at, &at->group);
    return r == 1 ? 0 : r < 0 ? -1 : graph_denied(c);
}

int planner_plan_by(struct planner_at *at, const char *id)
{
    return open_plan(at, task_plan_find(&at->c->tx, id, &at->plan));
}

int planner_plan(struct planner_at *at)
{
    return planner_plan_by(at, param_str(at->c, "plannerPlan-id"));
}

int planner_bucket(struct planner_at *at)
{
    struct tx *tx = &at->c->tx;
    int r = task_bucket_find(tx, param_str(at->c, "plannerBucket-id"), &at->bucket);
    return open_plan(at, r == 1 ? task_plan_get(tx, at->bucket.plan, &at->plan) : r);
}

int planner_task(struct planner_at *at)
{
    struct tx *tx = &at->c->tx;
    int r = task_find(tx, param_str(at->c, "plannerTask-id"), &at->task);
    if (r == 1)
        r = at->task.plan ? task_plan_get(tx, at->task.plan, &at->plan) : 0;
    return open_plan(at, r);
}

const char *planner_oid(struct planner_at *at, int64_t actor)
{
    struct ms_user user;
    if (actor && actor != at->known_actor) {
        int r = ms_user_of_actor(&at->c->tx, actor, at->tenant, &user);
        at->known_oid = r == 1 ? user.oid : NULL;
        at->known_actor = actor;
    }
    return actor ? at->known_oid : NULL;
}
