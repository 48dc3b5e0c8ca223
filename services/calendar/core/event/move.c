/* SPDX-License-Identifier: Apache-2.0 */
/* Moving an organizer's event to another calendar, which becomes its organizer. */
#include "services/calendar/core/event/event_impl.h"

struct move {
    struct tx *tx;
    const struct calendar *from, *to;
    int64_t change;
    int64_t updated_us; /* of the series and its instances: the latest so far */
    int64_t series;     /* the row of the series in the other calendar, for its instances */
};

static int run1(struct tx *tx, struct sql_text *q, int64_t id)
{
    return TX_RUN(tx, q, id);
}

/* The former owner keeps a copy as a guest, or only the trace that it was there. */
static int leave_old(struct move *m, const struct cal_event *old, const struct cal_event *new)
{
    static struct sql_text q_alone = SQL_TEXT("update cal_event set master = null where id = :old");
    struct cal_event left = *old;
    int self = cal_event_self(m->from, old);
    left.updated_us = new->updated_us;
    left.change = m->change;
    left.organizer = m->to->address;
    if (self >= 0) {
        static struct sql_text q = SQL_TEXT("update cal_event set origin = :new where id = :old");
        left.response = old->attendees[self].response;
        if (!left.zone && !left.all_day)
            left.zone = m->from->zone;
        if (cal_event_update_row(m->tx, &left, PART_TIME) < 0)
            return -1;
        return TX_RUN(m->tx, &q, new->id, old->id);
    }
    left.status = EVENT_CANCELLED;
    if (left.form == EVENT_SERIES)
        left.form = EVENT_SINGLE;
    left.n_attendees = left.n_instances = 0;
    left.summary = left.description = left.location = left.props = left.own_props = left.extra =
        left.recurrence = left.categories = left.place = left.conference = left.decline_text =
            left.organizer_name = NULL;
    if (cal_event_update_row(m->tx, &left, PART_STATUS) < 0)
        return -1;
    return old->master ? run1(m->tx, &q_alone, old->id) : 0;
}

/* 1: the other calendar has this key, in row ret: a guest's copy, or a trace of an earlier move. */
static int taken(struct move *m, const struct cal_event *old, struct cal_event *ret)
{
    int r = cal_event_find(m->tx, m->to, old->key, ret);
    if (r != 1 || !ret->id)
        return r < 0 ? -1 : 0;
    if (ret->origin != old->id && !event_is_trace(ret))
        return cal_fail(m->tx, CAL_KEY_USED, "this id is or was in use");
    return 1;
}

static int move_row(struct move *m, struct cal_event *old, struct cal_event *ret)
{
    static struct sql_text q_guests =
        SQL_TEXT("update cal_attendee set event = :new where event = :old");
    static struct sql_text q_copies = SQL_TEXT(
        "update cal_event set origin = :new, organizer = iif(status = 2 and n_attendees = 0, "
        "organizer, :key) where origin = :old");
    static struct sql_text q_own =
        SQL_TEXT("update cal_event set origin = null, master = nullif(:series, 0) where id = :id");
    struct tx *tx = m->tx;
    struct cal_event there;
    if (cal_event_load_attendees(tx, old) < 0)
        return -1;
    int r = taken(m, old, &there);
    if (r < 0)
        return -1;
    *ret = *old;
    ret->id = r ? there.id : 0;
    ret->calendar = m->to->id;
    ret->master = m->series;
    ret->origin = 0;
    ret->organizer = NULL;
    ret->removed = false;
    ret->creator = old->creator ? old->creator : m->from->address;
    if (strcmp(ret->creator, m->to->address) == 0)
        ret->creator = NULL;
    if (!ret->zone && !ret->all_day)
        ret->zone = m->from->zone;
    int self = cal_event_self(m->to, ret);
    ret->response = self < 0 ? RESPONSE_NO_GUEST : ret->attendees[self].response;
    ret->updated_us = calendar_touch(tx, old->updated_us);
    if (r && ret->updated_us <= there.updated_us)
        ret->updated_us = there.updated_us + 1;
    if (ret->updated_us < m->updated_us)
        ret->updated_us = m->updated_us;
    m->updated_us = ret->updated_us;
    ret->change = m->change;
    if (r) { /* a guest becomes the organizer: what was personal stays */
        ret->color = there.color;
        ret->reminders = there.reminders;
        ret->busy = there.busy;
        ret->own_props = there.own_props;
        ret->categories = there.categories;
        ret->reminder_on = there.reminder_on;
        ret->reminder_minutes = there.reminder_minutes;
        if (TX_RUN(tx, &q_own, m->series, there.id) < 0 ||
            cal_event_update_row(tx, ret, PART_TIME) < 0)
            return -1;
    } else if ((ret->form == EVENT_INSTANCE && cal_event_drop_trace(tx, ret) < 0) ||
               cal_event_insert_row(tx, ret) < 0) {
        return -1;
    }
    if (TX_RUN(tx, &q_guests, ret->id, old->id) < 0 ||
        TX_RUN(tx, &q_copies, ret->id, m->to->address, old->id) < 0)
        return -1;
    return leave_old(m, old, ret);
}

static int move_instances(struct move *m, const struct cal_event *series, struct cal_event *new)
{
    static struct sql_text q = SQL_TEXT(
        "select id, original_us from cal_event where master = :series and original_us > :after "
        "order by original_us limit 1");
    int64_t after = INT64_MIN;
    m->series = new->id;
    for (;;) {
        struct cal_event old, moved;
        sqlite3_stmt *st = TX_QUERY(m->tx, &q, series->id, after);
        if (!st)
            return -1;
        int r = TX_STEP(m->tx, st);
        if (r < 0)
            return -1;
        if (r == 0)
            break;
        int64_t id = sqlite3_column_int64(st, 0);
        after = sqlite3_column_int64(st, 1);
        sql_done(st);
        r = cal_event_by_id(m->tx, id, &old);
        if (r < 0 || (r && move_row(m, &old, &moved) < 0))
            return -1;
        if (r && moved.n_attendees && cal_copies_follow(m->tx, &moved) < 0)
            return -1;
    }
    new->updated_us = m->updated_us; /* what was there of an instance may have been the newest */
    return cal_event_count_instances(m->tx, new->id) < 0 ||
                   cal_event_count_instances(m->tx, series->id) < 0 ||
                   cal_event_count_copied(m->tx, new->id) < 0
               ? -1
               : cal_event_touch_series(m->tx, new->id, new->updated_us, m->change);
}

int cal_event_move(struct tx *tx, const struct cal_event_by *by, const struct calendar *from,
                   struct cal_event *ev, const struct calendar *to, struct cal_event *ret)
{
    struct move m = {.tx = tx, .from = from, .to = to};
    struct cal_event old = *ev;
    if (ev->origin || ev->organizer || ev->rights & EVENT_PRIVATE_COPY)
        return cal_fail(tx, CAL_NOT_ORGANIZER, "only the organizer can move an event");
    if (ev->form == EVENT_INSTANCE)
        return cal_fail(tx, CAL_MOVED_INSTANCE, "an instance can't be moved without its series");
    if (from->id == to->id) {
        *ret = *ev;
        return 0;
    }
    if (calendar_change(tx, &m.change) < 0 || move_row(&m, &old, ret) < 0)
        return -1;
    if (old.form == EVENT_SERIES && move_instances(&m, &old, ret) < 0)
        return -1;
    if (!ret->n_attendees)
        return 0;
    if (cal_event_load_attendees(tx, ret) < 0 || cal_copies_follow(tx, ret) < 0)
        return -1;
    return cal_invite_changed(tx, by, to, &old, ret, PART_ORGANIZER);
}
