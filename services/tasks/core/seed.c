/* SPDX-License-Identifier: Apache-2.0 */
/* Tasks as documents have them. */
#include "engine/text/civil.h"
#include "engine/text/tz.h"
#include "engine/base/utf8.h"
#include "services/calendar/core/recur/recur.h"
#include "services/tasks/core/impl.h"

enum { PARTS_MAX = 1000 };

static const char *const statuses[] = {"notStarted", "inProgress", "completed",
                                       "waiting",    "deferred",   NULL};
static const char *const note_types[] = {"text", "html", NULL};
static const char *const previews[] = {"automatic", "none", "items", "notes", "link", NULL};

/* ---- where it is ---- */

static int no_read(const struct form_in *in, const struct member *m, void *row)
{
    (void)in, (void)m, (void)row;
    return 0;
}

static int write_owner(const struct form_out *out, const struct member *m, const void *row)
{
    const struct task *t = row;
    struct task_list list;
    if (!t->list)
        return 0;
    return task_list_get(out->tx, t->list, &list) == 1
               ? task_write_person(out->tx, out->w, m->name, list.account)
               : -1;
}

static int write_list_of(const struct form_out *out, const struct member *m, const void *row)
{
    const struct task *t = row;
    struct task_list list;
    if (!t->list)
        return 0;
    if (task_list_get(out->tx, t->list, &list) != 1)
        return -1;
    json_str(out->w, m->name, list.key);
    return 0;
}

/* The list of a person by its id or its name. 1, 0, -1. */
static int list_named(struct tx *tx, int64_t account, const char *text, struct task_list *ret)
{
    struct task_list one = {.id = 0};
    int r = task_list_find(tx, account, text, ret);
    if (r)
        return r;
    while ((r = task_list_next(tx, account, one.id, &one)) == 1)
        if (strcmp(one.name, text) == 0) {
            *ret = one;
            return 1;
        }
    return r;
}

static int check_place(const struct form_in *in, struct task *t)
{
    struct task_list list;
    const char *text;
    int64_t account;
    if (task_doc_account(in, &account) < 0 || doc_str(in->d, in->value, "list", false, &text) < 0)
        return -1;
    int r = text ? list_named(in->tx, account, text, &list)
                 : task_list_usual(in->tx, account, TASK_LIST_USUAL, &list);
    if (r == 0) {
        r = task_list_usual(in->tx, account, TASK_LIST_USUAL, &list);
        if (r == 1 && strcmp(list.key, text) != 0 && strcmp(list.name, text) != 0)
            r = 0;
    }
    if (r != 1)
        return r < 0 ? -1
                     : doc_refuse(in->d, in->value, "list",
                                  "must be the id or the name of a list of the person's, not "
                                  "\"%.80s\"",
                                  text);
    if (!list.id && task_list_add(in->tx, &list) < 0)
        return -1;
    t->list = list.id;
    return 0;
}

static int check_plan(const struct form_in *in, struct task *t)
{
    struct task_bucket b;
    if (json_get(in->value, "person") || json_get(in->value, "list"))
        return doc_fail(in->d, in->value, "plan", "a task is in a list or in a plan");
    int r = t->bucket ? task_bucket_get(in->tx, t->bucket, &b) : 1;
    if (r == 1 && t->bucket && b.plan != t->plan)
        return doc_refuse(in->d, in->value, "bucket", "must be the id of a bucket of the plan");
    return r == 1 ? 0 : -1;
}

/* ---- what it says ---- */

static int check_progress(const struct form_in *in, struct task *t)
{
    const bool percent = json_get(in->value, "percent") != NULL;
    const int64_t completed = t->completed_us, completer = t->completer;
    if (percent && json_get(in->value, "status") &&
        (t->percent == 100) != (t->status == TASK_COMPLETED))
        return doc_refuse(in->d, in->value, "percent",
                          "must be 100 of a completed task and of no other one");
    const int given = t->percent, status = t->status;
    t->status = TASK_NOT_STARTED;
    if (percent)
        task_set_percent(in->tx, t, given);
    if (!percent || json_get(in->value, "status"))
        task_set_status(in->tx, t, (enum task_status)status);
    t->percent = percent ? given : t->percent;
    const bool done = t->status == TASK_COMPLETED;
    if (completed && !done)
        return doc_refuse(in->d, in->value, "completed", "is not a completed task's");
    if (done) {
        t->completed_us = completed ? completed : in->tx->now_us;
        t->completer = completer;
    }
    return 0;
}

static int check_recurrence(const struct form_in *in, struct task *t)
{
    const struct json *at = json_get(in->value, "recurrence");
    const struct tz *tz = t->zone ? tz_find(t->zone) : NULL;
    const struct recur *recur;
    struct sosia_err err;
    if (!t->recurrence)
        return 0;
    if (!t->recurs_us)
        t->recurs_us = t->due_us ? t->due_us : in->tx->now_us;
    int64_t s = t->recurs_us / US_PER_SECOND;
    const struct recur_start start = {.local_s = tz ? s + tz_offset(tz, s) : s, .tz = tz};
    return recur_parse(in->tx->arena, &t->recurrence, 1, &start, &recur, &err) < 0
               ? doc_fail(in->d, at, "recurrence",
                          "must be a rule such as "
                          "\"RRULE:FREQ=WEEKLY;BYDAY=MO\": %.120s",
                          err.text)
               : 0;
}

static int check_task(const struct form_in *in, void *row)
{
    struct task *t = row;
    if ((t->plan ? check_plan(in, t) : check_place(in, t)) < 0 || check_progress(in, t) < 0 ||
        check_recurrence(in, t) < 0 || task_parts_check(in, t) < 0 || task_files_check(in, t) < 0)
        return -1;
    if (utf8_count(t->title, strlen(t->title)) > TASK_TITLE_MAX)
        return doc_refuse(in->d, in->value, "title", "must have at most %d characters",
                          TASK_TITLE_MAX);
    if (strlen(t->notes) > TASK_NOTES_MAX)
        return doc_refuse(in->d, in->value, "notes", "must have at most %d bytes", TASK_NOTES_MAX);
    if (t->n_items > PARTS_MAX || t->n_links > PARTS_MAX || t->n_assignments > PARTS_MAX)
        return doc_fail(in->d, in->value, NULL, "may have %d steps, links and people", PARTS_MAX);
    if (!task_kept_good(in->tx->arena, t->kept))
        return doc_refuse(in->d, in->value, "kept",
                          "must be objects by the names of programs, of at most %d bytes",
                          TASK_KEPT_MAX);
    if (t->bucket && !t->plan)
        return doc_refuse(in->d, in->value, "bucket", "is a plan's");
    return 0;
}

static int task_seeded(const struct form_in *in, void *row)
{
    return task_add(in->tx, row);
}

#define AT(member, text, field)                                                                    \
    {                                                                                              \
        member, text, .flags = MEMBER_NULL, TIME_AT(struct task, field)                            \
    }

static const struct member task_members[] = {
    STORED_ID(struct task),
    {"id", "Its id; made up without it", TEXT_AT(struct task, key)},
    {"person", "Whose it is, of one in a list", .kind = MEMBER_OWN, .noun = "text", .read = no_read,
     .write = write_owner},
    {"list", "The list, by its id or name; without it the one that everybody has", .read = no_read,
     .write = write_list_of, .kind = MEMBER_OWN, .noun = "text", .flags = MEMBER_NULL,
     MEMBER_TYPED(struct task, list, int64_t)},
    {"plan", "The plan that it is in, in the place of a list",
     REF_AT(struct task, plan, &task_plan_reference)},
    {"bucket", "The bucket of the plan", REF_AT(struct task, bucket, &task_bucket_reference)},
    {"title", "What is to be done", TEXT_AT(struct task, title), .flags = MEMBER_REQUIRED},
    {"notes", "What else is to be said of it", TEXT_AT(struct task, notes), .usual_text = ""},
    {"notes_type", "What the notes are", ENUM_AT(struct task, notes_type, note_types)},
    AT("notes_changed", "When the notes were changed", notes_us),
    {"status", "How far it is", ENUM_AT(struct task, status, statuses)},
    {
        "percent",
        "The same in percent; 100 of a completed one",
        INT_AT(struct task, percent, 0, 100),
    },
    {"priority", "0 is the most urgent, 10 the least", INT_AT(struct task, priority, 0, 10),
     .usual = TASK_PRIORITY_USUAL},
    AT("start", "When it begins", start_us),
    AT("due", "When it is due", due_us),
    AT("reminder", "When its person is reminded", reminder_us),
    {"reminds", "Whether the person is", BOOL_AT(struct task, reminds)},
    AT("completed", "When it was completed", completed_us),
    {"completed_by", "Who completed it", REF_AT(struct task, completer, &actor_reference)},
    {"recurrence", "How it recurs: a rule of calendars, \"RRULE:FREQ=DAILY\"",
     TEXT_AT(struct task, recurrence)},
    AT("recurs_from", "Where the rule begins; else when it is due", recurs_us),
    {"zone", "The time zone of the rule", .kind = MEMBER_ZONE,
     MEMBER_TYPED(struct task, zone, const char *)},
    {"labels", "Names of categories; of a task of a plan, the vendor's ids of labels", .inner = "*",
     KEPT_AT(struct task, labels, JSON_ARRAY)},
    {"kept", "What programs keep with it: objects by their names", .inner = "*",
     KEPT_AT(struct task, kept, JSON_OBJECT)},
    {"preview", "What is shown of it on a board", ENUM_AT(struct task, preview, previews)},
    {"thread", "The id of a conversation about it", TEXT_AT(struct task, thread)},
    {"place", "Its order in the plan, by bytes; else in front of the others",
     TEXT_AT(struct task, place)},
    {"own_place", "Its order among what its people have to do", TEXT_AT(struct task, own_place)},
    {"created_by", "Who made it", REF_AT(struct task, creator, &actor_reference)},
    {"app", "The client id of the program it was made with", TEXT_AT(struct task, app)},
    {"created", "When it was made; else now", TIME_AT(struct task, made_us)},
    {"changed", "Its last change; else as it was made", TIME_AT(struct task, changed_us)},
    TASK_COLUMN(struct task, change),
    TASK_COLUMN(struct task, made),
    TASK_COLUMN(struct task, version),
    TASK_COLUMN(struct task, detail_version),
    {"items", "Its steps", .write = task_write_items, .apart = true, .flags = MEMBER_SHORT,
     LIST_AT(struct task, items, n_items, &task_item_form)},
    {"links", "What it came from, or needs", .write = task_write_links, .apart = true,
     LIST_AT(struct task, links, n_links, &task_link_form)},
    {"files", "What hangs on it", .write = task_write_files, .apart = true,
     LIST_AT(struct task, files, n_files, &task_file_form)},
    {"assignments", "Who shall do it", .write = task_write_assignments, .apart = true,
     LIST_AT(struct task, assignments, n_assignments, &task_assignment_form)},
};
STORED(task_stored, "A task", struct task, task_members, check_task, .table = "task_task",
       .key = "id", .add = task_seeded);
