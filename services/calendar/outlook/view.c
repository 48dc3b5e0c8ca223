/* SPDX-License-Identifier: Apache-2.0 */
/* Events and calendars as diffs and assertions see them: the members of Graph's resources, but for
 * what changes by itself (etags, times of changes, links). */
#include "engine/text/civil.h"
#include "services/calendar/core/event/event_impl.h"
#include "services/calendar/core/event/series.h"
#include "services/calendar/outlook/ocal.h"
#include "services/calendar/outlook/seed.h"

static void view_time(struct json_writer *w, const char *key, bool all_day, int64_t us)
{
    char text[STAMP_TEXT];
    (void)all_day;
    stamp_format(text, us, 0, 6, true);
    memcpy(text + 26, "0", 2);
    json_obj(w, key);
    json_word(w, "dateTime", text);
    json_word(w, "timeZone", "UTC");
    json_end(w);
}

static void view_attendees(struct json_writer *w, const struct cal_event *ev)
{
    json_arr(w, "attendees");
    for (int i = 0; i < ev->n_attendees; i++) {
        const struct cal_attendee *a = &ev->attendees[i];
        json_obj(w, NULL);
        json_word(w, "type", a->resource ? "resource" : a->optional ? "optional" : "required");
        json_obj(w, "status");
        json_word(w, "response", ocal_responses[a->response]);
        json_end(w);
        json_obj(w, "emailAddress");
        json_str(w, "address", a->email);
        json_end(w);
        json_end(w);
    }
    json_end(w);
}

static void view_rest(struct tx *tx, struct json_writer *w, const struct calendar *cal,
                      const struct cal_event *ev)
{
    const struct json *extra = ocal_extra(tx->arena, ev);
    struct ocal_rule rule;
    if (ev->categories)
        json_raw(w, "categories", ev->categories, strlen(ev->categories));
    json_word(w, "importance", ocal_importances[ev->importance]);
    json_word(w, "sensitivity", ocal_sensitivities[ev->visibility]);
    json_word(w, "showAs", ocal_busy_words[ev->busy]);
    json_bool(w, "isReminderOn", ev->reminder_on);
    json_int(w, "reminderMinutesBeforeStart", ev->reminder_minutes);
    json_bool(w, "isOnlineMeeting", json_get(extra, "onlineMeeting") != NULL);
    if (ocal_rule_of(tx->arena, cal, ev, &rule) == 1) {
        json_obj(w, "recurrence");
        ocal_write_rule(w, &rule, ev->zone ? ev->zone : cal->zone);
        json_end(w);
    }
}

static void write_event(struct tx *tx, struct json_writer *w, const struct calendar *cal,
                        const struct cal_event *ev, const struct entity_about *about)
{
    const bool gone = ev->status == EVENT_CANCELLED || ev->removed;
    json_str(w, "id", ev->key);
    json_str(w, "calendar", cal->summary);
    json_str(w, "subject", ev->summary ? ev->summary : "");
    json_str(w, "body", ev->description ? ev->description : "");
    view_time(w, "start", ev->all_day, ev->start_us);
    view_time(w, "end", ev->all_day, event_end(ev));
    json_bool(w, "isAllDay", ev->all_day);
    json_bool(w, "isCancelled", gone);
    json_obj(w, "location");
    json_str(w, "displayName", ev->location ? ev->location : "");
    json_end(w);
    json_obj(w, "organizer");
    json_str(w, "address", ev->organizer ? ev->organizer : cal->address);
    json_end(w);
    view_attendees(w, ev);
    view_rest(tx, w, cal, ev);
    if (about->all) {
        json_str(w, "iCalUId", ev->uid);
        json_time(w, "lastModifiedDateTime", ev->updated_us, JSON_TIME_US_Z);
    }
}

static int view_owner(struct tx *tx, const struct calendar *cal, const char **ret)
{
    struct actor owner;
    int r = actor_by_id(tx, cal->owner, &owner);
    if (r == 1)
        *ret = owner.email;
    return r < 0 ? -1 : 0;
}

static int describe(struct tx *tx, const struct calendar *cal, const struct cal_event *ev,
                    struct entity_about *about)
{
    about->title = ev->summary;
    if (ev->id)
        about->is[0] = tx_numbered(tx, "event", ev->id);
    if (ev->origin)
        about->follows[0] = tx_numbered(tx, "event", ev->origin);
    else
        about->is[1] = tx_named(tx, "uid", ev->uid);
    if (ev->master) {
        about->follows[1] = tx_numbered(tx, "event", ev->master);
        about->part = event_is_suspended(ev);
        about->within = true;
    }
    if (ev->origin && ev->status == EVENT_CANCELLED) /* by the organizer: it stays */
        about->part = true;
    return view_owner(tx, cal, &about->person);
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
    if (ev.status == EVENT_CANCELLED && !ev.origin)
        return 0;
    if (ev.removed || cal_event_load_attendees(tx, &ev) < 0)
        return ev.removed ? 0 : -1;
    write_event(tx, w, &cal, &ev, about);
    return 1;
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
    if (r != 1 || series.status == EVENT_CANCELLED)
        return r < 0 ? -1 : 0;
    r = cal_event_find(tx, &cal, ev.key, &plain);
    if (r != 1 || plain.status == EVENT_CANCELLED)
        return r < 0 ? -1 : 0;
    if (cal_event_load_attendees(tx, &plain) < 0)
        return -1;
    write_event(tx, w, &cal, &plain, about);
    return 1;
}

static int view_calendar(struct tx *tx, int64_t rowid, struct json_writer *w,
                         struct entity_about *about)
{
    struct calendar cal;
    int r = calendar_by_id(tx, rowid, &cal);
    if (r != 1 || view_owner(tx, &cal, &about->person) < 0)
        return r < 1 ? r : -1;
    about->title = cal.summary;
    about->is[0] = tx_numbered(tx, "calendar", cal.id);
    if (cal.gone)
        return 0;
    json_str(w, "id", cal.key);
    json_str(w, "name", cal.summary);
    json_bool(w, "isDefaultCalendar", cal.main);
    return 1;
}

const struct entity_view ocal_views[] = {
    {"event", "calendar", event_view, event_twin, .timeless = true, .vendor = "microsoft",
     .members = "id calendar subject body start.dateTime start.timeZone end.dateTime end.timeZone "
                "isAllDay isCancelled location.displayName organizer.address attendees.*.type "
                "attendees.*.status.response attendees.*.emailAddress.address categories.* "
                "importance sensitivity showAs isReminderOn reminderMinutesBeforeStart "
                "isOnlineMeeting recurrence.**"},
    {"calendar", "calendar", view_calendar, NULL, .timeless = true, .vendor = "microsoft",
     .members = "id name isDefaultCalendar"},
    {"calendarGroup", "calendar", .about = ocal_group_about},
    {"eventAttachment", "calendar", .about = ocal_attachment_about},
    {NULL},
};
