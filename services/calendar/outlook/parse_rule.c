/* SPDX-License-Identifier: Apache-2.0 */
/* Times and recurrences of bodies. */
#include "engine/base/codec.h"
#include "engine/text/civil.h"
#include "services/calendar/outlook/ocal.h"
#include "vendors/microsoft/zone.h"

/* MG-376: what is not of its type. */
static int unreadable(struct call *c, const char *member, const char *expected)
{
    call_why(c, "%s must be %s", member, expected);
    return call_fail(c, SOSIA_E_INVALID, "UnableToDeserializePostBody", NULL,
                     "were unable to deserialize ");
}

static int no_zone(struct call *c, const char *name)
{
    return call_fail(c, SOSIA_E_INVALID, "TimeZoneNotSupportedException", NULL,
                     "A valid TimeZone value must be specified. The following TimeZone value is "
                     "not supported: '%.100s'.",
                     name);
}

/* "2026-05-04T10:00", which has no seconds, is taken too. */
static int read_stamp(struct arena *a, const char *text, struct stamp *ret)
{
    size_t n = strlen(text);
    int64_t days;
    if (n == 16 && text[10] == 'T') {
        text = arena_printf(a, "%s:00", text);
        n += 3;
    }
    if (n <= 10 && date_parse(text, n, &days) == 0) {
        *ret = (struct stamp){.local_us = days * US_PER_DAY};
        return 0;
    }
    return stamp_parse(text, n, true, ret);
}

int ocal_read_time(struct call *c, const struct json *v, const char *member, bool all_day,
                   int64_t *ret_us, const char **ret_zone, const char **ret_name)
{
    const char *text = json_get_str(v, "dateTime"), *name = json_get_str(v, "timeZone");
    struct stamp s;
    if (!v || v->type != JSON_OBJECT || !text)
        return ocal_invalid(c, member, "a dateTime and a timeZone");
    if (read_stamp(c->tx.arena, text, &s) < 0)
        return unreadable(c, member, "a time such as 2026-05-04T10:00:00");
    *ret_name = name && *name ? name : "UTC";
    *ret_zone = graph_zone_iana(*ret_name);
    if (!*ret_zone)
        return no_zone(c, *ret_name);
    if (all_day) {
        *ret_us = s.local_us;
        return s.local_us % US_PER_DAY ? ocal_invalid(c, member, "a midnight of an all-day event")
                                       : 0;
    }
    int64_t local = s.local_us / US_PER_SECOND - (s.local_us % US_PER_SECOND < 0);
    int64_t rest = s.local_us - local * US_PER_SECOND;
    int64_t utc = s.has_offset ? local - s.offset : tz_to_utc(tz_find(*ret_zone), local);
    *ret_us = utc * US_PER_SECOND + rest / US_PER_SECOND * US_PER_SECOND;
    return 0;
}

/* ---- recurrence ---- */

/* A word of an enumeration, in any case; absent: otherwise. */
static int read_enum(struct call *c, const struct json *of, const char *member,
                     const char *const *words, int otherwise, int *ret)
{
    const struct json *v = json_get(of, member);
    *ret = otherwise;
    if (!v || v->type == JSON_NULL)
        return otherwise < 0 ? ocal_invalid(c, member, "one of the service's words") : 0;
    for (int i = 0; v->type == JSON_STRING && words[i]; i++)
        if (str_eq_nocase(words[i], v->str)) {
            *ret = i;
            return 0;
        }
    return unreadable(c, member, "one of the service's words");
}

static int read_number(struct call *c, const struct json *of, const char *member, int64_t otherwise,
                       int64_t *ret)
{
    const struct json *v = json_get(of, member);
    *ret = otherwise;
    if (!v || v->type == JSON_NULL)
        return 0;
    return json_i64(v, ret) < 0 ? unreadable(c, member, "a whole number") : 0;
}

/* MG-410. */
static int read_day(struct call *c, const struct json *of, const char *member, int64_t otherwise,
                    int64_t *ret)
{
    const char *text = json_get_str(of, member);
    *ret = otherwise;
    if (!text)
        return 0;
    return date_parse(text, strlen(text), ret) < 0 ? unreadable(c, member, "a date as 2026-05-04")
                                                   : 0;
}

static int read_weekdays(struct call *c, const struct json *pattern, unsigned *ret)
{
    const struct json *list = json_get(pattern, "daysOfWeek");
    *ret = 0;
    for (uint32_t i = 0; list && list->type == JSON_ARRAY && i < list->n; i++) {
        int day = 0;
        while (ocal_days[day] && !(list->items[i].type == JSON_STRING &&
                                   str_eq_nocase(ocal_days[day], list->items[i].str)))
            day++;
        if (!ocal_days[day])
            return unreadable(c, "daysOfWeek", "a list of weekdays");
        *ret |= 1u << day;
    }
    return 0;
}

static int read_rule_pattern(struct call *c, const struct json *v, struct ocal_rule *r)
{
    int64_t interval, month, day;
    int type, first, index;
    if (!v || v->type != JSON_OBJECT)
        return ocal_invalid(c, "pattern", "there");
    if (read_enum(c, v, "type", ocal_patterns, -1, &type) < 0 ||
        read_enum(c, v, "firstDayOfWeek", ocal_days, 0, &first) < 0 ||
        read_enum(c, v, "index", ocal_indexes, 0, &index) < 0 ||
        read_number(c, v, "interval", 1, &interval) < 0 ||
        read_number(c, v, "month", 0, &month) < 0 || read_number(c, v, "dayOfMonth", 0, &day) < 0 ||
        read_weekdays(c, v, &r->days) < 0)
        return -1;
    if (interval < 1 || interval > INT16_MAX || month < 0 || month > 12 || day < 0 || day > 31)
        return ocal_invalid(c, "pattern", "within a calendar");
    r->type = (enum ocal_pattern)type;
    r->first_day = type == PATTERN_WEEKLY ? first : 0;
    r->index = type == PATTERN_RELATIVE_MONTHLY || type == PATTERN_RELATIVE_YEARLY
                   ? (enum ocal_index)index
                   : INDEX_FIRST;
    r->interval = (int)interval;
    r->month = (int)month;
    r->day_of_month = (int)day;
    return 0;
}

static int read_rule_range(struct call *c, const struct json *v, int64_t start, struct ocal_rule *r)
{
    int type;
    if (!v || v->type != JSON_OBJECT)
        return ocal_invalid(c, "range", "there");
    if (read_enum(c, v, "type", ocal_ranges, -1, &type) < 0 ||
        read_day(c, v, "startDate", start, &r->start_days) < 0 ||
        read_day(c, v, "endDate", INT64_MIN, &r->end_days) < 0 ||
        read_number(c, v, "numberOfOccurrences", 0, &r->count) < 0)
        return -1;
    r->range = (enum ocal_range)type;
    if (r->start_days != start) /* MG-409 */
        return ocal_invalid(c, "startDate", "the day of the event's start");
    if (r->range != RANGE_NUMBERED)
        r->count = 0;
    if (r->range != RANGE_END_DATE)
        r->end_days = 0;
    return 0;
}

/* A series is laid out in the zone of its recurrence; without one in that of its start. */
static int read_rule_zone(struct call *c, const struct json *range, struct cal_event *ev)
{
    const char *name = json_get_str(range, "recurrenceTimeZone");
    const char *iana = name && *name ? graph_zone_iana(name) : NULL;
    if (name && *name && !iana)
        return no_zone(c, name);
    if (iana && !ev->all_day)
        ev->zone = iana;
    return 0;
}

/* The day on which an event starts in its zone; *ret_local: seconds as if in UTC. */
static int64_t start_day(const struct cal_event *ev, const struct tz *tz, int64_t *ret_local)
{
    int64_t s = ev->start_us / US_PER_SECOND - (ev->start_us % US_PER_SECOND < 0);
    *ret_local = ev->all_day ? s : s + tz_offset(tz, s);
    return *ret_local / SECONDS_PER_DAY - (*ret_local % SECONDS_PER_DAY < 0);
}

/* Puts the start on the first day of the pattern, which may be later than it. 0, -1 refused. */
static int start_with_pattern(struct call *c, struct ocal_rule *rule, const struct tz *tz,
                              struct cal_event *ev)
{
    int64_t local, day = start_day(ev, tz, &local), first = ocal_rule_first(rule);
    if (first < 0 || (rule->range == RANGE_END_DATE && first > rule->end_days))
        return ocal_invalid(c, "recurrence", "a pattern with an occurrence in its range");
    if (first != day) {
        int64_t at_s = local + (first - day) * SECONDS_PER_DAY;
        ev->start_us = (ev->all_day ? at_s : tz_to_utc(tz, at_s)) * US_PER_SECOND;
        rule->start_days = first;
    }
    return 0;
}

int ocal_keep_rule(struct ocal_at *at, const struct cal_event *old, struct cal_event *ev)
{
    const struct tz *tz = ev->zone ? tz_find(ev->zone) : at->cal.tz;
    struct ocal_rule rule;
    int64_t local;
    if (ev->form != EVENT_SERIES || old->all_day != ev->all_day ||
        ocal_rule_of(at->c->tx.arena, &at->cal, old, &rule) != 1)
        return 0;
    rule.start_days = start_day(ev, tz, &local);
    return start_with_pattern(at->c, &rule, tz, ev);
}

int ocal_read_rule(struct ocal_at *at, const struct json *v, struct cal_event *ev)
{
    struct call *c = at->c;
    const struct json *range = json_get(v, "range");
    struct ocal_rule rule = {0};
    if (v->type != JSON_OBJECT)
        return unreadable(c, "recurrence", "a pattern and a range");
    if (read_rule_zone(c, range, ev) < 0)
        return -1;
    const struct tz *tz = ev->zone ? tz_find(ev->zone) : at->cal.tz;
    int64_t local, day = start_day(ev, tz, &local);
    if (read_rule_pattern(c, json_get(v, "pattern"), &rule) < 0 ||
        read_rule_range(c, range, day, &rule) < 0)
        return -1;
    if (!ocal_rule_good(&rule))
        return ocal_invalid(c, "recurrence", "a pattern with the members that its type has");
    if (start_with_pattern(c, &rule, tz, ev) < 0)
        return -1;
    ev->recurrence = ocal_rule_line(c->tx.arena, &rule, tz, ev->all_day);
    return ev->recurrence ? 0 : sosia_fail_memory(c->tx.err);
}
