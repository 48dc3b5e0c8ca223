/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/text/http_date.h"
#include "engine/text/civil.h"
#include <string.h>

static void two(char *to, int n)
{
    to[0] = (char)('0' + n / 10 % 10);
    to[1] = (char)('0' + n % 10);
}

/* Without strftime: every response has two of them. */
void http_date(char ret_text[HTTP_DATE], int64_t us)
{
    static const char days[] = "SunMonTueWedThuFriSat";
    static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
    int64_t s = us / US_PER_SECOND - (us % US_PER_SECOND < 0);
    int64_t day = s / SECONDS_PER_DAY - (s % SECONDS_PER_DAY < 0);
    struct civil t;
    civil_from_seconds(s, &t);
    char *p = ret_text;
    memcpy(p, days + (size_t)weekday_from_days(day) * 3, 3);
    memcpy(p + 3, ", ", 2);
    two(p + 5, t.day);
    p[7] = ' ';
    memcpy(p + 8, months + ((size_t)t.month - 1) * 3, 3);
    p[11] = ' ';
    two(p + 12, t.year / 100);
    two(p + 14, t.year % 100);
    p[16] = ' ';
    two(p + 17, t.hour);
    p[19] = ':';
    two(p + 20, t.minute);
    p[22] = ':';
    two(p + 23, t.second);
    memcpy(p + 25, " GMT", 5);
}
