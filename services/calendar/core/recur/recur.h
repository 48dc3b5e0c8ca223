/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recurrence sets (RFC 5545, 3.8.5): when a series takes place, from its first start and its RRULE,
 * EXRULE, RDATE and EXDATE lines. Pure computation: no clock, nothing global, nothing allocated
 * while iterating.
 *
 * The set is DTSTART, whether it matches a rule or not, and all that the RRULEs and RDATEs give,
 * without what the EXRULEs and EXDATEs give. Starts come out by time, each instant once. A timed
 * series keeps its wall clock: a reading that the clock skips is taken with the offset before the
 * gap, one that comes twice is the first (3.3.5). Dates are dates in every zone; they come out as
 * the midnight of a zone.
 */
#ifndef SOSIA_CALENDAR_RECUR_H
#define SOSIA_CALENDAR_RECUR_H

#include "engine/base/arena.h"
#include "engine/base/err.h"
#include "engine/text/tz.h"
#include "services/calendar/core/recur/rrule.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RECUR_FOREVER   INT64_MAX
#define RECUR_BEGINNING INT64_MIN
#define RECUR_MAX_RULES 8      /* of RRULE, and of EXRULE */
#define RECUR_MAX_LINES 10000  /* lines */
#define RECUR_MAX_DATES 100000 /* in all RDATE and EXDATE lines */

struct recur_start {
    bool all_day;
    int64_t local_s; /* the wall clock's reading as if in UTC; all_day: the midnight of the day */
    const struct tz *tz; /* NULL: UTC */
    /* The instant, where the caller knows better than tz_to_utc(): the second of two equal
     * readings. */
    bool has_utc;
    int64_t utc_s;
};

struct recur;

/* Reads lines such as "RRULE:FREQ=DAILY;COUNT=3" and "EXDATE;TZID=Europe/Rome:20260312T090000", n
 * of them, NUL-terminated. Errors are INVALID with where "recurrence". What is given out lives in
 * the arena and keeps nothing of lines; it may be read by several threads. */
int recur_parse(struct arena *a, const char *const *lines, size_t n,
                const struct recur_start *start, const struct recur **ret_recur,
                struct sosia_err *err);

/* What is behind the name and the parameters of such a line; NULL: it is none. */
const char *recur_value(const char *line);

struct recur_instance {
    int64_t utc_s;
    int64_t local_s; /* what the wall clock shows at utc_s; all-day: the midnight of the day */
};

struct recur_iter_rule {
    struct rrule_walk walk;
    int64_t head;
};

struct recur_iter {
    const struct recur *recur;
    struct recur_iter_rule rules[2 * RECUR_MAX_RULES]; /* RRULEs, then EXRULEs */
    struct tz_range range;
    bool dtstart_left;
    uint32_t rdate; /* the next one */
    /* Set when the search for an instance was given up after too many steps: a rule made for that.
     * There may be later instances. */
    bool gave_up;
};

/* Begins at the first start at or after from_utc_s (RECUR_BEGINNING: at the first of all). The
 * recur must outlive the iterator; nothing is to be freed. */
void recur_iter_init(struct recur_iter *it, const struct recur *recur, int64_t from_utc_s);
/* Gives false at the end. */
bool recur_next(struct recur_iter *it, struct recur_instance *ret);

/* An instant that no start lies beyond, RECUR_FOREVER when there is no end. Exact for COUNT and
 * RDATE, the bound itself for UNTIL; exclusions don't count. */
int64_t recur_last(const struct recur *recur);
/* Whether an instance starts at this instant. */
bool recur_contains(const struct recur *recur, int64_t utc_s);

#endif
