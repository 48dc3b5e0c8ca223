/* SPDX-License-Identifier: Apache-2.0 */
/* The interface of tasks to the engine. */
#include "services/tasks/core/impl.h"

extern const char tasks_sql[];

static const struct section sections[] = {
    {.name = "taskLists",
     .stored = &task_list_stored,
     .ids = SECTION_IDS("select id from task_list order by id")},
    {.name = "taskPlans",
     .stored = &task_plan_stored,
     .ids = SECTION_IDS("select id from task_plan order by id")},
    {.name = "taskBuckets",
     .stored = &task_bucket_stored,
     .ids = SECTION_IDS("select id from task_bucket order by id")},
    {.name = "tasks",
     .stored = &task_stored,
     .ids = SECTION_IDS("select id from task_task order by id")},
};

static const struct entity_part parts[] = {
    {"task_item", ENTITY_OWNER("select task from task_item where rowid = ?1")},
    {"task_link", ENTITY_OWNER("select task from task_link where rowid = ?1")},
    {"task_file", ENTITY_OWNER("select task from task_file where rowid = ?1")},
    {"task_assignment", ENTITY_OWNER("select task from task_assignment where rowid = ?1")},
    {NULL, NULL},
};

static const struct entity entities[] = {
    {.name = "taskList", .table = "task_list", .stored = &task_list_stored},
    {.name = "taskPlan", .table = "task_plan", .stored = &task_plan_stored},
    {.name = "taskBucket", .table = "task_bucket", .stored = &task_bucket_stored},
    {.name = "task", .table = "task_task", .stored = &task_stored, .parts = parts},
};

/* ---- in diffs ---- */

static const char *const task_noise[] = {"changed", "notes_changed", "place", "own_place", NULL};
static const char *const bucket_noise[] = {"place", NULL};

/* Whose list it is. */
static int person_of(struct tx *tx, int64_t account, const char **ret)
{
    struct account row;
    struct actor actor;
    int r = account_get(tx, account, &row);
    if (r == 1)
        r = actor_by_id(tx, row.actor, &actor);
    if (r == 1)
        *ret = actor.handle;
    return r < 0 ? -1 : 0;
}

/* What it follows from: a message with a flag. */
static int follow(struct tx *tx, const struct task_list *list, const struct task *t,
                  struct entity_about *about)
{
    const struct task_vendor *v = task_vendor_of(tx, list->account);
    int r = v->source ? v->source(tx, list, t, &about->follows[0]) : 0;
    about->wholly = r == 1;
    return r < 0 ? -1 : 0;
}

static int about_list(struct tx *tx, const struct entity *e, int64_t rowid,
                      struct entity_about *about)
{
    struct task_list list;
    (void)e;
    if (task_list_get(tx, rowid, &list) != 1)
        return -1;
    about->title = list.name;
    return follow(tx, &list, NULL, about) < 0 ? -1 : person_of(tx, list.account, &about->person);
}

static int about_plan(struct tx *tx, const struct entity *e, int64_t rowid,
                      struct entity_about *about)
{
    struct task_plan plan;
    (void)e;
    if (task_plan_get(tx, rowid, &plan) != 1)
        return -1;
    about->title = plan.title;
    return 0;
}

static int about_bucket(struct tx *tx, const struct entity *e, int64_t rowid,
                        struct entity_about *about)
{
    struct task_bucket b;
    (void)e;
    if (task_bucket_get(tx, rowid, &b) != 1)
        return -1;
    about->title = b.name;
    return 0;
}

static int about_task(struct tx *tx, const struct entity *e, int64_t rowid,
                      struct entity_about *about)
{
    struct task_list list;
    struct task t;
    (void)e;
    if (task_get(tx, rowid, &t) != 1)
        return -1;
    about->title = t.title;
    if (!t.list)
        return 0;
    return task_list_get(tx, t.list, &list) != 1 || follow(tx, &list, &t, about) < 0
               ? -1
               : person_of(tx, list.account, &about->person);
}

static const struct entity_view views[] = {
    {.entity = "taskList", .service = "tasks", .about = about_list, .timeless = true},
    {.entity = "taskPlan", .service = "tasks", .about = about_plan, .timeless = true},
    {.entity = "taskBucket",
     .service = "tasks",
     .about = about_bucket,
     .noise = bucket_noise,
     .timeless = true},
    {.entity = "task",
     .service = "tasks",
     .about = about_task,
     .noise = task_noise,
     .timeless = true},
    {.entity = NULL},
};

/* ---- rows of imported files ---- */

#define NO_INSTANT(column) column " not between -62135596800000000 and 253402300799999999"
#define NO_JSON(column, type)                                                                      \
    "case when " column " is null then 0 when json_valid(" column ") then json_type(" column       \
    ") <> '" type "' else 1 end"
/* Objects by their names. */
#define NO_KEPT                                                                                    \
    "case when kept is null then 0 when not json_valid(kept) or length(kept) > 131072 then 1 "     \
    "when json_type(kept) <> 'object' then 1 else exists (select 1 from json_each(kept) j where "  \
    "j.type <> 'object') end"
/* Places are of the characters from ' ' to '~'. */
#define NO_PLACE(column) column " glob '*[^ -~]*' or length(" column ") > 4000"

static const struct core_rule rules[] = {
    {"task_list", "key = '' or name = ''"},
    {"task_list", NO_INSTANT("made_us")},
    {"task_list", "change < 1 or made not between 1 and change"},
    {"task_plan", "key = '' or title = '' or version < 1 or detail_version < 1"},
    {"task_plan", NO_INSTANT("made_us")},
    {"task_plan", NO_JSON("labels", "object")},
    {"task_plan", NO_JSON("shared", "object")},
    {"task_bucket", "key = '' or name = '' or version < 1"},
    {"task_bucket", NO_PLACE("place")},
    {"task_task", "key = '' or length(title) > 255 or length(notes) > 131072"},
    {"task_task", "(percent = 100) <> (status = 2)"},
    {"task_task", "(completed_us is null) <> (status <> 2)"},
    {"task_task",
     "version < 1 or detail_version < 1 or change < 1 or made not between 1 and change"},
    {"task_task", NO_INSTANT("made_us") " or " NO_INSTANT("changed_us")},
    {"task_task",
     NO_INSTANT("start_us") " or " NO_INSTANT("due_us") " or " NO_INSTANT("recurs_us")},
    {"task_task",
     NO_INSTANT("reminder_us") " or " NO_INSTANT("completed_us") " or " NO_INSTANT("notes_us")},
    {"task_task", "(recurrence is null) <> (recurs_us is null) or recurrence not glob 'RRULE:*'"},
    {"task_task", NO_JSON("labels", "array")},
    {"task_task", NO_KEPT},
    {"task_list", NO_KEPT},
    {"task_task", NO_PLACE("place")},
    {"task_task", NO_PLACE("coalesce(own_place, '')")},
    {"task_task", "bucket is not null and not exists (select 1 from task_bucket b where b.id = "
                  "task_task.bucket and b.plan is task_task.plan)"},
    {"task_item", "key = ''"},
    {"task_item",
     NO_INSTANT("made_us") " or " NO_INSTANT("changed_us") " or " NO_INSTANT("done_us")},
    {"task_item", NO_PLACE("place")},
    {"task_link", "key = ''"},
    {"task_link", NO_INSTANT("changed_us")},
    {"task_link", NO_PLACE("place")},
    {"task_assignment", NO_INSTANT("at_us")},
    {"task_assignment", NO_PLACE("place")},
    {"task_assignment", NO_PLACE("coalesce(board, '')")},
    {"task_board", "version < 1"},
    {"task_board", NO_PLACE("place")},
    {"task_gone", "list < 0 or change < 1 or made not between 1 and change"},
    {NULL, NULL},
};

const struct sosia_core tasks_core = {
    .name = TASKS_CORE,
    .schema = tasks_sql,
    .sections = sections,
    .n_sections = SOSIA_LEN(sections),
    .entities = entities,
    .n_entities = SOSIA_LEN(entities),
    .views = views,
    .rules = rules,
};
