/* SPDX-License-Identifier: Apache-2.0 */
/* Plans, buckets, tasks and details as Graph writes them. */
#include "engine/text/civil.h"
#include "services/tasks/planner/planner.h"

static const char *const previews[] = {"automatic", "noPreview", "checklist", "description",
                                       "reference"};

static void write_id(struct json_writer *w, const char *member, const char *id)
{
    json_obj(w, member);
    json_null(w, "displayName");
    json_str(w, "id", id);
    json_end(w);
}

/* {"user": {...}, "application": {...}}; null without somebody. */
static void write_who(struct planner_at *at, const char *member, int64_t actor, const char *app)
{
    struct json_writer *w = at->c->out;
    const char *oid = planner_oid(at, actor);
    if (!oid && !app) {
        json_null(w, member);
        return;
    }
    json_obj(w, member);
    if (oid)
        write_id(w, "user", oid);
    if (app)
        write_id(w, "application", app);
    json_end(w);
}

/* "2026-05-04T08:32:45Z", with a fraction where there is one. */
static void write_time(struct planner_at *at, const char *member, int64_t us)
{
    struct arena *a = at->c->tx.arena;
    json_str(at->c->out, member, us ? graph_date(a, us, us % US_PER_SECOND ? 7 : 0) : NULL);
}

static void write_etag(struct planner_at *at, enum planner_thing thing, int64_t version)
{
    json_str(at->c->out, "@odata.etag", planner_etag(at->c->tx.arena, thing, version));
}

void planner_write_plan(struct planner_at *at, const struct task_plan *plan)
{
    struct json_writer *w = at->c->out;
    struct arena *a = at->c->tx.arena;
    write_etag(at, PLANNER_PLAN, plan->version);
    write_time(at, "createdDateTime", plan->made_us);
    json_str(w, "owner", at->group.oid);
    json_str(w, "title", plan->title);
    json_str(w, "id", plan->key);
    write_who(at, "createdBy", plan->creator, plan->app);
    json_obj(w, "container");
    json_str(w, "containerId", at->group.oid);
    json_str(w, "type", "group");
    json_str(w, "url",
             arena_printf(a, "https://graph.microsoft.com/v1.0/groups/%s", at->group.oid));
    json_end(w);
}

void planner_write_bucket(struct planner_at *at, const struct task_bucket *b)
{
    struct json_writer *w = at->c->out;
    write_etag(at, PLANNER_BUCKET, b->version);
    json_str(w, "name", b->name);
    json_str(w, "planId", at->plan.key);
    json_str(w, "orderHint", b->place);
    json_str(w, "id", b->key);
}

int planner_keys(struct planner_at *at, const struct task *t, const char **ret_plan,
                 const char **ret_bucket)
{
    struct tx *tx = &at->c->tx;
    if (at->plan.id != t->plan && task_plan_get(tx, t->plan, &at->plan) != 1)
        return -1;
    if (t->bucket && at->bucket.id != t->bucket && task_bucket_get(tx, t->bucket, &at->bucket) != 1)
        return -1;
    *ret_plan = at->plan.key;
    *ret_bucket = t->bucket ? at->bucket.key : NULL;
    return 0;
}

static int write_assignments(struct planner_at *at, const struct task *t)
{
    struct json_writer *w = at->c->out;
    struct task_assignment *list;
    size_t n;
    if (!json_wants(w, "assignments"))
        return 0;
    if (task_assignments(&at->c->tx, t->id, &list, &n) < 0)
        return -1;
    json_obj(w, "assignments");
    for (size_t i = 0; i < n; i++) {
        const char *oid = planner_oid(at, list[i].actor);
        if (!oid)
            continue;
        json_obj(w, oid);
        json_str(w, "@odata.type", "#microsoft.graph.plannerAssignment");
        write_time(at, "assignedDateTime", list[i].at_us);
        json_str(w, "orderHint", list[i].place);
        write_who(at, "assignedBy", list[i].assigner, list[i].app);
        json_end(w);
    }
    json_end(w);
    return 0;
}

static void write_labels(struct planner_at *at, const struct task *t)
{
    const struct json *list = NULL;
    struct json_writer *w = at->c->out;
    if (t->labels)
        json_parse(at->c->tx.arena, t->labels, strlen(t->labels), NULL, &list, at->c->tx.err);
    json_obj(w, "appliedCategories");
    for (uint32_t i = 0; list && i < list->n; i++)
        if (list->items[i].type == JSON_STRING)
            json_bool(w, list->items[i].str, true);
    json_end(w);
}

int planner_write_task(struct planner_at *at, const struct task *t)
{
    struct json_writer *w = at->c->out;
    const char *plan, *bucket;
    struct task_item *items;
    struct task_link *links;
    size_t n_items, n_links, active = 0;
    if (planner_keys(at, t, &plan, &bucket) < 0 ||
        task_items(&at->c->tx, t->id, &items, &n_items) < 0 ||
        task_links(&at->c->tx, t->id, &links, &n_links) < 0)
        return -1;
    for (size_t i = 0; i < n_items; i++)
        active += !items[i].done_us;
    write_etag(at, PLANNER_TASK, t->version);
    json_str(w, "planId", plan);
    json_str(w, "bucketId", bucket);
    json_str(w, "title", t->title);
    json_str(w, "orderHint", t->place);
    json_str(w, "assigneePriority", t->own_place ? t->own_place : "");
    json_int(w, "percentComplete", t->percent);
    write_time(at, "startDateTime", t->start_us);
    write_time(at, "createdDateTime", t->made_us);
    write_time(at, "dueDateTime", t->due_us);
    json_bool(w, "hasDescription", *t->notes != '\0');
    json_str(w, "previewType", previews[t->preview]);
    write_time(at, "completedDateTime", t->completed_us);
    write_who(at, "completedBy", t->completer, NULL);
    json_int(w, "referenceCount", (int64_t)n_links);
    json_int(w, "checklistItemCount", (int64_t)n_items);
    json_int(w, "activeChecklistItemCount", (int64_t)active);
    json_str(w, "conversationThreadId", t->thread);
    json_int(w, "priority", t->priority);
    json_str(w, "id", t->key);
    write_who(at, "createdBy", t->creator, t->app);
    write_labels(at, t);
    return write_assignments(at, t);
}

/* ---- details ---- */

/* A URL as the name of a member: without what OData reads in names. */
static const char *member_of_url(struct arena *a, const char *url)
{
    struct buf b;
    buf_init(&b, 0);
    for (const char *p = url; *p; p++)
        if (strchr("%.:@#", *p))
            buf_printf(&b, "%%%02X", (unsigned)*p);
        else
            buf_byte(&b, *p);
    const char *text = buf_failed(&b) ? "" : arena_strdup(a, buf_str(&b));
    buf_done(&b);
    return text;
}

int planner_write_details(struct planner_at *at, const struct task *t)
{
    struct json_writer *w = at->c->out;
    struct arena *a = at->c->tx.arena;
    struct task_item *items;
    struct task_link *links;
    size_t n_items, n_links;
    if (task_items(&at->c->tx, t->id, &items, &n_items) < 0 ||
        task_links(&at->c->tx, t->id, &links, &n_links) < 0)
        return -1;
    write_etag(at, PLANNER_TASK_DETAILS, t->detail_version);
    json_str(w, "description", t->notes);
    json_str(w, "previewType", previews[t->preview]);
    json_str(w, "id", t->key);
    json_obj(w, "references");
    for (size_t i = 0; i < n_links; i++) {
        json_obj(w, member_of_url(a, links[i].url ? links[i].url : links[i].key));
        json_str(w, "@odata.type", "#microsoft.graph.plannerExternalReference");
        json_str(w, "alias", links[i].title);
        json_str(w, "type", links[i].kind);
        json_str(w, "previewPriority", links[i].place);
        write_time(at, "lastModifiedDateTime", links[i].changed_us);
        write_who(at, "lastModifiedBy", links[i].changer, NULL);
        json_end(w);
    }
    json_end(w);
    json_obj(w, "checklist");
    for (size_t i = 0; i < n_items; i++) {
        json_obj(w, items[i].key);
        json_str(w, "@odata.type", "#microsoft.graph.plannerChecklistItem");
        json_bool(w, "isChecked", items[i].done_us != 0);
        json_str(w, "title", items[i].title);
        json_str(w, "orderHint", items[i].place);
        write_time(at, "lastModifiedDateTime", items[i].changed_us);
        write_who(at, "lastModifiedBy", items[i].changer, NULL);
        json_end(w);
    }
    json_end(w);
    return 0;
}

int planner_write_plan_details(struct planner_at *at, const struct task_plan *plan)
{
    struct json_writer *w = at->c->out;
    struct arena *a = at->c->tx.arena;
    const struct json *labels = NULL;
    if (plan->labels &&
        json_parse(a, plan->labels, strlen(plan->labels), NULL, &labels, at->c->tx.err) < 0)
        return -1;
    write_etag(at, PLANNER_PLAN_DETAILS, plan->detail_version);
    json_str(w, "id", plan->key);
    if (plan->shared) {
        json_raw(w, "sharedWith", plan->shared, strlen(plan->shared));
    } else {
        json_obj(w, "sharedWith");
        json_end(w);
    }
    json_obj(w, "categoryDescriptions");
    for (int i = 1; i <= PLANNER_LABELS; i++) {
        const char *name = arena_printf(a, "category%d", i);
        json_str(w, name, json_get_str(labels, name));
    }
    json_end(w);
    return 0;
}

/* What $expand asks for, behind the members of a task. */
int planner_write_expanded(struct planner_at *at, const struct task *t)
{
    struct arena *a = at->c->tx.arena;
    struct json_writer *w = at->c->out;
    if (!odata_expands(&at->q, "details"))
        return 0;
    json_str(w, "details@odata.context",
             graph_url(at->c, arena_printf(a, "/$metadata#planner/tasks%s/details/$entity",
                                           graph_key(a, t->key))));
    json_obj(w, "details");
    int r = planner_write_details(at, t);
    json_end(w);
    return r;
}
