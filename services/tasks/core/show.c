/* SPDX-License-Identifier: Apache-2.0 */
#include "services/tasks/core/show.h"
#include "engine/base/utf8.h"
#include "engine/http/principal.h"
#include "engine/world/engine.h"
#include "engine/world/take.h"
#include "identity/identity.h"
#include "services/tasks/core/impl.h"
#include <string.h>

#define BUCKETS_SHOWN 200 /* Planner's bound */
#define PEOPLE_SHOWN  11  /* of a task in a list */

struct person {
    struct actor actor;
    struct account account;
};

static int no_tasks(struct tx *tx, const struct task_shown *s)
{
    return tx_fail(tx, SOSIA_E_NOT_FOUND, "tasksNotFound", "actor",
                   "actor must be somebody with tasks%s%.40s, \"%.80s\" is not",
                   s->vendor ? " of " : "", s->vendor ? s->vendor : "", s->actor);
}

static int find_person(struct tx *tx, const struct task_shown *s, struct person *ret)
{
    const struct resolver *resolver = resolver_of(tx);
    int r = resolver ? resolver->find(tx, s->actor, &ret->actor) : -1;
    if (r == 1)
        r = task_account(tx, ret->actor.id, s->vendor, &ret->account);
    if (r)
        return r < 0 ? -1 : 0;
    return no_tasks(tx, s);
}

/* ---- which there are ---- */

/* How many tasks a list or a plan (the other is 0) has, and how many of them are open. */
static int write_counts(struct tx *tx, struct json_writer *w, int64_t list, int64_t plan)
{
    static struct sql_text q_list =
        SQL_TEXT("select count(*), count(*) filter (where status <> 2) from task_task where list = "
                 "?1");
    static struct sql_text q_plan =
        SQL_TEXT("select count(*), count(*) filter (where status <> 2) from task_task where plan = "
                 "?1");
    int64_t total, open;
    if (TX_TAKE(tx, TX_QUERY(tx, list ? &q_list : &q_plan, list ? list : plan), &total, &open) != 1)
        return -1;
    json_int(w, "total", total);
    json_int(w, "open", open);
    return 0;
}

static int show_list(struct tx *tx, struct json_writer *w, const struct task_list *list)
{
    static const char *const kinds[] = {"own", "usual", "flagged"};
    json_obj(w, NULL);
    json_str(w, "id", list->key);
    json_str(w, "name", list->name);
    json_str(w, "kind", kinds[list->kind]);
    if (list->id) {
        if (write_counts(tx, w, list->id, 0) < 0)
            return -1;
    } else {
        json_int(w, "total", 0);
        json_int(w, "open", 0);
    }
    json_end(w);
    return 0;
}

/* Those that everybody has come first, also before anything was in them. */
static int write_lists(struct tx *tx, struct json_writer *w, int64_t account)
{
    static const enum task_list_kind usual[] = {TASK_LIST_USUAL, TASK_LIST_FLAGGED};
    const struct task_vendor *v = task_vendor_of(tx, account);
    struct task_list list;
    int r = 0;
    json_arr(w, "lists");
    for (size_t i = 0; i < SOSIA_LEN(usual); i++)
        if (v->names[usual[i]] &&
            (task_list_usual(tx, account, usual[i], &list) < 0 || show_list(tx, w, &list) < 0))
            return -1;
    for (int64_t at = 0; (r = task_list_next(tx, account, at, &list)) == 1; at = list.id)
        if (list.kind == TASK_LIST_OWN && show_list(tx, w, &list) < 0)
            return -1;
    json_end(w);
    return r;
}

/* Is a plan the person's? 1, 0, -1. */
static int has_plan(struct tx *tx, const struct person *p, const struct task_plan *plan)
{
    static struct sql_text q = SQL_TEXT(
        "select exists (select 1 from task_assignment a join task_task t on t.id = a.task where "
        "a.actor = :actor and t.plan = :plan)");
    int r = *p->actor.email ? group_has_member(tx, plan->team, p->actor.email) : 0;
    if (r)
        return r;
    return TX_TAKE(tx, TX_QUERY(tx, &q, p->actor.id, plan->id), &r) == 1 ? r : -1;
}

static int write_plan(struct tx *tx, struct json_writer *w, const struct task_plan *plan)
{
    struct task_bucket bucket;
    struct group team;
    int n = 0, r = group_by_id(tx, plan->team, &team);
    if (r < 0)
        return -1;
    json_obj(w, NULL);
    json_str(w, "id", plan->key);
    json_str(w, "name", plan->title);
    if (r)
        json_str(w, "team", team.email);
    if (write_counts(tx, w, 0, plan->id) < 0)
        return -1;
    json_arr(w, "buckets");
    const struct task_bucket *after = NULL;
    while (n++ < BUCKETS_SHOWN && (r = task_bucket_next(tx, plan->id, after, &bucket)) == 1) {
        json_obj(w, NULL);
        json_str(w, "id", bucket.key);
        json_str(w, "name", bucket.name);
        json_end(w);
        after = &bucket;
    }
    json_end(w);
    json_end(w);
    return r < 0 ? -1 : 0;
}

static int write_plans(struct tx *tx, struct json_writer *w, const struct person *p)
{
    struct task_plan plan;
    int r = 0;
    json_arr(w, "plans");
    if (task_vendor_of(tx, p->account.id)->plans)
        for (int64_t at = 0; (r = task_plan_next(tx, 0, at, &plan)) == 1; at = plan.id) {
            r = has_plan(tx, p, &plan);
            if (r < 0 || (r && write_plan(tx, w, &plan) < 0))
                return -1;
        }
    json_end(w);
    return r;
}

static int write_vendors(struct tx *tx, struct json_writer *w, const struct person *p)
{
    const struct core_policy *policy = core_policy_next(tx->engine, TASKS_CORE, NULL);
    struct account other;
    json_str(w, "vendor", p->account.vendor);
    json_arr(w, "vendors");
    for (; policy; policy = core_policy_next(tx->engine, TASKS_CORE, policy)) {
        int r = task_account(tx, p->actor.id, policy->vendor, &other);
        if (r < 0)
            return -1;
        if (r)
            json_str(w, NULL, policy->vendor);
    }
    json_end(w);
    return 0;
}

static int show_lists(struct tx *tx, struct json_writer *w, void *arg)
{
    static struct sql_text q =
        SQL_TEXT("select count(*) from task_assignment a join task_task t on t.id = a.task where "
                 "a.actor = :actor and t.status <> 2");
    struct person p;
    int64_t assigned;
    if (find_person(tx, arg, &p) < 0)
        return -1;
    json_obj(w, NULL);
    if (write_vendors(tx, w, &p) < 0 || write_lists(tx, w, p.account.id) < 0 ||
        write_plans(tx, w, &p) < 0 || TX_INT(tx, &q, &assigned, p.actor.id) != 1)
        return -1;
    json_int(w, "assigned", assigned);
    json_end(w);
    return 0;
}

int task_show_lists(struct sosia_engine *e, uint64_t world, const struct task_shown *shown,
                    struct sosia_blob *ret_json, struct sosia_err *err)
{
    return world_read(e, world, false, show_lists, (void *)(uintptr_t)shown, ret_json, err);
}

/* ---- tasks ---- */

/* The places of what is asked for: a list (which may not be written down yet), a plan, neither. */
struct asked {
    struct person p;
    int64_t list, plan;
    bool none; /* the list has nothing yet */
};

/* A list of an account by its id, those that everybody has too. 1, 0, -1. */
static int find_list(struct tx *tx, int64_t account, const char *key, struct task_list *ret)
{
    int r = task_list_find(tx, account, key, ret);
    const struct task_vendor *v = task_vendor_of(tx, account);
    for (int kind = TASK_LIST_USUAL; !r && kind <= TASK_LIST_FLAGGED; kind++)
        if (v->names[kind]) {
            if (task_list_usual(tx, account, kind, ret) < 0)
                return -1;
            r = strcmp(ret->key, key) == 0;
        }
    return r;
}

static int find_asked(struct tx *tx, const struct task_shown *s, struct asked *ret)
{
    struct task_list list;
    struct task_plan plan;
    int r = 1;
    *ret = (struct asked){0};
    if (find_person(tx, s, &ret->p) < 0)
        return -1;
    if (s->list) {
        if ((r = find_list(tx, ret->p.account.id, s->list, &list)) == 1) {
            ret->list = list.id;
            ret->none = !list.id;
        }
    } else if (s->plan) {
        r = task_plan_find(tx, s->plan, &plan);
        if (r == 1)
            r = has_plan(tx, &ret->p, &plan);
        ret->plan = r == 1 ? plan.id : 0;
    }
    if (r)
        return r < 0 ? -1 : 0;
    return tx_fail(tx, SOSIA_E_NOT_FOUND, s->list ? "listNotFound" : "planNotFound",
                   s->list ? "list" : "plan",
                   "%s must be the id of one of the person's, not \"%.80s\"",
                   s->list ? "list" : "plan", s->list ? s->list : s->plan);
}

static const char *const statuses[] = {"open", "in progress", "completed", "waiting", "deferred"};

static int write_people(struct tx *tx, struct json_writer *w, int64_t task, size_t most)
{
    struct task_assignment *list;
    struct actor actor;
    size_t n;
    if (task_assignments(tx, task, &list, &n) < 0)
        return -1;
    json_arr(w, "people");
    for (size_t i = 0; i < n && i < most; i++) {
        int r = actor_by_id(tx, list[i].actor, &actor);
        if (r < 0)
            return -1;
        if (r)
            json_str(w, NULL, *actor.email ? actor.email : actor.handle);
    }
    json_end(w);
    return 0;
}

static int write_where(struct tx *tx, struct json_writer *w, const struct task *t)
{
    struct task_list list;
    struct task_plan plan;
    struct task_bucket bucket;
    int r = t->list ? task_list_get(tx, t->list, &list) : task_plan_get(tx, t->plan, &plan);
    if (r != 1)
        return -1;
    json_str(w, t->list ? "list" : "plan", t->list ? list.key : plan.key);
    r = t->bucket ? task_bucket_get(tx, t->bucket, &bucket) : 0;
    if (r == 1)
        json_str(w, "bucket", bucket.key);
    return r < 0 ? -1 : 0;
}

static void write_time(struct json_writer *w, const char *name, int64_t us)
{
    if (us)
        json_time(w, name, us, JSON_TIME_US_Z);
}

/* The members of a row, into an open object. */
static int write_head(struct tx *tx, struct json_writer *w, const struct task *t, size_t people)
{
    static struct sql_text q = SQL_TEXT("select (select count(*) from task_item where task = ?1), "
                                        "(select count(done_us) from task_item where task = ?1), "
                                        "(select count(*) from task_link where task = ?1)");
    int64_t steps, done, links;
    json_str(w, "id", t->key);
    if (write_where(tx, w, t) < 0)
        return -1;
    json_str(w, "title", t->title);
    json_str(w, "status", statuses[t->status]);
    json_int(w, "percent", t->percent);
    json_int(w, "priority", t->priority);
    write_time(w, "start", t->start_us);
    write_time(w, "due", t->due_us);
    write_time(w, "reminder", t->reminds ? t->reminder_us : 0);
    write_time(w, "completed", t->completed_us);
    json_str_opt(w, "recurrence", t->recurrence);
    json_bool(w, "notes", *t->notes != 0);
    if (TX_TAKE(tx, TX_QUERY(tx, &q, t->id), &steps, &done, &links) != 1)
        return -1;
    json_int(w, "steps", steps);
    json_int(w, "done", done);
    json_int(w, "links", links);
    return write_people(tx, w, t->id, people);
}

static int write_row(struct tx *tx, struct json_writer *w, int64_t id)
{
    struct task t;
    if (task_get(tx, id, &t) != 1)
        return -1;
    json_obj(w, NULL);
    if (write_head(tx, w, &t, PEOPLE_SHOWN) < 0)
        return -1;
    json_end(w);
    return 0;
}

#define OPEN " and (:open = 0 or t.status <> 2) "
#define PAGE " limit :limit offset :offset"
/* The ids of a page, and how many there are in all, by three queries of one shape. */
static int ids_of(struct tx *tx, const struct task_shown *s, const struct asked *a, int64_t *ids,
                  size_t *ret_n, int64_t *ret_total)
{
    static struct sql_text q_list =
        SQL_TEXT("select t.id, count(*) over () from task_task t where t.list = :of" OPEN
                 "order by t.status = 2, t.id desc" PAGE);
    static struct sql_text q_plan =
        SQL_TEXT("select t.id, count(*) over () from task_task t left join task_bucket b on b.id = "
                 "t.bucket where t.plan = :of" OPEN
                 "order by b.id is null, b.place, b.id, t.status = 2, t.place, t.id" PAGE);
    static struct sql_text q_mine = SQL_TEXT(
        "select t.id, count(*) over () from task_assignment a join task_task t on t.id = a.task "
        "where a.actor = :of" OPEN "order by t.status = 2, t.due_us is null, t.due_us, t.id" PAGE);
    struct sql_text *q = a->list ? &q_list : a->plan ? &q_plan : &q_mine;
    const int64_t of = a->list ? a->list : a->plan ? a->plan : a->p.actor.id;
    sqlite3_stmt *st = TX_QUERY(tx, q, of, (int64_t)s->open, s->limit, s->offset);
    size_t n = 0;
    int r;
    while ((r = TX_TAKE_NEXT(tx, st, &ids[n], ret_total)) == 1)
        n++;
    *ret_n = n;
    return r;
}

static int show_tasks(struct tx *tx, struct json_writer *w, void *arg)
{
    const struct task_shown *s = arg;
    struct task_shown first = *s;
    struct asked a;
    int64_t *ids = arena_alloc(tx->arena, (size_t)(s->limit ? s->limit : 1) * sizeof *ids), one;
    int64_t total = 0;
    size_t n = 0, ignored;
    if (find_asked(tx, s, &a) < 0)
        return -1;
    if (!a.none && ids_of(tx, s, &a, ids, &n, &total) < 0)
        return -1;
    first.offset = 0;
    first.limit = 1;
    if (!a.none && !n && s->offset && ids_of(tx, &first, &a, &one, &ignored, &total) < 0)
        return -1;
    json_obj(w, NULL);
    json_int(w, "total", total);
    json_arr(w, "rows");
    for (size_t i = 0; i < n; i++)
        if (write_row(tx, w, ids[i]) < 0)
            return -1;
    json_end(w);
    if (n && s->offset + (int64_t)n < total)
        json_int(w, "next", s->offset + (int64_t)n);
    json_end(w);
    return 0;
}

int task_show_tasks(struct sosia_engine *e, uint64_t world, const struct task_shown *shown,
                    struct sosia_blob *ret_json, struct sosia_err *err)
{
    return world_read(e, world, false, show_tasks, (void *)(uintptr_t)shown, ret_json, err);
}

/* ---- one ---- */

/* Is a task in a list of the person's, or in a plan of theirs? 1, 0, -1. */
static int is_of(struct tx *tx, const struct person *p, const struct task *t)
{
    struct task_list list;
    struct task_plan plan;
    if (t->list)
        return task_list_get(tx, t->list, &list) == 1 ? list.account == p->account.id : -1;
    return task_plan_get(tx, t->plan, &plan) == 1 ? has_plan(tx, p, &plan) : -1;
}

static int write_steps(struct tx *tx, struct json_writer *w, int64_t task)
{
    struct task_item *items;
    struct task_link *links;
    size_t n_items, n_links;
    if (task_items(tx, task, &items, &n_items) < 0 || task_links(tx, task, &links, &n_links) < 0)
        return -1;
    json_arr(w, "items");
    for (size_t i = 0; i < n_items; i++) {
        json_obj(w, NULL);
        json_str(w, "title", items[i].title);
        json_bool(w, "done", items[i].done_us != 0);
        json_end(w);
    }
    json_end(w);
    json_arr(w, "sources");
    for (size_t i = 0; i < n_links; i++) {
        json_obj(w, NULL);
        json_str_opt(w, "title", links[i].title);
        json_str_opt(w, "url", links[i].url);
        json_str_opt(w, "app", links[i].app);
        json_end(w);
    }
    json_end(w);
    return 0;
}

static int show_task(struct tx *tx, struct json_writer *w, void *arg)
{
    const struct task_shown *s = arg;
    struct actor maker;
    struct person p;
    struct task t;
    if (find_person(tx, s, &p) < 0)
        return -1;
    int r = task_find(tx, s->task, &t);
    if (r == 1)
        r = is_of(tx, &p, &t);
    if (r != 1)
        return r < 0
                   ? -1
                   : tx_fail(tx, SOSIA_E_NOT_FOUND, "taskNotFound", "task",
                             "task must be the id of one of the person's, not \"%.80s\"", s->task);
    json_obj(w, NULL);
    if (write_head(tx, w, &t, SIZE_MAX) < 0)
        return -1;
    json_str(w, "text", t.notes);
    json_bool(w, "html", t.notes_type == 1);
    if (t.labels)
        json_raw(w, "labels", t.labels, strlen(t.labels));
    r = t.creator ? actor_by_id(tx, t.creator, &maker) : 0;
    if (r == 1)
        json_str(w, "creator", *maker.email ? maker.email : maker.handle);
    write_time(w, "created", t.made_us);
    write_time(w, "changed", t.changed_us);
    if (r < 0 || write_steps(tx, w, t.id) < 0)
        return -1;
    json_end(w);
    return 0;
}

int task_show_task(struct sosia_engine *e, uint64_t world, const struct task_shown *shown,
                   struct sosia_blob *ret_json, struct sosia_err *err)
{
    return world_read(e, world, false, show_task, (void *)(uintptr_t)shown, ret_json, err);
}
