/* SPDX-License-Identifier: Apache-2.0 */
/* Buckets of a plan. */
#include "engine/base/utf8.h"
#include "services/tasks/planner/rows.h"

struct buckets {
    struct planner_at *at;
    struct task_bucket bucket;
};

/* In the order of the plan; a page goes on behind the bucket of an id. */
static int next_bucket(void *arg, int64_t after, int64_t *ret_id)
{
    struct buckets *b = arg;
    struct tx *tx = &b->at->c->tx;
    struct task_bucket last;
    int r = after ? task_bucket_get(tx, after, &last) : 0;
    if (r < 0 || (after && !r)) /* it was deleted between two pages */
        return r;
    r = task_bucket_next(tx, b->at->plan.id, after ? &last : NULL, &b->bucket);
    *ret_id = b->bucket.id;
    return r;
}

static int write_bucket(void *arg)
{
    struct buckets *b = arg;
    planner_write_bucket(b->at, &b->bucket);
    return 0;
}

static int buckets_list(struct call *c)
{
    struct planner_at at;
    struct buckets b = {.at = &at};
    if (planner_open(c, &at) < 0 || planner_plan(&at) < 0 ||
        planner_options(&at, "plannerBucket") < 0)
        return -1;
    return planner_answer_list(&at, "plannerBucket", next_bucket, write_bucket, &b);
}

static int answer_bucket(struct planner_at *at)
{
    struct call *c = at->c;
    if (planner_select(at, "plannerBucket") < 0)
        return -1;
    json_obj(c->out, NULL);
    graph_context(c, "planner/buckets%s/$entity", odata_context(c->tx.arena, &at->q));
    planner_write_bucket(at, &at->bucket);
    json_end(c->out);
    c->etag = planner_etag(c->tx.arena, PLANNER_BUCKET, at->bucket.version);
    return 0;
}

static int bucket_get(struct call *c)
{
    struct planner_at at;
    return planner_open(c, &at) < 0 || planner_bucket(&at) < 0 ? -1 : answer_bucket(&at);
}

static int read_bucket(struct call *c, const struct json *body, struct task_bucket *b)
{
    const struct json *v = json_get(body, "name");
    if (v ? v->type != JSON_STRING || !v->n : !b->name)
        return planner_invalid(c, "Bucket", "Name",
                               "A non-null value must be specified for this field.");
    if (v && utf8_count(v->str, v->n) > TASK_TITLE_MAX)
        return planner_invalid(c, "Bucket", "Name",
                               "The value must be shorter than or equal to 255 characters.");
    b->name = v ? v->str : b->name;
    return planner_read_hint(c, body, "orderHint", &b->place);
}

static int bucket_create(struct call *c)
{
    const struct json *body;
    int64_t buckets, tasks;
    struct planner_at at;
    if (planner_open(c, &at) < 0 || !(body = call_body(c)))
        return -1;
    const char *plan = json_get_str(body, "planId");
    if (!plan)
        return planner_invalid(c, "Bucket", "PlanId",
                               "A non-null value must be specified for this field.");
    if (planner_plan_by(&at, plan) < 0 || read_bucket(c, body, &at.bucket) < 0 ||
        task_plan_counts(&c->tx, at.plan.id, &buckets, &tasks) < 0)
        return -1;
    if (buckets >= PLANNER_BUCKETS)
        return planner_full(c, "MaximumBucketsInProject");
    at.bucket.plan = at.plan.id;
    if (!at.bucket.place && !(at.bucket.place = task_plan_front(&c->tx, at.plan.id, true)))
        return -1;
    if (task_bucket_add(&c->tx, &at.bucket) < 0)
        return -1;
    graph_created(c, arena_printf(c->tx.arena, "/planner/buckets('%s')", at.bucket.key));
    return answer_bucket(&at);
}

static int bucket_update(struct call *c)
{
    const struct json *body;
    struct planner_at at;
    if (planner_open(c, &at) < 0 || planner_bucket(&at) < 0 ||
        planner_if_match(c, PLANNER_BUCKET, at.bucket.version) < 0 || !(body = call_body(c)) ||
        read_bucket(c, body, &at.bucket) < 0 || task_bucket_save(&c->tx, &at.bucket) < 0)
        return -1;
    return planner_answers(c) ? answer_bucket(&at) : 0;
}

static int bucket_delete(struct call *c)
{
    struct planner_at at;
    if (planner_open(c, &at) < 0 || planner_bucket(&at) < 0 ||
        planner_if_match(c, PLANNER_BUCKET, at.bucket.version) < 0)
        return -1;
    c->status = 204;
    return task_bucket_drop(&c->tx, &at.bucket);
}

#define TYPE "microsoft.graph.plannerBucket"
static const struct param list_params[] = {KEY("plannerPlan-id"), OPTION("select"),
                                           OPTION("skiptoken")};
static const struct param get_params[] = {KEY("plannerBucket-id"), OPTION("select")};
static const struct param params[] = {KEY("plannerBucket-id"), IF_MATCH};
static const struct route methods[] = {
    ROW("planner.plans.buckets.list", GET, (GRAPH(PLAN "/buckets")), buckets_list, RISK_READ,
        list_params, .scopes = READ, .response = TYPE "CollectionResponse",
        .summary = "Buckets of a plan"),
    ROW("planner.buckets.get", GET, (GRAPH(BUCKET)), bucket_get, RISK_READ, get_params,
        .scopes = READ, .response = TYPE, .summary = "One bucket"),
    {ROUTE("planner.buckets.create", POST, GRAPH(BUCKETS)), .handler = bucket_create,
     .risk = RISK_WRITE, .scopes = WRITE, .body = BODY_JSON, .request = TYPE, .response = TYPE,
     .status = 201, .summary = "Make a bucket in a plan"},
    ROW("planner.buckets.update", PATCH, (GRAPH(BUCKET)), bucket_update, RISK_WRITE, params,
        .scopes = WRITE, .body = BODY_JSON, .request = TYPE, .response = TYPE,
        .summary = "Give a bucket another name or place"),
    ROW("planner.buckets.delete", DELETE, (GRAPH(BUCKET)), bucket_delete, RISK_DESTRUCTIVE, params,
        .scopes = WRITE, .status = 204, .summary = "Delete a bucket with its tasks"),
};
const struct rows planner_bucket_rows = ROWS(methods);
