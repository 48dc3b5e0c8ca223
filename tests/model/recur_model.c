/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recurrence rules compared with two other results, over thousands of generated rules (a fixed
 * seed, or the seed and number given as arguments):
 *  - libical, for what it can be asked: it does not come back from rules below a day that limit
 * days, so those are not put to it;
 *  - a walk over every unit from DTSTART on, for weeks, months and years over every day of them,
 * that tests each part as the table of RFC 5545, 3.3.10, words it. And our own answers from the
 * middle of a series are compared with those from its start.
 *
 * Where libical differs from RFC 5545, the family is recognised by a predicate over the rule, with
 * the reason beside it, and counted as explained.
 */
#include "tests/model/rules.h"
#include "tests/support/dose.h"
#include "engine/text/civil.h"
#include <libical/ical.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WALK_MAX 60000

/* ---- the third result ---- */

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

static bool by_days(const struct rule *r, struct answer *ret)
{
    memset(ret, 0, sizeof *ret);
    add(ret, r->dtstart);
    return r->freq <= RRULE_DAILY ? by_walking(r, ret) : by_periods(r, ret);
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
        rule_ours(recur, all->at[k] - (int64_t)(rule_random % (uint64_t)gap), &part);
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
    rule_generate(&r);
    const struct recur *recur = rule_parse(&a, &r);
    bool whole = rule_ours(recur, RECUR_BEGINNING, &own);
    t->gave_up += !whole;
    if (whole)
        check_windows(&r, recur, &own);
    if (whole && !r.zone && by_days(&r, &other)) {
        t->walked++;
        if (!same(&own, &other))
            show("by walking", &r, &own, &other);
    }
    if (!whole || rule_dangerous(&r) || rule_sparse(&r, &own)) {
        t->not_asked++;
    } else {
        t->asked++;
        rule_by_libical(&r, &other);
        cut(&own);
        enum family f = same(&own, &other) ? N_FAMILIES : rule_explained(&r, &own);
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
    int n = argc > 2 ? atoi(argv[2]) : dose(3000, 500);
    struct tally t = {0};
    if (argc > 1)
        rule_random ^= strtoull(argv[1], NULL, 10) * 0x9e3779b97f4a7c15u;
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
