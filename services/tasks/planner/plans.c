/* SPDX-License-Identifier: Apache-2.0 */
/* Plans of groups, and their details. */
#include "engine/base/utf8.h"
#include "services/tasks/planner/rows.h"
#include <strings.h>

/* ---- lists ---- */

struct plans {
    struct planner_at *at;
    int64_t team;  /* 0: those of the user */
    int64_t actor; /* the same: whose */
    struct ms_user user;
    struct task_plan plan;
};

/* Is it a plan of the user's: of a group that the user is in, or shared with the user? 1, 0, -1. */
static int is_of_user(struct plans *p)
{
    struct planner_at as = *p->at;
    struct ms_group g;
    int r = ms_group_of(&p->at->c->tx, p->plan.team, &g);
    as.me = p->user;
    if (r == 1)
        r = planner_in_group(&as, &g);
    if (r == 0 && p->plan.shared && strstr(p->plan.shared, p->user.oid))
        r = g.tenant == as.tenant;
    if (r == 1)
        p->at->group = g;
    return r;
}

static int next_plan(void *arg, int64_t after, int64_t *ret_id)
{
    struct plans *p = arg;
    int r;
    p->plan.id = after;
    while ((r = task_plan_next(&p->at->c->tx, p->team, p->plan.id, &p->plan)) == 1) {
        r = p->team ? 1 : is_of_user(p);
        if (r < 0)
            return -1;
        *ret_id = p->plan.id;
        if (r)
            return 1;
    }
    return r;
}

static int write_plan(void *arg)
{
    struct plans *p = arg;
    planner_write_plan(p->at, &p->plan);
    return 0;
}

/* The group of an id, that the caller is in. 0, -1. */
static int open_group(struct planner_at *at, const char *id)
{
    struct call *c = at->c;
    int r = ms_group_find(&c->tx, id, at->tenant, &at->group);
    if (r == 1)
        r = at->group.unified;
    if (r != 1)
        return r < 0 ? -1 : graph_not_found(c);
    r = planner_in_group(at, &at->group);
    return r == 1  ? 0
           : r < 0 ? -1
                   : graph_fail_own(c, SOSIA_E_FORBIDDEN, 0, "", NULL,
                                    "You do not have the required permissions to access this "
                                    "item.");
}

static int group_plans(struct call *c)
{
    struct planner_at at;
    struct plans p = {.at = &at};
    if (planner_open(c, &at) < 0 || open_group(&at, param_str(c, "group-id")) < 0 ||
        planner_options(&at, "plannerPlan") < 0)
        return -1;
    p.team = at.group.addresses;
    return planner_answer_list(&at, "plannerPlan", next_plan, write_plan, &p);
}

/* Whose: of the path, or the caller. */
static int open_user(struct planner_at *at, struct ms_user *ret)
{
    const char *named = param_str(at->c, "user-id");
    int r = named ? ms_user_find(&at->c->tx, named, at->tenant, ret) : at->me.id != 0;
    if (!named)
        *ret = at->me;
    if (r != 1)
        return r < 0 ? -1 : graph_not_found(at->c);
    return !at->me.id || ret->id == at->me.id ? 0 : graph_denied(at->c);
}

static int my_plans(struct call *c)
{
    struct planner_at at;
    struct plans p = {.at = &at};
    if (planner_open(c, &at) < 0 || open_user(&at, &p.user) < 0 ||
        planner_options(&at, "plannerPlan") < 0)
        return -1;
    return planner_answer_list(&at, "plannerPlan", next_plan, write_plan, &p);
}

/* Without a path of its own a group's plans are found by $filter alone. */
static int filtered_plans(struct call *c)
{
    struct planner_at at;
    struct plans p = {.at = &at};
    if (planner_open(c, &at) < 0 || graph_query(c, "plannerPlan", NULL, &at.q) < 0)
        return -1;
    const struct odata_value *owner = at.q.filter ? odata_equal(at.q.filter, "owner") : NULL;
    if (!owner || !owner->text)
        return planner_bad(c, "The request must be filtered by owner: $filter=owner eq "
                              "'{group-id}'.");
    if (open_group(&at, owner->text) < 0)
        return -1;
    p.team = at.group.addresses;
    return planner_answer_list(&at, "plannerPlan", next_plan, write_plan, &p);
}

/* ---- one ---- */

static int answer_plan(struct planner_at *at)
{
    struct call *c = at->c;
    if (planner_select(at, "plannerPlan") < 0)
        return -1;
    json_obj(c->out, NULL);
    graph_context(c, "planner/plans%s/$entity", odata_context(c->tx.arena, &at->q));
    planner_write_plan(at, &at->plan);
    int r = 0;
    if (odata_expands(&at->q, "details")) {
        json_obj(c->out, "details");
        r = planner_write_plan_details(at, &at->plan);
        json_end(c->out);
    }
    json_end(c->out);
    c->etag = planner_etag(c->tx.arena, PLANNER_PLAN, at->plan.version);
    return r;
}

static int plan_get(struct call *c)
{
    struct planner_at at;
    return planner_open(c, &at) < 0 || planner_plan(&at) < 0 ? -1 : answer_plan(&at);
}

static int read_plan_title(struct call *c, const struct json *body, bool needed, const char **ret)
{
    const struct json *v = json_get(body, "title");
    if (!v && !needed)
        return 0;
    if (!v || v->type != JSON_STRING || !v->n)
        return planner_invalid(c, "Plan", "Title",
                               "A non-null value must be specified for this field.");
    if (utf8_count(v->str, v->n) > TASK_TITLE_MAX)
        return planner_invalid(c, "Plan", "Title",
                               "The value must be shorter than or equal to 255 characters.");
    *ret = v->str;
    return 0;
}

/* "https://graph.microsoft.com/v1.0/groups/ID", or the id. */
static const char *group_of_body(const struct json *body)
{
    const struct json *container = json_get(body, "container");
    const char *url = json_get_str(container, "url"), *id = json_get_str(container, "containerId");
    const char *slash = url ? strrchr(url, '/') : NULL;
    return slash ? slash + 1 : id ? id : json_get_str(body, "owner");
}

static int plan_create(struct call *c)
{
    int64_t n = 0, after = 0, id;
    const struct json *body;
    struct planner_at at;
    struct plans p = {.at = &at};
    if (planner_open(c, &at) < 0 || !(body = call_body(c)))
        return -1;
    const char *group = group_of_body(body);
    if (!group)
        return planner_invalid(c, "Plan", "Container",
                               "A non-null value must be specified for this field.");
    at.plan = (struct task_plan){.creator = c->tx.actor, .app = at.app};
    if (read_plan_title(c, body, true, &at.plan.title) < 0 || open_group(&at, group) < 0)
        return -1;
    p.team = at.plan.team = at.group.addresses;
    while (next_plan(&p, after, &id) == 1 && n <= PLANNER_PLANS) {
        after = id;
        n++;
    }
    if (n >= PLANNER_PLANS)
        return planner_full(c, "MaximumProjectsOwnedByUser");
    if (task_plan_add(&c->tx, &at.plan) < 0)
        return -1;
    graph_created(c, arena_printf(c->tx.arena, "/planner/plans('%s')", at.plan.key));
    return answer_plan(&at);
}

static int plan_update(struct call *c)
{
    const struct json *body;
    struct planner_at at;
    if (planner_open(c, &at) < 0 || planner_plan(&at) < 0 ||
        planner_if_match(c, PLANNER_PLAN, at.plan.version) < 0 || !(body = call_body(c)) ||
        read_plan_title(c, body, false, &at.plan.title) < 0 ||
        task_plan_save(&c->tx, &at.plan, false) < 0)
        return -1;
    return planner_answers(c) ? answer_plan(&at) : 0;
}

static int plan_delete(struct call *c)
{
    struct planner_at at;
    if (planner_open(c, &at) < 0 || planner_plan(&at) < 0 ||
        planner_if_match(c, PLANNER_PLAN, at.plan.version) < 0)
        return -1;
    c->status = 204;
    return task_plan_drop(&c->tx, &at.plan);
}

/* ---- details ---- */

static int answer_details(struct planner_at *at)
{
    struct call *c = at->c;
    if (planner_select(at, "plannerPlanDetails") < 0)
        return -1;
    json_obj(c->out, NULL);
    graph_context(c, "planner/plans%s/details%s/$entity", graph_key(c->tx.arena, at->plan.key),
                  odata_context(c->tx.arena, &at->q));
    int r = planner_write_plan_details(at, &at->plan);
    json_end(c->out);
    c->etag = planner_etag(c->tx.arena, PLANNER_PLAN_DETAILS, at->plan.detail_version);
    return r;
}

static int details_get(struct call *c)
{
    struct planner_at at;
    return planner_open(c, &at) < 0 || planner_plan(&at) < 0 ? -1 : answer_details(&at);
}

/* The members of `body` over those of a kept object; null and false take one away. 0, -1. */
static int merged(struct call *c, const char *old, const struct json *body, const char **ret)
{
    struct arena *a = c->tx.arena;
    const struct json *had = NULL;
    struct json_writer w;
    struct buf b;
    uint32_t n = 0;
    if (!body || body->type != JSON_OBJECT)
        return 0;
    if (old && json_parse(a, old, strlen(old), NULL, &had, c->tx.err) < 0)
        return -1;
    json_start(&w, &b);
    json_obj(&w, NULL);
    for (uint32_t i = 0; had && i < had->n; i++)
        if (!json_get(body, had->members[i].key)) {
            json_value(&w, had->members[i].key, &had->members[i].value);
            n++;
        }
    for (uint32_t i = 0; i < body->n; i++) {
        const struct json *v = &body->members[i].value;
        if (v->type == JSON_NULL || json_is_false(v) || strchr(body->members[i].key, '@'))
            continue;
        json_value(&w, body->members[i].key, v);
        n++;
    }
    json_end(&w);
    *ret = n && !buf_failed(&b) ? arena_strdup(a, buf_str(&b)) : NULL;
    buf_done(&b);
    return 0;
}

/* Each must be a user of the tenant. */
static int check_shared(struct planner_at *at, const struct json *shared)
{
    struct ms_user user;
    for (uint32_t i = 0; shared && shared->type == JSON_OBJECT && i < shared->n; i++) {
        const char *key = shared->members[i].key;
        const struct json *v = &shared->members[i].value;
        if (strchr(key, '@'))
            continue;
        int r = v->type == JSON_BOOL || v->type == JSON_NULL
                    ? ms_user_find(&at->c->tx, key, at->tenant, &user)
                    : 0;
        if (r == 1 && strcasecmp(user.oid, key) != 0)
            r = 0;
        if (r != 1)
            return r < 0 ? -1
                         : planner_invalid(at->c, "PlanDetails", "SharedWith",
                                           "The user does not exist.");
    }
    return shared && shared->type == JSON_OBJECT && shared->n > 100
               ? planner_full(at->c, "MaximumUsersSharedWithProject")
               : 0;
}

static int check_labels(struct call *c, const struct json *labels)
{
    for (uint32_t i = 0; labels && labels->type == JSON_OBJECT && i < labels->n; i++)
        if (labels->members[i].value.type == JSON_STRING && labels->members[i].value.n > 100)
            return planner_invalid(c, "PlanDetails", "CategoryDescriptions",
                                   "The value is too long.");
    return 0;
}

static int details_update(struct call *c)
{
    const struct json *body;
    struct planner_at at;
    if (planner_open(c, &at) < 0 || planner_plan(&at) < 0 ||
        planner_if_match(c, PLANNER_PLAN_DETAILS, at.plan.detail_version) < 0 ||
        !(body = call_body(c)))
        return -1;
    const struct json *shared = json_get(body, "sharedWith"),
                      *labels = json_get(body, "categoryDescriptions");
    if (check_shared(&at, shared) < 0 || check_labels(c, labels) < 0 ||
        merged(c, at.plan.shared, shared, &at.plan.shared) < 0 ||
        merged(c, at.plan.labels, labels, &at.plan.labels) < 0 ||
        task_plan_save(&c->tx, &at.plan, true) < 0)
        return -1;
    return planner_answers(c) ? answer_details(&at) : 0;
}

/* ---- rows ---- */

#define TYPE    "microsoft.graph.plannerPlan"
#define DETAILS "microsoft.graph.plannerPlanDetails"

static const struct param group_params[] = {KEY("group-id"), OPTION("select"), OPTION("skiptoken")};
static const struct param my_params[] = {
    {.name = "user-id", .place = IN_PATH}, OPTION("select"), OPTION("skiptoken")};
static const struct param filter_params[] = {OPTION("filter"), OPTION("select"),
                                             OPTION("skiptoken")};
static const struct param get_params[] = {KEY("plannerPlan-id"), OPTION("expand"),
                                          OPTION("select")};
static const struct param details_params[] = {KEY("plannerPlan-id"), OPTION("select")};
static const struct param params[] = {KEY("plannerPlan-id"), IF_MATCH};

static const struct route methods[] = {
    ROW("planner.groups.plans.list", GET, (GRAPH("/groups/{group-id}/planner/plans")), group_plans,
        RISK_READ, group_params, .scopes = READ, .response = TYPE "CollectionResponse",
        .summary = "Plans of a group"),
    ROW("planner.users.plans.list", GET, (GRAPH_MY("/planner/plans")), my_plans, RISK_READ,
        my_params, .scopes = READ, .response = TYPE "CollectionResponse",
        .summary = "Plans of a user: of groups that the user is in, and shared ones"),
    ROW("planner.plans.list", GET, (GRAPH(PLANS)), filtered_plans, RISK_READ, filter_params,
        .scopes = READ, .response = TYPE "CollectionResponse",
        .summary = "Plans of the group that $filter names"),
    ROW("planner.plans.get", GET, (GRAPH(PLAN)), plan_get, RISK_READ, get_params, .scopes = READ,
        .response = TYPE, .summary = "One plan"),
    {ROUTE("planner.plans.create", POST, GRAPH(PLANS)), .handler = plan_create, .risk = RISK_WRITE,
     .scopes = WRITE, .body = BODY_JSON, .request = TYPE, .response = TYPE, .status = 201,
     .summary = "Make a plan for a group"},
    ROW("planner.plans.update", PATCH, (GRAPH(PLAN)), plan_update, RISK_WRITE, params,
        .scopes = WRITE, .body = BODY_JSON, .request = TYPE, .response = TYPE,
        .summary = "Give a plan another name"),
    ROW("planner.plans.delete", DELETE, (GRAPH(PLAN)), plan_delete, RISK_DESTRUCTIVE, params,
        .scopes = WRITE, .status = 204, .summary = "Delete a plan with its tasks"),
    ROW("planner.plans.details.get", GET, (GRAPH(PLAN "/details")), details_get, RISK_READ,
        details_params, .scopes = READ, .response = DETAILS,
        .summary = "Names of a plan's labels, and whom it is shared with"),
    ROW("planner.plans.details.update", PATCH, (GRAPH(PLAN "/details")), details_update, RISK_WRITE,
        params, .scopes = WRITE, .body = BODY_JSON, .request = DETAILS, .response = DETAILS,
        .summary = "Name a plan's labels, or share it"),
};
const struct rows planner_plan_rows = ROWS(methods);
