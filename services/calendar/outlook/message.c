/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Meetings in messages, for the dialect of mail (vendors/microsoft/meeting.h): reading the
 * iCalendar object of an invitation, an answer or a cancellation, its members in answers (MG-387,
 * MG-539), and the event that it leads to (MG-646).
 */
#include "engine/base/codec.h"
#include "engine/text/civil.h"
#include "identity/account.h"
#include "services/calendar/core/ical/ical_read.h"
#include "services/calendar/outlook/ocal.h"
#include "vendors/microsoft/meeting.h"

/* ---- reading ---- */

/* The event in the primary calendar of somebody: 1, 0, -1. */
static int invited_event(struct tx *tx, const struct calendar *cal, const struct graph_meeting *m,
                         struct cal_event *ret)
{
    int r = cal_event_by_uid(tx, cal, m->uid, ret);
    if (r != 1 || !m->single || ret->form == EVENT_INSTANCE)
        return r;
    struct cal_event series = *ret;
    return series.form == EVENT_SERIES
               ? cal_event_instance(tx, cal, &series, m->original_day, m->original_us, ret)
               : 0;
}

/* Of an answer: which, and the time that its guest proposes in the organizer's event. */
static int read_answer(struct tx *tx, const struct calendar *cal, const struct ical_event *in,
                       struct graph_meeting *m)
{
    static const enum graph_meeting_kind kinds[] = {
        [RESPONSE_DECLINED] = MEETING_DECLINED,
        [RESPONSE_TENTATIVE] = MEETING_TENTATIVE,
        [RESPONSE_ACCEPTED] = MEETING_ACCEPTED,
    };
    struct cal_event ev;
    if (!in->n_guests || in->guests[0].response < RESPONSE_DECLINED)
        return 0;
    m->kind = kinds[in->guests[0].response];
    int r = cal ? invited_event(tx, cal, m, &ev) : 0;
    if (r != 1)
        return r < 0 ? -1 : 1;
    if (cal_event_load_attendees(tx, &ev) < 0)
        return -1;
    for (int i = 0; i < ev.n_attendees; i++)
        if (strcmp(ev.attendees[i].email, in->guests[0].email) == 0) {
            m->proposed_us = ev.attendees[i].proposed_us;
            m->proposed_end_us = ev.attendees[i].proposed_end_us;
        }
    return 1;
}

/* Of a request by an organizer of this vendor in this world: what the organizer lets guests do. */
static int read_leave(struct tx *tx, const struct calendar *cal, struct graph_meeting *m)
{
    struct cal_event ev, leading;
    struct calendar leader;
    int r = cal ? invited_event(tx, cal, m, &ev) : 0;
    if (r == 1)
        r = ev.origin ? cal_event_by_id(tx, ev.origin, &leading) : 0;
    if (r == 1)
        r = calendar_by_id(tx, leading.calendar, &leader);
    if (r != 1 || leader.vendor != &ocal_vendor)
        return r < 0 ? -1 : 0;
    const struct json *extra = ocal_extra(tx->arena, &leading);
    m->asks = !json_is_false(json_get(extra, "responseRequested"));
    m->proposals = !json_is_false(json_get(extra, "allowNewTimeProposals"));
    return 0;
}

static int read_message(struct tx *tx, const struct actor *who, const char *text, size_t len,
                        struct graph_meeting *ret)
{
    struct sosia_err ignored;
    struct calendar cal;
    struct ical ical;
    int r = calendar_of(tx, who->id, &cal);
    if (r < 0)
        return -1;
    const struct calendar *own = r ? &cal : NULL;
    if (ical_read(tx->arena, text, len, own ? own->tz : tz_find("UTC"), &ical, &ignored) < 0)
        return arena_failed(tx->arena) ? sosia_fail_memory(tx->err) : 0;
    if (!ical.n_events || ical.method == ICAL_UNSAID || ical.method == ICAL_OTHER)
        return 0;
    const struct ical_event *in = &ical.events[0];
    *ret = (struct graph_meeting){.kind = ical.method == ICAL_REQUEST ? MEETING_REQUEST
                                                                      : MEETING_CANCELLED,
                                  .uid = in->uid,
                                  .single = in->single,
                                  .original_day = in->original_day,
                                  .original_us = in->single ? in->original_us : 0,
                                  .sequence = in->sequence < 0 ? 0 : in->sequence,
                                  .timed = in->timed,
                                  .all_day = in->all_day,
                                  .start_us = in->start_us,
                                  .end_us = in->start_us + in->len_us,
                                  .zone = in->zone,
                                  .recurrence = in->recurrence,
                                  .location = in->location,
                                  .asks = true,
                                  .proposals = -1};
    if (ical.method == ICAL_REPLY)
        return read_answer(tx, own, in, ret);
    return ical.method == ICAL_REQUEST && read_leave(tx, own, ret) < 0 ? -1 : 1;
}

/* ---- members ---- */

static void write_when(const struct ocal_at *at, const char *key, const struct graph_meeting *m,
                       bool end)
{
    if (m && m->timed)
        ocal_write_time(at, key, m->all_day, end ? m->end_us : m->start_us);
    else
        json_null(at->c->out, key);
}

/* A place as messages have it: without an id of its own. */
static void write_where(struct json_writer *w, const char *key, const struct graph_meeting *m)
{
    if (!m) {
        json_null(w, key);
        return;
    }
    json_obj(w, key);
    json_str(w, "displayName", m->location ? m->location : "");
    json_word(w, "locationType", "default");
    json_word(w, "uniqueIdType", "unknown");
    json_end(w);
}

/* The day in UTC on which a day of a zone begins. */
static int64_t day_in_utc(const struct tz *tz, int64_t day)
{
    const int64_t s = tz_to_utc(tz, day * SECONDS_PER_DAY);
    return s / SECONDS_PER_DAY - (s % SECONDS_PER_DAY < 0);
}

/* Its range is in UTC, by the beginnings of its days. */
static void write_pattern(struct json_writer *w, struct arena *a, const struct graph_meeting *m)
{
    const struct tz *tz = m->zone ? tz_find(m->zone) : NULL;
    int64_t s = m->start_us / US_PER_SECOND - (m->start_us % US_PER_SECOND < 0);
    struct ocal_rule rule;
    tz = tz ? tz : tz_find("UTC");
    if (!m->all_day)
        s += tz_offset(tz, s);
    if (!json_wants(w, "recurrence"))
        return;
    if (!m->recurrence || !m->timed ||
        ocal_rule_read(a, m->recurrence, tz, m->all_day, s, &rule) != 1) {
        json_null(w, "recurrence");
        return;
    }
    if (!m->all_day) {
        rule.start_days = day_in_utc(tz, rule.start_days);
        if (rule.range == RANGE_END_DATE)
            rule.end_days = day_in_utc(tz, rule.end_days);
    }
    json_obj(w, "recurrence");
    ocal_write_rule(w, &rule, "tzone://Microsoft/Utc");
    json_end(w);
}

static int write_message(struct call *c, const struct graph_user *user,
                         const struct graph_meeting *m, const struct graph_meeting *before)
{
    struct json_writer *w = c->out;
    struct ocal_at at;
    if (ocal_at_user(c, user, &at) < 0)
        return -1;
    write_when(&at, "startDateTime", m, false);
    write_when(&at, "endDateTime", m, true);
    write_where(w, "location", m);
    write_pattern(w, c->tx.arena, m);
    if (m->kind == MEETING_REQUEST) {
        write_where(w, "previousLocation", before);
        write_when(&at, "previousStartDateTime", before, false);
        write_when(&at, "previousEndDateTime", before, true);
    }
    if (m->kind < MEETING_DECLINED)
        return 0;
    if (!m->proposed_us) {
        json_null(w, "proposedNewTime");
        return 0;
    }
    json_obj(w, "proposedNewTime");
    ocal_write_time(&at, "start", false, m->proposed_us);
    ocal_write_time(&at, "end", false, m->proposed_end_us);
    json_end(w);
    return 0;
}

/* ---- the event ---- */

/* The calendar of the user, with the caller's role: 1; 0 there is none, or it is closed; -1. */
static int calendar_for(struct ocal_at *at)
{
    struct call *c = at->c;
    int r = calendar_of_account(&c->tx, at->user.account.id, &at->cal);
    if (r != 1)
        return r;
    at->cal.role = CAL_OWN;
    if (!graph_app_only(c) && calendar_open_for(&c->tx, &at->cal, &c->actor) < 0)
        return -1;
    return at->cal.role >= CAL_READ;
}

static int write_linked(struct ocal_at *at, const char *key, struct cal_event *ev)
{
    struct arena *a = at->c->tx.arena;
    const char *url = graph_url(
        at->c, arena_printf(a, "/users('%s')/events('%s')", at->user.key, ocal_event_id(at, ev)));
    json_str(at->c->out, arena_printf(a, "%s@odata.associationLink", key),
             arena_printf(a, "%s/$ref", url));
    json_str(at->c->out, arena_printf(a, "%s@odata.navigationLink", key), url);
    return ocal_write_event(at, key, ev);
}

int ocal_message_event(struct call *c, const struct graph_user *user, const struct graph_meeting *m,
                       const struct odata_query *q, struct ocal_at *at, struct cal_event *ev)
{
    const char *type = graph_prefer(c, "outlook.body-content-type");
    if (ocal_at_user(c, user, at) < 0)
        return -1;
    at->query = q;
    at->text = type && str_eq_nocase(type, "text");
    int r = calendar_for(at);
    if (r == 1)
        r = invited_event(&c->tx, &at->cal, m, ev);
    if (r != 1 || !ocal_shows(ev))
        return r < 0 ? -1 : 0;
    return cal_event_load_attendees(&c->tx, ev) < 0 ? -1 : 1;
}

static int write_invited(struct call *c, const struct graph_user *user,
                         const struct graph_meeting *m, const char *key,
                         const struct odata_query *q)
{
    struct cal_event ev;
    struct ocal_at at;
    int r = ocal_message_event(c, user, m, q, &at, &ev);
    return r == 1 && write_linked(&at, key, &ev) < 0 ? -1 : r;
}

/* What an event says of its online meeting; its id is made without a call of the dialect's. */
static int read_online(struct tx *tx, const struct graph_user *user, const struct calendar *cal,
                       struct cal_event *ev, struct graph_online *ret)
{
    struct ocal_at at = {.cal = *cal};
    struct call c = {.tx = *tx};
    const char *url = json_get_str(json_get(ocal_extra(tx->arena, ev), "onlineMeeting"), "joinUrl");
    if (!url)
        return 0;
    if (cal_event_load_attendees(tx, ev) < 0)
        return -1;
    at.c = &c;
    graph_store_of(tx->arena, user->tenant, user->actor.email, &at.store);
    const char **guests = arena_calloc(tx->arena, (size_t)ev->n_attendees + 1, sizeof *guests);
    if (!guests)
        return sosia_fail_memory(tx->err);
    for (int i = 0; i < ev->n_attendees; i++)
        guests[i] = ev->attendees[i].email;
    *ret = (struct graph_online){.event = ocal_event_id(&at, ev),
                                 .url = url,
                                 .subject = ev->summary,
                                 .start_us = ev->start_us,
                                 .end_us = ev->start_us + ev->len_us,
                                 .created_us = ev->created_us,
                                 .guests = guests,
                                 .n_guests = (size_t)ev->n_attendees};
    return 1;
}

static int find_online(struct tx *tx, const struct actor *who, const char *text,
                       struct graph_online *ret)
{
    struct graph_user user;
    struct account account;
    struct calendar cal;
    struct cal_event ev;
    int r = account_at(tx, who->id, "microsoft", ACCOUNT_CALENDAR, &account);
    if (r == 1)
        r = calendar_of_account(tx, account.id, &cal);
    if (r == 1)
        r = cal.vendor == &ocal_vendor
                ? cal_event_with_extra(tx, cal.id, "$.onlineMeeting.joinUrl", text, &ev)
                : 0;
    if (r != 1)
        return r;
    return graph_user_of(tx, &account, who, &user) < 0 ? -1
                                                       : read_online(tx, &user, &cal, &ev, ret);
}

const struct graph_calendar ocal_meeting_record = {
    .read = read_message, .write = write_message, .event = write_invited, .online = find_online};
