/* SPDX-License-Identifier: Apache-2.0 */
/* What a task has besides its row: steps, links, people. */
#include "engine/world/take.h"
#include "services/tasks/core/impl.h"

#define ACTOR_AT(field_name, text, type, field)                                                    \
    {                                                                                              \
        field_name, text, REF_AT(type, field, &actor_reference)                                    \
    }

static const struct member item_members[] = {
    {"title", "What is to be done", TEXT_AT(struct task_item, title), .flags = MEMBER_REQUIRED},
    STORED_ID(struct task_item),
    {.kind = MEMBER_INT, MEMBER_TYPED(struct task_item, task, int64_t)},
    {"id", "Its id among those of the task; made up without it", TEXT_AT(struct task_item, key)},
    {"done", "When it was done", TIME_AT(struct task_item, done_us), .flags = MEMBER_NULL},
    {"place", "Its order, by bytes; else behind the others", TEXT_AT(struct task_item, place)},
    {"created", "When it was made; else as the task", TIME_AT(struct task_item, made_us)},
    {"changed", "Its last change; else as it was made", TIME_AT(struct task_item, changed_us)},
    ACTOR_AT("changed_by", "Who changed it last", struct task_item, changer),
};
STORED_HERE(items_stored, "A step of a task", struct task_item, item_members, NULL,
            .table = "task_item");

static const struct member link_members[] = {
    STORED_ID(struct task_link),
    {.kind = MEMBER_INT, MEMBER_TYPED(struct task_link, task, int64_t)},
    {"id", "Its id among those of the task; made up without it", TEXT_AT(struct task_link, key)},
    {"url", "Where it leads", TEXT_AT(struct task_link, url)},
    {"title", "What is read", TEXT_AT(struct task_link, title)},
    {"app", "The program that has it", TEXT_AT(struct task_link, app)},
    {"external", "Its id there", TEXT_AT(struct task_link, external)},
    {"kind", "What it is, in the vendor's words", TEXT_AT(struct task_link, kind)},
    {"place", "Its order, by bytes; else behind the others", TEXT_AT(struct task_link, place)},
    {"changed", "Its last change; else that of the task", TIME_AT(struct task_link, changed_us)},
    ACTOR_AT("changed_by", "Who changed it last", struct task_link, changer),
};
STORED_HERE(links_stored, "A link of a task", struct task_link, link_members, NULL,
            .table = "task_link");

static const struct member assignment_members[] = {
    {"person", "Who shall do it", .flags = MEMBER_REQUIRED,
     REF_AT(struct task_assignment, actor, &actor_reference)},
    STORED_ID(struct task_assignment),
    {.kind = MEMBER_INT, MEMBER_TYPED(struct task_assignment, task, int64_t)},
    ACTOR_AT("by", "Who said so", struct task_assignment, assigner),
    {"app", "The client id of the program that said so", TEXT_AT(struct task_assignment, app)},
    {"at", "When; else as the task", TIME_AT(struct task_assignment, at_us)},
    {"place", "Of the person among the task's, by bytes; else behind the others",
     TEXT_AT(struct task_assignment, place)},
    {"board", "Of the task on a board by people, by bytes", TEXT_AT(struct task_assignment, board)},
};
STORED_HERE(assignments_stored, "Somebody who shall do a task", struct task_assignment,
            assignment_members, NULL, .table = "task_assignment");

const struct form task_item_form = {.about = "A step of a task",
                                    .members = item_members,
                                    .n = SOSIA_LEN(item_members),
                                    .size = sizeof(struct task_item)};
const struct form task_link_form = {.about = "A link of a task",
                                    .members = link_members,
                                    .n = SOSIA_LEN(link_members),
                                    .size = sizeof(struct task_link)};
const struct form task_assignment_form = {.about = "Somebody who shall do a task",
                                          .members = assignment_members,
                                          .n = SOSIA_LEN(assignment_members),
                                          .size = sizeof(struct task_assignment)};

/* ---- all of a task ---- */

int task_items(struct tx *tx, int64_t task, struct task_item **ret, size_t *ret_n)
{
    static struct sql_text q = SQL_TEXT("where task = ?1 order by place, id");
    *ret = stored_list(tx, &items_stored, STORED_QUERY(tx, &items_stored, &q, task), ret_n);
    return *ret ? 0 : -1;
}

int task_links(struct tx *tx, int64_t task, struct task_link **ret, size_t *ret_n)
{
    static struct sql_text q = SQL_TEXT("where task = ?1 order by place, id");
    *ret = stored_list(tx, &links_stored, STORED_QUERY(tx, &links_stored, &q, task), ret_n);
    return *ret ? 0 : -1;
}

int task_assignments(struct tx *tx, int64_t task, struct task_assignment **ret, size_t *ret_n)
{
    static struct sql_text q = SQL_TEXT("where task = ?1 order by place, id");
    *ret = stored_list(tx, &assignments_stored, STORED_QUERY(tx, &assignments_stored, &q, task),
                       ret_n);
    return *ret ? 0 : -1;
}

int task_item_find(struct tx *tx, int64_t task, const char *key, struct task_item *ret)
{
    static struct sql_text q = SQL_TEXT("where task = ?1 and key = ?2");
    return STORED_ONE(tx, &items_stored, &q, ret, task, key);
}

int task_link_find(struct tx *tx, int64_t task, const char *key, struct task_link *ret)
{
    static struct sql_text q = SQL_TEXT("where task = ?1 and key = ?2");
    return STORED_ONE(tx, &links_stored, &q, ret, task, key);
}

int task_assignment_find(struct tx *tx, int64_t task, int64_t actor, struct task_assignment *ret)
{
    static struct sql_text q = SQL_TEXT("where task = ?1 and actor = ?2");
    return STORED_ONE(tx, &assignments_stored, &q, ret, task, actor);
}

/* ---- one ---- */

static const struct task_vendor *vendor_of(struct tx *tx, int64_t task)
{
    struct task_list list;
    struct task t;
    if (task_get(tx, task, &t) != 1 || !t.list || task_list_get(tx, t.list, &list) != 1)
        return task_vendor_of_plans(tx);
    return task_vendor_of(tx, list.account);
}

/* Behind the last one of a task, by a query of the greatest place. */
static const char *place_behind(struct tx *tx, struct sql_text *q, int64_t task)
{
    const char *last = "";
    int r = TX_TAKE(tx, TX_QUERY(tx, q, task), &last);
    return r < 0 ? NULL : task_place_between(tx->arena, last, "");
}

int task_item_put(struct tx *tx, struct task_item *item)
{
    static struct sql_text q_last =
        SQL_TEXT("select max(place) from task_item where task = :task having count(*) > 0");
    static struct sql_text q =
        SQL_TEXT("update task_item set title = :title, done_us = :done, place = :place, "
                 "changed_us = :changed, changer = :changer where id = :id");
    if (item->id)
        return TX_RUN(tx, &q, item->title, sql_int_or_null(item->done_us, 0), item->place,
                      item->changed_us, sql_int_or_null(item->changer, 0), item->id);
    if (!item->key && !(item->key = vendor_of(tx, item->task)->key(tx, TASK_THING_ITEM)))
        return -1;
    if (!item->place && !(item->place = place_behind(tx, &q_last, item->task)))
        return -1;
    item->made_us = item->made_us ? item->made_us : tx->now_us;
    item->changed_us = item->changed_us ? item->changed_us : item->made_us;
    if (stored_add(tx, &items_stored, item) < 0)
        return -1;
    item->id = tx_last_id(tx);
    return 0;
}

int task_link_put(struct tx *tx, struct task_link *link)
{
    static struct sql_text q_last =
        SQL_TEXT("select max(place) from task_link where task = :task having count(*) > 0");
    static struct sql_text q = SQL_TEXT(
        "update task_link set url = :url, title = :title, app = :app, external = :external, "
        "kind = :kind, place = :place, changed_us = :changed, changer = :changer where id = :id");
    if (link->id)
        return TX_RUN(tx, &q, link->url, link->title, link->app, link->external, link->kind,
                      link->place, link->changed_us, sql_int_or_null(link->changer, 0), link->id);
    if (!link->key && !(link->key = vendor_of(tx, link->task)->key(tx, TASK_THING_LINK)))
        return -1;
    if (!link->place && !(link->place = place_behind(tx, &q_last, link->task)))
        return -1;
    link->changed_us = link->changed_us ? link->changed_us : tx->now_us;
    if (stored_add(tx, &links_stored, link) < 0)
        return -1;
    link->id = tx_last_id(tx);
    return 0;
}

int task_assignment_put(struct tx *tx, struct task_assignment *one)
{
    static struct sql_text q_last =
        SQL_TEXT("select max(place) from task_assignment where task = :task having count(*) > 0");
    static struct sql_text q = SQL_TEXT("update task_assignment set place = :place, "
                                        "board = :board where id = :id");
    if (one->id)
        return TX_RUN(tx, &q, one->place, one->board, one->id);
    if (!one->place && !(one->place = place_behind(tx, &q_last, one->task)))
        return -1;
    one->at_us = one->at_us ? one->at_us : tx->now_us;
    if (stored_add(tx, &assignments_stored, one) < 0)
        return -1;
    one->id = tx_last_id(tx);
    return 0;
}

int task_item_drop(struct tx *tx, int64_t id)
{
    static struct sql_text q = SQL_TEXT("delete from task_item where id = :id");
    return TX_RUN(tx, &q, id);
}

int task_link_drop(struct tx *tx, int64_t id)
{
    static struct sql_text q = SQL_TEXT("delete from task_link where id = :id");
    return TX_RUN(tx, &q, id);
}

int task_assignment_drop(struct tx *tx, int64_t id)
{
    static struct sql_text q = SQL_TEXT("delete from task_assignment where id = :id");
    return TX_RUN(tx, &q, id);
}

/* ---- in documents ---- */

static int write_list(const struct form_out *out, const char *member, const struct form *form,
                      const char *list, size_t n)
{
    if (!n)
        return 0;
    json_arr(out->w, member);
    for (size_t i = 0; i < n; i++) {
        json_obj(out->w, NULL);
        if (form_write(&(struct form_out){.tx = out->tx, .w = out->w}, form,
                       list + i * form->size) < 0)
            return -1;
        json_end(out->w);
    }
    json_end(out->w);
    return 0;
}

int task_write_items(const struct form_out *out, const struct member *m, const void *row)
{
    struct task_item *list;
    size_t n;
    (void)row;
    return task_items(out->tx, out->id, &list, &n) < 0
               ? -1
               : write_list(out, m->name, &task_item_form, (const char *)list, n);
}

int task_write_links(const struct form_out *out, const struct member *m, const void *row)
{
    struct task_link *list;
    size_t n;
    (void)row;
    return task_links(out->tx, out->id, &list, &n) < 0
               ? -1
               : write_list(out, m->name, &task_link_form, (const char *)list, n);
}

int task_write_assignments(const struct form_out *out, const struct member *m, const void *row)
{
    struct task_assignment *list;
    size_t n;
    (void)row;
    return task_assignments(out->tx, out->id, &list, &n) < 0
               ? -1
               : write_list(out, m->name, &task_assignment_form, (const char *)list, n);
}

int task_parts_check(const struct form_in *in, const struct task *t)
{
    for (int i = 0; i < t->n_items; i++)
        for (int k = 0; k < i; k++)
            if (t->items[i].key && t->items[k].key && strcmp(t->items[i].key, t->items[k].key) == 0)
                return doc_refuse(in->d, in->value, "items", "two have the id \"%.80s\"",
                                  t->items[i].key);
    for (int i = 0; i < t->n_links; i++)
        for (int k = 0; k < i; k++)
            if (t->links[i].key && t->links[k].key && strcmp(t->links[i].key, t->links[k].key) == 0)
                return doc_refuse(in->d, in->value, "links", "two have the id \"%.80s\"",
                                  t->links[i].key);
    for (int i = 0; i < t->n_assignments; i++)
        for (int k = 0; k < i; k++)
            if (t->assignments[i].actor == t->assignments[k].actor)
                return doc_refuse(in->d, in->value, "assignments", "two are of one person");
    return 0;
}

int task_parts_add(struct tx *tx, struct task *t)
{
    for (int i = 0; i < t->n_items; i++) {
        t->items[i].task = t->id;
        t->items[i].made_us = t->items[i].made_us ? t->items[i].made_us : t->made_us;
        if (task_item_put(tx, &t->items[i]) < 0)
            return -1;
    }
    for (int i = 0; i < t->n_links; i++) {
        t->links[i].task = t->id;
        t->links[i].changed_us = t->links[i].changed_us ? t->links[i].changed_us : t->changed_us;
        if (task_link_put(tx, &t->links[i]) < 0)
            return -1;
    }
    for (int i = 0; i < t->n_assignments; i++) {
        t->assignments[i].task = t->id;
        t->assignments[i].at_us = t->assignments[i].at_us ? t->assignments[i].at_us : t->made_us;
        if (task_assignment_put(tx, &t->assignments[i]) < 0)
            return -1;
    }
    return task_files_add(tx, t);
}
