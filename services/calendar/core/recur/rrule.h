/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One recurrence rule (RFC 5545, 3.3.10) on the wall clock: what RRULE and EXRULE say, without
 * zones.
 *
 * Readings are seconds since 1970-01-01T00:00:00 of the wall clock as if in UTC; a day is its
 * midnight. A rule selects days by a bitmap of a year, which depends on nothing but the year, so
 * that any time can be asked for without walking from the start. COUNT is turned into the last
 * reading when a rule is parsed; it counts for as many periods as a thousand years have weeks, at
 * most, with BYSETPOS, and for a thousand years below a day with an interval that does not divide
 * it. The calendar ends with the year 9999.
 */
#ifndef SOSIA_CALENDAR_RRULE_H
#define SOSIA_CALENDAR_RRULE_H

#include "engine/base/arena.h"
#include "engine/base/err.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RRULE_NEVER INT64_MAX
#define RRULE_START INT64_C(-62135596800) /* 0001-01-01T00:00:00 */
#define RRULE_END   INT64_C(253402300799) /* 9999-12-31T23:59:59 */

enum rrule_freq {
    RRULE_SECONDLY,
    RRULE_MINUTELY,
    RRULE_HOURLY,
    RRULE_DAILY,
    RRULE_WEEKLY,
    RRULE_MONTHLY,
    RRULE_YEARLY
};

enum rrule_until { RRULE_UNTIL_NONE, RRULE_UNTIL_UTC, RRULE_UNTIL_LOCAL };

/* The times of one day, or of one hour or minute for frequencies below a day, ascending: either all
 * combinations of the bits, or (seconds from the start of the unit) what BYSETPOS left of them. */
struct rrule_times {
    uint64_t minutes, seconds;
    uint32_t hours;
    uint32_t n;
    const uint32_t *list; /* NULL: the bits */
};

struct rrule_nth { /* ordinals of one weekday in BYDAY: bit n for n, counted from the end in `last`
                    */
    uint64_t first, last;
};

struct rrule {
    enum rrule_freq freq;
    int64_t interval;
    int64_t dtstart;
    int64_t last;   /* no instance reads later than this: by COUNT, UNTIL or the calendar's end */
    bool bounded;   /* by COUNT or UNTIL */
    bool never;     /* it selects no day of any year */
    bool every_day; /* no part selects days; INTERVAL may */
    uint8_t week_start;
    uint8_t weekdays; /* BYDAY without ordinals, bit 0 Sunday */
    uint8_t nth_days; /* weekdays that have ordinals */
    bool nth_in_month;
    uint16_t months;        /* bit 1 January; 0: no BYMONTH */
    uint32_t monthdays;     /* bit 0 the first */
    uint32_t monthdays_end; /* bit 30 the last, downwards */
    bool by_monthday, by_yearday, by_weekno;
    uint64_t weeks, weeks_end;             /* bit n for week n, from the end */
    uint64_t yeardays[6], yeardays_end[6]; /* bit 0 the first; bit 365 the last, downwards */
    struct rrule_nth nth[7];
    /* Of units (hours, minutes, seconds) for frequencies below a day: which may recur. */
    uint32_t hours;
    uint64_t minutes, seconds;
    struct rrule_times times;
    const int16_t *setpos; /* for weeks, months and years */
    unsigned n_setpos;
    int64_t period0; /* the period of DTSTART: its day, week, month, year, or unit */
    int64_t cycle;   /* periods after which the calendar repeats; for setpos */
    enum rrule_until until_kind;
    int64_t until; /* an instant (UTC) or a reading */
};

/* Reads the text after "RRULE:". Errors are INVALID with where "recurrence". dtstart is a reading;
 * all_day: of a day. COUNT counts what matches, so that a DTSTART that does not is one more
 * instance. The rule lives in the arena as long as the arena. */
int rrule_parse(struct arena *a, const char *text, size_t len, int64_t dtstart, bool all_day,
                struct rrule *ret, struct sosia_err *err);

/* Asks a rule for readings; keeps the last year's bitmap, nothing else. */
struct rrule_walk {
    const struct rrule *rule;
    uint64_t days[6];
    int64_t jan1; /* of the year in days */
    int32_t year, length;
    uint32_t steps; /* of work done; see RRULE_STEPS */
};
void rrule_walk_init(struct rrule_walk *w, const struct rrule *rule);
/* The first matching reading at or after local, not before DTSTART; RRULE_NEVER when there is none.
 * DTSTART itself only when it matches. A search counts its steps in w->steps, and gives up
 * (RRULE_NEVER) at RRULE_STEPS: the owner sets them back to 0. A step is some ten nanoseconds; only
 * rules made to match hardly ever take so many. */
#define RRULE_STEPS 200000
int64_t rrule_next(struct rrule_walk *w, int64_t local);

/* For rrule_parse(): sets the last reading of a rule that has count instances. */
void rrule_end_by_count(struct arena *a, struct rrule *r, int64_t count);
/* For rrule_parse(): whether no year of the calendar has a day for the rule, or no day a time. */
bool rrule_selects_nothing(const struct rrule *r);
/* Reads 19970902, 19970902T090000 or 19970902T090000Z to a reading; gives -1 when it is none of
 * them. */
enum rrule_form { RRULE_FORM_DATE, RRULE_FORM_LOCAL, RRULE_FORM_UTC };
int rrule_time(const char *text, size_t len, enum rrule_form *ret_form, int64_t *ret_seconds);
/* The number of the period (day, week, month, year, unit) that a reading lies in. */
int64_t rrule_period(const struct rrule *r, int64_t local);

/* The greatest common divisor. */
int64_t rrule_gcd(int64_t a, int64_t b);

#endif
