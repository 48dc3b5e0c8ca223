/* SPDX-License-Identifier: Apache-2.0 */
/* Recurrences of bodies: a pattern and a range, as a rule of calendars. */
#include "engine/base/codec.h"
#include "engine/text/civil.h"
#include "engine/text/tz.h"
#include "services/calendar/outlook/rule.h"
#include "services/tasks/todo/todo.h"
#include "vendors/microsoft/zone.h"

static int read_word(struct call *c, const struct json *of, const char *member,
                     const char *const *words, int otherwise, int *ret)
{
    const char *text = json_get_str(of, member);
    *ret = otherwise;
    if (!text && otherwise >= 0)
        return 0;
    for (int i = 0; text && words[i]; i++)
        if (str_eq_nocase(words[i], text)) {
            *ret = i;
            return 0;
        }
    return todo_wrong(c, member, "a word of the pattern");
}

static int read_day(struct call *c, const struct json *of, const char *member, int64_t *ret)
{
    const char *text = json_get_str(of, member);
    if (!text || strcmp(text, "0001-01-01") == 0)
        return 0;
    if (date_parse(text, strlen(text), ret) == 0)
        return 0;
    return graph_fail_own(c, SOSIA_E_INVALID, 0, "invalidRequest", "InvalidModel",
                          "Invalid JSON, Error converting value \"%.60s\" to type "
                          "'Microsoft.OData.Edm.Date'. Path 'recurrence.range.%s'.",
                          text, member);
}

static int read_pattern(struct call *c, const struct json *v, struct ocal_rule *r)
{
    const struct json *days = json_get(v, "daysOfWeek");
    int type, first, index;
    if (read_word(c, v, "type", ocal_patterns, -1, &type) < 0 ||
        read_word(c, v, "firstDayOfWeek", ocal_days, 0, &first) < 0 ||
        read_word(c, v, "index", ocal_indexes, 0, &index) < 0)
        return -1;
    for (uint32_t i = 0; days && days->type == JSON_ARRAY && i < days->n; i++) {
        int day = 0;
        while (ocal_days[day] && !(days->items[i].type == JSON_STRING &&
                                   str_eq_nocase(ocal_days[day], days->items[i].str)))
            day++;
        if (!ocal_days[day])
            return todo_wrong(c, "daysOfWeek", "a list of weekdays");
        r->days |= 1u << day;
    }
    const int64_t interval = json_get_int(v, "interval", 1), month = json_get_int(v, "month", 0),
                  day = json_get_int(v, "dayOfMonth", 0);
    if (interval < 1 || interval > 999 || month < 0 || month > 12 || day < 0 || day > 31)
        return todo_wrong(c, "pattern", "within a calendar");
    const bool relative = type == PATTERN_RELATIVE_MONTHLY || type == PATTERN_RELATIVE_YEARLY;
    r->type = (enum ocal_pattern)type;
    r->first_day = type == PATTERN_WEEKLY ? first : 0;
    r->index = relative ? (enum ocal_index)index : INDEX_FIRST;
    r->interval = (int)interval;
    r->month = (int)month;
    r->day_of_month = (int)day;
    if (type == PATTERN_DAILY) /* programs send members that its type has not */
        r->days = 0;
    return 0;
}

int todo_read_recurrence(struct todo_at *at, const struct json *v, struct task *t)
{
    struct call *c = at->c;
    const struct json *range = json_get(v, "range");
    const char *name = json_get_str(range, "recurrenceTimeZone");
    const char *iana = graph_zone_iana(name && *name ? name : "UTC");
    struct ocal_rule rule = {0};
    int kind;
    if (!iana)
        return todo_wrong(c, "recurrenceTimeZone", "a time zone");
    const struct tz *tz = tz_find(iana);
    int64_t s = (t->due_us ? t->due_us : c->tx.now_us) / US_PER_SECOND;
    s += tz_offset(tz, s);
    const int64_t due_day = s / SECONDS_PER_DAY - (s % SECONDS_PER_DAY < 0);
    const int64_t clock = t->due_us ? s - due_day * SECONDS_PER_DAY : 0;
    rule.start_days = due_day;
    if (read_pattern(c, json_get(v, "pattern"), &rule) < 0 ||
        read_word(c, range, "type", ocal_ranges, RANGE_NO_END, &kind) < 0 ||
        read_day(c, range, "startDate", &rule.start_days) < 0 ||
        read_day(c, range, "endDate", &rule.end_days) < 0)
        return -1;
    rule.range = (enum ocal_range)kind;
    rule.count = rule.range == RANGE_NUMBERED ? json_get_int(range, "numberOfOccurrences", 0) : 0;
    if (rule.range != RANGE_END_DATE)
        rule.end_days = 0;
    if (!ocal_rule_good(&rule) || rule.start_days < -719000 || rule.start_days > 2900000)
        return todo_wrong(c, "recurrence", "a pattern with the members that its type has");
    const int64_t first = ocal_rule_first(&rule);
    if (first < 0 || (rule.range == RANGE_END_DATE && first > rule.end_days))
        return todo_wrong(c, "recurrence", "a pattern with an occurrence in its range");
    rule.start_days = first;
    t->recurrence = ocal_rule_line(c->tx.arena, &rule, tz, false);
    t->recurs_us = tz_to_utc(tz, first * SECONDS_PER_DAY + clock) * US_PER_SECOND;
    t->zone = strcmp(iana, "UTC") == 0 ? NULL : iana;
    t->due_us = t->due_us ? t->due_us : t->recurs_us;
    return t->recurrence ? 0 : sosia_fail_memory(c->tx.err);
}
