/* SPDX-License-Identifier: Apache-2.0 */
/* Tasks that recur: one at a time, by a rule as calendars have it. */
#include "engine/text/civil.h"
#include "engine/text/tz.h"
#include "services/calendar/core/recur/recur.h"
#include "services/tasks/core/impl.h"

/* What the wall clock of the zone shows. */
static int64_t reading(const struct tz *tz, int64_t us)
{
    int64_t s = us / US_PER_SECOND - (us % US_PER_SECOND < 0);
    return tz ? s + tz_offset(tz, s) : s;
}

/* The first instant of the rule behind one; 0: there is none. */
static int64_t instant_behind(struct tx *tx, const struct task *t, int64_t after_us)
{
    const struct tz *tz = t->zone ? tz_find(t->zone) : NULL;
    const struct recur_start start = {.local_s = reading(tz, t->recurs_us), .tz = tz};
    const struct recur *recur;
    struct recur_instance one;
    struct recur_iter it;
    struct sosia_err err;
    if (recur_parse(tx->arena, &t->recurrence, 1, &start, &recur, &err) < 0)
        return 0;
    recur_iter_init(&it, recur, after_us / US_PER_SECOND + 1);
    return recur_next(&it, &one) ? one.utc_s * US_PER_SECOND : 0;
}

/* The steps of the one that is done, none of which is done yet, and its links. */
static int copy_parts(struct tx *tx, const struct task *from, struct task *to)
{
    struct task_item *items;
    struct task_link *links;
    size_t n_items, n_links;
    if (task_items(tx, from->id, &items, &n_items) < 0 ||
        task_links(tx, from->id, &links, &n_links) < 0)
        return -1;
    for (size_t i = 0; i < n_items; i++)
        items[i] = (struct task_item){.title = items[i].title, .place = items[i].place};
    for (size_t i = 0; i < n_links; i++) {
        links[i].id = 0;
        links[i].key = NULL;
    }
    to->items = items;
    to->n_items = (int)n_items;
    to->links = links;
    to->n_links = (int)n_links;
    return 0;
}

/* What is as far from the next one as from this one; nothing where the calendar has no such year.
 */
static int64_t moved(int64_t us, int64_t by_us)
{
    return us && us <= TIME_LAST_US - by_us ? us + by_us : 0;
}

int task_recur(struct tx *tx, struct task *t, struct task *ret_next)
{
    const int64_t due = t->due_us ? t->due_us : t->recurs_us;
    *ret_next = (struct task){.id = 0};
    if (!t->recurrence)
        return 0;
    const int64_t at = instant_behind(tx, t, due);
    if (at) {
        *ret_next = *t;
        ret_next->id = 0;
        ret_next->key = ret_next->place = NULL;
        ret_next->due_us = at;
        ret_next->start_us = moved(t->start_us, at - due);
        ret_next->reminder_us = moved(t->reminder_us, at - due);
        ret_next->reminds = t->reminds && (ret_next->reminder_us || !t->reminder_us);
        ret_next->made_us = ret_next->changed_us = 0;
        task_set_status(tx, ret_next, TASK_NOT_STARTED);
        if (copy_parts(tx, t, ret_next) < 0 || task_add(tx, ret_next) < 0)
            return -1;
    }
    t->recurrence = NULL;
    t->recurs_us = 0;
    t->zone = NULL;
    return 0;
}
