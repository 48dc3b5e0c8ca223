/* SPDX-License-Identifier: Apache-2.0 */
#include "services/chat/slack/web/when.h"
#include "engine/base/codec.h"
#include "engine/text/civil.h"
#include "engine/text/tz.h"
#include <ctype.h>
#include <string.h>

#define MAX_WORDS    24
#define MAX_WORD     16
#define FIVE_YEARS   (INT64_C(5) * 366 * SECONDS_PER_DAY)
#define MORNING      (9 * 3600)
#define WORKING_DAYS 0x3eu /* Monday to Friday */

static const char *const weekdays[] = {"sunday",   "monday", "tuesday", "wednesday",
                                       "thursday", "friday", "saturday"};
static const char *const months[] = {"january",   "february", "march",    "april",
                                     "may",       "june",     "july",     "august",
                                     "september", "october",  "november", "december"};

struct words {
    char word[MAX_WORDS][MAX_WORD];
    size_t n, at;
    const struct tz *tz;
    int64_t now_s, today; /* today: days since 1970 in the zone */
};

/* Lower-case words; commas separate, too. */
static bool split(struct words *w, const char *text)
{
    for (const char *p = text; *p;) {
        size_t len = strcspn(p, " ,\t");
        if (len) {
            if (w->n == MAX_WORDS || len >= MAX_WORD)
                return false;
            for (size_t i = 0; i < len; i++)
                w->word[w->n][i] = (char)tolower((unsigned char)p[i]);
            w->word[w->n++][len] = 0;
            p += len;
        } else {
            p++;
        }
    }
    return w->n > 0;
}

static const char *peek(const struct words *w)
{
    return w->at < w->n ? w->word[w->at] : "";
}

static bool next_is(struct words *w, const char *word)
{
    if (strcmp(peek(w), word) != 0)
        return false;
    w->at++;
    return true;
}

/* A name of the list, or its first three letters and more: "thu", "thurs". -1: none. */
static int name_in(const char *const *list, int n, const char *word)
{
    size_t len = strlen(word);
    for (int i = 0; len >= 3 && i < n; i++)
        if (strncmp(list[i], word, len) == 0)
            return i;
    return -1;
}

/* "15", "15th". 0: it is not one. */
static int ordinal(const char *word)
{
    size_t digits = strspn(word, "0123456789");
    int64_t n;
    static const char *const ends[] = {"", "st", "nd", "rd", "th"};
    if (!digits || digits > 2 || parse_i64(word, digits, &n) < 0)
        return 0;
    for (size_t i = 0; i < SOSIA_LEN(ends); i++)
        if (strcmp(word + digits, ends[i]) == 0)
            return (int)n;
    return 0;
}

/* ---- times of day ---- */

/* "noon", "15:30", "3pm", "3:30 pm"; loose: "9", too. Seconds of the day. */
static bool time_of_day(struct words *w, bool loose, int *ret)
{
    const char *p = peek(w);
    int64_t hour, minute = 0;
    if (next_is(w, "noon") || next_is(w, "midnight")) {
        *ret = strcmp(p, "noon") == 0 ? 12 * 3600 : 0;
        return true;
    }
    size_t n = strspn(p, "0123456789");
    if (!n || n > 2 || parse_i64(p, n, &hour) < 0)
        return false;
    p += n;
    bool whole = *p == ':';
    if (whole) {
        if (!isdigit((unsigned char)p[1]) || !isdigit((unsigned char)p[2]))
            return false;
        minute = (p[1] - '0') * 10 + (p[2] - '0');
        p += 3;
    }
    const char *half = *p ? p : w->at + 1 < w->n ? w->word[w->at + 1] : "";
    bool am = strcmp(half, "am") == 0, pm = strcmp(half, "pm") == 0;
    if ((*p && !am && !pm) || (!am && !pm && !whole && !loose))
        return false;
    if (minute > 59 || hour > 23 || ((am || pm) && (hour < 1 || hour > 12)))
        return false;
    if (am || pm)
        hour = hour % 12 + (pm ? 12 : 0);
    w->at += (am || pm) && !*p ? 2 : 1;
    *ret = (int)(hour * 3600 + minute * 60);
    return true;
}

/* ---- days ---- */

enum day_kind { DAY_FIXED, DAY_OF_WEEK, DAY_OF_YEAR };

struct day {
    enum day_kind kind;
    int64_t days;
};

static bool day_of_year(struct words *w, int month, int day, struct day *ret)
{
    int year, m, d;
    int64_t given;
    civil_from_days(w->today, &year, &m, &d);
    ret->kind = DAY_OF_YEAR;
    if (strlen(peek(w)) == 4 && parse_i64(peek(w), 4, &given) == 0) {
        w->at++;
        ret->kind = DAY_FIXED;
        year = (int)given;
    }
    if (day < 1 || year < 1970 || year > 9998 || day > days_in_month(year, month))
        return false;
    ret->days = days_from_civil(year, month, day);
    return true;
}

/* "today", "tuesday", "next week", "2026-06-05", "june 5", "5th of june". */
static bool day_named(struct words *w, struct day *ret)
{
    const char *word = peek(w);
    int i;
    *ret = (struct day){DAY_FIXED, w->today};
    if (next_is(w, "today"))
        return true;
    if (next_is(w, "tomorrow")) {
        ret->days++;
        return true;
    }
    if (next_is(w, "next")) {
        word = peek(w);
        if (next_is(w, "week")) { /* its Monday */
            ret->days += 7 - (weekday_from_days(w->today) + 6) % 7;
            return true;
        }
    }
    if ((i = name_in(weekdays, 7, word)) >= 0) {
        w->at++;
        ret->kind = DAY_OF_WEEK;
        ret->days += (i - weekday_from_days(w->today) + 7) % 7;
        return true;
    }
    if (strlen(word) == 10 && date_parse(word, 10, &ret->days) == 0) {
        w->at++;
        return true;
    }
    size_t before = w->at;
    int day = ordinal(word);
    if (day) {
        w->at++;
        (void)next_is(w, "of");
        i = name_in(months, 12, peek(w));
    } else if ((i = name_in(months, 12, word)) >= 0) {
        w->at++;
        day = ordinal(peek(w));
    }
    if (i >= 0 && day) {
        w->at++;
        return day_of_year(w, i + 1, day, ret);
    }
    w->at = before;
    return false;
}

/* What is left: "[on] DAY [at] TIME", in any order; each at most once. */
static bool day_and_time(struct words *w, bool *has_day, struct day *day, bool *has_time, int *time)
{
    *has_day = *has_time = false;
    while (w->at < w->n) {
        bool on = next_is(w, "on") && (next_is(w, "the") || true), at = !on && next_is(w, "at");
        if (!*has_time && !on && time_of_day(w, at, time))
            *has_time = true;
        else if (!*has_day && !at && day_named(w, day))
            *has_day = true;
        else
            return false;
    }
    return true;
}

static int64_t instant(const struct words *w, int64_t days, int time)
{
    return tz_to_utc(w->tz, days * SECONDS_PER_DAY + time);
}

/* ---- once ---- */

static bool once(struct words *w, int64_t *ret_s)
{
    bool has_day, has_time;
    struct day day;
    int time = MORNING, year, month, d;
    if (!day_and_time(w, &has_day, &day, &has_time, &time))
        return false;
    if (!has_day)
        day = (struct day){DAY_FIXED, w->today};
    *ret_s = instant(w, day.days, time);
    if (*ret_s > w->now_s)
        return true;
    if (!has_day) {
        *ret_s = instant(w, day.days + 1, time);
    } else if (day.kind == DAY_OF_WEEK) {
        *ret_s = instant(w, day.days + 7, time);
    } else if (day.kind == DAY_OF_YEAR) {
        civil_from_days(day.days, &year, &month, &d);
        if (d > days_in_month(year + 1, month))
            return false;
        *ret_s = instant(w, days_from_civil(year + 1, month, d), time);
    }
    return *ret_s > w->now_s;
}

/* "in 15 minutes", "in an hour". */
static bool from_now(struct words *w, int64_t *ret_s)
{
    static const struct {
        const char *name;
        int64_t seconds;
    } units[] = {{"second", 1},  {"sec", 1},     {"minute", 60},  {"min", 60},
                 {"hour", 3600}, {"day", 86400}, {"week", 604800}};
    int64_t n = 1;
    if (!next_is(w, "a") && !next_is(w, "an")) {
        size_t len = strlen(peek(w));
        if (len > 6 || parse_i64(peek(w), len, &n) < 0 || n < 1)
            return false;
        w->at++;
    }
    const char *unit = peek(w);
    for (size_t i = 0; w->at + 1 == w->n && i < SOSIA_LEN(units); i++) {
        size_t len = strlen(units[i].name);
        if (strncmp(unit, units[i].name, len) == 0 &&
            (!unit[len] || strcmp(unit + len, "s") == 0)) {
            *ret_s = w->now_s + n * units[i].seconds;
            return true;
        }
    }
    return false;
}

/* ---- again and again ---- */

/* "monday, wednesday and friday", "weekday"; 0: none. */
static unsigned days_of_week(struct words *w)
{
    unsigned days = 0;
    int i;
    if (next_is(w, "weekday") || next_is(w, "weekdays"))
        return WORKING_DAYS;
    while ((i = name_in(weekdays, 7, peek(w))) >= 0) {
        days |= 1u << i;
        w->at++;
        if (strcmp(peek(w), "and") == 0 && w->at + 1 < w->n)
            w->at++;
    }
    return days;
}

static bool every(struct words *w, int64_t *ret_s, struct chat_recurrence *ret_again)
{
    bool has_day = false, has_time = false;
    struct day day = {DAY_FIXED, w->today};
    int time = MORNING, year, month, d, of_month = 0;
    *ret_again = (struct chat_recurrence){.weekdays = days_of_week(w)};
    if (ret_again->weekdays)
        ret_again->every = CHAT_WEEKLY;
    else if (next_is(w, "day"))
        ret_again->every = CHAT_DAILY;
    else if (next_is(w, "week"))
        ret_again->every = CHAT_WEEKLY;
    else if (next_is(w, "month"))
        ret_again->every = CHAT_MONTHLY;
    else if (next_is(w, "year") || name_in(months, 12, peek(w)) >= 0)
        ret_again->every = CHAT_YEARLY;
    else
        return false;
    civil_from_days(w->today, &year, &month, &d);
    if (ret_again->every == CHAT_MONTHLY && next_is(w, "on")) {
        (void)next_is(w, "the");
        of_month = ordinal(peek(w));
        if (of_month < 1 || of_month > 31)
            return false;
        w->at++;
    }
    if (!day_and_time(w, &has_day, &day, &has_time, &time) ||
        (has_day && ret_again->every != CHAT_WEEKLY && ret_again->every != CHAT_YEARLY) ||
        (has_day && ret_again->weekdays))
        return false;
    if (of_month) {
        while (of_month > days_in_month(year, month)) {
            year += month == 12;
            month = month % 12 + 1;
        }
        day.days = days_from_civil(year, month, of_month);
    }
    if (ret_again->every == CHAT_WEEKLY && !ret_again->weekdays)
        ret_again->weekdays = 1u << weekday_from_days(day.days);
    return chat_recurs(ret_again, w->tz, instant(w, day.days, time), w->now_s, ret_s);
}

bool sl_when(const char *text, const struct tz *tz, int64_t now_s, int64_t *ret_s,
             struct chat_recurrence *ret_again)
{
    struct words w = {.tz = tz, .now_s = now_s};
    int64_t n;
    bool said;
    *ret_again = (struct chat_recurrence){0};
    if (parse_i64(text, strlen(text), &n) == 0) {
        *ret_s = n > 0 && n <= SECONDS_PER_DAY ? now_s + n : n;
        said = true;
    } else {
        int64_t local = now_s + tz_offset(tz, now_s);
        w.today = local / SECONDS_PER_DAY - (local % SECONDS_PER_DAY < 0);
        said = split(&w, text) && (next_is(&w, "in")      ? from_now(&w, ret_s)
                                   : next_is(&w, "every") ? every(&w, ret_s, ret_again)
                                                          : once(&w, ret_s));
    }
    return said && *ret_s > now_s && *ret_s < now_s + FIVE_YEARS;
}
