/* SPDX-License-Identifier: Apache-2.0 */
/* Texts that somebody who types them into a cell means as a number: percents, dollars, groups of
 * digits, dates and times, as in English of the United States. */
#include "services/drive/onedrive/workbook/workbook.h"
#include "engine/base/codec.h"
#include "engine/text/civil.h"
#include "services/drive/core/document/number_format.h"

enum { TYPED_MOST = 40, FIRST_YEAR = 1900, DIGITS_MOST = 9 };

/* A number of at most 9 digits; its end, or NULL. */
static const char *take_digits(const char *p, int *ret, unsigned *ret_n)
{
    *ret = 0;
    for (*ret_n = 0; *p >= '0' && *p <= '9' && *ret_n < DIGITS_MOST; p++, ++*ret_n)
        *ret = *ret * 10 + (*p - '0');
    return *ret_n && !(*p >= '0' && *p <= '9') ? p : NULL;
}

/* "3/12/2026", "2026-03-12"; its end, or NULL. */
static const char *take_date(const char *p, int64_t *ret_days)
{
    int n[3];
    unsigned digits[3];
    char between = 0;
    for (int i = 0; i < 3; i++) {
        if (!(p = take_digits(p, &n[i], &digits[i])))
            return NULL;
        if (i == 2)
            break;
        if ((*p != '/' && *p != '-') || (between && *p != between))
            return NULL;
        between = *p++;
    }
    const bool year_first = digits[0] == 4;
    int year = year_first ? n[0] : n[2], month = year_first ? n[1] : n[0],
        day = year_first ? n[2] : n[1];
    const unsigned year_digits = year_first ? digits[0] : digits[2];
    if (year_digits == 2)
        year += year < 30 ? 2000 : 1900;
    else if (year_digits != 4)
        return NULL;
    if (year < FIRST_YEAR || year > 9999 || month < 1 || month > 12 || day < 1 ||
        day > days_in_month(year, month))
        return NULL;
    *ret_days = days_from_civil(year, month, day) - days_from_civil(1899, 12, 30);
    *ret_days -= *ret_days < 61;
    return p;
}

/* "7:30", "19:30:05", "7:30 PM"; its end, or NULL. */
static const char *take_time(const char *p, int *ret_seconds, bool *ret_seconds_given,
                             bool *ret_half)
{
    int hour, minute, second = 0;
    unsigned n;
    if (!(p = take_digits(p, &hour, &n)) || n > 2 || *p++ != ':' ||
        !(p = take_digits(p, &minute, &n)) || n > 2)
        return NULL;
    *ret_seconds_given = *p == ':';
    if (*p == ':' && (!(p = take_digits(p + 1, &second, &n)) || n > 2))
        return NULL;
    *ret_half = *p == ' ' && (p[1] == 'A' || p[1] == 'a' || p[1] == 'P' || p[1] == 'p') &&
                (p[2] == 'M' || p[2] == 'm');
    if (hour > (*ret_half ? 12 : 23) || minute > 59 || second > 59 || (*ret_half && !hour))
        return NULL;
    if (*ret_half) {
        hour = hour % 12 + ((p[1] | 32) == 'p' ? 12 : 0);
        p += 3;
    }
    *ret_seconds = hour * 3600 + minute * 60 + second;
    return p;
}

static const char *number_text(struct arena *a, double x)
{
    char text[32];
    number_write(x, text);
    return arena_strdup(a, text);
}

static bool typed_moment(struct arena *a, const char *text, const char **ret_number,
                         const char **ret_format)
{
    bool given = false, half = false;
    int64_t days = 0;
    int seconds = 0;
    const char *p = take_date(text, &days), *time = p ? (*p == ' ' ? p + 1 : NULL) : text;
    const char *end = time ? take_time(time, &seconds, &given, &half) : p;
    if (!end || *end)
        return false;
    *ret_number = number_text(a, (double)days + (double)seconds / 86400);
    *ret_format = p && time       ? "m/d/yyyy h:mm"
                  : p             ? "m/d/yyyy"
                  : given && half ? "h:mm:ss AM/PM"
                  : half          ? "h:mm AM/PM"
                  : given         ? "h:mm:ss"
                                  : "h:mm";
    return true;
}

/* "-$1,234.50", "12.5%", "1,234", "007". */
static bool typed_amount(struct arena *a, const char *text, const char **ret_number,
                         const char **ret_format)
{
    char plain[TYPED_MOST + 1];
    unsigned n = 0, group = 0, whole = 0;
    bool dollars = false, groups = false, point = false, percent = false, leading = false;
    double x;
    const char *p = text;
    if (*p == '-')
        plain[n++] = *p++;
    if ((dollars = *p == '$'))
        p++;
    for (; *p; p++) {
        if (*p >= '0' && *p <= '9') {
            plain[n++] = *p;
            group += !point;
            whole += !point;
        } else if (*p == ',' && !point && whole && (groups ? group == 3 : group <= 3)) {
            groups = true;
            group = 0;
        } else if (*p == '.' && !point) {
            point = true;
            plain[n++] = '.';
        } else if (*p == '%' && !p[1] && !dollars) {
            percent = true;
        } else {
            return false;
        }
    }
    plain[n] = 0;
    const unsigned sign = *plain == '-';
    while (plain[sign] == '0' && plain[sign + 1] >= '0' && plain[sign + 1] <= '9') {
        memmove(plain + sign, plain + sign + 1, n-- - sign);
        leading = true;
    }
    const bool zeros = leading && !(dollars || groups || percent);
    if (!whole || (groups && group != 3) || !(dollars || groups || percent || zeros) ||
        plain[n - 1] == '.' || parse_double(plain, n, &x) < 0)
        return false;
    *ret_number = number_text(a, percent ? x / 100 : x);
    *ret_format = zeros     ? NULL
                  : percent ? (point ? "0.00%" : "0%")
                  : dollars ? (point ? "$#,##0.00_);[Red]($#,##0.00)" : "$#,##0_);[Red]($#,##0)")
                            : (point ? "#,##0.00" : "#,##0");
    return true;
}

bool book_typed(struct arena *a, const char *text, size_t len, const char **ret_number,
                const char **ret_format)
{
    return len <= TYPED_MOST && strlen(text) == len &&
           (typed_moment(a, text, ret_number, ret_format) ||
            typed_amount(a, text, ret_number, ret_format));
}
