/* SPDX-License-Identifier: Apache-2.0 */
/* Bodies of tasks. */
#include "engine/base/codec.h"
#include "engine/base/utf8.h"
#include "engine/text/civil.h"
#include "services/tasks/planner/planner.h"

enum { THREAD_MAX = 500 };

#define NEEDED "A non-null value must be specified for this field."

static bool is_null(const struct json *v)
{
    return v->type == JSON_NULL;
}

/* ---- plain members ---- */

static int read_title(struct call *c, const struct json *body, struct task *t)
{
    const struct json *v = json_get(body, "title");
    if (v ? v->type != JSON_STRING || !v->n : !t->title)
        return planner_invalid(c, "Task", "Title", NEEDED);
    if (v && utf8_count(v->str, v->n) > TASK_TITLE_MAX)
        return planner_invalid(c, "Task", "Title",
                               "The value must be shorter than or equal to 255 characters.");
    t->title = v ? v->str : t->title;
    return 0;
}

static int read_number(struct call *c, const struct json *body, const char *member,
                       const char *field, int most, int *ret)
{
    const struct json *v = json_get(body, member);
    int64_t n;
    if (!v || is_null(v))
        return 0;
    if (json_i64(v, &n) < 0 || n < 0 || n > most)
        return planner_invalid(
            c, "Task", field,
            arena_printf(c->tx.arena, "The value must be between 0 and %d.", most));
    *ret = (int)n;
    return 1;
}

static int read_time(struct call *c, const struct json *body, const char *member, const char *field,
                     int64_t *ret_us)
{
    const struct json *v = json_get(body, member);
    struct stamp s;
    if (!v)
        return 0;
    *ret_us = 0;
    if (is_null(v))
        return 0;
    if (v->type != JSON_STRING || stamp_parse(v->str, v->n, false, &s) < 0)
        return planner_invalid(c, "Task", field, "The value is not a valid time.");
    *ret_us = s.local_us - (int64_t)s.offset * US_PER_SECOND;
    return *ret_us ? 0 : planner_invalid(c, "Task", field, "The value is not a valid time.");
}

static int read_bucket_id(struct planner_at *at, const struct json *body, struct task *t)
{
    const struct json *v = json_get(body, "bucketId");
    struct task_bucket b;
    if (!v)
        return 0;
    if (is_null(v) || (v->type == JSON_STRING && !v->n)) {
        t->bucket = 0;
        return 0;
    }
    int r = v->type == JSON_STRING ? task_bucket_find(&at->c->tx, v->str, &b) : 0;
    if (r == 1 && b.plan != t->plan)
        r = 0;
    if (r != 1)
        return r < 0 ? -1
                     : planner_invalid(at->c, "Task", "BucketId",
                                       "The bucket is not in the plan of the task.");
    t->bucket = b.id;
    return 0;
}

static int label_number(const char *name)
{
    int64_t n;
    if (!str_starts(name, "category") || parse_i64(name + 8, strlen(name + 8), &n) < 0 ||
        name[8] == '0')
        return 0;
    return n >= 1 && n <= PLANNER_LABELS ? (int)n : 0;
}

/* {"category3": true}: those that are true are added, the others taken away. */
static int read_labels(struct planner_at *at, const struct json *body, struct task *t)
{
    const struct json *v = json_get(body, "appliedCategories"), *old = NULL;
    struct arena *a = at->c->tx.arena;
    bool has[PLANNER_LABELS + 1] = {false};
    struct json_writer w;
    struct buf b;
    bool any = false;
    if (!v || v->type != JSON_OBJECT)
        return 0;
    if (t->labels && json_parse(a, t->labels, strlen(t->labels), NULL, &old, at->c->tx.err) < 0)
        return -1;
    for (uint32_t i = 0; old && i < old->n; i++)
        if (old->items[i].type == JSON_STRING)
            has[label_number(old->items[i].str)] = true;
    for (uint32_t i = 0; i < v->n; i++) {
        const int n = label_number(v->members[i].key);
        if (strchr(v->members[i].key, '@'))
            continue;
        if (!n)
            return planner_invalid(at->c, "Task", "AppliedCategories",
                                   "The name must be one of category1 to category25.");
        has[n] = json_is_true(&v->members[i].value);
    }
    json_start(&w, &b);
    json_arr(&w, NULL);
    for (int i = 1; i <= PLANNER_LABELS; i++)
        if (has[i]) {
            json_str(&w, NULL, arena_printf(a, "category%d", i));
            any = true;
        }
    json_end(&w);
    t->labels = any && !buf_failed(&b) ? arena_strdup(a, buf_str(&b)) : NULL;
    buf_done(&b);
    return 0;
}

int planner_read_task(struct planner_at *at, const struct json *body, struct task *t)
{
    struct call *c = at->c;
    const struct json *thread = json_get(body, "conversationThreadId");
    const char *plan = json_get_str(body, "planId");
    int percent = t->percent, r;
    if (plan && strcmp(plan, at->plan.key) != 0)
        return planner_invalid(c, "Task", "PlanId", "The plan of a task cannot be changed.");
    if (read_title(c, body, t) < 0 || read_bucket_id(at, body, t) < 0 ||
        read_time(c, body, "startDateTime", "StartDate", &t->start_us) < 0 ||
        read_time(c, body, "dueDateTime", "DueDate", &t->due_us) < 0 ||
        read_number(c, body, "priority", "Priority", 10, &t->priority) < 0 ||
        (r = read_number(c, body, "percentComplete", "PercentComplete", 100, &percent)) < 0)
        return -1;
    if (t->start_us && t->due_us && t->due_us < t->start_us)
        return planner_invalid(c, "Task", "DueDate",
                               "DueDate cannot be earlier than the StartDate");
    if (r == 1 && percent != t->percent)
        task_set_percent(&c->tx, t, percent);
    if (thread && thread->type == JSON_STRING && thread->n > THREAD_MAX)
        return planner_invalid(c, "Task", "ConversationThreadId", "The value is too long.");
    if (thread)
        t->thread = thread->type == JSON_STRING ? thread->str : NULL;
    return planner_read_hint(c, body, "orderHint", &t->place) < 0 ||
                   planner_read_hint(c, body, "assigneePriority", &t->own_place) < 0
               ? -1
               : read_labels(at, body, t);
}
