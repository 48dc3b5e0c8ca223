/* SPDX-License-Identifier: Apache-2.0 */
/* Lists, tasks, steps and links as Graph writes them: what is not there is left out. */
#include "engine/text/civil.h"
#include "engine/text/tz.h"
#include "services/calendar/outlook/rule.h"
#include "services/tasks/todo/todo.h"
#include "vendors/microsoft/zone.h"

static const char *const list_kinds[] = {"none", "defaultList", "flaggedEmails"};
static const char *const statuses[] = {"notStarted", "inProgress", "completed", "waitingOnOthers",
                                       "deferred"};

const char *todo_etag(struct arena *a, const struct graph_store *s, int64_t change)
{
    return arena_printf(a, "W/\"%s\"", graph_change_key(a, s, change));
}

void todo_write_list(struct arena *a, const struct graph_store *s, const struct task_list *list,
                     struct json_writer *w)
{
    json_str(w, "@odata.etag", todo_etag(a, s, list->change));
    json_str(w, "displayName", list->name);
    json_bool(w, "isOwner", true);
    json_bool(w, "isShared", false);
    json_str(w, "wellknownListName", list_kinds[list->kind]);
    json_str(w, "id", list->key);
}

/* {"dateTime", "timeZone"}; nothing without a time. */
static void write_moment(struct arena *a, struct json_writer *w, const char *member, int64_t us,
                         const struct tz *tz, const char *zone)
{
    if (!us)
        return;
    int64_t s = us / US_PER_SECOND - (us % US_PER_SECOND < 0);
    int64_t local = us + (tz ? (int64_t)tz_offset(tz, s) * US_PER_SECOND : 0);
    const char *text = graph_date(a, local, 7);
    json_obj(w, member);
    json_strn(w, "dateTime", text, strlen(text) - 1); /* without its Z */
    json_str(w, "timeZone", zone);
    json_end(w);
}

static void write_pattern(struct json_writer *w, const struct ocal_rule *r, const char *zone)
{
    char start[DATE_TEXT], end[DATE_TEXT] = "0001-01-01";
    date_format(start, r->start_days);
    if (r->range == RANGE_END_DATE)
        date_format(end, r->end_days);
    json_obj(w, "pattern");
    json_word(w, "type", ocal_patterns[r->type]);
    json_int(w, "interval", r->interval);
    json_int(w, "month", r->month);
    json_int(w, "dayOfMonth", r->day_of_month);
    json_arr(w, "daysOfWeek");
    for (int i = 0; i < 7; i++)
        if (r->days >> i & 1)
            json_word(w, NULL, ocal_days[i]);
    json_end(w);
    json_word(w, "firstDayOfWeek", ocal_days[r->first_day]);
    json_word(w, "index", ocal_indexes[r->index]);
    json_end(w);
    json_obj(w, "range");
    json_word(w, "type", ocal_ranges[r->range]);
    json_word(w, "startDate", start);
    json_word(w, "endDate", end);
    json_str(w, "recurrenceTimeZone", zone);
    json_int(w, "numberOfOccurrences", r->count);
    json_end(w);
}

/* A rule that no pattern says is not shown. */
static void write_recurrence(struct arena *a, const struct task *t, struct json_writer *w)
{
    const struct tz *tz = t->zone ? tz_find(t->zone) : NULL;
    const char *zone = t->zone ? graph_zone_windows(t->zone) : NULL;
    struct ocal_rule rule;
    if (!t->recurrence)
        return;
    int64_t s = t->recurs_us / US_PER_SECOND - (t->recurs_us % US_PER_SECOND < 0);
    s += tz ? tz_offset(tz, s) : 0;
    if (ocal_rule_read(a, t->recurrence, tz ? tz : tz_find("UTC"), false, s, &rule) != 1)
        return;
    json_obj(w, "recurrence");
    write_pattern(w, &rule, zone ? zone : t->zone ? t->zone : "UTC");
    json_end(w);
}

/* 0 to 3 are high, 8 to 10 low. */
static const char *importance(int priority)
{
    return priority <= 3 ? "high" : priority >= 8 ? "low" : "normal";
}

int todo_write_task(struct tx *tx, const struct graph_store *s, const struct tz *tz,
                    const char *zone, const struct task *t, struct json_writer *w)
{
    struct arena *a = tx->arena;
    json_str(w, "@odata.etag", todo_etag(a, s, t->change));
    json_str(w, "importance", importance(t->priority));
    json_bool(w, "isReminderOn", t->reminds);
    json_str(w, "status", statuses[t->status]);
    json_str(w, "title", t->title);
    json_str(w, "createdDateTime", graph_date(a, t->made_us, 7));
    json_str(w, "lastModifiedDateTime", graph_date(a, t->changed_us, 7));
    if (t->notes_us && w->level[w->depth].mask) /* to those who ask for it by name */
        json_str(w, "bodyLastModifiedDateTime", graph_date(a, t->notes_us, 7));
    int64_t files;
    if (task_file_count(tx, t->id, &files) < 0)
        return -1;
    json_bool(w, "hasAttachments", files > 0);
    if (t->labels) {
        json_raw(w, "categories", t->labels, strlen(t->labels));
    } else {
        json_arr(w, "categories");
        json_end(w);
    }
    json_str(w, "id", t->key);
    json_obj(w, "body");
    json_str(w, "content", t->notes);
    json_str(w, "contentType", t->notes_type ? "html" : "text");
    json_end(w);
    write_moment(a, w, "completedDateTime", t->completed_us, tz, zone);
    write_moment(a, w, "dueDateTime", t->due_us, tz, zone);
    write_recurrence(a, t, w);
    write_moment(a, w, "reminderDateTime", t->reminder_us, tz, zone);
    write_moment(a, w, "startDateTime", t->start_us, tz, zone);
    return 0;
}

void todo_write_item(struct tx *tx, const struct task_item *item, struct json_writer *w)
{
    json_str(w, "displayName", item->title);
    json_str(w, "createdDateTime", graph_date(tx->arena, item->made_us, 7));
    if (item->done_us)
        json_str(w, "checkedDateTime", graph_date(tx->arena, item->done_us, 7));
    json_bool(w, "isChecked", item->done_us != 0);
    json_str(w, "id", item->key);
}

void todo_write_link(const struct task_link *link, struct json_writer *w)
{
    json_str_opt(w, "webUrl", link->url);
    json_str_opt(w, "applicationName", link->app);
    json_str_opt(w, "displayName", link->title);
    json_str_opt(w, "externalId", link->external);
    json_str(w, "id", link->key);
}

/* ---- paths and parts ---- */

const char *todo_list_path(struct todo_at *at)
{
    struct arena *a = at->c->tx.arena;
    return arena_printf(a, "users%s/todo/lists%s", graph_key(a, at->user.oid),
                        graph_key(a, at->list.key));
}

const char *todo_task_path(struct todo_at *at)
{
    struct arena *a = at->c->tx.arena;
    return arena_printf(a, "%s/tasks%s", todo_list_path(at), graph_key(a, at->task.key));
}

static void context_of_part(struct todo_at *at, const struct task *t, const char *part)
{
    struct arena *a = at->c->tx.arena;
    json_str(at->c->out, arena_printf(a, "%s@odata.context", part),
             graph_url(at->c, arena_printf(a, "/$metadata#%s/tasks%s/%s", todo_list_path(at),
                                           graph_key(a, t->key), part)));
}

int todo_write_parts(struct todo_at *at, const struct task *t, const struct odata_query *q)
{
    struct json_writer *w = at->c->out;
    struct task_item *items;
    struct task_link *links;
    size_t n;
    todo_write_extensions(at->c, q, t->kept);
    if (odata_expands(q, "checklistItems")) {
        if (task_items(&at->c->tx, t->id, &items, &n) < 0)
            return -1;
        context_of_part(at, t, "checklistItems");
        json_arr(w, "checklistItems");
        for (size_t i = 0; i < n; i++) {
            json_obj(w, NULL);
            todo_write_item(&at->c->tx, &items[i], w);
            json_end(w);
        }
        json_end(w);
    }
    if (odata_expands(q, "linkedResources")) {
        if (task_links(&at->c->tx, t->id, &links, &n) < 0)
            return -1;
        context_of_part(at, t, "linkedResources");
        json_arr(w, "linkedResources");
        for (size_t i = 0; i < n; i++) {
            json_obj(w, NULL);
            todo_write_link(&links[i], w);
            json_end(w);
        }
        json_end(w);
    }
    return 0;
}
