/* SPDX-License-Identifier: Apache-2.0 */
/* Bodies: tasks, steps, links. */
#include "engine/base/codec.h"
#include "engine/base/utf8.h"
#include "engine/text/civil.h"
#include "engine/text/tz.h"
#include "services/tasks/todo/todo.h"
#include "vendors/microsoft/zone.h"

#define HERE(body, member) json_get(body, member)

/* ---- times ---- */

/* {"dateTime", "timeZone"}; null: none. */
static int read_moment(struct todo_at *at, const struct json *body, const char *member,
                       int64_t *ret_us)
{
    const struct json *v = HERE(body, member);
    if (!v)
        return 0;
    *ret_us = 0;
    if (v->type == JSON_NULL)
        return 0;
    const char *text = json_get_str(v, "dateTime"), *name = json_get_str(v, "timeZone");
    const char *iana = graph_zone_iana(name && *name ? name : "UTC");
    struct stamp s;
    int64_t days;
    if (!text)
        return todo_wrong(at->c, member, "a dateTime and a timeZone");
    if (date_parse(text, strlen(text), &days) == 0)
        s = (struct stamp){.local_us = days * US_PER_DAY};
    else if (stamp_parse(text, strlen(text), true, &s) < 0)
        return graph_fail_own(at->c, SOSIA_E_INVALID, 0, "invalidRequest", "InvalidDateTime",
                              "The value '%.100s' of parameter 'DateTime' is invalid.", text);
    if (!iana)
        return graph_fail_own(at->c, SOSIA_E_INVALID, 0, "invalidRequest", "InvalidTimeZone",
                              "The value '%.100s' of parameter 'TimeZone' is invalid.", name);
    const int64_t local = s.local_us / US_PER_SECOND - (s.local_us % US_PER_SECOND < 0);
    const int64_t rest = s.local_us - local * US_PER_SECOND;
    const int64_t utc = s.has_offset ? local - s.offset : tz_to_utc(tz_find(iana), local);
    *ret_us = utc * US_PER_SECOND + rest;
    if (*ret_us < TIME_FIRST_US || *ret_us > TIME_LAST_US || !*ret_us)
        return todo_wrong(at->c, member, "a time of the years 1 to 9999");
    return 0;
}

/* ---- tasks ---- */

static int read_text(struct call *c, const struct json *body, const char *member, size_t most,
                     const char **ret)
{
    const struct json *v = HERE(body, member);
    if (!v || (v->type == JSON_STRING && utf8_count(v->str, v->n) <= most)) {
        if (v)
            *ret = v->str;
        return 0;
    }
    if (v->type == JSON_NULL) {
        *ret = NULL;
        return 0;
    }
    return todo_wrong(c, member, "a text that is not too long");
}

static int read_body(struct todo_at *at, const struct json *body, struct task *t)
{
    const struct json *v = HERE(body, "body");
    if (!v)
        return 0;
    const char *type = json_get_str(v, "contentType"), *text = json_get_str(v, "content");
    if (text && strlen(text) > TASK_NOTES_MAX)
        return todo_wrong(at->c, "body", "a text that is not too long");
    t->notes = text ? text : "";
    t->notes_type = type ? str_eq_nocase(type, "html") : t->notes_type;
    t->notes_us = at->c->tx.now_us;
    return 0;
}

static int read_categories(struct todo_at *at, const struct json *body, struct task *t)
{
    const struct json *v = HERE(body, "categories");
    if (!v)
        return 0;
    for (uint32_t i = 0; v->type == JSON_ARRAY && i < v->n; i++)
        if (v->items[i].type != JSON_STRING || v->items[i].n > TODO_NAME_MAX || i >= 100)
            return todo_wrong(at->c, "categories", "a list of names");
    t->labels = v->type == JSON_ARRAY && v->n ? json_to_text(at->c->tx.arena, v) : NULL;
    return 0;
}

static void read_status(struct todo_at *at, const struct json *body, struct task *t,
                        bool *ret_completed)
{
    static const char *const words[] = {"notStarted",      "inProgress", "completed",
                                        "waitingOnOthers", "deferred",   NULL};
    const int status = str_place(words, json_get_str(body, "status"));
    *ret_completed = status == TASK_COMPLETED && t->status != TASK_COMPLETED;
    if (status >= 0 && status != t->status)
        task_set_status(&at->c->tx, t, (enum task_status)status);
}

int todo_read_task(struct todo_at *at, const struct json *body, struct task *t, bool *ret_completed)
{
    static const char *const levels[] = {"high", "normal", "low", NULL};
    static const int priorities[] = {1, TASK_PRIORITY_USUAL, 9};
    struct call *c = at->c;
    const struct json *recurrence = HERE(body, "recurrence");
    const struct json *reminds = HERE(body, "isReminderOn");
    int64_t completed = 0;
    if (read_text(c, body, "title", TASK_TITLE_MAX, &t->title) < 0)
        return -1;
    if (!t->title)
        return todo_wrong(c, "title", "there");
    const int level = str_place(levels, json_get_str(body, "importance"));
    if (level >= 0)
        t->priority = priorities[level];
    if (reminds)
        t->reminds = json_is_true(reminds);
    if (read_body(at, body, t) < 0 || read_categories(at, body, t) < 0 ||
        read_moment(at, body, "dueDateTime", &t->due_us) < 0 ||
        read_moment(at, body, "reminderDateTime", &t->reminder_us) < 0 ||
        read_moment(at, body, "startDateTime", &t->start_us) < 0 ||
        read_moment(at, body, "completedDateTime", &completed) < 0)
        return -1;
    if (!reminds && HERE(body, "reminderDateTime"))
        t->reminds = t->reminder_us != 0;
    read_status(at, body, t, ret_completed);
    if (completed && t->status == TASK_COMPLETED)
        t->completed_us = completed;
    if (recurrence && recurrence->type == JSON_OBJECT)
        return todo_read_recurrence(at, recurrence, t);
    if (recurrence) {
        t->recurrence = t->zone = NULL;
        t->recurs_us = 0;
    }
    return 0;
}

/* ---- steps and links ---- */

int todo_read_item(struct todo_at *at, const struct json *body, struct task_item *item)
{
    struct call *c = at->c;
    const struct json *done = HERE(body, "isChecked");
    const char *when = json_get_str(body, "checkedDateTime");
    struct stamp s;
    if (read_text(c, body, "displayName", TODO_NAME_MAX, &item->title) < 0)
        return -1;
    if (!item->title)
        return todo_wrong(c, "displayName", "there");
    if (when && (stamp_parse(when, strlen(when), false, &s) < 0 || !s.has_offset))
        return todo_wrong(c, "checkedDateTime", "a time with an offset");
    if (done && !json_is_true(done))
        item->done_us = 0;
    else if (when)
        item->done_us = s.local_us - (int64_t)s.offset * US_PER_SECOND;
    else if (done && !item->done_us)
        item->done_us = c->tx.now_us;
    item->changed_us = c->tx.now_us;
    item->changer = c->tx.actor;
    return 0;
}

int todo_read_link(struct todo_at *at, const struct json *body, struct task_link *link)
{
    struct call *c = at->c;
    link->changed_us = c->tx.now_us;
    link->changer = c->tx.actor;
    return read_text(c, body, "webUrl", 2048, &link->url) < 0 ||
                   read_text(c, body, "applicationName", TODO_NAME_MAX, &link->app) < 0 ||
                   read_text(c, body, "displayName", TODO_NAME_MAX, &link->title) < 0 ||
                   read_text(c, body, "externalId", 1024, &link->external) < 0
               ? -1
               : 0;
}
