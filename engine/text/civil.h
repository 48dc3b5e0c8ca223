/* SPDX-License-Identifier: Apache-2.0 */
/* The proleptic Gregorian calendar, and the times of RFC 3339 and RFC 5545 as text. */
#ifndef SOSIA_TEXT_CIVIL_H
#define SOSIA_TEXT_CIVIL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define US_PER_SECOND   INT64_C(1000000)
#define SECONDS_PER_DAY INT64_C(86400)
#define US_PER_DAY      (SECONDS_PER_DAY * US_PER_SECOND)
/* The first and the last microsecond of the years 1 to 9999, which texts can say. */
#define TIME_FIRST_US INT64_C(-62135596800000000)
#define TIME_LAST_US  INT64_C(253402300799999999)

struct civil {
    int year;                 /* 1 to 9999 */
    int month, day;           /* from 1 */
    int hour, minute, second; /* second 0 to 59: a leap second is read as 59 */
    int us;
};

/* Days since 1970-01-01, of any year; month 1 to 12, day may be out of its month. */
int64_t days_from_civil(int year, int month, int day);
void civil_from_days(int64_t days, int *ret_year, int *ret_month, int *ret_day);
int weekday_from_days(int64_t days); /* 0 Sunday to 6 Saturday */
int days_in_month(int year, int month);
int64_t civil_to_seconds(const struct civil *c); /* as if in UTC; us left out */
void civil_from_seconds(int64_t s, struct civil *ret);

/* RFC 3339 date-time. offset: seconds east of UTC; has_offset false when the text has none (only
 * with allow_naive). Fractions beyond microseconds are cut. Gives -1 when the string does not have
 * this form or its instant is outside 0001..9999. */
struct stamp {
    int64_t local_us; /* the wall-clock reading as if in UTC */
    int32_t offset;
    bool has_offset;
};
int stamp_parse(const char *text, size_t len, bool allow_naive, struct stamp *ret);
/* RFC 3339 full-date: days since 1970. */
int date_parse(const char *text, size_t len, int64_t *ret_days);

/* Texts, NUL-terminated; sizes with the NUL. */
#define DATE_TEXT  11 /* 2026-03-12 */
#define STAMP_TEXT 33 /* 2026-03-12T07:26:40.173439+01:00 */
void date_format(char ret_text[DATE_TEXT], int64_t days);
/* us: the instant, written as the wall clock at offset (seconds; cut to minutes) shows it. digits:
 * of the fraction, 0, 3 or 6. as_z writes Z for offset 0; gives the length. Both take what lies
 * outside 0001..9999 as the nearest within. */
size_t stamp_format(char ret_text[STAMP_TEXT], int64_t us, int32_t offset, int digits, bool as_z);

#endif
