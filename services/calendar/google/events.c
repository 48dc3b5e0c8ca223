/* SPDX-License-Identifier: Apache-2.0 */
/* Single events: get, insert, patch, update, delete. */
#include "services/calendar/google/gcal.h"
#include "services/calendar/google/params.h"
#include "services/calendar/google/scopes.h"
#include "engine/base/codec.h"

static int not_found(struct call *c)
{
    return call_fail(c, SOSIA_E_NOT_FOUND, "notFound", NULL, "Not Found");
}

/* The event that the parameters name. */
static int find_event(struct call *c, enum cal_role need, struct calendar *cal,
                      struct cal_event *ret)
{
    if (gcal_open(c, need, cal) < 0)
        return -1;
    int r = cal_event_find(&c->tx, cal, param_str(c, "eventId"), ret);
    return r == 1 ? 0 : r < 0 ? -1 : not_found(c);
}

static int events_get(struct call *c)
{
    struct calendar cal;
    struct cal_event ev;
    return find_event(c, CAL_FREEBUSY, &cal, &ev) < 0 ? -1 : gcal_answer_event(c, &cal, &ev);
}

/* An actor who makes an event in another person's calendar is its creator. */
static void set_creator(const struct call *c, const struct calendar *cal, struct cal_event *ev)
{
    if (strcmp(c->actor.email, cal->key) != 0)
        ev->creator = c->actor.email;
}

static int events_insert(struct call *c)
{
    struct calendar cal;
    struct cal_event ev;
    struct cal_event_by by = {&c->actor, gcal_mail(c)};
    if (gcal_open(c, CAL_WRITE, &cal) < 0 || gcal_read_event(c, &cal, GCAL_INSERT, NULL, &ev) < 0)
        return -1;
    if (ev.uid)
        ev.key = cal_event_uid_key(&c->tx, ev.uid);
    set_creator(c, &cal, &ev);
    if (gcal_reaches(c, NULL, &ev) < 0)
        return -1;
    if (cal_event_add(&c->tx, &by, &cal, &ev) < 0)
        return gcal_refused(c);
    return gcal_ask_conference(c, &ev) < 0 ? -1 : gcal_answer_event(c, &cal, &ev);
}

/* 1: a deleted event that cannot be restored by itself: an instance that is deleted with its whole
 * series, or that its series does not have any more; a copy of what the organizer deleted, or took
 * away. */
static int gone_for_good(struct call *c, const struct cal_event *ev)
{
    struct cal_event other;
    if (event_is_trace(ev) || (ev->origin && !ev->removed) ||
        (ev->form == EVENT_INSTANCE && !ev->master && !ev->origin && !ev->removed))
        return 1;
    int64_t others[] = {ev->origin, ev->form == EVENT_INSTANCE ? ev->master : 0};
    for (size_t i = 0; i < SOSIA_LEN(others); i++) {
        int r = others[i] ? cal_event_by_id(&c->tx, others[i], &other) : 0;
        if (r < 0 || (r && other.status == EVENT_CANCELLED))
            return r;
    }
    return 0;
}

static int change_event(struct call *c, enum gcal_mode mode)
{
    struct calendar cal;
    struct cal_event old, ev;
    struct cal_event_by by = {&c->actor, gcal_mail(c)};
    if (find_event(c, CAL_WRITE, &cal, &old) < 0 ||
        google_if_match(c, gcal_event_etag(c->tx.arena, &old)) < 0)
        return -1;
    /* A deleted event can only be restored: by the person who deleted it, and if anything is
     * left of it. */
    int gone = old.status == EVENT_CANCELLED ? gone_for_good(c, &old) : 0;
    if (gone < 0)
        return -1;
    const struct json *body = gone ? NULL : call_body(c);
    if (!gone && !body)
        return -1;
    if (old.status == EVENT_CANCELLED && (gone || !json_get_str(body, "status")))
        return call_fail(c, SOSIA_E_FORBIDDEN, "forbidden", NULL, "Forbidden");
    if (cal_event_load_attendees(&c->tx, &old) < 0 ||
        gcal_read_event(c, &cal, mode, &old, &ev) < 0 || gcal_reaches(c, &old, &ev) < 0)
        return -1;
    if (old.status != EVENT_CANCELLED && ev.status == EVENT_CANCELLED) {
        /* To say that an event is cancelled is to delete it. */
        ev = old;
        if (cal_event_cancel(&c->tx, &by, &cal, &ev) < 0)
            return gcal_refused(c);
        return gcal_answer_event(c, &cal, &ev);
    }
    if (cal_event_save(&c->tx, &by, &cal, &old, &ev) < 0)
        return gcal_refused(c);
    return gcal_ask_conference(c, &ev) < 0 ? -1 : gcal_answer_event(c, &cal, &ev);
}

static int events_patch(struct call *c)
{
    return change_event(c, GCAL_PATCH);
}

static int events_update(struct call *c)
{
    return change_event(c, GCAL_UPDATE);
}

static int events_delete(struct call *c)
{
    struct calendar cal;
    struct cal_event ev;
    struct cal_event_by by = {&c->actor, gcal_mail(c)};
    if (find_event(c, CAL_WRITE, &cal, &ev) < 0)
        return -1;
    if (ev.status == EVENT_CANCELLED)
        return call_fail(c, SOSIA_E_GONE, "deleted", NULL, "Resource has been deleted");
    if (google_if_match(c, gcal_event_etag(c->tx.arena, &ev)) < 0)
        return -1;
    if (cal_event_cancel(&c->tx, &by, &cal, &ev) < 0)
        return gcal_refused(c);
    c->status = 204;
    return 0;
}

/* ---- from elsewhere ---- */

/* A further member of what is kept with an event. */
static int add_extra(struct call *c, struct cal_event *ev, const char *member, const char *text)
{
    const struct json *extra = NULL;
    struct buf b;
    struct json_writer w;
    if (ev->extra &&
        json_parse(c->tx.arena, ev->extra, strlen(ev->extra), NULL, &extra, c->tx.err) < 0)
        return gcal_mute(c, NULL, c->body, "an event whose further members can be kept");
    json_start(&w, &b);
    json_obj(&w, NULL);
    for (uint32_t i = 0; extra && i < extra->n; i++)
        json_value(&w, extra->members[i].key, &extra->members[i].value);
    json_str(&w, member, text);
    json_end(&w);
    ev->extra = buf_keep(&b, c->tx.arena);
    return 0;
}

/* The organizer of an imported event: another person, or this calendar. */
static int read_organizer(struct call *c, const struct calendar *cal, struct cal_event *ev)
{
    const struct json *organizer = json_get(c->body, "organizer");
    const char *email = json_get_str(organizer, "email"),
               *name = json_get_str(organizer, "displayName");
    if (!email)
        return 0;
    const char *normal = email_normal(c->tx.arena, email);
    if (!normal)
        return call_fail(c, SOSIA_E_INVALID, "invalid", NULL, "Invalid organizer email.");
    if (strcmp(normal, cal->key) == 0)
        return 0;
    bool guest = false;
    for (int i = 0; i < ev->n_attendees; i++)
        guest |= strcmp(ev->attendees[i].email, cal->key) == 0;
    if (!guest) /* also of a secondary calendar, by its own address (reported) */
        return call_fail(c, SOSIA_E_INVALID, "participantIsNeitherOrganizerNorAttendee", NULL,
                         "The owner of the calendar must either be the organizer or an attendee of "
                         "an event that is imported.");
    ev->organizer = normal;
    ev->organizer_name = name;
    return 0;
}

/* Nothing of an import goes to its guests: it is a private copy, though only that of another
 * person's event is called one. */
static int read_privacy(struct call *c, struct cal_event *ev)
{
    int64_t by_guests;
    ev->rights &= ~(unsigned)EVENT_PRIVATE_COPY;
    if (gcal_option(&c->tx, GCAL_IMPORT_PRIVATE, &by_guests) < 0)
        return -1;
    if (by_guests ? ev->n_attendees : ev->organizer || ev->n_attendees)
        ev->rights |= EVENT_PRIVATE_COPY;
    return ev->rights & EVENT_PRIVATE_COPY && !by_guests && !ev->organizer
               ? add_extra(c, ev, GCAL_OWN_IMPORT, "true")
               : 0;
}

/* The start that the body names as the original one of an instance, as an instance's key has it. */
static int read_original_start(struct call *c, bool *ret_day, int64_t *ret_us)
{
    const struct json *v = json_get(c->body, "originalStartTime");
    const char *date = json_get_str(v, "date"), *time = json_get_str(v, "dateTime"),
               *zone = json_get_str(v, "timeZone");
    struct stamp s;
    int64_t days;
    *ret_day = date != NULL;
    if (date && date_parse(date, strlen(date), &days) == 0) {
        *ret_us = days * US_PER_DAY;
        return 0;
    }
    if (date || !time || stamp_parse(time, strlen(time), true, &s) < 0)
        return gcal_mute(c, "originalStartTime", v, "a date or a date and time");
    const struct tz *tz = zone ? tz_find(zone) : NULL;
    if (!s.has_offset && !tz)
        return gcal_mute(c, "originalStartTime", v, "a time with an offset or a zone");
    int64_t local = s.local_us / US_PER_SECOND - (s.local_us % US_PER_SECOND < 0);
    *ret_us = (s.has_offset ? local - s.offset : tz_to_utc(tz, local)) * US_PER_SECOND;
    return 0;
}

/* The instance that an import is about: of the series with its UID, which must be there. */
static int find_instance(struct call *c, const struct calendar *cal, const struct cal_event *series,
                         struct cal_event *ret)
{
    bool day;
    int64_t us;
    if (read_original_start(c, &day, &us) < 0)
        return -1;
    int r = 0;
    if (series && series->form == EVENT_SERIES && series->status != EVENT_CANCELLED)
        r = cal_event_instance(&c->tx, cal, series, day, us, ret);
    if (r < 0)
        return -1;
    return r && ret->master
               ? 0
               : call_fail(c, SOSIA_E_INVALID, "invalid", NULL, "Invalid iCalUID value.");
}

/* The body's members replace the present ones. */
static int import_over(struct call *c, const struct calendar *cal, struct cal_event *old,
                       struct cal_event *ev)
{
    if (old->origin)
        return call_fail(c, SOSIA_E_CONFLICT, "duplicate", NULL,
                         "The requested identifier already exists.");
    if (cal_event_load_attendees(&c->tx, old) < 0)
        return -1;
    if (!ev->attendees)
        ev->attendees = arena_calloc(c->tx.arena, 1, sizeof *ev->attendees);
    ev->id = old->id;
    ev->calendar = old->calendar;
    ev->master = old->master;
    ev->key = old->key;
    ev->uid = old->uid;
    ev->form = old->form;
    ev->original_us = old->original_us;
    ev->original_day = old->original_day;
    ev->last_us = old->last_us;
    ev->created_us = old->created_us;
    ev->updated_us = old->updated_us;
    ev->change = old->change;
    ev->n_instances = old->n_instances;
    ev->creator = old->creator;
    if (ev->sequence < old->sequence)
        ev->sequence = old->sequence;
    if (cal_event_save(&c->tx, &(struct cal_event_by){&c->actor, MAIL_NONE}, cal, old, ev) < 0)
        return gcal_refused(c);
    return gcal_answer_event(c, cal, ev);
}

/* The id of what is imported: its UID up to "@google.com" if that can be one, else made of it. */
static int key_of_uid(struct call *c, const char *uid, const char **ret)
{
    const char *own = gcal_own_uid_key(&c->tx, uid);
    int64_t hash = 1;
    if (own && gcal_option(&c->tx, GCAL_IMPORT_ID, &hash) < 0)
        return -1;
    *ret = hash ? cal_event_uid_key(&c->tx, uid) : own;
    return 0;
}

/* An import has no effect on others: no guest is invited, no copy follows it. An event with the
 * UID is replaced. */
static int events_import(struct call *c)
{
    struct calendar cal;
    struct cal_event ev, old, instance;
    const struct json *body;
    if (gcal_open(c, CAL_WRITE, &cal) < 0 || !(body = call_body(c)))
        return -1;
    const char *uid = json_get_str(body, "iCalUID");
    if (!uid || !*uid)
        return call_fail(c, SOSIA_E_INVALID, "required", NULL, "Missing iCalUID.");
    if (gcal_read_event(c, &cal, GCAL_IMPORT, NULL, &ev) < 0 || read_organizer(c, &cal, &ev) < 0)
        return -1;
    if (read_privacy(c, &ev) < 0)
        return -1;
    set_creator(c, &cal, &ev);
    if (gcal_reaches(c, NULL, &ev) < 0)
        return -1;
    int r = cal_event_by_uid(&c->tx, &cal, ev.uid, &old);
    if (r < 0)
        return -1;
    const struct json *original = json_get(body, "originalStartTime");
    if ((original && original->type != JSON_NULL) || json_get_str(body, "recurringEventId")) {
        if (find_instance(c, &cal, r ? &old : NULL, &instance) < 0)
            return -1;
        ev.recurrence = NULL;
        return import_over(c, &cal, &instance, &ev);
    }
    if (r)
        return import_over(c, &cal, &old, &ev);
    if (key_of_uid(c, ev.uid, &ev.key) < 0)
        return -1;
    return cal_event_add(&c->tx, &(struct cal_event_by){&c->actor, MAIL_NONE}, &cal, &ev) < 0
               ? gcal_refused(c)
               : gcal_answer_event(c, &cal, &ev);
}

static int events_move(struct call *c)
{
    struct calendar cal, to;
    struct cal_event ev, moved;
    struct cal_event_by by = {&c->actor, gcal_mail(c)};
    if (find_event(c, CAL_WRITE, &cal, &ev) < 0 ||
        gcal_open_key(c, param_str(c, "destination"), CAL_WRITE, &to) < 0)
        return -1;
    if (ev.status == EVENT_CANCELLED)
        return call_fail(c, SOSIA_E_GONE, "deleted", NULL, "Resource has been deleted");
    if (ev.kind != KIND_DEFAULT)
        return call_fail(c, SOSIA_E_INVALID, "eventTypeRestriction", NULL,
                         "Only default events can be moved.");
    if (google_if_match(c, gcal_event_etag(c->tx.arena, &ev)) < 0 ||
        cal_event_load_attendees(&c->tx, &ev) < 0 || gcal_reaches(c, NULL, &ev) < 0)
        return -1;
    if (cal_event_move(&c->tx, &by, &cal, &ev, &to, &moved) < 0) {
        if (cal_reason_of(c->tx.err) == CAL_NOT_ORGANIZER)
            return call_fail(c, SOSIA_E_FORBIDDEN, "cannotChangeOrganizer", NULL,
                             "Cannot change the organizer of an event.");
        return gcal_refused(c);
    }
    int64_t there;
    if (gcal_option(&c->tx, GCAL_MOVE_RESPONSE, &there) < 0)
        return -1;
    if (there || cal.id == to.id)
        return gcal_answer_event(c, &to, &moved);
    /* As recorded: what was there, cancelled, with its etag and the calendar that has it now. */
    ev.status = EVENT_CANCELLED;
    ev.organizer = to.key;
    if (!ev.creator)
        ev.creator = cal.key;
    struct gcal_view v;
    if (gcal_view(c, &cal, &v) < 0)
        return -1;
    v.whole = true;
    c->etag = v.etag = gcal_event_etag(c->tx.arena, &ev);
    return gcal_write_event(&v, NULL, &ev);
}

/* ---- rows ---- */

static const struct param events_delete_params[] = {
    CALENDAR_ID,
    EVENT_ID,
    SEND_NOTIFICATIONS,
    SEND_UPDATES,
};

static const struct param events_get_params[] = {
    ALWAYS_INCLUDE_EMAIL,
    CALENDAR_ID,
    EVENT_ID,
    MAX_ATTENDEES,
    {.name = "timeZone", .place = IN_QUERY},
};

static const struct param events_import_params[] = {
    CALENDAR_ID,
    CONFERENCE_DATA_VERSION,
    SUPPORTS_ATTACHMENTS,
    EVENT_LABEL_VERSION,
};

static const struct param events_insert_params[] = {
    CALENDAR_ID,  CONFERENCE_DATA_VERSION, MAX_ATTENDEES,       SEND_NOTIFICATIONS,
    SEND_UPDATES, SUPPORTS_ATTACHMENTS,    EVENT_LABEL_VERSION,
};

static const struct param events_move_params[] = {
    CALENDAR_ID,  {.name = "destination", .place = IN_QUERY, .required = true},
    EVENT_ID,     SEND_NOTIFICATIONS,
    SEND_UPDATES,
};

static const struct param events_patch_params[] = {
    ALWAYS_INCLUDE_EMAIL,
    CALENDAR_ID,
    CONFERENCE_DATA_VERSION,
    EVENT_ID,
    MAX_ATTENDEES,
    SEND_NOTIFICATIONS,
    SEND_UPDATES,
    SUPPORTS_ATTACHMENTS,
    EVENT_LABEL_VERSION,
};

static const struct route methods[] = {
    {ROUTE("calendar.events.delete", DELETE,
           "/calendar/v3/calendars/{calendarId}/events/{eventId}"),
     .handler = events_delete, .risk = RISK_DESTRUCTIVE, .idempotent = true,
     .scopes = EVENTS_TO_WRITE, PARAMS(events_delete_params), .summary = "Delete an event"},
    {.id = "calendar.events.get",
     .verbs = GET,
     .paths = PATHS("/calendar/v3/calendars/{calendarId}/events/{eventId}"),
     .handler = events_get,
     .anonymous = true, /* of public calendars, with an API key */
     .risk = RISK_READ,
     .scopes = EVENTS_TO_READ,
     PARAMS(events_get_params),
     .response = "Event",
     .summary = "One event"},
    {ROUTE("calendar.events.import", POST, "/calendar/v3/calendars/{calendarId}/events/import"),
     .handler = events_import, .risk = RISK_WRITE, .idempotent = true, .risk_of = gcal_event_risk,
     .body = BODY_JSON_OPTIONAL, .scopes = EVENTS_TO_WRITE, PARAMS(events_import_params),
     .request = "Event", .response = "Event", .summary = "Add a private copy of an event"},
    {ROUTE("calendar.events.insert", POST, "/calendar/v3/calendars/{calendarId}/events"),
     .handler = events_insert, .risk = RISK_WRITE, .risk_of = gcal_event_risk,
     .body = BODY_JSON_OPTIONAL, .scopes = EVENTS_TO_WRITE, PARAMS(events_insert_params),
     .request = "Event", .response = "Event", .summary = "Create an event"},
    {ROUTE("calendar.events.move", POST,
           "/calendar/v3/calendars/{calendarId}/events/{eventId}/move"),
     .handler = events_move, .risk = RISK_WRITE, .idempotent = true, .risk_of = gcal_event_risk,
     .scopes = CALENDAR " " EVENTS " " EVENTS_OWNED, PARAMS(events_move_params),
     .response = "Event", .summary = "Move an event to another calendar"},
    {ROUTE("calendar.events.patch", PATCH, "/calendar/v3/calendars/{calendarId}/events/{eventId}"),
     .handler = events_patch, .risk = RISK_WRITE, .idempotent = true, .risk_of = gcal_event_risk,
     .body = BODY_JSON_OPTIONAL, .scopes = EVENTS_TO_WRITE, PARAMS(events_patch_params),
     .request = "Event", .response = "Event", .summary = "Change parts of an event"},
    {ROUTE("calendar.events.update", PUT, "/calendar/v3/calendars/{calendarId}/events/{eventId}"),
     .handler = events_update, .risk = RISK_WRITE, .idempotent = true, .risk_of = gcal_event_risk,
     .body = BODY_JSON_OPTIONAL, .scopes = EVENTS_TO_WRITE, PARAMS(events_patch_params),
     .request = "Event", .response = "Event", .summary = "Replace an event"},
};

const struct rows gcal_events = ROWS(methods);
