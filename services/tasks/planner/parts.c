/* SPDX-License-Identifier: Apache-2.0 */
/* Bodies of details: the description, steps and links. */
#include "engine/base/codec.h"
#include "engine/base/utf8.h"
#include "services/tasks/planner/planner.h"

enum { KEY_MAX = 100, ITEM_TITLE = 100, DESCRIPTION_MAX = 32768, URL_MAX = 2048 };

static int put_item(struct planner_at *at, const char *key, const struct json *v, struct task *t)
{
    struct call *c = at->c;
    const struct json *checked = json_get(v, "isChecked"), *title = json_get(v, "title");
    struct task_item item, *list;
    size_t n;
    int r = task_item_find(&c->tx, t->id, key, &item);
    if (r < 0)
        return -1;
    if (v->type == JSON_NULL)
        return r ? task_item_drop(&c->tx, item.id) : 0;
    if (v->type != JSON_OBJECT || !*key || strlen(key) > KEY_MAX)
        return planner_invalid(c, "TaskDetails", "Checklist", "The item is not valid.");
    if (task_items(&c->tx, t->id, &list, &n) < 0)
        return -1;
    if (!r && n >= PLANNER_ITEMS)
        return planner_full(c, "MaximumChecklistItemsOnTask");
    if (!r)
        item = (struct task_item){
            .task = t->id, .key = key, .place = planner_front(c, n ? list[0].place : "")};
    if (title ? title->type != JSON_STRING || utf8_count(title->str, title->n) > ITEM_TITLE : !r)
        return planner_invalid(c, "TaskDetails", "Checklist.Title",
                               "A non-null value must be specified for this field.");
    item.title = title ? title->str : item.title;
    if (checked && (json_is_true(checked) != (item.done_us != 0)))
        item.done_us = json_is_true(checked) ? c->tx.now_us : 0;
    item.changed_us = c->tx.now_us;
    item.changer = c->tx.actor;
    return planner_read_hint(c, v, "orderHint", &item.place) < 0 ? -1
                                                                 : task_item_put(&c->tx, &item);
}

static int read_text(struct call *c, const struct json *v, const char *member, const char **ret)
{
    const struct json *text = json_get(v, member);
    if (!text)
        return 0;
    if (text->type == JSON_STRING && text->n > TASK_TITLE_MAX)
        return planner_invalid(c, "TaskDetails", "References", "The value is too long.");
    *ret = text->type == JSON_STRING ? text->str : NULL;
    return 0;
}

static int put_link(struct planner_at *at, const char *key, const struct json *v, struct task *t)
{
    struct call *c = at->c;
    struct task_link link, *list;
    size_t n, len;
    char *url;
    if (percent_decode(c->tx.arena, key, strlen(key), false, &url, &len) < 0 || !len ||
        len > URL_MAX || !utf8_valid(url, len))
        return planner_invalid(c, "TaskDetails", "References", "The URL is not valid.");
    int r = task_link_find(&c->tx, t->id, url, &link);
    if (r < 0)
        return -1;
    if (v->type == JSON_NULL)
        return r ? task_link_drop(&c->tx, link.id) : 0;
    if (v->type != JSON_OBJECT || !strchr(url, ':'))
        return planner_invalid(c, "TaskDetails", "References", "The URL is not valid.");
    if (task_links(&c->tx, t->id, &list, &n) < 0)
        return -1;
    if (!r && n >= PLANNER_LINKS)
        return planner_full(c, "MaximumReferencesOnTask");
    if (!r)
        link = (struct task_link){.task = t->id,
                                  .key = url,
                                  .url = url,
                                  .kind = "Other",
                                  .place = planner_front(c, n ? list[0].place : "")};
    link.changed_us = c->tx.now_us;
    link.changer = c->tx.actor;
    return read_text(c, v, "alias", &link.title) < 0 || read_text(c, v, "type", &link.kind) < 0 ||
                   planner_read_hint(c, v, "previewPriority", &link.place) < 0
               ? -1
               : task_link_put(&c->tx, &link);
}

int planner_read_details(struct planner_at *at, const struct json *body, struct task *t)
{
    static const char *const previews[] = {"automatic",   "noPreview", "checklist",
                                           "description", "reference", NULL};
    struct call *c = at->c;
    const struct json *text = json_get(body, "description"), *items = json_get(body, "checklist"),
                      *links = json_get(body, "references");
    const int preview = str_place(previews, json_get_str(body, "previewType"));
    if (text && text->type == JSON_STRING && text->n > DESCRIPTION_MAX)
        return planner_invalid(c, "TaskDetails", "Description", "The value is too long.");
    if (text) {
        t->notes = text->type == JSON_STRING ? text->str : "";
        t->notes_us = c->tx.now_us;
    }
    t->preview = preview >= 0 ? preview : t->preview;
    for (uint32_t i = 0; items && items->type == JSON_OBJECT && i < items->n; i++)
        if (!strchr(items->members[i].key, '@') &&
            put_item(at, items->members[i].key, &items->members[i].value, t) < 0)
            return -1;
    for (uint32_t i = 0; links && links->type == JSON_OBJECT && i < links->n; i++)
        if (!strchr(links->members[i].key, '@') &&
            put_link(at, links->members[i].key, &links->members[i].value, t) < 0)
            return -1;
    return 0;
}
