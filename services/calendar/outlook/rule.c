/* SPDX-License-Identifier: Apache-2.0 */
/* Patterns as rules of iCalendar, and those rules as patterns. */
#include "services/calendar/outlook/rule.h"
#include "engine/base/codec.h"
#include "engine/text/civil.h"
#include "services/calendar/core/recur/rrule.h"
#include "services/calendar/outlook/ocal.h"
#include "vendors/microsoft/zone.h"

const char *const ocal_patterns[] = {
    "daily",          "weekly", "absoluteMonthly", "relativeMonthly", "absoluteYearly",
    "relativeYearly", NULL};
const char *const ocal_ranges[] = {"endDate", "noEnd", "numbered", NULL};
const char *const ocal_indexes[] = {"first", "second", "third", "fourth", "last", NULL};
const char *const ocal_days[] = {"sunday",   "monday", "tuesday",  "wednesday",
                                 "thursday", "friday", "saturday", NULL};
static const char *const short_days[] = {"SU", "MO", "TU", "WE", "TH", "FR", "SA"};

#define ALL_DAYS     127u
#define MAX_INTERVAL 999

static bool is_yearly(const struct ocal_rule *r)
{
    return r->type == PATTERN_ABSOLUTE_YEARLY || r->type == PATTERN_RELATIVE_YEARLY;
}

static bool is_absolute(const struct ocal_rule *r)
{
    return r->type == PATTERN_ABSOLUTE_MONTHLY || r->type == PATTERN_ABSOLUTE_YEARLY;
}

static bool is_relative(const struct ocal_rule *r)
{
    return r->type == PATTERN_RELATIVE_MONTHLY || r->type == PATTERN_RELATIVE_YEARLY;
}

/* ---- a pattern ---- */

bool ocal_rule_good(const struct ocal_rule *r)
{
    bool days = r->type == PATTERN_WEEKLY || is_relative(r);
    if (r->interval < 1 || r->interval > MAX_INTERVAL || days != (r->days != 0) ||
        r->days > ALL_DAYS)
        return false;
    if (is_yearly(r) ? r->month < 1 || r->month > 12 : r->month != 0)
        return false;
    if (is_absolute(r) ? r->day_of_month < 1 || r->day_of_month > 31 : r->day_of_month != 0)
        return false;
    if (r->range == RANGE_NUMBERED && (r->count < 1 || r->count > INT32_MAX))
        return false;
    return r->range != RANGE_END_DATE || r->end_days >= r->start_days;
}

/* The day of a month, given by its first day, that the pattern means. */
static int64_t day_in_month(const struct ocal_rule *r, int year, int month)
{
    int length = days_in_month(year, month), left = (int)r->index;
    int64_t first = days_from_civil(year, month, 1);
    if (is_absolute(r))
        return first + (r->day_of_month < length ? r->day_of_month : length) - 1;
    if (r->index == INDEX_LAST) {
        int64_t day = first + length - 1;
        while (!(r->days >> weekday_from_days(day) & 1))
            day--;
        return day;
    }
    for (int64_t day = first;; day++)
        if (r->days >> weekday_from_days(day) & 1 && left-- == 0)
            return day;
}

int64_t ocal_rule_first(const struct ocal_rule *r)
{
    int year, month, day;
    if (r->type == PATTERN_DAILY)
        return r->start_days;
    if (r->type == PATTERN_WEEKLY) {
        /* Weeks that count are those from the one of the start. */
        int64_t at = r->start_days, week = at - (weekday_from_days(at) - r->first_day + 7) % 7;
        for (;; at++) {
            if (at >= week + 7)
                at = week += 7 * (int64_t)r->interval;
            if (r->days >> weekday_from_days(at) & 1)
                return at;
        }
    }
    civil_from_days(r->start_days, &year, &month, &day);
    if (is_yearly(r)) {
        year += month > r->month;
        month = r->month;
    }
    for (int i = 0; i < 2; i++) {
        int64_t at = day_in_month(r, year, month);
        if (at >= r->start_days)
            return at;
        year += is_yearly(r) || month == 12;
        month = is_yearly(r) ? month : month % 12 + 1;
    }
    return -1;
}

/* ---- to a line ---- */

static void add_days(struct buf *b, unsigned days)
{
    const char *comma = "";
    buf_puts(b, ";BYDAY=");
    for (int i = 0; i < 7; i++) {
        int day = (i + 1) % 7; /* as people write them, from Monday */
        if (!(days >> day & 1))
            continue;
        buf_printf(b, "%s%s", comma, short_days[day]);
        comma = ",";
    }
}

/* A day that some months lack is the last of those that they have. */
static void add_day_of_month(struct buf *b, const struct ocal_rule *r)
{
    bool yearly = r->type == PATTERN_ABSOLUTE_YEARLY;
    int d = r->day_of_month, common = yearly ? days_in_month(2025, r->month) : 28;
    if (d <= common)
        buf_printf(b, ";BYMONTHDAY=%d", d);
    else if (yearly && r->month != 2)
        buf_printf(b, ";BYMONTHDAY=%d", common);
    else if (yearly || d == 31)
        buf_puts(b, ";BYMONTHDAY=-1");
    else
        buf_printf(b, ";BYMONTHDAY=%s;BYSETPOS=-1", d == 29 ? "28,29" : "28,29,30");
}

static void add_relative(struct buf *b, const struct ocal_rule *r)
{
    int n = r->index == INDEX_LAST ? -1 : (int)r->index + 1;
    if (r->days & (r->days - 1)) {
        add_days(b, r->days);
        buf_printf(b, ";BYSETPOS=%d", n);
    } else {
        buf_printf(b, ";BYDAY=%d%s", n, short_days[__builtin_ctz(r->days)]);
    }
}

#define LAST_SECOND INT64_C(253402300799) /* of the year 9999 */

static void add_range(struct buf *b, const struct ocal_rule *r, const struct tz *tz, bool all_day)
{
    struct civil c;
    if (r->range == RANGE_NUMBERED)
        buf_printf(b, ";COUNT=%lld", (long long)r->count);
    if (r->range != RANGE_END_DATE)
        return;
    int64_t last = r->end_days * SECONDS_PER_DAY + (all_day ? 0 : SECONDS_PER_DAY - 1);
    last = all_day ? last : tz_to_utc(tz, last);
    /* West of UTC the last day that can be said ends in the year 10000. */
    civil_from_seconds(last < LAST_SECOND ? last : LAST_SECOND, &c);
    buf_printf(b, ";UNTIL=%04d%02d%02d", c.year, c.month, c.day);
    if (!all_day)
        buf_printf(b, "T%02d%02d%02dZ", c.hour, c.minute, c.second);
}

const char *ocal_rule_line(struct arena *a, const struct ocal_rule *r, const struct tz *tz,
                           bool all_day)
{
    static const char *const frequencies[] = {"DAILY",   "WEEKLY", "MONTHLY",
                                              "MONTHLY", "YEARLY", "YEARLY"};
    struct buf b;
    buf_init(&b, 0);
    buf_printf(&b, "RRULE:FREQ=%s", frequencies[r->type]);
    if (r->interval > 1)
        buf_printf(&b, ";INTERVAL=%d", r->interval);
    if (r->type == PATTERN_WEEKLY) {
        add_days(&b, r->days);
        buf_printf(&b, ";WKST=%s", short_days[r->first_day]);
    }
    if (is_yearly(r))
        buf_printf(&b, ";BYMONTH=%d", r->month);
    if (is_absolute(r))
        add_day_of_month(&b, r);
    else if (is_relative(r))
        add_relative(&b, r);
    add_range(&b, r, tz, all_day);
    const char *line = buf_failed(&b) ? NULL : arena_strdup(a, buf_str(&b));
    buf_done(&b);
    return line;
}

/* ---- from lines ---- */

/* What a rule says, part by part. */
struct parts {
    const char *freq, *interval, *by_day, *by_month_day, *by_month, *set_pos, *week_start, *count,
        *until;
};

/* "FREQ=WEEKLY;BYDAY=MO": false if there is a part that no pattern has. */
static bool split(struct arena *a, const char *text, size_t n, struct parts *ret)
{
    const struct {
        const char *name;
        const char **to;
    } known[] = {
        {"FREQ", &ret->freq},        {"INTERVAL", &ret->interval},
        {"BYDAY", &ret->by_day},     {"BYMONTHDAY", &ret->by_month_day},
        {"BYMONTH", &ret->by_month}, {"BYSETPOS", &ret->set_pos},
        {"WKST", &ret->week_start},  {"COUNT", &ret->count},
        {"UNTIL", &ret->until},
    };
    memset(ret, 0, sizeof *ret);
    for (const char *p = text, *end = text + n; p < end;) {
        const char *stop = memchr(p, ';', (size_t)(end - p));
        stop = stop ? stop : end;
        const char *eq = memchr(p, '=', (size_t)(stop - p));
        size_t i = 0;
        while (eq && i < SOSIA_LEN(known) && !str_is_nocase(p, (size_t)(eq - p), known[i].name))
            i++;
        if (!eq || i == SOSIA_LEN(known))
            return false;
        *known[i].to = arena_memdup(a, eq + 1, (size_t)(stop - eq - 1));
        p = stop + 1;
    }
    return ret->freq && !arena_failed(a);
}

static bool read_int(const char *text, int otherwise, int min, int max, int *ret)
{
    int64_t v = otherwise;
    if (text && parse_i64(text, strlen(text), &v) < 0)
        return false;
    *ret = (int)v;
    return v >= min && v <= max;
}

static int day_named(const char *p)
{
    for (int i = 0; i < 7; i++)
        if (p[0] && str_is_nocase(p, 2, short_days[i]))
            return i;
    return -1;
}

/* "MO,WE": days without ordinals; or one with an ordinal, "2MO" (*ret_nth, else 0). */
static bool read_days(const char *text, unsigned *ret_days, int *ret_nth)
{
    *ret_days = 0;
    *ret_nth = 0;
    for (const char *p = text;;) {
        size_t n = strcspn(p, ",");
        int day = n >= 2 ? day_named(p + n - 2) : -1;
        int64_t nth = 0;
        const char *sign = p + (*p == '+');
        if (day < 0 || (n > 2 && parse_i64(sign, (size_t)(p + n - 2 - sign), &nth) < 0))
            return false;
        if ((nth || *ret_nth) && *ret_days)
            return false; /* no pattern has several with ordinals */
        *ret_nth = nth < -1 || nth > 4 ? 9 : (int)nth;
        *ret_days |= 1u << day;
        if (!p[n])
            return true;
        p += n + 1;
    }
}

static bool read_index(int nth, enum ocal_index *ret)
{
    *ret = nth == -1 ? INDEX_LAST : (enum ocal_index)(nth - 1);
    return nth == -1 || (nth >= 1 && nth <= 4);
}

static bool read_relative(const struct parts *p, struct ocal_rule *r)
{
    int nth, pos;
    if (p->by_month_day || !read_days(p->by_day, &r->days, &nth))
        return false;
    if (!nth && !p->set_pos)
        return false;
    if (nth && p->set_pos)
        return false;
    if (!nth && !read_int(p->set_pos, 0, -1, 4, &pos))
        return false;
    r->type = is_yearly(r) ? PATTERN_RELATIVE_YEARLY : PATTERN_RELATIVE_MONTHLY;
    return read_index(nth ? nth : pos, &r->index);
}

static bool read_absolute(const struct parts *p, const struct civil *start, struct ocal_rule *r)
{
    const char *day = p->by_month_day;
    bool yearly = is_yearly(r);
    if (p->set_pos) {
        static const char *const lists[] = {"28,29", "28,29,30", "28,29,30,31", NULL};
        int at = str_place(lists, day);
        r->day_of_month = 29 + at;
        return at >= 0 && strcmp(p->set_pos, "-1") == 0 && (!yearly || r->month == 2);
    }
    if (day && strcmp(day, "-1") == 0) {
        r->day_of_month = yearly ? days_in_month(2024, r->month) : 31;
        return true;
    }
    int longest = yearly ? days_in_month(2025, r->month) : 28; /* each year has it */
    return read_int(day, start->day, 1, longest, &r->day_of_month);
}

/* The last day on which an instance at this time of the day is not behind the end. */
static bool read_until(const char *text, const struct tz *tz, bool all_day, int64_t start_s,
                       int64_t *ret_days)
{
    enum rrule_form form;
    int64_t s, clock = start_s - start_s / SECONDS_PER_DAY * SECONDS_PER_DAY;
    if (rrule_time(text, strlen(text), &form, &s) < 0)
        return false;
    if (form == RRULE_FORM_UTC && !all_day)
        s += tz_offset(tz, s);
    int64_t day = s / SECONDS_PER_DAY - (s % SECONDS_PER_DAY < 0);
    if (form != RRULE_FORM_DATE && !all_day && s - day * SECONDS_PER_DAY < clock)
        day--;
    *ret_days = day;
    return true;
}

static bool read_pattern(const struct parts *p, const struct civil *start, struct ocal_rule *r)
{
    int nth = 0, weekday = weekday_from_days(r->start_days);
    if (strcmp(p->freq, "DAILY") == 0 || strcmp(p->freq, "WEEKLY") == 0) {
        bool weekly = *p->freq == 'W' || p->by_day;
        r->type = weekly ? PATTERN_WEEKLY : PATTERN_DAILY;
        r->days = weekly ? 1u << weekday : 0;
        if (p->by_month || p->by_month_day || p->set_pos ||
            (*p->freq == 'D' && weekly && r->interval > 1))
            return false;
        return !p->by_day || (read_days(p->by_day, &r->days, &nth) && !nth);
    }
    if (strcmp(p->freq, "MONTHLY") == 0) {
        r->type = PATTERN_ABSOLUTE_MONTHLY;
        if (p->by_month)
            return false;
    } else if (strcmp(p->freq, "YEARLY") == 0) {
        r->type = PATTERN_ABSOLUTE_YEARLY;
        if (!read_int(p->by_month, start->month, 1, 12, &r->month) ||
            (!p->by_month && (p->by_month_day || p->by_day)))
            return false;
    } else {
        return false;
    }
    return p->by_day ? read_relative(p, r) : read_absolute(p, start, r);
}

int ocal_rule_read(struct arena *a, const char *lines, const struct tz *tz, bool all_day,
                   int64_t start_s, struct ocal_rule *ret)
{
    static const char rrule[] = "RRULE:", exdate[] = "EXDATE";
    struct parts parts = {0};
    struct civil start;
    bool found = false;
    *ret = (struct ocal_rule){.range = RANGE_NO_END};
    for (const char *p = lines; *p; p += strcspn(p, "\n"), p += *p == '\n') {
        if (strncmp(p, exdate, sizeof exdate - 1) == 0)
            continue;
        if (found || strncmp(p, rrule, sizeof rrule - 1) != 0)
            return 0;
        found = true;
        p += sizeof rrule - 1;
        if (!split(a, p, strcspn(p, "\n"), &parts))
            return 0;
    }
    if (!found)
        return 0;
    int64_t count = 0;
    civil_from_seconds(start_s, &start);
    ret->start_days = start_s / SECONDS_PER_DAY - (start_s % SECONDS_PER_DAY < 0);
    ret->first_day = parts.week_start ? day_named(parts.week_start) : 1; /* RFC 5545: Monday */
    if (!read_int(parts.interval, 1, 1, MAX_INTERVAL, &ret->interval) || ret->first_day < 0 ||
        !read_pattern(&parts, &start, ret))
        return 0;
    if (ret->type != PATTERN_WEEKLY)
        ret->first_day = 0;
    if (parts.count) {
        ret->range = RANGE_NUMBERED;
        if (parse_i64(parts.count, strlen(parts.count), &count) < 0)
            return 0;
        ret->count = count;
    } else if (parts.until) {
        ret->range = RANGE_END_DATE;
        if (!read_until(parts.until, tz, all_day, start_s, &ret->end_days))
            return 0;
    }
    /* The start is an instance in any case, of a pattern only if it fits. */
    return ocal_rule_good(ret) && ocal_rule_first(ret) == ret->start_days;
}

int ocal_rule_of(struct arena *a, const struct calendar *cal, const struct cal_event *ev,
                 struct ocal_rule *ret)
{
    const struct tz *tz = ev->zone ? tz_find(ev->zone) : NULL;
    int64_t s = ev->start_us / US_PER_SECOND - (ev->start_us % US_PER_SECOND < 0);
    tz = tz ? tz : cal->tz;
    if (!ev->all_day)
        s += tz_offset(tz, s);
    return ev->recurrence ? ocal_rule_read(a, ev->recurrence, tz, ev->all_day, s, ret) : 0;
}

static void write_days(struct json_writer *w, unsigned days)
{
    json_arr(w, "daysOfWeek");
    for (int i = 0; i < 7; i++)
        if (days >> i & 1)
            json_word(w, NULL, ocal_days[i]);
    json_end(w);
}

void ocal_write_rule(struct json_writer *w, const struct ocal_rule *r, const char *zone)
{
    const char *windows = graph_zone_windows(zone);
    char start[DATE_TEXT], end[DATE_TEXT] = "0001-01-01";
    date_format(start, r->start_days);
    if (r->range == RANGE_END_DATE)
        date_format(end, r->end_days);
    json_obj(w, "pattern");
    json_word(w, "type", ocal_patterns[r->type]);
    json_int(w, "interval", r->interval);
    json_int(w, "month", r->month);
    json_int(w, "dayOfMonth", r->day_of_month);
    if (r->days)
        write_days(w, r->days);
    json_word(w, "firstDayOfWeek", ocal_days[r->first_day]);
    json_word(w, "index", ocal_indexes[r->index]);
    json_end(w);
    json_obj(w, "range");
    json_word(w, "type", ocal_ranges[r->range]);
    json_word(w, "startDate", start);
    json_word(w, "endDate", end);
    json_str(w, "recurrenceTimeZone", windows ? windows : zone);
    json_int(w, "numberOfOccurrences", r->count);
    json_end(w);
}
