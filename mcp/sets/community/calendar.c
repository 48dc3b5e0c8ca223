/* SPDX-License-Identifier: Apache-2.0 */
#include "mcp/sets/community/community.h"
#include "mcp/sets/community/calendar.h"
#include "mcp/sets/times.h"
#include <strings.h>

/* ---- accounts and calendars ---- */

int ccal_account(struct set_run *r)
{
    const struct json *v = json_get(r->args, "account");
    if (!v)
        return 1;
    for (uint32_t i = 0; i < (v->type == JSON_ARRAY ? v->n : 1); i++) {
        const struct json *name = v->type == JSON_ARRAY ? &v->items[i] : v;
        if (strcasecmp(name->str, CCAL_ACCOUNT) != 0)
            return set_refuse(r, "the only account is " CCAL_ACCOUNT ", there is none called %s",
                              call_quote(r->m->c, name));
    }
    return 1;
}

int ccal_list(struct set_run *r, const struct json **ret)
{
    struct value_object none = {.arena = r->arena};
    int rc = set_call_method(r, "calendar.calendarList.list", object_value(&none), ret);
    if (rc > 0)
        *ret = json_get(*ret, "items");
    return rc;
}

/* The calendar whose member is that text. */
static const struct json *called(const struct json *list, const char *member, const char *name,
                                 bool any_case)
{
    for (uint32_t i = 0; list && list->type == JSON_ARRAY && i < list->n; i++) {
        const char *text = json_get_str(&list->items[i], member);
        if (text && (any_case ? strcasecmp : strcmp)(text, name) == 0)
            return &list->items[i];
    }
    return NULL;
}

/* By its own name for the person first, then by its title; exactly first. */
static const struct json *calendar_named(const struct json *list, const char *name)
{
    static const char *const members[] = {"summaryOverride", "summary"};
    if (strchr(name, '@'))
        return called(list, "id", name, false);
    for (size_t i = 0; i < 4; i++) {
        const struct json *found = called(list, members[i / 2], name, i % 2);
        if (found)
            return found;
    }
    return NULL;
}

static const char *names_of(struct set_run *r, const struct json *list)
{
    struct buf b;
    buf_init(&b, 1 << 20);
    for (uint32_t i = 0; list && list->type == JSON_ARRAY && i < list->n; i++)
        buf_printf(&b, "%s\"%s\" (%s)", i ? ", " : "",
                   value_words(r->arena, json_get(&list->items[i], "summary")),
                   value_words(r->arena, json_get(&list->items[i], "id")));
    const char *text = arena_strdup(r->arena, b.len ? buf_str(&b) : "none");
    buf_done(&b);
    return text;
}

int ccal_resolve(struct set_run *r, const struct json *name, bool writes, const struct json **ret)
{
    const struct json *list;
    *ret = name;
    if (strcmp(name->str, "primary") == 0)
        return 1;
    int rc = ccal_list(r, &list);
    if (rc <= 0)
        return rc;
    const struct json *found = calendar_named(list, name->str);
    const char *role = json_get_str(found, "accessRole");
    if (!found || (writes && (!role || (strcmp(role, "owner") && strcmp(role, "writer")))))
        return set_refuse(r, "there is no calendar %s that can be %s; there are: %s",
                          call_quote(r->m->c, name), writes ? "written" : "read",
                          names_of(r, list));
    *ret = json_get(found, "id");
    return 1;
}

int ccal_calendar(struct set_run *r, bool writes, const struct json **ret)
{
    int rc = ccal_account(r);
    return rc > 0 ? ccal_resolve(r, json_get(r->args, "calendarId"), writes, ret) : rc;
}

int ccal_zone(struct set_run *r, const struct json *calendar, const char **ret)
{
    const char *given = json_get_str(r->args, "timeZone");
    struct value_object o = {.arena = r->arena};
    const struct json *entry;
    *ret = given && *given ? given : "UTC";
    if (given && *given)
        return 1;
    object_put(&o, "calendarId", calendar);
    int rc = set_call_method(r, "calendar.calendarList.get", object_value(&o), &entry);
    const char *zone = rc > 0 ? json_get_str(entry, "timeZone") : NULL;
    r->why = NULL;
    if (zone)
        *ret = zone;
    return rc < 0 ? -1 : 1;
}

/* ---- times ---- */

bool ccal_is_time(const char *text, bool *ret_offset)
{
    static const char form[] = "0000-00-00T00:00:00";
    size_t n = strlen(text);
    *ret_offset = n == sizeof form || n == sizeof form + 5;
    if (n < sizeof form - 1 || (n > sizeof form - 1 && !*ret_offset))
        return false;
    for (size_t i = 0; i < sizeof form - 1; i++)
        if (form[i] == '0' ? text[i] < '0' || text[i] > '9' : text[i] != form[i])
            return false;
    return n == sizeof form - 1 || (n == sizeof form ? text[n - 1] == 'Z' : text[n - 3] == ':');
}

static const struct tz *zone_or_utc(const char *name)
{
    const struct tz *z = tz_find(name);
    return z ? z : tz_find("UTC");
}

const struct json *ccal_bound(struct set_run *r, const char *text, const char *zone)
{
    bool offset;
    int64_t us;
    if (!text)
        return NULL;
    if (ccal_is_time(text, &offset) && !offset &&
        time_read(r->arena, text, zone_or_utc(zone), &us) == 0)
        text = time_utc(r->arena, us, false);
    return value_text(r->arena, text);
}

static const struct json *moment_of(struct set_run *r, const struct json *v, const char *zone)
{
    struct value_object o = {.arena = r->arena};
    const char *day = json_get_str(v, "date"), *time = json_get_str(v, "dateTime");
    const char *own = json_get_str(v, "timeZone");
    bool offset;
    if (!day == !time || (time && !ccal_is_time(time, &offset)))
        return NULL;
    object_put(&o, "date", day ? value_text(r->arena, day) : NULL);
    object_put(&o, "dateTime", time ? value_text(r->arena, time) : NULL);
    if (time && !offset)
        object_put(&o, "timeZone", value_text(r->arena, own && *own ? own : zone));
    return object_value(&o);
}

const struct json *ccal_moment(struct set_run *r, const char *name, const struct json *v,
                               const char *zone)
{
    struct value_object o = {.arena = r->arena};
    const struct json *read = NULL;
    const char *text = v->str + strspn(v->str, " \t\r\n");
    size_t n = strcspn(text, " \t\r\n");
    int64_t days;
    if (*text == '{') {
        if (json_parse(r->arena, text, strlen(text), NULL, &read, NULL) < 0)
            read = NULL;
    } else {
        text = arena_memdup(r->arena, text, n);
        object_put(&o, date_parse(text, n, &days) == 0 ? "date" : "dateTime",
                   value_text(r->arena, text));
        read = object_value(&o);
    }
    if (!read || !(read = moment_of(r, read, zone)))
        set_refuse(r, "%s must be as 2026-03-12T09:30:00, with an offset, or a day, not %s", name,
                   call_quote(r->m->c, v));
    return r->why ? NULL : read;
}

/* ---- events ---- */

/* The day of the week of a begin or an end, on the event's own clock. */
const struct json *ccal_day(struct set_run *r, const struct json *v, const char *arg,
                            const struct json *item)
{
    const char *day = json_get_str(v, "date"), *time = json_get_str(v, "dateTime");
    const char *zone = json_get_str(v, "timeZone");
    const struct tz *z = zone ? tz_find(zone) : NULL;
    int64_t us, days;
    if (time && z && time_read(r->arena, time, z, &us) == 0)
        time = time_text(r->arena, us, z);
    const char *text = time ? time : day;
    if (!text || strlen(text) < 10 || date_parse(text, 10, &days) < 0)
        return NULL;
    return value_text(r->arena, time_weekday(days));
}

const struct json *ccal_event(struct set_run *r, const struct json *event,
                              const struct json *calendar)
{
    struct value_object o = {.arena = r->arena};
    const struct json *shown = template_eval(r, r->row->result, event);
    for (uint32_t i = 0; i < shown->n; i++)
        object_put(&o, shown->members[i].key, &shown->members[i].value);
    object_put(&o, "calendarId", calendar);
    object_put(&o, "accountId", value_text(r->arena, CCAL_ACCOUNT));
    return object_value(&o);
}

const struct set_filter community_calendar_filters[] = {{"day", ccal_day}, {NULL, NULL}};
