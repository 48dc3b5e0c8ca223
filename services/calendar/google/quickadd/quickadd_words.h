/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Words of time, for quickadd.c. A function reads one kind of phrase at a place in a text and gives
 * where it ends, or NULL when it is not there and nothing has been set. The text ends with NUL; its
 * words are one space apart. A phrase ends where a word ends. Case does not matter. Each looks at a
 * bounded number of words.
 */
#ifndef SOSIA_CALENDAR_QUICKADD_WORDS_H
#define SOSIA_CALENDAR_QUICKADD_WORDS_H

#include <stdbool.h>
#include <stdint.h>

/* The exact words, which may be several: "day after tomorrow". */
const char *qa_word(const char *p, const char *words);
/* The first of a NULL-terminated list; its index. */
const char *qa_any(const char *p, const char *const *list, int *ret_index);
/* Behind a space, or a comma and a space, if there. */
const char *qa_gap(const char *p);

/* 1 to 9999 in digits, or a small number in words ("two", "a", "an"). */
const char *qa_number(const char *p, int *ret);
/* "1st" to "31st", "first" to "fifth"; last is -1. */
const char *qa_ordinal(const char *p, int *ret);
/* 0 Sunday to 6. plural: "Mondays" is there. An abbreviation counts in lower case only if sure, as
 * it is after words like "every". */
const char *qa_weekday(const char *p, bool sure, int *ret, bool *ret_plural);
/* minutes, hours, days, weeks, months, years, also in the singular and abbreviated. */
enum qa_unit { QA_MINUTE, QA_HOUR, QA_DAY, QA_WEEK, QA_MONTH, QA_YEAR };
const char *qa_unit(const char *p, enum qa_unit *ret);
/* "90 minutes", "1.5 hours", "an hour and a half", "1 hour 30 minutes", "half an hour", "1h30m":
 * minutes. "3 weeks": days, months or years as *ret_count of *ret_unit, with *ret_minutes 0. */
const char *qa_duration(const char *p, int *ret_minutes, int *ret_count, enum qa_unit *ret_unit);

/* "3pm", "15:30", "noon", "9"; a bare number is marked as such, for the caller to judge. */
struct qa_clock {
    int minute; /* of the day */
    bool sure;  /* it has am, pm or the form of a 24-hour clock */
    bool bare;  /* nothing but a number */
};
const char *qa_clock(const char *p, struct qa_clock *ret);
/* A dash, "to", "until", "till", "through". */
const char *qa_range(const char *p);

/* A day, or the days from first to last, as days since 1970; years and weeks left out are those
 * next to come from today on. weekday: only the name of a day was given. */
struct qa_days {
    int64_t first, last;
    bool weekday;
};
const char *qa_days(const char *p, bool sure, int64_t today, struct qa_days *ret);
/* A day after a number of units. */
int64_t qa_add(int64_t day, int count, enum qa_unit unit);
/* The first day with this day of the month at or after one. */
int64_t qa_next_monthday(int64_t from, int mday);

#endif
