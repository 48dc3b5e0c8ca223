/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds readings: the first day that a rule selects, in the bitmap of its year, and the first time
 * on it; for BYSETPOS all days of a period; below a day the units that INTERVAL leaves, skipping
 * what BY parts leave out a second, minute, hour or day at a time.
 */
#include "services/calendar/core/recur/rrule_days.h"
#include "engine/text/civil.h"
#include <string.h>

#define LAST_YEAR 9999
/* A COUNT that walking this long from DTSTART does not use up, day by day or period by period, ends
 * with the calendar: a thousand years of days, of weeks. */
#define COUNT_DAYS    INT64_C(365243)
#define COUNT_PERIODS 52178

/* ---- times within a unit ---- */

static int next_in_word(uint64_t bits, int at)
{
    bits = at > 63 ? 0 : bits >> at << at;
    return bits ? __builtin_ctzll(bits) : -1;
}

/* The first time at or after one; -1 when there is none. */
static int64_t times_next(const struct rrule_times *t, int from)
{
    if (t->list) {
        unsigned low = 0, high = t->n;
        while (low < high) {
            unsigned mid = (low + high) / 2;
            if (t->list[mid] < (uint32_t)from)
                low = mid + 1;
            else
                high = mid;
        }
        return low < t->n ? (int64_t)t->list[low] : -1;
    }
    int h = from / 3600, m = from / 60 % 60, s = from % 60;
    if (t->hours >> h & 1) {
        if (t->minutes >> m & 1) {
            s = next_in_word(t->seconds, s);
            if (s >= 0)
                return h * 3600 + m * 60 + s;
        }
        m = next_in_word(t->minutes, m + 1);
        if (m >= 0)
            return h * 3600 + m * 60 + __builtin_ctzll(t->seconds);
    }
    h = next_in_word(t->hours, h + 1);
    return h < 0 ? -1 : h * 3600 + __builtin_ctzll(t->minutes) * 60 + __builtin_ctzll(t->seconds);
}

static int64_t times_select(const struct rrule_times *t, unsigned k)
{
    if (t->list)
        return t->list[k];
    unsigned seconds = (unsigned)__builtin_popcountll(t->seconds);
    unsigned minutes = (unsigned)__builtin_popcountll(t->minutes);
    return select_in_word(t->hours, k / seconds / minutes) * 3600 +
           select_in_word(t->minutes, k / seconds % minutes) * 60 +
           select_in_word(t->seconds, k % seconds);
}

static unsigned times_before(const struct rrule_times *t, int64_t limit)
{
    unsigned low = 0, high = t->n;
    while (low < high) {
        unsigned mid = (low + high) / 2;
        if (times_select(t, mid) < limit)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

/* ---- walking ---- */

void rrule_walk_init(struct rrule_walk *w, const struct rrule *rule)
{
    memset(w, 0, sizeof *w);
    w->rule = rule;
}

static void load_year(struct rrule_walk *w, int year)
{
    if (w->length && w->year == year)
        return;
    w->year = year;
    w->jan1 = days_from_civil(year, 1, 1);
    w->length = days_in_month(year, 2) == 29 ? 366 : 365;
    rrule_year_days(w->rule, year, true, w->jan1, w->length, w->days);
    w->steps += 4;
}

static void load_year_of(struct rrule_walk *w, int64_t day)
{
    int year, month, mday;
    if (w->length && day >= w->jan1 && day < w->jan1 + w->length)
        return;
    civil_from_days(day, &year, &month, &mday);
    load_year(w, year);
}

/* The first selected day at or after one, or RRULE_NEVER. */
static int64_t next_day(struct rrule_walk *w, int64_t day)
{
    const struct rrule *r = w->rule;
    int64_t last = div_floor(r->last, SECONDS_PER_DAY);
    if (r->every_day) {
        if (r->freq == RRULE_DAILY && r->interval > 1)
            day += mod_floor(r->period0 - day, r->interval);
        return day <= last ? day : RRULE_NEVER;
    }
    load_year_of(w, day);
    int at = next_bit(w->days, (int)(day - w->jan1));
    while (at < 0) {
        int64_t year = w->year + 1;
        if (r->freq == RRULE_YEARLY && !r->by_weekno)
            year += mod_floor(r->period0 - year, r->interval);
        if (year > LAST_YEAR || w->jan1 + w->length > last)
            return RRULE_NEVER;
        load_year(w, (int)year);
        at = next_bit(w->days, 0);
    }
    return w->jan1 + at;
}

static int64_t next_by_day(struct rrule_walk *w, int64_t local)
{
    const struct rrule_times *times = &w->rule->times;
    int64_t day = div_floor(local, SECONDS_PER_DAY), found = next_day(w, day);
    if (found == day) {
        int64_t t = times_next(times, (int)(local - day * SECONDS_PER_DAY));
        if (t >= 0)
            return day * SECONDS_PER_DAY + t;
        found = next_day(w, day + 1);
    }
    return found == RRULE_NEVER ? found : found * SECONDS_PER_DAY + times_next(times, 0);
}

/* ---- BYSETPOS in weeks, months and years ---- */

/* The selected days of a span of at most 371 days, bit 0 its first. */
static void span_days(struct rrule_walk *w, int64_t first, int length, uint64_t days[WORDS])
{
    memset(days, 0, WORDS * sizeof *days);
    for (int done = 0; done < length;) {
        load_year_of(w, first + done);
        int at = (int)(first + done - w->jan1);
        int n = w->length - at < length - done ? w->length - at : length - done;
        for (int i = next_bit(w->days, at); i >= 0 && i < at + n; i = next_bit(w->days, i + 1))
            set_bit(days, done + i - at);
        done += n;
    }
}

/* What a position stands for in a set of n; -1 when it is outside. */
static int64_t position(int setpos, int64_t n)
{
    int64_t at = setpos > 0 ? setpos - 1 : n + setpos;
    return at >= 0 && at < n ? at : -1;
}

/* The first reading at or after local that BYSETPOS takes from a period, or RRULE_NEVER. */
static int64_t next_in_period(struct rrule_walk *w, int64_t period, int64_t local)
{
    const struct rrule *r = w->rule;
    uint64_t days[WORDS];
    int64_t first, best = RRULE_NEVER;
    int length;
    rrule_span(r, period, &first, &length);
    span_days(w, first, length, days);
    int64_t n = (int64_t)count_bits(days) * r->times.n;
    for (unsigned i = 0; i < r->n_setpos; i++) {
        int64_t k = position(r->setpos[i], n);
        if (k < 0)
            continue;
        int64_t day = first + select_bit(days, (unsigned)(k / r->times.n));
        int64_t at = day * SECONDS_PER_DAY + times_select(&r->times, (unsigned)(k % r->times.n));
        if (at >= local && at < best)
            best = at;
    }
    w->steps += 2 + r->n_setpos / 4;
    return best;
}

static int64_t next_by_position(struct rrule_walk *w, int64_t local)
{
    const struct rrule *r = w->rule;
    int64_t period = rrule_period(r, local);
    period += mod_floor(r->period0 - period, r->interval);
    /* One period more than the calendar takes to repeat, as the first may be cut by local. */
    for (int64_t left = r->cycle + 1; left >= 0 && w->steps < RRULE_STEPS; left--) {
        int64_t first;
        int length;
        rrule_span(r, period, &first, &length);
        if (first * SECONDS_PER_DAY > r->last)
            break;
        int64_t found = next_in_period(w, period, local);
        if (found != RRULE_NEVER)
            return found;
        period += r->interval;
    }
    return RRULE_NEVER;
}

/* ---- hours, minutes, seconds ---- */

static int unit_seconds(const struct rrule *r)
{
    return r->freq == RRULE_HOURLY ? 3600 : r->freq == RRULE_MINUTELY ? 60 : 1;
}

/* The first second of a day, at or after one that is the start of a unit, in a unit that BYHOUR,
 * BYMINUTE and BYSECOND allow; -1 when there is none. */
static int64_t next_allowed(const struct rrule *r, int second)
{
    int h = second / 3600, m = second / 60 % 60, s = second % 60;
    if (r->hours >> h & 1) {
        if (r->minutes >> m & 1) {
            s = next_in_word(r->seconds, s);
            if (s >= 0)
                return h * 3600 + m * 60 + s;
        }
        m = next_in_word(r->minutes, m + 1);
        if (m >= 0)
            return h * 3600 + m * 60 + __builtin_ctzll(r->seconds);
    }
    h = next_in_word(r->hours, h + 1);
    return h < 0 ? -1 : h * 3600 + __builtin_ctzll(r->minutes) * 60 + __builtin_ctzll(r->seconds);
}

/* The first unit at or after one that INTERVAL leaves. */
static int64_t align(const struct rrule *r, int64_t unit)
{
    return unit + mod_floor(r->period0 - unit, r->interval);
}

static int64_t next_by_unit(struct rrule_walk *w, int64_t local)
{
    const struct rrule *r = w->rule;
    const int size = unit_seconds(r), per_day = (int)SECONDS_PER_DAY / size;
    int64_t in = div_floor(local, size), unit = align(r, in);
    int from = unit == in ? (int)(local - in * size) : 0;
    for (;; from = 0) {
        if (unit > r->last / size + 1 || ++w->steps >= RRULE_STEPS)
            return RRULE_NEVER;
        int64_t day = div_floor(unit, per_day), found = next_day(w, day);
        if (found == RRULE_NEVER)
            return found;
        if (found != day) {
            unit = align(r, found * per_day);
            continue;
        }
        int second = (int)(unit - day * per_day) * size;
        int64_t allowed = next_allowed(r, second);
        if (allowed == second) {
            int64_t t = times_next(&r->times, from);
            if (t >= 0)
                return unit * size + t;
            unit += r->interval;
        } else {
            unit = align(r, allowed < 0 ? (day + 1) * per_day : day * per_day + allowed / size);
        }
    }
}

static bool unit_allowed(const struct rrule *r, int64_t unit)
{
    int second = (int)unit * unit_seconds(r);
    return next_allowed(r, second) == second;
}

int64_t rrule_gcd(int64_t a, int64_t b)
{
    while (b) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* Whether the interval, going round the clock for ever, never meets an allowed unit of a day. */
static bool interval_misses(const struct rrule *r)
{
    int64_t per_day = SECONDS_PER_DAY / unit_seconds(r), step = rrule_gcd(per_day, r->interval);
    for (int64_t unit = mod_floor(r->period0, step); unit < per_day; unit += step)
        if (unit_allowed(r, unit))
            return false;
    return true;
}

bool rrule_selects_nothing(const struct rrule *r)
{
    /* These years begin on each weekday, with and without a leap day. */
    for (int year = 2001; year <= 2028; year++) {
        uint64_t days[WORDS];
        int length = days_in_month(year, 2) == 29 ? 366 : 365;
        rrule_year_days(r, year, false, days_from_civil(year, 1, 1), length, days);
        if (count_bits(days))
            return r->freq < RRULE_DAILY && interval_misses(r);
    }
    return true;
}

int64_t rrule_next(struct rrule_walk *w, int64_t local)
{
    const struct rrule *r = w->rule;
    int64_t found;
    if (local < r->dtstart)
        local = r->dtstart;
    if (r->never || local > r->last)
        return RRULE_NEVER;
    if (r->n_setpos)
        found = next_by_position(w, local);
    else if (r->freq >= RRULE_DAILY)
        found = next_by_day(w, local);
    else
        found = next_by_unit(w, local);
    return found > r->last ? RRULE_NEVER : found;
}

/* ---- COUNT ---- */

static int64_t day_reading(const struct rrule *r, int64_t day, unsigned k)
{
    return day * SECONDS_PER_DAY + times_select(&r->times, k);
}

/* The count-th local time of a rule without BYSETPOS whose units are days or more. */
static int64_t nth_by_day(struct rrule_walk *w, int64_t count)
{
    const struct rrule *r = w->rule;
    int64_t day0 = div_floor(r->dtstart, SECONDS_PER_DAY);
    int64_t n_times = r->times.n;
    if (r->every_day) {
        count += times_before(&r->times, r->dtstart - day0 * SECONDS_PER_DAY);
        int64_t day = day0 + (count - 1) / n_times * r->interval;
        return day > RRULE_END / SECONDS_PER_DAY
                   ? RRULE_END
                   : day_reading(r, day, (unsigned)((count - 1) % n_times));
    }
    load_year_of(w, day0);
    /* Count from the start of the year: with what comes before DTSTART. */
    for (int at = next_bit(w->days, 0); at >= 0 && w->jan1 + at < day0;
         at = next_bit(w->days, at + 1))
        count += n_times;
    if (next_bit(w->days, (int)(day0 - w->jan1)) == day0 - w->jan1)
        count += times_before(&r->times, r->dtstart - day0 * SECONDS_PER_DAY);
    for (int year = w->year; year <= LAST_YEAR; year++) {
        load_year(w, year);
        int64_t n = count_bits(w->days) * n_times;
        if (count <= n) {
            int64_t day = w->jan1 + select_bit(w->days, (unsigned)((count - 1) / n_times));
            return day_reading(r, day, (unsigned)((count - 1) % n_times));
        }
        count -= n;
    }
    return RRULE_END;
}

/* How many readings BYSETPOS takes from a set of n: two positions may mean the same. */
static int64_t count_positions(const struct rrule *r, int64_t n)
{
    uint64_t seen[WORDS] = {0}; /* positions from the start */
    int64_t found = 0;
    for (unsigned i = 0; i < r->n_setpos; i++)
        if (r->setpos[i] > 0 && r->setpos[i] <= n) {
            set_bit(seen, r->setpos[i] - 1);
            found++;
        }
    for (unsigned i = 0; i < r->n_setpos; i++) {
        int64_t at = r->setpos[i] < 0 ? position(r->setpos[i], n) : -1;
        if (at >= 0 && !(at < WORDS * 64 && seen[at >> 6] >> (at & 63) & 1))
            found++;
    }
    return found;
}

static int64_t nth_by_position(struct rrule_walk *w, int64_t count)
{
    const struct rrule *r = w->rule;
    int64_t from = r->dtstart, period = r->period0;
    int64_t taken[WORDS * 64]; /* from so many days; -1: not counted yet */
    memset(taken, 0xff, sizeof taken);
    for (int i = 0; i <= COUNT_PERIODS; i++, period += r->interval, from = INT64_MIN) {
        uint64_t days[WORDS];
        int64_t first;
        int length;
        rrule_span(r, period, &first, &length);
        if (first * SECONDS_PER_DAY > RRULE_END)
            break;
        span_days(w, first, length, days);
        unsigned n = count_bits(days);
        if (taken[n] < 0)
            taken[n] = count_positions(r, (int64_t)n * r->times.n);
        if (from == INT64_MIN && count > taken[n]) {
            count -= taken[n];
            continue;
        }
        int64_t found = next_in_period(w, period, from);
        for (; found != RRULE_NEVER; found = next_in_period(w, period, found + 1))
            if (--count == 0)
                return found;
    }
    return RRULE_END;
}

/* How many units of a day may recur when the first that INTERVAL leaves is the rest-th. */
struct unit_counts {
    const struct rrule *rule;
    int per_day;
    bool limited;        /* by BYHOUR, BYMINUTE or BYSECOND */
    const uint32_t *sum; /* by rest, for intervals shorter than a day that don't divide it */
};

static int64_t units_on(const struct unit_counts *c, int64_t rest)
{
    int64_t interval = c->rule->interval, n = 0;
    if (rest >= c->per_day)
        return 0;
    if (!c->limited)
        return (c->per_day - 1 - rest) / interval + 1;
    if (c->sum)
        return c->sum[rest];
    for (int64_t unit = rest; unit < c->per_day; unit += interval)
        n += unit_allowed(c->rule, unit);
    return n;
}

static int64_t nth_on_day(const struct unit_counts *c, int64_t day, int64_t rest, int64_t k)
{
    const struct rrule *r = c->rule;
    int64_t unit = rest;
    for (int64_t left = k / r->times.n;; unit += r->interval)
        if (unit_allowed(r, unit) && left-- == 0)
            break;
    return (day * c->per_day + unit) * unit_seconds(r) +
           times_select(&r->times, (unsigned)(k % r->times.n));
}

static int64_t nth_by_unit(struct arena *a, struct rrule_walk *w, int64_t count)
{
    const struct rrule *r = w->rule;
    const int size = unit_seconds(r);
    struct unit_counts c = {r, (int)SECONDS_PER_DAY / size, false, NULL};
    int64_t day0 = div_floor(r->period0, c.per_day);
    /* Count from the start of the first unit and, when it counts by days, of the first day. */
    if (unit_allowed(r, r->period0 - day0 * c.per_day) && next_day(w, day0) == day0)
        count += times_before(&r->times, r->dtstart - r->period0 * size);
    c.limited = (r->hours != (1u << 24) - 1) ||
                (size < 3600 && r->minutes != (UINT64_C(1) << 60) - 1) ||
                (size < 60 && r->seconds != (UINT64_C(1) << 60) - 1);
    if (!c.limited && r->every_day) {
        int64_t unit = r->period0 + (count - 1) / r->times.n * r->interval;
        if (unit > RRULE_END / size)
            return RRULE_END;
        return unit * size + times_select(&r->times, (unsigned)((count - 1) % r->times.n));
    }
    if (c.limited && c.per_day % r->interval && r->interval < c.per_day) {
        uint32_t *sum = arena_calloc(a, (size_t)r->interval, sizeof *sum);
        if (arena_failed(a))
            return RRULE_END; /* the arena's owner drops the rule */
        for (int unit = 0; unit < c.per_day; unit++)
            sum[unit % r->interval] += unit_allowed(r, unit);
        c.sum = sum;
    }
    if (next_day(w, day0) == day0)
        for (int64_t unit = r->period0 - r->interval; unit >= day0 * c.per_day; unit -= r->interval)
            count += unit_allowed(r, unit - day0 * c.per_day) ? r->times.n : 0;
    bool same = c.per_day % r->interval == 0;
    int64_t each = same ? units_on(&c, mod_floor(r->period0, r->interval)) * r->times.n : 0;
    if (same && !each)
        return RRULE_END;
    /* Without an interval's drift a year's days are alike and are taken together. */
    for (int64_t day = day0; (day = next_day(w, day)) != RRULE_NEVER; day++) {
        if (!same && day - day0 > COUNT_DAYS)
            break;
        if (same && !r->every_day && day == w->jan1 + next_bit(w->days, 0) &&
            count > each * (int64_t)count_bits(w->days)) {
            count -= each * (int64_t)count_bits(w->days);
            day = w->jan1 + w->length - 1;
            continue;
        }
        if (same && r->every_day && count > each) {
            int64_t skip = (count - 1) / each;
            if (skip > RRULE_END / SECONDS_PER_DAY - day)
                return RRULE_END;
            count -= skip * each;
            day += skip;
        }
        int64_t rest = mod_floor(r->period0 - day * c.per_day, r->interval);
        int64_t n = same ? each : units_on(&c, rest) * r->times.n;
        if (count <= n)
            return nth_on_day(&c, day, rest, count - 1);
        count -= n;
    }
    return RRULE_END;
}

void rrule_end_by_count(struct arena *a, struct rrule *r, int64_t count)
{
    struct rrule_walk w;
    rrule_walk_init(&w, r);
    r->bounded = true;
    /* A DTSTART that does not match does not count: the live service has it as one more (two people
     * report it with lists), though RFC 5545 (3.3.10) has it as the first. */
    if (!r->never && r->n_setpos)
        r->last = nth_by_position(&w, count);
    else if (!r->never && r->freq >= RRULE_DAILY)
        r->last = nth_by_day(&w, count);
    else if (!r->never)
        r->last = nth_by_unit(a, &w, count);
}
