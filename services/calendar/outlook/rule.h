/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recurrences of Outlook (patternedRecurrence: a pattern and a range) and the core's lines of
 * iCalendar, both ways. Pure computation. Every pattern can be said as a rule; of rules those that
 * have the very same instances as a pattern, and no other.
 */
#ifndef SOSIA_OUTLOOK_RULE_H
#define SOSIA_OUTLOOK_RULE_H

#include "engine/base/arena.h"
#include "engine/text/tz.h"

enum ocal_pattern {
    PATTERN_DAILY,
    PATTERN_WEEKLY,
    PATTERN_ABSOLUTE_MONTHLY,
    PATTERN_RELATIVE_MONTHLY,
    PATTERN_ABSOLUTE_YEARLY,
    PATTERN_RELATIVE_YEARLY
};
enum ocal_range { RANGE_END_DATE, RANGE_NO_END, RANGE_NUMBERED };
enum ocal_index { INDEX_FIRST, INDEX_SECOND, INDEX_THIRD, INDEX_FOURTH, INDEX_LAST };

struct ocal_rule {
    enum ocal_pattern type;
    int interval;
    int month;        /* of yearly patterns, from 1; else 0 */
    int day_of_month; /* of absolute ones; a month that has no such day has its last one instead */
    unsigned days;    /* bit 0 Sunday: of weekly and relative ones */
    int first_day;    /* 0 Sunday */
    enum ocal_index index;
    enum ocal_range range;
    int64_t start_days, end_days; /* since 1970; end_days: the last day, RANGE_END_DATE */
    int64_t count;                /* RANGE_NUMBERED */
};

/* By these enumerations; NULL ends. */
extern const char *const ocal_patterns[], *const ocal_ranges[], *const ocal_indexes[],
                                                                    *const ocal_days[];

/* Are all members there that the type needs, and none besides that it has not? */
bool ocal_rule_good(const struct ocal_rule *r);
/* The first day of the pattern from start_days on; it may be later than that. -1: there is none. */
int64_t ocal_rule_first(const struct ocal_rule *r);
/* The line "RRULE:..." for a series that starts on the wall clock of tz at `second` of its first
 * day; all_day: of dates. In the arena. */
const char *ocal_rule_line(struct arena *a, const struct ocal_rule *r, const struct tz *tz,
                           bool all_day);
/* The pattern that has the instances of these lines, of a series whose start reads start_s (seconds
 * as if in UTC) on the wall clock of tz. Days that the lines take out are passed over. 1; 0: there
 * is no such pattern. */
int ocal_rule_read(struct arena *a, const char *lines, const struct tz *tz, bool all_day,
                   int64_t start_s, struct ocal_rule *ret);

#endif
