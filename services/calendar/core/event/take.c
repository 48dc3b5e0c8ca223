/* SPDX-License-Identifier: Apache-2.0 */
#include "services/calendar/core/event/take.h"
#include "services/calendar/core/event/event_impl.h"
#include "services/calendar/core/ical/ical_read.h"
#include "services/calendar/core/vendor.h"

struct taker {
    struct tx *tx;
    struct cal_event_by by;
    struct calendar cal;
    struct invitation *mail;
};

/* An event that can't be stored is none of ours: the mail has come all the same. */
static int pass_over(struct tx *tx)
{
    const enum sosia_code code = tx->err->code;
    if (arena_failed(tx->arena) || (code != SOSIA_E_INVALID && code != SOSIA_E_CONFLICT &&
                                    code != SOSIA_E_FORBIDDEN && code != SOSIA_E_GONE))
        return -1;
    *tx->err = (struct sosia_err){0};
    return 0;
}

/* 1: what the calendar has of it: the event, or the instance of a series; 0: nothing. series: of
 * an instance that is not there, the series (id 0: it isn't either). */
static int find(struct taker *t, const struct calendar *cal, const struct ical_event *in,
                struct cal_event *ret, struct cal_event *series)
{
    struct tx *tx = t->tx;
    *series = (struct cal_event){0};
    int r = cal_event_by_uid(tx, cal, in->uid, ret);
    if (r < 0)
        return -1;
    if (r == 1 && ret->form == EVENT_INSTANCE) /* a guest of this instance alone */
        r = 0;
    if (!in->single)
        return r;
    const char *key = cal->vendor->key(tx, in->uid);
    if (r == 1) {
        if (ret->form != EVENT_SERIES || ret->all_day != in->original_day)
            return 0;
        *series = *ret;
        key = series->key;
    }
    return cal_event_find(tx, cal,
                          cal_event_instance_key(tx, key, in->original_day, in->original_us), ret);
}

/* Is it the same organizer's, and not older than what is there? What was taken away stays away. */
static bool follows(const struct cal_event *old, const struct ical_event *in)
{
    return !old->origin && old->organizer && in->organizer && !old->removed &&
           !event_is_suspended(old) && !(old->rights & EVENT_PRIVATE_COPY) &&
           strcmp(old->organizer, in->organizer) == 0 &&
           (in->sequence < 0 ? 0 : in->sequence) >= old->sequence;
}

/* ---- requests ---- */

static void fill(struct taker *t, const struct ical_event *in, const struct cal_event *old,
                 struct cal_event *ev)
{
    ev->summary = in->summary;
    ev->description = in->description;
    ev->location = in->location;
    ev->status = in->status;
    ev->start_us = in->start_us;
    ev->len_us = in->len_us;
    ev->all_day = in->all_day;
    ev->zone = in->zone;
    ev->end_zone = NULL;
    ev->sequence = in->sequence < 0 ? 0 : in->sequence;
    if (!in->single)
        ev->recurrence = in->recurrence;
    ev->rights &= ~(unsigned)EVENT_NO_END;
    if (in->no_end)
        ev->rights |= EVENT_NO_END;
    ev->attendees = in->guests;
    ev->n_attendees = in->n_guests;
    if (!ev->attendees)
        ev->attendees = arena_calloc(t->tx->arena, 1, sizeof *ev->attendees);
    /* The organizer may not have seen the answer yet. */
    int self = cal_event_self(&t->cal, ev), was = old ? cal_event_self(&t->cal, old) : -1;
    if (self >= 0 && was >= 0 && ev->sequence == old->sequence &&
        ev->attendees[self].response == RESPONSE_NONE)
        ev->attendees[self] = old->attendees[was];
}

/* Instances that came before their series become instances of it. */
static int adopt(struct tx *tx, const struct cal_event *series)
{
    static struct sql_text q =
        SQL_TEXT("update cal_event set master = :series where " CAL_KEYS_BELOW
                 " and calendar = :calendar and uid = :uid "
                 "and form = 2 and master is null and origin is null");
    if (series->form != EVENT_SERIES)
        return 0;
    if (TX_RUN(tx, &q, series->id, series->key, series->calendar, series->uid) < 0 ||
        cal_event_count_instances(tx, series->id) < 0)
        return -1;
    return cal_event_touch_series(tx, series->id, series->updated_us, series->change);
}

static int add(struct taker *t, const struct ical_event *in)
{
    struct tx *tx = t->tx;
    const char *key = t->cal.vendor->key(tx, in->uid);
    struct cal_event ev = {
        .uid = in->uid,
        .key =
            in->single ? cal_event_instance_key(tx, key, in->original_day, in->original_us) : key,
        .form = in->single ? EVENT_INSTANCE : EVENT_SINGLE,
        .original_us = in->original_us,
        .original_day = in->original_day,
        .creator = in->organizer,
        .organizer = in->organizer,
        .organizer_name = in->organizer_name,
        .importance = in->importance,
        .visibility = in->visibility,
        .busy = in->free ? BUSY_FREE : BUSY_BUSY,
        .reminders = in->all_day ? t->cal.vendor->day_reminders : NULL,
    };
    fill(t, in, NULL, &ev);
    return cal_event_add(tx, &t->by, &t->cal, &ev) < 0 ? pass_over(tx) : adopt(tx, &ev);
}

/* Do invitations of that sender come into the calendar by themselves? 1, 0, -1. */
static int lets_in(struct taker *t)
{
    const struct cal_vendor *v = t->cal.vendor;
    return t->mail->asked || !v->lets_in ? 1 : v->lets_in(t->tx, t->by.who, t->mail->known);
}

static int request(struct taker *t, const struct ical_event *in)
{
    struct tx *tx = t->tx;
    struct cal_event old, ev, series;
    if (!in->timed || !in->organizer || strcmp(in->organizer, t->cal.address) == 0)
        return 0;
    int r = find(t, &t->cal, in, &old, &series);
    if (r < 0)
        return -1;
    if (r == 0) { /* a series that does not have the instance is another one by now */
        r = in->status == EVENT_CANCELLED || series.id ? 0 : lets_in(t);
        return r == 1 ? add(t, in) : r;
    }
    if (!follows(&old, in))
        return 0;
    if (cal_event_load_attendees(tx, &old) < 0)
        return -1;
    ev = old;
    fill(t, in, &old, &ev);
    if (cal_event_save(tx, &t->by, &t->cal, &old, &ev) < 0)
        return pass_over(tx);
    return old.form == EVENT_SERIES ? 0 : adopt(tx, &ev);
}

/* ---- cancellations, replies ---- */

static int cancel(struct taker *t, const struct ical_event *in)
{
    struct tx *tx = t->tx;
    struct cal_event old, ev, series;
    int r = find(t, &t->cal, in, &old, &series);
    if (r != 1)
        return r;
    if (!follows(&old, in) || old.status == EVENT_CANCELLED)
        return 0;
    if (cal_event_load_attendees(tx, &old) < 0)
        return -1;
    ev = old;
    if (ev.form == EVENT_SERIES && cal_event_drop_instances(tx, ev.id) < 0)
        return -1;
    ev.status = EVENT_CANCELLED;
    if (in->sequence > old.sequence)
        ev.sequence = in->sequence;
    return cal_event_save(tx, &t->by, &t->cal, &old, &ev) < 0 ? pass_over(tx) : 0;
}

/* The calendar of an answer: the person's own, or one whose events the person may change. 1, 0. */
static int answered_calendar(struct taker *t, const char *organizer, struct calendar *ret)
{
    enum cal_role role;
    if (!organizer)
        return 0;
    *ret = t->cal;
    if (strcmp(organizer, t->cal.address) == 0)
        return 1;
    int r = calendar_by_address(t->tx, organizer, ret);
    if (r != 1 || ret->main)
        return r < 0 ? -1 : 0;
    if (calendar_role(t->tx, ret, t->by.who, &role) < 0)
        return -1;
    return role >= CAL_WRITE;
}

static int reply(struct taker *t, const struct ical_event *in)
{
    struct tx *tx = t->tx;
    struct cal_event old, ev, series;
    struct calendar cal;
    int r = answered_calendar(t, in->organizer, &cal);
    if (r == 1)
        r = find(t, &cal, in, &old, &series);
    if (r != 1)
        return r;
    if (!event_leads(&old) || old.status == EVENT_CANCELLED ||
        (in->sequence >= 0 && in->sequence < old.sequence))
        return 0;
    if (cal_event_load_attendees(tx, &old) < 0)
        return -1;
    ev = old;
    ev.attendees = arena_calloc(tx->arena, (size_t)old.n_attendees + 1, sizeof *ev.attendees);
    if (arena_failed(tx->arena))
        return sosia_fail_memory(tx->err);
    for (int i = 0; i < old.n_attendees; i++) {
        struct cal_attendee *a = &ev.attendees[i];
        *a = old.attendees[i];
        for (int k = 0; k < in->n_guests; k++) {
            const struct cal_attendee *from = &in->guests[k];
            if (strcmp(from->email, a->email) != 0 || from->response == RESPONSE_NONE)
                continue;
            a->response = from->response;
            a->comment = from->comment ? from->comment : in->comment;
            a->guests = from->guests;
        }
    }
    return cal_event_save(tx, &t->by, &cal, &old, &ev) < 0 ? pass_over(tx) : 0;
}

/* The person's own answer, as it was sent: the organizer gets the mail itself. An organizer of
 * this world gives the answer back to the copy. */
static int answer(struct taker *t, const struct ical_event *in)
{
    struct tx *tx = t->tx;
    struct cal_event old, ev, series;
    if (!in->organizer || strcmp(in->organizer, t->cal.address) == 0)
        return 0;
    int r = find(t, &t->cal, in, &old, &series);
    if (r < 0)
        return -1;
    if (r == 0) {
        t->mail->missing |= !series.id;
        return 0;
    }
    if (!follows(&old, in) || old.status == EVENT_CANCELLED)
        return 0;
    if (cal_event_load_attendees(tx, &old) < 0)
        return -1;
    int self = cal_event_self(&t->cal, &old);
    for (int k = 0; self >= 0 && k < in->n_guests; k++) {
        const struct cal_attendee *from = &in->guests[k];
        if (strcmp(from->email, t->cal.address) != 0 || from->response == RESPONSE_NONE)
            continue;
        ev = old;
        ev.attendees = (struct cal_attendee *)arena_memdup(
            tx->arena, old.attendees, (size_t)old.n_attendees * sizeof *ev.attendees);
        if (arena_failed(tx->arena))
            return sosia_fail_memory(tx->err);
        ev.attendees[self].response = from->response;
        if (from->comment || in->comment)
            ev.attendees[self].comment = from->comment ? from->comment : in->comment;
        return cal_event_save(tx, &t->by, &t->cal, &old, &ev) < 0 ? pass_over(tx) : 0;
    }
    return 0;
}

/* ---- the object ---- */

/* Addresses of this world in their own form, each once. */
static int open_aliases(struct tx *tx, struct ical_event *in)
{
    int n = 0;
    if (in->organizer && alias_open(tx, &in->organizer) < 0)
        return -1;
    for (int i = 0; i < in->n_guests; i++) {
        struct cal_attendee a = in->guests[i];
        bool known = false;
        if (alias_open(tx, &a.email) < 0)
            return -1;
        for (int k = 0; k < n && !known; k++)
            known = strcmp(in->guests[k].email, a.email) == 0;
        if (!known)
            in->guests[n++] = a;
    }
    in->n_guests = n;
    return 0;
}

typedef int taking(struct taker *t, const struct ical_event *in);

int calendar_take(struct tx *tx, const struct actor *who, struct invitation *mail)
{
    static taking *const acts[] = {
        [ICAL_REQUEST] = request, [ICAL_CANCEL] = cancel, [ICAL_REPLY] = reply};
    static taking *const own[] = {[ICAL_REPLY] = answer};
    struct taker t = {.tx = tx, .by = {who, MAIL_NONE}, .mail = mail};
    struct ical ical;
    int r = calendar_of(tx, who->id, &t.cal);
    if (r != 1)
        return r;
    if (ical_read(tx->arena, mail->text, mail->len, t.cal.tz, &ical, tx->err) < 0)
        return pass_over(tx);
    if (ical.method >= (mail->sent ? SOSIA_LEN(own) : SOSIA_LEN(acts)))
        return 0;
    taking *act = mail->sent ? own[ical.method] : acts[ical.method];
    /* A series before its instances. */
    for (int pass = 0; act && pass < 2; pass++) {
        for (int i = 0; i < ical.n_events; i++) {
            struct ical_event *in = &ical.events[i];
            if (in->single != (pass == 1))
                continue;
            if (mail->left && (*mail->left)-- <= 0)
                return 0;
            if (open_aliases(tx, in) < 0 || act(&t, in) < 0)
                return -1;
        }
    }
    return 0;
}
