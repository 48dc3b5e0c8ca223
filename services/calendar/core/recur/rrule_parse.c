/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The grammar of recurrence rules (RFC 5545, 3.3.10), and what a rule leaves to DTSTART. Strict,
 * but for what is harmless and usual: lower case, a semicolon at the end, X- parts, signs where the
 * grammar has them.
 */
#include "services/calendar/core/recur/rrule.h"
#include "engine/base/codec.h"
#include "engine/text/civil.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Numbers in one list; more than any list without repetition has. */
#define LIST_MAX 800
#define LEN_MAX  16384

enum part {
    PART_FREQ,
    PART_UNTIL,
    PART_COUNT,
    PART_INTERVAL,
    PART_WKST,
    PART_BYSECOND,
    PART_BYMINUTE,
    PART_BYHOUR,
    PART_BYDAY,
    PART_BYMONTHDAY,
    PART_BYYEARDAY,
    PART_BYWEEKNO,
    PART_BYMONTH,
    PART_BYSETPOS,
    PART_N
};

static const struct {
    const char *name;
    int low, high; /* of the numbers in a list */
    bool sign;     /* they may be negative */
} parts[PART_N] = {
    [PART_FREQ] = {"FREQ", 0, 0, false},
    [PART_UNTIL] = {"UNTIL", 0, 0, false},
    [PART_COUNT] = {"COUNT", 0, 0, false},
    [PART_INTERVAL] = {"INTERVAL", 0, 0, false},
    [PART_WKST] = {"WKST", 0, 0, false},
    [PART_BYSECOND] = {"BYSECOND", 0, 60, false},
    [PART_BYMINUTE] = {"BYMINUTE", 0, 59, false},
    [PART_BYHOUR] = {"BYHOUR", 0, 23, false},
    [PART_BYDAY] = {"BYDAY", 1, 53, true},
    [PART_BYMONTHDAY] = {"BYMONTHDAY", 1, 31, true},
    [PART_BYYEARDAY] = {"BYYEARDAY", 1, 366, true},
    [PART_BYWEEKNO] = {"BYWEEKNO", 1, 53, true},
    [PART_BYMONTH] = {"BYMONTH", 1, 12, false},
    [PART_BYSETPOS] = {"BYSETPOS", 1, 366, true},
};

static const char *const freq_names[] = {"SECONDLY", "MINUTELY", "HOURLY", "DAILY",
                                         "WEEKLY",   "MONTHLY",  "YEARLY"};
static const char weekday_names[7][3] = {"SU", "MO", "TU", "WE", "TH", "FR", "SA"};

struct parser {
    struct arena *arena;
    struct rrule *rule;
    struct sosia_err *err;
    unsigned have; /* bit of each part */
    int64_t count;
    int16_t setpos[LIST_MAX];
    unsigned n_setpos;
};

static bool has(const struct parser *p, enum part part)
{
    return p->have >> part & 1;
}

__attribute__((format(printf, 2, 3))) static int bad_rule(struct parser *p, const char *fmt, ...)
{
    char text[160];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    return sosia_fail(p->err, SOSIA_E_INVALID, "invalid", "recurrence",
                      "Invalid recurrence rule: %s.", text);
}

static int bad_value(struct parser *p, enum part part, const char *text, size_t len)
{
    return bad_rule(p, "%s can't be \"%.*s\"", parts[part].name, (int)(len > 40 ? 40 : len), text);
}

/* ---- values ---- */

static int weekday(const char *text, size_t len)
{
    for (int i = 0; i < 7; i++)
        if (str_is_nocase(text, len, weekday_names[i]))
            return i;
    return -1;
}

/* One number of a list: at most three digits, perhaps a sign. */
static int number(enum part part, const char *text, size_t len, int *ret)
{
    size_t at = 0;
    int v = 0;
    bool minus = false;
    if (parts[part].sign && len && (*text == '+' || *text == '-'))
        minus = text[at++] == '-';
    if (at == len || len - at > 3)
        return -1;
    for (; at < len; at++) {
        if (text[at] < '0' || text[at] > '9')
            return -1;
        v = v * 10 + (text[at] - '0');
    }
    if (v < parts[part].low || v > parts[part].high)
        return -1;
    *ret = minus ? -v : v;
    return 0;
}

static int two(const char *text)
{
    return (text[0] - '0') * 10 + (text[1] - '0');
}

int rrule_time(const char *text, size_t len, enum rrule_form *ret_form, int64_t *ret_seconds)
{
    if (len != 8 && len != 15 && !(len == 16 && text[15] == 'Z'))
        return -1;
    for (size_t i = 0; i < len && i < 15; i++)
        if (i == 8 ? text[i] != 'T' : text[i] < '0' || text[i] > '9')
            return -1;
    int year = two(text) * 100 + two(text + 2), month = two(text + 4), day = two(text + 6);
    if (year < 1 || month < 1 || month > 12 || day < 1 || day > days_in_month(year, month))
        return -1;
    int64_t seconds = days_from_civil(year, month, day) * SECONDS_PER_DAY;
    if (len > 8) {
        int h = two(text + 9), m = two(text + 11), s = two(text + 13);
        if (h > 23 || m > 59 || s > 60)
            return -1;
        seconds += h * 3600 + m * 60 + (s == 60 ? 59 : s);
    }
    *ret_form = len == 8 ? RRULE_FORM_DATE : len == 15 ? RRULE_FORM_LOCAL : RRULE_FORM_UTC;
    *ret_seconds = seconds;
    return 0;
}

static int take_until(struct parser *p, const char *text, size_t len)
{
    enum rrule_form form;
    int64_t seconds;
    if (rrule_time(text, len, &form, &seconds) < 0)
        return bad_value(p, PART_UNTIL, text, len);
    /* A date ends a timed series with that day on the wall clock. */
    p->rule->until_kind = form == RRULE_FORM_UTC ? RRULE_UNTIL_UTC : RRULE_UNTIL_LOCAL;
    p->rule->until = form == RRULE_FORM_DATE ? seconds + SECONDS_PER_DAY - 1 : seconds;
    return 0;
}

static int take_positive(struct parser *p, enum part part, const char *text, size_t len,
                         int64_t *ret)
{
    int64_t v;
    if (!len || *text == '-' || parse_i64(text, len, &v) < 0 || v < 1 || v > INT32_MAX)
        return bad_value(p, part, text, len);
    *ret = v;
    return 0;
}

static int take_byday(struct parser *p, const char *text, size_t len)
{
    struct rrule *r = p->rule;
    int day = len < 2 ? -1 : weekday(text + len - 2, 2), n;
    if (day < 0)
        return bad_value(p, PART_BYDAY, text, len);
    if (len == 2) {
        r->weekdays |= (uint8_t)(1 << day);
        return 0;
    }
    if (number(PART_BYDAY, text, len - 2, &n) < 0)
        return bad_value(p, PART_BYDAY, text, len);
    r->nth_days |= (uint8_t)(1 << day);
    if (n > 0)
        r->nth[day].first |= UINT64_C(1) << n;
    else
        r->nth[day].last |= UINT64_C(1) << -n;
    return 0;
}

static int take_number(struct parser *p, enum part part, const char *text, size_t len)
{
    struct rrule *r = p->rule;
    int n, k;
    if (number(part, text, len, &n) < 0)
        return bad_value(p, part, text, len);
    switch (part) {
    case PART_BYSECOND:
        r->seconds |= UINT64_C(1) << (n == 60 ? 59 : n); /* no leap seconds here */
        break;
    case PART_BYMINUTE:
        r->minutes |= UINT64_C(1) << n;
        break;
    case PART_BYHOUR:
        r->hours |= 1u << n;
        break;
    case PART_BYMONTH:
        r->months |= (uint16_t)(1u << n);
        break;
    case PART_BYMONTHDAY:
        if (n > 0)
            r->monthdays |= 1u << (n - 1);
        else
            r->monthdays_end |= 1u << (31 + n);
        break;
    case PART_BYYEARDAY:
        k = n > 0 ? n - 1 : 366 + n;
        (n > 0 ? r->yeardays : r->yeardays_end)[k >> 6] |= UINT64_C(1) << (k & 63);
        break;
    case PART_BYWEEKNO:
        if (n > 0)
            r->weeks |= UINT64_C(1) << n;
        else
            r->weeks_end |= UINT64_C(1) << -n;
        break;
    default:
        p->setpos[p->n_setpos++] = (int16_t)n;
    }
    return 0;
}

static int take_list(struct parser *p, enum part part, const char *text, size_t len)
{
    unsigned n = 0;
    for (const char *end = text + len;; text++) {
        const char *comma = memchr(text, ',', (size_t)(end - text));
        size_t one = (size_t)((comma ? comma : end) - text);
        if (++n > LIST_MAX)
            return bad_rule(p, "%s has too many values", parts[part].name);
        if ((part == PART_BYDAY ? take_byday(p, text, one) : take_number(p, part, text, one)) < 0)
            return -1;
        text += one;
        if (!comma)
            return 0;
    }
}

static int take_part(struct parser *p, enum part part, const char *text, size_t len)
{
    struct rrule *r = p->rule;
    int day;
    switch (part) {
    case PART_FREQ:
        for (size_t i = 0; i < SOSIA_LEN(freq_names); i++)
            if (str_is_nocase(text, len, freq_names[i])) {
                r->freq = (enum rrule_freq)i;
                return 0;
            }
        return bad_value(p, part, text, len);
    case PART_UNTIL:
        return take_until(p, text, len);
    case PART_COUNT:
        return take_positive(p, part, text, len, &p->count);
    case PART_INTERVAL:
        return take_positive(p, part, text, len, &r->interval);
    case PART_WKST:
        day = weekday(text, len);
        if (day < 0)
            return bad_value(p, part, text, len);
        r->week_start = (uint8_t)day;
        return 0;
    default:
        return take_list(p, part, text, len);
    }
}

static int take_parts(struct parser *p, const char *text, size_t len)
{
    for (const char *end = text + len; text < end;) {
        const char *semicolon = memchr(text, ';', (size_t)(end - text));
        const char *stop = semicolon ? semicolon : end;
        const char *equals = memchr(text, '=', (size_t)(stop - text));
        if (!equals)
            return bad_rule(p, "\"%.*s\" is not a part", (int)(stop - text > 40 ? 40 : stop - text),
                            text);
        size_t name = (size_t)(equals - text);
        int part = 0;
        while (part < PART_N && !str_is_nocase(text, name, parts[part].name))
            part++;
        if (part < PART_N) {
            if (has(p, (enum part)part))
                return bad_rule(p, "%s is given twice", parts[part].name);
            p->have |= 1u << part;
            if (take_part(p, (enum part)part, equals + 1, (size_t)(stop - equals - 1)) < 0)
                return -1;
        } else if (name < 3 || !str_is_nocase(text, 2, "X-")) {
            return bad_rule(p, "\"%.*s\" is not a part", (int)(name > 40 ? 40 : name), text);
        }
        text = stop + (semicolon != NULL);
    }
    return 0;
}

/* ---- the whole ---- */

/* What the notes to the table in RFC 5545, 3.3.10, rule out. */
static int check(struct parser *p, bool all_day)
{
    const struct rrule *r = p->rule;
    static const enum part by[] = {PART_BYSECOND,   PART_BYMINUTE,  PART_BYHOUR,   PART_BYDAY,
                                   PART_BYMONTHDAY, PART_BYYEARDAY, PART_BYWEEKNO, PART_BYMONTH};
    const char *freq = freq_names[r->freq];
    bool other = false;
    if (!has(p, PART_FREQ))
        return bad_rule(p, "FREQ is missing");
    if (has(p, PART_COUNT) && has(p, PART_UNTIL))
        return bad_rule(p, "COUNT and UNTIL exclude each other");
    if (all_day && r->freq < RRULE_DAILY)
        return bad_rule(p, "days can't recur %s", freq);
    if (r->nth_days && r->freq != RRULE_MONTHLY && r->freq != RRULE_YEARLY)
        return bad_rule(p, "BYDAY can't have numbers in a %s rule", freq);
    if (r->nth_days && has(p, PART_BYWEEKNO))
        return bad_rule(p, "BYDAY can't have numbers beside BYWEEKNO");
    if (has(p, PART_BYMONTHDAY) && r->freq == RRULE_WEEKLY)
        return bad_rule(p, "BYMONTHDAY can't be in a WEEKLY rule");
    if (has(p, PART_BYYEARDAY) && r->freq >= RRULE_DAILY && r->freq <= RRULE_MONTHLY)
        return bad_rule(p, "BYYEARDAY can't be in a %s rule", freq);
    if (has(p, PART_BYWEEKNO) && r->freq != RRULE_YEARLY)
        return bad_rule(p, "BYWEEKNO can only be in a YEARLY rule");
    for (size_t i = 0; i < SOSIA_LEN(by); i++)
        other |= has(p, by[i]);
    if (has(p, PART_BYSETPOS) && !other)
        return bad_rule(p, "BYSETPOS needs another BY part");
    return 0;
}

/* Which days recur, where the rule does not say, is taken from DTSTART. */
static void default_days(struct parser *p, int64_t day)
{
    struct rrule *r = p->rule;
    int year, month, mday;
    civil_from_days(day, &year, &month, &mday);
    r->by_monthday = has(p, PART_BYMONTHDAY);
    r->by_yearday = has(p, PART_BYYEARDAY);
    r->by_weekno = has(p, PART_BYWEEKNO);
    r->nth_in_month = r->freq == RRULE_MONTHLY || has(p, PART_BYMONTH);
    bool named = has(p, PART_BYDAY) || r->by_monthday || r->by_yearday;
    if (!named && (r->freq == RRULE_WEEKLY || r->by_weekno)) {
        r->weekdays = (uint8_t)(1 << weekday_from_days(day));
    } else if (!named && r->freq >= RRULE_MONTHLY) {
        r->by_monthday = true;
        r->monthdays = 1u << (mday - 1);
        if (r->freq == RRULE_YEARLY && !r->months)
            r->months = (uint16_t)(1u << month);
    }
    r->every_day =
        r->freq <= RRULE_DAILY && !r->months && !r->weekdays && !r->by_monthday && !r->by_yearday;
}

static void default_times(struct parser *p, int second, bool all_day)
{
    struct rrule *r = p->rule;
    if (all_day) /* such parts are to be ignored beside a date */
        r->hours = 0, r->minutes = 0, r->seconds = 0;
    if (!r->hours)
        r->hours = r->freq <= RRULE_HOURLY ? (1u << 24) - 1 : 1u << second / 3600;
    if (!r->minutes)
        r->minutes =
            r->freq <= RRULE_MINUTELY ? (UINT64_C(1) << 60) - 1 : UINT64_C(1) << (second / 60 % 60);
    if (!r->seconds)
        r->seconds =
            r->freq == RRULE_SECONDLY ? (UINT64_C(1) << 60) - 1 : UINT64_C(1) << (second % 60);
    /* What is shorter than the unit are times within it; what is not limits the units themselves.
     */
    struct rrule_times *t = &r->times;
    t->hours = r->freq <= RRULE_HOURLY ? 1 : r->hours;
    t->minutes = r->freq <= RRULE_MINUTELY ? 1 : r->minutes;
    t->seconds = r->freq == RRULE_SECONDLY ? 1 : r->seconds;
    if (r->freq >= RRULE_HOURLY)
        r->minutes = 1;
    if (r->freq >= RRULE_MINUTELY)
        r->seconds = 1;
    t->n = (uint32_t)(__builtin_popcount(t->hours) * __builtin_popcountll(t->minutes) *
                      __builtin_popcountll(t->seconds));
}

static int compare_times(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

/* The k-th of the combinations in the bits. */
static uint32_t combination(const struct rrule_times *t, uint32_t k)
{
    uint32_t seconds = (uint32_t)__builtin_popcountll(t->seconds);
    uint32_t minutes = (uint32_t)__builtin_popcountll(t->minutes);
    uint64_t h = t->hours, m = t->minutes, s = t->seconds;
    for (uint32_t i = k / seconds / minutes; i; i--)
        h &= h - 1;
    for (uint32_t i = k / seconds % minutes; i; i--)
        m &= m - 1;
    for (uint32_t i = k % seconds; i; i--)
        s &= s - 1;
    return (uint32_t)(__builtin_ctzll(h) * 3600 + __builtin_ctzll(m) * 60 + __builtin_ctzll(s));
}

static int compare_positions(const void *a, const void *b)
{
    return *(const int16_t *)a - *(const int16_t *)b;
}

/* A position that is named twice is one of the set. */
static void unique_setpos(struct parser *p)
{
    unsigned unique = 0;
    qsort(p->setpos, p->n_setpos, sizeof *p->setpos, compare_positions);
    for (unsigned i = 0; i < p->n_setpos; i++)
        if (!i || p->setpos[i] != p->setpos[i - 1])
            p->setpos[unique++] = p->setpos[i];
    p->n_setpos = unique;
}

/* Within days and less, BYSETPOS always takes the same of the times; else it is kept for the
 * periods. */
static void apply_setpos(struct parser *p)
{
    struct rrule *r = p->rule;
    if (!has(p, PART_BYSETPOS))
        return;
    unique_setpos(p);
    if (r->freq >= RRULE_WEEKLY) {
        static const int64_t cycles[] = {20871, 4800, 400}; /* of 400 years */
        int64_t cycle = cycles[r->freq - RRULE_WEEKLY];
        r->setpos = (const int16_t *)(void *)arena_memdup(p->arena, (const char *)p->setpos,
                                                          p->n_setpos * sizeof *p->setpos);
        r->n_setpos = p->n_setpos;
        r->cycle = cycle / rrule_gcd(cycle, r->interval);
        return;
    }
    uint32_t *list = arena_calloc(p->arena, p->n_setpos, sizeof *list), n = 0, unique = 0;
    for (unsigned i = 0; i < p->n_setpos; i++) {
        int64_t at = p->setpos[i] > 0 ? p->setpos[i] - 1 : (int64_t)r->times.n + p->setpos[i];
        if (at >= 0 && at < (int64_t)r->times.n)
            list[n++] = combination(&r->times, (uint32_t)at);
    }
    qsort(list, n, sizeof *list, compare_times);
    for (uint32_t i = 0; i < n; i++)
        if (!i || list[i] != list[i - 1])
            list[unique++] = list[i];
    r->times.list = list;
    r->times.n = unique;
    r->never |= !unique;
}

/* The furthest a zone's clock is from UTC. */
#define FURTHEST (INT64_C(24) * 3600)

static void apply_until(struct rrule *r, bool all_day)
{
    int64_t last = r->until;
    if (all_day) { /* the date alone counts, in whatever form it comes */
        r->until_kind = RRULE_UNTIL_LOCAL;
    } else if (r->until_kind == RRULE_UNTIL_UTC) {
        last += FURTHEST;
    }
    r->bounded = true;
    if (last < r->last)
        r->last = last;
}

int rrule_parse(struct arena *a, const char *text, size_t len, int64_t dtstart, bool all_day,
                struct rrule *ret, struct sosia_err *err)
{
    struct rrule r = {.interval = 1, .week_start = 1, .dtstart = dtstart, .last = RRULE_END};
    struct parser p = {.arena = a, .rule = &r, .err = err};
    if (len > LEN_MAX)
        return bad_rule(&p, "it is longer than %d characters", LEN_MAX);
    if (take_parts(&p, text, len) < 0 || check(&p, all_day) < 0)
        return -1;
    int64_t day = dtstart / SECONDS_PER_DAY - (dtstart % SECONDS_PER_DAY < 0);
    default_days(&p, day);
    default_times(&p, (int)(dtstart - day * SECONDS_PER_DAY), all_day);
    apply_setpos(&p);
    r.period0 = rrule_period(&r, dtstart);
    r.never |= rrule_selects_nothing(&r);
    if (has(&p, PART_COUNT))
        rrule_end_by_count(a, &r, p.count);
    else if (has(&p, PART_UNTIL))
        apply_until(&r, all_day);
    *ret = r;
    return 0;
}
