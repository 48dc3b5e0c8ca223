/* SPDX-License-Identifier: Apache-2.0 */
/* What libical expands rules to, and where it can't be trusted. */
#include "tests/model/rules.h"
#include "engine/text/civil.h"
#include <libical/ical.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

static void add(struct answer *a, int64_t at)
{
    if (a->n < INSTANCES)
        a->at[a->n++] = at;
}

static int64_t instant(const struct rule *r, int64_t reading)
{
    return r->zone ? tz_to_utc(tz_find(r->zone), reading) : reading;
}

void rule_by_libical(const struct rule *r, struct answer *ret)
{
    struct civil c;
    struct rule sorted = *r;
    struct icaltimetype start = icaltime_null_time();
    for (int part = 0; part < N_PARTS; part++)
        put_in_order(&sorted.by[part]);
    rule_write(&sorted);
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

/* ---- what libical does otherwise ---- */

/* Whether DTSTART is what the rule itself gives. */
static bool rule_matches_start(const struct rule *r)
{
    struct rrule one;
    struct arena a;
    struct rrule_walk w;
    arena_init(&a, 0);
    if (rrule_parse(&a, r->text, strlen(r->text), r->dtstart, r->all_day, &one, NULL) < 0)
        exit(1);
    rrule_walk_init(&w, &one);
    bool matches = rrule_next(&w, r->dtstart) == r->dtstart;
    arena_done(&a);
    return matches;
}

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

bool rule_dangerous(const struct rule *r)
{
    bool limited = r->by[BYMONTH].n || r->by[BYMONTHDAY].n || r->by[BYYEARDAY].n || r->by[BYDAY].n;
    return (r->freq < RRULE_DAILY && (limited || has_times(r))) ||
           (r->by[BYWEEKNO].n && (!r->by[BYDAY].n || has_negative(&r->by[BYWEEKNO])));
}

bool rule_sparse(const struct rule *r, const struct answer *own)
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
    rule_write(&floating);
    arena_init(&a, 0);
    rule_ours(rule_parse(&a, &floating), RECUR_BEGINNING, &readings);
    arena_done(&a);
    int64_t change = own->at[0], last = readings.at[readings.n - 1] + 366 * 86400;
    while ((change = tz_next_change(tz, change)) < last) {
        int64_t before = tz_offset(tz, change - 1), gap = tz_offset(tz, change) - before;
        for (int i = 0; i < readings.n && gap > 0; i++)
            skips |= ((readings.at[i] - change - before) % 86400 + 86400) % 86400 < gap;
    }
    return skips;
}

const char *const family_names[] = {
    "WEEKLY with INTERVAL goes from the first match instead of DTSTART's week",
    "WEEKLY with INTERVAL, and BYWEEKNO, mistake weeks that don't start on Monday",
    "BYSETPOS counts a day twice that BYMONTHDAY or BYYEARDAY names twice",
    "DAILY ignores BYMONTHDAY from the end",
    "YEARLY takes BYMONTHDAY in DTSTART's month only",
    "BYYEARDAY beside BYMONTH gives nothing",
    "BYSETPOS is ignored up to WEEKLY",
    "BYSETPOS counts days, not times",
    "BYWEEKNO beside other days",
    "below a day, time goes on by elapsed hours",
    "a time that the clock skips shifts what comes after it",
};

/* All quotations: RFC 5545. */
enum family rule_explained(const struct rule *r, const struct answer *own)
{
    /* 3.3.10: intervals are of the week, as WKST has it, that DTSTART is in: the example of 5
     * August 1997 in 3.8.5.3 takes the Sunday of DTSTART's own week. */
    if (r->freq == RRULE_WEEKLY && r->interval > 1 && !rule_matches_start(r))
        return WEEK_OF_START;
    /* 3.3.10: WKST "is significant when a WEEKLY rule has an interval greater than 1 [...] This is
     * also significant when in a YEARLY rule when a BYWEEKNO rule part is specified"; see the last
     * example of 3.8.5.3 but one. */
    if (r->week_start != 1 && ((r->freq == RRULE_WEEKLY && r->interval > 1) || r->by[BYWEEKNO].n))
        return WEEK_START;
    /* 3.3.10: BYSETPOS operates on a set, which has no member twice: the 13th is also the 18th from
     * the end, and the year's 306th day the 60th. */
    if (r->by[BYSETPOS].n && (has_negative(&r->by[BYMONTHDAY]) || has_negative(&r->by[BYYEARDAY])))
        return SETPOS_OF_SETS;
    /* 3.3.10: "Valid values are 1 to 31 or -31 to -1"; for DAILY the table has Limit. */
    if (r->freq == RRULE_DAILY && has_negative(&r->by[BYMONTHDAY]))
        return MONTHDAY_FROM_END;
    /* 3.3.10: the table has Expand for BYMONTHDAY in a YEARLY rule: in every month of the year. */
    if (r->freq == RRULE_YEARLY && r->by[BYMONTHDAY].n && !r->by[BYMONTH].n)
        return MONTHDAY_IN_ONE_MONTH;
    /* 3.3.10: parts are applied one after the other, BYMONTH before BYYEARDAY; nothing rules the
     * two out. */
    if (r->by[BYYEARDAY].n && r->by[BYMONTH].n)
        return YEARDAY_IN_MONTHS;
    /* 3.3.10: the table has Limit for BYSETPOS with every frequency. */
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
    /* 3.3.10: a local time that does not exist is interpreted by 3.3.5, for that instance alone. */
    if (time_skipped(r, own))
        return SKIPPED_READING;
    return N_FAMILIES;
}
