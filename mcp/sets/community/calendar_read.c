/* SPDX-License-Identifier: Apache-2.0 */
/* What a community server's tools for calendars do that read, and the one that deletes. */
#include "mcp/sets/community/calendar.h"
#include "mcp/sets/times.h"
#include <stdlib.h>

#define FREE_BUSY_MOST_US (90 * US_PER_DAY)
#define BUSY_MOST         1000 /* calendars that are asked for at once */

/* ---- lists ---- */

struct found {
    const struct json *event;
    const char *start;
    size_t at;
};

struct search {
    struct set_run *r;
    const char *method;
    struct found *found;
    size_t n, cap;
    struct value_list calendars, warnings;
};

static int by_start(const void *a, const void *b)
{
    const struct found *x = a, *y = b;
    int c = strcmp(x->start, y->start);
    return c ? c : x->at < y->at ? -1 : 1;
}

/* "items(id,...)" of the fields that are asked for, each once, and of those that always are. */
static const struct json *mask_of(struct set_run *r, bool list)
{
    const struct json *more = json_get(r->args, "fields");
    struct buf b;
    if (!more || !more->n)
        return NULL;
    buf_init(&b, 0);
    buf_puts(&b, ",id,summary,start,end,status,htmlLink,location,attendees,reminders,recurrence,");
    for (uint32_t i = 0; i < more->n; i++)
        if (!strstr(buf_str(&b), arena_printf(r->arena, ",%s,", more->items[i].str)))
            buf_printf(&b, "%s,", more->items[i].str);
    const char *text = arena_memdup(r->arena, b.data + 1, b.len - 2);
    buf_done(&b);
    return value_text(r->arena,
                      list ? arena_printf(r->arena, "items(%s),nextPageToken", text) : text);
}

/* The events of one calendar. 1, 0, -1. */
static int search_one(struct search *s, const struct json *calendar)
{
    struct set_run *r = s->r;
    struct value_object o = {.arena = r->arena};
    const struct json *response;
    const char *zone;
    int rc = ccal_zone(r, calendar, &zone);
    object_put(&o, "calendarId", calendar);
    object_put(&o, "q", json_get(r->args, "query"));
    object_put(&o, "timeMin", ccal_bound(r, json_get_str(r->args, "timeMin"), zone));
    object_put(&o, "timeMax", ccal_bound(r, json_get_str(r->args, "timeMax"), zone));
    object_put(&o, "singleEvents", &value_true);
    object_put(&o, "orderBy", value_text(r->arena, "startTime"));
    object_put(&o, "fields", mask_of(r, true));
    object_put(&o, "privateExtendedProperty", json_get(r->args, "privateExtendedProperty"));
    object_put(&o, "sharedExtendedProperty", json_get(r->args, "sharedExtendedProperty"));
    if (rc > 0)
        rc = set_call_method(r, "calendar.events.list", object_value(&o), &response);
    const struct json *items = rc > 0 ? json_get(response, "items") : NULL;
    for (uint32_t i = 0; items && items->type == JSON_ARRAY && i < items->n; i++) {
        const struct json *start = json_get(&items->items[i], "start");
        const char *text = json_get_str(start, "dateTime");
        struct found *found = arena_grow(r->arena, s->found, s->n, &s->cap, sizeof *found);
        if (!found)
            return -1;
        if (!text)
            text = json_get_str(start, "date");
        s->found = found;
        s->found[s->n] =
            (struct found){ccal_event(r, &items->items[i], calendar), text ? text : "", s->n};
        s->n++;
    }
    return rc;
}

static void in_order(struct search *s)
{
    if (s->n)
        qsort(s->found, s->n, sizeof *s->found, by_start);
}

static void add_once(struct value_list *l, const struct json *v)
{
    for (size_t i = 0; i < l->n; i++)
        if (strcmp(l->items[i].str, v->str) == 0)
            return;
    list_add(l, v);
}

static bool is_blank(const struct json *name)
{
    return name->str[strspn(name->str, " \t\r\n\f\v")] == 0;
}

/* The calendars one after the other. What looks like an id is one; a name must be one of the
 * list. Where there are several, those that can't be read have no events. 1, 0, -1. */
static int list_all(struct search *s)
{
    struct set_run *r = s->r;
    const struct json *v = json_get(r->args, "calendarId");
    struct value_list all = {.arena = r->arena};
    int rc = 1;
    for (uint32_t i = 0; rc > 0 && i < (v->type == JSON_ARRAY ? v->n : 1); i++) {
        const struct json *name = v->type == JSON_ARRAY ? &v->items[i] : v;
        if (is_blank(name))
            continue;
        if (!strchr(name->str, '@'))
            rc = ccal_resolve(r, name, false, &name);
        list_add(&all, name);
    }
    if (rc > 0 && !all.n)
        return set_refuse(r, "calendarId must name a calendar, not %s", call_quote(r->m->c, v));
    for (size_t i = 0; rc > 0 && i < all.n; i++) {
        rc = search_one(s, &all.items[i]);
        if (rc == 0 && all.n > 1) {
            r->why = NULL;
            rc = 1;
        }
        add_once(&s->calendars, &all.items[i]);
    }
    in_order(s);
    return rc;
}

/* The calendars one after the other; where there are several, those that can't be searched are
 * named. 1, 0, -1. */
static int search_all(struct search *s)
{
    struct set_run *r = s->r;
    const struct json *v = json_get(r->args, "calendarId");
    uint32_t n = v->type == JSON_ARRAY ? v->n : 1;
    const char *why = "calendarId must name a calendar";
    for (uint32_t i = 0; i < n; i++) {
        const struct json *name = v->type == JSON_ARRAY ? &v->items[i] : v, *calendar;
        int rc = ccal_resolve(r, name, false, &calendar);
        if (rc > 0)
            rc = search_one(s, calendar);
        if (rc < 0 || (rc == 0 && n == 1))
            return rc;
        if (rc > 0)
            add_once(&s->calendars, calendar);
        if (rc == 0) {
            why = r->why;
            list_add(&s->warnings,
                     value_text(r->arena,
                                arena_printf(r->arena, "%s: %s", call_quote(r->m->c, name), why)));
            r->why = NULL;
        }
    }
    if (!s->calendars.n)
        return set_refuse(r, "%s", why);
    in_order(s);
    return 1;
}

static void put_found(struct search *s, struct value_object *o)
{
    struct value_list l = {.arena = s->r->arena};
    for (size_t i = 0; i < s->n; i++)
        list_add(&l, s->found[i].event);
    object_put(o, "events", list_value(&l));
    object_put(o, "totalCount", value_int(s->r->arena, (int64_t)s->n));
}

/* Bounds must be times; the calendars no more than once each. 1, 0. */
static int check_search(struct set_run *r)
{
    static const char *const bounds[] = {"timeMin", "timeMax"};
    const struct json *v = json_get(r->args, "calendarId");
    for (size_t i = 0; i < SOSIA_LEN(bounds); i++) {
        const struct json *bound = json_get(r->args, bounds[i]);
        bool offset;
        if (bound && !ccal_is_time(bound->str, &offset))
            return set_refuse(r, "%s must be as 2026-03-12T09:30:00, not %s", bounds[i],
                              call_quote(r->m->c, bound));
    }
    for (uint32_t i = 0; v && v->type == JSON_ARRAY && i < v->n; i++)
        for (uint32_t k = 0; k < i; k++)
            if (strcmp(v->items[i].str, v->items[k].str) == 0)
                return set_refuse(r, "calendarId must name a calendar once, not %s twice",
                                  call_quote(r->m->c, &v->items[i]));
    return ccal_account(r);
}

int ccal_list_events(struct set_run *r, const struct json **ret)
{
    struct search s = {.r = r, .calendars = {.arena = r->arena}};
    struct value_object o = {.arena = r->arena};
    int rc = check_search(r);
    if (rc > 0)
        rc = list_all(&s);
    put_found(&s, &o);
    object_put(&o, "calendars", s.calendars.n > 1 ? list_value(&s.calendars) : NULL);
    *ret = object_value(&o);
    return rc;
}

int ccal_search_events(struct set_run *r, const struct json **ret)
{
    struct search s = {.r = r, .calendars = {.arena = r->arena}, .warnings = {.arena = r->arena}};
    struct value_object o = {.arena = r->arena}, range = {.arena = r->arena};
    const char *zone;
    int rc = check_search(r);
    if (rc > 0)
        rc = search_all(&s);
    if (rc > 0)
        rc = ccal_zone(r, &s.calendars.items[0], &zone);
    if (rc <= 0)
        return rc;
    put_found(&s, &o);
    object_put(&o, "query", json_get(r->args, "query"));
    object_put(&o, s.calendars.n > 1 ? "calendars" : "calendarId",
               s.calendars.n > 1 ? list_value(&s.calendars) : &s.calendars.items[0]);
    object_put(&o, "warnings", s.warnings.n ? list_value(&s.warnings) : NULL);
    object_put(&range, "start", ccal_bound(r, json_get_str(r->args, "timeMin"), zone));
    object_put(&range, "end", ccal_bound(r, json_get_str(r->args, "timeMax"), zone));
    object_put(&o, "timeRange", object_value(&range));
    *ret = object_value(&o);
    return 1;
}

/* ---- single things ---- */

int ccal_get_event(struct set_run *r, const struct json **ret)
{
    struct value_object o = {.arena = r->arena}, get = {.arena = r->arena};
    const struct json *calendar, *event;
    int rc = ccal_calendar(r, false, &calendar);
    if (rc <= 0)
        return rc;
    object_put(&get, "calendarId", calendar);
    object_put(&get, "eventId", json_get(r->args, "eventId"));
    object_put(&get, "fields", mask_of(r, false));
    rc = set_call_method(r, "calendar.events.get", object_value(&get), &event);
    if (rc <= 0)
        return rc;
    object_put(&o, "event", ccal_event(r, event, calendar));
    *ret = object_value(&o);
    return 1;
}

int ccal_delete_event(struct set_run *r, const struct json **ret)
{
    struct value_object o = {.arena = r->arena}, gone = {.arena = r->arena};
    const struct json *calendar, *response;
    int rc = ccal_calendar(r, true, &calendar);
    if (rc <= 0)
        return rc;
    object_put(&gone, "calendarId", calendar);
    object_put(&gone, "eventId", json_get(r->args, "eventId"));
    object_put(&gone, "sendUpdates", json_get(r->args, "sendUpdates"));
    rc = set_call_method(r, "calendar.events.delete", object_value(&gone), &response);
    object_put(&o, "success", &value_true);
    object_put(&o, "eventId", json_get(r->args, "eventId"));
    object_put(&o, "calendarId", calendar);
    object_put(&o, "message", value_text(r->arena, "The event was deleted"));
    *ret = object_value(&o);
    return rc;
}

int ccal_all_calendars(struct set_run *r, const struct json **ret)
{
    struct value_object o = {.arena = r->arena};
    struct value_list l = {.arena = r->arena};
    const struct json *list;
    int rc = ccal_account(r);
    if (rc > 0)
        rc = ccal_list(r, &list);
    if (rc <= 0)
        return rc;
    for (uint32_t i = 0; list && i < list->n; i++)
        list_add(&l, template_eval(r, r->row->result, &list->items[i]));
    object_put(&o, "calendars", list_value(&l));
    object_put(&o, "totalCount", value_int(r->arena, (int64_t)l.n));
    *ret = object_value(&o);
    return 1;
}

int ccal_list_colors(struct set_run *r, const struct json **ret)
{
    struct value_object none = {.arena = r->arena}, o = {.arena = r->arena};
    const struct json *colors;
    int rc = ccal_account(r);
    if (rc > 0)
        rc = set_call_method(r, "calendar.colors.get", object_value(&none), &colors);
    if (rc <= 0)
        return rc;
    object_put(&o, "event", json_get(colors, "event"));
    object_put(&o, "calendar", json_get(colors, "calendar"));
    *ret = object_value(&o);
    return 1;
}

/* ---- busy times ---- */

/* What a calendar has that nothing is known of. */
static const struct json *nobody(struct set_run *r)
{
    static const char text[] = "{\"busy\":[],\"errors\":[{\"reason\":\"notFound\"}]}";
    const struct json *v;
    return json_parse(r->arena, text, sizeof text - 1, NULL, &v, NULL) == 0 ? v : NULL;
}

int ccal_free_busy(struct set_run *r, const struct json **ret)
{
    struct value_object body = {.arena = r->arena}, arguments = {.arena = r->arena};
    struct value_object o = {.arena = r->arena};
    const struct json *items = json_get(r->args, "calendars"), *response;
    const struct json *from = json_get(r->args, "timeMin"), *to = json_get(r->args, "timeMax");
    const struct tz *utc = tz_find("UTC");
    const char *zone;
    int64_t a, b;
    int rc = check_search(r);
    if (items->n > BUSY_MOST)
        return set_refuse(r, "calendars must have at most %d items, not %u", BUSY_MOST, items->n);
    if (rc > 0 && (time_read(r->arena, from->str, utc, &a) < 0 ||
                   time_read(r->arena, to->str, utc, &b) < 0 || b - a > FREE_BUSY_MOST_US))
        return set_refuse(r, "timeMax must be at most 90 days after timeMin, not %s", to->str);
    if (rc > 0)
        rc = ccal_zone(r, value_text(r->arena, "primary"), &zone);
    if (rc <= 0)
        return rc;
    object_put(&body, "timeMin", ccal_bound(r, from->str, zone));
    object_put(&body, "timeMax", ccal_bound(r, to->str, zone));
    object_put(&body, "items", items);
    object_put(&body, "timeZone", value_text(r->arena, zone));
    object_put(&body, "groupExpansionMax", json_get(r->args, "groupExpansionMax"));
    object_put(&body, "calendarExpansionMax", json_get(r->args, "calendarExpansionMax"));
    object_put(&arguments, "body", object_value(&body));
    if (set_call_method(r, "calendar.freebusy.query", object_value(&arguments), &response) < 0)
        return -1;
    r->why = NULL; /* as of calendars that are not there */
    struct value_object all = {.arena = r->arena};
    for (uint32_t i = 0; i < items->n; i++) {
        const char *id = json_get_str(&items->items[i], "id");
        const struct json *of = json_get(json_get(response, "calendars"), id);
        object_put(&all, id, template_eval(r, r->row->result, of ? of : nobody(r)));
    }
    object_put(&o, "timeMin", from);
    object_put(&o, "timeMax", to);
    object_put(&o, "calendars", object_value(&all));
    *ret = object_value(&o);
    return 1;
}

/* ---- the time ---- */

/* Is the clock of the zone ahead of its standard time? */
static bool is_summer(const struct tz *z, int64_t now)
{
    struct civil c;
    civil_from_seconds(now, &c);
    int32_t january = tz_offset(z, days_from_civil(c.year, 1, 1) * SECONDS_PER_DAY);
    int32_t july = tz_offset(z, days_from_civil(c.year, 7, 1) * SECONDS_PER_DAY);
    return january != july && tz_offset(z, now) == (january > july ? january : july);
}

int ccal_current_time(struct set_run *r, const struct json **ret)
{
    struct value_object o = {.arena = r->arena};
    int64_t us = r->m->c->tx.now_us, now = time_seconds(us), days = 0;
    const char *zone;
    int rc = ccal_account(r);
    if (rc > 0)
        rc = ccal_zone(r, value_text(r->arena, "primary"), &zone);
    if (rc <= 0)
        return rc;
    const struct tz *z = tz_find(zone);
    if (!z)
        return set_refuse(r, "timeZone must be one as Europe/Rome, not \"%.80s\"", zone);
    char text[STAMP_TEXT];
    stamp_format(text, us, tz_offset(z, now), 3, true);
    date_parse(text, 10, &days);
    const char *all = arena_strdup(r->arena, text);
    object_put(&o, "currentTime", value_text(r->arena, all));
    object_put(&o, "timezone", value_text(r->arena, zone));
    object_put(&o, "offset", value_text(r->arena, all + strlen("2026-03-12T09:30:00.000")));
    object_put(&o, "isDST", is_summer(z, now) ? &value_true : &value_false);
    object_put(&o, "dayOfWeek", value_text(r->arena, time_weekday(days)));
    *ret = object_value(&o);
    return 1;
}
