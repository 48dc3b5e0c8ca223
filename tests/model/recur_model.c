/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recurrence rules compared with two other answers, over thousands of generated rules (a fixed
 * seed, or the seed and number given as arguments):
 *  - libical, for what it can be asked: it does not come back from rules below a day that limit
 * days, so those are not put to it;
 *  - for frequencies up to DAILY, a walk over every unit from DTSTART on that tests each part as
 * the table of RFC 5545, 3.3.10, words it. And our own answers from the middle of a series are
 * compared with those from its start.
 *
 * Where libical differs from RFC 5545, the family is told apart by a predicate over the rule, with
 * the reason beside it, and counted as explained.
 */
#include "services/calendar/core/recur.h"
#include "engine/text/civil.h"
#include <libical/ical.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define INSTANCES 40
#define WALK_MAX  60000

static uint64_t state = 20260312;

static uint32_t random_below(uint32_t n)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)((state >> 16) % n);
}

static bool chance(uint32_t percent)
{
    return random_below(100) < percent;
}

/* ---- rules ---- */

enum part {
    BYSECOND,
    BYMINUTE,
    BYHOUR,
    BYDAY,
    BYMONTHDAY,
    BYYEARDAY,
    BYWEEKNO,
    BYMONTH,
    BYSETPOS,
    N_PARTS
};

static const char *const part_names[] = {"BYSECOND", "BYMINUTE",   "BYHOUR",
                                         "BYDAY",    "BYMONTHDAY", "BYYEARDAY",
                                         "BYWEEKNO", "BYMONTH",    "BYSETPOS"};
static const char *const freqs[] = {"SECONDLY", "MINUTELY", "HOURLY", "DAILY",
                                    "WEEKLY",   "MONTHLY",  "YEARLY"};
static const char *const weekdays[] = {"SU", "MO", "TU", "WE", "TH", "FR", "SA"};

struct list {
    int n, at[12]; /* BYDAY: weekdays */
    int nth[12];   /* of BYDAY; 0: none */
};

struct rule {
    enum rrule_freq freq;
    int interval, week_start, count;
    int64_t until;
    struct list by[N_PARTS];
    bool all_day;
    int64_t dtstart;
    const char *zone; /* NULL: none */
    char text[600];
};

static void fill(struct rule *r, enum part part, int low, int high, int most, bool negative)
{
    struct list *l = &r->by[part];
    l->n = 1 + (int)random_below((uint32_t)most);
    for (int i = 0; i < l->n; i++) {
        l->at[i] = low + (int)random_below((uint32_t)(high - low + 1));
        if (negative && chance(35))
            l->at[i] = -l->at[i];
    }
}

static void fill_days(struct rule *r, bool nth)
{
    struct list *l = &r->by[BYDAY];
    fill(r, BYDAY, 0, 6, 4, false);
    for (int i = 0; i < l->n; i++) {
        int most = r->freq == RRULE_YEARLY && !r->by[BYMONTH].n ? 53 : 5;
        l->nth[i] = nth ? (int)random_below((uint32_t)(2 * most + 1)) - most : 0;
    }
}

/* Lists are sets. libical takes them as they come, so it gets them in order and without repetition.
 */
static void put_in_order(struct list *l)
{
    int n = 0;
    for (int i = 0; i < l->n; i++) {
        int at = l->at[i], nth = l->nth[i], k = n;
        for (int j = 0; j < n; j++)
            if (l->at[j] == at && l->nth[j] == nth)
                k = -1;
        for (; k > 0 && (l->at[k - 1] > at || (l->at[k - 1] == at && l->nth[k - 1] > nth)); k--)
            l->at[k] = l->at[k - 1], l->nth[k] = l->nth[k - 1];
        if (k >= 0) {
            l->at[k] = at, l->nth[k] = nth;
            n++;
        }
    }
    l->n = n;
}

static void write_rule(struct rule *r)
{
    char *p = r->text, *end = r->text + sizeof r->text;
    p += snprintf(p, (size_t)(end - p), "FREQ=%s", freqs[r->freq]);
    if (r->interval > 1)
        p += snprintf(p, (size_t)(end - p), ";INTERVAL=%d", r->interval);
    if (r->count)
        p += snprintf(p, (size_t)(end - p), ";COUNT=%d", r->count);
    if (r->until) {
        struct civil c;
        civil_from_seconds(r->until, &c);
        p += snprintf(p, (size_t)(end - p), ";UNTIL=%04d%02d%02d", c.year, c.month, c.day);
        if (!r->all_day)
            p += snprintf(p, (size_t)(end - p), "T%02d%02d%02d%s", c.hour, c.minute, c.second,
                          r->zone ? "Z" : "");
    }
    for (int part = 0; part < N_PARTS; part++) {
        const struct list *l = &r->by[part];
        for (int i = 0; i < l->n; i++) {
            p += i ? snprintf(p, (size_t)(end - p), ",")
                   : snprintf(p, (size_t)(end - p), ";%s=", part_names[part]);
            if (part != BYDAY)
                p += snprintf(p, (size_t)(end - p), "%d", l->at[i]);
            else if (l->nth[i])
                p += snprintf(p, (size_t)(end - p), "%d%s", l->nth[i], weekdays[l->at[i]]);
            else
                p += snprintf(p, (size_t)(end - p), "%s", weekdays[l->at[i]]);
        }
    }
    if (r->week_start != 1)
        snprintf(p, (size_t)(end - p), ";WKST=%s", weekdays[r->week_start]);
}

static void generate_parts(struct rule *r)
{
    static const int intervals[] = {2,  2,  2,  3,  4,  5,  6,  7,  10,  12,
                                    13, 18, 24, 25, 36, 60, 90, 97, 100, 1440};
    if (chance(45))
        r->interval = intervals[random_below(SOSIA_LEN(intervals))];
    if (chance(30))
        fill(r, BYMONTH, 1, 12, 4, false);
    if (r->freq == RRULE_YEARLY && chance(20))
        fill(r, BYWEEKNO, 1, 53, 4, true);
    if ((r->freq == RRULE_YEARLY || r->freq < RRULE_DAILY) && chance(15))
        fill(r, BYYEARDAY, 1, 366, 10, true);
    if (r->freq != RRULE_WEEKLY && chance(25))
        fill(r, BYMONTHDAY, 1, 31, 6, true);
    if (chance(40))
        fill_days(r, r->freq >= RRULE_MONTHLY && !r->by[BYWEEKNO].n && chance(60));
    if (!r->all_day) {
        if (chance(25))
            fill(r, BYHOUR, 0, 23, 4, false);
        if (chance(25))
            fill(r, BYMINUTE, 0, 59, 4, false);
        if (chance(15))
            fill(r, BYSECOND, 0, 59, 4, false);
    }
    bool other = false;
    for (int part = 0; part < BYSETPOS; part++)
        other |= r->by[part].n > 0;
    if (other && chance(20))
        fill(r, BYSETPOS, 1, chance(50) ? 3 : 50, 3, true);
    if (chance(30))
        r->week_start = (int)random_below(7);
}

/* Whether DTSTART is what the rule itself gives. */
static bool matches_start(const struct rule *r)
{
    struct rrule one;
    struct arena a;
    struct rrule_walk w;
    arena_init(&a, 0);
    if (rrule_parse(&a, r->text, strlen(r->text), r->dtstart, r->all_day, true, &one, NULL) < 0)
        exit(1);
    rrule_walk_init(&w, &one);
    bool matches = rrule_next(&w, r->dtstart) == r->dtstart;
    arena_done(&a);
    return matches;
}

static void generate(struct rule *r)
{
    static const char *const zones[] = {"America/New_York",  "Europe/Dublin",
                                        "Australia/Sydney",  "Asia/Kolkata",
                                        "America/Sao_Paulo", "Pacific/Auckland"};
    memset(r, 0, sizeof *r);
    r->freq = (enum rrule_freq)random_below(7);
    r->interval = 1;
    r->week_start = 1;
    r->dtstart = 820454400 + (int64_t)random_below(1100000000);
    if (chance(80))
        r->dtstart -= r->dtstart % 900;
    r->all_day = r->freq >= RRULE_DAILY && chance(25);
    if (r->all_day)
        r->dtstart -= r->dtstart % 86400;
    else if (chance(50))
        r->zone = zones[random_below(SOSIA_LEN(zones))];
    generate_parts(r);
    if (chance(20))
        r->count = 1 + (int)random_below(30);
    else if (chance(20))
        r->until = r->dtstart + (int64_t)random_below(100000000);
    write_rule(r);
    /* libical counts otherwise when DTSTART does not match (see below): don't have it too often. */
    if (r->count && chance(90) && !matches_start(r)) {
        r->count = 0;
        write_rule(r);
    }
}

/* ---- three answers ---- */

struct answer {
    int n;
    int64_t at[INSTANCES]; /* instants; readings where there is no zone */
    bool ended;            /* there are no more */
};

static const struct recur *parse(struct arena *a, const struct rule *r)
{
    const char *line = arena_printf(a, "RRULE:%s", r->text);
    struct recur_start s = {
        .all_day = r->all_day, .local_s = r->dtstart, .tz = r->zone ? tz_find(r->zone) : NULL};
    const struct recur *recur;
    struct sosia_err err;
    if (recur_parse(a, &line, 1, &s, &recur, &err) < 0) {
        printf("refused: %s: %s\n", line, err.text);
        exit(1);
    }
    return recur;
}

static bool ours(const struct recur *recur, int64_t from, struct answer *ret)
{
    struct recur_iter it;
    struct recur_instance got;
    recur_iter_init(&it, recur, from);
    ret->n = 0;
    while (ret->n < INSTANCES && recur_next(&it, &got))
        ret->at[ret->n++] = got.utc_s;
    ret->ended = ret->n < INSTANCES;
    return !it.gave_up;
}

static void add(struct answer *a, int64_t at)
{
    if (a->n < INSTANCES)
        a->at[a->n++] = at;
}

static int64_t instant(const struct rule *r, int64_t reading)
{
    return r->zone ? tz_to_utc(tz_find(r->zone), reading) : reading;
}

/* libical's readings become instants by our zones, so that the rules are compared and not the
 * zones. */
static void by_libical(const struct rule *r, struct answer *ret)
{
    struct civil c;
    struct rule sorted = *r;
    struct icaltimetype start = icaltime_null_time();
    for (int part = 0; part < N_PARTS; part++)
        put_in_order(&sorted.by[part]);
    write_rule(&sorted);
    struct icalrecurrencetype rule = icalrecurrencetype_from_string(sorted.text);
    civil_from_seconds(r->dtstart, &c);
    start.year = c.year, start.month = c.month, start.day = c.day;
    start.hour = c.hour, start.minute = c.minute, start.second = c.second;
    start.is_date = r->all_day;
    memset(ret, 0, sizeof *ret);
    if (r->zone) {
        start.zone = icaltimezone_get_builtin_timezone(r->zone);
        if (!start.zone) {
            printf("libical has no zone %s\n", r->zone);
            exit(1);
        }
    }
    icalrecur_iterator *it = icalrecur_iterator_new(rule, start);
    add(ret, instant(r, r->dtstart));
    ret->ended = true;
    for (struct icaltimetype t; it && !icaltime_is_null_time(t = icalrecur_iterator_next(it));) {
        if (ret->n == INSTANCES) {
            ret->ended = false;
            break;
        }
        int64_t reading = days_from_civil(t.year, t.month, t.day) * 86400;
        if (!t.is_date)
            reading += t.hour * 3600 + t.minute * 60 + t.second;
        int64_t at = instant(r, reading);
        if (at != ret->at[ret->n - 1])
            add(ret, at);
    }
    if (it)
        icalrecur_iterator_free(it);
}

static bool has_number(const struct list *l, int value, int from_end)
{
    for (int i = 0; i < l->n; i++)
        if (l->at[i] == value || l->at[i] == from_end)
            return true;
    return !l->n;
}

/* The rows of the table for frequencies up to DAILY: every part limits, but for the times below the
 * unit. */
static bool unit_matches(const struct rule *r, const struct civil *c, int64_t day)
{
    int yearday = (int)(day - days_from_civil(c->year, 1, 1)) + 1;
    int year_length = (int)(days_from_civil(c->year + 1, 1, 1) - days_from_civil(c->year, 1, 1));
    int weekday = weekday_from_days(day);
    return has_number(&r->by[BYMONTH], c->month, c->month) &&
           has_number(&r->by[BYMONTHDAY], c->day, c->day - days_in_month(c->year, c->month) - 1) &&
           has_number(&r->by[BYYEARDAY], yearday, yearday - year_length - 1) &&
           has_number(&r->by[BYDAY], weekday, weekday) &&
           (r->freq > RRULE_HOURLY || has_number(&r->by[BYHOUR], c->hour, c->hour)) &&
           (r->freq > RRULE_MINUTELY || has_number(&r->by[BYMINUTE], c->minute, c->minute)) &&
           (r->freq > RRULE_SECONDLY || has_number(&r->by[BYSECOND], c->second, c->second));
}

static int compare(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

/* The times of a unit that begins with reading c: what BYHOUR, BYMINUTE and BYSECOND expand it to.
 */
static int expand(const struct rule *r, const struct civil *c, int64_t base, int64_t out[4 * 4 * 4])
{
    int n = 0, unique = 0;
    const struct list *h = &r->by[BYHOUR], *m = &r->by[BYMINUTE], *s = &r->by[BYSECOND];
    int hours = r->freq >= RRULE_DAILY && h->n ? h->n : 1,
        minutes = r->freq >= RRULE_HOURLY && m->n ? m->n : 1;
    int seconds = r->freq >= RRULE_MINUTELY && s->n ? s->n : 1;
    for (int i = 0; i < hours; i++)
        for (int k = 0; k < minutes; k++)
            for (int l = 0; l < seconds; l++)
                out[n++] = base + (r->freq >= RRULE_DAILY && h->n ? h->at[i] : c->hour) * 3600 +
                           (r->freq >= RRULE_HOURLY && m->n ? m->at[k] : c->minute) * 60 +
                           (r->freq >= RRULE_MINUTELY && s->n ? s->at[l] : c->second);
    qsort(out, (size_t)n, sizeof *out, compare);
    for (int i = 0; i < n; i++)
        if (!i || out[i] != out[i - 1])
            out[unique++] = out[i];
    return unique;
}

/* Gives false when it took too long to say. Without a zone. */
static bool by_walking(const struct rule *r, struct answer *ret)
{
    static const int sizes[] = {1, 60, 3600, 86400};
    int64_t step = (int64_t)sizes[r->freq] * r->interval, unit = r->dtstart;
    int counted = 0;
    memset(ret, 0, sizeof *ret);
    for (int i = 0; i < WALK_MAX; i++, unit += step) {
        struct civil c;
        civil_from_seconds(unit, &c);
        int64_t day = (unit - ((unit % 86400) + 86400) % 86400) / 86400, times[64];
        if (c.year > 9999) {
            ret->ended = true;
            return true;
        }
        if (i == 0) {
            add(ret, r->dtstart);
            counted++;
        }
        if (!unit_matches(r, &c, day))
            continue;
        int n = expand(r, &c, day * 86400, times);
        for (int k = 0; k < n; k++) {
            const struct list *p = &r->by[BYSETPOS];
            if ((p->n && !has_number(p, k + 1, k - n)) || times[k] <= r->dtstart)
                continue;
            if ((r->count && counted == r->count) || (r->until && times[k] > r->until)) {
                ret->ended = true;
                return true;
            }
            if (ret->n == INSTANCES)
                return true;
            add(ret, times[k]);
            counted++;
        }
    }
    return false;
}

/* ---- what libical does otherwise ---- */

static bool has_negative(const struct list *l)
{
    for (int i = 0; i < l->n; i++)
        if (l->at[i] < 0)
            return true;
    return false;
}

static bool has_times(const struct rule *r)
{
    return r->by[BYHOUR].n || r->by[BYMINUTE].n || r->by[BYSECOND].n;
}

/* libical 3.0.16 may not come back from frequencies below a day with BY parts, and reads beyond its
 * arrays with BYWEEKNO from the end or without BYDAY. */
static bool dangerous(const struct rule *r)
{
    bool limited = r->by[BYMONTH].n || r->by[BYMONTHDAY].n || r->by[BYYEARDAY].n || r->by[BYDAY].n;
    return (r->freq < RRULE_DAILY && (limited || has_times(r))) ||
           (r->by[BYWEEKNO].n && (!r->by[BYDAY].n || has_negative(&r->by[BYWEEKNO])));
}

/* It searches to its last year, 2582, for what does not come: that takes seconds. */
static bool sparse(const struct rule *r, const struct answer *own)
{
    const int64_t long_time = INT64_C(60) * 366 * 86400;
    if (own->ended && !r->until && (!r->count || own->n < r->count))
        return true;
    return own->at[own->n - 1] - own->at[0] > long_time;
}

/* Whether the clock of the zone skips, on some day up to the last instance compared, a time at
 * which the rule has instances on other days. */
static bool time_skipped(const struct rule *r, const struct answer *own)
{
    if (!r->zone)
        return false;
    const struct tz *tz = tz_find(r->zone);
    struct rule floating = *r;
    struct arena a;
    struct answer readings;
    bool skips = false;
    floating.zone = NULL;
    floating.until = 0;
    write_rule(&floating);
    arena_init(&a, 0);
    ours(parse(&a, &floating), RECUR_BEGINNING, &readings);
    arena_done(&a);
    int64_t change = own->at[0], last = readings.at[readings.n - 1] + 366 * 86400;
    while ((change = tz_next_change(tz, change)) < last) {
        int64_t before = tz_offset(tz, change - 1), gap = tz_offset(tz, change) - before;
        for (int i = 0; i < readings.n && gap > 0; i++)
            skips |= ((readings.at[i] - change - before) % 86400 + 86400) % 86400 < gap;
    }
    return skips;
}

enum family {
    COUNTS_MATCHES,
    WEEK_OF_START,
    WEEK_START,
    SETPOS_OF_SETS,
    MONTHDAY_FROM_END,
    MONTHDAY_IN_ONE_MONTH,
    YEARDAY_IN_MONTHS,
    SETPOS_IN_WEEKS,
    SETPOS_OF_TIMES,
    WEEKS_AND_DAYS,
    ELAPSED_HOURS,
    SKIPPED_READING,
    N_FAMILIES
};

static const char *const family_names[] = {
    "COUNT leaves out a DTSTART that does not match",
    "WEEKLY with INTERVAL goes from the first match instead of DTSTART's week",
    "WEEKLY with INTERVAL, and BYWEEKNO, mistake weeks that don't start on Monday",
    "BYSETPOS counts a day twice that BYMONTHDAY names twice",
    "DAILY ignores BYMONTHDAY from the end",
    "YEARLY takes BYMONTHDAY in DTSTART's month only",
    "BYYEARDAY beside BYMONTH gives nothing",
    "BYSETPOS is ignored up to WEEKLY",
    "BYSETPOS counts days, not times",
    "BYWEEKNO beside other days",
    "below a day, time goes on by elapsed hours",
    "a time that the clock skips shifts what comes after it",
};

/* The family of rules that a difference belongs to, or N_FAMILIES. All quotations: RFC 5545. */
static enum family explained(const struct rule *r, const struct answer *own)
{
    /* 3.3.10: "The "DTSTART" property value always counts as the first occurrence." */
    if (r->count && !matches_start(r))
        return COUNTS_MATCHES;
    /* 3.3.10: intervals are of the week, as WKST has it, that DTSTART lies in: the example of 5
     * August 1997 in 3.8.5.3 takes the Sunday of DTSTART's own week. */
    if (r->freq == RRULE_WEEKLY && r->interval > 1 && !matches_start(r))
        return WEEK_OF_START;
    /* 3.3.10: WKST "is significant when a WEEKLY rule has an interval greater than 1 [...] This is
     * also significant when in a YEARLY rule when a BYWEEKNO rule part is specified"; see the last
     * example of 3.8.5.3 but one. */
    if (r->week_start != 1 && ((r->freq == RRULE_WEEKLY && r->interval > 1) || r->by[BYWEEKNO].n))
        return WEEK_START;
    /* 3.3.10: BYSETPOS operates on a set, which has no member twice: the 13th is also the 18th from
     * the end. */
    if (r->by[BYSETPOS].n && has_negative(&r->by[BYMONTHDAY]))
        return SETPOS_OF_SETS;
    /* 3.3.10: "Valid values are 1 to 31 or -31 to -1"; for DAILY the table says Limit. */
    if (r->freq == RRULE_DAILY && has_negative(&r->by[BYMONTHDAY]))
        return MONTHDAY_FROM_END;
    /* 3.3.10: the table says Expand for BYMONTHDAY in a YEARLY rule: in every month of the year. */
    if (r->freq == RRULE_YEARLY && r->by[BYMONTHDAY].n && !r->by[BYMONTH].n)
        return MONTHDAY_IN_ONE_MONTH;
    /* 3.3.10: parts are applied one after the other, BYMONTH before BYYEARDAY; nothing rules the
     * two out. */
    if (r->by[BYYEARDAY].n && r->by[BYMONTH].n)
        return YEARDAY_IN_MONTHS;
    /* 3.3.10: the table says Limit for BYSETPOS with every frequency. */
    if (r->by[BYSETPOS].n && r->freq <= RRULE_WEEKLY)
        return SETPOS_IN_WEEKS;
    /* 3.3.10: "the nth occurrence within the set of recurrence instances specified by the rule":
     * BYSETPOS comes last in the order, when BYHOUR, BYMINUTE and BYSECOND have been applied. */
    if (r->by[BYSETPOS].n && has_times(r))
        return SETPOS_OF_TIMES;
    /* 3.3.10: BYMONTH, BYWEEKNO, BYYEARDAY, BYMONTHDAY and BYDAY limit one another in that order;
     * and weeks belong to the year that has four of their days, so INTERVAL and BYSETPOS take them
     * together. */
    if (r->by[BYWEEKNO].n && (r->by[BYMONTH].n || r->by[BYMONTHDAY].n || r->by[BYYEARDAY].n ||
                              r->by[BYSETPOS].n || r->interval > 1))
        return WEEKS_AND_DAYS;
    /* 3.3.10 computes a "local start time" and then finds its instant by 3.3.5, whatever the
     * frequency. */
    if (r->zone && r->freq < RRULE_DAILY &&
        tz_next_change(tz_find(r->zone), own->at[0]) <= own->at[own->n - 1])
        return ELAPSED_HOURS;
    /* 3.3.10: a local time that does not exist is interpreted as 3.3.5 says, for that instance
     * alone. */
    if (time_skipped(r, own))
        return SKIPPED_READING;
    return N_FAMILIES;
}

/* ---- coming to a verdict ---- */

static int failures;

static void show(const char *what, const struct rule *r, const struct answer *a,
                 const struct answer *b)
{
    int i = 0;
    while (i < a->n && i < b->n && a->at[i] == b->at[i])
        i++;
    char start[STAMP_TEXT], x[STAMP_TEXT] = "end", y[STAMP_TEXT] = "end";
    stamp_format(start, r->dtstart * US_PER_SECOND, 0, 0, false);
    start[19] = 0;
    if (i < a->n)
        stamp_format(x, a->at[i] * US_PER_SECOND, 0, 0, true);
    if (i < b->n)
        stamp_format(y, b->at[i] * US_PER_SECOND, 0, 0, true);
    if (failures++ < 25)
        printf("%s: %s %s %s: no. %d is %s, not %s\n", what, start, r->zone ? r->zone : "-",
               r->text, i + 1, x, y);
}

static bool same(const struct answer *a, const struct answer *b)
{
    return a->n == b->n && (a->ended == b->ended || a->n == INSTANCES) &&
           !memcmp(a->at, b->at, (size_t)a->n * sizeof *a->at);
}

static void check_windows(const struct rule *r, const struct recur *recur, const struct answer *all)
{
    for (int k = 1; k < all->n; k += 5) {
        struct answer part, rest = {.n = all->n - k};
        memcpy(rest.at, all->at + k, (size_t)rest.n * sizeof *rest.at);
        int64_t gap = all->at[k] - all->at[k - 1];
        ours(recur, all->at[k] - (int64_t)(state % (uint64_t)gap), &part);
        if (part.n > rest.n)
            part.n = rest.n;
        if (part.n != rest.n || memcmp(part.at, rest.at, (size_t)rest.n * sizeof *rest.at))
            show("from the middle", r, &part, &rest);
        if (!recur_contains(recur, all->at[k]) ||
            (gap > 1 && recur_contains(recur, all->at[k] - 1)))
            show("contains", r, all, all);
    }
    if (all->ended && recur_last(recur) < all->at[all->n - 1])
        show("last", r, all, all);
}

/* libical's calendar ends with the year 2582. */
static void cut(struct answer *a)
{
    const int64_t end = days_from_civil(2583, 1, 1) * 86400;
    for (; a->n && a->at[a->n - 1] >= end; a->n--)
        a->ended = true;
}

struct tally {
    int walked, gave_up, not_asked, asked, equal, explained, families[N_FAMILIES];
};

static void check(struct tally *t)
{
    struct arena a;
    struct rule r;
    struct answer own, other;
    arena_init(&a, 0);
    generate(&r);
    const struct recur *recur = parse(&a, &r);
    bool whole = ours(recur, RECUR_BEGINNING, &own);
    t->gave_up += !whole;
    if (whole)
        check_windows(&r, recur, &own);
    if (whole && r.freq <= RRULE_DAILY && !r.zone && by_walking(&r, &other)) {
        t->walked++;
        if (!same(&own, &other))
            show("by walking", &r, &own, &other);
    }
    if (!whole || dangerous(&r) || sparse(&r, &own)) {
        t->not_asked++;
    } else {
        t->asked++;
        by_libical(&r, &other);
        cut(&own);
        enum family f = same(&own, &other) ? N_FAMILIES : explained(&r, &own);
        if (f < N_FAMILIES) {
            t->explained++;
            t->families[f]++;
        } else if (same(&own, &other)) {
            t->equal++;
        } else {
            show("libical", &r, &own, &other);
        }
    }
    arena_done(&a);
}

int main(int argc, char **argv)
{
    int n = argc > 2 ? atoi(argv[2]) : 3000;
    struct tally t = {0};
    if (argc > 1)
        state ^= strtoull(argv[1], NULL, 10) * 0x9e3779b97f4a7c15u;
    for (int i = 0; i < n; i++)
        check(&t);
    icaltimezone_free_builtin_timezones();
    icalmemory_free_ring();
    for (int f = 0; f < N_FAMILIES; f++)
        printf("explained %4d: %s\n", t.families[f], family_names[f]);
    printf("rules %d: walked %d, gave up %d; libical not asked %d, asked %d, equal %d, explained "
           "%d, unexplained %d\n",
           n, t.walked, t.gave_up, t.not_asked, t.asked, t.equal, t.explained, failures);
    return failures != 0;
}
