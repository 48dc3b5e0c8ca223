/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a rule expands to by a walk over every unit from DTSTART on, for weeks, months and years
 * over every day of them, that tests each part as the table of RFC 5545, 3.3.10, words it.
 */
#include "tests/model/rules.h"
#include "engine/text/civil.h"
#include <stdlib.h>
#include <string.h>

#define WALK_MAX 60000

/* ---- up to DAILY ---- */

static void add(struct answer *a, int64_t at)
{
    if (a->n < INSTANCES)
        a->at[a->n++] = at;
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

struct walk {
    const struct rule *r;
    struct answer *answer;
    int counted;
};

/* Takes from a set of n times, ascending, what BYSETPOS leaves. True: the answer is whole. */
static bool take_set(struct walk *w, const int64_t *times, int n)
{
    const struct rule *r = w->r;
    const struct list *p = &r->by[BYSETPOS];
    for (int k = 0; k < n; k++) {
        if ((p->n && !has_number(p, k + 1, k - n)) || times[k] < r->dtstart)
            continue;
        if (times[k] == r->dtstart) { /* a start that does not match does not count */
            w->counted++;
            w->answer->matches = true;
            continue;
        }
        if ((r->count && w->counted == r->count) || (r->until && times[k] > r->until)) {
            w->answer->ended = true;
            return true;
        }
        if (w->answer->n == INSTANCES)
            return true;
        add(w->answer, times[k]);
        w->counted++;
    }
    return false;
}

/* Up to DAILY. Gives false when it took too long to say. Without a zone. */
static bool by_walking(const struct rule *r, struct answer *ret)
{
    static const int sizes[] = {1, 60, 3600, 86400};
    int64_t step = (int64_t)sizes[r->freq] * r->interval, unit = r->dtstart;
    struct walk w = {.r = r, .answer = ret};
    for (int i = 0; i < WALK_MAX; i++, unit += step) {
        struct civil c;
        civil_from_seconds(unit, &c);
        int64_t day = (unit - ((unit % 86400) + 86400) % 86400) / 86400, times[64];
        if (c.year > 9999) {
            ret->ended = true;
            return true;
        }
        if (unit_matches(r, &c, day) && take_set(&w, times, expand(r, &c, day * 86400, times)))
            return true;
    }
    return false;
}

/* ---- weeks, months and years ---- */

/* The first day of the first week of a year: the one that has its fourth day. */
static int64_t first_week(const struct rule *r, int year)
{
    int64_t fourth = days_from_civil(year, 1, 4);
    return fourth - (weekday_from_days(fourth) - r->week_start + 7) % 7;
}

/* Of the k-th period from that of DTSTART: its first day, and the day after its last. */
static void period(const struct rule *r, int k, int64_t *ret_first, int64_t *ret_end)
{
    int64_t day = r->dtstart / 86400;
    struct civil c;
    civil_from_seconds(r->dtstart, &c);
    if (r->freq == RRULE_WEEKLY) {
        *ret_first = day - (weekday_from_days(day) - r->week_start + 7) % 7 + INT64_C(7) * k;
        *ret_end = *ret_first + 7;
    } else if (r->freq == RRULE_MONTHLY) {
        int month = c.month - 1 + k;
        *ret_first = days_from_civil(c.year + month / 12, month % 12 + 1, 1);
        *ret_end = days_from_civil(c.year + (month + 1) / 12, (month + 1) % 12 + 1, 1);
    } else if (r->by[BYWEEKNO].n) {
        int year = c.year + (day >= first_week(r, c.year + 1)) - (day < first_week(r, c.year));
        *ret_first = first_week(r, year + k);
        *ret_end = first_week(r, year + k + 1);
    } else {
        *ret_first = days_from_civil(c.year + k, 1, 1);
        *ret_end = days_from_civil(c.year + k + 1, 1, 1);
    }
}

static bool weekday_matches(const struct rule *r, const struct civil *c, int64_t day)
{
    const struct list *l = &r->by[BYDAY];
    bool in_month = r->freq == RRULE_MONTHLY || r->by[BYMONTH].n;
    int64_t first = days_from_civil(c->year, in_month ? c->month : 1, 1);
    int64_t end =
        in_month ? first + days_in_month(c->year, c->month) : days_from_civil(c->year + 1, 1, 1);
    for (int i = 0; i < l->n; i++)
        if (l->at[i] == weekday_from_days(day) &&
            (!l->nth[i] || l->nth[i] == (day - first) / 7 + 1 ||
             -l->nth[i] == (end - 1 - day) / 7 + 1))
            return true;
    return !l->n;
}

/* What a rule does not say is taken from DTSTART. */
static bool default_matches(const struct rule *r, const struct civil *c, int64_t day)
{
    struct civil start;
    civil_from_seconds(r->dtstart, &start);
    if (r->by[BYDAY].n || r->by[BYMONTHDAY].n || r->by[BYYEARDAY].n)
        return true;
    if (r->freq == RRULE_WEEKLY || r->by[BYWEEKNO].n)
        return weekday_from_days(day) == weekday_from_days(r->dtstart / 86400);
    return c->day == start.day &&
           (r->freq == RRULE_MONTHLY || r->by[BYMONTH].n || c->month == start.month);
}

static bool day_matches(const struct rule *r, const struct civil *c, int64_t day, int64_t first,
                        int64_t end)
{
    int64_t jan1 = days_from_civil(c->year, 1, 1), next = days_from_civil(c->year + 1, 1, 1);
    int week = (int)(day - first) / 7 + 1, weeks = (int)(end - first) / 7;
    return has_number(&r->by[BYMONTH], c->month, c->month) &&
           has_number(&r->by[BYMONTHDAY], c->day, c->day - days_in_month(c->year, c->month) - 1) &&
           has_number(&r->by[BYYEARDAY], (int)(day - jan1) + 1, (int)(day - next)) &&
           has_number(&r->by[BYWEEKNO], week, week - weeks - 1) && weekday_matches(r, c, day) &&
           default_matches(r, c, day);
}

/* From WEEKLY on; the same otherwise. */
static bool by_periods(const struct rule *r, struct answer *ret)
{
    static int64_t times[371 * 64];
    struct walk w = {.r = r, .answer = ret};
    struct civil start;
    civil_from_seconds(r->dtstart, &start);
    for (int k = 0, days = 0; days < WALK_MAX / 3; k += r->interval) {
        int64_t first, end;
        int n = 0;
        period(r, k, &first, &end);
        for (int64_t day = first; day < end; day++, days++) {
            struct civil c;
            civil_from_seconds(day * 86400, &c);
            if (c.year > 9999) {
                ret->ended = true;
                return true;
            }
            if (day_matches(r, &c, day, first, end))
                n += expand(r, &start, day * 86400, times + n);
        }
        if (take_set(&w, times, n))
            return true;
    }
    return false;
}

bool rule_walked(const struct rule *r, struct answer *ret)
{
    memset(ret, 0, sizeof *ret);
    add(ret, r->dtstart);
    return r->freq <= RRULE_DAILY ? by_walking(r, ret) : by_periods(r, ret);
}
