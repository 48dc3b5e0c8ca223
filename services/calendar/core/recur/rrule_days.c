/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The days of a rule. The parts that name days all limit one another (the table of RFC
 * 5545, 3.3.10, comes to that once the parts missing from a rule are taken from DTSTART), so the
 * days of a year are the intersection of one bitmap a part and of the periods that INTERVAL leaves.
 */
#include "services/calendar/core/recur/rrule_days.h"
#include "engine/text/civil.h"
#include <string.h>

/* A year that has no day of the calendar: an INTERVAL may lead further than an int. */
#define BEYOND 10001

/* ---- bitmaps of days ---- */

/* Sets from <= bit < to, as far as it is in 0 <= bit < length. */
static void set_range(uint64_t days[WORDS], int64_t from, int64_t to, int length)
{
    int at = from < 0 ? 0 : from > length ? length : (int)from;
    int end = to > length ? length : to < 0 ? 0 : (int)to;
    while (at < end) {
        int in_word = at & 63, n = end - at < 64 - in_word ? end - at : 64 - in_word;
        uint64_t ones = n == 64 ? ~UINT64_C(0) : (UINT64_C(1) << n) - 1;
        days[at >> 6] |= ones << in_word;
        at += n;
    }
}

/* ORs up to 32 bits in at a place. */
static void put_bits(uint64_t days[WORDS], int at, uint64_t bits)
{
    int word = at >> 6, in_word = at & 63;
    days[word] |= bits << in_word;
    if (in_word > 32 && word + 1 < WORDS)
        days[word + 1] |= bits >> (64 - in_word);
}

/* ---- periods ---- */

static int64_t week_of(const struct rrule *r, int64_t day)
{
    return div_floor(day + 4 - r->week_start, 7); /* day 0 was a Thursday */
}

static int64_t week_first(const struct rrule *r, int64_t week)
{
    return week * 7 - 4 + r->week_start;
}

/* The first day of week 1, which has at least four days in the year. */
static int64_t year_week1(const struct rrule *r, int year)
{
    int64_t jan1 = days_from_civil(year, 1, 1);
    int into = (weekday_from_days(jan1) - r->week_start + 7) % 7;
    return jan1 - into + (into > 3 ? 7 : 0);
}

int64_t rrule_period(const struct rrule *r, int64_t local)
{
    int64_t day = div_floor(local, SECONDS_PER_DAY);
    int year, month, mday;
    switch (r->freq) {
    case RRULE_SECONDLY:
        return local;
    case RRULE_MINUTELY:
        return div_floor(local, 60);
    case RRULE_HOURLY:
        return div_floor(local, 3600);
    case RRULE_DAILY:
        return day;
    case RRULE_WEEKLY:
        return week_of(r, day);
    default:
        civil_from_days(day, &year, &month, &mday);
        if (r->freq == RRULE_MONTHLY)
            return year * 12 + month - 1;
        /* A year of weeks is not the calendar's: its ends may lie in the years before and after. */
        if (r->by_weekno && day >= year_week1(r, year + 1))
            return year + 1;
        return r->by_weekno && day < year_week1(r, year) ? year - 1 : year;
    }
}

static bool in_phase(const struct rrule *r, int64_t period)
{
    return r->interval == 1 || (period - r->period0) % r->interval == 0;
}

/* ---- the days of a year ---- */

static void days_by_weekday(const struct rrule *r, int first, int base, int length,
                            uint64_t days[WORDS])
{
    for (unsigned left = r->weekdays | r->nth_days; left; left &= left - 1) {
        int weekday = __builtin_ctz(left);
        int one = (weekday - first + 7) % 7;
        int end = one + (length - 1 - one) / 7 * 7;
        if (r->weekdays >> weekday & 1) {
            for (int at = one; at < length; at += 7)
                set_bit(days, base + at);
            continue;
        }
        for (uint64_t n = r->nth[weekday].first; n; n &= n - 1) {
            int at = one + 7 * (__builtin_ctzll(n) - 1);
            if (at < length)
                set_bit(days, base + at);
        }
        for (uint64_t n = r->nth[weekday].last; n; n &= n - 1) {
            int at = end - 7 * (__builtin_ctzll(n) - 1);
            if (at >= 0)
                set_bit(days, base + at);
        }
    }
}

static void and_weekdays(const struct rrule *r, int year, int jan1_weekday, int length,
                         uint64_t days[WORDS])
{
    uint64_t some[WORDS] = {0};
    if (r->nth_days && r->nth_in_month) {
        for (int month = 1, at = 0; month <= 12; at += days_in_month(year, month++))
            if (!r->months || r->months >> month & 1)
                days_by_weekday(r, (jan1_weekday + at) % 7, at, days_in_month(year, month), some);
    } else if (r->nth_days) {
        days_by_weekday(r, jan1_weekday, 0, length, some);
    } else {
        /* The week's seven bits over and over: 64 bits are nine weeks and a day. */
        for (int i = 0; i < WORDS; i++) {
            int first = (jan1_weekday + i) % 7;
            uint64_t week = (r->weekdays >> first | r->weekdays << (7 - first)) & 127;
            some[i] = week * UINT64_C(0x8102040810204081);
        }
    }
    for (int i = 0; i < WORDS; i++)
        days[i] &= some[i];
}

/* BYMONTH and BYMONTHDAY, and the months that INTERVAL leaves to a monthly rule. */
static void and_months(const struct rrule *r, int year, bool phased, uint64_t days[WORDS])
{
    uint64_t some[WORDS] = {0};
    for (int month = 1, at = 0; month <= 12; at += days_in_month(year, month++)) {
        int length = days_in_month(year, month);
        if (r->months && !(r->months >> month & 1))
            continue;
        if (phased && r->freq == RRULE_MONTHLY && !in_phase(r, year * 12 + month - 1))
            continue;
        uint64_t bits = (UINT64_C(1) << length) - 1;
        if (r->by_monthday)
            bits &= r->monthdays | r->monthdays_end >> (31 - length);
        put_bits(some, at, bits);
    }
    for (int i = 0; i < WORDS; i++)
        days[i] &= some[i];
}

static void and_yeardays(const struct rrule *r, int length, uint64_t days[WORDS])
{
    for (int i = 0; i < WORDS; i++) {
        uint64_t end = r->yeardays_end[i];
        if (length == 365)
            end = end >> 1 | (i + 1 < WORDS ? r->yeardays_end[i + 1] << 63 : 0);
        days[i] &= r->yeardays[i] | end;
    }
}

static void and_weeks(const struct rrule *r, int year, bool phased, int64_t jan1, int length,
                      uint64_t days[WORDS])
{
    uint64_t some[WORDS] = {0};
    for (int y = year - 1; y <= year + 1; y++) {
        if (phased && !in_phase(r, y))
            continue;
        int64_t first = year_week1(r, y) - jan1;
        int n = (int)((year_week1(r, y + 1) - jan1 - first) / 7);
        for (uint64_t left = r->weeks; left; left &= left - 1) {
            int week = __builtin_ctzll(left);
            if (week <= n)
                set_range(some, first + 7 * (week - 1), first + 7 * week, length);
        }
        for (uint64_t left = r->weeks_end; left; left &= left - 1) {
            int week = n + 1 - __builtin_ctzll(left);
            if (week >= 1)
                set_range(some, first + 7 * (week - 1), first + 7 * week, length);
        }
    }
    for (int i = 0; i < WORDS; i++)
        days[i] &= some[i];
}

/* The weeks or days that INTERVAL leaves. */
static void and_phase(const struct rrule *r, int64_t jan1, int length, uint64_t days[WORDS])
{
    uint64_t some[WORDS] = {0};
    int64_t period = r->freq == RRULE_WEEKLY ? week_of(r, jan1) : jan1;
    period += mod_floor(r->period0 - period, r->interval);
    for (;; period += r->interval) {
        int64_t at = (r->freq == RRULE_WEEKLY ? week_first(r, period) : period) - jan1;
        if (at >= length)
            break;
        set_range(some, at, at + (r->freq == RRULE_WEEKLY ? 7 : 1), length);
    }
    for (int i = 0; i < WORDS; i++)
        days[i] &= some[i];
}

void rrule_year_days(const struct rrule *r, int year, bool phased, int64_t jan1, int length,
                     uint64_t days[WORDS])
{
    memset(days, 0, WORDS * sizeof *days);
    if (phased && r->freq == RRULE_YEARLY && !r->by_weekno && !in_phase(r, year))
        return;
    set_range(days, 0, length, length);
    if (r->months || r->by_monthday || r->freq == RRULE_MONTHLY)
        and_months(r, year, phased, days);
    if (r->weekdays || r->nth_days)
        and_weekdays(r, year, weekday_from_days(jan1), length, days);
    if (r->by_yearday)
        and_yeardays(r, length, days);
    if (r->by_weekno)
        and_weeks(r, year, phased, jan1, length, days);
    if (phased && r->interval > 1 && (r->freq == RRULE_WEEKLY || r->freq == RRULE_DAILY))
        and_phase(r, jan1, length, days);
}

void rrule_span(const struct rrule *r, int64_t period, int64_t *ret_first, int *ret_length)
{
    int64_t first;
    if (r->freq == RRULE_WEEKLY) {
        *ret_first = week_first(r, period);
        *ret_length = 7;
        return;
    }
    if (r->freq == RRULE_MONTHLY) {
        int year = (int)(period / 12), month = (int)(period % 12) + 1;
        *ret_first = days_from_civil(year, month, 1);
        *ret_length = days_in_month(year, month);
        return;
    }
    int year = (int)(period > BEYOND ? BEYOND : period);
    first = r->by_weekno ? year_week1(r, year) : days_from_civil(year, 1, 1);
    *ret_length =
        (int)((r->by_weekno ? year_week1(r, year + 1) : days_from_civil(year + 1, 1, 1)) - first);
    *ret_first = first;
}
