/* SPDX-License-Identifier: Apache-2.0 */
/* Dates by integer arithmetic over the 400-year cycle of the calendar, with years that begin in
 * March, so that a leap day is the last day of its year. */
#include "engine/text/civil.h"
#include <string.h>

#define DAYS_PER_CYCLE 146097
/* From 0000-03-01 to 1970-01-01. */
#define EPOCH 719468

/* 0001-01-01 and 9999-12-31. */
#define FIRST_DAY INT64_C(-719162)
#define LAST_DAY  INT64_C(2932896)

static int64_t div_floor(int64_t a, int64_t b)
{
    return a / b - (a % b < 0);
}

int64_t days_from_civil(int year, int month, int day)
{
    int64_t y = (int64_t)year - (month <= 2);
    int64_t cycle = div_floor(y, 400);
    unsigned in_cycle = (unsigned)(y - cycle * 400);
    unsigned in_year = (153 * (unsigned)(month > 2 ? month - 3 : month + 9) + 2) / 5;
    return cycle * DAYS_PER_CYCLE + in_cycle * 365 + in_cycle / 4 - in_cycle / 100 + in_year + day -
           1 - EPOCH;
}

/* Quotients and remainders by multiplication, as Neri and Schneider do it (Euclidean affine
 * functions, 2022): every time that is written goes through here. */
void civil_from_days(int64_t days, int *ret_year, int *ret_month, int *ret_day)
{
    days += EPOCH;
    int64_t cycle = div_floor(days, DAYS_PER_CYCLE);
    uint32_t quarters = 4 * (uint32_t)(days - cycle * DAYS_PER_CYCLE) + 3;
    uint32_t century = quarters / DAYS_PER_CYCLE;
    uint64_t year = UINT64_C(2939745) * (quarters % DAYS_PER_CYCLE | 3); /* in 2^-32 */
    uint32_t day = (uint32_t)year / 2939745 / 4;                         /* 0 the first of March */
    uint32_t month = 2141 * day + 197913;                                /* in 2^-16, 3 March */
    bool next = day >= 306;                                              /* January or February */
    *ret_day = (int)((month & 0xffff) / 2141 + 1);
    *ret_month = (int)((month >> 16) - (next ? 12 : 0));
    *ret_year = (int)(cycle * 400 + 100 * century + (uint32_t)(year >> 32) + next);
}

int weekday_from_days(int64_t days)
{
    int r = (int)((days + 4) % 7);
    return r < 0 ? r + 7 : r;
}

int days_in_month(int year, int month)
{
    static const uint8_t days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    return month == 2 && leap ? 29 : days[month - 1];
}

int64_t civil_to_seconds(const struct civil *c)
{
    return days_from_civil(c->year, c->month, c->day) * SECONDS_PER_DAY + c->hour * 3600 +
           c->minute * 60 + c->second;
}

void civil_from_seconds(int64_t s, struct civil *ret)
{
    int64_t days = div_floor(s, SECONDS_PER_DAY);
    int rest = (int)(s - days * SECONDS_PER_DAY);
    civil_from_days(days, &ret->year, &ret->month, &ret->day);
    ret->hour = rest / 3600;
    ret->minute = rest / 60 % 60;
    ret->second = rest % 60;
    ret->us = 0;
}

/* ---- texts ---- */

struct scan {
    const char *at, *end;
    bool bad;
};

/* Exactly n digits. */
static int digits(struct scan *s, int n)
{
    int v = 0;
    if (s->end - s->at < n) {
        s->bad = true;
        return 0;
    }
    for (int i = 0; i < n; i++) {
        unsigned d = (unsigned)(uint8_t)*s->at++ - '0';
        s->bad |= d > 9;
        v = v * 10 + (int)(d % 10);
    }
    return v;
}

static bool take(struct scan *s, char c)
{
    if (s->at == s->end || *s->at != c)
        return false;
    s->at++;
    return true;
}

static void expect(struct scan *s, char c)
{
    if (!take(s, c))
        s->bad = true;
}

static int64_t scan_date(struct scan *s)
{
    int year = digits(s, 4);
    expect(s, '-');
    int month = digits(s, 2);
    expect(s, '-');
    int day = digits(s, 2);
    if (s->bad || year < 1 || month < 1 || month > 12 || day < 1 ||
        day > days_in_month(year, month)) {
        s->bad = true;
        return 0;
    }
    return days_from_civil(year, month, day);
}

static int fraction(struct scan *s)
{
    int us = 0, n = 0;
    for (; s->at < s->end && *s->at >= '0' && *s->at <= '9'; s->at++, n++)
        if (n < 6)
            us = us * 10 + (*s->at - '0');
    s->bad |= n == 0;
    for (; n < 6; n++)
        us *= 10;
    return us;
}

int stamp_parse(const char *text, size_t len, bool allow_naive, struct stamp *ret)
{
    struct scan s = {text, text + len, false};
    int64_t days = scan_date(&s);
    if (s.bad || (!take(&s, 'T') && !take(&s, 't')))
        return -1;
    int hour = digits(&s, 2);
    expect(&s, ':');
    int minute = digits(&s, 2);
    expect(&s, ':');
    int second = digits(&s, 2);
    int us = !s.bad && take(&s, '.') ? fraction(&s) : 0;
    if (s.bad || hour > 23 || minute > 59 || second > 60)
        return -1;
    if (second == 60)
        second = 59;
    struct stamp r = {.local_us = ((days * 24 + hour) * 60 + minute) * 60 * US_PER_SECOND +
                                  second * US_PER_SECOND + us};
    if (take(&s, 'Z') || take(&s, 'z')) {
        r.has_offset = true;
    } else if (s.at < s.end) {
        int sign = take(&s, '-') ? -1 : 1;
        if (sign > 0)
            expect(&s, '+');
        int off_hour = digits(&s, 2);
        expect(&s, ':');
        int off_minute = digits(&s, 2);
        if (s.bad || off_hour > 23 || off_minute > 59)
            return -1;
        r.offset = sign * (off_hour * 3600 + off_minute * 60);
        r.has_offset = true;
    } else if (!allow_naive) {
        return -1;
    }
    int64_t utc = r.local_us - r.offset * US_PER_SECOND;
    if (s.at < s.end || utc < FIRST_DAY * US_PER_DAY || utc >= (LAST_DAY + 1) * US_PER_DAY)
        return -1;
    *ret = r;
    return 0;
}

int date_parse(const char *text, size_t len, int64_t *ret_days)
{
    struct scan s = {text, text + len, false};
    int64_t days = scan_date(&s);
    if (s.bad || s.at < s.end)
        return -1;
    *ret_days = days;
    return 0;
}

static char *put2(char *p, int v)
{
    static const char pairs[] =
        "00010203040506070809101112131415161718192021222324252627282930313233"
        "34353637383940414243444546474849505152535455565758596061626364656667"
        "6869707172737475767778798081828384858687888990919293949596979899";
    memcpy(p, pairs + 2 * v, 2);
    return p + 2;
}

static char *put3(char *p, int v)
{
    *p = (char)('0' + v / 100);
    return put2(p + 1, v % 100);
}

static char *put_date(char *p, int64_t days)
{
    int year, month, day;
    civil_from_days(days, &year, &month, &day);
    p = put2(put2(p, year / 100), year % 100);
    *p++ = '-';
    p = put2(p, month);
    *p++ = '-';
    return put2(p, day);
}

void date_format(char ret_text[DATE_TEXT], int64_t days)
{
    days = days < FIRST_DAY ? FIRST_DAY : days > LAST_DAY ? LAST_DAY : days;
    *put_date(ret_text, days) = 0;
}

size_t stamp_format(char ret_text[STAMP_TEXT], int64_t us, int32_t offset, int digits_after,
                    bool as_z)
{
    /* RFC 3339 has no seconds in offsets. Local mean times have them: the offset is cut to
     * minutes and the local time with it, so that the text still names the same instant. */
    int minutes = (int)(offset % SECONDS_PER_DAY) / 60;
    if (us < FIRST_DAY * US_PER_DAY - US_PER_DAY)
        us = FIRST_DAY * US_PER_DAY;
    else if (us > (LAST_DAY + 2) * US_PER_DAY)
        us = (LAST_DAY + 1) * US_PER_DAY - 1;
    us += minutes * 60 * US_PER_SECOND;
    if (us < FIRST_DAY * US_PER_DAY)
        us = FIRST_DAY * US_PER_DAY;
    else if (us >= (LAST_DAY + 1) * US_PER_DAY)
        us = (LAST_DAY + 1) * US_PER_DAY - 1;
    int64_t days = div_floor(us, US_PER_DAY);
    int64_t rest = us - days * US_PER_DAY;
    int second = (int)(rest / US_PER_SECOND), part = (int)(rest % US_PER_SECOND);
    char *p = put_date(ret_text, days);
    *p++ = 'T';
    p = put2(p, second / 3600);
    *p++ = ':';
    p = put2(p, second / 60 % 60);
    *p++ = ':';
    p = put2(p, second % 60);
    if (digits_after > 0) {
        *p++ = '.';
        p = put3(p, part / 1000);
        if (digits_after > 3)
            p = put3(p, part % 1000);
    }
    if (as_z && !minutes) {
        *p++ = 'Z';
    } else {
        *p++ = minutes < 0 ? '-' : '+';
        minutes = minutes < 0 ? -minutes : minutes;
        p = put2(p, minutes / 60);
        *p++ = ':';
        p = put2(p, minutes % 60);
    }
    *p = 0;
    return (size_t)(p - ret_text);
}
