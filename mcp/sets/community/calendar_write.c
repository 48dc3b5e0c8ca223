/* SPDX-License-Identifier: Apache-2.0 */
/* What a community server's tools for calendars do that make, change and answer events. */
#include "mcp/sets/community/calendar.h"
#include "mcp/sets/times.h"
#include <strings.h>

#define LEAST_LIKE    0.7 /* of duplicates, where nothing else is asked for */
#define MOST_FAILURES 3   /* of the same kind one after the other, before the others are left out */

/* ---- bodies ---- */

/* What is taken over as it is. */
static void put_members(struct value_object *o, const struct json *from)
{
    static const char *const names[] = {"summary",
                                        "description",
                                        "attendees",
                                        "location",
                                        "colorId",
                                        "recurrence",
                                        "transparency",
                                        "visibility",
                                        "guestsCanInviteOthers",
                                        "guestsCanModify",
                                        "guestsCanSeeOtherGuests",
                                        "anyoneCanAddSelf",
                                        "conferenceData",
                                        "extendedProperties",
                                        "attachments",
                                        "source",
                                        "eventType",
                                        "reminders"};
    for (size_t i = 0; i < SOSIA_LEN(names); i++)
        object_put(o, names[i], json_get(from, names[i]));
}

/* False: refused. */
static bool put_times(struct set_run *r, struct value_object *o, const struct json *from,
                      const char *zone)
{
    static const char *const names[] = {"start", "end"};
    for (size_t i = 0; i < 2; i++) {
        const struct json *v = json_get(from, names[i]);
        const struct json *moment = v ? ccal_moment(r, names[i], v, zone) : NULL;
        if (v && !moment)
            return false;
        object_put(o, names[i], moment);
    }
    return true;
}

/* What the kind of an event brings with it. False: refused. */
static bool put_kind(struct set_run *r, struct value_object *o)
{
    const char *kind = json_get_str(r->args, "eventType");
    const struct json *place = json_get(r->args, "workingLocationProperties");
    struct value_object away = {.arena = r->arena}, where = {.arena = r->arena};
    const struct json *nothing = object_value(&(struct value_object){.arena = r->arena});
    object_put(o, "focusTimeProperties", json_get(r->args, "focusTimeProperties"));
    if (!kind || strcmp(kind, "default") == 0)
        return true;
    bool works = strcmp(kind, "workingLocation") == 0;
    if (!json_get(r->args, "transparency"))
        object_put(o, "transparency", value_text(r->arena, works ? "transparent" : "opaque"));
    if (works && !json_get(r->args, "visibility"))
        object_put(o, "visibility", value_text(r->arena, "public"));
    if (strcmp(kind, "outOfOffice") == 0) {
        const struct json *given = json_get(r->args, "outOfOfficeProperties");
        const struct json *mode = json_get(given, "autoDeclineMode");
        object_put(&away, "autoDeclineMode",
                   mode ? mode : value_text(r->arena, "declineAllConflictingInvitations"));
        object_put(&away, "declineMessage", json_get(given, "declineMessage"));
        object_put(o, "outOfOfficeProperties", object_value(&away));
    }
    if (!works)
        return true;
    if (!place) {
        set_refuse(r, "workingLocationProperties is required with the eventType workingLocation");
        return false;
    }
    const char *type = json_get_str(place, "type");
    const struct json *of = json_get(place, type);
    object_put(&where, "type", json_get(place, "type"));
    object_put(&where, type, of ? of : nothing);
    object_put(o, "workingLocationProperties", object_value(&where));
    return true;
}

static void put_versions(struct set_run *r, struct value_object *o, const struct json *body)
{
    object_put(o, "conferenceDataVersion",
               json_get(body, "conferenceData") ? value_int(r->arena, 1) : NULL);
    object_put(o, "supportsAttachments", json_get(body, "attachments") ? &value_true : NULL);
    object_put(o, "body", body);
}

/* ---- one new event ---- */

static bool is_all_day(const struct json *body)
{
    return json_get(json_get(body, "start"), "date") || json_get(json_get(body, "end"), "date");
}

/* 1; 0: refused. */
static int make_body(struct set_run *r, const char *zone, const struct json **ret)
{
    struct value_object o = {.arena = r->arena};
    const char *kind = json_get_str(r->args, "eventType");
    put_members(&o, r->args);
    if (!put_times(r, &o, r->args, zone) || !put_kind(r, &o))
        return 0;
    object_put(&o, "id", json_get(r->args, "eventId"));
    *ret = object_value(&o);
    if (kind && (strcmp(kind, "focusTime") == 0 || strcmp(kind, "outOfOffice") == 0) &&
        is_all_day(*ret))
        return set_refuse(r, "start and end must be times for the eventType %s, not days", kind);
    return 1;
}

/* The calendar that is meant and its zone. 1, 0: refused, -1. */
static int calendar_and_zone(struct set_run *r, const struct json **ret_calendar,
                             const char **ret_zone)
{
    int rc = ccal_calendar(r, true, ret_calendar);
    return rc > 0 ? ccal_zone(r, *ret_calendar, ret_zone) : rc;
}

static double least_like(const struct set_run *r)
{
    const struct json *v = json_get(r->args, "duplicateSimilarityThreshold");
    double least = 0;
    if (v && json_double(v, &least) < 0)
        least = 0;
    return least ? least : LEAST_LIKE;
}

static const struct json *shown(struct set_run *r, const struct json *event,
                                const struct json *calendar, const struct json *conflicts)
{
    struct value_object o = {.arena = r->arena};
    object_put(&o, "event", ccal_event(r, event, calendar));
    for (uint32_t i = 0; conflicts && i < conflicts->n; i++)
        object_put(&o, conflicts->members[i].key, &conflicts->members[i].value);
    return object_value(&o);
}

int ccal_create(struct set_run *r, const struct json **ret)
{
    struct value_object o = {.arena = r->arena};
    const struct json *calendar, *body, *conflicts, *event, *allow;
    const char *zone, *twin;
    int rc = calendar_and_zone(r, &calendar, &zone);
    if (rc > 0)
        rc = make_body(r, zone, &body);
    if (rc > 0)
        rc = ccal_conflicts(r, calendar, body, least_like(r), &conflicts, &twin);
    if (rc <= 0)
        return rc;
    allow = json_get(r->args, "allowDuplicates");
    if (twin && !value_holds(allow))
        return set_refuse(r,
                          "Duplicate event detected (95%% similar): \"%s\" is there already. With "
                          "allowDuplicates it is made all the same.",
                          twin);
    object_put(&o, "calendarId", calendar);
    object_put(&o, "sendUpdates", json_get(r->args, "sendUpdates"));
    put_versions(r, &o, body);
    rc = set_call_method(r, "calendar.events.insert", object_value(&o), &event);
    if (rc > 0)
        *ret = shown(r, event, calendar, conflicts);
    return rc;
}

/* ---- many ---- */

struct many {
    struct set_run *r;
    struct value_list made, failed;
    const char *last; /* why the one before failed */
    int in_row;
};

static const struct json *own_or_shared(struct set_run *r, const struct json *item,
                                        const char *name)
{
    const struct json *own = json_get(item, name);
    return own ? own : json_get(r->args, name);
}

/* One of them. 1; 0: refused; -1. */
static int make_one(struct many *m, const struct json *item)
{
    struct set_run *r = m->r, own = *r;
    struct value_object o = {.arena = r->arena}, args = {.arena = r->arena},
                        body = {.arena = r->arena};
    const struct json *name = own_or_shared(r, item, "calendarId"), *calendar, *event;
    const char *zone;
    object_put(&args, "account", own_or_shared(r, item, "account"));
    object_put(&args, "timeZone", own_or_shared(r, item, "timeZone"));
    own.args = object_value(&args);
    int rc = ccal_account(&own);
    if (rc > 0)
        rc = ccal_resolve(&own, name ? name : value_text(r->arena, "primary"), true, &calendar);
    if (rc > 0)
        rc = ccal_zone(&own, calendar, &zone);
    put_members(&body, item);
    if (rc > 0)
        rc = put_times(&own, &body, item, zone);
    if (rc > 0) {
        object_put(&o, "calendarId", calendar);
        object_put(&o, "sendUpdates", own_or_shared(r, item, "sendUpdates"));
        put_versions(r, &o, object_value(&body));
        rc = set_call_method(&own, "calendar.events.insert", object_value(&o), &event);
    }
    r->why = own.why;
    if (rc > 0)
        list_add(&m->made, ccal_event(r, event, calendar));
    return rc;
}

static void add_failure(struct many *m, uint32_t at, const struct json *item, const char *why)
{
    struct value_object o = {.arena = m->r->arena};
    object_put(&o, "index", value_int(m->r->arena, at));
    object_put(&o, "summary", json_get(item, "summary"));
    object_put(&o, "error", value_text(m->r->arena, why));
    list_add(&m->failed, object_value(&o));
}

/* 1, -1. */
static int make_all(struct many *m, const struct json *items)
{
    struct set_run *r = m->r;
    for (uint32_t i = 0; i < items->n; i++) {
        if (m->in_row >= MOST_FAILURES) {
            add_failure(m, i, &items->items[i], arena_printf(r->arena, "Skipped: %s", m->last));
            continue;
        }
        int rc = make_one(m, &items->items[i]);
        if (rc < 0)
            return -1;
        if (rc > 0) {
            m->in_row = 0;
            m->last = NULL;
            continue;
        }
        m->in_row = m->last && strcmp(m->last, r->why) == 0 ? m->in_row + 1 : 1;
        m->last = r->why;
        add_failure(m, i, &items->items[i], r->why);
        r->why = NULL;
    }
    return 1;
}

/* What is not a time refuses all of them, whatever their zones are. 1, 0. */
static int check_times(struct set_run *r, const struct json *items)
{
    static const char *const names[] = {"start", "end"};
    for (uint32_t i = 0; i < items->n; i++)
        for (size_t k = 0; k < SOSIA_LEN(names); k++) {
            const struct json *v = json_get(&items->items[i], names[k]);
            const char *name = arena_printf(r->arena, "events[%u].%s", i, names[k]);
            if (v && !ccal_moment(r, name, v, "UTC"))
                return 0;
        }
    return 1;
}

int ccal_create_many(struct set_run *r, const struct json **ret)
{
    struct many m = {.r = r, .made = {.arena = r->arena}, .failed = {.arena = r->arena}};
    const struct json *items = json_get(r->args, "events");
    struct value_object o = {.arena = r->arena};
    int rc = ccal_account(r);
    if (rc > 0)
        rc = check_times(r, items);
    if (rc > 0)
        rc = make_all(&m, items);
    if (rc <= 0)
        return rc;
    object_put(&o, "totalRequested", value_int(r->arena, items->n));
    object_put(&o, "totalCreated", value_int(r->arena, (int64_t)m.made.n));
    object_put(&o, "totalFailed", value_int(r->arena, (int64_t)m.failed.n));
    object_put(&o, "created", list_value(&m.made));
    object_put(&o, "failed", m.failed.n ? list_value(&m.failed) : NULL);
    *ret = object_value(&o);
    return m.made.n ? 1 : set_refuse(r, "%s", json_to_text(r->arena, *ret));
}

/* ---- changes ---- */

/* A time without an offset, which is in UTC then, or with one. 1; 0: refused. */
static int time_argument(struct set_run *r, const char *name, int64_t *ret_us)
{
    const struct json *v = json_get(r->args, name);
    bool offset;
    if (!ccal_is_time(v->str, &offset) || time_read(r->arena, v->str, tz_find("UTC"), ret_us) < 0)
        return set_refuse(r, "%s must be as 2026-03-12T09:30:00, not %s", name,
                          call_quote(r->m->c, v));
    return 1;
}

/* What the scope of a change takes, before anything is looked up. 1, 0. */
static int check_scope(struct set_run *r)
{
    static const char *const needs[][2] = {{"thisEventOnly", "originalStartTime"},
                                           {"thisAndFollowing", "futureStartDate"}};
    const char *scope = json_get_str(r->args, "modificationScope");
    const struct json *future = json_get(r->args, "futureStartDate");
    int64_t us;
    for (size_t i = 0; i < SOSIA_LEN(needs); i++) {
        if (json_get(r->args, needs[i][1])) {
            if (!time_argument(r, needs[i][1], &us))
                return 0;
        } else if (scope && strcmp(scope, needs[i][0]) == 0) {
            return set_refuse(r, "%s is required with the modificationScope %s", needs[i][1],
                              scope);
        }
    }
    if (future && us <= r->m->c->tx.now_us)
        return set_refuse(r, "futureStartDate must be a time in the future, not %s",
                          call_quote(r->m->c, future));
    return 1;
}

/* The occurrence of a series that begins at the originalStartTime. NULL: refused. */
static const struct json *occurrence(struct set_run *r, const struct json *id)
{
    int64_t us;
    if (!time_argument(r, "originalStartTime", &us))
        return NULL;
    char *text = arena_strdup(r->arena, time_utc(r->arena, us, false)), *to = text;
    for (const char *p = text; *p; p++)
        if (*p != '-' && *p != ':')
            *to++ = *p;
    *to = 0;
    return value_text(r->arena, arena_printf(r->arena, "%s_%s", id->str, text));
}

/* Those who are guests already stay as they are. */
static const struct json *merged_guests(struct set_run *r, const struct json *event)
{
    const struct json *now = json_get(event, "attendees"), *all = json_get(r->args, "attendees");
    struct value_list l = {.arena = r->arena};
    for (uint32_t i = 0; i < all->n; i++) {
        const char *email = json_get_str(&all->items[i], "email");
        const struct json *guest = &all->items[i];
        for (uint32_t k = 0; now && now->type == JSON_ARRAY && k < now->n; k++) {
            const char *address = json_get_str(&now->items[k], "email");
            if (address && strcasecmp(address, email) == 0)
                guest = &now->items[k];
        }
        list_add(&l, guest);
    }
    return list_value(&l);
}

/* The body of a change. 1, 0. */
static int change_body(struct set_run *r, const struct json *event, const char *zone,
                       const struct json **ret)
{
    static const char *const names[] = {"start", "end"};
    struct value_object o = {.arena = r->arena};
    put_members(&o, r->args);
    if (json_get(r->args, "attendees"))
        object_put(&o, "attendees", merged_guests(r, event));
    if (!put_times(r, &o, r->args, zone))
        return 0;
    const struct json *body = object_value(&o);
    for (size_t i = 0; i < 2; i++) { /* a day in the place of a time, and the other way round */
        const struct json *moment = json_get(body, names[i]);
        struct value_object with = {.arena = r->arena};
        for (uint32_t k = 0; moment && k < moment->n; k++)
            object_put(&with, moment->members[k].key, &moment->members[k].value);
        if (moment) {
            object_put(&with, json_get(moment, "date") ? "dateTime" : "date", &value_null);
            object_put(&o, names[i], object_value(&with));
        }
    }
    *ret = object_value(&o);
    return 1;
}

static int patch(struct set_run *r, const struct json *calendar, const struct json *id,
                 const struct json *body, const struct json **ret)
{
    struct value_object o = {.arena = r->arena};
    object_put(&o, "calendarId", calendar);
    object_put(&o, "eventId", id);
    put_versions(r, &o, body);
    return set_call_method(r, "calendar.events.patch", object_value(&o), ret);
}

static int get(struct set_run *r, const struct json *calendar, const struct json *id,
               const struct json **ret)
{
    struct value_object o = {.arena = r->arena};
    object_put(&o, "calendarId", calendar);
    object_put(&o, "eventId", id);
    return set_call_method(r, "calendar.events.get", object_value(&o), ret);
}

/* A rule that ends at a time, in the place of its own end. */
static const char *rule_until(struct arena *a, const char *rule, const char *until)
{
    struct buf b;
    buf_init(&b, 1 << 20);
    for (const char *at = rule; *at;) {
        size_t n = strcspn(at, ";");
        if (strncmp(at, "UNTIL=", 6) != 0 && strncmp(at, "COUNT=", 6) != 0)
            buf_printf(&b, "%s%.*s", b.len ? ";" : "", (int)n, at);
        at += n + (at[n] == ';');
    }
    buf_printf(&b, ";UNTIL=%s", until);
    return buf_keep(&b, a);
}

/* The lines of a series that ends a day before; NULL: it has no rule. */
static const struct json *lines_until(struct set_run *r, const struct json *lines, int64_t us)
{
    struct value_list l = {.arena = r->arena};
    bool found = false;
    char *until = arena_strdup(r->arena, time_utc(r->arena, us - US_PER_DAY, false)), *to = until;
    for (const char *p = until; *p; p++)
        if (*p != '-' && *p != ':')
            *to++ = *p;
    *to = 0;
    for (uint32_t i = 0; lines && lines->type == JSON_ARRAY && i < lines->n; i++) {
        const char *line = lines->items[i].str;
        bool rule = strncmp(line, "RRULE:", 6) == 0;
        found |= rule;
        list_add(&l,
                 rule ? value_text(r->arena, rule_until(r->arena, line, until)) : &lines->items[i]);
    }
    return found ? list_value(&l) : NULL;
}

/* The series as a new one, from a time on. */
static const struct json *rest_of(struct set_run *r, const struct json *event,
                                  const struct json *body, const char *start, const char *zone)
{
    static const char *const gone[] = {"id",      "etag",     "iCalUID",    "created",
                                       "updated", "htmlLink", "hangoutLink"};
    const struct tz *utc = tz_find("UTC");
    struct value_object o = {.arena = r->arena}, from = {.arena = r->arena},
                        to = {.arena = r->arena};
    const char *end = json_get_str(r->args, "end");
    const char *began = json_get_str(json_get(event, "start"), "dateTime");
    const char *ended = json_get_str(json_get(event, "end"), "dateTime");
    int64_t a, b, at;
    for (uint32_t i = 0; i < event->n; i++) {
        bool stays = true;
        for (size_t k = 0; k < SOSIA_LEN(gone); k++)
            stays = stays && strcmp(event->members[i].key, gone[k]) != 0;
        if (stays)
            object_put(&o, event->members[i].key, &event->members[i].value);
    }
    for (uint32_t i = 0; i < body->n; i++)
        object_put(&o, body->members[i].key, &body->members[i].value);
    if (!end && began && ended && time_read(r->arena, began, utc, &a) == 0 &&
        time_read(r->arena, ended, utc, &b) == 0 && time_read(r->arena, start, utc, &at) == 0)
        end = time_utc(r->arena, at + b - a, true);
    object_put(&from, "dateTime", value_text(r->arena, start));
    object_put(&from, "timeZone", value_text(r->arena, zone));
    object_put(&to, "dateTime", end ? value_text(r->arena, end) : NULL);
    object_put(&to, "timeZone", value_text(r->arena, zone));
    object_put(&o, "start", object_value(&from));
    object_put(&o, "end", object_value(&to));
    return object_value(&o);
}

/* The new series is made before the old one ends: where it is refused, nothing changes. */
static int change_following(struct set_run *r, const struct json *calendar,
                            const struct json *event, const struct json *body, const char *zone,
                            const struct json **ret)
{
    const struct json *v = json_get(r->args, "futureStartDate"), *ignored;
    struct value_object o = {.arena = r->arena}, change = {.arena = r->arena};
    const char *start = json_get_str(r->args, "start");
    int64_t us;
    if (!time_argument(r, "futureStartDate", &us))
        return 0;
    const struct json *lines = lines_until(r, json_get(event, "recurrence"), us);
    if (!lines)
        return set_refuse(r, "the event has no rule by which it recurs");
    object_put(&o, "calendarId", calendar);
    put_versions(r, &o, rest_of(r, event, body, start ? start : v->str, zone));
    int rc = set_call_method(r, "calendar.events.insert", object_value(&o), ret);
    object_put(&change, "recurrence", lines);
    return rc > 0
               ? patch(r, calendar, json_get(r->args, "eventId"), object_value(&change), &ignored)
               : rc;
}

/* With conflicts where the time changes. */
static int look_for_conflicts(struct set_run *r, const struct json *calendar,
                              const struct json *event, const struct json *body,
                              const struct json **ret)
{
    static const char *const times[] = {"start", "end"};
    const struct json *check = json_get(r->args, "checkConflicts");
    struct value_object o = {.arena = r->arena};
    const char *twin;
    *ret = NULL;
    if ((check && !value_holds(check)) || (!json_get(body, "start") && !json_get(body, "end")))
        return 1;
    object_put(&o, "id", json_get(r->args, "eventId"));
    for (size_t i = 0; i < 2; i++)
        object_put(&o, times[i], json_get(json_get(body, times[i]) ? body : event, times[i]));
    return ccal_conflicts(r, calendar, object_value(&o), 2, ret, &twin);
}

/* By the scope that is asked for. 1, 0, -1. */
static int change_scope(struct set_run *r, const struct json *calendar, const struct json *event,
                        const struct json *body, const char *zone, const struct json **ret)
{
    const char *scope = json_get_str(r->args, "modificationScope");
    const struct json *id = json_get(r->args, "eventId");
    bool series = value_holds(json_get(event, "recurrence")) || json_get(event, "recurringEventId");
    if (!scope || strcmp(scope, "all") == 0)
        return patch(r, calendar, id, body, ret);
    if (!series)
        return set_refuse(r, "modificationScope must be all for an event that does not recur");
    if (strcmp(scope, "thisAndFollowing") == 0)
        return change_following(r, calendar, event, body, zone, ret);
    id = occurrence(r, id);
    return id ? patch(r, calendar, id, body, ret) : 0;
}

int ccal_update(struct set_run *r, const struct json **ret)
{
    const struct json *calendar, *event, *body, *conflicts, *changed;
    const char *zone;
    int rc = check_scope(r);
    if (rc > 0)
        rc = calendar_and_zone(r, &calendar, &zone);
    if (rc > 0)
        rc = get(r, calendar, json_get(r->args, "eventId"), &event);
    if (rc > 0)
        rc = change_body(r, event, zone, &body);
    if (rc > 0)
        rc = look_for_conflicts(r, calendar, event, body, &conflicts);
    if (rc > 0)
        rc = change_scope(r, calendar, event, body, zone, &changed);
    if (rc > 0)
        *ret = shown(r, changed, calendar, conflicts);
    return rc;
}

/* ---- responses ---- */

/* The event that is meant. 1, 0, -1. */
static int find_invitation(struct set_run *r, const struct json *calendar, const struct json **ret)
{
    const char *scope = json_get_str(r->args, "modificationScope");
    const struct json *id = json_get(r->args, "eventId"), *event;
    if (scope && strcmp(scope, "all") == 0) {
        id = value_text(r->arena, arena_memdup(r->arena, id->str, strcspn(id->str, "_")));
    } else if (scope) {
        int rc = get(r, calendar, id, &event);
        if (rc <= 0)
            return rc;
        if (!value_holds(json_get(event, "recurrence")) && !json_get(event, "recurringEventId"))
            return set_refuse(r, "modificationScope must be all for an event that does not recur");
        if (!(id = occurrence(r, id)))
            return 0;
    }
    return get(r, calendar, id, ret);
}

/* The guests with the person's response. NULL: refused. */
static const struct json *with_response(struct set_run *r, const struct json *event)
{
    const struct json *guests = json_get(event, "attendees");
    struct value_list l = {.arena = r->arena};
    bool found = false;
    for (uint32_t i = 0; guests && guests->type == JSON_ARRAY && i < guests->n; i++) {
        const struct json *guest = &guests->items[i];
        struct value_object o = {.arena = r->arena};
        for (uint32_t k = 0; k < guest->n; k++)
            object_put(&o, guest->members[k].key, &guest->members[k].value);
        if (value_holds(json_get(guest, "self")) && !found) {
            found = true;
            if (value_holds(json_get(guest, "organizer"))) {
                set_refuse(r, "the organizer cannot respond to their own event");
                return NULL;
            }
            object_put(&o, "responseStatus", json_get(r->args, "response"));
            object_put(&o, "comment", json_get(r->args, "comment"));
        }
        list_add(&l, object_value(&o));
    }
    if (!found)
        set_refuse(r, "only guests respond: the person is not among the attendees");
    return found ? list_value(&l) : NULL;
}

int ccal_respond(struct set_run *r, const struct json **ret)
{
    struct value_object o = {.arena = r->arena}, body = {.arena = r->arena},
                        result = {.arena = r->arena};
    const struct json *calendar, *event, *guests, *notify = json_get(r->args, "sendUpdates");
    const char *scope = json_get_str(r->args, "modificationScope");
    const char *comment = json_get_str(r->args, "comment");
    int rc = check_scope(r);
    if (rc > 0)
        rc = ccal_calendar(r, true, &calendar);
    if (rc > 0)
        rc = find_invitation(r, calendar, &event);
    if (rc <= 0)
        return rc;
    if (!(guests = with_response(r, event)))
        return 0;
    if (!notify)
        notify = value_text(r->arena, "none");
    object_put(&body, "attendees", guests);
    object_put(&o, "calendarId", calendar);
    object_put(&o, "eventId", json_get(event, "id"));
    object_put(&o, "sendUpdates", notify);
    object_put(&o, "body", object_value(&body));
    rc = set_call_method(r, "calendar.events.patch", object_value(&o), &event);
    if (rc <= 0)
        return rc;
    object_put(&result, "event", ccal_event(r, event, calendar));
    object_put(&result, "responseStatus", json_get(r->args, "response"));
    object_put(&result, "sendUpdates", notify);
    object_put(
        &result, "message",
        value_text(r->arena, arena_printf(r->arena, "The response is \"%s\"%s%s%s%s",
                                          json_get_str(r->args, "response"),
                                          !scope                      ? ""
                                          : strcmp(scope, "all") == 0 ? ", for all occurrences"
                                                                      : ", for this occurrence",
                                          comment ? ", with the comment \"" : "",
                                          comment ? comment : "", comment ? "\"" : "")));
    *ret = object_value(&result);
    return 1;
}
