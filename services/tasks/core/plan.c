/* SPDX-License-Identifier: Apache-2.0 */
/* Plans of groups, and their buckets. */
#include "engine/world/take.h"
#include "services/tasks/core/impl.h"

/* ---- in documents ---- */

static int find_group(struct tx *tx, const char *text, int64_t *ret)
{
    struct group g;
    int r = group_by_email(tx, text, &g);
    if (r == 1)
        *ret = g.id;
    return r;
}

static int group_name(struct tx *tx, int64_t id, const char **ret)
{
    struct group g;
    int r = group_by_id(tx, id, &g);
    if (r == 1)
        *ret = g.email;
    return r;
}

static int find_plan(struct tx *tx, const char *text, int64_t *ret)
{
    struct task_plan plan;
    int r = task_plan_find(tx, text, &plan);
    if (r == 1)
        *ret = plan.id;
    return r;
}

static int plan_name(struct tx *tx, int64_t id, const char **ret)
{
    struct task_plan plan;
    int r = task_plan_get(tx, id, &plan);
    if (r == 1)
        *ret = plan.key;
    return r;
}

static int find_bucket(struct tx *tx, const char *text, int64_t *ret)
{
    struct task_bucket bucket;
    int r = task_bucket_find(tx, text, &bucket);
    if (r == 1)
        *ret = bucket.id;
    return r;
}

static int bucket_name(struct tx *tx, int64_t id, const char **ret)
{
    struct task_bucket bucket;
    int r = task_bucket_get(tx, id, &bucket);
    if (r == 1)
        *ret = bucket.key;
    return r;
}

static const struct reference group_reference = {.noun = "the address of a group",
                                                 .unknown = "there is no group",
                                                 .find = find_group,
                                                 .name = group_name};
const struct reference task_plan_reference = {.noun = "the id of a plan",
                                              .unknown = "there is no plan",
                                              .find = find_plan,
                                              .name = plan_name};
const struct reference task_bucket_reference = {.noun = "the id of a bucket",
                                                .unknown = "there is no bucket",
                                                .find = find_bucket,
                                                .name = bucket_name};

static int plan_seeded(const struct form_in *in, void *row)
{
    return task_plan_add(in->tx, row);
}

static int bucket_seeded(const struct form_in *in, void *row)
{
    return task_bucket_add(in->tx, row);
}

static const struct member plan_members[] = {
    STORED_ID(struct task_plan),
    {"id", "Its id; made up without it", TEXT_AT(struct task_plan, key)},
    {"group", "Whose it is", .flags = MEMBER_REQUIRED,
     REF_AT(struct task_plan, team, &group_reference)},
    {"title", "Its name", TEXT_AT(struct task_plan, title), .flags = MEMBER_REQUIRED},
    {"created_by", "Who made it", REF_AT(struct task_plan, creator, &actor_reference)},
    {"app", "The client id of the program it was made with", TEXT_AT(struct task_plan, app)},
    {"created", "When it was made; else now", TIME_AT(struct task_plan, made_us)},
    {"labels", "Names of labels by the vendor's ids", .inner = "*",
     JSON_AT(struct task_plan, labels)},
    {"shared", "People it is shared with, by the vendor's ids", .inner = "*",
     JSON_AT(struct task_plan, shared)},
    TASK_COLUMN(struct task_plan, version),
    TASK_COLUMN(struct task_plan, detail_version),
};
STORED(task_plan_stored, "A plan", struct task_plan, plan_members, NULL, .table = "task_plan",
       .key = "id", .add = plan_seeded);

static const struct member bucket_members[] = {
    STORED_ID(struct task_bucket),
    {"id", "Its id; made up without it", TEXT_AT(struct task_bucket, key)},
    {"plan", "The plan", .flags = MEMBER_REQUIRED,
     REF_AT(struct task_bucket, plan, &task_plan_reference)},
    {"name", "Its name", TEXT_AT(struct task_bucket, name), .flags = MEMBER_REQUIRED},
    {"place", "Its order among those of the plan, by bytes; else behind the others",
     TEXT_AT(struct task_bucket, place)},
    TASK_COLUMN(struct task_bucket, version),
};
STORED(task_bucket_stored, "A bucket of a plan", struct task_bucket, bucket_members, NULL,
       .table = "task_bucket", .key = "id", .add = bucket_seeded);

/* ---- plans ---- */

int task_plan_get(struct tx *tx, int64_t id, struct task_plan *ret)
{
    return stored_get(tx, &task_plan_stored, id, ret);
}

int task_plan_find(struct tx *tx, const char *key, struct task_plan *ret)
{
    static struct sql_text q = SQL_TEXT("where key = ?1");
    return STORED_ONE(tx, &task_plan_stored, &q, ret, key);
}

int task_plan_next(struct tx *tx, int64_t team, int64_t after, struct task_plan *ret)
{
    static struct sql_text q = SQL_TEXT("where team = ?1 and id > ?2 order by id limit 1");
    static struct sql_text q_any = SQL_TEXT("where id > ?1 order by id limit 1");
    return team ? STORED_ONE(tx, &task_plan_stored, &q, ret, team, after)
                : STORED_ONE(tx, &task_plan_stored, &q_any, ret, after);
}

int task_plan_add(struct tx *tx, struct task_plan *plan)
{
    if (!plan->key && !(plan->key = task_vendor_of_plans(tx)->key(tx, TASK_THING_PLAN)))
        return -1;
    plan->made_us = plan->made_us ? plan->made_us : tx->now_us;
    plan->version = plan->detail_version = 1;
    if (stored_add(tx, &task_plan_stored, plan) < 0)
        return -1;
    plan->id = tx_last_id(tx);
    event_note(tx, TASK_PLAN_CHANGED, OP_ADDED, plan->id, plan->id);
    return 0;
}

int task_plan_save(struct tx *tx, struct task_plan *plan, bool details)
{
    static struct sql_text q =
        SQL_TEXT("update task_plan set title = :title, labels = :labels, shared = :shared, "
                 "version = :version, detail_version = :details where id = :id");
    plan->version += !details;
    plan->detail_version += details;
    event_note(tx, TASK_PLAN_CHANGED, OP_CHANGED, plan->id, plan->id);
    return TX_RUN(tx, &q, plan->title, plan->labels, plan->shared, plan->version,
                  plan->detail_version, plan->id);
}

int task_plan_drop(struct tx *tx, const struct task_plan *plan)
{
    static struct sql_text q_tasks = SQL_TEXT("delete from task_task where plan = :plan");
    static struct sql_text q = SQL_TEXT("delete from task_plan where id = :id");
    event_note(tx, TASK_PLAN_CHANGED, OP_REMOVED, plan->id, plan->id);
    return TX_RUN(tx, &q_tasks, plan->id) < 0 ? -1 : TX_RUN(tx, &q, plan->id);
}

int task_plan_counts(struct tx *tx, int64_t plan, int64_t *ret_buckets, int64_t *ret_tasks)
{
    static struct sql_text q =
        SQL_TEXT("select (select count(*) from task_bucket where plan = ?1), "
                 "(select count(*) from task_task where plan = ?1)");
    return TX_TAKE(tx, TX_QUERY(tx, &q, plan), ret_buckets, ret_tasks) == 1 ? 0 : -1;
}

int task_plan_first(struct tx *tx, int64_t plan, bool buckets, const char **ret)
{
    static struct sql_text q_tasks =
        SQL_TEXT("select min(place) from task_task where plan = :plan having count(*) > 0");
    static struct sql_text q_buckets =
        SQL_TEXT("select min(place) from task_bucket where plan = :plan having count(*) > 0");
    *ret = "";
    return TX_TAKE(tx, TX_QUERY(tx, buckets ? &q_buckets : &q_tasks, plan), ret) < 0 ? -1 : 0;
}

const char *task_plan_front(struct tx *tx, int64_t plan, bool buckets)
{
    const struct task_vendor *v = task_vendor_of_plans(tx);
    const char *first, *place = v->place ? v->place(tx) : "";
    if (task_plan_first(tx, plan, buckets, &first) < 0 || !place)
        return NULL;
    return *place && (!*first || strcmp(place, first) < 0)
               ? place
               : task_place_between(tx->arena, "", first);
}

/* ---- buckets ---- */

int task_bucket_get(struct tx *tx, int64_t id, struct task_bucket *ret)
{
    return stored_get(tx, &task_bucket_stored, id, ret);
}

int task_bucket_find(struct tx *tx, const char *key, struct task_bucket *ret)
{
    static struct sql_text q = SQL_TEXT("where key = ?1");
    return STORED_ONE(tx, &task_bucket_stored, &q, ret, key);
}

int task_bucket_next(struct tx *tx, int64_t plan, const struct task_bucket *after,
                     struct task_bucket *ret)
{
    static struct sql_text q =
        SQL_TEXT("where plan = ?1 and (place, id) > (?2, ?3) order by place, id limit 1");
    return STORED_ONE(tx, &task_bucket_stored, &q, ret, plan, after ? after->place : "",
                      after ? after->id : 0);
}

/* Behind the last one. */
static int last_place(struct tx *tx, struct task_bucket *b)
{
    static struct sql_text q =
        SQL_TEXT("select max(place) from task_bucket where plan = :plan having count(*) > 0");
    const char *last = "";
    int r = TX_TAKE(tx, TX_QUERY(tx, &q, b->plan), &last);
    b->place = task_place_between(tx->arena, last, "");
    return r < 0 ? -1 : 0;
}

int task_bucket_add(struct tx *tx, struct task_bucket *b)
{
    if (!b->key && !(b->key = task_vendor_of_plans(tx)->key(tx, TASK_THING_BUCKET)))
        return -1;
    if (!b->place && last_place(tx, b) < 0)
        return -1;
    b->version = 1;
    if (stored_add(tx, &task_bucket_stored, b) < 0)
        return -1;
    b->id = tx_last_id(tx);
    event_note(tx, TASK_PLAN_CHANGED, OP_CHANGED, b->plan, b->plan);
    return 0;
}

int task_bucket_save(struct tx *tx, struct task_bucket *b)
{
    static struct sql_text q = SQL_TEXT("update task_bucket set name = :name, place = :place, "
                                        "version = :version where id = :id");
    b->version++;
    event_note(tx, TASK_PLAN_CHANGED, OP_CHANGED, b->plan, b->plan);
    return TX_RUN(tx, &q, b->name, b->place, b->version, b->id);
}

int task_bucket_drop(struct tx *tx, const struct task_bucket *b)
{
    static struct sql_text q_tasks = SQL_TEXT("delete from task_task where bucket = :bucket");
    static struct sql_text q = SQL_TEXT("delete from task_bucket where id = :id");
    event_note(tx, TASK_PLAN_CHANGED, OP_CHANGED, b->plan, b->plan);
    return TX_RUN(tx, &q_tasks, b->id) < 0 ? -1 : TX_RUN(tx, &q, b->id);
}
