/* SPDX-License-Identifier: Apache-2.0 */
/* Making, changing, cancelling and moving events: the effects on the guests' copies, on the
 * series of an instance, and on sequence numbers and etags. */
#include "engine/base/codec.h"
#include "services/calendar/core/event/event_impl.h"
#include "services/calendar/core/recur/rrule.h"
#include "services/calendar/core/vendor.h"

/* ---- new ones ---- */

/* A world that was made of a dump counts its ids anew, and has those of the dump. */
static int make_key(struct tx *tx, struct cal_event *ev)
{
    uint8_t id[16];
    struct buf b;
    int r;
    do {
        if (tx_id(tx, "event", id, sizeof id) < 0)
            return -1;
        buf_init(&b, 64);
        base32hex_add(&b, id, sizeof id);
        ev->key = arena_strdup(tx->arena, buf_str(&b));
        buf_done(&b);
    } while ((r = cal_event_key_used(tx, ev->key)) == 1);
    return r;
}

/* last_us and, for a series, the recurrence in normal form. */
static int prepare_times(struct tx *tx, const struct calendar *cal, struct cal_event *ev)
{
    ev->last_us = event_end(ev);
    if (ev->start_us < RRULE_START * US_PER_SECOND || ev->last_us / US_PER_SECOND > RRULE_END)
        return cal_fail(tx, CAL_NO_SUCH_TIME, "Events lie between the years 1 and 9999.");
    if (ev->form == EVENT_INSTANCE || !ev->recurrence)
        return 0;
    return series_prepare(tx, cal, ev);
}

/* What the core reads of an event whose dialect keeps it among its own members. */
static int read_extra(struct tx *tx, const struct calendar *cal, struct cal_event *ev)
{
    return cal->vendor->read_extra ? cal->vendor->read_extra(tx, ev) : 0;
}

static void own_response(const struct calendar *cal, struct cal_event *ev)
{
    int self = cal_event_self(cal, ev);
    if (ev->attendees)
        ev->response = self < 0 ? RESPONSE_NO_GUEST : ev->attendees[self].response;
}

int cal_event_add(struct tx *tx, const struct cal_event_by *by, const struct calendar *cal,
                  struct cal_event *ev)
{
    bool given = ev->key != NULL;
    ev->calendar = cal->id;
    ev->created_us = ev->updated_us = tx->now_us;
    if (ev->form != EVENT_INSTANCE)
        ev->form = ev->recurrence ? EVENT_SERIES : EVENT_SINGLE;
    own_response(cal, ev);
    if ((!given && make_key(tx, ev) < 0) || prepare_times(tx, cal, ev) < 0 ||
        (ev->extra && read_extra(tx, cal, ev) < 0))
        return -1;
    if (!ev->uid)
        ev->uid = cal->vendor->uid(tx, cal_event_series_key(tx, ev));
    if (calendar_change(tx, &ev->change) < 0)
        return -1;
    if (cal_event_insert_row(tx, ev) < 0) {
        if (given && tx->err->code == SOSIA_E_CONFLICT)
            return cal_fail(tx, CAL_KEY_USED, "this id is or was in use");
        return -1;
    }
    if ((ev->kind == KIND_AWAY || ev->kind == KIND_FOCUS) && cal_away_declines(tx, by, cal, ev) < 0)
        return -1;
    if (!ev->n_attendees)
        return 0;
    if (cal_event_store_attendees(tx, ev) < 0)
        return -1;
    if (!event_leads(ev))
        return 0;
    if (cal_copies_follow(tx, ev) < 0)
        return -1;
    return cal_invite_changed(tx, by, cal, NULL, ev, PARTS_SHARED);
}

/* ---- changes ---- */

/* An unchanged instance gets a row of its own. */
static int make_instance(struct tx *tx, struct cal_event *ev)
{
    /* It may have been one before, when the series was another. */
    if (cal_event_drop_trace(tx, ev) < 0 || cal_event_insert_row(tx, ev) < 0 ||
        cal_event_count_instances(tx, ev->master) < 0)
        return -1;
    return ev->n_attendees ? cal_event_store_attendees(tx, ev) : 0;
}

/* What a guest with the organizer's permission changes for all. */
static void take_parts(const struct calendar *cal, unsigned parts, const struct cal_event *from,
                       struct cal_event *to)
{
    if (parts & PART_SUMMARY)
        to->summary = from->summary;
    if (parts & PART_DESCRIPTION)
        to->description = from->description;
    if (parts & PART_LOCATION)
        to->location = from->location;
    if (parts & PART_TIME) {
        to->start_us = from->start_us;
        to->len_us = from->len_us;
        to->all_day = from->all_day;
        to->zone = from->zone ? from->zone : from->all_day ? NULL : cal->zone;
        to->end_zone = from->end_zone;
    }
    if (parts & PART_RECURRENCE)
        to->recurrence = from->recurrence;
    if (parts & PART_PROPS)
        to->props = from->props;
    if (parts & PART_IMPORTANCE)
        to->importance = from->importance;
    if (parts & PART_EXTRA) {
        to->extra = from->extra;
        to->decline = from->decline;
        to->decline_text = from->decline_text;
        to->place = from->place;
        to->conference = from->conference;
    }
    if (parts & PART_ATTENDEES) {
        to->attendees = from->attendees;
        to->n_attendees = from->n_attendees;
    }
}

/* What a guest may change for all: with the organizer's permission everything, otherwise the own
 * response and, unless forbidden, further guests. done: parts that need nothing more. */
static int guest_changes(struct tx *tx, const struct cal_event_by *by, const struct calendar *cal,
                         const struct cal_event *old, struct cal_event *ev, unsigned parts,
                         unsigned *ret_done)
{
    struct cal_event theirs, changed;
    struct calendar leader;
    const bool invites = cal->vendor->guests_invite;
    int self = cal_event_self(cal, ev), was = cal_event_self(cal, old);
    bool response =
        self >= 0 && (was < 0 || !cal_attendee_same(&ev->attendees[self], &old->attendees[was]));
    *ret_done = 0;
    if (parts & cal->vendor->guests_never)
        return cal_fail(tx, CAL_NOT_ORGANIZER, "only the organizer can change this");
    if (!(parts & PARTS_SHARED))
        return 0;
    int r = cal_event_by_id(tx, old->origin, &theirs);
    if (r == 1)
        r = calendar_by_id(tx, theirs.calendar, &leader);
    if (r != 1 || cal_event_load_attendees(tx, &theirs) < 0)
        return r < 0 ? -1 : 0;
    changed = theirs;
    if (old->rights & GUESTS_MODIFY) {
        take_parts(cal, cal->vendor->guests_all, ev, &changed);
        *ret_done = cal->vendor->guests_all;
    } else if (parts & PART_ATTENDEES) {
        /* The organizer's list stays as it is but for this guest's own entry and new ones. */
        struct cal_attendee *list = arena_calloc(
            tx->arena, (size_t)theirs.n_attendees + (size_t)ev->n_attendees, sizeof *list);
        int n = 0;
        for (int i = 0; i < theirs.n_attendees; i++) {
            list[n++] = theirs.attendees[i];
            if (self >= 0 && strcmp(theirs.attendees[i].email, cal->address) == 0)
                list[n - 1] = ev->attendees[self];
        }
        for (int i = 0; i < ev->n_attendees; i++) {
            bool known = false;
            for (int k = 0; k < theirs.n_attendees && !known; k++)
                known = strcmp(theirs.attendees[k].email, ev->attendees[i].email) == 0;
            if (!known && (i == self || (invites && !(old->rights & GUESTS_DONT_INVITE))))
                list[n++] = ev->attendees[i];
        }
        ev->attendees = changed.attendees = list;
        ev->n_attendees = changed.n_attendees = n;
        self = cal_event_self(cal, ev);
        *ret_done = PART_ATTENDEES | PART_RESPONSE;
        own_response(cal, ev);
        if (n == theirs.n_attendees && !response)
            return 0;
    } else {
        return 0;
    }
    bool alone = *ret_done == (PART_ATTENDEES | PART_RESPONSE) &&
                 changed.n_attendees == theirs.n_attendees + (response && was < 0);
    if (alone ? cal_copies_respond(tx, cal, &theirs, old, &ev->attendees[self])
              : cal_event_save(tx, &(struct cal_event_by){by->who, by->mail}, &leader, &theirs,
                               &changed))
        return -1;
    ev->attendees = changed.attendees;
    ev->n_attendees = changed.n_attendees;
    own_response(cal, ev);
    return response ? cal_invite_changed(tx, by, cal, old, ev, PART_RESPONSE) : 0;
}

/* The organizer's side of a guest's instance that is unchanged yet. */
static int make_origin(struct tx *tx, const struct calendar *cal, struct cal_event *ev)
{
    struct cal_event series, theirs, mine;
    struct calendar leader;
    int r = cal_event_by_id(tx, ev->master, &series);
    if (r != 1 || !series.origin)
        return r < 0 ? -1 : 0;
    ev->origin = 0; /* an instance's is the organizer's instance, not the series */
    r = cal_event_by_id(tx, series.origin, &series);
    if (r == 1)
        r = calendar_by_id(tx, series.calendar, &leader);
    if (r == 1)
        r = cal_event_instance(tx, &leader, &series, ev->original_day, ev->original_us, &theirs);
    if (r != 1)
        return r < 0 ? -1 : 0;
    /* From now on it is in their lists, as it was. A change of the organizer's own copy alone
     * has made a row there and no copies. */
    if (calendar_change(tx, &theirs.change) < 0 || cal_event_load_attendees(tx, &theirs) < 0 ||
        (!theirs.id && make_instance(tx, &theirs) < 0) || cal_copies_follow(tx, &theirs) < 0)
        return -1;
    r = cal_event_find(tx, cal, ev->key, &mine);
    if (r != 1 || !mine.id)
        return r < 0 ? -1 : 0;
    ev->id = mine.id;
    ev->origin = mine.origin;
    return 0;
}

static void raise_numbers(struct tx *tx, const struct cal_event *old, struct cal_event *ev,
                          unsigned parts)
{
    /* Reminders have no effect on others: what was read before is still right. */
    if (parts & ~(unsigned)(PART_REMINDERS | PART_REMINDER))
        ev->updated_us = calendar_touch(tx, old->updated_us);
    if (parts & PART_TIME && ev->sequence <= old->sequence) /* an int32 in every API of it */
        ev->sequence = old->sequence < INT32_MAX ? old->sequence + 1 : INT32_MAX;
}

int cal_event_save(struct tx *tx, const struct cal_event_by *by, const struct calendar *cal,
                   const struct cal_event *old, struct cal_event *ev)
{
    unsigned done = 0, parts;
    own_response(cal, ev);
    if (!str_same(old->extra, ev->extra) && read_extra(tx, cal, ev) < 0)
        return -1;
    if (old->id && old->origin && !(old->rights & (GUESTS_MODIFY | EVENT_PRIVATE_COPY)))
        ev->recurrence = old->recurrence; /* a guest's change of it is passed over */
    if (ev->form != EVENT_INSTANCE)
        ev->form = ev->recurrence ? EVENT_SERIES : EVENT_SINGLE;
    if (ev->status != EVENT_CANCELLED)
        ev->removed = false;
    parts = cal_event_compare(old, ev);
    if ((!ev->id || parts & (PART_TIME | PART_RECURRENCE)) && prepare_times(tx, cal, ev) < 0)
        return -1;
    parts = cal_event_compare(old, ev); /* a rule written in another way is not a change */
    if (!parts)
        return 0;
    if (!ev->id && make_origin(tx, cal, ev) < 0)
        return -1;
    struct cal_event from = *old;
    from.id = ev->id;
    from.origin = ev->origin;
    if (ev->origin && !(ev->rights & EVENT_PRIVATE_COPY)) {
        if (guest_changes(tx, by, cal, &from, ev, parts, &done) < 0)
            return -1;
        /* A copy shows no other guests than its origin has, and is cancelled without an own entry.
         */
        parts &= ~(done | PART_ATTENDEES);
        bool left =
            done & PART_ATTENDEES && cal_event_self(cal, ev) < 0 && cal_event_self(cal, old) >= 0;
        struct cal_event row; /* changes of what is shared came to it by the organizer's event */
        if (cal_event_by_id(tx, ev->id, !parts || left ? ev : &row) < 0)
            return -1;
        if (!parts || left)
            return 0;
        ev->updated_us = from.updated_us = row.updated_us;
        ev->sequence = from.sequence = row.sequence;
    }
    raise_numbers(tx, &from, ev, parts);
    if (calendar_change(tx, &ev->change) < 0)
        return -1;
    bool made = !ev->id;
    if (ev->id) {
        if (cal_event_update_row(tx, ev, parts) < 0)
            return -1;
        if (parts & PART_ATTENDEES && cal_event_store_attendees(tx, ev) < 0)
            return -1;
    } else if (make_instance(tx, ev) < 0) {
        return -1;
    }
    bool cancelled = old->status != EVENT_CANCELLED && ev->status == EVENT_CANCELLED;
    if (old->form == EVENT_SERIES && cancelled && cal_event_hush_instances(tx, ev->id) < 0)
        return -1;
    bool lead = event_leads(ev),
         shared = parts & PARTS_SHARED && (ev->n_attendees || old->n_attendees);
    /* An instance that is one of its own in the organizer's calendar is one in all: an answer to
     * it is visible to all. */
    if (lead && (shared || (made && ev->n_attendees)) &&
        ((parts & PART_VISIBILITY && cal_copies_see(tx, ev, old->visibility) < 0) ||
         cal_event_load_attendees(tx, ev) < 0 || cal_copies_follow(tx, ev) < 0))
        return -1;
    bool restored = old->status == EVENT_CANCELLED && ev->status != EVENT_CANCELLED;
    if (old->form == EVENT_SERIES && restored &&
        (ev->origin ? cal_copies_return(tx, ev) : cal_event_wake_instances(tx, ev)) < 0)
        return -1;
    if (old->form == EVENT_SERIES && series_changed(tx, cal, old, ev) < 0)
        return -1;
    if (ev->master || ev->form == EVENT_SERIES) {
        int64_t series = ev->master ? ev->master : ev->id;
        if (cal_event_touch_series(tx, series, ev->updated_us, ev->change) < 0)
            return -1;
    }
    if (!lead) /* an invitation from outside: the organizer is notified */
        return parts & PART_RESPONSE ? cal_invite_changed(tx, by, cal, old, ev, PART_RESPONSE) : 0;
    return shared ? cal_invite_changed(tx, by, cal, old, ev, parts) : 0;
}

int cal_event_single_out(struct tx *tx, struct cal_event *ev)
{
    if (ev->id)
        return 0;
    if (cal_event_load_attendees(tx, ev) < 0 || calendar_change(tx, &ev->change) < 0)
        return -1;
    ev->updated_us = calendar_touch(tx, ev->updated_us);
    if (make_instance(tx, ev) < 0 || (ev->n_attendees && cal_copies_follow(tx, ev) < 0))
        return -1;
    return cal_event_touch_series(tx, ev->master, ev->updated_us, ev->change);
}

/* ---- cancelling ---- */

/* A guest takes the own copy away. */
static int remove_copy(struct tx *tx, const struct cal_event_by *by, const struct calendar *cal,
                       struct cal_event *ev)
{
    struct cal_event old;
    if (cal_event_load_attendees(tx, ev) < 0)
        return -1;
    old = *ev;
    int self = cal_event_self(cal, ev);
    if (self >= 0 && ev->attendees[self].response != RESPONSE_DECLINED) {
        struct cal_attendee *list = (struct cal_attendee *)arena_memdup(
            tx->arena, ev->attendees, (size_t)ev->n_attendees * sizeof *list);
        list[self].response = RESPONSE_DECLINED;
        ev->attendees = list;
        if (cal_event_save(tx, by, cal, &old, ev) < 0)
            return -1;
        int r = cal_event_find(tx, cal, old.key, ev);
        if (r != 1)
            return r;
    } else if (!ev->id && make_origin(tx, cal, ev) < 0) {
        return -1;
    }
    ev->status = EVENT_CANCELLED;
    ev->removed = true;
    ev->updated_us = calendar_touch(tx, ev->updated_us);
    if (calendar_change(tx, &ev->change) < 0)
        return -1;
    if (ev->form == EVENT_SERIES &&
        (ev->origin ? cal_event_drop_instances : cal_event_hush_instances)(tx, ev->id) < 0)
        return -1;
    if (ev->id ? cal_event_update_row(tx, ev, PART_STATUS) : make_instance(tx, ev))
        return -1;
    int64_t series = ev->master ? ev->master : ev->form == EVENT_SERIES ? ev->id : 0;
    return series ? cal_event_touch_series(tx, series, ev->updated_us, ev->change) : 0;
}

/* A guest takes away the copy of what the organizer cancelled. */
static int discard_copy(struct tx *tx, struct cal_event *ev)
{
    ev->removed = true;
    ev->updated_us = calendar_touch(tx, ev->updated_us);
    return calendar_change(tx, &ev->change) < 0 ? -1 : cal_event_update_row(tx, ev, PART_STATUS);
}

int cal_event_cancel(struct tx *tx, const struct cal_event_by *by, const struct calendar *cal,
                     struct cal_event *ev)
{
    struct cal_event old;
    if (ev->status == EVENT_CANCELLED && cal->vendor->keeps_cancelled && ev->id && ev->origin &&
        !ev->removed)
        return discard_copy(tx, ev);
    if (ev->status == EVENT_CANCELLED)
        return cal_fail(tx, CAL_DELETED, "the event is deleted");
    if (!event_leads(ev))
        return remove_copy(tx, by, cal, ev);
    if (cal_event_load_attendees(tx, ev) < 0)
        return -1;
    old = *ev;
    ev->status = EVENT_CANCELLED;
    return cal_event_save(tx, by, cal, &old, ev);
}

int cal_event_cancel_all(struct tx *tx, const struct calendar *cal)
{
    static struct sql_text q = SQL_TEXT("select id from cal_event where calendar = :calendar "
                                        "and status <> 2 order by form = 2, id");
    struct cal_event ev;
    struct ids {
        struct ids *next;
        int64_t id;
    } *first = NULL, **end = &first;
    sqlite3_stmt *st = TX_QUERY(tx, &q, cal->id);
    if (!st)
        return -1;
    int r;
    while ((r = TX_STEP(tx, st)) == 1) {
        *end = arena_calloc(tx->arena, 1, sizeof **end);
        if (arena_failed(tx->arena)) {
            sql_done(st);
            return sosia_fail_memory(tx->err);
        }
        (*end)->id = sqlite3_column_int64(st, 0);
        end = &(*end)->next;
    }
    for (const struct ids *i = first; r == 0 && i; i = i->next) {
        r = cal_event_by_id(tx, i->id, &ev); /* changed instances were cancelled with their
                                                series */
        if (r == 1 && ev.status != EVENT_CANCELLED)
            r = cal_event_cancel(tx, &(struct cal_event_by){0}, cal, &ev);
        else if (r == 1)
            r = 0;
    }
    return r;
}
