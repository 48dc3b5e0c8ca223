/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What calendars have as rows of the tables that evaluators of diffs by table keep: an object a
 * row, with the names of its columns. An event is one row, however many have copies of it. A
 * calendar that is deleted stays, with the column that says so.
 */
#include "identity/account.h"
#include "engine/text/civil.h"
#include "engine/world/take.h"
#include "identity/app.h"
#include "services/calendar/core/event/event.h"
#include "services/calendar/google/gcal.h"
#include "vendors/google/sql.h"

static void open_row(struct json_writer *w, const char *table)
{
    json_obj(w, NULL);
    json_str(w, "__table__", table);
}

static void write_json(struct json_writer *w, const char *column, const char *text)
{
    if (text)
        json_raw(w, column, text, strlen(text));
    else
        json_null(w, column);
}

/* The id under which Google knows somebody, else the address. */
static int user_id(struct tx *tx, const struct actor *who, const char **ret)
{
    struct account account;
    int r = account_of(tx, who->id, "google", NULL, &account);
    *ret = r == 1 ? account.name : who->email;
    return r < 0 ? -1 : 0;
}

/* The same of an address; NULL: of nobody in the world. */
static int user_of(struct tx *tx, const char *email, const char **ret)
{
    struct actor who;
    int r = actor_by_email(tx, email, &who);
    *ret = NULL;
    return r == 1 ? user_id(tx, &who, ret) : r;
}

/* ---- events ---- */

/* As the time's zone has it, without an offset. */
static void write_naive(struct json_writer *w, const char *column, const struct calendar *cal,
                        const struct cal_event *ev, int64_t us, const char *zone)
{
    const struct tz *tz = zone && tz_find(zone) ? tz_find(zone) : cal->tz;
    char text[STAMP_TEXT];
    if (ev->all_day) {
        json_null(w, column);
        return;
    }
    int64_t s = us / US_PER_SECOND - (us % US_PER_SECOND < 0);
    stamp_format(text, us, tz_offset(tz, s), 0, true);
    json_strn(w, column, text, 19);
}

static void write_day(struct json_writer *w, const char *column, const struct cal_event *ev,
                      int64_t us)
{
    char text[STAMP_TEXT];
    date_format(text, us / US_PER_DAY - (us % US_PER_DAY < 0));
    json_str(w, column, ev->all_day ? text : NULL);
}

static void put_recurrence(struct tx *tx, struct json_writer *w, const struct calendar *cal,
                           const struct cal_event *ev)
{
    if (!ev->recurrence)
        json_null(w, "recurrence");
    else
        gcal_view_recurrence(w, ev->recurrence);
    bool instance = ev->form == EVENT_INSTANCE;
    json_str(w, "recurring_event_id", instance ? cal_event_series_key(tx, ev) : NULL);
    if (instance)
        gcal_view_time(w, "original_start_time", cal, ev->original_day, ev->original_us, ev->zone);
    else
        json_null(w, "original_start_time");
}

static void put_times(struct json_writer *w, const struct calendar *cal, const struct cal_event *ev)
{
    const char *end_zone = ev->end_zone ? ev->end_zone : ev->zone;
    gcal_view_time(w, "start", cal, ev->all_day, ev->start_us, ev->zone);
    gcal_view_time(w, "end", cal, ev->all_day, event_end(ev), end_zone);
    write_naive(w, "start_datetime", cal, ev, ev->start_us, ev->zone);
    write_naive(w, "end_datetime", cal, ev, event_end(ev), end_zone);
    write_day(w, "start_date", ev, ev->start_us);
    write_day(w, "end_date", ev, event_end(ev));
}

/* An event of a secondary calendar is organized by the calendar: its owner does it. */
static int person_behind(struct tx *tx, const char **address)
{
    struct calendar cal;
    struct actor owner;
    int r = calendar_by_key(tx, *address, &cal);
    if (r == 1 && !cal.main && (r = actor_by_id(tx, cal.owner, &owner)) == 1)
        *address = owner.email;
    return r < 0 ? -1 : 0;
}

static int put_who(struct tx *tx, struct json_writer *w, const struct calendar *cal,
                   const struct cal_event *ev)
{
    const char *creator_id, *organizer_id, *organizer = ev->organizer ? ev->organizer : cal->key,
                                           *creator = ev->creator ? ev->creator : organizer;
    if (person_behind(tx, &organizer) < 0 || person_behind(tx, &creator) < 0 ||
        user_of(tx, creator, &creator_id) < 0 || user_of(tx, organizer, &organizer_id) < 0)
        return -1;
    json_str(w, "creator_id", creator_id);
    json_str(w, "creator_email", creator);
    json_str(w, "organizer_id", organizer_id);
    json_str(w, "organizer_email", organizer);
    return 0;
}

static void write_reminders(struct json_writer *w, const struct cal_event *ev)
{
    json_obj(w, "reminders");
    json_bool(w, "useDefault", !ev->reminders);
    if (ev->reminders)
        json_raw(w, "overrides", ev->reminders, strlen(ev->reminders));
    json_end(w);
}

static int put_rest(struct tx *tx, struct json_writer *w, const struct cal_event *ev)
{
    static const char *const members[][2] = {
        {"hangout_link", "hangoutLink"},
        {"conference_data", "conferenceData"},
        {"attachments", "attachments"},
        {"source", "source"},
        {"working_location_properties", "workingLocationProperties"},
        {"out_of_office_properties", "outOfOfficeProperties"},
        {"focus_time_properties", "focusTimeProperties"},
        {"birthday_properties", "birthdayProperties"}};
    const struct json *extra = NULL;
    if (ev->extra && json_parse(tx->arena, ev->extra, strlen(ev->extra), NULL, &extra, tx->err) < 0)
        return -1;
    for (size_t i = 0; i < SOSIA_LEN(members); i++) {
        const struct json *v = json_get(extra, members[i][1]);
        if (v)
            json_value(w, members[i][0], v);
        else
            json_null(w, members[i][0]);
    }
    if (ev->own_props || ev->props) {
        json_obj(w, "extended_properties");
        if (ev->own_props)
            json_raw(w, "private", ev->own_props, strlen(ev->own_props));
        if (ev->props)
            json_raw(w, "shared", ev->props, strlen(ev->props));
        json_end(w);
    } else {
        json_null(w, "extended_properties");
    }
    return 0;
}

static int add_attendees(struct tx *tx, struct json_writer *w, const struct calendar *cal,
                         struct cal_event *ev)
{
    const char *organizer = ev->organizer ? ev->organizer : cal->key;
    if (cal_event_load_attendees(tx, ev) < 0)
        return -1;
    for (int i = 0; i < ev->n_attendees; i++) {
        const struct cal_attendee *a = &ev->attendees[i];
        open_row(w, "calendar_event_attendees");
        json_str(w, "event_id", ev->key);
        json_str(w, "email", a->email);
        json_str(w, "display_name", a->name);
        json_bool(w, "organizer", strcmp(a->email, organizer) == 0);
        json_bool(w, "self", strcmp(a->email, cal->key) == 0);
        json_bool(w, "resource", a->resource);
        json_bool(w, "optional", a->optional);
        json_str(w, "response_status", gcal_responses[a->response ? a->response : RESPONSE_NONE]);
        json_str(w, "comment", a->comment);
        json_int(w, "additional_guests", a->guests);
        json_end(w);
    }
    return 0;
}

/* Copies have no rows of their own. A cancelled instance is a row, a cancelled event was one. */
static int event_rows(struct tx *tx, int64_t rowid, struct json_writer *w)
{
    struct cal_event ev;
    struct calendar cal;
    int r = cal_event_by_id(tx, rowid, &ev);
    if (r == 1)
        r = calendar_by_id(tx, ev.calendar, &cal);
    if (r != 1 || cal.gone || ev.origin || event_is_suspended(&ev) ||
        (ev.status == EVENT_CANCELLED && (ev.form != EVENT_INSTANCE || !ev.master)))
        return r < 0 ? -1 : 0;
    open_row(w, "calendar_events");
    json_str(w, "id", ev.key);
    json_str(w, "calendar_id", cal.key);
    json_str(w, "status", gcal_statuses[ev.status]);
    json_str(w, "summary", ev.summary);
    json_str(w, "description", ev.description);
    json_str(w, "location", ev.location);
    json_str(w, "color_id", ev.color);
    if (put_who(tx, w, &cal, &ev) < 0)
        return -1;
    put_times(w, &cal, &ev);
    put_recurrence(tx, w, &cal, &ev);
    json_str(w, "transparency", event_blocks(&ev) ? "opaque" : "transparent");
    json_str(w, "visibility", ev.visibility ? gcal_visibilities[ev.visibility] : "default");
    json_str(w, "event_type", ev.kind ? gcal_kinds[ev.kind] : "default");
    json_str(w, "ical_uid", ev.uid);
    json_int(w, "sequence", ev.sequence);
    json_bool(w, "guests_can_invite_others", !(ev.rights & GUESTS_DONT_INVITE));
    json_bool(w, "guests_can_modify", ev.rights & GUESTS_MODIFY);
    json_bool(w, "guests_can_see_other_guests", !(ev.rights & GUESTS_DONT_SEE_GUESTS));
    json_bool(w, "anyone_can_add_self", ev.rights & ANYONE_ADDS_SELF);
    write_reminders(w, &ev);
    if (put_rest(tx, w, &ev) < 0)
        return -1;
    json_end(w);
    return add_attendees(tx, w, &cal, &ev);
}

/* ---- access and lists ---- */

static void add_rule(struct tx *tx, struct json_writer *w, const struct calendar *cal,
                     const char *type, const char *who, const char *role)
{
    open_row(w, "calendar_acl_rules");
    json_str(w, "id",
             arena_printf(tx->arena, "%s:%s%s%s", cal->key, type, who ? ":" : "", who ? who : ""));
    json_str(w, "calendar_id", cal->key);
    json_str(w, "role", role);
    json_str(w, "scope_type", type);
    json_str(w, "scope_value", who);
    json_bool(w, "deleted", false);
    json_end(w);
}

/* A rule that was taken away has no role. */
static int access_rows(struct tx *tx, int64_t rowid, struct json_writer *w)
{
    static const char *const kinds[] = {NULL, "user", "group", "domain", "default"};
    struct cal_access rule;
    struct calendar cal;
    int64_t calendar;
    int r = cal_access_by_id(tx, rowid, &calendar, &rule);
    if (r != 1)
        return r;
    r = calendar_by_id(tx, calendar, &cal);
    if (r == 1 && rule.role)
        add_rule(tx, w, &cal, kinds[rule.kind], rule.kind == ACCESS_ALL ? NULL : rule.who,
                 gcal_role(rule.role));
    return r < 0 ? -1 : 0;
}

/* Of a calendar that is deleted the entry stays. */
static int add_listing(struct tx *tx, struct json_writer *w, const struct actor *who,
                       const struct calendar *cal)
{
    struct gcal_listing l;
    enum cal_role role = cal->owner == who->id ? CAL_OWN : CAL_NONE;
    const char *user;
    int r = gcal_listing_find(tx, who, cal, &l);
    if (r != 1 || (l.gone && !cal->gone) || user_id(tx, who, &user) < 0 ||
        (role == CAL_NONE && calendar_role(tx, cal, who, &role) < 0))
        return r < 0 ? -1 : 0;
    open_row(w, "calendar_list_entries");
    json_str(w, "id", arena_printf(tx->arena, "%s:%s", user, cal->key));
    json_str(w, "user_id", user);
    json_str(w, "calendar_id", cal->key);
    json_str(w, "access_role", gcal_role(role));
    json_str(w, "summary_override", l.name);
    json_str(w, "color_id", l.color);
    json_str(w, "background_color", l.background);
    json_str(w, "foreground_color", l.foreground);
    json_bool(w, "hidden", l.hidden);
    json_bool(w, "selected", l.selected);
    json_bool(w, "primary", cal->main && cal->owner == who->id);
    json_bool(w, "deleted", false);
    write_json(w, "default_reminders", l.reminders);
    write_json(w, "notification_settings", l.notices);
    json_end(w);
    return 0;
}

static int listing_rows(struct tx *tx, int64_t rowid, struct json_writer *w)
{
    struct gcal_listing l;
    struct actor who;
    int r = gcal_listing_row(tx, rowid, &l, &who);
    return r == 1 ? add_listing(tx, w, &who, &l.cal) : r;
}

/* With what its owner has by it: a rule and a place on the list. */
static int calendar_rows(struct tx *tx, int64_t rowid, struct json_writer *w)
{
    const struct json *extra = NULL;
    struct calendar cal;
    struct actor owner;
    const char *user;
    int r = calendar_by_id(tx, rowid, &cal);
    if (r == 1)
        r = actor_by_id(tx, cal.owner, &owner);
    if (r != 1 || user_id(tx, &owner, &user) < 0)
        return r < 0 ? -1 : 0;
    if (cal.extra && json_parse(tx->arena, cal.extra, strlen(cal.extra), NULL, &extra, tx->err) < 0)
        return -1;
    open_row(w, "calendars");
    json_str(w, "id", cal.key);
    json_str(w, "summary", cal.summary);
    json_str(w, "description", cal.description);
    json_str(w, "location", cal.location);
    json_str(w, "time_zone", cal.zone);
    json_bool(w, "auto_accept_invitations", json_get_true(extra, "autoAcceptInvitations"));
    json_str(w, "owner_id", user);
    json_str(w, "data_owner", cal.main ? NULL : owner.email);
    json_bool(w, "deleted", cal.gone);
    json_end(w);
    add_rule(tx, w, &cal, "user", owner.email, gcal_role(CAL_OWN));
    return add_listing(tx, w, &owner, &cal);
}

/* ---- channels and settings ---- */

static int channel_rows(struct tx *tx, int64_t rowid, struct json_writer *w)
{
    static struct sql_text q = SQL_TEXT(
        "select c.name, c.actor, c.resource, c.address, c.expires_us / 1000, c.token, case c.kind "
        "when 'calendar.list' then '/users/me/calendarList' when 'calendar.settings' then "
        "'/users/%/settings' when 'calendar.acl' then '/acl' else '/events' end, c.ref "
        "from " GOOGLE_SQL_CHANNELS " c where c.id = :id and c.kind glob 'calendar.*'");
    struct calendar cal;
    struct actor who;
    const char *user = NULL, *name, *resource, *address, *token, *uri;
    int64_t actor, expires, ref;
    int r = TX_TAKE(tx, TX_QUERY(tx, &q, rowid), &name, &actor, &resource, &address, &expires,
                    &token, &uri, &ref);
    if (r != 1)
        return r;
    r = actor_by_id(tx, actor, &who);
    if (r != 1 || user_id(tx, &who, &user) < 0)
        return r < 0 ? -1 : 0;
    if (strcmp(uri, "/acl") == 0 || strcmp(uri, "/events") == 0) {
        r = calendar_by_id(tx, ref, &cal);
        if (r < 0)
            return -1;
        uri = r ? arena_printf(tx->arena, "/calendars/%s%s", cal.key, uri) : NULL;
    }
    if (uri && strcmp(uri, "/users/%/settings") == 0)
        uri = arena_printf(tx->arena, "/users/%s/settings", user);
    open_row(w, "calendar_channels");
    json_str(w, "id", name);
    json_str(w, "resource_id", resource);
    json_str(w, "resource_uri", uri);
    json_str(w, "type", "web_hook");
    json_str(w, "address", address);
    json_int(w, "expiration", expires);
    json_str(w, "token", token);
    json_str(w, "user_id", user);
    json_end(w);
    return 0;
}

static int setting_rows(struct tx *tx, int64_t rowid, struct json_writer *w)
{
    static struct sql_text q =
        SQL_TEXT("select actor, name, value from gcal_setting where id = :id");
    struct actor who;
    const char *user = NULL;
    int64_t actor;
    const char *name, *value;
    int r = TX_TAKE(tx, TX_QUERY(tx, &q, rowid), &actor, &name, &value);
    if (r != 1)
        return r;
    r = actor_by_id(tx, actor, &who);
    if (r != 1 || user_id(tx, &who, &user) < 0)
        return r < 0 ? -1 : 0;
    open_row(w, "calendar_settings");
    json_str(w, "user_id", user);
    json_str(w, "setting_id", name);
    json_str(w, "value", value);
    json_end(w);
    return 0;
}

const struct table_view gcal_tables[] = {
    {"event", event_rows},
    {"calendarAccess", access_rows},
    {"calendarListEntry", listing_rows},
    {"calendar", calendar_rows},
    {"google_channel", channel_rows},
    {"calendarSetting", setting_rows},
    {NULL, NULL},
};
