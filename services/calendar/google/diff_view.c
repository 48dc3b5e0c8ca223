/* SPDX-License-Identifier: Apache-2.0 */
/* Calendars and events as diffs and assertions see them: the members of Google's resources, but
 * for what changes by itself (etags, times of changes, links) unless it is requested. */
#include "engine/state/change.h"
#include "engine/world/take.h"
#include "services/calendar/core/event/series.h"
#include "services/calendar/google/gcal.h"

/* ---- events ---- */

void gcal_view_time(struct json_writer *w, const char *key, const struct calendar *cal,
                    bool all_day, int64_t us, const char *zone)
{
    char text[STAMP_TEXT];
    json_obj(w, key);
    if (all_day) {
        date_format(text, us / US_PER_DAY - (us % US_PER_DAY < 0));
        json_str(w, "date", text);
    } else {
        const struct tz *tz = zone && tz_find(zone) ? tz_find(zone) : cal->tz;
        int64_t s = us / US_PER_SECOND - (us % US_PER_SECOND < 0);
        stamp_format(text, us, tz_offset(tz, s), 0, true);
        json_str(w, "dateTime", text);
        json_str(w, "timeZone", zone ? zone : cal->zone);
    }
    json_end(w);
}

static void view_attendees(struct json_writer *w, const struct cal_event *ev)
{
    if (!ev->n_attendees)
        return;
    json_arr(w, "attendees");
    for (int i = 0; i < ev->n_attendees; i++) {
        const struct cal_attendee *a = &ev->attendees[i];
        json_obj(w, NULL);
        json_str(w, "email", a->email);
        json_str_opt(w, "displayName", a->name);
        gcal_write_answer(w, a);
        json_end(w);
    }
    json_end(w);
}

static void write_rest(struct tx *tx, struct json_writer *w, const struct cal_event *ev)
{
    static const char *const members[] = {
        "hangoutLink",           "conferenceData",      "source",      "workingLocationProperties",
        "outOfOfficeProperties", "focusTimeProperties", "attachments", "birthdayProperties",
        "eventLabelId"};
    const struct json *extra = NULL;
    struct sosia_err err;
    if (ev->own_props || ev->props) {
        json_obj(w, "extendedProperties");
        if (ev->own_props)
            json_raw(w, "private", ev->own_props, strlen(ev->own_props));
        if (ev->props)
            json_raw(w, "shared", ev->props, strlen(ev->props));
        json_end(w);
    }
    if (ev->extra && json_parse(tx->arena, ev->extra, strlen(ev->extra), NULL, &extra, &err) == 0)
        for (size_t i = 0; i < SOSIA_LEN(members); i++)
            if (json_get(extra, members[i]))
                json_value(w, members[i], json_get(extra, members[i]));
    json_bool_opt(w, "anyoneCanAddSelf", ev->rights & ANYONE_ADDS_SELF);
    if (ev->rights & GUESTS_DONT_INVITE)
        json_bool(w, "guestsCanInviteOthers", false);
    json_bool_opt(w, "guestsCanModify", ev->rights & GUESTS_MODIFY);
    if (ev->rights & GUESTS_DONT_SEE_GUESTS)
        json_bool(w, "guestsCanSeeOtherGuests", false);
    if (ev->reminders) {
        json_obj(w, "reminders");
        json_bool(w, "useDefault", false);
        json_raw(w, "overrides", ev->reminders, strlen(ev->reminders));
        json_end(w);
    }
}

void gcal_view_recurrence(struct json_writer *w, const char *lines)
{
    json_arr(w, "recurrence");
    for (const char *p = lines; *p; p += strcspn(p, "\n"), p += *p == '\n')
        json_strn(w, NULL, p, strcspn(p, "\n"));
    json_end(w);
}

static void view_recurrence(struct tx *tx, struct json_writer *w, const struct calendar *cal,
                            const struct cal_event *ev)
{
    if (ev->recurrence)
        gcal_view_recurrence(w, ev->recurrence);
    if (ev->form == EVENT_INSTANCE) {
        json_str(w, "recurringEventId", cal_event_series_key(tx, ev));
        gcal_view_time(w, "originalStartTime", cal, ev->original_day, ev->original_us, ev->zone);
    }
}

static void write_what(struct json_writer *w, const struct calendar *cal,
                       const struct cal_event *ev)
{
    json_str(w, "status", ev->removed ? "cancelled" : gcal_statuses[ev->status]);
    json_str_opt(w, "summary", ev->summary);
    json_str_opt(w, "description", ev->description);
    json_str_opt(w, "location", ev->location);
    gcal_view_time(w, "start", cal, ev->all_day, ev->start_us, ev->zone);
    gcal_view_time(w, "end", cal, ev->all_day, event_end(ev),
                   ev->end_zone ? ev->end_zone : ev->zone);
}

static void write_who(struct tx *tx, struct json_writer *w, const struct calendar *cal,
                      const struct cal_event *ev)
{
    json_obj(w, "organizer");
    json_str(w, "email", ev->organizer ? ev->organizer : cal->key);
    json_end(w);
    view_attendees(w, ev);
    json_str_opt(w, "colorId", ev->color);
    if (!event_blocks(ev))
        json_str(w, "transparency", "transparent");
    json_str_opt(w, "visibility", gcal_visibility(ev));
    if (ev->kind)
        json_str(w, "eventType", gcal_kinds[ev->kind]);
    write_rest(tx, w, ev);
}

static void write_event(struct tx *tx, struct json_writer *w, const struct calendar *cal,
                        const struct cal_event *ev, const struct entity_about *about)
{
    json_str(w, "id", ev->key);
    json_str(w, "calendarId", cal->key);
    json_str(w, "iCalUID", ev->uid);
    write_what(w, cal, ev);
    view_recurrence(tx, w, cal, ev);
    write_who(tx, w, cal, ev);
    if (about->all) {
        json_int(w, "sequence", ev->sequence);
        json_str(w, "etag", gcal_event_etag(tx->arena, ev));
        json_time(w, "updated", ev->updated_us, JSON_TIME_MS_Z);
    }
}

/* The owner of a calendar. */
static int owner_of(struct tx *tx, const struct calendar *cal, const char **ret)
{
    struct actor owner;
    int r = actor_by_id(tx, cal->owner, &owner);
    if (r == 1)
        *ret = owner.email;
    return r < 0 ? -1 : 0;
}

/* The series that an instance left when the series no longer had it, by its key; 0: none. */
static int64_t series_left(struct tx *tx, const struct calendar *cal, const struct cal_event *ev)
{
    struct cal_event series;
    const char *cut = strrchr(ev->key, '_');
    if (ev->form != EVENT_INSTANCE || ev->master || ev->status != EVENT_CANCELLED || !cut)
        return 0;
    const char *key = arena_memdup(tx->arena, ev->key, (size_t)(cut - ev->key));
    return cal_event_find(tx, cal, key, &series) == 1 ? series.id : 0;
}

static const struct json *what_it_is(struct tx *tx, const struct calendar *cal,
                                     const struct cal_event *ev)
{
    const struct json *v = NULL;
    struct json_writer w;
    struct buf b;
    json_start(&w, &b);
    json_obj(&w, NULL);
    write_what(&w, cal, ev);
    write_who(tx, &w, cal, ev);
    json_end(&w);
    int rc = buf_failed(&b) ? sosia_fail_memory(tx->err)
                            : json_parse(tx->arena, b.data, b.len, NULL, &v, tx->err);
    buf_done(&b);
    return rc < 0 ? NULL : v;
}

/* What a changed instance has of its own, beside what its series says: that it has under whatever
 * key, at whatever time and with whatever title of the series. */
static int again_of(struct tx *tx, const struct calendar *cal, const struct cal_event *ev,
                    const char **ret)
{
    struct cal_event series, plain;
    struct json_writer w;
    struct buf b;
    int r = cal_event_by_id(tx, ev->master, &series);
    if (r != 1)
        return r < 0 ? -1 : 0;
    const struct series walk = {.tx = tx, .cal = cal, .ev = &series};
    series_make(&walk, ev->original_us, &plain);
    if (cal_event_load_attendees(tx, &plain) < 0)
        return -1;
    const struct json *own = what_it_is(tx, cal, ev), *usual = what_it_is(tx, cal, &plain);
    if (!own || !usual)
        return -1;
    json_start(&w, &b);
    json_obj(&w, NULL);
    for (uint32_t i = 0; i < own->n; i++)
        if (!json_same(&own->members[i].value, json_get(usual, own->members[i].key)))
            json_value(&w, own->members[i].key, &own->members[i].value);
    for (uint32_t i = 0; i < usual->n; i++)
        if (!json_get(own, usual->members[i].key))
            json_null(&w, usual->members[i].key);
    json_end(&w);
    if (!buf_failed(&b))
        *ret = arena_printf(tx->arena, "again %lld %s", (long long)ev->master, buf_str(&b));
    r = buf_failed(&b) ? sosia_fail_memory(tx->err) : 0;
    buf_done(&b);
    return r;
}

static int describe(struct tx *tx, const struct calendar *cal, const struct cal_event *ev,
                    struct entity_about *about)
{
    int64_t left = series_left(tx, cal, ev);
    about->title = ev->summary;
    if (ev->id)
        about->is[0] = tx_numbered(tx, "event", ev->id);
    if (ev->origin)
        about->follows[0] = tx_numbered(tx, "event", ev->origin);
    else
        about->is[1] = tx_named(tx, "uid", ev->uid);
    if (left || ev->master) {
        about->follows[1] = tx_numbered(tx, "event", left ? left : ev->master);
        about->part = left || event_is_suspended(ev); /* cancelled with its series */
        about->within = true;
    }
    return owner_of(tx, cal, &about->person);
}

static int event_view(struct tx *tx, int64_t rowid, struct json_writer *w,
                      struct entity_about *about)
{
    struct cal_event ev;
    struct calendar cal;
    int r = cal_event_by_id(tx, rowid, &ev);
    if (r == 1)
        r = calendar_by_id(tx, ev.calendar, &cal);
    if (r != 1 || describe(tx, &cal, &ev, about) < 0)
        return r < 1 ? r : -1;
    if (ev.status == EVENT_CANCELLED && !ev.removed)
        return 0;
    if (cal_event_load_attendees(tx, &ev) < 0)
        return -1;
    write_event(tx, w, &cal, &ev, about);
    if (ev.form == EVENT_INSTANCE && ev.master && again_of(tx, &cal, &ev, &about->again) < 0)
        return -1;
    return 1;
}

/* An instance that was cancelled there and that this state does not have, since the series is new
 * there or was at other times: as the series has it there. */
static int cancelled_twin(struct tx *tx, struct tx *there, const struct cal_event *ev,
                          struct json_writer *w, const struct entity_about *about)
{
    struct cal_event here, series, plain;
    struct calendar cal;
    if (ev->status != EVENT_CANCELLED || ev->removed)
        return 0;
    int r = cal_event_by_id(tx, ev->id, &here);
    if (r)
        return r < 0 ? -1 : 0;
    r = cal_event_by_id(there, ev->master, &series);
    if (r == 1 && series.status != EVENT_CANCELLED)
        r = calendar_by_id(there, ev->calendar, &cal);
    else
        return r < 0 ? -1 : 0;
    const struct series walk = {.tx = there, .cal = &cal, .ev = &series};
    if (r == 1)
        series_make(&walk, ev->original_us, &plain);
    if (r == 1 && cal_event_load_attendees(there, &plain) < 0)
        return -1;
    if (r == 1)
        write_event(there, w, &cal, &plain, about);
    return r;
}

/* An instance that has no row there is as in its series. */
static int event_twin(struct tx *tx, struct tx *there, int64_t rowid, struct json_writer *w,
                      struct entity_about *about)
{
    struct cal_event ev, plain, series;
    struct calendar cal;
    int r = cal_event_by_id(there, rowid, &ev);
    if (r != 1 || ev.form != EVENT_INSTANCE || !ev.master)
        return r < 0 ? -1 : 0;
    r = calendar_by_id(tx, ev.calendar, &cal);
    if (r == 1)
        r = cal_event_by_id(tx, ev.master, &series);
    if (r != 1)
        return r < 0 ? -1 : cancelled_twin(tx, there, &ev, w, about);
    if (series.status == EVENT_CANCELLED)
        return 0;
    r = cal_event_find(tx, &cal, ev.key, &plain);
    if (r == 0)
        return cancelled_twin(tx, there, &ev, w, about);
    if (r != 1 || plain.status == EVENT_CANCELLED)
        return r < 0 ? -1 : 0;
    if (cal_event_load_attendees(tx, &plain) < 0)
        return -1;
    write_event(tx, w, &cal, &plain, about);
    return 1;
}

/* ---- calendars ---- */

static int calendar_view(struct tx *tx, int64_t rowid, struct json_writer *w,
                         struct entity_about *about)
{
    static const char *const members[] = {"autoAcceptInvitations", "labelProperties"};
    const struct json *extra;
    struct sosia_err err;
    struct calendar cal;
    int r = calendar_by_id(tx, rowid, &cal);
    if (r != 1 || owner_of(tx, &cal, &about->person) < 0)
        return r < 1 ? r : -1;
    about->title = cal.summary;
    about->is[0] = tx_numbered(tx, "calendar", cal.id);
    if (cal.gone)
        return 0;
    json_str(w, "id", cal.key);
    json_str(w, "summary", cal.summary);
    json_str_opt(w, "description", cal.description);
    json_str_opt(w, "location", cal.location);
    json_str(w, "timeZone", cal.zone);
    if (cal.extra && json_parse(tx->arena, cal.extra, strlen(cal.extra), NULL, &extra, &err) == 0)
        for (size_t i = 0; i < SOSIA_LEN(members); i++)
            if (json_get(extra, members[i]))
                json_value(w, members[i], json_get(extra, members[i]));
    return 1;
}

static int access_view(struct tx *tx, int64_t rowid, struct json_writer *w,
                       struct entity_about *about)
{
    static const char *const kinds[] = {NULL, "user", "group", "domain", "default"};
    struct cal_access rule;
    struct calendar cal;
    int64_t calendar;
    int r = cal_access_by_id(tx, rowid, &calendar, &rule);
    if (r != 1)
        return r;
    r = calendar_by_id(tx, calendar, &cal);
    if (r != 1 || owner_of(tx, &cal, &about->person) < 0)
        return r < 1 ? r : -1;
    about->is[0] = letter_share(tx->arena, cal.key, rule.who);
    about->follows[0] = tx_numbered(tx, "calendar", calendar);
    about->within = true; /* it goes with the calendar, and is given by itself */
    if (cal.gone || !rule.role)
        return 0;
    json_str(w, "calendarId", cal.key);
    json_str(w, "role", gcal_role(rule.role));
    json_obj(w, "scope");
    json_str(w, "type", kinds[rule.kind]);
    if (rule.kind != ACCESS_ALL)
        json_str(w, "value", rule.who);
    json_end(w);
    return 1;
}

/* In the terms of seed documents, where it is a member of its calendar. */
static int listing_view(struct tx *tx, int64_t rowid, struct json_writer *w,
                        struct entity_about *about)
{
    static struct sql_text q = SQL_TEXT("select actor, calendar from gcal_listing where id = :id");
    struct calendar cal;
    struct actor who;
    int64_t actor, calendar;
    int r = TX_TAKE(tx, TX_QUERY(tx, &q, rowid), &actor, &calendar);
    if (r != 1)
        return r;
    if ((r = actor_by_id(tx, actor, &who)) != 1 || (r = calendar_by_id(tx, calendar, &cal)) != 1)
        return r;
    about->person = who.email;
    about->title = cal.summary;
    about->follows[0] = tx_numbered(tx, "calendar", calendar);
    about->within = true; /* it goes with the calendar */
    json_str(w, "calendar", cal.key);
    return gcal_listing_dump(tx, rowid, w);
}

const struct entity_view gcal_views[] = {
    {"event", "calendar", event_view, event_twin, .timeless = true,
     .members = "id calendarId iCalUID status summary description location start.date "
                "start.dateTime start.timeZone end.date end.dateTime end.timeZone recurrence.* "
                "recurringEventId originalStartTime.date originalStartTime.dateTime "
                "originalStartTime.timeZone organizer.email attendees.*.email "
                "attendees.*.displayName attendees.*.resource attendees.*.optional "
                "attendees.*.responseStatus attendees.*.comment attendees.*.additionalGuests "
                "colorId transparency visibility eventType extendedProperties.private.** "
                "extendedProperties.shared.** hangoutLink conferenceData.** source.title "
                "source.url workingLocationProperties.** outOfOfficeProperties.** "
                "focusTimeProperties.** attachments.*.** birthdayProperties.** eventLabelId "
                "anyoneCanAddSelf guestsCanInviteOthers guestsCanModify guestsCanSeeOtherGuests "
                "reminders.useDefault reminders.overrides.*.method reminders.overrides.*.minutes",
     .vendor = "google"},
    {"calendar", "calendar", calendar_view, NULL, .timeless = true,
     .members = "id summary description location timeZone autoAcceptInvitations "
                "labelProperties.**",
     .vendor = "google"},
    {"calendarAccess", "calendar", access_view, NULL, .timeless = true,
     .members = "calendarId role scope.type scope.value", .vendor = "google"},
    {"calendarListEntry", "calendar", listing_view, NULL, .timeless = true,
     .members = "calendar person name color background foreground hidden selected "
                "reminders.*.method reminders.*.minutes notices.*.method notices.*.type"},
    {NULL, NULL, NULL, NULL},
};
