/* SPDX-License-Identifier: Apache-2.0 */
/* Guests' copies of an organizer's event: who has one, and how they follow it. */
#include "identity/sql.h"
#include "services/calendar/core/event/event_impl.h"
#include "services/calendar/core/freebusy.h"
#include "services/calendar/core/vendor.h"
#include "engine/world/event.h"
#include "engine/world/take.h"
#include <stdlib.h>

struct guest {
    int64_t calendar;
    enum cal_response response;
    const char *room; /* the name of a room, which answers by itself; NULL: it is not a room */
    bool gone;        /* invited to the series, not to this instance of it */
    int entry;        /* index among the guests; -1: through a group */
    const struct cal_vendor *vendor; /* of the calendar */
};

struct guests {
    struct tx *tx;
    const struct cal_vendor *vendor; /* the organizer's */
    bool several;                    /* there are calendars of other vendors */
    const struct cal_event *ev;
    struct guest *list;
    size_t n, cap;
    int entry;
};

static int add_guest(struct guests *g, int64_t calendar, const char *room,
                     enum cal_response response)
{
    g->list = arena_grow(g->tx->arena, g->list, g->n, &g->cap, sizeof *g->list);
    if (!g->list)
        return sosia_fail_memory(g->tx->err);
    g->list[g->n++] = (struct guest){.calendar = calendar,
                                     .response = response,
                                     .room = room,
                                     .entry = g->entry,
                                     .vendor = g->vendor};
    return 0;
}

/* A group takes invitations into its calendar, if it has one, without being asked; its people are
 * guests besides. 0, -1. */
static int find_group(struct guests *g, const char *email)
{
    struct calendar cal;
    int r = calendar_of_group(g->tx, email, &cal);
    if (r != 1 || cal.id == g->ev->calendar)
        return r < 0 ? -1 : 0;
    if (add_guest(g, cal.id, NULL, RESPONSE_ACCEPTED) < 0)
        return -1;
    g->list[g->n - 1].vendor = cal.vendor;
    return 0;
}

/* A person with accounts of several vendors: the calendar to which the address leads. */
static int find_by_account(struct guests *g, const char *email, enum cal_response response)
{
    struct calendar cal;
    struct actor owner;
    int r = calendar_by_address(g->tx, email, &cal);
    if (r == 0)
        return find_group(g, email);
    if (r < 0 || cal.id == g->ev->calendar)
        return r;
    r = actor_by_id(g->tx, cal.owner, &owner);
    bool room = r == 1 && cal.main && strcmp(owner.kind, "resource") == 0;
    if (r < 0 || add_guest(g, cal.id, room ? owner.name : NULL, response) < 0)
        return -1;
    g->list[g->n - 1].vendor = cal.vendor;
    return 1;
}

/* 1: the address has a calendar of its own in this world. */
static int find_guest(struct guests *g, const char *email, enum cal_response response)
{
    static struct sql_text q = SQL_TEXT(
        "select c.id, iif(c.main and a.kind = 'resource', a.name, null) from cal_calendar c "
        "join " IDENT_SQL_ACTORS " a on a.id = c.owner where c.key = :key and c.gone = 0");
    if (g->several)
        return find_by_account(g, email, response);
    const char *room;
    int64_t calendar;
    int r = TX_TAKE(g->tx, TX_QUERY(g->tx, &q, email), &calendar, &room);
    if (r != 1)
        return r;
    if (calendar != g->ev->calendar && add_guest(g, calendar, room, response) < 0)
        return -1;
    return 1;
}

static int group_member(void *arg, const char *email)
{
    return find_guest(arg, email, RESPONSE_NO_GUEST) < 0 ? -1 : 0;
}

/* By calendar; a guest of the own name before one through a group. */
static int by_calendar(const void *pa, const void *pb)
{
    const struct guest *a = pa, *b = pb;
    if (a->calendar != b->calendar)
        return a->calendar < b->calendar ? -1 : 1;
    return (a->entry < 0) - (b->entry < 0);
}

static int find_guests(struct guests *g)
{
    struct group group;
    for (int i = 0; i < g->ev->n_attendees; i++) {
        const struct cal_attendee *a = &g->ev->attendees[i];
        g->entry = i;
        int r = find_guest(g, a->email, a->response);
        if (r == 0 && identity_is_local(g->tx, a->email) == 1) {
            g->entry = -1;
            r = group_by_email(g->tx, a->email, &group);
            if (r == 1 && (r = group_takes_mail(g->tx, &group)) == 1)
                r = group_each_member(g->tx, group.id, group_member, g);
        }
        if (r < 0)
            return -1;
    }
    if (!g->n)
        return 0;
    qsort(g->list, g->n, sizeof *g->list, by_calendar);
    size_t n = 1;
    for (size_t i = 1; i < g->n; i++)
        if (g->list[i].calendar != g->list[n - 1].calendar)
            g->list[n++] = g->list[i];
    g->n = n;
    return 0;
}

static bool has_guest(const struct guests *g, int64_t calendar)
{
    struct guest key = {.calendar = calendar};
    size_t lo = 0, hi = g->n;
    while (lo < hi) {
        size_t mid = (lo + hi) / 2;
        if (g->list[mid].calendar == key.calendar)
            return true;
        if (g->list[mid].calendar < key.calendar)
            lo = mid + 1;
        else
            hi = mid;
    }
    return false;
}

/* Those who are guests of the series but not of the instance: in their calendars it is cancelled.
 */
static int add_excluded(struct guests *g)
{
    static struct sql_text q = SQL_TEXT(
        "select calendar from cal_event where origin = :series and status <> 2 order by calendar");
    size_t n = g->n;
    if (g->ev->form != EVENT_INSTANCE || !g->ev->master)
        return 0;
    sqlite3_stmt *st = TX_QUERY(g->tx, &q, g->ev->master);
    if (!st)
        return -1;
    int r;
    while ((r = TX_STEP(g->tx, st)) == 1) {
        int64_t calendar = sqlite3_column_int64(st, 0);
        struct guests known = {.list = g->list, .n = n};
        if (has_guest(&known, calendar))
            continue;
        g->entry = -1;
        if (add_guest(g, calendar, NULL, RESPONSE_NO_GUEST) < 0) {
            sql_done(st);
            return -1;
        }
        g->list[g->n - 1].gone = true;
    }
    for (size_t i = n; r == 0 && g->several && i < g->n; i++) {
        struct calendar cal;
        r = calendar_by_id(g->tx, g->list[i].calendar, &cal);
        if (r == 1)
            g->list[i].vendor = cal.vendor;
        r = r < 0 ? -1 : 0;
    }
    if (g->n > n)
        qsort(g->list, g->n, sizeof *g->list, by_calendar);
    return r;
}

/* The series that an instance belongs to in a guest's calendar. */
struct home {
    int64_t id; /* 0: it has only the instance */
    int64_t updated_us;
    bool removed; /* the person took it away, and with it all of its instances */
};

static int series_in(struct tx *tx, const struct cal_event *ev, const struct calendar *leader,
                     const struct guest *g, struct home *ret)
{
    static struct sql_text q =
        SQL_TEXT("select id, updated_us, status = 2 from cal_event where calendar = :calendar "
                 "and key = :key and form = 1 and (status <> 2 or removed)");
    *ret = (struct home){0};
    if (ev->form != EVENT_INSTANCE)
        return 0;
    const char *key = cal_vendor_key(tx, leader->vendor, g->vendor, ev);
    return TX_TAKE(tx, TX_QUERY(tx, &q, g->calendar, key), &ret->id, &ret->updated_us,
                   &ret->removed) < 0
               ? -1
               : 0;
}

/* What there is of copies: one by origin and calendar. */
struct copy {
    int64_t calendar, id, updated_us;
    bool removed;
    enum cal_event_visibility visibility;
};

struct copies {
    struct copy *list;
    size_t n;
};

static int find_copies(struct tx *tx, const struct cal_event *ev, struct copies *ret)
{
    static struct sql_text q = SQL_TEXT("select calendar, id, updated_us, removed, visibility "
                                        "from cal_event where origin = :origin order by calendar");
    struct copy copy;
    return TX_TAKE_ALL(tx, TX_QUERY(tx, &q, ev->id), &copy, &ret->list, &ret->n, &copy.calendar,
                       &copy.id, &copy.updated_us, &copy.removed, &copy.visibility);
}

static int order_copies(const void *pa, const void *pb)
{
    const struct copy *a = pa, *b = pb;
    return a->calendar < b->calendar ? -1 : a->calendar > b->calendar;
}

/* What a guest's copy has from the event. A zone left out means the organizer's calendar's, which
 * is another's there. */
static void fill_copy(struct tx *tx, const struct cal_event *ev, const struct calendar *leader,
                      const struct guest *g, const struct copy *old, const struct home *series,
                      struct cal_event *ret)
{
    int64_t newest =
        old && old->updated_us > series->updated_us ? old->updated_us : series->updated_us;
    *ret = *ev;
    ret->id = old ? old->id : 0;
    ret->calendar = g->calendar;
    ret->origin = ev->id;
    ret->master = series->id;
    ret->response = g->response;
    ret->removed = old && old->removed;
    if (ret->removed || g->gone)
        ret->status = EVENT_CANCELLED;
    ret->organizer = leader->address;
    ret->creator = ev->creator ? ev->creator : leader->address;
    if (!ret->zone && !ret->all_day)
        ret->zone = leader->zone;
    if (g->vendor != leader->vendor) {
        ret->key = cal_vendor_key(tx, leader->vendor, g->vendor, ev);
        if (ev->form == EVENT_INSTANCE)
            ret->key = cal_event_instance_key(tx, ret->key, ev->original_day, ev->original_us);
        ret->extra = NULL; /* the other dialect's own */
    }
    ret->kind = KIND_DEFAULT;
    ret->busy = cal_copy_busy(g->vendor, ev, g->response);
    ret->color = ret->own_props = ret->categories = NULL;
    ret->reminders = ev->all_day ? g->vendor->day_reminders : NULL;
    if (g->vendor->reminds) {
        ret->reminder_on = true;
        ret->reminder_minutes = g->vendor->reminder_minutes;
    }
    if (old && g->vendor->own_visibility)
        ret->visibility = old->visibility;
    ret->n_instances = 0;
    if (newest >= ret->updated_us)
        ret->updated_us = newest + 1;
}

/* An instance that gets a row in a guest's calendar has there what the guest has set for the
 * series, where vendors keep one reminder. */
static int take_personal(struct tx *tx, const struct home *home, struct cal_event *copy)
{
    struct cal_event series;
    int r = cal_event_by_id(tx, home->id, &series);
    if (r != 1)
        return r;
    copy->categories = series.categories;
    copy->reminder_on = series.reminder_on;
    copy->reminder_minutes = series.reminder_minutes;
    return 0;
}

static int put_copy(struct tx *tx, const struct cal_event *ev, const struct calendar *leader,
                    const struct guest *g, const struct copies *copies)
{
    struct copy key = {.calendar = g->calendar};
    struct cal_event copy;
    struct home series;
    const struct copy *old =
        copies->n ? bsearch(&key, copies->list, copies->n, sizeof key, order_copies) : NULL;
    if (series_in(tx, ev, leader, g, &series) < 0)
        return -1;
    if (series.removed)
        return 0;
    fill_copy(tx, ev, leader, g, old, &series, &copy);
    if (!old && series.id && g->vendor->reminds && take_personal(tx, &series, &copy) < 0)
        return -1;
    if (old ? cal_event_update_copy(tx, &copy) : cal_event_insert_row(tx, &copy)) {
        /* A key that stands for something else in this calendar (an import of the same event) stays
         * that. */
        if (old || tx->err->code != SOSIA_E_CONFLICT)
            return -1;
        return 0;
    }
    if (!series.id) /* a series' changed instances have its time of change */
        return old && ev->form == EVENT_SERIES
                   ? cal_event_touch_series(tx, old->id, copy.updated_us, ev->change)
                   : 0;
    return cal_event_count_instances(tx, series.id) < 0
               ? -1
               : cal_event_touch_series(tx, series.id, copy.updated_us, ev->change);
}

static int update_by_origin(struct tx *tx, struct sql_text *q, const struct cal_event *ev)
{
    return TX_RUN(tx, q, ev->id);
}

/* Copies of people who are not guests any more: they are cancelled, have no guests (which marks
 * them) and no longer follow the event. */
static int drop_copies(struct tx *tx, const struct cal_event *ev, const struct guests *g)
{
    static struct sql_text q =
        SQL_TEXT("select id, calendar, form from cal_event where origin = :origin "
                 "and (status <> 2 or n_attendees > 0)");
    static struct sql_text q_cancel =
        SQL_TEXT("update cal_event set status = 2, span = span | 64, response = 0, removed = 0, "
                 "n_attendees = 0, updated_us = max(:updated, updated_us + 1), change = :change "
                 "where id = :id");
    struct drop {
        struct drop *next;
        int64_t id, calendar;
        bool series;
    } *first = NULL;
    sqlite3_stmt *st = TX_QUERY(tx, &q, ev->id);
    if (!st)
        return -1;
    int r;
    while ((r = TX_STEP(tx, st)) == 1) {
        if (has_guest(g, sqlite3_column_int64(st, 1)))
            continue;
        struct drop *d = arena_calloc(tx->arena, 1, sizeof *d);
        d->next = first;
        d->id = sqlite3_column_int64(st, 0);
        d->series = sqlite3_column_int(st, 2) == EVENT_SERIES;
        d->calendar = sqlite3_column_int64(st, 1);
        first = d;
        if (arena_failed(tx->arena)) {
            sql_done(st);
            return sosia_fail_memory(tx->err);
        }
    }
    for (const struct drop *d = first; r == 0 && d; d = d->next) {
        event_note(tx, CHANGED_EVENTS, OP_REMOVED, d->calendar, d->id);
        if ((d->series && cal_event_drop_instances(tx, d->id) < 0) ||
            cal_event_noted(tx, d->calendar, ev->change, ev->updated_us) < 0)
            return -1;
        st = TX_QUERY(tx, &q_cancel, ev->updated_us, ev->change, d->id);
        if (!st)
            return -1;
        r = sql_run(tx->db, st, tx->err);
    }
    return r;
}

/* Does the calendar's person decline what falls into a time of absence or focus? 1, 0. */
static int turned_away(struct tx *tx, int64_t calendar, const struct cal_event *ev,
                       const char **ret_message)
{
    static struct sql_text q = SQL_TEXT(
        "select decline_text from cal_event where calendar = :calendar and kind in (1, 2) "
        "and status <> 2 and form <> 1 and start_us < :end and end_us > :start and decline > 0");
    if (ev->all_day || ev->form == EVENT_SERIES)
        return 0;
    return TX_TAKE(tx, TX_QUERY(tx, &q, calendar, event_end(ev), ev->start_us), ret_message);
}

/* Few worlds have times of absence at all. */
static int anybody_away(struct tx *tx, bool *ret)
{
    static struct sql_text q = SQL_TEXT("select 1 from cal_event where kind in (1, 2) limit 1");
    int r = TX_ANY(tx, TX_PLAIN(tx, &q));
    *ret = r == 1;
    return r < 0 ? -1 : 0;
}

static int decline_for(struct tx *tx, struct cal_event *ev, struct guest *g)
{
    static struct sql_text q = SQL_TEXT("update cal_attendee set response = 2, comment = :comment, "
                                        "answered_us = :now where id = :id");
    const char *message = NULL;
    struct cal_attendee *a = g->entry >= 0 ? &ev->attendees[g->entry] : NULL;
    if (!a || a->response != RESPONSE_NONE)
        return 0;
    int r = turned_away(tx, g->calendar, ev, &message);
    if (r != 1)
        return r;
    a->response = g->response = RESPONSE_DECLINED;
    a->comment = message;
    a->answered_us = tx->now_us;
    return TX_RUN(tx, &q, message, tx->now_us, a->id);
}

/* A room accepts what does not collide with its events. It is in the list with its name. */
static int answer_rooms(struct tx *tx, struct cal_event *ev, struct guests *g)
{
    static struct sql_text q =
        SQL_TEXT("update cal_attendee set name = :name, response = :response, "
                 "resource = 1, answered_us = :now where id = :id");
    for (size_t i = 0; i < g->n; i++) {
        struct guest *room = &g->list[i];
        struct cal_attendee *a = room->entry >= 0 ? &ev->attendees[room->entry] : NULL;
        bool busy;
        if (!room->room || !a || (a->response != RESPONSE_NONE && a->name && a->resource))
            continue;
        if (a->response == RESPONSE_NONE) {
            if (cal_event_collides(tx, room->calendar, ev, &busy) < 0)
                return -1;
            a->response = room->response = busy ? RESPONSE_DECLINED : RESPONSE_ACCEPTED;
        }
        if (!a->name)
            a->name = room->room;
        a->resource = true;
        a->answered_us = tx->now_us;
        if (TX_RUN(tx, &q, a->name, a->response, tx->now_us, a->id) < 0)
            return -1;
    }
    return 0;
}

int cal_copies_follow(struct tx *tx, struct cal_event *ev)
{
    static struct sql_text q_instances = SQL_TEXT(
        "delete from cal_event where master in (select id from cal_event where origin = :origin)");
    static struct sql_text q_count =
        SQL_TEXT("update cal_event set n_instances = 0 where origin = :origin");
    struct guests g = {.tx = tx, .ev = ev};
    struct copies copies = {0};
    struct calendar leader;
    bool away = false;
    int r = calendar_by_id(tx, ev->calendar, &leader);
    g.vendor = leader.vendor;
    int several = cal_vendors_meet(tx);
    g.several = several == 1;
    if (several < 0 || r != 1 || find_copies(tx, ev, &copies) < 0 || anybody_away(tx, &away) < 0)
        return -1;
    if (find_guests(&g) < 0 || add_excluded(&g) < 0 ||
        (ev->status != EVENT_CANCELLED && answer_rooms(tx, ev, &g) < 0))
        return -1;
    for (size_t i = 0; i < g.n; i++) {
        if (away && ev->status != EVENT_CANCELLED && decline_for(tx, ev, &g.list[i]) < 0)
            return -1;
        if (put_copy(tx, ev, &leader, &g.list[i], &copies) < 0)
            return -1;
    }
    if (drop_copies(tx, ev, &g) < 0)
        return -1;
    if (ev->form != EVENT_SERIES || ev->status != EVENT_CANCELLED)
        return 0;
    return update_by_origin(tx, &q_instances, ev) < 0 ? -1 : update_by_origin(tx, &q_count, ev);
}

int cal_copies_see(struct tx *tx, const struct cal_event *ev, enum cal_event_visibility was)
{
    static struct sql_text q = SQL_TEXT("update cal_event set visibility = :visibility "
                                        "where origin = :origin and visibility = :was");
    return TX_RUN(tx, &q, (int64_t)ev->visibility, ev->id, (int64_t)was);
}

static int return_copy(struct tx *tx, struct cal_event *ev, int64_t calendar)
{
    struct guests g = {.tx = tx, .ev = ev};
    struct copies copies = {0};
    struct calendar leader;
    int r = calendar_by_id(tx, ev->calendar, &leader);
    g.vendor = leader.vendor;
    int several = cal_vendors_meet(tx);
    g.several = several == 1;
    if (several < 0 || r != 1 || cal_event_load_attendees(tx, ev) < 0 ||
        find_copies(tx, ev, &copies) < 0 || find_guests(&g) < 0 || add_excluded(&g) < 0)
        return -1;
    for (size_t i = 0; i < g.n; i++)
        if (g.list[i].calendar == calendar && put_copy(tx, ev, &leader, &g.list[i], &copies) < 0)
            return -1;
    return 0;
}

int cal_copies_return(struct tx *tx, const struct cal_event *copy)
{
    static struct sql_text q =
        SQL_TEXT("select id, original_us from cal_event where master = :series and original_us > "
                 ":after order by original_us limit 1");
    int64_t after = INT64_MIN, id;
    int r;
    while ((r = TX_TAKE(tx, TX_QUERY(tx, &q, copy->origin, after), &id, &after)) == 1) {
        struct cal_event instance;
        if (cal_event_by_id(tx, id, &instance) != 1)
            return -1;
        instance.change = copy->change;
        if (return_copy(tx, &instance, copy->calendar) < 0)
            return -1;
    }
    return r;
}

int cal_copies_noted(struct tx *tx, int64_t origin, int64_t change)
{
    static struct sql_text q = SQL_TEXT(
        "update cal_calendar set newest = :change, newest_us = max(newest_us, :now) "
        "where id in (select calendar from cal_event where id = :origin or origin = :origin "
        "union select calendar from cal_event where master is null and origin in "
        "(select id from cal_event where master = :origin)) returning id");
    sqlite3_stmt *st = TX_QUERY(tx, &q, change, tx->now_us, origin);
    if (!st)
        return -1;
    int r;
    while ((r = TX_STEP(tx, st)) == 1)
        event_note(tx, CHANGED_EVENTS, OP_CHANGED, sqlite3_column_int64(st, 0), 0);
    return r;
}

/* ---- answers ---- */

static int store_answer(struct tx *tx, const struct cal_event *origin,
                        const struct cal_attendee *self, bool *ret_new)
{
    static struct sql_text q =
        SQL_TEXT("update cal_attendee set name = :name, response = :response, guests = :guests, "
                 "comment = :comment, answered_us = :now, proposed_us = :proposed, "
                 "proposed_end_us = :proposed_end where event = :event and email = :email");
    static struct sql_text q_add = SQL_TEXT(
        "insert into cal_attendee (event, email, name, response, optional, resource, guests, "
        "comment, answered_us) values (:event, :email, :name, :response, 0, 0, :guests, :comment, "
        ":now)");
    const int64_t now = self->response == RESPONSE_NONE ? 0 : tx->now_us;
    bool known = false;
    for (int i = 0; i < origin->n_attendees; i++)
        known |= strcmp(origin->attendees[i].email, self->email) == 0;
    *ret_new = !known;
    return known ? TX_RUN(tx, &q, self->name, self->response, self->guests, self->comment, now,
                          self->proposed_us, self->proposed_end_us, origin->id, self->email)
                 : TX_RUN(tx, &q_add, origin->id, self->email, self->name, self->response,
                          self->guests, self->comment, now);
}

/* Whatever the event is a part of or has as parts, in all calendars. */
static int touch_all(struct tx *tx, int64_t origin, int64_t *ret_change)
{
    static struct sql_text q = SQL_TEXT(
        "with touched (id) as (select coalesce(master, id) from cal_event where id = :origin "
        "union select coalesce(master, id) from cal_event where origin = :origin "
        "and (status <> 2 or n_attendees > 0) "
        "union select id from cal_event where master is null and origin in "
        "(select id from cal_event where master = :origin) "
        "and (status <> 2 or n_attendees > 0)) "
        "update cal_event set updated_us = max(:now, updated_us + 1), change = :change "
        "where id in (select id from touched) or master in (select id from touched)");
    return calendar_change(tx, ret_change) < 0 || cal_copies_noted(tx, origin, *ret_change) < 0 ||
                   TX_RUN(tx, &q, origin, tx->now_us, *ret_change) < 0
               ? -1
               : 0;
}

int cal_event_touch(struct tx *tx, int64_t id)
{
    int64_t change;
    return touch_all(tx, id, &change);
}

int cal_copies_respond(struct tx *tx, const struct calendar *cal, struct cal_event *origin,
                       const struct cal_event *copy, const struct cal_attendee *self)
{
    static struct sql_text q_more = SQL_TEXT("update cal_event set n_attendees = n_attendees + 1 "
                                             "where id = :origin or (origin = :origin "
                                             "and (status <> 2 or n_attendees > 0))");
    static struct sql_text q_own =
        SQL_TEXT("update cal_event set response = :response where id = :id "
                 "or (master = :id and response = :was)");
    static struct sql_text q_busy =
        SQL_TEXT("update cal_event set busy = :busy where (id = :id or master = :id) "
                 "and busy = :was");
    /* Instances that were changed before are answered with their series, unless they had another
     * answer, or the guest removed them. */
    static struct sql_text q_instances = SQL_TEXT(
        "update cal_attendee set response = :response, answered_us = :now where email = :email "
        "and response = :was and event in (select i.id from cal_event i "
        "where i.master = :origin and not exists (select 1 from cal_event c "
        "where c.origin = i.id and c.calendar = :calendar and c.removed = 1))");
    bool more = false;
    int64_t change;
    if (store_answer(tx, origin, self, &more) < 0 || touch_all(tx, origin->id, &change) < 0 ||
        (more && update_by_origin(tx, &q_more, origin) < 0))
        return -1;
    sqlite3_stmt *st = TX_QUERY(tx, &q_own, self->response, copy->id, copy->response);
    if (!st)
        return -1;
    if (sql_run(tx->db, st, tx->err) < 0)
        return -1;
    enum cal_busy was = cal_copy_busy(cal->vendor, origin, copy->response),
                  is = cal_copy_busy(cal->vendor, origin, self->response);
    if (is != was && TX_RUN(tx, &q_busy, is, copy->id, was) < 0)
        return -1;
    if (!origin->n_instances)
        return 0;
    return TX_RUN(tx, &q_instances, self->response, tx->now_us, self->email, copy->response,
                  origin->id, copy->calendar);
}
