/* SPDX-License-Identifier: Apache-2.0 */
#include "mcp/sets/times.h"
#include <string.h>

int64_t time_seconds(int64_t us)
{
    return us >= 0 ? us / US_PER_SECOND : -((-us + US_PER_SECOND - 1) / US_PER_SECOND);
}

const char *time_text(struct arena *a, int64_t us, const struct tz *z)
{
    char text[STAMP_TEXT];
    stamp_format(text, us, tz_offset(z, time_seconds(us)), 0, false);
    return arena_strdup(a, text);
}

const char *time_utc(struct arena *a, int64_t us, bool millis)
{
    char text[STAMP_TEXT];
    stamp_format(text, us, 0, millis ? 3 : 0, true);
    return arena_strdup(a, text);
}

int time_read(struct arena *a, const char *text, const struct tz *z, int64_t *ret_us)
{
    struct stamp s;
    int64_t days;
    size_t n = strlen(text);
    if (n == 16) /* without seconds */
        text = arena_printf(a, "%s:00", text);
    if (date_parse(text, n, &days) == 0)
        *ret_us = tz_to_utc(z, days * SECONDS_PER_DAY) * US_PER_SECOND;
    else if (stamp_parse(text, strlen(text), true, &s) < 0)
        return -1;
    else if (s.has_offset)
        *ret_us = s.local_us - (int64_t)s.offset * US_PER_SECOND;
    else
        *ret_us = tz_to_utc(z, time_seconds(s.local_us)) * US_PER_SECOND;
    return 0;
}

const char *time_weekday(int64_t days)
{
    static const char *const names[] = {"Sunday",   "Monday", "Tuesday", "Wednesday",
                                        "Thursday", "Friday", "Saturday"};
    return names[weekday_from_days(days)];
}
