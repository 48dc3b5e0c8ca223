/* SPDX-License-Identifier: Apache-2.0 */
/* The hosted tools of a calendar. Source of names, arguments and shapes: the published server of a
 * hosted sandbox. What searches contacts is left out: there is no address book here. */
#include "mcp/sets/hosted/hosted.h"
#include "mcp/sets/times.h"
#include <strings.h>

#define MINUTE_US ((int64_t)60 * 1000000)

/* ---- times ---- */

static const struct tz *zone_of(struct set_run *r, const char *name)
{
    const struct json *v = name ? template_ref(r, name, NULL) : NULL;
    const struct tz *z = v && v->type == JSON_STRING ? tz_find(v->str) : NULL;
    return z ? z : tz_find("UTC");
}

static int read_or_refuse(struct set_run *r, const struct json *v, const struct tz *z,
                          int64_t *ret_us)
{
    if (v->type == JSON_STRING && time_read(r->arena, v->str, z, ret_us) == 0)
        return 0;
    set_refuse(r, "a time must be as 2026-03-12T09:30:00 or with an offset, not %s",
               call_quote(r->m->c, v));
    return -1;
}

/* A time of an event, in the zone that the argument refers to; whole days as they are. */
static const struct json *moment(struct set_run *r, const struct json *v, const char *arg,
                                 const struct json *item)
{
    const struct tz *z = zone_of(r, arg);
    struct value_object o = {.arena = r->arena};
    int64_t us, days;
    if (!value_holds(v))
        return NULL;
    if (v->type == JSON_STRING && date_parse(v->str, v->n, &days) == 0) {
        object_put(&o, "date", v);
        return object_value(&o);
    }
    if (read_or_refuse(r, v, z, &us) < 0)
        return NULL;
    object_put(&o, "dateTime", value_text(r->arena, time_text(r->arena, us, z)));
    object_put(&o, "timeZone", value_text(r->arena, tz_name(z)));
    return object_value(&o);
}

/* The earlier, or later, of the two bounds of a list, in the zone of the calendar. */
static const struct json *bound(struct set_run *r, const char *zone, bool earlier)
{
    const struct tz *z = zone_of(r, zone);
    int64_t a, b;
    if (read_or_refuse(r, json_get(r->args, "min_end_datetime"), z, &a) < 0 ||
        read_or_refuse(r, json_get(r->args, "max_start_datetime"), z, &b) < 0)
        return NULL;
    return value_text(r->arena, time_text(r->arena, (a < b) == earlier ? a : b, z));
}

static const struct json *first_bound(struct set_run *r, const struct json *v, const char *arg,
                                      const struct json *item)
{
    return bound(r, arg, true);
}

static const struct json *last_bound(struct set_run *r, const struct json *v, const char *arg,
                                     const struct json *item)
{
    return bound(r, arg, false);
}

/* The day of the week on which an event begins, on its own clock. */
static const struct json *weekday(struct set_run *r, const struct json *v, const char *arg,
                                  const struct json *item)
{
    int64_t days;
    if (!v || v->type != JSON_STRING || v->n < 10 || date_parse(v->str, 10, &days) < 0)
        return NULL;
    return value_text(r->arena, time_weekday(days));
}

int hosted_current_time(struct set_run *r, const struct json **ret)
{
    struct value_object o = {.arena = r->arena};
    int rc = set_call(r, 0, template_eval(r, r->row->arguments[0], NULL), &r->responses[0]);
    if (rc <= 0)
        return rc;
    const struct tz *z = zone_of(r, "0.value");
    char *text = arena_strdup(r->arena, time_text(r->arena, r->m->c->tx.now_us, z));
    int64_t days = 0;
    text[19] = 0; /* no offset */
    date_parse(text, 10, &days);
    object_put(&o, "datetime", value_text(r->arena, text));
    object_put(&o, "timezone", value_text(r->arena, tz_name(z)));
    object_put(&o, "date", value_text(r->arena, arena_memdup(r->arena, text, 10)));
    object_put(&o, "time", value_text(r->arena, text + 11));
    object_put(&o, "dayOfWeek", value_text(r->arena, time_weekday(days)));
    *ret = object_value(&o);
    return 1;
}

/* ---- guests ---- */

static bool has_address(const struct json *list, const char *member, const char *address)
{
    for (uint32_t i = 0; list && list->type == JSON_ARRAY && i < list->n; i++) {
        const struct json *v = &list->items[i];
        const char *text = member                   ? json_get_str(v, member)
                           : v->type == JSON_STRING ? v->str
                                                    : NULL;
        if (text && strcasecmp(text, address) == 0)
            return true;
    }
    return false;
}

/* Guests without those of an argument. */
static const struct json *without(struct set_run *r, const struct json *v, const char *arg,
                                  const struct json *item)
{
    const struct json *gone = template_ref(r, arg, item);
    struct value_list l = {.arena = r->arena};
    if (!v || v->type != JSON_ARRAY || !value_holds(gone))
        return v;
    for (uint32_t i = 0; i < v->n; i++) {
        const char *email = json_get_str(&v->items[i], "email");
        if (!email || !has_address(gone, NULL, email))
            list_add(&l, &v->items[i]);
    }
    return list_value(&l);
}

/* Addresses of an argument that are not among the guests yet. */
static const struct json *fresh(struct set_run *r, const struct json *v, const char *arg,
                                const struct json *item)
{
    const struct json *more = template_ref(r, arg, item);
    struct value_list l = {.arena = r->arena};
    for (uint32_t i = 0; more && more->type == JSON_ARRAY && i < more->n; i++)
        if (more->items[i].type == JSON_STRING && !has_address(v, "email", more->items[i].str))
            list_add(&l, &more->items[i]);
    return list_value(&l);
}

/* Guests and those of an argument. */
static const struct json *with(struct set_run *r, const struct json *v, const char *arg,
                               const struct json *item)
{
    const struct json *more = fresh(r, v, arg, item);
    struct value_list l = {.arena = r->arena};
    for (uint32_t i = 0; v && v->type == JSON_ARRAY && i < v->n; i++)
        list_add(&l, &v->items[i]);
    for (uint32_t i = 0; i < more->n; i++) {
        struct value_object o = {.arena = r->arena};
        object_put(&o, "email", &more->items[i]);
        list_add(&l, object_value(&o));
    }
    return v || l.n ? list_value(&l) : NULL;
}

/* Who is notified, in words. */
static const struct json *notified(struct set_run *r, const struct json *v, const char *arg,
                                   const struct json *item)
{
    const char *who = v && v->type == JSON_STRING ? v->str : "";
    return value_text(r->arena, strcmp(who, "all") == 0    ? "All guests were notified."
                                : strcmp(who, "none") == 0 ? "Nobody was notified."
                                                           : "Guests outside were notified.");
}

/* ---- free time ---- */

struct span {
    int64_t from, to;
};

static void add_span(struct value_list *l, const struct tz *z, struct span s)
{
    struct value_object o = {.arena = l->arena};
    object_put(&o, "start", value_text(l->arena, time_text(l->arena, s.from, z)));
    object_put(&o, "end", value_text(l->arena, time_text(l->arena, s.to, z)));
    list_add(l, object_value(&o));
}

/* The busy times of one calendar, which are in order and apart, and the gaps between them. */
static const struct json *slots_of(struct set_run *r, const struct json *calendar,
                                   const struct tz *z, struct span range, int64_t least)
{
    struct value_object o = {.arena = r->arena};
    struct value_list busy = {.arena = r->arena}, gaps = {.arena = r->arena};
    const struct json *errors = json_get(calendar, "errors"), *list = json_get(calendar, "busy");
    int64_t at = range.from;
    if (errors && errors->type == JSON_ARRAY && errors->n) {
        object_put(&o, "error", json_get(&errors->items[0], "reason"));
        object_put(&o, "busy", &value_none);
        object_put(&o, "free", &value_none);
        return object_value(&o);
    }
    for (uint32_t i = 0; list && list->type == JSON_ARRAY && i < list->n; i++) {
        const char *start = json_get_str(&list->items[i], "start");
        const char *end = json_get_str(&list->items[i], "end");
        struct span s;
        if (!start || !end || time_read(r->arena, start, z, &s.from) < 0 ||
            time_read(r->arena, end, z, &s.to) < 0)
            continue;
        add_span(&busy, z, s);
        if (s.from - at >= least)
            add_span(&gaps, z, (struct span){at, s.from});
        if (s.to > at)
            at = s.to;
    }
    if (range.to - at >= least)
        add_span(&gaps, z, (struct span){at, range.to});
    object_put(&o, "busy", list_value(&busy));
    object_put(&o, "free", list_value(&gaps));
    return object_value(&o);
}

/* The range that is asked for: today in the zone, where nothing is said. */
static int read_range(struct set_run *r, const struct tz *z, struct span *ret)
{
    const struct json *from = json_get(r->args, "time_min"), *to = json_get(r->args, "time_max");
    int64_t now = time_seconds(r->m->c->tx.now_us), local = now + tz_offset(z, now);
    int64_t day = local - ((local % 86400) + 86400) % 86400;
    *ret = (struct span){tz_to_utc(z, day) * 1000000, tz_to_utc(z, day + 86399) * 1000000};
    if ((value_holds(from) && read_or_refuse(r, from, z, &ret->from) < 0) ||
        (value_holds(to) && read_or_refuse(r, to, z, &ret->to) < 0))
        return 0;
    if (ret->from >= ret->to)
        return set_refuse(r, "time_min must be before time_max, not %s",
                          time_text(r->arena, ret->from, z));
    return 1;
}

static const struct json *slots_body(struct set_run *r, const struct json *items,
                                     const struct tz *z, struct span range)
{
    struct value_object o = {.arena = r->arena}, arguments = {.arena = r->arena};
    struct value_list l = {.arena = r->arena};
    for (uint32_t i = 0; i < items->n; i++) {
        struct value_object item = {.arena = r->arena};
        object_put(&item, "id", &items->items[i]);
        list_add(&l, object_value(&item));
    }
    object_put(&o, "timeMin", value_text(r->arena, time_text(r->arena, range.from, z)));
    object_put(&o, "timeMax", value_text(r->arena, time_text(r->arena, range.to, z)));
    object_put(&o, "timeZone", value_text(r->arena, tz_name(z)));
    object_put(&o, "items", list_value(&l));
    object_put(&arguments, "body", object_value(&o));
    return object_value(&arguments);
}

int hosted_free_slots(struct set_run *r, const struct json **ret)
{
    const struct tz *z = zone_of(r, "timezone");
    const struct json *items = json_get(r->args, "items"), *response;
    struct value_object all = {.arena = r->arena}, result = {.arena = r->arena};
    struct value_list primary = {.arena = r->arena};
    struct span range;
    int64_t least = 30;
    json_i64(json_get(r->args, "min_slot_duration_minutes"), &least);
    list_add(&primary, value_text(r->arena, "primary"));
    if (!value_holds(items))
        items = list_value(&primary);
    int rc = read_range(r, z, &range);
    if (rc > 0)
        rc = set_call(r, 0, slots_body(r, items, z, range), &response);
    if (rc <= 0)
        return rc;
    least = least < INT64_MAX / MINUTE_US ? least * MINUTE_US : INT64_MAX;
    for (uint32_t i = 0; i < items->n; i++) {
        const struct json *calendar =
            json_get(json_get(response, "calendars"), items->items[i].str);
        object_put(&all, items->items[i].str, slots_of(r, calendar, z, range, least));
    }
    object_put(&result, "calendars", object_value(&all));
    *ret = object_value(&result);
    return 1;
}

const struct set_filter hosted_calendar_filters[] = {
    {"moment", moment},   {"first", first_bound}, {"last", last_bound},
    {"weekday", weekday}, {"without", without},   {"with", with},
    {"fresh", fresh},     {"notified", notified}, {NULL, NULL},
};
