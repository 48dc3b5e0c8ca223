/* SPDX-License-Identifier: Apache-2.0 */
/*
 * English sentences as events, as the "quick add" of calendars takes them: "Lunch with Ann tomorrow
 * 1-2pm at Cafe Roma", "Standup every weekday at 9:30 for 15 minutes".
 *
 * What Google documents and shows, and what is done here, too: the words of time leave the title,
 * the words of place stay in it and give the location ("movie tomorrow 23:00 at AMC Van Ness" has
 * been recorded as "movie at AMC Van Ness", location "AMC Van Ness", one hour); a date alone makes
 * an event of the whole day; addresses behind "with" are guests. What it does not document is
 * decided here:
 *  - Neither date nor time: today, the whole day.
 *  - A time alone is today, or tomorrow when it is past.
 *  - An hour without am or pm: 7 to 11 is in the morning, 12 at noon, 1 to 6 in the afternoon; in a
 * range the other end decides ("11-1pm"); from 13 on, or with a leading zero, it is the hour of the
 * day; after "tonight" it is in the evening.
 *  - A weekday is one of this week, over or not, as many people report; or the next one to come,
 * today included while its time is ahead. "next Friday" is the Friday of the week after this one
 * (weeks begin on Monday).
 *  - A date without a year is the next one. 3/14 is month and day unless only the other way round
 * can be.
 *  - morning, afternoon, evening and night are 8:00, 13:00, 18:00 and 20:00.
 *  - A series starts at its first match from now on ("every 5th": the next 5th); one of weekdays
 * starts today, whatever day that is, as two people report, or at its first match, too.
 */
#ifndef SOSIA_CALENDAR_QUICKADD_H
#define SOSIA_CALENDAR_QUICKADD_H

#include "engine/base/arena.h"
#include "engine/text/tz.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Of text that is looked at, in bytes; what lies beyond is kept in the summary as it is. */
#define QUICKADD_MAX    10240
#define QUICKADD_GUESTS 50 /* that are read; further ones are words of the title alone */

struct quickadd_how {
    int minutes;     /* how long an event is when the text does not say */
    bool ahead;      /* a weekday is the next one to come; else one of this week */
    bool from_match; /* a series of weekdays starts at its first match; else today */
};

struct quickadd {
    const char *summary;    /* each run of whitespace made one space; "" when nothing is left */
    const char *location;   /* NULL: none */
    const char *recurrence; /* "RRULE:FREQ=...", NULL: none */
    const char **guests;    /* addresses in normal form, each once */
    size_t n_guests;
    bool all_day;
    /* Seconds since 1970 of the instants; all-day: midnights as if in UTC, the end is the day after
     * the last. */
    int64_t start_s, end_s;
};

/* now_s: an instant. tz: the calendar's. Takes any text; what is given lives in the arena. Time is
 * linear in len. */
void quickadd_parse(struct arena *a, const char *text, size_t len, int64_t now_s,
                    const struct tz *tz, const struct quickadd_how *how, struct quickadd *ret);

#endif
