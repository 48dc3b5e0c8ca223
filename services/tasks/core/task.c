/* SPDX-License-Identifier: Apache-2.0 */
/* Tasks: rows, and what becomes of them. */
#include "engine/world/ids.h"
#include "engine/world/take.h"
#include "services/tasks/core/impl.h"

int task_get(struct tx *tx, int64_t id, struct task *ret)
{
    return stored_get(tx, &task_stored, id, ret);
}

int task_find(struct tx *tx, const char *key, struct task *ret)
{
    static struct sql_text q = SQL_TEXT("where key = ?1");
    return STORED_ONE(tx, &task_stored, &q, ret, key);
}

int task_next(struct tx *tx, int64_t list, int64_t after, struct task *ret)
{
    static struct sql_text q = SQL_TEXT("where list = ?1 and id > ?2 order by id limit 1");
    return STORED_ONE(tx, &task_stored, &q, ret, list, after);
}

int task_ids(struct tx *tx, int64_t list, int64_t **ret, size_t *ret_n)
{
    static struct sql_text q =
        SQL_TEXT("select id from task_task where list = :list order by id desc");
    return ids_all(tx, TX_QUERY(tx, &q, list), ret, ret_n);
}

int task_next_planned(struct tx *tx, int64_t plan, int64_t after, struct task *ret)
{
    static struct sql_text q = SQL_TEXT("where plan = ?1 and id > ?2 order by id limit 1");
    return STORED_ONE(tx, &task_stored, &q, ret, plan, after);
}

int task_next_in(struct tx *tx, int64_t bucket, int64_t after, struct task *ret)
{
    static struct sql_text q = SQL_TEXT("where bucket = ?1 and id > ?2 order by id limit 1");
    return STORED_ONE(tx, &task_stored, &q, ret, bucket, after);
}

int task_next_assigned(struct tx *tx, int64_t actor, int64_t after, struct task *ret)
{
    static struct sql_text q =
        SQL_TEXT("where id = (select min(task) from task_assignment where actor = ?1 and "
                 "task > ?2)");
    return STORED_ONE(tx, &task_stored, &q, ret, actor, after);
}

/* Says what happened to it. 0, -1. */
static int note(struct tx *tx, const struct task *t, enum event_operation op)
{
    struct task_list list;
    if (!t->list) {
        event_note(tx, TASK_PLAN_CHANGED, OP_CHANGED, t->plan, t->plan);
        return 0;
    }
    if (task_list_get(tx, t->list, &list) != 1)
        return -1;
    event_note(tx, TASK_CHANGED, op, list.account, t->id);
    return 0;
}

/* A new key, and a place in front of all others of a plan. */
static int complete(struct tx *tx, struct task *t)
{
    const struct task_vendor *v = task_vendor_of_plans(tx);
    struct task_list list;
    if (t->list) {
        if (task_list_get(tx, t->list, &list) != 1)
            return -1;
        v = task_vendor_of(tx, list.account);
    }
    if (!t->key && !(t->key = v->key(tx, t->list ? TASK_THING_TASK : TASK_THING_PLANNED)))
        return -1;
    if (t->place)
        return 0;
    t->place =
        t->plan ? task_plan_front(tx, t->plan, false) : task_place_between(tx->arena, "", "");
    return t->place ? 0 : -1;
}

int task_add(struct tx *tx, struct task *t)
{
    if (complete(tx, t) < 0 || task_change_number(tx, &t->change) < 0)
        return -1;
    t->made = t->change;
    t->made_us = t->made_us ? t->made_us : tx->now_us;
    t->changed_us = t->changed_us ? t->changed_us : t->made_us;
    t->version = t->detail_version = 1;
    if (stored_add(tx, &task_stored, t) < 0)
        return -1;
    t->id = tx_last_id(tx);
    return note(tx, t, OP_ADDED) < 0 ? -1 : task_parts_add(tx, t);
}

int task_save(struct tx *tx, struct task *t, unsigned parts)
{
    static struct sql_text q = SQL_TEXT(
        "update task_task set bucket = ?, title = ?, notes = ?, notes_type = ?, notes_us = ?, "
        "status = ?, percent = ?, priority = ?, start_us = ?, due_us = ?, reminder_us = ?, "
        "reminds = ?, completed_us = ?, completer = ?, recurrence = ?, recurs_us = ?, zone = ?, "
        "labels = ?, kept = ?, preview = ?, thread = ?, place = ?, own_place = ?, changed_us = ?, "
        "change = "
        "?, "
        "version = ?, detail_version = ? where id = ?");
    t->version += (parts & TASK_ITSELF) != 0;
    t->detail_version += (parts & TASK_DETAILS) != 0;
    t->changed_us = tx->now_us;
    if (task_change_number(tx, &t->change) < 0 || note(tx, t, OP_CHANGED) < 0)
        return -1;
    return TX_RUN(tx, &q, sql_int_or_null(t->bucket, 0), t->title, t->notes, (int64_t)t->notes_type,
                  sql_int_or_null(t->notes_us, 0), (int64_t)t->status, (int64_t)t->percent,
                  (int64_t)t->priority, sql_int_or_null(t->start_us, 0),
                  sql_int_or_null(t->due_us, 0), sql_int_or_null(t->reminder_us, 0),
                  (int64_t)t->reminds, sql_int_or_null(t->completed_us, 0),
                  sql_int_or_null(t->completer, 0), t->recurrence, sql_int_or_null(t->recurs_us, 0),
                  t->zone, t->labels, t->kept, (int64_t)t->preview, t->thread, t->place,
                  t->own_place, t->changed_us, t->change, t->version, t->detail_version, t->id);
}

int task_drop(struct tx *tx, const struct task *t)
{
    static struct sql_text q = SQL_TEXT("delete from task_task where id = :id");
    struct task_list list;
    if (note(tx, t, OP_REMOVED) < 0)
        return -1;
    if (t->list && (task_list_get(tx, t->list, &list) != 1 ||
                    task_gone_add(tx, list.account, t->list, t->key, t->made) < 0))
        return -1;
    return TX_RUN(tx, &q, t->id);
}

/* ---- how far it is ---- */

void task_set_status(struct tx *tx, struct task *t, enum task_status status)
{
    const bool done = status == TASK_COMPLETED, was = t->status == TASK_COMPLETED;
    t->status = status;
    t->percent = done ? 100 : status == TASK_IN_PROGRESS ? 50 : 0;
    if (done && was)
        return;
    t->completed_us = done ? tx->now_us : 0;
    t->completer = done ? tx->actor : 0;
}

void task_set_percent(struct tx *tx, struct task *t, int percent)
{
    task_set_status(tx, t,
                    percent == 100 ? TASK_COMPLETED
                    : percent      ? TASK_IN_PROGRESS
                                   : TASK_NOT_STARTED);
    t->percent = percent;
}

/* ---- boards ---- */

int task_board_get(struct tx *tx, const struct task *t, enum task_board_kind kind,
                   struct task_board *ret)
{
    static struct sql_text q =
        SQL_TEXT("select id, place, version from task_board where task = :task and kind = :kind");
    *ret = (struct task_board){.task = t->id, .kind = kind, .place = t->place, .version = 1};
    int r =
        TX_TAKE(tx, TX_QUERY(tx, &q, t->id, (int64_t)kind), &ret->id, &ret->place, &ret->version);
    return r < 0 ? -1 : 0;
}

int task_board_put(struct tx *tx, struct task_board *b)
{
    static struct sql_text q = SQL_TEXT(
        "insert into task_board (task, kind, place, version) values (:task, :kind, :place, "
        ":version) on conflict (task, kind) do update set place = excluded.place, version = "
        "excluded.version");
    b->version++;
    return TX_RUN(tx, &q, b->task, (int64_t)b->kind, b->place, b->version);
}
