/* SPDX-License-Identifier: Apache-2.0 */
/* Calendars out of tables: calendar_users, calendars, calendar_list_entries, calendar_events,
 * calendar_event_attendees, calendar_acl_rules, calendar_channels, calendar_settings. */
#include "cli/import/import.h"
#include "engine/text/civil.h"
#include <stdlib.h>
#include <string.h>

/* The row of a table whose column has this text; NULL: none. */
static const struct json *row_with(const struct import *im, const char *table, const char *column,
                                   const char *text)
{
    const struct json *rows = import_table(im, table);
    for (uint32_t i = 0; rows && text && i < rows->n; i++) {
        const char *own = import_text(im, &rows->items[i], column);
        if (own && strcmp(own, text) == 0)
            return &rows->items[i];
    }
    return NULL;
}

static const char *email_of(const struct import *im, const char *user)
{
    const struct json *row = row_with(im, "calendar_users", "id", user);
    return row ? import_text(im, row, "email") : NULL;
}

static bool has(const struct import *im, const struct json *row, const char *column,
                const char *text)
{
    const char *own = import_text(im, row, column);
    return own && text && strcmp(own, text) == 0;
}

/* A list of the document that begins with its first item. */
static void begin(struct import *im, const char *member, bool *any)
{
    if (!*any)
        json_arr(im->w, member);
    *any = true;
}

static void finish(struct import *im, bool any)
{
    if (any)
        json_end(im->w);
}

/* ---- people ---- */

static const char *zone_of(const struct import *im, const char *user, const char *email)
{
    const struct json *rows = import_table(im, "calendar_settings");
    for (uint32_t i = 0; rows && i < rows->n; i++)
        if (has(im, &rows->items[i], "user_id", user) &&
            has(im, &rows->items[i], "setting_id", "timezone"))
            return import_text(im, &rows->items[i], "value");
    const struct json *primary = row_with(im, "calendars", "id", email);
    return primary ? import_text(im, primary, "time_zone") : NULL;
}

static void write_people(struct import *im)
{
    const struct json *rows = import_table(im, "calendar_users");
    bool any = false;
    json_arr(im->w, "people");
    for (uint32_t i = 0; i < rows->n; i++) {
        const char *email = import_text(im, &rows->items[i], "email"),
                   *name = import_text(im, &rows->items[i], "display_name");
        json_obj(im->w, NULL);
        json_str(im->w, "email", email);
        json_str(im->w, "name", name ? name : email);
        json_str_opt(im->w, "zone", zone_of(im, import_text(im, &rows->items[i], "id"), email));
        json_end(im->w);
    }
    json_end(im->w);
    for (uint32_t i = 0; i < rows->n; i++) {
        begin(im, "accounts", &any);
        json_obj(im->w, NULL);
        json_str(im->w, "actor", import_text(im, &rows->items[i], "email"));
        json_str(im->w, "vendor", "google");
        json_str(im->w, "id", import_text(im, &rows->items[i], "id"));
        json_end(im->w);
    }
    finish(im, any);
}

static void write_settings(struct import *im)
{
    static const char *const taken[] = {"autoAddHangouts",
                                        "defaultEventLength",
                                        "dateFieldOrder",
                                        "weekStart",
                                        "format24HourTime",
                                        "hideInvitations",
                                        "remindOnRespondedEventsOnly",
                                        "showDeclinedEvents",
                                        "useKeyboardShortcuts",
                                        "hideWeekends",
                                        "locale"};
    const struct json *rows = import_table(im, "calendar_settings");
    bool any = false;
    for (uint32_t i = 0; rows && i < rows->n; i++) {
        const char *name = import_text(im, &rows->items[i], "setting_id"),
                   *email = email_of(im, import_text(im, &rows->items[i], "user_id"));
        size_t k = 0;
        while (name && k < SOSIA_LEN(taken) && strcmp(taken[k], name) != 0)
            k++;
        if (name && strcmp(name, "timezone") == 0) /* it is the person's */
            continue;
        if (!name || !email || k == SOSIA_LEN(taken)) {
            import_leave(im, "calendar_settings that no calendar has");
            continue;
        }
        begin(im, "calendarSettings", &any);
        json_obj(im->w, NULL);
        json_str(im->w, "person", email);
        json_str(im->w, name, import_text(im, &rows->items[i], "value"));
        json_end(im->w);
    }
    finish(im, any);
}

/* ---- events ---- */

static void write_time(struct import *im, const char *member, const char *zone_member,
                       const struct json *time)
{
    const char *at = json_get_str(time, "dateTime"), *zone = json_get_str(time, "timeZone");
    json_str(im->w, member, at ? at : json_get_str(time, "date"));
    if (at)
        json_str_opt(im->w, zone_member, zone);
}

static void write_guests(struct import *im, const char *event)
{
    const struct json *rows = import_table(im, "calendar_event_attendees");
    bool any = false;
    for (uint32_t i = 0; rows && i < rows->n; i++) {
        const struct json *a = &rows->items[i];
        int64_t guests = json_get_int(a, "additional_guests", 0);
        const char *response = import_text(im, a, "response_status");
        if (!has(im, a, "event_id", event))
            continue;
        begin(im, "attendees", &any);
        json_obj(im->w, NULL);
        json_str(im->w, "email", import_text(im, a, "email"));
        json_str_opt(im->w, "name", import_text(im, a, "display_name"));
        if (response && strcmp(response, "needsAction") != 0)
            json_str(im->w, "response", response);
        json_bool_opt(im->w, "optional", json_get_true(a, "optional"));
        json_bool_opt(im->w, "resource", json_get_true(a, "resource"));
        if (guests > 0)
            json_int(im->w, "guests", guests);
        json_str_opt(im->w, "comment", import_text(im, a, "comment"));
        json_end(im->w);
    }
    finish(im, any);
}

/* Words that are other ones here, or left out where they are the usual ones. */
static void write_words(struct import *im, const struct json *e)
{
    const char *visibility = import_text(im, e, "visibility"),
               *type = import_text(im, e, "event_type"), *status = import_text(im, e, "status");
    if (visibility && strcmp(visibility, "default") != 0)
        json_str(im->w, "visibility", visibility);
    if (type && strcmp(type, "default") != 0)
        json_str(im->w, "kind", strcmp(type, "fromGmail") == 0 ? "fromMail" : type);
    if (status && strcmp(status, "confirmed") != 0)
        json_str(im->w, "status", status);
    json_bool_opt(im->w, "free", has(im, e, "transparency", "transparent"));
    json_str_opt(im->w, "color", import_text(im, e, "color_id"));
}

static void write_rest(struct import *im, const struct json *e)
{
    static const char *const props[][2] = {{"ownProperties", "private"}, {"properties", "shared"}};
    const struct json *recurrence = json_get(e, "recurrence"),
                      *reminders = json_get(e, "reminders"),
                      *extended = json_get(e, "extended_properties");
    int64_t sequence = json_get_int(e, "sequence", 0);
    if (recurrence && recurrence->type == JSON_ARRAY && recurrence->n)
        json_value(im->w, "recurrence", recurrence);
    if (json_is_false(json_get(reminders, "useDefault")) && json_get(reminders, "overrides"))
        json_value(im->w, "reminders", json_get(reminders, "overrides"));
    for (size_t i = 0; i < SOSIA_LEN(props); i++)
        if (json_get(extended, props[i][1]))
            json_value(im->w, props[i][0], json_get(extended, props[i][1]));
    if (sequence > 0)
        json_int(im->w, "sequence", sequence);
}

static void write_event(struct import *im, const struct json *e, const char *owner)
{
    const char *id = import_text(im, e, "id"), *organizer = import_text(im, e, "organizer_email");
    json_obj(im->w, NULL);
    json_str(im->w, "id", import_id(im, "calendar_events", id));
    json_str_opt(im->w, "uid", import_text(im, e, "ical_uid"));
    json_str_opt(im->w, "summary", import_text(im, e, "summary"));
    json_str_opt(im->w, "description", import_text(im, e, "description"));
    json_str_opt(im->w, "location", import_text(im, e, "location"));
    write_time(im, "start", "zone", json_get(e, "start"));
    write_time(im, "end", "endZone", json_get(e, "end"));
    write_words(im, e);
    write_guests(im, id);
    write_rest(im, e);
    if (organizer && owner && strcmp(organizer, owner) != 0)
        import_leave(im, "calendar_events.organizer_email (the owner of the calendar is it)");
    json_end(im->w);
}

static void write_events(struct import *im, const char *calendar, const char *owner)
{
    const struct json *rows = import_table(im, "calendar_events");
    bool any = false;
    for (uint32_t i = 0; rows && i < rows->n; i++) {
        const struct json *e = &rows->items[i];
        if (!has(im, e, "calendar_id", calendar))
            continue;
        if (import_text(im, e, "recurring_event_id")) {
            import_leave(im, "calendar_events that are instances of a series");
            continue;
        }
        begin(im, "events", &any);
        write_event(im, e, owner);
    }
    finish(im, any);
}

/* ---- calendars ---- */

static const char *role_of(const char *role)
{
    return role && strcmp(role, "freeBusyReader") == 0 ? "freebusy" : role;
}

static void write_rule(struct import *im, const char *role, const char *type, const char *value)
{
    json_obj(im->w, NULL);
    json_str(im->w, "role", role_of(role));
    if (strcmp(type, "default") == 0)
        json_bool(im->w, "public", true);
    else
        json_str(im->w, strcmp(type, "user") == 0 ? "person" : type, value);
    json_end(im->w);
}

static bool has_rule(const struct import *im, const char *calendar, const char *email)
{
    const struct json *rows = import_table(im, "calendar_acl_rules");
    for (uint32_t i = 0; rows && i < rows->n; i++)
        if (has(im, &rows->items[i], "calendar_id", calendar) &&
            has(im, &rows->items[i], "scope_value", email) &&
            !json_get_true(&rows->items[i], "deleted"))
            return true;
    return false;
}

/* The owner has all rights; who has a calendar on the list has the right that the list names. */
static void write_access(struct import *im, const char *calendar, const char *owner)
{
    const struct json *rows = import_table(im, "calendar_acl_rules"),
                      *lists = import_table(im, "calendar_list_entries");
    bool any = false;
    for (uint32_t i = 0; rows && i < rows->n; i++) {
        const struct json *r = &rows->items[i];
        const char *type = import_text(im, r, "scope_type");
        if (!has(im, r, "calendar_id", calendar) || has(im, r, "scope_value", owner) || !type ||
            json_get_true(r, "deleted"))
            continue;
        begin(im, "access", &any);
        write_rule(im, import_text(im, r, "role"), type, import_text(im, r, "scope_value"));
    }
    for (uint32_t i = 0; lists && i < lists->n; i++) {
        const char *who = email_of(im, import_text(im, &lists->items[i], "user_id"));
        if (!has(im, &lists->items[i], "calendar_id", calendar) || !who ||
            strcmp(who, owner) == 0 || has_rule(im, calendar, who))
            continue;
        begin(im, "access", &any);
        write_rule(im, import_text(im, &lists->items[i], "access_role"), "user", who);
    }
    finish(im, any);
}

static void write_lists(struct import *im, const char *calendar, const char *owner)
{
    const struct json *rows = import_table(im, "calendar_list_entries");
    bool any = false, owns = false;
    for (uint32_t i = 0; rows && i < rows->n; i++) {
        const struct json *l = &rows->items[i], *reminders = json_get(l, "default_reminders");
        const char *who = email_of(im, import_text(im, l, "user_id"));
        if (!has(im, l, "calendar_id", calendar) || !who)
            continue;
        owns |= strcmp(who, owner) == 0;
        if (json_get_true(l, "deleted"))
            continue;
        begin(im, "lists", &any);
        json_obj(im->w, NULL);
        json_str(im->w, "person", who);
        json_str_opt(im->w, "name", import_text(im, l, "summary_override"));
        json_str_opt(im->w, "color", import_text(im, l, "color_id"));
        json_bool_opt(im->w, "hidden", json_get_true(l, "hidden"));
        if (json_is_false(json_get(l, "selected")))
            json_bool(im->w, "selected", false);
        if (reminders && reminders->type == JSON_ARRAY)
            json_value(im->w, "reminders", reminders);
        json_end(im->w);
    }
    finish(im, any);
    if (!owns && strcmp(calendar, owner) != 0)
        import_leave(im, "calendars that their owners don't have on the list (here they do)");
}

static void write_calendars(struct import *im)
{
    const struct json *rows = import_table(im, "calendars");
    json_arr(im->w, "calendars");
    for (uint32_t i = 0; rows && i < rows->n; i++) {
        const struct json *c = &rows->items[i];
        const char *id = import_text(im, c, "id"),
                   *owner = email_of(im, import_text(im, c, "owner_id"));
        if (!id || !owner || json_get_true(c, "deleted")) {
            import_leave(im, "calendars that are deleted or nobody's");
            continue;
        }
        bool primary = strcmp(id, owner) == 0;
        json_obj(im->w, NULL);
        json_str(im->w, "id", id);
        if (primary)
            json_bool(im->w, "primary", true);
        else
            json_str(im->w, "owner", owner);
        json_str_opt(im->w, "summary", import_text(im, c, "summary"));
        json_str_opt(im->w, "description", import_text(im, c, "description"));
        json_str_opt(im->w, "location", import_text(im, c, "location"));
        json_str_opt(im->w, "zone", import_text(im, c, "time_zone"));
        write_access(im, id, owner);
        write_lists(im, id, owner);
        write_events(im, id, owner);
        json_end(im->w);
    }
    json_end(im->w);
}

/* ---- channels ---- */

/* What a channel watches, by the path of its resource. 1; 0: nothing that can be watched. */
static int write_watched(struct import *im, const char *uri)
{
    static const char calendars[] = "/calendars/";
    size_t n = strlen(calendars);
    if (strncmp(uri, calendars, n) == 0) {
        const char *end = strrchr(uri, '/');
        const char *id =
            end > uri + n ? arena_memdup(im->arena, uri + n, (size_t)(end - uri) - n) : "";
        if (!row_with(im, "calendars", "id", id) ||
            (strcmp(end, "/events") != 0 && strcmp(end, "/acl") != 0))
            return 0;
        json_str(im->w, "watch", strcmp(end, "/acl") == 0 ? "access" : "events");
        json_str(im->w, "calendar", id);
        return 1;
    }
    bool list = strstr(uri, "/calendarList") != NULL;
    if (!list && !strstr(uri, "/settings"))
        return 0;
    json_str(im->w, "watch", list ? "list" : "settings");
    return 1;
}

static void write_channels(struct import *im)
{
    const struct json *rows = import_table(im, "calendar_channels");
    bool any = false;
    for (uint32_t i = 0; rows && i < rows->n; i++) {
        const struct json *c = &rows->items[i];
        const char *uri = import_text(im, c, "resource_uri"),
                   *who = email_of(im, import_text(im, c, "user_id")),
                   *address = import_text(im, c, "address");
        if (!uri || !who || !address) {
            import_leave(im, "calendar_channels of nobody, or without an address");
            continue;
        }
        begin(im, "calendarChannels", &any);
        struct json_mark mark = json_mark(im->w);
        json_obj(im->w, NULL);
        json_str(im->w, "id", import_text(im, c, "id"));
        json_str(im->w, "person", who);
        if (!write_watched(im, uri)) {
            json_back(im->w, &mark);
            import_leave(im, "calendar_channels of what can't be watched");
            continue;
        }
        json_str(im->w, "address", address);
        json_str_opt(im->w, "token", import_text(im, c, "token"));
        json_str_opt(im->w, "resource", import_text(im, c, "resource_id"));
        int64_t expires = json_get_int(c, "expiration", 0);
        if (expires > 0)
            json_time(im->w, "expires",
                      (expires > INT64_C(100000000000) ? expires / 1000 : expires) * US_PER_SECOND,
                      JSON_TIME_S_Z);
        json_end(im->w);
    }
    finish(im, any);
}

/* ---- all of it ---- */

/* Ids with what no path has. */
static int shape_ids(struct import *im)
{
    const struct json *rows = import_table(im, "calendar_events");
    for (uint32_t i = 0; rows && i < rows->n; i++) {
        const char *id = import_text(im, &rows->items[i], "id");
        if (!id || !strpbrk(id, " /?#%\t\r\n"))
            continue;
        char *made = arena_strdup(im->arena, id);
        for (char *p = made; (p = strpbrk(p, " /?#%\t\r\n"));)
            *p = '_';
        if (map_set(&im->ids, arena_printf(im->arena, "calendar_events %s", id), made) < 0)
            return sosia_fail_memory(im->err);
    }
    return 0;
}

/* The newest time of a row. */
static int64_t newest(const struct import *im)
{
    static const char *const columns[] = {"created_at", "updated_at"};
    int64_t last = 0;
    for (uint32_t t = 0; t < im->tables->n; t++) {
        const struct json *rows = &im->tables->members[t].value;
        for (uint32_t i = 0; rows->type == JSON_ARRAY && i < rows->n; i++)
            for (size_t k = 0; k < SOSIA_LEN(columns); k++) {
                const char *text = json_get_str(&rows->items[i], columns[k]);
                struct stamp at;
                if (text && stamp_parse(text, strlen(text), true, &at) == 0 && at.local_us > last)
                    last = at.local_us;
            }
    }
    return last;
}

int import_calendar(struct import *im, int64_t *ret_now)
{
    static const char *const columns[][40] = {
        {"calendar_users", "id", "email", "display_name", "self", "created_at", "updated_at"},
        {"calendars", "id", "summary", "description", "location", "time_zone", "owner_id",
         "data_owner", "etag", "deleted", "created_at", "updated_at"},
        {"calendar_list_entries", "id", "user_id", "calendar_id", "access_role", "summary_override",
         "color_id", "background_color", "foreground_color", "hidden", "selected", "primary",
         "deleted", "default_reminders", "etag", "created_at", "updated_at"},
        {"calendar_events", "id",
         "calendar_id",     "etag",
         "status",          "html_link",
         "summary",         "description",
         "location",        "color_id",
         "creator_id",      "organizer_id",
         "creator_email",   "organizer_email",
         "start",           "end",
         "start_datetime",  "end_datetime",
         "start_date",      "end_date",
         "recurrence",      "recurring_event_id",
         "transparency",    "visibility",
         "ical_uid",        "sequence",
         "reminders",       "extended_properties",
         "event_type",      "created_at",
         "updated_at"},
        {"calendar_event_attendees", "id", "event_id", "email", "display_name", "organizer", "self",
         "resource", "optional", "response_status", "comment", "additional_guests"},
        {"calendar_acl_rules", "id", "calendar_id", "etag", "role", "scope_type", "scope_value",
         "deleted", "created_at", "updated_at"},
        {"calendar_channels", "id", "resource_id", "resource_uri", "type", "address", "expiration",
         "token", "user_id", "created_at"},
        {"calendar_settings", "id", "user_id", "setting_id", "value", "etag"}};
    if (shape_ids(im) < 0)
        return -1;
    for (size_t i = 0; i < SOSIA_LEN(columns); i++)
        import_columns(im, columns[i][0], columns[i] + 1);
    write_people(im);
    write_calendars(im);
    write_settings(im);
    write_channels(im);
    *ret_now = newest(im);
    return 0;
}
