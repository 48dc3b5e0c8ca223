/* SPDX-License-Identifier: Apache-2.0 */
/* Tasks with some words, of all people. */
#include "engine/world/ids.h"
#include "engine/search/plain.h"
#include "identity/identity.h"
#include "services/tasks/core/impl.h"
#include "services/tasks/core/show.h"

static const char *name_of(const struct actor *actor)
{
    return *actor->email ? actor->email : actor->handle;
}

/* Whose a task is: of a list, the list's person; of a plan, the first who shall do it, else who
 * made it. */
static int find_owner(struct tx *tx, const struct task *t, struct found *f)
{
    struct task_assignment *people;
    struct account account;
    struct actor actor;
    struct task_list list;
    struct task_plan plan;
    int64_t id = t->creator;
    size_t n = 0;
    if (t->list) {
        if (task_list_get(tx, t->list, &list) != 1 || account_get(tx, list.account, &account) != 1)
            return -1;
        id = account.actor;
        f->vendor = account.vendor;
        f->place = list.key;
    } else {
        if (task_plan_get(tx, t->plan, &plan) != 1 || task_assignments(tx, t->id, &people, &n) < 0)
            return -1;
        id = n ? people[0].actor : id;
        f->place = plan.key;
    }
    int r = id ? actor_by_id(tx, id, &actor) : 0;
    if (r == 1)
        f->actor = name_of(&actor);
    return r < 0 ? -1 : 0;
}

static int write_hit(struct tx *tx, struct json_writer *w, int64_t id)
{
    struct task t;
    struct found f = {.core = &tasks_core, .entity = "task", .rowid = id};
    if (task_get(tx, id, &t) != 1 || find_owner(tx, &t, &f) < 0)
        return -1;
    f.id = t.key;
    f.title = t.title;
    f.snippet = *t.notes ? t.notes : NULL;
    f.at_us = t.changed_us;
    return found_write(tx, w, &f);
}

int task_found(struct tx *tx, const char *text, size_t limit, struct json_writer *w)
{
    static struct sql_text q =
        SQL_TEXT("select id from task_task where title like :text escape '\\' or notes like :text "
                 "escape '\\' order by changed_us desc, id limit :n");
    int64_t *ids;
    size_t n;
    int r = ids_all(tx, TX_QUERY(tx, &q, search_like(tx->arena, text), (int64_t)limit), &ids, &n);
    for (size_t i = 0; r == 0 && i < n; i++)
        r = write_hit(tx, w, ids[i]);
    return r;
}
