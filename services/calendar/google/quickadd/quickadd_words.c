/* SPDX-License-Identifier: Apache-2.0 */
/* Reads English numbers, times of day and dates. */
#include "services/calendar/google/quickadd/quickadd_words.h"
#include "engine/text/civil.h"
#include <stddef.h>
#include <string.h>

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c + 32) : c;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Whether a word may end before this character. */
static bool ends_word(const char *p)
{
    if (!*p || strchr(" ,.;!?)(-\"", *p))
        return true;
    return !strncmp(p, "\xE2\x80\x93", 3) || !strncmp(p, "\xE2\x80\x94", 3); /* dashes */
}

static const char *prefix(const char *p, const char *word)
{
    for (; *word; p++, word++)
        if (lower(*p) != *word)
            return NULL;
    return p;
}

const char *qa_word(const char *p, const char *words)
{
    p = prefix(p, words);
    return p && ends_word(p) ? p : NULL;
}

const char *qa_any(const char *p, const char *const *list, int *ret_index)
{
    for (int i = 0; list[i]; i++) {
        const char *end = qa_word(p, list[i]);
        if (end) {
            *ret_index = i;
            return end;
        }
    }
    return NULL;
}

const char *qa_gap(const char *p)
{
    if (*p == ',')
        p++;
    return *p == ' ' ? p + 1 : p;
}

/* Up to max digits, with no digit behind them. */
static const char *digits(const char *p, int max, int *ret)
{
    int v = 0, n = 0;
    for (; n < max && is_digit(*p); n++)
        v = v * 10 + (*p++ - '0');
    if (!n || is_digit(*p))
        return NULL;
    *ret = v;
    return p;
}

const char *qa_number(const char *p, int *ret)
{
    static const char *const words[] = {"a",    "an",   "one",    "two",    "three",
                                        "four", "five", "six",    "seven",  "eight",
                                        "nine", "ten",  "eleven", "twelve", NULL};
    int i, v;
    const char *end = qa_any(p, words, &i);
    if (end) {
        *ret = i < 2 ? 1 : i - 1;
        return end;
    }
    end = digits(p, 4, &v);
    if (!end || !v || !ends_word(end))
        return NULL;
    *ret = v;
    return end;
}

const char *qa_ordinal(const char *p, int *ret)
{
    static const char *const words[] = {"first", "second", "third", "fourth",
                                        "fifth", "last",   NULL};
    int v;
    const char *end = qa_any(p, words, &v);
    if (end) {
        *ret = v == 5 ? -1 : v + 1;
        return end;
    }
    end = digits(p, 2, &v);
    if (!end || v < 1 || v > 31)
        return NULL;
    int tens = v % 100 / 10, ones = v % 10;
    end = qa_word(end, tens == 1 || ones > 3 || !ones ? "th"
                       : ones == 1                    ? "st"
                       : ones == 2                    ? "nd"
                                                      : "rd");
    if (end)
        *ret = v;
    return end;
}

const char *qa_weekday(const char *p, bool sure, int *ret, bool *ret_plural)
{
    static const char *const names[] = {"sunday",   "monday", "tuesday", "wednesday",
                                        "thursday", "friday", "saturday"};
    static const struct {
        const char *word;
        int day;
    } shorts[] = {{"sun", 0}, {"mon", 1},  {"tue", 2},   {"tues", 2}, {"wed", 3},
                  {"thu", 4}, {"thur", 4}, {"thurs", 4}, {"fri", 5},  {"sat", 6}};
    for (int i = 0; i < 7; i++) {
        const char *end = prefix(p, names[i]);
        if (!end)
            continue;
        bool plural = lower(*end) == 's' && ends_word(end + 1);
        if (!plural && !ends_word(end))
            continue;
        *ret = i;
        *ret_plural = plural;
        return end + plural;
    }
    if (!sure && !(*p >= 'A' && *p <= 'Z'))
        return NULL;
    for (size_t i = 0; i < sizeof shorts / sizeof *shorts; i++) {
        const char *end = qa_word(p, shorts[i].word);
        if (!end)
            continue;
        *ret = shorts[i].day;
        *ret_plural = false;
        return end + (*end == '.');
    }
    return NULL;
}

const char *qa_unit(const char *p, enum qa_unit *ret)
{
    static const char *const words[] = {
        "minutes", "minute", "mins",  "min",  "m",      "hours", "hour",  "hrs",  "hr", "h",
        "days",    "day",    "weeks", "week", "months", "month", "years", "year", NULL};
    static const enum qa_unit units[] = {QA_MINUTE, QA_MINUTE, QA_MINUTE, QA_MINUTE, QA_MINUTE,
                                         QA_HOUR,   QA_HOUR,   QA_HOUR,   QA_HOUR,   QA_HOUR,
                                         QA_DAY,    QA_DAY,    QA_WEEK,   QA_WEEK,   QA_MONTH,
                                         QA_MONTH,  QA_YEAR,   QA_YEAR};
    int i;
    const char *end = qa_any(p, words, &i);
    if (end)
        *ret = units[i];
    return end;
}

/* ---- durations ---- */

/* A number of hours or minutes, which may have tenths ("1.5 hours") and stick to its unit ("1h"),
 * as minutes. */
static const char *amount(const char *p, int *ret_minutes)
{
    int whole, tenths = 0;
    enum qa_unit unit;
    const char *end = qa_word(p, "half an hour");
    if (end) {
        *ret_minutes = 30;
        return end;
    }
    end = digits(p, 4, &whole);
    if (end && *end == '.' && is_digit(end[1]))
        end = digits(end + 1, 1, &tenths);
    if (!end) {
        end = qa_number(p, &whole);
        if (!end)
            return NULL;
    }
    const char *after = qa_unit(*end == ' ' ? end + 1 : end, &unit);
    if (!after && lower(*end) == 'h' && is_digit(end[1])) { /* 1h30m */
        after = end + 1;
        unit = QA_HOUR;
    }
    if (!after || unit > QA_HOUR || (whole == 0 && tenths == 0))
        return NULL;
    *ret_minutes = unit == QA_HOUR ? whole * 60 + tenths * 6 : whole;
    return after;
}

const char *qa_duration(const char *p, int *ret_minutes, int *ret_count, enum qa_unit *ret_unit)
{
    int minutes, more, count;
    enum qa_unit unit;
    const char *end = amount(p, &minutes), *after;
    if (end) {
        if ((after = qa_word(end, " and a half")) != NULL && minutes % 60 == 0) {
            minutes += 30;
            end = after;
        } else if (minutes % 60 == 0) {
            const char *next = *end == ' ' ? end + 1 : end;
            if ((after = qa_word(next, "and")) != NULL)
                next = qa_gap(after);
            after = amount(next, &more);
            if (after && more < 60) {
                minutes += more;
                end = after;
            }
        }
        *ret_minutes = minutes;
        *ret_count = 0;
        return end;
    }
    end = qa_number(p, &count);
    end = end && *end == ' ' ? qa_unit(end + 1, &unit) : NULL;
    if (!end || unit < QA_DAY || count > 999)
        return NULL;
    *ret_minutes = 0;
    *ret_count = count;
    *ret_unit = unit;
    return end;
}

/* ---- times of day ---- */

static const char *meridiem(const char *p, bool *ret_pm)
{
    static const char *const words[] = {"am", "a.m.", "a.m", "a", "pm", "p.m.", "p.m", "p", NULL};
    const char *at = *p == ' ' ? p + 1 : p;
    int i;
    const char *end = qa_any(at, words, &i);
    /* "3 a" and "3 p" mean nothing */
    if (!end || (at != p && (i == 3 || i == 7)))
        return NULL;
    *ret_pm = i > 3;
    return end;
}

const char *qa_clock(const char *p, struct qa_clock *ret)
{
    static const char *const words[] = {"noon", "midday", "midnight", NULL};
    int i, hour, minute = 0, second;
    bool pm;
    const char *end = qa_any(p, words, &i);
    if (end) {
        *ret = (struct qa_clock){.minute = i == 2 ? 0 : 720, .sure = true};
        return end;
    }
    end = digits(p, 2, &hour);
    if (!end || hour > 24)
        return NULL;
    bool colon = *end == ':';
    if (colon) {
        if (!is_digit(end[1]) || !is_digit(end[2]) || !(end = digits(end + 1, 2, &minute)) ||
            minute > 59)
            return NULL;
        if (*end == ':' && !(end = digits(end + 1, 2, &second)))
            return NULL;
    }
    const char *after = meridiem(end, &pm);
    if (after && hour <= 12 && hour > 0) {
        *ret = (struct qa_clock){.minute = (hour % 12 + (pm ? 12 : 0)) * 60 + minute, .sure = true};
        return after;
    }
    if ((after = qa_word(end, " o'clock")) != NULL)
        colon = true, end = after;
    if (!ends_word(end) || hour > 23 || (*end == '.' && is_digit(end[1])))
        return NULL;
    ret->minute = hour * 60 + minute;
    ret->sure = hour > 12 || hour == 0 || *p == '0';
    ret->bare = !colon;
    return end;
}

const char *qa_range(const char *p)
{
    static const char *const words[] = {"to", "until", "till", "til", "through", "-", NULL};
    int i;
    const char *at = *p == ' ' ? p + 1 : p, *end;
    if (*at == '-')
        end = at + 1;
    else if (!strncmp(at, "\xE2\x80\x93", 3) || !strncmp(at, "\xE2\x80\x94", 3))
        end = at + 3;
    else if (at == p || !(end = qa_any(at, words, &i)))
        return NULL;
    return *end == ' ' ? end + 1 : end;
}

/* ---- dates ---- */

static void today_parts(int64_t today, int *year, int *month, int *day)
{
    civil_from_days(today, year, month, day);
}

int64_t qa_add(int64_t day, int count, enum qa_unit unit)
{
    int y, m, d;
    if (unit == QA_DAY || unit == QA_WEEK)
        return day + (int64_t)count * (unit == QA_WEEK ? 7 : 1);
    today_parts(day, &y, &m, &d);
    int64_t month = (int64_t)y * 12 + m - 1 + (int64_t)count * (unit == QA_YEAR ? 12 : 1);
    y = (int)(month / 12);
    m = (int)(month % 12) + 1;
    int last = days_in_month(y, m);
    return days_from_civil(y, m, d < last ? d : last);
}

int64_t qa_next_monthday(int64_t from, int mday)
{
    int y, m, d;
    today_parts(from, &y, &m, &d);
    for (;; m = m == 12 ? y++, 1 : m + 1)
        if (mday <= days_in_month(y, m) && days_from_civil(y, m, mday) >= from)
            return days_from_civil(y, m, mday);
}

/* A date of a year, or (year 0) the next one from today on; false when there is no such date. */
static bool date_of(int64_t today, int year, int month, int day, int64_t *ret)
{
    int y, m, d;
    if (month < 1 || month > 12 || day < 1 || day > 31)
        return false;
    if (year) {
        if (year < 100)
            year += 2000;
        if (day > days_in_month(year, month))
            return false;
        *ret = days_from_civil(year, month, day);
        return true;
    }
    today_parts(today, &y, &m, &d);
    for (int end = y + 9; y < end; y++)
        if (day <= days_in_month(y, month) && days_from_civil(y, month, day) >= today) {
            *ret = days_from_civil(y, month, day);
            return true;
        }
    return false;
}

static const char *month_name(const char *p, int *ret)
{
    static const char *const names[] = {
        "january", "jan",  "february", "feb",  "march",    "mar",    "april", "apr",       "may",
        "may",     "june", "jun",      "july", "jul",      "august", "aug",   "september", "sep",
        "october", "oct",  "november", "nov",  "december", "dec",    "sept",  NULL};
    int i;
    const char *end = qa_any(p, names, &i);
    if (!end)
        return NULL;
    *ret = i == 24 ? 9 : i / 2 + 1;
    return end + (*end == '.');
}

/* A day of a month, "3" or "3rd", that is not an hour ("June 3pm"). */
static const char *month_day(const char *p, int *ret)
{
    struct qa_clock clock;
    int v;
    const char *end = qa_ordinal(p, &v);
    if (!end || v < 1) {
        end = digits(p, 2, &v);
        if (!end || !ends_word(end) || v < 1 || v > 31)
            return NULL;
        const char *as_clock = qa_clock(p, &clock);
        if (as_clock && as_clock > end)
            return NULL;
    }
    *ret = v;
    return end;
}

/* A year after a date; *ret stays 0 when there is none. */
static const char *year_after(const char *p, int *ret)
{
    int v;
    const char *at = qa_gap(p), *end = at == p ? NULL : digits(at, 4, &v);
    if (!end || !ends_word(end) || end - at != 4 || v < 1900 || v > 2999)
        return p;
    *ret = v;
    return end;
}

/* "June 3", "June 3rd, 2026", "June 3-5", "June 30 - July 2", "3 June 2026", "3rd of June". */
static const char *days_by_name(const char *p, int64_t today, struct qa_days *ret)
{
    int month, first, last, year = 0, last_month;
    const char *end = month_name(p, &month);
    end = end ? month_day(*end == ' ' ? end + 1 : end, &first) : NULL;
    if (!end) {
        end = month_day(p, &first);
        if (!end || *end != ' ')
            return NULL;
        const char *of = qa_word(end + 1, "of");
        end = month_name(of ? qa_gap(of) : end + 1, &month);
        if (!end)
            return NULL;
        end = year_after(end, &year);
        if (!date_of(today, year, month, first, &ret->first))
            return NULL;
        ret->last = ret->first;
        return end;
    }
    last = first;
    last_month = month;
    const char *dash = qa_range(end), *after = NULL;
    if (dash) {
        int named;
        const char *other = month_name(dash, &named);
        if (other && *other == ' ' && (after = month_day(other + 1, &last)) != NULL)
            last_month = named;
        else if ((after = month_day(dash, &last)) != NULL && last <= first)
            after = NULL;
        if (!after)
            last = first;
    }
    end = year_after(after ? after : end, &year);
    if (!date_of(today, year, month, first, &ret->first))
        return NULL;
    if (!date_of(ret->first, year, last_month, last, &ret->last) || ret->last < ret->first)
        ret->last = ret->first;
    return end;
}

/* "3/14", "3/14/26", "31/12/2026", "2026-03-14". */
static const char *day_by_numbers(const char *p, int64_t today, int64_t *ret)
{
    int a, b, year = 0;
    const char *end = digits(p, 4, &a);
    if (end && end - p == 4 && *end == '-') {
        int month, day;
        const char *at = digits(end + 1, 2, &month);
        at = at && *at == '-' ? digits(at + 1, 2, &day) : NULL;
        if (!at || !(ends_word(at) || *at == 'T') || a < 1 || !date_of(today, a, month, day, ret))
            return NULL;
        return at;
    }
    if (!end || end - p > 2 || *end != '/')
        return NULL;
    end = digits(end + 1, 2, &b);
    if (end && *end == '/') {
        const char *at = digits(end + 1, 4, &year);
        if (!at || (at - end != 3 && at - end != 5) || !year)
            return NULL;
        end = at;
    }
    if (!end || !ends_word(end))
        return NULL;
    return date_of(today, year, a, b, ret) || date_of(today, year, b, a, ret) ? end : NULL;
}

static int64_t next_weekday(int64_t from, int weekday)
{
    return from + (weekday - weekday_from_days(from) + 7) % 7;
}

static int64_t next_monday(int64_t today)
{
    return next_weekday(today + 1, 1);
}

/* "today", "day after tomorrow", "next week", "this weekend", "Friday", "next Tuesday". */
static const char *days_by_word(const char *p, bool sure, int64_t today, struct qa_days *ret)
{
    static const char *const words[] = {"today",
                                        "tonight",
                                        "tomorrow",
                                        "tmrw",
                                        "day after tomorrow",
                                        "the day after tomorrow",
                                        "yesterday",
                                        "this weekend",
                                        "next weekend",
                                        "next week",
                                        "next month",
                                        "next year",
                                        NULL};
    static const signed char ahead[] = {0, 0, 1, 1, 2, 2, -1};
    int i, weekday;
    bool plural;
    const char *end = qa_any(p, words, &i);
    if (end) {
        ret->first = today + (i < 7 ? ahead[i] : 0);
        if (i == 7) /* on a Sunday the weekend is half over */
            ret->first = weekday_from_days(today) == 0 ? today : next_weekday(today, 6);
        else if (i == 8)
            ret->first = next_monday(today) + 5;
        else if (i == 9)
            ret->first = next_monday(today);
        else if (i == 10)
            ret->first = qa_next_monthday(today + 1, 1);
        else if (i == 11)
            ret->first = qa_add(today, 1, QA_YEAR);
        ret->last = ret->first + ((i == 7 || i == 8) && weekday_from_days(ret->first) == 6);
        return end;
    }
    const char *next = qa_word(p, "next"), *present = next ? NULL : qa_word(p, "this");
    const char *at = next ? qa_gap(next) : present ? qa_gap(present) : p;
    end = qa_weekday(at, sure || next || present, &weekday, &plural);
    if (!end || plural)
        return NULL;
    ret->first = next ? next_monday(today) + (weekday + 6) % 7 : next_weekday(today, weekday);
    ret->last = ret->first;
    ret->weekday = !next;
    return end;
}

const char *qa_days(const char *p, bool sure, int64_t today, struct qa_days *ret)
{
    struct qa_days days = {0}, other = {0};
    const char *end = days_by_name(p, today, &days);
    if (!end && (end = day_by_numbers(p, today, &days.first)) != NULL)
        days.last = days.first;
    if (!end)
        end = days_by_word(p, sure, today, &days);
    if (!end)
        return NULL;
    if (days.first == days.last) {
        const char *dash = qa_range(end), *after = NULL;
        if (dash && (after = day_by_numbers(dash, days.first, &other.first)) == NULL)
            after = days_by_name(dash, days.first, &other);
        if (dash && !after)
            after = days_by_word(dash, sure, days.first, &other);
        if (after && other.first > days.first) {
            days.last = other.first;
            days.weekday = false;
            end = after;
        }
    }
    *ret = days;
    return end;
}
