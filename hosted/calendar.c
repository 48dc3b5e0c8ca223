/* SPDX-License-Identifier: Apache-2.0 */
/* Google Calendar: the events of the account's primary calendar. */
#include "engine/text/tz.h"
#include "hosted/impl.h"
#include <stdlib.h>
#include <sys/random.h>

static const char *const visibilities[] = {"default", "public", "private", "confidential", NULL};

/* ---- payload to seed ---- */

/* A start or an end: a time if there is one, else a date. zone: of the event; NULL: none. */
static const char *read_time(struct hosted_call *c, const struct place *at, const struct json *e,
                             const char *time, const char *date, const char *zone)
{
    const char *text = filled(e, time), *day = filled(e, date);
    struct stamp stamp;
    int64_t days;
    if (text && stamp_parse(text, strlen(text), true, &stamp) < 0)
        fault_value(c, &(struct place){.outer = at, .name = time}, json_get(e, time),
                    "%s must be an RFC 3339 time, not \"%.40s\"", time, text);
    else if (text && !stamp.has_offset && !zone)
        fault_value(c, &(struct place){.outer = at, .name = time}, json_get(e, time),
                    "%s must have an offset where there is no timezone, not \"%.40s\"", time, text);
    else if (!text && day && date_parse(day, strlen(day), &days) < 0)
        fault_value(c, &(struct place){.outer = at, .name = date}, json_get(e, date),
                    "%s must be a date such as 2025-12-01, not \"%.40s\"", date, day);
    return text ? text : day;
}

static void write_attendees(struct json_writer *w, const struct json *list)
{
    if (!list || list->type != JSON_ARRAY || !list->n)
        return;
    json_arr(w, "attendees");
    for (uint32_t i = 0; i < list->n; i++) {
        const struct json *a = &list->items[i];
        json_obj(w, NULL);
        json_str(w, "email", json_get_str(a, "email"));
        json_str_opt(w, "name", filled(a, "name"));
        json_str_opt(w, "response", json_get_str(a, "accepted"));
        json_bool_opt(w, "optional", lax_true(json_get(a, "isOptional")));
        json_str_opt(w, "comment", filled(a, "comment"));
        json_end(w);
    }
    json_end(w);
}

/* The service lists events by their times; those of a payload are known again by ids that come one
 * behind the other. */
struct ids {
    int64_t at_us;
    uint32_t random;
};

static int ids_begin(struct hosted_call *c, struct ids *ret)
{
    ret->at_us = real_us();
    if (getrandom(&ret->random, sizeof ret->random, 0) == sizeof ret->random)
        return 0;
    return sosia_fail(&c->err, SOSIA_E_IO, NULL, NULL, "there are no random numbers");
}

static void seed_event(struct hosted_call *c, const struct place *at, const struct json *e,
                       const struct ids *ids, struct json_writer *w)
{
    const char *zone = filled(e, "timezone"), *visibility = filled(e, "visibility");
    const struct json *lines = json_get(e, "recurrence");
    if (zone && !tz_find(zone))
        fault_value(c, &(struct place){.outer = at, .name = "timezone"}, json_get(e, "timezone"),
                    "timezone must be an IANA zone, not \"%.40s\"", zone);
    if (visibility && str_place(visibilities, visibility) < 0)
        fault_value(c, &(struct place){.outer = at, .name = "visibility"},
                    json_get(e, "visibility"),
                    "visibility must be default, public, private or confidential, not \"%.40s\"",
                    visibility);
    const char *start = read_time(c, at, e, "startTime", "startDate", zone),
               *end = read_time(c, at, e, "endTime", "endDate", zone);
    if (!start)
        fault_value(c, at, e, "startTime or startDate must be given, both are missing");
    else if (end && !strchr(start, 'T') != !strchr(end, 'T'))
        fault_value(c, at, e, "start and end must both be times or both be dates");
    json_obj(w, NULL);
    json_str(w, "id",
             arena_printf(&c->arena, "%014llx%06x%08x", (unsigned long long)ids->at_us, at->item,
                          ids->random));
    json_str(w, "summary", json_get_str(e, "title"));
    json_str(w, "start", start);
    json_str_opt(w, "end", end);
    if (start && strchr(start, 'T'))
        json_str_opt(w, "zone", zone);
    json_str_opt(w, "description", filled(e, "description"));
    json_str_opt(w, "location", filled(e, "location"));
    json_str_opt(w, "visibility", visibility);
    if (lines && lines->type == JSON_ARRAY && lines->n)
        json_value(w, "recurrence", lines);
    write_attendees(w, json_get(e, "attendees"));
    json_end(w);
}

int payload_to_calendar(struct hosted_call *c, const struct json *data, struct json_writer *w)
{
    const struct json *events;
    const struct place body = {.name = "body"}, list = {.outer = &body, .name = "events"};
    uint32_t n = items_of(data, "events", &events);
    struct ids ids;
    if (ids_begin(c, &ids) < 0)
        return -1;
    json_arr(w, "calendars");
    json_obj(w, NULL);
    json_str(w, "id", c->sandbox->person);
    json_bool(w, "primary", true);
    json_arr(w, "events");
    for (uint32_t i = 0; i < n; i++)
        seed_event(c, &(struct place){.outer = &list, .item = i}, &events[i], &ids, w);
    json_end(w);
    json_end(w);
    json_end(w);
    count_made(c, "events", n);
    return 0;
}

/* ---- state to payload ---- */

/* A time on the wall clock of the event's own zone, which the list shows in the calendar's. */
static void dump_time(struct hosted_call *c, struct json_writer *w, const char *name,
                      const struct json *when)
{
    const char *text = json_get_str(when, "dateTime"), *zone = json_get_str(when, "timeZone");
    const struct tz *z = zone ? tz_find(zone) : NULL;
    struct stamp stamp;
    char out[STAMP_TEXT];
    if (!text || !z || stamp_parse(text, strlen(text), false, &stamp) < 0) {
        json_str(w, name, text);
        return;
    }
    int64_t us = stamp.local_us - stamp.offset * US_PER_SECOND;
    stamp_format(out, us, tz_offset(z, us / US_PER_SECOND), 0, false);
    json_str(w, name, out);
}

static void dump_attendees(struct json_writer *w, const struct json *list)
{
    if (!list || !list->n) {
        json_null(w, "attendees");
        return;
    }
    json_arr(w, "attendees");
    for (uint32_t i = 0; i < list->n; i++) {
        const struct json *a = &list->items[i];
        json_obj(w, NULL);
        json_str(w, "email", json_get_str(a, "email"));
        json_str(w, "name", json_get_str(a, "displayName"));
        if (json_get_true(a, "optional"))
            json_bool(w, "isOptional", true);
        else
            json_null(w, "isOptional");
        json_str(w, "comment", json_get_str(a, "comment"));
        json_str(w, "accepted", json_get_str(a, "responseStatus"));
        json_end(w);
    }
    json_end(w);
}

static void dump_event(struct hosted_call *c, const struct json *e, struct json_writer *w)
{
    const struct json *start = json_get(e, "start"), *end = json_get(e, "end"),
                      *lines = json_get(e, "recurrence");
    const char *title = json_get_str(e, "summary");
    json_obj(w, NULL);
    json_str(w, "title", title ? title : "(No title)");
    dump_time(c, w, "startTime", start);
    dump_time(c, w, "endTime", end);
    json_str(w, "startDate", json_get_str(start, "date"));
    json_str(w, "endDate", json_get_str(end, "date"));
    json_str(w, "timezone", json_get_str(start, "timeZone"));
    json_str(w, "description", json_get_str(e, "description"));
    json_str(w, "location", json_get_str(e, "location"));
    json_str(w, "visibility", json_get_str(e, "visibility"));
    if (lines)
        json_value(w, "recurrence", lines);
    else
        json_null(w, "recurrence");
    dump_attendees(w, json_get(e, "attendees"));
    json_end(w);
}

/* By when they were made, and of those of one payload in its order. */
static int older(const void *a, const void *b)
{
    const struct json *x = *(const struct json *const *)a, *y = *(const struct json *const *)b;
    const char *made[] = {json_get_str(x, "created"), json_get_str(y, "created")};
    int order = made[0] && made[1] ? strcmp(made[0], made[1]) : 0;
    return order ? order : strcmp(json_get_str(x, "id"), json_get_str(y, "id"));
}

int payload_of_calendar(struct hosted_call *c, struct json_writer *w)
{
    static const char target[] = "/calendar/v3/calendars/primary/events?maxResults=2500";
    const struct json **list = NULL, *v, *items;
    size_t n = 0, cap = 0;
    const char *page = NULL;
    do {
        if (world_get(c,
                      page ? arena_printf(&c->arena, "%s&pageToken=%s", target, escaped(c, page))
                           : target,
                      &v) < 0)
            return -1;
        uint32_t k = items_of(v, "items", &items);
        for (uint32_t i = 0; i < k; i++) {
            if (str_same(json_get_str(&items[i], "status"), "cancelled"))
                continue;
            if (!(list = arena_grow(&c->arena, list, n, &cap, sizeof(*list))))
                return sosia_fail_memory(&c->err);
            list[n++] = &items[i];
        }
        page = json_get_str(v, "nextPageToken");
    } while (page);
    if (n)
        qsort(list, n, sizeof(*list), older);
    json_arr(w, "events");
    for (size_t i = 0; i < n; i++)
        dump_event(c, list[i], w);
    json_end(w);
    return 0;
}
